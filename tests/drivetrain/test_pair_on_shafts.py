"""Motions of a pair: shafts that twist, tables of speed and torque, the start on either flank, mode, energy."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_cases import begun, dynamic_study, gear_rotation, gears_turned

from alegear.case.case import Case
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import CaseFaults
from alegear.case.pair_machine import DRIVE, LOAD, MESH
from alegear.errors import Fault
from alegear.mesh import GridOptions
from alegear.progress import Silent
from alegear.results.contact_result import ContactHistory
from alegear.studies.dynamic import DynamicStudy
from alegear.system.support import TorsionShaft

CASE = Path(__file__).parents[2] / "meshes" / "spur_20_30_dynamic.toml"
COARSE = GridOptions(
    flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4, order=1
)
STIFFNESS, INERTIA = 5e4, 0.05
SPEED = 1500.0 * math.pi / 30.0  # of the pinion, from the case
BOTH = f"""
[shafts.pinion]
stiffness_Nm_per_rad = {STIFFNESS}
damping_Nms_per_rad = 0.5
[shafts.wheel]
stiffness_Nm_per_rad = {STIFFNESS}
damping_Nms_per_rad = 0.25
inertia_kg_m2 = {INERTIA}
"""


def case_of(shafts: str = "", driver: str = "pinion", **analysis: object) -> Case:
    """The delivered case on coarse grids, two pitches long."""
    text = CASE.read_text().replace('driver           = "pinion"', f'driver = "{driver}"') + shafts
    case = Case.from_bytes(text.encode(), "case.toml")
    assert isinstance(case.analysis, DynamicAnalysis)
    given = {"duration": 4e-3, "output_every": 5e-5, **analysis}
    return replace(case, grid_options=(COARSE, COARSE), analysis=replace(case.analysis, **given))  # type: ignore[arg-type]


def run(case: Case) -> tuple[DynamicStudy, ContactHistory]:
    study = dynamic_study(case)
    study.run(Silent())
    return study, study.mesh_history(MESH)


@pytest.mark.parametrize("friction", ["none", "coulomb"])
def test_start_under_load_is_in_equilibrium(friction: Any) -> None:
    """At the speeds of perfect gears, so that no torque damps the changing deflection; friction twists the shafts."""
    case = case_of(BOTH)
    study = dynamic_study(replace(case, friction=replace(case.friction, kind=friction)))
    system, q, _ = begun(study)
    v = system.free_of(study.built.nominal(DRIVE, study.speeds[DRIVE].value(0.0)))
    system.begin_step(0.0, q, v, 0.0)
    excess = system.force(0.0, q, v).Q
    assert np.abs(excess / system.force_scale).max() < 1e-9  # loads are found to 1e-10


def test_stiff_shaft_is_no_shaft() -> None:
    plain, expected = run(case_of())
    stiff, found = run(case_of("[shafts.pinion]\nstiffness_Nm_per_rad = 1e9\n"))
    assert (plain.system.n_dof, stiff.system.n_dof) == (1, 2)
    assert stiff.frequencies[MESH] == pytest.approx(plain.frequencies[MESH], rel=1e-3)
    # the shaft twists by 4e-7 rad, 15 nm on the base circle, and the error control leaves 1e-4 a step
    scale = np.abs(expected.transmission_error).max()
    assert np.abs(found.transmission_error - expected.transmission_error).max() < 2e-3 * scale
    assert np.abs(found.phase - expected.phase).max() < 1e-5
    assert found.speed[:, 0] == pytest.approx(expected.speed[:, 0], rel=1e-3)


def test_speed_by_a_table() -> None:
    """A level table is the constant speed; one that falls leads the driver to where it ends."""
    case = case_of()
    level = replace(case, operation=replace(case.operation, speed_table=((0.0, SPEED), (1.0, SPEED))))
    _, expected = run(case)
    _, found = run(level)
    scale = np.abs(expected.transmission_error).max()
    assert np.abs(found.transmission_error - expected.transmission_error).max() < 1e-6 * scale
    falls = ((0.0, SPEED), (2e-3, 0.5 * SPEED), (4e-3, 0.5 * SPEED))
    falling = replace(case, operation=replace(case.operation, speed_table=falls))
    _, found = run(falling)
    assert found.speed[-1, 0] == pytest.approx(0.5 * SPEED, rel=1e-12)
    assert found.speed[-1, 1] == pytest.approx(SPEED / 3.0, rel=0.05)  # it vibrates about that of perfect gears


def test_torque_by_a_table() -> None:
    """A level table is the constant torque; one that rises slowly is carried by the teeth as it rises."""
    case = case_of()
    torque = case.operation.pinion_torque
    _, expected = run(case)
    _, found = run(replace(case, operation=replace(case.operation, torque_table=((0.0, torque), (1.0, torque)))))
    scale = np.abs(expected.transmission_error).max()
    assert np.abs(found.transmission_error - expected.transmission_error).max() < 1e-6 * scale
    rising = replace(case, operation=replace(case.operation, torque_table=((0.0, 0.5 * torque), (4e-3, torque))))
    study, found = run(replace(rising, analysis=replace(rising.analysis, mesh_damping_ratio=0.2)))
    carried = found.tooth_load.sum(axis=1) * study.built.contacts[MESH].r_b[1]
    asked = np.array([study.torques[LOAD].value(t) for t in found.time])
    assert asked[[0, -1]] == pytest.approx(np.array([0.5, 1.0]) * torque * 1.5, rel=1e-12)
    accelerating = inertias(study)[1] * found.acceleration[:, 1]
    assert (
        np.abs(carried - asked - accelerating).max() < 0.02 * asked[-1]
    )  # moments about the pinion's axis, tilted tips


def test_torque_that_changes_its_sign_goes_to_the_back_flanks() -> None:
    case = case_of(duration=6e-3, mesh_damping_ratio=0.2)
    torque = case.operation.pinion_torque
    table = ((0.0, torque), (1e-3, torque), (4e-3, -0.5 * torque), (6e-3, -0.5 * torque))
    _, history = run(replace(case, operation=replace(case.operation, torque_table=table)))
    load = history.tooth_load.sum(axis=1)
    nominal = torque / case.pair.pinion.r_b
    late = history.time > 5e-3
    assert load[0] == pytest.approx(nominal, rel=0.01)
    assert load[late].mean() == pytest.approx(-0.5 * nominal, rel=0.02)  # back flanks count negative
    assert history.transmission_error[0] < 0.0 < history.transmission_error[late].min()


@pytest.mark.parametrize("driver", ["pinion", "wheel"])
def test_start_under_negative_torque_is_in_equilibrium_on_the_back_flanks(driver: str) -> None:
    plain = case_of(driver=driver, mesh_damping_ratio=0.0)
    case = replace(plain, operation=replace(plain.operation, pinion_torque=-plain.operation.pinion_torque))
    study = dynamic_study(case)
    system, q, v = begun(study)
    assert abs(system.force(0.0, q, v).Q[0]) < 1e-9 * system.force_scale[0]  # loads are found to 1e-10
    forward = dynamic_study(plain)
    ahead, behind = (start_error(one) for one in (study, forward))
    # no backlash: the same pair mirrored, at another place of the mesh
    assert ahead == pytest.approx(-behind, rel=0.05)


def start_error(study: DynamicStudy) -> float:
    """Transmission error at the start [m]."""
    system, q, v = begun(study)
    turned = gears_turned(study, system.whole(0.0, q, v)[0])
    return study.built.contacts[MESH].transmission_errors(turned)


def inertias(study: DynamicStudy) -> list[float]:
    """Of both gears [kg m2]."""
    return [study.built.model.mass[at, at] for at in (gear_rotation(study, 0), gear_rotation(study, 1))]


def mode_over(shafts: str, driver: str = "pinion") -> tuple[float, float]:
    """Frequency of the mode in the mesh over that of a driver that is led, and of both gears free of all else."""
    study = dynamic_study(case_of(shafts, driver))
    mesh, k = study.built.contacts[MESH], study.stiffness[MESH]
    on_line = [r_b**2 / inertia for r_b, inertia in zip(mesh.r_b, inertias(study), strict=True)]
    led = math.sqrt(k * on_line[1 - mesh.driving])
    return study.frequencies[MESH] / led, study.frequencies[MESH] / math.sqrt(k * sum(on_line))


def test_mode_in_the_mesh() -> None:
    """Its closed forms; a soft shaft has about a thousandth of the stiffness of the mesh."""
    assert mode_over("")[0] == pytest.approx(1.0, rel=1e-12)
    assert mode_over("[shafts.pinion]\nstiffness_Nm_per_rad = 1e9\n")[0] == pytest.approx(1.0, rel=1e-3)
    assert mode_over("[shafts.pinion]\nstiffness_Nm_per_rad = 500.0\n")[1] == pytest.approx(1.0, rel=1e-3)
    heavy = "[shafts.pinion]\nstiffness_Nm_per_rad = 500.0\ninertia_kg_m2 = 1.0\n"
    soft = "[shafts.wheel]\nstiffness_Nm_per_rad = 700.0\n"
    assert mode_over(heavy + soft, "wheel")[1] == pytest.approx(1.0, rel=1e-3)


def test_energy_of_a_train_with_shafts() -> None:
    """What drive and load put in is stored or lost in mesh and shafts; of what the drive puts in alone."""
    study, history = run(case_of(BOTH, rho_inf=1.0, time_step=5e-6))
    stored = (history.energy_kinetic + history.energy_elastic) - (history.energy_kinetic + history.energy_elastic)[0]
    missing = history.energy_input - history.energy_dissipated - stored
    work = 400.0 * study.speeds[DRIVE].value(0.0) * study.analysis.duration
    assert np.abs(missing).max() < 1e-5 * work
    assert history.energy_dissipated[-1] > 30.0 * np.abs(missing).max()


@pytest.mark.slow
def test_soft_shafts_let_the_gears_vibrate_against_each_other() -> None:
    """Free of the drive, the gears' first mode is higher; the deflection under load stays what it is on average."""
    stiff, one = run(case_of(duration=0.02))
    soft, two = run(case_of(BOTH, duration=0.02))
    assert soft.frequencies[MESH] > 1.3 * stiff.frequencies[MESH]
    late = two.time > 0.01
    assert two.transmission_error[late].mean() == pytest.approx(one.transmission_error[late].mean(), rel=0.03)


# ------------------------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    ("shafts", "expected"),
    [
        ("[shafts.pinion]\ndamping_Nms_per_rad = 1.0\n", "shafts.pinion.stiffness_Nm_per_rad = (missing)"),
        ("[shafts.pinion]\nstiffness_Nm_per_rad = 0.0\n", "shafts.pinion.stiffness_Nm_per_rad = 0.0: must be"),
        ("[shafts.pinion]\nstiffness_Nm_per_rad = 1e4\ninertia_kg_m2 = 1.0\n", "inertia_kg_m2 = 1.0: has no effect at"),
        ("[shafts.wheel]\nstiffness_Nm_per_rad = 1e4\n", "shafts.wheel.inertia_kg_m2 = (missing): is needed"),
        (
            "[shafts.wheel]\nstiffness_Nm_per_rad = 1e4\ninertia_kg_m2 = -1.0\n",
            "inertia_kg_m2 = -1.0: must",
        ),
        (
            "[shafts.pinion]\nstiffness_Nm_per_rad = 300.0\n",
            "= 300.0: twists by 1.33 rad under 400 N m, must be at most 1",
        ),
        ("[shafts.wheel]\nstiffness_Nm_per_rad = 590.0\ninertia_kg_m2 = 1.0\n", "twists by 1.02 rad under 600 N m"),
        ("[shafts.gear]\nstiffness_Nm_per_rad = 1e4\n", "shafts.gear"),
        ("[shafts.pinion]\nstifness_Nm_per_rad = 1e4\n", "stiffness_Nm_per_rad"),
    ],
)
def test_shafts_that_cannot_be(shafts: str, expected: str) -> None:
    with pytest.raises(CaseFaults) as caught:
        case_of(shafts)
    assert expected in str(caught.value)


@pytest.mark.parametrize("values", [{"stiffness": 0.0}, {"damping": -1.0}, {"inertia": -1.0}])
def test_shaft_of_no_stiffness_or_negative_damping(values: dict[str, float]) -> None:
    with pytest.raises(Fault, match=r"must be (greater than|at least) 0"):
        TorsionShaft(**({"stiffness": 1.0} | values))
