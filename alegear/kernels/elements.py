"""Elements that compiled code calls by their address: whatever has a kernel of one form goes into compiled motions.

Such a kernel stands in a file of kernels and is decorated by `kernel`. It gets a handle of its struct
(:func:`alegear.kernels.structs.handle_of`), the time and pointers to y and dy/dt, and fills the force, its derivatives
by y and dy/dt, row after row, and three energies: stored [J], lost and supplied [W]. It returns 0, or a negative number
where the force cannot be found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.kernels.code_folder import config
from alegear.kernels.private_names import LEFT_OUT
from alegear.kernels.structs import handle_of

#: Whether elements can be called by their address: not where Numba compiles nothing, or with its public names alone.
BY_ADDRESS = "address" not in LEFT_OUT and not config.DISABLE_JIT

if BY_ADDRESS:
    from alegear.kernels.struct_type import address_of
else:

    def address_of(dispatcher: Any) -> int:
        """None."""
        raise RuntimeError("kernels have no addresses here")


@dataclass(frozen=True, kw_only=True, eq=False)
class CompiledElement:
    """A nonlinear element as compiled motions have it: forces on y = rows @ x[coordinates].

    Parameters
    ----------
    kernel : object
        A kernel of (handle, t, y, rate, force, by_y, by_rate, energy).
    handle : int
        Of its struct.
    alive : tuple
        What must live as long as the handle.
    coordinates : shape (n_e,)
    rows : shape (n_y, n_e)
    """

    kernel: Any
    handle: int
    alive: tuple[Any, ...]
    coordinates: NDArray[np.int64]
    rows: NDArray[np.float64]

    @property
    def address(self) -> int:
        """Of the compiled kernel."""
        return address_of(self.kernel)


def element_terms(
    kernel: Any,
    struct: Any,
    kind: Any,
    copied: Any,
    *,
    coordinates: NDArray[np.int64],
    rows: NDArray[np.float64],
    alive: tuple[Any, ...] = (),
) -> dict[str, Any] | None:
    """What an element of a kernel answers compiled motions that ask for its ``kernel_terms``.

    Parameters
    ----------
    kernel : object
        As of :class:`CompiledElement`.
    struct, kind, copied
        What it reads, as :func:`alegear.kernels.structs.handle_of` has it.
    coordinates : shape (n_e,)
    rows : shape (n_y, n_e)
    alive : tuple
        What else must live as long as the handle.

    Returns
    -------
    dict or None
        None where elements cannot be called by their address.
    """
    if not BY_ADDRESS:
        return None
    handle, own = handle_of(struct, kind, copied)
    compiled = CompiledElement(kernel=kernel, handle=handle, alive=(*own, *alive), coordinates=coordinates, rows=rows)
    return {"element": compiled}
