"""Example 6.2 of Liu et al. (2018): the pair run up from rest, seen at four points of a tooth of each gear.

``case_6_2.toml``, what its curves say, and ``figure_9.png``, ``figure_10.png``; ``run.py`` is the command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from checks import Row, worst
from matplotlib.axes import Axes
from numpy.typing import NDArray
from paper import COLOURS, MESH_IN, PaperTime, draw_contact_times, error_of_centre

import alegear as ag

Array = NDArray[np.float64]

HERE = Path(__file__).parent
POINTS = (1, 4, 7, 10)
TOOTH = 1  # in pair 1: the paper's tooth 1 of the pinion and 97 of the wheel
SHOWN_TEETH = tuple(range(1, 7))  # of figure 9
STEADY = 6  # pairs that come into mesh this much later than the first are past the run-up
RISEN = 0.2  # of its largest stress: where a point counts as stressed


@dataclass(frozen=True, kw_only=True, eq=False)
class Example:
    """The computed motion in the paper's terms; angles [rad], stresses [Pa] over normalised time."""

    data: xr.Dataset
    case: ag.Case
    times: PaperTime

    @classmethod
    def of(cls, result: xr.Dataset, case: ag.Case) -> Example:
        """Times of contact are those after the run-up."""
        ramp_ends = float(np.interp(case.analysis.ramp, result.time.values, result.phase.values))
        return cls(data=result, case=case, times=PaperTime.of(result, after=ramp_ends))

    @property
    def time(self) -> Array:
        """Normalised times."""
        return self.times.at(self.data)

    @property
    def centre(self) -> Array:
        """theta_c - theta_t of the pinion."""
        return error_of_centre(self.data, self.case)

    def point(self, name: str, gear: str, number: int, tooth: int = TOOTH) -> Array:
        """A variable at a point of a tooth."""
        return self.data[name].sel(point=f"{gear} {number}", tooth=tooth).values

    def in_mesh(self, first: float = MESH_IN, last: float = MESH_IN + 1.0) -> NDArray[np.bool_]:
        """Samples between two normalised times."""
        return (self.time >= first) & (self.time <= last)

    def spread_over_teeth(self, name: str, gear: str, number: int) -> float:
        """Largest difference between the histories of the teeth, each shifted by its pitches, over the largest value.

        From the middle of the mesh of the tooth two before to that of the tooth two after, past the run-up.
        """
        per_pitch = round(1.0 / float(np.diff(self.data.phase.values[-100:]).mean()))
        reach = 2 * per_pitch
        phase, curves = self.data.phase.values, []
        z = (self.case.pair.pinion if gear == "pinion" else self.case.pair.wheel).z
        for pair in np.unique(self.data.slot_pair.values):
            # the sample at the same place of its pitch in every pitch: the output interval divides it
            centre = int(np.argmin(np.abs(phase - pair)))
            if pair >= STEADY and centre + reach < len(phase) and pair % z in self.data.tooth.values:
                curves.append(self.point(name, gear, number, int(pair) % z)[centre - reach : centre + reach])
        histories = np.array(curves)
        return float(np.abs(histories - histories[0]).max() / np.abs(histories).max())

    def jumps(self, curve: Array, first: float, last: float) -> list[tuple[float, float]]:
        """Normalised time and size of the largest changes over a hundredth of a pitch, one in each third of a pitch."""
        inside = np.flatnonzero(self.in_mesh(first, last))
        step = 3
        change = curve[inside[step:]] - curve[inside[:-step]]
        at = self.time[inside[step:]] - 0.5 * step * np.diff(self.time[inside]).mean()
        found: list[tuple[float, float]] = []
        for i in np.argsort(-np.abs(change)):
            if all(abs(at[i] - other) > 0.1 for other, _ in found):
                found.append((float(at[i]), float(change[i])))
            if len(found) == 4:
                break
        return sorted(found)

    def rises(self, gear: str, number: int) -> float:
        """Normalised time at which a point of tooth 1 is first stressed in its first mesh."""
        stress, near = self.point("point_stress", gear, number), self.in_mesh(MESH_IN - 1.0, MESH_IN + 2.0)
        return float(self.time[near & (stress > RISEN * stress[near].max())][0])


def rows(example: Example, *, close: float, last: int) -> Iterator[Row]:
    """Times of contact, signs, one history for all teeth, steps and signs of the stress in the root.

    Parameters
    ----------
    close : float [pitches]
        Bound of times of contact.
    last : int
        Pair that is looked at, past the run-up.
    """
    text = "text of Liu et al. (2018), 6.2"
    yield from example.times.rows("6.2", close)
    rotations = {g: [example.point("point_rotation", g, n)[1:] for n in POINTS] for g in ("pinion", "wheel")}
    for gear, sign in (("pinion", 1.0), ("wheel", -1.0)):
        yield Row(
            quantity=f"6.2, theta_i - theta_c of the {gear}, least of its own sign",
            value=1e3 * min(float((sign * curve).min()) for curve in rotations[gear]),
            kind="at least",
            unit="mrad",
            bound=0.0,
            source=f"{text}: above 0 on the pinion, below on the wheel",
        )
    yield Row(
        quantity="6.2, largest theta_i - theta_c of the wheel over that of the pinion",
        value=max(map(_largest, rotations["wheel"])) / max(map(_largest, rotations["pinion"])),
        kind="at most",
        bound=0.3,
        source=f"{text}: the wheel bends less",
    )
    settled = example.time[1:] > MESH_IN
    yield Row(
        quantity="6.2, theta_i - theta_t of the pinion, least below 0",
        value=-1e3 * max(float((example.centre[1:] + c)[settled].max()) for c in rotations["pinion"]),
        kind="at least",
        unit="mrad",
        bound=0.0,
        source=f"{text}: the rotation of the body outweighs",
    )
    yield worst(
        "6.2, histories of teeth, shifted by pitches, off one another, over the largest value",
        [
            Row(
                quantity=f"{name.replace('_', ' ')}, {gear} {number}",
                value=example.spread_over_teeth(name, gear, number),
                kind="at most",
                bound=1e-3,  # the tolerance of a step is 1e-4 of the deflection
                source=f"{text}: all teeth have the same curve",
            )
            for gear in ("pinion", "wheel")
            for name in ("point_stress", "point_rotation")
            for number in POINTS
        ],
    )
    tooth = last % example.case.pair.pinion.z
    stress = example.point("point_stress", "pinion", 7, tooth)
    times = [last - 1 + 0.63, last + 0.44, last + 0.63, last + 1.44]
    for (at, size), expected, up in zip(
        example.jumps(stress, last - 0.7, last + 1.7), times, (True, True, False, False), strict=True
    ):
        yield Row(
            quantity=f"6.2, point 7 of the pinion's pair {last}: steepest {'rise' if up else 'fall'}",
            value=at if (size > 0.0) == up else np.nan,
            reference=expected,
            kind="absolute",
            unit="pitches",
            bound=0.04,  # a rise or fall takes up to a tenth of a pitch
            source=text,
        )
    signed, own = (example.point("point_stress_principal", "pinion", n, tooth) for n in (10, 7))
    before = example.in_mesh(last - 0.8, last - 0.4)
    after = example.in_mesh(last + 0.45, last + 0.6)
    between = example.point("point_stress", "pinion", 10, tooth)
    valley = between[example.in_mesh(last - 0.37, last + 0.2)].min()
    for quantity, value, kind, bound in (
        ("between two teeth, tension by the tooth before [MPa]", 1e-6 * signed[before].min(), "at least", 0.0),
        ("between two teeth, compression by its own tooth [MPa]", -1e-6 * signed[after].max(), "at least", 0.0),
        (
            "between two teeth, valley over the lower of both peaks",
            valley / min(between[before].max(), between[after].max()),
            "at most",
            0.2,
        ),
        ("in the root, compression by its own tooth [MPa]", -1e-6 * own[after].max(), "at least", 0.0),
    ):
        yield Row(
            quantity=f"6.2, pinion, {quantity}",
            value=float(value),
            kind=kind,
            bound=bound,
            source=f"{text}: two peaks in turn, of two signs",
        )


def _largest(curve: Array) -> float:
    return float(np.abs(curve).max())


def draw(example: Example) -> None:
    """Draw both figures."""
    draw_9(example)
    draw_10(example)


def report(example: Example) -> None:
    """Print what the table of README.md compares."""
    times, time_ = example.times, example.time
    out, into = times.out_and_in
    print(f"mesh-out {out:.4f}, mesh-in {into:.4f}, loaded contact ratio {times.contact_ratio:.4f}")
    print(f"normalised time = phase + {times.shift:.4f}, from {time_[0]:.3f} to {time_[-1]:.3f}")
    part, steady = np.mod(time_, 1.0), time_ > STEADY
    single = (part > out) & (part < into)
    centre = 1e3 * example.centre
    print(f"theta_c - theta_t: single {centre[steady & single].mean():.3f} mrad, ", end="")
    print(f"double {centre[steady & ~single].mean():.3f}, largest {np.abs(centre).max():.3f}")
    for gear, sign in (("pinion", 1.0), ("wheel", -1.0)):
        rotation = [1e3 * example.point("point_rotation", gear, n) for n in POINTS]
        idle, meshing = example.in_mesh(5.0, 10.0), example.in_mesh(MESH_IN, MESH_IN + 1.81)
        away = np.array([curve[idle] for curve in rotation])
        print(f"{gear}: largest |theta_i - theta_c| by point", [round(float(np.abs(c).max()), 4) for c in rotation])
        print(f"  of one sign: {min(float((sign * c).min()) for c in rotation):.1e} mrad")
        print(
            f"  from 5 to 10: {np.abs(away).max():.4f} at most, points apart by {np.ptp(away, axis=0).max():.4f} mrad"
        )
        ordered = np.diff(np.array([sign * c[meshing] for c in rotation]), axis=0) <= 0.0
        # elsewhere the contact, which pushes in the flank of the wheel, is at point 4
        print(f"  rising from root to tip in {100.0 * ordered.all(axis=0).mean():.0f} % of the first mesh")
        stress = [1e-6 * example.point("point_stress", gear, n) for n in POINTS]
        print("  largest stress [MPa]", [round(float(c.max()), 1) for c in stress], end="")
        print("; from 5 to 10", [round(float(c[idle].max()), 1) for c in stress])
        print("  stressed from", [round(example.rises(gear, n), 3) for n in POINTS])
        for name in ("point_stress", "point_rotation"):
            spread = [example.spread_over_teeth(name, gear, n) for n in POINTS]
            print(f"  {name} of all teeth on one curve to", [f"{s:.1e}" for s in spread])
    later = time_ > MESH_IN
    total = [centre + 1e3 * example.point("point_rotation", "pinion", n) for n in POINTS]
    print("theta_i - theta_t of the pinion at most", [round(float(c[later].max()), 3) for c in total], "mrad")
    for number in (7, 10):
        curve = 1e-6 * example.point("point_stress_principal", "pinion", number)
        jumps = [f"{size:+.0f} MPa at {at:.3f}" for at, size in example.jumps(curve, 12.5, 15.7)]
        print(f"point {number} of the pinion, signed stress: steepest by", ", ".join(jumps))
    stress = 1e-6 * example.point("point_stress", "pinion", 10)
    parts = [stress[example.in_mesh(*part)] for part in ((13.0, 13.62), (13.62, 14.2), (14.2, 15.4))]
    print("point 10 of the pinion: largest, smallest, largest", parts[0].max(), parts[1].min(), parts[2].max())


def draw_9(example: Example) -> None:
    """Write ``figure_9.png``: von Mises stress of point 7 of six teeth of pinion and wheel."""
    figure, both = plt.subplots(2, 1, figsize=(12.0, 8.0), sharex=True, layout="constrained")
    names: dict[str, Callable[[int], int]] = {
        # the paper counts against the order of meshing: pair 1 has tooth 1 of the pinion and 97 of the wheel
        "pinion": lambda pair: (1 - pair) % 13 + 1,
        "wheel": lambda pair: (96 + 1 - pair) % 97 + 1,
    }
    for axes, gear, letter in zip(both, names, "ab", strict=True):
        for pair in SHOWN_TEETH:
            label = f"tooth {names[gear](pair)}"
            axes.plot(example.time, 1e-6 * example.point("point_stress", gear, 7, pair), linewidth=1.2, label=label)
        draw_contact_times(axes, 0.0, float(example.time[-1]))
        axes.set_ylabel(f"({letter})  von Mises stress of point 7,\n{gear} [MPa]")
        axes.legend(ncols=6, loc="upper right", fontsize=8)
        axes.set_ylim(0.0, 1.2 * axes.get_ylim()[1])
    both[-1].set_xlabel("normalised time [pitches]; teeth numbered as in the paper")
    figure.savefig(HERE / "figure_9.png", dpi=90)


def draw_10(example: Example) -> None:
    """Write ``figure_10.png``: angles and stresses at points 1, 4, 7 and 10 of a tooth of each gear."""
    figure, panels = plt.subplots(3, 2, figsize=(15.0, 12.0), sharex=True, layout="constrained")
    centre = 1e3 * example.centre

    def draw(axes: Axes, curve_of: Callable[[int], Array], label: str) -> None:
        for number in POINTS:
            axes.plot(example.time, curve_of(number), color=COLOURS[number], linewidth=1.1, label=f"point {number}")
        axes.set_ylabel(label)
        axes.legend(fontsize=8, ncols=4)

    rotation, stress = "point_rotation", "point_stress"
    (a, b), (c, d), (e, f) = panels
    draw(
        a,
        lambda n: 1e3 * example.point(rotation, "wheel", n),
        r"(a)  $\theta_i - \theta_c$, tooth 97 of the wheel [mrad]",
    )
    draw(
        b,
        lambda n: 1e3 * example.point(rotation, "pinion", n),
        r"(b)  $\theta_i - \theta_c$, tooth 1 of the pinion [mrad]",
    )
    draw(
        c,
        lambda n: centre + 1e3 * example.point(rotation, "pinion", n),
        r"(c)  $\theta_i - \theta_t$, tooth 1 of the pinion [mrad]",
    )
    d.plot(example.time, centre, color="k", linewidth=1.1)
    d.set_ylabel(r"(d)  $\theta_c - \theta_t$ of the pinion [mrad]")
    draw(e, lambda n: 1e-6 * example.point(stress, "pinion", n), "(e)  von Mises stress, tooth 1 of the pinion [MPa]")
    draw(f, lambda n: 1e-6 * example.point(stress, "wheel", n), "(f)  von Mises stress, tooth 97 of the wheel [MPa]")
    for axes in panels.ravel():
        draw_contact_times(axes, 0.0, float(example.time[-1]))
    for axes in panels[-1]:
        axes.set_xlabel("normalised time [pitches]; blue: mesh-out, orange: mesh-in of the paper")
    figure.savefig(HERE / "figure_10.png", dpi=80)
