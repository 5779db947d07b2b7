"""What makes a part of the arguments the human's: predicates over the schemas of a function."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from pyfunctools._json import JsonSchema
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.schema.ground.marks import human_mark
from pyfunctools.schema.ground.path import Path

IsHuman: TypeAlias = Callable[[Path, JsonSchema], bool]
"""Whether what stands at this path is the human's to give.

The path is that of the schema: `[*]` stands for any item of an array and for any key that is not
declared, and is `"*"` in `path.keys`. A `$ref` is followed: the schema has the keywords of the
definition, and over them those beside the reference.
"""

ANY = "*"
"""The step, in `path.keys`, to any item of an array and to any key that is not declared."""

# The first schema that needs one of these has it compiled: few do.
_VENDOR_KEYWORD = r"x-.+-secret-key"
_WORD = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+"
_SECRET_WORDS = frozenset(
    {
        *("credential", "credentials", "csc", "cvc", "cvv", "iban", "key", "keys", "mnemonic"),
        *("otp", "passkey", "passphrase", "pin", "pincode", "pwd", "ssn", "totp"),
    }
)
_ENDING = r"(?:apikey|passcode|passwd|password|secret|token)s?$"
_PAIRS = r"(?:(?:card|cc)(?:no|nr|num|number)|(?:access|security|verification)code)s?$"

_TEXT_ENCODINGS = frozenset({"7bit", "8bit", "quoted-printable"})
_TEXT_MEDIA = (
    r"text/.*|application/(?:.+\+)?(?:json|xml|yaml)"
    r"|application/(?:x-ndjson|jsonl|x-yaml|toml|graphql|sql|javascript|x-javascript|ecmascript"
    r"|x-www-form-urlencoded)"
)


def is_human_by_default(path: Path, schema: JsonSchema) -> bool:
    """Return whether a schema is marked as the human's (`x-human`), or is a secret or a file.

    A mark that says no (`x-human: false`) makes it the model's, whatever else it is.
    """
    marked = human_mark(schema)
    return is_secret(path, schema) or is_file(path, schema) if marked is None else marked


def is_secret(path: Path, schema: JsonSchema) -> bool:
    """Return whether a schema is a secret's.

    It has `format: password`, `x-human-secret: true`, a widget that hides what is typed, a keyword
    such as `x-vendor-secret-key`, or `writeOnly` under a name that sounds so.
    """
    if schema.get("format") == "password" or schema.get("x-human-secret") is True:
        return True
    if schema.get("x-human-widget") in ("password", "secret"):
        return True
    if schema.get("writeOnly") is True and sounds_secret(name_in(path)):
        return True
    return any(
        key.startswith("x-") and re.fullmatch(_VENDOR_KEYWORD, key) and schema[key]
        for key in schema
    )


def is_secret_of_human(path: Path, schema: JsonSchema) -> bool:
    """Return whether a schema of the human's side is a secret's, by what it says or by its name."""
    return is_secret(path, schema) or sounds_secret(name_in(path))


def is_file(_: Path, schema: JsonSchema) -> bool:
    """Return whether a schema is a file's: `format: binary`, or content that is not text.

    `contentEncoding` is one of RFC 2045 and RFC 4648, `contentMediaType` one of RFC 2046.
    """
    if schema.get("format") == "binary":
        return True
    encoding, media = schema.get("contentEncoding"), schema.get("contentMediaType")
    if isinstance(encoding, str) and encoding.strip().lower() not in _TEXT_ENCODINGS:
        return True
    if not isinstance(media, str):
        return False
    return not re.fullmatch(_TEXT_MEDIA, media.partition(";")[0].strip().lower())


def is_upload(schema: JsonSchema) -> bool:
    """Return whether a schema is a file's own; with another format it is the address of one."""
    return schema.get("format") in (None, "binary", "byte") and is_file(_NOWHERE, schema)


_NOWHERE = Path.of(())


class _AnyOf(NamedTuple):
    predicates: tuple[IsHuman, ...]

    def __call__(self, path: Path, schema: JsonSchema) -> bool:
        return any(predicate(path, schema) for predicate in self.predicates)


def any_of(*predicates: IsHuman) -> IsHuman:
    """Return the predicate that says yes where one of these does."""
    return _AnyOf(predicates)


def check_predicate(given: object) -> None:
    """Refuse an `is_human` that is not a predicate: a list of names, or `True`.

    Raises:
        DefinitionError: it is neither a function nor `None`.
    """
    if given is not None and not callable(given):
        raise wrong_type("is_human", "a function", given, _PREDICATE)


def answer(predicate: IsHuman, path: Path, schema: JsonSchema) -> bool:
    """Return the answer of a predicate about a place.

    Raises:
        DefinitionError: it raised something; the error names the path.
    """
    try:
        return bool(predicate(path, schema))
    except Exception as error:  # a caller's code may raise anything
        reason = f"The predicate raised {type(error).__name__}: {error}."
        raise DefinitionError(str(path), reason, _PREDICATE) from error


_PREDICATE = "`is_human` is a function of a place's path and its schema; `None` asks of nothing."


def name_in(path: Path) -> str:
    """Return the last name on a path; items of a list are called like the list."""
    return next((key for key in reversed(path.keys) if isinstance(key, str) and key != ANY), "")


def looks_at_name_only(predicate: IsHuman) -> bool:
    """Return whether a predicate is known to see no more of a path than `name_in` gives.

    What such a predicate says of a definition holds wherever the definition is used.
    """
    if isinstance(predicate, _AnyOf):
        return all(map(looks_at_name_only, predicate.predicates))
    return predicate in (is_human_by_default, is_secret, is_secret_of_human, is_file)


def sounds_secret(name: str) -> bool:
    """Return whether a name has a word such as `password`, `token`, `pin` or `card_number` in it.

    This is the one table of such words.
    """
    words = [word.lower() for word in re.findall(_WORD, name)]
    if any(word in _SECRET_WORDS or re.search(_ENDING, word) for word in words):
        return True
    return any(re.search(_PAIRS, one + two) for one, two in pairwise(("", *words)))
