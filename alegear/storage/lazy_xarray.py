"""xarray, imported when something of it is used: that takes half a second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xarray import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        import xarray

        return getattr(xarray, name)
