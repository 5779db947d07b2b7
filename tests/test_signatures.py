"""`Controller.signatures`: typed Python stubs of the model's side."""

import ast
from typing import Any, TypedDict

import pytest
from turns import shop

from pyfunctools import Controller, Function, Human, UnknownFunctionError, function
from pyfunctools.signatures import loose_signatures, signatures_of


class Address(TypedDict):
    city: str
    tags: list[str]


class Post:
    @function
    def send(self, to: Address, back: Address | None = None, pin: Human[str] = "") -> int:
        """Send a parcel. The pin is asked for."""
        return 0


def controller_of(**schemas: dict[str, Any]) -> Controller:
    return Controller.from_functions(
        Function.from_schema(name=name, parameters=schema, description="One. Two.")
        for name, schema in schemas.items()
    )


def test_a_function_is_a_line_after_the_types_that_it_uses() -> None:
    assert Controller.from_object(Post()).signatures() == (
        "from typing import Any, TypedDict\n"
        "class Address(TypedDict): city: str; tags: list[str]\n"
        "def send(*, to: Address, back: Address | None = ...) -> Any: 'Send a parcel.'; ..."
    )


def test_functions_are_chosen_by_name() -> None:
    _, controller = shop()
    assert (
        controller.signatures("pay").splitlines()[-1]
        == "def pay(*, amount: int) -> Any: 'Pay.'; ..."
    )
    assert controller.signatures(["buy", "pay"]).count("def ") == 2
    with pytest.raises(UnknownFunctionError):
        controller.signatures(["nothing"])


def test_what_a_person_or_the_program_gives_is_left_out() -> None:
    _, controller = shop()
    assert "pin:" not in controller.signatures()
    assert "count:" not in controller.configured(fixed={"$input.count": 1}).signatures("buy")


def test_equal_types_are_written_once_and_others_get_another_name() -> None:
    def body(kind: str) -> dict[str, Any]:
        inner = {"type": "object", "properties": {"n": {"type": kind}}}
        return {"type": "object", "properties": {"body": inner}, "additionalProperties": False}

    controller = controller_of(a=body("string"), b=body("integer"), c=body("string"))
    text = controller.signatures()
    assert text.count("class ") == 2
    assert [line.partition(" ->")[0] for line in text.splitlines()[3:]] == [
        "def a(*, body: Body = ...)",
        "def b(*, body: Body2 = ...)",
        "def c(*, body: Body = ...)",
    ]


HOSTILE = [
    "x: int = __import__('os').system('x')",
    'a"""\nimport os\n"""',
    "a\\",
    "a\u202eb",
    "a\u2028b",
    "class",
    "__class__",
    "1",
    "",
    "list",
    "str",
    "größe",
    "# no",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_source_leaves_its_place(text: str) -> None:
    inner = {"type": "object", "properties": {text: {"const": text}}, "description": text}
    schema = {
        "type": "object",
        "properties": {text: {"enum": [text]}, "own": inner},
        "required": [text],
        "additionalProperties": False,
    }
    functions = [Function.from_schema(name="f", description=f"{text} \n{text}", parameters=schema)]
    written = Controller.from_functions(functions).signatures()
    tree = ast.parse(written)
    assert written.isprintable() or written.replace("\n", "").isprintable()
    kinds = [type(each) for each in tree.body]
    assert kinds[0] is ast.ImportFrom
    assert set(kinds[1:-1]) <= {ast.ClassDef, ast.Assign}
    assert kinds[-1] is ast.FunctionDef
    made = tree.body[-1]
    assert isinstance(made, ast.FunctionDef)
    assert made.name == "f"
    assert len(made.body) <= 2
    called = [each.func for each in ast.walk(tree) if isinstance(each, ast.Call)]
    assert {each.id for each in called if isinstance(each, ast.Name)} <= {"TypedDict"}


def test_names_that_are_no_names_are_spelled_and_can_be_called() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    functions = [
        Function.from_schema(name=name, parameters=schema, handler=lambda n: n)
        for name in ("list-teas", "list_teas", "print", "class")
    ]
    controller = Controller.from_functions(functions)
    tree = ast.parse(controller.signatures())
    names = [each.name for each in tree.body if isinstance(each, ast.FunctionDef)]
    assert names == ["list_teas_", "list_teas", "print", "class_"]
    outcomes = [controller.call(name, {"n": 1}) for name in names]
    assert [each.function for each in outcomes] == ["list-teas", "list_teas", "print", "class"]
    assert [each.value for each in outcomes] == [1, 1, 1, 1]


def test_parameters_keep_their_names() -> None:
    properties = {"a-b": {"type": "integer"}, "from": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": ["a-b"]}
    assert controller_of(f=schema).signatures().splitlines()[1:] == [
        "FArguments = TypedDict('FArguments', {'a-b': int, 'from': NotRequired[str]})",
        "def f(**arguments: Unpack[FArguments]) -> Any: 'One.'; ...",
    ]


def test_a_type_within_itself_has_no_fields() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    schema = {
        "type": "object",
        "properties": {"first": {"$ref": "#/$defs/Node"}},
        "$defs": {"Node": node},
    }
    text = controller_of(f=schema).signatures()
    assert "class Node(TypedDict, total=False): next: dict[str, Any]" in text


def test_stubs_of_a_type_checker_take_what_is_repaired() -> None:
    _, buys = shop()
    text = loose_signatures({each.name: each for each in buys.functions})
    assert "async def buy(*, item: Any, count: float | Decimal | str | None = ..." in text
    assert text.startswith("from collections.abc import Mapping\n")


def test_outputs_are_told() -> None:
    made = Controller.from_object(Post())
    _, buys = shop()
    assert ") -> str: 'Buy something.'; ..." in signatures_of(buys.functions, outputs=True)
    assert ") -> int: 'Send a parcel.'; ..." in signatures_of(made.functions, outputs=True)
