"""Questions to a person through an MCP client: forms, pages of the application, and refusals.

A form is flat, with texts, numbers, booleans and choices, and must never ask for a secret. So
secrets and files are given on a page of the application. If neither is possible, the call is
refused, with a text that describes where a person can make it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from mcp_types import ClientCapabilities, ElicitResult

from pyfunctools._json import JsonValue, members_of
from pyfunctools._text import shortened, text_of_value, visible
from pyfunctools.execution.person.answers import path_of
from pyfunctools.execution.person.masking import UnshownArguments
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Question, Waiting
from pyfunctools.schema import validate
from pyfunctools.schema.ground.path import ROOT

FORMATS: Final = frozenset({"date", "date-time", "email", "uri"})
"""The formats of texts that forms support."""

_LONGEST: Final = 1_000


def elicitation_form(questions: Sequence[Question], *, approves: bool) -> dict[str, Any] | None:
    """Return the schema of a form, `None` if the questions need a page.

    A form may be empty only if it `approves` a call. A field has the name of its parameter, or its
    `Question.path` if it is nested or its name is not an identifier, since clients make attributes
    of names. Optional secrets and files are left out.
    """
    private = [each for each in questions if each.secret or each.kind == "file"]
    asked = [each for each in questions if each not in private]
    if any(each.required for each in private) or not (asked or approves):
        return None
    form: dict[str, Any] = {"type": "object"}
    form["properties"] = {_field_name(each.path): _field(each) for each in asked}
    if required := [_field_name(each.path) for each in asked if each.required]:
        form["required"] = required
    return form


FormAnswer: TypeAlias = UnshownArguments | Literal[False] | None
"""A person's values by `Question.path`, `False` if they declined or closed the question."""


def answer_of(result: object) -> FormAnswer:
    """Return what a client has answered."""
    if not isinstance(result, ElicitResult):
        return None
    return values_by_path(result.content or {}) if result.action == "accept" else False


def values_by_path(answer: Mapping[str, Any]) -> UnshownArguments:
    """Return the answers to a form by `Question.path`; no `repr` shows them."""
    return UnshownArguments({path_of(name): value for name, value in answer.items()})


def _field_name(path: str) -> str:
    name = path.removeprefix(f"{ROOT}.")
    return name if name.isidentifier() else path


def message_of(function: Function, waiting: Waiting, *, on_page: bool = False) -> str:
    """Return the message of a form or page: the call, and the problems with the last answer."""
    summary = function.description.partition("\n")[0]
    lines = [": ".join(filter(None, (function.title or function.name, summary)))]
    if waiting.function != function.name:
        lines = [f"{function.title or function.name} calls {waiting.function}"]
    if waiting.arguments:
        lines.append(shortened(text_of_value(waiting.arguments), _LONGEST))
    if waiting.server is not None:
        lines.append(f"{waiting.server.name} asks: {waiting.server.message}")
    lines += [f"{each.label}: {each.problem}" for each in waiting.questions if each.problem]
    if on_page:
        lines.append("Open the page to complete the call there.")
    elif waiting.approval:
        lines.append("Accept to approve this call, decline to refuse it.")
    return visible("\n".join(lines))


def modes_of(capabilities: ClientCapabilities | None) -> frozenset[str]:
    """Return the modes in which a client can ask a person: `form`, `url`, both or neither."""
    elicitation = None if capabilities is None else capabilities.elicitation
    if elicitation is None:
        return frozenset()
    named = {"form": elicitation.form, "url": elicitation.url}
    return frozenset(each for each in named if named[each] is not None) or frozenset({"form"})


def refusal_of(
    waiting: Waiting, modes: frozenset[str], *, has_page: bool, nothing_ran: str = "Nothing has run"
) -> str:
    """Return the text for a call if the person cannot be asked: the reason, and a remedy."""
    private = [each.label for each in waiting.questions if each.secret or each.kind == "file"]
    if waiting.ticket is None:
        why = "its arguments are too large to be kept until they answer"
    elif private and not has_page:
        why = f"{', '.join(private)} may not be asked for in a form, and this server has no page"
    elif private or "form" not in modes:
        why = f"this client has no elicitation {'by address' if private else 'by form'}"
    else:
        why = "no form can ask for their part"
    return (
        f"A person has to take part in this call first, and cannot be asked here: {why}. "
        f"{nothing_ran}. Tell the person to make this call in the application itself."
    )


def _field(question: Question) -> dict[str, Any]:
    field: dict[str, Any] = {"title": visible(question.label), **_field_schema(question)}
    lines = [question.help, f"Not accepted: {question.problem}" if question.problem else ""]
    if question.kind == "json":
        lines.append("As JSON; a list of texts or numbers also with one on each line.")
    if question.kind == "time":
        lines.append("A time, such as 09:30.")
    if description := "\n".join(filter(None, lines)):
        field["description"] = visible(description)
    if validate(field, question.default):
        field["default"] = question.default
    return field


def _field_schema(question: Question) -> dict[str, Any]:
    schema, kind = members_of(question.schema), question.kind
    options = [*map(text_of_value, question.options)]
    if kind in ("number", "integer", "boolean"):
        return {"type": kind, **_bounds(schema, "maximum", "minimum")}
    if kind == "choices":
        return {"type": "array", "items": {"type": "string", "enum": options}}
    if kind == "choice":
        return {"type": "string", "enum": options}
    dated = {"date": "date", "datetime": "date-time"}
    name = dated.get(kind, schema.get("format"))
    known = {"format": name} if name in FORMATS else {}
    return {"type": "string", **known, **_bounds(schema, "maxLength", "minLength")}


def _bounds(schema: Mapping[str, JsonValue], *words: str) -> dict[str, JsonValue]:
    return {word: schema[word] for word in words if isinstance(schema.get(word), int | float)}
