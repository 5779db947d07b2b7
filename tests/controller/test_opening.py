"""Opening: what each kind of source gives a controller to hold."""

from pyfunctools import function
from pyfunctools.controller.opening import open_document, open_functions, open_object


class Shop:
    """A small shop."""

    @function
    def buy(self, item: str) -> str:
        """Buy something."""
        return item

    @function
    def _secret(self) -> None: ...


def ping() -> str:
    """Say pong."""
    return "pong"


def test_an_object_gives_its_class_name_its_words_and_what_was_not_exposed() -> None:
    opened = open_object(Shop(), all=False, inherited=False, is_human=None)
    assert (opened.name, opened.description) == ("Shop", "A small shop.")
    assert [each.name for each, _ in opened.entries] == ["buy"]
    assert len(opened.skipped) == 1


def test_functions_of_one_opening_share_what_runs_them() -> None:
    opened = open_functions([ping, Shop().buy], name="both", description="", is_human=None)
    entries = list(opened.entries)
    assert [each.name for each, _ in entries] == ["ping", "buy"]
    assert len({id(runner) for _, runner in entries}) == 1


def test_a_document_gives_its_title_and_what_is_not_callable() -> None:
    opened = open_document(
        {
            "openapi": "3.1.0",
            "info": {"title": "Things", "version": "1", "description": "All of them."},
            "paths": {
                "/a": {"get": {"responses": {}}},
                "/b": {"get": {"x-human": True, "responses": {}}},
            },
        },
        is_human=None,
        names="accessor",
        describe="model",
        on_skip="collect",
        resolver=None,
        limits=None,
        server="http://127.0.0.1:9",
    )
    assert (opened.name, opened.description) == ("Things", "All of them.")
    assert [each.name for each, _ in opened.entries] == ["a_get"]
    assert len(opened.skipped) == 1
