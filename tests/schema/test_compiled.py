import sys
from collections.abc import Callable

import pytest
from stacks import on_stack

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.validation.compiled import MAX_IN_PLACE, Compiled


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
        ({"title": "\ud800"}, '"\\ud800" is not JSON', "/title"),
        ({"properties": {1: {}}}, "the key 1 is not JSON", "/properties"),
        ("string", 'a schema is an object or a boolean, and this is "string"', None),
        (None, "a schema is an object or a boolean, and this is null", None),
        ([], "a schema is an object or a boolean, and this is []", None),
    ],
)
def test_what_is_no_schema_is_refused_with_its_place(
    schema: JsonSchema, reason: str, pointer: str | None
):
    error = error_of(schema)
    assert (error.reason, error.pointer) == (reason, pointer)


@pytest.mark.parametrize(
    "reference",
    ["http://127.0.0.1:1/x", "https://example.com/a.json#/b", "file:///etc/passwd", "ftp://x/y"],
)
def test_nothing_is_fetched(reference: str):
    opened: list[str] = []

    def audit(event: str, _: object) -> None:
        if event in ("open", "socket.connect"):
            opened.append(event)

    compiled({"type": "integer"})
    sys.addaudithook(audit)
    error = error_of({"properties": {"a": {"$ref": reference}}})
    assert opened == []
    assert error.pointer == "/properties/a/$ref"
    assert reference.split("#", maxsplit=1)[0] in error.reason
    assert "resolver" in error.reason


@pytest.mark.parametrize("reference", ["other.json", "../x.json", "#anchor", "//host/x"])
def test_a_reference_that_leads_nowhere_is_refused(reference: str):
    assert error_of({"properties": {"a": {"$ref": reference}}}).reason


def test_an_unknown_draft_counts_as_2020_12():
    dialect = "https://spec.openapis.org/oas/3.1/dialect/base"
    tuples: JsonSchema = {"$schema": dialect, "prefixItems": [{"type": "integer"}]}
    assert not compiled(tuples).validator.is_valid(["x"])


def test_a_resolver_gives_what_lies_outside():
    asked: list[str] = []

    def resolver(address: str) -> JsonValue:
        asked.append(address)
        return {"$defs": {"A": {"type": "integer"}}}

    schema: JsonSchema = {"$ref": "https://example.com/a.json#/$defs/A"}
    whole = Compiled(schema, True, resolver)
    assert whole.validator.is_valid(1)
    assert not whole.validator.is_valid("x")
    assert set(asked) == {"https://example.com/a.json"}


@pytest.mark.parametrize(
    "resolver", [lambda _: {"type": "int"}, lambda _: b"no schema", lambda a: {}[a]]
)
def test_what_a_resolver_does_wrong_is_a_schema_error(resolver: Callable[[str], JsonValue]):
    with pytest.raises(SchemaError):
        Compiled({"$ref": "https://example.com/a.json"}, True, resolver)


def test_a_part_finds_the_whole_by_address():
    whole = compiled(
        {
            "$defs": {
                "a/b c%": {"type": "integer"},
                "Tree": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            },
            "prefixItems": [{"$ref": "#/$defs/Tree"}],
        }
    )
    odd = whole.part({"$ref": whole.address(("$defs", "a/b c%"))})
    assert odd.is_valid(1)
    assert not odd.is_valid("x")
    first = whole.part({"$ref": whole.address(("prefixItems", 0))})
    assert first.is_valid([[[]]])
    assert not first.is_valid([[1]])


def test_a_part_of_a_schema_with_an_address_of_its_own_is_found_there():
    whole = compiled(
        {
            "$id": "https://example.com/root.json",
            "$defs": {"A": {"$ref": "root.json#/$defs/B"}, "B": {"type": "null"}},
        }
    )
    part = whole.part({"$ref": whole.address(("$defs", "A"))})
    assert part.is_valid(None)
    assert not part.is_valid(1)


def test_a_part_that_means_nothing_alone_is_a_schema_error():
    with pytest.raises(SchemaError):
        compiled({}).part({"$ref": "https://example.com/elsewhere"})


@pytest.mark.parametrize(
    ("schema", "alone"),
    [
        ({"$id": "https://example.com/a", "items": {}}, True),
        ({"properties": {"$id": {"type": "string"}}}, True),
        ({"$defs": {"A": {"$id": "https://example.com/a"}}}, False),
    ],
)
def test_a_schema_knows_whether_it_is_one_resource(schema: JsonSchema, alone: bool):
    assert compiled(schema).one_resource is alone


@pytest.mark.parametrize(
    ("draft", "legacy"),
    [
        ("http://json-schema.org/draft-04/schema#", True),
        ("http://json-schema.org/draft-07/schema#", True),
        ("https://json-schema.org/draft/2019-09/schema", False),
        ("https://json-schema.org/draft/2020-12/schema", False),
    ],
)
def test_up_to_draft_7_nothing_beside_a_reference_counts(draft: str, legacy: bool):
    assert compiled({"$schema": draft}).legacy is legacy


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


def test_a_schema_nested_too_deeply_is_refused():
    compiled(wrapped({}, "not", 60))
    compiled(wrapped({"type": "null"}, "items", 250))
    assert "256" in error_of(wrapped({"type": "null"}, "items", 256)).reason
    assert "256" in error_of(wrapped({}, "anyOf", 100_000)).reason


@pytest.mark.slow
def test_a_schema_that_holds_itself_is_refused():
    schema: dict[str, JsonValue] = {"type": "object"}
    schema["properties"] = {"a": schema, "b": schema}
    assert "256" in error_of(schema).reason


def test_too_many_schemas_in_one_place_are_refused():
    assert str(MAX_IN_PLACE) in error_of(wrapped({"type": "null"}, "allOf", 65)).reason
    compiled(chain(30))
    assert str(MAX_IN_PLACE) in error_of(chain(33)).reason
    assert str(MAX_IN_PLACE) in error_of(chain(5000)).reason
    compiled(chain(3, unevaluatedProperties=False))
    assert str(MAX_IN_PLACE) in error_of(chain(6, unevaluatedProperties=False)).reason


def test_references_that_go_in_a_circle_in_one_place_are_no_harm():
    circle: JsonSchema = {"$ref": "#/$defs/A", "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}]}}}
    assert compiled(circle).validator.is_valid(1)


def test_what_may_be_nested_is_judged_on_a_small_stack():
    deep: JsonValue = {"z": 1}
    for _ in range(60):
        deep = {"c": deep}
    told: list[bool] = []

    def judge() -> None:
        schemas = [chain(30), chain(3, unevaluatedProperties=False), wrapped({}, "items", 250)]
        told.extend(compiled(schema).validator.is_valid(deep) for schema in schemas)

    on_stack(judge)
    assert told == [True, False, True]
