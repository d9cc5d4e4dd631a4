"""Handles: a struct laid out once for kernels that Python calls again and again with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from alegear.kernels.decorators import kernel
from alegear.kernels.structs import KernelStruct, copy_struct, kind_of


@kernel
def copied(struct, memory):
    """Copy a struct to an array of bytes that is long enough; returns how many these are."""
    return copy_struct(struct, memory)


def handle_of(struct: Any, kind: Any, *, known: bool = False) -> tuple[int, tuple[Any, ...]]:
    """Lay a struct out once for kernels that are called with its handle.

    Parameters
    ----------
    struct : named tuple
    kind : object
        Of :func:`alegear.kernels.structs.kind_of`, as the kernels have it.
    known : bool
        Whether one of the same arrays' types was looked at before: to look takes a millisecond.

    Returns
    -------
    handle : int
    alive : tuple
        To be kept as long as the handle is used: its numbers are those of now, its arrays those of the caller.

    Raises
    ------
    TypeError
        For a struct of another kind: of arrays of another type, or that must not be written to.
    """
    if not known and kind_of(struct) != kind:
        raise TypeError(f"{type(struct).__name__}: {_differs(kind_of(struct), kind)}")
    memory = np.zeros(copied(struct, np.zeros(0, dtype=np.uint8)), dtype=np.uint8)
    copied(struct, memory)
    return memory.ctypes.data, (struct, memory)


def _differs(given: Any, wanted: Any) -> str:
    """Where two kinds of structs differ first."""
    if not isinstance(given, KernelStruct) or not isinstance(wanted, KernelStruct):
        return f"{given}, must be {wanted}"
    for field, one, other in zip(given.fields, given.types, wanted.types, strict=True):
        if one != other:
            return f"{field}: {_differs(one, other)}"
    return ""
