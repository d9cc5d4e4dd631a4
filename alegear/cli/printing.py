"""Lines on the terminal, for readers that may have gone."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from alegear.errors import one_line


def say(text: str) -> None:
    """Print one line for the user, whatever names and titles in it hold."""
    print_line(one_line(text), sys.stderr)


def print_line(text: str, stream: Any = None, end: str = "\n") -> None:
    """Print; where the reader has gone (``| head -1``) the rest is for nobody, and what is computed goes on."""
    stream = stream or sys.stdout
    try:
        print(text, file=stream, end=end, flush=True)
    except BrokenPipeError:
        mute(stream)


def mute(stream: Any) -> None:
    """Lead what is still printed to nowhere, so that the interpreter does not complain when it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def flush() -> None:
    """Write out what is still held back; nobody may be there to read it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            mute(stream)


def new_console(*, stderr: bool = False) -> Any:
    """A console of rich that carries on where its reader has gone."""
    from rich.console import Console

    class Quiet(Console):
        def on_broken_pipe(self) -> None:
            mute(self.file)

    return Quiet(stderr=stderr)


def relative(path: Path) -> Path:
    """Return a path from the folder one is in, if it is below it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
