"""A document and what it refers to."""

import json
from collections.abc import Mapping

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.sources.openapi.document import Document, Place, Resolver
from pyfunctools.sources.openapi.load import Loaded, load


def document(root: JsonObject, resolver: Resolver | None = None, uri: str = "") -> Document:
    return Document(Loaded(root=root, name="a.json", uri=uri), resolver)


def files(contents: Mapping[str, JsonObject | str | bytes]) -> tuple[Resolver, list[str]]:
    asked: list[str] = []

    def resolver(uri: str) -> JsonObject | str | bytes:
        asked.append(uri)
        return contents[uri]

    return resolver, asked


SCHEMAS: JsonObject = {
    "openapi": "3.1.0",
    "components": {
        "schemas": {
            "A": {"type": "string"},
            "B": {"$ref": "#/components/schemas/A"},
            "C": {"$ref": "#/components/schemas/B", "description": "beside"},
            "Loop": {"$ref": "#/components/schemas/Pool"},
            "Pool": {"$ref": "#/components/schemas/Loop"},
            "Self": {"$ref": "#/components/schemas/Self"},
            "Odd/~name%": {"type": "integer"},
            "Named": {"$anchor": "here", "type": "boolean"},
            "Dynamic": {"$dynamicAnchor": "there", "type": "null"},
            "List": {"allOf": [{"type": "array"}]},
            "Addressed": {
                "$id": "https://example.com/addressed",
                "$defs": {"Inner": {"type": "number"}},
                "properties": {"a": {"$ref": "#/$defs/Inner"}},
            },
        }
    },
    "definitions": {"Old": {"type": "string"}},
}


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("#/components/schemas/A", {"type": "string"}),
        ("#/components/schemas/B", {"$ref": "#/components/schemas/A"}),
        ("#/components/schemas/Odd~1~0name%25", {"type": "integer"}),
        ("#/components/schemas/%41", {"type": "string"}),
        ("#/components/schemas/List/allOf/0", {"type": "array"}),
        ("#here", {"$anchor": "here", "type": "boolean"}),
        ("#there", {"$dynamicAnchor": "there", "type": "null"}),
        ("#", SCHEMAS),
        ("A", {"type": "string"}),
        ("Old", {"type": "string"}),
        ("https://example.com/addressed#/$defs/Inner", {"type": "number"}),
    ],
)
def test_a_reference_inside_the_document_is_followed(reference: str, value: JsonValue) -> None:
    found = document(SCHEMAS)
    assert found.target(reference, found.main).value == value
    assert found.target(reference, found.main) is found.target(reference, found.main)


def test_two_spellings_of_one_place_lead_to_one_place() -> None:
    found = document(SCHEMAS)
    spellings = "#/components/schemas/%41", "#/components/schemas/A"
    assert len({found.target(each, found.main).pointer for each in spellings}) == 1


def test_what_is_only_a_reference_is_followed_to_its_end() -> None:
    found = document(SCHEMAS)
    assert found.end("#/components/schemas/C", found.main).pointer == "/components/schemas/A"
    place = Place({"$ref": "#/components/schemas/B"}, "", found.main)
    assert found.follow(place).value == {"type": "string"}
    plain = Place({"type": "string"}, "", found.main)
    assert found.follow(plain) is plain


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("#/components/schemas/None", "leads nowhere"),
        ("#/components/schemas/List/allOf/1", "leads nowhere"),
        ("#/components/schemas/List/allOf/x", "leads nowhere"),
        ("#/components/schemas/List/allOf/-", "leads nowhere"),
        ("#/components/schemas/List/allOf/" + "9" * 5000, "leads nowhere"),
        ("#/components/schemas/A/type/x", "leads nowhere"),
        ("#nobody", "leads nowhere"),
        ("#/components/schemas/Loop", "leads in a circle"),
        ("#/components/schemas/Self", "leads in a circle"),
        ("other.json", "leads to another document"),
        ("../other.json#/a", "leads to another document"),
        ("/etc/passwd", "leads to another document"),
        ("file:///etc/passwd", "leads to another document"),
        ("http://127.0.0.1:1/x", "leads to another document"),
        ("//h/x", "leads to another document"),
        ("jar:file:x!/y", "leads to another document"),
        ("Nobody", "leads to another document"),
        ("http://[#/a", "is no address"),
        ("http://[", "leads to another document"),
    ],
)
def test_a_reference_that_leads_nowhere_says_so_each_time(reference: str, reason: str) -> None:
    found = document(SCHEMAS)
    for _ in range(2):
        with pytest.raises(DocumentError, match=reason):
            found.end(reference, found.main)


def test_a_chain_of_references_is_followed_a_hundred_times_and_no_further() -> None:
    def chain(length: int) -> Document:
        links: dict[str, JsonValue] = {f"L{i}": {"$ref": f"#/L{i + 1}"} for i in range(length)}
        return document({**links, f"L{length}": {"type": "string"}})

    short, long = chain(100), chain(101)
    assert short.end("#/L0", short.main).value == {"type": "string"}
    with pytest.raises(DocumentError, match="circle"):
        long.end("#/L0", long.main)


def test_another_document_is_asked_for_once_and_by_its_address() -> None:
    resolver, asked = files(
        {
            "schemas/a.yaml": "type: object\nproperties:\n  b: {$ref: ../b.json#/B}\n",
            "b.json": b'{"B": {"type": "string"}, "C": {"$ref": "schemas/a.yaml"}}',
            "c.json": {"D": 1},
        }
    )
    found = document({}, resolver)
    a = found.target("schemas/a.yaml", found.main)
    assert a.resource.uri == "schemas/a.yaml"
    b = found.target("../b.json#/B", a.resource)
    assert b.value == {"type": "string"}
    assert found.end("#/C", b.resource).value == a.value
    assert found.target("c.json#/D", found.main).value == 1
    assert found.target("./b.json#/C", found.main).resource is b.resource
    assert asked == ["schemas/a.yaml", "b.json", "c.json"]


def test_a_document_that_came_from_a_file_knows_its_own_address() -> None:
    found = document({"x": {"$ref": "me.yaml#/y"}, "y": 1}, uri="file:///dir/me.yaml")
    assert found.target("me.yaml#/y", found.main).value == 1
    assert found.target("file:///dir/me.yaml#/y", found.main).resource is found.main
    assert found.is_local("me.yaml#/y")
    assert not found.is_local("you.yaml#/y")
    assert not found.is_local("http://[#/a")


def test_a_document_may_say_its_own_address() -> None:
    root = {"$self": "https://example.com/api", "y": 1}
    resolver, asked = files({"file:///dir/b.json": {"z": 2}})
    found = document(root, resolver, uri="file:///dir/me.yaml")
    for reference in ("https://example.com/api#/y", "api#/y", "me.yaml#/y"):
        assert found.is_local(reference)
        assert found.target(reference, found.main).value == 1
    assert found.target("b.json#/z", found.main).value == 2
    assert asked == ["file:///dir/b.json"]


@pytest.mark.parametrize("own", [7, "", "http://[#", "Should pass"])
def test_an_address_that_is_none_says_nothing(own: JsonValue) -> None:
    found = document({"$self": own, "y": 1})
    assert found.target("#/y", found.main).value == 1
    assert found.is_local("#/y")


def test_a_long_reference_is_shown_in_part() -> None:
    found = document({})
    for reference in ("#/" + "x" * 100_000, "x" * 100_000, "http://[#" + "x" * 100_000):
        with pytest.raises(DocumentError) as caught:
            found.target(reference, found.main)
        assert len(str(caught.value)) < 400


def test_references_in_a_schema_with_an_address_are_its_own_first() -> None:
    found = document(SCHEMAS)
    outer = found.target("#/components/schemas/Addressed", found.main)
    assert isinstance(outer.value, dict)
    inner = found.scope(outer.value, found.main)
    assert inner.uri == "https://example.com/addressed"
    assert found.scope(outer.value, inner) is inner
    assert found.target("#/$defs/Inner", inner).value == {"type": "number"}
    assert found.target("#/components/schemas/A", inner).value == {"type": "string"}
    assert found.scope({"type": "string"}, inner) is inner
    assert found.scope({"$id": 7}, inner) is inner
    assert found.scope({"$id": "#x"}, inner) is inner
    assert found.scope({"$id": "http://["}, inner) is inner


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (KeyError("x"), "The resolver gave nothing for 'x.json': KeyError: 'x'."),
        (RuntimeError("no"), "The resolver gave nothing for 'x.json': RuntimeError: no."),
        (DocumentError("x.json", "Not for you."), "x.json: Not for you."),
        ("{", "This is not JSON"),
        ("[1]\n", "this is a list"),
        (7, "x.json: A int is not a document."),
        (None, "x.json: A NoneType is not a document."),
    ],
)
def test_what_a_resolver_does_wrong_is_an_error_of_ours(answer: object, reason: str) -> None:
    def resolver(_: str) -> JsonObject:
        if isinstance(answer, Exception):
            raise answer
        return answer  # pyright: ignore[reportReturnType]

    found = document({}, resolver)
    with pytest.raises(DocumentError) as caught:
        found.target("x.json", found.main)
    assert reason in str(caught.value)


def test_a_place_below_has_its_pointer() -> None:
    place = Place({}, "/a", document({}).main)
    assert place.below(1, "b").pointer == "/a/b"
    assert place.below(1, "b/c", 0, "~").pointer == "/a/b~1c/0/~0"
    assert place.below(1, "b~").pointer == "/a/b~0"


def test_nothing_is_changed() -> None:
    before = json.dumps(SCHEMAS)
    found = Document(load(SCHEMAS))
    for name in ("A", "B", "C"):
        found.end(f"#/components/schemas/{name}", found.main)
    assert json.dumps(SCHEMAS) == before
