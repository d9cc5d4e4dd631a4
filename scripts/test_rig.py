"""A test rig for one pair of gears: deformation, stiffness and losses over the load, turning either way.

    python scripts/test_rig.py [--loads N] [--out FOLDER]

After van der Linden (2015), figures 12 and 13: gear A turns slowly while the load on gear B rises in steps; at the end
of each step deformation and torques are read. Teeth of 15 um backlash and a stiffness of 20 N/um per mm of face width
that rises with the load to Niemann and Winter, 28 % of the width carrying; friction to DIN 3990-4, and 0.05 N m of
bearings and seals on each gear. Not given there, and chosen here: the face width of 10 mm, the stiffness without load
of half the full one, and 100 N/mm as the load from which it is full (ISO 6336-1).
"""

import argparse
from math import cos, radians
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import alegear as ag
from alegear.drivetrain.planar import Din3990Friction, MeshAverages, NiemannWinterSpring
from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh

SPEED, STEP = 10.0, 0.05  # [rad/s], [s] of each load
LARGEST = 400.0  # normal force [N]
AVERAGES = MeshAverages.from_radii(r_A=10e-3, r_B=30e-3, r_aA=11e-3, r_aB=31e-3, alpha=radians(20.0))
WIDTH = 0.28 * 10e-3  # [m] that carries
SPRING = NiemannWinterSpring(c=20e9 * WIDTH, F_0=100e3 * WIDTH, kappa_0=0.5, backlash=15e-6, damping=1e4)
MESH = ElasticMesh(
    name="gears",
    gears=("A", "B"),
    averages=AVERAGES,
    spring=SPRING,
    friction=Din3990Friction(mesh=AVERAGES, face_width=WIDTH, viscosity=0.275, roughness=0.8e-6, mu_0=0.2),
)


def measured(direction: float, loads: np.ndarray) -> dict[str, np.ndarray]:
    """Normal force [N], deformation [m] and loss torque on A [N m] at the end of each load, turning in a direction."""
    torque = loads * AVERAGES.l_B
    table = [(i * STEP + rise, value) for i, value in enumerate(torque) for rise in (0.2 * STEP, STEP)]
    machine = ag.Machine("Test rig")
    machine.add("A", ag.Rotor1D(inertia=5e-4))
    machine.add("B", ag.Rotor1D(inertia=1e-3, speed=-direction * SPEED * AVERAGES.r_A / AVERAGES.r_B))
    machine.add("motor", ag.SpeedSource(at="A", speed=direction * SPEED))
    machine.add("gears", MESH)
    machine.add("bearing A", ag.BearingFriction(at="A", torque=0.05))
    machine.add("bearing B", ag.BearingFriction(at="B", torque=0.05))
    machine.add("brake", ag.TorqueSource(at="B", torque=table))
    result = machine.run(duration=len(loads) * STEP, output_every=STEP)
    data = result.dataset.isel(time=slice(1, None))
    told = float(np.abs(result.dataset.energy_missing).max())
    print(f"direction {direction:+.0f}: {result.summary['events']} events, energy missing {told:.1e} J")
    loss = data.loss.sel(part=["gears", "bearing A", "bearing B"]).sum("part").values / SPEED
    on_A = data.torque.sel(flange="gears/A").values
    friction = data.friction_torque.sel(switch="gears").values
    lever = AVERAGES.sliding * AVERAGES.r_A
    return {
        "F_n": (on_A + AVERAGES.d_tauA / lever * friction) / AVERAGES.l_A,
        "deformation": MESH.overlap(data.angle.sel(body="A").values, data.angle.sel(body="B").values),
        "loss": loss,
    }


def draw(sweeps: dict[float, dict[str, np.ndarray]]) -> tuple[Figure, Figure]:
    """Deformation and stiffness, and losses, over the load, both directions."""
    elastic = Figure(figsize=(8.0, 8.0), layout="constrained")
    above, below = elastic.subplots(2, 1, sharex=True)
    lost = Figure(figsize=(8.0, 4.5), layout="constrained")
    losses = lost.subplots()
    for (direction, sweep), style in zip(sweeps.items(), ("-", "--"), strict=True):
        F, u = sweep["F_n"], sweep["deformation"]
        name = "forward" if direction > 0.0 else "backward"
        above.plot(F, 1e6 * u / cos(AVERAGES.alpha), style, marker=".", label=name)
        apart = np.diff(u) > 0.0
        middle, stiffness = 0.5 * (F[1:] + F[:-1]), np.diff(F) / np.where(apart, np.diff(u), np.nan)
        through = F[1:] * F[:-1] < 0.0  # the backlash lies between these
        below.plot(middle[~through], 1e-6 * stiffness[~through], style, marker=".", label=name)
        losses.plot(F, sweep["loss"], style, marker=".", label=name)
    below.axhline(1e-6 * SPRING.c, color="0.6", linewidth=0.8)
    above.set(ylabel="deformation on the pitch circles [um]", title="Teeth over the load")
    below.set(xlabel="normal force [N]", ylabel="stiffness [N/um]")
    losses.set(xlabel="normal force [N]", ylabel="loss torque at gear A [N m]", title="Losses of gears and bearings")
    for axes in (above, below, losses):
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    return elastic, lost


def main() -> None:
    """Turn both ways, draw."""
    parser = argparse.ArgumentParser(description="Deformation, stiffness and losses of gears over the load.")
    parser.add_argument("--loads", type=int, default=40, metavar="N", help="steps of the load (even: none without)")
    parser.add_argument("--out", type=Path, default=Path("test_rig"), metavar="FOLDER", help="where pictures go")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    loads = np.linspace(-LARGEST, LARGEST, args.loads)
    sweeps = {direction: measured(direction, loads) for direction in (1.0, -1.0)}
    elastic, lost = draw(sweeps)
    elastic.savefig(args.out / "stiffness.png", dpi=130)
    lost.savefig(args.out / "losses.png", dpi=130)
    for direction, sweep in sweeps.items():
        law = np.array([SPRING.force(u) for u in sweep["deformation"]])
        off = np.abs(sweep["F_n"] - law).max()
        print(f"direction {direction:+.0f}: deformations lie on the law of the spring to {off:.2g} N")


if __name__ == "__main__":
    main()
