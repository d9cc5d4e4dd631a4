"""Spur pair 20/30 under load against general nonlinear finite elements: five-tooth segments and whole wheels.

``python validation/segment_20_30/run.py`` computes ``case.toml`` and the same pair with whole wheels, compares with
``expected.csv`` and prints the tables of README.md (half a minute).
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import xarray as xr

import alegear as ag

HERE = Path(__file__).parent
# The expected values were computed on fine but finite grids; extrapolated over five grids they grow by these factors.
TE_LIMIT = {"segment": 1.005, "wheels": 1.007}
STRESS_LIMIT = 1.03
LABELS = (1, 0, -1)
STRESSES = ("pinion_tension", "pinion_compression", "wheel_tension", "wheel_compression")


@dataclass(frozen=True, kw_only=True)
class Position:
    """Expected values of one position, extrapolated: [um], [N] for pairs 1, 0, -1, [MPa] in the order of STRESSES."""

    phase: float
    error: float
    loads: np.ndarray
    stresses: np.ndarray


def expected(body: str) -> list[Position]:
    """Rows of ``expected.csv`` for ``"segment"`` or ``"wheels"``."""
    with (HERE / "expected.csv").open(newline="") as file:
        return [
            Position(
                phase=float(row["phase"]),
                error=TE_LIMIT[body] * float(row["te_lagrange_um"]),
                loads=np.array([float(row[f"load_pair{k}_N"]) for k in LABELS]),
                stresses=STRESS_LIMIT * np.array([float(row[f"{name}_MPa"]) for name in STRESSES]),
            )
            for row in csv.DictReader(file)
            if row["body"] == body
        ]


def computed(data: xr.Dataset, phase: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Error [um], loads of pairs 1, 0, -1 [N] and root stresses [MPa] at a phase."""
    i = int(np.abs(data.phase.values - phase).argmin())
    here = data.isel(position=i)
    loads = here.tooth_load.reindex(pair=list(LABELS), fill_value=0.0).values
    stresses = here.root_stress.max("pair").values.reshape(-1)
    return -1e6 * float(here.transmission_error), loads, 1e-6 * stresses


def body_case(case: ag.Case, body: str) -> ag.Case:
    """The case as segments or with whole wheels."""
    return case if body == "segment" else replace(case, teeth_modelled=(None, None))


def doubled(case: ag.Case) -> ag.Case:
    """The case with twice the elements in the transverse section."""
    keys = ("flank_elements", "fillet_elements", "thickness_elements", "rim_elements")
    first, second = (replace(m, **{k: 2 * getattr(m, k) for k in keys}) for m in case.mesh_options)
    return replace(case, mesh_options=(first, second))


def main() -> None:
    """Print the tables of README.md."""
    case = ag.Case.from_toml(HERE / "case.toml")
    for body in ("segment", "wheels"):
        data = ag.run(body_case(case, body)).dataset
        fine = ag.run(doubled(body_case(case, body))).dataset
        print(
            f"\n{body}\n| phase | TE expected | TE [um] | off by | grid x2 | off by | loads of pairs 1, 0, -1 [N] ",
            end="",
        )
        print("(expected) | root stress off by | grid x2 |\n|---|---|---|---|---|---|---|---|---|")
        off = []
        for position in expected(body):
            error, loads, stresses = computed(data, position.phase)
            error_fine, _, stresses_fine = computed(fine, position.phase)
            deviation, deviation_fine = 100 * (error / position.error - 1), 100 * (error_fine / position.error - 1)
            off.append((deviation, deviation_fine))
            pairs = ", ".join(f"{a:.0f} ({b:.0f})" for a, b in zip(loads, position.loads, strict=True))
            stress, stress_fine = (
                ", ".join(f"{100 * (a / b - 1):+.0f}" for a, b in zip(s, position.stresses, strict=True))
                for s in (stresses, stresses_fine)
            )
            print(
                f"| {position.phase:.4f} | {position.error:.2f} | {error:.2f} | {deviation:+.1f} % "
                f"| {error_fine:.2f} | {deviation_fine:+.1f} % | {pairs} | {stress} | {stress_fine} |"
            )
        mean, spread = np.mean(off, axis=0), np.std(off, axis=0)
        print(f"mean {mean[0]:+.2f} % and {mean[1]:+.2f} %, standard deviation {spread[0]:.2f} % and {spread[1]:.2f} %")


if __name__ == "__main__":
    main()
