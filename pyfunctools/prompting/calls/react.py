"""Calls as agents of the ReAct school write them: `Action: name`, `Action Input: text`."""

import re
from typing import Final

from pyfunctools.prompting.calls.found import MAX_CALLS, Found
from pyfunctools.prompting.calls.names import Names

_ACTION: Final = re.compile(
    r"^[ \t*]{0,8}Action[ \t*]{0,8}:[ \t*`]{0,8}(?P<name>[^\W\d][\w.-]{0,120})[ \t*`]{0,8}\n"
    r"[ \t*\n]{0,8}Action[ ]Input[ \t*]{0,8}:[ \t*]{0,8}(?P<input>[^\s{\[`][^\n]*)$",
    re.MULTILINE,
)


def read_actions(text: str, names: Names) -> list[Found]:
    """Return the actions whose input is a line of text; JSON there is read as JSON elsewhere."""
    found: list[Found] = []
    for action in _ACTION.finditer(text):
        function = names.find(action["name"])
        if function is not None or names.alike(action["name"]):
            each = Found(
                name=action["name"],
                function=function,
                arguments=action["input"].rstrip(),
                start=action.start("name"),
                end=action.end("input"),
            )
            found.append(each)
        if len(found) > MAX_CALLS:
            break
    return found
