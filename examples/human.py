"""A person's values in a call: not shown to the model, not accepted from it, merged at the end."""

from dataclasses import dataclass
from typing import Annotated

from pyfunctools import Controller, Human, function, human


@dataclass
class Recipient:
    name: str
    account: Annotated[str, human("The account to pay into")]


class Bank:
    """A bank."""

    @function(destructive=True, confirm=True)
    def transfer(self, amount: float, to: Recipient, pin: Human[str]) -> str:
        """Send money to somebody.

        Args:
            amount: Euros.
            to: Who gets it.
            pin: The secret number.
        """
        allowed = "accepted" if pin == "1234" else "refused"
        return f"{amount:.2f} euros to {to.name}, account {to.account[-4:]}: {allowed}"


def main() -> None:
    with Controller.from_object(Bank()) as bank:
        separated = bank["transfer"].separated
        assert separated is not None
        print("the model sees  ", separated.llm["properties"])
        print("the human gives ", separated.human)

        wrote = '{"amount": "12.5", "to": {"name": "Ada"}}'
        gave = {"pin": "1234", "to": {"account": "DE02 1203 0000 0000 2020 51"}}

        # Without the person's values nothing runs; the outcome has the questions to ask.
        waiting = bank.call("transfer", wrote)
        print(waiting.text, waiting.reason)

        # A function with `confirm` runs only after a person approves the whole call.
        done = bank.call("transfer", wrote, human=gave, approve=lambda call: True)
        print(done.text)

        # A call in which the model writes a value of the person is refused.
        smuggled = '{"amount": 12.5, "to": {"name": "Ada", "account": "ATTACKER"}, "pin": "0000"}'
        refused = bank.call("transfer", smuggled, human=gave, approve=lambda call: True)
        print(refused.text)


if __name__ == "__main__":
    main()
