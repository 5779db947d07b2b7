"""The check of a call: its function is known, and its arguments are valid for this function.

Arguments are checked as they were parsed. If that fails, they are parsed again from their text with
the schema (`1.10` is the text `"1.10"` for a string), and arithmetic is computed where a number is
expected. The result is the first valid reading, or the failure of the first reading.
"""

import ast
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from keyword import iskeyword
from math import isfinite
from typing import Any, Final

from pyfunctools._json import JsonValue, json_copy, members_of
from pyfunctools._text import shortened, visible
from pyfunctools.dialects.rendering import Rendering
from pyfunctools.envelopes.blocks import MAX_CALLS
from pyfunctools.envelopes.envelope import ModelCall
from pyfunctools.errors import UnknownFunctionError
from pyfunctools.prompting.calls.found import FoundCall
from pyfunctools.prompting.calls.literals import WrittenArguments
from pyfunctools.prompting.calls.names import FunctionNames
from pyfunctools.prompting.calls.python import ANNOTATED, parse_assignments
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function, contract_of
from pyfunctools.schema.checker import truncated_failure
from pyfunctools.schema.ground.json_values import equal
from pyfunctools.schema.ground.path import Keys, Path, value_at
from pyfunctools.schema.parsing.parse import parse_at
from pyfunctools.schema.parsing.strict import longer_than_a_text
from pyfunctools.schema.result import Failure, Issue, Repair, Success

_NOT_A_VALUE: Final = frozenset(
    {"NaN", "Infinity", "-Infinity", "+Infinity", "undefined", "inf", "nan"}
)
_OPENING: Final = ("{", "[")
_PLACEHOLDER: Final = re.compile(r"\.\.\.|<|[rR]?[fF][rR]?[\"']|(?:dict|list|set|tuple)\(|\{\{")
"""The start of a placeholder, of a text with placeholders, or of a value that a program makes."""
_STRING_FIRST: Final = re.compile(r"(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+')\s*+[^\s]")
_NEXT_NAME: Final = re.compile(r"[\s;]([^\W\d]\w*)=(?!=)")
"""The keyword of the next argument, with no comma before it."""
_ROOT: Final = Path.of(())


def check_call(found: FoundCall, names: FunctionNames) -> Success[JsonValue] | Failure:
    """Return the arguments of a call, coerced and checked.

    A call that may have been cut off is always a failure.
    """
    function, arguments = found.function, found.arguments
    if function is None:
        result = unknown_function(found.name, arguments, names)
    elif isinstance(arguments, WrittenArguments):
        result = _without_expressions(_check_written(found, arguments, function))
    else:
        result = _check_value(function, arguments)
        if not result and found.source is not None and isinstance(arguments, dict):
            written = found.source.arguments(found.keys, arguments, {})
            result = _check_written(found, written, function) if written.numbers else result
    return as_cut_off(result) if found.cut_off else result


def check_calls(
    calls: Sequence[ModelCall],
    ids: Sequence[str | None],
    names: FunctionNames,
    rendering_of: Callable[[Function], Rendering] | None = None,
) -> list[Call]:
    """Return a vendor's calls, checked, those of unknown and truncated ones with a failure."""
    checked: list[Call] = []
    for written, call_id in zip(calls, ids, strict=True):
        function = names.find(written.name)
        if len(checked) >= MAX_CALLS:
            function, result = None, too_many()
        elif function is None:
            result = unknown_function(written.name, written.arguments, names)
        else:
            rendering = None if rendering_of is None else rendering_of(function)
            result = _check_vendors(function, written.arguments, rendering)
        result = result if written.closed else as_cut_off(result)
        space, caller = written.namespace, written.caller
        checked.append(
            made_call(
                written.name, function, result, call_id=call_id, namespace=space, caller=caller
            )
        )
    return checked


def _check_vendors(
    function: Function, arguments: JsonValue, rendering: Rendering | None
) -> Success[JsonValue] | Failure:
    if not isinstance(arguments, str) and (failure := longer_than_a_text(arguments)) is not None:
        return failure
    if rendering is not None and rendering.reshapes:
        return function.check(arguments, rendering=rendering)
    return _check_value(function, arguments)


def _check_value(function: Function, arguments: JsonValue) -> Success[JsonValue] | Failure:
    if isinstance(arguments, str):
        return _without_expressions(function.check(arguments))
    if isinstance(arguments, list) and len(arguments) == 1 and isinstance(arguments[0], dict):
        return function.check(arguments[0])
    return function.check(arguments or {} if isinstance(arguments, list | None) else arguments)


def _without_expressions(result: Success[JsonValue] | Failure) -> Success[JsonValue] | Failure:
    """Return a failure if a word without quotes in the text is not a value: `user.email`."""
    words = [each for each in result.repairs if each.kind == "word"] if result else []
    issues = _not_values(((each.path.keys, str(each.before)) for each in words), doubtful=False)
    if not issues:
        return result
    return Failure(value=result.value, issues=tuple(issues), repairs=result.repairs)


def made_call(
    written: str,
    function: Function | None,
    result: Success[JsonValue] | Failure,
    *,
    span: tuple[int, int] | None = None,
    call_id: str | None = None,
    namespace: str | None = None,
    caller: JsonValue = None,
) -> Call:
    """Return a call with the result of its check."""
    return Call(
        id=call_id,
        name=written if function is None else function.name,
        arguments=result.value,
        result=result,
        repairs=result.repairs,
        span=span,
        namespace=namespace,
        caller=caller,
        _mark=None if function is None else contract_of(function).mark,
    )


def too_many() -> Failure:
    """Return the failure of the first call that is one too many."""
    message = f"There are more than {MAX_CALLS} calls; this one and all later ones are not run."
    return Failure(value={}, issues=(_of_call(f"at most {MAX_CALLS} calls", message),))


def as_cut_off(result: Success[JsonValue] | Failure) -> Failure:
    """Return the failure of a call that may have been cut off, whatever its result is."""
    expected = "the whole call: the response was cut off in it"
    issue = _of_call(expected, "The response was cut off here, so this call may be incomplete.")
    issues = () if result else result.issues
    return Failure(value=result.value, issues=(issue, *issues), repairs=result.repairs)


def _of_call(expected: str, message: str, value: JsonValue = None) -> Issue:
    return Issue(path=_ROOT, expected=expected, value=value, message=message)


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
    expected = "a call of " + (" or ".join(close) or "a function that exists")
    message = str(UnknownFunctionError(name, close, names.functions))
    return Failure(value=value, issues=(_of_call(expected, message, name),))


def _changed(
    function: Function,
    value: JsonValue,
    changes: Iterable[tuple[Keys, JsonValue, JsonValue]],
    repairs: Iterable[Repair],
) -> Success[JsonValue] | None:
    """Check arguments with other values at some paths, if every one has another value."""
    value = json_copy(value)
    made: list[Repair] = []
    for keys, before, after in changes:
        holder: Any = value_at(value, keys[:-1]) if keys else None
        if after is None or holder is None:
            return None
        holder[0][keys[-1]] = after
        made.append(Repair(path=Path.of(keys), kind="number", before=before, after=str(after)))
    result = _concluded(function, value, [*repairs, *made], []) if made else None
    return result or None


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
    if arguments.positional == [{}] and not arguments.values:
        empty = _concluded(function, {}, arguments.repairs, arguments.issues)
        if empty:
            return empty  # `f({})` is usually the object of all arguments
    names = list(members_of(contract_of(function).llm.get("properties")))
    result = _check_named(found, arguments, function, names)
    if result and arguments.typed:
        return _with_types(found, arguments, function, names, result)
    several = len(arguments.positional) > 1
    if arguments.values or not arguments.positional or (result and not several):
        return result
    assigned = parse_assignments(arguments)
    if assigned is None or not assigned.values.keys() <= set(names):
        return result
    before, after = arguments.positional, assigned.values
    assigned.repairs = [Repair(path=_ROOT, kind="keyword", before=before, after=after)]
    return _check_named(found, assigned, function, names) or result


def _with_types(
    found: FoundCall,
    arguments: WrittenArguments,
    function: Function,
    names: list[str],
    result: Success[JsonValue],
) -> Success[JsonValue]:
    """Return the result with the values of JSON in tags, where they are as valid as the texts."""
    checked: Any = result.value
    typed = {k: v for k, v in arguments.typed.items() if checked.get(k) == arguments.values[k]}
    while typed:
        with_types = replace(arguments, values={**arguments.values, **typed})
        again = _check_named(found, with_types, function, names)
        checked = again.value
        wrong = () if again else {issue.path.keys[:1] for issue in again.issues}
        kept = {
            k: v for k, v in typed.items() if (k,) not in wrong and equal(checked.get(k, ""), v)
        }
        if len(kept) == len(typed):
            return again or result
        typed = kept
    return result


def _check_named(
    found: FoundCall, written: WrittenArguments, function: Function, names: list[str]
) -> Success[JsonValue] | Failure:
    """Check arguments, each under the property that its keyword or its position means."""
    arguments, issues = _with_names(written, names)
    values = dict(arguments.values)
    issues += (_issue(keys, f"{Path.of(keys)} {fault}.") for keys, fault in arguments.faults)
    issues += arguments.issues
    raws = ((raw.keys, value_at(values, raw.keys)) for raw in arguments.raws)
    texts = {keys: at[0] for keys, at in raws if at and isinstance(at[0], str)}
    repairs = [*arguments.repairs]
    repairs += (
        Repair(path=Path.of(keys), kind="word", before=text, after=text)
        for keys, text in texts.items()
    )
    issues += _not_values(texts.items(), doubtful=found.doubtful, names=names)
    result = _concluded(function, values, repairs, issues)
    if result or issues or any(repair.kind == "truncated" for repair in repairs):
        return result
    wrong = {issue.path.keys for issue in result.issues}
    changes = [(keys, text, number_of(text)) for keys, text in texts.items() if keys in wrong]
    changes += [(keys, text, text) for keys, text in arguments.numbers.items() if keys in wrong]
    kept = (each for each in repairs if each.path.keys not in wrong or each.kind != "word")
    return _changed(function, values, changes, kept) or result


def _with_names(
    written: WrittenArguments, names: list[str]
) -> tuple[WrittenArguments, list[Issue]]:
    """Return arguments under the names of properties, and issues of surplus arguments.

    A single object whose keys are properties is the object of all arguments. What Python cannot
    write as a keyword, as `from`, is written `from_` or `_from`.
    """
    positional, given = written.positional, written.values
    only = positional[0] if len(positional) == 1 and not given else None
    if isinstance(only, dict) and only and all(key in names for key in only):
        return written.moved(dict(only), lambda keys: keys[1:]), []
    bare = {key: key.strip("_") for key in given if key not in names}
    every = [*given, *bare.values()]
    meant: dict[str | int, str] = {
        key: name
        for key, name in bare.items()
        if iskeyword(name) and name in names and every.count(name) == 1
    }
    if not positional and not meant:
        return written, []
    values = {meant.get(key, key): value for key, value in given.items()}
    free = enumerate(names[: len(positional)])
    placed = {place: name for place, name in free if name not in values}
    values |= {name: positional[place] for place, name in placed.items()}
    named = {**meant, **placed}

    def change(keys: Keys) -> Keys:
        return (named.get(keys[0], keys[0]), *keys[1:]) if keys else keys

    arguments = written.moved(values, change)
    arguments.repairs += (
        Repair(path=Path.of((name,)), kind="keyword", before=key, after=name)
        for key, name in meant.items()
    )
    return arguments, [
        _issue(
            (names[place] if place < len(names) else place,),
            f"There is no parameter for argument {place + 1}.",
        )
        for place in range(len(positional))
        if place not in placed
    ]


def _not_values(
    texts: Iterable[tuple[Keys, str]], *, doubtful: bool, names: Container[str] = ()
) -> list[Issue]:
    """Return the issues of texts without quotes that are not values, such as `user.email`."""
    issues: list[Issue] = []
    for keys, text in texts:
        preview = shortened(text, 40)
        if text in _NOT_A_VALUE or _PLACEHOLDER.match(text):
            fault = f"is `{preview}`, which is not a value"
        elif text.startswith(_OPENING):
            fault = "cannot be read"
        elif doubtful and ANNOTATED.match(text):
            fault = f"is `{preview}`, as in a signature: write the value itself"
        elif is_expression(text) or (doubtful and (text == keys[-1] or text.isidentifier())):
            fault = f"is `{preview}`, which only a program can evaluate: write the value itself"
        elif _STRING_FIRST.match(text) or any(each in names for each in _NEXT_NAME.findall(text)):
            fault = f"is `{preview}`: write a comma behind each value, and strings in quotes"
        else:
            continue
        issues.append(_issue(keys, f"{Path.of(keys)} {fault}.", text))
    return issues


def _issue(keys: Keys, message: str, value: JsonValue = None) -> Issue:
    return Issue(path=Path.of(keys), expected="a literal value", value=value, message=message)


_MAX_ARITHMETIC: Final = 200
_MAX_BASE: Final = 10**30
_MAX_EXPONENT: Final = 300
_ARITHMETIC: Final = re.compile(r"[0-9eE_.+*/%() \t-]+")
_DATES: Final = re.compile(r"\d+(?:-\d+){2,}|\d+(?:/\d+){2,}|0\d.*")
_AMOUNT: Final = re.compile(r"([-+]?)[$\u20ac\u00a3\u00a5]\s?([0-9][0-9_]*(?:\.[0-9]+)?)")

_EXPRESSION: Final = re.compile(
    r"\A[^\W\d]\w*(?:\??\.[^\W\d]\w*)+\Z"  # an attribute
    r"|[\w)\]]\("  # a call
    r"|[\w)\]]\["  # a subscript
    r"|\A(?:lambda\b|await\s|yield\s|new\s+[A-Z])|\$\{|\A\$[^\W\d]"
    r"|[\"']\s*[+%*]|[+%*]\s*[\"']"  # strings joined
    r"|\w\s+[+*%]\s+\w|[^\W\d]\w*[+*]\w|\w[+*][^\W\d]|\w\s*(?:\*\*|//|&&|\|\||==|=>)\s*\w"
    r"|\A(?:[a-z0-9_][\w.]*\s+[-/]\s+)+[a-z0-9_][\w.]*\Z"
    r"|[\"'\w)\]]\s+if\s+.+\s+else\s|[\"']\s*(?:==|!=|\b(?:or|and|in|not)\b)"
)


def is_expression(text: str) -> bool:
    """Return whether only a program can evaluate this: `user.email`, `a + b`, `f(x)`."""
    return _EXPRESSION.search(text) is not None and number_of(text) is None


def number_of(text: str) -> int | float | None:
    """Return the value of arithmetic (`3*7`) or of an amount of money (`$5`), or `None`."""
    text = _AMOUNT.sub(r"\1\2", text) if _AMOUNT.fullmatch(text) else text
    if len(text) > _MAX_ARITHMETIC or _DATES.fullmatch(text) or not _ARITHMETIC.fullmatch(text):
        return None
    try:
        value = _value_of(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ArithmeticError, ValueError, RecursionError, MemoryError):
        return None
    return value if isfinite(value) else None


def _value_of(node: ast.expr) -> int | float:
    """Return the value of arithmetic."""
    value: object = None
    if isinstance(node, ast.Constant):
        value = node.value
    elif isinstance(node, ast.UnaryOp):
        inner = _value_of(node.operand)
        value = -inner if isinstance(node.op, ast.USub) else inner
    elif isinstance(node, ast.BinOp):
        one, other = _value_of(node.left), _value_of(node.right)
        if isinstance(node.op, ast.Pow) and (abs(other) > _MAX_EXPONENT or abs(one) > _MAX_BASE):
            raise ValueError
        value = _OPERATORS[type(node.op).__name__](one, other)
    if not isinstance(value, int | float) or (isinstance(value, int) and abs(value) > 10**308):
        raise ValueError
    return value


_OPERATORS: Final[Mapping[str, Callable[[float, float], object]]] = {
    "Add": lambda one, other: one + other,
    "Div": lambda one, other: one / other,
    "FloorDiv": lambda one, other: one // other,
    "Mod": lambda one, other: one % other,
    "Mult": lambda one, other: one * other,
    "Pow": lambda one, other: one**other,
    "Sub": lambda one, other: one - other,
}
