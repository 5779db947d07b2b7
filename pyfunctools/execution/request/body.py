"""The body of a request: JSON, forms, multipart (RFC 7578), text and bytes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from secrets import token_hex

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.execution.person.uploads import file_of, is_binary, wants_file
from pyfunctools.execution.request.styles import (
    TOKEN,
    Encode,
    Pairs,
    form,
    is_field_value,
    json_text,
    pairs,
    percent_reserved,
    plain,
    scalar,
    written,
)
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.media_types import (
    charset_of,
    codec_of,
    first_concrete_media,
    is_json_media,
    is_xml_media,
    media_type_of,
)
from pyfunctools.record.file import File
from pyfunctools.route import Body, Encoding
from pyfunctools.schema.outline.json_types import schemas_of
from pyfunctools.schema.vocabulary import UNIONS

PLAIN = Encoding()
"""The encoding of a property about which the document says nothing."""


def form_text(
    value: JsonValue, encoding: Mapping[str, Encoding], schema: JsonSchema | bool, *, deep: bool
) -> str:
    """Return an object as form text, in its own order; null properties are left out.

    Text stands as it is, other scalars and objects as JSON, files as base64, arrays item by item
    under one name, unless the encoding names a style or JSON. Style `simple` is what Swagger 2.0
    calls `csv`: the items joined by commas, and then encoded as one text.

    Raises:
        UnsendableError: the value is no object, or something in it cannot be written.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        raise UnsendableError("an object, whose properties are the fields of the form")
    found: Pairs = []
    for name, inner in value.items():
        rule = encoding.get(name, PLAIN)
        below = property_of(schema, name)
        try:
            if is_styled(rule):
                encode = percent_reserved if rule.allow_reserved else form
                found += styled(name, inner, rule, encode, form, deep=deep)
            else:
                found += [(form(name), form(_field(i, rule, s))) for i, s in items(inner, below)]
        except UnsendableError as error:
            raise UnsendableError(error.expected, (name, *error.keys)) from None
    return "&".join(map("=".join, found))


def is_styled(rule: Encoding) -> bool:
    """Return whether a property is written by its style, and its media type says nothing."""
    return rule.style is not None or rule.explode is not None or rule.allow_reserved


def styled(
    name: str, value: JsonValue, rule: Encoding, encode: Encode, name_encode: Encode, *, deep: bool
) -> Pairs:
    """Return the fields of a property that is written by its style."""
    style = rule.style or "form"
    if style == "simple":
        text = written(name, value, "simple", False, plain)
        return [] if text is None else [(name_encode(name), encode(text))]
    explode = (style == "form") if rule.explode is None else rule.explode
    return pairs(name, value, style, explode, encode, name_encode=name_encode, deep=deep)


def items(
    value: JsonValue, schema: JsonSchema | bool
) -> Iterator[tuple[JsonValue, JsonSchema | bool]]:
    """Yield each item of an array, or the value itself, with its schema; nulls are left out."""
    if isinstance(value, list | tuple):
        branches = [branch for keyword in UNIONS for branch in schemas_of(_under(schema, keyword))]
        held = (_under(each, "items") for each in (schema, *branches))
        below = next((each for each in held if each is not None), True)
        inner = below if isinstance(below, dict | bool) else True
        yield from ((item, inner) for item in value if item is not None)
    elif value is not None:
        yield value, schema


def _under(schema: JsonSchema | bool, keyword: str) -> JsonValue:
    return schema.get(keyword) if isinstance(schema, dict) else None


def property_of(schema: JsonSchema | bool, name: str) -> JsonSchema | bool:
    """Return the schema of a property as far as it stands there, else `True`."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    found = properties.get(name, True) if isinstance(properties, dict) else True
    return found if isinstance(found, dict | bool) else True


def _field(value: JsonValue, rule: Encoding, schema: JsonSchema | bool) -> str:
    chosen = first_concrete_media(rule.content_type) if rule.content_type else None
    if chosen is not None and is_json_media(media_type_of(chosen)):
        return json_text(value)
    file = file_of(value, schema)
    if file is None:
        return scalar(value)
    spelled = file.spelled(schema)
    return str(file) if spelled is file.content else spelled.decode("ascii")


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPart:
    """One part of a multipart body."""

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
) -> Iterator[FormPart]:
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
                    yield FormPart(name=key, content=text.encode(), headers=rule.headers)
            else:
                for item, below in items(inner, property_of(schema, name)):
                    yield _part(name, item, rule, below)
        except UnsendableError as error:
            raise UnsendableError(error.expected, (name, *error.keys)) from None


def _is_file(value: JsonValue, schema: JsonSchema | bool) -> bool:
    """Return whether a property holds a file: some frameworks give every property a style."""
    return any(is_binary(below) or file_of(item, below) for item, below in items(value, schema))


def _part(
    name: str | None, value: JsonValue, rule: Encoding, schema: JsonSchema | bool
) -> FormPart:
    named = first_concrete_media(rule.content_type) if rule.content_type else None
    file = file_of(value, schema)
    if file is not None:
        content = file.spelled(schema)
        is_raw = content is file.content
        filename = file.filename or (name if is_raw or wants_file(schema) else None)
        content_type = file.content_type or named or "application/octet-stream"
    else:
        filename = name if wants_file(schema) and not isinstance(value, dict | list) else None
        content_type = named or _default(value, schema)
        json = is_json_media(media_type_of(content_type))
        content = (json_text(value) if json else scalar(value)).encode()
    return FormPart(
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


def _head(part: FormPart) -> bytes:
    lines: dict[str, str] = {}
    if part.name is not None:
        shown = f'form-data; name="{_escaped(part.name)}"'
        if part.filename is not None:
            shown += f'; filename="{_escaped(part.filename)}"'
        lines["Content-Disposition"] = shown
    if part.content_type is not None:
        if not is_field_value(part.content_type):
            raise UnsendableError("a media type in visible ASCII", ("content_type",))
        lines["Content-Type"] = part.content_type
    taken = {name.lower() for name in lines}
    lines |= {
        name: text
        for name, text in part.headers.items()
        if name.lower() not in taken and TOKEN.fullmatch(name) and is_field_value(text)
    }
    return "".join(f"{name}: {text}\r\n" for name, text in lines.items()).encode()


def _escaped(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedBody:
    """What is sent as a body: its bytes, and the media type they are sent under."""

    content_type: str
    content: bytes


def encoded(
    body: Body, value: JsonValue, *, boundary: str | None = None, deep: bool = False
) -> EncodedBody | None:
    """Return the body for a value, or `None` where there is nothing to send.

    Null is a body only in JSON. What has no rules of its own (plain text, XML, an image) is sent as
    it is where it is text or bytes; a value that is neither is written as JSON text, but not under
    XML. A file given with its media type is sent under that one where the document names a range.
    `boundary` is where the search for a multipart boundary starts, else 128 random bits.

    Raises:
        UnsendableError: the value cannot be written in this media type.
    """
    media = media_type_of(body.content_type)
    try:
        if is_json_media(media):
            return EncodedBody(content_type=body.content_type, content=json_text(value).encode())
        if value is None:
            return None
        if media == "application/x-www-form-urlencoded":
            text = form_text(value, body.encoding, body.schema, deep=deep)
            return EncodedBody(content_type=body.content_type, content=text.encode())
        if media.startswith("multipart/"):
            chosen, content = multipart(
                value, body.encoding, body.schema, boundary=boundary, deep=deep
            )
            return EncodedBody(
                content_type=f"{_multipart(media)}; boundary={chosen}", content=content
            )
        file = file_of(value, body.schema)
        return _text(body, value, media) if file is None else _bytes(body, file, media)
    except UnicodeEncodeError:
        raise UnsendableError("text that is valid Unicode, without lone surrogates") from None


def _multipart(media: str) -> str:
    return "multipart/form-data" if "*" in media else media


def _bytes(body: Body, file: File, media: str) -> EncodedBody:
    given = body.content_type
    if "*" in media or media == "application/octet-stream":
        given = file.content_type or ("application/octet-stream" if "*" in media else given)
        if not given or not is_field_value(given):
            raise UnsendableError("a media type in visible ASCII", ("content_type",))
    return EncodedBody(content_type=given, content=file.spelled(body.schema))


def _text(body: Body, value: JsonValue, media: str) -> EncodedBody:
    if is_xml_media(media) and not isinstance(value, str):
        raise UnsendableError("the XML, as text")
    text = scalar(value)
    codec = codec_of(body.content_type)
    if codec is None:
        raise UnsendableError("no body: its charset is unknown")
    if "*" in media:
        is_string = isinstance(value, str)
        given = "text/plain; charset=utf-8" if is_string else "application/json"
    elif media.startswith("text/") and not charset_of(body.content_type) and not text.isascii():
        given = f"{body.content_type}; charset=utf-8"
    else:
        given = body.content_type
    try:
        return EncodedBody(content_type=given, content=text.encode(codec))
    except UnicodeEncodeError:
        raise UnsendableError(f"text that {codec} can say") from None
