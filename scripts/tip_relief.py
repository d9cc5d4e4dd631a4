"""The tip relief that makes a spur pair quietest at its torque, and what becomes of it at other torques.

    python scripts/tip_relief.py [CASE.toml] [--length PART | --start MM MM] [--out harris_map.png] [--quick]

Both gears get the same relief. If nothing else is asked for, it is a long one, which begins where single contact ends;
``--length 0.5`` makes it short, from the middle of double contact on. The picture is the Harris map: peak-to-peak
transmission error over torque, a curve for each relief. Every curve has its lowest place near the torque that the
relief is made for.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import alegear as ag

MESHES = Path(__file__).resolve().parent.parent / "meshes"

parser = argparse.ArgumentParser(description="Find the tip relief with the smallest transmission error.")
parser.add_argument("case", nargs="?", type=Path, default=MESHES / "spur_20_30.toml")
parser.add_argument("--length", type=float, default=1.0, metavar="PART", help="part of double contact to relieve")
parser.add_argument("--start", type=float, nargs=2, metavar="MM", help="start diameters of pinion and wheel")
parser.add_argument("--out", type=Path, default=Path("harris_map.png"))
parser.add_argument("--quick", action="store_true", help="few reliefs and positions, on the same grid: a first look")
args = parser.parse_args()

case = ag.Case.from_toml(args.case)
if args.quick:
    # never a coarser grid: the best relief of one need not be that of another
    case = replace(case, analysis=ag.StaticAnalysis(positions_per_pitch=16))
pair = case.pair
nominal = case.operation.pinion_torque

# The highest point of single contact lies (eps_alpha - 1) base pitches of roll length below the tip. Roll lengths give
# diameters: d^2 = d_b^2 + 4 xi^2.
if args.start:
    starts = [1e-3 * d for d in args.start]
else:
    length = args.length * (pair.eps_alpha_usable - 1.0) * pair.p_bt
    tips = [gear.tooth_profile.roll_length_tip - length for gear in pair.gears]
    starts = [float(np.hypot(gear.d_b, 2.0 * xi)) for gear, xi in zip(pair.gears, tips, strict=True)]


def relief_of(amount: float) -> list[ag.Microgeometry]:
    """Flanks of both gears relieved by an amount [m]."""
    return [ag.Microgeometry(tip_relief=amount, tip_relief_start_diameter=d) for d in starts]


def variant(amount: float, torque: float) -> ag.Variant:
    """Both gears relieved by an amount [m], under a torque [N m]."""
    pinion, wheel = relief_of(amount)
    return ag.Variant(pinion=pinion, wheel=wheel, pinion_torque=torque)


# Without relief the pair that comes in early is pressed together by about the deflection: no relief beyond it helps.
shares = np.array([0.25, 0.5, 0.75, 1.0, 1.25, 1.5]) if args.quick else np.linspace(0.1, 1.5, 15)
torques = shares * nominal
(deflection,) = -ag.vary(case, [ag.Variant()])["te_mean"].values * np.sign(nominal)
reliefs = np.linspace(0.0, 1.2 * deflection, 5 if args.quick else 13)

# One reduction, one call: every relief at every torque.
data = ag.vary(case, [variant(relief, torque) for relief in reliefs for torque in torques])
harris = data["te_peak_to_peak"].values.reshape(len(reliefs), len(torques))


# The map tells where the valley at the nominal torque is. Between the neighbours of its lowest place the error is
# computed more finely; a parabola through the lowest three of these gives the place. Everything is asked for at once,
# because each call of vary prepares the pair anew.
at_nominal = harris[:, np.abs(shares - 1.0).argmin()]
lowest = int(np.clip(np.nanargmin(at_nominal), 1, len(reliefs) - 2))
finer = np.linspace(reliefs[lowest - 1], reliefs[lowest + 1], 9)
error = ag.vary(case, [variant(relief, nominal) for relief in (0.0, *finer)])["te_peak_to_peak"].values
i = int(np.clip(np.argmin(error[1:]), 1, len(finer) - 2))
parabola = np.polynomial.Polynomial.fit(finer[i - 1 : i + 2], error[i : i + 3], 2)
place = parabola.deriv().roots()
best = float(np.clip(place[0], finer[i - 1], finer[i + 1])) if len(place) else float(finer[i])
of_best = ag.vary(case, [variant(best, torque) for torque in (nominal, *torques)])["te_peak_to_peak"].values

# What half the elements and slices make of the best one: an optimum that depends on the grid is none.
pinion, wheel = (replace(g, microgeometry=m) for g, m in zip(pair.gears, relief_of(best), strict=True))
summary = ag.run(replace(case, pair=replace(pair, pinion=pinion, wheel=wheel))).summary
change = summary["te_peak_to_peak_grid_um"]

print(f"{case.title}: {nominal:g} N m on the pinion, contact ratio {pair.eps_alpha_usable:.3f}")
print("relief begins at " + " and ".join(f"{1e3 * d:.3f} mm" for d in starts))
print(f"peak to peak without relief {1e6 * error[0]:.3f} um")
print(f"smallest {1e6 * of_best[0]:.3f} um with a tip relief of {1e6 * best:.2f} um")
print("dependence on the grid not known" if change is None else f"on half the elements and slices {change:.3f} um off")
for warning in summary["warnings"]:
    print(f"warning: {warning}")

figure = Figure(figsize=(7.5, 4.8), layout="constrained")
FigureCanvasAgg(figure)
axes = figure.add_subplot()
shown = reliefs if args.quick else reliefs[::2]
for amount, curve in zip(reliefs, harris, strict=True):
    if amount in shown:
        shade = str(0.75 - 0.6 * amount / reliefs[-1])
        axes.plot(torques, 1e6 * curve, color=shade, lw=1.2)
        axes.annotate(
            f"{1e6 * amount:.0f}", (torques[-1], 1e6 * curve[-1]), (4, -3), textcoords="offset points", fontsize=8
        )
axes.plot(torques, 1e6 * of_best[1:], color="#D55E00", lw=2.2, label=f"best at {nominal:g} N m: {1e6 * best:.1f} um")
axes.axvline(nominal, color="#0072B2", lw=0.8, ls="--")
axes.set(
    xlabel="pinion torque [N m]",
    ylabel="peak-to-peak transmission error [um]",
    title=f"{case.title}: Harris map, numbers are the tip relief [um]",
)
axes.set_ylim(bottom=0.0)
axes.legend(loc="upper left")
axes.grid(alpha=0.3)
figure.savefig(args.out, dpi=130)
print(f"{args.out} drawn")
