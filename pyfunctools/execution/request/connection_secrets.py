"""What of a connection is masked in what others are told: its credentials, wherever they stand.

`auth=` is known to be one. Headers, cookies and the query of the base URL hold credentials and
other settings side by side (`X-Api-Key`, `X-Api-Version`). What is one is told by its name, by its
place in the document, by how it is written, or by being hidden as a `SecretStr` is. The rest is
left out of errors only: a success may well tell a tenant or a version.
"""

import re
from base64 import b64decode
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import cast
from urllib.parse import parse_qsl

from pyfunctools.execution.request.connection import checked_headers
from pyfunctools.schema.separation.predicates import sounds_secret


class ConnectionSecrets:
    """The texts of a connection: `credentials`, and what else it sends with every request."""

    def __init__(self, declared: Collection[str] = ()) -> None:
        """Begin with no names; `declared` are those of the document's credentials, lower-cased."""
        self.credentials: list[str] = []
        self.others: list[str] = []
        self._declared = declared

    def add_headers(self, headers: object) -> None:
        """Add the names of a caller's headers.

        Raises:
            DefinitionError: as `checked_headers`.
        """
        given = cast("Mapping[object, object]", headers)
        hidden = {str(name).lower() for name, each in given.items() if not isinstance(each, str)}
        for name, text in checked_headers(headers).items():
            if name == "cookie":
                pairs = (pair.partition("=") for pair in text.split(";"))
                self.add((key.strip(), value.strip().strip('"')) for key, _, value in pairs)
            elif name in hidden or name in ("authorization", "proxy-authorization"):
                self.credentials += (text, *_parts(text))
            else:
                self.add([(name, text)])

    def add_query(self, query: str) -> None:
        """Add the names in the query of a base URL."""
        self.add(parse_qsl(query))

    def add_client(self, client: object) -> None:
        """Add the names that a caller's client sends with every request."""
        headers: object = getattr(client, "headers", None)
        if isinstance(headers, Mapping):
            for name, text in cast("Mapping[object, object]", headers).items():
                if str(name).lower() in ("authorization", "proxy-authorization"):
                    self.credentials += (str(text), *_parts(str(text)))
                elif str(name).lower() not in _PLAIN:
                    self.add([(str(name), str(text))])
        for held in (getattr(client, "cookies", None), getattr(client, "params", None)):
            if isinstance(held, Mapping):
                pairs = cast("Mapping[object, object]", held).items()
                self.add((str(name), str(text)) for name, text in pairs)

    def add(self, pairs: "Iterator[tuple[str, str]] | list[tuple[str, str]]") -> None:
        """Add names with their values."""
        for name, text in pairs:
            if name.lower() in self._declared or _is_credential(name, text):
                self.credentials += (text, *_parts(text))
            else:
                self.others.append(text)


def _is_credential(name: str, text: str) -> bool:
    if sounds_secret(name) or not _AUTH.isdisjoint(re.findall(r"[a-z]+", name.lower())):
        return True
    if name.lower() in _PLAIN:
        return False
    return _SCHEME.match(text) is not None or _is_token(text)


def _is_token(text: str) -> bool:
    """True if a value is written as no word, version, date or address is, but as a token is."""
    if not _TOKEN.fullmatch(text) or _VERSION.fullmatch(text):
        return False
    return any(each.isalpha() for each in text) and any(each.isdigit() for each in text)


def _parts(text: str) -> Iterator[str]:
    """Yield the secret parts of a credential: the text after its scheme, the password."""
    scheme, _, rest = text.partition(" ")
    if rest:
        yield rest.strip()
    if scheme.lower() == "basic":
        with suppress(ValueError):
            pair = b64decode(rest).decode()
            yield from (pair, pair.partition(":")[2])


_AUTH = frozenset(
    {"auth", "authentication", "authorization", "bearer", "jwt", "session", "sessionid", "sid"}
    | {"sig", "signature", "apikey", "csrf", "xsrf", "nonce"}
)
"""Words in the name of a header, cookie or query parameter that holds a credential."""

_PLAIN = frozenset(
    {
        *("accept", "accept-charset", "accept-encoding", "accept-language", "baggage"),
        *("cache-control", "connection", "content-type", "date", "dnt", "expect", "forwarded"),
        *("from", "host", "if-match", "if-modified-since", "if-none-match", "if-range"),
        *("if-unmodified-since", "idempotency-key", "keep-alive", "origin", "pragma", "prefer"),
        *("priority", "range", "referer", "te", "traceparent", "tracestate", "upgrade"),
        *("user-agent", "via", "x-correlation-id", "x-request-id"),
    }
)
"""Headers that hold no credential, whatever they look like."""

_SCHEME = re.compile(r"(?:basic|bearer|digest|negotiate|token|apikey|api-key)\s", re.IGNORECASE)
_TOKEN = re.compile(r"[\w.~+/=:-]{8,}", re.ASCII)
_VERSION = re.compile(
    r"\d{4}-\d\d-\d\d\S*"  # 2024-10-01, 2024-10-01-preview
    r"|v?\d{1,4}(?:\.\d{1,6}){1,4}(?:[.-](?:alpha|beta|dev|preview|rc)[.-]?\d*)?"  # 1.2.3-beta4
    r"|https?://\S*|(?:application|audio|image|text|video)/[\w.+-]+",
    re.ASCII | re.IGNORECASE,
)
