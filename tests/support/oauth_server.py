"""An OAuth 2.0 server and an API behind it, on 127.0.0.1: five flows, and any answer at all."""

import json
import secrets
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit

CLIENT, CLIENT_SECRET = "the-client", "cs-9f3a71d20b"
REDIRECT = "https://app.example/callback"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"

Answer = tuple[int, dict[str, str], bytes]


def json_answer(status: int, value: object, **headers: str) -> Answer:
    return status, {"Content-Type": "application/json", **headers}, json.dumps(value).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that go away."""


class OAuthServer:
    """Its state may be changed between calls; `asked` are the forms that `/token` got."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.asked: list[dict[str, str]] = []
        self.seen: list[tuple[str, str, dict[str, str]]] = []
        self.issued: list[str] = []
        self.valid: set[str] = set()
        self.refreshes: dict[str, str] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.devices: dict[str, str] = {}
        self.lifetime: Any = 3600
        self.interval: Any = 0
        self.gives_refresh = True
        self.takes_basic = True
        self.delay = 0.0
        self.token_answer: Callable[[dict[str, str]], Answer | None] = lambda form: None
        self.device_answer: Answer | None = None
        self._http = _Server(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def grants(self) -> list[str]:
        return [form["grant_type"] for form in self.asked]

    def revoke(self) -> None:
        self.valid.clear()

    @property
    def secrets(self) -> list[str]:
        """Everything that may be told to nobody."""
        codes = [
            each for form in self.asked for each in (form.get("code"), form.get("code_verifier"))
        ]
        return [CLIENT_SECRET, *self.issued, *self.refreshes, *filter(None, codes), *self.devices]

    def document(self, **flows: Any) -> dict[str, Any]:
        return {
            "openapi": "3.2.0",
            "info": {"title": "T", "version": "1"},
            "paths": {
                "/api/me": {"get": {"operationId": "me", "security": [{"login": ["read"]}]}},
                "/api/notes": {
                    "post": {
                        "operationId": "note",
                        "security": [{"login": []}],
                        "requestBody": {
                            "content": {
                                "application/json": {
                                    "schema": {
                                        "type": "object",
                                        "properties": {
                                            "text": {"type": "string"},
                                            "pin": {"type": "string", "x-human": True},
                                        },
                                        "required": ["text", "pin"],
                                    }
                                }
                            },
                            "required": True,
                        },
                    }
                },
            },
            "components": {"securitySchemes": {"login": {"type": "oauth2", "flows": flows}}},
        }

    def log_in(self, address: str, who: str = "Ada", **other: str) -> str:
        """Return the address to which a person is sent back after they logged in."""
        query = dict(parse_qsl(urlsplit(address).query))
        assert address.startswith(f"{self.url}/authorize?")
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(12)
        self.codes[code] = {**query, "who": who}
        back = {"code": code, "state": query["state"], **other}
        return f"{query['redirect_uri']}?{urlencode({k: v for k, v in back.items() if v})}"

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        with self.lock:
            self.seen.append((method, path, headers))
        if path.startswith("/api/"):
            return self._api(headers, body)
        form = dict(parse_qsl(body.decode(), keep_blank_values=True))
        if path == "/device":
            return self.device_answer or self._device()
        if path == "/token" and method == "POST":
            with self.lock:
                self.asked.append(form)
            time.sleep(self.delay)
            return self.token_answer(form) or self._token(form, headers)
        return json_answer(404, {})

    def _api(self, headers: dict[str, str], body: bytes) -> Answer:
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or token not in self.valid:
            return json_answer(401, {"message": f"wrong token {token}"})
        return json_answer(200, {"echo": headers["authorization"], "body": body.decode()})

    def _token(self, form: dict[str, str], headers: dict[str, str]) -> Answer:
        if not self._is_client(form, headers):
            return json_answer(401, {"error": "invalid_client"})
        with self.lock:
            known = getattr(self, f"_by_{form['grant_type'].rpartition(':')[2]}")(form)
            if isinstance(known, str):
                return json_answer(400, {"error": known, "error_description": f"{form} is bad"})
            token = f"at-{secrets.token_urlsafe(18)}"
            self.issued.append(token)
            self.valid.add(token)
            made: dict[str, Any] = {"access_token": token, "token_type": "Bearer"}
            if self.lifetime is not None:
                made["expires_in"] = self.lifetime
            if self.gives_refresh and form["grant_type"] != "client_credentials":
                refresh = f"rt-{secrets.token_urlsafe(18)}"
                self.refreshes[refresh] = "ok"
                made["refresh_token"] = refresh
        return json_answer(200, made)

    def _is_client(self, form: dict[str, str], headers: dict[str, str]) -> bool:
        basic = headers.get("authorization", "").removeprefix("Basic ")
        if basic:
            return self.takes_basic and b64decode(basic).decode() == f"{CLIENT}:{CLIENT_SECRET}"
        is_public = form["grant_type"] != "client_credentials" and "client_secret" not in form
        return form.get("client_id") == CLIENT and (
            is_public or form.get("client_secret") == CLIENT_SECRET
        )

    def _by_client_credentials(self, form: dict[str, str]) -> str | None:
        return None

    def _by_refresh_token(self, form: dict[str, str]) -> str | None:
        known = self.refreshes.get(form["refresh_token"])
        self.refreshes[form["refresh_token"]] = "used"
        return None if known == "ok" else "invalid_grant"

    def _by_authorization_code(self, form: dict[str, str]) -> str | None:
        query = self.codes.pop(form["code"], None)
        if query is None or form["redirect_uri"] != query["redirect_uri"]:
            return "invalid_grant"
        digest = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        return None if digest.decode() == query["code_challenge"] else "invalid_grant"

    def _by_device_code(self, form: dict[str, str]) -> str | None:
        state = self.devices.get(form["device_code"], "invalid_grant")
        return None if state == "approved" else state

    def _device(self) -> Answer:
        device, user = secrets.token_urlsafe(18), "WDJB-MJHT"
        self.devices[device] = "authorization_pending"
        address = f"{self.url}/activate"
        return json_answer(
            200,
            {
                "device_code": device,
                "user_code": user,
                "verification_uri": address,
                "verification_uri_complete": f"{address}?user_code={quote(user)}",
                "expires_in": 600,
                "interval": self.interval,
            },
        )

    def approve_devices(self, state: str = "approved") -> None:
        self.devices = dict.fromkeys(self.devices, state)


def _handler(server: OAuthServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length)
            headers = {name.lower(): text for name, text in self.headers.items()}
            status, lines, content = server.answer(self.command, self.path, headers, body)
            self.send_response(status)
            lines = {"Content-Length": str(len(content)), "Connection": "close", **lines}
            for name, text in lines.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler


def query_of(address: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(address).query)
