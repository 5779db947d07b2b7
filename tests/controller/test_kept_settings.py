"""A setting goes with the record, wherever the record goes."""

import pickle
from collections.abc import Callable
from typing import Annotated, Any

import pytest

from pyfunctools import Approval, Controller, DefinitionError, Function, Human, function, human


class Notes:
    def __init__(self) -> None:
        self.ran: list[Any] = []

    @function
    def read(self, path: str, tenant: str = "public") -> str:
        """Read."""
        self.ran.append((path, tenant))
        return f"{path} of {tenant}"

    @function
    def write(self, path: str, tenant: str, pin: Human[str] = "none") -> str:
        """Write."""
        self.ran.append((path, tenant))
        return f"{path} of {tenant}"


def wants(pending: Any) -> bool:
    """A rule that can be pickled."""
    return True


TAKEN_OUT: dict[str, Callable[[Controller], Controller]] = {
    "as it is": lambda made: made,
    "from_functions": lambda made: Controller.from_functions([*made.functions]),
    "one by one": lambda made: Controller.combine(
        *(Controller.from_functions([each]) for each in made)
    ),
    "select": lambda made: made.select(names=["read", "write"]),
    "prefixed": lambda made: made.prefixed("my_"),
    "combine": lambda made: Controller.combine(made),
    "configured again": lambda made: made.configured(texts={"needed": "!"}),
    "more fixed": lambda made: made.configured(fixed={"path": "/"}),
    "replaced": lambda made: made.replaced({"read": lambda path, tenant: f"{path} of {tenant}"}),
}


@pytest.mark.parametrize("way", TAKEN_OUT)
def test_fixed_values_and_approvals_are_kept(way: str) -> None:
    mine = Controller.from_object(Notes()).configured(fixed={"tenant": "acme"}, confirm=wants)
    made = TAKEN_OUT[way](mine)
    arguments = {} if way == "more fixed" else {"path": "/"}
    for each in made:
        assert "tenant" not in str(each.parameters)
        waits = made.call(each.name, arguments)
        assert (waits.reason, "tenant" in waits.text) == ("needs_approval", False)
        assert waits.waiting is not None
        assert waits.waiting.arguments["tenant"] == "acme"
        done = made.resume(waits.waiting.ticket, approve=True)
        assert done.text == "/ of acme"
        assert made.call(each.name, {**arguments, "tenant": "evil"}).reason == "arguments"


@pytest.mark.parametrize("beside", [[], ["write"]])
def test_a_later_fixed_value_takes_the_place_of_an_earlier_one(beside: list[str]) -> None:
    whole = Controller.from_object(Notes())
    first = whole.select(names=["read"]).configured(fixed={"tenant": "acme"})
    made = Controller.combine(first, whole.select(names=beside, allow_empty=True))
    made = made.configured(fixed={"tenant": "zeta"})
    assert [each.parameters["required"] for each in made] == [["path"]] * len(made)
    assert made.call("read", {"path": "/"}).text == "/ of zeta"
    assert first.call("read", {"path": "/"}).text == "/ of acme"


def test_an_executor_is_kept() -> None:
    from concurrent.futures import ThreadPoolExecutor
    from threading import current_thread

    def where() -> str:
        """Return the thread."""
        return current_thread().name

    with ThreadPoolExecutor(1, "mine") as pool:
        made = Controller.from_functions([where]).configured(executor=pool)
        for each in (made, Controller.from_functions([*made.functions]), made.prefixed("x_")):
            assert each.call(each.functions[0].name).text.startswith("mine")


def test_a_record_keeps_its_settings_in_a_pickle() -> None:
    mine = Controller.from_object(Notes()).configured(fixed={"tenant": "acme"}, confirm=wants)
    records: list[Function] = pickle.loads(pickle.dumps([*mine.functions]))
    made = Controller.from_functions(records)
    assert made.call("read", {"path": "/"}).reason == "needs_approval"
    assert made.call("read", {"path": "/"}, approve=True).text == "/ of acme"
    assert records == [*mine.functions]


@pytest.mark.parametrize(
    "settings", [{"confirm": lambda _: True}, {"fixed": {"tenant": lambda _: "acme"}}]
)
def test_a_setting_that_cannot_be_pickled_is_named(settings: Any) -> None:
    made = Controller.from_object(Notes()).configured(**settings)
    with pytest.raises(DefinitionError, match="cannot be pickled") as raised:
        pickle.dumps(made["read"])
    assert next(iter(settings)) in raised.value.where


class Bank:
    def __init__(self) -> None:
        self.paid: list[Any] = []

    @function(confirm=True)
    def pay(
        self, amount: int, account: str, api_key: str, pin: Annotated[str, human(secret=True)] = "0"
    ) -> str:
        """Pay."""
        self.paid.append((amount, account, api_key, pin))
        return "paid"


FIXED = {"account": lambda context: f"account of {context}", "api_key": "KEY-7f3a"}


def test_who_approves_sees_what_is_fixed_and_no_secret() -> None:
    bank, seen = Bank(), list[Any]()
    made = Controller.from_object(bank).configured(fixed=FIXED)

    def approve(pending: Any) -> bool:
        seen.append(pending)
        return True

    assert made.call("pay", {"amount": 1}, context="Ada", approve=approve).ok
    assert [dict(each.arguments) for each in seen] == [
        {"amount": 1, "account": "account of Ada", "api_key": "***"}
    ]
    assert "account" not in str(seen[0].function.parameters)
    waits = made.call("pay", {"amount": 1}, context="Ada").waiting
    assert waits is not None
    assert waits.arguments == {"amount": 1, "account": "account of Ada", "api_key": "***"}
    assert "KEY" not in repr(waits) + str(waits.arguments)


def test_an_approval_is_for_the_fixed_values_that_were_shown() -> None:
    bank = Bank()
    made = Controller.from_object(bank).configured(fixed=FIXED)
    waits = made.call("pay", {"amount": 1}, context="Ada").waiting
    assert waits is not None
    other = made.resume(waits.ticket, context="Eve", approve=True)
    assert (other.reason, bank.paid) == ("needs_approval", [])
    assert "approve it again" in other.text
    assert other.waiting is not None
    assert other.waiting.arguments["account"] == "account of Eve"
    assert made.resume(waits.ticket, context="Ada", approve=True).ok
    assert [each[1] for each in bank.paid] == ["account of Ada"]


def test_who_gives_values_and_approves_at_once_sees_what_is_fixed_too() -> None:
    ran: list[str] = []

    @function(confirm=True)
    def pay(amount: int, account: str, pin: Human[str]) -> str:
        ran.append(account)
        return "paid"

    made = Controller.from_functions([pay]).configured(fixed={"account": FIXED["account"]})
    waits = made.call("pay", {"amount": 1}, context="Ada").waiting
    assert waits is not None
    assert (waits.approval, len(waits.questions)) == (True, 1)
    assert waits.arguments == {"amount": 1, "account": "account of Ada"}
    other = made.resume(waits.ticket, {"pin": "4711"}, context="Eve", approve=True)
    assert (other.reason, ran) == ("needs_approval", [])
    assert made.resume(waits.ticket, {"pin": "4711"}, context="Ada", approve=True).ok
    assert ran == ["account of Ada"]


@pytest.mark.parametrize(
    ("edit", "paid"),
    [
        ({"amount": 2, "account": "account of Ada", "api_key": "***"}, [2]),
        ({"amount": 2}, [2]),
        ({"amount": 2, "account": "Eve's"}, []),
        ({"amount": 2, "api_key": "other"}, []),
    ],
)
def test_an_edit_changes_no_fixed_value(edit: Any, paid: list[int]) -> None:
    bank = Bank()
    made = Controller.from_object(bank).configured(fixed=FIXED)
    outcome = made.call("pay", {"amount": 1}, context="Ada", approve=Approval(edit))
    assert [each[0] for each in bank.paid] == paid
    assert all(each[1:3] == ("account of Ada", "KEY-7f3a") for each in bank.paid)
    assert paid or {str(each.path) for each in outcome.issues} < {
        "$input.account",
        "$input.api_key",
    }


@pytest.mark.parametrize("given", [{"account": "Eve's"}, {"$input.api_key": "other"}])
def test_a_person_sets_no_fixed_value(given: Any) -> None:
    bank = Bank()
    made = Controller.from_object(bank).configured(fixed=FIXED)
    for settings in ({"approve": True, "human": given}, {"approve": Approval(human=given)}):
        assert not made.call("pay", {"amount": 1}, context="Ada", **settings).ok
    assert bank.paid == []


def test_a_closed_controller_calls_nothing() -> None:
    bank = Bank()
    made = Controller.from_object(bank)
    with made:
        waits = made.call("pay", {"amount": 1, "account": "a", "api_key": "k"}).waiting
    assert waits is not None
    views = (made.select(names=["pay"]), made.searchable(), Controller.combine(made))
    for each in (made, *views):
        closed = each.call("pay", {"amount": 1, "account": "a", "api_key": "k"}, approve=True)
        assert (closed.is_error, "closed" in closed.text) == (True, True)
        assert "closed" in each.resume(waits.ticket, approve=True).text
    assert bank.paid == []
    with made:  # who enters it again closes it again
        assert made.resume(waits.ticket, approve=True).ok
    assert made.call("pay", {"amount": 1, "account": "a", "api_key": "k"}, approve=True).is_error
    assert len(bank.paid) == 1
