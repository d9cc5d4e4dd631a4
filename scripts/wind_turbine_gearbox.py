"""Gearbox of a wind turbine on Hertz teeth: a planetary stage with three planets and two parallel stages.

    python scripts/wind_turbine_gearbox.py [--duration S] [--tolerance T] [--slices N] [--out FOLDER] [--quick]

After Dahl, Wettergren and Tidefelt (2017), figures 13, 14 and 17, who do not say what their gears are: here tooth
numbers and modules of the gearbox of the Gearbox Reliability Collaborative for 750 kW (21/39/99 of module 10 mm, 23/82
of 8.25 mm, 22/88 of 5 mm, ratio 81.5), whose 18.4 rpm become 1500 rpm. Its teeth are helical; these are spur, as in the
paper. Widths, shafts, bearings and inertias are made up. Shafts are flexible, planets sit on bearings of their pins,
the ring stands, the generator is held at its speed by a PI controller. The last pinion runs out by 10 um, so that its
mesh has sidebands. The motion starts in the equilibrium under the mean load, with everything at its speed.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import alegear as ag
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.compiled_motion import CompiledMotion
from alegear.drivetrain.displaced_planets import Pins
from alegear.drivetrain.gear_mesh import GearMesh, PreparedMesh
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.layout import Layout
from alegear.drivetrain.machine import Machine, MachineSystem
from alegear.drivetrain.parts import RPM, Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.shaft import Disk, Shaft, node_name
from alegear.drivetrain.teeth.teeth_mesh import TeethMesh, ToothContacts
from alegear.dynamics import AdaptiveStep, GeneralizedAlpha, NewtonParameters
from alegear.dynamics.stop_times import StopTimes
from alegear.dynamics.system import State
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.signals.signal import Signal
from alegear.signals.spectrum import Spectrum
from alegear.system import SystemModel, SystemMotion, solve_equilibrium
from alegear.system.energy import SystemEnergy

Rows = list[dict[str, float | str]]
SUN, PLANET, RING = 21, 39, 99
FIRST, LAST = (82, 23), (88, 22)  # teeth of wheel and pinion of both parallel stages
MODULES = (10e-3, 8.25e-3, 5e-3)
WIDTHS = (0.22, 0.17, 0.12)
SPEED = 1500.0 * RPM  # of the generator
PLANETARY_RATIO = 1.0 + RING / SUN
RATIO = PLANETARY_RATIO * FIRST[0] / FIRST[1] * LAST[0] / LAST[1]
TORQUE = 750e3 * RATIO / SPEED  # of the rotor, for 750 kW
RETARDATION = 1e-5  # of all teeth [s]: about 0.05 of the critical damping at a mode of 1600 Hz
ALLOWANCE, RUN_OUT = 60e-6, 10e-6
#: Tip relief of all gears of a stage: more than their teeth are pressed together, over 0.6 modules of their depth.
RELIEF = (60e-6, 45e-6, 30e-6)
#: Along the axes [m]: middle of the planets at 0; gears and bearings of the others.
STAGE_1, STAGE_2, ENDS = 0.55, 0.85, (0.35, 1.05)
GENERATOR = 1.35
#: Natural frequency and damping of the controlled speed, of all inertia as a rigid body.
HOLD, DAMPING = 2.0 * np.pi * 1.0, 0.7
ROTOR_INERTIA, GENERATOR_INERTIA = 1.0e6, 65.0
#: Frequencies of the meshes [Hz].
PLANETARY = RING * SPEED / RATIO / (2.0 * np.pi)
PARALLEL_1 = FIRST[0] * SPEED * PLANETARY_RATIO / RATIO / (2.0 * np.pi)
PARALLEL_2 = LAST[1] * SPEED / (2.0 * np.pi)
EVERY, SETTLED = 1e-4, 0.1  # samples, and from when on means are taken [s]
STIFF, SOFT = (2e9, 2e9, 1e9, 1e8, 1e8), (3e8, 3e8, 3e8, 1e7, 1e7)


def damped(stiffness: tuple[float, ...]) -> dict[str, tuple[float, ...]]:
    """Stiffness and damping of a bearing: a retardation of 10 us."""
    return {"stiffness": stiffness, "damping": tuple(1e-5 * k for k in stiffness)}


def planetary(slices: int) -> ag.PlanetaryGearSet:
    """The first stage: the ring stands, the sun is driven."""
    given = {"m_n": MODULES[0], "b": WIDTHS[0], "thickness_allowance": ALLOWANCE}
    sun = relieved(ag.Gear(z=SUN, bore_diameter=0.06, **given), 0)
    planet = relieved(ag.Gear(z=PLANET, bore_diameter=0.2, **given), 0)
    ring = relieved(ag.InternalGear(z=RING, rim_diameter=1.15, tip_alteration_factor=-0.1, **given), 0)
    teeth = PlanetaryTeeth(sun=SUN, ring=RING, planets=(PLANET,), n_planets=3, m_n=MODULES[0])
    law, a_w = law_of("teeth", "planets", slices=slices), teeth.pin_radii["planet"]
    pairs = {
        "sun": ag.GearPair(pinion=sun, wheel=planet, a_w=a_w),
        "ring": ag.GearPair(pinion=planet, wheel=ring, a_w=a_w),
    }
    return ag.PlanetaryGearSet(
        name="set",
        teeth=teeth,
        carrier=node_name("rotor", 1.0),
        sun=node_name("sun", 0.0),
        ring="ground",
        fidelity="teeth",
        meshes={name: ag.PlanetPair(pair=pair, law=law, retardation=RETARDATION) for name, pair in pairs.items()},
        torque=-TORQUE / PLANETARY_RATIO,
        pins=Pins(**damped((1.5e9, 1.5e9, 1e9, 1e8, 1e8))),
    )


class Gearbox:
    """All of it, as it stands in equilibria and as it moves."""

    def __init__(self, slices: int = 1) -> None:
        self.set = planetary(slices)
        a_1, a_2 = (0.5 * m * sum(z) for m, z in zip(MODULES[1:], (FIRST, LAST), strict=True))
        begin, end = ENDS
        kept = {"highest_mode": 2.0 * np.pi * 2000.0}
        rotor = Shaft(name="rotor", sections=[(1.0, 0.5, 0.15)], position=(0.0, 0.0, -1.0), points=(0.2,), **kept)
        sun = Shaft(name="sun", sections=[(end, 0.16, 0.05)], **kept)
        middle = Shaft(name="middle", sections=[(end - begin, 0.14, 0.0)], position=(a_1, 0.0, begin), **kept)
        last = Shaft(name="last", sections=[(GENERATOR - begin, 0.09, 0.0)], position=(a_1 + a_2, 0.0, begin), **kept)
        self.law = law_of("teeth", "mesh", slices=slices)
        gears = [
            ("wheel 1", "sun", STAGE_1, FIRST[0], 1),
            ("pinion 1", "middle", STAGE_1 - begin, FIRST[1], 1),
            ("wheel 2", "middle", STAGE_2 - begin, LAST[0], 2),
            ("pinion 2", "last", STAGE_2 - begin, LAST[1], 2),
        ]
        self.layout = Layout(
            shafts=[sun, middle, last],
            gears=[
                ShaftGear(name=name, shaft=shaft, at=at, gear=gear(z, stage)) for name, shaft, at, z, stage in gears
            ],
            meshes=[GearMesh(name=f"stage {i}", gears=(f"wheel {i}", f"pinion {i}"), law=self.law) for i in (1, 2)],
            bearings=[
                Bearing(name=f"{name} {i}", shaft=name, at=at, **damped(SOFT if name == "sun" else STIFF))
                for name, places in (
                    ("sun", (begin, end)),
                    ("middle", (0.0, end - begin)),
                    ("last", (0.0, end - begin)),
                )
                for i, at in enumerate(places)
            ],
            drives=[Drive(name="planets", shaft="sun", at=0.0, speed=SPEED * PLANETARY_RATIO / RATIO)],
            loads=[
                TorqueLoad(
                    name="generator",
                    shaft="last",
                    at=GENERATOR - begin,
                    torque=TORQUE / RATIO,
                    inertia=GENERATOR_INERTIA,
                )
            ],
        )
        self.shafts = (sun, middle, last, rotor)
        self.at_generator, self.at_hub = node_name("last", GENERATOR - begin), node_name("rotor", 0.0)
        self.rotor_bearings = [
            Bearing(name=f"rotor {i}", shaft="rotor", at=at, **damped(STIFF)) for i, at in enumerate((0.2, 1.0))
        ]

    def built(self, kind: str) -> MachineSystem:
        """The system: "bonded" and "seated" for equilibria, "free" for motions."""
        ready = {
            place.mesh.name: PreparedMesh(stiffness=place.first_stiffness, retardation=RETARDATION)
            for place in self.layout.meshes
        }
        make = {"bonded": self.law.on_springs, "seated": self.law.in_statics, "free": self.law.in_motion}[kind]
        inertia = GENERATOR_INERTIA + ROTOR_INERTIA / RATIO**2
        wind = ag.TorqueSource(name="wind", at=self.at_hub, torque=TORQUE)
        governor = ag.SpeedGovernor(
            name="governor",
            at=self.at_generator,
            speed=SPEED,
            proportional=2.0 * DAMPING * HOLD * inertia,
            integral=HOLD**2 * inertia,
            torque=-TORQUE / RATIO,
        )
        hub = Disk(name="hub", shaft="rotor", at=0.0, mass=1e4, inertia=ROTOR_INERTIA, tilt_inertia=0.6 * ROTOR_INERTIA)
        arms = Disk(name="arms", shaft="rotor", at=1.0, mass=800.0, inertia=60.0, tilt_inertia=40.0)
        planets = {"bonded": self.set.on_springs, "seated": self.set.in_statics, "free": lambda: self.set}[kind]()
        parts = [hub, arms, wind, planets, *([governor] if kind == "free" else [])]
        machine = Machine(
            layout=self.layout, shafts=self.shafts, bearings=(*self.layout.bearings, *self.rotor_bearings), parts=parts
        )
        return machine.build({name: make(one) for name, one in ready.items()}, moves=kind == "free")

    def at_rest(self) -> tuple[SystemModel, np.ndarray]:
        """Coordinates under the mean load, the generator held."""
        x = None
        for kind in ("bonded", "seated"):
            model = self.built(kind).model
            held = {model.index(self.at_generator): 0.0}
            x = solve_equilibrium(model, held=held, x=x, parameters=NewtonParameters(max_iterations=60)).x
        return model, x

    def start(self, built: MachineSystem) -> tuple[np.ndarray, np.ndarray]:
        """The state of a motion: that at rest, with all that turns at its speed."""
        rest, x_rest = self.at_rest()
        model, here = built.model, dict(zip(rest.names, x_rest, strict=True))
        x = np.array([here[name] for name in model.names])
        v = np.zeros(model.n)
        speeds = {name: ratio * SPEED * PLANETARY_RATIO / RATIO for name, ratio in self.layout.ratio.items()}
        speeds["rotor"] = SPEED / RATIO
        for shaft, at in built.turned.items():
            v[at] = speeds[shaft]
        for name in self.set.planet:
            v[model.places[name].rotation] = SPEED / RATIO * (1.0 - RING / PLANET)
        element = next(one for one in model.elements if one.name == "set")
        at = element.coordinates
        v[at] = element.taken_along(x[at], v[at])[1]
        return x, v


def relieved(one: CylindricalGear, stage: int, **deviations: np.ndarray) -> CylindricalGear:
    """A gear with the tip relief of its stage, and other deviations."""
    start = abs(one.d_a) - np.copysign(1.2 * one.m_n, one.d_a)
    return one.with_microgeometry(
        ag.Microgeometry(tip_relief=RELIEF[stage], tip_relief_start_diameter=start, **deviations)
    )


def gear(z: int, stage: int) -> CylindricalGear:
    """A gear of a parallel stage."""
    m_n = MODULES[stage]
    bore = 0.16 if (stage, z) == (1, FIRST[0]) else (0.14 if z > 50 else 0.5 * m_n * z)
    plain = ag.Gear(z=z, m_n=m_n, b=WIDTHS[stage], bore_diameter=bore, thickness_allowance=ALLOWANCE)
    if (stage, z) == (2, LAST[1]):
        return relieved(plain, stage, pitch_deviation=RUN_OUT * np.sin(2.0 * np.pi * np.arange(z) / z))
    return relieved(plain, stage)


class Samples:
    """A motion at its output times.

    Attributes
    ----------
    t : shape (m,) [s]
    x, v, a : shape (m, n)
    seconds, processor : float [s]
        That it took, and that the processor worked for it.
    steps : StepCount
    energy : SystemEnergy
    """

    def __init__(self, system: SystemMotion, state: State, duration: float, every: float, tolerance: float) -> None:
        pitch = 2.0 * np.pi / (LAST[1] * SPEED)
        control = AdaptiveStep(tolerance=tolerance, h_max=pitch / 8.0)
        energy = SystemEnergy()
        energy.carry_on(system, state)
        begin = time.perf_counter(), time.process_time()
        motion = CompiledMotion(system, state, scheme=GeneralizedAlpha(rho_inf=0.7), control=control, energy=energy)
        blocks = list(motion.run(StopTimes.of(duration, every).after(0.0)))
        self.seconds, self.processor = time.perf_counter() - begin[0], time.process_time() - begin[1]
        if motion.failed:
            raise SystemExit(f"the motion ended at t = {motion.time:.6g} s: reduce the tolerance")
        self.t, self.x, self.v, self.a = (
            np.concatenate([getattr(block, name)[block.flags > 0] for block in blocks])
            for name in ("time", "x", "v", "a")
        )
        self.steps, self.energy = motion.count, motion.energy


class Meshes:
    """The eight meshes of a built gearbox at samples of a motion.

    Parameters
    ----------
    built : MachineSystem
    samples : Samples
    """

    def __init__(self, built: MachineSystem, samples: Samples) -> None:
        self.samples, self._all = samples, {}
        for element in built.model.elements:
            if isinstance(element, TeethMesh):
                self._all[element.name] = (element, None)
            elif element.name == "set":
                self._all |= {mesh.name: (mesh, element) for mesh in element.model.elements}

    @property
    def names(self) -> list[str]:
        """All of them."""
        return list(self._all)

    def contacts(self, name: str, instants: np.ndarray) -> Iterator[tuple[float, ToothContacts]]:
        """Times of some samples, by their numbers, and what touches then."""
        mesh, frame = self._all[name]
        for i in instants:
            x, v = self.samples.x[i], self.samples.v[i]
            if frame is not None:
                x, v = frame.seen(x[frame.coordinates], v[frame.coordinates])
            yield float(self.samples.t[i]), mesh.contacts(x[mesh.coordinates], v[mesh.coordinates])

    def force(self, name: str, instants: np.ndarray) -> np.ndarray:
        """Force along the line of action [N]: with its sign on the flanks with which the first gear drives."""
        return np.array([float(c.side @ c.force) for _, c in self.contacts(name, instants)])


def by_hand() -> dict[str, tuple[float, float]]:
    """Torque [N m] that each stage hands on and force [N] of each of its meshes, from the torque of the rotor alone."""
    torque, alpha, found = TORQUE / PLANETARY_RATIO, np.radians(20.0), {}
    found["planetary"] = torque, torque / 3.0 / (0.5 * MODULES[0] * SUN * np.cos(alpha))
    for stage, (wheel, pinion) in ((1, FIRST), (2, LAST)):
        force = torque / (0.5 * MODULES[stage] * wheel * np.cos(alpha))
        torque *= pinion / wheel
        found[f"stage {stage}"] = torque, force
    return found


def mean_loads(meshes: Meshes, instants: np.ndarray) -> tuple[Rows, dict[str, np.ndarray]]:
    """Rows of a table: mean forces and torques against those by hand; and all forces over time."""
    forces = {name: meshes.force(name, instants) for name in meshes.names}
    mean = {name: float(np.abs(force.mean())) for name, force in forces.items()}
    alpha, rows = np.cos(np.radians(20.0)), []
    for stage, (torque, force) in by_hand().items():
        if stage == "planetary":
            of_sun, of_ring = (np.mean([mean[f"set {gear} planet {i}"] for i in (1, 2, 3)]) for gear in ("sun", "ring"))
            found = 3.0 * of_sun * 0.5 * MODULES[0] * SUN * alpha
            rows.append({"what": "force of a sun-planet mesh [N]", "mean": of_sun, "by hand": force})
            rows.append({"what": "force of a planet-ring mesh [N]", "mean": of_ring, "by hand": force})
        else:
            number = int(stage[-1])
            found = mean[stage] * 0.5 * MODULES[number] * (FIRST, LAST)[number - 1][1] * alpha
            rows.append({"what": f"force of {stage} [N]", "mean": mean[stage], "by hand": force})
        rows.append({"what": f"torque after {stage} [N m]", "mean": found, "by hand": torque})
    return rows, forces


def mean_speeds(built: MachineSystem, samples: Samples, first: int) -> Rows:
    """Ratios of mean speeds against those of the teeth."""
    places = {"rotor": node_name("rotor", 0.0), "sun": node_name("sun", 0.0), "middle": "middle", "last": "last"}
    angle = {name: samples.x[:, built.model.places[place].rotation] for name, place in places.items()}
    turned = {name: float(a[-1] - a[first]) for name, a in angle.items()}
    by_teeth = {
        ("sun", "rotor"): PLANETARY_RATIO,
        ("middle", "sun"): -FIRST[0] / FIRST[1],
        ("last", "middle"): -LAST[0] / LAST[1],
        ("last", "rotor"): RATIO,
    }
    return [
        {"what": f"speed of {a} over {b}", "mean": turned[a] / turned[b], "by hand": ratio}
        for (a, b), ratio in by_teeth.items()
    ]


def lines_of(values: np.ndarray, step: float, expected: dict[str, float]) -> tuple[Spectrum, Rows]:
    """Spectrum of a signal, and the highest line within two bins of each frequency that is expected."""
    found = ag.spectrum(Signal(name="force", units="N", values=values, step=step))
    width, rows = float(found.x[1] - found.x[0]), []
    for name, frequency in expected.items():
        near = np.flatnonzero(np.abs(found.x - frequency) <= 2.0 * width)
        at = near[int(np.argmax(found.values[near]))]
        away = (np.abs(found.x - frequency) > 4.0 * width) & (np.abs(found.x - frequency) < 10.0 * width)
        floor = float(np.median(found.values[away]))
        rows.append({
            "line": name, "expected [Hz]": frequency, "found [Hz]": float(found.x[at]),
            "amplitude [N]": float(found.values[at]), "over its surroundings": float(found.values[at]) / floor,
        })  # fmt: skip
    return found, rows


def draw_pressures(
    meshes: Meshes, samples: Samples, spans: dict[str, tuple[str, float]]
) -> tuple[Figure, dict[str, float]]:
    """Figure 17: largest pressure of each tooth pair over time; and the largest of all."""
    figure, largest = Figure(figsize=(10.0, 8.0), layout="constrained"), {}
    FigureCanvasAgg(figure)
    for axes, (title, (name, span)) in zip(figure.subplots(3, 1), spans.items(), strict=True):
        instants = np.flatnonzero(samples.t >= samples.t[-1] - span)
        pairs: dict[int, list[tuple[float, float]]] = {}
        for t, c in meshes.contacts(name, instants):
            for pair in np.unique(c.pair).tolist():
                pairs.setdefault(pair, []).append((t, float(c.pressure[c.pair == pair].max())))
        for number, pair in enumerate(sorted(pairs)):
            t, p = np.array(pairs[pair]).T
            axes.plot(t, 1e-6 * p, color=f"C{number % 6}", linewidth=1.0)
        largest[title] = max(p for one in pairs.values() for _, p in one)
        axes.set(title=title, ylabel="pressure [MPa]", xlim=(samples.t[instants[0]], samples.t[-1]), ylim=(0.0, None))
        axes.grid(alpha=0.3)
    axes.set_xlabel("time [s]")
    return figure, largest


def draw_spectra(spectra: dict[str, tuple[Spectrum, Rows]]) -> Figure:
    """Spectra of mesh forces with the lines that are expected."""
    figure = Figure(figsize=(10.0, 8.0), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (title, (spectrum, rows)) in zip(figure.subplots(len(spectra), 1), spectra.items(), strict=True):
        highest = 1.3 * max(float(row["expected [Hz]"]) for row in rows)
        shown = spectrum.x <= highest
        axes.semilogy(spectrum.x[shown], spectrum.values[shown], linewidth=0.8)
        for row in rows:
            axes.axvline(float(row["expected [Hz]"]), color="C3", linewidth=0.6, alpha=0.6)
        peak = spectrum.values[shown].max()
        axes.set(title=title, ylabel="force [N]", xlim=(0.0, highest), ylim=(1e-5 * peak, 2.0 * peak))
        axes.grid(alpha=0.3)
    axes.set_xlabel("frequency [Hz]")
    return figure


def table(rows: Rows) -> None:
    """Print rows."""
    for row in rows:
        values = "  ".join(f"{key} {value:.6g}" for key, value in row.items() if not isinstance(value, str))
        print(f"{next(iter(row.values()))!s:36s} {values}")


def main() -> None:
    """Move it, tell what it does, draw."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--duration", type=float, default=1.0, help="of the motion [s]")
    options.add_argument("--tolerance", type=float, default=1e-3, help="of a step, of the deflection of the teeth")
    options.add_argument("--slices", type=int, default=1, help="across each face")
    options.add_argument("--out", type=Path, default=Path("wind_turbine"), help="folder of tables and pictures")
    options.add_argument("--quick", action="store_true", help="20 ms: a first look, without spectra")
    chosen = options.parse_args()
    duration = 0.02 if chosen.quick else chosen.duration
    chosen.out.mkdir(parents=True, exist_ok=True)
    box = Gearbox(chosen.slices)
    built = box.built("free")
    system = SystemMotion(built.model)
    state = system.begin(0.0, *box.start(built))
    Samples(system, state, EVERY, EVERY, chosen.tolerance)  # loads kernels
    samples = Samples(system, state, duration, EVERY, chosen.tolerance)
    rate = samples.seconds / duration
    print(f"{duration:g} s in {samples.seconds:.1f} s ({samples.processor:.1f} s of the processor, load of the machine")
    print(
        f"{os.getloadavg()[0]:.1f}): {rate:.1f} s a second; {samples.steps.accepted} steps, {built.model.n} coordinates"
    )
    first = int(np.searchsorted(samples.t, min(SETTLED, 0.5 * duration)))
    meshes = Meshes(built, samples)
    speeds = mean_speeds(built, samples, first)
    instants = np.arange(first, len(samples.t))
    loads, forces = mean_loads(meshes, instants)
    table(speeds + loads)
    at_end = sum(len(np.unique(c.pair[c.force > 0.0])) for name in meshes.names for _, c in meshes.contacts(name, [-1]))
    told = {
        "duration": duration, "seconds": samples.seconds, "processor": samples.processor,
        "load": os.getloadavg()[0], "steps": samples.steps.accepted, "speeds": speeds, "loads": loads,
        "energy missing over that of the motion": samples.energy.missing / samples.energy.kinetic,
        "tooth pairs that touch at the end": at_end,
    }  # fmt: skip
    spans = {
        "first planet and ring": ("set ring planet 1", 4.0 / PLANETARY),
        "first parallel stage": ("stage 1", 8.0 / PARALLEL_1),
        "last stage": ("stage 2", 12.0 / PARALLEL_2),
    }
    figure, told["largest pressure [Pa]"] = draw_pressures(meshes, samples, spans)
    figure.savefig(chosen.out / "pressures.png", dpi=110)
    if not chosen.quick:
        shaft = SPEED / (2.0 * np.pi)
        expected = {
            "set ring planet 1": {f"planetary x{k}": k * PLANETARY for k in (1, 2, 3)},
            "stage 1": {f"stage 1 x{k}": k * PARALLEL_1 for k in (1, 2, 3)},
            "stage 2": {
                **{f"stage 2 x{k}": k * PARALLEL_2 for k in (1, 2)},
                **{f"stage 2 x1, {k:+d} last shaft": PARALLEL_2 + k * shaft for k in (-2, -1, 1, 2)},
                "last shaft": shaft,
            },
        }
        spectra = {name: lines_of(forces[name], EVERY, lines) for name, lines in expected.items()}
        for name, (_, rows) in spectra.items():
            print(f"force of {name}")
            table(rows)
        told["lines"] = {name: rows for name, (_, rows) in spectra.items()}
        draw_spectra(spectra).savefig(chosen.out / "spectra.png", dpi=110)
    (chosen.out / "result.json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
