"""A file in the arguments: the forms a program may give it in, and nothing that opens one."""

from base64 import b64decode, urlsafe_b64decode
from collections.abc import Callable, Iterator
from inspect import iscoroutine
from typing import cast

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.record.file import File
from pyfunctools.record.function import Function, contract_of
from pyfunctools.schema import Failure, Issue, Path, Success
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.outline.json_types import schemas_of
from pyfunctools.schema.separation.predicates import is_upload
from pyfunctools.schema.vocabulary import UNIONS


def file_of(value: JsonValue, schema: JsonSchema | bool = True) -> File | None:
    """Return the file that a value stands for, or `None` where it is an ordinary value.

    A file is a `File`, `bytes`, or a mapping of `content` with `filename` and `content_type` where
    they are known. The content is bytes, or text; `"encoding": "base64"` says that the text is the
    base64 of the bytes. A mapping whose content is text is a file only where the schema does not
    want an object. A text alone never names a file: it is sent as it is.

    Raises:
        UnsendableError: the content is neither bytes nor text, or the base64 is none.
    """
    if isinstance(value, File):
        return value
    if isinstance(value, bytes | bytearray):
        return File(bytes(value))
    if not isinstance(value, dict) or "content" not in value or not value.keys() <= _KEYS:
        return None
    content = value["content"]
    if isinstance(content, str) and _takes_object(schema):
        return None
    return File(
        _bytes(content, value.get("encoding")),
        _text(value.get("filename"), "filename"),
        _text(value.get("content_type"), "content_type"),
    )


def with_files(value: object) -> JsonValue:
    """Return a value in which bytes, uploads, and mappings of `content` as bytes are `File`s.

    An upload is an open file, or what a web framework hands over: it has `read`. So a schema that
    wants a text there takes them. What holds none is returned as it is, and so is what is nested
    without end, or cannot be read, which the schema refuses.
    """
    try:
        return _with_files(cast("JsonValue", value))
    except RecursionError:
        return cast("JsonValue", value)


def merged(function: Function, llm: JsonValue, human: JsonValue) -> Success[JsonValue] | Failure:
    """Return the arguments of both, as `Function.merge`; a text is no file of a person's.

    It would be uploaded as its own content, and was most often meant as a path.
    """
    if contract_of(function).human_side.value.takes_files:
        wrong = tuple(_texts_for_files(function, human))
        if wrong:
            return Failure(value=None, issues=wrong)
    return function.merge(llm=llm, human=human)


def wants_file(schema: JsonSchema | bool) -> bool:
    """True if a schema wants a file, raw or encoded, and takes no other text."""
    return isinstance(schema, dict) and _judged(schema) is True


def is_binary(schema: JsonSchema | bool) -> bool:
    """True if a schema wants bytes, raw or encoded."""
    return wants_file(schema) or (isinstance(schema, dict) and schema.get("format") == "byte")


def _judged(schema: JsonSchema) -> bool | None:
    """Return whether a text is a file here; `None` where no text is taken."""
    if is_upload(schema):
        return True
    for keyword in (*UNIONS, "allOf"):
        found = [
            _judged(each) for each in schemas_of(schema.get(keyword)) if isinstance(each, dict)
        ]
        if True in found:
            return keyword == "allOf" or False not in found
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return None if "string" not in kinds and None not in kinds else False


def _texts_for_files(function: Function, human: JsonValue) -> Iterator[Issue]:
    """Return an issue for each text that stands where a file is wanted."""
    texts: list[tuple[Keys, str]] = []
    todo: list[tuple[Keys, JsonValue]] = [((), human)]
    for keys, value in todo:  # grows while it is read
        if isinstance(value, dict):
            todo += [((*keys, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            todo += [((*keys, index), inner) for index, inner in enumerate(value)]
        elif isinstance(value, str) and not isinstance(value, File):
            texts.append((keys, value))
    for keys, text in texts:
        place = contract_of(function).validator.outline.place
        for key in keys:
            place = place.possible.inside(key)
        parts = [part.rules for part in place.possible.parts]
        files = [part for part in parts if is_upload(part)]
        is_other = any(_judged(part) is False and "type" in part for part in parts)
        if files and not is_other and not any(_is_encoded(text, part) for part in files):
            path = Path.of(keys)
            message = f"{path}: expected {_FILE}."
            yield Issue(path=path, expected=_FILE, value=None, message=message, side="human")


_FILE = "a file, as `File(path.read_bytes(), filename=path.name)`, bytes or an upload, not a text"


def _is_encoded(text: str, schema: JsonSchema) -> bool:
    """True if a schema wants base64, and the text is some."""
    decode = {"base64": _base64, "base64url": _base64url}.get(str(schema.get("contentEncoding")))
    try:
        return decode is not None and bool(decode(text))
    except ValueError:
        return False


def _base64(text: str) -> bytes:
    return b64decode(text, validate=True)


def _base64url(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


_KEYS = frozenset({"content", "content_type", "encoding", "filename"})


def _with_files(value: JsonValue) -> JsonValue:
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return File(bytes(value))
    if isinstance(value, list):
        items = [_with_files(item) for item in value]
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else items
    if not isinstance(value, dict):
        return _uploaded(value)
    if isinstance(value.get("content"), bytes | bytearray):
        try:
            return file_of(value) or value
        except UnsendableError:  # the schema is the one that says what is wrong with it
            return value
    members = {key: _with_files(inner) for key, inner in value.items()}
    return value if all(members[key] is value[key] for key in value) else members


_SCALARS = (str, int, float, type(None))


def _uploaded(upload: object) -> JsonValue:
    """Return the file that an upload holds; the upload itself where it cannot be read."""
    held = getattr(upload, "file", None)  # what reads an `UploadFile` without awaiting
    source: object = held if callable(getattr(held, "read", None)) else upload
    read: object = getattr(source, "read", None)
    if not callable(read):
        return cast("JsonValue", upload)
    try:
        rewind: object = getattr(source, "seek", None)
        if callable(rewind):
            rewind(0)
        content = cast("Callable[[], object]", read)()
    except Exception:  # it is somebody else's object, and may be closed
        return cast("JsonValue", upload)
    if iscoroutine(content):
        content.close()
        return cast("JsonValue", upload)
    if not isinstance(content, bytes):
        return content if isinstance(content, str) else cast("JsonValue", upload)
    name = getattr(upload, "filename", None) or getattr(upload, "name", None)
    kind = getattr(upload, "content_type", None)
    return File(
        content,
        name.replace("\\", "/").rpartition("/")[2] if isinstance(name, str) else None,
        kind if isinstance(kind, str) else None,
    )


def _takes_object(schema: JsonSchema | bool) -> bool:
    return isinstance(schema, dict) and ("properties" in schema or schema.get("type") == "object")


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
