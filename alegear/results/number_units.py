"""Units of numbers by the ends of their names, and units that people read."""

from __future__ import annotations

#: Ends of names of numbers, the longest first -> unit.
_ENDS = {
    "Nms_per_rad": "N m s/rad",
    "Nm_per_rad": "N m/rad",
    "N_per_mm3": "N/mm3",
    "N_per_um": "N/um",
    "N_per_m": "N/m",
    "kg_m2": "kg m2",
    "rpm": "rpm",
    "urad": "urad",
    "MPa": "MPa",
    "deg": "deg",
    "mm": "mm",
    "um": "um",
    "kg": "kg",
    "Hz": "Hz",
    "MB": "MB",
    "Nm": "N m",
    "N": "N",
    "W": "W",
    "m": "m",
    "s": "s",
}
#: SI unit -> unit of the size that gears have, and how many of it one is.
HANDY = {"m": ("um", 1e6), "Pa": ("MPa", 1e-6), "N/m": ("N/um", 1e-6)}


def number_unit(name: str) -> str:
    """Return the unit of a number of a summary, of a nested one by the part of its dotted name that has one.

    Examples
    --------
    >>> number_unit("root_stress_max_MPa.pinion.tension"), number_unit("face_load_factor")
    ('MPa', '1')
    """
    for part in name.split("."):
        for end, unit in _ENDS.items():
            if part.endswith(f"_{end}"):
                return unit
    return "1"


def handy(units: str) -> tuple[str, float]:
    """Return the unit in which a quantity is shown, and the factor to it.

    Examples
    --------
    >>> handy("Pa"), handy("1")
    (('MPa', 1e-06), ('', 1.0))
    """
    unit, factor = HANDY.get(units, (units, 1.0))
    return ("" if unit == "1" else unit), factor
