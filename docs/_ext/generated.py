"""Write what the site takes from the code before Sphinx looks for pages: ``docs/generated``."""

from __future__ import annotations

import re
from os.path import relpath
from pathlib import Path
from typing import Any

import api_reference
import case_reference
import readme_pages
import result_reference
from sphinx.application import Sphinx
from sphinx.config import Config


def write(app: Sphinx, config: Config) -> None:
    """Write all of it."""
    out = Path(app.srcdir) / "generated"
    readme_pages.write_pages(out)
    for name, text in case_reference.pages().items():
        readme_pages.write_if_changed(out / "case" / f"{name}.md", text)
    readme_pages.write_if_changed(out / "results" / "variables.md", result_reference.page())
    api_reference.write_pages(out / "api", readme_pages.write_if_changed)


def lead_to_pages(app: Sphinx, name: str, source: list[str]) -> None:
    """Lead links of a page to what this site has in place of their aim.

    In a checkout they lead to README files and to the headings of ``case_reference.md``, so that they hold there, too.
    """
    folder = (Path(app.srcdir) / name).parent
    generated = Path(app.srcdir) / "generated"

    def moved(link: re.Match[str]) -> str:
        mark, words, address, anchor = link.group(1), link.group(2), link.group(3), link.group(4) or ""
        aim = (folder / address).resolve()
        if mark or "://" in address or not aim.is_file():
            return link.group(0)
        if aim.name == "README.md" and aim in readme_pages.readmes():
            return f"[{words}]({relpath(generated / f'{readme_pages.page_name(aim)}.md', folder)}{anchor})"
        kind = anchor.lstrip("#").replace("-", "_")
        if aim.stem == "case_reference" and kind in case_reference.TITLES:
            return f"[{words}]({relpath(generated / 'case' / f'{kind}.md', folder)})"
        return link.group(0)

    source[0] = readme_pages.LINK.sub(moved, source[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Write as soon as the settings are read, change links as each page is."""
    app.connect("config-inited", write)
    app.connect("source-read", lead_to_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
