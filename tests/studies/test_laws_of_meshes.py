"""Law of a mesh x supports x kind of study: each works and closes its energy, or is refused in one place."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import mostly_thorough
from small_machines import COARSE

import alegear as ag
from alegear.drivetrain.laws import law_of
from alegear.errors import Fault
from alegear.studies.run import run

QUIET = ag.OutputOptions(plots=False, fields=False)
SPEED, TORQUE, DURATION = 100.0, 300.0, 1e-3  # drive [rad/s], load [N m], s
LAWS: dict[str, tuple[str, dict[str, Any]]] = {
    "flexible": ("flexible", {}),
    "elastic": ("elastic", {}),
    "elastic with friction": ("elastic", {"friction": "coulomb", "mu": 0.06}),
    "teeth": ("teeth", {}),
    "lossy": ("lossy", {"mesh_efficiency": 0.97}),
    "rigid": ("rigid", {}),
}
STUDIES = {
    "static": ag.MachineStatic(positions_per_pitch=2),
    "modal": ag.ModalAnalysis(n_modes=1),
    "dynamic": ag.DynamicAnalysis(duration=DURATION, output_every=1e-4),
    "sweep": ag.SweepAnalysis(duration=2e-3, output_every=5e-5, pitches=2, settling=0.0),
    "turning": ag.RotationalMotion(duration=DURATION, output_every=1e-5),
}
THROUGH = TORQUE * SPEED * 2.0 / 3.0 * DURATION  # J


def gear(z: int) -> ag.Gear:
    return ag.Gear(z=z, m_n=4e-3, b=30e-3, bore_diameter=0.5 * 4e-3 * (z - 2.5), thickness_allowance=40e-6)


def machine(law: str, support: str, table: Any = None, **given: Any) -> ag.Machine:
    m = ag.Machine("pair")
    for name, at in (("in", 0.0), ("out", 0.1)):
        if support == "hinge":
            m.add(name, ag.Shaft(fixed_axis=True, position=(at, 0.0, 0.0)))
            continue
        m.add(name, ag.Shaft(sections=[(0.1, 0.03, 0.0)], position=(at, 0.0, 0.0)))
        m.add(f"{name}_a", ag.Bearing(shaft=name, at=0.01, stiffness=(2e8, 2e8, 1e8), damping=(2e3, 2e3, 1e3)))
        m.add(f"{name}_b", ag.Bearing(shaft=name, at=0.09, stiffness=(2e8, 2e8, 0.0), damping=(2e3, 2e3, 0.0)))
    for name, shaft, z in (("p", "in", 20), ("w", "out", 30)):
        m.add(
            name, ag.ShaftGear(gear=gear(z), shaft=shaft, at=0.0 if support == "hinge" else 0.05, grid_options=COARSE)
        )
    word, own = LAWS[law]
    m.mesh("mesh", "p", "w", fidelity=word, **own, **given)
    m.add("motor", ag.Drive(shaft="in", speed=None if table else SPEED, speed_table=table))
    m.add("brake", ag.TorqueLoad(shaft="out", torque=TORQUE, inertia=5e-3))
    return m


@pytest.mark.parametrize(
    ("law", "support", "study"),
    mostly_thorough(
        itertools.product(LAWS, ("hinge", "bearings"), STUDIES),
        # on bearings: test_machine_sweep
        always=lambda one: one[1:] != ("bearings", "sweep"),
    ),
)
def test_it_works_or_says_why_not(law: str, support: str, study: str) -> None:
    table = ((0.0, 900.0), (2e-3, 945.0)) if study == "sweep" else None
    what = machine(law, support, table)
    if study == "turning" and (support == "bearings" or law == "flexible"):
        with pytest.raises(Fault, match="DynamicAnalysis of a machine with displacements or teeth in contact"):
            what.case(STUDIES[study], QUIET)
        return
    data = run(what.case(STUDIES[study], QUIET)).dataset
    if study in ("dynamic", "turning"):
        kept = data.energy_kinetic + data.energy_elastic
        missing = data.energy_input - data.energy_dissipated - (kept - kept[0])
        # adaptive steps of 1e-5 over contact that comes and goes; CVODE, from 0 to the full load at once
        assert float(np.abs(missing).max()) < 1e-4 * THROUGH
        assert float(data.energy_dissipated.min()) > -1e-12 * THROUGH
    if study == "static":
        force = np.linalg.norm(data.mesh_force.values[:, 0], axis=1)
        np.testing.assert_allclose(force, TORQUE / gear(30).r_b, rtol=2e-3)  # axes that give way, deviations of flanks


@cache
def studied() -> ag.Result:
    """The pair alone, of finite elements."""
    case = ag.Case(
        pair=ag.GearPair(pinion=gear(20), wheel=gear(30), a_w=0.1),
        grid_options=(COARSE, COARSE),
        operation=ag.Operation(pinion_torque=TORQUE * 2.0 / 3.0),
        analysis=ag.StaticAnalysis(positions_per_pitch=12, pitches=1),
        output=QUIET,
    )
    return run(case)


def test_stiffness_of_a_study_of_the_same_pair() -> None:
    """Its tangents at the same positions, and the mean transmission error but for what grows stiffer with the load."""
    flexible = studied().dataset
    what = machine("elastic", "hinge", stiffness_from=studied())
    elastic = run(what.case(ag.MachineStatic(positions_per_pitch=12), QUIET)).dataset
    # a spline between positions that differ by the deflection of the other, 1e-3 pitches
    np.testing.assert_allclose(elastic.mesh_stiffness.values[:, 0], flexible.mesh_stiffness.values, rtol=3e-3)
    found = elastic.transmission_error.values[:, 0].mean() / flexible.transmission_error.values.mean()
    assert found == pytest.approx(0.959, abs=2e-3)  # line contact: tangent under load against secant


def test_energy_with_a_stiffness_that_changes_over_the_mesh() -> None:
    what = machine("elastic", "bearings", stiffness_from=studied())
    data = run(what.case(ag.DynamicAnalysis(duration=4e-3, output_every=2e-5), QUIET)).dataset
    kept = data.energy_kinetic + data.energy_elastic
    missing = data.energy_input - data.energy_dissipated - (kept - kept[0])
    moved = float(np.abs(np.diff(data.energy_elastic)).sum())
    assert moved > 1e-3  # the stiffness changes by a third in each pitch
    assert float(np.abs(missing).max()) < 1e-5 * 4.0 * THROUGH


def test_a_study_goes_with_no_other_stiffness() -> None:
    for given in ({"stiffness": 1e8}, {"spring": "iso6336", "roughness_Rq": 1e-6}):
        with pytest.raises(Fault, match="left out with stiffness_from"):
            law_of("elastic", "mesh", stiffness_from=studied(), **given)


# ------------------------------------------------------------------------------------------------ files
FILE = """
[machine]

[shafts.in]
fixed_axis = true

[shafts.out]
fixed_axis = true
position_mm = [100.0, 0.0, 0.0]

[gears.p]
shaft = "in"
at_mm = 0.0
teeth = 20
face_width_mm = 30.0
bore_diameter_mm = 35.0

[gears.w]
shaft = "out"
at_mm = 0.0
teeth = 30
face_width_mm = 30.0
bore_diameter_mm = 55.0

[meshes.mesh]
gears = ["p", "w"]
normal_module_mm = 4.0
fidelity = "elastic"
LAW

[drives.motor]
shaft = "in"
speed_rpm = 1000.0

[loads.brake]
shaft = "out"
torque_Nm = 300.0

[analysis]
kind = "static"
"""


def from_file(folder: Path, law: str, word: str = "elastic") -> ag.MachineCase:
    path = folder / "case.toml"
    path.write_text(FILE.replace("LAW", law).replace('"elastic"', f'"{word}"'))
    return ag.MachineCase.from_toml(path)


SAID = {
    "": {},
    "stiffness_N_per_m = 3e8\ndamping_Ns_per_m = 1e3\nbacklash_um = 20.0": {
        "stiffness": 3e8, "damping": 1e3, "backlash": 20e-6,
    },
    'spring = "iso6336"\nroughness_Rq_um = 4.0': {"spring": "iso6336", "roughness_Rq": 4e-6},
    'spring = "niemann-winter"\nleast_stiffness = 0.4\nfull_load_N = 3000.0': {
        "spring": "niemann-winter", "least_stiffness": 0.4, "full_load": 3000.0,
    },
    'friction = "coulomb"\nmu = 0.05\nmu_0 = 0.08': {"friction": "coulomb", "mu": 0.05, "mu_0": 0.08},
    'friction = "din3990"\nviscosity_mPas = 50.0\nroughness_Ra_um = 0.8\nmu_0 = 0.2': {
        "friction": "din3990", "viscosity": 0.05, "roughness_Ra": 0.8e-6, "mu_0": 0.2,
    },
    'friction = "efficiency"\nefficiency_m_per_s = [[0.0, 0.97], [4.0, 0.985]]\nstatic_factor = 1.5': {
        "friction": "efficiency", "efficiency": ((0.0, 0.97), (4.0, 0.985)), "static_factor": 1.5,
    },
}  # fmt: skip


@pytest.mark.parametrize("text", SAID)
def test_a_file_and_python_say_the_same(tmp_path: Path, text: str) -> None:
    (mesh,) = from_file(tmp_path, text).meshes
    expected = law_of("elastic", "mesh", **SAID[text])
    for name in expected.__dataclass_fields__:
        found, given = getattr(mesh.law, name), getattr(expected, name)
        assert found == (pytest.approx(given, rel=1e-12) if isinstance(given, float) else given), name


def test_a_file_names_a_study(tmp_path: Path) -> None:
    studied().save(tmp_path / "study")
    case = from_file(tmp_path, 'stiffness_from = "study"')
    mean = float(studied().dataset.mesh_stiffness.mean())
    assert case.layout.meshes[0].mesh.law.spring_of(case.layout.meshes[0]).c == pytest.approx(mean, rel=1e-12)
    assert case.sha256 != from_file(tmp_path, "").sha256


@pytest.mark.parametrize(
    ("word", "text", "words"),
    [
        ("elastic", "mu = 0.1", 'must be left out: it has no effect with friction = "none"'),
        ("elastic", 'friction = "velocity"', "Elastic.friction"),
        ("elastic", "mu_static = 0.1", 'mu_static = 0.1: must be left out: it has no effect with fidelity = "elastic"'),
        ("rigid", 'friction = "coulomb"', 'no effect with fidelity = "rigid"'),
        ("rigid", 'spring = "linear"', 'write fidelity = "elastic"'),
        ("rigid", "stiffness_N_per_m = 1e8", 'write fidelity = "elastic"'),
        ("flexible", 'friction = "din3990"', 'must be "none", "coulomb" or "velocity"; correct friction'),
        ("elastic", 'friction = "dry"', "friction"),
        ("elastic", "efficiency_m_per_s = [[0.0, 0.9]]", 'no effect with friction = "none"'),
    ],
)
def test_each_fault_is_told_once(tmp_path: Path, word: str, text: str, words: str) -> None:
    with pytest.raises(ag.CaseFaults) as caught:
        from_file(tmp_path, text, word)
    assert len(caught.value.faults) == 1
    assert words in str(caught.value)
