"""A car with the automatic gearbox ZF 4HP22 drives through a town: speed, gears, losses, in pictures.

    python scripts/automatic_gearbox.py [--duration SECONDS] [--out FOLDER]

Driver, engine, converter, gearbox with three planetary sets and their losses, its control, axle and car (after Pelchen,
Schweiger & Otter 2002, section 4.2, figures 14 to 19) are parts of one machine, in `zf_4hp22_car.py`. The pictures are
those of figures 15 to 17, and two more: what clutches and freewheels do, and where the energy goes.
"""

import argparse
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from zf_4hp22_car import CAPACITY, KMH, RADIUS, URBAN, drive

parser = argparse.ArgumentParser(description="Drive a car with an automatic gearbox through a town.")
parser.add_argument("--duration", type=float, default=60.0, metavar="SECONDS", help="how much of the minute")
parser.add_argument("--out", type=Path, default=Path("automatic_gearbox"), metavar="FOLDER", help="for the pictures")
args = parser.parse_args()

drive(0.1)  # loads what is compiled, or compiles it
begin = time.perf_counter()
result = drive(args.duration)
seconds = time.perf_counter() - begin
data = result.dataset
t = data.time.values
speed = RADIUS * data.speed.sel(body="wheels").values
wish = np.interp(t, *np.array(URBAN, dtype=float).T)
gear = data.input_value.sel(input="gear").values
args.out.mkdir(parents=True, exist_ok=True)


def picture(name: str, title: str, rows: int = 1) -> tuple:
    """Return figure and axes over the time, one under the other."""
    figure, axes = plt.subplots(rows, 1, figsize=(9.0, 1.2 + 2.6 * rows), sharex=True, squeeze=False)
    axes[0, 0].set_title(title)
    axes[-1, 0].set_xlabel("time [s]")
    axes[-1, 0].set_xlim(t[0], t[-1])
    for one in axes[:, 0]:
        one.grid(alpha=0.3)
    return figure, axes[:, 0], args.out / f"{name}.png"


def keep(figure, path: Path) -> None:
    """Write a picture."""
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    plt.close(figure)


figure, (axis,), path = picture("speed", "Desired and actual speed of the car")
axis.plot(t, wish, "k--", lw=1.0, label="desired")
axis.plot(t, speed / KMH, lw=1.5, label="actual")
axis.set_ylabel("speed [km/h]")
axis.legend()
keep(figure, path)

figure, (above, below), path = picture("gear", "Acceleration of the car and gear", 2)
above.plot(t, RADIUS * data.acceleration.sel(body="wheels"), lw=1.0)
above.set_ylabel("acceleration [m/s2]")
below.step(t, gear, where="post")
below.set_ylabel("gear")
below.set_yticks([1, 2, 3, 4])
keep(figure, path)

figure, (above, below), path = picture("loss_torque", "Loss torque in planetary set p3 and mode of its losses", 2)
above.plot(t, data.friction_torque.sel(switch="p3"), lw=1.0)
above.set_ylabel("loss torque [N m]")
below.step(t, data.mode.sel(switch="p3"), where="post", lw=1.0)
below.set_yticks([-1, 0, 1], ["backward", "stuck", "forward"])
keep(figure, path)

figure, (above, middle, below), path = picture("engine", "Engine, turbine and clutches", 3)
for body, name in (("engine", "engine"), ("input", "turbine")):
    above.plot(t, data.speed.sel(body=body) * 30.0 / np.pi, lw=1.2, label=name)
above.set_ylabel("speed [1/min]")
above.legend()
for pedal, sign in (("throttle", 1.0), ("brake", -1.0)):
    middle.fill_between(t, sign * data.input_value.sel(input=pedal), alpha=0.5, label=pedal)
middle.set_ylabel("pedals")
middle.legend(loc="upper right")
names = [name for name in (*CAPACITY, "F14", "F15") if name != "C8"]
for row, name in enumerate(names):
    mode = data.mode.sel(switch=name).values
    below.fill_between(t, row - 0.4, row + 0.4, where=mode == 0, step="post", color="tab:blue", lw=0)
    below.fill_between(t, row - 0.4, row + 0.4, where=np.abs(mode) == 1, step="post", color="tab:red", lw=0)
below.set_yticks(range(len(names)), names)
below.invert_yaxis()
below.set_ylabel("stuck (blue), slips (red)")
keep(figure, path)

lost = data.energy_lost.isel(time=-1)
kept = [(str(name), float(lost.sel(part=name)) / 1e3) for name in data.part.values]
kept = sorted((one for one in kept if one[1] > 0.05), key=lambda one: one[1])
figure, axis = plt.subplots(figsize=(9.0, 4.2))
axis.barh([name for name, _ in kept], [value for _, value in kept])
axis.set_xlabel("energy lost [kJ]")
axis.set_xscale("log")
axis.set_title("Where the energy of the engine goes")
axis.grid(alpha=0.3, axis="x")
keep(figure, args.out / "losses.png")

shifts = [(float(t[i + 1]), int(gear[i]), int(gear[i + 1])) for i in np.flatnonzero(np.diff(gear))]
through = float(np.abs(np.diff(data.energy_supplied, axis=0)).sum() + lost.sum())
print(f"{t[-1]:g} s of driving in {seconds:.2f} s, {result.summary['counts']['steps']} steps, {len(data.event)} events")
print("shifts: " + (", ".join(f"{a}-{b} at {when:.1f} s" for when, a, b in shifts) or "none"))
print(f"largest error of the driver: {np.abs(speed / KMH - wish).max():.1f} km/h")
for name in ("p1", "p2", "p3", "converter", "brakes"):
    print(f"energy lost in {name:<10} {float(lost.sel(part=name)) / 1e3:9.3f} kJ")
print(f"energy missing: {float(np.abs(data.energy_missing).max()) / through:.1e} of what went through")
print(f"pictures: {args.out}")
