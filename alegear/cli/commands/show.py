"""``alegear show``: show a result in three dimensions."""

from __future__ import annotations

import argparse
from pathlib import Path

from alegear.cli.arguments import Commands, add_overwrite, number_from_0


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to those of the program."""
    parser = commands.add_parser("show", help="show stress on the deformed pair, gearboxes, motions, modes of sets")
    parser.add_argument("directory", type=Path, metavar="DIR", help="result folder")
    parser.add_argument("--screenshot", type=Path, metavar="F.png", help="write a picture instead of opening a window")
    parser.add_argument("--animation", type=Path, metavar="F.gif", help="write a motion or a mode as a GIF instead")
    position_help = "number of the field or sample from 0 (default: the largest stress, the end of a motion)"
    parser.add_argument("--position", type=number_from_0, metavar="N", help=position_help)
    mode_help = "number of the mode from 1 (default: the first)"
    parser.add_argument("--mode", type=number_from_0, metavar="N", help=mode_help)
    zoom_help = "closer to the teeth in mesh (above 1) or further away, of stress fields of a pair (1)"
    parser.add_argument("--zoom", type=float, metavar="X", help=zoom_help)
    add_overwrite(parser, "--screenshot, --animation")
    parser.set_defaults(command=_show)
    return parser


def _show(args: argparse.Namespace) -> None:
    """Show a result with the view that fits it."""
    from alegear.storage.whole_file import refuse_existing

    for option in ("screenshot", "animation"):
        if (path := getattr(args, option)) is not None:
            refuse_existing(path, f"--{option}", overwrite=args.overwrite)
    from alegear.scene.show import show_result

    show_result(
        args.directory,
        screenshot=args.screenshot,
        animation=args.animation,
        position=args.position,
        mode=args.mode,
        zoom=args.zoom,
    )
