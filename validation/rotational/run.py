"""Machines that only turn, against results of other programs and against closed forms.

    python validation/rotational/run.py [--quick]

computes the five case files beside it and the planetary set that `examples.py` builds, prints the tables of README.md
and draws a picture of each (a quarter of a minute). Without the files of other programs, in `../shared/reference` from
the project, it shows what is worked out by hand alone.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import xarray as xr

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from by_hand import Array, Change  # noqa: E402
from checks import Row, alone, worst  # noqa: E402
from examples import EXAMPLES, REFERENCE, Example, File  # noqa: E402

from alegear.pictures.colours import COLOURS  # noqa: E402
from alegear.recording.ode_motion import OdeMotion  # noqa: E402
from alegear.results.dataset import Identity  # noqa: E402
from alegear.studies.rotational import RotationalStudy, rotational_history  # noqa: E402
from alegear.system.start import consistent_start  # noqa: E402
from alegear.system.time_integration.sundials import Cvode  # noqa: E402

ENERGY_BOUND = 1e-8  # agreed: missing over what went through
EVENT_BOUND = 1e-6  # s, agreed
NEAR = 1e-5  # s, from events and corners: there modes are not compared
FLOOR = 1e-12  # of differences that are drawn
CURVE_COLOURS = (*COLOURS, "#7F7F7F", "#8C564B")
MODES = {-1: "backward", 0: "stuck", 1: "forward", 2: "free"}
UNITS = {
    "speed": "speed [rad/s]",
    "angle": "angle [rad]",
    "torque": "torque [N m]",
    "friction_torque": "loss [N m]",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Computed:
    """An example as computed here.

    Attributes
    ----------
    data : xarray.Dataset
        At the times of the case and those of the files.
    grid : shape (m,) [s]
        The times of the case.
    corners : sequence of float [s]
        Where something that is given has a corner.
    steps : int
    seconds : float
    rows : mapping of str to mapping of str to array
        Of the files that are there, their columns.
    asked : mapping of str to array [s]
        The times at which we are to be what their rows are.
    """

    example: Example
    data: xr.Dataset
    grid: Array
    corners: Sequence[float]
    steps: int
    seconds: float
    rows: Mapping[str, Mapping[str, Array]]
    asked: Mapping[str, Array]

    def at(self, times: Array) -> xr.Dataset:
        """Samples at times at which we were asked."""
        return self.data.isel(time=np.searchsorted(self.data["time"].values, times))

    def from_hand(self) -> dict[str, float]:
        """Differences from curves by hand, by their names."""
        curves, data = self.example.hand(self.grid), self.at(self.grid)
        return {name: part_of(column.found(data), curves[name]) for name, column in self.example.columns.items()}

    def from_file(self, file: File) -> dict[str, float]:
        """Differences from a file, by its columns."""
        data, rows = self.at(self.asked[file.name]), self.rows[file.name]
        return {column.name: part_of(column.found(data), rows[column.name]) for column in file.columns}

    def file_from_hand(self, file: File) -> dict[str, float]:
        """How far the file itself is off the curves by hand, by its columns."""
        times, which = np.unique(self.asked[file.name], return_inverse=True)
        curves, rows = self.example.hand(times), self.rows[file.name]
        return {column.name: part_of(curves[column.hand][which], rows[column.name]) for column in file.columns}

    def other_modes(self, file: File) -> int:
        """Number of rows of a file with another mode than here, those next to events and corners left out."""
        rows, near = self.rows[file.name], np.array([*self.corners, *(one.t for one in self.example.changes())])
        far = np.abs(rows["time"][:, None] - near).min(axis=1, initial=np.inf) > NEAR
        data = self.at(self.asked[file.name])
        return sum(
            int((data["mode"].sel(switch=switch).values[far] != rows[column][far]).sum())
            for column, switch in file.modes.items()
        )

    def events(self) -> list[tuple[Change, float]]:
        """Events by hand, and how much later they are here [s].

        Raises
        ------
        AssertionError
            If here there are others.
        """
        data, expected = self.data, [one for one in self.example.changes() if one.t < self.grid[-1]]
        names = zip(data["event_switch"].values, data["event_before"].values, data["event_after"].values, strict=True)
        found = [(str(switch), int(before), int(after)) for switch, before, after in names]
        assert found == [(one.switch, one.before, one.after) for one in expected], found
        return [(one, float(t) - one.t) for one, t in zip(expected, data["event_time"].values, strict=True)]

    def missing(self) -> float:
        """Energy that the account misses at the worst time, over the most that was ever there or lost."""
        data = self.data
        there = data["energy_kinetic"] + data["energy_elastic"] + data["energy_dissipated"]
        return float(np.abs(data["energy_missing"]).max() / there.max())


def part_of(values: Array, expected: Array) -> float:
    """Largest difference as a part of the largest value expected."""
    return float(np.abs(values - expected).max() / np.abs(expected).max())


def compute(example: Example, duration: float | None = None) -> Computed:
    """Run an example, with samples at the times of its case, and of the reference files if they are there.

    Parameters
    ----------
    example : Example
    duration : float or None [s]
        None: that of the case.
    """
    case = example.case()
    if duration is not None:
        case = replace(case, analysis=replace(case.analysis, duration=duration))
    study = RotationalStudy(case)
    grid = study.motion.outputs
    rows, asked = {}, {}
    for file in example.files:
        if (REFERENCE / file.name).exists():
            every = file.read()
            times = file.times(every, example.changes())
            rows[file.name] = {name: values[times <= grid[-1]] for name, values in every.items()}
            asked[file.name] = times[times <= grid[-1]]
    cvode = Cvode(tolerance=study.analysis.tolerance, longest=study.analysis.longest)
    study.motion = OdeMotion(study.ode, cvode, np.unique(np.concatenate([grid, *asked.values()])))
    begun = time.perf_counter()
    study.motion.run(*consistent_start(study.model))
    seconds = time.perf_counter() - begun
    history = rotational_history(study.motion, {})
    return Computed(
        example=example,
        data=history.dataset(Identity(title=case.title)),
        grid=grid,
        corners=study.ode.corners,
        steps=cvode.count.steps,
        seconds=seconds,
        rows=rows,
        asked=asked,
    )


# ------------------------------------------------------------------------ shown
def print_files(all_computed: list[Computed]) -> None:
    """Print what is compared with other programs."""
    print("| machine, program | column | largest value | here - file | file - by hand | bound |")
    print("|---|---|---|---|---|---|")
    for computed in all_computed:
        for file in computed.example.files:
            if file.name not in computed.rows:
                continue
            here, itself = computed.from_file(file), computed.file_from_hand(file)
            head = f"{computed.example.title}, {file.by}"
            for column in file.columns:
                largest = np.abs(computed.rows[file.name][column.name]).max()
                cells = [head, f"`{column.name}`", f"{largest:.4g}", f"{here[column.name]:.1e}"]
                cells += [f"{itself[column.name]:.1e}", f"{column.bound or file.bound:.0e}"]
                print("| " + " | ".join(cells) + " |")
                head = ""
            if file.modes:
                counted = f"{len(file.modes) * len(computed.rows[file.name]['time'])} modes"
                print(f"| | {counted} | | {computed.other_modes(file)} differ | | 0 |")


def print_events(all_computed: list[Computed]) -> None:
    """Print the events."""
    print("\n| event | by hand [s] | here - by hand [s] | Dymola, 7 decimals [s] |\n|---|---|---|---|")
    for computed in all_computed:
        for (change, late), stated in zip(computed.events(), computed.example.stated, strict=True):
            what = f"{computed.example.title}: {change.switch} {MODES[change.before]} -> {MODES[change.after]}"
            print(f"| {what} | {change.t:.12f} | {late:.0e} | {stated:.7f} |")


def print_own(all_computed: list[Computed]) -> None:
    """Print differences from curves by hand, energy and cost."""
    print("\n| machine | here - by hand, worst | energy missing | steps | time |\n|---|---|---|---|---|")
    for computed in all_computed:
        by_hand = computed.from_hand()
        worst = max(by_hand, key=lambda name: by_hand[name])
        cells = [computed.example.title, f"{by_hand[worst]:.1e} ({worst})", f"{computed.missing():.1e}"]
        print("| " + " | ".join([*cells, f"{computed.steps}", f"{computed.seconds:.2f} s"]) + " |")


def draw(computed: Computed, path: Path) -> None:
    """Curves as lines and files as marks; below them how far files and what is by hand are off."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    example, columns = computed.example, computed.example.columns
    kinds = [kind for kind in UNITS if any(one.variable == kind for one in columns.values())]
    figure = Figure(figsize=(10.0, 2.7 * (len(kinds) + 1)), layout="constrained")
    *above, below = figure.subplots(len(kinds) + 1, 1, sharex=True)
    data, curves = computed.at(computed.grid), example.hand(computed.grid)
    for (name, column), colour in zip(columns.items(), CURVE_COLOURS, strict=False):
        axes, (scale, label) = above[kinds.index(column.variable)], column.shown
        largest, found = np.abs(curves[name]).max(), column.found(data)
        axes.plot(computed.grid, scale * found, color=colour, lw=1.2, label=label)
        below.semilogy(computed.grid, shown(found - curves[name], largest), color=colour, lw=0.8)
        for file, mark in zip(example.files, ".x", strict=False):
            for same in (one for one in file.columns if one.hand == name and file.name in computed.rows):
                times, values = computed.asked[file.name], computed.rows[file.name][same.name]
                some = slice(None, None, max(len(times) // 60, 1))
                off = same.found(computed.at(times)) - values
                axes.plot(times[some], scale * values[some], mark, color=colour, ms=4)
                below.semilogy(times, shown(off, largest), mark, color=colour, ms=2)
    for kind, axes in zip(kinds, above, strict=True):
        axes.set(ylabel=UNITS[kind])
    below.set(xlabel="time [s]", ylabel="difference over\nlargest value", ylim=(FLOOR, 1e-2))
    marks = [Line2D([], [], color="k", lw=0.8, label="here - by hand")]
    for file, mark in zip(example.files, ".x", strict=False):
        marks.append(Line2D([], [], color="k", ls="", marker=mark, ms=4, label=f"here - {file.by}"))
    below.legend(handles=marks, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    above[0].set(title=f"{example.title}: lines here, marks other programs")
    for axes in above:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    for axes in (*above, below):
        for change in example.changes():
            axes.axvline(change.t, color="0.7", lw=0.6, zorder=0)
    figure.savefig(path, dpi=110)


def shown(off: Array, largest: float) -> Array:
    """Differences over the largest value, those too small for the picture left out."""
    size = np.abs(off) / largest
    return np.where(size < FLOOR, np.nan, size)


def rows(quick: bool) -> Iterator[Row]:
    """Curves, energy and events of every machine by hand, and beside the files of other programs."""
    if not quick:
        compute(EXAMPLES["lossy_gear"])  # loads the kernels
    all_computed = [compute(example, example.quick if quick else None) for example in EXAMPLES.values()]
    for computed in all_computed:
        yield from rows_of(computed)
    if not quick:
        print_files(all_computed)
        print_events(all_computed)
        print_own(all_computed)
        for computed in all_computed:
            draw(computed, HERE / f"{computed.example.name}.png")


def rows_of(computed: Computed) -> Iterator[Row]:
    """What one machine is compared with."""
    example, curves = computed.example, computed.from_hand()
    yield worst(
        f"{example.title}: largest difference from a curve by hand, over its largest value",
        [
            Row(
                quantity=name,
                value=off,
                kind="at most",
                bound=example.columns[name].hand_bound,
                source="closed form or quadrature",
            )
            for name, off in curves.items()
        ],
    )
    yield Row(
        quantity=f"{example.title}: energy that is missing, over the most that was there",
        value=computed.missing(),
        kind="at most",
        bound=ENERGY_BOUND,
        source="put in = lost + stored",
    )
    events = [
        Row(
            quantity=f"{change.switch} {MODES[change.before]} to {MODES[change.after]}",
            value=change.t + late,
            reference=change.t,
            kind="absolute",
            unit="s",
            bound=EVENT_BOUND,
            source="root of a closed form or of quadrature",
        )
        for change, late in computed.events()
    ]
    if events:
        yield worst(f"{example.title}: time of an event", events)
    for file in example.files:
        if file.name not in computed.rows:
            first, value = next(iter(curves.items()))
            quantity = f"{example.title}: columns of {file.by} (difference of {first} from the curve by hand)"
            yield Row(quantity=quantity, value=value, kind="at most", source=file.by, missing=file.name)
            continue
        off = computed.from_file(file)
        yield worst(
            f"{example.title}: largest difference from a column, over its largest value",
            [
                Row(quantity=c.name, value=off[c.name], kind="at most", bound=c.bound or file.bound, source=file.by)
                for c in file.columns
            ],
        )
        if file.modes:
            quantity = f"{example.title}: modes that differ from those of {file.by}"
            others = float(computed.other_modes(file))
            yield Row(quantity=quantity, value=others, kind="at most", bound=0.0, source=file.by)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
