"""An internal cylindrical gear, a ring: shaped by a pinion-type cutter, or with a circular fillet."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import floor
from typing import Annotated

import numpy as np

from alegear.errors import Fault
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
from alegear.geometry.formed_root import FormedRoot
from alegear.geometry.involute import inv
from alegear.geometry.microgeometry import Microgeometry
from alegear.geometry.pair_geometry import INTERFERENCE_LIMIT, Corner, sweep
from alegear.geometry.pinion_cutter import NOT_SHAPED, PinionCutter, Shaping
from alegear.geometry.tooth_profile import BasicRack, ToothProfile
from alegear.limits import Limits
from alegear.parameters import Inlined
from alegear.short_repr import ShortRepr

SMALLEST_RING = 10

ROOT_RADIUS = 0.25
"""Tip round of the cutter in modules where nothing is said: the 0.38 of a rack has no room on many cutters."""


@dataclass(frozen=True, kw_only=True, eq=False)
class InternalGear(ShortRepr, CylindricalGear):
    """Define an internal cylindrical gear, spur or helical.

    It is shaped by a pinion-type cutter, or, with a fillet radius, broached, moulded or eroded.

    All numbers are those of ISO 21771: teeth, radii, diameters and roll lengths are negative, a profile shift is
    positive towards the axis, where it makes the teeth thicker. The basic rack says the proportions: the addendum
    towards the axis, the dedendum to the root circle that the cutter reaches, its root radius the cutter's tip round.

    Parameters
    ----------
    z : int
        Number of teeth, given positive or negative; it is kept negative.
    m_n : float [m]
        Normal module.
    rack : BasicRack
        Proportions of the teeth; unless given that of ISO 53 A with a root radius of 0.25.
    x : float
        Profile shift factor, negative outwards.
    b : float [m]
        Face width.
    rim_diameter : float [m]
        Of the cylinder outside, positive.
    beta : float [rad]
        Helix angle at the reference circle, right hand positive: a pinion that meshes with it has the same.
    tip_alteration_factor : float
        k: the tooth is longer by k m_n, negative shortens.
    thickness_allowance : float [m]
        By how much the tooth is thinner at the reference circle, in the normal section; negative thickens. The cutter
        is fed deeper by it.
    cutter : PinionCutter or None
        None: of half as many teeth, at most 30, without profile shift; the one used is :attr:`shaping`'s.
    root_fillet_radius : float or None [m]
        Of a ring that is not shaped: radius in the transverse section of the arcs that join flanks and root circle
        (:class:`~alegear.geometry.formed_root.FormedRoot`). There is no cutter then, and the root radius of the rack
        has no effect.
    microgeometry : Microgeometry
        Deviations of the flanks; diameters in it are positive.

    Raises
    ------
    Fault
        For an impossible gear: tip below the base circle, pointed tip, rim that the teeth cut; and for a cutter that
        cannot make it: pointed, without room for its round, too few teeth for the flank near the tip, so many that it
        trims the tips of the teeth in full depth or while it is fed in.

    Notes
    -----
    Source: ISO 21771:2007. A cutter's involute ends on its base circle; where the ring's tip would have been cut from
    below it there is no involute.

    Examples
    --------
    >>> ring = InternalGear(z=61, m_n=4e-3, b=30e-3, rim_diameter=280e-3)
    >>> ring.z, round(1e3 * ring.d_a, 3), round(1e3 * ring.d_f, 3), round(1e3 * ring.d_Ff, 3)
    (-61, -236.0, -254.0, -252.175)
    """

    z: Annotated[
        int,
        Limits(
            quantity="teeth of the ring, negative",
            key="teeth",
            least=-LARGEST_TOOTH_NUMBER,
            most=-SMALLEST_RING,
            whole=True,
        ),
    ]
    m_n: Annotated[float, MODULE]
    rack: Annotated[BasicRack, OF_RACK] = field(default_factory=lambda: BasicRack(root_radius_factor=ROOT_RADIUS))
    x: Annotated[float, PROFILE_SHIFT] = 0.0
    b: Annotated[float, FACE_WIDTH]
    rim_diameter: Annotated[
        float,
        Limits(
            quantity="rim diameter",
            words="diameter of the cylinder outside, of a ring,",
            unit="mm",
            least=0.01,
            most=1e6,
        ),
    ]
    beta: Annotated[float, HELIX_ANGLE] = 0.0
    tip_alteration_factor: Annotated[float, TIP_ALTERATION] = 0.0
    thickness_allowance: Annotated[float, THICKNESS_ALLOWANCE] = 0.0
    cutter: Annotated[PinionCutter | None, Inlined(PinionCutter)] = None
    root_fillet_radius: Annotated[
        float | None,
        Limits(
            quantity="root fillet radius",
            words="fillet radius, in the transverse section, of a ring that is broached, moulded or eroded, in place of"
            " a cutter,",
            unit="mm",
            least=0.0,
            above=True,
            most=1e3,
        ),
    ] = None
    microgeometry: Annotated[Microgeometry, OF_FLANKS] = field(default_factory=Microgeometry)

    def __post_init__(self) -> None:
        if isinstance(self.z, int | np.integer) and not isinstance(self.z, bool):
            object.__setattr__(self, "z", -abs(int(self.z)))
        self._check_numbers()
        if self.cutter is not None and self.root_fillet_radius is not None:
            limit = "left out with a cutter, which generates the root"
            raise Fault(
                "root fillet radius [mm]", 1e3 * self.root_fillet_radius, limit, "leave it out, or leave out the cutter"
            )
        self._check_tip()
        self._check_rim()
        self._check_trimming()
        self._check_microgeometry()

    @property
    def r_rim(self) -> float:
        """Radius of the rim [m], negative."""
        return -0.5 * self.rim_diameter

    @property
    def _psi_b(self) -> float:
        """Half tooth angle at the base circle [rad], with the sign of the ring."""
        return self.s_t / self.d + inv(self.alpha_t)

    @cached_property
    def root(self) -> Shaping | FormedRoot:
        """How the root is made.

        Raises
        ------
        Fault
        """
        if self.root_fillet_radius is None:
            return self.shaping
        rho = self.root_fillet_radius
        return FormedRoot(z=self.z, m_n=self.m_n, r_b=self.r_b, r_f=self.r_f, psi_b=self._psi_b, rho=rho)

    @cached_property
    def shaping(self) -> Shaping:
        """The cutter in mesh with this gear.

        Raises
        ------
        Fault
        """
        cutter = PinionCutter.for_ring(self.z) if self.cutter is None else self.cutter
        return Shaping(cutter=cutter, z=self.z, m_n=self.m_n, beta=self.beta, rack=self.rack, x_E=self.x_E)

    @cached_property
    def tooth_profile(self) -> ToothProfile:
        """The transverse profile of flank a in the tooth frame.

        Raises
        ------
        Fault
            Where no flank is left, and where the root would have a cusp.
        """
        made = self.root
        form, tip = made.roll_length_form, float(self.roll_length(self.r_a))
        if form >= tip:
            raise Fault(
                "root form diameter [mm]",
                round(2e3 * float(np.hypot(self.r_b, form)), 6),
                f"above the tip diameter {2e3 * abs(self.r_a):.4f}",
                f"reduce {made.KEY}, or increase addendum_factor or dedendum_factor",
            )
        root = made.root_curve
        if np.min(root.speed(np.linspace(made.tau_form, np.pi / 2.0, 200))) <= 0.0:
            raise Fault(
                "root radius factor",
                self.rack.root_radius_factor,
                "such that the cutter's tip round generates a smooth root",
                "change root_radius_factor, dedendum_factor or cutter_teeth",
            )
        return ToothProfile(
            z=self.z,
            r_b=self.r_b,
            r_f=self.r_f,
            r_a=self.r_a,
            psi_b=self._psi_b,
            roll_length_form=form,
            roll_length_tip=tip,
            trochoid=root,
            tau_form=made.tau_form,
            undercut=False,
        )

    def _check_tip(self) -> None:
        base = self.r_b - self.r  # of what the addendum may be: positive
        if self.r_a <= self.r_f or self.r_a > self.r_b:
            largest = base / self.m_n - self.x - self.rack.addendum_factor
            raise Fault(
                "tip diameter [mm]",
                round(1e3 * abs(self.d_a), 6),
                f"below the root diameter {1e3 * abs(self.d_f):.4f} and at least the base diameter"
                f" {1e3 * abs(self.d_b):.4f}, where the involute ends",
                f"bring tip_alteration_factor to {floor(1e4 * largest) / 1e4:.4f} or less"
                if self.r_a > self.r_b
                else "increase tip_alteration_factor or addendum_factor",
            )
        s_a = self.s_at(self.r_a)
        if s_a <= 0.0:
            raise Fault(
                "tip thickness [mm]",
                round(1e3 * s_a, 6),
                "above 0: the tooth is pointed",
                "lower tip_alteration_factor, or increase profile_shift",
            )
        longest, profile = self.root.longest_tip, self.tooth_profile
        if profile.roll_length_tip > longest:
            r_least = float(np.hypot(self.r_b, longest))
            k = self.tip_alteration_factor - (abs(r_least) - abs(self.r_a)) / self.m_n
            raise Fault(
                "roll length of the cutter at the ring's tip [mm]",
                round(1e3 * (longest - profile.roll_length_tip), 6),
                f"0 or more: above tip diameter {2e3 * r_least:.4f} the cutter has no involute for the flank",
                f"lower tip_alteration_factor to {floor(1e4 * k) / 1e4:.4f} or less, or increase cutter_teeth or"
                " cutter_profile_shift",
            )

    def _check_rim(self) -> None:
        least = 2.0 * (THINNEST_RIM * self.m_n - self.r_f)
        if self.rim_diameter < least:
            raise Fault(
                "rim diameter [mm]",
                round(1e3 * self.rim_diameter, 6),
                f"at least {1e3 * least:.4f}: {THINNEST_RIM:g} modules beyond the root diameter"
                f" {1e3 * abs(self.d_f):.4f}",
                "increase rim_diameter_mm",
            )

    def _check_trimming(self) -> None:
        """Refuse a cutter that takes off more than it leaves in full depth, or before it is there."""
        for a in self.root.feeds(self.r_a):
            shaping = self.shaping
            corner = Corner(*shaping.round_centre, shaping.rho)
            depth, at = sweep(self.tooth_profile, corner, a=-float(a), ratio=shaping.ratio)
            limit = INTERFERENCE_LIMIT * self.m_n
            if depth > limit:
                when = "in full depth" if a == -shaping.a else f"fed in to {1e3 * (a + shaping.a):.4f} mm before it"
                raise Fault(
                    "depth to which the cutter trims the ring's teeth [um]",
                    round(1e6 * depth, 4),
                    f"at most {1e6 * limit:.4g} (at diameter {2e3 * at:.4f} mm, the cutter {when})",
                    f"reduce cutter_teeth from {shaping.cutter.z}, lower tip_alteration_factor, {NOT_SHAPED}",
                )
