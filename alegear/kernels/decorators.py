"""The decorators of everything compiled.

Kernels stand at the top of files whose name ends in ``kernels.py``, and so do constants that they use. Their machine
code is kept on disk (``code_folder.py``). What goes beyond the public interface of Numba is in ``compiler.py``, and
can be left out (``private_names.py``).
"""

from __future__ import annotations

import contextlib
import fcntl
import inspect
import logging
import os
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numba

from alegear.kernels.code_folder import PACKAGE, Folder, config, folder_of
from alegear.kernels.private_names import LEFT_OUT, USES
from alegear.storage.cache_folder import kernel_directory

if not set(USES) <= LEFT_OUT:
    from alegear.kernels import compiler

logger = logging.getLogger(__name__)

#: How kernels are compiled where their decorator does not say otherwise: rounding as written, division as in NumPy.
OPTIONS: dict[str, Any] = {"fastmath": False, "error_model": "numpy"}


def kernel(
    function: Callable[..., Any] | None = None, /, *, lean: bool = False, long_loops: bool = False, **options: Any
) -> Any:
    """Compile a function on its first call and keep the machine code on disk.

    Parameters
    ----------
    function : callable, optional
        A function of a module whose file ends in ``kernels.py``.
    lean : bool
        Count no references to the arrays that it is given: for kernels that make none of their own. Where views are
        short that is a fifth of the time.
    long_loops : bool
        Unroll and vectorise loops: worth it where innermost loops run over dozens of numbers. It doubles the time of
        compilation, and loops over the few nodes and slices of a contact get none the faster.
    **options
        Options of `numba.njit` that differ from `OPTIONS`.

    Raises
    ------
    TypeError
        For a function that stands elsewhere or within another function: the digest would not know its text.

    Examples
    --------
    ``@kernel`` or ``@kernel(error_model="python")`` above the function.
    """
    if function is None:
        return partial(kernel, lean=lean, long_loops=long_loops, **options)
    options = compiler_options(lean=lean, long_loops=long_loops) | options
    folder = _folder_of(function)
    if folder is None:
        return numba.njit(**options)(function)
    if "store" in LEFT_OUT:
        return _kept_by_numba(function, folder, options)
    dispatcher = numba.njit(**options)(function)
    compiler.keep(dispatcher, folder)
    return dispatcher


def inner_kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a function that only other kernels call: half the work of :func:`kernel`, which it is like otherwise.

    It gets no entry from Python (a call raises TypeError) and no machine code of its own: it becomes part of the
    kernels that Python calls, and is optimised there, once, however deep the calls are nested.
    """
    if function is None:
        return partial(inner_kernel, **options)
    if "inner" in LEFT_OUT or config.DISABLE_JIT:
        return kernel(function, **options)
    return compiler.without_entry(kernel(function, **compiler.of_inner_kernels() | options))


def lean_kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile an inner kernel that makes no arrays of its own: :func:`inner_kernel` with ``lean``."""
    return inner_kernel(function, lean=True, **options)


def c_function(function: Callable[..., Any], signature: Any) -> Any:
    """Compile a function for a caller that knows its address only, and keep the machine code on disk.

    Numba keeps it, in the folder of the digest: it mixes up the signatures of two processes that write at once, and
    here there is one.

    Parameters
    ----------
    function : callable
        As of :func:`kernel`.
    signature : numba signature

    Returns
    -------
    object
        Of `numba.cfunc`: its ``address`` holds as long as it is alive.
    """
    options = compiler_options()
    folder = _folder_of(function)
    place = None if folder is None else folder.within("by_address")
    with _numba_keeps_in(place):
        return numba.cfunc(signature, cache=place is not None, **options)(function)


@contextlib.contextmanager
def measured_compilation() -> Iterator[dict[str, float]]:
    """Measure what is compiled, and for how long, while the context lasts.

    Yields
    ------
    dict of str to float
        Processor seconds of each kernel, in the order in which they were done, without those of other kernels that
        were compiled on the way. A further signature has its number behind the name: ``fe._kernels.row [2]``.
    """
    from numba.core import event  # documented: Developer Manual, Event API

    seconds: dict[str, float] = {}

    class Clock(event.Listener):  # type: ignore[misc, unused-ignore]
        """One entry a compilation under way: when it began, and the time of those within it [s]."""

        def __init__(self) -> None:
            self._open: list[list[float]] = []

        def on_start(self, event: Any) -> None:
            self._open.append([time.thread_time(), 0.0])

        def on_end(self, event: Any) -> None:
            began, within = self._open.pop()
            whole = time.thread_time() - began
            function = event.data["dispatcher"].py_func
            if not function.__module__.startswith("alegear."):
                # Numba's own functions count as part of the kernel that uses them
                if self._open:
                    self._open[-1][1] += within
                return
            if self._open:
                self._open[-1][1] += whole
            name = f"{function.__module__.removeprefix('alegear.')}.{function.__qualname__}"
            number = 1 + sum(other == name or other.startswith(f"{name} [") for other in seconds)
            seconds[name if number == 1 else f"{name} [{number}]"] = whole - within

    clock = Clock()
    event.register("numba:compile", clock)
    try:
        yield seconds
    finally:
        event.unregister("numba:compile", clock)


def compiler_options(*, lean: bool = False, long_loops: bool = False) -> dict[str, Any]:
    """Options of `numba.njit` and `numba.cfunc`, with those that are not public."""
    if set(USES) <= LEFT_OUT:
        return OPTIONS
    return OPTIONS | compiler.of_outer_kernels(long_loops=long_loops) | (compiler.of_lean_kernels() if lean else {})


def _folder_of(function: Callable[..., Any]) -> Folder | None:
    """Where the machine code of a function is kept; None if it must not be, or there is none."""
    path = Path(inspect.getfile(function)).resolve()
    if not (path.name.endswith("kernels.py") and path.is_relative_to(PACKAGE)) or "<locals>" in function.__qualname__:
        raise TypeError(f"{function.__qualname__} of {path}: kernels stand at the top of files named *kernels.py")
    return None if config.DISABLE_JIT else folder_of(function.__module__, kernel_directory())


def _kept_by_numba(function: Callable[..., Any], folder: Folder, options: dict[str, Any]) -> Any:
    """Compile a function and let Numba keep its code in a folder of the digest.

    Numba numbers its files: of two processes that write at once, one can find the code of the other under the name of
    its own. So the first process that asks for the folder has it for itself, and others compile in memory.
    """
    place = folder.within("numba")
    if place is not None and not _have_alone(place):
        place = None
    with _numba_keeps_in(place):
        return numba.njit(cache=place is not None, **options)(function)


@contextlib.contextmanager
def _numba_keeps_in(place: Path | None) -> Iterator[None]:
    """Let Numba keep the code of what is decorated meanwhile in a folder."""
    before = config.CACHE_DIR
    config.CACHE_DIR = before if place is None else str(place)
    try:
        yield
    finally:
        config.CACHE_DIR = before


@cache
def _have_alone(place: Path) -> bool:
    """Lock a folder for as long as this process lives; whether that was possible."""
    try:
        lock = os.open(place / "lock", os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        logger.info("compiled kernels are not kept in %s (%s)", place, error)
        return False
    return True
