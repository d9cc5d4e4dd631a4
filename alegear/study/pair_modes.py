r"""The loaded pair linearised: rotations of gears and load, and normal modes of both wheels coupled by the contact.

With the bore held, the tooth faces give way under the contact forces by the compliance C that the reduction knows.
Normal modes q_i carry the part Phi Omega^-2 Phi^T of it, with their inertia; what is left of it stays without:

.. math::
    D_\mathrm{res} = D - \sum_g L_g \Omega_g^{-2} L_g^T, \qquad L_g = E_g \Phi_g, \qquad
    K = B^T D_\mathrm{res}^{-1} B + \mathrm{diag}(0, \Omega^2), \qquad B = [A, L_1, L_2] .

D is the compliance of the loaded points, A their gaps by the rotations and by the displacements of gears on supports,
E_g the nodal forces of unit contact forces
(:class:`~alegear.contact.hertz.linearised.LinearisedContact`). Without modes K is the tangent stiffness of the contact.
The teeth pass by: over a pitch the modes at several positions are found, and the squares of their frequencies averaged.
(The mean of K would be too stiff: it holds the wheels at all positions at once.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag, eigh

from alegear.contact.forces import N_SHIFTS
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.linearised import LinearisedContact
from alegear.contact.numbering import GEARS, PINION, SPIN, WHEEL
from alegear.drivetrain.pair import PairGear
from alegear.dynamics.joints import TorsionShaft
from alegear.dynamics.rigid_body import RotatingBody
from alegear.reduction.normal_modes import NormalModes

Array = NDArray[np.float64]

#: Where the energy of deformation of a mode of the pair is.
TEETH_AND_WHEELS = ("mesh", "pinion", "wheel")
PARTS = (*TEETH_AND_WHEELS, "shafts", "supports")
SHIFTS = ("x", "y", "z", "tilt x", "tilt y")


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainMatrices:
    """A train of rigid gears with a constant mesh stiffness, linearised; the led end stands still.

    Attributes
    ----------
    names : tuple of str
        Of the rotations: the driven gear first, then the driver and the load where their shafts twist.
    mass, stiffness : shape (n, n) [kg m2], [N m/rad]
    gears : tuple of int
        Coordinate of pinion and wheel, -1 for a driver that is led.
    mesh_arm : shape (n,) [m]
        Way along the line of action by each rotation: r_b of the driven gear, -r_b of the driver.
    mesh_stiffness : float [N/m]
    """

    names: tuple[str, ...]
    mass: Array
    stiffness: Array
    gears: tuple[int, int]
    mesh_arm: Array
    mesh_stiffness: float

    @classmethod
    def of(
        cls,
        mesh_stiffness: float,
        *,
        r_b: Array,
        bodies: tuple[RotatingBody, RotatingBody],
        lead: int,
        shafts: tuple[TorsionShaft | None, TorsionShaft | None] = (None, None),
    ) -> TrainMatrices:
        """Put the train together; the shafts are those of pinion and wheel."""
        driven = 1 - lead
        gears = [0, 0]
        names, inertia, arm = [GEARS[driven]], [bodies[driven].inertia], [r_b[driven]]
        gears[lead] = -1
        drive_shaft, load_shaft = shafts[lead], shafts[driven]
        if drive_shaft is not None:
            gears[lead] = len(inertia)
            names.append(GEARS[lead])
            inertia.append(bodies[lead].inertia)
            arm.append(-r_b[lead])
        if load_shaft is not None:
            names.append("load")
            inertia.append(load_shaft.inertia)
            arm.append(0.0)
        K = mesh_stiffness * np.outer(arm, arm)
        if drive_shaft is not None:
            K[1, 1] += drive_shaft.stiffness
        if load_shaft is not None:
            both = np.ix_([0, -1], [0, -1])
            K[both] += load_shaft.stiffness * np.array([[1.0, -1.0], [-1.0, 1.0]])
        return cls(
            names=tuple(names),
            mass=np.diag(inertia),
            stiffness=K,
            gears=(gears[0], gears[1]),
            mesh_arm=np.array(arm),
            mesh_stiffness=mesh_stiffness,
        )

    def modes(self) -> tuple[Array, Array]:
        """Squares of the natural frequencies [1/s2], ascending, and modes of unit mass as columns."""
        root = np.sqrt(np.diag(self.mass))
        squares, modes = np.linalg.eigh(self.stiffness / np.outer(root, root))
        return squares, modes / root[:, None]

    def mesh_share(self, squares: Array, modes: Array) -> Array:
        """Part of the energy of deformation of each mode that is in the mesh."""
        share: Array = self.mesh_stiffness * (self.mesh_arm @ modes) ** 2 / squares
        return share


@dataclass(frozen=True, kw_only=True, eq=False)
class PairModes:
    """Modes of the loaded pair, of unit mass, by ascending frequency.

    Attributes
    ----------
    frequencies : shape (m,) [rad/s]
    coordinates : tuple of str
        Names of the rotations, in the running direction of their gears, and of the displacements of gears on supports.
    shapes : shape (n_coordinates, m)
    shares : shape (m, 5)
        Parts of the energy of deformation: contact and compliance without inertia, normal modes of pinion and wheel,
        shafts, supports.
    deflection : shape (m,) [m/N]
        Part of each mode in what the gears turn against each other along the line of action under a unit force there,
        squared way over squared frequency.
    """

    frequencies: Array
    coordinates: tuple[str, ...]
    shapes: Array
    shares: Array
    deflection: Array

    @property
    def mesh_mode(self) -> int:
        """Number of the mode in the mesh: of the deflection of teeth and wheels under load it takes the most.

        Without normal modes that is the largest share of energy in the mesh. With many of them local modes of the
        teeth have most of theirs there too, which a load hardly moves.
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
        return PairModes(
            frequencies=self.frequencies[kept],
            coordinates=self.coordinates,
            shapes=self.shapes[:, kept],
            shares=self.shares[kept],
            deflection=self.deflection[kept],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class FlexibleContactStiffness:
    """Stiffness of the contact at one position by rotations and normal modes.

    Attributes
    ----------
    matrix : shape (2 + k + m_1 + m_2, same)
        B^T D_res^-1 B: rotations of pinion and wheel, displacements, then the modes of both.
    shares : per gear shape (m,)
        Part of the way of a load, spread over the points as it is, that each mode takes in the static deflection.
    """

    matrix: Array
    shares: tuple[Array, Array]

    @classmethod
    def of(
        cls,
        contact: LinearisedContact,
        modes: tuple[NormalModes, NormalModes],
        shapes: tuple[Array, Array],
        vibrating: tuple[int, int],
        mesh_stiffness: float,
    ) -> FlexibleContactStiffness:
        """Couple the first modes of each gear, as many as `vibrating` says; the shares are those of all.

        Parameters
        ----------
        contact : LinearisedContact
        modes, shapes : of both gears
            Shapes on the tooth faces of the window, ordered as the superelement, (n_dof, m) [kg^-1/2].
        vibrating : (int, int)
        mesh_stiffness : float [N/m]
            Static, along the line of action.
        """
        opened = [nodal @ phi for nodal, phi in zip(contact.nodal, shapes, strict=True)]
        spread = contact.force / contact.force.sum()
        shares = [mesh_stiffness * (spread @ L / m.frequencies) ** 2 for L, m in zip(opened, modes, strict=True)]
        D, columns = contact.compliance, [contact.arms, contact.displaced]
        for L, m, n in zip(opened, modes, vibrating, strict=True):
            D = D - (L[:, :n] / m.frequencies[:n] ** 2) @ L[:, :n].T
            columns.append(L[:, :n])
        return cls(matrix=contact.stiffness(np.hstack(columns), D), shares=(shares[0], shares[1]))


def rigid_pair_modes(train: TrainMatrices) -> PairModes:
    """Modes of a train of wheels without elastic inertia."""
    squares, modes = train.modes()
    in_mesh = train.mesh_share(squares, modes)
    nothing = np.zeros_like(in_mesh)
    return PairModes(
        frequencies=np.sqrt(squares),
        coordinates=train.names,
        shapes=modes,
        shares=np.column_stack([in_mesh, nothing, nothing, 1.0 - in_mesh, nothing]),
        deflection=(train.mesh_arm @ modes) ** 2 / squares,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Displacements:
    """The free displacements of gears on supports, as coordinates.

    Attributes
    ----------
    gears, axes : shape (k,)
        Of which gear, and which of x, y, z, tilt about x, about y.
    mass : shape (k,) [kg], [kg m2]
    stiffness : shape (k, k) [N/m, N, N m/rad]
    """

    gears: NDArray[np.int64]
    axes: NDArray[np.int64]
    mass: Array
    stiffness: Array

    @classmethod
    def of(cls, gears: Sequence[PairGear]) -> Displacements:
        """Those of both gears; none on hinges."""
        axes = [np.arange(0 if gear.support is None else N_SHIFTS) for gear in gears]
        mass, stiffness = [np.zeros(0)], [np.zeros((0, 0))]
        for gear in gears:
            if gear.support is not None:
                tilt = gear.tilt_inertia + gear.support.added_tilt_inertia
                mass.append(np.array([gear.mass + gear.support.added_mass] * 3 + [tilt] * 2))
                stiffness.append(gear.support.stiffness)
        return cls(
            gears=np.repeat([0, 1], [len(one) for one in axes]),
            axes=np.concatenate(axes).astype(np.int64),
            mass=np.concatenate(mass),
            stiffness=np.asarray(block_diag(*stiffness), dtype=np.float64),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Such as "wheel x"."""
        return tuple(f"{GEARS[gear]} {SHIFTS[axis]}" for gear, axis in zip(self.gears, self.axes, strict=True))

    def momentum(self, gear: int, modes: NormalModes, angle: float) -> Array:
        """Coupling of the displacements with the modes of a gear whose tooth 0 stands at an angle, shape (k, m)."""
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        in_space = np.vstack([turn @ modes.invariants.U2, turn @ modes.invariants.U3])
        mine = self.gears == gear
        coupling = np.zeros((len(self.gears), modes.n_modes))
        coupling[mine] = in_space[self.axes[mine]]
        return coupling


def flexible_pair_modes(
    shafts: TrainMatrices,
    displacements: Displacements,
    contact: Array,
    modes: tuple[NormalModes, NormalModes],
    angles: Array,
) -> PairModes:
    """Modes of a train whose wheels vibrate by themselves, and give way on their supports.

    Parameters
    ----------
    shafts : TrainMatrices
        The train without stiffness in the mesh.
    displacements : Displacements
    contact : shape (2 + k + m_1 + m_2, same)
        :attr:`FlexibleContactStiffness.matrix`.
    modes : NormalModes of both gears
        m_1, m_2 of them.
    angles : shape (2,) [rad]
        Of tooth 0 of both gears about +z, in space.
    """
    n_turn, k = len(shafts.names), len(displacements.gears)
    n = n_turn + k
    counts = [m.n_modes for m in modes]
    first = [n, n + counts[PINION]]
    size = n + sum(counts)
    # rotations of the gears, displacements, modes, from the coordinates of the train
    place = np.zeros((len(contact), size))
    for gear in (PINION, WHEEL):
        if shafts.gears[gear] >= 0:
            place[gear, shafts.gears[gear]] = 1.0
    place[2:, n_turn:] = np.eye(size - n_turn)
    K = {name: np.zeros((size, size)) for name in PARTS}
    K["mesh"] = place.T @ contact @ place
    K["shafts"][:n_turn, :n_turn] = shafts.stiffness
    K["supports"][n_turn:n, n_turn:n] = displacements.stiffness
    M = np.eye(size)
    M[:n_turn, :n_turn], M[n_turn:n, n_turn:n] = shafts.mass, np.diag(displacements.mass)
    for gear, name in ((PINION, "pinion"), (WHEEL, "wheel")):
        own = slice(first[gear], first[gear] + counts[gear])
        K[name][own, own] = np.diag(modes[gear].frequencies ** 2)
        M[n_turn:n, own] = displacements.momentum(gear, modes[gear], float(angles[gear]))
        M[own, n_turn:n] = M[n_turn:n, own].T
        at = shafts.gears[gear]
        if at >= 0:  # moment of momentum about the axis, in the running direction
            M[at, own] = M[own, at] = SPIN[gear] * modes[gear].invariants.U3[2]
    squares, shapes = eigh(np.sum(list(K.values()), axis=0), M)
    shares = [np.einsum("ik,ij,jk->k", shapes, part, shapes) / squares for part in K.values()]
    return PairModes(
        frequencies=np.sqrt(squares),
        coordinates=(*shafts.names, *displacements.names),
        shapes=shapes[:n],
        shares=np.column_stack(shares),
        deflection=(shafts.mesh_arm @ shapes[:n_turn]) ** 2 / squares,
    )


def mean_modes(positions: Sequence[PairModes]) -> PairModes:
    """Average modes over positions, each kind in its order: squares of the frequencies, energies, and shapes.

    With one coordinate that is the mode on the mean stiffness. Shapes count with their largest coordinate positive.
    """
    shapes = []
    for modes in positions:
        largest = np.take_along_axis(modes.shapes, np.abs(modes.shapes).argmax(axis=0)[None], axis=0)
        shapes.append(modes.shapes * np.where(largest < 0.0, -1.0, 1.0))
    return PairModes(
        frequencies=np.sqrt(np.mean([modes.frequencies**2 for modes in positions], axis=0)),
        coordinates=positions[0].coordinates,
        shapes=np.mean(shapes, axis=0),
        shares=np.mean([modes.shares for modes in positions], axis=0),
        deflection=np.mean([modes.deflection for modes in positions], axis=0),
    )


def rotations_at(contact: LineContact, phase: float, deflection: float, lead: int, first_pair: int) -> Array:
    """Rotations (2,) of a static position: phase of the driven gear [pitches], deflection of the driver [m]."""
    phi: Array = (phase - first_pair) * contact.pitch_angle
    phi[lead] += deflection / contact.pair.gears[lead].r_b
    return phi


def tooth_zero_angles(contact: LineContact, phi: Array, first_pair: int) -> Array:
    """Angles about +z of the teeth of pair 0 of both gears at rotations counted from pair `first_pair`, shape (2,)."""
    slot = np.array(-first_pair)
    return np.array([float(contact.tooth_angle(gear, phi, slot)) for gear in (PINION, WHEEL)])
