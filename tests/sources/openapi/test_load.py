"""Loading a document from a mapping, a path, text or bytes, and its version."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from clock import at_most
from stacks import on_stack

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError, MissingExtraError
from pyfunctools.limits import Limits
from pyfunctools.sources.openapi.load import check_version, is_nested_deeper, load, load_content
from pyfunctools.sources.openapi.reader import read_document


@pytest.mark.parametrize("version", ["3.0.0", "3.1.1", "3.2.0", "3.0", 3.1, "3.0.0-rc1", " 3.0.3 "])
def test_a_version_that_is_read(version: JsonValue) -> None:
    check_version({"openapi": version, "swagger": "1.2"}, "x")


@pytest.mark.parametrize("version", ["2.0", 2.0])
def test_an_old_version_that_is_read(version: JsonValue) -> None:
    check_version({"swagger": version}, "x")


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        ({"swagger": "1.2"}, "This follows version '1.2' of `swagger`."),
        ({"swaggerVersion": "1.2"}, "version '1.2' of `swaggerVersion`."),
        ({"openapi": "3.3.0"}, "This follows version '3.3.0' of `openapi`."),
        ({"openapi": "4.0.0"}, 'Write the whole version as text: `"openapi": "3.1.0"`'),
        ({"swagger": "1.1"}, "Convert a document of another version."),
        ({"openapi": "2.0"}, "This follows version '2.0' of `openapi`."),
        ({"openapi": "3.1.0x"}, "This follows version '3.1.0x' of `openapi`."),
        ({"swagger": "3.0.0"}, "This follows version '3.0.0' of `swagger`."),
        ({"openapi": 3}, "version '3' of `openapi`. (at /openapi) Write the whole"),
        ({"openapi": None}, "version 'None' of `openapi`."),
        ({"openapi": True}, "version 'True' of `openapi`."),
        ({"swagger": 2}, 'or `"swagger": "2.0"`.'),
        ({"openapi": {"a": 1}}, "of `openapi`."),
        ({}, "among its keys: there are none."),
        ({"asyncapi": "3.0.0", "info": {}}, "among its keys: 'asyncapi', 'info'."),
    ],
)
def test_an_unsupported_version_is_an_error_with_a_remedy(root: JsonObject, reason: str) -> None:
    with pytest.raises(DocumentError) as caught:
        check_version(root, "x")
    assert reason in str(caught.value)


DOCUMENT = {"openapi": "3.1.0", "paths": {}}
TEXT = json.dumps(DOCUMENT)
YAML = "openapi: 3.1.0\npaths: {}\n"


def refusal(source: object, limits: Limits | None = None) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        load(source, limits or Limits())
    return caught.value


@pytest.mark.parametrize(
    "source",
    [
        DOCUMENT,
        TEXT,
        "  \n" + TEXT,
        "\ufeff" + TEXT,
        TEXT.encode(),
        bytearray(TEXT.encode()),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-32"),
        YAML,
        YAML.encode(),
        YAML.encode("utf-16"),
        "{openapi: 3.1.0, paths: {}}",
    ],
    ids=str,
)
def test_a_mapping_text_and_bytes_are_read(source: object) -> None:
    assert load(source).root == DOCUMENT


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.json", TEXT), ("a.yaml", YAML), ("a.yml", TEXT), ("a.json", YAML), ("{a", YAML)],
)
def test_a_file_is_parsed_by_content_not_by_name(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    for source in (path, str(path)):
        loaded = load(source)
        assert loaded.root == DOCUMENT
        assert loaded.uri == path.as_uri()
        assert loaded.name == str(path)


def test_a_mapping_is_copied_and_not_changed() -> None:
    document: dict[str, Any] = {"openapi": "3.1.0", "paths": {"/a": {"get": {}}}}
    before = json.dumps(document)
    root = load(document).root
    assert json.dumps(document) == json.dumps(root) == before
    document["paths"].clear()  # afterwards it is the caller's again
    assert json.dumps(root) == before


def test_every_reference_in_a_document_is_collected() -> None:
    found = load({"a": [{"$ref": "#/x"}], "b": {"$ref": "#/y", "c": {"$ref": 1}}}).references
    assert found == {"#/x", "#/y"}


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "No such file or directory. A text begins with `{` or has several lines; any"),
        ("no/such/file.json", "This cannot be opened: No such file or directory."),
        ("\n", "This is empty."),
        (b"", "the document: This is empty."),
        ("a\0b", "This cannot be opened"),
        ("https://example.com/openapi.json", "This is a URL, and documents are not fetched."),
        (" HTTP://example.com/x", "This is a URL, and documents are not fetched."),
        ("[1]\n", "An OpenAPI document is an object, and this is a list."),
        ("just words\nand more", "and this is the plain value 'just words and more'"),
        ('{"a": 1,,}', "This is not JSON: Expecting property name"),
        ('{"a": NaN}', "JSON has no number NaN."),
        ('{"a": -Infinity}', "JSON has no number -Infinity."),
        ('{"a": 1e999}', "JSON has no number 1e999."),
        ('{"a": ' + "1" * 5000 + "}", "This is not JSON: Exceeds the limit"),
        (b"\xff\xfe\x00", "Byte 2 is not UTF-16."),
        (b'{"a": "\xe1"}', "Byte 7 is not UTF-8. Save it as UTF-8."),
        (7, "This must be a document, not `int`. Pass a mapping"),
        (None, "This must be a document, not `NoneType`."),
        ([DOCUMENT], "This must be a document, not `list`."),
        ("<!DOCTYPE html>\n<html><style>a { b: c }</style></html>", "This is HTML or XML, not an"),
        (b" <html><body>Not found</body></html>", "Save the document itself, JSON or YAML: "),
        ('<?xml version="1.0"?><a/>', "This is HTML or XML, not an OpenAPI document."),
        ({"a": 1j}, "a complex is not a JSON value"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_an_unreadable_source_is_refused_with_the_reason(source: object, reason: str) -> None:
    assert reason in str(refusal(source))


def test_a_directory_is_refused(tmp_path: Path) -> None:
    assert str(refusal(tmp_path)).endswith("This cannot be opened: Is a directory.")


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert "This cannot be opened" in str(refusal(loop))


def test_json_in_a_file_of_json_is_not_read_as_yaml(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"openapi": "3.1.0", "paths": {},}')
    assert "This is not JSON: " in str(refusal(path))


def test_in_json_the_last_of_two_equal_keys_wins() -> None:
    assert load('{"a": 1, "a": 2}').root == {"a": 2}


@pytest.mark.parametrize("source", [TEXT, TEXT.encode()])
def test_the_size_is_read_up_to_the_limit_and_no_further(source: str | bytes) -> None:
    size = len(TEXT)
    assert load(source, Limits(document=size)).root == DOCUMENT
    assert "This is larger than" in str(refusal(source, Limits(document=size - 1)))


def test_the_size_counts_bytes_of_text_and_files(tmp_path: Path) -> None:
    text = '{"a": "é"}'
    assert "larger" in str(refusal(text, Limits(document=len(text))))
    path = tmp_path / "a.json"
    path.write_text(text)
    assert "larger" in str(refusal(path, Limits(document=len(text))))
    assert load(path, Limits(document=len(text) + 1)).root == {"a": "é"}


def nested(levels: int, opening: str, closing: str, inner: str = "1") -> str:
    return opening * levels + inner + closing * levels


@pytest.mark.parametrize(
    "source",
    [
        nested(255, '{"a":', "}", "{}"),
        '{"a":' + nested(255, "[", "]") + "}",
        '{"anyOf":' + nested(127, '[{"anyOf":', "}]", "[]") + "}",
        "a: " + nested(255, "[", "]") + "\n",
    ],
    ids=["objects", "arrays", "both", "yaml"],
)
def test_nesting_is_read_up_to_the_limit_and_no_further(source: str) -> None:
    limits = Limits(document_depth=256)
    assert load(source, limits)
    assert "nested more than 255 deep" in str(refusal(source, Limits(document_depth=255)))
    mapping = load(source, limits).root
    assert load(mapping, limits).root == mapping
    assert "nested more than 255 deep" in str(refusal(mapping, Limits(document_depth=255)))


@pytest.mark.parametrize(
    "source",
    [
        '{"a":' + nested(100_000, "[", "]") + "}",
        nested(100_000, '{"a":', "}"),
        nested(50_000, '{"anyOf":[', "]}"),
        '{"a":' + "[" * 100_000,
        "a: " + "[" * 3_000,
        "a: " + nested(3_000, "[", "]"),
        b"{" + b"[" * 100_000,
    ],
    ids=["arrays", "objects", "anyOf", "open", "yaml", "yaml-closed", "not-json"],
)
def test_hostile_nesting_is_an_error_in_the_smallest_of_threads(source: str | bytes) -> None:
    with pytest.raises(DocumentError):
        load(source)
    with pytest.raises(DocumentError):
        on_stack(lambda: load(source))


@pytest.mark.parametrize(
    ("text", "deeper"),
    [
        ("[" * 10 + "]" * 10, False),
        ("[" * 11 + "]" * 11, True),
        ("[" * 500 + "]" * 500, True),
        ('{"a":' * 11 + "1" + "}" * 11, True),
        ("[" * 11, True),
        ('["' + "[" * 500 + '"]', False),
        ('["\\"' + "[" * 500 + '"]', False),
        ('["\\\\",' + "[" * 10 + "]" * 11, True),
        ("[[],[],[[]]]" * 100, False),
        ('"' + "[" * 100, False),
        ("", False),
    ],
)
def test_brackets_in_strings_do_not_nest(text: str, deeper: bool) -> None:
    assert is_nested_deeper(text, 10) is deeper


@pytest.mark.parametrize("levels", [1000, 1001])
def test_deep_json_is_refused_before_the_parser_recurses(
    levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyfunctools.sources.openapi.load._RECURSES_TOO_DEEP", True)
    assert load(TEXT).root == DOCUMENT
    assert "nested more than" in str(refusal(nested(levels, '{"a":', "}")))


def test_the_nodes_are_counted_up_to_the_limit() -> None:
    text = json.dumps({"a": [1] * 97})
    assert load(text, Limits(document_nodes=99))
    assert "more than 98 nodes" in str(refusal(text, Limits(document_nodes=98)))
    assert "more than 98 nodes" in str(refusal(json.loads(text), Limits(document_nodes=98)))


@pytest.mark.parametrize("times", [1, 2, 9])
@pytest.mark.parametrize("odd", [{}, {200: ()}], ids=["JSON", "copied"])
def test_a_mapping_that_holds_itself_is_refused_at_once(times: int, odd: dict[Any, Any]) -> None:
    document: dict[str, object] = {"openapi": "3.1.0", **odd}
    document["paths"] = [document] * times
    with at_most(0.5):  # it took 2 s to count to 2,000,000 nodes
        assert "nested more than 256 deep" in str(refusal(document))


def test_shared_parts_of_a_mapping_count_each_time() -> None:
    shared: dict[str, object] = {}
    for _ in range(40):
        shared = {"a": shared, "b": shared}
    assert "more than 2000000 nodes" in str(refusal(shared))


def test_yaml_without_its_package_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    monkeypatch.delitem(sys.modules, "pyfunctools.sources.openapi.yaml12", raising=False)
    with pytest.raises(MissingExtraError, match=r"pip install 'pyfunctools-llm\[yaml\]'") as raised:
        load(YAML)
    assert isinstance(raised.value, ImportError)
    assert load(TEXT).root == DOCUMENT
    assert "This is not JSON" in str(refusal("{openapi: 3.1.0}"))


def test_text_of_a_resolver_is_never_a_path(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(TEXT)
    with pytest.raises(DocumentError, match="the plain value"):
        load_content(str(path), "x", "x", Limits())
    assert load_content(TEXT, "x", "file:///x", Limits()).root == DOCUMENT
    assert load_content(TEXT.encode(), "x", "file:///x", Limits()).uri == "file:///x"
    assert load_content(DOCUMENT, "x", "file:///x", Limits()).root == DOCUMENT


def test_an_integer_with_more_digits_than_python_writes_is_an_error() -> None:
    with pytest.raises(DocumentError, match="cannot be written as JSON"):
        load({"openapi": "3.1.0", "x": 10**5000})


@pytest.mark.parametrize("number", ["1" + "0" * 4000, "-" + "9" * 4200])
def test_a_schema_with_a_huge_number_is_an_error_in_every_form(number: str) -> None:
    schema = f'{{"items": {{"enum": [{number}]}}}}'
    body = f'{{"content": {{"application/json": {{"schema": {schema}}}}}}}'
    text = f'{{"openapi": "3.1.0", "paths": {{"/a": {{"post": {{"requestBody": {body}}}}}}}}}'
    for source in (text, json.loads(text), text.replace(number, hex(10**4001))):
        (function,) = read_document(source).functions
        with pytest.raises(DocumentError, match="more than 4,000 digits"):
            _ = function.parameters
