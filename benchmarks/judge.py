"""Requests for every function of the corpus, judged by openapi-core, which knows nothing of us.

    python benchmarks/judge.py --judge VENV --install

Values are generated for the parameters of each function and become requests, as they would be
sent; openapi-core, in a virtual environment of its own, reads the same document and says whether it
takes them. It reads OpenAPI 3.0 to 3.2; Swagger 2.0 it does not.
"""

import argparse
import base64
import json
import os
import random
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve()
FULLNESS = (0.0, 0.5, 1.0)
TRIES = 30
TIMEOUT = 600
BASE = "http://judge.example"

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

Case = dict[str, object]


def main() -> None:
    options = arguments()
    if options.document is not None:
        judge(options.document, options.cases)
        return
    if options.install:
        if not (options.judge / "bin" / "python").exists():
            venv.create(options.judge, with_pip=True)
        run = [str(options.judge / "bin" / "python"), "-m", "pip", "install", "-q", "openapi-core"]
        subprocess.run(run, check=True)
    verdicts: Counter[str] = Counter()
    samples: dict[str, str] = {}
    documents = 0
    for path in sorted(options.corpus.glob("v3.*/*")):
        if options.only in path.name:
            documents += 1
            for case, reason in judged(path, options.judge):
                verdicts[reason] += 1
                samples.setdefault(reason, f"{path.name} {case['name']}")
            print(documents, path.name, file=sys.stderr)
    report(documents, verdicts, samples)


def report(documents: int, verdicts: Counter[str], samples: dict[str, str]) -> None:
    accepted, total = verdicts.pop("", 0), verdicts.total()
    total += accepted
    print(f"{documents} documents, {total} requests, {accepted} accepted: {accepted / total:.2%}\n")
    print("| refused | why | for example |\n|---|---|---|")
    for reason, count in verdicts.most_common():
        shown = reason.replace("|", "/")
        print(f"| {count} | {shown} | {samples[reason]} |")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    shared = Path(os.environ.get("PYFUNCTOOLS_SHARED", HERE.parents[2] / "shared"))
    parser.add_argument("--corpus", type=Path, default=shared / "corpus")
    parser.add_argument("--judge", type=Path, help="the judge's virtual environment")
    parser.add_argument("--install", action="store_true", help="make that environment")
    parser.add_argument("--only", default="", help="documents whose name holds this")
    parser.add_argument("--document", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--cases", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.judge is None and options.document is None:
        parser.error("the judge needs an environment: --judge FOLDER, and --install the first time")
    return options


def judged(path: Path, judge: Path) -> Iterator[tuple[Case, str]]:
    """Return the requests of a document, each with why it is refused, or with nothing."""
    from pyfunctools.errors import DocumentError
    from pyfunctools.sources.openapi.load import load

    try:
        cases, root = list(requests(path)), load(path).root
    except DocumentError:
        return
    with tempfile.TemporaryDirectory() as folder:
        document, asked = Path(folder) / "document.json", Path(folder) / "cases.json"
        document.write_text(json.dumps(root))
        asked.write_text(json.dumps(cases))
        command = [str(judge / "bin" / "python"), "-W", "ignore", str(HERE)]
        command += ["--document", str(document), "--cases", str(asked)]
        try:
            done = subprocess.run(
                command, check=False, capture_output=True, text=True, timeout=TIMEOUT
            )
        except subprocess.TimeoutExpired:
            yield from ((case, "the judge finds no end") for case in cases)
            return
    lines = done.stdout.splitlines()
    ended = (done.stderr.strip().splitlines() or ["it ended"])[-1]
    for index, case in enumerate(cases):
        yield case, json.loads(lines[index]) if index < len(lines) else f"the judge: {ended[:90]}"


def requests(path: Path) -> Iterator[Case]:
    """Return up to three requests for each function: nothing optional in them, half of it, all."""
    from pyfunctools.execution.request.assembly import HttpRequest, build
    from pyfunctools.route import Route
    from pyfunctools.sources.openapi.reader import read_document
    from pyfunctools.testing.fitting import FittingValues

    for function in read_document(path).functions:
        route = function.origin
        assert isinstance(route, Route)
        for fullness in FULLNESS:
            seed = random.Random(f"{function.name} {fullness}")
            values = FittingValues(function.parameters, seed, fullness)
            for _ in range(TRIES):
                value = values.value()
                request = build(route, value, base_url=BASE) if function.validate(value) else None
                if isinstance(request, HttpRequest):
                    content = request.content
                    yield {
                        "name": function.name,
                        "method": request.method,
                        "template": route.path,
                        "url": request.url,
                        "headers": dict(request.headers),
                        "body": None if content is None else base64.b64encode(content).decode(),
                    }
                    break


def judge(document: Path, cases: Path) -> None:
    """Return for each request whether openapi-core accepts it, in an environment of its own."""
    from openapi_core import Config, OpenAPI  # type: ignore[import-not-found]

    root = json.loads(document.read_text())
    # Where it is sent is not in question here, nor who sends it.
    root = {key: value for key, value in root.items() if key not in ("servers", "security")}
    for item in root.get("paths", {}).values():
        for operation in [item, *item.values()] if isinstance(item, dict) else []:
            if isinstance(operation, dict):
                operation.pop("servers", None)
                operation.pop("security", None)
    app = OpenAPI.from_dict(
        {**root, "servers": [{"url": BASE}]}, config=Config(spec_validator_cls=None)
    )
    for case in json.loads(cases.read_text()):
        print(json.dumps(verdict(app, case)))


def verdict(app: object, case: Case) -> str:
    try:
        app.validate_request(request_of(case))  # type: ignore[attr-defined]
    except Exception as error:  # whatever it raises is its verdict
        reason = reason_of(error)
        return reason + oddity(case) if "NotFound" in reason else reason
    return ""


def oddity(case: Case) -> str:
    """Return what is unusual about a path that the judge does not find."""
    template, url = str(case["template"]), str(case["url"])
    marks = {"#": "a fragment", "/:": "`:name` for a slot", "{?": "`{?name}`", "?": "a query"}
    marks |= {"*}": "`{name*}`", "{.": "`{.name}`", "{;": "`{;name}`"}
    found = [said for mark, said in marks.items() if mark in template]
    found += ["a `/` in a value"] if "%2F" in url else []
    found += ["a method it does not know"] if str(case["method"]).lower() not in METHODS else []
    return f" ({', '.join(found)})" if found else ""


def request_of(case: Case) -> object:
    from types import SimpleNamespace
    from urllib.parse import parse_qsl, unquote, urlsplit

    from openapi_core.datatypes import RequestParameters  # type: ignore[import-not-found]
    from werkzeug.datastructures import Headers, ImmutableMultiDict  # type: ignore[import-not-found]

    url, headers = urlsplit(str(case["url"])), dict(case["headers"])  # type: ignore[call-overload]
    cookies = [pair.split("=", 1) for pair in headers.get("cookie", "").split("; ") if "=" in pair]
    body = case["body"]
    return SimpleNamespace(
        host_url=BASE,
        path=unquote(url.path),
        method=str(case["method"]).lower(),
        content_type=headers.get("content-type", ""),
        body=None if body is None else base64.b64decode(str(body)),
        parameters=RequestParameters(
            query=ImmutableMultiDict(parse_qsl(url.query, keep_blank_values=True)),
            header=Headers(headers),
            cookie=ImmutableMultiDict([(name, unquote(value)) for name, value in cookies]),
        ),
    )


def reason_of(error: BaseException) -> str:
    """Return the kind of every error on the way down, and what the innermost schema wanted."""
    chain: list[str] = []
    current: BaseException | None = error
    while current is not None and len(chain) < 5:
        schema_errors = list(getattr(current, "schema_errors", ()))
        what = f": {innermost(schema_errors[0])}" if schema_errors else ""
        chain.append(type(current).__name__ + what)
        current = current.__cause__ or current.__context__
    return " < ".join(dict.fromkeys(chain))


def innermost(error: object) -> str:
    """Return the rule that was broken, and by what kind of value."""
    keyword, value = error.validator, type(error.instance).__name__  # type: ignore[attr-defined]
    if keyword == "type":
        return f"type {json.dumps(error.validator_value)}, and it is {value}"  # type: ignore[attr-defined]
    return f"{keyword}"


if __name__ == "__main__":
    main()
