"""What is done to Numba by names that are not of its public interface, and the switch that leaves it out.

Those names are in ``compiler.py`` alone. The environment variable ALEGEAR_PLAIN_NUMBA leaves them out: 1 leaves out
all, the words of :data:`USES`, with commas between them, some. So does another Numba than those that were tested.
Results are the same to round-off; ``scripts/bench.py numba`` measures what each is worth.
"""

from __future__ import annotations

import logging
import os

import numba

from alegear.errors import Fault
from alegear.kernels.switch import PERMITTED, USES, given_words

logger = logging.getLogger(__name__)

#: Releases of Numba on which the names of `USES` were tried, from the first to before the second.
TESTED = ((0, 68), (0, 69))


def _left_out() -> frozenset[str]:
    """What the environment, or a Numba that was not tested, leaves out of `USES`."""
    release = tuple(int(part) for part in numba.__version__.split(".")[:2])
    words = given_words()
    if words != frozenset(USES) and not TESTED[0] <= release < TESTED[1]:
        low, high = (".".join(map(str, end)) for end in TESTED)
        logger.warning(
            "alegear was not tried with Numba %s. It uses its public interface only: the same results, but the first "
            "run compiles for longer. Install another (pip install 'numba>=%s,<%s'), or set ALEGEAR_PLAIN_NUMBA=1 to "
            "go on without this message",
            numba.__version__,
            low,
            high,
        )
        return frozenset(USES)
    if not words <= set(USES):
        given = os.environ["ALEGEAR_PLAIN_NUMBA"]
        raise Fault("ALEGEAR_PLAIN_NUMBA", repr(given), PERMITTED, "correct it, or unset ALEGEAR_PLAIN_NUMBA")
    return words


#: Words of `USES` that this process does without.
LEFT_OUT = _left_out()
