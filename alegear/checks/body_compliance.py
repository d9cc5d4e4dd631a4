r"""How far the body between bore and root circle gives way under a tooth: a ring that is held at its bore.

The ring of the radii r_i (held) and r_f (root circle) in plane stress, loaded at the foot of one tooth by what a unit
force along the line of action brings there: shear stresses that turn the gear, :math:`r_b/r_f` in all, radial ones,
:math:`\sin\alpha_t`, both constant over the foot, and linear ones of the moment :math:`r_b - r_f \cos\alpha_t`. Its
displacement is a Fourier series in the angle. For each harmonic the potentials of Kolosov and Muskhelishvili meet the
held bore and the loaded root circle,

.. math::

    2G(u_r + i u_\theta) = e^{-i\theta}\,(\kappa\varphi - z\overline{\varphi'} - \bar\psi),\qquad
    \sigma_r - i\tau_{r\theta} = \varphi' + \overline{\varphi'} - e^{2i\theta}(\bar z\varphi'' + \psi').

The work of the unit force on this displacement is the compliance. The harmonics 0 and 1 turn and shift the rim as a
whole, in common for all tooth pairs; the others deform it about the foot.

Source: N. I. Muskhelishvili, Some basic problems of the mathematical theory of elasticity, the circular ring; loads at
the foot as in P. Sainsot, P. Velex, O. Duverger, J. Mech. Des. 126 (2004) 748, whose fit to such a ring holds between
radii of ratio 1.4 to 7 only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array
from alegear.results.root_cycle import CRITICAL_TANGENT

if TYPE_CHECKING:
    from alegear.fe.material import Material
    from alegear.geometry.cylindrical_gear import CylindricalGear


WAVES = 8  # of the highest harmonic over the foot
FULL_DISC = 0.02  # bore over root circle of a disc that deforms about the foot of a tooth as one without a bore


@dataclass(frozen=True, kw_only=True)
class BodyCompliance:
    """Way along the line of action that the body of a gear gives way for a unit force.

    Parameters
    ----------
    rim : float [m/N]
        The rim turns and shifts about the bore as a whole.
    foot : float [m/N]
        The body deforms about the foot of the tooth.
    """

    rim: float
    foot: float


@dataclass(frozen=True, kw_only=True)
class _Ring:
    """A ring of outer radius 1 that is held at its inner radius; `kappa` is that of Kolosov.

    Stresses ``x e^(in theta) + conj(y) e^(-in theta)`` give displacements 2 G ``d e^(in theta) + conj(e) e^(-in
    theta)``: each method returns their work x e + y d.
    """

    inner: float
    kappa: float

    def shift(self, x: float, y: float) -> float:
        """Of the harmonic 1, which has a resultant force."""
        square, kappa = self.inner**2, self.kappa
        a = x / (1.0 + kappa)
        p = (0.5 * y - a * (1.0 - square)) / (1.0 + kappa * square**2)
        t = kappa * p * square**2 - a * square
        e = -kappa * a * math.log(square) - 2.0 * p * (1.0 - square)
        return x * e + y * (kappa * p - a - t)

    def deformation(self, n: Array, x: Array, y: Array) -> Array:
        """Of harmonics n > 1."""
        square, kappa = self.inner**2, self.kappa
        # constants of the inner terms, q and t, by those of the outer ones, p and s: what holds the bore
        small = self.inner ** (2.0 * n)
        q_p, q_s = (1.0 + n) * small / kappa, small / square / kappa
        t_p, t_s = kappa * small * square + (n - 1.0) * square * q_p, (n - 1.0) * square * q_s
        x_p, x_s = (1.0 - n) * (1.0 + n + q_p), (1.0 - n) * (1.0 + q_s)
        y_p, y_s = (n + 1.0) * (1.0 + t_p - (n - 1.0) * q_p), (n + 1.0) * (t_s - (n - 1.0) * q_s)
        det = x_p * y_s - x_s * y_p
        p, s = (x * y_s - y * x_s) / det, (y * x_p - x * y_p) / det
        q, t = q_p * p + q_s * s, t_p * p + t_s * s
        work: Array = x * (kappa * q - (n + 1.0) * p - s) + y * (kappa * p + (n - 1.0) * q - t)
        return work


def body_compliance(gear: CylindricalGear, material: Material, bore: float) -> BodyCompliance:
    """Return the compliance of the body of a gear with teeth outside under one of its teeth.

    Parameters
    ----------
    gear : CylindricalGear
    material : Material
    bore : float [m]
        Diameter that is held rigid; below the root diameter.
    """
    r_f, shear = gear.r_f, material.E / (2.0 * (1.0 + material.nu))
    ring = _Ring(inner=0.5 * bore / r_f, kappa=(3.0 - material.nu) / (1.0 + material.nu))
    half = critical_section(gear)[1] / r_f
    turning, radial = gear.r_b / r_f, -math.sin(gear.alpha_t)
    moment = turning - math.cos(gear.alpha_t)
    n = np.arange(1, max(3, math.ceil(WAVES * math.pi / half)), dtype=float)
    x = n * half
    constant = np.sinc(x / math.pi) / math.pi
    linear = -3.0 * moment / (math.pi * half) * (np.sin(x) / x**2 - np.cos(x) / x)
    # what turns: shear stresses even in theta, normal ones odd; what presses: normal ones even
    loads = [
        (0.5 * (linear + turning * constant), 0.5 * (linear - turning * constant)),
        (0.5 * radial * constant, 0.5 * radial * constant),
    ]
    rim = sum(ring.shift(float(up[0]), float(down[0])) for up, down in loads)
    rim += (turning / (2.0 * math.pi)) ** 2 * (1.0 / ring.inner**2 - 1.0)
    foot = sum(float(ring.deformation(n[1:], up[1:], down[1:]).sum()) for up, down in loads)
    unit = math.pi / (shear * gear.b)
    return BodyCompliance(rim=rim * unit, foot=foot * unit)


@lru_cache(maxsize=64)  # gears; the checks of a case ask some ten times for those of each
def critical_section(gear: CylindricalGear) -> tuple[float, float]:
    """Radius and half the width of a tooth where its root curve is inclined by 30 degrees to its centre line [m]."""
    profile = gear.tooth_profile
    s = np.linspace(profile.s_root, 0.0, 400)
    tangent = profile.tangents(s)
    steep = np.flatnonzero(np.arctan2(np.abs(tangent[:, 1]), tangent[:, 0]) <= CRITICAL_TANGENT)
    x, y = profile.points(np.array([s[steep[0] if steep.size else -1]]))[0]
    return float(x), float(abs(y))
