"""Measured deviations of a flank: topography and pitch deviations, and the files they come in.

The files are CSV as :mod:`alegear.column_file` reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear.column_file import read_columns
from alegear.errors import Fault
from alegear.short_repr import ShortRepr

Array = NDArray[np.float64]

TOPOGRAPHY_COLUMNS = ("roll_length_mm", "face_position_mm", "deviation_um")
PITCH_COLUMNS = ("tooth", "deviation_um")

MOST_TEETH = 1_000_000  # more than any gear here has; numbers beyond it are no teeth
SAME_PLACE = 1e-9
"""Places of the grid that differ by less [m] are the same row or column: a thousandth of the last digit written."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Topography(ShortRepr):
    """Hold the measured deviation of a flank on a regular grid; material removed is positive.

    Between the points the deviation is interpolated by piecewise cubic polynomials that never leave the range of the
    neighbouring points (PCHIP along the profile, then across the face): value and slope are continuous, a bilinear
    field is met exactly, and nothing overshoots. Beyond the outermost rows and columns the value there counts.

    Parameters
    ----------
    roll_length : shape (n,) [m]
        Roll lengths (r_b times the roll angle) of the rows, rising, n >= 2.
    z : shape (m,) [m]
        Places across the face of the columns, from mid-face, rising, m >= 2.
    removal : shape (n, m) [m]
        Normal offset into the material.

    Raises
    ------
    Fault
        For a grid that is too small, not rising, of another shape than its places, or with numbers that are not
        finite. Whether it lies on the flank is known to the :class:`~alegear.geometry.gear.Gear`, which checks it.

    Notes
    -----
    Source of the interpolation: Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300, as SciPy has it.
    """

    roll_length: Array
    z: Array
    removal: Array

    def __post_init__(self) -> None:
        for name in ("roll_length", "z", "removal"):
            values = np.array(getattr(self, name), dtype=float)
            values.setflags(write=False)
            object.__setattr__(self, name, values)
            if not np.all(np.isfinite(values)):
                raise Fault(
                    f"topography: {name}",
                    float(values[~np.isfinite(values)].flat[0]),
                    "finite numbers",
                    "correct or leave out these points in topography_csv",
                )
        for name in ("roll_length", "z"):
            places = getattr(self, name)
            if places.ndim != 1 or places.size < 2 or np.any(np.diff(places) <= SAME_PLACE):
                raise Fault(
                    f"topography: number of positions along {name}",
                    places.size,
                    "at least 2, rising",
                    "give a grid of at least 2 x 2 points in topography_csv",
                )
        if self.removal.shape != (self.roll_length.size, self.z.size):
            raise Fault(
                "topography: shape of the deviations",
                self.removal.shape,
                f"({self.roll_length.size}, {self.z.size}), roll lengths x face positions",
                "give one deviation for each point of the grid in topography_csv",
            )

    def from_other_end(self) -> Topography:
        """Return the deviations of the same gear turned over, so that its +z is where -z was."""
        return Topography(roll_length=self.roll_length, z=-self.z[::-1], removal=self.removal[:, ::-1])

    @classmethod
    def from_csv(cls, path: str | Path) -> Topography:
        """Read a file of roll length [mm], face position [mm] and deviation [um], one point a line, in any order.

        Raises
        ------
        Fault
            For a file that cannot be read, other columns, a value that is no finite number, a point given twice, and
            a hole in the grid.
        """
        path = Path(path)
        table = read_columns(path, TOPOGRAPHY_COLUMNS, "topography_csv")
        roll, rows = _distinct(1e-3 * table[:, 0])
        z, columns = _distinct(1e-3 * table[:, 1])
        removal = np.full((roll.size, z.size), np.nan)
        count = np.zeros(removal.shape, dtype=int)
        np.add.at(count, (rows, columns), 1)
        if np.any(count > 1):
            i, j = np.argwhere(count > 1)[0]
            raise Fault(
                f"{path.name}: deviations at roll length {1e3 * roll[i]:.6g} mm, face position {1e3 * z[j]:.6g} mm",
                int(count[i, j]),
                "1: each point once",
                "remove the others from topography_csv",
            )
        if np.any(count == 0):
            i, j = np.argwhere(count == 0)[0]
            raise Fault(
                f"{path.name}: deviation at roll length {1e3 * roll[i]:.6g} mm, face position {1e3 * z[j]:.6g} mm",
                "missing",
                f"given: the grid of {roll.size} roll lengths x {z.size} face positions has"
                f" {np.count_nonzero(count == 0)} hole(s)",
                "fill the grid in topography_csv; every roll length needs every face position",
            )
        removal[rows, columns] = 1e-6 * table[:, 2]
        return cls(roll_length=roll, z=z, removal=removal)

    def removal_at(self, roll_length: ArrayLike, z: ArrayLike) -> Array:
        """Return the deviation between the points, shape (n,) [m], for roll lengths (n,) [m] and places z (n,) [m]."""
        from scipy.interpolate import PchipInterpolator  # here, because it takes longer to import than all of geometry

        xi, across = np.broadcast_arrays(
            np.clip(np.asarray(roll_length, dtype=float), self.roll_length[0], self.roll_length[-1]),
            np.clip(np.asarray(z, dtype=float), self.z[0], self.z[-1]),
        )
        rows, row = np.unique(xi.ravel(), return_inverse=True)
        columns = PchipInterpolator(self.roll_length, self.removal, axis=0)(rows)
        coefficients = PchipInterpolator(self.z, columns, axis=1).c  # (4, intervals, rows)
        interval = np.clip(np.searchsorted(self.z, across.ravel(), side="right") - 1, 0, self.z.size - 2)
        step = across.ravel() - self.z[interval]
        c = coefficients[:, interval, row]
        value: Array = ((c[0] * step + c[1]) * step + c[2]) * step + c[3]
        return value.reshape(xi.shape)


def read_pitch_deviation(path: str | Path) -> Array:
    """Read a file of tooth number and deviation [um], each tooth once, in any order.

    Teeth are counted from 0, in the order in which they come into mesh; tooth 0 is the one in pair 0.

    Returns
    -------
    shape (z,) [m]
        Material added to the flanks of each tooth.

    Raises
    ------
    Fault
        For a file that cannot be read, other columns, a value that is no finite number, and teeth that are missing,
        given twice or not counted from 0.
    """
    path = Path(path)
    table = read_columns(path, PITCH_COLUMNS, "pitch_deviation_csv")
    tooth = table[:, 0]
    remedy = f"give each tooth once in pitch_deviation_csv, counted from 0 to {len(table) - 1}"
    for number in tooth:
        if number != round(number) or not 0 <= number <= MOST_TEETH:
            raise Fault(f"{path.name}: tooth", f"{number:g}", f"a whole number from 0 to {MOST_TEETH}", remedy)
    numbers, count = np.unique(tooth.astype(int), return_counts=True)
    if np.any(count > 1):
        raise Fault(f"{path.name}: tooth", int(numbers[count > 1][0]), "given once", remedy)
    wrong = np.flatnonzero(numbers != np.arange(numbers.size))
    if wrong.size:
        raise Fault(
            f"{path.name}: tooth", int(wrong[0]), f"given too: the file goes to tooth {int(numbers[-1])}", remedy
        )
    deviation = np.empty(numbers.size)
    deviation[tooth.astype(int)] = 1e-6 * table[:, 1]
    return deviation


def _distinct(places: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return the distinct places, rising, and for each given place its number among them."""
    order = np.argsort(places, kind="stable")
    new = np.concatenate(([True], np.diff(places[order]) > SAME_PLACE))
    number = np.empty(places.size, dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return places[order][new], number
