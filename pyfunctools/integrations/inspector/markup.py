"""HTML as text: everything is escaped but what `tag` made; invisible characters are shown."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, TypeAlias, cast

from pyfunctools import File
from pyfunctools._json import JsonValue
from pyfunctools.schema.feedback.pretty import pretty_json
from pyfunctools.schema.ground.json_values import escape_invisible


class Markup(str):
    """HTML that is safe to send."""

    __slots__ = ()


Child: TypeAlias = "str | Iterable[Child] | bool | None"
"""What an element contains: texts, which are escaped, `Markup`, and lists of these."""

_EMPTY = frozenset({"input", "link", "meta"})
_AS_GIVEN = frozenset({"value", "href", "action"})
"""Attributes that the browser sends back, so that no character is replaced."""


def tag(name: str, /, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """Return an element; `class_` and `aria_label` are the attributes `class` and `aria-label`."""
    start = f"<{name}{''.join(_attribute(*each) for each in attributes.items())}>"
    if name in _EMPTY:
        return Markup(start)
    inner = joined(children)
    # The parser drops a line feed at the beginning of these two.
    line = "\n" if name in ("pre", "textarea") and inner.startswith("\n") else ""
    return Markup(f"{start}{line}{inner}</{name}>")


def joined(children: Child) -> Markup:
    """Return children one after another."""
    if children is None or isinstance(children, bool):
        return Markup()
    if isinstance(children, Markup):
        return children
    if isinstance(children, str):
        return Markup(escape(escape_invisible(children)))
    return Markup("".join(map(joined, children)))


def spaced(children: Iterable[Child]) -> Child:
    """Return children with a space behind each; empty ones are left out."""
    return [[each, " "] for each in children if each]


def facts(texts: Iterable[str | None]) -> Markup | None:
    """Return short texts in a row."""
    shown = spaced(tag("span", each, class_="fact") for each in texts if each)
    return tag("p", shown) if shown else None


def raw(text: str) -> Markup:
    """Return text for a `textarea`: it comes back from the browser as it is."""
    return Markup(escape(text))


def json_text(value: object) -> str:
    """Return a value as JSON of several lines, each file by its name and size."""
    try:
        return pretty_json(_plain(value))
    except RecursionError:  # or it contains itself
        return f"<{type(value).__name__}, nested too deeply>"


def _plain(value: object) -> JsonValue:
    if isinstance(value, File):
        return f"<file {value.filename or ''}, {len(value.content):,} bytes>"
    if isinstance(value, Mapping):
        members = cast("Mapping[Any, Any]", value)
        return {str(key): _plain(each) for key, each in members.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in cast("Sequence[Any]", value)]
    return value if isinstance(value, str | int | float | None) else repr(value)


def code_block(text: Child, **attributes: str) -> Markup:
    """Return text in a `pre` that the keyboard can scroll."""
    return tag("pre", text, tabindex="0", **attributes)


def json_block(value: object) -> Markup:
    """Return a value as JSON in a `pre`."""
    return code_block(json_text(value))


def _attribute(name: str, value: str | int | bool | None) -> str:
    name = name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    if value is True and not name.startswith("aria-"):
        return f" {name}"
    text = "true" if value is True else str(value)
    return f' {name}="{escape(text if name in _AS_GIVEN else escape_invisible(text))}"'
