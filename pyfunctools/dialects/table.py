"""The rules of each vendor for the schema of a function: a row a vendor, with date and source.

A `Profile` holds the rules for one schema, a `Dialect` the profiles of a vendor and its limits for
one request. To follow a vendor's change, change its row: no other code names a vendor. If the
documents of a vendor and its endpoint disagree, the row holds the stricter rule.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal
from warnings import catch_warnings, simplefilter

from pyfunctools._json import JsonValue
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.schema.ground.did_you_mean import near_names
from pyfunctools.schema.vocabulary import ASSERTIONS, KEYWORDS, judging

ANNOTATIONS: Final = frozenset({"description", "default"})
"""Keywords that constrain nothing; some profiles refuse `default`."""

SHAPE: Final = frozenset(
    {"$defs", "$ref", "additionalProperties", "enum", "items", "properties", "required", "type"}
)
NUMBERS: Final = judging("number")
LENGTHS: Final = frozenset({"maxLength", "minLength"})
COUNTS: Final = frozenset({"maxItems", "minItems"})
SIZES: Final = frozenset({"maxProperties", "minProperties"})
BOUNDS: Final = (
    NUMBERS | LENGTHS | COUNTS | SIZES | {"format", "pattern", "propertyNames", "uniqueItems"}
)
"""Keywords that bound a value without changing its shape."""

EVERYTHING: Final = (
    ANNOTATIONS
    | {name for name in ASSERTIONS if not KEYWORDS[name].dated} - {"discriminator"}
    | {"$defs", "deprecated"}
)
"""Keywords of JSON Schema 2020-12 that are sent to a model. `title`, `examples`, `discriminator`,
`$schema` and every `x-` keyword are not: they cost tokens, and some vendors refuse them."""

OBJECTS: Final = judging("object")
"""Keywords that constrain only objects."""
ARRAYS: Final = judging("array")
"""Keywords that constrain only arrays."""

COMMON_FORMATS: Final = frozenset(
    {"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"}
)

Patterns = Literal["any", "python", "plain"]
"""The patterns that a profile accepts. `python`: those that Python compiles, without lookarounds;
`plain`: of these, the ones that a grammar can express (no `\\b`, no backreference)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The rules for one schema.

    - `keywords`, `formats`: the allowed keywords and formats; `formats=None` allows any.
    - `references`: `kept`; `bare` (kept, with no keyword beside `$ref`); `inlined` (replaced by
      the definition unless it is recursive); `never` (always replaced). `recursion`: whether a
      definition may refer to itself.
    - `closed`: every object needs `additionalProperties: false`. `complete`: every property must be
      in `required`, and an optional one accepts null instead.
    - `says_closed`: whether `additionalProperties: false` is sent at all; local validation always
      applies it.
    - `maps`, `tuples`: whether `additionalProperties` and `prefixItems` may have schemas.
      `itemless`: whether an array may have no `items`.
    - `untyped`: whether `type` may be missing. `type_lists`: whether it may be a list. `nullable`:
      null is written as the keyword of OpenAPI 3.0. `json_text`: a schema without a type, and an
      object without properties, are a string with JSON.
    - `root_union`: whether the root may have alternatives (`anyOf`, `not`, `enum`...).
      `lone_union`: no keyword may stand beside `anyOf`.
    - `required_recursion`: whether a definition may refer to itself without passing an optional
      property.
    - `enums`: the values that `enum` may hold. `key`: the pattern of property names.
    - The limits are counted as OpenAI counts: `levels` for the root and for each definition, the
      others for the whole schema. `characters` counts all names and listed values,
      `enum_characters` one `enum` of more than 250 strings.
    """

    name: str
    keywords: frozenset[str]
    source: str
    date: str
    formats: frozenset[str] | None = None
    patterns: Patterns = "any"
    references: Literal["kept", "bare", "inlined", "never"] = "kept"
    recursion: bool = True
    required_recursion: bool = True
    closed: bool = False
    complete: bool = False
    says_closed: bool = True
    maps: bool = True
    tuples: bool = True
    itemless: bool = True
    untyped: bool = True
    json_text: bool = False
    type_lists: bool = True
    nullable: bool = False
    root_union: bool = True
    lone_union: bool = False
    enums: Literal["any", "scalars", "numbers or strings", "texts"] = "any"
    most_min_items: int | None = None
    key: str | None = None
    properties: int | None = None
    levels: int | None = None
    enum_values: int | None = None
    characters: int | None = None
    enum_characters: int | None = None

    def with_bounds(self) -> "Profile":
        """Return a profile of the same shapes that keeps every bound, for local validation."""
        return replace(
            self,
            keywords=self.keywords | BOUNDS,
            formats=None,
            patterns="any",
            most_min_items=None,
            nullable=False,
            type_lists=True,
        )

    def takes_pattern(self, pattern: str) -> bool:
        """True if this `pattern` is allowed."""
        if self.patterns == "any":
            return True
        bare = _QUOTED.sub("x", pattern)
        if _LOOKAROUND.search(bare) or not _compiles(pattern):
            return False
        return self.patterns == "python" or not _BEYOND_GRAMMARS.search(bare)

    def takes_values(self, values: Iterable[JsonValue]) -> bool:
        """True if `enum` may hold all of these values."""
        return all(map(_ALLOWED_VALUES[self.enums], values))


@lru_cache(maxsize=1_000)
def _compiles(pattern: str) -> bool:
    try:
        with catch_warnings():
            simplefilter("ignore")
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


_QUOTED: Final = re.compile(r"\\[^bBkZz1-9]|\[\^?\]?(?:\\[^b]|[^\]\\])*\]", re.DOTALL)
"""Escaped characters and character classes, but not those that no grammar has."""
_LOOKAROUND: Final = re.compile(r"\(\?<?[=!]")
_BEYOND_GRAMMARS: Final = re.compile(
    r"\\[bBkZz1-9]|\(\?(?:P=|[(>#])|[*+?}]\+|\$(?!$|[)|])|(?<![(|:])(?<!^)\^"
)
"""Backreferences, word boundaries and other notations that llguidance 1.9.1 does not compile."""
_ALLOWED_VALUES: Final[dict[str, Callable[[JsonValue], bool]]] = {
    "any": lambda value: True,
    "scalars": lambda value: not isinstance(value, dict | list),
    "numbers or strings": lambda value: (
        isinstance(value, str | int | float) and not isinstance(value, bool)
    ),
    "texts": lambda value: isinstance(value, str) and value != "",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """A vendor: how it wraps tools and calls (`envelope`), and the rules for its schemas.

    `lean` is the form of the envelope for servers that take less: pictures are only named, and
    Gemini's schemas are the older subset.

    `strict` is the profile of the schemas that the vendor enforces while a model writes, `None` if
    the vendor has no strict mode. `tools` is the limit of tools in one request. `strict_tools`,
    `strict_optional` and `strict_unions` limit the strict tools of one request, and the optional
    properties and unions in all of them. With `strict_together`, the tools of a request are all
    strict, or all not strict. `choices` are the choices of tools that a request may ask for (`many`
    allows some of the names), and `answers` which schemas of an answer. `examples` is the key of a
    tool under which it takes examples of its arguments. Every function's name is valid for every
    vendor.
    """

    name: str
    envelope: str
    profile: Profile
    lean: bool = False
    strict: Profile | None = None
    tools: int | None = None
    strict_tools: int | None = None
    strict_optional: int | None = None
    strict_unions: int | None = None
    strict_together: bool = False
    choices: frozenset[str] = frozenset({"any", "none", "one"})
    answers: Literal["any", "strict", "none"] = "any"
    examples: str | None = None


JSON_SCHEMA: Final = Profile(
    name="json-schema",
    keywords=EVERYTHING,
    source="JSON Schema 2020-12; vendors ignore the keywords that they do not know",
    date="2026-11-21",
)
OPENAI: Final = replace(
    JSON_SCHEMA,
    name="openai",
    patterns="python",
    says_closed=False,
    tuples=False,
    itemless=False,
    root_union=False,
    source="error texts: AnswerDotAI/fastcore#798 (items), langchain-ai/langchainjs#9804 (root), "
    "BerriAI/litellm#40485 and vercel/ai#20021 (patterns)",
    date="2026-11-23",
)
INLINED: Final = replace(
    JSON_SCHEMA,
    name="inlined",
    keywords=(ANNOTATIONS | SHAPE | NUMBERS | LENGTHS | COUNTS | {"anyOf", "const", "pattern"})
    | {"format", "prefixItems"},
    formats=COMMON_FORMATS,
    patterns="plain",
    references="inlined",
    itemless=False,
    root_union=False,
    source="pydantic-ai 2.68 profiles (meta, qwen, harmony); llguidance 1.9.1 keyword by keyword",
)
GRAMMAR: Final = Profile(
    name="grammar",
    keywords=(SHAPE | NUMBERS | LENGTHS | COUNTS)
    | {"allOf", "anyOf", "const", "prefixItems"}
    | {"format", "pattern", "patternProperties"},
    formats=COMMON_FORMATS,
    patterns="plain",
    source="llguidance in llama.cpp: of a schema with any other assertion it compiles nothing, and "
    "the server then answers as if it had been given none",
    date="2026-11-21",
)
"""Schemas that a server can enforce for a whole answer."""
OPENAI_STRICT: Final = Profile(
    name="openai-strict",
    keywords=(SHAPE | NUMBERS | COUNTS | {"anyOf", "const", "description", "format", "pattern"}),
    formats=COMMON_FORMATS,
    patterns="plain",
    references="bare",
    closed=True,
    complete=True,
    maps=False,
    tuples=False,
    itemless=False,
    untyped=False,
    root_union=False,
    enums="scalars",
    properties=5_000,
    levels=10,
    enum_values=1_000,
    characters=120_000,
    enum_characters=15_000,
    source="OpenAI structured outputs guide; pydantic-ai 2.68 for reference siblings and counting",
    date="2026-11-21",
)
DEEPSEEK_STRICT: Final = replace(
    OPENAI_STRICT,
    name="deepseek-strict",
    keywords=OPENAI_STRICT.keywords - COUNTS,
    type_lists=False,
    formats=frozenset({"email", "hostname", "ipv4", "ipv6", "uuid"}),
    source="DeepSeek function calling guide (beta strict mode); rig-core 0.46",
)
ANTHROPIC: Final = replace(
    JSON_SCHEMA,
    name="anthropic",
    says_closed=False,
    root_union=False,
    key=r"[a-zA-Z0-9_.-]{1,64}",
    source="anthropic 2.12.0 tool_param.py; error texts for root unions and property keys",
)
ANTHROPIC_STRICT: Final = replace(
    ANTHROPIC,
    name="anthropic-strict",
    keywords=(ANNOTATIONS | SHAPE | {"anyOf", "const", "format", "minItems", "pattern"}),
    formats=COMMON_FORMATS | {"uri"},
    patterns="plain",
    references="bare",
    recursion=False,
    closed=True,
    says_closed=True,
    maps=False,
    tuples=False,
    itemless=False,
    untyped=False,
    enums="scalars",
    most_min_items=1,
    source="Anthropic structured outputs guide; anthropic 2.12.0 lib/_parse/_transform.py",
)
GEMINI: Final = Profile(
    name="gemini",
    keywords=SHAPE
    | COUNTS
    | {"anyOf", "description", "format", "maximum", "minimum", "prefixItems"},
    references="bare",
    required_recursion=False,
    says_closed=False,
    itemless=False,
    root_union=False,
    enums="numbers or strings",
    source="google-genai 3.4.0 types.py (responseJsonSchema); googleapis/python-genai#1732; "
    "NousResearch/hermes-agent#69924 (items)",
    date="2026-11-23",
)
GEMINI_SCHEMA: Final = Profile(
    name="gemini-schema",
    keywords=(SHAPE - {"$defs", "$ref", "additionalProperties"})
    | COUNTS
    | LENGTHS
    | SIZES
    | {"anyOf", "default", "description", "format", "maximum", "minimum", "nullable", "pattern"},
    formats=frozenset({"date-time"}),
    patterns="plain",
    references="never",
    recursion=False,
    says_closed=False,
    maps=False,
    tuples=False,
    itemless=False,
    untyped=False,
    json_text=True,
    type_lists=False,
    nullable=True,
    root_union=False,
    lone_union=True,
    enums="texts",
    key=r"[A-Za-z_][A-Za-z0-9_]{0,63}",
    source="google-genai 3.4.0 types.Schema and process_schema; error texts: "
    "enechange/collmbo#195 (formats), browser-use/browser-use#3786 (objects without properties)",
    date="2026-11-23",
)
BEDROCK: Final = replace(ANTHROPIC, name="bedrock", source="Claude's rules: those of Anthropic")
BEDROCK_STRICT: Final = replace(
    ANTHROPIC_STRICT,
    name="bedrock-strict",
    source="pydantic-ai 2.68 providers/bedrock.py (verified 2026-10-29)",
)

_OPENAI = Dialect(
    name="openai",
    envelope="openai",
    profile=OPENAI,
    strict=OPENAI_STRICT,
    tools=128,
    choices=frozenset({"any", "none", "one", "many"}),
)
_COMPATIBLE = replace(_OPENAI, choices=frozenset({"any", "none", "one"}))
_INLINED = replace(_COMPATIBLE, lean=True, profile=INLINED, strict=None, tools=None)
DIALECTS: Final = {
    row.name: row
    for row in (
        _OPENAI,
        replace(_OPENAI, name="openai-responses", envelope="openai-responses"),
        Dialect(
            name="anthropic",
            envelope="anthropic",
            profile=ANTHROPIC,
            strict=ANTHROPIC_STRICT,
            strict_tools=20,
            strict_optional=24,
            strict_unions=16,
            answers="strict",
            examples="input_examples",
        ),
        replace(
            _OPENAI, name="gemini", envelope="gemini", profile=GEMINI, strict=GEMINI, tools=512
        ),
        Dialect(
            name="gemini-schema",
            envelope="gemini",
            lean=True,
            profile=GEMINI_SCHEMA,
            strict=GEMINI_SCHEMA,
            tools=512,
            choices=_OPENAI.choices,
        ),
        Dialect(
            name="bedrock",
            envelope="bedrock",
            profile=BEDROCK,
            strict=BEDROCK_STRICT,
            choices=frozenset({"any", "one"}),
            answers="strict",
        ),
        Dialect(
            name="mcp", envelope="mcp", profile=JSON_SCHEMA, choices=frozenset(), answers="none"
        ),
        replace(
            _COMPATIBLE,
            name="deepseek",
            lean=True,
            strict=DEEPSEEK_STRICT,
            strict_together=True,
            answers="none",
        ),
        replace(_COMPATIBLE, name="groq", lean=True),
        *(replace(_COMPATIBLE, name=name, tools=None) for name in ("mistral", "xai")),
        replace(
            _COMPATIBLE,
            name="cohere",
            envelope="cohere",
            strict=None,
            tools=None,
            choices=frozenset({"any", "none"}),
        ),
        replace(_INLINED, name="ollama", envelope="ollama", choices=frozenset()),
        *(replace(_INLINED, name=name) for name in ("llama", "qwen", "gpt-oss")),
    )
}
"""Every dialect by the name that users write."""


_MAKERS: Final = {
    **dict.fromkeys(("gpt", "azure", "vllm"), "openai"),
    **dict.fromkeys(("google", "vertex"), "gemini"),
    **dict.fromkeys(("aws", "boto", "amazon"), "bedrock"),
    "claude": "anthropic",
    "grok": "xai",
    **{name: name for name in DIALECTS},
}
"""The dialect to suggest for a name of a model, a maker or a server that begins like this."""


def dialect_of(name: object) -> Dialect:
    """Return the dialect of this name.

    Raises:
        DefinitionError: the name is unknown; the message lists close names.
    """
    row = DIALECTS.get(name) if isinstance(name, str) else None
    if row is not None:
        return row
    is_text = isinstance(name, str)
    # The name of a module, or that of the module of a client.
    written = str(name if is_text else getattr(name, "__name__", type(name).__module__)).lower()
    begins = [stem for stem in _MAKERS if written.startswith(stem)]
    close = [_MAKERS[max(begins, key=len)]] if begins else []
    close += near_names(written, DIALECTS) if is_text else []
    listed = ", ".join(repr(each) for each in dict.fromkeys(close or DIALECTS))
    remedy = f"Write {'one of ' if ',' in listed else ''}{listed}."
    if not is_text:
        raise wrong_type("dialect", "a name", name, remedy)
    raise DefinitionError("dialect", f"There is no dialect {name!r}.", remedy)
