"""Linearised response of a machine over the speed of its drive."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.case.sweep import SweepAnalysis
from alegear.progress import Progress
from alegear.results.linear_response import LinearResponse
from alegear.studies.linear_sweep import Reading, answer_of, positions_of, slow_and_fast, speeds_of, without
from alegear.studies.machine.reference_pitch import pitch_of_drive, turned_drives
from alegear.system.excitation import ElementPhases, ExcitedSystem

if TYPE_CHECKING:
    from alegear.drivetrain.gear_mesh import MeshPlace
    from alegear.studies.machine.dynamic import MachineDynamicStudy
    from alegear.system.model import SystemModel

Array = NDArray[np.float64]

SAME = 1e-9  # part by which mesh frequencies differ that are one
STEP = 1e-3  # of the typical displacement of a coordinate: derivatives of bearing forces by differences


def machine_answer(study: MachineDynamicStudy, progress: Progress) -> LinearResponse:
    """Linearised response of a machine over the speeds of its drive.

    Raises
    ------
    Fault
        If nothing varies, or nothing holds the machine.
    NonConvergence
        Of an equilibrium.
    """
    case, analysis, model = study.case, study.analysis, study.built.model
    assert isinstance(analysis, SweepAnalysis)
    (drive,) = case.drives
    speed = study.speeds[drive.name]
    solver = study.equilibria()
    places = [place for place in case.layout.meshes if place.mesh.law.varies]
    n, groups = positions_of(analysis), _groups(places)
    total = n * len(groups) + analysis.linear_speeds
    exciting = []
    for m, own in enumerate(groups.values()):
        place = places[own[0]]
        pitch, before, states, deviations = pitch_of_drive(place), None, [], []
        for j in range(n):
            angles = turned_drives(case, pitch * j / n, place.mesh.name)
            before = solver.solve(angles, before)
            states.append(before.x)
            deviations.append(before.x - solver.nominal(angles))
            progress.advance(m * n + j + 1, total)
        exciting.append(
            ElementPhases(
                elements=[_element_of(model, places[i].mesh.name) for i in own],
                states=np.array(states),
                deviations=np.array(deviations),
            )
        )
    motions = [
        (t, study.built.nominal(drive.name, abs(speed.value(t))), abs(speed.value(t)))
        for t in slow_and_fast(speed.value, analysis)
    ]
    system = ExcitedSystem.of(model, study.system.data, exciting, motions)
    mean = np.mean([one.states.mean(axis=0) for one in exciting], axis=0)
    return answer_of(
        system,
        _of_machine(study, [place.mesh.name for place in places], mean),
        analysis,
        names=([place.mesh.name for place in places], study.record.of_machine.bearings),
        groups=groups,
        speeds=speeds_of(motions, analysis),
        falling=motions[0][0] > 0.0,
        told_per_drive=1.0,
        behind=without(motions[0], study.built.turned[drive.shaft].tolist()),
        progress=progress,
        done=n * len(groups),
    ).spread([place.mesh.name for place in case.layout.meshes])


def _groups(places: Sequence[MeshPlace]) -> dict[float, list[int]]:
    """Meshes by their frequency over the speed of the drive: those of an idler have one, and one phase."""
    found: dict[float, list[int]] = {}
    for i, place in enumerate(places):
        ratio = 2.0 * math.pi / pitch_of_drive(place)
        same = next((one for one in found if math.isclose(one, ratio, rel_tol=SAME)), ratio)
        found.setdefault(same, []).append(i)
    return found


def _element_of(model: SystemModel, mesh: str) -> int:
    found = [i for i, element in enumerate(model.elements) if element.name == mesh]
    assert len(found) == 1, mesh
    return found[0]


def _of_machine(study: MachineDynamicStudy, meshes: Sequence[str], mean: Array) -> Reading:
    """What is read of a machine about its mean coordinates (n,), of some of its meshes."""
    record, model = study.record.of_machine, study.built.model
    ones, nothing = np.eye(model.n), np.zeros((model.n, model.n))
    numbers = [[place.mesh.name for place in study.layout.meshes].index(mesh) for mesh in meshes]
    seats = [record.places.index(bearing.place) for bearing in study.case.bearings]
    step = STEP * model.displacement_scale[:, None] * ones  # bearings with rolling elements are not linear
    rest = np.broadcast_to(mean, step.shape)
    force, lower, at_rest, by_rate = (
        record.bearing_forces(x, v)["bearing_force"].reshape(model.n, -1)
        for x, v in ((rest + step, nothing), (rest - step, nothing), (rest, nothing), (rest, ones))
    )
    return Reading(
        transmission_error=record.transmission_errors(ones)[:, numbers].T,
        force=((force - lower) / (2.0 * np.diag(step)[:, None])).T,
        force_by_rate=(by_rate - at_rest).T,
        displacement=record.displacements(ones)["displacement"][:, seats].reshape(model.n, -1).T,
    )
