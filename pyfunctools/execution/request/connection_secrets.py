"""The texts of a connection that are masked in outcomes: its credentials, in any setting.

`auth=` holds credentials only. Headers, cookies and the query of the base URL hold credentials and
other settings side by side (`X-Api-Key`, `X-Api-Version`). A credential is recognised by its name,
by a security scheme of the document, by its form, or because it hides its text as `SecretStr` does.
The other settings are masked in errors only: a successful result may name a tenant or a version.
"""

import re
from base64 import b64decode
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import cast
from urllib.parse import parse_qsl

from pyfunctools.execution.request.connection import checked_headers, client_defaults
from pyfunctools.schema.separation.predicates import sounds_secret


class ConnectionSecrets:
    """The texts of a connection: `credentials`, and `others` that are sent with every request.

    `declared` are the names of the document's credentials, in lower case.
    """

    def __init__(self, declared: Collection[str] = ()) -> None:
        self.credentials: list[str] = []
        self.others: list[str] = []
        self._declared = declared

    def add_headers(self, headers: object) -> None:
        """Add the values of a caller's headers."""
        given = cast("Mapping[object, object]", headers)
        hidden = {str(name).lower() for name, each in given.items() if not isinstance(each, str)}
        for name, text in checked_headers(headers).items():
            if name == "cookie":
                pairs = (pair.partition("=") for pair in text.split(";"))
                self.add((key.strip(), value.strip().strip('"')) for key, _, value in pairs)
            elif name in hidden:
                self._add_credential(text)
            else:
                self.add([(name, text)])

    def add_query(self, query: str) -> None:
        """Add the values in the query of a base URL."""
        self.add(parse_qsl(query))

    def add_client(self, client: object) -> None:
        """Add the values that a caller's client sends with every request."""
        headers = client_defaults(client, "headers").items()
        self.add((name, text) for name, text in headers if name.lower() not in _PLAIN)
        self.add(client_defaults(client, "cookies").items())
        self.add(client_defaults(client, "params").items())

    def add(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Add names with their values."""
        for name, text in pairs:
            if name.lower() in self._declared or _is_credential(name, text):
                self._add_credential(text)
            else:
                self.others.append(text)

    def _add_credential(self, text: str) -> None:
        self.credentials += (text, *_secret_parts(text))


def _is_credential(name: str, text: str) -> bool:
    if sounds_secret(name) or not _AUTH.isdisjoint(re.findall(r"[a-z]+", name.lower())):
        return True
    if name.lower() in _PLAIN:
        return False
    return _SCHEME.match(text) is not None or _is_token(text)


def _is_token(text: str) -> bool:
    """Return whether a value looks like a token, not like a word, version, date or address."""
    if not _TOKEN.fullmatch(text) or _VERSION.fullmatch(text):
        return False
    return any(each.isalpha() for each in text) and any(each.isdigit() for each in text)


def _secret_parts(text: str) -> Iterator[str]:
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
"""Headers that never hold a credential, whatever their value looks like."""

_SCHEME = re.compile(r"(?:basic|bearer|digest|negotiate|token|apikey|api-key)\s", re.IGNORECASE)
_TOKEN = re.compile(r"[\w.~+/=:-]{8,}", re.ASCII)
_VERSION = re.compile(
    r"\d{4}-\d\d-\d\d\S*"  # 2024-10-01, 2024-10-01-preview
    r"|v?\d{1,4}(?:\.\d{1,6}){1,4}(?:[.-](?:alpha|beta|dev|preview|rc)[.-]?\d*)?"  # 1.2.3-beta4
    r"|https?://\S*|(?:application|audio|image|text|video)/[\w.+-]+",
    re.ASCII | re.IGNORECASE,
)
