"""Imports of a command without the search for garbage: hundred thousands of objects, which stay until its end."""

from __future__ import annotations

import atexit
import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """Import without a search for garbage every few hundred objects."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def keep_imports() -> None:
    """Leave what is there out of all later searches, and take nothing apart at the end of the process.

    Both take a quarter of a second.
    """
    gc.freeze()
    atexit.register(gc.freeze)
