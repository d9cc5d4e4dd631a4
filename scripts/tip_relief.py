"""The tip relief that makes a spur pair quietest at its torque, and what becomes of it at other torques.

    python scripts/tip_relief.py [CASE.toml] [--length PART | --start MM MM] [--out harris_map.png] [--quick]

Both gears get the same relief. If nothing else is asked for, it is a long one, which begins where single contact ends;
``--length 0.5`` makes it short, from the middle of double contact on. The picture is the Harris map: peak-to-peak
transmission error over torque, a curve for each relief. Every curve is lowest near the torque that the relief is made
for. `alegear vary` asks the same of a study file; what is done here besides is to choose the values by what the first
study says.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

import alegear as ag
from alegear.pictures.of_results.harris_map import draw_harris_map

MESHES = Path(__file__).resolve().parent.parent / "meshes"
TORQUE, RELIEF = "operation.pinion_torque_Nm", "pinion.flank.tip_relief_um"

parser = argparse.ArgumentParser(description="Find the tip relief with the smallest transmission error.")
parser.add_argument("case", nargs="?", type=Path, default=MESHES / "spur_20_30.toml")
parser.add_argument("--length", type=float, default=1.0, metavar="PART", help="part of double contact to relieve")
parser.add_argument("--start", type=float, nargs=2, metavar="MM", help="start diameters of pinion and wheel")
parser.add_argument("--out", type=Path, default=Path("harris_map.png"))
parser.add_argument("--quick", action="store_true", help="few reliefs and positions, on the same grid: a first look")
args = parser.parse_args()

case = ag.Case.from_toml(args.case)
pair, nominal = case.pair, case.operation.pinion_torque

# The highest point of single contact lies (eps_alpha - 1) base pitches of roll length below the tip. Roll lengths give
# diameters: d^2 = d_b^2 + 4 xi^2.
if args.start:
    starts = args.start
else:
    length = args.length * (pair.eps_alpha_usable - 1.0) * pair.p_bt
    tips = [gear.tooth_profile.roll_length_tip - length for gear in pair.gears]
    starts = [1e3 * float(np.hypot(gear.d_b, 2.0 * xi)) for gear, xi in zip(pair.gears, tips, strict=True)]

# never a coarser grid for a first look: the best relief of one need not be that of another
positions = {"analysis.positions_per_pitch": [16]} if args.quick else {}


def studied(reliefs: np.ndarray, torques: np.ndarray) -> ag.StudyResult:
    """Both gears relieved by amounts [um], under torques [N m]."""
    relief = {
        RELIEF: reliefs,
        "wheel.flank.tip_relief_um": reliefs,
        "pinion.flank.tip_relief_start_diameter_mm": starts[0],
        "wheel.flank.tip_relief_start_diameter_mm": starts[1],
    }
    return ag.study(args.case, {**positions, "relief": relief, TORQUE: torques}, root_stress=False)


# Without relief the pair that comes in early is pressed together by about the deflection: no relief beyond it helps.
shares = np.array([0.5, 1.0, 1.5]) if args.quick else np.linspace(0.1, 1.5, 15)
plain = studied(np.zeros(1), np.array([nominal])).dataset
deflection = abs(1e6 * plain["te_mean"].item())
reliefs = np.linspace(0.0, 1.2 * deflection, 5 if args.quick else 13)
map_of_all = studied(reliefs, shares * nominal)
error = 1e6 * map_of_all.dataset["te_peak_to_peak"].sel({TORQUE: nominal}, method="nearest").to_numpy().ravel()

# The map tells where the valley at the nominal torque is. Between the neighbours of its lowest point the error is
# computed more finely; a parabola through the lowest three of these gives the relief.
lowest = int(np.clip(np.nanargmin(error), 1, len(reliefs) - 2))
finer = np.linspace(reliefs[lowest - 1], reliefs[lowest + 1], 5 if args.quick else 9)
fine = 1e6 * studied(finer, np.array([nominal])).dataset["te_peak_to_peak"].to_numpy().ravel()
i = int(np.clip(np.argmin(fine), 1, len(finer) - 2))
vertex = np.polynomial.Polynomial.fit(finer[i - 1 : i + 2], fine[i - 1 : i + 2], 2).deriv().roots()
best = float(np.clip(vertex[0], finer[i - 1], finer[i + 1])) if len(vertex) else float(finer[i])
smallest = 1e6 * studied(np.array([best]), np.array([nominal])).dataset["te_peak_to_peak"].item()

# What half the elements and slices make of the best one: an optimum that depends on the grid is none.
flanks = [ag.Microgeometry(tip_relief=1e-6 * best, tip_relief_start_diameter=1e-3 * d) for d in starts]
analysis = ag.StaticAnalysis(positions_per_pitch=16) if args.quick else case.analysis
summary = ag.run(replace(case, pair=pair.with_microgeometry(*flanks), analysis=analysis)).summary
change = summary["te_peak_to_peak_grid_um"]

print(f"{case.title}: {nominal:g} N m on the pinion, contact ratio {pair.eps_alpha_usable:.3f}")
print("relief begins at " + " and ".join(f"{d:.3f} mm" for d in starts))
print(f"peak to peak without relief {1e6 * plain['te_peak_to_peak'].item():.3f} um")
print(f"smallest {smallest:.3f} um with a tip relief of {best:.2f} um")
print("dependence on the grid not known" if change is None else f"on half the elements and slices {change:.3f} um off")
for warning in summary["warnings"]:
    print(f"warning: {warning}")

draw_harris_map(map_of_all.harris_map()).savefig(args.out, dpi=130)
print(f"{args.out} drawn")
