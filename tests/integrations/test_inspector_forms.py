"""The form of every function: what the testing kit fills in is what the function takes."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from laws import IS_WHOLE
from starlette.requests import Request

from pyfunctools import Controller, DefinitionError, File, Function, Question
from pyfunctools.errors import DocumentError
from pyfunctools.integrations.inspector.trial_page import question_fields
from pyfunctools.integrations.inspector.trying import Trial, Trials, fields_of, values_in
from pyfunctools.testing.fitting import FittingValues
from pyfunctools.testing.strategies import FULLNESS, fitting

REQUEST = Request({"type": "http", "headers": []})
ROUNDS = 8
"""How often a form is sent until no answer leads to a further question."""
TRIES = 24
"""How often a form is filled anew: there are empty texts, which no form can give."""
MOST = 60 if IS_WHOLE else 5
"""Of a document with more functions, every second, third and so on is tried."""
FEW = ("samchon-openapi--v3.1_shopping.json", "figma-rest-api-spec--openapi_openapi.yaml")


class Fields(HTMLParser):
    """The fields of a form: for each name its type, and the options of a choice."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: dict[str, tuple[str, list[str]]] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a field, or an option of the last one."""
        given = dict(attrs)
        name, value = given.get("name"), given.get("value")
        if tag == "option" and value:
            next(reversed(self.found.values()))[1].append(value)
        elif tag in ("input", "select", "textarea"):
            assert name is not None
            self.found[name] = (given.get("type") or tag, [])


def answers(question: Question, kind: str, options: list[str], values: FittingValues) -> list[Any]:
    """Return what a person fills into one field: texts and files, as a browser sends them."""
    if kind == "file":
        return [("a.txt", b"abc", "text/plain")]
    if options and question.kind != "choices":
        return [values.random.choice(options)]
    schema: Any = question.schema
    if question.default == 0 and schema.keys() == {"type", "minimum", "maximum"}:
        return [str(max(schema["minimum"], values.random.randint(0, 1)))]  # how many items
    value = values.value()
    if question.kind == "choices":
        return [each if isinstance(each, str) else json.dumps(each) for each in value or ()]
    if question.kind == "json":
        return [json.dumps(value, ensure_ascii=False)]
    return [] if value is None else [value if isinstance(value, str) else json.dumps(value)]


def posted(sent: list[tuple[str, Any]]) -> Request:
    """Return the request by which a browser sends a form."""
    files = [(name, (None, each) if isinstance(each, str) else each) for name, each in sent]
    made = httpx.Request("POST", "http://127.0.0.1/", files=files)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": made.read()}

    headers = [(name.lower(), text) for name, text in made.headers.raw]
    return Request({"type": "http", "method": "POST", "headers": headers}, receive)


def grouped(sent: list[tuple[str, Any]]) -> dict[str, list[object]]:
    """Return what `fields_of` returns for a posted form, in a fraction of the time."""
    fields: dict[str, list[object]] = {}
    for name, each in sent:
        if not isinstance(each, str):
            fields.setdefault(name, []).append(File(each[1], each[0], each[2]))
        elif each.strip():
            fields.setdefault(name, []).append(each)
    return fields


def test_a_posted_form_has_every_field_under_its_name() -> None:
    name = '$input.header["User-Agent"]'
    sent = [(name, "x"), ("$input.f", ("a.txt", b"abc", "text/plain")), ("$input.e", " ")]
    sent += [(f"$input.n[{n}]", "1") for n in range(1_200)]
    assert dict(asyncio.run(fields_of(posted(sent)))) == grouped(sent)


async def filled(trials: Trials, function: Function, random: Random, number: int) -> Trial:
    """Fill the form of a function, and send it until it asks for nothing more."""
    text, sent = json.dumps(fitting(function, "llm", random)), list[tuple[str, Any]]()
    fullness = FULLNESS[number % len(FULLNESS)]
    trial, seen = None, set[str]()
    for _ in range(ROUNDS):
        values = values_in(grouped(sent))
        trial = await trials.check(REQUEST, trials.begun(REQUEST, function.name, text, values, ""))
        questions = {each.path: each for each in trial.questions}
        fields = Fields("".join(question_fields(trial.questions, trial.values))).found
        assert fields.keys() == questions.keys()
        new = [each for each in questions.values() if each.path not in seen]
        if trial.pending is not None or not new:
            break
        for each in new:
            if each.required or random.random() < fullness:
                made = FittingValues(each.schema, random, fullness)
                sent += [(each.path, one) for one in answers(each, *fields[each.path], made)]
        seen |= questions.keys()
    assert trial is not None
    return trial


async def failures(functions: list[Function], trials: Trials) -> list[str]:
    """Return the functions for which no form became a call that only wants an approval."""
    found: list[str] = []
    for function in functions:
        random, trial = Random(function.name), None
        for number in range(TRIES):
            try:
                trial = await filled(trials, function, random, number)
            except DefinitionError:  # the kit finds no arguments of the model
                break
            if trial.pending is not None:
                break
        if trial is None or trial.pending is None:
            with suppress(DefinitionError):  # without valid arguments no form can be filled
                fitting(function, "whole", Random(function.name))
                found.append(f"{function.name}: {trial and trial.outcome.text}")
    return found


def opened(shared: Path, whole: bool) -> Iterator[Controller]:
    """Yield the controllers of the corpus; `whole`: all of the arguments are the person's."""
    settings: Any = {"is_human": lambda path, schema: True} if whole else {}
    for path in sorted((shared / "corpus").glob("v*/*")):
        try:
            yield Controller.from_openapi(path, server="http://127.0.0.1:9", **settings)
        except DocumentError:  # it refers to another file
            continue


@pytest.mark.parametrize("name", FEW)
def test_what_is_filled_into_a_form_is_taken(shared: Path, name: str) -> None:
    (path,) = (shared / "corpus").rglob(name)
    api = Controller.from_openapi(
        path, server="http://127.0.0.1:9", is_human=lambda path, schema: True
    )
    functions = list(api)[:6]
    assert asyncio.run(failures(functions, Trials(api, None, None))) == []


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False], ids=["all is the person's", "as marked"])
def test_999_of_1000_functions_have_a_form_that_can_be_filled(shared: Path, whole: bool) -> None:
    tried, without = 0, list[str]()
    for api in opened(shared, whole):
        functions = list(api)[:: -(-len(api) // MOST) or 1]
        tried += len(functions)
        without += asyncio.run(failures(functions, Trials(api, None, None)))
    assert tried > MOST * 20
    assert len(without) <= max(0.001 * tried, 1), without
