"""Independent pieces of dense work at the same time, one BLAS thread each.

The blocks are small, so that a second thread inside BLAS gains nothing on an idle machine; and where other programs
run, BLAS's own threads wait for each other at every block (measured: ten times slower). Threads that each work on
matrices of their own do not meet before the end.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController, threadpool_limits

P = ParamSpec("P")
Result = TypeVar("Result")

#: Decorator: one BLAS thread while the function runs.
single_threaded = threadpool_limits.wrap(limits=1, user_api="blas")


class _Inside(threading.local):
    """Whether a thread runs a task."""

    task = False


_inside = _Inside()


def one_thread() -> AbstractContextManager[Any]:
    """One BLAS thread while the context lasts; for short work, 20 us against the 0.7 ms of `single_threaded`."""
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def workers() -> int:
    """Return how many threads to use: OMP_NUM_THREADS, else the processors that the process may use."""
    chosen = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if chosen.isascii() and chosen.isdigit() and int(chosen[:9]) > 0:
        return int(chosen[:9])
    return processors()


def processors() -> int:
    """Return how many processors the process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def one_by_one(function: Callable[P, Result]) -> Callable[P, Result]:
    """Let a function run its tasks one after the other, in whatever thread: the processors are in use meanwhile."""

    @wraps(function)
    def alone(*args: P.args, **kwargs: P.kwargs) -> Result:
        before = _inside.task
        _inside.task = True
        try:
            return function(*args, **kwargs)
        finally:
            _inside.task = before

    return alone


def in_parallel(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run functions without arguments, as many at a time as there are workers, and return their results in order.

    Within a task they run one after the other: the threads are in use already. If one fails, its exception is raised
    when all have ended, that of the first in order if there are more.
    """
    n = min(workers(), len(tasks))
    if n <= 1 or _inside.task:
        return [task() for task in tasks]

    def run(task: Callable[[], Result]) -> Result:
        _inside.task = True
        return task()

    # the limit holds for the whole process: set here, so that no thread lifts it while another works
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(n) as pool:
        return [future.result() for future in [pool.submit(run, task) for task in tasks]]
