"""What a model reads about an operation: six rules, in this order.

The summary; the description, as the next paragraph; `@param` for a parameter that has something to
say which its schema does not; `@security` with the names of schemes and scopes; `@tag`;
`@deprecated`.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal, TypeAlias

from pyfunctools.route import Requirement

Describe: TypeAlias = Literal["model", "full", "brief"]
"""How much a description says: what the schema leaves out, everything, or no tags at all."""

_MOST_SCHEMES = 20
"""Lines of `@security`: what stands once in a document stands in each of its descriptions."""


def describe_operation(
    summary: str,
    description: str,
    *,
    params: Iterable[tuple[str, str]] = (),
    security: Sequence[Requirement] = (),
    tags: Sequence[str] = (),
    deprecated: bool = False,
) -> str:
    """Return the description of an operation; `params` are the names and texts for `@param`."""
    lines = [f"@param {name} {text}" for name, text in params]
    if security:
        named = dict.fromkeys(
            " ".join(("@security", name, *scopes))
            for requirement in security[:_MOST_SCHEMES]
            for name, scopes in islice(requirement.schemes.items(), _MOST_SCHEMES)
        )
        lines += islice(named, _MOST_SCHEMES)
    lines += [f"@tag {tag}" for tag in tags]
    if deprecated:
        lines.append("@deprecated")
    summary, description = summary.strip(), description.strip()
    paragraphs = (
        "" if description.startswith(summary) else summary,
        description,
        "\n".join(lines),
    )
    text = "\n\n".join(filter(None, paragraphs))
    return text.replace("\r\n", "\n") if "\r" in text else text
