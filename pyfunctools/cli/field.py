"""What a person is asked at one place: what kind of answer is wanted, and when one is right."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema import Issue, Path, Validator, coerce
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import lookup
from pyfunctools.schema.separation.predicates import is_file, is_secret, is_secret_of_human
from pyfunctools.schema.vocabulary import SLOTS

Kind: TypeAlias = Literal[
    "array", "branch", "choice", "file", "json", "map", "object", "secret", "text", "yes or no"
]
"""How an answer is given; a `branch` is one of several schemas, and then that one's answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked at one place.

    `schema` is complete with the definitions of the whole, and so are the `branches` of a union;
    `body` is what it says, references and `allOf` followed.
    """

    kind: Kind
    schema: JsonSchema | bool
    body: JsonSchema
    takes_null: bool
    branches: tuple[JsonSchema | bool, ...] = ()

    @property
    def text(self) -> str:
        """What the person is asked: the marker's question, or what the schema says of itself."""
        for keyword in ("x-human-ask", "description", "title"):
            said = self.body.get(keyword)
            if isinstance(said, str) and said.strip():
                return said.strip().partition("\n\n")[0].replace("\n", " ")
        return ""

    @property
    def name(self) -> str:
        """What a branch is called among others: its title, its tags, or what it says."""
        properties = self.body.get("properties")
        tags = [
            f"{name}: {inner['const']}"
            for name, inner in (properties if isinstance(properties, dict) else {}).items()
            if isinstance(inner, dict) and isinstance(inner.get("const"), str)
        ]
        parts = [str(self.body.get("title", "")), ", ".join(tags), self.text]
        return " - ".join(part for part in dict.fromkeys(parts) if part) or self.kind

    @property
    def choices(self) -> list[JsonValue]:
        """The values of which one is chosen."""
        return [value for value in _values(self.body) if value is not None]

    @property
    def hint(self) -> str:
        """A word or two on what to type."""
        if self.kind != "text":
            return _HINTS.get(self.kind, "")
        name = self.body.get("format") or self.body.get("x-human-widget")
        kinds = [kind for kind in _types(self.body) if kind != "string"]
        return str(name) if name else " or ".join(kinds)

    @property
    def skip(self) -> str:
        """What comes of an answer that is left out; a secret's default is not shown."""
        default = self.body.get("default")
        if default in (None, "", [], {}) or self.kind in ("secret", "file"):
            return "Enter to skip"
        return f"Enter for {default if isinstance(default, str) else json.dumps(default)}"

    def refusal(self, value: JsonValue) -> str | None:
        """Return why a value is not accepted, or `None` where it is."""
        verdict = Validator(self.schema).validate(value, "human")
        if verdict:
            return None
        return "; ".join(
            f"{issue.path[len('$input') :].lstrip('.')} expected {_wanted(issue)}".strip()
            for issue in verdict.issues
        )

    def read(self, text: str) -> JsonValue:
        """Return the value that a typed answer means, without saying whether it is right."""
        if self.kind == "choice":
            return self._chosen(text)
        if self.kind == "yes or no":
            return _YES_OR_NO.get(text.strip().lower(), text)
        if self.kind == "json":
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                return text
        validator = Validator(self.schema)
        meant: list[JsonValue] = [text]
        meant += (coerce(schema, text).value for schema in (self.schema, *self.branches))
        return next((value for value in meant if validator.is_valid(value)), text)

    def _chosen(self, text: str) -> JsonValue:
        choices, typed = self.choices, text.strip()
        for value in choices:
            if typed == (value if isinstance(value, str) else json.dumps(value)):
                return value
        is_number = typed.isascii() and typed.isdigit() and not self.are_numbers
        if is_number and 0 < int(typed) <= len(choices):
            return choices[int(typed) - 1]
        return coerce(self.schema, text).value

    @property
    def are_numbers(self) -> bool:
        """Whether the choices are numbers themselves, so that no number of theirs can be typed."""
        return any(isinstance(value, int | float) for value in self.choices)


def _wanted(issue: Issue) -> str:
    """Return what is expected; null is left out, for nobody types it."""
    return issue.expected.removesuffix(" or null")


def question_of(root: JsonSchema, schema: JsonSchema | bool, keys: Keys) -> Question:
    """Return the question for a place of a schema; `root` has the definitions."""
    body = followed(root, schema)
    complete = _complete(root, schema)
    branches = [branch for branch in _branches(body) if not _is_null(followed(root, branch))]
    takes_null = Validator(complete).is_valid(None)
    kind: Kind = "branch"
    if len(branches) == 1:  # the other is null, or anything
        only = question_of(root, branches[0], keys)
        body = {**only.body, **{key: body[key] for key in _TEXTS if key in body}}
        kind, branches = only.kind, list(only.branches)
    elif branches and all(_values(followed(root, branch)) for branch in branches):
        values = [value for branch in branches for value in _values(followed(root, branch))]
        kind, branches, body = "choice", [], {**body, "enum": values}
    elif not branches or not any(_has_parts(followed(root, branch)) for branch in branches):
        kind = _kind(body, keys, bool(branches))
    return Question(
        kind=kind,
        schema=complete,
        body=body,
        takes_null=takes_null,
        branches=tuple(_complete(root, branch) for branch in branches),
    )


def _complete(root: JsonSchema, schema: JsonSchema | bool) -> JsonSchema | bool:
    if isinstance(schema, bool) or "$defs" not in root:
        return schema
    return {**schema, "$defs": root["$defs"]}


def followed(root: JsonSchema, schema: JsonSchema | bool) -> JsonSchema:
    """Return what a schema says, with what its `$ref` and its `allOf` say too."""
    body: dict[str, JsonValue] = {}
    for one in _together(root, schema):
        for keyword, value in one.items():
            if keyword == "properties" and isinstance(value, dict):
                known = body.setdefault(keyword, {})
                body[keyword] = {**value, **known} if isinstance(known, dict) else value
            elif keyword == "required" and isinstance(value, list):
                known = body.setdefault(keyword, [])
                body[keyword] = [*known, *value] if isinstance(known, list) else value
            elif keyword not in ("$ref", "allOf"):
                body.setdefault(keyword, value)
    return body


def _together(root: JsonSchema, schema: JsonSchema | bool) -> Iterator[JsonSchema]:
    stack: list[JsonValue] = [schema]
    seen: set[int] = set()
    while stack:
        one = stack.pop(0)
        if not isinstance(one, dict) or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(reference := one.get("$ref"), str):
            try:
                stack.append(lookup(root, reference))
            except LookupError:
                continue
        members = one.get("allOf")
        stack += members if isinstance(members, list) else []


def _branches(body: JsonSchema) -> list[JsonSchema | bool]:
    for keyword in ("anyOf", "oneOf"):
        listed = body.get(keyword)
        if isinstance(listed, list):
            return [branch for branch in listed if isinstance(branch, dict) and branch]
    return []


def _kind(body: JsonSchema, keys: Keys, is_union: bool) -> Kind:
    kinds = _types(body)
    if "enum" in body or "const" in body:
        return "choice"
    is_text, is_address = kinds in (["string"], []), body.get("format") in _ADDRESSES
    is_a_file = body.get("x-human-widget") == "file" or is_file(Path.of(keys), body)
    if is_text and is_a_file and not is_address:
        return "file"
    if (is_text or kinds in (["integer"], ["number"])) and hides(body, keys):
        return "secret"
    if "object" in kinds or ("properties" in body and not kinds):
        return "object" if body.get("properties") else "map"
    if "array" in kinds or ("items" in body and not kinds):
        return "array"
    if kinds == ["boolean"]:
        return "yes or no"
    return "text" if kinds or is_union else "json"


def _values(body: JsonSchema) -> list[JsonValue]:
    listed = body.get("enum", [body["const"]] if "const" in body else [])
    return listed if isinstance(listed, list) else []


def hides(body: JsonSchema, keys: Keys, *, by_name: bool = True) -> bool:
    """Return whether a value is a secret, by what its schema says or, `by_name`, how it sounds."""
    return (is_secret_of_human if by_name else is_secret)(Path.of(keys), body)


def _types(body: JsonSchema) -> list[str]:
    kinds = body.get("type", [])
    return [str(k) for k in (kinds if isinstance(kinds, list) else [kinds]) if k != "null"]


def _has_parts(body: JsonSchema) -> bool:
    return not SLOTS.isdisjoint(body) or not {"array", "object"}.isdisjoint(_types(body))


def _is_null(body: JsonSchema) -> bool:
    return body.get("type") == "null" or ("const" in body and body["const"] is None)


_HINTS = {"file": "path", "json": "JSON or text", "secret": "hidden", "yes or no": "y/n"}
_ADDRESSES = ("iri", "uri", "uri-reference", "url")
_TEXTS = ("description", "title", "x-human-ask")
_YES_OR_NO = {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}
