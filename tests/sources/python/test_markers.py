"""Marks in hints."""

import subprocess
import sys
from typing import Annotated

from pydantic import BaseModel, TypeAdapter

from pyfunctools.sources.python.markers import Human, human


def test_a_mark_in_a_field_and_beside_a_reference() -> None:
    class Card(BaseModel):
        number: Annotated[str, human("Its number")]
        owner: Human[str] = "me"

    class Order(BaseModel):
        card: Human[Card]

    schema = TypeAdapter(Order).json_schema()
    assert schema["properties"]["card"] == {"$ref": "#/$defs/Card", "x-human": True}
    assert schema["$defs"]["Card"]["properties"]["number"]["x-human-ask"] == "Its number"
    assert schema["$defs"]["Card"]["properties"]["owner"]["x-human"] is True


def test_marking_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from pyfunctools.sources.python.decorators import function\n"
        "from pyfunctools.sources.python.markers import Human, human\n"
        "class Shop:\n"
        "    @function(tags=['a'])\n"
        "    def buy(self, pin: Human[str]) -> int: ...\n"
        "heavy = {'pydantic', 'jsonschema_rs', 'httpx', 'asyncio', 'yaml'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_human_without_parentheses_is_a_mark() -> None:
    class Card(BaseModel):
        number: Annotated[str, human]
        owner: Annotated[str, Human]
        code: Human[int]
        model: str

    schema = TypeAdapter(Card).json_schema()
    marked = [name for name, inner in schema["properties"].items() if "x-human" in inner]
    assert marked == ["number", "owner", "code"]
    assert TypeAdapter(Annotated[str, human]).json_schema() == {"type": "string", "x-human": True}
