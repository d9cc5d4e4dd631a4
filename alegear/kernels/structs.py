"""Named tuples that kernels get by their address, as a function in C gets a struct.

Numba hands a named tuple over value by value, and an array is eight values: with the tables of a gear pair in line
contact every call of one kernel by another moved nearly a thousand, and more than half of what the compiler had to read
was that. Of a named tuple that is decorated here only the address goes from kernel to kernel; what a kernel takes out
of it is read then and there. Without ``struct_type.py``, which takes names of Numba that are not public, they are named
tuples like any other (``private_names.py``).

A kernel that Python calls ten thousand times with the same struct gets a handle: to look through a hundred arrays takes
longer than what such a kernel does with them. :func:`handle_of` lays the struct out once, ``struct_at(handle, KIND)``
finds it again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

from alegear.kernels.private_names import LEFT_OUT

#: To be called by kernels: ``struct_at(handle, kind)``, ``copy_struct(struct, memory)`` that a kernel hands on, and
#: ``call_element(address, handle, t, y, rate, force, by_y, by_rate, energy)`` (``kernels/elements.py``).
struct_at: Any
copy_struct: Any
call_element: Any
if "address" not in LEFT_OUT:
    from alegear.kernels import struct_type
    from alegear.kernels.struct_type import kind_of, pass_by_address

    struct_at, copy_struct = struct_type.struct_at, struct_type.copy_struct
    call_element = struct_type.call_element
else:
    # without addresses a handle is the struct itself, which has its type with it
    struct_at = numba.njit(lambda handle, kind: handle)
    copy_struct = numba.njit(lambda struct, memory: 0)
    call_element = numba.njit(lambda address, handle, t, y, rate, force, by_y, by_rate, energy: -1)

    def kind_of(value: Any) -> Any:
        """Nothing."""
        return 0


__all__ = ["Struct", "call_element", "copy_struct", "handle_of", "kernel_struct", "kind_of", "struct_at"]

Struct = TypeVar("Struct", bound=type)


def kernel_struct(named_tuple: Struct) -> Struct:
    """Let kernels get the instances of a named tuple by their address; a decorator.

    Its members are numbers, truth values, arrays and other decorated named tuples; with anything else in it a call
    raises TypeError.
    """
    if "address" not in LEFT_OUT:
        pass_by_address(named_tuple)
    return named_tuple


def handle_of(
    struct: Any, kind: Any, copy: Callable[[Any, Any], int], *, known: bool = False
) -> tuple[Any, tuple[Any, ...]]:
    """Lay a struct out once for kernels that are called with its handle.

    Parameters
    ----------
    struct : named tuple
    kind : object
        Of :func:`kind_of`, as the kernels have it.
    copy : kernel
        That calls ``copy_struct``.
    known : bool
        Whether one of the same arrays' types was looked at before: to look takes a millisecond.

    Returns
    -------
    handle : int or named tuple
    alive : tuple
        To be kept as long as the handle is used: its numbers are those of now, its arrays those of the caller.

    Raises
    ------
    TypeError
        For a struct of another kind: of arrays of another type, or that must not be written to.
    """
    if "address" in LEFT_OUT:
        return struct, ()
    if not known and kind_of(struct) != kind:
        raise TypeError(f"{type(struct).__name__}: {_differs(kind_of(struct), kind)}")
    memory = np.zeros(copy(struct, np.zeros(0, dtype=np.uint8)), dtype=np.uint8)
    copy(struct, memory)
    return memory.ctypes.data, (struct, memory)


def _differs(given: Any, wanted: Any) -> str:
    """Where two kinds of structs differ first."""
    if not hasattr(given, "types") or not hasattr(wanted, "types"):
        return f"{given}, must be {wanted}"
    for field, one, other in zip(given.fields, given.types, wanted.types, strict=True):
        if one != other:
            return f"{field}: {_differs(one, other)}"
    return ""
