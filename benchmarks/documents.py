"""What reading documents costs: `python benchmarks/documents.py FILE`.

First a real document, beside `json.loads` of the same text; then generated ones of 10 to 10,000
operations, one of schemas that all lead to each other, and one of deep inheritance. Times are those
of the processor, and medians of rounds that each do everything once.
"""

import gc
import json
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from rounds import rounds

from pyfunctools import Controller

ROUNDS = rounds(9)
SIZES = (10, 100, 1_000, 10_000)
MUTUAL = 300
INHERITING = 4_000

Document = dict[str, object]


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    real(Path(sys.argv[1]).read_text())
    growing()
    mutual()
    inheriting()


def real(text: str) -> None:
    """Compare a document with its JSON."""
    times: dict[str, list[float]] = {"json.loads": [], "open and list": [], "build all schemas": []}
    functions = skipped = 0
    for _ in range(ROUNDS):
        gc.collect()  # so that nobody pays for what an earlier round left
        times["json.loads"].append(timed(lambda: json.loads(text)))
        gc.collect()
        begun = time.process_time()
        controller = Controller.from_openapi(text)
        assert all(each.name and each.description is not None for each in controller)
        opened = time.process_time()
        schemas(controller)
        times["open and list"].append(opened - begun)
        times["build all schemas"].append(time.process_time() - opened)
        functions, skipped = len(controller), len(controller.skipped)
        del controller
    print(f"{functions} functions, {skipped} skipped\n")
    print("| | ms | of `json.loads` |\n|---|---|---|")
    for name, taken in times.items():
        # Each round is measured against itself: on a busy machine all of it is slow at once.
        ratio = statistics.median(map(lambda a, b: a / b, taken, times["json.loads"]))
        print(f"| {name} | {1000 * statistics.median(taken):.0f} | {ratio:.2f} |")
    loaded, built = peak(lambda: json.loads(text)), peak(lambda: built_of(text))
    print(f"| peak memory, all schemas built | {built / 2**20:.0f} MiB | {built / loaded:.2f} |")


def growing() -> None:
    """Show what one operation costs in documents of very different sizes."""
    print("\n| operations | open, us each | build, us each |\n|---|---|---|")
    for size in SIZES:
        text = json.dumps(generated(size))
        opened: list[float] = []
        built: list[float] = []
        repeat = max(1, 200 // size)  # a short time is measured over many
        for _ in range(ROUNDS if size < SIZES[-1] else 3):
            gc.collect()
            kept = []
            opened.append(timed(lambda: kept.extend(many(text, repeat))) / repeat)  # noqa: B023
            built.append(timed(lambda: [schemas(each) for each in kept]) / repeat)  # noqa: B023
        each = [1e6 * statistics.median(taken) / size for taken in (opened, built)]
        print(f"| {size:,} | {each[0]:.0f} | {each[1]:.0f} |")


def mutual() -> None:
    """Show that schemas which expand into each other are not expanded: all of one function's."""
    print("\n| schemas that all lead to each other | ms |\n|---|---|")
    for count in (MUTUAL // 4, MUTUAL // 2, MUTUAL):
        text = json.dumps(expanding(count))
        taken = [timed(lambda: first_of(text)) for _ in range(3)]  # noqa: B023
        print(f"| {count} | {1000 * statistics.median(taken):.0f} |")


def inheriting() -> None:
    """Show that a base with hundreds of subtypes, named by a discriminator, does not bring them."""
    print("\n| operations over deep inheritance | open | all schemas | MiB | definitions each |")
    print("|---|---|---|---|---|")
    for count in (INHERITING // 4, INHERITING):
        text = json.dumps(inherited(count))
        gc.collect()
        parsed = timed(lambda: json.loads(text))  # noqa: B023
        gc.collect()
        kept: list[Controller] = []
        opened = timed(lambda: kept.append(Controller.from_openapi(text)))  # noqa: B023
        built = timed(lambda: schemas(kept[0]))  # noqa: B023
        each = statistics.mean(len((f.output or {}).get("$defs", {})) for f in kept[0])
        size = peak(lambda: built_of(text)) / 2**20  # noqa: B023
        costs = f"{opened / parsed:.1f} | {built / parsed:.1f} | {size:.0f}"
        print(f"| {count:,} | {costs} | {each:.0f} |")


def inherited(count: int) -> Document:
    """Return a document as of Microsoft Graph: types with a base, a property of each, a mapping."""
    schemas: Document = {}
    for index in range(count // 4):
        base = f"t{(index - 1) // 6}" if index else None
        heirs = {
            f"#t{heir}": f"#/components/schemas/t{heir}"
            for heir in range(index * 6 + 1, index * 6 + 7)
        }
        tagged = {"propertyName": "@odata.type", "mapping": heirs}
        properties: Document = {f"p{i}": {"type": "string", "nullable": True} for i in range(8)}
        properties["related"] = {"anyOf": [named(f"t{(index * 7 + 3) % 12}"), {"type": "object"}]}
        own = {"type": "object", "properties": properties, "discriminator": tagged}
        own["properties"]["@odata.type"] = {"type": "string", "readOnly": True}
        schemas[f"t{index}"] = own if base is None else {"allOf": [named(base), own]}
    paths: Document = {}
    for index in range(count):
        answer = {"content": {"application/json": {"schema": named(f"t{index % (count // 4)}")}}}
        body = {"content": {"application/json": {"schema": named(f"t{index % (count // 4)}")}}}
        paths[f"/things{index}"] = {"patch": {"requestBody": body, "responses": {"2XX": answer}}}
    return document(paths, schemas)


def generated(operations: int) -> Document:
    """Return a document of operations like those of real services, one schema for every four."""
    paths: Document = {}
    schemas: Document = {}
    for index in range(operations):
        name = f"Thing{index // 4}"
        answer = {"description": "It.", "content": {"application/json": {"schema": named(name)}}}
        path, slot = f"/area{index % 50}/things{index}/{{id}}", {"name": "id", "in": "path"}
        paths[path] = {
            "post": {
                "operationId": f"change{index}",
                "summary": f"Change thing {index}.",
                "tags": [f"area{index % 50}"],
                "parameters": [
                    {**slot, "required": True, "schema": {"type": "integer"}},
                    {"name": "dry", "in": "query", "schema": {"type": "boolean"}},
                ],
                "requestBody": {"content": {"application/json": {"schema": named(name)}}},
                "responses": {"200": answer, "404": {"description": "None."}},
            }
        }
        if index % 4 == 0:
            schemas[name] = {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string", "maxLength": 80, "description": "Its name."},
                    "size": {"type": "integer", "minimum": 0},
                    "kind": {"type": "string", "enum": ["small", "large"]},
                    "parts": {"type": "array", "items": named(f"Thing{index // 4}")},
                },
            }
    return document(paths, schemas)


def expanding(count: int) -> Document:
    """Return a document whose schemas each hold, as a text or whole, each of twelve others."""
    schemas: Document = {}
    for index in range(count):
        others = [named(f"S{(index * 7 + step * step + 1) % count}") for step in range(12)]
        properties = {f"p{i}": {"anyOf": [{"type": "string"}, o]} for i, o in enumerate(others)}
        either = {"anyOf": [{"maxLength": 5000, "type": "string"}, *others], "nullable": True}
        schemas[f"S{index}"] = {"type": "object", "properties": {**properties, "either": either}}
    paths: Document = {}
    for index in range(count):
        answer = {"content": {"application/json": {"schema": named(f"S{index}")}}}
        body = {"content": {"application/json": {"schema": named(f"S{index}")}}}
        paths[f"/s{index}"] = {"post": {"requestBody": body, "responses": {"200": answer}}}
    return document(paths, schemas)


def document(paths: Document, schemas: Document) -> Document:
    info = {"title": "Generated", "version": "1"}
    return {"openapi": "3.0.3", "info": info, "paths": paths, "components": {"schemas": schemas}}


def named(name: str) -> Document:
    return {"$ref": f"#/components/schemas/{name}"}


def many(text: str, count: int) -> list[Controller]:
    return [Controller.from_openapi(text) for _ in range(count)]


def built_of(text: str) -> Controller:
    controller = Controller.from_openapi(text)
    schemas(controller)
    return controller


def first_of(text: str) -> Controller:
    controller = Controller.from_openapi(text)
    _ = controller.functions[0].parameters
    return controller


def schemas(controller: Controller) -> None:
    for each in controller:
        _ = each.parameters, each.output


def timed(act: Callable[[], object]) -> float:
    begun = time.process_time()
    kept = act()
    taken = time.process_time() - begun
    del kept  # giving it back is nobody's business here
    return taken


def peak(act: Callable[[], object]) -> int:
    gc.collect()
    tracemalloc.start()
    kept = act()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del kept
    return found


if __name__ == "__main__":
    main()
