"""The commands, their options, and their exit statuses."""

import sys
from collections import Counter
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
from pyfunctools.cli.human_values import approval_prompt, human_values
from pyfunctools.cli.printing import Status, outcome_row, prepare, print_json, print_rows, status_of
from pyfunctools.cli.replaying import ReplayCounts, check_recording, open_recording
from pyfunctools.cli.source import (
    names_object,
    open_source,
    read_context,
    read_human,
    read_value,
)
from pyfunctools.cli.typed_arguments import json_arguments
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
    """Return the functions of the source whose names start with a text, for completion."""
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
    typer.Option(help="The value of `Context` parameters: `module:object`, JSON, or `@file`."),
]
Words = Annotated[
    list[str] | None,
    typer.Argument(help="Arguments as `name=value`; dots enter objects: `body.city=Oslo`."),
]
Args = Annotated[
    str | None,
    typer.Option(help="What the model wrote: JSON, `@file`, or `-` for standard input."),
]
Values = Annotated[
    str | None, typer.Option(help="The person's values: a JSON object, `@file`, or `-`.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Run it without asking for approval.")]
AskToo = Annotated[
    bool,
    typer.Option(
        "--ask", help="Ask for the person's values, optional ones too, also without a terminal."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for another program.")]


def run() -> None:
    """Run the command line; on an error print one line to standard error and exit with status 2."""
    prepare()
    try:
        app()
    except PyfunctoolsError as error:
        _print_note(f"error: {error}", "red")
        raise SystemExit(Status.MISTAKE) from None


def _print_version(wanted: bool) -> None:
    if wanted:
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
    """Show what the library does, with a small shop inside this program: no network, no key."""
    demonstration.play(Console(), everything=everything)


@app.command(name="list")
def list_functions(
    source: SourceArgument,
    tag: Annotated[str | None, typer.Option(help="Only functions with this tag.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the functions of a source: name, origin, and summary of each."""
    controller = open_source(source)
    functions = list(controller if tag is None else controller.select(tags=tag))
    if as_json:
        print_json([_row(function) for function in functions])
        return
    console = Console()
    if console.is_terminal:
        display.print_parts(console, display.function_table(functions))
    else:
        print_rows(map(display.table_row, functions))
    skipped = display.skipped_text(controller)
    total = f"{quantity(len(functions), 'function')}, {len(controller.skipped)} skipped"
    display.print_parts(Console(stderr=True), skipped, display.safe_text(total, "dim"))


@app.command()
def show(source: SourceArgument, name: NameArgument, as_json: AsJson = False) -> None:
    """Show one function: the model's schema, the person's schema, the output, and notes."""
    function = open_source(source)[name]
    if not as_json:
        display.print_parts(Console(), display.function_page(function))
        return
    separated = function.separated
    row = {
        **_row(function),
        "parameters": function.parameters,
        "llm": function.llm,
        "human": separated.human if separated else None,
        "output": function.output,
        "notes": [str(note) for note in function.notes],
    }
    print_json(row, indent=2)


@app.command()
def report(source: SourceArgument, as_json: AsJson = False) -> None:
    """Report the size of each function in bytes and tokens, what was skipped and why, and notes."""
    result = open_source(source).report()
    if as_json:
        print_json(asdict(result))
    else:
        print(result)


@app.command()
def check(source: SourceArgument, as_json: AsJson = False) -> None:
    """Find problems: skipped parts, notes on the source, advice. Status 5 if there are any."""
    found = list(findings(open_source(source)))
    if as_json:
        print_json([{"where": where, "kind": kind, "text": text} for where, kind, text in found])
    else:
        console = Console()
        if console.is_terminal:
            display.print_parts(console, display.two_lines(found))
        else:
            print_rows(found)
        kinds = Counter(kind for _, kind, _ in found)
        counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        _print_note(counts or "nothing found")
    if found:
        raise typer.Exit(Status.FOUND)


@app.command()
def replay(
    source: SourceArgument,
    file: Annotated[str, typer.Argument(help="Recorded calls as JSON lines; `-`: standard input.")],
    as_json: AsJson = False,
) -> None:
    """Check recorded calls without running them. Status 5 if a call is invalid or unknown."""
    controller, results = open_source(source), ReplayCounts()
    console = Console(stderr=True)
    bar = Progress(console=console, transient=True, disable=not console.is_terminal)
    with open_recording(file) as (lines, size), bar:
        task = bar.add_task("replay", total=size)
        for size_of_line in check_recording(controller, lines, results):
            bar.advance(task, size_of_line)
    if as_json:
        print_json(results.counts())
    else:
        for title, counter in results.counts().items():
            print_rows((title, name, str(count)) for name, count in counter.items())
    if not results.is_good:
        raise typer.Exit(Status.FOUND)


@app.command()
def export(
    source: SourceArgument,
    dialect: Annotated[str, typer.Option(help="`openai`, `anthropic`, `gemini`, ...")] = "openai",
    tag: Annotated[list[str] | None, typer.Option(help="Only functions with this tag.")] = None,
    name: Annotated[list[str] | None, typer.Option(help="Only these functions.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Strict mode where possible.")] = False,
) -> None:
    """Print a vendor's list of tools as JSON, ready to send; losses go to standard error."""
    controller = open_source(source)
    if tag or name:
        controller = controller.select(tags=tag or None, names=name or None)
    tools = controller.tools(dialect, strict=strict or None)
    for function, losses in tools.losses.items():
        for loss in losses:
            _print_note(f"{function} {loss.path}: `{loss.keyword}` {loss.how}")
    print_json(list(tools), indent=2)
    _print_note(f"{quantity(len(tools), 'tool')}, {quantity(tools.bytes, 'byte')}")


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
    """Call one function, as `controller.call` does; the exit status depends on the outcome.

    In a terminal, the person is asked for missing values, and for approval if the function needs it
    or is destructive.
    """
    if (source, args, human).count("-") > 1:
        raise DefinitionError("-", "Standard input can be read once.", "Give the other by `@file`.")
    controller = open_source(source, server=server, headers=header or (), auth=auth or ())
    function = controller[name]
    if not names_object(source):
        _check_server(function, server)
    if words and args is not None:
        raise DefinitionError("--args", "There are `name=value` words too.", "Give one of the two.")
    text = json_arguments(words, function) if words else read_value(args) or ""
    known, shared = read_human(human), read_context(context)
    approve = True if yes else approval_prompt(server, ask=ask)
    with controller.configured(confirm="destructive") as careful:
        try:
            values = human_values(function, text, known, ask=ask)
            outcome = careful.call(name, text, human=values, context=shared, approve=approve)
        except EOFError:  # standard input ended before the last answer
            raise typer.Exit(Status.WAITS) from None
    if as_json:
        print_json(outcome_row(outcome))
    else:
        display.print_parts(Console(stderr=True), *display.about_outcome(outcome))
        display.print_parts(Console(), display.outcome_text(outcome))
    raise typer.Exit(status_of(outcome))


@app.command(name="serve")
def serve_functions(
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
    """Serve the functions over MCP, on standard input and output or over HTTP."""
    from pyfunctools.integrations.mcp import serve

    with redirect_stdout(sys.stderr):  # standard output belongs to the protocol
        controller = open_source(source, server=server, headers=header or (), auth=auth or ())
    if not names_object(source):
        for function in controller.functions[:1]:
            _check_server(function, server)
    shared = read_context(context)
    with controller:
        serve(
            controller,
            "stdio" if http is None else "http",
            port=http or 0,
            context=None if context is None else lambda _: shared,
        )


def _check_server(function: Function, server: str | None) -> None:
    if server is None and isinstance(function.origin, Route):
        urls = ", ".join(each.url for each in function.origin.servers) or "none"
        raise DefinitionError(
            "--server",
            "An operation of a document needs a base URL.",
            f"Give one, or `--server document` for the document's own ({urls}).",
        )


def _row(function: Function) -> dict[str, object]:
    return {
        "name": function.name,
        "origin": origin_text(function.origin),
        "description": function.description,
        "tags": list(function.tags),
        "deprecated": function.deprecated,
    }


def _print_note(text: str, style: str = "dim") -> None:
    Console(stderr=True).print(display.safe_text(text, style), soft_wrap=True)
