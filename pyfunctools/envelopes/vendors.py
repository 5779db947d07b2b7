"""Every envelope by its name. `dialects.table` has the name of each dialect's envelope."""

from typing import Final

from pyfunctools.dialects.table import dialect_of
from pyfunctools.envelopes.anthropic import Anthropic
from pyfunctools.envelopes.bedrock import Bedrock
from pyfunctools.envelopes.envelope import Envelope
from pyfunctools.envelopes.gemini import Gemini
from pyfunctools.envelopes.mcp import MCP
from pyfunctools.envelopes.openai_chat import Cohere, Ollama, OpenAIChat
from pyfunctools.envelopes.openai_responses import OpenAIResponses

_ALL: Final[tuple[Envelope, ...]] = (
    OpenAIChat(),
    OpenAIResponses(),
    Anthropic(),
    Gemini(),
    Bedrock(),
    Cohere(),
    Ollama(),
    MCP(),
)
ENVELOPES: Final = {each.name: each for each in _ALL}
_LEAN: Final[dict[str, Envelope]] = {"openai": OpenAIChat(lean=True), "gemini": Gemini(lean=True)}


def envelope_of(dialect: str) -> Envelope:
    """Return the envelope of a dialect.

    Raises:
        DefinitionError: the dialect is unknown.
    """
    row = dialect_of(dialect)
    envelope = ENVELOPES[row.envelope]
    return _LEAN.get(row.envelope, envelope) if row.lean else envelope
