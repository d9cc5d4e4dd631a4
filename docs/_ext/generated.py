"""Write what the site takes from the code before Sphinx looks for pages: ``docs/generated``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import api_reference
import case_reference
import readme_pages
from sphinx.application import Sphinx
from sphinx.config import Config


def write(app: Sphinx, config: Config) -> None:
    """Write all of it."""
    out = Path(app.srcdir) / "generated"
    readme_pages.write_pages(out)
    for name, text in case_reference.pages().items():
        readme_pages.write_if_changed(out / "case" / f"{name}.md", text)
    api_reference.write_pages(out / "api", readme_pages.write_if_changed)


def setup(app: Sphinx) -> dict[str, Any]:
    """Write as soon as the settings are read."""
    app.connect("config-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
