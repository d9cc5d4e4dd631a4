"""A spring-loaded actuator that sticks and slips in its gears: under a slow ramp, and hunting in a position loop.

    python scripts/actuator.py [--duration S] [--out FOLDER]

The first machine is that of `meshes/actuator.toml`, after van der Linden (2015), figure 9. In the second a sampled
PI controller with a speed feedback turns the flap to a position and holds it there: what friction at rest is above that
of sliding, the integrator has to build up, and the flap jumps past the goal again and again.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import alegear as ag
from alegear.drivetrain.planar import CoulombFriction
from alegear.system.controllers import Ramp, Sample

CASE = Path(__file__).resolve().parent.parent / "meshes" / "actuator.toml"
#: What the controller is to reach [rad], when, and how hard it tries.
GOAL, EVERY = -0.2, 5e-3  # [rad], [s]; the current follows in a ramp over as much
PROPORTIONAL, INTEGRAL, ON_SPEED = 3.0, 8.0, 0.1  # [N m/rad], [N m/(rad s)], [N m s/rad]; of the flap, at the motor
#: Coefficient of sliding there. That of DIN 3990-4, bounded by mu_0, has none of the drop from rest at slow speeds.
SLIDING = 0.1
MODES = {-1: "backward", 0: "stuck", 1: "forward", 2: "free"}


def position_loop(case: ag.MachineCase) -> ag.Machine:
    """The same actuator, its motor in a position loop in place of the ramp."""
    machine = ag.Machine("Actuator in a position loop")
    kept = {part.name: part for part in case.parts if part.name != "current"}
    kept["gears"] = replace(kept["gears"], friction=CoulombFriction(mu_sliding=SLIDING, mu_0=0.2))
    for part in kept.values():
        machine.add(part.name, part)

    def hold(now: Sample, memory: dict[str, float]) -> dict[str, Ramp]:
        error = GOAL - now.angle["flap"]
        memory["sum"] += error * EVERY
        # external gears turn against each other: what turns the flap on turns the motor back
        torque = 5.0 - PROPORTIONAL * error - INTEGRAL * memory["sum"] + ON_SPEED * now.speed["flap"]
        return {"current": Ramp(value=torque, over=EVERY)}

    machine.add(
        "position",
        ag.Controller(
            interval=EVERY, reads=("flap",), sets={"current": 5.0}, function=hold, memory=lambda: {"sum": 0.0}
        ),
    )
    machine.add("motor torque", ag.TorqueSource(at="motor", torque=ag.Input(name="current")))
    return machine


def draw(result: ag.Result, title: str, goal: float | None = None) -> Figure:
    """Angle of the flap, torque of the motor and mode of the mesh over time."""
    data = result.dataset
    figure = Figure(figsize=(9.0, 8.0), layout="constrained")
    angle, torque, mode = figure.subplots(3, 1, sharex=True, height_ratios=(2.2, 1.3, 0.8))
    angle.plot(data.time, -np.degrees(data.angle.sel(body="flap")), color="#1f77b4")
    if goal is not None:
        angle.axhline(-np.degrees(goal), color="0.5", linestyle="--", linewidth=0.8)
    angle.set(ylabel="angle of the flap against the spring [deg]", title=title)
    torque.plot(data.time, data.torque.sel(flange="gears/motor"), color="#d62728", label="motor on the gears")
    torque.plot(data.time, data.torque.sel(flange="gears/flap") / 3.0, color="#2ca02c", label="flap on them, over 3")
    torque.set(ylabel="torque [N m]")
    torque.legend(fontsize="small")
    mode.step(data.time, data["mode"].sel(switch="gears"), where="post", color="0.2", linewidth=0.8)
    mode.set(xlabel="time [s]", yticks=list(MODES)[:3], yticklabels=list(MODES.values())[:3], ylim=(-1.3, 1.3))
    for axes in (angle, torque, mode):
        axes.grid(alpha=0.3)
    return figure


def told(name: str, result: ag.Result) -> None:
    """Print what happened."""
    data, summary = result.dataset, result.summary
    stuck = float((data["mode"].sel(switch="gears") == 0).mean())
    begun = int(((data.event_switch == "gears") & (data.event_before == 0)).sum())
    missing = float(np.abs(data.energy_missing).max())
    print(
        f"{name}: slides {begun} times, stuck {100 * stuck:.0f} % of the time, "
        f"lost {summary['energy']['dissipated_J']:.3g} J, energy missing {missing:.1e} J, "
        f"{summary['counts']['steps']} steps in {summary['seconds']['solve']:.2f} s"
    )


def main() -> None:
    """Compute both motions and draw them."""
    parser = argparse.ArgumentParser(description="Stick-slip of a spring-loaded actuator.")
    parser.add_argument("--duration", type=float, default=10.0, metavar="S", help="time in s")
    parser.add_argument("--out", type=Path, default=Path("actuator"), metavar="FOLDER", help="where pictures go")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)

    case = ag.case_from_file(CASE)
    ramp = ag.Machine("Spring-loaded actuator")
    for part in case.parts:
        ramp.add(part.name, part)
    result = ramp.run(duration=args.duration, tolerance=2.5e-9)
    told("ramp", result)
    draw(result, "Ramp of 1 N m/s: the gears stick and slip").savefig(args.out / "ramp.png", dpi=130)

    result = position_loop(case).run(duration=args.duration, tolerance=1e-9, output_every=2e-3)
    told("position loop", result)
    figure = draw(result, "Position loop: the integrator hunts around the goal", GOAL)
    figure.savefig(args.out / "position_loop.png", dpi=130)


if __name__ == "__main__":
    main()
