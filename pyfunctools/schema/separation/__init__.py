"""The model's and the human's side of a schema. `separate` and `merge` are the verbs.

>>> from pyfunctools.schema.separation.graph import graph_of
>>> from pyfunctools.schema.separation.predicates import is_human_by_default
>>> from pyfunctools.schema.separation.separate import separate
>>> schema = {
...     "type": "object",
...     "properties": {
...         "amount": {"type": "integer"},
...         "card": {
...             "type": "object",
...             "properties": {
...                 "bank": {"type": "string"},
...                 "pin": {"type": "string", "x-human": True},
...             },
...             "required": ["bank", "pin"],
...         },
...     },
...     "required": ["amount", "card"],
... }

1. `graph.py` reads the schema into nodes, one for each subschema where it is used, and asks the
predicate (`predicates.py`) about each. A node is `touched` if it or something below it is `marked`:

>>> card = graph_of(schema, is_human_by_default).root.parts["properties", "card"]
>>> [(steps[-1], node.marked) for steps, node in card.parts.items()], card.touched
([('bank', False), ('pin', True)], True)

2. `whole_nodes.py` says whose each node is by itself (alternatives and `allOf` pass a mark on), and
`ownership.py` whose each place in a value is, by the path to it and all that is said of it:

>>> separated = separate(schema)
>>> [separated.owner(path) for path in [(), ("amount",), ("card",), ("card", "pin")]]
['mixed', 'llm', 'mixed', 'human']

3. `sides.py` writes a schema for each side, with the copies, references and definitions of
`side_writer.py`. A keyword that looks at both sides at once is left off both:

>>> separated.llm["properties"]["card"]
{'type': 'object', 'properties': {'bank': {'type': 'string'}}, 'required': ['bank']}
>>> separated.human["properties"]["card"]["required"], separated.human["required"]
(['pin'], ['card'])

4. `sieve.py` walks values along the places, and `separate.py` judges what comes of it. What the
model writes in a human's place is an issue when it is checked, and never merged:

>>> model = {"amount": 5, "card": {"bank": "B", "pin": "0000"}}
>>> [str(issue.path) for issue in separated.validate(model, "llm").issues]
['$input.card.pin']
>>> whole = separated.merge(model, {"card": {"pin": "1234"}}).value
>>> whole
{'amount': 5, 'card': {'bank': 'B', 'pin': '1234'}}
>>> separated.split(whole)
({'amount': 5, 'card': {'bank': 'B'}}, {'card': {'pin': '1234'}})

Two laws hold for every schema and every value that fits it: `merge(*split(value))` gives the value,
and each part fits its side.
"""
