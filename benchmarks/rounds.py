"""How often a benchmark repeats what it measures."""

import os


def rounds(usual: int) -> int:
    """Return the usual number, or what `BENCHMARK_ROUNDS` says, for a look that is quick."""
    return int(os.environ.get("BENCHMARK_ROUNDS", usual))
