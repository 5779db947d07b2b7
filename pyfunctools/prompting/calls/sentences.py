"""The sentences around a call: whether the model makes the call, or only speaks of it.

    I will not call f(a=1).          refused
    Shall I run this?  f(a=1)        asked
    f(a=1)  Do you want that?        asked
    The page says: f(a=1)            quoted
    This is how to call it: f(a=1)   explained
    f(a=1)  Alternatively: f(a=2)    the second is an alternative

Only what these patterns know is a mention; any other sentence is an announcement of the call.
"""

import re
from typing import Final

_SENTENCE: Final = re.compile(r"(?<!\be\.g)(?<!\bi\.e)[.!?:](?=\s|\Z)|\n", re.IGNORECASE)
_HYPOTHETICAL: Final = re.compile(
    r"\b(?:could|would|might|may|can|cannot|if (?:you|I|we|it|one)|unless|not|never|without|instead"
    r"|example|e\.g|suppose|imagine|refuse|avoid|usage|syntax|says?|said|wrote|writes|asks?|asked"
    r"|quotes?|quoted|mentions?|previously|earlier|contains?|reads|tells?|told|instruct(?:s|ed)?"
    r"|already|returned|gave|(?:have|has|had|was|I|you|user) called|how to)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""Words of a sentence about calls that could be made, were made, or will not be made."""
_CALLING: Final = (
    r"(?:(?!without\b)\w+\s+){0,3}?"
    r"(?:(?:call|send|run|perform|do|follow|obey)(?:n?ing)?|(?:us|execut|mak|invok|issu)(?:e|ing))\b"
)
_NOT: Final = (
    r"(?:\b(?:not|never|cannot|avoid|against|(?:refused?|declined?|wrong|unsafe|unnecessary|unable"
    r"|forbidden|no\s+(?:need|reason))\s+to)"
    r"|n['\u2019]t)(?!\s+(?:forget|hesitate|fail|only|just|simply|merely)\b)\s+"
)
_REFUSED: Final = re.compile(
    rf"{_NOT}{_CALLING}(?:(?!\bwithout\b)[^\n])*\Z"
    r"|(?:\b(?:instead\s+of|rather\s+than|without|avoid|not)|n['\u2019]t)\W*\Z",
    re.IGNORECASE,
)
"""The end of a sentence before a call that is not to be made."""
_REFUSED_BEHIND: Final = re.compile(
    r"(?:\b(?:I|we)\b[^.\n]{0,20}?|(?:\A|[.!\n])\s*(?:please\s+)?)"
    rf"{_NOT}{_CALLING}\s+(?:it|this|that|these|those|them|so|either|any)\b",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(
    r"\b(?:(?:shall|should|may|can|could|must)\s+(?:I|we)\b|want\s+(?:me|us)\s+to\b|confirm|approve"
    r"|(?:do|would|did|will)\s+you\s+(?:\w+\s+)?(?:want|like|prefer|wish|mind|agree)"
    r"|(?:is|are)\s+(?:that|this|it|these|you)\s+(?:\w+\s+)?"
    r"(?:ok(?:ay)?|alright|right|correct|sure|ready|fine|acceptable)\b|go\s+ahead\b|proceed\b"
    r"|which\s+(?:one|of|option|call|action|function|tool|would|do|should)\b)"
    r"|\b(?:ok(?:ay)?|yes\s+or\s+no|y/n)\W*\Z",
    re.IGNORECASE,
)
"""A question that asks for permission."""
_ASKS: Final = re.compile(r"\W*(?:shall|should|may|can|could|do|would|is|are)\b", re.IGNORECASE)
_QUESTION: Final = re.compile(r"[^.!?:\n]*(?:\?|\(y/n\))", re.IGNORECASE)
_AWAITED: Final = re.compile(
    r"\b(?:please\s+(?:confirm|approve|choose|decide)"
    r"|(?:let\s+me\s+know|tell\s+me)\s+(?:if|whether|which)"
    r"|(?:if|once|when|after|unless|until)\s+(?:you|they|the\s+user)(?:['\u2019]d|\s+would)?\s+"
    r"(?:agree|confirm|approve|say|decide|choose|allow)s?|(?:with|after|await\w*|for|need)\s+your\s+"
    r"(?:permission|approval|consent|confirmation|ok))\b",
    re.IGNORECASE,
)
"""Words of a sentence that makes a call wait for an answer."""
_MORE: Final = re.compile(
    r"\b(?:else|more|other|another|also|further|additional|anything|as\s+well|too|next|afterwards"
    r"|then|questions?|need)\b",
    re.IGNORECASE,
)
"""Words of a question about something else than the call before it."""
_MEDIA: Final = (
    r"\b(?:page|site|website|document|file|e?-?mails?|message|letter|logs?|article|post|comment|issue"
    r"|readme|docs|documentation|manual|guide|attachment|transcript|patch|diff|snippet|ticket"
    r"|pull\s+request|advertisement|banner)\b"
)
_SAYS: Final = r"\b(?:says?|said|writes?|wrote|asks?|asked|tells?|told"
_QUOTED: Final = re.compile(
    rf"{_MEDIA}[^.,\n]{{0,60}}{_SAYS}|contain(?:s|ed)?|reads?|include[sd]?|show(?:s|ed)?"
    r"|(?:instruct|suggest|request|claim)(?:s|ed)?|states?|begins?|ends?|has|had|is|was)\b[^\n]*:\Z"
    rf"|{_SAYS})\b[^\n:]{{0,20}}:\Z"
    rf"|\b(?:read|found|saw|see|received|quote|from|in)\b[^.\n:]{{0,40}}{_MEDIA}[^.\n:]{{0,30}}:\Z"
    rf"|\b(?:according\s+to|per|quoting)\b[^.\n:]{{0,40}}{_MEDIA}\W*:\Z"
    r"|\A\W*(?:the\s+)?(?:results?|(?:it\s+)?(?:returned|printed|showed))(?:\s+(?:is|was))?\W*:\Z",
    re.IGNORECASE,
)
_MINE: Final = re.compile(
    r"\b(?:I|we)(?:['\u2019]ll|\s+(?:will|shall|need|must|am|now|call|run|use))\b|\blet\s+(?:me|us)\b",
    re.IGNORECASE,
)
"""The model announces a call of its own."""
_EXPLAINED: Final = re.compile(
    r"(?:\bhow\s+(?:to|(?:you|one|someone))\b|\busage\b|\bsyntax\b"
    r"|\b(?:you|one|someone)\s+(?:can|could|would|might|may)\b"
    r"|\bone\s+of\s+(?:these|the\s+following|them|two|three)\b"
    r"|\b(?:these|the\s+following|two|three|several|some)\s+"
    r"(?:options|choices|alternatives|ways|possibilities))[^\n]*[^\s.!]\Z"
    r"|\b(?:examples?|e\.g|for instance|hypothetically)\b\.?[^\n.]{0,40}:\Z|\be\.g\.\Z"
    r"|\bif\s+you(?:['\u2019]d|\s+would)?\s+(?:want|like|wish|prefer)\b[^\n]*:\Z",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(
    r"(?:\bexamples?|\be\.g\.?|\bfor instance|\busage|\bif you (?:want|need|would)[^\n.]*)"
    r"[^\n.]{0,40}:\Z"
    r"|\b(?:alternative(?:ly|s)?|otherwise|another\s+(?:option|way|approach|possibility)|fall-?back"
    r"|(?:option|approach|variant)\s?(?:[2-9]|[B-H]\b|two|three))\b[^\n.]{0,80}\Z|\A\W*or\W*\Z"
    r"|\bif\b[^\n]*:\Z",
    re.IGNORECASE,
)
"""A sentence before an example, or before an alternative to a call."""


_RESOLVED: Final = re.compile(
    r"[,;]\s*(?:so|but)\s+(?:(?:I|we)(?:['\u2019]ll|\s+(?:will|must|(?:need|have|am\s+going)\s+to))?"
    r"|let\s+(?:me|us))\s+(?:now\s+)?(?:call|use|run|execute|make|invoke|try)\b",
    re.IGNORECASE,
)
"""The end of a sentence that announces a call: `I cannot know that, so let me call`."""


def last_sentence(line: str) -> str:
    """Return the last sentence of a text, with the mark that ends it, or what it comes to."""
    start = 0
    for each in _SENTENCE.finditer(line):
        if each.end() < len(line):
            start = each.end()
    resolved = _RESOLVED.search(line, start) if "," in line or ";" in line else None
    return line[start if resolved is None else resolved.start() :]


def first_end(text: str, start: int, stop: int) -> int:
    """Return the end of the sentence around a place."""
    ending = _SENTENCE.search(text, start, stop)
    return min(stop, len(text)) if ending is None else ending.end()


def only_mentions(sentence: str) -> bool:
    """Return whether the sentence around a call speaks of it as possible, past or refused."""
    return sentence.rstrip().endswith("?") or _HYPOTHETICAL.search(sentence) is not None


def only_introduces(lead: str, *, answered: bool) -> bool:
    """Return whether the sentence before a call refuses it, asks for it, quotes or explains it.

    If other calls have `answered` before, also if it introduces an example or an alternative.
    """
    if any(each.search(lead) for each in (_REFUSED, _AWAITED, _EXPLAINED)):
        return True
    if (lead.endswith("?") or _ASKS.match(lead)) and _ASKED.search(lead):
        return True
    if answered and _EXAMPLE.search(lead):
        return True
    return not _MINE.search(lead) and _QUOTED.search(lead) is not None


def takes_back(behind: str) -> bool:
    """Return whether the text behind a call refuses it, or asks whether to make it."""
    if _REFUSED_BEHIND.search(behind):
        return True
    for question in _QUESTION.findall(behind) if "?" in behind or "(y/n)" in behind.lower() else ():
        if _ASKED.search(question) and not _MORE.search(question):
            return True
    awaited = _AWAITED.search(behind)
    return awaited is not None and not _MORE.search(
        behind[awaited.start() : first_end(behind, awaited.end(), len(behind))]
    )
