"""Flexible gears in contact, in three dimensions.

The layers are importable on their own; the names an analysis needs are also found here, and are loaded on first
use so that ``import alegear`` costs nothing.

Examples
--------
>>> import alegear as ag
>>> case = ag.Case.from_toml("meshes/spur_20_30.toml")  # doctest: +SKIP
>>> result = ag.run(case)  # doctest: +SKIP
>>> result.summary["te_mean_um"]  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import Any

from alegear._version import __version__

#: Public name -> module that defines it.
_HOME = {
    "Fault": "alegear.errors",
    "NotInThisVersion": "alegear.errors",
    "AnalysisFailure": "alegear.errors",
    "NonConvergence": "alegear.errors",
    "BasicRack": "alegear.geometry.basic_rack",
    "Gear": "alegear.geometry.gear",
    "GearPair": "alegear.geometry.gear_pair",
    "Microgeometry": "alegear.geometry.microgeometry",
    "Topography": "alegear.geometry.measured_flank",
    "Alignment": "alegear.geometry.alignment",
    "ToothProfile": "alegear.geometry.tooth_profile",
    "MeshOptions": "alegear.mesh.sector",
    "SectorMesh": "alegear.mesh.sector",
    "mesh_sector": "alegear.mesh.sector",
    "read_sector": "alegear.mesh.exchange",
    "VolumeMesh": "alegear.mesh.volume",
    "write_mesh": "alegear.mesh.exchange",
    "WheelMesh": "alegear.mesh.wheel",
    "Material": "alegear.fe.material",
    "FEModel": "alegear.fe.assembly",
    "nodal_stress": "alegear.fe.stress",
    "von_mises": "alegear.fe.stress",
    "largest_principal": "alegear.fe.stress",
    "constraint_modes": "alegear.reduction.constraint_modes",
    "reduce_wheel": "alegear.reduction.superelement",
    "Superelement": "alegear.reduction.superelement",
    "root_stress": "alegear.reduction.root_stress",
    "find_normal_modes": "alegear.reduction.normal_modes",
    "find_free_modes": "alegear.reduction.normal_modes",
    "PenaltyLaw": "alegear.contact.law",
    "Friction": "alegear.contact.law",
    "StaticHistory": "alegear.results.static_result",
    "DynamicHistory": "alegear.results.dynamic_result",
    "Result": "alegear.results.result",
    "Case": "alegear.study.case",
    "CaseFaults": "alegear.study.case",
    "run": "alegear.study.run",
    "vary": "alegear.study.variation",
    "Variant": "alegear.study.variation",
    "variants_of": "alegear.study.variation",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _HOME:
        raise AttributeError(f"module 'alegear' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
