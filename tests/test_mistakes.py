"""Mistakes of new users: each is a `PyfunctoolsError` with its place and its remedy."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from pyfunctools import (
    Attempts,
    Context,
    Controller,
    DefinitionError,
    File,
    Function,
    Human,
    Limits,
    PendingCall,
    Tickets,
    function,
    function_of,
    human,
    prompt_of,
)

KEY = bytes(32)


class Shop:
    """A shop."""

    @function(tags=["trade"])
    def buy(self, item: str) -> str:
        """Buy something."""
        return item

    @function(confirm=True)
    def send(self, item: str, address: Human[str]) -> str:
        """Send something."""
        return f"{item} to {address}"


def ping(count: int) -> int:
    """Say pong."""
    return count


class Forgotten:
    """An awaitable that was not awaited."""

    def __await__(self) -> Iterator[None]:
        """Wait for nothing."""
        return iter(())


def unhinted(*rest) -> None:  # type: ignore[no-untyped-def]  # pyright: ignore
    """Take anything."""


def marked(pin: human("The PIN")) -> None:  # type: ignore[valid-type]  # pyright: ignore
    """Take a mark for a hint."""


def who(user: Context[str]) -> str:
    """Say who asks."""
    return user


class Selfless:
    """Its method forgot `self`."""

    def add(count: int) -> int:  # noqa: N805  # pyright: ignore
        """Add one."""
        return count + 1


class Bare:
    """Its method takes nothing at all."""

    def now() -> int:  # type: ignore[misc]  # pyright: ignore
        """Return zero."""
        return 0


class Hinted(Shop):
    """Its method hints `self`, under another name."""

    def again(this: Shop, item: str) -> str:  # noqa: N805  # pyright: ignore
        """Buy once more."""
        return this.buy(item)


SHOP = Controller.from_object(Shop())
PING = function_of(ping)
TOOLS = SHOP.tools("openai")
WAITS = SHOP.call("send", {"item": "tea"})
SAID: Any = {"choices": [{"message": {"role": "assistant", "content": "Hello."}}]}


def is_wrong(value: object) -> Any:
    """Return a value that a type checker would refuse there."""
    return value


@pytest.mark.parametrize(
    ("mistake", "where", "remedy"),
    [
        (lambda: Controller(is_wrong(Shop())), "Controller", "from_object"),
        (lambda: Controller(is_wrong([ping])), "Controller", "from_functions"),
        (lambda: Controller.from_functions(is_wrong(ping)), "from_functions", "from_functions(["),
        (lambda: Controller.from_functions(is_wrong(PING)), "from_functions", "from_functions(["),
        (lambda: Controller.from_functions(is_wrong(None)), "from_functions", "from_functions(["),
        (lambda: Controller.from_functions(is_wrong("ping")), "from_functions", "(["),
        (lambda: Controller.combine(is_wrong([SHOP, SHOP])), "combine", "combine(one, other)"),
        (lambda: SHOP.configured(tickets=is_wrong(KEY)), "tickets", "Tickets(key, store="),
        (lambda: SHOP.configured(tickets=is_wrong(Tickets)), "tickets", "Tickets()"),
        (lambda: SHOP.select(names=is_wrong([3])), "select(names)", 'names=["..."]'),
        (lambda: SHOP.select(tags=is_wrong(3)), "select(tags)", 'tags=["..."]'),
        (lambda: SHOP.select(where=is_wrong("buy")), "select(where)", "predicate"),
        (lambda: Tickets(KEY, lifetime=is_wrong("1h")), "Tickets(lifetime)", "seconds"),
        (lambda: Tickets(KEY, lifetime=is_wrong(None)), "Tickets(lifetime)", "seconds"),
        (lambda: Tickets(KEY, lifetime=float("nan")), "Tickets(lifetime)", "seconds"),
        (lambda: Tickets(KEY, lifetime=float("inf")), "Tickets(lifetime)", "seconds"),
        (lambda: Tickets(KEY, store=is_wrong({})), "Tickets(store)", "claim(ticket_id, expires)"),
        (lambda: Attempts(is_wrong("buy")), "Attempts", "controller[name]"),
        (lambda: Attempts(is_wrong(ping)), "Attempts", "function_of"),
        (lambda: Attempts(PING, limit=is_wrong("3")), "Attempts(limit)", "1 or more"),
        (lambda: SHOP.search("buy", limit=0), "search(limit)", "1 or more"),
        (lambda: SHOP.searchable(limit=is_wrong(True)), "searchable(limit)", "1 or more"),
        (lambda: list(SHOP.map([], concurrency=is_wrong(2.5))), "map(concurrency)", "1 or more"),
        (lambda: File(is_wrong("photo.png")), "File(content)", "path.read_bytes()"),
        (lambda: File(is_wrong(Path("a.png"))), "File(content)", "path.read_bytes()"),
        (lambda: File(is_wrong(None)), "File(content)", "path.read_bytes()"),
        (lambda: File(b"x", filename=is_wrong(Path("a.png"))), "File(filename)", ""),
        (lambda: PING.validate({}, is_wrong("model")), "validate(side)", '"llm"'),
        (lambda: SHOP.prefixed(is_wrong(None)), "prefixed", 'prefixed("shop_")'),
        (lambda: Controller.from_object(None), "from_object", "an instance of your class"),
        (lambda: Controller.from_object([Shop()]), "from_object", "an instance of your class"),
        (
            lambda: Controller.from_object(Shop(), limits=Limits(deadline=0.5)),
            "limits",
            "Write `Limits(call=0.5)`.",
        ),
        (lambda: Controller.from_object(ping), "from_object", "from_functions"),
        (lambda: Controller.from_functions([unhinted]), "unhinted(*rest)", "`*rest: str`"),
        (lambda: function_of(marked), "marked(pin)", "Annotated[..., human(...)]"),
        (lambda: Controller.from_object(Selfless(), all=True), "Selfless.add", "`self`"),
        (lambda: Controller.from_object(Bare(), all=True), "Bare.now", "`self`"),
        (lambda: SHOP.call(is_wrong(SHOP["buy"]), {}), "call(name)", "function.name"),
        (lambda: SHOP.call(is_wrong(len), {}), "call(name)", "function.name"),
        (lambda: Controller.from_functions([who]).call("who"), "who(user)", "`--context`"),
        (lambda: SHOP.resume(is_wrong(WAITS)), "resume(ticket)", "outcome.waiting.ticket"),
        (lambda: SHOP.resume(is_wrong(WAITS.waiting)), "resume(ticket)", "outcome.waiting.ticket"),
        (lambda: TOOLS.resume(is_wrong("{}"), {}), "resume(turn)", "json.loads"),
        (lambda: TOOLS.resume(TOOLS.run(SAID), is_wrong([])), "resume(answers)", "{call_id:"),
        (lambda: TOOLS.run(iter([])), "tools.run(response)", "tools.reading()"),
        (lambda: TOOLS.run(Forgotten()), "tools.run(response)", "Await it"),
        (lambda: TOOLS.run({"error": {}}), "tools.run(response)", "whole response"),
        (lambda: SHOP.prompt().run(is_wrong(Forgotten())), "prompt.run(response)", "Await it"),
        (lambda: TOOLS.run(SAID["choices"][0]), "tools.run(response)", "whole response"),
        (lambda: SHOP.tools("claude-opus-5"), "dialect", "Write 'anthropic'."),
        (lambda: SHOP.tools("gpt-5"), "dialect", "Write one of 'openai', "),
        (lambda: SHOP.tools("gpt-oss-120b"), "dialect", "Write 'gpt-oss'."),
        (lambda: SHOP.tools("openai-response"), "dialect", "'openai-responses'"),
        (lambda: SHOP.tools(is_wrong(None)), "dialect", "'bedrock'"),
        (lambda: SHOP.tools(is_wrong(httpx)), "dialect", "'bedrock'"),
        (lambda: SHOP.tools(is_wrong(ModuleType("openai"))), "dialect", "Write 'openai'."),
        (lambda: SHOP.tools(is_wrong(ModuleType("google.genai"))), "dialect", "Write 'gemini'."),
        (lambda: TOOLS.choice("auto"), "tools.choice", "leave `choice` out"),
        (lambda: TOOLS.choice("required"), "tools.choice", 'choice("any")'),
        (lambda: TOOLS.choice([]), "tools.choice", 'choice("none")'),
        (lambda: TOOLS.choice(is_wrong(None)), "choice(which)", 'which=["..."]'),
        (lambda: TOOLS.choice(is_wrong([5])), "choice(which)", 'which=["..."]'),
        (lambda: SHOP.searchable(keep=is_wrong(5)), "searchable(keep)", 'keep=["..."]'),
        (lambda: SHOP.tools(search=True, keep=is_wrong(5)), "tools(keep)", 'keep=["..."]'),
        (lambda: SHOP.signatures(is_wrong(5)), "signatures(names)", 'names=["..."]'),
        (lambda: SHOP.response_format({"type": "object"}), "response_format", "Pass a type"),
        (lambda: SHOP.response_format("missing"), "response_format", "Pass a type"),
        (lambda: prompt_of(is_wrong(None)), "prompt_of", "[function]"),
        (lambda: prompt_of(is_wrong(PING)), "prompt_of", "[function]"),
    ],
)
def test_a_mistake_is_an_error_with_its_place_and_its_remedy(
    mistake: Callable[[], object], where: str, remedy: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        mistake()
    assert raised.value.where == where
    assert remedy in (raised.value.remedy or "")


@pytest.mark.parametrize(
    ("mistake", "remedy"),
    [
        (lambda shop: shop.call("buy", x=1), '`call(name, {"x": ...})`'),
        (lambda shop: asyncio.run(shop.acall("buy", x=1)), '`call(name, {"x": ...})`'),
        (lambda shop: shop.call("buy", {"item": "x"}, aprove=True), "Write `approve=`."),
        (lambda shop: shop.resume("ticket", pin=1), '`resume(ticket, {"pin": ...})`'),
        (lambda shop: shop.select(tag="trade"), "Write `tags=`."),
        (lambda shop: shop.select("trade"), "Write `select(tags=..., names=..., "),
        (lambda shop: shop.tools("openai", strct=True), "Write `strict=`."),
        (lambda shop: shop.search(), "Write `search(query, limit=..., rank=...)`."),
        (lambda shop: shop.tools().choice(tool="buy"), "Write `choice(which)`."),
        (lambda shop: shop.from_functions(ping, ping), "Write `from_functions(functions, name="),
    ],
)
def test_a_call_of_another_form_is_told_the_form(
    mistake: Callable[[Any], object], remedy: str
) -> None:
    with pytest.raises(TypeError) as raised:
        mistake(SHOP)
    assert remedy in str(raised.value)
    assert "." not in str(raised.value).partition("()")[0]  # no inner class


@pytest.mark.parametrize(
    ("mistake", "remedy"),
    [
        (lambda: function(tgs=["a"]), "Write `tags=`."),  # type: ignore[call-overload]
        (lambda: Controller.from_openapi(DOCUMENT, sever="x"), "Write `server=`."),  # type: ignore[call-arg]
    ],
)
def test_an_unknown_setting_is_told_the_one_that_was_meant(
    mistake: Callable[[], object], remedy: str
) -> None:
    with pytest.raises(TypeError) as raised:
        mistake()
    assert remedy in str(raised.value)


@pytest.mark.parametrize(
    ("mistake", "reason"),
    [
        (lambda: TOOLS.run({"error": {}}), "This must be a response of 'openai', and its keys are"),
        (lambda: Controller.from_functions([ping]).select(tags="a"), "No function has tags."),
    ],
)
def test_a_mistake_is_told_what_there_is(mistake: Callable[[], object], reason: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        mistake()
    assert reason in raised.value.reason


def test_a_type_error_of_the_users_own_code_is_theirs() -> None:
    def where(_: Function) -> bool:
        raise TypeError("own")

    with pytest.raises(DefinitionError, match="own"):
        SHOP.select(where=where)


def test_self_with_a_hint_and_another_name_is_accepted() -> None:
    assert Controller.from_object(Hinted(), all=True).call("again", {"item": "tea"}).text == "tea"


@pytest.mark.parametrize("given", [True, ["pin"], {"pin": "1234"}])
@pytest.mark.parametrize(
    "opened",
    [
        lambda given: Controller.from_object(Shop(), is_human=given),
        lambda given: Controller.from_functions([ping], is_human=given),
        lambda given: Controller.from_functions([PING], is_human=given),
        lambda given: Controller.from_openapi({"openapi": "3.1.0"}, is_human=given),
        lambda given: function_of(ping, is_human=given),
        lambda given: Function.from_schema(name="f", parameters={}, is_human=given),
    ],
)
def test_an_invalid_predicate_is_refused(opened: Callable[[Any], object], given: object) -> None:
    with pytest.raises(DefinitionError, match="must be a function") as raised:
        opened(given)
    assert raised.value.where == "is_human"


@pytest.mark.parametrize("asked", [{"names": "bu*"}, {"tags": "trade"}])
def test_a_text_selects_like_a_list_with_it(asked: dict[str, Any]) -> None:
    assert [each.name for each in SHOP.select(**asked)] == ["buy"]
    assert len(SHOP.select(tags="trad", allow_empty=True)) == 0


DOCUMENT: dict[str, Any] = {"openapi": "3.1.0", "paths": {}}


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"limits": {"deadline": 1}}, "limits"),
        ({"auth": "SECRET-7f3a"}, "auth"),
        ({"resolver": "schemas/"}, "resolver"),
        ({"client": httpx.Client}, "client"),
    ],
)
def test_a_wrong_setting_is_refused_when_a_document_is_opened(
    settings: dict[str, Any], where: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        Controller.from_openapi(DOCUMENT, **settings)
    assert raised.value.where == where
    assert raised.value.remedy
    assert "SECRET-7f3a" not in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"limits": 3}, "limits"),
        ({"auth": "SECRET-7f3a"}, "auth"),
        ({"is_human": True}, "is_human"),
    ],
)
def test_a_wrong_setting_is_refused_when_an_application_is_opened(
    settings: dict[str, Any], where: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        Controller.from_fastapi(FastAPI(), **settings)
    assert raised.value.where == where
    assert raised.value.remedy


@pytest.mark.parametrize("credential", [None, 3, b"key"])
def test_a_credential_that_is_no_text_is_an_error_with_its_place(credential: Any) -> None:
    document = {
        **DOCUMENT,
        "security": [{"key": []}],
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
        "paths": {"/a": {"get": {"responses": {}}}},
    }
    server = "http://127.0.0.1:9"
    controller = Controller.from_openapi(document, server=server, auth={"key": credential})
    with pytest.raises(DefinitionError, match="must be text") as raised:
        controller.call("a_get", {})
    assert raised.value.where == "auth['key']"


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"human": lambda: {"address": "here"}}, "human"),
        ({"human": lambda ask, *, other: {"address": "here"}}, "human"),
        ({"human": {"address": "here"}, "approve": {"address": "here"}}, "approve"),
        ({"human": {"address": "here"}, "approve": "yes"}, "approve"),
        ({"human": {"address": "here"}, "approve": lambda: True}, "approve"),
    ],
)
def test_an_invalid_human_or_approve_is_a_definition_error(
    given: dict[str, Any], where: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        SHOP.call("send", {"item": "tea"}, **given)
    assert raised.value.where == where
    assert raised.value.remedy
    with pytest.raises(DefinitionError):
        asyncio.run(SHOP.acall("send", {"item": "tea"}, **given))


def test_a_type_error_inside_a_callable_is_an_outcome() -> None:
    def ask(_: PendingCall) -> Any:
        return {"address": "SECRET-7f3a" + is_wrong(3)}

    outcome = SHOP.call("send", {"item": "tea"}, human=ask)
    assert outcome.text == "The person could not be asked (TypeError). Nothing has run."


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("settings", "where", "remedy"),
    [
        ({"parameters": None}, "f", "JSON Schema object"),
        ({"parameters": "{}"}, "f", "JSON Schema object"),
        ({"parameters": 3}, "f", "JSON Schema object"),
        ({"parameters": {"city": TEXT, "days": {"type": "integer"}}}, "f", '"properties": {...}'),
        ({"parameters": {}, "handler": "print"}, "from_schema(handler)", "function that runs"),
        ({"parameters": {}, "name": None}, "None", "a letter"),
        ({"parameters": {}, "name": ""}, "''", "a letter"),
    ],
)
def test_an_invalid_setting_of_from_schema_is_refused_with_a_remedy(
    settings: dict[str, Any], where: str, remedy: str
) -> None:
    written: Any = Function.from_schema
    with pytest.raises(DefinitionError) as raised:
        written(**{"name": "f", **settings})
    assert raised.value.where == where
    assert remedy in (raised.value.remedy or "")
