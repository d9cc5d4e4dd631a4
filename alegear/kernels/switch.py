"""The words of the environment variable ALEGEAR_PLAIN_NUMBA; Numba itself is not needed to read them."""

from __future__ import annotations

import os

#: What takes names that are not of Numba's public interface.
USES = {
    "store": "machine code in files of our own, so that processes that compile at once do not mix up each other's",
    "inner": "no machine code of kernels that only kernels call",
    "passes": "LLVM's passes once, without unrolling and vectorising where loops are short",
    "lean": "no counting of references in kernels that make no arrays",
}

#: What the variable may be, as a message says it.
PERMITTED = f"0, 1 or some of {', '.join(USES)}"


def given_words() -> frozenset[str]:
    """Return the words that are given: what is to be left out, among them such as nobody knows."""
    given = os.environ.get("ALEGEAR_PLAIN_NUMBA", "").strip()
    if given == "1":
        return frozenset(USES)
    return frozenset(word.strip() for word in given.split(",")) - {"", "0"}
