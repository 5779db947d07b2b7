"""`Controller.tools(search=True)`: functions that a model loads when it has found them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import vendor_clients
import vendor_replies as replies
from turns import shop
from vendor_clients import Script

from pyfunctools import (
    Controller,
    DefinitionError,
    Function,
    MemoryStore,
    SqliteStore,
    Tickets,
    UnknownFunctionError,
)

SUPPORT = Path(vendor_clients.__file__).parent
KEY = b"k" * 32
QUERY = {"query": "pay an amount"}
AMOUNT = {"amount": 3}
SEARCHED: dict[str, Any] = {
    "type": "tool_search_call",
    "id": "ts_1",
    "call_id": "call_1",
    "execution": "client",
    "status": "completed",
    "arguments": QUERY,
}
ASK = {
    "openai": vendor_clients.openai_chat,
    "openai-responses": vendor_clients.openai_responses,
    "anthropic": vendor_clients.anthropic,
    "gemini": vendor_clients.gemini,
}


def called(name: str) -> tuple[str, dict[str, Any]]:
    """Return the call of a function through `call_function`."""
    return "call_function", {"name": name, "arguments": AMOUNT}


SCRIPTS: dict[str, list[dict[str, Any]]] = {
    "openai": [
        replies.chat(replies.chat_call("find_functions", json.dumps(QUERY))),
        replies.chat(replies.chat_call("call_function", json.dumps(called("pay")[1]))),
        replies.chat(content="Paid.", reason="stop"),
    ],
    "openai-responses": [
        replies.responses(SEARCHED),
        replies.responses(replies.item("pay", json.dumps(AMOUNT))),
        replies.responses(replies.spoken_item("Paid.")),
    ],
    "anthropic": [
        replies.claude(replies.use("find_functions", QUERY)),
        replies.claude(replies.use("pay", AMOUNT)),
        replies.claude({"type": "text", "text": "Paid."}, reason="end_turn"),
    ],
    "gemini": [
        replies.gemini(replies.part("find_functions", QUERY)),
        replies.gemini(replies.part(*called("pay"))),
        replies.gemini({"text": "Paid."}),
    ],
}
CHILD = """
import json, sys
from turns import shop
from pyfunctools import SqliteStore, Tickets
made, controller = shop()
tickets = Tickets(sys.argv[2].encode(), store=SqliteStore(sys.argv[4]))
tools = controller.configured(tickets=tickets).tools(sys.argv[1], search=True)
turn = tools.resume(json.load(sys.stdin), {sys.argv[3]: {"pin": "1234"}})
print(json.dumps([turn.messages, made.done]))
"""


def answered(dialect: str, saved: dict[str, Any], call_id: str, store: Path) -> Any:
    """Return the messages and what ran, of a turn resumed in another process."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, dialect, KEY.decode(), call_id, str(store)],
        input=json.dumps(saved),
        env={"PYTHONPATH": str(SUPPORT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ASK)
def test_a_model_searches_and_calls_and_a_person_answers_in_another_process(
    dialect: str, tmp_path: Path
) -> None:
    _, controller = shop()
    tickets = Tickets(KEY, store=SqliteStore(tmp_path / "used"))
    tools = controller.configured(tickets=tickets).tools(dialect, search=True)
    listed: list[Any] = [*tools]
    if dialect == "gemini" and "functionDeclarations" not in listed[0]:
        listed = [{"functionDeclarations": listed}]
    script = Script(*SCRIPTS[dialect])
    ask = ASK[dialect](script)
    first = {"role": "user", "parts": [{"text": "Pay 3."}]}
    messages: list[Any] = [first if dialect == "gemini" else {"role": "user", "content": "Pay 3."}]
    turn = tools.run(ask(messages, listed))
    assert "pay" in json.dumps(turn.results)
    assert "pin" not in json.dumps(turn.results)
    messages += turn.messages
    turn = tools.run(ask(messages, listed))
    (waiting,) = turn.waiting
    sent, done = answered(
        dialect, json.loads(json.dumps(turn.save())), waiting.call_id, tmp_path / "used"
    )
    assert done == ["pay 3"]
    assert "paid 3" in json.dumps(sent)
    last = tools.run(ask([*messages, *sent], listed))
    assert last.done
    assert last.text == "Paid."


def test_a_search_of_responses_returns_definitions() -> None:
    tools = shop()[1].tools("openai-responses", search=True, keep=["look"])
    assert [each.get("name", each["type"]) for each in tools] == ["tool_search", "look"]
    turn = tools.run(replies.responses(SEARCHED, {**SEARCHED, "call_id": "b", "arguments": {}}))
    found, wrong = turn.results
    assert [each["name"] for each in found["tools"]] == ["pay"]
    assert found["tools"][0]["defer_loading"] is True
    assert (found["type"], found["call_id"]) == ("tool_search_output", "call_1")
    assert wrong["tools"] == []
    assert not turn.done


@pytest.mark.parametrize("dialect", ["openai-responses", "anthropic"])
def test_a_saved_search_names_only_the_functions_that_still_exist(dialect: str) -> None:
    _, controller = shop()
    tickets = Tickets(KEY, store=MemoryStore())
    tools, fewer = (
        each.configured(tickets=tickets).tools(dialect, search=True)
        for each in (controller, controller.select(names=["buy", "look"]))
    )
    query = {"query": "pay or buy or look"}
    script = {
        "openai-responses": replies.responses({**SEARCHED, "arguments": query}),
        "anthropic": replies.claude(replies.use("find_functions", query)),
    }
    saved = json.loads(json.dumps(tools.run(script[dialect]).save()))
    assert '"pay"' in json.dumps(tools.resume(saved, {}).messages)
    text = json.dumps(fewer.resume(saved, {}).messages)
    assert '"buy"' in text
    assert '"pay"' not in text


def test_a_search_of_their_server_is_not_answered() -> None:
    tools = shop()[1].tools("openai-responses", search=True)
    assert tools.run(replies.responses({**SEARCHED, "execution": "server"})).done


def test_a_search_of_anthropic_returns_references() -> None:
    tools = shop()[1].tools("anthropic", search=True, keep="look")
    assert {each["name"]: each.get("defer_loading") for each in tools} == {
        "find_functions": None,
        "buy": True,
        "pay": True,
        "look": None,
    }
    turn = tools.run(
        replies.claude(
            replies.use("find_functions", QUERY, "a"),
            replies.use("find_functions", {"query": "zzz"}, "b"),
            replies.use("look", {"item": "tea"}, "c"),
        ),
        human=None,
    )
    found, nothing, other = turn.results[0]["content"]
    assert found["content"] == [{"type": "tool_reference", "tool_name": "pay"}]
    assert nothing["content"] == "No function fits. Try other words."
    assert other["content"]


def test_a_call_after_a_search_is_checked_as_any_call() -> None:
    tools = shop()[1].tools("openai-responses", search=True)
    turn = tools.run(replies.responses(replies.item("buy", '{"item": "tea", "count": "x"}')))
    assert turn.outcomes[0].reason == "arguments"
    assert tools.run(replies.responses(replies.item("gone", "{}"))).outcomes[0].reason == "unknown"


@pytest.mark.parametrize("dialect", ["openai", "openai-responses", "anthropic", "gemini"])
def test_what_is_not_deferred_is_small_however_many_there_are(dialect: str) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    functions = [Function.from_schema(name=f"f{n}", parameters=schema) for n in range(600)]
    tools = Controller.from_functions(functions).tools(dialect, search=True)
    shown = [each for each in tools if not each.get("defer_loading")]
    assert len(json.dumps(shown)) < 1200


def test_a_list_that_is_too_long_says_what_to_do() -> None:
    functions = [Function.from_schema(name=f"f{n}", parameters=()) for n in range(200)]
    with pytest.raises(DefinitionError, match="search=True"):
        Controller.from_functions(functions).tools("openai")


def test_a_kept_name_has_to_exist() -> None:
    for dialect in ("openai", "anthropic"):
        with pytest.raises(UnknownFunctionError):
            shop()[1].tools(dialect, search=True, keep=["nothing"])
