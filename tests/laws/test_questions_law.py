"""The laws of questions: the answers of a form merge, and no question asks for a fixed value."""

import json
from dataclasses import asdict
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from laws import law

from pyfunctools import Controller, Function

FIXED = "FIXED-7f3a"
SCALARS: list[tuple[dict[str, Any], list[tuple[str, Any]]]] = [
    ({"type": "string"}, [("x", "x"), ("3", "3"), ("null", "null"), (" a\tb", " a\tb")]),
    ({"type": "integer"}, [("3", 3), (" +4 ", 4), ("-7", -7)]),
    ({"type": "number"}, [("1.5", 1.5), ("1e3", 1000.0), ("2", 2)]),
    ({"type": "boolean"}, [("on", True), ("no", False), ("TRUE", True)]),
    ({"enum": ["Red", "green", 3]}, [("red", "Red"), ("GREEN", "green"), ("3", 3)]),
    ({"type": "string", "format": "date"}, [("2025-01-31", "2025-01-31")]),
    ({"type": ["integer", "null"]}, [("3", 3), ("", None)]),
    ({"type": "array", "items": {"type": "integer"}}, [("1\n2", [1, 2]), ("[3]", [3]), ("", [])]),
    ({"type": "array", "items": {"enum": ["a", "b"]}}, [("a", ["a"])]),
    ({"type": "object", "additionalProperties": True}, [('{"a": [1]}', {"a": [1]})]),
]


class RandomForm:
    """A random schema, the model's part, the answers of a form, and the whole value of both."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.form: dict[str, str] = {}
        self.schema, self.llm, self.whole = self._object("$input", 3)

    def _object(self, path: str, depth: int) -> tuple[dict[str, Any], Any, Any]:
        properties: dict[str, Any] = {}
        llm: dict[str, Any] = {}
        whole: dict[str, Any] = {}
        if depth:  # a part of the model makes each object mixed
            properties["m"], llm["m"], whole["m"] = {"type": "integer"}, 1, 1
        for name in self._random.sample("abcdef", self._random.randint(1, 4)):
            kind = self._random.choice(
                ["llm", "human", "mixed", "rows"] if depth > 1 else ["human"]
            )
            inner = f"{path}.{name}"
            if kind == "human":
                properties[name], whole[name] = self._human_part(inner, depth)
            elif kind == "llm":
                properties[name], llm[name] = {"type": "integer"}, self._random.randint(0, 9)
                whole[name] = llm[name]
            elif kind == "mixed":
                properties[name], llm[name], whole[name] = self._object(inner, depth - 1)
            else:
                state, made = self._random.getstate(), []
                for n in range(self._random.randint(1, 3)):
                    self._random.setstate(state)  # one schema for all items
                    made.append(self._object(f"{inner}[{n}]", depth - 1))
                properties[name] = {"type": "array", "items": made[0][0]}
                llm[name] = [each[1] for each in made]
                whole[name] = [each[2] for each in made]
        schema = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        return schema, llm, whole

    def _human_part(self, path: str, depth: int) -> tuple[dict[str, Any], Any]:
        schema, answers = self._random.choice(SCALARS)
        if depth and self._random.random() < 0.2:  # a list of objects, all human
            count = self._random.randint(0, 2)
            self.form[path] = str(count)
            values: list[Any] = []
            for n in range(count):
                self.form[f"{path}[{n}].v"], value = answers[-1]
                values.append({"v": value})
            item = {"type": "object", "properties": {"v": schema}, "required": ["v"]}
            return {"type": "array", "items": item, "x-human": True}, values
        self.form[path], value = self._random.choice(answers)
        return {**schema, "x-human": True}, value

    def controller(self, schema: dict[str, Any]) -> Controller:
        made = Function.from_schema(name="f", parameters=schema, handler=lambda **given: given)
        return Controller.from_functions([made])


def models_part(made: RandomForm, controller: Controller) -> Any:
    """Return the model's part of the whole value."""
    separated = controller["f"].separated
    return made.llm if separated is None else separated.split(made.whole)[0]


@law(100)
@given(seed=st.integers(0, 2**48))
def test_the_answers_of_a_form_merge_to_their_values(seed: int) -> None:
    made = RandomForm(seed)
    controller = made.controller(made.schema)
    wrote = models_part(made, controller)
    outcome = controller.call("f", wrote, human=made.form)
    assert (outcome.reason, outcome.value) == (None, made.whole), outcome
    waits = controller.call("f", wrote)
    if waits.waiting is not None:
        asked = {each.path for each in waits.waiting.questions if each.required}
        assert asked <= set(made.form)


@law(100)
@given(seed=st.integers(0, 2**48))
def test_a_fixed_value_is_in_no_question_and_cannot_be_set(seed: int) -> None:
    made = RandomForm(seed)
    place = {"type": "string", **({"x-human": True} if seed % 2 else {})}
    schema = {**made.schema, "properties": {**made.schema["properties"], "fixed": place}}
    schema["required"] = [*made.schema["required"], "fixed"]
    controller = made.controller(schema).configured(fixed={"$input.fixed": FIXED})
    wrote = models_part(made, controller)
    outcome = controller.call("f", wrote, human=made.form)
    assert outcome.value == {**made.whole, "fixed": FIXED}
    waits = controller.call("f", wrote)
    questions = [] if waits.waiting is None else [asdict(each) for each in waits.waiting.questions]
    function = controller["f"]
    human = None if function.separated is None else function.separated.human
    assert "fixed" not in json.dumps([questions, function.llm, human])
    assert FIXED not in json.dumps([questions, function.llm, human])
    if human is None:
        return  # without a human part the values are ignored, as in a turn
    for smuggled in ({**wrote, "fixed": "evil"}, wrote):
        gave = made.form if smuggled is not wrote else {**made.form, "$input.fixed": "evil"}
        refused = controller.call("f", smuggled, human=gave)
        assert not refused.ok
        assert FIXED not in refused.text
