"""What the parts of a case must be to each other, wherever they come from: a case file, Python, `dataclasses.replace`.

Each rule takes the parts that it is about by name, in SI units, and names what it refuses by the key of the case file.
A case is checked when it is made; the reader applies the rules to what it could read, so that all faults of a file are
told at once.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from alegear.ale import centred_threshold, pairs_needed
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import MISSING, CaseFault, shown
from alegear.case.modal import ModalAnalysis
from alegear.case.operation import Operation
from alegear.case.output import OutputOptions
from alegear.case.static import StaticAnalysis
from alegear.case.sweep import SweepAnalysis
from alegear.contact.law import Friction, PenaltyLaw
from alegear.contact.numbering import GEARS, leading_gear, loaded_flank
from alegear.dynamics.joints import TorsionShaft
from alegear.dynamics.support import Support
from alegear.errors import Fault
from alegear.geometry.gear_pair import GearPair
from alegear.limits import Limits
from alegear.mesh.sector import MeshOptions

MOST_PITCHES = 100_000
MOST_SLICES = 400
ADDED_INERTIA = Limits(
    quantity="further inertia about the axis", key="added_inertia_kg_m2", unit="kg m2", least=0.0, most=1e12
)
MOST_ELEMENTS = 1_000_000
LARGEST_TWIST = 1.0
"""Twist [rad] of a shaft under its torque."""
SHORTEST_INTERVAL = 1.0 / 16.0
"""Part of a pitch: the deflection under load lets a pair touch earlier and longer by about so much, so that shorter
intervals between mesh-in and mesh-out are none."""

Analysis = StaticAnalysis | DynamicAnalysis | ModalAnalysis


class Finding(NamedTuple):
    """What a rule refuses: the key, the value met, what is allowed and what to do."""

    key: str
    value: str
    limit: str
    remedy: str


Findings = Iterator[Finding]
RULES: list[Callable[..., Findings]] = []


def _rule(rule: Callable[..., Findings]) -> Callable[..., Findings]:
    RULES.append(rule)
    return rule


def broken_rules(parts: Mapping[str, Any], file: str) -> list[CaseFault]:
    """Apply the rules whose parts are there.

    Parameters
    ----------
    parts : mapping
        Fields of a case by name; those that could not be read are left out.
    file : str
        Where the case comes from, for the messages.
    """
    found = []
    for rule in RULES:
        names = list(inspect.signature(rule).parameters)
        if all(name in parts for name in names):
            found += [CaseFault(file, *finding) for finding in rule(*(parts[name] for name in names))]
    return found


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


# ----------------------------------------------------------------- drive and load
@_rule
def _torque(operation: Operation, analysis: Analysis) -> Findings:
    if operation.pinion_torque == 0.0 and isinstance(analysis, StaticAnalysis | ModalAnalysis):
        yield Finding(
            "operation.pinion_torque_Nm",
            shown(operation.pinion_torque),
            f"must not be 0 in a {analysis.kind} analysis",
            "give the torque on the pinion shaft in N m, negative to load the back flanks",
        )


@_rule
def _speed(operation: Operation, analysis: Analysis) -> Findings:
    if not isinstance(analysis, DynamicAnalysis):
        return
    if not operation.pinion_speed:
        yield Finding(
            "operation.pinion_speed_rpm",
            MISSING if operation.pinion_speed is None else shown(operation.pinion_speed),
            f"must be greater than 0 in a {analysis.kind} analysis",
            "give the speed of the pinion in rpm",
        )
    if isinstance(analysis, SweepAnalysis) and operation.speed_table is None:
        remedy = "give speed_from_rpm and speed_to_rpm"
        yield Finding("operation.speed_table", MISSING, "is needed in a sweep", remedy)


@_rule
def _tables(operation: Operation, analysis: Analysis) -> Findings:
    swept = isinstance(analysis, SweepAnalysis)
    for key, table, of_sweep in (
        ("operation.pinion_speed_table_s_rpm", operation.speed_table, swept),
        ("operation.pinion_torque_table_s_Nm", operation.torque_table, False),
    ):
        if table is None or of_sweep:
            continue
        if not isinstance(analysis, DynamicAnalysis) or swept:
            limit = f"has no effect in a {analysis.kind} analysis"
            yield Finding(key, shown(list(table[0])), limit, "leave it out")
        elif table[-1][0] < analysis.duration:
            limit = f"must reach duration_s = {analysis.duration}"
            yield Finding(key, shown(list(table[-1])), limit, "add a point, or shorten duration_s")
    if isinstance(analysis, DynamicAnalysis) and analysis.ramp > 0.0 and operation.speed_table is not None:
        yield Finding("analysis.ramp_s", shown(analysis.ramp), "excludes pinion_speed_table_s_rpm", "leave it out")


@_rule
def _sign_of_torque(operation: Operation, law: str) -> Findings:
    torques = [torque for _, torque in operation.torque_table or ((0.0, 0.0),)]
    if law == "penalty" and min(torques) * max(torques) < 0.0:
        limit = 'must not change its sign with law = "penalty", which knows the loaded flanks only'
        yield Finding("operation.pinion_torque_table_s_Nm", shown(min(torques)), limit, 'write law = "hertz"')


@_rule
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
    if not isinstance(analysis, SweepAnalysis):
        return
    turn = analysis.duration if analysis.turn is None else analysis.turn
    ways = [(analysis.settling, turn), (turn, analysis.duration)]
    fewest = min(
        math.floor(pitches_between(operation, pair.pinion.z, start, end) - 0.5)
        for start, end in ways
        if end > start or start == analysis.settling
    )
    if fewest < analysis.pitches:
        yield Finding(
            "analysis.pitches_per_point",
            shown(analysis.pitches),
            f"must be at most {max(fewest, 0)}, the whole pitches of a way: else there is no point in it",
            "take fewer, or raise duration_s or the speeds",
        )


@_rule
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


# ---------------------------------------------------------------- what has no effect
@_rule
def _settings_without_effect(analysis: Analysis) -> Findings:
    if not isinstance(analysis, DynamicAnalysis):
        return
    if analysis.method == "backward-euler" and analysis.rho_inf != DynamicAnalysis.rho_inf:
        limit = f'has no effect with method = "{analysis.method}"'
        yield Finding("analysis.rho_inf", shown(analysis.rho_inf), limit, "leave it out")
    if analysis.time_step is not None and analysis.tolerance != DynamicAnalysis.tolerance:
        limit = "excludes tolerance: a fixed step is not controlled"
        yield Finding("analysis.time_step_s", shown(analysis.time_step), limit, "leave out one of the two")
    if not analysis.normal_modes and analysis.modal_damping_ratio != DynamicAnalysis.modal_damping_ratio:
        key, value = "analysis.modal_damping_ratio", shown(analysis.modal_damping_ratio)
        yield Finding(key, value, "has no effect without normal modes", 'write inertia = "full"')


@_rule
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


@_rule
def _gravity(operation: Operation, supports: tuple[Support | None, Support | None]) -> Findings:
    if any(operation.gravity) and not any(support is not None for support in supports):
        remedy = 'leave it out, or write kind = "bearing"'
        value = shown(list(operation.gravity))
        yield Finding("operation.gravity_m_s2", value, "has no effect on gears on hinges", remedy)


@_rule
def _laws(law: str, slices: int | None, penalty: PenaltyLaw) -> Findings:
    if slices is not None and law == "penalty":
        yield Finding("contact.slices", shown(slices), 'has no effect with law = "penalty"', "leave it out")
    if law == "hertz" and penalty != PenaltyLaw():
        changed = next(name for name in vars(penalty) if getattr(penalty, name) != getattr(PenaltyLaw(), name))
        remedy = 'leave it out, or write law = "penalty" in [contact]'
        value = shown(getattr(penalty, changed))
        yield Finding(f"contact.penalty.{changed}", value, 'has no effect with law = "hertz"', remedy)


@_rule
def _damping_at_rest(analysis: Analysis, penalty: PenaltyLaw) -> Findings:
    if penalty.damping and not isinstance(analysis, DynamicAnalysis):
        yield Finding(
            "contact.penalty.damping_Ns_per_mm3",
            shown(penalty.damping * 1e-9),
            f"has no effect in a {analysis.kind} analysis",
            'leave it out, or write kind = "dynamic"',
        )


@_rule
def _output(output: OutputOptions, analysis: Analysis) -> Findings:
    times = output.field_times
    others = {"static": "a static analysis writes every position", "modal": "a modal analysis writes every mode"}
    if times is not None and analysis.kind in others:
        limit = f'is a key of kind = "dynamic" only ({others[analysis.kind]})'
        yield Finding("output.field_times_s", shown(list(times)), limit, "leave it out")
    elif times is not None and isinstance(analysis, SweepAnalysis):
        yield Finding("output.field_times_s", shown(list(times)), "has no effect in a sweep", "leave it out")
    elif times is not None and isinstance(analysis, DynamicAnalysis):
        late = [t for t in times if t > analysis.duration]
        if late:
            limit = f"must be at most duration_s = {analysis.duration}"
            yield Finding("output.field_times_s", shown(late[0]), limit, "leave it out")
    if isinstance(analysis, ModalAnalysis | SweepAnalysis) and output.points:
        limit = f"has no effect in a {analysis.kind} analysis"
        yield Finding("[[output.points]]", f"{len(output.points)} points", limit, "leave them out")


# -------------------------------------------------------------- what does not go together
@_rule
def _friction(friction: Friction, operation: Operation) -> Findings:
    if friction.kind == "velocity" and not operation.pinion_speed:
        yield Finding(
            "operation.pinion_speed_rpm",
            MISSING if operation.pinion_speed is None else shown(operation.pinion_speed),
            'friction = "velocity" needs a speed greater than 0',
            "give the speed of the pinion in rpm",
        )


@_rule
def _penalty_serves(law: str, pair: GearPair) -> Findings:
    if law == "penalty" and not PenaltyLaw.serves(pair):
        limit = f"is a law for {PenaltyLaw.SERVED}"
        yield Finding("contact.law", '"penalty"', limit, 'write law = "hertz", or leave the key out')


@_rule
def _normal_modes(analysis: Analysis, law: str, supports: tuple[Support | None, Support | None]) -> Findings:
    if isinstance(analysis, StaticAnalysis) or not analysis.normal_modes:
        return
    if law == "penalty":
        if isinstance(analysis, ModalAnalysis):
            limit = 'goes with law = "hertz" only, which knows the compliance of its loaded points'
            remedy = 'leave it out, or write law = "hertz" in [contact]'
            yield Finding("analysis.normal_modes", shown(analysis.normal_modes), limit, remedy)
        else:
            limit = 'is not in this version with law = "penalty"'
            yield Finding("analysis.inertia", '"full"', limit, 'write law = "hertz", or inertia = "simplified"')
    if not isinstance(analysis, DynamicAnalysis):
        return
    for gear, support in zip(GEARS, supports, strict=True):
        if support is not None:
            limit = f'is not in this version with a bearing (supports.{gear}.kind = "bearing")'
            yield Finding("analysis.inertia", '"full"', limit, 'write kind = "hinge", or inertia = "simplified"')


@_rule
def _bearings(law: str, supports: tuple[Support | None, Support | None]) -> Findings:
    for gear, support in zip(GEARS, supports, strict=True):
        if support is not None and law == "penalty":
            limit = 'is not in this version with law = "penalty"'
            remedy = 'write law = "hertz", or kind = "hinge"'
            yield Finding(f"supports.{gear}.kind", '"bearing"', limit, remedy)


@_rule
def _shafts(
    shafts: tuple[TorsionShaft | None, TorsionShaft | None], operation: Operation, teeth: tuple[int, int]
) -> Findings:
    for gear, shaft, z in zip(GEARS, shafts, teeth, strict=True):
        if shaft is None:
            continue
        key = f"shafts.{gear}.inertia_kg_m2"
        if gear == operation.driver and shaft.inertia:
            limit = f'has no effect at the driver (driver = "{gear}"): that end turns as prescribed'
            remedy = "leave it out; supports.*.added_inertia_kg_m2 sits on the gear"
            yield Finding(key, shown(shaft.inertia), limit, remedy)
        elif gear != operation.driver and not shaft.inertia:
            limit = "is needed at the driven gear: its shaft ends at the load"
            yield Finding(key, MISSING, limit, "give the inertia of the load, or leave out the shaft")
        torque = abs(operation.pinion_torque) * z / teeth[0]
        twist = torque / shaft.stiffness
        if twist > LARGEST_TWIST:
            limit = f"twists by {twist:.3g} rad under {torque:.4g} N m, must be at most {LARGEST_TWIST:g} rad"
            key = f"shafts.{gear}.stiffness_Nm_per_rad"
            yield Finding(key, shown(shaft.stiffness), limit, "check the unit, N m per rad")


# ----------------------------------------------------------------- grids and windows
@_rule
def _grids(mesh_options: tuple[MeshOptions | None, MeshOptions | None], mesh_files: tuple[Any, Any]) -> Findings:
    for gear, options, file in zip(GEARS, mesh_options, mesh_files, strict=True):
        if options is not None and file is not None:
            limit = f"has no effect with {gear}.mesh.file, a grid made elsewhere"
            yield Finding(f"{gear}.mesh", "{table}", limit, "leave out one of the two (None in mesh_options)")
        elif options is None and file is None:
            yield Finding(f"{gear}.mesh", MISSING, "is needed without a grid made elsewhere", "give MeshOptions()")
        elif options is not None and options.n_cells > MOST_ELEMENTS:
            numbers = {name: value for name, value in vars(options).items() if name != "order"}
            largest = max(numbers, key=lambda name: numbers[name])
            yield Finding(
                f"{gear}.mesh.{largest}",
                shown(numbers[largest]),
                f"a sector of {options.n_cells} elements is too large: at most {MOST_ELEMENTS}",
                "use fewer elements",
            )


@_rule
def _order(mesh_options: tuple[MeshOptions | None, MeshOptions | None], law: str) -> Findings:
    for gear, options in zip(GEARS, mesh_options, strict=True):
        if law == "penalty" and options is not None and options.order == 2:
            limit = 'does not go with law = "penalty", which interpolates linearly across the face'
            yield Finding(f"{gear}.mesh.order", "2", limit, 'write order = 1, or law = "hertz" in [contact]')


@_rule
def _modes_of_grid(mesh_options: tuple[MeshOptions | None, MeshOptions | None], analysis: Analysis) -> Findings:
    """Refuse more modes than a quarter of the displacements of a sector: beyond it they say nothing."""
    if isinstance(analysis, StaticAnalysis):
        return
    keys = ("normal_modes", "n_modes") if isinstance(analysis, ModalAnalysis) else ("normal_modes",)
    for gear, options in zip(GEARS, mesh_options, strict=True):
        for key in keys:
            most = 0 if options is None else 3 * (options.n_nodes - options.n_bore_nodes) // 4
            if options is not None and getattr(analysis, key) > most:
                limit = f"must be at most {most}, a quarter of the displacements of a sector of the {gear}"
                yield Finding(
                    f"analysis.{key}", shown(getattr(analysis, key)), limit, "ask for fewer, or use a finer grid"
                )


@_rule
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


@_rule
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


@_rule
def _window_of_contact(
    window_pairs: int | None,
    teeth_modelled: tuple[int | None, int | None],
    pair: GearPair,
    operation: Operation,
    analysis: Analysis,
) -> Findings:
    """Refuse a window that cannot hold the pairs of the unloaded teeth, forced or for want of teeth."""
    if any(count is not None for count in teeth_modelled):
        return
    lead = leading_gear(loaded_flank(operation.driver, operation.pinion_torque))
    threshold = getattr(analysis, "tooth_change_threshold", None)
    fewest = min(gear.z for gear in pair.gears)
    wanted = pairs_needed(pair.eps_gamma) if window_pairs is None else window_pairs
    if window_pairs is None and wanted > fewest:
        limit = f"has a window of {wanted} pairs in contact, more than its {fewest} teeth"
        yield Finding("pair", f"contact ratio {pair.eps_gamma:.4g}", limit, "use more teeth or a smaller helix angle")
    if window_pairs is None or threshold is not None:
        return
    try:
        centred_threshold(*pair.engagement(lead), window_pairs)
    except Fault as fault:
        limit = f"must be {fault.limit.replace('loaded ', '')}"
        yield Finding("contact.window_pairs", shown(window_pairs), limit, fault.remedy)


# ------------------------------------------------------------------------- points
@_rule
def _points(output: OutputOptions, pair: GearPair) -> Findings:
    """Refuse points off their teeth."""
    for number, point in enumerate(output.points):
        where, gear, name = f"output.points[{number}]", pair.gears[point.gear], GEARS[point.gear]
        late = [tooth for tooth in point.teeth or () if tooth >= gear.z]
        if late:
            limit = f"must be below {gear.z}, the teeth of the {name}, which count from 0"
            yield Finding(f"{where}.teeth", shown(late[0]), limit, "leave it out")
        if abs(point.face_position) > 0.5 * gear.b * (1.0 + 1e-12):
            limit = f"must be within half of face_width_mm = {1e3 * gear.b:.9g} from mid-face"
            yield Finding(f"{where}.face_position_mm", shown(round(1e3 * point.face_position, 9)), limit, "correct it")
        if point.radius is not None and not gear.r_f < point.radius <= gear.r_a * (1.0 + 1e-12):
            limit = f"must lie above the root diameter {1e3 * gear.d_f:.6g} and up to the tip diameter"
            yield Finding(
                f"{where}.diameter_mm",
                shown(round(2e3 * point.radius, 9)),
                f"{limit} {1e3 * gear.d_a:.6g}",
                "correct it, or give fillet_share",
            )
