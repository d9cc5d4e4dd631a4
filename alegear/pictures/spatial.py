"""Plots of a machine with bodies in space: positions and rotations, contact forces, reactions of joints, energy."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.pictures.colours import COLOURS
from alegear.pictures.of_results.power_flow import in_units, shortened
from alegear.pictures.rotational import LETTERS, MOST, WIDTH, merged
from alegear.pictures.scales import show_constants_flat

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
STYLES = ("-", "--", ":", "-.")
#: Units of lengths, the largest first.
LENGTHS = ((1.0, "m"), (1e3, "mm"), (1e6, "µm"), (1e9, "nm"))
#: Curves whose values are this part of the largest are zero: round-off of joints that bear nothing there.
NOTHING = 1e-9
#: Lines of the legend for their names.
LINES = 4
#: Widths of the first and of the last curve: where they agree the first is seen on both sides of the others.
WIDEST, THINNEST = 2.6, 1.1


def draw_motion(dataset: xr.Dataset) -> Figure:
    """Draw how far bodies have moved from where they began, and turned: whole turns included."""
    position, turned = dataset["position"].to_numpy(), dataset["rotation_vector"].to_numpy()
    moved = np.linalg.norm(position - position[:1], axis=-1)
    figure, (above, below) = _figure(dataset, 2)
    names = dataset["body"].to_numpy().tolist()
    factor, unit = _length_unit(float(moved.max(initial=0.0)))
    _curves(above, dataset, factor * moved, names)
    _curves(below, dataset, np.degrees(angles_turned(turned)), names)
    above.set_ylabel(f"displacement [{unit}]")
    below.set(ylabel="angle turned [°]", xlabel="time [s]")
    return figure


def _length_unit(largest: float) -> tuple[float, str]:
    """Factor on metres and name of the unit in which a length has one to three digits before the point."""
    return next(
        ((factor, unit) for factor, unit in LENGTHS if factor * largest >= 1.0), LENGTHS[0 if not largest else -1]
    )


def angles_turned(vectors: Floats) -> Floats:
    """Angles [rad] by which bodies have turned, sample by sample added up, from rotation vectors (m, n, 3)."""
    from alegear.dynamics.rotation import composed

    found = np.zeros(vectors.shape[:2])
    for body in range(vectors.shape[1]):
        steps = [
            float(np.linalg.norm(composed(-before, after)))
            for before, after in zip(vectors[:-1, body], vectors[1:, body], strict=True)
        ]
        found[1:, body] = np.cumsum(steps)
    return found


def draw_contact_forces(dataset: xr.Dataset) -> Figure:
    """Draw the forces normal to the flanks, by magnitude, and the rolls of contact."""
    figure, (above, below) = _figure(dataset, 2)
    names = [str(name) for name in dataset["mesh"].to_numpy()]
    _curves(above, dataset, np.abs(dataset["normal_force"].to_numpy()), names)
    rolls = dataset["roll"].to_numpy()
    both = [f"{name}, {side}" for name in names for side in ("first", "second")]
    _curves(below, dataset, rolls.reshape(len(rolls), -1), both)
    above.set_ylabel("normal force [N]")
    below.set(ylabel="roll [rad], of racks [m]", xlabel="time [s]")
    return figure


def draw_reactions(dataset: xr.Dataset) -> Figure:
    """Draw the forces and torques of joints, of bushings and springs, by magnitude."""
    force, torque = ([np.linalg.norm(dataset[f"reaction_{what}"].to_numpy(), axis=-1)] for what in ("force", "torque"))
    names = [str(name) for name in dataset["joint"].to_numpy()]
    force.append(np.linalg.norm(dataset["bushing_force"].to_numpy(), axis=-1))
    torque.append(np.linalg.norm(dataset["bushing_torque"].to_numpy(), axis=-1))
    names += [str(name) for name in dataset["bushing"].to_numpy()]
    springs = [str(name) for name in dataset["point_spring"].to_numpy()]
    figure, (above, below) = _figure(dataset, 2)
    _curves(above, dataset, np.hstack([*force, np.abs(dataset["spring_force"].to_numpy())]), [*names, *springs])
    _curves(below, dataset, np.hstack(torque), names)
    above.set_ylabel("force [N]")
    below.set(ylabel="torque [N m]", xlabel="time [s]")
    return figure


def draw_spatial_energy(dataset: xr.Dataset) -> Figure:
    """Draw the account of energy since the start; below what is missing in it."""
    figure, (above, below) = _figure(dataset, 2)
    told = {"input": "put in", "dissipated": "lost", "kinetic": "change of kinetic",
            "stored": "change of stored"}  # fmt: skip
    curves = []
    for name in told:
        values = dataset[f"energy_{name}"].to_numpy()
        curves.append(values - values[0])
    _curves(above, dataset, np.column_stack(curves), list(told.values()))
    missing = dataset["energy_missing"].to_numpy()
    below.plot(dataset["time"].to_numpy(), missing, color="0.35", lw=1.2)
    below.set(ylabel="missing in\nthe balance [J]", xlabel="time [s]")
    below.set_title(f"missing: {in_units(float(np.abs(missing).max()), 'J')} at most", fontsize=8.5, loc="left")
    above.set_ylabel("energy since the\nbeginning [J]")
    return figure


def _figure(dataset: xr.Dataset, rows: int) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 5.4), layout="constrained")
    all_axes = list(figure.subplots(rows, 1, sharex=True))
    time = dataset["time"].to_numpy()
    for axes in all_axes:
        axes.grid(alpha=0.3)
        axes.set_xlim(float(time[0]), float(time[-1]) if time[-1] > time[0] else float(time[0]) + 1.0)
    all_axes[0].set_title(
        shortened(str(dataset.attrs.get("title", "")), 90), fontsize="medium", loc="left", parse_math=False
    )
    return figure, all_axes


def _curves(axes: Axes, dataset: xr.Dataset, values: Floats, names: list[str]) -> None:
    """Draw the largest in colours with names, the others in grey; of those that are zero the names alone.

    Curves that fall on each other are one, with the names of all.
    """
    time = dataset["time"].to_numpy()
    most = np.abs(values).max(axis=0, initial=0.0)
    zero = most <= NOTHING * most.max(initial=0.0)
    still = [str(name) for name, none in zip(names, zero, strict=True) if none]
    there_is = bool(names)
    values, names = merged(values[:, ~zero], [str(name) for name, none in zip(names, zero, strict=True) if not none])
    most = np.abs(values).max(axis=0, initial=0.0)
    order = np.argsort(-most, kind="stable").tolist()
    for i in order[MOST:]:
        axes.plot(time, values[:, i], color="0.75", lw=0.8)
    shown = sorted(order[:MOST])
    for number, i in enumerate(shown):
        style, colour = STYLES[number // len(COLOURS) % len(STYLES)], COLOURS[number % len(COLOURS)]
        width = WIDEST + (THINNEST - WIDEST) * number / max(len(shown) - 1, 1) if len(shown) > 1 else THINNEST
        axes.plot(time, values[:, i], style, color=colour, lw=width, label=_wrapped(names[i]))
    if still:
        axes.plot([], [], " ", label=_wrapped("zero: " + ", ".join(still)))
    show_constants_flat(axes)
    if not there_is:
        axes.text(0.5, 0.5, "there is none", transform=axes.transAxes, ha="center", va="center")
        return
    legend = axes.legend(fontsize=8.0, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _wrapped(names: str) -> str:
    """Names in lines that the legend has room for."""
    return "\n".join(textwrap.wrap(names, LETTERS, max_lines=LINES, placeholder=" ..."))
