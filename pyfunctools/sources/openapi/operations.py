"""The operations of a document as written, and entries for those that are skipped."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pyfunctools._json import JsonObject, JsonValue, members_of
from pyfunctools.errors import DocumentError
from pyfunctools.record.function import Skipped
from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.schema.ground.references import MAX_HOPS
from pyfunctools.schema.vocabulary import human_mark
from pyfunctools.sources.openapi.document import Document, DocumentPlace, Resource

METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"})
"""The fields of a path item that hold an operation."""

_FURTHER = "additionalOperations"
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
"""A method (RFC 9110, section 9.1)."""


class Operation(NamedTuple):
    """One operation as written: its method as it is sent, its path, and its place.

    `pointer` is its JSON Pointer, `resource` the base of its references, and `items` are its path
    items: the path item that contains it, and those that this one refers to.
    """

    method: str
    path: str
    fields: JsonObject
    pointer: str
    resource: Resource
    items: tuple[DocumentPlace, ...] = ()

    @property
    def where(self) -> str:
        """The method and path, for errors: `GET /teas`."""
        return f"{self.method} {self.path}"


def operations(document: Document) -> Iterator[Operation | Skipped]:
    """Yield every operation under `paths`, in document order, then each webhook as skipped."""
    paths = document.root.get("paths")
    if not isinstance(paths, dict | None):
        reason, remedy = f"`paths` is {_kind(paths)}.", "Write an object of path items."
        raise DocumentError(document.name, reason, pointer="/paths", remedy=remedy)
    for path, item in members_of(paths).items():
        if not path.startswith("x-") and item is not None:
            place = DocumentPlace(item, pointer_of(("paths", path)), document.main)
            yield from _operations_in(document, path, place)
    for keyword in ("webhooks", "x-webhooks"):
        for name, item in members_of(document.root.get(keyword)).items():
            if item is not None:
                reason = "A webhook is called by the service, not by a client."
                pointer = pointer_of((keyword, name))
                yield Skipped(where=f"webhook {name}", reason=reason, pointer=pointer)


def _operations_in(
    document: Document, path: str, place: DocumentPlace
) -> Iterator[Operation | Skipped]:
    try:
        items = _path_items(document, place)
    except DocumentError as error:
        yield skipped(path, error, place.pointer)
        return
    marks = [mark for item in items if (mark := human_mark(item.value)) is not None]
    seen: set[str] = set()
    for item in items:
        own: set[str] = set()
        for method, pointer, value in _methods(item):
            where, at = f"{method} {path}", place.pointer + pointer
            if method in own:
                reason = f"The path item has the method {method} more than once."
                yield Skipped(where=where, reason=reason, pointer=at)
            elif method not in seen:  # else that beside a `$ref` overrides that of its target
                own.add(method)
                try:
                    inner = DocumentPlace(value, item.pointer + pointer, item.resource)
                    found = document.follow(inner)
                    fields = _fields(document, found.value, marks)
                except DocumentError as error:
                    yield skipped(where, error, at)
                else:
                    yield Operation(method, path, fields, at, found.resource, items)
        seen |= own


def _fields(document: Document, value: JsonValue, marks: Sequence[bool]) -> JsonObject:
    """Return an operation as an object, unless only people may call it; `marks` are its items'."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise DocumentError(document.name, f"The operation is {_kind(value)}.")
    is_human = human_mark(value)
    if is_human or (is_human is None and marks and marks[0]):
        raise DocumentError(document.name, "The operation is for people only.")
    return value


def _path_items(document: Document, place: DocumentPlace) -> tuple[DocumentPlace, ...]:
    """Return a path item, the one that its `$ref` leads to, and so on."""
    items: list[DocumentPlace] = []
    for _ in range(MAX_HOPS):
        if not isinstance(place.value, dict):
            raise DocumentError(document.name, f"The path item is {_kind(place.value)}.")
        items.append(place)
        reference = place.value.get("$ref")
        if not isinstance(reference, str):
            return tuple(items)
        place = document.target(reference, place.resource)
    raise DocumentError(document.name, "The path item refers to itself.")


def _methods(item: DocumentPlace) -> list[tuple[str, str, JsonValue]]:
    """Return the operations of a path item: the method, the pointer below the item, the value.

    An additional method is sent as it is written (OpenAPI 3.2, 4.9.1).
    """
    own = item.fields.items()
    found = [(key.upper(), f"/{key}", value) for key, value in own if key.lower() in METHODS]
    for key, value in members_of(item.fields.get(_FURTHER)).items():
        if _TOKEN.fullmatch(key):
            method = key.upper() if key.lower() in METHODS else key
            found.append((method, pointer_of((_FURTHER, key)), value))
    return found


def skipped(where: str, error: DocumentError, pointer: str) -> Skipped:
    """Return the entry of an operation or path item that cannot be used because of an error."""
    reason = error.reason if error.remedy is None else f"{error.reason} {error.remedy}"
    return Skipped(where=where, reason=reason, pointer=pointer)


def _kind(value: JsonValue) -> str:
    return "null" if value is None else f"{str(value)[:40]!r}, not an object"
