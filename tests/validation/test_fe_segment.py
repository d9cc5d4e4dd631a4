"""Five-tooth segments on the default grid against general nonlinear finite elements: quick form of the validation."""

from dataclasses import replace
from pathlib import Path

from script_files import load_script

import alegear as ag

HERE = Path(__file__).parents[2] / "validation" / "fe_segment_20_30"
run = load_script("validation/fe_segment_20_30/run.py")


def test_error_loads_and_root_stress_are_within_their_bounds():
    case = ag.Case.from_toml(HERE / "case.toml")
    # phases -0.5, -0.25 in double, 0 in single contact, 0.25 where a tip corner begins to touch
    data = ag.run(replace(case, analysis=replace(case.analysis, positions_per_pitch=4))).dataset
    ends = {"nominal": run.events(data, case)["nominal"]}  # of the path of contact: none of the four is next to them
    phases = set(data.phase.values.round(5))
    deviations = [d for d in run.compare(data, "segment", ends) if round(d.phase, 5) in phases]
    assert len(deviations) == 4
    # transmission error 0.5 %, loads 1 % of the total, root stress 5 %
    assert all(d.exceeded == [] for d in deviations), deviations
