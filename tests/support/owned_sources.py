"""The same random parameters with three owners, as each kind of source declares them.

A group is `query` or `body`; a field has its owner in its name. Whatever the source is, the
arguments are `{"query": {...}, "body": {...}}`, and `Made.arrived` has what the function got.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Annotated, Any, Final

import httpx
from fastapi import Body, Cookie, Depends, FastAPI, Form, Header, HTTPException, Query
from pydantic import BaseModel, SecretStr
from raw_mcp import raw_client

from pyfunctools import Controller, Human, Retry, human

OWNERS: Final = ("own", "own", "person", "secret", "fixed", "fixtoken")
HOWS: Final = ("returns", "raises", "refuses")
"""How the function tells what it got: as its result, as an exception, as a message for a model."""


@dataclass
class Field:
    """A text, or an object, a list or a map of such fields."""

    name: str
    owner: str = ""
    wrap: str = ""
    inner: "list[Field]" = field(default_factory=list["Field"])
    optional: bool = False

    @property
    def is_persons(self) -> bool:
        """Return whether a person gives it."""
        return self.owner in ("person", "secret")

    @property
    def is_secret(self) -> bool:
        """Return whether no text has it, not even of a success."""
        return self.owner in ("secret", "fixtoken")


@dataclass
class Made:
    """A controller with the function `f`, and what its function got."""

    controller: Controller
    arrived: list[Any]


def random_groups(random: Random) -> dict[str, list[Field]]:
    """Return random fields of a query and of a body; the body is nested."""
    count = 0

    def leaf(owners: Sequence[str] = OWNERS) -> Field:
        nonlocal count
        count += 1
        owner = random.choice(owners)
        return Field(f"z{owner}{count}", owner, optional=random.random() < 0.2)

    def fields(depth: int) -> list[Field]:
        nonlocal count
        found = [leaf() for _ in range(random.randint(1, 3))]
        while depth and random.random() < 0.5:
            count += 1
            wrap = random.choice(("object", "list", "map"))
            inner = fields(0)
            if wrap != "object":  # nobody can fix a value in them; the model says how many
                inner = [leaf(["own"]), *(leaf(OWNERS[:4]) for _ in inner)]
                inner[0].optional = False
            found.append(Field(f"n{count}", wrap=wrap, inner=inner))
        return found

    first = leaf(("person", "secret"))
    first.optional = False  # or nobody is asked
    query = [first, *(leaf() for _ in range(random.randint(0, 3)))]
    return {"query": query, "body": fields(1)}


def leaves(fields: list[Field]) -> Iterator[Field]:
    """Yield the fields that are texts."""
    for each in fields:
        yield from leaves(each.inner) if each.wrap else [each]


class Values:
    """The values that each owner gives, and all that the function should get."""

    def __init__(self, groups: dict[str, list[Field]]) -> None:
        self.wrote, self.gave, self.whole = (
            {name: made for name in groups if (made := self._object(groups[name], who))}
            for who in ("own", "person", None)
        )
        self.fixed: dict[str, Any] = {}
        for name, fields in groups.items():
            self._fix(fields, f"$input.{name}")
        self.evil = json.loads(json.dumps(self.whole).replace("-CANARY", "-EVIL"))

    def _fix(self, fields: list[Field], path: str) -> None:
        for each in fields:
            if each.owner.startswith("fix"):
                self.fixed[f"{path}.{each.name}"] = text_of(each)
            elif each.wrap == "object":
                self._fix(each.inner, f"{path}.{each.name}")

    def _object(self, fields: list[Field], who: str | None) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for each in fields:
            if not each.inner:
                if who in (None, {"secret": "person"}.get(each.owner, each.owner)):
                    found[each.name] = text_of(each)
                continue
            inner = self._object(each.inner, who)
            if inner:
                wraps = {"object": inner, "list": [inner], "map": {"k": inner}}
                found[each.name] = wraps[each.wrap]
        return found


def text_of(each: Field) -> str:
    """Return the value of a field."""
    return f"{each.owner.upper()}-CANARY-{each.name[1:]}"


# Python: methods, and endpoints of FastAPI in each style.

_NAMES: Final = {
    "Annotated": Annotated, "BaseModel": BaseModel, "Body": Body, "Cookie": Cookie,
    "Depends": Depends, "Form": Form, "Header": Header, "Human": Human, "Query": Query,
    "SecretStr": SecretStr, "human": human,
}  # fmt: skip
STYLES: Final = ("model", "annotated", "classic", "depends")


def _hint(each: Field, random: Random) -> str:
    if each.inner:
        name = each.name.upper()
        return {"object": name, "list": f"list[{name}]", "map": f"dict[str, {name}]"}[each.wrap]
    hints = {
        "person": ("Human[str]", "Annotated[str, human('Ask')]"),
        "secret": ("Human[SecretStr]", "Annotated[str, human(secret=True)]", "SecretStr"),
    }
    return random.choice(hints.get(each.owner, ("str",)))


def _default(each: Field) -> str:
    return f"DEFAULT-{each.owner.upper()}-{each.name[1:]}"


def _model(name: str, fields: list[Field], random: Random) -> str:
    lines = [_model(each.name.upper(), each.inner, random) for each in fields if each.inner]
    lines.append(f"class {name}(BaseModel):")
    for each in fields:
        default = f" = {_default(each)!r}" if each.optional else ""
        lines.append(f"    {each.name}: {_hint(each, random)}{default}")
    return "\n".join(lines)


def _parameters(fields: list[Field], style: str, random: Random) -> str:
    found = list[str]()
    for each in fields:
        hint, default = _hint(each, random), repr(_default(each)) if each.optional else ""
        if style == "classic":
            found.append(f"{each.name}: {hint} = Query({default or '...'})")
        else:
            found.append(f"{each.name}: Annotated[{hint}, Query()]{default and ' = ' + default}")
    return ", ".join(["*", *found])


def python_text(groups: dict[str, list[Field]], style: str, random: Random) -> str:
    """Return the text of a module with the function `f`, that calls `tell` with what it got."""
    lines = [_model("BODY", groups["body"], random)]
    got = ", ".join(f"{each.name!r}: {each.name}" for each in groups["query"])
    parameters = _parameters(groups["query"], style, random)
    if style in ("method", "model"):
        lines.append(_model("QUERY", groups["query"], random))
        hint = "QUERY" if style == "method" else "Annotated[QUERY, Query()]"
        lines += [f"def f(query: {hint}, body: BODY):", "    return tell(query, body)"]
    elif style == "depends":
        lines += [f"def given({parameters}):", f"    return {{{got}}}"]
        lines += ["def f(body: BODY, query=Depends(given)):", "    return tell(query, body)"]
    else:
        lines += [f"def f(body: BODY, {parameters}):", f"    return tell({{{got}}}, body)"]
    return "\n".join(lines)


def plain(value: Any) -> Any:
    """Return what a function got as JSON."""
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, BaseModel):
        return {name: plain(inner) for name, inner in vars(value).items()}
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


def _teller(how: str, arrived: list[Any], refuse: Callable[[str], Exception]) -> Any:
    def tell(query: Any, body: Any) -> str:
        arrived.append({"query": plain(query), "body": plain(body)})
        text = json.dumps(arrived[-1])
        if how == "returns":
            return text
        raise ValueError(text) if how == "raises" else refuse(text)

    return tell


def _python(groups: dict[str, list[Field]], style: str, how: str, random: Random) -> Made:
    arrived = list[Any]()
    refuse: Callable[[str], Exception] = Retry
    if style != "method":
        refuse = lambda text: HTTPException(409, text)  # noqa: E731
    names = {**_NAMES, "tell": _teller(how, arrived, refuse)}
    exec(python_text(groups, style, random), names)  # noqa: S102 # the text is our own
    if style == "method":
        return Made(Controller.from_functions([names["f"]]), arrived)
    app = FastAPI()
    app.post("/f", operation_id="f")(names["f"])
    return Made(Controller.from_fastapi(app, names="operation_id"), arrived)


# Schemas: documents, and tools of MCP servers.


def _schema(fields: list[Field]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for each in fields:
        inner = _schema(each.inner)
        leaf = {"type": "string", **({"default": _default(each)} if each.optional else {})}
        leaf |= {
            "person": {"x-human": True},
            "secret": {"x-human": True, "format": "password"},
        }.get(each.owner, {})
        schemas = {
            "": leaf,
            "object": inner,
            "list": {"type": "array", "items": inner},
            "map": {"type": "object", "additionalProperties": inner},
        }
        properties[each.name] = schemas[each.wrap]
    required = [each.name for each in fields if not each.optional]
    return {"type": "object", "properties": properties, "required": required}


def _document(groups: dict[str, list[Field]], how: str) -> Made:
    query = _schema(groups["query"])
    parameters = [
        {"name": name, "in": "query", "required": name in query["required"], "schema": schema}
        for name, schema in query["properties"].items()
    ]
    content = {"application/json": {"schema": _schema(groups["body"])}}
    body = {"required": True, "content": content}
    operation = {"operationId": "f", "parameters": parameters, "requestBody": body}
    document = {"openapi": "3.1.0", "info": {}, "paths": {"/f": {"post": operation}}}
    arrived = list[Any]()

    def answer(request: httpx.Request) -> httpx.Response:
        sent = {"query": dict(request.url.params), "body": json.loads(request.content)}
        arrived.append(sent)
        return httpx.Response({"returns": 200, "raises": 500, "refuses": 409}[how], json=sent)

    client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    server = "https://api.example"
    made = Controller.from_openapi(document, server=server, names="operation_id", client=client)
    return Made(made, arrived)


@asynccontextmanager
async def _remote(groups: dict[str, list[Field]], how: str, revision: str) -> AsyncIterator[Made]:
    whole = {name: _schema(fields) for name, fields in groups.items()}
    schema = {"type": "object", "properties": whole, "required": [*whole]}
    listed = {"resultType": "complete", "ttlMs": 300_000, "cacheScope": "private"}
    arrived = list[Any]()

    def answer(method: str, params: dict[str, Any]) -> Any:
        if method == "tools/list":
            return {**listed, "tools": [{"name": "f", "inputSchema": schema}]}
        arrived.append(params["arguments"])
        content = [{"type": "text", "text": json.dumps(arrived[-1])}]
        return {"resultType": "complete", "content": content, "isError": how != "returns"}

    async with await Controller.from_mcp(raw_client(answer, revision)) as controller:
        yield Made(controller, arrived)


SOURCES: Final = ("method", *STYLES, "document", "auto", "legacy")
"""A method, endpoints of FastAPI in four styles, a document, MCP tools of both revisions."""


@asynccontextmanager
async def made_by(
    source: str, groups: dict[str, list[Field]], how: str, random: Random
) -> AsyncIterator[Made]:
    """Yield a controller of a source, still without its fixed values."""
    if source in ("auto", "legacy"):
        async with _remote(groups, how, source) as made:
            yield made
        return
    python = source in ("method", *STYLES)
    made = _python(groups, source, how, random) if python else _document(groups, how)
    async with made.controller:
        yield made
