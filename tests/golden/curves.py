"""Curves of a case and numbers of a machine: what a result holds, as plain arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

import golden_machines
import numpy as np
import pytest
import xarray as xr
from cases import case_of
from numpy.typing import NDArray

import alegear as ag
from alegear.results.export import flat
from alegear.studies import dynamic, linear_sweep
from alegear.system.time_integration.newton import NewtonParameters

#: Motions are compared beyond what Newton's iteration leaves open (1e-9 of the torque by default).
TIGHT = 1e-11
#: Of linear sweeps, whose many positions are for accuracy: of machines, and as they are.
FEW_POSITIONS, ALL_POSITIONS = 48, linear_sweep.LEAST_POSITIONS
#: Begins the names of numbers of a summary.
SUMMARY = "summary "
#: Keys of a summary that are no answer: time and place of computing, and how often an iteration went round. Of the
#: place of an extreme there may be several (two ends of a spur face) that only round-off tells apart.
NO_ANSWER = re.compile(
    r"seconds|version|case_sha256|memory_estimate|counts|newton_iterations|evaluations|warnings|_max_at\."
)


@contextmanager
def tight_newton() -> Iterator[None]:
    """Let all motions in this context solve their steps nearly to round-off, which is at 2e-12."""
    usual = dynamic.SCHEMES

    def tight(name: str) -> Callable[..., Any]:
        return lambda **given: replace(usual[name](**given), newton=NewtonParameters(tolerance=TIGHT))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dynamic, "SCHEMES", {name: tight(name) for name in usual})
        yield


@cache
def result_of(name: str) -> ag.Result:
    """Compute a case or a machine, once a process."""
    with tight_newton(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            linear_sweep, "LEAST_POSITIONS", FEW_POSITIONS if name in golden_machines.TEXTS else ALL_POSITIONS
        )
        return ag.run(golden_machines.machine_of(name) if name in golden_machines.TEXTS else case_of(name))


def curves_of(name: str) -> dict[str, NDArray[np.float64]]:
    """Variables of a case by name, numbers only."""
    return numbers(result_of(name).dataset.load())


def numbers(data: xr.Dataset) -> dict[str, NDArray[np.float64]]:
    """Variables of a dataset by name, numbers only."""
    return {
        str(key): np.asarray(values, dtype=np.float64)
        for key, values in data.data_vars.items()
        if values.dtype.kind in "fi"
    }


def numbers_of(name: str) -> dict[str, NDArray[Any]]:
    """Numbers and labels of all that a result holds, by part, name and unit; of a case the summary alone."""
    found = numbers_in(result_of(name))
    return found if name in golden_machines.TEXTS else {key: one for key, one in found.items() if SUMMARY in key}


def numbers_in(result: ag.Result) -> dict[str, NDArray[Any]]:
    """Variables, coordinates and summary of a pair, or of a machine and of each of its flexible meshes."""
    found: dict[str, NDArray[Any]] = {}
    whole = "machine" if result.summary.get("machine") else "pair"
    for part, one in {whole: result, **{f"mesh {mesh}": one for mesh, one in result.meshes().items()}}.items():
        data = one.dataset.load()
        for key, values in {**data.coords, **data.data_vars}.items():
            kind = np.str_ if values.dtype.kind in "OU" else np.float64
            found[f"{part}: {key} [{values.attrs.get('units', '')}]"] = np.asarray(values, dtype=kind)
        for key, value in flat(one.summary):
            if not NO_ANSWER.search(key) and not isinstance(value, str):
                found[f"{part}: {SUMMARY}{key}"] = np.array(np.nan if value is None else value, dtype=np.float64)
    return found


def unit_of(name: str) -> str:
    """Return the unit in a name of :func:`numbers_in`; of a number of a summary the last word, which is its unit.

    Examples
    --------
    >>> unit_of("machine: torque [N m]"), unit_of("mesh first: summary root_stress_max_MPa.pinion.tension")
    ('N m', 'MPa')
    """
    _, summary, key = name.partition(SUMMARY)
    if not summary:
        return name[name.rindex("[") + 1 : -1]
    words = [word for word in key.split(".") if not word.isdigit()]
    last = next((word for word in reversed(words) if "_" in word), words[-1])
    found = re.search(r"_((?:[A-Za-z0-9]+_per_)?[A-Za-z0-9]+)$", last)
    return found[1] if found else last
