r"""Line contact of gears that vibrate by themselves: normal modes of both wheels as coordinates of the contact.

The compliance C of the tooth faces, bore held, divides into the part that m normal modes carry and what is left. With
the modes Phi on the faces, of unit mass and frequencies Omega,

.. math:: u = C_\mathrm{res} f + \Phi q, \qquad C_\mathrm{res} = C - \Phi \Omega^{-2} \Phi^T .

q gets inertia and becomes a coordinate; the forces that belong to it are Phi^T f. Where nothing moves q is Phi^T f over
Omega squared, and the contact is the one without modes. Two teeth answer to each other by their distance as long as
pairs of modes (cosine and sine) stay together, so the residual compliance is that of a wheel like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.contact.forces import ElasticHistory
from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.coupled import CoupledForces, coupled
from alegear.contact.hertz.solution import LineContactForces
from alegear.contact.law import Friction
from alegear.contact.numbering import PINION, slot_order
from alegear.contact.one_at_a_time import one_at_a_time
from alegear.errors import Fault
from alegear.reduction.ring import CyclicCompliance

Array = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]


@dataclass(frozen=True, kw_only=True, eq=False)
class FaceModes:
    """Normal modes of a wheel on the faces of one of its teeth.

    Parameters
    ----------
    frequencies : shape (m,) [rad/s]
    nodal_diameters : shape (m,)
    amplitudes : shape (m, nf) [kg^-1/2]
        Complex; on the tooth k pitches counter-clockwise of tooth 0 the mode is Re(U exp(i n k 2 pi/z)).
    teeth : int
    """

    frequencies: Array
    nodal_diameters: NDArray[np.int64]
    amplitudes: ComplexArray
    teeth: int

    def of_teeth(self, teeth: ArrayLike) -> ComplexArray:
        """exp(i n k 2 pi/z) by tooth and mode, shape (len(teeth), m)."""
        turns = np.outer(np.asarray(teeth), self.nodal_diameters) % self.teeth
        return np.asarray(np.exp(2j * np.pi * turns / self.teeth), dtype=np.complex128)

    def on_teeth(self, teeth: ArrayLike) -> Array:
        """Modes on the faces of some teeth, one after the other, shape (len(teeth) nf, m) [kg^-1/2]."""
        turned = self.of_teeth(teeth)[:, :, None] * self.amplitudes
        return np.ascontiguousarray(turned.real.transpose(0, 2, 1)).reshape(-1, len(self.frequencies))

    def compliance(self, distance: int) -> Array:
        """Phi Omega^-2 Phi^T between the faces of tooth 0 and of another, shape (nf, nf) [m/N]."""
        U = self.amplitudes
        turned = U * (self.of_teeth([distance])[0] / self.frequencies**2)[:, None]
        return U.real.T @ turned.real


def teeth_of_slots(n_pairs: int, gear: int, first_pair: int) -> list[int]:
    """Teeth, counter-clockwise from that of pair 0, in the slots of the window in order of engagement."""
    # the next pair lies clockwise on the pinion and counter-clockwise on the wheel
    return [(-pair if gear == PINION else pair) for pair in range(first_pair, first_pair + n_pairs)]


def window_teeth(n_pairs: int, gear: int, first_pair: int) -> list[int]:
    """Teeth in the slots of the superelement, counted counter-clockwise from that of pair 0."""
    return [int(k) for k in np.array(teeth_of_slots(n_pairs, gear, first_pair))[slot_order(n_pairs, gear)]]


@dataclass(frozen=True, kw_only=True, eq=False)
class TurningContact(LineContact):
    """A line contact between gears that the loads of their rotation deform, every tooth in the same way.

    Attributes
    ----------
    answers : of pinion and wheel, shape (k, nf) [m per load]
        Displacement of the faces of a tooth by each of k loads.
    """

    answers: tuple[Array, Array]

    @classmethod
    def of(cls, contact: LineContact, answers: tuple[Array, Array]) -> TurningContact:
        """Let the rotation of the gears of a contact deform them."""
        given = {item.name: getattr(contact, item.name) for item in fields(LineContact)}
        return cls(**given, answers=answers)

    @property
    def lossless(self) -> TurningContact | None:
        """The same contact without friction; None if it has none."""
        return None if self.friction.kind == "none" else replace(self, friction=Friction())

    @cached_property
    def model(self) -> kernels.Model:
        """As of any line contact, with room for given displacements."""
        model = super().model
        shape = (self.n_pairs, model.n_strips, 0)
        bodies = [
            body._replace(given=np.zeros((*shape[:2], len(body.rows_s) * model.n_axes)))
            for body in (model.pinion, model.wheel)
        ]
        return model._replace(pinion=bodies[0], wheel=bodies[1], slack=np.zeros(1))

    def turn(self, loads: Array) -> None:
        """Deform the gears; the loads of pinion and wheel, shape (2, k), stay until they are changed."""
        self._given(self._turned(loads))

    def _turned(self, loads: Array) -> list[Array]:
        """Displacement of the slices of a tooth of both gears, (n_strips, rows * axes) [m]."""
        return [np.tensordot(load, shapes, 1) for load, shapes in zip(loads, self._answers_on_slices, strict=True)]

    def _given(self, displacements: Sequence[Array]) -> None:
        """Give the displacements of both gears, of a tooth or of all slots."""
        slack = 0.0
        for displacement, body in zip(displacements, (self.model.pinion, self.model.wheel), strict=True):
            body.given[:] = displacement
            slack += float(np.abs(displacement).max(initial=0.0))
        self.model.slack[0] = slack

    @cached_property
    def _answers_on_slices(self) -> tuple[Array, Array]:
        pinion, wheel = (self._slice_means(gear, self.answers[gear]) for gear in range(2))
        return pinion, wheel

    def _slice_means(self, gear: int, on_faces: Array) -> Array:
        """Means over the slices of displacements (m, nf) of the faces of a tooth, (m, n_strips, rows * axes)."""
        body, n_axes = self.bodies[gear], self.model.n_axes
        first_col, weight = self.columns[gear]
        n_rows, n_cols = len(body.grid.rows_s), len(body.grid.cols_z)
        U = on_faces.reshape(len(on_faces), len(body.faces), n_rows, n_cols, 3)[..., :n_axes]
        columns = first_col[:, None] + np.arange(weight.shape[1])
        means = np.einsum("mfrkca,kc->mfkra", U[:, :, :, columns], weight)
        return np.ascontiguousarray(means).reshape(len(U), -1, n_rows * n_axes)


@dataclass(frozen=True, kw_only=True, eq=False)
class VibratingContact(TurningContact):
    """A line contact between gears with normal modes; its bodies are what the modes leave of their compliance.

    Asked for rotations only, it is the contact without modes. `answers` are what the modes leave of them.

    Attributes
    ----------
    still : TurningContact
        Without modes.
    modes : FaceModes of pinion and wheel
    """

    still: TurningContact
    modes: tuple[FaceModes, FaceModes]

    @classmethod
    def with_modes(
        cls,
        contact: LineContact,
        modes: tuple[FaceModes, FaceModes],
        answers: tuple[Array, Array] | None = None,
        remainders: tuple[Array, Array] | None = None,
    ) -> VibratingContact:
        """Let the gears of a contact vibrate.

        Parameters
        ----------
        contact : LineContact
        modes : FaceModes of pinion and wheel
        answers, remainders : of pinion and wheel, shape (k, nf), optional
            Displacements of the faces of a tooth by k loads of rotation, and what the modes leave of them.

        Raises
        ------
        Fault
            If a gear is a segment, or the modes are of other faces.
        """
        bodies = [_residual(body, m) for body, m in zip(contact.bodies, modes, strict=True)]
        given = {item.name: getattr(contact, item.name) for item in fields(LineContact)}
        none = (np.zeros((0, modes[0].amplitudes.shape[1])), np.zeros((0, modes[1].amplitudes.shape[1])))
        return cls(
            **given | {"bodies": (bodies[0], bodies[1])},
            answers=remainders or none,
            still=TurningContact.of(contact, answers or none),
            modes=modes,
        )

    @property
    def lossless(self) -> VibratingContact | None:
        """The same contact without friction; None if it has none."""
        still = self.still.lossless
        return None if still is None else replace(self, friction=still.friction, still=still)

    @property
    def counts(self) -> tuple[int, int]:
        """Modes of pinion and wheel."""
        return len(self.modes[0].frequencies), len(self.modes[1].frequencies)

    # ------------------------------------------------------------------------------- shapes
    def on_faces(self, gear: int, first_pair: int) -> Array:
        """Modes on the faces of the window, ordered as the superelement, shape (n_dof, m) [kg^-1/2]."""
        return self.modes[gear].on_teeth(window_teeth(self.n_pairs, gear, first_pair))

    @cached_property
    def _on_slices(self) -> tuple[ComplexArray, ComplexArray]:
        """Complex amplitudes of the slices of a tooth, shape (m, n_strips, rows * axes)."""
        parts = [[modes.amplitudes.real, modes.amplitudes.imag] for modes in self.modes]
        pinion, wheel = (
            self._slice_means(gear, real) + 1j * self._slice_means(gear, imag)
            for gear, (real, imag) in enumerate(parts)
        )
        return pinion, wheel

    def _shapes(self, first_pair: int) -> tuple[Array, Array]:
        """Modes on the slices of the window, by slots in order of engagement, (n_pairs, n_strips, rows * axes, m)."""
        known = self._known_shapes
        if known and known[0][0] == first_pair:
            return known[0][1]
        shapes = []
        for gear in range(2):
            turned = self.modes[gear].of_teeth(teeth_of_slots(self.n_pairs, gear, first_pair))
            whole = turned[:, :, None, None] * self._on_slices[gear]
            shapes.append(np.ascontiguousarray(np.moveaxis(whole.real, 1, 3)))
        known[:] = [(first_pair, (shapes[0], shapes[1]))]
        return shapes[0], shapes[1]

    @cached_property
    def _known_shapes(self) -> list[tuple[int, tuple[Array, Array]]]:
        """Those of the last window."""
        return []

    # ------------------------------------------------------------------------------- forces
    @one_at_a_time
    def evaluate(
        self,
        phi: Array,
        omega: Array | None = None,
        *,
        first_pair: int = 0,
        history: ElasticHistory | None = None,
        ahead: Array | None = None,
        tangent: bool = True,
        energy: bool = False,
    ) -> LineContactForces:
        """Contact forces at rest, where the modes follow the loads."""
        return self.still.evaluate(phi, omega, first_pair=first_pair, ahead=ahead, tangent=tangent, energy=energy)

    @one_at_a_time
    def evaluate_at(
        self,
        phi: Array,
        q: Array,
        omega: Array | None = None,
        *,
        first_pair: int = 0,
        ahead: Array | None = None,
        loads: Array | None = None,
        tangent: bool = True,
        energy: bool = False,
    ) -> CoupledForces:
        """Contact forces at given rotations and modal coordinates.

        Parameters
        ----------
        phi, omega, first_pair, ahead, tangent, energy
            As of :meth:`LineContact.evaluate`; the energy is that of the residual compliance and of the layers.
        q : shape (m_1 + m_2,) [m kg^1/2]
            Of the pinion's modes, then of the wheel's.
        loads : shape (2, k), optional
            Of rotation, on pinion and wheel; none if not given.

        Raises
        ------
        NonConvergence
        """
        shapes, n = self._shapes(first_pair), self.counts[0]
        displacements = [shape @ part for shape, part in zip(shapes, (q[:n], q[n:]), strict=True)]
        if loads is not None:
            displacements = [u + turned for u, turned in zip(displacements, self._turned(loads), strict=True)]
        self._given(displacements)
        forces = super().evaluate(phi, omega, first_pair=first_pair, ahead=ahead, tangent=tangent, energy=energy)
        rows = self._points.rows
        opening = self._rows(rows.b, shapes)
        pushing = opening if self.friction.kind == "none" else self._rows(rows.e, shapes)
        answer = coupled(self, forces, pushing, opening, tangent=tangent)
        if tangent:
            answer["push_phi"] += self._turned_push(forces, shapes)
        return CoupledForces(**answer)

    def _turned_push(self, forces: LineContactForces, shapes: tuple[Array, Array]) -> Array:
        """Change of the forces on the modes by rotations at constant loads: places and normals move, (m_1 + m_2, 2)."""
        rows, load = self._points.rows, forces.loaded.record.force
        mu = rows.mu[None, :, None]
        along = [rows.b_x[:, :, x] + mu * rows.t_x[:, :, x] for x in range(2)]
        return np.column_stack([self._rows(row, shapes).T @ load for row in along])

    def _rows(self, along: Array, shapes: tuple[Array, Array]) -> Array:
        """What a unit of each mode displaces the loaded points by along their rows, shape (n, m_1 + m_2)."""
        index, rows = self.active_points, self._points.rows
        parts = []
        for gear, shape in enumerate(shapes):
            places = rows.first[gear, index][:, None] + np.arange(along.shape[2])
            there = shape[rows.slot[gear, index][:, None], rows.strip[gear, index][:, None], places]
            parts.append(np.einsum("iq,iqm->im", along[gear, index], there))
        return np.hstack(parts)

    def at_rest(self, face_force: tuple[Array, Array], first_pair: int) -> Array:
        """Modal coordinates that forces on the tooth faces, ordered as the superelement, hold, (m_1 + m_2,)."""
        return np.concatenate(
            [
                force @ self.on_faces(gear, first_pair) / self.modes[gear].frequencies ** 2
                for gear, force in enumerate(face_force)
            ]
        )


def _residual(body: ElasticBody, modes: FaceModes) -> ElasticBody:
    """Body with what the modes leave of its compliance."""
    nf = modes.amplitudes.shape[1]
    compliance = body.of_window
    if not isinstance(compliance, CyclicCompliance) or compliance.n_f != nf:
        raise Fault(
            "normal modes", f"{nf} degrees of freedom a tooth",
            f"{body.n_dof // len(body.face_offset)}, of a whole wheel",
            "take the modes of the same sector, and model all teeth",
        )  # fmt: skip
    left = [body.between(0, distance) - modes.compliance(distance) for distance in range(compliance.slots)]
    return replace(body, of_window=CyclicCompliance(ahead=np.stack(left)), local=())
