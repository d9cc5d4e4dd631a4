"""Designs of a study in words: keys with units, quantities, conditions; which curves of a Harris map are named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.pictures.scales import in_signs
from alegear.results.designs import SAMPLE, Quantity, axis_keys
from alegear.results.requested_outputs import RequestedOutputs, requested_outputs_of
from alegear.results.result import Result
from alegear.results.study_result import StudyResult
from alegear.units import split_key

if TYPE_CHECKING:
    import xarray as xr


#: Variable of a study, factor, what it is called; the largest over all further dimensions counts. Of principal stresses
#: that is one of the tension side.
QUANTITIES = (
    ("te_peak_to_peak", 1e6, "TE peak to peak [µm]"),
    ("contact_pressure_max", 1e-6, "flank pressure [MPa]"),
    ("edge_pressure_max", 1e-6, "edge pressure [MPa]"),
    ("root_stress_principal_max", 1e-6, "principal root stress, tension side [MPa]"),
    ("face_load_factor", 1.0, "K\u00a0Hβ"),
)
#: Curves of a Harris map that are drawn with a label; of more every so many is.
MOST_LABELS = 24


def short(value: Any) -> str:
    """Write a value of a key."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def short_key(key: str) -> str:
    """Write a key without its unit and the tables it is in, but for the gear."""
    *tables, last = key.split(".")
    gear = f"{tables[0]} " if tables and tables[0] in ("pinion", "wheel") else ""
    return f"{gear}{split_key(last)[0].replace('_', ' ')}"


def axis_label(key: str) -> str:
    """Write a key with its unit."""
    unit = in_signs(split_key(key)[1])
    return f"{short_key(key)} [{unit}]" if unit else short_key(key)


def with_unit(key: str, value: str) -> str:
    """Write a key with a value of it."""
    return f"{short_key(key)} = {value} {in_signs(split_key(key)[1])}".rstrip()


def quantity_label(quantity: Quantity, break_after: int = 44) -> str:
    """Write what a quantity is, in lines, with its unit."""
    import textwrap

    unit = quantity.unit.replace("um", "µm")
    words = quantity.words.partition(",")[0].partition(":")[0]
    return "\n".join(textwrap.wrap(f"{words} [{unit}]" if unit else words, break_after))


def conditions(by: str, over: Sequence[str]) -> str:
    """Say over which conditions a value is the worst or the mean; empty without any."""
    names = ["the samples of tolerances" if name == SAMPLE else short_key(name) for name in over]
    return f"{by} over {', '.join(names)}" if names else ""


def varied_keys(designs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Keys whose values are not the same in all designs, each only if it says more than those before."""
    keys = [key for key in (designs[0] if designs else ()) if len({repr(one[key]) for one in designs}) > 1]
    found: list[str] = []
    for key in keys:
        pairs = [(tuple(repr(one[k]) for k in (*found, key)), tuple(repr(one[k]) for k in found)) for one in designs]
        if len({new for new, _ in pairs}) > len({old for _, old in pairs}):
            found.append(key)
    return found


def labelled(count: int, best: int) -> set[int]:
    """Return which curves of a Harris map have a label: every so many, and the best one."""
    return {*range(0, count, -(-count // MOST_LABELS)), best}


def shades(count: int) -> list[float]:
    """Return greys of the curves of a Harris map, from a light one to a dark one; 0 is black.

    Examples
    --------
    >>> [round(one, 2) for one in shades(3)]
    [0.72, 0.42, 0.12]
    """
    return [0.72 - 0.6 * n / max(count - 1, 1) for n in range(count)]


def asks(result: Result, what: str) -> bool:
    """Whether the file of a study asks for an ``optimum``, a ``pareto`` front or a ``harris_map``."""
    return isinstance(result, StudyResult) and what in (result.summary.get("requested") or {})


def answer_of(result: Result, what: str) -> RequestedOutputs:
    """Answer one of what the file of a study asks for."""
    assert isinstance(result, StudyResult)  # the picture holds
    requested: Mapping[str, Any] = result.summary["requested"]
    return requested_outputs_of(result, {what: requested[what]})


def over_axes(dataset: xr.Dataset, name: str, factor: float) -> Array:
    """A quantity over the axes of a study alone: the largest over its further dimensions."""
    values = np.asarray(dataset[name].values, dtype=float) * factor
    flat = values.reshape(*values.shape[: len(axis_keys(dataset))], -1)
    largest = np.where(np.isfinite(flat), flat, -np.inf).max(axis=-1, initial=-np.inf)
    found: Array = np.where(np.isfinite(largest), largest, np.nan)
    return found
