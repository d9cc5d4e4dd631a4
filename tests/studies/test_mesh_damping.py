"""Damping of the mesh: it gives no energy, whatever moves the gaps, and is that of the mode in the mesh."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.linalg import eig
from script_files import load_script
from small_cases import (
    bearings,
    begun,
    case_of,
    contact_at,
    driven_speed,
    dynamic_study,
    free_numbers,
    gear_rotation,
    gears_turned,
    mesh_solver,
    motion_text,
    shafts,
)

from alegear.case.pair_machine import LOAD, MESH
from alegear.studies.dynamic import DynamicStudy

mesh_damping = load_script("validation/mesh_damping/run.py")
shaken = mesh_damping.shaken


@cache
def study_of(
    modes: int, damping: float, modal: float = 0.0, torque: float = 300.0, speed: float = 100.0, tables: str = ""
) -> DynamicStudy:
    full = f'inertia = "full"\nnormal_modes = {modes}\nmodal_damping_ratio = {modal}\n' if modes else ""
    analysis = f"duration_s = 1e-3\nmesh_damping_ratio = {damping}\n{full}"
    allowance = "tooth_thickness_allowance_um = 40.0"
    text = motion_text(analysis, speed=speed, torque=torque, tables=tables, pinion=allowance)
    return dynamic_study(case_of(text))


# modes, mesh damping, modal damping, torque [N m], output interval [s], steps
SAMPLE = [
    (0, 0.02, 0.01, 300.0, 2e-6, 40),
    (0, 0.3, 0.01, -100.0, 1e-4, 4),
    (8, 0.1, 0.0, 300.0, 1e-5, 15),
    pytest.param(24, 0.2, 0.01, 300.0, 5e-6, 15, marks=pytest.mark.thorough),
    pytest.param(24, 0.3, 0.0, 100.0, 1e-4, 2, marks=pytest.mark.thorough),  # as long steps: the second
    pytest.param(60, 0.1, 0.01, 300.0, 5e-6, 15, marks=pytest.mark.thorough),
    (60, 0.02, 0.0, -100.0, 2e-6, 15),
]


@pytest.mark.parametrize(("modes", "damping", "modal", "torque", "every", "steps"), SAMPLE)
def test_dissipated_energy_rises_from_step_to_step(modes, damping, modal, torque, every, steps):
    dissipated = shaken(study_of(modes, damping, modal, torque), every, steps)
    assert np.diff(dissipated).min() > -mesh_damping.BOUND * dissipated[-1]
    assert dissipated[-1] > 0.0


@pytest.mark.parametrize("tables", [shafts(), bearings()])
def test_gears_on_shafts_and_bearings(tables):
    dissipated = shaken(study_of(0, 0.1, tables=tables), 1e-5, 15)
    assert np.diff(dissipated).min() > -mesh_damping.BOUND * dissipated[-1]


@pytest.mark.parametrize(("modes", "tables"), [(0, shafts()), (0, bearings()), (8, ""), (24, ""), (60, "")])
def test_damping_matrix_takes_energy_in_all_directions(modes, tables):
    """At speed, under load: its symmetric part has no negative eigenvalue beyond round-off.

    Of mesh and dampers; what the centrifugal forces change with the speed is no damping, drive and load do their work.
    """
    study = study_of(modes, 0.2, tables=tables)
    system, q, v = begun(study)
    mesh = system.force(0.0, q, v).payload.forces.elements[study.built.number_of(MESH)]
    C, at = study.built.model.damping.copy(), study.built.contacts[MESH].coordinates
    C[np.ix_(at, at)] -= mesh.by_v
    C = C[np.ix_(study.built.model.free, study.built.model.free)]
    values = np.linalg.eigvalsh(0.5 * (C + C.T) / np.outer(scale := np.sqrt(np.abs(np.diag(C))).clip(1e-9), scale))
    assert values.min() > -1e-9 * values.max()
    assert values.max() > 0.9


def ratio_in_the_mesh(study: DynamicStudy) -> float:
    """Damping ratio of the slowest vibration about the start, of the linearised train."""
    system, q, v = begun(study)
    force, M = system.force(0.0, q, v), system.mass_matrix(q)
    n = len(q)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [force.dQ_dq, force.dQ_dv]])
    values = eig(A, np.block([[np.eye(n), np.zeros((n, n))], [np.zeros((n, n)), M]]), right=False)
    slowest = values[values.imag > 1e3]
    slowest = slowest[np.argmin(np.abs(slowest))]
    return float(-slowest.real / np.abs(slowest))


def test_the_ratio_is_that_of_the_mode_in_the_mesh_with_any_number_of_modes():
    plain = ratio_in_the_mesh(study_of(0, 0.05))
    assert plain == pytest.approx(0.05, rel=0.15)  # at this position; 0.05 is that of the mean stiffness
    for modes in (8, 24, 60):
        # modes are not quite at rest at a tenth of their frequency, and the share of the rest varies over the pitch
        assert ratio_in_the_mesh(study_of(modes, 0.05)) == pytest.approx(plain, rel=0.15)


@pytest.mark.parametrize("tables", ["", bearings()])
@pytest.mark.parametrize("modes", [0, 8, 60])
def test_mesh_stiffness_at_rest_is_that_of_the_static_study(modes, tables):
    study = study_of(modes, 0.02, tables=tables)
    mesh, (system, q, v) = study.built.contacts[MESH], begun(study)
    driven = 1 - mesh.driving
    v[:] = 0.0
    v[free_numbers(study, [gear_rotation(study, driven)])] = driven_speed(study)  # nothing vibrates
    forces = contact_at(study, system.force(0.0, q, v))
    x = system.whole(0.0, q, v)[0]
    angle, displaced = gears_turned(study, x), mesh.displacements(x[mesh.coordinates])
    # statics hold the driven gear and load the pinion
    solver = replace(mesh_solver(study), displacement=displaced)
    torque, phase = solver.torque, angle[driven] / mesh.contact.pitch_angle[driven]
    for _ in range(4):
        position = replace(solver, torque=torque).solve(phase, study.windows[MESH].first_pair(-0.5))
        torque *= study.torques[LOAD].value(0.0) / position.forces.torque[driven]
    # the start of wheels with modes is that at 100 rpm: they have grown by 2e-5 um
    assert mesh.transmission_errors(angle) == pytest.approx(-position.deflection, rel=1e-5)
    assert mesh.stiffness_of(forces.by_coordinate, study.built.model) == pytest.approx(
        position.mesh_stiffness, rel=1e-6
    )
