"""Two shafts in rolling bearings, one with a pit: acceleration of its seat, and the spectrum of its envelope.

    python scripts/bearing_defect.py [--quick] [--out FOLDER]

After Dahl et al. (Modelica 2017), figures 15 and 16: the case of `meshes/bearing_defect.toml`, with its pit in the
outer ring, in the inner ring, in a roller, and without. The moments at which a roller is over the pit, or the pit over
a race, follow from the angles of the rings; they are marked. The envelope of the band that impacts excite has its lines
at the frequencies of the bearing.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import alegear as ag
from alegear.signals.envelope import envelope_spectrum
from alegear.signals.signal import Signal
from alegear.signals.spectrum import Spectrum
from alegear.units import RPM

CASE = Path(__file__).resolve().parent.parent / "meshes" / "bearing_defect.toml"
BEARING = "lower_rollers"
#: Defect -> frequency of the bearing at which it is heard, its usual name, and what is shown of the time [s]: a few
#: rollers, a turn of the shaft that takes the pit through the load, a turn of the cage.
HEARD = {
    "outer ring": ("outer_race", "BPFO", 0.1),
    "inner ring": ("inner_race", "BPFI", 0.15),
    "roller": ("roller", "2 BSF", 0.3),
}
#: Of the acceleration [Hz]: above the harmonics of the mesh that are strong, below what the steps resolve.
BAND = (1000.0, 6000.0)
SETTLED = 0.05  # of the time, until the start has died away


def with_defect(case: ag.MachineCase, on: str | None) -> ag.MachineCase:
    """The case with the pit of its outer ring elsewhere, or without."""
    bearings = []
    for one in case.bearings:
        if one.name == BEARING:
            (pit,) = one.defects
            one = replace(one, defects=() if on is None else (replace(pit, on=on),))
        bearings.append(one)
    return replace(case, bearings=tuple(bearings))


def faster(case: ag.MachineCase, factor: float) -> ag.MachineCase:
    """The case in a part of the time, at as many times the speed."""
    drives = tuple(replace(one, speed=factor * one.speed) for one in case.drives)
    analysis = replace(case.analysis, duration=case.analysis.duration / factor)
    return replace(case, drives=drives, analysis=analysis)


def acceleration(result: ag.Result) -> Signal:
    """Vertical acceleration of the seat of the bearing, once settled."""
    data = result.dataset.sel(moving_seat=BEARING, axis="y").seat_acceleration
    settled = data.time.values >= SETTLED * data.time.values[-1]
    values, times = data.values[settled], data.time.values[settled]
    return Signal.recorded(times, values, name="vertical acceleration of the seat", units="m/s2")


def impacts(case: ag.MachineCase, result: ag.Result) -> np.ndarray:
    """Times at which a roller is over the pit of a ring, or the pit of a roller over a race [s]."""
    bearing = next(one for one in case.bearings if one.name == BEARING)
    data = result.dataset.sel(rolling_bearing=BEARING)
    return bearing.passages(data.time.values, data.ring_angle.values)


def draw_impacts(signal: Signal, marks: np.ndarray, on: str, span: float) -> Figure:
    """The acceleration over a few passages, with the moments of the passages."""
    figure = Figure(figsize=(9.0, 4.0), layout="constrained")
    axes = figure.subplots()
    begin, end = signal.x[0], signal.x[0] + span
    shown = (signal.x >= begin) & (signal.x <= end)
    for number, t in enumerate(marks[(marks >= begin) & (marks <= end)]):
        axes.axvline(1e3 * t, color="C3", linewidth=1.0, alpha=0.7, label=None if number else "contact at the pit")
    axes.plot(1e3 * signal.x[shown], signal.values[shown], color="C0", linewidth=0.8)
    axes.set(xlabel="time [ms]", ylabel="vertical acceleration of the seat [m/s2]", title=f"Pit in the {on}")
    axes.set(xlim=(1e3 * begin, 1e3 * end))
    axes.grid(alpha=0.3)
    axes.legend(loc="upper right", fontsize="small")
    return figure


def draw_spectra(spectra: dict[str, Spectrum], frequencies: dict[str, float], highest: float) -> Figure:
    """Envelope spectra with the frequency of each defect and its harmonics."""
    figure = Figure(figsize=(9.0, 2.2 * len(spectra)), layout="constrained")
    rows = np.atleast_1d(figure.subplots(len(spectra), 1, sharex=True))
    for axes, (on, spectrum) in zip(rows, spectra.items(), strict=True):
        shown = spectrum.x <= highest
        if on in HEARD:
            key, name, _ = HEARD[on]
            for harmonic in range(1, int(highest / frequencies[key]) + 1):
                label = f"{name} = {frequencies[key]:.1f} Hz and multiples" if harmonic == 1 else None
                axes.axvline(harmonic * frequencies[key], color="C3", linewidth=1.0, linestyle="--", label=label)
            axes.legend(loc="upper right", fontsize="small")
        axes.plot(spectrum.x[shown], spectrum.values[shown], color="C0", linewidth=1.0)
        axes.set(title=f"Pit in the {on}" if on in HEARD else "No defect", ylabel="envelope [m/s2]", ylim=(0.0, None))
        axes.grid(alpha=0.3)
    rows[-1].set(xlabel="frequency [Hz]", xlim=(0.0, highest))
    return figure


def main() -> None:
    """Run all, print the lines, draw."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="the outer ring alone, in a fifth of the time")
    options.add_argument("--out", type=Path, default=Path("bearing_defect"), help="folder of the pictures")
    chosen = options.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    case = ag.case_from_file(CASE)
    assert isinstance(case, ag.MachineCase)
    factor = 5.0 if chosen.quick else 1.0
    case = faster(case, factor)
    speed = case.layout.speeds_of(next(one for one in case.bearings if one.name == BEARING))[0]
    frequencies = next(one for one in case.bearings if one.name == BEARING).frequencies(speed)
    print(f"lower shaft at {speed / RPM:.0f} rpm, cage at {frequencies['cage']:.2f} Hz")
    spectra = {}
    for on in ["outer ring"] if chosen.quick else [*HEARD, None]:
        here = with_defect(case, on)
        result = ag.run(here)
        signal = acceleration(result)
        spectrum = spectra[on or "nothing"] = envelope_spectrum(signal, BAND)
        if on is None:
            continue
        key, name, shown = HEARD[on]
        near = [one for one in spectrum.lines(most=200, least=1e-3) if abs(one.x / frequencies[key] - 1.0) < 0.06]
        line = max(near, key=lambda one: one.amplitude)
        error = 100.0 * (line.x / frequencies[key] - 1.0)
        print(f"{on:10}  {name:5} {frequencies[key]:8.3f} Hz  found {line.x:8.3f} Hz  ({error:+.2f} %)")
        picture = draw_impacts(signal, impacts(here, result), on, shown / factor)
        picture.savefig(chosen.out / f"impacts_{on.replace(' ', '_')}.png", dpi=150)
    draw_spectra(spectra, frequencies, 500.0 * factor).savefig(chosen.out / "envelope_spectra.png", dpi=150)


if __name__ == "__main__":
    main()
