"""What a model wrote -> the arguments it meant, at once and by the verbs one after the other."""

import copy
import json
import pickle

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema import Failure, Repair, Success, Validator, coerce, parse, separate
from pyfunctools.schema.checker import Checker
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.outline import Outline

NAMES = ["a", "b", "kind", "input"]
LEAVES = st.sampled_from(
    [
        {"type": "integer"},
        {"type": "integer", "minimum": 3},
        {"type": "number", "maximum": 2},
        {"type": "string"},
        {"type": "string", "maxLength": 2, "pattern": "^a"},
        {"type": "string", "format": "date"},
        {"type": ["string", "null"]},
        {"type": "boolean"},
        {"enum": ["a", "b"]},
        {"const": 5},
        {"type": "array", "minItems": 2},
        {"type": "object"},
        {"$ref": "#/$defs/D"},
        {"$ref": "#"},
        {},
        True,
        False,
    ]
)


def tagged(branches: list[JsonSchema], keyword: str) -> JsonSchema:
    return {
        keyword: [
            {
                "type": "object",
                "properties": {**branch, "kind": {"const": f"k{n}"}},
                "required": ["kind"],
            }
            for n, branch in enumerate(branches)
        ]
    }


def composed(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    named = st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    some = st.lists(inner, min_size=1, max_size=3)
    needed = st.lists(st.sampled_from(NAMES), max_size=2, unique=True)
    closed = st.sampled_from([{}, {"additionalProperties": False}, {"minProperties": 2}])
    return st.one_of(
        st.builds(lambda p, r, c: {"type": "object", "properties": p, "required": r, **c},
            named, needed, closed),
        st.builds(lambda s: {"type": "array", "items": s}, inner),
        st.builds(lambda s: {"type": "object", "additionalProperties": s}, inner),
        st.builds(lambda *front: {"prefixItems": list(front), "items": False}, inner, inner),
        st.builds(lambda b: {"anyOf": b}, some),
        st.builds(lambda b: {"allOf": b}, some),
        st.builds(lambda b: {"oneOf": b}, some),
        st.builds(tagged, st.lists(named, min_size=2, max_size=3),
            st.sampled_from(["anyOf", "oneOf"])),
        st.builds(lambda s, t: {"if": s, "then": t}, inner, inner),
        st.builds(lambda p: {"properties": p, "unevaluatedProperties": False}, named),
    )  # fmt: skip


SCHEMAS = st.builds(
    lambda root, one: {**root, "$defs": {"D": one}} if isinstance(root, dict) else root,
    st.recursive(LEAVES, composed, max_leaves=8),
    st.recursive(LEAVES, composed, max_leaves=4),
)
SCALARS = st.sampled_from(
    [None, True, 0, 5, 0.5, 42.0, "", "a", "abc", "5", "k0", "k1", "K1", '{"a": 1}', "[1]", "null"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*NAMES, "x", "arguments"]), inner, max_size=4)
        | st.builds(lambda k, v: {"kind": k, "a": v}, st.sampled_from(["k0", "k1", "k9"]), inner)
    ),
    max_leaves=8,
)


def is_schema(schema: JsonValue) -> bool:
    try:
        jsonschema_rs.Draft202012Validator(schema)
    except (ValueError, jsonschema_rs.ReferencingError):
        return False
    return isinstance(schema, dict)


def one_by_one(schema: JsonSchema, text: str) -> Success[JsonValue] | Failure:
    plain = parse(text)
    if (
        plain
        and not plain.repairs
        and isinstance(plain.value, dict)
        and Validator(schema).validate(plain.value, "llm")
        and not Outline(schema).place.misplaced_floats(plain.value)[0]
    ):  # what is right as it is written stays so, though a part could be read as text as well
        return Success(value=plain.value)
    read = parse(text, schema)
    return coerced_and_judged(schema, read.value, read.repairs) if read else read


def coerced_and_judged(
    schema: JsonSchema, value: JsonValue, repairs: tuple[Repair, ...] = ()
) -> Success[JsonValue] | Failure:
    is_blank = value is None or (isinstance(value, str) and not value.strip())
    coerced = coerce(schema, {} if is_blank else value)  # no arguments are none
    repairs = (*repairs, *coerced.repairs)
    judged = Validator(schema).validate(coerced.value, "llm")
    if judged:
        return Success(value=judged.value, repairs=repairs)
    return Failure(value=judged.value, issues=judged.issues, repairs=repairs)


def seen(result: Success[JsonValue] | Failure) -> str:
    """Return what two results must share; of what is no object the checker says which to send."""
    if not result and not isinstance(result.value, dict):
        return repr((result.value, result.repairs))
    return repr(result)


@pytest.mark.slow
@given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=3))
@settings(max_examples=700, deadline=None, suppress_health_check=list(HealthCheck))
def test_it_answers_as_the_verbs_do_one_after_the_other(
    schema: JsonSchema, values: list[JsonValue]
) -> None:
    try:
        schema = normalize(schema)
    except SchemaError:  # references that lead in a circle, say
        return
    if not is_schema(schema):
        return
    checker = Checker(Validator(schema))
    for value in [*values, values[0]]:
        text = json.dumps(value)
        assert seen(checker.check(text)) == seen(one_by_one(schema, text))
        if not isinstance(value, str):
            given_value = checker.check(value)
            assert seen(given_value) == seen(coerced_and_judged(schema, value))


CALL: JsonSchema = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 1},
        "price": {"type": "string"},
        "pet": tagged([{"a": {"type": "integer"}}, {"a": {"type": "string"}}], "oneOf"),
    },
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"n": 1}', {"n": 1}),
        ('{"n": 2.0}', {"n": 2}),
        ('{"n": "3"}', {"n": 3}),
        ('{"n": 3, "price": 1.10}', {"n": 3, "price": "1.10"}),
        ('{"arguments": {"n": 4}}', {"n": 4}),
        ('{"n": 5, "pet": "{\\"kind\\": \\"k0\\", \\"a\\": \\"1\\"}"}',
         {"n": 5, "pet": {"kind": "k0", "a": 1}}),
        ("```json\n{n: 6,}\n```", {"n": 6}),
    ],
)  # fmt: skip
def test_the_arguments_that_were_meant_are_returned(text: str, value: JsonValue) -> None:
    checker = Checker(Validator(CALL))
    for written in (text, text.encode()):
        result = checker.check(written)
        assert result.unwrap() == value
        assert repr(result.value) == repr(value)


def test_all_issues_are_returned_if_nothing_can_be_repaired() -> None:
    checker = Checker(Validator(CALL))
    result = checker.check('{"pet": {"kind": "k1", "a": 1.5}, "m": 2, "n": 0}')
    assert not result
    assert [issue.path for issue in result.issues] == ["$input.n", "$input.pet.a", "$input.m"]
    assert {issue.side for issue in result.issues} == {"llm"}


def test_a_text_that_ends_inside_its_last_scalar_is_an_issue_unless_allowed() -> None:
    checker = Checker(Validator(CALL))
    cut = checker.check('{"n": 1')
    assert not cut
    assert cut.issues[0].expected == "the whole value: the text ended inside it"
    assert checker.check('{"n": 1', allow_truncated=True).unwrap() == {"n": 1}


def test_an_array_is_taken_by_names() -> None:
    checker = Checker(Validator(CALL), names=("n",))
    assert checker.check("[7]").unwrap() == {"n": 7}
    assert checker.check([8]).unwrap() == {"n": 8}


def test_a_persons_property_is_not_for_the_model() -> None:
    whole: JsonSchema = {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1},
            "pin": {"type": "string", "x-human": True},
        },
        "required": ["n", "pin"],
        "additionalProperties": False,
    }
    separated = separate(whole)
    checker = Checker(separated)
    assert checker.check('{"n": 1}').unwrap() == {"n": 1}
    for text in ('{"n": 1, "pin": "x"}', '{"n": 0}', '{"n": 0, "pin": 1}'):
        result = checker.check(text)
        expected = separated.validate(json.loads(text), "llm")
        assert not result
        assert not expected
        assert result.issues == expected.issues


def test_a_copy_checks_alike() -> None:
    checker = Checker(Validator(CALL))
    for other in (copy.deepcopy(checker), pickle.loads(pickle.dumps(checker))):
        assert repr(other.check('{"n": 0}')) == repr(checker.check('{"n": 0}'))


def test_a_value_that_is_not_json_is_an_issue_and_no_exception() -> None:
    checker = Checker(Validator(CALL))
    for arguments in ("", b"\xff", "\ud800", {"n": float("nan")}, {1: 2}, None, 3):
        assert not checker.check(arguments)  # type: ignore[arg-type]
