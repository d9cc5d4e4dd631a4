"""Loss of the FZG gear type C_mod: loss factor of the computed load distribution, and slow runs with friction.

``python validation/fzg_loss/run.py`` prints the tables of README.md and draws its figure (two minutes).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import alegear as ag
from alegear.case.analysis import StaticAnalysis
from alegear.case.pair_machine import MESH, machine_of
from alegear.geometry import Gear, GearPair, Microgeometry
from alegear.geometry.microgeometry import ReliefShape
from alegear.progress import Silent
from alegear.studies.preparation import prepare
from alegear.studies.static import StaticStudy

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from checks import Row, alone  # noqa: E402
from coarse import coarse  # noqa: E402
from textbook import ParallelSprings  # noqa: E402

Array = NDArray[np.float64]

CASE = HERE / "case.toml"
# Arana, Larranaga & Ulacia (2019), table 4: the loss factor is their computation, the friction Hinterstoisser's test
LOSS_FACTOR = 0.1680
FRICTION = 0.065
WITHIN = 0.03
TIP_RELIEF = 35e-6  # m, on both gears
STARTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of the zone of double contact, counted from the tip
RUNS = (0.5, 1.0)
SHAPES: tuple[ReliefShape, ...] = ("linear", "parabolic")
POSITIONS = 128  # per pitch


# ------------------------------------------------------------------------------- cases
def double_contact(pair: GearPair) -> float:
    """Length on the line of action over which two pairs touch at either end of the path of contact [m]."""
    return (pair.eps_alpha_usable - 1.0) * pair.p_bt


def start_diameter(pair: GearPair, gear: Gear, start: float) -> float:
    """Diameter [m] at which a relief begins that takes a part of the zone of double contact, from the tip down."""
    at_tip = math.sqrt(gear.r_a**2 - gear.r_b**2)
    return 2.0 * math.hypot(gear.r_b, at_tip - start * double_contact(pair))


def relieved(pair: GearPair, start: float, shape: ReliefShape = "linear") -> GearPair:
    """The pair with the tip relief on both gears over a part of the zone of double contact; 0 is none."""
    gears = []
    for gear in pair.gears:
        flank = Microgeometry()
        if start > 0.0:
            diameter = start_diameter(pair, gear, start)
            flank = Microgeometry(tip_relief=TIP_RELIEF, tip_relief_start_diameter=diameter, tip_relief_shape=shape)
        gears.append(replace(gear, microgeometry=flank))
    return replace(pair, pinion=gears[0], wheel=gears[1])


def case_of(start: float, shape: ReliefShape = "linear") -> ag.Case:
    """The case with the relief over a part of the zone of double contact."""
    case = ag.Case.from_toml(CASE)
    return replace(case, pair=relieved(case.pair, start, shape))


def rounded(case: ag.Case) -> ag.Case:
    """The case with the default rounding of the tips in place of sharp ones."""
    return replace(case, pair=_with_gears(case.pair, lambda gear: replace(gear, tip_rounding=None)))


def thick_rim(case: ag.Case) -> ag.Case:
    """The case with bores of half the root diameters."""
    return replace(case, pair=_with_gears(case.pair, lambda gear: replace(gear, bore_diameter=0.5 * gear.d_f)))


def _with_gears(pair: GearPair, change: Callable[[Gear], Gear]) -> GearPair:
    return replace(pair, pinion=change(pair.pinion), wheel=change(pair.wheel))


# ------------------------------------------------------------------------------ statics
@dataclass(frozen=True, kw_only=True, eq=False)
class Distribution:
    """What the static load distribution of one relief says.

    Attributes
    ----------
    loss_factor : float
        H_VL.
    pressure, pressure_at : float [Pa], [m]
        Largest Hertzian pressure on involute radii, and the roll length on the pinion's flank where it is.
    local_pressure : float [Pa]
        Largest pressure on the flanks as they are, where a linear relief begins included, edges left out.
    roll_length, load : shape (n,) [m], [1]
        Load of one pair over its path, of F_bt, in the order in which it passes through the mesh.
    """

    loss_factor: float
    pressure: float
    pressure_at: float
    local_pressure: float
    roll_length: Array
    load: Array


def distribution(case: ag.Case, positions: int = POSITIONS) -> Distribution:
    """Solve a pitch without friction and take the loss factor from loads and places of contact.

    H_VL = 1/p_et int F_N(x)/F_bt v_g(x)/v_b dx over the path of contact of one pair, which is the mean over a pitch of
    the sum over the pairs; with v_g/v_b = (1/r_b1 + 1/r_b2) times the way from the pitch point.
    """
    case = replace(case, analysis=StaticAnalysis(positions_per_pitch=positions), friction=ag.Friction())
    prepared = prepare(case, Silent(), fields=False)
    study = StaticStudy(machine_of(case), {MESH: prepared})
    study.run(Silent())
    found, pair = study.mesh_history(MESH), case.pair
    force = found.line_load * np.diff(prepared.contact.slices())
    roll = found.contact_roll_length
    speed = (1.0 / pair.pinion.r_b + 1.0 / pair.wheel.r_b) * np.abs(roll - pair.roll_length_pitch_point)
    nominal = case.operation.pinion_torque / pair.pinion.r_b
    radius = roll * (pair.line_of_action - roll) / pair.line_of_action
    stiffness = 1.0 / sum((1.0 - m.nu**2) / m.E for m in case.materials)
    with np.errstate(invalid="ignore"):
        hertz = np.where(found.line_load > 0.0, np.sqrt(found.line_load * stiffness / (np.pi * radius)), 0.0)
    most = np.unravel_index(np.argmax(hertz), hertz.shape)
    load = force.sum(axis=2)
    touching = load > 0.0
    place = np.divide((np.nan_to_num(roll) * force).sum(axis=2), load, out=np.zeros_like(load), where=touching)
    # as a pair passes through the mesh: on the edges, at both ends, the place goes back and forth
    order = np.argsort((found.phase[:, None] - found.pairs)[touching])
    return Distribution(
        loss_factor=float(np.nansum(force * speed, axis=(1, 2)).mean()) / nominal,
        pressure=float(hertz[most]),
        pressure_at=float(roll[most]),
        local_pressure=float(found.contact_pressure.max()),
        roll_length=place[touching][order],
        load=load[touching][order] / nominal,
    )


def textbook_loss_factor(start: float, shape: ReliefShape = "linear") -> float:
    """H_VL of parallel springs of ISO 6336-1 under the torque of the case."""
    case = case_of(start, shape)
    line_load = case.operation.pinion_torque / case.pair.pinion.r_b / case.pair.b_w
    springs = ParallelSprings(case.pair, line_load, case.materials[0].E)
    return springs.loss_factor(TIP_RELIEF, start, shape)


# ------------------------------------------------------------------------------ dynamics
def loss_of_run(case: ag.Case) -> float:
    """Part of the power given to the pair that friction takes, over the last whole pitches of a slow run."""
    return 1.0 - float(ag.run(case).summary["efficiency"])


# -------------------------------------------------------------------------------- output
def draw(found: dict[tuple[str, float], Distribution], runs: dict[float, float], pair: GearPair) -> None:
    """Load along the path, loss factor and largest pressure over the start of the relief."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (path, factor, pressure) = plt.subplots(1, 3, figsize=(13.0, 4.2))
    for i, start in enumerate((0.2, 0.5, 1.0)):
        one = found["linear", start]
        path.plot(1e3 * one.roll_length, one.load, f"C{i}-", lw=1.2, label=f"relief over {start:g} of double contact")
    low, high = pair.path_of_contact_usable
    for name, place in (("A", low), ("B", high - pair.p_bt), ("C", pair.roll_length_pitch_point),
                        ("D", low + pair.p_bt), ("E", high)):  # fmt: skip
        path.axvline(1e3 * place, color="0.7", lw=0.8)
        path.annotate(name, (1e3 * place, 1.06), ha="center", fontsize=8)
    path.set_xlabel("roll length on the pinion [mm]")
    path.set_ylabel("load of a pair / F_bt")
    path.set_ylim(0.0, 1.15)
    path.legend(fontsize=7, loc="lower center")
    for i, (shape, marker) in enumerate(zip(SHAPES, ("o-", "s-"), strict=True)):
        factor.plot(STARTS, [found[shape, s].loss_factor for s in STARTS], marker, ms=4, lw=1, label=f"{shape} relief")
        springs = [textbook_loss_factor(s, shape) for s in STARTS]
        factor.plot(STARTS, springs, f"C{i}:", lw=1, label=f"{shape}, springs of ISO 6336-1")
        values = [1e-6 * found[shape, s].pressure for s in STARTS]
        pressure.plot(STARTS, values, marker, ms=4, lw=1, label=f"{shape}, involute radii")
        values = [1e-6 * found[shape, s].local_pressure for s in STARTS]
        pressure.plot(STARTS, values, marker[0] + ":", ms=4, lw=1, mfc="w", label=f"{shape}, flanks as they are")
    factor.plot(list(runs), [loss / FRICTION for loss in runs.values()], "k^", ms=6, mfc="w",
                label="slow run, loss / 0.065 (linear)")  # fmt: skip
    factor.axhspan((1.0 - WITHIN) * LOSS_FACTOR, (1.0 + WITHIN) * LOSS_FACTOR, color="0.9", zorder=0)
    factor.axhline(LOSS_FACTOR, color="0.4", ls="--", lw=1, label="Arana et al., computed; grey: 3 %")
    factor.set_ylabel("loss factor H_VL")
    pressure.axhline(1400.0, color="0.4", ls="--", lw=1, label="printed: 1400 MPa")
    pressure.set_ylabel("largest pressure on the flanks [MPa]")
    pressure.set_ylim(1300.0, 2100.0)
    for axes in (factor, pressure):
        axes.set_xlabel("relief from the tip, in parts of the double contact")
        axes.legend(fontsize=7)
    for axes in (path, factor, pressure):
        axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(HERE / "fzg_loss.png", dpi=110)


def _row(start: float, case: ag.Case, found: Distribution, textbook: float) -> str:
    diameters = " / ".join(f"{1e3 * start_diameter(case.pair, gear, start):.2f}" for gear in case.pair.gears)
    off, textbook_off = (100.0 * (factor / LOSS_FACTOR - 1.0) for factor in (found.loss_factor, textbook))
    return (
        f"| {start:g} | {diameters} | {found.loss_factor:.4f} | {off:+.1f} % | {1e-6 * found.pressure:.0f} | "
        f"{1e3 * found.pressure_at:.2f} | {1e-6 * found.local_pressure:.0f} | {textbook_off:+.1f} % |"
    )


def rows(quick: bool) -> Iterator[Row]:
    """Loss factors over the start of the relief, pressure, slow runs; the quick form has one start on a coarse grid."""
    found: dict[tuple[str, float], Distribution] = {}
    starts = [("linear", 0.5)] if quick else [(shape, start) for shape in SHAPES for start in STARTS]
    for shape, start in starts:
        case = coarse(case_of(start, shape)) if quick else case_of(start, shape)
        one = found[shape, start] = distribution(case, 48 if quick else POSITIONS)
        long = start >= {"linear": 0.4, "parabolic": 0.6}[shape]  # springs of the textbook allow these starts only
        yield Row(
            quantity=f"loss factor H_VL, {shape} relief over {start:g} of double contact",
            value=one.loss_factor,
            reference=LOSS_FACTOR,
            bound=WITHIN if long else None,
            source="Arana et al. (2019), table 4, computed; the start of the relief is not given",
        )
        if not quick:
            print(_row(start, case, one, textbook_loss_factor(start, shape)), flush=True)
    middle = found["linear", 0.5]
    yield Row(
        quantity="largest pressure on involute radii, linear relief over 0.5",
        value=1e-6 * middle.pressure,
        reference=1400.0,
        unit="MPa",
        bound=0.02,  # of a figure of two digits
        source="Arana et al. (2019), computed",
    )
    low, high = case_of(0.5).pair.path_of_contact_usable
    yield Row(
        quantity="where it is, roll length on the pinion",
        value=1e3 * middle.pressure_at,
        reference=1e3 * (high - case_of(0.5).pair.p_bt),
        kind="absolute",
        unit="mm",
        bound=1.0,
        source="near the lowest point of single contact (Arana et al. 2019)",
    )
    assert low < middle.pressure_at < high
    runs = {}
    for start in RUNS[:1] if quick else RUNS:
        case = case_of(start)
        if quick:
            step = 4.0 * case.analysis.time_step  # 64 a pitch
            case = coarse(case, time_step=step, output_every=step)
        runs[start] = loss_of_run(case)
        yield Row(
            quantity=f"part of the power lost in a slow run, linear relief over {start:g}, friction {FRICTION}",
            value=runs[start],
            reference=FRICTION * found["linear", start].loss_factor,
            bound=WITHIN,  # the driver's torque carries the friction too, and the teeth slide as they deform
            source="0.065 (Hinterstoisser 2014, measured) times H_VL as computed here",
        )
        yield Row(
            quantity=f"part of the power lost in a slow run, linear relief over {start:g}, friction {FRICTION}",
            value=runs[start],
            reference=FRICTION * LOSS_FACTOR,
            source="0.065 (Hinterstoisser 2014, measured) times 0.1680 (Arana et al. 2019)",
        )
    if not quick:
        print_variants()
        draw(found, runs, case_of(1.0).pair)


def print_variants() -> None:
    """Print what README.md says of relief, tips and bores."""
    print(f"without relief: {distribution(case_of(0.0)).loss_factor:.4f}")
    for words, change in (("default rounding of the tips", rounded), ("bores of half the root diameters", thick_rim)):
        for start in (0.2, 0.5, 1.0):
            factor = distribution(change(case_of(start))).loss_factor
            print(f"{words}, relief over {start:g}: {factor:.4f}", flush=True)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
