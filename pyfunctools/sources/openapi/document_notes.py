"""Notes on the schemas, references and hidden characters of an operation, beside those of its plan.

They are made from the document as written, and only when they are first needed.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pyfunctools._json import JsonValue, items_of, members_of
from pyfunctools.note import Note, hidden_notes
from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.schema.ground.references import defined_name, references_in
from pyfunctools.schema.normalization.oddities import notes_of
from pyfunctools.sources.openapi.document import Document, DocumentPlace
from pyfunctools.sources.openapi.document_definitions import DocumentDefinitions
from pyfunctools.sources.openapi.routes import Plan


class _Notes(NamedTuple):
    """The notes on a schema, more notes if it is sent, and the names of its definitions."""

    always: tuple[Note, ...]
    sent: tuple[Note, ...]
    names: tuple[str, ...]


class SchemaNotes:
    """Notes on the schemas of one document; each definition is examined once."""

    def __init__(self, document: Document, definitions: DocumentDefinitions) -> None:
        self._definitions = definitions
        self._known: dict[str, _Notes] = {}
        version = document.root.get("openapi")
        self._siblings_ignored = not str(version).startswith(("3.1", "3.2"))

    def of(self, place: DocumentPlace, *, sent: bool) -> Iterator[Note]:
        """Return the notes on a schema, sent or received, and on every definition it reaches.

        Raises:
            DocumentError: a reference has no target.
        """
        notes = self._examined(place)
        queue, seen = list(notes.names), set[str]()
        yield from (*notes.always, *(notes.sent if sent else ()))
        for name in queue:
            if name not in seen:
                seen.add(name)
                if name not in self._known:
                    self._known[name] = self._examined(self._definitions.place_of(name))
                notes = self._known[name]
                queue += notes.names
                yield from (*notes.always, *(notes.sent if sent else ()))

    def _examined(self, place: DocumentPlace) -> _Notes:
        schema = self._definitions.bundled(place)
        notes = notes_of(schema, place.pointer, siblings_ignored=self._siblings_ignored)
        names = [name for each in references_in(schema) if (name := defined_name(each)) is not None]
        sent = [
            Note(text=_READ_AS_ANY_OF, pointer=place.pointer + pointer_of(keys))
            for keys in self._definitions.overlapping(schema)
        ]
        return _Notes(tuple(notes), tuple(sent), tuple(dict.fromkeys(names)))


_READ_AS_ANY_OF = "`oneOf` is read as `anyOf`: a value may fit more than one of its branches."


def notes_of_plan(plan: Plan, notes: SchemaNotes) -> Iterator[Note]:
    """Yield the notes on an operation and on its schemas.

    Raises:
        DocumentError: a reference has no target.
    """
    yield from _ignored_siblings(plan)
    for entry in plan.inputs:
        what = f"the description of {entry.parameter.name!r}"
        yield from hidden_notes(what, entry.description, entry.schema.pointer)
        yield from notes.of(entry.schema, sent=True)
    if plan.body is not None:
        what = "the description of the body"
        yield from hidden_notes(what, plan.body.description, plan.body.schema.pointer)
        yield from notes.of(plan.body.schema, sent=True)
    if plan.output is not None:
        yield from notes.of(plan.output, sent=False)


def _ignored_siblings(plan: Plan) -> Iterator[Note]:
    """Yield a note on keywords that are ignored beside a `$ref` to a body, parameter or response.

    `description` and `summary` beside a reference to a parameter or a response get no note.
    """
    operation = plan.route.operation
    places: list[tuple[str, JsonValue]] = [
        ("requestBody", operation.get("requestBody")),
        *(
            (f"parameters/{i}", each)
            for i, each in enumerate(items_of(operation.get("parameters")))
        ),
        *((f"responses/{s}", each) for s, each in members_of(operation.get("responses")).items()),
    ]
    for steps, value in places:
        if isinstance(value, dict) and isinstance(value.get("$ref"), str):
            known = {"$ref"} if steps == "requestBody" else {"$ref", "description", "summary"}
            others = [f"`{key}`" for key in value if key not in known and not key.startswith("x-")]
            if others:
                text = f"{', '.join(others)} beside the `$ref` is not read."
                yield Note(text=text, pointer=f"{plan.pointer}/{steps}")
