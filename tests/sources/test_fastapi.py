"""FastAPI applications as functions: their document, and the paths outside of it."""

import json
import subprocess
import sys
from enum import Enum
from typing import Annotated, Any

import pytest
from fastapi import (
    APIRouter,
    Body,
    Cookie,
    Depends,
    FastAPI,
    File,
    Form,
    Header,
    Query,
    Security,
    UploadFile,
    WebSocket,
)
from fastapi.security import APIKeyHeader, OAuth2PasswordBearer
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.routing import Route

from pyfunctools import DefinitionError, DocumentError
from pyfunctools.sources.fastapi import Application, read_application


class Kind(Enum):
    GREEN = "green"
    BLACK = "black"


class Tea(BaseModel):
    name: str
    kind: Kind = Kind.GREEN


class Page(BaseModel):
    limit: int = 10
    cursor: str | None = None


class Trace(BaseModel):
    x_trace: str
    x_span: str | None = None


def application() -> FastAPI:
    app = FastAPI(title="Teas", description="All of them.")
    key, token = APIKeyHeader(name="X-Key"), OAuth2PasswordBearer(tokenUrl="token")

    def who(user: str = Query()) -> str:
        return user

    @app.get("/teas", tags=["tea"])
    def list_teas(page: Annotated[Page, Query()], kind: Kind | None = None) -> list[Tea]:
        """List the teas."""
        return []

    @app.post("/teas", status_code=201, dependencies=[Security(key)])
    def create_tea(tea: Tea, user: Annotated[str, Depends(who)]) -> Tea:
        return tea

    @app.delete("/teas/{tea_id}", deprecated=True)
    def drop_tea(tea_id: int, token: Annotated[str, Security(token, scopes=["drop"])]) -> None: ...

    @app.get("/headers")
    def headers(
        trace: Annotated[Trace, Header()], session: Annotated[str | None, Cookie()] = None
    ) -> None: ...

    @app.post("/uploads")
    def upload(
        photo: UploadFile, more: Annotated[list[UploadFile], File()], note: str = Form()
    ) -> None: ...

    @app.post("/login")
    def login(user: Annotated[str, Form()], pin: Annotated[int, Form()]) -> None: ...

    return app


def only(app: Any) -> Any:
    [function] = read_application(app).reading.functions
    return function


def properties(read: Application, name: str, *keys: str) -> dict[str, Any]:
    [function] = [each for each in read.reading.functions if each.name == name]
    schema: Any = function.parameters
    for key in keys:
        schema = schema["properties"][key]
        if "$ref" in schema:
            schema = function.parameters["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema["properties"]


READ = read_application(application())


def test_functions_are_named_by_their_paths() -> None:
    assert [each.name for each in READ.reading.functions] == [
        "teas_get",
        "teas_post",
        "teas_eraseByTea_id",
        "headers_get",
        "uploads_post",
        "login_post",
    ]
    assert (READ.reading.title, READ.reading.description) == ("Teas", "All of them.")
    first, *_, last = READ.reading.functions
    assert (first.title, first.description) == ("List Teas", "List the teas.\n\n@tag tea")
    assert last.destructive is None
    assert READ.reading.skipped == ()


def test_functions_can_be_named_by_operation_id() -> None:
    read = read_application(application(), names="operation_id")
    assert read.reading.functions[0].name == "list_teas_teas_get"


def test_query_header_and_cookie_models_are_parameters_one_by_one() -> None:
    assert set(properties(READ, "teas_get", "query")) == {"limit", "cursor", "kind"}
    assert set(properties(READ, "headers_get", "header")) == {"x-trace", "x-span"}
    assert set(properties(READ, "headers_get", "cookie")) == {"session"}
    assert READ.reading.functions[3].parameters["required"] == ["header"]


def test_dependencies_have_parameters_and_security_has_none() -> None:
    assert set(properties(READ, "teas_post")) == {"query", "body"}
    assert set(properties(READ, "teas_post", "query")) == {"user"}
    assert set(properties(READ, "teas_eraseByTea_id")) == {"tea_id"}
    schemes = [dict(each.origin.schemes) for each in READ.reading.functions]  # type: ignore[union-attr]
    assert [set(each) for each in schemes[1:3]] == [{"APIKeyHeader"}, {"OAuth2PasswordBearer"}]


def test_uploads_are_the_humans_and_forms_are_the_models() -> None:
    upload, login = READ.reading.functions[4:]
    assert upload.separated is not None
    assert "photo" not in json.dumps(upload.separated.llm)
    assert set(properties(READ, "uploads_post", "body")) == {"photo", "more", "note"}
    assert login.separated is None
    assert upload.origin.body.content_type == "multipart/form-data"  # type: ignore[union-attr]
    assert login.origin.body.content_type == "application/x-www-form-urlencoded"  # type: ignore[union-attr]


def test_routers_and_routes_are_read_like_an_application() -> None:
    router = APIRouter(prefix="/v1")

    @router.get("/teas/{tea_id}")
    def tea(tea_id: int) -> Tea: ...

    @router.get("/cups")
    def cups() -> None: ...

    read = read_application(router)
    assert [each.name for each in read.reading.functions] == ["v1_teas_getByTea_id", "v1_cups_get"]
    assert (read.reading.title, read.name) == ("router", "the router")
    assert only(router.routes[:1]).name == "v1_teas_getByTea_id"
    assert only(iter(router.routes[1:])).name == "v1_cups_get"
    whole = FastAPI()
    whole.include_router(router, prefix="/api")
    assert [each.name for each in read_application(whole.routes).reading.functions] == [
        "api_v1_teas_getByTea_id",
        "api_v1_cups_get",
    ]


def test_paths_outside_the_document_are_skipped_with_a_reason() -> None:
    app = FastAPI()
    hidden = APIRouter(prefix="/in")

    @app.get("/seen")
    def seen() -> None: ...

    @app.get("/hidden", include_in_schema=False)
    def not_seen() -> None: ...

    @hidden.api_route("/side", methods=["GET", "POST"])
    def side() -> None: ...

    @app.websocket("/talk")
    async def talk(socket: WebSocket) -> None: ...

    app.include_router(hidden, include_in_schema=False)
    app.mount("/other", FastAPI())
    app.add_route("/plain", lambda request: None)
    read = read_application(app, on_skip="raise")
    assert [each.name for each in read.reading.functions] == ["seen_get"]
    assert {(each.where, each.reason.partition(".")[0]) for each in read.reading.skipped} == {
        ("GET /hidden", "The application hides it (`include_in_schema=False`)"),
        ("GET /in/side", "The application hides it (`include_in_schema=False`)"),
        ("POST /in/side", "The application hides it (`include_in_schema=False`)"),
        ("websocket /talk", "A websocket has no response to a call"),
        ("/other/{path}", "A mounted application has its own document, if any: read it separately"),
        ("GET /plain", "A route of Starlette does not declare its parameters"),
    }


def test_a_custom_openapi_is_used() -> None:
    app = application()
    whole = app.openapi()
    app.openapi = lambda: {**whole, "paths": {"/teas": {"get": whole["paths"]["/teas"]["get"]}}}  # type: ignore[method-assign]
    read = read_application(app)
    assert [each.name for each in read.reading.functions] == ["teas_get"]
    assert ("POST /teas", "The application's document leaves it out.") in {
        (each.where, each.reason) for each in read.reading.skipped
    }


def test_the_applications_document_is_not_changed() -> None:
    app = application()
    before = json.dumps(app.openapi())
    for function in read_application(app).reading.functions:
        assert function.parameters
    assert json.dumps(app.openapi()) == before


def test_webhooks_are_skipped_or_an_error() -> None:
    app = FastAPI()

    @app.webhooks.post("new-tea")
    def new_tea(tea: Tea) -> None: ...

    [skipped] = read_application(app).reading.skipped
    assert skipped.where == "webhook new-tea"
    with pytest.raises(DocumentError, match="cannot become functions"):
        read_application(app, on_skip="raise")


def failing() -> Any:
    raise ValueError("no such model")


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (failing, "cannot create its document: ValueError: no such model"),
        (lambda: None, "This must be a document, not `NoneType`."),
        (lambda: {"openapi": "3.1.0", "paths": []}, "`paths` is .*not an object"),
    ],
)
def test_an_application_without_a_document_is_a_document_error(document: Any, said: str) -> None:
    app = FastAPI(title="Broken")
    app.openapi = document  # type: ignore[method-assign]
    with pytest.raises(DocumentError, match=said):
        read_application(app)


@pytest.mark.parametrize(
    "source", [None, 3, "app", object(), Starlette(), [1], FastAPI, [FastAPI()]]
)
def test_another_source_is_an_error(source: Any) -> None:
    with pytest.raises(
        DefinitionError, match=r"must be a FastAPI application.*Pass the `FastAPI` object"
    ):
        read_application(source)


def test_without_routes_there_are_no_functions() -> None:
    read = read_application([])
    assert (read.reading.functions, read.reading.skipped) == ((), ())


@pytest.mark.parametrize(
    ("given", "used"), [("/api", "/api"), ("/api/", "/api"), ("", ""), ("api", "")]
)
def test_the_root_path_is_the_applications(given: str, used: str) -> None:
    app = FastAPI()
    app.root_path = given  # the argument is deprecated
    assert read_application(app).root_path == used


def routed() -> FastAPI:
    app = FastAPI()

    @app.get("/teas/best")
    def best() -> None: ...

    @app.get("/teas/{tea_id}")
    def tea(tea_id: str) -> None: ...

    @app.post("/teas/{tea_id}/drop", include_in_schema=False)
    def drop(tea_id: str) -> None: ...

    @app.get("/teas/{tea_id}/cups")
    def cups(tea_id: str) -> None: ...

    @app.get("/files/{path:path}")
    def files(path: str) -> None: ...

    @app.get("/files/late")
    def late() -> None: ...

    app.mount("/files2", Starlette(routes=[Route("/x", lambda request: None)]))
    return app


@pytest.mark.parametrize(
    ("method", "template", "path", "other"),
    [
        ("GET", "/teas/{tea_id}", "/teas/1", None),
        ("GET", "/teas/{tea_id}", "/teas/best", "GET /teas/best"),
        ("GET", "/teas/{tea_id}", "/teas/1/cups", "GET /teas/{tea_id}/cups"),
        ("GET", "/teas/{tea_id}", "/teas/1/drop", None),  # which no GET answers
        ("POST", "/teas/{tea_id}/drop", "/teas/1/drop", None),
        ("GET", "/teas/{other_name}", "/teas/1/cups", "GET /teas/{tea_id}/cups"),
        ("GET", "/files/{path}", "/files/a/b", None),
        ("GET", "/files/late", "/files/late", "GET /files/{path}"),
        ("GET", "/teas/{tea_id}", "/files2/x", "GET /files2/{path}"),
        ("GET", "/unknown/{tea_id}", "/teas/best", None),
    ],
)
def test_the_routes_know_which_other_route_answers(
    method: str, template: str, path: str, other: str | None
) -> None:
    assert read_application(routed()).routes.elsewhere(method, template, path) == other


def test_a_body_of_single_values_is_a_body() -> None:
    app = FastAPI()

    @app.put("/n")
    def put(n: Annotated[int, Body()], m: Annotated[int, Body()]) -> int:
        return n + m

    assert properties(read_application(app), "n_put", "body").keys() == {"n", "m"}


WITHOUT = """
import sys
sys.modules["fastapi"] = None
from pyfunctools import Controller, DefinitionError
try:
    Controller.from_fastapi(object())
except DefinitionError as error:
    print(error)
print([name for name in ("starlette", "httpx") if name in sys.modules])
"""


def test_without_fastapi_the_error_has_a_remedy() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "from_fastapi: FastAPI is not installed. Run `pip install 'pyfunctools-llm[fastapi]'`.",
        "[]",
    ], done.stderr
