"""The check of a call: its function is known, and its arguments are valid for this function.

Arguments are checked as they were parsed. If that fails, they are parsed again from their text with
the schema (`1.10` is the text `"1.10"` for a string), and arithmetic is computed where a number is
expected. The result is the first valid reading, or the failure of the first reading.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from keyword import iskeyword
from typing import Final, TypeVar

from pyfunctools._json import JsonObject, JsonValue, members_of
from pyfunctools._text import shortened, visible
from pyfunctools.dialects.rendering import Rendering
from pyfunctools.envelopes.blocks import MAX_CALLS
from pyfunctools.envelopes.envelope import ModelCall
from pyfunctools.errors import UnknownFunctionError
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.prompting.calls.arguments import WrittenArguments, parse_assignments
from pyfunctools.prompting.calls.expressions import is_expression, number_of
from pyfunctools.prompting.calls.found import FoundCall, JsonInText
from pyfunctools.prompting.calls.json_calls import recover
from pyfunctools.prompting.calls.literals import PendingRepair
from pyfunctools.prompting.calls.names import FunctionNames
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function, contract_of
from pyfunctools.schema.checker import truncated_failure
from pyfunctools.schema.ground.path import Keys, Path, value_at
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.schema.parsing.parse import longer_than_a_text, parse_at
from pyfunctools.schema.result import Failure, Issue, Repair, Success

_NOT_A_VALUE: Final = frozenset(
    {"NaN", "Infinity", "-Infinity", "+Infinity", "undefined", "inf", "nan"}
)
_OPENING: Final = ("{", "[")
_PLACEHOLDER: Final = re.compile(r"\.\.\.|<|[rR]?[fF][rR]?[\"']|(?:dict|list|set|tuple)\(|\{\{")
"""The start of a placeholder, of a text with placeholders, or of a value that a program makes."""
_BRACKET: Final = re.compile(r"[()\[\]{}\"']")
_ROOT: Final = Path.of(())

T = TypeVar("T", Repair, Issue)


def check_call(found: FoundCall, names: FunctionNames) -> Success[JsonValue] | Failure:
    """Return the arguments of a call, coerced and checked.

    A call that may have been cut off is always a failure.
    """
    repairs: list[Repair] = []
    if found.beside and isinstance(found.arguments, dict):
        for key, value in found.beside.items():
            repairs.append(Repair(path=Path.of((key,)), kind="place", before=None, after=value))
        found = replace(found, arguments={**found.arguments, **found.beside})
    result = _checked(found, names)
    if repairs:
        result = replace(result, repairs=(*repairs, *result.repairs))
    return as_cut_off(result) if found.cut_off else result


def check_arguments(
    function: Function, arguments: str | JsonValue, *, rendering: Rendering | None = None
) -> Success[JsonValue] | Failure:
    """Return the arguments of a vendor's call, coerced and checked: a value, or text of JSON."""
    if not isinstance(arguments, str) and (failure := longer_than_a_text(arguments)) is not None:
        return failure
    if rendering is not None and rendering.reshapes:
        return function.check(arguments, rendering=rendering)
    if isinstance(arguments, str):
        return _without_expressions(_check_text(arguments, function))
    return function.check(_unlisted(arguments)[0])


def _unlisted(arguments: JsonValue) -> tuple[JsonValue, Keys]:
    """Return arguments, also those in a list of one, and their path."""
    if isinstance(arguments, list) and len(arguments) == 1 and isinstance(arguments[0], dict):
        return arguments[0], (0,)
    return arguments or {} if isinstance(arguments, list | None) else arguments, ()


def _without_expressions(result: Success[JsonValue] | Failure) -> Success[JsonValue] | Failure:
    """Return a failure if a word without quotes in the text is not a value: `user.email`."""
    bare = ((each.path.keys, str(each.before)) for each in result.repairs if each.kind == "word")
    issues = _not_values(bare, doubtful=False) if result and result.repairs else []
    if not issues:
        return result
    return Failure(value=result.value, issues=tuple(issues), repairs=result.repairs)


def made_call(
    written: FoundCall | ModelCall,
    function: Function | None,
    result: Success[JsonValue] | Failure,
    call_id: str | None,
    span: tuple[int, int] | None = None,
) -> Call:
    """Return a call with the result of its check."""
    return Call(
        id=call_id,
        name=written.name if function is None else function.name,
        arguments=result.value,
        result=result,
        repairs=result.repairs,
        span=span,
        namespace=written.namespace,
        caller=written.caller,
        _mark=None if function is None else contract_of(function).mark,
    )


def too_many() -> Failure:
    """Return the failure of the first call that is one too many."""
    issue = Issue(
        path=_ROOT,
        expected=f"at most {MAX_CALLS} calls",
        value=None,
        message=f"There are more than {MAX_CALLS} calls; this one and all later ones are not run.",
    )
    return Failure(value={}, issues=(issue,))


def as_cut_off(result: Success[JsonValue] | Failure) -> Failure:
    """Return the failure of a call that may have been cut off, whatever its result is."""
    issue = Issue(
        path=_ROOT,
        expected="the whole call: the response was cut off in it",
        value=None,
        message="The response was cut off here, so this call may be incomplete.",
    )
    issues = () if result else result.issues
    return Failure(value=result.value, issues=(issue, *issues), repairs=result.repairs)


def _checked(found: FoundCall, names: FunctionNames) -> Success[JsonValue] | Failure:
    function, arguments = found.function, found.arguments
    if function is None:
        return unknown_function(found.name, arguments, names)
    if isinstance(arguments, WrittenArguments):
        return _without_expressions(_check_written(found, arguments, function))
    if found.source is None or isinstance(arguments, str):
        return check_arguments(function, arguments)
    value, below = _unlisted(arguments)
    keys = (*found.keys, *below)
    return _without_expressions(_check_json(found.source, keys, value, function, found.beside))


def unknown_function(
    written: str, arguments: JsonValue | WrittenArguments, names: FunctionNames
) -> Failure:
    """Return the failure of a call of an unknown function, with the similar names."""
    name = visible(shortened(written, 64))
    close = names.close(written)
    value: JsonValue
    if isinstance(arguments, WrittenArguments):
        value = dict(arguments.values) or list(arguments.positional) or {}
    elif isinstance(arguments, str):
        value = parse_at(arguments, None).value
    else:
        value = {} if arguments is None else arguments
    issue = Issue(
        path=_ROOT,
        expected="a call of " + (" or ".join(close) or "a function that exists"),
        value=name,
        message=str(UnknownFunctionError(name, close, names.functions)),
    )
    return Failure(value=value, issues=(issue,))


def _check_text(text: str, function: Function) -> Success[JsonValue] | Failure:
    """Check arguments that are a text, usually JSON."""
    if not text.strip():
        return function.check({})
    result = function.check(text)
    if result or not isinstance(result.value, str):
        return result
    names = list(_properties(function))
    if len(names) == 1 and not text.lstrip().startswith(_OPENING):
        return function.check({names[0]: text}) or result
    start = max(text.find("{"), 0)
    if len(text) <= DEFAULT_LIMITS.text and text.startswith("{", start):
        part, _ = recover(text, start, len(text), sure=True)
        if isinstance(part, dict):
            return replace(result, value=function.coerce(part).value)
    return result


def _check_json(
    source: JsonInText,
    keys: Keys,
    value: JsonValue,
    function: Function,
    beside: Mapping[str, JsonValue] | None,
) -> Success[JsonValue] | Failure:
    """Check arguments at `keys` in JSON; parse it again with the schema if they are wrong."""
    result = _concluded(function, value, _below(source.repairs, keys), _below(source.issues, keys))
    if result:
        return result
    schema: JsonValue = contract_of(function).llm
    for key in reversed(keys):
        if isinstance(key, int):
            schema = {"type": "array", "prefixItems": [*[True] * key, schema]}
        else:
            schema = {"type": "object", "properties": {key: schema}}
    definitions = {"$defs": contract_of(function).llm.get("$defs", {})}
    outline = Outline({**schema, **definitions} if isinstance(schema, dict) else definitions)
    again = parse_at(source.text, lambda: outline.place)
    inner = value_at(again.value, keys) if again else None
    if inner is None:
        texts = {each.path.keys: each.value for each in _below(source.issues, keys)}
        if len(texts) < len(source.issues):
            return result
        return _with_arithmetic(function, value, texts, []) or result
    read = {**inner[0], **beside} if beside and isinstance(inner[0], dict) else inner[0]
    other = _concluded(function, read, _below(again.repairs, keys), [])
    return other if other or source.issues else result


def _below(items: Iterable[T], keys: Keys) -> list[T]:
    """Return the items at `keys`, below or above, with paths relative to `keys`."""
    found: list[T] = []
    for each in items:
        path = each.path.keys
        if path[: len(keys)] == keys:
            found.append(replace(each, path=Path.of(path[len(keys) :])))
        elif keys[: len(path)] == path:
            found.append(replace(each, path=_ROOT))
    return found


def _with_arithmetic(
    function: Function, value: JsonValue, texts: Mapping[Keys, JsonValue], repairs: Iterable[Repair]
) -> Success[JsonValue] | None:
    """Check arguments with arithmetic computed in all `texts`, if every one is arithmetic."""
    made: list[Repair] = []
    for keys, text in texts.items():
        number = number_of(text) if isinstance(text, str) else None
        if number is None:
            return None
        value = _with(value, keys, number)
        made.append(Repair(path=Path.of(keys), kind="number", before=text, after=str(number)))
    result = _concluded(function, value, [*repairs, *made], []) if made else None
    return result or None


def _with(value: JsonValue, keys: Keys, inner: JsonValue) -> JsonValue:
    """Return a copy of a value with another value at one path."""
    if not keys:
        return inner
    first, rest = keys[0], keys[1:]
    if isinstance(value, dict):
        return {k: _with(v, rest, inner) if k == first else v for k, v in value.items()}
    if isinstance(value, list):
        return [_with(v, rest, inner) if n == first else v for n, v in enumerate(value)]
    return value


def _concluded(
    function: Function, value: JsonValue, repairs: list[Repair], issues: list[Issue]
) -> Success[JsonValue] | Failure:
    """Check a value; the result includes the repairs and the issues of parsing it."""
    result = function.check(value)
    made = (*repairs, *result.repairs)
    cut = [repair for repair in repairs if repair.kind == "truncated"]
    if cut:
        issues = [*truncated_failure(result.value, cut, made).issues, *issues]
    if issues:
        more = () if result else result.issues
        return Failure(value=result.value, issues=(*issues, *more), repairs=made)
    return replace(result, repairs=made) if repairs else result


def _check_written(
    found: FoundCall, arguments: WrittenArguments, function: Function
) -> Success[JsonValue] | Failure:
    """Check the arguments of a call in Python or in tags."""
    names = list(_properties(function))
    result = _check_named(found, arguments, function, names)
    several = len(arguments.positional) > 1
    if arguments.values or not arguments.positional or (result and not several):
        return result
    assigned = replace(arguments, positional=[*arguments.positional], values={})
    parse_assignments(assigned, names)
    other = _concluded(function, assigned.values, [], []) if assigned.values else None
    if not other:
        return result
    before, after = arguments.positional, assigned.values
    made = Repair(path=_ROOT, kind="keyword", before=before, after=after)
    return replace(other, repairs=(made, *other.repairs))


def _check_named(
    found: FoundCall, written: WrittenArguments, function: Function, names: list[str]
) -> Success[JsonValue] | Failure:
    """Check arguments, each under the property that its keyword or its position means."""
    arguments, issues = _with_names(_without_underscores(written, names), names)
    values = dict(arguments.values)
    issues += (_issue(keys, f"{Path.of(keys)} {fault}.") for keys, fault in arguments.faults)
    raws = ((raw.keys, value_at(values, raw.keys)) for raw in arguments.raws)
    texts = {keys: at[0] for keys, at in raws if at and isinstance(at[0], str)}
    repairs = [each.repair for each in arguments.repairs]
    repairs += (
        Repair(path=Path.of(keys), kind="word", before=text, after=text)
        for keys, text in texts.items()
    )
    if texts:
        texts, repairs = _split_lists(function, values, texts, repairs)
    issues += _not_values(texts.items(), doubtful=found.doubtful)
    result = _concluded(function, values, repairs, issues)
    if result or issues or any(repair.kind == "truncated" for repair in repairs):
        return result
    if again := _read_by_schema(arguments, function, values, result, repairs):
        return again
    wrong = {issue.path.keys for issue in result.issues}
    wanted = {keys: text for keys, text in texts.items() if keys in wrong}
    kept = (each for each in repairs if each.path.keys not in wanted or each.kind != "word")
    return _with_arithmetic(function, values, wanted, kept) or result


def _without_underscores(written: WrittenArguments, names: list[str]) -> WrittenArguments:
    """Return arguments with `from_` and `_from` under `from`, which no Python can write."""
    meant = {key: key.strip("_") for key in written.values if key not in names}
    given = [*written.values, *meant.values()]
    meant = {
        key: name
        for key, name in meant.items()
        if iskeyword(name) and name in names and given.count(name) == 1
    }
    if not meant:
        return written
    made = replace(
        written,
        values={meant.get(key, key): value for key, value in written.values.items()},
        places={meant.get(str(key), key): place for key, place in written.places.items()},
        raws=[*written.raws],
        repairs=[*written.repairs],
        faults=[*written.faults],
    )
    made.rekey(lambda keys: (meant.get(str(keys[0]), keys[0]), *keys[1:]) if keys else keys)
    made.repairs += (PendingRepair((name,), "keyword", key, name) for key, name in meant.items())
    return made


def _with_names(
    written: WrittenArguments, names: list[str]
) -> tuple[WrittenArguments, list[Issue]]:
    """Return positional arguments under the names of properties, and issues of surplus arguments.

    A single object whose keys are properties is the object of all arguments.
    """
    positional, given = written.positional, written.values
    if not positional:
        return written, []
    only = positional[0] if len(positional) == 1 and not given else None
    arguments = replace(
        written, raws=[*written.raws], repairs=[*written.repairs], faults=[*written.faults]
    )
    if isinstance(only, dict) and only and all(key in names for key in only):
        arguments.values, arguments.places = dict(only), {}
        arguments.rekey(lambda keys: keys[1:])
        return arguments, []
    named: dict[str | int, str] = {
        place: name for place, name in enumerate(names[: len(positional)]) if name not in given
    }

    def rekeyed(keys: Keys) -> Keys:
        return (named[keys[0]], *keys[1:]) if keys and keys[0] in named else keys

    arguments.values = {**given, **{name: positional[int(n)] for n, name in named.items()}}
    arguments.places = {rekeyed((key,))[0]: place for key, place in written.places.items()}
    arguments.rekey(rekeyed)
    return arguments, [
        _issue(
            (names[place] if place < len(names) else place,),
            f"There is no parameter for argument {place + 1}.",
        )
        for place in range(len(positional))
        if place not in named
    ]


def _split_lists(
    function: Function, values: dict[str, JsonValue], texts: dict[Keys, str], repairs: list[Repair]
) -> tuple[dict[Keys, str], list[Repair]]:
    """Split texts without quotes at their commas where an array is expected: `tea, milk`."""
    properties = _properties(function)
    for keys, text in list(texts.items()):
        schema = members_of(properties.get(str(keys[0])) if len(keys) == 1 else None)
        items = [item.strip() for item in text.split(",")]
        is_list = schema.get("type") == "array" and len(items) > 1 and "" not in items
        if not is_list or _BRACKET.search(text):
            continue
        values[str(keys[0])] = list(items)
        del texts[keys]
        texts |= {(*keys, place): item for place, item in enumerate(items)}
        made = Repair(path=Path.of(keys), kind="item", before=text, after=list(items))
        repairs = [*(each for each in repairs if each.path.keys != keys), made]
    return texts, repairs


def _not_values(texts: Iterable[tuple[Keys, str]], *, doubtful: bool) -> list[Issue]:
    """Return the issues of texts without quotes that are not values, such as `user.email`."""
    issues: list[Issue] = []
    for keys, text in texts:
        preview = shortened(text, 40)
        if text in _NOT_A_VALUE or _PLACEHOLDER.match(text):
            fault = f"is `{preview}`, which is not a value"
        elif text.startswith(_OPENING):
            fault = "cannot be read"
        elif is_expression(text) or (doubtful and (text == keys[-1] or text.isidentifier())):
            fault = f"is `{preview}`, which only a program can evaluate: write the value itself"
        else:
            continue
        issues.append(_issue(keys, f"{Path.of(keys)} {fault}.", text))
    return issues


def _read_by_schema(
    arguments: WrittenArguments,
    function: Function,
    values: JsonObject,
    failure: Failure,
    repairs: list[Repair],
) -> Success[JsonValue] | None:
    """Parse invalid arguments again with the schema: `1.10` where a string is expected."""
    properties = _properties(function)
    changed = dict(values)
    for name in {str(key) for issue in failure.issues for key in issue.path.keys[:1]}:
        source = arguments.source(name)
        wanted = partial(contract_of(function).checker.value.place, name)
        read = None
        if source is not None and isinstance(properties.get(name), dict):
            read = parse_at(source, wanted)
        if not read or (isinstance(read.value, str) and str(source).startswith(_OPENING)):
            return None
        if any(each.kind == "comment" for each in read.repairs):
            return None  # `7//2` does not mean 7
        changed[name] = read.value
        path = Path.of((name,))
        made = [replace(each, path=path) for each in read.repairs if each.kind != "truncated"]
        repairs = [*(each for each in repairs if each.path.keys[:1] != (name,)), *made]
    return _concluded(function, changed, repairs, []) or None


def _issue(keys: Keys, message: str, value: JsonValue = None) -> Issue:
    return Issue(path=Path.of(keys), expected="a literal value", value=value, message=message)


def _properties(function: Function) -> JsonObject:
    return members_of(contract_of(function).llm.get("properties"))
