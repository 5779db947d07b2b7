"""What the names in a type hint mean, for classes inside functions and names defined later too.

A hint that is text (`from __future__ import annotations`, or quotes) is read in the globals of its
function. Names of a function around it are in no closure where only hints use them, so `@function`
keeps those, and no others. Only hints of the user's own code are ever evaluated.
"""

import sys
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from types import FrameType, FunctionType, MethodType, SimpleNamespace
from typing import (
    TYPE_CHECKING,
    Annotated,
    ForwardRef,
    Literal,
    NotRequired,
    Required,
    TypeGuard,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from pyfunctools._text import shortened

if TYPE_CHECKING:  # imported where a hint is a text: most classes need neither to be decorated
    import ast

Namespace = Mapping[str, object]
"""What names mean."""

K = TypeVar("K")

MAX_WRAPPINGS = 100
"""Decorators on decorators: how many are looked through."""


class Enclosing:
    """What the hints of one definition mean by the names of the functions around it.

    A name that those functions define later keeps their frames alive, until it is found.
    """

    __slots__ = ("_found", "_frames", "_missing", "_own")

    def __init__(
        self, wanted: Iterable[str], own: Iterable[str], frames: Iterable[FrameType]
    ) -> None:
        self._found: dict[str, object] = {}
        self._own = frozenset(own)
        self._frames = tuple(frames)
        self._missing = self._local(wanted)
        self.names()

    @classmethod
    def around(cls, target: object, frame: FrameType) -> "Enclosing | None":
        """Return the names around a definition, or `None` where its hints need none.

        `frame` is where the definition is executed. The classes it stands in are not looked for:
        their names are known from the class that is read in the end.
        """
        function = function_behind(target)
        if function is None or "<locals>" not in function.__qualname__:
            return None
        named = {name for hint in _raw_hints(function) for name in _named(hint)}
        own = function.__qualname__.rpartition("<locals>.")[2].split(".")
        return cls(named, own, _enclosing_frames(function, frame)) if named else None

    def names(self) -> Namespace:
        """Return the names found so far, after another look for the missing ones."""
        while found := dict(self._look()):
            self._found |= found
            below = (name for value in found.values() for name in _named_by(value))
            self._missing = self._local({*self._missing, *below} - self._found.keys())
        if not self._missing:
            self._frames = ()
        return self._found

    def _look(self) -> Iterator[tuple[str, object]]:
        for name in self._missing:
            frame = next(frame for frame in self._frames if name in _locals_of(frame))
            if name in frame.f_locals:
                yield name, frame.f_locals[name]

    def _local(self, names: Iterable[str]) -> frozenset[str]:
        local = frozenset(name for frame in self._frames for name in _locals_of(frame))
        return local.intersection(names) - self._own


def is_a(value: object, *kinds: type[K]) -> TypeGuard[K]:
    """Return whether a value is of one of these kinds, asking its type and never the value.

    `isinstance` asks for `__class__`, which a proxy answers by making what it stands for.
    """
    return issubclass(type(value), kinds)


def class_of(obj: object) -> type:
    """Return the class of an object, or the object where it is a class itself."""
    return obj if is_a(obj, type) else type(obj)


def function_behind(target: object) -> FunctionType | None:
    """Return the plain function under decorators, methods, partials and callable objects."""
    for _ in range(MAX_WRAPPINGS):
        if is_a(target, FunctionType):
            wrapped: object = target.__dict__.get("__wrapped__")
            if wrapped is None or "__signature__" in target.__dict__:
                return target
            target = wrapped
        elif (inner := _held(target)) is not None:
            target = inner
        else:
            from inspect import getattr_static

            called = getattr_static(type(target), "__call__", None)
            return function_behind(called) if is_a(called, FunctionType) else None
    return None


def _held(target: object) -> object:
    held = inside(target)
    if held is not None:
        return held
    from inspect import getattr_static

    return getattr_static(target, "__wrapped__", None)


def inside(target: object) -> object:
    """Return the callable in a method, `staticmethod`, `classmethod` or `partial`, else `None`."""
    if is_a(target, MethodType) or is_a(target, staticmethod) or is_a(target, classmethod):
        return cast("object", target.__func__)  # pyright: ignore[reportUnknownMemberType]
    return cast("object", target.func) if is_a(target, partial) else None  # pyright: ignore[reportUnknownMemberType]


def namespace_of(
    function: FunctionType | None, owner: type | None, enclosing: Enclosing | None
) -> Namespace:
    """Return the values of the names in a function's hints, its globals left out.

    `owner` is the class it is defined in. As in Python the class comes before the functions around
    it, innermost first; those are looked for where the decorator ran and on the stack.
    """
    layers: list[Mapping[str, object]] = []
    if owner is not None:
        layers.append({name: value for name, value in vars(owner).items() if _is_hint(value)})
    if function is not None:
        layers.append({str(each): each for each in getattr(function, "__type_params__", ())})
        if enclosing is not None:
            layers.append(enclosing.names())
        if "<locals>" in function.__qualname__:
            frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage] - documented by Python
            layers.extend(found.f_locals for found in _enclosing_frames(function, frame))
            layers.append(dict(_closure(function)))
    if owner is not None:
        layers.append({owner.__name__: owner})
    return ChainMap(*(dict(layer) for layer in layers))


def resolved(hints: Namespace, names: Namespace, behind: FunctionType | None) -> dict[str, object]:
    """Return the hints with every text in them read, `Annotated` kept.

    Raises:
        Exception: whatever evaluating the text raises, above all `NameError`.
    """
    holder = SimpleNamespace(__annotations__=dict(hints))
    known = {} if behind is None else behind.__globals__
    found: dict[str, object] = get_type_hints(
        holder, globalns=known, localns=dict(names), include_extras=True
    )
    return found


def shown(hint: object) -> str:
    """Return a hint as an error shows it."""
    if is_a(hint, type):
        return f"{hint.__module__}.{hint.__qualname__}"
    try:
        return shortened(str(hint), 200)
    except Exception:  # somebody else's object, or one too deep to be written
        return type(hint).__name__


def _enclosing_frames(function: FunctionType, frame: FrameType | None) -> Iterator[FrameType]:
    around = function.__qualname__.rpartition(".<locals>.")[0]
    while frame is not None and around:
        code = frame.f_code
        if code.co_qualname == around and frame.f_globals is function.__globals__:
            yield frame
            around = around.rpartition(".<locals>.")[0]
        frame = frame.f_back


def _locals_of(frame: FrameType) -> tuple[str, ...]:
    return frame.f_code.co_varnames + frame.f_code.co_cellvars


def _closure(function: FunctionType) -> Iterator[tuple[str, object]]:
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # the cell is empty: the name is not defined yet
            continue


def _raw_hints(definition: FunctionType | type) -> Iterable[object]:
    if sys.version_info >= (3, 14):
        from annotationlib import Format, get_annotations

        return get_annotations(definition, format=Format.STRING).values()
    if isinstance(definition, FunctionType):
        return definition.__annotations__.values()
    return vars(definition).get("__annotations__", {}).values()


def _named_by(value: object) -> Iterator[str]:
    """Yield the names that the hints of a class's fields use, its bases' too."""
    for base in value.__mro__ if is_a(value, type) else ():
        for hint in _raw_hints(base):
            yield from _named(hint)


def _named(hint: object) -> Iterator[str]:
    """Yield the names that the texts in a hint use."""
    if isinstance(hint, str):
        import ast

        try:
            yield from _named_in(ast.parse(hint.strip(), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
    elif isinstance(hint, ForwardRef):
        yield from _named(hint.__forward_arg__)
    elif (origin := get_origin(hint)) is not Literal:
        inner = get_args(hint)
        for each in inner[:1] if origin is Annotated else inner:
            yield from _named(each)


def _named_in(node: "ast.expr") -> Iterator[str]:
    import ast

    if isinstance(node, ast.Subscript):
        yield from _named_in(node.value)
        head = ast.unparse(node.value).rpartition(".")[2]
        if head == "Literal":
            return
        if head == "Annotated" and isinstance(node.slice, ast.Tuple):
            hint, *metadata = node.slice.elts
            yield from _named_in(hint)
            for each in metadata:
                yield from (inner.id for inner in ast.walk(each) if isinstance(inner, ast.Name))
            return
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Constant):
        yield from _named(node.value) if isinstance(node.value, str) else ()
    else:
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.expr):
                yield from _named_in(inner)


def _is_hint(value: object) -> bool:
    """Return whether what stands in a class body can be a hint: no method, default or property."""
    return is_a(value, type) or type(value).__module__ in {
        "types",
        "typing",
        "typing_extensions",
    }


def marks_of_hint(hint: object) -> tuple[object, ...]:
    """Return the metadata in `Annotated[...]`; there is none in another hint."""
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def keys_of(cls: type, names: Namespace) -> Mapping[str, tuple[object, bool]]:
    """Return the hint of each key of a `TypedDict`, and whether the key is required.

    Raises:
        Exception: whatever evaluating the text of a hint raises, above all `NameError`.
    """
    required: frozenset[str] = getattr(cls, "__required_keys__", frozenset[str]())
    keys: dict[str, tuple[object, bool]] = {}
    for name, hint in get_type_hints(cls, localns=dict(names), include_extras=True).items():
        origin = get_origin(hint)
        bare = get_args(hint)[0] if origin in (Required, NotRequired) else hint
        keys[name] = bare, origin is Required or (name in required and origin is not NotRequired)
    return keys
