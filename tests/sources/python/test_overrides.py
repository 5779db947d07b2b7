"""An override keeps the marks of what it overrides, or is an error."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, SecretStr

from pyfunctools import Context, Controller, DefinitionError, Human, Inject, function, human


class Card(BaseModel):
    number: Human[str]


class Opaque:
    """A class without a schema."""


class Bank:
    @function(confirm=True)
    def pay(self, amount: int) -> str:
        return f"paid {amount}"

    @function
    def draw(self, amount: int, pin: Human[str]) -> str:
        return pin

    def unmarked(self, card: Card, user: Context[str]) -> str:
        return user

    def opaque(self, cards: list[Annotated[Opaque, human()]], other: Opaque) -> None: ...

    @staticmethod
    def secret(code: SecretStr, tenant: Annotated[str, Inject(lambda: "own")] = "") -> str:
        return tenant


class NoConfirm(Bank):
    @function
    def pay(self, amount: int) -> str:
        return ""


class NoPin(Bank):
    @function
    def draw(self, amount: int, pin: str) -> str:
        return pin


class PinInRest(Bank):
    @function
    def draw(self, amount: int, **rest: str) -> str:
        return str(rest)


class NoCard(Bank):
    @function
    def unmarked(self, card: dict[str, str], user: Context[str]) -> str:
        return user


class NoContext(Bank):
    @function
    def unmarked(self, card: Card, user: str) -> str:
        return user


class NoSecret(Bank):
    @function
    @staticmethod
    def secret(code: str, tenant: Annotated[str, Inject(lambda: "own")] = "") -> str:
        return tenant


class NoTenant(Bank):
    @function
    @staticmethod
    def secret(code: SecretStr, tenant: str = "") -> str:
        return tenant


class NoOpaque(Bank):
    @function
    def opaque(self, cards: list[str], other: str) -> None: ...


class Middle(Bank):
    pass


class FarBelow(Middle):
    @function
    def draw(self, amount: int, pin: str) -> str:
        return pin


DROPS: list[tuple[type, str]] = [
    (NoConfirm, r"NoConfirm.pay: It overrides `Bank.pay`.*confirm"),
    (NoPin, r"NoPin.draw\(pin\): It overrides `Bank.draw`.*mark"),
    (PinInRest, r"draw\(pin\)"),
    (NoCard, r"unmarked\(card\)"),
    (NoContext, r"unmarked\(user\)"),
    (NoSecret, r"secret\(code\)"),
    (NoTenant, r"secret\(tenant\)"),
    (NoOpaque, r"opaque\(cards\)"),
    (FarBelow, r"FarBelow.draw\(pin\): It overrides `Bank.draw`"),
]


@pytest.mark.parametrize(("cls", "said"), DROPS, ids=[cls.__name__ for cls, _ in DROPS])
@pytest.mark.parametrize("everything", [False, True])
def test_an_override_that_drops_a_mark_is_an_error(cls: Any, said: str, everything: bool) -> None:
    with pytest.raises(DefinitionError, match=said):
        Controller.from_object(cls(), all=everything)


def test_a_bound_override_is_checked_too() -> None:
    with pytest.raises(DefinitionError, match=r"draw\(pin\)"):
        Controller.from_functions([NoPin().draw])


def test_with_all_an_override_without_marks_is_an_error() -> None:
    class Bare(Bank):
        def pay(self, amount: int) -> str:
            return ""

    with pytest.raises(DefinitionError, match=r"Bare.pay.*drops `confirm=True`"):
        Controller.from_object(Bare(), all=True)
    assert "pay" not in Controller.from_object(Bare())


def test_an_override_that_keeps_or_replaces_its_marks_is_accepted() -> None:
    class Kept(Bank):
        @function(confirm=False)
        def pay(self, amount: int) -> str:
            return "free"

        @function
        def draw(self, amount: int, pin: Human[str]) -> str:
            return pin

        @function
        def secret(self, number: int) -> str:
            return ""

    controller = Controller.from_object(Kept())
    assert controller.call("pay", {"amount": 1}).value == "free"
    assert controller["draw"].separated is not None


def test_an_inherited_mark_counts() -> None:
    class Derived(Bank):
        @function
        def own(self) -> None: ...

    assert [each.name for each in Controller.from_object(Derived())] == ["own", "pay", "draw"]
    assert Controller.from_object(Derived())["pay"].confirm
