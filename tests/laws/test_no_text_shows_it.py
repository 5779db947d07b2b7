"""No text shows what a person or a fixed secret gave: a table of roads and of ways to tell.

Each road brings the same values into a call, each function tells them in its own way, and every
place where a model, a log or a reader of errors looks is searched: texts, `repr`s, issues and their
paths, questions, tickets, messages, saved turns, records of stores, log records, tracebacks.
"""

import asyncio
import json
import logging
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import pytest
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    Field,
    SecretStr,
    field_serializer,
    model_validator,
)
from roads import locals_of, reply, texts_of
from typing_extensions import Self

import pyfunctools
from pyfunctools import (
    Approval,
    Controller,
    DefinitionError,
    File,
    Human,
    Inject,
    LoopError,
    MemoryStore,
    Outcome,
    Retry,
    Tickets,
    function,
    human,
)

SECRET = "CANARY-7f3a"
OURS = str(Path(pyfunctools.__file__).parent)
Given = dict[str, Any]
Road = Callable[[Controller, str, Given, Given], Any]


def refused(value: str) -> str:
    raise ValueError(f"{value!r} is no card")


class Card(BaseModel):
    """A card that no number is right for."""

    number: Annotated[Human[str], AfterValidator(refused)]


class Pair(BaseModel):
    """Both sides in one object, which is never right."""

    n: int
    pin: Human[str]

    @model_validator(mode="after")
    def check(self) -> Self:
        raise ValueError(f"{self.n} does not go with {self.pin}")


class Unwritable(BaseModel):
    """Raises when it is written as JSON."""

    pin: str

    @field_serializer("pin")
    def write(self, pin: str) -> str:
        raise RuntimeError(f"cannot write {pin}")


class Leaky:
    """Every way for a method to tell what it was given."""

    @function
    def raises(self, n: int, pin: Human[str]) -> str:
        raise ValueError(f"bad pin {pin}, reversed {pin[::-1]}")

    @function
    async def raises_later(self, n: int, pin: Human[str]) -> str:
        await asyncio.sleep(0)
        raise RuntimeError(f"not with {pin}") from ValueError(pin)

    @function
    def raises_a_type(self, n: int, pin: Human[str]) -> str:
        raise type(f"Refused_{pin}", (RuntimeError,), {})

    @function
    def asks_again(self, n: int, pin: Human[str]) -> str:
        raise Retry(f"not with {pin}")

    @function
    def fails(self, n: int, pin: Human[str]) -> Outcome:
        return Outcome(text=f"no money for {pin}", value=pin, reason="raised")

    @function
    def breaks_its_output(self, n: int, pin: Human[str]) -> dict[str, int]:
        return {pin: pin}  # type: ignore[dict-item]

    @function
    def is_unwritable(self, n: int, pin: Human[str]) -> Unwritable:
        return Unwritable(pin=pin)

    @function
    def is_never_valid(self, n: int, pin: Human[str], card: Card) -> str:
        return ""

    @function
    def is_never_valid_together(self, n: int, pair: Pair) -> str:
        return ""

    @function
    def returns(self, n: int, pin: Human[SecretStr]) -> dict[str, Any]:
        return {"you gave": pin.get_secret_value(), pin.get_secret_value(): [str(n)]}

    @function
    def returns_a_file(self, n: int, pin: Human[str]) -> File:
        return File(b"", filename=f"{pin}.txt")

    @function
    def returns_a_list_with_a_file(self, n: int, pin: Human[str]) -> list[int | File]:
        return [n, File(b"", filename=f"{pin}.txt")]

    @function
    def takes_a_map(self, n: int, accounts: Human[dict[str, int]]) -> str:
        """Take a map with a value that is wrong."""
        return ""

    @function
    def takes_secret_keys(self, n: int, held: Human[dict[SecretStr, int]]) -> str:
        raise KeyError(*(each.get_secret_value() for each in held))


WROTE: dict[str, Given] = {"is_never_valid_together": {"n": 1, "pair": {"n": 7}}}
GAVE: dict[str, Given] = {
    "is_never_valid": {"pin": SECRET, "card": {"number": SECRET}},
    "is_never_valid_together": {"pair": {"pin": SECRET}},
    "takes_a_map": {"accounts": {SECRET: "many"}},
    "takes_secret_keys": {"held": {SECRET: 1}},
}
NAMES = [name for name, held in vars(Leaky).items() if callable(held) and name[0] != "_"]
TELL_THE_TYPE = {
    "raises": "ValueError",
    "raises_later": "RuntimeError",
    "takes_secret_keys": "KeyError",
}
"""Methods that raise anything: the model is told the type and nothing more."""


# The roads.


def by_ticket(controller: Controller, name: str, wrote: Given, gave: Given) -> Any:
    waiting = controller.call(name, wrote).waiting
    assert waiting is not None
    first = controller.resume(waiting.ticket, gave)
    return [first, controller.resume(waiting.ticket, gave)]


def by_saved_turn(controller: Controller, name: str, wrote: Given, gave: Given) -> Any:
    tools = controller.tools("openai")
    saved = json.loads(json.dumps(tools.run(reply(name, wrote)).save()))
    return tools.resume(saved, {"c": gave})


def by_edit(controller: Controller, name: str, wrote: Given, gave: Given) -> Any:
    asking = controller.configured(confirm=lambda _: True)
    added = asking.call(name, wrote, approve=Approval(human=gave))
    if gave != {"pin": SECRET}:
        return added
    whole = Approval({**wrote, **gave})
    return [added, asking.call(name, wrote, human={"pin": "4711-x"}, approve=whole)]


def by_failing_approval(controller: Controller, name: str, wrote: Given, gave: Given) -> Any:
    def approve(pending: Any) -> bool:
        raise type(f"Refused_{SECRET}", (RuntimeError,), {})(SECRET)

    asking = controller.configured(confirm=lambda _: True)
    return asking.call(name, wrote, human=gave, approve=approve)


def by_hook(controller: Controller, name: str, wrote: Given, gave: Given) -> Any:
    def tells(call: Any) -> Iterator[Any]:
        outcome = yield
        return replace(outcome, text=f"{outcome.value}")

    def raises(call: Any) -> Iterator[Any]:
        outcome = yield
        raise ValueError(outcome.value) from outcome.exception

    def refuses(call: Any) -> Iterator[Any]:
        outcome = yield
        raise Retry(f"not with {outcome.value}")

    hooked = (controller.configured(on_call=each) for each in (tells, raises, refuses))
    return [each.call(name, wrote, human=gave) for each in hooked]


def by_stream(controller: Controller, name: str, wrote: Given, gave: Given) -> Any:
    mapped = controller.map([(name, wrote)], human=gave)
    return [*controller.stream(name, wrote, human=gave), *mapped]


def in_a_loop(controller: Controller, name: str, wrote: Given, gave: Given) -> Any:
    async def main() -> Any:
        turn = await controller.tools("openai").arun(reply(name, wrote), human=lambda _: gave)
        return [await controller.acall(name, wrote, human=gave), turn]

    return asyncio.run(main())


ROADS: dict[str, Road] = {
    "human=": lambda c, name, wrote, gave: c.call(name, wrote, human=gave),
    "a callable": lambda c, name, wrote, gave: c.call(name, wrote, human=lambda _: gave),
    "tools.run": lambda c, name, wrote, gave: c.tools("openai").run(reply(name, wrote), human=gave),
    "hooks": by_hook,
    "stream and map": by_stream,
    "prompt.run": lambda c, name, wrote, gave: c.prompt().run(
        json.dumps([{"name": name, "arguments": wrote}]), human=gave
    ),
    "resume": by_ticket,
    "tools.resume": by_saved_turn,
    "an edit": by_edit,
    "a failing approval": by_failing_approval,
    "in a loop": in_a_loop,
}


# The places.


def texts_of_log(caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    for record in caplog.records:
        yield f"{record.getMessage()} {record.args!r} {vars(record)} {record.exc_text}"


@pytest.fixture
def debug(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Capture everything that is logged."""
    caplog.set_level(logging.DEBUG)
    return caplog


class Recorder(MemoryStore):
    """A store that shows what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[str] = []

    def record(self, ticket_id: str, answer: str, /) -> None:
        self.records.append(answer)
        super().record(ticket_id, answer)


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("name", NAMES)
def test_no_text_shows_a_value_of_the_person(
    name: str, road: str, debug: pytest.LogCaptureFixture
) -> None:
    store = Recorder()
    tickets = Tickets(b"k" * 32, store=store)
    controller = Controller.from_object(Leaky()).configured(tickets=tickets)
    wrote, gave = WROTE.get(name, {"n": 1}), GAVE.get(name, {"pin": SECRET})
    with controller:
        held = ROADS[road](controller, name, wrote, gave)
    texts = [*texts_of(held), *texts_of_log(debug), *store.records]
    assert [text for text in texts if SECRET in text or SECRET[::-1] in text] == []
    if name in TELL_THE_TYPE and road == "human=":
        assert held.text.startswith(f"{TELL_THE_TYPE[name]}. ")
        assert "`Retry`" in held.text
        assert SECRET in str(held.exception)  # for the program
    if name in ("asks_again", "fails") and road == "human=":
        assert "***" in held.text


def test_a_record_in_a_store_has_no_value_of_the_person_even_after_success() -> None:
    def book(n: int, city: Human[str]) -> str:
        return f"booked in {city}"

    store = Recorder()
    tickets = Tickets(b"k" * 32, store=store)
    controller = Controller.from_functions([book]).configured(tickets=tickets)
    ticket = controller.call("book", {"n": 1}).waiting.ticket
    first, again = (controller.resume(ticket, {"city": "Lisbon"}) for _ in range(2))
    assert (first.text, again.text) == ("booked in Lisbon", "booked in ***")
    assert "Lisbon" not in str(store.records)


@pytest.mark.parametrize("how", ["raises", "returns", "retry"])
def test_no_text_shows_a_fixed_secret(how: str, debug: pytest.LogCaptureFixture) -> None:
    def read(path: str, api_token: str) -> str:
        """Read."""
        if how == "returns":
            return f"read with {api_token}"
        raise (ValueError if how == "raises" else Retry)(f"not with {api_token}")

    given = {"$input.api_token": SECRET}
    controller = Controller.from_functions([read]).configured(fixed=given)
    held = [
        controller.call("read", {"path": "/"}),
        controller.tools("openai").run(reply("read", {"path": "/"})),
    ]
    texts = [*texts_of(held), *texts_of_log(debug)]
    assert [text for text in texts if SECRET in text] == []
    expected = {"raises": "ValueError. Its", "returns": "read with ***", "retry": "not with ***"}
    assert held[0].text.startswith(expected[how])


def test_a_fixed_value_that_is_no_secret_withholds_nothing() -> None:
    def read(path: str, tenant: str) -> str:
        raise ValueError(f"no {path} for {tenant}")

    controller = Controller.from_functions([read]).configured(fixed={"$input.tenant": "acme"})
    assert controller.call("read", {"path": "/x"}).text == "ValueError: no /x for ***"


# A remote server's questions.


class Password(BaseModel):
    """A form of a server."""

    password: str


def server_that(tells: str) -> MCPServer:
    made = MCPServer("shop")

    @made.tool()
    async def order(tea: str, ctx: Context) -> str:
        said = await ctx.elicit("Your password?", Password)
        if tells == "raises":
            raise ToolError(f"wrong password {said.data.password}")  # type: ignore[union-attr]
        if tells == "asks again":
            await ctx.elicit(f"Is {said.data.password} right?", Password)  # type: ignore[union-attr]
        return f"welcome {said.data.password}"  # type: ignore[union-attr]

    return made


@pytest.mark.parametrize("tells", ["raises", "returns", "asks again"])
def test_no_text_shows_an_answer_to_a_server(tells: str, debug: pytest.LogCaptureFixture) -> None:
    async def main() -> list[Any]:
        client = Client(server_that(tells), mode="legacy")
        async with await Controller.from_mcp(client) as tools:
            return [
                await tools.acall("order", {"tea": "x"}, human=lambda _: {"password": SECRET}),
                await tools.tools("openai").arun(
                    reply("order", {"tea": "x"}), human=lambda _: {"password": SECRET}
                ),
            ]

    held = asyncio.run(main())
    ours = [each for each in debug.records if each.name.startswith("pyfunctools")]
    texts = [*texts_of(held), *(f"{each.getMessage()} {each.args!r}" for each in ours)]
    assert [text for text in texts if SECRET in text] == []
    assert held[0].ok is (tells != "raises")


# What is shown of a person's part before anybody answers.


class Kept(BaseModel):
    """An output with parts that are a person's."""

    owner: str = "you"
    number: Annotated[str, human(secret=True)] = SECRET


class Bank:
    """A bank with defaults that are a person's."""

    @function
    def pay(
        self,
        n: int,
        account: Human[str],
        api_key: Human[str] = SECRET,
        card: Annotated[str, human(secret=True)] = SECRET,
        login: Human[dict[str, str]] = {"password": SECRET},  # noqa: B006 - copied for each call
    ) -> str:
        """Pay."""
        return "paid"

    @function
    def keep(self, held: Pair) -> Kept:
        """Keep a card."""
        return Kept()


def test_no_question_schema_or_saved_turn_has_a_default_of_a_secret() -> None:
    controller = Controller.from_object(Bank())
    turn = controller.tools("openai").run(reply("pay", {"n": 1}))
    questions = {each.path: each for each in turn.waiting[0].questions}
    shown = {path: [each.default, each.schema] for path, each in questions.items()}
    del shown["$input.login"]  # a map of anything: nothing says that it has a secret
    assert SECRET not in json.dumps(shown)
    assert all("default" not in json.dumps(each.schema) for each in questions.values())
    output = json.dumps(controller["keep"].output)
    assert SECRET not in output
    assert '"owner": {"type": "string"}' in output


class Held(BaseModel):
    """Both sides in one object; the person's part is a default that a factory makes."""

    n: int
    pin: Annotated[str, human(secret=True)] = Field(
        validation_alias=AliasChoices("code", "pin"), default_factory=lambda: SECRET
    )


@dataclass(slots=True)
class HeldHere:
    """The same as a dataclass."""

    n: int
    pin: Annotated[str, human(secret=True)] = field(default_factory=lambda: SECRET)


MADE = Field(default_factory=lambda: SECRET)


class Factories:
    """Functions that get what a factory made in a person's place."""

    @function
    def parameter(self, n: int, pin: Annotated[str, human(secret=True), MADE]) -> str:
        """Return it."""
        return pin

    @function
    def model(self, held: list[Held]) -> str:
        """Return a part of it."""
        return held[0].pin

    @function
    def in_dataclass(self, held: dict[str, HeldHere]) -> str:
        """Return a part of it."""
        return held["a"].pin

    @function
    def error(self, n: int, note: Annotated[str, human(), MADE]) -> str:
        """Raise what is no secret."""
        raise ValueError(note)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("parameter", {"n": 1}),
        ("model", {"held": [{"n": 1}]}),
        ("in_dataclass", {"held": {"a": {"n": 1}}}),
        ("error", {"n": 1}),
    ],
)
def test_what_a_factory_makes_in_a_person_s_place_is_in_no_text(
    name: str, arguments: Given
) -> None:
    outcome = Controller.from_object(Factories()).call(name, arguments)
    assert outcome.reason in (None, "raised")
    assert not any(SECRET in text for text in texts_of(outcome))


# Tracebacks with locals.

STEPS: dict[str, Callable[[Controller, Given], Any]] = {
    "call": lambda c, gave: c.call("later", {"n": 1}, human=gave),
    "call, flat": lambda c, gave: c.call("later", {"n": 1}, human={"$input.pin": gave["pin"]}),
    "edit": lambda c, gave: c.call("later", {"n": 1}, approve=Approval({"n": 2}, gave)),
    "approve": lambda c, gave: c.call("later", {"n": 1}, human=gave, approve="yes"),  # type: ignore[arg-type]
    "audience": lambda c, gave: c.call("later", {"n": 1}, human=gave, audience=""),
    "asks": lambda c, gave: c.call("later", {"n": 1}, human=lambda: gave),
    "run": lambda c, gave: c.tools("openai").run(reply("later", {"n": 1}), human=gave),
    "prompt": lambda c, gave: c.prompt().run("later(n=1)", human=gave),
    "resume": lambda c, gave: c.resume(c.call("later", {"n": 1}).waiting.ticket, gave),
    "an option": lambda c, gave: c.resume("", gave, aproved=True),  # type: ignore[call-arg]
    "stream": lambda c, gave: list(c.stream("later", {"n": 1}, human=gave)),
    "map": lambda c, gave: list(c.map([("later", {"n": 1})], human=gave, approve="yes")),  # type: ignore[arg-type]
    "map, nothing at once": lambda c, gave: c.map([], human=gave, concurrency=0),
    "map, an option": lambda c, gave: c.map([], human=gave, aproved=True),  # type: ignore[call-arg]
    "tools.resume": lambda c, gave: c.tools("openai").resume(
        c.tools("openai").run(reply("later", {"n": 1})), {"c": gave}
    ),
    "wrong id": lambda c, gave: c.tools("openai").resume(
        c.tools("openai").run(reply("later", {"n": 1})), {"d": gave}
    ),
}


async def later(n: int, pin: Human[str], card: Annotated[str, human(secret=True)] = SECRET) -> str:
    """Wait; the default is in no frame either."""
    return ""


@pytest.mark.parametrize("step", STEPS)
def test_our_frames_of_a_traceback_show_no_value_not_even_in_their_locals(step: str) -> None:
    async def main() -> None:
        controller = Controller.from_functions([later])
        with pytest.raises((LoopError, DefinitionError, TypeError)) as caught:
            STEPS[step](controller, {"pin": SECRET})
        error: BaseException | None = caught.value
        while error is not None:
            assert SECRET not in f"{error} {error!r} {error.args}"
            told = traceback.TracebackException.from_exception(error, capture_locals=True)
            frames = [frame for frame in told.stack if frame.filename.startswith(OURS)]
            shown = [
                (frame.name, *each) for frame in frames for each in (frame.locals or {}).items()
            ]
            assert [each for each in shown if SECRET in each[2]] == []
            error = error.__cause__ or error.__context__

    asyncio.run(main())


class Stop(BaseException):
    """What ends a program, and is no outcome."""


@dataclass
class Coded:
    code: Human[str]

    def __post_init__(self) -> None:
        if self.code == SECRET:
            raise TypeError("no")


def plain(n: int, pin: Human[str], card: Coded | None = None) -> str:
    """Take values by name."""
    raise ERRORS[n]


def by_position(n: int, pin: Human[str], /, card: Coded | None = None) -> str:
    """Take values by position."""
    raise ERRORS[n]


def many(n: int, *pin: Human[str]) -> str:
    """Take any number of values."""
    raise ERRORS[n]


def named(n: int, **pin: Human[str]) -> str:
    """Take values by any name."""
    raise ERRORS[n]


def provided(n: int, pin: Human[str], made: Annotated[int, Inject(lambda: 1)]) -> str:
    """Take a value beside one of the program's."""
    raise ERRORS[n]


def unwritable(n: int, pin: Human[str]) -> Any:
    """Return what no JSON can say."""
    return {"pin": pin, "object": object()}


ERRORS = [ValueError("no"), Stop()]


SHAPES = {
    "plain": (plain, {"pin": SECRET}),
    "by position": (by_position, {"pin": SECRET}),
    "many": (many, {"pin": [SECRET]}),
    "named": (named, {"other": SECRET}),
    "provided": (provided, {"pin": SECRET}),
    "unwritable": (unwritable, {"pin": SECRET}),
    "a validator": (plain, {"pin": SECRET, "card": {"code": SECRET}}),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("way", ["itself", "replaced"])
def test_our_frames_below_a_call_show_no_value_in_their_locals(shape: str, way: str) -> None:
    called, gave = SHAPES[shape]
    controller = Controller.from_functions([called])
    for n, error in enumerate(ERRORS):
        made = controller.replaced({called.__name__: error}) if way == "replaced" else controller
        raised: BaseException | None
        try:
            raised = made.call(called.__name__, {"n": n}, human=gave).exception
        except Stop as error:
            raised = error
        assert raised is not None
        assert not any(SECRET in text for text in locals_of(raised))


# What is masked, and what is not.


@pytest.mark.parametrize("secret", [False, True])
@pytest.mark.parametrize(
    ("value", "text", "expected"),
    [
        (True, "true True yes", "true True yes"),
        ("", "nothing '' here", "nothing '' here"),
        (7, "7 of 17 and 7", "*** of 17 and ***"),
        (2, "paid 2.0, 1,2 or 0.2: item[2]", "paid 2.0, 1,2 or 0.2: item[2]"),
        ("abc", "abc abcd", "*** abcd"),
        ("abcd", "abcd xabcdx", "*** x***x"),
        (1234, "1234 x1234", "*** x***"),
    ],
)
def test_short_values_are_masked_where_they_stand_alone(
    value: Any, text: str, expected: str, secret: bool
) -> None:
    def f(n: int, gave: Any) -> str:
        raise Retry(text)

    f.__annotations__["gave"] = Annotated[type(value), human(secret=secret)]
    outcome = Controller.from_functions([f]).call("f", {"n": 0}, human={"gave": value})
    assert outcome.text == expected


def test_what_the_model_wrote_too_is_masked_only_if_it_is_a_longer_secret() -> None:
    def f(to: str, n: int, origin: Human[str], pin: Human[str], cvv: Human[int]) -> str:
        raise Retry(f"{to} {origin} {pin} {n} {cvv}")

    controller = Controller.from_functions([f])
    given = {"origin": "Rome", "pin": "Rome2", "cvv": 12}
    assert controller.call("f", {"to": "Rome", "n": 12}, human=given).text == "Rome Rome *** 12 12"
    assert controller.call("f", {"to": "Rome2", "n": 1}, human=given).text == "*** *** *** 1 ***"


def test_a_success_may_contain_values_of_the_person_that_are_no_secrets() -> None:
    def f(n: int, city: Human[str], pin: Human[str]) -> str:
        return f"{city} {pin}"

    given = {"city": "Lisbon", "pin": "4711-x"}
    outcome = Controller.from_functions([f]).call("f", {"n": 1}, human=given)
    assert (outcome.text, outcome.value) == ("Lisbon ***", "Lisbon 4711-x")


NAMES_OF_SECRETS = ("password", "pass_word_token", "apiKey", "APIKey", "pin", "otp", "cvv", "iban")
OTHER_NAMES = ("city", "note", "address", "keyboard", "monkey", "pinboard", "tokyo", "card")


@pytest.mark.parametrize("name", [*NAMES_OF_SECRETS, *OTHER_NAMES])
def test_a_human_part_is_a_secret_by_a_word_in_its_name(name: str) -> None:
    schema = {"type": "object", "properties": {"n": {}, name: {"type": "string", "x-human": True}}}
    echo = pyfunctools.Function.from_schema(
        name="f", parameters=schema, handler=lambda **given: given[name]
    )
    text = Controller.from_functions([echo]).call("f", {"n": 1}, human={name: "Berlin"}).text
    assert text == ("***" if name in NAMES_OF_SECRETS else "Berlin")
