"""``alegear run``: compute a case and store its result as a whole."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from alegear.cli.arguments import Commands, folder_name, result_folder
from alegear.cli.imports import importing, keep_imports
from alegear.cli.printing import relative, say
from alegear.cli.progress import progress_on_terminal
from alegear.errors import AnalysisFailure

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.machine import MachineCase
    from alegear.results.result import Result
    from alegear.storage.store import ResultFolder


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to those of the program."""
    parser = commands.add_parser("run", help="mesh, reduce, solve, write results, plots and fields")
    parser.add_argument("case", type=Path, metavar="CASE.toml")
    parser.add_argument("--out", type=folder_name, metavar="DIR", help="result folder (default: <case>_results, here)")
    resume_help = "go on from the checkpoint of a dynamic run that was killed"
    parser.add_argument("--resume", action="store_true", help=resume_help)
    parser.set_defaults(command=_run)
    return parser


def _run(args: argparse.Namespace) -> None:
    """Compute a case and store its result as a whole."""
    begun = time.perf_counter()
    with importing():
        from alegear.case.from_file import case_from_file
        from alegear.checks.environment import check_environment
        from alegear.storage.checkpoint_folder import CheckpointFolder
        from alegear.storage.store import CHECKPOINT, SUMMARY, ResultFolder, write_summary
    undrawn: list[AnalysisFailure] = []

    check_environment()
    case = case_from_file(args.case)
    said = _warn(case)
    out = args.out or result_folder(args.case)
    checkpoint = out / CHECKPOINT
    with ResultFolder(out) as folder, _drawing(case, undrawn) as report, progress_on_terminal() as progress:
        with importing():
            # the heavy imports come now, so that a folder that cannot be written is found at once
            from alegear.studies.run import run
        keep_imports()
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
                say("the same command with --resume goes on from the last checkpoint")
            raise
        progress.close()
        place = folder.commit(complete=result.complete)
        result = result.with_summary(summary).moved(place)
        CheckpointFolder(checkpoint).remove()
    from alegear.cli.summary_tables import print_summary

    print_summary(result, place, case)
    for warning in summary.get("warnings", []):
        if warning not in said:
            say(f"warning: {warning}")
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
    with importing():
        from alegear.pictures.files import PlotFailure
        from alegear.pictures.process import DrawingProcess

    with DrawingProcess() as process:

        def draw(result: Result, folder: Path) -> None:
            try:
                process.write(result, folder)
            except PlotFailure as error:
                # the numbers are whole without the picture
                undrawn.append(error)

        yield draw


def _keep_incomplete(folder: ResultFolder, error: BaseException) -> None:
    """Keep what was computed before an error, marked incomplete; never in the place of a complete result."""
    from alegear.storage.store import mark_incomplete
    from alegear.storage.whole_file import StorageFailure

    if isinstance(error, StorageFailure):
        return
    mark_incomplete(folder.path)
    place = folder.commit(complete=False)
    say(f"what was computed so far is kept in {relative(place)}, marked incomplete")


def _warn(case: Case | MachineCase) -> list[str]:
    """Say what is known before anything is computed; returns it."""
    from alegear.case.machine import MachineCase

    if isinstance(case, MachineCase):
        return []  # of its meshes the run tells
    from alegear.checks.gear_data import case_warnings

    warnings = case_warnings(case)
    for warning in warnings:
        say(f"warning: {warning}")
    return warnings
