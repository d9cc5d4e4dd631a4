"""``alegear check``: read and validate a case or a study, print the derived data, draw the layout of a case."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alegear.cli.arguments import Commands, add_overwrite, folder_name, result_folder
from alegear.cli.printing import print_line, say
from alegear.cli.tables import print_gear_data, print_machine_data
from alegear.errors import Fault, one_line
from alegear.storage.whole_file import refuse_existing

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.machine import MachineCase
    from alegear.mesh.sector import SectorMesh


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to those of the program."""
    parser = commands.add_parser("check", help="read and validate only, print the derived gear data")
    parser.add_argument("case", type=Path, metavar="CASE.toml", help="a case, or the file of a study")
    out_help = "result folder of the run, for the room on its disk"
    parser.add_argument("--out", type=folder_name, metavar="DIR", help=out_help)
    parser.add_argument("--json", action="store_true", help="print them as JSON")
    picture_help = "draw the layout, of torsional parts a graph"
    parser.add_argument("--picture", type=Path, metavar="F.png", help=picture_help)
    add_overwrite(parser, "--picture")
    parser.set_defaults(command=_check, is_answer=True)
    return parser


def _check(args: argparse.Namespace) -> None:
    """Read and validate a case, print the derived data, draw its layout."""
    from alegear.case.case import Case
    from alegear.case.from_file import case_from_file
    from alegear.case.tables import is_study, read_tables
    from alegear.checks.environment import check_environment

    check_environment()
    if args.picture is not None:
        refuse_existing(args.picture, "--picture", overwrite=args.overwrite)
    if is_study(read_tables(args.case)):
        _check_study(args)
        return
    case = case_from_file(args.case)
    out = args.out or result_folder(args.case)
    data = _checked(case, out)
    if args.picture is not None:
        from alegear.case.pair_machine import machine_of

        # drive and load of a pair are drawn at its gears: torsional shafts between have no length
        machine = machine_of(replace(case, shafts=(None, None))) if isinstance(case, Case) else case
        _draw(machine, args.picture)
    if args.json:
        print_line(json.dumps(data, indent=2, allow_nan=False))
        return
    if isinstance(case, Case):
        print_gear_data(case.title, data)
    else:
        print_machine_data(case.title, data)
    for warning in data["warnings"]:
        say(f"warning: {warning}")


def _draw(case: MachineCase, picture: Path) -> None:
    """Draw bodies in space as they start, what only turns as a graph, and all others as a layout."""
    from alegear.pictures.graph import write_graph
    from alegear.pictures.layout import has_places, write_layout
    from alegear.results.machine_shape import machine_shape

    if case.in_space:
        from alegear.scene.mechanism import picture_at_start

        picture_at_start(case, picture)
    elif case.is_torsional or not has_places(machine_shape(case.layout, {})):
        write_graph(case, picture)
    else:
        write_layout(case, picture)


def _check_study(args: argparse.Namespace) -> None:
    """Read a study file, make the cases of its points, check the first of them, and tell what it computes."""
    if args.picture is not None:
        raise Fault("--picture", args.picture, "left out with a study, which has no layout", "check its case")
    from alegear.case.study_file import read_study
    from alegear.studies.study import check_requested_outputs, plan  # the compiler is part of it

    file = read_study(args.case)
    check_requested_outputs(file)
    planned = plan(file.case, file.axes, tolerances=file.tolerances)
    data = _checked(planned.first, args.out or result_folder(args.case))
    summary: dict[str, Any] = {
        "title": planned.title,
        "axes": planned.sizes,
        "points": planned.points,
        "cases": planned.cases,
        "reductions": planned.grids,
        "refused": planned.refused,
        "first_refused": planned.first_refused,
        "j_wt_mm": {name: [1e3 * one for one in ends] for name, ends in planned.backlash.items()},
        "warnings": data["warnings"],
    }
    if args.json:
        print_line(json.dumps(summary, indent=2, allow_nan=False))
        return
    sizes = " x ".join(f"{size} {name}" for name, size in planned.sizes.items())
    print_line(one_line(f"{planned.title}: {planned.points} points ({sizes})"))
    print_line(
        f"{planned.cases} different cases on {planned.grids} {'reductions' if planned.grids > 1 else 'reduction'}"
    )
    for name, (least, largest) in planned.backlash.items():
        of = f" of mesh {name}" if name else ""
        print_line(one_line(f"backlash j_wt{of}: {1e3 * least:.4g} to {1e3 * largest:.4g} mm"))
    if planned.refused:
        say(f"warning: {planned.refused} of {planned.points} points are no case; the first: {planned.first_refused}")
    for warning in data["warnings"]:
        say(f"warning: first point: {warning}")


def _checked(case: Case | MachineCase, out: Path) -> dict[str, Any]:
    """Check a case of two gears or the meshes of a machine one by one, and return its data."""
    from alegear.case.case import Case
    from alegear.checks.before_run import check_before_meshing
    from alegear.checks.case_data import case_data

    if isinstance(case, Case):
        sectors, fits = check_before_meshing(case, out)
        _check_memory(case, sectors, fits=fits)
        return case_data(case, sectors)
    from alegear.checks.machine_data import check_meshes  # not for pairs, which do without the parts of machines

    for pair, sectors, fits in check_meshes(case, out):
        _check_memory(pair, sectors, fits=fits)
    return case_data(case)


def _check_memory(pair: Case, sectors: tuple[SectorMesh | None, SectorMesh | None], *, fits: bool) -> None:
    """Refuse a reduction that does not fit into the memory, unless it surely does."""
    if not fits:
        from alegear.studies.preparation import check_plan  # the compiler is part of it

        check_plan(pair, sectors)
