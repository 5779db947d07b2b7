"""A person's values: hidden from every `repr`, and masked in outcomes."""

import copy
import json
import pickle
from typing import Annotated, Any

import pytest
from clock import at_most
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator

from pyfunctools import Controller, Function, Human, Issue, Outcome, Path, Retry
from pyfunctools.execution.person.masking import Masker, UnshownArguments
from pyfunctools.execution.person.withheld import Withheld

SECRET = "SECRET-7f3a"
FUNCTION = Function.from_schema(
    name="pay",
    parameters={
        "type": "object",
        "properties": {
            "to": {"type": "string"},
            "account": {"type": "string", "x-human": True},
            "pin": {"type": "string", "format": "password"},
            "rows": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "n": {"type": "integer"},
                        "token": {"type": "integer", "x-vendor-secret-key": True, "x-human": True},
                    },
                },
            },
        },
    },
)
HUMAN = {
    "account": "DE02 1203",
    "pin": SECRET,
    "rows": [{"token": 98765}, {}],
}


def test_unshown_arguments_are_a_dictionary_with_another_repr() -> None:
    arguments = UnshownArguments({"pin": SECRET, "rows": [{"token": SECRET}]})
    assert arguments == {"pin": SECRET, "rows": [{"token": SECRET}]}
    assert json.loads(json.dumps(arguments)) == arguments
    assert repr(arguments) == "{'pin': ***, 'rows': ***}"
    assert SECRET not in f"{arguments} {[arguments]} {arguments!r} {arguments!s}"
    for again in (copy.deepcopy(arguments), pickle.loads(pickle.dumps(arguments))):
        assert (type(again), again) == (UnshownArguments, arguments)
    assert again["rows"] is not arguments["rows"]


def masked(outcome: Outcome, llm: object = None) -> Outcome:
    """Mask an outcome of the call above."""
    return Withheld(FUNCTION, llm, (HUMAN,)).masked(outcome)  # type: ignore[arg-type]


TEXT = f"{SECRET} of DE02 1203 for Ada, 98765"


@pytest.mark.parametrize(
    ("reason", "llm", "expected"),
    [
        ("raised", None, "*** of *** for Ada, ***"),
        ("raised", {"to": "DE02 1203", "note": SECRET}, "*** of DE02 1203 for Ada, ***"),
        (None, None, "*** of DE02 1203 for Ada, ***"),
    ],
)
def test_secrets_are_always_masked_other_values_in_errors_unless_the_model_wrote_them(
    reason: Any, llm: object, expected: str
) -> None:
    issue = Issue(path=Path.of(("x",)), expected=TEXT, value=[98765, SECRET, 1], message=TEXT)
    outcome = masked(Outcome(text=TEXT, value=TEXT, reason=reason, issues=(issue,)), llm)
    [issue] = outcome.issues
    assert outcome.text == issue.expected == issue.message == expected
    assert issue.value == ["***", "***", 1]
    assert outcome.value == TEXT  # for the program


@pytest.mark.parametrize(
    ("value", "text", "expected"),
    [
        ("1234", "pin=1234x", "pin=***x"),
        ("123", "the cvc 123, 1234 and a123", "the cvc ***, 1234 and a123"),
        ("12", "12, a12 and 120", "***, a12 and 120"),
        ("7", "7 of 77", "*** of 77"),
        ("", "text", "text"),
        ('a"b\\c', json.dumps({"k": 'a"b\\c'}), '{"k": "***"}'),
        ("größe", json.dumps({"k": "größe"}), '{"k": "***"}'),
        ("größe", json.dumps({"k": "größe"}, ensure_ascii=False), '{"k": "***"}'),
        ("it's\n", repr({"k": "it's\n"}), "{'k': \"***\"}"),
        ("a b/c&d", "?q=a+b%2Fc%26d&", "?q=***&"),
        ("a b/c&d", "/x/a%20b%2Fc%26d", "/x/***"),
        ("a b/c&d", "/x/a%20b/c%26d", "/x/***"),
        ("abc\u200bdef", "abcdef", "***"),
        (SECRET, f'"{SECRET[:6]}… and {SECRET[:4]}…', '"***… and ***…'),
        (SECRET, f"{SECRET[:3]}…", "***…"),
        (SECRET, f"un{SECRET[:3]}…", f"un{SECRET[:3]}…"),
        (SECRET, f"{SECRET[:6]}...{SECRET[-5:]}", "***...***"),
        (
            SECRET,
            f"{{'pin': '{SECRET[:9]}...{SECRET[-2:]}', 'n': 1}}",
            "{'pin': '***...***', 'n': 1}",
        ),
        (SECRET, f"[{SECRET[:9]} [...]", "[*** [...]"),
        ("a&b<c", "<b>a&amp;b&lt;c</b>", "<b>***</b>"),
        ("a" * 5000, "a" * 2000 + "…", "***…"),
        ("abcdef", "abcdefabcdef", "******"),
    ],
)
def test_values_are_masked_in_every_spelling(value: str, text: str, expected: str) -> None:
    assert Masker([value]).text(text) == expected


def test_the_longer_of_two_values_is_masked_first() -> None:
    assert Masker(["abcd", "abcdefgh"]).text("abcdefgh abcd") == "*** ***"


@given(st.text(min_size=4, max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_no_value_is_left_in_a_text(value: str, before: str, after: str) -> None:
    text = Masker([value]).text(before + value + after)
    assert value not in text or "*" in value


def test_a_value_that_is_nested_too_deeply_is_masked_whole() -> None:
    deep: list[object] = [SECRET]
    for _ in range(100_000):
        deep = [deep]
    assert Masker([SECRET]).value(deep) == "***"  # type: ignore[arg-type]


def test_long_texts_are_masked_in_linear_time() -> None:
    values = ["a" * 4000, "b" * 100_000, *(f"value-{n}" for n in range(50))]
    text = ("a" * 3999 + "…") * 300 + "b" * 100_000
    with at_most(2):
        assert "b" * 100 not in Masker(values).text(text)


def test_a_value_that_a_hint_changes_is_masked_as_the_method_gets_it() -> None:
    def pay(n: int, pin: Annotated[Human[str], AfterValidator(str.upper)]) -> str:
        raise Retry(f"not with {pin}")

    outcome = Controller.from_functions([pay]).call("pay", {"n": 1}, human={"pin": "secret-pin"})
    assert outcome.text == "not with ***"


def test_an_object_that_cannot_be_compared_reaches_its_method() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise ValueError("ambiguous")

        __hash__ = None  # type: ignore[assignment]

    def pay(n: int, pin: Annotated[Human[str], AfterValidator(lambda _: Odd())]) -> str:
        return type(pin).__name__

    outcome = Controller.from_functions([pay]).call("pay", {"n": 1}, human={"pin": "secret-pin"})
    assert outcome.text == "Odd"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"status": 404}, "404 Not Found"),
        ({"body": b"", "Content_Length": "9"}, "broke inside the answer"),
    ],
)
@pytest.mark.parametrize("word", ["a", "not", "404", "Found", "Nothing", "person", "broke", "run"])
def test_words_of_ours_do_not_tell_which_of_them_a_value_is(
    answering: Any, answer: dict[str, Any], text: str, word: str
) -> None:
    def once(connection: Any) -> None:
        connection.answer(**answer, Connection="close")
        connection.sock.close()

    value = {"type": "string", "x-human": True}
    properties = {"a": value, "b": {**value, "maxLength": 9}}
    schema = {"type": "object", "properties": properties, "required": ["a"]}
    body = {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
    api = Controller.from_openapi(
        {"openapi": "3.1.0", "paths": {"/f": {"post": body}}}, server=answering(once).url
    )
    told = [
        api.call("f_post", human={"body": {"a": word, "b": "x" * 10}}),
        api.configured(confirm=True).call("f_post", human={"body": {"a": word}}),
        api.configured(confirm=True).call("f_post", human={"body": {"a": word}}, approve=False),
        api.call("f_post", human={"body": {"a": word}}),
    ]
    waiting = api.call("f_post").waiting
    assert waiting is not None
    assert waiting.ticket is not None
    told += [api.resume(waiting.ticket, {"body": {"a": word}}) for _ in range(2)]
    assert told[-1].replayed
    assert all(text in each.text for each in told[3:])
    assert all("***" not in each.text for each in told)
