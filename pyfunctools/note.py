"""What was odd in a source and did not keep it from becoming a function."""

from dataclasses import dataclass

from pyfunctools._text import hidden_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """An oddity of a source, and what became of it.

    `pointer` is the JSON Pointer (RFC 6901) of the place, where there is one.
    """

    text: str
    pointer: str | None = None

    def __str__(self) -> str:
        return self.text if self.pointer is None else f"{self.text} (at {self.pointer or '/'})"


def hidden_notes(what: str, text: str, pointer: str | None = None) -> tuple[Note, ...]:
    """Note the characters that are left out of a text, since a person would not see them."""
    count = hidden_count(text)
    said = f"{hidden_said(count)} left out of {what}."
    return (Note(text=said, pointer=pointer),) if count else ()


def hidden_said(count: int) -> str:
    """Return the beginning of a sentence about hidden characters."""
    return "1 hidden character is" if count == 1 else f"{count} hidden characters are"
