"""Static study: equilibrium of all shafts, bearings and meshes at positions of the train."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.case.analysis import MachineStatic
from alegear.checks.pressed_flanks import planets_pressed, warnings_of
from alegear.contact.forces import N_SHIFTS, N_TURNS, MeshForces, mesh_stiffness
from alegear.contact.numbering import PINION
from alegear.drivetrain.gear_mesh import MeshLoads, MeshPlace
from alegear.drivetrain.laws.lossy import Lossy
from alegear.progress import Progress
from alegear.recording.machine import MachineRecord
from alegear.recording.recorder import ContactBlock, ContactRecorder
from alegear.results.contact_result import ContactHistory
from alegear.results.machine_result import MachineHistory
from alegear.results.variables import SUPPORTS
from alegear.storage.recorded_samples import RecordedSamples
from alegear.studies.equilibria import MachinePosition, MachineSolver
from alegear.studies.fields import FieldFrame
from alegear.studies.meshes import small_displacements, squeezed_teeth, values_of_meshes
from alegear.studies.reference_pitch import planned_drives, turned_drives
from alegear.studies.tooth_window import windows_of

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.reduction.normal_modes import NormalModes
    from alegear.results.root_fillet import RootFillet
    from alegear.studies.preparation import PreparedPair


#: Positions with fields of a machine that names no number: of a wide helical mesh one is 7 MB and takes 0.2 to 0.6 s.
FIELD_POSITIONS = 8


class StaticStudy:
    """All positions of a static case.

    Parameters
    ----------
    case : MachineCase
    prepared : mapping of str to PreparedPair
        Of the meshes that are contacts.
    turned : shape (n,), optional [rad]
        Rotations of the reference mesh's drive at the positions, since half a pitch before pair 0 is central; default:
        as the analysis plans them.

    Attributes
    ----------
    solver : MachineSolver
    recorders : dict of ContactRecorder
        Of each flexible mesh.
    positions : list of MachinePosition
    """

    def __init__(self, case: MachineCase, prepared: Mapping[str, PreparedPair], *, turned: Array | None = None) -> None:
        assert isinstance(case.analysis, MachineStatic)
        self._turned = turned
        self.case, self.analysis, self.prepared = case, case.analysis, prepared
        self.windows = windows_of(case, prepared)
        self.solver = MachineSolver(case, prepared, self.windows)
        self.record = MachineRecord(self.solver.system)
        self.recorders = {
            name: ContactRecorder(
                contact=one.contact, wheels=prepared[name].wheels, points=prepared[name].tooth_points()
            )
            for name, one in self.solver.system.contacts.items()
        }
        for recorder in self.recorders.values():
            n_pairs = self.analysis.pitches + recorder.n_slots
            recorder.fillet = recorder.fits_point_by_point(len(self.planned), n_pairs)
        self.positions: list[MachinePosition] = []
        self.displacements = small_displacements(case)

    @property
    def planned(self) -> Array:
        """Rotations of the reference mesh's drive [rad], in its sense, if gears were perfect; one without meshes."""
        return planned_drives(self.case, self.analysis) if self._turned is None else self._turned

    def angles(self, turned: float) -> dict[str, float]:
        """Rotations of all drives where that of the counted mesh has turned on so far: as their speeds have it."""
        return turned_drives(self.case, turned, self.analysis.mesh)

    def run(self, progress: Progress) -> None:
        """Solve every position in turn, each from the displacements of the one before.

        Raises
        ------
        NonConvergence
        """
        before, planned = None, self.planned
        for i, turned in enumerate(planned.tolist()):
            before = self.solver.solve(self.angles(turned), before)
            self.positions.append(before)
            for name, recorder in self.recorders.items():
                recorder.add(ContactBlock.of(before.forces[name], before.first_pair[name]))
            for place in self.case.layout.meshes:
                shifts = self.solver.system.shifts(place, before.x)
                self.displacements[place.mesh.name].update(shifts, self._where(place, before))
            progress.advance(i + 1, len(planned))

    def _where(self, place: MeshPlace, position: MachinePosition) -> str:
        if place.mesh.name in self.recorders:
            return f"phase {self.phases(place, [position])[0]:.6g}"
        return f"drive turned by {position.angle:.6g} rad"

    # ---------------------------------------------------------------- results
    def __len__(self) -> int:
        """Return the number of positions solved."""
        return len(self.positions)

    def all_warnings(self) -> list[str]:
        """What the results are to be read with caution for."""
        found = [f"mesh {name}: {warning}" for name, own in self.displacements.items() for warning in own.warnings()]
        found += self._pressed_flanks()
        model = self.solver.system.model
        if model.locked:
            held = ", ".join(model.locked)
            found.append(f"{held}: taken as locked at rest, whatever their signals and the torques they can carry")
        lossy = [mesh.name for mesh in self.case.meshes if isinstance(mesh.law, Lossy)]
        lossy += [part.name for part in self.case.parts if part.has_tooth_friction]
        without = ", ".join(dict.fromkeys([*model.left_out, *lossy]))
        if without:
            found.append(f"{without}: friction and losses are left out at rest; a dynamic analysis has them")
        return found

    def _pressed_flanks(self) -> list[str]:
        """Which flanks press that the torques do not load."""
        if not self.positions:
            return []
        x = np.array([one.x for one in self.positions])
        squeezed = squeezed_teeth(self.case)
        multipliers = np.array([one.equilibrium.multipliers for one in self.positions])
        for place in self.case.layout.meshes:
            if place.mesh.name not in self.solver.system.contacts:
                squeezed[place.mesh.name].update(self._loads(place, x, multipliers).sides)
        planets = self.record.planets
        return [*warnings_of(squeezed), *planets_pressed(planets.in_frames, planets.names, planets.values(x, 0.0 * x))]

    def history(self) -> MachineHistory:
        """Shafts, bearings and meshes as a whole."""
        record, positions = self.record, self.positions
        x = np.array([one.x for one in positions])
        multipliers = np.array([one.equilibrium.multipliers for one in positions])
        loads = [self._loads(place, x, multipliers) for place in self.case.layout.meshes]
        return MachineHistory(
            sample_dim="position",
            names=record.names,
            samples=RecordedSamples.of(
                {
                    "position": np.arange(len(positions)),
                    "drive_angle": np.array([one.angle for one in positions]),
                    "torque": np.array([self._torques(one) for one in positions]),
                    **values_of_meshes(loads, len(positions)),
                    **record.values(x, np.zeros_like(x)),
                }
            ),
            ratio=record.ratio,
            gear_place=record.gear_place,
        )

    def _torques(self, position: MachinePosition) -> Array:
        """Torques of drives and loads on each shaft, about its direction: what is applied, and what holds the train."""
        system, solver = self.solver.system, self.solver
        reactions = position.equilibrium.reactions
        torques = solver.applied | {at: reactions[system.model.names[at]] for at in solver.balancing}
        return np.array(
            [sum(torques.get(int(at), 0.0) for at in system.turned[shaft.name]) for shaft in self.case.shafts]
        )

    def _loads(self, place: MeshPlace, x: Array, multipliers: Array) -> MeshLoads:
        """What a mesh carries at all positions: a contact as it was recorded, another as it says."""
        name = place.mesh.name
        if name not in self.solver.system.contacts:
            return self.solver.system.loads(place, x, np.zeros_like(x), multipliers)
        forces = [one.forces[name] for one in self.positions]
        return MeshLoads(
            force=np.array([one.force_on_pinion @ place.axes for one in forces]),
            moment=np.array([one.moment_on_pinion @ place.axes for one in forces]),
            stiffness=np.array([_stiffness(place, one) for one in forces]),
        )

    @property
    def modes(self) -> Mapping[str, tuple[NormalModes, NormalModes]]:
        """Normal modes in which wheels vibrate, by mesh: none in equilibrium."""
        return {}

    def mesh_history(self, mesh: str, weight: Array | None = None) -> ContactHistory:
        """Contact of a mesh, as that of a pair; its phases are those of perfect gears.

        Parameters
        ----------
        mesh : str
        weight : shape (2, 3), optional [N]
            Of both gears with what sits on them, in the frame of the mesh, where what they load their supports with is
            wanted.
        """
        place, history = self.case.layout.place(mesh), self.history()
        number, (pairs, values) = list(history.names["mesh"]).index(mesh), self.recorders[mesh].by_pair()
        values["phase"] = self.phases(place, self.positions)
        values |= {name: history.samples.read(name)[:, number] for name in ("transmission_error", "mesh_stiffness")}
        if weight is not None:
            values |= self._supports(mesh, weight)
        return ContactHistory.of(values, pairs=pairs, **self.recorders[mesh].places())

    def phases(self, place: MeshPlace, positions: Sequence[MachinePosition]) -> Array:
        """Phases of perfect gears at positions, of the driven gear of a mesh [pitches]."""
        driven, layout = 1 - place.driving, self.case.layout
        drive = layout.drive_of[layout.gears[place.mesh.gears[0]].shaft]
        angle = np.array([one.angles[drive.name] for one in positions])
        pitch = 2.0 * math.pi / place.pair.gears[driven].z
        phases: Array = (layout.phases[place.mesh.name][driven] + place.ratios[driven] * angle) / pitch
        return phases

    def peak_to_peak(self, mesh: str, positions: slice = slice(None)) -> float:
        """Peak-to-peak transmission error of a mesh over some positions [m]."""
        return float(np.ptp([self.solver.transmission_error(mesh, one) for one in self.positions[positions]]))

    def missed(self, mesh: str) -> float:
        """By how much the loads of a mesh miss its torque at most, over that torque.

        Positions are known to round-off, and loads no better than that allows.
        """
        wanted = self.solver.solvers[mesh].torque
        sums = np.array([one.forces[mesh].torque[PINION] for one in self.positions])
        return float(np.max(np.abs(np.abs(sums) - abs(wanted)), initial=0.0) / abs(wanted))

    def _supports(self, mesh: str, weight: Array) -> dict[str, Array]:
        """Displacements and tilts of both gears of a mesh, and forces and moments on their supports, by variable."""
        element = self.solver.system.contacts[mesh]
        loads = np.array([one.forces[mesh].force[N_TURNS : N_TURNS + 2 * N_SHIFTS] for one in self.positions])
        loads = loads.reshape(-1, 2, N_SHIFTS)
        loads[:, :, :3] += weight
        moved = element.displacements(np.array([one.x[element.coordinates] for one in self.positions]))
        return dict(zip(SUPPORTS, (moved[..., :3], moved[..., 3:], loads[..., :3], loads[..., 3:]), strict=True))

    def root_cycle(self, mesh: str) -> RootFillet | None:
        """Stress of the roots of a mesh over the cycle of a tooth; None of less than a pitch."""
        return self.mesh_history(mesh).root_cycle

    # ----------------------------------------------------------------- fields
    @property
    def shown(self) -> list[MachinePosition]:
        """Positions whose fields are written: evenly some of them, of two gears by themselves all."""
        several = FIELD_POSITIONS if self.case.preset is None else len(self.positions)
        return self.positions[:: math.ceil(len(self.positions) / (self.case.output.field_positions or several))]

    def shown_angles(self) -> dict[str, list[float]]:
        """Rotation of each drive in its sense at the positions that are shown [rad]."""
        return {name: [one.angles[name] for one in self.shown] for name in self.case.layout.drives}

    def frames(self, mesh: str) -> list[FieldFrame]:
        """What the fields of a mesh are made from, at the positions that are shown."""
        place, element = self.case.layout.place(mesh), self.solver.system.contacts[mesh]
        return [
            FieldFrame.of_mesh(float(phase), element, one.x, one.first_pair[mesh], one.forces[mesh].face_force)
            for phase, one in zip(self.phases(place, self.shown), self.shown, strict=True)
        ]


def _stiffness(place: MeshPlace, forces: MeshForces) -> float:
    assert forces.torque_phi is not None
    return mesh_stiffness(forces.torque_phi, np.array([gear.r_b for gear in place.pair.gears]), place.driving)
