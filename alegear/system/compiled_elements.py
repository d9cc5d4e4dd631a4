"""Elements that have a kernel of their own, collected for compiled motions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from alegear.element_address import CompiledElement
from alegear.system.element_kernels import N_ENERGY, Elements


def collected(compiled: Sequence[CompiledElement]) -> Elements:
    """Collect what the kernels need of elements that are called by their address."""
    sizes = [len(one.rows) for one in compiled]
    widths = [len(one.coordinates) for one in compiled]
    k, largest = len(compiled), max(sizes, default=0)
    return Elements(
        address=np.array([one.address for one in compiled], dtype=np.int64),
        handle=np.array([one.handle for one in compiled], dtype=np.int64),
        first=np.cumsum([0, *widths]).astype(np.int64),
        at=np.concatenate([np.empty(0), *(one.coordinates for one in compiled)]).astype(np.int64),
        size=np.array(sizes, dtype=np.int64),
        row=np.cumsum([0, *(s * w for s, w in zip(sizes, widths, strict=True))]).astype(np.int64),
        rows=np.concatenate([np.empty(0), *(np.ravel(one.rows) for one in compiled)]),
        y=np.zeros(largest),
        rate=np.zeros(largest),
        force=np.zeros(largest),
        by_y=np.zeros((k, largest * largest)),
        by_rate=np.zeros((k, largest * largest)),
        energy=np.zeros((k, N_ENERGY)),
    )
