"""What is heard of a gearbox with a cracked tooth: spectra of a run-up, their lines marked with their causes.

    python scripts/signals_gearbox.py [--duration SECONDS] [--out FOLDER]

Two helical stages with the teeth and the centre distances of meshes/two_stage_helical.toml, the teeth as springs whose
stiffness changes by a tenth over each pitch. One tooth of the first pinion has lost half of its stiffness: it comes
once in a turn of the input shaft, which sets sidebands around the mesh and makes the train ring. Inertias and the
stiffness of the shafts are those of the steel disks and bars of that case, rounded; the depth of the crack is made up.
"""

from __future__ import annotations

import argparse
from math import pi
from pathlib import Path

import numpy as np

import alegear as ag
from alegear.drivetrain.planar import LinearSpring, MeshAverages, PeriodicFactor
from alegear.geometry import iso_6336_stiffness
from alegear.pictures.spectra import draw_spectrogram, draw_spectrum

CASE = Path(__file__).resolve().parent.parent / "meshes" / "two_stage_helical.toml"
RPM = pi / 30.0
SLOW, FAST = 600.0 * RPM, 2400.0 * RPM  # [rad/s] of the input
OUTPUT_EVERY = 5e-5  # [s]
RIPPLE, CRACK, WIDTH = 0.1, 0.5, 0.6  # of the stiffness, of that of the tooth, its length in pitches
DAMPING_TIME = 2e-6  # [s]: damping of teeth over their stiffness
POINTS = 16  # of the stiffness over a pitch


def teeth_on_springs(
    pair: ag.GearPair, moduli: tuple[float, float], cracked: bool
) -> tuple[MeshAverages, LinearSpring]:
    """Path of contact and springs of a stage; of a cracked one the stiffness comes again after a turn of its pinion."""
    averages, z = MeshAverages.from_pair(pair), pair.pinion.z
    at = np.arange(POINTS * (z if cracked else 1)) / POINTS  # pitches
    factor = 1.0 + RIPPLE * np.cos(2.0 * pi * at)
    if cracked:
        factor *= 1.0 - CRACK * np.exp(-(((at - 0.5 * z) / WIDTH) ** 2))
    period = pi * pair.d_w[0] / z * (z if cracked else 1)
    c = iso_6336_stiffness.mesh_stiffness(pair, moduli)
    return averages, LinearSpring(c=c, damping=DAMPING_TIME * c, factor=PeriodicFactor(period=period, values=factor))


def gearbox() -> ag.Machine:
    """The machine."""
    case = ag.case_from_file(CASE)
    first, second = case.layout.meshes
    m = ag.Machine("Two-stage gearbox, one tooth of the first pinion cracked")
    speeds = {"motor": 1.0, "input": 1.0, "middle": -27.0 / 51.0, "output": 27.0 / 51.0 * 23.0 / 34.0}
    inertias = {"motor": 0.5, "input": 0.01, "middle": 0.15, "output": 0.5}
    for name, inertia in inertias.items():
        m.add(name, ag.Rotor1D(inertia=inertia, speed=speeds[name] * SLOW))
    m.add("coupling", ag.Spring(between=("motor", "input"), stiffness=5e4, damping=5.0))
    for place, shafts, cracked in ((first, ("input", "middle"), True), (second, ("middle", "output"), False)):
        averages, spring = teeth_on_springs(place.pair, place.moduli, cracked)
        teeth = (place.pair.pinion.z, place.pair.wheel.z)
        m.add(place.mesh.name, ag.ElasticMesh(gears=shafts, averages=averages, spring=spring, teeth=teeth))
    m.add("machine", ag.Resistance(at="output", table=[(0.0, 0.0), (5.0, 1000.0), (1000.0, 1000.0)]))
    return m


def main() -> None:
    """Run up, look at the acceleration of the middle shaft, draw."""
    parser = argparse.ArgumentParser(description="Spectra of a run-up with a cracked tooth, lines marked by cause.")
    parser.add_argument("--duration", type=float, default=2.5, metavar="SECONDS", help="of the run-up")
    parser.add_argument("--out", type=Path, default=Path("signals_gearbox"), metavar="FOLDER", help="where pictures go")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    m = gearbox()
    m.add("drive", ag.SpeedSource(at="motor", speed=[(0.0, SLOW), (args.duration, FAST)]))
    analysis = ag.RotationalMotion(duration=args.duration, output_every=OUTPUT_EVERY, tolerance=1e-8)
    case = m.case(analysis)
    result = ag.run(case)

    acceleration = ag.recorded_signal(result, "acceleration", body="middle").between(0.1, args.duration)
    angle = ag.recorded_angle(result, "input").between(0.1, args.duration)
    # an impact once in a turn of the input is heard at all of its orders
    orders = ag.characteristic_orders(case, "input", sidebands=1, shaft_harmonics={"input": 60})
    turned = ag.order_spectrum(acceleration, angle)
    # an order that passes a resonance lags by half a turn more after it: its line is that much lower over these turns
    marked = ag.mark(turned, orders, most=25, least=0.02, tolerance=0.05)
    print(f"{'order':>8} {'amplitude':>11}  cause")
    for line in marked:
        print(f"{line.x:8.3f} {line.amplitude:11.4g}  {line.label}")
    draw_spectrum(turned, marked, up_to=60.0).savefig(args.out / "orders.png", dpi=130)
    draw_spectrum(ag.spectrum(acceleration), up_to=3000.0).savefig(args.out / "spectrum.png", dpi=130)

    over_time = ag.spectrogram(acceleration, segment=0.05, angle=angle)
    main_causes = [cause for cause in orders.of_kind("mesh") if cause.harmonic < 4]
    draw_spectrogram(over_time, main_causes, up_to=4000.0).savefig(args.out / "spectrogram.png", dpi=130)
    over_speed = ag.order_map(acceleration, angle, segment=8.0)
    draw_spectrogram(over_speed, main_causes, over="speed", up_to=90.0).savefig(args.out / "order_map.png", dpi=130)

    band = (1500.0, 4000.0)
    ringing = ag.envelope_spectrum(acceleration, band, angle=angle, squared=True)
    heard = ag.mark(ringing, orders, most=8, least=0.05)
    draw_spectrum(ringing, heard, up_to=12.0, logarithmic=False).savefig(args.out / "envelope.png", dpi=130)
    print(f"envelope, {band[0]:g} to {band[1]:g} Hz: order {heard[0].x:.4f}, {heard[0].label}")


if __name__ == "__main__":
    main()
