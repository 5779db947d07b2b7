"""The commands, as a person types them."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import Terminal

from pyfunctools.__main__ import main
from pyfunctools.cli.display import Status

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
from pyfunctools import Context, function, human
from typing import Annotated

class Bank:
    @function(confirm=True)
    def pay(self, amount: float, pin: Annotated[str, human("The pin")]) -> str:
        '''Pay somebody.'''
        return f"paid {amount} with {pin}"

def fail() -> None:
    '''Fail.'''
    raise ValueError("no")

def who(greeting: dict[str, str], user: Context[dict[str, str]]) -> str:
    '''Greet.'''
    return f"{greeting['word']} {user['name']}"

user = {"name": "Bob"}

def run(kind: Annotated[str, "One of `red`, `green` or `blue`."], a0: int, a1: int, a2: int,
        a3: int, a4: int, a5: int, a6: int, a7: int, a8: int, a9: int, a10: int, a11: int) -> None:
    pass
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


def run_process(
    *words: str, cwd: Path | None = None, given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command as a terminal does."""
    return subprocess.run(
        [sys.executable, "-m", "pyfunctools", *words],
        cwd=cwd,
        input=given,
        capture_output=True,
        encoding=os.environ.get("PYTHONIOENCODING", "utf-8"),
        timeout=300,
    )


def run(*words: str, cwd: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in this process: no second Python has to start and import."""
    streams = {
        name: io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", write_through=True)
        for name, text in (("stdin", given), ("stdout", ""), ("stderr", ""))
    }
    before, status = set(sys.modules), None
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        patch.setattr(sys, "path", [str(cwd), *sys.path])
        patch.setattr(sys, "argv", ["pyfunctools", *words])
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        try:
            main()
        except SystemExit as ended:
            status = ended.code
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(cwd):
            del sys.modules[name]  # the next test has another module of this name
    assert isinstance(status, int)
    out, err = (streams[name].buffer.getvalue().decode() for name in ("stdout", "stderr"))
    return subprocess.CompletedProcess(words, status, out, err)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "api.json").write_text(json.dumps(DOCUMENT))
    (tmp_path / "bank.py").write_text(MODULE)
    (tmp_path / "teahouse.py").write_text(APPLICATION)
    return tmp_path


def test_list_shows_every_function_and_what_was_skipped(folder: Path) -> None:
    done = run("list", "api.json", cwd=folder)
    assert done.returncode == 0
    assert done.stdout == "a_getById\tGET /a/{id}\tGet one\nb_post\tPOST /b\t]0;evilMake one\n"
    assert "2 functions, 1 skipped" in done.stderr
    assert "/paths/~1c/get" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert run("list", "-", cwd=folder, given=json.dumps(DOCUMENT)).stdout == done.stdout
    assert "b_post" not in run("list", "api.json", "--tag", "x", cwd=folder).stdout
    rows = json.loads(run("list", "bank:Bank", "--json", cwd=folder).stdout)
    assert [(row["name"], row["description"]) for row in rows] == [("pay", "Pay somebody.")]
    assert "1 function, 0 skipped" in run("list", "bank:Bank", cwd=folder).stderr


def test_search_lists_what_fits(folder: Path) -> None:
    done = run("search", "api.json", "some", "evil", cwd=folder)
    assert done.stdout.splitlines()[0].startswith("b_post\t")
    listed = run("search", "api.json", "evil", "--json", cwd=folder)
    assert [each["name"] for each in json.loads(listed.stdout)] == ["b_post"]
    assert run("search", "api.json", "zzz", cwd=folder).stdout == ""


def test_show_prints_one_function_as_page_and_as_json(folder: Path) -> None:
    page = run("show", "bank:Bank", "pay", cwd=folder).stdout
    assert "what the model sees" in page
    assert "The pin" in page.split("what only a person gives")[1]
    record = json.loads(run("show", "bank:Bank", "pay", "--json", cwd=folder).stdout)
    assert list(record["llm"]["properties"]) == ["amount"]
    assert list(record["human"]["properties"]) == ["pin"]


def test_call_has_the_exit_status_of_its_outcome(folder: Path) -> None:
    args, gave = ("--args", '{"amount": "2"}'), ("--human", '{"pin": "1"}')
    done = run("call", "bank:Bank", "pay", *args, *gave, "--yes", cwd=folder)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "paid 2.0 with ***")
    asked = run("call", "bank:Bank", "pay", *args, *gave, "--ask", cwd=folder, given="y\n")
    assert asked.returncode == 0
    refused = run("call", "bank:Bank", "pay", *args, *gave, "--ask", cwd=folder, given="n\n")
    assert refused.returncode == Status.WAITS
    waiting = run("call", "bank:Bank", "pay", *args, cwd=folder)
    assert waiting.returncode == Status.WAITS
    assert "a person gives $input.pin: The pin" in waiting.stderr
    assert waiting.stdout == "A person has to add their part first. Nothing has run yet.\n"
    unapproved = run("call", "bank:Bank", "pay", *args, *gave, cwd=folder)
    assert unapproved.returncode == Status.WAITS
    assert "This needs approval: use --yes" in unapproved.stderr
    assert "a person gives" not in unapproved.stderr
    wrong = run("call", "bank:Bank", "pay", "--args", "-", cwd=folder, given="{}")
    assert wrong.returncode == Status.REFUSED
    assert "❌" in wrong.stdout
    assert run("call", "bank:fail", "fail", cwd=folder).returncode == Status.FAILED


def test_call_prints_json_for_another_program(folder: Path) -> None:
    words = ("call", "bank:Bank", "pay", "amount=2", "--human", '{"pin": "1234"}', "--yes")
    done = run(*words, "--json", cwd=folder)
    said = json.loads(done.stdout)
    assert (said["ok"], said["text"]) == (True, "paid 2.0 with ***")
    assert said["repairs"] == [
        {"path": "$input.amount", "kind": "number", "before": "2", "after": 2}
    ]
    assert done.stderr == ""
    refused = json.loads(run("call", "bank:Bank", "pay", "--json", cwd=folder).stdout)
    assert (refused["reason"], refused["issues"][0]["path"]) == ("arguments", "$input.amount")


def test_arguments_context_and_credentials_come_from_the_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("call", "bank:who", "who", 'greeting={"word": "Hi"}', "--context")
    assert run(*words, '{"name": "Ada"}', cwd=folder).stdout == "Hi Ada\n"
    assert run(*words, "bank:user", cwd=folder).stdout == "Hi Bob\n"
    monkeypatch.delenv("NOT_THERE", raising=False)
    call = ("call", "api.json", "a_getById", "id=1", "--server", "http://127.0.0.1:9")
    for option in (("--header", "X: $NOT_THERE"), ("--auth", "header:X=${NOT_THERE}")):
        done = run(*call, *option, cwd=folder)
        assert done.returncode == Status.MISTAKE
        assert "The variable $NOT_THERE is not set. Write `export NOT_THERE=" in done.stderr
    unquoted = run(*words, "ada", cwd=folder).stderr
    assert "Give `module:object`, or JSON: `'\"kim\"'` is a text." in unquoted
    assert "is Python" in run("call", "bank:who", "who", "--auth", "x=y", cwd=folder).stderr


@pytest.mark.parametrize("encoding", ["cp1252", pytest.param("ascii", marks=pytest.mark.slow)])
def test_output_survives_a_small_encoding(
    folder: Path, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    assert "\\u274c missing" in run_process("call", "bank:Bank", "pay", cwd=folder).stdout
    for words in (("demo",), ("show", "bank:Bank", "pay"), ("report", "api.json")):
        done = run_process(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
    said = run_process("call", "bank:Bank", "pay", "--json", cwd=folder).stdout
    assert "❌" in json.loads(said)["text"]


def test_check_prints_notes_and_advice(folder: Path) -> None:
    done = run("check", "bank:run", cwd=folder)
    assert done.returncode == Status.FOUND
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == [
        "run",
        "run",
        "run $input",
        "run $input.kind",
        *(f"run $input.a{n}" for n in range(12)),
    ]
    assert 'Write `kind: Literal["red", "green", "blue"]`.' in done.stdout
    skipped = json.loads(run("check", "api.json", "--json", cwd=folder).stdout)
    assert {each["kind"] for each in skipped} == {"skipped", "advice", "odd"}
    fine = run("check", "demo", cwd=folder)
    assert (fine.returncode, fine.stdout) == (0, "")


def test_replay_counts_the_results_of_recorded_calls(folder: Path) -> None:
    calls = (
        {"name": "brewing", "arguments": {"kind": "green"}},
        {"function": {"name": "brewing", "arguments": '{"kind": "Green",}'}},
        {"name": "brewing", "arguments": "{}"},
        {"name": "none"},
    )
    lines = "\n".join([*map(json.dumps, calls), "", "no call", "[" * (3 << 20)])
    done = run("replay", "demo", "-", "--json", cwd=folder, given=lines)
    assert done.returncode == Status.FOUND
    assert json.loads(done.stdout) == {
        "calls": {"unreadable": 2, "right": 1, "repaired": 1, "refused": 1, "unknown": 1},
        "repairs": {"comma": 1, "constant": 1},
        "refused": {"brewing": 1},
        "unknown": {"none": 1},
    }
    (folder / "calls.jsonl").write_text(json.dumps(calls[0]))
    good = run("replay", "demo", "calls.jsonl", cwd=folder)
    assert (good.returncode, good.stdout) == (0, "calls\tright\t1\n")


def test_export_prints_the_tools_of_a_vendor_and_the_losses(folder: Path) -> None:
    words = ("export", "demo", "--dialect", "anthropic", "--strict", "--name", "order")
    done = run(*words, cwd=folder)
    (tool,) = json.loads(done.stdout)
    assert (tool["name"], tool["strict"]) == ("order", True)
    assert "card_number" not in done.stdout
    assert "order $input.grams: `minimum` told" in done.stderr


def test_ctrl_c_ends_with_130(folder: Path) -> None:
    with Terminal("-m", "pyfunctools", "call", "bank:Bank", "pay", "amount=2", cwd=folder) as seen:
        seen.until("pin [hidden]: ")
        seen.interrupt()
        assert seen.end() == Status.INTERRUPTED


def test_serving_a_function_that_takes_a_context_says_how_to_give_one(folder: Path) -> None:
    bare = run("serve", "bank:who", cwd=folder)
    assert bare.returncode == Status.MISTAKE
    assert "--context module:object" in bare.stderr
    assert (
        run_process("serve", "bank:who", "--context", "bank:user", cwd=folder).returncode
        == Status.DONE
    )


def test_serving_takes_keys_and_the_address_of_a_page(folder: Path) -> None:
    page = "https://shop.example/answer?ticket={ticket}"
    (folder / "keys").write_text(f"{'ab' * 32}\n{'cd' * 40}\n")
    good = run_process("serve", "demo", "--keys", "@keys", "--page-url", page, cwd=folder)
    assert (good.returncode, good.stderr) == (Status.DONE, "")
    for option, given, remedy in (
        ("--keys", "abcd", "openssl rand -hex 32"),
        ("--keys", "$NOPE_1", "export NOPE_1"),
        ("--page-url", "https://shop.example/answer", "{ticket}"),
    ):
        bad = run("serve", "demo", option, given, cwd=folder)
        assert bad.returncode == Status.MISTAKE
        assert option in bad.stderr
        assert remedy in bad.stderr


def test_call_of_a_document_needs_a_server_and_says_when_nobody_answers(folder: Path) -> None:
    args = ("call", "api.json", "a_getById", "--args", '{"id": 1}')
    assert "--server document" in run(*args, cwd=folder).stderr
    gone = run(*args, "--server", "document", cwd=folder)
    assert gone.returncode == Status.FAILED
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
        ("replay", "api.json", "missing.jsonl"),
        ("replay", "api.json", "."),
    ],
    ids=lambda words: " ".join(words),
)
def test_a_mistake_is_one_line_and_status_2(folder: Path, words: tuple[str, ...]) -> None:
    done = run(*words, cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("words", [("list", "demo"), ("list", "demo", "--json"), ("demo",)])
def test_a_full_disk_is_one_line_and_status_2(folder: Path, words: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "pyfunctools", *words]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["error: [Errno 28] No space left on device"]


def test_an_unknown_name_suggests_close_names(folder: Path) -> None:
    assert "Did you mean a_getById?" in run("show", "api.json", "a_getByld", cwd=folder).stderr


@pytest.mark.parametrize("place", ["app", "router"])
def test_an_application_is_called_in_process_without_a_server(folder: Path, place: str) -> None:
    words = ("call", f"teahouse:{place}", "teas_getByName", "--args", '{"name": "mint"}')
    done = run(*words, cwd=folder)
    assert (done.returncode, "a cup of mint" in done.stdout) == (0, True), done.stderr


def test_report_prints_functions_and_their_sizes(folder: Path) -> None:
    done = run("report", "api.json", cwd=folder)
    assert "2 functions, 1 skipped" in done.stdout, done.stderr
    assert "a_getById" in done.stdout
    as_json = json.loads(run("report", "api.json", "--json", cwd=folder).stdout)
    assert (as_json["operations"], as_json["functions"]) == (3, 2)
    assert [entry["bytes"] for entry in as_json["entries"]] == sorted(
        (entry["bytes"] for entry in as_json["entries"]), reverse=True
    )


def test_the_help_says_a_whole_sentence_of_every_command(folder: Path) -> None:
    told = run("--help", cwd=folder).stdout
    assert "replay" in told
    assert "..." not in told.split("Commands:")[1]
    assert "file <str>" in run("replay", "--help", cwd=folder).stdout


def test_a_shell_completes_the_commands(folder: Path) -> None:
    asked = {"_PYFUNCTOOLS_COMPLETE": "complete_bash", "COMP_WORDS": "pyfunctools s"}
    done = subprocess.run(
        [sys.executable, "-c", "from pyfunctools.cli.app import app; app(prog_name='pyfunctools')"],
        env={**os.environ, **asked, "COMP_CWORD": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["search", "show", "serve"]
