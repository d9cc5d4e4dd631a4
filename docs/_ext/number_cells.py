"""Cells of tables that are a number and its unit, told apart so that the style sheet keeps each in one line."""

from __future__ import annotations

import re
from typing import Any

from docutils.nodes import document, entry
from sphinx.application import Sphinx

NUMBER = re.compile(r"([<>]=? )?[-+]?\d+(\.\d+)?(e[-+]?\d+)?( [%°\w/]{1,5})?")


def mark(app: Sphinx, tree: document) -> None:
    """Give the class ``one-number`` to such cells: a browser breaks 2.1e-05 at its hyphen."""
    for cell in tree.findall(entry):
        if NUMBER.fullmatch(cell.astext()):
            cell["classes"].append("one-number")


def setup(app: Sphinx) -> dict[str, Any]:
    """Look at each page once it is read."""
    app.connect("doctree-read", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
