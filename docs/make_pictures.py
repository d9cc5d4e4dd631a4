"""Draw the pictures of the documentation into ``docs/pictures``: ``python docs/make_pictures.py [NAME ...]``.

A function per picture: its name is that of the file, and it returns a figure of Matplotlib. Cases are small, so that
all are drawn in minutes. Pictures are in the repository; they are drawn again by hand when what they show has changed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
MOST_BYTES = 100_000  # a page with five of them still opens at once
DRAWN: dict[str, Callable[[], Figure]] = {}


def picture(draw: Callable[[], Figure]) -> Callable[[], Figure]:
    """List a function among the pictures."""
    DRAWN[draw.__name__] = draw
    return draw


def save(name: str) -> Path:
    """Draw a picture and write it, in as fine a grid as keeps it small."""
    path = PICTURES / f"{name}.png"
    with rc_context({"font.size": 9.0, "savefig.bbox": "tight"}):
        figure = DRAWN[name]()
        for dpi in (144, 110, 90, 72):
            figure.savefig(path, dpi=dpi)
            if path.stat().st_size < MOST_BYTES:
                return path
    raise SystemExit(f"{path} = {path.stat().st_size} bytes: must be less than {MOST_BYTES}; draw less in it")


@picture
def front_page() -> Figure:
    """Transmission error of a spur pair beside finite elements, and the contact pattern of a helical stage."""
    import csv
    from dataclasses import replace

    import numpy as np

    import alegear as ag

    spur = ag.Case.from_toml(ROOT / "meshes/spur_20_30.toml")
    sharp = ag.GearPair(
        pinion=replace(spur.pair.pinion, tip_rounding=0.0), wheel=replace(spur.pair.wheel, tip_rounding=0.0)
    )
    study = ag.StaticAnalysis(positions_per_pitch=96, grid_estimate=False)
    found = ag.run(replace(spur, pair=sharp, analysis=study)).dataset
    rows = csv.DictReader((ROOT / "validation/fe_segment_20_30/expected.csv").read_text(encoding="utf-8").splitlines())
    expected = [(float(row["phase"]), float(row["te_lagrange_um"])) for row in rows if row["body"] == "wheels"]

    figure = Figure(figsize=(8.6, 3.1), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(found["phase"], 1e6 * found["transmission_error"], label="alegear")
    left.plot(
        *np.array([(phase, -te) for phase, te in expected]).T, "ko", markersize=4, label="nonlinear finite elements"
    )
    left.set(title="spur 20/30, 400 N m", xlabel="phase [pitches]", ylabel="transmission error [µm]")
    left.legend(loc="lower left", frameon=False, fontsize=8)
    left.grid(alpha=0.3)

    stage = ag.Case.from_toml(ROOT / "meshes/e_axle_stage.toml")
    flank = ag.Microgeometry(tip_relief=25e-6, tip_relief_start="end of single contact", lead_crowning=6e-6)
    pair = ag.GearPair(
        pinion=replace(stage.pair.pinion, microgeometry=flank),
        wheel=replace(stage.pair.wheel, microgeometry=replace(flank, lead_crowning=0.0)),
        a_w=stage.pair.a_nominal,
        alignment=ag.Alignment(tilt_plane_of_action=np.radians(0.02)),
    )
    pattern = ag.run(replace(stage, pair=pair, analysis=study)).dataset
    pressure = 1e-6 * pattern["pattern_pressure"].values.T
    shown = np.ma.masked_less_equal(np.ma.masked_invalid(pressure), 0.0)
    drawn = right.pcolormesh(1e3 * pattern["roll_length"], 1e3 * pattern["slice"], shown, shading="nearest")
    figure.colorbar(drawn, ax=right, label="contact pressure [MPa]")
    right.set(title="helical 23/81, 180 N m, tilted by 0.02°", xlabel="roll length [mm]", ylabel="across the face [mm]")
    right.set_facecolor("0.93")
    return figure


if __name__ == "__main__":
    for name in sys.argv[1:] or DRAWN:
        print(save(name))
