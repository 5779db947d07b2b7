"""What a model reads about an operation."""

import pytest

from pyfunctools.route import Requirement
from pyfunctools.sources.openapi.function_schemas import describe_operation


@pytest.mark.parametrize(
    ("summary", "description", "text"),
    [
        ("", "", ""),
        ("Get a user", "", "Get a user"),
        ("", "All of it.", "All of it."),
        ("Get a user", "All of it.", "Get a user\n\nAll of it."),
        ("Get a user", "Get a user by name.", "Get a user by name."),
        ("Get a user.", "Get a user.", "Get a user."),
        (" Get a user \n", "\n More. ", "Get a user\n\nMore."),
    ],
)
def test_the_summary_is_not_repeated(summary: str, description: str, text: str) -> None:
    assert describe_operation(summary, description) == text


def test_the_six_rules_stand_in_their_order() -> None:
    text = describe_operation(
        "Get a user",
        "By name.",
        params=[("name", "Who it is.\nIn full."), ("body", "What to change.")],
        security=[
            Requirement(schemes={"key": ()}),
            Requirement(schemes={"oauth": ("read", "write"), "key": ()}),
        ],
        tags=["users", "people"],
        deprecated=True,
    )
    assert text == (
        "Get a user\n"
        "\n"
        "By name.\n"
        "\n"
        "@param name Who it is.\n"
        "In full.\n"
        "@param body What to change.\n"
        "@security key\n"
        "@security oauth read write\n"
        "@tag users\n"
        "@tag people\n"
        "@deprecated"
    )


def test_tags_may_stand_alone() -> None:
    assert describe_operation("", "", deprecated=True) == "@deprecated"
    assert describe_operation("", "", security=[Requirement(schemes={})]) == ""


def test_of_many_schemes_some_are_named() -> None:
    many = [Requirement(schemes={f"s{i}_{j}": () for j in range(50)}) for i in range(50)]
    assert describe_operation("", "", security=many).count("@security") == 20
