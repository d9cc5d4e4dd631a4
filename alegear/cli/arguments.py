"""How the command reads its arguments."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn, TypeAlias

from alegear.cli.exit_codes import WRONG_INPUT

#: The commands of the program, to which each adds itself.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_INPUT, f"{self.prog}: {message}; try {self.prog} --help\n")


def folder_name(text: str) -> Path:
    """Take the name of an output folder; nothing at all would be the folder one is in."""
    if not text.strip():
        raise argparse.ArgumentTypeError("must be the name of a folder, not empty (. is this folder)")
    return Path(text)


def add_overwrite(parser: argparse.ArgumentParser, option: str) -> None:
    """Add the option without which no file that is there is replaced; `option` names the place."""
    help_text = f"replace a file that is there ({option})"
    parser.add_argument("--overwrite", action="store_true", help=help_text)


def number_from_0(text: str) -> int:
    """Take a whole number that is not negative."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} must be a whole number from 0")
    return number


def result_folder(case: Path) -> Path:
    """Where the results of a case file go unless another folder is named."""
    return Path(f"{case.stem}_results")
