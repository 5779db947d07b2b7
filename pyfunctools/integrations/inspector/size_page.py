"""The page of what a controller costs: each tag and function with its tokens, and the choice."""

import shlex
from collections.abc import Mapping, Sequence

from starlette.requests import Request

from pyfunctools import Controller
from pyfunctools.integrations.inspector.markup import Child, Markup, code_block, tag

_OPENAI = 128
"""The most functions that OpenAI accepts, whose list is the default of `export`."""


def size_section(
    request: Request, controller: Controller, tokens: Mapping[str, int], total: int, source: str
) -> Child:
    """Return a button for each tag and function; a press adds it to the choice, or takes it out.

    `tokens` are those of each function, by name.
    """
    members: dict[str, list[str]] = {}
    for function in controller:
        for each in function.tags or ("",):
            members.setdefault(each, []).append(function.name)
    tags = _pressed(request, "tag", members)
    names = _pressed(request, "name", tokens)
    hidden = [
        tag("input", type="hidden", name=kind, value=each)
        for kind, pressed in (("tag", tags), ("name", names))
        for each in pressed
    ]
    sizes = {each: sum(tokens[name] for name in inside) for each, inside in members.items()}
    shown: set[str] = set()
    blocks: list[Markup] = []
    for each in sorted(members, key=lambda each: -sizes[each]):
        # A function with two tags stands under the larger one.
        inside = sorted(set(members[each]) - shown, key=lambda name: (-tokens[name], name))
        shown.update(inside)
        head = _button("tag", each, sizes[each], tags) if each else tag("b", "(no tag)")
        leaves = [_button("name", name, tokens[name], names) for name in inside]
        blocks.append(tag("div", head, tag("div", leaves, class_="leaves"), class_="group"))
    of_tags = {name for each in tags for name in members[each]}
    chosen = {name: size for name, size in tokens.items() if name in of_tags or name in names}
    # Tags and names together would be the functions that meet both.
    kind, picked = ("tag", tags) if chosen.keys() == of_tags else ("name", [*chosen])
    choice = _choice(source, chosen, kind, picked)
    inner = (tag("div", hidden, id="pressed"), tag("div", blocks, id="map"))
    return (
        tag("h1", "Size"),
        tag("p", f"{len(controller):,} functions, about {total:,} tokens for a model."),
        tag("section", choice, id="choice", class_="panel"),
        tag("form", inner, method="get", action=f"{request.scope.get('root_path', '')}/size"),
    )


def _pressed(request: Request, kind: str, known: Mapping[str, object]) -> list[str]:
    """Return the known names of the choice; a toggled one is taken out, or in."""
    query = request.query_params
    pressed, toggled = query.getlist(kind), query.getlist(f"toggle-{kind}")
    both = {"", *pressed} & {"", *toggled}
    return [
        each for each in dict.fromkeys([*pressed, *toggled]) if each in known and each not in both
    ]


def _button(kind: str, name: str, size: int, pressed: Sequence[str]) -> Markup:
    return tag(
        "button",
        tag("span", name),
        " ",
        tag("small", f"{size:,}", tag("span", " tokens", class_="words")),
        name=f"toggle-{kind}",
        value=name,
        aria_pressed="true" if name in pressed else "false",
        data_size=size,
        title=f"{name}: {size:,} tokens",
    )


def _choice(source: str, chosen: Mapping[str, int], kind: str, picked: Sequence[str]) -> Child:
    """Return the chosen functions, with their tokens, as code and as a command."""
    if not chosen:
        return tag("p", "Press tags and functions to choose them.")
    words = ["pyfunctools", "export", source, *(f"--{kind}={each}" for each in picked)]
    if len(chosen) > _OPENAI:
        words.append("--dialect=anthropic")
    return (
        tag("p", tag("b", f"{len(chosen):,} functions, about {sum(chosen.values()):,} tokens")),
        code_block(f"controller.select({kind}s={picked!r})", aria_label="Code"),
        code_block(shlex.join(words), aria_label="Command"),
    )
