"""The delivered two-stage gearbox against statics and beams by hand, and a motion of it.

``python validation/two_stage_helical/run.py`` also runs 0.1 s at 1500 rpm and draws ``motion.png`` beside it (two
minutes).
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import alegear as ag
from alegear.case.machine import MachineCase

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst
from coarse import FIRST_ORDER

Array = NDArray[np.float64]

CASE = Path(__file__).resolve().parents[2] / "meshes" / "two_stage_helical.toml"
BALANCE, BENDING = 1e-8, 1e-9  # of the largest force, of the largest displacement
MOTION = {"kind": "dynamic", "duration_s": 0.1, "output_every_s": 2e-5}


def case_of(*, rigid: bool = False, analysis: dict[str, Any] | None = None) -> MachineCase:
    """The delivered case; with shafts that do not bend if `rigid`; with another analysis."""
    tables = tomllib.loads(CASE.read_text())
    if rigid:
        for shaft in tables["shafts"].values():
            shaft["rigid"] = True
    return MachineCase.from_tables(tables | ({"analysis": analysis} if analysis else {}), CASE)


def actions(case: MachineCase, found: Any, shaft: str) -> list[tuple[float, Array, Array]]:
    """What acts on a shaft: position along it [m], force [N] and moment [N m] there in its own axes, (positions, 3).

    As the results say: forces of the meshes about the mid-face of their first gear, and bearing reactions.
    """
    layout = case.layout
    axes, start = layout.shafts[shaft].axes, layout.shafts[shaft].point(0.0)
    out = []

    def act(point: Array, force: Array, moment: Array) -> None:
        on_axis = start + axes[2] * float((point - start) @ axes[2])
        about_axis = moment + np.cross(point - on_axis, force)
        out.append((float((point - start) @ axes[2]), force @ axes.T, about_axis @ axes.T))

    for place in layout.meshes:
        for sign, gear in zip((1.0, -1.0), place.mesh.gears, strict=True):
            if layout.gears[gear].shaft == shaft:
                force, moment = (found[f"mesh_{name}"].sel(mesh=place.mesh.name).values for name in ("force", "moment"))
                first = layout.centre(place.mesh.gears[0])
                moment = moment + np.cross(first - layout.centre(gear), force)
                act(layout.centre(gear), sign * force, sign * moment)
    for bearing in case.bearings:
        force, moment = (found[f"bearing_{name}"].sel(bearing=bearing.name).values for name in ("force", "moment"))
        point = layout.shafts[bearing.shaft].point(bearing.at)
        for sign, held in ((-1.0, bearing.shaft), (1.0, bearing.to)):
            if held == shaft:
                act(point, sign * force, sign * moment)
    return out


def unbalanced(case: MachineCase, found: Any, shaft: str) -> float:
    """Largest force across a shaft that is left over, and moment over its length, as a part of the largest force."""
    acting = actions(case, found, shaft)
    largest = max(np.abs(force).max() for _, force, _ in acting)
    force = sum(force for _, force, _ in acting)
    x = sum(moment[:, 0] - z * of[:, 1] for z, of, moment in acting)
    y = sum(moment[:, 1] + z * of[:, 0] for z, of, moment in acting)
    length = float(np.sum(next(one for one in case.shafts if one.name == shaft).sections[:, 0]))
    return float(max(np.abs(force).max(), np.abs(x).max() / length, np.abs(y).max() / length) / largest)


def bent(case: MachineCase, acting: list[tuple[float, Array, Array]], shaft: str, at: Array) -> Array:
    """Displacement of a solid stepped shaft at places on it, (positions, places, 2) [m], but for a straight line.

    Timoshenko's beam, integrated exactly from border to border: between them shear is constant and moment linear.
    """
    own = next(one for one in case.shafts if one.name == shaft)
    borders = np.concatenate([[0.0], np.cumsum(own.sections[:, 0])])
    knots = np.unique(np.round(np.concatenate([borders, at, [z for z, _, _ in acting]]), 9))
    nu, E = own.material.nu, own.material.E
    kappa = 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu)  # Cowper (1966), full circle
    n = acting[0][1].shape[0]
    shear, moment, slope, way = (np.zeros((n, 2)) for _ in range(4))
    line = {}
    for k, z in enumerate(knots):
        for place, force, couple in acting:
            if abs(place - z) < 1e-9:
                shear = shear + force[:, :2]
                moment = moment - np.column_stack([couple[:, 1], -couple[:, 0]])
        line[float(z)] = way
        if k + 1 < len(knots):
            length, middle = knots[k + 1] - z, 0.5 * (knots[k + 1] + z)
            radius = 0.5 * own.sections[min(int(np.searchsorted(borders, middle)) - 1, len(own.sections) - 1), 1]
            EI, GA = E * np.pi * radius**4 / 4.0, kappa * E / (2.0 * (1.0 + nu)) * np.pi * radius**2
            way = way + length * slope + length**2 * (moment / 2.0 + length * shear / 6.0) / EI - length * shear / GA
            slope = slope + length * (moment + length * shear / 2.0) / EI
            moment = moment + length * shear
    return np.stack([line[float(np.round(z, 9))] for z in at], axis=1)


def without_line(ways: Array, at: Array) -> Array:
    """Displacements (positions, places, 2) less their straight line of least squares."""
    basis = np.column_stack([np.ones(len(at)), at])
    return ways - np.einsum("pq,nqx->npx", basis @ np.linalg.pinv(basis), ways)


def has_exact_name(place: str) -> bool:
    """Whether the position in a name is not one rounded to a thousandth of a millimetre."""
    _, _, decimals = place.partition("@")[2].removesuffix("mm").partition(".")
    return len(decimals) < 3


def bending_error(case: MachineCase, found: Any, shaft: str) -> float:
    """Largest difference of the bending line from that by hand, as a part of its largest displacement."""
    names = [name for name in found["place"].values if name.startswith(f"{shaft}@") and has_exact_name(name)]
    at = np.array([1e-3 * float(name.removeprefix(f"{shaft}@").removesuffix("mm")) for name in names])
    axes = case.layout.shafts[shaft].axes
    moved = (found["displacement"].sel(place=names).values @ axes.T)[:, :, :2]
    own = without_line(moved, at)
    expected = without_line(bent(case, actions(case, found, shaft), shaft, at), at)
    return float(np.abs(own - expected).max() / np.abs(own).max())


def rows(quick: bool) -> Iterator[Row]:
    """Balance and bending lines; in the quick form on a coarse grid, two positions. Then 0.1 s of motion."""
    case = case_of(analysis={"kind": "static", "positions_per_pitch": 2}) if quick else case_of()
    if quick:
        grid = replace(FIRST_ORDER, flank_elements=6)
        case = replace(case, gears=tuple(replace(gear, grid_options=grid) for gear in case.gears))
    result = ag.run(case)
    found = result.dataset
    yield worst(
        "force and moment (over the length) that meshes and bearings leave on a shaft, over the largest force",
        [
            Row(
                quantity=one.name,
                value=unbalanced(case, found, one.name),
                kind="at most",
                bound=BALANCE,
                source="statics by hand",
            )
            for one in case.shafts
        ],
    )
    yield worst(
        "bending line of a shaft off that by hand, over its largest displacement",
        [
            Row(
                quantity=shaft,
                value=bending_error(case, found, shaft),
                kind="at most",
                bound=BENDING,
                source="Timoshenko's beam by hand",
            )
            for shaft in ("input", "middle")  # of solid sections
        ],
    )
    if quick:
        return
    print_figures(result)
    motion = ag.run(case_of(analysis=MOTION))
    draw(motion.dataset, Path(__file__).with_name("motion.png"))


def print_figures(result: ag.Result) -> None:
    """Print what README.md says beside the balance."""
    stiff = ag.run(case_of(rigid=True)).summary
    for mesh, own in result.summary["meshes"].items():
        factor, of_rigid = own["face_load_factor"], stiff["meshes"][mesh]["face_load_factor"]
        print(f"face load factor of mesh {mesh}, with shafts that do not bend: {factor:.3f}, {of_rigid:.3f}")
    total = result.summary["shafts"]["output"]
    mean, ripple = total["rotation_error_mean_urad"], total["rotation_error_peak_to_peak_urad"]
    print(f"transmission error input to output, mean and peak to peak: {mean:.1f}, {ripple:.2f} urad")


def draw(found: Any, path: Path) -> None:
    """Total transmission error of the motion, and the forces of its bearings."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    time_ms = 1e3 * found["time"].values
    for shaft in found["shaft"].values[1:]:
        error = 1e6 * found["rotation_error"].sel(shaft=shaft)
        above.plot(time_ms, error - error.mean(), label=shaft, lw=0.8)
    for bearing in found["bearing"].values:
        below.plot(time_ms, np.linalg.norm(found["bearing_force"].sel(bearing=bearing), axis=1), label=bearing, lw=0.8)
    above.set(ylabel="rotation error\nless its mean [µrad]", title="Two-stage gearbox, 1500 rpm, 400 N m")
    below.set(xlabel="time [ms]", ylabel="bearing force [N]")
    for axes in (above, below):
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
