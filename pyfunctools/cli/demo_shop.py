"""The demo's shop."""

from typing import Annotated, Literal

from pydantic import Field

from pyfunctools.sources.python.decorators import function
from pyfunctools.sources.python.markers import Human


class TeaShop:
    """A small shop of teas."""

    @function(tags=["orders"])
    def order(
        self,
        tea: Literal["Sencha", "Gyokuro", "Assam", "Tieguanyin"],
        grams: Annotated[int, Field(ge=25, le=1000)],
        card_number: Human[str],
        wrapping: Literal["plain", "gift"] = "plain",
    ) -> dict[str, str]:
        """Order a tea by the gram.

        Args:
            grams: The weight in grams.
        """
        parcel = f"{grams} g of {tea}, {wrapping}"
        return {"parcel": parcel, "charged": card_number}

    @function(tags=["advice"], read_only=True)
    def brewing(self, kind: Literal["green", "black", "oolong"], cups: int = 1) -> str:
        """Return how to brew a kind of tea.

        Args:
            kind: The kind of tea.
            cups: How many cups at once.
        """
        celsius = {"green": 70, "black": 95, "oolong": 88}[kind]
        return f"{celsius} degrees for {2.0 + 0.5 * min(cups, 4)} minutes"
