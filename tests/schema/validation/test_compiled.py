import threading
from collections.abc import Callable
from contextvars import ContextVar

import pytest
from stacks import on_stack
from watched import watched

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.validation.compiled import MAX_IN_PLACE, Compiled, with_stack


def compiled(schema: JsonSchema | bool) -> Compiled:
    return Compiled(schema, True, None)


def error_of(schema: JsonSchema | bool) -> SchemaError:
    with pytest.raises(SchemaError) as caught:
        compiled(schema)
    return caught.value


@pytest.mark.parametrize(
    ("schema", "reason", "pointer"),
    [
        ({"type": "int"}, '"int" is no value that "type" may have', "/type"),
        (
            {"properties": {"a/b": {"minimum": "1"}}},
            '"1" is no value that "minimum" may have',
            "/properties/a~1b/minimum",
        ),
        ({"required": ["a", "a"]}, '["a", "a"] is no value that "required" may have', "/required"),
        ({"pattern": "("}, '"(" is no value that "pattern" may have', "/pattern"),
        (
            {"items": {"$ref": "#/$defs/Gone"}},
            "Pointer '/$defs/Gone' does not exist",
            "/items/$ref",
        ),
        ({"const": float("nan")}, "NaN is not JSON", "/const"),
        ({"enum": [1, b"x"]}, "<bytes> is not JSON", "/enum/1"),
        ({"title": "\ud800"}, '"\\ud800" (half of a surrogate pair) is not JSON', "/title"),
        ({"properties": {1: {}}}, "the key 1 is not JSON", "/properties"),
        ("string", 'a schema is an object or a boolean, and this is "string"', None),
        (None, "a schema is an object or a boolean, and this is null", None),
        ([], "a schema is an object or a boolean, and this is []", None),
    ],
)
def test_an_invalid_schema_is_an_error_with_its_place(
    schema: JsonSchema, reason: str, pointer: str | None
):
    error = error_of(schema)
    assert (error.reason, error.pointer) == (reason, pointer)


@pytest.mark.audited
@pytest.mark.parametrize(
    "reference",
    ["http://127.0.0.1:1/x", "https://example.com/a.json#/b", "file:///etc/passwd", "ftp://x/y"],
)
def test_nothing_is_fetched(reference: str):
    compiled({"type": "integer"})
    with watched() as events:
        error = error_of({"properties": {"a": {"$ref": reference}}})
    assert events == []
    assert error.pointer == "/properties/a/$ref"
    assert reference.split("#", maxsplit=1)[0] in error.reason
    assert "resolver" in error.reason


@pytest.mark.parametrize("reference", ["other.json", "../x.json", "#anchor", "//host/x"])
def test_a_dangling_reference_is_an_error(reference: str):
    assert error_of({"properties": {"a": {"$ref": reference}}}).reason


def test_an_unknown_draft_counts_as_2020_12():
    dialect = "https://spec.openapis.org/oas/3.1/dialect/base"
    tuples: JsonSchema = {"$schema": dialect, "prefixItems": [{"type": "integer"}]}
    assert not compiled(tuples).validator.is_valid(["x"])


@pytest.mark.parametrize(
    "resolver", [lambda _: {"type": "int"}, lambda _: b"no schema", lambda a: {}[a]]
)
def test_a_resolver_that_fails_is_a_schema_error(resolver: Callable[[str], JsonValue]):
    with pytest.raises(SchemaError):
        Compiled({"$ref": "https://example.com/a.json"}, True, resolver)


def wrapped(schema: JsonValue, keyword: str, times: int) -> JsonSchema:
    for _ in range(times):
        schema = {keyword: [schema]} if keyword in ("allOf", "anyOf") else {keyword: schema}
    assert isinstance(schema, dict)
    return schema


def chain(length: int, **keywords: JsonValue) -> JsonSchema:
    links: dict[str, JsonValue] = {
        f"D{n}": {"allOf": [{"$ref": f"#/$defs/D{n + 1}"}], **keywords} for n in range(length)
    }
    last: JsonSchema = {"properties": {"c": {"$ref": "#/$defs/D0"}}}
    return {"$ref": "#/$defs/D0", "$defs": {**links, f"D{length}": last}}


def test_a_schema_nested_too_deeply_is_an_error():
    compiled(wrapped({}, "not", 60))
    compiled(wrapped({"type": "null"}, "items", 250))
    assert "256" in error_of(wrapped({"type": "null"}, "items", 256)).reason
    assert "256" in error_of(wrapped({}, "anyOf", 100_000)).reason


@pytest.mark.slow
def test_a_schema_that_contains_itself_is_an_error():
    schema: dict[str, JsonValue] = {"type": "object"}
    schema["properties"] = {"a": schema, "b": schema}
    assert "256" in error_of(schema).reason


def test_too_many_schemas_for_one_value_are_an_error():
    assert str(MAX_IN_PLACE) in error_of(wrapped({"type": "null"}, "allOf", 65)).reason
    compiled(chain(30))
    assert str(MAX_IN_PLACE) in error_of(chain(33)).reason
    assert str(MAX_IN_PLACE) in error_of(chain(5000)).reason
    compiled(chain(3, unevaluatedProperties=False))
    assert str(MAX_IN_PLACE) in error_of(chain(6, unevaluatedProperties=False)).reason


def test_a_circular_reference_compiles():
    circle: JsonSchema = {"$ref": "#/$defs/A", "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}]}}}
    assert compiled(circle).validator.is_valid(1)


def test_the_deepest_schemas_validate_on_a_small_stack():
    deep: JsonValue = {"z": 1}
    for _ in range(60):
        deep = {"c": deep}
    told: list[bool] = []

    def judge() -> None:
        schemas = [chain(30), chain(3, unevaluatedProperties=False), wrapped({}, "items", 250)]
        told.extend(compiled(schema).validator.is_valid(deep) for schema in schemas)

    on_stack(judge)
    assert told == [True, False, True]


speaker: ContextVar[str] = ContextVar("speaker", default="nobody")


def test_a_call_with_a_larger_stack_is_as_one_without():
    before = threading.stack_size()
    token = speaker.set("somebody")
    assert with_stack(speaker.get) == "somebody"
    speaker.reset(token)
    with pytest.raises(ZeroDivisionError):
        with_stack(lambda: 1 // 0)
    results: list[int] = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(with_stack(lambda: n)))
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == list(range(20))
    assert threading.stack_size() == before
