"""The output of a model -> its calls, in the notation of any model family."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Literal

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.blocks import MAX_CALLS, id_of
from pyfunctools.envelopes.envelope import ModelCall
from pyfunctools.envelopes.reply import CONTENT_KEYS, Reply, data_of
from pyfunctools.errors import DefinitionError
from pyfunctools.prompting.calls.call_objects import call_objects
from pyfunctools.prompting.calls.check import check_call, made_call, too_many
from pyfunctools.prompting.calls.found import FoundCall
from pyfunctools.prompting.calls.names import FunctionNames
from pyfunctools.prompting.calls.scan import Scan
from pyfunctools.prompting.calls.sequences import repetitions
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.parsing.parse import parse
from pyfunctools.schema.result import Repair


def parse_calls(
    raw: object, functions: Iterable[Function], *, repeated: Literal["drop", "keep"] = "drop"
) -> list[Call]:
    """Return the calls in the output of a model, in their order.

    `raw` is a text (`bytes` are UTF-8), or a message, response or list of calls, as an object of a
    vendor's SDK or as plain data. If a response has several alternatives, the first is read. In a
    vendor's message, only text blocks and calls that the program has to run are read; other blocks
    and messages of other roles are ignored. A text may have JSON objects with a name and arguments,
    tags around them or instead of them, a name in front of a JSON object, and calls in the notation
    of Python. Nothing is run.

    Calls count in the open, in the tags of calls, and in fences without a name or named `json`,
    `python`, `tool_code`, `javascript`, `xml` and their kin; no other fence or tag is read. Neither
    is text that is not the model's answer: text behind the end of its turn, other turns (`<user>`),
    thoughts (`<think>`), comments, blockquotes, strings, and the arguments of another call. These
    are not calls either: the description of one (`f(city)`, `def f(city):`, a definition of `f`),
    code that may not run (under `if`, behind `return`, in a loop over nothing), an alternative to
    an answer, and a call that the sentences around it ask for, refuse, quote or explain. A call
    inside a sentence counts only if the text has no other. The name of a variable is no value.
    Every call in a list or sequence of calls is in the result, as a `Success` or a `Failure`.

    Calls that repeat calls of an earlier list, array or block of code count once, and so do equal
    calls that follow each other three times or more in tags; a repair `repeated` of the first call
    reports it. With `repeated="keep"` all of them are in the result.

    A name is matched exactly, then with `_` for invalid characters, then by its last part behind a
    dot; then, if the arguments are valid, as the end of one function's name, or by its letters and
    digits. An unknown name is a `Failure` with similar names. At most 1,000 calls are read; one
    more is a `Failure` that reports the limit. Time is linear in the length of the text: if
    thousands of objects or calls are not closed, the rest of the text is not read.

    Raises:
        DocumentError: `raw` is not the output of a model or an SDK, but for example a coroutine.
        DefinitionError: one of the `functions` is not a `Function`, or `repeated` is invalid.
    """
    if repeated not in ("drop", "keep"):
        raise DefinitionError(
            "parse_calls", f"`repeated` is {repeated!r}.", 'Write `"drop"` or `"keep"`.'
        )
    names = FunctionNames(functions)
    found = _calls_in(raw, names)
    over = found[MAX_CALLS : MAX_CALLS + 1]
    found = found[:MAX_CALLS]
    calls = [_call(each, names) for each in found]
    if repeated == "drop" and len(calls) > 1:
        calls = _once(calls, repetitions(found, [call.arguments for call in calls]))
    surplus = (made_call(each, each.function, too_many(), each.id, each.span) for each in over)
    return [*calls, *surplus]


def _calls_in(raw: object, names: FunctionNames) -> list[FoundCall]:
    if isinstance(raw, bytes | bytearray):
        raw = bytes(raw).decode(errors="surrogateescape")
    if isinstance(raw, str):
        return Scan(raw, names).calls()
    value = data_of(raw)

    def other_calls(block: JsonObject) -> Iterator[ModelCall]:
        call_id = id_of(block) if len(block) > 1 else None
        for call in islice(call_objects(block, names), MAX_CALLS + 1):
            yield ModelCall(id=call_id, name=call.name, arguments=call.arguments)

    reply = Reply(value, other_calls)
    native = reply.blocks.calls(reply.reason)
    return [_native(call, names) for call in native] or _in_texts(reply, names) or _unknown(value)


def _native(call: ModelCall, names: FunctionNames) -> FoundCall:
    return FoundCall(
        name=call.name,
        function=names.find(call.name),
        arguments=call.arguments,
        id=call.id,
        namespace=call.namespace,
        caller=call.caller,
        cut_off=not call.closed,
    )


def _in_texts(reply: Reply, names: FunctionNames) -> list[FoundCall]:
    found: list[FoundCall] = []
    for text, block in reply.blocks.texts:
        calls = Scan(text, names).calls()
        after = found[-1].group + 1 if found else 0
        for each in calls:
            each.start = each.end = -1
            each.group += after
        if calls and reply.reason and block == reply.blocks.count:
            calls[-1].cut_off = True
        found += calls
    return found[: MAX_CALLS + 1]


def _unknown(value: JsonValue) -> list[FoundCall]:
    """Return the calls of unknown functions in `[{"name": "{...}"}]`."""
    found: list[FoundCall] = []
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict) and len(item) == 1 and len(found) <= MAX_CALLS:
            name, arguments = next(iter(item.items()))
            if name not in CONTENT_KEYS and isinstance(arguments, str) and _is_object(arguments):
                found.append(FoundCall(name=name, function=None, arguments=arguments))
    return found


def _is_object(text: str) -> bool:
    parsed = parse(text) if text.lstrip().startswith("{") else None
    return bool(parsed) and isinstance(parsed.value, dict)


def _once(calls: list[Call], again: Mapping[int, list[int]]) -> list[Call]:
    """Return the calls without repetitions; a repair of the first call reports them."""
    dropped = {place for places in again.values() for place in places}
    kept: list[Call] = []
    for place, call in enumerate(calls):
        if place in dropped:
            continue
        if place in again:
            times = len(again[place]) + 1
            made = Repair(path=Path.of(()), kind="repeated", before=times, after=1)
            repairs = (*call.repairs, made)
            call = replace(call, result=replace(call.result, repairs=repairs), repairs=repairs)  # noqa: PLW2901
        kept.append(call)
    return kept


def _call(found: FoundCall, names: FunctionNames) -> Call:
    result = check_call(found, names)
    guess = names.guess(found.name) if found.function is None else None
    if guess is not None:
        guessed = replace(found, function=guess)
        if other := check_call(guessed, names):
            found, result = guessed, other
    return made_call(found, found.function, result, found.id, found.span)
