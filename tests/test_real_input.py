"""Real input: large documents from the command line, and a FastAPI service over HTTP."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Header, HTTPException
from pydantic import BaseModel, Field

from pyfunctools import Controller


def run(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pyfunctools", *words], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("document", "count", "name"),
    [
        (
            "v3.0/octokit-openapi--generated_ghes-3.17.json",
            966,
            "repos_issues_getByOwnerAndRepoAndIssue_number",
        ),
        ("v3.1/samchon-openapi--v3.1_shopping.json", None, "shoppings_admins_coupons_at"),
        ("v3.1/openai-openai-openapi--openapi.json", None, "chat_completions_post"),
    ],
    ids=["ghes", "shopping", "openai"],
)
def test_the_commands_work_on_large_documents(
    shared: Path, document: str, count: int | None, name: str
) -> None:
    path = shared / "corpus" / document
    paths = json.loads(path.read_text())["paths"]
    verbs = {"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}
    written = sum(verb in verbs for item in paths.values() for verb in item)
    assert count in (None, written)
    rows = json.loads(run("list", str(path), "--json"))
    controller = Controller.from_openapi(path)
    skipped = [each for each in controller.skipped if "webhook" not in each.reason]
    assert len(rows) + len(skipped) == written
    assert len(rows) >= 0.97 * written
    assert name in {row["name"] for row in rows}
    shown = json.loads(run("show", str(path), name, "--json"))
    assert shown["llm"]["type"] == "object"
    assert shown["llm"]["additionalProperties"] is False
    assert "what the model sees" in run("show", str(path), name)


class Kind(Enum):
    GREEN = "green"
    BLACK = "black"


class Tea(BaseModel):
    name: str
    kind: Kind
    grams: int = Field(100, ge=25, description="How much.")
    tags: list[str] = []


def application() -> FastAPI:
    app = FastAPI(title="Teas")
    stock: dict[str, Tea] = {}

    @app.post("/teas", status_code=201)
    def add(tea: Tea) -> Tea:
        """Add a tea."""
        stock[tea.name] = tea
        return tea

    @app.get("/teas")
    def find(kind: Kind | None = None, limit: int = 10, words: str | None = None) -> list[Tea]:
        """Find teas."""
        found = [tea for tea in stock.values() if kind in (None, tea.kind)]
        return [tea for tea in found if not words or words in tea.name][:limit]

    @app.get("/teas/{name}")
    def read(name: str, x_trace: str | None = Header(None)) -> dict[str, object]:
        """Read one tea."""
        if name not in stock:
            raise HTTPException(404, "no such tea")
        return {"tea": stock[name].model_dump(mode="json"), "trace": x_trace}

    @app.delete("/teas/{name}", status_code=204)
    def remove(name: str) -> None:
        """Remove a tea."""
        stock.pop(name, None)

    return app


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    config = uvicorn.Config(application(), host="127.0.0.1", port=0, log_level="error", ws="none")
    server = uvicorn.Server(config)
    socket = config.bind_socket()
    thread = threading.Thread(target=server.run, args=([socket],), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(60)
        socket.close()


def test_a_fastapi_service_is_called_through_its_own_document(url: str) -> None:
    document = httpx.get(f"{url}/openapi.json")
    with Controller.from_openapi(document.content, server=url) as teas:
        assert {each.name for each in teas} == {
            "teas_get",
            "teas_post",
            "teas_getByName",
            "teas_eraseByName",
        }
        assert teas.skipped == ()
        added = teas.call(
            "teas_post", '{"body": {"name": "Earl/Grey 1", "kind": "Black", "grams": "50"}}'
        )
        assert (added.response.status, added.is_error) == (201, False), added.text
        assert added.value["grams"] == 50  # type: ignore[index]
        assert (
            teas.call("teas_post", {"body": {"name": "Sencha", "kind": "green"}}).response.status
            == 201
        )
        found = teas.call("teas_get", '{"query": {"kind": "green", "limit": "5"}}')
        assert [tea["name"] for tea in found.value] == ["Sencha"]  # type: ignore[attr-defined]
        assert teas.call("teas_get", {}).response.status == 200
        read = teas.call("teas_getByName", {"name": "Sencha", "header": {"x-trace": "t1"}})
        assert read.value["trace"] == "t1"  # type: ignore[index]
        missing = teas.call("teas_getByName", {"name": "nothing"})
        assert (missing.response.status, missing.is_error) == (404, True)
        refused = teas.call("teas_post", {"body": {"name": "x", "kind": "red", "grams": 1}})
        assert refused.response is None
        assert refused.issues
        assert {str(issue.path) for issue in refused.issues} == {
            "$input.body.kind",
            "$input.body.grams",
        }
        assert teas.call("teas_eraseByName", {"name": "Sencha"}).response.status == 204
    assert asyncio.run(_again(document.content, url)) == 200


async def _again(document: bytes, url: str) -> int | None:
    async with Controller.from_openapi(document, server=url) as teas:
        return (await teas.acall("teas_get", {})).response.status
