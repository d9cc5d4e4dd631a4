"""Write the golden numbers anew: ``python tests/golden/regenerate.py``.

They are no truth, only what the program gave; run this when a change of the results is meant, and say why in the
commit.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import alegear as ag

HERE = Path(__file__).resolve().parent
CASES = HERE.parents[1] / "meshes"
COARSE = ag.MeshOptions(flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4)
NUMBERS = (
    "te_mean_um",
    "te_peak_to_peak_um",
    "mesh_stiffness_mean_N_per_um",
    "contact_ratio_loaded",
    "tooth_load_max_N",
    "contact_pressure_max_MPa",
    "edge_pressure_max_MPa",
    "root_stress_max_MPa",
)


def coarse_case(name: str) -> ag.Case:
    """A delivered case on coarse grids, without fields, 8 positions or a fixed step."""
    case = ag.Case.from_toml(CASES / f"{name}.toml")
    if name.endswith("_dynamic"):
        analysis: Any = replace(case.analysis, duration=2e-3, ramp=0.0, time_step=2e-5, output_every=2e-5)
    else:
        analysis = replace(case.analysis, positions_per_pitch=8)
    output = replace(case.output, fields=False, plots=False)
    return replace(case, mesh_options=(COARSE, COARSE), analysis=analysis, output=output)


def numbers(name: str) -> dict[str, Any]:
    """The numbers that are kept of a case."""
    summary = ag.run(coarse_case(name)).summary
    return {key: summary[key] for key in NUMBERS}


NAMES = ("spur_20_30", "spur_13_97", "spur_20_30_dynamic", "spur_13_97_dynamic")

if __name__ == "__main__":
    for name in NAMES:
        (HERE / f"{name}.json").write_text(json.dumps(numbers(name), indent=2) + "\n")
