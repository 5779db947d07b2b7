"""The keys of an object that is a call, as vendors and models write it."""

from typing import Final

NAME_KEYS: Final = ("name", "tool_name", "toolName")
"""Keys whose value is the name of a function, of vendors."""
ANY_NAME_KEYS: Final = (
    *NAME_KEYS,
    *("function", "function_name", "functionName", "tool", "recipient_name"),
)
"""Those of vendors, and those that models write instead."""
ARGUMENT_KEYS: Final = ("arguments", "input", "args", "parameters", "partial_json")
"""Keys whose value is the arguments, of vendors."""
ANY_ARGUMENT_KEYS: Final = (
    *ARGUMENT_KEYS,
    *("params", "action_input", "tool_input", "toolInput", "tool_arguments", "tool_args"),
    *("function_arguments", "function_args", "kwargs", "inputs"),
)
"""Those of vendors, and those that models write instead."""
ID_KEYS: Final = ("call_id", "tool_call_id", "toolCallId", "toolUseId", "tool_use_id", "id")
"""Keys whose value is the id of a call."""
