"""The body of a request: JSON, forms, multipart (RFC 7578), text and bytes."""

from collections.abc import Iterator, Mapping
from secrets import token_hex
from typing import NamedTuple

from pyfunctools._json import JsonSchema, JsonValue, text_of
from pyfunctools.execution.person.uploads import file_of, is_binary, wants_file
from pyfunctools.execution.request.styles import (
    NOT_UNICODE,
    TOKEN,
    Pairs,
    checked_name,
    form_encoded,
    json_text,
    percent_reserved,
    scalar_text,
    styled_pairs,
    unencoded,
)
from pyfunctools.execution.steps import UnsendableError
from pyfunctools.media_types import (
    charset_of,
    codec_of,
    first_concrete_media,
    is_json_media,
    is_xml_media,
    sequence_kind,
    without_parameters,
)
from pyfunctools.record.file import File
from pyfunctools.route import ITEMS, Body, Encoding, Parameter, is_field_value
from pyfunctools.schema.outline.json_types import schemas_of
from pyfunctools.schema.vocabulary import UNIONS

NO_ENCODING = Encoding()
"""The encoding of a property for which the document has no encoding."""


class EncodedBody(NamedTuple):
    """The body of a request: its media type, and its bytes."""

    content_type: str
    content: bytes


def encoded_body(body: Body, value: JsonValue, *, deep: bool = False) -> EncodedBody | None:
    """Return the body for a value, or `None` if there is nothing to send.

    Null is sent only as JSON. In a media type without special rules (plain text, XML, an image)
    text and bytes are sent unchanged; any other value is written as JSON, but not under XML. If the
    document has a range such as `image/*`, a file is sent under its own media type.

    Raises:
        UnsendableError: the value cannot be written in this media type.
    """
    media = without_parameters(body.content_type)
    try:
        if value is None and not is_json_media(media):
            return None
        if media == "application/x-www-form-urlencoded":
            text = form_text(value, body.encoding, body.schema, deep=deep)
            return EncodedBody(body.content_type, text.encode())
        if media.startswith("multipart/"):
            boundary = token_hex(16)  # 128 random bits, which no part contains
            content = _multipart(body, value, boundary.encode(), deep)
            media = "multipart/form-data" if "*" in media else media
            return EncodedBody(f"{media}; boundary={boundary}", content)
        file = None if is_json_media(media) else file_of(value, body.schema)
        return _text(body, value, media) if file is None else _bytes(body, file, media)
    except UnicodeEncodeError:
        raise UnsendableError(NOT_UNICODE) from None


def _bytes(body: Body, file: File, media: str) -> EncodedBody:
    content_type = body.content_type
    if "*" in media or media == "application/octet-stream":
        default = "application/octet-stream" if "*" in media else content_type
        content_type = _checked_media_type(file.content_type or default)
    return EncodedBody(content_type, file.spelled(body.schema))


def _text(body: Body, value: JsonValue, media: str) -> EncodedBody:
    if is_xml_media(media) and not isinstance(value, str):
        raise UnsendableError("the XML, as text")
    content_type, is_json = body.content_type, is_json_media(media)
    # In ASCII any JSON can be written, and nearly every charset begins with it.
    codec = codec_of(content_type) or ("ascii" if is_json else None)
    if codec is None:
        raise UnsendableError("no body: its charset is unknown")
    text = json_text(value, ascii_only=codec != "utf-8") if is_json else scalar_text(value)
    if isinstance(value, list) and sequence_kind(media) == "lines":
        begin = "\x1e" if media.endswith("json-seq") else ""
        text = "".join(f"{begin}{json_text(item)}\n" for item in value)
    if "*" in media:
        is_string = isinstance(value, str)
        content_type = "text/plain; charset=utf-8" if is_string else "application/json"
    elif media.startswith("text/") and not charset_of(content_type) and not text.isascii():
        content_type = f"{content_type}; charset=utf-8"
    try:
        return EncodedBody(content_type, text.encode(codec))
    except UnicodeEncodeError:
        raise UnsendableError(f"text that {codec} can encode") from None


def _checked_media_type(content_type: str) -> str:
    if not is_field_value(content_type):
        raise UnsendableError("a media type in visible ASCII", ("content_type",))
    return content_type


def form_text(
    value: JsonValue, encoding: Mapping[str, Encoding], schema: JsonSchema | bool, *, deep: bool
) -> str:
    """Return an object as form text, in its own order; a text is form text already.

    Properties that are null are left out. Text is written unchanged, other scalars and objects as
    JSON, files as base64, and arrays item by item under one name, unless the encoding names a style
    or JSON. Style `simple` is `csv` of Swagger 2.0: the items are joined by commas, and then
    encoded as one text.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        raise UnsendableError("an object, whose properties are the fields of the form")
    found: Pairs = []
    for name, inner in value.items():
        rule = encoding.get(checked_name(name), NO_ENCODING)
        declared = _property_schema(schema, name)
        try:
            if is_styled(rule):
                encode = percent_reserved if rule.allow_reserved else form_encoded
                field = form_parameter(name, rule, schema=declared)
                before, after = (
                    (unencoded, encode) if field.style == "simple" else (encode, unencoded)
                )
                pairs = styled_pairs(field, inner, before, encode_name=form_encoded, deep=deep)
                found += [(part, after(text)) for part, text in pairs]
                continue
            for item, below in _items(inner, declared):
                found.append((form_encoded(name), form_encoded(_field(item, rule, below))))
        except UnsendableError as error:
            raise UnsendableError(error.expected, (name, *error.keys)) from None
    return "&".join(map("=".join, found))


def is_styled(rule: Encoding) -> bool:
    """Return whether a property is written by its style; its media type is then ignored."""
    return rule.style is not None or rule.explode is not None or rule.allow_reserved


def form_parameter(
    name: str, rule: Encoding, keys: tuple[str, ...] = (), schema: JsonSchema | bool = True
) -> Parameter:
    """Return a property of a form as a parameter; `keys` lead to the form."""
    style = rule.style or "form"
    return Parameter(
        name=name,
        location="query",
        argument=(*keys, name),
        style=style,
        explode=(style == "form" if rule.explode is None else rule.explode) and style != "simple",
        content_type=None if is_styled(rule) else "text/plain",
        schema=schema,
    )


def _items(
    value: JsonValue, schema: JsonSchema | bool
) -> Iterator[tuple[JsonValue, JsonSchema | bool]]:
    """Yield each item of an array, or the value itself, with its schema; nulls are left out."""
    if isinstance(value, list):
        branches = [branch for keyword in UNIONS for branch in schemas_of(_under(schema, keyword))]
        inner = (_under(each, "items") for each in (schema, *branches))
        below = next(iter(schemas_of([each for each in inner if each is not None])), True)
        yield from ((item, below) for item in value if item is not None)
    elif value is not None:
        yield value, schema


def _under(schema: JsonValue, keyword: str) -> JsonValue:
    return schema.get(keyword) if isinstance(schema, dict) else None


def _property_schema(schema: JsonSchema | bool, name: str) -> JsonSchema | bool:
    """Return the schema of a property, or `True` if this schema itself does not declare it."""
    found = _under(_under(schema, "properties"), name)
    return found if isinstance(found, dict | bool) else True


def _field(value: JsonValue, rule: Encoding, schema: JsonSchema | bool) -> str:
    media = first_concrete_media(rule.content_type or "")
    if media is not None and is_json_media(media):
        return json_text(value)
    file = file_of(value, schema)
    if file is None:
        return scalar_text(value)
    content = file.spelled(schema)
    return str(file) if content is file.content else content.decode("ascii")


def _multipart(body: Body, value: JsonValue, boundary: bytes, deep: bool) -> bytes:
    """Return the multipart body of an object or array.

    Each property is a part; each item of an array is a separate part under the same name. If the
    whole value is an array, its parts have no names. Nulls are left out. A file without a name is
    sent under the name of its property, because servers read a part without a file name as text.
    """
    mark = b"--" + boundary
    whole = [b"\r\n".join((mark, *part, b"")) for part in _parts(body, value, deep)]
    return b"".join((*whole, mark, b"--\r\n"))


def _parts(body: Body, value: JsonValue, deep: bool) -> Iterator[tuple[bytes, bytes]]:
    """Yield the head of each part, and its content."""
    if not isinstance(value, dict | list):
        raise UnsendableError("an object, whose properties are the parts")
    rest = body.encoding.get(ITEMS, NO_ENCODING) if isinstance(value, list) else NO_ENCODING
    for key, inner in enumerate(value) if isinstance(value, list) else value.items():
        name = None if isinstance(key, int) else checked_name(key)
        rule = body.encoding.get(str(key), rest)
        schema = body.schema if name is None else _property_schema(body.schema, name)
        items = list(_items([inner] if name is None else inner, schema))
        try:
            # Some frameworks name a style for every property, also for a file.
            is_plain = not any(is_binary(s) or file_of(item, s) for item, s in items)
            if name is not None and is_styled(rule) and is_plain:
                field = form_parameter(name, rule, schema=schema)
                pairs = styled_pairs(field, inner, unencoded, encode_name=unencoded, deep=deep)
                for part, text in pairs:
                    yield _head(part, rule), text.encode()
            else:
                for item, below in items:
                    yield _part(name, item, rule, below)
        except UnsendableError as error:
            raise UnsendableError(error.expected, (key, *error.keys)) from None


def _part(
    name: str | None, value: JsonValue, rule: Encoding, schema: JsonSchema | bool
) -> tuple[bytes, bytes]:
    """Return a part, which is a body of its own, with its own media type and encoding."""
    media = first_concrete_media(rule.content_type or "")
    file = file_of(value, schema)
    if file is not None:
        content = file.spelled(schema)
        is_raw = content is file.content
        filename = file.filename or (name if is_raw or wants_file(schema) else None)
        media = media or first_concrete_media(text_of(_under(schema, "contentMediaType")))
        media = file.content_type or media or "application/octet-stream"
        return _head(name, rule, media, filename), content
    is_scalar = not isinstance(value, dict | list)
    if media is None:
        default = "application/octet-stream" if is_binary(schema) else "text/plain"
        media = default if is_scalar else "application/json"
    body = Body(content_type=media, encoding=rule.encoding, schema=schema)
    found = encoded_body(body, value) or EncodedBody(media, b"")
    media = found.content_type if media.startswith("multipart/") else media  # with its boundary
    filename = name if is_scalar and wants_file(schema) else None
    return _head(name, rule, media, filename), found.content


def _head(
    name: str | None, rule: Encoding, media: str | None = None, filename: str | None = None
) -> bytes:
    lines: dict[str, str] = {}
    if name is not None:
        disposition = f'form-data; name="{_escaped(name)}"'
        if filename is not None:
            disposition += f'; filename="{_escaped(filename)}"'
        lines["Content-Disposition"] = disposition
    if media is not None:
        lines["Content-Type"] = _checked_media_type(media)
    taken = {name.lower() for name in lines}
    lines |= {
        name: text
        for name, text in rule.headers.items()
        if name.lower() not in taken and TOKEN.fullmatch(name) and is_field_value(text)
    }
    return "".join(f"{name}: {text}\r\n" for name, text in lines.items()).encode()


def _escaped(name: str) -> str:
    """Return a name in quotes as HTML 5 writes it."""
    if "\0" in name:
        raise UnsendableError("a file name without NUL", ("filename",))
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
