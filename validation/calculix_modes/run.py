"""Natural frequencies of two wheels, bore held and free, against CalculiX on the same grid.

Run it from anywhere; it prints the tables of the README and draws the picture. Ten minutes, nearly all of it CalculiX;
without that, beside its frequencies in ``expected.csv``, a minute.
"""

from __future__ import annotations

import csv
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from alegear.fe import Material
from alegear.geometry import Gear
from alegear.mesh import GridOptions, SectorMesh, mesh_sector
from alegear.reduction.normal_modes import find_free_modes, find_modes_of_harmonics, find_normal_modes, free_modes

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import calculix_modes as calculix  # noqa: E402
from checks import Row, alone, worst  # noqa: E402

N_MODES = 10
LIMIT = 0.01
WHEELS = {
    "disc": Gear(z=30, m_n=4e-3, b=15e-3, bore_diameter=40e-3),
    "rim": Gear(z=40, m_n=3e-3, b=20e-3, bore_diameter=84e-3),
}
ACROSS = {"flank_elements": 4, "fillet_elements": 8, "thickness_elements": 4, "width_elements": 4}
GRIDS = {
    ("disc", 1): GridOptions(order=1, rim_elements=16, **ACROSS),
    ("disc", 2): GridOptions(order=2, rim_elements=12, **ACROSS),
    ("rim", 1): GridOptions(order=1, rim_elements=12, **ACROSS),
    ("rim", 2): GridOptions(order=2, rim_elements=8, **ACROSS),
}
ELEMENTS = {1: "C3D8I", 2: "C3D20"}
SUPPORTS = {"held": "bore held", "free": "free"}


def alegear_modes(sector: SectorMesh, support: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Frequencies [Hz], nodal diameters and seconds."""
    begun = time.perf_counter()
    if support == "held":
        held = find_normal_modes(sector, Material(), N_MODES)
        found = held.frequencies, held.nodal_diameters
    else:
        free = find_free_modes(sector, Material(), N_MODES)
        found = free.frequencies, free.nodal_diameters
    return found[0][:N_MODES] / (2.0 * np.pi), found[1][:N_MODES], time.perf_counter() - begun


def compare(folder: Path, name: str, order: int, support: str) -> dict:
    """Compute one wheel on one grid with one support by alegear, and by CalculiX if it is installed."""
    sector = mesh_sector(WHEELS[name], GRIDS[name, order])
    ours, diameters, seconds = alegear_modes(sector, support)
    found = {
        "name": name,
        "order": order,
        "support": support,
        "frequencies": ours,
        "diameters": diameters,
        "seconds": seconds,
    }
    if shutil.which("ccx") is None:
        frequencies, theirs_n = kept(name, order, support)
        return found | {"their_frequencies": frequencies[calculix.matched(diameters, theirs_n)]}
    deck = folder / f"{name}_{order}_{support}.inp"
    calculix.write_deck(deck, sector, Material(), support=support, n_modes=N_MODES + 2)
    theirs = calculix.run(deck, sector, threads=int(os.environ.get("OMP_NUM_THREADS", "1")))
    # like with like: frequencies that lie as close as the two programs may come in another order
    same = calculix.matched(diameters, theirs.nodal_diameters)
    return found | {
        "nodes": theirs.nodes,
        "their_frequencies": theirs.frequencies[same],
        "purity": theirs.purity[same].min(),
        "their_seconds": theirs.wall,
    }


def kept(name: str, order: int, support: str) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [Hz] and nodal diameters that CalculiX 2.20 found, of ``expected.csv``."""
    with (HERE / "expected.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    mine = [row for row in table if (row["wheel"], row["order"], row["support"]) == (name, str(order), support)]
    frequencies, diameters = ([float(row[key]) for row in mine] for key in ("frequency_Hz", "nodal_diameter"))
    return np.array(frequencies), np.array(diameters, dtype=int)


def rows(quick: bool) -> Iterator[Row]:
    """Ten frequencies a wheel, grid and support; in the quick form those of the disc on the grid of first order."""
    cases = [("disc", 1)] if quick else [(name, order) for name in WHEELS for order in (1, 2)]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, order in cases:
            for support, words in SUPPORTS.items():
                one = compare(Path(folder), name, order, support)
                found.append(one)
                yield worst(
                    f"natural frequencies, {name}, {words}",
                    [
                        Row(
                            quantity=f"mode {i}, {n} nodal diameter{'' if n == 1 else 's'}",
                            value=float(ours),
                            reference=float(theirs),
                            unit="Hz",
                            bound=LIMIT,
                            source=f"CalculiX, {ELEMENTS[order]}, on the same grid",
                        )
                        for i, (n, ours, theirs) in enumerate(
                            zip(one["diameters"], one["frequencies"], one["their_frequencies"], strict=True), 1
                        )
                    ],
                )
    if not quick:
        print_comparison(found)
        print_convergence({(r["name"], r["order"]): r["frequencies"] for r in found if r["support"] == "free"})
        draw(found, HERE / "calculix_modes.png")


def print_comparison(rows: list[dict]) -> None:
    """A table a wheel and support, the two grids side by side, frequency by frequency."""
    for name in WHEELS:
        for support, words in SUPPORTS.items():
            pair = [row for row in rows if row["name"] == name and row["support"] == support]
            if not pair:
                continue
            print(f"\n{name}, {words}\n")
            heads = [f"n | alegear [Hz] | {ELEMENTS[row['order']]} [Hz] | off" for row in pair]
            print("| mode | " + " | ".join(heads) + " |\n|---|" + "---|" * 4 * len(pair))
            for i in range(N_MODES):
                cells = []
                for row in pair:
                    ours, theirs = row["frequencies"][i], row["their_frequencies"][i]
                    cells.append(
                        f"{row['diameters'][i]} | {ours:.1f} | {theirs:.1f} | {100 * (ours / theirs - 1):+.2f} %"
                    )
                print(f"| {i + 1} | " + " | ".join(cells) + " |")
            for row in pair:
                off = np.abs(row["frequencies"] / row["their_frequencies"] - 1.0).max()
                print(f"order {row['order']}: largest difference {100 * off:.2f} %; alegear {row['seconds']:.1f} s")
                if "purity" in row:
                    print(
                        f"{row['nodes']} nodes, nodal diameters pure to {1 - row['purity']:.0e}, "
                        f"CalculiX {row['their_seconds']:.0f} s"
                    )


def print_convergence(reference: dict[tuple[str, int], np.ndarray]) -> None:
    """How many normal modes of n = 0 and n = 1 the free wheel needs."""
    counts = (1, 2, 3, 4, 6, 8, 12, 24, 48)
    print("\n| frequencies of n = 0 and of n = 1 | " + " | ".join(WHEELS) + " |\n|---|" + "---|" * len(WHEELS))
    columns = []
    for name in WHEELS:
        sector, exact = mesh_sector(WHEELS[name], GRIDS[name, 1]), {}
        column = []
        for each in reversed(counts):
            normal = find_modes_of_harmonics(sector, Material(), (0, 1), each)
            found = free_modes(normal)
            worst = 0.0
            for n in (0, 1):
                values = found.frequencies[found.nodal_diameters == n]
                exact.setdefault(n, values)
                # those among the first ten of the wheel
                low = exact[n][exact[n] <= 2.0 * np.pi * reference[name, 1][-1] * (1.0 + LIMIT)][: len(values)]
                worst = max(worst, float((values[: len(low)] / low - 1.0).max(initial=0.0)))
            column.append(worst)
        columns.append(column[::-1])
    for i, each in enumerate(counts[:-1]):
        errors = [column[i] for column in columns]
        print(f"| {each} | " + " | ".join(f"{100 * error:.3f} %" for error in errors) + " |")


def draw(rows: list[dict], path: Path) -> None:
    """Frequencies over nodal diameters, alegear as dots, CalculiX as rings."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(WHEELS), figsize=(10.0, 4.2), layout="constrained")
    colours = {"held": "tab:blue", "free": "tab:red"}
    for axes, name in zip(panels, WHEELS, strict=True):
        for row in (row for row in rows if row["name"] == name and row["order"] == 1):
            colour, words = colours[row["support"]], SUPPORTS[row["support"]]
            shift = -0.07 if row["support"] == "held" else 0.07
            n = row["diameters"] + shift
            axes.plot(n, 1e-3 * row["their_frequencies"], "o", mfc="none", ms=10, color=colour)
            axes.plot(n, 1e-3 * row["frequencies"], ".", color=colour, label=f"{words} (dot alegear, ring CalculiX)")
        gear = WHEELS[name]
        axes.set_title(
            f"{name}: z = {gear.z}, m = {1e3 * gear.m_n:g} mm, b = {1e3 * gear.b:g} mm, "
            f"bore {1e3 * gear.bore_diameter:g} mm",
            fontsize=10,
        )
        axes.set_xlabel("nodal diameter n")
        axes.set_ylabel("natural frequency [kHz]")
        axes.set_ylim(bottom=0.0)
        axes.grid(color="0.9")
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
