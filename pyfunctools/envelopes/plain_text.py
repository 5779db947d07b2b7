"""A model without function calling: its turn is a text, and so are the results of its calls."""

from collections.abc import Sequence

from pyfunctools._json import JsonObject
from pyfunctools.envelopes.envelope import CallResult, ModelCall, ModelTurn
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.parsing.strict import parse_strict


class PlainText:
    """Turns as texts: `{"answer": "..."}` is an answer, and results are a user message."""

    def read_turn(self, text: str, calls: Sequence[ModelCall]) -> ModelTurn:
        """Return the turn of a text with these calls."""
        read = parse_strict(text.strip(), DEFAULT_LIMITS.depth)
        value = read.value if read is not None else None
        answer = value.get("answer") if isinstance(value, dict) and len(value) == 1 else None
        words = "" if calls else text.strip()
        return ModelTurn(
            messages=({"role": "assistant", "content": text},),
            text=answer if isinstance(answer, str) else words,
            calls=tuple(calls),
            cut=False,
        )

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return one message with all results, each under the name of its function."""
        if not results:
            return ()
        texts = [
            f"{each.name or 'The call'} {'failed' if each.is_error else 'returned'}:\n{each.text}"
            + "".join(f"\n[a file: {file.filename}]" for file in each.content)
            for each in results
        ]
        return ({"role": "user", "content": "\n\n".join(texts)},)
