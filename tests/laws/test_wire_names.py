"""No free-form value of the model sets a name of another owner, in any location."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import pytest

from pyfunctools import Controller, Outcome

PERSON = "person-7f3a"
MODEL = "model-19c2"
TEXT = {"type": "string"}
THEIRS = {"type": "string", "x-human": True}
OPEN = {"type": "object", "additionalProperties": {}}
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


class Seen(NamedTuple):
    """A request as the server read it."""

    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes

    @property
    def cookies(self) -> list[str]:
        return [pair for pair in self.headers.get("cookie", "").split("; ") if pair]


class Server(ThreadingHTTPServer):
    seen: list[Seen]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Recorder(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = parse_qsl(parts.query, keep_blank_values=True)
        self.server.seen.append(Seen(parts.path, query, headers, body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def recorder() -> Iterator[Server]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Recorder) as bare:
        bare.__class__ = Server
        assert isinstance(bare, Server)
        thread = threading.Thread(target=bare.serve_forever, args=(0.01,))
        thread.start()
        yield bare
        bare.shutdown()
        thread.join()


@pytest.fixture
def server(recorder: Server) -> Server:
    recorder.seen = []
    return recorder


def parameter(where: str, name: str, schema: Any, **rest: Any) -> dict[str, Any]:
    return {"name": name, "in": where, "schema": schema, **rest}


def exploded(where: str, name: str, properties: Any = None, **rest: Any) -> dict[str, Any]:
    schema = {**OPEN, "properties": properties or {}}
    return parameter(where, name, schema, explode=True, **rest)


def deep(name: str, properties: Any = None) -> dict[str, Any]:
    return parameter("query", name, {**OPEN, "properties": properties or {}}, style="deepObject")


def body(media: str, properties: Any, **rest: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "additionalProperties": True}
    return {"requestBody": {"content": {media: {"schema": schema, **rest}}}}


def post(*parameters: Any, **operation: Any) -> dict[str, Any]:
    return {"parameters": list(parameters), **operation}


def call_on(
    server: Server, operation: Any, model: Any, human: Any = None, base: str = "", **connection: Any
) -> Outcome:
    document = {
        "openapi": "3.2.0",
        "info": {"title": "t", "version": "1"},
        "paths": {
            operation.pop("path", "/x"): {
                "post": {"operationId": "f", "responses": {"200": {"description": ""}}, **operation}
            }
        },
        "components": {
            "securitySchemes": {
                name: {"type": "apiKey", "in": name, "name": "Key"}
                for name in ("query", "header", "cookie")
            }
        },
    }
    with Controller.from_openapi(
        document, server=server.url + base, names="operation_id", **connection
    ) as controller:
        return controller.call("f", model, human=human)


class Case(NamedTuple):
    operation: dict[str, Any]
    model: Any
    human: Any = None
    base: str = ""
    connection: Any = {}


PIN = {"pin": THEIRS}
GIVEN_PIN = {"query": {"pin": PERSON}}
BODY_PIN = {"body": {"pin": PERSON}}
PIN_AND_FREE = (parameter("query", "pin", THEIRS), exploded("query", "free"))


def free(key: str, value: Any = MODEL) -> Any:
    return {"query": {"free": {key: value}}}


SPELLINGS = {
    "as-it-is": "pin",
    "in-capitals": "PIN",
    "as-a-list": "pin[]",
    "as-an-item": "pin[0]",
    "with-a-step": "pin.x",
    "with-space": " pin ",
    "encoded": "p%69n",
    "encoded-twice": "p%2569n",
    "in-wide-letters": "\uff50\uff49\uff4e",
}
REFUSED = {
    **{
        f"query-against-query-{name}": Case(post(*PIN_AND_FREE), free(key), GIVEN_PIN)
        for name, key in SPELLINGS.items()
    },
    **{
        f"urlencoded-{name}": Case(post(**body(FORM, PIN)), {"body": {key: MODEL}}, BODY_PIN)
        for name, key in SPELLINGS.items()
        if key != "pin"
    },
    **{
        f"multipart-{name}": Case(post(**body(MULTIPART, PIN)), {"body": {key: MODEL}}, BODY_PIN)
        for name, key in SPELLINGS.items()
        if key != "pin"
    },
    "json-in-capitals": Case(
        post(**body("application/json", PIN)), {"body": {"PIN": MODEL}}, BODY_PIN
    ),
    "json-below": Case(
        post(**body("application/json", {"a": {**OPEN, "properties": PIN}})),
        {"body": {"a": {"Pin": MODEL}}},
        {"body": {"a": {"pin": PERSON}}},
    ),
    "json-in-an-item": Case(
        post(**body("application/json", {"a": {"items": {**OPEN, "properties": PIN}}})),
        {"body": {"a": [{"x": 1, "Pin": MODEL}]}},
        {"body": {"a": [{"pin": PERSON}]}},
    ),
    "urlencoded-from-an-exploded-property": Case(
        post(**body(FORM, {**PIN, "free": OPEN}, encoding={"free": {"style": "form"}})),
        {"body": {"free": {"pin": MODEL}}},
        BODY_PIN,
    ),
    "urlencoded-optional-and-not-given": Case(
        post(**body(FORM, PIN)), {"body": {"pin[]": MODEL}}, {"body": {}}
    ),
    "urlencoded-php-reads-dots-as-underscores": Case(
        post(**body(FORM, {"card_number": THEIRS})),
        {"body": {"card.number": MODEL}},
        {"body": {"card_number": PERSON}},
    ),
    "urlencoded-part-of-an-object": Case(
        post(
            **body(
                FORM,
                {"card": {**OPEN, "properties": PIN}},
                encoding={"card": {"style": "deepObject", "explode": True}},
            )
        ),
        {"body": {"card[pin]": MODEL, "card": {"a": "b"}}},
        {"body": {"card": {"pin": PERSON}}},
    ),
    "null-is-not-sent-but-what-is-beside-it": Case(
        post(*PIN_AND_FREE), {"query": {"free": {"PIN": None, "Pin": MODEL}}}, GIVEN_PIN
    ),
    "query-of-an-optional-parameter-that-is-not-given": Case(post(*PIN_AND_FREE), free("pin")),
    "query-of-another-parameter-of-the-models": Case(
        post(parameter("query", "limit", {"type": "integer"}), exploded("query", "free")),
        free("limit", 5),
    ),
    "query-in-the-same-object": Case(
        post(exploded("query", "free", PIN)), free("Pin"), {"query": {"free": {"pin": PERSON}}}
    ),
    "query-of-the-base-url": Case(post(exploded("query", "free")), free("V"), base="?v=1"),
    "query-of-a-credential": Case(
        post(exploded("query", "free"), security=[{"query": []}]), free("key")
    ),
    "query-of-the-path": Case(
        {**post(exploded("query", "free")), "path": "/x?action=look"}, free("action")
    ),
    "query-that-the-connection-sets": Case(
        post(parameter("query", "v", TEXT)), {"query": {"v": "2"}}, base="?v=1"
    ),
    "query-of-free-maps-of-both": Case(
        post(
            parameter("query", "theirs", {**OPEN, "x-human": True}, explode=True),
            exploded("query", "free"),
        ),
        free("a"),
        {"query": {"theirs": {"A": PERSON}}},
    ),
    "querystring-of-the-base-url": Case(
        post({"name": "q", "in": "querystring", "content": {FORM: {"schema": OPEN}}}),
        {"query": {"V": "2"}},
        base="?v=1",
    ),
    "querystring-of-the-person": Case(
        post(
            {
                "name": "q",
                "in": "querystring",
                "content": {FORM: {"schema": {**OPEN, "properties": PIN}}},
            }
        ),
        {"query": {"pin[]": MODEL}},
        {"query": {"pin": PERSON}},
    ),
    "deep-object-key-with-brackets": Case(
        post(deep("filter", {"role": THEIRS})),
        {"query": {"filter": {"role][x": MODEL}}},
        {"query": {"filter": {"role": PERSON}}},
    ),
    "deep-object-key-with-brackets-alone": Case(
        post(deep("filter")), {"query": {"filter": {"a][b": MODEL}}}
    ),
    "deep-object-key-with-brackets-inside": Case(
        post(deep("filter")),
        {"query": {"filter": {"a": {"b]": MODEL}}}},
        connection={"deep": True},
    ),
    "deep-object-in-capitals": Case(
        post(deep("filter", {"role": THEIRS})),
        {"query": {"filter": {"ROLE": MODEL}}},
        {"query": {"filter": {"role": PERSON}}},
    ),
    "deep-object-against-a-name-with-brackets": Case(
        post(deep("filter"), parameter("query", "filter[role]", THEIRS)),
        {"query": {"filter": {"role": MODEL}}},
        {"query": {"filter[role]": PERSON}},
    ),
    "a-name-with-brackets-against-a-deep-object": Case(
        post(deep("filter", {"role": THEIRS}), exploded("query", "free")),
        free("filter[role]"),
        {"query": {"filter": {"role": PERSON}}},
    ),
    "cookie-of-the-person": Case(
        post(parameter("cookie", "pin", THEIRS), exploded("cookie", "free")),
        {"cookie": {"free": {"PIN": MODEL}}},
        {"cookie": {"pin": PERSON}},
    ),
    "cookie-of-the-connection": Case(
        post(exploded("cookie", "free")),
        {"cookie": {"free": {"sid": MODEL}}},
        connection={"headers": {"Cookie": "a=b; sid=own"}},
    ),
    "cookie-that-the-connection-sets": Case(
        post(parameter("cookie", "sid", TEXT)),
        {"cookie": {"sid": MODEL}},
        connection={"headers": {"Cookie": "sid=own"}},
    ),
    "cookie-of-a-credential": Case(
        post(exploded("cookie", "free"), security=[{"cookie": []}]),
        {"cookie": {"free": {"key": MODEL}}},
    ),
    "header-that-the-connection-sets": Case(
        post(parameter("header", "X-Tenant", TEXT)),
        {"header": {"X-Tenant": MODEL}},
        connection={"headers": {"x-tenant": "own"}},
    ),
    "header-that-cgi-takes-for-the-connections": Case(
        post(parameter("header", "X_Tenant", TEXT)),
        {"header": {"X_Tenant": MODEL}},
        connection={"headers": {"X-Tenant": "own"}},
    ),
    "header-text-that-ends-where-the-persons-begins": Case(
        post(exploded("header", "X-T", PIN)),
        {"header": {"X-T": {"note": f"a,pin={MODEL}"}}},
        {"header": {"X-T": {"pin": PERSON}}},
    ),
    "header-key-that-holds-the-persons": Case(
        post(exploded("header", "X-T", PIN)),
        {"header": {"X-T": {"pin=0": MODEL}}},
        {"header": {"X-T": {"pin": PERSON}}},
    ),
    "query-text-that-ends-where-the-persons-begins": Case(
        post(parameter("query", "f", {**OPEN, "properties": PIN}, explode=False)),
        {"query": {"f": {"note": f"a,pin,{MODEL}"}}},
        {"query": {"f": {"pin": PERSON}}},
    ),
    "path-of-another-slot": Case(
        {
            **post(
                parameter("path", "pin", THEIRS, required=True, style="matrix"),
                exploded("path", "free", style="matrix", required=True),
            ),
            "path": "/x{pin}{free}",
        },
        {"free": {"PIN": MODEL}},
        {"pin": PERSON},
    ),
    "person-against-the-connection": Case(
        post(parameter("header", "X-Tenant", THEIRS)),
        {},
        {"header": {"X-Tenant": PERSON}},
        connection={"headers": {"x-tenant": "own"}},
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_a_name_of_another_owner_is_an_issue_and_nothing_is_sent(
    server: Server, case: Case
) -> None:
    operation = json.loads(json.dumps(case.operation))
    outcome = call_on(server, operation, case.model, case.human, case.base, **case.connection)
    assert server.seen == []
    assert not outcome.ok
    assert outcome.issues
    is_persons = all(issue.side == "human" for issue in outcome.issues)
    assert outcome.reason == ("needs_human" if is_persons else "arguments")
    assert PERSON not in outcome.text
    assert "own" not in outcome.text.split()


ARRIVES: dict[str, tuple[Case, dict[str, Any]]] = {
    "query-beside-query": (
        Case(post(*PIN_AND_FREE), free("note"), GIVEN_PIN),
        {"query": [("pin", PERSON), ("note", MODEL)]},
    ),
    "query-names-that-only-begin-alike": (
        Case(post(*PIN_AND_FREE), free("pinned"), GIVEN_PIN),
        {"query": [("pin", PERSON), ("pinned", MODEL)]},
    ),
    "query-lists-and-brackets-of-its-own": (
        Case(post(*PIN_AND_FREE), {"query": {"free": {"tags[]": "a", "t[x]": "b"}}}, GIVEN_PIN),
        {"query": [("pin", PERSON), ("tags[]", "a"), ("t[x]", "b")]},
    ),
    "query-names-that-differ-in-case-alone": (
        Case(post(exploded("query", "free")), {"query": {"free": {"a": "1", "A": "2"}}}),
        {"query": [("a", "1"), ("A", "2")]},
    ),
    "query-declared-names-that-differ-in-case-alone": (
        Case(
            post(parameter("query", "pin", THEIRS), parameter("query", "Pin", TEXT)),
            {"query": {"Pin": MODEL}},
            GIVEN_PIN,
        ),
        {"query": [("pin", PERSON), ("Pin", MODEL)]},
    ),
    "query-beside-the-base-url": (
        Case(post(exploded("query", "free")), free("w"), base="?v=1"),
        {"query": [("v", "1"), ("w", MODEL)]},
    ),
    "query-of-the-path-said-again": (
        Case(
            {**post(parameter("query", "action", TEXT)), "path": "/x?action=look"},
            {"query": {"action": "look"}},
        ),
        {"query": [("action", "look"), ("action", "look")]},
    ),
    "query-required-and-set-by-the-base-url": (
        Case(post(parameter("query", "v", TEXT, required=True)), {}, base="?v=1"),
        {"query": [("v", "1")]},
    ),
    "querystring": (
        Case(
            post({"name": "q", "in": "querystring", "content": {FORM: {"schema": OPEN}}}),
            {"query": {"a": "1", "b": ["2", "3"]}},
            base="?v=1",
        ),
        {"query": [("v", "1"), ("a", "1"), ("b", "2"), ("b", "3")]},
    ),
    "deep-object-of-both": (
        Case(
            post(deep("filter", {"role": THEIRS})),
            {"query": {"filter": {"status": "a", "x.y": "b"}}},
            {"query": {"filter": {"role": PERSON}}},
        ),
        {"query": {("filter[role]", PERSON), ("filter[status]", "a"), ("filter[x.y]", "b")}},
    ),
    "names-with-brackets-beside-each-other": (
        Case(
            post(parameter("query", "filter[role]", THEIRS), deep("filter")),
            {"query": {"filter": {"status": "a"}}},
            {"query": {"filter[role]": PERSON}},
        ),
        {"query": [("filter[role]", PERSON), ("filter[status]", "a")]},
    ),
    "urlencoded-free-form": (
        Case(post(**body(FORM, PIN)), {"body": {"note": "a b", "tags": ["x", "y"]}}, BODY_PIN),
        {"form": {("pin", PERSON), ("note", "a b"), ("tags", "x"), ("tags", "y")}},
    ),
    "urlencoded-without-a-person": (
        Case(post(**body(FORM, {"limit": TEXT})), {"body": {"limit": "1", "Limit": "2"}}),
        {"form": {("limit", "1"), ("Limit", "2")}},
    ),
    "json-free-form": (
        Case(
            post(**body("application/json", PIN)),
            {"body": {"note": MODEL, "pins": [1], "a": {"PIN": 1}}},
            BODY_PIN,
        ),
        {"json": {"note": MODEL, "pins": [1], "a": {"PIN": 1}, "pin": PERSON}},
    ),
    "cookies-beside-each-other": (
        Case(
            post(parameter("cookie", "pin", THEIRS), exploded("cookie", "free")),
            {"cookie": {"free": {"theme": "dark"}}},
            {"cookie": {"pin": PERSON}},
            connection={"headers": {"Cookie": "sid=own"}},
        ),
        {"cookies": ["sid=own", f"pin={PERSON}", "theme=dark"]},
    ),
    "header-required-and-set-by-the-connection": (
        Case(
            post(parameter("header", "X-Tenant", TEXT, required=True)),
            {},
            connection={"headers": {"x-tenant": "own"}},
        ),
        {"header": ("x-tenant", "own")},
    ),
    "header-required-and-set-by-a-function": (
        Case(
            post(parameter("header", "X-Tenant", TEXT, required=True)),
            {"header": {"X-Tenant": MODEL}},
            connection={"headers": lambda: {"x-tenant": "own"}},
        ),
        {"header": ("x-tenant", "own")},
    ),
    "header-of-both": (
        Case(
            post(exploded("header", "X-T", PIN)),
            {"header": {"X-T": {"note": "a b"}}},
            {"header": {"X-T": {"pin": PERSON}}},
        ),
        {"header": ("x-t", f"note=a b,pin={PERSON}")},
    ),
    "header-with-commas-of-the-model-alone": (
        Case(post(exploded("header", "X-T")), {"header": {"X-T": {"note": "a,b"}}}),
        {"header": ("x-t", "note=a,b")},
    ),
}


@pytest.mark.parametrize(("case", "expected"), ARRIVES.values(), ids=ARRIVES)
def test_a_free_name_arrives(server: Server, case: Case, expected: Any) -> None:
    operation = json.loads(json.dumps(case.operation))
    outcome = call_on(server, operation, case.model, case.human, case.base, **case.connection)
    assert outcome.ok, outcome.text
    (seen,) = server.seen
    form = parse_qsl(seen.body.decode())
    found = {
        "query": set(seen.query) if isinstance(expected.get("query"), set) else seen.query,
        "form": set(form),
        "cookies": seen.cookies,
        "json": json.loads(seen.body) if "json" in expected else None,
        "header": ("", ""),
    }
    if "header" in expected:
        name = expected["header"][0]
        found["header"] = name, seen.headers[name]
    assert {key: found[key] for key in expected} == expected


def test_headers_of_a_client_belong_to_the_connection(server: Server) -> None:
    httpx = pytest.importorskip("httpx")
    operation = post(
        parameter("header", "X-Own", TEXT), exploded("query", "q"), exploded("cookie", "c")
    )
    with httpx.Client(
        headers={"X-Own": "own"}, params={"v": "1"}, cookies={"sid": "own"}, trust_env=False
    ) as client:
        for given in (
            {"header": {"X-Own": MODEL}},
            {"query": {"q": {"V": "2"}}},
            {"cookie": {"c": {"sid": "2"}}},
        ):
            outcome = call_on(server, dict(operation), given, client=client)
            assert outcome.issues
        assert call_on(server, dict(operation), {"query": {"q": {"w": "2"}}}, client=client).ok
    assert len(server.seen) == 1
