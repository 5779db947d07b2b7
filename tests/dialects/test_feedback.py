"""Issues have the names and the shape that the model saw, whatever was rewritten."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from random_schemas import Schemas
from renderings import PROFILES, fitting, judged, thing

from pyfunctools import DefinitionError, Failure, Function, SchemaError
from pyfunctools.schema import Validator, normalize
from pyfunctools.schema.ground.path import value_at

COUNT = {"type": "integer", "minimum": 1}
MAP = {"type": "object", "additionalProperties": COUNT}
TREE = {"$ref": "#/$defs/Tree"}
KINDS = [
    thing("k", "m", k={"const": "a"}, m=MAP, o=COUNT),
    thing("k", "n", k={"const": "b"}, n=COUNT, o=COUNT),
]
AT_LEAST = "integer, at least 1"
OR_NULL = "integer or null, at least 1"


@pytest.mark.parametrize(
    ("dialect", "schema", "written", "issues"),
    [
        pytest.param(
            "anthropic",
            thing("a b", **{"a b": COUNT}),
            {"a_b": 0, "z": 1},
            {"a_b": AT_LEAST, "z": 'no property "z"; the properties are "a_b"'},
            id="a new name",
        ),
        pytest.param("anthropic", thing("a b", **{"a b": COUNT}), {}, {"a_b": AT_LEAST}, id="none"),
        pytest.param(
            "anthropic",
            thing("o", o=thing("a b", **{"a b": COUNT})),
            {"o": 3},
            {"o": 'object with "a_b"'},
            id="a new name inside the expected value",
        ),
        pytest.param(
            "anthropic",
            {**thing(**{"a b": COUNT, "c d": COUNT}), "dependentRequired": {"a b": ["c d"]}},
            {"a_b": 1},
            {"c_d": AT_LEAST},
            id="a new name in a dependency that the rendering cannot express",
        ),
        pytest.param(
            "anthropic",
            {**thing(**{"a b": COUNT}), "not": {"required": ["a b"]}},
            {"a_b": 1},
            {"": 'not object with "a_b"'},
            id="a new name in a rule that the rendering cannot express",
        ),
        pytest.param(
            "gemini-schema",
            {**thing(**{"a.b": COUNT, "a_b": {"type": "string"}}), "minProperties": 3},
            {"a_b": "x", "a_b_2": 0},
            {"": "at least 3 properties", "a_b_2": AT_LEAST},
            id="a new name that was taken, and the whole",
        ),
        pytest.param(
            "gemini-schema",
            thing(a={"type": ["integer", "null"]}, **{"b c": COUNT}),
            {"a": "x", "b_c": 1},
            {"a": "integer or null"},
            id="null as OpenAPI says it",
        ),
        pytest.param(
            "openai",
            thing(m=MAP),
            {"m": [{"key": "x", "value": 0}]},
            {"m[0].value": AT_LEAST},
            id="a pair",
        ),
        pytest.param(
            "openai",
            thing(m={"type": "object", "additionalProperties": MAP}),
            {"m": [{"key": "x", "value": [{"key": "y", "value": 0}]}]},
            {"m[0].value[0].value": AT_LEAST},
            id="a pair in a pair",
        ),
        pytest.param(
            "openai",
            thing(m={"type": "object", "additionalProperties": thing("a", a=COUNT, b=COUNT)}),
            {"m": [{"key": "x", "value": {"b": None}}]},
            {"m[0].value.a": AT_LEAST},
            id="missing in a pair",
        ),
        pytest.param(
            "openai",
            thing(m={**MAP, "propertyNames": {"pattern": "^a"}}),
            {"m": [{"key": "x", "value": 0}]},
            {"m[0].key": "string (pattern: ^a)", "m[0].value": AT_LEAST},
            id="the key and the value of a pair",
        ),
        pytest.param(
            "openai",
            thing(m=MAP),
            {"m": [{"key": "x", "value": 0}, {"key": "x", "value": 1}]},
            {"m": "each key once", "m[0].value": AT_LEAST},
            id="a key twice",
        ),
        pytest.param(
            "openai",
            thing(m={"anyOf": [MAP, {"type": "string"}]}),
            {"m": [{"key": "x", "value": 1}, {"key": "x", "value": 1}]},
            {"m": "each key once"},
            id="a key twice in a union",
        ),
        pytest.param(
            "openai",
            thing(l={"type": "array", "maxItems": 1, "items": thing(key=COUNT, value=COUNT)}),
            {"l": [{"key": 1, "value": 1}, {"key": 1, "value": 1}]},
            {"l": "at most 1 item"},
            id="a list that only looks like pairs",
        ),
        pytest.param(
            "deepseek",
            thing(m={**MAP, "minProperties": 2}),
            {"m": [{"key": "x", "value": 1}]},
            {"m": "at least 2 items"},
            id="too few pairs, without a bound in the rendering",
        ),
        pytest.param("openai", thing("m", m=MAP), {"m": None}, {"m": "array of"}, id="no pairs"),
        pytest.param(
            "openai",
            thing("a", a=COUNT, b=COUNT),
            {"a": None, "b": "x"},
            {"a": AT_LEAST, "b": OR_NULL},
            id="null for a missing optional property, but not for a required one",
        ),
        pytest.param(
            "openai",
            thing(a={"enum": ["x", "y"]}, b={"const": "z"}),
            {"a": "q", "b": "q"},
            {"a": 'one of "x", "y", null', "b": 'one of "z", null'},
            id="null beside the listed values",
        ),
        pytest.param(
            "openai",
            thing(a={"type": "string", "maxLength": 2, "format": "uri"}),
            {"a": "abc"},
            {
                "a": "string (format: uri such as https://example.com/a?b=c) or null, "
                "at most 2 characters"
            },
            id="a bound in the description",
        ),
        pytest.param(
            "openai",
            {"type": "object", "oneOf": KINDS},
            {"k": "b", "n": 0, "m": None, "o": None},
            {"n": OR_NULL},
            id="a root without alternatives",
        ),
        pytest.param(
            "openai",
            thing("u", u={"anyOf": KINDS}),
            {"u": {"k": "a", "m": [{"key": "x", "value": 0}], "o": None}},
            {"u.m[0].value": AT_LEAST},
            id="a branch with pairs",
        ),
        pytest.param(
            "openai",
            thing("u", u={"anyOf": KINDS}),
            {"u": {"k": "b", "o": None}},
            {"u.n": AT_LEAST},
            id="a branch with null for a missing property",
        ),
        pytest.param(
            "openai",
            thing("t", t={"type": "array", "prefixItems": [COUNT, MAP], "items": False}),
            {"t": [0]},
            {"t[0]": AT_LEAST},
            id="a tuple that strict mode cannot express",
        ),
        pytest.param(
            "openai",
            thing("t", m=MAP, t={"type": "array", "prefixItems": [COUNT, COUNT], "items": False}),
            {"m": [], "t": [1, "a"]},
            {"t[1]": AT_LEAST},
            id="a tuple",
        ),
        pytest.param(
            "openai",
            {
                **thing("t", t=TREE),
                "$defs": {"Tree": thing(n=COUNT, m=MAP, c={"type": "array", "items": TREE})},
            },
            {"t": {"n": 1, "c": [{"n": 0, "c": None, "m": [{"key": "x", "value": 0}]}], "m": None}},
            {"t.c[0].n": OR_NULL, "t.c[0].m[0].value": AT_LEAST},
            id="below a reference",
        ),
    ],
)
def test_a_mistake_is_reported_in_the_shape_that_the_model_saw(
    dialect: str, schema: dict[str, Any], written: dict[str, Any], issues: dict[str, str]
) -> None:
    function = Function.from_schema(name="f", parameters=schema)
    failure = function.check(json.dumps(written), rendering=function.render(dialect, strict=True))
    assert isinstance(failure, Failure)
    told = {str(each.path).removeprefix("$input").lstrip("."): each for each in failure.issues}
    assert told.keys() == issues.keys()
    for place, expected in issues.items():
        assert told[place].expected.startswith(expected)
        assert "a b" not in told[place].message
    assert written == {name: failure.value[name] for name in written}


@pytest.mark.parametrize(("name", "strict"), PROFILES.values(), ids=list(PROFILES))
@law(12, most=400)  # of each dialect
@given(seed=st.integers(0, 2**32))
def test_every_mistake_has_a_place_in_the_value_that_is_shown(
    name: str, strict: bool, seed: int
) -> None:
    written = Schemas(Random(seed), marks=False).root()
    definitions = written.pop("$defs", {})
    try:
        schema = dict(normalize({**thing("a b", **{"a b": written}), "$defs": definitions}))
        function = Function.from_schema(name="f", parameters=schema)
    except (DefinitionError, SchemaError):  # a circle of bare references, a contradiction
        return
    rendering = function.render(name, strict=strict)
    sent = judged(rendering.schema)
    for value in fitting(sent, Validator(sent), seed):
        wrong = spoiled(value, Random(seed))
        result = function.check(json.dumps(wrong), rendering=rendering)
        for issue in () if result else result.issues:
            keys = issue.path.keys
            assert value_at(result.value, keys[:-1]) is not None, (
                schema,
                wrong,
                issue,
                result.value,
            )


def spoiled(value: Any, random: Random) -> Any:
    """Return a value with another value in one place."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        name = random.choice(sorted(value))
        return {**value, name: spoiled(value[name], random)}
    if isinstance(value, list) and value and random.random() < 0.9:
        place = random.randrange(len(value))
        return [*value[:place], spoiled(value[place], random), *value[place + 1 :]]
    return random.choice([None, {}, [], -7, "?", {"key": 1}, [{"key": "a", "value": None}] * 2])
