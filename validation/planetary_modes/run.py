"""Natural frequencies of planetary sets with three, four and five planets beside those of Lin and Parker (1999).

The set is the case file ``meshes/planetary_lin_parker.toml`` with so many planets; it has all members displaced in
space, and its modes in the plane are compared. See README.md.
"""

from __future__ import annotations

import csv
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import xarray as xr

import alegear as ag
from alegear.case.machine import MachineCase

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst

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


def rows(quick: bool) -> Iterator[Row]:
    """Frequencies and kinds with 3, 4 and 5 planets."""
    for n in PLANETS:
        modes, expected = modes_of(n), published(n)
        found = modes["frequency"].to_numpy()
        source = "Lin and Parker (1999)"
        if not expected:
            quantity = f"natural frequencies in the plane, {n} planets: the lowest"
            yield Row(quantity=quantity, value=float(found[0]), unit="Hz", source=source, missing=REFERENCE.name)
            continue
        kinds = modes["kind"].sel(planetary_set="set").to_numpy()
        yield worst(
            f"natural frequencies in the plane, {n} planets",
            [
                Row(quantity=kind, value=float(f), reference=paper, unit="Hz", bound=BOUND, source=source)
                for f, (paper, _), kind in zip(found, expected, kinds, strict=True)
            ],
        )
        yield Row(
            quantity=f"modes of another kind, {n} planets",
            value=float(sum(kind != paper for kind, (_, paper) in zip(kinds, expected, strict=True))),
            kind="at most",
            bound=0.0,
            source=source,
        )
        if not quick:
            print_table(n, modes, expected)


def print_table(n: int, modes: xr.Dataset, expected: list[tuple[float, str]]) -> None:
    """Print a table of the README."""
    print(f"\n| {n} planets, kind | Lin and Parker [Hz] | here [Hz] | deviation |\n|---|---|---|---|")
    kinds = modes["kind"].sel(planetary_set="set").to_numpy()
    for f, kind, (paper, _) in zip(modes["frequency"].to_numpy(), kinds, expected, strict=True):
        print(f"| {kind} | {paper:.1f} | {f:.2f} | {100.0 * (f / paper - 1.0):+.3f} % |")


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
