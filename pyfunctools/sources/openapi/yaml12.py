"""YAML 1.2 as JSON: the types of its core schema, built from the events of PyYAML's parser.

Differences from YAML 1.2: a number with leading zeros (`007`) stays a text, as authors intend; and
merge keys (`<<`, of YAML 1.1) are supported, since documents use them. An alias is the same object
again, not a copy.
"""

import re
from collections.abc import Iterator
from math import isfinite
from typing import cast

import yaml

from pyfunctools._json import JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.limits import Limits

_WORDS: dict[str, JsonValue] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)
_FLOAT = re.compile(
    r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", re.ASCII
)
_NOT_IN_JSON = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMERIC = frozenset("0123456789+-.")
_MERGE = "tag:yaml.org,2002:merge"


def parse_yaml(text: str, name: str, limits: Limits) -> JsonValue:
    """Return the one document in a YAML text.

    Raises:
        DocumentError: it is not YAML; or has several documents, a duplicate key, a tag
            (other than `!!merge`), or an alias inside of its own anchor.
        RecursionError: it is nested too deep.
        OverflowError: it has more nodes than `limits` allow, aliases counted each time.
    """
    # With libyaml, if PyYAML was built with it: thirty times as fast.
    loader: type[yaml.CSafeLoader] | type[yaml.SafeLoader]
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        events = yaml.parse(text, Loader=loader)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return _Reader(cast("Iterator[yaml.Event]", events), name, limits).document()
    except yaml.MarkedYAMLError as error:
        where = "" if error.problem_mark is None else _position(error.problem_mark)
        raise DocumentError(name, f"This is not YAML: {error.problem}{where}.") from None
    except (yaml.YAMLError, UnicodeError) as error:
        reason = str(error).splitlines()[0]
        raise DocumentError(name, f"This is not YAML: {reason}.") from None


def _position(mark: yaml.Mark) -> str:
    return f", line {mark.line + 1} column {mark.column + 1}"


class _Reader:
    """A reader of values from events; `_anchors` has each value with the number of its nodes."""

    def __init__(self, events: Iterator[yaml.Event], name: str, limits: Limits) -> None:
        self._events = events
        self._name = name
        self._limits = limits
        self._nodes = 0
        self._anchors: dict[str, tuple[JsonValue, int] | None] = {}

    def document(self) -> JsonValue:
        """Return the value of the only document."""
        values: list[JsonValue] = []
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if values:
                    raise self._error("there are several documents in it", event)
                values.append(self._value(next(self._events)))
        return values[0] if values else None

    def _value(self, event: yaml.Event) -> JsonValue:
        if isinstance(event, yaml.AliasEvent):
            return self._known(event)
        before = self._nodes
        self._count(1)
        event = self._untagged(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            value = self._typed(event.value, event) if event.implicit[0] else event.value
        else:
            is_map = isinstance(event, yaml.MappingStartEvent)
            value = self._object() if is_map else self._array()
        if event.anchor is not None:
            self._anchors[event.anchor] = value, self._nodes - before
        return value

    def _untagged(self, event: yaml.Event) -> yaml.ScalarEvent | yaml.CollectionStartEvent:
        if not isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
            raise self._error("a value is missing", event)
        if event.tag is not None:
            raise self._error(f"the tag {event.tag!r} has no meaning in JSON", event)
        return event

    def _known(self, event: yaml.AliasEvent) -> JsonValue:
        if event.anchor not in self._anchors:
            raise self._error(f"there is no anchor {event.anchor!r}", event)
        known = self._anchors[event.anchor]
        if known is None:
            raise self._error(f"{event.anchor!r} contains itself", event)
        self._count(known[1])
        return known[0]

    def _array(self) -> list[JsonValue]:
        items: list[JsonValue] = []
        while not isinstance(event := next(self._events), yaml.CollectionEndEvent):
            items.append(self._value(event))
        return items

    def _object(self) -> dict[str, JsonValue]:
        found: dict[str, JsonValue] = {}
        merged: list[JsonValue] = []
        while not isinstance(event := next(self._events), yaml.CollectionEndEvent):
            key = self._key(event)
            if key is None:
                value = self._value(next(self._events))
                merged += value if isinstance(value, list) else [value]
            elif key in found:
                raise self._error(f"the key {key!r} stands twice in one object", event)
            else:
                found[key] = self._value(next(self._events))
        for one in merged:
            if not isinstance(one, dict):
                raise self._error("`<<` merges objects only", event)
            found = {**found, **{key: one[key] for key in one if key not in found}}
        return found

    def _key(self, event: yaml.Event) -> str | None:
        """Return a key, which is never typed; `None` for the key `<<`, which merges."""
        if not isinstance(event, yaml.ScalarEvent):
            value = self._value(event)
            if isinstance(value, str):
                return value
            raise self._error("a key is not text", event)
        if event.value == "<<" and (event.implicit[0] or event.tag == _MERGE):
            return None
        self._untagged(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = (event.value, 1)
        return event.value

    def _typed(self, text: str, event: yaml.Event) -> JsonValue:
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in _NUMERIC:
            return text
        if _INTEGER.fullmatch(text):
            try:
                return int(text)
            except ValueError:  # more digits than Python parses
                raise self._error("a number has too many digits", event) from None
        if _BASED.fullmatch(text):
            return int(text, 0)
        if _FLOAT.fullmatch(text) and isfinite(number := float(text)):
            return number
        if _FLOAT.fullmatch(text) or _NOT_IN_JSON.fullmatch(text):
            raise self._error(f"JSON has no number {text[:40]}", event)
        return text

    def _count(self, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > self._limits.document_nodes:
            raise OverflowError

    def _error(self, reason: str, event: yaml.Event) -> DocumentError:
        where = _position(event.start_mark)
        return DocumentError(self._name, f"This YAML is refused: {reason}{where}.")
