"""``alegear convert-flank``: a flank out of the file of a measuring machine, as a case reads it."""

from __future__ import annotations

import argparse
from pathlib import Path

from alegear.cli.arguments import Commands, add_overwrite
from alegear.cli.printing import say

ALL = "all"


def _tooth(text: str) -> int | str:
    if text == ALL:
        return ALL
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number, or {ALL}") from None


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to those of the program."""
    parser = commands.add_parser("convert-flank", help="make a measured flank (CSV) of a measuring machine's .mka")
    parser.add_argument("file", type=Path, metavar="FILE.mka")
    parser.add_argument("case", type=Path, metavar="CASE.toml", help="case of two gears with the gear in it")
    parser.add_argument("--gear", choices=("pinion", "wheel"), required=True, help="which of both was measured")
    parser.add_argument(
        "--tooth", type=_tooth, required=True, metavar="N|all", help="number of the tooth in the file, or all of them"
    )
    parser.add_argument("--flank", choices=("left", "right"), required=True, help="links or rechts in the file")
    parser.add_argument(
        "--first", type=int, metavar="N", help="with --tooth all: number in the file of the tooth in pair 0 (1)"
    )
    parser.add_argument(
        "--reverse", action="store_true", help="with --tooth all: the file counts against the order of engagement"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="F.csv")
    add_overwrite(parser, "--out")
    parser.set_defaults(command=_convert_flank)
    return parser


def _convert_flank(args: argparse.Namespace) -> None:
    from alegear.case.case import Case
    from alegear.errors import Fault
    from alegear.geometry.measured_flank import topography_text
    from alegear.geometry.mka_file import MkaFile
    from alegear.storage.whole_file import refuse_existing, write_whole

    refuse_existing(args.out, "--out", overwrite=args.overwrite)
    gear = getattr(Case.from_toml(args.case).pair, args.gear)
    file = MkaFile.read(args.file)
    if args.tooth is not ALL:
        for option, value in (("--first", args.first), ("--reverse", args.reverse or None)):
            if value is not None:
                raise Fault(
                    option, value, "left out with the number of one tooth", "write --tooth all, or leave it out"
                )
        points = file.points(gear, tooth=args.tooth, flank=args.flank)
        write_whole(args.out, topography_text(*points).encode())
        say(f"{len(points[0])} points in {args.out}; say their sign in the case: metal-positive or removal-positive")
        return
    teeth, count, turn = file.teeth(args.flank), abs(gear.z), -1 if args.reverse else 1
    first = 1 if args.first is None else args.first
    numbers = [turn * (tooth - first) % count for tooth in teeth]
    if len(set(numbers)) < len(numbers):
        limit = f"at most {count}, the teeth of the gear"
        raise Fault(f"{args.file.name}: measured teeth", len(teeth), limit, "give the file of this gear")
    texts = [
        topography_text(*file.points(gear, tooth=tooth, flank=args.flank), tooth=number, head=not i)
        for i, (tooth, number) in enumerate(zip(teeth, numbers, strict=True))
    ]
    write_whole(args.out, "".join(texts).encode())
    say(f"{len(teeth)} of {count} teeth in {args.out}; say their sign in the case: metal-positive or removal-positive")
    if len(teeth) < count:
        say('the others need other_teeth = "nearest" or "nominal" beside it')
