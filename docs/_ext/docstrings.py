"""Docstrings as reStructuredText: formulas that stand by themselves stay as written, bars are no markup."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

LITERAL = re.compile(r"(``.*?``|`[^`]*`)")


def prepare(app: Sphinx, kind: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Change the lines of a docstring in place, before its sections are read."""
    if kind in ("attribute", "data", "property"):
        # napoleon takes what stands before a colon for the type
        lines[:] = [line.replace(": ", " – ") for line in lines]
    lines[:] = with_formulas(lines)


def with_formulas(lines: list[str]) -> list[str]:
    """Return the lines with ``::`` before each indented block of the text and of its notes; bars are escaped elsewhere.

    What is indented in a section of parameters describes one of them, and stays.
    """
    found: list[str] = []
    prose, block = True, False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if following and set(following) == {"-"}:
            prose = line.strip() == "Notes"
        if prose and line.startswith("    ") and not block and not (found and found[-1].strip()):
            if not any(one.strip().startswith("..") or one.strip().endswith("::") for one in found[-3:]):
                found += ["::", ""]
            block = True
        elif line.strip() and not line.startswith("    "):
            block = False
        found.append(line if block else escaped(line))
    return found


def escaped(line: str) -> str:
    """Return a line whose bars are no substitutions; those in literals stay."""
    parts = LITERAL.split(line)
    return "".join(part if i % 2 else part.replace("|", "\\|") for i, part in enumerate(parts))


def setup(app: Sphinx) -> dict[str, Any]:
    """Come before napoleon, which reads the sections."""
    app.connect("autodoc-process-docstring", prepare, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
