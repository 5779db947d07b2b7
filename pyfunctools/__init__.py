"""Function calling for large language models, from Python classes and OpenAPI documents.

Mark the methods that a model may call, and pass the object to a `Controller`:

    class Shop:
        @function
        def buy(self, item: str, count: int = 1) -> str:
            '''Buy something.'''

    shop = Controller.from_object(Shop())

or read an API with `from_openapi`, an application with `from_fastapi`, functions with
`from_functions`. The `shop.functions` are `Function` records, `shop.tools("openai")` are what a
vendor takes of them, and `shop.call(name, text, human={...})` checks the model's arguments, adds
the person's values, runs the function and returns an `Outcome`.

The schema engine alone is `pyfunctools.schema`. Importing this package imports neither pydantic nor
an HTTP library; they are imported when they are first needed.
"""

from os.path import exists
from typing import TYPE_CHECKING

from pyfunctools._face import lazy_face

if TYPE_CHECKING:
    from pyfunctools.controller import Controller as Controller
    from pyfunctools.controller.tools import Tools as Tools
    from pyfunctools.controller.turn import Turn as Turn
    from pyfunctools.dialects.subschema import Loss as Loss
    from pyfunctools.dialects.rendering import Rendering as Rendering
    from pyfunctools.errors import ArgumentsError as ArgumentsError, CallError as CallError
    from pyfunctools.errors import DefinitionError as DefinitionError
    from pyfunctools.errors import DocumentError as DocumentError, LifespanError as LifespanError
    from pyfunctools.errors import LoopError as LoopError, MissingExtraError as MissingExtraError
    from pyfunctools.errors import PyfunctoolsError as PyfunctoolsError, Retry as Retry
    from pyfunctools.errors import SchemaError as SchemaError, TicketStoreError as TicketStoreError
    from pyfunctools.errors import UnknownFunctionError as UnknownFunctionError
    from pyfunctools.errors import WaitingError as WaitingError
    from pyfunctools.execution.person.approval import Approval as Approval
    from pyfunctools.execution.person.approval import PendingCall as PendingCall
    from pyfunctools.execution.person.postgres import PostgresStore as PostgresStore
    from pyfunctools.execution.person.stores import MemoryStore as MemoryStore
    from pyfunctools.execution.person.stores import SqliteStore as SqliteStore
    from pyfunctools.execution.person.stores import TicketStore as TicketStore
    from pyfunctools.execution.person.tickets import Tickets as Tickets
    from pyfunctools.execution.request.connection import Connection as Connection
    from pyfunctools.execution.request.oauth import OAuth2 as OAuth2, TokenStore as TokenStore
    from pyfunctools.limits import Limits as Limits, ProgramLimits as ProgramLimits
    from pyfunctools.prompting.attempts import Attempts as Attempts
    from pyfunctools.prompting.calls.calls import parse_calls as parse_calls
    from pyfunctools.prompting.prompt import Prompt as Prompt, prompt_of as prompt_of
    from pyfunctools.record.call import Call as Call, CallInfo as CallInfo
    from pyfunctools.record.file import File as File
    from pyfunctools.record.function import Function as Function, Skipped as Skipped
    from pyfunctools.record.origin import Method as Method, RemoteTool as RemoteTool
    from pyfunctools.record.outcome import InnerCall as InnerCall, Outcome as Outcome
    from pyfunctools.record.outcome import Question as Question, Request as Request
    from pyfunctools.record.outcome import Response as Response, ServerWords as ServerWords
    from pyfunctools.record.outcome import Waiting as Waiting
    from pyfunctools.record.param import Param as Param
    from pyfunctools.route import Route as Route
    from pyfunctools.schema import Failure as Failure, Issue as Issue, Path as Path
    from pyfunctools.schema import Repair as Repair, Separated as Separated, Success as Success
    from pyfunctools.sources.openapi.document import files_under as files_under
    from pyfunctools.sources.python.decorators import function as function
    from pyfunctools.sources.python.markers import Context as Context, Human as Human
    from pyfunctools.sources.python.markers import Inject as Inject, human as human
    from pyfunctools.sources.python.reader import function_of as function_of

__version__ = "0.1.0"

_HOMES = {
    "controller": "Controller",
    "controller.tools": "Tools",
    "controller.turn": "Turn",
    "dialects.rendering": "Rendering",
    "dialects.subschema": "Loss",
    "errors": (
        "ArgumentsError CallError DefinitionError DocumentError LifespanError LoopError "
        "MissingExtraError PyfunctoolsError Retry SchemaError TicketStoreError "
        "UnknownFunctionError WaitingError"
    ),
    "execution.person.approval": "Approval PendingCall",
    "execution.person.postgres": "PostgresStore",
    "execution.person.stores": "MemoryStore SqliteStore TicketStore",
    "execution.person.tickets": "Tickets",
    "execution.request.connection": "Connection",
    "execution.request.oauth": "OAuth2 TokenStore",
    "record.call": "Call CallInfo",
    "record.file": "File",
    "limits": "Limits ProgramLimits",
    "record.origin": "Method RemoteTool",
    "record.outcome": "InnerCall Outcome Question Request Response ServerWords Waiting",
    "record.param": "Param",
    "prompting.attempts": "Attempts",
    "prompting.calls.calls": "parse_calls",
    "prompting.prompt": "Prompt prompt_of",
    "record.function": "Function Skipped",
    "route": "Route",
    "schema": "Failure Issue Path Repair Separated Success",
    "sources.openapi.document": "files_under",
    "sources.python.decorators": "function",
    "sources.python.markers": "Context Human Inject human",
    "sources.python.reader": "function_of",
}
if exists(__file__.replace("__init__", "__version__")):  # of another package with our name
    from pyfunctools.errors import MIXED

    raise ImportError(MIXED)
__all__, __getattr__, __dir__ = lazy_face(__name__, _HOMES)
