"""Functions defined by a schema: JSON Schema, or nested `Param`s."""

from pyfunctools import Controller, Function, Param


async def plan(stops: list[dict[str, object]], currency: str = "EUR") -> str:
    places = ", ".join(str(stop["city"]) for stop in stops)
    return f"A trip to {places}, paid in {currency}"


def convert(amount: float, unit: str) -> float:
    return amount * {"km": 1.0, "miles": 1.609344}[unit]


def main() -> None:
    by_params = Function.from_schema(
        name="plan_trip",
        description="Plan a trip.",
        parameters=[
            Param(
                "stops",
                "array",
                "Where to go, in order.",
                items=Param(
                    "stop",
                    "object",
                    properties=[
                        Param("city", "string", "The city's name."),
                        Param("nights", "integer", "How long to stay.", default=1),
                    ],
                ),
            ),
            Param("currency", "string", enum=["EUR", "NOK"], default="EUR"),
        ],
        handler=plan,
    )
    by_schema = Function.from_schema(
        name="kilometres",
        description="Convert a distance to kilometres.",
        parameters={
            "type": "object",
            "properties": {
                "amount": {"type": "number", "minimum": 0},
                "unit": {"enum": ["km", "miles"]},
            },
            "required": ["amount", "unit"],
        },
        output={"type": "number"},
        handler=convert,
    )
    with Controller.from_functions([by_params, by_schema]) as controller:
        print(controller.call("plan_trip", '{"stops": [{"city": "Oslo"}]}').text)
        print(controller.call("kilometres", {"amount": "26.2", "unit": "Miles"}).value)
        wrong = controller.call("kilometres", {"amount": -1, "unit": "yards"})
        assert len(wrong.issues) == 2
        print(wrong.text)


if __name__ == "__main__":
    main()
