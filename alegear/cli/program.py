"""The command as a whole: its arguments, what it does with errors, its exit code."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Sequence

from alegear._version import __version__
from alegear.cli.arguments import Parser
from alegear.cli.commands import COMMANDS
from alegear.cli.exit_codes import DONE, FAILED, exit_code, stoppable
from alegear.cli.printing import carrying_on, say
from alegear.errors import Fault


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; default: those of the process.
    """
    with carrying_on() as out:
        code, is_answer = _run(argv)
        out.flush()
        if out.failure is None:
            return code
        say(f"standard output: {out.failure.strerror}; the rest of what was to be printed is lost")
        return code or (FAILED if is_answer else DONE)


def _run(argv: Sequence[str] | None) -> tuple[int, bool]:
    """Run the command; returns its exit code, and whether what it prints is all that it does."""
    traceback, is_answer = False, True
    try:
        with stoppable():
            try:
                args = _parser().parse_args(argv)
            except SystemExit as end:
                return int(end.code or 0), is_answer
            traceback, is_answer = args.traceback, args.is_answer
            logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
            _check_place()
            # files only, whatever windows the user likes for plots of his own
            os.environ["MPLBACKEND"] = "agg"
            args.command(args)
    except BaseException as error:
        if traceback:
            raise
        return exit_code(error), is_answer
    return DONE, is_answer


def _check_place() -> None:
    """Refuse a working folder that has been deleted: neither names nor libraries can be found from there."""
    try:
        os.getcwd()
    except OSError as error:
        reason = f"{error.strerror or error} (deleted or moved)"
        raise Fault("working folder", reason, "one that is there", "change to another folder, with cd") from error


def _parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = Parser(prog="alegear", description="Flexible gears in contact, in three dimensions.")
    parser.add_argument("--version", action="version", version=f"alegear {__version__}")
    parser.set_defaults(traceback=False, is_answer=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        traceback_help = "show where in the program an error arose"
        command.add_to(commands).add_argument("--traceback", action="store_true", help=traceback_help)
    return parser
