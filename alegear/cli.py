"""The command ``alegear``: run, check, mesh, show, info.

Exit codes: 0 done; 1 the analysis failed, what was computed is kept and marked incomplete; 2 the input is wrong, one
line a fault, nothing written.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import gc
import json
import logging
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from alegear._version import __version__
from alegear.errors import AnalysisFailure, Fault, one_line

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.machine import MachineCase
    from alegear.mesh.sector import SectorMesh
    from alegear.results.result import Result
    from alegear.results.store import ResultFolder

DONE, FAILED, WRONG_INPUT = 0, 1, 2
RPM = math.radians(6.0)
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; default: those of the process.
    """
    traceback = False
    try:
        with _stoppable():
            try:
                args = _parser().parse_args(argv)
            except SystemExit as end:
                return int(end.code or 0)
            traceback = args.traceback
            logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
            args.command(args)
    except BaseException as error:
        if traceback:
            raise
        return _exit_code(error)
    finally:
        _flush()
    return DONE


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Let requests to end (``kill``, a closed terminal) take the way of Ctrl-C; only the main thread can say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _STOPS}
    for number in _STOPS:
        if before[number] is not signal.SIG_IGN:  # nohup, and shells that start it in the background
            signal.signal(number, _stop)
    try:
        yield
    finally:
        for number in _STOPS:
            signal.signal(number, signal.SIG_DFL if before[number] is None else before[number])


def _stop(number: int, frame: object) -> NoReturn:
    """Say at once that the request has come: to wait for what is being written may take seconds."""
    with contextlib.suppress(OSError):
        os.write(2, b"\nstopping ...\n")
    raise KeyboardInterrupt


def _exit_code(error: BaseException) -> int:
    """Print one line for an error and return the exit code."""
    if isinstance(error, KeyboardInterrupt):
        _say("stopped by the user")
        return FAILED
    from alegear.case.faults import CaseFaults

    if isinstance(error, CaseFaults):
        for fault in error.faults:
            _say(str(fault))
        return WRONG_INPUT
    if isinstance(error, Fault):
        _say(str(error))
        return WRONG_INPUT
    if isinstance(error, MemoryError):
        _say("out of memory: use fewer elements ([mesh]) or turn fields off ([output] fields = false)")
    elif isinstance(error, AnalysisFailure):
        _say(str(error))
    elif isinstance(error, OSError):
        name = "" if error.filename is None else f"{error.filename}: "
        _say(f"{name}{error.strerror or error}; check space and permissions")
    else:
        _say(f"internal error: {type(error).__name__}: {error}; please report it with the output of --traceback")
    return FAILED


# ---------------------------------------------------------------------------------------------------------- commands


def _run(args: argparse.Namespace) -> None:
    """Compute a case and store its result as a whole."""
    begun = time.perf_counter()
    with _import():
        from alegear.case.from_file import case_from_file
        from alegear.results.journal import Journal
        from alegear.results.store import CHECKPOINT, SUMMARY, ResultFolder, write_summary
    undrawn: list[AnalysisFailure] = []

    case = case_from_file(args.case)
    said = _warn(case)
    out = args.out or _result_folder(args.case)
    checkpoint = out / CHECKPOINT
    with ResultFolder(out) as folder, _drawing(case, undrawn) as report, _progress() as progress:
        with _import():
            # the heavy imports come now, so that a folder that cannot be written is found at once
            from alegear.study.run import run
        # what was imported goes with the process; taking it apart object by object takes a quarter of a second
        atexit.register(gc.freeze)

        try:
            result = run(
                case, out=folder.path, progress=progress, report=report, resume=args.resume, checkpoint=checkpoint
            )
            seconds = dict(result.summary["seconds"]) | {"total": time.perf_counter() - begun}
            summary = result.summary | {"seconds": seconds}
            write_summary(folder.path, summary)
        except OSError:
            raise
        except BaseException as error:
            progress.close()
            if (folder.path / SUMMARY).exists():
                _keep_incomplete(folder, error)
            if isinstance(error, KeyboardInterrupt) and checkpoint.is_dir():
                _say("the same command with --resume goes on from the last checkpoint")
            raise
        progress.close()
        place = folder.commit(complete=result.complete)
        result = result.with_summary(summary).moved(place)
        Journal(checkpoint).remove()
    if summary.get("rotational"):
        _print_rotational_summary(result, place)
    elif summary.get("spatial"):
        _print_spatial_summary(summary, place)
    elif summary.get("machine") and summary["analysis"] != "modal":
        _print_machine_summary(summary, place, case)
    else:
        _print_summary(summary, place)
    for warning in summary.get("warnings", []):
        if warning not in said:
            _say(f"warning: {warning}")
    if undrawn:
        raise undrawn[0]


@contextlib.contextmanager
def _drawing(
    case: Case | MachineCase, undrawn: list[AnalysisFailure]
) -> Iterator[Callable[[Result, Path], None] | None]:
    """Get ready to draw the plots if the case wants them; what cannot be drawn is put down in ``undrawn``."""
    if not case.output.plots:
        yield None
        return
    with _import():
        from alegear.view.plots import PlotFailure
        from alegear.view.report import ReportProcess

    with ReportProcess() as process:

        def draw(result: Result, folder: Path) -> None:
            try:
                process.write(result, folder)
            except PlotFailure as error:
                # the numbers are whole without the picture
                undrawn.append(error)

        yield draw


@contextlib.contextmanager
def _import() -> Iterator[None]:
    """Import without a look for garbage every few hundred objects: there are hundred thousands, and all stay."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _keep_incomplete(folder: ResultFolder, error: BaseException) -> None:
    """Keep what was computed before an error, marked incomplete; never in the place of a complete result."""
    from alegear.results.store import StorageFailure, mark_incomplete

    if isinstance(error, StorageFailure):
        return
    mark_incomplete(folder.path)
    place = folder.commit(complete=False)
    _say(f"what was computed so far is kept in {_relative(place)}, marked incomplete")


def _check(args: argparse.Namespace) -> None:
    """Read and validate a case, print the derived data, draw its layout."""
    from alegear.case.case import Case
    from alegear.case.from_file import case_from_file

    case = case_from_file(args.case)
    out = args.out or _result_folder(args.case)
    data = _checked_pair(case, out) if isinstance(case, Case) else _checked_machine(case, out)
    if args.picture is not None:
        from alegear.view.layout import write_layout
        from alegear.view.machine_graph import write_graph

        if not isinstance(case, Case) and case.in_space:
            from alegear.view.mechanism import picture_at_start

            picture_at_start(case, args.picture)
        elif not isinstance(case, Case) and (case.only_turns or not case.gears):  # no gears to draw
            write_graph(case, args.picture)
        else:
            write_layout(case, args.picture)
    if args.json:
        _print(json.dumps(data, indent=2, allow_nan=False))
        return
    if isinstance(case, Case):
        _print_gear_data(case.title, data)
    else:
        _print_machine_data(case.title, data)
    for warning in data["warnings"]:
        _say(f"warning: {warning}")


def _checked_pair(case: Case, out: Path) -> dict[str, Any]:
    """Check a case of two gears, and return its data."""
    from alegear.checks.before_run import check_before_meshing
    from alegear.checks.gear_data import gear_data

    sectors, fits = check_before_meshing(case, out)
    if not fits:
        from alegear.study.preparation import check_plan  # the compiler is part of it

        check_plan(case, sectors)
    data = gear_data(case, sectors)
    data["warnings"].extend(_bore_warnings(case, sectors))
    return data


def _checked_machine(case: MachineCase, out: Path) -> dict[str, Any]:
    """Check the meshes of a machine one by one, and return its data."""
    from alegear.checks.machine_data import check_meshes, machine_data

    if case.in_space:
        from alegear.checks.spatial_data import spatial_data

        return spatial_data(case)
    for pair, sectors, fits in check_meshes(case, out):
        if not fits:
            from alegear.study.preparation import check_plan  # the compiler is part of it

            check_plan(pair, sectors)
    if not case.only_turns:
        return machine_data(case)
    from alegear.checks.rotational_data import rotational_data

    return {**rotational_data(case), **machine_data(case)}


def _bore_warnings(case: Case, sectors: Sequence[SectorMesh | None]) -> Iterator[str]:
    """Say where a grid has another bore than its gear: a web, for example, is allowed."""
    for name, sector, gear in zip(("pinion", "wheel"), sectors, case.pair.gears, strict=True):
        if sector is None:
            continue
        from alegear.mesh.exchange import bore_diameter

        bore = bore_diameter(sector)
        # as close as the other dimensions of a grid must fit its gear
        if abs(bore - gear.d_rim) > 2e-4 * gear.m_n:
            yield (
                f"{name}.mesh.file has the bore diameter {1e3 * bore:.6g} mm, bore_diameter_mm = "
                f"{1e3 * gear.d_rim:.6g}: mass and inertia are those of the solid gear of the case"
            )


def _mesh(args: argparse.Namespace) -> None:
    """Write the sector grids of all gears."""
    from alegear.case.from_file import case_from_file
    from alegear.mesh.exchange import write_mesh
    from alegear.results.store import ResultFolder

    case = case_from_file(args.case)
    out = args.out or Path(f"{args.case.stem}_mesh")
    with ResultFolder(out, parts=()) as folder:
        for name, sector in _sectors(case):
            for ending in (".msh", ".vtu"):
                write_mesh(folder.path / f"{name}{ending}", sector)
            volume = sector.volume
            _print(one_line(f"{name}: sector of {len(volume.points)} nodes, {len(volume.cells)} elements"))
        place = folder.commit()
    _print(one_line(f"written to {_relative(place)}"))


def _sectors(case: Case | MachineCase) -> Iterator[tuple[str, SectorMesh]]:
    """Names and grids of the gears of a case, of a machine those in flexible meshes: only these have grids."""
    from alegear.case.case import Case
    from alegear.checks.grids import given_sectors
    from alegear.mesh.sector import mesh_sector

    pairs: list[tuple[Case, tuple[str, str]]]
    if isinstance(case, Case):
        pairs = [(case, ("pinion", "wheel"))]
    else:
        if case.only_turns or case.in_space:
            limit = "one with gears in flexible meshes: rigid bodies and parts that only turn have no grids"
            raise Fault("machine", case.title, limit, "alegear check prints its parts, alegear run computes it")
        flexible = [place for place in case.layout.meshes if place.mesh.law.needs_contact]
        if not flexible:
            raise Fault("flexible meshes", 0, "at least 1: only their gears have grids", 'write fidelity = "flexible"')
        pairs = [(case.pair_case(place), place.mesh.gears) for place in flexible]
    given = [given_sectors(pair) for pair, _ in pairs]
    done: set[str] = set()
    for (pair, names), sectors in zip(pairs, given, strict=True):
        for name, gear, options, made in zip(names, pair.pair.gears, pair.mesh_options, sectors, strict=True):
            if name not in done:
                done.add(name)
                yield name, mesh_sector(gear, options) if made is None else made


def _show(args: argparse.Namespace) -> None:
    """Show the stress on the deformed pair, or on the loaded teeth of a machine."""
    if not args.directory.is_dir():
        raise Fault("result folder", args.directory, "a folder that alegear run has written", "check the path")
    from alegear.results.machine_shape import SHAPE
    from alegear.results.store import FIELDS, MECHANISM, MESHES, SUMMARY, read_summary

    if (args.directory / MECHANISM).exists():
        from alegear.view.mechanism import show as show_mechanism

        show_mechanism(args.directory, screenshot=args.screenshot, position=args.position)
        return
    if (args.directory / SUMMARY).exists() and read_summary(args.directory).get("rotational"):
        limit = "the folder of a run with gears in contact: parts that only turn have no stress"
        raise Fault("stress fields", args.directory, limit, "look at the plots in the folder, power_flow.png first")
    if (args.directory / MESHES).is_dir() and not (args.directory / SHAPE).exists():
        limit = f"{SHAPE} and {MESHES}/NAME/{FIELDS}, which static and dynamic studies of machines have"
        raise Fault("fields of the machine", args.directory, limit, "run one of them, with fields = true in [output]")
    if (args.directory / SHAPE).exists():
        from alegear.view.machine_scene import show
    else:
        from alegear.view.scene import show

    show(args.directory, screenshot=args.screenshot, position=args.position)


def _info(args: argparse.Namespace) -> None:
    """Print versions, threads and what is kept for later runs."""
    import platform
    from importlib import metadata

    from alegear.cache_folder import cache_directory, kernel_directory

    print(f"alegear     {__version__}")
    print(f"python      {platform.python_version()} on {platform.platform()}")
    for name in ("numpy", "scipy", "numba", "gmsh", "meshio", "pydantic", "xarray", "h5netcdf", "h5py"):
        print(f"{name:<11} {_installed(metadata, name)}")
    for name in ("matplotlib", "pyvista", "rich"):
        print(f"{name:<11} {_installed(metadata, name)}")
    print(f"threads     {_threads()}")
    print(f"cache       {_folder_size(cache_directory(), '*.reduction')}")
    print(f"kernels     {_folder_size(kernel_directory(), '**/*')}")


def _folder_size(folder: Path, pattern: str) -> str:
    sizes = [path.stat().st_size for path in folder.glob(pattern) if path.is_file()]
    return f"{folder}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"


def _installed(metadata: Any, name: str) -> str:
    try:
        return str(metadata.version(name))
    except metadata.PackageNotFoundError:
        return "not installed"


def _threads() -> str:
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    limits = [f"{name}={os.environ[name]}" for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS") if name in os.environ]
    return ", ".join([f"{available} processors", *limits])


# ----------------------------------------------------------------------------------------------------------- printing


def _say(text: str) -> None:
    """Print one line for the user, whatever names and titles in it hold."""
    _print(one_line(text), sys.stderr)


def _print(text: str, stream: Any = None, end: str = "\n") -> None:
    """Print; where the reader has gone (``| head -1``) the rest is for nobody, and what is computed goes on."""
    stream = stream or sys.stdout
    try:
        print(text, file=stream, end=end, flush=True)
    except BrokenPipeError:
        _mute(stream)


def _mute(stream: Any) -> None:
    """Lead what is still printed to nowhere, so that the interpreter does not complain when it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            _mute(stream)


def _console(*, stderr: bool = False) -> Any:
    """A console of rich that carries on where its reader has gone."""
    from rich.console import Console

    class Quiet(Console):
        def on_broken_pipe(self) -> None:
            _mute(self.file)

    return Quiet(stderr=stderr)


def _warn(case: Case | MachineCase) -> list[str]:
    """Say what is known before anything is computed; returns it."""
    from alegear.case.machine import MachineCase

    if isinstance(case, MachineCase):
        return []  # of its meshes the run tells
    from alegear.checks.gear_data import case_warnings

    warnings = case_warnings(case)
    for warning in warnings:
        _say(f"warning: {warning}")
    return warnings


def _result_folder(case: Path) -> Path:
    """Where the results of a case file go unless another folder is named."""
    return Path(f"{case.stem}_results")


def _relative(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _print_gear_data(title: str, data: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    console = _console()
    gears = Table(title=escape(one_line(title)), title_justify="left")
    gears.add_column("", overflow="fold")
    gears.add_column("pinion", justify="right")
    gears.add_column("wheel", justify="right")
    for key in data["pinion"]:
        gears.add_row(_label(key), *(f"{data[gear][key]:.6g}" for gear in ("pinion", "wheel")))
    console.print(gears)
    pair = Table()
    pair.add_column("pair", overflow="fold")
    pair.add_column("", justify="right")
    for key, value in data["pair"].items():
        pair.add_row(_label(key), f"{value:.6g}")
    console.print(pair)
    console.print("The bores are held to rigid shafts; what is between bore and root circle (rim_modules) is elastic.")


def _print_machine_data(title: str, data: dict[str, Any]) -> None:
    """Tables of what a machine has, parts side by side."""
    console = _console()
    if "degrees_of_freedom_in_space" in data:
        _print_spatial_data(console, title, data)
        return
    if "degrees_of_freedom" in data:
        _print_rotational_data(console, title, data)
        title = ""
    parts = {key: value for key, value in data.items() if key not in (*_OF_ROTATIONAL, "warnings") and value}
    for number, (kind, named) in enumerate(parts.items()):
        for table in _part_tables(kind, named, title if not number else None):
            console.print(table)


#: Keys of a machine whose parts only turn.
_OF_ROTATIONAL = ("bodies", "parts", "degrees_of_freedom")


def _print_rotational_data(console: Any, title: str, data: dict[str, Any]) -> None:
    """Bodies and parts that only turn, a row each, and how many of their speeds are free."""
    bodies = _table(
        title, {"body": "left", "inertia kg m2": "right", "start rpm": "right", "turns with": "left", "ratio": "right"}
    )
    for name, one in data["bodies"].items():
        bodies.add_row(
            _plain(name), _cell(one["inertia_kg_m2"]), _cell(one["speed_rpm"]), _plain(one["turns_with"] or ""),
            "" if one["ratio"] is None else _cell(one["ratio"]),
        )  # fmt: skip
    parts = _table("", {"part": "left", "kind": "left", "places": "left", "": "left"})
    from alegear.system.builder import GROUND

    for name, one in data["parts"].items():
        default = {("to", GROUND), ("housing", GROUND)}
        places = ", ".join(" ".join(place) for place in one["places"].items() if place not in default)
        given = {key: value for key, value in one.items() if value and key not in ("kind", "places")}
        numbers = ", ".join(f"{_label(key)} {_cell(value)}" for key, value in given.items())
        parts.add_row(_plain(name), one["kind"].replace("_", " "), _plain(places), _plain(numbers))
    console.print(bodies)
    console.print(parts)
    free = data["degrees_of_freedom"]
    line = f"degrees of freedom: {free['open']} with clutches, brakes and freewheels open, {free['closed']} with all"
    console.print(f"{line} of them closed", highlight=False, soft_wrap=True)


def _print_spatial_data(console: Any, title: str, data: dict[str, Any]) -> None:
    """Bodies in space, gears and what joins them, a row each, and how many degrees of freedom are left."""
    tables = [_table(title, {"body": "left", "mass kg": "right", "position mm": "right"})]
    for name, one in data["bodies_in_space"].items():
        tables[0].add_row(_plain(name), _cell(one["mass_kg"]), _cell(one["position_mm"]))
    if data["gears_in_space"]:
        gears = _table("", {"gear": "left", "body": "left", "teeth": "right", "pitch diameter mm": "right"})
        for name, one in data["gears_in_space"].items():
            gears.add_row(_plain(name), _plain(one["body"]), _cell(one["teeth"]), _cell(one["pitch_diameter_mm"]))
        tables.append(gears)
    parts = _table("", {"part": "left", "kind": "left", "between": "left"})
    for name, one in data["parts_in_space"].items():
        parts.add_row(_plain(name), one["kind"].replace("_", " "), _plain(", ".join(one["between"])))
    for table in [*tables, parts]:
        console.print(table)
    free = data["degrees_of_freedom_in_space"]
    line = f"degrees of freedom: {free['left']}, of {free['coordinates']} coordinates and {free['equations']} equations"
    console.print(line, highlight=False, soft_wrap=True)


def _table(title: str, columns: dict[str, Any]) -> Any:
    """A table with columns of names that fold where the window is narrow."""
    from rich.table import Table

    table = Table(title=_plain(title) if title else None, title_justify="left")
    for column, justify in columns.items():
        table.add_column(column, justify=justify, overflow="fold")
    return table


#: Parts side by side in a table: more would be unreadable in a window of usual width.
_SIDE_BY_SIDE = 4


def _part_tables(kind: str, named: dict[str, dict[str, Any]], title: str | None) -> Iterator[Any]:
    """Tables of parts of a kind: a column a part, a row a quantity."""
    from rich.table import Table

    names = list(named)
    for first in range(0, len(names), _SIDE_BY_SIDE):
        some = names[first : first + _SIDE_BY_SIDE]
        table = Table(title=_plain(title) if title and not first else None, title_justify="left")
        table.add_column(kind, overflow="fold")
        for name in some:
            table.add_column(_plain(name), justify="right", overflow="fold")
        for key in dict.fromkeys(key for name in some for key in named[name]):
            table.add_row(_label(key), *(_plain(_cell(named[name].get(key))) for name in some))
        yield table


def _plain(text: str) -> str:
    """A text as it is, whatever looks like markup in it."""
    from rich.markup import escape

    return str(escape(one_line(text)))


def _cell(value: Any) -> str:
    """A value of a part in words."""
    if isinstance(value, list):
        return ", ".join(_cell(one) for one in value)
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:.6g}"


#: Units at the end of printed keys, an ending of another one behind it.
_UNITS = (
    "Nms2_per_rad2", "Nms_per_rad", "Nm_per_rad", "N_per_mm3", "N_per_um", "N_per_m", "kg_m2", "pitches", "rpm", "urad",
    "MPa", "deg", "mm", "um", "kg", "Hz", "MB", "Nm", "N", "W", "m", "s",
)  # fmt: skip


def _label(key: str) -> str:
    """Return a key with its unit in words: ``d_b_mm`` -> ``d_b mm``."""
    for unit in _UNITS:
        if key.endswith(f"_{unit}"):
            return f"{key[: -len(unit) - 1]} {unit.replace('_per_', '/').replace('_m2', ' m2')}"
    return key


def _print_summary(summary: dict[str, Any], place: Path) -> None:
    from rich.table import Table

    table = Table(show_header=False)
    table.add_column(overflow="fold")  # in a narrow window the names must stay apart
    table.add_column(justify="right", no_wrap=True)
    for key, value in summary.items():
        if isinstance(value, float):
            table.add_row(_label(key), f"{value:.5g}")
    for gear, sides in summary.get("root_stress_max_MPa", {}).items():
        for side, value in sides.items():
            if value is not None:
                table.add_row(f"root_stress_max {gear} {side} MPa", f"{value:.5g}")
    for way in ("there", "back"):
        for key, value in summary.get(way, {}).items():
            if isinstance(value, float):
                table.add_row(f"{way}: {_label(key)}", f"{value:.5g}")
    console = _console()
    console.print(table)
    if summary.get("analysis") == "modal":
        if summary.get("machine"):
            console.print(_machine_mode_table("standing still, undamped", summary["modes"]))
            console.print(_machine_mode_table("turning, damped", summary["turning_modes"]))
        else:
            console.print(_mode_table(summary))
    _print_place(console, summary, place)


def _print_place(console: Any, summary: dict[str, Any], place: Path) -> None:
    total = summary["seconds"]["total"]
    line = one_line(f"written to {_relative(place)} in {total:.1f} s")
    console.print(line, highlight=False, soft_wrap=True, markup=False)


def _machine_mode_table(title: str, modes: Sequence[dict[str, Any]]) -> Any:
    """Natural frequencies of a machine, with the parts that take most of their energy."""
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for title in ("", "Hz", "damping ratio"):
        table.add_column(title, justify="right")
    kinds = [" ".join(mode.get("kind", {}).values()) for mode in modes]
    if any(kinds):
        table.add_column("kind of planetary sets")
    table.add_column("energy of deformation in", overflow="fold")
    for number, mode in enumerate(modes, start=1):
        shares = sorted(mode["energy_share"].items(), key=lambda share: -share[1])[:3]
        where = ", ".join(f"{name} {100.0 * share:.0f} %" for name, share in shares)
        table.add_row(
            str(number),
            f"{mode['frequency_Hz']:.1f}",
            f"{mode['damping_ratio']:.4f}" if "damping_ratio" in mode else "",
            *([kinds[number - 1]] if any(kinds) else []),
            where,
        )
    return table


#: What is told of each mesh of a machine after a run; what a kind of analysis does not have is left out.
_OF_MESH = (
    "te_mean_um",
    "te_peak_to_peak_um",
    "mesh_stiffness_mean_N_per_um",
    "contact_ratio_loaded",
    "dynamic_factor",
    "face_load_factor",
    "contact_pressure_max_MPa",
)


def _print_machine_summary(summary: dict[str, Any], place: Path, case: Any) -> None:
    """Short tables of meshes, shafts and bearings of a machine."""
    from rich.table import Table

    console = _console()
    gears = {one.name: one.gears for one in case.meshes}
    meshes = {name: _mesh_numbers(one, gears[name]) for name, one in summary.get("meshes", {}).items()}
    shafts = {name: _numbers(one) for name, one in summary.get("shafts", {}).items()}
    bearings = {name: _numbers(one) for name, one in summary.get("bearings", {}).items()}
    for kind, parts in (("meshes", meshes), ("shafts", shafts)):
        if parts:
            for table in _part_tables(kind, parts, None):
                console.print(table)
    if bearings:
        table = Table()
        keys = list(next(iter(bearings.values())))
        table.add_column("bearings", overflow="fold")
        for key in keys:
            table.add_column(_label(key), justify="right")
        for name, one in bearings.items():
            table.add_row(_plain(name), *(_cell(one.get(key)) for key in keys))
        console.print(table)
    _print_place(console, summary, place)


#: Rows of a table of events, of losses.
_MOST_EVENTS, _MOST_LOSSES = 20, 10


def _print_rotational_summary(result: Result, place: Path) -> None:
    """Short tables of events, bodies, losses and the account of energy of a machine whose parts only turn."""
    from alegear.results.rotational_result import MODES, events
    from alegear.results.store import EVENTS_FILE

    summary, console = result.summary, _console()
    found = events(result.dataset)
    if found:
        table = _table("events", {"time s": "right", "switch": "left", "before": "left", "after": "left"})
        for event in found[:_MOST_EVENTS]:
            table.add_row(f"{event.time:.9g}", _plain(event.switch), MODES[event.before], MODES[event.after])
        if len(found) > _MOST_EVENTS:
            table.add_row("...", f"{len(found) - _MOST_EVENTS} more in {EVENTS_FILE}")
        console.print(table)
    table = _table("bodies", {"": "left", "largest rpm": "right", "at the end rpm": "right"})
    for name, one in summary["bodies"].items():
        rpm = [_cell(one[key] / RPM) for key in ("speed_max_rad_per_s", "speed_end_rad_per_s")]
        table.add_row(_plain(name), *rpm)
    console.print(table)
    lost = {name: one["energy_lost_J"] for name, one in summary["parts"].items() if one["energy_lost_J"]}
    order = sorted(lost, key=lambda name: -abs(lost[name]))
    energy = summary["energy"]
    if lost:
        table = _table("energy lost", {"": "left", "J": "right", "%": "right"})
        rows = [(name, lost[name]) for name in order[:_MOST_LOSSES]]
        rest = [lost[name] for name in order[_MOST_LOSSES:]]
        rows += [(f"{len(rest)} others", sum(rest))] if rest else []
        for name, value in rows:
            share = 100.0 * value / energy["dissipated_J"] if energy["dissipated_J"] else 0.0
            table.add_row(_plain(name), f"{value:.5g}", f"{share:.3g}")
        console.print(table)
    words = {"input": "put in", "dissipated": "lost", "kinetic": "kinetic", "elastic": "stored in parts"}
    account = ", ".join(f"{word} {energy[f'{key}_J']:.6g} J" for key, word in words.items())
    counts = ", ".join(f"{count} {name}" for name, count in summary["counts"].items())
    for line in (f"energy: {account}; missing {energy['missing_J']:.2g} J", f"{summary['events']} events, {counts}"):
        console.print(line, highlight=False, soft_wrap=True)
    _print_place(console, summary, place)


def _print_spatial_summary(summary: dict[str, Any], place: Path) -> None:
    """Short tables of what a machine with bodies in space came to."""
    console = _console()
    for kind in ("meshes", "joints", "bushings", "point_springs"):
        named = summary[kind]
        if not named:
            continue
        keys = [key for key, value in next(iter(named.values())).items() if isinstance(value, float)]
        table = _table("", {kind.replace("_", " "): "left"} | {_label(key): "right" for key in keys})
        for name, one in named.items():
            table.add_row(_plain(name), *(_cell(one[key]) for key in keys))
        console.print(table)
    if "energy" in summary:
        energy = summary["energy"]
        words = {"input": "put in", "dissipated": "lost", "kinetic": "kinetic", "stored": "stored"}
        account = ", ".join(f"{word} {energy[f'{key}_J']:.6g} J" for key, word in words.items())
        console.print(f"energy: {account}; missing {energy['missing_J']:.2g} J", highlight=False, soft_wrap=True)
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in summary["counts"].items())
    console.print(counts, highlight=False, soft_wrap=True)
    _print_place(console, summary, place)


def _mesh_numbers(summary: dict[str, Any], gears: Sequence[str]) -> dict[str, Any]:
    """What is told of a mesh: the largest root stress of each gear by its place in the mesh, named above it."""
    numbers: dict[str, Any] = {"gears": list(gears)}
    numbers |= {key: summary[key] for key in _OF_MESH if key in summary}
    stress = summary.get("root_stress_max_MPa", {})
    largest = [max((one for one in sides.values() if one is not None), default=None) for sides in stress.values()]
    return numbers | ({"root_stress_max_MPa": largest} if largest else {})


def _numbers(summary: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in summary.items() if value is None or isinstance(value, float)}


def _mode_table(summary: dict[str, Any]) -> Any:
    """Natural frequencies with nodal diameters, one line a mode."""
    from rich.table import Table

    table = Table(title="natural frequencies in Hz (nodal diameter)", title_justify="left")
    columns = [("pair", summary["pair_frequency_Hz"], None)]
    for gear in ("pinion", "wheel"):
        for name, words in (("held", "bore held"), ("free", "free")):
            frequency, diameter = summary[f"{name}_frequency_Hz"], summary[f"{name}_nodal_diameter"]
            columns.append((f"{gear}, {words}", frequency[gear], diameter[gear]))
    table.add_column("")
    for title, _, _ in columns:
        table.add_column(title, justify="right")
    for mode in range(max(len(frequencies) for _, frequencies, _ in columns)):
        cells = []
        for _, frequencies, diameters in columns:
            there = mode < len(frequencies)
            n = f" ({diameters[mode]})" if there and diameters is not None else ""
            cells.append(f"{frequencies[mode]:.1f}{n}" if there else "")
        table.add_row(str(mode + 1), *cells)
    return table


SILENCE = 10.0  # seconds after which a stage that takes longer tells how far it is


class _LineProgress:
    """One line a stage, with the seconds it took; a long one says on it now and then how far it is."""

    def __init__(self) -> None:
        self._started: float | None = None
        self._said = 0.0
        self._where = ""

    def __enter__(self) -> _LineProgress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stage(self, name: str) -> None:
        self.close()
        self._started = self._said = time.perf_counter()
        self._where = ""
        _print(f"{name} ...", sys.stderr, end=" ")

    def tell(self, where: str) -> None:
        """Take what the stage has come to."""
        self._where = where

    def advance(self, done: int, total: int) -> None:
        """Tell what the stage has come to, parts done and time left, after a silence."""
        now = time.perf_counter()
        if self._started is None or now - self._said < SILENCE or not 0 < done < total:
            return
        self._said = now
        left = (now - self._started) * (total - done) / done
        where = f"{self._where}, " if self._where else ""
        _print(f"{done} of {total}, {where}about {_duration(left)} left ...", sys.stderr, end=" ")

    def close(self) -> None:
        if self._started is not None:
            _say(f"{time.perf_counter() - self._started:.1f} s")
            self._started = None


def _duration(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 6000.0 else f"{seconds / 3600.0:.1f} h"


class _BarProgress:
    """A bar a stage on a terminal."""

    def __init__(self) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.text import Text

        class Counted(MofNCompleteColumn):
            """Parts done of all; nothing for a stage without parts."""

            def render(self, task: Any) -> Text:
                return Text() if task.total is None else super().render(task)

        self._bars = Progress(
            TextColumn("{task.description:<8}"),
            BarColumn(),
            Counted(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[where]}"),
            console=_console(stderr=True),
        )
        self._task: Any = None

    def __enter__(self) -> _BarProgress:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stage(self, name: str) -> None:
        self._finish()
        self._task = self._bars.add_task(name, total=None, where="")

    def tell(self, where: str) -> None:
        """Show what the stage has come to."""
        if self._task is not None:
            self._bars.update(self._task, where=where)

    def advance(self, done: int, total: int) -> None:
        if self._task is not None:
            self._bars.update(self._task, completed=done, total=total)

    def close(self) -> None:
        self._finish()
        self._bars.stop()

    def _finish(self) -> None:
        if self._task is None:
            return
        task = self._bars.tasks[self._task]
        if task.total is None:
            # a stage without parts is one part
            self._bars.update(self._task, completed=1, total=1)
        self._bars.stop_task(self._task)
        self._task = None


def _progress() -> _LineProgress | _BarProgress:
    return _BarProgress() if sys.stderr.isatty() else _LineProgress()


# ---------------------------------------------------------------------------------------------------------- arguments


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_INPUT, f"{self.prog}: {message}; try {self.prog} --help\n")


def _folder(text: str) -> Path:
    """Take the name of an output folder; nothing at all would be the folder one is in."""
    if not text.strip():
        raise argparse.ArgumentTypeError("must be the name of a folder, not empty (. is this folder)")
    return Path(text)


def _number_from_0(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} must be a whole number from 0")
    return number


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="alegear", description="Flexible gears in contact, in three dimensions.")
    parser.add_argument("--version", action="version", version=f"alegear {__version__}")
    parser.set_defaults(traceback=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    run = commands.add_parser("run", help="mesh, reduce, solve, write results, plots and fields")
    run.add_argument("case", type=Path, metavar="CASE.toml")
    run.add_argument("--out", type=_folder, metavar="DIR", help="result folder (default: <case>_results, here)")
    run.add_argument("--resume", action="store_true", help="go on from the checkpoint of a dynamic run that was killed")
    run.set_defaults(command=_run)

    check = commands.add_parser("check", help="read and validate only, print the derived gear data")
    check.add_argument("case", type=Path, metavar="CASE.toml")
    check.add_argument("--out", type=_folder, metavar="DIR", help="result folder of the run, for the room on its disk")
    check.add_argument("--json", action="store_true", help="print them as JSON")
    check.add_argument("--picture", type=Path, metavar="F.png", help="draw the layout, of parts that only turn a graph")
    check.set_defaults(command=_check)

    mesh = commands.add_parser("mesh", help="write the grids of one tooth sector of each gear (.msh and .vtu)")
    mesh.add_argument("case", type=Path, metavar="CASE.toml")
    mesh.add_argument("--out", type=_folder, metavar="DIR", help="folder of the grids (default: <case>_mesh, here)")
    mesh.set_defaults(command=_mesh)

    show = commands.add_parser("show", help="show the stress on the deformed pair, of a machine the whole gearbox")
    show.add_argument("directory", type=Path, metavar="DIR", help="result folder")
    show.add_argument("--screenshot", type=Path, metavar="F.png", help="write a picture instead of opening a window")
    show.add_argument(
        "--position", type=_number_from_0, metavar="N", help="number of the field from 0 (default: the largest stress)"
    )
    show.set_defaults(command=_show)

    info = commands.add_parser("info", help="print versions, threads and the cache")
    info.set_defaults(command=_info)

    for command in (run, check, mesh, show, info):
        command.add_argument("--traceback", action="store_true", help="show where in the program an error arose")
    return parser
