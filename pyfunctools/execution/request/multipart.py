"""Multipart bodies (RFC 7578; the names are escaped as WHATWG HTML, section 4.10.21.8, says)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from secrets import token_hex

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.execution.person.uploads import file_of, is_binary, wants_file
from pyfunctools.execution.request.forms import PLAIN, is_styled, items, property_of, styled
from pyfunctools.execution.request.media_types import first_of, is_json, media_type
from pyfunctools.execution.request.styles import json_text, plain, scalar
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.route import Encoding


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part: its name and file name where it has them, and what it holds."""

    name: str | None
    content: bytes
    content_type: str | None = None
    filename: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def multipart(
    value: JsonValue,
    encoding: Mapping[str, Encoding],
    schema: JsonSchema | bool,
    *,
    boundary: str | None = None,
    deep: bool = False,
) -> tuple[str, bytes]:
    """Return the boundary and the body for an object, or for an array of nameless parts.

    Each property is a part, each item of an array one of its own under the same name, nulls are
    left out. A file without a name is sent under the name of its property, because servers read a
    part without a file name as text. The boundary stands in no part.

    Raises:
        UnsendableError: the value is no object or array, or something in it cannot be written.
    """
    parts = list(_parts(value, encoding, schema, deep))
    chosen = boundary or token_hex(16)
    while any(chosen.encode() in part.content for part in parts):
        chosen += token_hex(4)
    lines: list[bytes] = []
    for part in parts:
        lines += [b"--", chosen.encode(), b"\r\n", _head(part), b"\r\n", part.content, b"\r\n"]
    return chosen, b"".join((*lines, b"--", chosen.encode(), b"--\r\n"))


def _parts(
    value: JsonValue, encoding: Mapping[str, Encoding], schema: JsonSchema | bool, deep: bool
) -> Iterator[Part]:
    if isinstance(value, list):
        for item, below in items(value, schema):
            yield _part(None, item, PLAIN, below)
        return
    if not isinstance(value, dict):
        raise UnsendableError("an object, whose properties are the parts")
    for name, inner in value.items():
        rule = encoding.get(name, PLAIN)
        try:
            if is_styled(rule) and not _is_file(inner, property_of(schema, name)):
                for key, text in styled(name, inner, rule, plain, plain, deep=deep):
                    yield Part(name=key, content=text.encode(), headers=rule.headers)
            else:
                for item, below in items(inner, property_of(schema, name)):
                    yield _part(name, item, rule, below)
        except UnsendableError as error:
            raise UnsendableError(error.expected, (name, *error.keys)) from None


def _is_file(value: JsonValue, schema: JsonSchema | bool) -> bool:
    """Return whether a property holds a file: some frameworks give every property a style."""
    return any(is_binary(below) or file_of(item, below) for item, below in items(value, schema))


def _part(name: str | None, value: JsonValue, rule: Encoding, schema: JsonSchema | bool) -> Part:
    named = first_of(rule.content_type) if rule.content_type else None
    file = file_of(value, schema)
    if file is not None:
        content = file.spelled(schema)
        is_raw = content is file.content
        filename = file.filename or (name if is_raw or wants_file(schema) else None)
        content_type = file.content_type or named or "application/octet-stream"
    else:
        filename = name if wants_file(schema) and not isinstance(value, dict | list) else None
        content_type = named or _default(value, schema)
        json = is_json(media_type(content_type))
        content = (json_text(value) if json else scalar(value)).encode()
    return Part(
        name=name,
        content=content,
        content_type=content_type,
        filename=filename,
        headers=rule.headers,
    )


def _default(value: JsonValue, schema: JsonSchema | bool) -> str:
    if isinstance(value, dict | list):
        return "application/json"
    return "application/octet-stream" if is_binary(schema) else "text/plain"


def _head(part: Part) -> bytes:
    lines: dict[str, str] = {}
    if part.name is not None:
        shown = f'form-data; name="{_escaped(part.name)}"'
        if part.filename is not None:
            shown += f'; filename="{_escaped(part.filename)}"'
        lines["Content-Disposition"] = shown
    if part.content_type is not None:
        if not _VISIBLE.fullmatch(part.content_type):
            raise UnsendableError("a media type in visible ASCII", ("content_type",))
        lines["Content-Type"] = part.content_type
    taken = {name.lower() for name in lines}
    lines |= {
        name: text
        for name, text in part.headers.items()
        if name.lower() not in taken and _TOKEN.fullmatch(name) and _VISIBLE.fullmatch(text)
    }
    return "".join(f"{name}: {text}\r\n" for name, text in lines.items()).encode()


def _escaped(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VISIBLE = re.compile(r"[\t\x20-\x7e]*")
