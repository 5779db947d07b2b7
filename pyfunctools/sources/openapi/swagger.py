"""Swagger 2.0 converted to OpenAPI 3: one parameter, body, response or scheme at a time.

Only changed keywords are copied; schemas stay the same objects. Documents of version 3 with parts
in the form of Swagger 2.0 are read with these functions too.
"""

from collections.abc import Iterator, Sequence

from pyfunctools._json import JsonObject, JsonValue, items_of, text_of
from pyfunctools.media_types import without_parameters
from pyfunctools.route import COLLECTION_STYLES
from pyfunctools.schema.vocabulary import HUMAN_MARKS
from pyfunctools.sources.openapi.document import DocumentPlace

BODY = "body"
FORM = "formData"

_URLENCODED = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"
_FORMS = frozenset({_MULTIPART, _URLENCODED})
_JSON = "application/json"

_PARAMETER_FIELDS = frozenset(
    {
        *("allowEmptyValue", "allowReserved", "collectionFormat", "deprecated", "description"),
        *("example", "examples", "explode", "in", "name", "required", "style", "x-example"),
    }
)
_FILE: JsonObject = {"type": "string", "format": "binary"}


def parameter(old: JsonObject) -> dict[str, JsonValue]:
    """Return a parameter outside the body with `schema`, `style` and `explode`."""
    new = {key: value for key, value in old.items() if key in _PARAMETER_FIELDS}
    new["schema"] = value_schema(old)
    if "x-example" in new:
        new.setdefault("example", new.pop("x-example"))
    if old.get("type") == "array" and "style" not in old:
        default = "form" if old.get("in") in ("query", "cookie", FORM) else "simple"
        new |= _encoding(old.get("collectionFormat"), default)
    return new


def value_schema(old: JsonObject) -> JsonObject:
    """Return the schema whose keywords are written directly in a parameter or header."""
    if old.get("type") == "file":
        rest = {key: old[key] for key in ("title", *HUMAN_MARKS) if key in old}
        return {**_FILE, **rest}
    new = {key: value for key, value in old.items() if key not in _PARAMETER_FIELDS}
    if "items" in new:
        new["items"] = _items(new["items"])
    return new


def _items(old: JsonValue) -> JsonValue:
    """Return the schema of items, with a `collectionFormat` for an array in an array."""
    if not isinstance(old, dict) or old.get("type") != "array":
        return old
    return {"collectionFormat": "csv", **old, "items": _items(old.get("items", True))}


def request_body(parameters: Sequence[DocumentPlace], consumes: Sequence[str]) -> JsonObject | None:
    """Return the request body that `body` and `formData` parameters describe.

    `None` if they contradict each other: two bodies, or a body and a form.
    """
    found = [place.value for place in parameters if isinstance(place.value, dict)]
    bodies = [value for value in found if value.get("in") == BODY]
    if bodies:
        return _body(found[0], consumes) if len(found) == 1 else None
    return _form(found, consumes)


def _body(old: JsonObject, consumes: Sequence[str]) -> JsonObject:
    schema = old["schema"] if "schema" in old else value_schema(old)
    media_types = [each for each in consumes if without_parameters(each) not in _FORMS]
    new: dict[str, JsonValue] = {
        "content": {media: {"schema": schema} for media in media_types or consumes or [_JSON]}
    }
    new |= {key: old[key] for key in ("description", "required", *HUMAN_MARKS) if key in old}
    return new


def _form(fields: Sequence[JsonObject], consumes: Sequence[str]) -> JsonObject:
    properties: dict[str, JsonValue] = {}
    required: list[JsonValue] = []
    encoding: dict[str, JsonValue] = {}
    for field in fields:
        name = str(field.get("name"))
        about = {"description": field["description"]} if "description" in field else {}
        properties[name] = {**value_schema(field), **about}
        if field.get("required") is True:
            required.append(name)
        if field.get("type") == "array":
            encoding[name] = _encoding(field.get("collectionFormat"))
    with_file = any(field.get("type") == "file" for field in fields)
    multipart = with_file or set(map(without_parameters, consumes)) & _FORMS == {_MULTIPART}
    # As of a query, all fields are listed: each is a parameter of its own.
    schema: dict[str, JsonValue] = {"type": "object", "properties": properties}
    schema["additionalProperties"] = False
    if required:
        schema["required"] = required
    media = {"schema": schema, "encoding": encoding}
    return {
        "required": bool(required),
        "content": {_MULTIPART if multipart else _URLENCODED: media},
    }


def _encoding(collection: JsonValue, default: str = "simple") -> JsonObject:
    # `simple` is csv here: the items joined by commas, and then encoded as one text.
    style = COLLECTION_STYLES.get(collection, default) if isinstance(collection, str) else default
    return {"style": style, "explode": collection == "multi"}


def content_of(response: JsonObject, produces: Sequence[str]) -> JsonObject:
    """Return the `content` of a response with a `schema`, else `{}`."""
    schema = response.get("schema")
    if not isinstance(schema, dict):
        return {}
    if schema.get("type") == "file":
        media_types = [media for media in produces if without_parameters(media) != _JSON]
        return {media: {"schema": _FILE} for media in media_types or ["application/octet-stream"]}
    return {media: {"schema": schema} for media in produces or [_JSON]}


def security_scheme(old: JsonObject) -> JsonObject:
    """Return a security definition as a security scheme."""
    if old.get("type") == "oauth2" and "flow" in old:
        flow = old["flow"] if isinstance(old["flow"], str) else ""
        return {**old, "flows": {_FLOWS.get(flow, flow): old}}
    return {**old, "type": "http", "scheme": "basic"} if old.get("type") == "basic" else old


_FLOWS = {"accessCode": "authorizationCode", "application": "clientCredentials"}


def servers(root: JsonObject, schemes: JsonValue) -> Iterator[JsonObject]:
    """Yield the servers from `schemes`, `host` and `basePath`; https before http."""
    host = text_of(root.get("host")).rpartition("://")[2].rstrip("/")
    path = f"/{text_of(root.get('basePath')).strip('/')}".rstrip("/")
    listed = items_of(schemes if isinstance(schemes, list) else root.get("schemes"))
    known = [str(scheme) for scheme in listed if scheme in ("https", "http")]
    for scheme in sorted(known, reverse=True) or ["https"] if host else ():
        yield {"url": f"{scheme}://{host}{path}"}
    if path and not host:
        yield {"url": path}


def media_types(operation: JsonObject, root: JsonObject, keyword: str) -> list[str]:
    """Return the media types under `consumes` or `produces` of an operation, else of the root."""
    for owner in (operation, root):
        listed = owner.get(keyword)
        if isinstance(listed, list) and listed:
            return [media for media in listed if isinstance(media, str)]
        if isinstance(listed, str):
            return [listed]
    return []
