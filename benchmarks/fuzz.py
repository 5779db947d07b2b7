"""Arguments that no model wrote, made by what they reach in the code: `python benchmarks/fuzz.py`.

Needs atheris (`pip install atheris`), which is no part of the `dev` extra: it is libFuzzer, and has
no wheels for every system. Whatever is read must have an answer; anything raised is a find. Takes
libFuzzer's flags, such as `-max_total_time=300` and a folder to keep what it finds.
"""

import sys
import threading
from importlib import import_module

import atheris

with atheris.instrument_imports(include=["pyfunctools"]):
    for loaded in ("checker", "coercion", "extract", "feedback", "issues", "recover"):
        import_module(f"pyfunctools.schema.{loaded}")
    from pyfunctools import Function
    from pyfunctools.schema import parse

ORDER = Function.from_schema(
    name="order",
    parameters={
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 5},
            "count": {"type": "integer", "minimum": 1},
            "price": {"type": ["number", "null"]},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
            "more": {"anyOf": [{"type": "integer"}, {"type": "object"}, {"$ref": "#"}]},
            "pet": {
                "oneOf": [
                    {
                        "type": "object",
                        "properties": {"kind": {"const": kind}, "next": {"$ref": "#"}},
                        "required": ["kind"],
                    }
                    for kind in ("cat", "dog")
                ]
            },
            "pin": {"type": "string", "x-human": True},
        },
        "required": ["name"],
    },
)
STACK = 512 * 1024


def answer(text: bytes) -> None:
    for result in (parse(text), ORDER.check(text), ORDER.check(text, allow_truncated=True)):
        if not result and (not result.issues or len(result.feedback().encode()) > 8_192):
            raise AssertionError(result)


def on_little_stack(text: bytes) -> None:
    """Answer in a thread of its own, where what recurses too deep ends the process and is seen."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            answer(text)
        except BaseException as error:  # raised again below, in the thread that fuzzes
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    for error in raised:
        raise error


if __name__ == "__main__":
    threading.stack_size(STACK)
    atheris.Setup(sys.argv, on_little_stack)
    atheris.Fuzz()
