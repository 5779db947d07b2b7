"""A program of a model: a refund run over orders, and an approval on Tuesday, in another process.

The model writes one text in the place of many calls. What is small is refunded at once; the rest
stands still until a person has decided, each order by itself. In between there is only a ticket.
"""

import tempfile
from pathlib import Path
from typing import Any

from pyfunctools import Controller, Outcome, PendingCall, SqliteStore, Tickets, function

KEY = b"an example of 32 bytes or more, not a key"

WRITTEN = """
import asyncio

async def pay_back(order):
    try:
        return await refund(order=order["id"], amount=order["total"])
    except RuntimeError as error:
        return f"{order['id']}: {error}"

late = [order for order in await orders(status="late")]
print(len(late), "late orders,", sum(order["total"] for order in late), "euros")
await asyncio.gather(*[pay_back(order) for order in late])
"""
"""What the model wrote."""


class Shop:
    """A shop."""

    @function(read_only=True)
    def orders(self, status: str) -> list[dict[str, Any]]:
        """List the orders with a status."""
        totals = {101: 12, 102: 480, 103: 950, 104: 30}
        return [{"id": number, "total": total} for number, total in totals.items()]

    @function(destructive=True)
    def refund(self, order: int, amount: float) -> str:
        """Refund an order."""
        return f"{order}: refunded {amount:.0f} euros"


def a_process(folder: Path) -> Controller:
    """Return the shop's programs, as each process of the application makes them."""
    tickets = Tickets(KEY, store=SqliteStore(folder / "used.sqlite"), lifetime=7 * 24 * 3600)

    def is_large(call: PendingCall) -> bool:
        return call.function.name == "refund" and call.arguments["amount"] > 100

    return Controller.from_object(Shop()).configured(tickets=tickets, confirm=is_large).programs()


def show(day: str, outcome: Outcome) -> None:
    print(f"{day}: {outcome.text}")
    for each in outcome.calls:
        print(f"  {each.function}: {each.outcome.reason or 'ran'}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        monday = a_process(Path(folder))
        outcome = monday.call("run_program", {"code": WRITTEN}, audience="manager")
        show("Monday", outcome)
        assert outcome.waiting is not None
        print(f"  kept until then: {len(outcome.waiting.ticket or ''):,} characters")

        tuesday = a_process(Path(folder))  # it shares the key and the store, and nothing else
        answers: dict[str, bool] = {}
        for each in outcome.waiting.pending:
            answers[each.call_id] = each.arguments["amount"] <= 500
            print(f"  the manager reads {each.arguments}: {answers[each.call_id]}")
        outcome = tuesday.resume(outcome.waiting.ticket, answers, audience="manager")
        show("Tuesday", outcome)


if __name__ == "__main__":
    main()
