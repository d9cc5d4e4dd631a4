"""How a command ends: on request, or with an exit code and a line for its error."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from typing import NoReturn

from alegear.cli.printing import say
from alegear.errors import AnalysisFailure, Fault

_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """Let requests to end (``kill``, a closed terminal) take the way of Ctrl-C; only the main thread can say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _STOPS}
    for number in _STOPS:
        if before[number] is not signal.SIG_IGN:  # nohup, and shells that start it in the background
            signal.signal(number, _stop)
    try:
        yield
    finally:
        for number in _STOPS:
            signal.signal(number, signal.SIG_DFL if before[number] is None else before[number])


def _stop(number: int, frame: object) -> NoReturn:
    """Say at once that the request has come: to wait for what is being written may take seconds."""
    with contextlib.suppress(OSError):
        os.write(2, b"\nstopping ...\n")
    raise KeyboardInterrupt


DONE, FAILED, WRONG_INPUT = 0, 1, 2


def exit_code(error: BaseException) -> int:
    """Print one line for an error and return the exit code."""
    if isinstance(error, KeyboardInterrupt):
        say("stopped by the user")
        return FAILED
    from alegear.case.faults import CaseFaults

    if isinstance(error, CaseFaults):
        for fault in error.faults:
            say(str(fault))
        return WRONG_INPUT
    if isinstance(error, Fault):
        say(str(error))
        return WRONG_INPUT
    if isinstance(error, MemoryError):
        say("out of memory: use fewer elements ([grid]) or turn fields off ([output] fields = false)")
    elif isinstance(error, AnalysisFailure):
        say(str(error))
    elif isinstance(error, OSError):
        name = "" if error.filename is None else f"{error.filename}: "
        say(f"{name}{error.strerror or error}; check space and permissions")
    else:
        say(f"internal error: {type(error).__name__}: {error}; please report it with the output of --traceback")
    return FAILED
