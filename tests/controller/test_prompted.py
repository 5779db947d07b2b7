"""`Controller.prompt`: functions for a model without function calling."""

import json

import pytest
from turns import shop

from pyfunctools import DefinitionError, MemoryStore, Prompt, Tickets, prompt_of


def call(name: str, **arguments: object) -> str:
    return json.dumps({"functionCall": {"name": name, "args": arguments}})


def test_the_prompt_is_that_of_the_functions() -> None:
    _, controller = shop()
    for compact in (False, True):
        made, alone = controller.prompt(compact=compact), prompt_of(controller, compact=compact)
        assert isinstance(made, Prompt)
        assert (made.system, made.response_schema) == (alone.system, alone.response_schema)


def test_a_failure_is_sent_and_the_next_turn_succeeds() -> None:
    made, controller = shop()
    prompt = controller.prompt()
    wrong = call("buy", item="tea", count="many")
    turn = prompt.run(wrong)
    assert made.done == []
    assert not turn.done
    said, told = turn.messages
    assert said == {"role": "assistant", "content": wrong}
    assert told["role"] == "user"
    assert told["content"].startswith("buy failed:\n")
    assert '"many"' in told["content"]
    turn = prompt.run(call("buy", item="tea", count="2"), previous=turn)
    assert made.done == ["buy tea"]
    assert turn.results == [{"role": "user", "content": "buy returned:\n2 tea"}]
    turn = prompt.run('{"answer": "Bought."}', previous=turn)
    assert (turn.done, turn.text, turn.results) == (True, "Bought.", [])


@pytest.mark.parametrize("text", ["Hello.", " Hello.\n", '{"answer": "Hello."}'])
def test_an_answer_in_words_is_the_text_of_the_turn(text: str) -> None:
    turn = shop()[1].prompt().run(text)
    assert (turn.done, turn.text) == (True, "Hello.")
    assert turn.messages == [{"role": "assistant", "content": text}]


def test_every_call_gets_its_result_in_order_and_an_id() -> None:
    made, controller = shop()
    text = f"[{call('buy', item='tea')}, {call('none')}, {call('buy', item='cup')}]"
    turn = controller.prompt().run(text)
    assert made.done == ["buy tea", "buy cup"]
    assert [outcome.reason for outcome in turn.outcomes] == [None, "unknown", None]
    assert len({each.id for each in turn.calls}) == 3
    (told,) = turn.results
    parts = told["content"].split("\n\n")
    assert [part.partition(":")[0] for part in parts] == [
        *("buy returned", "none failed", "buy returned"),
    ]


def test_a_truncated_response_runs_nothing() -> None:
    made, controller = shop()
    turn = controller.prompt().run(call("buy", item="tea")[:-6])
    assert made.done == []
    assert [outcome.reason for outcome in turn.outcomes] == ["arguments"]


def test_a_call_that_waits_is_resumed_in_another_process() -> None:
    tickets = Tickets(b"k" * 32, store=MemoryStore())
    made, controller = shop()
    turn = controller.configured(tickets=tickets).prompt().run(call("pay", amount=3))
    (waiting,) = turn.waiting
    saved = json.loads(json.dumps(turn.save()))
    prompt = controller.configured(tickets=tickets).prompt()
    turn = prompt.resume(saved, {waiting.call_id: {"pin": "4711"}})
    assert made.done == ["pay 3"]
    assert turn.results == [{"role": "user", "content": "pay returned:\npaid 3"}]
    with pytest.raises(DefinitionError, match=r"for 'prompt'.*controller\.prompt\(\)"):
        controller.configured(tickets=tickets).tools().resume(saved, {})


@pytest.mark.parametrize("answer", [None, {"choices": []}, b"x", ["x"]])
def test_a_response_that_is_not_a_text_is_an_error(answer: object) -> None:
    with pytest.raises(DefinitionError, match=r"must be a text, not `.*message\.content"):
        shop()[1].prompt().run(answer)  # type: ignore[arg-type]
