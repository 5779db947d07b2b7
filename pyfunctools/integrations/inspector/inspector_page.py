"""The application: its pages, by address."""

import secrets
import webbrowser
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from threading import Thread

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from pyfunctools import Approval, Controller, Function, PyfunctoolsError, Waiting
from pyfunctools.controller.turns import unshown
from pyfunctools.errors import DefinitionError, UnknownFunctionError, wrong_type
from pyfunctools.execution.person.questions import questions_for
from pyfunctools.integrations.inspector.function_pages import (
    beside,
    function_article,
    function_list,
    search_field,
    size_section,
    skipped_list,
    tag_list,
    whole_page,
)
from pyfunctools.integrations.inspector.markup import Child, tag
from pyfunctools.integrations.inspector.page_guard import PageGuard
from pyfunctools.integrations.inspector.trial_page import try_section, waiting_sections
from pyfunctools.integrations.inspector.trying import (
    ListWaiting,
    SentFields,
    Trial,
    Trials,
    fields_of,
    key_at,
    text_in,
    values_in,
)

_FOUND = 40
"""The most functions that a search shows."""
_DECISIONS = {"approve": True, "deny": False}


def inspector_app(
    controller: Controller,
    *,
    audience: "Callable[[Request], str | Awaitable[str | None] | None] | None" = None,
    token: str | None = None,
    context: object = None,
    waiting: ListWaiting | None = None,
    source: str = "SOURCE",
) -> ASGIApp:
    """Return the page of `Controller.inspector`; `source` names the controller in commands."""
    for name, given in (("audience", audience), ("waiting", waiting)):
        if given is not None and not callable(given):
            raise wrong_type(f"inspector({name})", "a function", given)
    if token is not None and not isinstance(token, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise wrong_type("inspector(token)", "text", token)
    if audience is None and not token:
        remedy = "Pass `audience=`, a function of the request, or `token=secrets.token_urlsafe()`."
        raise DefinitionError("inspector", "Anybody could open this page.", remedy)
    if (behind := controller._behind) is not None:  # pyright: ignore[reportPrivateUsage]
        controller = behind.whole
    pages = InspectorPages(controller, Trials(controller, context, waiting), source)
    routes = [
        Route("/", pages.home),
        Route("/functions/{name}", pages.function, methods=["GET", "POST"]),
        Route("/waiting", pages.waiting, methods=["GET", "POST"]),
        Route("/size", pages.size),
        Mount("/static", StaticFiles(directory=Path(__file__).with_name("static"))),
    ]
    return PageGuard(Starlette(routes=routes), audience, token)


class InspectorPages:
    """The pages of one controller."""

    def __init__(self, controller: Controller, trials: Trials, source: str) -> None:
        self._controller = controller
        self._trials = trials
        self._source = source
        self._report = cache(controller.report)

    async def home(self, request: Request) -> Response:
        """Show the functions: all, those that a search finds, or those with a tag."""
        query, wanted = request.query_params.get("q", ""), request.query_params.get("tag")
        note, found = None, list(self._controller.functions)
        if query.strip():
            try:
                found = [*await run_in_threadpool(self._controller.search, query, limit=_FOUND)]
            except PyfunctoolsError as error:
                note, found = str(error), []
        if wanted is not None:
            found = [each for each in found if wanted in each.tags]
        root, controller = _root(request), self._controller
        body = (
            tag("h1", controller.name or "Functions"),
            bool(controller.description) and tag("p", controller.description, class_="prose"),
            search_field(root, query),
            tag_list(root, controller, wanted),
            function_list(root, controller, found, note=note),
            skipped_list(controller.skipped),
        )
        return self._page(request, controller.name or "Functions", body)

    async def function(self, request: Request) -> Response:
        """Show a function; a POST checks, runs or answers a call of it."""
        name, root = request.path_params["name"], _root(request)
        try:
            function = self._controller[name]
        except UnknownFunctionError as error:
            near = [
                tag("li", tag("a", each, href=f"{root}/functions/{each}")) for each in error.close
            ]
            body = (tag("h1", "No such function"), tag("p", str(error)), tag("ul", near))
            return self._page(request, "No such function", body, 404)
        text, trial, note = "", None, None
        if request.method == "POST":
            form = await fields_of(request)
            text = text_in(form, "arguments")
            try:
                trial = await self._tried(request, function, text, form)
            except PyfunctoolsError as error:
                note = str(error)
        dialect = request.query_params.get("dialect", "openai")

        def body_of() -> Child:
            asked = questions_for(function, {}) if function.separated else ()
            tried = try_section(f"{root}/functions/{name}", text, function, trial, asked, note)
            article = function_article(self._controller, function, dialect, tried)
            return tag("div", article, beside(root, self._controller, function), class_="columns")

        return self._page(request, name, await run_in_threadpool(body_of))

    async def _tried(
        self, request: Request, function: Function, text: str, form: SentFields
    ) -> Trial:
        """Do what a button says; an answer is for the arguments that were shown with it."""
        trials, name, key = self._trials, function.name, _key_in(form)
        values, action = values_in(form), text_in(form, "action")
        call = trials.begun(request, name, text, values, key)
        if call.waiting is not None and action in _DECISIONS:
            return await trials.run(request, call, _DECISIONS[action])
        if action in ("run", "approve"):
            return await trials.run(request, call)
        return await trials.check(request, call)

    async def waiting(self, request: Request) -> Response:
        """Show the waiting calls of a person; a POST answers one."""
        trials, trial, note = self._trials, None, None
        if request.method == "POST":
            form, known = await fields_of(request), await trials.waiting(request, done=True)
            found = known.get(key_at(_key_in(form), known))
            try:
                trial = found and await self._answered(request, found, form)
            except PyfunctoolsError as error:
                note = str(error)
            if found is None:
                note = "This call does not wait any more. Nothing has run."
        listed = await trials.waiting(request)
        calls = [trials.answered(request, each, {}) for each in listed.values()]
        parts = waiting_sections(f"{_root(request)}/waiting", calls, trial, note)
        return self._page(request, "Waiting calls", parts)

    async def _answered(self, request: Request, waits: Waiting, form: SentFields) -> Trial:
        trials, action = self._trials, text_in(form, "action")
        values = values_in(form)
        decision = _DECISIONS.get(action)
        if waits.pending:  # a program: its answers by the ids of its calls
            said = {each.call_id: _decided(form, each, action) for each in waits.pending}
            values = unshown({key: each for key, each in said.items() if each is not None})
            decision = None
        call = trials.answered(request, waits, values)
        if action == "check":
            return await trials.check(request, call)
        return await trials.run(request, call, decision)

    async def size(self, request: Request) -> Response:
        """Show how many tokens each tag and function takes, and what was chosen of them."""
        report = await run_in_threadpool(self._report)
        tokens = {each.name: each.tokens for each in report.entries}
        body = size_section(request, self._controller, tokens, report.tokens, self._source)
        return self._page(request, "Size", body)

    def _page(self, request: Request, title: str, body: Child, status: int = 200) -> Response:
        page = whole_page(_root(request), self._controller, title, body)
        return HTMLResponse(page.encode("utf-8", "backslashreplace"), status)


def _decided(form: SentFields, waits: Waiting, action: str) -> object:
    """Return the answer to one call of a program: a decision, values, or nothing yet."""
    values = values_in(form, waits.call_id)
    said = _DECISIONS.get(text_in(form, f"{waits.call_id}action"))
    if said is False or action == "deny":
        return False
    if said:
        return Approval(human=values) if values else True
    return values or None


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", ""))


def _key_in(form: SentFields) -> str:
    """Return the key of the call that a form is for, as `trying.key_of` made it."""
    return f"{text_in(form, 'call')} {text_in(form, 'shown')}"


def serve_inspector(
    controller: Controller, *, port: int, opens: bool, context: object, source: str
) -> None:
    """Serve the page of a controller until it is interrupted; port 0 takes a free one."""
    from uvicorn import Config, Server

    from pyfunctools.integrations.listening import listening_socket

    listening = listening_socket("--port", "127.0.0.1", port)
    token = secrets.token_urlsafe(32)

    def given(_: Request) -> object:
        return context

    app = inspector_app(controller, token=token, context=given, source=source)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/?token={token}"
    print(address, flush=True)  # from now on requests are answered: the socket holds them
    if opens:
        Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    config = Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
    with listening:
        Server(config).run(sockets=[listening])
