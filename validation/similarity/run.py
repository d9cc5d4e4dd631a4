"""Similar machines: every case of meshes/ at other lengths, moduli, densities and times, its results and messages."""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from checks import Row, alone
from compare import Answer, difference, response, tables
from scaling import Scale

MESHES = Path(__file__).resolve().parents[2] / "meshes"
SIMILARITY = "similarity"
BOUND = 1e-9

COARSE = {
    "grid.flank_elements": 8,
    "grid.fillet_elements": 6,
    "grid.thickness_elements": 4,
    "grid.width_elements": 4,
    "grid.rim_elements": 6,
}
FEW = {"analysis.positions_per_pitch": 4}
PENALTY = {"contact.law": "penalty"}
#: Of motions between events, whose steps are chosen by the last digit.
FINE = {"analysis.tolerance": 1e-12}


def lengths(ratio: float) -> Scale:
    """Lengths and times in proportion: of the same material, whose density stays."""
    return Scale(name=f"lengths x {ratio:g}", length=ratio, time=ratio)


MODULI = Scale(name="moduli x 3/210", stress=3.0 / 210.0)
DENSITIES = Scale(name="densities x 4, times x 2", time=2.0)
TIMES = Scale(name="times x 1/4, moduli x 16", time=0.25, stress=16.0)
#: Of motions with steps that are chosen: by powers of two no digit changes, by others a step more or less is decided by
#: round-off, and answers differ by the error of a step.
BINARY = (lengths(1.0 / 64.0), lengths(64.0), Scale(name="moduli x 1/64", stress=1.0 / 64.0), DENSITIES, TIMES)
ANY = (lengths(0.02), lengths(50.0), MODULI, DENSITIES, TIMES)


@dataclass(frozen=True)
class Similar:
    """A case, what is changed in it, and in what it is not similar to another.

    Parameters
    ----------
    name : str
        Of the file in ``meshes/``.
    changes : mapping
        Dotted keys, for a shorter or coarser run, or another kind of analysis.
    longest : float
        Largest ratio of lengths at which all values are in the ranges of their keys.
    moduli : bool
        Whether moduli may be others: bearings with rolling elements are of bearing steel.
    title : str
    """

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    longest: float = 64.0
    moduli: bool = True
    title: str = ""

    @property
    def path(self) -> Path:
        """The file."""
        return MESHES / f"{self.name}.toml"

    def scales(self, scales: Sequence[Scale]) -> Iterator[Scale]:
        """Those of them that it can be given."""
        for scale in scales:
            if scale.stress != 1.0 and not self.moduli:
                continue
            yield lengths(self.longest) if scale.length > self.longest else scale


MOST = {
    "helical_24_95": 16.0,
    "planetary_nrel_5mw": 8.0,
    "planetary_nrel_5mw_teeth": 8.0,
    "wind_turbine": 4.0,
    "bearing_defect": 16.0,
}
OF_BEARING_STEEL = ("bearing_defect",)
#: Defaults with a unit that are written out: the density of air, a clutch that is told by its torque alone, and the
#: frequency up to which shafts keep their modes.
WRITTEN_OUT: dict[str, dict[str, Any]] = {
    **{
        name: {f"shafts.{shaft}.highest_mode_Hz": 25e3 for shaft in ("input", "middle", "output")}
        for name in ("two_stage_helical", "clutch_gearbox")
    },
    "zf_4hp22": {"road_loads.road.air_density_kg_per_m3": 1.2, "brakes.brakes.effective_radius_m": 1.0},
}


def similar(name: str, changes: Mapping[str, Any] | None = None, title: str = "") -> Similar:
    """A case with what is known of its file."""
    return Similar(
        name,
        {**WRITTEN_OUT.get(name, {}), **(changes or {})},
        MOST.get(name, 64.0),
        name not in OF_BEARING_STEEL,
        title or name,
    )


LINEAR = {
    "analysis": {
        "kind": "sweep",
        "speed_from_rpm": 600.0,
        "speed_to_rpm": 3000.0,
        "response": "linearised",
        "linear_speeds": 3,
    },
    "operation.pinion_speed_rpm": None,
}
STATIC = (
    similar("spur_20_30", COARSE | FEW),
    similar("spur_13_97", COARSE | FEW),
    similar("helical_24_95", COARSE | FEW),
    similar("e_axle_stage", COARSE | FEW),
    similar("idler_3_gears", COARSE | FEW),
    similar("two_stage_helical", COARSE | FEW),
    similar("spur_20_30", {**COARSE, "analysis": {"kind": "modal"}}, "spur_20_30, modes"),
    similar("spur_20_30_dynamic", {**COARSE, **LINEAR}, "spur_20_30, linearised response of a sweep"),
    similar("spur_20_30", COARSE | FEW | PENALTY, "spur_20_30, penalty law"),
    similar("planetary_lin_parker"),
    similar("planetary_nrel_5mw_teeth", FEW),
    similar("bevel_pair"),
    similar("double_rack"),
    similar("three_wheels"),
)
MOVING = (
    similar("spur_20_30_dynamic", COARSE | {"analysis.duration_s": 0.004}),
    similar("spur_20_30_dynamic", COARSE | PENALTY | {"analysis.duration_s": 0.0004}, "spur_20_30, penalty, motion"),
    similar("spur_13_97_dynamic", COARSE | {"analysis.duration_s": 0.02, "analysis.ramp_s": 0.01}),
    similar("clutch_gearbox", COARSE | {"analysis.duration_s": 0.001}),
    similar("bearing_defect", {"analysis.duration_s": 0.021}),
    similar("wind_turbine", {"analysis.duration_s": 0.004}),
    similar("spur_transmission", {"analysis.duration_s": 0.002}),
    similar("actuator", {"analysis.duration_s": 0.5, **FINE}),
    similar("gear_shift", FINE),
    similar("zf_4hp22", {"analysis.duration_s": 6.0, **FINE}),
    similar("planetary_nrel_5mw", {"analysis.duration_s": 0.05, **FINE}),
)
QUICK_RUNS = (
    similar("spur_20_30", {**COARSE, "analysis.positions_per_pitch": 2, "analysis.grid_estimate": False}),
    similar("planetary_lin_parker"),
)


def compared(case: Similar, scales: Sequence[Scale], kind: str) -> Iterator[Row]:
    """Worst deviation and number of messages that are not those of the case, over its scales."""
    raw = tables(case.path, case.changes)
    one = response(kind, raw, case.path)
    # what is refused at every scale is no evidence
    worst, where, unlike = (0.0, "", list[str]()) if one.numbers else (math.inf, ", refused", one.warnings)
    for scale in case.scales(scales):
        other = _scaled(case, raw, scale, kind)
        found = difference(one, other, scale)
        unlike += [f"{scale.name}: {message}" for message in found.messages]
        if not found.worst <= worst:
            worst, where = found.worst, f", {found.quantity} at {scale.name}"
    for message in unlike:
        print(f"{case.title}, {message}", file=sys.stderr)
    what = "check" if kind == "check" else "run"
    yield Row(quantity=f"{what} of {case.title}: largest deviation{where}", value=worst, bound=BOUND, kind="at most",
              source=SIMILARITY)  # fmt: skip
    yield Row(quantity=f"{what} of {case.title}: messages that differ", value=float(len(unlike)), bound=0.0,
              kind="at most", source=SIMILARITY)  # fmt: skip


def _scaled(case: Similar, raw: dict[str, Any], scale: Scale, kind: str) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        scale.copy_beside(case.path.parent, Path(folder))
        return response(kind, scale.table(raw), Path(folder) / case.path.name)


def rows(quick: bool) -> Iterator[Row]:
    """All files checked, and run; the quick form runs a static pair and the modes of a planetary set."""
    for path in sorted(MESHES.glob("*.toml")):
        yield from compared(similar(path.stem), ANY[:3] if quick else ANY, "check")
    for case in QUICK_RUNS if quick else STATIC:
        yield from compared(case, ANY[::2][:2] if quick else ANY, "run")
    for case in () if quick else MOVING:
        yield from compared(case, BINARY, "run")


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
