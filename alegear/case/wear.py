"""``[wear]``: what the flash temperature needs beside the contact."""

from __future__ import annotations

from alegear.case.analysis import Analysis, ModalAnalysis, StaticAnalysis
from alegear.case.faults import Finding, Findings, shown
from alegear.case.operation import Operation
from alegear.case.sweep import SweepAnalysis
from alegear.case.tables import Section, read_field, table_of
from alegear.contact.law import Friction
from alegear.contact.numbering import GEARS
from alegear.contact.wear import WearConditions
from alegear.fe.material import Material
from alegear.parameters import words_of


class WearTable(table_of(WearConditions)):  # type: ignore[misc]
    """``[wear]``: what the flash temperature needs besides the contact."""


def _given(wear: WearConditions) -> list[tuple[str, str]]:
    """Keys and values that are given."""
    values = [(f"wear.{key}", getattr(wear, name)) for name, key in words_of(WearConditions).items()]
    return [(key, shown(value)) for key, value in values if value is not None]


def _without_effect(wear: WearConditions, analysis: Analysis, law: str) -> Findings:
    """Refuse conditions of a study without contact over time or position, or without the width of the contact."""
    limit = ""
    if isinstance(analysis, ModalAnalysis | SweepAnalysis):
        limit = f"has no effect in a {analysis.kind} analysis"
    elif law == "penalty":
        limit = 'has no effect with law = "penalty", which does not tell how wide the contact is'
    if limit:
        for key, value in _given(wear):
            yield Finding(key, value, limit, "leave it out")


def _friction(wear: WearConditions, friction: Friction) -> Findings:
    if wear.friction_coefficient is not None and friction.kind != "none":
        limit = f'excludes friction = "{friction.kind}" of the contact, whose coefficient is taken'
        yield Finding("wear.friction_coefficient", shown(wear.friction_coefficient), limit, "leave out one of the two")
    if wear.bulk_temperature is not None and wear.friction_coefficient is None and friction.kind == "none":
        limit = "has no effect without a coefficient of friction"
        yield Finding("wear.bulk_temperature_C", shown(wear.bulk_temperature), limit, "give friction_coefficient")


def _materials(wear: WearConditions, materials: tuple[Material, Material]) -> Findings:
    """Refuse the flash temperature of materials whose thermal constants are not known."""
    if wear.friction_coefficient is None:
        return
    for gear, material in zip(GEARS, materials, strict=True):
        for key in material.missing_for_heat:
            limit = (
                f"must be given: youngs_modulus_GPa = {1e-9 * material.E:.4g} and density_kg_m3 = {material.rho:.4g} "
                "are not those of a steel"
            )
            yield Finding(
                f"{gear}.material.{key}", "not given", limit, f"give {key} in [material] or [{gear}.material]"
            )


def _speed(wear: WearConditions, operation: Operation, analysis: Analysis) -> Findings:
    if isinstance(analysis, StaticAnalysis) and not operation.pinion_speed:
        for key, value in _given(wear):
            limit = "has no effect without a speed"
            yield Finding(key, value, limit, "give pinion_speed_rpm in [operation]")


SECTION = Section(
    tables={"wear": WearTable},
    fields=("wear",),
    read=read_field("wear"),
    rules=(_without_effect, _friction, _materials, _speed),
)
