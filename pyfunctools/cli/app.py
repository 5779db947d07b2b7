"""The commands, and how each refuses."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from pyfunctools import __name__ as package
from pyfunctools import __version__
from pyfunctools._text import quantity
from pyfunctools.cli import demo as demonstration
from pyfunctools.cli import display
from pyfunctools.cli.advice import findings
from pyfunctools.cli.human_values import approval, human_part
from pyfunctools.cli.printing import Status, outcome_row, prepare, print_json, print_rows, status_of
from pyfunctools.cli.replaying import Replayed, opened
from pyfunctools.cli.replaying import replay as replay_lines
from pyfunctools.cli.source import (
    names_object,
    open_source,
    read_context,
    read_human,
    read_value,
)
from pyfunctools.cli.typed_arguments import arguments_of
from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.record.function import Function
from pyfunctools.record.origin import origin_text
from pyfunctools.route import Route

app = typer.Typer(
    name=package,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="See, check and call the functions of a class or an OpenAPI document, as a model would.",
    epilog="Exit status: 0 done, 1 the function failed, 2 a mistake in the command or the source, "
    "3 the arguments were refused, 4 a person has to add or approve something, 5 `check` or "
    "`replay` found something, 130 ended by ctrl-C.",
)


def _names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the functions of the source on the line that begin so, for completion."""
    try:
        functions = open_source(str(ctx.params.get("source"))).functions
    except PyfunctoolsError:
        return []
    return [each.name for each in functions if each.name.startswith(incomplete)]


SourceArgument = Annotated[
    str,
    typer.Argument(
        help="An OpenAPI document's path, `-` for standard input, `module:object` of Python (a "
        "class, a function, a FastAPI application), or `demo`."
    ),
]
NameArgument = Annotated[
    str, typer.Argument(help="The function's name, as `list` shows it.", autocompletion=_names)
]
ServerOption = Annotated[
    str | None, typer.Option(help="The base URL, or `document` to trust the document's own.")
]
Header = Annotated[
    list[str] | None,
    typer.Option(help="`Name: value`, sent with the request; $VARIABLES are filled in."),
]
Auth = Annotated[
    list[str] | None,
    typer.Option(
        help="`scheme=value` for a security scheme of the document, `header:Name=value` or "
        "`query:name=value`; $VARIABLES are filled in."
    ),
]
ContextOf = Annotated[
    str | None,
    typer.Option(help="What `Context` parameters get: `module:object`, JSON, or `@file`."),
]
Words = Annotated[
    list[str] | None,
    typer.Argument(help="Arguments as `name=value`; dots lead inside: `body.city=Oslo`."),
]
Args = Annotated[
    str | None,
    typer.Option(help="What the model wrote: JSON, `@file`, or `-` for standard input."),
]
Values = Annotated[
    str | None, typer.Option(help="The person's values: a JSON object, `@file`, or `-`.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Run it without asking whether to go on.")]
AskToo = Annotated[
    bool,
    typer.Option(
        "--ask", help="Ask for the person's values, the optional ones too, terminal or not."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for another program.")]


def run() -> None:
    """Run the command line; a mistake is one line on standard error and exit status 2."""
    prepare()
    try:
        app()
    except PyfunctoolsError as error:
        _say(f"error: {error}", "red")
        raise SystemExit(Status.MISTAKE) from None


def _print_version(asked: bool) -> None:
    if asked:
        print(package, __version__)
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """See, check and call the functions of a class or an OpenAPI document, as a model would."""
    del version


@app.command()
def demo(
    everything: Annotated[
        bool, typer.Option("--all", help="Show an OpenAPI document and its request too.")
    ] = False,
) -> None:
    """Show everything once, on a small shop. It is inside this program: no network, no key."""
    demonstration.play(Console(), everything=everything)


@app.command(name="list")
def list_functions(
    source: SourceArgument,
    tag: Annotated[str | None, typer.Option(help="Only functions with this tag.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the functions of a source. Each has its name, where it lives, and what it does."""
    controller = open_source(source)
    functions = list(controller if tag is None else controller.select(tags=tag))
    if as_json:
        print_json([_row(function) for function in functions])
        return
    console = Console()
    if console.is_terminal:
        display.show(console, display.function_table(functions))
    else:
        print_rows(map(display.row_of, functions))
    skipped = display.skipped_text(controller)
    total = f"{quantity(len(functions), 'function')}, {len(controller.skipped)} skipped"
    display.show(Console(stderr=True), skipped, display.plain(total, "dim"))


@app.command()
def show(source: SourceArgument, name: NameArgument, as_json: AsJson = False) -> None:
    """Show one function. What the model sees, and what only a person gives, stand apart."""
    function = open_source(source)[name]
    if not as_json:
        display.show(Console(), display.function_page(function))
        return
    separated = function.separated
    whole = {
        **_row(function),
        "parameters": function.parameters,
        "llm": function.llm,
        "human": separated.human if separated else None,
        "output": function.output,
        "notes": [str(note) for note in function.notes],
    }
    print_json(whole, indent=2)


@app.command()
def report(source: SourceArgument, as_json: AsJson = False) -> None:
    """Report sizes, and what was skipped. Bytes and tokens for a model, reasons, oddities."""
    made = open_source(source).report()
    if as_json:
        print_json(asdict(made))
    else:
        print(made)


@app.command()
def check(source: SourceArgument, as_json: AsJson = False) -> None:
    """Find what a model may stumble over. What is odd in the source too; status 5 if anything."""
    found = list(findings(open_source(source)))
    if as_json:
        print_json([{"where": where, "kind": kind, "text": text} for where, kind, text in found])
    else:
        console = Console()
        if console.is_terminal:
            display.show(console, display.two_lines(found))
        else:
            print_rows(found)
        kinds = Counter(kind for _, kind, _ in found)
        _say(", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "nothing found")
    if found:
        raise typer.Exit(Status.FOUND)


@app.command()
def replay(
    source: SourceArgument,
    file: Annotated[str, typer.Argument(help="Recorded calls, one JSON object a line; `-` reads.")],
    as_json: AsJson = False,
) -> None:
    """Check recorded calls, and run none. Status 5 if one is refused, unknown or unreadable."""
    controller, replayed = open_source(source), Replayed()
    with opened(file) as (lines, size):
        _progress(replay_lines(controller, lines, replayed), size, Console(stderr=True))
    if as_json:
        print_json(replayed.counts())
    else:
        for title, counter in replayed.counts().items():
            print_rows((title, name, str(count)) for name, count in counter.items())
    if not replayed.is_good:
        raise typer.Exit(Status.FOUND)


@app.command()
def export(
    source: SourceArgument,
    dialect: Annotated[str, typer.Option(help="`openai`, `anthropic`, `gemini`, ...")] = "openai",
    tag: Annotated[list[str] | None, typer.Option(help="Only functions with this tag.")] = None,
    name: Annotated[list[str] | None, typer.Option(help="Only these functions.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Enforced where it can be.")] = False,
) -> None:
    """Print a vendor's list of tools. It is JSON, ready to send; losses are told beside it."""
    controller = open_source(source)
    if tag or name:
        controller = controller.select(tags=tag or None, names=name or None)
    tools = controller.tools(dialect, strict=strict or None)
    for function, losses in tools.losses.items():
        for loss in losses:
            _say(f"{function} {loss.path}: `{loss.keyword}` {loss.how}")
    print_json(list(tools), indent=2)
    _say(f"{quantity(len(tools), 'tool')}, {quantity(tools.bytes, 'byte')}")


@app.command()
def call(
    source: SourceArgument,
    name: NameArgument,
    words: Words = None,
    args: Args = None,
    human: Values = None,
    context: ContextOf = None,
    server: ServerOption = None,
    header: Header = None,
    auth: Auth = None,
    yes: Yes = False,
    ask: AskToo = False,
    as_json: AsJson = False,
) -> None:
    """Call one function. It is `controller.call`, and the exit status says what came of it.

    In a terminal the person's values are asked for where they are needed, and so is whether to go
    on before a function that asks first or destroys something.
    """
    _check_inputs(source, args, human)
    controller = open_source(source, server=server, headers=header or (), auth=auth or ())
    function = controller[name]
    if not names_object(source):
        _served(function, server)
    if words and args is not None:
        raise DefinitionError("--args", "There are `name=value` words too.", "Give one of the two.")
    text = arguments_of(words, function) if words else read_value(args) or ""
    given, shared = read_human(human), read_context(context)
    approve = True if yes else approval(server, ask=ask)
    with controller.configured(confirm="destructive") as careful:
        try:
            part = human_part(function, text, given, ask=ask)
            outcome = careful.call(name, text, human=part, context=shared, approve=approve)
        except EOFError:  # the input has ended before the answers
            raise typer.Exit(Status.WAITS) from None
    if as_json:
        print_json(outcome_row(outcome))
    else:
        display.show(Console(stderr=True), *display.about_outcome(outcome))
        display.show(Console(), display.outcome_text(outcome))
    raise typer.Exit(status_of(outcome))


@app.command()
def serve(
    source: SourceArgument,
    http: Annotated[
        int | None,
        typer.Option("--http", help="Serve http://127.0.0.1:PORT/mcp; 0 takes a free port."),
    ] = None,
    context: ContextOf = None,
    server: ServerOption = None,
    header: Header = None,
    auth: Auth = None,
) -> None:
    """Serve the functions over MCP. On standard input and output, or over HTTP."""
    from pyfunctools.integrations.mcp import serve as serve_mcp

    with redirect_stdout(sys.stderr):  # standard output is the protocol's
        controller = open_source(source, server=server, headers=header or (), auth=auth or ())
    if not names_object(source):
        for function in controller.functions[:1]:
            _served(function, server)
    shared = read_context(context)

    def given(_: object) -> object:
        return shared

    with controller:
        serve_mcp(
            controller,
            "stdio" if http is None else "http",
            port=http or 0,
            context=None if context is None else given,
        )


def _served(function: Function, server: str | None) -> None:
    if server is None and isinstance(function.origin, Route):
        named = ", ".join(each.url for each in function.origin.servers) or "none"
        raise DefinitionError(
            "--server",
            "An operation of a document needs a base URL.",
            f"Give it, or `--server document` for the one the document names ({named}).",
        )


def _row(function: Function) -> dict[str, object]:
    return {
        "name": function.name,
        "origin": origin_text(function.origin),
        "description": function.description,
        "tags": list(function.tags),
        "deprecated": function.deprecated,
    }


def _say(text: str, style: str = "dim") -> None:
    Console(stderr=True).print(display.plain(text, style), soft_wrap=True)


def _check_inputs(*given: str | None) -> None:
    """Refuse to read standard input twice."""
    if given.count("-") > 1:
        raise DefinitionError("-", "Standard input can be read once.", "Give the other by `@file`.")


def _progress(sizes: Iterator[int], size: int | None, console: Console) -> None:
    """Go through the lines of a file, with a bar where a person looks on."""
    bar = Progress(console=console, transient=True, disable=not console.is_terminal)
    with bar:
        task = bar.add_task("replay", total=size)
        for size_of_line in sizes:
            bar.advance(task, size_of_line)
