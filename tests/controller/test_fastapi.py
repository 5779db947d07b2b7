"""`Controller.from_fastapi`: a FastAPI application, called whole, in this process."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import (
    APIRouter,
    BackgroundTasks,
    Cookie,
    Depends,
    FastAPI,
    Form,
    Header,
    HTTPException,
    Query,
    Request,
    Response,
    Security,
    UploadFile,
)
from fastapi.responses import FileResponse, StreamingResponse
from fastapi.security import (
    APIKeyHeader,
    APIKeyQuery,
    HTTPBasic,
    HTTPBasicCredentials,
    OAuth2PasswordBearer,
    SecurityScopes,
)
from pydantic import BaseModel, field_validator
from starlette.middleware.gzip import GZipMiddleware

from pyfunctools import Controller, DefinitionError, File, LifespanError, Outcome

WAYS = ("call", "acall")


def called(controller: Controller, way: str, name: str, arguments: Any, **more: Any) -> Outcome:
    if way == "call":
        return controller.call(name, arguments, **more)
    return asyncio.run(controller.acall(name, arguments, **more))


class Tea(BaseModel):
    name: str
    grams: int = 1

    @field_validator("name")
    @classmethod
    def _is_tea(cls, value: str) -> str:
        if value == "coffee":
            raise ValueError("this is no tea")
        return value


class Shown(BaseModel):
    name: str


class Album(BaseModel):
    title: str
    pages: list[UploadFile]
    cover: UploadFile | None = None


class Filter(BaseModel):
    limit: int = 10
    tags: list[str] = []


class Trace(BaseModel):
    x_trace: str


TRACE: list[str] = []


async def opened(request: Request) -> AsyncIterator[str]:
    TRACE.append("opened")
    yield request.state.pool
    TRACE.append("closed")


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    loop = asyncio.get_running_loop()
    app.state.name = "teas"
    TRACE.append("startup")
    yield {"pool": "POOL", "loop": loop}
    TRACE.append("shutdown")
    assert asyncio.get_running_loop() is loop


def teas() -> FastAPI:
    app = FastAPI(title="Teas", lifespan=lifespan)
    app.add_middleware(GZipMiddleware, minimum_size=1)

    @app.get("/state")
    async def state(request: Request, pool: Annotated[str, Depends(opened)]) -> list[Any]:
        same = request.state.loop is asyncio.get_running_loop()
        return [request.app.state.name, pool, same]

    @app.post("/teas", response_model=Shown, status_code=201)
    def create_post_posts(tea: Tea) -> Tea:
        if tea.name == "gone":
            raise HTTPException(410, {"why": "sold out"}, headers={"Retry-After": "7"})
        return tea

    @app.get("/find")
    def find(
        asked: Annotated[Filter, Query()],
        trace: Annotated[Trace, Header()],
        session: Annotated[str | None, Cookie()] = None,
    ) -> list[Any]:
        return [asked.limit, asked.tags, trace.x_trace, session]

    @app.post("/photos")
    async def photos(one: UploadFile, more: list[UploadFile], note: Annotated[str, Form()]) -> Any:
        sizes = {each.filename: len(await each.read()) for each in (one, *more)}
        return [sizes, one.content_type, note]

    @app.post("/album")
    async def album(album: Annotated[Album, Form()]) -> Any:
        pages = [len(await page.read()) for page in album.pages]
        return [album.title, album.cover and album.cover.filename, pages]

    @app.post("/login")
    def login(user: Annotated[str, Form()], times: Annotated[int, Form()] = 1) -> str:
        return user * times

    @app.post("/later")
    def later(work: BackgroundTasks) -> str:
        work.add_task(TRACE.append, "worked")
        return "soon"

    @app.get("/stream")
    def stream() -> Response:
        parts: Iterator[str] = (f"{n}," for n in range(3))
        return StreamingResponse(parts, media_type="text/plain")

    @app.get("/file")
    def file() -> Response:
        return FileResponse(Path(__file__), media_type="application/octet-stream")

    @app.get("/broken")
    def broken() -> None:
        raise RuntimeError("SECRET-7f3a")

    return app


@pytest.fixture
def controller() -> Iterator[Controller]:
    TRACE.clear()
    with Controller.from_fastapi(teas()) as made:
        yield made


@pytest.mark.parametrize("way", WAYS)
def test_a_request_has_the_state_of_the_lifespan_and_dependencies(
    controller: Controller, way: str
) -> None:
    for _ in range(2):
        assert called(controller, way, "state_get", {}).value == ["teas", "POOL", True]
    controller.close()
    assert ["startup", *["opened", "closed"] * 2, "shutdown"] == TRACE


def test_an_asynchronous_context_manager_shuts_it_down_too() -> None:
    async def use() -> None:
        async with Controller.from_fastapi(teas()) as made:
            assert TRACE == []
            outcomes = await asyncio.gather(*[made.acall("state_get", {}) for _ in range(10)])
            assert {outcome.response.status for outcome in outcomes} == {200}

    TRACE.clear()
    asyncio.run(use())
    assert (TRACE[0], TRACE[-1], TRACE.count("startup")) == ("startup", "shutdown", 1)


@pytest.mark.parametrize("way", WAYS)
def test_a_response_model_filters_the_result(controller: Controller, way: str) -> None:
    made = called(controller, way, "teas_post", '{"body": {"name": "Sencha", "grams": "5"}}')
    assert (made.response.status, made.value) == (201, {"name": "Sencha"})
    assert controller["teas_post"].output is not None


@pytest.mark.parametrize("way", WAYS)
def test_a_raised_http_exception_is_an_error_with_its_status(
    controller: Controller, way: str
) -> None:
    gone = called(controller, way, "teas_post", {"body": {"name": "gone"}})
    assert (gone.is_error, gone.response.status, gone.response.retry_after) == (True, 410, 7)
    assert gone.text == '410 Gone. The server asks to wait 7 s.\n{"detail":{"why":"sold out"}}'
    assert gone.value == {"detail": {"why": "sold out"}}


def test_an_error_of_the_application_is_a_422_whose_body_is_shown_on_request() -> None:
    for exposed in (False, True):
        with Controller.from_fastapi(teas(), expose_error_body=exposed) as made:
            wrong = made.call("teas_post", {"body": {"name": "coffee"}})
        assert (wrong.is_error, wrong.response.status) == (True, 422)
        assert ("this is no tea" in wrong.text) is exposed
        assert "this is no tea" in str(wrong.value)


def test_query_header_and_cookie_models_arrive(controller: Controller) -> None:
    given = {
        "query": {"limit": 3, "tags": ["a", "b&c"]},
        "header": {"x-trace": "t"},
        "cookie": {"session": "s 1"},
    }
    assert controller.call("find_get", given).value == [3, ["a", "b&c"], "t", "s 1"]
    assert controller.call("find_get", {"header": {"x-trace": "t"}}).value == [10, [], "t", None]


@pytest.mark.parametrize("way", WAYS)
def test_a_persons_files_arrive_as_uploads(controller: Controller, way: str) -> None:
    waiting = called(controller, way, "photos_post", {"body": {"note": "n"}})
    assert waiting.reason == "needs_human"
    files = {"one": File(b"abc", "a.png", "image/png"), "more": [b"1", File(b"12", "b.txt")]}
    done = called(controller, way, "photos_post", {"body": {"note": "n"}}, human={"body": files})
    assert done.value == [{"a.png": 3, "more": 1, "b.txt": 2}, "image/png", "n"]


@pytest.mark.parametrize(
    ("files", "received"),
    [
        ({"cover": File(b"abc", "a.png"), "pages": [b"1", b"22"]}, ["t", "a.png", [1, 2]]),
        ({"pages": [b"1"]}, ["t", None, [1]]),
    ],
)
def test_uploads_in_the_model_of_a_form_arrive(
    controller: Controller, files: Any, received: Any
) -> None:
    arguments = {"body": {"title": "t"}}
    assert controller.call("album_post", arguments).reason == "needs_human"
    assert controller.call("album_post", arguments, human={"body": files}).value == received


def test_a_form_arrives_with_its_types(controller: Controller) -> None:
    assert controller.call("login_post", {"body": {"user": "a&b", "times": "2"}}).value == "a&ba&b"


def test_background_tasks_run_to_their_end(controller: Controller) -> None:
    assert controller.call("later_post", {}).value == "soon"
    controller.close()
    assert TRACE == ["startup", "worked", "shutdown"]


@pytest.mark.parametrize("way", WAYS)
def test_streams_and_files_arrive_complete(controller: Controller, way: str) -> None:
    assert called(controller, way, "stream_get", {}).value == "0,1,2,"
    found = called(controller, way, "file_get", {})
    assert found.value == Path(__file__).read_bytes()
    assert found.text == f"application/octet-stream, {len(Path(__file__).read_bytes())} bytes"


def guarded() -> FastAPI:
    app = FastAPI()
    oauth = OAuth2PasswordBearer(tokenUrl="token", scopes={"drink": "Drink tea"})
    key, query_key, basic = APIKeyHeader(name="X-Key"), APIKeyQuery(name="key"), HTTPBasic()

    def user(scopes: SecurityScopes, token: Annotated[str, Depends(oauth)]) -> list[str]:
        return [token, *scopes.scopes]

    @app.get("/oauth")
    def with_oauth(who: Annotated[list[str], Security(user, scopes=["drink"])]) -> list[str]:
        return who

    @app.get("/key")
    def with_key(value: Annotated[str, Security(key)]) -> str:
        return value

    @app.get("/query")
    def with_query(value: Annotated[str, Security(query_key)]) -> str:
        return value

    @app.get("/basic")
    def with_basic(pair: Annotated[HTTPBasicCredentials, Depends(basic)]) -> list[str]:
        return [pair.username, pair.password]

    return app


def test_credentials_belong_to_the_connection_and_are_no_parameters() -> None:
    auth = {
        "OAuth2PasswordBearer": lambda context: f"token of {context}",
        "APIKeyHeader": "k",
        "APIKeyQuery": "q",
        "HTTPBasic": ("ada", "pw"),
    }
    with Controller.from_fastapi(guarded(), auth=auth) as made:
        assert all(each.parameters["properties"] == {} for each in made)
        assert made.call("oauth_get", {}, context="Ada").value == ["token of Ada", "drink"]
        assert made.call("key_get", {}).value == "k"
        assert made.call("query_get", {}).value == "q"
        assert made.call("basic_get", {}).value == ["ada", "pw"]
    with Controller.from_fastapi(guarded()) as made:
        assert made.call("key_get", {}).response.status in (401, 403)
    with pytest.raises(DefinitionError, match="No operation"):
        Controller.from_fastapi(guarded(), auth={"Nobody": "x"})


def test_a_root_path_reaches_mounts_and_addresses() -> None:
    app, sub = FastAPI(), FastAPI()
    app.root_path = "/api"

    @app.get("/url")
    def url(request: Request) -> str:
        return request.url.path

    @sub.get("/url")
    def inner(request: Request) -> str:
        return request.url.path

    app.mount("/sub", sub)
    with Controller.from_fastapi(app) as made, Controller.from_fastapi(sub) as other:
        assert [each.name for each in made] == ["url_get"]
        assert made.call("url_get", {}).value == "/api/url"
        assert made.skipped[0].where == "/sub/{path}"
        both = Controller.combine(made, other.prefixed("sub_"))
        assert both.call("sub_url_get", {}).value == "/url"


def test_a_router_and_routes_work_with_their_dependencies() -> None:
    def who() -> str:
        return "Ada"

    router = APIRouter(prefix="/v1", dependencies=[Depends(who)], lifespan=lifespan)

    @router.get("/me")
    def me(name: Annotated[str, Depends(who)]) -> str:
        return name

    TRACE.clear()
    with Controller.from_fastapi(router) as made:
        assert made.call("v1_me_get", {}).value == "Ada"
    assert TRACE == ["startup", "shutdown"]
    with Controller.from_fastapi(router.routes) as made:
        assert made.call("v1_me_get", {}).value == "Ada"
    app = FastAPI()
    app.include_router(router)
    app.dependency_overrides[who] = lambda: "Bob"
    with Controller.from_fastapi(app) as made:
        assert made.call("v1_me_get", {}).value == "Bob"


def test_an_argument_cannot_select_another_route() -> None:
    reached: list[str] = []
    app = FastAPI()

    @app.get("/teas/{tea_id}")
    def tea(tea_id: str) -> str:
        reached.append(tea_id)
        return tea_id

    @app.get("/teas/{tea_id}/secret", include_in_schema=False)
    def secret(tea_id: str) -> None:
        reached.append("secret")

    @app.get("/files/{path:path}")
    def files(path: str) -> str:
        return path

    with Controller.from_fastapi(app) as made:
        led = made.call("teas_getByTea_id", {"tea_id": "1/secret"})
        assert led.response.sent == "no"
        assert "GET /teas/{tea_id}/secret" in led.text
        assert reached == []
        assert made.call("teas_getByTea_id", {"tea_id": "1/2"}).response.status == 404
        assert made.call("teas_getByTea_id", {"tea_id": "1%2Fsecret"}).value == "1%2Fsecret"
        assert made.call("files_getByPath", {"path": "a/b c"}).value == "a/b c"


def test_a_selection_shares_the_application() -> None:
    TRACE.clear()
    with Controller.from_fastapi(teas()) as made:
        made.select(paths=["/st*"]).call("state_get", {})
        made.prefixed("a_").call("a_state_get", {})
    assert TRACE.count("startup") == 1


def test_an_unknown_setting_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="client"):
        Controller.from_fastapi(teas(), client=None)  # type: ignore[call-arg]


def test_an_error_of_closing_one_runner_leaves_no_other_open() -> None:
    @asynccontextmanager
    async def failing(app: FastAPI) -> AsyncIterator[None]:
        yield
        raise ConnectionError("gone")

    app = FastAPI(lifespan=failing)
    app.get("/x")(lambda: None)
    TRACE.clear()
    one, other = Controller.from_fastapi(app), Controller.from_fastapi(teas())
    for both in (Controller.combine(one, other), Controller.combine(other, one)):
        both.call("x_get", {})
        both.call("later_post", {})
        with pytest.raises(LifespanError, match="gone"):
            both.close()
    assert TRACE.count("shutdown") == 2

    async def close() -> None:
        async with Controller.combine(one, other) as both:
            await both.acall("x_get", {})
            await both.acall("later_post", {})

    with pytest.raises(LifespanError, match="gone"):
        asyncio.run(close())
    assert TRACE.count("shutdown") == 3
