"""Random loads, alignments and microgeometries on ten reductions, random gear pairs, and every validation case.

``python validation/robustness/run.py`` draws 2000 states of ten pairs and 100 pairs, and counts every position of the
cases of this repository (a quarter of an hour). Every state has a seed, ``again([4, 17])`` computes it alone.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import cos, radians
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import alegear as ag
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.slices import default_slices
from alegear.contact.law import Friction
from alegear.contact.numbering import loaded_flank
from alegear.errors import Fault
from alegear.fe import Material
from alegear.geometry import Alignment, Gear, GearPair, Microgeometry
from alegear.mesh import GridOptions, mesh_sector
from alegear.progress import Silent
from alegear.reduction import reduce_wheel
from alegear.studies.mesh_solver import MeshSolver, StaticPosition, nominal_speeds
from alegear.studies.preparation import prepare
from alegear.studies.tooth_window import default_threshold

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone

ROOT = Path(__file__).resolve().parents[2]
COARSE = GridOptions(
    flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=4, rim_elements=4, order=1
)
WANTED = 8  # Newton iterations, of the loads and of the rotation
NEGATIVE = 0.2  # part of the loads that the back flanks carry
STATES, PAIRS = 200, 100  # of each reduction; at random
POSITIONS = 32  # of a dynamic case, of which the statics is computed


class Random(Protocol):
    """What the states are drawn with: a generator of NumPy, or one of hypothesis in the tests."""

    def random(self) -> float: ...
    def uniform(self, low: float, high: float, size: int | None = None) -> Any: ...
    def integers(self, low: int, high: int) -> Any: ...
    def choice(self, values: Sequence[Any]) -> Any: ...


# ------------------------------------------------------------------------ what is drawn
def gear(z: int, m_n: float, x: float, width: float, beta: float) -> Gear:
    """Gear whose bore leaves three modules of rim, or is a third of the root diameter."""
    d_f = m_n * (z / cos(beta) + 2.0 * x - 2.5)
    return Gear(z=z, m_n=m_n, x=x, b=width * m_n, beta=beta, bore_diameter=max(d_f - 6.0 * m_n, 0.35 * d_f))


def pair(
    z: tuple[int, int], m_n: float, x: tuple[float, float], width: tuple[float, float], beta_deg: float
) -> GearPair:
    """External pair without backlash; widths in modules."""
    beta = radians(beta_deg)
    return GearPair(pinion=gear(z[0], m_n, x[0], width[0], beta), wheel=gear(z[1], m_n, x[1], width[1], -beta))


def ten_pairs() -> dict[str, GearPair]:
    """Pairs of the first part: few and many teeth, undercut, narrow and wide, left and right hand."""
    mm = 1e-3
    return {
        "20/30": pair((20, 30), 4 * mm, (0.2, -0.2), (7.5, 7.5), 0.0),
        "13/97 undercut": pair((13, 97), 4 * mm, (0.0, 0.0), (7.5, 7.5), 0.0),
        "17/18": pair((17, 18), 2 * mm, (0.3, 0.2), (5.0, 6.0), 0.0),
        "43/43 fine": pair((43, 43), 0.5 * mm, (0.0, 0.0), (10.0, 10.0), 0.0),
        "40/25 reducing": pair((40, 25), 10 * mm, (0.1, 0.3), (6.0, 5.0), 0.0),
        "20/30 5 deg": pair((20, 30), 4 * mm, (0.2, -0.2), (7.5, 7.5), 5.0),
        "24/95 10 deg": pair((24, 95), 14 * mm, (0.48, 0.6691), (12.0, 12.0), 10.0),
        "16/49 -15 deg": pair((16, 49), 3 * mm, (0.35, 0.0), (12.0, 10.0), -15.0),
        "25/30 20 deg": pair((25, 30), 4 * mm, (0.0, 0.0), (10.0, 10.0), 20.0),
        "19/21 30 deg": pair((19, 21), 20 * mm, (0.2, 0.1), (8.0, 9.0), 30.0),
    }


def random_pair(random: Random) -> tuple[str, tuple[Any, ...]]:
    """Name and arguments of :func:`pair`: from fine to coarse, spur half of the time, shifts on both sides of zero."""
    z = (int(random.integers(8, 101)), int(random.integers(8, 101)))
    beta = float(random.choice([0.0, 1.0])) * float(random.uniform(-30.0, 30.0))
    m_n = 1e-3 * 10.0 ** float(random.uniform(-0.3, 1.3))
    x = (float(random.uniform(-0.5, 0.8)), float(random.uniform(-0.5, 0.8)))
    width = (float(random.uniform(3.0, 15.0)), float(random.uniform(3.0, 15.0)))
    name = (
        f"{z[0]}/{z[1]}, m_n {1e3 * m_n:.3g} mm, beta {beta:.1f}, x {x[0]:.2f} {x[1]:.2f}, "
        f"b/m_n {width[0]:.1f} {width[1]:.1f}"
    )
    return name, (z, m_n, x, width, beta)


def random_microgeometry(random: Random, one: Gear) -> Microgeometry:
    """Deviations up to the amounts that practice knows, 20 um at module 4 mm; each left out half of the time."""
    scale = 5e-3 * one.m_n  # m
    low, high = 2e-3 * one.m_n + one.d_Ff, one.d_a - 2e-3 * one.m_n

    def some(least: float, most: float = 1.0) -> float:
        return float(random.random() < 0.5) * float(random.uniform(least, most)) * scale

    def shape() -> Any:
        return str(random.choice(["linear", "parabolic"]))

    return Microgeometry(
        tip_relief=some(0.0),
        tip_relief_start_diameter=low + float(random.uniform(0.3, 0.95)) * (high - low),
        tip_relief_shape=shape(),
        root_relief=some(0.0),
        root_relief_start_diameter=low + float(random.uniform(0.05, 0.5)) * (high - low),
        root_relief_shape=shape(),
        profile_crowning=some(-0.3),
        profile_slope=some(-1.0),
        lead_crowning=some(-0.3),
        helix_slope=some(-1.0),
        end_relief=some(0.0),
        end_relief_length=float(random.uniform(0.05, 0.3)) * one.b,
        pitch_deviation=some(0.0) * random.uniform(-1.0, 1.0, one.z),
    )


def random_alignment(random: Random, gears: GearPair) -> Alignment:
    """Tilts that take up to 0.01 m_n across the face, offsets to a tenth of the face, half of the time."""
    if random.random() < 0.5:
        return Alignment()
    tilt = 0.01 * gears.pinion.m_n / gears.b_w
    return Alignment(
        tilt_plane_of_action=tilt * float(random.uniform(-1.0, 1.0)),
        tilt_normal=tilt * float(random.uniform(-1.0, 1.0)),
        axial_offset=0.1 * gears.b_w * float(random.uniform(-1.0, 1.0)),
        center_distance_error=0.02 * gears.pinion.m_n * float(random.uniform(0.0, 1.0)),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class State:
    """One state of a pair: deviations, alignment and load."""

    gears: GearPair
    driver: Any
    torque: float
    friction: Friction
    n_slices: int
    phase: float

    def __str__(self) -> str:
        return (
            f"{self.driver} {self.torque:.4g} N m, phase {self.phase:.4f}, {self.friction.kind}, {self.n_slices} slices"
        )


def random_state(random: Random, gears: GearPair) -> State:
    """Line loads of 3 to 1000 N/mm at module 4 mm, in proportion to the module, over two and a half decades."""
    gears = gears.with_microgeometry(*(random_microgeometry(random, one) for one in gears.gears))
    gears = gears.with_alignment(random_alignment(random, gears))
    sign = -1.0 if random.random() < NEGATIVE else 1.0
    line_load = 10.0 ** float(random.uniform(3.5, 6.0)) * gears.pinion.m_n / 4e-3  # N/m
    return State(
        gears=gears,
        driver=str(random.choice(["pinion", "wheel"])),
        torque=sign * line_load * gears.b_w * gears.pinion.r_b,
        friction=Friction(kind=random.choice(["none", "coulomb", "velocity"])),
        n_slices=min(int(random.choice([4, 6, 8, default_slices(gears, COARSE.width_elements)])), 40),
        phase=float(random.uniform(-0.5, 0.5)),
    )


# ------------------------------------------------------------------------ how it is solved
def bodies(gears: GearPair) -> tuple[ElasticBody, ElasticBody]:
    """Reduced wheels on a coarse grid, with both flanks."""
    slots = gears.pairs_needed + 1
    made = []
    for one in gears.gears:
        sector = mesh_sector(one, COARSE)
        made.append(ElasticBody.of(one, sector, reduce_wheel(sector, Material(), slots=slots, flank="both")))
    return made[0], made[1]


class Watched:
    """A contact that notes how many iterations of the loads each rotation took.

    Where the torque is met as closely as round-off of positions allows, the static solver closes what is left at these
    positions (``again``): no further rotation.
    """

    def __init__(self, contact: Any) -> None:
        self.contact = contact
        self.taken: list[int] = []

    def evaluate(self, *arguments: Any, **options: Any) -> Any:
        """As ever."""
        forces = self.contact.evaluate(*arguments, **options)
        iterations = getattr(forces, "iterations", 0)  # the penalty law counts none
        if options.get("again"):
            self.taken[-1] = max(self.taken[-1], iterations)
        else:
            self.taken.append(iterations)
        return forces

    def __getattr__(self, name: str) -> Any:
        return getattr(self.contact, name)


def solve(state: State, made: tuple[ElasticBody, ElasticBody]) -> tuple[StaticPosition, int, int]:
    """Equilibrium of a state, and how many iterations the loads (at most) and the rotation took.

    Raises
    ------
    NonConvergence
    ArithmeticError
        If a result is not finite, or the teeth do not resist.
    """
    contact = LineContact.build(
        state.gears,
        made,
        flank=loaded_flank(state.driver, state.torque),
        friction=state.friction,
        n_slices=state.n_slices,
    )
    watched = Watched(contact)
    solver = MeshSolver(
        contact=watched,
        driver=state.driver,
        torque=state.torque,
        omega=nominal_speeds(contact, None),
        moduli=(Material().E, Material().E),
    )
    found = solver.solve(state.phase, -(contact.n_pairs // 2))
    values = (found.deflection, found.mesh_stiffness, *found.forces.torque, found.forces.slices.pressure.max())
    if not np.all(np.isfinite(values)) or found.mesh_stiffness <= 0.0:
        raise ArithmeticError(f"not finite, or no stiffness: {values}")
    return found, max(watched.taken), len(watched.taken)


@dataclass
class Count:
    """What happened."""

    solved: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    loads: Counter[int] = field(default_factory=Counter)
    rotations: Counter[int] = field(default_factory=Counter)

    def add(self, loads: int, rotations: int) -> None:
        """Count a state that was solved."""
        self.solved += 1
        self.loads[loads] += 1
        self.rotations[rotations] += 1

    def refuse(self, fault: Fault) -> None:
        """Count a fault, which must say what to do."""
        self.refused[fault.quantity if fault.remedy else f"{fault.quantity} WITHOUT REMEDY"] += 1

    def __str__(self) -> str:
        over = (sum(n for k, n in c.items() if k > WANTED) for c in (self.loads, self.rotations))
        most = (max(c, default=0) for c in (self.loads, self.rotations))
        return " | ".join(str(v) for v in (self.solved, sum(self.refused.values()), len(self.failed), *most, *over))


def count_state(count: Count, name: str, seed: list[int], random: Random, gears: GearPair, made: Any) -> None:
    """One random state of a pair; a failure is printed with its seed."""
    try:
        state = random_state(random, gears)
    except Fault as fault:
        count.refuse(fault)
        return
    try:
        _, loads, rotations = solve(state, made)
    except Exception as error:  # whatever it is: it is a finding
        count.failed.append(f"{seed} {name}: {state}: {type(error).__name__} {error}")
        print("   ", count.failed[-1][:600], flush=True)
        return
    count.add(loads, rotations)
    if max(loads, rotations) > WANTED:
        print(f"    {seed} {name}: {state}: {loads} and {rotations} iterations", flush=True)


# ------------------------------------------------------------------------ parts
def random_states(name: str, gears: GearPair, number: int, states: int) -> Count:
    """Random states of one of the ten pairs."""
    made, count = bodies(gears), Count()
    for j in range(states):
        count_state(count, name, [number, j], np.random.default_rng([number, j]), gears, made)
    return count


def random_pairs(n: int) -> Count:
    """Random gear pairs, one state each."""
    count = Count()
    for i in range(n):
        random = np.random.default_rng([100, i])
        name, arguments = random_pair(random)
        try:
            gears = pair(*arguments)
        except Fault as fault:
            count.refuse(fault)
            continue
        try:
            made = bodies(gears)
        except Exception as error:  # whatever it is: it is a finding
            count.failed.append(f"{[100, i]} {name}: {type(error).__name__} {error}")
            print("   ", count.failed[-1][:600], flush=True)
            continue
        count_state(count, name, [100, i], random, gears, made)
    return count


def case_files() -> list[Path]:
    """Case files of pairs, of the validation and of the delivered cases; machines have no position to solve alone."""
    every = [*sorted((ROOT / "validation").glob("*/*.toml")), *sorted((ROOT / "meshes").glob("*.toml"))]
    return [path for path in every if "pair" in tomllib.loads(path.read_text(encoding="utf-8"))]


def positions(case: ag.Case) -> Count:
    """Solve a case position by position as the static study does, of a dynamic case one pitch."""
    prepared = prepare(case, Silent())
    watched = Watched(prepared.contact)
    solver = MeshSolver.of(case, watched)
    window = prepared.window(0.0 if prepared.segment else default_threshold(solver))
    per_pitch = getattr(case.analysis, "positions_per_pitch", POSITIONS)
    count, guess = Count(), None
    for i in range(per_pitch * getattr(case.analysis, "pitches", 1)):
        phase = -0.5 + i / per_pitch
        watched.taken.clear()
        found = solver.solve(phase, window.first_pair(phase), guess)
        guess = found.deflection
        count.add(max(watched.taken), len(watched.taken))
    return count


def again(seed: list[int]) -> tuple[State, StaticPosition, int, int]:
    """Compute the state of a seed as printed: [pair, state] of the first part, [100, pair] of the second."""
    random = np.random.default_rng(seed)
    gears = pair(*random_pair(random)[1]) if seed[0] == 100 else list(ten_pairs().values())[seed[0]]
    state = random_state(random, gears)
    return state, *solve(state, bodies(gears))


def count_rows(what: str, count: Count, *, searches: int = 1) -> Iterator[Row]:
    """What a count must not have; `searches`: of a position, each of which has the iterations that were agreed."""
    print(f"| {what} | {count} |", dict(count.refused) or "", flush=True)
    source = "every state has a solution or a remedy"
    yield Row(
        quantity=f"{what}: failed, of {count.solved + len(count.failed)}",
        value=float(len(count.failed)),
        kind="at most",
        bound=0.0,
        source=source,
    )
    for words, found, most in (("loads", count.loads, WANTED), ("rotation", count.rotations, searches * WANTED)):
        if not any(found):  # the penalty law counts none of the loads
            continue
        yield Row(
            quantity=f"{what}: most Newton iterations of the {words}",
            value=float(max(found)),
            kind="at most",
            bound=float(most),
            source="agreed",
        )
    if count.refused:
        yield Row(
            quantity=f"{what}: refused without a remedy, of {sum(count.refused.values())}",
            value=float(sum(n for name, n in count.refused.items() if "WITHOUT REMEDY" in name)),
            kind="at most",
            bound=0.0,
            source=source,
        )


def rows(quick: bool) -> Iterator[Row]:
    """2000 states on ten reductions, 100 pairs, every case; quick: twenty states on two reductions and three pairs."""
    pairs = list(enumerate(ten_pairs().items()))
    for number, (name, gears) in (pairs[0], pairs[5]) if quick else pairs:
        yield from count_rows(f"random states of {name}", random_states(name, gears, number, 10 if quick else STATES))
    yield from count_rows("random pairs", random_pairs(3 if quick else PAIRS))
    for path in [] if quick else case_files():
        case = ag.Case.from_toml(path)
        # on bearings first the rotation, roughly, then all displacements together
        searches = 2 if any(support is not None for support in case.supports) else 1
        yield from count_rows(f"positions of {path.relative_to(ROOT)}", positions(case), searches=searches)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
