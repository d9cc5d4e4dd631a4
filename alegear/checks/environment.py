"""Variables of the environment that a computation follows, and limits of its process: refused before it begins.

What other programs write there for themselves and alegear can do without (the style of plots, the width of a terminal)
is not refused.
"""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

from alegear.errors import Fault
from alegear.kernels.switch import PERMITTED, USES, given_words
from alegear.parallel import workers
from alegear.storage.cache_folder import megabytes

#: Switches of Numba, which leaves others than whole numbers out with a page of warning.
_SWITCHES = (
    "BOUNDSCHECK", "DEBUG", "DEBUGINFO", "DEVELOPER_MODE", "DISABLE_INTEL_SVML", "DISABLE_JIT", "ENABLE_AVX",
    "ENABLE_PROFILING", "FULL_TRACEBACKS", "LOOP_VECTORIZE", "SLP_VECTORIZE", "WARNINGS",
)  # fmt: skip
#: Limits of a process: what they are of, the option of ulimit, and what libraries, kernels and a small case take by
#: one thread and by each further one [MB]. Measured with fields and plots: 1060 of the address space, 380 of data
#: by one thread, 1310 and 580 by three. With less, libraries end the process from inside.
_PROCESS = {
    resource.RLIMIT_AS: ("address space", "ulimit -v", 1200, 200),
    resource.RLIMIT_DATA: ("data of the process", "ulimit -d", 600, 100),
}
_LONGEST_NAME = 4000  # of a path, in bytes, with room for what is below it


def check_environment() -> None:
    """Refuse what cannot be followed.

    Raises
    ------
    Fault
        With the name of the variable and what it may be.
    """
    for name, limit in _refused():
        raise Fault(name, repr(os.environ[name])[:80], limit, f"correct it, or unset {name}")
    _check_process()


def _check_process() -> None:
    """Refuse a limit of the memory of the process in which libraries could not even be loaded."""
    threads = workers()
    for kind, (what, option, first, further) in _PROCESS.items():
        limit = resource.getrlimit(kind)[0]
        needed = first + further * (threads - 1)
        if limit != resource.RLIM_INFINITY and limit < 1e6 * needed:
            least = f"at least {needed} with {threads} threads, {first} with one"
            remedy = f"raise it ({option} {1000 * needed})"
            remedy += f", or set OMP_NUM_THREADS=1 and {option} {1000 * first}" if threads > 1 else ""
            raise Fault(f"limit of the {what} [MB]", f"{limit / 1e6:.0f}", least, remedy)


def _refused() -> Iterator[tuple[str, str]]:
    """Yield the names of variables that cannot be followed, and what they may be."""
    for name in ("ALEGEAR_MEMORY_MB", "ALEGEAR_CACHE_MB"):
        megabytes(name)
    if not given_words() <= set(USES):
        yield "ALEGEAR_PLAIN_NUMBA", PERMITTED
    for name, (limit, holds) in _RULES.items():
        given = os.environ.get(name)
        if given is not None and not holds(given):
            yield name, limit


def _is_count(text: str) -> bool:
    """Whether a text is a whole number from 1."""
    return re.fullmatch(r"\s*\+?0*[1-9][0-9]{0,8}\s*", text) is not None


def _are_counts(text: str) -> bool:
    return not text.strip() or all(map(_is_count, text.split(",")))


def _is_folder(text: str) -> bool:
    """Whether a folder is there, or may be made."""
    if not text:
        return True
    try:
        path = Path(os.path.abspath(text))
        first = next(place for place in (path, *path.parents) if os.path.lexists(place))
        return first.is_dir() and len(os.fsencode(path)) <= _LONGEST_NAME
    except OSError:  # a name that no folder can have
        return False


_COUNTS = "whole numbers from 1, with commas between them"
_FOLDER = "the name of a folder, not of a file"
_RULES: dict[str, tuple[str, Callable[[str], bool]]] = {
    "OMP_NUM_THREADS": (_COUNTS, _are_counts),
    "NUMBA_NUM_THREADS": ("a whole number from 1", _is_count),
    "NUMBA_OPT": ("0, 1, 2, 3 or max", lambda text: text.strip().lower() in ("0", "1", "2", "3", "max")),
    "NUMBA_CPU_FEATURES": (
        "names of features with + or - before each, and commas between them",
        lambda text: re.fullmatch(r"([+-][\w.-]+(,[+-][\w.-]+)*)?", text) is not None,
    ),
    "ALEGEAR_CACHE_DIR": (_FOLDER, _is_folder),
    "NUMBA_CACHE_DIR": (_FOLDER, _is_folder),
    **{
        f"NUMBA_{name}": ("a whole number, 0 or 1", lambda text: re.fullmatch(r"\s*[0-9]{1,9}\s*", text) is not None)
        for name in _SWITCHES
    },
}
