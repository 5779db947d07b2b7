"""Calls in tags, with a tag for each argument.

`<function=name><parameter=key>value</parameter></function>` (Qwen3-Coder, Seed),
`<invoke name="name"><parameter name="key">value</parameter></invoke>` (Claude, MiniMax, DeepSeek),
`<tool_call>name<arg_key>key</arg_key><arg_value>value</arg_value></tool_call>` (GLM),
`<invoke><tool_name>name</tool_name><parameters><key>value</key></parameters></invoke>` (Claude 2),
and `<name><key>value</key></name>`. JSON between tags is parsed by `json_calls`.
"""

import re
from typing import Final

from pyfunctools.prompting.calls.found import FoundCall
from pyfunctools.prompting.calls.literals import WrittenArguments
from pyfunctools.prompting.calls.names import FunctionNames, properties_of
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.result import Repair

_SPACE_NAME = r"(?:[\w|\uff5c]{1,30}[:|\uff5c]|[|\uff5c][\w|\uff5c]{1,30}[|\uff5c])?"
_NAMED: Final = re.compile(
    rf"<{_SPACE_NAME}(?P<tag>invoke|function|function_call|tool_call|tool)"
    r"(?:\s+name\s*=|\s*=)\s*[\"']?(?P<name>[^\"'\s<>/{}]{1,200})[\"']?\s*>"
)
_TITLED: Final = re.compile(
    rf"<(?P<tag>{_SPACE_NAME}(?:invoke|function_call|tool_call|tool_use))>\s*"
    r"<(?P<key>tool_name|name|function_name)>\s*(?P<name>[^\"'\s<>]{1,200})\s*</(?P=key)>\s*"
    r"(?:<(?:parameters|arguments|args|input)>)?"
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
    r"\s*<(?P<tag>\w{0,20})arg_key>(?P<key>[^<>]{1,200})</\w{0,20}arg_key>\s*<\w{0,20}arg_value>"
)
_CHILD: Final = re.compile(r"\s*<(?P<key>[^\W\d][\w.-]{0,100})>")
_CLOSE: Final = re.compile(r"\s*</[^<>\n]{0,60}>")
_OPENED: Final = re.compile(r"</?[^\W\d]|<[|\uff5c]")
_MAX_ARGUMENTS: Final = 1_000


def read_tagged(text: str, at: int, names: FunctionNames) -> tuple[FoundCall | None, int]:
    """Parse the call whose tag begins at `at`; return also the end of the search."""
    for opener, argument in ((_NAMED, _PARAMETER), (_TITLED, _CHILD), (_LISTED, _KEY)):
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
    tag = key
    if child.re is _PARAMETER:
        tag = child["tag"]
    elif child.re is _KEY:
        tag = f"{child['tag']}arg_value"
    end = -1 if tag in missing else text.find(f"</{tag}>", start)
    after = end + len(tag) + 3
    if end < 0:
        missing.add(tag)
        opened = _OPENED.search(text, start)
        end = after = len(text) if opened is None else opened.start()
        kind = "closer" if opened is not None else "truncated"
        arguments.repairs.append(
            Repair(path=Path.of((key,)), kind=kind, before="", after=f"</{tag}>")
        )
    value = text[start:end]
    value = value.removeprefix("\n").removesuffix("\n")
    if key in arguments.values:
        arguments.faults.append(((key,), "is given twice"))
    arguments.values.setdefault(key, value)
    return after
