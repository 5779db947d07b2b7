"""Hidden characters in schemas of others: TAG characters, bidirectional controls, zero width.

Texts are shown without them. A name or a listed value has to be sent as it is written, so a schema
with a hidden character there is not shown to a model at all. A default, a pattern or a format only
explains, and is left out.
"""

import json
import re
from collections.abc import Iterator

from pyfunctools._json import JsonSchema, JsonValue, members_of
from pyfunctools._text import hidden_count
from pyfunctools.note import Note, hidden_characters
from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.vocabulary import SCHEMA_MAP, VALUE_LISTS

_EXPLAINING = frozenset({"contentEncoding", "contentMediaType", "default", "format", "pattern"})
_NAMING = SCHEMA_MAP | {"dependentRequired", "discriminator", "required"} | VALUE_LISTS
_ASCII = bytes(range(128))
_ESCAPE = re.compile(
    r"\\(?:u(?:00[0178]|009|00ad|061c|180e|20(?:0[b-f]|2[89a-e]|6)|feff|fff[9ab]|d[89a-f])|U000e|x[0189])",
    re.IGNORECASE,
)


def may_have_hidden(text: str) -> bool:
    """Return whether a JSON or YAML text has hidden characters, escaped ones too.

    It may be true without them, because this is a quick test of a whole document. The pieces are
    short enough for a processor's cache, and overlap by the length of an escape.
    """
    return any(_may_have_hidden(text[at : at + _PIECE + 10]) for at in range(0, len(text), _PIECE))


def _may_have_hidden(piece: str) -> bool:
    if "\\" in piece and _ESCAPE.search(piece) is not None:
        return True
    if piece.isascii():
        return False
    others = piece.encode(errors="surrogatepass").translate(None, _ASCII)
    return hidden_count(others.decode(errors="surrogatepass")) > 0


_PIECE = 1 << 13


def hidden_fault(schema: JsonSchema) -> str | None:
    """Return why a schema, without its subschemas, cannot be shown to a model, or `None`."""
    for keyword in _NAMING & schema.keys():
        value = schema[keyword]
        shown = [*members_of(value)] if keyword in SCHEMA_MAP else value
        if count := _hidden_in(shown):
            what = f"the {'values' if keyword in VALUE_LISTS else 'names'} of `{keyword}`"
            return f"{hidden_characters(count)} in {what}, and would mislead a model."
    return None


def without_hidden(schema: JsonSchema) -> dict[str, JsonValue]:
    """Return a schema without keywords that only explain and have hidden characters."""
    return {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in _EXPLAINING or not _hidden_in(value)
    }


def notes_on_hidden(schema: JsonSchema | bool, pointer: str) -> Iterator[Note]:
    """Yield a note on each keyword that `without_hidden` leaves out, in subschemas too."""
    for keys, inner in subschemas(schema):
        for keyword in sorted(_EXPLAINING & members_of(inner).keys()):
            if count := _hidden_in(members_of(inner)[keyword]):
                text = f"`{keyword}` is left out: {hidden_characters(count)} in it."
                yield Note(text=text, pointer=pointer + pointer_of((*keys, keyword)))


def _hidden_in(value: JsonValue) -> int:
    """Return the count of hidden characters in a value; lone surrogates are errors of their own."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return hidden_count(_SURROGATES.sub("", text))


_SURROGATES = re.compile("[\ud800-\udfff]")
