"""How YAML loaders read YAML 1.2, and how fast: `python benchmarks/yaml12.py FILE.yaml`.

Each loader that is installed is a row; those that are not are left out. A column says whether it
gives what YAML 1.2's core schema and JSON want, or refuses what they refuse.
"""

import importlib
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rounds import rounds

from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.sources.openapi.yaml12 import parse_yaml

ROUNDS = rounds(5)
Load = Callable[[str], object]

BOMB = "\n".join(
    ["a0: &a0 [x]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)), ""]
)
READ: dict[str, tuple[str, object]] = {
    "`no`": ("a: no\n", {"a": "no"}),
    "`on:`": ("on: 1\n", {"on": 1}),
    "`012`": ("a: 012\n", {"a": "012"}),
    "`0o14`": ("a: 0o14\n", {"a": 12}),
    "date": ("a: 2024-01-02\n", {"a": "2024-01-02"}),
    "`1e3`": ("a: 1e3\n", {"a": 1000.0}),
    "`12:30:45`": ("a: 12:30:45\n", {"a": "12:30:45"}),
    "`200:`": ("200: x\n", {"200": "x"}),
}
REFUSED = {
    "duplicate key": "a: 1\na: 2\n",
    "tag": "a: !!python/name:os.system ''\n",
    "alias in itself": "a: &a [*a]\n",
    "alias bomb": BOMB,
}


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    text = Path(sys.argv[1]).read_text()
    print("| loader | ms | " + " | ".join([*READ, *REFUSED]) + " |")
    print("|---|---|" + "---|" * (len(READ) + len(REFUSED)))
    for name, load in loaders():
        cells = [took(load, text)]
        cells += ["yes" if gives(load, *each) else "" for each in READ.values()]
        cells += ["yes" if refuses(load, each) else "" for each in REFUSED.values()]
        print(f"| {name} | " + " | ".join(cells) + " |")


def loaders() -> list[tuple[str, Load]]:
    found: list[tuple[str, Load]] = [
        ("ours, on PyYAML's libyaml", lambda text: parse_yaml(text, "it", DEFAULT_LIMITS))
    ]
    makers: dict[str, Callable[[], Load]] = {
        "PyYAML `CSafeLoader`": lambda: _pyyaml("CSafeLoader"),
        "PyYAML `SafeLoader`": lambda: _pyyaml("SafeLoader"),
        "ruamel.yaml": lambda: importlib.import_module("ruamel.yaml").YAML(typ="safe").load,
        "ruamel.yaml, pure": lambda: (
            importlib.import_module("ruamel.yaml").YAML(typ="safe", pure=True).load
        ),
        "ryaml": lambda: importlib.import_module("ryaml").loads,
        "yaml-rs": lambda: importlib.import_module("yaml_rs").loads,
        "oyaml": lambda: importlib.import_module("oyaml").safe_load,
        "strictyaml": _strictyaml,
    }
    for name, make in makers.items():
        try:
            found.append((name, make()))
        except (ImportError, AttributeError) as error:
            print(f"{name}: {error}", file=sys.stderr)
    return found


def _pyyaml(name: str) -> Load:
    yaml = importlib.import_module("yaml")
    loader = getattr(yaml, name)
    return lambda text: yaml.load(text, Loader=loader)


def _strictyaml() -> Load:
    strictyaml = importlib.import_module("strictyaml")
    return lambda text: strictyaml.load(text).data


def took(load: Load, text: str) -> str:
    times: list[float] = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        try:
            load(text)
        except Exception as error:  # each has classes of its own
            return f"refused: {' '.join(str(error).split())[:50]}"
        times.append(time.process_time() - begun)
    return f"{1000 * statistics.median(times):.0f}"


def gives(load: Load, text: str, wanted: object) -> bool:
    try:
        found = load(text)
    except Exception:  # each has classes of its own
        return False
    return found == wanted and str(found) == str(wanted)


def refuses(load: Load, text: str) -> bool:
    try:
        load(text)
    except Exception:  # each has classes of its own
        return True
    return False


if __name__ == "__main__":
    main()
