"""From any draft to one canonical form of JSON Schema 2020-12. `normalize` is the verb.

>>> from pyfunctools.schema import normalize
>>> old = {
...     "properties": {
...         "pet": {"allOf": [{"$ref": "#/definitions/Pet"}, {"required": ["name"]}]},
...         "age": {"type": ["integer", "string"], "minimum": 0, "exclusiveMinimum": True},
...     },
...     "definitions": {"Pet": {"properties": {"name": "string"}}},
... }
>>> new = normalize(old)

1. `check_input.py` rejects a schema that is not JSON, or is nested too deeply.
2. `bundle.py` makes a definition in `$defs` of every target of a reference.

>>> new["$defs"]
{'Pet': {'properties': {'name': {'type': 'string'}}}}

3. From the root down, `spelling.py` translates the keywords of each schema to 2020-12, with values
that `clean.py` corrects, and gives each of several types its own branch.

>>> new["properties"]["age"]
{'anyOf': [{'type': 'integer', 'exclusiveMinimum': 0}, {'type': 'string'}]}

4. Between the two, `all_of.py` collects the schemas under an `allOf`, with the targets of their
references where other constraints apply too, and merges them.

>>> new["properties"]["pet"]
{'properties': {'name': {'type': 'string'}}, 'required': ['name']}

Two laws hold for every schema: each value is valid for `new` if it is for `old`, and the reverse;
and `normalize(new)` is `new`. `oddities.py` reports mistakes in a schema as it was written.
"""
