"""What a model wrote -> the calls it meant, whatever its family's habit of writing them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Literal

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.blocks import MAX_CALLS, id_of
from pyfunctools.envelopes.envelope import SpokenCall
from pyfunctools.envelopes.reply import CONTENT_KEYS, Reply, data_of
from pyfunctools.errors import DefinitionError
from pyfunctools.prompting.calls.arguments import WrittenArguments
from pyfunctools.prompting.calls.check import judged
from pyfunctools.prompting.calls.found import Found
from pyfunctools.prompting.calls.names import FunctionNames
from pyfunctools.prompting.calls.scan import Scan
from pyfunctools.prompting.calls.sequences import repetitions
from pyfunctools.prompting.calls.shapes import bundled, shapes
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.parsing.parse import parse
from pyfunctools.schema.result import Failure, Issue, Repair


def parse_calls(
    raw: object, functions: Iterable[Function], *, repeated: Literal["drop", "keep"] = "drop"
) -> list[Call]:
    """Return the calls in what a model wrote, in the order in which they stand.

    `raw` is a text (`bytes` are UTF-8), a message, response or list of calls as a vendor's SDK
    gives it, or the same as plain data; of several alternatives the first is read. Of a vendor's
    message only text blocks and calls for us are read: every other block, and a message of another
    role, is skipped whole. In a text are found JSON objects with a name and arguments, tags around
    them or in their place, a name in front of a JSON object, and calls as Python writes them, of
    which nothing is run.

    What is not the model's speech is no call: what stands behind the end of its turn, in another's
    turn (`<user>`), thoughts (`<think>`), a result, a comment, a quotation, a string, or the
    arguments of another call; nor is the mere form of one (`f(city)`, `def f(city):`, a description
    of `f`), what may not run (under `if`, behind `return`), an alternative behind an answer, or a
    sentence about what could or will not be called. In sentences a call counts only where no other
    stands in the text. Every call in a list or sequence of calls is in the result, right or as a
    `Failure`.

    Calls that only repeat those of an earlier list, array or block of code, and the same calls
    three times or more in a run of tags, count once: a repair `repeated` of the call that stays
    says so. With `repeated="keep"` all of them are in the result.

    A name is matched exactly, then with `_` for what no name has, then by its last part behind a
    dot, or as the last part of one function's name, or by its letters and digits, if the arguments
    are right for that; one that is no function's is a call whose result is a `Failure` with the
    close names. At most 1,000 calls are read; of more the last one given is a `Failure` that says
    so. Time is linear in the length of the text; one that begins thousands of objects or calls
    without ending them is given up.

    Raises:
        DocumentError: `raw` is nothing that a model or an SDK gives, a coroutine for example.
        DefinitionError: one of the `functions` is no `Function`, or `repeated` neither of the two.
    """
    if repeated not in ("drop", "keep"):
        raise DefinitionError(
            "parse_calls", f"`repeated` is {repeated!r}.", 'Write `"drop"` or `"keep"`.'
        )
    names = FunctionNames(functions)
    found = _calls_in(raw, names)
    if any(each.function is None for each in found):
        found = [each for one in found for each in _unbundled(one, names)]
    over = found[MAX_CALLS : MAX_CALLS + 1]
    found = found[:MAX_CALLS]
    calls = [_call(each, names) for each in found]
    if repeated == "drop" and len(calls) > 1:
        calls = _once(calls, repetitions(found, [call.arguments for call in calls]))
    return [*calls, *(_surplus(each) for each in over)]


def _calls_in(raw: object, names: FunctionNames) -> list[Found]:
    if isinstance(raw, bytes | bytearray):
        raw = bytes(raw).decode(errors="surrogateescape")
    if isinstance(raw, str):
        return Scan(raw, names).calls()
    value = data_of(raw)

    def written(said: JsonObject) -> Iterator[SpokenCall]:
        name = id_of(said) if len(said) > 1 else None
        for shape in islice(shapes(said, names, closed=True), MAX_CALLS + 1):
            yield SpokenCall(id=name, name=shape.name, arguments=shape.arguments)

    reply = Reply(value, written)
    spoken = reply.blocks.calls(cut=reply.cut)
    return [_spoken(call, names) for call in spoken] or _in_texts(reply, names) or _renamed(value)


def _spoken(call: SpokenCall, names: FunctionNames) -> Found:
    return Found(
        name=call.name,
        function=names.find(call.name),
        arguments=call.arguments,
        id=call.id,
        namespace=call.namespace,
        caller=call.caller,
        cut=not call.closed,
    )


def _in_texts(reply: Reply, names: FunctionNames) -> list[Found]:
    found: list[Found] = []
    for text, block in reply.blocks.texts:
        calls = Scan(text, names).calls()
        after = found[-1].group + 1 if found else 0
        for each in calls:
            each.start = each.end = -1
            each.group += after
        if calls and reply.cut and block == reply.blocks.count:
            calls[-1].cut = True
        found += calls
    return found[: MAX_CALLS + 1]


def _renamed(value: JsonValue) -> list[Found]:
    """Return the calls of functions nobody has in `[{"name": "{...}"}]`."""
    found: list[Found] = []
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict) and len(item) == 1 and len(found) <= MAX_CALLS:
            name, arguments = next(iter(item.items()))
            if name not in CONTENT_KEYS and isinstance(arguments, str) and _is_object(arguments):
                found.append(Found(name=name, function=None, arguments=arguments))
    return found


def _is_object(text: str) -> bool:
    read = parse(text) if text.lstrip().startswith("{") else None
    return bool(read) and isinstance(read.value, dict)


def _once(calls: list[Call], again: Mapping[int, list[int]]) -> list[Call]:
    """Return the calls without those that repeat another, which says so."""
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


def _unbundled(found: Found, names: FunctionNames) -> list[Found]:
    """Return the calls that one of OpenAI's `multi_tool_use.parallel` holds, or itself."""
    arguments = found.arguments
    if found.function is not None or "parallel" not in found.name:
        return [found]
    if isinstance(arguments, WrittenArguments):
        only = arguments.positional[0] if len(arguments.positional) == 1 else None
        arguments = arguments.values or only
    elif isinstance(arguments, str):
        arguments = parse(arguments).value
    shapes = bundled(found.name, arguments, names)
    piece = found.piece if isinstance(found.arguments, dict) else None
    return [
        replace(
            found,
            name=shape.name,
            function=shape.function,
            arguments=shape.arguments,
            piece=piece,
            keys=(*found.keys, *shape.keys),
        )
        for shape in shapes
    ] or [found]


def _surplus(found: Found) -> Call:
    issue = Issue(
        path=Path.of(()),
        expected=f"at most {MAX_CALLS} calls",
        value=None,
        message=f"There are more than {MAX_CALLS} calls; from this one on they are not read.",
    )
    failure = Failure(value={}, issues=(issue,))
    return Call(id=found.id, name=_name(found), arguments={}, result=failure, span=_span(found))


def _call(found: Found, names: FunctionNames) -> Call:
    result = judged(found, names)
    short = names.short(found.name) if found.function is None else None
    if short is not None:
        meant = replace(found, function=short)
        if other := judged(meant, names):
            found, result = meant, other
    return Call(
        id=found.id,
        name=_name(found),
        arguments=result.value,
        result=result,
        repairs=result.repairs,
        span=_span(found),
        namespace=found.namespace,
        caller=found.caller,
    )


def _name(found: Found) -> str:
    return found.name if found.function is None else found.function.name


def _span(found: Found) -> tuple[int, int] | None:
    return None if found.start < 0 else (found.start, found.end)
