"""Whether a call that was found is right: its function, and its arguments as that wants them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from pyfunctools._json import JsonObject, JsonValue, members_of
from pyfunctools._text import shortened, visible
from pyfunctools.errors import UnknownFunctionError
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.prompting.calls.arguments import WrittenArguments, is_expression, keyed, number_of
from pyfunctools.prompting.calls.found import Found, Piece
from pyfunctools.prompting.calls.json_calls import recovered
from pyfunctools.prompting.calls.names import FunctionNames
from pyfunctools.record.function import Function, contract_of
from pyfunctools.schema.checker import truncated
from pyfunctools.schema.ground.path import Keys, Path, value_at
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.schema.parsing.parse import parse_at
from pyfunctools.schema.result import Failure, Issue, Repair, Success

_NO_VALUE: Final = frozenset(
    {"NaN", "Infinity", "-Infinity", "+Infinity", "undefined", "inf", "nan"}
)
_ESCAPED: Final = "\\_"
_OPENING: Final = ("{", "[")
_GAPS: Final = re.compile(r"\.\.\.|<|[rR]?[fF][rR]?[\"']|(?:dict|list|set|tuple)\(|\{\{")
"""What begins a placeholder, a text with gaps, or a value that only a program can make."""
_BRACKET: Final = re.compile(r"[()\[\]{}\"']")
"""What a comma may stand inside of."""
_ROOT: Final = Path.of(())


def judged(found: Found, names: FunctionNames) -> Success[JsonValue] | Failure:
    """Return the arguments of a call, coerced and checked, or how far that went and what is wrong.

    A call that may not be whole is a failure whatever it says.
    """
    repairs: list[Repair] = []
    if found.escaped:
        found = _unescaped(found, repairs)
    if found.beside and isinstance(found.arguments, dict):
        for key, value in found.beside.items():
            repairs.append(Repair(path=Path.of((key,)), kind="place", before=None, after=value))
        found = replace(found, arguments={**found.arguments, **found.beside})
    result = _judged(found, names)
    if repairs:
        result = replace(result, repairs=(*repairs, *result.repairs))
    if result and result.repairs:
        result = _refused(result)
    return cut_off(result) if found.cut else result


def cut_off(result: Success[JsonValue] | Failure) -> Failure:
    """Return the failure of a call that may not be whole, whatever came of reading it."""
    issue = Issue(
        path=_ROOT,
        expected="the whole call: the response was cut off in it",
        value=None,
        message="The response was cut off here, so that this call may not be whole.",
    )
    issues = () if result else result.issues
    return Failure(value=result.value, issues=(issue, *issues), repairs=result.repairs)


def _refused(result: Success[JsonValue]) -> Success[JsonValue] | Failure:
    """Return a failure where a text without quotes was read that is no text."""
    words = [each for each in result.repairs if each.kind == "word"]
    issues = [
        issue
        for each in words
        if (issue := _no_value(str(each.before), each.path.keys, doubtful=False)) is not None
    ]
    if not issues:
        return result
    return Failure(value=result.value, issues=tuple(issues), repairs=result.repairs)


def _judged(found: Found, names: FunctionNames) -> Success[JsonValue] | Failure:
    function = found.function
    arguments = found.arguments
    if function is None:
        return _unknown(found, names)
    if isinstance(arguments, WrittenArguments):
        return _written(found, arguments, function)
    if isinstance(arguments, str):
        return _text(arguments, function, found.piece)
    value: JsonValue = {} if arguments is None else arguments
    keys = found.keys
    if isinstance(value, list) and not value:
        value = {}
    elif isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        value, keys = value[0], (*keys, 0)
    if found.piece is None:
        return function.check(value)
    return _piece(found.piece, keys, value, function, found.beside)


def _unescaped(found: Found, repairs: list[Repair]) -> Found:
    r"""Return a call of a text that is written for Markdown, with `_` for `\_` in its arguments."""
    arguments = found.arguments
    if isinstance(arguments, WrittenArguments):
        values = {key.replace(_ESCAPED, "_"): _plain(v) for key, v in arguments.values.items()}
        positional = [_plain(value) for value in arguments.positional]
        changed = values != arguments.values or positional != arguments.positional
        arguments = replace(arguments, values=values, positional=positional)
    else:
        changed = arguments != (arguments := _plain(arguments))
    if changed:
        repairs.append(Repair(path=_ROOT, kind="escape", before=_ESCAPED, after="_"))
    return replace(found, arguments=arguments)


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return value.replace(_ESCAPED, "_")
    if isinstance(value, dict):
        return {key.replace(_ESCAPED, "_"): _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _unknown(found: Found, names: FunctionNames) -> Failure:
    written = visible(shortened(found.name, 64))
    close = names.close(found.name)
    arguments = found.arguments
    value: JsonValue
    if isinstance(arguments, WrittenArguments):
        value = dict(arguments.values) or list(arguments.positional) or {}
    elif isinstance(arguments, str):
        read = parse_at(arguments, None)
        value = read.value
    else:
        value = {} if arguments is None else arguments
    issue = Issue(
        path=_ROOT,
        expected="a call of " + (" or ".join(close) if close else "a function that there is"),
        value=written,
        message=str(UnknownFunctionError(written, close)),
    )
    return Failure(value=value, issues=(issue,))


def _text(text: str, function: Function, piece: Piece | None) -> Success[JsonValue] | Failure:
    """Judge arguments that are a text, JSON as a rule."""
    if not text.strip():
        return function.check({})
    result = function.check(text)
    if result or not isinstance(result.value, str):
        return result
    names = list(_properties(function))
    if len(names) == 1 and text.lstrip()[:1] not in ("{", "["):
        alone = function.check({names[0]: text})
        return alone or result
    start = max(text.find("{"), 0)
    if len(text) <= DEFAULT_LIMITS.text and text.startswith("{", start):
        part, _ = recovered(text, start, len(text), sure=True)
        if isinstance(part, dict):
            value = function.coerce(part).value
            return Failure(value=value, issues=result.issues, repairs=result.repairs)
    return result


def _piece(
    piece: Piece,
    keys: Keys,
    value: JsonValue,
    function: Function,
    beside: Mapping[str, JsonValue] | None,
) -> Success[JsonValue] | Failure:
    """Judge arguments that stand in JSON, which is read again as the schema has it if need be."""
    result = _joined(function, value, keys, piece.repairs, piece.issues)
    if result:
        return result
    schema: JsonValue = contract_of(function).llm
    for key in reversed(keys):
        if isinstance(key, int):
            schema = {"type": "array", "prefixItems": [*[True] * key, schema]}
        else:
            schema = {"type": "object", "properties": {key: schema}}
    definitions = {"$defs": contract_of(function).llm.get("$defs", {})}
    wrapper = Outline({**schema, **definitions} if isinstance(schema, dict) else definitions)
    again = parse_at(piece.text, lambda: wrapper.place)
    inner = value_at(again.value, keys) if again else None
    if inner is None:
        return _computed_piece(piece, keys, value, function) or result
    read = {**inner[0], **beside} if beside and isinstance(inner[0], dict) else inner[0]
    other = _joined(function, read, keys, again.repairs, ())
    return other if other or piece.issues else result


def _computed_piece(
    piece: Piece, keys: Keys, value: JsonValue, function: Function
) -> Success[JsonValue] | None:
    """Judge arguments in JSON with arithmetic in the place of numbers."""
    texts = {
        path.keys: issue.value
        for issue in piece.issues
        if isinstance(issue.value, str) and (path := _within(issue.path.keys, keys)) is not None
    }
    computed = _computed(value, texts)
    if computed is None or len(texts) < len(piece.issues):
        return None
    changed, repairs = computed
    return _concluded(function, changed, repairs, []) or None


def _computed(value: JsonValue, texts: Mapping[Keys, str]) -> tuple[JsonValue, list[Repair]] | None:
    """Return a value with the numbers that the texts at some places say, if all say one."""
    repairs: list[Repair] = []
    for keys, text in texts.items():
        number = number_of(text)
        if number is None:
            return None
        value = _with(value, keys, number)
        repairs.append(Repair(path=Path.of(keys), kind="number", before=text, after=str(number)))
    return (value, repairs) if repairs else None


def _with(value: JsonValue, keys: Keys, inner: JsonValue) -> JsonValue:
    """Return a value with another at one place."""
    if not keys:
        return inner
    first, rest = keys[0], keys[1:]
    if isinstance(value, dict):
        return {k: _with(v, rest, inner) if k == first else v for k, v in value.items()}
    if isinstance(value, list):
        return [_with(v, rest, inner) if n == first else v for n, v in enumerate(value)]
    return value


def _joined(
    function: Function,
    value: JsonValue,
    keys: Keys,
    repairs: Iterable[Repair],
    issues: Iterable[Issue],
) -> Success[JsonValue] | Failure:
    """Check a value; return with it the repairs and the issues of reading it."""
    mine = [
        Repair(path=path, kind=repair.kind, before=repair.before, after=repair.after)
        for repair in repairs
        if (path := _within(repair.path.keys, keys)) is not None
    ]
    wrong = [
        Issue(path=path, expected=issue.expected, value=issue.value, message=issue.message)
        for issue in issues
        if (path := _within(issue.path.keys, keys)) is not None
    ]
    return _concluded(function, value, mine, wrong)


def _within(path: Keys, keys: Keys) -> Path | None:
    """Return a path as seen from the arguments; the root for what is on the way to them."""
    if path[: len(keys)] == keys:
        return Path.of(path[len(keys) :])
    return _ROOT if keys[: len(path)] == path else None


def _concluded(
    function: Function, value: JsonValue, repairs: list[Repair], issues: list[Issue]
) -> Success[JsonValue] | Failure:
    result = function.check(value)
    made = (*repairs, *result.repairs)
    cut = [repair for repair in repairs if repair.kind == "truncated"]
    if cut:
        issues = [*truncated(result.value, cut, made).issues, *issues]
    if issues:
        more = () if result else result.issues
        return Failure(value=result.value, issues=(*issues, *more), repairs=made)
    if not repairs:
        return result
    if result:
        return Success(value=result.value, repairs=made)
    return Failure(value=result.value, issues=result.issues, repairs=made)


def _written(
    found: Found, arguments: WrittenArguments, function: Function
) -> Success[JsonValue] | Failure:
    """Judge the arguments of a call in Python or in tags."""
    names = list(_properties(function))
    several = len(arguments.positional) > 1
    result = _bound(found, arguments, function, names)
    if arguments.values or not arguments.positional or (result and not several):
        return result
    said = replace(arguments, positional=[*arguments.positional], values={})
    keyed(said, names)
    if not said.values:
        return result
    other = _concluded(function, said.values, [], [])
    if not other:
        return result
    made = Repair(path=_ROOT, kind="keyword", before=arguments.positional, after=said.values)
    return replace(other, repairs=(made, *other.repairs))


def _bound(
    found: Found, written: WrittenArguments, function: Function, names: list[str]
) -> Success[JsonValue] | Failure:
    """Judge arguments, each for the property that it is meant for by its name or its place."""
    arguments, issues = _named(written, names)
    values = dict(arguments.values)
    issues += (_issue(keys, f"{Path.of(keys)} {says}.") for keys, says in arguments.faults)
    texts = {raw.keys: said[0] for raw in arguments.raws if (said := value_at(values, raw.keys))}
    texts = {keys: text for keys, text in texts.items() if isinstance(text, str)}
    repairs = [
        Repair(path=Path.of(keys), kind=kind, before=before, after=after)
        for keys, kind, before, after in arguments.notes
    ]
    repairs += (
        Repair(path=Path.of(keys), kind="word", before=text, after=text)
        for keys, text in texts.items()
    )
    if texts:
        texts, repairs = _listed(function, values, texts, repairs)
    for keys, text in texts.items():
        if issue := _no_value(text, keys, doubtful=found.doubtful):
            issues.append(issue)
    result = _concluded(function, values, repairs, issues)
    if result or issues or any(repair.kind == "truncated" for repair in repairs):
        return result
    return (
        _again(arguments, function, values, result, repairs)
        or _numbers(function, values, texts, result, repairs)
        or result
    )


def _named(written: WrittenArguments, names: list[str]) -> tuple[WrittenArguments, list[Issue]]:
    """Return arguments with each under its name, and what is wrong with those that have none.

    An object that stands alone, with properties for its keys, holds all of them.
    """
    positional, given = written.positional, written.values
    if not positional:
        return written, []
    only = positional[0] if len(positional) == 1 and not given else None
    arguments = replace(
        written, raws=[*written.raws], notes=[*written.notes], faults=[*written.faults]
    )
    if isinstance(only, dict) and only and all(key in names for key in only):
        arguments.values, arguments.places = dict(only), {}
        arguments.rekey(lambda keys: keys[1:])
        return arguments, []
    free: dict[str | int, str] = {
        place: name for place, name in enumerate(names[: len(positional)]) if name not in given
    }

    def named(keys: Keys) -> Keys:
        return (free[keys[0]], *keys[1:]) if keys and keys[0] in free else keys

    arguments.values = {**given, **{name: positional[int(n)] for n, name in free.items()}}
    arguments.places = {named((key,))[0]: place for key, place in written.places.items()}
    arguments.rekey(named)
    lost = (place for place in range(len(positional)) if place not in free)
    return arguments, [
        _issue(
            (names[place] if place < len(names) else place,),
            f"There is no place for the argument {place + 1}.",
        )
        for place in lost
    ]


def _listed(
    function: Function,
    values: dict[str, JsonValue],
    texts: dict[Keys, str],
    repairs: list[Repair],
) -> tuple[dict[Keys, str], list[Repair]]:
    """Split texts without quotes at their commas where only an array is wanted: `tea, milk`."""
    properties = _properties(function)
    for keys, text in list(texts.items()):
        schema = properties.get(str(keys[0])) if len(keys) == 1 and "," in text else None
        items = [item.strip() for item in text.split(",")]
        if not isinstance(schema, dict) or schema.get("type") != "array" or "" in items:
            continue
        if _BRACKET.search(text):
            continue
        values[str(keys[0])] = list(items)
        del texts[keys]
        texts |= {(*keys, place): item for place, item in enumerate(items)}
        made = Repair(path=Path.of(keys), kind="item", before=text, after=list(items))
        repairs = [*(each for each in repairs if each.path.keys != keys), made]
    return texts, repairs


def _no_value(text: str, keys: Keys, *, doubtful: bool) -> Issue | None:
    """Return the issue of a text that stands without quotes, if it is no text."""
    shown = shortened(text, 40)
    if text in _NO_VALUE or _GAPS.match(text):
        says = f"is `{shown}`, which is no value"
    elif text.startswith(_OPENING):
        says = "cannot be read"
    elif is_expression(text) or (doubtful and (text == keys[-1] or text.isidentifier())):
        says = f"is `{shown}`, which only a program can evaluate: write the value itself"
    else:
        return None
    return _issue(keys, f"{Path.of(keys)} {says}.", text)


def _numbers(
    function: Function,
    values: JsonObject,
    texts: Mapping[Keys, str],
    failure: Failure,
    repairs: list[Repair],
) -> Success[JsonValue] | None:
    """Judge arguments again, with what arithmetic says where a number is wanted."""
    wrong = {issue.path.keys for issue in failure.issues}
    wanted = {keys: text for keys, text in texts.items() if keys in wrong}
    computed = _computed(values, wanted)
    if computed is None:
        return None
    changed, made = computed
    kept = [each for each in repairs if each.path.keys not in wanted or each.kind != "word"]
    return _concluded(function, changed, [*kept, *made], []) or None


def _again(
    arguments: WrittenArguments,
    function: Function,
    values: JsonObject,
    failure: Failure,
    repairs: list[Repair],
) -> Success[JsonValue] | None:
    """Read the arguments that are wrong as the schema has them: `1.10` where a text is wanted."""
    properties = _properties(function)
    changed = dict(values)
    for name in {str(key) for issue in failure.issues for key in issue.path.keys[:1]}:
        if any(each.kind == "name" and each.path.keys[:1] in ((), (name,)) for each in repairs):
            return None  # what is written there is a name, not its value
        source = arguments.source(name)
        wanted = partial(contract_of(function).checker.value.place, name)
        read = None
        if source is not None and isinstance(properties.get(name), dict):
            read = parse_at(source, wanted)
        if not read or (isinstance(read.value, str) and str(source).startswith(_OPENING)):
            return None
        if any(each.kind == "comment" for each in read.repairs):
            return None  # `7//2` is no 7
        changed[name] = read.value
        made = [
            Repair(path=Path.of((name,)), kind=each.kind, before=each.before, after=each.after)
            for each in read.repairs
            if each.kind != "truncated"
        ]
        repairs = [*(each for each in repairs if each.path.keys[:1] != (name,)), *made]
    return _concluded(function, changed, repairs, []) or None


def _issue(keys: Keys, message: str, value: JsonValue = None) -> Issue:
    return Issue(path=Path.of(keys), expected="a literal value", value=value, message=message)


def _properties(function: Function) -> JsonObject:
    return members_of(contract_of(function).llm.get("properties"))
