"""Ten meshes for the tests of the planar contact: external and internal, shifted, one-sided."""

from __future__ import annotations

from math import cos, pi, radians, sin, sqrt

import numpy as np
from scipy.integrate import quad

from alegear.drivetrain.planar import (
    CoulombFriction,
    Din3990Friction,
    Iso6336Spring,
    LinearSpring,
    MeshAverages,
    NiemannWinterSpring,
    PeriodicFactor,
    TabulatedEfficiency,
)
from alegear.geometry import Gear, GearPair

#: r_A, r_B, r_aA, r_aB [mm], alpha [deg]; radii of rings are negative.
RADII = {
    "table 3 of the paper": (10.0, 30.0, 11.0, 31.0, 20.0),
    "equal gears": (40.0, 40.0, 44.0, 44.0, 20.0),
    "large pressure angle": (25.0, 60.0, 28.0, 62.5, 28.0),
    "small pressure angle": (60.0, 90.0, 63.0, 92.0, 14.5),
    "speed up": (90.0, 30.0, 92.0, 33.0, 22.5),
    "recess only": (20.0, 40.0, 24.0, 39.8, 20.0),
    "approach only": (40.0, 30.0, 39.7, 33.0, 24.0),
    "ring as gear B": (25.0, -60.0, 27.0, -58.5, 20.0),
    "ring as gear A": (-80.0, 30.0, -78.0, 32.5, 25.0),
    "ring, recess only": (15.0, -60.0, 18.0, -60.2, 20.0),
}


def mesh_named(name: str) -> MeshAverages:
    r_A, r_B, r_aA, r_aB, alpha = RADII[name]
    r_A, r_B, r_aA, r_aB = (1e-3 * r for r in (r_A, r_B, r_aA, r_aB))
    return MeshAverages.from_radii(r_A=r_A, r_B=r_B, r_aA=r_aA, r_aB=r_aB, alpha=radians(alpha))


def shifted_pair() -> GearPair:
    """Profile-shifted 18/31, at a distance with backlash."""
    pinion = Gear(z=18, m_n=3e-3, x=0.4, b=20e-3, bore_diameter=20e-3)
    wheel = Gear(z=31, m_n=3e-3, x=0.1, b=20e-3, bore_diameter=40e-3)
    free = GearPair(pinion=pinion, wheel=wheel)
    return GearPair(pinion=pinion, wheel=wheel, a_w=free.a_w + 50e-6)


class Tooth:
    """One contact on the line of action, from geometry in the plane alone: points, velocities and cross products.

    Nothing of the package is used. The path is where the line of action meets both tip circles, found as points.
    """

    def __init__(self, name: str, side: float, phi_gear: float) -> None:
        r_A, r_B, r_aA, r_aB, alpha = RADII[name]
        r_A, r_B, r_aA, r_aB, alpha = 1e-3 * r_A, 1e-3 * r_B, 1e-3 * r_aA, 1e-3 * r_aB, radians(alpha)
        e = np.array([cos(phi_gear), sin(phi_gear)])
        t = np.array([-e[1], e[0]])
        self.n = side * cos(alpha) * t + sin(alpha) * e
        self.m = np.array([-self.n[1], self.n[0]])
        self.centres = np.zeros(2), (r_A + r_B) * e
        self.pitch_point = r_A * e
        self.ends = self._meets(1, abs(r_aB), r_B < 0.0), self._meets(0, abs(r_aA), r_A > 0.0)

    def _meets(self, gear: int, radius: float, far: bool) -> float:
        """Place y on the line where it meets a circle about a centre: of both the one beside the pitch point."""
        away = self.pitch_point - self.centres[gear]
        half, rest = float(away @ self.n), float(away @ away) - radius**2
        root = sqrt(half**2 - rest)
        return -half + root if far else -half - root

    def arms(self, y: float) -> tuple[np.ndarray, np.ndarray]:
        point = self.pitch_point + y * self.n
        return point - self.centres[0], point - self.centres[1]

    def sliding(self, y: float, rates: np.ndarray) -> float:
        """Velocity of A's flank against B's, along the tangent."""
        of = [
            rates[2 + 2 * g : 4 + 2 * g] + rates[g] * np.array([-arm[1], arm[0]]) for g, arm in enumerate(self.arms(y))
        ]
        return float((of[0] - of[1]) @ self.m)

    def forces(self, y: float, on_A: np.ndarray) -> np.ndarray:
        """What a force on gear A, and its reaction on gear B, do to the coordinates."""
        arm_A, arm_B = self.arms(y)
        about = arm_A[0] * on_A[1] - arm_A[1] * on_A[0], -(arm_B[0] * on_A[1] - arm_B[1] * on_A[0])
        return np.array([*about, *on_A, *-on_A])

    def mean_forces(self, F_n: float, mu: float, rates: np.ndarray) -> np.ndarray:
        """Normal force and friction, averaged over the path by quadrature."""
        low, high = self.ends

        def at(y: float, i: int) -> float:
            on_A = -F_n * self.n - mu * F_n * np.sign(self.sliding(y, rates)) * self.m
            return float(self.forces(y, on_A)[i])

        points = [0.0] if low < 0.0 < high else None
        sums = [quad(at, low, high, args=(i,), points=points, epsabs=0.0, epsrel=1e-12)[0] for i in range(6)]
        return np.array(sums) / (high - low)

    def mean_loss(self, F_n: float, mu: float, rates: np.ndarray) -> float:
        low, high = self.ends
        points = [0.0] if low < 0.0 < high else None
        lost = quad(lambda y: mu * F_n * abs(self.sliding(y, rates)), low, high, points=points, epsrel=1e-12)[0]
        return lost / (high - low)


def rolling(name: str, v_mesh: float, phi_gear: float, carrier: float = 0.0) -> np.ndarray:
    """Rates of gears that roll on each other while the line of centres turns about centre A."""
    r_A, r_B = 1e-3 * RADII[name][0], 1e-3 * RADII[name][1]
    way = carrier * (r_A + r_B)
    return np.array(
        [v_mesh / r_A + carrier, -v_mesh / r_B + carrier, 0.0, 0.0, -way * sin(phi_gear), way * cos(phi_gear)]
    )


#: Each spring and each friction that a mesh may have, on the gears of table 3 of the paper.
_PAPER = mesh_named("table 3 of the paper")
MESH_FACTOR = PeriodicFactor(period=pi * 1e-3, values=(1.0, 0.8, 0.9, 1.1, 1.2))
MESH_SPRINGS = {
    "linear": LinearSpring(c=2e8, backlash=10e-6, damping=1e3, factor=MESH_FACTOR),
    "iso6336": Iso6336Spring(c=2e8, R_q=4e-6, damping=1e3, factor=MESH_FACTOR),
    "niemann-winter": NiemannWinterSpring(c=2e8, F_0=1e3, kappa_0=0.3, backlash=10e-6, damping=1e3, factor=MESH_FACTOR),
}
MESH_FRICTIONS = {
    "coulomb": CoulombFriction(mu_sliding=0.08, mu_0=0.12, factor=MESH_FACTOR),
    "din3990": Din3990Friction(mesh=_PAPER, face_width=20e-3, viscosity=0.275, roughness=0.8e-6, mu_0=0.2),
    "efficiency": TabulatedEfficiency(mesh=_PAPER, v_mesh=(0.0, 0.1, 1.0), eta=(0.97, 0.98, 0.985), c_mu0=1.3),
}
