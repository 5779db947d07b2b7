"""The functions that the models of these tests may call."""

import pytest

from pyfunctools import Function


def functions_of_weather() -> list[Function]:
    return [
        Function.from_schema(
            name="get_weather",
            description="The weather.",
            parameters={
                "type": "object",
                "properties": {
                    "city": {"type": "string"},
                    "days": {"type": "integer"},
                    "unit": {"enum": ["celsius", "fahrenheit"]},
                    "ratio": {"type": "number"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "options": {"type": "object"},
                    "hourly": {"type": "boolean"},
                },
                "required": ["city"],
            },
        ),
        Function.from_schema(name="get_time", parameters={"type": "object", "properties": {}}),
        Function.from_schema(
            name="math_sqrt",
            parameters={
                "type": "object",
                "properties": {"value": {"type": "number"}, "version": {"type": "string"}},
                "required": ["value"],
            },
        ),
    ]


@pytest.fixture(scope="session")
def functions() -> list[Function]:
    """Three functions: one of many inputs, one of none, one whose name models write with a dot."""
    return functions_of_weather()
