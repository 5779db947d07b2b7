"""Form bodies: `application/x-www-form-urlencoded`, and what multipart shares with it."""

from collections.abc import Iterator, Mapping

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.execution.person.uploads import file_of
from pyfunctools.execution.request.media_types import first_of, is_json, media_type
from pyfunctools.execution.request.styles import (
    Encode,
    Pairs,
    form,
    json_text,
    pairs,
    percent_reserved,
    plain,
    scalar,
    written,
)
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.route import Encoding
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
    """Yield what is written on its own: each item of an array, or the value; nulls are left out."""
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
    chosen = first_of(rule.content_type) if rule.content_type else None
    if chosen is not None and is_json(media_type(chosen)):
        return json_text(value)
    file = file_of(value, schema)
    if file is None:
        return scalar(value)
    spelled = file.spelled(schema)
    return str(file) if spelled is file.content else spelled.decode("ascii")
