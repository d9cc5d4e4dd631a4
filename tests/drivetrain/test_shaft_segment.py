"""Condensed stretches of a shaft against the same shaft with all its nodes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from system_parts import Torque

from alegear.drivetrain import Bearing, Disk, Shaft, node_name
from alegear.drivetrain.shaft_segment import ShaftSegment
from alegear.fe.material import Material
from alegear.system import Linearised, PiecewiseCubic, SystemBuilder, SystemModel, complex_modes, real_modes
from alegear.system.beam import HollowCircle
from alegear.system.equilibrium import solve_equilibrium

SECTIONS = [(0.08, 0.05, 0.0), (0.08, 0.06, 0.01), (0.03, 0.05, 0.0)]
UNIFORM = [(0.19, 0.05, 0.0)]
HIGHEST = 2.0 * math.pi * 25e3


def built(highest: float | None, sections=SECTIONS, gravity=(0.0, -9.81, 0.0)) -> SystemModel:
    builder = SystemBuilder()
    builder.gravity(gravity)
    stiffness = (3e8, 3e8, 1e8, 2e4, 2e4)
    builder.add(
        Shaft(name="s", sections=sections, direction=(1.0, 0.0, 0.0), highest_mode=highest),
        Disk(name="d", shaft="s", at=0.117, mass=4.0, inertia=8e-3, tilt_inertia=5e-3),
        Bearing(name="a", shaft="s", at=0.02, stiffness=stiffness, damping=(1e3, 1e3, 1e3)),
        Bearing(name="b", shaft="s", at=0.17, stiffness=stiffness),
    )
    disk = builder.node("d")
    weights = {int(at): 1.0 for at in disk.coordinates[np.argmax(disk.rows[[0, 3]] != 0.0, axis=1)]}
    builder.load("force and moment", PiecewiseCubic.constant(500.0), weights)
    builder.add(Torque(name="torque", place="d", profile=PiecewiseCubic.constant(50.0)))
    return builder.build()


def moved(model: SystemModel, place: str) -> np.ndarray:
    held = {model.places["s"].rotation: 0.0}
    x = solve_equilibrium(model, held=held).x
    where = model.places[place]
    return where.rows @ x[where.coordinates]


@pytest.mark.parametrize("place", ["d", node_name("s", 0.02), node_name("s", 0.17), node_name("s", 0.19)])
def test_seats_and_ends_stand_under_load_and_weight_where_they_stood(place: str) -> None:
    whole, condensed = (moved(built(highest), place) for highest in (None, HIGHEST))
    # the stiffest coordinate is 1e4 times as stiff as the shaft: so many digits go in both solutions
    np.testing.assert_allclose(condensed, whole, rtol=1e-9, atol=1e-9 * np.abs(whole).max())


def test_places_between_seats_follow_without_their_own_weight() -> None:
    place = node_name("s", 0.08)  # the border of two sections
    whole, condensed = (moved(built(highest, gravity=(0.0, 0.0, 0.0)), place) for highest in (None, HIGHEST))
    np.testing.assert_allclose(condensed, whole, rtol=1e-9, atol=1e-9 * np.abs(whole).max())


@pytest.mark.parametrize("sections", [SECTIONS, UNIFORM])
def test_modes_come_down_to_those_of_all_nodes(sections) -> None:
    def frequencies(highest: float | None) -> np.ndarray:
        model = built(highest, sections)
        return real_modes(Linearised.of(model)).elastic().frequencies[:8]

    whole = frequencies(None)
    for cut in (12e3, 25e3, 100e3):
        error = frequencies(2.0 * math.pi * cut) / whole - 1.0
        assert (error < 0.15 * (whole / (2.0 * math.pi * cut)) ** 2).all()  # as the README says
    # held stretches are stiffer than free ones: condensed frequencies lie above
    assert (frequencies(HIGHEST) >= whole * (1.0 - 1e-12)).all()


def test_gyroscopic_moments_are_condensed_too() -> None:
    def whirling(highest: float | None) -> np.ndarray:
        model = built(highest)
        v = np.zeros(model.n)
        v[[c.direction == "rotation" for c in model.coordinates]] = 2000.0
        return complex_modes(Linearised.of(model, v=v)).elastic().frequencies[:6]

    whole, still = whirling(None), real_modes(Linearised.of(built(None))).elastic().frequencies[:6]
    assert np.abs(whole / still - 1.0).max() > 1e-2  # they split
    assert (np.abs(whirling(HIGHEST) / whole - 1.0) < 0.15 * (whole / HIGHEST) ** 2).all()


@pytest.mark.parametrize("length", [1.0 / 64.0, 64.0])
def test_a_unit_of_length_changes_no_digit(length: float) -> None:
    """Its stiffnesses in N/m, N and N m/rad stand in one matrix, which must be inverted in the order of no unit."""

    def made(unit: float) -> ShaftSegment:
        positions = unit * np.array([0.0, 0.05, 0.15, 0.26])
        sections = [HollowCircle(outer=unit * outer) for outer in (0.08, 0.06, 0.05)]
        return ShaftSegment.of(positions, sections, Material(E=206e9, nu=0.3, rho=7850.0), HIGHEST * 4.0 / unit)

    one, other = made(1.0), made(length)
    assert len(one.frequencies) > 0
    for name in ("rows", "stiffness", "frequencies", "mass", "gyroscopic", "inner"):
        digits, same = (np.frexp(getattr(segment, name))[0] for segment in (one, other))
        np.testing.assert_array_equal(digits, same, err_msg=name)
