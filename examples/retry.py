"""Retries: the text for a model whose arguments are wrong, and when to stop."""

from pyfunctools import Attempts, Function

BOOK = Function.from_schema(
    name="book_table",
    description="Book a table.",
    parameters={
        "type": "object",
        "properties": {
            "guests": {"type": "integer", "minimum": 1, "maximum": 8},
            "day": {"type": "string", "format": "date"},
            "seats": {"enum": ["inside", "terrace"]},
        },
        "required": ["guests", "day"],
    },
)

ANSWERS = [
    '{"guests": 0, "day": "tomorrow", "seat": "terrace"}',
    '{"guests": 0, "day": "2026-03-14", "seats": "terrace"}',
    '{"guests": 2, "day": "2026-03-14", "seats": "terrace"}',
]
"""Answers of a model, in order."""


def run(answers: list[str]) -> Attempts:
    attempts = Attempts(BOOK)
    for answer in answers:  # a real program sends `attempts.text` to its model
        attempts = attempts.after(answer)
        if attempts.done:
            break
        print(f"--- after try {attempts.count}, the model is told:\n{attempts.text}\n")
    return attempts


def main() -> None:
    done = run(ANSWERS)
    assert done.succeeded
    print(f"--- right at try {done.count}: {done.best}\n")
    stubborn = run([ANSWERS[1]] * 3)
    assert stubborn.given_up
    print(f"--- given up, the best was {stubborn.best}")
    print(stubborn.text)


if __name__ == "__main__":
    main()
