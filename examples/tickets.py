"""A person answers in another request: the call waits as a ticket, and goes on from it once."""

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

# The same key and the same store in every process that takes the tickets back. The key is a secret
# of the application's: `secrets.token_bytes(32)` made once.
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
    """What a web application does, without the web: two requests, and what is between them."""

    bank: Controller
    waiting: list[str] = field(default_factory=list[str])

    def model_wrote(self, text: str) -> None:
        """Handle the first request: the model wants to call."""
        outcome = self.bank.call("transfer", text)
        assert outcome.waiting is not None
        assert outcome.waiting.ticket is not None
        print(outcome.text, "- ask for:", [each.label for each in outcome.waiting.questions])
        self.waiting.append(outcome.waiting.ticket)  # or into the form that the person gets

    def person_answered(self, ticket: str, pin: str, limit: float) -> None:
        """Handle the second one, later: the person gave the pin, and approves up to a limit."""

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

        # A ticket is good for one run, and for nothing else than what it was given out for.
        web.person_answered(web.waiting[0], pin="4711", limit=100)
        web.person_answered("x" + web.waiting[0], pin="4711", limit=100)

        # What the person gave is in no text, not even where the method puts it there.
        web.model_wrote('{"amount": 5, "to": "Bob"}')
        web.person_answered(web.waiting[1], pin="1234", limit=100)


if __name__ == "__main__":
    main()
