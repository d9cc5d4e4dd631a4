"""How fast alegear is, stage by stage, and how large it gets.

    python scripts/bench.py run [--cases NAME ...] [--repeat N] [--out bench.json] [--quick]
    python scripts/bench.py compare BEFORE.json AFTER.json
    python scripts/bench.py table bench.json
    python scripts/bench.py plot bench.json --out scaling.png
    python scripts/bench.py numba [--repeat N] [--quick]
    python scripts/bench.py gate [--base CHECKOUT] [--repeat N] [--out gate.json] [--quick]

Every job runs in a process of its own (bench_stages.py), so that neither memory nor what is loaded is inherited. A case
is measured three ways: its stages (the pipeline within one process, repeated, after a round that loads kernels), the
command `alegear run` as a user starts it, and the peak of its memory. Nothing is taken from the store of reductions.
`numba` shows what each use of names is worth that are not of Numba's public interface (kernels/private_names.py).
`gate` times a compiled step of motions of one pair, on hinges and with all that a case can add, in turn in one process,
then whole runs of pairs and machines (bench_runs.py), with `--base` in turn with those of another checkout. It ends
with code 1 where one takes longer than it may.
"""

import argparse
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

# Only the standard library here: on Linux a process starts with the peak memory of the one that starts it.

HERE = Path(__file__).resolve().parent
MESHES = HERE.parent / "meshes"
SCHEMA = 1

CASES = {
    "spur_20_30": "spur pair 20/30, static",
    "spur_13_97": "spur pair 13/97, static",
    "spur_13_97_dynamic": "spur pair 13/97, run up from rest, 0.3 s",
    "helical_24_95": "helical pair 24/95, static",
}
WHEELS = "fine_wheel"
COLD = "cold_start"
SCALING = "scaling"
GEARBOX = "gearbox"
CHAIN = "chain"
ACTUATOR = "actuator"
TWO_GEARS = "two_gears"
JOBS = (*CASES, WHEELS, COLD, GEARBOX, ACTUATOR, TWO_GEARS, CHAIN, SCALING)
#: Parts of chains that only turn, seconds of their motion, and those of a quick run.
PARTS, CHAIN_DURATION = (2, 5, 10, 20, 50, 100, 200), 2.0
QUICK_PARTS, QUICK_CHAIN_DURATION = (2, 10), 0.2

#: Stages of a dynamic case are measured at speed over so many pitches; the command runs the whole case.
PITCHES = 6
#: The fine wheel: elements of order 1, 16 along the flank, 12 across the face.
FINE = {"flank_elements": 16, "fillet_elements": 12, "thickness_elements": 8, "width_elements": 12, "rim_elements": 15}
COARSE = {"flank_elements": 6, "fillet_elements": 4, "thickness_elements": 4, "width_elements": 2, "rim_elements": 4}

#: Teeth of the pinion where the wheel's vary.
PINION = 25
#: What the cost is drawn against: values, and those of a quick run.
AXES = {
    "teeth": ((20, 30, 50, 97, 140, 200), (20, 30)),
    "flank elements": ((8, 12, 16, 20, 24, 32), (6,)),
    "slices": ((4, 8, 12, 16, 20, 24), (4,)),
}

#: Kinds of motion of the gate, the pair 13/97 at speed: what a step may take, as a multiple of that on hinges or in ms.
HINGES = "hinges"
GATE: dict[str, tuple[str, float] | None] = {
    HINGES: None,
    "shafts": ("ratio", 1.3),
    "table": ("ratio", 1.3),
    "bearings": ("ms", 0.8),
    "modes": ("ms", 0.8),
    "bearings and modes": ("ms", 1.2),
}
GATE_PITCHES = 4
BEARING = {
    "kind": "bearing",
    "stiffness_N_per_m": [3e8, 3e8, 2e8],
    "tilt_stiffness_Nm_per_rad": [2e5, 2e5],
    "damping_Ns_per_m": [3e3, 3e3, 3e3],
}
SHAFT = {"stiffness_Nm_per_rad": 5e5, "damping_Nms_per_rad": 0.25, "inertia_kg_m2": 0.5}
NORMAL_MODES = 24


# --- case files -------------------------------------------------------------------------------------------------------


def edited(text: str, **values: Any) -> str:
    """Case file with other values: table__key = value; a table that is not there is added."""
    for name, value in values.items():
        table, key = name.split("__")
        line = f"{key} = {json.dumps(value)}"
        found = re.search(rf"^\[{table}\]\s*$(.*?)(?=^\[|\Z)", text, flags=re.M | re.S)
        if found is None:
            text += f"\n[{table}]\n{line}\n"
            continue
        body, n = re.subn(rf"^{key}\s*=[^#\n]*", line + " ", found[1], flags=re.M)
        text = text[: found.start(1)] + (body if n else f"\n{line}{body}") + text[found.end(1) :]
    return text


def case_text(name: str, *, quick: bool, at_speed: bool = False) -> str:
    """Case file of a benchmark; `at_speed`: a dynamic one without its run-up, some pitches long."""
    text = (MESHES / f"{name}.toml").read_text()
    data = tomllib.loads(text)
    if quick:
        text = edited(text, **{f"grid__{key}": value for key, value in COARSE.items()})
    if data["analysis"]["kind"] == "static":
        return edited(text, analysis__positions_per_pitch=8) if quick else text
    if at_speed or quick:
        period = 60.0 / data["operation"]["pinion_speed_rpm"] / data["pinion"]["teeth"]
        pitches = 0.5 if quick else PITCHES
        text = edited(text, analysis__ramp_s=0.0, analysis__duration_s=pitches * period)
        times = [0.0, 0.5 * pitches * period] if quick else [0.25 * i * pitches * period for i in range(4)]
        text = edited(text, output__field_times_s=times)
    return text


def gate_text(kind: str, *, quick: bool) -> str:
    """Case file of a motion of the gate, without anything written."""
    text = case_text("spur_13_97_dynamic", quick=quick, at_speed=True)
    data = tomllib.loads(text)
    duration = (0.5 if quick else GATE_PITCHES) * 60.0 / data["operation"]["pinion_speed_rpm"] / data["pinion"]["teeth"]
    text = re.sub(r"^field_times_s\s*=.*\n", "", text, flags=re.M)
    text = edited(text, output__fields=False, output__plots=False)
    text = edited(text, analysis__duration_s=duration, analysis__output_every_s=duration / 16)
    if kind == "shafts":
        text += table_text("shafts.pinion", SHAFT)
        text += table_text("shafts.wheel", {key: value for key, value in SHAFT.items() if key != "inertia_kg_m2"})
    if kind == "table":
        torque = data["operation"]["pinion_torque_Nm"]
        text = re.sub(r"^pinion_torque_Nm\s*=.*\n", "", text, flags=re.M)
        points = [[0.0, torque], [0.5 * duration, 0.9 * torque], [duration, torque]]
        text = edited(text, operation__pinion_torque_table_s_Nm=points)
    if "bearings" in kind:
        text += table_text("supports.pinion", BEARING) + table_text("supports.wheel", BEARING)
    if "modes" in kind:
        text = edited(text, analysis__inertia="full", analysis__normal_modes=NORMAL_MODES)
    return text


def table_text(name: str, values: dict[str, Any]) -> str:
    """A table of a case file."""
    return "\n".join([f"\n[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in values.items())]) + "\n"


def scaled_text(axis: str, value: int, *, quick: bool) -> str:
    """Case of the pair 20/30 with one number changed."""
    text = case_text("spur_20_30", quick=quick)
    text = edited(text, output__fields=False, output__plots=False, analysis__positions_per_pitch=16)
    if axis == "teeth":
        # a pinion that is none of the wheels: of two gears alike the second would come from the store
        gears = {"pinion": PINION, "wheel": value}
        numbers: dict[str, Any] = {}
        for gear, z in gears.items():
            bore = 4.0 * (z - 2.5) / 2.0  # half the root diameter of module 4 mm
            numbers |= {f"{gear}__teeth": z, f"{gear}__profile_shift": 0.0, f"{gear}__bore_diameter_mm": bore}
        return edited(text, **numbers)
    key = {"flank elements": "grid__flank_elements", "slices": "contact__slices"}[axis]
    return edited(text, **{key: value})


# --- measuring --------------------------------------------------------------------------------------------------------


class Lab:
    """Starts jobs and commands; `temporary` is a folder for case files and results."""

    def __init__(self, temporary: Path, *, repeat: int, quick: bool) -> None:
        self.temporary, self.repeat, self.quick = temporary, repeat, quick

    def job(
        self,
        kind: str,
        *,
        kernels: Path | None = None,
        plain: str | None = None,
        checkout: Path | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Answer of bench_stages.py.

        `kernels`: another folder for compiled kernels, `plain`: ALEGEAR_PLAIN_NUMBA, `checkout`: whose alegear it is.
        """
        environment = dict(os.environ)
        if checkout is not None:
            environment |= {"PYTHONPATH": str(checkout)}
        if kernels is not None:
            environment |= {"NUMBA_CACHE_DIR": str(kernels)}
        if plain is not None:
            environment |= {"ALEGEAR_PLAIN_NUMBA": plain}
        command = [sys.executable, str(HERE / "bench_stages.py"), json.dumps({"kind": kind, **options})]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"bench: the job {kind} ended with code {done.returncode}")
        answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        return answer

    def command(self, *arguments: str, repeat: int | None = None, **environment: str) -> dict[str, Any]:
        """Wall time, CPU time and peak memory of `alegear` with these arguments, nothing stored.

        Kernels are there, made by a round that is not counted, unless they are given a folder here or the run is quick.
        The folder is that of NUMBA_CACHE_DIR where bench.py is started with one, else one of its own.
        """
        warm = not self.quick and "NUMBA_CACHE_DIR" not in environment
        kernels = os.environ.get("NUMBA_CACHE_DIR", str(self.temporary / "kernels"))
        environment = {"NUMBA_CACHE_DIR": kernels, **environment}
        rounds = []
        for _ in range(warm + (self.repeat if repeat is None else repeat)):
            with tempfile.TemporaryDirectory(dir=self.temporary) as folder:
                fresh = {**os.environ, "ALEGEAR_CACHE_DIR": folder, "MPLBACKEND": "Agg", **environment}
                line = [sys.executable, "-m", "alegear", *(a.replace("{out}", f"{folder}/out") for a in arguments)]
                with open(Path(folder, "errors"), "w+") as errors:
                    begun = time.perf_counter()
                    child = subprocess.Popen(line, env=fresh, stdout=subprocess.DEVNULL, stderr=errors)
                    _, status, usage = os.wait4(child.pid, 0)
                    wall = time.perf_counter() - begun
                    errors.seek(0)
                    said = errors.read()
                child.returncode = os.waitstatus_to_exitcode(status)
                nothing_done = "{out}" in arguments and not Path(folder, "out", "summary.json").exists()
            if child.returncode or nothing_done:
                raise SystemExit(f"{said}bench: alegear {' '.join(arguments)} ended with code {child.returncode}")
            per_MB = 1024.0**2 if sys.platform == "darwin" else 1024.0
            rounds.append((wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / per_MB))
        wall_s, cpu_s, peaks = zip(*rounds[int(warm) :], strict=True)
        return {"wall": spread(wall_s), "cpu": spread(cpu_s), "peak_MB": max(peaks)}

    def file(self, name: str, text: str) -> str:
        """Path of a case file with this text."""
        path = self.temporary / f"{name}.toml"
        path.write_text(text)
        return str(path)

    # ------------------------------------------------------------------------------------------------------------ jobs
    def case(self, name: str) -> dict[str, Any]:
        """Stages, command and memory of a case."""
        whole = self.file(name, case_text(name, quick=self.quick))
        steady = self.file(f"{name}_stages", case_text(name, quick=self.quick, at_speed=True))
        stages = self.job("case", case=steady, repeat=self.repeat)
        return {
            "title": CASES[name],
            "facts": stages["facts"],
            "stages": summed_up(stages),
            "peak_MB": self.job("case", case=steady, repeat=0)["peak_MB"],
            "blas": stages["blas"],
            "command": self.command("run", whole, "--out", "{out}"),
        }

    def wheels(self) -> dict[str, Any]:
        """Mesh and reduction of the fine wheel, and of one with 20 teeth."""
        options = {"mesh": {**(COARSE if self.quick else FINE), "order": 1}, "slots": 3}
        both = self.job("wheels", teeth=[97, 20], repeat=self.repeat, **options)
        out: dict[str, Any] = {"title": "fine wheel: mesh and reduction", "wheels": {}, "skipped": both["skipped"]}
        for name, reason in both["skipped"].items():
            print(f"{name} skipped: {reason}", file=sys.stderr)
        for z in ("97", "20"):
            alone = self.job("wheels", teeth=[int(z)], repeat=0, **options)
            out["wheels"][z] = {
                "facts": both[z]["facts"],
                "stages": summed_up(both[z]),
                "peak_MB": alone["peak_MB"],
            }
        out["wheels"]["97"]["routes"] = {
            name: {
                which: spread(times) for which, times in zip(("wall", "cpu"), zip(*rounds, strict=True), strict=True)
            }
            for name, rounds in both["routes"].items()
        }
        return out

    def cold_start(self) -> dict[str, Any]:
        """Import, and what the first run on a machine pays for compiling."""
        case = self.file("cold", case_text("spur_20_30", quick=self.quick))
        imports = [self.job("import") for _ in range(max(self.repeat, 1))]
        out: dict[str, Any] = {
            "title": "import and compilation (spur pair 20/30)",
            "import": {name: spread([i[name] for i in imports]) for name in ("package", "all")},
            "check": self.command("check", case),
        }
        with tempfile.TemporaryDirectory(dir=self.temporary) as kernels:
            out["first"] = self.job("compile", kernels=Path(kernels), case=case)
            out["later"] = self.job("compile", kernels=Path(kernels), case=case)
        with tempfile.TemporaryDirectory(dir=self.temporary) as kernels:
            out["first command"] = self.command("run", case, "--out", "{out}", repeat=1, NUMBA_CACHE_DIR=kernels)
        return out

    def gearbox(self) -> dict[str, Any]:
        """A minute of driving with an automatic gearbox, shifts and all."""
        answer = self.job("gearbox", duration=8.0 if self.quick else 60.0, repeat=self.repeat)
        return {"title": "car with the automatic gearbox ZF 4HP22", **answer, "rounds": spread(answer["rounds"])}

    def actuator(self) -> dict[str, Any]:
        """Ten seconds of stick-slip of a spring-loaded actuator, at the tolerances that a user may ask for."""
        answer = self.job("actuator", duration=1.0 if self.quick else 10.0, repeat=self.repeat)
        points = [{**one, "rounds": spread(one["rounds"])} for one in answer["points"]]
        return {"title": "spring-loaded actuator with stick-slip", **answer, "points": points}

    def two_gears(self) -> dict[str, Any]:
        """Two gears on Hertz teeth between flexible shafts, at a slow and at a fast speed of the pinion [rpm]."""
        answer = self.job("two_gears", speeds=[60.0, 500.0], duration=0.1 if self.quick else 2.0, repeat=self.repeat)
        points = [
            {**one, "rounds": spread(one["rounds"]), "processor": spread(one["processor"])} for one in answer["points"]
        ]
        return {"title": "two gears on Hertz teeth between flexible shafts", **answer, "points": points}

    def chain(self) -> dict[str, Any]:
        """Chains of torsional parts, by the number of parts; compilation apart."""
        parts, duration = (QUICK_PARTS, QUICK_CHAIN_DURATION) if self.quick else (PARTS, CHAIN_DURATION)
        answer = self.job("chain", parts=list(parts), duration=duration, repeat=self.repeat)
        points = [{**one, "seconds": spread(one["seconds"])} for one in answer["points"]]
        return {"title": "chain of torsional parts", **answer, "points": points}

    def without(self, plain: str) -> dict[str, dict[str, float]]:
        """CPU time [s] of compilation and of a run with some uses of Numba left out, by case."""
        out = {}
        for name in ("spur_20_30", "spur_13_97_dynamic"):
            case = self.file(f"{name}_stages", case_text(name, quick=self.quick, at_speed=True))
            with tempfile.TemporaryDirectory(dir=self.temporary) as kernels:
                first = self.job("compile", kernels=Path(kernels), plain=plain, case=case)
                rounds = self.job("case", kernels=Path(kernels), plain=plain, case=case, repeat=self.repeat)["rounds"]
            run = statistics.median(one["in all"][1] for one in rounds)
            out[name] = {"compilation": first["compiler_cpu"], "run": run}
        return out

    def gate(self) -> dict[str, Any]:
        """Time of a compiled step of each kind of motion, beside what it may take."""
        texts = {kind: gate_text(kind, quick=self.quick) for kind in GATE}
        answer = self.job("steps", texts=texts, repeat=self.repeat)
        out = {}
        for kind, one in answer["kinds"].items():
            out[kind] = judged(one, answer["kinds"][HINGES], GATE[kind], judging=not self.quick)
        return out

    def scaling(self) -> dict[str, Any]:
        """Cost against tooth number, flank elements and slices."""
        out = {}
        for axis, (values, quick_values) in AXES.items():
            chosen = quick_values if self.quick else values
            points = [{"x": x, "text": scaled_text(axis, x, quick=self.quick)} for x in chosen]
            answer = self.job("scale", points=points, repeat=self.repeat)
            out[axis] = [
                {k: spread(v) if isinstance(v, list) else v for k, v in point.items()} for point in answer["points"]
            ]
        return out


def judged(
    one: dict[str, Any], hinges: dict[str, Any], limit: tuple[str, float] | None, *, judging: bool
) -> dict[str, Any]:
    """Time of a step [ms], its ratio to that on hinges round by round, and whether the limit holds.

    ``holds`` is None where nothing is judged: on hinges, on a quick run, where a kind of motion is refused. The least
    of the rounds counts for milliseconds (the others were disturbed), the median for ratios.
    """
    if "refused" in one:
        return {**one, "limit": limit, "holds": None}
    ratios = [own / other for own, other in zip(one["ms"], hinges["ms"], strict=True)]
    out = {"ms": spread(one["ms"]), "ratio": spread(ratios), **one["counts"], "limit": limit, "holds": None}
    if limit is not None and judging:
        quantity, most = limit
        out["holds"] = (out["ratio"]["median"] if quantity == "ratio" else out["ms"]["min"]) <= most
    return out


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, smallest, largest and number of some values."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "n": len(values)}


def summed_up(answer: dict[str, Any]) -> dict[str, Any]:
    """Wall and CPU time by stage; `per` is the number of positions, steps or fields a stage holds."""
    rounds = answer["rounds"]
    stages = {}
    for name in rounds[-1]:
        wall, cpu = zip(*(r.get(name, (math.nan, math.nan)) for r in rounds), strict=True)
        stages[name] = {"wall": spread(wall), "cpu": spread(cpu), "per": answer["counts"].get(name, 1)}
    return stages


def machine() -> dict[str, Any]:
    """What the figures depend on beside the program."""
    info = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*:\s*(.+)", info.read_text()) if info.exists() else None
    packages = ("alegear", "numpy", "scipy", "numba", "llvmlite", "gmsh", "h5py", "pypardiso")
    versions = {}
    for package in packages:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = None
    variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else math.nan
    return {
        "cpu": model[1] if model else platform.processor(),
        "cores": cores,
        "memory_MB": pages / 1024.0**2,
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": versions,
        "threads": {name: os.environ.get(name) for name in variables},
        "load_average": os.getloadavg(),
    }


# --- command ----------------------------------------------------------------------------------------------------------


def run(args: argparse.Namespace) -> None:
    """Measure and write the JSON file."""
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "created": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": machine(),
        "options": {"repeat": args.repeat, "quick": args.quick},
        "cases": {},
    }
    with tempfile.TemporaryDirectory(prefix="alegear-bench-") as temporary:
        lab = Lab(Path(temporary), repeat=args.repeat, quick=args.quick)
        for name in args.cases:
            print(f"{name} ...", file=sys.stderr, flush=True)
            if name in CASES:
                data["cases"][name] = lab.case(name)
            else:
                others = {WHEELS: lab.wheels, COLD: lab.cold_start, GEARBOX: lab.gearbox, SCALING: lab.scaling}
                data[name] = {**others, CHAIN: lab.chain, ACTUATOR: lab.actuator, TWO_GEARS: lab.two_gears}[name]()
            data["machine"]["load_average_after"] = os.getloadavg()
            # after every job, so that a broken run leaves what it has
            args.out.write_text(json.dumps(data, indent=1) + "\n")
    print(f"written: {args.out}", file=sys.stderr)


def gate(args: argparse.Namespace) -> None:
    """Print times of steps and of whole runs, write them; end with code 1 where a limit is passed."""
    from bench_runs import table as table_of_runs
    from bench_runs import timed_runs

    with tempfile.TemporaryDirectory(prefix="alegear-bench-") as temporary:
        lab = Lab(Path(temporary), repeat=args.repeat, quick=args.quick)
        steps, runs = lab.gate(), timed_runs(lab, args.base, HERE.parent)
    data = {
        "schema": SCHEMA,
        "created": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": machine(),
        "options": {"repeat": args.repeat, "quick": args.quick},
        "base": None if args.base is None else str(args.base),
        "steps": steps,
        "runs": runs,
    }
    args.out.write_text(json.dumps(data, indent=1) + "\n")
    print("| motion | ms a step | to hinges | limit | holds |\n|---|---|---|---|---|")
    for kind, one in steps.items():
        if "refused" in one:
            print(f"| {kind} | - | - | - | refused: {one['refused']} |")
            continue
        limit = "-" if one["limit"] is None else f"{one['limit'][1]:g} {one['limit'][0]}"
        holds = {None: "-", True: "yes", False: "NO"}[one["holds"]]
        print(f"| {kind} | {one['ms']['min']:.3f} | {one['ratio']['median']:.2f} | {limit} | {holds} |")
    print("\n" + table_of_runs(runs))
    if any(one["holds"] is False for one in (*steps.values(), *runs.values())):
        raise SystemExit(1)


def results(path: Path, *needed: str) -> dict[str, Any]:
    """What an earlier run has written, with the jobs that are needed."""
    try:
        data: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise SystemExit(f"bench: {path}: {error}: give a file that `bench.py run` has written") from error
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise SystemExit(f"bench: {path}: schema = {schema}: must be {SCHEMA}; measure again with this version")
    for job in needed:
        if job not in data:
            raise SystemExit(f"bench: {path}: the job {job} is missing; run with --cases {job}")
    return data


def compare(args: argparse.Namespace) -> None:
    """Print what became faster or smaller."""
    from bench_report import comparison

    print(comparison(results(args.before), results(args.after)))


def table(args: argparse.Namespace) -> None:
    """Print the tables in Markdown."""
    from bench_report import markdown

    print(markdown(results(args.file)))


def plot(args: argparse.Namespace) -> None:
    """Draw the cost against tooth number, flank elements and slices, or that of chains where these alone are there."""
    from bench_report import draw_chain, draw_scaling

    data = results(args.file)
    if CHAIN in data and SCALING not in data:
        draw_chain(data, args.out)
    else:
        draw_scaling(results(args.file, SCALING), args.out)


def numba(args: argparse.Namespace) -> None:
    """Print what each use of names of Numba that are not public is worth: CPU time without it over that with all."""
    with tempfile.TemporaryDirectory(prefix="alegear-bench-") as temporary:
        lab = Lab(Path(temporary), repeat=args.repeat, quick=args.quick)
        whole = lab.without("0")
        columns = [(case, what) for case in whole for what in whole[case]]
        print("| left out |", *(f"{case}, {what} |" for case, what in columns))
        print("|---|" + "---|" * len(columns))
        print("| nothing |", *(f"{whole[case][what]:.3g} s |" for case, what in columns), flush=True)
        for words in (*lab.job("uses")["uses"], "1"):
            some = lab.without(words)
            times = [(some[case][what], whole[case][what]) for case, what in columns]
            name = "all of them" if words == "1" else words
            print(f"| {name} |", *(f"{time:.3g} s, {time / of_all:.2f} |" for time, of_all in times), flush=True)


def positive(text: str) -> int:
    """Return a whole number: one at least."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number}: must be at least 1")
    return number


def checkout(text: str) -> Path:
    """Return the folder of a checkout of alegear."""
    path = Path(text).resolve()
    if not (path / "alegear" / "__init__.py").is_file() or not (path / "meshes").is_dir():
        raise argparse.ArgumentTypeError(f"{text}: must be a checkout, with folders alegear and meshes")
    return path


def new_file(text: str) -> Path:
    """Return the path of a file that can be written: what took minutes must not be lost for want of a folder."""
    path = Path(text)
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text}: must lie in a folder that is there and can be written to")
    return path


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    out = argparse.ArgumentParser(description="Benchmark of alegear.")
    commands = out.add_subparsers(required=True)
    one = commands.add_parser("run", help="measure")
    one.add_argument("--cases", nargs="+", choices=JOBS, default=list(JOBS), metavar="NAME", help=", ".join(JOBS))
    one.add_argument("--repeat", type=positive, default=5, metavar="N", help="rounds behind each median (default 5)")
    one.add_argument("--out", type=new_file, default=Path("bench.json"))
    one.add_argument("--quick", action="store_true", help="coarse grids: whether it works, not how fast it is")
    one.set_defaults(command=run)
    one = commands.add_parser("compare", help="ratios of two files")
    one.add_argument("before", type=Path)
    one.add_argument("after", type=Path)
    one.set_defaults(command=compare)
    one = commands.add_parser("table", help="Markdown of a file")
    one.add_argument("file", type=Path)
    one.set_defaults(command=table)
    one = commands.add_parser("numba", help="what each use of names of Numba that are not public is worth")
    one.add_argument("--repeat", type=positive, default=3, metavar="N", help="rounds behind each median (default 3)")
    one.add_argument("--quick", action="store_true", help="coarse grids: whether it works, not how fast it is")
    one.set_defaults(command=numba)
    one = commands.add_parser("gate", help="times of compiled steps and of whole runs, and whether they may be so long")
    one.add_argument("--base", type=checkout, metavar="CHECKOUT", help="another checkout, whose runs go in turn")
    one.add_argument("--repeat", type=positive, default=5, metavar="N", help="rounds (default 5)")
    one.add_argument("--out", type=new_file, default=Path("gate.json"))
    one.add_argument("--quick", action="store_true", help="coarse grids: whether it works, not how fast it is")
    one.set_defaults(command=gate)
    one = commands.add_parser("plot", help="figure of the scaling")
    one.add_argument("file", type=Path)
    one.add_argument("--out", type=new_file, default=Path("bench_scaling.png"))
    one.set_defaults(command=plot)
    return out


if __name__ == "__main__":
    arguments = parser().parse_args()
    arguments.command(arguments)
