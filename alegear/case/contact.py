"""``[contact]``: the law of contact, friction, and the window of tooth pairs."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from alegear.case.analysis import Analysis
from alegear.case.case_file import CaseFile
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import Finding, Findings, shown
from alegear.case.schema import Section, Table, limited
from alegear.contact.law import CONTACT_LIMITS, Friction, PenaltyLaw
from alegear.geometry.gear_pair import GearPair
from alegear.units import MM

_PENALTY, _FRICTION = PenaltyLaw.LIMITS, Friction.LIMITS
#: Field of the friction -> key.
_FRICTION_KEYS = {
    "mu_static": "mu_static",
    "mu_dynamic": "mu_dynamic",
    "v_static": "transition_speed_static_m_per_s",
    "v_dynamic": "transition_speed_dynamic_m_per_s",
}


class PenaltyTable(Table):
    """``[contact.penalty]``: constants of the penalty law."""

    stiffness_N_per_mm3: float | None = limited(
        PenaltyLaw.STIFFNESS, "penalty stiffness per area in N/mm3", default=None
    )
    exponent: float | None = limited(_PENALTY["exponent"], "exponent of the penetration (1)", default=None)
    damping_Ns_per_mm3: float | None = limited(_PENALTY["damping"], "damping per area in N s/mm3", default=None)
    pass_weight: float | None = limited(_PENALTY["pass_weight"], "weight of the pinion's pass (0.5)", default=None)
    gauss_points_profile: int | None = limited(
        _PENALTY["gauss_points_profile"],
        "Gauss points of a facet along the profile (as the curvature needs)",
        default=None,
    )
    gauss_points_face: int | None = limited(
        _PENALTY["gauss_points_face"], "Gauss points across the face (1)", default=None
    )


class FrictionTable(Table):
    """Keys of the friction of flanks, of a table that has them among others."""

    friction: Literal["none", "coulomb", "velocity"] = Field(default="none", description="friction of the flanks")
    mu_static: float | None = limited(_FRICTION["mu_static"], "static coefficient of friction (0.08)", default=None)
    mu_dynamic: float | None = limited(_FRICTION["mu_dynamic"], "dynamic coefficient of friction (0.05)", default=None)
    transition_speed_static_m_per_s: float | None = limited(
        _FRICTION["v_static"], "sliding speed at which friction is static, in m/s (0.001)", default=None
    )
    transition_speed_dynamic_m_per_s: float | None = limited(
        _FRICTION["v_dynamic"], "sliding speed from which friction is dynamic, in m/s (0.01)", default=None
    )


class ContactTable(FrictionTable):
    """``[contact]``: law of contact, slices, friction and window of tooth pairs."""

    law: Literal["hertz", "penalty"] = Field(default="hertz", description="law of contact")
    slices: int | None = limited(CONTACT_LIMITS["slices"], "number of slices of the common face", default=None)
    window_pairs: int | None = limited(
        CONTACT_LIMITS["window_pairs"], "number of tooth pairs in the window", default=None
    )
    penalty: PenaltyTable = PenaltyTable()


def _read(file: CaseFile) -> dict[str, Any]:
    table = file.tables.get("contact")
    if table is None:
        return {}
    _refuse_without_effect(file, table)
    made = {
        "penalty": penalty_law(file, table.penalty, "contact.penalty"),
        "friction": contact_friction(file, table, "contact"),
    }
    return {name: part for name, part in made.items() if part is not None} | {
        "law": table.law,
        "slices": table.slices,
        "window_pairs": table.window_pairs,
    }


def penalty_law(file: CaseFile, table: PenaltyTable, where: str) -> PenaltyLaw | None:
    """Return the constants of a table; None with a fault, which goes to the file."""
    given = table.model_dump(exclude_none=True)
    units = {
        # the pressure in MPa at a penetration in mm: MPa / mm^e
        "stiffness_N_per_mm3": ("stiffness", 1e6 * MM ** -given.get("exponent", 1.0)),
        "damping_Ns_per_mm3": ("damping", 1e9),
    }
    with file.made_from(f"[{where}]"):
        return PenaltyLaw(**{units.get(k, (k, 1))[0]: v * units.get(k, (k, 1))[1] for k, v in given.items()})
    return None


def contact_friction(file: CaseFile, table: Any, where: str) -> Friction | None:
    """Return the friction of a table with these keys; None with a fault, which goes to the file."""
    for key in (_FRICTION_KEYS[name] for name in Friction.UNUSED[table.friction]):
        if getattr(table, key) is not None:
            file.fault(
                f"{where}.{key}",
                shown(getattr(table, key)),
                f'has no effect with friction = "{table.friction}"',
                'leave it out, or write friction = "velocity"',
            )
    used = {name: key for name, key in _FRICTION_KEYS.items() if name not in Friction.UNUSED[table.friction]}
    values = {name: getattr(table, key) for name, key in used.items() if getattr(table, key) is not None}
    with file.made_from(f"[{where}]"):
        return Friction(kind=table.friction, **values)
    return None


def _refuse_without_effect(file: CaseFile, table: ContactTable) -> None:
    """Refuse values of ``[contact]`` that would be ignored."""
    if table.law == "hertz":
        for key, value in table.penalty.model_dump(exclude_none=True).items():
            file.fault(
                f"contact.penalty.{key}",
                shown(value),
                'has no effect with law = "hertz"',
                'leave it out, or write law = "penalty" in [contact]',
            )


def _laws(law: str, slices: int | None, penalty: PenaltyLaw) -> Findings:
    if slices is not None and law == "penalty":
        yield Finding("contact.slices", shown(slices), 'has no effect with law = "penalty"', "leave it out")
    if law == "hertz" and penalty != PenaltyLaw():
        changed = next(name for name in vars(penalty) if getattr(penalty, name) != getattr(PenaltyLaw(), name))
        remedy = 'leave it out, or write law = "penalty" in [contact]'
        value = shown(getattr(penalty, changed))
        yield Finding(f"contact.penalty.{changed}", value, 'has no effect with law = "hertz"', remedy)


def _penalty_serves(law: str, pair: GearPair) -> Findings:
    if law == "penalty" and not PenaltyLaw.serves(pair):
        limit = f"is a law for {PenaltyLaw.SERVED}"
        yield Finding("contact.law", '"penalty"', limit, 'write law = "hertz", or leave the key out')


def _damping_at_rest(analysis: Analysis, penalty: PenaltyLaw) -> Findings:
    if penalty.damping and not isinstance(analysis, DynamicAnalysis):
        yield Finding(
            "contact.penalty.damping_Ns_per_mm3",
            shown(penalty.damping * 1e-9),
            f"has no effect in a {analysis.kind} analysis",
            'leave it out, or write kind = "dynamic"',
        )


def _window(
    window_pairs: int | None, teeth_modelled: tuple[int | None, int | None], teeth: tuple[int, int]
) -> Findings:
    """Refuse a window with more pairs than a gear has teeth, and an even one of a segment."""
    if window_pairs is None:
        return
    fewest = min(z if count is None else count for z, count in zip(teeth, teeth_modelled, strict=True))
    if window_pairs > fewest:
        limit = f"must be at most {fewest}, the fewest teeth of a gear or its segment"
        yield Finding("contact.window_pairs", shown(window_pairs), limit, "leave it out to have it chosen")
    elif window_pairs % 2 == 0 and any(count is not None for count in teeth_modelled):
        limit = "must be odd for a segment of teeth"
        yield Finding("contact.window_pairs", shown(window_pairs), limit, "leave it out to have it chosen")


SECTION = Section(
    tables={"contact": ContactTable}, read=_read, rules=(_laws, _penalty_serves, _damping_at_rest, _window)
)
