"""Modes of a loaded pair, as a study tells them: by what moves, and by the parts that give way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from alegear.contact.numbering import GEARS, SPIN
from alegear.drivetrain.gear_mesh import MeshPlace
from alegear.drivetrain.normal_modes import KIND as WHEELS
from alegear.system.coordinates import DISPLACEMENTS, Array
from alegear.system.modes import SystemModes

#: Heading of the energy in meshes, and what an inertia behind a torsional shaft is called.
MESHES, LOAD = "meshes", "load"
#: Where the energy of deformation of a mode of the pair is.
TEETH_AND_WHEELS = ("mesh", *GEARS)
PARTS = (*TEETH_AND_WHEELS, "shafts", "supports")
#: The same by the kind of a part of the system; the normal modes of a wheel are that wheel.
PART_OF_KIND = {MESHES: "mesh", "springs": "shafts", "bearings": "supports"}


def end_name(gear: str) -> str:
    """Name of the end of a torsional shaft that a gear of a pair has."""
    return f"{gear} end"


@dataclass(frozen=True, kw_only=True, eq=False)
class PairModes:
    """Modes of the loaded pair, of unit mass, by ascending frequency.

    Attributes
    ----------
    frequencies : shape (m,) [rad/s]
    coordinates : tuple of str
        Names of the rotations, in the running direction of their gears, the driven gear first, and of the displacements
        of gears on supports, in space.
    shapes : shape (n_coordinates, m)
    shares : shape (m, 5)
        Parts of the energy of deformation: contact and compliance without inertia, normal modes of pinion and wheel,
        shafts, supports.
    deflection : shape (m,) [m/N]
        Part of each mode in what the gears approach each other under a unit load between their flanks, which each point
        has its part of: squared approach, as of rigid gears that turn and are displaced, over squared frequency.
    """

    frequencies: Array
    coordinates: tuple[str, ...]
    shapes: Array
    shares: Array
    deflection: Array

    @classmethod
    def of(cls, modes: SystemModes, place: MeshPlace, spread: Array) -> PairModes:
        """Take the modes of the machine of two gears; of the load of their mesh each point has a part, (n,)."""
        model, shapes = modes.linearised.model, modes.shapes.real
        gears, driving = [model.places[name] for name in GEARS], place.driving
        driven = 1 - driving
        order = (GEARS[driven], GEARS[driving], end_name(GEARS[driven]))
        # rotations count in the running direction of each gear, and both shafts point along z
        sense = dict(zip(GEARS, SPIN, strict=True))
        sense[order[2]] = sense[order[0]]
        rows = {}
        for name in order:
            at = model.places[name].rotation if name in model.places else None
            if at in model.free:
                rows[LOAD if name == order[2] else name] = sense[name] * shapes[at]
        for gear, name in zip(gears, GEARS, strict=True):
            displaced = gear.rows[: len(DISPLACEMENTS)]
            if displaced.any():
                moved = displaced @ shapes[gear.coordinates]
                rows |= {f"{name} {axis}": row for axis, row in zip(DISPLACEMENTS, moved, strict=True)}
        mesh = next(part for part in model.parts if part.kind == MESHES)
        of_gears = np.isin(mesh.coordinates, np.concatenate([gear.coordinates for gear in gears]))
        approach = (spread @ mesh.rows)[of_gears] @ shapes[mesh.coordinates][of_gears]
        return cls(
            frequencies=modes.frequencies,
            coordinates=tuple(rows),
            shapes=np.array(list(rows.values())),
            shares=_shares(modes),
            deflection=(approach / modes.frequencies) ** 2,
        )

    @classmethod
    def mean(cls, positions: Sequence[PairModes], lengths: Array) -> PairModes:
        """Average modes over positions, each kind in its order: squares of the frequencies, energies, and shapes.

        The teeth pass by; a mean stiffness would hold the wheels at all positions at once. Shapes count with their
        largest coordinate positive, ways by their `lengths` (n_coordinates,) [m, 1].
        """
        shapes = []
        for modes in positions:
            farthest = np.abs(modes.shapes * lengths[:, None]).argmax(axis=0)
            largest = np.take_along_axis(modes.shapes, farthest[None], axis=0)
            shapes.append(modes.shapes * np.where(largest < 0.0, -1.0, 1.0))
        return cls(
            frequencies=np.sqrt(np.mean([modes.frequencies**2 for modes in positions], axis=0)),
            coordinates=positions[0].coordinates,
            shapes=np.mean(shapes, axis=0),
            shares=np.mean([modes.shares for modes in positions], axis=0),
            deflection=np.mean([modes.deflection for modes in positions], axis=0),
        )

    @property
    def mesh_mode(self) -> int:
        """Number of the mode in the mesh: of the deflection of teeth and wheels under load it takes the most.

        Of rigid wheels that is the largest share of energy in the mesh. With many normal modes, local modes of the
        teeth have most of theirs there too, which a load hardly moves. It counts how gears approach, not how they turn:
        one that rolls on the other while its bearings give way hardly approaches it.
        """
        return int(np.argmax(self.deflection * self.shares[:, : len(TEETH_AND_WHEELS)].sum(axis=1)))

    @property
    def in_mesh(self) -> float:
        """Frequency of the mode in the mesh [rad/s]."""
        return float(self.frequencies[self.mesh_mode])

    def listed(self, n: int) -> PairModes:
        """The lowest n modes, and the one in the mesh where it is not among them."""
        kept = list(range(min(n, len(self.frequencies))))
        if self.mesh_mode not in kept:
            kept.append(self.mesh_mode)
        return replace(
            self,
            frequencies=self.frequencies[kept],
            shapes=self.shapes[:, kept],
            shares=self.shares[kept],
            deflection=self.deflection[kept],
        )


def _shares(modes: SystemModes) -> Array:
    """Energy of deformation of each mode in PARTS, shape (m, 5)."""
    _, of_parts = modes.energy_shares()
    shares = np.zeros((len(modes.frequencies), len(PARTS)))
    for part, share in zip(
        modes.linearised.model.parts, of_parts, strict=False
    ):  # elements come last, and give nothing
        name = part.name.split()[0] if part.kind == WHEELS else PART_OF_KIND[part.kind]
        shares[:, PARTS.index(name)] += share
    return shares
