"""Flexible gears in contact, in three dimensions.

The layers are importable on their own; the names an analysis needs are also found here, and are loaded on first
use so that ``import alegear`` costs nothing. ``__init__.pyi`` says which, and where each is defined.

Examples
--------
>>> import alegear as ag
>>> case = ag.Case.from_toml("meshes/spur_20_30.toml")  # doctest: +SKIP
>>> result = ag.run(case)  # doctest: +SKIP
>>> result.summary["te_mean_um"]  # doctest: +SKIP
"""

import lazy_loader

from alegear._version import __version__ as __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
