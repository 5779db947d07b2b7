"""What is the human's by default: marks, secrets and files."""

import copy
import pickle
from typing import Any

import pytest

from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.separation.predicates import (
    any_of,
    is_file,
    is_human_by_default,
    is_secret,
    last_name,
    needs_name_only,
)

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("a", {"x-human": True}),
        ("a", {"x-human": "yes"}),
        ("a", {"x-human": " TRUE "}),
        ("a", {"x-human": 1}),
        ("a", {"x-human": {"ask": "Your PIN"}}),
        ("a", {"x-samchon-human": True}),
        ("a", {"x-samchon-human": "true", "x-human": False}),
        ("a", {"x-human": None, "format": "password"}),
        ("a", {"format": "password"}),
        ("a", {"x-vendor-secret-key": "google"}),
        ("a", {"x-wrtn-secret-key": True}),
        ("a", {"format": "binary"}),
        ("a", {"contentMediaType": "image/png"}),
        ("a", {"contentMediaType": "application/octet-stream"}),
        ("a", {"contentEncoding": "base64"}),
        ("password", {"writeOnly": True}),
        ("passwords", {"writeOnly": True}),
        ("userPassword", {"writeOnly": True}),
        ("user_password", {"writeOnly": True}),
        ("PASSWORD", {"writeOnly": True}),
        ("passwd2", {"writeOnly": True}),
        ("clientSecret", {"writeOnly": True}),
        ("client-secret", {"writeOnly": True}),
        ("accesstoken", {"writeOnly": True}),
        ("access_tokens", {"writeOnly": True}),
        ("apiKey", {"writeOnly": True}),
        ("APIKey", {"writeOnly": True}),
        ("key", {"writeOnly": True}),
        ("pin", {"writeOnly": True}),
    ],
)
def test_marks_secrets_and_files_are_the_humans(name: str, schema: dict[str, Any]) -> None:
    assert is_human_by_default(Path.of(("query", name)), {**TEXT, **schema})


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("password", {}),
        ("token", {"writeOnly": False}),
        ("a", {"writeOnly": True}),
        ("monkey", {"writeOnly": True}),
        ("keyboard", {"writeOnly": True}),
        ("tokenize", {"writeOnly": True}),
        ("spin", {"writeOnly": True}),
        ("a", {"format": "byte"}),
        ("a", {"format": "base64"}),
        ("a", {"contentEncoding": "quoted-printable"}),
        ("a", {"contentMediaType": "text/csv; charset=utf-8"}),
        ("a", {"contentMediaType": "application/json"}),
        ("a", {"contentMediaType": "application/problem+json"}),
        ("a", {"contentMediaType": "Application/XML"}),
        ("a", {"x-secret-key-name": "b"}),
        ("a", {"x-vendor-secret-key": False}),
        ("a", {"x-human": "no"}),
        ("a", {"x-human": 0}),
        ("a", {"x-human": None}),
        ("a", {"x-human": "", "x-samchon-human": "False"}),
        ("a", {"format": ["password"], "contentEncoding": 1, "contentMediaType": {}}),
    ],
)
def test_anything_else_is_the_models(name: str, schema: dict[str, Any]) -> None:
    assert not is_human_by_default(Path.of((name,)), {**TEXT, **schema})


@pytest.mark.parametrize("schema", [{"format": "binary"}, {"format": "password"}])
def test_what_is_marked_as_not_the_humans_is_the_models_whatever_it_is(
    schema: dict[str, Any],
) -> None:
    assert not is_human_by_default(Path.of(("password",)), {**schema, "x-human": False})


def test_predicates_are_named_and_can_be_joined() -> None:
    path = Path.of(("a",))
    both = any_of(is_secret, is_file)
    assert both(path, {"format": "binary"})
    assert both(path, {"format": "password"})
    assert not both(path, TEXT)
    assert not any_of()(path, {"x-human": True})
    assert pickle.loads(pickle.dumps(both)) == copy.deepcopy(both) == both


def test_items_are_called_like_their_list() -> None:
    assert last_name(Path.of(("tokens", "*"))) == "tokens"
    assert last_name(Path.of(("tokens", 0, "*"))) == "tokens"
    assert last_name(Path.of(())) == ""


def test_only_our_own_predicates_are_known_to_see_no_more_than_the_name() -> None:
    assert needs_name_only(is_human_by_default)
    assert needs_name_only(any_of(is_secret, any_of(is_file)))
    assert not needs_name_only(any_of(is_secret, lambda path, _: path == "$input.a"))
