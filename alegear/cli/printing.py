"""Lines on the terminal, for readers that may have gone, and streams that are closed or full."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from alegear.errors import one_line


class Stream:
    """A stream of text that carries on where nobody reads it any more: what is computed is worth more than a line.

    Parameters
    ----------
    stream : file of text
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        #: Why the rest was not written; None: all was, or its reader has gone of its own will.
        self.failure: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text, with escapes for what the encoding of the stream does not have."""
        try:
            self._stream.write(text)
        except UnicodeEncodeError:
            encoding = self._stream.encoding or "ascii"
            self.write(text.encode(encoding, "backslashreplace").decode(encoding))
        except OSError as error:
            self._mute(error)
        return len(text)

    def flush(self) -> None:
        """Write out what is still held back."""
        try:
            self._stream.flush()
        except OSError as error:
            self._mute(error)

    def _mute(self, error: OSError) -> None:
        """Lead what is still printed to nowhere, so that the interpreter does not complain when it ends."""
        if not isinstance(error, BrokenPipeError):
            self.failure = self.failure or error
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


@contextlib.contextmanager
def carrying_on() -> Iterator[Stream]:
    """Let standard output and error carry on whatever becomes of them; yields standard output."""
    _hold_descriptors()
    _leave_out_odd_widths()
    before = sys.stdout, sys.stderr
    out, err = (Stream(open(os.devnull, "w") if one is None else one) for one in before)  # noqa: SIM115
    sys.stdout, sys.stderr = out, err  # type: ignore[assignment]
    try:
        yield out
    finally:
        out.flush()
        err.flush()
        sys.stdout, sys.stderr = before


def _hold_descriptors() -> None:
    """Open nowhere in place of closed streams: else the next file that is opened would be standard error."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest that is free


def _leave_out_odd_widths() -> None:
    """Leave out a size of the terminal that is no number: rich takes digits of all scripts for one."""
    for name in ("COLUMNS", "LINES"):
        if not os.environ.get(name, "0").isascii():
            del os.environ[name]


def say(text: str) -> None:
    """Print one line for the user, whatever names and titles in it hold."""
    print_line(one_line(text), sys.stderr)


def print_line(text: str, stream: Any = None, end: str = "\n") -> None:
    """Print at once."""
    print(text, file=stream, end=end, flush=True)


def new_console(*, stderr: bool = False) -> Any:
    """A console of rich."""
    from rich.console import Console

    return Console(stderr=stderr)


def relative(path: Path) -> Path:
    """Return a path from the folder one is in, if it is below it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
