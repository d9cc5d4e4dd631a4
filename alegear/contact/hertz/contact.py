"""Line contact of a flexible gear pair: forces at given rotations, and what is kept from one evaluation to the next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import Arrays, ContactForces, Deformation, ElasticHistory
from alegear.contact.hertz import approach_kernels, load_kernels
from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.flank_side import FlankSide
from alegear.contact.hertz.geometry import ContactGeometry
from alegear.contact.hertz.linearised import LinearisedContact
from alegear.contact.hertz.model import buffers, empty_answer, empty_memory, empty_record, kernel_model, warm_start
from alegear.contact.hertz.solution import LineContactForces, LoadedPoints
from alegear.contact.law import Friction
from alegear.contact.one_at_a_time import OneAtATime, one_at_a_time
from alegear.errors import Fault, NonConvergence

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class LineContact(OneAtATime, ContactGeometry):
    """Flexible gear pair in contact along lines, slice by slice across the face (law ``hertz``).

    Everything is constant but the warm start, the loads of the last evaluation; answers do not depend on it. Threads
    may share a contact, which answers one after the other.
    """

    @property
    def damps(self) -> bool:
        """Whether the law has a damping of its own: Hertz's has none."""
        return False

    @property
    def lossless(self) -> LineContact | None:
        """The same contact without friction; None if it has none."""
        return None if self.friction.kind == "none" else replace(self, friction=Friction())

    def history(self, forces: ContactForces | Deformation, shift: int, step: float) -> None:
        """Nothing: this law knows no rates of the gap."""

    @one_at_a_time
    def memory(self, forces: ContactForces | Deformation | None) -> Arrays:
        """The warm start; this law needs no forces."""
        return {name: values.copy() for name, values in warm_start(self._memory, self._points).items()}

    @one_at_a_time
    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take up a warm start."""
        for name, values in warm_start(self._memory, self._points).items():
            values[...] = memory[name]

    @one_at_a_time
    def forget(self) -> None:
        """Drop the warm start."""
        self._memory.line_load[:] = 0.0

    def closest_gap(self, phi: Array, reach: float, *, first_pair: int = 0) -> float:
        """Smallest gap of the undeformed loaded flanks [m], negative = overlap; infinite beyond `reach`."""
        table, _, _ = self.find(self.sides[0], phi, reach, first_pair)
        return float((table[:, kernels.GAP] - table[:, kernels.EASE]).min()) if len(table) else math.inf

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
        """Contact forces at given rotations; `history` is of no use to this law.

        Parameters
        ----------
        phi, omega : shape (2,) [rad], [rad/s]
            Rotations in the running direction from the pitch-point contact of the pair in slot 0, and their rates.
        ahead : shape (2,), optional [rad]
            Small rotations by which the gaps are ahead, the points of contact staying where they are: a loss with
            their rates (README, section 6).
        first_pair : int
            Tooth pair in slot 0: the pitch deviations are those of its teeth.
        tangent : bool
            Whether to compute the derivatives of the torques.
        energy : bool
            Whether to compute the elastic energy, which costs as much as the rest.

        Raises
        ------
        NonConvergence
            If the active set does not settle.
        Fault
            If pairs come near in more places than there is room for.
        """
        phi = np.array(phi, dtype=np.float64)
        omega = np.zeros(2) if omega is None else np.array(omega, dtype=np.float64)
        ahead = np.zeros(2) if ahead is None else np.array(ahead, dtype=np.float64)
        points, answer = self._points, empty_answer(self.n_pairs)
        wanted = load_kernels.TANGENT * tangent + load_kernels.ENERGY * energy
        iterations = load_kernels.evaluate(
            self.model, phi, omega, ahead, int(first_pair), wanted, self._memory, points, answer
        )
        self._check_room()
        if iterations == load_kernels.NOT_SETTLED:
            raise NonConvergence(
                f"rotations {phi[0]:.6g}, {phi[1]:.6g} rad (loads of the slices, gap left [m])",
                float(points.loads.misfit[0]),
                load_kernels.TOLERANCE * -float(points.found.table[: points.found.count[0], kernels.GAP].min()),
                "check the microgeometry for steps in the flank, or use another number of slices",
            )
        record = empty_record(self.model, len(points.found.table))
        load_kernels.record_loaded(points.found, points.rows, points.loads, self.model.length, 0, record)
        return LineContactForces(
            torque=answer.torque,
            pair_torque=answer.pair_torque,
            friction_torque=answer.friction_torque,
            torque_phi=answer.torque_phi if tangent else None,
            torque_ahead=answer.torque_ahead if tangent else None,
            torque_omega=answer.torque_omega if tangent else None,
            energy=float(answer.energy[0]) if energy else None,
            energy_torque=answer.energy[1:] if energy else None,
            loaded=LoadedPoints(
                contact=self,
                model=self.model,
                record=kernels.Record._make(values[: record.count[0]] for values in record),
                phi=phi[None, :],
                first_pair=np.array([first_pair]),
            ),
            iterations=iterations,
        )

    @one_at_a_time
    def linearise(self, phi: Array, *, first_pair: int = 0) -> LinearisedContact:
        """Contact near given rotations, :meth:`evaluate`, without friction: small changes at the same places.

        Raises
        ------
        NonConvergence
        """
        contact = self.lossless or self
        forces = contact.evaluate(phi, first_pair=first_pair, tangent=False)
        found = forces.loaded
        active = contact.active_points
        n = len(active)
        one_by_one = LoadedPoints(
            contact=contact,
            model=contact.model,
            record=found.record._replace(sample=np.arange(n), force=np.ones(n)),
            phi=np.repeat(found.phi, n, axis=0),
            first_pair=np.repeat(found.first_pair, n),
        )
        return LinearisedContact(
            arms=found.record.table[:, kernels.G_X : kernels.G_X + 2].copy(),
            displaced=contact.opened_by_displacement(forces),
            compliance=contact.active_compliance(active),
            force=found.record.force.copy(),
            nodal=one_by_one.nodal_forces(),
        )

    def opened_by_displacement(self, forces: LineContactForces) -> Array:
        """Change of the gaps of the loaded points by displacements of the gears, shape (n, 0): they have none."""
        return np.zeros((len(forces.loaded.record.force), 0))

    @property
    def active_points(self) -> NDArray[np.int64]:
        """Places of the loaded points of the last evaluation among its points."""
        return np.flatnonzero(self._points.loads.force[: self._points.found.count[0]] > 0.0)

    def active_compliance(self, active: NDArray[np.int64]) -> Array:
        """How unit forces at those points open their gaps, their own approach on the diagonal, shape (m, m) [m/N].

        Of the last evaluation, which must not have been one of the energy: that leaves other values behind.
        """
        own = np.diag(self._points.loads.approach[active, 1]) / self.contact_length
        return np.asarray(self._points.coupling.G[np.ix_(active, active)] + own, dtype=np.float64)

    @cached_property
    def model(self) -> kernels.Model:
        """Everything that the kernels need to know."""
        return kernel_model(self)

    @cached_property
    def profiles(self) -> tuple[tuple[kernels.Profile, kernels.Profile], ...]:
        """Profiles of pinion and wheel on each side."""
        both = (self.model.loaded, self.model.back)[: len(self.sides)]
        return tuple((side.pinion, side.wheel) for side in both)

    @cached_property
    def _points(self) -> kernels.Points:
        return buffers(self.model)

    @cached_property
    def _memory(self) -> kernels.Memory:
        return empty_memory(self.model)

    def _check_room(self) -> None:
        """Refuse a state of which points were left out."""
        found = self._points.found
        if found.left_out[0]:
            raise Fault(
                "places in which pairs come near",
                int(found.count[0] + found.left_out[0]),
                f"at most {len(found.table)}: one for each pair in each slice, a second one for one pair of each side",
                "check tip_relief_um, root_relief_um and topography_csv for flanks that touch in several places",
            )

    @one_at_a_time
    def find(
        self, side: FlankSide, phi: Array, reach: float, first_pair: int = 0
    ) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
        """Points of closest approach with a gap below `reach`: table, pair (slot of the pinion's tooth) and slice."""
        found = self._points.found
        phi = np.array(phi, dtype=np.float64)
        approach_kernels.find_side(self.model, self.sides.index(side), phi, first_pair, reach, found)
        self._check_room()
        n = int(found.count[0])
        return found.table[:n].copy(), found.pair_of[:n].copy(), found.slice_of[:n].copy()
