"""What an evaluation of line contact works in, and where the next one starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import MeshMotion
from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.model import buffers, empty_memory, empty_motion, empty_response

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class LineContactData:
    """Buffers and warm start of a line contact; one thread at a time may use them.

    Attributes
    ----------
    displaced : bool
        Whether displacements of the gears are coordinates.
    memory : Memory
        Where the next evaluation starts; its answer does not depend on it.
    points, motion, response : Points, Motion, Answer
        What the last evaluation worked in.
    """

    displaced: bool
    memory: kernels.Memory
    points: kernels.Points
    motion: kernels.MeshKinematics
    response: kernels.MeshResponse

    @classmethod
    def of(cls, model: kernels.Model, *, displaced: bool) -> LineContactData:
        """Make room for a model."""
        points = buffers(model, displaced=displaced)
        return cls(
            displaced=displaced,
            memory=empty_memory(model),
            points=points,
            motion=empty_motion(model),
            response=empty_response(model.n_pairs, points.generalized.opening.shape[1]),
        )

    def take(self, motion: MeshMotion) -> None:
        """Write down what is asked for.

        Raises
        ------
        ValueError
            For coordinates that are not there: displacements without `displaced`, another number of modes or loads.
        """
        there = self.motion
        there.phi[:], there.omega[:], there.first_pair[0] = motion.phi, motion.omega, motion.first_pair
        there.gap_offset[:] = motion.gap_offset
        if not self.displaced and (np.any(motion.displacement) or np.any(motion.displacement_gap_offset)):
            raise ValueError("data without displacements: make them by new_data(displaced=True)")
        there.shift[:], there.shift_gap_offset[:] = (
            np.ravel(motion.displacement),
            np.ravel(motion.displacement_gap_offset),
        )
        for name, room, given in (
            ("modal", there.modal, motion.modal),
            ("modal_gap_offset", there.modal_gap_offset, motion.modal_gap_offset),
            ("loads", there.loads, motion.loads),
        ):
            if np.size(given) not in (0, room.size):
                raise ValueError(f"{name}: {np.size(given)} numbers, the contact has {room.size}")
            room[...] = given if np.size(given) else 0.0

    @property
    def loaded_points(self) -> NDArray[np.int64]:
        """Rows of the loaded points of the last evaluation among its points, shape (m,)."""
        return np.flatnonzero(self.points.loads.force[: self.points.found.count[0]] > 0.0)
