"""Makes a request from a route and arguments, without any HTTP library.

For invalid arguments the result is a `Failure` with an issue for each; then nothing is sent. Each
parameter has exactly one place in the request, and no value can leave its place.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TypeVar

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.execution.request.body import EncodedBody, encoded_body
from pyfunctools.execution.request.claims import clashes, reserved_names
from pyfunctools.execution.request.parameters import (
    TemplatePieces,
    TemplateSlot,
    cookie_pairs,
    header_line,
    is_dot_segment,
    parsed_template,
    query_pairs,
    query_text,
    segment_text,
)
from pyfunctools.execution.request.styles import is_field_value
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.media_types import is_json_media
from pyfunctools.route import NO_NAMES, ConnectionNames, Location, Parameter, Route
from pyfunctools.schema import Failure, Issue, Path, Repair, Separated
from pyfunctools.schema.ground.path import Keys, value_at

T = TypeVar("T")

NO_HEADERS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One complete HTTP request as data: no library adds anything to it.

    `url` is encoded, and its path is not to be normalized. The names of `headers` are in lower
    case. `repairs` are arguments that were left out because the connection sets them. The `repr`
    shows only the method: everything else may hold a person's values.
    """

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False, default_factory=dict[str, str])
    content: bytes | None = field(repr=False, default=None)
    repairs: tuple[Repair, ...] = field(repr=False, default=())

    @property
    def origin(self) -> str:
        """The scheme, host and port of the URL."""
        scheme, _, rest = self.url.partition("://")
        return f"{scheme}://{rest.partition('/')[0]}"

    @property
    def target(self) -> str:
        """The path and query of the URL, as the request line has them."""
        return self.url[len(self.origin) :]


def build(
    route: Route,
    arguments: JsonObject,
    *,
    base_url: str,
    headers: Mapping[str, str] = NO_HEADERS,
    connected: ConnectionNames = NO_NAMES,
    separated: Separated | None = None,
    deep: bool = False,
    boundary: str | None = None,
) -> HttpRequest | Failure:
    """Return the request that calls a route with these arguments, or all issues of the arguments.

    `base_url` comes from `server_url`. `headers` are the connection's (names in lower case), and
    `connected` are further names that the connection sets. An argument is an issue if it would set
    one of these names, the name of a person's parameter (see `separated`), or the name of another
    parameter; see `claims`. A required parameter that the connection sets is left out, which is a
    repair. An optional argument that is absent or null is not sent. A path value is an issue if it
    is empty, or if some server may read it as `.` or `..`. With `deep` a `deepObject` may nest, as
    `a[b][c]`, which no specification defines. `boundary` is the first multipart boundary to try.

    Raises:
        DocumentError: the path template has a slot without a parameter, or a `.` or `..`, or a
            media type is invalid.
    """
    draft = _Draft(route, arguments)
    path, own_query = draft.path()
    base, _, base_query = base_url.partition("?")
    reserved = reserved_names(route, headers, base_query, own_query, connected)
    draft.check_names(reserved, separated)
    query = draft.query([base_query, own_query], deep)
    sent = {**_accept(route), **draft.headers(), **headers}
    cookies = draft.cookies()
    body = draft.body(boundary, deep)
    if draft.issues:
        return Failure(value=arguments, issues=tuple(draft.issues))
    if cookies:
        sent["cookie"] = "; ".join(filter(None, (headers.get("cookie"), cookies)))
    if body is not None:
        if not is_field_value(body.content_type):
            raise DocumentError(draft.where, "The media type of the body is invalid.")
        sent["content-type"] = body.content_type
    sent["accept-encoding"] = "gzip, deflate"  # the encodings of `DecodedBody`
    return HttpRequest(
        method=route.method,
        url=base.rstrip("/") + path + (f"?{query}" if query else ""),
        headers=sent,
        content=None if body is None else body.content,
        repairs=tuple(draft.repairs),
    )


class _Draft:
    def __init__(self, route: Route, arguments: JsonObject) -> None:
        self.where = f"{route.method} {route.path}"
        self.issues: list[Issue] = []
        self.repairs: list[Repair] = []
        self._route = route
        self._arguments = arguments
        self._left_out: set[Keys] = set()

    def check_names(self, reserved: ConnectionNames, separated: Separated | None) -> None:
        """Refuse arguments that would set a name that somebody else sets.

        A required parameter that the connection sets is left out instead.
        """
        required = {each.argument for each in self._route.parameters if each.required}
        for keys, expected in clashes(self._route, self._arguments, reserved, separated).items():
            if keys not in required:
                self._refuse(keys, expected)
                continue
            is_models = separated is None or separated.owner(keys) == "llm"
            before = self._value(keys) if is_models else None
            self._left_out.add(keys)
            self.repairs.append(
                Repair(path=Path.of(keys), kind="connection", before=before, after=None)
            )

    def path(self) -> tuple[str, str]:
        """Return the path, and the query that the path template has."""
        try:
            template = parsed_template(self._route.path)
        except UnsendableError:
            raise DocumentError("paths", "A path is not valid Unicode.") from None
        slots = {p.name: p for p in self._route.parameters if p.location == "path"}
        segments = [self._segment(pieces, slots) for pieces in template.segments]
        return "/".join(segments), self._filled(template.query, slots)[0]

    def query(self, parts: list[str], deep: bool) -> str:
        """Return the whole query; it begins with these parts."""
        for pairs in self._each("query", partial(query_pairs, deep=deep)):
            parts += map("=".join, pairs)
        parts += self._each("querystring", partial(query_text, deep=deep))
        return "&".join(filter(None, parts))

    def headers(self) -> dict[str, str]:
        return dict(self._each("header", header_line))

    def cookies(self) -> str:
        pairs = chain.from_iterable(self._each("cookie", cookie_pairs))
        return "; ".join(map("=".join, pairs))

    def body(self, boundary: str | None, deep: bool) -> EncodedBody | None:
        body = self._route.body
        if body is None:
            return None
        found = value_at(self._arguments, body.argument)
        if found is not None:
            write = partial(encoded_body, body, boundary=boundary, deep=deep)
            return self._written(body.argument, found[0], write)
        if body.required:
            self._refuse(body.argument, _REQUIRED)
        return None

    def _segment(self, pieces: TemplatePieces, slots: Mapping[str, Parameter]) -> str:
        before = len(self.issues)
        text, parameter = self._filled(pieces, slots)
        if parameter is None and is_dot_segment(text):
            raise DocumentError(self.where, "The path template has a `.` or `..` as a segment.")
        if parameter is None or len(self.issues) > before:
            return text
        if not text or is_dot_segment(text):
            expected = "a value that is not empty, with no `.` or `..` as a part"
            self._refuse(parameter.argument, expected)
        return text

    def _filled(
        self, pieces: TemplatePieces, slots: Mapping[str, Parameter]
    ) -> tuple[str, Parameter | None]:
        """Return the text with the slots filled, and the parameter of the first slot."""
        text, first = "", None
        for piece in pieces:
            if isinstance(piece, str):
                text += piece
                continue
            parameter = slots.get(piece.name) or _like(piece, slots)
            if parameter is not None:
                first = first or parameter
                write = partial(segment_text, parameter)
                value = self._value(parameter.argument)
                text += self._written(parameter.argument, value, write) or ""
            elif piece.text is not None:
                text += piece.text
            else:
                reason = f"The path has a slot {piece.name!r}, but there is no parameter for it."
                raise DocumentError(self.where, reason)
        return text, first

    def _each(
        self, location: Location, write: Callable[[Parameter, JsonValue], T | None]
    ) -> Iterator[T]:
        """Yield the text of each parameter of a location that has an argument."""
        for parameter in self._route.parameters:
            if parameter.location != location or parameter.argument in self._left_out:
                continue
            found = value_at(self._arguments, parameter.argument)
            if found is not None:
                text = self._written(parameter.argument, found[0], partial(write, parameter))
                if text is not None:
                    yield text
            elif parameter.required:
                self._refuse(parameter.argument, _REQUIRED)

    def _written(
        self, keys: Keys, value: JsonValue, write: Callable[[JsonValue], T | None]
    ) -> T | None:
        """Return a value as it is sent; `None`, and an issue, if it cannot be sent."""
        try:
            return write(value)
        except UnsendableError as error:
            self._refuse((*keys, *error.keys), error.expected)
        except RecursionError:
            self.issues.append(unsendable(keys, "a value that is not nested so deeply", None))
        return None

    def _value(self, keys: Keys) -> JsonValue:
        return (value_at(self._arguments, keys) or (None,))[0]

    def _refuse(self, keys: Keys, expected: str) -> None:
        self.issues.append(unsendable(keys, expected, self._value(keys)))


_REQUIRED = "a value: it is required"


def unsendable(keys: Keys, expected: str, value: JsonValue) -> Issue:
    """Return the issue of an argument that cannot be sent."""
    path = Path.of(keys)
    message = f"{path} cannot be sent: expected {expected}."
    return Issue(path=path, expected=expected, value=value, message=message)


def _like(slot: TemplateSlot, slots: Mapping[str, Parameter]) -> Parameter | None:
    """Return the only parameter with a slot's name in other case or punctuation, if any."""
    wanted = _letters(slot.name)
    found = [p for name, p in slots.items() if _letters(name) == wanted]
    return found[0] if len(found) == 1 and wanted else None


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _accept(route: Route) -> dict[str, str]:
    for response in route.responses:
        if response.status.startswith("2") or response.status == "default":
            for content_type in response.content_types:
                if is_json_media(content_type) and is_field_value(content_type):
                    return {"accept": f"{content_type}, */*;q=0.5"}
    return {}
