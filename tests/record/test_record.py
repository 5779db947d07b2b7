"""`Function`: the record of a function."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from threading import Thread

import pytest

from pyfunctools import (
    DefinitionError,
    Failure,
    Function,
    Method,
    Param,
    Path,
    RemoteTool,
    Route,
)
from pyfunctools._json import JsonSchema
from pyfunctools._lazy import Lazy
from pyfunctools.record.contract import Contract
from pyfunctools.record.function import contract_of
from pyfunctools.record.origin import Origin, origin_text
from pyfunctools.schema.separation.predicates import is_human_by_default

ORDER = {
    "type": "object",
    "properties": {
        "item": {"type": "string"},
        "count": {"type": "integer", "minimum": 1},
        "pin": {"type": "string", "x-human": True},
    },
    "required": ["item", "pin"],
}


def order(**changes: object) -> Function:
    return Function.from_schema(
        **{"name": "order", "description": "Order.", "parameters": ORDER, **changes}  # type: ignore[arg-type]
    )


def test_parameters_are_closed_and_complete() -> None:
    function = order()
    assert function.parameters["additionalProperties"] is False
    assert Function.from_schema(name="f", parameters={}).parameters == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
    opened = {"type": "object", "additionalProperties": {"type": "integer"}}
    assert Function.from_schema(name="f", parameters=opened).check('{"a": "1"}').value == {"a": 1}


def test_parameters_in_a_reference_or_a_union_are_closed_correctly() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    behind = Function.from_schema(
        name="f", parameters={"$ref": "#/definitions/A", "definitions": {"A": inner}}
    )
    assert behind.parameters == {**inner, "additionalProperties": False}
    assert behind.check('{"a": "1"}').value == {"a": 1}
    assert not behind.check('{"a": 1, "b": 2}')
    branches = [inner, {"type": "object", "properties": {"b": {}}, "required": ["b"]}]
    union = Function.from_schema(name="f", parameters={"anyOf": branches})
    assert union.check({"a": 1})
    assert union.check({"b": 1})
    assert not union.check({"c": 1})


def test_a_record_from_params_equals_the_one_from_its_schema() -> None:
    params = [Param("item", "string", "What."), Param("count", "integer", required=False)]
    written = {
        "type": "object",
        "properties": {
            "item": {"type": "string", "description": "What."},
            "count": {"type": "integer"},
        },
        "required": ["item"],
        "additionalProperties": False,
    }
    one = Function.from_schema(name="f", description="F.", parameters=params)
    other = Function.from_schema(name="f", description="F.", parameters=written)
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"description": "Other."},
        {"tags": ["x"]},
        {"deprecated": True},
        {"destructive": True},
        {"parameters": {"type": "object"}},
        {"output": {"type": "string"}},
        {"is_human": None},
    ],
    ids=lambda change: next(iter(change)),
)
def test_records_with_another_value_are_not_equal(change: dict[str, object]) -> None:
    assert order() == order()
    assert order(**change) != order()


def test_a_record_is_frozen_and_survives_copies() -> None:
    function = order(output={"type": "string"})
    with pytest.raises(FrozenInstanceError):
        function.name = "x"  # type: ignore[misc]
    for again in (copy.deepcopy(function), pickle.loads(pickle.dumps(function))):
        assert again == function
        assert again.check('{"item": "tea", "count": "2"}').value == {"item": "tea", "count": 2}
        assert again.merge(llm={"item": "tea"}, human={"pin": "1"})
    renamed = replace(function, name="renamed")
    assert contract_of(renamed) is contract_of(function)


def test_the_schemas_are_built_once_on_first_use_and_are_not_in_the_repr() -> None:
    built: list[int] = []

    def build() -> Contract:
        built.append(1)
        return Contract({"type": "object", "properties": {}}, None, is_human_by_default)

    function = Function(name="lazy", _contract=Lazy(build))
    assert "lazy" in repr(function)
    assert "properties" not in repr(function)
    assert built == []
    threads = [Thread(target=lambda: function.parameters) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert function.separated is None
    assert built == [1]
    pickled = Function(name="lazy", _contract=Lazy(build))
    assert pickle.loads(pickle.dumps(pickled)) == function


def test_only_a_name_that_every_vendor_accepts_is_accepted() -> None:
    for name in ("a", "_", "a-b_C9", "a" * 64):
        assert Function.from_schema(name=name, parameters={}).name == name
    for name in ("", "1a", "a b", "a.b", "ä", "a" * 65, "-a", "a\n", "a\u202e", "__init__()"):
        with pytest.raises(DefinitionError, match="not a name"):
            Function.from_schema(name=name, parameters={})


def test_parameters_must_be_an_object() -> None:
    with pytest.raises(DefinitionError, match="wrap them in an object"):
        Function.from_schema(name="f", parameters={"type": "string"})
    with pytest.raises(DefinitionError, match="stands among"):
        Function.from_schema(name="f", parameters=[Param("x", "string"), {"type": "string"}])  # type: ignore[list-item]
    with pytest.raises(DefinitionError, match="leads out of the schema"):
        Function.from_schema(name="f", parameters={"$ref": "https://example.com/schema.json"})


def test_hidden_characters_are_removed_from_the_description() -> None:
    assert order(description="Buy\u200b\U000e0041 tea.").description == "Buy tea."


def test_the_predicate_is_called_when_the_sides_are_first_used_and_then_never_again() -> None:
    paths: list[Path] = []

    def is_human(path: Path, _: JsonSchema) -> bool:
        paths.append(path)
        return path.keys == ("pin",)

    function = order(is_human=is_human)
    assert paths == []
    assert function.separated is not None
    assert len(paths) == 4
    assert function.check({"item": "tea"})
    assert function.separated is function.separated
    assert len(paths) == 4


def test_each_side_is_validated_alone() -> None:
    function = order()
    assert function.separated is not None
    assert "pin" not in str(function.separated.llm)
    assert function.validate({"item": "tea", "pin": "1"})
    assert function.validate({"item": "tea"}, "llm")
    assert function.validate({"pin": "1"}, "human")
    assert not function.validate({"item": "tea"})
    assert not function.validate({"item": "tea", "pin": "1"}, "llm")
    assert not function.validate({"pin": 1}, "human")


def test_without_a_human_part_the_model_gives_everything() -> None:
    function = order(is_human=None)
    assert function.separated is None
    whole = {"item": "tea", "pin": "1"}
    assert function.validate(whole, "llm")
    assert function.validate({}, "human")
    assert not function.validate({"item": "x"}, "human")
    assert function.merge(llm=whole).unwrap() == whole
    assert not function.merge(llm={"item": "tea"}, human={"pin": "1"})


def test_check_parses_coerces_and_validates_with_every_repair() -> None:
    checked = order().check('{"item": "tea", "count": "2"}')
    assert checked
    assert checked.value == {"item": "tea", "count": 2}
    assert [str(repair.path) for repair in checked.repairs] == ["$input.count"]


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ("{}", ["$input.item"]),
        ('{"item": [], "count": 0}', ["$input.item", "$input.count"]),
        ('{"item": "tea", "pin": "0000"}', ["$input.pin"]),
        ({"item": "tea", "else": 1}, ["$input.else"]),
        ("I would rather not.", ["$input"]),
        (b"\xff\xfe", ["$input"]),
        ("[1, 2, 3]", ["$input"]),
        ("7", ["$input"]),
        (None, ["$input"]),
        ({"item": float("nan")}, ["$input.item"]),
        ({"item": "\ud800"}, ["$input.item"]),
        ({1: "tea"}, ["$input"]),
    ],
)
def test_invalid_arguments_are_a_failure_with_each_path(given: object, paths: list[str]) -> None:
    checked = order().check(given)  # type: ignore[arg-type]
    assert isinstance(checked, Failure)
    assert sorted({str(issue.path) for issue in checked.issues}) >= sorted(paths)[:1]
    assert {str(issue.path) for issue in checked.issues} >= set(paths) - {"$input"}
    assert checked.feedback()


def test_truncated_text_is_an_issue_unless_allowed() -> None:
    cut = '{"item": "tea", "count": 1'
    refused = order().check(cut)
    assert isinstance(refused, Failure)
    assert [str(issue.path) for issue in refused.issues] == ["$input.count"]
    assert "the text ended" in refused.issues[0].message
    assert order().check(cut, allow_truncated=True).value == {"item": "tea", "count": 1}


def test_parse_and_coerce_use_the_models_side() -> None:
    function = order()
    assert function.parse('{"item": "tea"}').value == {"item": "tea"}
    assert function.coerce({"count": "3"}).value == {"count": 3}


def test_positional_follows_the_path_of_a_route_then_the_schema() -> None:
    function = order(is_human=None)
    assert [inner["type"] for inner in function.positional] == ["string", "integer", "string"]  # type: ignore[index,call-overload]
    assert function.check(["tea", 2, "1"]).value == {"item": "tea", "count": 2, "pin": "1"}
    assert not function.check(["tea", 2, "1", 4])
    group = {"type": "object", "properties": {"q": {"$ref": "#/$defs/Q"}}}
    parameters = {
        "type": "object",
        "properties": {"query": group, "b": {"type": "string"}, "a": {"type": "integer"}},
        "$defs": {"Q": {"type": "string"}, "Unused": {}},
    }
    contract = Contract(parameters, None, None, first=("b", "a"))
    routed = Function(name="f", _contract=Lazy.of(contract))
    assert routed.positional == (
        {"type": "string"},
        {"type": "integer"},
        {**group, "$defs": {"Q": {"type": "string"}}},
    )
    assert routed.check(["x", "1", {"q": "y"}]).value == {"b": "x", "a": 1, "query": {"q": "y"}}


def test_arguments_and_schemas_are_not_changed() -> None:
    parameters = copy.deepcopy(ORDER)
    value = {"item": "tea", "count": "2"}
    function = order(parameters=parameters)
    function.check(value)
    function.merge(llm=value, human={"pin": "1"})
    assert parameters == ORDER
    assert value == {"item": "tea", "count": "2"}


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (order().origin, "a written schema"),
        (order(handler=dict).origin, "dict"),
        (Method(qualname="Shop.buy", is_async=True), "Shop.buy"),
        (Route(method="GET", path="/teas", operation={"summary": "List"}), "GET /teas"),
        (RemoteTool(server="files", name="read"), "files/read"),
    ],
)
def test_an_origin_has_a_short_text_and_survives_copies(origin: Origin | None, text: str) -> None:
    assert origin_text(origin) == text
    assert copy.deepcopy(origin) == origin
    assert pickle.loads(pickle.dumps(origin)) == origin
