"""``alegear vary``: compute a case over the axes of a study file, draw and print what the file asks for."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alegear.cli.arguments import Commands, folder_name, result_folder
from alegear.cli.printing import new_console, print_line, relative, say
from alegear.cli.progress import progress_on_terminal
from alegear.cli.tables import cell, new_table, plain
from alegear.errors import one_line
from alegear.storage.whole_file import StorageFailure

if TYPE_CHECKING:
    from alegear.results.designs import ParetoFront
    from alegear.results.requested_outputs import RequestedOutputs
    from alegear.results.study_result import StudyResult

MOST_ROWS = 12  # of a front that are printed


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to those of the program."""
    parser = commands.add_parser("vary", help="compute a case over axes of its keys: optimum, Pareto front, Harris map")
    parser.add_argument("study", type=Path, metavar="STUDY.toml")
    out_help = "result folder (default: <study>_results, here); what an earlier call left there goes on"
    parser.add_argument("--out", type=folder_name, metavar="DIR", help=out_help)
    parser.set_defaults(command=_vary)
    return parser


def _vary(args: argparse.Namespace) -> None:
    """Compute the study, then what its file asks for."""
    from alegear.checks.environment import check_environment

    check_environment()
    from alegear.case.study_file import read_study  # the compiler is part of it

    file = read_study(args.study)
    out = args.out or result_folder(args.study)
    from alegear.results.requested_outputs import requested_outputs_of
    from alegear.studies.study import check_requested_outputs, study

    check_requested_outputs(file)
    found: list[RequestedOutputs] = []
    undrawn: list[Exception] = []

    def report(result: StudyResult, folder: Path) -> dict[str, Any]:
        """Draw what the file asks for; where that fails, the numbers of the study are kept all the same."""
        from alegear.pictures.files import write_pictures

        try:
            found.append(requested_outputs_of(result, file.requested))
            write_pictures(result.with_summary(result.summary | {"requested": file.requested}), folder)
        except StorageFailure:
            raise
        except Exception as error:
            undrawn.append(error)
        return {"requested": file.requested} | ({"evaluated": found[0].numbers()} if found else {})

    with progress_on_terminal() as progress:
        try:
            result = study(
                file.case,
                file.axes,
                tolerances=file.tolerances,
                root_stress=file.table.root_stress,
                workers=file.table.workers,
                out=out,
                progress=progress,
                report=report,
            )
        except KeyboardInterrupt:
            progress.close()
            say("the same command goes on from the points that are computed")
            raise
    if found:
        _print(result, found[0])
    if undrawn:
        raise undrawn[0]


def _print(result: StudyResult, found: RequestedOutputs) -> None:
    """Print sizes, failures, the optimum and the fronts, and where all of it is."""
    from alegear.storage.store import CHECKPOINT

    assert result.directory is not None
    summary, console = result.summary, new_console()
    sizes = " x ".join(f"{size} {plain(axis)}" for axis, size in result.sizes.items())
    failed, warned = summary["failed"], summary["warned"]
    console.print(f"{plain(summary['title'])}: {summary['points']} points ({sizes})", highlight=False, soft_wrap=True)
    if found.optimum is not None:
        for line in str(found.optimum).splitlines():
            print_line(one_line(line))
    for front in found.fronts:
        console.print(_front_table(front))
    if found.harris_map is not None:
        harris = found.harris_map
        best = ", ".join(f"{key} = {cell(value)}" for key, value in harris.designs[harris.best].items())
        print_line(
            one_line(f"Harris map of {len(harris.designs)} designs, {harris.best_words} over the torques: {best}")
        )
    if summary["computed_before"]:
        number, kept = summary["computed_before"], relative(result.directory / CHECKPOINT)
        say(one_line(f"{number} of them were computed before; to compute them again, delete {kept}"))
    if failed:
        failures = result.dataset["failure"].to_numpy().ravel()
        first = next(one for one in failures if one)
        say(f"warning: {failed} of {summary['points']} points could not be computed; the first: {first}")
    if warned:
        texts = result.dataset["warnings"].to_numpy().ravel()
        first = next(one for one in texts if one)
        say(f"warning: {warned} points are to be read with caution (warnings in {result.FILE}); the first: {first}")
    for warning in summary["warnings"]:
        say(f"warning: {warning}")
    print_line(one_line(f"written to {relative(result.directory)}"))


def _front_table(front: ParetoFront) -> Any:
    """Designs of a front, a row each."""
    rows = front.table()
    over = f", {front.by} over {', '.join(front.over)}" if front.over else ""
    title = f"{len(rows)} of {len(front.designs)} designs that no other one beats{over}"
    shown = {one.label for one in (*front.quantities, *front.beside)}
    left = [key for key in rows.columns if rows[key].nunique() > 1 or key in shown]
    heads = [str(key).removeprefix("operation.").replace(".flank.", " ").replace("_", " ") for key in left]
    shown_rows = [
        [f"{one:.4g}" if isinstance(one, float) else str(one) for one in values]
        for values in rows[left].head(MOST_ROWS).to_numpy().tolist()
    ]
    if len(rows) > MOST_ROWS:
        shown_rows.append([f"{len(rows) - MOST_ROWS} more", *("" for _ in left[1:])])
    return new_table(title, dict.fromkeys(heads, "right"), shown_rows)  # spaces: a narrow column breaks its head there
