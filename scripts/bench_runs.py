"""Whole runs for the gate of bench.py: pairs and machines, in turn with another checkout where one is given.

Each checkout reads its own case files, so that keys may have other names there; what is changed in them here (grids,
positions, durations) is written with keys that both must have. Grids are coarse: what is compared is the program.
"""

import re
import statistics
import tomllib
from pathlib import Path
from typing import Any

from bench import COARSE, Lab, edited, spread

#: Processor time of a run over that of the other checkout, at most.
MOST = 1.03
#: Rounds of a process, after one that reduces wheels and loads kernels; the least of them counts.
ROUNDS = 3

_FLEXIBLE = {f"grid__{key}": value for key, value in COARSE.items()}
_SHORT = {"analysis__time_step_s": 1e-5, "analysis__output_every_s": 1e-4}
#: Name -> case file, what is changed in it, and in a quick run.
RUNS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "pair, static": ("spur_20_30", {**_FLEXIBLE, "analysis__positions_per_pitch": 128}, {}),
    "pair, motion": ("spur_20_30_dynamic", {**_FLEXIBLE, **_SHORT, "analysis__duration_s": 0.02}, {}),
    "two stages, static": ("two_stage_helical", {**_FLEXIBLE, "analysis__positions_per_pitch": 16}, {}),
    "planets on teeth, motion": (
        "planetary_nrel_5mw_teeth",
        {"analysis__kind": "dynamic", **_SHORT, "analysis__duration_s": 0.02},
        {"analysis__duration_s": 1e-3},
    ),
    "clutch and flexible teeth, motion": (
        "clutch_gearbox",
        {**_FLEXIBLE, **_SHORT, "analysis__duration_s": 2e-3},
        {"analysis__duration_s": 1e-3},
    ),
    "clutches that only turn, motion": ("gear_shift", {"analysis__tolerance": 1e-12}, {}),
}
#: Of static studies, which motions refuse.
_STATIC_KEYS = ("positions_per_pitch", "pitches")


def run_text(name: str, checkout: Path, *, quick: bool) -> str:
    """Case file of a run as a checkout has it, without fields and pictures."""
    file, changed, if_quick = RUNS[name]
    text = (checkout / "meshes" / f"{file}.toml").read_text(encoding="utf-8")
    if changed.get("analysis__kind", "static") != "static":
        for key in _STATIC_KEYS:
            text = re.sub(rf"^{key}\s*=.*\n", "", text, flags=re.M)
    text = edited(text, **{**changed, **(if_quick if quick else {})})
    text = re.sub(r"^field_times_s\s*=.*\n", "", text, flags=re.M)
    if "pair" in tomllib.loads(text) and changed.get("analysis__positions_per_pitch"):
        text = edited(text, analysis__grid_estimate=False)
    return edited(text, output__fields=False, output__plots=False)


def timed_runs(lab: Lab, base: Path | None, here: Path) -> dict[str, Any]:
    """Processor time [s] of every run, beside that of a checkout `base` in turn, and whether the limit holds.

    ``holds`` is None without such a checkout and on a quick run. Ratios are those of each turn; their median counts.
    """
    out: dict[str, Any] = {}
    for name in RUNS:
        found: dict[str, list[float]] = {"here": [], "base": []}
        places = {"here": here} if base is None else {"base": base, "here": here}
        for turn in range(lab.repeat):
            for place, checkout in sorted(places.items(), reverse=bool(turn % 2)):
                text = run_text(name, checkout, quick=lab.quick)
                answer = lab.job("run", checkout=checkout, text=text, rounds=1 if lab.quick else ROUNDS)
                found[place].append(min(answer["seconds"]))
        one: dict[str, Any] = {"seconds": spread(found["here"]), "limit": MOST, "ratio": None, "holds": None}
        if base is not None:
            ratios = [now / before for now, before in zip(found["here"], found["base"], strict=True)]
            one |= {"base": spread(found["base"]), "ratio": spread(ratios)}
            one["holds"] = None if lab.quick else statistics.median(ratios) <= MOST
        out[name] = one
    return out


def table(runs: dict[str, Any]) -> str:
    """The runs in Markdown."""
    lines = ["| run | s | to base | limit | holds |", "|---|---|---|---|---|"]
    for name, one in runs.items():
        ratio = "-" if one["ratio"] is None else f"{one['ratio']['median']:.3f}"
        holds = {None: "-", True: "yes", False: "NO"}[one["holds"]]
        lines.append(f"| {name} | {one['seconds']['min']:.3f} | {ratio} | {one['limit']:g} | {holds} |")
    return "\n".join(lines)
