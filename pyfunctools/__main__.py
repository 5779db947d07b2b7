"""`python -m pyfunctools`: the command line."""

import sys
from importlib.util import find_spec


def main() -> None:
    """Run the command line, or exit with the command that installs its missing libraries."""
    for name in ("typer", "rich"):
        if find_spec(name) is None:
            sys.exit(f"{name} is missing. Install it with: pip install 'pyfunctools-llm[cli]'")
    from pyfunctools.cli import run

    run()


if __name__ == "__main__":
    main()
