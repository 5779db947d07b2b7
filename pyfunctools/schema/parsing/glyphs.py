"""The characters that models write in place of those of JSON."""

from typing import Final

COMMAS: Final = ",;\uff0c\uff1b"
"""What stands between members: comma and semicolon, narrow and wide."""

COLONS: Final = ":\uff1a"
"""What stands behind a key, narrow and wide."""

CLOSERS: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": '\u201d\u201c"',
    "\u201d": '\u201d"',
    "\u201e": '\u201d\u201c"',
    "\u201f": '\u201d"',
    "\u2018": "\u2019\u2018'",
    "\u2019": "\u2019'",
    "\u201a": "\u2019\u2018'",
    "\u00ab": "\u00bb",
}
"""What may end a string, for each quote that may begin one: straight, curly, low or angled."""

OPENING: Final = "".join(CLOSERS)
"""What may begin a string."""

QUOTES: Final = OPENING + "\u00bb"
"""What may begin or end a string."""

HIDDEN: Final = "\ufeff\u200b\u2060"
"""Characters without width, which count as space."""

SPACE: Final = " \t\n\r"
"""What JSON takes for space (RFC 8259, section 2)."""
