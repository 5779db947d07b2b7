"""B09: nothing that is the human's is in anything a model is shown, whatever it wrote."""

import copy
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from laws import law
from random_schemas import HUMAN, MARK, Schemas
from random_values import Values

from pyfunctools import Attempts, Controller, Function, Outcome, parse_calls, prompt_of
from pyfunctools.errors import DefinitionError, SchemaError

NUMBER = 73737000
"""Numbers of the human's begin with these digits."""

MENTIONING = {"const", "default", "dependentRequired", "enum", "examples", "required"}

RENDERINGS: dict[str, Callable[[Function], Any]] = {
    "the model's side": lambda function: function.separated and function.separated.llm,
    "the description": lambda function: function.description,
    "the prompt": lambda function: prompt_of([function]).system,
    "the compact prompt": lambda function: prompt_of([function], compact=True).system,
    "the schema of an answer": lambda function: prompt_of([function]).response_schema,
}
"""Everything of a function that is shown to a model before it calls."""


def random_function(random: Random) -> Function:
    """Give a function of random parameters, with the human's in them wherever it can be."""
    while True:
        parameters = Schemas(random, marks=True).root()
        if parameters.get("type") != "object":
            continue
        before = copy.deepcopy(parameters)
        try:
            function = Function.from_schema(
                name="f", parameters=parameters, handler=lambda **arguments: len(arguments)
            )
        except (DefinitionError, SchemaError):  # null fits too, or a reference leads to itself
            continue
        assert parameters == before
        if function.separated is not None and not contradicts_itself(function.parameters):
            return function


def contradicts_itself(schema: Any) -> bool:
    """Say whether a closed object mentions what it does not have: then nobody says whose it is.

    Members of `allOf` that contradict each other are merged to such objects.
    """
    if isinstance(schema, list):
        return any(map(contradicts_itself, schema))
    if not isinstance(schema, dict):
        return False
    said = {key: inner for key, inner in schema.items() if key in MENTIONING}
    is_closed = schema.get("additionalProperties") is False
    lacking = [name for name in HUMAN if name not in schema.get("properties", {})]
    if is_closed and any(name in json.dumps(said) for name in lacking):
        return True
    return any(map(contradicts_itself, schema.values()))


def told(function: Function, outcome: Outcome) -> Iterator[str]:
    """Give every text that comes of a call for a model to read."""
    yield outcome.text
    attempts = Attempts(function, limit=9)
    for tried in (outcome, outcome):  # what is made again is pointed out
        attempts = attempts.after(tried)
        yield attempts.text
    yield json.dumps([[r.path, r.kind, r.before, r.after] for r in outcome.repairs])
    for issue in outcome.issues:
        if issue.side == "human":
            assert issue.value is None
        else:
            yield json.dumps([issue.path, issue.expected, issue.value, issue.message])


def found(function: Function, wrote: Any) -> Iterator[str]:
    """Give every text that comes of looking for calls in what a model wrote."""
    arguments = wrote if isinstance(wrote, str) else json.dumps(wrote)
    for call in parse_calls(f'<tool_call>{{"name": "f", "arguments": {arguments}}}', [function]):
        if not call.result:
            yield call.result.feedback()
            for one in call.result.issues:
                yield json.dumps([one.path, one.expected, one.value, one.message])


def leaked(text: str, wrote: str) -> list[str]:
    words = (MARK, str(NUMBER)[:5], *HUMAN)
    return [word for word in words if word in text and word not in wrote]


@law(60)
@given(seed=st.integers(0, 2**48))
def test_B09_no_text_of_a_call_tells_a_model_of_the_human(seed: int) -> None:
    random = Random(seed)
    function = random_function(random)
    for rendering in RENDERINGS.values():
        assert not leaked(json.dumps(rendering(function)), "")
    with Controller.from_functions([function]) as controller:
        for _ in range(4):
            theirs = Values(random, function.parameters, MARK, NUMBER)
            evil = Values(random, function.parameters, "EVIL", 6660)
            assert function.separated is not None
            llm, human = function.separated.split(theirs.of(function.parameters))
            mine, _ = function.separated.split(evil.of(function.parameters))
            bad = evil.hostile(evil.of(function.parameters))
            for wrote in (mine, bad, json.dumps(bad), json.dumps(mine)[:-1]):
                for gave in (human, None, {}, theirs.hostile(llm)):
                    gave = gave if isinstance(gave, dict) else None
                    outcome = controller.call("f", wrote, human=gave)
                    for text in told(function, outcome):
                        assert not leaked(text, json.dumps(wrote)), text
                for text in found(function, wrote):
                    assert not leaked(text, json.dumps(wrote)), text
