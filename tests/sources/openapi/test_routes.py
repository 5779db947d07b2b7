"""The route of an operation, its servers, and its plan."""

import pytest

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.limits import Limits
from pyfunctools.record.function import Skipped
from pyfunctools.route import Server
from pyfunctools.sources.openapi.document import Document, DocumentResolver
from pyfunctools.sources.openapi.load import Loaded, load
from pyfunctools.sources.openapi.operations import Operation, operations, skipped
from pyfunctools.sources.openapi.reader import read_document
from pyfunctools.sources.openapi.routes import Plan, Routes, Servers


def servers(root: JsonObject) -> Servers:
    return Servers(Document(Loaded(root=root, name="a.json")))


def urls(root: JsonObject) -> list[str]:
    document = Document(Loaded(root=root, name="a.json"))
    (operation,) = operations(document)
    assert isinstance(operation, Operation)
    return [server.url for server in Servers(document).of(operation, [])]


def one(url: str) -> JsonValue:
    return [{"url": url}]


def test_the_nearest_servers_count() -> None:
    operation: JsonObject = {"servers": one("https://operation")}
    item: JsonObject = {"get": operation, "servers": one("https://item")}
    root: JsonObject = {"paths": {"/a": item}, "servers": one("https://document")}
    assert urls(root) == ["https://operation"]
    assert urls({**root, "paths": {"/a": {**item, "get": {}}}}) == ["https://item"]
    assert urls({**root, "paths": {"/a": {"get": {}}}}) == ["https://document"]
    assert urls({**root, "paths": {"/a": {"get": {"servers": []}}}}) == ["https://document"]
    assert urls({"paths": {"/a": {"get": {}}}}) == []


@pytest.mark.parametrize(
    ("listed", "called", "passed"),
    [
        (["wss://h", "FTP://h", "https://h", "ws://i"], ["https://h", "ws://i"], 2),
        (["ws://h", "/v1"], ["/v1"], 1),
        (["https://h", "wss://h"], ["https://h", "wss://h"], 0),
        (["{scheme}://h", "https://h"], ["{scheme}://h", "https://h"], 0),
        (["wss://h", "ws://h"], ["wss://h", "ws://h"], 0),
    ],
)
@pytest.mark.parametrize("inner", [True, False])
def test_a_server_that_http_cannot_reach_is_passed_over(
    listed: list[str], called: list[str], passed: int, inner: bool
) -> None:
    found: JsonObject = {"servers": [{"url": url} for url in listed]}
    at_top: JsonObject = {} if inner else found
    document = Document(
        Loaded(root={"paths": {"/a": {"get": found if inner else {}}}, **at_top}, name="a.json")
    )
    (operation,) = operations(document)
    assert isinstance(operation, Operation)
    plan = Routes(document).plan(operation)
    assert [each.url for each in plan.route.servers] == called
    assert inner or plan.route.document_servers == plan.route.servers
    assert len(plan.notes) == passed
    assert all(url in note for url, note in zip(listed, plan.notes, strict=False))


@pytest.mark.parametrize(
    ("path", "media", "reason"),
    [
        ("/a/../b", "text/plain", "`.` or `..` as a segment"),
        ("/a/{id}/%2E%2e;x", "text/plain", "`.` or `..` as a segment"),
        ("/a/{?id}.", "text/plain", "`.` or `..` as a segment"),
        ("/\ud800", "text/plain", "not valid Unicode"),
        ("/a", "text/pl\u00fcin", "media type of the body is invalid"),
        ("/a/{id}..{id}", " text/plain ", ""),
        ("/a/...#/../b", "text/plain", ""),
        ("/a?b=/../c", "text/plain", ""),
    ],
)
def test_an_operation_of_which_no_request_can_be_made_is_skipped(
    path: str, media: str, reason: str
) -> None:
    operation: JsonObject = {"requestBody": {"content": {media: {"schema": {"type": "string"}}}}}
    reading = read_document({"openapi": "3.1.0", "paths": {path: {"post": operation}}})
    assert len(reading.functions) == (not reason)
    assert [reason in each.reason for each in reading.skipped] == [True] * bool(reason)


def test_a_server_has_its_variables() -> None:
    entry: JsonObject = {
        "url": "https://{region}.example.com:{port}",
        "description": "Near you.",
        "variables": {
            "region": {"default": "eu", "enum": ["eu", "us"]},
            "port": {"default": 443},
            "flag": {"default": True},
            "none": {},
            "odd": 7,
        },
    }
    assert servers({"servers": [entry]}).main == (
        Server(
            url="https://{region}.example.com:{port}",
            description="Near you.",
            variables={"region": "eu", "port": "443", "flag": "true", "none": ""},
            allowed={"region": ("eu", "us")},
        ),
    )


@pytest.mark.parametrize("listed", [None, 7, "x", [7, None, {}, {"url": 7}]])
def test_invalid_servers_are_ignored(listed: JsonValue) -> None:
    assert servers({"servers": listed}).main == ()


@pytest.mark.parametrize(
    "url",
    [
        "https://u:p@h/",
        "https://user@example.com",
        "//u:p@h",
        "https://api.example@evil/",
        "http:\\\\u:p@h",
        "https://{user}@h",
        "https://u:p@[::1]/",
        "https://u:p@[",
    ],
)
def test_a_url_with_a_user_is_refused(url: str) -> None:
    with pytest.raises(DocumentError, match="contains a user name or a password"):
        servers({"servers": one(url)})


@pytest.mark.parametrize("url", ["https://h/a@b", "/users/@me", "https://h?x=a@b", "https://h#@"])
def test_an_at_sign_elsewhere_is_not_a_user_name(url: str) -> None:
    assert servers({"servers": one(url)}).main == (Server(url=url),)


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (
            {"host": "h", "basePath": "/v1", "schemes": ["http", "https"]},
            ["https://h/v1", "http://h/v1"],
        ),
        ({"host": "h", "basePath": "v1/"}, ["https://h/v1"]),
        ({"host": "h:8080", "schemes": ["http", "ws"]}, ["http://h:8080"]),
        ({"host": "h", "basePath": "/"}, ["https://h"]),
        ({"host": "http://h/", "schemes": ["https"]}, ["https://h"]),
        ({"basePath": "/v1"}, ["/v1"]),
        ({}, []),
        ({"host": 7, "basePath": 8, "schemes": 9}, []),
    ],
)
def test_swagger_says_its_server_in_three_words(root: JsonObject, expected: list[str]) -> None:
    found = servers({"swagger": "2.0", **root})
    assert [server.url for server in found.main] == expected


def test_an_operation_of_swagger_may_have_its_own_schemes() -> None:
    root: JsonObject = {"swagger": "2.0", "host": "h", "schemes": ["https"]}
    item: JsonObject = {"get": {"schemes": ["http"]}}
    assert urls({**root, "paths": {"/a": item}}) == ["http://h"]


def test_a_host_with_a_user_is_refused() -> None:
    with pytest.raises(DocumentError, match="a user name"):
        servers({"swagger": "2.0", "host": "u:p@h"})


TEXT: JsonObject = {"type": "string"}


def planned(
    operation: JsonObject,
    path: str = "/a",
    method: str = "post",
    resolver: DocumentResolver | None = None,
    **root: JsonValue,
) -> Plan | Skipped:
    loaded = load({"paths": {path: {method: operation}}, **root})
    document = Document(loaded, resolver)
    (read,) = operations(document)
    assert isinstance(read, Operation)
    return tried(Routes(document), read)


def tried(routes: Routes, operation: Operation) -> Plan | Skipped:
    try:
        return routes.plan(operation)
    except DocumentError as error:
        return skipped(operation.where, error, operation.pointer)


def plan(operation: JsonObject, path: str = "/a", method: str = "post", **root: JsonValue) -> Plan:
    found = planned(operation, path, method, **root)
    assert isinstance(found, Plan), found
    return found


def refused(operation: JsonObject, path: str = "/a", **root: JsonValue) -> str:
    found = planned(operation, path, **root)
    assert isinstance(found, Skipped), found
    assert found.pointer is not None
    return found.reason


def parameter(name: str, location: str = "path", **more: JsonValue) -> JsonObject:
    return {"name": name, "in": location, "schema": TEXT, **more}


def arguments(found: Plan) -> list[tuple[str, ...]]:
    return [entry.argument for entry in found.route.parameters]


def test_a_route_has_everything_a_request_needs() -> None:
    operation: JsonObject = {
        "parameters": [parameter("q", "query"), parameter("id")],
        "requestBody": {"content": {"application/json": {"schema": TEXT}}, "required": True},
        "responses": {"200": {"description": "Fine.", "content": {"text/plain": {}}}},
        "security": [{"key": []}],
        "servers": [{"url": "https://example.com"}],
    }
    schemes: JsonObject = {"key": {"type": "http", "scheme": "basic"}}
    found = plan(operation, "/a/{id}", "put", components={"securitySchemes": schemes})
    route = found.route
    assert (route.method, route.path, route.operation) == ("PUT", "/a/{id}", operation)
    assert arguments(found) == [("id",), ("query", "q")]
    assert route.body is not None
    assert (route.body.argument, route.body.required) == (("body",), True)
    assert [*route.responses] == ["200"]
    assert route.security == ({"key": ()},)
    assert route.schemes["key"].scheme == "basic"
    assert route.servers == (Server(url="https://example.com"),)
    assert found.pointer == "/paths/~1a~1{id}/put"
    assert found.notes == ()


def test_path_inputs_have_the_order_of_the_path() -> None:
    declared: JsonValue = [parameter("q", "query"), parameter("b"), parameter("a")]
    found = plan({"parameters": declared}, "/{a}/x/{b}")
    assert arguments(found) == [("a",), ("b",), ("query", "q")]


@pytest.mark.parametrize(
    ("path", "declared", "name", "argument"),
    [
        ("/{user_id}", "userId", "user_id", "user_id"),
        ("/{USERID}", "user-id", "USERID", "USERID"),
        ("/{id*}", "id", "id", "id"),
        ("/{+id}", "id", "id", "id"),
        ("/:userId", "user id", "userId", "userId"),
        ("/{ id }", "id", " id ", "id"),
        ("/{id:[0-9]{1,3}}", "id", "id:[0-9]{1,3}", "id"),
        ("/{name=shelves/*}", "name", "name=shelves", "name"),
        ("/{file?}", "file", "file?", "file"),
        ("/{{id}}", "id", "{id}", "id"),
    ],
)
def test_a_name_that_matches_but_for_case_and_punctuation_is_taken(
    path: str, declared: str, name: str, argument: str
) -> None:
    found = plan({"parameters": [parameter(declared)]}, path)
    (read,) = found.route.parameters
    assert (read.name, read.argument) == (name, (argument,))
    slot = path.strip("/:").removeprefix("{").removesuffix("}")
    assert found.notes == (f"The path's parameter {slot!r} is declared as {declared!r}.",)


def test_names_without_latin_letters_stay_distinct() -> None:
    assert "which nothing declares" in refused({"parameters": [parameter("이름")]}, "/{아이디}")
    assert arguments(plan({"parameters": [parameter("아이디")]}, "/{아이디}")) == [("아이디",)]


def test_a_slot_and_a_declared_name_that_are_left_over_belong_together() -> None:
    uuid = {"type": "string", "format": "uuid"}
    declared = [parameter("Organization ID"), parameter("Organization invitation ID", schema=uuid)]
    path = "/organizations/:organizationId/invitations/:invitationId"
    found = plan({"parameters": declared}, path)
    assert arguments(found) == [("organizationId",), ("invitationId",)]
    assert found.route.parameters[1].schema == uuid
    assert found.notes[1] == (
        "The path's parameter 'invitationId' is declared as 'Organization invitation ID'."
    )
    two = plan({"parameters": [parameter("one"), parameter("other")]}, "/{a}/{b}")
    assert [note.partition(" is ")[2] for note in two.notes[:2]] == [
        "not declared, and taken as text."
    ] * 2


def test_the_matrix_style_writes_the_name_that_is_declared() -> None:
    found = plan({"parameters": [parameter("id", style="matrix")]}, "/{;id}")
    (read,) = found.route.parameters
    assert (read.name, read.argument) == ("id", ("id",))


def test_a_parameter_nobody_declares_is_text() -> None:
    found = plan({}, "/a/{id}/{id}/:other")
    assert arguments(found) == [("id",), ("other",)]
    assert all(each.required and each.schema == TEXT for each in found.route.parameters)
    assert found.notes == (
        "The path's parameter 'id' is not declared, and taken as text.",
        "The path's parameter 'other' is not declared, and taken as text.",
    )


@pytest.mark.parametrize("name", ["id.__class__.__mro__", "id:>2000000", "", "a b", "0", "x[0]"])
def test_an_undeclared_slot_that_is_not_a_name_skips_the_operation(name: str) -> None:
    assert refused({}, f"/a/{{{name}}}") == f"The path has {name!r}, which nothing declares."


@pytest.mark.parametrize("name", ["id.__class__.__mro__", "id:>2000000", "a b", "0", "x[0]"])
def test_a_name_that_is_declared_may_be_anything(name: str) -> None:
    assert arguments(plan({"parameters": [parameter(name)]}, f"/a/{{{name}}}")) == [(name,)]


def test_a_parameter_the_path_has_no_place_for_is_left_out() -> None:
    found = plan({"parameters": [parameter("id")]})
    assert found.route.parameters == ()
    assert found.notes == ("'id' is declared for the path, which does not have it.",)


def test_a_parameter_in_a_query_that_the_path_has_is_one_of_the_path() -> None:
    assert arguments(plan({"parameters": [parameter("q")]}, "/a?x={q}")) == [("q",)]
    assert arguments(plan({}, "/a{?x,y}#{z}")) == []


@pytest.mark.parametrize("name", ["query", "header", "cookie", "body"])
def test_a_path_parameter_keeps_its_name_and_the_group_moves(name: str) -> None:
    operation: JsonObject = {
        "parameters": [
            parameter(name),
            *(parameter("x", place) for place in ("query", "header", "cookie")),
        ],
        "requestBody": {"content": {"application/json": {"schema": TEXT}}},
    }
    found = plan(operation, f"/{{{name}}}")
    assert found.route.body is not None
    groups = [entry[0] for entry in (*arguments(found), found.route.body.argument)]
    expected = [
        f"{group}_" if group == name else group for group in ("query", "header", "cookie", "body")
    ]
    assert groups == [name, *expected]


def test_a_group_moves_until_its_name_is_free() -> None:
    declared: JsonValue = [parameter("body"), parameter("body_")]
    body: JsonObject = {"content": {"application/json": {"schema": TEXT}}}
    found = plan({"parameters": declared, "requestBody": body}, "/{body}/{body_}")
    assert found.route.body is not None
    assert found.route.body.argument == ("body__",)


def test_one_name_in_three_places_is_three_arguments() -> None:
    declared: JsonValue = [parameter("id"), parameter("id", "query"), parameter("id", "header")]
    assert arguments(plan({"parameters": declared}, "/{id}")) == [
        ("id",),
        ("query", "id"),
        ("header", "id"),
    ]


@pytest.mark.parametrize("names", [["a", "b"], ["b", "a"]])
def test_two_whole_queries_contradict_each_other(names: list[str]) -> None:
    kinds = {"a": "query", "b": "querystring"}
    declared: JsonValue = [parameter(name, kinds[name]) for name in names]
    assert "is the whole query" in refused({"parameters": declared})


def test_the_secret_of_a_scheme_is_a_credential_not_an_argument() -> None:
    schemes: JsonObject = {"key": {"type": "apiKey", "in": "query", "name": "key"}}
    declared: JsonValue = [parameter("key", "query", required=True), parameter("q", "query")]
    root: JsonObject = {"components": {"securitySchemes": schemes}}
    found = plan({"parameters": declared}, **root)
    assert arguments(found) == [("query", "q")]
    assert found.route.security == ({"key": ()},)
    assert found.notes == ("'key' is the secret of 'key', and is given as `auth`.",)
    assert plan({"parameters": declared, "security": [{"key": []}]}, **root).route.security == (
        {"key": ()},
    )


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        ({"parameters": [{"$ref": "#/none"}]}, "'#/none' leads nowhere"),
        ({"requestBody": {"$ref": "#/none"}}, "leads nowhere"),
        ({"parameters": [{"in": "body"}, {"in": "body"}]}, "more than one body"),
        ({"servers": [{"url": "https://u:p@h"}]}, "contains a user name or a password"),
    ],
)
def test_an_operation_that_cannot_be_called_is_skipped(operation: JsonObject, reason: str) -> None:
    assert reason in refused(operation)


def test_a_body_of_swagger_is_a_body() -> None:
    field: JsonObject = {"name": "f", "in": "formData", "type": "string"}
    found = plan({"parameters": [field]}, swagger="2.0")
    assert found.route.body is not None
    assert found.route.body.content_type == "application/x-www-form-urlencoded"
    body: JsonObject = {"name": "b", "in": "body", "schema": TEXT}
    found = plan({"parameters": [body], "consumes": ["text/plain"]}, consumes=["application/json"])
    assert found.route.body is not None
    assert found.route.body.content_type == "text/plain"


@pytest.mark.parametrize(
    ("method", "body", "note"),
    [
        ("post", {"content": {}}, "The body has no description of its content, and none is sent."),
        ("trace", {"content": {"text/plain": {}}}, "A TRACE request has no body"),
    ],
)
def test_a_body_that_cannot_be_sent_is_noted(method: str, body: JsonValue, note: str) -> None:
    found = plan({"requestBody": body}, method=method)
    assert found.route.body is None
    assert note in found.notes[0]


def test_head_has_no_output() -> None:
    responses: JsonObject = {"200": {"content": {"application/json": {"schema": TEXT}}}}
    assert plan({"responses": responses}, method="head").success is None
    assert plan({"responses": responses}, method="get").success is not None


def test_parameters_that_multiply_are_bounded() -> None:
    item: JsonObject = {
        "parameters": [parameter(f"p{i}", "query") for i in range(60)],
        "additionalOperations": {f"M{i}": {} for i in range(60)},
    }
    loaded = load({"paths": {"/a": item}})
    document = Document(loaded, limits=Limits(document_nodes=600))
    routes = Routes(document)
    plans = [tried(routes, each) for each in operations(document) if isinstance(each, Operation)]
    assert sum(isinstance(each, Plan) for each in plans) == 10
    assert all("more than 600 nodes" in each.reason for each in plans if isinstance(each, Skipped))


@pytest.mark.parametrize("method", ["get", "delete", "head", "query", "options"])
def test_any_other_method_keeps_its_body(method: str) -> None:
    body: JsonObject = {"content": {"application/json": {"schema": TEXT}}}
    assert plan({"requestBody": body}, method=method).route.body is not None


def test_a_body_that_is_shared_is_read_once() -> None:
    root: JsonObject = {
        "paths": {
            "/a": {
                "post": {"requestBody": {"$ref": "#/b"}},
                "put": {"requestBody": {"$ref": "#/b"}},
            }
        },
        "b": {"content": {"application/json": {"schema": TEXT}}},
    }
    loaded = load(root)
    document = Document(loaded)
    routes = Routes(document)
    plans = [tried(routes, each) for each in operations(document) if isinstance(each, Operation)]
    first, second = (each.body for each in plans if isinstance(each, Plan))
    assert first is second
