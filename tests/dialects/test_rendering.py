"""Schemas as each vendor takes them: the schema to send, its losses, and the way back."""

import json
from collections.abc import Callable

import pytest
from profile_rules import violations

from pyfunctools import DefinitionError, Loss
from pyfunctools.dialects.rendering import render
from pyfunctools.dialects.table import DIALECTS


def thing(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        pytest.param(
            thing(n={"type": "integer", "multipleOf": 5, "title": "N", "x-y": 1}),
            thing(n={"type": ["integer", "null"], "multipleOf": 5}) | {"required": ["n"]},
            id="nobody's keywords go, an optional property takes null",
        ),
        pytest.param(
            thing(n={"type": "string", "maxLength": 5, "description": "Short."}),
            thing(n={"type": ["string", "null"], "description": "Short.\n@maxLength 5"})
            | {"required": ["n"]},
            id="a bound that strict mode has no word for is told",
        ),
        pytest.param(
            thing(n={"enum": ["a", "b"], "default": "a"}),
            thing(
                n={
                    "enum": ["a", "b", None],
                    "type": ["string", "null"],
                    "description": "@default a",
                }
            )
            | {"required": ["n"]},
            id="an enum names its type and takes null",
        ),
        pytest.param(
            thing(m={"type": "object", "additionalProperties": {"type": "integer"}})
            | {"required": ["m"]},
            thing(
                m={
                    "type": "array",
                    "items": thing(key={"type": "string"}, value={"type": "integer"})
                    | {"required": ["key", "value"]},
                    "description": "A map, as a list of its keys with their values, each key once.",
                }
            )
            | {"required": ["m"]},
            id="a map is a list of pairs",
        ),
        pytest.param(
            thing(p={"$ref": "#/$defs/P", "description": "Whose."}, q={"$ref": "#/$defs/P"})
            | {"required": ["p", "q"], "$defs": {"P": thing(a={"type": "null"})}},
            thing(
                p={"anyOf": [{"$ref": "#/$defs/P"}], "description": "Whose."},
                q={"$ref": "#/$defs/P"},
            )
            | {
                "required": ["p", "q"],
                "$defs": {"P": thing(a={"type": "null"}) | {"required": ["a"]}},
            },
            id="nothing stands beside a reference",
        ),
    ],
)
def test_what_strict_openai_is_sent(schema: dict[str, object], sent: dict[str, object]) -> None:
    rendering = render(schema, "openai", strict=True)
    assert rendering.strict
    assert rendering.schema == sent


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        pytest.param(
            thing(p={"$ref": "#/$defs/P", "description": "Whose."})
            | {"$defs": {"P": {"type": "string", "description": "A person. "}}},
            thing(p={"type": "string", "description": "Whose.\n\nA person."}),
            id="what is referred to once stands in its place, with what both say",
        ),
        pytest.param(
            thing(p={"$ref": "#/$defs/P", "description": "Whose."})
            | {"$defs": {"P": {"type": "string", "description": "Whose"}}},
            thing(p={"type": "string", "description": "Whose."}),
            id="what both say is said once",
        ),
        pytest.param(
            schema := thing(p={"$ref": "#/$defs/P"}, q={"$ref": "#/$defs/P"})
            | {"$defs": {"P": thing(a={"type": "string"})}},
            schema,
            id="what is referred to twice is not said twice",
        ),
        pytest.param(
            schema := thing(p={"$ref": "#/$defs/P", "required": ["a"]})
            | {"$defs": {"P": {"type": "object", "required": ["b"]}}},
            schema,
            id="what is bound beside a reference stays beside it",
        ),
        pytest.param(
            schema := thing(p={"$ref": "#/$defs/P"})
            | {"$defs": {"P": thing(p={"$ref": "#/$defs/P"})}},
            schema,
            id="what leads back to itself stays",
        ),
        pytest.param(
            thing(a={"oneOf": [{"const": "x", "title": "X"}, {"const": "y"}, {"type": "null"}]}),
            thing(a={"enum": ["x", "y", None]}),
            id="a union of constants is an enum",
        ),
        pytest.param(
            thing(a={"anyOf": [{"type": "string", "const": "x"}, {"type": "null"}]}),
            thing(a={"type": ["string", "null"], "enum": ["x", None]}),
            id="with the type that all name",
        ),
        pytest.param(
            schema := thing(a={"oneOf": [{"const": 1}, {"const": 1.0}]}),
            schema,
            id="where one of them fits twice nothing does",
        ),
        pytest.param(
            schema := thing(a={"oneOf": [{"const": "x", "description": "X"}, {"const": "y"}]}),
            schema,
            id="what is said of one constant stays with it",
        ),
        pytest.param(
            thing(a={"anyOf": [{"type": "null"}, {"type": "string", "maxLength": 3}]}),
            thing(a={"type": ["string", "null"], "maxLength": 3}),
            id="null or one type is a list of types",
        ),
        pytest.param(
            schema := thing(
                a={"anyOf": [{"type": "string", "description": "A"}, {"type": "null"}]}
                | {"description": "B"}
            ),
            schema,
            id="where both are described they stay apart",
        ),
        pytest.param(
            thing(a={"const": 1, "enum": [1, "x"]}, b={"const": 2, "enum": ["x"]}),
            thing(a={"const": 1}, b={"not": {}}),
            id="a constant among listed values is it, and else nothing fits",
        ),
        pytest.param(
            schema := thing(a={"type": "null", "anyOf": [{"type": "string"}, {"type": "null"}]}),
            schema,
            id="or something else is bound",
        ),
        pytest.param(
            schema := thing(a={"type": "object", "unevaluatedProperties": False}),
            schema,
            id="nothing else is let in where nothing else was",
        ),
    ],
)
def test_a_schema_is_said_in_fewer_words(
    schema: dict[str, object], sent: dict[str, object]
) -> None:
    assert render(schema, "openai").schema == sent


def test_where_a_type_is_one_name_others_are_branches() -> None:
    given = {"type": ["string", "integer"], "minimum": 2, "enum": ["a", 3], "description": "D"}
    optional = {"type": "array", "items": {"type": ["string", "null"], "format": "email"}}
    rendering = render(thing(a=given, b=optional) | {"required": ["a"]}, "deepseek", strict=True)
    assert rendering.strict
    email = {"anyOf": [{"type": "string", "format": "email"}, {"type": "null"}]}
    assert rendering.schema["properties"] == {
        "a": {
            "anyOf": [
                {"type": "string", "enum": ["a"]},
                {"type": "integer", "enum": [3], "minimum": 2},
            ],
            "description": "D",
        },
        "b": {"anyOf": [{"type": "array", "items": email}, {"type": "null"}]},
    }


@pytest.mark.parametrize(("levels", "stays"), [(9, False), (10, True)])
def test_what_is_referred_to_once_stays_where_it_would_be_too_deep(
    levels: int, stays: bool
) -> None:
    schema = thing(b={"$ref": "#/$defs/B"}) | {"$defs": {"B": nested(levels)}}
    rendering = render(schema, "openai", strict=True)
    assert rendering.strict
    assert ("$defs" in rendering.schema) is stays


@pytest.mark.parametrize(
    ("inner", "keyword"),
    [
        pytest.param({"type": "object"}, "additionalProperties", id="a free object"),
        pytest.param({}, "type", id="no type"),
        pytest.param({"type": "array"}, "type", id="items of no type"),
        pytest.param(thing(a={}), "type", id="a property of no type"),
        pytest.param(
            thing(a={"type": "null"}) | {"additionalProperties": True},
            "additionalProperties",
            id="an open object",
        ),
        pytest.param(False, "not", id="nothing"),
        pytest.param(
            {"type": ["object", "array"], "additionalProperties": {"type": "null"}},
            "additionalProperties",
            id="a map or a list",
        ),
        pytest.param(
            {
                "anyOf": [
                    {"type": "object", "additionalProperties": {"type": "integer"}},
                    {"type": "array", "items": {"type": "integer"}},
                ]
            },
            "anyOf",
            id="a map or a list, each with what is in it",
        ),
    ],
)
def test_what_strict_mode_cannot_say_makes_one_function_not_strict(
    inner: object, keyword: str
) -> None:
    rendering = render(thing(a=inner), "openai", strict=True)
    assert not rendering.strict
    assert ("refused", keyword) in {(loss.how, loss.keyword) for loss in rendering.losses}
    assert rendering.schema == render(thing(a=inner), "openai").schema


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ([{"key": "a", "value": 1}], {"a": 1}),
        ([], {}),
        ([{"key": "a", "value": 1}, {"key": "a", "value": 2}],) * 2,
        ({"a": 1},) * 2,
        ("[]",) * 2,
    ],
    ids=["a pair", "none", "a key twice stays wrong", "a map already", "a text"],
)
def test_pairs_become_the_map_they_say(written: object, meant: object) -> None:
    schema = thing(m={"type": "object", "additionalProperties": {"type": "integer"}})
    assert render(schema, "openai", strict=True).restore({"m": written}) == {"m": meant}


def test_what_is_required_and_not_declared_is_declared() -> None:
    schema = {"type": "object", "required": ["a"], "additionalProperties": {"type": "integer"}}
    assert render(schema, "gemini").schema["properties"] == {"a": {"type": "integer"}}
    assert not render({**schema, "additionalProperties": False}, "openai", strict=True).strict


def test_names_that_a_pattern_lets_in_stay_allowed_where_no_pattern_may_be_said() -> None:
    schema = thing(a={"type": "string"}) | {"patternProperties": {"^x_": {"type": "integer"}}}
    sent = render(schema, "gemini").schema
    assert sent["additionalProperties"] == {"type": "integer"}
    assert sent["description"] == '@patternProperties {"^x_": {"type": "integer"}}'


def test_null_means_absent_only_where_null_was_not_a_value() -> None:
    schema = thing(a={"type": "integer"}, b={"type": ["integer", "null"]})
    rendering = render(schema, "openai", strict=True)
    assert rendering.restore({"a": None, "b": None}) == {"b": None}
    assert rendering.apply({}) == {"a": None, "b": None}
    assert [loss.path for loss in rendering.losses] == ["$input.b"]


def test_a_name_that_was_given_is_taken_for_it_where_any_name_fits() -> None:
    named = thing(**{"c d": {"type": "integer"}}) | {"required": ["c d"]}
    rendering = render(thing(u={"anyOf": [{"type": "object"}, named]}), "anthropic")
    assert rendering.apply({"u": {"c d": 1}}) == {"u": {"c_d": 1}}
    assert rendering.restore({"u": {"c_d": 1}}) == {"u": {"c d": 1}}
    deep = render(thing(u={"anyOf": [{"type": "object"}, thing(v=named)]}), "anthropic")
    assert deep.restore({"u": {"v": {"c_d": 1}}}) == {"u": {"v": {"c d": 1}}}


def test_references_in_a_circle_change_nothing() -> None:
    definitions = {"N": {"$ref": "#/$defs/M", "minProperties": 1}, "M": {"$ref": "#/$defs/N"}}
    schema = thing(**{"a b": {"$ref": "#/$defs/N"}}) | {"$defs": definitions}
    assert render(schema, "anthropic").restore({"a_b": {"x": 1}}) == {"a b": {"x": 1}}


def test_a_definition_and_what_stands_beside_its_reference_are_renamed_together() -> None:
    named = {"type": "object", "properties": {"b c": {"type": "integer"}}, "required": ["b c"]}
    beside = {"$ref": "#/$defs/N", "properties": {"a b": {"type": "integer"}}, "required": ["a b"]}
    schema = thing(x=beside, y={"$ref": "#/$defs/N"}) | {"$defs": {"N": named}}
    rendering = render(schema, "anthropic")
    value = {"x": {"a b": 1, "b c": 2}, "y": {"b c": 3}}
    assert rendering.apply(value) == {"x": {"a_b": 1, "b_c": 2}, "y": {"b_c": 3}}
    assert rendering.restore(rendering.apply(value)) == value


def test_a_name_that_the_vendor_refuses_has_another_in_order() -> None:
    names = ["a b", "a.b", "a-b", "a/b", "a:b", "ab", "ü" * 80]
    rendering = render(thing(**{name: {"type": "null"} for name in names}), "gemini-schema")
    given = ["a_b", "a_b_2", "a_b_3", "a_b_4", "a_b_5", "ab", "_" * 60]
    assert list(rendering.schema["properties"]) == given
    assert rendering.restore(rendering.apply(dict.fromkeys(names, None))) == dict.fromkeys(names)
    assert list(violations(rendering.schema, DIALECTS["gemini-schema"].profile)) == []
    rendering.schema["properties"].clear()  # a fresh copy each time
    assert rendering.schema["properties"]


def test_anthropic_has_no_alternatives_at_the_root_and_is_told_of_them() -> None:
    schema = thing(a={"type": "string"}, b={"type": "string"})
    schema |= {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    rendering = render(schema, "anthropic")
    assert "anyOf" not in rendering.schema
    assert rendering.schema["description"] == '@anyOf [{"required": ["a"]}, {"required": ["b"]}]'


def test_a_tree_is_unrolled_where_no_reference_may_stand() -> None:
    tree = thing(
        name={"type": "string"}, children={"type": "array", "items": {"$ref": "#/$defs/T"}}
    )
    rendering = render(thing(t={"$ref": "#/$defs/T"}) | {"$defs": {"T": tree}}, "gemini-schema")
    assert "$ref" not in json.dumps(rendering.schema)
    assert {loss.keyword for loss in rendering.losses} >= {"$ref"}


def nested(levels: int) -> dict[str, object]:
    return thing(a=nested(levels - 1)) if levels > 1 else thing(a={"type": "string"})


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        pytest.param(lambda more: nested(10 + more), "levels", id="levels"),
        pytest.param(
            lambda more: thing(a={"enum": [f"e{n}" for n in range(999 + more)]}),
            "enum",
            id="values of enums, null among them",
        ),
        pytest.param(
            lambda more: thing(a={"enum": [f"{n:060}" for n in range(249 + more * 2)]}),
            "enum",
            id="letters of one enum",
        ),
        pytest.param(
            lambda more: thing(**{"a" * (119_999 + more): {"const": "b"}}),
            "properties",
            id="letters of names and values",
        ),
        pytest.param(
            lambda more: thing(**{f"p{n}": {"type": "null"} for n in range(5_000 + more)}),
            "properties",
            id="properties",
        ),
    ],
)
def test_a_function_beyond_a_limit_of_strict_mode_is_not_strict(
    schema: Callable[[int], dict[str, object]], keyword: str
) -> None:
    assert render(schema(0), "openai", strict=True).strict
    beyond = render(schema(1), "openai", strict=True)
    assert not beyond.strict
    assert beyond.losses[0] == Loss(path="$input", keyword=keyword, how="refused")


@pytest.mark.parametrize("name", ["opnai", "", None, 3])
def test_an_unknown_dialect_is_refused_with_the_close_names(name: object) -> None:
    with pytest.raises(DefinitionError, match=r"openai"):
        render(thing(), name)  # type: ignore[arg-type]


def test_every_row_says_where_it_is_from_and_when() -> None:
    for row in DIALECTS.values():
        for profile in filter(None, (row.profile, row.strict)):
            assert profile.source
            assert profile.date >= "2026"
