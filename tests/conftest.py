"""Settings every test runs under. They must be made before NumPy, Numba and Matplotlib are imported."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pytest

_WORKER = os.environ.get("PYTEST_XDIST_WORKER")
_ROOT = Path(__file__).resolve().parent.parent

# Two workers begin with these, and no kernels are to be compiled by both. One takes the first file: for two minutes it
# compiles what flexible teeth need, then it has tests of its own. The other takes those up to the last meanwhile, which
# need none of that, but what torsional parts need; the last one finds all of it on the disk.
_FIRST = (
    "recording/test_checkpoint.py",
    "kernels/test_decorators.py",
    "system/test_floating_bodies.py",
    "system/time_integration/test_constrained_step.py",
    "recording/test_ode_motion.py",
    "validation/test_single_tooth.py",
    "pictures/test_plots.py",
    "studies/test_machine_motion.py",
)

# Compiled kernels are kept for the next run; the workers share them.
os.environ["NUMBA_CACHE_DIR"] = str(_ROOT / ".numba_cache")
# Reduced wheels of an earlier run must not hide a fault in the reduction; the workers of this one share them, too.
_REDUCTIONS = None if _WORKER else tempfile.mkdtemp(prefix="alegear-test-")
if _REDUCTIONS is not None:
    os.environ["ALEGEAR_CACHE_DIR"] = _REDUCTIONS
# Each process that a test starts would compile all modules, which is a third of the time of its imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["MPLBACKEND"] = "Agg"
os.environ["PYVISTA_OFF_SCREEN"] = "true"
if _WORKER:
    # the workers share the cores among themselves
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# All that collecting loads stays: the collector would go through it again and again in vain.
gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first: a file stays with one worker, and no worker is to end alone with a long one."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    place = {(_ROOT / "tests" / name).resolve(strict=True): n for n, name in enumerate(_FIRST)}
    items.sort(key=lambda item: (place.get(item.path, len(_FIRST)), -slow[item.path]))


def pytest_collection_finish() -> None:
    """What is loaded by now stays, and is left alone in the tests, too: a twentieth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


def pytest_unconfigure() -> None:
    """Remove the reductions of this run."""
    if _REDUCTIONS is not None:
        shutil.rmtree(_REDUCTIONS, ignore_errors=True)
