"""Natural frequencies of planetary sets with three, four and five planets beside those of Lin and Parker (1999).

The set is the case file ``meshes/planetary_lin_parker.toml`` with so many planets; it has all members displaced in
space, and its modes in the plane are compared. See README.md.
"""

from __future__ import annotations

import argparse
import csv
import tomllib
from pathlib import Path

import xarray as xr

import alegear as ag
from alegear.case.machine import MachineCase

PLANETS = (3, 4, 5)
BOUND = 1e-3
ROOT = Path(__file__).resolve().parents[2]
CASE = ROOT / "meshes" / "planetary_lin_parker.toml"
REFERENCE = ROOT.parent / "shared" / "reference" / "planetary_modes_lin_parker_1999.csv"


def case_with(n: int) -> MachineCase:
    """The case with n planets."""
    tables = tomllib.loads(CASE.read_text(encoding="utf-8"))
    tables["planetary"]["set"]["planets"] = n
    return MachineCase.from_tables(tables, CASE)


def modes_of(n: int) -> xr.Dataset:
    """The result of the case with n planets: modes in the plane, by ascending frequency."""
    modes = ag.run(case_with(n)).dataset
    return modes.isel(mode=(modes["kind"].sel(planetary_set="set") != "out of plane").to_numpy())


def published(n: int) -> list[tuple[float, str]]:
    """Frequencies [Hz] and kinds of the paper that are not 0, each as often as it is there; none without the file."""
    if not REFERENCE.is_file():
        return []
    with REFERENCE.open(encoding="utf-8") as lines:
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))[1:]
    found = [(float(row[3]), row[1]) for row in rows if row[0] == str(n) for _ in range(int(row[2]))]
    return sorted(one for one in found if one[0] > 0.0)


def main() -> None:
    """Print the tables of the README."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--planets", type=int, nargs="*", default=PLANETS, choices=PLANETS)
    for n in parser.parse_args().planets:
        modes, expected = modes_of(n), published(n)
        kinds, worst = modes["kind"].sel(planetary_set="set").to_numpy(), 0.0
        print(f"\n| {n} planets, kind | Lin and Parker [Hz] | here [Hz] | deviation |\n|---|---|---|---|")
        for i, (f, kind) in enumerate(zip(modes["frequency"].to_numpy(), kinds, strict=True)):
            paper, deviation = float("nan"), ""
            if expected:
                paper = expected[i][0]
                worst = max(worst, abs(f / paper - 1.0))
                deviation = f"{100.0 * (f / paper - 1.0):+.3f} %"
            print(f"| {kind} | {paper:.1f} | {f:.2f} | {deviation} |")
        if expected:
            print(f"\nworst of {n} planets: {100.0 * worst:.4f} %")


if __name__ == "__main__":
    main()
