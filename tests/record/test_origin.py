"""Where a function lives is data: equal when it says the same, and copied whole."""

import copy
import pickle

import pytest

from pyfunctools import Method, RemoteTool, Route
from pyfunctools.record.origin import Origin, origin_text

ORIGINS: list[Origin] = [
    Method(qualname="Shop.buy", is_async=True),
    Route(method="GET", path="/teas", operation={"summary": "List"}),
    RemoteTool(server="files", name="read"),
]


@pytest.mark.parametrize("origin", ORIGINS, ids=lambda origin: type(origin).__name__)
def test_an_origin_survives_copies(origin: Origin) -> None:
    assert copy.deepcopy(origin) == origin
    assert pickle.loads(pickle.dumps(origin)) == origin


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        *zip(ORIGINS, ["Shop.buy", "GET /teas", "files/read"], strict=True),
        (None, "a written schema"),
    ],
)
def test_the_place_is_said_in_a_few_words(origin: Origin | None, words: str) -> None:
    assert origin_text(origin) == words


def test_a_method_is_synchronous_unless_said() -> None:
    assert not Method(qualname="f").is_async
    assert Method(qualname="f") != Method(qualname="f", is_async=True)
