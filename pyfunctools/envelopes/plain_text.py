"""A model without function calling: its turn is a text, and so are the results of its calls."""

from collections.abc import Sequence

from pyfunctools._json import JsonObject
from pyfunctools.envelopes.envelope import CallResult, ModelCall, ModelTurn, ResultWriter
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.parsing.strict import parse_strict


class PlainText(ResultWriter):
    """Turns as texts: `{"answer": "..."}` is an answer, and results are a user message."""

    def read_turn(self, text: str, calls: Sequence[ModelCall]) -> ModelTurn:
        read = parse_strict(text.strip(), DEFAULT_LIMITS.depth)
        value = read.value if read is not None else None
        answer = value.get("answer") if isinstance(value, dict) and len(value) == 1 else None
        words = "" if calls else text.strip()
        return ModelTurn(
            messages=({"role": "assistant", "content": text},),
            text=answer if isinstance(answer, str) else words,
            calls=tuple(calls),
            cut=False,
            ended="calls" if calls else "stop",
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
        return (self.user("\n\n".join(texts)),)
