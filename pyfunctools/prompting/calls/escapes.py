"""What the backslashes in a string of Python or JSON stand for."""

import re
from typing import Final

_ESCAPE: Final = re.compile(
    r"\\(?:(\n)|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.))", re.DOTALL
)
_ESCAPED: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    **{char: char for char in "\\\"'/"},
}
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def unescaped(text: str, raw: bool = False) -> str:
    """Return what a string between its quotes says; in a `raw` one a backslash is one.

    An escape that neither Python nor JSON knows stays as it is written.
    """
    if raw or "\\" not in text:
        return text
    value = _ESCAPE.sub(_character, text)
    if "\\u" in text or "\\U" in text:
        value = _PAIR.sub(
            lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), value
        )
    return value


def _character(found: re.Match[str]) -> str:
    line, pair, four, eight, octal, other = found.groups()
    if line is not None:
        return ""
    if other is not None:
        return _ESCAPED.get(other, found[0])
    if octal is not None:
        return chr(int(octal, 8))
    code = int(pair or four or eight, 16)
    return chr(code) if code < 0x110000 else found[0]
