"""The pages of the documentation as data: their Python blocks, their links, their headings."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(page: Path) -> str:
    """Return the page's path in the project, as an id of a test."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str = "python") -> list[str]:
    """Return the page's blocks of a language, each at its own line numbers."""
    text = page.read_text(encoding="utf-8")
    fence = re.compile(rf"^(`{{3,}}){language}\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
    return ["\n" * text[: found.start(2)].count("\n") + found[2] for found in fence.finditer(text)]


def run(page: Path, count: int | None = None) -> dict[str, object]:
    """Run the page's Python blocks in order, in one namespace, which is returned."""
    space: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page)[:count]:
        exec(compile(block, name_of(page), "exec"), space)  # noqa: S102
    return space


def links(page: Path) -> list[tuple[str, str]]:
    """Return the page's links to other pages or headings of the project: path, heading."""
    text = re.sub(
        r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    inside = [target for target in targets if not re.match(r"\w+:", target)]
    return [(path, heading) for path, _, heading in (each.partition("#") for each in inside)]


def _words(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    return re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)


def headings(page: Path) -> set[str]:
    """Return the anchors of the page's headings."""
    text = re.sub(
        r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@contextmanager
def chat_server(*replies: dict[str, Any]) -> Iterator[str]:
    """Serve the replies in turn on 127.0.0.1; the value is the base URL."""
    left = iter(replies)

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            body = json.dumps(next(left)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing, so that the output of a test is its own."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
