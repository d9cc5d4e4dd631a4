"""Losses of a gear: loss torque, overall efficiency, what was identified from measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.loss_identification import IDENTIFIED, IdentifiedLosses
from alegear.drivetrain.loss_table import LossTable
from alegear.drivetrain.overall_efficiency import overall_efficiency
from alegear.pictures.colours import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = {
    "eta_mf1": "mesh efficiency, shaft A drives",
    "eta_mf2": "mesh efficiency, shaft B drives",
    "tau_bf1": "bearing torque, shaft A drives [N m]",
    "tau_bf2": "bearing torque, shaft B drives [N m]",
}
#: Speeds between which the lines of a table are drawn.
POINTS = 200


def draw_loss_torque(table: LossTable, *, speeds: ArrayLike, tau_A: ArrayLike) -> Figure:
    """Draw the loss torque in sliding over the torque on shaft A, forwards and backwards; a stuck gear is in between.

    Parameters
    ----------
    table : LossTable
        Without a position factor.
    speeds : shape (k,) [rad/s]
        Absolute values; 0 where sliding begins.
    tau_A : shape (n,) [N m]
        Rising.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 5.0), layout="constrained")
    axes = figure.subplots()
    torques = np.asarray(tau_A, dtype=np.float64)
    for number, speed in enumerate(np.abs(np.atleast_1d(speeds))):
        colour = COLOURS[number % len(COLOURS)]
        for direction, line in ((1, "-"), (-1, "--")):
            loss = table.loss_torque(direction * float(speed), torques, direction)
            way = "forwards" if direction > 0 else "backwards"
            axes.plot(torques, loss, line, color=colour, label=f"{speed:g} rad/s, {way}")
    axes.axhline(0.0, color="0.6", linewidth=0.8)
    axes.set(xlabel="torque on shaft A [N m]", ylabel="loss torque [N m]")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return figure


def draw_overall_efficiency(table: LossTable, *, ratio: float, speeds: ArrayLike, tau_B: ArrayLike) -> Figure:
    """Draw power out over power in over the load on shaft B, one curve a speed.

    Parameters
    ----------
    table : LossTable
        Without a position factor.
    ratio : float
        omega_A/omega_B.
    speeds : shape (k,) [rad/s]
        Of shaft A, not 0.
    tau_B : shape (n,) [N m]
        Rising, into the gear: by its sign shaft A or shaft B drives.

    Notes
    -----
    Source: Pelchen, Schweiger and Otter (2002), figure 6, for one direction of the power.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 5.0), layout="constrained")
    axes = figure.subplots()
    for number, speed in enumerate(np.atleast_1d(speeds)):
        efficiency = overall_efficiency(table, ratio=ratio, speed=float(speed), tau_B=tau_B)
        axes.plot(tau_B, 100.0 * efficiency, color=COLOURS[number % len(COLOURS)], label=f"{speed:g} rad/s")
    axes.set(xlabel="torque on shaft B, into the gear [N m]", ylabel="overall efficiency [%]", ylim=(0.0, 100.0))
    axes.grid(alpha=0.3)
    axes.legend(title="shaft A", fontsize="small")
    return figure


def draw_identified_losses(found: IdentifiedLosses, known: LossTable | None = None) -> Figure:
    """Draw estimates with their intervals over the speed, the table made of them, and the true one if it is known.

    Intervals that are not known, or without an end, are not drawn.

    Parameters
    ----------
    found : IdentifiedLosses
    known : LossTable or None
        Without a position factor.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 6.5), layout="constrained")
    tables = [(found.table, "table", COLOURS[0], "-"), *([(known, "true", "black", ":")] if known else [])]
    bounded = np.isfinite(found.lower) & np.isfinite(found.upper)
    below = np.where(bounded, found.estimates - found.lower, np.nan)
    above = np.where(bounded, found.upper - found.estimates, np.nan)
    speeds = np.linspace(0.0, found.speeds[-1], POINTS)
    for column, axes in enumerate(figure.subplots(2, 2, sharex=True).ravel()):
        for table, name, colour, line in tables:
            axes.plot(speeds, table.at(speeds)[column], line, color=colour, label=name)
        axes.errorbar(
            found.speeds,
            found.estimates[:, column],
            yerr=(below[:, column], above[:, column]),
            fmt="o",
            markersize=4,
            capsize=3,
            color=COLOURS[1],
            label=f"estimate, {100.0 * found.confidence:g} % interval",
        )
        axes.set_ylabel(LABELS[IDENTIFIED[column]])
        axes.grid(alpha=0.3)
        if column > 1:
            axes.set_xlabel("speed of shaft A [rad/s]")
    figure.axes[0].legend(fontsize="small")
    return figure
