"""Notes about hints and docstrings of Python functions."""

from datetime import date
from typing import Annotated

from pydantic import BaseModel, Field, WithJsonSchema

from pyfunctools import function_of
from pyfunctools.note import Note


class Tea(BaseModel):
    name: str = Field(description="The\u200b name")


def test_hidden_characters_of_a_docstring_are_noted() -> None:
    def buy(tea: Tea, grams: int) -> None:
        """Buy\u202e tea.

        Args:
            grams: How\U000e0041 much.
        """

    function = function_of(buy)
    assert function.description == "Buy tea."
    assert set(function.notes) == {
        Note(text="1 hidden character is left out of the description."),
        Note(
            text="1 hidden character is left out of `description`.",
            pointer="/parameters/properties/grams/description",
        ),
        Note(
            text="1 hidden character is left out of `description`.",
            pointer="/parameters/$defs/Tea/properties/name/description",
        ),
    }


def test_a_pattern_that_cannot_be_enforced_is_noted() -> None:
    def find(what: Annotated[str, WithJsonSchema({"type": "string", "pattern": "("})]) -> None:
        """Find something."""

    [note] = function_of(find).notes
    assert note.text == '`pattern` cannot be "(", and is left out.'


def test_a_plain_function_has_no_notes() -> None:
    def find(what: str, limit: int = 3, day: date | None = None) -> list[str]:
        """Find something."""
        return []

    assert function_of(find).notes == ()
