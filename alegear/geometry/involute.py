"""The involute function and its inverse."""

from __future__ import annotations

from math import sqrt, tan


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
