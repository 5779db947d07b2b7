"""Any draft -> one spelling of JSON Schema 2020-12. `normalize` is the verb.

>>> from pyfunctools.schema import normalize
>>> old = {
...     "properties": {
...         "pet": {"allOf": [{"$ref": "#/definitions/Pet"}, {"required": ["name"]}]},
...         "age": {"type": ["integer", "string"], "minimum": 0, "exclusiveMinimum": True},
...     },
...     "definitions": {"Pet": {"properties": {"name": "string"}}},
... }
>>> new = normalize(old)

1. `check_input.py` refuses what is no JSON, or nested too deeply.
2. `bundle.py`, where a schema needs it, makes a definition of all that is referred to.

>>> new["$defs"]
{'Pet': {'properties': {'name': {'type': 'string'}}}}

3. From the root down, `spelling.py` writes the keywords of each schema as those of 2020-12, with
values that `clean.py` makes sound, and gives each of several types its own branch.

>>> new["properties"]["age"]
{'anyOf': [{'type': 'integer', 'exclusiveMinimum': 0}, {'type': 'string'}]}

4. Between the two, `all_of.py` says which schemas an `allOf` puts together, with what they refer to
where something else must hold too, and `conjunction.py` merges them.

>>> new["properties"]["pet"]
{'properties': {'name': {'type': 'string'}}, 'required': ['name']}

Two laws hold for every schema: each value is as right or wrong as before, and `normalize(new)` is
`new`. `oddities.py` says what was odd; `read_write.py` takes out what is never sent or answered.
"""
