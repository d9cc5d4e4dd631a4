"""Rows of the table of a pair's numbers: results in the order in which they are read, the rest behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from alegear.cli.tables import label
from alegear.results.summary import notable_efficiency

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
