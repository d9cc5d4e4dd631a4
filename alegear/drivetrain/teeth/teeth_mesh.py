"""Teeth in line contact by Hertz, each pair by itself, as an element between two places of a system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from alegear.drivetrain.teeth import overlap_kernels
from alegear.drivetrain.teeth import teeth_kernels as kernels
from alegear.drivetrain.teeth.hertz_line import compliance
from alegear.drivetrain.teeth.tooth_geometry import ToothFlanks, ToothGeometry
from alegear.kernels.elements import element_terms
from alegear.system.coordinates import Array, Indices
from alegear.system.element import ElementEnergy, ElementForces, StatelessElement

#: Contacts of a slice, of both sides, that are kept: more never touch at contact ratios that gears have.
MOST_CONTACTS = 24
#: Until nothing but round-off is left of an interval.
HALVINGS = 50
#: Round-off of roll lengths, in eps of the centre distance: rotations are known to that.
RESOLVED = 4.0


@dataclass(frozen=True, kw_only=True, eq=False)
class ToothContacts:
    """All contacts of a mesh in one state or several; n of them, one a state, side, tooth pair and slice.

    Attributes
    ----------
    state : shape (n,)
        Number of the state, rising.
    side : shape (n,)
        +1 on the flanks with which gear A drives counterclockwise, -1 on the others.
    slice : shape (n,)
        Number of the slice across the face.
    pair : shape (n,)
        Number of the tooth pair in the order of engagement, counted on.
    force : shape (n,) [N]
        In the transverse section, along the line of action.
    line_load : shape (n,) [N/m]
        Normal to the flanks, without damping.
    pressure : shape (n,) [Pa], half_width : shape (n,) [m]
        By Hertz; on an edge for the radius of the round of the tip.
    roll_length : shape (n, 2) [m]
        Where both flanks touch.
    overlap : shape (n,) [m]
        Normal to the flanks.
    edge : shape (n,)
        0: flank on flank; 1: on the tip edge of gear A, 2: of gear B.
    sliding : shape (n,) [m/s]
        Speed of the flank of A over that of B along z x n, xi_A omega_A + xi_B omega_B: positive beyond the pitch point
        while A turns counterclockwise. That of centres which move is left out.
    """

    state: Indices
    side: Array
    slice: Indices
    pair: Indices
    force: Array
    line_load: Array
    pressure: Array
    half_width: Array
    roll_length: Array
    overlap: Array
    edge: Indices
    sliding: Array

    @classmethod
    def of_table(cls, table: Array, state: Indices, rate: Array) -> ToothContacts:
        """From what kernels tell of each contact (n, kernels.N_CONTACT), its state, and rates (m, n_slices, 6) of y."""
        at, roll = table[:, kernels.SLICE].astype(np.int64), table[:, [kernels.ROLL_A, kernels.ROLL_B]]
        turning = rate[state, at][:, [kernels.PHI_A, kernels.PHI_B]]
        return cls(
            state=state,
            side=table[:, kernels.SIDE],
            slice=at,
            pair=table[:, kernels.PAIR].astype(np.int64),
            force=table[:, kernels.FORCE],
            line_load=table[:, kernels.LINE_LOAD],
            pressure=table[:, kernels.PRESSURE],
            half_width=table[:, kernels.HALF_WIDTH],
            roll_length=roll,
            overlap=table[:, kernels.OVERLAP],
            edge=table[:, kernels.EDGE].astype(np.int64),
            sliding=np.sum(roll * turning, axis=1),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class TeethStates:
    """A mesh in m states.

    Attributes
    ----------
    Q : shape (m, n_slices, 6) [N m, N]
        Forces of each slice on phi_A, phi_B, x_A, y_A, x_B, y_B; NaN where it could not be found.
    slope : shape (m,) [N m]
        Derivative of the torque on phi_A by phi_A, of all slices; NaN likewise.
    contacts : ToothContacts
        None in states in which they could not be found.
    """

    Q: Array
    slope: Array
    contacts: ToothContacts


class TeethMesh(StatelessElement):
    """Line contact of all tooth pairs on both sides, slice by slice across the face.

    In each slice the coordinates are y = (phi_A, phi_B, x_A, y_A, x_B, y_B) = T x + y_0, and

        delta = (xi_A + xi_B - g - removed) cos beta_b,   Q = -T^T dU/dy,   U = sum of width/cos beta_b E(delta, S)

    with the energy E of Hertz's law (:class:`~alegear.drivetrain.teeth.hertz_line.HertzLine`), so that the forces are
    conservative whatever the centres do. Which pairs can touch follows from the rotations alone; there is no memory.
    Damping: gaps are taken ahead, ``q + tau dq/ddelta delta'`` with the rate of the involutes along the line of action.

    Parameters
    ----------
    name : str
    geometry : ToothGeometry
    flanks : (ToothFlanks, ToothFlanks)
        Of A and B.
    materials : ((float, float), (float, float)) [Pa, 1]
        Young's modulus and Poisson's ratio of A and B.
    coordinates : shape (n_e,)
    rows : shape (n_slices, 6, n_e)
        T.
    given : shape (n_slices, 6), optional [rad, m]
        y_0.
    loaded : float
        Side that touches at the pitch point where angles are 0.
    angles : (float, float) [rad]
        Rotations, counterclockwise, from there.
    retardation : float [s]
        tau.
    bending : (shape (2,), shape (n, 4)) or None
        :meth:`alegear.drivetrain.teeth.tooth_bending.StudiedLoads.bending`; None: teeth are rigid.
    """

    def __init__(
        self,
        *,
        name: str,
        geometry: ToothGeometry,
        flanks: tuple[ToothFlanks, ToothFlanks],
        materials: tuple[tuple[float, float], tuple[float, float]],
        coordinates: Indices,
        rows: Array,
        given: Array | None = None,
        loaded: float = 1.0,
        angles: tuple[float, float] = (0.0, 0.0),
        retardation: float = 0.0,
        bending: tuple[Array, Array] | None = None,
    ) -> None:
        self.name, self.geometry, self.coordinates, self.rows = name, geometry, coordinates, rows
        n = len(rows)
        self.given = np.zeros((n, kernels.N_COORDINATES)) if given is None else given
        thetas = [compliance(*material) for material in materials]
        theta = sum(thetas)
        self.numbers = geometry.numbers(theta, (thetas[0] - thetas[1]) / theta, retardation, n)
        sides = (1.0, -1.0)
        bases = np.array([geometry.base_lengths(side, loaded, angles) for side in sides])
        leads = np.array([0 if side == loaded else -int(side) for side in sides], dtype=np.int64)
        ahead = geometry.slices(n) * np.tan(geometry.pair.beta_b)
        of_gears = [part for own in flanks for part in (own.place, own.tables, own.which, own.deviation)]
        self.z = geometry.slices(n)
        self._model = (self.numbers, bases, leads, ahead, *of_gears, geometry.pair.a_w)
        self._model += bending or (np.ones(overlap_kernels.N_TABLE), np.empty((0, 4)))
        self.theta, self.loaded, self.angles = theta, loaded, angles

    @property
    def resolution(self) -> Array:
        """Changes of the coordinates that are lost in the roll lengths, shape (n_e,)."""
        arms = np.array([*np.abs(self.geometry.r_b), 1.0, 1.0, 1.0, 1.0])
        moved = np.abs(arms[:, None] * self.rows).max(axis=(0, 1))
        moved[moved == 0.0] = np.inf  # it moves no flank
        known: Array = RESOLVED * np.finfo(float).eps * abs(self.geometry.pair.a_w) / moved
        return known

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Forces with their tangents; the answer is what is stored [J], and what the damping takes [W]."""
        T, n = self.rows, len(self.rows)
        Q, by, contacts = np.empty((n, 6)), np.empty((2, n, 6, 6)), np.empty((0, kernels.N_CONTACT))
        fault, _, *energy = kernels.evaluate(*self._model, T @ x + self.given, T @ v, Q, *by, contacts)
        if fault != kernels.FINE:
            return ElementForces.failed(len(x), self._reason(fault))
        by_x, by_v = ((T.transpose(0, 2, 1) @ of_slices @ T).sum(axis=0) for of_slices in by)
        return ElementForces(Q=np.einsum("ijk,ij->k", T, Q), by_x=by_x, by_v=by_v, response=energy)

    def kernel_terms(self, n: int) -> dict[str, Any] | None:
        """What it is to compiled motions."""
        model: list[Any] = [np.array(one, order="C") if np.ndim(one) else float(one) for one in self._model]
        m = len(self.rows)
        room = (np.zeros((m, 6)), np.zeros((m, 6, 6)), np.zeros((m, 6, 6)), np.zeros((0, kernels.N_CONTACT)))
        teeth = kernels.TeethTables._make([*model, np.array(self.given, order="C"), *room])
        return element_terms(
            kernels.teeth_element,
            teeth,
            kernels.TEETH,
            coordinates=self.coordinates,
            rows=self.rows.reshape(m * kernels.N_COORDINATES, -1),
        )

    def _reason(self, fault: int) -> str:
        if fault == kernels.CENTRES:
            return f"the base circles of mesh {self.name} overlap: stiffen what holds its gears"
        if fault == kernels.OVERLAPS:
            most = 1e6 * self.numbers[overlap_kernels.LARGEST]
            return (
                f"teeth of mesh {self.name} overlap by more than {most:.4g} um along the line of action: reduce the "
                "load, or the step"
            )
        return f"the load of mesh {self.name} is beyond Hertz's law for lines of contact: reduce it"

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: None) -> ElementEnergy:
        """Energy of all contacts, and the power of their damping."""
        assert isinstance(forces.response, list)
        stored, lost = forces.response
        return ElementEnergy(stored=stored, damping_power=lost)

    def ahead(self, x: Array, side: float, force: float) -> float:
        """How much further gear A is to turn, along the line of action [m], until flanks of a side press with a force.

        Parameters
        ----------
        x : shape (n_e,)
        side : float
            +1 or -1.
        force : float [N]
        """
        y, r_b = self.rows @ x + self.given, self.geometry.r_b[0]
        n = len(y)
        Q, by = np.empty((n, 6)), np.empty((2, n, 6, 6))
        contacts = np.empty((0, kernels.N_CONTACT))

        def pressed(way: float) -> float:
            moved = y.copy()
            moved[:, kernels.PHI_A] += side * way / r_b
            fault, *_ = kernels.evaluate(*self._model, moved, np.zeros_like(y), Q, *by, contacts)
            if fault != kernels.FINE:
                return np.inf if way > 0.0 else -np.inf
            return -side * float(Q[:, kernels.PHI_A].sum()) / r_b

        most = float(self.numbers[overlap_kernels.LARGEST])
        low, high = (-most, 0.0) if pressed(0.0) >= force else (0.0, most)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if pressed(middle) < force else (low, middle)
        return high

    def overlaps(self, x: Array) -> dict[int, float]:
        """Overlaps [m] normal to the loaded flanks of all pairs that touch, of a mesh with one slice, by their numbers.

        Raises
        ------
        ValueError
            Where they cannot be found.
        """
        contacts = self.contacts(x, np.zeros(len(x)))
        own = contacts.side == self.loaded
        return dict(zip(contacts.pair[own].tolist(), contacts.overlap[own].tolist(), strict=True))

    def states(self, x: Array, v: Array) -> TeethStates:
        """Forces and contacts in states x, v (m, n_e) of its own."""
        y, rate = (np.tensordot(one, self.rows, (1, 2)) for one in (x, v))
        m, n = y.shape[:2]
        Q, slope, by = np.empty_like(y), np.empty(m), np.empty((2, n, 6, 6))
        contacts, ends = np.empty((MOST_CONTACTS * m * n, kernels.N_CONTACT)), np.empty(m + 1, dtype=np.int64)
        kernels.evaluate_states(*self._model, y + self.given, rate, *by, Q, slope, contacts, ends)
        state = np.repeat(np.arange(m), np.diff(ends))
        return TeethStates(Q=Q, slope=slope, contacts=ToothContacts.of_table(contacts[: ends[-1]], state, rate))

    def side_forces(self, x: Array, v: Array) -> Array:
        """Forces (2, ...) [N] of the flanks with which A drives counterclockwise, and of the others, both positive.

        In the transverse section, in states x, v (..., n_e) of its own; NaN where they cannot be found.
        """
        states = self.states(x.reshape(-1, x.shape[-1]), v.reshape(-1, v.shape[-1]))
        return sides_of(states).reshape(2, *x.shape[:-1])

    def contacts(self, x: Array, v: Array) -> ToothContacts:
        """All contacts at its own coordinates and velocities (n_e,).

        Raises
        ------
        ValueError
            Where the forces cannot be found.
        """
        states = self.states(x[None], v[None])
        if np.isnan(states.slope).any():
            raise ValueError(f"contacts of mesh {self.name} cannot be found here")
        return states.contacts


def sides_of(states: TeethStates) -> Array:
    """Forces (2, m) [N] of both sides in m states: that with which A drives counterclockwise, and the other one."""
    one = states.contacts
    found = np.tile(np.where(np.isnan(states.slope), np.nan, 0.0), (2, 1))
    np.add.at(found, ((one.side < 0.0).astype(np.int64), one.state), one.force)
    return found
