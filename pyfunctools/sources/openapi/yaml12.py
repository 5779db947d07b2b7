"""YAML 1.2 as JSON: the core schema's types, read from the parser's events.

Where YAML 1.2 and what people mean part, the text wins: a number with leading zeros stays the text
that was written. Nothing recurses, an alias is the same object again and not a copy, and merge keys
(`<<`, of YAML 1.1) are read since documents use them.
"""

import re
from collections.abc import Iterator
from typing import cast

import yaml

from pyfunctools._json import JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.limits import Limits
from pyfunctools.sources.openapi.survey import too_many_levels, too_many_nodes

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
_NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMERIC = frozenset("0123456789+-.")

_CORE = "tag:yaml.org,2002:"
_KINDS: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
}


def parse_yaml(text: str, name: str, limits: Limits) -> JsonValue:
    """Return the one document in a YAML text.

    Raises:
        DocumentError: it is no YAML, holds several documents, a duplicate key, a tag that is not of
            the core schema or an alias within what it names, or exceeds `limits`.
    """
    builder = _Builder(name, limits)
    # libyaml where this PyYAML was built with it: thirty times as fast.
    loader: type[yaml.CSafeLoader] | type[yaml.SafeLoader]
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        events = yaml.parse(text, Loader=loader)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        for event in cast("Iterator[yaml.Event]", events):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        where = "" if error.problem_mark is None else _place(error.problem_mark)
        raise DocumentError(name, f"This is not YAML: {error.problem}{where}.") from None
    except (yaml.YAMLError, UnicodeError) as error:
        reason = str(error).splitlines()[0]
        raise DocumentError(name, f"This is not YAML: {reason}.") from None
    return builder.root


def _place(mark: yaml.Mark) -> str:
    return f", line {mark.line + 1} column {mark.column + 1}"


class _Open:
    """A container that has begun and not ended."""

    __slots__ = ("anchor", "before", "key", "merged", "merging", "value")

    def __init__(
        self, value: dict[str, JsonValue] | list[JsonValue], anchor: str | None, before: int
    ) -> None:
        self.value = value
        self.anchor = anchor
        self.before = before
        self.key: str | None = None
        self.merging = False
        self.merged: list[JsonValue] = []


class _Builder:
    """Values out of events, one event at a time."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.root: JsonValue = None
        self._name = name
        self._limits = limits
        self._documents = 0
        self._nodes = 0
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[JsonValue, int] | None] = {}

    def take(self, event: yaml.Event) -> None:
        """Add the next event."""
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._end(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._start(event)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise self._refused("there are several documents in it", event)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        opened = self._open[-1] if self._open else None
        if opened is not None and opened.key is None and type(opened.value) is dict:
            self._key(opened, event)
            return
        value: JsonValue = event.value
        if event.implicit[0] or event.tag is not None:
            value = self._typed(event)
        self._count(1)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        self._put(value, event)

    def _key(self, opened: _Open, event: yaml.ScalarEvent) -> None:
        key: str = event.value
        if event.anchor is not None:
            self._anchors[event.anchor] = (key, 1)
        if event.tag is not None and event.tag != _CORE + "merge":
            self._typed(event)
        opened.merging = key == "<<" and (event.implicit[0] or event.tag == _CORE + "merge")
        if not opened.merging and key in opened.value:
            raise self._refused(f"the key {key!r} stands twice in one object", event)
        opened.key = key

    def _start(self, event: yaml.CollectionStartEvent) -> None:
        is_map = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", _CORE + ("map" if is_map else "seq")):
            raise self._refused(f"the tag {event.tag!r} is not of YAML's core schema", event)
        opened = self._open[-1] if self._open else None
        if opened is not None and opened.key is None and type(opened.value) is dict:
            raise self._refused("a key is not text", event)
        if len(self._open) >= self._limits.document_depth:
            raise too_many_levels(self._name, self._limits)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(_Open({} if is_map else [], event.anchor, self._nodes))
        self._count(1)

    def _end(self, event: yaml.Event) -> None:
        ended = self._open.pop()
        value = ended.value
        if isinstance(value, dict):
            for merged in ended.merged:
                self._merge(value, merged, event)
        if ended.anchor is not None:
            self._anchors[ended.anchor] = (value, self._nodes - ended.before)
        self._put(value, event)

    def _alias(self, event: yaml.AliasEvent) -> None:
        if event.anchor not in self._anchors:
            raise self._refused(f"nothing is named {event.anchor!r}", event)
        known = self._anchors[event.anchor]
        if known is None:
            raise self._refused(f"{event.anchor!r} holds itself", event)
        value, nodes = known
        opened = self._open[-1] if self._open else None
        if opened is not None and opened.key is None and type(opened.value) is dict:
            if not isinstance(value, str):
                raise self._refused("a key is not text", event)
            if value in opened.value:
                raise self._refused(f"the key {value!r} stands twice in one object", event)
            opened.key = value
            return
        self._count(nodes)
        self._put(value, event)

    def _put(self, value: JsonValue, event: yaml.Event) -> None:
        if not self._open:
            self.root = value
            return
        opened = self._open[-1]
        if isinstance(opened.value, list):
            opened.value.append(value)
            return
        if opened.merging:
            opened.merged.extend(value if isinstance(value, list) else [value])
            opened.merging = False
        else:
            opened.value[opened.key or ""] = value
        opened.key = None

    def _merge(self, target: dict[str, JsonValue], merged: JsonValue, event: yaml.Event) -> None:
        if not isinstance(merged, dict):
            raise self._refused("`<<` merges objects only", event)
        for key, value in merged.items():
            target.setdefault(key, value)

    def _typed(self, event: yaml.ScalarEvent) -> JsonValue:
        text: str = event.value
        tag: str | None = event.tag
        if tag is None:
            return self._plain(text, event)
        kind = tag.removeprefix(_CORE)
        if tag == "!" or kind == "str":
            return text
        value = self._plain(text, event)
        if kind not in _KINDS or not isinstance(value, _KINDS[kind]):
            raise self._refused(
                f"the tag {tag!r} is not of YAML's core schema or does not fit", event
            )
        return value

    def _plain(self, text: str, event: yaml.Event) -> JsonValue:
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in _NUMERIC:
            return text
        if _INTEGER.fullmatch(text):
            try:
                return int(text)
            except ValueError:  # more digits than Python reads
                raise self._refused("a number has too many digits", event) from None
        if _BASED.fullmatch(text):
            return int(text, 0)
        if _FLOAT.fullmatch(text):
            number = float(text)
            if number not in (float("inf"), float("-inf")):
                return number
        elif not _NO_NUMBER.fullmatch(text):
            return text
        raise self._refused(f"JSON has no number {text[:40]}", event)

    def _count(self, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > self._limits.document_nodes:
            raise too_many_nodes(self._name, self._limits)

    def _refused(self, reason: str, event: yaml.Event) -> DocumentError:
        return DocumentError(
            self._name, f"This YAML is refused: {reason}{_place(event.start_mark)}."
        )
