"""What a gear is as a rigid body."""

from __future__ import annotations

from dataclasses import dataclass

from alegear.fe.material import Material
from alegear.geometry.cylindrical_gear import CylindricalGear


@dataclass(frozen=True, kw_only=True, eq=False)
class GearMass:
    """What a gear is as a rigid body.

    Attributes
    ----------
    mass : float [kg]
    inertia, tilt_inertia : float [kg m2]
        About its axis, and about a diameter of mid-face.
    """

    mass: float
    inertia: float
    tilt_inertia: float

    @classmethod
    def of(cls, gear: CylindricalGear, material: Material) -> GearMass:
        """Of a gear of a material."""
        rho = material.rho
        return cls(mass=gear.mass(rho), inertia=gear.inertia(rho), tilt_inertia=gear.tilt_inertia(rho))
