"""A route and arguments become a request: pure, and without any HTTP library.

Bad arguments are a `Failure` with issues at the arguments' own paths; then nothing is sent. Each
parameter goes to exactly one place on the wire, and no value can leave the place it was meant for.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TypeVar

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.execution.request.body import EncodedBody, encoded
from pyfunctools.execution.request.claims import Clash, all_names, clashes
from pyfunctools.execution.request.parameters import (
    Pieces,
    TemplateSlot,
    cookie_pairs,
    header_line,
    is_dot_segment,
    query_pairs,
    query_text,
    segment_text,
    template_of,
)
from pyfunctools.execution.request.styles import is_field_value
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.media_types import is_json_media, media_type_of
from pyfunctools.route import NO_NAMES, ConnectionNames, Location, Parameter, Route
from pyfunctools.schema import Failure, Issue, Path, Repair, Separated
from pyfunctools.schema.ground.path import Keys, value_at

T = TypeVar("T")

NO_HEADERS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One HTTP request as data, complete: nothing about it is left to a library.

    `url` is encoded already, and its path is not to be normalised. The names of `headers` are in
    lower case. `repairs` say which arguments the connection went before. Only the method is in the
    `repr`: the rest may hold what a person gave.
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
    """Return the request that calls a route with these arguments, or every issue it has with them.

    `base_url` is as `server_url` gives it. `headers` are the connection's (names in lower case);
    `connected` are names that it sets besides. An argument that would set one of them, or one of a
    person's, as `separated` says, or of another parameter, is an issue (see `execution.claims`);
    but a whole parameter that is required and that the connection sets is left to the connection,
    and is a repair. An optional argument that is absent or null is not sent; a path value that is
    empty, or that some server might take for `.` or `..`, is an issue. Files are given as
    `execution.files` says. With `deep` a `deepObject` may nest, as `a[b][c]`, which no
    specification defines. `boundary` is where the search for a multipart boundary starts.

    Raises:
        DocumentError: the path has a slot that no parameter fills, or a `.` or `..` of its own, or
            a media type is none.
    """
    draft = _Draft(route, arguments)
    path, own_query = draft.path()
    base, _, base_query = base_url.partition("?")
    draft.check(all_names(route, headers, base_query, own_query, connected), separated)
    query = draft.query([part for part in (base_query, own_query) if part], deep)
    sent = {**_accept(route), **draft.headers(), **headers}
    cookies = draft.cookies()
    content = draft.body(boundary, deep)
    if draft.issues:
        return Failure(value=arguments, issues=tuple(draft.issues))
    if cookies:
        sent["cookie"] = "; ".join(filter(None, (headers.get("cookie"), cookies)))
    if content is not None:
        if not is_field_value(content.content_type):
            raise DocumentError(f"{route.method} {route.path}", "The body has no media type.")
        sent["content-type"] = content.content_type
    sent["accept-encoding"] = "gzip, deflate"  # what the size limit can be kept under
    return HttpRequest(
        method=route.method,
        url=base.rstrip("/") + path + (f"?{query}" if query else ""),
        headers=sent,
        content=None if content is None else content.content,
        repairs=tuple(draft.repairs),
    )


class _Draft:
    """A request in the making: its parts, and the issues found on the way."""

    def __init__(self, route: Route, arguments: JsonObject) -> None:
        self.route = route
        self.arguments = arguments
        self.issues: list[Issue] = []
        self.repairs: list[Repair] = []
        self._left: set[tuple[str, ...]] = set()

    def check(self, connected: ConnectionNames, separated: Separated | None) -> None:
        """Refuse arguments that would set another's name; leave the connection's to it."""
        found: dict[Keys, Clash] = {}
        for clash in clashes(self.route, self.arguments, connected, separated):
            found.setdefault(clash.keys, clash)
        for keys, clash in found.items():
            value = (value_at(self.arguments, keys) or (None,))[0]
            if clash.parameter is None or not clash.parameter.required:
                self.issues.append(unsendable(keys, clash.expected, value))
                continue
            is_models = separated is None or separated.owner(keys) == "llm"
            before = value if is_models else None
            self._left.add(clash.parameter.argument)
            self.repairs.append(
                Repair(path=Path.of(keys), kind="connection", before=before, after=None)
            )

    def path(self) -> tuple[str, str]:
        """Return the path, and the query that the template itself has."""
        try:
            template = template_of(self.route.path)
        except UnsendableError:
            raise DocumentError("paths", "A path is not valid Unicode.") from None
        if template.climbs:
            raise DocumentError(self._where, "The path has a `.` or `..` of its own.")
        slots = {p.name: p for p in self.route.parameters if p.location == "path"}
        segments = [self._segment(pieces, slots) for pieces in template.segments]
        return "/".join(segments), self._filled(template.query, slots)[0]

    def query(self, parts: list[str], deep: bool) -> str:
        """Return the whole query, beginning with these parts."""
        for pairs in self._each("query", partial(query_pairs, deep=deep)):
            parts += map("=".join, pairs)
        parts += self._each("querystring", partial(query_text, deep=deep))
        return "&".join(filter(None, parts))

    def headers(self) -> dict[str, str]:
        """Return the header parameters."""
        return dict(self._each("header", header_line))

    def cookies(self) -> str:
        """Return the text of the cookie parameters."""
        pairs = chain.from_iterable(self._each("cookie", cookie_pairs))
        return "; ".join(map("=".join, pairs))

    def body(self, boundary: str | None, deep: bool) -> EncodedBody | None:
        """Return the body, if there is one."""
        body = self.route.body
        if body is None:
            return None
        found = value_at(self.arguments, body.argument)
        if found is not None:
            write = partial(encoded, body, found[0], boundary=boundary, deep=deep)
            return self._tried(body.argument, found[0], write)
        if body.required:
            self.issues.append(unsendable(body.argument, _REQUIRED, None))
        return None

    def _segment(self, pieces: Pieces, slots: Mapping[str, Parameter]) -> str:
        before = len(self.issues)
        text, owner = self._filled(pieces, slots)
        if owner is None or len(self.issues) > before:
            return text
        if not text or is_dot_segment(text):
            expected = "a value that is not empty, with no `.` or `..` as a part"
            value = value_at(self.arguments, owner.argument)
            self.issues.append(unsendable(owner.argument, expected, value[0] if value else None))
        return text

    def _filled(
        self, pieces: Pieces, slots: Mapping[str, Parameter]
    ) -> tuple[str, Parameter | None]:
        """Return the text with the slots filled, and the first parameter that filled one."""
        text, owner = "", None
        for piece in pieces:
            if isinstance(piece, str):
                text += piece
                continue
            parameter = slots.get(piece.name) or _alike(piece, slots)
            if parameter is not None:
                owner = owner or parameter
                found = value_at(self.arguments, parameter.argument) or (None,)
                write = partial(segment_text, parameter, found[0])
                text += self._tried(parameter.argument, found[0], write) or ""
            elif piece.text is not None:
                text += piece.text
            else:
                raise DocumentError(
                    self._where,
                    f"The path has {piece.name!r}, and no such parameter.",
                )
        return text, owner

    @property
    def _where(self) -> str:
        return f"{self.route.method} {self.route.path}"

    def _each(
        self, location: Location, write: Callable[[Parameter, JsonValue], T | None]
    ) -> Iterator[T]:
        """Yield the text of each parameter of a location that has an argument."""
        for parameter in self.route.parameters:
            if parameter.location != location or parameter.argument in self._left:
                continue
            found = value_at(self.arguments, parameter.argument)
            if found is not None:
                write_it = partial(write, parameter, found[0])
                written = self._tried(parameter.argument, found[0], write_it)
                if written is not None:
                    yield written
            elif parameter.required:
                self.issues.append(unsendable(parameter.argument, _REQUIRED, None))

    def _tried(self, keys: Keys, value: JsonValue, write: Callable[[], T]) -> T | None:
        """Return the result of writing a value; `None`, and an issue, if it cannot be written."""
        try:
            return write()
        except UnsendableError as error:
            found = value_at(value, error.keys) or (None,)
            self.issues.append(unsendable((*keys, *error.keys), error.expected, found[0]))
        except RecursionError:
            self.issues.append(unsendable(keys, "a value that is not nested so deeply", None))
        return None


_REQUIRED = "a value: it is required"


def unsendable(keys: Keys, expected: str, value: JsonValue) -> Issue:
    """Return the issue with an argument that no request can be made of."""
    path = Path.of(keys)
    message = f"{path} cannot be sent: expected {expected}."
    return Issue(path=path, expected=expected, value=value, message=message)


def _alike(slot: TemplateSlot, slots: Mapping[str, Parameter]) -> Parameter | None:
    """Return the one parameter whose name is the slot's but for case and punctuation."""
    wanted = _letters(slot.name)
    found = [p for name, p in slots.items() if _letters(name) == wanted]
    return found[0] if len(found) == 1 and wanted else None


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _accept(route: Route) -> dict[str, str]:
    for response in route.responses:
        if response.status.startswith("2") or response.status == "default":
            for content_type in response.content_types:
                if is_json_media(media_type_of(content_type)) and is_field_value(content_type):
                    return {"accept": f"{content_type}, */*;q=0.5"}
    return {}
