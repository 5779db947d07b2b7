"""Hostile documents: T30, references that lead outside, and T31, references without end."""

import json
import socket
from collections.abc import Iterator

import pytest
from clock import at_most
from hostile import ANSWER, BODY, OPERATION, use, with_reference
from watched import watched

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.sources.openapi.reader import read_document

REFERENCES = [
    "http://127.0.0.1:{port}/x",
    "http://127.0.0.1:{port}/x#/components/schemas/X",
    "https://127.0.0.1:{port}/x",
    "//127.0.0.1:{port}/x",
    "//h/x",
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "../../x.yaml",
    "x.yaml#/X",
    "/etc/passwd",
    "jar:file:/x!/y",
    "data:application/json,{{}}",
]

SKIPPED = {
    "path item": (("paths", "/a/{id}"), None),
    "operation": (OPERATION, None),
    "parameter": ((*OPERATION, "parameters", 1), None),
    "parameter's schema": ((*OPERATION, "parameters", 1, "schema"), None),
    "request body": ((*OPERATION, "requestBody"), None),
    "media type": (BODY, None),
    "schema": ((*BODY, "schema"), None),
    "property": ((*BODY, "schema", "properties", "p"), None),
    "allOf": ((*BODY, "schema", "allOf"), ["$ref"]),
}
"""Where an external reference makes a call impossible."""

KEPT = {
    "response": (ANSWER, None),
    "output": ((*ANSWER, "content", "application/json", "schema"), None),
    "response header": ((*ANSWER, "headers"), {"X": "$ref"}),
    "link": ((*ANSWER, "links"), {"l": "$ref"}),
    "operationRef": ((*ANSWER, "links"), {"l": {"operationRef": "$text"}}),
    "callback": ((*OPERATION, "callbacks"), {"c": "$ref"}),
    "example": ((*OPERATION, "parameters", 1, "examples"), {"e": "$ref"}),
    "externalValue": ((*OPERATION, "parameters", 1, "examples"), {"e": {"externalValue": "$text"}}),
    "encoding's header": ((*BODY, "encoding"), {"p": {"headers": {"h": "$ref"}}}),
    "discriminator": (
        (*BODY, "schema", "discriminator"),
        {"propertyName": "p", "mapping": {"a": "$text"}},
    ),
    "$dynamicRef": ((*BODY, "schema", "properties", "p"), {"$dynamicRef": "$text"}),
    "$schema": ((*BODY, "schema", "$schema"), "$text"),
    "$id": ((*BODY, "schema", "$id"), "$text"),
    "$self": (("$self",), "$text"),
    "jsonSchemaDialect": (("jsonSchemaDialect",), "$text"),
    "externalDocs": (("externalDocs",), {"url": "$text"}),
    "security scheme": (("components", "securitySchemes", "k"), None),
    "unused schema": (("components", "schemas", "X"), None),
    "webhook": (("webhooks",), {"w": "$ref"}),
}
"""Where it is of no use, and all that it says is left out."""


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """What is loaded when it is first needed."""
    for place, form in {**SKIPPED, **KEPT}.values():
        use(with_reference(place, form, "#/components/schemas/X"))


@pytest.fixture
def port() -> Iterator[int]:
    """A port on which somebody would notice a connection, whoever makes it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server.getsockname()[1]
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.audited
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("where", [*SKIPPED, *KEPT])
def test_T30_an_external_reference_is_followed_nowhere(
    port: int, where: str, reference: str
) -> None:
    reference = reference.format(port=port)
    place, form = {**SKIPPED, **KEPT}[where]
    document = with_reference(place, form, reference)
    text = json.dumps(document)
    with watched() as events:
        readings = [use(document), use(text)]
    assert events == []
    for reading in readings:
        names = [function.name for function in reading.functions]
        skipped = [each for each in reading.skipped if "webhook" not in each.where]
        if where in SKIPPED:
            assert names == ["b_get"]
            assert [each.where for each in skipped] in (["POST /a/{id}"], ["/a/{id}"])
            assert reference in skipped[0].reason
            assert skipped[0].pointer == "/paths/~1a~1{id}" + (
                "" if where == "path item" else "/post"
            )
        else:
            assert names == ["a_postById", "b_get"]
            assert skipped == []
        if where in ("response", "output"):
            assert any(reference in note.text for note in reading.functions[0].notes)
            assert reading.functions[0].output is None


def test_T30_with_on_skip_it_is_an_error_that_names_the_reference_and_the_operation() -> None:
    document = with_reference((*BODY, "schema"), None, "http://127.0.0.1:1/x")
    with pytest.raises(DocumentError, match=r"POST /a/\{id\}: .*http://127.0.0.1:1/x") as caught:
        read_document(document, on_skip="raise")
    assert caught.value.pointer == "/paths/~1a~1{id}/post"


@pytest.mark.audited
def test_T30_a_resolver_is_asked_for_the_address_and_gives_the_document() -> None:
    asked: list[str] = []

    def resolver(uri: str) -> JsonObject:
        asked.append(uri)
        return {"X": {"type": "integer"}}

    document = with_reference((*BODY, "schema"), None, "https://h.example/x.json#/X")
    with watched() as events:
        reading = use(document, resolver=resolver)
    assert (asked, events) == (["https://h.example/x.json"], [])
    assert "integer" in json.dumps(reading.functions[0].parameters)


def circle(*names: str) -> JsonObject:
    following = dict(zip(names, [*names[1:], names[0]], strict=True))
    schemas = {a: {"$ref": f"#/components/schemas/{b}"} for a, b in following.items()}
    document = with_reference((*BODY, "schema"), None, f"#/components/schemas/{names[0]}")
    return {**document, "components": {"schemas": schemas}}


@pytest.mark.parametrize("names", [("A",), ("A", "B"), tuple(f"S{i}" for i in range(500))])
def test_T31_references_that_only_lead_in_a_circle_are_refused(names: tuple[str, ...]) -> None:
    document = circle(*names)
    with at_most(1):
        reading = use(document)
    assert [each.where for each in reading.skipped] == ["POST /a/{id}"]
    assert "form a cycle" in reading.skipped[0].reason


@pytest.mark.parametrize("keyword", ["properties", "allOf", "anyOf"])
def test_T31_a_diamond_of_2_to_the_30_costs_its_31_schemas(keyword: str) -> None:
    def two(name: str) -> JsonValue:
        both: list[JsonValue] = [{"$ref": f"#/components/schemas/{name}"} for _ in range(2)]
        return {"a": both[0], "b": both[1]} if keyword == "properties" else both

    schemas: dict[str, JsonValue] = {f"S{i}": {keyword: two(f"S{i + 1}")} for i in range(30)}
    schemas["S30"] = {"type": "object", "properties": {"end": {"type": "string"}}}
    document = with_reference((*BODY, "schema"), None, "#/components/schemas/S0")
    with at_most(1):
        reading = use({**document, "components": {"schemas": schemas}})
    assert len(json.dumps(reading.functions[0].parameters)) < 100_000


def test_T31_a_tree_is_a_function_whose_schema_refers_to_itself() -> None:
    tree = {"type": "object", "properties": {"below": {"$ref": "#/components/schemas/T"}}}
    document = with_reference((*BODY, "schema"), None, "#/components/schemas/T")
    function = use({**document, "components": {"schemas": {"T": tree}}}).functions[0]
    assert function.parameters["$defs"] == {
        "T": {"type": "object", "properties": {"below": {"$ref": "#/$defs/T"}}}
    }


def test_T31_schemas_that_all_expand_into_each_other_are_not_expanded() -> None:
    count = 60
    named = [{"$ref": f"#/components/schemas/S{i}"} for i in range(count)]
    schemas: dict[str, JsonValue] = {}
    paths: dict[str, JsonValue] = {}
    for i in range(count):
        others = [{"anyOf": [{"type": "string"}, named[(i * 7 + n * n) % count]]} for n in range(9)]
        schemas[f"S{i}"] = {
            "anyOf": [
                {"type": "object", "properties": {f"p{n}": o for n, o in enumerate(others)}},
                *others,
            ]
        }
        body = {"content": {"application/json": {"schema": named[i]}}}
        paths[f"/s{i}"] = {"post": {"requestBody": body, "responses": {"200": body}}}
    with at_most(3):  # measured: 0.5 s, most of it the copies handed out
        reading = read_document(
            {"openapi": "3.0.3", "paths": paths, "components": {"schemas": schemas}}
        )
        built = [(function.parameters, function.output) for function in reading.functions]
    assert len(built) == count
