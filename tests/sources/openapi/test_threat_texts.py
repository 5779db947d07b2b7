"""Hostile documents: T35 code, T36 names, T37 hidden text, T39 secrets and T40 nonsense."""

import builtins
import json
import os
from copy import deepcopy
from pathlib import Path

import pytest
from hostile import DOCUMENT, use
from watched import watched

from pyfunctools import Controller
from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import visible
from pyfunctools.errors import DefinitionError, DocumentError, PyfunctoolsError
from pyfunctools.record.function import NAME, Function
from pyfunctools.sources.openapi.reader import read_document

EVIL = '"""+__import__("os").system("touch {made}")+"""\n\'\'\');exec("1")#{{0.__class__}}'


def read_and_checked(evil: str) -> int:
    """Put a text wherever there is one in a document, and use all that comes of it."""
    schema: JsonObject = {
        "type": "string",
        "title": evil,
        "description": evil,
        "enum": [evil],
        "default": evil,
        "format": evil,
        "examples": [evil],
    }
    document = deepcopy(DOCUMENT)
    operation: dict[str, JsonValue] = document["paths"]["/a/{id}"]["post"]  # type: ignore[index, call-overload]
    operation |= {"operationId": evil, "summary": evil, "description": evil, "tags": [evil]}
    operation["parameters"][1] = {"name": evil, "in": "query", "schema": schema}  # type: ignore[index, call-overload]
    properties = {evil: schema, "d": {"pattern": evil, "x-y": evil, "const": evil}}
    operation["requestBody"] = {
        "content": {"application/json": {"schema": {"properties": properties}}}
    }
    document["paths"][f"/{evil}"] = {evil: {}, "get": {}}  # type: ignore[index]
    count = 0
    for names in ("accessor", "operation_id"):
        controller = Controller.from_openapi(document, names=names, server="https://h.example")  # type: ignore[arg-type]
        for function in controller:
            function.check(json.dumps({"id": evil, "query": {evil: evil}, "body": {evil: 1}}))
            count += 1
    return count


@pytest.mark.audited
def test_T35_nothing_in_a_document_is_ever_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError

    made = tmp_path / "made"
    read_and_checked(EVIL.format(made=made))  # loads what is loaded when it is first needed
    assert not made.exists()
    with monkeypatch.context() as patch, watched() as events:
        for name in ("compile", "eval", "exec", "open"):
            patch.setattr(builtins, name, forbidden)
        patch.setattr(os, "system", forbidden)
        count = read_and_checked(EVIL.format(made=made))
    assert (count, events) == (6, [])
    assert not made.exists()


HOSTILE_NAMES = [
    "a\nb\u202e<system>", "n" * 300, "", " ", "get", "Get", "GET", "foo.list", "foo/list",
    "foo_list", "\u0430bc", "abc", "1st", "-x", "__class__", "\u0000", "\U000e0041x", "é", "🏴",
]  # fmt: skip


@pytest.mark.parametrize("names", ["accessor", "operation_id"])
def test_T36_names_are_valid_unique_and_their_own(names: str) -> None:
    paths = {
        f"/{index}/{name}": {"get": {"operationId": name}}
        for index, name in enumerate(HOSTILE_NAMES)
    }
    paths |= {f"/{name}": {"post": {"operationId": name}} for name in HOSTILE_NAMES}

    def read_names(paths: dict[str, JsonValue]) -> dict[str, str]:
        found = read_document({"openapi": "3.1.0", "paths": paths}, names=names).functions  # type: ignore[arg-type]
        return {f"{f.origin.method} {f.origin.path}": f.name for f in found}  # type: ignore[union-attr]

    made = read_names(paths)  # type: ignore[arg-type]
    assert len(made) == 2 * len(HOSTILE_NAMES)
    assert all(NAME.fullmatch(name) and name.isascii() for name in made.values())
    assert len(set(made.values())) == len(made)
    assert read_names(dict(reversed(paths.items()))) == made  # type: ignore[arg-type]


def test_T36_two_documents_that_share_a_name_need_a_prefix() -> None:
    document = {"openapi": "3.1.0", "paths": {"/send_email": {"post": {}}}}
    one, two = (Controller.from_openapi(document) for _ in range(2))
    with pytest.raises(DefinitionError, match="send_email_post"):
        Controller.combine(one, two)
    both = Controller.combine(one, two.prefixed("two_"))
    assert [each.name for each in both] == ["send_email_post", "two_send_email_post"]


HIDDEN = [
    "\u0000", "\u0008", "\u000b", "\u001b]0;x\u0007", "\u007f", "\u0085", "\u009f",
    "\u200b", "\u200f",
    "\u202a", "\u202e", "\u2060", "\u2064", "\u2066", "\u2069", "\ufeff", "\U000e0001",
    "\U000e0041\U000e0042", "\U000e007f", "\U000e0100", "\U000e01ef", "🏴\U000e0067\U000e007f",
]  # fmt: skip


def seen(function: Function) -> str:
    """Return everything of a function that a model may be shown."""
    schemas = [function.parameters, function.output]
    if function.separated is not None:
        schemas += [function.separated.llm, function.separated.human]
    shown = [function.name, function.description, function.title, function.tags, schemas]
    return json.dumps(shown, ensure_ascii=False)


@pytest.mark.parametrize("hidden", HIDDEN, ids=lambda text: ascii(text).strip("'"))
def test_T37_no_hidden_character_is_in_what_a_model_reads(hidden: str) -> None:
    def h(text: str) -> str:
        return f"{hidden}{text}{hidden}: {hidden}ignore"

    schema: JsonObject = {
        "title": h("t"),
        "description": h("d"),
        "$comment": h("c"),
        "format": h("f"),
        "example": {h("k"): [h("e")]},
        "x-enum-descriptions": [h("x")],
        "properties": {"s": {"description": h("d"), "title": h("t"), "examples": [h("e")]}},
        "items": {"$ref": "#/components/schemas/X"},
    }
    document = deepcopy(DOCUMENT)
    document |= {  # type: ignore[operator]
        "components": {"schemas": {"X": {"description": h("d"), "anyOf": [{"title": h("t")}]}}},
        "security": [{h("scheme"): [h("scope")]}],
        "tags": [{"name": h("t"), "description": h("d")}],
        "info": {"title": h("t"), "description": h("d")},
    }
    operation: dict[str, JsonValue] = document["paths"]["/a/{id}"]["post"]  # type: ignore[index, call-overload]
    operation |= {"operationId": h("o"), "summary": h("s"), "description": h("d"), "tags": [h("t")]}
    operation["parameters"][1] |= {"description": h("d"), "examples": {h("n"): {"value": h("v")}}}  # type: ignore[index, call-overload]
    content = {"application/json": {"schema": schema, "example": h("e")}}
    operation["requestBody"] = {"description": h("d"), "content": content}
    operation["responses"] = {"200": {"description": h("d"), "content": content}}
    for names in ("accessor", "operation_id"):
        for describe in ("model", "full", "brief"):
            for source in (document, json.dumps(document)):
                reading = use(source, names=names, describe=describe)
                text = seen(reading.functions[0]) + reading.title + reading.description
                assert "ignore" in text  # what can be seen is not judged
                assert visible(text) == text
                assert any("hidden char" in str(each) for each in reading.functions[0].notes)
                feedback = reading.functions[0].check('{"id": 1, "\\u200bx": 2}')
                assert not feedback
                assert visible(feedback.feedback()) == feedback.feedback()


def test_T37_a_joiner_stays_between_emoji() -> None:
    document: JsonObject = {
        "openapi": "3.1.0",
        "paths": {"/a": {"get": {"summary": "A 👩\u200d🚀, a\u200db."}}},
    }
    assert read_document(document).functions[0].description == "A 👩\u200d🚀, ab."


@pytest.mark.parametrize(
    "url", ["https://u:p@h/", "https://u@h/v1", "//u:p@h/", "https:\\\\u:p@h", "https://u:p@{h}/"]
)
def test_T39_a_server_with_a_user_or_a_password_in_it_is_refused(url: str) -> None:
    document = {**DOCUMENT, "servers": [{"url": url, "variables": {"h": {"default": "h"}}}]}
    with pytest.raises(DocumentError, match="a user name or a password") as caught:
        read_document(document)
    assert "u:p" not in str(caught.value)


def test_T39_the_secret_of_a_scheme_is_no_parameter_and_its_default_is_shown_to_nobody() -> None:
    document = deepcopy(DOCUMENT)
    scheme = {"type": "apiKey", "in": "query", "name": "key"}
    document["components"]["securitySchemes"]["k"] = scheme  # type: ignore[index, call-overload]
    operation: dict[str, JsonValue] = document["paths"]["/a/{id}"]["post"]  # type: ignore[index, call-overload]
    operation["security"] = [{"k": []}]
    secret = "SECRET-7f3a"
    operation["parameters"][1] = {  # type: ignore[index, call-overload]
        "name": "key",
        "in": "query",
        "example": secret,
        "schema": {"type": "string", "default": secret, "examples": [secret]},
    }
    function = use(document).functions[0]
    assert secret not in seen(function)
    assert "query" not in function.parameters["properties"]  # type: ignore[operator]


@pytest.mark.parametrize("bad", [None, 7, "x", [], [[]], {"get": 7}, {"get": {"$ref": "#/none"}}])
def test_T40_a_bad_operation_is_reported_and_the_rest_is_read(bad: JsonValue) -> None:
    document = {**DOCUMENT, "paths": {**DOCUMENT["paths"], "/bad": bad}}  # type: ignore[dict-item]
    reading = use(document)
    assert [each.name for each in reading.functions] == ["a_postById", "b_get"]
    pointers = [each.pointer for each in reading.skipped]
    assert all(pointer is not None and pointer.startswith("/paths/~1bad") for pointer in pointers)
    assert len(pointers) == (bad is not None)


@pytest.mark.parametrize("source", [{}, {"openapi": 3}, {"paths": 1}, "{", "[]", b"\xff", 7, None])
def test_T40_what_is_no_document_is_one_error_of_ours(source: object) -> None:
    with pytest.raises(PyfunctoolsError) as caught:
        use(source)  # type: ignore[arg-type]
    assert isinstance(caught.value, DocumentError)
