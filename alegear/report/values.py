"""Keys of summaries in words, and their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from alegear.pictures.scales import in_signs
from alegear.report.key_words import WORDS
from alegear.units import split_key

MICRO, MILLI, MEGA, RPM = 1e6, 1e3, 1e-6, 30.0 / math.pi


def label_of(key: str, quantities: Mapping[str, str] = MappingProxyType({})) -> str:
    """Write a key of a summary in words with its unit; one that nothing has words for as it is.

    Parameters
    ----------
    key : str
    quantities : mapping of str to str
        What parts of the machine call their numbers, by keys (:class:`alegear.results.case_record.CaseRecord`).

    Examples
    --------
    >>> label_of("te_mean_um"), label_of("mesh_stiffness_mean_N_per_um")
    ('transmission error, mean [µm]', 'mesh stiffness mean [N/µm]')
    """
    if key in WORDS:
        return WORDS[key]
    name, unit = split_key(key)
    words = quantities.get(key) or name.replace("_", " ")
    return f"{words} [{in_signs(unit)}]" if unit else words


def numbers_of(summary: Mapping[str, Any]) -> dict[str, float]:
    """Entries of a summary that are numbers."""
    return {
        key: value for key, value in summary.items() if isinstance(value, int | float) and not isinstance(value, bool)
    }
