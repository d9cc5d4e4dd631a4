"""Pictures of results, one file each: a file of this folder is a picture by being there.

Such a file defines one :class:`~alegear.pictures.picture.Picture` and names it ``PICTURE``. Nothing else names it: PNG
files, reports and ``result.plot`` look through the folder. Folders elsewhere can be appended to ``__path__`` of this
package.
"""

from __future__ import annotations

import importlib
import pkgutil

from alegear.pictures.picture import Picture


def pictures() -> list[Picture]:
    """All pictures, in their order."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found: list[Picture] = [importlib.import_module(f"{__name__}.{name}").PICTURE for name in names]
    return sorted(found, key=lambda one: (one.order, one.name))
