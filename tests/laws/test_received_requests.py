"""Requests as a real server reads them, over a socket and in this process."""

import base64
import io
import socket
import threading
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from fastapi import Body, Cookie, FastAPI, Form, Header, Query, UploadFile
from fastapi import File as Upload
from pydantic import BaseModel, ConfigDict, Field

from pyfunctools import Controller, File, Outcome

uvicorn = pytest.importorskip("uvicorn")

PNG = b"\x89PNG\r\n\x1a\n\xff\x00"


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str] = []


class Size(BaseModel):
    wide: float
    high: float


class Note(BaseModel):
    model_config = ConfigDict(extra="allow")

    title: str
    size: Size | None = None
    due: date | None = None


class Page(BaseModel):
    limit: int = 10
    tags: list[str] = []


NUMBER = {"oneOf": [{"type": "integer"}, {"type": "number"}]}
DATE = {"oneOf": [{"type": "string", "format": "date"}, {"type": "string"}]}


def application() -> FastAPI:
    """Return an application with many forms of parameters; each operation returns what it read."""
    app = FastAPI(title="Shapes")

    @app.post("/number")
    def number(value: Annotated[float, Body(embed=True, json_schema_extra=NUMBER)]) -> Any:
        return value

    @app.get("/due")
    def due(when: Annotated[str, Query(json_schema_extra=DATE)]) -> Any:
        return when

    @app.post("/pet")
    def pet(pet: Annotated[Cat | Dog, Field(discriminator="kind")]) -> Any:
        return pet

    @app.post("/either")
    def either(value: Annotated[Size | Note, Body()]) -> Any:
        return value

    @app.post("/note")
    def note(note: Note) -> Any:
        return note

    @app.post("/form")
    def form(name: Annotated[str, Form()], tags: Annotated[list[str], Form()]) -> Any:
        return {"name": name, "tags": tags}

    @app.get("/page")
    def page(page: Annotated[Page, Query()]) -> Any:
        return page

    @app.get("/things/{thing:path}")
    def thing(
        thing: str, x_trace: Annotated[str, Header()], theme: Annotated[str, Cookie()]
    ) -> Any:
        return {"thing": thing, "trace": x_trace, "theme": theme}

    @app.post("/file")
    async def file(file: UploadFile, note: Annotated[str, Form()] = "") -> Any:
        return {**await described(file), "note": note}

    @app.post("/maybe")
    async def maybe(file: UploadFile | None = None) -> Any:
        return None if file is None else await described(file)

    @app.post("/files")
    async def files(files: list[UploadFile]) -> Any:
        return [await described(file) for file in files]

    @app.post("/bytes")
    def held(data: Annotated[bytes, Upload()]) -> Any:
        return {"content": base64.b64encode(data).decode()}

    @app.post("/some")
    def some(data: Annotated[list[bytes] | None, Upload()] = None) -> Any:
        return [base64.b64encode(each).decode() for each in data or []]

    return app


async def described(file: UploadFile) -> dict[str, Any]:
    content = base64.b64encode(await file.read()).decode()
    return {"filename": file.filename, "content": content, "type": file.content_type}


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """Serve the application on a free port of this machine, and return its address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(application(), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module", params=["over-a-socket", "in-this-process"])
def connect(request: Any, served: str) -> Iterator[Any]:
    """Return a function that opens the application, over a socket or in this process."""
    controllers: list[Controller] = []

    def opening(**settings: Any) -> Controller:
        if request.param == "in-this-process":
            controller = Controller.from_fastapi(application(), **settings)
        else:
            document = application().openapi()
            controller = Controller.from_openapi(document, server=served, **settings)
        controllers.append(controller)
        return controller

    yield opening
    for controller in controllers:
        controller.close()


BODY: dict[str, tuple[str, Any, Any]] = {
    "integer-of-integer-or-number": ("number_post", {"body": {"value": 5}}, 5),
    "number-of-integer-or-number": ("number_post", {"body": {"value": 5.5}}, 5.5),
    "date-of-date-or-text": ("due_get", {"query": {"when": "2026-01-31"}}, "2026-01-31"),
    "text-of-date-or-text": ("due_get", {"query": {"when": "soon"}}, "soon"),
    "tagged": ("pet_post", {"body": {"kind": "dog"}}, {"kind": "dog", "tricks": []}),
    "either-of-two-models": (
        "either_post",
        {"body": {"wide": 1, "high": 2.5}},
        {"wide": 1, "high": 2.5},
    ),
    "an-object-with-more": (
        "note_post",
        {"body": {"title": "t", "size": {"wide": 1, "high": 2}, "due": "2026-01-31", "more": [1]}},
        {"title": "t", "size": {"wide": 1, "high": 2}, "due": "2026-01-31", "more": [1]},
    ),
    "a-form": (
        "form_post",
        {"body": {"name": "a&b=c", "tags": ["x y", "z"]}},
        {"name": "a&b=c", "tags": ["x y", "z"]},
    ),
    "a-model-in-the-query": (
        "page_get",
        {"query": {"limit": 3, "tags": ["a", "b&c"]}},
        {"limit": 3, "tags": ["a", "b&c"]},
    ),
    "a-path-a-header-and-a-cookie": (
        "things_getByThing",
        {"thing": "a b", "header": {"x-trace": "t1"}, "cookie": {"theme": "dark-blue"}},
        {"thing": "a b", "trace": "t1", "theme": "dark-blue"},
    ),
}


@pytest.mark.parametrize(("name", "arguments", "expected"), BODY.values(), ids=BODY)
def test_arguments_of_a_model_arrive(
    connect: Any, name: str, arguments: Any, expected: Any
) -> None:
    outcome = connect().call(name, arguments)
    assert outcome.ok, outcome.text
    assert outcome.value == expected


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


SENT = {"content": encoded(b"a text"), "type": "application/octet-stream"}
ARGUMENTS: dict[str, tuple[str, Any, Any]] = {
    "text": (
        "file_post",
        {"file": "a text", "note": "n"},
        {**SENT, "filename": "file", "note": "n"},
    ),
    "base64-is-a-text-too": (
        "file_post",
        {"file": encoded(PNG)},
        {**SENT, "filename": "file", "content": encoded(encoded(PNG).encode()), "note": ""},
    ),
    "optional": ("maybe_post", {"file": "a text"}, {**SENT, "filename": "file"}),
    "optional-and-absent": ("maybe_post", {}, None),
    "optional-and-null": ("maybe_post", {"file": None}, None),
    "several": ("files_post", {"files": ["a text"] * 2}, [{**SENT, "filename": "files"}] * 2),
    "bytes": ("bytes_post", {"data": "a text"}, {"content": SENT["content"]}),
    "several-that-are-optional": ("some_post", {"data": ["a text"]}, [SENT["content"]]),
}


@pytest.mark.parametrize(("name", "body", "expected"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_a_file_in_the_model_s_arguments_arrives(
    connect: Any, name: str, body: Any, expected: Any
) -> None:
    outcome = connect(is_human=None).call(name, {"body": body})
    assert outcome.ok, outcome.text
    assert outcome.value == expected


class Django:
    """An upload as Django passes it."""

    name = "dir\\cv.png"
    content_type = "image/png"

    def read(self) -> bytes:
        return PNG


GIVEN: dict[str, tuple[Any, str, str]] = {
    "bytes": (PNG, "file", "application/octet-stream"),
    "bytearray": (bytearray(PNG), "file", "application/octet-stream"),
    "file": (File(PNG, "cv.png", "image/png"), "cv.png", "image/png"),
    "mapping-of-bytes": ({"content": PNG, "filename": "a.png"}, "a.png", ""),
    "upload-with-a-name": (Django(), "cv.png", "image/png"),
    "upload-of-starlette": (UploadFile(io.BytesIO(PNG), filename="up.png"), "up.png", ""),
    "buffer": (io.BytesIO(PNG), "file", ""),
}


def call_as_person(controller: Controller, name: str, human: Any) -> Outcome:
    """Call with an empty part of the model."""
    return controller.call(name, {"body": {}} if name == "file_post" else {}, human=human)


@pytest.mark.parametrize(("given", "filename", "kind"), GIVEN.values(), ids=GIVEN)
def test_a_file_that_a_person_gives_arrives(
    connect: Any, given: Any, filename: str, kind: str
) -> None:
    outcome = call_as_person(connect(), "file_post", {"body": {"file": given}})
    assert outcome.ok, outcome.text
    assert outcome.value["content"] == encoded(PNG)
    assert outcome.value["filename"] == filename
    assert outcome.value["type"] == (kind or "application/octet-stream")


def test_an_open_file_arrives_whole_under_its_name(connect: Any, tmp_path: Path) -> None:
    path = tmp_path / "cv.png"
    path.write_bytes(PNG)
    with path.open("rb") as file:
        file.read(3)
        outcome = call_as_person(connect(), "file_post", {"body": {"file": file}})
    assert (outcome.value["content"], outcome.value["filename"]) == (encoded(PNG), "cv.png")


TEXTS: dict[str, tuple[str, Any]] = {
    "path": ("file_post", {"file": "/home/me/cv.pdf"}),
    "content": ("file_post", {"file": "all of a letter"}),
    "base64": ("file_post", {"file": encoded(PNG)}),
    "nothing": ("file_post", {"file": ""}),
    "optional": ("maybe_post", {"file": "cv.pdf"}),
    "one-of-several": ("files_post", {"files": [PNG, "cv.pdf"]}),
    "several-that-are-optional": ("some_post", {"data": ["cv.pdf"]}),
    "file-opened-as-text": ("file_post", {"file": io.StringIO("cv.pdf")}),
}


@pytest.mark.parametrize(("name", "body"), TEXTS.values(), ids=TEXTS)
def test_a_text_for_a_file_is_refused_with_the_remedy(connect: Any, name: str, body: Any) -> None:
    outcome = call_as_person(connect(), name, {"body": body})
    assert not outcome.ok
    assert [issue.side for issue in outcome.issues] == ["human"]
    assert "File(path.read_bytes()" in outcome.issues[0].expected
    assert "cv.pdf" not in outcome.text
    assert outcome.waiting is not None


def test_an_unreadable_file_is_refused(connect: Any) -> None:
    closed = io.BytesIO(PNG)
    closed.close()
    outcome = call_as_person(connect(), "file_post", {"body": {"file": closed}})
    assert not outcome.ok
    assert outcome.issues


def test_the_address_of_a_file_is_a_text() -> None:
    picture = {"type": "string", "format": "uri", "contentMediaType": "image/png"}
    encoded_picture = {"type": "string", "contentEncoding": "base64"}
    operation = {
        "requestBody": {
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "properties": {"url": picture, "data": encoded_picture},
                    }
                }
            }
        },
        "responses": {"200": {"description": ""}},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"post": operation}},
    }
    url = "https://x.example/cat.png"
    with Controller.from_openapi(document, server="http://127.0.0.1:9") as controller:
        taken = controller.call("x_post", {}, human={"body": {"url": url, "data": encoded(PNG)}})
        assert taken.reason == "transport"
        refused = controller.call("x_post", {}, human={"body": {"url": url, "data": "cv.pdf"}})
        assert [issue.path.keys for issue in refused.issues] == [("body", "data")]
