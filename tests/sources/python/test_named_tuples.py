"""Named tuples are taken by position and by the names of their fields."""

from typing import Any, NamedTuple

import pytest

from pyfunctools import Controller, Human, function_of


class Place(NamedTuple):
    lat: float
    lon: float
    height: float = 3.0
    name: str = "home"


def go(to: Place, stops: list[Place] | None = None) -> str:
    return repr((tuple(to), [tuple(each) for each in stops or ()]))


HOME = (1.0, 2.0, 3.0, "home")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"to": [1, 2]}, (HOME, [])),
        ({"to": {"lat": 1, "lon": 2}}, (HOME, [])),
        ({"to": {"lon": "2", "lat": 1}}, (HOME, [])),
        ({"to": {"lat": 1, "lon": 2, "name": "x"}}, ((1.0, 2.0, 3.0, "x"), [])),
        ({"to": [1, 2], "stops": [{"lat": 1, "lon": 2}, [1, 2]]}, (HOME, [HOME, HOME])),
    ],
)
def test_a_named_tuple_is_taken_by_names(written: Any, expected: object) -> None:
    outcome = Controller.from_functions([go]).call("go", written)
    assert outcome.value == repr(expected), outcome.text


@pytest.mark.parametrize("to", [{"lat": 1, "lng": 2}, {"lat": 1}, {"lat": 1, "lon": "x"}, {}])
def test_other_names_are_refused(to: Any) -> None:
    assert not function_of(go).check({"to": to})


class Card(NamedTuple):
    """A card.

    Attributes:
        holder: Whose it is.
    """

    holder: str
    pin: Human[str]
    limit: Human[int] = 3


def pay(card: Card) -> str:
    return repr(card)


def test_the_model_reads_no_name_of_a_persons_item() -> None:
    [schema] = function_of(pay).llm["$defs"].values()
    assert schema["description"] == "A card."
    assert schema["prefixItems"][0]["description"] == "holder: Whose it is."
    assert "pin" not in str(schema)


@pytest.mark.parametrize("wrote", [{"holder": "Ada"}, ["Ada", None]])
@pytest.mark.parametrize("gave", [{"pin": "S-4711"}, [None, "S-4711"]])
def test_both_sides_may_use_names(wrote: Any, gave: Any) -> None:
    made = Controller.from_functions([pay])
    done = made.call("pay", {"card": wrote}, human={"card": gave})
    assert done.value == "Card(holder='Ada', pin='S-4711', limit=3)", done


def test_an_item_is_a_secret_by_its_name() -> None:
    def keep(card: Human[Card]) -> str:
        return repr(card)

    made = Controller.from_functions([pay, keep])
    waiting = made.call("pay", {"card": ["Ada", None]}).waiting
    assert waiting is not None
    assert [each.secret for each in waiting.questions] == [True]
    paid = made.call("pay", {"card": ["Ada", None]}, human={"card": [None, "S-4711"]})
    kept = made.call("keep", human={"card": ["Ada", "S-4711", 4]})
    for outcome, limit in ((paid, 3), (kept, 4)):
        assert outcome.text == f"Card(holder='Ada', pin='***', limit={limit})"


def test_a_person_may_give_a_whole_tuple_by_names() -> None:
    def go_there(to: Human[Place]) -> str:
        return repr(tuple(to))

    made = Controller.from_functions([go_there])
    assert made.call("go_there", human={"to": {"lat": "1", "lon": 2}}).value == repr(HOME)
