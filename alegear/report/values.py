"""Keys of summaries in words, and their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from alegear.report.key_words import WORDS

MICRO, MILLI, MEGA, RPM = 1e6, 1e3, 1e-6, 30.0 / math.pi
#: Units at the end of keys, an ending of another one behind it.
_UNITS = (
    "Nms2_per_rad2", "Nms_per_rad", "Nm_per_rad", "rad_per_s", "N_per_mm3", "N_per_um", "N_per_mm", "N_per_m",
    "MPa_m_per_s", "m_per_s2", "m_per_s", "W_per_mm2", "kg_m2", "kg_per_m3",
    "pitches", "rpm", "urad", "mrad", "MPa", "deg", "mm", "um", "kg", "Hz", "MB",
    "rad", "Nm", "dB", "m2", "N", "W", "J", "K", "C", "m", "s",
)  # fmt: skip
_SIGNS = {
    "um": "µm", "urad": "µrad", "Nm": "N m", "kg_m2": "kg m²", "N_per_um": "N/µm", "MPa_m_per_s": "MPa m/s", "deg": "°",
    "Nms2_per_rad2": "N m s²/rad²", "Nms_per_rad": "N m s/rad", "Nm_per_rad": "N m/rad", "N_per_mm3": "N/mm³",
    "W_per_mm2": "W/mm²", "kg_per_m3": "kg/m³", "m_per_s2": "m/s²", "m2": "m²", "C": "°C",
}  # fmt: skip


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
    unit = next((one for one in _UNITS if key.endswith(f"_{one}")), "")
    name = quantities.get(key) or key.removesuffix(f"_{unit}").replace("_", " ")
    return f"{name} [{_SIGNS.get(unit, unit.replace('_per_', '/').replace('_', ' '))}]" if unit else name


def numbers_of(summary: Mapping[str, Any], left_out: Iterable[str] = ()) -> dict[str, float]:
    """Entries of a summary that are numbers."""
    return {
        key: value
        for key, value in summary.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and key not in set(left_out)
    }
