"""What comes back: the answers of an operation, and the schema of the good one."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pyfunctools._json import JsonObject
from pyfunctools.errors import DocumentError
from pyfunctools.route import DeclaredResponse
from pyfunctools.sources.openapi import swagger
from pyfunctools.sources.openapi.content import content_in
from pyfunctools.sources.openapi.document import Document, Place, Resource
from pyfunctools.sources.openapi.operations import Operation

_STATUS = re.compile(r"[1-5](?:[0-9]{2}|[xX]{2})|default", re.ASCII)
_OTHERWISE = ("2XX", "2xx", "2xX", "2Xx", "default")
_NOTHING: JsonObject = {}


class Answers(NamedTuple):
    """The answers of an operation: all of them, the schema of the good one, and oddities."""

    responses: tuple[DeclaredResponse, ...]
    output: Place | None
    notes: Sequence[str]


class _Answer(NamedTuple):
    response: DeclaredResponse
    place: Place


class Responses:
    """The answers of one document; each that stands in it once is read once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[tuple[Resource | str, ...], dict[tuple[str, str], _Answer]] = {}
        self._responses: dict[tuple[str, ...], DeclaredResponse] = {}

    def of(self, operation: Operation) -> Answers:
        """Return the answers of an operation.

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
            reference = value.get("$ref") if isinstance(value, dict) else None
            if not isinstance(reference, str):
                if _STATUS.fullmatch(status):
                    pointer = f"{operation.pointer}/responses/{status}"
                    place = Place(value, pointer, operation.resource)
                    found[status] = self._new(status, place, produces)
                continue
            key = status, reference
            answer = known.get(key)
            if answer is None:
                if not _STATUS.fullmatch(status):
                    continue
                try:
                    place = self._document.end(reference, operation.resource)
                except DocumentError as error:
                    notes.append(f"The answer {status} is not known: {error.reason}")
                    continue
                answer = known[key] = self._new(status, place, produces)
            found[status] = answer
        good = _good(found)
        output = None if good is None else self._output(found[good], notes)
        return Answers(tuple([answer.response for answer in found.values()]), output, notes)

    def _new(self, status: str, place: Place, produces: list[str]) -> "_Answer":
        raw = place.value if isinstance(place.value, dict) else _NOTHING
        content = raw.get("content")
        if not isinstance(content, dict):
            content = swagger.content_of(raw, produces) if "schema" in raw else _NOTHING
            place = place._replace(value={"content": content})
        said = raw.get("description")
        key = status, *content, said if isinstance(said, str) else ""
        response = self._responses.get(key)
        if response is None:
            response = self._responses[key] = DeclaredResponse(
                status=status if status == "default" else status.upper(),
                content_types=key[1:-1],
                description=key[-1],
            )
        return _Answer(response, place)

    def _output(self, answer: "_Answer", notes: list[str]) -> Place | None:
        try:
            content = content_in(self._document, answer.place, received=True)
        except DocumentError as error:
            notes.append(f"What comes back is not known: {error.reason}")
            return None
        if content is None or not (content.is_said or content.kind in ("text", "bytes")):
            return None
        notes += content.notes
        return content.schema


def _good(found: Iterable[str]) -> str | None:
    exact = min([status for status in found if "200" <= status <= "299"], default=None)
    return exact or next((status for status in _OTHERWISE if status in found), None)
