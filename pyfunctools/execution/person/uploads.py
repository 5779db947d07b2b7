"""The values that a program gives for a person, in all their forms. No file is opened here."""

from base64 import b64decode, urlsafe_b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from datetime import date, time
from decimal import Decimal
from enum import Enum
from inspect import iscoroutine
from typing import cast
from uuid import UUID

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.execution.steps import UnsendableError
from pyfunctools.execution.trace import log_raised
from pyfunctools.record.file import File
from pyfunctools.record.function import Function, contract_of
from pyfunctools.schema import Failure, Issue, Success
from pyfunctools.schema.ground.issue import side_issue
from pyfunctools.schema.ground.path import ROOT, Keys
from pyfunctools.schema.outline.json_types import schemas_of
from pyfunctools.schema.outline.outline import Place
from pyfunctools.schema.separation.predicates import is_upload
from pyfunctools.schema.vocabulary import UNIONS

SCALARS = frozenset({str, int, float, bool, type(None)})


def file_of(value: JsonValue, schema: JsonSchema | bool = True) -> File | None:
    """Return the file that a value represents, `None` for other values.

    A file is a `File`, `bytes`, or a mapping with `content`, and optionally `filename` and
    `content_type`. The content is bytes or text; with `"encoding": "base64"` the text is base64. A
    mapping with a text is a file only if the schema does not describe an object. A text alone is
    never the path of a file: it is sent as it is.

    Raises:
        UnsendableError: the content is neither bytes nor text, or is invalid base64.
    """
    if isinstance(value, File):
        return value
    if isinstance(value, bytes | bytearray):
        return File(bytes(value))
    if not isinstance(value, dict) or "content" not in value or not value.keys() <= _KEYS:
        return None
    content = value["content"]
    outer = schema if isinstance(schema, dict) else {}
    if isinstance(content, str) and ("properties" in outer or outer.get("type") == "object"):
        return None
    return File(
        _bytes(content, value.get("encoding")),
        _text(value.get("filename"), "filename"),
        _text(value.get("content_type"), "content_type"),
    )


def plain_json(value: object, change: Callable[[object], object] | None = None) -> JsonValue:
    """Return a Python value as JSON: secrets, dates, decimals, enums, UUIDs.

    What `change` returns for an object is in its place. The schema refuses other objects.
    """
    if type(value) in SCALARS or isinstance(value, File):
        return cast("JsonValue", value)
    if change is not None and (changed := change(value)) is not value:
        return cast("JsonValue", changed)
    if isinstance(value, Mapping):
        members: dict[str, JsonValue] = {}
        for key, inner in cast("Mapping[object, object]", value).items():
            name = plain_json(key)  # a number, a date: what a key of JSON can only be as text
            members[name if isinstance(name, str) else str(name)] = plain_json(inner, change)
        return members
    if isinstance(value, list | tuple | Set):
        return [plain_json(item, change) for item in cast("Iterable[object]", value)]
    reveal: object = getattr(value, "get_secret_value", None)
    if callable(reveal):
        return plain_json(cast("Callable[[], object]", reveal)(), change)
    if isinstance(value, Enum):
        return plain_json(value.value, change)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value:f}"
    if isinstance(value, UUID):
        return str(value)
    return cast("JsonValue", value)


def with_files(value: object) -> JsonValue:
    """Return a person's value as JSON, with `File`s in place of bytes and uploads.

    An upload is an open file, or the object of a web framework: it has `read`. A mapping with bytes
    as `content` is a file too. What is nested too deeply or cannot be read, the schema refuses.
    """
    try:
        return plain_json(value, _uploaded)
    except RecursionError:
        return cast("JsonValue", value)


def merged(function: Function, llm: JsonValue, human: JsonValue) -> Success[JsonValue] | Failure:
    """Return both parts merged; a person's text in place of a file is refused.

    The text would be uploaded as the file's content, but most often it is a path. A mixture of
    values by path and nested ones is refused too.
    """
    contract = contract_of(function)
    side, separated = contract.human_side, contract.separated
    wrong = [
        side_issue("human", (name,), "all values by path, or none")
        for name in (human if isinstance(human, dict) else ())
        if str(name).startswith(ROOT) and name not in side.property_names
    ]
    if side.takes_files:
        wrong += _texts_for_files(contract.validator.outline.place, human)
    if wrong:
        return Failure(value=None, issues=tuple(wrong))
    return function.merge(llm=llm) if separated is None else separated.merge(llm, human)


def wants_file(schema: JsonSchema | bool) -> bool:
    """True if a schema describes a file, raw or encoded, and allows no other text."""
    return isinstance(schema, dict) and _texts_are_files(schema) is True


def is_binary(schema: JsonSchema | bool) -> bool:
    """True if a schema describes bytes, raw or encoded."""
    return wants_file(schema) or (isinstance(schema, dict) and schema.get("format") == "byte")


def _texts_are_files(schema: JsonSchema) -> bool | None:
    """Return whether a text that this schema allows is a file; `None` if it allows no text."""
    if is_upload(schema):
        return True
    for keyword in (*UNIONS, "allOf"):
        schemas = [each for each in schemas_of(schema.get(keyword)) if isinstance(each, dict)]
        found = list(map(_texts_are_files, schemas))
        if True in found:
            return keyword == "allOf" or False not in found
    types = schema.get("type")
    types = types if isinstance(types, list) else [types]
    return None if "string" not in types and None not in types else False


def leaves(value: JsonValue) -> Iterator[tuple[Keys, JsonValue]]:
    """Yield the values in a value that hold no other values, with their keys."""
    left: list[tuple[Keys, JsonValue]] = [((), value)]
    for keys, inner in left:  # grows while it is read
        if isinstance(inner, dict) and inner:
            left += [((*keys, key), held) for key, held in inner.items()]
        elif isinstance(inner, list) and inner:
            left += [((*keys, n), held) for n, held in enumerate(inner)]
        else:
            yield keys, inner


def _texts_for_files(root: Place, human: JsonValue) -> Iterator[Issue]:
    for keys, text in leaves(human):
        if not isinstance(text, str) or isinstance(text, File):
            continue
        place = root
        for key in keys:
            place = place.possible.inside(key)
        parts = [part.rules for part in place.possible.parts]
        files = [part for part in parts if is_upload(part)]
        takes_text = any(_texts_are_files(part) is False and "type" in part for part in parts)
        if files and not takes_text and not any(_is_encoded(text, part) for part in files):
            yield side_issue("human", keys, _FILE)


_FILE = "a file, as `File(path.read_bytes(), filename=path.name)`, bytes or an upload, not a text"


def _is_encoded(text: str, schema: JsonSchema) -> bool:
    encoding = schema.get("contentEncoding")
    try:
        if encoding == "base64url":
            return bool(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        return encoding == "base64" and bool(b64decode(text, validate=True))
    except ValueError:
        return False


_KEYS = frozenset({"content", "content_type", "encoding", "filename"})


def _uploaded(upload: object) -> object:
    """Return the file of bytes, of a mapping with bytes or of an upload, or else the value."""
    held = cast("JsonValue", upload)
    has_bytes = isinstance(held, dict) and isinstance(held.get("content"), bytes | bytearray)
    if has_bytes or isinstance(held, bytes | bytearray):
        with suppress(UnsendableError):  # the schema refuses it
            return file_of(held) or held
        return held
    blocking = getattr(upload, "file", None)  # of an `UploadFile`, whose own `read` is asynchronous
    source: object = blocking if callable(getattr(blocking, "read", None)) else upload
    read: object = getattr(source, "read", None)
    if not callable(read):
        return upload
    try:
        rewind: object = getattr(source, "seek", None)
        if callable(rewind):
            rewind(0)
        content = cast("Callable[[], object]", read)()
    except Exception as error:  # the upload may be closed, and may raise anything
        log_raised("human", "reading an upload", error)
        return upload
    if isinstance(content, str):
        return content
    if iscoroutine(content):
        content.close()
    if not isinstance(content, bytes):
        return upload
    name = getattr(upload, "filename", None) or getattr(upload, "name", None)
    kind = getattr(upload, "content_type", None)
    return File(
        content,
        name.replace("\\", "/").rpartition("/")[2] if isinstance(name, str) else None,
        kind if isinstance(kind, str) else None,
    )


def _bytes(content: JsonValue, encoding: JsonValue) -> bytes:
    if isinstance(content, bytes | bytearray):
        return bytes(content)
    if not isinstance(content, str) or encoding not in (None, "base64"):
        raise UnsendableError('bytes, or text with `"encoding": "base64"` beside it', ("content",))
    try:
        return b64decode(content, validate=True) if encoding else content.encode()
    except ValueError:
        wanted = "base64" if encoding else "valid Unicode, without lone surrogates"
        raise UnsendableError(f"text that is {wanted}", ("content",)) from None


def _text(value: JsonValue, key: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise UnsendableError("text", (key,))
