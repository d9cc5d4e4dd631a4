"""Throws strange values at alegear: every key of case files, damaged grids, objects, runs.

    python scripts/fuzz.py [--cases N] [--runs N] [--grids N] [--objects N] [--trains N] [--functions N] [--commands N]
        [--forms F ...] [--seed S] [--out F.json]

What it asks of each answer:

- a case is taken or refused: one line a fault, no other exception, no warning of a library;
- a grid is taken or refused, a damaged file is never an error of the program;
- an object is made, or a Fault names what is wrong;
- a random machine of torsional parts moves, and its energy is closed (:mod:`random_trains`);
- functions, files that are none, streams, memory, environment and folders (:mod:`fuzz_surroundings`);
- a case that `check` takes is not refused by a run; its exit code is 0 or 1; no number of its result is infinite, loads
  add up to torque over base radius, and what is out of its range is warned of.

The numbers of what was tried, and what went wrong, are printed as JSON; the exit code is the number of what went wrong,
at most 1. Drawn from a seed: the same numbers give the same answers.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import random
import signal
import sys
import tempfile
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
from pydantic import BaseModel

import alegear as ag
from alegear import cli
from alegear.case import case as pair_file
from alegear.case import machine_file
from alegear.case.case import Case
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import CaseFaults
from alegear.case.machine import MachineCase
from alegear.case.mesh_period import output_every
from alegear.case.motion_in_time import KinematicsTable, RotationalMotionTable, SpatialMotionTable
from alegear.case.rotational import ROTATIONAL
from alegear.case.spatial import SPATIAL
from alegear.case.tables import tables_of
from alegear.checks.before_run import given_sectors
from alegear.drivetrain.place_names import shaft_of
from alegear.errors import Fault
from alegear.limits import described
from alegear.mesh.exchange import write_mesh
from alegear.mesh.grid_options import GridOptions
from alegear.mesh.sector import mesh_sector

sys.path.insert(0, str(Path(__file__).resolve().parent))
import fuzz_surroundings  # beside this script
import random_trains
from sound_cases import BASE, GRID, KINDS, MACHINE, SETS, SPACE, TURNING

#: Part of the largest energy that the account of torsional parts may miss, unless steps have a wider tolerance.
MISSING = 1e-5
#: Likewise of bodies in space, whose account is by the trapezoidal rule over steps of a tolerance of 1e-4.
MISSING_IN_SPACE = 1e-2
#: Part of the torques by which those of a pair of steel differ from their ratio: edges of teeth press off the line of
#: action, those of softer teeth farther beyond their tips.
EDGES, STEEL = 0.01, ag.Material().E
#: Processor time [s] after which a run of many short steps is stopped, and the exit code that it then has.
LONGEST_RUN, STOPPED = 60.0, 130
#: What nobody should write, of every type; the neighbours of the limits come beside them.
NASTY: list[Any] = [
    0, 1, -1, 2, 3, 7, 400, 10**5000, -(10**30), True, False, 0.0, -0.0, 1e-300, 1e300, -1e300, 5e-324, 1e-9, 0.5, 1.0,
    -1.0, math.inf, -math.inf, math.nan, "", "abc", "a\u0000b", "x\x1b[31m", "line\nbreak", "none", "hertz", "penalty",
    "bearing", "ground", "rigid", "input", "output", "p1", "house@left",
    [], [0.0], [1.0, 2.0, 3.0], [[0.0, 1.0], [1.0, 2.0]], ["a"], {}, {"a": 1}, [{}],
    [0.0, 0.0, 0.0], [math.nan, 0.0, 1.0], [1e300, 1e300, 1.0], [1e-300, 0.0, 0.0], [-1.0, -1.0, -1.0], [1.0, "a", 2.0],
    [[0.0, 0.0], [0.0, 1.0]], [[0.0, math.inf], [1.0, 0.0]], [[0.0, 1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]],
    [[0.0, 0.0], [5e-324, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1e-300, 2.0], [360.0, 1.0]], [[0.0, 1e300], [1e-9, -1e300]],
    ["ground", "ground"], ["block", "block"], ["ground", "nothing"], ["g1", "g1"], ["g3", "g2"],
]  # fmt: skip


# ---------------------------------------------------------------------------- case files
@dataclass(frozen=True)
class Form:
    """A form of case files: with a pair, a machine, torsional parts, a planetary set on teeth, bodies in space.

    Attributes
    ----------
    sound : dict
        Tables of a small sound case, without its analysis.
    kinds : tuple of str
        Of its analyses.
    tables : mapping of tuple of str to list of types
        Way to each table, and what the schema says of it.
    read : callable
        Makes the case of the content of a file.
    """

    sound: dict[str, Any]
    kinds: tuple[str, ...]
    tables: dict[tuple[str, ...], list[type[BaseModel]]]
    read: Callable[[bytes], Case | MachineCase]

    def base(self, kind: str) -> dict[str, Any]:
        """A small sound case of a kind of analysis, as TOML has it."""
        case: dict[str, Any] = json.loads(json.dumps(self.sound)) | {"analysis": dict(KINDS[kind])}
        if kind == "dynamic" and "operation" in case:
            case["operation"]["pinion_speed_rpm"] = 1500.0
        if kind == "sweep" and "drives" in case:
            del case["drives"]["motor"]["speed_rpm"]
        return case

    def entries(self) -> Iterator[tuple[tuple[str, ...], Any]]:
        """Every key, and what the schema says of it; of what is a table itself, nothing."""

        def inside(path: tuple[str, ...], model: type[BaseModel]) -> Iterator[tuple[tuple[str, ...], Any]]:
            for key, info in model.model_fields.items():
                holders = [kind for kind in (info.annotation, *get_args(info.annotation)) if isinstance(kind, type)]
                table = next((kind for kind in holders if issubclass(kind, BaseModel)), None)
                yield (*path, key), info
                if table is not None:
                    yield from inside((*path, key), table)

        seen = set()
        for way, models in self.tables.items():
            for model in models:
                for path, info in inside(way, model):
                    if path not in seen:
                        seen.add(path)
                        yield path, info


def tables_of_pairs() -> dict[tuple[str, ...], list[type[BaseModel]]]:
    """Tables of a case of two gears."""
    single = {(name,): [model] for name, model in pair_file.TABLES.items()}
    return single | {(name,): list(kinds.values()) for name, kinds in pair_file.KINDS.items()}


def tables_of_machines() -> dict[tuple[str, ...], list[type[BaseModel]]]:
    """Tables of a machine: of each heading that of the first part."""
    others = {*ROTATIONAL, *SPATIAL}
    named = {heading: model for heading, model in machine_file.NAMED.items() if heading not in others}
    single = {(name,): [model] for name, model in machine_file.SINGLE.items()}
    parts = {(heading, next(iter(MACHINE[heading]), "house")): [model] for heading, model in named.items()}
    return {**single, **parts, ("analysis",): list(machine_file.ANALYSES.values())}


def tables_of_turning() -> dict[tuple[str, ...], list[type[BaseModel]]]:
    """Tables of torsional parts: of each heading that of the first part."""
    return _tables_of_parts(TURNING, ROTATIONAL, RotationalMotionTable)


def tables_of_sets() -> dict[tuple[str, ...], list[type[BaseModel]]]:
    """Tables of a planetary set on teeth and of its disks; those of what is around it are tried with machines."""
    return {("planetary", "set"): [ROTATIONAL["planetary"]], ("disks", "hub"): [ROTATIONAL["disks"]]}


def tables_of_space() -> dict[tuple[str, ...], list[type[BaseModel]]]:
    """Tables of bodies in space, likewise."""
    return _tables_of_parts(SPACE, SPATIAL, SpatialMotionTable, KinematicsTable)


def _tables_of_parts(
    sound: Mapping[str, Any], parts: Mapping[str, type[BaseModel]], *analyses: type[BaseModel]
) -> dict[tuple[str, ...], list[type[BaseModel]]]:
    single = {(name,): [machine_file.SINGLE[name]] for name in ("machine", "output")}
    named = {(heading, next(iter(sound[heading]))): [model] for heading, model in parts.items()}
    return {**single, **named, ("analysis",): list(analyses)}


def machine_of(content: bytes) -> MachineCase:
    """The case of a machine from the content of its file."""
    path = Path("case.toml")
    return MachineCase.from_tables(tables_of(content, path), path)


FORMS = {
    "pair": Form(BASE, ("static", "dynamic", "modal", "sweep"), tables_of_pairs(), Case.from_bytes),
    "machine": Form(MACHINE, tuple(machine_file.ANALYSES), tables_of_machines(), machine_of),
    "turning": Form(TURNING, ("dynamic",), tables_of_turning(), machine_of),
    "sets": Form(SETS, ("static", "dynamic", "modal"), tables_of_sets(), machine_of),
    "space": Form(SPACE, ("dynamic", "kinematic"), tables_of_space(), machine_of),
}


def base(kind: str) -> dict[str, Any]:
    """A small sound case of two gears, as TOML has it."""
    return FORMS["pair"].base(kind)


def neighbours(info: Any) -> list[Any]:
    """Values at the limits of a key, and just beyond them."""
    found: list[Any] = []
    for part in info.metadata:
        for bound in ("ge", "gt", "le", "lt"):
            limit = getattr(part, bound, None)
            if isinstance(limit, int | float):
                whole = float(limit) == int(limit)
                found += [float(limit), math.nextafter(limit, math.inf), math.nextafter(limit, -math.inf)]
                found += [int(limit), int(limit) + 1, int(limit) - 1] if whole else []
    choices = [choice for choice in get_args(info.annotation) if isinstance(choice, str)]
    return found + choices


def with_value(case: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """The case with another value of a key; tables on the way are made."""
    table = case
    for name in path[:-1]:
        inner = table.get(name)
        if not isinstance(inner, dict):
            inner = table[name] = {}
        table = inner
    table[path[-1]] = value
    return case


def as_toml(value: Any) -> str:
    """A value as TOML has it; of numbers beyond a float the digits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return hex(value) if value > 10**4000 else str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    return "{" + ", ".join(f"{json.dumps(str(k))} = {as_toml(v)}" for k, v in value.items()) + "}"


def text_of(case: dict[str, Any]) -> str:
    """A case file of inline tables."""
    return "".join(f"{name} = {as_toml(table)}\n" for name, table in case.items())


def try_case(
    text: str, say: Callable[[str, str], None], what: str, read: Callable[[bytes], Case | MachineCase] | None = None
) -> Case | MachineCase | None:
    """Read a case; whatever is wrong with it must be a fault of one line each."""
    try:
        with no_warning(say, what):
            return (read or Case.from_bytes)(text.encode("utf-8", "surrogatepass"))
    except CaseFaults as faults:
        for line in str(faults).splitlines():
            if not line.startswith("case.toml: ") or len(line) > 2000:
                say("message", f"{what}: {line[:200]!r}")
    except Exception as error:
        say("case", f"{what}: {type(error).__name__}: {error}"[:300])
    return None


@contextlib.contextmanager
def no_warning(say: Callable[[str, str], None], what: str) -> Iterator[None]:
    """Say what a library warns of: a number that it could not take went through to it."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        yield
    for one in heard:
        say("warning", f"{what}: {one.message} ({one.filename}:{one.lineno})")


# ---------------------------------------------------------------------------------- runs
@contextlib.contextmanager
def stopped_after(seconds: float) -> Iterator[list[float]]:
    """Stop what takes more processor time [s], as Ctrl-C does; what comes back has an entry if it was stopped."""
    stopped: list[float] = []

    def stop(number: int, frame: object) -> None:
        stopped.append(seconds)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield stopped
    except KeyboardInterrupt:
        if not stopped:
            raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def try_run(case: Case | MachineCase, text: str, folder: Path, say: Callable[[str, str], None], what: str) -> int:
    """Check and run a case that was taken, by the command; returns the exit code of the run, `STOPPED` of long ones."""
    path = folder / "case.toml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    heard, done = io.StringIO(), STOPPED
    with (
        no_warning(say, what),
        stopped_after(LONGEST_RUN) as stopped,
        contextlib.redirect_stderr(heard),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        checked = cli.main(["check", str(path)])
        done = cli.main(["run", str(path), "--out", str(folder / "out")]) if checked == 0 else checked
    words = heard.getvalue()
    if "internal error" in words or "Traceback" in words:
        say("internal", f"{what}: {words[-300:]}")
    if stopped:
        return STOPPED
    if checked == 0 and done == 2:
        say("check and run", f"{what}: {words[-300:]}")
    if done not in (0, 1, 2):
        say("exit code", f"{what}: {done}")
    if done == 0:
        try:
            result = ag.load(folder / "out")
        except Fault as fault:
            say("result that is not loaded", f"{what}: {fault}")
        else:
            look_at(case, result, say, what)
    return done


def look_at(case: Case | MachineCase, result: ag.Result, say: Callable[[str, str], None], what: str) -> None:
    """No infinite number, loads that add up, and a word where something is out of its range."""
    for name, values in result.dataset.data_vars.items():
        if values.dtype.kind == "f" and np.isinf(values.values).any():
            say("infinite", f"{what}: {name}")
    words = " ".join(result.summary.get("warnings", []))
    if result.summary["case_sha256"] != case.sha256:
        say("digest", what)
    if isinstance(case, MachineCase):
        look_at_machine(case, result, words, say, what)
        return
    if "tooth_load" in result.dataset and case.analysis.kind == "static":
        expected = abs(case.operation.pinion_torque) / case.pair.pinion.r_b
        loads = np.nansum(np.abs(result.dataset["tooth_load"].sum("pair").values - 0.0), axis=None)
        n = result.dataset.sizes["position"]
        off = abs(loads / n - expected) / expected
        if off > 1e-7 and "pinion_torque_Nm" not in words:
            say("sum of loads", f"{what}: {off:.1e}")
    if "displacement" in result.dataset:
        way = float(np.abs(result.dataset["displacement"]).max())
        if way > 0.1 * case.pair.pinion.m_n and "displacement" not in words:
            say("displacement", f"{what}: {way}")


def look_at_machine(
    case: MachineCase, result: ag.Result, words: str, say: Callable[[str, str], None], what: str
) -> None:
    """Torques whose powers add up, meshes that carry what goes through them, and a word where shafts give way."""
    data = result.dataset
    if case.in_space:
        look_at_mechanism(case, result, say, what)
        return
    if case.is_torsional:
        energies = [abs(float(data[f"energy_{name}"][-1])) for name in ("input", "dissipated", "kinetic", "elastic")]
        off, scale = float(np.abs(data["energy_missing"]).max()), max(*energies, 1e-12)
        if not off <= max(MISSING, case.analysis.tolerance) * scale:
            say("energy", f"{what}: {off:.1e} of {scale:.1e} J is missing")
        return
    if case.analysis.kind == "static":
        power = data["torque"] * data["ratio"]
        scale = float(np.abs(power).sum("shaft").max())
        off = float(np.abs(power.sum("shaft")).max())
        friction = any(getattr(one.law, "friction", ag.Friction()).kind != "none" for one in case.meshes)
        if not friction and not off <= EDGES * scale:
            say("sum of torques", f"{what}: {off:.1e} of {scale:.1e} N m")
        for place in case.layout.meshes:
            across = data["mesh_force"].sel(mesh=place.mesh.name).values @ place.axes[:2].T
            moment = place.pair.d_w[0] / 2.0 * across[:, 1] if place.mesh.law.fidelity == "rigid" else None
            if moment is not None and not np.allclose(np.abs(moment), place.torque, rtol=1e-6):
                say("mesh force", f"{what}: mesh {place.mesh.name}: {moment} for {place.torque} N m")
        look_at_sets(case, data, friction, say, what)
    if "displacement" in data and case.analysis.kind != "modal":
        way = float(np.abs(data["displacement"]).max())
        modules = [place.pair.pinion.m_n for place in case.layout.meshes]
        modules += [part.teeth.m_n for part in case.parts if getattr(part, "elastic", False)]
        if way > min(modules) and "displacement" not in words:
            say("displacement", f"{what}: {way}")


def look_at_sets(case: MachineCase, data: Any, friction: bool, say: Callable[[str, str], None], what: str) -> None:
    """Forces of all planets on a sun make its torque, and each planet hands on what it takes."""
    for part in case.parts:
        if getattr(part, "fidelity", "") != "teeth" or "planet_mesh_force" not in data:
            continue
        forces = {gear: data["planet_mesh_force"].sel(planet_mesh=part.mesh_names[gear]) for gear in ("sun", "ring")}
        sun = part.meshes["sun"].pair.pinion
        softest = min(material.E for mesh in part.meshes.values() for material in mesh.materials)
        edges = EDGES * math.sqrt(max(STEEL / softest, 1.0))
        torque = np.abs(forces["sun"].sum("planet_mesh")).values * sun.r_b * np.cos(sun.beta_b)
        expected = abs(float(data["torque"].sel(shaft=shaft_of(part.sun))[0]))
        if not friction and not np.allclose(torque, expected, rtol=edges):
            say("torque of the sun", f"{what}: {torque} for {expected} N m")
        taken, handed = (np.abs(forces[gear].values) for gear in ("sun", "ring"))
        if not friction and not np.allclose(taken, handed, rtol=edges, atol=edges * float(taken.max())):
            say("what planets hand on", f"{what}: {taken[0]} to {handed[0]} N")


def look_at_mechanism(case: MachineCase, result: ag.Result, say: Callable[[str, str], None], what: str) -> None:
    """All is a number, and of a motion that steps by its tolerance the energy is there."""
    data = result.dataset
    for name, values in data.data_vars.items():
        if values.dtype.kind == "f" and np.isnan(values.values).any():
            say("not a number", f"{what}: {name}")
    if case.analysis.kind == "dynamic" and case.analysis.time_step is None:
        names = ("input", "dissipated", "kinetic", "stored")
        energies = [float(np.abs(data[f"energy_{name}"]).max()) for name in names]
        # what a prescribed joint takes and a load gives is nothing together
        energies.append(float(np.abs(data["joint_power"]).max()) * case.analysis.duration)
        off, scale = float(np.abs(data["energy_missing"]).max()), max(*energies, 1e-12)
        if not off <= max(MISSING_IN_SPACE, case.analysis.tolerance) * scale:
            say("energy", f"{what}: {off:.1e} of {scale:.1e} J is missing")


# --------------------------------------------------------------------------------- grids
def damaged(content: bytes, random_: random.Random) -> bytes:
    """A file with a piece cut out, bytes changed, lines exchanged, or numbers replaced."""
    way = random_.randrange(5)
    data = bytearray(content)
    if way == 0:
        return bytes(data[: random_.randrange(len(data))])
    if way == 1:
        for _ in range(random_.randrange(1, 20)):
            data[random_.randrange(len(data))] = random_.randrange(256)
        return bytes(data)
    lines = content.split(b"\n")
    if way == 2:
        i, j = random_.randrange(len(lines)), random_.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    elif way == 3:
        del lines[random_.randrange(len(lines))]
    else:
        i = random_.randrange(len(lines))
        words = lines[i].split()
        if words:
            words[random_.randrange(len(words))] = random_.choice([b"nan", b"1e300", b"-1", b"0", b"99999999", b"x"])
            lines[i] = b" ".join(words)
    return b"\n".join(lines)


def fuzz_grids(n: int, folder: Path, random_: random.Random, say: Callable[[str, str], None]) -> Counter[str]:
    """Damaged files, and sound files with sets in each other's place, cells twice and nodes moved."""
    found: Counter[str] = Counter()
    case = Case.from_bytes(text_of(base("static")).encode())
    sector = mesh_sector(case.pair.pinion, GridOptions(**GRID))
    names = list(sector.volume.node_sets)
    for k in range(n):
        path = folder / random_.choice(["grid.vtu", "grid.msh"])
        volume, way = sector.volume, random_.randrange(4)
        if way == 1:
            one, other = random_.sample(names, 2)
            sets = dict(volume.node_sets)
            sets[one], sets[other] = sets[other], sets[one]
            volume = replace(volume, node_sets=sets)
        elif way == 2:
            cells = volume.cells
            volume = replace(volume, cells=np.concatenate([cells, cells[[random_.randrange(len(cells))]]]))
        elif way == 3:
            points = volume.points.copy()
            points[random_.randrange(len(points))] += random_.choice([1e-6, 2e-4, 1e-2]) * np.array([1.0, 1.0, 0.0])
            volume = replace(volume, points=points)
        write_mesh(path, volume)
        if way == 0:
            path.write_bytes(damaged(path.read_bytes(), random_))
        try:
            with no_warning(say, f"grid {k}"):
                given_sectors(replace(case, grid_options=(None, case.grid_options[1]), grid_files=(path, None)))
            found["taken"] += 1
            if way == 2:
                say("grid", f"{k}: a cell twice is taken")
        except CaseFaults as faults:
            found["refused"] += 1
            if "pinion.grid.file" not in str(faults) or len(str(faults).splitlines()) != 1:
                say("message", f"grid {k}: {faults}"[:300])
        except Exception as error:
            say("grid", f"{k}: {type(error).__name__}: {error}"[:300])
    return found


# ------------------------------------------------------------------------------- objects
def fuzz_objects(n: int, random_: random.Random, say: Callable[[str, str], None]) -> Counter[str]:
    """Fields of sound objects replaced by strange values."""
    found: Counter[str] = Counter()
    case = Case.from_bytes(text_of(base("static")).encode())
    moving = Case.from_bytes(text_of(base("dynamic")).encode())
    from alegear.system.support import Support, TorsionShaft

    made: list[Any] = [
        case, moving, case.pair, case.pair.pinion, case.pair.pinion.rack, case.pair.pinion.microgeometry, ag.Material(),
        case.pair.alignment, case.operation, case.analysis, moving.analysis, case.output, ag.PenaltyLaw(),
        ag.Friction(), GridOptions(), Support(name="pinion", stiffness=1e8 * np.eye(5)), TorsionShaft(stiffness=1e5),
    ]  # fmt: skip
    machine = machine_of(text_of(FORMS["machine"].base("static")).encode())
    first = (machine.shafts, machine.gears, machine.meshes, machine.bearings, machine.drives, machine.loads)
    made += [machine, machine.analysis, machine.meshes[0].law, *(parts[0] for parts in first)]
    strange = [
        *NASTY,
        None,
        object(),
        np.nan,
        np.float64(1e-3),
        np.int64(3),
        np.zeros(3),
        (1.0, 2.0),
        (None, None),
        b"x",
    ]
    for _ in range(n):
        of = random_.choice(made)
        name = random_.choice([part.name for part in fields(of)])
        value = random_.choice([*strange, getattr(random_.choice(made), name, None)])
        what = f"{type(of).__name__}.{name} = {described(value)}"
        try:
            with no_warning(say, what):
                replace(of, **{name: value})
            found["taken"] += 1
        except Fault as fault:
            found["refused"] += 1
            if "\n" in str(fault) and not isinstance(fault, CaseFaults):
                say("message", f"{what}: {fault}"[:300])
        except Exception as error:
            say("object", f"{what}: {type(error).__name__}: {error}"[:300])
    return found


# ----------------------------------------------------------------------------------- all
def fuzz(
    *,
    cases: int,
    runs: int,
    grids: int,
    objects: int,
    trains: int = 0,
    functions: int = 0,
    commands: int = 0,
    seed: int = 0,
    keys_each: int | None = None,
    forms: Sequence[str] = tuple(FORMS),
) -> tuple[dict[str, Any], list[str]]:
    """Try so many of each; returns the counts and what went wrong.

    Parameters
    ----------
    cases : int
        Values of each key and kind of analysis.
    runs, grids, objects, trains, functions, commands : int
        Whole runs of cases that were taken, grids, objects, random machines of torsional parts, functions over
        time, commands in strange surroundings.
    seed : int
    keys_each : int, optional
        Take only every so manyth key; default: all.
    forms : sequence of str
        Of case files, of :data:`FORMS`.
    """
    random_ = random.Random(seed)
    wrong: list[str] = []

    def say(kind: str, what: str) -> None:
        wrong.append(f"{kind}: {what}")
        print(wrong[-1], file=sys.stderr, flush=True)  # all keys take a quarter of an hour

    counts: dict[str, Any] = {"keys": 0, "cases": Counter(), "runs": Counter()}
    taken: list[tuple[str, str, Case | MachineCase]] = []
    every = [(name, FORMS[name], path, info) for name in forms for path, info in FORMS[name].entries()]
    for number, (name, form, path, info) in enumerate(every):
        counts["keys"] += 1
        if keys_each is not None and (number + seed) % keys_each:
            continue
        values = neighbours(info) + NASTY
        chosen = values if cases >= len(values) else random_.sample(values, cases)
        for kind in form.kinds:
            for value in chosen:
                text = text_of(with_value(form.base(kind), path, value))
                what = f"{name} {kind} {'.'.join(path)} = {as_toml(value)[:60]}"
                try:
                    tomllib.loads(text)
                except ValueError:
                    counts["cases"]["no TOML"] += 1
                case = try_case(text, say, what, form.read)
                counts["cases"]["taken" if case else "refused"] += 1
                if case is not None:
                    taken.append((what, text, case))
    with tempfile.TemporaryDirectory() as folder:
        for what, text, case in random_.sample(taken, min(runs, len(taken))):
            if too_long(case):
                counts["runs"]["left out, too long"] += 1
                continue
            own = Path(tempfile.mkdtemp(dir=folder))  # one that is stopped leaves a motion that could be gone on with
            code = try_run(case, text, own, say, what)
            counts["runs"][f"exit code {code}"] += 1
            if code == STOPPED:
                counts.setdefault("stopped", []).append(what)
        counts["grids"] = fuzz_grids(grids, Path(folder), random_, say)
    counts["objects"] = fuzz_objects(objects, random_, say)
    counts["trains"] = random_trains.fuzz_trains(trains, random_, say)
    counts["functions"] = fuzz_surroundings.fuzz_functions(functions, random_, say)
    counts["commands"] = fuzz_surroundings.fuzz_commands(commands, text_of(base("static")), random_, say)
    return counts, wrong


def too_long(case: Case | MachineCase) -> bool:
    """Whether a run would take minutes: sound, but not what is asked here."""
    analysis = case.analysis
    if isinstance(case, MachineCase):
        if case.in_space:
            steps = getattr(analysis, "positions", 0), *(_steps(analysis, name) for name in ("spacing", "time_step"))
            return max(steps) > 1000
        if any(getattr(part, "fidelity", "") == "teeth" for part in case.parts) and _many_contacts(case):
            return True
        pairs = [case.pair_case(place) for place in case.layout.meshes if place.mesh.law.needs_contact]
        return any(map(too_long, pairs))
    samples = getattr(analysis, "positions_per_pitch", 1) * getattr(analysis, "pitches", 1)
    steps = 0.0
    if isinstance(analysis, DynamicAnalysis):
        steps = analysis.duration / min(output_every(case), analysis.time_step or math.inf)
    cells = sum(options.n_cells for options in case.grid_options if options is not None)
    modes = getattr(analysis, "normal_modes", 0) + getattr(analysis, "n_modes", 0)
    return samples > 200 or steps > 1000 or cells > 3000 or modes > 20 or (case.slices or 0) > 50


def _many_contacts(case: MachineCase) -> bool:
    """Whether planets on teeth have so many slices that a step takes seconds."""
    slices = [pair.law.slices or 0 for part in case.parts for pair in (getattr(part, "meshes", None) or {}).values()]
    return max(slices) > 50


def _steps(analysis: Any, name: str) -> float:
    """How many steps of a length a motion has."""
    length = getattr(analysis, name, None)
    return analysis.duration / length if length else 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=40, help="values of each key and kind of analysis")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--grids", type=int, default=500)
    parser.add_argument("--objects", type=int, default=20000)
    parser.add_argument("--trains", type=int, default=500)
    parser.add_argument("--functions", type=int, default=1000)
    parser.add_argument("--commands", type=int, default=200, help="in strange surroundings")
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS), help="of case files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    counts, wrong = fuzz(
        cases=args.cases,
        runs=args.runs,
        grids=args.grids,
        objects=args.objects,
        trains=args.trains,
        functions=args.functions,
        commands=args.commands,
        seed=args.seed,
        forms=args.forms,
    )
    report = json.dumps({"counts": counts, "wrong": wrong}, indent=1)
    if args.out is not None:
        args.out.write_text(report + "\n")
    print(report)
    return min(len(wrong), 1)


if __name__ == "__main__":
    sys.exit(main())
