"""Units of numbers by the ends of their names, and units that people read."""

from __future__ import annotations

from alegear.units import split_key

#: SI unit -> unit of the size that gears have, and how many of it one is.
HANDY = {"m": ("um", 1e6), "Pa": ("MPa", 1e-6), "N/m": ("N/um", 1e-6)}


def number_unit(name: str) -> str:
    """Return the unit of a number of a summary, of a nested one by the part of its dotted name that has one.

    Examples
    --------
    >>> number_unit("root_stress_max_MPa.pinion.tension"), number_unit("face_load_factor")
    ('MPa', '1')
    """
    return next((unit for part in name.split(".") if (unit := split_key(part)[1])), "1")


def handy(units: str) -> tuple[str, float]:
    """Return the unit in which a quantity is shown, and the factor to it.

    Examples
    --------
    >>> handy("Pa"), handy("1")
    (('MPa', 1e-06), ('', 1.0))
    """
    unit, factor = HANDY.get(units, (units, 1.0))
    return ("" if unit == "1" else unit), factor
