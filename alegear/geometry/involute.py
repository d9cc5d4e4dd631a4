"""The involute function and its inverse, the transverse pressure angle, rounds between involute and tip circle."""

from __future__ import annotations

from math import atan, atan2, cos, sqrt, tan


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
