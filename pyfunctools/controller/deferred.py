"""Functions that a vendor's own tool search loads when the model has found them.

OpenAI's Responses (client-executed `tool_search`, from gpt-5.4 on): the definitions are in the
result of the search only. Anthropic (`tool_reference`): all definitions are sent, and the model
sees those that are deferred only after a reference to them.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from json import loads
from typing import Any, Final, cast

from pyfunctools._json import JsonObject, text_of
from pyfunctools.controller.searchable import FIND, NOTHING
from pyfunctools.dialects.rendering import Rendering
from pyfunctools.envelopes import CallResult, Envelope, ModelCall, ModelTurn
from pyfunctools.record.function import Function

Render = Callable[[Function], Rendering]
LIMIT: Final = 5
"""The most functions that one search loads."""


class DeferredRenderings(dict[str, Rendering]):
    """The renderings of a list, and those of deferred functions, made when they are needed."""

    def __init__(
        self, made: dict[str, Rendering], functions: Sequence[Function], render: Render
    ) -> None:
        super().__init__(made)
        self._functions = {each.name: each for each in functions}
        self._render = render

    def __missing__(self, name: str) -> Rendering:
        rendering = self[name] = self._render(self._functions[name])
        return rendering

    def get(self, key: str, default: Any = None, /) -> Any:
        """Return a rendering, or the default for a name that no function has."""
        return self[key] if key in self._functions else default


class VendorSearch:
    """A vendor's tool search, as an envelope around the vendor's; `definition` makes a function's.

    With `lists_all` deferred functions are in the list too.
    """

    lists_all = True

    def __init__(
        self, vendor: Envelope, kept: frozenset[str], definition: Callable[[str], dict[str, Any]]
    ) -> None:
        self._vendor = vendor
        self._shown = {*kept, FIND}
        self._definition = definition

    def __getattr__(self, name: str) -> Any:
        return getattr(self._vendor, name)


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
                names = loads(result.text)
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
        names: list[str] = [] if result.is_error else loads(result.text)
        tools = [{**self._definition(name), "defer_loading": True} for name in names]
        item = {"type": "tool_search_output", "call_id": result.id, "execution": "client"}
        return {**item, "status": "completed", "tools": tools}


SEARCHES: Final[dict[str, type[VendorSearch]]] = {
    "anthropic": AnthropicSearch,
    "openai-responses": ResponsesSearch,
}
"""The vendors' own searches, by the name of the envelope."""
