"""Draw the pictures of the documentation into ``docs/pictures``: ``python docs/make_pictures.py [NAME ...]``.

A function per picture: its name is that of the file, and it returns a figure of Matplotlib. Cases are small, so that
all are drawn in minutes. Pictures are in the repository; they are drawn again by hand when what they show has changed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import chdir
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from PIL import Image

if TYPE_CHECKING:
    import xarray as xr

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
COLOURS = 128
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
        for dpi in (144, 125, 110, 90, 72):
            figure.savefig(path, dpi=dpi)
            if path.stat().st_size >= MOST_BYTES:  # shades of a map need fewer colours than they have
                Image.open(path).convert("RGB").quantize(COLOURS).save(path, optimize=True)
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


#: Keys of grids that take seconds.
_COARSE = {"flank_elements": 8, "fillet_elements": 6, "thickness_elements": 4, "width_elements": 8, "rim_elements": 4}


@cache
def _stage() -> xr.Dataset:
    """The e-axle stage with relief and crowning, tilted, at 6000 rpm."""
    from dataclasses import replace
    from math import pi, radians

    import alegear as ag

    stage = ag.Case.from_toml(ROOT / "meshes/e_axle_stage.toml")
    flank = ag.Microgeometry(tip_relief=25e-6, tip_relief_start="end of single contact", lead_crowning=6e-6)
    pair = ag.GearPair(
        pinion=replace(stage.pair.pinion, microgeometry=flank),
        wheel=replace(stage.pair.wheel, microgeometry=replace(flank, lead_crowning=0.0)),
        a_w=stage.pair.a_nominal,
        alignment=ag.Alignment(tilt_plane_of_action=radians(0.02)),
    )
    case = replace(
        stage,
        title="E-axle stage 23/81, 180 N m",
        pair=pair,
        operation=replace(stage.operation, pinion_speed=6000.0 * pi / 30.0),
        analysis=ag.StaticAnalysis(positions_per_pitch=32, grid_estimate=False),
        wear=ag.WearConditions(friction_coefficient=0.05, bulk_temperature=90.0),
        grid_options=(ag.GridOptions(**_COARSE), ag.GridOptions(**_COARSE)),
    )
    return ag.run(case).dataset


@picture
def stage_te() -> Figure:
    """Transmission error of the stage."""
    from alegear.pictures.of_results.te import draw_transmission_error

    return draw_transmission_error(_stage())


@picture
def stage_contact_pattern() -> Figure:
    """Contact pattern of the stage."""
    from alegear.pictures.of_results.contact_pattern import draw_contact_pattern

    return draw_contact_pattern(_stage())


@picture
def stage_root_stress() -> Figure:
    """Stress cycle of a tooth of the stage."""
    from alegear.pictures.of_results.root_stress import draw_root_stress

    return draw_root_stress(_stage())


@picture
def stage_fillet() -> Figure:
    """Map of the root fillets of the stage."""
    from alegear.pictures.of_results.fillet import draw_fillet

    return draw_fillet(_stage())


@picture
def stage_wear() -> Figure:
    """Wear quantities of the stage."""
    from alegear.pictures.of_results.wear import draw_wear

    return draw_wear(_stage())


@picture
def stress_of_a_pair() -> Figure:
    """Stress on the deformed teeth of a spur pair, with the largest root stress marked."""
    from dataclasses import replace
    from unittest.mock import patch

    import alegear as ag
    from alegear.scene import scene

    spur = ag.Case.from_toml(ROOT / "meshes/spur_20_30.toml")
    # a window as wide as a page, so that its letters can be read, and few colours, so that every dot of it can stay
    window = patch.multiple(scene, WINDOW=(960, 640), MARK=(0.43, 0.91))
    with TemporaryDirectory() as folder, window:
        ag.run(replace(spur, analysis=ag.StaticAnalysis(positions_per_pitch=8, grid_estimate=False)), folder)
        scene.show(folder, screenshot=Path(folder, "stress.png"), zoom=1.5)
        drawn = Image.open(Path(folder, "stress.png")).convert("RGB")
    pixels = drawn.quantize(COLOURS, Image.Quantize.MAXCOVERAGE).convert("RGB")  # keeps those of the scale
    figure = Figure(figsize=(pixels.width / 144.0, pixels.height / 144.0))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.imshow(pixels, interpolation="nearest")
    axes.set_axis_off()
    return figure


@picture
def pair_campbell() -> Figure:
    """Campbell diagram of a spur pair on bearings."""
    from dataclasses import replace
    from math import pi

    import numpy as np

    import alegear as ag

    spur = ag.Case.from_toml(ROOT / "meshes/spur_20_30.toml")
    stiffness = np.diag([2e8, 2e8, 1e8, 1e6, 1e6])
    supports = tuple(ag.Support(name=gear, stiffness=stiffness) for gear in ("pinion", "wheel"))
    case = replace(
        spur,
        operation=replace(spur.operation, pinion_speed=6000.0 * pi / 30.0),
        analysis=ag.ModalAnalysis(),
        supports=supports,
        grid_options=(ag.GridOptions(**_COARSE), ag.GridOptions(**_COARSE)),
    )
    return ag.run(case).plot.campbell()


def of_page(name: str, folder: Path) -> dict[str, Any]:
    """Run the code of a page in a folder, as the tests do, and return its names: pages draw what they compute."""
    sys.path.insert(0, str(ROOT / "tests"))
    from test_docs import DOCS, run_page

    (folder / "meshes").symlink_to(ROOT / "meshes")
    with chdir(folder):
        return run_page(DOCS / f"{name}.md")


def last_figure(page: str) -> Callable[[], Figure]:
    """Return what draws the last figure of a tutorial."""

    def draw() -> Figure:
        with TemporaryDirectory() as folder:
            return of_page(f"tutorials/{page}", Path(folder))["figure"]

    return draw


DRAWN |= {
    "own_grid": last_figure("own_grid"),
    "stick_slip": last_figure("stick_slip"),
    "planetary_set": last_figure("planetary_set"),
    "overhung_shafts": last_figure("bearings_and_overhung_shafts"),
    "dynamic_run": last_figure("dynamic_run"),
    "run_up": last_figure("run_up"),
}


@picture
def gearbox_layout() -> Figure:
    """The layout that ``alegear check --picture`` draws of the gearbox of three shafts, as wide as a page."""
    import alegear as ag
    from alegear.pictures.layout import draw_layout
    from alegear.results.machine_shape import machine_shape

    page = (ROOT / "docs" / "tutorials" / "gearbox_of_three_shafts.md").read_text(encoding="utf-8")
    text = page.partition("```toml\n# file: gearbox.toml\n")[2].partition("```")[0]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "gearbox.toml"
        path.write_text(text, encoding="utf-8")
        case = ag.case_from_file(path)
    return draw_layout(machine_shape(case.layout, {}), case.title)


def _noise_study(code: str) -> str:
    """What a pattern finds in the tutorial of the noise study: a file or code of it."""
    import re

    page = (ROOT / "docs" / "tutorials" / "noise_study.md").read_text(encoding="utf-8")
    found = re.search(code, page, re.DOTALL)
    assert found is not None
    return found[1]


#: Name, first and last speed [rpm] and duration [s] of the parts that the page names.
NOISE_PARTS = (
    ("part1", 470.0, 1250.0, 2.1),
    ("part2", 1150.0, 2700.0, 1.45),
    ("part3", 2400.0, 6100.0, 1.05),
    ("part4", 5500.0, 16000.0, 0.7),
)
NOISE_CASE = r"```toml\n# file: noise.toml\n(.*?)```"


@cache
def _linear_answer() -> xr.Dataset:
    """Linearised response of the e-axle stage over the speed: the case of ``tutorials/noise_study.md``."""
    import alegear as ag

    return ag.run(ag.Case.from_bytes(_noise_study(NOISE_CASE).encode())).dataset


@picture
def noise_study_linear() -> Figure:
    """Orders of the e-axle stage over the speed."""
    from alegear.pictures.of_results.sweep import draw_sweep

    return draw_sweep(_linear_answer())


@picture
def noise_study_bearings() -> Figure:
    """Orders of forces and displacements of both its gears."""
    from alegear.pictures.of_results.bearing_orders import draw_bearing_orders

    return draw_bearing_orders(_linear_answer())


@picture
def noise_study_parts() -> Figure:
    """Its four parts of the range with both answers, a quarter of an hour of one core, as the page draws them."""
    import re

    import alegear as ag

    text, names = _noise_study(NOISE_CASE), dict[str, Any](ag=ag)
    with TemporaryDirectory() as folder, chdir(folder):
        for name, first, last, duration in NOISE_PARTS:
            asked = {"response": '"both"', "speed_from_rpm": first, "speed_to_rpm": last, "duration_s": duration}
            part = text + "output_every_s = 1.6e-5\npitches_per_point = 8\n"
            for key, value in asked.items():
                part = re.sub(rf"(?m)^{key} *=.*$", f"{key} = {value}", part)
            ag.run(ag.Case.from_bytes(part.encode()), name)
        exec(_noise_study(r"<!-- not run: needs the four parts -->\n```python\n(.*?)```"), names)
    return names["figure"]


@picture
def noise_study_both() -> Figure:
    """Run-up and linearised response of the spur pair of ``validation/noise_study``: two minutes."""
    import alegear as ag

    return ag.run(ag.Case.from_toml(ROOT / "validation" / "noise_study" / "spur.toml")).plot.sweep()


@picture
def measured_flank() -> Figure:
    """A flank measured in traces, the grid laid through it, and the transmission error with it and without."""
    from dataclasses import replace

    import numpy as np

    import alegear as ag

    random, points = np.random.default_rng(1), []
    for z in np.linspace(-14.5, 14.5, 9):
        roll = np.concatenate([[6.0], np.linspace(6.0, 24.0, 40)[1:-1] + random.uniform(-0.1, 0.1, 38), [24.0]])
        removed = 15.0 * np.clip((roll - 16.0) / 8.0, 0.0, None) ** 2 + 4.0 * (z / 15.0) ** 2 + 0.3 * np.sin(2.0 * roll)
        points.append(np.stack([roll, np.full(40, z), removed]))
    roll, z, removed = np.concatenate(points, axis=1)
    flank = ag.Topography.from_points(1e-3 * roll, 1e-3 * z, 1e-6 * removed, sign="removal-positive")
    case = ag.Case.from_toml(ROOT / "meshes/spur_20_30.toml")
    case = replace(case, analysis=ag.StaticAnalysis(positions_per_pitch=48, grid_estimate=False))

    figure = Figure(figsize=(8.6, 3.1), layout="constrained")
    left, right = figure.subplots(1, 2)
    drawn = left.contourf(1e3 * flank.z, 1e3 * flank.roll_length, 1e6 * flank.removal, levels=12, cmap="viridis")
    left.plot(z, roll, "k.", markersize=1.0)
    figure.colorbar(drawn, ax=left, label="material removed [µm]")
    left.set(title="pinion as measured", xlabel="across the face [mm]", ylabel="roll length [mm]")
    for label, given in (("involute", ag.Microgeometry()), ("as measured", ag.Microgeometry(topography=flank))):
        found = ag.run(replace(case, pair=case.pair.with_microgeometry(pinion=given))).dataset
        error = 1e6 * found["transmission_error"].values
        right.plot(found["phase"], error - error.mean(), label=f"{label}: {float(np.ptp(error)):.1f} µm peak to peak")
    right.set(title="spur 20/30, 400 N m", xlabel="phase [pitches]", ylabel="transmission error less its mean [µm]")
    right.legend(loc="upper right", frameon=False, fontsize=8)
    right.set_ylim(top=1.6 * right.get_ylim()[1])
    right.grid(alpha=0.3)
    return figure


@cache
def _e_axle_study() -> tuple[Any, Any]:
    """The study of relief and crowning of the e-axle stage, ten minutes of one core, and what its file asks."""
    import alegear as ag
    from alegear.case.study_file import read_study
    from alegear.results.requested_outputs import requested_outputs_of

    asked = read_study(ROOT / "meshes/studies/e_axle_relief_study.toml")
    result = ag.study(asked.case, asked.axes)
    return result, requested_outputs_of(result, asked.requested)


@picture
def e_axle_harris_map() -> Figure:
    """Peak-to-peak transmission error over the torque, of the reliefs with the crowning of the best design."""
    from alegear.pictures.of_results.harris_map import draw_harris_map

    tilts, crowning = ["alignment.tilt_plane_of_action_deg"], {"pinion.flank.lead_crowning_um": 4.0}
    return draw_harris_map(_e_axle_study()[0].harris_map(over=tilts, at=crowning))


@picture
def e_axle_optimum() -> Figure:
    """Worst value and mean of these designs over torques and tilts."""
    from alegear.pictures.of_results.optimum import draw_optimum

    result, found = _e_axle_study()
    return draw_optimum(result.dataset, found.optimum)


@picture
def e_axle_pareto() -> Figure:
    """Those that no other one beats in transmission error, root stress and pressure."""
    from alegear.pictures.of_results.pareto import draw_fronts

    result, found = _e_axle_study()
    return draw_fronts(result.summary["title"], found.fronts)


if __name__ == "__main__":
    for name in sys.argv[1:] or DRAWN:
        print(save(name))
