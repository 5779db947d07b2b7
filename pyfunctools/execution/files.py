"""A file in the arguments: the forms a program may give it in, and nothing that opens one."""

from base64 import b64decode

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.execution.style import UnsendableError
from pyfunctools.file import File


def file_of(value: JsonValue, schema: JsonSchema | bool = True) -> File | None:
    """Give the file that a value stands for, or `None` where it is an ordinary value.

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


def with_files(value: JsonValue) -> JsonValue:
    """Give a value in which bytes, and mappings whose `content` is bytes, are `File`s.

    So a schema that wants a text there takes them. What holds none is given back as it is, and so
    is what is nested without end, which the schema refuses.
    """
    try:
        return _with_files(value)
    except RecursionError:
        return value


def is_binary(schema: JsonSchema | bool) -> bool:
    """Say whether a schema wants bytes, raw or encoded."""
    if not isinstance(schema, dict):
        return False
    return schema.get("format") in ("binary", "byte") or "contentEncoding" in schema


_KEYS = frozenset({"content", "content_type", "encoding", "filename"})


def _with_files(value: JsonValue) -> JsonValue:
    if isinstance(value, bytes | bytearray):
        return File(bytes(value))
    if isinstance(value, list):
        items = [_with_files(item) for item in value]
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else items
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("content"), bytes | bytearray):
        try:
            return file_of(value) or value
        except UnsendableError:  # the schema is the one that says what is wrong with it
            return value
    members = {key: _with_files(inner) for key, inner in value.items()}
    return value if all(members[key] is value[key] for key in value) else members


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
