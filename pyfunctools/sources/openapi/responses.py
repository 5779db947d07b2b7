"""What comes back: the answers of an operation, and the schema of the good one."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.route import Response
from pyfunctools.sources.openapi import swagger
from pyfunctools.sources.openapi.document import Document, Place, Resource
from pyfunctools.sources.openapi.media import (
    bytes_schema,
    entry_of,
    first_json,
    kind_of,
    text_schema,
)
from pyfunctools.sources.openapi.operations import Operation

_STATUS = re.compile(r"[1-5](?:[0-9]{2}|[xX]{2})|default", re.ASCII)
_EXACT = re.compile(r"2[0-9]{2}", re.ASCII)
_NOTHING: JsonObject = {}


class Answers(NamedTuple):
    """The answers of an operation: all of them, the schema of the good one, and oddities."""

    responses: tuple[Response, ...]
    output: Place | None
    notes: tuple[str, ...]


class _Answer(NamedTuple):
    response: Response
    place: Place
    content: JsonObject


class Responses:
    """The answers of one document; each that stands in it once is read once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[tuple[Resource | str, ...], dict[tuple[str, str], _Answer]] = {}
        self._responses: dict[tuple[str, ...], Response] = {}

    def of(self, operation: Operation) -> Answers:
        """Give the answers of an operation.

        The good one is the lowest exact status of 2xx, then `2XX`, then `default`.
        """
        raw = operation.raw.get("responses")
        if not isinstance(raw, dict):
            return Answers((), None, ())
        produces = swagger.media_types(operation.raw, self._document.root, "produces")
        # Swagger 2.0 says beside the operation in which media types it answers.
        known = self._known.setdefault((operation.resource, *produces), {})
        found: dict[str, _Answer] = {}
        notes: list[str] = []
        for status, value in raw.items():
            if not _STATUS.fullmatch(status):
                continue
            reference = value.get("$ref") if isinstance(value, dict) else None
            if not isinstance(reference, str):
                pointer = f"{operation.pointer}/responses/{status}"
                place = Place(value, pointer, operation.resource)
                found[status] = self._new(status, place, produces)
                continue
            key = status, reference
            if key not in known:
                try:
                    place = self._document.end(reference, operation.resource)
                except DocumentError as error:
                    notes.append(f"The answer {status} is not known: {error.reason}")
                    continue
                known[key] = self._new(status, place, produces)
            found[status] = known[key]
        good = _good(found)
        output = None if good is None else _output(found[good])
        return Answers(tuple([answer.response for answer in found.values()]), output, tuple(notes))

    def _new(self, status: str, place: Place, produces: list[str]) -> "_Answer":
        raw = place.value if isinstance(place.value, dict) else _NOTHING
        content = raw.get("content")
        if not isinstance(content, dict):
            content = swagger.content_of(raw, produces) if "schema" in raw else _NOTHING
        said = raw.get("description")
        key = status, *content, said if isinstance(said, str) else ""
        response = self._responses.get(key)
        if response is None:
            response = self._responses[key] = Response(
                status=status if status == "default" else status.upper(),
                content_types=key[1:-1],
                description=key[-1],
            )
        return _Answer(response, place, content)


def _good(found: Mapping[str, "_Answer"]) -> str | None:
    exact = min(filter(_EXACT.fullmatch, found), default=None)
    ranges = (status for status in ("2XX", "2xx", "2xX", "2Xx", "default") if status in found)
    return exact or next(ranges, None)


def _output(answer: "_Answer") -> Place | None:
    if not answer.content:
        return None
    media = next(iter(answer.content)) if len(answer.content) == 1 else first_json(answer.content)
    entry = entry_of(answer.content, media)
    keyword = "schema" if "schema" in entry else "itemSchema"
    schema: JsonValue = entry.get(keyword)
    kind = kind_of(media)
    if kind == "text":
        schema = text_schema(media, schema)
    elif kind == "bytes":
        schema = bytes_schema(schema)
    elif keyword == "itemSchema" and schema is not None:
        schema = {"type": "array", "items": schema}
    if not isinstance(schema, dict | bool):
        return None
    pointer = f"{answer.place.pointer}/content/{media.replace('/', '~1')}/{keyword}"
    return Place(schema, pointer, answer.place.resource)
