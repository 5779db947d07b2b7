"""`KeywordHandler`: a callable that takes its arguments by keyword."""

from functools import partial
from types import MappingProxyType
from typing import cast

import pytest

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.record.handler import KeywordHandler


async def later(a: int) -> int:
    return a


def with_context(a: int, context: object) -> tuple[int, object]:
    return a, context


def anything(**given: object) -> dict[str, object]:
    return given


def test_only_a_parameter_named_context_gets_the_context() -> None:
    assert KeywordHandler(with_context).bind({"a": 1}, "me").unwrap()() == (1, "me")
    assert KeywordHandler(anything).bind({"a": 1}, "me").unwrap()() == {"a": 1}
    assert KeywordHandler(dict).bind({"a": 1}, "me").unwrap()() == {"a": 1}


def test_the_model_cannot_give_the_context() -> None:
    assert KeywordHandler(with_context).bind({"a": 1, "context": "evil"}, "me").unwrap()() == (
        1,
        "me",
    )


class Later:
    async def __call__(self, a: int) -> int:
        return a


def test_a_result_may_be_any_mapping_or_collection() -> None:
    handler = KeywordHandler(dict)
    assert handler.dump(MappingProxyType({"a": range(2)})) == {"a": [0, 1]}
    assert handler.dump([{"a": 1}.items()]) == [[["a", 1]]]
    with pytest.raises(TypeError, match="unknown type"):
        handler.dump(object())


def test_an_object_that_is_called_asynchronously_is_asynchronous() -> None:
    assert KeywordHandler(Later()).is_async
    assert KeywordHandler(partial(later, a=1)).is_async


def test_a_default_of_the_schema_is_used_if_the_callable_has_none() -> None:
    def trip(stops: list[str], days: int = 1) -> tuple[list[str], int]:
        return stops, days

    stops: dict[str, JsonValue] = {"type": "array", "default": ["Oslo"]}
    schema: JsonSchema = {"properties": {"stops": stops, "days": {"default": 7}}}
    handler = KeywordHandler(trip, schema)
    first, days = cast("tuple[list[str], int]", handler.bind({}, None).unwrap()())
    assert (first, days) == (["Oslo"], 1)
    first.append("Bergen")
    assert handler.bind({}, None).unwrap()() == (["Oslo"], 1)
    assert handler.bind({"stops": []}, None).unwrap()() == ([], 1)
