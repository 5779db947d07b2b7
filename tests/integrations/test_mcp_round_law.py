"""A controller with random functions that is served and read back is the same controller."""

import asyncio
import json
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from leaking import contradicts_itself, random_function
from mcp import Client
from random_schemas import Schemas
from random_values import Values
from spoiling import mistakes
from turns import Shop as TurnsShop

from pyfunctools import Controller, DefinitionError, Function, Outcome, Question, SchemaError
from pyfunctools.cli.demo import TeaShop
from pyfunctools.integrations.mcp import server
from pyfunctools.record.origin import Method
from pyfunctools.record.outcome import outcome_json
from pyfunctools.schema import Validator
from pyfunctools.testing import arguments

EXAMPLES = Path(__file__).parents[2] / "examples"
REVISIONS = ("auto", "legacy")


def same(here: Function, there: Function) -> None:
    """Compare what two functions say of themselves; a person's part stays with the server."""
    for said in ("name", "description", "title", "read_only", "destructive", "idempotent"):
        assert getattr(here, said) == getattr(there, said), said
    assert there.separated is None
    assert (here.output is None) == (there.output is None)


def asked_alike(here: Any, there: Any) -> None:
    """Compare the questions of a call that waits; what is secret, or a file, is in no form."""
    shown = [each for each in here if not (each.secret or each.kind == "file")]
    assert [(each.path, each.label, each.required) for each in there] == [
        (each.path, each.label, each.required) for each in shown
    ]
    for mine, theirs in zip(shown, there, strict=True):
        assert theirs.kind == {"json": "text", "time": "text"}.get(mine.kind, mine.kind)
        assert len(theirs.options) == len(mine.options)


async def round_of(local: Controller, calls: list[tuple[str, Any]], revision: str) -> None:
    """Compare a controller with what is read of its server, also by calls."""
    served = server(local, context=lambda request: "Ada")
    async with await Controller.from_mcp(Client(served, mode=revision), trust=True) as remote:
        assert remote.skipped == ()
        for here, there in zip(local, remote, strict=True):
            same(here, there)
        for name, arguments in calls:
            seen: list[Any] = []
            here = await local.acall(name, arguments, context="Ada")

            def decline(pending: Any, seen: list[Any] = seen) -> bool:
                seen.append(pending)
                return False

            there = await remote.acall(name, arguments, human=decline, approve=decline)
            if here.waiting is not None:
                assert there.is_error
                waited_alike(here, there, seen)
            else:
                assert (there.ok, there.is_error) == (here.ok, here.is_error)
                if here.ok:
                    assert there.text == here.text
                if here.ok and (revision == "auto" or local[name].output is not None):
                    assert outcome_json(there) == outcome_json(
                        here
                    )  # older clients take objects alone


def waited_alike(here: Outcome, there: Outcome, seen: list[Any]) -> None:
    """Compare a call that waits with what was asked for its like there."""
    private = [each for each in questions(here) if each.secret or each.kind == "file"]
    is_empty = len(private) == len(questions(here)) and not here.waiting.approval  # type: ignore[union-attr]
    if is_empty or any(each.required for each in private):
        said = "may not be asked for in a form" if private else "no form can ask"
        assert said in there.text
        assert not seen
    else:
        assert seen[0].arguments == here.waiting.arguments  # type: ignore[union-attr]
        asked_alike(questions(here), seen[0].questions)


def questions(outcome: Any) -> tuple[Question, ...]:
    return outcome.waiting.questions


def from_example(name: str) -> Any:
    """Return the module of an example, which is not run."""
    spec = spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


MADE = {
    "the shop": lambda: Controller.from_object(TeaShop()),
    "the shop of turns": lambda: Controller.from_object(TurnsShop()),
    "fastapi_app": lambda: Controller.from_fastapi(from_example("fastapi_app").app),
    "human": lambda: Controller.from_object(from_example("human").Bank()),
    "human_openapi": lambda: Controller.from_openapi(
        from_example("human_openapi").DOCUMENT, server="http://127.0.0.1:9"
    ),
    "mcp_server": lambda: from_example("mcp_server").shop,
    "methods": lambda: Controller.from_object(from_example("methods").Restaurant()),
    "openapi": lambda: Controller.from_openapi(
        from_example("openapi").DOCUMENT, server="http://127.0.0.1:9"
    ),
    "prompt": lambda: Controller.from_object(from_example("prompt").Shop()),
    "tickets": lambda: Controller.from_object(from_example("tickets").Bank()),
    "web_person": lambda: from_example("web_person").hotel,
}


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("name", MADE)
@law(3, most=10)
@given(data=st.data())
def test_the_controllers_of_the_examples_come_back(
    name: str, revision: str, data: st.DataObject
) -> None:
    local = MADE[name]()
    calls: list[tuple[str, Any]] = [(each.name, {}) for each in local]
    for each in local:
        if isinstance(each.origin, Method):  # a document's are of a server that is not there
            calls.append((each.name, data.draw(arguments(each))))
            calls.append((each.name, data.draw(mistakes(each)).text))
    asyncio.run(round_of(local, calls, revision))


@pytest.mark.parametrize("name", MADE)
def test_their_parameters_come_back_to_the_letter(name: str) -> None:
    local = MADE[name]()

    async def read() -> list[Any]:
        served = server(local, context=lambda request: None)
        async with await Controller.from_mcp(Client(served)) as remote:
            return [each.render("mcp", inline=True).schema for each in remote]

    assert asyncio.run(read()) == [each.render("mcp", inline=True).schema for each in local]


@pytest.mark.parametrize("revision", REVISIONS)
@law(20, most=100)
@given(seed=st.integers(0, 2**48))
def test_random_controllers_come_back(revision: str, seed: int) -> None:
    random = Random(seed)
    functions = [random_function(random), plain_function(random)]
    calls: list[tuple[str, Any]] = []
    for each in functions:
        values = Values(random, each.llm, "text", 7)
        made = values.of(each.llm)
        texts = (json.dumps(made), json.dumps(made)[:-1], json.dumps(values.hostile(made)))
        calls += [(each.name, text) for text in texts]
    asyncio.run(round_of(Controller.from_functions(functions), calls, revision))


def plain_function(random: Random) -> Function:
    """Return a function of random parameters and output, with no person's part."""
    while True:
        parameters, output = (Schemas(random, marks=False).root() for _ in range(2))
        if parameters.get("type") != "object" or contradicts_itself(parameters):
            continue
        if "unevaluated" in json.dumps(output):  # inside of a `oneOf` clients are told it loosened
            continue
        value = Values(random, output, "text", 7).of(output)
        if not Validator(output).validate(value):
            continue
        try:
            made = Function.from_schema(
                name="plain",
                title="A plain one",
                read_only=random.choice((True, False, None)),
                parameters=parameters,
                output=output,
                handler=partial(_given, value),
            )
            # A property that no value fits is said in fewer words: null is "absent" in one only.
            if '"not": {}' not in json.dumps(made.render("mcp").schema):
                return made
        except (DefinitionError, SchemaError):  # null fits too, or a reference leads to itself
            continue


def _given(value: Any, **_: Any) -> Any:
    return value
