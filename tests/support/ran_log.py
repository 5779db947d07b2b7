"""A function that logs its runs in a file, for several processes and their kills."""

from pathlib import Path

from pyfunctools import Controller, Human, Tickets, TicketStore, function


class Log:
    """A log of what ran: one line for each, appended at once."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "ran"

    @function
    def pay(self, number: int, pin: Human[str]) -> str:
        """Pay."""
        with self._file.open("a") as file:
            file.write(f"{number}\n")
        return f"paid {number} with {pin}"


def controller_in(folder: Path, store: TicketStore) -> Controller:
    """Return the controller of a folder's log; every process has the same key."""
    tickets = Tickets(bytes(range(32)), store=store)
    return Controller.from_object(Log(folder)).configured(tickets=tickets)


def ran_in(folder: Path) -> list[int]:
    """Return the numbers that ran."""
    log = folder / "ran"
    return sorted(int(line) for line in log.read_text().split()) if log.exists() else []
