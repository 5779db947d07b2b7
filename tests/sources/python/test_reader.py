"""Python objects and callables as functions."""

import copy
import functools
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict

import pyfunctools.sources.python.reader as reader
from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.record.function import Function
from pyfunctools.record.origin import Method
from pyfunctools.sources.python.decorators import function
from pyfunctools.sources.python.markers import Context, Human, Inject, human
from pyfunctools.sources.python.reader import function_of, read_object


@dataclass
class Item:
    """A thing to buy.

    Attributes:
        name: What it is called.
    """

    name: str
    count: int = 1


class Address(BaseModel):
    street: str
    code: Annotated[str, human("The code of the door", widget="pin")]


class Shop:
    """A small shop.

    Open all day.

    Attributes:
        name: Nobody's business.
    """

    def __init__(self, name: str = "corner") -> None:
        self.name = name

    @function(tags=["orders"], destructive=False, title="Order", confirm=True)
    def place_order(
        self,
        items: list[Item],
        address: Address,
        card: Annotated[str, human("The card to charge")],
        pin: Human[str],
        user: Context[str],
        note: str | None = None,
    ) -> Item:
        """Place an order.

        It ships at once.

        Args:
            items: What to buy, and how many of each.
            address: Where to ship it.
            pin: SECRET-7f3a, the pin.
            user: SECRET-7f3a, the user.

        Returns:
            The last item.
        """
        return items[-1]

    @function
    def say(self, text: str) -> str:
        """Say something."""
        return f"{self.name}: {text}"

    @function(name="count", description="Counts.")
    def number(self, upto: int) -> Iterator[int]:
        """Nobody reads this."""
        yield from range(upto)

    @function(deprecated=True, read_only=True, idempotent=True, concurrent=False, strict=True)
    async def later(self) -> None: ...

    def plain(self, size: int) -> int:
        return size


def by_name(obj: object, **settings: Any) -> dict[str, Function]:
    return {each.name: each for each in read_object(obj, **settings).functions}


def test_each_marked_method_is_a_function_in_order() -> None:
    assert list(by_name(Shop())) == ["place_order", "say", "count", "later"]
    assert list(by_name(Shop(), all=True)) == ["place_order", "say", "count", "later", "plain"]


def test_settings_of_the_mark_are_in_the_record() -> None:
    functions = by_name(Shop())
    order, later = functions["place_order"], functions["later"]
    assert (order.tags, order.destructive, order.title, order.confirm) == (
        ("orders",),
        False,
        "Order",
        True,
    )
    assert (later.deprecated, later.read_only, later.idempotent) == (True, True, True)
    assert (later.concurrent, later.strict) == (False, True)
    assert (order.deprecated, order.read_only, order.concurrent) == (False, None, None)


def test_the_docstring_is_the_description() -> None:
    functions = by_name(Shop())
    assert functions["place_order"].description == "Place an order.\n\nIt ships at once."
    assert functions["count"].description == "Counts."
    assert functions["later"].description == "@deprecated"


def test_the_origin_is_the_method() -> None:
    functions = by_name(Shop())
    assert functions["say"].origin == Method(qualname="Shop.say", is_async=False)
    assert functions["later"].origin == Method(qualname="Shop.later", is_async=True)


def test_the_schema_has_all_inputs_and_no_injected_parameter() -> None:
    order = by_name(Shop())["place_order"]
    properties: Any = order.parameters["properties"]
    assert list(properties) == ["items", "address", "card", "pin", "note"]
    assert properties["items"]["description"] == "What to buy, and how many of each."
    assert properties["card"]["x-human-ask"] == "The card to charge"
    assert properties["note"]["default"] is None
    assert order.parameters["required"] == ["items", "address", "card", "pin"]
    assert order.parameters["additionalProperties"] is False
    definitions: Any = order.parameters["$defs"]
    assert definitions["Item"]["properties"]["name"]["description"] == "What it is called."
    assert definitions["Address"]["properties"]["code"]["x-human"] is True
    assert order.output is not None
    assert order.output["description"] == "The last item."


def test_the_human_s_part_is_hidden_from_the_model() -> None:
    order = by_name(Shop())["place_order"]
    assert order.separated is not None
    assert "SECRET-7f3a" not in str(order.separated.llm) + order.description
    assert list(order.separated.llm["properties"]) == ["items", "address", "note"]
    assert "SECRET-7f3a, the pin." in str(order.separated.human)
    assert "SECRET-7f3a, the user" not in str(order.separated.human)


def test_without_a_human_part_nothing_is_separated() -> None:
    assert by_name(Shop(), is_human=None)["place_order"].separated is None
    assert by_name(Shop())["say"].separated is None


def test_the_class_s_docstring_is_the_description() -> None:
    assert read_object(Shop()).description == "A small shop.\n\nOpen all day."


def test_nothing_exposed_is_an_error_with_the_remedy() -> None:
    class Empty:
        pass

    class Undecorated:
        def a(self, x: int) -> int:
            return x

    class Hidden:
        @function
        def _a(self) -> None: ...

    for obj in (Empty(), Undecorated(), Empty, 3, None):
        with pytest.raises(DefinitionError, match=r"`@function`.*`all=True`"):
            read_object(obj)
    with pytest.raises(DefinitionError, match=r"Hidden\._a: Its name begins with an underscore"):
        read_object(Hidden())
    for obj in (function_of, Shop().say, reader):
        with pytest.raises(DefinitionError, match="from_functions"):
            read_object(obj)


def test_two_functions_of_one_name_are_an_error_that_names_both() -> None:
    class Twice:
        @function(name="c")
        def a(self) -> None: ...

        @function(name="c")
        def b(self) -> None: ...

    with pytest.raises(DefinitionError, match=r"Twice\.b: Twice\.a is called 'c' too"):
        read_object(Twice())


@pytest.mark.parametrize("name", ["größe", "a b", "1a", "a" * 65, "", "a.b"])
def test_a_name_that_cannot_be_used_is_an_error_that_names_the_method(name: str) -> None:
    class Shop:
        @function(name=name)
        def a(self) -> None: ...

    if name:
        with pytest.raises(DefinitionError, match=r"Shop\.a: .*@function\(name="):
            read_object(Shop())
    else:
        assert list(by_name(Shop())) == ["a"]


def test_an_overriding_method_inherits_the_docstring() -> None:
    class Base:
        @function
        def a(self, x: int) -> None:
            """Do it.

            Args:
                x: How often.
            """

    class Shop(Base):
        @function
        def a(self, x: int) -> None: ...

    made = by_name(Shop())["a"]
    assert made.description == "Do it."
    assert "How often." in str(made.parameters)


class Called:
    """Not this."""

    def __call__(self, x: int) -> int:
        """Call it."""
        return x

    @function
    def bound(self, x: int) -> int:
        return x

    @classmethod
    def of(cls, x: int) -> int:
        return x

    @staticmethod
    def at(x: int) -> int:
        return x


def plain(x: int, y: str = "a") -> int:
    """Do it.

    Args:
        x: How often.
    """
    return x


@function(name="other", tags=["t"])
def marked(x: int) -> int:
    return x


@functools.wraps(plain)
def wrapper(*args: Any, **kwargs: Any) -> int:
    return plain(*args, **kwargs)


@pytest.mark.parametrize(
    ("called", "name", "description"),
    [
        (plain, "plain", "Do it."),
        (marked, "other", ""),
        (wrapper, "plain", "Do it."),
        (functools.partial(plain, y="b"), "plain", "Do it."),
        (functools.partial(marked), "other", ""),
        (functools.lru_cache(plain), "plain", "Do it."),
        (Called(), "Called", "Call it."),
        (Called().bound, "bound", ""),
        (Called.of, "of", ""),
        (Called.at, "at", ""),
    ],
)
def test_one_callable_is_one_function(called: Any, name: str, description: str) -> None:
    made = function_of(called)
    assert (made.name, made.description) == (name, description)
    assert made._handler is not None
    bound = made._handler.bind({"x": 3}, None)
    assert bound
    assert bound.value() == 3


@pytest.mark.parametrize(
    ("called", "match"),
    [
        (lambda x: x, "lambda"),
        (functools.partial(lambda x: x, 1), "lambda"),
        (Called, "not a function"),
        (int, "not a function"),
        (3, "not a function"),
        (None, "not a function"),
        (Called.bound, "no instance was given"),
        (len, "signature|hint"),
        (print, "signature|hint"),
        ("text", "not a function"),
    ],
    ids=lambda value: str(value).split(" at 0x")[0],
)
def test_a_value_that_is_not_a_function_is_an_error(called: Any, match: str) -> None:
    with pytest.raises(DefinitionError, match=match):
        function_of(called)


def test_records_of_one_function_are_equal() -> None:
    assert function_of(plain) == function_of(plain)
    assert function_of(plain) != function_of(marked)


def test_a_record_is_pickled_with_its_object() -> None:
    for each in read_object(Shop("far"), all=True).functions:
        again = pickle.loads(pickle.dumps(each))
        assert again == each
        assert again._handler.is_async == each._handler.is_async
    say = pickle.loads(pickle.dumps(by_name(Shop("far"))["say"]))
    assert say._handler.bind({"text": "hi"}, None).value() == "far: hi"


def test_a_deep_copy_runs_the_same_object() -> None:
    shop = Shop()
    shop.lock = threading.Lock()
    say = by_name(shop)["say"]
    again = copy.deepcopy(say)
    assert again == say
    shop.name = "changed"
    assert again._handler.bind({"text": "hi"}, None).value() == "changed: hi"


def test_building_runs_no_user_code() -> None:
    class Careful:
        def __getattr__(self, name: str) -> object:
            raise AssertionError(name)

        @property
        def value(self) -> int:
            raise AssertionError("a property was evaluated")

        @function
        def a(self, x: Annotated[int, Inject(lambda: 1 / 0)], y: Item) -> None:
            raise AssertionError("it ran")

    assert list(by_name(Careful())) == ["a"]


class Odd:
    def __init__(self, raised: BaseException) -> None:
        self.raised = raised

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> object:
        raise self.raised


@pytest.mark.parametrize(
    "raised", [KeyError("x"), RecursionError(), TypeError("x"), ValueError("\ud800"), OSError()]
)
def test_errors_of_user_classes_become_our_errors(raised: Exception) -> None:
    def f(x: int) -> None: ...

    f.__annotations__["x"] = Annotated[int, Odd(raised)]
    with pytest.raises(PyfunctoolsError):
        function_of(f)


def test_a_class_that_writes_an_invalid_schema_is_an_error_at_once() -> None:
    deep: list[Any] = []
    for _ in range(300):
        deep = [deep]

    class Broken(BaseModel):
        model_config = ConfigDict(json_schema_extra={"properties": 5})

    class Deep(BaseModel):
        model_config = ConfigDict(json_schema_extra={"examples": deep})

    def f(x: Broken) -> None: ...

    def g() -> Broken: ...

    def h(x: Deep) -> None: ...

    for each in (f, g, h):
        with pytest.raises(DefinitionError, match=each.__name__):
            function_of(each)


def test_an_endless_hint_is_an_error() -> None:
    def f(x: "Endless") -> None: ...

    global Endless
    Endless = "list[Endless]"
    with pytest.raises(DefinitionError, match=r"f\(x\)"):
        function_of(f)


Endless: Any = None


HEAVY = (
    "pydantic",
    "jsonschema_rs",
    "httpx",
    "pyfunctools.record.outcome",
    "pyfunctools.route",
    "pyfunctools.record.contract",
    "pyfunctools.schema.normalization.bundle",
    "pyfunctools.schema.normalization.all_of",
    "pyfunctools.schema.outline.outline",
)


def test_building_loads_what_it_needs_and_nothing_else() -> None:
    code = (
        "import sys\n"
        "from pyfunctools.sources.python.reader import function_of\n"
        "before = set(sys.modules)\n"
        "def f(x: int) -> int: ...\n"
        "made = function_of(f)\n"
        f"heavy = {HEAVY!r}\n"
        "print([name for name in heavy if name in before])\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "['pydantic']"]
