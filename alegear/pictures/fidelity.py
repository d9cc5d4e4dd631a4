"""One gear pair at several fidelities: its curves over a pitch, what is lost, and what each level costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from alegear.pictures.colours import COLOURS
from alegear.results.fidelity_result import FidelityComparison, FidelityLevel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Of the levels, by their number: thin lines are drawn over wide ones, so that none hides another.
WIDTHS = (7.0, 5.0, 3.0, 4.5, 1.2)


def draw_fidelities(comparison: FidelityComparison) -> Figure:
    """Draw transmission error, mesh stiffness and tooth load over a pitch; losses and cost of each level.

    What a level does not have is not drawn, and named beside it where there are bars.

    Parameters
    ----------
    comparison : FidelityComparison
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 9.0), layout="constrained")
    figure.suptitle(comparison.title)
    axes = figure.subplots(3, 2)
    phase = comparison.phase
    for number, level in enumerate(comparison.levels):
        width = WIDTHS[number % len(WIDTHS)]
        style: dict[str, Any] = {
            "color": COLOURS[number % len(COLOURS)],
            "linewidth": width,
            "zorder": 3.0 - 0.1 * width,
            "label": level.fidelity,
        }
        axes[0, 0].plot(phase, 1e6 * level.transmission_error, **style)
        if level.mesh_stiffness is not None:
            axes[0, 1].plot(phase, 1e-6 * level.mesh_stiffness, **style)
        if level.tooth_load is not None:
            for column, load in enumerate(level.tooth_load.T):
                axes[1, 0].plot(phase, 1e-3 * load, **{**style, "label": "" if column else level.fidelity})
    axes[0, 0].set_ylabel("transmission error [µm]")
    axes[0, 1].set_ylabel("mesh stiffness [N/µm]")
    axes[1, 0].set_ylabel("loads of the tooth pairs [kN]")
    for own in (axes[0, 0], axes[0, 1], axes[1, 0]):
        own.set_xlabel("phase of the wheel [pitches]")
        own.grid(alpha=0.3)
        if own.get_legend_handles_labels()[0]:
            own.legend(fontsize="small")
    _bars(axes[1, 1], comparison, "lost in sliding [%]", lambda level: level.loss, 100.0)
    _bars(axes[2, 0], comparison, "processor time\nfor a position [ms]", lambda level: level.per_position, 1e3)
    _bars(axes[2, 1], comparison, "processor time\nfor 1 ms of motion [ms]", lambda level: level.per_motion, 1.0)
    return figure


def _bars(
    axes: Axes,
    comparison: FidelityComparison,
    label: str,
    value: Callable[[FidelityLevel], float | None],
    factor: float,
) -> None:
    """Draw one bar a level, with its figure."""
    values = [value(level) for level in comparison.levels]
    heights = [0.0 if one is None else factor * one for one in values]
    colours = [COLOURS[number % len(COLOURS)] for number in range(len(values))]
    bars = axes.bar([level.fidelity for level in comparison.levels], heights, color=colours)
    shown = ["none" if one is None else f"{height:.3g}" for one, height in zip(values, heights, strict=True)]
    axes.bar_label(bars, shown)
    axes.set_ylabel(label)
    axes.margins(y=0.15)
    axes.grid(alpha=0.3, axis="y")
