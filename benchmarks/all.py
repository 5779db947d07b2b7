"""Run every benchmark and write its tables into README.md: `python benchmarks/all.py`.

It takes some ten minutes on two quiet cores, reads documents and recorded answers from the folder
`--shared`, and goes on where one fails: what cannot run keeps its last figures, and the README says
why. `--quick` measures everything once and writes nothing; `--draw` measures nothing and draws the
plots of the tables that stand there. Those beside other libraries run only with `--peers FOLDER`,
which holds an environment for each, as their own `--install` makes it.
"""

import argparse
import os
import platform
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from tables import draw, tables_in

HERE = Path(__file__).resolve().parent
README = HERE / "README.md"
PLOTS = HERE / "plots"
LARGE = "{shared}/corpus/v3.0/octokit-openapi--generated_ghes-3.17.json"
SMALL = "{shared}/corpus/v3.0/box-box-openapi--openapi.json"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A command, what it needs, and what of its output is kept beside the tables."""

    name: str
    command: str
    quick: str = ""
    packages: tuple[str, ...] = ()
    lines: str = "(?!)"
    """A pattern of the other lines that are kept."""
    charts: dict[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    """The columns that are drawn of some tables; of the others all that hold numbers."""
    seconds: int = 600
    """After which it is given up."""


BENCHMARKS = (
    Benchmark("startup", "startup.py"),
    Benchmark("engine", "engine.py", lines="A call of"),
    Benchmark("documents", f"documents.py {LARGE}", f"documents.py {SMALL}", lines=r"\d+ func"),
    Benchmark("separate", f"separate.py {LARGE}", f"separate.py {SMALL}", lines=r"\d+ func"),
    Benchmark(
        "corpus",
        "corpus.py --corpus {shared}/corpus --least 100",
        "corpus.py --corpus {shared}/corpus --only figma",
        lines=r"\d+ doc",
        charts={0: ("s",)},
    ),
    Benchmark(
        "dialects",
        "dialects.py {shared}/corpus",
        packages=("bpe_openai",),
        lines="Rendering",
        charts=dict.fromkeys(range(5), ("median bytes (all)", "median tokens")),
    ),
    Benchmark(
        "calls", "calls.py {shared}/bfcl", lines=r"ratio|\d+ outputs", packages=("json_repair",)
    ),
    Benchmark(
        "leaderboard", "{shared}/bfcl/replay.py", packages=("bfcl_eval",), lines=r"\d+ outputs"
    ),
    Benchmark("over_http", "over_http.py", packages=("httpx",)),
    Benchmark("mcp_calls", "mcp_calls.py", "mcp_calls.py 20", packages=("mcp",), lines=".*us"),
    Benchmark(
        "yaml12",
        "yaml12.py {shared}/corpus/v3.1/figma-rest-api-spec--openapi_openapi.yaml",
        packages=("yaml",),
        charts={0: ("ms",)},
    ),
    Benchmark(
        "search",
        "search.py --shared {shared}",
        "search.py --shared {shared} --only pyfunctools",
        charts={0: ("@1", "@5", "@10")},
        seconds=1200,
    ),
    Benchmark(
        "search_cost",
        f"search.py --shared {{shared}} --scale --tokens {LARGE}",
        f"search.py --shared {{shared}} --tokens {SMALL}",
        packages=("bpe_openai",),
        lines="The index",
        charts={0: ("median ms", "p95 ms"), 1: ("tokens",)},
        seconds=1200,
    ),
    Benchmark("programs", "programs.py", packages=("pydantic_monty",)),
    Benchmark("trips", "trips.py", charts={0: ("calls", "files", "hops")}),
)
BESIDE = (
    Benchmark(
        "corpus_peers",
        "corpus.py --corpus {shared}/corpus --least 40 --peers {peers}",
        lines=r"\d+ doc",
        seconds=7200,
    ),
    Benchmark(
        "dialects_peers",
        "dialects.py {shared}/corpus --peers {peers}",
        packages=("bpe_openai",),
        seconds=3600,
    ),
    Benchmark(
        "broken",
        "broken.py --shared {shared} --peers {peers}",
        charts={0: ("accepted rightly", "refused rightly", "accepted wrongly", "refused wrongly")},
    ),
    Benchmark(
        "beside",
        "beside.py {before} --corpus {shared}/corpus",
        packages=("fastmcp", "pydantic_ai"),
        seconds=7200,
    ),
    Benchmark("judge", "judge.py --judge {peers}/openapi-core", lines=".*accepted", seconds=3600),
)
BY_HAND = {
    "model": "It needs the extra `model` and half an hour; its command is above its table.",
    "programs_model": "It needs the extra `model`; its command is above its table.",
}


def main() -> int:
    options = arguments()
    if options.draw:
        for name in (*(each.name for each in (*BENCHMARKS, *BESIDE)), *BY_HAND):
            write(name, place_of(name))
        return 0
    if not options.quick and find_spec("matplotlib") is None:
        sys.exit("The plots need matplotlib: pip install '.[benchmarks]'")
    refused: dict[str, str] = {}
    for benchmark in (*BENCHMARKS, *BESIDE):
        if options.only and benchmark.name not in options.only:
            continue
        begun = time.monotonic()
        reason = hindrance(benchmark, options)
        if not reason:
            reason = measured(benchmark, options)
        took = f"{time.monotonic() - begun:.0f} s"
        print(f"{benchmark.name}: {reason or took}", file=sys.stderr, flush=True)
        if reason:
            refused[benchmark.name] = reason
    if not options.quick and not options.only:
        write("left_out", "\n".join(said_of({**refused, **BY_HAND})))
    return 1 if any(each.startswith("It failed") for each in refused.values()) else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    shared = Path(os.environ.get("PYFUNCTOOLS_SHARED", HERE.parents[1] / "shared"))
    parser.add_argument("--shared", type=Path, default=shared, help="documents, recorded answers")
    parser.add_argument("--peers", type=Path, help="a folder of environments of other libraries")
    parser.add_argument(
        "--before", nargs="+", metavar="NAME=TREE", help="checkouts of other commits"
    )
    parser.add_argument("--quick", action="store_true", help="measure once, and write nothing")
    parser.add_argument("--draw", action="store_true", help="draw the plots, and measure nothing")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these benchmarks alone")
    return parser.parse_args()


def hindrance(benchmark: Benchmark, options: argparse.Namespace) -> str:
    """Return why a benchmark cannot run here; empty if it can."""
    if "{shared}" in benchmark.command and not options.shared.is_dir():
        return f"Its documents and answers are not here: no folder `{options.shared.name}`."
    if "{peers}" in benchmark.command and (options.peers is None or options.quick):
        return "It needs other libraries, each in an environment of its own (`--peers`)."
    if "{before}" in benchmark.command and (not options.before or options.quick):
        return "It needs checkouts of other commits (`--before NAME=TREE ...`)."
    missing = [each for each in benchmark.packages if find_spec(each) is None]
    return f"It needs the package `{missing[0]}`, which is not installed." if missing else ""


def measured(benchmark: Benchmark, options: argparse.Namespace) -> str:
    """Run a benchmark and keep its figures; return why there are none."""
    command = (options.quick and benchmark.quick) or benchmark.command
    before = [str(tree) for tree in options.before or ()]
    places = {
        "shared": shlex.quote(str(options.shared)),
        "peers": shlex.quote(str(options.peers)),
        "before": shlex.join(before),
    }
    words = shlex.split(command.format_map(places))
    script = words[0] if os.sep in words[0] else str(HERE / words[0])
    environment = {**os.environ, **({"BENCHMARK_ROUNDS": "1"} if options.quick else {})}
    about = circumstances()
    try:
        done = subprocess.run(
            [sys.executable, script, *words[1:]],
            check=False,
            capture_output=True,
            text=True,
            timeout=benchmark.seconds,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return f"It failed: no end within {benchmark.seconds} s."
    if done.returncode:
        return f"It failed: {(done.stderr.strip().splitlines() or ['no word of it'])[-1][:200]}"
    named = " ".join("{0}=../{0}".format(tree.split("=")[0]) for tree in before)
    shown = command.format(shared="../shared", peers="PEERS", before=named)
    text = "\n".join(block(shown, benchmark.lines, done.stdout, about))
    if options.quick:
        print(text)
    else:
        write(benchmark.name, text)
    return ""


def circumstances() -> str:
    """Return when and where it runs, and how busy the machine is before it does."""
    load = f", load {os.getloadavg()[0]:.1f} before" if hasattr(os, "getloadavg") else ""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{datetime.now(UTC):%Y-%m-%d}, {python}, {os.cpu_count()} cores{load}"


def block(command: str, lines: str, printed: str, about: str) -> Iterator[str]:
    """Yield the lines of a benchmark's place: its command, what it said, its tables."""
    script = "" if command.startswith("..") else "benchmarks/"
    yield f"`python {script}{command}` ({about})"
    kept = [line for line in printed.splitlines() if re.match(lines, line)]
    if kept:
        yield ""
        yield from (f"{line}  " for line in kept[:-1])
        yield kept[-1]
    for table in tables_in(printed):
        yield ""
        yield from table.lines


def illustrated(name: str, text: str) -> str:
    """Return the text of a place with a plot below each table, which is drawn."""
    charts = {each.name: each.charts for each in (*BENCHMARKS, *BESIDE)}.get(name, {})
    text = re.sub(r"\n!\[[^\]]*\]\(plots/[^)]*\)\n", "", text)
    for number, table in enumerate(tables_in(text)):
        path = PLOTS / f"{name}_{number + 1}.png"
        if draw(table, charts.get(number, ()), path):
            lines = "\n".join(table.lines)
            picture = f"![{name}: the same as bars](plots/{path.name})"
            text = text.replace(lines, f"{lines}\n\n{picture}", 1)
    return text


def said_of(refused: dict[str, str]) -> Iterator[str]:
    yield "Not run with the others, so that what stands above is older:"
    yield ""
    yield from (f"- `{name}`: {reason}" for name, reason in refused.items())


def place_of(name: str) -> str:
    """Return what stands in the README between the two comments that name a benchmark."""
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", read(), re.DOTALL)
    if not found:
        raise SystemExit(f"README.md has no place for {name}: <!-- {name} --> <!-- /{name} -->")
    return found[1]


def write(name: str, text: str) -> None:
    """Put a text into its place in the README, with a plot of each table."""
    marks = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before = marks[0] + place_of(name) + marks[1]
    after = marks[0] + illustrated(name, text.rstrip("\n") + "\n").lstrip("\n") + marks[1]
    README.write_text(read().replace(before, after), encoding="utf-8")


def read() -> str:
    return README.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
