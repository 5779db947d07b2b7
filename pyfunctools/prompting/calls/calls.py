"""The output of a model -> its calls, in the notation of any model family.

A text is scanned from the beginning to the end:

    <think>f(a=0)?</think>I will not call [f(a=1)], but: [f(a=2), g()] <user>more</user>[f(a=3)]

Another turn begins at `<user>`, so the text ends there. From left to right, each opener (a name and
a parenthesis, a bracket, a tag, a comment) goes to the parser of its notation, and the scan goes on
behind what was parsed; `<think>` is skipped as a whole. Calls with only separators between them are
a run, here `f(a=1)` and `f(a=2), g()`: `sequences` refuses the first by the sentence before it, and
takes every call of the second, valid or not. `check` checks their arguments.

No parser goes back. The characters that each one examines are counted, and the scan stops when they
exceed 400,000 plus four times the length of the text.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Final, Literal, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.envelopes.blocks import MAX_CALLS, Reply, data_of
from pyfunctools.envelopes.envelope import ModelCall
from pyfunctools.envelopes.plain import id_of
from pyfunctools.errors import DefinitionError
from pyfunctools.prompting.calls.check import check_call, check_calls, made_call, too_many
from pyfunctools.prompting.calls.found import FoundCall
from pyfunctools.prompting.calls.json_calls import (
    OBJECT,
    call_objects,
    calls_in_json,
    read_json,
    unreadable_calls,
)
from pyfunctools.prompting.calls.names import FunctionNames
from pyfunctools.prompting.calls.python import CALL, PythonCalls, read_listed
from pyfunctools.prompting.calls.sequences import meant_calls, repetitions
from pyfunctools.prompting.calls.speech import (
    Break,
    Code,
    Elements,
    breaks,
    is_thought,
    start_of_answer,
)
from pyfunctools.prompting.calls.tagged import read_tagged
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.result import Failure, Repair, Success


def parse_calls(
    raw: object, functions: Iterable[Function], *, repeated: Literal["drop", "keep"] = "drop"
) -> list[Call]:
    """Return the calls in the output of a model, in their order.

    `raw` is a text (`bytes` are UTF-8), or a message, response or list of calls, as an object of a
    vendor's SDK or as plain data. If a response has several alternatives, the first is read; of a
    vendor's message only text and calls that the program has to run. Nothing is run.

    Calls are JSON objects with a name and arguments, also in tags or behind the name, tags instead
    of JSON, and the notation of Python. They count in the open, in the tags of calls, and in fences
    without a name or named `json`, `python`, `tool_code`, `javascript`, `xml` and their kin. What
    is not the model's answer is not read: text behind the end of its turn, other turns (`<user>`),
    thoughts (`<think>`), comments, blockquotes, strings, and the arguments of another call. Nor is
    the description of a call (`f(city)`, `def f(city):`), code that may not run (under `if`, in a
    loop over nothing), an alternative to an answer, or a call that the sentences around it ask for,
    refuse, quote or explain. A call inside a sentence counts only if the text has no other. The
    name of a variable is no value. Every call in a list or sequence of calls is in the result, as a
    `Success` or a `Failure`.

    Calls that repeat calls of an earlier list, array or block of code count once, and so do equal
    calls that follow each other three times or more in tags; a repair `repeated` of the first call
    reports it. With `repeated="keep"` all of them are in the result.

    A name is matched exactly, then with `_` for invalid characters, then by its last part behind a
    dot; then, in a text and if the arguments are valid, as the end of one function's name, or by
    its letters and digits. An unknown name is a `Failure` with similar names. At most 1,000 calls
    are read; one more is a `Failure` that reports the limit. Time is linear in the length of the
    text: if thousands of objects or calls are not closed, the rest of the text is not read.

    Raises:
        DocumentError: `raw` is not the output of a model or an SDK, but for example a coroutine.
        DefinitionError: one of the `functions` is not a `Function`, or `repeated` is invalid.
    """
    if repeated not in ("drop", "keep"):
        raise DefinitionError(
            "parse_calls", f"`repeated` is {repeated!r}.", 'Write `"drop"` or `"keep"`.'
        )
    names = FunctionNames(functions)
    if isinstance(raw, bytes | bytearray):
        raw = bytes(raw).decode(errors="surrogateescape")
    if isinstance(raw, str):
        return _checked(Scan(raw, names).calls(), names, repeated)
    reply = _reply(raw, names)
    if native := reply.calls(reply.reason)[: MAX_CALLS + 1]:
        return check_calls(native, [call.id for call in native], names)
    return _checked(_in_texts(reply, names), names, repeated)


def _checked(
    found: list[FoundCall], names: FunctionNames, repeated: Literal["drop", "keep"]
) -> list[Call]:
    """Return the checked calls of a text, up to the limit."""
    over = found[MAX_CALLS : MAX_CALLS + 1]
    found = found[:MAX_CALLS]
    calls = [_call(each, names) for each in found]
    if repeated == "drop" and len(calls) > 1:
        calls = _once(calls, repetitions(found, [call.arguments for call in calls]))
    return [*calls, _made(over[0], too_many())] if over else calls


def _reply(raw: object, names: FunctionNames) -> Reply:
    def other_calls(block: JsonObject) -> Iterator[ModelCall]:
        call_id = id_of(block) if len(block) > 1 else None
        for call in islice(call_objects(block, names), MAX_CALLS + 1):
            yield ModelCall(id=call_id, name=call.name, arguments=cast("JsonValue", call.arguments))
        for name, text in block.items() if len(block) == 1 else ():
            if names.find(name) is None and isinstance(text, str) and text.lstrip()[:1] == "{":
                yield ModelCall(id=None, name=name, arguments=text)

    return Reply(data_of(raw), other_calls)


def _in_texts(reply: Reply, names: FunctionNames) -> list[FoundCall]:
    found: list[FoundCall] = []
    for text, block in reply.texts:
        calls = Scan(text, names).calls()
        after = found[-1].group + 1 if found else 0
        for each in calls:
            each.start = each.end = -1
            each.group += after
        if calls and reply.reason and block == reply.count:
            calls[-1].cut_off = True
        found += calls
    return found[: MAX_CALLS + 1]


def _once(calls: list[Call], again: Mapping[int, int]) -> list[Call]:
    """Return the calls without repetitions; a repair of the first call reports them."""
    calls = [*calls]
    for place, more in Counter(again.values()).items():
        made = Repair(path=Path.of(()), kind="repeated", before=more + 1, after=1)
        repairs = (*calls[place].repairs, made)
        result = replace(calls[place].result, repairs=repairs)
        calls[place] = replace(calls[place], result=result, repairs=repairs)
    return [call for place, call in enumerate(calls) if place not in again]


def _call(found: FoundCall, names: FunctionNames) -> Call:
    result = check_call(found, names)
    guess = names.guess(found.name) if found.function is None else None
    if guess is not None:
        guessed = replace(found, function=guess)
        if other := check_call(guessed, names):
            found, result = guessed, other
    return _made(found, result)


def _made(found: FoundCall, result: Success[JsonValue] | Failure) -> Call:
    span = None if found.start < 0 else (found.start, found.end)
    return made_call(found.name, found.function, result, span=span)


_OPENERS: Final = (
    rf"(?P<call>{CALL})|(?P<bracket>{OBJECT}|\[|\((?=\s*+[\"']))|(?P<tag>[<\u25c1](?=[^\s<>]))"
)
_ASSIGNED: Final = r"^[ \t]*(?:(?:const|let|var)[ ])?[\w.]+[ \t]*(?::[^=\n]{1,40})?=[ \t]*(?=[\"'])"
_QUIET: Final = (
    r"(?P<docstring>(?:\"\"\"|''')(?!\w*\s*\n\s*[\[{<]))"
    r"|(?P<remark>^[ \t]*>(?!>)[^\n]*|(?<![^\s;,)\]}])\#(?!\#)[^\n]*|^[ \t]*\#\#[^\n]*"
    r"|(?<![:\w/])//[^\n]*|/\*[\s\S]*?(?:\*/|\Z))"
    rf"|(?P<string>{_ASSIGNED}(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')(?=[ \t;]*$))"
)
"""Comments, blockquotes and strings: they have no calls."""
_OPENER: Final = re.compile(_OPENERS)
_BRACKET: Final = re.compile(
    rf"(?=[\[{{<\u25c1])(?:(?P<bracket>{OBJECT}|\[)|(?P<tag>[<\u25c1](?=[^\s<>])))"
)
_CAREFUL: Final = re.compile(rf"{_QUIET}|{_OPENERS}", re.MULTILINE)
_LINE: Final = re.compile(rf"^[ \t]*>|{_ASSIGNED}", re.MULTILINE)
"""A line that is a blockquote, or that assigns a string to a variable."""
_LISTED: Final = re.compile(rf"\[\s*+\\?[\"'`]?{CALL}")
_BOXED: Final = re.compile(r"\[[A-Za-z]\w{0,30}\]")
_NESTED: Final = re.compile(r"\(|\[\s*+[\"']|[\"']\s*+\{")
_EFFORT: Final = 4
_MIN_EFFORT: Final = 400_000
"""The characters that may be examined: a factor for each one of the text, and a constant."""
_BROKEN_COST: Final = 4_000
_BROKEN_FACTOR: Final = 8
"""The cost of broken JSON: a constant, and a factor for each of its characters."""
_NAME_COST: Final = 300
"""The cost of the search for a name in front of JSON."""


class Scan:
    """One scan of a text."""

    def __init__(self, text: str, names: FunctionNames) -> None:
        self._text = text
        self._names = names
        self._code = Code(text)
        self._python = PythonCalls(self._text, names, self._code)
        self._elements = Elements(self._text)
        self._breaks = breaks(text)
        self._left = _EFFORT * len(text) + _MIN_EFFORT
        self._at = start_of_answer(text)
        self._thoughts: list[tuple[int, int]] = []
        self._found: list[FoundCall] = []

    def calls(self) -> list[FoundCall]:
        """Return the calls in their order, at most one more than `MAX_CALLS`."""
        text = self._text
        openers = _CAREFUL if _needs_care(text) else _OPENER if "(" in text else _BRACKET
        opener = openers.search(text, self._at)
        while len(self._found) <= MAX_CALLS and self._left > 0:
            place = len(text) if opener is None else opener.start()
            ended = self._next_break(place) if self._breaks else None
            if ended is not None:
                if ended.end is None or self._found:
                    break
                self._at = ended.end
            elif opener is None:
                break
            else:
                self._open(opener)
            if opener is not None and opener.start() < self._at:
                opener = openers.search(text, self._at)
        if not self._found:
            return []
        pieces, at = list[str](), 0
        for start, end in self._thoughts:  # what a thought says is no sentence before a call
            pieces += text[at:start], " " * (end - start)
            at = end
        spoken = "".join((*pieces, text[at:]))
        return meant_calls(text, spoken, self._found, self._names, self._code)[: MAX_CALLS + 1]

    def _next_break(self, at: int) -> Break | None:
        """Return the next turn of another role, if it begins at `at` or before."""
        while self._breaks and self._breaks[0].start < self._at:
            self._breaks.popleft()
        return self._breaks.popleft() if self._breaks and self._breaks[0].start <= at else None

    def _open(self, opener: re.Match[str]) -> None:
        kind = opener.lastgroup
        fence = self._code.fence(opener.start())
        if fence is not None and not fence.is_read:
            self._at = fence.end
        elif kind == "call":
            stop = self._breaks[0].start if self._breaks else len(self._text)
            self._at = opener.end()
            self._take(opener.start(), *self._python.read(opener.start(), opener.end(), stop))
        elif kind == "bracket":
            self._bracket(opener.start())
        elif kind == "tag":
            self._tag(opener.start())
        elif kind == "docstring":
            end = self._text.find(opener[0], opener.end())
            self._at = opener.end() if end < 0 else end + 3
        elif opener[0].lstrip().startswith("##") and fence is None:
            self._at = opener.end() - len(opener[0].lstrip(" \t#"))  # a heading
        else:
            self._at = opener.end()

    def _bracket(self, at: int) -> None:
        text = self._text
        self._at = at + 1
        if _BOXED.match(text, at) and self._skip_element(at):
            return
        if text[at] == "[" and _LISTED.match(text, at):
            return  # the calls in a list are parsed one by one
        if self._take(at, *read_listed(text, at, self._names)) or text[at] == "(":
            return
        json, searched = read_json(text, at)
        self._left -= searched - at
        if json is None:
            return
        if json.value is None:
            self._left -= _BROKEN_COST + _BROKEN_FACTOR * (searched - at)
        if json.is_broken and text[at] == "[":
            return  # the items of a broken list may be right
        after = self._found[-1].end if self._found else -1
        calls = calls_in_json(json, text, self._names, after)
        if json.is_broken and not calls:
            calls = unreadable_calls(json, text, self._names)
            self._at = calls[0].end if calls else self._at
        else:
            nested = text[at] == "[" and _NESTED.search(json.text, 1) is not None
            self._at = json.end if calls or not nested else self._at
        self._found += calls
        if not calls:
            self._left -= _NAME_COST

    def _tag(self, at: int) -> None:
        if not self._skip_element(at):
            self._at = at + 1
            self._take(at, *read_tagged(self._text, at, self._names))

    def _skip_element(self, at: int) -> bool:
        """Go on behind the element that begins here, if its content is not read."""
        end = self._elements.end_of_quoted(at, self._names)
        if end is None:
            return False
        if is_thought(self._text, at):
            self._thoughts.append((at, end))
        self._at = end
        return True

    def _take(self, at: int, found: FoundCall | None, searched: int) -> bool:
        """Add a call, if one was found, and count the characters that were examined."""
        self._left -= searched - at
        if found is not None:
            self._found.append(found)
            self._at = found.end
        return found is not None


def _needs_care(text: str) -> bool:
    """Return whether the text may have comments, blockquotes or strings; most texts do not."""
    if "#" in text or "//" in text or "/*" in text or '"""' in text or "'''" in text:
        return True
    if "=" not in text and ">" not in text:
        return False
    # In a text of one line, `match` is much faster than `search`.
    return (_LINE.search(text) if "\n" in text else _LINE.match(text)) is not None
