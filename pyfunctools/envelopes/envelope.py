"""`Envelope`: how one vendor wraps functions, a model's turn, and the results of its calls.

An envelope reads objects of the vendor's SDK, or the same as plain data, and imports no SDK.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from mimetypes import guess_type
from typing import Any, Final, Literal, TypeAlias

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.dialects.partial import PartialArguments
from pyfunctools.errors import DefinitionError
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.record.file import File
from pyfunctools.schema.parsing.strict import parse_strict

Data: TypeAlias = dict[str, Any]
"""An object of a vendor's, as plain data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call in a model's turn.

    `arguments` are JSON text or a value, as the vendor sends them. `id` is `None` only if the
    vendor needs no id in the result; otherwise `Envelope.read_turn` replaces missing and repeated
    ids. `closed` is false if the turn was cut inside this call. `custom` is true for a call of a
    tool that has one text instead of arguments.
    """

    id: str | None
    name: str
    arguments: str | JsonValue
    namespace: str | None = None
    caller: JsonValue = None
    closed: bool = True
    custom: bool = False


Choice = Literal["any", "none"] | Sequence[str]
"""Whether the model calls any function, none, or one of these."""
Ended = Literal["stop", "calls", "length", "refusal", "filter", "malformed", "other"]
"""How a turn ended: `filter` by the vendor, `malformed` by a call that it could not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTurn:
    """A model's turn.

    `messages` are to be appended to the conversation, with all blocks unchanged, also reasoning,
    signatures and unknown blocks. `cut` is true if the turn is incomplete (by a token limit, for
    example), `waits` if the vendor expects another request although nothing was called. `ended_as`
    is the vendor's word for `ended`. `broken` is what the vendor says about a malformed call, with
    the call in it; `in_words` is true if the calls were read from it, and need a text as answer.
    """

    messages: tuple[JsonObject, ...]
    text: str
    calls: tuple[ModelCall, ...]
    cut: bool
    waits: bool = False
    ended: Ended = "stop"
    ended_as: str | None = None
    broken: str = ""
    in_words: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """The result of one call: a text for the model, and files.

    `value` is the value of a success as JSON, in a tuple, `None` if it cannot be written as JSON.
    """

    id: str
    name: str
    text: str
    is_error: bool
    content: tuple[File, ...] = ()
    value: tuple[JsonValue] | None = None
    call: ModelCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """The change that one event of a stream makes: a piece of text, or a `call` so far.

    `place` tells the calls of a stream apart.
    """

    text: str = ""
    call: ModelCall | None = None
    place: int = field(default=0, repr=False)
    received: PartialArguments | None = field(default=None, repr=False, compare=False)

    @property
    def arguments(self) -> JsonValue:
        """The arguments of `call` received so far, in the names and the shape of the function.

        For display only, never to be run. A string may still grow, and members and items may
        follow; other values are final. `None` before the first one.
        """
        if self.call is None:
            return None
        return (self.received or PartialArguments()).read(self.call.arguments)


class StreamReader(ABC):
    """Reads a turn event by event: its message, its blocks by their index, and why it ended."""

    def __init__(self) -> None:
        self._message: Data = {}
        self._blocks: dict[str, Data] = {}
        self._reason: JsonValue = None
        self._received: dict[tuple[int, str], PartialArguments] = {}
        self.partial: Callable[[str], PartialArguments] = lambda _: PartialArguments()
        """Makes the reader of the arguments of a function while they are written, by its name."""

    def __reduce__(self) -> tuple[object, ...]:
        reason = "A stream that is being read cannot be pickled or copied."
        raise DefinitionError("tools.reading", reason, "Pass on `reading.response` at its end.")

    def feed(self, event: object) -> Delta:
        """Return the change that an event of the vendor's stream makes, empty for other events."""
        delta = self._read(event)
        if delta.call is None:
            return delta
        key = (delta.place, delta.call.name)
        if key not in self._received:
            self._received[key] = self.partial(delta.call.name)
        return replace(delta, received=self._received[key])

    @abstractmethod
    def _read(self, event: object) -> Delta:
        """Add an event, and return the change that it makes, without `received`."""

    @property
    @abstractmethod
    def response(self) -> JsonObject:
        """The turn so far as a response of the vendor; it counts as cut until the last event."""


class ResultWriter(ABC):
    """Writes the results of a turn's calls."""

    @abstractmethod
    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return the messages with the results of all calls of a turn."""

    def user(self, text: str) -> JsonObject:
        """Return a message of the user."""
        return {"role": "user", "content": text}


class Envelope(ResultWriter):
    """How one vendor wraps functions, turns and results.

    `dialects.table` says which choices a vendor has, and whether it takes a schema of its answer.
    """

    name: str
    stream_reader: type[StreamReader] | None = None
    """Makes the reader of one stream; `None` if nothing is streamed."""

    @abstractmethod
    def tool(self, name: str, description: str, schema: Data, *, strict: bool | None) -> Data:
        """Return a function as an item of the vendor's list of tools.

        `strict=None` leaves it to the vendor.
        """

    def listed(self, items: list[Data], *, cache: bool) -> list[Data]:
        """Return the items as the vendor's list; with `cache` marked for its cache."""
        return items

    def request(self, tools: list[Any], *, strict: bool = False) -> Data:
        """Return what a request has beside the list, or around it, as keyword arguments."""
        return {}

    def choice(self, how: Choice, tools: list[Any]) -> Data:
        """Return keyword arguments for `"any"`, `"none"` or the names of functions to call."""
        return {}

    def answer(self, name: str, schema: Data, *, strict: bool) -> Data:
        """Return keyword arguments that ask for an answer of this schema."""
        return {}

    @abstractmethod
    def is_response(self, value: object) -> bool:
        """Return whether this is a response of the vendor, from its SDK or as plain data."""

    @abstractmethod
    def read_turn(self, response: object) -> ModelTurn:
        """Return the turn of a response; if it has several alternatives, the first one."""


def named_tool(name: str, description: str) -> Data:
    """Return the name of a tool, and its description if there is one."""
    return {"name": name, "description": description} if description else {"name": name}


IMAGES: Final = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
"""Media types of images that every vendor with images accepts."""


def media_type_of(file: File) -> str:
    """Return the media type of a file without parameters, by default guessed from its name."""
    given = file.content_type or (guess_type(file.filename)[0] if file.filename else None)
    return (given or "application/octet-stream").partition(";")[0].strip().lower()


def base64_of(file: File) -> str:
    """Return the content of a file in base64, which is the text of a `File`."""
    return str(file)


def data_url(file: File) -> str:
    """Return a file as a `data:` URL."""
    return f"data:{media_type_of(file)};base64,{base64_of(file)}"


def with_files_named(text: str, files: Iterable[File]) -> str:
    """Return a text with a line for each of the files, which the model cannot see."""
    lines = [
        f"[A file came with this result that cannot be shown here: {file.filename or 'unnamed'}, "
        f"{media_type_of(file)}, {len(file.content)} bytes.]"
        for file in files
    ]
    return "\n".join([text, *lines] if text else lines)


def text_with_error(result: CallResult, files: Iterable[File]) -> str:
    """Return a result's text with these files named, beginning with `Error:` if it is an error."""
    text = result.text
    if result.is_error and text[:5].lower() != "error":
        text = f"Error: {text}"
    return with_files_named(text, files)


class PlainText(ResultWriter):
    """Turns as texts: `{"answer": "..."}` is an answer, and results are a user message."""

    def read_turn(self, text: str, calls: Sequence[ModelCall]) -> ModelTurn:
        read = parse_strict(text.strip(), DEFAULT_LIMITS.depth)
        value = read.value if read is not None else None
        answer = value.get("answer") if isinstance(value, dict) and len(value) == 1 else None
        words = "" if calls else text.strip()
        return ModelTurn(
            messages=({"role": "assistant", "content": text},),
            text=answer if isinstance(answer, str) else words,
            calls=tuple(calls),
            cut=False,
            ended="calls" if calls else "stop",
        )

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return one message with all results, each under the name of its function."""
        if not results:
            return ()
        texts = [
            f"{each.name or 'The call'} {'failed' if each.is_error else 'returned'}:\n{each.text}"
            + "".join(f"\n[a file: {file.filename}]" for file in each.content)
            for each in results
        ]
        return (self.user("\n\n".join(texts)),)
