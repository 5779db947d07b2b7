"""The form that tries a call with its questions, the waiting calls, what came of a button."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, cast

from pyfunctools import Failure, Function, Outcome, Question, Repair, Request, Success, Waiting
from pyfunctools._json import members_of
from pyfunctools._text import text_of_value
from pyfunctools.execution.person.masking import Masker
from pyfunctools.integrations.inspector.markup import (
    Child,
    Markup,
    code_block,
    facts,
    json_block,
    json_text,
    raw,
    spaced,
    tag,
)
from pyfunctools.integrations.inspector.trying import FieldValues, HeldCall, Trial, key_of
from pyfunctools.record.outcome import outcome_json

_MARK = "// ❌"
_TYPES = {"date": "date", "time": "time", "datetime": "datetime-local", "file": "file"}


def try_section(
    url: str,
    text: str,
    function: Function,
    trial: Trial | None,
    questions: Iterable[Question],
    note: str | None = None,
) -> Markup:
    """Return the form to try a function, and what came of the last button."""
    asked = (trial and trial.questions) or questions
    waits = trial and trial.look and trial.outcome.waiting
    lines = min(max(text.count("\n") + 2, 5), 20)
    box = tag(
        "textarea", raw(text), id="arguments", name="arguments", rows=lines, spellcheck="false"
    )
    form = _form(
        f"{url}#result",
        (trial and trial.call.key) or "",
        tag("div", tag("label", "What the model wrote", for_="arguments"), box, class_="field"),
        _persons(asked, trial.values if trial else {}),
        _buttons("check", "run"),
        _alert(note),
        trial and _result(trial, function.check(text)),
        waits and waits.approval and _buttons("approve", "deny"),
    )
    return tag("section", tag("h2", "Try it"), form, id="try", class_="panel")


def waiting_sections(
    url: str, calls: Sequence[HeldCall], trial: Trial | None, note: str | None
) -> Iterator[Child]:
    """Yield what came of the last answer, and a form for each waiting call."""
    yield tag("h1", "Waiting calls"), _alert(note)
    if trial is not None and all(each.key != trial.call.key for each in calls):
        yield tag("section", tag("h2", "Answered"), _result(trial), class_="panel")
    for each in calls:
        if each.waiting is not None:
            is_tried = trial is not None and trial.call.key == each.key
            yield _waiting(url, each.waiting, each.values, trial if is_tried else None)
    if not calls:
        yield tag("p", "No call waits for you.")


def _waiting(url: str, waits: Waiting, values: FieldValues, trial: Trial | None) -> Markup:
    if waits.pending:
        inner: list[Child] = [*map(_pending, waits.pending), _buttons("run", "deny")]
    else:
        asked = (trial and trial.questions) or waits.questions
        person = _persons(asked, trial.values if trial else values)
        inner = [person, _buttons("check", "approve" if waits.approval else "run", "deny")]
    form = _form(f"{url}#result", key_of(waits), _about(waits), inner, trial and _result(trial))
    return tag("section", tag("h2", waits.function), form, class_="panel")


def _form(url: str, key: str, *inner: Child) -> Markup:
    """Return a form that says which call it is for, and what it shows: an answer is for that."""
    held = zip(("call", "shown"), key.rsplit(" ", 1), strict=True) if key else ()
    hidden = [tag("input", type="hidden", name=name, value=each) for name, each in held]
    form = {"method": "post", "action": url, "enctype": "multipart/form-data", "novalidate": True}
    return tag("form", hidden, inner, **form)


def _alert(note: str | None) -> Child:
    return note and tag("p", note, id="result", class_="problem", role="alert")


def _pending(waits: Waiting) -> Markup:
    fields = question_fields(waits.questions, {}, waits.call_id)
    decide = _buttons("approve", "deny", prefix=waits.call_id)
    return tag("fieldset", tag("legend", waits.function), _about(waits), fields, decide)


def _about(waits: Waiting) -> Child:
    return _asks(waits), json_block(waits.arguments), _request(waits.request)


def _asks(waits: Waiting) -> Child:
    server = waits.server
    return server and tag("p", tag("b", server.name), " asks: ", server.message, class_="prose")


def _persons(questions: Iterable[Question], values: FieldValues) -> Markup | None:
    fields = question_fields(questions, values)
    return tag("fieldset", tag("legend", "The person's part"), fields) if fields else None


def _buttons(*actions: str, prefix: str = "") -> Markup:
    said, name = {each: each.capitalize() for each in actions}, f"{prefix}action"
    made = (tag("button", said[each], name=name, value=each, class_=each) for each in actions)
    return tag("p", spaced(made), class_="buttons")


def _result(trial: Trial, checked: Success[Any] | Failure | None = None) -> Markup:
    """Return what came of a button: repairs, issues, arguments, the request, the outcome."""
    return tag("div", list(_parts(trial, checked)), class_="result", id="result", role="status")


def _parts(trial: Trial, checked: Success[Any] | Failure | None) -> Iterator[Child]:
    outcome, pending, hide = trial.outcome, trial.pending, Masker(map(str, trial.secrets)).text
    if checked is not None:
        repairs = (checked or outcome).repairs
        none = tag("p", "None: nothing was changed.")
        yield tag("h3", "Repairs"), _repairs(trial.call.text, repairs) if repairs else none
        if not checked:
            yield tag("h3", "Issues"), tag("p", "The model is told:"), _lines(checked.feedback())
            return
        yield tag("h3", "The checked value"), json_block(checked.value)
    if pending is not None:
        yield tag("h3", "The whole arguments")
        yield code_block(hide(json_text(pending.arguments))), _request(pending.request, hide)
    waits = outcome.waiting
    if waits is not None and trial.look is None:
        yield tag("p", "Nothing has run.", class_="notice")
        return
    if waits is not None:
        asked = outcome.reason == "needs_human" or any(each.problem for each in waits.questions)
        wanted = "values of the person" if asked else "an approval"
        told = f"It waits for {wanted}."
        told = "Its calls wait for a person: look at Waiting." if waits.pending else told
        yield tag("p", tag("b", told), class_="notice"), _asks(waits)
    yield tag("h3", "What the model gets"), _lines(hide(outcome.text))
    if waits is None:
        yield from _for_program(outcome, hide)


def _for_program(outcome: Outcome, hide: Callable[[str], str]) -> Iterator[Child]:
    response, error = outcome.response, outcome.exception
    yield tag("h3", "What the program gets")
    files = [each.filename or each.content_type or "without a name" for each in outcome.content]
    told = [
        outcome.reason and f"reason: {outcome.reason}",
        f"HTTP {response.status}" if response and response.status else None,
        error and type(error).__name__,
        *(f"file: {each}" for each in files),
        "told again: it has run before" if outcome.replayed else None,
    ]
    yield facts(hide(each) for each in told if each)
    value = outcome_json(outcome)
    shown = f"<{type(outcome.value).__name__}>" if value is None else json_text(value[0])
    yield code_block(hide(shown))


def _request(request: Request | None, hide: Callable[[str], str] = str) -> Child:
    """Return a request as text: the line, the headers, the body."""
    if request is None:
        return None
    headers = [f"{name}: {value}" for name, value in request.headers.items()]
    lines = [f"{request.method} {request.url}", *headers, "", request.content or ""]
    return tag("h3", "The request"), code_block(hide("\n".join(lines)))


def _lines(text: str) -> Markup:
    """Return text, each line with a mistake marked."""
    return code_block(
        tag("mark", each) if _MARK in each else each for each in re.split("(\n)", text)
    )


def _repairs(text: str, repairs: Sequence[Repair]) -> Child:
    rows = [(one.kind, str(one.path), *_pieces(one.before, one.after)) for one in repairs]
    heads = [tag("th", each, scope="col") for each in ("kind", "path", "before", "after")]
    body = [tag("tr", [tag("td", each) for each in row]) for row in rows]
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", body))
    return code_block(_marked(text, repairs)), tag("div", table, class_="wide", tabindex="0")


def _marked(text: str, repairs: Iterable[Repair]) -> Child:
    """Return the model's text with the pieces that were repaired marked."""
    spans: list[tuple[int, int, Child]] = []
    for each in repairs:
        title = f"{each.kind}: {text_of_value(each.after) or 'left out'}"
        if each.before == "":
            spans.append((len(text), len(text), tag("ins", text_of_value(each.after), title=title)))
            continue
        found = _span(text, each, [(start, end) for start, end, _ in spans])
        if found is not None:
            start, end = found
            spans.append((start, end, tag("mark", text[start:end], title=title)))
    parts: list[Child] = []
    done = 0
    for start, end, piece in sorted(spans, key=lambda span: span[:2]):
        parts += [text[done:start], piece]
        done = end
    return [*parts, text[done:]]


def _span(text: str, repair: Repair, taken: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Return where a repaired piece stands: after the last key of its path, if it can be found."""
    keys = [each for each in repair.path.keys if isinstance(each, str)]
    written = filter(None, (json_text(repair.before), text_of_value(repair.before)))
    # A comma too many most often stands before an end.
    behind = (r"(?=\s*(?:[]},]|$))", "") if repair.before == "," else ("",)
    for key, piece, after in product((*keys[-1:], ""), written, behind):
        for found in re.compile(re.escape(piece) + after).finditer(text, max(text.find(key), 0)):
            if all(found.end() <= begin or end <= found.start() for begin, end in taken):
                return found.span()
    return None


def _pieces(*values: object) -> list[str]:
    """Return values as they were written, as JSON if only that tells one from another."""
    pieces = [*map(text_of_value, values)]
    return [*map(json_text, values)] if len({*pieces}) == 1 else pieces


def question_fields(
    questions: Iterable[Question], values: Mapping[str, object], prefix: str = ""
) -> list[Markup]:
    """Return a labelled field for each question; each name is its path after the `prefix`."""
    return [_field(each, values.get(each.path), prefix + each.path) for each in questions]


def _field(question: Question, given: object, name: str) -> Markup:
    listed = cast("list[object]", given if isinstance(given, list) else [given])
    held = [each for each in listed if isinstance(each, str)]
    is_kept = given is not None and (question.secret or question.kind == "file")
    no_default = question.default is None or question.secret
    told = f"{name}-help"
    notes = [
        tag("strong", question.problem, class_="problem") if question.problem else None,
        question.help,
        "Given; leave it empty to keep it." if is_kept else None,
        None if no_default else f"Without an answer: {text_of_value(question.default)}.",
    ]
    common: dict[str, str | bool | None] = {
        "id": name,
        "name": name,
        "aria_describedby": told,
        "aria_required": question.required,
        "aria_invalid": question.problem is not None,
    }
    optional = "" if question.required else tag("small", " (optional)")
    label = tag("label", question.label, optional, for_=name)
    about = tag("span", spaced(notes), id=told, class_="help")
    return tag("div", label, _control(question, held, common), about, class_="field")


def _control(question: Question, held: list[str], common: dict[str, str | bool | None]) -> Markup:
    kind = question.kind
    options = [*map(text_of_value, question.options)]
    if kind == "boolean" and not options:
        options = ["yes", "no"]
    if options and not question.secret:
        many = kind == "choices"
        shown = options if many else ["", *options]
        listed = [tag("option", each, value=each, selected=each in held) for each in shown]
        return tag("select", listed, multiple=many, **common)
    text = "" if question.secret else "\n".join(held)
    if not question.secret and (kind == "json" or "\n" in text):
        return tag("textarea", raw(text), rows=4, spellcheck="false", **common)
    is_list = "array" in str(members_of(question.schema).get("type"))
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
