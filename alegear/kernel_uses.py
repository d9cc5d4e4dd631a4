"""What is done to Numba by names that are not of its public interface, and the switch that leaves it out.

Those names are in ``kernel_compiler.py`` and ``kernel_address.py`` alone. The environment variable ALEGEAR_PLAIN_NUMBA
leaves them out: 1 leaves out all, the words of :data:`USES`, with commas between them, some. So does another Numba than
those that were tested. Results are the same to round-off; ``scripts/bench.py numba`` measures what each is worth.
"""

from __future__ import annotations

import logging
import os

import numba

logger = logging.getLogger(__name__)

#: What takes names that are not of Numba's public interface, by the words of ALEGEAR_PLAIN_NUMBA.
USES = {
    "store": "machine code in files of our own, so that processes that compile at once do not mix up each other's",
    "inner": "no machine code of kernels that only kernels call",
    "passes": "LLVM's passes once, without unrolling and vectorising where loops are short",
    "lean": "no counting of references in kernels that make no arrays",
    "address": "named tuples by their address in place of all their members",
}

#: Releases of Numba on which the names of `USES` were tried, from the first to before the second.
TESTED = ((0, 68), (0, 69))


def _left_out() -> frozenset[str]:
    """What the environment, or a Numba that was not tested, leaves out of `USES`."""
    given = os.environ.get("ALEGEAR_PLAIN_NUMBA", "").strip()
    release = tuple(int(part) for part in numba.__version__.split(".")[:2])
    if given == "1":
        return frozenset(USES)
    if not TESTED[0] <= release < TESTED[1]:
        logger.info("Numba %s is none of those that were tested; by its public interface only", numba.__version__)
        return frozenset(USES)
    words = frozenset(word.strip() for word in given.split(",")) - {"", "0"}
    if not words <= set(USES):
        raise ValueError(f"ALEGEAR_PLAIN_NUMBA = {given!r}: must be 0, 1 or some of {', '.join(USES)}")
    return words


#: Words of `USES` that this process does without.
LEFT_OUT = _left_out()
