"""Bending of teeth from a static study: load sharing, transmission error and stiffness of the flexible pair."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray as xr
from small_machines import COARSE

import alegear as ag
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.teeth.hertz_line import HertzLine
from alegear.drivetrain.teeth.tooth_bending import StudiedLoads
from alegear.errors import Fault
from alegear.studies.run import run

QUIET = ag.OutputOptions(plots=False, fields=False)
POSITIONS = 16
TORQUE = 200.0  # of the pinion [N m]


def gear(z: int, beta: float = 0.0) -> ag.Gear:
    bore = 0.5 * 4e-3 * (z - 2.5)
    return ag.Gear(z=z, m_n=4e-3, b=30e-3, beta=beta, bore_diameter=bore, thickness_allowance=40e-6)


def machine(beta: float = 0.0, **law: Any) -> ag.Machine:
    m = ag.Machine("pair")
    for name, at in (("in", 0.0), ("out", 0.1 / math.cos(beta))):
        m.add(name, ag.Shaft(fixed_axis=True, position=(at, 0.0, 0.0)))
    m.add("p", ag.ShaftGear(gear=gear(20, beta), shaft="in", at=0.0))
    m.add("w", ag.ShaftGear(gear=gear(30, -beta), shaft="out", at=0.0))
    m.mesh("mesh", "p", "w", fidelity="teeth", **law)
    m.add("motor", ag.Drive(shaft="in", speed=100.0))
    m.add("brake", ag.TorqueLoad(shaft="out", torque=1.5 * TORQUE, inertia=5e-3))
    return m


def contact(pair: ag.GearPair) -> HertzLine:
    """Of two teeth; the indentation is the same all along the path."""
    E, nu = ag.Material().E, ag.Material().nu
    radii = 0.4 * pair.line_of_action, 0.6 * pair.line_of_action
    return HertzLine(R_1=radii[0], R_2=radii[1], E_1=E, E_2=E, nu_1=nu, nu_2=nu)


def ends(pair: ag.GearPair) -> np.ndarray:
    """Roll lengths of the pinion at root form circles and tips of both gears."""
    profiles = [one.tooth_profile for one in pair.gears]
    own = np.array([[one.roll_length_form, one.roll_length_tip] for one in profiles])
    return np.array([own[0], pair.line_of_action - own[1]])


def on_springs(c: float) -> xr.Dataset:
    """A study of teeth by Hertz with a spring of 1/c in each pair; one pair carries within 0.3 pitches, else two."""
    pair = ag.GearPair(pinion=gear(20), wheel=gear(30), a_w=0.1)
    line = contact(pair)
    F, phase, pairs = TORQUE / pair.pinion.r_b, np.arange(-0.5, 0.5, 1.0 / 32), np.arange(-2, 3)
    low, high = pair.path_of_contact_usable
    error, load = np.zeros(len(phase)), np.zeros((len(phase), len(pairs)))
    for i, at in enumerate(phase):
        xi, _ = pair.contact_roll_lengths(at - pairs, "pinion")
        own = (xi > low) & (xi < high)
        load[i, own] = F / own.sum()
        error[i] = -line.indentation(F / own.sum() / pair.b_w) - c * F / own.sum()
    names = {
        "phase": ("position", phase),
        "transmission_error": ("position", error),
        "tooth_load": (("position", "pair"), load),
        "flank_limit": (("gear", "limit"), ends(pair)),
    }
    return xr.Dataset(names, coords={"pair": pairs})


def test_a_spring_in_series_is_found_again() -> None:
    """All pairs give way alike: the deflection and its slope are Hertz's and the spring's, summed."""
    c = 4e-9  # m/N
    case = machine(bending_from=on_springs(c)).case(ag.MachineStatic(positions_per_pitch=32), QUIET)
    data = run(case).dataset
    (place,) = case.layout.meshes
    pair, F = place.pair, place.force
    line = contact(pair)
    error, stiffness = -data.transmission_error.values[:, 0], data.mesh_stiffness.values[:, 0]
    loads = data.tooth_force.values
    numbers = np.sum(loads > 0.0, axis=1)
    # the others touch on tip edges as well, which this study does not have
    away = np.array([np.ptp(row[row > 0.0]) < 1e-3 * F for row in loads])
    assert set(numbers[away]) == {1, 2}
    for n in (1, 2):
        own = away & (numbers == n)
        q = F / n / pair.b_w
        delta = line.indentation(q)
        np.testing.assert_allclose(error[own], delta + c * F / n, rtol=1e-6)
        softness = 1.0 / (pair.b_w * line.stiffness(delta)) + c
        # the tangent of the place, too: k differs between one pair and two by round-off only
        np.testing.assert_allclose(stiffness[own], n / softness, rtol=1e-4)


@pytest.mark.slow
def test_it_carries_as_the_flexible_pair() -> None:
    flexible = run(
        ag.Case(
            pair=ag.GearPair(pinion=gear(20), wheel=gear(30), a_w=0.1),
            grid_options=(COARSE, COARSE),
            operation=ag.Operation(pinion_torque=TORQUE),
            analysis=ag.StaticAnalysis(positions_per_pitch=POSITIONS, pitches=1),
            output=QUIET,
        )
    ).dataset
    what = machine(bending_from=SimpleNamespace(dataset=flexible))
    data = run(what.case(ag.MachineStatic(positions_per_pitch=POSITIONS), QUIET)).dataset
    F = TORQUE / gear(20).r_b
    found, expected = np.zeros((POSITIONS, 7)), np.zeros((POSITIONS, 7))
    for i in range(POSITIONS):
        for table, pairs, loads in (
            (found, data.tooth_pair.values[i], data.tooth_force.values[i]),
            (expected, flexible.pair.values, flexible.tooth_load.values[i]),
        ):
            for pair, load in zip(pairs, loads, strict=True):
                if load > 0.0:
                    table[i, int(pair) + 3] += load
    # positions of both studies differ by the deflection; the issue asks for 0.5 %, which a coarse grid of positions has
    # away from tip edges, 32 a pitch everywhere (README)
    away = np.ones(POSITIONS, dtype=bool)
    for shift in (-1, 0, 1):
        away &= np.roll(np.sum(expected > 0.0, axis=1), shift) == np.sum(expected > 0.0, axis=1)
    assert np.count_nonzero(away) >= 6
    np.testing.assert_allclose(found[away], expected[away], atol=5e-3 * F)
    errors = data.transmission_error.values[:, 0], flexible.transmission_error.values
    np.testing.assert_allclose(errors[0][away], errors[1][away], rtol=5e-3)
    # the tangent is not taken from the study
    np.testing.assert_allclose(data.mesh_stiffness.values[away, 0], flexible.mesh_stiffness.values[away], rtol=5e-3)


def test_what_a_study_must_have() -> None:
    study = on_springs(4e-9)
    for changed, words in (
        (study.drop_vars("tooth_load"), "tooth loads of a result = not there"),
        (study.isel(position=slice(0, 32, 8)), "4, 0.25 pitches apart"),
        (study.assign(tooth_load=0.0 * study.tooth_load), "least load of a position = 0.0"),
    ):
        with pytest.raises(Fault) as fault:
            StudiedLoads.from_static(changed)
        assert words in str(fault.value)
    other = machine(bending_from=study.assign(flank_limit=0.75 * study.flank_limit))  # of a module of 3 mm
    with pytest.raises(Fault, match="take a study of the same pair"):
        run(other.case(ag.MachineStatic(positions_per_pitch=4), QUIET))
    weak = machine(bending_from=study.assign(tooth_load=0.4 * study.tooth_load))
    with pytest.raises(
        Fault, match=r"force of the teeth in the static study \[N\] = .*: must be between half and twice"
    ):
        run(weak.case(ag.MachineStatic(positions_per_pitch=4), QUIET))
    wide = study.assign_coords(slice=1e-3 * (np.arange(40) - 19.5))  # 40 slices of 1 mm
    with pytest.raises(Fault, match=r"common face width of the static study \[mm\] = 40.0: must be"):
        run(machine(bending_from=wide).case(ag.MachineStatic(positions_per_pitch=4), QUIET))
    helical = machine(beta=0.2, bending_from=study)
    with pytest.raises(Fault, match="left out with helical teeth"):
        run(helical.case(ag.MachineStatic(positions_per_pitch=4), QUIET))
    with pytest.raises(Fault, match="no effect"):
        law_of("elastic", "mesh", bending_from=study)


def test_a_pair_that_carries_next_to_nothing() -> None:
    """Where a study has a pair that hardly touches, S e^k is too large a number: its logarithm is not."""
    study = on_springs(4e-9)
    load = study.tooth_load.values.copy()
    first, last = (int(n) for n in np.flatnonzero(np.sum(load > 0.0, axis=1) == 1)[[0, -1]])
    for at, pair in ((first, -1), (last, 1)):  # beside the stretch of one pair: 0.2 % of the load, 800 for k
        load[at, study.pair.values == pair] = 2e-3 * load[at].sum()
    case = machine(bending_from=study.assign(tooth_load=(study.tooth_load.dims, load)))
    data = run(case.case(ag.MachineStatic(positions_per_pitch=32), QUIET)).dataset
    loads, F = data.tooth_force.values, TORQUE / gear(20).r_b
    # somewhere a pair takes that little, and the driven gear's torque is carried everywhere
    assert np.any((loads > 0.0) & (loads < 5e-3 * F))
    assert np.abs(data.mesh_force.values[:, 0]).max() < 1.2 * F


def test_a_pair_without_load_in_the_study_has_next_to_none() -> None:
    """Rigid teeth would overlap on their tip edges there; without a k of its own such a pair took half the load."""
    study = on_springs(4e-9)
    data = run(machine(bending_from=study).case(ag.MachineStatic(positions_per_pitch=32), QUIET)).dataset
    F = TORQUE / gear(20).r_b
    for pairs, loads, studied in zip(
        data.tooth_pair.values, data.tooth_force.values, study.tooth_load.values, strict=True
    ):
        carried = set(study.pair.values[studied > 0.0].tolist())
        for pair, load in zip(pairs, loads, strict=True):
            if load > 0.0 and int(pair) not in carried:
                assert load < 2e-2 * F  # pieces of the table end beside the positions, here next to a jump
