"""Closed trains: whether the teeth of all meshes find their spaces at once, and how the gears are mounted then.

The rotations of both gears of a mesh, in pitches from the contact of the flanks that carry, differ by

    y_2/p_2 - y_1/p_1 = s lag + k,        0 <= lag <= backlash                                        (1)

lag: of the follower behind these flanks, which it can turn on to; s = 1 where the second gear drives, else -1; k: whole
pitches, for a gear may be mounted tooth by tooth. Where no path is closed each shaft in turn is set so that flanks
touch. Around a closed path c the differences, as angles of the drive, add up to what they are as the shafts stand,

    sum_m c_m (s_m lag_m + k_m) = sum_m c_m apart_m,       c_m = +-1/(teeth of m that pass in a turn of the drive)   (2)

One linear problem in all lags and whole numbers, which does not know the order of the meshes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alegear.errors import Fault
from alegear.system.coordinates import Array, Indices

#: Part of a pitch by which the teeth of a closed train may miss each other beyond its backlash: positions in a file.
ASSEMBLED = 1e-4


@dataclass(frozen=True, kw_only=True, eq=False)
class SetMesh:
    """A mesh of a train whose shafts are set one after the other.

    Parameters
    ----------
    name : str
    shafts : (str, str)
        Of first and second gear.
    teeth : (int, int)
    sets : str or None
        The shaft that is set by this mesh; None: both are set, and it closes a path.
    per_turn : float
        Teeth that pass in a turn of the drive.
    sense : float
        1 where the second gear drives, else -1.
    apart : float [pitches]
        Rotation of the second gear less that of the first, as the shafts stand.
    backlash : float [pitches]
    """

    name: str
    shafts: tuple[str, str]
    teeth: tuple[int, int]
    sets: str | None
    per_turn: float
    sense: float
    apart: float
    backlash: float

    def teeth_on(self, shaft: str) -> int:
        """Teeth of its gear on a shaft."""
        return self.teeth[self.shafts.index(shaft)]


@dataclass(frozen=True, kw_only=True, eq=False)
class ClosedTrain:
    """Meshes that hang together by closed paths.

    Parameters
    ----------
    meshes : sequence of SetMesh
    paths : shape (n_paths, n_meshes)
        c of (2), each row over the largest of its magnitudes, so that the sum is in pitches; in each there is one mesh
        that closes it.
    """

    meshes: Sequence[SetMesh]
    paths: Array

    def differences(self) -> dict[str, float]:
        """(1) by mesh [pitches], of the assembly that moves the fewest teeth, then with the smallest sum of lags.

        Raises
        ------
        Fault
            If there is none.
        """
        n = len(self.meshes)
        least = self._solved(lag=0.0, tooth=np.zeros(n), miss=1.0, most=None)
        if least.misses > ASSEMBLED:
            names = ", ".join(mesh.name for mesh in self.meshes)
            what = f"teeth of meshes {names} [pitches apart, in a closed train]"
            limit = f"at most what the backlash takes up, {least.apart - least.misses:.4g}"
            remedy = "correct tooth_angle_deg, the positions of the shafts or the teeth, or give more backlash"
            raise Fault(what, float(f"{least.apart:.4g}"), limit, remedy)
        # a tooth counts more than all lags, and what it misses by more than the lags that it could spare
        tooth = np.array([0.0 if mesh.sets is None else 2.0 * n for mesh in self.meshes])
        found = self._solved(lag=1.0, tooth=tooth, miss=2.0 * n, most=ASSEMBLED)
        return {mesh.name: float(one) for mesh, one in zip(self.meshes, found.difference, strict=True)}

    @property
    def most_teeth(self) -> Indices:
        """Teeth on or back that are looked at for each mesh.

        A shaft that is turned tooth by tooth of one gear is as it was when its other gears have come to a tooth again;
        of a mesh that closes a path what the others leave for it.
        """
        most = np.zeros(len(self.meshes), dtype=np.int64)
        for m, mesh in enumerate(self.meshes):
            if mesh.sets is not None:
                teeth = [one.teeth_on(mesh.sets) for one in self.meshes if mesh.sets in one.shafts]
                most[m] = mesh.teeth_on(mesh.sets) // math.gcd(*teeth) // 2
        turned = most.copy()
        for path in np.abs(self.paths):
            closing = next(m for m in np.flatnonzero(path).tolist() if self.meshes[m].sets is None)
            most[closing] = math.ceil(float(path @ turned) / path[closing]) + 1
        return most

    def _solved(self, *, lag: float, tooth: Array, miss: float, most: float | None) -> _Assembly:
        """Minimise lags, teeth on or back and misses with these weights.

        Unknowns by mesh: the lag within the backlash, what it is beyond and below, teeth on and back.
        """
        from scipy.optimize import linprog  # here, because it is slow to import

        n = len(self.meshes)
        sense, apart = (np.array([getattr(mesh, name) for mesh in self.meshes]) for name in ("sense", "apart"))
        forward = self.paths * sense
        bounds: list[tuple[float, float | None]] = [(0.0, mesh.backlash) for mesh in self.meshes]
        bounds += 2 * n * [(0.0, most)]
        bounds += 2 * [(0.0, float(k)) for k in self.most_teeth]
        found = linprog(
            np.concatenate([np.full(n, lag), np.full(2 * n, miss), tooth, tooth]),
            A_eq=np.hstack([forward, forward, -forward, self.paths, -self.paths]),
            b_eq=self.paths @ apart,
            bounds=bounds,
            integrality=np.repeat([0, 1], [3 * n, 2 * n]),
        )
        assert found.x is not None, found.message  # there is always the one that misses by all of it
        within, beyond, below, on, back = found.x.reshape(5, n)
        teeth = np.rint(on - back)
        return _Assembly(
            difference=sense * (within + beyond - below) + teeth,
            misses=float((beyond + below).sum()),
            apart=float(np.abs(self.paths @ (apart - teeth)).max()),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Assembly:
    """How a closed train is put together.

    Attributes
    ----------
    difference : shape (n_meshes,) [pitches]
        Of the rotations of both gears, (1).
    misses : float [pitches]
        Sum of what lags are beyond their backlash, or below zero.
    apart : float [pitches]
        By what the teeth would miss each other where all flanks that carry touch.
    """

    difference: Array
    misses: float
    apart: float


def closed_trains(meshes: Sequence[SetMesh]) -> list[ClosedTrain]:
    """Find the closed trains among meshes, which are given in the order in which they set the shafts."""
    reached: dict[str, Array] = {}  # from the shaft of the drive: teeth of each mesh on the way, as turns of the drive
    paths: list[Array] = []
    for m, mesh in enumerate(meshes):
        step = np.zeros(len(meshes))
        step[m] = 1.0 / mesh.per_turn
        first, second = (reached.get(shaft, np.zeros(len(meshes))) for shaft in mesh.shafts)
        if mesh.sets is None:
            path = step - (second - first)
            paths.append(path / np.abs(path).max())
        else:
            reached[mesh.sets] = first + step if mesh.sets == mesh.shafts[1] else second - step
    found = []
    for together in _joined(paths):
        used = np.flatnonzero(np.any(together, axis=0)).tolist()
        found.append(ClosedTrain(meshes=[meshes[m] for m in used], paths=np.array(together)[:, used]))
    return found


def _joined(paths: Sequence[Array]) -> list[list[Array]]:
    """Paths in groups that share no mesh."""
    groups: list[list[Array]] = []
    for path in paths:
        sharing = [group for group in groups if any(np.any((path != 0.0) & (one != 0.0)) for one in group)]
        groups = [group for group in groups if not any(group is one for one in sharing)]
        groups.append([path, *(one for group in sharing for one in group)])
    return groups
