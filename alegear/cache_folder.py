"""Where alegear keeps what a later run can use again: reduced wheels and compiled kernels."""

from __future__ import annotations

import os
from pathlib import Path


def cache_directory() -> Path:
    """Return the cache folder: ALEGEAR_CACHE_DIR, else alegear in the user's cache folder."""
    chosen = os.environ.get("ALEGEAR_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "alegear"


def kernel_directory() -> Path:
    """Return the folder of the compiled kernels: alegear-kernels in NUMBA_CACHE_DIR, else kernels in the cache folder.

    NUMBA_CACHE_DIR goes first because it says more: who sets it has chosen a place for machine code, a disk of the
    computing node for example, and the reduced wheels may well lie elsewhere.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return Path(chosen) / "alegear-kernels" if chosen else cache_directory() / "kernels"
