"""The involute function and what follows from it: pressure angles, tip rounds, centre distances, shifts, backlash."""

from __future__ import annotations

from math import acos, atan, atan2, cos, inf, radians, sqrt, tan

from alegear.errors import Fault


def inv(alpha: float) -> float:
    """Return the involute function tan alpha - alpha."""
    return tan(alpha) - alpha


def involute_angle(inv_alpha: float) -> float:
    """Return the angle [rad] whose involute function is given, 0 < inv alpha; to round-off.

    Newton on tan alpha - alpha, whose derivative is tan^2 alpha, from the two terms of its series.
    """
    alpha = (3.0 * inv_alpha) ** (1.0 / 3.0)
    alpha = min(alpha / (1.0 + 2.0 * alpha**2 / 15.0), 1.5)
    for _ in range(50):
        step = (inv(alpha) - inv_alpha) / tan(alpha) ** 2
        alpha -= step
        if abs(step) < 1e-16 * max(alpha, sqrt(inv_alpha)):
            break
    return alpha


def transverse_pressure_angle(alpha_n: float, beta: float) -> float:
    """Return alpha_t [rad] at the reference circle: ``tan alpha_t = tan alpha_n/cos beta``."""
    return atan2(tan(alpha_n), cos(beta))


def round_angle(rho: float, *, r: float, r_b: float, psi_b: float) -> float:
    """Return the angle from the middle of a tooth to the centre of a round at its tip [rad].

    The round touches the involute from inside and the tip circle, so that its centre lies on an involute shifted
    inwards by its radius: ``psi_b - (rho + xi)/r_b + atan(xi/r_b)``, ``xi^2 = (r - rho)^2 - r_b^2``.

    Parameters
    ----------
    rho : float [m]
        Radius of the round.
    r, r_b : float [m]
        Tip and base radius, without sign.
    psi_b : float [rad]
        Half tooth angle at the base circle.
    """
    xi = sqrt(max((r - rho) ** 2 - r_b**2, 0.0))
    return psi_b - (rho + xi) / r_b + atan(xi / r_b)


def full_round(*, r: float, r_b: float, psi_b: float) -> float:
    """Return the radius of the round that leaves nothing of the tip circle [m], by bisection of :func:`round_angle`."""
    low, high = 0.0, r - r_b
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if round_angle(middle, r=r, r_b=r_b, psi_b=psi_b) >= 0.0 else (low, middle)
    return low


# ------------------------------------------------------------------ of two gears in mesh, by ISO 21771
def profile_shift_sum(
    *, z: tuple[int, int], m_n: float, a_w: float, alpha_n: float = radians(20.0), beta: float = 0.0
) -> float:
    """Return the sum of profile shifts that a centre distance needs without backlash.

    ``x_1 + x_2 = (z_1 + z_2) (inv alpha_wt - inv alpha_t)/(2 tan alpha_n)``, ``cos alpha_wt = (r_b1 + r_b2)/a_w``.

    Parameters
    ----------
    z : (int, int)
        Numbers of teeth, that of a ring negative.
    m_n, a_w : float [m]
        Normal module and centre distance, of an internal pair by magnitude.
    alpha_n, beta : float [rad]
        Normal pressure angle and helix angle.

    Raises
    ------
    Fault
        For a centre distance at which the base circles meet.

    Notes
    -----
    Thickness allowances are left out: they make the backlash. Source: ISO 21771:2007.

    Examples
    --------
    >>> from math import radians
    >>> alpha_n, beta = radians(18.0), radians(27.0)
    >>> sum_x = profile_shift_sum(z=(23, 81), m_n=1.9e-3, a_w=112e-3, alpha_n=alpha_n, beta=beta)
    >>> round(sum_x, 6)
    0.60782
    """
    base = base_distance(z=z, m_n=m_n, alpha_n=alpha_n, beta=beta)
    if not abs(a_w) > base:
        limit = f"above {1e3 * base:.4f}, where the base circles meet"
        raise Fault("centre distance [mm]", round(1e3 * abs(a_w), 6), limit, "correct center_distance_mm")
    return sum(z) * (inv(acos(base / abs(a_w))) - inv(transverse_pressure_angle(alpha_n, beta))) / (2.0 * tan(alpha_n))


def base_distance(*, z: tuple[int, int], m_n: float, alpha_n: float, beta: float) -> float:
    """Return the centre distance by magnitude at which base circles meet [m]: ``m_t |z_1 + z_2| cos alpha_t/2``."""
    return 0.5 * abs(sum(z)) * m_n / cos(beta) * cos(transverse_pressure_angle(alpha_n, beta))


def inv_working_angle(*, z: tuple[int, int], x: float, alpha_n: float, beta: float) -> float:
    """Return inv alpha_wt without backlash for a sum x of profile shifts; not above 0 where base circles meet.

    ``inv alpha_wt = inv alpha_t + 2 tan alpha_n (x_1 + x_2)/(z_1 + z_2)``, the teeth of a ring negative.
    """
    return inv(transverse_pressure_angle(alpha_n, beta)) + 2.0 * tan(alpha_n) * x / sum(z)


def working_distance(*, z: tuple[int, int], m_n: float, x: float, alpha_n: float, beta: float) -> float:
    """Return the centre distance by magnitude that a sum of profile shifts has without backlash [m].

    ``a_w = (r_b1 + r_b2)/cos alpha_wt``.

    Raises
    ------
    Fault
        For profile shifts with which base circles meet.
    """
    inv_alpha_wt = inv_working_angle(z=z, x=x, alpha_n=alpha_n, beta=beta)
    if inv_alpha_wt <= 0.0:
        bound = -inv(transverse_pressure_angle(alpha_n, beta)) * sum(z) / (2.0 * tan(alpha_n))
        word = "above" if sum(z) > 0 else "below"
        raise Fault(
            "sum of profile shifts",
            round(x, 6),
            f"{word} {bound:.4f}, where the base circles meet",
            f"{'increase' if sum(z) > 0 else 'reduce'} the profile shift of one gear",
        )
    return base_distance(z=z, m_n=m_n, alpha_n=alpha_n, beta=beta) / cos(involute_angle(inv_alpha_wt))


def backlash_at(a_w: float, *, z: tuple[int, int], m_n: float, x: float, alpha_n: float, beta: float) -> float:
    """Return the circumferential backlash at the working circles of gears without allowances [m].

    ``j_wt = +-2 a_w (inv alpha_wt(a_w) - inv alpha_wt(x_1 + x_2))``, - of an internal pair; minus infinity where base
    circles meet.

    Parameters
    ----------
    a_w : float [m]
        Working centre distance by magnitude.
    z : (int, int)
        Numbers of teeth, that of a ring negative.
    m_n : float [m]
    x : float
        Sum of the profile shifts.
    alpha_n, beta : float [rad]
    """
    base = base_distance(z=z, m_n=m_n, alpha_n=alpha_n, beta=beta)
    if a_w <= base:
        return -inf
    sign = 1.0 if sum(z) > 0 else -1.0
    return sign * 2.0 * a_w * (inv(acos(base / a_w)) - inv_working_angle(z=z, x=x, alpha_n=alpha_n, beta=beta))
