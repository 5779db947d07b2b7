"""Texts for a person: a table that an application may translate, and sentences made of it."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from pyfunctools._json import JsonValue
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.schema.feedback.feedback import is_present
from pyfunctools.schema.ground.did_you_mean import near_name
from pyfunctools.schema.ground.issue import Issue
from pyfunctools.schema.ground.path import Keys

TEXTS: Final[Mapping[str, str]] = {
    # A question
    "part": "{outer}: {label}",  # something of something
    "numbered": "{label} {number}",  # one of a list, counted from 1
    "which": "{label}: which kind",
    "count": "{label}: how many",
    "about": "For {value}.",  # an item, by the part of it that the model wrote
    "lines": "One on each line.",
    # A login
    "login": "Log in at {host}, and paste the address to which you were sent back",
    "login_code": "Log in at {host} with the code {code}",
    "login_open": "The login is not complete yet.",
    "login_wrong": "This is not the address to which you were sent back.",
    "login_again": "This login did not succeed. Open the address and log in again.",
    # The problem with an answer
    "needed": "This is needed.",
    "wrong": "This must be {expected}.",
    "not_asked": "This was not asked for.",
    "sentence": "{label}: {problem}",
    # The expected value
    "a value": "a value",
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "yes or no",
    "array": "a list",
    "object": "a group of values",
    "file": "a file",
    "date": "a date such as {example}",
    "date-time": "a date and time such as {example}",
    "time": "a time such as {example}",
    "list of": "a list of {what}",
    "format": "a text in the form “{name}”",
    "pattern": "a text of the pattern {name}",
    "one of": "one of {values}",
    "at least": "at least {limit}",
    "at most": "at most {limit}",
    "greater than": "greater than {limit}",
    "less than": "less than {limit}",
    "multiple": "a multiple of {limit}",
    "character": "{limit} character",
    "characters": "{limit} characters",
    "item": "{limit} item",
    "items": "{limit} items",
    "property": "{limit} value",
    "properties": "{limit} values",
    "or": " or ",
}
"""The texts that a person reads, by keys that stay the same; names in braces are filled in."""


def check_texts(texts: object) -> None:
    """Check texts that replace some of `TEXTS`.

    Raises:
        DefinitionError: `texts` is no mapping, a key is unknown, or a text has other names in
            braces than the text that it replaces.
    """
    if not isinstance(texts, Mapping):
        raise wrong_type("texts", "a mapping of keys to texts", texts, 'Write `{"needed": "..."}`.')
    for key, text in cast("Mapping[object, object]", texts).items():
        if not isinstance(key, str) or key not in TEXTS:
            near = near_name(str(key), TEXTS)
            remedy = f"Did you mean {near!r}?" if near else f"The keys are {', '.join(TEXTS)}."
            raise DefinitionError("texts", f"There is no text {key!r}.", remedy)
        wanted = sorted(_FILLED.findall(TEXTS[key]))
        if not isinstance(text, str) or sorted(_FILLED.findall(text)) != wanted:
            remedy = f"Write a text such as {TEXTS[key]!r}."
            raise DefinitionError("texts", f"{text!r} cannot be filled in as {key!r}.", remedy)


_FILLED = re.compile(r"\{[^{}]*\}|[{}]")


def humanized(name: str) -> str:
    """Return a name as words: `Card number` for `card_number` and for `cardNumber`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.\s]+", " ", name).split()
    text = " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words)
    return text[:1].upper() + text[1:] or name


def label_of(keys: Keys, texts: Mapping[str, str] = TEXTS) -> str:
    """Return the label of a place: `Guests 2: Passport number` for `guests[1].passport_number`."""
    label = ""
    for key in keys:
        if isinstance(key, int):
            label = texts["numbered"].format(label=label, number=key + 1)
        elif label:
            label = texts["part"].format(outer=label, label=humanized(key))
        else:
            label = humanized(key)
    return label


def problem_text(issue: Issue, texts: Mapping[str, str] = TEXTS, *, missing: bool = False) -> str:
    """Return the problem with an answer, as a sentence for the person who gave it."""
    if missing:
        return texts["needed"]
    if issue.expected.startswith(("no value here", "no property", "nothing")):
        return texts["not_asked"]
    return texts["wrong"].format(expected=_in_plain_words(issue.expected, texts))


def to_person(
    issues: Sequence[Issue], texts: Mapping[str, str] = TEXTS, given: JsonValue = None
) -> str:
    """Return a line for each issue: the label of the place, and the problem.

    What an object `given` does not have is needed.
    """
    lines: dict[str, None] = {}
    for issue in issues:
        missing = isinstance(given, dict) and not is_present(given, issue.path.keys)
        text = problem_text(issue, texts, missing=missing)
        label = label_of(issue.path.keys, texts)
        lines[texts["sentence"].format(label=label, problem=text) if label else text] = None
    return "\n".join(lines)


def _in_plain_words(expected: str, texts: Mapping[str, str]) -> str:
    """Return the `expected` line of an issue in words for a person, without `null`."""
    if expected.startswith("a file"):
        return texts["file"]
    # Values stand in quotes, and are not translated.
    pieces = _QUOTED.split(expected)
    pieces[::2] = (_reworded(piece, texts) for piece in pieces[::2])
    return "".join(pieces)


def _reworded(piece: str, texts: Mapping[str, str]) -> str:
    def word(found: re.Match[str]) -> str:
        kind, text = found.lastgroup or "", found.group()
        if kind == "limit":
            limit, unit = found["size"], found["unit"]
            limit = texts[unit].format(limit=limit) if unit else limit
            return texts[found["bound"].replace("a multiple of", "multiple")].format(limit=limit)
        if kind == "form":
            name, by = found["name"], found["by"]
            by = "pattern" if by == "pattern" else "format"
            key = name if by == "format" and found["example"] and name in _DATED else by
            return texts[key].format(name=name, example=found["example"])
        if kind == "type":
            return texts[found["type"]]
        return {" or null": "", "null or ": "", " or ": texts["or"]}.get(text, texts["a value"])

    reworded = _WORDS.sub(word, _LIST.sub(lambda _: "\0", piece))
    head, *rest = reworded.split("\0")
    for inner in rest:
        head += texts["list of"].format(what=inner)
    if "one of " in head:
        before, _, values = head.partition("one of ")
        head = before + texts["one of"].format(values=values)
    return head


_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')
_DATED = frozenset({"date", "date-time", "time"})
_LIST = re.compile(r"\barray of ")
_WORDS = re.compile(
    r"(?P<form>string \((?P<by>format|pattern|content): (?P<name>[^\n]+?)"
    r"(?: such as (?P<example>\S+?))?"
    r"(?:, (?:pattern|content): [^\n]+?)?\)(?=[, \]]|$))"
    r"|(?P<limit>(?P<bound>at least|at most|greater than|less than|a multiple of) (?P<size>\S+?)"
    r"(?: (?P<unit>characters?|items?|property|properties))?(?=[,\s)]|$))"
    r"|(?P<null> or null\b|\bnull or )|(?P<other> or |\bany value\b)"
    r"|\b(?:an? )?(?P<type>integer|number|string|boolean|array|object)\b"
)
