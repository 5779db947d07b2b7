"""The commands, and how each refuses."""

import json
import sys
from contextlib import redirect_stdout
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console

from pyfunctools import __name__ as package
from pyfunctools.cli import demo as demonstration
from pyfunctools.cli import display
from pyfunctools.cli.human_values import human_part
from pyfunctools.cli.source import names_object, open_source, read_human, read_value
from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.record.function import Function
from pyfunctools.record.origin import place
from pyfunctools.route import Route

app = typer.Typer(
    name=package,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="See and call the functions of a class or an OpenAPI document, as a model would.",
)

Source = Annotated[
    str,
    typer.Argument(
        help="An OpenAPI document's path, or `module:object` of Python: a class, a function, a "
        "FastAPI application."
    ),
]
Name = Annotated[str, typer.Argument(help="The function's name, as `list` shows it.")]
Server = Annotated[
    str | None, typer.Option(help="The base URL, or `document` to trust the document's own.")
]
Header = Annotated[
    list[str] | None,
    typer.Option(help="`Name: value`, sent with the request; $VARIABLES are filled in."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for another program.")]


def run() -> None:
    """Run the command line; a mistake is one line on standard error and exit status 2."""
    try:
        app()
    except PyfunctoolsError as error:
        Console(stderr=True).print(display.plain(f"error: {error}", "red"), soft_wrap=True)
        raise SystemExit(2) from None


@app.command()
def demo() -> None:
    """Show everything once, on a small shop inside this program: no network, no key."""
    demonstration.play(Console())


@app.command(name="list")
def list_functions(
    source: Source,
    tag: Annotated[str | None, typer.Option(help="Only functions with this tag.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the functions of a source."""
    controller = open_source(source)
    functions = [f for f in controller.functions if tag is None or tag in f.tags]
    if as_json:
        print(json.dumps([_row(function) for function in functions], ensure_ascii=False))
        return
    counted = f"{len(functions)} functions, {len(controller.skipped)} skipped"
    display.show(
        Console(),
        display.function_table(functions),
        display.skipped_text(controller),
        display.plain(counted, "dim"),
    )


@app.command()
def show(source: Source, name: Name, as_json: AsJson = False) -> None:
    """Show one function: what the model sees, and what only a person gives."""
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
    }
    print(json.dumps(whole, ensure_ascii=False, indent=2))


@app.command()
def report(source: Source, as_json: AsJson = False) -> None:
    """Return what became functions, what was skipped and why, and how large it is for a model."""
    made = open_source(source).report()
    print(json.dumps(asdict(made), ensure_ascii=False) if as_json else made)


@app.command()
def call(
    source: Source,
    name: Name,
    args: Annotated[
        str, typer.Option(help="What the model wrote: JSON, `@file`, or `-` for standard input.")
    ] = "{}",
    human: Annotated[
        str | None,
        typer.Option(help="The person's values: a JSON object, `@file`, or `-`."),
    ] = None,
    server: Server = None,
    header: Header = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Run it without asking whether to go on.")
    ] = False,
    ask: Annotated[
        bool,
        typer.Option(
            "--ask", help="Ask for the person's values, the optional ones too, terminal or not."
        ),
    ] = False,
) -> None:
    """Call one function, as `controller.call` would. Exit status 1 if it failed.

    In a terminal the person's values are asked for where they are needed, and so is whether to go
    on before a function that asks first or destroys something.
    """
    controller = open_source(source, server=server, headers=header or ())
    if not names_object(source):
        _served(controller[name], server)
    text, given = read_value(args) or "", read_human(human)
    with controller:
        part = human_part(controller[name], text, given, server, yes=yes, ask=ask)
        outcome = controller.call(name, text, human=part, approve=lambda _: True)
    display.show(Console(), display.outcome_text(outcome))
    if not outcome.ok:
        raise typer.Exit(1)


@app.command()
def serve(
    source: Source,
    http: Annotated[
        int | None,
        typer.Option("--http", help="Serve http://127.0.0.1:PORT/mcp; 0 takes a free port."),
    ] = None,
    server: Server = None,
    header: Header = None,
) -> None:
    """Serve the functions of a source over MCP, on standard input and output or over HTTP."""
    from pyfunctools.integrations.mcp import serve as serve_mcp

    with redirect_stdout(sys.stderr):  # standard output is the protocol's
        controller = open_source(source, server=server, headers=header or ())
    if not names_object(source):
        for function in controller.functions[:1]:
            _served(function, server)
    with controller:
        serve_mcp(controller, "stdio" if http is None else "http", port=http or 0)


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
        "origin": place(function.origin),
        "description": function.description,
        "tags": list(function.tags),
        "deprecated": function.deprecated,
    }
