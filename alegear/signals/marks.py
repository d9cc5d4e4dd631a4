"""The lines of a spectrum with what may cause each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

from alegear.errors import Fault
from alegear.limits import check_kind, float_of
from alegear.signals.causes import Cause, CharacteristicOrders
from alegear.signals.spectrum import Spectrum

UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class MarkedLine:
    """A line of a spectrum, and its causes.

    Attributes
    ----------
    x : float [Hz or orders]
    amplitude : float
        Unit of the spectrum.
    causes : tuple of Cause
        All that lie within the tolerance, the least remote first; none where nothing known fits.
    """

    x: float
    amplitude: float
    causes: tuple[Cause, ...]

    @property
    def ambiguous(self) -> bool:
        """Whether more than one cause fits."""
        return len(self.causes) > 1

    @property
    def label(self) -> str:
        """Names of all causes, or ``"unknown"``."""
        return " or ".join(cause.name for cause in self.causes) or UNKNOWN


def mark(
    spectrum: Spectrum,
    orders: CharacteristicOrders | Sequence[Cause],
    *,
    speed: float | None = None,
    tolerance: float | None = None,
    most: int = 30,
    least: float = 0.01,
) -> tuple[MarkedLine, ...]:
    """Return the highest lines of a spectrum, the largest first, each with all causes that fit.

    Parameters
    ----------
    spectrum : Spectrum
        Of orders of the reference shaft, or of frequencies at a constant speed of it.
    orders : CharacteristicOrders, or sequence of Cause
    speed : float, optional [rad/s]
        Of the reference; with frequencies.
    tolerance : float, optional [Hz or orders]
        How far from a cause a line may be. Default: half of the resolution of the spectrum, within which two lines
        are one.
    most : int
    least : float
        As those of :meth:`~alegear.signals.spectrum.Spectrum.lines`.

    Raises
    ------
    Fault
        Also for frequencies without a speed, and a tolerance that is not positive.
    """
    check_kind(spectrum, "spectrum", Spectrum)
    causes = orders.causes if isinstance(orders, CharacteristicOrders) else tuple(orders)
    per_order = _per_order(spectrum, speed)
    within = 0.5 * spectrum.resolution if tolerance is None else float_of(tolerance)
    if not within > 0.0:
        raise Fault(f"tolerance [{spectrum.unit_of_x}]", tolerance, "above 0", "correct it")
    found = []
    for line in spectrum.lines(most=most, least=least):
        fitting = [cause for cause in causes if abs(per_order * cause.order - line.x) <= within]
        fitting.sort(key=lambda cause: (cause.remoteness, abs(per_order * cause.order - line.x), cause.name))
        found.append(MarkedLine(x=line.x, amplitude=line.amplitude, causes=tuple(fitting)))
    return tuple(found)


def _per_order(spectrum: Spectrum, speed: float | None) -> float:
    """What an order of the reference is on the axis of a spectrum."""
    if spectrum.unit_of_x == "orders":
        if speed is not None:
            limit = "left out: the spectrum is one of orders"
            raise Fault("speed of the reference [rad/s]", speed, limit, "leave out speed")
        return 1.0
    if speed is None or float_of(speed) == 0.0:
        limit = "given, and not 0: the spectrum is one of frequencies"
        raise Fault("speed of the reference [rad/s]", speed, limit, "give speed, or take an order spectrum")
    return abs(float_of(speed)) / (2.0 * pi)
