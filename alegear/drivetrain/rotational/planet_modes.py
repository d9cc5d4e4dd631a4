"""Planets that vibrate a little about positions of their set: every mesh and every pin as a linear part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alegear.drivetrain.mesh_coordinates import positive_part
from alegear.drivetrain.rotational.displaced_planets import DisplacedPlanets
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.element import Element
from alegear.system.machine_part import MachinePart
from alegear.system.rotating_frame import RotatingSubsystem


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearisedPlanets(MachinePart):
    """A set that vibrates about positions, as the carrier sees them where it was built.

    With J = dy/dx of what the frame of the carrier sees (:mod:`alegear.system.rotating_frame`), a pin has the rows B J
    of its deformation and its own k, a mesh

        K = J^T k J,    k = -mean of dQ/dy over the positions, its symmetric part without negative eigenvalues

    and likewise its damping. What is negative in k, because loads turn with their flanks, and what the loads of meshes
    and pins do by the curvature of y(x) are left out: both are to the stiffness as deflections to the radius of pins.

    Parameters
    ----------
    name : str
        That of the set.
    planets : DisplacedPlanets
        With flanks that push only, or that are bonded.
    positions : sequence of shape (m,)
        What the frame sees.
    """

    planets: DisplacedPlanets
    positions: Sequence[Array]

    @property
    def bodies(self) -> tuple[MachinePart, ...]:
        """The planets, for a builder to add before."""
        return self.planets.bodies

    def add_to(self, builder: SystemBuilder) -> None:
        """Add a linear part for each pin and each mesh, under their names."""
        frame = self.planets.in_frame(builder)
        J = frame.view.jacobian_at(np.mean(self.positions, axis=0))
        for part in frame.model.parts:
            _add(builder, part.name, frame, part.rows @ J[part.coordinates], (part.stiffness, part.damping), "bearings")
        for number, mesh in enumerate(frame.model.elements):
            rows, both = self._rows_of(mesh, frame, number)
            _add(builder, mesh.name, frame, rows @ J[mesh.coordinates], both, "meshes")

    def _rows_of(self, mesh: Element, frame: RotatingSubsystem, number: int) -> tuple[Array, tuple[Array, Array]]:
        """Deformations (k, n_e) of a mesh by its coordinates, with their mean stiffness and damping (k, k)."""
        at, still = mesh.coordinates, np.zeros(len(mesh.coordinates))
        K, D = np.zeros((len(at), len(at))), np.zeros((len(at), len(at)))
        for y in self.positions:
            own = frame.model.new_data().elements[number]
            mesh.begin_step(0.0, y[at], still, 0.0, own)
            forces = mesh.evaluate(0.0, y[at], still, own)
            K -= forces.by_x / len(self.positions)
            D -= forces.by_v / len(self.positions)
        values, rows, motions = positive_part(K)
        lost, ways = np.linalg.eigh(motions.T @ (0.5 * (D + D.T)) @ motions)
        damping = ways * np.maximum(lost, 0.0) @ ways.T
        return rows, (np.diag(values), 0.5 * (damping + damping.T))


def _add(
    builder: SystemBuilder, name: str, frame: RotatingSubsystem, rows: Array, of_rows: tuple[Array, Array], kind: str
) -> None:
    """Add springs and dampers of deformations by the coordinates of a frame."""
    moving = np.abs(rows).max(axis=0, initial=0.0) > 0.0
    stiffness, damping = of_rows
    builder.linear(
        name, at=frame.coordinates[moving], rows=rows[:, moving], stiffness=stiffness, damping=damping, kind=kind
    )
