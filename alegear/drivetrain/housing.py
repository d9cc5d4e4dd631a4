"""A housing or carrier as a stiffness matrix at named points, condensed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from alegear.drivetrain import matrix_files
from alegear.drivetrain.matrix_files import MOTIONS
from alegear.errors import Fault, unknown_name
from alegear.limits import array_of
from alegear.parameters import NamedPart
from alegear.system.builder import Part, SystemBuilder
from alegear.system.coordinates import Array, Place, Scales
from alegear.system.definite import check_definite

#: Force of a rigid motion over that of the single entries: digits that a condensation leaves in a file.
NO_FORCE = 1e-6
#: Least eigenvalue, with ones on the diagonal, of a motion that is held, for the same reason.
HELD = 1e-8
IN_MILLIMETRES = "N mm t"
#: In which an .mtx can be; turns are in rad in both.
UNITS = ("N m kg", IN_MILLIMETRES)
#: Farthest point [m]: beyond it coordinates are in millimetres.
FARTHEST = 100.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Housing(NamedPart, Part):
    """Points that a condensed stiffness connects, with small displacements and turns along x, y, z in space.

    Parameters
    ----------
    name : str
        Its points are the places ``"name@point"``.
    points : mapping of str to shape (3,) [m]
    stiffness : shape (n, n) [N/m, N, N m/rad]
        Free in space: of n = 6 per point, or of those that `motions` names.
    motions : mapping of str to tuple of str, or None
        By point, of ``"x"``, ``"y"``, ``"z"``, ``"tilt x"``, ``"tilt y"``, ``"tilt z"``; None: all six.
    mass : shape (n, n) or None [kg, kg m, kg m2]
        None: for equilibria only.
    fixed : tuple of str
        Points that stand still: feet on a foundation.
    scales : Scales or None
        None: those of the machine.

    Raises
    ------
    Fault
        If the matrix is not square and symmetric, has negative eigenvalues, or not exactly the rigid motions that the
        points give.
    """

    TABLE: ClassVar[str] = "housings"
    makes_bodies: ClassVar[bool] = True

    points: Mapping[str, Array]
    stiffness: Array
    motions: Mapping[str, tuple[str, ...]] | None = None
    mass: Array | None = None
    fixed: tuple[str, ...] = ()
    scales: Scales | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_points()
        n = len(self.coordinates)
        for which in ("stiffness", "mass"):
            if getattr(self, which) is not None:
                matrix = array_of(getattr(self, which), f"Housing.{which}")
                check_definite(f"{which} of housing {self.name}", matrix, n, -NO_FORCE)
                object.__setattr__(self, which, 0.5 * (matrix + matrix.T))
        self._check_rigid_motions()

    @property
    def coordinates(self) -> list[tuple[str, str]]:
        """Point and motion of each row of the matrix."""
        given = self.motions or dict.fromkeys(self.points, MOTIONS)
        return [(point, motion) for point in self.points for motion in given[point]]

    def rigid_motions(self) -> Array:
        """Displacements (n, 6) of the coordinates by the rigid motions of the whole about the middle of its points."""
        middle = np.mean([np.asarray(p, dtype=np.float64) for p in self.points.values()], axis=0)
        rows = []
        for point, motion in self.coordinates:
            x, y, z = np.asarray(self.points[point], dtype=np.float64) - middle
            of_point = np.eye(6)
            of_point[:3, 3:] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]  # phi x r
            rows.append(of_point[MOTIONS.index(motion)])
        return np.array(rows)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add its points and the matrix between them."""
        builder.claim(self.name, "housing")
        kept, indices = [], []
        for number, (point, motion) in enumerate(self.coordinates):
            if point not in self.fixed:
                kept.append(number)
                indices.append(builder.coordinate(f"{self.name}@{point}", motion, scales=self.scales))
        for point in self.points:
            place = self._place(point, dict(zip(kept, indices, strict=True)))
            builder.place(place)
            builder.falls(place)
        of = np.ix_(kept, kept)
        builder.linear(
            f"{self.name} stiffness",
            at=indices,
            stiffness=self.stiffness[of],
            mass=None if self.mass is None else self.mass[of],
            kind="housings",
        )

    def _place(self, point: str, indices: dict[int, int]) -> Place:
        own = [(number, motion) for number, (at, motion) in enumerate(self.coordinates) if at == point]
        own = [(number, motion) for number, motion in own if number in indices]
        rows = np.zeros((6, len(own)))
        for column, (_, motion) in enumerate(own):
            rows[MOTIONS.index(motion), column] = 1.0
        return Place(
            name=f"{self.name}@{point}",
            coordinates=np.array([indices[number] for number, _ in own], dtype=np.int64),
            rows=rows,
            origin=np.asarray(self.points[point], dtype=np.float64),
        )

    # ------------------------------------------------------------------ checks
    def _check_points(self) -> None:
        if not self.points:
            raise Fault(f"points of housing {self.name}", 0, "at least 1", "name the seats of its bearings")
        for point, at in self.points.items():
            where = array_of(at, f"Housing.points[{point!r}]")
            if where.shape != (3,) or not np.isfinite(where).all() or not np.abs(where).max() <= FARTHEST:
                what = f"point {point} of housing {self.name} [m]"
                raise Fault(what, where.tolist(), f"three numbers, at most {FARTHEST:g}", "give metres")
        for point in self.fixed:
            if point not in self.points:
                raise unknown_name(f"fixed point of housing {self.name}", point, self.points)
        for point in self.points if self.motions is not None else ():
            named = self.motions.get(point, ()) if self.motions is not None else ()
            if not named or len(set(named)) < len(named) or not set(named) <= set(MOTIONS):
                what = f"motions of point {point} of housing {self.name}"
                raise Fault(what, list(named), f"of {', '.join(MOTIONS)}, each once", "correct them")

    def _check_rigid_motions(self) -> None:
        """Check them, and take from the stiffness what the digits of a file leave of force in them."""
        K, R = self.stiffness, self.rigid_motions()
        what = f"stiffness of housing {self.name}"
        worst, which = _largest_force(K, R)
        if worst > NO_FORCE:
            remedy = "condense the housing without supports, and give points and matrix in N, m, rad"
            in_mm = _of_millimetres(self.coordinates)
            if _largest_force(K * np.outer(in_mm, in_mm), R)[0] <= NO_FORCE:
                remedy = "it is in N, mm, rad: multiply forces by displacements by 1000, moments by turns by 0.001"
                remedy += ', or of an .mtx give units "N mm t"'
            elif _largest_force(K / np.outer(in_mm, in_mm), R)[0] <= NO_FORCE:
                remedy = 'it is in N, m, rad already: give units "N m kg"'
            motion = ("displacement along " + "xyz"[which]) if which < 3 else ("rotation about " + "xyz"[which - 3])
            value = f"{worst:.3g} of its entries as the force of a rigid {motion}"
            raise Fault(what, value, f"free of force in rigid motions, to {NO_FORCE:g}", remedy)
        without = np.eye(len(K)) - R @ np.linalg.pinv(R)
        K = without.T @ K @ without
        object.__setattr__(self, "stiffness", 0.5 * (K + K.T))
        scale = 1.0 / np.sqrt(np.where(np.diag(K) > 0.0, np.diag(K), 1.0))
        free = int((np.linalg.eigvalsh(K * np.outer(scale, scale)) < HELD).sum())
        rigid = int(np.linalg.matrix_rank(R))
        if free != rigid:
            limit = f"{rigid}, the rigid motions of its points"
            raise Fault(f"{what}: motions without it", free, limit, "condense it with all its walls")


def _of_millimetres(coordinates: Sequence[tuple[str, str]]) -> Array:
    """Displacements and turns of N, mm, rad in those of N, m, rad: 1, and 1/1000 for turns, shape (n,)."""
    return np.array([1e-3 if "tilt" in motion else 1.0 for _, motion in coordinates])


def _largest_force(K: Array, R: Array) -> tuple[float, int]:
    """Largest force of a rigid motion over the sum of its single parts, and of which motion."""
    parts = np.abs(K) @ np.abs(R)
    share = np.divide(np.abs(K @ R), parts, out=np.zeros_like(parts), where=parts > 1e-12 * parts.max(initial=0.0))
    return float(share.max(initial=0.0)), int(np.unravel_index(int(share.argmax()), share.shape)[1])


def read_housing(name: str, path: Path, *, fixed: tuple[str, ...] = (), scales: Scales | None = None) -> Housing:
    """Read a housing from a text file of points and matrix; the format is in docs/machines.md.

    Raises
    ------
    Fault
    """
    return Housing(name=name, fixed=fixed, scales=scales, **matrix_files.read_points_and_matrices(path))


def read_matrix_file(
    name: str,
    path: Path,
    nodes: Mapping[int, tuple[str, Array]],
    *,
    mass: Path | None = None,
    units: str = "N m kg",
    fixed: tuple[str, ...] = (),
    scales: Scales | None = None,
) -> Housing:
    """Read a housing from an .mtx of Abaqus or CalculiX.

    Parameters
    ----------
    name : str
    path : Path
        Of ``*MATRIX OUTPUT, FORMAT=MATRIX INPUT`` (lines ``node, dof, node, dof, value``) or of
        ``*SUBSTRUCTURE MATRIX OUTPUT``.
    nodes : mapping of int to (str, shape (3,))
        By the number of the node in the file: name and coordinates [m], which are not in it.
    mass : Path, optional
        Of the mass matrix in a file of its own; that of a substructure is taken from its file.
    units : {"N m kg", "N mm t"}
        Of both matrices; coordinates are in metres all the same.
    fixed : tuple of str
    scales : Scales, optional

    Raises
    ------
    Fault
        Also where the rigid motions of the points say that the matrix is in the other units; one that has
        displacements alone says nothing of them.
    """
    if units not in UNITS:
        limit = " or ".join(f'"{one}"' for one in UNITS)
        raise Fault(f"units of the matrix of housing {name}", f'"{units}"', limit, "correct units")
    stiffness = matrix_files.read_mtx(path, "STIFFNESS")
    found, names = matrix_files.by_points(path, stiffness, {node: given[0] for node, given in nodes.items()})
    if mass is not None:
        of_mass = matrix_files.read_mtx(mass, "MASS")
    else:
        of_mass = matrix_files.read_mtx(path, "MASS", optional=True)
    inertia = None
    if of_mass is not None:
        inertia = matrix_files.by_points(path, of_mass, {node: given[0] for node, given in nodes.items()}, names)[0]
    if units == IN_MILLIMETRES:
        turn = _of_millimetres(names)
        in_si = np.outer(turn, turn) * 1e3  # N/mm is 1000 N/m, t is 1000 kg
        found, inertia = found * in_si, None if inertia is None else inertia * in_si
    motions: dict[str, tuple[str, ...]] = {}
    for point, motion in names:
        motions[point] = (*motions.get(point, ()), motion)
    return Housing(
        name=name,
        points={given[0]: given[1] for given in nodes.values()},
        stiffness=found,
        mass=inertia,
        motions=motions,
        fixed=fixed,
        scales=scales,
    )
