"""B09: no text for a model has a value of the human, whatever the model wrote."""

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from laws import law
from leaking import NUMBER, leaked, random_function
from random_schemas import MARK
from random_values import Values

from pyfunctools import Attempts, Controller, Function, Outcome, parse_calls, prompt_of

RENDERINGS: dict[str, Callable[[Function], Any]] = {
    "the model's side": lambda function: function.separated and function.separated.llm,
    "the description": lambda function: function.description,
    "the prompt": lambda function: prompt_of([function]).system,
    "the compact prompt": lambda function: prompt_of([function], compact=True).system,
    "the schema of an answer": lambda function: prompt_of([function]).response_schema,
}
"""The parts of a function that a model sees before it calls."""


def texts_of_outcome(function: Function, outcome: Outcome) -> Iterator[str]:
    """Yield every text about a call that a model reads."""
    yield outcome.text
    attempts = Attempts(function, limit=9)
    for tried in (outcome, outcome):  # a repeated mistake is pointed out
        attempts = attempts.after(tried)
        yield attempts.text
    yield json.dumps([[r.path, r.kind, r.before, r.after] for r in outcome.repairs])
    for issue in outcome.issues:
        if issue.side == "human":
            assert issue.value is None
        else:
            yield json.dumps([issue.path, issue.expected, issue.value, issue.message])


def texts_of_parsed_calls(function: Function, wrote: Any) -> Iterator[str]:
    """Yield every text about the calls that are parsed in a model's text."""
    arguments = wrote if isinstance(wrote, str) else json.dumps(wrote)
    for call in parse_calls(f'<tool_call>{{"name": "f", "arguments": {arguments}}}', [function]):
        if not call.result:
            yield call.result.feedback()
            for one in call.result.issues:
                yield json.dumps([one.path, one.expected, one.value, one.message])


@law(60, most=1_000)  # of 64 calls each
@given(seed=st.integers(0, 2**48))
def test_B09_no_text_for_a_model_has_a_value_of_the_human(seed: int) -> None:
    random = Random(seed)
    function = random_function(random)
    for rendering in RENDERINGS.values():
        assert not leaked(json.dumps(rendering(function)), "")
    with Controller.from_functions([function]) as controller:
        for _ in range(4):
            human_values = Values(random, function.parameters, MARK, NUMBER)
            model_values = Values(random, function.parameters, "EVIL", 6660)
            assert function.separated is not None
            llm, human = function.separated.split(human_values.of(function.parameters))
            valid, _ = function.separated.split(model_values.of(function.parameters))
            hostile = model_values.hostile(model_values.of(function.parameters))
            for wrote in (valid, hostile, json.dumps(hostile), json.dumps(valid)[:-1]):
                for gave in (human, None, {}, human_values.hostile(llm)):
                    gave = gave if isinstance(gave, dict) else None
                    outcome = controller.call("f", wrote, human=gave)
                    for text in texts_of_outcome(function, outcome):
                        assert not leaked(text, json.dumps(wrote)), text
                for text in texts_of_parsed_calls(function, wrote):
                    assert not leaked(text, json.dumps(wrote)), text
