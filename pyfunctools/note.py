"""Notes about oddities of a source that still became a function."""

from dataclasses import dataclass

from pyfunctools._text import hidden_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """An oddity of a source, and how it was treated.

    `pointer` is the JSON Pointer (RFC 6901) of the place, if it is known.
    """

    text: str
    pointer: str | None = None

    def __str__(self) -> str:
        return self.text if self.pointer is None else f"{self.text} (at {self.pointer or '/'})"


def hidden_notes(what: str, text: str, pointer: str | None = None) -> tuple[Note, ...]:
    """Return a note about the hidden characters that are left out of a text, if it has any."""
    if not (count := hidden_count(text)):
        return ()
    return (Note(text=f"{hidden_characters(count)} left out of {what}.", pointer=pointer),)


def hidden_characters(count: int) -> str:
    """Return the beginning of a sentence: `2 hidden characters are`."""
    return "1 hidden character is" if count == 1 else f"{count} hidden characters are"
