"""Campbell diagram: natural frequencies over the speed, with the orders of the mesh that excite them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.view.titles import title_of

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


class Name(NamedTuple):
    """What is written at a line: frequency [Hz], whose mode, what of it, colour of the line."""

    frequency: float
    whose: str
    detail: str
    colour: str


#: Orders of the mesh frequency that are drawn.
MESH_ORDERS = (1, 2, 3)
COLOURS = ("#0072B2", "#D55E00")
BEYOND = 1.5  # speed at the end of the diagram over that of the case
PAST_RESONANCE = 1.1  # and over that at which the mesh frequency is the natural frequency in the mesh
OWN_SHARE = (
    0.1  # of the energy outside the wheels' own modes; with less a mode of the pair is one of a wheel, drawn as such
)
FAINT = 0.05  # of the energy in the mesh; modes of the pair with less are faint
FAINT_COLOUR = "0.75"
SAME = 2e-3  # of a frequency: lines so close are one
LINE_HEIGHT = 0.036  # of the diagram: distance of names
ABOVE = 1.25  # the highest frequency shown over the lowest one of the wheels, where the case gives no speed


def draw_campbell(dataset: xr.Dataset) -> Figure:
    r"""Draw the modes of pair and wheels over the speed of the pinion.

    A wheel's mode of nodal diameter n is seen from the wheel, where it does not depend on the speed as long as Coriolis
    forces are small. There the mesh travels round: its order h comes with the frequencies :math:`(h z \pm n) f_{rot}`,
    one for the wave that runs with the wheel and one for that against it. The dots are where these meet the mode, at a
    speed a little beside the line :math:`h z f_{rot}`. Modes of the pair do not turn and are met on the lines.

    Modes of the pair with little of their energy in the mesh are faint, for the mesh hardly excites them. Lines that
    fall on each other are one. Speeds up to that of the case are shaded.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 5.8), layout="constrained")
    axes = figure.subplots()
    title_of(figure, dataset)
    speed, top = _ranges(dataset)  # [1/s] of the pinion, [Hz]
    z_1, z_2 = (int(z) for z in dataset.attrs["teeth"])
    _draw_orders(axes, speed, top, z_1)
    names: list[Name] = []
    for frequency, share in zip(dataset["pair_frequency"].values, dataset["pair_energy_share"].values, strict=True):
        if frequency <= top and 1.0 - share[1] - share[2] >= OWN_SHARE:  # the others are modes of the wheels
            faint = float(share[0]) < FAINT
            colour = FAINT_COLOUR if faint else "black"
            axes.axhline(1e-3 * frequency, color=colour, linewidth=0.8 if faint else 1.3)
            met = [60.0 * frequency / (order * z_1) for order in MESH_ORDERS]
            mark(axes, met, float(frequency), 60.0 * speed, colour)
            names.append(Name(float(frequency), "pair", percent(share[0]), colour))
    drawn = [("black", "mode of the pair, share of its energy in the mesh")] if names else []
    if any(name.colour == FAINT_COLOUR for name in names):
        drawn.append((FAINT_COLOUR, f"with less than {100 * FAINT:.0f} % in the mesh"))
    of_pair = len(drawn)
    for gear, (name, z, colour) in enumerate(zip(("pinion", "wheel"), (z_1, z_2), COLOURS, strict=True)):
        shown = _draw_wheel(axes, dataset, gear, (z, z_1 / z, colour), (speed, top))
        drawn += [(colour, f"{name}, bore held, nodal diameter n")] * bool(shown)
        names += [Name(frequency, name, f"n = {n}", colour) for frequency, n in shown]
    wheels = len(drawn) > of_pair
    write_names(axes, merged(names), top)
    _shade_operation(axes, dataset)
    axes.set_xlim(0.0, 60.0 * speed)
    axes.set_ylim(0.0, 1e-3 * top)
    axes.set_xlabel("speed of the pinion [rpm]")
    axes.set_ylabel("frequency [kHz]" + (", of wheels in their own frame" if wheels else ""))
    axes.grid(True, color="0.93")
    for colour, label in drawn:
        axes.plot([], [], color=colour, label=label)
    label = "order meets mode" + (", wave with or against the wheel" if wheels else "")
    axes.plot([], [], "o", color="0.4", markersize=4, label=label)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    return figure


def merged(names: Sequence[Name]) -> list[Name]:
    """Return the names in order of frequency; of lines of one kind that fall on each other there is one."""
    kept: list[Name] = []
    for name in sorted(names, key=lambda one: (one.frequency, one.whose)):
        same = [k for k, one in enumerate(kept) if one.whose == name.whose and one.colour == name.colour]
        k = next((k for k in same if abs(kept[k].frequency - name.frequency) <= SAME * name.frequency), None)
        if k is None:
            kept.append(name)
        elif name.detail not in kept[k].detail.split(", "):
            kept[k] = kept[k]._replace(detail=f"{kept[k].detail}, {name.detail}")
    return kept


def spread(places: Sequence[float], least: float, top: float) -> list[float]:
    """Return places in rising order moved apart to a least distance, as little as may be, and none above `top`."""
    found: list[float] = []
    for place in places:
        found.append(max(place, found[-1] + least) if found else place)
    limit = top
    for k in reversed(range(len(found))):
        found[k] = min(found[k], limit)
        limit = found[k] - least
    return found


def write_names(axes: Axes, names: Sequence[Name], top: float) -> None:
    """Write names on the right of the diagram, apart from each other and tied to their lines."""
    least = min(LINE_HEIGHT, 1.0 / max(len(names), 1)) * top
    for name, place in zip(names, spread([one.frequency for one in names], least, top), strict=True):
        axes.annotate(
            ", ".join([f"{1e-3 * name.frequency:.4g} kHz {name.whose}".rstrip(), name.detail]),
            (1.0, 1e-3 * name.frequency),
            (1.03, 1e-3 * place),
            xycoords=("axes fraction", "data"),
            textcoords=("axes fraction", "data"),
            fontsize=8,
            color=name.colour if name.colour != FAINT_COLOUR else "0.5",
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": name.colour,
                "linewidth": 0.6,
                "shrinkA": 0,
                "shrinkB": 0,
                "relpos": (0.0, 0.5),  # ends before the text
            },
        )


def _draw_orders(axes: Axes, speed: float, top: float, teeth: int) -> None:
    """Draw the mesh orders; their names stand on them, where they leave the diagram."""
    for order in MESH_ORDERS:
        end = min(speed, top / (order * teeth))
        axes.plot([0.0, 60.0 * end], [0.0, 1e-3 * order * teeth * end], color="0.5", linewidth=1.0, linestyle="--")
        axes.annotate(
            f"{order} f",
            (60.0 * 0.96 * end, 1e-3 * order * teeth * 0.96 * end),
            fontsize=8,
            color="0.3",
            ha="center",
            va="center",
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"},
        )
    axes.plot([], [], color="0.5", linewidth=1.0, linestyle="--", label="orders of the mesh frequency f")


def _shade_operation(axes: Axes, dataset: xr.Dataset) -> None:
    """Shade the speeds up to that of the case."""
    speed = dataset.attrs.get("pinion_speed")
    if speed is None or not float(speed) > 0.0:
        return
    rpm = float(speed) * 60.0 / (2.0 * np.pi)
    axes.axvspan(0.0, rpm, color="#E69F00", alpha=0.08, linewidth=0.0, label=f"speeds up to {rpm:.4g} rpm, of the case")
    axes.axvline(rpm, color="#E69F00", linewidth=1.2)


def percent(share: float) -> str:
    """Write a share, a digit more of those about the one that makes modes faint.

    Examples
    --------
    >>> percent(0.4711), percent(0.0489)
    ('47 %', '4.9 %')
    """
    return f"{100.0 * share:.{0 if share >= 2.0 * FAINT else 1}f} %"


def crossings(frequency: float, nodal_diameter: int, teeth: int, order: int) -> tuple[float, ...]:
    """Speeds [1/s] of a wheel at which an order of the mesh excites its mode: f/(h z + n), f/(h z - n)."""
    return tuple(frequency / (order * teeth + n) for n in sorted({nodal_diameter, -nodal_diameter}, reverse=True))


def _draw_wheel(
    axes: Axes, dataset: xr.Dataset, gear: int, own: tuple[int, float, str], ranges: tuple[float, float]
) -> list[tuple[float, int]]:
    """Draw the held modes of a gear; `own`: teeth, speed over that of the pinion, colour. Returns what is shown."""
    (z, ratio, colour), (speed, top) = own, ranges
    frequencies, diameters = (dataset[f"held_{what}"].values[gear] for what in ("frequency", "nodal_diameter"))
    shown = sorted({mode for mode in zip(frequencies.tolist(), diameters.tolist(), strict=True) if mode[0] <= top})
    for frequency, n in shown:  # of a pair one line
        axes.axhline(1e-3 * frequency, color=colour, linewidth=1.0)
        met = [60.0 * s / ratio for order in MESH_ORDERS for s in crossings(frequency, n, z, order)]
        mark(axes, met, frequency, 60.0 * speed, colour)
    return shown


def mark(axes: Axes, met: list[float], frequency: float, end: float, colour: str) -> None:
    """Mark the speeds [rpm] at which a mode is met."""
    met = [speed for speed in met if speed <= end]
    axes.plot(met, [1e-3 * frequency] * len(met), "o", color=colour, markersize=4)


def _ranges(dataset: xr.Dataset) -> tuple[float, float]:
    """Largest speed of the pinion [1/s] and largest frequency [Hz] of the diagram."""
    z_1 = int(dataset.attrs["teeth"][0])
    case_speed = dataset.attrs.get("pinion_speed")
    lowest = float(np.min(dataset["held_frequency"].values[:, 0]))
    pair = float(dataset["mesh_frequency"].values)
    if case_speed is not None:
        # at least to where the first order meets the mode in the mesh, and the orders reach so far
        speed = max(BEYOND * float(case_speed) / (2.0 * np.pi), PAST_RESONANCE * pair / z_1)
        return speed, MESH_ORDERS[-1] * z_1 * speed
    top = ABOVE * max(lowest, pair)
    return top / z_1, top
