"""Linear elasticity on hexahedra: stiffness, mass, stress."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from alegear.fe.material import Material

if TYPE_CHECKING:
    from alegear.fe.assembly import FEModel, MassProperties, element_stiffness
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


def __getattr__(name: str) -> Any:
    """Load what needs the compiler on first use: a case is read, and its material made, without it."""
    if name not in __all__:
        raise AttributeError(f"module 'alegear.fe' has no attribute {name!r}")
    home = "assembly" if name in ("FEModel", "MassProperties", "element_stiffness") else "stress"
    value = getattr(importlib.import_module(f"alegear.fe.{home}"), name)
    globals()[name] = value
    return value
