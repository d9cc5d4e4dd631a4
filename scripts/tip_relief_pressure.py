"""Pressure of one tooth pair through its engagement, without tip relief and with it.

    python scripts/tip_relief_pressure.py [--relief UM] [--rpm RPM] [--out pressure.png] [--quick]

After figures 11 and 12 of Dahl, Wettergren and Tidefelt (2017), who do not say what their gears are: here 20/30 teeth,
module 4 mm, 30 mm wide, 300 N m at the wheel. Teeth are in line contact by Hertz and do not bend; axes are held.
Without relief the tip edge of the wheel strikes the root of the pinion while the pair before still carries all of the
load. The relief takes off more than flanks overlap, so that the next pair takes over little by little. The pressure of
an edge is that of its round, 0.2 mm, as a cylinder in line contact.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import alegear as ag

PITCHES = 4  # of which one engagement is looked at, after the start has died out
SAMPLES = 400  # a pitch

parser = argparse.ArgumentParser(description="Pressure of a tooth pair with and without tip relief.")
parser.add_argument("--relief", type=float, default=12.0, metavar="UM", help="at the tips of both gears")
parser.add_argument("--rpm", type=float, default=500.0, help="speed of the pinion")
parser.add_argument("--out", type=Path, default=Path("pressure.png"))
parser.add_argument("--quick", action="store_true", help="fewer samples: a first look")
args = parser.parse_args()


def gear(z: int, relief: float) -> ag.Gear:
    """A gear whose tips are relieved by an amount [m] over 0.6 modules of its tooth depth."""
    own = ag.Microgeometry()
    if relief:
        own = ag.Microgeometry(tip_relief=relief, tip_relief_start_diameter=4e-3 * (z + 2.0 - 1.2))
    bore = 0.5 * 4e-3 * (z - 2.5)
    return ag.Gear(z=z, m_n=4e-3, b=30e-3, bore_diameter=bore, thickness_allowance=40e-6, microgeometry=own)


def engagement(relief: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pitches from the pitch point, pressure [Pa] and force [N] of one tooth pair."""
    m = ag.Machine("pair")
    for name, at in (("in", 0.0), ("out", 0.1)):
        m.add(name, ag.Shaft(fixed_axis=True, position=(at, 0.0, 0.0)))
    m.add("pinion", ag.ShaftGear(gear=gear(20, relief), shaft="in", at=0.0))
    m.add("wheel", ag.ShaftGear(gear=gear(30, relief), shaft="out", at=0.0))
    m.mesh("mesh", "pinion", "wheel", fidelity="teeth")
    speed = args.rpm * np.pi / 30.0
    m.add("motor", ag.Drive(shaft="in", speed=speed))
    m.add("machine", ag.TorqueLoad(shaft="out", torque=300.0, inertia=20e-3))
    pitch = 2.0 * np.pi / 20 / speed
    step = pitch / (SAMPLES // 4 if args.quick else SAMPLES)
    options = ag.OutputOptions(plots=False, fields=False)
    analysis = ag.DynamicAnalysis(duration=PITCHES * pitch, output_every=step, mesh_damping_ratio=0.05)
    case = m.case(analysis, options)
    data = ag.run(case).dataset
    middle = PITCHES - 2
    there = data.tooth_pair.values == middle
    phase = (data.drive_angle.values + case.layout.phases["mesh"][0]) / (2.0 * np.pi / 20) - middle
    pressure, force = (
        np.where(there, data[name].values, 0.0).max(axis=1) for name in ("tooth_pressure", "tooth_force")
    )
    own = np.abs(phase) < 1.0
    return phase[own], pressure[own], force[own]


plain, relieved = engagement(0.0), engagement(1e-6 * args.relief)
figure = Figure(figsize=(9.0, 4.0), layout="constrained")
FigureCanvasAgg(figure)
peaks = []
for axes, (phase, pressure, force), title in zip(
    figure.subplots(1, 2, sharey=True),
    (plain, relieved),
    ("without tip relief", f"tip relief {args.relief:g} um"),
    strict=True,
):
    axes.plot(phase, 1e-6 * pressure)
    axes.set_title(title)
    axes.set_xlabel("pitches from the contact at the pitch point")
    entry = phase < -0.5  # two pairs carry
    peaks.append((1e-6 * pressure[entry].max(), force[entry].max()))
    print(f"{title:20s} entry: pressure up to {peaks[-1][0]:7.1f} MPa, force up to {peaks[-1][1]:7.1f} N")
figure.axes[0].set_ylabel("largest pressure [MPa]")
figure.savefig(args.out, dpi=120)
print(f"entry peak of pressure falls by a factor of {peaks[0][0] / peaks[1][0]:.2f}")
