"""Separates a schema into the model's and the human's side, and merges their values.

>>> from pyfunctools.schema.separation.graph import Graph
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

1. `graph.py` reads the schema into nodes, one for each subschema at each place where it is used,
and calls the predicate (`predicates.py`) for each. A node is `touched` if it or one below is
`marked`:

>>> card = Graph(schema, is_human_by_default).root.parts["properties", "card"]
>>> [(steps[-1], node.marked) for steps, node in card.parts.items()], card.touched
([('bank', False), ('pin', True)], True)

2. `ownership.py` finds the owner of each node (alternatives and `allOf` pass a mark on), and the
owner of each place in a value, by its path and all nodes for that path:

>>> separated = separate(schema)
>>> [separated.owner(path) for path in [(), ("amount",), ("card",), ("card", "pin")]]
['mixed', 'llm', 'mixed', 'human']

3. `sides.py` writes a schema for each side. A keyword that needs the values of both sides is left
out of both. A property is required on the human's side if each valid value has a human part there
(`CertainParts`):

>>> separated.llm["properties"]["card"]
{'type': 'object', 'properties': {'bank': {'type': 'string'}}, 'required': ['bank']}
>>> separated.human["properties"]["card"]["required"], separated.human["required"]
(['pin'], ['card'])

4. `side_values.py` finds, splits and merges the parts of values, and `separate.py` validates them.
A value that the model gives in a human place is an issue of its arguments, and is never merged:

>>> model = {"amount": 5, "card": {"bank": "B", "pin": "0000"}}
>>> [str(issue.path) for issue in separated.validate(model, "llm").issues]
['$input.card.pin']
>>> whole = separated.merge(model, {"card": {"pin": "1234"}}).value
>>> whole
{'amount': 5, 'card': {'bank': 'B', 'pin': '1234'}}
>>> separated.split(whole)
({'amount': 5, 'card': {'bank': 'B'}}, {'card': {'pin': '1234'}})

Two laws hold for every schema and every valid value: `merge(*split(value))` returns the value, and
each part is valid for its side.
"""
