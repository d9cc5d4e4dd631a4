"""Teeth in line contact: contacts against a search over all teeth, edges against points, tangents, energy, rings."""

from __future__ import annotations

import dataclasses
import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from derivatives import differences
from families import mostly_thorough
from scipy.optimize import brentq

import alegear as ag
from alegear.drivetrain.teeth import overlap_kernels
from alegear.drivetrain.teeth import teeth_kernels as kernels
from alegear.drivetrain.teeth.hertz_line import HertzLine
from alegear.drivetrain.teeth.teeth_mesh import TeethMesh
from alegear.drivetrain.teeth.tooth_damage import ToothDamage
from alegear.drivetrain.teeth.tooth_geometry import ToothFlanks, ToothGeometry
from alegear.errors import Fault

STEEL, OTHER = (206e9, 0.3), (110e9, 0.25)
SIZE = np.array([2e-4, 2e-4, 1e-5, 1e-5, 1e-5, 1e-5])  # about 10 um of each coordinate
LONG = ag.BasicRack(addendum_factor=1.3, dedendum_factor=1.6, root_radius_factor=0.2)
LOAD = 1e4  # N, along the line of action


def gear(z: int, beta: float = 0.0, **micro: Any) -> ag.Gear:
    bore = 0.5 * 4e-3 * (z - 2.5)
    own = ag.Microgeometry(**micro)
    return ag.Gear(z=z, m_n=4e-3, b=30e-3, beta=beta, bore_diameter=bore, thickness_allowance=40e-6, microgeometry=own)


def spur(**changes: Any) -> ag.GearPair:
    return ag.GearPair(**{"pinion": gear(20), "wheel": gear(30), "a_w": 0.1, **changes})


def ring() -> ToothGeometry:
    """20 teeth in a ring of 60, module 4 mm, without backlash but 60 um along the line of action."""
    thinner = 60e-6 / math.cos(math.radians(20.0))
    return ToothGeometry(
        ag.GearPair(
            pinion=ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35e-3, thickness_allowance=thinner),
            wheel=ag.InternalGear(z=60, m_n=4e-3, b=30e-3, rim_diameter=280e-3, tip_alteration_factor=-0.06),
            a_w=80e-3,
        )
    )


def mesh_of(geometry: ToothGeometry, flanks: Any = None, n: int = 1, materials: Any = (STEEL, STEEL), **more: Any):
    """The element with all six coordinates of each slice."""
    if flanks is None:
        flanks = tuple(
            ToothFlanks(
                place=np.array([0.0, 1.0]),
                tables=np.zeros((1, n, 1, 4)),
                which=np.zeros((2, abs(teeth)), dtype=np.int64),
                deviation=np.zeros((2, abs(teeth))),
            )
            for teeth in (geometry.pair.pinion.z, geometry.pair.wheel.z)
        )
    rows = np.repeat(np.eye(6)[None], n, axis=0)
    return TeethMesh(
        name="mesh",
        geometry=geometry,
        flanks=flanks,
        materials=materials,
        coordinates=np.arange(6),
        rows=rows,
        **more,
    )


def of_pair(pair: ag.GearPair, n: int = 1, damages: Any = (), materials: Any = (STEEL, STEEL), **more: Any):
    geometry = ToothGeometry(pair)
    z = geometry.slices(n)
    flanks = tuple(
        ToothFlanks.of_gear(one, z, bend=partial(geometry.bend, g), name=name, damages=damages)
        for g, (one, name) in enumerate(zip(pair.gears, ("p", "w"), strict=True))
    )
    return mesh_of(geometry, flanks, n, materials, **more)


def turned(mesh: TeethMesh, phase: float, delta: float = 0.0) -> np.ndarray:
    """Coordinates after so many pitches, A ahead by an overlap [m]."""
    one = mesh.geometry
    return np.array([(phase * one.pitch + delta) / one.r_b[0], -phase * one.pitch / one.r_b[1], 0.0, 0.0, 0.0, 0.0])


def loaded(mesh: TeethMesh, phase: float, force: float = LOAD) -> np.ndarray:
    """Coordinates at which the flanks with which A drives carry a force."""

    def left(delta: float) -> float:
        return -mesh.evaluate(0.0, turned(mesh, phase, delta), np.zeros(6), None).Q[0] / mesh.geometry.r_b[0] - force

    return turned(mesh, phase, brentq(left, 0.0, 2e-4, xtol=1e-16, rtol=1e-14))


# ------------------------------------------------------------------------------------------------ which teeth touch
def all_contacts(geometry: ToothGeometry, y: np.ndarray) -> dict[float, np.ndarray]:
    """Overlaps of all teeth of A with all of B that touch, by side, without a number of pairs: gears in the plane.

    Flanks are involutes of base circles at the displaced centres. On the line of action both have roll lengths; where
    one of them is beyond its tip the tip is a point, and the other flank is parallel to the involute through it: they
    are base radius times angle apart.
    """
    pair, r, found = geometry.pair, geometry.r_b, {}
    centre = (complex(y[2], y[3]), complex(geometry.pair.a_w + y[4], y[5]))
    apart = centre[1] - centre[0]
    sense = math.copysign(1.0, pair.a_w)
    a, direction = sense * abs(apart), np.angle(sense * apart)
    alpha, nominal = math.acos((r[0] + r[1]) / a), geometry.pair.alpha_wt
    g = a * math.sin(alpha)
    for side in (1.0, -1.0):
        # polar angles at which flanks leave their base circles, from the line of centres, mirrored for side -1
        angles = []
        for number, (z, tooth) in enumerate(((geometry.pair.pinion.z, 0.0), (geometry.pair.wheel.z, 0.0))):
            back = 0.0
            if side < 0.0:
                across = pair.pinion.s_at(0.5 * pair.d_w[0]) * math.cos(nominal)
                back = across / r[0] if number == 0 else -(across + geometry.pair.backlash_on_line_of_action) / r[1]
            own = side * (y[number] - direction) + back + math.tan(nominal) - nominal + tooth
            angles.append(own + 2.0 * math.pi * np.arange(abs(z)) / z)
        # the roll length nearest to the middle of the path, of all full turns
        rolls = []
        for one, base, middle in zip(
            angles,
            r,
            (0.5 * sum(geometry.pair.path_of_contact_usable), g - 0.5 * sum(geometry.pair.path_of_contact_usable)),
            strict=True,
        ):
            xi, full = base * (one + alpha), 2.0 * math.pi * abs(base)
            rolls.append(xi - full * np.round((xi - middle) / full))
        xi_A, xi_B = np.meshgrid(*rolls, indexing="ij")
        on_line = xi_A + xi_B - g
        delta = np.where(np.abs(on_line) < 0.4 * geometry.pitch, on_line, -1.0)
        inside_A, inside_B = xi_A <= geometry.tips[0], xi_B <= geometry.tips[1]
        touching = (delta > 0.0) & inside_A & inside_B
        overlaps = list(delta[touching])
        beyond = (delta > 0.0) & (inside_A != inside_B)
        for i, j in np.argwhere(beyond):
            edge = 0 if not inside_A[i, j] else 1
            tip, xi_edge = geometry.tips[edge], (xi_A, xi_B)[edge][i, j]
            xi_flank = (xi_B, xi_A)[edge][i, j]
            # the point, from the other centre, with the tangent to its own base circle turned by what is beyond
            turn = alpha - (xi_edge - tip) / r[edge]
            point = a - (r[edge] + 1j * tip) * np.exp(-1j * turn)
            rho, base = abs(point), r[1 - edge]
            if rho <= abs(base):
                continue
            pressure = math.acos(abs(base) / rho)
            angle = np.angle(point * math.copysign(1.0, base))
            # the flank's own angle where it leaves its base circle, against that of the involute through the point
            leaves = xi_flank / base - alpha
            through = math.tan(pressure) - pressure + angle
            overlaps.append(base * (leaves - through) if abs(leaves - through) < 1.0 else -1.0)
        found[side] = np.sort([one for one in overlaps if one > 0.0])
    return found


def random_motion(rng: np.random.Generator, geometry: ToothGeometry, n: int) -> np.ndarray:
    """Rotations with reversals, teeth that lift and change sides, centres that wander, shape (n, 6)."""
    speed, phase, found = 0.1, 0.0, np.empty((n, 6))
    for i in range(n):
        if rng.random() < 0.02:
            speed = rng.uniform(-0.5, 0.5)
        if rng.random() < 0.001:
            phase += rng.uniform(-1e4, 1e4)  # far on: hundreds of turns
        phase += speed * rng.random()
        delta = rng.choice(
            [rng.uniform(-20e-6, 60e-6), -geometry.pair.backlash_on_line_of_action - rng.uniform(-20e-6, 60e-6)]
        )
        found[i, :2] = (
            (phase * geometry.pitch + delta) / geometry.r_b[0],
            -phase * geometry.pitch / geometry.r_b[1],
        )
        found[i, 2:] = rng.uniform(-50e-6, 50e-6, 4)
    return found


GEOMETRIES = {
    "spur": lambda: ToothGeometry(spur()),
    "few teeth": lambda: ToothGeometry(
        ag.GearPair(
            pinion=ag.Gear(z=12, m_n=4e-3, x=0.4, b=30e-3, bore_diameter=10e-3),
            wheel=ag.Gear(z=13, m_n=4e-3, x=0.4, b=30e-3, bore_diameter=10e-3),
            a_w=53.1e-3,
        )
    ),
    "high contact ratio": lambda: ToothGeometry(
        ag.GearPair(
            pinion=ag.Gear(z=60, m_n=2e-3, b=20e-3, bore_diameter=50e-3, rack=LONG),
            wheel=ag.Gear(z=71, m_n=2e-3, b=20e-3, bore_diameter=50e-3, rack=LONG),
            a_w=131.1e-3,
        )
    ),
    "ring": ring,
}


@pytest.mark.parametrize("which", mostly_thorough(GEOMETRIES, always=lambda which: which == "high contact ratio"))
def test_no_contact_is_missed_or_found_twice(which: str) -> None:
    geometry = GEOMETRIES[which]()
    mesh, rng = mesh_of(geometry), np.random.default_rng(11)
    touched, edges, most = 0, 0, 0
    for y in random_motion(rng, geometry, 3000):
        contacts = mesh.contacts(y, np.zeros(6))
        expected = all_contacts(geometry, y)
        for side in (1.0, -1.0):
            own = np.sort(contacts.overlap[contacts.side == side])
            keys = list(zip(contacts.side, contacts.pair, strict=True))
            assert len(set(keys)) == len(keys)
            # rotations of 1e4 pitches are known to 1e-13 m: contacts that overlap by less may be on either list
            clear = [one[one > 1e-11] for one in (own, expected[side])]
            if len(clear[0]) != len(clear[1]):
                clear = [one[one > 2e-11] for one in (own, expected[side])]
            np.testing.assert_allclose(clear[0], clear[1], atol=2e-12)
        touched += len(contacts.side)
        edges += int(np.count_nonzero(contacts.edge))
        most = max(most, len(contacts.side))
    assert touched > 2000
    assert edges > 100
    assert most >= math.ceil(
        (geometry.pair.path_of_contact_usable[1] - geometry.pair.path_of_contact_usable[0]) / geometry.pitch
    )


# ------------------------------------------------------------------------------------------------ forces
@pytest.mark.parametrize("beta", [0.0, 0.2])
@pytest.mark.parametrize("inner", [False, True])
def test_tangents_are_derivatives_and_forces_the_gradient_of_the_energy(beta: float, inner: bool) -> None:
    n = 3 if beta else 1
    if inner:
        mesh = mesh_of(ring(), n=n, materials=(STEEL, OTHER), retardation=1e-6)
    else:
        relief = {"tip_relief": 20e-6, "tip_relief_start_diameter": 86e-3, "profile_crowning": 5e-6}
        pair = spur(pinion=gear(20, beta, **relief), wheel=gear(30, -beta), a_w=0.1 / math.cos(beta) + 20e-6)
        mesh = of_pair(pair, n, materials=(STEEL, OTHER), retardation=1e-6)
    rng, checked, edges = np.random.default_rng(5), 0, 0
    for _ in range(60):
        y = turned(mesh, rng.uniform(-30.0, 30.0), rng.uniform(0.0, 3e-5))
        y[2:] = rng.uniform(-2e-5, 2e-5, 4)
        v = 100.0 * turned(mesh, 1.0) + rng.uniform(-0.02, 0.02, 6) * SIZE / 1e-5
        h = 1e-2 * SIZE  # differences over some 200 nm
        at_ends = [y + way * 2e-2 * h * one for one in np.eye(6) for way in (1.0, -1.0)]
        here = mesh.contacts(y, v)
        kinds = {
            tuple(zip(one.pair, one.side, one.edge, strict=True))
            for one in (mesh.contacts(e, u) for e in at_ends for u in (v, np.zeros(6)))
        }
        if len(kinds) > 1 or np.any(here.overlap < 1e-7):
            continue  # a contact that begins, or goes over an edge, within the differences
        checked, edges = checked + len(here.side), edges + int(np.count_nonzero(here.edge))
        forces = mesh.evaluate(0.0, y, v, None)
        by_x = differences(lambda u, y=y, v=v, h=h: mesh.evaluate(0.0, y + h * u, v, None).Q, 6) / h
        by_v = differences(lambda u, y=y, v=v: mesh.evaluate(0.0, y, v + 1e3 * SIZE * u, None).Q, 6) / (1e3 * SIZE)
        # rotations of 30 pitches known to 1e-16 over 20 nm; places of the tables where the third derivative jumps
        np.testing.assert_allclose(forces.by_x * SIZE, by_x * SIZE, atol=2e-6 * np.abs(by_x * SIZE).max() + 1e-12)
        np.testing.assert_allclose(forces.by_v * SIZE, by_v * SIZE, atol=1e-6 * np.abs(by_v * SIZE).max() + 1e-12)

        def stored(u: np.ndarray, y: np.ndarray = y, h: np.ndarray = h) -> np.ndarray:
            found = mesh.evaluate(0.0, y + 10.0 * h * u, np.zeros(6), None)
            return np.array([mesh.energy(0.0, y, np.zeros(6), found, None).stored])

        Q = mesh.evaluate(0.0, y, np.zeros(6), None).Q
        slope = differences(stored, 6)[0] / (10.0 * h)
        np.testing.assert_allclose(Q * SIZE, -slope * SIZE, atol=2e-6 * np.abs(Q * SIZE).max() + 1e-12)
        assert mesh.energy(0.0, y, v, forces, None).damping_power >= 0.0
    assert checked > 40
    assert edges > 2


def test_the_force_does_not_jump_over_an_edge() -> None:
    """Through the end of the path in steps of a micrometre: force and its slope along the way stay together."""
    mesh = mesh_of(GEOMETRIES["spur"]())
    geometry = mesh.geometry
    low, _ = geometry.pair.path_of_contact_usable
    start = (low - geometry.r_b[0] * math.tan(geometry.pair.alpha_wt)) / geometry.pitch
    ways = start + np.linspace(-2e-3, 0.5e-3, 2501) / geometry.pitch
    force, edge = np.zeros(len(ways)), np.zeros(len(ways))
    for i, phase in enumerate(ways):
        contacts = mesh.contacts(turned(mesh, phase, 15e-6), np.zeros(6))
        entering = contacts.pair == 0
        force[i], edge[i] = contacts.force[entering].sum(), contacts.edge[entering].sum()
    assert force[0] == 0.0
    assert set(edge) == {0.0, 2.0}
    assert np.abs(np.diff(force)).max() < 5e-3 * force.max()  # a jump would be all of it
    assert np.abs(np.diff(force)[edge[1:] == 2.0][:-1]).min() >= 0.0
    assert np.all(np.diff(force) > -1e-9 * force.max())  # it only rises as the pair comes in


# ------------------------------------------------------------------------------------------------ a loaded pair
def test_load_sharing_and_transmission_error_of_rigid_teeth() -> None:
    """Against line contacts at the roll lengths of the pair, solved without the element."""
    pair = spur(a_w=0.1 + 50e-6)
    mesh, checked = of_pair(pair), set()
    for phase in np.linspace(-0.5, 0.5, 41):
        pairs = np.arange(-3, 4)
        xi_1, xi_2 = pair.contact_roll_lengths(phase - pairs, "pinion")
        low, high = pair.path_of_contact_usable
        if np.any(np.abs(xi_1 - low) < 1.5e-3) or np.any(np.abs(xi_1 - high) < 1.5e-3):
            continue  # beside tip edges, which touch up to 1 mm beyond
        active = (xi_1 > low) & (xi_1 < high)
        lines = [
            HertzLine(R_1=float(r_1), R_2=float(r_2), E_1=206e9, E_2=206e9, nu_1=0.3, nu_2=0.3)
            for r_1, r_2 in zip(xi_1[active], xi_2[active], strict=True)
        ]
        delta = brentq(
            lambda d, lines=lines: sum(pair.b_w * one.force(d) for one in lines) - LOAD, 1e-9, 1e-4, xtol=1e-18
        )
        x = loaded(mesh, phase)
        contacts = mesh.contacts(x, np.zeros(6))
        checked.add(len(lines))
        assert (x[0] - turned(mesh, phase)[0]) * pair.pinion.r_b == pytest.approx(delta, rel=1e-9)
        order = np.argsort(contacts.pair)
        np.testing.assert_array_equal(contacts.pair[order], pairs[active])
        np.testing.assert_allclose(contacts.force[order], [pair.b_w * one.force(delta) for one in lines], rtol=1e-9)
        # where flanks touch depends on half the overlap, 1e-5 m of 1e-2
        pressure = [float(one.pressure(one.force(delta))) for one in lines]
        np.testing.assert_allclose(contacts.pressure[order], pressure, rtol=1e-3)
        width = [float(one.half_width(one.force(delta))) for one in lines]
        np.testing.assert_allclose(contacts.half_width[order], width, rtol=1e-3)
    assert checked == {1, 2}


def test_sliding_speed() -> None:
    """Of the contact at y beyond the pitch point: y (omega_A - omega_B)."""
    mesh = of_pair(spur())
    omega = np.array([100.0, -200.0 / 3.0, 0.0, 0.0, 0.0, 0.0])
    for phase in (-0.3, 0.1, 0.3):
        contacts = mesh.contacts(loaded(mesh, phase), omega)
        y = contacts.roll_length[:, 0] - mesh.geometry.r_b[0] * math.tan(mesh.geometry.pair.alpha_wt)
        # flanks overlap by 10 um
        np.testing.assert_allclose(contacts.sliding, y * (omega[0] - omega[1]), atol=20e-6 * 170.0)


def test_helical_teeth_press_along_their_normal() -> None:
    """A face of many slices: the line load is that of the normal section, lines of contact b/cos(beta_b) long."""
    beta, n = 0.25, 200
    pair = spur(pinion=gear(20, beta), wheel=gear(30, -beta), a_w=0.1 / math.cos(beta))
    mesh = of_pair(pair, n)
    contacts = mesh.contacts(turned(mesh, 0.1, 10e-6), np.zeros(6))
    own = contacts.edge == 0
    radii = contacts.roll_length[own] / math.cos(pair.beta_b)
    for (R_1, R_2), q, force in zip(radii[::20], contacts.line_load[own][::20], contacts.force[own][::20], strict=True):
        line = HertzLine(R_1=float(R_1), R_2=float(R_2), E_1=206e9, E_2=206e9, nu_1=0.3, nu_2=0.3)
        # 10 um of radii of 40 mm in a logarithm
        assert q == pytest.approx(line.force(10e-6 * math.cos(pair.beta_b)), rel=1e-4)
        normal = q * (pair.b_w / n) / math.cos(pair.beta_b)
        assert force == pytest.approx(normal * math.cos(pair.beta_b), rel=1e-12)
    assert len(set(contacts.pair)) >= 2


# ------------------------------------------------------------------------------------------------ single teeth
def test_a_damaged_tooth_carries_less_and_a_missing_one_nothing() -> None:
    worn = ToothDamage(gear="p", tooth=3, depth=4e-6)
    gone = ToothDamage(gear="w", tooth=7, missing=True)
    pitted = ToothDamage(gear="p", tooth=11, profile=[(79e-3, 6e-6), (81e-3, 6e-6)], flank="a")
    sound, mesh = of_pair(spur()), of_pair(spur(), damages=(worn, gone, pitted))
    for number, least, most in ((3, 4e-6, 4e-6), (7, None, None), (11, 6e-6, 6e-6)):
        x = turned(mesh, float(number) + 0.01, 20e-6)
        before, after = (one.contacts(x, np.zeros(6)) for one in (sound, mesh))
        kept = {int(k): float(o) for k, o in zip(after.pair, after.overlap, strict=True)}
        for k, overlap in zip(before.pair, before.overlap, strict=True):
            if k != number:
                assert kept[int(k)] == overlap
            elif least is None:
                assert number not in kept
            else:
                assert overlap - kept[number] == pytest.approx(least, rel=1e-9)
                assert most == least
    x = turned(mesh, 23.01, 20e-6)  # a turn of the pinion later, the wheel's missing tooth elsewhere
    assert 23 in mesh.contacts(x, np.zeros(6)).pair
    # the other flank of the pitted tooth is sound: its profile is that of flank a
    assert mesh._model[6][1, 11] == 0
    assert mesh._model[6][0, 11] > 0


def test_the_mate_touches_relief_beside_the_line_of_action() -> None:
    """Against the closest approach of the relieved flank to the mate's involute, found point by point."""
    relief = {"tip_relief": 30e-6, "tip_relief_start_diameter": 84e-3}
    pair = spur(pinion=gear(20, **relief))
    mesh, plain, checked = of_pair(pair), of_pair(spur()), 0
    pinion, g = pair.pinion, mesh.geometry
    xi = np.linspace(g.pair.pinion.tooth_profile.roll_length_form, g.tips[0], 20001)
    lost = pinion.flank_removal(xi, 0.0)
    for phase in np.linspace(0.3, 0.74, 23):
        x = turned(mesh, phase, 40e-6)
        sound, found = (
            {int(k): float(o) for k, o in zip(c.pair, c.overlap, strict=True)}
            for c in (one.contacts(x, np.zeros(6)) for one in (plain, mesh))
        )
        on_line = g.r_b[0] * (x[0] + math.tan(g.pair.alpha_wt))  # roll length of pair 0 of the pinion
        # points of the flank, as edges, in the frame of the mate; the normal is that of the involute
        through = np.array(
            [
                overlap_kernels.edge_overlap(
                    g.r_b[1],
                    g.r_b[0],
                    one,
                    x[1] + math.tan(g.pair.alpha_wt) - g.pair.alpha_wt,
                    on_line / g.r_b[0] - g.pair.alpha_wt,
                    g.pair.a_w,
                )
                for one in xi[::20]
            ]
        )
        expected = float(np.nanmax(through - lost[::20]))
        assert found[0] == pytest.approx(
            expected, abs=2e-8
        )  # a parabola in place of the gap of involutes, of up to 2 um
        checked += sound[0] - found[0] > 1e-6
    assert checked > 5


def test_pitch_deviation_comes_early() -> None:
    deviation = np.zeros(20)
    deviation[5] = 3e-6
    mesh = of_pair(spur(pinion=gear(20, pitch_deviation=deviation)))
    contacts = mesh.contacts(turned(mesh, 5.2, 20e-6), np.zeros(6))
    overlaps = dict(zip(contacts.pair.tolist(), contacts.overlap.tolist(), strict=True))
    others = [value for k, value in overlaps.items() if k != 5]
    assert overlaps[5] - others[0] == pytest.approx(3e-6, rel=1e-9)
    back = mesh.contacts(turned(mesh, 5.2, -mesh.geometry.pair.backlash_on_line_of_action - 20e-6), np.zeros(6))
    assert set(back.side) == {-1.0}
    overlaps = dict(zip(back.pair.tolist(), back.overlap.tolist(), strict=True))
    assert min(overlaps, key=overlaps.__getitem__) == 5  # its back flank has as much less


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tooth": -1, "depth": 1e-6}, "number of a damaged tooth = -1: must be at least 0"),
        ({"tooth": 2}, "0 of them: must be one of depth_um, profile_um and missing = true"),
        ({"tooth": 2, "depth": 1e-6, "missing": True}, "2 of them"),
        ({"tooth": 2, "profile": [(80e-3, 1e-6)]}, "2 rows or more"),
        ({"tooth": 2, "depth": 1e-6, "flank": "c"}, "'c'"),
    ],
)
def test_what_a_damage_must_say(given: Any, words: str) -> None:
    with pytest.raises(Fault) as fault:
        ToothDamage(gear="p", **given)
    assert words in str(fault.value)


def test_damages_that_do_not_fit_the_gear() -> None:
    for damages, words in (
        ((ToothDamage(gear="p", tooth=20, depth=1e-6),), "at most 19: p has 20 teeth"),
        ((ToothDamage(gear="p", tooth=1, depth=1e-6), ToothDamage(gear="p", tooth=1, missing=True)), "damaged twice"),
        ((ToothDamage(gear="p", tooth=1, profile=[(84e-3, 1e-6), (80e-3, 1e-6)]),), "from root to tip"),
    ):
        with pytest.raises(Fault) as fault:
            of_pair(spur(), damages=damages)
        assert words in str(fault.value)


@pytest.mark.parametrize("which", ["spur", "ring"])
def test_many_states_are_as_one_by_one(which: str) -> None:
    """Damped teeth of three slices; in one state the base circles overlap."""
    geometry, rng = GEOMETRIES[which](), np.random.default_rng(3)
    mesh = mesh_of(geometry, n=3, retardation=1e-5)
    x = random_motion(rng, geometry, 60)
    v = rng.normal(size=x.shape) * [1.0, 1.0, 1e-3, 1e-3, 1e-3, 1e-3]
    x[20, 4] -= 0.5 * geometry.pair.a_w
    together, touching = mesh.states(x, v), 0
    sides = mesh.side_forces(x, v)
    for i, (own, rate) in enumerate(zip(x, v, strict=True)):
        of_state = together.contacts.state == i
        forces = mesh.evaluate(0.0, own, rate, None)
        if forces.failure is not None:
            assert i == 20
            assert np.isnan([*sides[:, i], together.slope[i], *together.Q[i].ravel()]).all()
            assert not of_state.any()
            continue
        one = mesh.contacts(own, rate)
        for part in dataclasses.fields(one):
            if part.name != "state":
                values = getattr(together.contacts, part.name)[of_state]
                np.testing.assert_array_equal(values, getattr(one, part.name), err_msg=part.name)
        np.testing.assert_array_equal(together.Q[i].sum(axis=0), forces.Q)
        assert together.slope[i] == pytest.approx(forces.by_x[0, 0], rel=1e-12)  # order of the sum over slices
        net = sides[0, i] - sides[1, i]
        assert net == pytest.approx(one.force @ one.side, rel=1e-12, abs=1e-9)  # likewise, of both sides
        np.testing.assert_array_equal(mesh.side_forces(own, rate), sides[:, i])
        touching += len(one.side)
    assert touching > 60


def test_what_cannot_be_evaluated_says_why() -> None:
    mesh = of_pair(spur())
    apart = np.zeros(6)
    apart[4] = -10e-3
    for x, words in ((turned(mesh, 0.0, 1e-3), "overlap by more than"), (apart, "base circles of mesh mesh overlap")):
        failure = mesh.evaluate(0.0, x, np.zeros(6), None).failure
        assert failure is not None
        assert words in failure
    soft = of_pair(spur(), materials=((1e6, 0.3), (1e6, 0.3)))
    assert soft.evaluate(0.0, turned(soft, 0.0, 300e-6), np.zeros(6), None).failure is None  # 354 um at most, S 64 mm
    assert kernels.LEAST_Y > 1.0


def test_flanks_that_were_measured_apart_have_their_own_tables() -> None:
    """Row 0 of the teeth is that of flanks a, the left ones, row 1 that of flanks b."""
    gear = ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=40e-3)
    profile = gear.tooth_profile
    roll, z = np.array([profile.roll_length_form, profile.roll_length_tip]), np.array([-15e-3, 15e-3])
    flat = [ag.Topography(roll_length=roll, z=z, removal=np.full((2, 2), depth)) for depth in (3e-6, 5e-6)]
    for given, depths in (
        ({"topography_left": flat[0], "topography_right": flat[1]}, (3e-6, 5e-6)),
        ({"topography_right": flat[1]}, (0.0, 5e-6)),
        ({"topography": flat[1]}, (5e-6, 5e-6)),
    ):
        made = ToothFlanks.of_gear(gear.with_microgeometry(ag.Microgeometry(**given)), np.zeros(1))
        assert len(made.tables) == len(set(depths))
        for row, depth in enumerate(depths):
            # first coefficient of the first piece of the flank
            assert made.tables[made.which[row, 0]][0, 0, 0] == pytest.approx(depth, abs=1e-18)


def test_flanks_of_single_teeth_have_their_own_tables() -> None:
    """Each flank once, a damage on top of that of its own tooth."""
    plain = ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=40e-3)
    profile = plain.tooth_profile
    roll, z = np.array([profile.roll_length_form, profile.roll_length_tip]), np.array([-15e-3, 15e-3])
    flanks = tuple(ag.Topography(roll_length=roll, z=z, removal=np.full((2, 2), 1e-6 * k)) for k in range(4))
    teeth = ag.MeasuredTeeth(numbers=(0, 5, 10, 15), flanks=flanks, other_teeth="nearest")
    measured = plain.with_microgeometry(ag.Microgeometry(topography_left=teeth))
    damage = ag.ToothDamage(gear="g", tooth=11, flank="a", depth=10e-6)
    made = ToothFlanks.of_gear(measured, np.zeros(1), name="g", damages=[damage])
    assert len(made.tables) == 5  # what was not measured on the right is the first of the left
    left, right = (made.tables[made.which[row], 0, 0, 0] for row in range(2))
    expected = 1e-6 * (np.round(np.arange(20) / 5.0) % 4)
    expected[11] += 10e-6
    np.testing.assert_allclose(left, expected, atol=1e-18)
    np.testing.assert_array_equal(right, 0.0)
