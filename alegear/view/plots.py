"""Plots of a result as PNG files.

Only Matplotlib's object interface is used: no global state, no display, safe beside a program's own figures.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.errors import AnalysisFailure
from alegear.results import signals
from alegear.results.by_pair import by_pair
from alegear.results.orders import read_orders
from alegear.results.rotational_result import has_events
from alegear.results.store import write_whole
from alegear.view.campbell import draw_campbell
from alegear.view.colours import COLOURS
from alegear.view.machine import draw_machine, draw_machine_modes
from alegear.view.power_flow import draw_power_flow
from alegear.view.rotational import draw_energy, draw_losses, draw_modes, draw_speeds, draw_torques
from alegear.view.spatial import draw_contact_forces, draw_motion, draw_reactions, draw_spatial_energy
from alegear.view.sweep import draw_machine_sweep, draw_sweep
from alegear.view.waterfall import draw_waterfall, has_run_up

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

DPI = 130
#: The last pitches of a dynamic study that are shown enlarged.
ENLARGED_PITCHES = 4.0
#: Stretches of a long motion whose smallest and largest values are drawn: two on a dot of the picture.
ENVELOPE = 2048
#: So many of them, and so many samples, are read at a time.
STRETCHES, BLOCK = 16, 4096
#: Mesh orders shown in a spectrum.
ORDERS = 10
#: Of a machine whose parts only turn.
ROTATIONAL_DRAWINGS = {
    "speeds.png": draw_speeds,
    "torques.png": draw_torques,
    "modes.png": draw_modes,
    "losses.png": draw_losses,
    "energy.png": draw_energy,
    "power_flow.png": draw_power_flow,
}

#: Of a machine with bodies in space.
SPATIAL_DRAWINGS = {
    "motion.png": draw_motion,
    "contact_forces.png": draw_contact_forces,
    "reactions.png": draw_reactions,
    "energy.png": draw_spatial_energy,
}


class PlotFailure(AnalysisFailure):
    """Plots that could not be drawn; the numbers they show are not touched by that (exit code 1).

    Parameters
    ----------
    reasons : dict
        Name of a plot -> what was met.
    """

    def __init__(self, reasons: dict[str, str]) -> None:
        listed = ", ".join(f"{name} ({reason})" for name, reason in reasons.items())
        super().__init__(f"warning: not drawn: {listed}; the numbers of the result are complete")
        self.reasons = reasons

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reasons,)


def load_libraries() -> None:
    """Import what drawing needs, which takes half a second, ahead of the need."""
    import matplotlib.backends.backend_agg
    import matplotlib.figure  # noqa: F401


def write_plots(dataset: xr.Dataset, directory: str | Path) -> list[Path]:
    """Draw the plots of a result; each file appears whole or not at all.

    Parameters
    ----------
    dataset : xarray.Dataset
        As in ``result.nc``; dimension ``position`` (static), ``time`` (dynamic), ``mode`` (modal) or ``point`` (sweep).
        Values that are NaN are left out.
    directory : path
        An existing folder.

    Returns
    -------
    list of Path
        ``te.png``, ``tooth_load.png``, ``root_stress.png``, ``contact_pattern.png``, dynamic also ``spectrum.png``,
        with points of the teeth ``points.png``; modal ``campbell.png``, of a sweep ``sweep.png``, of a machine
        ``machine.png`` alone, of one whose parts only turn those of :data:`ROTATIONAL_DRAWINGS`, of one with bodies
        in space those of :data:`SPATIAL_DRAWINGS`; ``modes.png`` of any that has switches, ``waterfall.png`` of a
        machine whose speed changes, where ``orders.json`` tells its orders.

    Raises
    ------
    alegear.results.store.StorageFailure
        If a file cannot be written.
    PlotFailure
        If plots cannot be drawn; the others are written.
    """
    drawings: dict[str, Callable[[xr.Dataset], Figure]] = {
        "te.png": draw_transmission_error,
        "tooth_load.png": draw_tooth_load,
        "root_stress.png": draw_root_stress,
        "contact_pattern.png": draw_contact_pattern,
    }
    if dataset.attrs.get("rotational"):
        drawings = dict(ROTATIONAL_DRAWINGS)
        if not dataset.sizes["switch"]:
            del drawings["modes.png"]
    elif dataset.attrs.get("spatial"):
        drawings = dict(SPATIAL_DRAWINGS)
        if not dataset.sizes["mesh"]:
            del drawings["contact_forces.png"]
        if "energy_input" not in dataset:  # of positions
            del drawings["energy.png"]
    elif dataset.attrs.get("machine") and dataset.attrs.get("analysis") == "sweep":
        drawings = {"sweep.png": draw_machine_sweep}
    elif dataset.attrs.get("machine"):
        drawings = {"machine.png": draw_machine_modes if "mode" in dataset.dims else draw_machine}
        if has_events(dataset):
            drawings["modes.png"] = draw_modes
    elif "pair_mode" in dataset.dims:
        drawings = {"campbell.png": draw_campbell}
    elif dataset.attrs.get("analysis") == "sweep":
        drawings = {"sweep.png": draw_sweep}
    elif _is_dynamic(dataset):
        drawings["spectrum.png"] = draw_spectrum
    if "point_stress" in dataset:
        drawings["points.png"] = draw_points
    told = read_orders(Path(directory))
    if told is not None and has_run_up(dataset, told[0]):
        drawings["waterfall.png"] = partial(draw_waterfall, reference=told[0], orders=told[1])
    files = []
    failed: dict[str, str] = {}
    for name, draw in drawings.items():
        try:
            picture = _png(draw(dataset))
        except Exception as error:  # a picture is not worth a result, whatever goes wrong in it
            failed[name] = f"{type(error).__name__}: {' '.join(str(error).split())}"
            continue
        path = Path(directory) / name
        write_whole(path, picture)
        files.append(path)
    if failed:
        raise PlotFailure(failed)
    return files


def _png(figure: Figure) -> bytes:
    """Return a figure as a PNG file, to the pixel what ``savefig`` gives.

    ``savefig`` goes through the whole drawing twice, the first time only to lay it out; the layout alone is enough.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.set_dpi(DPI)
    canvas = FigureCanvasAgg(figure)
    layout = figure.get_layout_engine()
    if layout is not None:
        layout.execute(figure)
        figure.set_layout_engine("none")
    buffer = io.BytesIO()
    canvas.print_png(buffer, pil_kwargs={"compress_level": 1})  # higher levels take a few times as long for a tenth
    return buffer.getvalue()


def draw_transmission_error(dataset: xr.Dataset) -> Figure:
    """Draw transmission error and mesh stiffness; the last pitches of a longer dynamic study are enlarged."""
    if _is_dynamic(dataset):
        part = _last_pitches(dataset)
        if part.start == 0:
            # nothing to enlarge
            figure, (enlarged, below) = _figure(dataset, rows=2, height=6.0)
        else:
            figure, (whole, enlarged, below) = _figure(dataset, rows=3, height=8.0)
            x, (te,), label = _curves(dataset, ("transmission_error",), lambda te: te * 1e6)
            whole.plot(x, te, color=COLOURS[0], linewidth=0.7)
            _finish(whole, x, label, "transmission error [µm]")
    else:
        figure, (enlarged, below) = _figure(dataset, rows=2, height=6.0, sharex=True)
        part = slice(None)
    x, label = _abscissa(dataset, part)
    enlarged.plot(x, _array(dataset, "transmission_error", part) * 1e6, color=COLOURS[0], **_marks(x))
    _finish(enlarged, x, label if _is_dynamic(dataset) else "", "transmission error [µm]")
    below.plot(x, _array(dataset, "mesh_stiffness", part) * 1e-6, color=COLOURS[1], **_marks(x))
    _finish(below, x, label, "mesh stiffness [N/µm]")
    return figure


def draw_tooth_load(dataset: xr.Dataset) -> Figure:
    """Draw the load of each tooth pair and of all together."""
    part = _last_pitches(dataset) if _is_dynamic(dataset) else slice(None)
    load, pairs = _by_pair(dataset, "tooth_load", part)

    if _is_dynamic(dataset):
        figure, (whole, axes) = _figure(dataset, rows=2, height=6.5)
        x, (total, largest), label = _curves(dataset, ("tooth_load",), _sum_of_row, _row_max)
        unit, factor = ("kN", 1e-3) if _largest(largest) >= 2e3 else ("N", 1.0)
        whole.plot(x, total * factor, color="black", linewidth=0.6, label="all pairs")
        whole.plot(x, largest * factor, color=COLOURS[1], linewidth=0.6, label="most loaded pair")
        _finish(whole, x, label, f"tooth load [{unit}]", legend=True)
    else:
        figure, (axes,) = _figure(dataset, rows=1, height=4.5)
        unit, factor = ("kN", 1e-3) if _largest(load) >= 2e3 else ("N", 1.0)
    x, label = _abscissa(dataset, part)
    axes.plot(x, _sum_of_row(load) * factor, color="black", linewidth=1.0, linestyle=":", label="all pairs")
    for k, pair, colour in _pairs_with_values(pairs, load):
        axes.plot(x, load[:, k] * factor, color=colour, label=f"pair {pair}", **_marks(x))
    _finish(axes, x, label, f"tooth load [{unit}]", legend=True)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    return figure


def draw_root_stress(dataset: xr.Dataset) -> Figure:
    """Draw the largest von Mises stress in the root fillets of the tooth of each pair, both gears, both sides."""
    part = _last_pitches(dataset) if _is_dynamic(dataset) else slice(None)
    stress, pairs = _by_pair(dataset, "root_stress", part)
    stress = stress * 1e-6
    figure, panels = _figure(dataset, rows=2, height=7.0, sharex=True, sharey=True)
    x, label = _abscissa(dataset, part)
    gears = [str(g) for g in dataset["gear"].values]
    for g, (axes, gear) in enumerate(zip(panels, gears, strict=True)):
        for k, pair, colour in _pairs_with_values(pairs, stress[:, g]):
            for s, line in enumerate(("-", "--")):
                label_once = f"pair {pair}" if s == 0 else "_"
                axes.plot(x, stress[:, g, k, s], color=colour, linestyle=line, linewidth=1.3, label=label_once)
        if not np.isfinite(stress[:, g]).any():
            axes.text(0.5, 0.5, "not computed", transform=axes.transAxes, ha="center")
        for side, line in (("tension", "-"), ("compression", "--")):
            axes.plot([], [], color="black", linestyle=line, linewidth=1.0, label=side)
        _finish(axes, x, label if g else "", f"{gear}: von Mises stress\nin the root [MPa]", legend=g == 0)
    # the panels share their scale: set it once both are drawn
    panels[0].set_ylim(0.0, 1.05 * _largest(stress) or 1.0)
    return figure


def draw_points(dataset: xr.Dataset) -> Figure:
    """Draw stress and rotation of each chosen point, those of a gear on the tooth on which one is stressed most."""
    figure, (above, below) = _figure(dataset, rows=2, height=7.0, sharex=True)
    gears = [str(gear) for gear in dataset["point_gear"].values]
    largest = np.full((len(gears), dataset.sizes["tooth"]), -np.inf)  # by point and tooth
    for block in _blocks(dataset, ("point_stress",)):
        stress = block["point_stress"]
        largest = np.maximum(largest, np.where(np.isfinite(stress), stress, -np.inf).max(axis=0, initial=-np.inf))
    teeth = []
    for i in range(len(gears)):
        tooth = int(largest[[gear == gears[i] for gear in gears]].max(axis=0).argmax())
        if np.isneginf(largest[i, tooth]):  # that tooth was not asked for here
            tooth = int(largest[i].argmax())
        teeth.append(tooth)

    def chosen(values: Floats) -> Floats:
        return values[:, np.arange(len(gears)), teeth]

    x, (stress,), label = _curves(dataset, ("point_stress",), lambda values: chosen(values) * 1e-6)
    _, (rotation,), _ = _curves(dataset, ("point_rotation",), lambda values: chosen(values) * 1e3)
    for i, name in enumerate(dataset["point"].values):
        options: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)], **_marks(x)}
        options["linestyle"] = "-" if gears[i] == "pinion" else "--"
        above.plot(x, stress[:, i], label=f"{name}, tooth {dataset['tooth'].values[teeth[i]]}", **options)
        below.plot(x, rotation[:, i], **options)
    _finish(above, x, "", "von Mises stress [MPa]", legend=True)
    _finish(below, x, label, "rotation against the bore [mrad]")
    return figure


def draw_contact_pattern(dataset: xr.Dataset) -> Figure:
    """Draw the largest contact pressure and line load of a cycle over the pinion's flank, with the ends of the flanks.

    Where an edge touches (tip round or undercut edge) the pressure is hatched: it is that of the edge, which the legend
    names, and no measure of the flanks. A colour scale that a narrow peak (an end of the face) would use up alone ends
    below it; its label then names the largest value.
    """
    quantities = [
        ("pattern_pressure", 1e-6, "flank pressure [MPa]"),
        ("pattern_line_load", 1e-3, "line load [N/mm]"),
    ]
    drawn = [q for q in quantities if (_array(dataset, q[0]) > 0.0).any()] or quantities[:1]
    figure, panels = _figure(dataset, rows=len(drawn), height=1.6 + 3.0 * len(drawn), sharex=True)
    roll = _array(dataset, "roll_length") * 1e3
    face = _array(dataset, "slice") * 1e3
    for axes, (name, factor, label) in zip(panels, drawn, strict=True):
        # no colour where nothing touches: the edge of the pattern is then plain to see
        pattern = _array(dataset, name) * factor
        shown = np.ma.masked_less_equal(np.ma.masked_invalid(pattern), 0.0)
        largest = max(_largest(pattern), 1e-9)
        top = _end_of_scale(shown.compressed(), largest)
        picture = axes.pcolormesh(_edges(roll), _edges(face), shown.T, cmap="viridis", vmin=0.0, vmax=top)
        bar = figure.colorbar(picture, ax=axes, pad=0.02, extend="max" if top < largest else "neither")
        bar.set_label(f"{label}\nlargest {largest:.4g}" if top < largest else label)
        if name == "pattern_pressure":
            _hatch_edges(axes, dataset)
        _draw_flank_limits(axes, dataset)
        axes.set_ylim(float(_edges(face)[0]), float(_edges(face)[-1]))
        axes.set_ylabel("position across\nthe face [mm]")
        axes.set_facecolor("0.93")
    panels[-1].set_xlabel("roll length on the pinion's flank [mm]")
    handles, labels = panels[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=len(handles), fontsize=8, frameon=False)
    return figure


def _hatch_edges(axes: Axes, dataset: xr.Dataset) -> None:
    """Hatch where an edge touches and no flank; its largest pressure stands in the legend."""
    from matplotlib.patches import Rectangle

    pressure = np.nan_to_num(_array(dataset, "pattern_edge_pressure")) * 1e-6
    touches = pressure > np.nan_to_num(_array(dataset, "pattern_pressure")) * 1e-6
    if not touches.any():
        return
    roll, face = _edges(_array(dataset, "roll_length") * 1e3), _edges(_array(dataset, "slice") * 1e3)
    only = np.ma.masked_where(~touches, np.ones_like(pressure))
    axes.pcolor(roll, face, only.T, hatch="////", facecolor="none", edgecolor="0.35", linewidth=0.0)
    # the legend shows a patch, not the grid of the picture
    label = f"edge touches, up to {pressure.max():.4g} MPa"
    corner = float(roll[0]), float(face[0])
    axes.add_patch(Rectangle(corner, 0.0, 0.0, hatch="////", fill=False, edgecolor="0.35", linewidth=0.0, label=label))


def _draw_flank_limits(axes: Axes, dataset: xr.Dataset) -> None:
    """Mark root form circle and tip of both gears; a light border keeps the lines visible on any colour."""
    from matplotlib import patheffects

    border = [patheffects.withStroke(linewidth=3.0, foreground="white")]
    styles = {"root_form": "--", "tip": "-"}
    gears = [str(g) for g in dataset["gear"].values]
    for g, (gear, colour) in enumerate(zip(gears, (COLOURS[1], "black"), strict=True)):
        for k, limit in enumerate(str(v) for v in dataset["limit"].values):
            place = float(dataset["flank_limit"].values[g, k]) * 1e3
            if np.isfinite(place):
                axes.axvline(
                    place,
                    color=colour,
                    linestyle=styles[limit],
                    linewidth=1.3,
                    path_effects=border,
                    label=f"{limit.replace('_', ' ')}, {gear}",
                )


def _end_of_scale(values: Floats, largest: float) -> float:
    """Return the end of a colour scale: the largest value, or 20 % above what 85 % stay below where peaks stand out."""
    if not values.size:
        return largest
    common = 1.2 * float(np.quantile(values, 0.85))
    return common if largest > 1.3 * common else largest


def draw_spectrum(dataset: xr.Dataset) -> Figure:
    """Draw the amplitude spectrum of the transmission error of the steady part, mesh orders marked."""
    figure, (axes,) = _figure(dataset, rows=1, height=4.5)
    part = _steady_part(dataset)
    time, phase = _array(dataset, "time", part), _array(dataset, "phase", part)
    te = _array(dataset, "transmission_error", part) * 1e6
    axes.set_xlabel("frequency [Hz]")
    axes.set_ylabel("amplitude of the\ntransmission error [µm]")
    axes.grid(True, color="0.9")
    frequency, amplitude = signals.spectrum(time, te)
    if not frequency.size or not np.isfinite(amplitude).all() or not phase[-1] > phase[0]:
        axes.text(0.5, 0.5, "too few values for a spectrum", transform=axes.transAxes, ha="center")
        return figure
    mesh_frequency = float((phase[-1] - phase[0]) / (time[-1] - time[0]))
    largest = max(float(amplitude.max()), 1e-12)
    last = min((ORDERS + 0.5) * mesh_frequency, float(frequency[-1]))
    for order in range(1, int(last / mesh_frequency) + 1):
        axes.axvline(order * mesh_frequency, color=COLOURS[1], linewidth=0.8, linestyle=":")
    axes.semilogy(frequency[1:], np.maximum(amplitude[1:], 1e-9 * largest), color=COLOURS[0], linewidth=1.0)
    axes.set_xlim(0.0, last)
    axes.set_ylim(1e-5 * largest, 2.0 * largest)

    def to_order(frequency: Any) -> Any:
        return frequency / mesh_frequency

    def to_frequency(order: Any) -> Any:
        return order * mesh_frequency

    top = axes.secondary_xaxis("top", functions=(to_order, to_frequency))
    top.set_xlabel(f"mesh order (mesh frequency {mesh_frequency:.4g} Hz)")
    top.set_xticks(range(int(last / mesh_frequency) + 1))
    return figure


def _is_dynamic(dataset: xr.Dataset) -> bool:
    return "time" in dataset.dims


def _array(dataset: xr.Dataset, name: str, part: slice | None = None) -> Floats:
    """Values of a variable; of a part of its positions or times no more is read."""
    variable = dataset[name] if part is None else dataset[name].isel({_lead(dataset): part})
    return np.asarray(variable.values, dtype=float)


def _lead(dataset: xr.Dataset) -> str:
    return "time" if _is_dynamic(dataset) else "position"


def _by_pair(dataset: xr.Dataset, name: str, part: slice) -> tuple[Floats, list[int]]:
    """Values of a variable by tooth pair in a part of the positions or times, and the pairs."""
    here = dataset.isel({_lead(dataset): part})
    if not here.sizes[_lead(dataset)]:
        return np.zeros([2 if dim == "side" else here.sizes[dim] for dim in here[name].dims]), []
    found = by_pair(here, name)
    return np.asarray(found.values, dtype=float), [int(pair) for pair in found["pair"].values]


def _blocks(dataset: xr.Dataset, names: Sequence[str]) -> Iterator[dict[str, Floats]]:
    """Read variables block by block."""
    n = dataset.sizes[_lead(dataset)]
    for begin in range(0, n, BLOCK):
        yield {name: _array(dataset, name, slice(begin, min(begin + BLOCK, n))) for name in names}


def _curves(dataset: xr.Dataset, names: Sequence[str], *of: Callable[..., Floats]) -> tuple[Floats, list[Floats], str]:
    """Abscissa, curves and label of what is drawn over all positions or times.

    Of a motion with more samples than can be told apart the curves go from the smallest to the largest value of each
    of `ENVELOPE` stretches of equal number: the band that all of them fill.

    Parameters
    ----------
    names : sequence of str
        Variables that are read, block by block.
    of : callables
        What each curve, or each group of curves (n, m), is of them.
    """
    lead = _lead(dataset)
    n = dataset.sizes[lead]
    borders = np.linspace(0, n, min(n, ENVELOPE) + 1).astype(np.int64)
    if n <= 2 * ENVELOPE:
        x, label = _abscissa(dataset)
        values = [_array(dataset, name) for name in names]
        return x, [part(*values) for part in of], label
    lows: list[list[Floats]] = [[] for _ in of]
    for begin in range(0, ENVELOPE, STRETCHES):
        some = borders[begin : begin + STRETCHES + 1]
        values = [_array(dataset, name, slice(some[0], some[-1])) for name in names]
        for curve, part in zip(lows, of, strict=True):
            y = part(*values)
            low, high = (f.reduceat(y, some[:-1] - some[0], axis=0) for f in (np.fmin, np.fmax))
            curve.append(np.stack([low, high], axis=1).reshape(-1, *y.shape[1:]))
    x, label = _abscissa(dataset)
    middle = 0.5 * (x[borders[:-1]] + x[borders[1:] - 1])
    return np.repeat(middle, 2), [np.concatenate(curve) for curve in lows], label


def _sum_of_row(values: Floats) -> Floats:
    """Sum of the finite values of each row; NaN where there is none."""
    return np.where(np.isfinite(values).any(axis=1), np.nansum(values, axis=1), np.nan)


def _abscissa(dataset: xr.Dataset, part: slice = slice(None)) -> tuple[Floats, str]:
    """Return what curves are drawn over: time of a dynamic study, phase of a static one."""
    if not _is_dynamic(dataset):
        return _array(dataset, "phase", part), "phase [pitches], 0 = pair 0 touches at the pitch point"
    time = _array(dataset, "time", part)
    return (time * 1e3, "time [ms]") if _largest(time) < 1.0 else (time, "time [s]")


def _last_pitches(dataset: xr.Dataset) -> slice:
    """Return the last few pitches of a dynamic study, all of a shorter one."""
    phase = _array(dataset, "phase")
    if not phase.size:
        return slice(0, 0)
    return slice(int(np.searchsorted(phase, phase[-1] - ENLARGED_PITCHES)), len(phase))


def _steady_part(dataset: xr.Dataset) -> slice:
    """Return whole pitches of the second half of the time in which the driver runs at its final speed.

    The driver is the gear whose speed is prescribed: the one that keeps the final speed longest.
    """
    time, speed, phase = (_array(dataset, name) for name in ("time", "speed", "phase"))
    n = len(time)
    if n < 2:
        return slice(0, n)
    at_speed = np.abs(speed - speed[-1]) <= 1e-6 * np.abs(speed[-1])
    start = n - int(np.logical_and.accumulate(at_speed[::-1], axis=0).sum(axis=0).max())
    begin = int(np.searchsorted(time, 0.5 * (time[min(start, n - 1)] + time[-1])))
    inner = signals.whole_pitches(phase[begin:])
    return slice(begin + inner.start, begin + inner.stop)


def _pairs_with_values(pairs: Sequence[int], values: Floats) -> list[tuple[int, int, str]]:
    """Return index, label and colour of each pair that carries something in `values` (n, n_pairs, ...)."""
    carries = [(np.nan_to_num(values[:, k]) != 0.0).any() for k in range(len(pairs))]
    return [(k, p, COLOURS[p % len(COLOURS)]) for k, p in enumerate(pairs) if carries[k]]


def _row_max(values: Floats) -> Floats:
    """Return the largest finite value of each row; NaN where there is none."""
    largest = np.where(np.isfinite(values), values, -np.inf).max(axis=1, initial=-np.inf)
    return np.where(np.isneginf(largest), np.nan, largest)


def _largest(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else 0.0


def _edges(centres: Floats) -> Floats:
    """Return the edges of cells around these centres."""
    if len(centres) < 2:
        return np.concatenate([centres - 0.5, centres + 0.5])
    middle = 0.5 * (centres[1:] + centres[:-1])
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])


def _marks(x: Floats) -> dict[str, Any]:
    """Mark the single positions while they can be told apart."""
    return {"linewidth": 1.3, "marker": "." if len(x) <= 80 else "", "markersize": 5}


def _figure(
    dataset: xr.Dataset, *, rows: int, height: float, sharex: bool = False, sharey: bool = False
) -> tuple[Figure, Sequence[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, height), layout="constrained")
    panels = figure.subplots(rows, 1, squeeze=False, sharex=sharex, sharey=sharey)[:, 0]
    note = "" if dataset.attrs.get("complete", 1) else " (incomplete)"
    figure.suptitle(f"{dataset.attrs.get('title', '')}{note}", fontsize=11, parse_math=False)
    return figure, list(panels)


def _finish(axes: Axes, x: Floats, xlabel: str, ylabel: str, *, legend: bool = False) -> None:
    """Label the axes, draw the grid, and put the legend beside the curves if it fits there."""
    if xlabel:
        axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.grid(True, color="0.9")
    axes.set_axisbelow(True)
    if len(x) > 1 and x[-1] > x[0]:
        axes.set_xlim(x[0], x[-1])
    axes.ticklabel_format(axis="both", useOffset=False)
    entries = len(axes.get_legend_handles_labels()[0])
    if legend and 0 < entries <= 16:
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
