"""The words for JSON: any JSON value is one of them, for a checker and at run time."""

import json

from pyfunctools._json import JsonObject, JsonSchema, JsonValue


def test_what_json_reads_is_a_json_value() -> None:
    value: JsonValue = json.loads('{"a": [1, 2.5, "x", true, null, {}]}')
    whole: JsonObject = {"value": value}
    schema: JsonSchema = {"const": value}
    assert json.loads(json.dumps([whole, schema])) == [whole, schema]
