"""The page that shows a controller: who may open it, what it shows, what its buttons do."""

import asyncio
import json
import re
import shlex
from html import unescape
from typing import Annotated, Any

import httpx
import pytest
from pydantic import BaseModel, SecretStr
from raw_mcp import raw_client
from roads import locals_of
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient
from typer.testing import CliRunner

from pyfunctools import (
    Call,
    Controller,
    DefinitionError,
    File,
    Function,
    Human,
    Tickets,
    Waiting,
    function,
    human,
)
from pyfunctools.cli.app import app as command
from pyfunctools.integrations.inspector.markup import json_text
from pyfunctools.schema.separation.predicates import without_values

TOKEN = "a token of this test"
HERE = "http://127.0.0.1:8765"
HOSTILE = "<script>alert(1)</script>\u202e\x1b]0;x\x07\U000e0041"


class Card(BaseModel):
    number: SecretStr
    currency: str = "EUR"


class Bank(BaseModel):
    iban: str


class Till:
    """A till."""

    def __init__(self) -> None:
        self.ran: list[object] = []

    @function(tags=["money"], destructive=True)
    def pay(
        self,
        amount: Annotated[int, "How much"],
        pin: Annotated[str, human("The pin", secret=True)],
        how: Annotated[Card | Bank | None, human("How you pay")] = None,
        scan: Annotated[bytes | None, human("A scan", widget="file")] = None,
    ) -> dict[str, Any]:
        """Pay."""
        self.ran.append((amount, pin, how, scan))
        return {"paid": amount, "by": pin}

    @function(tags=["sums"], read_only=True)
    def add(self, first: int, second: int = 2) -> int:
        """Add two numbers."""
        self.ran.append((first, second))
        return first + second

    @function(tags=["sums"])
    def sign(self, text: str, name: Human[str]) -> str:
        """Sign a text."""
        return f"{text} {name}"


@pytest.fixture
def till() -> Till:
    return Till()


@pytest.fixture
def page(till: Till) -> TestClient:
    return opened(Controller.from_object(till))


def opened(controller: Controller, **settings: Any) -> TestClient:
    client = TestClient(controller.inspector(token=TOKEN, **settings), base_url=HERE)
    assert client.get("/", params={"token": TOKEN}).status_code == 200
    return client


def post(page: TestClient, url: str, action: str, **given: Any) -> str:
    """Press a button of a form; `pin` is the field of `$input.pin`."""
    own = ("arguments", "call")
    data = {name if name in own else f"$input.{name}": text for name, text in given.items()}
    files = {name: data.pop(name) for name in [*data] if isinstance(data[name], tuple)}
    answer = page.post(url, data={**data, "action": action}, files=files or {"none": ("", b"")})
    assert answer.status_code == 200
    return answer.text


def pre(text: str, heading: str) -> str:
    """Return the text of the first `pre` after a heading."""
    found = re.search(rf">{re.escape(heading)}</h[23]>.*?<pre[^>]*>(.*?)</pre>", text, re.DOTALL)
    assert found is not None, heading
    return unescape(re.sub("<[^>]*>", "", found[1]))


def buttons(text: str) -> list[str]:
    return re.findall('<button name="action" value="([^"]*)"', text)


def key(text: str) -> str:
    found = re.search(r'name="call" value="([^"]*)"', text)
    assert found is not None
    return found[1]


# Who may open it


@pytest.mark.parametrize(
    ("method", "headers", "cookies", "status"),
    [
        ("GET", {}, True, 200),
        ("GET", {}, False, 403),
        ("GET", {"host": "evil.example:8765"}, True, 403),
        ("GET", {"host": "127.0.0.1:8766"}, True, 403),
        ("GET", {"host": "127.0.0.1.evil.example"}, True, 403),
        ("GET", {"host": ""}, True, 403),
        ("POST", {}, True, 200),
        ("POST", {"origin": HERE}, True, 200),
        ("POST", {"origin": "null"}, True, 403),
        ("POST", {"origin": "http://127.0.0.1:8766"}, True, 403),
        ("POST", {"origin": "https://127.0.0.1:8765"}, True, 403),
        ("POST", {"origin": "http://evil.example"}, True, 403),
        ("POST", {"sec-fetch-site": "cross-site"}, True, 403),
        ("POST", {"origin": HERE}, False, 403),
    ],
)
def test_only_its_own_forms_of_one_login_are_answered(
    till: Till, page: TestClient, method: str, headers: dict[str, str], cookies: bool, status: int
) -> None:
    if not cookies:
        page.cookies.clear()
    data = {"arguments": '{"first": 1}', "action": "run"} if method == "POST" else None
    answer = page.request(method, "/functions/add", headers=headers, data=data)
    assert answer.status_code == status
    assert till.ran == ([(1, 2)] if (method, status) == ("POST", 200) else [])


def test_the_token_becomes_a_cookie_and_is_in_no_page(page: TestClient) -> None:
    page.cookies.clear()
    assert page.get("/?token=other").status_code == 403
    led = page.get("/", params={"token": TOKEN}, follow_redirects=False)
    assert (led.status_code, led.headers["location"]) == (303, "/")
    cookie = led.headers["set-cookie"]
    assert cookie.startswith("pyfunctools_inspector_8765=")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in page.get("/").text


@pytest.mark.parametrize(
    "url", ["/", "/functions/add", "/functions/none", "/waiting", "/size", "/static/inspector.js"]
)
def test_every_answer_has_the_strict_headers_and_no_code_of_its_own(
    page: TestClient, url: str
) -> None:
    answer = page.get(url)
    policy = answer.headers["content-security-policy"]
    for rule in ("default-src 'none'", "form-action 'self'", "base-uri 'none'", "frame-ancestors"):
        assert rule in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    if url != "/static/inspector.js":
        assert not re.search(r"<script(?! src)|<style| style=| on\w+=", answer.text)
        assert not re.findall(r'(?:src|href|action)="(?:https?:)?//', answer.text)


def test_a_get_runs_nothing(till: Till, page: TestClient) -> None:
    page.get("/functions/add", params={"arguments": '{"first": 1}', "action": "run"})
    assert till.ran == []


def test_an_audience_is_the_login_of_a_mounted_page(till: Till) -> None:
    async def login(request: Any) -> str | None:
        return request.headers.get("x-user")

    shop = Controller.from_object(till)
    calls = [
        shop.call("sign", '{"text": "a"}', audience=name).waiting
        for name in ("ada@team", "bob@team")
    ]

    def waiting(audience: str | None) -> list[Waiting | None]:
        return calls[:1] if audience == "ada@team" else calls[1:]

    inner = shop.inspector(audience=login, waiting=waiting)
    page = TestClient(Starlette(routes=[Mount("/tools", inner)]), base_url="http://team.example")
    assert page.get("/tools/").status_code == 403
    page.headers["x-user"] = "ada@team"
    listed = page.get("/tools/waiting").text
    assert 'href="/tools/size"' in listed
    assert "ada@team" not in listed
    assert calls[0] is not None
    assert calls[1] is not None
    assert key(listed) == calls[0].call_id
    told = post(page, "/tools/waiting", "run", call=calls[1].call_id, name="Ada")
    assert "does not wait" in told
    told = post(page, "/tools/waiting", "run", call=calls[0].call_id, name="Ada")
    assert pre(told, "What the model gets") == "a Ada"
    assert "No call waits" in page.get("/tools/waiting").text


@pytest.mark.parametrize(
    "settings",
    [{}, {"token": ""}, {"token": 1}, {"audience": "ada"}, {"token": TOKEN, "waiting": []}],
)
def test_a_page_without_a_login_is_refused(till: Till, settings: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError, match="inspector"):
        Controller.from_object(till).inspector(**settings)


# What it shows


def test_functions_are_listed_found_and_chosen_by_tag(page: TestClient) -> None:
    assert "3 of 3 functions" in page.get("/").text
    found = page.get("/", params={"q": "two numbers"}).text
    assert found.index("/functions/add") > 0
    assert "/functions/pay" not in found
    assert "1 of 3 functions" in page.get("/", params={"tag": "money"}).text
    assert page.get("/", params={"q": "x" * 30_000}).status_code == 200


def test_functions_of_its_tag_stand_beside_a_function(page: TestClient) -> None:
    beside = page.get("/functions/sign").text.partition("<aside")[2]
    listed = re.findall(r'href="/functions/(\w+)"( aria-current="true")?', beside)
    assert listed == [("add", ""), ("sign", ' aria-current="true"')]
    assert 'action="/" role="search"' in beside


def test_beside_a_function_of_a_thousand_stand_a_few() -> None:
    tools = [
        Function.from_schema(name=f"f{n}", parameters={"type": "object"}, handler=dict)
        for n in range(1_000)
    ]
    text = opened(Controller.from_functions(tools)).get("/functions/f500").text
    listed = re.findall(r'href="/functions/(\w+)"', text.partition("<aside")[2])
    assert "f500" in listed[:10]
    assert len(listed) == 60


def test_an_unknown_function_is_404_with_close_names(page: TestClient) -> None:
    answer = page.get("/functions/sig")
    assert answer.status_code == 404
    assert 'href="/functions/sign"' in answer.text


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "gemini"])
def test_a_function_shows_both_sides_and_what_a_vendor_gets(
    till: Till, page: TestClient, dialect: str
) -> None:
    controller = Controller.from_object(till)
    text = page.get("/functions/pay", params={"dialect": dialect}).text
    pay = controller["pay"]
    assert pay.separated is not None
    assert json.loads(pre(text, "What the model sees")) == pay.llm
    assert json.loads(pre(text, "What the person gives")) == without_values(pay.separated.human)
    sent = controller.select(names="pay").tools(dialect)
    assert json.loads(pre(text, "What a vendor gets")) == list(sent)
    tokens = next(each.tokens for each in controller.report().entries if each.name == "pay")
    assert f"{tokens:,} tokens" in text


def test_an_unknown_dialect_is_said(page: TestClient) -> None:
    assert "There is no dialect" in page.get("/functions/add?dialect=none").text


def test_hostile_texts_are_shown_as_text() -> None:
    schema = {
        "type": "object",
        "properties": {HOSTILE: {"type": "string", "description": HOSTILE, "default": HOSTILE}},
    }
    tool = Function.from_schema(
        name="tool",
        description=HOSTILE,
        parameters=schema,
        handler=lambda **_: HOSTILE,
        tags=[HOSTILE],
    )
    page = opened(Controller.from_functions([tool], name=HOSTILE, description=HOSTILE))
    ran = post(page, "/functions/tool", "run", arguments=json.dumps({HOSTILE: HOSTILE}))
    for text in (page.get("/").text, page.get("/size").text, page.get("/functions/tool").text, ran):
        assert "<script>" not in text
        assert "alert(1)" in text
        shown = re.sub(r'(value|href)="[^"]*"|<textarea.*?</textarea>', "", text, flags=re.DOTALL)
        assert not re.search("[\u202e\x1b\x07\U000e0041]", shown)


def test_skipped_parts_have_their_reasons() -> None:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "x", "version": "1"},
        "paths": {"/a": {"get": {"responses": {"200": {"description": "ok"}}}, "post": 1}},
    }
    controller = Controller.from_openapi(document, server="http://127.0.0.1:1")
    text = opened(controller).get("/").text
    assert controller.skipped
    for each in controller.skipped:
        assert each.reason in unescape(text)


# Trying


def test_a_check_shows_repairs_in_the_text_and_runs_nothing(till: Till, page: TestClient) -> None:
    text = post(page, "/functions/add", "check", arguments="Sure: {first: '1',}")
    assert "<mark title=" in text
    assert pre(text, "Repairs") == "Sure: {first: '1',}"
    rows = re.findall("<td>(.*?)</td>" * 4, unescape(text))
    assert ("number", "$input.first", '"1"', "1") in rows
    assert ("key", "$input.first", "first", '"first"') in rows
    assert json.loads(pre(text, "The checked value")) == {"first": 1}
    assert "What the program gets" not in text
    assert till.ran == []


def test_a_comma_too_many_is_marked_and_no_other(page: TestClient) -> None:
    text = post(page, "/functions/add", "check", arguments='{"first": 1, "second": 2,}')
    assert re.search(r"2<mark title=[^>]*>,</mark>}", unescape(text))


def test_issues_stand_on_their_lines(page: TestClient) -> None:
    text = post(page, "/functions/add", "run", arguments='{"first": "x"}')
    assert re.search(r"<mark>[^<]*first[^<]*❌ expected integer</mark>", text)
    assert text.count("<mark>") == 1


def test_a_value_that_is_the_persons_is_refused(till: Till, page: TestClient) -> None:
    text = post(page, "/functions/pay", "run", arguments='{"amount": 1, "pin": "0000"}', pin="1234")
    assert "this is not yours to give" in text
    assert till.ran == []


def test_a_run_shows_what_both_get(page: TestClient) -> None:
    text = post(page, "/functions/add", "run", arguments='{"first": 1}')
    assert pre(text, "What the model gets") == "3"
    assert pre(text, "What the program gets") == "3"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({(1, 2): 3}, '"(1, 2)": 3'),
        ({"file": File(b"abc", "a.txt")}, "<file a.txt, 3 bytes>"),
        ({1, 2}, "{1, 2}"),
    ],
)
def test_a_value_that_is_not_json_is_shown(value: object, shown: str) -> None:
    assert shown in json_text(value)


def test_a_value_without_an_end_is_shown() -> None:
    circle: list[object] = []
    circle.append(circle)
    assert json_text(circle) == "<list, nested too deeply>"


def test_every_question_has_a_labelled_field(page: TestClient) -> None:
    text = page.get("/functions/pay").text
    for path, label in (("pin", "The pin"), ("how", "which kind"), ("scan", "A scan")):
        assert f'name="$input.{path}"' in text
        assert re.search(rf'<label for="\$input\.{path}">[^<]*{label}', text)
    assert re.search(r'<input [^>]*name="\$input.pin"[^>]*type="password"', text) or re.search(
        r'<input type="password"[^>]*name="\$input.pin"', text
    )


def test_a_destructive_call_asks_first_and_a_secret_never_comes_back(
    till: Till, page: TestClient
) -> None:
    given = {"arguments": '{"amount": 5}', "pin": "48151623", "how": "Card"}
    text = post(page, "/functions/pay", "check", **given)
    assert 'name="$input.how.number"' in text
    given |= {"how.number": "4000123412341234", "scan": ("a.png", b"\x89PNG", "image/png")}
    shown = post(page, "/functions/pay", "run", **given)
    assert till.ran == []
    assert json.loads(pre(shown, "The whole arguments"))["amount"] == 5
    assert 'value="approve"' in shown
    done = post(
        page,
        "/functions/pay",
        "approve",
        call=key(shown),
        how="Card",
        arguments=given["arguments"],
    )
    assert json.loads(pre(done, "What the program gets")) == {"paid": 5, "by": "***"}
    (ran,) = till.ran
    assert isinstance(ran, tuple)
    assert ran[:2] == (5, "48151623")
    assert ran[3] == b"\x89PNG"
    for each in (text, shown, done, page.get("/waiting").text):
        assert "48151623" not in each
        assert "4000123412341234" not in each


def test_an_approval_is_for_the_arguments_that_were_shown(till: Till, page: TestClient) -> None:
    shown = post(page, "/functions/pay", "run", arguments='{"amount": 5}', pin="48151623")
    again = post(page, "/functions/pay", "approve", call=key(shown), arguments='{"amount": 500}')
    assert till.ran == []
    assert json.loads(pre(again, "The whole arguments"))["amount"] == 500


def test_a_second_click_is_told_the_first_answer(till: Till, page: TestClient) -> None:
    given = {"arguments": '{"amount": 5}'}
    shown = post(page, "/functions/pay", "run", **given, pin="48151623")
    for _ in range(2):
        done = post(page, "/functions/pay", "approve", **given, call=key(shown))
        assert "paid" in pre(done, "What the model gets")
    assert len(till.ran) == 1


def test_two_clicks_on_a_question_of_a_server_answer_no_other_question() -> None:
    said: list[str] = []

    def answer(method: str, params: Any) -> Any:
        if method == "tools/list":
            tool = {"name": "price", "inputSchema": {"type": "object"}}
            return {"resultType": "complete", "tools": [tool], "ttlMs": 0, "cacheScope": "private"}
        if (responses := params.get("inputResponses")) and responses["a"]["action"] == "accept":
            said.append(params["requestState"])
        words = ["Agree to the terms?", "Send all your money?"][len(said) :]
        if not words:
            text = {"type": "text", "text": "done"}
            return {"resultType": "complete", "content": [text]}
        form = {"type": "object", "properties": {}}
        asked = {"mode": "form", "message": words[0], "requestedSchema": form}
        return {
            "resultType": "input_required",
            "requestState": words[0],
            "inputRequests": {"a": {"method": "elicitation/create", "params": asked}},
        }

    async def main() -> None:
        async with await Controller.from_mcp(raw_client(answer)) as tools:
            waits = (await tools.acall("price", {})).waiting
            app = tools.inspector(token=TOKEN, waiting=lambda audience: [waits])
            transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as page:
                await page.get("/", params={"token": TOKEN})
                shown = (await page.get("/waiting")).text
                assert "Agree to the terms?" in shown
                data = {**hidden(shown), "action": "approve"}
                for _ in range(2):
                    after = (await page.post("/waiting", data=data)).text
                    assert "Send all your money?" in after
                assert said == ["Agree to the terms?"]
                data = {**hidden(after), "action": "approve"}
                assert "done" in (await page.post("/waiting", data=data)).text

    asyncio.run(main())
    assert said == ["Agree to the terms?", "Send all your money?"]


def test_calls_of_two_conversations_with_one_id_are_two(till: Till) -> None:
    shop = Controller.from_object(till)
    calls = [
        shop.call(Call(id="functions.sign:0", name="sign", arguments={"text": text}, result=None))
        for text in ("a", "b")
    ]
    page = opened(shop, waiting=lambda _: [each.waiting for each in calls])
    listed = page.get("/waiting").text.split("<section")[1:]
    assert len(listed) == 2
    for form, text in zip(listed, "ab", strict=True):
        data = {**hidden(form), "action": "run", "$input.name": f"Ada {text}"}
        done = page.post("/waiting", data=data, files={"none": ("", b"")}).text
        assert pre(done, "What the model gets") == f"{text} Ada {text}"
    assert "No call waits" in page.get("/waiting").text


def hidden(text: str) -> dict[str, str]:
    """Return the hidden fields of the first form."""
    form = text.partition("<form")[2].partition("</form")[0]
    return dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', form))


def test_a_denied_call_does_not_run_and_waits_no_more(till: Till, page: TestClient) -> None:
    shown = post(page, "/functions/pay", "run", arguments='{"amount": 5}', pin="48151623")
    assert buttons(page.get("/waiting").text) == ["check", "approve", "deny"]
    denied = post(page, "/waiting", "deny", call=key(shown))
    assert "declined" in pre(denied, "What the model gets")
    assert "No call waits" in page.get("/waiting").text
    assert till.ran == []


def test_a_waiting_call_is_answered_on_the_list(page: TestClient) -> None:
    waits = post(page, "/functions/sign", "run", arguments='{"text": "a"}')
    assert "It waits for values" in waits
    listed = page.get("/waiting").text
    assert key(listed) == key(waits)
    assert buttons(listed) == ["check", "run", "deny"]
    checked = post(page, "/waiting", "check", call=key(listed), name="Ada")
    assert json.loads(pre(checked, "The whole arguments")) == {"text": "a", "name": "Ada"}
    done = post(page, "/waiting", "run", call=key(listed), name="Ada")
    assert pre(done, "What the model gets") == "a Ada"


def test_a_waiting_program_is_answered_call_by_call(till: Till) -> None:
    pytest.importorskip("pydantic_monty")
    page = opened(Controller.from_object(till).programs())
    code = """
import asyncio
total = await add(first=1)
said = await asyncio.gather(pay(amount=total), sign(text="t"))
said[1]
"""
    shown = post(page, "/functions/run_program", "run", arguments=json.dumps({"code": code}))
    assert till.ran == [(1, 2)]
    assert "Its calls wait for a person" in shown
    assert "Nothing has run" not in shown
    listed = page.get("/waiting").text
    pay, sign = re.findall(r'name="([^"]*)\$input\.(?:pin|name)"', listed)
    assert re.search(rf'<label for="{re.escape(pay)}\$input\.pin">The pin</label>', listed)
    given = {"call": key(listed), "action": "run", f"{sign}$input.name": "Ada"}
    page.post("/waiting", data=given, files={"none": ("", b"")})
    listed = page.get("/waiting").text
    assert f"{sign}$input" not in listed
    given = {"call": key(listed), f"{pay}$input.pin": "48151623", f"{pay}action": "approve"}
    done = page.post("/waiting", data=given, files={"none": ("", b"")}).text
    assert pre(done, "What the program gets") == '"t Ada"'
    assert till.ran[1:] == [(3, "48151623", None, None)]
    assert "No call waits" in done
    assert "48151623" not in done


def test_a_denied_program_runs_none_of_its_waiting_calls(till: Till) -> None:
    pytest.importorskip("pydantic_monty")
    page = opened(Controller.from_object(till).programs())
    code = json.dumps({"code": 'await sign(text="t")'})
    shown = post(page, "/functions/run_program", "run", arguments=code)
    denied = post(page, "/waiting", "deny", call=key(shown))
    assert "No call waits" in page.get("/waiting").text
    assert "declined" in pre(denied, "What the model gets")
    assert till.ran == []


def test_a_ticket_that_has_expired_says_that_nothing_has_run(till: Till) -> None:
    now = [1000.0]
    tickets = Tickets(lifetime=60, clock=lambda: now[0])
    page = opened(Controller.from_object(till).configured(tickets=tickets))
    shown = post(page, "/functions/sign", "run", arguments='{"text": "a"}')
    now[0] += 61
    late = post(page, "/waiting", "run", call=key(shown), name="Ada")
    assert pre(late, "What the model gets") == (
        "This ticket has expired: make the call again. Nothing has run."
    )
    assert "No call waits" in late


def test_two_people_do_not_see_each_others_calls(till: Till) -> None:
    app = Controller.from_object(till).inspector(audience=lambda request: request.headers["x-user"])
    ada, bob = (TestClient(app, base_url=HERE, headers={"x-user": each}) for each in ("ada", "bob"))
    shown = post(ada, "/functions/pay", "run", arguments='{"amount": 5}', pin="48151623")
    assert "No call waits" in bob.get("/waiting").text
    told = post(bob, "/functions/pay", "approve", arguments='{"amount": 5}', call=key(shown))
    assert "It waits for values" in told
    assert "does not wait" in post(bob, "/waiting", "approve", call=key(shown))
    assert till.ran == []


def test_the_functions_behind_a_search_are_shown_and_tried(till: Till) -> None:
    controller = Controller.from_object(till)
    page = opened(controller.searchable(keep=["sign"]))
    assert "3 of 3 functions" in page.get("/").text
    shown = post(page, "/functions/pay", "run", arguments='{"amount": 3}', pin="4321")
    assert 'value="approve"' in shown
    assert till.ran == []
    post(page, "/functions/add", "run", arguments='{"first": 1}')
    assert till.ran == [(1, 2)]


def test_a_function_that_cannot_run_is_said() -> None:
    bare = Function.from_schema(name="bare", parameters={"type": "object", "properties": {}})
    page = opened(Controller.from_functions([bare]))
    assert "handler" in post(page, "/functions/bare", "run", arguments="{}")


# Size


def test_the_choice_is_given_as_code_and_as_a_command(till: Till, page: TestClient) -> None:
    controller = Controller.from_object(till)
    for query, names in (
        ("tag=money&toggle-tag=sums", {"add", "sign", "pay"}),
        ("tag=sums&toggle-name=pay", {"add", "sign", "pay"}),
        ("name=pay&name=add&toggle-name=pay", {"add"}),
    ):
        text = page.get(f"/size?{query}").text
        code = pre(text.replace('<section id="choice"', ">c</h2><section "), "c")
        chosen = eval(code, {"controller": controller})  # noqa: S307 - as a reader pastes it
        assert {each.name for each in chosen} == names
        line = re.search(r'aria-label="Command">(.*?)</pre>', text)
        assert line is not None
        words = shlex.split(unescape(line[1]).replace("SOURCE", "demo"))
        assert words[:3] == ["pyfunctools", "export", "demo"]
    tokens = {each.name: each.tokens for each in controller.report().entries}
    text = page.get("/size").text
    for name, count in tokens.items():
        found = re.search(
            rf'<button [^>]*value="{name}"[^>]*aria-pressed="false"[^>]*>.*?</button>', text
        )
        assert found is not None
        assert f"{count:,}" in found[0]


def test_inspect_says_what_is_wrong_with_its_port() -> None:
    told = CliRunner().invoke(command, ["inspect", "demo", "--port", "99999", "--no-open"])
    assert isinstance(told.exception, DefinitionError)
    assert "99999" in str(told.exception)


def test_inspect_takes_every_public_method_as_other_commands_do() -> None:
    words = ["inspect", "demo", "--all", "--port", "99999", "--no-open"]
    told = CliRunner().invoke(command, words)
    assert isinstance(told.exception, DefinitionError)


@pytest.mark.parametrize("url", ["/functions/pay", "/waiting"])
def test_a_mistake_of_the_program_shows_no_answer_in_our_frames(till: Till, url: str) -> None:
    controller = Controller.from_object(till)
    (waits,) = filter(None, [controller.call("pay", {"amount": 1}).waiting])
    broken = lambda _: {}["context"]  # noqa: E731
    page = opened(controller, context=broken, waiting=lambda _: [waits])
    with pytest.raises(KeyError) as caught:
        post(page, url, "run", arguments='{"amount": 1}', call=waits.call_id, pin="4711-0815")
    assert "HeldCall" in str(locals_of(caught.value))
    assert "4711-0815" not in str(locals_of(caught.value))


@pytest.mark.parametrize("way", ["returns", "raises", "breaks its output"])
def test_no_page_shows_a_secret_of_the_program_or_a_default_of_one(way: str) -> None:
    def read(path: str, api_token: str, pin: Annotated[str, human(secret=True)] = "DEF-1") -> str:
        """Read."""
        if way == "raises":
            raise ValueError(f"no {path} with {api_token} and {pin}")
        if way == "breaks its output":
            return [api_token, pin]  # type: ignore[return-value]
        return f"{path} with {api_token}"

    fixed = {"api_token": "FIX-2"}
    page = opened(Controller.from_functions([read]).configured(fixed=fixed))
    url = "/functions/read"
    data = {"arguments": '{"path": "/a"}', "$input.pin": "GAVE-3", "action": "run"}
    texts = [page.get(url).text, page.post(url, data=data).text]
    assert [each for each in ("DEF-1", "FIX-2", "GAVE-3") if each in "".join(texts)] == []
    assert ("ValueError" in texts[1]) is (way == "raises")
