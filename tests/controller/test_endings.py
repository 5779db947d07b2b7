"""How a turn ended, and what a program and a model are told of it."""

from collections.abc import Sequence
from json import dumps
from typing import Any, Literal, TypedDict

import pytest
from pydantic import BaseModel
from turns import response, shop
from vendor_replies import chat, claude, converse, gemini, responses, spoken_item

from pyfunctools import Controller, DefinitionError, File, UnknownFunctionError

CUT = {"type": "response", "status": "incomplete", "output": []}


@pytest.mark.parametrize(
    ("dialect", "reply", "ended", "word"),
    [
        ("openai", chat(content="Hi.", reason="stop"), "stop", "stop"),
        ("openai", chat(content="Hi", reason="length"), "length", "length"),
        ("openai", chat(content="", reason="content_filter"), "filter", "content_filter"),
        ("openai", chat(refusal="No.", reason="stop"), "refusal", "stop"),
        ("openai", chat(content="Hi", reason="tired"), "other", "tired"),
        ("openai-responses", responses(spoken_item("No.", "refusal")), "refusal", "completed"),
        (
            "openai-responses",
            {**CUT, "incomplete_details": {"reason": "content_filter"}},
            "filter",
            "content_filter",
        ),
        (
            "openai-responses",
            {**CUT, "incomplete_details": {"reason": "max_output_tokens"}},
            "length",
            "max_output_tokens",
        ),
        ("anthropic", claude({"type": "text", "text": "No."}, reason="refusal"), "refusal", None),
        ("anthropic", claude({"type": "text", "text": "H"}, reason="max_tokens"), "length", None),
        ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, "filter", "SAFETY"),
        ("gemini", gemini({"text": "H"}, reason="RECITATION"), "filter", "RECITATION"),
        ("bedrock", converse({"text": "H"}, reason="guardrail_intervened"), "filter", None),
    ],
)
def test_a_turn_tells_how_it_ended(
    dialect: str, reply: dict[str, Any], ended: str, word: str | None
) -> None:
    turn = shop()[1].tools(dialect).run(reply)
    assert (turn.ended, turn.done) == (ended, True)
    assert turn.ended_as == (word or turn.ended_as)


def test_a_turn_with_calls_ended_with_them() -> None:
    turn = shop()[1].tools().run(response(("a", "buy", '{"item": "tea"}'), reason="stop"))
    assert (turn.ended, turn.done) == ("calls", False)


@pytest.mark.parametrize(
    ("items", "done"),
    [
        ([{"type": "tool_search_call", "execution": "client", "call_id": "c"}], False),
        ([{"type": "tool_search_call", "execution": "server"}], True),
        ([{"type": "computer_call", "call_id": "c"}], False),
        ([{"type": "mcp_approval_request", "id": "m"}], False),
        ([{"type": "shell_call", "call_id": "c"}], False),
        ([{"type": "shell_call", "call_id": "c"}, {"type": "shell_call_output"}], True),
        ([{"type": "web_search_call", "id": "w"}], True),
    ],
)
def test_a_turn_is_not_done_while_the_vendor_waits(items: list[Any], done: bool) -> None:
    assert shop()[1].tools("openai-responses").run(responses(*items)).done is done


def malformed(said: str) -> dict[str, Any]:
    made = gemini(reason="MALFORMED_FUNCTION_CALL")
    made["candidates"][0]["finishMessage"] = f"Malformed function call: {said}"
    return made


def test_a_call_that_the_vendor_could_not_read_is_read_and_answered_in_words() -> None:
    made, controller = shop()
    tools = controller.tools("gemini")
    turn = tools.run(malformed("print(default_api.buy(item='tea'))"))
    assert made.done == ["buy tea"]
    assert (turn.ended, turn.done) == ("malformed", False)
    assert turn.messages == [{"role": "user", "parts": [{"text": "buy returned:\n1 tea"}]}]


def test_a_call_that_nobody_can_read_is_asked_for_again_until_the_model_is_stuck() -> None:
    made, controller = shop()
    tools = controller.tools("gemini")
    turn = tools.run(malformed("buy(item="))
    assert not turn.done
    assert "buy(item=" in turn.messages[0]["parts"][0]["text"]
    for _ in range(2):
        assert not turn.stuck
        turn = tools.run(malformed("buy(item="), previous=turn)
    assert turn.stuck
    assert made.done == []


def test_a_malformed_turn_that_waits_is_answered_in_words_after_it_was_saved() -> None:
    tools = shop()[1].tools("gemini")
    turn = tools.run(malformed("default_api.pay(amount=2)"))
    (waiting,) = turn.waiting
    again = tools.resume(turn.save(), {waiting.call_id: {"pin": "77"}})
    assert again.messages == [{"role": "user", "parts": [{"text": "pay returned:\npaid 2"}]}]


@pytest.mark.parametrize(
    ("dialect", "which", "words"),
    [
        ("openai", "any", {"tool_choice": "required"}),
        ("openai", "none", {"tool_choice": "none"}),
        ("openai", "buy", {"tool_choice": {"type": "function", "function": {"name": "buy"}}}),
        (
            "openai-responses",
            ["buy", "pay"],
            {
                "tool_choice": {
                    "type": "allowed_tools",
                    "mode": "required",
                    "tools": [
                        {"type": "function", "name": "buy"},
                        {"type": "function", "name": "pay"},
                    ],
                }
            },
        ),
        ("anthropic", "any", {"tool_choice": {"type": "any"}}),
        ("anthropic", ["buy"], {"tool_choice": {"type": "tool", "name": "buy"}}),
        ("cohere", "any", {"tool_choice": "REQUIRED"}),
        (
            "gemini",
            ["buy", "pay"],
            {
                "tool_config": {
                    "function_calling_config": {
                        "mode": "ANY",
                        "allowed_function_names": ["buy", "pay"],
                    }
                }
            },
        ),
    ],
)
def test_a_choice_is_in_the_vendors_words(dialect: str, which: Any, words: object) -> None:
    assert shop()[1].tools(dialect).choice(which) == words


def test_bedrocks_choice_has_the_list() -> None:
    tools = shop()[1].tools("bedrock")
    config = tools.choice("buy")["toolConfig"]
    assert config == {"tools": list(tools), "toolChoice": {"tool": {"name": "buy"}}}


@pytest.mark.parametrize(
    ("dialect", "which"),
    [("anthropic", ["buy", "pay"]), ("cohere", "buy"), ("ollama", "any"), ("bedrock", "none")],
)
def test_a_choice_that_the_vendor_has_no_word_for_is_an_error(dialect: str, which: Any) -> None:
    with pytest.raises(DefinitionError, match="no word"):
        shop()[1].tools(dialect).choice(which)
    with pytest.raises(UnknownFunctionError):
        shop()[1].tools(dialect).choice("sell")


def test_a_list_is_marked_for_the_vendors_cache() -> None:
    controller = shop()[1]
    *others, last = controller.tools("anthropic", cache=True)
    assert last["cache_control"] == {"type": "ephemeral"}
    assert not any("cache_control" in each for each in others)
    assert controller.tools("bedrock", cache=True)[-1] == {"cachePoint": {"type": "default"}}
    assert controller.tools("openai", cache=True) == controller.tools("openai")


class Bill(BaseModel):
    total: int
    note: str | None = None
    labels: dict[str, int] = {}


def answer_of(dialect: str, kind: Any) -> Any:
    return Controller([]).response_format(kind, dialect)


@pytest.mark.parametrize(
    ("dialect", "reply"),
    [
        ("openai", lambda text: chat(content=text, reason="stop")),
        ("openai-responses", lambda text: responses(spoken_item(text))),
        ("anthropic", lambda text: claude({"type": "text", "text": text}, reason="end_turn")),
        ("gemini", lambda text: gemini({"text": text})),
        ("gemini-schema", lambda text: gemini({"text": text})),
        ("bedrock", lambda text: converse({"text": text}, reason="end_turn")),
        ("ollama", lambda text: {"message": {"content": text}, "done": True, "done_reason": "x"}),
    ],
)
def test_an_answer_of_a_type_is_asked_for_and_read(dialect: str, reply: Any) -> None:
    answer = answer_of(dialect, Bill)
    assert "total" in str(answer.request)
    pairs = '[{"key": "vat", "value": 2}]' if "strict" in str(answer.request) else '{"vat": 2}'
    if dialect in ("anthropic", "bedrock", "gemini-schema"):
        pairs = '[{"key": "vat", "value": 2}]'
    text = '{"total": "3", "note": null, "labels": ' + pairs + "}"
    read = answer.read(reply(f"```json\n{text}\n```"))
    assert read.value == Bill(total=3, labels={"vat": 2})
    assert read.repairs


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (int, "7", 7),
        (int, '"7"', 7),
        (bool, "true", True),
        (Literal["a", "b"], '"A"', "a"),
        (list[int], "[1, 2]", [1, 2]),
        (int, "seven", None),
        (str, "seven", None),
    ],
    ids=str,
)
def test_an_answer_without_its_wrapper_is_read(kind: Any, text: str, value: Any) -> None:
    read = answer_of("openai", kind).read(text)
    assert bool(read) is (value is not None)
    assert value is None or read.value == value


def test_an_answer_that_is_no_object_is_wrapped() -> None:
    answer = answer_of("openai", list[Literal["a", "b"]])
    assert answer.read(chat(content='{"value": ["A"]}', reason="stop")).value == ["a"]


def test_a_wrong_missing_or_cut_answer_is_a_failure_with_feedback() -> None:
    answer = answer_of("openai", Bill)
    wrong = answer.read(chat(content='{"total": "many"}', reason="stop"))
    assert not wrong
    assert "total" in wrong.feedback()
    assert not answer.read(chat(refusal="No.", reason="stop"))
    assert not answer.read(chat(content='{"total": 3', reason="length"))


def test_a_vendor_that_takes_no_schema_of_an_answer_is_an_error() -> None:
    with pytest.raises(DefinitionError, match="takes no schema"):
        answer_of("deepseek", Bill)
    with pytest.raises(DefinitionError, match=r"cannot express \$input"):
        answer_of("anthropic", dict[str, Any])


def test_a_file_leaves_a_list_before_the_output_is_judged() -> None:
    def look() -> list[object]:
        """Look."""
        return ["a cat", File(b"\x89PNG", "cat.png", "image/png")]

    outcome = Controller.from_functions([look]).call("look")
    assert (outcome.ok, outcome.text, outcome.content[0].filename) == (True, "a cat", "cat.png")


def test_a_file_in_a_mapping_is_content() -> None:
    def picture(name: str) -> dict[str, object]:
        """Draw."""
        return {"name": name, "picture": File(b"x", "a.png")}

    outcome = Controller.from_functions([picture]).call("picture", {"name": "sun"})
    assert (outcome.reason, outcome.text) == (None, '{"name": "sun"}')
    assert outcome.content == (File(b"x", "a.png"),)


A, B = File(b"x", "a.png", "image/png"), File(b"xy", "b.png", "image/png")
A_NAME, B_NAME = "a.png (image/png, 1 bytes)", "b.png (image/png, 2 bytes)"


class Album(BaseModel):
    name: str
    cover: File
    others: list[File] = []


class Named(TypedDict):
    cover: File
    name: str


@pytest.mark.parametrize(
    ("hint", "value", "json"),
    [
        (Any, {"a": [B, 1]}, {"a": [B_NAME, 1]}),
        (dict[str, File | str], {"a": A, "b": "c"}, {"b": "c"}),
        (dict[str, list[File]], {"a": [A, B]}, {"a": [A_NAME, B_NAME]}),
        (list[str | File] | None, ["a", A], "a"),
        (list[str | File], ["a", A], "a"),
        (list[str | File], ["a", A, "b"], ["a", "b"]),
        (list[str | File], [A], A_NAME),
        (list[int], [0, A], "0"),
        (tuple[str, File], ("a", A), "a"),
        (Sequence[File], [A], A_NAME),
        (File | None, A, A_NAME),
        (Album, Album(name="a", cover=A), {"name": "a", "cover": A_NAME, "others": []}),
        (
            list[Album],
            [Album(name="a", cover=A, others=[B])],
            [{"name": "a", "cover": A_NAME, "others": [B_NAME]}],
        ),
        (Named, {"cover": A, "name": "a"}, {"cover": A_NAME, "name": "a"}),
    ],
    ids=str,
)
def test_files_are_taken_out_of_any_value(hint: Any, value: Any, json: Any) -> None:
    def give() -> object:
        """Give."""
        return value

    give.__annotations__["return"] = hint
    outcome = Controller.from_functions([give]).call("give")
    assert outcome.ok
    assert outcome.text == (json if isinstance(json, str) else dumps(json))
    assert set(outcome.content) in ({A}, {B}, {A, B})


@pytest.mark.parametrize(
    ("hint", "value"),
    [(list[str | File], [1, A]), (dict[str, int], {"n": "x", "a": A}), (list[int], ["x", A])],
    ids=str,
)
def test_what_is_left_without_files_is_judged_by_the_output_schema(hint: Any, value: Any) -> None:
    def give() -> object:
        """Give."""
        return value

    give.__annotations__["return"] = hint
    assert Controller.from_functions([give]).call("give").reason == "output"
