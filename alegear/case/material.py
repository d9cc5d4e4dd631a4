"""``[material]``, and ``[pinion.material]`` for one gear alone."""

from __future__ import annotations

from typing import Any

from alegear.case.case_file import CaseFile
from alegear.case.schema import Section, Table, limited, merged
from alegear.contact.numbering import GEARS
from alegear.fe.material import Material

_MATERIAL = Material.LIMITS
_UNITS = {
    "youngs_modulus_GPa": ("E", 1e9),
    "poisson_ratio": ("nu", 1.0),
    "density_kg_m3": ("rho", 1.0),
    "yield_strength_MPa": ("yield_strength", 1e6),
    "thermal_conductivity_W_per_mK": ("conductivity", 1.0),
    "specific_heat_J_per_kgK": ("specific_heat", 1.0),
    "contact_strength_MPa": ("contact_strength", 1e6),
    "root_strength_MPa": ("root_strength", 1e6),
    "root_endurance_MPa": ("root_endurance", 1e6),
    "contact_endurance_MPa": ("contact_endurance", 1e6),
    "mean_stress_sensitivity": ("mean_stress_sensitivity", 1.0),
}


class MaterialTable(Table):
    """``[material]``, ``[pinion.material]``: elastic constants; what is left out is that of the more general table.

    Strengths and thermal constants that no table has are those of steel if modulus and density are, else not known.
    """

    youngs_modulus_GPa: float | None = limited(_MATERIAL["E"], "Young's modulus in GPa (steel 210)", default=None)
    poisson_ratio: float | None = limited(_MATERIAL["nu"], "Poisson's ratio (steel 0.3)", default=None)
    density_kg_m3: float | None = limited(_MATERIAL["rho"], "density in kg/m3 (steel 7860)", default=None)
    yield_strength_MPa: float | None = limited(
        _MATERIAL["yield_strength"],
        "yield strength in MPa, for warnings only: of a rotating gear (steel 300), and if given of the roots",
        default=None,
    )
    thermal_conductivity_W_per_mK: float | None = limited(
        _MATERIAL["conductivity"], "thermal conductivity in W/(m K), of flash temperatures (steel 50)", default=None
    )
    specific_heat_J_per_kgK: float | None = limited(
        _MATERIAL["specific_heat"], "specific heat in J/(kg K), of flash temperatures (steel 480)", default=None
    )
    contact_strength_MPa: float | None = limited(
        _MATERIAL["contact_strength"],
        "pressure in MPa that flanks bear once, for a warning only (case-hardened steel 2400)",
        default=None,
    )
    root_strength_MPa: float | None = limited(
        _MATERIAL["root_strength"],
        "stress in MPa that a tooth root bears once, for a warning only (case-hardened steel 2500)",
        default=None,
    )
    root_endurance_MPa: float | None = limited(
        _MATERIAL["root_endurance"],
        "local stress in MPa that a root endures, pulsating from 0 (ISO 6336-5: sigma_FE), for root_safety (none)",
        default=None,
    )
    contact_endurance_MPa: float | None = limited(
        _MATERIAL["contact_endurance"],
        "pressure in MPa that flanks endure (ISO 6336-5: sigma_H lim), for contact_safety (none)",
        default=None,
    )
    mean_stress_sensitivity: float | None = limited(
        _MATERIAL["mean_stress_sensitivity"],
        "slope of the endurance over the mean stress in Haigh's diagram, for root_safety (steel 0.4)",
        default=None,
    )


def _read(file: CaseFile) -> dict[str, Any]:
    materials = [_material(file, gear) for gear in GEARS]
    return {} if None in materials else {"materials": tuple(materials)}


def _material(file: CaseFile, gear: str) -> Material | None:
    if "material" not in file.tables or gear not in file.tables:
        return None
    with file.made_from(f"{gear}.material"):
        return material_of(file.tables["material"], file.tables[gear].material)
    return None


def material_of(general: MaterialTable | None, special: MaterialTable) -> Material:
    """Return the material of a table and a more general one, in SI units."""
    given = merged(general or MaterialTable(), special)
    return Material(**{_UNITS[key][0]: value * _UNITS[key][1] for key, value in given.items()})


SECTION = Section(tables={"material": MaterialTable}, read=_read)
