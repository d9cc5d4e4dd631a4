"""Cylindrical gears: the numbers of ISO 21771 by signed teeth that all have, and the external gear cut by a rack."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import acos, asin, atan, copysign, cos, pi, sin, tan
from typing import Annotated, Self

import numpy as np
from numpy.typing import ArrayLike

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.geometry.involute import inv, involute_angle, transverse_pressure_angle
from alegear.geometry.measured_teeth import MeasuredTeeth
from alegear.geometry.microgeometry import FLANKS, OF_PAIR, Flank, Microgeometry
from alegear.geometry.modified_profile import SHARPEST_EDGE, SHARPEST_TIP, ModifiedProfile
from alegear.geometry.tooth_profile import BasicRack, ToothProfile
from alegear.limits import Limits, check_kind, described
from alegear.parameters import Inlined, SubTable, check_parameters
from alegear.short_repr import ShortRepr

SMALLEST_TOOTH_NUMBER, LARGEST_TOOTH_NUMBER = 5, 10_000
THINNEST_RIM = 0.01  # under the root, in modules: the cells of a thinner one are turned inside out
LARGEST_ALLOWANCE = 0.5  # of the tooth thickness, in modules

LARGEST_HELIX_ANGLE = 45.0
"""Helix angle [deg] up to which cylindrical gears are made and the formulas have been checked."""


MODULE = Limits(quantity="normal module", key="normal_module_mm", unit="mm", least=0.01, most=1000.0)
PROFILE_SHIFT = Limits(quantity="profile shift", key="profile_shift", least=-3.0, most=3.0)
FACE_WIDTH = Limits(quantity="face width", key="face_width_mm", unit="mm", least=0.01, most=10000.0)
HELIX_ANGLE = Limits(
    quantity="helix angle",
    words="helix angle of the pinion, right hand positive,",
    key="helix_angle_deg",
    unit="deg",
    least=-LARGEST_HELIX_ANGLE,
    most=LARGEST_HELIX_ANGLE,
)
TIP_ALTERATION = Limits(
    quantity="tip alteration factor",
    words="change of the tip radius in modules",
    key="tip_alteration_factor",
    least=-2.0,
    most=2.0,
)
THICKNESS_ALLOWANCE = Limits(
    quantity="tooth thickness allowance", key="tooth_thickness_allowance_um", unit="um", least=-1e5, most=1e5
)
OF_RACK = Inlined(BasicRack, without=("alpha_n",))
OF_FLANKS = SubTable(Microgeometry, "flank", "deviations of the flanks")


class CylindricalGear(ABC):
    """Give a cylindrical gear, spur or helical, the numbers of ISO 21771.

    One set of formulas holds for both kinds: an internal gear has a negative number of teeth, and with it negative
    radii, diameters and roll lengths; its profile shift is positive towards its axis, where it makes the teeth thicker.
    The helix angle is that of the tooth traces, right hand positive, of both.
    """

    z: int
    m_n: float
    rack: BasicRack
    x: float
    b: float
    beta: float
    tip_alteration_factor: float
    thickness_allowance: float
    microgeometry: Microgeometry

    @property
    @abstractmethod
    def tooth_profile(self) -> ToothProfile:
        """The transverse profile of flank a in the tooth frame."""

    @property
    @abstractmethod
    def r_rim(self) -> float:
        """Radius where the body ends opposite the teeth [m]: bore, or rim with negative sign."""

    @property
    def sign(self) -> float:
        """+1, of an internal gear -1."""
        return copysign(1.0, self.z)

    @property
    def internal(self) -> bool:
        """Whether its teeth point inwards."""
        return self.z < 0

    @property
    def alpha_n(self) -> float:
        """Normal pressure angle [rad]."""
        return self.rack.alpha_n

    @property
    def alpha_t(self) -> float:
        """Transverse pressure angle [rad]: tan alpha_t = tan alpha_n/cos beta."""
        return transverse_pressure_angle(self.alpha_n, self.beta)

    @property
    def beta_b(self) -> float:
        """Base helix angle [rad]: sin beta_b = sin beta cos alpha_n."""
        return asin(sin(self.beta) * cos(self.alpha_n))

    @property
    def twist(self) -> float:
        """Rotation of the transverse section about +z per length along the axis [rad/m]: tan beta/|r|."""
        return tan(self.beta) / abs(self.r)

    @property
    def z_n(self) -> float:
        """Virtual number of teeth: z/(cos^2 beta_b cos beta)."""
        return self.z / (cos(self.beta_b) ** 2 * cos(self.beta))

    @property
    def m_t(self) -> float:
        """Transverse module [m]."""
        return self.m_n / cos(self.beta)

    @property
    def p_bt(self) -> float:
        """Transverse base pitch [m]."""
        return pi * self.m_t * cos(self.alpha_t)

    @property
    def x_E(self) -> float:
        """Generating profile shift factor, with the thickness allowance."""
        return self.x - self.thickness_allowance / (2.0 * self.m_n * tan(self.alpha_n))

    @property
    def r(self) -> float:
        """Reference radius [m]."""
        return 0.5 * self.z * self.m_t

    @property
    def r_b(self) -> float:
        """Base radius [m]."""
        return self.r * cos(self.alpha_t)

    @property
    def r_a(self) -> float:
        """Tip radius [m]."""
        return self.r + (self.x + self.rack.addendum_factor + self.tip_alteration_factor) * self.m_n

    @property
    def r_f(self) -> float:
        """Generated root radius [m]."""
        return self.r + (self.x_E - self.rack.dedendum_factor) * self.m_n

    @property
    def r_Ff(self) -> float:
        """Root form radius [m]: the lowest point of the involute."""
        return self.tooth_profile.r_Ff

    @property
    def d(self) -> float:
        """Reference diameter [m]."""
        return 2.0 * self.r

    @property
    def d_rim(self) -> float:
        """Diameter where the body ends opposite the teeth [m]."""
        return 2.0 * self.r_rim

    @property
    def d_b(self) -> float:
        """Base diameter [m]."""
        return 2.0 * self.r_b

    @property
    def d_a(self) -> float:
        """Tip diameter [m]."""
        return 2.0 * self.r_a

    @property
    def d_f(self) -> float:
        """Generated root diameter [m]."""
        return 2.0 * self.r_f

    @property
    def d_Ff(self) -> float:
        """Root form diameter [m]."""
        return 2.0 * self.r_Ff

    @property
    def s_t(self) -> float:
        """Transverse tooth thickness at the reference circle, as an arc [m]."""
        return self.m_t * (0.5 * pi + 2.0 * self.x_E * tan(self.alpha_n))

    @property
    def s_n(self) -> float:
        """Normal tooth thickness at the reference circle, as an arc [m]."""
        return self.s_t * cos(self.beta)

    @property
    def s_an(self) -> float:
        """Normal tooth thickness at the tip circle, as an arc [m]; tan beta_a = tan beta r_a/r."""
        return self.s_at(self.r_a) * cos(atan(tan(self.beta) * self.r_a / self.r))

    @property
    def undercut(self) -> bool:
        """True where the root curve cuts into the involute above the base circle."""
        return self.tooth_profile.undercut

    @property
    def tip_rounding_radius(self) -> float:
        """Radius of the tip round [m]: 0.05 m_n, or a quarter of the tip thickness where that is less."""
        return min(0.05 * self.m_n, 0.25 * self.s_at(self.r_a))

    def s_at(self, r: float) -> float:
        """Return the transverse tooth thickness at a radius on the involute, as an arc [m]; negative beyond its point.

        ``s = 2 r (s_t/d + inv alpha_t - inv alpha)``, ``cos alpha = r_b/r``.

        Raises
        ------
        Fault
            Below the base circle, where no involute is.
        """
        if abs(r) < abs(self.r_b) or r * self.sign < 0.0:
            raise Fault(
                "radius for the tooth thickness [mm]",
                round(1e3 * r, 6),
                f"at least the base radius {1e3 * self.r_b:.4f}{' by magnitude, negative' if self.internal else ''}",
                "ask for a radius on the involute",
            )
        return 2.0 * r * (self.s_t / self.d + inv(self.alpha_t) - inv(acos(self.r_b / r)))

    def roll_length(self, r: ArrayLike) -> Array:
        """Return r_b times the roll angle at a radius, shape (n,) [m]: sign sqrt(r^2 - r_b^2), 0 below the base."""
        return self.sign * np.sqrt(np.maximum(np.asarray(r, dtype=float) ** 2 - self.r_b**2, 0.0))

    def flank_removal(self, roll_length: ArrayLike, z: ArrayLike, flank: Flank = "a", tooth: ArrayLike = 0) -> Array:
        """Return the material that the microgeometry removes from a flank.

        Parameters
        ----------
        roll_length : shape (n,) [m]
            Position on the profile; below the root form circle the value on that circle is taken, beyond the tip that
            at the tip.
        z : shape (n,) [m]
            Position across the face, from mid-face.
        flank : {"a", "b"}
            Left or right; matters only where each was measured by itself.
        tooth : shape (n,) of int
            Number of the tooth, from 0; matters only where flanks of single teeth were measured.

        Returns
        -------
        shape (n,) [m]
            Normal offset into the material; pitch deviations not included.

        Raises
        ------
        Fault
            For a relief that begins at the end of single contact, of a gear that is in no pair.
        """
        micro, profile = self.microgeometry, self.tooth_profile
        xi, z = np.broadcast_arrays(np.asarray(roll_length, dtype=float), np.asarray(z, dtype=float))
        if micro.needs_pair:
            remedy = "put the gear into a GearPair and take it from there, or give a start diameter"
            raise Fault("start of a relief", f'"{OF_PAIR}"', "a diameter outside of a pair", remedy)
        xi = np.clip(xi, profile.roll_length_form, profile.roll_length_tip)
        removal = micro.lead_removal(z, self.b) + micro.profile_removal(
            xi,
            form=profile.roll_length_form,
            tip=profile.roll_length_tip,
            tip_start=self._roll_length_at(micro.tip_relief_start_diameter),
            root_start=self._roll_length_at(micro.root_relief_start_diameter),
        )
        measured = micro.topography_of(flank)
        if isinstance(measured, MeasuredTeeth):
            xi, z, teeth = np.broadcast_arrays(xi, z, np.asarray(tooth))
            return np.asarray(removal + measured.removal_at(xi, z, teeth, abs(self.z)))
        if measured is not None:
            removal = removal + measured.removal_at(xi, z)
        return np.asarray(removal)

    def first_alike(self, flank: Flank) -> Indices:
        """Return for each tooth the first one with the same flank, shape (|z|,); 0 where none was measured alone."""
        which = self.microgeometry.flank_of_teeth(flank, abs(self.z))
        _, first, alike = np.unique(which, return_index=True, return_inverse=True)
        return np.asarray(first[alike.reshape(-1)], dtype=np.int64)

    @property
    def different_teeth(self) -> tuple[int, ...]:
        """One tooth of each kind: tooth 0 only, except where flanks of single teeth were measured."""
        kinds = np.column_stack([self.first_alike(flank) for flank in FLANKS])
        return tuple(sorted(np.unique(kinds, axis=0, return_index=True)[1].tolist()))

    def modified_profile(
        self,
        z: ArrayLike,
        *,
        flank: Flank = "a",
        tooth: ArrayLike = 0,
        sharpest_tip: float = SHARPEST_TIP,
        tilt_slope: float = 0.0,
        roll_length_pitch: float = 0.0,
    ) -> ModifiedProfile:
        """Return a flank in transverse sections, drawn as a flank a, modified, then rounded at its edges.

        Parameters
        ----------
        z : shape (n_sections,) [m]
            Positions across the face, from mid-face.
        flank : {"a", "b"}
        tooth : shape (n_sections,) of int
            Whose deviations.
        sharpest_tip : float
            In modules: a sharp tip is a round of this radius.
        tilt_slope : float [1]
            Further transverse removal for a unit of roll length above `roll_length_pitch` [m]: a tilted helical gear
            moves along its axis where it moves away from the pitch point.

        Raises
        ------
        Fault
            Where the removal leaves no room for the tip round.
        """
        places = np.asarray(z, dtype=float)[:, None]
        teeth = np.broadcast_to(np.asarray(tooth), places.shape[:1])[:, None]

        def removal(roll_length: Array) -> Array:
            # a normal offset of a helical flank is larger by 1/cos beta_b in the transverse section
            normal = self.flank_removal(roll_length, places, flank, teeth) / cos(self.beta_b)
            return np.asarray(normal + tilt_slope * (roll_length - roll_length_pitch))

        return ModifiedProfile.of(
            self.tooth_profile,
            removal,
            radius=max(self.tip_rounding_radius, sharpest_tip * self.m_n),
            edge_length=SHARPEST_EDGE * self.m_n,
        )

    @property
    def pitch_deviation(self) -> Array:
        """Displacement of each tooth, shape (|z|,) [m]; row 0 is the tooth in pair 0, then the next.

        Material added to its left flank and taken from its right flank.
        """
        return self.displacement("a")

    def displacement(self, flank: Flank) -> Array:
        """Material that pitch deviations add to flanks a, the left ones, or to flanks b, of each tooth, (|z|,) [m]."""
        return self.microgeometry.displacement(flank, abs(self.z))

    def with_microgeometry(self, microgeometry: Microgeometry) -> Self:
        """Return this gear with other flank deviations; the profile is taken over, not generated again.

        Raises
        ------
        Fault
            For deviations that do not fit the flank.
        """
        check_kind(microgeometry, "microgeometry", Microgeometry)
        changed = copy.copy(self)
        object.__setattr__(changed, "microgeometry", microgeometry)
        changed._check_microgeometry()
        return changed

    @property
    def teeth_alike(self) -> bool:
        """Whether all teeth have the same flanks and no pitch deviation: all pitches of a mesh are alike then."""
        return len(self.different_teeth) == 1 and not self.pitch_deviation.any()

    def mass(self, rho: float) -> float:
        """Return the mass [kg] for a density [kg/m^3], from the exact section (sharp tip corners)."""
        return rho * self.b * abs(self.z) * self.tooth_profile.section_moment(self.r_rim)

    def inertia(self, rho: float) -> float:
        """Return the moment of inertia about the axis [kg m^2] for a density [kg/m^3]."""
        return rho * self.b * abs(self.z) * self.tooth_profile.section_moment(self.r_rim, 2)

    def tilt_inertia(self, rho: float) -> float:
        """Return the moment of inertia about a diameter of mid-face [kg m^2] for a density [kg/m^3]."""
        return 0.5 * self.inertia(rho) + self.mass(rho) * self.b**2 / 12.0

    def _check_numbers(self) -> None:
        check_parameters(self)
        allowance = self.thickness_allowance / self.m_n
        if abs(allowance) > LARGEST_ALLOWANCE:
            limit = f"between -{LARGEST_ALLOWANCE:g} and {LARGEST_ALLOWANCE:g}"
            remedy = "correct tooth_thickness_allowance_um"
            raise Fault("tooth thickness allowance in modules", round(allowance, 6), limit, remedy)

    def _roll_length_at(self, diameter: float | None) -> float:
        """Return the roll length [m] at a diameter; NaN where none is given."""
        return float("nan") if diameter is None else float(self.roll_length(0.5 * diameter))

    @cached_property
    def _half_thickness(self) -> tuple[Array, Array]:
        """Roll lengths over the flank, from the root form circle to the tip, and half the tooth thickness there [m]."""
        profile = self.tooth_profile
        roll_length = np.linspace(profile.roll_length_form, profile.roll_length_tip, 33)
        # flank a of a ring is on the other side of the centre line of its tooth
        return roll_length, self.sign * profile.points(profile.s_at_roll_length(roll_length))[:, 1]

    def _check_microgeometry(self) -> None:
        placed, profile = self.microgeometry.placed_on(self.tooth_profile), self.tooth_profile
        object.__setattr__(self, "microgeometry", placed)
        placed.check_on(profile, m_n=self.m_n, b=self.b, tip_thickness=self.s_at(self.r_a))
        if not placed.needs_pair:  # which gives it the rest of its flank, and checks that then
            self._check_depth()
            self._check_tip_left()

    def _check_depth(self) -> None:
        """Refuse deviations that, taken off both flanks, leave no tooth."""
        amounts = self.microgeometry.amounts
        if not any(amounts.values()):
            return
        roll_length, half_thickness = self._half_thickness
        z = np.linspace(-0.5, 0.5, 17) * self.b
        all_flanks = [
            self.flank_removal(roll_length[:, None], z, flank, tooth)
            for tooth in self.different_teeth
            for flank in FLANKS
        ]
        removal = np.max(np.abs(all_flanks), axis=0)
        for name in self.microgeometry.measured:
            # its points may lie between those of the grid above
            removal = np.maximum(removal, amounts[name])
        row, column = np.unravel_index(np.argmax(removal / half_thickness[:, None]), removal.shape)
        if removal[row, column] > half_thickness[row]:
            raise Fault(
                f"flank deviation at diameter {2e3 * float(np.hypot(self.r_b, roll_length[row])):.4f} mm [um]",
                round(1e6 * float(removal[row, column]), 6),
                f"at most {1e6 * float(half_thickness[row]):.1f}, half the tooth thickness there",
                f"reduce {max(amounts, key=lambda key: amounts[key])}",
            )

    def _check_tip_left(self) -> None:
        """Refuse deviations that leave no room for the tip rounds, by the faults of the modified profile."""
        z = np.linspace(-0.5, 0.5, 17) * self.b
        tip = np.full(17, self.tooth_profile.roll_length_tip)
        for flank, tooth in product(FLANKS if self.microgeometry.flanks_differ else FLANKS[:1], self.different_teeth):
            removal = float(self.flank_removal(tip, z, flank, tooth).max()) / cos(self.beta_b)
            # twice the removal and twice the radius is more than both take off half the tip land
            if removal > 0.0 and 2.0 * (removal + self.tip_rounding_radius) > 0.5 * self.s_at(self.r_a):
                self.modified_profile(z, flank=flank, tooth=tooth)


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
