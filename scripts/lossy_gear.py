"""A standard gear with mesh friction alone: how losses follow the load, and how the gear sticks.

    python scripts/lossy_gear.py [--out FOLDER]

After Pelchen, Schweiger and Otter (2002), figures 11 to 13: two inertias joined by a gear of ratio 2, a sinusoidal
torque on the first and on the second a load that rises with time, for mesh efficiencies of 0.5 and 0.9. The inertias,
the ratio and the load are those of the example LossyGearDemo1 of the Modelica library, that the paper does not give.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import alegear as ag

EFFICIENCIES = (0.5, 0.9)
#: Torque on the first inertia [N m] and its frequency [Hz]; load on the second over time.
AMPLITUDE, FREQUENCY = 10.0, 1.0
LOAD = [(0.0, -10.0), (0.5, -8.75)]
DURATION = 0.5


def moved(efficiency: float) -> ag.Result:
    """The motion with one mesh efficiency in both directions."""
    machine = ag.Machine(f"Lossy gear, mesh efficiency {efficiency:g}")
    machine.add("inertia 1", ag.Rotor1D(inertia=1.0))
    machine.add("inertia 2", ag.Rotor1D(inertia=1.5))
    machine.add("gear", ag.RatioGear(between=("inertia 1", "inertia 2"), ratio=2.0, losses=efficiency))
    machine.add("drive", ag.TorqueSource(at="inertia 1", torque=ag.Sine(amplitude=AMPLITUDE, frequency=FREQUENCY)))
    machine.add("load", ag.TorqueSource(at="inertia 2", torque=LOAD))
    return machine.run(duration=DURATION, output_every=5e-4)


def draw(results: dict[float, ag.Result]) -> tuple[Figure, Figure]:
    """Loss torque and mode over time, one below the other; the speed of the second inertia."""
    lost = Figure(figsize=(8.0, 7.0), layout="constrained")
    turned = Figure(figsize=(8.0, 4.0), layout="constrained")
    speeds = turned.subplots()
    for axes, (efficiency, result) in zip(lost.subplots(len(results), 1, sharex=True), results.items(), strict=True):
        data = result.dataset
        time, mode = data.time.values, data["mode"].sel(switch="gear").values
        axes.plot(time, data.friction_torque.sel(switch="gear"), color="C0", linewidth=2.5, label="loss torque")
        axes.set(ylabel="loss torque [N m]", title=f"mesh efficiency {efficiency:g}")
        modes = axes.twinx()
        modes.step(time, mode, where="post", color="C1", linewidth=1.0, label="mode")
        modes.set(ylim=(-1.25, 1.25))
        modes.set_yticks([-1, 0, 1], labels=["backward", "stuck", "forward"])
        largest = 1.25 * float(np.abs(data.friction_torque.sel(switch="gear")).max())
        axes.set(ylim=(-largest, largest))
        axes.grid(alpha=0.3)
        axes.legend(handles=[*axes.lines, *modes.lines], loc="upper left", fontsize="small")
        speeds.plot(time, data.speed.sel(body="inertia 2"), label=f"mesh efficiency {efficiency:g}")
    axes.set(xlabel="time [s]")
    speeds.set(xlabel="time [s]", ylabel="speed [rad/s]", title="Speed of inertia 2")
    speeds.grid(alpha=0.3)
    speeds.legend(fontsize="small")
    return lost, turned


def main() -> None:
    """Move with both efficiencies, draw, print when the gear sticks."""
    parser = argparse.ArgumentParser(description="A standard gear that loses torque in its mesh, and sticks.")
    parser.add_argument("--out", type=Path, default=Path("lossy_gear"), metavar="FOLDER", help="where pictures go")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    results = {efficiency: moved(efficiency) for efficiency in EFFICIENCIES}
    lost, turned = draw(results)
    lost.savefig(args.out / "losses.png", dpi=130)
    turned.savefig(args.out / "speed.png", dpi=130)
    for efficiency, result in results.items():
        data = result.dataset
        times = ", ".join(f"{t:.4f}" for t in data.event_time.values)
        told = float(np.abs(data.energy_missing).max())
        print(f"mesh efficiency {efficiency:g}: modes change at {times} s; energy missing {told:.1e} J")


if __name__ == "__main__":
    main()
