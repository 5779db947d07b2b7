"""What is odd in an operation beside what its plan says: its schemas, references, hidden texts.

It is looked for when somebody asks, in the document as it is written; to open one costs nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.note import Note, hidden_notes
from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.schema.ground.references import defined_name, references_in
from pyfunctools.schema.normalization.oddities import notes_of
from pyfunctools.sources.openapi.document import Document, DocumentPlace
from pyfunctools.sources.openapi.document_definitions import DocumentDefinitions
from pyfunctools.sources.openapi.routes import Plan


class _Found(NamedTuple):
    """The oddities of a schema, those of it when sent, and the definitions it refers to."""

    notes: tuple[Note, ...]
    sent: tuple[Note, ...]
    names: tuple[str, ...]


class Oddities:
    """The oddities in the schemas of one document; each definition is looked at once."""

    def __init__(self, document: Document, definitions: DocumentDefinitions) -> None:
        self._definitions = definitions
        self._known: dict[str, _Found] = {}
        version = document.root.get("openapi")
        self._siblings_ignored = not str(version).startswith(("3.1", "3.2"))

    def of(self, place: DocumentPlace, *, sent: bool) -> Iterator[Note]:
        """Return the oddities of a schema, sent or received, and of all that it reaches.

        Raises:
            DocumentError: a reference in it leads nowhere.
        """
        found = self._found(place)
        yield from (*found.notes, *(found.sent if sent else ()))
        queue = list(found.names)
        seen = set(queue)
        for name in queue:
            if name not in self._known:
                self._known[name] = self._found(self._definitions.place_of(name))
            found = self._known[name]
            yield from (*found.notes, *(found.sent if sent else ()))
            new = [each for each in found.names if each not in seen]
            queue += new
            seen.update(new)

    def _found(self, place: DocumentPlace) -> _Found:
        written = self._definitions.written(place)
        notes = notes_of(written, place.pointer, siblings_ignored=self._siblings_ignored)
        names = [
            name for each in references_in(written) if (name := defined_name(each)) is not None
        ]
        sent = [
            Note(text=_LOOSENED, pointer=place.pointer + pointer_of(keys))
            for keys in self._definitions.overlapping(written)
        ]
        return _Found(tuple(notes), tuple(sent), tuple(dict.fromkeys(names)))


_LOOSENED = "`oneOf` is read as `anyOf`: a value may fit more than one of its branches."


def notes_on(plan: Plan, oddities: Oddities) -> Iterator[Note]:
    """Yield the oddities of an operation and of its schemas.

    Raises:
        DocumentError: a reference leads nowhere.
    """
    yield from _beside(plan)
    for entry in plan.inputs:
        what = f"what is said of {entry.parameter.name!r}"
        yield from hidden_notes(what, entry.description, entry.schema.pointer)
        yield from oddities.of(entry.schema, sent=True)
    if plan.body is not None:
        what = "what is said of the body"
        yield from hidden_notes(what, plan.body.description, plan.body.schema.pointer)
        yield from oddities.of(plan.body.schema, sent=True)
    if plan.output is not None:
        yield from oddities.of(plan.output, sent=False)


def _beside(plan: Plan) -> Iterator[Note]:
    """Note keywords beside a `$ref` to a parameter, a body or a response.

    A parameter's description counts there, and what is said of an answer is read by nobody.
    """
    operation: JsonObject = plan.route.operation
    listed, answers = operation.get("parameters"), operation.get("responses")
    written: list[tuple[str, JsonValue]] = [("requestBody", operation.get("requestBody"))]
    if isinstance(listed, list):
        written += [(f"parameters/{index}", each) for index, each in enumerate(listed)]
    if isinstance(answers, dict):
        written += [(f"responses/{status}", each) for status, each in answers.items()]
    for steps, value in written:
        if isinstance(value, dict) and isinstance(value.get("$ref"), str):
            known = {"$ref"} if steps == "requestBody" else {"$ref", "description", "summary"}
            others = [f"`{key}`" for key in value if key not in known and not key.startswith("x-")]
            if others:
                text = f"{', '.join(others)} beside the `$ref` is not read."
                yield Note(text=text, pointer=f"{plan.pointer}/{steps}")
