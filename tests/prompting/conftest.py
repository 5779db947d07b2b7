"""The functions that models may call in these tests."""

import pytest

from pyfunctools import Function


@pytest.fixture(scope="session")
def functions() -> list[Function]:
    """Three functions: with many parameters, with none, with a dot in the name for models."""
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
