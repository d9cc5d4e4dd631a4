"""``[contact]``: the law of contact, friction, and the window of tooth pairs."""

from __future__ import annotations

from typing import Any

from alegear.case.analysis import Analysis
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import Finding, Findings, shown
from alegear.case.tables import CaseFile, Section, table_of
from alegear.contact.law import FlankContact, Friction, PenaltyLaw
from alegear.geometry.gear_pair import GearPair
from alegear.parameters import made_of, words_of


class ContactTable(table_of(FlankContact)):  # type: ignore[misc]
    """``[contact]``: law of contact, slices, friction and window of tooth pairs."""


def _read(file: CaseFile) -> dict[str, Any]:
    table = file.tables.get("contact")
    if table is None:
        return {}
    if table.law == "hertz" and table.penalty is not None:
        for key, value in table.penalty.given.items():
            limit, remedy = 'has no effect with law = "hertz"', 'leave it out, or write law = "penalty" in [contact]'
            file.fault(f"contact.penalty.{key}", shown(value), limit, remedy)
    given = used_of_friction(file, "contact", table.given)
    with file.made_from_table("contact", type(table), table.WORDS):
        return dict(vars(made_of(FlankContact, given, file.path.parent)))
    return {}


def used_of_friction(file: CaseFile, where: str, given: dict[str, Any]) -> dict[str, Any]:
    """Keys that are given without those which the friction does not read: these have faults."""
    kind, keys = given.get("friction", Friction.kind), words_of(Friction)
    unused = [key for key in given if key in [keys[name] for name in Friction.UNUSED.get(kind, ())]]
    for key in unused:
        limit, remedy = f'has no effect with friction = "{kind}"', 'leave it out, or write friction = "velocity"'
        file.fault(f"{where}.{key}", shown(given[key]), limit, remedy)
    return {key: value for key, value in given.items() if key not in unused}


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
    tables={"contact": ContactTable},
    fields=("friction", "law", "slices", "window_pairs", "penalty"),
    read=_read,
    rules=(_laws, _penalty_serves, _damping_at_rest, _window),
)
