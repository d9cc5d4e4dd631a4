"""Gear pairs on coarse grids in line contact, their bodies made once a process, and ways to drive them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from contact_answers import gap_at

from alegear.contact.forces import MeshMotion, mesh_stiffness
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.face_modes import FaceModes
from alegear.contact.hertz.model import LineContactData
from alegear.contact.hertz.solution import LineContactForces
from alegear.contact.law import Friction
from alegear.contact.numbering import flank_side, loaded_flank
from alegear.fe import Material
from alegear.geometry import Alignment, Gear, GearPair, Microgeometry, Topography
from alegear.mesh import GridOptions, mesh_sector
from alegear.reduction import reduce_wheel
from alegear.reduction.normal_modes import NormalModes, find_normal_modes
from alegear.reduction.sector_condensation import face_grids

NO_FRICTION = Friction()
COARSE = GridOptions(
    flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4, order=1
)
N_MODES = 12
FIRST_STIFFNESS = 15e9  # mesh stiffness per face width for the first guess [N/m^2], about ISO 6336-1
OMEGA = np.array([3.0, 2.0])  # rad/s of 20/30: slow enough for both steps of the friction curve


@cache
def pair_of(name: str, modified: str = "", beta: float = 0.0) -> GearPair:
    """Gear pairs by name.

    Parameters
    ----------
    name : {"spur", "helical", "left", "undercut", "swapped", "swapped helical", "wide", "very wide", "tiny"}
        "spur": 20/30; "helical": the same with 20 deg, "left" with -20 deg; "undercut": 13/97; "swapped": 30/20;
        "tiny": spur with the helix angle `beta` [rad]; "wide", "very wide": spur with a wheel wider than the pinion.
    modified : {"", "relieved", "crowned", "thick"}
        "thick": every pinion tooth 10 um thicker on both flanks, so that both touch.
    """
    angle = {"helical": np.radians(20.0), "left": np.radians(-20.0), "swapped helical": np.radians(20.0)}.get(
        name, beta
    )
    one = two = Microgeometry()
    if modified == "relieved":
        one = Microgeometry(tip_relief=12e-6, tip_relief_start_diameter=86e-3, tip_relief_shape="parabolic")
        two = Microgeometry(
            root_relief=8e-6, root_relief_start_diameter=122.5e-3, root_relief_shape="parabolic", profile_crowning=3e-6
        )
    elif modified == "crowned":
        one = Microgeometry(lead_crowning=6e-6, helix_slope=4e-6, profile_slope=3e-6)
        two = Microgeometry(lead_crowning=2e-6, end_relief=5e-6, end_relief_length=4e-3)
    elif modified == "thick":
        places = {"roll_length": np.array([9e-3, 20e-3]), "z": np.array([-10e-3, 10e-3])}
        one = Microgeometry(topography=Topography(**places, removal=np.full((2, 2), -10e-6)))
    if name == "undercut":
        pinion = Gear(z=13, m_n=4e-3, b=30e-3, bore_diameter=21e-3)
        wheel = Gear(z=97, m_n=4e-3, b=30e-3, bore_diameter=189e-3)
    else:
        pinion = Gear(z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35.8e-3, beta=angle, microgeometry=one)
        width = {"wide": 44e-3, "very wide": 60e-3}.get(name, 30e-3)
        wheel = Gear(z=30, m_n=4e-3, x=-0.2, b=width, bore_diameter=54.2e-3, beta=-angle, microgeometry=two)
        if name.startswith("swapped"):
            pinion, wheel = wheel, pinion
    return GearPair(pinion=pinion, wheel=wheel)


@cache
def bodies_of(
    name: str, flank: str = "a", beta: float = 0.0, options: GridOptions = COARSE, E: float = 2.06e11
) -> tuple[ElasticBody, ElasticBody]:
    """Bodies of pinion and wheel; microgeometry and alignment do not belong to them."""
    pair = pair_of(name, "", beta)
    slots = pair.pairs_needed + (flank == "both")
    out = []
    for gear in pair.gears:
        sector = mesh_sector(gear, options)
        wheel = reduce_wheel(sector, Material(E=E), slots=slots, flank=flank)
        out.append(ElasticBody.of(gear, sector, wheel))
    return out[0], out[1]


def contact_of(
    name: str = "spur",
    *,
    modified: str = "",
    flank: str = "a",
    bodies: str = "",
    beta: float = 0.0,
    friction: Friction = NO_FRICTION,
    n_slices: int = 4,
    options: GridOptions = COARSE,
    E: float = 2.06e11,
    pair: GearPair | None = None,
    **alignment: float,
) -> LineContact:
    """Contact of a named pair; `bodies` = "both" lets the back flanks touch too."""
    pair = pair_of(name, modified, beta) if pair is None else pair
    if alignment:
        pair = pair.with_alignment(Alignment(**alignment))
    return LineContact.build(
        pair,
        bodies_of(name, bodies or flank, beta, options, E),
        flank=flank,
        friction=friction,
        n_slices=n_slices,
    )


@cache
def modes_of(name: str, gear: int) -> NormalModes:
    """First normal modes of a gear of a named pair."""
    return find_normal_modes(mesh_sector(pair_of(name).gears[gear], COARSE), Material(E=2.06e11), N_MODES)


def modes_on_faces(name: str, faces: str) -> tuple[FaceModes, FaceModes]:
    """Modes of pinion and wheel on flanks "a", "b" or "both"."""
    out = []
    for gear in range(2):
        modes = modes_of(name, gear)
        nodes = np.concatenate([grid.ravel() for grid in face_grids(modes.sector, faces)])
        out.append(
            FaceModes(
                frequencies=modes.frequencies,
                nodal_diameters=modes.nodal_diameters,
                amplitudes=np.ascontiguousarray(modes.amplitudes[:, nodes].reshape(modes.n_modes, -1)),
                teeth=modes.teeth,
            )
        )
    return out[0], out[1]


def vibrating_contact_of(name: str = "spur", *, flank: str = "a", bodies: str = "", **options: Any) -> LineContact:
    """Contact of a named pair whose gears vibrate."""
    contact = contact_of(name, flank=flank, bodies=bodies, **options)
    return contact.vibrating(modes_on_faces(name, bodies or flank))


def rotations(contact: LineContact, phase: float, overlap: float, first_pair: int = 0, leading: int = 0) -> np.ndarray:
    """Rotations (2,) at a phase [pitches], one gear turned into the other by `overlap` [m] along the line of action."""
    phi = (phase - first_pair) * contact.pitch_angle
    ahead = flank_side(contact.flank) * (1.0 if leading == 0 else -1.0)
    phi[leading] += ahead * overlap / contact.pair.gears[leading].r_b
    return phi


@dataclass(frozen=True, kw_only=True, eq=False)
class Equilibrium:
    """A position at which the pinion carries a torque.

    ``phi`` (2,) [rad], ``deflection`` [m]: by how much the driver turns ahead, along the line of action;
    ``mesh_stiffness`` [N/m]; ``data``: what the last evaluation worked in.
    """

    phi: np.ndarray
    deflection: float
    mesh_stiffness: float
    forces: LineContactForces
    data: LineContactData


def solve(
    contact: LineContact, phase: float, torque: float, *, driver: str = "pinion", first_pair: int = 0
) -> Equilibrium:
    """Turn the driver ahead until the pinion carries a torque [N m], behind if it is negative: Newton in a bracket.

    The contact must have been built for the flank of this driver and torque.
    """
    assert contact.flank == loaded_flank(driver, torque)
    driving = 0 if driver == "pinion" else 1
    brakes = -flank_side(contact.flank)  # sign of the pinion's torque
    ahead = -brakes if driving == 0 else brakes
    r_b = np.array([gear.r_b for gear in contact.pair.gears])
    begin, wanted = (phase - first_pair) * contact.pitch_angle, abs(torque)
    data, x, low, high = contact.new_data(), 0.0, -math.inf, math.inf
    expected = wanted / (FIRST_STIFFNESS * contact.pair.b_w * r_b[0])

    def turned(x: float) -> np.ndarray:
        return begin + ahead * x / r_b[driving] * np.eye(2)[driving]

    x = gap_at(contact, begin, 0.1 * contact.pair.pinion.m_n, first_pair=first_pair) + expected
    for _ in range(60):
        forces = contact.evaluate(data, MeshMotion(phi=turned(x), omega=OMEGA, first_pair=first_pair))
        assert forces.torque_phi is not None
        missing = wanted - brakes * forces.torque[0]
        slope = brakes * ahead * forces.torque_phi[0, driving] / r_b[driving]
        # positions are known to a few eps of the centre distance: no torque can be met better than that
        if abs(missing) <= max(1e-11 * wanted, 4.0 * np.finfo(float).eps * contact.pair.a_w * abs(slope)):
            return Equilibrium(
                phi=turned(x),
                deflection=x if torque >= 0.0 else -x,
                mesh_stiffness=mesh_stiffness(forces.torque_phi, r_b, driving),
                forces=forces,
                data=data,
            )
        low, high = (x, high) if missing > 0.0 else (low, x)
        x = x + missing / slope if slope > 0.0 else math.nan
        if not low < x < high:
            x = 0.5 * (low + high) if math.isfinite(high - low) else max(low, 0.0) + expected
    raise AssertionError(f"no equilibrium at phase {phase}: {missing} N m are missing")
