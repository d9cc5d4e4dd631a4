"""Exit codes of the command, and the line that it prints for an error."""

from __future__ import annotations

from alegear.cli.printing import say
from alegear.errors import AnalysisFailure, Fault

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
