"""Questions that a server of an older revision asks a person in the middle of a call."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ElicitResult
from pydantic import BaseModel

from pyfunctools import Controller, DefinitionError, Limits


class Amount(BaseModel):
    count: int
    note: str = ""


class Nothing(BaseModel):
    pass


def tea_shop() -> MCPServer:
    """Return a server of the SDK whose tools ask a person."""
    made = MCPServer("teas")
    done: list[str] = []

    @made.tool()
    async def order(tea: str, ctx: Context) -> str:
        said = await ctx.elicit(f"How much {tea}?", Amount)
        if said.action != "accept":
            raise ToolError(f"no {tea}: {said.action}")
        done.append(tea)
        return f"{said.data.count} {tea} {said.data.note}".strip()

    @made.tool()
    async def erase(tea: str, ctx: Context) -> str:
        said = await ctx.elicit(f"Erase {tea}?", Nothing)
        return f"{tea}: {said.action}"

    @made.tool()
    async def sign_in(ctx: Context) -> str:
        said = await ctx.elicit_url("Sign in.", "https://x.example/s", "e")
        await ctx.session.send_elicit_complete("another")
        return str(said.action)

    @made.tool()
    async def twice(ctx: Context) -> list[Any]:
        first = await ctx.elicit("First?", Amount)
        second = await ctx.elicit("Second?", Amount)
        return [each.data.count if each.action == "accept" else 0 for each in (first, second)]

    @made.tool()
    def plain(text: str) -> str:
        return text

    return made


def with_shop(steps: Callable[[Controller], Awaitable[Any]], **settings: Any) -> Any:
    """Return the result of steps with the controller of a server of 2025-11-25."""

    async def run() -> Any:
        client = Client(tea_shop(), mode="legacy")
        async with await Controller.from_mcp(client, **settings) as teas:
            assert client.protocol_version == "2025-11-25"
            return await steps(teas)

    return asyncio.run(run())


def order(**given: Any) -> Any:
    return with_shop(lambda teas: teas.acall("order", {"tea": "oolong"}, **given))


async def later(pending: Any) -> Any:
    await asyncio.sleep(0)
    assert (pending.function.name, pending.arguments) == ("order", {"tea": "oolong"})
    (count, note) = pending.questions
    assert (count.path, count.kind, count.required) == ("$input.count", "integer", True)
    return {count.path: "3", note.path: "please"}


@pytest.mark.parametrize(
    ("human", "told"),
    [
        ({"count": "2"}, "2 oolong"),
        ({"$input.count": 2, "note": "soon"}, "2 oolong soon"),
        (lambda pending: {"count": 4}, "4 oolong"),
        (later, "3 oolong please"),
    ],
    ids=["values", "paths", "asked", "asked on the loop"],
)
def test_a_person_answers_in_the_middle_of_the_call(human: Any, told: str) -> None:
    outcome = order(human=human)
    assert (outcome.ok, outcome.text) == (True, told)


def test_a_wrong_answer_is_asked_for_again() -> None:
    seen: list[Any] = []

    def ask(pending: Any) -> Any:
        seen.append(pending.questions[0].problem)
        return {"count": "many" if len(seen) < 3 else 1}

    assert order(human=ask).text == "1 oolong"
    assert (seen[0], len(seen)) == (None, 3)
    assert seen[1:] == ["This must be a whole number."] * 2
    never = order(human=lambda pending: {"count": "many"})
    assert (never.reason, "Count: This must be a whole number." in never.text) == ("declined", True)


@pytest.mark.parametrize(
    ("given", "action", "said"),
    [
        ({}, "cancel", "and nobody was there. A person has to answer the server first. The call"),
        ({"approve": True}, "cancel", "and nobody was there."),
        ({"human": {"count": "many"}}, "cancel", "(Count: This must be a whole number.)"),
    ],
    ids=["nobody", "an approval only", "wrong"],
)
def test_a_question_without_an_answer_is_cancelled(given: Any, action: str, said: str) -> None:
    outcome = order(**given)
    assert (outcome.reason, outcome.waiting) == ("declined", None)  # a ticket would lead nowhere
    words = outcome.text if outcome.value is None else str(outcome.value)  # withheld, if answered
    assert f"no oolong: {action}" in words
    assert said in outcome.text
    assert "The call cannot go on later" in outcome.text
    assert "How much oolong?" not in outcome.text  # the server says it to a person


def test_a_declined_question_fails_as_the_server_decides() -> None:
    outcome = order(human=lambda pending: False)
    assert outcome.is_error
    assert "no oolong: decline" in outcome.text
    assert "nobody" not in outcome.text


@pytest.mark.parametrize(
    ("approve", "action"),
    [(True, "cancel"), (lambda _: True, "accept"), (lambda _: False, "decline"), (None, "cancel")],
    ids=["unseen", "asked", "no", "nobody"],
)
def test_an_empty_form_is_an_approval(approve: Any, action: str) -> None:
    outcome = with_shop(lambda teas: teas.acall("erase", {"tea": "oolong"}, approve=approve))
    assert (outcome.ok, outcome.text) == (True, f"oolong: {action}")


@pytest.mark.parametrize(
    ("human", "action"),
    [({"url": True}, "accept"), ({"url": False}, "decline"), (None, "cancel")],
    ids=["been there", "not there", "nobody"],
)
def test_an_address_is_a_question(human: Any, action: str) -> None:
    assert with_shop(lambda teas: teas.acall("sign_in", {}, human=human)).text == action


def test_a_notice_of_an_unknown_page_is_ignored() -> None:
    steps = lambda teas: asyncio.gather(*(teas.acall("sign_in") for _ in range(3)))  # noqa: E731
    assert [each.text for each in with_shop(steps)] == ["cancel"] * 3


def test_values_answer_the_first_question_only() -> None:
    counts = iter([1, 2])
    asked = lambda teas: teas.acall("twice", {}, human=lambda _: {"count": next(counts)})  # noqa: E731
    given = lambda teas: teas.acall("twice", {}, human={"count": 1})  # noqa: E731
    assert with_shop(asked).value == {"result": [1, 2]}
    assert with_shop(given).value == {"result": [1, 0]}


def test_an_exception_in_asking_is_the_programs() -> None:
    def breaks(pending: Any) -> Any:
        raise ValueError("a secret")

    outcome = order(human=breaks)
    assert (outcome.reason, type(outcome.exception)) == ("raised", ValueError)
    assert "they could not be asked (ValueError)" in outcome.text
    assert "a secret" not in outcome.text
    with pytest.raises(DefinitionError, match="cannot be called with the arguments"):
        order(human=lambda: {"count": 1})


def test_each_question_belongs_to_its_own_call() -> None:
    def ask(pending: Any) -> Any:
        return {"count": len(pending.arguments["tea"])}

    async def steps(teas: Controller) -> Any:
        calls = [teas.acall("order", {"tea": "x" * n}, human=ask) for n in range(1, 9)]
        calls += [teas.acall("plain", {"text": "p"}) for _ in range(8)]
        return await asyncio.gather(*calls)

    outcomes = with_shop(steps)
    assert [each.text for each in outcomes] == [f"{n} {'x' * n}" for n in range(1, 9)] + ["p"] * 8


def test_a_failure_beside_other_calls_is_not_the_persons() -> None:
    async def steps(teas: Controller) -> Any:
        return await asyncio.gather(*(teas.acall("order", {"tea": each}) for each in "ab"))

    for outcome in with_shop(steps):
        assert (outcome.reason, "nobody was there" in outcome.text) == ("raised", True)


def test_the_deadline_waits_for_the_person() -> None:
    async def slow(pending: Any) -> Any:
        await asyncio.sleep(1.6)
        return {"count": 1}

    call = lambda teas: teas.acall("order", {"tea": "x"}, human=slow)  # noqa: E731
    assert with_shop(call, limits=Limits(deadline=1.5)).text == "1 x"


def test_blocking_calls_are_asked_about_though_they_have_all_threads_of_the_loop() -> None:
    async def steps(teas: Controller) -> Any:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
        ask = partial(teas.call, "order", {"tea": "x"}, human=lambda pending: {"count": 1})
        calls = [asyncio.to_thread(ask) for _ in range(4)]
        return await asyncio.wait_for(asyncio.gather(*calls), 60)

    assert [outcome.text for outcome in with_shop(steps)] == ["1 x"] * 4


def test_asking_ends_with_the_call() -> None:
    began, ended = list[str](), list[str]()

    async def ask(pending: Any) -> Any:
        began.append("asks")
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("asked")

    async def steps(teas: Controller) -> Any:
        call = asyncio.create_task(teas.acall("order", {"tea": "x"}, human=ask))
        while not began:
            await asyncio.sleep(0.001)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        while not ended:
            await asyncio.sleep(0.001)
        return await teas.acall("plain", {"text": "on"})

    assert with_shop(steps).text == "on"


USER: ContextVar[str] = ContextVar("user")


def test_a_blocking_call_asks_in_its_own_context() -> None:
    USER.set("Ada")

    async def steps(teas: Controller) -> Any:
        call = lambda: teas.call(  # noqa: E731
            "order", {"tea": "x"}, human=lambda pending: {"count": 1, "note": USER.get()}
        )
        other = lambda: asyncio.run(  # noqa: E731
            teas.acall("order", {"tea": "y"}, human={"count": 2})
        )
        return [(await asyncio.to_thread(each)).text for each in (call, other)]

    assert with_shop(steps) == ["1 x Ada", "2 y"]


def test_the_applications_own_callback_is_left_alone() -> None:
    async def own(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"count": 7})

    async def run() -> Any:
        client = Client(tea_shop(), mode="legacy", elicitation_callback=own)
        async with await Controller.from_mcp(client) as teas:
            return await teas.acall("order", {"tea": "x"}, human={"count": 1})

    assert asyncio.run(run()).text == "7 x"


@pytest.mark.slow
def test_a_server_of_another_process_asks_too(tmp_path: Path) -> None:
    here = Path(__file__)
    run = "from test_mcp_questions import tea_shop; tea_shop().run()"
    program = StdioServerParameters(
        command=sys.executable,
        args=["-c", run],
        env={"PYTHONPATH": f"{here.parent}:{here.parents[3]}"},
        cwd=tmp_path,
    )

    async def steps() -> Any:
        async with await Controller.from_mcp(Client(program, mode="legacy")) as teas:
            return await teas.acall("order", {"tea": "x"}, human={"count": 3})

    assert asyncio.run(steps()).text == "3 x"
