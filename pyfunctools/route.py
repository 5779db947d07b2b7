"""One HTTP operation as frozen data, independent of HTTP libraries and OpenAPI versions."""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

from pyfunctools.errors import DocumentError

Location: TypeAlias = Literal["path", "query", "header", "cookie", "querystring"]
"""Where a parameter is sent; `querystring` is the whole query (OpenAPI 3.2)."""

ConnectionNames: TypeAlias = Set[tuple[str, str]]
"""The names that a connection sets, each with its `Location`; headers in lower case."""

NO_NAMES: ConnectionNames = frozenset()

Style: TypeAlias = Literal[
    "simple",
    "label",
    "matrix",
    "form",
    "spaceDelimited",
    "pipeDelimited",
    "tabDelimited",
    "deepObject",
    "cookie",
]
"""How a parameter is written (OpenAPI 3.2, 4.12.2); `tabDelimited` is `tsv` of Swagger 2.0."""

COLLECTION_STYLES: Mapping[str, Style] = {
    "multi": "form",
    "ssv": "spaceDelimited",
    "tsv": "tabDelimited",
    "pipes": "pipeDelimited",
}
"""The styles by `collectionFormat` of Swagger 2.0; `csv` is the default of the location."""

OPERATORS = "+#./;*"
"""Operators of RFC 6570 around a name in a path template, as some documents write them."""

SLOT = r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}"
"""A slot of a path template: a text in braces, which may have braces in it."""

_SLOT = re.compile(SLOT)


def slot_name(slot: str) -> str:
    """Return the name in the text of a slot, as `id:[0-9]{1,3}` and `name=shelves/*`."""
    name = re.split("[:=]", slot.strip(OPERATORS + "{} "), maxsplit=1)[0]
    return name.rstrip("?* ") or slot


SAFE = frozenset({"GET", "HEAD", "OPTIONS", "QUERY", "TRACE"})
"""HTTP methods that only read (RFC 9110, section 9.2.1)."""

IDEMPOTENT = SAFE | {"DELETE", "PUT"}
"""HTTP methods whose requests may be repeated (RFC 9110, section 9.2.2)."""

_RESERVED = frozenset(
    {
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "cookie",
        "host",
        "transfer-encoding",
    }
)


def is_reserved(header: str) -> bool:
    """Return whether only the client may set a header, whatever a document declares.

    These headers frame the message, select the host or carry credentials, or the specification
    ignores their declaration (OpenAPI 3.2.0, Parameter Object, `name`).
    """
    name = header.lower()
    return name in _RESERVED or name.startswith(("proxy-", "x-forwarded-"))


_FIELD = re.compile(r"(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?")


def is_field_value(text: str) -> bool:
    """Return whether a text can be a header's value: visible ASCII, with spaces and tabs inside."""
    return _FIELD.fullmatch(text) is not None


def is_dot_segment(segment: str) -> bool:
    """Return whether some server would read a segment as `.` or `..`.

    The segment is encoded, as it is sent. It is decoded up to four times, for servers that decode
    more than once; each time it is split at `/` and `\\`, and a path parameter (`..;x`, RFC 3986,
    section 3.3) is cut off.
    """
    if "." not in segment and "%" not in segment:
        return False
    for _ in range(4):
        decoded = unquote(segment)
        if any(part.partition(";")[0] in (".", "..") for part in re.split(r"[/\\]", decoded)):
            return True
        if decoded == segment:
            return False
        segment = decoded
    return False


ITEMS = "*"
"""The name of an encoding for the items of an array; one for a single item has its index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """How one part of a form or multipart body is written (OpenAPI 3.2, section 4.15).

    `encoding` is for the parts of a part that is such a body itself.
    """

    content_type: str | None = None
    style: Style | None = None
    explode: bool | None = None
    allow_reserved: bool = False
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    encoding: Mapping[str, "Encoding"] = field(default_factory=dict[str, "Encoding"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of an operation: its place in the arguments and its place on the wire.

    `name` is the name on the wire. `argument` is the path to its value in the arguments, such as
    `("id",)` or `("query", "limit")`. With `content_type` the value is written in that media type,
    and `style`, `explode` and `allow_reserved` are ignored; `encoding` is for the properties of a
    form that is the whole query. `schema` is as in the document.
    """

    name: str
    location: Location
    argument: tuple[str, ...]
    required: bool = False
    style: Style = "simple"
    explode: bool = False
    allow_reserved: bool = False
    content_type: str | None = None
    encoding: Mapping[str, Encoding] = field(default_factory=dict[str, Encoding])
    schema: Mapping[str, Any] | bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The body of a request: its media type, its place in the arguments and its encodings."""

    content_type: str
    argument: tuple[str, ...] = ("body",)
    required: bool = False
    encoding: Mapping[str, Encoding] = field(default_factory=dict[str, Encoding])
    schema: Mapping[str, Any] | bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityScheme:
    """How a caller authenticates: the name in the document, and the credential to send.

    `location` and `parameter` belong to the type `apiKey`, `scheme` (`basic`, `bearer`, `digest`,
    or another one as written) to `http`, and `flows` to `oauth2`: the addresses of each flow.
    """

    name: str
    type: str
    scheme: str | None = None
    location: Literal["query", "header", "cookie"] | None = None
    parameter: str | None = None
    flows: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])


Requirement: TypeAlias = Mapping[str, tuple[str, ...]]
"""One way to authenticate: all these schemes together, each with its scopes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A base URL of the document.

    `variables` are the defaults of the names in braces, `allowed` the values that they may have.
    """

    url: str
    description: str = ""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    allowed: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Route:
    """One operation made callable: everything a request needs except the arguments.

    `method` is as it is sent; `path` and `operation` are as in the document. `security` lists
    alternatives of which one has to be met; one without schemes means that no credential is needed.
    `responses` are the media types of each response by its status: `200`, `2XX` or `default`.
    `schemes` are the security schemes by name. `servers` are the operation's own, or else those of
    its document, `document_servers` (`None` for a route without a document).

    Raises:
        DocumentError: no request can be made of it: its path has a segment `.` or `..` or is not
            valid Unicode, or the media type of its body cannot be sent.
    """

    method: str
    path: str
    operation: Mapping[str, Any] = field(default_factory=dict[str, Any])
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    responses: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    security: tuple[Requirement, ...] = ()
    schemes: Mapping[str, SecurityScheme] = field(default_factory=dict[str, SecurityScheme])
    servers: tuple[Server, ...] = ()
    document_servers: tuple[Server, ...] | None = None

    def __post_init__(self) -> None:
        path = self.path.partition("#")[0] if "." in self.path or "%" in self.path else ""
        path = _SLOT.sub(lambda slot: "x" * (slot[0][1] not in "?&"), path)
        if any(map(is_dot_segment, path.partition("?")[0].split("/"))):
            reason = "The path has a `.` or `..` as a segment."
        elif not self.path.isascii() and re.search("[\ud800-\udfff]", self.path):
            reason = "The path is not valid Unicode."
        elif self.body is not None and not is_field_value(self.body.content_type):
            reason = "The media type of the body is invalid."
        else:
            return
        raise DocumentError(f"{self.method} {self.path}", reason)

    @property
    def operation_id(self) -> str | None:
        """The `operationId` of the operation, as written."""
        given = self.operation.get("operationId")
        return given if isinstance(given, str) and given else None

    def __repr__(self) -> str:
        return f"Route(method={self.method!r}, path={self.path!r:.400}, ...)"
