"""Sign of the transmission error, and the mesh stiffness beside that of ISO 6336-1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from alegear.report.blocks import Block, Text
from alegear.report.section import ReportSection
from alegear.results.reading import over_lead
from alegear.results.result import Result

SIGN = (
    "Sign: base radius times rotation of the driven gear less that of the driver, each counted positive in the running "
    "direction, along the line of action. A loaded pair of perfect flanks has a negative mean: the driven gear lags."
)


def _blocks(result: Result) -> Iterator[Block]:
    yield Text(text=SIGN, kind="note")
    if words := "; ".join(_beside_iso(result.summary)):
        yield Text(text=f"{words}.", kind="note")


def _beside_iso(summary: Mapping[str, Any]) -> Iterator[str]:
    """What ISO 6336-1 has, and what the bodies do."""
    iso, ratio = (summary.get(f"mesh_stiffness_{name}") for name in ("iso_6336_N_per_um", "over_iso_6336"))
    if iso is not None and ratio is not None:
        yield f"ISO 6336-1 (c_γα times face width): {iso:.4g} N/µm; the mean is {ratio:.3g} of it"
    shares = summary.get("body_deflection_share", {})
    if shares:
        words = " and ".join(f"{100.0 * share:.0f} % of the deflection in the {gear}" for gear, share in shares.items())
        yield f"the rims turn and shift about the rigid bores: {words}"


SECTION = ReportSection(
    title="Transmission error and mesh stiffness",
    order=110,
    holds=lambda result: over_lead(result.dataset, "transmission_error", "phase", ndim=1),
    blocks=_blocks,
)
