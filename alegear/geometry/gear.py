"""An external cylindrical gear cut by a rack."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import cos, pi
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from alegear.errors import Fault
from alegear.geometry.basic_rack import BasicRack
from alegear.geometry.cylindrical_gear import (
    FACE_WIDTH,
    HELIX_ANGLE,
    LARGEST_TOOTH_NUMBER,
    MODULE,
    OF_FLANKS,
    OF_RACK,
    PROFILE_SHIFT,
    THICKNESS_ALLOWANCE,
    THINNEST_RIM,
    TIP_ALTERATION,
    CylindricalGear,
)
from alegear.geometry.involute import inv, involute_angle
from alegear.geometry.microgeometry import Microgeometry
from alegear.geometry.tooth_profile import ToothProfile
from alegear.limits import Limits, described
from alegear.short_repr import ShortRepr

Array = NDArray[np.float64]

SMALLEST_TOOTH_NUMBER = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class Gear(ShortRepr, CylindricalGear):
    """Define an external cylindrical gear, spur or helical, cut by a basic rack.

    A thickness allowance is the cutter fed deeper: flank and root belong to the generating profile shift
    ``x_E = x - allowance/(2 m_n tan alpha_n)`` (ISO 21771), so ``d_f`` is the generated root diameter, which ISO
    writes d_fE; the tip circle belongs to x.

    Parameters
    ----------
    z : int
        Number of teeth, at least 5.
    m_n : float [m]
        Normal module.
    rack : BasicRack
        The cutting rack.
    x : float
        Profile shift factor, positive outwards.
    b : float [m]
        Face width.
    bore_diameter : float [m]
        The bore, which is the shaft's interface.
    beta : float [rad]
        Helix angle at the reference circle, right hand positive, up to 45 deg.
    tip_alteration_factor : float
        k: the tip radius changes by k m_n, negative shortens.
    tip_rounding : float or None [m]
        Radius of the tip round; 0 is sharp. None: 0.05 m_n, or a quarter of the tip thickness where that is less;
        the value used is :attr:`tip_rounding_radius`. Grid, section and path of contact take the tip as sharp.
    thickness_allowance : float [m]
        By how much the tooth is thinner at the reference circle, in the normal section; negative thickens.
    microgeometry : Microgeometry
        Deviations of the flanks.

    Raises
    ------
    Fault
        For an impossible gear: too few teeth, pointed tip, bore not below the root, relief off the flank, and so on.

    Notes
    -----
    Profile, diameters and thicknesses belong to the transverse section; that at z is the one at mid-face turned about
    +z by ``twist z``.
    Sources: ISO 21771:2007 (diameters, thickness), ISO 53:1998 (rack).

    Examples
    --------
    >>> pinion = Gear(z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35.8e-3)
    >>> round(1e3 * pinion.d_f, 3), round(1e3 * pinion.d_Ff, 4)
    (71.6, 75.6714)
    """

    z: Annotated[
        int,
        Limits(
            quantity="teeth",
            words="number of teeth",
            key="teeth",
            least=SMALLEST_TOOTH_NUMBER,
            most=LARGEST_TOOTH_NUMBER,
            whole=True,
        ),
    ]
    m_n: Annotated[float, MODULE]
    rack: Annotated[BasicRack, OF_RACK] = field(default_factory=BasicRack)
    x: Annotated[float, PROFILE_SHIFT] = 0.0
    b: Annotated[float, FACE_WIDTH]
    bore_diameter: Annotated[float, Limits(quantity="bore diameter", unit="mm", least=0.01, most=1e5)]
    beta: Annotated[float, HELIX_ANGLE] = 0.0
    tip_alteration_factor: Annotated[float, TIP_ALTERATION] = 0.0
    tip_rounding: Annotated[
        float | None,
        Limits(quantity="tip rounding", words="radius of the tip edge", unit="mm", least=0.0, most=1000.0),
    ] = None
    thickness_allowance: Annotated[float, THICKNESS_ALLOWANCE] = 0.0
    microgeometry: Annotated[Microgeometry, OF_FLANKS] = field(default_factory=Microgeometry)

    def __post_init__(self) -> None:
        self._check_numbers()
        self._check_tip()
        self._check_bore()
        self._check_microgeometry()

    @cached_property
    def tooth_profile(self) -> ToothProfile:
        """The transverse profile of flank a in the tooth frame."""
        return ToothProfile.generate(z=self.z, m_n=self.m_n, beta=self.beta, rack=self.rack, x_E=self.x_E, r_a=self.r_a)

    @property
    def r_rim(self) -> float:
        """Radius of the bore [m]."""
        return 0.5 * self.bore_diameter

    @property
    def tip_rounding_radius(self) -> float:
        """Radius of the tip round [m]."""
        if self.tip_rounding is not None:
            return self.tip_rounding
        return super().tip_rounding_radius

    def _check_numbers(self) -> None:
        if isinstance(self.z, int | np.integer) and not isinstance(self.z, bool) and self.z < 0:
            limit = "above 0 for an external gear"
            raise Fault("teeth", described(self.z), limit, "give an InternalGear (internal = true), or teeth above 0")
        super()._check_numbers()

    def _check_tip(self) -> None:
        if self.r_a <= max(self.r_f, self.r_b):
            raise Fault(
                "tip diameter [mm]",
                round(1e3 * self.d_a, 6),
                f"above the root and base diameters, {1e3 * self.d_f:.4f} and {1e3 * self.d_b:.4f}",
                "increase profile_shift, tip_alteration_factor or addendum_factor",
            )
        s_a = self.s_at(self.r_a)
        if s_a <= 0.0:
            r_point = self.r_b / cos(involute_angle(self.s_t / self.d + inv(self.alpha_t)))
            largest = (r_point - self.r) / self.m_n - self.x - self.rack.addendum_factor
            raise Fault(
                "tip thickness [mm]",
                round(1e3 * s_a, 6),
                f"above 0: the tooth is pointed at diameter {2e3 * r_point:.4f}",
                f"lower tip_alteration_factor below {largest:.3f}, or reduce profile_shift",
            )
        if self.tip_rounding is not None and not 0.0 <= self.tip_rounding <= 0.5 * s_a:
            raise Fault(
                "tip rounding [mm]",
                round(1e3 * self.tip_rounding, 6),
                f"from 0 to {0.5e3 * s_a:.4f}, half the tip thickness",
                "correct tip_rounding_mm",
            )
        profile = self.tooth_profile  # its own faults: no flank left, no smooth root
        if self.s_at(profile.r_Ff) >= 2.0 * pi / self.z * profile.r_Ff:
            raise Fault(
                "tooth thickness at the root form circle [mm]",
                round(1e3 * self.s_at(profile.r_Ff), 6),
                f"below the pitch there, {2e3 * pi / self.z * profile.r_Ff:.4f}",
                "reduce profile_shift",
            )

    def _check_bore(self) -> None:
        if self.bore_diameter >= self.d_f:
            raise Fault(
                "bore diameter [mm]",
                round(1e3 * self.bore_diameter, 6),
                f"below the root diameter {1e3 * self.d_f:.4f}",
                "reduce bore_diameter_mm",
            )
        largest = self.d_f - 2.0 * THINNEST_RIM * self.m_n
        if self.bore_diameter > largest:
            raise Fault(
                "bore diameter [mm]",
                round(1e3 * self.bore_diameter, 6),
                f"at most {1e3 * largest:.4f}, which leaves a rim of {THINNEST_RIM:g} modules",
                "reduce bore_diameter_mm",
            )
