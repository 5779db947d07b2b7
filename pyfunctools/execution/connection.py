"""How operations are reached over HTTP: the settings that `Controller.from_openapi` takes."""

from collections.abc import Callable, Mapping
from typing import TypedDict


class Connection(TypedDict, total=False):
    """Where requests go and what goes with each of them.

    `server` is the base URL, or `True` for the one the document names, whose braces `variables`
    fill. `headers` go with every request. `auth` gives a credential for each security scheme by
    its name. Headers as a whole and each credential may be a function of nothing or of the call's
    context. `client` is an httpx client to use instead of the controller's own connections.
    With `expose_error_body` the model reads an excerpt of a failed answer's body; with
    `block_private_networks` only addresses of the open internet are connected to; with `deep` a
    `deepObject` parameter may nest (`a[b][c]`), which the specification leaves open.
    """

    server: str | bool | None
    variables: Mapping[str, str] | None
    headers: Mapping[str, object] | Callable[..., object] | None
    auth: Mapping[str, object] | None
    client: object
    expose_error_body: bool
    block_private_networks: bool
    deep: bool
