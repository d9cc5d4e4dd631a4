"""Natural frequencies of a whole wheel in CalculiX: input deck, run, results.

Units of the deck: mm, t, s, N, MPa. Everything else here is SI.

First-order grids are given as they are, elements C3D8I; of the 27 nodes of second-order cells C3D20 takes the 20 on the
edges. The bore is fixed, or the nodes of the bore are one rigid body that nothing holds.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from alegear.fe import Material
from alegear.mesh import SectorMesh, WheelMesh, sector_rotation

Array = NDArray[np.float64]
Nodes = NDArray[np.int64]

INSTALL = "CalculiX is not installed: `apt-get install calculix-ccx` (Debian, Ubuntu) provides ccx"
RIGID_MODES = 6
ZERO = 1.0  # [Hz]; rigid-body modes come out below, elastic ones above


@dataclass(frozen=True, kw_only=True, eq=False)
class Modes:
    """What CalculiX found and what it took.

    Attributes
    ----------
    frequencies : shape (m,) [Hz]
        Without those of a rigid body.
    nodal_diameters : shape (m,)
        The strongest harmonic around the tips of the teeth.
    purity : shape (m,)
        Its share of the squares of all harmonics.
    wall : float [s]
    nodes : int
    """

    frequencies: Array
    nodal_diameters: Nodes
    purity: Array
    wall: float
    nodes: int


def find_solver() -> str:
    """Path of ccx.

    Raises
    ------
    FileNotFoundError
        With what to install.
    """
    found = shutil.which("ccx")
    if found is None:
        raise FileNotFoundError(INSTALL)
    return found


def marked_nodes(wheel: WheelMesh) -> Nodes:
    """Nodes that are printed, one for each tooth: at the end of the face where the tip meets flank a."""
    sector = wheel.sector
    return wheel.node_of[:, sector.flank_a[-1, 0]]


def write_deck(
    path: Path, sector: SectorMesh, material: Material, *, support: Literal["held", "free"], n_modes: int
) -> None:
    """Write the deck of a *FREQUENCY step over the whole wheel."""
    wheel = WheelMesh(sector)
    volume = wheel.volume
    cells = volume.cells[:, :20] if sector.order == 2 else volume.cells
    kind = "C3D20" if sector.order == 2 else "C3D8I"
    used = np.unique(cells)
    points = 1e3 * volume.points
    lines = ["*NODE, NSET=ALL"]
    lines += [f"{i + 1},{points[i, 0]:.14g},{points[i, 1]:.14g},{points[i, 2]:.14g}" for i in used]
    lines.append(f"*ELEMENT, TYPE={kind}, ELSET=BODY")
    for i, cell in enumerate((cells + 1).tolist(), 1):
        # a line holds at most 16 entries
        numbers = [str(i), *map(str, cell)]
        lines += [",".join(numbers[:16]) + ("," if len(numbers) > 16 else "")]
        lines += [",".join(numbers[16:])] if len(numbers) > 16 else []
    lines += _set("BORE", np.intersect1d(volume.node_sets["bore"], used)) + _set("MARKED", marked_nodes(wheel))
    lines += ["*MATERIAL, NAME=STEEL", "*ELASTIC", f"{1e-6 * material.E:.12g},{material.nu:.12g}"]
    lines += ["*DENSITY", f"{1e-12 * material.rho:.12g}", "*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL"]
    wanted = n_modes
    if support == "held":
        lines += ["*BOUNDARY", "BORE,1,3"]
    else:
        reference, turn = volume.n_nodes + 1, volume.n_nodes + 2
        lines += ["*NODE", f"{reference},0.,0.,0.", f"{turn},0.,0.,0."]
        lines.append(f"*RIGID BODY, NSET=BORE, REF NODE={reference}, ROT NODE={turn}")
        wanted += RIGID_MODES
    lines += ["*STEP", "*FREQUENCY", str(wanted), "*NODE PRINT, NSET=MARKED", "U", "*END STEP", ""]
    path.write_text("\n".join(lines))


def _set(name: str, nodes: Nodes) -> list[str]:
    numbers = [str(i) for i in np.sort(nodes) + 1]
    return [f"*NSET, NSET={name}"] + [",".join(numbers[i : i + 12]) for i in range(0, len(numbers), 12)]


def run(deck: Path, sector: SectorMesh, *, threads: int = 1) -> Modes:
    """Run a deck of :func:`write_deck` and read what it wrote beside it.

    Raises
    ------
    FileNotFoundError
        If ccx is missing.
    RuntimeError
        If CalculiX stops.
    """
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    deck.with_suffix(".dat").unlink(missing_ok=True)
    begun = time.perf_counter()
    with deck.with_suffix(".log").open("w") as log:
        done = subprocess.run(
            [find_solver(), deck.stem], cwd=deck.parent, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    wall = time.perf_counter() - begun
    if done.returncode or not deck.with_suffix(".dat").exists():
        last = "\n".join(deck.with_suffix(".log").read_text().strip().splitlines()[-5:])
        raise RuntimeError(f"CalculiX stopped ({deck.with_suffix('.log')}):\n{last}")
    wheel = WheelMesh(sector)
    frequencies, displacement = read_printed(deck.with_suffix(".dat").read_text(), marked_nodes(wheel))
    elastic = frequencies > ZERO
    diameters, purity = nodal_diameters(displacement[elastic], sector.teeth)
    return Modes(
        frequencies=frequencies[elastic],
        nodal_diameters=diameters,
        purity=purity,
        wall=wall,
        nodes=wheel.volume.n_nodes,
    )


def read_printed(text: str, nodes: Nodes) -> tuple[Array, Array]:
    """Read frequencies (m,) [Hz] and displacements (m, n, 3) of some nodes, counted from 0, of a .dat file."""
    table = re.search(r"E I G E N V A L U E   O U T P U T(.*?)(?=P A R T I C I P A T I O N|\Z)", text, re.DOTALL)
    rows = [line.split() for line in (table.group(1) if table else "").splitlines()]
    frequencies = np.array([float(row[3]) for row in rows if len(row) == 5 and row[0].isdigit()])
    blocks = re.split(r"displacements \(vx,vy,vz\)[^\n]*\n", text)[1:]
    displacement = np.empty((len(frequencies), len(nodes), 3))
    for mode, block in enumerate(blocks):
        found = {}
        for line in block.splitlines():
            row = line.split()
            if len(row) == 4 and row[0].isdigit():
                found[int(row[0]) - 1] = [float(value) for value in row[1:]]
            elif found and row:
                break
        displacement[mode] = [found[int(node)] for node in nodes]
    return frequencies, displacement


def nodal_diameters(displacement: Array, teeth: int) -> tuple[Nodes, Array]:
    """Find the strongest harmonic around the wheel of displacements (m, teeth, 3) in space, and its share."""
    own = np.stack([displacement[:, k] @ sector_rotation(teeth, k) for k in range(teeth)], axis=1)
    power = (np.abs(np.fft.rfft(own, axis=1)) ** 2).sum(axis=2)
    return power.argmax(axis=1), power.max(axis=1) / power.sum(axis=1)


def matched(wanted: Nodes, found: Nodes) -> Nodes:
    """Places of modes of some nodal diameters, each kind in its own order, among those found.

    Raises
    ------
    ValueError
        If there are not as many.
    """
    left = {n: list(np.flatnonzero(found == n)) for n in np.unique(wanted)}
    if any(np.count_nonzero(wanted == n) > len(places) for n, places in left.items()):
        raise ValueError(f"nodal diameters {wanted.tolist()} are not all among {found.tolist()}")
    return np.array([left[n].pop(0) for n in wanted])
