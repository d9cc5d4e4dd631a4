"""Two spur gears on Hertz teeth between flexible shafts on bearings: how much faster than real time they run.

    python scripts/two_gears.py [--rpm RPM ...] [--duration S] [--tolerance T]

The smallest model of Dahl, Wettergren and Tidefelt (2017), which ran about as fast as the gears turn, and slower: here
20/30 teeth, module 4 mm, 20 mm wide, 300 N m, with tip relief, so that steps need not resolve edges that strike.
"""

import argparse
import os
import time
from typing import Any

import numpy as np

import alegear as ag
from alegear.drivetrain.compiled_motion import CompiledMotion
from alegear.dynamics import AdaptiveStep, GeneralizedAlpha, NewtonParameters
from alegear.dynamics.stop_times import StopTimes
from alegear.studies.dynamic import DynamicStudy
from alegear.system.energy import SystemEnergy
from alegear.units import RPM

TEETH, MODULE, LENGTH, TORQUE = (20, 30), 4e-3, 0.2, 300.0
#: Of a step, of the deflection of the teeth; and of the balance of forces, of the load: a tenth of the former.
TOLERANCE, NEWTON = 1e-2, 1e-3
#: Pitches from sample to sample, so that they are of all phases: the golden ratio.
SAMPLES = 0.5 * (1.0 + np.sqrt(5.0))
STIFFNESS = (5e8, 5e8, 5e8, 1e6, 1e6)


def gear(z: int) -> ag.Gear:
    """A gear with tip relief."""
    start = MODULE * (z + 2.0 - 1.2)
    own = ag.Microgeometry(tip_relief=20e-6, tip_relief_start_diameter=start)
    bore = 0.5 * MODULE * (z - 2.5)
    return ag.Gear(z=z, m_n=MODULE, b=20e-3, bore_diameter=bore, thickness_allowance=40e-6, microgeometry=own)


def machine(speed: float) -> ag.Machine:
    """Both shafts on two bearings each, the gears in their middles; the first is prescribed at a speed [rad/s]."""
    m = ag.Machine("two gears")
    for name, at in (("in", 0.0), ("out", 0.5 * MODULE * sum(TEETH))):
        m.add(name, ag.Shaft(sections=[(LENGTH, 0.04, 0.0)], position=(at, 0.0, 0.0), highest_mode=2.0 * np.pi * 1e3))
        for number, place in enumerate((0.0, LENGTH)):
            damping = tuple(1e-5 * k for k in STIFFNESS)
            m.add(f"{name} {number}", ag.Bearing(shaft=name, at=place, stiffness=STIFFNESS, damping=damping))
    m.add("pinion", ag.ShaftGear(gear=gear(TEETH[0]), shaft="in", at=0.5 * LENGTH))
    m.add("wheel", ag.ShaftGear(gear=gear(TEETH[1]), shaft="out", at=0.5 * LENGTH))
    m.mesh("mesh", "pinion", "wheel", fidelity="teeth", slices=1)
    m.add("motor", ag.Drive(shaft="in", at=0.0, speed=speed))
    m.add("machine", ag.TorqueLoad(shaft="out", at=LENGTH, torque=TORQUE, inertia=0.05))
    return m


def moved(rpm: float, duration: float, tolerance: float = TOLERANCE) -> dict[str, Any]:
    """Seconds of a motion at a speed of the pinion and of the processor for it, and the mean force of the teeth.

    It starts in the equilibrium under the load, which is not counted. The mean is that of the second half.
    """
    pitch = 60.0 / rpm / TEETH[0]
    every = min(SAMPLES * pitch, duration)
    analysis = ag.DynamicAnalysis(duration=duration, output_every=every, mesh_damping_ratio=0.05)
    study = DynamicStudy(machine(rpm * RPM).case(analysis, ag.OutputOptions(plots=False, fields=False)), {})
    system, energy = study.system, SystemEnergy()
    state = system.begin(0.0, *study._start)
    energy.carry_on(system, state)
    newton = NewtonParameters(tolerance=NEWTON, reuse_matrix=True)
    scheme = GeneralizedAlpha(rho_inf=0.3, newton=newton, filtered=True)
    control = AdaptiveStep(tolerance=tolerance, h_max=pitch / 8.0)
    begun = time.perf_counter(), time.process_time()
    motion = CompiledMotion(system, state, scheme=scheme, control=control, energy=energy)
    blocks = list(motion.run(StopTimes.of(duration, analysis.output_every).after(0.0)))
    wall, processor = time.perf_counter() - begun[0], time.process_time() - begun[1]
    (teeth,) = system.model.elements
    x, v = (np.concatenate([getattr(block, name)[block.flags > 0] for block in blocks]) for name in ("x", "v"))
    ahead, back = teeth.side_forces(*(one[len(x) // 2 :, teeth.coordinates] for one in (x, v)))
    pressed = ahead - back
    return {
        "rpm": rpm,
        "duration": duration,
        "seconds": wall,
        "processor": processor,
        "steps": motion.count.accepted,
        "coordinates": system.model.n,
        "force": float(np.mean(pressed)),
    }


def main() -> None:
    """Tell it for some speeds."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rpm", type=float, nargs="+", default=[60.0, 500.0], help="of the pinion")
    options.add_argument("--duration", type=float, default=2.0, help="of each motion [s]")
    options.add_argument("--tolerance", type=float, default=TOLERANCE, help="of a step, of the deflection of the teeth")
    chosen = options.parse_args()
    moved(chosen.rpm[0], 1e-3)  # loads kernels
    print(f"force of the teeth by hand {TORQUE / (0.5 * MODULE * TEETH[1] * np.cos(np.radians(20.0))):.1f} N")
    for rpm in chosen.rpm:
        one = moved(rpm, chosen.duration, chosen.tolerance)
        faster = one["duration"] / one["processor"]
        print(f"{rpm:6.0f} rpm: {one['duration']:g} s in {one['seconds']:.3f} s, processor {one['processor']:.3f} s,")
        print(f"  {faster:.1f} times as fast; {one['steps']} steps, {one['coordinates']} coordinates")
        print(f"  mean force of the teeth {one['force']:.1f} N")
    print(f"load of the machine {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
