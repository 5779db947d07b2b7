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
from pyfunctools.prompting.calls.arguments import WrittenArguments
from pyfunctools.prompting.calls.code import Code
from pyfunctools.prompting.calls.found import FoundCall, Weight
from pyfunctools.prompting.calls.names import FunctionNames

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
_SENTENCE: Final = re.compile(r"[.!?:](?=\s)|\n")
_HYPOTHETICAL: Final = re.compile(
    r"\b(?:could|would|might|may|can|cannot|if (?:you|I|we|it|one)|unless|not|never|without|instead"
    r"|example|e\.g|suppose|imagine|refuse|avoid|usage|syntax|says?|said|wrote|writes|asks?|asked"
    r"|quotes?|quoted|mentions?|previously|earlier"
    r"|already|returned|gave|(?:have|has|had|was|I|you|user) called|how to)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""Words of a sentence about calls that could be made, were made, or will not be made."""
_CALLING: Final = (
    r"(?:\w+\s+){0,3}?(?:call|use|run|execute|make|invoke|send|perform|issue|do)(?:ing)?\b"
)
_NOT: Final = (
    r"\b(?:(?:will|would|must|shall|should|do|does|can|could|did|am|is|are)\s+(?:not|never)"
    r"|cannot|never|refused?\s+to|(?:wo|would|must|should|do|does|ca|could|did|is|are)n['\u2019]t"
    r"|not\s+going\s+to|avoid|without|(?:wrong|unsafe|incorrect|unnecessary|no\s+need)\s+to)"
    r"(?!\s+(?:forget|hesitate|fail|only|just|simply|merely)\b)\s+"
)
_REFUSED: Final = re.compile(
    rf"{_NOT}{_CALLING}[^\n]*:\Z"
    rf"|(?:{_NOT}{_CALLING}(?:\s+[\w`'\"]+){{0,3}}|\b(?:instead\s+of|rather\s+than|avoid|not))\W*\Z",
    re.IGNORECASE,
)
"""The end of a sentence before a call that is not to be made."""
_NEEDED: Final = re.compile(r"(?:\b(?:not|cannot|never)|n['\u2019]t)\b.*\bwithout\b", re.IGNORECASE)
_EXAMPLE: Final = re.compile(
    r"(?:\bexamples?|\be\.g\.?|\bfor instance|\busage|\bif you (?:want|need|would)[^\n.]*)"
    r"[^\n.]{0,40}:\Z"
    r"|\b(?:alternative(?:ly|s)?|otherwise|another\s+(?:option|way|approach|possibility)|fall-?back"
    r"|(?:option|approach|variant)\s?(?:[2-9]|[B-H]\b|two|three))\b[^\n.]{0,80}\Z|\A\W*or\W*\Z",
    re.IGNORECASE,
)
"""A sentence before an example, or before an alternative to a call."""
_IF: Final = re.compile(r"\bif\b[^\n]*:\Z", re.IGNORECASE)
_CHOICE: Final = re.compile(r"\blambda\b[^:\n]{0,60}:[ ]*\Z|\bif\b[^\n]{1,80}\belse[ ]+\Z")
_CHOICE_BEHIND: Final = re.compile(r"[ \t]+if[ ][^\n]+?[ ]else[ ]")
_FENCE: Final = re.compile(r"\n[ \t]*(?:```|~~~)\w*\Z")
_OPENERS: Final = " \t\n[`\"'*({"
_MAX_LINE: Final = 400
_BEFORE_QUOTES: Final = re.compile(r"(?:[\[,{*;>.-]|(?<![\w)\]])\()\Z")
"""The text before the quotes around a call that is meant."""
_DOUBLE: Final = re.compile(r"(?<!\\)\"")
_JOINED: Final = re.compile(r"\]\s*\+\s*\[")
_QUOTES: Final = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}


def meant_calls(
    text: str, calls: list[FoundCall], names: FunctionNames, code: Code
) -> list[FoundCall]:
    """Return the calls that are meant, in their order, with the numbers of their groups.

    Calls marked by their keys are meant unless a sentence refuses them, calls marked by a tag even
    then. The call of an unknown function is meant beside the call of a known one, if the text has
    nothing else, or if it is alone on its lines and its name is similar to a known one.
    """
    if _is_bare_list(text, calls):
        if calls[0].weight is Weight.MARKED and calls[0].source is not calls[-1].source:
            _group(text, calls, code)
        return calls  # all calls are in one group
    calls = [each for each in _without_quoted(text, calls) if not code.may_not_run(each.start)]
    runs = _runs(text, calls)
    kept: list[FoundCall] = []
    answered = refused = False
    after = 0
    for run in runs:
        start, end = run[0].start, max(each.end for each in run)
        whole = len(runs) == 1 and _is_gap(text, 0, start) and _is_gap(text, end, len(text))
        begin = start if run[0].source is None else min(start, run[0].source.start)
        lead = _lead(text, begin, after)
        refused = refused and lead.strip(_OPENERS + "],").lower() in ("or", "nor")
        refused = refused or (bool(_REFUSED.search(lead)) and not _NEEDED.search(lead))
        mention = not whole and (refused or _is_mention(text, begin, end))
        after = end
        if answered and not mention:
            again = {each.name for each in run} <= {each.name for each in kept}
            mention = bool(_EXAMPLE.search(lead) or (again and _IF.search(lead)))
            mention = mention or code.program(begin) is not None
        if not mention or _is_tagged(text, begin):
            chosen = _meant_in_run(text, run, names, whole=whole)
            kept += chosen
            if len(runs) > 1 and not answered and code.program(start) is None:
                answered = any(each.weight is not Weight.IN_SENTENCE for each in chosen)
    if any(each.weight is not Weight.IN_SENTENCE for each in kept):
        kept = [each for each in kept if each.weight is not Weight.IN_SENTENCE]
    if len(kept) > 1:
        _group(text, kept, code)
    return kept


def _is_bare_list(text: str, calls: list[FoundCall]) -> bool:
    """Return whether a text is only calls of known functions with commas, as most texts are."""
    first, last = calls[0], calls[-1]
    for each in calls:
        if each.function is None or each.doubtful or each.weight is Weight.IN_SENTENCE:
            return False
    source = first.source
    if source is not None and source is last.source:
        return not (text[: source.start].strip() or text[source.end :].strip())
    if text[: first.start].strip("[( \t\n'\"") or text[last.end :].strip("])} \t\n'\""):
        return False
    for one, other in pairwise(calls):
        if text[one.end : other.start].strip(" \t\n'\"") not in (",", ";"):
            return False
    return True


def _meant_in_run(
    text: str, run: list[FoundCall], names: FunctionNames, *, whole: bool
) -> list[FoundCall]:
    """Return the calls of a run that are meant, and set their weights."""
    start, end = run[0].start, max(each.end for each in run)
    listed = _LIST.search(text, max(start - 20, 0), start) is not None
    sure = [each for each in run if not each.doubtful and each.function is not None]
    beside = any(each.weight is Weight.MARKED for each in run)
    alone = beside or _is_alone(text, start, end)
    chosen: list[FoundCall] = []
    for place, each in enumerate(run):
        if each.weight is Weight.MARKED:
            chosen.append(each)
            continue
        each.weight = Weight.ALONE if alone or whole else Weight.IN_SENTENCE
        if each.doubtful:
            near = listed or bool(sure)
            if each.function is None and near and not listed:
                front = text[run[place - 1].end : each.start] if place else ""
                near = "," in front or ";" in front
            if near and each.weight is Weight.ALONE:
                chosen.append(each)
            continue
        near = each.function is not None or bool(sure) or whole
        near = near or (alone and names.is_near(each.name))
        full = _is_full(each) or (listed and any(map(_is_full, sure)))
        if near and (each.weight is Weight.ALONE or full):
            chosen.append(each)
    return chosen


def _is_tagged(text: str, start: int) -> bool:
    """Return whether a tag or a token marks the start of a call here."""
    return text[start] == "<" or text[max(start - 40, 0) : start].rstrip()[-1:] in (">", "]")


def _lead(text: str, start: int, after: int) -> str:
    """Return the sentence before some calls, but nothing before `after`."""
    front = text[max(start - _MAX_LINE, min(after, start)) : start].rstrip(_OPENERS)
    return _last_sentence(_FENCE.sub("", front).rstrip(_OPENERS).rpartition("\n")[2])


def _is_mention(text: str, start: int, end: int) -> bool:
    """Return whether the sentence around calls only mentions them."""
    front = text[max(start - _MAX_LINE, 0) : start]
    line = front.rpartition("\n")[2]
    if _CHOICE.search(line) or _CHOICE_BEHIND.match(text, end):
        return True
    if _is_alone(text, start, end):
        return False
    ending = _SENTENCE.search(text, end, end + _MAX_LINE)
    behind = text[end : ending.start() if ending else end + _MAX_LINE]
    return _HYPOTHETICAL.search(_last_sentence(line) + " . " + behind) is not None


def _last_sentence(line: str) -> str:
    cuts = [each.end() for each in _SENTENCE.finditer(line)]
    return line[cuts[-1] :] if cuts else line


def _without_quoted(text: str, calls: list[FoundCall]) -> list[FoundCall]:
    kept: list[FoundCall] = []
    end = -1
    for each in calls:
        # Behind an unquoted call and a comma the next call is unquoted, too.
        if end >= 0 and text[end : each.start].strip() in (",", ";"):
            kept.append(each)
        elif _is_quoted(text, each):
            end = -1
            continue
        else:
            kept.append(each)
        end = each.end
    return kept


def _is_quoted(text: str, found: FoundCall) -> bool:
    """Return whether a call is inside a quotation that is neither alone nor an item of a list."""
    if not found.start:
        return False
    place = found.source or found
    start, end = place.start, place.end
    if _is_tagged(text, start):
        return False
    line = text.rfind("\n", 0, start) + 1
    front = text[max(line, start - _MAX_LINE) : start]
    behind = text[end : end + _MAX_LINE].partition("\n")[0]
    if front[-1:] in _QUOTES:
        quoted = len(front) - 1 if behind.startswith(_QUOTES[front[-1]]) else -1
    else:
        quoted = _open_quote(front, behind)
    before = front[:quoted].rstrip()
    return quoted >= 0 and before != "" and _BEFORE_QUOTES.search(before) is None


def _open_quote(front: str, behind: str) -> int:
    """Return the position of the quote that closes only behind a call, or -1."""
    doubles = [each.start() for each in _DOUBLE.finditer(front)]
    if len(doubles) % 2 == 1 and '"' in behind:
        return doubles[-1]
    for quote, closer in ("\u201c\u201d", "\u00ab\u00bb"):
        if front.count(quote) > front.count(closer):
            return front.rfind(quote)
    return -1


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
    number = depth = 0
    last: FoundCall | None = None
    for each in calls:
        if last is not None and each.source is not None and each.source is last.source:
            each.group = number
            continue
        if last is None:
            front = text[max(each.start - _MAX_LINE, 0) : each.start]
            depth = front[len(front.rstrip("[ \t\n\"'`")) :].count("[")
        else:
            together, depth = _is_together(text, last, each, depth, code)
            number += not together
        each.group = number
        each.in_tags = each.weight is Weight.MARKED and depth <= 0 and not code.fence(each.start)
        last = each


def _is_together(
    text: str, last: FoundCall, each: FoundCall, depth: int, code: Code
) -> tuple[bool, int]:
    """Return whether two calls are in one group, and the number of lists around the second."""
    between = text[last.end : each.start]
    closed = restarted = False
    for char in between if len(between) < _MAX_LINE else "":
        depth += (char == "[") - (char == "]")
        closed = closed or depth <= 0
        restarted = restarted or (closed and char == "[")
    fence = code.fence(each.start)
    if fence != code.fence(last.start):
        return False, depth
    if fence is not None:
        return True, depth
    restarted = restarted and not _JOINED.search(between)
    return not restarted and _is_gap(text, last.end, each.start), max(depth, 0)


_MAX_LOOP: Final = 32
"""Calls in a sequence that may be repeated."""
_MIN_TURNS: Final = 3
"""Turns of a sequence that make it a loop."""


def repetitions(found: Sequence[FoundCall], arguments: Sequence[JsonValue]) -> dict[int, list[int]]:
    """Return the indexes of repetitions by the index of the call that they repeat.

    In one group (a list, an array, a block of code) equal calls are all meant. A call that an
    earlier group contains is a repetition. So are the later turns of a sequence of calls in tags
    that occurs three times or more in a row.
    """
    one = not found or found[0].group == found[-1].group
    if one and (len(found) < _MIN_TURNS or not any(each.in_tags for each in found)):
        return {}
    keys = [_key(each, value) for each, value in zip(found, arguments, strict=True)]
    again: dict[int, list[int]] = {}
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
                again.setdefault(original, []).append(n)
        for n in indexes:
            earlier.setdefault(keys[n], n)
    return again


def _key(found: FoundCall, arguments: JsonValue) -> str:
    try:
        return dumps([found.function_name, arguments], sort_keys=True, default=repr)
    except (ValueError, RecursionError):
        return repr((found.function_name, id(found)))


def _loops(keys: Sequence[str]) -> dict[int, int]:
    """Return the index in the first turn of a loop by each index in its later turns."""
    found: dict[int, int] = {}
    at = 0
    while at < len(keys):
        length, end = _loop(keys, at)
        found |= {n: at + (n - at) % length for n in range(at + length, end)}
        at = end
    return found


def _loop(keys: Sequence[str], at: int) -> tuple[int, int]:
    """Return the length of the sequence that loops from here, and the end of the loop."""
    for length in range(1, min(_MAX_LOOP, (len(keys) - at) // _MIN_TURNS) + 1):
        end = at + length
        while end < len(keys) and keys[end] == keys[end - length]:
            end += 1
        if end - at >= length * _MIN_TURNS:
            # At the end of all calls the last turn may be incomplete.
            return length, end if end == len(keys) else end - (end - at) % length
    return 1, at + 1
