"""``alegear convert-flank``: a flank out of the file of a measuring machine, as a case reads it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from alegear.cli.printing import say

if TYPE_CHECKING:
    from alegear.cli.arguments import Commands


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to those of the program."""
    parser = commands.add_parser("convert-flank", help="make a measured flank (CSV) of a measuring machine's .mka")
    parser.add_argument("file", type=Path, metavar="FILE.mka")
    parser.add_argument("case", type=Path, metavar="CASE.toml", help="case of two gears with the gear in it")
    parser.add_argument("--gear", choices=("pinion", "wheel"), required=True, help="which of both was measured")
    parser.add_argument("--tooth", type=int, required=True, metavar="N", help="number of the tooth in the file")
    parser.add_argument("--flank", choices=("left", "right"), required=True, help="links or rechts in the file")
    parser.add_argument("--out", type=Path, required=True, metavar="F.csv")
    parser.set_defaults(command=_convert_flank)
    return parser


def _convert_flank(args: argparse.Namespace) -> None:
    from alegear.case.case import Case
    from alegear.geometry.measured_flank import topography_text
    from alegear.geometry.mka_file import MkaFile
    from alegear.results.store import write_whole

    gear = getattr(Case.from_toml(args.case).pair, args.gear)
    points = MkaFile.read(args.file).points(gear, tooth=args.tooth, flank=args.flank)
    write_whole(args.out, topography_text(*points).encode())
    say(f"{len(points[0])} points in {args.out}; say their sign in the case: metal-positive or removal-positive")
