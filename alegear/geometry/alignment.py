"""How the pinion shaft stands against the wheel shaft."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from alegear.limits import Limits
from alegear.parameters import check_parameters, limits_of
from alegear.short_repr import ShortRepr

LARGEST_DISPLACEMENT = 1.0
"""Modules a gear may be displaced: half the depth of the teeth, beyond which they are no longer in mesh."""

LARGEST_TILT = 1.0
"""Tilt [deg] up to which the kinematics of small angles holds; a shaft in service tilts by a hundredth of it."""
TILT = Limits(quantity="tilt", unit="deg", least=-LARGEST_TILT, most=LARGEST_TILT)


@dataclass(frozen=True, kw_only=True)
class Alignment(ShortRepr):
    """Place the pinion shaft against the wheel shaft; everything 0 is the perfect gearbox.

    Parameters
    ----------
    tilt_plane_of_action : float [rad]
        Pinion axis turned inside the plane of action, about the middle of its face; positive closes the gap at +z.
        Of spur gears the gap changes by -z tilt, as with a helix slope of -b tilt; of helical ones as with a helix
        slope of -b tilt cos beta_b and a profile slope of -+ tilt sin abs(beta_b) (xi_a - xi_Ff), minus where helix
        angle and torque have the same sign, both of the pinion.
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
        For a tilt beyond 1 deg and for numbers that are not finite. Whether the faces still meet is
        known to the :class:`~alegear.geometry.gear_pair.GearPair` only, which checks it.

    Examples
    --------
    >>> Alignment(axial_offset=2e-3).tilt_normal
    0.0
    """

    tilt_plane_of_action: Annotated[
        float,
        replace(
            TILT,
            quantity="tilt in the plane of action",
            words="tilt of the axis of the pinion, or first gear, in the plane of action, positive closes the gap at"
            " +z,",
        ),
    ] = 0.0
    tilt_normal: Annotated[
        float,
        replace(
            TILT,
            quantity="tilt normal to the plane of action",
            words="tilt of the axis of the pinion, or first gear, in the plane normal to it",
        ),
    ] = 0.0
    axial_offset: Annotated[
        float,
        Limits(
            quantity="axial offset",
            words="axial offset of the pinion towards +z against the wheel",
            unit="mm",
            least=-1e5,
            most=1e5,
        ),
    ] = 0.0
    center_distance_error: Annotated[
        float,
        Limits(
            quantity="centre distance error",
            words="error of the centre distance, added to it,",
            unit="um",
            least=-1e5,
            most=1e5,
        ),
    ] = 0.0

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def given(self) -> dict[str, float | str]:
        """What is not 0, by its keys in a case file and in their units."""
        return {
            limits.key: float(getattr(self, name)) / limits.factor
            for name, limits in limits_of(Alignment).items()
            if getattr(self, name) != 0.0
        }


#: Of axes that are where they should be.
ALIGNED = Alignment()
