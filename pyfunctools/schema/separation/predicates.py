"""Predicates that decide by a path and its schema whether a value is human."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from pyfunctools._json import JsonSchema
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.ground.walk import map_subschemas, subschemas
from pyfunctools.schema.vocabulary import EXAMPLES, HUMAN_MARKS, human_mark

IsHuman: TypeAlias = Callable[[Path, JsonSchema], bool]
"""A function that returns whether the human gives the value at a path, with this schema.

`[*]` in the path stands for any item of an array and for any undeclared key; in `path.keys` it is
`"*"`. A `$ref` is resolved: the schema has the keywords of its definition, and those beside the
reference take precedence.
"""

ANY = "*"
"""The step in `path.keys` for any item of an array and for any undeclared key."""

# Expressions are compiled by the first schema that needs them: few do.
_VENDOR_KEYWORD = r"x-.+-secret-key"
_WORD = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+"
_SECRET_WORDS = frozenset(
    {
        *("credential", "credentials", "csc", "cvc", "cvn", "cvv", "iban", "jwt", "key", "keys"),
        *("mfa", "mnemonic", "otp", "pan", "pass", "passkey", "passphrase", "pin", "pincode"),
        *("puk", "pwd", "ssn", "totp"),
    }
)
_ENDING = r"(?:apikey|passcode|passwd|password|secret|token)s?$"
_PAIRS = (
    r"(?:(?:card|cc)(?:no|nr|num|number)|(?:credit|debit)card"
    r"|(?:access|auth|backup|login|recovery|security|sms|verification)code)s?$"
)

_TEXT_ENCODINGS = frozenset({"7bit", "8bit", "quoted-printable"})
_TEXT_MEDIA = (
    r"text/.*|application/(?:.+\+)?(?:json|xml|yaml)"
    r"|application/(?:x-ndjson|jsonl|x-yaml|toml|graphql|sql|javascript|x-javascript|ecmascript"
    r"|x-www-form-urlencoded)"
)


def is_human_by_default(path: Path, schema: JsonSchema) -> bool:
    """Return whether a schema is marked as human (`x-human`), or is a secret or a file.

    With `x-human: false` it is not, even if it is a secret or a file.
    """
    marked = human_mark(schema)
    return is_secret(path, schema) or is_file(path, schema) if marked is None else marked


def is_secret(path: Path, schema: JsonSchema) -> bool:
    """Return whether a schema is that of a secret.

    It has `format: password`, `x-human-secret: true`, a widget that hides the input, a keyword such
    as `x-vendor-secret-key`, or `writeOnly` and a name such as `password`.
    """
    if schema.get("format") == "password" or schema.get("x-human-secret") is True:
        return True
    if schema.get("x-human-widget") in ("password", "secret"):
        return True
    if schema.get("writeOnly") is True and sounds_secret(last_name(path)):
        return True
    return any(
        key.startswith("x-") and re.fullmatch(_VENDOR_KEYWORD, key) and schema[key]
        for key in schema
    )


def is_secret_of_human(path: Path, schema: JsonSchema) -> bool:
    """Return whether a schema of the human's side is that of a secret, by keywords or by name."""
    if is_secret(path, schema) or sounds_secret(last_name(path)):
        return True
    return ITEM_NAME in schema and sounds_secret(str(schema[ITEM_NAME]))


ITEM_NAME = "x-item-name"
"""The keyword of the name of a named tuple's item, which is in no path, if it sounds secret."""


def is_file(_: Path, schema: JsonSchema) -> bool:
    """Return whether a schema is that of a file: `format: binary`, or content that is not text.

    `contentEncoding` is as in RFC 2045 and RFC 4648, `contentMediaType` as in RFC 2046.
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
    """Return whether a schema is that of a file's content, not of text such as its URL."""
    return schema.get("format") in (None, "binary", "byte") and is_file(Path.of(()), schema)


class _AnyOf(NamedTuple):
    predicates: tuple[IsHuman, ...]

    def __call__(self, path: Path, schema: JsonSchema) -> bool:
        return any(predicate(path, schema) for predicate in self.predicates)


def any_of(*predicates: IsHuman) -> IsHuman:
    """Return a predicate that is true if one of these predicates is true."""
    return _AnyOf(predicates)


def check_predicate(given: object) -> None:
    """Check the type of an `is_human` argument.

    Raises:
        DefinitionError: it is neither a function nor `None`, but, say, a list of names.
    """
    if given is not None and not callable(given):
        raise wrong_type("is_human", "a function", given, _PREDICATE)


def ask(predicate: IsHuman, path: Path, schema: JsonSchema) -> bool:
    """Return the result of a predicate.

    Raises:
        DefinitionError: it raised an exception; the error names the path.
    """
    try:
        return bool(predicate(path, schema))
    except Exception as error:  # a caller's code may raise anything
        reason = f"The predicate raised {type(error).__name__}: {error}."
        raise DefinitionError(str(path), reason, _PREDICATE) from error


_PREDICATE = "Write a function of a path and its schema; with `None` the model gives everything."


def last_name(path: Path) -> str:
    """Return the last name of a path; the items of an array have the name of the array."""
    return next((key for key in reversed(path.keys) if isinstance(key, str) and key != ANY), "")


def needs_name_only(predicate: IsHuman) -> bool:
    """Return whether a predicate is known to use no more of a path than its `last_name`."""
    if isinstance(predicate, _AnyOf):
        return all(map(needs_name_only, predicate.predicates))
    return predicate in (is_human_by_default, is_secret, is_secret_of_human, is_file)


def sounds_secret(name: str) -> bool:
    """Return whether a name contains a word such as `password`, `token`, `pin`, `card_number`."""
    words = [word.lower() for word in re.findall(_WORD, name)]
    if any(word in _SECRET_WORDS or re.search(_ENDING, word) for word in words):
        return True
    return any(re.search(_PAIRS, one + two) for one, two in pairwise(("", *words)))


def without_values(schema: JsonSchema) -> JsonSchema:
    """Return a copy of a schema without defaults and examples, at every depth."""
    return map_subschemas(
        schema, lambda one: {key: value for key, value in one.items() if key not in _VALUES}
    )


def output_shown(schema: JsonSchema) -> JsonSchema:
    """Return an output schema as others may see it: without such values if a part is a person's.

    A default of an object may hold the default of a part of it, so all of them are left out.
    """

    def is_persons(path: Path, part: JsonSchema) -> bool:
        return may_be_persons(part) and (is_human_by_default(path, part) or is_secret(path, part))

    return without_values(schema) if _has_part(schema, is_persons) else schema


def _has_part(schema: JsonSchema, is_meant: IsHuman) -> bool:
    parts = ((keys, part) for keys, part in subschemas(schema) if isinstance(part, dict))
    return any(is_meant(Path.of(keys), part) for keys, part in parts)


def may_be_persons(schema: JsonSchema) -> bool:
    """Return whether a schema itself has a keyword of `predicates`: much faster than to ask."""
    return (
        not _SIGNS.isdisjoint(schema)
        or schema.get("format") in ("password", "binary")
        or "-secret-key" in " ".join(schema)
    )


_SIGNS = frozenset(
    {*HUMAN_MARKS, "x-human-secret", "x-human-widget", "writeOnly"}
    | {"contentEncoding", "contentMediaType"}
)


def has_secret_part(schema: JsonSchema) -> bool:
    """Return whether a schema of the human's side is that of a secret, or has one inside."""
    return _has_part(schema, is_secret_of_human)


_VALUES = {"default", *EXAMPLES}
