"""What a model wrote -> the calls it meant, whatever its family's habit of writing them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pyfunctools._json import JsonValue
from pyfunctools._text import brief_record
from pyfunctools.prompting.found import MAX_CALLS, Found
from pyfunctools.prompting.judge import judged
from pyfunctools.prompting.messages import calls_in
from pyfunctools.prompting.names import Names
from pyfunctools.record import Function
from pyfunctools.schema.path import Path
from pyfunctools.schema.result import Failure, Issue, Repair, Success


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Call:
    """One call that a model wrote.

    `name` is that of the function, or as written where there is no such function. `arguments` are
    read and coerced, as far as they could be where `result` is a `Failure`; `repairs` are those of
    the result. `span` is where the call begins and ends in the text (of bytes: in the text they
    say), `None` where it came as an object.
    """

    name: str
    arguments: JsonValue
    result: Success[JsonValue] | Failure
    repairs: tuple[Repair, ...] = ()
    span: tuple[int, int] | None = None

    def __repr__(self) -> str:
        return brief_record(self, "name", "arguments", "result", "span")


def parse_calls(raw: object, functions: Iterable[Function]) -> list[Call]:
    """Give the calls in what a model wrote, in their order; one inside another comes first.

    `raw` is a text (`bytes` are UTF-8), a message, response or list of calls as a vendor's SDK
    gives it, or the same as plain data; of several alternatives the first is read. In a text are
    found JSON objects with a name and arguments, tags around them or in their place, a name in
    front of a JSON object, and calls as Python writes them, of which nothing is run. What stands
    in thoughts (`<think>`) is no call, nor is the mere form of one: `f(city)`, `def f(city):`, a
    description of `f`. In sentences a call counts only where no other stands in the text, and one
    that is repeated behind other text counts once.

    A name is matched exactly, then with `_` for what no name has, then by its last part behind a
    dot, or as the last part of one function's name if the arguments are right for that; one that
    is no function's is a call whose result is a `Failure` with the close names. At most 1,000 calls
    are read; of more the last one given is a `Failure` that says so. Time is linear in the length
    of the text; one that begins thousands of objects or calls without ending them is given up.

    Raises:
        DocumentError: `raw` is nothing that a model or an SDK gives, a coroutine for example.
        DefinitionError: one of the `functions` is no `Function`.
    """
    names = Names(functions)
    found = calls_in(raw, names)
    calls = [_call(each, names) for each in found[:MAX_CALLS]]
    return [*calls, _surplus(found[MAX_CALLS])] if len(found) > MAX_CALLS else calls


def _surplus(found: Found) -> Call:
    issue = Issue(
        path=Path.of(()),
        expected=f"at most {MAX_CALLS} calls",
        value=None,
        message=f"There are more than {MAX_CALLS} calls; from this one on they are not read.",
    )
    failure = Failure(value={}, issues=(issue,))
    return Call(name=_name(found), arguments={}, result=failure, span=_span(found))


def _call(found: Found, names: Names) -> Call:
    result = judged(found, names)
    short = names.short(found.name) if found.function is None else None
    if short is not None:
        meant = replace(found, function=short)
        if other := judged(meant, names):
            found, result = meant, other
    return Call(
        name=_name(found),
        arguments=result.value,
        result=result,
        repairs=result.repairs,
        span=_span(found),
    )


def _name(found: Found) -> str:
    return found.name if found.function is None else found.function.name


def _span(found: Found) -> tuple[int, int] | None:
    return None if found.start < 0 else (found.start, found.end)
