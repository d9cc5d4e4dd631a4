"""Geometry of gears and their engagement, as ``alegear check`` derives it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from alegear.report.blocks import Block, TableBlock, Text
from alegear.report.section import ReportSection
from alegear.report.study_keys import varied
from alegear.report.values import label_of
from alegear.results.result import Result

#: A key in words.
Words = Callable[[str], str]
#: Significant digits, as ``alegear check`` has them: dimensions over balls are measured to a micrometre.
DIGITS = 6
#: Parts side by side in a table.
BESIDE = 5
#: Millimetres, degrees ... below it are zero.
ROUND_OFF = 1e-11
_GEARS = ("pinion", "wheel")
#: Keys of ``alegear check --json`` as gear engineers say them.
WORDS = {
    "z": "number of teeth z",
    "teeth": "number of teeth z",
    "m_n_mm": "normal module m_n [mm]",
    "alpha_n_deg": "normal pressure angle α_n [°]",
    "b_mm": "face width b [mm]",
    "x": "profile shift coefficient x",
    "d_mm": "reference diameter d [mm]",
    "d_b_mm": "base diameter d_b [mm]",
    "d_a_mm": "tip diameter d_a [mm]",
    "d_f_mm": "root diameter d_f [mm]",
    "d_w_mm": "working pitch diameter d_w [mm]",
    "d_Ff_mm": "root form diameter d_Ff [mm]",
    "d_Fa_mm": "tip form diameter d_Fa [mm]",
    "d_Nf_mm": "active root diameter d_Nf [mm]",
    "d_Na_mm": "active tip diameter d_Na [mm]",
    "d_LPSTC_mm": "single contact from d [mm]",
    "d_HPSTC_mm": "single contact to d [mm]",
    "mass_kg": "mass [kg]",
    "inertia_kg_m2": "inertia about the axis [kg m²]",
    "beta_deg": "helix angle β [°]",
    "z_n": "virtual number of teeth z_n",
    "s_n_mm": "normal tooth thickness s_n [mm]",
    "s_an_mm": "normal tooth thickness at the tip s_an [mm]",
    "k": "teeth spanned k",
    "W_k_mm": "span measurement W_k [mm]",
    "D_M_mm": "diameter of measuring balls D_M [mm]",
    "M_d_mm": "dimension over balls M_d [mm]",
    "bore_mm": "bore diameter [mm]",
    "rim_modules": "rim between bore and root circle [modules]",
    "tip_clearance_mm": "tip clearance c [mm]",
    "specific_sliding_root": "specific sliding at the root",
    "specific_sliding_tip": "specific sliding at the tip",
    "a_w_mm": "centre distance a_w [mm]",
    "alpha_t_deg": "transverse pressure angle α_t [°]",
    "alpha_wt_deg": "working transverse pressure angle α_wt [°]",
    "beta_b_deg": "base helix angle β_b [°]",
    "beta_w_deg": "helix angle at the working pitch circle β_w [°]",
    "x_sum": "sum of profile shifts",
    "x_sum_without_backlash": "sum of profile shifts without backlash",
    "p_bt_mm": "transverse base pitch p_bt [mm]",
    "g_alpha_mm": "length of the path of contact g_α [mm]",
    "eps_alpha": "transverse contact ratio ε_α, tip circles",
    "eps_alpha_usable": "transverse contact ratio ε_α, usable flanks",
    "eps_alpha_form": "transverse contact ratio ε_α, form circles",
    "eps_beta": "overlap ratio ε_β",
    "eps_gamma": "total contact ratio ε_γ",
    "j_wt_mm": "transverse backlash j_wt [mm]",
    "j_bn_mm": "normal backlash j_bn [mm]",
    "m_t_mm": "transverse module m_t [mm]",
    "b_w_mm": "common face width b_w [mm]",
    "c_prime_N_per_mm_um": "ISO 6336-1 single stiffness c' [N/(mm µm)]",
    "c_gamma_alpha_N_per_mm_um": "ISO 6336-1 mesh stiffness c_γα [N/(mm µm)]",
    "iso_6336_note": "ISO 6336-1 stiffnesses, note",
    "roll_length_mm": "roll length [mm]",
    "roll_angle_deg": "roll angle [°]",
    "tip_relief_um": "tip relief C_a [µm]",
    "tip_relief_start_diameter_mm": "tip relief from d [mm]",
    "tip_relief_start_roll_length_mm": "tip relief from roll length [mm]",
    "tip_relief_start": "tip relief from",
    "tip_relief_shape": "tip relief, shape",
    "root_relief_um": "root relief C_f [µm]",
    "root_relief_start_diameter_mm": "root relief from d [mm]",
    "root_relief_start_roll_length_mm": "root relief from roll length [mm]",
    "root_relief_start": "root relief from",
    "root_relief_shape": "root relief, shape",
    "profile_crowning_um": "profile crowning C_α [µm]",
    "profile_slope_um": "profile slope C_Hα [µm]",
    "lead_crowning_um": "lead crowning C_β [µm]",
    "helix_slope_um": "helix slope C_Hβ [µm]",
    "end_relief_um": "end relief [µm]",
    "end_relief_length_mm": "length of each end relief [mm]",
    "topography_range_um": "measured flanks, range [µm]",
    "topography_left_range_um": "measured left flanks, range [µm]",
    "topography_right_range_um": "measured right flanks, range [µm]",
    "pitch_deviation_range_um": "pitch deviations, range [µm]",
    "tilt_plane_of_action_deg": "tilt in the plane of action [°]",
    "tilt_normal_deg": "tilt normal to it [°]",
    "axial_offset_mm": "axial offset [mm]",
    "center_distance_error_um": "centre distance error [µm]",
}
#: Points of a flank.
POINTS = {
    "Ff": "root form circle",
    "Nf": "active root",
    "LPSTC": "single contact from",
    "C": "pitch point",
    "HPSTC": "single contact to",
    "Fa": "tip form circle",
    "Na": "active tip",
    "a": "tip circle",
}
#: Tables of what parts there are, a row a part.
_LEFT_OUT = ("warnings",)
#: Keys whose values are names of kinds.
_KINDS = ("kind", "fidelity")


def _blocks(result: Result) -> Iterator[Block]:
    data, words = dict(result.record.data), partial(_words, result.record.quantities)
    if keys := varied(result):
        text = f"Of the case from which the study starts; it varies {', '.join(keys)}, and what follows from these."
        yield Text(text=text, kind="note")
    if isinstance(teeth := data.pop("teeth", None), Mapping):
        yield from _side_by_side("teeth", teeth, words)
    if all(isinstance(data.get(name), Mapping) for name in _GEARS):
        # numbers of teeth and the module stand in the table of the teeth
        own = {name: data.pop(name) for name in _GEARS}
        yield from _side_by_side("gears", {name: {**one, "teeth": None} for name, one in own.items()}, words)
        if isinstance(pair := data.pop("pair", None), Mapping):
            rows = [(words(key), _value(value)) for key, value in pair.items() if key != "m_n_mm"]
            yield TableBlock(digits=DIGITS, head=("engagement", ""), rows=rows)
    for kind, named in data.items():
        if kind in _LEFT_OUT or not isinstance(named, Mapping) or not named:
            continue
        title = kind.replace("_", " ")
        if all(_holds_tables(one) for one in named.values()):
            for name, points in named.items():
                yield from _below_each_other(f"{title}, {name}", points, words)
        elif all(isinstance(one, Mapping) for one in named.values()):
            yield from _side_by_side(title, named, words)
            if any(_has_ring(one) for one in named.values()):
                text = "Diameters of rings and their centre distances are negative, as in ISO 21771."
                yield Text(text=text, kind="note")
        else:
            yield TableBlock(
                digits=DIGITS, head=(title, ""), rows=[(words(key), _value(value, key)) for key, value in named.items()]
            )


def _side_by_side(title: str, parts: Mapping[str, Mapping[str, Any]], words: Words) -> Iterator[Block]:
    """A column a part, a row a quantity; what no part has is left out."""
    names = list(parts)
    for first in range(0, len(names), BESIDE):
        some = names[first : first + BESIDE]
        keys = dict.fromkeys(key for name in some for key in parts[name])
        rows = [(words(key), *(_value(parts[name].get(key), key) for name in some)) for key in keys]
        yield TableBlock(
            digits=DIGITS, head=(title, *some), rows=[row for row in rows if any(_is_given(one) for one in row[1:])]
        )


def _below_each_other(title: str, parts: Mapping[str, Mapping[str, Any]], words: Words) -> Iterator[Block]:
    """A row a part, a column a quantity."""
    keys = list(dict.fromkeys(key for one in parts.values() for key in one))
    rows = [[POINTS.get(name, name), *(_value(one.get(key)) for key in keys)] for name, one in parts.items()]
    heads = ("diameter [mm]" if key == "d_mm" else words(key) for key in keys)
    yield TableBlock(digits=DIGITS, head=(title, *heads), rows=rows)


def _has_ring(part: Mapping[str, Any]) -> bool:
    """Whether it is a mesh with a ring."""
    diameters = part.get("d_w_mm")
    return isinstance(diameters, list) and min(diameters) < 0.0


def _words(quantities: Mapping[str, str], key: str) -> str:
    """A key in words, with its symbol and unit."""
    return WORDS.get(key) or label_of(key, quantities)


def _value(value: Any, key: str = "") -> Any:
    """A value; what round-off has left of a zero is 0, kinds have no underscores."""
    if key in _KINDS and isinstance(value, str):
        return value.replace("_", " ")
    return 0.0 if isinstance(value, float) and abs(value) < ROUND_OFF else value


def _holds_tables(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value) and all(isinstance(one, Mapping) for one in value.values())


def _is_given(value: Any) -> bool:
    return value is not None and value != {} and value != []


SECTION = ReportSection(
    title="Geometry",
    order=30,
    holds=lambda result: bool(result.record.data),
    blocks=_blocks,
    of_meshes=False,
)
