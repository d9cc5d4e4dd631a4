"""Relieved pair 20/30 under load: is the transmission error smooth, and do loads only fall once they have begun to?

``python validation/tip_edges/under_load.py`` solves ``relieved.toml`` with other reliefs and tip rounds at 256
positions of a pitch under both laws, prints the tables of README.md and draws the curves of law hertz. Then the pairs
13/97 of ``../liu_2018`` under heavy load on the undercut edge, at 64 positions and in a slow motion.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import alegear as ag
from alegear.errors import AnalysisFailure

HERE = Path(__file__).resolve().parent
NEAR = 0.03  # pitches about a pair's first and last load that count as entering and leaving
FLAT = 1e-6  # of the sum of loads: changes below it are none
# tip round [mm], relief [um], shape
SHAPES = [
    (0.01, 20.0, "linear"),
    (0.0, 20.0, "linear"),
    (0.2, 20.0, "linear"),
    (0.01, 20.0, "parabolic"),
    (0.01, 60.0, "linear"),
    (0.01, 60.0, "parabolic"),
]
HEAD = "| tip round [mm] | relief | TE away | TE entering, leaving | loads away | rise |"
UNDERCUT = [(0.0, 24.0), (0.0, 20.0), (0.1, 16.0)]  # profile shift of the pinion, face width [mm]
COARSE = ag.MeshOptions(flank_elements=12, fillet_elements=6, thickness_elements=4, width_elements=2, rim_elements=4)


def relieved(rounding_mm: float, relief_um: float, shape: str, positions: int = 256, law: str = "hertz") -> ag.Case:
    """Case of ``relieved.toml`` with another edge, or under law ``penalty`` on elements of first order."""
    case = ag.Case.from_toml(HERE / "relieved.toml")
    gears = [
        replace(
            gear,
            tip_rounding=1e-3 * rounding_mm,
            microgeometry=replace(gear.microgeometry, tip_relief=1e-6 * relief_um, tip_relief_shape=shape),
        )
        for gear in case.pair.gears
    ]
    analysis = replace(case.analysis, positions_per_pitch=positions)
    pair = replace(case.pair, pinion=gears[0], wheel=gears[1])
    order = 1 if law == "penalty" else 2
    meshes = tuple(replace(options, order=order) for options in case.mesh_options)
    return replace(case, pair=pair, analysis=analysis, law=law, mesh_options=meshes)


def smoothness(dataset: Any) -> dict[str, float]:
    """How smooth the curves of a static study over one pitch are.

    Returns
    -------
    dict
        ``away``, ``near``: largest second difference of the transmission error over its mean, away from where pairs
        take or lose their load, and there; ``load``: the largest of a pair's load over their sum, away from there;
        ``rise``: the most that a load grows from one position to the next after it began to fall, over the sum.
    """
    error, loads = dataset.transmission_error.values, dataset.tooth_load.values
    total, n = loads.sum(axis=1).mean(), len(error)
    near = np.zeros(n, dtype=bool)
    for of_pair in loads.T:
        changes = np.nonzero(np.diff((of_pair > 0.0).astype(int)))[0] + 0.5
        near |= np.any(np.abs(np.arange(n)[:, None] - changes) < NEAR * n, axis=1)
    away = ~near[1:-1]
    second = np.abs(np.diff(error, 2)) / abs(error.mean())
    load = np.abs(np.diff(loads, 2, axis=0)).max(axis=1) / total
    # the load of one pair from its first position to its last: those of the pairs of a pitch one after the other
    order = np.argsort(dataset.pair.values)[::-1]
    life = np.array(list(chain.from_iterable(loads[:, c] for c in order)))
    steps = np.diff(life[life > 0.0])
    falls = np.nonzero(steps < -FLAT * total)[0]
    rise = max(0.0, float(steps[falls[0] :].max())) if len(falls) else 0.0
    return {
        "away": float(second[away].max()),
        "near": float(second[~away].max(initial=0.0)),
        "load": float(load[away].max()),
        "rise": rise / total,
    }


def undercut(shift: float, width_mm: float) -> ag.Case:
    """Case 6.1 of ``../liu_2018`` on a coarse grid with another profile shift and face width."""
    case = ag.Case.from_toml(HERE.parent / "liu_2018" / "case_6_1.toml")
    pinion = replace(case.pair.pinion, x=shift, b=1e-3 * width_mm)
    wheel = replace(case.pair.wheel, x=-shift, b=1e-3 * width_mm)
    output = replace(case.output, fields=False, plots=False, points=())
    pair = replace(case.pair, pinion=pinion, wheel=wheel)
    return replace(case, pair=pair, mesh_options=(COARSE, COARSE), output=output)


def solves(case: ag.Case, positions: int = 64) -> tuple[float, float]:
    """Largest second difference of the static transmission error over its mean, and the last phase of a slow motion."""
    static = ag.run(replace(case, analysis=ag.StaticAnalysis(positions_per_pitch=positions))).dataset
    error = static.transmission_error.values
    slow = ag.run(replace(case, analysis=replace(case.analysis, duration=9.0, output_every=0.02))).dataset
    return float(np.abs(np.diff(error, 2)).max() / abs(error.mean())), float(slow.phase.values[-1])


def main() -> None:
    """Compute, print and draw."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (above, below) = plt.subplots(2, sharex=True, figsize=(8.0, 7.0), layout="constrained")
    for law, shape in product(("hertz", "penalty"), SHAPES):
        if shape == SHAPES[0]:
            print(f"\nlaw {law}\n\n{HEAD}\n{'|---' * HEAD.count(' |')}|")
        dataset = ag.run(relieved(*shape, law=law)).dataset
        s = smoothness(dataset)
        label = f"{shape[1]:.0f} um {shape[2]}"
        print(
            f"| {shape[0]} | {label} | {s['away']:.3%} | {s['near']:.3%} | {s['load']:.3%} | {s['rise']:.1e} |",
            flush=True,
        )
        if law == "penalty":
            continue
        (line,) = above.plot(dataset.phase, 1e6 * dataset.transmission_error, label=f"{label}, round {shape[0]} mm")
        below.plot(dataset.phase, dataset.tooth_load, color=line.get_color())
    above.set_ylabel("transmission error [µm]")
    above.legend(fontsize="small", loc="lower center")
    below.set(xlabel="phase [pitches]", ylabel="load of a pair [N]")
    figure.savefig(HERE / "under_load.png", dpi=110)
    print("\n| profile shift | width [mm] | TE, second differences | slow motion up to phase |\n|---|---|---|---|")
    for shift, width in UNDERCUT:
        try:
            rough, phase = solves(undercut(shift, width))
            print(f"| {shift} | {width:.0f} | {rough:.2%} | {phase:.3f} |", flush=True)
        except AnalysisFailure as failure:
            print(f"| {shift} | {width:.0f} | {failure} | |", flush=True)


if __name__ == "__main__":
    main()
