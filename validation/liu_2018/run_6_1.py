"""Example 6.1 of Liu et al. (2018): tooth-change thresholds in and out of single contact, in a slow motion.

``case_6_1.toml`` with the paper's thresholds 0.4, 0.5, 0.6 and 0.7, and ``figure_8.png``; ``run.py`` is the command.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from checks import Row
from numpy.typing import NDArray
from paper import PaperTime, draw_contact_times, error_of_centre

import alegear as ag

HERE = Path(__file__).parent
THRESHOLDS = (0.4, 0.5, 0.6, 0.7)  # of the paper
TOOTH = 1  # of the pinion, in pair 1, the paper's tooth 1
SETTLED = 0.5  # phase after which the torque is that of the case: the run-up takes 0.1 of a pitch
SAME = 1e-5  # of the largest value: a step is good to 1e-4, and the tooth-changes cut the steps elsewhere
LEFT = 0.01  # pitches: curves that part by less are not told apart
WRONG = 0.01  # of the largest value: where a curve leaves that of threshold 0.5
STYLES = {0.4: ("C3", "-", 1.3), 0.5: ("0.75", "-", 4.0), 0.6: ("C0", "-", 1.5), 0.7: ("C1", "-", 1.3)}


@dataclass(frozen=True, kw_only=True, eq=False)
class Example:
    """Curves of one threshold each over the same normalised times."""

    times: PaperTime
    time: NDArray[np.float64]
    error: dict[float, NDArray[np.float64]]  # theta_c - theta_t [rad]
    stress: dict[float, NDArray[np.float64]]  # von Mises at point 7 of tooth 1 of the pinion [Pa]

    @classmethod
    def of(cls, case: ag.Case) -> Example:
        """Solve with the default threshold, which gives the times of contact, then with the paper's four."""
        times = PaperTime.of(solve(case, None), after=SETTLED)
        data = {threshold: solve(case, threshold - times.shift) for threshold in THRESHOLDS}
        return cls(
            times=times,
            time=times.at(data[0.5]),
            error={t: error_of_centre(d, case) for t, d in data.items()},
            stress={t: d.point_stress.sel(point="pinion 7", tooth=TOOTH).values for t, d in data.items()},
        )

    def difference(self, curves: dict[float, NDArray[np.float64]], one: float, other: float) -> float:
        """Largest difference of two curves over the largest value."""
        return float(np.abs(curves[one] - curves[other]).max() / np.abs(curves[other]).max())

    def wrong_times(self, threshold: float) -> tuple[float, float]:
        """First and last time, modulo 1, at which the error leaves that of threshold 0.5."""
        reference = self.error[0.5]
        wrong = np.abs(self.error[threshold] - reference) > WRONG * np.abs(reference).max()
        if not wrong.any():
            return np.nan, np.nan
        part = np.mod(self.time[wrong & (self.time > SETTLED)], 1.0)
        return float(part.min()), float(part.max())

    def levels(self) -> tuple[float, float]:
        """Mean error in single and in double contact, threshold 0.5 [rad]."""
        out, into = self.times.out_and_in
        part, settled = np.mod(self.time, 1.0), self.time > 1.0
        single = settled & (part > out) & (part < into)
        double = settled & ~((part > out) & (part < into))
        return float(self.error[0.5][single].mean()), float(self.error[0.5][double].mean())


def solve(case: ag.Case, threshold: float | None) -> xr.Dataset:
    """Result with a tooth-change threshold [phase]."""
    # a study refuses a threshold at which a tooth outside of the window carries: what that does is what is looked at
    with patch("alegear.studies.tooth_window.pair_outside", lambda *_: None):
        return ag.run(replace(case, analysis=replace(case.analysis, tooth_change_threshold=threshold))).dataset


def rows(example: Example, *, close: float) -> Iterator[Row]:
    """Times of contact [pitches], what thresholds change inside and outside single contact, and the levels.

    Parameters
    ----------
    close : float [pitches]
        Bound of the times of contact.
    """
    times, text = example.times, "text of Liu et al. (2018), 6.1"
    yield from times.rows("6.1", close)
    for name, curves in (("theta_c - theta_t", example.error), ("stress of point 7", example.stress)):
        yield Row(
            quantity=f"6.1, {name}, threshold 0.6 off 0.5, over the largest",
            value=example.difference(curves, 0.6, 0.5),
            kind="at most",
            bound=SAME,
            source=f'{text}: "very good agreement"',
        )
        for threshold in (0.4, 0.7):
            yield Row(
                quantity=f"6.1, {name}, threshold {threshold} off 0.5, over the largest",
                value=example.difference(curves, threshold, 0.5),
                kind="at least",
                bound=0.1,
                source=f"{text}: error ahead of its schedule, drop delayed",
            )
    out, into = times.out_and_in
    for threshold, expected in ((0.4, (0.4, out)), (0.7, (into, 0.7))):
        for which, found, there in zip(("from", "to"), example.wrong_times(threshold), expected, strict=True):
            yield Row(
                quantity=f"6.1, threshold {threshold}: theta_c - theta_t wrong {which} k +",
                value=found,
                reference=there,
                kind="absolute",
                unit="pitches",
                bound=LEFT,
                source=f"threshold and computed times of contact; {text}",
            )
    single, double = example.levels()
    yield Row(
        quantity="6.1, theta_c - theta_t in single over that in double contact",
        value=single / double,
        kind="at least",
        bound=1.2,
        source=text,
    )
    if not single < 0.0 > double:
        raise ArithmeticError(f"the driven pinion is ahead: {single:g}, {double:g} rad")


def draw(example: Example) -> None:
    """Write ``figure_8.png``: (c) error of the centre, (d) stress of point 7 of the pinion's tooth 1."""
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(10.0, 8.0), sharex=True, layout="constrained")
    for threshold in (0.5, 0.6, 0.4, 0.7):
        colour, line, width = STYLES[threshold]
        options = {"color": colour, "linestyle": line, "linewidth": width, "label": f"{threshold:g}"}
        upper.plot(example.time, 1e3 * example.error[threshold], **options)
        lower.plot(example.time, 1e-6 * example.stress[threshold], **options)
    for axes in (upper, lower):
        draw_contact_times(axes, 0.0, 6.0)
    upper.set_ylabel(r"(c)  $\theta_c - \theta_t$ of the pinion [mrad]")
    lower.set_ylabel("(d)  von Mises stress of point 7,\ntooth 1 of the pinion [MPa]")
    lower.set_xlabel("normalised time [pitches]; blue: mesh-out, orange: mesh-in of the paper")
    upper.legend(title="tooth-change threshold", ncols=4, loc="upper center")
    upper.set_ylim(top=1.0)
    figure.savefig(HERE / "figure_8.png", dpi=90)
