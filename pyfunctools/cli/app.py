"""The commands, their options, and their exit statuses."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from hmac import compare_digest
from typing import Annotated

import typer
from rich.console import Console

from pyfunctools import __name__ as package
from pyfunctools import __version__
from pyfunctools._text import quantity
from pyfunctools.cli import demo as demonstration
from pyfunctools.cli import display
from pyfunctools.cli.advice import findings, summed_up
from pyfunctools.cli.asking import answers_to, approval_prompt
from pyfunctools.cli.display import Status, outcome_row, prepare, print_json, status_of
from pyfunctools.cli.replaying import check_recording
from pyfunctools.cli.source import (
    json_arguments,
    open_source,
    opened,
    page_of,
    read_context,
    read_human,
    read_keys,
    read_value,
)
from pyfunctools.controller.controller import Controller
from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.record.function import Function
from pyfunctools.record.origin import origin_text

app = typer.Typer(
    name=package,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Exit status: 0 done, 1 the function failed, 2 a mistake in the command or the source, "
    "3 the arguments were refused, 4 a person has to add or approve something, 5 `check` or "
    "`replay` found something, 130 ended by ctrl-C.",
)


SourceArgument = Annotated[
    str,
    typer.Argument(
        help="An OpenAPI document's path, `-` for standard input, `module:object` of Python (a "
        "class, a function, a FastAPI application), or `demo`."
    ),
]
NameArgument = Annotated[str, typer.Argument(help="The function's name, as `list` shows it.")]
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
    typer.Argument(help='Arguments as `name=value`; an object as JSON: `body={"city": "Oslo"}`.'),
]
Args = Annotated[
    str | None, typer.Option(help="What the model wrote: JSON, `@file`, or `-` for standard input.")
]
Values = Annotated[
    str | None, typer.Option(help="The person's values: a JSON object, `@file`, or `-`.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Run it without asking for approval.")]
AskToo = Annotated[
    bool, typer.Option("--ask", help="Ask for what a person gives also without a terminal.")
]
HttpPort = Annotated[
    int | None,
    typer.Option("--http", "--port", help="Serve over HTTP at this port; 0 takes a free one."),
]
TokenVariable = Annotated[
    str | None,
    typer.Option(help="The environment variable with the bearer token that requests need."),
]
KeysInHex = Annotated[
    str | None,
    typer.Option(
        help="The keys that protect waiting calls, the same for all processes: in hex, the newest "
        "first; `@file`, or $VARIABLE."
    ),
]
PageUrl = Annotated[
    str | None,
    typer.Option(help="Your page for secrets and files, with `{ticket}` in its address."),
]
Undecorated = Annotated[
    bool, typer.Option("--all", help="Every public method of a class, not only decorated ones.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for another program.")]


def run() -> None:
    """Run the command line; on an error print one line to standard error and exit with status 2."""
    prepare()
    try:
        app()
    except (PyfunctoolsError, OSError) as error:  # the disk is full, the folder is gone
        display.print_note(f"error: {error}", "red")
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
def demo() -> None:
    """Show what the library does, with a small shop of its own."""
    demonstration.play(Console())


@app.command(name="list")
def list_functions(
    source: SourceArgument,
    tag: Annotated[str | None, typer.Option(help="Only functions with this tag.")] = None,
    undecorated: Undecorated = False,
    as_json: AsJson = False,
) -> None:
    """List the functions of a source: name, origin, summary."""
    controller = open_source(source, undecorated=undecorated)
    chosen = controller if tag is None else _selected(controller, [tag], None)
    _print_functions(chosen.functions, controller, as_json=as_json, is_whole=tag is None)


@app.command(name="search")
def search_functions(
    source: SourceArgument,
    words: Annotated[list[str], typer.Argument(help="What the function does.")],
    limit: Annotated[int, typer.Option(help="The most functions.")] = 8,
    undecorated: Undecorated = False,
    as_json: AsJson = False,
) -> None:
    """Find the functions that fit a few words, the best first."""
    controller = open_source(source, undecorated=undecorated)
    functions = controller.search(" ".join(words), limit=limit)
    _print_functions(functions, controller, as_json=as_json)


def _print_functions(
    functions: Sequence[Function], controller: Controller, *, as_json: bool, is_whole: bool = False
) -> None:
    if as_json:
        print_json([_row(function) for function in functions])
        return
    display.print_table(list(map(display.table_row, functions)))
    total, skipped = quantity(len(functions), "function"), None
    if is_whole:
        total += f", {len(controller.skipped)} skipped"
        skipped = display.skipped_text(controller)
    display.print_parts(Console(stderr=True), skipped)
    display.print_note(total)


@app.command()
def show(
    source: SourceArgument,
    name: NameArgument,
    undecorated: Undecorated = False,
    as_json: AsJson = False,
) -> None:
    """Show one function: the schemas of both sides, output, notes."""
    function = open_source(source, undecorated=undecorated)[name]
    if not as_json:
        console = Console()
        display.print_parts(console, display.function_page(function, console))
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
def report(
    source: SourceArgument, undecorated: Undecorated = False, as_json: AsJson = False
) -> None:
    """Report the size of each function, what was skipped, notes."""
    result = open_source(source, undecorated=undecorated).report()
    if as_json:
        print_json(asdict(result))
    else:
        print(result)


@app.command()
def check(
    source: SourceArgument, undecorated: Undecorated = False, as_json: AsJson = False
) -> None:
    """Find problems: skipped parts, notes on the source, advice. Status 5 if there are any.

    In a terminal, of findings that say the same a few are shown, and the rest is counted; `--json`
    prints all.
    """
    found = list(findings(open_source(source, undecorated=undecorated)))
    if as_json:
        print_json([{"where": where, "kind": kind, "text": text} for where, kind, text in found])
    else:
        display.print_table(found, [*summed_up(found)])
        kinds = Counter(kind for _, kind, _ in found)
        counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        display.print_note(counts or "nothing found")
    if found:
        raise typer.Exit(Status.FOUND)


@app.command()
def replay(
    source: SourceArgument,
    file: Annotated[str, typer.Argument(help="Recorded calls as JSON lines; `-`: stdin.")],
    undecorated: Undecorated = False,
    as_json: AsJson = False,
) -> None:
    """Check recorded calls without running them. Status 5 if a call is invalid or unknown."""
    controller = open_source(source, undecorated=undecorated)
    with opened(file, file) as recorded:
        counts = check_recording(controller, recorded)
    if as_json:
        print_json(counts)
    else:
        found = [(title, each) for title, named in counts.items() for each in named.items()]
        display.print_table([(title, name, str(count)) for title, (name, count) in found])
    if not counts["calls"].keys() <= {"right", "repaired"}:
        raise typer.Exit(Status.FOUND)


@app.command()
def export(
    source: SourceArgument,
    dialect: Annotated[str, typer.Option(help="`openai`, `anthropic`, `gemini`, ...")] = "openai",
    tag: Annotated[list[str] | None, typer.Option(help="Only functions with this tag.")] = None,
    name: Annotated[list[str] | None, typer.Option(help="Only these functions.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Strict mode where possible.")] = False,
    undecorated: Undecorated = False,
) -> None:
    """Print a vendor's tools as JSON; losses go to standard error."""
    controller = open_source(source, undecorated=undecorated)
    if tag or name:
        controller = _selected(controller, tag or None, name or None)
    tools = controller.tools(dialect, strict=strict or None)
    for function, losses in tools.losses.items():
        for loss in losses:
            display.print_note(f"{function} {loss.path}: `{loss.keyword}` {loss.how}")
    print_json(list(tools), indent=2)
    display.print_note(f"{quantity(len(tools), 'tool')}, {quantity(tools.bytes, 'byte')}")


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
    undecorated: Undecorated = False,
    as_json: AsJson = False,
) -> None:
    """Call one function; the exit status depends on the outcome.

    In a terminal, the person is asked for missing values, and for approval if the function needs it
    or is destructive.
    """
    if (source, args, human).count("-") > 1:
        raise DefinitionError("-", "Standard input can be read once.", "Give the other by `@file`.")
    controller = open_source(
        source, server=server, headers=header, auth=auth, undecorated=undecorated, runs=True
    )
    if words and args is not None:
        raise DefinitionError("--args", "There are `name=value` words too.", "Give one of the two.")
    text = json_arguments(words) if words else read_value(args) or ""
    values, shared = read_human(human), read_context(context)
    approve = True if yes else approval_prompt(ask=ask)
    with controller.configured(confirm="destructive") as careful:
        outcome = careful.call(name, text, human=values, context=shared, approve=approve)
        try:
            while (answers := answers_to(outcome, values, ask=ask)) is not None:
                values = answers
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
    http: HttpPort = None,
    host: Annotated[str, typer.Option(help="Another needs --auth-token-env.")] = "127.0.0.1",
    path: Annotated[str, typer.Option(help="The path of the server.")] = "/mcp",
    name: Annotated[str | None, typer.Option(help="The server's name for clients.")] = None,
    version: Annotated[str | None, typer.Option(help="The server's version for clients.")] = None,
    auth_token_env: TokenVariable = None,
    keys: KeysInHex = None,
    page_url: PageUrl = None,
    max_connections: Annotated[int, typer.Option(help="The most connections at a time.")] = 1_000,
    context: ContextOf = None,
    server: ServerOption = None,
    header: Header = None,
    auth: Auth = None,
    undecorated: Undecorated = False,
) -> None:
    """Serve the functions over MCP, on standard streams or HTTP."""
    from pyfunctools.integrations.mcp import serve

    if http is None and (auth_token_env, host, path) != (None, "127.0.0.1", "/mcp"):
        reason = "Standard input and output have no host, path or token."
        raise DefinitionError("--http", reason, "Add `--http PORT`.")
    with redirect_stdout(sys.stderr):  # standard output belongs to the protocol
        controller = open_source(
            source, server=server, headers=header, auth=auth, undecorated=undecorated, runs=True
        )
    shared = read_context(context)
    with controller:
        serve(
            controller,
            "stdio" if http is None else "http",
            host=host,
            port=http or 0,
            path=path,
            max_connections=max_connections,
            name=name,
            version=version,
            auth=None if auth_token_env is None else _token_check(auth_token_env),
            keys=read_keys(keys),
            url=None if page_url is None else page_of(page_url),
            context=None if context is None else lambda _: shared,
        )


@app.command()
def inspect(
    source: SourceArgument,
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser.")] = False,
    context: ContextOf = None,
    server: ServerOption = None,
    header: Header = None,
    auth: Auth = None,
    undecorated: Undecorated = False,
) -> None:
    """Show and try the functions on a page of this machine."""
    from pyfunctools.integrations.inspector.inspector_page import serve_inspector

    with redirect_stdout(sys.stderr):
        controller = open_source(
            source, server=server, headers=header, auth=auth, undecorated=undecorated
        )
        shared = read_context(context)
    with controller:
        serve_inspector(controller, port=port, opens=not no_open, context=shared, source=source)


def _token_check(variable: str) -> Callable[[str], str | None]:
    """Return a check of bearer tokens; the owner of the right one is the variable's name.

    Raises:
        DefinitionError: the variable is not set, or the token is short.
    """
    token = os.environ.get(variable, "")
    if len(token) < _SHORTEST_TOKEN:
        reason = f"${variable} must be a token of {_SHORTEST_TOKEN} characters or more."
        raise DefinitionError("--auth-token-env", reason, "Make one: `openssl rand -hex 32`.")
    return lambda given: variable if compare_digest(given.encode(), token.encode()) else None


_SHORTEST_TOKEN = 16


def _row(function: Function) -> dict[str, object]:
    return {
        "name": function.name,
        "origin": origin_text(function.origin),
        "description": function.description,
        "tags": list(function.tags),
        "deprecated": function.deprecated,
    }


def _selected(
    controller: Controller, tags: list[str] | None, names: list[str] | None
) -> Controller:
    try:
        return controller.select(tags=tags, names=names)
    except DefinitionError as error:
        option = "--tag" if error.where == "select(tags)" else "--name"
        raise DefinitionError(option, error.reason) from None
