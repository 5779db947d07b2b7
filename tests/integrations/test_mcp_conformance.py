"""The specification of tools and elicitation: each rule with its test, or why it has none.

`mcp_musts.json` has the rules in our words, and where each stands in the pages of both revisions.
"""

import asyncio
import json
import tracemalloc
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from linked import missing
from mcp import Client
from mcp_types import ClientCapabilities, ElicitationCapability
from mcp_types import FormElicitationCapability as Form
from mcp_types import UrlElicitationCapability as Url

from pyfunctools import Controller, DefinitionError, Function, function
from pyfunctools.integrations.elicitation import modes_of
from pyfunctools.integrations.mcp import server
from pyfunctools.testing.strategies import fitting

MUSTS = json.loads(Path(__file__).with_name("mcp_musts.json").read_text())
RULES = MUSTS["rules"]
REVISIONS = ("auto", "legacy")


@pytest.mark.parametrize("rule", RULES, ids=[each["id"] for each in RULES])
def test_each_rule_has_a_test_or_a_reason(rule: Any) -> None:
    assert len(rule.get("explained", "")) > 20 or rule["tests"]
    assert missing(rule.get("tests", ())) == []


@pytest.mark.parametrize("page", MUSTS["pages"])
def test_each_must_of_the_pages_is_in_a_rule(page: str) -> None:
    lines = {line for rule in RULES for line in rule["where"].get(page, ())}
    assert sorted(lines) == MUSTS["pages"][page]


def with_client(
    controller: Controller, steps: Callable[[Client], Awaitable[Any]], revision: str
) -> Any:
    async def run() -> Any:
        async with Client(server(controller), mode=revision) as client:
            return await steps(client)

    return asyncio.run(run())


class Shop:
    """A shop."""

    @function
    async def add(self, a: int, b: int) -> int:
        """Add."""
        return a + b


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_server_declares_its_tools(revision: str) -> None:
    async def steps(client: Client) -> Any:
        return client.session.server_capabilities, client.session.instructions

    declared, said = with_client(Controller.from_object(Shop()), steps, revision)
    assert declared.tools.list_changed is True
    assert (declared.resources, declared.prompts, said) == (None, None, "A shop.")


@pytest.mark.parametrize(
    ("declared", "modes"),
    [
        (None, set()),
        (ClientCapabilities(), set()),
        (ClientCapabilities(elicitation=ElicitationCapability()), {"form"}),
        (ClientCapabilities(elicitation=ElicitationCapability(form=Form())), {"form"}),
        (ClientCapabilities(elicitation=ElicitationCapability(url=Url())), {"url"}),
        (
            ClientCapabilities(elicitation=ElicitationCapability(form=Form(), url=Url())),
            {"form", "url"},
        ),
    ],
    ids=["nothing", "none", "empty", "form", "url", "both"],
)
def test_a_client_is_asked_only_in_the_modes_it_declares(declared: Any, modes: Any) -> None:
    assert modes_of(declared) == modes


def test_no_keyword_of_extensions_is_listed() -> None:
    header = {"type": "string", "x-mcp-header": "Authorization", "x-human": False}
    made = Function.from_schema(
        name="f",
        parameters={"type": "object", "properties": {"x": header}},
        output={"type": "object", "properties": {"y": header}},
        handler=lambda **_: {},
    )
    listed = with_client(
        Controller.from_functions([made]), lambda client: client.list_tools(), "auto"
    )
    assert "x-" not in listed.tools[0].model_dump_json()


# What fails elsewhere, as users have told it of other libraries.
RECURSIVE = {
    "$ref": "#/$defs/N",
    "$defs": {"N": {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}}},
}
TREE = {
    "type": "array",
    "items": {"$ref": "#/$defs/T"},
    "$defs": {"T": {"type": "array", "items": {"$ref": "#/$defs/T"}}},
}
TEXTS = {"$ref": "#/$defs/S", "$defs": {"S": {"type": "array", "items": {"type": "string"}}}}
EITHER = {
    "anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}],
    "$defs": {
        "A": {"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]},
        "B": {"type": "object", "properties": {"b": {"const": 2}}, "required": ["b"]},
    },
}


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("output", "value"),
    [
        (RECURSIVE, {"n": {"n": {}}}),
        (TREE, [[[]]]),
        (TEXTS, ["a"]),
        (EITHER, {"b": 2}),
        ({"type": ["object", "null"]}, None),
        ({"type": "integer"}, 0),
        ({"type": "boolean"}, False),
        ({"type": "string"}, ""),
        ({}, {"any": "thing"}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1}),
    ],
    ids=["recursive", "tree", "no object", "either", "null", "0", "false", "empty", "any", "map"],
)
def test_any_output_is_listed_and_arrives(output: Any, value: Any, revision: str) -> None:
    made = Function.from_schema(
        name="f", parameters={"type": "object"}, output=output, handler=lambda **_: value
    )

    async def steps(client: Client) -> Any:
        tool = (await client.list_tools()).tools[0]
        return tool.output_schema, await client.call_tool("f", {})  # which the client checks

    schema, result = with_client(Controller.from_functions([made]), steps, revision)
    wrapped = schema.get("x-fastmcp-wrap-result") is True
    assert result.structured_content == ({"result": value} if wrapped else value)
    assert revision == "auto" or schema["type"] == "object"
    assert "$ref" not in schema  # not at the root


def test_definitions_are_inlined_where_that_costs_little() -> None:
    large = {
        "type": "object",
        "properties": {f"p{n}": {"type": "string", "description": "x" * 50} for n in range(20)},
    }
    many = {
        "type": "object",
        "properties": {f"q{n}": {"$ref": "#/$defs/L"} for n in range(9)},
        "$defs": {"L": large},
    }
    once = {"type": "object", "properties": {"q": {"$ref": "#/$defs/L"}}, "$defs": {"L": large}}

    def listed(schema: Any, inline: bool | None) -> str:
        made = Function.from_schema(name="f", parameters=schema, handler=lambda **_: 1)

        async def run() -> Any:
            async with Client(server(Controller.from_functions([made]), inline=inline)) as client:
                return (await client.list_tools()).tools[0].input_schema

        return json.dumps(asyncio.run(run()))

    assert ["$ref" in listed(each, None) for each in (once, many)] == [False, True]
    assert ["$ref" in listed(many, each) for each in (True, False)] == [False, True]


def test_a_root_union_and_a_map_stay_what_they_are() -> None:
    union = {
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "m": {"type": "object", "additionalProperties": {}},
        },
        "anyOf": [{"required": ["a"]}, {"required": ["m"]}],
    }
    made = Function.from_schema(name="f", parameters=union, handler=lambda **given: given)

    async def steps(client: Client) -> Any:
        schema = (await client.list_tools()).tools[0].input_schema
        wrong = await client.call_tool("f", {})
        return schema, wrong, await client.call_tool("f", {"m": {"k": [1]}})

    schema, wrong, right = with_client(Controller.from_functions([made]), steps, "legacy")
    assert schema["anyOf"] == union["anyOf"]
    assert schema["properties"]["m"] == {"type": "object", "additionalProperties": {}}
    assert (wrong.is_error, right.structured_content) == (True, {"m": {"k": [1]}})


MOST = 60
"""The most functions of a document that are listed: of large ones every n-th."""


@pytest.mark.slow
def test_functions_of_every_document_are_listed_and_get_what_was_sent(shared: Path) -> None:
    count = called = 0
    for path in sorted((shared / "corpus").rglob("*")):
        if path.suffix not in (".json", ".yaml", ".yml"):
            continue
        try:
            document = Controller.from_openapi(path, server="http://127.0.0.1:9")
        except Exception:  # noqa: S112 - a broken document: other tests say how it is refused
            continue
        chosen = [each.name for each in document][:: -(-len(document) // MOST) or 1]
        document = document.select(names=chosen)
        for revision in REVISIONS:

            async def names(client: Client) -> list[str]:
                found, cursor = list[str](), None
                while True:
                    page = await client.list_tools(cursor=cursor)
                    found += [each.name for each in page.tools]
                    if (cursor := page.next_cursor) is None:
                        return found

            assert with_client(document, names, revision) == chosen
        assert not any(each.render("mcp").reshapes for each in document)
        count += len(document)
        sent, got = with_client(*round_of(document), "auto")
        assert got == sent
        called += len(sent)
    assert count > 1_900
    assert called > 0.9 * count


def round_of(document: Controller) -> tuple[Controller, Callable[[Client], Awaitable[Any]]]:
    """Return functions that keep what they get, and steps that send valid arguments to each.

    Without those that want something of a person, and those for which no arguments are found.
    """
    got: dict[str, Any] = {}
    sent: dict[str, Any] = {}
    for each in document:
        with suppress(DefinitionError):
            if each.separated is None and not each.confirm:
                sent[each.name] = fitting(each, "llm", Random(each.name))

    def keeps(name: str) -> Callable[..., str]:
        return lambda **given: got.update({name: given}) or "kept"

    async def steps(client: Client) -> Any:
        for name, value in sent.items():
            await client.call_tool(name, value)
        return sent, got

    return document.replaced({name: keeps(name) for name in sent}), steps


@pytest.mark.slow
def test_ten_thousand_calls_keep_nothing() -> None:
    async def steps(client: Client) -> int:
        async def calls(count: int) -> int:
            for number in range(count):
                await client.call_tool("add", {"a": number, "b": 1})
            return tracemalloc.get_traced_memory()[0]

        tracemalloc.start()
        try:
            before = await calls(500)
            return await calls(10_000) - before
        finally:
            tracemalloc.stop()

    assert with_client(Controller.from_object(Shop()), steps, "auto") < 300_000


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_hundred_calls_at_once(revision: str) -> None:
    async def steps(client: Client) -> Any:
        calls = (client.call_tool("add", {"a": n, "b": 1}) for n in range(100))
        return [each.content[0].text for each in await asyncio.gather(*calls)]  # type: ignore[union-attr]

    told = with_client(Controller.from_object(Shop()), steps, revision)
    assert told == [str(n + 1) for n in range(100)]
