"""A picture of the stress in the loaded teeth, and where along the root it is largest.

python scripts/stress_picture.py [CASE.toml] [--out PICTURE.png] [--quick]
"""

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

import pyvista as pv

import alegear as ag
from alegear.scene.scene import show

MESHES = Path(__file__).resolve().parent.parent / "meshes"

parser = argparse.ArgumentParser(description="Draw the stress on the deformed pair.")
parser.add_argument("case", nargs="?", type=Path, default=MESHES / "spur_20_30.toml")
parser.add_argument("--out", type=Path, default=Path("stress.png"), help="the picture")
parser.add_argument("--quick", action="store_true", help="coarse grid, few positions: for a first look")
args = parser.parse_args()

case = ag.Case.from_toml(args.case)
options = case.grid_options
if args.quick:
    coarse = ag.GridOptions(flank_elements=6, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4)
    options = (coarse, coarse)
case = replace(case, grid_options=options, analysis=ag.StaticAnalysis(positions_per_pitch=4))

with tempfile.TemporaryDirectory() as folder:
    # With a folder, `run` also writes the fields: one .vtu a position, which ParaView reads as well.
    result = ag.run(case, out=folder)

    # The root stress is there for every pair; the largest over pairs and positions is what the tooth must stand.
    largest = result.dataset["root_stress"].max(["position", "pair"]) * 1e-6
    for gear in largest["gear"].values:
        tension, compression = (largest.sel(gear=gear, side=side).item() for side in ("tension", "compression"))
        print(f"{gear:>6}: root stress {tension:.0f} MPa in tension, {compression:.0f} MPa in compression")

    # Anything else can be asked of the grid itself, here of the first position.
    grid = pv.read(Path(folder, "fields", "series.pvd"))[0]
    worst = grid["von_mises"].argmax()
    x, y, z = grid.points[worst] * 1e3
    print(f"first position: {grid['von_mises'][worst] * 1e-6:.0f} MPa at ({x:.1f}, {y:.1f}, {z:.1f}) mm")

    show(folder, screenshot=args.out)
    print(f"written {args.out}")
