"""The measuring part of bench.py: one job in a process of its own.

    python scripts/bench_stages.py '{"kind": "case", "case": "case.toml", "repeat": 3}'

prints one line of JSON. A job runs the ordinary pipeline (`ag.run`) while a stopwatch stands at the functions of
STAGES; so what is measured is what a user runs, and a stage that is renamed is missed loudly.
"""

import importlib
import json
import math
import os
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

#: Stage -> functions whose time it takes, as "module:name". Time spent in another stage's function counts there only,
#: except that below the stages of WHOLE nothing is taken out.
STAGES: dict[str, tuple[str, ...]] = {
    "case": ("alegear.case.case:Case.from_toml",),
    "mesh": ("alegear.mesh.sector:mesh_sector",),
    "assembly": ("alegear.fe.assembly:FEModel.stiffness",),
    "sector condensation": ("alegear.reduction.sector_condensation:condense_sector",),
    "ring closing": ("alegear.reduction.window:close_ring",),
    "window": ("alegear.reduction.window:solve_window", "alegear.reduction.ring:cyclic_compliance"),
    "store": ("alegear.storage.model_store:save", "alegear.storage.model_store:load"),
    "contact set-up": (
        "alegear.contact.hertz.geometry:ContactGeometry.build",
        "alegear.contact.hertz.body:ElasticBody.of",
    ),
    "tooth-change threshold": ("alegear.studies.tooth_window:default_threshold",),
    "mean stiffness": ("alegear.studies.mesh_damping:pitch_mean_stiffness",),
    "static position": ("alegear.studies.static:StaticStudy.run",),
    "dynamic step": ("alegear.studies.dynamic:DynamicStudy.run",),
    "root stress": (
        "alegear.recording.recorder:ContactRecorder.add",
        "alegear.recording.recorder:ContactRecorder.by_pair",
    ),
    "stress fields": ("alegear.studies.fields:write_fields",),
    "writing": ("alegear.storage.store:write_files", "alegear.storage.store:write_summary"),
    "plots": ("alegear.pictures.files:write_pictures",),
}
WHOLE = {"contact set-up", "tooth-change threshold", "mean stiffness", "stress fields", "plots"}
#: Modules that must be there before the stopwatch is set: they hold the functions under names of their own.
USERS = ("alegear.studies.run", "alegear.pictures.files")


class Stopwatch:
    """Time by stage, of every thread.

    Stages that run beside one another are each counted in full, and their CPU time is that of the process meanwhile;
    `covered` is the time in which any stage runs.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}  # stage -> [wall, CPU of the process]
        self.covered = [0.0, 0.0]
        self._active = 0
        self._local = threading.local()
        self._lock = threading.Lock()

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with the watch running."""

        def wrapper(*args: Any, **options: Any) -> Any:
            stack = self._local.__dict__.setdefault("stack", [])  # time of inner stages: [wall, cpu], or None in WHOLE
            if stack and stack[-1] is None:
                return function(*args, **options)
            inner: list[float] = [0.0, 0.0]
            stack.append(None if stage in WHOLE else inner)
            begun = time.perf_counter(), time.process_time()
            if len(stack) == 1:
                self._cover(1, begun)
            try:
                return function(*args, **options)
            finally:
                ended = time.perf_counter(), time.process_time()
                spent = ended[0] - begun[0], ended[1] - begun[1]
                if len(stack) == 1:
                    self._cover(-1, ended)
                stack.pop()
                with self._lock:
                    total = self.seconds.setdefault(stage, [0.0, 0.0])
                    for i in range(2):
                        total[i] += spent[i] - inner[i]
                if stack:
                    for i in range(2):
                        stack[-1][i] += spent[i]

        return wrapper

    def _cover(self, change: int, at: tuple[float, float]) -> None:
        """Count the threads that are in a stage; the time between none and none again is covered.

        A stage and what it covers are told by one reading of the clocks: between two a thread may wait.
        """
        with self._lock:
            sign = (self._active == 0) - (self._active + change == 0)  # 1 begins, -1 ends
            self._active += change
            for i, now in enumerate(at):
                self.covered[i] -= sign * now


@contextmanager
def stopwatch(stages: dict[str, tuple[str, ...]] | None = None) -> Iterator[Stopwatch]:
    """Set the watch at all functions of the stages; take it away afterwards."""
    watch = Stopwatch()
    for module in USERS:
        importlib.import_module(module)
    with ExitStack() as undo:
        for stage, places in (STAGES if stages is None else stages).items():
            for place in places:
                for owner, name, old, new in _replacements(watch, stage, place):
                    setattr(owner, name, new)
                    undo.callback(setattr, owner, name, old)
        yield watch


def _replacements(watch: Stopwatch, stage: str, place: str) -> Iterator[tuple[Any, str, Any, Any]]:
    """Every place that holds a function, with what it holds and what is to be there."""
    module_name, _, path = place.partition(":")
    module = importlib.import_module(module_name)
    *parents, name = path.split(".")
    if parents:
        owner = getattr(module, parents[0])
        old = owner.__dict__[name]
        if isinstance(old, cached_property):
            new: Any = cached_property(watch.timed(stage, old.func))
            new.__set_name__(owner, name)
        elif isinstance(old, classmethod):
            new = classmethod(watch.timed(stage, old.__func__))
        else:
            new = watch.timed(stage, old)
        yield owner, name, old, new
        return
    old = getattr(module, name)
    new = watch.timed(stage, old)
    for other in [m for key, m in sys.modules.items() if key.split(".")[0] == "alegear"]:
        for key, value in list(vars(other).items()):
            if value is old:
                yield other, key, old, new


# --- jobs -------------------------------------------------------------------------------------------------------------


def run_case(case: str, repeat: int) -> dict[str, Any]:
    """The whole pipeline of a case with nothing stored: `repeat` rounds after one that loads kernels and libraries."""
    rounds, facts = [], {}
    for _ in range(1 + repeat):
        with stopwatch() as watch, nothing_stored() as folder:
            begun = time.perf_counter(), time.process_time()
            facts = _pipeline(case, Path(folder) / "result")
            spent = time.perf_counter() - begun[0], time.process_time() - begun[1]
        rounds.append(in_all(watch, spent))
    missing = [s for s in STAGES if s not in rounds[-1] and s not in _of_the_other_kind(facts["kind"])]
    if missing:
        raise SystemExit(f"stages that were not passed: {', '.join(missing)}; see STAGES in bench_stages.py")
    counts = {
        "static position": facts["samples"],
        "dynamic step": facts["samples"],
        "root stress": facts["samples"],
        "stress fields": facts["fields"],
    }
    return {"rounds": rounds[1:], "first_round": rounds[0], "counts": counts, "facts": facts}


def in_all(watch: Stopwatch, spent: tuple[float, float]) -> dict[str, list[float]]:
    """Times of the stages, with the time of none and that of all."""
    rest = [whole - covered for whole, covered in zip(spent, watch.covered, strict=True)]
    return {**watch.seconds, "rest": rest, "in all": list(spent)}


def _of_the_other_kind(kind: str) -> set[str]:
    return {"dynamic step", "mean stiffness"} if kind == "static" else {"static position"}


def _pipeline(case_file: str, out: Path) -> dict[str, Any]:
    """What the command `alegear run` does."""
    import alegear as ag
    from alegear.case.analysis import StaticAnalysis
    from alegear.pictures import files

    case = ag.Case.from_toml(case_file)
    result = ag.run(case, out=out)
    if case.output.plots:
        files.write_pictures(result, out)
    kind = "static" if isinstance(case.analysis, StaticAnalysis) else "dynamic"
    names = ("dof_full", "dof_boundary", "window_pairs", "version")
    facts = {name: result.summary[name] for name in names}
    fields = len(list((out / "fields").glob("*.vtu"))) if case.output.fields else 0
    axis = "position" if kind == "static" else "time"
    return {**facts, "kind": kind, "samples": int(result.dataset.sizes[axis]), "fields": fields}


def reduce_wheels(teeth: list[int], mesh: dict[str, int], slots: int, repeat: int) -> dict[str, Any]:
    """Mesh and reduction of spur wheels alone, one after the other in each round, then the first by other routes."""
    import alegear as ag

    names = ("mesh", "assembly", "sector condensation", "ring closing", "window", "store")
    options = ag.GridOptions(**mesh)
    routes, skipped = other_routes() if repeat else ({}, {})
    rounds: dict[int, list[dict[str, list[float]]]] = {z: [] for z in teeth}
    by_route: dict[str, list[list[float]]] = {name: [] for name in routes}
    dofs = {}
    for _ in range(1 + repeat):
        for z in teeth:
            gear = fine_gear(z)
            with stopwatch({s: STAGES[s] for s in names}) as watch, nothing_stored():
                begun = time.perf_counter(), time.process_time()
                sector = importlib.import_module("alegear.mesh.sector").mesh_sector(gear, options)
                wheel = ag.reduce_wheel(sector, ag.Material(), slots=slots, flank="a")
                spent = time.perf_counter() - begun[0], time.process_time() - begun[1]
            rounds[z].append(in_all(watch, spent))
            dofs[z] = {"dof_full": wheel.dof_full, "dof_boundary": wheel.dof_boundary}
        for name, route in routes.items():
            begun = time.perf_counter(), time.process_time()
            route(fine_gear(teeth[0]), options, ag.Material(), slots=slots, flank="a")
            by_route[name].append([time.perf_counter() - begun[0], time.process_time() - begun[1]])
    out = {str(z): {"rounds": rounds[z][1:] or rounds[z], "counts": {}, "facts": dofs[z]} for z in teeth}
    return {**out, "routes": {name: values[1:] for name, values in by_route.items()}, "skipped": skipped}


def other_routes() -> tuple[dict[str, Callable[..., Any]], dict[str, str]]:
    """Other ways from a gear to the same reduced wheel, by name; and why some are left out."""
    try:
        importlib.import_module("pypardiso")
    except ImportError as error:
        return {}, {"PARDISO route": str(error)}
    route = importlib.import_module("pardiso_route").pardiso_route

    def with_threads(threads: int) -> Callable[..., Any]:
        def mesh_and_reduce(gear: Any, options: Any, material: Any, *, slots: int, flank: str) -> None:
            import alegear as ag

            route(ag.mesh_sector(gear, options), material, flank, slots, threads=threads)

        return mesh_and_reduce

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    numbers = sorted({1, cores})
    return {f"PARDISO route, {n} thread{'s' * (n > 1)}": with_threads(n) for n in numbers}, {}


def fine_gear(z: int) -> Any:
    """Spur gear of module 8 mm and 60 mm width, its bore half the root diameter."""
    import alegear as ag

    return ag.Gear(z=z, m_n=8e-3, b=60e-3, bore_diameter=0.5 * 8e-3 * (z - 2.5))


def compile_kernels(case: str) -> dict[str, Any]:
    """The pipeline once, with the time inside the compiler; the folder of the kernels is that of the environment."""
    from numba.core import event

    class Compiler(event.Listener):  # type: ignore[misc]
        """Wall and CPU time inside the compiler; it calls itself for what a kernel calls."""

        depth, wall, cpu = 0, 0.0, 0.0

        def on_start(self, event: Any) -> None:
            if self.depth == 0:
                self.wall -= time.perf_counter()
                self.cpu -= time.process_time()
            self.depth += 1

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            if self.depth == 0:
                self.wall += time.perf_counter()
                self.cpu += time.process_time()

    compiler = Compiler()
    with event.install_listener("numba:compiler_lock", compiler):
        begun = time.perf_counter()
        with nothing_stored() as folder:
            _pipeline(case, Path(folder) / "result")
        total = time.perf_counter() - begun
    return {"compiler": compiler.wall, "compiler_cpu": compiler.cpu, "pipeline": total}


def import_time() -> dict[str, Any]:
    """Of the package alone, and of everything that `alegear run` needs before it starts."""
    begun = time.perf_counter()
    importlib.import_module("alegear")
    package = time.perf_counter() - begun
    for module in USERS:
        importlib.import_module(module)
    return {"package": package, "all": time.perf_counter() - begun}


def scale(points: list[dict[str, Any]], repeat: int) -> dict[str, Any]:
    """Preparation and static positions of cases that differ in one number, the smallest of some rounds."""
    import alegear as ag

    out = []
    for point in points:
        rounds = []
        for _ in range(1 + repeat):
            with stopwatch() as watch, nothing_stored():
                result = ag.run(ag.Case.from_bytes(point["text"].encode()))
            n = int(result.dataset.sizes["position"])
            seconds = {name: wall for name, (wall, _) in watch.seconds.items()}
            position = seconds["static position"] / n, seconds["root stress"] / n
            rounds.append([result.summary["seconds"]["mesh"], result.summary["seconds"]["reduce"], *position])
        row = dict(zip(("mesh", "reduce", "position", "root stress"), zip(*rounds[1:], strict=True), strict=True))
        facts = {"x": point["x"], "dof_full": result.summary["dof_full"], "slots": result.summary["window_pairs"]}
        out.append({**facts, **{name: list(values) for name, values in row.items()}})
    return {"points": out}


def steps(texts: dict[str, str], repeat: int) -> dict[str, Any]:
    """Time of a compiled step [ms] of cases in motion, one after the other in each of some rounds.

    It is that in the kernel which goes from step to step. A case that is refused is left out with the reason.
    """
    import alegear as ag

    kinds: dict[str, dict[str, Any]] = {kind: {"ms": []} for kind in texts}
    with nothing_stored():
        for number in range(1 + repeat):  # the first round reduces wheels and loads kernels
            for kind, text in texts.items():
                if "refused" in kinds[kind]:
                    continue
                with timed_steps() as seen:
                    try:
                        ag.run(ag.Case.from_bytes(text.encode()))
                    except ag.Fault as fault:
                        kinds[kind] = {"refused": str(fault)}
                        continue
                if not seen.get("steps"):
                    raise SystemExit(f"bench: the motion {kind} does not run in compiled code")
                if number:
                    kinds[kind]["ms"].append(1e3 * seen["seconds"] / seen["steps"])
                kinds[kind]["counts"] = {"steps": seen["steps"], "newton_iterations": seen["newton_iterations"]}
    return {"kinds": kinds}


def time_run(text: str, rounds: int) -> dict[str, Any]:
    """Processor time [s] of whole runs of a case in memory, after one that reduces wheels and loads kernels."""
    import alegear as ag

    seconds = []
    with nothing_stored() as folder:
        file = Path(folder) / "case.toml"
        file.write_text(text, encoding="utf-8")
        for _ in range(1 + rounds):
            begun = time.process_time()
            ag.run(ag.case_from_file(file))
            seconds.append(time.process_time() - begun)
    return {"seconds": seconds[1:], "first": seconds[0], "version": ag.__version__, "program": ag.__file__}


@contextmanager
def timed_steps() -> Iterator[dict[str, Any]]:
    """Seconds in the kernel of motions, and how many steps and iterations these take."""
    from alegear.drivetrain.compiled_motion import kernels

    advance, seen = kernels.advance, {"seconds": 0.0}

    def timed(*arguments: Any) -> Any:
        begun = time.perf_counter()
        end = advance(*arguments)
        seen["seconds"] += time.perf_counter() - begun
        counts = arguments[-2].counts
        seen["steps"] = int(counts[kernels.ACCEPTED])
        seen["newton_iterations"] = int(counts[kernels.NEWTON_ITERATIONS])
        return end

    kernels.advance = timed
    try:
        yield seen
    finally:
        kernels.advance = advance


# --- helpers ----------------------------------------------------------------------------------------------------------


@contextmanager
def nothing_stored() -> Iterator[str]:
    """A fresh folder for the store of reductions, deleted afterwards."""
    before = os.environ.get("ALEGEAR_CACHE_DIR")
    with tempfile.TemporaryDirectory(prefix="alegear-bench-") as folder:
        os.environ["ALEGEAR_CACHE_DIR"] = folder
        try:
            yield folder
        finally:
            if before is None:
                del os.environ["ALEGEAR_CACHE_DIR"]
            else:
                os.environ["ALEGEAR_CACHE_DIR"] = before


def peak_memory() -> float:
    """Largest resident memory of this process so far [MB]; NaN where the system does not tell."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss of Linux begins with the memory of the process that started this one
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return float(line.split()[1]) / 1024.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024.0**2 if sys.platform == "darwin" else peak / 1024.0 if peak else math.nan


def drive_gearbox(duration: float, repeat: int) -> dict[str, Any]:
    """Seconds of driving the car with the automatic gearbox, and of its first second, with loading of kernels."""
    car = importlib.import_module("zf_4hp22_car")
    begun = time.perf_counter()
    car.drive(1.0)
    first, rounds, result = time.perf_counter() - begun, [], None
    for _ in range(max(repeat, 1)):
        begun = time.perf_counter()
        result = car.drive(duration)
        rounds.append(time.perf_counter() - begun)
    return {
        "driven": duration,
        "first": first,
        "rounds": rounds,
        "steps": result.summary["counts"]["steps"],
        "events": result.summary["events"],
    }


def move_actuator(duration: float, repeat: int) -> dict[str, Any]:
    """Seconds of solving the stick-slip of the actuator, after a round that loads kernels, by tolerance.

    With each the energy that is missing at most, over the energy put in: the last tolerance is that of the case file,
    at which it is to be below 1e-8.
    """
    from dataclasses import replace

    import alegear as ag
    from alegear.progress import Silent
    from alegear.studies.rotational import RotationalStudy, rotational_history

    case = ag.case_from_file(Path(__file__).resolve().parents[1] / "meshes" / "actuator.toml")

    def solved(tolerance: float, seconds: float) -> tuple[float, Any]:
        analysis = replace(case.analysis, duration=seconds, output_every=0.01, tolerance=tolerance)
        study = RotationalStudy(replace(case, analysis=analysis))
        begun = time.perf_counter()
        study.run(Silent())
        return time.perf_counter() - begun, study.motion

    first, points = solved(1e-6, 0.1)[0], []
    for tolerance in (1e-4, 1e-6, case.analysis.tolerance):
        rounds, motion = [], None
        for _ in range(max(repeat, 1)):
            taken, motion = solved(tolerance, duration)
            rounds.append(taken)
        steps, events = motion.cvode.count.steps, len(motion.history.events)
        values = rotational_history(motion, {}).values
        missing = float(abs(values["energy_missing"]).max() / abs(values["energy_input"]).max())
        points.append({"tolerance": tolerance, "rounds": rounds, "steps": steps, "events": events, "missing": missing})
    return {"duration": duration, "first": first, "points": points}


def move_two_gears(speeds: list[float], duration: float, repeat: int) -> dict[str, Any]:
    """Seconds of motions of two gears on Hertz teeth at speeds [rpm], after a round that loads kernels."""
    gears = importlib.import_module("two_gears")
    begun = time.perf_counter()
    gears.moved(speeds[0], 1e-3)
    first, points = time.perf_counter() - begun, []
    for rpm in speeds:
        told = [gears.moved(rpm, duration) for _ in range(max(repeat, 1))]
        kept = {name: told[-1][name] for name in ("steps", "coordinates", "force")}
        rounds, processor = ([one[name] for one in told] for name in ("seconds", "processor"))
        points.append({"rpm": rpm, "rounds": rounds, "processor": processor, **kept})
    return {"duration": duration, "first": first, "points": points}


def move_chains(parts: list[int], duration: float, repeat: int) -> dict[str, Any]:
    """Seconds of computing a motion of chains of torsional parts, after a round that loads kernels."""
    chains = importlib.import_module("chain_of_parts")
    begun = time.perf_counter()
    chains.moved(max(parts[0], 5), 0.05)
    first, points = time.perf_counter() - begun, []
    for n in parts:
        rounds, result = [], None
        for _ in range(max(repeat, 1)):
            begun = time.perf_counter()
            result = chains.moved(n, duration)
            rounds.append(time.perf_counter() - begun)
        counts = {"steps": result.summary["counts"]["steps"], "events": result.summary["events"]}
        points.append({"parts": n, "seconds": rounds, **counts})
    return {"duration": duration, "first": first, "points": points}


def blas_threads() -> list[dict[str, Any]]:
    """What the linear algebra libraries of this process say of themselves."""
    from threadpoolctl import threadpool_info

    names = ("internal_api", "version", "num_threads", "architecture")
    return [{name: pool.get(name) for name in names} for pool in threadpool_info()]


JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    "case": run_case,
    "wheels": reduce_wheels,
    "compile": compile_kernels,
    "uses": lambda: {"uses": list(importlib.import_module("alegear.kernels.private_names").USES)},
    "import": import_time,
    "scale": scale,
    "steps": steps,
    "run": time_run,
    "gearbox": drive_gearbox,
    "chain": move_chains,
    "actuator": move_actuator,
    "two_gears": move_two_gears,
}


def answered(job: str) -> str:
    """Do a job, asked for and answered in JSON."""
    options = json.loads(job)
    answer = JOBS[options.pop("kind")](**options)
    answer["peak_MB"] = peak_memory()
    if "numpy" in sys.modules:
        answer["blas"] = blas_threads()
    return json.dumps(answer)


def main() -> None:
    """Do the job of the first argument."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.stdout.write("\n" + answered(sys.argv[1]) + "\n")


if __name__ == "__main__":
    main()
