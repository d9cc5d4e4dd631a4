"""Scales of axes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Curves that change by less than this part of their largest value are constant.
CONSTANT = 1e-6
#: Height of the axis of a constant over its value, to either side.
ROOM = 0.1
#: Prefixes of units, the largest first.
PREFIXES = ((1e-9, "G"), (1e-6, "M"), (1e-3, "k"), (1.0, ""), (1e3, "m"), (1e6, "µ"), (1e9, "n"))
#: What is written with three digits as 1000 has the next prefix.
ROUNDED = 0.9995
#: Numbers of more digits before the point are written with a power of ten.
MOST_DIGITS = 7


def prefixed(largest: float, unit: str) -> tuple[float, str]:
    """Return the factor and the unit with a prefix in which a value has one to three digits before the point.

    Parameters
    ----------
    largest : float
        By magnitude, in `unit`.
    unit : str
        Without prefix.

    Returns
    -------
    float, str
        The unit without a prefix for 0.

    Examples
    --------
    >>> from alegear.pictures.scales import prefixed
    >>> prefixed(3.9e6, "N m")
    (1e-06, 'MN m')
    """
    if not largest:
        return 1.0, unit
    factor, prefix = next(((f, prefix) for f, prefix in PREFIXES if f * largest >= ROUNDED), PREFIXES[-1])
    return factor, f"{prefix}{unit}"


def in_signs(units: str) -> str:
    """Write units of a dataset with their signs.

    Examples
    --------
    >>> from alegear.pictures.scales import in_signs
    >>> in_signs("m/s2"), in_signs("(um)2/Hz"), in_signs("N m"), in_signs("deg C"), in_signs("urad")
    ('m/s²', '(µm)²/Hz', 'N m', '°C', 'µrad')
    """
    powers = re.sub(r"(?<=[A-Za-z)])[23]\b", lambda power: "²³"[int(power[0]) - 2], units)
    return re.sub(r"\bu(?=m\b|rad\b)", "µ", re.sub(r"\bdeg\b ?", "°", powers))


def plain(value: float, digits: int = 4) -> str:
    """Write a number with so many digits, larger ones with all before the point and without a power of ten.

    Examples
    --------
    >>> from alegear.pictures.scales import plain
    >>> plain(21362.4), plain(-3084.2, 3), plain(2e-5)
    ('21362', '-3084', '2e-05')
    """
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e+" in text and abs(value) < 10.0**MOST_DIGITS else text


def show_constants_flat(axes: Axes) -> None:
    """Give the y axis numbers without an offset, and where all curves are one constant do not enlarge round-off."""
    axes.ticklabel_format(axis="y", useOffset=False)
    values = [np.asarray(line.get_ydata(), dtype=np.float64) for line in axes.lines]
    every = np.concatenate([np.zeros(0), *values])
    every = every[np.isfinite(every)]
    if not every.size:
        return
    low, high = float(every.min()), float(every.max())
    largest = max(abs(low), abs(high))
    if largest and high - low <= CONSTANT * largest:
        axes.set_ylim(low - ROOM * largest, high + ROOM * largest)


def in_units(value: float, unit: str) -> str:
    """Write a value with three digits and the prefix of its unit that suits it."""
    factor, own = prefixed(abs(value), unit)
    return f"{factor * value:.3g} {own}"
