"""The law ``flexible``: teeth and wheels from finite elements, in contact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from alegear.ale import ToothWindow
from alegear.contact.forces import FlexibleContact
from alegear.contact.law import TOOTH_CHANGE, FlankContact
from alegear.drivetrain.flexible import FlexibleMesh
from alegear.drivetrain.gear_mesh import BESIDES_POSITIONS, MeshLaw, MeshPart, MeshPlace, MeshSurroundings, PreparedMesh
from alegear.drivetrain.mesh_coordinates import positive_part
from alegear.geometry.alignment import Alignment
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Flexible(FlankContact, MeshLaw):
    """The contact of flexible teeth.

    Parameters
    ----------
    alignment : Alignment
        Of the first gear's shaft against the second's, besides their positions; the axial offset follows from these.
    tooth_change_threshold : float or None [1]
        Phase modulo 1 of the tooth-change; None: chosen from the computed loads.

    Raises
    ------
    Fault
    """

    fidelity: ClassVar[str] = "flexible"
    needs_contact: ClassVar[bool] = True

    alignment: Annotated[Alignment, BESIDES_POSITIONS] = field(default_factory=Alignment)
    tooth_change_threshold: Annotated[float | None, TOOTH_CHANGE] = None

    @property
    def on_fixed_axes(self) -> bool:
        """Whether it serves only gears whose axes are held: so does the law "penalty"."""
        return self.law == "penalty"

    def of_pair(self) -> Mapping[str, Any]:
        """Law of contact, friction, slices and window."""
        return {one.name: getattr(self, one.name) for one in fields(FlankContact)}

    def with_slices(self, n: int) -> Flexible:
        """The same with so many slices."""
        return replace(self, slices=n)

    def in_statics(self, ready: PreparedMesh) -> MeshPart:
        """The contact; the study says which teeth are in its window."""
        assert ready.contact is not None
        return TeethInContact(contact=ready.contact)

    def in_motion(self, ready: PreparedMesh) -> MeshPart:
        """The contact with its window, and damped."""
        assert ready.contact is not None
        return TeethInContact(contact=ready.contact, window=ready.window, retardation=ready.retardation)

    def in_modes(self, ready: PreparedMesh) -> MeshPart:
        """The mean of its tangents under load."""
        assert ready.contact is not None
        values, rows, _ = positive_part(-np.mean(ready.tangents, axis=0))
        return LinearisedTeeth(contact=ready.contact, rows=rows, stiffness=np.diag(values))


@dataclass(frozen=True, kw_only=True, eq=False)
class TeethInContact(MeshPart):
    """Flexible teeth in contact.

    Parameters
    ----------
    contact : FlexibleContact
    window : ToothWindow or None
        None: the teeth in the window are given with each evaluation.
    retardation : float [s]
    """

    contact: FlexibleContact
    window: ToothWindow | None = None
    retardation: float = 0.0

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> FlexibleMesh:
        """Add the element."""
        mesh = FlexibleMesh(
            name=place.mesh.name,
            contact=self.contact,
            window=self.window,
            surroundings=surroundings,
            axes=place.axes,
            driving=place.driving,
            retardation=self.retardation,
        )
        builder.element(mesh)
        return mesh


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearisedTeeth(MeshPart):
    """Flexible teeth under a load, linearised: for modes.

    Parameters
    ----------
    contact : FlexibleContact
    rows : shape (n, n_mesh)
        Deformations by the coordinates of the mesh: rotations, where a gear can be displaced the displacements of both,
        and modes. What is negative in the stiffness, because loads turn with their flanks, is left out; it is to the
        stiffness as the deflection is to a radius of curvature.
    stiffness : shape (n, n)
        Of these.
    """

    contact: FlexibleContact
    rows: Array
    stiffness: Array

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add the linear part."""
        mesh = FlexibleMesh(name=place.mesh.name, contact=self.contact, surroundings=surroundings, axes=place.axes)
        builder.linear(
            place.mesh.name, at=mesh.coordinates, rows=self.rows @ mesh.rows, stiffness=self.stiffness, kind="meshes"
        )


LAW = Flexible
