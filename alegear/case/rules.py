"""What the sections of a case must be to each other, wherever they come from: a file, Python, `dataclasses.replace`.

Each rule takes the fields of a case that it is about by name, in SI units, and names what it refuses by the key of the
case file. A rule that refuses a key of one section stands in the file of that section; here are those between several.
A case is checked when it is made; of a file with faults the rules are applied to what could be read, so that all faults
are reported at once.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from alegear.ale import centred_threshold
from alegear.case.analysis import Analysis, ModalAnalysis, StaticAnalysis
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import CaseFault, Finding, Findings, shown
from alegear.case.operation import Operation
from alegear.case.sections import SECTIONS
from alegear.case.sweep import ALIKE, SweepAnalysis
from alegear.contact.numbering import GEARS, driver_on, loaded_flank
from alegear.errors import Fault
from alegear.geometry.gear_pair import GearPair
from alegear.system.support import Support, TorsionShaft

MOST_PITCHES = 100_000
SHORTEST_INTERVAL = 1.0 / 16.0
"""Part of a pitch: the deflection under load lets a pair touch earlier and longer by about so much, so that shorter
intervals between mesh-in and mesh-out are none."""


def broken_rules(fields: Mapping[str, Any], defaults: Mapping[str, Any], file: str) -> list[CaseFault]:
    """Apply the rules whose fields are there.

    Parameters
    ----------
    fields : mapping
        Fields of a case by name; those that could not be read are left out.
    defaults : mapping
        Of fields that need not be given: a section of which nothing is given has nothing to be refused.
    file : str
        Where the case comes from, for the messages.
    """
    given = {name for name, value in fields.items() if name not in defaults or value != defaults[name]}
    rules = [rule for one in SECTIONS if not one.fields or given.intersection(one.fields) for rule in one.rules]
    found = []
    for rule in (*rules, *BETWEEN_SECTIONS):
        names = _fields_of(rule)
        if fields.keys() >= set(names):
            found += [CaseFault(file, *finding) for finding in rule(*(fields[name] for name in names))]
    return found


@cache
def _fields_of(rule: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(rule).parameters)


def shortest_contact_interval(pair: GearPair, pinion_speed: float) -> float:
    """Shortest time [s] between a pair that comes into mesh and one that leaves it, at a speed of the pinion [rad/s].

    Of each pitch p the pairs in mesh are one more for frac(eps) p than for the rest. A longer step may pass over one of
    the two states of contact without seeing it.
    """
    part = (pair.eps_alpha_usable + pair.eps_beta) % 1.0
    pitch = 2.0 * math.pi / pair.pinion.z / pinion_speed
    return max(min(part, 1.0 - part), SHORTEST_INTERVAL) * pitch


def pitches_between(operation: Operation, z: int, start: float, end: float) -> float:
    """Pitches that go by in a motion between two times [s]; of a table the straight lines between its points."""
    if operation.speed_table is None:
        turned = (end - start) * (operation.pinion_speed or 0.0)
    else:
        turned = 0.0
        for (t, speed), (later, then) in zip(operation.speed_table, operation.speed_table[1:], strict=False):
            a, b = max(t, start), min(later, end)
            if b > a:
                at = [speed + (then - speed) * (time - t) / (later - t) for time in (a, b)]
                turned += 0.5 * (at[0] + at[1]) * (b - a)
    return turned * z / (2.0 * math.pi)


def _pitches(operation: Operation, analysis: Analysis, pair: GearPair) -> Findings:
    """Refuse a motion over more pitches than can be kept, and a sweep of which no point comes."""
    if not isinstance(analysis, DynamicAnalysis):
        return
    pitches = pitches_between(operation, pair.pinion.z, 0.0, analysis.duration)
    if pitches > MOST_PITCHES:
        yield Finding(
            "analysis.duration_s",
            shown(analysis.duration),
            f"{pitches:.4g} pitches at this speed are too many: at most {MOST_PITCHES}",
            "shorten it, or reduce pinion_speed_rpm",
        )
    if not isinstance(analysis, SweepAnalysis) or not analysis.moves:
        return
    turn = analysis.one_direction
    parts = [(analysis.settling, turn), (turn, analysis.duration)]
    fewest = min(
        math.floor(pitches_between(operation, pair.pinion.z, start, end) - 0.5)
        for start, end in parts
        if end > start or start == analysis.settling
    )
    if fewest < analysis.pitches:
        yield Finding(
            "analysis.pitches_per_point",
            shown(analysis.pitches),
            f"must be at most {max(fewest, 0)}, the whole pitches in one direction "
            "(otherwise the sweep has no result point)",
            "take fewer, or raise duration_s or the speeds",
        )


def _sweep(operation: Operation, analysis: Analysis, pair: GearPair) -> Findings:
    """Refuse a sweep from or to rest, and orders that its output does not resolve."""
    if not isinstance(analysis, SweepAnalysis) or operation.speed_table is None:
        return
    slowest = min(speed for _, speed in operation.speed_table)
    if not slowest > 0.0:
        limit = "must be greater than 0: there is no order of a mesh that stands still"
        yield Finding("analysis.speed_from_rpm", shown(slowest * 30.0 / math.pi), limit, "begin at the lowest speed")
    elif operation.pinion_speed:
        try:
            analysis.check_orders(operation.pinion_speed * pair.pinion.z / (2.0 * math.pi))
        except Fault as fault:
            yield Finding("analysis.orders", shown(analysis.orders), f"must be {fault.limit}", fault.remedy)


def _linear_answer(analysis: Analysis, operation: Operation, law: str, pair: GearPair) -> Findings:
    """Refuse the linearised response where nothing can be linearised."""
    if not isinstance(analysis, SweepAnalysis) or not analysis.is_linear:
        return
    key, value = "analysis.response", f'"{analysis.response}"'
    if law == "penalty":
        limit = 'needs the tangents of law = "hertz"; law = "penalty" has its own damping and memory'
        yield Finding(key, value, limit, 'write law = "hertz", or response = "transient"')
    elif operation.pinion_torque == 0.0:
        limit = "needs a torque: teeth that idle touch or do not, and have no linearised response"
        yield Finding(key, value, limit, 'give pinion_torque_Nm, or write response = "transient"')
    elif not all(gear.teeth_alike for gear in pair.gears):
        remedy = 'leave out pitch_deviation_csv and flanks of single teeth, or write response = "transient"'
        yield Finding(key, value, f"needs {ALIKE}", remedy)


def _time_step(operation: Operation, analysis: Analysis, pair: GearPair) -> Findings:
    """Refuse a fixed step in which a state of contact may come and go."""
    if not isinstance(analysis, DynamicAnalysis) or analysis.time_step is None or not operation.pinion_speed:
        return
    shortest = shortest_contact_interval(pair, operation.pinion_speed)
    if analysis.time_step > shortest:
        limit = (
            f"must be at most {shortest:.3g}, the shortest time between a tooth pair that comes into mesh and one "
            "that leaves it at this speed"
        )
        yield Finding("analysis.time_step_s", shown(analysis.time_step), limit, "shorten it, or give a tolerance")


def _at_rest(
    analysis: Analysis,
    operation: Operation,
    added_inertia: tuple[float, float],
    supports: tuple[Support | None, Support | None],
    shafts: tuple[TorsionShaft | None, TorsionShaft | None],
) -> Findings:
    """Refuse masses and shafts where nothing moves; damping describes a bearing, as density does a material."""
    if isinstance(analysis, DynamicAnalysis):
        return
    static = isinstance(analysis, StaticAnalysis)
    limit, remedy = f"has no effect in a {analysis.kind} analysis", 'leave it out, or write kind = "dynamic"'
    weightless = not any(operation.gravity)
    for gear, inertia, support, shaft in zip(GEARS, added_inertia, supports, shafts, strict=True):
        where = f"supports.{gear}"
        if static and inertia:
            yield Finding(f"{where}.added_inertia_kg_m2", shown(inertia), limit, remedy)
        if static and shaft is not None:
            yield Finding(f"shafts.{gear}", "{table}", limit, remedy)
        if support is None:
            continue
        if support.unbalance:
            yield Finding(f"{where}.unbalance_g_mm", shown(support.unbalance * 1e6), limit, remedy)
        if static and support.added_tilt_inertia:
            value = shown(support.added_tilt_inertia)
            yield Finding(f"{where}.added_tilt_inertia_kg_m2", value, limit, remedy)
        if static and support.added_mass and weightless:
            without = f"{limit} without gravity_m_s2"
            yield Finding(f"{where}.added_mass_kg", shown(support.added_mass), without, remedy)


def _segments(teeth_modelled: tuple[int | None, int | None], analysis: Analysis, teeth: tuple[int, int]) -> Findings:
    for gear, count, z in zip(GEARS, teeth_modelled, teeth, strict=True):
        if count is None:
            continue
        key, value = f"{gear}.teeth_modelled", shown(count)
        if count > z:
            yield Finding(key, value, f"must be at most {z} teeth", 'write "all"')
        if isinstance(analysis, DynamicAnalysis):
            yield Finding(key, value, f"a segment cannot turn in a {analysis.kind} analysis", 'write "all"')
        elif isinstance(analysis, ModalAnalysis):
            yield Finding(key, value, "a modal analysis is one of whole wheels", 'write "all"')
        elif analysis.pitches > 1:
            limit = "a segment has phases -0.5 ... 0.5 only"
            yield Finding(key, value, limit, 'set pitches = 1 or write "all"')
        if isinstance(analysis, StaticAnalysis) and analysis.tooth_change_threshold is not None:
            yield Finding(
                "analysis.tooth_change_threshold",
                shown(analysis.tooth_change_threshold),
                "a segment of teeth has no tooth-change",
                'leave it out, or write teeth_modelled = "all"',
            )


def _window_of_contact(
    window_pairs: int | None,
    teeth_modelled: tuple[int | None, int | None],
    pair: GearPair,
    operation: Operation,
) -> Findings:
    """Refuse a window that cannot hold the pairs of the unloaded teeth, forced or for want of teeth."""
    if any(count is not None for count in teeth_modelled):
        return
    fewest = min(gear.z for gear in pair.gears)
    wanted = pair.pairs_needed if window_pairs is None else window_pairs
    if window_pairs is None and wanted > fewest:
        limit = f"has a window of {wanted} pairs in contact, more than its {fewest} teeth"
        yield Finding("pair", f"contact ratio {pair.eps_gamma:.4g}", limit, "use more teeth or a smaller helix angle")
    if window_pairs is None or window_pairs > fewest:  # the latter is a fault of [contact]
        return
    driving = driver_on(loaded_flank(operation.driver, operation.pinion_torque))
    try:
        centred_threshold(*pair.engagement(driving), window_pairs)
    except Fault as fault:
        limit = f"must be {fault.limit.replace('loaded ', '')}"
        yield Finding("contact.window_pairs", shown(window_pairs), limit, fault.remedy)


BETWEEN_SECTIONS: tuple[Callable[..., Findings], ...] = (
    _pitches,
    _sweep,
    _linear_answer,
    _time_step,
    _at_rest,
    _segments,
    _window_of_contact,
)
