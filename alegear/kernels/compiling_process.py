"""A process that compiles kernels beside the one that goes on to need them: in each, Numba compiles one at a time."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

from alegear.kernels.code_folder import config
from alegear.kernels.private_names import LEFT_OUT
from alegear.kernels.structs import kind_of

if "store" not in LEFT_OUT:
    from alegear.kernels import compiler


#: What was asked for already: whoever makes room for a contact asks again.
_asked: set[tuple[Any, ...]] = set()


def compile_beside(*calls: tuple[Any, Sequence[Any]]) -> None:
    """Let another process compile kernels for arguments like these, where no machine code of them is kept.

    Nobody waits for it but who calls one of them before it is done. It ends when all are compiled, or when this process
    has ended.

    Parameters
    ----------
    *calls : (kernel, arguments)
        In the order in which they are going to be needed.
    """
    if "store" in LEFT_OUT or config.DISABLE_JIT:
        return
    wanted = []
    for kernel, arguments in calls:
        one = kernel.py_func.__module__, kernel.py_func.__qualname__, tuple(map(kind_of, arguments))
        if one not in _asked and not compiler.is_kept(kernel, one[-1]):
            wanted.append(one)
    if not wanted:
        return
    _asked.update(wanted)
    process = subprocess.Popen(
        [sys.executable, "-c", "from alegear.kernels.compiling_process import _serve; _serve()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # what goes wrong in it goes wrong here as well
        start_new_session=True,  # Ctrl-C is for the one that computes
    )
    atexit.register(_end, process)
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        pickle.dump(wanted, process.stdin)
        process.stdin.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def _serve() -> None:
    """Compile what standard input names, and end with it."""
    wanted = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_input, daemon=True).start()
    for module, name, types in wanted:
        getattr(importlib.import_module(module), name).compile(types)


def _end_with_input() -> None:
    while os.read(0, 1):  # not by the buffer of Python, which would be locked where the process ends by itself
        pass
    os._exit(0)  # the compiler does not let itself be interrupted
