"""The grid of a tooth face that carries the elastic displacement: where its rows and columns lie on the true flank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.mesh.sector import SectorMesh

FEWEST_ROWS = 4  # nodes along the profile that the interpolation of the displacement needs
OFF_FLANK = 1e-4  # modules by which a node may lie off the flank


@dataclass(frozen=True, kw_only=True, eq=False)
class FaceGrid:
    """Rows along the profile that can carry load, columns across the face.

    Parameters
    ----------
    rows_s : shape (n_rows,) [m]
        Arc length of the rows from the root form point, rising; negative in the fillet.
    cols_z : shape (n_cols,) [m]
        Columns, from mid-face of the gear.
    s_low : float [m]
        Arc length of the lowest row of the flank, whether it can carry load or not.
    """

    rows_s: Array
    cols_z: Array
    s_low: float

    @property
    def n_nodes(self) -> int:
        """Nodes of the grid."""
        return len(self.rows_s) * len(self.cols_z)

    @cached_property
    def row_coefficients(self) -> Array:
        """Cubics between the rows whose slopes are those of the parabola through three neighbouring rows.

        The displacement along the profile then has a continuous slope, parabolas are exact, and only four rows have a
        part in each interval: shape (n_rows - 1, 4, 4), coefficients of the powers 0 ... 3 of s - rows_s[j] for the
        rows ``first`` ... ``first + 3``, with ``first = min(max(j - 1, 0), n_rows - 4)``.
        """
        rows_s, n = self.rows_s, len(self.rows_s)
        slopes = np.zeros((n, n))
        for node in range(n):
            middle = min(max(node, 1), n - 2)
            three = [middle - 1, middle, middle + 1]
            for i in three:
                others = [k for k in three if k != i]
                slopes[node, i] = sum(rows_s[node] - rows_s[k] for k in others) / np.prod(
                    [rows_s[i] - rows_s[k] for k in others]
                )
        # Hermite's cubic in powers of s - rows_s[j], from values and slopes at both ends
        value, h = np.eye(n), np.diff(rows_s)[:, None]
        secant = np.diff(value, axis=0) / h
        square = (3.0 * secant - 2.0 * slopes[:-1] - slopes[1:]) / h
        cube = (slopes[:-1] + slopes[1:] - 2.0 * secant) / h**2
        powers = np.stack([value[:-1], slopes[:-1], square, cube])  # (power, interval, node)
        out = np.empty((n - 1, 4, 4))
        for j in range(n - 1):
            first = min(max(j - 1, 0), n - 4)
            out[j] = powers[:, j, first : first + 4]
        return out

    @classmethod
    def of(cls, gear: CylindricalGear, sector: SectorMesh, flank: Literal["a", "b"]) -> FaceGrid:
        """Find rows and columns of a sector's tooth face; every node is held against the true, unmodified flank.

        Raises
        ------
        Fault
            If nodes do not lie on the flank (a sector mesh made elsewhere for another gear).
        """
        grid = sector.flank_a if flank == "a" else sector.flank_b
        side = 1.0 if flank == "a" else -1.0
        points = sector.volume.points[grid]
        n_rows = len(sector.loaded(flank))
        if min(grid.shape) < 2 or n_rows < FEWEST_ROWS:
            raise Fault(
                "rows and columns of the grid's flank",
                f"{n_rows} and {grid.shape[1]}",
                f"at least {FEWEST_ROWS} and 2",
                "use more elements along the flank and across the face",
            )
        cols_z = np.ascontiguousarray(points[0, :, 2])
        limit = OFF_FLANK * gear.m_n
        if max(abs(cols_z[0] + 0.5 * gear.b), abs(cols_z[-1] - 0.5 * gear.b)) > limit:
            raise Fault(
                "face of the grid [mm]",
                f"{1e3 * cols_z[0]:.6g} ... {1e3 * cols_z[-1]:.6g}",
                f"{-5e2 * gear.b:.6g} ... {5e2 * gear.b:.6g}, the face width of the gear about mid-face",
                "use a sector mesh of this very gear, or correct face_width_mm",
            )
        profile = gear.tooth_profile
        radius = np.hypot(points[:, 0, 0], points[:, 0, 1])
        rows_s = profile.s_at_radius(np.clip(radius, gear.r_f, gear.r_a))
        exact = profile.points(rows_s)
        exact[:, 1] *= side
        turn = np.exp(1j * gear.twist * cols_z)  # a helical tooth is its middle section, turned along the face
        placed = (exact[:, 0] + 1j * exact[:, 1])[:, None] * turn
        off = np.abs(points[:, :, 0] + 1j * points[:, :, 1] - placed).max()
        off = max(off, np.abs(points[:, :, 2] - cols_z).max())
        if off > limit:
            raise Fault(
                "distance of the grid's flank nodes from the true flank [um]",
                f"{1e6 * off:.4g}",
                f"below {1e6 * limit:.3g} um (1e-4 modules)",
                "use a sector mesh of this very gear, rows along the profile and columns across the face, "
                "tooth centre line on the x axis at mid-face",
            )
        loaded = slice(None) if sector.loaded_rows is None else list(sector.loaded_rows)
        return cls(rows_s=np.ascontiguousarray(rows_s[loaded]), cols_z=cols_z, s_low=float(rows_s[0]))
