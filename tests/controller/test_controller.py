"""`Controller`: from the arguments of a model to an outcome."""

import asyncio
import threading
from typing import Annotated, Any

import pytest
from stacks import on_stack
from typing_extensions import TypedDict

from pyfunctools import (
    Context,
    Controller,
    DefinitionError,
    Function,
    Human,
    Outcome,
    Param,
    UnknownFunctionError,
    function,
    human,
)


class Row(TypedDict):
    """A row of both: the number is the model's, the token the human's."""

    n: int
    token: Human[str]


class Bank:
    """A bank."""

    def __init__(self) -> None:
        self.moved: list[tuple[float, str]] = []

    @function(display_text="Sending money", concurrent=False)
    def transfer(self, amount: float, account: Human[str]) -> str:
        """Send money."""
        self.moved.append((amount, account))
        return f"sent {amount}"

    @function
    async def balance(self, user: Context[str], note: str | None = None) -> str:
        """Say what is left."""
        return f"{user} has 7, {note}"

    @function(confirm=True)
    def close_account(
        self, reason: str, pin: Annotated[str | None, human("The pin")] = None
    ) -> str:
        """Close the account."""
        return f"closed: {reason}, {pin}"


def bank() -> Controller:
    return Controller.from_object(Bank())


def test_a_controller_holds_its_functions_under_their_names() -> None:
    controller = bank()
    assert controller.name == "Bank"
    assert controller.description == "A bank."
    assert [each.name for each in controller] == ["transfer", "balance", "close_account"]
    assert controller.functions == tuple(controller)
    assert len(controller) == 3
    assert "transfer" in controller
    assert "steal" not in controller
    assert controller["transfer"].name == "transfer"
    assert controller["transfer"].concurrent is False
    assert controller.skipped == ()
    assert repr(controller) == "<Controller 'Bank': 3 functions, 0 skipped>"


def test_an_unknown_name_is_an_error_with_the_close_ones() -> None:
    with pytest.raises(UnknownFunctionError) as caught:
        bank()["transfr"]
    assert isinstance(caught.value, KeyError)
    assert caught.value.close == ("transfer",)
    outcome = bank().call("transfr", "{}")
    assert outcome.is_error
    assert outcome.text == (
        "There is no function 'transfr'. Did you mean transfer? "
        "There are also: balance, close_account."
    )
    hostile = asyncio.run(bank().acall("\x1b[2J" + "x" * 10_000, "{}"))
    assert hostile.is_error
    assert len(hostile.text) < 300
    assert "\x1b" not in hostile.text


@pytest.mark.parametrize("name", [None, 3, ["place_order"], {}, object()])
def test_a_name_that_is_not_a_text_is_unknown(name: Any) -> None:
    controller = bank()
    assert name not in controller
    assert controller.call(name, "{}").text == (
        f"There is no function '<{type(name).__name__}>'. "
        "There are: transfer, balance, close_account."
    )
    assert asyncio.run(controller.acall(name, "{}")).is_error
    with pytest.raises(UnknownFunctionError):
        controller[name]
    assert controller.display_text(name) == "Perform action"


def test_display_text_falls_back() -> None:
    assert bank().display_text("transfer") == "Sending money"
    assert bank().display_text("balance") == "Perform action"
    assert bank().display_text("nothing", "Wait") == "Wait"


def test_two_functions_of_one_name_are_refused_with_both_places() -> None:
    def transfer(x: int) -> int:
        """Transfer."""
        return x

    written = Function.from_schema(name="transfer", parameters=[Param("x", "integer")])
    with pytest.raises(DefinitionError) as caught:
        Controller.from_functions([transfer, written])
    assert "a written schema" in str(caught.value)
    assert "transfer" in str(caught.value)


def test_the_whole_pipeline_coerces_merges_and_runs() -> None:
    source = Bank()
    controller = Controller.from_object(source)
    outcome = controller.call("transfer", '{"amount": "12.5"}', human={"account": "DE02"})
    assert (outcome.text, outcome.value, outcome.is_error) == ("sent 12.5", "sent 12.5", False)
    assert outcome.function == "transfer"
    assert [str(repair.path) for repair in outcome.repairs] == ["$input.amount"]
    assert source.moved == [(12.5, "DE02")]


def test_if_both_sides_are_invalid_the_model_gets_its_own_issues_only() -> None:
    class Pair:
        @function
        def pay(self, rows: list[Row], pin: Human[str]) -> str:
            """Pay."""
            return ""

    controller = Controller.from_object(Pair())
    outcome = controller.call(
        "pay", {"rows": [{"n": 1}]}, human={"rows": [], "pin": ["SECRET-7f3a"]}
    )
    assert not outcome.ok
    assert "SECRET-7f3a" not in outcome.text + repr(outcome)
    assert "pin" not in outcome.text
    assert "token" not in outcome.text


def deep(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels):
        value = [value]
    return value


BAD = [
    "",
    "no json at all",
    '"text"',
    "[" * 100_000,
    "{" * 100_000,
    '{"amount": NaN}',
    '{"amount": 1e999}',
    '{"amount": ' + "9" * 5000 + "}",
    '{"amount": "\\ud800"}',
    '{"amount": 1, "amount": 2}',
    '{"amount": 1, "\\u0061mount": 2}',
    '{"amount": "' + "x" * (1 << 20) + '"}',
    b"\xff\xfe",
    b"\xef\xbb\xbf{",
    None,
    7,
    True,
    [],
    deep(10_000),
    {"amount": deep(10_000)},
    {"amount": float("nan")},
    {"amount": float("inf")},
    {"amount": 10**5000},
    {"amount": "\ud800"},
    {"amount": object()},
    {"amount": {1, 2}},
    {"\ud800": 1},
    {1: 2},
    {"amount": 1, "self": 1, "__class__": 2, "_handler": "delete_all"},
]


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_bad_arguments_are_an_error_outcome_in_any_stack(bad: object) -> None:
    controller = bank()

    def call() -> Outcome:
        return controller.call("transfer", bad, human={"account": "a"})

    for outcome in (call(), on_stack(call)):
        assert outcome.is_error
        assert outcome.issues
        assert len(outcome.text.encode()) < 10_000
        assert "Traceback" not in outcome.text


def test_a_controller_closes_its_runners() -> None:
    async def main() -> None:
        async with bank() as controller:
            assert (await controller.acall("balance", {}, context="Ada")).text == "Ada has 7, None"

    before = set(threading.enumerate())
    asyncio.run(main())
    with bank() as controller:
        assert controller.call("balance", {}, context="Ada").text == "Ada has 7, None"
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    assert set(threading.enumerate()) <= before


def test_many_threads_share_one_controller() -> None:
    def echo(n: int) -> int:
        """Echo."""
        return n

    async def echo_later(n: int) -> int:
        """Echo."""
        await asyncio.sleep(0)
        return n

    controller = Controller.from_functions([echo, echo_later])
    wrong: list[object] = []

    def work(start: int) -> None:
        for n in range(start, start + 100):
            for name in ("echo", "echo_later"):
                outcome = controller.call(name, f'{{"n": {n}}}')
                if outcome.value != n:
                    wrong.append(outcome)

    threads = [threading.Thread(target=work, args=(start * 100,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    controller.close()
    assert wrong == []


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/orders": {"get": {"tags": ["orders"]}, "post": {"tags": ["orders", "write"]}},
        "/orders/{id}": {"get": {"tags": ["orders"]}, "delete": {"tags": ["write"]}},
        "/teas": {"get": {"x-human": True}},
    },
}


def shop() -> Controller:
    return Controller.from_openapi(DOCUMENT, server="http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({}, ["orders_get", "orders_post", "orders_getById", "orders_eraseById"]),
        ({"tags": ["write"]}, ["orders_post", "orders_eraseById"]),
        ({"methods": ["get"]}, ["orders_get", "orders_getById"]),
        ({"paths": ["/orders/*"]}, ["orders_getById", "orders_eraseById"]),
        ({"names": ["*_get", "*_post"]}, ["orders_get", "orders_post"]),
        ({"where": lambda f: f.destructive}, ["orders_eraseById"]),
        ({"tags": ["orders"], "methods": ["POST"]}, ["orders_post"]),
        ({"tags": []}, []),
        ({"names": ["ORDERS_*"], "allow_empty": True}, []),
        ({"where": lambda f: len(f.name) > 99}, []),
    ],
)
def test_select_returns_the_functions_that_meet_all_conditions(
    asked: dict[str, object], names: list[str]
) -> None:
    chosen = shop().select(**asked)  # type: ignore[arg-type]
    assert [each.name for each in chosen] == names
    assert len(chosen.skipped) == 1
    assert len(bank().select(paths=["*"], methods=["GET"], allow_empty=True)) == 0


def test_controllers_are_combined_with_prefixes() -> None:
    both = Controller.combine(bank(), shop())
    assert both.name == "Bank + Shop"
    assert len(both) == 7
    assert len(both.skipped) == 1
    assert both.call("transfer", {"amount": 1}, human={"account": "a"}).text == "sent 1.0"
    with pytest.raises(DefinitionError, match="prefixed"):
        Controller.combine(bank(), bank())
    twice = Controller.combine(bank().prefixed("a_"), bank().prefixed("b_"))
    assert twice.call("b_transfer", {"amount": 1}, human={"account": "a"}).function == "b_transfer"
    with pytest.raises(DefinitionError, match="not a name"):
        bank().prefixed("x" * 60)


def test_an_unused_credential_is_an_error() -> None:
    secured = {
        **DOCUMENT,
        "security": [{"key": []}],
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    }
    assert len(Controller.from_openapi(secured, auth={"key": "SECRET-7f3a"})) == 4
    with pytest.raises(DefinitionError) as caught:
        Controller.from_openapi(secured, auth={"Key": "SECRET-7f3a"})
    assert "Its schemes: key." in str(caught.value)
    assert "SECRET-7f3a" not in str(caught.value)
    with pytest.raises(DefinitionError, match=r"Its schemes: none\."):
        Controller.from_openapi(DOCUMENT, auth={"key": "x"})


def test_a_marked_private_method_is_skipped() -> None:
    class Shop:
        @function
        def buy(self) -> str:
            """Buy."""
            return ""

        @function
        def _hidden(self) -> str:
            """Hide."""
            return ""

    controller = Controller.from_object(Shop())
    assert [each.name for each in controller] == ["buy"]
    assert ["_hidden" in each.where for each in controller.skipped] == [True]


def test_calls_in_a_text_are_parsed_and_run() -> None:
    class Shop:
        @function
        def buy(self, item: str, count: int = 1) -> str:
            """Buy."""
            return f"{count} {item}"

    shop = Controller.from_object(Shop())
    wrote = """Both. <tool_call>{"name": "buy", "arguments": {"item": "tea"}}</tool_call>
        <tool_call>{"name": "buy", "arguments": {"item": "jam", "count": "2"}}</tool_call>"""
    calls = shop.parse_calls(wrote)
    assert [shop.call(each.name, each.arguments).text for each in calls] == ["1 tea", "2 jam"]
    assert shop.parse_calls("Nothing to buy.") == []


def test_a_replaced_function_has_the_same_schemas_checks_and_human_part() -> None:
    moved: list[tuple[float, str]] = []

    def transfer(amount: float, account: str) -> str:
        moved.append((amount, account))
        return "noted"

    async def balance(user: str, note: str | None) -> str:
        return f"{user}, {note}"

    tested = bank().replaced({"transfer": transfer, "balance": balance})
    assert tested["transfer"] == bank()["transfer"]
    assert tested.call("transfer", {"amount": "many"}).reason == "arguments"
    assert tested.call("transfer", {"amount": 3}).reason == "needs_human"
    assert tested.call("transfer", {"amount": "3"}, human={"account": "A-7"}).text == "noted"
    assert moved == [(3.0, "A-7")]
    assert tested.call("balance", {}, context="Ada").text == "Ada, None"


@pytest.mark.parametrize(
    ("given", "reason", "text"),
    [
        ("a text", None, "a text"),
        (Outcome(text="told", value=7), None, "told"),
        (KeyError("k"), "raised", "KeyError"),
        (TimeoutError, "raised", "TimeoutError"),
        (7, "output", "The function ran, but its result does not match its output schema."),
        (lambda **given: ",".join(given), None, "reason,pin"),
        (lambda: "", "raised", "TypeError"),
    ],
    ids=["value", "outcome", "exception", "class", "unfit", "callable", "cannot be called"],
)
def test_a_replacement_is_returned_raised_or_called(
    given: object, reason: str | None, text: str
) -> None:
    outcome = (
        bank()
        .replaced({"close_account": given})
        .call("close_account", "{'reason': 'x'}", approve=True)
    )
    assert outcome.reason == reason
    assert outcome.text.startswith(text)


def test_the_replacement_of_an_operation_gets_keyword_arguments() -> None:
    operation = {
        "parameters": [{"name": "q", "in": "query", "schema": {"type": "integer"}}],
        "responses": {},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a/{id}": {"get": operation}},
    }
    api = Controller.from_openapi(document)
    (name,) = (each.name for each in api)
    tested = api.replaced({name: lambda **arguments: arguments})
    outcome = tested.call(name, {"id": "7", "query": {"q": "3"}})
    assert outcome.value == {"id": "7", "query": {"q": 3}}


def test_only_existing_functions_can_be_replaced() -> None:
    with pytest.raises(UnknownFunctionError, match="transfer"):
        bank().replaced({"transfr": 1})
    with pytest.raises(DefinitionError, match="a mapping of names"):
        bank().replaced(["transfer"])  # type: ignore[arg-type]
