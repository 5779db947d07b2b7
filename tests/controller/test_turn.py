"""`Tools.run` and `resume`: a result for every call, and calls that wait for a person."""

import asyncio
import json
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator
from turns import response, shop

from pyfunctools import (
    Approval,
    Controller,
    DefinitionError,
    Human,
    MemoryStore,
    Tickets,
    Tools,
    WaitingError,
)
from pyfunctools.execution.person.tickets import Ticket

TEA, PAY = ("a", "buy", '{"item": "tea"}'), ("p", "pay", '{"amount": 3}')


def test_the_messages_are_those_of_the_model_and_every_result_in_order() -> None:
    made, controller = shop()
    said = response(TEA, ("b", "none", "{}"), ("c", "buy", '{"count": "q"}'))
    turn = controller.tools().run(said)
    assert turn.messages[0] == said["choices"][0]["message"]
    assert [each["tool_call_id"] for each in turn.messages[1:]] == ["a", "b", "c"]
    assert [outcome.reason for outcome in turn.outcomes] == [None, "unknown", "arguments"]
    assert turn.results == turn.messages[1:]
    assert made.done == ["buy tea"]
    assert not turn.done


@pytest.mark.parametrize("depth", [65, 400, 900])
def test_a_call_that_is_nested_too_deeply_has_its_result(depth: int) -> None:
    nested = json.loads('{"item":' * depth + "1" + "}" * depth)
    call = {"type": "tool_use", "id": "a", "name": "buy", "input": nested}
    said = {"type": "message", "role": "assistant", "content": [call], "stop_reason": "tool_use"}
    turn = shop()[1].tools("anthropic").run(said)
    spoken, results = turn.messages
    assert turn.outcomes[0].reason == "arguments"
    assert spoken["content"][0]["input"] is not nested
    assert results["content"][0]["tool_use_id"] == "a"
    saved = json.loads(json.dumps(turn.save()))
    assert shop()[1].tools("anthropic").run(said).save().keys() == saved.keys()


def test_a_result_that_is_not_json_is_an_error_result() -> None:
    def circle() -> list[object]:
        """Return what holds itself."""
        made: list[object] = []
        made.append(made)
        return made

    turn = Controller.from_functions([circle]).tools().run(response(("a", "circle", "{}")))
    assert turn.outcomes[0].reason == "output"
    assert "cannot be written as JSON" in turn.messages[1]["content"]


def test_a_turn_without_calls_is_done() -> None:
    turn = shop()[1].tools().run(response(reason="stop"))
    assert turn.done
    assert turn.text == "Done."
    assert turn.results == []


def test_missing_and_repeated_ids_are_replaced() -> None:
    turn = shop()[1].tools().run(response(TEA, TEA, (None, "buy", '{"item": "cup"}')))
    ids = [call.id for call in turn.calls]
    assert ids[0] == "a"
    assert len(set(ids)) == 3
    assert [each["id"] for each in turn.messages[0]["tool_calls"]] == ids


def test_the_last_call_of_a_truncated_response_does_not_run() -> None:
    made, controller = shop()
    turn = controller.tools().run(response(TEA, ("b", "buy", '{"item": "cup"}'), reason="length"))
    assert [outcome.reason for outcome in turn.outcomes] == [None, "arguments"]
    assert made.done == ["buy tea"]


def test_a_response_of_another_vendor_is_an_error_that_names_both() -> None:
    tools = shop()[1].tools()
    with pytest.raises(DefinitionError, match="of 'anthropic', and the tools are for 'openai'"):
        tools.run({"type": "message", "content": []})
    with pytest.raises(DefinitionError, match=r"not `str`.*parse_calls"):
        tools.run("buy(item='tea')")
    with pytest.raises(DefinitionError, match="must be a `Turn`, not `dict`"):
        tools.run(response(), previous={})  # pyright: ignore[reportArgumentType]


def test_an_unknown_keyword_argument_is_an_error() -> None:
    tools = shop()[1].tools()
    with pytest.raises(TypeError, match="'humans'"):
        tools.run(response(), humans={})  # pyright: ignore[reportCallIssue]


def test_a_model_is_stuck_at_the_third_same_failure_in_a_row() -> None:
    tools, turn, seen = shop()[1].tools(), None, list[bool]()
    for text in ('{"count": "q"}', '{"count": "r"}', '{"count": "s"}', '{"item": "tea"}'):
        turn = tools.run(response(("a", "buy", text)), previous=turn)
        seen.append(turn.stuck)
    assert seen == [False, False, True, False]


def test_neighbouring_concurrent_calls_run_together_and_others_in_order() -> None:
    made, controller = shop()
    looks = [(name, "look", json.dumps({"item": name})) for name in "xyz"]
    turn = asyncio.run(controller.tools().arun(response(*looks, TEA)))
    assert made.most == 3
    assert made.done[-1] == "buy tea"
    assert [outcome.text for outcome in turn.outcomes] == ["x", "y", "z", "1 tea"]


def test_a_cancelled_turn_has_the_outcomes_so_far() -> None:
    _, controller = shop()
    calls = (TEA, ("x", "look", '{"item": "nothing"}'), ("y", "buy", '{"item": "cup"}'))

    async def main() -> list[str | None]:
        with pytest.raises(asyncio.CancelledError) as raised:
            await controller.tools().arun(response(*calls))
        return [outcome.reason for outcome in vars(raised.value)["turn"].outcomes]

    assert asyncio.run(main()) == [None, "cancelled", "cancelled"]


def test_a_turn_with_a_waiting_call_has_no_messages() -> None:
    turn = shop()[1].tools().run(response(TEA, PAY))
    assert [each.call_id for each in turn.waiting] == ["p"]
    with pytest.raises(WaitingError, match=r"wait for a person: 'p'\."):
        _ = turn.messages
    with pytest.raises(WaitingError):
        _ = turn.results


def test_a_resumed_turn_runs_no_call_twice() -> None:
    made, controller = shop()
    tools = controller.tools()
    turn = tools.resume(tools.run(response(TEA, PAY)), {"p": {"pin": "1234"}})
    assert [each["content"] for each in turn.results] == ["1 tea", "paid 3"]
    assert made.done == ["buy tea", "pay 3"]


def saved_tools(**settings: object) -> Tools:
    """Return tools as another process makes them: the same key and store, all else anew."""
    return shop()[1].configured(tickets=Tickets(b"k" * 32, store=STORE), **settings).tools()  # pyright: ignore[reportArgumentType]


STORE = MemoryStore()


def test_a_saved_turn_is_resumed_in_another_process_once() -> None:
    saved = json.dumps(saved_tools().run(response(TEA, PAY)).save())
    first = asyncio.run(saved_tools().aresume(json.loads(saved), {"p": {"pin": "1234"}}))
    assert [each["content"] for each in first.results] == ["1 tea", "paid 3"]
    again = saved_tools().resume(json.loads(saved), {"p": {"pin": "1234"}})
    assert [each["content"] for each in again.results] == ["1 tea", "paid 3"]
    assert again.outcomes[1].replayed


class Broken(MemoryStore):
    """A store that fails once."""

    fails = True

    def claim(self, ticket_id: str, expires: int, /) -> bool:
        if self.fails:
            raise OSError("locked")
        return super().claim(ticket_id, expires)


def test_a_refusal_before_the_run_leaves_the_call_waiting_in_its_turn() -> None:
    store = Broken()
    tickets = Tickets(b"k" * 32, store=store)
    tools = shop()[1].configured(tickets=tickets).tools()
    given = {"p": {"pin": "1234"}}
    turn = tools.run(response(TEA, PAY), audience="ann")
    for refused in (
        tools.resume(turn, given, audience="bob"),
        tools.resume(turn, given, audience="ann"),
        tools.resume(turn, {"p": raises}, audience="ann"),
        tools.resume(turn, {"p": lambda _: None}, audience="ann"),
    ):
        assert [each.ticket for each in refused.waiting] == [turn.waiting[0].ticket]
        saved = json.loads(json.dumps(refused.save()))
        store.fails = False
        assert tools.resume(saved, {}, audience="ann").waiting
        store.fails = refused.outcomes[1].reason != "needs_human"
    store.fails = False
    done = tools.resume(saved, given, audience="ann")
    assert done.outcomes[1].text == "paid 3"


def raises(pending: object) -> Any:
    raise OSError


def test_a_callable_that_raises_leaves_the_call_of_a_new_turn_waiting() -> None:
    tools = saved_tools()
    turn = tools.run(response(PAY), human=raises)
    assert (turn.outcomes[0].reason, len(turn.waiting)) == ("raised", 1)
    assert tools.resume(turn, {"p": {"pin": "1234"}}).outcomes[0].text == "paid 3"


def test_a_turn_says_of_a_call_that_died_that_it_is_not_known_whether_it_ran() -> None:
    tools = saved_tools()
    turn = tools.run(response(PAY))
    tickets = Tickets(b"k" * 32, store=STORE)
    ticket = tickets.read(turn.waiting[0].ticket)
    assert isinstance(ticket, Ticket)
    assert STORE.claim(ticket.id, ticket.expires)  # and then this process dies
    (message,) = tools.resume(turn, {"p": {"pin": "1234"}}).results
    assert "started before" in message["content"]
    assert "not known" in message["content"]
    assert "Nothing has run" not in message["content"]


def test_a_changed_saved_turn_or_one_of_another_controller_is_an_error() -> None:
    saved = saved_tools().run(response(PAY)).save()
    with pytest.raises(DefinitionError, match="was changed, or another controller saved it"):
        saved_tools().resume({**saved, "ids": ["q"]}, {})
    with pytest.raises(DefinitionError, match="was changed"):
        shop()[1].tools().resume(saved, {})
    with pytest.raises(DefinitionError, match="was changed"):
        saved_tools().resume({}, {})


def test_a_saved_turn_of_another_dialect_is_an_error() -> None:
    _, controller = shop()
    saved = controller.tools().run(response(PAY)).save()
    with pytest.raises(DefinitionError, match=r"tools for 'openai', not for 'anthropic'"):
        controller.tools("anthropic").resume(saved, {})


def test_a_function_that_has_changed_does_not_run() -> None:
    saved = saved_tools().run(response(PAY)).save()

    class Changed:
        """A shop."""

    def pay(amount: str) -> str:
        """Pay."""
        return amount

    other = Controller.from_functions([pay]).configured(tickets=Tickets(b"k" * 32, store=STORE))
    turn = other.tools().resume(saved, {"p": {"pin": "1"}})
    assert turn.outcomes[0].reason == "ticket_changed"


@pytest.mark.parametrize(
    ("answer", "reason"), [(True, None), (False, "denied"), (Approval({"item": "cup"}), None)]
)
def test_an_answer_may_be_an_approval(answer: bool | Approval, reason: str | None) -> None:
    made, controller = shop()
    tools = controller.configured(confirm=lambda pending: pending.function.name == "buy").tools()
    turn = tools.resume(tools.run(response(TEA)), {"a": answer})
    assert turn.outcomes[0].reason == reason
    assert made.done == ([] if reason else [f"buy {'tea' if answer is True else 'cup'}"])


def test_calls_without_an_answer_go_on_waiting() -> None:
    tools = shop()[1].tools()
    turn = tools.run(response(PAY, ("q", "pay", '{"amount": 4}')))
    turn = tools.resume(turn, {"q": {"pin": "1"}, "p": None})
    assert [each.call_id for each in turn.waiting] == ["p"]
    with pytest.raises(DefinitionError, match=r"No call 'q' .* The ids are 'p'"):
        tools.resume(turn, {"q": {"pin": "1"}})


def test_a_stream_is_read_into_a_response() -> None:
    tools = shop()[1].tools()
    reading = tools.reading()
    for piece in ('{"item"', ': "tea"}'):
        call = {"index": 0, "id": "a", "function": {"name": "buy", "arguments": piece}}
        delta = reading.feed({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    assert delta.arguments == {"item": "tea"}
    assert tools.run(reading.response).outcomes[0].reason == "arguments"  # it broke off
    reading.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    assert tools.run(reading.response).outcomes[0].text == "1 tea"


def even(value: int) -> int:
    if value % 2:
        raise ValueError("must be even")
    return value


def order(counts: dict[str, Annotated[int, AfterValidator(even)]], pin: Human[str] = "") -> str:
    """Order."""
    return f"ordered {counts}"


@pytest.mark.parametrize("pin", [None, "1234"])
def test_an_issue_of_a_users_validator_has_the_shape_that_the_model_wrote(
    pin: str | None,
) -> None:
    tools = Controller.from_functions([order]).tools(strict=True)
    said = response(("a", "order", '{"counts": [{"key": "tea", "value": 3}]}'))
    (outcome,) = tools.run(said, human=pin and {"pin": pin}).outcomes
    assert [str(issue.path) for issue in outcome.issues] == ["$input.counts[0].value"]
    assert '"value": 3 // ❌ expected must be even' in outcome.text


def test_bytes_of_a_vendor_are_saved_and_restored() -> None:
    thought = {"reasoningContent": {"redactedContent": b"\xff\x00"}}
    written = {"amount": 3, "note": {"$bytes": "AAAA"}}
    use = {"toolUse": {"toolUseId": "t", "name": "pay", "input": written}}
    message = {"role": "assistant", "content": [thought, use]}
    tools = Controller.from_functions([pay]).tools("bedrock")
    turn = tools.run({"output": {"message": message}, "stopReason": "tool_use"})
    saved = json.loads(json.dumps(turn.save()))
    assert tools.resume(saved, {"t": {"pin": "1"}}).messages[0] == message


def pay(amount: int, note: dict[str, str], pin: Human[str]) -> str:
    """Pay."""
    return f"paid {amount} {note}"
