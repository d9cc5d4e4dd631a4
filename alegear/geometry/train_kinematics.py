"""Speeds of a train of gears, planetary sets, clutches, brakes and freewheels, in exact fractions of tooth numbers.

A train is rows over the speeds of its shafts, each ``sum_s c_s omega_s = 0``, and couplings, each a row
``omega_1 - omega_2 = 0`` where it holds. A state says which couplings are closed; its speeds are what these rows leave
free, its torques the multipliers of the rows: without losses, as no inertia changes its speed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from alegear.errors import Fault
from alegear.limits import check_kind, check_type, described

GROUND = "ground"
"""The shaft that stands still: brakes are couplings with it."""

FREEWHEELS_AT_MOST = 12
"""Freewheels whose sets that may hold are tried one after the other: 4096 of them."""

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
    return SpeedRow(name=name, coefficients=_added_up(zip(shafts, teeth, strict=True)))


def planetary_row(name: str, *, A: str, carrier: str, C: str, i0: Fraction | int) -> SpeedRow:
    """Tie three shafts by a planetary set: ``omega_A - omega_B = i0 (omega_C - omega_B)``, B the carrier.

    Parameters
    ----------
    name : str
    A, carrier, C : str
        Shafts; two of them may be the same, then the set turns as a block.
    i0 : Fraction
        Stationary ratio, :attr:`alegear.geometry.planetary.PlanetarySet.i0`: -z_ring/z_sun with A the sun, C the ring.

    Raises
    ------
    Fault
        For a stationary ratio of 0 or 1, and for one shaft given three times.

    References
    ----------
    Willis (1870); Pelchen, Schweiger, Otter (2002), equation 20.
    """
    check_kind(i0, f"stationary ratio of {name}", (Fraction, int))
    if i0 in (0, 1):
        raise Fault(f"stationary ratio of {name}", i0, "neither 0 nor 1", "correct its tooth numbers")
    return SpeedRow(
        name=name, coefficients=_added_up([(A, Fraction(1)), (carrier, Fraction(i0) - 1), (C, -Fraction(i0))])
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ShaftCoupling:
    """Join two shafts while closed: a clutch, a brake, a freewheel, or a freewheel in series with one of these.

    Parameters
    ----------
    name : str
    shafts : (str, str)
        The second of a brake is :data:`GROUND`.
    one_way : bool
        Whether it is, or works through, a freewheel: the first shaft may run ahead of the second,
        ``omega_1 - omega_2 >= 0``, and is pushed forwards where it would fall behind, by a torque that is
        positive on the first shaft.
    always_closed : bool
        A freewheel without a clutch, or a rigid joint: no state names it.

    Raises
    ------
    Fault
        For a shaft that is coupled with itself.
    """

    name: str
    shafts: tuple[str, str]
    one_way: bool = False
    always_closed: bool = False

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        if len(self.shafts) != 2 or self.shafts[0] == self.shafts[1]:
            raise Fault(
                f"shafts of {self.name}", list(self.shafts), "two that differ", f"correct shafts of {self.name}"
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainState:
    """Hold what a train does with some of its couplings closed.

    Attributes
    ----------
    ratio : Fraction
        Speed of the input over that of the output.
    speeds : dict
        Shaft -> speed, over that of the input.
    torques : dict
        Coupling that holds -> torque on its first shaft, over the magnitude of the input's torque.
    output_torque : Fraction
        Torque that the load puts on the output, over the magnitude of the input's torque.
    holding : tuple of str
        Freewheels that hold.
    idle : tuple of str
        Closed couplings and freewheels whose shafts the others hold together already: they carry nothing here.
    """

    ratio: Fraction
    speeds: dict[str, Fraction]
    torques: dict[str, Fraction]
    output_torque: Fraction
    holding: tuple[str, ...]
    idle: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainKinematics:
    """Say how the shafts of a train turn with some of its couplings closed.

    Parameters
    ----------
    rows : tuple of SpeedRow
        Gears and planetary sets.
    couplings : tuple of ShaftCoupling
    input, output : str
        Shafts.

    Raises
    ------
    Fault
        For names that are given twice and for a shaft that nothing holds.

    Examples
    --------
    >>> train = TrainKinematics(
    ...     rows=(planetary_row("p", A="sun", carrier="arm", C="ring", i0=Fraction(-73, 35)),),
    ...     couplings=(Coupling(name="brake", shafts=("ring", GROUND)),),
    ...     input="sun",
    ...     output="arm",
    ... )
    >>> train.state({"brake"}).ratio
    Fraction(108, 35)
    """

    rows: tuple[SpeedRow, ...]
    couplings: tuple[ShaftCoupling, ...] = ()
    input: str
    output: str

    def __post_init__(self) -> None:
        names = [*(row.name for row in self.rows), *(one.name for one in self.couplings)]
        for name in names:
            if names.count(name) > 1:
                raise Fault("parts of one name", name, "one only", f"give one {name} another name")
        for what, shaft in (("input", self.input), ("output", self.output)):
            if shaft not in self.shafts:
                raise Fault(what, described(shaft), f"one of {', '.join(self.shafts)}", f"correct {what}")
        if self.input == self.output:
            raise Fault("output", self.output, f"another shaft than the input {self.input}", "correct output")
        if len(self._freewheels(self.couplings)) > FREEWHEELS_AT_MOST:
            count = len(self._freewheels(self.couplings))
            raise Fault("freewheels", count, f"at most {FREEWHEELS_AT_MOST}", "solve parts of the train apart")

    @cached_property
    def shafts(self) -> tuple[str, ...]:
        """Names of what turns, in the order in which they come."""
        found = [shaft for row in self.rows for shaft in row.coefficients]
        found += [shaft for coupling in self.couplings for shaft in coupling.shafts]
        return tuple(shaft for shaft in dict.fromkeys(found) if shaft != GROUND)

    def degrees_of_freedom(self, closed: Iterable[str], holding: Iterable[str] = ()) -> int:
        """Return how many speeds may be chosen; `closed` are couplings, of which freewheels hold where `holding` says.

        Raises
        ------
        Fault
            For names of no coupling, or of one that is always closed.
        """
        kept = set(holding)
        couplings = [one for one in self._closed(closed) if not one.one_way or one.name in kept]
        return len(self.shafts) - _rank(self._matrix([*self.rows, *map(_row_of, couplings)]))

    def state(self, closed: Iterable[str], *, coasting: bool = False) -> TrainState:
        """Return speeds and torques with the couplings of `closed` closed.

        Freewheels are found: those hold that must, so that the others do not run backwards and those that hold push
        forwards, ``0 <= tau_1, 0 <= omega_1 - omega_2``, one of the two 0.

        Parameters
        ----------
        closed : iterable of str
            Clutches and brakes; a freewheel in series with one acts while this is closed.
        coasting : bool
            The output drives the input: its torque is against its speed, which is positive.

        Raises
        ------
        Fault
            If input or output cannot turn (named with the couplings of which one must be opened), if speeds are left
            free (named with the shafts), and if freewheels may hold in more than one way.
        """
        couplings = self._closed(closed)
        fixed = [one for one in couplings if not one.one_way]
        self._check_turns(fixed)
        freewheels = self._freewheels(couplings)
        found: list[TrainState] = []
        for count in range(len(freewheels) + 1):
            for holding in combinations(freewheels, count):
                state = self._state_with(fixed, freewheels, holding, coasting)
                if state is not None:
                    found.append(state)
        if not found:
            raise self._undetermined(fixed, freewheels, coasting)
        if len({tuple(state.speeds.values()) for state in found}) > 1:
            ways = " or ".join(", ".join(state.holding) or "none" for state in found)
            raise Fault("freewheels that hold", ways, "one way only", "close a clutch that decides between them")
        return found[0]

    def _state_with(
        self,
        fixed: list[ShaftCoupling],
        freewheels: list[ShaftCoupling],
        holding: Sequence[ShaftCoupling],
        coasting: bool,
    ) -> TrainState | None:
        """The state in which these freewheels hold, and the others overrun; None if they do not."""
        parts = self._independent([*self.rows, *map(_row_of, fixed)])
        if len(self._independent([*parts, *map(_row_of, holding)])) < len(parts) + len(holding):
            return None  # one of them is idle: found without it
        parts += map(_row_of, holding)
        matrix = self._matrix(parts)
        free = _null_space(matrix, len(self.shafts))
        place = self.shafts.index(self.input)
        if len(free) != 1 or free[0][place] == 0:
            return None
        values = [value / free[0][place] for value in free[0]]
        speeds = dict(zip(self.shafts, values, strict=True)) | {GROUND: Fraction(0)}
        if speeds[self.output] == 0:
            return None
        ahead = {one.name: speeds[one.shafts[0]] - speeds[one.shafts[1]] for one in freewheels}
        if min(ahead.values(), default=Fraction(0)) < 0:
            return None
        torques, load = self._torques(parts, matrix, speeds[self.output], -1 if coasting else 1)
        if any(torques[one.name] < 0 for one in holding):
            return None
        held = {part.name for part in parts}
        idle = [one.name for one in fixed if one.name not in held]
        idle += [one.name for one in freewheels if one.name not in held and ahead[one.name] == 0]
        return TrainState(
            ratio=1 / speeds[self.output],
            speeds={shaft: speeds[shaft] for shaft in self.shafts},
            torques={one.name: torques[one.name] for one in self.couplings if one.name in torques},
            output_torque=load,
            holding=tuple(one.name for one in holding),
            idle=tuple(idle),
        )

    def _torques(
        self, parts: Sequence[SpeedRow], matrix: list[Row], output_speed: Fraction, drive: int
    ) -> tuple[dict[str, Fraction], Fraction]:
        """Multipliers of the rows by equilibrium of each shaft, ``W^T lambda + tau = 0``, and the load's torque.

        ``tau_in omega_in + tau_out omega_out = 0``: no power is lost.
        """
        load = -Fraction(drive) / output_speed
        outer = {self.input: Fraction(drive), self.output: load}
        equations = [
            [row[i] for row in matrix] + [-outer.get(shaft, Fraction(0))] for i, shaft in enumerate(self.shafts)
        ]
        reduced, pivots = _reduced(equations, len(parts))
        values = {parts[column].name: reduced[i][-1] for i, column in enumerate(pivots)}
        return values, load

    def _check_turns(self, fixed: list[ShaftCoupling]) -> None:
        """Refuse couplings that hold the input or the output still, with those of which one must be opened."""
        if not self._locked(fixed):
            return
        free = [one for one in fixed if not self._locked([other for other in fixed if other is not one])]
        if self._locked([]):
            remedy = "correct the gears, which lock without any coupling"
        elif free:
            remedy = f"open one of {', '.join(one.name for one in free)}"
        else:
            remedy = "open more than one"
        names = ", ".join(one.name for one in fixed) or "none"
        raise Fault("closed couplings", names, "such that input and output turn", remedy)

    def _locked(self, fixed: Sequence[ShaftCoupling]) -> bool:
        """Whether input or output stands still in all motions that rows and couplings allow."""
        free = _null_space(self._matrix([*self.rows, *map(_row_of, fixed)]), len(self.shafts))
        places = [self.shafts.index(shaft) for shaft in (self.input, self.output)]
        return any(all(motion[place] == 0 for motion in free) for place in places)

    def _undetermined(self, fixed: list[ShaftCoupling], freewheels: list[ShaftCoupling], coasting: bool) -> Fault:
        free = _null_space(self._matrix([*self.rows, *map(_row_of, fixed)]), len(self.shafts))
        if len(free) == 1:
            names = [*(one.name for one in fixed), *(one.name for one in freewheels)]
            limit = "such that no freewheel is turned backwards"
            return Fault("closed couplings", ", ".join(names) or "none", limit, "open one, or turn a freewheel round")
        loose = [shaft for i, shaft in enumerate(self.shafts) if self._loose(i, free)]
        if coasting and freewheels:
            remedy = "the freewheels overrun; close one beside them that holds one of"
        else:
            remedy = "close a clutch or brake that holds one of"
        return Fault("degrees of freedom", len(free), "1, the speed of the input", f"{remedy} {', '.join(loose)}")

    def _loose(self, shaft: int, free: list[Row]) -> bool:
        """Whether the speed of a shaft is not that of the input in a fixed ratio."""
        place = self.shafts.index(self.input)
        return _rank([[motion[place] for motion in free], [motion[shaft] for motion in free]]) > 1

    def _closed(self, closed: Iterable[str]) -> list[ShaftCoupling]:
        names = {closed} if isinstance(closed, str) else set(closed)
        known = {one.name for one in self.couplings if not one.always_closed}
        for name in sorted(names - known):
            raise Fault(
                "closed coupling", described(name), f"one of {', '.join(sorted(known)) or 'none'}", "correct it"
            )
        return [one for one in self.couplings if one.always_closed or one.name in names]

    @staticmethod
    def _freewheels(couplings: Iterable[ShaftCoupling]) -> list[ShaftCoupling]:
        return [one for one in couplings if one.one_way]

    def _independent(self, parts: Iterable[SpeedRow]) -> list[SpeedRow]:
        """Leave out those that say what those before them have said."""
        kept: list[SpeedRow] = []
        for part in parts:
            if _rank(self._matrix([*kept, part])) > len(kept):
                kept.append(part)
        return kept

    def _matrix(self, parts: Iterable[SpeedRow]) -> list[Row]:
        """Rows over the shafts; that of the ground is left out, its speed is 0."""
        return [[Fraction(part.coefficients.get(shaft, 0)) for shaft in self.shafts] for part in parts]


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


def _row_of(coupling: ShaftCoupling) -> SpeedRow:
    first, second = coupling.shafts
    return SpeedRow(name=coupling.name, coefficients={first: 1, second: -1})


def _added_up(terms: Iterable[tuple[str, Fraction | int]]) -> dict[str, Fraction | int]:
    """Coefficients by shaft, each shaft once; those that vanish are left out."""
    found: dict[str, Fraction | int] = {}
    for shaft, value in terms:
        found[shaft] = found.get(shaft, 0) + value
    return {shaft: value for shaft, value in found.items() if value != 0}


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


def _rank(matrix: list[Row]) -> int:
    return len(_reduced(matrix, len(matrix[0]))[1]) if matrix else 0


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
