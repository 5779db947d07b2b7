"""Schemas as each vendor takes them: the schema to send, its losses, and the way back."""

import json
from collections.abc import Callable

import pytest
from endpoint_rules import refusals
from profile_rules import violations
from renderings import PROFILES, check_round_trip, thing

from pyfunctools import DefinitionError, Function, Loss
from pyfunctools.dialects.rendering import render
from pyfunctools.dialects.table import DIALECTS
from pyfunctools.schema import normalize

A, B = {"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        pytest.param(
            thing(n={"type": "integer", "multipleOf": 5, "title": "N", "x-y": 1}),
            thing("n", n={"type": ["integer", "null"], "multipleOf": 5}),
            id="unknown keywords are removed, an optional property accepts null",
        ),
        pytest.param(
            thing(n={"type": "string", "maxLength": 5, "description": "Short."}),
            thing("n", n={"type": ["string", "null"], "description": "Short.\n@maxLength 5"}),
            id="a bound without a keyword in strict mode moves into the description",
        ),
        pytest.param(
            thing(n={"enum": ["a", "b"], "default": "a"}),
            thing(
                "n",
                n={
                    "enum": ["a", "b", None],
                    "type": ["string", "null"],
                    "description": "@default a",
                },
            ),
            id="an enum has a type and accepts null",
        ),
        pytest.param(
            thing("m", m={"type": "object", "additionalProperties": {"type": "integer"}}),
            thing(
                "m",
                m={
                    "type": "array",
                    "items": thing(
                        "key", "value", key={"type": "string"}, value={"type": "integer"}
                    ),
                    "description": "A map, as a list of its keys with their values, each key once.",
                },
            ),
            id="a map is a list of pairs",
        ),
        pytest.param(
            thing(
                "p", "q", p={"$ref": "#/$defs/P", "description": "Whose."}, q={"$ref": "#/$defs/P"}
            )
            | {"$defs": {"P": thing(a={"type": "null"})}},
            thing(
                p={"anyOf": [{"$ref": "#/$defs/P"}], "description": "Whose."},
                q={"$ref": "#/$defs/P"},
            )
            | {"required": ["p", "q"], "$defs": {"P": thing("a", a={"type": "null"})}},
            id="a reference has no keyword beside it",
        ),
    ],
)
def test_the_schema_for_strict_openai(schema: dict[str, object], sent: dict[str, object]) -> None:
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
            id="a definition that is used once is inlined, with both descriptions",
        ),
        pytest.param(
            thing(p={"$ref": "#/$defs/P", "description": "Whose."})
            | {"$defs": {"P": {"type": "string", "description": "Whose"}}},
            thing(p={"type": "string", "description": "Whose."}),
            id="equal descriptions are written once",
        ),
        pytest.param(
            schema := thing(p={"$ref": "#/$defs/P"}, q={"$ref": "#/$defs/P"})
            | {"$defs": {"P": thing(a={"type": "string"})}},
            schema,
            id="a definition that is used twice stays",
        ),
        pytest.param(
            schema := thing(p={"$ref": "#/$defs/P", "required": ["a"]})
            | {"$defs": {"P": {"type": "object", "required": ["b"]}}},
            schema,
            id="a bound beside a reference stays beside it",
        ),
        pytest.param(
            schema := thing(p={"$ref": "#/$defs/P"})
            | {"$defs": {"P": thing(p={"$ref": "#/$defs/P"})}},
            schema,
            id="a recursive definition stays",
        ),
        pytest.param(
            thing(a={"oneOf": [{"const": "x", "title": "X"}, {"const": "y"}, {"type": "null"}]}),
            thing(a={"enum": ["x", "y", None]}),
            id="a union of constants is an enum",
        ),
        pytest.param(
            thing(a={"anyOf": [{"type": "string", "const": "x"}, {"type": "null"}]}),
            thing(a={"type": ["string", "null"], "enum": ["x", None]}),
            id="with the type of all branches",
        ),
        pytest.param(
            schema := thing(a={"oneOf": [{"const": 1}, {"const": 1.0}]}),
            schema,
            id="unless two are equal: then no value is valid",
        ),
        pytest.param(
            schema := thing(a={"oneOf": [{"const": "x", "description": "X"}, {"const": "y"}]}),
            schema,
            id="the description of a constant stays with it",
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
            id="unless both have a description",
        ),
        pytest.param(
            thing(a={"const": 1, "enum": [1, "x"]}, b={"const": 2, "enum": ["x"]}),
            thing(a={"const": 1}, b={"not": {}}),
            id="a constant is the only one of the listed values, if it is one",
        ),
        pytest.param(
            schema := thing(a={"type": "null", "anyOf": [{"type": "string"}, {"type": "null"}]}),
            schema,
            id="or there is another bound",
        ),
        pytest.param(
            schema := thing(a={"type": "object", "unevaluatedProperties": False}),
            schema,
            id="closed objects stay closed",
        ),
    ],
)
def test_a_schema_is_simplified(schema: dict[str, object], sent: dict[str, object]) -> None:
    assert render(schema, "mcp").schema == sent


def test_a_list_of_types_becomes_branches_if_type_must_be_one_name() -> None:
    given = {"type": ["string", "integer"], "minimum": 2, "enum": ["a", 3], "description": "D"}
    optional = {"type": "array", "items": {"type": ["string", "null"], "format": "email"}}
    rendering = render(thing("a", a=given, b=optional), "deepseek", strict=True)
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
def test_a_definition_is_not_inlined_if_that_is_too_deep(levels: int, stays: bool) -> None:
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
def test_a_schema_that_strict_mode_cannot_express_is_not_strict(
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
def test_pairs_become_a_map(written: object, meant: object) -> None:
    schema = thing(m={"type": "object", "additionalProperties": {"type": "integer"}})
    assert render(schema, "openai", strict=True).restore({"m": written}) == {"m": meant}


def test_a_required_property_is_declared() -> None:
    schema = {"type": "object", "required": ["a"], "additionalProperties": {"type": "integer"}}
    assert render(schema, "gemini").schema["properties"] == {"a": {"type": "integer"}}
    assert not render({**schema, "additionalProperties": False}, "openai", strict=True).strict


def test_patterns_become_additional_properties_if_they_are_not_allowed() -> None:
    schema = thing(a={"type": "string"}) | {"patternProperties": {"^x_": {"type": "integer"}}}
    sent = render(schema, "gemini").schema
    assert sent["additionalProperties"] == {"type": "integer"}
    assert sent["description"] == '@patternProperties {"^x_": {"type": "integer"}}'


def test_null_means_missing_only_if_null_is_not_valid() -> None:
    schema = thing(a={"type": "integer"}, b={"type": ["integer", "null"]})
    rendering = render(schema, "openai", strict=True)
    assert rendering.restore({"a": None, "b": None}) == {"b": None}
    assert rendering.apply({}) == {"a": None, "b": None}
    assert [loss.path for loss in rendering.losses] == ["$input.b"]


def test_null_that_two_branches_of_a_one_of_accept_is_not_valid() -> None:
    day = {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}
    number = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    rendering = render(thing(a={"oneOf": [day, number]}), "openai", strict=True)
    assert rendering.apply({}) == {"a": None}
    assert rendering.restore({"a": None}) == {}


def test_a_branch_with_a_new_name_wins_over_one_that_accepts_any_name() -> None:
    named = thing("c d", **{"c d": {"type": "integer"}})
    rendering = render(thing(u={"anyOf": [{"type": "object"}, named]}), "anthropic")
    assert rendering.apply({"u": {"c d": 1}}) == {"u": {"c_d": 1}}
    assert rendering.restore({"u": {"c_d": 1}}) == {"u": {"c d": 1}}
    deep = render(thing(u={"anyOf": [{"type": "object"}, thing(v=named)]}), "anthropic")
    assert deep.restore({"u": {"v": {"c_d": 1}}}) == {"u": {"v": {"c d": 1}}}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "keywords",
    [
        pytest.param({"allOf": [A, B]}, id="allOf"),
        pytest.param({"minProperties": 1, "anyOf": [A, B]}, id="a union with keywords beside it"),
        pytest.param({**A, "minProperties": 1}, id="a keyword beside the reference"),
    ],
)
def test_definitions_that_refer_to_each_other_are_written_once_in_a_place(
    profile: str, keywords: dict[str, object]
) -> None:
    within = {"type": "object", "properties": {"p": {"type": "object", **keywords}}}
    name, strict = PROFILES[profile]
    schema = {**thing(**{"a b": A, "c": within}), "$defs": {"A": within, "B": within}}
    check_round_trip(dict(normalize(schema)), name, strict, seed=0)


@pytest.mark.parametrize("dialect", ["gemini-schema", "llama"])
def test_a_small_definition_is_written_in_every_place(dialect: str) -> None:
    small = {**thing("x", x={"type": "integer"})}
    places = {name: {"$ref": "#/$defs/Point"} for name in "abcdefgh"}
    made = render({**thing(**places), "$defs": {"Point": small}}, dialect)
    shown = {str(each) for each in made.schema["properties"].values()}
    assert len(shown) == 1
    assert "integer" in shown.pop()


def test_a_map_beside_a_list_is_json_text_if_nothing_else_tells_them_apart() -> None:
    both = [{"type": "object", "additionalProperties": {"type": "integer"}}, {"type": "array"}]
    rendering = render(thing("v", v={"anyOf": both}), "gemini-schema", strict=True)
    assert rendering.strict
    for value in ({}, [], {"a": 1}, [1]):
        assert rendering.restore(rendering.apply({"v": value})) == {"v": value}


def test_a_map_with_required_names_is_json_text_for_the_older_gemini() -> None:
    named = {"type": "object", "patternProperties": {"^x": {"type": "integer"}}, "required": ["x"]}
    schema = thing(v={**named, "additionalProperties": False})
    check_round_trip(dict(normalize(schema)), "gemini-schema", True, seed=0)
    rendering = render(schema, "gemini-schema", strict=True)
    assert rendering.restore(rendering.apply({"v": {"x": 1}})) == {"v": {"x": 1}}


def test_circular_references_change_nothing() -> None:
    definitions = {"N": {"$ref": "#/$defs/M", "minProperties": 1}, "M": {"$ref": "#/$defs/N"}}
    schema = thing(**{"a b": {"$ref": "#/$defs/N"}}) | {"$defs": definitions}
    assert render(schema, "anthropic").restore({"a_b": {"x": 1}}) == {"a b": {"x": 1}}


def test_what_stands_beside_the_reference_to_a_renamed_definition_is_lost_with_a_reason() -> None:
    named = {"type": "object", "properties": {"b c": {"type": "integer"}}, "required": ["b c"]}
    beside = {"$ref": "#/$defs/N", "properties": {"a b": {"type": "integer"}}, "minProperties": 2}
    schema = thing(x=beside, y={"$ref": "#/$defs/N"}) | {"$defs": {"N": named}}
    rendering = render(schema, "anthropic")
    value = {"x": {"b c": 2}, "y": {"b c": 3}}
    assert rendering.apply(value) == {"x": {"b_c": 2}, "y": {"b_c": 3}}
    assert rendering.restore(rendering.apply(value)) == value
    assert [(loss.keyword, loss.how) for loss in rendering.losses if loss.path == "$input.x"] == [
        ("minProperties", "told"),
        ("properties", "loosened"),
    ]


def test_a_name_that_the_vendor_refuses_has_another_in_order() -> None:
    names = ["a b", "a.b", "a-b", "a/b", "a:b", "ab", "ü" * 80]
    rendering = render(thing(**{name: {"type": "null"} for name in names}), "gemini-schema")
    given = ["a_b", "a_b_2", "a_b_3", "a_b_4", "a_b_5", "ab", "_" * 60]
    assert list(rendering.schema["properties"]) == given
    assert rendering.restore(rendering.apply(dict.fromkeys(names, None))) == dict.fromkeys(names)
    assert list(violations(rendering.schema, DIALECTS["gemini-schema"].profile)) == []
    rendering.schema["properties"].clear()  # a fresh copy each time
    assert rendering.schema["properties"]


def test_alternatives_at_the_root_move_into_the_description_for_anthropic() -> None:
    schema = thing(a={"type": "string"}, b={"type": "string"})
    schema |= {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    rendering = render(schema, "anthropic")
    assert "anyOf" not in rendering.schema
    assert rendering.schema["description"] == '@anyOf [{"required": ["a"]}, {"required": ["b"]}]'


def test_a_tree_is_unrolled_if_no_reference_is_allowed() -> None:
    tree = thing(
        name={"type": "string"}, children={"type": "array", "items": {"$ref": "#/$defs/T"}}
    )
    rendering = render(thing(t={"$ref": "#/$defs/T"}) | {"$defs": {"T": tree}}, "gemini-schema")
    assert "$ref" not in json.dumps(rendering.schema)
    assert {loss.keyword for loss in rendering.losses} >= {"$ref"}


@pytest.mark.parametrize("rest", [{}, {"additionalProperties": {"type": "string"}}])
def test_the_older_gemini_gets_no_object_without_properties(rest: dict[str, object]) -> None:
    schema = thing(a={"type": "object", "required": ["b"], **rest})
    rendering = render(schema, "gemini-schema")
    assert refusals(rendering.schema, "gemini-schema", strict=False) == []
    value = {"a": {"b": "c"}}
    assert rendering.restore(rendering.apply(value)) == value


def nested(levels: int, name: str = "a") -> dict[str, object]:
    below = nested(levels - 1, name) if levels > 1 else {"type": "string"}
    return thing(**{name: below})


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        pytest.param(lambda more: nested(10 + more), "levels", id="levels"),
        pytest.param(lambda more: nested(10 + more, "items"), "levels", id="levels of a keyword"),
        pytest.param(
            lambda more: thing(a={"enum": [f"e{n}" for n in range(999 + more)]}),
            "enum",
            id="values of enums, including null",
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


def test_every_row_has_a_source_and_a_date() -> None:
    for row in DIALECTS.values():
        for profile in filter(None, (row.profile, row.strict)):
            assert profile.source
            assert profile.date >= "2026"


@pytest.mark.parametrize("text", ["", " \n", "{}"])
def test_blank_text_is_an_empty_object_in_every_shape(text: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    function = Function.from_schema(name="f", parameters=schema)
    rendering = function.render("openai", strict=True)
    assert rendering.reshapes
    assert function.check(text, rendering=rendering).value == {}
