"""`Controller.tools`: a list for a vendor, its losses and limits."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from turns import response, shop

from pyfunctools import Controller, DefinitionError, Failure, Function, Loss, Tools
from pyfunctools.dialects.table import DIALECTS
from pyfunctools.schema import Validator

SENT = sorted(DIALECTS)
WORDS = "The first sentence of many. A second one that explains at length what the first one said."


def numbered(count: int, *, options: int = 0, values: int = 0) -> Controller:
    """Return a controller of functions with optional properties, and the last with an enum."""
    return Controller.from_functions(
        Function.from_schema(
            name=f"f{n}",
            description=WORDS,
            parameters={
                "type": "object",
                "properties": {
                    **{f"o{k}": {"type": "string", "description": WORDS} for k in range(options)},
                    "e": {"enum": list("abcdef")[: max(values, 1) if n == count - 1 else 1]},
                },
                "required": ["e"],
            },
            handler=lambda **arguments: arguments,
        )
        for n in range(count)
    )


@pytest.mark.parametrize("dialect", SENT)
def test_every_dialect_returns_a_list_of_plain_dicts(dialect: str) -> None:
    tools = shop()[1].tools(dialect, strict=True)
    assert isinstance(tools, Tools)
    assert len(tools) == (1 if "gemini" in dialect else 3)
    assert {type(each) for each in tools} == {dict}
    assert json.loads(json.dumps(tools)) == tools
    assert tools.dialect == dialect
    assert tools.bytes == len(json.dumps(tools, separators=(",", ":")).encode())


def test_no_list_has_a_human_property() -> None:
    assert not any("pin" in json.dumps(shop()[1].tools(dialect)) for dialect in SENT)


def test_a_list_can_be_changed_and_sent_among_other_tools() -> None:
    _, controller = shop()
    tools = controller.tools()
    tools[0]["function"]["parameters"].clear()
    assert [*controller.tools(), {"type": "web_search"}][0]["function"]["parameters"]["properties"]
    assert tools.run(response(("a", "buy", '{"item": "tea"}'))).outcomes[0].ok


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda tools: pickle.loads(pickle.dumps(tools))]
)
def test_a_copy_has_only_the_items(copied: Callable[[Tools], Any]) -> None:
    tools = shop()[1].tools()
    assert type(copied(tools)) is list
    assert copied(tools) == tools


def test_a_vendor_with_a_keyword_for_strict_always_gets_it() -> None:
    _, controller = shop()
    said = [each["function"]["strict"] for each in controller.tools("openai", strict=True)]
    assert said == [True, True, True]
    assert [each["function"]["strict"] for each in controller.tools("openai")] == [False] * 3
    assert "strict" not in controller.tools("cohere", strict=True)[0]["function"]
    assert controller.tools("gemini", strict=True).request["tool_config"] == {
        "function_calling_config": {"mode": "VALIDATED"}
    }


def test_keywords_that_a_dialect_lacks_are_in_the_losses() -> None:
    losses = shop()[1].tools("openai", strict=True).losses
    assert losses["buy"][0] == Loss(path="$input.count", keyword="default", how="told")
    assert "look" not in losses


def test_an_unknown_dialect_is_refused_with_the_close_names() -> None:
    with pytest.raises(DefinitionError, match="'anthropic'"):
        shop()[1].tools("antropic")


def test_more_functions_than_the_vendor_takes_are_an_error() -> None:
    with pytest.raises(DefinitionError, match=r"129 functions.* 128\. Choose.*select"):
        numbered(129).tools("openai")
    assert len(numbered(128).tools("openai")) == 128


def test_within_the_limits_of_a_request_functions_that_gain_most_are_strict() -> None:
    tools = numbered(21, values=3).tools("anthropic", strict=True)
    strict = [each["name"] for each in tools if each["strict"]]
    assert len(strict) == 20
    assert numbered(4, options=10).tools("anthropic", strict=True)[3]["strict"] is False
    refused = [each["name"] for each in tools if not each["strict"]]
    assert tools.losses[refused[0]][0] == Loss(path="$input", keyword="strict", how="refused")


def test_if_all_or_none_must_be_strict_one_exception_makes_it_none() -> None:
    anything = Function.from_schema(name="any", parameters={"properties": {"x": {}}})
    tools = Controller.from_functions([*numbered(1).functions, anything]).tools
    assert [each["function"]["strict"] for each in tools("deepseek", strict=True)] == [False, False]
    assert [each["function"]["strict"] for each in tools("openai", strict=True)] == [True, False]


def test_a_budget_shortens_descriptions_and_the_losses_tell_which() -> None:
    controller = numbered(2, options=1)
    whole = controller.tools()
    shorter = controller.tools(bytes=whole.bytes - 1)
    properties = shorter[0]["function"]["parameters"]["properties"]
    assert properties["o0"]["description"] == "The first sentence of many."
    assert shorter[0]["function"]["description"] == WORDS
    assert shorter.losses["f0"][-1] == Loss(path="$input", keyword="description", how="loosened")
    assert controller.tools(bytes=whole.bytes) == controller.tools(budget=whole.bytes) == whole


def test_a_list_that_cannot_fit_the_budget_is_an_error() -> None:
    short = r"\(about 9[0-9] tokens\) with short descriptions; .* \(about 10 tokens\)\."
    with pytest.raises(DefinitionError, match=short):
        numbered(2).tools(budget=10)
    with pytest.raises(DefinitionError, match=r"[0-9] bytes .* 10 bytes"):
        numbered(2).tools(bytes=10)
    with pytest.raises(DefinitionError, match=r"tools\(budget\): This must be a whole number"):
        numbered(2).tools(budget="10")  # pyright: ignore[reportArgumentType]


def test_calls_are_checked_and_nothing_runs() -> None:
    made, controller = shop()
    text = '{"item": "tea", "count": null, "labels": [{"key": "x", "value": "2"}]}'
    calls = controller.tools(strict=True).calls(response(("a", "buy", text), ("b", "none", "{}")))
    assert [(call.id, call.name) for call in calls] == [("a", "buy"), ("b", "none")]
    assert calls[0].arguments == {"item": "tea", "labels": {"x": 2}}
    assert not calls[1].result
    assert made.done == []


def test_a_failure_has_the_names_and_the_shape_of_the_rendering() -> None:
    function = Function.from_schema(
        name="f",
        parameters={
            "type": "object",
            "properties": {
                "labels": {"type": "object", "additionalProperties": {"type": "integer"}},
                "a b": {"type": "integer"},
            },
        },
    )
    rendering = function.render("anthropic", strict=True)
    text = '{"labels": [{"key": "x", "value": "q"}], "a_b": "z"}'
    failure = function.check(text, rendering=rendering)
    assert isinstance(failure, Failure)
    assert [str(each.path) for each in failure.issues] == ["$input.labels[0].value", "$input.a_b"]
    assert failure.value == json.loads(text)


def test_a_rendering_is_cached() -> None:
    _, controller = shop()
    buy = controller["buy"]
    assert buy.render("openai", strict=True) is buy.render("openai", strict=True)
    assert buy.render("openai") is not buy.render("openai", strict=True)


def test_examples_of_a_document_are_examples_of_a_tool_for_anthropic() -> None:
    body = {
        "type": "object",
        "properties": {"a b": {"type": "string"}, "pin": {"type": "string", "x-human": True}},
    }
    content = {"application/json": {"schema": body, "example": {"a b": "x", "pin": "1234"}}}
    operation = {"requestBody": {"content": content}, "responses": {"200": {"description": ""}}}
    document = {"openapi": "3.1.0", "info": {}, "paths": {"/a": {"post": operation}, "/b": {}}}
    controller = Controller.from_openapi(document, server="https://x.example")
    for strict in (False, True):
        tools = controller.tools("anthropic", strict=strict)
        (tool,) = tools
        assert tool["input_examples"] == [{"body": {"a_b": "x"}}]
        assert Validator(tool["input_schema"]).is_valid(tool["input_examples"][0])
    assert "input_examples" not in controller.tools("openai")[0]
    small = controller.tools("anthropic", strict=True, bytes=tools.bytes - 1)
    assert "input_examples" not in small[0]
    assert small.losses["a_post"][-1] == Loss(path="$input", keyword="examples", how="loosened")
