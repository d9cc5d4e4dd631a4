"""Spur pair 20/30 under load against general nonlinear finite elements: five-tooth segments and whole wheels.

``python validation/fe_segment_20_30/run.py`` computes ``case.toml`` and the same pair with whole wheels, on the default
grid and on finer ones, compares with ``expected.csv``, ``line_load.csv`` and ``refinement.csv``, prints the tables of
README.md and draws ``fe_segment_20_30.png`` and ``line_load.png`` (six minutes and 5 GB, most of it for the finest
grids).
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

import alegear as ag

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from checks import Row, alone, worst  # noqa: E402
from positions import LABELS, STRESSES, Position, at_phase  # noqa: E402

Array = NDArray[np.float64]

# The expected values were computed on fine but finite grids; extrapolated over five grids they grow by these factors.
TE_LIMIT = {"segment": 1.005, "wheels": 1.007}
BODIES = ("segment", "wheels")

# what is asked of the default grid [%]
ERROR_BOUND, EVENT_ERROR_BOUND = 0.5, 1.0  # of the transmission error; the wider one next to an event
LOAD_BOUND = 1.0  # of the total load
STRESS_BOUND = 5.0
EVENT_REACH = 0.05  # pitches

CORNER_PHASES = (-0.08333, 0.25)  # a tip corner touches
TIP_ROUNDINGS = (0.0, 0.005, 0.01, 0.02, 0.04)  # mm


@dataclass(frozen=True, kw_only=True, eq=False)
class Deviation:
    """Computed against expected [%]: error of its value, largest load of the total, stresses of their values."""

    phase: float
    error: float
    load: float
    stresses: Array
    near_event: bool

    @property
    def exceeded(self) -> list[str]:
        """Names of the quantities beyond their bound."""
        beyond = []
        if abs(self.error) > (EVENT_ERROR_BOUND if self.near_event else ERROR_BOUND):
            beyond.append("TE")
        if self.load > LOAD_BOUND:
            beyond.append("load")
        return beyond + [name for name, s in zip(STRESSES, self.stresses, strict=True) if abs(s) > STRESS_BOUND]


def expected(body: str) -> list[Position]:
    """Rows of ``expected.csv`` for ``"segment"`` or ``"wheels"``, extrapolated over the grid."""
    with (HERE / "expected.csv").open(newline="") as file:
        return [
            Position.expected(row, TE_LIMIT[body] * float(row["te_lagrange_um"]))
            for row in csv.DictReader(file)
            if row["body"] == body
        ]


def events(data: xr.Dataset, case: ag.Case) -> dict[str, Array]:
    """Phases at which pair 1 comes in and pair -1 leaves.

    A pair leaves from the end of its path of contact, where the line of action meets the tip circle, to its last load;
    in between it touches with the tip edge. It comes in likewise, first at the tip edge. ``"nominal"`` holds both ends
    of the path, ``"loaded"`` the positions of the data on either side of the first and of the last load.
    """
    phase = data.phase.values
    loaded = []
    for label in (1, -1):
        carries = data.tooth_load.sel(pair=label).values > 0.0
        loaded += [phase[i + k] for i in np.flatnonzero(carries[1:] != carries[:-1]) for k in (0, 1)]
    first, last = case.pair.engagement(case.operation.driver)
    return {"loaded": np.array(loaded), "nominal": np.array([1.0 + first, last - 1.0])}


def compare(data: xr.Dataset, body: str, event_phases: dict[str, Array]) -> list[Deviation]:
    """Deviations at all positions of ``expected.csv``."""
    at = np.concatenate(list(event_phases.values()))
    out = []
    for reference in expected(body):
        here = Position.computed(data, reference.phase)
        out.append(
            Deviation(
                phase=reference.phase,
                error=100.0 * (here.error / reference.error - 1.0),
                load=100.0 * np.abs(here.loads - reference.loads).max() / reference.loads.sum(),
                stresses=100.0 * (here.stresses / reference.stresses - 1.0),
                near_event=bool(np.any(np.abs(reference.phase - at) <= EVENT_REACH)),
            )
        )
    return out


def body_case(case: ag.Case, body: str) -> ag.Case:
    """The case as segments or with whole wheels."""
    return case if body == "segment" else replace(case, teeth_modelled=(None, None))


def finer(case: ag.Case, *, across: bool = False) -> ag.Case:
    """The case with twice the elements in the transverse section, and `across` the face too."""
    keys = ("flank_elements", "fillet_elements", "thickness_elements", "rim_elements")
    keys += ("width_elements",) if across else ()
    first, second = (replace(m, **{k: 2 * getattr(m, k) for k in keys}) for m in case.grid_options)
    return replace(case, grid_options=(first, second))


def dense(case: ag.Case, positions: int = 96) -> ag.Case:
    """The case at more positions; 96 hold the 12 of the reference."""
    return replace(case, analysis=replace(case.analysis, positions_per_pitch=positions))


def print_positions(body: str, data: xr.Dataset, deviations: dict[str, list[Deviation]]) -> None:
    """The table of one body: every position, the default grid beside the finer ones."""
    print(f"\n{body}\n| phase | reference [um] | TE [um] | off by | " + " | ".join(list(deviations)[1:]), end="")
    print(" | loads of pairs 1, 0, -1 [N] (reference) | load off by | beyond its bound |")
    print("|---" * (6 + len(deviations)) + "|")
    for i, reference in enumerate(expected(body)):
        here = Position.computed(data, reference.phase)
        default = next(iter(deviations.values()))[i]
        pairs = ", ".join(f"{a:.0f} ({b:.0f})" for a, b in zip(here.loads, reference.loads, strict=True))
        errors = " | ".join(f"{rows[i].error:+.2f} %" for rows in deviations.values())
        print(
            f"| {reference.phase:.4f}{' *' if default.near_event else ''} | {reference.error:.2f} | {here.error:.2f} "
            f"| {errors} | {pairs} | {default.load:.2f} % | {', '.join(default.exceeded)} |"
        )
    for name, rows in deviations.items():
        off = np.array([d.error for d in rows])
        print(f"{name}: TE mean {off.mean():+.2f} %, standard deviation {off.std():.2f} %")

    print(f"\n{body}, root stress off by [%]\n| phase | default | " + " | ".join(list(deviations)[1:]) + " |")
    print("|---" * (1 + len(deviations)) + "|")
    for i, reference in enumerate(expected(body)):
        cells = [", ".join(f"{s:+.1f}" for s in rows[i].stresses) for rows in deviations.values()]
        print(f"| {reference.phase:.4f} | " + " | ".join(cells) + " |")


def line_loads(case: ag.Case, *, slices: int) -> dict[tuple[float, int], tuple[Array, Array, Array, Array]]:
    """Line load across half the face: reference z [mm] and load, computed z and load [N/mm], by (phase, pair)."""
    data = ag.run(replace(case, slices=slices)).dataset
    with (HERE / "line_load.csv").open(newline="") as file:
        rows = [(float(r["phase"]), int(r["pair"]), float(r["z_mm"]), float(r["line_load_N_per_mm"]))
                for r in csv.DictReader(file)]  # fmt: skip
    out = {}
    for phase, pair in dict.fromkeys((r[0], r[1]) for r in rows):
        z, q = np.array([r[2:] for r in rows if r[:2] == (phase, pair)]).T
        here = at_phase(data.sel(pair=pair), phase)
        half = here["slice"].values > 0.0
        out[phase, pair] = z, q, 1e3 * here["slice"].values[half], 1e-3 * here.line_load.values[half]
    return out


def print_line_loads(loads: dict[tuple[float, int], tuple[Array, Array, Array, Array]]) -> None:
    """Largest and r.m.s. difference over the inner slices and at the outermost one, of the reference's mean."""
    print(
        "\nline load off by, of its mean\n| phase | pair | mean reference [N/mm] | mean | largest | outermost slice |"
    )
    print("|---|---|---|---|---|---|")
    for (phase, pair), (z, q, z_c, q_c) in loads.items():
        mean = np.trapezoid(q, z) / (z[-1] - z[0])
        off = 100.0 * (q_c - np.interp(z_c, z, q)) / mean
        print(f"| {phase:.4f} | {pair} | {mean:.1f} | {off.mean():+.1f} % | "
              f"{off[:-1][np.abs(off[:-1]).argmax()]:+.1f} % | {off[-1]:+.1f} % |")  # fmt: skip


def print_refinement(results: dict[str, ag.Result]) -> None:
    """Both programs on their grids at two positions of the segments, nothing extrapolated."""
    print("\n| grid | nodes | TE at 0 [um] | TE at -0.25 | stresses at 0 [MPa] | at -0.25 |")
    print("|---|---|---|---|---|---|")
    with (HERE / "refinement.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for name in dict.fromkeys(row["grid"] for row in rows):
        both = {float(row["phase"]): row for row in rows if row["grid"] == name}
        stress = [", ".join(f"{float(both[p][f'{s}_MPa']):.0f}" for s in STRESSES) for p in (0.0, -0.25)]
        te = [float(both[p]["te_um"]) for p in (0.0, -0.25)]
        print(f"| reference, {name} | {both[0.0]['nodes']} | {te[0]:.2f} | {te[1]:.2f} | {stress[0]} | {stress[1]} |")
    for name, result in results.items():
        at = [Position.computed(result.dataset, p) for p in (0.0, -0.25)]
        stress = [", ".join(f"{s:.0f}" for s in p.stresses) for p in at]
        nodes = result.summary["dof_full"] // 3
        print(f"| here, {name} | {nodes} | {at[0].error:.2f} | {at[1].error:.2f} | {stress[0]} | {stress[1]} |")


def print_tip_edges(case: ag.Case) -> None:
    """The positions at which a tip corner touches, with tip edges rounded instead of sharp."""
    print("\n| tip_rounding_mm | phase | TE off by | load off by |\n|---|---|---|---|")
    references = {p.phase: p for p in expected("segment")}
    for radius in TIP_ROUNDINGS:
        gears = [replace(gear, tip_rounding=1e-3 * radius) for gear in case.pair.gears]
        data = ag.run(replace(case, pair=replace(case.pair, pinion=gears[0], wheel=gears[1]))).dataset
        for phase in CORNER_PHASES:
            reference = references[phase]
            here = Position.computed(data, phase)
            off = 100.0 * np.abs(here.loads - reference.loads).max() / reference.loads.sum()
            print(f"| {radius:g} | {phase} | {100.0 * (here.error / reference.error - 1.0):+.2f} % | {off:.2f} % |")


def draw(curves: dict[str, xr.Dataset]) -> None:
    """Transmission error, pair loads and root stress over the pitch: lines computed, points of the reference."""
    plt = pyplot()
    figure, axes = plt.subplots(3, 2, figsize=(10.0, 10.0), sharex=True, sharey="row", layout="constrained")
    for column, (body, data) in zip(axes.T, curves.items(), strict=True):
        phase = data.phase.values
        points = expected(body)
        at = [p.phase for p in points]
        column[0].plot(phase, -1e6 * data.transmission_error, "C0-", lw=1.2, label="alegear, default grid")
        column[0].plot(at, [p.error for p in points], "k.", label="finite elements, contact zone resolved")
        column[0].set_title({"segment": "five-tooth segments", "wheels": "whole wheels"}[body])
        for i, label in enumerate(LABELS):
            column[1].plot(phase, 1e-3 * data.tooth_load.sel(pair=label), f"C{i}-", lw=1.2, label=f"pair {label}")
            column[1].plot(at, [1e-3 * p.loads[i] for p in points], "k.")
        for i, name in enumerate(STRESSES):
            gear, side = name.split("_")
            stress = 1e-6 * data.root_stress.sel(gear=gear, side=side).max("pair")
            column[2].plot(phase, stress, f"C{i}-", lw=1.2, label=f"{gear}, {side}")
            column[2].plot(at, [p.stresses[i] for p in points], "k.")
        column[2].set_xlabel("phase of the wheel [pitches]")
    for row, name in zip(axes, ("transmission error [µm]", "load [kN]", "root stress [MPa], von Mises"), strict=True):
        row[0].set_ylabel(name)
        row[0].legend(fontsize=8)
        for panel in row:
            panel.grid(alpha=0.3)
    figure.savefig(HERE / "fe_segment_20_30.png", dpi=100)
    plt.close(figure)


def draw_line_loads(loads: dict[str, dict[tuple[float, int], tuple[Array, Array, Array, Array]]]) -> None:
    """Line load across half the face in single and in double contact."""
    plt = pyplot()
    figure, panels = plt.subplots(1, 2, figsize=(10.0, 4.0), layout="constrained")
    for panel, keys in zip(panels, (((0.0, 0),), ((-0.25, 0), (-0.25, -1))), strict=True):
        for key, marker, line in zip(keys, ("o-", "s-"), ("k--", "k:"), strict=False):
            for i, (name, found) in enumerate(loads.items()):
                z, q, z_c, q_c = found[key]
                face = f"C{i}" if marker == "o-" else "w"
                panel.plot(z_c, q_c, f"C{i}{marker}", ms=4, mfc=face, lw=1, label=f"{name}, pair {key[1]}")
            panel.plot(z, q, line, lw=1, label=f"finite elements, pair {key[1]}")
        panel.set_title(f"phase {keys[0][0]:g}")
        panel.set_xlabel("z [mm], 15 is the face end")
        panel.legend(fontsize=8)
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("line load [N/mm]")
    figure.savefig(HERE / "line_load.png", dpi=100)
    plt.close(figure)


def pyplot():
    """Matplotlib without a display."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def position_rows(data: xr.Dataset, body: str, at: dict[str, Array], phases: set[float] | None = None) -> Iterator[Row]:
    """Errors, loads and stresses of the default grid, each the worst position; of some phases, if they are given."""
    errors, loads, stresses = [], [], []
    events_at = np.concatenate(list(at.values()))
    source = "finite elements with Lagrange contact, extrapolated"
    for reference in expected(body):
        if phases is not None and round(reference.phase, 5) not in phases:
            continue
        here, where = Position.computed(data, reference.phase), f"phase {reference.phase:.3f}"
        near = bool(np.any(np.abs(reference.phase - events_at) <= EVENT_REACH))
        errors.append(
            Row(
                quantity=where + (", next to an event" if near else ""),
                value=here.error,
                reference=reference.error,
                unit="um",
                bound=1e-2 * (EVENT_ERROR_BOUND if near else ERROR_BOUND),
                source=source,
            )
        )
        loads += [
            Row(
                quantity=f"pair {label}, {where}",
                value=float(a),
                reference=float(b),
                of=float(reference.loads.sum()),
                unit="N",
                bound=1e-2 * LOAD_BOUND,
                source=source,
            )
            for label, a, b in zip(LABELS, here.loads, reference.loads, strict=True)
        ]
        stresses += [
            Row(
                quantity=f"{name.replace('_', ', ')}, {where}",
                value=float(a),
                reference=float(b),
                unit="MPa",
                bound=1e-2 * STRESS_BOUND,
                source=source,
            )
            for name, a, b in zip(STRESSES, here.stresses, reference.stresses, strict=True)
        ]
    words = {"segment": "five-tooth segments 20/30", "wheels": "whole wheels 20/30"}[body]
    yield worst(f"transmission error, {words}", errors)
    yield worst(f"load of a tooth pair over all, {words}", loads)
    yield worst(f"largest von Mises stress in a root, {words}", stresses)


def rows(quick: bool) -> Iterator[Row]:
    """Segments and whole wheels on the default grid; quick: four phases of the segments.

    These are -0.5, -0.25 in double, 0 in single contact, 0.25 where a tip corner begins to touch. The full form also
    has the finer grids, for which nothing was agreed, the line load and the tables of README.md.
    """
    case = ag.Case.from_toml(HERE / "case.toml")
    if quick:
        data = ag.run(replace(case, analysis=replace(case.analysis, positions_per_pitch=4))).dataset
        # of the path of contact: none of the four is next to them
        ends = {"nominal": events(data, case)["nominal"]}
        yield from position_rows(data, "segment", ends, set(data.phase.values.round(5)))
        return
    curves, results = {}, {}
    for body in BODIES:
        one = body_case(case, body)
        results[body] = {"default": ag.run(dense(one))}
        curves[body] = results[body]["default"].dataset
        at = events(curves[body], case)
        yield from position_rows(curves[body], body, at)
        results[body] |= {"x2": ag.run(finer(one)), "x2 and across": ag.run(finer(one, across=True))}
        found = {n: compare(r.dataset, body, at) for n, r in results[body].items()}
        for name, deviations in found.items():
            errors = np.array([d.error for d in deviations])
            yield Row(
                quantity=f"mean difference of the transmission error [%], {body}, grid {name}",
                value=float(errors.mean()),
                reference=0.0,
                kind="absolute",
                source="finite elements with Lagrange contact, extrapolated by an uncertain 0.25 %",
            )
        print_positions(body, curves[body], found)
    draw(curves)
    loads = {f"{n} slices": line_loads(case, slices=n) for n in (10, 20)}
    for name, found_loads in loads.items():
        print(f"\n{name}", end="")
        print_line_loads(found_loads)
    draw_line_loads(loads)
    print_tip_edges(case)
    print_refinement(results["segment"])


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
