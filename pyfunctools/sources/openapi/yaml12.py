"""YAML 1.2 as JSON: the types of its core schema, built from the events of PyYAML's parser.

Differences from YAML 1.2: a number with leading zeros (`007`) stays a text, as authors intend; and
merge keys (`<<`, of YAML 1.1) are supported, since documents use them. An alias is the same object
again, not a copy. Nothing recurses.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
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
_NOT_IN_JSON = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
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
        DocumentError: it is not YAML; or has several documents, a duplicate key, a tag outside the
            core schema, or an alias inside of its own anchor; or exceeds `limits`.
    """
    builder = _Builder(name, limits)
    # With libyaml, if PyYAML was built with it: thirty times as fast.
    loader: type[yaml.CSafeLoader] | type[yaml.SafeLoader]
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        events = yaml.parse(text, Loader=loader)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        for event in cast("Iterator[yaml.Event]", events):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        where = "" if error.problem_mark is None else _position(error.problem_mark)
        raise DocumentError(name, f"This is not YAML: {error.problem}{where}.") from None
    except (yaml.YAMLError, UnicodeError) as error:
        reason = str(error).splitlines()[0]
        raise DocumentError(name, f"This is not YAML: {reason}.") from None
    return builder.root


def _position(mark: yaml.Mark) -> str:
    return f", line {mark.line + 1} column {mark.column + 1}"


@dataclass(slots=True)
class _Container:
    """An object or array that is not closed yet; `start` is the number of nodes before it."""

    value: dict[str, JsonValue] | list[JsonValue]
    anchor: str | None
    start: int
    key: str | None = None
    is_merge: bool = False
    merged: list[JsonValue] = field(default_factory=list[JsonValue])

    @property
    def wants_key(self) -> bool:
        return self.key is None and type(self.value) is dict


class _Builder:
    """A builder of a value from events, one at a time."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.root: JsonValue = None
        self._name = name
        self._limits = limits
        self._documents = 0
        self._nodes = 0
        self._open: list[_Container] = []
        self._anchors: dict[str, tuple[JsonValue, int] | None] = {}

    def take(self, event: yaml.Event) -> None:
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
                raise self._error("there are several documents in it", event)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        if self._open and self._open[-1].wants_key:
            self._key(self._open[-1], event)
            return
        value: JsonValue = event.value
        if event.implicit[0] or event.tag is not None:
            value = self._typed(event)
        self._count(1)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        self._put(value)

    def _key(self, container: _Container, event: yaml.ScalarEvent) -> None:
        key: str = event.value
        if event.anchor is not None:
            self._anchors[event.anchor] = (key, 1)
        if event.tag is not None and event.tag != _CORE + "merge":
            self._typed(event)
        container.is_merge = key == "<<" and (event.implicit[0] or event.tag == _CORE + "merge")
        if not container.is_merge:
            self._check_key(container, key, event)
        container.key = key

    def _check_key(self, container: _Container, key: str, event: yaml.Event) -> None:
        if key in container.value:
            raise self._error(f"the key {key!r} stands twice in one object", event)

    def _start(self, event: yaml.CollectionStartEvent) -> None:
        is_map = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", _CORE + ("map" if is_map else "seq")):
            raise self._error(f"the tag {event.tag!r} is not of YAML's core schema", event)
        if self._open and self._open[-1].wants_key:
            raise self._error("a key is not text", event)
        if len(self._open) >= self._limits.document_depth:
            raise too_many_levels(self._name, self._limits)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(_Container({} if is_map else [], event.anchor, self._nodes))
        self._count(1)

    def _end(self, event: yaml.Event) -> None:
        ended = self._open.pop()
        value = ended.value
        if isinstance(value, dict):
            for merged in ended.merged:
                if not isinstance(merged, dict):
                    raise self._error("`<<` merges objects only", event)
                for key, inner in merged.items():
                    value.setdefault(key, inner)
        if ended.anchor is not None:
            self._anchors[ended.anchor] = (value, self._nodes - ended.start)
        self._put(value)

    def _alias(self, event: yaml.AliasEvent) -> None:
        if event.anchor not in self._anchors:
            raise self._error(f"there is no anchor {event.anchor!r}", event)
        known = self._anchors[event.anchor]
        if known is None:
            raise self._error(f"{event.anchor!r} contains itself", event)
        value, nodes = known
        if self._open and self._open[-1].wants_key:
            if not isinstance(value, str):
                raise self._error("a key is not text", event)
            self._check_key(self._open[-1], value, event)
            self._open[-1].key = value
            return
        self._count(nodes)
        self._put(value)

    def _put(self, value: JsonValue) -> None:
        if not self._open:
            self.root = value
            return
        container = self._open[-1]
        if isinstance(container.value, list):
            container.value.append(value)
            return
        if container.is_merge:
            container.merged.extend(value if isinstance(value, list) else [value])
            container.is_merge = False
        else:
            container.value[container.key or ""] = value
        container.key = None

    def _typed(self, event: yaml.ScalarEvent) -> JsonValue:
        text: str = event.value
        tag: str | None = event.tag
        if tag is None:
            return self._untagged(text, event)
        kind = tag.removeprefix(_CORE)
        if tag == "!" or kind == "str":
            return text
        value = self._untagged(text, event)
        if kind not in _KINDS or not isinstance(value, _KINDS[kind]):
            reason = f"the tag {tag!r} is not of YAML's core schema or does not match its value"
            raise self._error(reason, event)
        return value

    def _untagged(self, text: str, event: yaml.Event) -> JsonValue:
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
        if _FLOAT.fullmatch(text):
            number = float(text)
            if number not in (float("inf"), float("-inf")):
                return number
        elif not _NOT_IN_JSON.fullmatch(text):
            return text
        raise self._error(f"JSON has no number {text[:40]}", event)

    def _count(self, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > self._limits.document_nodes:
            raise too_many_nodes(self._name, self._limits)

    def _error(self, reason: str, event: yaml.Event) -> DocumentError:
        where = _position(event.start_mark)
        return DocumentError(self._name, f"This YAML is refused: {reason}{where}.")
