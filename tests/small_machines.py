"""Small machines on coarse grids, and what tests of machines need around them."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np

from alegear.case.analysis import MachineStatic
from alegear.case.machine import MachineCase
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.gear_mesh import GearMesh
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.laws.flexible import Flexible
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.shaft import Shaft
from alegear.geometry.cylindrical_gear import Gear
from alegear.geometry.microgeometry import Microgeometry
from alegear.mesh.grid_options import GridOptions
from alegear.progress import Silent
from alegear.studies.equilibria import MachineSolver
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.preparation import prepare_meshes
from alegear.studies.static import StaticStudy
from alegear.studies.tooth_window import default_threshold

MODULE = 4e-3
COARSE = GridOptions(
    flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4, order=1
)
TEETH = (20, 30, 25)
TORQUE = 400.0  # N m, of the drive


def gear(z: int, *, m_n: float = MODULE, b: float = 20e-3, beta: float = 0.0, allowance: float = 40e-6, **changes):
    """A solid gear whose bore is half the root circle."""
    micro = Microgeometry(**changes)
    bore = round(0.5 * m_n * (z / math.cos(beta) - 2.5), 6)
    return Gear(z=z, m_n=m_n, b=b, beta=beta, bore_diameter=bore, thickness_allowance=allowance, microgeometry=micro)


def distance(first: int, second: int, m_n: float = MODULE, beta: float = 0.0) -> float:
    """Reference centre distance [m]."""
    return 0.5 * m_n * (first + second) / math.cos(beta)


def flexible(name: str, first: str, second: str) -> GearMesh:
    """A flexible mesh with nothing said about it."""
    return GearMesh(name=name, gears=(first, second), law=Flexible())


def polar(radius: float, angle: float) -> np.ndarray:
    """A vector in the plane z = 0."""
    return radius * np.array([math.cos(angle), math.sin(angle), 0.0])


def idler(angle: float = -math.pi / 3.0, *, directions=(1.0, 1.0, 1.0), speed: float = 100.0, **changes) -> MachineCase:
    """Three spur gears in a row on hinges; the second mesh at an angle to the first, shafts along +z or -z."""
    a, b = distance(*TEETH[:2]), distance(*TEETH[1:])
    positions = [np.zeros(3), polar(a, 0.0), polar(a, 0.0) + polar(b, angle)]
    fields = {
        "shafts": tuple(
            Shaft(name=f"s{i}", fixed_axis=True, position=at, direction=(0.0, 0.0, way))
            for i, (at, way) in enumerate(zip(positions, directions, strict=True))
        ),
        "gears": tuple(
            ShaftGear(name=f"g{i}", shaft=f"s{i}", at=0.0, gear=gear(z), grid_options=COARSE)
            for i, z in enumerate(TEETH)
        ),
        "meshes": (flexible("first", "g0", "g1"), flexible("second", "g1", "g2")),
        "drives": (Drive(name="motor", shaft="s0", speed=speed),),
        "loads": (TorqueLoad(name="machine", shaft="s2", torque=TORQUE * TEETH[2] / TEETH[0]),),
        "analysis": MachineStatic(positions_per_pitch=4),
    }
    return MachineCase(**{**fields, **changes})


def one_stage(
    *,
    beta: float = 0.2,
    stiffness=((2e8, 2e8, 5e7), (2e8, 2e8, 0.0)),
    rigid: bool = False,
    fidelity: str = "flexible",
    pinion_at: float = 50e-3,
    **changes,
) -> MachineCase:
    """A helical pair 20/30; each shaft on two bearings that do not resist tilt, the first of which holds it axially."""
    a = distance(20, 30, beta=beta)
    fields = {
        "shafts": (
            Shaft(name="in", sections=[[120e-3, 30e-3, 0.0]], rigid=rigid, highest_mode=None),
            Shaft(
                name="out", sections=[[120e-3, 40e-3, 10e-3]], position=(a, 0.0, 0.0), rigid=rigid, highest_mode=None
            ),
        ),
        "gears": (
            ShaftGear(name="p", shaft="in", at=pinion_at, gear=gear(20, beta=beta), grid_options=COARSE),
            ShaftGear(name="w", shaft="out", at=pinion_at, gear=gear(30, beta=-beta), grid_options=COARSE),
        ),
        "meshes": (GearMesh(name="mesh", gears=("p", "w"), law=law_of(fidelity, "mesh")),),
        "bearings": tuple(
            Bearing(name=f"{shaft}_{side}", shaft=shaft, at=at, stiffness=k)
            for shaft in ("in", "out")
            for side, at, k in (("left", 10e-3, stiffness[0]), ("right", 110e-3, stiffness[1]))
        ),
        "drives": (Drive(name="motor", shaft="in", speed=100.0, torque=200.0),),
        "loads": (TorqueLoad(name="machine", shaft="out", at=120e-3, balances_drive=True),),
        "analysis": MachineStatic(positions_per_pitch=2),
    }
    return MachineCase(**{**fields, **changes})


def solver_of(case: MachineCase, prepared=None) -> MachineSolver:
    """The solver of a case, windows as a study has them."""
    prepared = prepare_meshes(case, Silent(), lambda: None, fields=False) if prepared is None else prepared
    windows = {}
    for place in case.layout.meshes:
        name = place.mesh.name
        if name in prepared:
            alone = MeshSolver.of(case.pair_case(place), prepared[name].contact)
            windows[name] = prepared[name].window(default_threshold(alone))
    return MachineSolver(case, prepared, windows)


def solved(case: MachineCase) -> StaticStudy:
    """A study whose positions are solved."""
    study = StaticStudy(case, prepare_meshes(case, Silent(), lambda: None, fields=False))
    study.run(Silent())
    return study


def turned_in_space(case: MachineCase, rotation: np.ndarray, shift: np.ndarray) -> MachineCase:
    """The whole machine turned, then moved. A new direction of the axes of a shaft needs stiffness that is round."""
    shafts = tuple(
        replace(shaft, position=rotation @ shaft.position + shift, direction=rotation @ shaft.direction)
        for shaft in case.shafts
    )
    return replace(case, shafts=shafts, gravity=tuple((rotation @ np.array(case.gravity)).tolist()))


def reversed_shaft(case: MachineCase, name: str) -> MachineCase:
    """The same machine, one shaft described from its other end: nothing in space changes."""
    length = next(shaft.length for shaft in case.shafts if shaft.name == name)

    def other(part):
        if part.shaft != name:
            return part
        changes = {"at": length - part.at}
        if isinstance(part, ShaftGear):
            changes["gear"] = part.gear.with_microgeometry(part.gear.microgeometry.from_other_end())
        if isinstance(part, Drive):
            changes["speed"] = -part.speed
        return replace(part, **changes)

    shafts = tuple(
        replace(
            shaft,
            position=shaft.point(length),
            direction=-np.asarray(shaft.direction),
            sections=np.asarray(shaft.sections)[::-1],
        )
        if shaft.name == name
        else shaft
        for shaft in case.shafts
    )
    parts = {what: tuple(map(other, getattr(case, what))) for what in ("gears", "bearings", "drives", "loads")}
    return replace(case, shafts=shafts, **parts)


@cache
def space() -> np.ndarray:
    """Some rotation matrix that mixes all axes."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec([0.7, -1.1, 2.0]).as_matrix()


def unbalanced(study: StaticStudy) -> dict[str, np.ndarray]:
    """Forces and moments in space that are left on each shaft, about the origin of space: shape (m, 6) [N, N m].

    From what the results say: mesh forces and their moments about the mid-face of the first gear, bearing forces and
    moments, torques of drives and loads as they are in equilibrium.
    """
    layout, values = study.case.layout, study.history().values
    labels = study.history().labels
    left = {name: np.zeros((len(study.positions), 6)) for name in layout.shafts}

    def act(shaft: str, point: np.ndarray, force: np.ndarray, moment: np.ndarray) -> None:
        left[shaft][:, :3] += force
        left[shaft][:, 3:] += moment + np.cross(point, force)

    for m, place in enumerate(layout.meshes):
        force, moment = values["mesh_force"][:, m], values["mesh_moment"][:, m]
        for sign, name in zip((1.0, -1.0), place.mesh.gears, strict=True):
            act(layout.gears[name].shaft, layout.centre(place.mesh.gears[0]), sign * force, sign * moment)
    for b, name in enumerate(labels["bearing"]):
        bearing = next(one for one in study.case.bearings if one.name == name)
        point = layout.shafts[bearing.shaft].point(bearing.at)
        force, moment = values["bearing_force"][:, b], values["bearing_moment"][:, b]
        act(bearing.shaft, point, -force, -moment)
        if bearing.to in layout.shafts:
            act(bearing.to, point, force, moment)
    for s, (name, shaft) in enumerate(layout.shafts.items()):
        act(name, shaft.point(0.0), np.zeros(3), values["torque"][:, s, None] * shaft.axes[2])
    return left


class Stopped(Exception):
    """Stands for the kill."""


class StopAfter(Silent):
    """Ends a run when it has shown its progress so often."""

    def __init__(self, times: int) -> None:
        self.left = times

    def advance(self, done: int, total: int) -> None:
        if total == 1000:  # of the motion
            self.left -= 1
            if self.left < 0:
                raise Stopped
