"""OpenTelemetry: one span a call, by the convention's names, without any value of a person."""

import asyncio
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from pyfunctools import CallInfo, Controller, Human, Outcome, Retry, function, human

trace = pytest.importorskip("opentelemetry.trace")
sdk = pytest.importorskip("opentelemetry.sdk.trace")


class Bank:
    """A bank."""

    @function(confirm=True)
    def pay(self, amount: int, pin: Annotated[str, human(secret=True)], note: str = "") -> str:
        """Pay an amount."""
        return f"paid {amount} with {pin}"

    @function
    def lose(self, iban: Human[str], way: int = 0) -> str:
        """Fail in some way."""
        if way == 1:
            raise Retry(f"Not with {iban}.")
        if way == 2:
            raise type(iban[:20], (Exception,), {})(iban)
        if way == 3:
            return Outcome(text=iban, reason="output")  # type: ignore[return-value]
        raise ValueError(f"{iban} is wrong")

    @function
    async def look(self, name: str) -> str:
        """Look for a name."""
        with trace.get_tracer("bank").start_as_current_span("inner"):
            return name

    @function
    def look_here(self, name: str, info: CallInfo) -> str:
        """Look for a name, here."""
        with trace.get_tracer("bank").start_as_current_span("inner"):
            return name


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The finished spans of a test."""
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    yield exporter
    provider.shutdown()


def calls(spans: Any) -> list[Any]:
    return [each for each in spans.get_finished_spans() if each.name != "inner"]


def test_a_span_has_the_names_of_the_convention(spans: Any) -> None:
    bank = Controller.from_object(Bank())
    call = bank.parse_calls([{"id": "call_7", "name": "look_here", "arguments": {"name": "x"}}])[0]
    assert bank.call(call).ok
    (span,) = calls(spans)
    assert span.name == "execute_tool look_here"
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look_here",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call_7",
        "gen_ai.tool.description": "Look for a name, here.",
    }
    assert span.kind is trace.SpanKind.INTERNAL
    assert span.status.status_code is trace.StatusCode.UNSET
    assert span.instrumentation_scope.name == "pyfunctools"


@pytest.mark.parametrize("name", ["look", "look_here"])
@pytest.mark.parametrize("awaits", [True, False])
def test_spans_of_the_function_stand_inside(spans: Any, name: str, awaits: bool) -> None:
    with Controller.from_object(Bank()) as bank:
        steps = bank.acall(name, {"name": "x"}) if awaits else None
        assert (asyncio.run(steps) if steps else bank.call(name, {"name": "x"})).ok
    inner, outer = spans.get_finished_spans()
    assert inner.parent.span_id == outer.context.span_id


def test_the_reason_of_a_failure_is_the_type_of_the_error(spans: Any) -> None:
    bank = Controller.from_object(Bank())
    bank.call("look_here", {})
    bank.call("lose", {}, human={"iban": "DE02120300000000202051"})
    waiting = bank.call("pay", {"amount": 3}).waiting
    assert waiting is not None
    bank.resume(waiting.ticket, {"pin": "7391"}, approve=False)
    seen = [
        (each.attributes.get("error.type"), each.status.status_code.name) for each in calls(spans)
    ]
    assert seen == [
        ("arguments", "ERROR"),
        ("raised", "ERROR"),
        (None, "UNSET"),
        ("denied", "ERROR"),
    ]
    assert calls(spans)[2].attributes["pyfunctools.waiting"] == "needs_human"
    assert all(each.status.description is None for each in calls(spans))


def test_a_cancelled_call_has_a_span(spans: Any) -> None:
    async def wait() -> None:
        """Wait."""
        await asyncio.Event().wait()

    async def cancelled() -> None:
        task = asyncio.ensure_future(Controller.from_functions([wait]).acall("wait"))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancelled())
    (span,) = calls(spans)
    assert span.attributes["error.type"] == "cancelled"


def test_a_mistake_of_the_program_is_raised_through_the_span(spans: Any) -> None:
    bank = Controller.from_object(Bank())

    async def asks(_: Any) -> None: ...

    with pytest.raises(Exception, match="acall"):
        bank.call("lose", {}, human=asks)
    (span,) = calls(spans)
    assert span.attributes["error.type"] == "DefinitionError"
    assert span.events == ()


def _secret(chance: random.Random) -> str:
    return (
        "".join(chance.choices("abcdefghijkmnpqrstuvwxyz23456789-_. é\n'", k=24)).strip()
        or "x7" * 9
    )


def _one_call(bank: Controller, chance: random.Random, secret: str) -> None:
    amount = chance.choice([3, "3", "three", None])
    way: Any = chance.randrange(5)
    if chance.random() < 0.5:
        name, arguments, values = "lose", {"way": way}, {"iban": secret}
    else:
        name, arguments, values = "pay", {"amount": amount}, {"pin": secret}
    if chance.random() < 0.2:
        arguments["pin"] = "of the model"
    answer = chance.choice([True, False, None, lambda _: True])
    if chance.random() < 0.5:
        asked = values if chance.random() < 0.5 else lambda _: values
        bank.call(name, arguments, human=asked, approve=answer, audience="somebody")  # type: ignore[arg-type]
    elif (waiting := bank.call(name, arguments, audience="somebody").waiting) is not None:
        for _ in range(chance.randrange(1, 3)):
            bank.resume(waiting.ticket, values, approve=answer, audience="somebody")


@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_no_span_has_a_value_of_a_person(spans: Any, count: int) -> None:
    bank, chance = Controller.from_object(Bank()), random.Random(7)
    reasons = set[Any]()
    for _ in range(count):
        secret = _secret(chance)
        _one_call(bank, chance, secret)
        for span in spans.get_finished_spans():
            text = span.to_json()
            assert secret not in text
            assert secret[:20] not in text
            reasons.add(span.attributes.get("error.type"))
        spans.clear()
    assert reasons >= {None, "raised", "arguments", "denied"}


def test_nothing_is_imported_for_a_program_without_opentelemetry() -> None:
    code = (
        "import sys\nfrom pyfunctools import Controller\n"
        "def f(n: int) -> int:\n    return n\n"
        "assert Controller.from_functions([f]).call('f', {'n': 1}).value == 1\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_program_that_imports_the_api_and_sets_no_tracer_has_no_spans(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pyfunctools.execution.trace import tracing

    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    assert tracing() is None
