"""The web example in a real browser: a person completes and approves a model's call."""

import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[1]
CHROMIUM = which("chromium") or which("chromium-browser")
SHOTS = os.environ.get("PYFUNCTOOLS_SCREENSHOTS")
"""A folder for screenshots of the pages, if set."""

pytestmark = [pytest.mark.browser, pytest.mark.slow]
playwright = pytest.importorskip("playwright.sync_api")
if CHROMIUM is None:
    pytest.skip("there is no chromium here", allow_module_level=True)


@contextmanager
def serving(folder: Path, lifetime: str = "900") -> Iterator[str]:
    """Serve the example from two processes of one key and one store."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    setting = {
        **os.environ,
        "TICKET_KEY": secrets.token_hex(32),
        "USED_TICKETS": str(folder / "used.sqlite"),
        "TICKET_LIFETIME": lifetime,
    }
    command = [sys.executable, str(ROOT / "examples" / "web_person.py"), "serve", str(port)]
    server = subprocess.Popen(command, env=setting)
    try:
        with httpx.Client(trust_env=False, transport=httpx.HTTPTransport(retries=8)) as waiting:
            waiting.get(f"http://127.0.0.1:{port}/", timeout=60)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("used")) as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def person(browser: Any, url: str) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_cookies([{"name": "user", "value": "ada", "url": url}])
    yield context
    context.close()


@pytest.fixture
def scan(tmp_path: Path) -> str:
    (tmp_path / "scan.png").write_bytes(b"\x89PNG" + bytes(1000))
    return str(tmp_path / "scan.png")


def field(page: Any, path: str) -> Any:
    return page.locator(f'[name="$input.{path}"]')


def shoot(page: Any, name: str) -> None:
    if SHOTS:
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=f"{SHOTS}/{name}-{width}.png", full_page=True)
        page.set_viewport_size({"width": 1280, "height": 900})


def complete(page: Any, scan: str) -> None:
    """Answer everything rightly, in the two steps that a union takes."""
    for place, passport, born in (("0", "P-100", "1815-12-10"), ("1", "P-200", "1990-02-28")):
        field(page, f"guests[{place}].passport").fill(passport)
        field(page, f"guests[{place}].born").fill(born)
    field(page, "payment").select_option("Card")
    field(page, "room").select_option("double")
    field(page, "wishes").fill("quiet\nhigh up")
    page.get_by_role("button", name="Book", exact=True).click()
    field(page, "payment.number").fill("4000 0000 0000 0002")
    field(page, "payment.expires").fill("2030-01-31")
    for place, passport in (("0", "P-100"), ("1", "P-200")):
        field(page, f"guests[{place}].passport").fill(passport)  # a secret is typed again
    field(page, "passport_scan").set_input_files(scan)


def book(page: Any) -> str:
    page.get_by_role("button", name="Book", exact=True).click()
    return str(page.get_by_role("status").inner_text())


BOOKED = "Booked: a double in Oslo for Ada and Kim, 2 nights, card."
USED = "Booked: a *** in Oslo for Ada and Kim, 2 nights, ***."  # told again, without values


def test_a_person_completes_and_approves_a_call_and_a_reload_books_nothing(
    person: Any, url: str, scan: str
) -> None:
    page = person.new_page()
    page.goto(url)
    shoot(page, "first")
    assert page.get_by_label("Guests 1: Number of the passport").get_attribute("type") == "password"
    assert page.get_by_label("Guests 2: Born").get_attribute("type") == "date"
    assert field(page, "room").locator("option").all_inner_texts() == ["", "single", "double"]
    page.get_by_role("button", name="Book", exact=True).click()
    shoot(page, "wrong")
    assert "missing or not right" in page.get_by_role("alert").inner_text()
    assert page.get_by_text("This is needed.").count() == 7
    complete(page, scan)
    assert field(page, "guests[0].born").input_value() == "1815-12-10"  # what was right stays
    shoot(page, "second")
    assert book(page) == BOOKED
    shoot(page, "done")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()  # which sends the form again
    assert page.get_by_role("status").inner_text() == USED


def test_two_tabs_and_a_double_click_book_once(person: Any, url: str, scan: str) -> None:
    page, other = person.new_page(), person.new_page()
    page.goto(url)
    complete(page, scan)
    other.goto(url)
    ticket = page.locator("[name=ticket]").get_attribute("value")
    complete(other, scan)
    script = "(node, value) => { node.value = value }"
    other.locator("[name=ticket]").evaluate(script, ticket)
    statuses = sorted([book(page), book(other)])
    assert statuses == sorted([BOOKED, USED])
    page.goto(url)
    complete(page, scan)
    page.get_by_role("button", name="Book", exact=True).dblclick(no_wait_after=True)
    page.get_by_role("status").wait_for()
    assert page.get_by_role("status").inner_text() in (BOOKED, USED)


def test_a_ticket_of_another_person_and_a_refusal_book_nothing(
    browser: Any, person: Any, url: str, scan: str
) -> None:
    page = person.new_page()
    page.goto(url)
    complete(page, scan)
    ticket = page.locator("[name=ticket]").get_attribute("value")
    context = browser.new_context()
    context.add_cookies([{"name": "user", "value": "bob", "url": url}])
    other = context.new_page()
    other.goto(url)
    complete(other, scan)
    other.locator("[name=ticket]").evaluate("(node, value) => { node.value = value }", ticket)
    assert "somebody else" in book(other)
    context.close()
    page.get_by_role("button", name="Do not book").click()
    text = "The person declined this call. Nothing has run."
    assert page.get_by_role("status").inner_text() == text


def test_an_expired_ticket_is_reported(browser: Any, tmp_path: Path, scan: str) -> None:
    with serving(tmp_path, lifetime="1") as url:
        page = browser.new_context().new_page()
        page.goto(url)
        page.wait_for_timeout(2100)
        page.get_by_role("button", name="Book", exact=True).click()
        assert "expired" in page.get_by_role("status").inner_text()
