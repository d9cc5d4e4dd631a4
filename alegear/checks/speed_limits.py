"""What a dynamic case asks of speed and time step, against what the gears bear and what a contact takes."""

from __future__ import annotations

import math

from alegear.fe.material import Material

STEPS_PER_PERIOD = 10  # of the mode in the mesh; with fewer its frequency comes out more than 3 % too low

#: Tolerance of a step up to which vibration of teeth is within 4 % of that at a hundredth of it, in the examples.
FOR_VIBRATION = 1e-4


def period_warnings(time_step: float | None, natural_frequency: float) -> list[str]:
    """Warn of a fixed step [s] that is long against the period of the mode in the mesh, of a frequency [rad/s].

    The trapezoidal rule turns omega into 2 atan(omega h/2)/h, the other methods by about as much.
    """
    period = 2.0 * math.pi / natural_frequency
    if time_step is None or time_step <= period / STEPS_PER_PERIOD:
        return []
    x = natural_frequency * time_step
    low = 100.0 * (1.0 - 2.0 * math.atan(0.5 * x) / x)
    return [
        f"time_step_s = {time_step:.3g}: the period of the mode in the mesh is {period:.3g} s; its frequency comes out "
        f"{low:.2g} % too low: use at most {period / STEPS_PER_PERIOD:.2g} s, or give a tolerance instead"
    ]


def tolerance_warnings(tolerance: float) -> list[str]:
    """Warn of adaptive steps that leave the vibration of teeth in line contact, whose force follows microns, unsure."""
    if tolerance <= FOR_VIBRATION:
        return []
    return [
        f"tolerance = {tolerance:.3g}: mean forces of teeth are right, their vibration may be off by more than 5 % of"
        f" its r.m.s.: use at most {FOR_VIBRATION:g}, and a tenth of that near a resonance that little damps"
    ]


def parted_step_warnings(time_step: float | None, attempts: int) -> list[str]:
    """Warn of a fixed step [s] that Newton's iteration did not solve in so many attempts, and took in parts."""
    if time_step is None or not attempts:
        return []
    return [
        f"time_step_s = {time_step:.3g}: {attempts} attempted steps did not converge and were taken in parts: forces "
        "change too much within a step (friction that turns round, contact that closes): shorten it where that matters"
    ]


def hoop_stress_at_bore(material: Material, speed: float, bore_radius: float, outer_radius: float) -> float:
    r"""Largest stress in a rotating disc with a free bore [Pa], in the direction of the circumference at the bore.

    .. math:: \sigma = \frac{\rho \omega^2}{4} [(3 + \nu) r_a^2 + (1 - \nu) r_i^2]

    Parameters
    ----------
    material : Material
    speed : float [rad/s]
    bore_radius, outer_radius : float [m]

    References
    ----------
    Timoshenko & Goodier, Theory of Elasticity, 3rd ed. (1970), section 32: rotating disks, of uniform thickness under
    plane stress.
    """
    squares = (3.0 + material.nu) * outer_radius**2 + (1.0 - material.nu) * bore_radius**2
    return 0.25 * material.rho * speed**2 * squares
