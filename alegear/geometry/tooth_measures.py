"""What is measured over teeth: base tangent length, and the dimension over or between two balls."""

from __future__ import annotations

from math import cos, hypot, pi, sqrt

from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.involute import involute_angle
from alegear.limits import Limits

SPAN = Limits(quantity="teeth or spaces spanned", key="k", least=1, most=10_000, whole=True)
USUAL_BALL = {1.0: 1.728, -1.0: 1.68}  # modules, of external and internal gears, as measuring pins are usually made
BALL = Limits(quantity="ball diameter", key="D_M", unit="mm", least=1e-3, most=1e4)


def base_tangent_length(gear: CylindricalGear, k: int) -> float:
    """Return the base tangent length over k teeth, of a ring over k spaces [m].

    ``W_k = p_bn (k - 1) + s_bn`` over teeth, ``p_bn k - s_bn`` over spaces, with ``s_bn = 2 r_b psi_b cos beta_b``,
    ``psi_b = s_t/d + inv alpha_t`` and the normal base pitch ``p_bn = p_bt cos beta_b``.

    Parameters
    ----------
    gear : Gear or InternalGear
    k : int

    Raises
    ------
    Fault
        For a helical ring, in which no straight line stands on both flanks, for points of contact off the involute,
        and for faces too narrow for a helical gear.

    Notes
    -----
    Source: ISO 21771:2007, 6.4 (tooth span). Thickness allowances count.

    Examples
    --------
    >>> from alegear.geometry import Gear
    >>> round(1e3 * base_tangent_length(Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35e-3), 3), 4)
    30.6418
    """
    SPAN.check(k, "base_tangent_length, k")
    if gear.internal and gear.beta:
        raise Fault("base tangent of a helical ring", "asked for", "left out: there is none", "measure between balls")
    p_bn = gear.p_bt * cos(gear.beta_b)
    s_bn = 2.0 * gear.r_b * gear.tooth_profile.psi_b * cos(gear.beta_b)
    W = p_bn * k - s_bn if gear.internal else p_bn * (k - 1) + s_bn
    # it touches both flanks at half its length, turned into the transverse section
    xi, profile = 0.5 * W * cos(gear.beta_b), gear.tooth_profile
    low, high = sorted(abs(one) for one in (profile.roll_length_form, profile.roll_length_tip))
    if not low <= xi <= high:
        raise Fault(
            f"diameter at which the base tangent over {k} {'spaces' if gear.internal else 'teeth'} touches [mm]",
            round(2e3 * hypot(gear.r_b, xi), 4),
            f"from {2e3 * hypot(gear.r_b, low):.4f} to {2e3 * hypot(gear.r_b, high):.4f}, on the involute",
            "correct k",
        )
    if abs(W * gear.twist * gear.r_b) * cos(gear.beta_b) > gear.b:
        raise Fault("face width [mm]", 1e3 * gear.b, f"at least that of the base tangent over {k} teeth", "reduce k")
    return W


def dimension_over_balls(gear: CylindricalGear, D_M: float) -> float:
    """Return the dimension over two balls in opposite spaces, of a ring between them [m].

    ``inv alpha_K = psi_b - pi/z + D_M/(2 r_b cos beta_b)``, ``r_K = r_b/cos alpha_K``; ``2 r_K + D_M`` with the signs
    of ISO 21771, for an odd number of teeth ``2 r_K cos(pi/(2 z)) + D_M``. The result is positive.

    Parameters
    ----------
    gear : Gear or InternalGear
    D_M : float [m]
        Diameter of the balls.

    Raises
    ------
    Fault
        For balls that do not touch involutes.

    Notes
    -----
    Source: ISO 21771:2007, 6.5 (dimension over balls). Thickness allowances count. Both balls of an odd gear are half
    a pitch off the diameter.

    Examples
    --------
    >>> from alegear.geometry import Gear
    >>> round(1e3 * dimension_over_balls(Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35e-3), 7e-3), 4)
    89.8586
    """
    BALL.check(D_M, "dimension_over_balls, D_M")
    inv_K = gear.tooth_profile.psi_b - pi / gear.z + 0.5 * D_M / (gear.r_b * cos(gear.beta_b))
    profile = gear.tooth_profile
    r_K = gear.r_b / cos(involute_angle(inv_K)) if inv_K > 0.0 else gear.r_b
    # along the line of action, from the centre half a ball towards the root, with the signs of either gear
    xi = gear.sign * sqrt(max(r_K**2 - gear.r_b**2, 0.0)) - 0.5 * D_M * cos(gear.beta_b)
    if inv_K <= 0.0 or not profile.roll_length_form <= xi <= profile.roll_length_tip:
        form, tip = (abs(one) for one in (gear.d_Ff, gear.d_a))
        raise Fault(
            "ball diameter [mm]",
            round(1e3 * D_M, 6),
            f"such that the ball touches the involutes, between diameters {1e3 * form:.4f} and {1e3 * tip:.4f}"
            f" (it does at {2e3 * hypot(gear.r_b, xi):.4f})",
            "take a ball of about 1.7 modules",
        )
    return abs(2.0 * r_K * (cos(0.5 * pi / gear.z) if gear.z % 2 else 1.0) + D_M)


def usual_span(gear: CylindricalGear) -> int | None:
    """Return over how many teeth (of a ring spaces) a base tangent touches nearest to the middle of the flank.

    None where :func:`base_tangent_length` has none.
    """
    profile = gear.tooth_profile
    W = abs(profile.roll_length_form + profile.roll_length_tip) / cos(gear.beta_b)
    p_bn = gear.p_bt * cos(gear.beta_b)
    s_bn = 2.0 * gear.r_b * gear.tooth_profile.psi_b * cos(gear.beta_b)
    k = max(round((W + s_bn) / p_bn if gear.internal else (W - s_bn) / p_bn + 1.0), 1)
    try:
        base_tangent_length(gear, k)
    except Fault:
        return None
    return k


def usual_ball(gear: CylindricalGear) -> float | None:
    """Return the diameter of balls that are usual for a gear [m].

    1.728 modules, of a ring 1.68; None where these do not touch the involutes.
    """
    D_M = USUAL_BALL[gear.sign] * gear.m_n
    try:
        dimension_over_balls(gear, D_M)
    except Fault:
        return None
    return D_M
