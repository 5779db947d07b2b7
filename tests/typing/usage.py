"""Code as a user writes it, which a strict checker has to like; it is checked, and never run."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Unpack, assert_type

from pyfunctools import (
    Approval,
    Connection,
    Context,
    Controller,
    Function,
    Human,
    Inject,
    Issue,
    Outcome,
    PendingCall,
    Prompt,
    Route,
    Tickets,
    TicketStore,
    function,
    human,
)
from pyfunctools.schema import Failure, Result, Success, coerce, merge, parse, validate


@dataclass
class User:
    name: str


@dataclass
class Session:
    open: bool


def session_of(context: object) -> Session:
    return Session(open=context is not None)


class Shop:
    @function
    def bare(self, x: int, *, y: str = "a") -> float:
        return x + len(y)

    @function(tags=["orders"], destructive=False, confirm=True)
    def order(
        self,
        pin: Human[str],
        user: Context[User],
        card: Annotated[str, human("The card to charge", widget="card")],
        db: Annotated[Session, Inject(session_of)],
        maybe: Human[int] | None = None,
    ) -> User:
        assert_type(pin, str)
        assert_type(user, User)
        assert_type(card, str)
        assert_type(db, Session)
        assert_type(maybe, int | None)
        return user

    @function
    @staticmethod
    def static_over(x: int) -> int:
        return x

    @staticmethod
    @function
    def static_under(x: int) -> int:
        return x

    @function(name="of")
    @classmethod
    def class_over(cls, x: int) -> "Shop":
        return cls()

    @classmethod
    @function
    def class_under(cls, x: int) -> "Shop":
        return cls()

    @function
    async def later(self, x: int) -> str:
        return str(x)


@function
def plain(x: int) -> str:
    return str(x)


shop = Shop()
assert_type(shop.bare(1, y="b"), float)
assert_type(shop.order("1234", User("me"), "card", Session(open=True)), User)
assert_type(Shop.static_over(1), int)
assert_type(shop.static_under(1), int)
assert_type(Shop.class_over(1), Shop)
assert_type(shop.class_under(1), Shop)
assert_type(plain(1), str)


async def run() -> None:
    assert_type(await shop.later(1), str)


def asks(pending: PendingCall) -> dict[str, str] | None:
    return {"pin": pending.function.name} if pending.arguments else None


async def asks_later(pending: PendingCall) -> dict[str, int]:
    return {"pin": len(pending.questions)}


def approves(call: PendingCall) -> bool | Approval:
    return Approval({**call.arguments, "maybe": 1}) if call.arguments else True


class Used:
    async def claim(self, ticket_id: str, expires: int) -> bool:
        return len(ticket_id) < expires


used: TicketStore = Used()


async def called(controller: Controller) -> None:
    controller = controller.configured(
        tickets=Tickets(b"k" * 32, store=used, lifetime=60), confirm="destructive"
    )
    controller.configured(confirm=lambda pending: not pending.function.read_only)
    outcome = controller.call("order", {"n": 1}, human={"pin": "1"}, approve=lambda call: True)
    assert_type(outcome, Outcome)
    controller.call("order", "{}", human=asks, approve=approves)
    await controller.acall("order", "{}", human=asks_later, approve=approves)
    assert_type(outcome.ok, bool)
    assert_type(outcome.issues, tuple[Issue, ...])
    if outcome.waiting is not None and outcome.waiting.ticket is not None:
        ticket = outcome.waiting.ticket
        assert_type(controller.resume(ticket, {"pin": "1"}), Outcome)
        assert_type(await controller.aresume(ticket, asks, approve=approves), Outcome)
    controller.call("order", "{}", human=3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    controller.configured(confirm="always")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def narrowed(result: Result[int]) -> int:
    if result:
        assert_type(result, Success[int])
        return result.value
    assert_type(result, Failure)
    return len(result.feedback())


def read(outcome: Outcome, function: Function, prompt: Prompt) -> str:
    for question in outcome.waiting.questions if outcome.waiting else ():
        if question.options:
            return str(question.options[0])
    if isinstance(function.origin, Route):
        return str(function.origin.operation["tags"][0])
    return str(prompt.response_schema["properties"]["calls"])


def engine(text: str, schema: dict[str, object], values: dict[str, date]) -> object:
    checked = validate(schema, coerce(schema, parse(text).value).value)
    merged = merge(schema, {"a": 1}, values, is_human=None)
    return checked.value["a"][0], merged.value["b"]


def given(day: date, arguments: dict[str, object]) -> Approval:
    return Approval(arguments, human={"day": day})


def opened(document: dict[str, object], **connection: Unpack[Connection]) -> Controller:
    return Controller.from_openapi(document, **connection)


shop.bare("1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
shop.bare(1, 2)  # type: ignore[call-arg, arg-type]  # pyright: ignore[reportCallIssue]
Shop.static_over()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
plain(x="1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
function(3)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
function(tag="a")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
