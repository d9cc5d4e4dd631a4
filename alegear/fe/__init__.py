"""Linear elasticity on hexahedra: stiffness, mass, stress."""

from alegear.fe.assembly import FEModel, MassProperties, element_stiffness
from alegear.fe.material import Material
from alegear.fe.stress import (
    element_strain_energy,
    impose_traction,
    largest_principal,
    nodal_stress,
    principal_stresses,
    stress_operator,
    von_mises,
)

__all__ = [
    "FEModel",
    "MassProperties",
    "Material",
    "element_stiffness",
    "element_strain_energy",
    "impose_traction",
    "largest_principal",
    "nodal_stress",
    "principal_stresses",
    "stress_operator",
    "von_mises",
]
