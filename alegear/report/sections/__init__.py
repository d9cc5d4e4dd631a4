"""Sections of a report, one file each: a file of this folder is a section by being there.

Such a file defines one :class:`~alegear.report.section.ReportSection` and names it ``SECTION``. Nothing else names it:
the folder is looked through when a report is written. Folders elsewhere can be appended to ``__path__`` of this
package.
"""

from __future__ import annotations

import importlib
import pkgutil

from alegear.report.section import ReportSection


def sections() -> list[ReportSection]:
    """All sections, in their order."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found: list[ReportSection] = [importlib.import_module(f"{__name__}.{name}").SECTION for name in names]
    return sorted(found, key=lambda one: (one.order, one.title))
