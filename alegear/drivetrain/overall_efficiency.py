"""Overall efficiency of a gear with losses, as catalogues give it: power out over power in, at a load."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.loss_table import Array, LossTable
from alegear.errors import Fault
from alegear.limits import array_of, check_kind


def overall_efficiency(
    table: LossTable, *, ratio: float, speed: float, tau_B: ArrayLike, angle: float | None = None
) -> Array:
    """Find power out over power in, whichever shaft drives.

    ::

        load = -tau_B/ratio,    P_A = speed tau_A(load),    P_B = -speed load
        -P_B/P_A    where P_B < 0: shaft A drives
        -P_A/P_B    where P_A < 0: shaft B drives
        0           where power comes in on one shaft or both, and none comes out
        nan         where no power flows at all: without load and losses

    Where both shafts take power in, the load is too small to turn the gear against its losses, and shaft A must help.

    Parameters
    ----------
    table : LossTable
    ratio : float
        omega_A/omega_B, negative where the shafts turn against each other.
    speed : float [rad/s]
        Of shaft A, not 0.
    tau_B : float or shape (n,) [N m]
        Into the gear on shaft B. Shaft A drives where speed/ratio tau_B < 0.
    angle : float or None [rad]
        Of shaft A; with a position factor.

    Returns
    -------
    shape of tau_B
        From 0 to 1.

    Raises
    ------
    Fault
        For a ratio or speed of 0, and torques that are not finite.

    Notes
    -----
    Source: Pelchen, Schweiger and Otter (2002), figure 6, for a shaft A that drives. The curves are hyperbolas there,
    eta_1 load/(load + tau_1): they tend to the mesh efficiency for large loads, to 0 for small ones.

    Examples
    --------
    >>> table = LossTable(rows=[[0.0, 0.96, 0.96, 2.0, 2.0]])
    >>> overall_efficiency(table, ratio=2.0, speed=10.0, tau_B=[-4.0, -12.0, -1e9]).round(6)
    array([0.48, 0.72, 0.96])
    """
    check_kind(table, "table", LossTable)
    ratio = checked_ratio(ratio)
    torques = array_of(tau_B, "tau_B")
    if not np.isfinite(torques).all():
        raise Fault("torque on shaft B [N m]", float(torques[~np.isfinite(torques)][0]), "finite", "correct tau_B")
    load = -torques / ratio
    tau_A = np.asarray(table.driving_torque(speed, load, angle=angle))
    power_A, power_B = np.sign(speed) * tau_A, -np.sign(speed) * load
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # the quotients that are not taken
        efficiency = np.where(power_B < 0.0, load / tau_A, np.where(power_A < 0.0, tau_A / load, 0.0))
    return np.where((power_A == 0.0) & (power_B == 0.0), np.nan, efficiency)


def checked_ratio(ratio: float) -> float:
    """A gear ratio that is a finite number and not 0."""
    check_kind(ratio, "gear ratio", (float, int, np.number))
    if not math.isfinite(ratio) or ratio == 0.0:
        raise Fault("gear ratio", ratio, "a finite number other than 0", "give omega_A/omega_B as ratio")
    return float(ratio)
