"""The vendors' own types validate the tools, and every message with a result.

pydantic does not look for unknown keys in a TypedDict, nor into `Iterable`: `unknown_keys` does.
"""

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from typed_keys import unknown_keys
from vendor_replies import REPLIES

from pyfunctools.dialects.rendering import render
from pyfunctools.dialects.table import DIALECTS
from pyfunctools.envelopes.envelope import CallResult, ModelCall
from pyfunctools.envelopes.vendors import envelope_of
from pyfunctools.record.file import File
from pyfunctools.sources.openapi.reader import read_document

openai = pytest.importorskip("openai.types")
anthropic = pytest.importorskip("anthropic.types")
genai = pytest.importorskip("google.genai.types")
mistral = pytest.importorskip("mistralai.client.models")
botocore = pytest.importorskip("botocore.session")

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
BARE = {"type": "object", "properties": {}}
FILES = (
    File(b"\x89PNG", "a.png", "image/png"),
    File(b"%PDF", "a b.pdf", "application/pdf"),
    File(b"a,b", "a.csv"),
    File(b"words", "words.txt", "text/plain; charset=utf-8"),
    File(b"\xff", None, "text/plain"),
    File(b"\x00\x01", "model.bin"),
    File(b"GIF8", "a.gif", "image/gif"),
)
CALLS = {
    "plain": ModelCall(id="abc", name="f", arguments="{}"),
    "of a program": ModelCall(
        id="abc", name="f", arguments="{}", caller={"type": "program", "caller_id": "p"}
    ),
}
RESULTS = {
    f"{kind}, {'error' if failed else 'fine'}, {len(files)} files, {len(text)} letters": CallResult(
        id="abc", name="f", text=text, is_error=failed, content=files, call=call
    )
    for kind, call in CALLS.items()
    for failed in (False, True)
    for files in ((), FILES, FILES[:1])
    for text in ("", "Sunny.")
}
VENDORS = ["openai", "openai-responses", "anthropic", "gemini", "gemini-schema", "bedrock"]


@cache
def adapter(hint: Any) -> TypeAdapter[Any]:
    return TypeAdapter(hint)


@cache
def converse() -> Any:
    model = botocore.Session().get_service_model("bedrock-runtime")
    return model.operation_model("Converse").input_shape


def judge(vendor: str, value: Any, what: str) -> None:
    """Raise where a vendor's own types refuse a tool or a message."""
    if vendor.startswith("gemini"):
        kind = genai.FunctionDeclaration if what == "tool" else genai.Content
        kind.model_validate(value)
    elif vendor == "bedrock":
        _judge_converse(value, what)
    else:
        hints = {
            ("openai", "tool"): openai.chat.ChatCompletionToolUnionParam,
            ("openai", "message"): openai.chat.ChatCompletionMessageParam,
            ("openai-responses", "tool"): openai.responses.ToolParam,
            ("openai-responses", "message"): openai.responses.ResponseInputItemParam,
            ("anthropic", "tool"): anthropic.ToolUnionParam,
            ("anthropic", "message"): anthropic.MessageParam,
        }
        adapter(hints[vendor, what]).validate_python(value)
        assert list(unknown_keys(value, hints[vendor, what])) == []


def _judge_converse(value: Any, what: str) -> None:
    from botocore.validate import ParamValidator

    given: Any = {"modelId": "m", "messages": [value] if what == "message" else []}
    if what == "tool":
        given["toolConfig"] = {"tools": [value]}
    report = ParamValidator().validate(given, converse()).generate_report()
    assert report == ""


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("strict", [None, False, True])
@pytest.mark.parametrize("description", ["", "Do it."])
@pytest.mark.parametrize("schema", [SCHEMA, BARE], ids=["with arguments", "without"])
def test_tools_have_the_vendors_type(
    vendor: str, strict: bool | None, description: str, schema: dict[str, Any]
) -> None:
    judge(vendor, envelope_of(vendor).tool("f", description, schema, strict=strict), "tool")


@pytest.mark.slow
@pytest.mark.parametrize("vendor", VENDORS)
def test_functions_of_real_documents_have_the_vendors_type(vendor: str, shared: Path) -> None:
    """Five of every document, as the dialect has them, strict where it can be."""
    row = DIALECTS[vendor]
    with (shared / "corpus" / "manifest.csv").open(newline="") as file:
        names = [each["file"] for each in csv.DictReader(file) if each["version"][0] in "23"]
    for name in names:
        for function in read_document(shared / "corpus" / name).functions[:5]:
            for strict in {False, row.strict is not None}:
                made = render(function.llm, vendor, strict=strict)
                word = made.strict if row.strict else None
                envelope = envelope_of(row.name)
                tool = envelope.tool(function.name, function.description, made.schema, strict=word)
                judge(vendor, tool, "tool")


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("result", RESULTS.values(), ids=list(RESULTS))
def test_results_have_the_vendors_type(vendor: str, result: CallResult) -> None:
    for message in envelope_of(vendor).results([result]):
        judge(vendor, message, "message")


def test_results_have_mistrals_type() -> None:
    for result in RESULTS.values():
        message, *_ = envelope_of("openai").results([result])
        made = mistral.ToolMessage.model_validate(message)
        assert made.model_dump(exclude_unset=True) == message


@pytest.mark.parametrize("vendor", VENDORS)
def test_the_judge_refuses_an_unknown_key(vendor: str) -> None:
    (message,) = envelope_of(vendor).results([RESULTS["plain, fine, 0 files, 6 letters"]])
    with pytest.raises((AssertionError, ValueError)):
        judge(vendor, {**message, "more": 1}, "message")


KNOWN = [
    (vendor, case)
    for vendor in ("openai-responses", "anthropic", "gemini", "bedrock")
    for case in REPLIES[vendor]
    if case != "unknown"
]


@pytest.mark.parametrize(("vendor", "case"), KNOWN)
def test_a_turn_that_is_sent_back_has_the_vendors_type(vendor: str, case: str) -> None:
    for message in envelope_of(vendor).read_turn(REPLIES[vendor][case]).messages:
        judge(vendor, message, "message")


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_has_its_envelope(name: str) -> None:
    tool = envelope_of(name).tool("f", "Do it.", SCHEMA, strict=None)
    assert "f" in json.dumps(tool)
