"""Curves of a case: what a result holds of it, as plain arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases import case_of
from numpy.typing import NDArray

import alegear as ag
from alegear.dynamics.newton import NewtonParameters
from alegear.studies import dynamic
from alegear.studies.machine import dynamic as machine_dynamic

#: Motions are compared beyond what Newton's iteration leaves open (1e-9 of the torque by default).
TIGHT = 1e-11


@contextmanager
def tight_newton() -> Iterator[None]:
    """Let all motions in this context solve their steps nearly to round-off, which is at 2e-12."""
    usual = dynamic.SCHEMES

    def tight(name: str) -> Callable[..., Any]:
        return lambda **given: replace(usual[name](**given), newton=NewtonParameters(tolerance=TIGHT))

    with pytest.MonkeyPatch.context() as patch:
        for study in (dynamic, machine_dynamic):
            patch.setattr(study, "SCHEMES", {name: tight(name) for name in usual})
        yield


def curves_of(name: str) -> dict[str, NDArray[np.float64]]:
    """Compute a case; its variables by name, numbers only."""
    with tight_newton():
        data = ag.run(case_of(name)).dataset.load()
    return {
        str(key): np.asarray(values, dtype=np.float64)
        for key, values in data.data_vars.items()
        if values.dtype.kind in "fi"
    }
