"""``alegear show``: show the stress on the deformed pair, or on the loaded teeth of a machine."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from alegear.cli.arguments import number_from_0
from alegear.errors import Fault

if TYPE_CHECKING:
    from alegear.cli.arguments import Commands


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to those of the program."""
    parser = commands.add_parser("show", help="show the stress on the deformed pair, of a machine the whole gearbox")
    parser.add_argument("directory", type=Path, metavar="DIR", help="result folder")
    parser.add_argument("--screenshot", type=Path, metavar="F.png", help="write a picture instead of opening a window")
    position_help = "number of the field from 0 (default: the largest stress)"
    parser.add_argument("--position", type=number_from_0, metavar="N", help=position_help)
    parser.set_defaults(command=_show)
    return parser


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
