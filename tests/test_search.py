"""`Controller.search`: which functions fit a request, and in which order."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pytest
from clock import at_most

from pyfunctools import Controller, DefinitionError, Function, UnknownFunctionError, human
from pyfunctools.search import SearchIndex

SEARCH = Path(__file__).parents[2] / "shared" / "search"
DOCUMENT: dict[str, Any] = {
    "openapi": "3.2.0",
    "info": {"title": "Hub", "version": "1"},
    "tags": [
        {"name": "labels", "parent": "triage"},
        {"name": "triage", "summary": "Sorting of reports"},
    ],
    "paths": {
        "/repos/{owner}/issues": {
            "get": {
                "operationId": "issues/list-for-repo",
                "summary": "List issues",
                "parameters": [{"$ref": "#/components/parameters/state"}],
            },
            "post": {
                "operationId": "issues/create",
                "summary": "Create an issue",
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/NewIssue"}}
                    }
                },
            },
        },
        "/repos/{owner}/labels": {
            "delete": {"operationId": "labels/delete", "tags": ["labels"], "summary": "Drop one"}
        },
    },
    "components": {
        "parameters": {
            "state": {
                "name": "state",
                "in": "query",
                "description": "Whether it is finished",
                "schema": {"enum": ["open", "closed"]},
            }
        },
        "schemas": {
            "NewIssue": {
                "type": "object",
                "properties": {"milestone": {"type": "integer", "description": "A deadline"}},
            }
        },
    },
}


def hub() -> Controller:
    return Controller.from_openapi(DOCUMENT, server="https://hub.example")


def named(*names: str, description: str = "") -> list[Function]:
    return [
        Function.from_schema(name=name, description=description, parameters={"type": "object"})
        for name in names
    ]


def found(controller: Controller, query: str, **options: Any) -> list[str]:
    return [each.name for each in controller.search(query, **options)]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("list the issues, please", "repos_issues_getByOwner"),
        ("creating issues", "repos_issues_postByOwner"),
        ("deadline", "repos_issues_postByOwner"),
        ("milestones", "repos_issues_postByOwner"),
        ("closed", "repos_issues_getByOwner"),
        ("finished", "repos_issues_getByOwner"),
        ("triage", "repos_labels_eraseByOwner"),
        ("sorting reports", "repos_labels_eraseByOwner"),
        ("remove", "repos_labels_eraseByOwner"),
        ("list-for-repo", "repos_issues_getByOwner"),
    ],
)
def test_every_text_of_an_operation_is_searched(query: str, name: str) -> None:
    assert found(hub(), query)[0] == name


def test_what_a_person_gives_is_not_searched() -> None:
    secret = {"type": "string", "x-human": True, "description": "zebra", "enum": ["okapi"]}
    body = {"type": "object", "properties": {"pin": secret, "n": {"description": "gnu"}}}
    query = {"name": "who", "in": "query", "x-human": True, "description": "zebra", "schema": {}}
    content = {
        "application/json": {"schema": {"allOf": [body, {"$ref": "#/components/schemas/S"}]}}
    }
    operation = {"parameters": [query], "requestBody": {"content": content}}
    named = {"type": "object", "properties": {"key": {"$ref": "#/components/schemas/T"}}}
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "paths": {"/a": {"post": operation}, "/b": {"get": {"summary": "Other"}}},
        "components": {"schemas": {"S": named, "T": secret}},
    }
    opened = Controller.from_openapi(document, server="https://x.example")

    def pay(n: int, pin: Annotated[str, human("zebra")]) -> None:
        """Do it."""

    assert found(opened, "gnu") == ["a_post"]
    for controller in (opened, Controller.from_functions([pay])):
        for word in ("zebra", "okapi", "pin", "who"):
            assert found(controller, word) == []
    everything = Controller.from_openapi(document, server="https://x.example", is_human=None)
    assert found(everything, "zebra") == ["a_post"]


def test_a_search_makes_no_schema_of_a_document() -> None:
    controller = hub()
    assert found(controller, "create an issue")
    assert not any(each._contract.made for each in controller)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("query", "name"), [("repos", "listForRepo"), ("start http", "HTTPServer_start")]
)
def test_names_are_split_into_words(query: str, name: str) -> None:
    controller = Controller.from_functions(named("listForRepo", "HTTPServer_start"))
    assert found(controller, query) == [name]


def test_a_compound_is_found_by_its_last_word() -> None:
    functions = named("web_get", "hooks_stats", "repos_webhooks_list", "repos_keys_list")
    found = SearchIndex(functions).search("list repo hooks", 4)
    assert found[0].name == "repos_webhooks_list"


@pytest.mark.parametrize("text", ["Storniert eine Bestellung für Größe", "注文を取り消す"])
def test_words_of_other_scripts_are_found(text: str) -> None:
    functions = [*named("a", description=text), *named("b", description="Cancel an order.")]
    controller = Controller.from_functions(functions)
    assert found(controller, text.rpartition(" ")[2][:3] if " " not in text else "größe") == ["a"]


def test_the_function_that_says_little_else_is_first() -> None:
    functions = [
        *named("a", description="Get the statistics of the cache of a repository."),
        *named("b", description="Get a repository."),
    ]
    assert found(Controller.from_functions(functions), "get a repository") == ["b", "a"]


def test_each_clause_of_a_request_is_searched() -> None:
    functions = [
        *(f for n in range(9) for f in named(f"f{n}", description="Find cheap hotels in towns.")),
        *named("pay", description="Pay a bill."),
    ]
    query = "Find cheap hotels in all the towns of my list, and then pay a bill"
    assert "pay" in found(Controller.from_functions(functions), query, limit=3)


def test_fewer_are_returned_where_fewer_fit() -> None:
    controller = Controller.from_functions(named("buy", "sell"))
    assert found(controller, "buy something") == ["buy"]
    assert found(controller, "") == found(controller, "the of") == found(controller, "zzz") == []
    assert len(found(hub(), "issues labels", limit=1)) == 1


def test_equal_controllers_find_the_same() -> None:
    functions = named(*(f"order_{n}" for n in range(50)), description="Handle an order.")
    one = found(Controller.from_functions(functions), "order", limit=9)
    assert one == found(Controller.from_functions(functions), "order", limit=9)
    assert one == [f"order_{n}" for n in range(9)]


def test_a_view_searches_its_own_functions() -> None:
    selected = hub().select(methods="post")
    assert found(selected, "list issues") == ["repos_issues_postByOwner"]


def test_another_ranker_is_fused() -> None:
    seen: list[tuple[str, int]] = []

    def rank(query: str, functions: Sequence[Function]) -> Sequence[Function]:
        seen.append((query, len(functions)))
        return [each for each in functions if each.name == "refund"]

    controller = Controller.from_functions(named("buy", "refund"))
    assert found(controller, "buy", rank=rank) == ["buy", "refund"]
    assert found(controller, "give my money back", rank=rank) == ["refund"]
    assert seen == [("buy", 2), ("give my money back", 2)]


@pytest.mark.parametrize(
    "options",
    [
        {"query": 1},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": True},
        {"query": "x", "rank": 1},
        {"query": "x", "rank": lambda query: ()},
        {"query": "x", "rank": lambda query, functions: ["x"]},
    ],
)
def test_a_wrong_setting_is_a_definition_error(options: Any) -> None:
    with pytest.raises(DefinitionError):
        Controller.from_functions(named("x")).search(**options)


def test_of_words_of_very_many_functions_the_best_are_read() -> None:
    functions = named(*(f"common_{n}" for n in range(5000)), description="A common thing.")
    functions += named("rare", description="A common thing with a unicorn.")
    functions += named("common")
    controller = Controller.from_functions(functions)
    assert found(controller, "common unicorn", limit=1) == ["rare"]
    assert found(controller, "common", limit=1) == ["common"]


def test_a_very_long_word_or_query_costs_no_more_than_its_length() -> None:
    with at_most(10):
        controller = Controller.from_functions(named("x", description="x" * 1_000_000))
        assert found(controller, "x " + "y" * 1_000_000) == ["x"]
        words = " ".join(f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(400))
        controller = Controller.from_functions(
            named(*(f"f_{n}" for n in range(300)), description=words)
        )
        assert len(found(controller, f"{words}, " * 200)) == 8


@pytest.mark.parametrize(
    "name", ["issues/list-for-repo", "repos_issues_getByOwner", "repos.issues.getByOwner"]
)
@pytest.mark.parametrize("names", ["accessor", "operation_id"])
def test_a_function_is_found_by_its_other_names(name: str, names: Any) -> None:
    controller = Controller.from_openapi(DOCUMENT, server="https://hub.example", names=names)
    assert controller[name].title == "List issues"
    tested = controller.replaced({name: "none"})
    assert tested.call(name, {"owner": "ada"}).text == "none"


def test_an_unknown_name_offers_what_fits() -> None:
    with pytest.raises(UnknownFunctionError) as caught:
        _ = hub()["create_new_issue"]
    assert caught.value.close[0] == "repos_issues_postByOwner"


FLOORS = {
    "bfcl": 82.0,
    "github": 95.0,
    "metatool": 64.0,
    "restbench-spotify": 64.0,
    "restbench-tmdb": 51.0,
    "toolbench": 73.0,
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_requests_of_others_find_their_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recall within the first five, in percent, on requests that were not written for this."""
    monkeypatch.syspath_prepend(str(SEARCH))
    import adapter  # type: ignore[import-not-found]
    import measure  # type: ignore[import-not-found]

    mean, rows = measure.evaluate(adapter.make)
    found = {name: 100 * row["r5"] for name, row in rows.items()}
    assert {name: share for name, share in found.items() if share < FLOORS[name]} == {}
    assert 100 * mean["r5"] >= 72


def test_an_empty_controller_finds_nothing() -> None:
    assert SearchIndex(()).search("anything", 5) == ()
