"""The descriptions of a document's functions.

A description has these parts, in this order: the summary; the description, as the next paragraph;
`@param` for a parameter whose description its schema does not have; `@security` with the names of
schemes and scopes; `@tag`; `@deprecated`.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Literal, TypeAlias

from pyfunctools._json import JsonObject, JsonValue, items_of, text_of
from pyfunctools.schema.ground.marks import human_mark
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.separation.predicates import IsHuman, ask
from pyfunctools.schema.vocabulary import COMPOSITION
from pyfunctools.sources.openapi.bodies import BodyInput
from pyfunctools.sources.openapi.document import Document
from pyfunctools.sources.openapi.operation_parameters import ParameterInput
from pyfunctools.sources.openapi.routes import Plan

Describe: TypeAlias = Literal["model", "full", "brief"]
"""`model` leaves out texts that the schemas have, `full` nothing, and `brief` every `@` line."""

_MOST_SCHEMES = 20
"""The most lines of `@security`: one list in a document is repeated in every description."""


class Descriptions:
    """The descriptions of the functions of one document."""

    def __init__(self, document: Document, describe: Describe, is_human: IsHuman | None) -> None:
        self._document = document
        self._describe: Describe = describe
        self._is_human = is_human

    def of(self, plan: Plan, tags: tuple[str, ...]) -> str:
        """Return the description of an operation's function."""
        operation = plan.route.operation
        summary = text_of(operation.get("summary")).strip()
        description = text_of(operation.get("description")).strip()
        text = "\n\n".join(
            paragraph
            for paragraph in (
                "" if description.startswith(summary) else summary,
                description,
                "" if self._describe == "brief" else "\n".join(self._lines(plan, tags)),
            )
            if paragraph
        )
        return text.replace("\r\n", "\n") if "\r" in text else text

    def _lines(self, plan: Plan, tags: tuple[str, ...]) -> Iterator[str]:
        for entry in plan.inputs:
            if text := self._text(entry, entry.parameter.argument):
                yield f"@param {entry.parameter.name} {text}"
        if plan.body is not None:
            argument = plan.body.body.argument
            if text := self._text(plan.body, argument):
                yield f"@param {argument[0]} {text}"
        if plan.route.security:
            schemes = dict.fromkeys(
                " ".join(("@security", name, *scopes))
                for requirement in plan.route.security[:_MOST_SCHEMES]
                for name, scopes in islice(requirement.schemes.items(), _MOST_SCHEMES)
            )
            yield from islice(schemes, _MOST_SCHEMES)
        for tag in tags:
            yield f"@tag {tag}"
        if plan.route.operation.get("deprecated") is True:
            yield "@deprecated"

    def _text(self, entry: ParameterInput | BodyInput, argument: tuple[str, ...]) -> str:
        """Return the text for `@param`; empty if the schema has it, or a person gives the input."""
        of_schema = text_of(entry.schema.fields.get("description"))
        if self._describe == "full":
            text = entry.description or of_schema
        else:
            text = "" if not of_schema or entry.description in of_schema else entry.description
        text = text.strip()
        return "" if not text or self._is_persons(entry, argument) else text

    def _is_persons(self, entry: ParameterInput | BodyInput, argument: tuple[str, ...]) -> bool:
        """Return whether a person gives an input: one human alternative of its schema is enough."""
        if self._is_human is None:
            return False
        is_human = human_mark(entry.schema.value, {"x-human": entry.is_human})
        mark: JsonObject = {} if is_human is None else {"x-human": is_human}
        queue, seen = [entry.schema], set[int]()
        for place in queue:
            target = self._document.follow(place)
            schema: dict[str, JsonValue] = {**target.fields, **place.fields, **mark}
            schema.pop("$ref", None)
            if ask(self._is_human, Path.of(argument), schema):
                return True
            mark = {}
            if id(target.value) not in seen:
                seen.add(id(target.value))
                for keyword in COMPOSITION:
                    branches = items_of(schema.get(keyword))
                    queue += [target.below(branch, keyword) for branch in branches]
        return False
