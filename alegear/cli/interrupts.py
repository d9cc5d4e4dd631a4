"""Requests to end a command."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from typing import NoReturn

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
