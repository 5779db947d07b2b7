"""Functions that a model finds: two functions in the place of very many, or a vendor's own search.

A call of `call_function` becomes the call of the function that it names before anything else is
done with it, so everything behind is that function's: repairs, feedback, questions, tickets, logs.

OpenAI's Responses (client-executed `tool_search`, from gpt-5.4 on): the definitions are in the
result of the search only. Anthropic (`tool_reference`): all definitions are sent, and the model
sees those that are deferred only after a reference to them.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from json import dumps, loads
from typing import Any, Final, NamedTuple, TypeAlias, cast

from pyfunctools._json import JsonObject, JsonValue, members_of, text_of
from pyfunctools._lazy import Lazy
from pyfunctools._text import shortened, visible
from pyfunctools.envelopes.envelope import CallResult, Envelope, ModelCall, ModelTurn
from pyfunctools.errors import DefinitionError, UnknownFunctionError, check_count
from pyfunctools.execution.local import LocalRunner
from pyfunctools.execution.runner import Runner
from pyfunctools.record.function import Function
from pyfunctools.record.param import Param
from pyfunctools.route import Route
from pyfunctools.schema import Failure, Path, Success
from pyfunctools.schema.ground.did_you_mean import near_names
from pyfunctools.search import SearchIndex
from pyfunctools.signatures import signatures_of, spelled_names
from pyfunctools.sources.openapi.naming import name_all

CheckedArguments: TypeAlias = Success[JsonValue] | Failure
CallParts: TypeAlias = tuple[str, str | bytes | JsonValue, CheckedArguments | None, str | None]
"""The name and the arguments of a call, their result if they were checked, and the call's id."""
RunnableFunction: TypeAlias = tuple[Function, Runner]

FIND: Final = "find_functions"
CALL: Final = "call_function"
NOTHING: Final = "No function fits. Try other words."
_OFFERED: Final = 3
_MOST_NESTED: Final = 4


class Behind(NamedTuple):
    """What is behind the two functions: the `whole` controller, and `call_function`."""

    whole: Any
    call: Function

    def resolved(self, parts: CallParts) -> CallParts:
        """Return the parts of the call that a call of `call_function` names; others as they are.

        A call of it that is wrong itself stays, and is refused.
        """
        name, arguments, read, call_id = parts
        for _ in range(_MOST_NESTED):
            if name != CALL:
                break
            checked: CheckedArguments = self.call.check(arguments) if read is None else read
            value = members_of(checked.value)
            named, inner = value.get("name"), value.get("arguments")
            if not checked and inner == "":  # nothing, as in `call`
                arguments, read = cast("JsonObject", {**value, "arguments": {}}), None
                continue
            if not checked or not isinstance(named, str):
                break
            name = named
            arguments = inner if inner is not None else cast("JsonObject", {})
            own = (each for each in checked.repairs if each.path.keys[:1] == ("arguments",))
            repairs = (replace(each, path=Path.of(each.path.keys[1:])) for each in own)
            read = Success(value=arguments, repairs=tuple(repairs))
        return name, arguments, read, call_id


def other_names(functions: Sequence[Function]) -> Mapping[str, str]:
    """Return the functions' names by `operationId`, by accessor, and by spelling in Python.

    A name that several functions would have is that of the first; the best kind of name wins.
    """
    routes = [(each.name, each.origin) for each in functions if isinstance(each.origin, Route)]
    accessors = name_all([route for _, route in routes], "accessor")
    pairs = [*zip(accessors, (name for name, _ in routes), strict=True)]
    found = dict(reversed(pairs))
    for name, route in reversed(routes):
        if identifier := text_of(route.operation.get("operationId")):
            found[identifier] = name
    return {**found, **spelled_names(each.name for each in functions)}


def unknown_name(
    name: object, known: Collection[str], index: Lazy[SearchIndex]
) -> UnknownFunctionError:
    """Return the error for an unknown name, with similar known names, then those that fit.

    A name that is not a text is replaced by its type.
    """
    asked = visible(shortened(name, 64)) if isinstance(name, str) else f"<{type(name).__name__}>"
    offered = near_names(asked, known)
    if len(offered) < _OFFERED and isinstance(name, str):
        offered += [each.name for each in index.value.search(asked, _OFFERED)]
    return UnknownFunctionError(asked, list(dict.fromkeys(offered))[:_OFFERED], known)


def behind_of(whole: Any, entries: Collection[str]) -> Behind:
    """Return what is behind a searchable controller."""
    for name in (FIND, CALL):
        if name in entries:
            remedy = 'Write `controller.prefixed("...").searchable()`.'
            raise DefinitionError("searchable", f"A function has the name {name!r}.", remedy)
    said = f"Call a function that {FIND} has shown."
    params = [Param("name", "string"), Param("arguments", "object", required=False)]
    call = Function.from_schema(name=CALL, description=said, parameters=params, handler=_never)
    return Behind(whole, call)


def finder(
    search: Callable[..., Sequence[Function]],
    functions: Sequence[Function],
    limit: int,
    *,
    names_only: bool = False,
    spelled: Mapping[str, str] | None = None,
) -> RunnableFunction:
    """Return the function that finds functions: their signatures, or a JSON list of their names."""
    check_count("searchable(limit)", limit)

    def find(query: str) -> str:
        found = search(query, limit=limit)
        if names_only:
            return dumps([each.name for each in found])
        if not found:
            return NOTHING
        names = spelled or spelled_names(each.name for each in functions)
        return signatures_of(found, spelled=names, depth=1, brief=True)

    found = Function.from_schema(
        name=FIND,
        description=f"Find functions by what they do; the best {limit} are shown.",
        parameters=[Param("query", "string", "A few words, such as: add a label")],
        handler=find,
        read_only=True,
    )
    return found, LocalRunner()


def _never(**_: JsonValue) -> None:
    reason = "Its controller was combined with others, or its runner was taken out."
    remedy = "Combine, select and configure first: `Controller.combine(a, b).searchable()`."
    raise DefinitionError(CALL, reason, remedy)


LIMIT: Final = 5
"""The most functions that one search loads."""


class VendorSearch:
    """A vendor's tool search, as an envelope around the vendor's; `definition` makes a function's.

    `known` are the functions that exist: a saved turn may have found others. With `lists_all`
    deferred functions are in the list too.
    """

    lists_all = True

    def __init__(
        self,
        vendor: Envelope,
        kept: frozenset[str],
        definition: Callable[[str], dict[str, Any]],
        known: Collection[str],
    ) -> None:
        self._vendor, self._known = vendor, known
        self._shown = {*kept, FIND}
        self._definition = definition

    def __getattr__(self, name: str) -> Any:
        return getattr(self._vendor, name)

    def _names(self, result: CallResult) -> list[str]:
        return [name for name in loads(result.text) if name in self._known]


class AnthropicSearch(VendorSearch):
    """Anthropic's: a function of ours that returns references."""

    def tool(
        self, name: str, description: str, schema: dict[str, Any], *, strict: bool | None
    ) -> dict[str, Any]:
        item = self._vendor.tool(name, description, schema, strict=strict)
        return item if name in self._shown else {**item, "defer_loading": True}

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return the message with the results; those of searches are references."""
        messages = self._vendor.results(results)
        by_id = {each.id: each for each in results if each.name == FIND and not each.is_error}
        for block in cast("list[dict[str, Any]]", messages[0]["content"] if messages else []):
            if (result := by_id.get(text_of(block.get("tool_use_id")))) is not None:
                names = self._names(result)
                found = [{"type": "tool_reference", "tool_name": name} for name in names]
                block["content"] = found or NOTHING
        return messages


class ResponsesSearch(VendorSearch):
    """OpenAI's: a call of its own kind, whose result has the definitions."""

    lists_all = False

    def tool(
        self, name: str, description: str, schema: dict[str, Any], *, strict: bool | None
    ) -> dict[str, Any]:
        if name != FIND:
            return self._vendor.tool(name, description, schema, strict=strict)
        search = {"type": "tool_search", "execution": "client"}
        return {**search, "description": description, "parameters": schema}

    def read_turn(self, response: object) -> ModelTurn:
        """Return the turn of a response, its searches first."""
        turn = self._vendor.read_turn(response)
        searches = list[ModelCall]()
        for item in cast("tuple[dict[str, Any], ...]", turn.messages):
            if item.get("type") == "tool_search_call" and item.get("execution") != "server":
                item["call_id"] = item.get("call_id") or f"search_{len(searches)}"
                arguments, closed = item.get("arguments"), item.get("status") != "incomplete"
                searches.append(
                    ModelCall(id=item["call_id"], name=FIND, arguments=arguments, closed=closed)
                )
        ended = "calls" if searches else turn.ended
        return replace(turn, calls=(*searches, *turn.calls), ended=ended)

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return an item for each call."""
        written = self._vendor.results(results)
        return tuple(
            self._found(result) if result.name == FIND else item
            for item, result in zip(written, results, strict=True)
        )

    def _found(self, result: CallResult) -> JsonObject:
        names = [] if result.is_error else self._names(result)
        tools = [{**self._definition(name), "defer_loading": True} for name in names]
        item = {"type": "tool_search_output", "call_id": result.id, "execution": "client"}
        return {**item, "status": "completed", "tools": tools}


SEARCHES: Final[dict[str, type[VendorSearch]]] = {
    "anthropic": AnthropicSearch,
    "openai-responses": ResponsesSearch,
}
"""The vendors' own searches, by the name of the envelope."""
