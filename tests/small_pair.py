"""A small 20/30 pair on coarse grids, made once a process, and what the tests of contact and window need around it."""

from __future__ import annotations

from functools import cache

import numpy as np
from contact_answers import forces_at
from scipy.optimize import brentq

from alegear.contact.law import Friction, PenaltyLaw
from alegear.contact.numbering import PINION, WHEEL, loaded_flank
from alegear.contact.penalty.contact import PenaltyContact
from alegear.contact.penalty.flank import FlankSurface, flank_surface
from alegear.fe import Material
from alegear.geometry import Gear, GearPair, Microgeometry
from alegear.mesh import GridOptions, mesh_sector
from alegear.reduction import reduce_wheel

STIFFNESS = 4e14  # Pa/m, the Hertz-matched value of 200 N m, rounded
GAUSS_PROFILE, GAUSS_FACE = 4, 2
NO_FRICTION = Friction()
RELIEVED = "relieved"  # name of the pair whose flanks are modified


@cache
def gear_pair(microgeometry: str = "") -> GearPair:
    """z = 20/30, m = 4 mm, without backlash; `RELIEVED`: tip relief on both gears, lead crowning on the wheel."""
    pinion = wheel = Microgeometry()
    if microgeometry == RELIEVED:
        pinion = Microgeometry(tip_relief=12e-6, tip_relief_start_diameter=85e-3, tip_relief_shape="parabolic")
        wheel = Microgeometry(tip_relief=8e-6, tip_relief_start_diameter=120e-3, lead_crowning=5e-6)
    return GearPair(
        pinion=Gear(z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35.8e-3, microgeometry=pinion),
        wheel=Gear(z=30, m_n=4e-3, x=-0.2, b=30e-3, bore_diameter=54.2e-3, microgeometry=wheel),
    )


@cache
def sectors(flank_elements: int = 8):
    """Grids of pinion and wheel; microgeometry belongs to the gap, so they are the same for every pair."""
    options = GridOptions(
        flank_elements=flank_elements,
        fillet_elements=4,
        thickness_elements=4,
        width_elements=2,
        rim_elements=4,
        order=1,
    )
    return tuple(mesh_sector(gear, options) for gear in gear_pair().gears)


@cache
def wheels(slots: int = 3, flank: str = "a", flank_elements: int = 8):
    """Reduced pinion and wheel."""
    return tuple(reduce_wheel(sector, Material(), slots=slots, flank=flank) for sector in sectors(flank_elements))


def penalty(**changes) -> PenaltyLaw:
    """The law of these tests, which do not follow a change of the defaults."""
    constants = {
        "stiffness": STIFFNESS,
        "damping_depth": 5e-7,
        "gauss_points_profile": GAUSS_PROFILE,
        "gauss_points_face": GAUSS_FACE,
    }
    return PenaltyLaw(**{**constants, **changes})


def flank_of(gear: Gear, member: int, flank: str = "a", flank_elements: int = 8) -> FlankSurface:
    """Contact surface of a gear on the grid of pinion (0) or wheel (1)."""
    sector = sectors(flank_elements)[member]
    return flank_surface(gear, sector, flank, gauss_profile=GAUSS_PROFILE, gauss_face=GAUSS_FACE)


def contact_pair(
    *, microgeometry="", driver="pinion", slots=3, flank_elements=8, law=None, friction=NO_FRICTION
) -> PenaltyContact:
    return PenaltyContact.build(
        gear_pair(microgeometry),
        sectors(flank_elements),
        wheels(slots, loaded_flank(driver), flank_elements),
        flank=loaded_flank(driver),
        law=penalty() if law is None else law,
        friction=friction,
    )


def rotations(contact: PenaltyContact, phase: float, deflection: float, driver: str = "pinion") -> np.ndarray:
    """Rotations (2,) at a phase of the driven gear [pitches], the driver `deflection` [m] ahead."""
    phi = phase * contact.pitch_angle
    lead = PINION if driver == "pinion" else WHEEL
    phi[lead] += deflection / contact.pair.gears[lead].r_b
    return phi


def load(contact: PenaltyContact, phase: float, torque: float, driver: str = "pinion", *, guess: float = 2e-5) -> float:
    """Deflection [m] at which the pinion carries a torque [N m]: the driver turned ahead, by bisection."""
    sign = -1.0 if driver == "pinion" else 1.0
    data = contact.new_data()

    def excess(deflection: float) -> float:
        phi = rotations(contact, phase, deflection, driver)
        return sign * forces_at(contact, phi, data=data, tangent=False).torque[0] - torque

    high = guess
    while excess(high) < 0.0:
        high *= 2.0
    return float(brentq(excess, 0.0, high, xtol=1e-18, rtol=1e-15))
