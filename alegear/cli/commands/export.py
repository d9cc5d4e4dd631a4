"""``alegear export``: write a result as tables for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path

from alegear.cli.arguments import Commands, add_overwrite


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to those of the program."""
    parser = commands.add_parser("export", help="write a result as tables: CSV files or Excel")
    parser.add_argument("directory", type=Path, metavar="DIR", help="result folder")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--csv", action="store_true", help="a folder of CSV files (default: DIR/tables)")
    kind.add_argument("--xlsx", action="store_true", help="a workbook of Excel (default: DIR/result.xlsx)")
    parser.add_argument("--out", type=Path, metavar="F", help="folder of the CSV files, or name of the workbook")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="write these variables alone")
    parser.add_argument("--without", nargs="+", default=[], metavar="NAME", help="leave these variables out")
    parser.add_argument(
        "--all", action="store_true", help="the stress of all points of root fillets at each position or time, too"
    )
    add_overwrite(parser, "--out F.xlsx")
    parser.set_defaults(command=_export)
    return parser


def _export(args: argparse.Namespace) -> None:
    """Write a result as tables for other programs."""
    from alegear.cli.printing import print_line, relative, say
    from alegear.results.load import load
    from alegear.storage.whole_file import refuse_existing

    if args.out is not None and args.xlsx:
        refuse_existing(args.out, "--out", overwrite=args.overwrite)
    result = load(args.directory)
    write = result.to_csv if args.csv else result.to_excel
    path = write(args.out, only=args.only, without=args.without, fields=args.all)
    if not result.complete:
        say("warning: the result is incomplete: the analysis did not come to its end")
    elif failed := result.summary.get("failed", 0):
        points = result.summary["points"]
        say(f"warning: {failed} of {points} points could not be computed: their cells are empty, failure says why")
    if (fields := result.fields_left_out(args.only, args.without)) and not args.all:
        say(f"left out: {', '.join(fields)}, point by point of the root fillets: --all writes them")
    print_line(f"written to {relative(path)}")
