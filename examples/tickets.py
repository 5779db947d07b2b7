"""A person answers in a later request: a ticket holds the waiting call, and resumes it once."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from pyfunctools import (
    Approval,
    Controller,
    Human,
    PendingCall,
    SqliteStore,
    Tickets,
    function,
)

# Every process that resumes tickets needs the same key and the same store. The key is a secret of
# the application: make it once, with `secrets.token_bytes(32)`.
KEY = b"an example of 32 bytes or more, not a key"


class Bank:
    """A bank."""

    @function(destructive=True)
    def transfer(self, amount: float, to: str, pin: Human[SecretStr]) -> str:
        """Send money to somebody."""
        if pin.get_secret_value() != "4711":
            raise ValueError(f"{pin.get_secret_value()} is not the pin")
        return f"sent {amount:.2f} euros to {to}"


@dataclass
class WebApplication:
    """Two requests of a web application, without the web: a model's call, and a person's answer."""

    bank: Controller
    waiting: list[str] = field(default_factory=list[str])

    def model_wrote(self, text: str) -> None:
        """Handle the first request: the model wrote a call."""
        outcome = self.bank.call("transfer", text)
        assert outcome.waiting is not None
        assert outcome.waiting.ticket is not None
        print(outcome.text, "- ask for:", [each.label for each in outcome.waiting.questions])
        self.waiting.append(outcome.waiting.ticket)  # or into the form that the person gets

    def person_answered(self, ticket: str, pin: str, limit: float) -> None:
        """Handle the second request: the person gives the PIN, and approves up to a limit."""

        def approve(call: PendingCall) -> bool | Approval:
            print("approve:", call.function.name, call.arguments)
            amount = call.arguments["amount"]
            if isinstance(amount, int | float) and amount <= limit:
                return True
            return Approval({**call.arguments, "amount": limit})  # the pin is kept

        outcome = self.bank.resume(ticket, {"pin": pin}, approve=approve)
        print("->", outcome.text)
        for repair in outcome.repairs:
            print("   edited:", repair.before, "to", repair.after)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Controller.from_object(Bank()) as bank:
        tickets = Tickets(KEY, store=SqliteStore(Path(folder) / "used.sqlite"), lifetime=15 * 60)
        # Every destructive function waits for an approval here.
        web = WebApplication(bank.configured(tickets=tickets, confirm="destructive"))

        web.model_wrote('{"amount": 250, "to": "Ada"}')
        web.person_answered(web.waiting[0], pin="4711", limit=100)

        # A ticket runs its call once; a changed ticket is refused.
        web.person_answered(web.waiting[0], pin="4711", limit=100)
        web.person_answered("x" + web.waiting[0], pin="4711", limit=100)

        # The PIN is masked in every text, even in the message of the method's exception.
        web.model_wrote('{"amount": 5, "to": "Bob"}')
        web.person_answered(web.waiting[1], pin="1234", limit=100)


if __name__ == "__main__":
    main()
