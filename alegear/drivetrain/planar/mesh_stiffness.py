"""Stiffness of a mesh over its position, from a static study of the same pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from alegear.drivetrain.planar.factor import PeriodicFactor
from alegear.drivetrain.planar.springs import LinearSpring
from alegear.drivetrain.static_dataset import dataset_of, values_over_a_pitch
from alegear.errors import Fault
from alegear.limits import Limits, check_type
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr

PITCH = Limits(quantity="circular pitch", key="pitch", unit="mm", least=1e-3, most=1e4)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshStiffness(ShortRepr):
    """Mean stiffness along the line of action, and how it changes over the mesh position.

    Parameters
    ----------
    mean : float [N/m]
    factor : PeriodicFactor
        Stiffness over its mean; the mesh position counts from where a pair of teeth touches at the pitch point.

    Raises
    ------
    Fault
    """

    mean: Annotated[
        float, Limits(quantity="mean mesh stiffness", key="mean", unit="N/m", least=0.0, most=1e15, above=True)
    ]
    factor: PeriodicFactor

    def __post_init__(self) -> None:
        check_parameters(self)
        check_type(self, "factor", PeriodicFactor)

    @classmethod
    def from_static(cls, result: object, *, pitch: float) -> MeshStiffness:
        """Take the tangent stiffness of the positions of one pitch.

        It is that under the load of the study. Teeth in line contact grow stiffer with the load, so that a study under
        the load of the machine is needed.

        Parameters
        ----------
        result : Result
            Of a static study with 3 positions per pitch or more.
        pitch : float [m]
            Circular pitch on the working pitch circles, 2 pi r_A/z_A, in which the study counts its phase.

        Raises
        ------
        Fault
            Also for a result without them, and where positions carry no load.
        """
        PITCH.check(pitch, "MeshStiffness.from_static, pitch")
        names = ("mesh_stiffness",)
        (phase, stiffness), n = values_over_a_pitch(dataset_of(result), names, 3, "mesh stiffness")
        stiffness = stiffness[:n]
        if not (np.isfinite(stiffness) & (stiffness > 0.0)).all():
            raise Fault("least mesh stiffness", float(np.min(stiffness)), "above 0 everywhere", "raise the torque")
        mean = float(stiffness.mean())
        return cls(
            mean=mean, factor=PeriodicFactor(period=pitch, values=stiffness / mean, start=float(phase[0]) * pitch)
        )

    def spring(self, *, backlash: float = 0.0, damping: float = 0.0) -> LinearSpring:
        """Return the spring of a mesh with this stiffness; backlash [m] and damping [N s/m] along the line of action.

        Raises
        ------
        Fault
        """
        return LinearSpring(c=self.mean, backlash=backlash, damping=damping, factor=self.factor)
