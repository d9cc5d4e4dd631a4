"""Elements that compiled code calls by their address: whatever has a kernel of one form goes into compiled motions.

Such a kernel stands in a file of kernels and is decorated by :class:`ElementKernel`. It gets a handle of its struct
(``handle_kernels.py``), the time and pointers to y and dy/dt, and fills the force, its derivatives by y and dy/dt, row
after row, and three energies: stored [J], lost and supplied [W]. It returns 0, or a negative number where the force
cannot be found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from alegear.kernels.code_folder import config
from alegear.kernels.decorators import c_function
from alegear.kernels.handle_kernels import handle_of
from alegear.kernels.structs import for_kernels

#: Whether compiled code calls elements: not where Numba compiles nothing.
BY_ADDRESS = not config.DISABLE_JIT

#: Of an element's kernel: status of (handle, t, y, dy/dt, force, by_y, by_rate, energy).
ELEMENT = types.int64(types.int64, types.float64, *[types.CPointer(types.float64)] * 6)


class ElementKernel:
    """A function of the signature :data:`ELEMENT`, compiled when its address is first asked for; a decorator.

    Parameters
    ----------
    function : callable
        At the top of a file of kernels.
    """

    def __init__(self, function: Callable[..., int]) -> None:
        self._function = function

    @cached_property
    def compiled(self) -> Any:
        """As `numba.cfunc` compiles it."""
        return c_function(self._function, ELEMENT)

    @property
    def address(self) -> int:
        """Of the machine code, as C calls it."""
        return int(self.compiled.address)


@for_kernels
def call_element(
    typing_context: Any,
    address: Any,
    handle: Any,
    t: Any,
    y: Any,
    rate: Any,
    force: Any,
    by_y: Any,
    by_rate: Any,
    energy: Any,
) -> Any:
    """Call the kernel of an element at an address with the data of arrays in C order; returns its status."""
    arrays = (y, rate, force, by_y, by_rate, energy)

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, number = ir.IntType(64), ir.DoubleType()
        form = ir.FunctionType(word, [word, number, *[number.as_pointer()] * len(arrays)])
        there = builder.inttoptr(arguments[0], form.as_pointer())
        data = [
            context.make_array(kind)(context, builder, argument).data
            for kind, argument in zip(arrays, arguments[3:], strict=True)
        ]
        return builder.call(there, [arguments[1], arguments[2], *data])

    return types.int64(types.int64, types.int64, types.float64, *arrays), code


@dataclass(frozen=True, kw_only=True, eq=False)
class CompiledElement:
    """A nonlinear element as compiled motions have it: forces on y = rows @ x[coordinates].

    Parameters
    ----------
    kernel : ElementKernel
    handle : int
        Of its struct.
    alive : tuple
        What must live as long as the handle.
    coordinates : shape (n_e,)
    rows : shape (n_y, n_e)
    """

    kernel: ElementKernel
    handle: int
    alive: tuple[Any, ...]
    coordinates: NDArray[np.int64]
    rows: NDArray[np.float64]

    @property
    def address(self) -> int:
        """Of the compiled kernel."""
        return self.kernel.address


def element_terms(
    kernel: ElementKernel,
    struct: Any,
    kind: Any,
    *,
    coordinates: NDArray[np.int64],
    rows: NDArray[np.float64],
    alive: tuple[Any, ...] = (),
) -> dict[str, Any] | None:
    """What an element of a kernel answers compiled motions that ask for its ``kernel_terms``.

    Parameters
    ----------
    kernel : ElementKernel
    struct, kind
        What it reads, as :func:`alegear.kernels.handle_kernels.handle_of` has it.
    coordinates : shape (n_e,)
    rows : shape (n_y, n_e)
    alive : tuple
        What else must live as long as the handle.

    Returns
    -------
    dict or None
        None where nothing is compiled.
    """
    if not BY_ADDRESS:
        return None
    handle, own = handle_of(struct, kind)
    compiled = CompiledElement(kernel=kernel, handle=handle, alive=(*own, *alive), coordinates=coordinates, rows=rows)
    return {"element": compiled}
