"""Gears of any kind on bodies that move in space: a bevel wheel rolls on another, wheels on a bar, racks, a motion.

    python scripts/mechanisms_in_space.py [--out FOLDER] [--quick]

The mechanisms are those of `meshes/bevel_pair.toml`, `three_wheels.toml`, `double_rack.toml` and
`spur_transmission.toml`, after Cardona, Int. J. Numer. Methods Eng. 40 (1997) 357, section 10. Each is computed and
drawn; of the first three an animation is written, too. At the end a mechanism is put together in Python: a bevel wheel
that swings around a fixed one.
"""

import argparse
import math
from dataclasses import replace
from pathlib import Path

import numpy as np

import alegear as ag
from alegear.pictures.files import write_pictures
from alegear.scene.mechanism import show, write_animation

MESHES = Path(__file__).resolve().parent.parent / "meshes"
#: What Cardona (1997) prints of the normal force, after the angle, and what balances it.
PRINTED = {"bevel_pair": 1.064e3, "three_wheels": 1.156e5, "double_rack": None}


def thrown_wheel() -> ag.Machine:
    """A bevel wheel on an arm that turns freely under its weight, rolling on a fixed one that stands upright."""
    m = ag.Machine("bevel wheel that swings around a fixed one", gravity=(0.0, 0.0, -9.81))
    m.add("arm", ag.FloatingBody(mass=0.5, inertia=(2e-3, 1e-4, 2e-3), position=(0.0, 0.02, 0.05)))
    m.add("wheel", ag.FloatingBody(mass=0.3, inertia=(1e-4, 1e-4, 2e-4), position=(0.0, 0.02, 0.1)))
    m.add("hinge", ag.SpatialJoint(kind="revolute", between=("ground", "arm"), point=(0.0, 0.02, 0.0), axis=(0, 1, 0)))
    m.add("pin", ag.SpatialJoint(kind="revolute", between=("arm", "wheel"), point=(0.0, 0.02, 0.1), axis=(0, 0, 1)))
    m.add(
        "fixed", ag.SpatialGear(body="ground", teeth=50, normal_module=4e-3, cone_angle=-math.atan(5.0), axis=(0, 1, 0))
    )
    m.add("rolling", ag.SpatialGear(body="wheel", teeth=10, normal_module=4e-3, cone_angle=math.atan(0.2)))
    m.spatial_mesh("mesh", "fixed", "rolling")
    m.add(
        "push", ag.SpatialLoad(body="wheel", force=[[0.0, 2.0, 0.0, 0.0], [0.05, 2.0, 0.0, 0.0], [0.06, 0.0, 0.0, 0.0]])
    )
    return m


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--out", type=Path, default=Path("mechanisms"), help="folder (mechanisms, here)")
    arguments.add_argument("--quick", action="store_true", help="few positions and pictures, and short motions")
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name, printed in PRINTED.items():
        case = ag.MachineCase.from_toml(MESHES / f"{name}.toml")
        if given.quick:
            case = replace(case, analysis=replace(case.analysis, positions=3))
        folder = given.out / name
        result = ag.run(case, folder, report=None if given.quick else write_pictures)
        forces = ", ".join(
            f"{mesh} {one['normal_force_max_N']:.6g} N" for mesh, one in result.summary["meshes"].items()
        )
        told = "" if printed is None else f" ({printed:.4g} N in the paper)"
        print(f"{name}: normal force of the teeth {forces}{told}")
        show(folder, screenshot=given.out / f"{name}.png")
        write_animation(folder, given.out / f"{name}.gif", frames=2 if given.quick else 40)

    case = ag.MachineCase.from_toml(MESHES / "spur_transmission.toml")
    if given.quick:
        case = replace(case, analysis=replace(case.analysis, duration=2e-4))
    result = ag.run(case, given.out / "spur_transmission", report=write_pictures)
    torques = np.abs(result.dataset["bushing_torque"].to_numpy()[:, 2:, 2])
    print(f"spur_transmission: torques of the shafts {torques.min():.5g} to {torques.max():.5g} N m")

    duration = 0.1 if given.quick else 2.0
    result = thrown_wheel().run(given.out / "thrown_wheel", duration=duration, output_every=0.01, time_step=1e-3)
    energy = result.summary["energy"]
    print(f"thrown_wheel: put in {energy['input_J']:.4g} J, missing {energy['missing_J']:.2g} J")
    write_animation(given.out / "thrown_wheel", given.out / "thrown_wheel.gif", frames=2 if given.quick else 80)
    print(f"pictures in {given.out}")


if __name__ == "__main__":
    main()
