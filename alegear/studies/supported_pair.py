"""Equilibria of two gears on bearings at phases of the driven gear, as :class:`MeshSolver` has them of fixed axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from alegear.ale import ToothWindow
from alegear.case.pair_machine import MESH, machine_of
from alegear.contact.forces import mesh_stiffness
from alegear.contact.numbering import PINION
from alegear.studies.equilibria import MachinePosition, MachineSolver
from alegear.studies.mesh_solver import StaticPosition
from alegear.studies.reference_pitch import START_PHASE, pitch_of_drive, turned_drives
from alegear.studies.tooth_window import windows_of

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.studies.preparation import PreparedPair


class SupportedPair:
    """Two gears of which one gives way.

    Parameters
    ----------
    case : Case
    prepared : PreparedPair
        With the contact of this case.
    """

    def __init__(self, case: Case, prepared: PreparedPair) -> None:
        self.machine = machine_of(case)
        (self._place,) = self.machine.layout.meshes
        self._prepared = {MESH: prepared}
        self._solver = MachineSolver(self.machine, self._prepared, {MESH: prepared.window(0.0)})
        self._before: MachinePosition | None = None

    def window(self) -> ToothWindow:
        """The window whose teeth change at the phase of the case, or where no tooth outside carries."""
        return windows_of(self.machine, self._prepared)[MESH]

    def solve(self, phase: float, first_pair: int, guess: float | None = None) -> StaticPosition:
        """Solve one position; `guess` is of no use, the position before is.

        Raises
        ------
        NonConvergence
        """
        angles = turned_drives(self.machine, (phase - START_PHASE) * pitch_of_drive(self._place))
        self._before = position = self._solver.solve(angles, self._before, {MESH: first_pair})
        forces, mesh = position.forces[MESH], self._solver.system.contacts[MESH]
        assert forces.torque_phi is not None
        r_b = np.array([gear.r_b for gear in self._place.pair.gears])
        return StaticPosition(
            deflection=-self._solver.transmission_error(MESH, position),
            mesh_stiffness=mesh_stiffness(forces.torque_phi, r_b, self._place.driving),
            forces=forces,
            off=abs(abs(float(forces.torque[PINION])) - abs(self._solver.solvers[MESH].torque)),
            displacement=mesh.displacements(position.x[mesh.coordinates]),
        )
