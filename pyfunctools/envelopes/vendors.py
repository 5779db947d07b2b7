"""Every envelope by its name. `dialects.table` has the name of each dialect's envelope."""

from typing import Final

from pyfunctools.envelopes.anthropic import Anthropic
from pyfunctools.envelopes.bedrock import Bedrock
from pyfunctools.envelopes.envelope import Envelope
from pyfunctools.envelopes.gemini import Gemini
from pyfunctools.envelopes.mcp import MCP
from pyfunctools.envelopes.openai_chat import OpenAIChat
from pyfunctools.envelopes.openai_responses import OpenAIResponses
from pyfunctools.errors import DefinitionError

_ALL: Final[tuple[Envelope, ...]] = (
    OpenAIChat(),
    OpenAIResponses(),
    Anthropic(),
    Gemini(),
    Gemini("gemini-schema", older=True),
    Bedrock(),
    MCP(),
)
ENVELOPES: Final = {each.name: each for each in _ALL}


def envelope_of(name: str) -> Envelope:
    """Return the envelope of this name.

    Raises:
        DefinitionError: the name is unknown.
    """
    if name in ENVELOPES:
        return ENVELOPES[name]
    listed = ", ".join(repr(each) for each in ENVELOPES)
    raise DefinitionError("envelope", f"There is no envelope {name!r}.", f"Write one of {listed}.")
