"""Every place has one owner, whatever the source, the road and the place where somebody looks.

Random parameters with parts of a model, a person and the program are declared by each kind of
source. The person gives their part on each road; the model tries to give it too. What the function
got is compared, and everything that leaves the process is searched for what may not be told.
"""

import asyncio
import json
import logging
import traceback
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path as File
from random import Random
from typing import Any

import pytest
from frameworks import NAMES, driver
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from mcp import Client
from mcp_types import ElicitResult
from owned_sources import HOWS, SOURCES, Field, Values, leaves, made_by, random_groups, text_of
from roads import reply, texts_of

import pyfunctools
from pyfunctools import Approval, Controller, DefinitionError, Issue, Outcome, PyfunctoolsError
from pyfunctools.execution.runner import Run, Runs
from pyfunctools.execution.wrappers import hooks
from pyfunctools.integrations.mcp import server
from pyfunctools.schema.ground.path import Path

Giver = Callable[[Controller, Values], Awaitable[Any]]
OURS = str(File(pyfunctools.__file__).parent)
"""The folder of the package."""
LOGGER = logging.getLogger("pyfunctools")


# The roads of what a person gives.


async def by_path(c: Controller, v: Values) -> Any:
    return await c.acall("f", v.wrote, human=dict(paths(v.gave, "$input")))


def paths(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the texts of a value by their paths."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from paths(each, f"{path}[{index}]")
    else:
        for name, each in value.items():
            yield from paths(each, f"{path}.{name}")


async def by_stream(c: Controller, v: Values) -> Any:
    return [each async for each in c.astream("f", v.wrote, human=v.gave)]


async def by_ticket(c: Controller, v: Values) -> Any:
    first = await c.acall("f", v.wrote)
    if first.waiting is None:
        return first
    held = [await c.aresume(first.waiting.ticket, v.gave) for _ in range(2)]
    assert (held[1].replayed, held[1].is_error) == (True, held[0].is_error)
    return [first, *held]


async def by_saved_turn(c: Controller, v: Values) -> Any:
    tools = c.tools("openai")
    first = await tools.arun(reply("f", v.wrote))
    if not first.waiting:
        return first
    saved = json.loads(json.dumps(first.save()))
    return [first, await tools.aresume(saved, {"c": v.gave})]


async def by_search(c: Controller, v: Values) -> Any:
    tools = c.searchable().tools("openai")
    first = await tools.arun(reply("call_function", {"name": "f", "arguments": v.wrote}))
    return [first, await tools.aresume(first.save(), {"c": v.gave})]


async def by_edit(c: Controller, v: Values) -> Any:
    asking = c.configured(confirm=True)
    return await asking.acall("f", v.wrote, approve=Approval(human=v.gave))


async def by_prompt(c: Controller, v: Values) -> Any:
    text = json.dumps([{"name": "f", "arguments": v.wrote}])
    return await c.prompt().arun(text, human=lambda _: v.gave)


def by_framework(name: str) -> Giver:
    async def give(c: Controller, v: Values) -> Any:
        made = driver(name, c, [("c", "f", json.dumps(v.wrote))], "done")
        await made.start()
        kept = [repr(made.kept())]
        if made.waiting:
            await made.go_on({"c": v.gave})
            kept.append(repr(made.kept()))
        return [*made.seen, *kept]

    return give


def by_our_server(revision: str) -> Giver:
    async def give(c: Controller, v: Values) -> Any:
        tickets, seen = list[str](), list[str]()

        def page(ticket: str) -> str:
            tickets.append(ticket)
            return "https://shop.example/page"

        async def answer(_: Any, params: Any) -> ElicitResult:
            seen.append(params.model_dump_json())
            if params.mode == "url":
                await c.aresume(tickets[-1], v.gave)
                return ElicitResult(action="accept")
            known = dict(paths(v.gave, "$input"))
            fields = params.requested_schema["properties"]
            return ElicitResult(action="accept", content={n: known[n] for n in fields})

        made = Client(server(c, url=page), mode=revision, elicitation_callback=answer)
        async with made as client:
            listed = await client.list_tools()
            result = await client.call_tool("f", v.wrote)
        return [listed.model_dump_json(), result.model_dump_json(), *seen]

    return give


GIVERS: dict[str, Giver] = {
    "human=": lambda c, v: c.acall("f", v.wrote, human=v.gave),
    "a callable": lambda c, v: c.acall("f", v.wrote, human=lambda _: v.gave),
    "by path": by_path,
    "stream": by_stream,
    "tools.run": lambda c, v: c.tools("openai").arun(reply("f", v.wrote), human=v.gave),
    "prompt.run": by_prompt,
    "resume": by_ticket,
    "tools.resume": by_saved_turn,
    "searchable": by_search,
    "an edit": by_edit,
    **{f"our server, {revision}": by_our_server(revision) for revision in ("auto", "legacy")},
    **{name: by_framework(name) for name in NAMES},
}


# What may be seen.


def shown_to_a_model(c: Controller) -> str:
    lists = [list(c.tools(name)) for name in ("openai", "anthropic", "gemini", "mcp")]
    prompt = c.prompt()
    outputs = [each.output for each in c.functions]
    return json.dumps([lists, prompt.system, prompt.response_schema, outputs, c["f"].llm])


async def texts_of_a_traceback(c: Controller, v: Values) -> list[str]:
    """Return the locals of our frames, after a mistake of the program."""
    with pytest.raises(DefinitionError) as caught:
        await c.acall("f", v.wrote, human=v.gave, approve="yes")  # type: ignore[arg-type]
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    ours = [frame for frame in told.stack if frame.filename.startswith(OURS)]
    return [str(caught.value), *(f"{each.name} {each.locals}" for each in ours)]


class Log(logging.Handler):
    """Everything that is logged."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(f"{record.getMessage()} {vars(record)}")


def arrived_at(fields: list[Field], got: Any) -> Iterator[tuple[Field, Any]]:
    """Yield each text of what a function got, with its field."""
    for each in fields:
        value = got.get(each.name) if isinstance(got, dict) else None
        if not each.wrap:
            yield each, value
            continue
        below = {"list": value, "map": [*value.values()] if isinstance(value, dict) else None}
        for inner in below.get(each.wrap, [value]) or ():
            yield from arrived_at(each.inner, inner)


async def check(seed: int, source: str, road: str) -> None:
    """Check one random function of a source on one road."""
    random, how = Random(seed), HOWS[seed % 3]
    groups = random_groups(random)
    values, fields = Values(groups), [*groups["query"], *groups["body"]]
    others = [each for each in leaves(fields) if each.owner != "own"]
    hidden = [text_of(each) for each in others if how != "returns" or each.is_secret]
    log = Log()
    LOGGER.addHandler(log)
    before = LOGGER.level
    LOGGER.setLevel(logging.DEBUG)
    try:
        async with made_by(source, groups, how, random) as made:
            controller = made.controller.configured(fixed=values.fixed)
            shown = shown_to_a_model(controller)
            named = [each.name for each in others if each.name in shown]
            assert named == []
            assert not any(f"DEFAULT-{each.owner.upper()}" in shown for each in others)
            held = await GIVERS[road](controller, values)
            assert len(made.arrived) == 1, held
            for each, value in arrived_at(groups["query"] + groups["body"], both(made.arrived[0])):
                if "server," in road and each.optional and each.is_secret:
                    continue  # no form asks for it
                assert value == text_of(each), each
            locals_ = await texts_of_a_traceback(controller, values)
            assert not any(text_of(each) in text for each in others for text in locals_)
            for gave in (values.gave, {}, None):
                held = [held, await controller.acall("f", values.evil, human=gave)]
            for got in made.arrived[1:]:
                for each, value in arrived_at(fields, both(got)):
                    assert each.owner == "own" or "EVIL" not in str(value), each
    finally:
        LOGGER.setLevel(before)
        LOGGER.removeHandler(log)
    texts = [*texts_of(held), *log.texts]
    assert [text for text in texts if any(each in text for each in hidden)] == []


def both(got: dict[str, Any]) -> dict[str, Any]:
    return {**got.get("query", {}), **got.get("body", {})}


@pytest.mark.parametrize("source", SOURCES)  # 2,000 together
@law(8, most=2_000 // len(SOURCES))
@given(seed=st.integers(0, 2**48), road=st.sampled_from([*GIVERS]))
def test_every_place_has_one_owner_on_every_road(source: str, seed: int, road: str) -> None:
    asyncio.run(check(seed, source, road))


# Mutants: a value on a road of its own, and a road without one of its wrappers.


class Telling:
    """Tells what a person gave, in the text or in the log."""

    def __init__(self, inner: Runs, where: str) -> None:
        self.inner, self.where = inner, where

    async def run(self, run: Run) -> Outcome:
        outcome = await self.inner(run)
        if run.person is None or not run.person.given:
            return outcome
        if self.where == "the log":
            LOGGER.info("called with %s", run.person.given)
        issue = Issue(path=Path(str(run.person.given)), expected="", message="", value=None)
        changed = {
            "a text": {"text": f"{outcome.text} {run.person.given}"},
            "an issue": {"issues": (issue,)},
            "the log": {},
        }
        return replace(outcome, **changed[self.where])


async def passed_on(inner: Runs, _: object, run: Run) -> Outcome:
    return await inner(run)


def telling(where: str) -> Callable[..., Runs]:
    wrapped = hooks.wrapped
    return lambda inner, person: Telling(wrapped(inner, person), where).run


MUTANTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "without withholding": ("run_masked", passed_on),
    "without fixing": ("run_with_fixed", passed_on),
    "without values": ("run_with_values", passed_on),
    **{
        f"a value in {each}": ("wrapped", telling(each))
        for each in ("a text", "an issue", "the log")
    },
}


@pytest.mark.parametrize("source", ["method", "document"])
@pytest.mark.parametrize("mutant", [None, *MUTANTS])
def test_a_value_without_its_wrapper_breaks_the_law(
    source: str, mutant: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failures() -> Iterator[int]:
        for seed in range(15):
            try:
                asyncio.run(check(seed, source, "human="))
            except (AssertionError, PyfunctoolsError):
                yield seed

    if mutant is not None:
        monkeypatch.setattr(hooks, *MUTANTS[mutant])
    assert (next(failures(), None) is not None) is (mutant is not None)
