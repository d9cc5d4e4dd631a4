"""Flexible mesh in a modal study: normal modes of both wheels, and the contact linearised about each position."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.contact.forces import MeshMotion
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.face_modes import window_teeth
from alegear.contact.hertz.linearised import LinearisedContact
from alegear.contact.numbering import PINION, WHEEL
from alegear.drivetrain.gear_mesh import MeshPlace
from alegear.drivetrain.laws.flexible import LinearisedTeeth
from alegear.drivetrain.normal_modes import GearModes, face_modes
from alegear.parallel import in_parallel
from alegear.reduction.normal_modes import FreeModes, NormalModes, stored_held_and_free_modes
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.meshes import vibrating_gears

if TYPE_CHECKING:
    from alegear.drivetrain.flexible import FlexibleMesh
    from alegear.studies.equilibria import MachinePosition
    from alegear.studies.preparation import PreparedPair


@dataclass(frozen=True, kw_only=True, eq=False)
class VibratingTeeth:
    """Mesh about one position, for the modes of a machine.

    Attributes
    ----------
    teeth : LinearisedTeeth
        With what the normal modes leave of the compliance.
    wheels : (GearModes, GearModes) or None
        Normal modes of both gears; None: wheels without elastic inertia.
    spread : shape (n,)
        Part of each point of contact in the load.
    """

    teeth: LinearisedTeeth
    wheels: tuple[GearModes, GearModes] | None
    spread: Array


@dataclass(kw_only=True, eq=False)
class MeshModes:
    """Normal modes of the wheels of a flexible mesh, and what positions of its teeth give one after the other.

    Parameters
    ----------
    place : MeshPlace
    prepared : PreparedPair
    alone : MeshSolver
        Both gears on fixed axes, under the torque that they carry.
    held, free : of both gears
        Modes with the bore held, and without support.
    n : int
        How many normal modes of each gear vibrate.

    Attributes
    ----------
    stiffness : list of float [N/m]
        On fixed axes, at each position.
    shares : list of (Array, Array)
        Part of the static deflection that each held mode of pinion and wheel takes there; of line contacts.
    """

    place: MeshPlace
    prepared: PreparedPair
    alone: MeshSolver
    held: tuple[NormalModes, NormalModes]
    free: tuple[FreeModes, FreeModes]
    n: int
    stiffness: list[float] = field(default_factory=list)
    shares: list[tuple[Array, Array]] = field(default_factory=list)
    _deflection: float | None = None

    @classmethod
    def of(cls, place: MeshPlace, prepared: PreparedPair, alone: MeshSolver, *, listed: int, n: int) -> MeshModes:
        """Find the modes of both wheels, as many as are listed and as vibrate."""

        tasks = [
            partial(stored_held_and_free_modes, wheel.sector, wheel.material, max(listed, n), listed)
            for wheel in prepared.wheels
        ]
        (held_1, free_1), (held_2, free_2) = in_parallel(tasks)
        return cls(place=place, prepared=prepared, alone=alone, held=(held_1, held_2), free=(free_1, free_2), n=n)

    @property
    def mesh_stiffness(self) -> float:
        """Mean over the positions [N/m]."""
        return float(np.mean(self.stiffness))

    @property
    def deflection_shares(self) -> list[Array] | None:
        """Mean of the shares over the positions, of both gears; None where the contact does not tell them."""
        if not self.shares:
            return None
        return [np.mean([one[gear] for one in self.shares], axis=0) for gear in (PINION, WHEEL)]

    @cached_property
    def _vibrating_modes(self) -> tuple[NormalModes, NormalModes]:
        """Of both gears; equal modes are not divided. They keep what all positions ask for."""
        return self.held[PINION].lowest(self.n), self.held[WHEEL].lowest(self.n)

    def at(self, mesh: FlexibleMesh, position: MachinePosition, phase: float) -> VibratingTeeth | None:
        """Linearise about the next position, and keep its mesh stiffness and shares for the means.

        Parameters
        ----------
        mesh : FlexibleMesh
            The element of the system whose equilibrium it is.
        position : MachinePosition
        phase : float [pitches]
            Of the driven gear.

        Returns
        -------
        VibratingTeeth or None
            None where the law knows no compliance of its points.

        Raises
        ------
        NonConvergence
        """
        name = self.place.mesh.name
        first_pair = position.first_pair[name]
        on_fixed_axes = self.alone.solve(phase, first_pair, self._deflection)
        self._deflection = on_fixed_axes.deflection
        self.stiffness.append(on_fixed_axes.mesh_stiffness)
        contact = mesh.contact
        if not isinstance(contact, LineContact):
            return None
        y = position.x[mesh.coordinates]
        phi = mesh.turned(y) - first_pair * np.asarray(contact.pitch_angle)
        motion = MeshMotion(phi=phi, first_pair=first_pair, displacement=mesh.displacements(y))
        linear = contact.linearise(contact.new_data(displaced=mesh.displaced), motion)
        return self._vibrating(contact, linear, first_pair)

    def _vibrating(self, contact: LineContact, linear: LinearisedContact, first_pair: int) -> VibratingTeeth:
        stiffness, wheels = self.stiffness[-1], self.prepared.wheels
        shapes = [
            face_modes(modes, wheel).on_teeth(window_teeth(contact.n_pairs, gear, first_pair))
            for gear, (modes, wheel) in enumerate(zip(self.held, wheels, strict=True))
        ]
        opened = linear.opened(shapes)
        spread: Array = linear.force / linear.force.sum()
        of_pinion, of_wheel = (
            stiffness * (spread @ L / modes.frequencies) ** 2 for L, modes in zip(opened, self.held, strict=True)
        )
        self.shares.append((of_pinion, of_wheel))
        vibrating = self._vibrating_modes
        gears = None
        if self.n:
            gears = vibrating_gears(self.place, stiffness, vibrating, [one.amplitudes for one in vibrating], 0.0)
        opened = tuple(L[:, : lowest.n_modes] for L, lowest in zip(opened, vibrating, strict=True))
        rest = linear.stiffness_of_rest(opened, [lowest.frequencies for lowest in vibrating])
        rows = np.hstack([linear.arms, linear.displaced, *opened])
        return VibratingTeeth(
            teeth=LinearisedTeeth(contact=contact, rows=rows, stiffness=rest), wheels=gears, spread=spread
        )
