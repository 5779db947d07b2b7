"""The fields of a form for the questions of a call, and the values that a browser sends."""

import json
from collections.abc import Iterable, Mapping
from typing import TypeAlias, cast

from starlette.datastructures import FormData, UploadFile

from pyfunctools import File, Question
from pyfunctools.integrations.inspector.markup import Markup, raw, spaced, tag

FieldValues: TypeAlias = dict[str, object]
"""A person's values by `Question.path`."""

_TYPES = {"date": "date", "time": "time", "datetime": "datetime-local", "file": "file"}


def question_fields(
    questions: Iterable[Question], values: Mapping[str, object], prefix: str = ""
) -> list[Markup]:
    """Return a labelled field for each question; each name is its path after the `prefix`."""
    return [_field(each, values.get(each.path), prefix + each.path) for each in questions]


async def values_in(form: FormData, prefix: str = "") -> FieldValues:
    """Return what a person gave in the fields of a call; an empty field gave nothing."""
    values: FieldValues = {}
    for name in form:
        if name.startswith(prefix + "$input"):
            items = [await _value(each) for each in form.getlist(name)]
            if given := [each for each in items if each is not None]:
                values[name.removeprefix(prefix)] = given[0] if len(given) == 1 else given
    return values


def kept(questions: Iterable[Question], values: FieldValues) -> FieldValues:
    """Return the values that no page shows, so that they are kept here: secrets and files."""
    hidden = {each.path for each in questions if each.secret or each.kind == "file"}
    return {path: value for path, value in values.items() if path in hidden}


async def _value(given: UploadFile | str) -> object:
    if isinstance(given, str):
        return given if given.strip() else None
    content = await given.read()
    if not given.filename and not content:
        return None
    return File(content, given.filename or None, given.content_type or None)


def _field(question: Question, given: object, name: str) -> Markup:
    held = cast(
        "list[object]",
        given if isinstance(given, list) else [given] if isinstance(given, str) else [],
    )
    is_kept = given is not None and (question.secret or question.kind == "file")
    no_default = question.default is None or question.secret
    told = f"{name}-help"
    notes = [
        tag("strong", question.problem, class_="problem") if question.problem else None,
        question.help,
        "Given; leave it empty to keep it." if is_kept else None,
        None if no_default else f"Without an answer: {_option(question.default)}.",
    ]
    common: dict[str, str | bool | None] = {
        "id": name,
        "name": name,
        "aria_describedby": told,
        "aria_required": question.required,
        "aria_invalid": question.problem is not None,
    }
    optional = "" if question.required else tag("small", " (optional)")
    return tag(
        "div",
        tag("label", question.label, optional, for_=name),
        _control(question, held, common),
        tag("span", spaced(notes), id=told, class_="help"),
        class_="field",
    )


def _control(
    question: Question, held: list[object], common: dict[str, str | bool | None]
) -> Markup:
    kind = question.kind
    options = [_option(each) for each in question.options]
    if kind == "boolean" and not options:
        options = ["yes", "no"]
    if options and not question.secret:
        many = kind == "choices"
        listed = [
            tag("option", each, value=each, selected=each in held)
            for each in (options if many else ["", *options])
        ]
        return tag("select", listed, multiple=many, **common)
    text = "" if question.secret else "\n".join(str(each) for each in held)
    if not question.secret and (kind == "json" or "\n" in text):
        return tag("textarea", raw(text), rows=4, spellcheck="false", **common)
    schema = question.schema
    is_list = not isinstance(schema, bool) and "array" in str(schema.get("type"))
    typed = "password" if question.secret else _TYPES.get(kind, "text")
    return tag(
        "input",
        type=typed,
        value=None if kind == "file" or question.secret else text,
        inputmode="decimal" if kind in ("number", "integer") else None,
        multiple=kind == "file" and is_list,
        step="any" if typed in ("time", "datetime-local") else None,
        autocomplete="off",
        **common,
    )


def _option(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
