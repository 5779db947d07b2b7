"""Tests of an agent without a model: a scripted model and person, a replaced function, a fuzzer."""

from typing import Any

from hypothesis import given

from pyfunctools import Controller, Human, function
from pyfunctools.testing import ScriptedModel, ScriptedPerson, arguments, fuzz


class Shop:
    """A shop."""

    @function
    def refund(self, order: str, cents: int, pin: Human[str]) -> str:
        """Pay money back."""
        raise AssertionError(f"no test pays {cents} back for {order}, pin or not")

    @function
    def share(self, cents: int, people: int) -> int:
        """Divide a bill."""
        return cents // people


shop = Controller.from_object(Shop())
paid: list[tuple[str, int, str]] = []


def refund(order: str, cents: int, pin: str) -> str:
    paid.append((order, cents, pin))
    return f"paid {cents} back"


def test_a_refund_is_paid_once_and_the_pin_stays_with_the_person() -> None:
    tested = shop.replaced({"refund": refund})
    model = ScriptedModel(
        ("refund", {"order": "A-7", "cents": "a lot"}),  # a mistake, which feedback reports
        ("refund", "{'order': 'A-7', cents: 250,"),  # broken JSON, on purpose
        "It is paid.",
    )
    person = ScriptedPerson(values={"refund": {"pin": "4711"}})
    tools = tested.tools("openai")
    messages: list[Any] = [{"role": "user", "content": "I want my money back for A-7."}]
    while True:
        turn = tools.run(model(messages, tools), human=person.give)
        messages += turn.messages
        if turn.done:
            break
    assert paid == [("A-7", 250, "4711")]
    assert model.was_sent("expected integer")
    assert not model.was_sent("4711")
    assert not model.was_sent('"pin"')
    print("paid:", paid)


@given(arguments(shop["refund"]))
def test_any_refund_waits_for_the_pin(value: Any) -> None:
    assert shop.call("refund", value).reason == "needs_human"


def test_what_a_fuzzer_finds() -> None:
    findings = fuzz(shop.select(names="share"))
    for found in findings:
        print(f"{found.function}({found.arguments}): {found.text}")
    assert [found.function for found in findings] == ["share"]


test_a_refund_is_paid_once_and_the_pin_stays_with_the_person()
test_any_refund_waits_for_the_pin()
test_what_a_fuzzer_finds()
