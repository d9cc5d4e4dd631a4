"""Modal study of a machine: natural vibrations about its equilibrium, standing still and turning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.case.machine_analysis import MachineStatic
from alegear.case.modal import ModalAnalysis
from alegear.progress import Progress
from alegear.recording.machine import MachineRecord
from alegear.results.machine_modes import MachineModes
from alegear.study.dynamic import STIFFNESS_POSITIONS
from alegear.study.machine.static import MachineStaticStudy
from alegear.system.linearised import Linearised
from alegear.system.modes import SystemModes, complex_modes, real_modes
from alegear.system.profiles import PiecewiseCubic

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.study.preparation import PreparedPair

Array = NDArray[np.float64]


class MachineModalStudy:
    """Modes of a machine on the mean stiffness of its meshes under load.

    The tangents of the contact, in rotations and displacements of both gears, are averaged over a pitch of the mesh
    whose teeth follow each other most slowly. Drives stand still, or turn as they are led.
    """

    def __init__(self, case: MachineCase, prepared: Mapping[str, PreparedPair]) -> None:
        assert isinstance(case.analysis, ModalAnalysis)
        self.case, self.prepared, self.analysis = case, prepared, case.analysis
        positions = MachineStatic(positions_per_pitch=STIFFNESS_POSITIONS) if case.layout.meshes else MachineStatic()
        self.static = MachineStaticStudy(replace(case, analysis=positions), prepared)
        self.modes: SystemModes | None = None
        self.turning: SystemModes | None = None

    def __len__(self) -> int:
        """Return the number of modes found."""
        return 0 if self.modes is None else len(self.modes.frequencies)

    def run(self, progress: Progress) -> None:
        """Solve the positions, then the modes.

        Raises
        ------
        NonConvergence
        """
        self.static.run(progress)
        parts = {}
        for place in self.case.layout.meshes:
            name = place.mesh.name
            ready = replace(self.static.solver.ready[name], tangents=self._tangents(name))
            parts[name] = place.mesh.law.in_modes(ready)
        still = {drive.name: PiecewiseCubic.constant(0.0) for drive in self.case.drives}
        loaded, x = self.static.solver.system.model, np.array([one.x for one in self.static.positions])
        bearings = [bearing.linearised(loaded, x) for bearing in self.case.bearings]
        self.system = self.case.machine.build(parts, speeds=still, locked=True, bearings=bearings)
        n = self.analysis.n_modes
        self.modes = real_modes(Linearised.of(self.system.model)).elastic().lowest(n)
        speeds = {drive.name: abs(drive.largest_speed or 0.0) for drive in self.case.drives}
        v = np.sum([self.system.nominal(drive, speed) for drive, speed in speeds.items()], axis=0)
        self.turning = complex_modes(Linearised.of(self.system.model, v=v)).elastic().lowest(n)

    def _tangents(self, mesh: str) -> list[Array]:
        """Derivatives of the forces of a contact by its coordinates at all positions; of another mesh none."""
        found = [one.forces[mesh].by_coordinate for one in self.static.positions if mesh in one.forces]
        return [tangent for tangent in found if tangent is not None]

    def all_warnings(self) -> list[str]:
        """What the results are to be read with caution for."""
        return self.static.all_warnings()

    def history(self) -> MachineModes:
        """What was found."""
        assert self.modes is not None
        assert self.turning is not None
        parts, shares = self.modes.energy_shares()
        names, sums = _headings(self.case, parts)
        record = MachineRecord(self.system)
        shapes = np.real(self.modes.shapes).T
        shapes /= np.abs(shapes).max(axis=1, initial=0.0)[:, None]
        moved = record.displacements(shapes)
        _, whirl = self.turning.whirl()
        return MachineModes(
            frequency=self.modes.frequencies / (2.0 * math.pi),
            parts=names,
            energy_share=sums @ shares,
            turning_energy_share=sums @ self.turning.energy_shares()[1],
            turning_frequency=self.turning.frequencies / (2.0 * math.pi),
            damping_ratio=self.turning.damping_ratios,
            whirl=self.turning.whirl_of_modes() if len(whirl) else np.zeros(len(self.turning.frequencies)),
            shafts=tuple(shaft.name for shaft in self.case.shafts),
            rotation=record.rotations(shapes),
            places=tuple(record.places),
            displacement=moved["displacement"],
            tilt=moved["tilt"],
            speed={name: speed * 30.0 / math.pi for name, speed in self._speeds().items()},
        )

    def _speeds(self) -> dict[str, float]:
        layout = self.case.layout
        return {
            shaft.name: layout.ratio[shaft.name] * abs(layout.drive_of[shaft.name].largest_speed or 0.0)
            for shaft in self.case.shafts
        }


def _headings(case: MachineCase, parts: tuple[str, ...]) -> tuple[tuple[str, ...], Array]:
    """Shafts as a whole in place of their stretches: the names, and which parts each of them is made of."""
    names: list[str] = []
    of = []
    for part in parts:
        plain = part.removeprefix("modes of ")
        shaft = next((one.name for one in case.shafts if plain.startswith(f"{one.name}@")), part)
        if shaft not in names:
            names.append(shaft)
        of.append(names.index(shaft))
    sums = np.zeros((len(names), len(parts)))
    sums[of, np.arange(len(parts))] = 1.0
    return tuple(names), sums
