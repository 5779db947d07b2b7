"""The names of functions, and split path templates."""

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfunctools._json import JsonObject
from pyfunctools.errors import DefinitionError
from pyfunctools.record.function import NAME
from pyfunctools.route import Route
from pyfunctools.sources.openapi.naming import Naming, name_all, path_parameters, split_path


@pytest.mark.parametrize(
    ("path", "fixed", "names", "beside"),
    [
        ("/", [], [], []),
        ("", [], [], []),
        ("/users", ["users"], [], []),
        ("/users/", ["users"], [], []),
        ("//users", ["users"], [], []),
        ("users/{id}", ["users"], ["id"], []),
        ("/users/:id/posts", ["users", "posts"], ["id"], []),
        ("/users/{id}.json", ["users"], ["id"], [".json"]),
        ("/{a}..{b}", [], ["a", "b"], [".."]),
        ("/v1/{name}:cancel", ["v1"], ["name"], [":cancel"]),
        ("/v1/things:batch", ["v1", "things:batch"], [], []),
        ("/a?x={x}&y={y}", ["a"], ["x", "y"], ["x=&y="]),
        ("/a#X-Target=B.C", ["a", "X-Target=B.C"], [], []),
        ("/a{?x,y}", ["a"], [], []),
        ("/a/{?x}", ["a"], [], []),
        ("/{id*}/{.b}/{;c}", [], ["id*", ".b", ";c"], []),
        ("/{/a}", [], ["/a"], []),
        ("/a/{id:[0-9]{1,3}}/b", ["a", "b"], ["id:[0-9]{1,3}"], []),
        ("/{}", [], [""], []),
        ("/{a", ["{a"], [], []),
        ("/a}", ["a}"], [], []),
        ("/:", [":"], [], []),
        ("/{:a}", [], [":a"], []),
    ],
)
def test_a_template_is_taken_apart(
    path: str, fixed: list[str], names: list[str], beside: list[str]
) -> None:
    assert [*map(list, split_path(path))] == [fixed, names, beside]
    assert path_parameters(path) == names


def test_a_name_twice_in_a_path_counts_once() -> None:
    assert path_parameters("/{a}/x/{a}") == ["a"]


@pytest.mark.parametrize("piece", ["{", "}", "{a", "/:", "/{a}", "?", "{{a}}", "{a{b}"])
def test_a_long_hostile_path_takes_no_time(piece: str) -> None:
    path = "/" + piece * (100_000 // len(piece))
    split_path(path)
    path_parameters(path)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.from_regex(r"[a-z]{1,4}", fullmatch=True))))
def test_a_split_path_has_every_character_of_the_path(parts: list[tuple[bool, str]]) -> None:
    path = "".join(f"/{{{text}}}" if is_name else f"/{text}" for is_name, text in parts)
    fixed, names, beside = map(list, split_path(path))
    assert fixed == [text for is_name, text in parts if not is_name]
    assert names == [text for is_name, text in parts if is_name]
    assert beside == []


METHODS = ["GET", "PUT", "POST", "DELETE", "PATCH"]
SEGMENTS = st.from_regex(
    r"[a-z][a-z_.-]{0,6}|\{[a-zA-Z_.]{1,6}\}|\{[a-z]{1,3}\}\.json", fullmatch=True
)
PATHS = st.lists(SEGMENTS, max_size=5).map(lambda parts: "/" + "/".join(parts))


def route(method: str, path: str, **operation: object) -> Route:
    return Route(method=method, path=path, operation=json.loads(json.dumps(operation)))


def names_of(*operations: str, names: Naming = "accessor") -> list[str]:
    return name_all([route(*operation.split(" ", 1)) for operation in operations], names)


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        ("POST /shopping/sellers/sales", "shopping_sellers_sales_post"),
        (
            "GET /shoppings/sellers/sales/:saleId/reviews/:reviewId",
            "shoppings_sellers_sales_reviews_getBySaleIdAndReviewId",
        ),
        (
            "GET /shoppings/sellers/sales/{saleId}/reviews/{reviewId}",
            "shoppings_sellers_sales_reviews_getBySaleIdAndReviewId",
        ),
        ("DELETE /users/{id}", "users_eraseById"),
        ("GET /", "get"),
        ("DELETE /", "erase"),
        ("GET /{id}", "getById"),
        ("GET /users/{user_id}", "users_getByUser_id"),
        ("GET /users/{userID}", "users_getByUserID"),
        ("GET /users/{user-id}", "users_getByUser_id"),
        ("GET /users/{id}.json", "users_getById"),
        ("GET /compare/{base}...{head}", "compare_getByBaseAndHead"),
        ("GET /a-b/c.d", "a_b_c_d_get"),
        ("GET /v1/things:batchGet", "v1_things_batchGet_get"),
        ("GET /files/{path*}", "files_getByPath"),
        ("GET /files/{+path}", "files_getByPath"),
        ("GET /a{?x}", "a_get"),
        ("GET /2/users", "_2_users_get"),
        ("GET /사용자/{아이디}", "____getBy___"),
        ("QUERY /things", "things_query"),
        ("PURGE-ALL /things", "things_purge_all"),
        ("GET /search?q={q}", "search_getByQ"),
        ("POST /#X-Target=Users.Add", "X_Target_Users_Add_post"),
        ("GET /a/{b}/c/{b}", "a_c_getByBAndB"),
    ],
)
def test_the_accessor_rule(operation: str, name: str) -> None:
    assert names_of(operation) == [name]


@pytest.mark.parametrize(
    ("accessor", "name"),
    [
        (["shopping", "sales", "index"], "shopping_sales_index"),
        ("shopping.sales.at", "shopping_sales_at"),
        (["a b", "ü"], "a_b__"),
        ([], "x_get"),
        (["a", ""], "x_get"),
        (7, "x_get"),
    ],
)
def test_an_accessor_in_the_operation_goes_before_the_rule(accessor: object, name: str) -> None:
    assert name_all([route("GET", "/x", **{"x-samchon-accessor": accessor})]) == [name]


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("getUser", "getUser"),
        ("repos/get-user", "repos_get-user"),
        ("1st", "_1st"),
        ("-x", "_-x"),
        ("a\nb\u202e<system>", "a_b__system_"),
        ("", "users_getById"),
        (None, "users_getById"),
        (7, "users_getById"),
        ("а", "_"),
    ],
)
def test_names_may_be_those_of_the_operations(identifier: object, name: str) -> None:
    found = route("GET", "/users/{id}", operationId=identifier)
    assert name_all([found], "operation_id") == [name]


def test_names_may_be_the_callers() -> None:
    assert names_of("GET /a/{b}", names=lambda r: f"{r.method}!{len(r.path)}") == ["GET_6"]


def test_names_that_returns_no_text_is_an_error() -> None:
    with pytest.raises(DefinitionError, match=r"GET /a: `names` returned ''\. Return a text"):
        names_of("GET /a", names=lambda _: "")
    with pytest.raises(DefinitionError, match="GET /a: `names` raised KeyError: 'x'") as raised:
        names_of("GET /a", names=lambda _: {}["x"])
    assert isinstance(raised.value.__cause__, KeyError)


def test_two_that_would_share_a_name_both_end_in_a_hash_of_their_own() -> None:
    both = names_of("GET /a/b_c", "GET /a_b/c", "GET /d")
    assert [re.sub("[0-9a-f]{8}$", "#", name) for name in both] == ["a_b_c_get_#"] * 2 + ["d_get"]
    assert both[0] != both[1]
    assert names_of("GET /a_b/c", "GET /a/b_c") == [both[1], both[0]]


def test_the_one_that_is_spelled_so_keeps_the_name() -> None:
    assert names_of("GET /a/b-c", "GET /a/b_c")[1] == "a_b_c_get"
    assert names_of("GET /users", "GET /users/")[0] == "users_get"
    assert names_of("GET /a/{b}", "GET /a/{b}.json", "GET /a/{b}.xml") == [
        "a_getByB",
        "a_getByB_json",
        "a_getByB_xml",
    ]


def test_text_beside_a_parameter_makes_names_distinct() -> None:
    assert names_of("POST /v1/{name}:cancel", "POST /v1/{name}:run") == [
        "v1_postByName_cancel",
        "v1_postByName_run",
    ]


def test_operations_with_one_id_get_distinct_names() -> None:
    found = [route("GET", "/a", operationId="x"), route("GET", "/b", operationId="x")]
    names = name_all(found, "operation_id")
    assert len(set(names)) == 2
    assert all(re.fullmatch("x_[0-9a-f]{8}", name) for name in names)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/" + "a" * 30 + "/" + "b" * 30 + "/c", "b" * 30 + "_c_get"),
        (
            "/" + "/".join("abcdefghij" * 2 for _ in range(5)),
            "_".join(["abcdefghij" * 2] * 2) + "_get",
        ),
        ("/x/" + "one_two_" * 9 + "end", "_".join(["one_two"] * 7) + "_end_get"),
    ],
)
def test_a_long_name_is_cut_at_the_front(path: str, name: str) -> None:
    found = names_of(f"GET {path}")
    assert found[0].endswith(name[-40:])
    assert len(found[0]) <= 64


def test_a_long_name_that_loses_everything_ends_in_a_hash() -> None:
    path = "/users/" + "/".join(f"{{parameter{i}}}" for i in range(9))
    (name,) = names_of(f"GET {path}")
    assert re.fullmatch(r"getByParameter0And\w{37}_[0-9a-f]{8}", name)


def test_a_shortened_name_yields_to_one_that_is_spelled_so() -> None:
    long = "/" + "a" * 60 + "/b"
    found = names_of(f"GET {long}", "GET /b")
    assert found[1] == "b_get"
    assert re.fullmatch("b_get_[0-9a-f]{8}", found[0])
    assert names_of(f"GET {long}") == ["b_get"]


def test_a_hash_that_somebody_else_has_grows() -> None:
    first, _ = names_of("GET /a/b_c", "GET /a_b/c")
    third = first.removesuffix("_" + first.rpartition("_")[2])
    assert third == "a_b_c_get"
    stolen = first.removesuffix("_get_" + first[-8:])
    found = names_of("GET /a/b_c", "GET /a_b/c", f"{'GET_' + first[-8:]} /{stolen}")
    assert len(set(found)) == 3
    assert all(NAME.fullmatch(name) for name in found)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(METHODS), PATHS), unique=True, max_size=25),
    st.sampled_from(["accessor", "operation_id"]),
)
def test_names_are_valid_unique_and_always_the_same(
    operations: list[tuple[str, str]], names: Naming
) -> None:
    routes = [route(*operation, operationId=f"op {len(operation[1])}") for operation in operations]
    found = name_all(routes, names)
    assert len(set(found)) == len(found)
    assert all(NAME.fullmatch(name) for name in found)
    assert name_all(routes, names) == found
    assert name_all(routes[::-1], names) == found[::-1]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(METHODS), PATHS), unique=True, max_size=25),
    st.randoms(use_true_random=False),
)
def test_a_name_depends_on_nobody_who_would_not_have_it_too(
    operations: list[tuple[str, str]], chance: random.Random
) -> None:
    routes = [route(*operation) for operation in operations]
    before = dict(zip(operations, name_all(routes), strict=True))
    alone = {operation: names_of(" ".join(operation))[0] for operation in operations}
    kept = [operation for operation in operations if chance.random() < 0.7]
    after = dict(zip(kept, name_all([route(*operation) for operation in kept]), strict=True))
    lost = {alone[operation] for operation in operations if operation not in kept}
    for operation in kept:
        assert after[operation] == before[operation] or alone[operation] in lost


@pytest.mark.parametrize(
    "path",
    ["v3.0/octokit-openapi--generated_ghes-3.17.json", "v3.1/samchon-openapi--v3.1_shopping.json"],
)
def test_in_real_documents_names_stay_when_others_come_and_go(shared: Path, path: str) -> None:
    document: JsonObject = json.loads((shared / "corpus" / path).read_text())
    paths = document["paths"]
    assert isinstance(paths, dict)
    routes = [
        route(method.upper(), path)
        for path, item in paths.items()
        for method in (item if isinstance(item, dict) else ())
        if method in ("get", "put", "post", "delete", "patch")
    ]
    alone = [name_all([each])[0] for each in routes]
    before = name_all(routes)
    chance = random.Random(7)
    for _ in range(5):
        kept = [index for index in range(len(routes)) if chance.random() < 0.5]
        lost = {alone[index] for index in range(len(routes)) if index not in kept}
        after = name_all([routes[index] for index in kept])
        for index, name in zip(kept, after, strict=True):
            assert name == before[index] or alone[index] in lost
