"""Identification of a loss table from measured torques, with its confidence.

At one speed and in one direction of the power the torques on both shafts are on a line. The loads on shaft B are known,
the torques on shaft A are measured and scatter; so these are the response of the least squares, not the regressor:

    tau = (load + tau_bf)/eta = a + b load,         tau = s tau_A,  load = -s tau_B/i,  s = sign of omega_A      (1)
    shaft A drives:  b = 1/eta_mf1,  a/b = tau_bf1         shaft B drives:  b = eta_mf2,  a/b = tau_bf2

The other way round, load = eta tau - tau_bf, the noise of tau makes the slope too small, however many loads there are.
Intervals are those of normal noise with the degrees of freedom that the loads leave: of b by Student's t, of 1/b as the
inverse of it, of a/b by Fieller's theorem. They are exact, but for the weights of proportional noise, which are fitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.loss_table import Array, LossTable
from alegear.drivetrain.overall_efficiency import checked_ratio
from alegear.errors import Fault
from alegear.limits import array_of, check_kind, described
from alegear.short_repr import ShortRepr

#: What is identified, in the order of the columns of estimates and of a loss table.
IDENTIFIED = ("eta_mf1", "eta_mf2", "tau_bf1", "tau_bf2")
UNITS = ("", "", " N m", " N m")
#: Part of the largest load by which loads must differ, and by which an estimate may leave its range unseen: round-off.
ALIKE = 1e-9
#: By which an efficiency of exact torques may miss 1; it is then 1, for the switch of the loss torque hangs on that.
ROUND_OFF = 1e-12
#: Scatters by which the wrong line must miss a load; two lines through few loads differ by one or two by chance.
CLEARLY = 3.0
#: Fits by which proportional noise finds its weights: each has 1/100 of the error before it with noise of 1 %.
FITS = 4

Noise = Literal["constant", "proportional"]


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredTorques(ShortRepr):
    """Torques measured in one direction of the power flow.

    Parameters
    ----------
    tau_A : shape (k, m) [N m]
        Into the gear on shaft A, measured at k speeds under m loads, m at least 2.
    tau_B : shape (m,) or (k, m) [N m]
        Into the gear on shaft B: the loads, known so well that their errors do not count.

    Raises
    ------
    Fault
    """

    tau_A: ArrayLike
    tau_B: ArrayLike

    def __post_init__(self) -> None:
        tau_A, tau_B = (array_of(getattr(self, name), f"MeasuredTorques.{name}") for name in ("tau_A", "tau_B"))
        if tau_A.ndim != 2 or not len(tau_A):
            limit = "(number of speeds, number of loads)"
            raise Fault("shape of measured torques tau_A", tau_A.shape, limit, "give one row a speed")
        if tau_A.shape[1] < 2:
            limit = "at least 2: two unknowns a speed; 3 for an interval"
            raise Fault("number of loads", tau_A.shape[1], limit, "measure under more loads")
        if tau_B.shape not in (tau_A.shape, tau_A.shape[1:]):
            limit = f"{tau_A.shape[1:]} or {tau_A.shape}, as tau_A"
            raise Fault("shape of loads tau_B", tau_B.shape, limit, "give one load a measured torque")
        for name, values in (("tau_A", tau_A), ("tau_B", np.broadcast_to(tau_B, tau_A.shape))):
            if not np.isfinite(values).all():
                row, column = np.argwhere(~np.isfinite(values))[0]
                what = f"{name} [N m] at speed {row + 1}, load {column + 1}"
                raise Fault(what, float(values[row, column]), "a finite number", "measure it, or leave this load out")
            values.setflags(write=False)
            object.__setattr__(self, name, values)


@dataclass(frozen=True, kw_only=True, eq=False)
class IdentifiedLosses(ShortRepr):
    """A loss table from measurements, and how well it is known.

    Parameters
    ----------
    table : LossTable
        The least squares within the range of a loss table: efficiencies at most 1, bearing torques not negative. Where
        an estimate leaves it, the table has the limit, and the other quantity of the same line is fitted again with it.
    speeds : shape (k,) [rad/s]
        abs(omega_A), rising, as the rows of the table.
    estimates, standard_errors : shape (k, 4) [-, -, N m, N m]
        Of eta_mf1, eta_mf2, tau_bf1, tau_bf2, without regard to their range. Errors to first order (delta method);
        NaN with two loads.
    lower, upper : shape (k, 4) [-, -, N m, N m]
        Interval of confidence of each, by itself; NaN with two loads, infinite where the measurements give no bound.
    scatter : shape (k, 2)
        Standard deviation of the measured torques about their line while shaft A drives, and while B does [N m]; with
        proportional noise over the torque. NaN with two loads.
    degrees_of_freedom : tuple of int
        Of the residuals, a speed, in both directions.
    confidence : float
        Of the intervals.
    warnings : tuple of str
    """

    table: LossTable
    speeds: Array
    estimates: Array
    standard_errors: Array
    lower: Array
    upper: Array
    scatter: Array
    degrees_of_freedom: tuple[int, int]
    confidence: float
    warnings: tuple[str, ...]


class _Fitted(NamedTuple):
    """Measurements in one direction of the power, (k, m), and the lines (1) through them, (k,): forward rotation."""

    name: str
    torque: Array
    load: Array
    weights: Array
    a: Array
    b: Array
    variance: Array  # of a torque of weight 1
    unit: Array  # 1, or the torque of weight 1 where noise is proportional to it

    @property
    def free(self) -> int:
        return self.load.shape[1] - 2


def identify_losses(
    *,
    ratio: float,
    speeds: ArrayLike,
    driving: MeasuredTorques,
    driven: MeasuredTorques,
    noise: Noise = "constant",
    confidence: float = 0.95,
) -> IdentifiedLosses:
    """Identify a loss table by least squares, speed by speed.

    Parameters
    ----------
    ratio : float
        omega_A/omega_B.
    speeds : shape (k,) [rad/s]
        omega_A, all of one sign and each once. A speed of 0 is the beginning of motion, in the direction of the others;
        by itself in the positive one.
    driving, driven : MeasuredTorques
        While shaft A drives (omega_A tau_B/i <= 0), and while shaft B does.
    noise : "constant" or "proportional"
        Whether the standard deviation of tau_A is the same under all loads, as of a sensor whose error is a part of
        its range, or a part of the torque. Weights of the least squares are 1, or the inverse square of the fitted
        torque. Intervals hold what they promise for the kind of noise that is there. Of 95 %, with noise of 1 % and
        four to ten loads: "constant" for proportional noise holds the truth in 94 to 98 of 100 cases, "proportional"
        for constant noise in 79 to 94 only. If in doubt, keep "constant".
    confidence : float
        Of the intervals, between 0 and 1.

    Returns
    -------
    IdentifiedLosses

    Raises
    ------
    Fault

    Notes
    -----
    Source: Pelchen, Schweiger and Otter (2002), (17) to (19). Three things differ. Printed (17) has the factor i in its
    first column only and so gives i tau_bf; by (9), and by (19), it belongs to both. Measured torques are the response
    here, not the regressor (see above); for two loads both give the same. And the paper has no confidence. Fieller, J.
    Roy. Statist. Soc. B 16 (1954) 175: a/b lies where (a - theta b)^2 <= t^2 var(a - theta b).

    Examples
    --------
    >>> table = LossTable(rows=[[50.0, 0.95, 0.9, 0.5, 0.75]])
    >>> loads = np.array([[20.0, 40.0, 80.0]])
    >>> found = identify_losses(
    ...     ratio=2.0,
    ...     speeds=[50.0],
    ...     driving=MeasuredTorques(tau_A=table.driving_torque(50.0, loads), tau_B=-2.0 * loads),
    ...     driven=MeasuredTorques(tau_A=table.driving_torque(50.0, -loads), tau_B=2.0 * loads),
    ... )
    >>> found.table.values.round(12)
    array([[50.  ,  0.95,  0.9 ,  0.5 ,  0.75]])
    """
    ratio, (omega, sign) = checked_ratio(ratio), _checked_speeds(speeds)
    if noise not in ("constant", "proportional"):
        raise Fault("noise of measured torques", described(noise), '"constant" or "proportional"', "correct noise")
    check_kind(confidence, "confidence", (float, int))
    if not 0.0 < confidence < 1.0:
        raise Fault("confidence of the intervals", confidence, "greater than 0 and less than 1", "correct confidence")
    order = np.argsort(np.abs(omega))
    omega = np.abs(omega[order])
    directions = []
    for measured, name in ((driving, "driving"), (driven, "driven")):
        check_kind(measured, name, MeasuredTorques)
        tau_A, tau_B = np.asarray(measured.tau_A), np.asarray(measured.tau_B)
        if len(tau_A) != len(omega):
            limit = f"{len(omega)}, one a speed"
            raise Fault(f"rows of tau_A, {name}", len(tau_A), limit, "give torques at each speed")
        torque, load = sign * tau_A[order], -sign * tau_B[order] / ratio
        _check_loads(load, omega, name)
        directions.append(_fitted(torque, load, omega, name, noise))
    first, second = directions
    (b_1, theta_1), (b_2, theta_2) = (_with_intervals(one, confidence) for one in directions)
    columns = np.stack([_inverse(b_1), b_2, theta_1, theta_2])  # (quantities, values, k)
    estimates, errors, lower, upper = np.moveaxis(columns, (1, 2, 0), (0, 1, 2))
    (eta_1, tau_1), (eta_2, tau_2) = (_within_range(one) for one in directions)
    table = LossTable(rows=np.column_stack([omega, eta_1, eta_2, tau_1, tau_2]))
    few = [text for one in directions for text in _few_loads(one, confidence)]
    return IdentifiedLosses(
        table=table,
        speeds=omega,
        estimates=estimates,
        standard_errors=errors,
        lower=lower,
        upper=upper,
        scatter=np.column_stack([np.sqrt(one.variance) / one.unit for one in directions]),
        degrees_of_freedom=(first.free, second.free),
        confidence=float(confidence),
        warnings=(*few, *_out_of_range(estimates, table, directions), *_beyond_switch(table, directions)),
    )


# --------------------------------------------------------------- least squares
def _fitted(torque: Array, load: Array, omega: Array, name: str, noise: Noise) -> _Fitted:
    """Fit the lines (1) at all speeds."""
    weights, unit = np.ones_like(torque), np.ones(len(torque))
    a, b = _line(torque, load, weights)
    if noise == "proportional":
        size = np.abs(torque)
        for _ in range(FITS):
            unit = size.max(axis=1)
            if (size <= ALIKE * unit[:, None]).any():
                speed = omega[np.argmax((size <= ALIKE * unit[:, None]).any(axis=1))]
                limit = 'other than 0 with noise = "proportional", where it would be without error'
                raise Fault(f"a torque on shaft A [N m] at {speed:.6g} rad/s, {name}", 0, limit, "leave this load out")
            weights = (unit[:, None] / size) ** 2
            a, b = _line(torque, load, weights)
            size = np.abs(a[:, None] + b[:, None] * load)
    if (b <= 0.0).any():
        place = int(np.argmax(b <= 0.0))
        what = f"slope of tau_A over the load -tau_B/i at {omega[place]:.6g} rad/s, {name}"
        raise Fault(what, float(f"{b[place]:.6g}"), "greater than 0", "check the signs of tau_A, tau_B and ratio")
    squares = (weights * (torque - (a[:, None] + b[:, None] * load)) ** 2).sum(axis=1)
    free = torque.shape[1] - 2
    variance = squares / free if free else np.full_like(a, np.nan)
    return _Fitted(name, torque, load, weights, a, b, variance, unit)


def _line(torque: Array, load: Array, weights: Array) -> tuple[Array, Array]:
    """Weighted least squares about the means, which loses no digits where the loads lie close to each other."""
    total = weights.sum(axis=1, keepdims=True)
    mean_load, mean_torque = ((weights * values).sum(axis=1, keepdims=True) / total for values in (load, torque))
    away = weights * (load - mean_load)
    b = (away * (torque - mean_torque)).sum(axis=1) / (away * (load - mean_load)).sum(axis=1)
    return mean_torque[:, 0] - b * mean_load[:, 0], b


def _with_intervals(fitted: _Fitted, confidence: float) -> tuple[Array, Array]:
    """Value, standard error, lower and upper end of b and of theta = a/b, each of shape (4, k)."""
    from scipy.special import stdtrit  # here, because it takes long to import

    a, b, weights, load = fitted.a, fitted.b, fitted.weights, fitted.load
    total = weights.sum(axis=1)
    mean = (weights * load).sum(axis=1) / total
    v_bb = fitted.variance / (weights * (load - mean[:, None]) ** 2).sum(axis=1)
    v_ab, v_aa = -mean * v_bb, fitted.variance / total + mean**2 * v_bb
    t = float(stdtrit(fitted.free, 0.5 + 0.5 * confidence)) if fitted.free else np.nan
    error = np.sqrt(v_bb)
    theta = a / b
    # of theta + away: (b away)^2 <= t^2 var(a - (theta + away) b); where b might be 0, any theta might be
    here = np.maximum(v_aa - 2.0 * theta * v_ab + theta**2 * v_bb, 0.0)
    left, bent = b**2 - t**2 * v_bb, t**2 * (v_ab - theta * v_bb)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.where(left <= 0.0, np.inf, np.sqrt(bent**2 + left * t**2 * here) / left)
        middle = np.where(left <= 0.0, theta, theta - bent / left)
    of_b = np.stack([b, error, b - t * error, b + t * error])
    return of_b, np.stack([theta, np.sqrt(here) / b, middle - half, middle + half])


def _inverse(of: Array) -> Array:
    """Value, standard error and interval of 1/b from those of b > 0."""
    b, error, lower, upper = of
    with np.errstate(divide="ignore"):
        highest = np.where(lower <= 0.0, np.inf, 1.0 / lower)
    return np.stack([1.0 / b, error / b**2, 1.0 / upper, highest])


def _within_range(fitted: _Fitted) -> tuple[Array, Array]:
    """Efficiency and bearing torque by least squares in range: a >= 0, b >= 1 where A drives, b <= 1 where B does.

    What is convex has its minimum on the border where that of the whole plane lies outside: on a = 0 or on b = 1.
    """
    _, torque, load, weights, a, b, *_ = fitted
    drives = fitted.name == "driving"

    def cost(a: Array, b: Array) -> Array:
        squares: Array = (weights * (torque - a[:, None] - b[:, None] * load) ** 2).sum(axis=1)
        return squares

    def limited(b: Array) -> Array:
        return np.maximum(b, 1.0) if drives else np.minimum(b, 1.0)

    one = np.ones_like(b)
    shifted = np.maximum((weights * (torque - load)).sum(axis=1) / weights.sum(axis=1), 0.0)
    through = limited((weights * torque * load).sum(axis=1) / (weights * load**2).sum(axis=1))
    on_one = cost(shifted, one) <= cost(np.zeros_like(a), through)
    outside = (a < 0.0) | (limited(b) != b)
    a = np.where(outside, np.where(on_one, shifted, 0.0), a)
    b = np.where(outside, np.where(on_one, one, through), b)
    b = np.where(np.abs(b - 1.0) < ROUND_OFF, 1.0, b)
    return (1.0 / b if drives else b), a / b


# -------------------------------------------------------------------- warnings
def _few_loads(fitted: _Fitted, confidence: float) -> list[str]:
    if fitted.free:
        return []
    return [
        f"{fitted.name}: two loads leave no degree of freedom; standard errors and {100.0 * confidence:g} % intervals"
        " are not known (NaN); measure under three loads or more"
    ]


def _out_of_range(estimates: Array, table: LossTable, directions: Sequence[_Fitted]) -> list[str]:
    """Estimates that no loss table can have, by more than round-off."""
    found = []
    for row, column in np.ndindex(estimates.shape):
        value, speed = estimates[row, column], table.values[row, 0]
        if column < 2:
            passed, limit = value > 1.0 + ALIKE, "at most 1"
        else:
            passed, limit = value < -ALIKE * np.abs(directions[column - 2].torque[row]).max(), "not negative"
        if passed:
            found.append(
                f"{IDENTIFIED[column]} at {speed:.6g} rad/s: estimate {value:.6g}{UNITS[column]}, must be {limit};"
                f" the table has {table.values[row, column + 1]:.6g} and the other quantity fitted with it; look at the"
                " interval whether scatter explains it, else at the loads"
            )
    return found


def _beyond_switch(table: LossTable, directions: Sequence[_Fitted]) -> list[str]:
    """Loads under which the other line of the loss torque would hold, by more than the scatter."""
    found = []
    eta_1, eta_2, tau_1, tau_2 = (values[:, None] for values in table.values[:, 1:].T)
    rough = (eta_1 < 1.0) | (eta_2 < 1.0)  # else lines are parallel, and the power flow tells them apart
    for number, (name, torque, load, weights, _, _, variance, _) in enumerate(directions):
        lines = (load + tau_1) / eta_1, (load + tau_2) * eta_2
        above = lines[1 - number] - lines[number]
        slack = (
            CLEARLY * np.sqrt(np.nan_to_num(variance)[:, None] / weights) + ALIKE * np.abs(torque).max(axis=1)[:, None]
        )
        for row, column in np.argwhere(rough & (above > slack)):
            found.append(
                f"load {column + 1} at {table.values[row, 0]:.6g} rad/s, {name}: too small for its line, by the"
                f" identified table the other one is {above[row, column]:.3g} N m higher; leave this load out"
            )
    return found


# ---------------------------------------------------------------------- checks
def _checked_speeds(speeds: ArrayLike) -> tuple[Array, float]:
    """Speeds and their sign."""
    omega = array_of(speeds, "speeds")
    if omega.ndim != 1 or not len(omega):
        raise Fault("shape of speeds", omega.shape, "(k,), one a row of torques", "give speeds in a row")
    if not np.isfinite(omega).all():
        raise Fault("speed [rad/s]", float(omega[~np.isfinite(omega)][0]), "a finite number", "correct speeds")
    if omega.min() < 0.0 < omega.max():
        signs = f"{omega.min():.6g} to {omega.max():.6g}"
        raise Fault("speeds [rad/s]", signs, "of one sign", "identify each direction of rotation by itself")
    values, count = np.unique(omega, return_counts=True)
    if (count > 1).any():
        twice = float(values[count > 1][0])
        raise Fault("speed [rad/s]", twice, "given once", "put its loads into one row, or take the mean of its torques")
    return omega, -1.0 if omega.min() < 0.0 else 1.0


def _check_loads(load: Array, omega: Array, name: str) -> None:
    """Refuse loads of the other direction of the power flow, and those that are all the same."""
    wrong = load < 0.0 if name == "driving" else load >= 0.0
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        what = f"load -tau_B/i [N m] {column + 1} at {omega[row]:.6g} rad/s, {name}, in the direction of rotation"
        limit = "at least 0: shaft A drives" if name == "driving" else "less than 0: shaft B drives"
        remedy = "check the signs of tau_B and ratio, or leave this load out"
        raise Fault(what, float(f"{load[row, column]:.6g}"), limit, remedy)
    same = np.ptp(load, axis=1) <= ALIKE * np.abs(load).max(axis=1)
    if same.any():
        row = int(np.argmax(same))
        what = f"loads -tau_B/i [N m] at {omega[row]:.6g} rad/s, {name}"
        value = f"{load.shape[1]} of {load[row, 0]:.6g}"
        raise Fault(what, value, "at least two different ones", "measure under other loads, too")
