"""Named tuples that kernels get by their address, as a function in C gets a struct.

Numba hands a named tuple over value by value, and an array is eight values: with the tables of a gear pair in line
contact every call of one kernel by another moved nearly a thousand, and more than half of what the compiler had to read
was that. Of a named tuple that is decorated here only the address goes from kernel to kernel; what a kernel takes out
of it is read then and there. Without ``kernel_address.py``, which takes names of Numba that are not public, they are
named tuples like any other (``kernel_uses.py``).
"""

from __future__ import annotations

from typing import TypeVar

from alegear.kernel_uses import LEFT_OUT

if "address" not in LEFT_OUT:
    from alegear.kernel_address import pass_by_address

Struct = TypeVar("Struct", bound=type)


def kernel_struct(named_tuple: Struct) -> Struct:
    """Let kernels get the instances of a named tuple by their address; a decorator.

    Its members are numbers, truth values, arrays and other decorated named tuples; with anything else in it a call
    raises TypeError.
    """
    if "address" not in LEFT_OUT:
        pass_by_address(named_tuple)
    return named_tuple
