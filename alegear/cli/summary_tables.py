"""Tables of what ``alegear run`` came to: numbers of a pair in the order in which they are read, parts of a machine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from alegear.cli.printing import new_console, relative
from alegear.cli.tables import cell, label, new_table, part_tables
from alegear.errors import one_line
from alegear.results.linear_response import DIFFERENCE, parted_words
from alegear.results.modal_result import turning_changes
from alegear.results.summary import notable_efficiency
from alegear.results.sweep_result import DIRECTIONS

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.machine import MachineCase
    from alegear.results.result import Result

#: Numbers that belong together, in the order in which a gear engineer reads them.
GROUPS = (
    ("te_mean_um", "te_peak_to_peak_um", "te_peak_to_peak_grid_um"),
    (
        "mesh_stiffness_N_per_um",
        "mesh_stiffness_mean_N_per_um",
        "mesh_stiffness_min_N_per_um",
        "mesh_stiffness_max_N_per_um",
        "mesh_stiffness_iso_6336_N_per_um",
        "mesh_stiffness_over_iso_6336",
        "body_deflection_share",
    ),
    ("j_wt_um", "j_bn_um"),
    ("tooth_load_max_N", "thrust_max_N", "face_load_factor"),
    ("contact_ratio_nominal", "contact_ratio_tip_circles", "contact_ratio_total", "contact_ratio_loaded"),
    ("contact_pressure_max_MPa", "edge_pressure_max_MPa", "contact_shear_stress_max_MPa"),
    ("root_stress_principal_max_MPa", "root_stress_max_MPa", "root_contact_stress_max_MPa"),
    ("root_safety", "contact_safety"),
    (
        "efficiency",
        "power_loss_mean_W",
        "sliding_velocity_max_m_per_s",
        "specific_sliding_extreme",
        "pressure_velocity_max_MPa_m_per_s",
        "flash_temperature_max_K",
        "contact_temperature_max_C",
    ),
    ("mesh_natural_frequency_Hz", "mesh_natural_frequency_fixed_axes_Hz", "mesh_natural_frequency_free_Hz"),
)
#: What the calculation needed, which ``summary.json`` tells.
INTERNAL = ("tooth_change_threshold", "memory_estimate_MB", "phase", "resumed_at_s", "flash_temperature_peclet")
#: What is said in words beside a table.
IN_WORDS = ("run_up_needed_s",)
#: What is said beside a name.
BESIDE = {
    "te_peak_to_peak_grid_um": ", its change on half the elements",
    "body_deflection_share": ", its rim about the bore",
    "root_stress_max_MPa": ", von Mises",
    "root_safety": ", endurance over stress in the fillet",
    "contact_safety": ", endurance over flank pressure",
    "root_contact_stress_max_MPa": ", of a tip edge beside the root: no bending",
    "edge_pressure_max_MPa": ", of tip and undercut edges",
}


class NumberRow(NamedTuple):
    """A name in words and its value."""

    name: str
    value: float


def number_groups(summary: Mapping[str, Any], positions_per_pitch: int | None = None) -> Iterator[list[NumberRow]]:
    """Yield the numbers of a summary, those together that belong together.

    Contact ratios that say the same as the nominal one are left out, an efficiency without friction, and what
    :data:`INTERNAL` names; a number that no group knows comes last.

    Parameters
    ----------
    summary : mapping
        As in ``summary.json``.
    positions_per_pitch : int, optional
        Of a static study: to how much its loaded contact ratio is known.
    """
    beside = dict(BESIDE)
    if positions_per_pitch is not None:
        beside["contact_ratio_loaded"] = f", known to 1/{positions_per_pitch}"
    left_out = [
        key
        for key in ("contact_ratio_tip_circles", "contact_ratio_total")
        if summary.get(key) == summary.get("contact_ratio_nominal")
    ]
    left_out += ["efficiency"] if notable_efficiency(summary) is None else []
    known = {*left_out, *INTERNAL, *IN_WORDS, *(key for group in GROUPS for key in group)}
    others = [key for key, value in summary.items() if key not in known and isinstance(value, float)]
    for group in (*GROUPS, others):
        rows = [
            row for key in group if key not in left_out for row in _rows(key, summary.get(key), beside.get(key, ""))
        ]
        if rows:
            yield rows


def _rows(key: str, value: Any, beside: str) -> Iterator[NumberRow]:
    """Yield the rows of a number, or of the numbers of both gears: the tension sides of roots before the others."""
    if isinstance(value, float):
        yield NumberRow(label(key) + beside, value)
    elif isinstance(value, Mapping):
        base, _, unit = label(key).partition(" ")
        sides = list(dict.fromkeys(side for one in value.values() if isinstance(one, Mapping) for side in one))
        for side in sides or [""]:
            for gear, one in value.items():
                number = one[side] if side else one
                if isinstance(number, float):
                    yield NumberRow(" ".join(filter(None, (base, gear, side, unit))) + beside, number)


RPM = math.radians(6.0)


def print_summary(result: Result, place: Path, case: Case | MachineCase) -> None:
    """Print what a run came to, and where it is written."""
    summary = result.summary
    if summary.get("rotational"):
        _print_rotational_summary(result, place)
    elif summary.get("spatial"):
        _print_spatial_summary(summary, place)
    elif summary.get("machine") and summary["analysis"] != "modal":
        _print_machine_summary(summary, place, case)
    else:
        _print_numbers(summary, place, case)


def _print_numbers(summary: Mapping[str, Any], place: Path, case: Case | MachineCase) -> None:
    """Table of the numbers of a pair, with the natural frequencies of a pair or a machine."""
    from rich.table import Table

    table = Table(show_header=False)
    table.add_column(overflow="fold")  # in a narrow window the names must stay apart
    table.add_column(justify="right", no_wrap=True)
    from alegear.case.analysis import MachineStatic, StaticAnalysis

    analysis = case.analysis
    per_pitch = analysis.positions_per_pitch if isinstance(analysis, StaticAnalysis | MachineStatic) else None
    for rows in number_groups(summary, per_pitch):
        for row in rows:
            table.add_row(row.name, f"{row.value:.5g}")
        table.add_section()
    for direction in DIRECTIONS:
        for key, value in summary.get(direction, {}).items():
            if isinstance(value, float):
                table.add_row(f"{direction}: {label(key)}", f"{value:.5g}")
    console = new_console()
    if table.row_count:
        console.print(table)
    if "linear" in summary:
        _print_linear(console, {"": summary["linear"]}, {"": summary}, summary["run_up_needed_s"])
    if summary.get("analysis") == "modal":
        if summary.get("machine"):
            for table in _machine_mode_tables(summary["modes"], summary["turning_modes"]):
                console.print(table)
        if "held_frequency_Hz" in summary:
            console.print(_mode_table(summary))
    _print_place(console, summary, place)


def _print_linear(console: Any, meshes: dict[str, Any], directions: dict[str, Any], needed: float) -> None:
    """Print orders of the linearised response, the run-up [s] they need, and where the motion differs, by mesh."""
    rows = []
    for mesh, orders in meshes.items():
        for name, of_order in orders.items():
            values = [of_order[key] for key in ("te_static_um", "te_max_um", "at_speed_rpm", "at_frequency_Hz")]
            shown = (f"{value:.4g}" if value < 1000.0 else f"{value:.0f}" for value in values)
            rows.append((f"{mesh} {name.removeprefix('order_')}".strip(), *shown))
    columns = dict.fromkeys(("order", "at rest, um", "largest, um", "at rpm", "at Hz"), "right")
    console.print(new_table("linearised response, transmission error", columns, rows))
    if needed > 0.0:
        words = f"a run-up over this range that follows it within {100.0 * DIFFERENCE:.0f} %: {needed:.2g} s"
        console.print(words, soft_wrap=True, highlight=False)
    for mesh, found in directions.items():
        for direction in DIRECTIONS:
            ranges = found.get(direction)
            ranges = ranges.get("nonlinear_ranges") if isinstance(ranges, dict) else ranges
            if ranges is not None:
                of = f"{direction} of {mesh}" if mesh else direction
                console.print(
                    f"{of} against the linearised response: {parted_words(ranges)}", soft_wrap=True, highlight=False
                )


def _mode_table(summary: Mapping[str, Any]) -> Any:
    """Natural frequencies of a pair, and of wheels with nodal diameters, one line a mode."""
    of_pair = summary.get("pair_frequency_Hz")
    columns = [] if of_pair is None else [("pair", of_pair, None)]
    for gear in summary["held_frequency_Hz"]:
        for name, words in (("held", "bore held"), ("free", "free")):
            frequency, diameter = summary[f"{name}_frequency_Hz"], summary[f"{name}_nodal_diameter"]
            columns.append((f"{gear}, {words}", frequency[gear], diameter[gear]))
    rows = []
    for mode in range(max(len(frequencies) for _, frequencies, _ in columns)):
        cells = []
        for _, frequencies, diameters in columns:
            there = mode < len(frequencies)
            n = f" ({diameters[mode]})" if there and diameters is not None else ""
            cells.append(f"{frequencies[mode]:.1f}{n}" if there else "")
        rows.append((str(mode + 1), *cells))
    heads = {"": "left"} | {title: "right" for title, _, _ in columns}
    return new_table("natural frequencies in Hz (nodal diameter)", heads, rows)


def _machine_mode_tables(still: Sequence[dict[str, Any]], turning: Sequence[dict[str, Any]]) -> list[Any]:
    """Modes standing still, and turning and damped where that changes any of them."""
    f, g = ([one["frequency_Hz"] for one in modes] for modes in (still, turning))
    if not turning_changes(f, g, [one["damping_ratio"] for one in turning]):
        return [_machine_mode_table("natural frequencies: nothing damps the modes, and turning changes none", still)]
    tables = (("standing still, undamped", still), ("turning, damped", turning))
    return [_machine_mode_table(title, modes) for title, modes in tables]


def _machine_mode_table(title: str, modes: Sequence[dict[str, Any]]) -> Any:
    """Natural frequencies of a machine, with the parts that take most of their energy."""
    rows, kinds = [], [" ".join(mode.get("kind", {}).values()) for mode in modes]
    columns = {"": "right", "Hz": "right"}
    if damped := any("damping_ratio" in mode for mode in modes):
        columns["damping ratio"] = "right"
    if any(kinds):
        columns["kind of planetary sets"] = "left"
    for number, mode in enumerate(modes, start=1):
        shares = sorted(mode["energy_share"].items(), key=lambda share: -share[1])[:3]
        row = [str(number), f"{mode['frequency_Hz']:.1f}"]
        row += [f"{mode['damping_ratio']:.4f}"] if damped else []
        row += [kinds[number - 1]] if any(kinds) else []
        rows.append([*row, ", ".join(f"{name} {100.0 * share:.0f} %" for name, share in shares)])
    return new_table(title, columns | {"energy of deformation in": "left"}, rows)


#: Numbers of each mesh of a machine after a run; what a kind of analysis does not have is left out.
_OF_MESH = (
    "te_mean_um",
    "te_peak_to_peak_um",
    "mesh_stiffness_mean_N_per_um",
    "mesh_stiffness_iso_6336_N_per_um",
    "mesh_stiffness_over_iso_6336",
    "contact_ratio_loaded",
    "face_load_factor",
    "contact_pressure_max_MPa",
)


def _print_machine_summary(summary: Mapping[str, Any], place: Path, case: Any) -> None:
    """Short tables of meshes, shafts and bearings of a machine."""
    console = new_console()
    gears = {one.name: one.gears for one in case.meshes}
    meshes = {name: _mesh_numbers(one, gears[name]) for name, one in summary.get("meshes", {}).items()}
    shafts = {name: _numbers(one) for name, one in summary.get("shafts", {}).items()}
    bearings = {name: _numbers(one) for name, one in summary.get("bearings", {}).items()}
    for kind, parts in (("meshes", meshes), ("shafts", shafts)):
        if parts:
            for table in part_tables(kind, parts, None):
                console.print(table)
    if bearings:
        console.print(_rows_of_parts("bearings", bearings, list(next(iter(bearings.values())))))
    if "linear" in summary:
        _print_linear(console, summary["linear"], summary.get("nonlinear_ranges", {}), summary["run_up_needed_s"])
    _print_place(console, summary, place)


def _mesh_numbers(summary: Mapping[str, Any], gears: Sequence[str]) -> dict[str, Any]:
    """Numbers of a mesh: the largest root stress of each gear by its place in the mesh, named above it."""
    numbers: dict[str, Any] = {"gears": list(gears)}
    numbers |= {key: summary[key] for key in _OF_MESH if key in summary}
    if "body_deflection_share" in summary:
        numbers["body_deflection_share"] = list(summary["body_deflection_share"].values())
    stress = summary.get("root_stress_principal_max_MPa", {})
    largest = [sides["tension"] for sides in stress.values()]
    numbers |= {"root_stress_principal_max_MPa": largest} if largest else {}
    return numbers | {key: list(summary[key].values()) for key in ("root_safety", "contact_safety") if key in summary}


def _numbers(summary: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in summary.items() if value is None or isinstance(value, float)}


#: Rows of a table of events, of losses.
_MOST_EVENTS, _MOST_LOSSES = 20, 10


def _print_rotational_summary(result: Result, place: Path) -> None:
    """Short tables of events, bodies, losses and the account of energy of a torsional machine."""
    from alegear.results.switch_events import MODES, events
    from alegear.storage.store import EVENTS_FILE

    summary, console = result.summary, new_console()
    found = events(result.dataset)
    if found:
        rows = [(f"{one.time:.9g}", one.switch, MODES[one.before], MODES[one.after]) for one in found[:_MOST_EVENTS]]
        if len(found) > _MOST_EVENTS:
            rows.append(("...", f"{len(found) - _MOST_EVENTS} more in {EVENTS_FILE}", "", ""))
        columns = {"time s": "right", "switch": "left", "before": "left", "after": "left"}
        console.print(new_table("events", columns, rows))
    turning = (
        (name, *(cell(one[key] / RPM) for key in ("speed_max_rad_per_s", "speed_end_rad_per_s")))
        for name, one in summary["bodies"].items()
    )
    console.print(new_table("bodies", {"": "left", "largest rpm": "right", "at the end rpm": "right"}, turning))
    lost = {name: one["energy_lost_J"] for name, one in summary["parts"].items() if one["energy_lost_J"]}
    order = sorted(lost, key=lambda name: -abs(lost[name]))
    energy = summary["energy"]
    if lost:
        losses = [(name, lost[name]) for name in order[:_MOST_LOSSES]]
        rest = [lost[name] for name in order[_MOST_LOSSES:]]
        losses += [(f"{len(rest)} others", sum(rest))] if rest else []
        share = 100.0 / energy["dissipated_J"] if energy["dissipated_J"] else 0.0
        shares = ((name, f"{value:.5g}", f"{share * value:.3g}") for name, value in losses)
        console.print(new_table("energy lost", {"": "left", "J": "right", "%": "right"}, shares))
    _print_energy(console, energy, {"elastic": "stored in parts"})
    console.print(f"{summary['events']} events, {_counts(summary)}", highlight=False, soft_wrap=True)
    _print_place(console, summary, place)


def _print_spatial_summary(summary: Mapping[str, Any], place: Path) -> None:
    """Short tables of what a machine with bodies in space came to."""
    console = new_console()
    for kind in ("meshes", "joints", "bushings", "point_springs"):
        named = summary[kind]
        if not named:
            continue
        keys = [key for key, value in next(iter(named.values())).items() if isinstance(value, float)]
        console.print(_rows_of_parts(kind.replace("_", " "), named, keys))
    if "energy" in summary:
        _print_energy(console, summary["energy"], {"stored": "stored"})
    console.print(_counts(summary), highlight=False, soft_wrap=True)
    _print_place(console, summary, place)


def _rows_of_parts(kind: str, named: Mapping[str, Mapping[str, Any]], keys: Sequence[str]) -> Any:
    """Parts of a kind, a row each, with the numbers of some keys."""
    rows = ((name, *(cell(one.get(key)) for key in keys)) for name, one in named.items())
    return new_table("", {kind: "left"} | {label(key): "right" for key in keys}, rows)


def _print_energy(console: Any, energy: Mapping[str, float], stored: Mapping[str, str]) -> None:
    """Print the energy balance; `stored` says what is stored, by its key."""
    words = {"input": "input", "dissipated": "dissipated", "kinetic": "kinetic", **stored}
    balance = ", ".join(f"{word} {energy[f'{key}_J']:.6g} J" for key, word in words.items())
    residual = f"residual of the balance {energy['missing_J']:.2g} J"
    console.print(f"energy: {balance}; {residual}", highlight=False, soft_wrap=True)


def _counts(summary: Mapping[str, Any]) -> str:
    """What the computation cost."""
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in summary["counts"].items())


def _print_place(console: Any, summary: Mapping[str, Any], place: Path) -> None:
    total = summary["seconds"]["total"]
    line = one_line(f"written to {relative(place)} in {total:.1f} s")
    console.print(line, highlight=False, soft_wrap=True, markup=False)
