"""Memory of a reduction, estimated before the work starts from the sizes of all blocks, and what there is of it.

The estimate is an upper bound of what the arrays take at the worst moment; it follows the stages of
:func:`alegear.reduction.superelement.reduce_wheel` one by one. The whole wheel is never assembled, so its tooth number
hardly matters.
"""

from __future__ import annotations

import contextlib
import logging
import resource
from collections.abc import Iterator, Mapping
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Indices
from alegear.errors import Fault
from alegear.storage.cache_folder import megabytes

if TYPE_CHECKING:
    from alegear.reduction.nested_dissection import Indices
    from alegear.reduction.sparse import Elimination

logger = logging.getLogger(__name__)

GRID_REMEDY = "reduce flank_elements, width_elements or window_pairs, take order = 1"

_WORD = 8.0  # bytes of a float64 or an int64


def condensation_bytes(elimination: Elimination, face: Indices, n_roots: int, n_couplings: int) -> float:
    """Estimate the peak of condensing a sector with its root stress, all classes of fields at once.

    Parameters
    ----------
    elimination : Elimination
    face : shape (n,)
        Nodes of the tooth faces.
    n_roots : int
        Nodes at the roots.
    n_couplings : int
        Pairs of nodes that share an element: blocks of 3 x 3 of the stiffness.
    """
    n_all = 3 * elimination.symmetry.images.shape[1]
    words = 9.0 * n_couplings * 4.0  # stiffness: numbers and their places, once more while it is put in order
    classes = list(_classes(elimination, face))
    for size, n_b, n_f, blocks in classes:
        factor = most = 0.0
        alive: dict[int, float] = {}
        for number, (n, m) in enumerate(blocks):
            alive[number] = m * m
            most = max(most, sum(alive.values()) + factor + (n + m) * n)
            factor += (n + m) * n
            for child in elimination.steps[number].children:
                del alive[child]
        most = max(most, factor + sum(alive.values()) + 4.0 * n_b * n_b)
        # faces set free; displacements of all nodes under unit displacements and forces, and the largest step of them
        width, border = (max((block[i] for block in blocks), default=0.0) for i in range(2))
        free = n_b * n_b + 3.0 * n_f * n_b + 3.0 * n_b * n_b
        moved = (2.0 * n_b * n_b + n_b * size + n_b * (2.0 * width + border)) if n_roots else 0.0
        stress = 6.0 * n_roots / len(classes) * n_b
        words += max(most, factor + free, factor + moved + 2.0 * stress) + 3.0 * n_all
    n_b_all = 3.0 * elimination.symmetry.images[:, elimination.retained].size
    return _WORD * (words + 3.0 * 6.0 * n_roots * min(n_b_all, 3.0 * n_all))


def factor_bytes(elimination: Elimination, face: Indices) -> float:
    """Estimate what stays of a condensed sector if its displacements are to be recovered: the factors of all classes.

    Parameters
    ----------
    elimination : Elimination
    face : shape (n,)
        Nodes of the tooth faces.
    """
    n_all = 3 * elimination.symmetry.images.shape[1]
    words = 0.0
    for _, n_b, n_f, blocks in _classes(elimination, face):
        # faces set free, places and weights
        words += sum((n + m) * n + m for n, m in blocks) + n_f * n_b + 6.0 * n_all
    return _WORD * words


def _classes(elimination: Elimination, face: Indices) -> Iterator[tuple[int, float, float, list[tuple[float, float]]]]:
    """Of each class of fields: all degrees of freedom, retained ones, those of the faces, and (n, m) of each step."""
    symmetry = elimination.symmetry
    for character in symmetry.characters:
        basis = symmetry.basis(character, elimination.nodes)
        count = np.bincount(basis.dofs // 3, minlength=symmetry.images.shape[1])
        blocks = [(float(count[step.eliminated].sum()), float(count[step.border].sum())) for step in elimination.steps]
        n_f = float(count[np.intersect1d(elimination.retained, face)].sum())
        yield basis.size, float(count[elimination.retained].sum()), n_f, blocks


def window_bytes(n_c: int, n_f: int, slots: int, n_sectors: int, *, closed: bool, classes: int) -> float:
    """Estimate the peak of closing the ring and solving the window.

    Parameters
    ----------
    n_c, n_f : int
        Degrees of freedom of a cut plane and of the tooth faces of a slot.
    slots, n_sectors : int
    closed : bool
        A wheel, not a segment.
    classes : int
        Into which the ring divides; all are in work at once.
    """
    c, f = float(n_c) / classes + 3.0, float(n_f) / classes + 3.0
    lengths = 2.0 * max(log2(max(n_sectors, 2)), 1.0)
    chains = lengths * 6.0 * c * c + 20.0 * c * c
    sector = 4.0 * c * c + 2.0 * c * f + f * f
    stiffness = ((slots + 1.0) * c) ** 2
    if closed:
        work = (slots + 1.0) * 3.0 * c * c + 4.0 * slots * c * c
        response = 2.0 * slots * c * f
        compliance = slots * f * f
        work += 2.0 * response + 2.0 * slots * c * f + 2.0 * compliance
    else:
        response = (slots + 1.0) * slots * c * f
        compliance = (slots * f) ** 2
        work = 2.0 * response + 3.0 * compliance
    one_class = sector + chains + stiffness + work
    return _WORD * classes * one_class + result_bytes(n_c, n_f, slots, 0, closed=closed)


def result_bytes(n_c: int, n_f: int, slots: int, n_roots: int, *, closed: bool) -> float:
    """Return what a reduced wheel holds: compliance, response of the cut planes, and both operators of root stress."""
    if closed:
        words = float(slots) * n_f * n_f + 2.0 * slots * n_c * n_f
    else:
        words = (float(slots) * n_f) ** 2 + (slots + 1.0) * slots * n_c * n_f
    return _WORD * (words + 6.0 * n_roots * (2.0 * n_c + n_f))


def reduction_bytes(
    elimination: Elimination,
    cut: Indices,
    face: Indices,
    *,
    n_roots: int,
    n_couplings: int,
    slots: int,
    n_sectors: int,
    closed: bool,
    keep_factors: bool = False,
) -> float:
    """Estimate the peak of a whole reduction [bytes], from the nodes of a cut plane and of the faces; see above.

    With `keep_factors` the factors of the sector stay while the window is solved, and beside its result.
    """
    from alegear.reduction.symmetry import MIRROR_Z  # not before there is a grid

    n_c, n_f = 3 * cut.size, 3 * face.size
    classes = 2 if MIRROR_Z in elimination.symmetry.operations else 1
    sector = condensation_bytes(elimination, face, n_roots, n_couplings)
    root = result_bytes(n_c, n_f, 0, n_roots, closed=closed)
    window = window_bytes(n_c, n_f, slots, n_sectors, closed=closed, classes=classes)
    if keep_factors:
        window += factor_bytes(elimination, face)
    return max(sector, window) + root


def available_memory() -> float:
    """Return the memory that this process may still take [bytes].

    ALEGEAR_MEMORY_MB if it is set, else the least of what the machine, the control group and the resource limits leave;
    infinite where none of these is known.
    """
    chosen = megabytes("ALEGEAR_MEMORY_MB")
    if chosen is not None:
        return 1e6 * chosen
    return min(_machine(), _control_group(), _resource_limits())


def counts_what_is_held() -> bool:
    """Whether the limit is one of all that is held: that of ALEGEAR_MEMORY_MB, not what the machine has left."""
    return megabytes("ALEGEAR_MEMORY_MB") is not None


def check_memory(parts: Mapping[str, float], remedies: Mapping[str, str] | None = None) -> float:
    """Refuse what does not fit.

    Parameters
    ----------
    parts : mapping of what it is for to [bytes]
        All that is held at the same time.
    remedies : mapping of parts to what makes them smaller, optional
        Named where the part is the largest; of the others the grid is.

    Returns
    -------
    The sum [bytes].

    Raises
    ------
    Fault
        It is more than :func:`available_memory`.
    """
    total, limit = sum(parts.values()), available_memory()
    detail = ", ".join(f"{name} {value / 1e6:.0f}" for name, value in parts.items())
    logger.info("memory at most about %.0f MB (%s) of %.0f MB available", total / 1e6, detail, limit / 1e6)
    if total > limit:
        largest = max(parts, key=lambda name: parts[name])
        raise Fault(
            "memory needed [MB]",
            f"{total / 1e6:.0f} ({detail})",
            f"at most {limit / 1e6:.0f}, what is available",
            f"{(remedies or {}).get(largest, GRID_REMEDY)}, or set ALEGEAR_MEMORY_MB",
        )
    return total


def _machine() -> float:
    """Memory that can be had without swapping, as the kernel estimates it."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * float(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return float("inf")


def _control_group(root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> float:
    """What the tightest control group of the process leaves, version 2 or 1."""
    least = float("inf")
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return least
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            top, limit, usage = root, "memory.max", "memory.current"
        elif "memory" in controllers.split(","):
            top, limit, usage = root / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        folder = top / path.lstrip("/")
        for level in (folder, *folder.parents):
            with contextlib.suppress(OSError, ValueError):  # not a number where there is no limit: "max"
                least = min(least, float((level / limit).read_text()) - float((level / usage).read_text()))
            if level == top:
                break
    return max(least, 0.0)


def _resource_limits() -> float:
    """What the limits of address space and data leave."""
    left = []
    for kind, column in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
        limit = resource.getrlimit(kind)[0]
        if limit == resource.RLIM_INFINITY:
            continue
        try:
            pages = float(Path("/proc/self/statm").read_text().split()[column])
        except (OSError, ValueError, IndexError):
            pages = 0.0
        left.append(max(limit - pages * resource.getpagesize(), 0.0))
    return min(left, default=float("inf"))
