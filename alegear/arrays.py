"""Types of arrays by what they hold, for annotations; shapes stand in docstrings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
ComplexArray = NDArray[np.complex128]
AnyArray = NDArray[Any]
