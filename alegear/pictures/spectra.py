"""Pictures of spectra with their lines marked by cause, and of spectrograms and order maps over time or speed."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array, Indices
from alegear.pictures.colours import COLOURS
from alegear.pictures.labels import spread
from alegear.pictures.scales import in_signs, plain
from alegear.pictures.titles import in_rpm, no_mathematics
from alegear.signals.causes import Cause
from alegear.signals.marks import MarkedLine
from alegear.signals.spectrogram import Spectrogram
from alegear.signals.spectrum import Spectrum

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


#: Colour and name of each kind of cause, in the order of the legend.
KINDS = {
    "shaft": (COLOURS[0], "rotation of a shaft"),
    "mesh": (COLOURS[1], "mesh"),
    "sideband": (COLOURS[4], "sideband"),
    "planet pass": (COLOURS[2], "planets pass"),
    "tooth": (COLOURS[3], "a tooth"),
    "hunting tooth": (COLOURS[5], "the same teeth"),
    "bearing": ("#8c6d31", "bearing"),
    "unknown": ("0.45", "unknown"),
}
#: Causes of a line in the legend, by name.
NAMED = 2
LETTERS = 74
#: What a map shows below its highest amplitude [dB].
RANGE = 60.0
#: Height of a name over that of a map.
NAME = 0.031
#: Cells of a map along each side; more are no dots of the picture.
MOST_CELLS = 1200


def draw_spectrum(
    spectrum: Spectrum,
    lines: Sequence[MarkedLine] = (),
    *,
    up_to: float | None = None,
    logarithmic: bool = True,
    title: str = "",
) -> Figure:
    """Draw a spectrum; its marked lines have numbers, in the legend with their causes.

    Parameters
    ----------
    spectrum : Spectrum
    lines : sequence of MarkedLine
        As :func:`alegear.signals.marks.mark` returns them.
    up_to : float, optional [Hz or orders]
        End of the axis; lines beyond are left out. Default: that of the spectrum.
    logarithmic : bool
        Whether amplitudes are.
    title : str
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    end = float(spectrum.x[-1]) if up_to is None else min(up_to, float(spectrum.x[-1]))
    shown = sorted((line for line in lines if line.x <= end), key=lambda line: line.x)
    figure = Figure(figsize=(12.5, max(4.8, 1.4 + 0.19 * (len(shown) + len(KINDS)))), layout="constrained")
    axes = figure.subplots()
    axes.plot(spectrum.x, spectrum.values, color="0.25", lw=0.8)
    # lines between the bins stand above them
    top = max([float(spectrum.values[spectrum.x <= end].max(initial=0.0)), *(line.amplitude for line in shown)])
    if logarithmic and top > 0.0:
        axes.set_yscale("log")
        smallest = min([line.amplitude for line in shown], default=1e-3 * top)
        axes.set_ylim(0.03 * smallest, 4.0 * top)
    else:
        axes.set_ylim(0.0, 1.15 * top or 1.0)
    handles = []
    kinds: dict[str, None] = {}
    for number, line in enumerate(shown, start=1):
        kind = line.causes[0].kind if line.causes else "unknown"
        colour = KINDS[kind][0]
        kinds[kind] = None
        axes.plot([line.x], [line.amplitude], "o", color=colour, ms=4.5, zorder=3)
        axes.annotate(
            str(number), (line.x, line.amplitude), (0, 4), textcoords="offset points",
            ha="center", fontsize=7.0, color=colour,
        )  # fmt: skip
        label = f"{number:>2}  {line.x:.5g}  {_named(line)}"
        handles.append(Line2D([], [], marker="o", ls="", color=colour, ms=4.5, label=label))
    handles += [
        Line2D([], [], marker="s", ls="", color=KINDS[kind][0], label=KINDS[kind][1]) for kind in KINDS if kind in kinds
    ]
    if handles:
        legend = figure.legend(handles=handles, loc="outside right upper", fontsize=7.0, frameon=False)
        no_mathematics(legend.get_texts())
    what = "amplitude" if spectrum.scaling == "amplitude" else "density"
    axes.set(xlim=(0.0, end), xlabel=_of_lines(spectrum.unit_of_x), ylabel=f"{what} [{in_signs(spectrum.units)}]")
    axes.grid(alpha=0.3)
    axes.set_title(f"{title or spectrum.name}{_said(spectrum)}", fontsize="medium", loc="left", parse_math=False)
    return figure


def draw_spectrogram(
    found: Spectrogram,
    causes: Sequence[Cause] = (),
    *,
    over: str = "at",
    up_to: float | None = None,
    title: str = "",
) -> Figure:
    """Draw amplitudes over time, turns or speed in colours, in dB re the highest; causes as lines with their names.

    Parameters
    ----------
    found : Spectrogram
        Of frequencies, or of orders.
    causes : sequence of Cause
        Drawn at their orders; of frequencies at order times the speed, which is needed then.
    over : {"at", "speed"}
        Along the axis: what the segments are of, or the speed of the shaft, which must rise or fall.
    up_to : float, optional [Hz or orders]
    title : str

    Raises
    ------
    ValueError
        For speeds or orders without a speed, and speeds that neither rise nor fall.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 5.0), layout="constrained")
    draw_map(figure.subplots(), found, causes, over=over, up_to=up_to, title=title)
    return figure


def draw_map(
    axes: Axes, found: Spectrogram, causes: Sequence[Cause], *, over: str, up_to: float | None, title: str
) -> None:
    """Draw a spectrogram into axes; the arguments are those of :func:`draw_spectrogram`."""
    along, label = _along(found, over)
    if causes and found.speed is None and found.unit_of_x == "Hz":
        raise ValueError("lines of orders over frequencies need the speed: give spectrogram the angle of the shaft")
    end = float(found.x[-1]) if up_to is None else min(up_to, float(found.x[-1]))
    rows = _thinned(int((found.x <= end).sum()))
    columns = _thinned(len(along))
    level = _levels(found.amplitude, rows, columns)
    picture = axes.pcolormesh(
        along[columns], found.x[rows], level, cmap="viridis", vmin=-RANGE, vmax=0.0, shading="nearest", rasterized=True
    )
    highest = float(found.amplitude[found.x <= end].max())
    bar = axes.figure.colorbar(picture, ax=axes, pad=0.02)
    bar.set_label(f"dB re {plain(highest)} {in_signs(found.units)}, the highest", parse_math=False)
    axes.set(xlabel=label, ylabel=_of_lines(found.unit_of_x), ylim=(0.0, end), xlim=(along.min(), along.max()))
    _draw_causes(axes, found, along, causes, end)
    said = f", segments of {found.segment:.4g} {'s' if found.over == 'time' else 'turns'}"
    axes.set_title((title or found.name) + said, fontsize="medium", loc="left", parse_math=False)


def _along(found: Spectrogram, over: str) -> tuple[Array, str]:
    if over == "at":
        return found.at, "time [s]" if found.over == "time" else "turns of the shaft"
    if over != "speed":
        raise ValueError(f'over = {over!r}: must be "at" or "speed"')
    if found.speed is None:
        raise ValueError("a spectrogram over the speed needs it: give spectrogram the angle of the shaft")
    steps = np.diff(found.speed)
    if not (np.all(steps > 0.0) or np.all(steps < 0.0)):
        raise ValueError('the speed neither rises nor falls throughout: draw over "at", or a part of the signal')
    return found.speed * (30.0 / pi), "speed of the shaft [rpm]"


def _thinned(count: int) -> Indices:
    """Where cells of equal numbers of rows begin."""
    return np.arange(0, count, -(-count // MOST_CELLS), dtype=np.int64)


def _levels(amplitude: Array, rows: Indices, columns: Indices) -> Array:
    """Highest of the amplitudes in each cell [dB], over the highest of all; a line is not lost between cells."""
    last = int(rows[-1]) + 1 if len(rows) < 2 else int(rows[-1] + rows[1] - rows[0])
    cells = np.maximum.reduceat(amplitude[:last], rows, axis=0)
    cells = np.maximum.reduceat(cells, columns, axis=1)
    top = float(cells.max())
    with np.errstate(divide="ignore"):
        found: Array = 20.0 * np.log10(cells / top) if top > 0.0 else np.full(cells.shape, -np.inf)
    return np.maximum(found, -2.0 * RANGE)


def _draw_causes(axes: Axes, found: Spectrogram, along: Array, causes: Sequence[Cause], end: float) -> None:
    right = int(along.argmax())
    beside: list[tuple[float, Cause]] = []
    above: dict[float, list[Cause]] = {}
    for cause in causes:
        at = np.full(len(along), cause.order)
        if found.unit_of_x == "Hz":
            assert found.speed is not None
            at = cause.order * found.speed / (2.0 * pi)
        if at.min() > end:
            continue
        axes.plot(along, at, color="white", lw=0.9, ls=(0, (6, 6)), alpha=0.8)
        if at[right] <= end:
            beside.append((float(at[right]), cause))
        else:
            above.setdefault(round(float(np.interp(end, at, along)), 9), []).append(cause)
    _name_beside(axes, beside, end)
    for place, same in above.items():
        _name_above(axes, same, place)


def _name_above(axes: Axes, causes: Sequence[Cause], at: float) -> None:
    """Name the causes of a line where it leaves the picture."""
    axes.annotate(
        "\n".join(cause.name for cause in causes), (at, 1.0), (0, 3), xycoords=("data", "axes fraction"),
        textcoords="offset points", ha="left", va="bottom", rotation=40.0, fontsize=7.0,
        color=KINDS[causes[0].kind][0], parse_math=False,
    )  # fmt: skip


def _name_beside(axes: Axes, named: list[tuple[float, Cause]], end: float) -> None:
    """Name lines at the right edge of the picture; names that would lie on each other move apart."""
    gap = min(NAME * end, end / max(len(named), 1))
    spots = spread(np.array([at for at, _ in named]), gap, 0.0, end)
    for (at, cause), spot in zip(named, spots.tolist(), strict=True):
        colour = KINDS[cause.kind][0]
        axes.annotate(
            cause.name, (1.0, at), (1.02, spot), xycoords=("axes fraction", "data"),
            textcoords=("axes fraction", "data"), ha="left", va="center", fontsize=7.0, color=colour, parse_math=False,
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.6, "shrinkA": 0.0, "shrinkB": 0.0},
        )  # fmt: skip


def _named(line: MarkedLine) -> str:
    names = [cause.name for cause in line.causes[:NAMED]]
    more = f" or {len(line.causes) - NAMED} more" if len(line.causes) > NAMED else ""
    label = (" or ".join(names) or "unknown") + more
    return label if len(label) <= LETTERS else label[: LETTERS - 3] + "..."


def _of_lines(unit: str) -> str:
    return "frequency [Hz]" if unit == "Hz" else "order of the shaft"


def _said(spectrum: Spectrum) -> str:
    unit = "Hz" if spectrum.unit_of_x == "Hz" else "orders"
    said = f", resolution {spectrum.resolution:.3g} {unit}"
    if spectrum.speed is not None:
        low, high = (speed * 30.0 / pi for speed in spectrum.speed)
        said += f", {in_rpm(low)} to {in_rpm(high)}"
    return said
