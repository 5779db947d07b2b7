"""A model without function calling: the prompt that it gets, and the calls in its answer."""

from pyfunctools import Controller, function, parse_calls, prompt_of


class Shop:
    """A small shop."""

    def __init__(self) -> None:
        self.stock = {"lamp": 4, "desk": 1}

    @function
    def buy(self, item: str, count: int = 1) -> str:
        """Buy something."""
        self.stock[item] -= count
        return f"{count} {item} bought, {self.stock[item]} left"


def model(system: str, request: str) -> str:
    """Answer in place of a real model, which would be sent both texts."""
    assert "def buy(*, item: str" in system
    assert request
    call = '{"functionCall": {"name": "buy", "args": {"item": "lamp", "count": "2"}}}'
    return f"Sure!\n```json\n{call}\n```"


def main() -> None:
    shop = Controller.from_object(Shop())
    prompt = prompt_of(shop, compact=True)
    print(prompt.system)
    answer = model(prompt.system, "Two lamps, please.")
    for call in parse_calls(answer, shop):
        print(f"{call.name} {call.arguments}")
        print(shop.call(call.name, call.arguments).text)


if __name__ == "__main__":
    main()
