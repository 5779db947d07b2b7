"""Function calling for large language models, from Python classes and OpenAPI documents.

A short tour. Mark the methods that a model may call, and pass the object to a `Controller`:

    class Shop:
        @function
        def buy(self, item: str, count: int = 1) -> str:
            '''Buy something.'''

    shop = Controller.from_object(Shop())

or read an API with `Controller.from_openapi("github.json", server=...)`, a FastAPI application with
`from_fastapi(app)`, plain functions with `from_functions([...])`. In each case `shop.functions` are
`Function` records. Their `name`, `description` and `llm` go to the model; `llm` is the schema of
the `parameters` without the values that a person gives (`Human`, `human`). For a model without
function calling `prompt_of` returns a prompt.

The model's arguments go to `shop.call(name, text, human={...})`, which parses and checks them, adds
the person's values, runs the function and returns an `Outcome`: `text` for the model, `value` for
the program. `shop.parse_calls(answer)` finds the calls in the text of any model family, `Attempts`
counts retries, and `shop.resume(outcome.waiting.ticket, {...})` continues when a person has
answered, in another process too (`Tickets`).

The schema engine alone is `pyfunctools.schema`. Importing this package imports neither pydantic nor
an HTTP library; they are imported when they are first needed.
"""

from os.path import exists
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyfunctools.controller import Controller
    from pyfunctools.controller.tools import Tools
    from pyfunctools.controller.turn import Turn
    from pyfunctools.dialects.loss import Loss
    from pyfunctools.dialects.rendering import Rendering
    from pyfunctools.errors import (
        ArgumentsError,
        CallError,
        DefinitionError,
        DocumentError,
        LifespanError,
        LoopError,
        MissingExtraError,
        PyfunctoolsError,
        Retry,
        SchemaError,
        TicketStoreError,
        UnknownFunctionError,
        WaitingError,
    )
    from pyfunctools.execution.person.approval import Approval, PendingCall
    from pyfunctools.execution.person.postgres import PostgresStore
    from pyfunctools.execution.person.stores import MemoryStore, SqliteStore, TicketStore
    from pyfunctools.execution.person.tickets import Tickets
    from pyfunctools.execution.request.connection import Connection
    from pyfunctools.execution.request.oauth import OAuth2, TokenStore
    from pyfunctools.limits import Limits, ProgramLimits
    from pyfunctools.prompting.attempts import Attempts
    from pyfunctools.prompting.calls.calls import parse_calls
    from pyfunctools.prompting.prompt.prompt import Prompt, prompt_of
    from pyfunctools.record.call import Call
    from pyfunctools.record.call_info import CallInfo
    from pyfunctools.record.file import File
    from pyfunctools.record.function import Function, Skipped
    from pyfunctools.record.origin import Method, RemoteTool
    from pyfunctools.record.outcome import (
        InnerCall,
        Outcome,
        Request,
        Response,
        ServerWords,
        Waiting,
    )
    from pyfunctools.record.param import Param
    from pyfunctools.record.question import Question
    from pyfunctools.route import Route
    from pyfunctools.schema import Failure, Issue, Path, Repair, Separated, Success
    from pyfunctools.sources.openapi.document import files_under
    from pyfunctools.sources.python.decorators import function
    from pyfunctools.sources.python.markers import Context, Human, Inject, human
    from pyfunctools.sources.python.reader import function_of

__version__ = "0.1.0"

__all__ = [
    "Approval",
    "ArgumentsError",
    "Attempts",
    "Call",
    "CallError",
    "CallInfo",
    "Connection",
    "Context",
    "Controller",
    "DefinitionError",
    "DocumentError",
    "Failure",
    "File",
    "Function",
    "Human",
    "Inject",
    "InnerCall",
    "Issue",
    "LifespanError",
    "Limits",
    "LoopError",
    "Loss",
    "MemoryStore",
    "Method",
    "MissingExtraError",
    "OAuth2",
    "Outcome",
    "Param",
    "Path",
    "PendingCall",
    "PostgresStore",
    "ProgramLimits",
    "Prompt",
    "PyfunctoolsError",
    "Question",
    "RemoteTool",
    "Rendering",
    "Repair",
    "Request",
    "Response",
    "Retry",
    "Route",
    "SchemaError",
    "Separated",
    "ServerWords",
    "Skipped",
    "SqliteStore",
    "Success",
    "TicketStore",
    "TicketStoreError",
    "Tickets",
    "TokenStore",
    "Tools",
    "Turn",
    "UnknownFunctionError",
    "Waiting",
    "WaitingError",
    "files_under",
    "function",
    "function_of",
    "human",
    "parse_calls",
    "prompt_of",
]

_HOMES = {
    "controller": ("Controller",),
    "controller.tools": ("Tools",),
    "controller.turn": ("Turn",),
    "dialects.rendering": ("Rendering",),
    "dialects.loss": ("Loss",),
    "errors": (
        "ArgumentsError",
        "CallError",
        "DefinitionError",
        "DocumentError",
        "LifespanError",
        "LoopError",
        "MissingExtraError",
        "PyfunctoolsError",
        "Retry",
        "SchemaError",
        "TicketStoreError",
        "UnknownFunctionError",
        "WaitingError",
    ),
    "execution.person.approval": ("Approval", "PendingCall"),
    "execution.person.postgres": ("PostgresStore",),
    "execution.person.stores": ("MemoryStore", "SqliteStore", "TicketStore"),
    "execution.person.tickets": ("Tickets",),
    "execution.request.connection": ("Connection",),
    "execution.request.oauth": ("OAuth2", "TokenStore"),
    "record.call": ("Call",),
    "record.call_info": ("CallInfo",),
    "record.file": ("File",),
    "limits": ("Limits", "ProgramLimits"),
    "record.origin": ("Method", "RemoteTool"),
    "record.outcome": (
        "InnerCall",
        "Outcome",
        "Request",
        "Response",
        "ServerWords",
        "Waiting",
    ),
    "record.param": ("Param",),
    "record.question": ("Question",),
    "prompting.attempts": ("Attempts",),
    "prompting.calls.calls": ("parse_calls",),
    "prompting.prompt.prompt": ("Prompt", "prompt_of"),
    "record.function": ("Function", "Skipped"),
    "route": ("Route",),
    "schema": ("Failure", "Issue", "Path", "Repair", "Separated", "Success"),
    "sources.openapi.document": ("files_under",),
    "sources.python.decorators": ("function",),
    "sources.python.markers": ("Context", "Human", "Inject", "human"),
    "sources.python.reader": ("function_of",),
}
if exists(__file__.replace("__init__", "__version__")):  # of another package with our name
    from pyfunctools.errors import MIXED

    raise ImportError(MIXED)
_HOME_OF = {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(__import__(home, fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
