"""Separation of one unloaded pair against brute force, and loads that change smoothly where edges touch.

The table of all combinations is computed by ``validation/tip_edges/run.py``.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import small_pair
from closed_form.modified_pairs import compare, modified_pair
from contact_answers import forces_at
from small_pair import NO_FRICTION, STIFFNESS

from alegear.contact.law import PenaltyLaw
from alegear.contact.numbering import PINION, SPIN, WHEEL, Flank, loaded_flank
from alegear.contact.penalty import _kernels as kernels
from alegear.contact.penalty.contact import PenaltyContact, hertz_matched_stiffness
from alegear.contact.penalty.search import SearchRoom
from alegear.fe import Material
from alegear.geometry import Gear, GearPair
from alegear.mesh import GridOptions, mesh_sector
from alegear.reduction import reduce_wheel

REACH = 4e-4  # m
AS_TRUE = 1e-7  # m, the aim; two points may be apart so far that flanks come 0.02 um nearer between them
POSITIONS = 128  # per pitch


def contact_of(pair: GearPair, law: PenaltyLaw | None = None) -> PenaltyContact:
    """20/30 in contact, its points as close as by default."""
    return PenaltyContact.build(
        pair,
        small_pair.sectors(),
        small_pair.wheels(),
        flank="a",
        law=PenaltyLaw(stiffness=STIFFNESS) if law is None else law,
        friction=NO_FRICTION,
    )


def separation(contact: PenaltyContact, phase: float) -> float:
    """Rotation of the wheel until pair 0 touches, times its base radius [m]; NaN out of reach."""
    phi = phase * contact.pitch_angle
    start, r_b = phi[1], contact.pair.wheel.r_b
    for _ in range(50):
        found = contact.search.find(SearchRoom(), phi, REACH)
        here = np.flatnonzero(found.slot == 0)
        if not len(here):
            return np.nan
        s_i, g_i, lever = np.empty((3, len(found), 2))
        s_ij, g_ij, lever_j = np.empty((3, len(found), 2, 2))
        kernels.rigid_derivatives(found.table, found.n_pass0, SPIN, s_i, s_ij, g_i, g_ij, lever, lever_j)
        nearest = here[found.rigid_gap[here].argmin()]
        step = found.rigid_gap[nearest] / g_i[nearest, WHEEL]
        phi = phi - np.array([0.0, step])
        if abs(step) * r_b < 1e-12:
            break
    return float((start - phi[1]) * r_b)


def load(contact: PenaltyContact, phase: float, torque: float, driving: int, start: float) -> tuple[float, np.ndarray]:
    """Deflection [m] at which a gear carries a torque [N m], by Newton's method, and the shares of the pairs."""
    deflection = start
    for _ in range(100):
        phi = phase * contact.pitch_angle
        phi[driving] += deflection / contact.pair.gears[driving].r_b
        forces = forces_at(contact, phi)
        excess = -forces.torque[driving] - torque
        stiffness = -forces.torque_phi[driving, driving] / contact.pair.gears[driving].r_b
        step = np.clip(excess / stiffness if stiffness > 0.0 else -5e-6, -1e-5, 1e-5)
        deflection -= step
        if abs(step) < 1e-12:
            return deflection, -forces.pair_torque[:, driving] / torque
    raise AssertionError(f"no equilibrium at phase {phase}")


def positions(contact: PenaltyContact, phases: np.ndarray, torque: float, driving: int = PINION):
    """Deflections (n,) [m] and shares (n, n_pairs)."""
    deflection, found = 2e-5, []
    for phase in phases:
        deflection, share = load(contact, phase, torque, driving, deflection)
        found.append((deflection, share))
    return np.array([d for d, _ in found]), np.array([share for _, share in found])


@pytest.mark.parametrize(
    ("amount", "rounding", "shape", "modified"),
    [
        (0.0, 0.0, "linear", (0, 1)),
        (20e-6, 10e-6, "linear", (0, 1)),
        pytest.param(20e-6, 0.0, "parabolic", (1,), marks=pytest.mark.thorough),
        (60e-6, 10e-6, "parabolic", (0, 1)),
        (60e-6, None, "linear", (0, 1)),
        pytest.param(-20e-6, 0.0, "linear", (0, 1), marks=pytest.mark.thorough),
        (-20e-6, 10e-6, "parabolic", (0,)),
    ],
)
def test_separation_is_that_of_the_true_profiles(amount, rounding, shape, modified):
    """Tip edges off the line of action included; among them phases where flank and edge come equally near."""
    phases = np.concatenate([np.linspace(-0.9, 1.0, 20), [-0.68, 0.875, 0.901, 0.925, 0.9271, 0.93, 0.9583]])
    pair, true = modified_pair(small_pair.gear_pair(), amount, rounding, shape, modified)
    contact = contact_of(pair)
    rows = compare(true, lambda phase: separation(contact, phase), phases)
    assert len(rows) > 15
    off = rows[:, 2] - rows[:, 1]
    assert np.abs(off).max() < AS_TRUE
    assert off.min() > -3e-8  # between the points flanks are nearer, not further apart
    edge = rows[:, 1] > 1.2 * max(amount, 0.0) + 1e-6  # beyond the ends of the path
    assert np.count_nonzero(edge) > 1


@pytest.mark.parametrize("points", [2, 4, 12])
def test_points_further_apart_touch_later(points):
    """What `gauss_points_profile` costs: on elements of 1 mm h^2/(8 rho) of Gauss points, less with more of them."""
    pair, true = modified_pair(small_pair.gear_pair(), 20e-6, 10e-6, "linear", (0, 1))
    contact = contact_of(pair, PenaltyLaw(stiffness=STIFFNESS, gauss_points_profile=points))
    rows = compare(true, lambda phase: separation(contact, phase), np.linspace(-0.6, 0.8, 29))
    element = np.diff(contact.flanks[PINION].grid.rows_s).max()
    apart = element * np.diff(np.polynomial.legendre.leggauss(points)[0]).max() / 2.0
    worst = (rows[:, 2] - rows[:, 1]).max()
    assert 0.1 * apart**2 / (8.0 * 4e-3) < worst < 1.1 * apart**2 / (8.0 * 4e-3)


@pytest.mark.parametrize(("amount", "rounding"), [pytest.param(20e-6, 10e-6, marks=pytest.mark.thorough), (0.0, 10e-6)])
def test_loads_change_smoothly_with_position(amount, rounding):
    """Sharp tips under load: no steps from point to point, neither on the path nor where a tip edge presses.

    With both passes everywhere and the load beside an edge on the points of the other gear, the curve beside entering
    and leaving is a saw with teeth of 1 to 2 %; with four Gauss points on an element it is so on all of the path.
    """
    pair, _ = modified_pair(small_pair.gear_pair(), amount, rounding, "linear", (0, 1))
    law = PenaltyLaw(stiffness=hertz_matched_stiffness(pair, (Material(), Material()), 400.0))
    phases = np.arange(POSITIONS + 1) / POSITIONS
    deflection, share = positions(contact_of(pair, law), phases, 400.0)
    second = np.diff(deflection, 2) / deflection.mean()
    middle = phases[1:-1]
    enters, leaves = (phases[np.flatnonzero(share[:, slot] > 0.0)[end]] for slot, end in ((1, 0), (0, -1)))
    event = np.minimum(np.abs(middle - enters), np.abs(middle - leaves))
    away, beside = second[event > 0.1], second[(event > 2.5 / POSITIONS) & (event <= 0.1)]
    assert np.abs(away).max() < 2e-3  # the curve's own bend is as much
    assert beside.min() > -2e-3
    assert beside.max() < 1e-2  # the pair's stiffness rises with the load of its edge
    falling = np.flatnonzero(share[:, 1] > 0.0)[0]
    assert np.diff(share[falling:, 0]).max() < 1e-6  # the torque is met to 1e-7


@cache
def undercut(flank: Flank, module: float = 4e-3, width: float = 30e-3, x: float = 0.0) -> PenaltyContact:
    """13/97, whose pinion is undercut into the path of contact."""
    scale = module / 4e-3
    pair = GearPair(
        pinion=Gear(z=13, m_n=module, x=x, b=width, bore_diameter=21e-3 * scale),
        wheel=Gear(z=97, m_n=module, b=width, bore_diameter=189e-3 * scale),
    )
    options = GridOptions(
        flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4, order=1
    )
    sectors = tuple(mesh_sector(gear, options) for gear in pair.gears)
    wheels = tuple(reduce_wheel(sector, Material(), slots=4, flank=flank) for sector in sectors)
    law = PenaltyLaw(stiffness=STIFFNESS)
    return PenaltyContact.build(pair, sectors, wheels, flank=flank, law=law, friction=NO_FRICTION)


@pytest.mark.parametrize(("driver", "torque"), [("pinion", 100.0), ("wheel", 680.0)])
def test_the_load_of_a_pair_leaves_an_undercut_edge_without_a_jump(driver, torque):
    """Flank, edge and root of the pinion carry one after the other."""
    contact = undercut(loaded_flank(driver))
    driving = PINION if driver == "pinion" else WHEEL
    phases = np.linspace(0.6, 1.6, 129)
    _, share = positions(contact, phases, torque, driving)
    steps = np.abs(np.diff(share[:, 1]))
    for at in np.argsort(steps)[-3:]:
        coarse, low, high = steps[at], phases[at], phases[at + 1]
        for _ in range(3):
            finer = np.linspace(low, high, 5)
            changes = np.abs(np.diff(positions(contact, finer, torque, driving)[1][:, 1]))
            largest = int(changes.argmax())
            low, high = finer[largest], finer[largest + 1]
        # a sixty-fourth of the step: a jump would be left whole
        assert changes[largest] < coarse / 8.0
