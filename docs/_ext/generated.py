"""Write what the site takes from the code before Sphinx looks for pages: ``docs/generated``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import readme_pages
from sphinx.application import Sphinx
from sphinx.config import Config


def write(app: Sphinx, config: Config) -> None:
    """Write all of it."""
    readme_pages.write_pages(Path(app.srcdir) / "generated")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write as soon as the settings are read."""
    app.connect("config-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
