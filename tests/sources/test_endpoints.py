"""What endpoints of FastAPI say in their own code: marks, settings, docstrings."""
# ruff: noqa: B008 - the classic style of FastAPI

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Any
from uuid import UUID

import pytest
from fastapi import APIRouter, Body, Cookie, Depends, FastAPI, Form, Header, Query
from pydantic import BaseModel, Secret, SecretStr
from typing_extensions import TypeAliasType

from pyfunctools import (
    Context,
    Controller,
    DefinitionError,
    Human,
    Inject,
    function,
    human,
)

EVIL, MINE = "the-models", "the-persons"


class Card(BaseModel):
    number: Human[str]
    note: str = ""


class Vault(BaseModel):
    code: Secret[str]
    codes: list[Secret[str]] = []
    label: str = ""


def form(x: int = Form(...), pin: Annotated[str, human("PIN")] = Form(...)) -> str:
    return pin


def query(x: int, pin: Human[str] = Query(...)) -> str:
    return pin


def optional(x: int, pin: Human[str | None] = Query(None)) -> str | None:
    return pin


def inner(x: int, pin: Human[str] | None = Query(None)) -> str | None:
    return pin


def aliased(x: int, code: Human[str] = Query(alias="pin")) -> str:
    return code


def header(x: int, my_pin: Human[str] = Header(...)) -> str:
    return my_pin


def cookie(x: int, pin: Human[str] = Cookie(...)) -> str:
    return pin


def whole_body(x: int, pin: Human[str] = Body(...)) -> str:
    return pin


def embedded(x: int, pin: Human[str] = Body(..., embed=True)) -> str:
    return pin


def two_bodies(pin: Human[str] = Body(...), n: int = Body(...)) -> str:
    return pin


def listed(x: int, pin: Human[list[str]] = Query(...)) -> str:
    return pin[0]


def model_in_query(card: Annotated[Card, Query()]) -> str:
    return card.number


def whole_model(x: int, card: Annotated[Card, Query(), human()]) -> str:
    return card.number


def marked_model(x: int, card: Human[Card] = Body(...)) -> str:
    return card.number


def generic_secret(vault: Vault) -> str:
    return vault.code.get_secret_value()


def secret_style(x: int, pin: SecretStr = Query(...)) -> str:
    return pin.get_secret_value()


def text_hint(x: int, pin: "Human[str]" = Query(...)) -> str:
    return pin


Pin = TypeAliasType("Pin", Human[str])


class Extra(BaseModel):
    label: str = ""
    secret: Human[str] = ""


def forms(extra: Annotated[Extra, Form()], pin: Human[str] = Form(...)) -> str:
    return pin


def type_alias(x: int, pin: Pin = Form(...)) -> str:
    return pin


def secret_among_bodies(pin: Secret[str] = Body(...), n: int = Body(...)) -> str:
    return pin.get_secret_value()


def token(pin: Human[str] = Query(...)) -> str:
    return pin


class Login:
    def __init__(self, pin: Human[str] = Form(...)) -> None:
        self.pin = pin


def above(pin: Annotated[str, Depends(token)]) -> str:
    return pin


def depends(x: int, pin: str = Depends(above)) -> str:
    return pin


def depends_on_class(x: int, login: Annotated[Login, Depends()]) -> str:
    return login.pin


ENDPOINTS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (form, {"body": {"x": 1, "pin": "?"}}),
    (query, {"query": {"x": 1, "pin": "?"}}),
    (optional, {"query": {"x": 1, "pin": "?"}}),
    (inner, {"query": {"x": 1, "pin": "?"}}),
    (aliased, {"query": {"x": 1, "pin": "?"}}),
    (header, {"query": {"x": 1}, "header": {"my-pin": "?"}}),
    (cookie, {"query": {"x": 1}, "cookie": {"pin": "?"}}),
    (whole_body, {"query": {"x": 1}, "body": "?"}),
    (embedded, {"query": {"x": 1}, "body": {"pin": "?"}}),
    (two_bodies, {"body": {"pin": "?", "n": 1}}),
    (listed, {"query": {"x": 1, "pin": ["?"]}}),
    (model_in_query, {"query": {"number": "?", "note": "n"}}),
    (whole_model, {"query": {"x": 1, "number": "?", "note": "n"}}),
    (marked_model, {"query": {"x": 1}, "body": {"number": "?"}}),
    (generic_secret, {"body": {"code": "?", "codes": ["?"], "label": "l"}}),
    (secret_style, {"query": {"x": 1, "pin": "?"}}),
    (text_hint, {"query": {"x": 1, "pin": "?"}}),
    (forms, {"body": {"pin": "?", "label": "l"}}),
    (type_alias, {"query": {"x": 1}, "body": {"pin": "?"}}),
    (secret_among_bodies, {"body": {"pin": "?", "n": 1}}),
    (depends, {"query": {"x": 1, "pin": "?"}}),
    (depends_on_class, {"query": {"x": 1}, "body": {"pin": "?"}}),
]


def served(endpoint: Callable[..., Any], through: str = "application") -> Controller:
    app, router = FastAPI(), APIRouter(prefix="/api")
    (app if through == "application" else router).post("/f", name="f")(endpoint)
    if through == "router":
        return Controller.from_fastapi(router)
    if through == "included":
        app.include_router(router)
    return Controller.from_fastapi(app.routes if through == "routes" else app)


def filled(written: Any, value: str) -> Any:
    return json.loads(json.dumps(written).replace("?", value))


@pytest.mark.parametrize("through", ["application", "router", "included"])
@pytest.mark.parametrize(
    ("endpoint", "written"), ENDPOINTS, ids=[each.__name__ for each, _ in ENDPOINTS]
)
def test_a_mark_holds_in_every_style(
    endpoint: Callable[..., Any], written: Any, through: str
) -> None:
    with served(endpoint, through) as app:
        [function] = app.functions
        assert function.separated is not None
        assert function.separated.human is not None
        split, person = function.separated.split(filled(written, MINE))
        assert MINE not in json.dumps(split)
        shown = json.dumps(function.llm)
        assert not any(f'"{name}"' in shown for name in ("pin", "my-pin", "number", "code"))
        outcome = app.call(function.name, filled(written, EVIL), human=person)
        assert EVIL not in str(outcome.value)
        assert outcome.reason in (None, "arguments", "needs_human")
        right = app.call(function.name, split, human=person)
        assert right.ok, right.text
        assert right.value == MINE


def test_a_parameter_without_a_hint_takes_anything() -> None:
    def endpoint(x, y=1):  # type: ignore[no-untyped-def]
        return [x, y]

    with served(endpoint) as app:
        assert app.call("f_post", {"query": {"x": "a", "y": 2}}).value == ["a", "2"]


def test_what_a_mark_asks_is_kept() -> None:
    with served(form) as app:
        waiting = app.call("f_post", {"body": {"x": 1}}).waiting
        assert waiting is not None
        assert [(each.path, each.label) for each in waiting.questions] == [
            ("$input.body.pin", "PIN")
        ]


def test_a_hidden_parameter_is_in_no_schema() -> None:
    def hidden(x: int, pin: Human[str] = Query("none", include_in_schema=False)) -> str:
        return pin

    with served(hidden) as app:
        assert "pin" not in json.dumps(app["f_post"].parameters)
        assert app.call("f_post", {"query": {"x": 1}}).value == "none"


def test_a_mark_without_a_place_in_an_own_document_is_an_error() -> None:
    app = FastAPI()
    app.post("/f")(query)
    document = app.openapi()
    document["paths"]["/f"]["post"]["parameters"].pop()
    with pytest.raises(DefinitionError, match=r"/f\(pin\).*lacks the mark"):
        Controller.from_fastapi(app)


def test_without_a_predicate_marks_have_no_effect() -> None:
    app = FastAPI()
    app.post("/f")(query)
    assert Controller.from_fastapi(app, is_human=None)["f_post"].separated is None


def context(x: int, user: Context[str]) -> None: ...
def injected(x: int, tenant: Annotated[str, Inject(lambda: "acme")]) -> None: ...
def context_in_query(x: int, user: Context[str] = Query("nobody")) -> None: ...
def on_context(user: Context[str]) -> str:
    return user


def context_below(x: int, user: str = Depends(on_context)) -> None: ...
def marked_dependency(x: int, user: Human[str] = Depends(token)) -> None: ...


@pytest.mark.parametrize(
    "endpoint", [context, injected, context_in_query, context_below, marked_dependency]
)
def test_a_value_of_the_program_is_refused_with_depends(endpoint: Callable[..., Any]) -> None:
    with pytest.raises(DefinitionError, match=r"/f\((user|tenant)\).*no effect.*Depends"):
        served(endpoint)


def test_a_mark_as_a_default_is_refused() -> None:
    def late(x: int, pin: str = Query(human())) -> None: ...

    app = FastAPI()
    app.post("/f")(late)
    document: Any = {"openapi": "3.1.0", "info": {}, "paths": {"/f": {"post": {}}}}
    app.openapi = lambda: document  # type: ignore[method-assign]
    with pytest.raises(DefinitionError, match=r"/f\(pin\).*default is `human`"):
        Controller.from_fastapi(app)


@pytest.mark.parametrize("is_above", [True, False])
def test_settings_of_an_endpoint_are_those_of_a_method(is_above: bool) -> None:
    app, mark = (
        FastAPI(),
        function(
            name="pay",
            title="Payment",
            tags=["money"],
            confirm=True,
            destructive=True,
            idempotent=True,
            display_text="Paying",
            deprecated=True,
        ),
    )

    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    if is_above:
        mark(app.post("/pay")(pay))
    else:
        app.post("/pay")(mark(pay))
    with Controller.from_fastapi(app) as controller:
        made = controller["pay"]
        assert (made.title, made.tags, made.display_text) == ("Payment", ("money",), "Paying")
        assert (made.confirm, made.destructive, made.idempotent) == (True, True, True)
        assert made.deprecated
        assert made.description == "Pay.\n\n@tag money\n@deprecated"
        arguments = {"query": {"amount": 1}}
        assert controller.call("pay", arguments).reason == "needs_approval"
        assert controller.call("pay", arguments, approve=True).value == "paid 1"


def test_two_endpoints_of_one_name_are_an_error() -> None:
    app = FastAPI()
    for path in ("/a", "/b"):
        app.post(path)(function(name="pay")(lambda: None))
    with pytest.raises(DefinitionError, match=r"pay: Two functions.*@function\(name=...\)"):
        Controller.from_fastapi(app)


def test_docstrings_are_read_as_those_of_methods() -> None:
    def paged(limit: int = 3) -> int:
        """Page.

        Args:
            limit: The most things.
        """
        return limit

    def find(a: int, page: Annotated[int, Depends(paged)], note: str = Body(embed=True)) -> str:
        """Find a thing.

        Longer text.

        Args:
            a: The first.
            note: A note.

        Returns:
            The thing.
        """
        return note

    made = served(find)["f_post"]
    assert made.description == "Find a thing.\n\nLonger text."
    parameters: Any = made.parameters
    read = parameters["properties"]["query"]["properties"]
    assert [read[name]["description"] for name in ("a", "limit")] == [
        "The first.",
        "The most things.",
    ]
    assert "A note." in json.dumps(parameters)
    assert made.output is not None
    assert made.output["description"] == "The thing."


def test_a_given_summary_and_description_stay() -> None:
    app = FastAPI()

    @app.get("/f", summary="Own", description="Own text.")
    def f(a: Annotated[int, Query(description="Own words.")]) -> None:
        """Other.

        Args:
            a: Other words.
        """

    made = Controller.from_fastapi(app)["f_get"]
    assert (made.title, made.description.split("\n")[0]) == ("Own", "Own text.")
    assert "Other" not in json.dumps(made.parameters) + made.description


@pytest.mark.parametrize(
    ("hint", "text", "value"),
    [
        (datetime, "2025-01-31T09:30:00", "2025-01-31T09:30:00"),
        (timedelta, "01:30", "PT1H30M"),
        (UUID, "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-426614174000"),
    ],
)
def test_a_text_is_taken_as_the_application_takes_it(hint: Any, text: str, value: str) -> None:
    def at(when: Any) -> Any:
        return when

    at.__annotations__ = {"when": hint, "return": hint}
    with served(at) as app:
        outcome = app.call("f_post", {"query": {"when": text}})
        assert outcome.value == value, outcome.text


def test_the_application_gets_headers_and_cookies_as_they_were_given() -> None:
    def sent(
        x_tag: Annotated[list[int], Header()],
        session: Annotated[str, Cookie()],
        x_empty: Annotated[str, Header()],
    ) -> list[Any]:
        return [x_tag, session, x_empty]

    class Named(BaseModel):
        x_tag: list[str]

    def named(headers: Annotated[Named, Header()]) -> list[str]:
        return headers.x_tag

    with served(sent) as app:
        given = {"x-tag": [1, 2], "x-empty": ""}
        outcome = app.call("f_post", {"header": given, "cookie": {"session": "a/b=%41 c"}})
        assert outcome.value == [[1, 2], "a/b=%41 c", ""], outcome.text
        assert app.call("f_post", {"header": given, "cookie": {"session": "a;b"}}).issues
        wrong = {**given, "x-tag": ["1\nx-evil: 2"]}
        assert app.call("f_post", {"header": wrong, "cookie": {"session": "a"}}).issues
    with served(named) as app:
        assert app.call("f_post", {"header": {"x-tag": ["a", "b,c"]}}).value == ["a", "b,c"]


def test_a_hint_that_pydantic_cannot_read_is_a_definition_error() -> None:
    app = FastAPI()

    @app.post("/f")
    def endpoint(body: Annotated["Later", Body()]) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(DefinitionError, match="have no schema"):
        Controller.from_fastapi(app)


def test_what_a_partial_sets_cannot_be_set_by_another_name() -> None:
    def ask(dsn: str) -> str:
        return dsn

    def endpoint(dsn: str, asked: str = Depends(partial(ask, dsn="own"))) -> str:
        return asked

    with pytest.raises(DefinitionError, match=r"/f\(dsn\).*partial.*Rename"):
        served(endpoint)


def test_what_a_partial_sets_is_the_programs() -> None:
    def ask(sql: str, dsn: str) -> str:
        return f"{sql} {dsn}"

    app = FastAPI()
    app.post("/f", name="f")(partial(ask, dsn="own"))
    with Controller.from_fastapi(app) as controller:
        assert "dsn" not in json.dumps(controller["f_post"].parameters)
        assert controller.call("f_post", {"query": {"sql": "x"}}).value == "x own"
        assert not controller.call("f_post", {"query": {"sql": "x", "dsn": EVIL}}).ok


def test_a_secret_of_a_class_without_a_module_is_the_persons() -> None:
    names: dict[str, Any] = {"BaseModel": BaseModel, "Secret": Secret}
    exec("class Order(BaseModel):\n    n: int\n    pin: Secret[str]\n", names)  # noqa: S102
    order = names["Order"]
    assert order.__module__ == "builtins"

    def pay(order: Any) -> str:
        return ""

    pay.__annotations__["order"] = order
    app = FastAPI()
    app.post("/pay")(pay)
    made = Controller.from_fastapi(app).functions[0]
    assert "pin" not in json.dumps(made.llm)
    assert made.separated is not None
