"""Makes a request from a route and arguments, without any HTTP library.

For invalid arguments the result is a `Failure` with an issue for each; then nothing is sent. Each
parameter has exactly one place in the request, and no value can leave its place.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple, TypeAlias, TypeVar

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.execution.request.body import EncodedBody, encoded_body, form_text
from pyfunctools.execution.request.claims import argument_at, clashes, reserved_names
from pyfunctools.execution.request.styles import (
    TOKEN,
    Pairs,
    content_text,
    percent,
    percent_except,
    percent_printable,
    percent_printable_reserved,
    percent_reserved,
    styled_pairs,
    styled_text,
    unencoded,
)
from pyfunctools.execution.steps import UnsendableError
from pyfunctools.media_types import is_json_media, media_kind, sequence_kind
from pyfunctools.route import (
    NO_NAMES,
    OPERATORS,
    SLOT,
    ConnectionNames,
    Parameter,
    Route,
    is_dot_segment,
    is_field_value,
    is_reserved,
)
from pyfunctools.schema import Failure, Issue, Path, Repair, Separated
from pyfunctools.schema.ground.path import Keys, value_at


class TemplateSlot(NamedTuple):
    """A place for a value in a path template.

    `text` is sent if no parameter has the `name`; if `text` is `None`, a missing parameter is an
    error.
    """

    name: str
    text: str | None = None


TemplatePieces: TypeAlias = list[str | TemplateSlot]
"""Literal text, encoded, and slots, in their order."""


@lru_cache(maxsize=4096)
def parsed_template(path: str) -> tuple[list[TemplatePieces], TemplatePieces]:
    """Return the segments of a path template, and its own query.

    A slot is `{name}`, or `:name` at the start of a segment. `{?a,b}` and `{&a,b}` are left out,
    since query parameters are declared separately; so is a fragment, which is never sent. A missing
    `/` at the beginning is added.
    """
    before, query = _AT_QUERY.findall(path.partition("#")[0])[0]
    segments: list[TemplatePieces] = [[]]
    for piece in _pieces(before if before.startswith("/") else f"/{before}", _SLOT):
        first, *others = piece.split("/") if isinstance(piece, str) else (piece,)
        segments[-1].append(first)
        segments.extend([other] for other in others)
    return segments, [*_pieces(query, _BRACES)]


_AT_QUERY = re.compile(rf"((?:{SLOT}|[^?])*)\??(.*)", re.DOTALL)
"""Splits a path at the first `?` outside of braces."""

_BRACES = re.compile(f"({SLOT})")
_SLOT = re.compile(rf"({SLOT}|(?<=/):[A-Za-z_][A-Za-z0-9_]*)")
_LITERAL = "/!$&'()*+,;=:@"


def _pieces(text: str, slot: re.Pattern[str]) -> Iterator[str | TemplateSlot]:
    for index, piece in enumerate(slot.split(text)):
        if index % 2 == 0:
            yield percent_except(piece, _LITERAL)
        elif piece.startswith(":"):
            yield TemplateSlot(piece[1:], piece)
        elif not piece.startswith(("{?", "{&")):
            yield TemplateSlot(_without_operators(piece[1:-1]))


def _without_operators(slot: str) -> str:
    return slot.strip(OPERATORS) or slot


def _path_text(parameter: Parameter, value: JsonValue) -> str:
    """Return the text of a path parameter; a `/` in a value is encoded."""
    encode = percent_printable_reserved if parameter.allow_reserved else percent_printable
    text = styled_text(parameter, value, encode)
    if text is None:
        raise UnsendableError("a value: it is a part of the path")
    return text


def query_text(parameter: Parameter, value: JsonValue, *, deep: bool) -> str:
    """Return the text of a parameter that is the whole query (OpenAPI 3.2, `in: querystring`)."""
    content_type = parameter.content_type or "application/x-www-form-urlencoded"
    if media_kind(content_type) != "form":
        return content_text(content_type, value, percent)
    if not isinstance(value, dict):
        raise UnsendableError("an object, whose properties are the parameters of the query")
    return form_text(value, parameter.encoding, parameter.schema, deep=deep)


def header_lines(parameter: Parameter, value: JsonValue, *, repeats: bool) -> dict[str, str]:
    """Return the name (lower case) and the value of a header; empty if it is not sent.

    If it `repeats`, each item of an array is a line of its own.
    """
    if is_reserved(parameter.name) or not TOKEN.fullmatch(parameter.name):
        raise UnsendableError("nothing: an argument cannot set this header")
    repeats = repeats and parameter.content_type is None
    values = value if repeats and isinstance(value, list) else [value]
    found = (styled_text(parameter, each, unencoded) for each in values)
    texts = [text for text in found if text is not None]
    if not all(map(is_field_value, texts)):
        raise UnsendableError("visible ASCII, with spaces and tabs only inside it")
    return {parameter.name.lower(): "\n".join(texts)} if texts else {}


def cookie_pairs(parameter: Parameter, value: JsonValue) -> Pairs:
    """Return the names and values of a cookie parameter; empty if it is not sent.

    Control characters are refused. Style `cookie` encodes nothing, so it refuses whatever
    RFC 6265 (section 4.1.1) does not allow, except for spaces inside a value, as in the example of
    the specification.
    """
    is_raw = parameter.style == "cookie" and parameter.content_type is None
    found = styled_pairs(
        parameter,
        value,
        _octets if is_raw else percent_printable,
        encode_name=unencoded if is_raw else percent,
    )
    for name, _ in found:
        if not TOKEN.fullmatch(name):
            raise UnsendableError("names that a cookie can have")
    return found


_OCTETS = re.compile(
    r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+( +[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+)*|"
)


def _octets(text: str) -> str:
    if not _OCTETS.fullmatch(text):
        raise UnsendableError("visible ASCII without quotes, commas, semicolons and backslashes")
    return text


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
        return f"{scheme}://{rest.partition('/')[0].partition('?')[0]}"

    @property
    def target(self) -> str:
        """The path and query of the URL, as the request line has them: the path is not empty."""
        target = self.url[len(self.origin) :]
        return target if target.startswith("/") else f"/{target}"


def build(
    route: Route,
    arguments: JsonObject,
    *,
    base_url: str,
    headers: Mapping[str, str] = NO_HEADERS,
    connected: ConnectionNames = NO_NAMES,
    separated: Separated | None = None,
    deep: bool = False,
    items: bool = False,
    repeats: bool = False,
) -> HttpRequest | Failure:
    """Return the request that calls a route with valid arguments, or all issues of the arguments.

    `base_url` comes from `server_url`. `headers` are the connection's (names in lower case), and
    `connected` are further names that the connection sets. An argument is an issue if it would set
    one of these names, the name of a person's parameter (see `separated`), or the name of another
    parameter; see `claims`. A required parameter that the connection sets is left out, which is a
    repair. An optional argument that is absent or null is not sent. A path value is an issue if it
    is empty, or if some server may read it as `.` or `..`. With `deep` a `deepObject` may nest
    (`a[b][c]`), with `items` a sequence is asked for, with `repeats` a header has several lines.

    Raises:
        DocumentError: the path template has a slot without a parameter.
    """
    path, own_query = (draft := _Draft(route, arguments, deep, repeats)).path()
    base, _, base_query = base_url.partition("?")
    reserved = reserved_names(route, headers, base_query, own_query, connected)
    draft.check_names(reserved, separated)
    draft.parameters()
    body = draft.body()
    if draft.issues:
        return Failure(value=arguments, issues=tuple(draft.issues))
    query = "&".join(filter(None, (base_query, own_query, *draft.query)))
    sent = {**_accept(route, items=items), **draft.headers, **headers}
    if draft.cookies:
        sent["cookie"] = "; ".join(filter(None, (headers.get("cookie"), *draft.cookies)))
    if body is not None:
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
    """A request while it is written: each parameter in its place, and all issues."""

    def __init__(self, route: Route, arguments: JsonObject, deep: bool, repeats: bool) -> None:
        self.where = f"{route.method} {route.path}"
        self.query: list[str] = []
        self.headers: dict[str, str] = {}
        self.cookies: list[str] = []
        self.issues: list[Issue] = []
        self.repairs: list[Repair] = []
        self._route = route
        self._arguments = arguments
        self._deep = deep
        self._repeats = repeats
        self._left_out: set[Keys] = set()

    def check_names(self, reserved: ConnectionNames, separated: Separated | None) -> None:
        """Refuse arguments that would set a name that somebody else sets.

        A required parameter that the connection sets is left out instead.
        """
        for keys, expected in clashes(self._route, self._arguments, reserved, separated).items():
            if not any(each.required and each.argument == keys for each in self._route.parameters):
                self._refuse(keys, expected)
                continue
            is_models = separated is None or separated.owner(keys) == "llm"
            before = argument_at(self._arguments, keys) if is_models else None
            self._left_out.add(keys)
            self.repairs.append(
                Repair(path=Path.of(keys), kind="connection", before=before, after=None)
            )

    def path(self) -> tuple[str, str]:
        """Return the path, and the query that the path template has."""
        segments, query = parsed_template(self._route.path)
        in_path = (p for p in self._route.parameters if p.location == "path")
        slots = {_without_operators(each.name): each for each in in_path}
        path = "/".join(self._segment(pieces, slots) for pieces in segments)
        return path, self._filled(query, slots)

    def parameters(self) -> None:
        """Write all parameters but those of the path."""
        for parameter in self._route.parameters:
            keys = parameter.argument
            if parameter.location == "path" or keys in self._left_out:
                continue
            found = value_at(self._arguments, keys)
            if found is not None:
                self._written(keys, found[0], partial(self._place, parameter))

    def _place(self, parameter: Parameter, value: JsonValue) -> None:
        if parameter.location == "query":
            encode = percent_reserved if parameter.allow_reserved else percent
            found = styled_pairs(parameter, value, encode, deep=self._deep)
            self.query += map("=".join, found)
        elif parameter.location == "cookie":
            self.cookies += map("=".join, cookie_pairs(parameter, value))
        elif value is not None and parameter.location == "header":
            self.headers |= header_lines(parameter, value, repeats=self._repeats)
        elif value is not None:
            self.query.append(query_text(parameter, value, deep=self._deep))

    def body(self) -> EncodedBody | None:
        """Return the body, if there is one."""
        body = self._route.body
        found = None if body is None else value_at(self._arguments, body.argument)
        if body is None or found is None:
            return None
        write = partial(encoded_body, body, deep=self._deep)
        return self._written(body.argument, found[0], write)

    def _segment(self, pieces: TemplatePieces, slots: Mapping[str, Parameter]) -> str:
        before = len(self.issues)
        text = self._filled(pieces, slots)
        if len(self.issues) == before and (not text or is_dot_segment(text)):
            filled = (slots.get(piece.name) for piece in pieces if isinstance(piece, TemplateSlot))
            if (first := next(filter(None, filled), None)) is not None:
                expected = "a value that is not empty, with no `.` or `..` as a part"
                self._refuse(first.argument, expected)
        return text

    def _filled(self, pieces: TemplatePieces, slots: Mapping[str, Parameter]) -> str:
        text = ""
        for piece in pieces:
            if isinstance(piece, str):
                text += piece
            elif (parameter := slots.get(piece.name)) is not None:
                value = argument_at(self._arguments, parameter.argument)
                write = partial(_path_text, parameter)
                text += self._written(parameter.argument, value, write) or ""
            elif piece.text is not None:
                text += piece.text
            else:
                reason = f"The path has a slot {piece.name!r}, but there is no parameter for it."
                raise DocumentError(self.where, reason)
        return text

    def _written(
        self, keys: Keys, value: JsonValue, write: Callable[[JsonValue], T | None]
    ) -> T | None:
        """Return a value as it is sent; `None`, and an issue, if it cannot be sent."""
        try:
            return write(value)
        except UnsendableError as error:
            self._refuse((*keys, *error.keys), error.expected)
        return None

    def _refuse(self, keys: Keys, expected: str) -> None:
        self.issues.append(unsendable(keys, expected, argument_at(self._arguments, keys)))


def unsendable(keys: Keys, expected: str, value: JsonValue) -> Issue:
    """Return the issue of an argument that cannot be sent."""
    path = Path.of(keys)
    message = f"{path} cannot be sent: expected {expected}."
    return Issue(path=path, expected=expected, value=value, message=message)


def _accept(route: Route, *, items: bool) -> dict[str, str]:
    """Return the header for the first JSON of a successful response, or for all its sequences."""
    listed = (types for status, types in route.responses.items() if status[:1] in "2d")
    sendable = [media for media in chain(*listed) if is_field_value(media)]
    wanted = [media for media in sendable if sequence_kind(media)] if items else []
    wanted = wanted or [media for media in sendable if is_json_media(media)][:1]
    return {"accept": f"{', '.join(wanted)}, */*;q=0.5"} if wanted else {}
