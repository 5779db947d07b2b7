"""The documentation is true: its code runs, its links have targets, its files exist."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest
from packages import required, required_by
from pages import PAGES, blocks, chat_server, headings, links, name_of, run

import pyfunctools
from pyfunctools import Controller, errors

ROOT = Path(__file__).parents[1]
FILES = {path.name for path in (ROOT / "pyfunctools").rglob("*.py")}


@pytest.mark.parametrize("guide", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_file_that_a_guide_names_exists(guide: str) -> None:
    named = re.findall(r"`([\w./]+(?:\.py|/))`", (ROOT / guide).read_text())
    missing = [
        name
        for name in named
        if not any(
            (base / name).exists()
            for base in (ROOT, ROOT / "pyfunctools", ROOT / "pyfunctools/schema")
        )
        and name not in FILES
        and not list((ROOT / "pyfunctools").glob(f"*/{name}"))
    ]
    assert named
    assert missing == []


def _reply(**message: Any) -> dict[str, Any]:
    reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", **message}}
    head = {"id": "c", "object": "chat.completion", "created": 0, "model": "scripted"}
    return {**head, "choices": [choice]}


def _calls(name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return _reply(content=None, tool_calls=[{"id": "c1", "type": "function", "function": function}])


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A model with OpenAI's interface, which the SDK finds through its environment."""
    replies = [
        _calls("book", '{day: "2026-12-24", "guests": "four"}'),
        _calls("book", '{day: "2026-12-24", "guests": "4"}'),
        _reply(content="Your table is booked."),
    ]
    with chat_server(*replies) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_python_block_of_a_page_runs_in_order_and_prints_what_the_page_shows(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    required_by(*blocks(page))
    run(page)
    printed = capsys.readouterr().out
    assert [shown for shown in blocks(page, "text") if shown.strip() not in printed] == []


def test_the_reference_of_the_controller_lists_every_member_in_the_order_of_use() -> None:
    page = (ROOT / "docs/reference/controller.md").read_text()
    listed = set(re.findall(r"\w+", page.split("members:\n")[1].split("]")[0]))
    assert {name for name in dir(Controller) if not name.startswith("_")} <= listed


def test_the_reference_has_every_public_name() -> None:
    pages = "".join(page.read_text() for page in (ROOT / "docs/reference").glob("*.md"))
    shown = {*re.findall(r"^::: pyfunctools\.(\w+)$", pages, re.MULTILINE), *vars(errors)}
    assert set(pyfunctools.__all__) - shown == set()


def test_the_page_of_errors_has_every_error() -> None:
    page = (ROOT / "docs/errors.md").read_text()
    kinds = {each for each in vars(errors) if each.endswith("Error")}
    assert kinds - set(re.findall(r"`(\w+)`", page)) == set()


@pytest.mark.usefixtures("model")
def test_the_first_example_of_the_readme_is_a_whole_loop_with_real_feedback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    readme = ROOT / "README.md"
    required_by(*blocks(readme))
    ran = run(readme, 2)
    answer, feedback = capsys.readouterr().out.split("\n", 1)
    assert answer == "Your table is booked."
    messages = ran["messages"]
    assert isinstance(messages, list)
    assert "expected integer" in messages[2]["content"]
    assert messages[4]["content"] == "A table for 4 on December 24."
    assert [block.strip() for block in blocks(readme, "text")] == [feedback.strip()]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_of_a_page_has_a_target(page: Path) -> None:
    for path, heading in links(page):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not heading or heading in headings(target), f"{path}#{heading}"


def test_the_readme_is_short_and_offers_exactly_two_commands_to_try() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.count("\n") <= 200
    section = readme.split("## Try it")[1].split("\n## ")[0]
    assert re.findall(r"^```\w*\n(.*?)^```", section, re.MULTILINE | re.DOTALL) == [
        "pip install '.[cli]' && pyfunctools demo\npip install '.[dev]' && pytest -q\n"
    ]


@pytest.fixture(scope="module")
def pages_as_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file for each page with all its Python blocks; code that awaits is inside a function."""
    folder = tmp_path_factory.mktemp("pages")
    for page in PAGES:
        code = "\n".join(dedent(block).lstrip("\n") for block in blocks(page))
        if re.search(r"^await |^async (?:with|for) |= await ", code, re.MULTILINE):
            code = "async def page() -> None:\n" + indent(code, "    ")
        if code:
            (folder / f"{name_of(page).replace('/', '_')[:-3]}.py").write_text(code, "utf-8")
    return folder


@pytest.mark.slow
def test_pyright_accepts_the_pages(pages_as_files: Path) -> None:
    required("pyright")
    settings = {
        "include": ["."],
        "typeCheckingMode": "strict",
        "extraPaths": [str(ROOT)],
        "pythonVersion": "3.11",
        "reportUnusedFunction": False,  # a page that awaits is inside a function
    }
    (pages_as_files / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run([*command, "-p", str(pages_as_files)], capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == len(list(pages_as_files.glob("*.py")))
    complaints = [
        f"{Path(each['file']).name}:{each['range']['start']['line'] + 1}: {each['message']}"
        for each in report["generalDiagnostics"]
        if each["severity"] == "error"
    ]
    assert complaints == []


@pytest.mark.slow
def test_mypy_accepts_the_pages(pages_as_files: Path, tmp_path: Path) -> None:
    required("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    command += ["--cache-dir", str(tmp_path), *map(str, sorted(pages_as_files.glob("*.py")))]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.startswith("Success"), done.stdout + done.stderr
