"""Settings every test runs under. They must be made before NumPy, Numba and Matplotlib are imported."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

_WORKER = os.environ.get("PYTEST_XDIST_WORKER")
_ROOT = Path(__file__).resolve().parent.parent

# Compiled kernels are kept for the next run; the workers share them.
os.environ["NUMBA_CACHE_DIR"] = str(_ROOT / ".numba_cache")
# Reduced wheels of an earlier run must not hide a fault in the reduction.
_REDUCTIONS = tempfile.mkdtemp(prefix="alegear-test-")
os.environ["ALEGEAR_CACHE_DIR"] = _REDUCTIONS
os.environ["MPLBACKEND"] = "Agg"
os.environ["PYVISTA_OFF_SCREEN"] = "true"
if _WORKER:
    # the workers share the cores among themselves
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_unconfigure() -> None:
    """Remove the reductions of this run."""
    shutil.rmtree(_REDUCTIONS, ignore_errors=True)
