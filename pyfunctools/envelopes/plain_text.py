"""A model without function calling: its turn is a text, and so are the results of its calls."""

from collections.abc import Sequence

from pyfunctools._json import JsonObject
from pyfunctools.envelopes.envelope import CallResult, Spoken, SpokenCall
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.parsing.strict import parse_strict


class PlainText:
    """Turns as texts: `{"answer": "..."}` is an answer, and results are a user message."""

    def spoken(self, text: str, calls: Sequence[SpokenCall]) -> Spoken:
        """Return the turn of a text with these calls."""
        read = parse_strict(text.strip(), DEFAULT_LIMITS.depth)
        said = read.value if read is not None else None
        answer = said.get("answer") if isinstance(said, dict) and len(said) == 1 else None
        words = "" if calls else text.strip()
        return Spoken(
            messages=({"role": "assistant", "content": text},),
            text=answer if isinstance(answer, str) else words,
            calls=tuple(calls),
            cut=False,
        )

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return the one message with all results, each under the name of its function."""
        if not results:
            return ()
        texts = [
            f"{each.name or 'The call'} {'failed' if each.is_error else 'returned'}:\n{each.text}"
            + "".join(f"\n[a file: {file.filename}]" for file in each.content)
            for each in results
        ]
        return ({"role": "user", "content": "\n\n".join(texts)},)
