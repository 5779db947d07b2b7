"""Places, references, resolvers and other documents."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.limits import Limits
from pyfunctools.sources.openapi.document import (
    Document,
    DocumentPlace,
    DocumentResolver,
    files_under,
)
from pyfunctools.sources.openapi.load import Loaded, load
from pyfunctools.sources.openapi.reader import read_document


def document(root: JsonObject, resolver: DocumentResolver | None = None, uri: str = "") -> Document:
    return Document(Loaded(root=root, name="a.json", uri=uri), resolver)


def files(contents: Mapping[str, JsonObject | str | bytes]) -> tuple[DocumentResolver, list[str]]:
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


def test_a_chain_of_references_is_followed_to_its_end() -> None:
    found = document(SCHEMAS)
    assert found.end("#/components/schemas/C", found.main).pointer == "/components/schemas/A"
    place = DocumentPlace({"$ref": "#/components/schemas/B"}, "", found.main)
    assert found.follow(place).value == {"type": "string"}
    plain = DocumentPlace({"type": "string"}, "", found.main)
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
        ("http://[#/a", "is not an address"),
        ("http://[", "leads to another document"),
    ],
)
def test_a_broken_reference_raises_each_time(reference: str, reason: str) -> None:
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


def test_another_document_is_resolved_once_by_its_address() -> None:
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
    found = document({"x": {"$ref": "me.yaml#/y"}, "y": True}, uri="file:///dir/me.yaml")
    assert found.target("me.yaml#/y", found.main).value is True
    assert found.target("file:///dir/me.yaml#/y", found.main).resource is found.main


def test_a_document_may_say_its_own_address() -> None:
    root = {"$self": "https://example.com/api", "y": True}
    resolver, asked = files({"file:///dir/b.json": {"z": 2}})
    found = document(root, resolver, uri="file:///dir/me.yaml")
    for reference in ("https://example.com/api#/y", "api#/y", "me.yaml#/y"):
        assert found.target(reference, found.main).value is True
    assert found.target("b.json#/z", found.main).value == 2
    assert asked == ["file:///dir/b.json"]


@pytest.mark.parametrize("own", [7, "", "http://[#", "Should pass"])
def test_an_invalid_id_is_ignored(own: JsonValue) -> None:
    found = document({"$self": own, "y": {}})
    assert found.target("#/y", found.main).value == {}
    assert found.has_schema_at("#/y")


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
        (KeyError("x"), "The resolver raised KeyError for 'x.json': 'x'."),
        (RuntimeError("no"), "The resolver raised RuntimeError for 'x.json': no."),
        (DocumentError("x.json", "Not for you."), "x.json: Not for you."),
        ("{", "This is not JSON"),
        ("[1]\n", "this is a list"),
        (7, "x.json: This must be a document, not `int`."),
        (None, "x.json: This must be a document, not `NoneType`."),
    ],
)
def test_an_exception_of_a_resolver_becomes_a_document_error(answer: object, reason: str) -> None:
    def resolver(_: str) -> JsonObject:
        if isinstance(answer, Exception):
            raise answer
        return answer  # pyright: ignore[reportReturnType]

    found = document({}, resolver)
    with pytest.raises(DocumentError) as caught:
        found.target("x.json", found.main)
    assert reason in str(caught.value)


def test_nothing_is_changed() -> None:
    before = json.dumps(SCHEMAS)
    found = Document(load(SCHEMAS))
    for name in ("A", "B", "C"):
        found.end(f"#/components/schemas/{name}", found.main)
    assert json.dumps(SCHEMAS) == before


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "sub").mkdir(parents=True)
    (home / "a b.yaml").write_text("a: 1\n")
    (home / "sub" / "b.json").write_text("{}")
    (tmp_path / "secret.json").write_text("{}")
    (home / "link.json").symlink_to(tmp_path / "secret.json")
    (home / "inside.json").symlink_to(home / "sub" / "b.json")
    return home


def test_files_below_the_directory_are_read(tree: Path) -> None:
    resolver = files_under(tree)
    assert resolver("sub/b.json") == b"{}"
    assert resolver("./sub/../a%20b.yaml") == b"a: 1\n"
    assert resolver("inside.json") == b"{}"
    assert resolver((tree / "sub" / "b.json").as_uri()) == b"{}"
    assert resolver(str(tree / "sub" / "b.json")) == b"{}"
    assert files_under(str(tree))("sub/b.json") == b"{}"


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("../secret.json", "This file is outside"),
        ("sub/../../secret.json", "This file is outside"),
        ("%2e%2e/secret.json", "This file is outside"),
        ("link.json", "This file is outside"),
        ("/etc/passwd", "This file is outside"),
        ("file:///etc/passwd", "This file is outside"),
        ("file://host/etc/passwd", "This is not the address of a file, and only files are read."),
        ("http://127.0.0.1/x", "This is not the address of a file, and only files are read."),
        ("//host/x", "This is not the address of a file, and only files are read."),
        ("jar:file:x!/y", "This is not the address of a file, and only files are read."),
        ("none.json", "This file cannot be read"),
        ("sub", "This file cannot be read"),
        ("a\0b", "This file cannot be read"),
    ],
)
def test_nothing_else_is_read(tree: Path, uri: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        files_under(tree)(uri)


def test_a_file_is_read_no_further_than_a_document_may_be_long(tree: Path) -> None:
    assert files_under(tree, limits=Limits(document=2))("a b.yaml") == b"a: "


def test_the_root_has_to_be_a_directory(tree: Path) -> None:
    with pytest.raises(DocumentError, match="This is not a directory"):
        files_under(tree / "a b.yaml")


def ref(name: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{name}"}


def skipped(
    schemas: JsonObject, schema: JsonValue = None, resolver: DocumentResolver | None = None
) -> str:
    """Return why an operation that takes and returns a schema is skipped."""
    media = {"content": {"application/json": {"schema": ref("A") if schema is None else schema}}}
    operation = {"requestBody": media, "responses": {"200": {"description": "", **media}}}
    root: JsonObject = {
        "openapi": "3.1.0",
        "paths": {"/": {"post": operation}},
        "components": {"schemas": schemas},
    }
    return "".join(entry.reason for entry in read_document(root, resolver=resolver).skipped)


TREE: JsonObject = {"properties": {"left": ref("A"), "right": ref("B")}}


@pytest.mark.parametrize(
    "schemas",
    [
        {"A": {"type": "string"}},
        {"A": TREE, "B": {"items": ref("A")}},
        {"A": {"allOf": [ref("B")]}, "B": {"type": "string"}},
        {"A": {"allOf": [ref("B"), ref("C")]}, "B": True, "C": False},
        {"A": {"$ref": "#/components/schemas/B", "description": "x"}, "B": {"type": "string"}},
        {"A": {"anyOf": [ref("A"), {"type": "string"}]}},
    ],
)
def test_references_to_schemas_inside_the_document_are_sound(schemas: JsonObject) -> None:
    loaded = load({"components": {"schemas": schemas}})
    assert all(map(Document(loaded).has_schema_at, loaded.references))
    assert skipped(schemas) == ""


@pytest.mark.parametrize(
    ("schemas", "reason"),
    [
        ({"A": {"items": ref("none")}}, "'#/components/schemas/none' leads nowhere"),
        ({"A": {"items": ref("B")}, "B": {"not": ref("none")}}, "leads nowhere"),
        ({"A": ref("B"), "B": ref("A")}, "form a cycle"),
        ({"A": {"items": ref("B")}, "B": ref("B")}, "form a cycle"),
        ({"A": {"allOf": [ref("A")]}}, "form a cycle"),
        ({"A": {"items": {"$ref": "b.json"}}}, "leads to another document"),
        ({"A": {"items": ref("B")}, "B": [1]}, "which is not a schema"),
        ({"A": {"items": ref("B")}, "B": "x"}, "which is not a schema"),
        ({"A": {"items": ref("B"), "not": ref("none")}, "B": ref("C"), "C": True}, "nowhere"),
    ],
)
def test_an_operation_that_reaches_a_broken_reference_is_skipped(
    schemas: JsonObject, reason: str
) -> None:
    assert reason in skipped(schemas)
    assert skipped(schemas, True) == ""


def test_a_wide_and_deep_graph_takes_no_time() -> None:
    schemas: dict[str, JsonValue] = {
        f"S{i}": {"properties": {"a": ref(f"S{i + 1}"), "b": ref(f"S{i + 1}")}} for i in range(3000)
    }
    schemas["S3000"] = {"type": "string"}
    schemas["Bad"] = ref("none")
    assert skipped(schemas, ref("S0")) == ""
    schemas["S3000"] = ref("Bad")
    assert "leads nowhere" in skipped(schemas, ref("S0"))
