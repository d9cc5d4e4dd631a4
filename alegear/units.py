"""Units of what users give and read: how keys of case files end, and how much one is in SI units."""

from __future__ import annotations

import math
from typing import NamedTuple


class Unit(NamedTuple):
    """A unit.

    Attributes
    ----------
    ending : str
        Of keys of case files, after an underscore: ``"Nms_per_rad"``.
    factor : float
        One of it in SI units.
    words : str
        As sentences have it; empty: as it is.
    si : str
        The unit of the same in Python; empty: this one.
    """

    ending: str
    factor: float = 1.0
    words: str = ""
    si: str = ""


UNITS: dict[str, Unit] = {
    "": Unit(""),
    "s": Unit("s"),
    "us": Unit("us", 1e-6, "microseconds", si="s"),
    "Hz": Unit("Hz"),
    "m": Unit("m"),
    "mm": Unit("mm", 1e-3, si="m"),
    "um": Unit("um", 1e-6, "micrometres", "m"),
    "m2": Unit("m2"),
    "m/s": Unit("m_per_s"),
    "mm/s": Unit("mm_per_s", 1e-3, si="m/s"),
    "m/s2": Unit("m_s2"),
    "rad": Unit("rad"),
    "deg": Unit("deg", math.radians(1.0), "degrees", "rad"),
    "rad/s": Unit("rad_per_s"),
    "rpm": Unit("rpm", 2.0 * math.pi / 60.0, si="rad/s"),
    "kg": Unit("kg"),
    "g mm": Unit("g_mm", 1e-6, si="kg m"),
    "kg m2": Unit("kg_m2"),
    "kg/m3": Unit("kg_per_m3"),
    "N": Unit("N"),
    "N/m": Unit("N_per_m"),
    "N/um": Unit("N_per_um", 1e6, si="N/m"),
    "N s/m": Unit("Ns_per_m"),
    "N/mm3": Unit("N_per_mm3", 1e9, si="N/m3"),
    "N s/mm3": Unit("Ns_per_mm3", 1e9, si="N s/m3"),
    "N m": Unit("Nm"),
    "N m/rad": Unit("Nm_per_rad"),
    "N m s/rad": Unit("Nms_per_rad"),
    "N m s2/rad2": Unit("Nms2_per_rad2"),
    "MPa": Unit("MPa", 1e6, si="Pa"),
    "GPa": Unit("GPa", 1e9, si="Pa"),
    "mPa s": Unit("mPas", 1e-3, si="Pa s"),
    "W": Unit("W"),
    "J": Unit("J"),
    "W/(m K)": Unit("W_per_mK"),
    "J/(kg K)": Unit("J_per_kgK"),
    "deg C": Unit("C", 1.0, "degrees Celsius"),
    "m sqrt(kg)": Unit("m_sqrt_kg"),
    "m kg1/2": Unit("m_sqrt_kg"),
}
MM, UM, RPM, DEGREE, G_MM = (UNITS[unit].factor for unit in ("mm", "um", "rpm", "deg", "g mm"))
#: Endings of keys, those behind which another one stands first, with their units; the last ones are of results alone.
ENDINGS: dict[str, str] = {unit.ending: name for name, unit in UNITS.items() if unit.ending} | {
    "urad": "urad", "mrad": "mrad", "m_per_s2": "m/s2", "N_per_mm": "N/mm", "N_per_mm_um": "N/(mm um)", "K": "K",
    "W_per_mm2": "W/mm2", "MPa_m_per_s": "MPa m/s", "MB": "MB", "dB": "dB", "pitches": "pitches",
}  # fmt: skip
ENDINGS = dict(sorted(ENDINGS.items(), key=lambda one: -len(one[0])))


def split_key(key: str) -> tuple[str, str]:
    """Return a key without the unit at its end, and the unit; empty without one.

    Examples
    --------
    >>> split_key("sliding_velocity_max_m_per_s"), split_key("face_load_factor")
    (('sliding_velocity_max', 'm/s'), ('face_load_factor', ''))
    """
    ending = next((one for one in ENDINGS if key.endswith(f"_{one}")), "")
    return (key.removesuffix(f"_{ending}"), ENDINGS[ending]) if ending else (key, "")
