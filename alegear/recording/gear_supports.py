"""Displacements of the two gears of a pair and what they load their supports with, from states of their machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array, Mask
from alegear.case.pair_machine import bearing_name
from alegear.contact.numbering import GEARS

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.recording.machine import MachineRecord


class GearSupports:
    """What the results of a pair say of that which holds its gears.

    Parameters
    ----------
    case : Case
        The pair.
    record : MachineRecord
        Of its machine.
    mesh : str
    masses : sequence of float [kg]
        Of both gears.
    """

    def __init__(self, case: Case, record: MachineRecord, mesh: str, masses: Sequence[float]) -> None:
        self._record, self._mesh = record, record.system.contacts[mesh]
        self._vibrating = record.system.vibrating.get(mesh, (None, None))
        self._bearings = [
            None if support is None else record.bearings.index(bearing_name(name))
            for name, support in zip(GEARS, case.supports, strict=True)
        ]
        #: Weight of both gears with what sits on them, where one of them gives way, (2, 3) [N].
        self.weight = np.zeros((2, 3))
        if self.displaced:
            added = [0.0 if support is None else support.added_mass for support in case.supports]
            self.weight = np.outer(np.add(masses, added), case.operation.gravity)

    @property
    def displaced(self) -> bool:
        """Whether a gear gives way."""
        return any(bearing is not None for bearing in self._bearings)

    @property
    def on_fixed_axes(self) -> Mask:
        """Which gears do not give way, shape (2,)."""
        return np.array([bearing is None for bearing in self._bearings])

    def values(self, resultant: Array, x: Array, v: Array, a: Array) -> dict[str, Array]:
        """Displacements, tilts, and forces and moments on what holds the gears, in the frame of the mesh.

        On bearings what these carry; on fixed axes the contact forces and weight, less the rate of the momentum of
        normal modes, and no moments.

        Parameters
        ----------
        resultant : shape (m, 3) [N]
            Contact force on the pinion.
        x, v, a : shape (m, n)
        """
        force, moment = self.carried(x, v)
        for gear, wheel in enumerate(self._vibrating):
            if not self.on_fixed_axes[gear]:
                continue
            force[:, gear] = (-resultant if gear else resultant) + self.weight[gear]
            if wheel is not None:
                force[:, gear] -= wheel.momentum_rate(x, v, a)
        if not self.displaced:
            return {"bearing_force": force}
        moved = self._moved(x)
        return {
            "bearing_force": force,
            "bearing_moment": moment,
            "displacement": moved[:, :, :3],
            "tilt": moved[:, :, 3:],
        }

    def carried(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Forces (m, 2, 3) [N] and moments (m, 2, 2) [N m] on the bearings; zero for gears on fixed axes."""
        found = self._record.bearing_forces(x, v)
        force, moment = np.zeros((len(x), 2, 3)), np.zeros((len(x), 2, 2))
        for gear, bearing in enumerate(self._bearings):
            if bearing is not None:
                force[:, gear] = found["bearing_force"][:, bearing]
                moment[:, gear] = found["bearing_moment"][:, bearing, :2]
        return force, moment

    def displacements(self, x: Array) -> Array:
        """Of both gears in the frame of the mesh, shape (m, 2, 3) [m]."""
        return self._moved(x)[:, :, :3]

    def _moved(self, x: Array) -> Array:
        return self._mesh.displacements(x[:, self._mesh.coordinates])
