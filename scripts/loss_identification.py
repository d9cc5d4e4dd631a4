"""Which losses a gear has: torques from a test rig, the loss table that they give, and how well it is known.

    python scripts/loss_identification.py [--loads N] [--noise PART] [--seed N] [--out FOLDER]

The rig is played by a gear whose losses are known, so that the answer can be compared with the truth.
"""

import argparse
from pathlib import Path

import numpy as np

import alegear as ag
from alegear.drivetrain.loss_identification import IDENTIFIED
from alegear.pictures.loss_tables import draw_identified_losses, draw_overall_efficiency

parser = argparse.ArgumentParser(description="Identify the loss table of a gear from measured torques.")
parser.add_argument("--loads", type=int, default=8, metavar="N", help="load torques in each direction of the power")
parser.add_argument(
    "--noise", type=float, default=0.002, metavar="PART", help="error of measured torques, of the largest"
)
parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the errors")
parser.add_argument("--out", type=Path, default=Path("losses"), metavar="FOLDER", help="where the pictures go")
args = parser.parse_args()

# A reducer by 12.5 with 200 N m on its output. Mesh efficiencies rise with the speed, as the oil film does; bearing
# torques have their minimum where mixed friction ends. Columns: speed, eta_mf1, eta_mf2, tau_bf1, tau_bf2.
ratio, nominal = 12.5, 200.0
true = ag.LossTable(
    rows=[
        [0.0, 0.930, 0.915, 0.60, 0.65],
        [20.0, 0.950, 0.938, 0.35, 0.40],
        [75.0, 0.962, 0.952, 0.40, 0.45],
        [150.0, 0.968, 0.960, 0.65, 0.70],
        [300.0, 0.970, 0.963, 1.30, 1.35],
    ]
)

# What the rig does: it holds the load on shaft B, first braking (shaft A drives), then driving, and measures the torque
# that keeps shaft A at its speed. Both torques count into the gear, so that a braking load is negative. At rest it is
# the torque at which the shafts begin to turn.
random = np.random.default_rng(args.seed)
speeds = true.values[:, 0]
loads = nominal * np.linspace(0.25, 1.0, args.loads)


def measure(tau_B: np.ndarray) -> ag.MeasuredTorques:
    """Torques on shaft A at all speeds under these loads, with the error of the sensor."""
    exact = np.array([true.driving_torque(speed, -tau_B / ratio, direction=1) for speed in speeds])
    error = args.noise * np.abs(exact).max() * random.standard_normal(exact.shape)
    return ag.MeasuredTorques(tau_A=exact + error, tau_B=tau_B)


found = ag.identify_losses(ratio=ratio, speeds=speeds, driving=measure(-loads), driven=measure(loads), noise="constant")

held = (found.lower <= true.values[:, 1:]) & (true.values[:, 1:] <= found.upper)
print(f"{args.loads} loads in each direction, errors of {100 * args.noise:g} % of the largest torque")
print(f"{'rad/s':>7}" + "".join(f"{name:>22}" for name in IDENTIFIED))
for row, speed in enumerate(found.speeds):
    half = 0.5 * (found.upper - found.lower)[row]
    pairs = zip(found.estimates[row], half, strict=True)
    print(f"{speed:7g}" + "".join(f"{value:12.4f} +-{width:7.4f}" for value, width in pairs))
print(f"{held.sum()} of {held.size} intervals of 95 % hold the truth")
for warning in found.warnings:
    print(f"warning: {warning}")

# The table is what a machine takes; the catalogue's curves follow from it, hyperbolas that end at the mesh efficiency.
args.out.mkdir(parents=True, exist_ok=True)
draw_identified_losses(found, known=true).savefig(args.out / "loss_table.png", dpi=130)
load = np.linspace(-nominal, nominal, 401)
curves = draw_overall_efficiency(found.table, ratio=ratio, speeds=speeds[1:], tau_B=load)
curves.savefig(args.out / "overall_efficiency.png", dpi=130)
print(f"loss_table.png and overall_efficiency.png drawn in {args.out}")
