"""The pending call as a person sees it before they approve it, and the effect of an edit."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from pyfunctools import Approval, Failure, File, Function, PendingCall
from pyfunctools.execution.person.approval import View
from pyfunctools.execution.person.masking import MASK

SECRET = "SECRET-7f3a"
ROW = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "token": {"type": "string", "format": "password", "minLength": 8},
    },
    "required": ["n", "token"],
    "additionalProperties": False,
}
FUNCTION = Function.from_schema(
    name="pay",
    parameters={
        "type": "object",
        "properties": {
            "amount": {"type": "number", "maximum": 100},
            "account": {"type": "string", "x-human": True},
            "pin": {"type": "integer", "x-a-secret-key": True, "x-human": True},
            "deep": ROW,
            "rows": {"type": "array", "items": ROW},
        },
        "required": ["amount", "pin"],
    },
)


def whole() -> dict[str, object]:
    return {
        "amount": 10,
        "account": "DE02",
        "pin": 4711,
        "deep": {"n": 0, "token": f"{SECRET}-0"},
        "rows": [{"n": 1, "token": f"{SECRET}-1"}, {"n": 2, "token": f"{SECRET}-2"}],
    }


def view_of(function: Function, arguments: Any) -> View:
    return View(function, arguments, function, {})


def shown_to(arguments: dict[str, object] | None = None) -> tuple[View, dict[str, object]]:
    view = view_of(FUNCTION, arguments or whole())
    return view, dict(view.pending.arguments)


def through_json(value: dict[str, object]) -> dict[str, object]:
    read: dict[str, object] = json.loads(json.dumps(value))
    return read


def test_a_person_sees_everything_except_secrets() -> None:
    _, shown = shown_to()
    assert shown == {
        "amount": 10,
        "account": "DE02",
        "pin": "***",
        "deep": {"n": 0, "token": "***"},
        "rows": [{"n": 1, "token": "***"}, {"n": 2, "token": "***"}],
    }
    text = json.dumps(shown) + repr(shown) + str(shown) + f"{shown['pin']}"
    assert SECRET not in text
    assert "4711" not in text


def test_no_value_is_in_the_repr_of_a_pending_call_or_an_approval() -> None:
    pending = PendingCall(function=FUNCTION, arguments={"account": "DE02"})
    assert "DE02" not in repr(pending) + repr(Approval({"account": "DE02"}))


def test_changes_of_the_shown_arguments_do_not_change_the_call() -> None:
    given = whole()
    view = view_of(FUNCTION, given)
    pending = view.pending
    pending.arguments["rows"].clear()  # type: ignore[union-attr]
    pending.arguments["amount"] = 1_000_000  # type: ignore[index]
    given["rows"].clear()  # type: ignore[attr-defined]
    assert view.whole == whole()


Edit = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.mark.parametrize(
    ("edit", "changed"),
    [
        (lambda shown: {**shown, "amount": 5}, {"amount": 5}),
        (lambda shown: through_json({**shown, "amount": 5}), {"amount": 5}),
        (lambda shown: copy.deepcopy({**shown, "amount": 5}), {"amount": 5}),
        (lambda shown: {**through_json(shown), "pin": 815}, {"pin": 815}),
        (
            lambda shown: {**through_json(shown), "deep": {"n": 0, "token": "new-token"}},
            {"deep": {"n": 0, "token": "new-token"}},
        ),
        (
            lambda shown: {**through_json(shown), "deep": {"n": 7, "token": "***"}},
            {"deep": {"n": 7, "token": f"{SECRET}-0"}},
        ),
    ],
)
def test_an_edit_keeps_the_secrets_that_it_does_not_change(
    edit: Edit, changed: dict[str, object]
) -> None:
    view, shown = shown_to()
    edited = view.edited(Approval(edit(shown)))
    assert edited
    assert edited.value == {**whole(), **changed}


@pytest.mark.parametrize(
    "rows",
    [
        [{"n": 2, "token": "***"}],
        [{"n": 2, "token": "***"}, {"n": 1, "token": "***"}],
        [{"n": 9, "token": "***"}, {"n": 2, "token": "***"}],
        [{"n": 1, "token": "***"}, {"n": 2, "token": "***"}, {"n": 2, "token": "***"}],
    ],
)
def test_a_changed_item_never_gets_the_secret_of_another(
    rows: list[dict[str, object]],
) -> None:
    view = view_of(relaxed(), whole())
    edited = view.edited(Approval({**through_json(dict(view.pending.arguments)), "rows": rows}))
    assert not edited
    assert {issue.side for issue in edited.issues} == {"human"}
    assert all(str(issue.path).endswith(".token") for issue in edited.issues)
    assert "the secret itself" in edited.issues[0].expected
    assert not view_of(FUNCTION, whole()).edited(
        Approval({**through_json(dict(view.pending.arguments)), "rows": rows})
    )


def relaxed() -> Function:
    """Return the function without a shortest token, so that `***` would be one."""
    text = json.dumps(FUNCTION.parameters).replace('"minLength": 8', '"minLength": 0')
    return Function.from_schema(name="pay", parameters=json.loads(text))


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"amount": 101}, "$input.amount"),
        ({"amount": "many"}, "$input.amount"),
        ({"amount": True}, "$input.amount"),
        ({"account": 7}, "$input.account"),
        ({"pin": SECRET}, "$input.pin"),
        ({"deep": {"n": 1}}, "$input.deep.token"),
        ({"new": 1}, "$input.new"),
    ],
)
def test_an_invalid_edit_is_refused_and_its_issues_are_the_persons(
    changed: dict[str, object], path: str
) -> None:
    view, shown = shown_to()
    edited = view.edited(Approval({**shown, **changed}))
    assert isinstance(edited, Failure)
    assert [str(issue.path) for issue in edited.issues] == [path]
    assert {issue.side for issue in edited.issues} == {"human"}
    assert edited.value is None
    assert SECRET not in repr(edited)


@pytest.mark.parametrize("bad", [7, "text", [], {}])
def test_an_edit_that_is_not_the_whole_arguments_is_refused(bad: object) -> None:
    view, _ = shown_to()
    assert not view.edited(Approval(bad))  # type: ignore[arg-type]


def test_an_edit_that_is_nested_too_deeply_is_refused() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    view, shown = shown_to()
    edited = view.edited(Approval({**shown, "rows": deep}))
    assert isinstance(edited, Failure)
    assert "levels of nesting" in edited.issues[0].expected


def test_true_is_not_the_same_as_one() -> None:
    view, shown = shown_to({**whole(), "amount": 1})
    assert not view.edited(Approval({**shown, "amount": True}))


def test_a_file_survives_an_edit() -> None:
    function = Function.from_schema(
        name="send",
        parameters={
            "type": "object",
            "properties": {"file": {"type": "string", "format": "binary"}, "n": {}},
        },
    )
    file = File(b"abc", filename="a.txt")
    view = view_of(function, {"file": file, "n": 1})
    for edited in (dict(view.pending.arguments), {"file": str(file), "n": 2}):
        checked = view.edited(Approval(edited))
        assert checked
        assert checked.value["file"].filename == "a.txt"  # type: ignore[index,call-overload,union-attr]


HIDDEN = {"type": "string", "format": "password"}
S = {"type": "string"}


def object_of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "value", "shown"),
    [
        (object_of(a=HIDDEN, b=S), {"a": "x", "b": "y"}, {"a": MASK, "b": "y"}),
        (object_of(a=HIDDEN), {"a": None}, {"a": None}),
        (object_of(a={"anyOf": [HIDDEN, {"type": "null"}]}), {"a": "x"}, {"a": MASK}),
        (object_of(a={"allOf": [HIDDEN]}), {"a": ["x"]}, {"a": [MASK]}),
        (object_of(a={"type": "array", "items": HIDDEN}), {"a": ["x", "y"]}, {"a": [MASK] * 2}),
        (object_of(a={"prefixItems": [S, HIDDEN]}), {"a": ["x", "y"]}, {"a": ["x", MASK]}),
        ({"additionalProperties": HIDDEN}, {"a": "x"}, {"a": MASK}),
        ({"patternProperties": {"^a": HIDDEN}}, {"a": "x"}, {"a": MASK}),
        ({"if": {"required": ["a"]}, "then": object_of(a=HIDDEN)}, {"a": "x"}, {"a": MASK}),
        ({"dependentSchemas": {"b": object_of(a=HIDDEN)}}, {"a": "x"}, {"a": MASK}),
        (object_of(a={**S, "x-human-widget": "secret"}), {"a": "x"}, {"a": MASK}),
        (object_of(api_key={**S, "writeOnly": True}), {"api_key": "x"}, {"api_key": MASK}),
        (
            {"$ref": "#/$defs/T", "$defs": {"T": object_of(a=HIDDEN, t={"$ref": "#/$defs/T"})}},
            {"t": {"t": {"a": "x"}}},
            {"t": {"t": {"a": MASK}}},
        ),
        (object_of(f=HIDDEN), {"f": File(b"abc", "a.txt")}, {"f": MASK}),
        ({}, {"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
    ],
    ids=str,
)
def test_secrets_are_covered_under_every_keyword(schema: Any, value: Any, shown: Any) -> None:
    parameters = {**object_of(value=schema), "$defs": schema.pop("$defs", {})}
    masked = Function.from_schema(name="f", parameters=parameters, is_human=None)
    assert view_of(masked, {"value": value}).pending.arguments == {"value": shown}


def test_names_of_secrets_are_covered_only_in_the_human_part() -> None:
    pin = {**S, "x-human": True}
    masked = Function.from_schema(name="f", parameters=object_of(pin=pin, key=S, to=pin))
    shown = view_of(masked, {"pin": "1", "key": "k", "to": "x"}).pending.arguments
    assert shown == {"pin": MASK, "key": "k", "to": "x"}


def test_secret_keys_of_a_map_are_covered_and_have_to_be_given_again_after_a_change() -> None:
    names = {"format": "password"}
    held = {"type": "object", "additionalProperties": {"type": "string"}, "propertyNames": names}
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "held": held}}
    function = Function.from_schema(name="f", parameters=schema)
    whole: Any = {"n": 1, "held": {"SECRET-1": "a", "SECRET-2": "b"}}
    shown = dict(view_of(function, whole).pending.arguments)
    assert shown["held"].keys() == {"*** 1", "*** 2"}
    same = view_of(function, whole).edited(Approval({**shown, "n": 2}))
    assert same.value == {**whole, "n": 2}
    changed = view_of(function, whole).edited(Approval({**shown, "held": {"*** 1": "c"}}))
    assert {issue.path for issue in changed.issues} == {'$input.held["*** 1"]'}  # type: ignore[union-attr]
