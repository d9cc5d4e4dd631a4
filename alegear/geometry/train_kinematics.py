"""Speeds of shafts that gears and planetary sets tie to each other, in exact fractions of tooth numbers.

A train is rows over the speeds of its shafts, each ``sum_s c_s omega_s = 0``; its speeds are what these leave free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from alegear.errors import Fault
from alegear.limits import check_kind, check_type, described

GROUND = "ground"
"""The shaft that stands still."""

Row = list[Fraction]


@dataclass(frozen=True, kw_only=True, eq=False)
class SpeedRow:
    """Tie the speeds of shafts: ``sum_s c_s omega_s = 0``.

    Parameters
    ----------
    name : str
        Of the part, for messages.
    coefficients : mapping of str to int or Fraction
        By shaft; none is 0. Shafts of the same speed may be one shaft: coefficients of one name are added up before.

    Raises
    ------
    Fault
        For coefficients that are no fractions, and for rows of fewer than two shafts.
    """

    name: str
    coefficients: Mapping[str, Fraction | int]

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_type(self, "coefficients", Mapping)
        for shaft, value in self.coefficients.items():
            check_kind(value, f"coefficient of {shaft} in {self.name}", (Fraction, int))
        shafts = [shaft for shaft, value in self.coefficients.items() if value != 0]
        if len(shafts) < 2 or len(shafts) < len(self.coefficients):
            raise Fault(
                f"shafts that {self.name} ties",
                ", ".join(shafts) or "none",
                "at least two, each with a coefficient other than 0",
                f"give {self.name} shafts that differ",
            )


def fixed_ratio(name: str, shafts: tuple[str, str], teeth: tuple[int, int]) -> SpeedRow:
    """Tie two shafts by a pair of gears: ``z_1 omega_1 + z_2 omega_2 = 0``.

    Parameters
    ----------
    name : str
    shafts : (str, str)
    teeth : (int, int)
        Of the gear on each; negative for an internal gear.

    Raises
    ------
    Fault
        For gears without teeth and for one shaft given twice.
    """
    return SpeedRow(name=name, coefficients=dict(zip(shafts, teeth, strict=True)))


def speeds_over(rows: Sequence[SpeedRow], reference: str) -> dict[str, Fraction]:
    """Return the speeds over that of a shaft, of all shafts that the rows tie to it; they may leave others free.

    Parameters
    ----------
    rows : sequence of SpeedRow
    reference : str

    Raises
    ------
    Fault
        If no row has the shaft, or they leave it no speed.
    """
    train = dict.fromkeys(shaft for row in rows for shaft in row.coefficients if shaft != GROUND)
    if reference not in train:
        raise Fault("reference shaft", described(reference), f"one of {', '.join(train) or 'none'}", "name another")
    shafts = list(train)
    matrix = [[Fraction(row.coefficients.get(shaft, 0)) for shaft in shafts] for row in rows]
    free = _null_space(matrix, len(shafts))
    of_reference = [motion[shafts.index(reference)] for motion in free]
    leading = next((i for i, value in enumerate(of_reference) if value != 0), None)
    if leading is None:
        limit = "one that can turn: its gears and couplings hold it"
        raise Fault("reference shaft", reference, limit, "name another, or leave out a coupling that does not hold")
    found = {}
    for i, shaft in enumerate(shafts):
        ratio = free[leading][i] / of_reference[leading]
        if all(motion[i] == ratio * turned for motion, turned in zip(free, of_reference, strict=True)):
            found[shaft] = ratio
    return found


def _reduced(matrix: list[Row], columns: int) -> tuple[list[Row], list[int]]:
    """Reduced row echelon form over the first columns, and those of its pivots."""
    rows = [list(row) for row in matrix]
    pivots: list[int] = []
    for column in range(columns):
        found = next((i for i in range(len(pivots), len(rows)) if rows[i][column] != 0), None)
        if found is None:
            continue
        top = len(pivots)
        rows[top], rows[found] = rows[found], rows[top]
        rows[top] = [value / rows[top][column] for value in rows[top]]
        for i, row in enumerate(rows):
            if i != top and row[column] != 0:
                factor = row[column]
                rows[i] = [value - factor * above for value, above in zip(row, rows[top], strict=True)]
        pivots.append(column)
    return rows, pivots


def _null_space(matrix: list[Row], columns: int) -> list[Row]:
    """Motions that all rows allow, one a list of speeds."""
    rows, pivots = _reduced(matrix, columns)
    motions = []
    for free in (column for column in range(columns) if column not in pivots):
        motion = [Fraction(int(column == free)) for column in range(columns)]
        for row, pivot in zip(rows, pivots, strict=False):
            motion[pivot] = -row[free]
        motions.append(motion)
    return motions
