"""The garbage collector is paused while documents are opened, and is then as it was before."""

import gc
import json
from collections.abc import Iterator

import pytest

from pyfunctools import Controller, DocumentError

DOCUMENT = {"openapi": "3.1.0", "info": {"title": "Teas", "version": "1"}, "paths": {"/a": {}}}


@pytest.fixture(params=[True, False], ids=["enabled", "disabled"], autouse=True)
def was_enabled(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Do everything with the collector enabled, and again with it disabled by the program."""
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_it_is_paused_while_a_document_is_opened(was_enabled: bool) -> None:
    seen: list[bool] = []

    def resolver(_: str) -> dict[str, object]:
        seen.append(gc.isenabled())
        return {"get": {}}

    paths = {"/a": {"$ref": "other.json"}}
    assert len(Controller.from_openapi({**DOCUMENT, "paths": paths}, resolver=resolver)) == 1
    assert seen == [False]
    assert gc.isenabled() is was_enabled


@pytest.mark.parametrize("wrong", ["{", '{"openapi": "9.9"}', json.dumps({**DOCUMENT, "paths": 1})])
def test_it_is_restored_if_a_document_cannot_be_opened(wrong: str, was_enabled: bool) -> None:
    with pytest.raises(DocumentError):
        Controller.from_openapi(wrong)
    assert gc.isenabled() is was_enabled
