"""Parameters of a callable: the schema of each kind of hint, and the object built from JSON."""

import datetime as dt
import ipaddress
import pathlib
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    Required,
    TypedDict,
    TypeVar,
    Union,
    Unpack,
)

import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    Base64Bytes,
    Base64UrlBytes,
    BaseModel,
    ConfigDict,
    Field,
    Json,
    RootModel,
    SecretBytes,
    SecretStr,
    field_validator,
)
from pydantic.dataclasses import dataclass as pydantic_dataclass
from random_hints import Colour, Level
from typing_extensions import Doc, TypeAliasType
from typing_extensions import TypedDict as NewTypedDict

from pyfunctools.controller.controller import Controller
from pyfunctools.errors import DefinitionError
from pyfunctools.schema import Failure
from pyfunctools.sources.python.binding import MethodHandler, read_handler
from pyfunctools.sources.python.docstrings import Docs, read_docstring
from pyfunctools.sources.python.markers import Context, Human, Inject, human

T = TypeVar("T")
N = TypeVar("N", bound=int)


def read(called: Callable[..., object]) -> tuple[dict[str, Any], MethodHandler]:
    docs = read_docstring(called.__doc__) if called.__doc__ else Docs()
    arguments, written = read_handler(called, called.__name__, docs)
    return dict(written.value.schema), arguments


def taking(hint: object, **default: object) -> Callable[..., object]:
    def f(x: object = default.get("default")) -> None: ...

    f.__annotations__["x"] = hint
    if not default:
        f.__defaults__ = None
    return f


def place(hint: object, **default: object) -> tuple[Any, Any]:
    schema, _ = read(taking(hint, **default))
    return schema["properties"]["x"], schema.get("$defs")


def built(hint: object, value: object) -> object:
    _, arguments = read(taking(hint))
    made = arguments.read({"x": value})
    assert not isinstance(made, Failure), made
    return made["x"]


@dataclass
class Encoded:
    data: Base64Bytes
    raw: bytes


@dataclass
class Item:
    """A thing.

    Attributes:
        name: What it is called.
    """

    name: str
    count: int = 1
    tags: list[str] = field(default_factory=list[str])


class Point(NamedTuple):
    """A place."""

    x: int
    y: int = 0


class Coded(NamedTuple):
    plain: bytes
    code: Base64Bytes


class CodedKeys(NewTypedDict):
    code: Base64Bytes


@dataclass
class CodedItem:
    code: Base64Bytes


class CodedModel(BaseModel):
    code: Base64Bytes
    plain: bytes


class Options(NewTypedDict, total=False):
    size: Required[int]
    colour: str


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    good: bool


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]


class Node(BaseModel):
    value: int
    children: list["Node"] = []


class Page(BaseModel, Generic[T]):
    items: list[T]


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    at: dt.date
    pair: tuple[int, str]


class Titled(BaseModel):
    model_config = ConfigDict(title="A titled thing")
    size: int = Field(title="The size")


class Ids(RootModel[list[int]]):
    pass


@pydantic_dataclass
class Checked:
    size: int


UserId = NewType("UserId", int)
Tree = TypeAliasType("Tree", "dict[str, Tree] | int")

WHEN = "2026-01-02T03:04:05Z"
ID = "6f1f1f0a-52a8-4d5c-9d5a-1f2b3c4d5e6f"

BUILT: list[tuple[object, object, object]] = [
    (str, "a", "a"),
    (int, 3, 3),
    (float, 3, 3.0),
    (bool, True, True),
    (None, None, None),
    (int | None, None, None),
    (Optional[str], "a", "a"),
    (Union[int, str], "3", "3"),
    (int | float, 1.5, 1.5),
    (Any, {"a": [1]}, {"a": [1]}),
    (object, [1], [1]),
    (Literal["a", 1], 1, 1),
    (list[int], [1, 2], [1, 2]),
    (list, [1, "a"], [1, "a"]),
    (Sequence[int], [1], [1]),
    (tuple[int, str], [1, "a"], (1, "a")),
    (tuple[int, ...], [1, 2], (1, 2)),
    (set[int], [1, 2], {1, 2}),
    (frozenset[str], ["a"], frozenset({"a"})),
    (deque[int], [1], deque([1])),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (dict, {"a": 1}, {"a": 1}),
    (Mapping[str, list[int]], {"a": [1]}, {"a": [1]}),
    (dict[str, dict[str, Item]], {"a": {"b": {"name": "n"}}}, {"a": {"b": Item("n")}}),
    (dict[int, str], {"1": "a"}, {1: "a"}),
    (dt.datetime, WHEN, dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)),
    (dt.date, "2026-01-02", dt.date(2026, 1, 2)),
    (dt.time, "03:04:05", dt.time(3, 4, 5)),
    (dt.timedelta, "PT1H30M", dt.timedelta(minutes=90)),
    (uuid.UUID, ID, uuid.UUID(ID)),
    (Decimal, "1.10", Decimal("1.10")),
    (Decimal, 1.5, Decimal("1.5")),
    (bytes, "aGk=", b"hi"),
    (bytes, "_w", b"\xff"),
    (list[bytes], ["aGk="], [b"hi"]),
    (Base64Bytes, "aGk=", b"hi"),
    (tuple[Base64Bytes, bytes], ["aGk=", "aGk="], (b"hi", b"hi")),
    (Encoded, {"data": "aGk=", "raw": "aGk="}, Encoded(b"hi", b"hi")),
    (tuple[bytes, Base64Bytes, Base64UrlBytes], ["aGk_", "aGk/", "aGk_"], (b"hi?",) * 3),
    (Coded, ["aGk=", "aGk="], Coded(b"hi", b"hi")),
    (CodedKeys, {"code": "aGk="}, {"code": b"hi"}),
    (CodedItem, {"code": "aGk="}, CodedItem(b"hi")),
    (CodedModel, {"code": "aGk=", "plain": "hi"}, CodedModel(code=b"aGk=", plain=b"hi")),
    (pathlib.Path, "/tmp/a", pathlib.Path("/tmp/a")),  # noqa: S108
    (ipaddress.IPv4Address, "127.0.0.1", ipaddress.IPv4Address("127.0.0.1")),
    (Colour, "blue", Colour.BLUE),
    (Level, 2, Level.HIGH),
    (dict[Colour, int], {"red": 1}, {Colour.RED: 1}),
    (Item, {"name": "a", "count": 2}, Item("a", 2)),
    (list[Item], [{"name": "a"}], [Item("a")]),
    (Item | None, None, None),
    (Checked, {"size": 1}, Checked(1)),
    (Point, [1, 2], Point(1, 2)),
    (Options, {"size": 1}, {"size": 1}),
    (Pet, {"kind": "dog", "good": True}, Dog(kind="dog", good=True)),
    (Cat | Dog, {"kind": "cat"}, Cat(kind="cat")),
    (Node, {"value": 1, "children": [{"value": 2}]}, Node(value=1, children=[Node(value=2)])),
    (Page[Item], {"items": [{"name": "a"}]}, Page[Item](items=[Item("a")])),
    (Strict, {"at": "2026-01-02", "pair": [1, "a"]}, Strict(at=dt.date(2026, 1, 2), pair=(1, "a"))),
    (Ids, [1], Ids([1])),
    (UserId, 3, 3),
    (N, 3, 3),
    (Tree, {"a": {"b": 1}}, {"a": {"b": 1}}),
    (Json[list[int]], "[1]", [1]),
    (Human[int], 3, 3),
    (Annotated[str, human("Which?")], "a", "a"),
    (Annotated[int, AfterValidator(lambda x: x + 1)], 3, 4),
    (Annotated[str, Field(pattern="^a$")], "a", "a"),
    (type(None), None, None),
]  # fmt: skip


@pytest.mark.parametrize(("hint", "value", "expected"), BUILT, ids=lambda each: str(each)[:40])
def test_json_becomes_the_object_of_the_hint(hint: object, value: object, expected: object) -> None:
    found = built(hint, value)
    assert found == expected
    assert type(found) is type(expected)


def test_secrets_become_secrets() -> None:
    secret = built(SecretStr, "a")
    assert isinstance(secret, SecretStr)
    assert secret.get_secret_value() == "a"
    typed = built(SecretBytes, "aGk=")
    assert isinstance(typed, SecretBytes)
    assert typed.get_secret_value() == b"aGk="  # as a person typed it


PLACES: list[tuple[object, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (None, {"type": "null"}),
    (Any, {}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal["a"], {"type": "string", "const": "a"}),
    (dt.datetime, {"type": "string", "format": "date-time"}),
    (dt.timedelta, {"type": "string", "format": "duration"}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (pathlib.Path, {"type": "string", "format": "path"}),
    (bytes, {"type": "string", "contentEncoding": "base64", "x-human": False}),
    (
        Annotated[bytes, Field(min_length=2, max_length=4)],
        {
            "type": "string",
            "contentEncoding": "base64",
            "x-human": False,
            "minLength": 3,
            "maxLength": 8,
        },
    ),
    (Base64Bytes, {"type": "string", "format": "base64"}),
    (SecretStr, {"type": "string", "format": "password", "writeOnly": True, "x-human": True}),
    (
        SecretBytes,
        {
            "type": "string",
            "format": "password",
            "writeOnly": True,
            "x-human": True,
        },
    ),
    (Human[str], {"type": "string", "x-human": True}),
    (Human[bytes], {"type": "string", "contentEncoding": "base64", "x-human": True}),
    (
        Annotated[str, human("Which card?", widget="card")],
        {
            "type": "string",
            "x-human": True,
            "x-human-ask": "Which card?",
            "x-human-widget": "card",
        },
    ),
    (
        Annotated[int, Field(ge=1, title="How many", description="Of them.")],
        {"type": "integer", "minimum": 1, "title": "How many", "description": "Of them."},
    ),
    (Annotated[int, Doc("Of them.")], {"type": "integer", "description": "Of them."}),
    (N, {"type": "integer"}),
    (UserId, {"type": "integer"}),
]


@pytest.mark.parametrize(("hint", "expected"), PLACES, ids=lambda each: str(each)[:40])
def test_the_schema_of_a_hint(hint: object, expected: dict[str, Any]) -> None:
    assert place(hint) == (expected, None)


def test_classes_become_definitions_with_their_descriptions() -> None:
    assert place(Item) == (
        {"$ref": "#/$defs/Item"},
        {
            "Item": {
                "type": "object",
                "description": "A thing.",
                "properties": {
                    "name": {"type": "string", "description": "What it is called."},
                    "count": {"type": "integer", "default": 1},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["name"],
            }
        },
    )
    assert place(Colour)[1] == {
        "Colour": {"type": "string", "enum": ["red", "blue"], "description": "A colour."}
    }


def test_a_named_tuple_names_its_items() -> None:
    schema, definitions = place(Point)
    [tuple_] = [schema] if definitions is None else definitions.values()
    assert tuple_["description"] == "A place."
    assert [item["description"] for item in tuple_["prefixItems"]] == ["x", "y"]
    assert [item["title"] for item in tuple_["prefixItems"]] == ["x", "y"]
    assert (tuple_["minItems"], tuple_["maxItems"]) == (1, 2)


def test_only_explicit_titles_are_kept() -> None:
    _, definitions = place(Titled)
    assert definitions["Titled"]["title"] == "A titled thing"
    assert definitions["Titled"]["properties"]["size"]["title"] == "The size"
    assert "title" not in str(place(Page[Item]))


def test_recursive_and_discriminated_types_keep_their_references() -> None:
    schema, definitions = place(Node)
    assert definitions["Node"]["properties"]["children"]["items"] == schema
    schema, _ = place(Pet)
    assert schema["discriminator"] == {
        "propertyName": "kind",
        "mapping": {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog"},
    }


DEFAULTS: list[tuple[object, object, object]] = [
    (int, 3, 3),
    (str | None, None, None),
    (float, 1.5, 1.5),
    (bool, False, False),
    (list[int], [1], [1]),
    (set[int], {1}, [1]),
    (tuple[int, str], (1, "a"), [1, "a"]),
    (Colour, Colour.RED, "red"),
    (Item, Item("a", 2), {"name": "a", "count": 2, "tags": []}),
    (Cat, Cat(kind="cat"), {"kind": "cat", "lives": 9}),
    (Point, Point(1), [1, 0]),
    (dt.date, dt.date(2026, 1, 2), "2026-01-02"),
    (dt.timedelta, dt.timedelta(hours=1), "PT1H"),
    (Decimal, Decimal("1.10"), "1.10"),
    (pathlib.Path, pathlib.Path("a"), "a"),
    (bytes, b"hi", "aGk="),
    (Item | None, None, None),
    (Human[int], 3, 3),
]


@pytest.mark.parametrize(("hint", "default", "expected"), DEFAULTS)
def test_a_default_is_shown_as_json(hint: object, default: object, expected: object) -> None:
    schema, arguments = read(taking(hint, default=default))
    assert schema["properties"]["x"]["default"] == expected
    assert schema["required"] == []
    assert arguments.read({}) == {}


@pytest.mark.parametrize(
    ("hint", "default"),
    [
        (str | None, object()),
        (int, "three"),
        (str, None),
        (float, float("nan")),
        (float, float("inf")),
        (list[float], [float("nan")]),
        (SecretStr, SecretStr("SECRET-7f3a")),
        (SecretStr | None, SecretStr("SECRET-7f3a")),
        (Item, None),
        (Cat | Dog, None),
        (Colour, None),
        (Any, object()),
        (dict[str, Any], {"a": object()}),
    ],
)
def test_a_default_that_does_not_match_its_hint_is_not_shown(hint: object, default: object) -> None:
    schema, _ = read(taking(hint, default=default))
    assert "default" not in schema["properties"]["x"]
    assert schema["required"] == []
    assert "SECRET-7f3a" not in str(schema)


def test_a_field_may_be_the_default() -> None:
    def f(
        a: int = Field(description="How many."),
        b: int = Field(3, ge=1),
        c: int = Field(default_factory=int),
    ) -> None: ...

    schema, arguments = read(f)
    assert schema["properties"] == {
        "a": {"type": "integer", "description": "How many."},
        "b": {"type": "integer", "minimum": 1, "default": 3},
        "c": {"type": "integer"},
    }
    assert schema["required"] == ["a"]
    assert arguments.read({"a": 1}) == {"a": 1, "b": 3, "c": 0}


def test_a_field_in_annotated_may_have_a_default() -> None:
    def f(a: Annotated[int, Field(default=3)], b: Annotated[int, Field(default=3)] = 5) -> None: ...

    schema, _ = read(f)
    assert schema["required"] == []
    assert schema["properties"]["a"]["default"] == 3
    assert schema["properties"]["b"]["default"] == 5


def test_an_alias_is_the_name_in_json() -> None:
    def f(
        user_id: Annotated[int, Field(alias="userId")],
        b: Annotated[int, Field(validation_alias=AliasChoices("bee", "b"))] = 1,
    ) -> None:
        """Do.

        Args:
            user_id: Whose.
        """

    schema, arguments = read(f)
    assert schema["properties"] == {
        "userId": {"type": "integer", "description": "Whose."},
        "bee": {"type": "integer", "default": 1},
    }
    assert schema["required"] == ["userId"]
    assert arguments.read({"userId": 1, "bee": 2}) == {"user_id": 1, "b": 2}


def test_any_name_may_be_a_parameter() -> None:
    def f(
        class_: int,
        model_config: int,
        schema: int,
        copy: int,
        json: list[int],
        dict: int,
        self: int,
        cls: int,
        model_fields: int,
        _private: int,
        __dunder: int,
        validate: int,
        keys: int,
        größe: int,  # noqa: PLC2401
    ) -> None: ...

    schema_, arguments = read(f)
    names = list(f.__annotations__)[:-1]
    given: dict[str, Any] = {name: [1] if name == "json" else 1 for name in names}
    assert list(schema_["properties"]) == names == schema_["required"]
    assert arguments.read(given) == given


def test_the_object_is_closed_and_its_properties_in_order() -> None:
    def f(b: int, a: str, *, c: list[int]) -> None: ...

    schema, _ = read(f)
    assert schema == {
        "type": "object",
        "properties": {
            "b": {"type": "integer"},
            "a": {"type": "string"},
            "c": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["b", "a", "c"],
        "additionalProperties": False,
    }


def test_star_args_are_an_array() -> None:
    def f(a: int, *rest: Item) -> None: ...

    schema, arguments = read(f)
    assert schema["properties"]["rest"] == {"type": "array", "items": {"$ref": "#/$defs/Item"}}
    assert schema["required"] == ["a"]
    assert arguments.read({"a": 1, "rest": [{"name": "x"}]}) == {"a": 1, "rest": [Item("x")]}


def test_star_kwargs_are_additional_properties() -> None:
    def f(a: int, **options: Item) -> None: ...

    schema, arguments = read(f)
    assert schema["properties"] == {"a": {"type": "integer"}}
    assert schema["additionalProperties"] == {"$ref": "#/$defs/Item"}
    assert arguments.read({"a": 1, "x": {"name": "n"}, "options": {"name": "o"}}) == {
        "a": 1,
        "**options": {"x": Item("n"), "options": Item("o")},
    }


def test_unpacked_kwargs_are_properties() -> None:
    class Base(TypedDict):
        size: int

    class Extra(Base, total=False):
        colour: Annotated[str, Field(description="Which.")]
        weight: Required[float]

    class More(Extra):
        """More of it.

        Attributes:
            weight: In grams.
        """

        note: NotRequired[list[str]]

    def f(a: int, **options: Unpack[More]) -> None: ...

    schema, arguments = read(f)
    assert list(schema["properties"]) == ["a", "size", "colour", "weight", "note"]
    assert schema["required"] == ["a", "size", "weight"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["colour"]["description"] == "Which."
    assert schema["properties"]["weight"]["description"] == "In grams."
    given: Any = {"a": 1, "size": 2, "weight": 1, "note": ["x"]}
    assert arguments.read(given) == {"a": 1, "size": 2, "weight": 1.0, "note": ["x"]}


def test_extra_keys_cannot_have_the_name_of_an_injected_parameter() -> None:
    class Shop:
        def f(
            self, user: Context[str], db: Annotated[int, Inject(int)], **options: str
        ) -> None: ...

    arguments, _ = read_handler(Shop().f, "Shop.f", Docs())
    result = arguments.read({"user": "me", "self": "you", "db": "x", "ok": "y"})
    assert isinstance(result, Failure)
    assert [str(issue.path) for issue in result.issues] == [
        "$input.db",
        "$input.self",
        "$input.user",
    ]


def test_hints_win_over_the_docstring() -> None:
    def f(
        a: Annotated[int, Field(description="By field.")],
        b: Annotated[int, Doc("By doc.")],
        c: Item,
        d: int,
    ) -> None:
        """Do.

        Args:
            a: By docstring.
            b: By docstring.
            c: By docstring.
            d: By docstring.
            e: Nobody.
        """

    said = {name: inner["description"] for name, inner in read(f)[0]["properties"].items()}
    assert said == {"a": "By field.", "b": "By doc.", "c": "By docstring.", "d": "By docstring."}


class Opaque:
    pass


class Raising:
    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Any:
        raise KeyError("from a class of the user's")


@pytest.mark.parametrize(
    "hint",
    [
        Opaque,
        list[Opaque],
        Opaque | None,
        Callable[[], int],
        int | Callable[[], int],
        type[int],
        Raising,
        ClassVar[int],
        "an undefined thing",
        5,
        lambda: None,
        any,
        Literal[()],
    ],
    ids=lambda hint: str(hint).split(" at 0x")[0],
)
def test_a_hint_without_a_schema_is_an_error_with_parameter_hint_and_remedy(hint: object) -> None:
    def f(ok: int, bad: object) -> None: ...

    f.__annotations__["bad"] = hint
    with pytest.raises(DefinitionError) as caught:
        read(f)
    assert caught.value.where == "f(bad)"
    assert caught.value.remedy


def test_the_error_of_a_hint_names_it() -> None:
    with pytest.raises(DefinitionError, match=r"test_callable_schemas\.Opaque` has no JSON Schema"):
        read(taking(Opaque))


@pytest.mark.parametrize(("pattern", "cause"), [("(", "unclosed group"), ("^(?!x)", "look-around")])
def test_the_error_of_a_pattern_has_the_cause(pattern: str, cause: str) -> None:
    with pytest.raises(DefinitionError, match=cause) as caught:
        read(taking(Annotated[str, Field(pattern=pattern)]))
    assert "without look-around" in (caught.value.remedy or "")


def test_a_parameter_without_a_hint_is_an_error() -> None:
    def f(a: int, b, *c, **d) -> None: ...

    with pytest.raises(DefinitionError) as caught:
        read(f)
    assert caught.value.where == "f(b)"
    assert "no type hint" in caught.value.reason
    assert "b: str" in str(caught.value.remedy)


def test_a_missing_argument_is_an_issue() -> None:
    def f(a: int, b: str, c: int = 1) -> None: ...

    result = read(f)[1].read({"c": 2})
    assert isinstance(result, Failure)
    assert [str(issue.path) for issue in result.issues] == ["$input.a", "$input.b"]


@pytest.mark.parametrize(
    "value",
    [object(), {1, 2}, "\ud800", 10**5000, [[]] * 3, {"a": ...}],
    ids=lambda each: type(each).__name__,
)
def test_arguments_that_are_not_json_are_an_issue(value: Any) -> None:
    class Model(BaseModel):
        size: int

    assert isinstance(read(taking(Model))[1].read({"x": value}), Failure)


def test_an_error_of_a_user_s_validator_has_our_path() -> None:
    class Even(BaseModel):
        size: int

        @field_validator("size")
        @classmethod
        def even(cls, value: int) -> int:
            if value % 2:
                raise ValueError("must be even")
            return value

    result = read(taking(list[Even]))[1].read({"x": [{"size": 2}, {"size": 3}]})
    assert isinstance(result, Failure)
    [issue] = result.issues
    assert (str(issue.path), issue.expected, issue.value, issue.side) == (
        "$input.x[1].size",
        "must be even",
        3,
        "whole",
    )
    assert result.value == {"x": [{"size": 2}, {"size": 3}]}


def test_an_error_in_an_extra_key_has_the_key_s_path() -> None:
    def refuse(value: int) -> int:
        raise ValueError("no")

    def f(**options: Annotated[int, AfterValidator(refuse)]) -> None: ...

    result = read(f)[1].read({"a": 1})
    assert isinstance(result, Failure)
    assert [(str(issue.path), issue.message) for issue in result.issues] == [
        ("$input.a", "$input.a: no")
    ]


def test_another_exception_of_a_validator_is_raised() -> None:
    def explode(value: int) -> int:
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        read(taking(Annotated[int, AfterValidator(explode)]))[1].read({"x": 1})


def test_a_schema_has_the_order_of_its_own_hint_whatever_was_read_before() -> None:
    def one(kind: Literal["a", "b"], value: int | str) -> list[Literal["a", "b"]]:
        return []

    def other(kind: Literal["b", "a"], value: str | int) -> list[Literal["b", "a"]]:
        return []

    first, second = Controller.from_functions([one, other]).functions
    assert first.parameters["properties"]["kind"]["enum"] == ["a", "b"]
    assert second.parameters["properties"]["kind"]["enum"] == ["b", "a"]
    types = [each["type"] for each in second.parameters["properties"]["value"]["anyOf"]]
    assert types == ["string", "integer"]
    assert second.output is not None
    assert second.output["items"]["enum"] == ["b", "a"]
