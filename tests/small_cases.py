"""Case texts of spur pairs on coarse grids and their static results, each computed once a process; dynamic studies."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import xarray as xr
from numpy.typing import NDArray

import alegear as ag
from alegear.case.case import Case
from alegear.case.pair_machine import DRIVE, MESH, machine_of
from alegear.checks.before_run import check_before_meshing
from alegear.contact import numbering
from alegear.contact.forces import MeshForces
from alegear.progress import Silent
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.equilibria import MachinePosition, MachineSolver
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.preparation import PreparedPair, check_plan, prepare
from alegear.studies.static import StaticStudy
from alegear.system.motion import SystemMotion
from alegear.system.profiles import PrescribedRotation
from alegear.system.time_integration.second_order_system import ForceEvaluation

Array = NDArray[np.float64]

COARSE = """
flank_elements = 8
fillet_elements = 4
thickness_elements = 4
width_elements = 2
rim_elements = 4
"""
#: Number of teeth -> keys of the gear: profile shift, width, bore.
GEARS = {
    "pinion": {
        12: "profile_shift = 0.4\nface_width_mm = 20.0\nbore_diameter_mm = 20.0",
        13: "face_width_mm = 30.0\nbore_diameter_mm = 21.0",
        20: "profile_shift = 0.2\nface_width_mm = 30.0\nbore_diameter_mm = 35.8",
    },
    "wheel": {
        13: "profile_shift = 0.35\nface_width_mm = 20.0\nbore_diameter_mm = 20.0",
        20: "profile_shift = 0.2\nface_width_mm = 30.0\nbore_diameter_mm = 35.8",
        30: "profile_shift = -0.2\nface_width_mm = 30.0\nbore_diameter_mm = 54.2",
        97: "face_width_mm = 30.0\nbore_diameter_mm = 189.0",
    },
}
#: The tables of a pair 20/30 alone, for cases that are read and never meshed.
PAIR = """
[pair]
normal_module_mm = 4.0
[pinion]
teeth = 20
profile_shift = 0.2
face_width_mm = 30.0
bore_diameter_mm = 35.8
[wheel]
teeth = 30
profile_shift = -0.2
face_width_mm = 30.0
bore_diameter_mm = 54.2
"""
#: Lines of a bearing's table: its damping.
DAMPING = "damping_Ns_per_m = [3e3, 3e3, 3e3]\ntilt_damping_Nms_per_rad = [2.0, 2.0]\n"
#: A pinion outside of the bearings of its shaft, which bends: a force tilts it as well.
OVERHUNG = """
[supports.pinion]
kind = "bearing"
stiffness_matrix_N_m_rad = [
    [3e8, 0.0, 0.0, 0.0, -6e6, 0.0],
    [0.0, 3e8, 0.0, 6e6, 0.0, 0.0],
    [0.0, 0.0, 2e8, 0.0, 0.0, 0.0],
    [0.0, 6e6, 0.0, 4e5, 0.0, 0.0],
    [-6e6, 0.0, 0.0, 0.0, 4e5, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
]
"""


def bearing(gear: str, further: str = "") -> str:
    """Table of a gear on a bearing; `further` lines stand at its end."""
    return f"""
[supports.{gear}]
kind = "bearing"
stiffness_N_per_m = [3e8, 3e8, 2e8]
tilt_stiffness_Nm_per_rad = [2e5, 2e5]
{further}"""


def bearings(further: str = "") -> str:
    """Tables of both gears on bearings."""
    return bearing("pinion", further) + bearing("wheel", further)


def shafts(damping: tuple[float, float] = (0.0, 0.0)) -> str:
    """Tables of two shafts that twist, with their damping [N m s/rad]."""
    return f"""
[shafts.pinion]
stiffness_Nm_per_rad = 5e4
damping_Nms_per_rad = {damping[0]!r}
[shafts.wheel]
stiffness_Nm_per_rad = 5e4
damping_Nms_per_rad = {damping[1]!r}
inertia_kg_m2 = 0.05
"""


def static_text(
    teeth: tuple[int, int] = (20, 30),
    *,
    driver: str = "pinion",
    torque: float = 200.0,
    positions: int = 8,
    pitches: int = 1,
    analysis: str = "",
    contact: str = "",
    gear: str = "",
    pinion: str = "",
    wheel: str = "",
    tables: str = "",
    mesh: str = COARSE,
) -> str:
    """Case file of a pair of module 4 mm.

    Parameters
    ----------
    teeth : (int, int)
        Keys of GEARS.
    torque : float [N m]
        On the pinion.
    analysis, contact, gear, pinion, wheel, tables, mesh : str
        Further lines for these tables; `gear` goes to both gears, `tables` to the end of the file.
    """
    return f"""
title = "small pair"
[pair]
normal_module_mm = 4.0
[pinion]
teeth = {teeth[0]}
{GEARS["pinion"][teeth[0]]}
{gear}
{pinion}
[wheel]
teeth = {teeth[1]}
{GEARS["wheel"][teeth[1]]}
{gear}
{wheel}
[grid]
{mesh}
[contact]
{contact}
[operation]
driver = "{driver}"
pinion_torque_Nm = {torque!r}
[analysis]
kind = "static"
positions_per_pitch = {positions}
pitches = {pitches}
{analysis}
{tables}
"""


@cache
def case_of(text: str) -> ag.Case:
    """Case of a text."""
    return ag.Case.from_bytes(text.encode())


@cache
def result_of(text: str) -> ag.Result:
    """Result of a text."""
    return ag.run(case_of(text))


def solve(*args, **options) -> xr.Dataset:
    """Dataset of :func:`static_text` with these options."""
    return result_of(static_text(*args, **options)).dataset


def checked(case: Case, out: Path | None = None) -> None:
    """Ask what ``alegear check`` asks."""
    sectors, fits = check_before_meshing(case, out)
    if not fits:
        check_plan(case, sectors)


def static_study(case: Case) -> StaticStudy:
    """A static study of the machine that a pair is, which has not run yet."""
    return StaticStudy(machine_of(case), {MESH: prepare(case, Silent())})


def dynamic_study(case: Case, frame_times: tuple[float, ...] = ()) -> DynamicStudy:
    """Likewise a dynamic one."""
    return DynamicStudy(machine_of(case), {MESH: prepare(case, Silent())}, frame_times=frame_times)


def motion_text(analysis: str, *, speed: float = 500.0, operation: str = "", **options: Any) -> str:
    """Case file of a motion: :func:`static_text` with these lines for the analysis, and a speed [rpm]."""
    text = static_text(**{"pinion": "tooth_thickness_allowance_um = 60.0", **options})
    text = text.replace('kind = "static"', 'kind = "dynamic"').replace("positions_per_pitch = 8", analysis)
    operation = operation or f"pinion_speed_rpm = {speed!r}"
    return text.replace("pitches = 1\n", "").replace("[analysis]", f"{operation}\n[analysis]")


def begun(study: DynamicStudy) -> tuple[SystemMotion, Array, Array]:
    """System of a study at its start, and the free coordinates and velocities there."""
    q, v = (one[study.built.model.free] for one in study._start)
    study.system.begin_step(0.0, q, v, 0.0)
    return study.system, q, v


def contact_at(study: DynamicStudy, force: ForceEvaluation) -> MeshForces:
    """Contact forces of an evaluation."""
    forces = cast("Any", force.payload).forces
    return cast("MeshForces", forces.elements[study.built.number_of(MESH)].response)


def free_numbers(study: DynamicStudy, coordinates: Iterable[int]) -> NDArray[np.int64]:
    """Numbers of some coordinates among those that are free."""
    return np.searchsorted(study.built.model.free, list(coordinates))


def gears_turned(study: DynamicStudy, x: Array) -> Array:
    """Rotations of both gears in the running direction from the pitch-point contact of pair 0, shape (2,) [rad]."""
    mesh = study.built.contacts[MESH]
    return mesh.turned(x[mesh.coordinates])


def mesh_solver(study: DynamicStudy | StaticStudy) -> MeshSolver:
    """Solver of the mesh of a study, its gears on fixed axes."""
    assert study.case.preset is not None
    return MeshSolver.of(study.case.preset, study.prepared[MESH].contact)


def drive_at(study: DynamicStudy, phase: float) -> dict[str, float]:
    """Rotation of the drive [rad] at which the driver of a study without torsional shafts is at a phase [pitches]."""
    mesh = study.built.contacts[MESH]
    return {DRIVE: phase * float(mesh.contact.pitch_angle[mesh.driving]) - float(mesh.angle[mesh.driving])}


def equilibria_of(case: Case, prepared: PreparedPair) -> MachineSolver:
    """Equilibria of a pair at rest, whose teeth change half a pitch beside the pitch point."""
    return MachineSolver(machine_of(case), {MESH: prepared}, {MESH: prepared.window(-0.5)})


def at_phase(solver: MachineSolver, phase: float) -> MachinePosition:
    """Equilibrium where the driven gear of a pair is at a phase [pitches]."""
    mesh, place = solver.system.contacts[MESH], solver.layout.place(MESH)
    driven = 1 - place.driving
    turned = phase * float(mesh.contact.pitch_angle[driven]) - float(mesh.angle[driven])
    return solver.solve({DRIVE: turned / place.ratios[driven]})


def prescribed(study: DynamicStudy) -> PrescribedRotation:
    """Rotation of the drive of a study."""
    (drive,) = study.built.model.prescribed
    return drive.motion


def gear_rotation(study: DynamicStudy, gear: int) -> int:
    """Coordinate that turns a gear, about +z."""
    return study.built.rotation(numbering.GEARS[gear])


def driven_speed(study: DynamicStudy) -> float:
    """Speed of perfect gears at t = 0: of the driven one, about +z [rad/s]."""
    mesh = study.built.contacts[MESH]
    driven = 1 - mesh.driving
    assert mesh.nominal is not None
    return float(numbering.SPIN[driven] * mesh.nominal.speed(0.0)[driven])


def missing_energy(dataset: xr.Dataset) -> Array:
    """What was put in less what is lost and what is there more than at the start [J], by output time."""
    missing = (
        dataset.energy_input - dataset.energy_dissipated - dataset.energy_kinetic - dataset.energy_elastic
    ).values
    return np.asarray(missing - missing[0], dtype=np.float64)
