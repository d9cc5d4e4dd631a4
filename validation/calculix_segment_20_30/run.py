"""Time of 32 static positions of a pair of five-tooth segments beside one load step of CalculiX on the same pair.

``python validation/calculix_segment_20_30/run.py`` computes ``case.toml`` from nothing (mesh, reduction, 32 positions
with root stress), and between these runs one load step of CalculiX at a phase of single and one of double contact, on
two threads and on one. It compares what they give and what they take, prints the tables of README.md, and writes
``calculix_segment_20_30.json`` and ``.png`` (six minutes on two busy cores). That needs the Debian package
calculix-ccx; without it the figures of CalculiX are those of the file, which its last run with it has left.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

import alegear as ag

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from calculix import (  # noqa: E402
    GEARS,
    SIDES,
    ContactOptions,
    LoadStep,
    find_solver,
    place_segments,
    run_step,
    starting_overlap,
    write_deck,
)
from checks import Row, alone, worst  # noqa: E402
from segment_grid import GridOptions  # noqa: E402

NAME = "calculix_segment_20_30"
PHASES = (0.0, -0.25)  # single and double contact
THREADS = (2, 1)
STRESSES = tuple(f"{gear}_{side}" for gear in GEARS for side in SIDES)
RUNS, STEPS = 3, 1  # computations of alegear, load steps of each kind
ERROR_BOUND, LOAD_BOUND, STRESS_BOUND = 5e-3, 1e-2, 5e-2  # of fe_segment_20_30, which has the same pair
REFERENCE = HERE.parent / "fe_segment_20_30" / "expected.csv"


@dataclass(frozen=True, kw_only=True)
class Timing:
    """One computation of all positions: wall and CPU time, and the wall time of its stages [s]."""

    wall: float
    cpu: float
    mesh: float
    reduce: float
    solve: float


@dataclass(frozen=True, kw_only=True)
class Values:
    """Transmission error, positive forward [m], loads by pair [N] and largest root stress by gear and side [Pa]."""

    transmission_error: float
    tooth_load: dict[int, float]
    root_stress: dict[str, float]


def compute(case: ag.Case) -> tuple[Timing, xr.Dataset]:
    """Compute the case from nothing: the store of reduced wheels is empty, nothing is written."""
    before = os.environ.get("ALEGEAR_CACHE_DIR")
    with tempfile.TemporaryDirectory() as empty:
        os.environ["ALEGEAR_CACHE_DIR"] = empty
        try:
            wall, cpu = time.perf_counter(), time.process_time()
            result = ag.run(case)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        finally:
            if before is None:
                del os.environ["ALEGEAR_CACHE_DIR"]
            else:
                os.environ["ALEGEAR_CACHE_DIR"] = before
    seconds = result.summary["seconds"]
    timing = Timing(wall=wall, cpu=cpu, mesh=seconds["mesh"], reduce=seconds["reduce"], solve=seconds["solve"])
    return timing, result.dataset


def first_computation() -> float:
    """CPU time of the same in a fresh process that has no compiled kernels either [s], imports left out."""
    program = (
        "import sys, time, alegear as ag; case = ag.Case.from_toml(sys.argv[1]); from alegear.studies import run;"
        "begun = time.process_time(); ag.run(case); print(time.process_time() - begun)"
    )
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | {"NUMBA_CACHE_DIR": empty, "ALEGEAR_CACHE_DIR": empty}
        command = [sys.executable, "-c", program, str(HERE / "case.toml")]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def load_step(case: ag.Case, phase: float, threads: int, folder: Path) -> LoadStep:
    """One load step of CalculiX at a phase; making the grid and the deck is not counted."""
    options, torque = GridOptions(), case.operation.pinion_torque
    start = starting_overlap(case.pair, case.materials, phase, torque)
    model = place_segments(case.pair, phase, options, start)
    deck = folder / f"phase_{phase:g}.inp"
    write_deck(
        deck,
        case.pair,
        model,
        torque=torque,
        material=case.materials[0],
        options=options,
        contact=ContactOptions(),
    )
    return run_step(deck, case.pair, model, start=start, threads=threads)


def values_at(data: xr.Dataset, phase: float) -> Values:
    """What alegear found at a phase."""
    here = data.isel(position=int(np.abs(data.phase.values - phase).argmin()))
    stress = here.root_stress.max("pair")
    return Values(
        transmission_error=-float(here.transmission_error),
        tooth_load={int(k): float(here.tooth_load.sel(pair=k)) for k in here.pair.values},
        root_stress={f"{g}_{s}": float(stress.sel(gear=g, side=s)) for g in GEARS for s in SIDES},
    )


def reference_at(phase: float) -> Values:
    """What the program with Lagrange contact of the other validation found on its grid, nothing extrapolated."""
    with REFERENCE.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["body"] == "segment" and abs(float(row["phase"]) - phase) < 1e-4:
                return Values(
                    transmission_error=1e-6 * float(row["te_lagrange_um"]),
                    tooth_load={k: float(row[f"load_pair{k}_N"]) for k in (1, 0, -1)},
                    root_stress={name: 1e6 * float(row[f"{name}_MPa"]) for name in STRESSES},
                )
    raise LookupError(f"{REFERENCE} has no row for the phase {phase}")


def median(timings: list[Timing]) -> Timing:
    """Medians of all figures."""
    rows = [asdict(timing) for timing in timings]
    return Timing(**{key: statistics.median(row[key] for row in rows) for key in rows[0]})


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "cores": os.cpu_count(),
        "processor": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "alegear": ag.__version__,
        "calculix": subprocess.run([find_solver(), "-v"], capture_output=True, text=True).stdout.strip().split()[-1],
    }


def measure(runs: int, steps: int) -> tuple[dict[str, Any], xr.Dataset]:
    """Run both by turns; all figures, and the curves of alegear."""
    case = ag.Case.from_toml(HERE / "case.toml")
    facts: dict[str, Any] = {"machine": machine(), "load_average_before": os.getloadavg()}
    print("alegear, kernels not compiled", flush=True)
    facts["first_cpu_s"] = first_computation()
    compute(case)  # kernels from the disk into this process
    timings: list[Timing] = []
    found: list[tuple[float, LoadStep]] = []
    jobs = [(phase, threads) for _ in range(steps) for threads in THREADS for phase in PHASES]
    with tempfile.TemporaryDirectory() as folder:
        for i in range(max(runs, len(jobs))):
            if i < runs:
                timing, data = compute(case)
                timings.append(timing)
                print(f"alegear: {timing.wall:.2f} s, CPU {timing.cpu:.2f} s, load {os.getloadavg()[0]:.1f}")
            if i < len(jobs):
                step = load_step(case, *jobs[i], Path(folder))
                found.append((jobs[i][0], step))
                print(f"CalculiX at {jobs[i][0]:g}, {step.threads} threads: {step.wall:.1f} s, CPU {step.cpu:.1f} s, "
                      f"load {os.getloadavg()[0]:.1f}", flush=True)  # fmt: skip
    middle = median(timings)
    facts |= {
        "load_average_after": os.getloadavg(),
        "positions": data.sizes["position"],
        "alegear": asdict(middle) | {"runs": [asdict(timing) for timing in timings]},
        "alegear_values": {f"{phase:g}": asdict(values_at(data, phase)) for phase in PHASES},
        "reference_values": {f"{phase:g}": asdict(reference_at(phase)) for phase in PHASES},
        "calculix": [{"phase": phase} | asdict(step) for phase, step in found],
        "ratio_wall": min(step.wall for _, step in found) / middle.wall,
        "ratio_cpu": min(step.cpu for _, step in found) / middle.cpu,
    }
    return facts, data


def report(facts: dict[str, Any]) -> None:
    """Print the tables of README.md."""
    mine, machine_facts = facts["alegear"], facts["machine"]
    print(f"\n{machine_facts}; load average {facts['load_average_before'][0]:.1f} before, "
          f"{facts['load_average_after'][0]:.1f} after\n")  # fmt: skip
    print("| | threads | nodes | increments, iterations | wall [s] | CPU [s] |\n|---|---|---|---|---|---|")
    print(f"| alegear, {facts['positions']} positions | {machine_facts['cores']} | | | {mine['wall']:.2f} "
          f"(mesh {mine['mesh']:.2f}, reduction {mine['reduce']:.2f}, solution {mine['solve']:.2f}) "
          f"| {mine['cpu']:.2f} |")  # fmt: skip
    for step in facts["calculix"]:
        print(f"| CalculiX, phase {step['phase']:g} | {step['threads']} | {step['nodes']} | {step['increments']}, "
              f"{step['iterations']} | {step['wall']:.1f} | {step['cpu']:.1f} |")  # fmt: skip
    print(f"\nfastest load step over {facts['positions']} positions: {facts['ratio_wall']:.1f} in wall time, "
          f"{facts['ratio_cpu']:.1f} in CPU time; compiling the kernels takes "
          f"{facts['first_cpu_s'] - mine['cpu']:.1f} s of CPU time once")  # fmt: skip
    print("\n| phase | program | TE [um] | loads of pairs 0, -1 [N] | root stress [MPa] |\n|---|---|---|---|---|")
    for phase in facts["alegear_values"]:
        ours, reference = facts["alegear_values"][phase], facts["reference_values"][phase]
        step = next(s for s in facts["calculix"] if f"{s['phase']:g}" == phase)
        for program, values in (("CalculiX", step), ("alegear", ours), ("reference", reference)):
            error, expected = values["transmission_error"], step["transmission_error"]
            off = "" if values is step else f" ({100.0 * (error / expected - 1.0):+.2f} %)"
            loads = ", ".join(f"{values['tooth_load'].get(k, 0.0) + 0.0:.0f}" for k in (0, -1))
            stress = ", ".join(f"{1e-6 * values['root_stress'][name]:.0f}" for name in STRESSES)
            if values is not step:
                apart = [values["root_stress"][n] / step["root_stress"][n] - 1.0 for n in STRESSES]
                stress += " (" + ", ".join(f"{100.0 * a:+.1f}" for a in apart) + " %)"
            print(f"| {phase} | {program} | {1e6 * error:.2f}{off} | {loads} | {stress} |")


def draw(facts: dict[str, Any], data: xr.Dataset) -> None:
    """Bars of the times; the curves of alegear with the points of CalculiX on them."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(14.0, 4.2), layout="constrained", width_ratios=(1.2, 1.0, 1.0)
    )
    threads = THREADS[0]
    steps = [(f"{s['phase']:g}", s) for s in facts["calculix"] if s["threads"] == threads]
    bars = [(f"alegear,\n{facts['positions']} positions", facts["alegear"], "C0")]
    bars += [(f"CalculiX, one load\nstep, phase {phase}", step, "C1") for phase, step in dict(steps).items()]
    for i, (_, values, colour) in enumerate(bars):
        for shift, key, alpha in ((-0.2, "wall", 1.0), (0.2, "cpu", 0.5)):
            left.bar(i + shift, values[key], 0.38, color=colour, alpha=alpha)
            left.text(i + shift, 1.05 * values[key], f"{values[key]:.3g}", ha="center", fontsize=9)
    left.set_xticks(range(len(bars)), [label for label, *_ in bars])
    left.set_yscale("log")
    left.set_ylim(1.0, 3.0 * max(values["cpu"] for _, values, _ in bars))
    left.set_ylabel("time [s]: wall, CPU (pale)")
    left.grid(axis="y", alpha=0.3)
    middle.plot(data.phase, -1e6 * data.transmission_error, "C0.-", lw=1.2, ms=3, label="alegear")
    phases = [float(phase) for phase, _ in steps]
    middle.plot(phases, [1e6 * s["transmission_error"] for _, s in steps], "C1o", mfc="none", label="CalculiX")
    middle.set_ylabel("transmission error [µm]")
    for i, name in enumerate(STRESSES):
        gear, side = name.split("_")
        stress = data.root_stress.sel(gear=gear, side=side).max("pair")
        right.plot(data.phase, 1e-6 * stress, f"C{i}-", lw=1.2, label=f"{gear}, {side}")
        right.plot(phases, [1e-6 * s["root_stress"][name] for _, s in steps], f"C{i}o", mfc="none")
    right.set_ylabel("root stress [MPa], circles: CalculiX")
    for panel in (middle, right):
        panel.set_xlabel("phase of the wheel [pitches]")
        panel.grid(alpha=0.3)
        panel.legend(fontsize=8)
    figure.savefig(HERE / f"{NAME}.png", dpi=100)
    plt.close(figure)


def rows(quick: bool) -> Iterator[Row]:
    """What both find at two phases, and what they take, if CalculiX is installed; else its figures that are kept.

    The quick form has the two positions alone, beside the figures that are kept.
    """
    installed = shutil.which("ccx") is not None and not quick
    if installed:
        facts, data = measure(RUNS, STEPS)
        report(facts)
        (HERE / f"{NAME}.json").write_text(json.dumps(facts, indent=1) + "\n")
        draw(facts, data)
    else:
        facts = json.loads((HERE / f"{NAME}.json").read_text())
        case = ag.Case.from_toml(HERE / "case.toml")
        if quick:
            case = replace(case, analysis=replace(case.analysis, positions_per_pitch=4))
        data = ag.run(case).dataset
    source = f"CalculiX {facts['machine']['calculix']}, C3D8I, one load step"
    errors, loads, stresses = [], [], []
    for step in {step["phase"]: step for step in facts["calculix"]}.values():
        here, where = values_at(data, step["phase"]), f"phase {step['phase']:g}"
        errors.append((where, 1e6 * here.transmission_error, 1e6 * step["transmission_error"]))
        theirs = {int(k): load for k, load in step["tooth_load"].items()}
        loads += [(f"pair {k}, {where}", here.tooth_load[k], load) for k, load in theirs.items()]
        stresses += [
            (f"{name.replace('_', ', ')}, {where}", 1e-6 * here.root_stress[name], 1e-6 * step["root_stress"][name])
            for name in STRESSES
        ]
    total = sum(theirs.values())
    for quantity, found, unit, of, bound in (
        ("transmission error, five-tooth segments 20/30", errors, "um", None, ERROR_BOUND),
        ("load of a tooth pair over all", loads, "N", total, LOAD_BOUND),
        ("largest von Mises stress in a root", stresses, "MPa", None, STRESS_BOUND),
    ):
        yield worst(
            quantity,
            [
                Row(quantity=name, value=a, reference=b, unit=unit, of=of, bound=bound, source=source)
                for name, a, b in found
            ],
        )
    if not quick:
        yield Row(
            quantity="processor time of the fastest load step over that of 32 positions from nothing",
            value=facts["ratio_cpu"],
            kind="at least",
            source="CalculiX in the same run" if installed else "CalculiX in the same run, as kept",
        )


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
