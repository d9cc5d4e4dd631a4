"""The command as a whole: its arguments, what it does with errors, its exit code."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence

from alegear._version import __version__
from alegear.cli.arguments import Parser
from alegear.cli.commands import COMMANDS
from alegear.cli.exit_codes import DONE, exit_code
from alegear.cli.interrupts import stoppable
from alegear.cli.printing import flush


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; default: those of the process.
    """
    traceback = False
    try:
        with stoppable():
            try:
                args = _parser().parse_args(argv)
            except SystemExit as end:
                return int(end.code or 0)
            traceback = args.traceback
            logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
            args.command(args)
    except BaseException as error:
        if traceback:
            raise
        return exit_code(error)
    finally:
        flush()
    return DONE


def _parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = Parser(prog="alegear", description="Flexible gears in contact, in three dimensions.")
    parser.add_argument("--version", action="version", version=f"alegear {__version__}")
    parser.set_defaults(traceback=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        traceback_help = "show where in the program an error arose"
        command.add_to(commands).add_argument("--traceback", action="store_true", help=traceback_help)
    return parser
