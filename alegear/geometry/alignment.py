"""How the pinion shaft stands against the wheel shaft."""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees, isfinite, radians

from alegear.errors import Fault

LARGEST_TILT = radians(1.0)
"""Tilt [rad] up to which the kinematics of small angles holds; a shaft in service tilts by a hundredth of it."""


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """Place the pinion shaft against the wheel shaft; everything 0 is the perfect gearbox.

    Parameters
    ----------
    tilt_plane_of_action : float [rad]
        Pinion axis turned inside the plane of action, about the middle of its face; positive closes the gap at +z.
        The gap changes by -z tilt, as with a helix slope of -b tilt.
    tilt_normal : float [rad]
        Pinion axis turned inside the plane normal to the plane of action.
    axial_offset : float [m]
        The pinion moved towards +z against the wheel: in the pinion's frame the middle of the wheel's face lies at
        ``z = -axial_offset``.
    center_distance_error : float [m]
        Added to the given centre distance; positive moves the gears apart. The sum is ``GearPair.a_w``.

    Raises
    ------
    Fault
        For a tilt beyond :data:`LARGEST_TILT` and for numbers that are not finite. Whether the faces still meet is
        known to the :class:`~alegear.geometry.gear_pair.GearPair` only, which checks it.

    Examples
    --------
    >>> Alignment(axial_offset=2e-3).tilt_normal
    0.0
    """

    tilt_plane_of_action: float = 0.0
    tilt_normal: float = 0.0
    axial_offset: float = 0.0
    center_distance_error: float = 0.0

    def __post_init__(self) -> None:
        for quantity, tilt, key in (
            ("tilt in the plane of action [deg]", self.tilt_plane_of_action, "tilt_plane_of_action_deg"),
            ("tilt normal to the plane of action [deg]", self.tilt_normal, "tilt_normal_deg"),
        ):
            if not abs(tilt) <= LARGEST_TILT * (1.0 + 1e-12):  # refuses NaN too
                limit = degrees(LARGEST_TILT)
                raise Fault(quantity, round(degrees(tilt), 6), f"between -{limit:g} and {limit:g}", f"reduce {key}")
        for quantity, length, scale, key in (
            ("axial offset [mm]", self.axial_offset, 1e3, "axial_offset_mm"),
            ("centre distance error [um]", self.center_distance_error, 1e6, "center_distance_error_um"),
        ):
            if not isfinite(length):
                raise Fault(quantity, scale * length, "a finite number", f"correct {key}")
