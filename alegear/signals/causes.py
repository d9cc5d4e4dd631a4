"""Excitation orders of a machine and their causes: shafts, teeth, carriers and planets, bearings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from alegear.drivetrain.bearing_kinematics import RollingKinematics
from alegear.drivetrain.place_names import shaft_of
from alegear.drivetrain.rotational.speed_relations import speed_rows
from alegear.errors import Fault
from alegear.geometry.meshing_teeth import MeshingTeeth
from alegear.geometry.train_kinematics import GROUND, SpeedRow, fixed_ratio, speeds_over
from alegear.limits import check_kind, check_type, described, float_of
from alegear.short_repr import ShortRepr
from alegear.signals.bearing import RollerSet, defect_frequencies

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase

Kind = Literal["shaft", "mesh", "planet pass", "sideband", "tooth", "hunting tooth", "bearing"]

#: Orders that differ by this part are one: what floats of ratios leave.
SAME_ORDER = 1e-9
#: Names of shafts of one speed in a cause; the others are counted.
NAMES = 3
MOST_HARMONICS = 1000


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Say what makes a line.

    Attributes
    ----------
    name : str
        ``"mesh first x2, -1 input"``: second harmonic of a mesh, lower sideband at the rotation of a shaft.
    kind : str
        ``"shaft"``, ``"mesh"``, ``"planet pass"``, ``"sideband"``, ``"tooth"``, ``"hunting tooth"``, ``"bearing"``.
    order : float
        Turns of the reference shaft in which it comes once: its inverse; positive.
    harmonic, sideband : int
        1, 2 ... of its frequency; 0 without, -1, 1, -2 ... of what modulates it.
    """

    name: str
    kind: Kind
    order: float
    harmonic: int = 1
    sideband: int = 0

    @property
    def remoteness(self) -> int:
        """How far from the bare frequency: of causes that fit a line alike the nearest is named first."""
        return self.harmonic - 1 + 2 * abs(self.sideband)


@dataclass(frozen=True, kw_only=True, eq=False)
class SeatedBearing(ShortRepr):
    """A rolling bearing between two shafts, or a shaft and the ground.

    Parameters
    ----------
    name : str
    rollers : RollerSet
    inner, outer : str
        What each ring turns with; the ground is at rest.

    Raises
    ------
    Fault
    """

    name: str
    rollers: RollerSet
    inner: str
    outer: str = GROUND

    def __post_init__(self) -> None:
        for name in ("name", "inner", "outer"):
            check_type(self, name, str)
        check_type(self, "rollers", RollerSet)
        if self.inner == self.outer:
            raise Fault(
                f"rings of bearing {self.name}", f"both on {self.inner}", "on two shafts", "correct one of them"
            )


class _Seat(NamedTuple):
    """A bearing, how its elements roll, and what both rings turn with."""

    name: str
    rolling: RollingKinematics
    inner: str
    outer: str


@dataclass(frozen=True, kw_only=True, eq=False)
class CharacteristicOrders:
    """Hold the causes of lines of a machine over the turns of one of its shafts.

    Attributes
    ----------
    reference : str
        The shaft.
    speeds : mapping of str to float
        Of shafts and bodies over that of the reference.
    causes : tuple of Cause
        By order.
    """

    reference: str
    speeds: Mapping[str, float]
    causes: tuple[Cause, ...]

    def of_kind(self, *kinds: Kind) -> tuple[Cause, ...]:
        """Return the causes of some kinds."""
        return tuple(cause for cause in self.causes if cause.kind in kinds)


def characteristic_orders(
    case: MachineCase,
    reference: str,
    *,
    bearings: Sequence[SeatedBearing] = (),
    meshes: Sequence[MeshingTeeth] = (),
    harmonics: int = 3,
    sidebands: int = 2,
    shaft_harmonics: Mapping[str, int] | None = None,
    speeds: Mapping[str, float] | None = None,
) -> CharacteristicOrders:
    """Return the orders of a shaft at which a machine excites vibration, from its kinematics.

    Shafts, meshes of gears and bearings with rolling elements are those of the case. Ratios take springs, elastic teeth
    and what is closed at the start as rigid; shafts that are not tied to the reference by that (behind a clutch that is
    open) have no orders, unless `speeds` says how they turn.

    Parameters
    ----------
    case : MachineCase
    reference : str
        Shaft or body, in whose orders spectra are taken.
    bearings : sequence of SeatedBearing
        Further ones: of bearings that are given by a stiffness, or of what stands beside the machine.
    meshes : sequence of MeshingTeeth
        Further ones: of parts that are given by their ratio alone.
    harmonics, sidebands : int
        Of meshes and bearings; of shafts as many harmonics.
    shaft_harmonics : mapping of str to int, optional
        More or fewer of single shafts: an impact once in a turn has a hundred.
    speeds : mapping of str to float, optional
        Of all shafts that count, in any unit, as :func:`~alegear.signals.recorded.recorded_speeds` returns them.
        Default: by kinematics.

    Raises
    ------
    Fault
        For a reference that is not there or cannot turn, and bearings on what does not turn with it.

    Examples
    --------
    >>> import alegear as ag
    >>> case = ag.case_from_file("meshes/planetary_nrel_5mw.toml")  # doctest: +SKIP
    >>> for cause in ag.characteristic_orders(case, "carrier").of_kind("mesh"):  # doctest: +SKIP
    ...     print(cause.name, cause.order)
    """
    counts = shaft_harmonics or {}
    checked = {"harmonics": (harmonics, 1), "sidebands": (sidebands, 0)}
    checked |= {f"shaft_harmonics of {name}": (count, 1) for name, count in counts.items()}
    for name, (value, least) in checked.items():
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST_HARMONICS:
            raise Fault(name, described(value), f"a whole number from {least} to {MOST_HARMONICS}", f"correct {name}")
    known = _by_kinematics(case, reference) if speeds is None else _measured(speeds, reference)
    for name in counts:
        if name not in known:
            raise Fault("shaft of shaft_harmonics", described(name), f"one of {', '.join(known)}", "correct it")
    found = list(_of_shafts(known, harmonics, counts))
    for mesh in (*tooth_meshes(case), *meshes):
        if mesh.known(known):
            found += _of_mesh(mesh, known, harmonics, sidebands)
    for seat in _rolling(case, bearings):
        found += _of_bearing(seat, _ring_speeds(case, seat, known), harmonics, sidebands)
    there = {(cause.name, cause.order): cause for cause in found if cause.order > SAME_ORDER}
    ordered = sorted(there.values(), key=lambda cause: (cause.order, cause.remoteness, cause.name))
    return CharacteristicOrders(reference=reference, speeds=known, causes=tuple(ordered))


def tooth_meshes(case: MachineCase) -> tuple[MeshingTeeth, ...]:
    """Return which teeth meet in a machine: meshes of its gears, and of its parts that have any."""
    of_gears = (
        MeshingTeeth(mesh.name, _shafts_of(case, mesh.gears), _teeth_of(case, mesh.gears)) for mesh in case.meshes
    )
    return (*of_gears, *(mesh for part in case.parts for mesh in part.tooth_meshes))


# -------------------------------------------------------------------------------------------------------------- speeds


def _by_kinematics(case: MachineCase, reference: str) -> dict[str, float]:
    ratio = case.layout.ratio
    rows: list[SpeedRow] = []
    for mesh in case.meshes:
        (a, b), (z_a, z_b) = _shafts_of(case, mesh.gears), _teeth_of(case, mesh.gears)
        sense = 1 if ratio[a] * ratio[b] > 0.0 else -1
        rows.append(fixed_ratio(mesh.name, (a, b), (abs(z_a), -sense * abs(z_b))))
    rows += speed_rows(case.parts)
    if not rows:
        raise Fault("parts that tie speeds", 0, "at least 1", "give speeds: how fast each shaft turns")
    return {shaft: float(speed) for shaft, speed in speeds_over(rows, reference).items()}


def _measured(speeds: Mapping[str, float], reference: str) -> dict[str, float]:
    check_kind(speeds, "speeds", Mapping)
    if reference not in speeds:
        raise Fault("reference shaft", described(reference), f"one of {', '.join(speeds) or 'none'}", "name another")
    own = float_of(speeds[reference])
    if own == 0.0:
        raise Fault(f"speed of the reference {reference}", 0, "other than 0", "name another")
    return {name: float_of(value) / own for name, value in speeds.items()}


def _shafts_of(case: MachineCase, gears: tuple[str, str]) -> tuple[str, str]:
    first, second = (case.layout.gears[gear].shaft for gear in gears)
    return shaft_of(first), shaft_of(second)


def _teeth_of(case: MachineCase, gears: tuple[str, str]) -> tuple[int, int]:
    first, second = (case.layout.gears[gear].gear.z for gear in gears)
    return first, second


# -------------------------------------------------------------------------------------------------------------- causes


def _of_shafts(speeds: Mapping[str, float], harmonics: int, counts: Mapping[str, int]) -> Iterator[Cause]:
    """Rotations; shafts of one speed are one cause."""
    groups: list[tuple[float, list[str]]] = []
    for name, speed in speeds.items():
        same = (names for order, names in groups if abs(order - abs(speed)) <= SAME_ORDER * max(order, abs(speed)))
        names = next(same, None)
        if names is None:
            groups.append((abs(speed), [name]))
        else:
            names.append(name)
    for order, names in groups:
        more = f" and {len(names) - NAMES} others" if len(names) > NAMES else ""
        cause = "rotation of " + ", ".join(names[:NAMES]) + more
        given = [counts[name] for name in names if name in counts]
        yield from _harmonics(cause, "shaft", order, max(given, default=harmonics))


def _of_mesh(mesh: MeshingTeeth, speeds: Mapping[str, float], harmonics: int, sidebands: int) -> Iterator[Cause]:
    order = mesh.frequency(speeds)
    own = {shaft: abs(mesh.against_carrier(shaft, speeds)) for shaft in mesh.shafts}
    modulating = {shaft: speed for shaft, speed in own.items() if shaft != GROUND}
    if mesh.carrier != GROUND:
        carried = abs(float(speeds[mesh.carrier]))
        passing, passes = mesh.planets * carried, f"planets on {mesh.carrier} pass"
        yield from _harmonics(passes, "planet pass", passing, harmonics)
        modulating = {f"{shaft} on {mesh.carrier}": speed for shaft, speed in modulating.items()}
        modulating |= {mesh.carrier: carried, passes: passing}
        for shaft, speed in own.items():
            # a tooth of a central gear meets each planet in a turn, one of a planet this gear once
            times = mesh.planets if shaft == mesh.central else 1
            tooth = f"a tooth of {'the ring' if shaft == GROUND else shaft} in {mesh.name}"
            yield from _harmonics(tooth, "tooth", times * speed, harmonics)
    for cause in _harmonics(f"mesh {mesh.name}", "mesh", order, harmonics):
        yield cause
        for by, speed in modulating.items():
            yield from _sidebands(cause, by, speed, sidebands)
    yield Cause(name=f"same teeth in {mesh.name}", kind="hunting tooth", order=mesh.hunting(speeds))


def _rolling(case: MachineCase, given: Sequence[SeatedBearing]) -> Iterator[_Seat]:
    """Bearings of the machine with rolling elements, and those that are given."""
    for bearing in case.bearings:
        rolling = bearing.kinematics
        if rolling is not None:
            outer = bearing.to if bearing.to in case.layout.shafts else GROUND
            yield _Seat(bearing.name, rolling, bearing.shaft, outer)
    for one in given:
        yield _Seat(one.name, one.rollers.rolling, one.inner, one.outer)


def _ring_speeds(case: MachineCase, seat: _Seat, speeds: Mapping[str, float]) -> tuple[float, float]:
    """Speeds of inner and outer ring in one sense: those of shafts are about directions that may be opposite."""
    found = []
    for ring, shaft in (("inner", seat.inner), ("outer", seat.outer)):
        if shaft != GROUND and shaft not in speeds:
            limit = f"one of {', '.join(speeds)}, or the ground"
            raise Fault(f"shaft of the {ring} ring of bearing {seat.name}", described(shaft), limit, "correct it")
        found.append(0.0 if shaft == GROUND else float(speeds[shaft]))
    shafts = case.layout.shafts
    if seat.inner in shafts and seat.outer in shafts:
        along = float(shafts[seat.inner].axes[2] @ shafts[seat.outer].axes[2])
        found[1] *= 1.0 if along > 0.0 else -1.0
    return found[0], found[1]


def _of_bearing(seat: _Seat, rings: tuple[float, float], harmonics: int, sidebands: int) -> Iterator[Cause]:
    found = defect_frequencies(seat.rolling, *rings)
    if found.outer == 0.0:
        limit = "on shafts that turn against each other"
        raise Fault(f"rings of bearing {seat.name}", f"on {seat.inner} and {seat.outer}", limit, "correct one")
    yield from _harmonics(f"cage of {seat.name}", "bearing", found.cage, harmonics)
    # a load that stands in space modulates what a turning part does: each ring by its rotation, a roller by its cage
    parts = (
        ("outer ring", found.outer, seat.outer, abs(rings[1])),
        ("inner ring", found.inner, seat.inner, abs(rings[0])),
        ("roller", found.roller, "cage", found.cage),
    )
    for part, order, by, speed in parts:
        for cause in _harmonics(f"{part} of {seat.name}", "bearing", order, harmonics):
            yield cause
            yield from _sidebands(cause, by, speed, sidebands)


def _harmonics(name: str, kind: Kind, order: float, count: int) -> Iterator[Cause]:
    for k in range(1, count + 1):
        yield Cause(name=name if k == 1 else f"{name} x{k}", kind=kind, order=k * order, harmonic=k)


def _sidebands(cause: Cause, by: str, order: float, count: int) -> Iterator[Cause]:
    if order <= SAME_ORDER:
        return
    for k in range(1, count + 1):
        for sign in (-1, 1):
            name = f"{cause.name}, {sign * k:+d} {by}"
            at = cause.order + sign * k * order
            if at > 0.0:
                yield Cause(name=name, kind="sideband", order=at, harmonic=cause.harmonic, sideband=sign * k)
