"""How operations are reached over HTTP: the settings of a controller, and what they may be."""

from collections.abc import Callable, Collection, Mapping
from inspect import Parameter, signature
from typing import TypedDict, cast

from pyfunctools.errors import DefinitionError, wrong_type


class Connection(TypedDict, total=False):
    """Where requests go and what goes with each of them.

    `server` is the base URL, or `True` for the one the document names, whose braces `variables`
    fill. `headers` go with every request. `auth` gives a credential for each security scheme by
    its name; `{"header:X-Api-Key": ...}` and `{"query:key": ...}` go with every request, whatever
    the document says. Headers as a whole and each credential may be a function of nothing or of the
    call's context. `client` is an httpx client to use instead of the controller's own connections.
    With `expose_error_body` the model reads an excerpt of a failed answer's body; with
    `block_private_networks` only addresses of the open internet are connected to; with `deep` a
    `deepObject` parameter may nest (`a[b][c]`), which the specification leaves open.
    `idempotency_header` names a header for the id of the call (`CallInfo.id`), which every request
    that may change something then has; ids have to be different for different calls, so leave it
    out where a model's server numbers the calls of each response anew.
    """

    server: str | bool | None
    variables: Mapping[str, str] | None
    headers: Mapping[str, object] | Callable[..., object] | None
    auth: Mapping[str, object] | None
    client: object
    expose_error_body: bool
    block_private_networks: bool
    deep: bool
    idempotency_header: str | None


def check_settings(given: Mapping[str, object], known: Collection[str]) -> None:
    """Refuse unknown settings, and those of the wrong type.

    No error shows a value: it may be a credential.

    Raises:
        TypeError: a setting is unknown.
        DefinitionError: a setting is of the wrong type.
    """
    for name in given:
        if name not in known:
            meant = _MEANT.get(name, f"The settings are {', '.join(sorted(known))}.")
            raise TypeError(f"unknown setting {name!r}. {meant}")
    if not isinstance(given.get("server"), str | bool | None):
        raise wrong_type(
            "server",
            "text",
            given["server"],
            "Pass a base URL such as `https://api.example.com/v1`.",
        )
    for name, remedy in _MAPPINGS.items():
        if given.get(name) is not None and not isinstance(given[name], Mapping):
            raise wrong_type(name, "a mapping", given[name], remedy)
    if callable(given.get("headers")):
        _check_source("headers", given["headers"])
    for name, value in cast("Mapping[str, object]", given.get("auth") or {}).items():
        _check_source(f"auth[{name!r}]", value)


_MEANT = {
    "base_url": "Write `server=`.",
    "timeout": "Write `limits=Limits(deadline=seconds)`.",
    "token": "Write `auth={scheme: token}`, with the name of the document's security scheme.",
    "url": "Write `server=`.",
}
_MAPPINGS = {
    "auth": "Write `auth={scheme: credential}`, with the name of the document's security scheme.",
    "variables": "Write `variables={name: text}`.",
}


def _check_source(where: str, value: object) -> None:
    """Refuse a function that could not be called for a header or a credential."""
    if not callable(value):
        return
    try:
        parameters = signature(value).parameters.values()
    except (TypeError, ValueError):  # some built-in callables have no signature
        return
    needed = [p for p in parameters if p.default is Parameter.empty and p.kind not in _STARS]
    if len(needed) > 1 or any(p.kind is Parameter.KEYWORD_ONLY for p in needed):
        raise DefinitionError(
            where,
            "This function has more required parameters than the context.",
            "Write one of no parameters, or of the context alone.",
        )


_STARS = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
