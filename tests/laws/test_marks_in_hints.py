"""Human marks in type hints hold, whatever aliases and hooks a class has.

A model writes `EVIL` instead of the person's value, under every name that pydantic might read; the
person gives `MINE`.
"""

import dataclasses
import json
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from enum import IntEnum
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar
from uuid import UUID

import pytest
from fastapi import FastAPI
from pydantic import (
    AliasChoices,
    AliasGenerator,
    AliasPath,
    AnyUrl,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    HttpUrl,
    NaiveDatetime,
    PlainValidator,
    RootModel,
    SecretStr,
    TypeAdapter,
    WithJsonSchema,
    computed_field,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import Doc, TypedDict

from pyfunctools import (
    Context,
    Controller,
    DefinitionError,
    Function,
    Human,
    Inject,
    function_of,
    human,
)

EVIL = "EVIL"
MINE = "MINE"


class Case(NamedTuple):
    """One function, attempts of the model, values of the person, and allowed arguments."""

    called: Callable[..., object]
    attempts: list[dict[str, Any]]
    person: dict[str, Any]
    safe: dict[str, Any]


CASES: dict[str, Case] = {}


def case(
    name: str, attempts: list[Any], *, person: Any, safe: Any
) -> Callable[[Callable[..., object]], None]:
    """Add a function to `CASES`."""

    def put(called: Callable[..., object]) -> None:
        CASES[name] = Case(called, attempts, person, safe)

    return put


def all_parts_of(value: Any) -> str:
    """Return a value as a program sees it: its attributes, its extras and its dump."""
    if isinstance(value, BaseModel):
        dumps = [value.model_dump(by_alias=by_alias) for by_alias in (False, True)]
        return repr((value, value.__dict__, value.model_extra, dumps))
    if dataclasses.is_dataclass(value):
        return repr((value, vars(value)))
    return repr(value)


OWNER: dict[str, Any] = {"owner": "Ada"}
BY_NAME = [{"card": {**OWNER, "number": EVIL}}]
GIVEN: dict[str, Any] = {"person": {"card": {"cardNumber": MINE}}, "safe": {"card": OWNER}}

# The Python names of a callable


@case(
    "alias-beside-kwargs",
    [{"owner": "Ada", "card": EVIL}],
    person={"cardNumber": MINE},
    safe={"owner": "Ada", "note": "hello"},
)
def _(
    owner: str, card: Annotated[Human[str], Field(alias="cardNumber")] = "-", **extra: str
) -> str:
    return all_parts_of((owner, card, extra))


@case(
    "alias-that-is-the-name-of-kwargs",
    [{"owner": "Ada", "card": EVIL}, {"owner": "Ada", "extra": EVIL}],
    person={"extra": MINE},
    safe={"owner": "Ada", "note": "hello"},
)
def _(owner: str, card: Annotated[Human[str], Field(alias="extra")] = "-", **extra: str) -> str:
    return all_parts_of((owner, card))


@case(
    "choices-beside-kwargs",
    [{"owner": "Ada", name: EVIL} for name in ("card", "number")],
    person={"cardNumber": MINE},
    safe={"owner": "Ada", "note": "hello"},
)
def _(
    owner: str,
    card: Annotated[Human[str], Field(validation_alias=AliasChoices("cardNumber", "number"))] = "-",
    **extra: str,
) -> str:
    return all_parts_of((owner, card, extra))


# The names of a class


def _configured(**config: Any) -> type[BaseModel]:
    class Card(BaseModel):
        model_config = ConfigDict(**config)
        owner: str
        number: Annotated[Human[str], Field(alias="cardNumber")] = "-"

    return Card


for _name, _config in {
    "validate_by_name-only-model": {"validate_by_name": True, "validate_by_alias": False},
    "extra-allow-beside-an-alias-model": {"extra": "allow"},
    "extra-allow-by-name-model": {"extra": "allow", "populate_by_name": True},
    "populate_by_name-model": {"populate_by_name": True},
    "validate_by_name-model": {"validate_by_name": True, "validate_by_alias": True},
    "populate_by_name-strict-model": {"populate_by_name": True, "strict": True},
}.items():

    def _made(config: Any = _config) -> Callable[..., object]:
        card_type = _configured(**config)

        def pay(card: Any) -> str:
            return all_parts_of(card)

        pay.__annotations__["card"] = card_type
        return pay

    case(_name, BY_NAME, **GIVEN)(_made())


class GeneratedCard(BaseModel):
    model_config = ConfigDict(populate_by_name=True, alias_generator=to_camel)
    owner: str
    card_number: Human[str] = "-"


@case("alias_generator-model", [{"card": {**OWNER, "card_number": EVIL}}], **GIVEN)
def _(card: GeneratedCard) -> str:
    return all_parts_of(card)


class GeneratedTwice(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
        alias_generator=AliasGenerator(
            validation_alias=lambda name: AliasChoices(to_camel(name), name.upper())
        ),
    )
    owner: str
    card_number: Human[str] = "-"


@case(
    "alias_generator-of-choices-model",
    [{"card": {**OWNER, name: EVIL}} for name in ("card_number", "CARD_NUMBER")],
    **GIVEN,
)
def _(card: GeneratedTwice) -> str:
    return all_parts_of(card)


class Inherited(GeneratedCard):
    color: str = "red"


@case("inherited-model", [{"card": {**OWNER, "card_number": EVIL}}], **GIVEN)
def _(card: Inherited) -> str:
    return all_parts_of(card)


T = TypeVar("T")


class Boxed(BaseModel, Generic[T]):
    model_config = ConfigDict(populate_by_name=True)
    owner: str
    number: T = Field(alias="cardNumber")


@case("generic-model", BY_NAME, **GIVEN)
def _(card: Boxed[Human[str]]) -> str:
    return all_parts_of(card)


@dataclasses.dataclass
class DataCard:
    __pydantic_config__ = ConfigDict(validate_by_name=True, validate_by_alias=False)
    owner: str
    number: Annotated[Human[str], Field(alias="cardNumber")] = "-"


@case("validate_by_name-dataclass", BY_NAME, **GIVEN)
def _(card: DataCard) -> str:
    return all_parts_of(card)


@dataclasses.dataclass
class OpenDataCard:
    __pydantic_config__ = ConfigDict(extra="allow")
    owner: str
    number: Annotated[Human[str], Field(alias="cardNumber")] = "-"


@case("extra-allow-dataclass", BY_NAME, **GIVEN)
def _(card: OpenDataCard) -> str:
    return all_parts_of(card)


class DictCard(TypedDict, total=False):
    __pydantic_config__ = ConfigDict(populate_by_name=True, extra="allow")  # type: ignore[misc]
    owner: str
    number: Annotated[Human[str], Field(alias="cardNumber")]


@case("extra-allow-typed-dict", BY_NAME, **GIVEN)
def _(card: DictCard) -> str:
    return all_parts_of(card)


class PathCard(BaseModel):
    owner: str
    meta: dict[str, str] = {}
    token: Annotated[Human[str], Field(validation_alias=AliasPath("meta", "token"))] = "-"


@dataclasses.dataclass
class PathData:
    owner: str
    token: Annotated[Human[str], Field(validation_alias=AliasPath("meta", "token"))] = "-"
    meta: dict[str, str] = dataclasses.field(default_factory=dict[str, str])


class PathDict(TypedDict, total=False):
    owner: str
    meta: dict[str, str]
    token: Annotated[Human[str], Field(validation_alias=AliasPath("meta", "token"))]


class ChoiceCard(BaseModel):
    owner: str
    number: Annotated[
        Human[str],
        Field(validation_alias=AliasChoices("cardNumber", "number", AliasPath("a", 0))),
    ] = "-"


class SharedChoice(ChoiceCard):
    a: list[str] = []


@case(
    "choices-and-a-path",
    [{"card": {**OWNER, "number": EVIL}}, {"card": {**OWNER, "a": [EVIL]}}],
    **GIVEN,
)
def _(card: ChoiceCard) -> str:
    return all_parts_of(card)


class Swapped(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    owner: str
    number: Annotated[Human[str], Field(alias="cardNumber")] = "-"
    label: Annotated[str, Field(alias="number")] = "-"


class Hidden(BaseModel):
    owner: str
    number: SkipJsonSchema[Human[str]] = "-"


@case("skipped", BY_NAME, person={"card": {"number": MINE}}, safe={"card": OWNER})
def _(card: Hidden) -> str:
    return all_parts_of(card)


class Initialised(BaseModel):
    model_config = ConfigDict(populate_by_name=True, extra="allow")
    owner: str
    number: Annotated[Human[str], Field(alias="cardNumber")] = "-"

    def __init__(self, **data: Any) -> None:
        super().__init__(**data)


@case("own-init-model", BY_NAME, **GIVEN)
def _(card: Initialised) -> str:
    return all_parts_of(card)


class Prepared(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    owner: str
    number: Annotated[Human[str], Field(alias="cardNumber")] = "-"

    @model_validator(mode="before")
    @classmethod
    def by_names(cls, data: Any) -> Any:
        return {"number" if key == "cardNumber" else key: data[key] for key in data}


@case("before-validator-that-writes-names", BY_NAME, **GIVEN)
def _(card: Prepared) -> str:
    return all_parts_of(card)


class Computed(BaseModel):
    model_config = ConfigDict(extra="allow")
    owner: str
    number: Annotated[Human[str], Field(alias="cardNumber")] = "-"

    @computed_field
    @property
    def shown(self) -> str:
        return self.number


@case(
    "computed-field-beside-extras",
    [*BY_NAME, {"card": {**OWNER, "shown": EVIL}}],
    **GIVEN,
)
def _(card: Computed) -> str:
    return all_parts_of(card)


Named = _configured(populate_by_name=True)


class Wallet(BaseModel):
    cards: list[GeneratedCard] = []
    by_owner: dict[str, GeneratedCard] = {}


@case(
    "nested-in-lists",
    [{"wallet": {"cards": [{**OWNER, "card_number": EVIL}]}}],
    person={"wallet": {"cards": [{"cardNumber": MINE}]}},
    safe={"wallet": {"cards": [OWNER]}},
)
def _(wallet: Wallet) -> str:
    return repr(wallet)


@case(
    "nested-in-maps",
    [{"wallet": {"by_owner": {"a": {**OWNER, "card_number": EVIL}}}}],
    person={"wallet": {"by_owner": {"a": {"cardNumber": MINE}}}},
    safe={"wallet": {"by_owner": {"a": OWNER}}},
)
def _(wallet: Wallet) -> str:
    return repr(wallet)


class Cards(RootModel[list[GeneratedCard]]):
    pass


@case(
    "root-model",
    [{"cards": [{**OWNER, "card_number": EVIL}]}],
    person={"cards": [{"cardNumber": MINE}]},
    safe={"cards": [OWNER]},
)
def _(cards: Cards) -> str:
    return repr(cards)


class Tree(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    name: str
    pin: Annotated[Human[str], Field(alias="thePin")] = "-"
    below: "list[Tree]" = []


@case(
    "recursive",
    [{"tree": {"name": "a", "below": [{"name": "b", "pin": EVIL}]}}],
    person={"tree": {"below": [{"thePin": MINE}]}},
    safe={"tree": {"name": "a", "below": [{"name": "b"}]}},
)
def _(tree: Tree) -> str:
    return repr(tree)


class Cash(BaseModel):
    kind: Literal["cash"]
    number: str = "-"


class Plastic(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    kind: Literal["card"]
    number: Annotated[Human[str], Field(alias="cardNumber")] = "-"


@case(
    "discriminated-union",
    [{"by": {"kind": "card", "number": EVIL}}],
    person={"by": {"cardNumber": MINE}},
    safe={"by": {"kind": "card"}},
)
def _(by: Annotated[Cash | Plastic, Field(discriminator="kind")]) -> str:
    return repr(by)


class Note(BaseModel):
    model_config = ConfigDict(extra="allow")
    text: str


class Login(BaseModel):
    token: Human[str]


@case(
    "person-s-alternative-through-the-open-branch",
    [{"what": {"text": "a", "token": EVIL}}, {"what": {"token": EVIL}}],
    person={"what": {"token": MINE}},
    safe={},
)
def _(what: Note | Login) -> str:
    return repr(what)


def run(case: Case, arguments: Mapping[str, Any], person: Any) -> Any:
    """Return the outcome of a call of the function `f`."""
    called = case.called
    called.__name__ = "f"
    return Controller.from_functions([called]).call("f", arguments, human=person)


@pytest.mark.parametrize("name", CASES)
def test_a_model_never_sets_a_value_of_the_person(name: str) -> None:
    one = CASES[name]
    for attempt in one.attempts:
        for person in (None, {}, one.person):
            outcome = run(one, attempt, person)
            assert EVIL not in str(outcome.value if outcome.ok else ""), (attempt, person)


@pytest.mark.parametrize("name", CASES)
def test_a_value_that_the_merge_drops_is_not_read(name: str) -> None:
    one = CASES[name]
    f = function_of(one.called)
    for attempt in one.attempts:
        for person in ({}, one.person):
            merged = f.merge(llm=attempt, human=person)
            if not merged:
                continue
            assert f._handler is not None
            bound = f._handler.bind(merged.value, None)
            assert not bound or EVIL not in str(bound.value()), (attempt, person)


@pytest.mark.parametrize("name", CASES)
def test_values_of_the_person_arrive(name: str) -> None:
    one = CASES[name]
    outcome = run(one, one.safe, one.person)
    assert outcome.ok, outcome.text
    assert MINE in outcome.value


@pytest.mark.parametrize("name", CASES)
def test_the_model_s_schema_has_no_name_of_the_person(name: str) -> None:
    separated = function_of(CASES[name].called).separated
    assert separated is not None
    shown = json.dumps(separated.llm)
    assert not [w for w in ("cardNumber", "card_number", "x-pyfunctools") if w in shown], shown


# Fields of the model


class Camel(BaseModel):
    model_config = ConfigDict(populate_by_name=True, alias_generator=to_camel)
    user_name: str = "-"
    many: Annotated[str, Field(validation_alias=AliasChoices("many", "lots"))] = "-"
    deep: Annotated[str, Field(validation_alias=AliasPath("a", "b"))] = "-"


class OpenCamel(Camel):
    model_config = ConfigDict(extra="allow")


@pytest.mark.parametrize("model", [Camel, OpenCamel])
@pytest.mark.parametrize(
    ("written", "field"),
    [
        ({"userName": "x"}, "user_name"),
        ({"user_name": "x"}, "user_name"),
        ({"many": "x"}, "many"),
        ({"lots": "x"}, "many"),
        ({"deep": "x"}, "deep"),
    ],
    ids=repr,
)
def test_every_name_of_a_model_s_field_is_read(
    model: type[Camel], written: dict[str, str], field: str
) -> None:
    def f(x: Any) -> object:
        return (getattr(x, field), x.model_dump()[field], x.model_extra or {})

    f.__annotations__ = {"x": model, "return": object}
    outcome = Controller.from_functions([f]).call("f", {"x": written})
    assert outcome.value == ("x", "x", {}), outcome.text


def test_extras_of_an_open_class_and_keyword_arguments_belong_to_the_model() -> None:
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        pin: Annotated[Human[str], Field(alias="thePin")]

    def f(x: Open, **rest: int) -> object:
        return (x.pin, x.model_extra, rest)

    outcome = Controller.from_functions([f]).call(
        "f", {"x": {"color": "red", "pins": 1}, "n": 2}, human={"x": {"thePin": MINE}}
    )
    assert outcome.value == (MINE, {"color": "red", "pins": 1}, {"n": 2})


def test_a_field_that_the_schema_hides_cannot_be_set() -> None:
    class Model(BaseModel):
        name: str
        internal: SkipJsonSchema[str] = "-"

    def f(x: Model) -> object:
        return x.internal

    functions = Controller.from_functions([f])
    assert "internal" not in json.dumps(functions["f"].parameters)
    assert functions.call("f", {"x": {"name": "a", "internal": EVIL}}).value != EVIL
    assert functions.call("f", {"x": {"name": "a"}}).value == "-"


def test_with_a_custom_predicate_other_names_are_refused() -> None:
    def f(card: Camel) -> str:
        return repr(card)

    f = function_of(f, is_human=lambda path, _: path.keys[-1:] == ("userName",))
    assert f._handler is not None
    merged = f.merge(llm={"card": {"user_name": EVIL}}, human={})
    assert merged
    refused = f._handler.bind(merged.value, None)
    assert not refused
    assert "userName" not in refused.feedback()


# Marks that a hook removes from the schema


def _cleared(schema: dict[str, Any]) -> None:
    schema.clear()
    schema["type"] = "string"


def _without_pin(schema: dict[str, Any]) -> None:
    schema["properties"].pop("pin")


class FieldHook(BaseModel):
    pin: Human[str] = Field(json_schema_extra=_cleared)


class ModelHook(BaseModel):
    model_config = ConfigDict(json_schema_extra=_without_pin)
    pin: Human[str] = "-"


class FalseMark(BaseModel):
    pin: Human[str] = Field("-", json_schema_extra={"x-human": False})


class OwnHook(BaseModel):
    pin: Human[str] = "-"

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        return {"type": "object", "properties": {"pin": {"type": "string"}}}


@dataclasses.dataclass
class DataHook:
    pin: Annotated[Human[str], WithJsonSchema({"type": "string"})] = "-"


class DictHook(TypedDict, total=False):
    pin: Annotated[Human[str], WithJsonSchema({"type": "string"})]


class TupleHook(NamedTuple):
    pin: Annotated[Human[str], WithJsonSchema({"type": "string"})] = "-"


class SameAlias(BaseModel):
    pin: Annotated[Human[str], Field(alias="x")] = "-"
    note: Annotated[str, Field(alias="x")] = "-"


def _as_text(value: object) -> object:
    return value


VANISHED: dict[str, Any] = {
    "WithJsonSchema-parameter": Annotated[Human[str], WithJsonSchema({"type": "string"})],
    "WithJsonSchema-around-a-list": Annotated[list[Human[str]], WithJsonSchema({"type": "array"})],
    "WithJsonSchema-around-a-model": Annotated[ModelHook, WithJsonSchema({"type": "object"})],
    "json_schema_input_type": Annotated[
        list[Human[str]], BeforeValidator(_as_text, json_schema_input_type=list[str])
    ],
    "PlainValidator-around-a-model": Annotated[GeneratedCard, PlainValidator(_as_text)],
    "PlainValidator-around-a-list": Annotated[list[Human[str]], PlainValidator(_as_text)],
    "PlainValidator-in-a-list": list[Annotated[GeneratedCard, PlainValidator(_as_text)]],
    "PlainValidator-of-a-secret": Annotated[
        SecretStr, PlainValidator(_as_text, json_schema_input_type=str)
    ],
    "json_schema_extra-parameter": Annotated[Human[str], Field(json_schema_extra=_cleared)],
    "json_schema_extra-field": FieldHook,
    "json_schema_extra-class": ModelHook,
    "json_schema_extra-false": FalseMark,
    "own-schema-class": OwnHook,
    "in-a-list": list[OwnHook],
    "in-a-map": dict[str, OwnHook],
    "in-a-tuple": tuple[int, OwnHook],
    "in-a-union": int | OwnHook,
    "optional": OwnHook | None,
    "dataclass": DataHook,
    "typed-dict": DictHook,
    "named-tuple": TupleHook,
    "two-fields-of-one-alias": SameAlias,
    "secret": Annotated[SecretStr, WithJsonSchema({"type": "string"})],
    "secret-in-a-list": list[Annotated[SecretStr, WithJsonSchema({"type": "string"})]],
    "human-as-a-bare-mark": Annotated[str, human, WithJsonSchema({"type": "string"})],
}


def _of(hint: Any) -> Callable[..., object]:
    def f(x: Any) -> object:
        return repr(x)

    f.__annotations__ = {"x": hint}
    return f


@pytest.mark.parametrize("name", VANISHED)
def test_a_mark_that_the_schema_lost_is_an_error(name: str) -> None:
    with pytest.raises(DefinitionError, match=r"f\(x.*marked as human.*`Annotated"):
        function_of(_of(VANISHED[name]))


KEPT: dict[str, Any] = {
    "mark-last": Annotated[str, WithJsonSchema({"type": "string"}), human()],
    "hook-that-writes-the-mark": Annotated[
        Human[str], WithJsonSchema({"type": "string", "x-human": True})
    ],
    "PlainValidator-parameter": Annotated[Human[str], PlainValidator(_as_text)],
    "PlainValidator-below-the-mark": Annotated[str, PlainValidator(_as_text), human()],
    "PlainValidator-with-the-mark": Annotated[
        Human[int], PlainValidator(_as_text, json_schema_input_type=Human[str])
    ],
    "hook-that-adds": Annotated[Human[str], Field(json_schema_extra={"title": "PIN"})],
    "input-type-below-the-mark": Annotated[
        Human[str], BeforeValidator(_as_text, json_schema_input_type=int)
    ],
    "input-type-with-the-mark": Annotated[
        Human[int], BeforeValidator(_as_text, json_schema_input_type=Human[str])
    ],
    "mark-outside": Annotated[list[Human[str]], WithJsonSchema({"type": "array", "x-human": True})],
    "secret": SecretStr | None,
    "list-of-secrets": list[SecretStr],
    "map-to-models": dict[str, GeneratedCard],
    "union-of-models": GeneratedCard | Tree | None,
    "discriminated": Annotated[Cash | Plastic, Field(discriminator="kind")],
    "recursive": Tree,
    "extra-as-a-mark": Annotated[str, Field(json_schema_extra={"x-human": True})],
    "named-tuple": NamedTuple("Pair", [("pin", Human[str]), ("n", int)]),
    "format-password": Annotated[
        SecretStr, WithJsonSchema({"type": "string", "format": "password"})
    ],
}


@pytest.mark.parametrize("name", KEPT)
def test_a_schema_that_keeps_its_mark_is_accepted(name: str) -> None:
    assert function_of(_of(KEPT[name])).separated is not None


def test_a_secret_marked_as_the_model_s_is_accepted() -> None:
    hint = Annotated[SecretStr, Field(json_schema_extra={"x-human": False})]
    assert function_of(_of(hint)).separated is None


# Marks as defaults


def _provider() -> int:
    return 1


class DefaultModel(BaseModel):
    pin: str = human("Your PIN")  # type: ignore[assignment]  # pyright: ignore


class DefaultFieldModel(BaseModel):
    pin: str = Field(human("Your PIN"))  # type: ignore[arg-type]  # pyright: ignore


@dataclasses.dataclass
class DefaultData:
    n: int = Inject(_provider)  # type: ignore[assignment]  # pyright: ignore


@dataclasses.dataclass
class DefaultDataField:
    pin: str = dataclasses.field(default=human)  # type: ignore[assignment]  # pyright: ignore


class DefaultTuple(NamedTuple):
    pin: str = human("Your PIN")  # type: ignore[assignment]  # pyright: ignore


class ContextInside(BaseModel):
    user: Context[str]


class DefaultDict(TypedDict):
    inner: DefaultModel


MARKS: dict[str, object] = {
    "human()": human("Your PIN"),
    "human": human,
    "Human": Human,
    "Human[str]": Human[str],
    "Inject()": Inject(_provider),
    "Inject": Inject,
    "Context": Context,
    "Context[str]": Context[str],
    "Field(human())": Field(default=human("Your PIN")),  # pyright: ignore[reportUnknownVariableType]
}


@pytest.mark.parametrize("name", MARKS)
def test_a_mark_as_the_default_of_a_parameter_is_an_error(name: str) -> None:
    def f(pin: str = "-", *, db: str = "-") -> None: ...

    f.__defaults__ = (MARKS[name],)
    with pytest.raises(DefinitionError, match=r"f\(pin\).*default.*Write it into the hint: `\w+\["):
        function_of(f)
    f.__defaults__, f.__kwdefaults__ = ("-",), {"db": MARKS[name]}
    with pytest.raises(DefinitionError, match=r"f\(db\).*default.*Write it into the hint: `\w+\["):
        function_of(f)


def test_a_mark_as_the_default_of_a_parameter_without_a_hint_is_an_error() -> None:
    f: Any = lambda pin=MARKS["human()"]: pin  # noqa: E731
    f.__name__ = f.__qualname__ = "f"
    with pytest.raises(DefinitionError, match=r"f\(pin\).*default.*Annotated"):
        function_of(f)


@pytest.mark.parametrize(
    "hint",
    [
        DefaultModel,
        DefaultFieldModel,
        DefaultData,
        DefaultDataField,
        DefaultTuple,
        DefaultDict,
        list[DefaultModel],
        DefaultData | None,
    ],
    ids=repr,
)
def test_a_mark_as_the_default_of_a_field_is_an_error(hint: object) -> None:
    with pytest.raises(DefinitionError, match=r"f\(x\).*default of `(pin|n)`.*Annotated"):
        function_of(_of(hint))


@pytest.mark.parametrize("hint", [ContextInside, list[Context[str]]], ids=repr)
def test_an_injected_part_inside_a_hint_is_an_error(hint: object) -> None:
    with pytest.raises(DefinitionError, match=r"f\(x\).*parameter of its own"):
        function_of(_of(hint))


# Dates and times, and other formats

DURATIONS = (
    "-P1D",
    "PT0.0015S",
    "P1.5D",
    "P1W2D",
    "1 day",
    "3 days, 01:00:00",
    "01:30",
    "-01:30:15.5",
)


@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (datetime, "2026-12-24T10:00:00"),
        (datetime, "2026-12-24 10:00"),
        (datetime, "2026-12-24T10:00:00Z"),
        (datetime, "2026-12-24T10:00:00.123+02:00"),
        (NaiveDatetime, "2026-12-24T10:00:00"),
        (AwareDatetime, "2026-12-24T10:00:00Z"),
        (time, "09:30"),
        (time, "09:30:15Z"),
        (Human[datetime], "2026-12-24T10:00:00"),
        (list[datetime], ["2026-12-24T10:00:00"]),
        (datetime | None, "2026-12-24T10:00:00"),
        (date, "2026-12-24T00:00:00Z"),
        *((timedelta, text) for text in DURATIONS),
        (UUID, "123E4567e89b12d3a456426614174000"),
        (HttpUrl, "https://de.wikipedia.org/wiki/München"),
        (AnyUrl, "http://müller.example/{id}"),
    ],
    ids=str,
)
def test_texts_that_pydantic_accepts_are_accepted(hint: Any, text: Any) -> None:
    def f(x: Any) -> object:
        return x

    f.__annotations__ = {"x": hint, "return": hint}
    whose = {"human": {"x": text}} if hint == Human[datetime] else {}
    outcome = Controller.from_functions([f]).call("f", {} if whose else {"x": text}, **whose)
    assert outcome.ok, outcome.text
    assert outcome.value == TypeAdapter(hint).validate_python(text)


@pytest.mark.parametrize(
    ("hint", "text", "example"),
    [
        (datetime, "tomorrow", "2025-01-31T09:30:00Z"),
        (datetime, "2026-13-24T10:00:00", "2025-01-31T09:30:00Z"),
        (time, "9", "09:30:00Z"),
        (time, "25:00", "09:30:00Z"),
        (date, "24.12.2026", "2025-01-31"),
        (AwareDatetime, "2026-12-24T10:00:00", "2025-01-31T09:30:00Z"),
        (NaiveDatetime, "2026-12-24T10:00:00Z", "2025-01-31T09:30:00"),
        (date, "2026-12-24T10:00:00", "2025-01-31"),
        *((timedelta, text, "P3DT12H30M") for text in ("", "P", "PT", "-", "90", "1:60", "P1D1")),
        (UUID, "123e4567-e89b12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"),
        (AnyUrl, "example.com", "https://example.com/a?b=c"),
    ],
    ids=str,
)
def test_the_issue_of_an_invalid_time_has_an_example(hint: Any, text: str, example: str) -> None:
    outcome = Controller.from_functions([_of(hint)]).call("f", {"x": text})
    assert outcome.reason == "arguments"
    assert example in outcome.issues[0].expected
    assert example in outcome.text


@pytest.mark.parametrize(
    "default", [timedelta(days=-1), timedelta(microseconds=1500), timedelta(days=400, hours=1)]
)
def test_a_default_of_the_schema_can_be_given(default: timedelta) -> None:
    def f(x: timedelta = default) -> timedelta:
        return x

    functions = Controller.from_functions([f])
    shown = functions["f"].parameters["properties"]["x"]["default"]
    assert functions.call("f", {"x": shown}).unwrap() == default


def test_times_in_a_document_have_the_format_of_json_schema() -> None:
    written = Function.from_schema(
        name="f",
        parameters={
            "type": "object",
            "properties": {"x": {"type": "string", "format": "date-time"}},
        },
    )
    assert not written.check({"x": "2026-12-24T10:00:00"})


# Descriptions, and enumerations of numbers


class Level(IntEnum):
    LOW = 1
    HIGH = 2


def test_a_bare_text_beside_a_hint_is_its_description() -> None:
    class Item(BaseModel):
        n: Annotated[int, "How many."]

    def f(x: Annotated[int, "What it is."], item: Item, y: Annotated[int, "No.", Doc("Yes.")]):  # type: ignore[no-untyped-def]
        """Do it."""

    parameters: Any = function_of(f).parameters
    assert parameters["properties"]["x"]["description"] == "What it is."
    assert parameters["properties"]["y"]["description"] == "Yes."
    assert parameters["$defs"]["Item"]["properties"]["n"]["description"] == "How many."


@pytest.mark.parametrize(
    ("hint", "written"),
    [(Level, "HIGH"), (Level, "high"), (Level, 2), (Level, "2"), (list[Level], ["HIGH"])],
    ids=str,
)
def test_an_enumeration_of_numbers_is_written_by_name(hint: Any, written: Any) -> None:
    f = function_of(_of(hint))
    assert "1 = LOW, 2 = HIGH." in json.dumps(f.parameters)
    outcome = Controller.from_functions([f]).call("f", {"x": written})
    assert "Level.HIGH" in str(outcome.value), outcome.text


def test_an_unknown_name_of_an_enumeration_is_refused() -> None:
    outcome = Controller.from_functions([_of(Level)]).call("f", {"x": "MIDDLE"})
    assert outcome.reason == "arguments"


# All public methods


class Base:
    def inherited(self) -> int:
        return 1


class Everything(Base):
    borrowed = len
    size = property(len)

    def plain(self) -> int:
        return 1

    @staticmethod
    def fixed() -> int:
        return 2

    @classmethod
    def made(cls) -> int:
        return 3

    def _own(self) -> int:
        return 4


def test_all_includes_static_and_class_methods_and_lists_skipped_ones() -> None:
    everything = Controller.from_object(Everything(), all=True)
    assert [f.name for f in everything.functions] == ["plain", "fixed", "made"]
    assert [everything.call(name, {}).value for name in ("fixed", "made")] == [2, 3]
    reasons = {each.where: each.reason for each in everything.skipped}
    assert set(reasons) == {f"Everything.{name}" for name in ("borrowed", "size", "inherited")}
    assert all(reasons.values())


def test_instance_methods_of_a_class_are_skipped() -> None:
    everything = Controller.from_object(Everything, all=True)
    assert [f.name for f in everything.functions] == ["fixed", "made"]
    assert (
        "Everything(...)"
        in {each.where: each.reason for each in everything.skipped}["Everything.plain"]
    )


# A required context


def test_a_call_without_its_context_is_an_error_and_the_ticket_stays_valid() -> None:
    def pay(pin: Human[str], user: Context[str]) -> str:
        return f"{user} {pin}"

    bank = Controller.from_functions([pay])
    with pytest.raises(DefinitionError, match=r"pay\(user\).*context="):
        bank.call("pay", {}, human={"pin": "1"})
    waiting = bank.call("pay", {}).waiting
    assert waiting is not None
    with pytest.raises(DefinitionError, match=r"pay\(user\).*context="):
        bank.resume(waiting.ticket, {"pin": "1"})
    assert bank.resume(waiting.ticket, {"pin": "1"}, context="Ada").value == "Ada 1"


def test_without_its_context_a_call_asks_nobody() -> None:
    def pay(pin: Human[str], user: Context[str]) -> str:
        return f"{user} {pin}"

    asked: list[object] = []

    def ask(*about: object) -> dict[str, str]:
        asked.append(about)
        return {"pin": "1"}

    with pytest.raises(DefinitionError, match=r"pay\(user\)"):
        Controller.from_functions([pay]).call("pay", {}, human=ask)
    assert asked == []


@pytest.mark.parametrize("hint", [Context[str | None], Context[Any], Context[object]], ids=str)
def test_none_is_a_context_if_the_hint_accepts_it(hint: Any) -> None:
    assert Controller.from_functions([_of(hint)]).call("f", {}).value == "None"


# FastAPI: the application validates its bodies itself


class OwnerOrLabel(BaseModel):
    n: int = 1
    label: str = "-"
    owner: Annotated[Human[str], Field(validation_alias=AliasChoices("owner", "label"))] = "-"


class OpenNamed(BaseModel):
    model_config = ConfigDict(populate_by_name=True, extra="allow")
    owner: str
    number: Annotated[Human[str], Field(alias="cardNumber")] = "-"


def _posted(hint: Any) -> Controller:
    app = FastAPI()

    def post(body: Any) -> str:
        return all_parts_of(body)

    post.__annotations__ = {"body": hint, "return": str}
    app.post("/f")(post)
    return Controller.from_fastapi(app)


@pytest.mark.parametrize(
    ("hint", "attempt", "safe", "person"),
    [
        (GeneratedCard, {"card_number": EVIL}, {}, {"cardNumber": MINE}),
        (GeneratedTwice, {"CARD_NUMBER": EVIL}, {}, {"cardNumber": MINE}),
        (OpenNamed, {"number": EVIL}, {"color": "red"}, {"cardNumber": MINE}),
        (_configured(populate_by_name=True), {"number": EVIL}, {}, {"cardNumber": MINE}),
        (_configured(extra="allow"), {"number": EVIL}, {}, {"cardNumber": MINE}),
        (OwnerOrLabel, {"label": EVIL}, {"n": 2}, {"owner": MINE}),
    ],
    ids=["generator", "choices", "extra", "by-name", "allow", "shared-name"],
)
def test_a_body_of_fastapi_cannot_be_set_by_other_names(
    hint: Any, attempt: Any, safe: Any, person: Any
) -> None:
    owner = {} if hint is OwnerOrLabel else OWNER
    with _posted(hint) as app:
        for human in (None, {}, {"body": person}):
            outcome = app.call("f_post", {"body": {**owner, **attempt}}, human=human)
            assert EVIL not in str(outcome.value if outcome.ok else "")
        outcome = app.call("f_post", {"body": {**owner, **safe}}, human={"body": person})
        assert outcome.ok, outcome.text
        assert MINE in str(outcome.value)


@pytest.mark.parametrize("hint", [FieldHook, ModelHook, OwnHook, list[DataHook]], ids=repr)
def test_a_mark_that_an_application_s_document_lost_is_an_error(hint: Any) -> None:
    with pytest.raises(DefinitionError, match=r"/f\(.*pin\).*marked as human"):
        _posted(hint)


def test_a_body_that_keeps_its_marks_is_accepted() -> None:
    with _posted(list[GeneratedCard] | Tree) as app:
        assert app["f_post"].separated is not None


def test_a_mark_as_a_default_in_a_body_of_fastapi_is_an_error() -> None:
    with pytest.raises(DefinitionError, match=r"/f.*default of `pin`.*Annotated"):
        _posted(DefaultModel)


@pytest.mark.parametrize(
    "hint", [PathCard, PathData, PathDict, SharedChoice, Swapped, list[PathCard]], ids=repr
)
def test_a_person_s_field_read_under_another_field_s_name_is_an_error(hint: Any) -> None:
    with pytest.raises(DefinitionError, match=r"f\(x\).*`(token|number)`.*plain alias"):
        function_of(_of(hint))


def test_a_field_of_the_model_may_be_read_under_another_field_s_name() -> None:
    class Both(BaseModel):
        a: str = "-"
        b: Annotated[str, Field(validation_alias=AliasChoices("b", "a"))] = "-"

    assert "'x'" in str(Controller.from_functions([_of(Both)]).call("f", {"x": {"b": "x"}}).value)


def test_a_field_that_only_a_path_reads_is_an_error() -> None:
    class Deep(BaseModel):
        city: Annotated[str, Field(validation_alias=AliasPath("place", "city"))]

    with pytest.raises(DefinitionError, match=r"f\(x\).*`city`.*`AliasPath`.*plain alias"):
        function_of(_of(Deep))
