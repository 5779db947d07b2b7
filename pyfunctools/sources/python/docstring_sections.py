"""The sections of a docstring: what they describe, in the style that each is written in.

The text is cut into blocks first, and each block that describes something is read on its own: one
that cannot be read stays in the description as it is written, and spoils no other.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, cast

MAX_NAME = 500
"""What stands before a colon and is longer is no name; the parser's patterns are slow on it."""

_TITLES = {
    **dict.fromkeys(("args", "arguments", "parameters", "params"), "Args"),
    **dict.fromkeys(("keyword args", "keyword arguments", "keyword parameters"), "Args"),
    **dict.fromkeys(("other args", "other arguments", "other parameters"), "Args"),
    **dict.fromkeys(("attributes", "fields"), "Attributes"),
    **dict.fromkeys(("return", "returns"), "Returns"),
    **dict.fromkeys(("yield", "yields"), "Yields"),
    **dict.fromkeys(("raise", "raises", "exception", "exceptions", "warns"), ""),
    **dict.fromkeys(("example", "examples", "see also", "references"), ""),
}
"""Titles of sections in lower case, and their standard spelling; those without are left out."""

_GOOGLE = re.compile(r"([A-Za-z][A-Za-z ]{1,30}):[ \t]*(\S.*)?")
_RULE = re.compile(r"[-=]{3,}[ \t]*")
_FIELD = re.compile(
    r"([:@])(param|parameter|arg|argument|key|keyword|attribute|ivar|cvar|var|type|vartype|rtype"
    r"|ytype|returns?|yields?|raises?|except|exception|example|see)\b([^:\n]*):(.*)",
    re.DOTALL,
)
_NAMED = frozenset(
    {"param", "parameter", "arg", "argument", "key", "keyword", "attribute", "ivar", "cvar", "var"}
)
_ATTRIBUTES = frozenset({"attribute", "ivar", "cvar", "var"})


@dataclass(slots=True, kw_only=True)
class _Block:
    """Lines that belong together; `style` is that of a description, `title` the section's."""

    lines: list[str]
    style: str | None = None
    title: str = ""


def _blocks(lines: list[str]) -> Iterator[_Block]:
    block = _Block(lines=[])
    for index, line in enumerate(lines):
        if index and (start := _start(line, lines[index + 1 : index + 2])):
            yield block
            block = start
        elif _ends(block, line):
            yield block
            block = _Block(lines=[line])
        else:
            block.lines.append(line)
    yield block


def _start(line: str, following: list[str]) -> _Block | None:
    """Return the block that begins with this line, or `None` where none begins."""
    if not line or line[0].isspace():
        return None
    if match := _FIELD.match(line):
        return _Block(lines=[line], style="REST" if match[1] == ":" else "EPYDOC", title=match[2])
    if following and _RULE.fullmatch(following[0]):
        title = _TITLES.get(line.strip().lower())
        return _Block(lines=[line], style=None if title is None else "NUMPYDOC", title=title or "")
    if match := _GOOGLE.fullmatch(line):
        title = _TITLES.get(match[1].lower())
        if title is not None and (not match[2] or title in ("Returns", "Yields")):
            return _Block(lines=[line], style="GOOGLE", title=title)
    return None


def _ends(block: _Block, line: str) -> bool:
    """Return whether this line, which begins no block, ends the one before it."""
    if block.style is None or not line or line[0].isspace():
        return False
    if block.style == "NUMPYDOC":
        return False  # names stand as far left as the title
    return block.style == "GOOGLE" or line[0] in ":@" or not block.lines[-1].strip()


class Found:
    """What the blocks of one docstring describe, and its `text`: all the rest."""

    def __init__(self, lines: list[str]) -> None:
        self.parameters: dict[str, str] = {}
        self.attributes: dict[str, str] = {}
        self.returns = ""
        prose = [
            "\n".join(block.lines).strip("\n").rstrip()
            for block in _blocks(lines)
            if block.style is None or not self._read(block)
        ]
        self.text = "\n\n".join(filter(None, prose))

    def _read(self, block: _Block) -> bool:
        """Read a block, and return whether it could be read."""
        from docstring_parser import DocstringStyle, ParseError, parse

        if not block.title:
            return True
        if any(len(head.partition(":")[0]) > MAX_NAME for head in _heads(block)):
            return False
        try:
            parsed = parse("\n" + _parsable(block), DocstringStyle[block.style or "AUTO"])
        except ParseError:
            return False
        for meta in cast("list[_Meta]", parsed.meta):
            self._take(meta)
        return True

    def _take(self, meta: "_Meta") -> None:
        key = meta.args[0] if meta.args else ""
        said = (meta.description or "").strip()
        named: str | None = getattr(meta, "arg_name", None)
        if key in ("return", "returns", "yield", "yields"):
            typed: str = getattr(meta, "type_name", None) or ""
            self.returns = self.returns or said or _prose(typed)
        elif said and (named is not None or key in _ATTRIBUTES) and key not in ("type", "vartype"):
            place = self.attributes if key in _ATTRIBUTES else self.parameters
            for name in (named or meta.args[-1]).split(","):
                place.setdefault(name.strip("*\\` "), said)


class _Meta(Protocol):
    """What the parser gives for each thing described; it has no types of its own."""

    args: list[str]
    description: str | None


def _parsable(block: _Block) -> str:
    """Return the block in the spelling that the parser of its style takes."""
    head, *rest = block.lines
    if block.style == "NUMPYDOC":
        return "\n".join([block.title if block.title != "Args" else "Parameters", *rest])
    if block.style == "GOOGLE":
        inline = head.partition(":")[2].strip()
        body = [f"    {inline}", *rest] if inline else rest
        if block.title in ("Args", "Attributes"):
            body = _items(body)
        return "\n".join([f"{block.title}:", *body])
    match = _FIELD.match("\n".join(block.lines))
    if match is None or match[2] not in _NAMED or not match[3].split():
        return "\n".join(block.lines)
    return f"{match[1]}{match[2]} {match[3].split()[-1]}:{match[4]}"


def _heads(block: _Block) -> list[str]:
    """Return the lines that begin an item: those as far left as the first."""
    lines = [line for line in block.lines[block.style in ("GOOGLE", "NUMPYDOC") :] if line.strip()]
    return [line for line in lines if _indent(line) <= _indent(lines[0])]


def _items(lines: list[str]) -> list[str]:
    """Return the items of a section with the colon after each name that the parser insists on."""
    indent = next((_indent(line) for line in lines if line.strip()), 0)
    return [_item(line) if _indent(line) == indent else line for line in lines]


def _item(line: str) -> str:
    if ":" in line or not line.strip():
        return line
    name, dash, said = line.partition(" - ")
    return f"{name}: {said}" if dash else f"{line}:"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _prose(text: str) -> str:
    """Return what stands where a type does, if it is a sentence rather than a type."""
    return text if " " in text and not set("[]|,") & set(text) else ""
