"""Tooth-change: what its threshold may and may not do, after figure 8 of Liu et al. (2018).

``python validation/tooth_change/run.py`` computes ``case.toml`` over six pitches with several thresholds and draws
``tooth_change.png`` (one minute).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import xarray as xr

import alegear as ag
from alegear.progress import Silent
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.preparation import prepare
from alegear.studies.tooth_window import loaded_engagement

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst
from coarse import FIRST_ORDER, coarse

HERE = Path(__file__).parent
INSIDE = (0.25, 0.5, 0.75)  # of the single-contact interval
MARGIN = 0.1  # pitches by which the wrong thresholds miss the interval
SHOWN_PITCHES = 3.0
TOOTH = 1  # the pair whose pinion root is drawn
SAME = 1e-8  # of the mean or the largest value
STRESS = "root_stress"


def single_contact(case: ag.Case) -> tuple[float, float]:
    """Computed phases between which pair 0 alone carries: mesh-out of pair -1 and mesh-in of pair 1 [pitches]."""
    contact = prepare(case, Silent()).contact
    solver = MeshSolver.of(case, contact)
    phase_in, phase_out = loaded_engagement(solver, tolerance=1e-5)
    return phase_out - 1.0, phase_in + 1.0


def solve(case: ag.Case, threshold: float | None) -> xr.Dataset:
    """Result with a tooth-change threshold."""
    # a study refuses a threshold at which a tooth outside of the window carries: what that does is what is looked at
    with patch("alegear.studies.tooth_window.pair_outside", lambda *_: None):
        return ag.run(replace(case, analysis=replace(case.analysis, tooth_change_threshold=threshold))).dataset


def pitch_to_pitch(data: xr.Dataset, per_pitch: int) -> float:
    """Largest difference of the transmission error between one pitch and any other, over its mean."""
    error = data.transmission_error.values.reshape(-1, per_pitch)
    return float(np.abs(error - error[0]).max() / abs(error.mean()))


def torque_defect(data: xr.Dataset, case: ag.Case) -> float:
    """Largest |sum of tooth loads - torque / r_b| over torque / r_b."""
    force = case.operation.pinion_torque / case.pair.pinion.r_b
    return float(np.abs(data.tooth_load.sum("pair").values / force - 1.0).max())


def difference(data: xr.Dataset, other: xr.Dataset, name: str) -> float:
    """Largest difference of a variable where both computed it, over the largest value."""
    a, b = xr.align(data[name], other[name], join="inner")
    return float(np.nanmax(np.abs(a - b)) / np.nanmax(np.abs(a)))


def wrong_phases(data: xr.Dataset, right: xr.Dataset) -> tuple[float, float]:
    """First and last phase of the pitch from phase 0.5 - 1 at which the transmission error is wrong."""
    first_pitch = data.phase.values < 0.5
    change = np.abs(data.transmission_error.values - right.transmission_error.values)[first_pitch]
    wrong = data.phase.values[first_pitch][change > SAME * np.abs(right.transmission_error.values).mean()]
    return float(wrong.min()), float(wrong.max())


def rows(quick: bool) -> Iterator[Row]:
    """Thresholds inside and outside single contact; in the quick form a coarse grid and two pitches."""
    case = ag.Case.from_toml(HERE / "case.toml")
    if quick:
        case = coarse(case, FIRST_ORDER, positions_per_pitch=32, pitches=2)
    mesh_out, mesh_in = single_contact(case)
    inside = [mesh_out + share * (mesh_in - mesh_out) for share in INSIDE]
    early, late = mesh_out - MARGIN, mesh_in + MARGIN
    curves = {threshold: solve(case, threshold) for threshold in (early, *inside, late)}
    middle, per_pitch = curves[inside[1]], case.analysis.positions_per_pitch
    mean = abs(float(middle.transmission_error.mean()))
    others = {"at 1/4": curves[inside[0]], "at 3/4": curves[inside[2]], "the default": solve(case, None)}

    def remainder(quantity: str, values: dict[str, float], source: str) -> Row:
        return worst(
            quantity,
            [Row(quantity=name, value=v, kind="at most", bound=SAME, source=source) for name, v in values.items()],
        )

    names = {f"threshold {threshold:.4f}": data for threshold, data in curves.items()}
    yield remainder(
        "load of the tooth pairs less torque over base radius, as a part",
        {name: torque_defect(data, case) for name, data in names.items()},
        "equilibrium",
    )
    yield remainder(
        "change of the transmission error from pitch to pitch, over its mean",
        {name: pitch_to_pitch(data, per_pitch) for name, data in names.items()},
        "every pitch is the same",
    )
    yield remainder(
        "transmission error, threshold inside single contact, off that of its middle, over the mean",
        {
            name: float(np.abs(data.transmission_error - middle.transmission_error).max() / mean)
            for name, data in others.items()
        },
        "the threshold does not matter",
    )
    yield remainder(
        "root stress, threshold inside single contact, off that of its middle, over the largest",
        {name: difference(middle, data, STRESS) for name, data in others.items()},
        "the threshold does not matter",
    )
    source, step = "figure 8 of Liu et al. (2018), by behaviour", 1.0 / per_pitch
    for name, threshold, expected in (("early", early, (early, mesh_out)), ("late", late, (mesh_in, late))):
        for which, found, there in zip(("from", "to"), wrong_phases(curves[threshold], middle), expected, strict=True):
            yield Row(
                quantity=f"threshold 0.1 too {name}: transmission error wrong {which} phase",
                value=found,
                reference=there,
                kind="absolute",
                bound=step * (1.0 + 1e-6),  # the positions are so far apart
                source=source,
            )
    if not quick:
        print(f"single contact from {mesh_out:.4f} (mesh-out) to {mesh_in:.4f} (mesh-in), mean {1e6 * mean:.4f} um")
        draw(curves, inside, (early, late), (mesh_out, mesh_in))


def draw(
    curves: dict[float, xr.Dataset],
    inside: list[float],
    outside: tuple[float, float],
    interval: tuple[float, float],
) -> None:
    """Write ``tooth_change.png``: transmission error above, root stress of one pinion tooth below."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    early, late = outside
    styles = {
        early: ("C3", "-", 1.4, f"{early:.2f}, before mesh-out: jump too early"),
        late: ("C1", "-", 1.4, f"{late:.2f}, after mesh-in: drop too late"),
        inside[0]: ("0.75", "-", 4.0, f"{inside[0]:.2f}, in single contact"),
        inside[1]: ("C0", "-", 1.6, f"{inside[1]:.2f}, in single contact (default)"),
        inside[2]: ("k", ":", 1.6, f"{inside[2]:.2f}, in single contact"),
    }
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(9.0, 8.0), sharex=True, layout="constrained")
    for threshold, (colour, line, width, label) in styles.items():
        data = curves[threshold]
        shown = data.phase.values <= data.phase.values[0] + SHOWN_PITCHES
        phase = data.phase.values[shown]
        upper.plot(phase, 1e6 * data.transmission_error.values[shown], line, color=colour, linewidth=width, label=label)
        stress = data[STRESS].sel(gear="pinion", side="tension", pair=TOOTH).values[shown]
        lower.plot(phase, 1e-6 * stress, line, color=colour, linewidth=width)
    for axes in (upper, lower):
        for k in range(int(SHOWN_PITCHES)):
            for position, colour, name in zip(interval, ("C0", "C2"), ("mesh-out", "mesh-in"), strict=True):
                axes.axvline(k + position, color=colour, linestyle="-.", linewidth=0.9)
                if axes is upper:
                    axes.annotate(
                        name, (k + position, 1.01), xycoords=("data", "axes fraction"), ha="center", fontsize=8
                    )
        axes.grid(alpha=0.3)
    upper.set_ylabel("static transmission error [µm]")
    figure.legend(title="tooth-change threshold [pitches]", loc="outside lower center", ncols=2)
    lower.set_ylabel(f"largest von Mises stress [MPa],\npinion root, tension side, tooth of pair {TOOTH}")
    lower.set_xlabel("phase of the driven pinion [pitches]")
    figure.savefig(HERE / "tooth_change.png", dpi=100)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
