"""The page in a real browser: GHES, a FastAPI server, with scripts and without."""

import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
GHES = ROOT.parent / "shared/corpus/v3.0/octokit-openapi--generated_ghes-3.17.json"
CHROMIUM = which("chromium") or which("chromium-browser")
AXE = Path(os.environ.get("AXE_CORE", "/nowhere"))
"""The file `axe.min.js` of axe-core, if it is installed for the tests."""
SHOTS = os.environ.get("PYFUNCTOOLS_SCREENSHOTS")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FIRST_PAINT = """new Promise((done, fail) => {
  new PerformanceObserver(list => done(list.getEntries()[0].startTime))
    .observe({type: 'paint', buffered: true});
  setTimeout(() => fail(Error('nothing was painted')), 60000);
})"""

pytestmark = [pytest.mark.browser, pytest.mark.slow]
playwright = pytest.importorskip("playwright.sync_api")
if CHROMIUM is None:
    pytest.skip("there is no chromium here", allow_module_level=True)

BANK = """
from typing import Annotated, Literal
from fastapi import FastAPI, File, Form, UploadFile
from pydantic import BaseModel, Field, SecretStr
from pyfunctools import human
class Card(BaseModel):
    kind: Literal["card"] = "card"
    number: str
class Bank(BaseModel):
    kind: Literal["bank"] = "bank"
    iban: str
class Order(BaseModel):
    item: str
    count: int = Field(ge=1, le=9)
    pay: Annotated[Card | Bank, human("How you pay")]
    pin: Annotated[str, human("The pin", secret=True)]
app = FastAPI()
@app.post("/orders", tags=["orders"])
def order(order: Order) -> str:
    return f"{order.count} {order.item} by {order.pay.kind} {len(order.pin)}"
@app.post("/scans", tags=["scans"])
def scan(name: Annotated[str, Form()], scan: UploadFile) -> str:
    return f"{name} {scan.filename} {len(scan.file.read())}"
@app.delete("/orders/{number}", tags=["orders"])
def cancel(number: int) -> str:
    return f"cancelled {number}"
"""


@contextmanager
def inspecting(source: str, *options: str, folder: Path = ROOT) -> Iterator[str]:
    command = [sys.executable, "-m", "pyfunctools", "inspect", source, "--no-open", *options]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    stop = threading.Timer(600, running.kill)  # a hanging page ends the test
    stop.start()
    try:
        assert running.stdout is not None
        yield running.stdout.readline().strip()
    finally:
        stop.cancel()
        running.terminate()
        running.wait(30)
        running.stdout.close()


@pytest.fixture(scope="module")
def ghes() -> Iterator[str]:
    if not GHES.exists():
        pytest.skip("the corpus is not here")
    with inspecting(str(GHES), "--server", "http://127.0.0.1:9") as address:
        yield address


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("bank")
    (folder / "bank.py").write_text(BANK)
    with inspecting("bank:app", folder=folder) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield made
        made.close()


@pytest.fixture(params=[True, False], ids=["scripts", "no scripts"])
def page(request: pytest.FixtureRequest, browser: Any) -> Iterator[Any]:
    context = browser.new_context(java_script_enabled=request.param)
    context.set_default_timeout(30_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def scripted(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(30_000)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    context.close()
    assert wrong == []


def press(page: Any, name: str, role: str = "button") -> None:
    """Press a button or a link, and wait for the page that it leads to."""
    with page.expect_navigation():
        page.get_by_role(role, name=name, exact=True).first.click()


def under(page: Any, heading: str) -> str:
    """Return the text of the `pre` after a heading of a result."""
    return str(page.locator(f"h3:text-is('{heading}') ~ pre").first.inner_text())


def go(page: Any, address: str, path: str) -> None:
    page.goto(address)
    page.goto(address.partition("/?")[0] + path)


def test_a_function_of_a_thousand_is_found_by_typing(scripted: Any, ghes: str) -> None:
    scripted.goto(ghes)
    assert "token" not in scripted.url
    # The limit of one second is measured where nothing else runs.
    assert scripted.evaluate(FIRST_PAINT) < 10_000
    scripted.evaluate(
        "window.long = []; new PerformanceObserver(list => window.long.push("
        "...list.getEntries().map(each => each.duration))).observe({type: 'longtask'})"
    )
    scripted.get_by_label("Search").press_sequentially("create an issue", delay=30)
    found = scripted.locator("#found a", has_text="repos_issues_postByOwnerAndRepo").first
    found.wait_for()
    assert max(scripted.evaluate("window.long"), default=0) < 500  # ten times the limit
    with scripted.expect_navigation():
        found.click()
    title = scripted.get_by_role("heading", level=1)
    assert title.inner_text() == "repos_issues_postByOwnerAndRepo"
    for each in ("What the model sees", "What the person gives", "What a vendor gets", "Try it"):
        assert scripted.get_by_role("heading", name=each, exact=True).is_visible()
    # The next one is found beside it.
    scripted.get_by_label("Search").fill("delete a gist")
    beside = scripted.locator("aside a", has_text="gists_eraseByGist_id").first
    with scripted.expect_navigation():
        beside.click()
    assert title.inner_text() == "gists_eraseByGist_id"


def test_broken_text_is_marked_and_a_smuggled_value_is_refused(page: Any, bank: str) -> None:
    go(page, bank, "/functions/orders_post")
    wrote = page.get_by_label("What the model wrote")
    wrote.fill("Sure! {body: {item: 'tea', count: '2'}}")
    press(page, "Check")
    assert page.locator(".result mark").first.inner_text() == "Sure!"
    wrote = page.get_by_label("What the model wrote")
    wrote.fill('{"body": {"item": "tea", "count": 20, "pin": "0000"}}')
    press(page, "Run")
    marked = page.locator(".result mark").all_inner_texts()
    assert any("count" in each and "❌" in each for each in marked)
    assert any("pin" in each and "not yours to give" in each for each in marked)


def test_a_secret_and_the_branch_of_a_union_are_given_in_a_form(page: Any, bank: str) -> None:
    go(page, bank, "/functions/orders_post")
    page.get_by_label("What the model wrote").fill('{"body": {"item": "tea", "count": 2}}')
    press(page, "Check")
    pin = page.locator('[name="$input.body.pin"]')
    assert pin.get_attribute("type") == "password"
    pin.fill("48151623")
    page.locator('[name="$input.body.pay"]').select_option("Bank")
    press(page, "Check")
    page.locator('[name="$input.body.pay.iban"]').fill("NO93")
    press(page, "Run")
    assert under(page, "What the program gets") == '"2 tea by bank 8"'
    assert "48151623" not in page.content()
    assert "POST" in under(page, "The request")


def test_a_file_is_uploaded(page: Any, bank: str, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(bytes(1000))
    go(page, bank, "/functions/scans_post")
    page.get_by_label("What the model wrote").fill('{"body": {"name": "Ada"}}')
    page.locator('[name="$input.body.scan"]').set_input_files(str(tmp_path / "a.png"))
    press(page, "Run")
    assert under(page, "What the program gets") == '"Ada a.png 1000"'


def test_a_destructive_call_asks_and_waits_until_it_is_answered(page: Any, bank: str) -> None:
    go(page, bank, "/functions/orders_eraseByNumber")
    page.get_by_label("What the model wrote").fill('{"number": 7}')
    press(page, "Run")
    assert page.get_by_role("button", name="Approve").is_visible()
    press(page, "Waiting", "link")
    press(page, "Approve")
    assert under(page, "What the program gets") == '"cancelled 7"'
    assert page.get_by_text("No call waits for you.").is_visible()


def test_the_choice_of_the_treemap_is_a_command_that_runs(scripted: Any, ghes: str) -> None:
    go(scripted, ghes, "/size")
    assert scripted.locator("#map.drawn").is_visible()
    with scripted.expect_response(lambda answer: "tag=gists" in answer.url):
        scripted.locator("#map button[name=toggle-tag][value=gists]").focus()
        scripted.keyboard.press("Enter")
    line = scripted.get_by_label("Command")
    line.wait_for()
    words = shlex.split(line.inner_text())
    assert words[0] == "pyfunctools"
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, timeout=300, cwd=ROOT
    )
    assert done.returncode == 0
    counted = re.search(r"^(\d+) functions", scripted.locator("#choice").inner_text())
    assert counted is not None
    assert f"{counted[1]} tools" in done.stderr


@pytest.mark.parametrize("path", ["/", "/functions/orders_post", "/waiting", "/size"])
def test_axe_finds_nothing_serious(scripted: Any, bank: str, path: str) -> None:
    if not AXE.exists():
        pytest.skip("AXE_CORE names no axe.min.js")
    go(scripted, bank, path)
    scripted.evaluate(AXE.read_text())  # the policy forbids only what the page itself loads
    found = scripted.evaluate("axe.run()")["violations"]
    assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []


@pytest.mark.skipif(not SHOTS, reason="PYFUNCTOOLS_SCREENSHOTS names no folder")
def test_screenshots(browser: Any, bank: str, ghes: str) -> None:
    for theme in ("light", "dark"):
        for width in (1280, 390):
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=theme
            )
            page = context.new_page()
            for name, address, path in (
                ("functions", ghes, "/"),
                ("size", ghes, "/size"),
                ("function", ghes, "/functions/repos_issues_postByOwnerAndRepo"),
            ):
                go(page, address, path)
                page.screenshot(path=f"{SHOTS}/{name}-{width}-{theme}.png")
            go(page, bank, "/functions/orders_post")
            page.get_by_label("What the model wrote").fill(
                "Sure! {body: {item: 'tea', count: '2',}}"
            )
            press(page, "Check")
            page.screenshot(path=f"{SHOTS}/trial-{width}-{theme}.png")
            page.locator("#try").screenshot(path=f"{SHOTS}/try-{width}-{theme}.png")
            context.close()
