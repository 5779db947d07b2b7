"""The public names of a package, each imported when it is first used."""

import sys
from collections.abc import Callable, Mapping

Face = tuple[list[str], Callable[[str], object], Callable[[], list[str]]]


def lazy_face(package: str, homes: Mapping[str, str]) -> Face:
    """Return `__all__`, `__getattr__` and `__dir__` of a package.

    `homes` maps each of its modules to the names that it takes from there, with spaces between.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}
    exported = sorted(home_of)

    def get(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(__import__(f"{package}.{home_of[name]}", fromlist=[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return exported, get, lambda: sorted({*vars(sys.modules[package]), *exported})
