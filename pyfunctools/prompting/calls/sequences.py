"""Which of the calls in a text are meant: those in a list or sequence, alone, or in a sentence.

A run is what stands together with nothing but separators between. In it every call counts, also
one that could not be read. A call in a sentence counts where no other stands in the text and the
sentence does not speak of what could be, was, or will not be called.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from json import dumps
from typing import Final

from pyfunctools._json import JsonValue
from pyfunctools.prompting.calls.arguments import WrittenArguments
from pyfunctools.prompting.calls.code import Code
from pyfunctools.prompting.calls.found import Found, Weight
from pyfunctools.prompting.calls.names import FunctionNames

_TAG: Final = r"<{1,2}/?[\w|\uff5c]{1,30}>{1,2}"
_GAP: Final = re.compile(
    r"(?:[\s\[\](){},;\"'`\\*|+]|\b(?:and|then|python|json|tool_code|tool_call|tool_calls|print|await"
    rf"|assistant)\b|\#[^\n]*+|//[^\n]*+|{_TAG}|->)*"
)
"""What stands between calls that belong together."""
_FRONT: Final = re.compile(
    r"(?:\A|\n)(?:[ \t]*(?:[-*•]|[0-9]{1,2}[.)]))?[\s\[({\"'`*\\]*"
    rf"(?:{_TAG}[\s\[]*|[^\W\d][\w ,.]{{0,80}}=(?!=)\s*|(?:return|await|yield)\s+"
    r"|[^\W\d][\w.]{0,80}\(\s*)*[\s\[({\"'`*\\]*\Z"
)
"""What may stand on a line before a call that stands alone."""
_LABELLED: Final = re.compile(r"(?::[ \t]*[\[\"'`*]*|\[[\"'`]?|:\s*\n\s*)\Z")
_BACK: Final = re.compile(rf"[\])}}\"'`*;,.\\ \t]*(?:\#[^\n]*|//[^\n]*|{_TAG}\s*)*(?:\n|\Z)")
_LIST: Final = re.compile(r"\[\s*+\\?[\"'`]?\Z")
_SENTENCE: Final = re.compile(r"[.!?:](?=\s)|\n")
_TALK: Final = re.compile(
    r"\b(?:could|would|might|may|can|cannot|if (?:you|I|we|it|one)|unless|not|never|without|instead"
    r"|example|e\.g|suppose|imagine|refuse|avoid|usage|syntax|says?|said|wrote|writes|asks?|asked"
    r"|quotes?|quoted|mentions?|previously|earlier"
    r"|already|returned|gave|(?:have|has|had|was|I|you|user) called|how to)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""What a sentence holds that tells how a function would be called, or was, or will not be."""
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
"""A sentence that ends in what will not be called."""
_NEEDED: Final = re.compile(r"(?:\b(?:not|cannot|never)|n['\u2019]t)\b.*\bwithout\b", re.IGNORECASE)
_UNTOLD: Final = re.compile(
    r"(?:\bexamples?|\be\.g\.?|\bfor instance|\busage|\bif you (?:want|need|would)[^\n.]*)"
    r"[^\n.]{0,40}:\Z"
    r"|\b(?:alternative(?:ly|s)?|otherwise|another\s+(?:option|way|approach|possibility)|fall-?back"
    r"|(?:option|approach|variant)\s?(?:[2-9]|[B-H]\b|two|three))\b[^\n.]{0,80}\Z|\A\W*or\W*\Z",
    re.IGNORECASE,
)
"""What is said before an example, or before another way to do what was done."""
_IF: Final = re.compile(r"\bif\b[^\n]*:\Z", re.IGNORECASE)
_CHOICE: Final = re.compile(r"\blambda\b[^:\n]{0,60}:[ ]*\Z|\bif\b[^\n]{1,80}\belse[ ]+\Z")
_CHOSEN: Final = re.compile(r"[ \t]+if[ ][^\n]+?[ ]else[ ]")
_FENCE: Final = re.compile(r"\n[ \t]*(?:```|~~~)\w*\Z")
_OPENING: Final = " \t\n[`\"'*({"
_LINE: Final = 400
_OPENED: Final = re.compile(r"(?:[\[,{*;>.-]|(?<![\w)\]])\()\Z")
"""What may stand before the quotes around a call that is meant."""
_DOUBLE: Final = re.compile(r"(?<!\\)\"")
_JOINED: Final = re.compile(r"\]\s*\+\s*\[")
_QUOTES: Final = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}


def meant(text: str, calls: list[Found], names: FunctionNames, code: Code) -> list[Found]:
    """Return the calls that are meant as such, in the order in which they stand, in their groups.

    Those that are marked as calls, by a tag or by their keys, are, but for those in a sentence that
    says otherwise. One of an unknown function is meant where it stands beside one of a known
    function, where there is nothing else in the text, or where it stands alone and has nearly the
    name of one.
    """
    if _is_bare_list(text, calls):
        if calls[0].weight is Weight.MARKED and calls[0].piece is not calls[-1].piece:
            _group(text, calls, code)
        return calls  # else all are of one group
    calls = [each for each in _unquoted(text, calls) if not code.may_not_run(each.start)]
    runs = _runs(text, calls)
    kept: list[Found] = []
    answered = refused = False
    after = 0
    for run in runs:
        start, end = run[0].start, max(each.end for each in run)
        whole = len(runs) == 1 and _is_gap(text, 0, start) and _is_gap(text, end, len(text))
        begin = start if run[0].piece is None else min(start, run[0].piece.start)
        lead = _lead(text, begin, after)
        refused = refused and lead.strip(_OPENING + "],").lower() in ("or", "nor")
        refused = refused or _is_refused(lead)
        talk = not whole and (refused or _is_talk(text, begin, end))
        after = end
        if answered and not talk:
            again = {each.name for each in run} <= {each.name for each in kept}
            talk = _is_untold(lead, again=again) or code.program(begin) is not None
        if not talk or _is_tagged(text, begin):
            chosen = _chosen(text, run, names, whole=whole)
            kept += chosen
            if len(runs) > 1 and not answered and code.program(start) is None:
                answered = any(each.weight is not Weight.QUOTED for each in chosen)
    if any(each.weight is not Weight.QUOTED for each in kept):
        kept = [each for each in kept if each.weight is not Weight.QUOTED]
    if len(kept) > 1:
        _group(text, kept, code)
    return kept


def _is_bare_list(text: str, calls: list[Found]) -> bool:
    """Return whether a text is known calls with commas between, and nothing else, as most are."""
    first, last = calls[0], calls[-1]
    for each in calls:
        if each.function is None or each.doubtful or each.weight is Weight.QUOTED:
            return False
    piece = first.piece
    if piece is not None and piece is last.piece:
        return not (text[: piece.start].strip() or text[piece.end :].strip())
    if text[: first.start].strip("[( \t\n'\"") or text[last.end :].strip("])} \t\n'\""):
        return False
    for one, other in pairwise(calls):
        if text[one.end : other.start].strip(" \t\n'\"") not in (",", ";"):
            return False
    return True


def _chosen(text: str, run: list[Found], names: FunctionNames, *, whole: bool) -> list[Found]:
    """Return the calls of a run that are meant, with the weight of each."""
    start, end = run[0].start, max(each.end for each in run)
    listed = _LIST.search(text, max(start - 20, 0), start) is not None
    sure = [each for each in run if not each.doubtful and each.function is not None]
    beside = any(each.weight is Weight.MARKED for each in run)
    alone = beside or _is_alone(text, start, end)
    chosen: list[Found] = []
    for place, each in enumerate(run):
        if each.weight is Weight.MARKED:
            chosen.append(each)
            continue
        each.weight = Weight.ALONE if alone or whole else Weight.QUOTED
        if each.doubtful:
            near = listed or bool(sure)
            if each.function is None and near and not listed:
                front = text[run[place - 1].end : each.start] if place else ""
                near = "," in front or ";" in front
            if near and each.weight is Weight.ALONE:
                chosen.append(each)
            continue
        near = each.function is not None or bool(sure) or whole
        near = near or (alone and names.alike(each.name))
        full = _is_full(each) or (listed and any(map(_is_full, sure)))
        if near and (each.weight is Weight.ALONE or full):
            chosen.append(each)
    return chosen


def _is_tagged(text: str, start: int) -> bool:
    """Return whether a tag or a token says that a call begins here."""
    return text[start] == "<" or text[max(start - 40, 0) : start].rstrip()[-1:] in (">", "]")


def _lead(text: str, start: int, after: int) -> str:
    """Return the sentence before some calls, on their line or an earlier one, but not `after`."""
    front = text[max(start - _LINE, min(after, start)) : start].rstrip(_OPENING)
    return _last_sentence(_FENCE.sub("", front).rstrip(_OPENING).rpartition("\n")[2])


def _is_untold(lead: str, *, again: bool) -> bool:
    """Return whether calls behind an answer are an example or an alternative, by what leads there.

    With `again` they are of functions that were called already.
    """
    return _UNTOLD.search(lead) is not None or (again and _IF.search(lead) is not None)


def _is_refused(lead: str) -> bool:
    """Return whether a sentence says that what follows is not to be called."""
    return _REFUSED.search(lead) is not None and _NEEDED.search(lead) is None


def _is_talk(text: str, start: int, end: int) -> bool:
    """Return whether calls are only talked about."""
    front = text[max(start - _LINE, 0) : start]
    line = front.rpartition("\n")[2]
    if _CHOICE.search(line) or _CHOSEN.match(text, end):
        return True
    if _is_alone(text, start, end):
        return False
    ending = _SENTENCE.search(text, end, end + _LINE)
    behind = text[end : ending.start() if ending else end + _LINE]
    return _TALK.search(_last_sentence(line) + " . " + behind) is not None


def _last_sentence(line: str) -> str:
    cuts = [each.end() for each in _SENTENCE.finditer(line)]
    return line[cuts[-1] :] if cuts else line


def _unquoted(text: str, calls: list[Found]) -> list[Found]:
    """Return the calls that do not stand in a text in quotes."""
    kept: list[Found] = []
    end = -1
    for each in calls:
        # What follows a call that stands in no quotes, with a comma between, stands in none.
        if end >= 0 and text[end : each.start].strip() in (",", ";"):
            kept.append(each)
        elif _is_quoted(text, each):
            end = -1
            continue
        else:
            kept.append(each)
        end = each.end
    return kept


def _is_quoted(text: str, found: Found) -> bool:
    piece = found.piece
    if not found.start:
        return False
    start, end = (found.start, found.end) if piece is None else (piece.start, piece.end)
    return _is_quotation(text, start, end) and not _is_tagged(text, start)


def _is_quotation(text: str, start: int, end: int) -> bool:
    """Return whether a call stands in a text in quotes, but for one alone or in a list."""
    line = text.rfind("\n", 0, start) + 1
    front = text[max(line, start - _LINE) : start]
    behind = text[end : end + _LINE].partition("\n")[0]
    if front[-1:] in _QUOTES:
        quoted = len(front) - 1 if behind.startswith(_QUOTES[front[-1]]) else -1
    else:
        quoted = _opened(front, behind)
    before = front[:quoted].rstrip()
    return quoted >= 0 and before != "" and _OPENED.search(before) is None


def _opened(front: str, behind: str) -> int:
    """Return where the quotes open that close only behind a call, or -1."""
    doubles = [each.start() for each in _DOUBLE.finditer(front)]
    if len(doubles) % 2 == 1 and '"' in behind:
        return doubles[-1]
    for quote, closer in ("\u201c\u201d", "\u00ab\u00bb"):
        if front.count(quote) > front.count(closer):
            return front.rfind(quote)
    return -1


def _is_full(found: Found) -> bool:
    """Return whether a call in a sentence has arguments, and literals only."""
    arguments = found.arguments
    if not isinstance(arguments, WrittenArguments):
        return True
    given = arguments.values or arguments.positional
    return bool(given) and not arguments.raws and arguments.closed


def _runs(text: str, calls: list[Found]) -> list[list[Found]]:
    runs: list[list[Found]] = []
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
    """Return whether nothing else stands on the lines of some calls, but for a label in front."""
    if not _BACK.match(text, end):
        return False
    line = text.rfind("\n", max(start - _LINE, 0), start)
    front = text[max(line, start - _LINE, 0) : start]
    return _FRONT.search(front) is not None or _LABELLED.search(front) is not None


def _group(text: str, calls: list[Found], code: Code) -> None:
    """Number the groups in which calls stand: a list, an array, a block of code, a run of tags."""
    number = depth = 0
    last: Found | None = None
    for each in calls:
        if last is not None and each.piece is not None and each.piece is last.piece:
            each.group = number
            continue
        if last is None:
            front = text[max(each.start - _LINE, 0) : each.start]
            depth = front[len(front.rstrip("[ \t\n\"'`")) :].count("[")
        else:
            together, depth = _is_together(text, last, each, depth, code)
            number += not together
        each.group = number
        each.loose = each.weight is Weight.MARKED and depth <= 0 and not code.fence(each.start)
        last = each


def _is_together(text: str, last: Found, each: Found, depth: int, code: Code) -> tuple[bool, int]:
    """Return whether two calls stand in one group, and in how many lists the second does."""
    between = text[last.end : each.start]
    closed = restarted = False
    for char in between if len(between) < _LINE else "":
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


_LONGEST: Final = 32
"""Calls in a group that is looked for again right behind itself."""
_LOOP: Final = 3


def repetitions(found: Sequence[Found], arguments: Sequence[JsonValue]) -> dict[int, list[int]]:
    """Return the places of calls that only repeat another, under the place of that one.

    What stands in one group (a list, an array, a block of code) is there as often as it was
    written. A call of a later group that an earlier one holds is a repetition; and so are calls of
    one group of tags, where the same ones follow each other three times or more.
    """
    one = not found or found[0].group == found[-1].group
    if one and (len(found) < _LOOP or not any(each.loose for each in found)):
        return {}
    keys = [_key(each, value) for each, value in zip(found, arguments, strict=True)]
    again: dict[int, list[int]] = {}
    said: dict[str, int] = {}
    for begin, end in _groups(found):
        dropped: dict[int, int] = {}
        if end - begin >= _LOOP and all(each.loose for each in found[begin:end]):
            dropped = {
                begin + place: begin + first for place, first in _loops(keys[begin:end]).items()
            }
        for place in range(begin, end):
            first = said.get(keys[place], dropped.get(place))
            if first is not None:
                again.setdefault(first, []).append(place)
        for place in range(begin, end):
            said.setdefault(keys[place], place)
    return again


def _key(found: Found, arguments: JsonValue) -> str:
    name = found.name if found.function is None else found.function.name
    try:
        return dumps([name, arguments], sort_keys=True, default=repr)
    except (ValueError, RecursionError):
        return repr((name, id(found)))


def _groups(found: Sequence[Found]) -> list[tuple[int, int]]:
    starts = [n for n in range(len(found)) if not n or found[n].group != found[n - 1].group]
    return list(zip(starts, [*starts[1:], len(found)], strict=True))


def _loops(keys: Sequence[str]) -> dict[int, int]:
    """Return the places that repeat what stands before them, each with the place it repeats."""
    found: dict[int, int] = {}
    at = 0
    while at < len(keys):
        length, end = _loop(keys, at)
        for place in range(at + length, end):
            found[place] = at + (place - at) % length
        at = max(end, at + 1)
    return found


def _loop(keys: Sequence[str], at: int) -> tuple[int, int]:
    """Return how long the group is that begins here and loops, and where the loop ends."""
    for length in range(1, min(_LONGEST, (len(keys) - at) // _LOOP) + 1):
        end = at + length
        while end < len(keys) and keys[end] == keys[end - length]:
            end += 1
        if end - at >= length * _LOOP:
            whole = end if end == len(keys) else at + (end - at) // length * length
            return length, whole
    return 1, at + 1
