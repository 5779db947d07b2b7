"""A hook of mkdocs: what stands in one place on GitHub and in another on the site.

The home of the site is the README; the guides of the repository's root are pages too. Sections
between `<!-- tabs -->` and `<!-- /tabs -->` become tabs.
"""

import re
from pathlib import Path
from textwrap import indent

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
GUIDES = ("CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the guides of the root, and the README as the home."""
    for page in files.documentation_pages():
        if page.src_uri == "index.md":
            page.content_string = _moved(ROOT / "README.md", config)
    for name in GUIDES:
        content = _moved(ROOT / name, config)
        files.append(File.generated(config, f"project/{name.lower()}", content=content))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Make tabs of the sections that are marked for them."""
    return re.sub(r"<!-- tabs -->\n(.*?)<!-- /tabs -->", _tabs, markdown, flags=re.DOTALL)


def _moved(source: Path, config: MkDocsConfig) -> str:
    """Return a file of the root with its links as they are on the site."""
    up = "" if source.name == "README.md" else "../"

    def link(found: re.Match[str]) -> str:
        text, target, rest = found.groups()
        if target.startswith("docs/"):
            return f"[{text}]({up}{target.removeprefix('docs/')}{rest})"
        if target in GUIDES:
            return f"[{text}]({up}project/{target.lower()}{rest})"
        if target == "README.md":
            return f"[{text}]({up}index.md{rest})"
        return f"[{text}]({config.repo_url}/blob/main/{target})" if config.repo_url else text

    text = source.read_text(encoding="utf-8")
    return re.sub(r"\[([^\[\]\n]+)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)", link, text)


def _tabs(found: re.Match[str]) -> str:
    sections = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", found[1], re.MULTILINE | re.DOTALL)
    return "\n".join(f'=== "{title}"\n{indent(text, "    ")}' for title, text in sections)
