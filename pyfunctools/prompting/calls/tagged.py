"""Calls in tags, with a tag for each argument.

`<function=name><parameter=key>value</parameter></function>` (Qwen3-Coder, Seed),
`<invoke name="name"><parameter name="key">value</parameter></invoke>` (Claude, MiniMax, DeepSeek),
`<tool_call>name<arg_key>key</arg_key><arg_value>value</arg_value></tool_call>` (GLM),
and `<name><key>value</key></name>`. JSON between tags is parsed by `json_calls`.
"""

import re
from json import dumps
from typing import Final

from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.prompting.calls.found import FoundCall
from pyfunctools.prompting.calls.literals import WORDS, WrittenArguments
from pyfunctools.prompting.calls.names import FunctionNames, properties_of
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.parsing.strict import Strict, parse_strict
from pyfunctools.schema.result import Repair

_SPACE_NAME = r"(?:[\w|\uff5c]{1,30}[:|\uff5c]|[|\uff5c][\w|\uff5c]{1,30}[|\uff5c])?"
_NAMED: Final = re.compile(
    rf"<{_SPACE_NAME}(?P<tag>invoke|function|function_call|tool_call|tool)"
    r"(?:\s+name\s*=|\s*=)\s*[\"']?(?P<name>[^\"'\s<>/{}]{1,200})[\"']?\s*>"
)
_LISTED: Final = re.compile(
    r"<(?P<tag>\w{0,20}tool_call)>\s*(?P<name>[^\"'\s<>{}\[\]()]{1,200})\s*"
    r"(?=<\w{0,20}arg_key>|</\w{0,20}tool_call>)"
)
_PLAIN: Final = re.compile(
    r"<(?P<name>[^\W\d][\w.-]{0,100})>\s*(?=<(?P<key>[^\W\d][\w.-]{0,100})>)"
)
_PARAMETER: Final = re.compile(
    rf"\s*<(?P<tag>{_SPACE_NAME}(?:parameter|param|argument|arg))(?:\s+name\s*=|\s*=)\s*"
    r"[\"']?(?P<key>[^\"'<>\n]{1,200}?)[\"']?(?:\s+[^<>\n]{0,100})?>"
)
_KEY: Final = re.compile(
    r"\s*<\w{0,20}arg_key>(?P<key>[^<>]{1,200})</\w{0,20}arg_key>\s*<(?P<tag>\w{0,20}arg_value)>"
)
_CHILD: Final = re.compile(r"\s*<(?P<tag>(?P<key>[^\W\d][\w.-]{0,100}))>")
_CLOSE: Final = re.compile(r"\s*</[^<>\n]{0,60}>")
_OPENED: Final = re.compile(r"</?[^\W\d]|<[|\uff5c]")
_FRAME: Final = re.compile(
    rf"</{_SPACE_NAME}\w{{0,20}}(?:param|arg|invoke|function|tool)|<[|\uff5c]"
    rf"|<{_SPACE_NAME}\w{{0,20}}(?:param|arg|invoke|function)"
)
_CUT: Final = re.compile(r"\s*<[^<>]*\Z")
_MAX_ARGUMENTS: Final = 1_000
_MAX_MISSING: Final = 8
"""Values without an end in one call, before only a tag that occurs is searched for."""


def read_tagged(text: str, at: int, names: FunctionNames) -> tuple[FoundCall | None, int]:
    """Parse the call whose tag begins at `at`; return also the end of the search."""
    for opener, argument in ((_NAMED, _PARAMETER), (_LISTED, _KEY)):
        if opened := opener.match(text, at):
            return _read(text, opened, names, argument)
    if opened := _PLAIN.match(text, at):
        function = names.find(opened["name"])
        if function is not None and opened["key"] in properties_of(function):
            return _read(text, opened, names, _CHILD)
    return None, at + 1


def _read(
    text: str, opened: re.Match[str], names: FunctionNames, argument: re.Pattern[str]
) -> tuple[FoundCall | None, int]:
    at = opened.end()
    if text[at : at + 100].lstrip()[:1] in ("{", "[", "`"):
        return None, at  # the arguments are JSON: `json_calls` parses them
    arguments = WrittenArguments()
    missing: set[str] = set()
    for _ in range(_MAX_ARGUMENTS):
        child = argument.match(text, at)
        if child is None:
            break
        at = _argument(text, child, arguments, missing)
    # The search for a missing end tag goes through the whole text.
    searched = at + len(missing) * (len(text) - opened.start())
    for _ in range(2):
        close = _CLOSE.match(text, at)
        at = close.end() if close is not None else at
    if at == opened.end():
        return None, searched
    if cut := _CUT.match(text, at):
        repair = Repair(path=Path.of(()), kind="truncated", before=cut[0], after="")
        arguments.repairs.append(repair)
    arguments.end = at
    name = opened["name"]
    found = FoundCall(
        name=name, function=names.find(name), arguments=arguments, start=opened.start(), end=at
    )
    return found, max(searched, at)


def _argument(
    text: str, child: re.Match[str], arguments: WrittenArguments, missing: set[str]
) -> int:
    """Parse one argument; return the end of its tag. End tags in `missing` are not searched for."""
    key = child["key"].strip()
    start = child.end()
    closer = f"</{child['tag']}>"
    opener = child[0].lstrip() if child.re is _CHILD else f"<{child['tag']}"
    given_up = closer in missing or len(missing) >= _MAX_MISSING
    end = -1 if given_up else _end_of_value(text, start, opener, closer)
    after = end + len(closer)
    if end < 0:
        missing.add(f"{start}" if not given_up and text.find(closer, start) >= 0 else closer)
        frame = (_OPENED if child.re is _CHILD else _FRAME).search(text, start)
        end = after = len(text) if frame is None else frame.start()
        kind = "closer" if frame is not None else "truncated"
        repair = Repair(path=Path.of((key,)), kind=kind, before="", after=closer)
        arguments.repairs.append(repair)
    value = text[start:end].removeprefix("\n").removesuffix("\n")
    if key in arguments.values:
        arguments.faults.append(((key,), "is given twice"))
        return after
    arguments.values[key] = value
    if 'string="true"' not in child[0]:
        _note_type(arguments, key, value.strip(), certain='string="false"' in child[0])
    return after


def _end_of_value(text: str, start: int, opener: str, closer: str) -> int:
    """Return the start of the tag that closes a value, which may have the same tags inside.

    -1 if it has no end.
    """
    at, inner = start, 0
    while (end := text.find(closer, at)) >= 0:
        inner += text.count(opener, at, end)
        if not inner:
            break
        inner -= 1
        at = end + len(closer)
    return end


def _note_type(arguments: WrittenArguments, key: str, text: str, *, certain: bool) -> None:
    """Note the value of a text that is JSON as its program writes it: `42`, not `1e5` or `1.10`."""
    read = Strict(WORDS[text], False, False) if text in WORDS else None
    read = read or parse_strict(text, DEFAULT_LIMITS.depth)
    if read is None or isinstance(read.value, str):
        return
    if certain:
        arguments.values[key] = read.value
    elif not isinstance(read.value, int | float) or dumps(read.value) == text.lower():
        arguments.typed[key] = read.value
