"""Line contact of a flexible gear pair: forces where the gears are, and what one evaluation leaves to the next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from alegear.arrays import AnyArray, Array, Indices
from alegear.contact.forces import N_TURNS, Arrays, Deformation, MeshForces, MeshMotion
from alegear.contact.hertz import approach_kernels, evaluation_kernels, load_kernels
from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.face_modes import FaceModes, residual_body, window_teeth
from alegear.contact.hertz.geometry import ContactGeometry
from alegear.contact.hertz.linearised import LinearisedContact
from alegear.contact.hertz.load_kernels import TOLERANCE
from alegear.contact.hertz.model import LineContactData, empty_record, kernel_model, warm_start
from alegear.contact.hertz.solution import LineContactForces, LoadedPoints
from alegear.contact.law import Friction
from alegear.errors import Fault, NonConvergence
from alegear.kernels.compiling_process import compile_beside


@dataclass(frozen=True, kw_only=True, eq=False)
class LineContact(ContactGeometry):
    """Flexible gear pair in contact along lines, slice by slice across the face (law ``hertz``).

    It is constant: threads may share it, each with data of its own. Gears may be displaced, and with :meth:`vibrating`
    have normal modes as further coordinates.
    """

    @property
    def damps(self) -> bool:
        """Whether the law has a damping of its own: Hertz's has none."""
        return False

    @property
    def lossless(self) -> LineContact | None:
        """The same contact without friction; None if it has none."""
        return None if self.friction.kind == "none" else replace(self, friction=Friction())

    def turning(self, answers: tuple[Array, Array]) -> LineContact:
        """Let the rotation of the gears deform them: `answers` of pinion and wheel, shape (k, nf) [m per load]."""
        return replace(self, answers=answers)

    def vibrating(
        self, modes: tuple[FaceModes, FaceModes], remainders: tuple[Array, Array] | None = None
    ) -> LineContact:
        """Let the gears vibrate in normal modes, which become coordinates.

        Parameters
        ----------
        modes : FaceModes of pinion and wheel
        remainders : of pinion and wheel, shape (k, nf), optional [m per load]
            What the modes leave of the displacements of the faces of a tooth by k loads of rotation.

        Raises
        ------
        Fault
            If a gear is a segment, or the modes are of other faces.
        """
        pinion, wheel = (residual_body(body, m) for body, m in zip(self.bodies, modes, strict=True))
        return replace(self, bodies=(pinion, wheel), modes=modes, answers=remainders)

    def on_faces(self, gear: int, first_pair: int) -> Array:
        """Modes on the faces of the window, ordered as the superelement, shape (n_dof, m) [kg^-1/2]."""
        assert self.modes is not None
        return self.modes[gear].on_teeth(window_teeth(self.n_pairs, gear, first_pair))

    # ------------------------------------------------------------------------------- data
    def new_data(self, *, displaced: bool = False) -> LineContactData:
        """Room for evaluations, with displacements of the gears as coordinates if `displaced`."""
        data = LineContactData.of(self.model, displaced=displaced)
        model, points = self.model, data.points
        loads = (model, points.found, points.rows, points.coupling, points.loads, 0.0, False, False)
        compile_beside(  # the two largest of those that an evaluation calls
            (load_kernels.find_loads, loads),
            (evaluation_kernels.differentiate, (model, data.motion, data.memory, points, data.response)),
        )
        return data

    def history(self, forces: MeshForces | Deformation, shift: int, step: float) -> None:
        """Nothing: this law knows no rates of the gap."""

    def memory(self, data: LineContactData, forces: MeshForces | Deformation | None) -> Arrays:
        """The warm start; this law needs no forces."""
        return {name: values.copy() for name, values in warm_start(data.memory, data.points).items()}

    def recall(self, data: LineContactData, memory: Mapping[str, AnyArray]) -> None:
        """Take up a warm start."""
        for name, values in warm_start(data.memory, data.points).items():
            values[...] = memory[name]

    def forget(self, data: LineContactData) -> None:
        """Drop the warm start."""
        data.memory.line_load[:] = 0.0

    @cached_property
    def model(self) -> kernels.Model:
        """Everything that the kernels need to know."""
        return kernel_model(self)

    # ------------------------------------------------------------------------------- gaps
    def closest_gap(self, data: LineContactData, motion: MeshMotion, reach: float) -> float:
        """Smallest gap of the undeformed loaded flanks [m], negative = overlap; infinite beyond `reach`."""
        table, _, _ = self.find(data, 0, motion, reach)
        return float((table[:, kernels.GAP] - table[:, kernels.EASE]).min()) if len(table) else math.inf

    def find(
        self, data: LineContactData, number: int, motion: MeshMotion, reach: float
    ) -> tuple[Array, Indices, Indices]:
        """Points of one side with a gap below `reach`: table, pair (slot of the pinion's tooth) and slice."""
        data.take(motion)
        found = data.points.found
        approach_kernels.find_side(self.model, number, data.motion, data.displaced, reach, found)
        _check_room(data)
        n = int(found.count[0])
        return found.table[:n].copy(), found.pair_of[:n].copy(), found.slice_of[:n].copy()

    # ------------------------------------------------------------------------------- forces
    def evaluate(
        self,
        data: LineContactData,
        motion: MeshMotion,
        *,
        tangent: bool = True,
        energy: bool = False,
        again: bool = False,
    ) -> LineContactForces:
        """Contact forces of a motion, on rotations, displacements if the data have them, and modes.

        Parameters
        ----------
        data : LineContactData
        motion : MeshMotion
            Its history is of no use to this law; sliding speeds are those of the rotations.
        tangent : bool
            Whether to compute the derivatives of the forces.
        energy : bool
            Whether to compute the elastic energy, which costs as much as the rest: of the bodies, which with modes are
            what these leave, and of the layers.
        again : bool
            Whether the motion is that of the last evaluation with these data but for the rotations that the gaps are
            ahead: then the positions of contact stay, to the last digit.

        Raises
        ------
        NonConvergence
            If the active set does not settle.
        Fault
            If pairs come near in more positions than there is room for.
        """
        data.take(motion)
        points, response = data.points, data.response
        wanted = evaluation_kernels.TANGENT * tangent + evaluation_kernels.ENERGY * energy
        wanted += evaluation_kernels.AGAIN * again
        iterations = evaluation_kernels.evaluate(self.model, data.motion, wanted, data.memory, points, response)
        _check_room(data)
        if iterations == evaluation_kernels.NOT_SETTLED:
            phi, table = data.motion.phi, points.found.table[: points.found.count[0]]
            raise NonConvergence(
                f"rotations {phi[0]:.6g}, {phi[1]:.6g} rad (loads of the slices, gap left [m])",
                float(points.loads.misfit[0]),
                TOLERANCE * float((table[:, kernels.EASE] - table[:, kernels.GAP]).max()),
                "check the microgeometry for steps in the flank, or use another number of slices",
            )
        record = empty_record(self.model, len(points.found.table))
        evaluation_kernels.record_loaded(self.model, points.found, points.rows, points.loads, 0, record)
        return LineContactForces(
            force=response.force.copy(),
            friction=response.friction.copy(),
            pair_torque=response.pair_torque.copy(),
            by_coordinate=response.by_coordinate.copy() if tangent else None,
            by_gap_offset=response.by_gap_offset.copy() if tangent else None,
            by_speed=response.by_speed.copy() if tangent else None,
            energy=float(response.energy[0]) if energy else None,
            energy_torque=response.energy[1:].copy() if energy else None,
            loaded=LoadedPoints(
                contact=self,
                model=self.model,
                record=kernels.Record._make(values[: record.count[0]] for values in record),
                phi=data.motion.phi.copy()[None, :],
                first_pair=data.motion.first_pair.copy(),
            ),
            iterations=iterations,
        )

    def linearise(self, data: LineContactData, motion: MeshMotion) -> LinearisedContact:
        """Contact near a motion without friction: small changes at the same positions.

        Raises
        ------
        NonConvergence
        """
        contact = self.lossless or self
        found = contact.evaluate(data, motion, tangent=False).loaded
        n = len(found.record.force)
        one_by_one = LoadedPoints(
            contact=contact,
            model=contact.model,
            record=found.record._replace(sample=np.arange(n), force=np.ones(n)),
            phi=np.repeat(found.phi, n, axis=0),
            first_pair=np.repeat(found.first_pair, n),
        )
        opening = data.points.generalized.opening[:n, : data.points.generalized.moves.shape[1]]
        return LinearisedContact(
            arms=opening[:, :N_TURNS].copy(),
            displaced=opening[:, N_TURNS:].copy(),
            compliance=contact.loaded_compliance(data),
            force=found.record.force.copy(),
            nodal=one_by_one.nodal_forces(),
        )

    def loaded_compliance(self, data: LineContactData) -> Array:
        """How unit forces at the loaded points open their gaps, their own approach on the diagonal, (m, m) [m/N].

        Of the last evaluation in these data, which must not have been one of the energy: that leaves other values.
        """
        loads, loaded = data.points.loads, data.loaded_points
        own = np.diag(loads.approach[loaded, 1]) / self.contact_length
        return np.asarray(data.points.coupling.G[np.ix_(loaded, loaded)] + own, dtype=np.float64)


def _check_room(data: LineContactData) -> None:
    """Refuse a state of which points were left out."""
    found = data.points.found
    if found.left_out[0]:
        raise Fault(
            "positions at which pairs come near",
            int(found.count[0] + found.left_out[0]),
            f"at most {len(found.table)}: one for each pair in each slice, a second one for one pair of each side",
            "check tip_relief_um, root_relief_um and the topography for flanks that touch in several places",
        )
