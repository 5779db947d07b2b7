"""Methods of a class as functions a model may call."""

from dataclasses import dataclass
from datetime import date
from enum import Enum

from pyfunctools import Context, Controller, Retry, function


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass
class Booking:
    """A table that is reserved.

    Attributes:
        day: The day of the visit.
        guests: How many come.
    """

    day: date
    guests: int


class Restaurant:
    """A small restaurant."""

    def __init__(self) -> None:
        self.bookings: list[Booking] = []

    @function(tags=["booking"])
    def book(self, day: date, guests: int = 2) -> Booking:
        """Book a table.

        Args:
            day: The day of the visit.
            guests: How many come.
        """
        if guests > 8:
            raise Retry("We seat at most 8 guests: book two tables instead.")
        booking = Booking(day, guests)
        self.bookings.append(booking)
        return booking

    @function(read_only=True)
    async def portions(self, dishes: dict[str, Size]) -> list[str]:
        """Return how big each dish is."""
        return [f"{name} is {size.value}" for name, size in dishes.items()]

    @function
    def greet(self, guest: Context[str]) -> str:
        """Greet the guest, whose name comes from the program, not from the model."""
        return f"Welcome, {guest}!"


def main() -> None:
    restaurant = Restaurant()
    with Controller.from_object(restaurant) as controller:
        for each in controller:
            print(each.name, "-", each.description)

        # The model writes text; the method gets a date and an int.
        booked = controller.call("book", '{"day": "2026-12-24", "guests": "4"}')
        assert booked.ok
        print(booked.text, restaurant.bookings)

        # Wrong arguments never reach the method; the outcome's text lists the mistakes.
        refused = controller.call("book", '{"day": "tomorrow"}')
        assert refused.reason == "arguments"
        print(refused.text)

        # `Retry` is not raised to the caller: its text goes back to the model.
        objected = controller.call("book", {"day": "2026-12-24", "guests": 20})
        assert objected.is_error
        print(objected.text)

        print(controller.call("portions", {"dishes": {"soup": "small"}}).value)
        print(controller.call("greet", {}, context="Ada").text)


if __name__ == "__main__":
    main()
