"""`Controller.configured`: fixed values, approvals, texts, executors."""

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from datetime import date
from multiprocessing import get_context
from typing import Annotated, Any, cast

import pytest
from pydantic import BaseModel, SecretBytes, SecretStr
from sums import Local, Sums

from pyfunctools import (
    Approval,
    Controller,
    DefinitionError,
    File,
    Function,
    Human,
    Outcome,
    PendingCall,
    function,
    human,
)

TOKEN = "xoxb-SECRET-7f3a"
TENANT = "tenant-9c1e"


class Header(BaseModel):
    token: str
    trace: str | None = None


class Desk:
    """A desk."""

    def __init__(self) -> None:
        self.ran: list[Any] = []

    @function
    def post(
        self,
        text: str,
        tenant: str,
        header: Header,
        pin: Annotated[str, human("Your pin")],
    ) -> str:
        """Post something."""
        self.ran.append((text, tenant, header.token, header.trace, pin))
        return f"{text} by {tenant} with {header.token}"

    @function
    def look(self, what: str) -> str:
        """Look."""
        return what

    @function
    def pay(self, amount: float, to: Human[str]) -> str:
        """Pay."""
        self.ran.append((amount, to))
        return f"{amount} to {to}"


FIXED = {"$input.tenant": TENANT, "$input.header.token": lambda context: context}


def call(controller: Controller, way: str, *args: Any, **given: Any) -> Outcome:
    found = getattr(controller, way)(*args, **given)
    return asyncio.run(found) if way.startswith("a") else found


WAYS = pytest.mark.parametrize("way", ["call", "acall"])


@WAYS
def test_a_fixed_value_is_in_no_schema_and_reaches_the_function(way: str) -> None:
    desk = Desk()
    controller = Controller.from_object(desk).configured(fixed=FIXED)
    post = controller["post"]
    assert post.separated is not None
    for schema in (post.parameters, post.llm, post.separated.human, *controller.tools()):
        assert "token" not in json.dumps(schema)
        assert "tenant" not in json.dumps(schema)
    waits = call(controller, way, "post", {"text": "hi"}, context=TOKEN)
    assert [each.path for each in waits.waiting.questions] == ["$input.pin"]  # type: ignore[union-attr]
    done = call(controller, way, "post", {"text": "hi"}, human={"pin": "4711"}, context=TOKEN)
    assert desk.ran == [("hi", TENANT, TOKEN, None, "4711")]
    assert done.text == f"hi by {TENANT} with ***"  # a token is masked, a tenant is none
    traced = {"text": "hi", "header": {"trace": "t"}}
    assert call(controller, way, "post", traced, human={"pin": "4711"}, context=TOKEN).ok
    assert desk.ran[1] == ("hi", TENANT, TOKEN, "t", "4711")
    assert call(controller, way, "look", {"what": "x"}).text == "x"


@pytest.mark.parametrize(
    ("wrote", "gave", "side"),
    [
        ({"text": "x", "tenant": "evil"}, {"pin": "4711"}, "llm"),
        ({"text": "x", "header": {"token": "evil"}}, {"pin": "4711"}, "llm"),
        ({"text": "x"}, {"pin": "4711", "tenant": "evil"}, "human"),
        ({"text": "x"}, {"$input.pin": "4711", "$input.tenant": "evil"}, "human"),
        ({"text": "x"}, {"$input.pin": "4711", "$input.header.token": "evil"}, "human"),
    ],
)
def test_neither_side_can_set_a_fixed_value(wrote: Any, gave: Any, side: str) -> None:
    desk = Desk()
    controller = Controller.from_object(desk).configured(fixed=FIXED)
    outcome = controller.call("post", wrote, human=gave, context=TOKEN)
    assert desk.ran == []
    assert {issue.side for issue in outcome.issues} <= {side, "whole"}
    assert outcome.issues
    assert TENANT not in outcome.text + str(outcome.issues)


def test_a_person_cannot_set_a_fixed_value_of_a_function_without_a_human_part() -> None:
    desk = Desk()
    controller = Controller.from_object(desk).configured(fixed={"$input.what": "tea"})
    assert controller.call("look", {}).value == "tea"
    outcome = controller.call("look", {}, human={"what": "evil"})
    assert not outcome.ok
    assert [issue.side for issue in outcome.issues] == ["human"]


def test_open_objects_cannot_set_a_fixed_value() -> None:
    made = Function.from_schema(
        name="f",
        parameters={
            "type": "object",
            "properties": {
                "tenant": {"type": "string"},
                "any": {
                    "type": "object",
                    "properties": {"key": {"type": "string"}},
                    "additionalProperties": True,
                },
            },
            "required": ["tenant"],
            "additionalProperties": True,
        },
        handler=lambda **given: given,
    )
    fixed = {"$input.tenant": TENANT, "$input.any.key": "k"}
    controller = Controller.from_functions([made]).configured(fixed=fixed)
    assert controller.call("f", {"any": {"x": 1}}).value == {
        "tenant": TENANT,
        "any": {"x": 1, "key": "k"},
    }
    for wrote in ({"tenant": "evil"}, {"any": {"key": "evil"}}, '{"any": {"k\\u0065y": null}}'):
        outcome = controller.call("f", wrote)
        assert (outcome.reason, {each.side for each in outcome.issues}) == ("arguments", {"llm"})
        assert TENANT not in outcome.text


def test_a_callable_returns_the_fixed_values_of_each_function_and_context() -> None:
    desk = Desk()

    def fixed(function: Function, context: Any) -> dict[str, Any]:
        if function.name == "look":
            return {"$input.what": lambda context: f"for {context}"}
        if function.name != "post":
            return {}
        return {"$input.tenant": TENANT, "$input.header": {"token": context or ""}}

    controller = Controller.from_object(desk).configured(fixed=fixed)
    assert controller["look"].parameters["properties"] == {}
    assert controller.call("look", {}, context="Ada").text == "for Ada"
    assert controller["post"].llm["required"] == ["text"]
    assert controller.call("post", {"text": "x"}, human={"pin": "1"}, context=TOKEN).ok
    assert desk.ran == [("x", TENANT, TOKEN, None, "1")]


@pytest.mark.parametrize("path", ["$input.header.X-Tenant", '$input.header["X-Tenant"]'])
def test_the_path_of_a_header_may_have_hyphens(path: str) -> None:
    header = {"name": "X-Tenant", "in": "header", "required": True, "schema": {"type": "string"}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/notes": {"get": {"parameters": [header]}}},
    }
    controller = Controller.from_openapi(document, server="http://127.0.0.1:1")
    (function,) = controller.configured(fixed={path: TENANT})
    assert function.llm["properties"] == {}


@WAYS
@pytest.mark.parametrize(
    ("value", "said"),
    [
        (lambda context: context["missing"], "(KeyError)"),
        (lambda _: 1 / 0, "(ZeroDivisionError)"),
        (lambda _: [TOKEN], "it is not right"),
        ([TOKEN], "it is not right"),
    ],
)
def test_an_error_of_a_fixed_value_is_an_error_without_values(
    way: str, value: Any, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk()
    controller = Controller.from_object(desk).configured(
        fixed={"$input.tenant": value, "$input.header.token": TOKEN}
    )
    waits = call(controller, way, "post", {"text": "x"})
    assert waits.waiting is not None
    ticket, resume = waits.waiting.ticket, way.replace("call", "resume")
    outcome = call(controller, resume, ticket, {"pin": "4711"}, context={"token": TOKEN})
    assert (outcome.reason, desk.ran) == ("raised", [])
    assert said in outcome.text
    assert TOKEN not in outcome.text + repr(outcome) + caplog.text
    again = call(controller, resume, ticket, {"pin": "4711"}, context={"token": TOKEN})
    assert again.reason == "raised"  # the ticket was not used up


@pytest.mark.parametrize(
    ("fixed", "said"),
    [
        ({"$input.tenannt": 1}, "No function has a property"),
        ({"tennant": 1}, "No function has a property"),
        ({1: 1}, "not the path of a named property"),
        ({"$input": {}}, "not the path of a named property"),
        ({"$input.rows[0].x": 1}, "not the path of a named property"),
        ("tenant", "mapping by path"),
        (lambda function, context: context["x"], "without a context"),
        (lambda function, context: None, "not a mapping"),
    ],
)
def test_invalid_fixed_values_are_an_error(fixed: Any, said: str) -> None:
    with pytest.raises(DefinitionError, match=said):
        Controller.from_object(Desk()).configured(fixed=fixed)


@pytest.mark.parametrize("fixed", [b"\xff\x00", File(b"\xff\x00", "key")])
def test_fixed_bytes_arrive_as_they_are(fixed: Any) -> None:
    def sign(text: str, key: bytes, seal: SecretBytes, stamp: Human[bytes] = b"") -> str:
        """Sign a text."""
        return repr((text, key, seal.get_secret_value(), stamp))

    made = Controller.from_functions([sign]).configured(
        fixed={"key": fixed, "seal": fixed, "stamp": fixed}
    )
    assert made.call("sign", {"text": "x"}).value == repr(("x", *[b"\xff\x00"] * 3))


def test_values_stay_fixed_in_every_derived_controller() -> None:
    fixed = Controller.from_object(Desk()).configured(fixed={"$input.tenant": TENANT})
    again = fixed.configured(fixed={"$input.header.token": SecretStr(TOKEN)})
    for made in (again.prefixed("a_"), again.select(names=["post"]), Controller.combine(again)):
        name = next(each.name for each in made if each.name.endswith("post"))
        done = made.call(name, {"text": "x"}, human={"pin": "4711"})
        assert (done.text, done.function) == (f"x by {TENANT} with ***", name)


@pytest.mark.parametrize("way", ["nested", "by path", "edit", "fixed"])
def test_a_mapping_of_python_has_keys_of_any_kind(way: str) -> None:
    given = {1: "A", date(2026, 1, 2): "B"}

    def seat(row: int, seats: Human[dict[str, str]]) -> dict[str, str]:
        """Seat."""
        return seats

    seats = Controller.from_functions([seat])
    outcome = {
        "nested": lambda: seats.call("seat", {"row": 1}, human={"seats": given}),
        "by path": lambda: seats.call("seat", {"row": 1}, human={"$input.seats": given}),
        "edit": lambda: seats.call(
            "seat",
            {"row": 1},
            human={"seats": {}},
            approve=Approval({"row": 1, "seats": given}),
        ),
        "fixed": lambda: seats.configured(fixed={"seats": given}).call("seat", {"row": 1}),
    }[way]()
    assert outcome.value == {"1": "A", "2026-01-02": "B"}
    assert seats.call("seat", {"row": 1}, human={1: 2}).reason == "needs_human"  # type: ignore[dict-item]


def test_a_ticket_is_not_valid_with_other_fixed_values() -> None:
    plain = Controller.from_object(Desk())
    fixed = plain.configured(fixed={"$input.tenant": TENANT})
    waits = fixed.call("post", {"text": "x", "header": {"token": "t"}})
    assert waits.waiting is not None
    assert plain.resume(waits.waiting.ticket or "", {"pin": "1"}).reason == "ticket_changed"


# Approvals.


@WAYS
def test_an_approval_can_depend_on_the_call(way: str) -> None:
    desk = Desk()
    asked: list[PendingCall] = []

    def large(pending: PendingCall) -> bool:
        asked.append(pending)
        return pending.function.name == "pay" and pending.arguments["amount"] > 100

    controller = Controller.from_object(desk).configured(confirm=large)
    assert call(controller, way, "pay", {"amount": 5}, human={"to": "Ada"}).ok
    waits = call(controller, way, "pay", {"amount": 500}, human={"to": "Ada"})
    assert (waits.reason, desk.ran) == ("needs_approval", [(5.0, "Ada")])
    assert waits.waiting is not None
    assert waits.waiting.approval
    assert [each.arguments for each in asked] == [
        {"amount": 5, "to": "Ada"},
        {"amount": 500, "to": "Ada"},
    ]
    resume = way.replace("call", "resume")
    missing = call(controller, resume, waits.waiting.ticket, approve=True)
    assert missing.reason == "needs_human"
    edited = Approval({"amount": 50, "to": "Ada"})
    done = call(controller, resume, waits.waiting.ticket, {"$input.to": "Ada"}, approve=edited)
    assert (done.text, desk.ran[1:]) == ("50.0 to Ada", [(50.0, "Ada")])


def test_all_calls_may_need_an_approval_and_after_an_exception_nothing_runs() -> None:
    desk = Desk()
    every = Controller.from_object(desk).configured(confirm=True)
    assert every.call("look", {"what": "x"}).reason == "needs_approval"
    fails = Controller.from_object(desk).configured(confirm=lambda pending: 1 / 0 > 1)
    outcome = fails.call("pay", {"amount": 1}, human={"to": "Ada"})
    assert (outcome.reason, desk.ran) == ("raised", [])
    assert "(ZeroDivisionError)" in outcome.text
    forgets = Controller.from_object(desk).configured(confirm=lambda _: None)  # type: ignore[arg-type,return-value]
    with pytest.raises(DefinitionError, match=r"confirm\(pending\): .*, not `NoneType`"):
        forgets.call("pay", {"amount": 1}, human={"to": "Ada"})
    assert desk.ran == []
    with pytest.raises(DefinitionError, match="confirm"):
        Controller.from_object(desk).configured(confirm="always")  # type: ignore[arg-type]


# Texts.


def test_texts_of_the_application_are_used() -> None:
    korean = {"needed": "필요합니다.", "wrong": "{expected}여야 합니다.", "integer": "정수"}
    made = Function.from_schema(
        name="f",
        parameters={
            "type": "object",
            "properties": {
                "n": {"type": "integer", "x-human": True, "x-human-ask": "몇 명입니까?"},
                "m": {"type": "string", "x-human": True},
            },
            "required": ["n", "m"],
        },
        handler=lambda **given: given,
    )
    controller = Controller.from_functions([made]).configured(texts=korean)
    outcome = controller.call("f", {}, human={"$input.n": "x"})
    assert outcome.waiting is not None
    told = {each.path: (each.label, each.problem) for each in outcome.waiting.questions}
    assert told == {
        "$input.n": ("몇 명입니까?", "정수여야 합니다."),
        "$input.m": ("M", "필요합니다."),
    }
    assert "정수" not in outcome.text
    for wrong in ({"neded": "x"}, {"needed": 1}, {"wrong": "x"}, {"wrong": "{other}"}, "needed"):
        with pytest.raises(DefinitionError, match="texts"):
            controller.configured(texts=wrong)  # type: ignore[arg-type]


POOLS = {
    "threads": lambda: ThreadPoolExecutor(1),
    "processes": lambda: ProcessPoolExecutor(1, mp_context=get_context("spawn")),
}


@pytest.fixture(scope="module", params=POOLS)
def pool(request: pytest.FixtureRequest) -> Iterator[Executor]:
    with POOLS[request.param]() as pool:
        yield pool


def both(controller: Controller, name: str, arguments: Any = None, **beside: Any) -> list[Outcome]:
    """Call with and without a loop."""
    awaited = asyncio.run(controller.acall(name, arguments, **beside))
    return [controller.call(name, arguments, **beside), awaited]


def test_an_executor_runs_the_functions_of_this_process(pool: Executor) -> None:
    with Controller.from_object(Sums()).configured(executor=pool) as sums:
        for outcome in both(sums, "add", {"a": 1, "rest": [2]}, human={"b": "3"}):
            assert outcome.unwrap() == 6
        for outcome in both(sums, "where"):
            process, thread = cast("list[int]", outcome.unwrap())
            assert thread != threading.get_ident()
            assert (process == os.getpid()) == isinstance(pool, ThreadPoolExecutor)
        for outcome in both(sums, "later"):
            assert outcome.unwrap() == os.getpid()
        for outcome in both(sums, "fail", {"how": "known"}):
            assert (outcome.reason, outcome.text) == ("raised", "ValueError: no sum")
            assert isinstance(outcome.exception, ValueError)
        for outcome in both(sums, "fail", {"how": "odd"}):
            assert outcome.text.endswith("QuotaError: 3 of 2")
        assert sums.call("add", {"a": 1}).reason == "needs_human"
        assert sums.call("add", {"a": "x"}).reason == "arguments"


@pytest.mark.parametrize("pool", ["processes"], indirect=True)
def test_a_call_that_cannot_be_pickled_is_an_error(pool: Executor) -> None:
    sums = Controller.from_object(Sums()).configured(executor=pool)
    local = Controller.from_object(Local(), inherited=True).configured(executor=pool)
    for outcome in (*both(sums, "lock"), *both(local, "where")):
        assert outcome.reason == "raised"
        assert outcome.text.startswith("The executor could not run this call, or could not return")
        assert "pickle" in outcome.text
    assert sums.call("where").ok  # the pool goes on


def test_an_executor_works_with_other_settings(pool: Executor) -> None:
    sums = Controller.from_object(Sums()).configured(fixed={"$input.a": 5})
    sums = sums.configured(executor=pool).configured(confirm=lambda _: False)
    assert sums.call("add", {}, human={"b": 1}).unwrap() == 6
    assert cast("list[int]", sums.call("where").unwrap())[1] != threading.get_ident()


def test_an_executor_that_is_shut_down_is_an_error() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    outcome = Controller.from_object(Sums()).configured(executor=pool).call("where")
    assert (outcome.reason, outcome.ok) == ("raised", False)
    assert "after shutdown" in outcome.text


def test_another_type_or_an_unused_executor_is_an_error() -> None:
    document = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {}}
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(DefinitionError, match="runs in this process"),
    ):
        Controller.from_openapi(document).configured(executor=pool)
    with pytest.raises(DefinitionError, match=r"must be a `concurrent\.futures\.Executor`"):
        Controller.from_object(Sums()).configured(executor=cast("Any", 4))
