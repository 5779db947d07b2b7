"""Names in hints: local classes, and names that are defined later."""

from __future__ import annotations

import functools
import gc
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import GenericAlias
from typing import Annotated, Any, Literal

import pytest

from pyfunctools.errors import DefinitionError
from pyfunctools.sources.python.callable_signature import read_signature
from pyfunctools.sources.python.decorators import function, marks_of
from pyfunctools.sources.python.hint_scope import function_behind
from pyfunctools.sources.python.markers import Context, Inject


def hints(method: Callable[..., object], owner: type | None = None) -> dict[str, Any]:
    marks = marks_of(method)
    signature = read_signature(
        method, "f", owner=owner, enclosing=None if marks is None else marks.enclosing
    )
    return {each.name: each.hint for each in signature.inputs}


@dataclass
class Item:
    name: str


class Later:
    @function
    def buy(self, item: DefinedLater) -> None: ...


class DefinedLater:
    pass


def test_a_module_s_names_are_found_even_when_defined_later() -> None:
    assert hints(Later().buy) == {"item": DefinedLater}


def made() -> tuple[Any, dict[str, Any]]:
    class Before:
        pass

    class Shop:
        class Inner:
            pass

        @function
        def buy(
            self, a: Before, b: list[After] | None, c: Inner, d: Shop, e: Literal["After"]
        ) -> None: ...

    class After:
        below: Below

    class Below:
        pass

    return Shop(), {
        "Before": Before,
        "After": After,
        "Inner": Shop.Inner,
        "Shop": Shop,
        "Below": Below,
    }


def test_a_local_class_s_names_are_found_after_the_function_has_returned() -> None:
    shop, names = made()
    assert hints(shop.buy, type(shop)) == {
        "a": names["Before"],
        "b": GenericAlias(list, (names["After"],)) | None,
        "c": names["Inner"],
        "d": names["Shop"],
        "e": Literal["After"],
    }


def test_names_in_the_fields_of_a_class_are_kept() -> None:
    shop, names = made()
    marks = marks_of(shop.buy)
    assert marks is not None
    assert marks.enclosing is not None
    assert marks.enclosing.value["Below"] is names["Below"]


def test_only_names_in_hints_are_kept() -> None:
    class Big:
        pass

    def make() -> tuple[Any, weakref.ref[Big]]:
        big = Big()

        class Item:
            pass

        class Shop:
            @function
            def buy(self, item: Item) -> None: ...

        assert big
        return Shop, weakref.ref(big)

    shop, big = make()
    assert hints(shop().buy, shop)["item"].__name__ == "Item"
    gc.collect()
    assert big() is None


def test_a_decorated_local_function_is_resolved() -> None:
    class Item:
        pass

    @function
    def buy(item: Item) -> None: ...

    assert hints(buy) == {"item": Item}


def test_an_undecorated_local_class_is_resolved_while_its_function_runs() -> None:
    class Item:
        pass

    class Shop:
        def buy(self, item: Item) -> None: ...

    assert hints(Shop().buy, Shop) == {"item": Item}


def test_an_undecorated_local_class_is_resolved_by_its_closure() -> None:
    def make() -> Any:
        class Item:
            pass

        class Shop:
            def buy(self, item: Item) -> Any:
                return Item

        return Shop

    shop = make()
    assert hints(shop().buy, shop) == {"item": shop().buy(None)}


def test_the_innermost_name_wins() -> None:
    class Item:
        pass

    def make() -> Any:
        class Item:
            pass

        class Shop:
            @function
            def buy(self, item: Item) -> None: ...

        return Shop, Item

    shop, inner = make()
    assert hints(shop().buy, shop) == {"item": inner}
    assert inner is not Item


def test_two_calls_of_one_factory_do_not_mix() -> None:
    def make() -> Any:
        class Shop:
            @function
            def buy(self, item: Item) -> None: ...

        class Item:
            pass

        return Shop, Item

    (first, first_item), (second, second_item) = make(), make()
    assert hints(first().buy, first) == {"item": first_item}
    assert hints(second().buy, second) == {"item": second_item}


def test_methods_and_defaults_of_the_class_are_not_hints() -> None:
    class Shop:
        date: str | None = None

        @function
        def list(self, names: list[str], date: Item) -> None: ...

        @function
        def Item(self) -> None: ...

    assert hints(Shop().list, Shop) == {"names": list[str], "date": Item}


def test_a_wrapped_method_has_the_hints_of_the_original() -> None:
    def logged(method: Any) -> Any:
        @functools.wraps(method)
        def wrapper(*args: object, **kwargs: object) -> object:
            return method(*args, **kwargs)

        return wrapper

    class Item:
        pass

    class Shop:
        @function
        @logged
        def over(self, item: Item) -> None: ...

        @logged
        @function
        def under(self, item: Item) -> None: ...

    assert hints(Shop().over, Shop) == hints(Shop().under, Shop) == {"item": Item}


def test_a_quoted_name_without_the_future_import_is_found() -> None:
    module: dict[str, Any] = {"function": function, "Literal": Literal, "Annotated": Annotated}
    source = (
        "def make():\n"
        "    class Shop:\n"
        "        @function\n"
        "        def buy(self, a: 'Item', b: list['Item'], c: Literal['x'],\n"
        "                d: Annotated['Item', 'Text']) -> None: ...\n"
        "    class Item: ...\n"
        "    return Shop, Item\n"
    )
    exec(compile(source, "quoted", "exec", dont_inherit=True), module)  # noqa: S102
    shop, item = module["make"]()
    found = hints(shop().buy, shop)
    assert found == {
        "a": item,
        "b": list[item],
        "c": Literal["x"],
        "d": Annotated[item, "Text"],
    }


def test_an_unknown_name_is_an_error_with_the_parameter() -> None:
    class Shop:
        @function
        def buy(self, ok: int, item: Nowhere) -> None: ...  # noqa: F821

    with pytest.raises(DefinitionError) as caught:
        hints(Shop().buy, Shop)
    assert caught.value.where == "f(item)"
    assert "Nowhere" in caught.value.reason
    assert "import" in str(caught.value.remedy)


def test_an_injected_parameter_may_have_an_unknown_type() -> None:
    class Shop:
        @function
        def buy(
            self,
            user: Context[Nowhere],  # noqa: F821
            db: Annotated[Missing, Inject(dict)],  # noqa: F821
            both: Context[Nowhere | Missing] | None = None,  # noqa: F821
        ) -> None: ...

    assert hints(Shop().buy, Shop) == {}


@pytest.mark.parametrize("hint", ["1 +", "1 / 0", "undefined.x", "[", "list[", "\0"])
def test_an_invalid_hint_is_an_error(hint: str) -> None:
    def buy(item: object) -> None: ...

    buy.__annotations__["item"] = hint
    with pytest.raises(DefinitionError, match=r"f\(item\)"):
        hints(buy)


def test_decorating_at_module_level_keeps_no_names() -> None:
    marks = marks_of(Later.buy)
    assert marks is not None
    assert marks.enclosing is None


def test_the_function_behind_wrappers_is_found() -> None:
    def plain() -> None: ...

    class Called:
        def __call__(self) -> None: ...

        def method(self) -> None: ...

    loop: Any = functools.partial(len)
    circle: Any = lambda: None  # noqa: E731
    circle.__wrapped__ = circle
    assert function_behind(plain) is plain
    assert function_behind(functools.partial(functools.partial(plain))) is plain
    assert function_behind(functools.lru_cache(plain)) is plain
    assert function_behind(Called().method) is Called.method
    assert function_behind(Called()) is Called.__call__
    assert function_behind(staticmethod(plain)) is plain
    assert function_behind(loop) is None
    assert function_behind(circle) is None
    assert function_behind(int) is None
    assert function_behind(3) is None
