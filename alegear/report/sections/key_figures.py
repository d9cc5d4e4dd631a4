"""The one line a mesh by which tooth contacts are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from alegear.contact.numbering import GEARS
from alegear.report.blocks import Block, TableBlock, Text
from alegear.report.section import ReportSection
from alegear.results.result import Result
from alegear.results.summary import contact_beside_roots, notable_efficiency

#: Orders of the transmission error in the line.
ORDERS = 3


def _meshes(result: Result) -> dict[str, Mapping[str, Any]]:
    """Summaries of tooth contacts by name."""
    if "te_mean_um" in result.summary:
        return {"": result.summary}
    meshes = result.summary.get("meshes", {})
    return {name: one for name, one in meshes.items() if "te_mean_um" in one}


def _blocks(result: Result) -> Iterator[Block]:
    meshes = _meshes(result)
    safeties = [
        (key, gear, f"{words}, {gear}")
        for key, words in (("root_safety", "S F"), ("contact_safety", "S H"))
        for gear in GEARS
        if any(key in one for one in meshes.values())
    ]
    rows: list[list[Any]] = []
    for name, one in meshes.items():
        stress = one.get("root_stress_principal_max_MPa", {})
        tension = [sides.get("tension") for sides in stress.values()]
        orders = list(one.get("te_harmonics_um") or [])[:ORDERS]
        rows.append(
            [
                *([name] if name else []),
                one.get("contact_ratio_nominal"),
                one.get("contact_ratio_total"),
                one.get("contact_ratio_loaded"),
                one.get("te_mean_um"),
                one.get("te_peak_to_peak_um"),
                *(orders + [None] * (ORDERS - len(orders))),
                one.get("face_load_factor"),
                one.get("contact_pressure_max_MPa"),
                one.get("edge_pressure_max_MPa"),
                *(tension + [None] * (2 - len(tension))),
                *(one.get(key, {}).get(gear) for key, gear, _ in safeties),
                None if (efficiency := notable_efficiency(one)) is None else 100.0 * efficiency,
            ]
        )
    head = (
        *([] if "" in meshes else ["mesh"]),
        "ε α", "ε γ", "ε under load", "TE mean [µm]", "TE peak to peak [µm]",
        *(f"TE order {k} [µm]" for k in range(1, ORDERS + 1)),
        "K\u00a0Hβ", "flank pressure [MPa]", "edge pressure [MPa]",
        "root stress, pinion [MPa]", "root stress, wheel [MPa]", *(words for _, _, words in safeties), "efficiency [%]",
    )  # fmt: skip
    yield TableBlock(head=head, rows=rows)
    words = (
        "ε α: transverse contact ratio of the usable flanks; ε γ: with the overlap ratio; ε under load: mean number of "
        "loaded tooth pairs. TE: transmission error along the line of action, amplitudes of mesh orders. K Hβ: largest "
        "line load over the mean across the face. Edge pressure is that of tip edges and undercut edges, which depends "
        "on their rounding and is no measure of the flanks. Root stress: largest principal stress in the fillet, on "
        "the tension side; pinion and wheel are the first and the second gear of a mesh."
    )
    if safeties:
        words += (
            " S F, S H: endurance of the material, as given, over the local stress in the fillet and the largest flank "
            "pressure; a comparison of local stresses, no rating by ISO 6336."
        )
    for name, one in meshes.items():
        beside = contact_beside_roots(one)
        words += f" {name + ': ' if name and beside else ''}{beside}" if beside else ""
    if any(notable_efficiency(one) is None for one in meshes.values()):
        words += " Efficiency: only motions with friction have one."
    yield Text(text=words, kind="note")


SECTION = ReportSection(
    title="Key figures", order=20, holds=lambda result: bool(_meshes(result)), blocks=_blocks, of_meshes=False
)
