"""Orders over the speed: the motion and the linearised response against each other, of a spur pair and an e-axle stage.

``python validation/noise_study/run.py`` computes ``spur.toml`` and ``e_axle.toml``, the second in stretches, prints the
rows and draws ``spur.png``, ``e_axle_low.png`` and ``e_axle_high.png`` (six minutes). Left out of the comparison, and
counted: stretches in which teeth part, and where a run-up is late (:func:`late`), which slow run-ups through the same
resonances make up for. Orders of less than a fifth of the largest one at a speed are compared as parts of that.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import alegear as ag

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone

Array = NDArray[np.float64]

HERE = Path(__file__).parent
RPM = np.pi / 30.0
BOUND = 0.1  # of the amplitude, what was agreed
COUNTS = 0.2  # of the largest order at a speed, -14 dB
SMALL_BOUND = 0.03  # of the largest order: what orders may be off that do not count
LATE = 0.03  # of the amplitude: more of it is not followed by a run-up
QUANTITIES = {"transmission_error": "transmission error", "bearing_force": "forces on bearings"}


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """A run-up of a case.

    Parameters
    ----------
    name, file : str
    first, last : float [rpm]
    duration, output_every, settling : float [s]
    pitches : int
        Of a point.
    """

    name: str
    file: str
    first: float
    last: float
    duration: float
    output_every: float
    settling: float
    pitches: int

    def case(self) -> ag.Case:
        """The case of the file over this range."""
        case = ag.Case.from_toml(HERE / self.file)
        analysis = replace(
            case.analysis,
            duration=self.duration,
            reversal_time=None,
            settling=self.settling,
            pitches=self.pitches,
            output_every=self.output_every,
        )
        table = ((0.0, self.first * RPM), (self.duration, self.last * RPM))
        operation = replace(case.operation, speed_table=table, pinion_speed=None)
        return replace(case, analysis=analysis, operation=operation)


STRETCHES = (
    Stretch(
        name="spur pair on fixed axes",
        file="spur.toml",
        first=2000.0,
        last=14000.0,
        duration=0.6,
        output_every=1e-5,
        settling=0.03,
        pitches=6,
    ),
    Stretch(
        name="e-axle stage, low speeds",
        file="e_axle.toml",
        first=500.0,
        last=3200.0,
        duration=1.5,
        output_every=2e-5,
        settling=0.04,
        pitches=8,
    ),
    Stretch(
        name="e-axle stage, high speeds",
        file="e_axle.toml",
        first=3200.0,
        last=16000.0,
        duration=0.4,
        output_every=1e-5,
        settling=0.04,
        pitches=16,
    ),
    Stretch(
        name="e-axle stage, slowly through 788 Hz",
        file="e_axle.toml",
        first=1960.0,
        last=2140.0,
        duration=0.5,
        output_every=2e-5,
        settling=0.08,
        pitches=8,
    ),
    Stretch(
        name="e-axle stage, second order slowly through 788 Hz",
        file="e_axle.toml",
        first=1000.0,
        last=1060.0,
        duration=0.4,
        output_every=2e-5,
        settling=0.08,
        pitches=8,
    ),
)
#: Of the quick form: below the resonance, and above it.
QUICK = (
    replace(
        STRETCHES[0], name="spur pair on fixed axes, 7000 rpm", first=7000.0, last=7200.0, duration=0.03, settling=0.01
    ),
    replace(
        STRETCHES[0],
        name="spur pair on fixed axes, 12000 rpm",
        first=12000.0,
        last=12200.0,
        duration=0.03,
        settling=0.01,
    ),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """Motion over linearised response.

    Attributes
    ----------
    largest : float
        Difference over the linearised response, of orders that count.
    at : str
        Where.
    small : float
        Difference of the other orders over the largest one at the speed.
    compared, parted, late : int
        Amplitudes of orders that count: compared, with teeth that part, where the run-up is late.
    """

    largest: float
    at: str
    small: float
    compared: int
    parted: int
    late: int


def orders_of(data: Any, name: str) -> tuple[Array, Array]:
    """Amplitudes of the motion (point, order) and of the linearised response (speed, order); forces by axis.

    Of both gears the one with the larger forces.
    """
    full = data[f"{name}_order"].sel(order=data["linear_order"].to_numpy().astype(float))
    linear = data[f"linear_{name}_order"]
    if "axis" in full.dims:
        gear = str(data["gear"].to_numpy()[int(linear.max(["speed", "linear_order", "axis"]).to_numpy().argmax())])
        full, linear = ((of.sel(gear=gear) ** 2).sum("axis", skipna=False) ** 0.5 for of in (full, linear))
    return full.to_numpy(), linear.to_numpy()


def late(data: Any, stretch: Stretch, linear: Array) -> Array:
    """By how much an amplitude changes while the run-up is late, shape (speed, order).

    It is as late as the mode next to the frequency of the order takes to die out, 1/sigma, and has the amplitude of the
    speed of that time.
    """
    speed, orders = data["linear_speed"].to_numpy(), data["linear_order"].to_numpy()
    natural, ratio = data["natural_frequency"].to_numpy(), data["damping_ratio"].to_numpy()
    rate = RPM * (stretch.last - stretch.first) / stretch.duration
    found = np.empty_like(linear)
    for i, order in enumerate(orders.tolist()):
        heard = order * data["linear_mesh_frequency"].to_numpy()
        nearest = np.abs(heard[:, None] / natural - 1.0).argmin(axis=1)
        before = speed - rate / (2.0 * np.pi * natural * ratio)[nearest]
        found[:, i] = np.interp(before, speed, linear[:, i]) - linear[:, i]
    return np.abs(found)


def compared(data: Any, stretch: Stretch, name: str) -> Comparison:
    """Compare all amplitudes of a quantity."""
    full, linear = orders_of(data, name)
    speed, at = data["linear_speed"].to_numpy(), data["pinion_speed"].to_numpy()
    expected, lag = (
        np.array([np.interp(at, speed, column) for column in of.T]).T for of in (linear, late(data, stretch, linear))
    )
    largest = np.fmax(expected, np.nan_to_num(full)).max(axis=1, keepdims=True)
    counts, known = np.fmax(expected, np.nan_to_num(full)) >= COUNTS * largest, np.isfinite(full)
    parts = data["contact_loss_share"].to_numpy() > 0.0
    parted = known & (parts | np.r_[False, parts[:-1]] | np.r_[parts[1:], False])[:, None]
    behind = known & ~parted & (lag > LATE * np.where(counts, expected, largest))
    kept = known & ~parted & ~behind
    apart = np.where(kept & counts, np.abs(full / expected - 1.0), 0.0)
    point, order = np.unravel_index(int(apart.argmax()), apart.shape)
    return Comparison(
        largest=float(apart.max()),
        at=f"order {order + 1} at {at[point] / RPM:.0f} rpm",
        small=float(np.where(kept & ~counts, np.abs(full - expected) / largest, 0.0).max()),
        compared=int((kept & counts).sum()),
        parted=int((parted & counts).sum()),
        late=int((behind & counts).sum()),
    )


def rows(quick: bool) -> Iterator[Row]:
    """Largest difference of every stretch, in transmission error and forces, and that teeth part where they do."""
    for stretch in QUICK if quick else STRETCHES:
        result = ag.run(stretch.case())
        data = result.dataset
        for name, words in QUANTITIES.items():
            found = compared(data, stretch, name)
            told = f"{found.compared} amplitudes, {found.parted} with teeth that part and {found.late} late left out"
            yield Row(
                quantity=f"{words}, {stretch.name}: largest difference ({found.at}; {told})",
                value=found.largest if found.compared else float("nan"),
                kind="at most",
                bound=BOUND,
                source="itself, linearised response",
            )
            yield Row(
                quantity=f"{words}, {stretch.name}: the smaller orders, over the largest one",
                value=found.small,
                kind="at most",
                bound=SMALL_BOUND,
                source="itself, linearised response",
            )
        if not quick and stretch is STRETCHES[0]:
            yield Row(
                quantity="spur pair: largest part of the time without contact in the resonance",
                value=float(data["contact_loss_share"].max()),
                kind="at least",
                bound=0.1,
                source="itself, which the linearised response does not know",
            )
        if not quick and stretch.name in PICTURES:
            draw(data, HERE / PICTURES[stretch.name])


PICTURES = {"spur pair on fixed axes": "spur.png", "e-axle stage, low speeds": "e_axle_low.png"}
PICTURES["e-axle stage, high speeds"] = "e_axle_high.png"


def draw(data: Any, to: Path) -> None:
    """Draw the picture of a sweep, small enough to be kept."""
    from alegear.pictures.of_results.sweep import draw_sweep

    draw_sweep(data).savefig(to, dpi=80)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
