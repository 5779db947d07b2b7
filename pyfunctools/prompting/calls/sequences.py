"""The choice of the calls that are meant: in a list or sequence, alone, or inside a sentence.

Calls with only separators between them are a run. Every call of a run counts, even one that could
not be parsed. A call inside a sentence counts only if the text has no other call, and the sentence
is not about calls that could be made, were made, or will not be made.
"""

import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from json import dumps
from typing import Final

from pyfunctools._json import JsonValue
from pyfunctools.prompting.calls.found import FoundCall
from pyfunctools.prompting.calls.literals import WrittenArguments
from pyfunctools.prompting.calls.names import FunctionNames
from pyfunctools.prompting.calls.sentences import (
    first_end,
    last_sentence,
    only_introduces,
    only_mentions,
    takes_back,
)
from pyfunctools.prompting.calls.speech import Code

_TAG: Final = r"<{1,2}/?[\w|\uff5c]{1,30}>{1,2}"
_GAP: Final = re.compile(
    r"(?:[\s\[\](){},;\"'`\\*|+]|\b(?:and|then|python|json|tool_code|tool_call|tool_calls|print|await"
    rf"|assistant)\b|\#[^\n]*+|//[^\n]*+|{_TAG}|->)*"
)
"""The text between the calls of a run."""
_FRONT: Final = re.compile(
    r"(?:\A|\n)(?:[ \t]*(?:[-*•]|[0-9]{1,2}[.)]))?[\s\[({\"'`*\\]*"
    rf"(?:{_TAG}[\s\[]*|[^\W\d][\w ,.]{{0,80}}=(?!=)\s*|(?:return|await|yield)\s+"
    r"|[^\W\d][\w.]{0,80}\(\s*)*[\s\[({\"'`*\\]*\Z"
)
"""The text before a call that is alone on its line."""
_LABELLED: Final = re.compile(r"(?::[ \t]*[\[\"'`*]*|\[[\"'`]?|:\s*\n\s*)\Z")
_BACK: Final = re.compile(rf"[\])}}\"'`*;,.\\ \t]*(?:\#[^\n]*|//[^\n]*|{_TAG}\s*)*(?:\n|\Z)")
_LIST: Final = re.compile(r"\[\s*+\\?[\"'`]?\Z")
_BRANCH: Final = re.compile(
    r"(?:\A|\n|[=(\[,:;])[ \t]*(?:[\w.()'\"]{1,60}[ \t]+(?:and|or|\|\||&&)|not)[ \t]+\Z"
    r"|\blambda\b[^:\n]{0,60}:[ ]*\Z|\bif\b[^\n]{1,80}\belse[ ]+\Z|=>[ ]*\Z"
    r"|\bin\b[^\n]{1,60}\bif[ ]+\Z|(?:=|\A)[^\n=]{1,60}[ ]\?[ ]+\Z"
)
"""The code before a call that may not run: `x and f()`, `lambda: f()`, `a if b else f()`."""
_BRANCH_BEHIND: Final = re.compile(
    r"[ \t]+(?:if[ ](?!True\b)[^\n]+?[ ]else[ ]|(?:async[ ]+)?for[ ]+[\w ,()]{1,60}[ ]in[ ])"
)
_AROUND: Final = re.compile(r"(?:(?:```|~~~)[\w+#.-]*+|<[^<>\n]{1,60}>|[ \t\n\[`\"'*({])++\Z")
"""The fence, the tags and the brackets in front of a call."""
_OPENERS: Final = " \t\n[`\"'*({"
_MAX_LINE: Final = 400
_FRONTS: Final = frozenset({"", "```json", "```", "<tool_call>"})
_BACKS: Final = frozenset({"", "```", "</tool_call>"})
"""The text around JSON that is the whole answer."""
_BEFORE_QUOTES: Final = re.compile(r"(?:[\[,{*;>.-]|(?<![\w)\]])\()\Z")
"""The text before the quotes around a call that is meant."""
_JOINED: Final = re.compile(r"\]\s*\+\s*\[")
_QUOTES: Final = ('""', "\u201c\u201d", "\u2018\u2019", "\u00ab\u00bb", "''")


def meant_calls(
    text: str, spoken: str, calls: list[FoundCall], names: FunctionNames, code: Code
) -> list[FoundCall]:
    """Return the calls that are meant, in their order, with the numbers of their groups.

    In the text as it is `spoken`, spaces stand for thoughts.

    The call of an unknown function is meant beside the call of a known one, if the text has
    nothing else, or if it is alone on its lines and its name is similar to a known one.
    """
    if _is_bare_list(text, calls):
        if calls[0].is_marked and calls[0].source is not calls[-1].source:
            _group(text, calls, code)
        return calls  # all calls are in one group
    prose = spoken if len(calls) == 1 else _without_calls(spoken, calls)
    calls = [
        each
        for each in calls
        if not (_is_quoted(text, each, prose) or code.may_not_run(each.start))
    ]
    runs = _runs(text, calls)
    kept: list[FoundCall] = []
    answered = mention = False
    after = 0
    for place, run in enumerate(runs):
        start, end = run[0].start, max(each.end for each in run)
        whole = len(runs) == 1 and _is_gap(spoken, 0, start) and _is_gap(spoken, end, len(text))
        begin = start if run[0].source is None else min(start, run[0].source.start)
        lead = _lead(spoken, begin, after)
        mention = mention and lead.strip(_OPENERS + "],").lower() in ("or", "nor")
        mention = mention or only_introduces(lead, answered=answered)
        mention = not whole and (mention or _is_mention(spoken, begin, end, prose))
        after = end
        last = runs[place + 1][0].start if place + 1 < len(runs) else len(text)
        if mention or takes_back(spoken[end : min(last, end + _MAX_LINE)]):
            continue
        if answered and code.in_program(begin):
            continue
        chosen = _meant_in_run(spoken, run, names, code, whole=whole)
        kept += chosen
        if len(runs) > 1 and not answered and not code.in_program(start):
            answered = not all(each.in_sentence for each in chosen)
    if len(runs) > 1 and takes_back(spoken[after : after + _MAX_LINE]):
        kept = []  # the question is about all of them
    kept = [each for each in kept if not each.in_sentence] or kept
    if len(kept) > 1:
        _group(text, kept, code)
    return kept


def _without_calls(text: str, calls: list[FoundCall]) -> str:
    """Return a text of the same length with dots for all calls: their arguments are no prose."""
    pieces: list[str] = []
    at = 0
    for each in calls:
        place = each.source or each
        if place.end > at:
            start = max(place.start, at)
            first = "\n" if "\n" in text[start : place.end] else ""
            pieces += (text[at:start], first.ljust(place.end - start, "\u00b7"))
            at = place.end
    return "".join((*pieces, text[at:]))


def _is_bare_list(text: str, calls: list[FoundCall]) -> bool:
    """Return whether a text is only calls of known functions with commas, as most texts are."""
    first, last = calls[0], calls[-1]
    for each in calls:
        if each.function is None or each.doubtful:
            return False
    source = first.source
    if source is not None and source is last.source:
        return text[: source.start].strip() in _FRONTS and text[source.end :].strip() in _BACKS
    if text[: first.start].strip("[( \t\n'\"") or text[last.end :].strip("])} \t\n'\""):
        return False
    for one, other in pairwise(calls):
        if text[one.end : other.start].strip(" \t\n'\"") not in (",", ";"):
            return False
    return True


def _meant_in_run(
    text: str, run: list[FoundCall], names: FunctionNames, code: Code, *, whole: bool
) -> list[FoundCall]:
    """Return the calls of a run that are meant, and note which are in a sentence."""
    start, end = run[0].start, max(each.end for each in run)
    listed = _LIST.search(text, max(start - 20, 0), start) is not None
    sure = [each for each in run if not each.doubtful and each.function is not None]
    is_full = listed and any(map(_is_full, sure))
    beside = any(each.is_marked for each in run)
    in_sentence = not (beside or whole or _is_alone(text, start, end))
    chosen: list[FoundCall] = []
    for each in run:
        each.in_sentence = in_sentence and not each.is_marked
        if each.is_marked:
            is_meant = True
        elif each.doubtful:
            is_meant = not in_sentence and (listed or bool(sure))
        elif in_sentence:  # code has no sentences
            is_meant = bool(sure) and (is_full or _is_full(each)) and not code.fence(each.start)
        else:
            is_meant = bool(sure) or whole or names.is_near(each.name)
        if is_meant:
            chosen.append(each)
    return chosen


def _lead(text: str, start: int, after: int) -> str:
    """Return the sentence before some calls, but nothing before `after`."""
    front = text[max(start - _MAX_LINE, min(after, start)) : start].rstrip(_OPENERS)
    if front.endswith(">") or "```" in front or "~~~" in front:
        front = _AROUND.sub("", front)
    return last_sentence(front.rpartition("\n")[2])


def _is_mention(text: str, start: int, end: int, prose: str) -> bool:
    """Return whether the code or the sentence around calls only mentions them."""
    before = max(start - _MAX_LINE, 0)
    if _BRANCH.search(text[before:start].rpartition("\n")[2]) or _BRANCH_BEHIND.match(text, end):
        return True
    if _is_alone(text, start, end):
        return False
    line = prose[before:start].rpartition("\n")[2]
    behind = prose[end : first_end(prose, end, end + _MAX_LINE)]
    return only_mentions(last_sentence(line) + " . " + behind)


def _is_quoted(text: str, found: FoundCall, prose: str) -> bool:
    """Return whether a call is inside a quotation that is neither alone nor an item of a list."""
    place = found.source or found
    start, end = place.start, place.end
    is_tagged = text[start] == "<" or text[max(start - 40, 0) : start].rstrip()[-1:] in (">", "]")
    if not found.start or is_tagged:
        return False
    line = prose.rfind("\n", 0, start) + 1
    front = prose[max(line, start - _MAX_LINE) : start].replace('\\"', "")
    behind = prose[end : end + _MAX_LINE].partition("\n")[0]
    for quote, closer in _QUOTES:
        opened = front.count(quote) - (front.count(closer) if quote != closer else 0)
        at_once = front.endswith(quote) and behind.startswith(closer)
        if at_once or (opened % 2 == 1 and quote != "'" and closer in behind):
            before = front[: front.rfind(quote)].rstrip()
            return before != "" and _BEFORE_QUOTES.search(before) is None
    return False


def _is_full(found: FoundCall) -> bool:
    """Return whether a call has arguments, all of them literals."""
    arguments = found.arguments
    if not isinstance(arguments, WrittenArguments):
        return True
    given = arguments.values or arguments.positional
    return bool(given) and not arguments.raws and arguments.closed


def _runs(text: str, calls: list[FoundCall]) -> list[list[FoundCall]]:
    runs: list[list[FoundCall]] = []
    end = 0
    for each in calls:
        if runs and (each.start < end or _is_gap(text, end, each.start)):
            runs[-1].append(each)
        else:
            runs.append([each])
            end = 0
        end = max(end, each.end)
    return runs


def _is_gap(text: str, start: int, end: int) -> bool:
    return _GAP.fullmatch(text, start, end) is not None


def _is_alone(text: str, start: int, end: int) -> bool:
    """Return whether the lines of some calls have nothing else, except a label in front."""
    if not _BACK.match(text, end):
        return False
    line = text.rfind("\n", max(start - _MAX_LINE, 0), start)
    front = text[max(line, start - _MAX_LINE, 0) : start]
    return _FRONT.search(front) is not None or _LABELLED.search(front) is not None


def _group(text: str, calls: list[FoundCall], code: Code) -> None:
    """Number the groups of calls: a list, an array, a block of code, a run of tags."""
    front = text[max(calls[0].start - _MAX_LINE, 0) : calls[0].start]
    depth = front[len(front.rstrip("[ \t\n\"'`")) :].count("[")
    number = 0
    last = calls[0]
    for each in calls:
        fence = code.fence(each.start)
        if each is not last and (each.source is None or each.source is not last.source):
            between = text[last.end : each.start]
            lowest = depth
            for char in between if len(between) < _MAX_LINE else "":
                depth += (char == "[") - (char == "]")
                lowest = min(lowest, depth)
            restarted = lowest <= 0 and lowest < depth and not _JOINED.search(between)
            listed = not restarted and _is_gap(text, last.end, each.start)
            number += fence != code.fence(last.start) or not (listed or fence)
            depth = max(depth, 0)
        each.group = number
        each.in_tags = each.is_marked and depth <= 0 and not fence
        last = each


_MAX_LOOP: Final = 32
"""Calls in a group that may be repeated."""


def repetitions(found: Sequence[FoundCall], arguments: Sequence[JsonValue]) -> dict[int, int]:
    """Return the index of each repetition, with that of the call that it repeats.

    In one group (a list, an array, a block of code) equal calls are all meant. A call that an
    earlier group contains is a repetition. So are the later turns of a sequence of calls in tags
    that occurs three times or more in a row.
    """
    one = not found or found[0].group == found[-1].group
    if one and (len(found) < 3 or not any(each.in_tags for each in found)):
        return {}
    keys = [_key(each, value) for each, value in zip(found, arguments, strict=True)]
    again: dict[int, int] = {}
    earlier: dict[str, int] = {}
    for _, group in groupby(range(len(found)), lambda n: found[n].group):
        indexes = [*group]
        first = indexes[0]
        in_tags = all(found[n].in_tags for n in indexes)
        loops = _loops([keys[n] for n in indexes]) if in_tags else {}
        repeated = {first + n: first + original for n, original in loops.items()}
        for n in indexes:
            original = earlier.get(keys[n], repeated.get(n))
            if original is not None:
                again[n] = original
        for n in indexes:
            earlier.setdefault(keys[n], n)
    return again


def _key(found: FoundCall, arguments: JsonValue) -> str:
    name = found.name if found.function is None else found.function.name
    try:
        return dumps([name, arguments], sort_keys=True, default=repr)
    except (ValueError, RecursionError):
        return repr((name, id(found)))


def _loops(keys: Sequence[str]) -> dict[int, int]:
    """Return the index in the first turn of a group by each index in its later turns.

    A group counts as repeated if it occurs three times or more; the last turn may be incomplete.
    """
    found: dict[int, int] = {}
    at = 0
    while at < len(keys):
        for length in range(1, min(_MAX_LOOP, (len(keys) - at) // 3) + 1):
            end = at + length
            while end < len(keys) and keys[end] == keys[end - length]:
                end += 1
            if end - at >= 3 * length:
                end = end if end == len(keys) else end - (end - at) % length
                found |= {n: at + (n - at) % length for n in range(at + length, end)}
                at = end - 1
                break
        at += 1
    return found
