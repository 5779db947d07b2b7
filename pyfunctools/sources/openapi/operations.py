"""The operations of a document as they stand there, and what stands in their place."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.record.function import Skipped
from pyfunctools.schema.ground.marks import human_mark
from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.schema.ground.references import MAX_HOPS
from pyfunctools.sources.openapi.document import Document, DocumentPlace, Resource

METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"})
"""The fields of a path item that hold an operation."""

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
"""A method (RFC 9110, section 9.1)."""

_EMPTY: JsonObject = {}


class Operation(NamedTuple):
    """One operation as written: its method in upper case, its path, and where it stands.

    `pointer` leads to it from the root of the document, `resource` is what its references are
    resolved in, and `items` are the path items around it, the nearest first.
    """

    method: str
    path: str
    raw: JsonObject
    pointer: str
    resource: Resource
    items: tuple[DocumentPlace, ...] = ()

    @property
    def fields(self) -> JsonObject:
        """What stands in it, as in a `DocumentPlace`."""
        return self.raw

    @property
    def where(self) -> str:
        """What errors call it."""
        return f"{self.method} {self.path}"

    def skipped(self, error: DocumentError) -> Skipped:
        """Return the entry that names the reason for skipping it, and the remedy."""
        return Skipped(where=self.where, reason=reason_of(error), pointer=self.pointer)


def operations(document: Document) -> Iterator[Operation | Skipped]:
    """Yield every operation under `paths`, in document order, then the webhooks as skipped.

    Raises:
        DocumentError: `paths` is no object.
    """
    paths = document.root.get("paths")
    if paths is not None and not isinstance(paths, dict):
        raise DocumentError(
            document.name,
            f"`paths` is {_kind(paths)}.",
            pointer="/paths",
            remedy="It has to be an object of path items.",
        )
    for path, item in (paths or {}).items():
        if not path.startswith("x-") and item is not None:
            place = DocumentPlace(item, pointer_of(("paths", path)), document.main)
            yield from _of_item(document, path, place)
    for keyword in ("webhooks", "x-webhooks"):
        webhooks = document.root.get(keyword)
        for name, item in webhooks.items() if isinstance(webhooks, dict) else ():
            place = DocumentPlace(item, pointer_of((keyword, name)), document.main)
            yield from _of_webhook(document, name, place)


def _of_item(document: Document, path: str, place: DocumentPlace) -> Iterator[Operation | Skipped]:
    try:
        items = tuple(_items(document, place))
    except DocumentError as error:
        yield Skipped(where=path, reason=reason_of(error), pointer=place.pointer)
        return
    seen: set[str] = set()
    for item in items:
        found = _methods(item)
        methods = [method for method, _, _ in found]
        twice = _twice(methods)
        for method, pointer, value in found:
            if method in seen:
                continue  # what stands beside a `$ref` goes before what the `$ref` leads to
            where = place.pointer + pointer
            if method in twice:
                reason = f"The method {method} stands in the path item more than once."
                yield Skipped(where=f"{method} {path}", reason=reason, pointer=where)
            else:
                inner = DocumentPlace(value, item.pointer + pointer, item.resource)
                yield _operation(document, method, path, inner, where, items)
        seen.update(methods)


def _twice(methods: list[str]) -> set[str]:
    if len(set(methods)) == len(methods):
        return set()  # always, in a sound document
    return {method for method, count in Counter(methods).items() if count > 1}


def _items(document: Document, place: DocumentPlace) -> Iterator[DocumentPlace]:
    for _ in range(MAX_HOPS):
        if not isinstance(place.value, dict):
            raise DocumentError(document.name, f"The path item is {_kind(place.value)}.")
        yield place
        reference = place.value.get("$ref")
        if not isinstance(reference, str):
            return
        place = document.target(reference, place.resource)
    raise DocumentError(document.name, "The path item refers to itself.")


def _methods(item: DocumentPlace) -> list[tuple[str, str, JsonValue]]:
    """Return the method in upper case, the pointer from the path item, and the operation."""
    fields = item.fields
    found = [
        (key.upper(), f"/{key}", value)
        for key, value in fields.items()
        if key in METHODS or key.lower() in METHODS
    ]
    additional = fields.get("additionalOperations")
    if isinstance(additional, dict):
        found += [
            (key.upper(), pointer_of(("additionalOperations", key)), value)
            for key, value in additional.items()
            if _TOKEN.fullmatch(key)
        ]
    return found


def _operation(
    document: Document,
    method: str,
    path: str,
    place: DocumentPlace,
    pointer: str,
    items: tuple[DocumentPlace, ...],
) -> Operation | Skipped:
    where = f"{method} {path}"
    try:
        found = document.follow(place)
    except DocumentError as error:
        return Skipped(where=where, reason=reason_of(error), pointer=pointer)
    raw = _EMPTY if found.value is None else found.value
    if not isinstance(raw, dict):
        return Skipped(where=where, reason=f"The operation is {_kind(raw)}.", pointer=pointer)
    if human_mark(raw):
        return Skipped(where=where, reason="The operation is for people only.", pointer=pointer)
    return Operation(method, path, raw, pointer, found.resource, items)


def reason_of(error: DocumentError) -> str:
    """Return the reason of an error, with its remedy."""
    return error.reason if error.remedy is None else f"{error.reason} {error.remedy}"


def _of_webhook(document: Document, name: str, place: DocumentPlace) -> Iterator[Skipped]:
    reason = "A webhook is called by the other side."
    try:
        items = tuple(_items(document, place))
    except DocumentError:
        items = ()
    methods = dict.fromkeys(method for item in items for method, _, _ in _methods(item))
    for method in methods:
        yield Skipped(where=f"{method} webhook {name}", reason=reason, pointer=place.pointer)
    if not methods and place.value is not None:
        yield Skipped(where=f"webhook {name}", reason=reason, pointer=place.pointer)


def _kind(value: JsonValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return "a list, not an object"
    return f"{str(value)[:40]!r}, not an object"
