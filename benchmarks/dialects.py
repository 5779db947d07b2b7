"""What a model is sent of real documents in each dialect, beside what two other libraries send.

    python benchmarks/dialects.py ../shared/corpus --peers VENVS --install

For each function: the bytes and the tokens (the extra `benchmarks`, o200k) of its name, description
and schema as compact JSON, and how many constraints the schema holds. `--peers` names a folder with
a virtual environment for each other library, which `--install` makes; without it their columns are
missing. The others name a function by its `operationId`, say one of its summary and its
description, and leave its objects open: the rows "in their words" do so too, the last of them
closing nothing. What an MCP server lists has the schema of the result as well. Then the time of
rendering all functions of the largest document, of building them once.
"""

import argparse
import json
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

DOCUMENTS = {
    "GitHub GHES": "v3.0/octokit-openapi--generated_ghes-3.17.json",
    "OpenAI": "v3.1/openai-openai-openapi--openapi.json",
    "Slack": "v2.0/slackapi-slack-api-specs--web-api_slack_web_openapi_v2.json",
    "Kubernetes": "v2.0/kubernetes-client-python--kubernetes_swagger.json",
    "a shop": "v3.1/samchon-openapi--v3.1_shopping.json",
}
DIALECTS = ("openai", "openai strict", "anthropic", "anthropic strict", "gemini", "llama")
CONSTRAINTS = frozenset(
    {"additionalProperties", "const", "enum", "exclusiveMaximum", "exclusiveMinimum", "format"}
    | {"maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "multipleOf"}
    | {"pattern", "required", "type", "uniqueItems"}
)
Tool = dict[str, Any]


def of_fastmcp(document: Any) -> list[Tool]:
    listed = listed_by_fastmcp(document)
    return [{"name": t.name, "description": t.description, "schema": t.parameters} for t in listed]


def of_fastmcp_listed(document: Any) -> list[Tool]:
    listed = [t.to_mcp_tool(name=t.name) for t in listed_by_fastmcp(document)]
    return [t.model_dump(mode="json", by_alias=True, exclude_none=True) for t in listed]


def listed_by_fastmcp(document: Any) -> Any:
    import asyncio

    import httpx2
    from fastmcp import FastMCP

    client = httpx2.AsyncClient(base_url="https://api.example.com")
    server = FastMCP.from_openapi(openapi_spec=document, client=client, name="x")
    return asyncio.run(server.list_tools())


def of_adk(document: Any) -> list[Tool]:
    import asyncio

    from google.adk.tools.openapi_tool import OpenAPIToolset

    made: list[Tool] = []
    for tool in asyncio.run(OpenAPIToolset(spec_dict=document).get_tools()):
        said = tool._get_declaration()
        schema = said.parameters_json_schema
        if schema is None and said.parameters is not None:
            schema = said.parameters.model_dump(mode="json", exclude_none=True)
        made.append({"name": said.name, "description": said.description, "schema": schema or {}})
    return made


LISTED = "as an MCP server lists it"
PEERS: dict[str, Callable[[Any], list[Tool]]] = {
    "fastmcp": of_fastmcp,
    f"fastmcp, {LISTED}": of_fastmcp_listed,
    "google-adk": of_adk,
}


def of_peer(name: str, path: Path, folder: Path, seconds: float) -> list[Tool]:
    """Return what another library makes of a document, in a process of its own."""
    python = folder / name.partition(",")[0] / "bin" / "python"
    if not python.exists():
        return []
    words = [str(python), __file__, "--of", name, str(path)]
    try:
        done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return []
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else []


def install(name: str, folder: Path) -> None:
    if not (folder / name).exists():
        venv.create(folder / name, with_pip=True)
        pip = str(folder / name / "bin" / "pip")
        subprocess.run([pip, "install", "-q", name], check=True)


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    from pyfunctools.schema.ground.walk import subschemas as walked

    return (inner for _, inner in walked(schema) if isinstance(inner, dict))


def row(title: str, tools: list[Tool], tokens: Callable[[str], int] | None) -> str:
    if not tools:
        return f"| {title} | 0 | | | |"
    texts = [json.dumps(t, ensure_ascii=False, separators=(",", ":")) for t in tools]
    sizes = [len(text.encode(errors="replace")) for text in texts]
    counted = "" if tokens is None else f"{median(map(tokens, texts)):,.0f}"
    kept = [
        sum(
            len(CONSTRAINTS & inner.keys())
            for name in ("schema", "inputSchema", "outputSchema")
            for inner in subschemas(t.get(name, {}))
        )
        for t in tools
    ]
    return (
        f"| {title} | {len(tools)} | {median(sizes):,.0f} ({sum(sizes) // 1024:,} kB) "
        f"| {counted} | {median(kept):,.0f} |"
    )


def counter() -> Callable[[str], int] | None:
    try:
        import bpe_openai
    except ImportError:
        return None
    encoding = bpe_openai.get_encoding("o200k_base")
    return lambda text: len(encoding.encode_ordinary(text))


def table(path: Path, peers: Path | None, seconds: float) -> Iterator[str]:
    from pyfunctools import Controller
    from pyfunctools.envelopes.mcp import output_of, tool_of

    tokens = counter()
    functions = Controller.from_openapi(path).functions
    for title in DIALECTS:
        name, _, strict = title.partition(" ")
        tools: list[Tool] = []
        refused = 0
        for each in functions:
            rendering = each.render(name, strict=bool(strict))
            refused += bool(strict) and not rendering.strict
            said = {"name": each.name, "description": each.description}
            tools.append({**said, "schema": rendering.schema})
        yield row(f"{title}{f' (not strict: {refused})' if refused else ''}", tools, tokens)
    as_listed = [tool_of(each, output_of(each, modern=True)) for each in functions]
    yield row(f"mcp, {LISTED}", as_listed, tokens)
    for title, tools in in_their_words(path):
        yield row(title, tools, tokens)
    for name in PEERS if peers is not None else ():
        assert peers is not None
        yield row(name, of_peer(name, path, peers, seconds), tokens)


def in_their_words(path: Path) -> Iterator[tuple[str, list[Tool]]]:
    """Yield our functions with no more said of them than others say."""
    from pyfunctools import Controller

    named = Controller.from_openapi(path, names="operation_id", describe="brief").functions
    tools: list[Tool] = []
    for each in named:
        summary, _, rest = each.description.partition("\n\n")
        said = {"name": each.name, "description": rest or summary}
        tools.append({**said, "schema": each.render("openai").schema})
    yield "openai, in their words", tools
    for tool in tools:
        for inner in subschemas(tool["schema"]):
            if inner.get("additionalProperties") is False:
                del inner["additionalProperties"]
    yield "openai, in their words, objects left open", tools


def timed(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def times(path: Path) -> Iterator[str]:
    from pyfunctools import Controller

    ratios: list[tuple[float, float]] = []
    for _ in range(3):
        controller = Controller.from_openapi(path)
        built = timed(lambda c=controller: [each.llm for each in c])
        first = timed(lambda c=controller: [each.render("openai") for each in c])
        again = timed(lambda c=controller: [each.render("openai") for each in c])
        ratios.append((first / built, again / built))
    first, again = (min(each) for each in zip(*ratios, strict=True))
    yield f"Rendering all functions, of building their schemas: {first:.2f}; again: {again:.3f}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--of", choices=sorted(PEERS))
    asked = parser.parse_args()
    if asked.of:
        print(json.dumps(PEERS[asked.of](json.loads(asked.corpus.read_text()))))
        return
    if asked.peers is not None and asked.install:
        for name in ("fastmcp", "google-adk"):
            install(name, asked.peers)
    for title, place in DOCUMENTS.items():
        path = asked.corpus / place
        print(f"\n| {title} | functions | median bytes (all) | median tokens | constraints |")
        print("|---|---|---|---|---|")
        for line in table(path, asked.peers, asked.timeout):
            print(line, flush=True)
    for line in times(asked.corpus / DOCUMENTS["GitHub GHES"]):
        print(f"\n{line}")


if __name__ == "__main__":
    sys.exit(main())
