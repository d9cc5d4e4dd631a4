"""Campbell diagram: natural frequencies over the speed, with the orders of the mesh that excite them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

#: Orders of the mesh frequency that are drawn.
MESH_ORDERS = (1, 2, 3)
COLOURS = ("#0072B2", "#D55E00")
BEYOND = 1.5  # speed at the end of the diagram over that of the case
OWN_SHARE = (
    0.1  # of the energy outside the wheels' own modes; with less a mode of the pair is one of a wheel, drawn as such
)
CLOSE = 0.03  # of the height of the diagram: names of lines so close stand together
ABOVE = 1.25  # the highest frequency shown over the lowest one of the wheels, where the case gives no speed


def draw_campbell(dataset: xr.Dataset) -> Figure:
    r"""Draw the modes of pair and wheels over the speed of the pinion.

    A wheel's mode of nodal diameter n is seen from the wheel, where it does not depend on the speed as long as Coriolis
    forces are small. There the mesh travels round: its order h comes with the frequencies :math:`(h z \pm n) f_{rot}`,
    one for the wave that runs with the wheel and one for that against it. The dots are where these meet the mode, at a
    speed a little beside the line :math:`h z f_{rot}`. Modes of the pair do not turn and are met on the lines.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 6.0), layout="constrained")
    axes = figure.subplots()
    figure.suptitle(str(dataset.attrs.get("title", "")), fontsize=11, parse_math=False)
    speed, top = _ranges(dataset)  # [1/s] of the pinion, [Hz]
    z_1, z_2 = (int(z) for z in dataset.attrs["teeth"])
    for order in MESH_ORDERS:
        end = min(speed, top / (order * z_1))
        axes.plot([0.0, 60.0 * end], [0.0, 1e-3 * order * z_1 * end], color="0.5", linewidth=1.0, linestyle="--")
        axes.annotate(
            f"mesh x {order}", (60.0 * end, 1e-3 * order * z_1 * end), fontsize=8, color="0.4", ha="right", va="bottom"
        )
    names: dict[str, list[tuple[float, str]]] = {"left": [], "right": []}
    for frequency, share in zip(dataset["pair_frequency"].values, dataset["pair_energy_share"].values, strict=True):
        if frequency <= top and 1.0 - share[1] - share[2] >= OWN_SHARE:  # the others are modes of the wheels
            axes.axhline(1e-3 * frequency, color="black", linewidth=1.0)
            met = [60.0 * frequency / (order * z_1) for order in MESH_ORDERS]
            _mark(axes, met, float(frequency), 60.0 * speed, "black")
            names["left"].append((float(frequency), f"pair, {100 * share[0]:.0f} % in the mesh"))
    drawn = [("black", "pair")]
    for gear, (name, z, colour) in enumerate(zip(("pinion", "wheel"), (z_1, z_2), COLOURS, strict=True)):
        shown = _draw_wheel(axes, dataset, gear, (z, z_1 / z, colour), (speed, top))
        drawn += [(colour, f"{name}, bore held")] * bool(shown)
        side = "left" if gear == 0 else "right"
        names[side] += [(frequency, f"{name} n = {n}") for frequency, n in shown]
    for side, entries in names.items():
        _name(axes, entries, top, side)
    case_speed = dataset.attrs.get("pinion_speed")
    if case_speed is not None:
        axes.axvline(float(case_speed) * 60.0 / (2.0 * np.pi), color="0.3", linewidth=0.8, linestyle=":")
    axes.set_xlim(0.0, 60.0 * speed)
    axes.set_ylim(0.0, 1e-3 * top)
    axes.set_xlabel("speed of the pinion [rpm]")
    axes.set_ylabel("frequency [kHz]" + (", of wheels as seen from the wheel" if len(drawn) > 1 else ""))
    axes.grid(True, color="0.93")
    for colour, label in drawn:
        axes.plot([], [], color=colour, label=label)
    label = "order meets mode" + (", wave with or against the wheel" if len(drawn) > 1 else "")
    axes.plot([], [], "o", color="0.4", markersize=4, label=label)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    return figure


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
        _mark(axes, met, frequency, 60.0 * speed, colour)
    return shown


def _mark(axes: Axes, met: list[float], frequency: float, end: float, colour: str) -> None:
    """Mark the speeds [rpm] at which a mode is met."""
    met = [speed for speed in met if speed <= end]
    axes.plot(met, [1e-3 * frequency] * len(met), "o", color=colour, markersize=4)


def _name(axes: Axes, entries: list[tuple[float, str]], top: float, side: str) -> None:
    """Name lines beside the diagram; those that lie close share a line of text."""
    groups: list[list[tuple[float, str]]] = []
    for entry in sorted(entries):
        if groups and entry[0] - groups[-1][0][0] < CLOSE * top:
            groups[-1].append(entry)
        else:
            groups.append([entry])
    for group in groups:
        words = list(dict.fromkeys(text for _, text in group))
        # the first in full, of the others what differs
        text = ", ".join([words[0], *(word.removeprefix(f"{words[0].split()[0]} ") for word in words[1:])])
        axes.annotate(
            text,
            (0.01 if side == "left" else 0.99, 1e-3 * group[-1][0]),
            xycoords=("axes fraction", "data"),
            fontsize=7,
            ha=side,
            va="bottom",
        )


def _ranges(dataset: xr.Dataset) -> tuple[float, float]:
    """Largest speed of the pinion [1/s] and largest frequency [Hz] of the diagram."""
    z_1 = int(dataset.attrs["teeth"][0])
    case_speed = dataset.attrs.get("pinion_speed")
    lowest = float(np.min(dataset["held_frequency"].values[:, 0]))
    pair = float(dataset["mesh_frequency"].values)
    if case_speed is not None:
        speed = BEYOND * float(case_speed) / (2.0 * np.pi)
        # orders reach so far; the modes of the pair are shown in any case
        return speed, max(MESH_ORDERS[-1] * z_1 * speed, 1.1 * pair)
    top = ABOVE * max(lowest, pair)
    return top / z_1, top
