"""What must not change whatever is drawn: under another scale, in the mirror, and between the two gears."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from line_pairs import COARSE, bodies_of, pair_of, solve

from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.contact import LineContact
from alegear.contact.law import Friction
from alegear.contact.numbering import slot_order
from alegear.fe import Material
from alegear.geometry import Alignment, Gear, GearPair, Microgeometry
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.mesh import mesh_sector
from alegear.reduction import reduce_wheel

STEEL = 2.06e11
SLICES = 4
drawn = settings(
    max_examples=20,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.generate],
)
phases = st.floats(-0.5, 0.5)
torques = st.floats(20.0, 800.0)  # of module 4 mm and steel
tilts = st.floats(-5e-4, 5e-4)
amounts = st.fixed_dictionaries(
    {
        "tip_relief": st.floats(0.0, 40e-6),
        "lead_crowning": st.floats(0.0, 15e-6),
        "helix_slope": st.floats(-10e-6, 10e-6),
        "profile_slope": st.floats(-5e-6, 10e-6),
    }
)


@cache
def bodies_at_scale(scale: float, E: float) -> tuple[ElasticBody, ElasticBody]:
    return bodies_with(scaled(scale).gears, Material(E=E))


def bodies_with(gears: tuple[CylindricalGear, CylindricalGear], material: Material) -> tuple[ElasticBody, ElasticBody]:
    first, second = (mesh_sector(gear, COARSE) for gear in gears)
    one, two = (
        ElasticBody.of(gear, sector, reduce_wheel(sector, material, slots=3, flank="a"))
        for gear, sector in zip(gears, (first, second), strict=True)
    )
    return one, two


def scaled(scale: float, microgeometry: dict[str, float] | None = None, tilt: float = 0.0) -> GearPair:
    """20/30 with all lengths times a scale."""
    lengths = {name: scale * value for name, value in (microgeometry or {}).items()}
    if lengths:
        lengths["tip_relief_start_diameter"] = scale * 86e-3
    pinion = Gear(
        z=20, m_n=4e-3 * scale, x=0.2, b=30e-3 * scale, bore_diameter=35.8e-3 * scale,
        microgeometry=Microgeometry(**lengths),
    )  # fmt: skip
    wheel = Gear(z=30, m_n=4e-3 * scale, x=-0.2, b=30e-3 * scale, bore_diameter=54.2e-3 * scale)
    return GearPair(pinion=pinion, wheel=wheel).with_alignment(Alignment(tilt_plane_of_action=tilt))


@drawn
@given(
    scale=st.sampled_from([0.1, 5.0]),
    stiffer=st.sampled_from([1.0, 0.02]),
    microgeometry=amounts,
    tilt=tilts,
    phase=phases,
    torque=torques,
)
def test_lengths_and_elasticity_scale(scale, stiffer, microgeometry, tilt, phase, torque):
    """All lengths times s, E times e, the torque times e s^3: ways times s, line loads times e s, pressures times e."""
    one, other = (
        solve(
            LineContact.build(
                scaled(s, microgeometry, tilt),
                bodies_at_scale(s, e * STEEL),
                flank="a",
                friction=Friction(),
                n_slices=SLICES,
            ),
            phase,
            e * s**3 * torque,
        )
        for s, e in ((1.0, 1.0), (scale, stiffer))
    )
    # Gmsh rounds the places of nodes to about 1e-12 of their size, and the grids are condensed in another round-off
    np.testing.assert_allclose(other.deflection, scale * one.deflection, rtol=1e-7)
    loads = one.forces.slices.line_load
    np.testing.assert_allclose(other.forces.slices.line_load / (stiffer * scale), loads, atol=1e-6 * loads.max())
    pressure = one.forces.slices.pressure
    np.testing.assert_allclose(other.forces.slices.pressure / stiffer, pressure, atol=1e-5 * pressure.max())


def numbers_of(model: Any) -> Iterator[np.ndarray]:
    """All floating-point numbers of nested tuples of arrays."""
    if isinstance(model, tuple):
        for one in model:
            yield from numbers_of(one)
    elif np.asarray(model).dtype.kind == "f":
        yield np.asarray(model)


def test_a_small_pair_has_the_digits_of_a_large_one():
    """Lengths over a power of two change no digit, of tables neither: no length in the code stands beside the pair's.

    The pinion is undercut and relieved, so that its profile has an edge, and slopes of what is removed.
    """
    tables = []
    for scale in (1.0, 1.0 / 64.0):
        relief = Microgeometry(
            tip_relief=scale * 20e-6, tip_relief_start_diameter=scale * 118e-3, tip_relief_shape="parabolic"
        )
        pair = GearPair(
            pinion=Gear(z=13, m_n=8e-3 * scale, b=60e-3 * scale, bore_diameter=42e-3 * scale, microgeometry=relief),
            wheel=Gear(z=40, m_n=8e-3 * scale, b=60e-3 * scale, bore_diameter=150e-3 * scale),
        )
        assert pair.pinion.undercut
        bodies = bodies_with(pair.gears, Material(E=STEEL))
        contact = LineContact.build(pair, bodies, flank="a", friction=Friction(), n_slices=SLICES)
        tables.append(list(numbers_of(contact.model)))
    assert sum(len(one.ravel()) for one in tables[0]) > 1e4
    for one, other in zip(*tables, strict=True):
        np.testing.assert_array_equal(np.frexp(other)[0], np.frexp(one)[0])


@drawn
@given(microgeometry=amounts, tilt=tilts, phase=phases, torque=torques)
def test_mirrored_at_mid_face(microgeometry, tilt, phase, torque):
    """What is mirrored at mid-face carries the mirrored loads at the same deflection."""
    states = []
    for sign in (1.0, -1.0):
        one = microgeometry | {"helix_slope": sign * microgeometry["helix_slope"]}
        pair = scaled(1.0, one, sign * tilt)
        contact = LineContact.build(pair, bodies_at_scale(1.0, STEEL), flank="a", friction=Friction(), n_slices=SLICES)
        states.append(solve(contact, phase, torque))
    one, other = states
    loads = one.forces.slices.line_load
    # iterations end at some 1e-9 of the load, and begin from slices in another order
    np.testing.assert_allclose(other.deflection, one.deflection, rtol=1e-8)
    np.testing.assert_allclose(other.forces.slices.line_load[:, ::-1], loads, atol=1e-7 * loads.max())


@drawn
@given(
    name=st.sampled_from(["spur", "helical"]),
    kind=st.sampled_from(["none", "coulomb"]),
    microgeometry=amounts,
    tilt=tilts,
    phase=phases,
    torque=torques,
)
def test_action_is_reaction(name, kind, microgeometry, tilt, phase, torque):
    """The forces on the nodes of both gears, turned into space, add up to nothing, and so do their moments."""
    relief = Microgeometry(**microgeometry, tip_relief_start_diameter=86e-3)
    pair = pair_of(name).with_microgeometry(pinion=relief).with_alignment(Alignment(tilt_plane_of_action=tilt))
    contact = LineContact.build(pair, bodies_of(name), flank="a", friction=Friction(kind=kind), n_slices=SLICES)
    forces = solve(contact, phase, torque).forces
    force, moment = forces.force_on_pinion, forces.moment_on_pinion
    on_wheel = np.cross([-pair.a_w, 0.0, 0.0], -force) - moment
    # the tangents of the gaps are the arms of the forces: round-off
    np.testing.assert_allclose(moment[2], forces.torque[0], rtol=1e-9)
    # a tilt moves the axis of the wheel aside of a point on its face by as much as it moves the flank there
    aside = abs(tilt) * 0.5 * pair.wheel.b / pair.wheel.r_b
    np.testing.assert_allclose(on_wheel[2], -forces.torque[1], rtol=1e-9 + aside)
    # what bends each gear: the forces on its nodes, turned from the frames of the teeth into space
    for gear, sign in ((0, 1.0), (1, -1.0)):
        nodal = forces.face_force[gear].reshape(contact.n_pairs, -1, 3).sum(axis=1)[slot_order(contact.n_pairs, gear)]
        turn = np.exp(1j * contact.tooth_angle(gear, forces.loaded.phi[0], np.arange(contact.n_pairs)))
        resultant = ((nodal[:, 0] + 1j * nodal[:, 1]) * turn).sum()
        found = [resultant.real, resultant.imag, nodal[:, 2].sum()]
        np.testing.assert_allclose(found, sign * force, atol=1e-9 * np.linalg.norm(force))
