"""``alegear report``: write the report of a result."""

from __future__ import annotations

import argparse
from pathlib import Path

from alegear.cli.arguments import Commands, add_overwrite
from alegear.cli.imports import importing, keep_imports


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to those of the program."""
    parser = commands.add_parser("report", help="write a result as one HTML file, for the screen and for paper")
    parser.add_argument("directory", type=Path, metavar="DIR", help="result folder")
    parser.add_argument("--out", type=Path, metavar="F.html", help="the file (default: DIR/report.html)")
    add_overwrite(parser, "--out")
    parser.set_defaults(command=_report)
    return parser


def _report(args: argparse.Namespace) -> None:
    """Write the report of a result."""
    from alegear.cli.printing import print_line, relative
    from alegear.results.load import load
    from alegear.storage.store import load_libraries
    from alegear.storage.whole_file import refuse_existing

    if args.out is not None:
        refuse_existing(args.out, "--out", overwrite=args.overwrite)
    with importing():
        result = load(args.directory)  # before the heavy imports, so that a folder without a result is found at once
        from alegear.pictures import files
        from alegear.report.report import write_report

        load_libraries()
        files.load_libraries()
        keep_imports()  # before the search begins again, and looks through all of them
    path = write_report(result, args.out)
    print_line(f"written to {relative(path)}, {path.stat().st_size / 1000.0:.0f} kB")
