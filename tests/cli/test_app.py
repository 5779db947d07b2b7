"""The commands, as a person types them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "T", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {
        "/a/{id}": {
            "get": {
                "summary": "Get one",
                "tags": ["x"],
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
                ],
            }
        },
        "/b": {"post": {"summary": "\x1b]0;evil\x07Make one"}},
        "/c": {"get": {"x-human": True, "summary": "For people"}},
    },
}

MODULE = """
from pyfunctools import function, human
from typing import Annotated

class Bank:
    @function(confirm=True)
    def pay(self, amount: float, pin: Annotated[str, human("The pin")]) -> str:
        '''Pay somebody.'''
        return f"paid {amount} with {pin}"
"""

APPLICATION = """
from fastapi import APIRouter, FastAPI

router = APIRouter()

@router.get("/teas/{name}")
def tea(name: str) -> str:
    return f"a cup of {name}"

app = FastAPI()
app.include_router(router)
"""


def run(*words: str, cwd: Path | None = None, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pyfunctools", *words],
        cwd=cwd,
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "api.json").write_text(json.dumps(DOCUMENT))
    (tmp_path / "bank.py").write_text(MODULE)
    (tmp_path / "teahouse.py").write_text(APPLICATION)
    return tmp_path


def test_list_shows_every_function_and_what_was_skipped(folder: Path) -> None:
    done = run("list", "api.json", cwd=folder)
    assert done.returncode == 0
    assert "a_getById" in done.stdout
    assert "GET /a/{id}" in done.stdout
    assert "2 functions, 1 skipped" in done.stdout
    assert "/paths/~1c/get" in done.stdout
    assert "\x1b" not in done.stdout
    assert "b_post" not in run("list", "api.json", "--tag", "x", cwd=folder).stdout
    rows = json.loads(run("list", "bank:Bank", "--json", cwd=folder).stdout)
    assert [(row["name"], row["description"]) for row in rows] == [("pay", "Pay somebody.")]


def test_show_prints_one_function_as_page_and_as_json(folder: Path) -> None:
    page = run("show", "bank:Bank", "pay", cwd=folder).stdout
    assert "what the model sees" in page
    assert "The pin" in page.split("what only a person gives")[1]
    record = json.loads(run("show", "bank:Bank", "pay", "--json", cwd=folder).stdout)
    assert list(record["llm"]["properties"]) == ["amount"]
    assert list(record["human"]["properties"]) == ["pin"]


def test_call_runs_the_pipeline_and_the_exit_status_says_what_came_of_it(folder: Path) -> None:
    args, gave = ("--args", '{"amount": "2"}'), ("--human", '{"pin": "1"}')
    done = run("call", "bank:Bank", "pay", *args, *gave, "--yes", cwd=folder)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "paid 2.0 with ***")
    asked = run("call", "bank:Bank", "pay", *args, *gave, "--ask", cwd=folder, given="y\n")
    assert asked.returncode == 0
    refused = run("call", "bank:Bank", "pay", *args, *gave, "--ask", cwd=folder, given="n\n")
    assert refused.returncode == 1
    waiting = run("call", "bank:Bank", "pay", *args, cwd=folder)
    assert waiting.returncode == 1
    assert "what only a person gives" in waiting.stdout
    wrong = run("call", "bank:Bank", "pay", "--args", "-", cwd=folder, given="{}")
    assert wrong.returncode == 1
    assert "❌" in wrong.stdout


def test_call_of_a_document_needs_a_server_and_says_when_nobody_answers(folder: Path) -> None:
    args = ("call", "api.json", "a_getById", "--args", '{"id": 1}')
    assert "--server document" in run(*args, cwd=folder).stderr
    gone = run(*args, "--server", "document", cwd=folder)
    assert gone.returncode == 1
    assert "Traceback" not in gone.stdout + gone.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("list", "missing.json"),
        ("list", "bank.py"),
        ("list", "nowhere:thing"),
        ("show", "api.json", "a_getByld"),
        ("call", "api.json", "nothing"),
        ("call", "bank:Bank", "pay", "--human", "{"),
        ("call", "bank:Bank", "pay", "--args", "@missing.json"),
        ("list", "https://example.com/openapi.json"),
    ],
    ids=lambda words: " ".join(words),
)
def test_a_mistake_is_one_line_and_status_2(folder: Path, words: tuple[str, ...]) -> None:
    done = run(*words, cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_an_unknown_name_offers_the_close_ones(folder: Path) -> None:
    assert "Did you mean a_getById?" in run("show", "api.json", "a_getByld", cwd=folder).stderr


@pytest.mark.parametrize("place", ["app", "router"])
def test_an_application_is_called_in_process_without_a_server(folder: Path, place: str) -> None:
    words = ("call", f"teahouse:{place}", "teas_getByName", "--args", '{"name": "mint"}')
    done = run(*words, cwd=folder)
    assert (done.returncode, "a cup of mint" in done.stdout) == (0, True), done.stderr


def test_report_says_what_is_there_and_how_large_it_is(folder: Path) -> None:
    done = run("report", "api.json", cwd=folder)
    assert "2 functions of 3 operations, 1 skipped" in done.stdout, done.stderr
    assert "a_getById" in done.stdout
    as_json = json.loads(run("report", "api.json", "--json", cwd=folder).stdout)
    assert (as_json["operations"], as_json["functions"]) == (3, 2)
    assert [entry["bytes"] for entry in as_json["entries"]] == sorted(
        (entry["bytes"] for entry in as_json["entries"]), reverse=True
    )
