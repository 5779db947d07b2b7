"""The calls in the output of a model, one family of models after another."""

import json
import math
from typing import Any

import pytest

from pyfunctools import Call, Failure, Function, Success, parse_calls
from pyfunctools.errors import DefinitionError

PARIS = ("get_weather", {"city": "Paris"})
DAYS = ("get_weather", {"city": "Paris", "days": 3})
TIME = ("get_time", {})
ROOT = ("math_sqrt", {"value": 2})
JSON = '{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}'
ARGUMENTS = '{"city": "Paris", "days": 3}'

FAMILIES = {
    "a json object": (JSON, [DAYS]),
    "a json list": (f'[{JSON}, {{"name": "get_time", "arguments": {{}}}}]', [DAYS, TIME]),
    "arguments as a text": (
        '{"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}',
        [PARIS],
    ),
    "hermes": (f"<tool_call>\n{JSON}\n</tool_call>", [DAYS]),
    "hermes twice": (
        f'<tool_call>\n{JSON}\n</tool_call>\n<tool_call>\n{{"name": "get_time"}}\n</tool_call>',
        [DAYS, TIME],
    ),
    "hermes with python": (
        "<tool_call>\n{'arguments': {'city': 'Paris', 'days': 3}, 'name': 'get_weather'}\n"
        "</tool_call>",
        [DAYS],
    ),
    "hermes without the last brace": (
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}\n</tool_call>',
        [PARIS],
    ),
    "qwen in thoughts first": (
        "<think>I could use get_weather(city='Rome').</think>\n<tool_call>" + JSON + "</tool_call>",
        [DAYS],
    ),
    "thoughts whose tag was in the prompt": (
        "It is get_weather(city='Rome').\n</think>\n\nget_weather(city='Paris')",
        [PARIS],
    ),
    "llama 3": ('{"name": "get_weather", "parameters": {"city": "Paris"}}', [PARIS]),
    "llama 3 with a token": (
        '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Paris"}}<|eom_id|>',
        [PARIS],
    ),
    "llama 3 separated": (
        '{"name": "get_time", "parameters": {}}; '
        '{"name": "get_weather", "parameters": {"city": "Paris"}}',
        [TIME, PARIS],
    ),
    "llama 3.1 built in": ('<|python_tag|>get_weather.call(city="Paris")', [PARIS]),
    "llama 3.1 custom": (f"<function=get_weather>{ARGUMENTS}</function>", [DAYS]),
    "llama 4": ('<|python_start|>[get_weather(city="Paris")]<|python_end|>', [PARIS]),
    "mistral": (f'[TOOL_CALLS] [{{"name": "get_weather", "arguments": {ARGUMENTS}}}]', [DAYS]),
    "mistral since v11": (f"[TOOL_CALLS]get_weather[ARGS]{ARGUMENTS}", [DAYS]),
    "mistral with a call id": (
        f"[TOOL_CALLS]get_weather[CALL_ID]ab12[ARGS]{ARGUMENTS}[TOOL_CALLS]get_time[ARGS]{{}}",
        [DAYS, TIME],
    ),
    "mistral without a mark": (f"[TOOL_CALLS]get_weather{ARGUMENTS}", [DAYS]),
    "granite": (f"<function_call> {JSON}", [DAYS]),
    "granite 3": (f"<|tool_call|>[{JSON}]", [DAYS]),
    "deepseek v3": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
        + ARGUMENTS
        + "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        [DAYS],
    ),
    "deepseek v3.1": (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{ARGUMENTS}"
        "<｜tool▁call▁end｜><｜tool▁call▁begin｜>get_time<｜tool▁sep｜>{}<｜tool▁call▁end｜>"
        "<｜tool▁calls▁end｜>",
        [DAYS, TIME],
    ),
    "deepseek v3.2": (
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n'
        '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        [DAYS],
    ),
    "glm 4": (f"get_weather\n{ARGUMENTS}", [DAYS]),
    "glm 4.5": (
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n"
        "<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>",
        [DAYS],
    ),
    "functionary 3.2": (f">>>get_weather\n{ARGUMENTS}\n>>>get_time\n{{}}", [DAYS, TIME]),
    "functionary beside text": (f">>>all\nLet me look.\n>>>get_weather\n{ARGUMENTS}", [DAYS]),
    "raven": ("Call: get_weather(city='Paris', days=3); get_time()<bot_end>", [DAYS, TIME]),
    "qwen 3 coder": (
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n"
        "<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
        [DAYS],
    ),
    "seed": (
        "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n"
        "</function>\n</seed:tool_call>",
        [PARIS],
    ),
    "minimax m2": (
        '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris'
        '</parameter>\n<parameter name="days">3</parameter>\n</invoke>\n</minimax:tool_call>',
        [DAYS],
    ),
    "claude": (
        'I will look.\n\n<function_calls>\n<invoke name="get_weather">\n'
        '<parameter name="city">Paris</parameter>\n</invoke>\n</function_calls>',
        [PARIS],
    ),
    "tags of the function's name": (
        "<get_weather>\n<city>Paris</city>\n<days>3</days>\n</get_weather>",
        [DAYS],
    ),
    "kimi k2": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
        f"<|tool_call_argument_begin|>{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>",
        [DAYS],
    ),
    "gpt-oss": (
        "<|channel|>analysis<|message|>Look it up.<|end|><|start|>assistant<|channel|>commentary "
        f"to=functions.get_weather <|constrain|>json<|message|>{ARGUMENTS}<|call|>",
        [DAYS],
    ),
    "gpt-oss, the recipient first": (
        "<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>"
        + ARGUMENTS
        + "<|call|>",
        [DAYS],
    ),
    "react": (f"Thought: look.\nAction: get_weather\nAction Input: {ARGUMENTS}", [DAYS]),
    "react for a function without arguments": ("Action: get_time\nAction Input: {}", [TIME]),
    "react as json": (
        'Action:\n```json\n{"action": "get_weather", "action_input": {"city": "Paris"}}\n```',
        [PARIS],
    ),
    "command r": (
        'Action: ```json\n[{"tool_name": "get_weather", "parameters": {"city": "Paris"}}]\n```',
        [PARIS],
    ),
    "command a": (
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", '
        '"parameters": {"city": "Paris"}}]<|END_ACTION|>',
        [PARIS],
    ),
    "xlam": (f'{{"tool_calls": [{JSON}]}}', [DAYS]),
    "phi 4": (f"functools[{JSON}]", [DAYS]),
    "internlm": (f"<|action_start|><|plugin|>{JSON}<|action_end|>", [DAYS]),
    "nemotron": (f"<TOOLCALL>[{JSON}]</TOOLCALL>", [DAYS]),
    "jamba": (f"<tool_calls>[{JSON}]</tool_calls>", [DAYS]),
    "a response by schema": (
        '{"functionCall": {"name": "get_weather", "args": {"city": "Paris"}}}',
        [PARIS],
    ),
    "parallel tool use": (
        '{"tool_uses": [{"recipient_name": "functions.get_weather", '
        '"parameters": {"city": "Paris"}}]}',
        [PARIS],
    ),
    "a name alone": ('{"name": "get_time"}', [TIME]),
    "a name with an id": ('{"type": "function", "id": "1", "name": "get_time"}', [TIME]),
    "a name as the key": ('{"get_weather": {"city": "Paris"}}', [PARIS]),
    "names as keys": ('{"get_weather": {"city": "Paris"}, "get_time": {}}', [PARIS, TIME]),
    "a name and its arguments": ("[['get_weather', {'city': 'Paris'}]]", [PARIS]),
    "tuples": ("[('get_weather', {'city': 'Paris'}), ('get_time', {})]", [PARIS, TIME]),
    "names between arguments": (
        "['get_weather', {'city': 'Paris'}, 'math.sqrt', {'value': 2}]",
        [PARIS, ROOT],
    ),
    "a list of assignments": ("['get_weather', 'city=Paris', 'days=3']", [DAYS]),
    "a tuple of assignments": ("('get_weather', 'city=\"Paris\"', 'days=3')", [DAYS]),
    "a tuple of assignments and arguments": ("('get_weather', \"city='Paris'\", days=3)", [DAYS]),
    "a list that is half an object": ("['get_weather', 'city': 'Paris', 'days': 3]", [DAYS]),
    "names and arguments in texts": (
        "['get_weather', '(city=\"Paris\", days=3)', 'get_time', '()']",
        [DAYS, TIME],
    ),
    "arguments beside the name": ('{"name": "get_weather", "city": "Paris"}', [PARIS]),
    "fenced json": (f"Here it is:\n\n```json\n{JSON}\n```\nDone.", [DAYS]),
    "json in a sentence": (f"I call {JSON} now.", [DAYS]),
    "the name in a sentence": (f"Use get_weather with:\nget_weather: {ARGUMENTS}", [DAYS]),
    "python": ("get_weather(city='Paris', days=3)", [DAYS]),
    "python in a list": ('[get_weather(city="Paris"), get_time()]', [PARIS, TIME]),
    "python in texts": ("['get_weather(city=\"Paris\")', 'get_time()']", [PARIS, TIME]),
    "python in texts of the same quotes": (
        "['get_weather(city='Paris')', 'get_time()']",
        [PARIS, TIME],
    ),
    "python escaped in a text": ('["get_weather(city=\\"Paris\\", days=3)"]', [DAYS]),
    "python with the name in quotes": ('["get_weather"(city="Paris")]', [PARIS]),
    "python on lines": ("get_time()\nget_weather(city='Paris')", [TIME, PARIS]),
    "python fenced": ("```python\nget_weather(city='Paris')\n```", [PARIS]),
    "tool code": ("```tool_code\nprint(default_api.get_weather(city='Paris'))\n```", [PARIS]),
    "python assigned": ("weather = functions.get_weather(city='Paris')\nprint(weather)", [PARIS]),
    "python awaited": ("result = await get_weather(city='Paris')", [PARIS]),
    "python by position": ("get_weather('Paris', 3)", [DAYS]),
    "python by position and name": ("get_weather('Paris', days=3)", [DAYS]),
    "python of a dict": ('get_weather({"city": "Paris", "days": 3})', [DAYS]),
    "python of a spread dict": ('get_weather(**{"city": "Paris", "days": 3})', [DAYS]),
    "python of assignments in texts": (
        "get_weather('city=Palo Alto, CA', \"days='3'\")",
        [("get_weather", {"city": "Palo Alto, CA", "days": 3})],
    ),
    "python in an expression": (
        "x = api.get_weather(city='(') + 1",
        [("get_weather", {"city": "("})],
    ),
    "python in a list of Markdown": ("- `get_weather(city='Paris')`\nand so on", [PARIS]),
    "python behind a label": ("The call: get_weather(city='Paris')\nis it", [PARIS]),
    "python with a module": ("weather.api.get_weather(city='Paris')", [PARIS]),
    "python with dots for underscores": ("math.sqrt(value=2)", [ROOT]),
    "python with escaped underscores": ("get\\_weather(city='Paris')", [PARIS]),
    "python over lines": ("get_weather(\n    city='Paris',  # where\n    days=3,\n)", [DAYS]),
    "python with json's words": (
        "get_weather(city='Paris', hourly=true, days=null)",
        [("get_weather", {"city": "Paris", "hourly": True})],
    ),
    "python without quotes": (
        "get_weather(city=St. John's, Canada, days=3)",
        [("get_weather", {"city": "St. John's, Canada", "days": 3})],
    ),
    "python with an apostrophe": (
        "get_weather(city='L'Aquila', days=3)",
        [("get_weather", {"city": "L'Aquila", "days": 3})],
    ),
    "python without the last bracket": ("get_weather(city='Paris', days=3\n", []),
    "python in a bold list": ("1. **get_weather(city='Paris')**\n2. **get_time()**", [PARIS, TIME]),
    "python in a sentence": ("I will call `get_weather(city='Paris', days=3)` for you.", [DAYS]),
    "javascript": ('await functions.get_weather({ city: "Paris", days: 3 });', [DAYS]),
    "swift": ('get_weather(city: "Paris", days: 3)', [DAYS]),
    "ruby": ('get_weather(city => "Paris", "days" => 3)', [DAYS]),
    "gemma 4": (
        '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:3}<tool_call|>'
        "<|tool_call>call:get_time{}<tool_call|>",
        [DAYS, TIME],
    ),
    "gemma 4 with a list and an object": (
        '<|tool_call>call:get_weather{city:<|"|>a "b", \\c\n<|"|>,'
        'tags:[<|"|>x, y<|"|>,<|"|>z<|"|>],'
        'options:{a:{b:<|"|>c<|"|>},d:[]}}<tool_call|>',
        [
            (
                "get_weather",
                {
                    "city": 'a "b", \\c\n',
                    "tags": ["x, y", "z"],
                    "options": {"a": {"b": "c"}, "d": []},
                },
            )
        ],
    ),
    "function gemma": (
        "<start_function_call>call:get_weather{city:<escape>Paris<escape>,days:3}"
        "<end_function_call>",
        [DAYS],
    ),
    "json with every quote escaped": (JSON.replace('"', '\\"'), [DAYS]),
    "json in a json text": (json.dumps(JSON), [DAYS]),
    "json on lines": (f'{JSON}\n{{"name": "get_time", "arguments": {{}}}}', [DAYS, TIME]),
    "a quote in a string": (
        '{"name": "get_weather", "arguments": {"city": "the "city""}}',
        [("get_weather", {"city": 'the "city"'})],
    ),
    "gorilla": (
        '<<function>>get_weather(city="Paris")<<function>>get_time()',
        [PARIS, TIME],
    ),
    "names in a numbered list": (f"1. get_weather: {ARGUMENTS}\n2. get_time: {{}}", [DAYS, TIME]),
    "labels": (f"tool_call: get_weather\narguments: {ARGUMENTS}", [DAYS]),
    "glaive": (
        '<functioncall> {"name": "get_weather", "arguments": \'{"city": "Paris", "days": 3}\'}',
        [DAYS],
    ),
    "python labelled": ("Function call: get_weather(city='Paris')", [PARIS]),
    "python and what it means": (
        "[get_weather(city='Paris')]\n\nHere get_weather(city='Rome') would be for Rome, and "
        "`get_weather()` needs a city.",
        [PARIS],
    ),
    "python repeated in an explanation": (
        "First:\nget_weather(city='Paris')\nThen:\nget_time()\n\nTogether they are:\n"
        "[get_weather(city='Paris'), get_time()]",
        [PARIS, TIME],
    ),
    "python twice on purpose": ("get_time(); get_time()", [TIME, TIME]),
    "a call without its parenthesis before the next": (
        "[get_weather(city='Paris', days=3, get_time(), get_weather('Paris')]",
        [DAYS, TIME, PARIS],
    ),
    "lists and python together": (
        "[{'name': 'get_time', 'arguments': {}}, 'get_weather'(city='Paris')]",
        [TIME, PARIS],
    ),
}


OBJECTS = (
    {"name": "get_weather", "arguments": '{"city": "Paris"}'},
    {"function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}},
    {"function": {"name": "get_weather"}, "arguments": {"city": "Paris"}},
    {"type": "function_call", "name": "get_weather", "arguments": '{"city": "Paris"}'},
    {"type": "tool_use", "name": "get_weather", "input": {"city": "Paris"}},
    {"functionCall": {"name": "get_weather", "args": {"city": "Paris"}}},
    {"toolUse": {"name": "get_weather", "input": {"city": "Paris"}}},
    {"type": "custom-tool-call", "name": "get_weather", "input": {"city": "Paris"}},
    {"type": "object", "get_weather": {"city": "Paris"}},
    {"toolName": "get_weather", "args": {"city": "Paris"}},
    {"action": "get_weather", "action_input": {"city": "Paris"}},
    {"tool": "get_weather", "tool_input": {"city": "Paris"}},
    {"recipient_name": "functions.get_weather", "parameters": {"city": "Paris"}},
    {"name": "get_weather", "parameters": {"city": "Paris"}},
    {"name": "get_weather", "city": "Paris"},
    {"get_weather": {"city": "Paris"}},
    ["get_weather", {"city": "Paris"}],
    [[{"plan": {"calls": [{"get_weather": {"city": "Paris"}}]}}]],
)
FRONTS = (
    "get_weather\n",
    "get_weather ",
    "get_weather: ",
    "**get_weather**\n",
    "- get_weather: ",
    "x.get_weather\n```json\n",
    "<|tool_call|>get_weather\n",
    "'get_weather', ",
    "get\\_weather = ",
)
TEXTS = [
    *(json.dumps(each) for each in OBJECTS),
    *(f'{each}{{"city": "Paris"}}' for each in FRONTS),
]


def right_calls(calls: list[Call]) -> list[tuple[str, object]]:
    return [(call.name, call.arguments) for call in calls if call.result]


@pytest.mark.parametrize(("raw", "meant"), FAMILIES.values(), ids=FAMILIES)
def test_the_calls_of_each_family_are_found(
    raw: str, meant: list[object], functions: list[Function]
) -> None:
    calls = parse_calls(raw, functions)
    assert right_calls(calls) == meant
    assert all(call.span and raw[slice(*call.span)].strip() for call in calls)


@pytest.mark.parametrize("raw", TEXTS)
def test_an_object_is_a_call_or_its_arguments(raw: str, functions: list[Function]) -> None:
    assert right_calls(parse_calls(raw, functions)) == [PARIS]


@pytest.mark.parametrize("front", ["<function=run>", "[TOOL_CALLS]run[ARGS]", "run\n"])
@pytest.mark.parametrize(
    "arguments", [{"name": "a", "arguments": {"b": 1}}, {"get_time": {}}, {"get_time": "now"}]
)
def test_arguments_may_look_like_another_call(
    front: str, arguments: dict[str, object], functions: list[Function]
) -> None:
    properties = {"name": {}, "arguments": {}, "get_time": {}}
    run = Function.from_schema(name="run", parameters={"type": "object", "properties": properties})
    calls = parse_calls(front + json.dumps(arguments), [*functions, run])
    assert right_calls(calls) == [("run", arguments)]


@pytest.mark.parametrize(
    ("text", "city"),
    [
        ("```json\n{}\n```", "Paris"),
        ("<tool_call>\n{}\n</tool_call>", "], <b>x</b> </i>"),
        ("{}}}", "see [/x], <b>x</b>"),
    ],
)
def test_a_bracket_may_lack_before_the_end_of_a_fence_or_a_tag(
    text: str, city: str, functions: list[Function]
) -> None:
    written = json.dumps({"name": "get_weather", "arguments": {"city": city, "tags": ["a"]}})
    calls = parse_calls(text.replace("{}", written[:-1]), functions)
    assert right_calls(calls) == [("get_weather", {"city": city, "tags": ["a"]})]


@pytest.mark.parametrize(
    "city", ["I cannot", "Should I call it?", 'it"s', '5" wide', "> q", "never."]
)
@pytest.mark.parametrize(
    "form",
    [
        "<function=get_weather>{}</function><function=get_weather>{}</function>",
        "[TOOL_CALLS]get_weather[ARGS]{}[TOOL_CALLS]get_weather[ARGS]{}",
        "So: [get_weather(**{}), get_weather(**{}), get_weather(**{})]",
    ],
)
def test_a_call_says_nothing_of_the_next_one(
    city: str, form: str, functions: list[Function]
) -> None:
    written = [{"city": city}, {"city": f"{city} > 2"}, {"city": "x"}][: form.count("{}")]
    raw = form.replace("{}", "%s") % tuple(json.dumps(each) for each in written)
    assert right_calls(parse_calls(raw, functions)) == [("get_weather", each) for each in written]


@pytest.mark.parametrize("first", [{}, {"type": "array", "items": {}}, {"type": "string"}])
def test_an_empty_object_is_the_object_of_all_arguments(first: dict[str, object]) -> None:
    f = Function.from_schema(name="f", parameters={"type": "object", "properties": {"a": first}})
    assert right_calls(parse_calls("f({})", [f])) == [("f", {})]


def test_a_type_may_be_an_argument_beside_the_name(functions: list[Function]) -> None:
    properties = {"type": {"type": "string"}}
    find = Function.from_schema(
        name="find", parameters={"type": "object", "properties": properties}
    )
    (call,) = parse_calls('{"name": "find", "type": "document"}', [find])
    assert call.arguments == {"type": "document"}
    inside = {"type": "mcp_call", "name": "find", "arguments": {"type": "document"}}
    assert parse_calls(json.dumps(inside), [find]) == []
    assert parse_calls('{"type": "mcp_call", "id": "1", "name": "get_time"}', functions) == []


def test_calls_in_the_arguments_of_a_call_are_its_arguments(functions: list[Function]) -> None:
    options = {"name": "get_time", "arguments": {}}
    value = {"name": "get_weather", "arguments": {"city": "Paris", "options": options}}
    (call,) = parse_calls(json.dumps(value), functions)
    assert call.arguments == {"city": "Paris", "options": options}


def test_a_call_of_an_unknown_function_depends_on_its_form(functions: list[Function]) -> None:
    for text, count in (
        ("fly(to='Mars')", 1),
        ("[fly(to='Mars'), get_time()]", 2),
        ("Then:\nfly(to='Mars')\nwould do.", 0),
        ("Then:\nget_weathr(city='x')\nwould do.", 1),
        ("I fly (see get_time).", 0),
        ("print('x')", 0),
        ("fly(somewhere)", 0),
        ('It is {"name": "fly", "arguments": {}} there.', 1),
        ('It is {"name": "Widget", "parameters": {"size": 3}} there.', 0),
    ):
        assert len(parse_calls(text, functions)) == count, text


NO_CALLS = {
    "nothing": "",
    "space": " \n\t ",
    "an answer": "It is 21 degrees in Paris.",
    "a name": "The get_weather function gives the weather of a city.",
    "a name in quotes": "You could use `get_weather` with the city, or 'get_time'.",
    "a name with brackets": "The function get_weather() gives the weather, get_time() the time.",
    "a form": "Use get_weather(city, days) for that.",
    "a form with types": "get_weather(city: str, days: int = 3) -> dict",
    "a form with types alone": "get_weather(city: str)",
    "a form with a gap": "get_weather(...)",
    "a form in a fence": "```python\nget_weather(city)\n```",
    "a definition": "def get_weather(city='Paris', days=3):\n    return 21",
    "an asynchronous definition": "async def get_weather(city='Paris'):\n    pass",
    "a definition in another language": "function get_weather(city='Paris') { return 21 }",
    "a call with variables": "city = find_city()\nget_weather(city=city)",
    "a call in a loop": "for town in towns:\n    get_weather(city=town)",
    "data": '{"city": "Paris", "days": 3}',
    "data with a name": '{"name": "Alice", "age": 30}',
    "a list of data": '[{"id": 1, "title": "x"}, {"id": 2, "title": "y"}]',
    "numbers": "[1, 2, 3]",
    "names only": '["get_weather", "get_time"]',
    "other code": "```python\nimport math\nx = math.floor(2.5)\nprint(x)\n```",
    "a name alone": '{"name": "get_weather"} is what it is called.',
    "a description": json.dumps(
        {
            "name": "get_weather",
            "description": "The weather.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        }
    ),
    "a schema": '{"name": "get_weather", "parameters": {"type": "object", "properties": {}}}',
    "a result for the assistant": (
        "<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>"
        '{"temperature": 21}<|end|>'
    ),
    "a result in tags": f"<tool_response>{JSON}</tool_response>",
    "a message for all": '>>>all\n{"a": 1}',
    "a result": 'get_weather returned {"temperature": 21}.',
    "thoughts": "<think>get_weather(city='Paris')</think>It is warm.",
    "thoughts in a channel": (
        "<|channel|>analysis<|message|>So get_weather(city='Paris').<|end|>"
        "<|start|>assistant<|channel|>final<|message|>It is warm."
    ),
    "thoughts in brackets": "[THINK]get_weather(city='Paris')[/THINK]It is warm.",
    "unended thoughts": "<think>\n<tool_call>" + JSON + "</tool_call>",
    "a form with a spread name": "get_weather(**options)\nget_weather(*places)",
    "a list with a word": "['get_weather', 'city=x', 'y']",
    "brackets of prose": "[1] [see below] {name} (a) [",
    "prose in brackets": "get_weather(a b\n\nc",
    "texts in a list": "['get_weather', 'x', 'y']",
    "a list of nobody's name": "['fly', 'to=Mars']",
    "a scalar for arguments": '{"get_weather": 21}',
    "a call of another's server": '{"type": "mcp_call", "name": "get_weather", "arguments": {}}',
    "a call that the vendor runs": (
        '{"type": "server_tool_use", "name": "get_weather", "input": {"city": "Paris"}}'
    ),
    "a block of a type that no model writes": (
        '{"type": "remote_run", "name": "get_weather", "arguments": {"city": "Paris"}}'
    ),
    "a message of a tool": '{"role": "tool", "name": "get_weather", "content": "21"}',
    "an output": '{"type": "function_call_output", "call_id": "1", "output": "get_time()"}',
    "arguments alone": '{"city": "Paris"}',
    "arguments behind a label": 'The answer: {"city": "Paris"}',
    "what a function gave": 'get_weather gave {"city": "Paris"}',
    "another spelling in a sentence": 'My Get_weather: {"city": "Paris"}',
    "arguments in a fence": '```json\n{"city": "Paris"}',
    "other arguments in a sentence": 'It is of get_weather: {"temperature": 21}',
    "tags": "<p> <b>get_time</b> <get_weather>Paris</get_weather> <function=f> <city><x>",
    "an action of nobody": "Action: Finish\nAction Input: 21",
    "an action without input": "Action: search",
    "brackets": "((()))[[[]]]{{{}}}",
    "markdown": "See [get_weather](https://example.org/get_weather) (city='Paris').",
}


EMPTY = [None, b"", [], {}, (), 42, 1.5, True, math.nan, "\ufeff", b"\xff\xfe", "\ud800"]


@pytest.mark.parametrize("raw", [*NO_CALLS.values(), *EMPTY], ids=[*NO_CALLS, *map(repr, EMPTY)])
def test_what_only_mentions_a_function_is_no_call(raw: object, functions: list[Function]) -> None:
    assert parse_calls(raw, functions) == []


@pytest.mark.parametrize(
    "raw",
    [
        "get_wether(city='Paris')",
        "[get_wether(city='Paris')]",
        "Here you are:\n\nget_wether(city='Paris')\n",
        '{"name": "get_wether", "arguments": {"city": "Paris"}}',
        '<tool_call>{"name": "get_wether", "parameters": {"city": "Paris"}}</tool_call>',
        '<function=get_wether>{"city": "Paris"}</function>',
        '<invoke name="get_wether"><parameter name="city">Paris</parameter></invoke>',
        'get_wether\n{"city": "Paris"}',
        [{"get_wether": '{"city": "Paris"}'}],
        [{"type": "tool_use", "id": "1", "name": "get_wether", "input": {"city": "Paris"}}],
    ],
)
def test_a_name_of_no_function_is_a_failure_with_close_names(
    raw: object, functions: list[Function]
) -> None:
    (call,) = parse_calls(raw, functions)
    assert (call.name, call.arguments) == ("get_wether", {"city": "Paris"})
    assert isinstance(call.result, Failure)
    assert "get_weather" in call.result.issues[0].message
    assert "get_weather" in call.result.issues[0].expected
    assert "get_weather" in call.result.feedback()


def test_an_unknown_call_beside_a_known_one_is_a_failure(functions: list[Function]) -> None:
    first, second = parse_calls("[get_time(), fly_away(to='Mars')]", functions)
    assert first.result
    assert (second.name, second.arguments, bool(second.result)) == (
        "fly_away",
        {"to": "Mars"},
        False,
    )


def test_an_ambiguous_last_part_means_no_function() -> None:
    both = [Function.from_schema(name=name, parameters={"type": "object"}) for name in ("b", "a_b")]
    (call,) = parse_calls("x.a.b()", both)
    assert isinstance(call.result, Failure)
    assert call.name == "x.a.b"
    assert [call.name for call in parse_calls("x.y.b()", both)] == ["b"]


def test_the_last_part_of_a_name_is_enough_if_it_is_unique_and_the_arguments_are_valid() -> None:
    schema = {"type": "object", "properties": {"pair": {"type": "string"}}}
    names = ("currency_get_rate", "tax_get_rates", "bank_get_all", "shop_get_all")
    functions = [Function.from_schema(name=name, parameters=schema) for name in names]
    for raw in ("get_rate(pair='EURUSD')", '{"name": "get_rate", "arguments": {"pair": "EURUSD"}}'):
        (call,) = parse_calls(raw, functions)
        assert (call.name, bool(call.result)) == ("currency_get_rate", True)
    for raw in ("get_rate(money=1)", "get_all(pair='x')", "x.get_rate(pair='x')", "rate(pair='x')"):
        (call,) = parse_calls(raw, functions)
        assert isinstance(call.result, Failure)
        assert call.name == raw.partition("(")[0]


@pytest.mark.parametrize(
    ("raw", "arguments", "path"),
    [
        ("get_weather(city='Paris', days=soon)", {"city": "Paris", "days": "soon"}, "$input.days"),
        ("get_weather(city='Paris', days=5*x)", {"city": "Paris", "days": "5*x"}, "$input.days"),
        ("get_weather(days=3)", {"days": 3}, "$input.city"),
        ("get_weather('Paris', city='Rome')", {"city": "Rome"}, "$input.city"),
        ("get_weather(city='Paris', city='Rome')", {"city": "Paris"}, "$input.city"),
        ("get_weather(city=<the city>)", {"city": "<the city>"}, "$input.city"),
        ("get_weather(city=undefined)", {"city": "undefined"}, "$input.city"),
        ("get_weather(city={a b: c})", {"city": "{a b: c}"}, "$input.city"),
        ("get_weather(city=[c for c in x])", None, "$input.city"),
        ("get_weather(set(city='x'))", {"city": "set(city='x')"}, "$input.city"),
        ('get_weather(city=f"{home}")', {"city": 'f"{home}"'}, "$input.city"),
        ("get_weather(city='Par", {"city": "Par"}, "$input.city"),
        ("get_weather(city='Paris', days=1", {"city": "Paris", "days": 1}, "$input.days"),
        ('{"name": "get_weather", "arguments": {"city": "Par', {"city": "Par"}, "$input.city"),
        (
            '{"name": "get_weather", "arguments": {"city": "Paris", "city": "Rome"}}',
            None,
            "$input.city",
        ),
        ("get_weather(city='x', **{'city': 'y'})", {"city": "x"}, "$input.city"),
        ("get_weather(city='Paris' days=3)", {"city": "'Paris' days=3"}, "$input.city"),
        ("get_weather(city=Paris; days=3)", {"city": "Paris; days=3"}, "$input.city"),
        ("get_weather(city=Paris;days=3)", {"city": "Paris;days=3"}, "$input.city"),
        ("get_weather('Paris' 3)", {"city": "'Paris' 3"}, "$input.city"),
    ],
)
def test_arguments_that_are_wrong_are_a_failure_that_keeps_them(
    raw: object, arguments: object, path: str, functions: list[Function]
) -> None:
    (call,) = parse_calls(raw, functions)
    assert isinstance(call.result, Failure)
    assert path in [issue.path for issue in call.result.issues]
    assert call.arguments == call.result.value
    assert isinstance(call.arguments, dict)
    if arguments is not None:
        assert call.arguments == arguments


def test_a_call_in_the_arguments_of_another_is_an_argument(functions: list[Function]) -> None:
    (call,) = parse_calls("get_weather(city=get_time(), days=3)", functions)
    assert isinstance(call.result, Failure)
    assert call.result.issues[0].path == "$input.city"
    assert "get_time()" in call.result.issues[0].message


def test_the_schema_decides_how_a_value_is_read(functions: list[Function]) -> None:
    (call,) = parse_calls("math_sqrt(value='2.5', version=1.10)", functions)
    assert call.arguments == {"value": 2.5, "version": "1.10"}
    (call,) = parse_calls(
        '{"name": "math_sqrt", "arguments": {"value": 2, "version": 1.10}}', functions
    )
    assert call.arguments == {"value": 2, "version": "1.10"}
    assert call.result
    (call,) = parse_calls("get_weather(city='Paris', unit='Celsius', tags='a')", functions)
    assert call.arguments == {"city": "Paris", "unit": "celsius", "tags": ["a"]}
    assert {repair.kind for repair in call.repairs} == {"constant", "item"}
    assert isinstance(call.result, Success)
    assert call.repairs == call.result.repairs


@pytest.mark.parametrize(
    "raw",
    ["get_weather(city='Paris')", '{"name": "get_weather", "arguments": {"city": "Paris"}}'],
)
@pytest.mark.parametrize(("front", "back"), [("", ""), ("Well:\n", "\nSo be it."), ("\ufeff", "")])
def test_the_span_is_the_place_of_the_call(
    raw: str, front: str, back: str, functions: list[Function]
) -> None:
    text = front + raw + back
    (call,) = parse_calls(text, functions)
    assert call.span is not None
    assert text[slice(*call.span)] == raw
    (call,) = parse_calls(text.encode(), functions)
    assert call.span is not None
    assert text[slice(*call.span)] == raw


def test_each_of_several_calls_has_its_own_span(functions: list[Function]) -> None:
    text = f'[{{"name": "get_time", "arguments": {{}}}}, {JSON}]'
    spans = [text[slice(*call.span)] for call in parse_calls(text, functions) if call.span]
    assert [json.loads(span)["name"] for span in spans] == ["get_time", "get_weather"]


def test_more_than_1000_calls_end_in_a_failure_that_reports_the_limit(
    functions: list[Function],
) -> None:
    days = [JSON.replace("3", str(number)) for number in range(1_500)]
    for raw in (
        "get_time()\n" * 1_500,
        [{"get_time": "{}"}] * 1_500,
        "".join(map("[{}]".format, days)),
    ):
        calls = parse_calls(raw, functions)
        assert len(calls) == 1_001
        assert all(call.result for call in calls[:-1])
        assert isinstance(calls[-1].result, Failure)
        assert "1000" in calls[-1].result.issues[0].message
    assert len(parse_calls("get_time()\n" * 1_000, functions)) == 1_000


@pytest.mark.parametrize(
    "raw",
    [
        b'get_weather(city="\xff")',
        'get_weather(city="\ud800")',
        '{"name": "get_weather", "arguments": {"city": "\ud800"}}',
        '{"name": "get_weather", "arguments": {"city": "x", "days": NaN}}',
        "get_weather(city='x', days=" + "9" * 5_000 + ")",
        '{"name": "get_weather", "arguments": {"city": "x", "days": ' + "9" * 5_000 + "}}",
        [{"name": "get_weather", "input": {"city": "x", "days": math.inf}}],
        [{"name": "get_weather", "input": {"city": "x", "options": {"a": object()}}}],
        [{"name": "get_weather", "arguments": '{"city": "\ud800"}'}],
        [{"name": "get_weather", "arguments": "nothing"}],
        [{"name": "get_weather", "arguments": 42}],
    ],
)
def test_what_is_not_json_is_a_failure(raw: object, functions: list[Function]) -> None:
    calls = parse_calls(raw, functions)
    assert [(call.name, bool(call.result)) for call in calls] == [("get_weather", False)]


@pytest.mark.parametrize("functions", [None, 7, ["get_weather"], {"get_weather": 1}, [None]])
def test_an_item_that_is_not_a_function_is_an_error(functions: Any) -> None:
    with pytest.raises(DefinitionError, match=r"must be (only `Function`s|functions)"):
        parse_calls("get_time()", functions)


def test_functions_may_be_any_iterable_and_nothing_given_is_changed(
    functions: list[Function],
) -> None:
    raw = [{"name": "get_weather", "input": {"city": "Paris", "days": "3"}}]
    assert right_calls(parse_calls(raw, iter(functions))) == [DAYS]
    assert raw == [{"name": "get_weather", "input": {"city": "Paris", "days": "3"}}]
    (call,) = parse_calls(raw, [])
    assert isinstance(call.result, Failure)
