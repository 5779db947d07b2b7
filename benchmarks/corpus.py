"""Every document of the corpus, read by pyfunctools and by its peers, as one table.

    python benchmarks/corpus.py --peers VENVS --install --out table.md

Each document is imported in a process of its own, within `--timeout` seconds, and every schema is
built. `--peers` names a folder with one virtual environment for each peer, which `--install` makes;
without it their columns stay empty. Seconds are those of importing, without starting the
interpreter and loading the packages; MB is the most memory the process held.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import time
import venv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PEERS = {"fastmcp": "import_fastmcp.py", "google-adk": "import_adk.py"}
OURS = "pyfunctools"
HERE = Path(__file__).resolve()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One document; `operations` is `None` where nobody counted."""

    file: str
    version: str
    operations: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one import."""

    functions: int = 0
    skipped: int = 0
    seconds: float | None = None
    megabytes: int | None = None
    error: str = ""
    refused: bool = False


Row = tuple[Entry, dict[str, Result]]


def main() -> None:
    options = arguments()
    if options.one is not None:
        print(json.dumps(imported(options.one, options.corpus)))
        return
    peers = {name: options.peers / name for name in PEERS} if options.peers else {}
    if options.install:
        install(peers)
    rows: list[Row] = []
    for entry in entries(options.corpus, options.only):
        results = {OURS: ours(entry, options)}
        for name, folder in peers.items():
            results[name] = of_peer(PEERS[name], entry, folder, options)
        rows.append((entry, results))
        print(f"{len(rows)} {entry.file}", file=sys.stderr)
    told = [row for row in rows if (row[0].operations or 0) >= options.least]
    text = "\n".join([*table(told, list(peers)), "", *totals(rows, [OURS, *peers])])
    if options.out is None:
        print(text)
    else:
        options.out.write_text(text + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    shared = Path(os.environ.get("PYFUNCTOOLS_SHARED", HERE.parents[2] / "shared"))
    parser.add_argument("--corpus", type=Path, default=shared / "corpus")
    parser.add_argument("--scripts", type=Path, default=shared / "peers", help="peers' importers")
    parser.add_argument("--peers", type=Path, help="a folder of virtual environments")
    parser.add_argument("--install", action="store_true", help="make the environments")
    parser.add_argument("--only", default="", help="documents whose name holds this")
    parser.add_argument("--least", type=int, default=0, help="rows of so many operations only")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one import")
    parser.add_argument("--out", type=Path, help="where the table is written")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.install and options.peers is None:
        parser.error("--install needs --peers")
    return options


def entries(corpus: Path, only: str) -> Iterator[Entry]:
    with (corpus / "manifest.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if only in row["file"]:
                known = None if row["version"] == "multifile" else int(row["operations"])
                yield Entry(file=row["file"], version=row["version"], operations=known)


def install(peers: dict[str, Path]) -> None:
    for name, folder in peers.items():
        if not (folder / "bin" / "python").exists():
            venv.create(folder, with_pip=True)
        run = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", name, "pyyaml"]
        subprocess.run(run, check=True)


def ours(entry: Entry, options: argparse.Namespace) -> Result:
    command = [sys.executable, str(HERE), "--one", str(options.corpus / entry.file)]
    found = answer([*command, "--corpus", str(options.corpus)], options.timeout, os.environ)
    return found if isinstance(found, Result) else Result(**found)


def imported(path: Path, corpus: Path) -> dict[str, object]:
    """Import one document in this process, and build every schema of it."""
    from pyfunctools import Controller
    from pyfunctools.errors import DocumentError
    from pyfunctools.sources.openapi.document import files_under

    folder = path.parent if path.is_relative_to(corpus / "multifile") else None
    resolver = None if folder is None else files_under(folder)
    Controller.from_openapi({"openapi": "3.1.0", "paths": {}})  # loads what is loaded when needed
    begun = time.perf_counter()
    try:
        controller = Controller.from_openapi(path, resolver=resolver)
    except DocumentError as error:
        return {"error": error.reason, "refused": True}
    for function in controller:
        _ = function.parameters, function.output
    seconds = time.perf_counter() - begun
    return {
        "functions": len(controller),
        "skipped": len([each for each in controller.skipped if "webhook" not in each.where]),
        "seconds": seconds,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def of_peer(script: str, entry: Entry, folder: Path, options: argparse.Namespace) -> Result:
    command = [str(folder / "bin" / "python"), str(options.scripts / script)]
    environment = {**os.environ, "PYTHONPATH": str(options.scripts)}
    found = answer([*command, str(options.corpus / entry.file)], options.timeout, environment)
    if isinstance(found, Result):
        return found
    load, convert = found.get("load_s"), found.get("convert_s")
    return Result(
        functions=int(str(found.get("tools", 0))) - int(str(found.get("undumpable", 0))),
        seconds=float(str(load)) + float(str(convert)) if load is not None else None,
        megabytes=int(str(found.get("rss_peak_mb") or found.get("rss_convert_mb") or 0)),
        error=str(found.get("error", "")),
    )


def answer(
    command: Sequence[str], timeout: float, environment: "os._Environ[str] | dict[str, str]"
) -> "dict[str, object] | Result":
    """Return the JSON a command prints last, or why there is none."""
    try:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            timeout=timeout,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return Result(error=f"no end within {timeout:.0f} s")
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        words = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        return Result(error=words[-1])
    return json.loads(lines[-1])


def table(rows: Sequence[Row], peers: Sequence[str]) -> Iterator[str]:
    heads = ["document", "version", "operations", "functions", "skipped", "s", "MB", "refused"]
    for name in peers:
        heads += [name, "s", "MB", "why not"]
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for entry, results in rows:
        own = results[OURS]
        count = "" if entry.operations is None else str(entry.operations)
        cells = [entry.file, entry.version, count, str(own.functions), str(own.skipped)]
        cells += [*measured(own), shown(own.error)]
        for name in peers:
            peer = results[name]
            cells += [str(peer.functions), *measured(peer), shown(peer.error)]
        yield "| " + " | ".join(cells) + " |"


def measured(result: Result) -> tuple[str, str]:
    seconds = "" if result.seconds is None else f"{result.seconds:.2f}"
    return seconds, str(result.megabytes or "")


def shown(text: str) -> str:
    line = " ".join(text.split()).replace("|", "\\|")
    return line if len(line) <= 70 else line[:69] + "…"


def totals(rows: Sequence[Row], names: Sequence[str]) -> Iterator[str]:
    counted = [row for row in rows if row[0].operations]
    written = Counter(dict.fromkeys(names, 0))
    yield f"{len(rows)} documents, {sum(e.operations or 0 for e, _ in rows)} operations in them."
    yield ""
    yield "| | functions | documents with all | with none | s in all | MB at most |"
    yield "|---|---|---|---|---|---|"
    for name in names:
        own = [(entry, results[name]) for entry, results in rows]
        whole = [r for e, r in own if e.operations and r.functions >= e.operations]
        empty = [r for e, r in own if e.operations and not r.functions]
        written[name] = sum(results[name].functions for _, results in counted)
        seconds = sum(result.seconds or 0 for _, result in own)
        most = max((result.megabytes or 0 for _, result in own), default=0)
        yield (
            f"| {name} | {written[name]} | {len(whole)} of {len(counted)} | {len(empty)} "
            f"| {seconds:.1f} | {most} |"
        )


if __name__ == "__main__":
    main()
