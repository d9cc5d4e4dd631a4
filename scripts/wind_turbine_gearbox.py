"""Gearbox of a wind turbine on Hertz teeth: a planetary stage with three planets and two parallel stages.

    python scripts/wind_turbine_gearbox.py [--duration S] [--tolerance T] [--out FOLDER] [--gif] [--quick]

The case of `meshes/wind_turbine.toml`, after Dahl, Wettergren and Tidefelt (2017), figures 13, 14 and 17: ratios, tooth
forces and torques of all stages beside hand calculation, pressures of tooth pairs, spectra of mesh forces. The motion
starts in the equilibrium under the mean load, with everything at its speed.
"""

import argparse
import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import alegear as ag
from alegear.scene.gear_motion import write_motion
from alegear.signals.signal import Signal
from alegear.signals.spectrum import Spectrum

CASE = Path(__file__).resolve().parent.parent / "meshes" / "wind_turbine.toml"
Rows = list[dict[str, float | str]]
SETTLED = 0.1  # from when on means are taken [s]
SHOWN = 0.1  # of the motion in the animation [s]
PLANETS = (1, 2, 3)


@dataclass(frozen=True, kw_only=True, eq=False)
class Stages:
    """What tooth numbers and the load of the case say by hand.

    Parameters
    ----------
    case : MachineCase
    """

    case: ag.MachineCase

    @cached_property
    def set(self) -> ag.PlanetaryGearSet:
        """The planetary stage."""
        return next(part for part in self.case.parts if isinstance(part, ag.PlanetaryGearSet))

    @cached_property
    def planetary(self) -> float:
        """Speed of the sun over that of the rotor: ``1 + z_ring/z_sun``."""
        return 1.0 + self.set.teeth.ring / self.set.teeth.sun

    @cached_property
    def parallel(self) -> list[float]:
        """Speed of pinion over wheel of both parallel stages."""
        return [-place.pair.pinion.z / place.pair.wheel.z for place in self.case.layout.meshes]

    @cached_property
    def speeds(self) -> dict[str, float]:
        """Speeds of all shafts [Hz]."""
        last = self.case.drives[0].speed / (2.0 * np.pi)
        first, second = self.parallel
        middle = last / second
        return {
            "last": last,
            "middle": middle,
            "sun": middle / first,
            "rotor": middle / first / self.planetary,
        }

    @cached_property
    def frequencies(self) -> dict[str, float]:
        """Frequencies of the meshes [Hz]."""
        wheels = {place.mesh.name: place.pair.pinion.z for place in self.case.layout.meshes}
        return {
            "planetary": self.set.teeth.ring * self.speeds["rotor"],
            "stage 1": wheels["stage 1"] * self.speeds["sun"],
            "stage 2": wheels["stage 2"] * abs(self.speeds["middle"]),
        }

    def ratios(self) -> dict[tuple[str, str], float]:
        """Speed of one shaft over that of another."""
        pairs = [("sun", "rotor"), ("middle", "sun"), ("last", "middle"), ("last", "rotor")]
        return {(a, b): self.speeds[a] / self.speeds[b] for a, b in pairs}

    def loads(self) -> dict[str, tuple[float, float, float]]:
        """Torque [N m] that each stage hands on, force of each of its meshes [N], base radius of its last gear [m]."""
        wind = next(load for load in self.case.loads if load.name == "wind")
        torque = abs(wind.torque) / self.planetary
        sun = self.set.meshes["sun"].pair.pinion
        found = {"planetary": (torque, torque / len(PLANETS) / sun.r_b, sun.r_b)}
        for place in self.case.layout.meshes:
            wheel, pinion = place.pair.gears
            force = torque / wheel.r_b
            torque = force * pinion.r_b
            found[place.mesh.name] = torque, force, pinion.r_b
        return found


def force_of(data: Any, mesh: str) -> np.ndarray:
    """Force of a mesh over time [N]."""
    if mesh in data["mesh"]:
        force: np.ndarray = np.linalg.norm(data["mesh_force"].sel(mesh=mesh).to_numpy(), axis=1)
        return force
    planet: np.ndarray = np.abs(data["planet_mesh_force"].sel(planet_mesh=mesh).to_numpy())
    return planet


def mean_speeds(data: Any, stages: Stages) -> Rows:
    """Ratios of mean speeds against those of the teeth."""
    angle = data["rotation_error"] + data["ratio"] * data["drive_angle"]
    turned = {str(name): float(angle.sel(shaft=name)[-1] - angle.sel(shaft=name)[0]) for name in data["shaft"].values}
    return [
        {"what": f"speed of {a} over {b}", "mean": turned[a] / turned[b], "by hand": ratio}
        for (a, b), ratio in stages.ratios().items()
    ]


def mean_loads(data: Any, stages: Stages) -> Rows:
    """Mean forces and torques against those by hand."""
    rows: Rows = []
    for stage, (torque, force, radius) in stages.loads().items():
        if stage == "planetary":
            of_sun, of_ring = (
                float(np.mean([force_of(data, f"set {gear} planet {i}").mean() for i in PLANETS]))
                for gear in ("sun", "ring")
            )
            rows.append({"what": "force of a sun-planet mesh [N]", "mean": of_sun, "by hand": force})
            rows.append({"what": "force of a planet-ring mesh [N]", "mean": of_ring, "by hand": force})
            found = len(PLANETS) * of_sun * radius
        else:
            mean = float(force_of(data, stage).mean())
            rows.append({"what": f"force of {stage} [N]", "mean": mean, "by hand": force})
            found = mean * radius
        rows.append({"what": f"torque after {stage} [N m]", "mean": found, "by hand": torque})
    return rows


def expected_lines(stages: Stages) -> dict[str, dict[str, float]]:
    """Lines that the forces of some meshes should have [Hz]."""
    f, last = stages.frequencies, stages.speeds["last"]
    return {
        "set ring planet 1": {f"planetary x{k}": k * f["planetary"] for k in (1, 2, 3)},
        "stage 1": {f"stage 1 x{k}": k * f["stage 1"] for k in (1, 2, 3)},
        "stage 2": {
            **{f"stage 2 x{k}": k * f["stage 2"] for k in (1, 2)},
            **{f"stage 2 x1, {k:+d} last shaft": f["stage 2"] + k * last for k in (-2, -1, 1, 2)},
            "last shaft": last,
        },
    }


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


def draw_pressures(data: Any, stages: Stages) -> tuple[Figure, dict[str, float]]:
    """Figure 17: largest pressure of each tooth pair over time; and the largest of all."""
    f = stages.frequencies
    shown = {
        "first planet and ring": ("set ring planet 1", 4.0 / f["planetary"]),
        "first parallel stage": ("stage 1", 8.0 / f["stage 1"]),
        "last stage": ("stage 2", 12.0 / f["stage 2"]),
    }
    figure, largest = Figure(figsize=(10.0, 8.0), layout="constrained"), {}
    FigureCanvasAgg(figure)
    time, names = data["time"].to_numpy(), data["tooth_contact"].to_numpy().astype(str)
    for axes, (title, (mesh, span)) in zip(figure.subplots(3, 1), shown.items(), strict=True):
        own = np.flatnonzero(np.char.startswith(names, f"{mesh} "))
        late = time >= time[-1] - span
        pair, p = (data[name].to_numpy()[late][:, own] for name in ("tooth_pair", "tooth_pressure"))
        for number, one in enumerate(np.unique(pair[np.isfinite(pair)])):
            at = np.any(pair == one, axis=1)
            highest = np.where(pair == one, p, 0.0).max(axis=1)
            axes.plot(time[late][at], 1e-6 * highest[at], color=f"C{number % 6}", linewidth=1.0)
        largest[title] = float(np.where(np.isfinite(pair), p, 0.0).max())
        axes.set(title=title, ylabel="pressure [MPa]", xlim=(time[late][0], time[-1]), ylim=(0.0, None))
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
    options.add_argument("--duration", type=float, help="of the motion [s]; default: that of the case")
    options.add_argument("--tolerance", type=float, help="of a step, of the deflection of the teeth; likewise")
    options.add_argument("--out", type=Path, default=Path("wind_turbine"), help="folder of tables and pictures")
    options.add_argument("--gif", action="store_true", help="write motion.gif, of the last tenth of a second")
    options.add_argument("--quick", action="store_true", help="20 ms: a first look, without spectra")
    chosen = options.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    case = ag.MachineCase.from_toml(CASE)
    given = {"duration": 0.02 if chosen.quick else chosen.duration, "tolerance": chosen.tolerance}
    given = {name: value for name, value in given.items() if value is not None}
    case = replace(case, analysis=replace(case.analysis, **given))
    result, stages = ag.run(case), Stages(case=case)
    duration, seconds = case.analysis.duration, result.summary["seconds"]["solve"]
    print(f"{duration:g} s in {seconds:.1f} s, its samples included")
    whole = result.dataset
    data = whole.sel(time=slice(min(SETTLED, 0.5 * duration), None))
    speeds, loads = mean_speeds(data, stages), mean_loads(data, stages)
    table(speeds + loads)
    stored = whole["energy_kinetic"] + whole["energy_elastic"]
    missing = whole["energy_input"] - whole["energy_dissipated"] - (stored - stored[0])
    told: dict[str, Any] = {
        "duration": duration, "seconds": seconds, "speeds": speeds, "loads": loads,
        "energy missing over that of the motion": float(missing[-1] / whole["energy_kinetic"][-1]),
        "tooth pairs that touch at the end": int((whole["tooth_force"][-1] > 0.0).sum()),
        "load shares at the beginning": dict(
            zip(whole["planet_mesh"].to_numpy().tolist(), whole["load_share"][0].to_numpy().tolist(), strict=True)
        ),
    }  # fmt: skip
    figure, told["largest pressure [Pa]"] = draw_pressures(whole, stages)
    figure.savefig(chosen.out / "pressures.png", dpi=110)
    if not chosen.quick:
        step = case.analysis.output_every
        spectra = {name: lines_of(force_of(data, name), step, lines) for name, lines in expected_lines(stages).items()}
        for name, (_, rows) in spectra.items():
            print(f"force of {name}")
            table(rows)
        told["lines"] = {name: rows for name, (_, rows) in spectra.items()}
        draw_spectra(spectra).savefig(chosen.out / "spectra.png", dpi=110)
    if chosen.gif:
        late = whole["time"] >= float(whole["time"][-1]) - SHOWN
        write_motion(case, whole.isel(time=late.to_numpy()), chosen.out / "motion.gif")
    (chosen.out / "result.json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
