"""The command ``alegear``: run, check, mesh, show, info.

Exit codes: 0 done; 1 the analysis failed, what was computed is kept and marked incomplete; 2 the input is wrong, one
line a fault, nothing written.
"""

from alegear.cli.program import main

__all__ = ["main"]
