"""Axes of a study, and keys of its case in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from alegear.contact.numbering import GEARS
from alegear.report.values import label_of
from alegear.results.result import Result


def is_study(result: Result) -> bool:
    """Whether a result is one of many points over named axes."""
    return "axes" in result.dataset.attrs


def axes_of(result: Result) -> Mapping[str, Sequence[str]]:
    """Keys of each axis."""
    found: Mapping[str, Sequence[str]] = json.loads(str(result.dataset.attrs["axes"]))
    return found


def varied(result: Result) -> list[str]:
    """Write the keys whose values a study varies; empty for other results."""
    if not is_study(result):
        return []
    keys = [key for of_axis in axes_of(result).values() for key in of_axis if key in result.dataset.coords]
    differing = [key for key in keys if len(set(map(repr, result.dataset[key].values.tolist()))) > 1]
    return [words_of(key, keys, result.record.quantities) for key in differing]


def words_of(key: str, keys: Sequence[str], quantities: Mapping[str, str] = MappingProxyType({})) -> str:
    """Write a key of a case with its unit: the gear and what it is, the whole way to it where another has the same.

    Examples
    --------
    >>> words_of("pinion.flank.tip_relief_um", ["pinion.flank.tip_relief_um", "pair.normal_module_mm"])
    'pinion tip relief [µm]'
    >>> words_of("bearings.a.at_mm", ["bearings.a.at_mm", "bearings.b.at_mm"])
    'bearings a at [mm]'
    """
    if any(one != key and _gear_and_last(one) == _gear_and_last(key) for one in keys):
        return label_of(key.replace(".", "_"), quantities)
    return label_of(_gear_and_last(key), quantities)


def _gear_and_last(key: str) -> str:
    first, *_, last = (key if "." in key else f".{key}").split(".")
    return f"{first}_{last}" if first in GEARS else last
