"""``alegear check``: read and validate a case, print the derived data, draw its layout."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alegear.cli.arguments import folder_name, result_folder
from alegear.cli.data_tables import print_gear_data, print_machine_data
from alegear.cli.printing import print_line, say

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.machine import MachineCase
    from alegear.cli.arguments import Commands


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to those of the program."""
    parser = commands.add_parser("check", help="read and validate only, print the derived gear data")
    parser.add_argument("case", type=Path, metavar="CASE.toml")
    out_help = "result folder of the run, for the room on its disk"
    parser.add_argument("--out", type=folder_name, metavar="DIR", help=out_help)
    parser.add_argument("--json", action="store_true", help="print them as JSON")
    picture_help = "draw the layout, of parts that only turn a graph"
    parser.add_argument("--picture", type=Path, metavar="F.png", help=picture_help)
    parser.set_defaults(command=_check)
    return parser


def _check(args: argparse.Namespace) -> None:
    """Read and validate a case, print the derived data, draw its layout."""
    from alegear.case.case import Case
    from alegear.case.from_file import case_from_file

    case = case_from_file(args.case)
    out = args.out or result_folder(args.case)
    data = _checked_pair(case, out) if isinstance(case, Case) else _checked_machine(case, out)
    if args.picture is not None:
        from alegear.view.machine.graph import write_graph
        from alegear.view.machine.layout import has_gears, write_layout

        if not isinstance(case, Case) and case.in_space:
            from alegear.view.mechanism import picture_at_start

            picture_at_start(case, args.picture)
        elif not isinstance(case, Case) and (case.only_turns or not has_gears(case.layout)):
            write_graph(case, args.picture)
        else:
            write_layout(case, args.picture)
    if args.json:
        print_line(json.dumps(data, indent=2, allow_nan=False))
        return
    if isinstance(case, Case):
        print_gear_data(case.title, data)
    else:
        print_machine_data(case.title, data)
    for warning in data["warnings"]:
        say(f"warning: {warning}")


def _checked_pair(case: Case, out: Path) -> dict[str, Any]:
    """Check a case of two gears, and return its data."""
    from alegear.checks.before_run import check_before_meshing
    from alegear.checks.gear_data import gear_data

    sectors, fits = check_before_meshing(case, out)
    if not fits:
        from alegear.studies.preparation import check_plan  # the compiler is part of it

        check_plan(case, sectors)
    return gear_data(case, sectors)


def _checked_machine(case: MachineCase, out: Path) -> dict[str, Any]:
    """Check the meshes of a machine one by one, and return its data."""
    from alegear.checks.machine_data import check_meshes, machine_data

    if case.in_space:
        from alegear.checks.spatial_data import spatial_data

        return spatial_data(case)
    for pair, sectors, fits in check_meshes(case, out):
        if not fits:
            from alegear.studies.preparation import check_plan  # the compiler is part of it

            check_plan(pair, sectors)
    if not case.only_turns:
        return machine_data(case)
    from alegear.checks.rotational_data import rotational_data

    return {**rotational_data(case), **machine_data(case)}
