"""Which teeth meet how often: two gears in mesh, perhaps on planets, by tooth numbers and speeds."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from typing import NamedTuple

from alegear.geometry.train_kinematics import GROUND


class MeshingTeeth(NamedTuple):
    """Two gears in mesh.

    Attributes
    ----------
    name : str
    shafts : (str, str)
        What both turn with.
    teeth : (int, int)
        Those of a ring negative.
    carrier : str
        What holds both axes; the ground, or a carrier.
    planets : int
        Meshes of this kind about the carrier; 0 where nothing is a planet.
    central : str or None
        Which of the shafts is that of a central gear; None of planets that mesh with each other, and without a carrier.
    """

    name: str
    shafts: tuple[str, str]
    teeth: tuple[int, int]
    carrier: str = GROUND
    planets: int = 0
    central: str | None = None

    def frequency(self, speeds: Mapping[str, float]) -> float:
        """Teeth that pass, ``|z_1 (n_1 - n_c)|``, in the unit of the speeds; the ground stands."""
        return abs(self.teeth[0] * self.against_carrier(self.shafts[0], speeds))

    def hunting(self, speeds: Mapping[str, float]) -> float:
        """How often the same two teeth meet: ``gcd(z_1, z_2)/(|z_1 z_2|)`` of the frequency of the mesh."""
        z_1, z_2 = self.teeth
        return self.frequency(speeds) * gcd(z_1, z_2) / abs(z_1 * z_2)

    def against_carrier(self, shaft: str, speeds: Mapping[str, float]) -> float:
        """Speed of a shaft less that of the carrier."""
        return _speed(shaft, speeds) - _speed(self.carrier, speeds)

    def known(self, speeds: Mapping[str, float]) -> bool:
        """Whether these are speeds of all that it has."""
        return all(one == GROUND or one in speeds for one in (*self.shafts, self.carrier))


def _speed(shaft: str, speeds: Mapping[str, float]) -> float:
    return 0.0 if shaft == GROUND else float(speeds[shaft])
