"""The person's part of a call, in a terminal and without one."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from terminal import Terminal
from typer.testing import CliRunner, Result

from pyfunctools.cli.app import app

MODULE = '''
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import SecretStr

from pyfunctools import Human, function, human


@dataclass
class Recipient:
    name: str
    account: Annotated[str, human("The account to pay into")]


class Bank:
    @function(destructive=True)
    def transfer(
        self,
        amount: float,
        to: Recipient,
        pin: Human[SecretStr],
        speed: Annotated[Literal["slow", "fast"], human("How fast")],
        limit: Human[int],
        tell: Human[bool] = False,
    ) -> str:
        """Send money."""
        print("RUNNING")
        return f"{amount} to {to.account}, {len(pin.get_secret_value())}, {speed}, {limit}, {tell}"

    @function(confirm=True)
    def pay(self, amount: float) -> str:
        """Pay."""
        print("RUNNING")
        return f"paid {amount}"
'''
ARGS = ("--args", '{"amount": 2, "to": {"name": "Ada"}}')
GAVE = {"to": {"account": "DE02"}, "pin": "s3cret", "speed": "fast", "limit": 9}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bank_of_a_person.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "bank_of_a_person", raising=False)
    return tmp_path


def call(name: str, *words: str, given: str = "") -> Result:
    source = "bank_of_a_person:Bank"
    return CliRunner().invoke(app, ["call", source, name, *words], input=given)


def test_in_a_terminal_a_person_is_asked_and_a_secret_is_not_echoed(folder: Path) -> None:
    words = ("-m", "pyfunctools", "call", "bank_of_a_person:Bank", "transfer", *ARGS)
    with Terminal(*words, cwd=folder) as terminal:
        terminal.answer("The account to pay into: ", "DE02")
        terminal.answer("Pin [hidden]: ", "s3cret")
        terminal.answer("How fast: ", "3")
        terminal.answer("Limit [integer]: ", "much")
        terminal.answer("Tell [y/n, Enter for false]: ", "yes")
        terminal.until('Not accepted: How fast: This must be one of "slow", "fast".')
        terminal.until("Not accepted: Limit: This must be a whole number.")
        terminal.answer("How fast: ", "2")
        terminal.answer("Limit [integer]: ", "9")
        terminal.until("Bank.transfer")
        terminal.until('"pin": "***"')
        assert "RUNNING" not in terminal.output
        terminal.answer("Run transfer? [y/N]: ", "y")
        assert terminal.end() == 0
    assert "2.0 to DE02, 6, fast, 9, True" in terminal.output
    assert "s3cret" not in terminal.output
    assert max(map(len, terminal.output.splitlines())) <= 80


@pytest.mark.parametrize("typed", ["n", "", "\x04"])
def test_without_confirmation_nothing_runs(folder: Path, typed: str) -> None:
    words = ("-m", "pyfunctools", "call", "bank_of_a_person:Bank", "pay", "--args", '{"amount": 2}')
    with Terminal(*words, cwd=folder) as terminal:
        terminal.answer("Run pay? [y/N]: ", typed)
        assert terminal.end() == 4
    assert "RUNNING" not in terminal.output


def test_without_a_terminal_missing_values_are_listed_and_nothing_runs(folder: Path) -> None:
    done = call("transfer", *ARGS, "--yes")
    assert done.exit_code == 4
    for asked in ("to.account: The account", "pin: Pin", "speed: How fast", "limit: Limit"):
        assert f"a person gives $input.{asked}" in done.stderr
    assert "--human" in done.stderr
    done = call("transfer", *ARGS, "--yes", "--human", '{"pin": "s3cret", "speed": "no"}')
    assert done.exit_code == 4
    assert "$input.speed: How fast: This must be" in done.stderr
    assert "$input.limit: Limit: This is needed." in done.stderr
    assert "RUNNING" not in done.output
    assert "s3cret" not in done.output


def test_a_value_that_nobody_asked_for_is_told_with_what_is_asked_for(folder: Path) -> None:
    done = call("transfer", *ARGS, "--yes", "--human", json.dumps({**GAVE, "pim": "s3cret"}))
    assert done.exit_code == 4
    assert 'expected no value here: did you mean "pin"?' in done.stderr
    assert "s3cret" not in done.output


def test_without_a_terminal_approval_needs_yes(folder: Path) -> None:
    given = ("--human", json.dumps(GAVE))
    for name, words in (("transfer", (*ARGS, *given)), ("pay", ("--args", '{"amount": 2}'))):
        done = call(name, *words)
        assert done.exit_code == 4
        assert "--yes" in done.stderr
        assert "RUNNING" not in done.output
        assert call(name, *words, "--yes").exit_code == 0


def test_given_values_are_not_asked_for_again(folder: Path) -> None:
    gave = json.dumps({key: value for key, value in GAVE.items() if key != "limit"})
    done = call("transfer", *ARGS, "--yes", "--ask", "--human", gave, given="7\n\n")
    assert done.exit_code == 0, done.output
    assert "2.0 to DE02, 6, fast, 7, False" in done.stdout
    assert "Pin" not in done.stderr


def test_invalid_given_values_are_asked_for(folder: Path) -> None:
    gave = json.dumps({**GAVE, "limit": "much"})
    done = call("transfer", *ARGS, "--yes", "--ask", "--human", gave, given="7\n\n")
    assert done.exit_code == 0, done.output
    assert "Not accepted: Limit: This must be a whole number." in done.stderr
    assert "fast, 7" in done.stdout


def test_the_end_of_input_runs_nothing(folder: Path) -> None:
    done = call("transfer", *ARGS, "--ask", given="DE02\n")
    assert done.exit_code == 4
    assert "RUNNING" not in done.output


def test_with_invalid_arguments_nobody_is_asked(folder: Path) -> None:
    done = call("transfer", "--args", '{"amount": "x"}', "--ask")
    assert done.exit_code == 3
    assert "❌" in done.stdout
    assert done.stderr == ""


@pytest.fixture
def shop() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    seen: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            seen.append((f"{self.command} {self.path}", body))
            self.send_response(204)
            self.end_headers()

        def do_DELETE(self) -> None:
            self.do_POST()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", seen
        server.shutdown()
        thread.join()


ID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


def shopping(shared: Path, url: str, name: str, args: Any, *words: str, given: str = "") -> Result:
    document = shared / "corpus" / "v3.1" / "samchon-openapi--v3.1_shopping.json"
    line = ["call", str(document), name, "--server", url, "--args", json.dumps(args), *words]
    return CliRunner().invoke(app, line, input=given)


def test_each_file_of_the_models_is_asked_for_in_turn(
    shared: Path, shop: tuple[str, list[tuple[str, bytes]]]
) -> None:
    url, seen = shop
    files = [{"name": "cat", "extension": "png"}, {"name": "dog", "extension": "png"}]
    body = {"secret": False, "format": "md", "title": "T", "body": "B", "files": files}
    name = "shoppings_customers_sales_questions_create"
    given = "cat.png\nhttps://x.example/dog.png\nhttps://x.example/cat.png\n"
    done = shopping(shared, url, name, {"saleId": ID, "body": body}, "--ask", given=given)
    assert done.exit_code == 0, done.output
    assert "For cat, png." in done.stderr
    assert "This must be a text in the form “uri”." in done.stderr
    ((line, sent),) = seen
    assert line == f"POST /shoppings/customers/sales/{ID}/questions"
    assert [each["url"][-7:] for each in json.loads(sent)["files"]] == ["cat.png", "dog.png"]


def test_a_file_is_sent_with_its_name_and_a_missing_one_sends_nothing(
    shop: tuple[str, list[tuple[str, bytes]]], tmp_path: Path
) -> None:
    url, seen = shop
    (tmp_path / "roof.png").write_bytes(b"\x89PNG roof")
    properties = {"reason": {"type": "string"}, "photo": {"type": "string", "format": "binary"}}
    schema = {"type": "object", "properties": properties, "required": ["photo"]}
    content = {"multipart/form-data": {"schema": schema}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/claims": {"post": {"requestBody": {"content": content, "required": True}}}},
    }
    (tmp_path / "claims.json").write_text(json.dumps(document))
    words = ["call", str(tmp_path / "claims.json"), "claims_post", "--server", url, "--ask"]
    line = [*words, "--args", '{"body": {"reason": "hail"}}']
    typed = f"{tmp_path / 'no.png'}\n"
    done = CliRunner().invoke(app, line, input=typed)
    assert (done.exit_code, seen) == (4, [])
    assert "No such file" in done.stderr
    done = CliRunner().invoke(app, line, input=f"{typed}{tmp_path / 'roof.png'}\n")
    assert done.exit_code == 0, done.output
    ((_, sent),) = seen
    assert b'filename="roof.png"' in sent
    assert b"Content-Type: image/png" in sent
    assert b"\x89PNG roof" in sent


def test_a_destructive_operation_shows_its_address_and_sends_nothing_unless_approved(
    shared: Path, shop: tuple[str, list[tuple[str, bytes]]]
) -> None:
    url, seen = shop
    name = "shoppings_admins_coupons_erase"
    done = shopping(shared, url, name, {"id": ID}, "--ask", given="n\n")
    assert (done.exit_code, seen) == (4, [])
    shown = re.sub(r"[\s│]+", "", done.stderr)
    assert f"DELETE{url}/shoppings/admins/coupons/{ID}" in shown
    assert shopping(shared, url, name, {"id": ID}).exit_code == 4
    assert seen == []
    assert shopping(shared, url, name, {"id": ID}, "--ask", given="y\n").exit_code == 0
    assert shopping(shared, url, name, {"id": ID}, "--yes").exit_code == 0
    assert [line for line, _ in seen] == [f"DELETE /shoppings/admins/coupons/{ID}"] * 2


def test_the_command_has_the_same_exit_status_outside_a_terminal(folder: Path) -> None:
    words = [sys.executable, "-m", "pyfunctools", "call", "bank_of_a_person:Bank", "transfer"]
    done = subprocess.run([*words, *ARGS], cwd=folder, input="", capture_output=True, text=True)
    assert done.returncode == 4
    assert "a person gives $input.to.account" in done.stderr
