"""JSON as a person reads it."""

from sys import maxsize

from pyfunctools._json import JsonValue
from pyfunctools.schema.feedback.feedback import CommentedPlace, Detail, LineWriter


def pretty_json(value: JsonValue, inline: int = 60) -> str:
    """Return JSON in which every object and array of up to `inline` characters is on one line."""
    writer = LineWriter(
        Detail(
            size=maxsize,
            properties=maxsize,
            items=maxsize,
            inline=inline,
            depth=maxsize,
            text=maxsize,
        )
    )
    writer.write(value, CommentedPlace())
    return "\n".join(writer.lines)
