"""One load step of a pair of segments in CalculiX: input deck, run, results.

Units of the deck: mm, N, MPa. Everything else here is SI.

The pinion's bore arc is rigid and turns about its axis by linear equations of a pilot node, whose first degree of
freedom is the arc r_b theta on the base circle: it carries the load torque/r_b, and its displacement is the
transmission error. The wheel's bore arc is fixed. Contact is frictionless, surface to surface, with a pressure linear
in the overlap; geometry and material are linear.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from segment_grid import GridOptions, SegmentMesh, mesh_segment

from alegear.fe.material import Material
from alegear.fe.stress import von_mises
from alegear.geometry import GearPair

Array = NDArray[np.float64]
Nodes = NDArray[np.int64]

TEETH = 5
GEARS = ("pinion", "wheel")
SIDES = {"tension": "a", "compression": "b"}  # the loaded flank of both gears is flank a
REACH = 1.5e-3  # half length of the surfaces that may touch [m]: eight times the half width of the contact
INSTALL = "CalculiX is not installed: `apt-get install calculix-ccx` (Debian, Ubuntu) provides ccx"


@dataclass(frozen=True, kw_only=True)
class ContactOptions:
    """How CalculiX treats the contact.

    Parameters
    ----------
    penalty : float [N/m^3]
        Pressure over overlap.
    settled : float
        Part of the contact elements that may still change in the last iteration. The program's own limit, 0.001, costs
        another iteration and changes nothing that is compared.
    """

    penalty: float = 3e16
    settled: float = 0.01


@dataclass(frozen=True, kw_only=True, eq=False)
class SegmentPair:
    """Both segments in mesh, in the frame of the pair: pinion axis z, x to the wheel's axis.

    Attributes
    ----------
    segments : of pinion and wheel
    points : shape (n, 3) [m]
        Nodes of the pinion, then of the wheel.
    cells : shape (m, 8)
    offset : int
        Number of the wheel's first node.
    pairs : tuple of int
        Tooth pairs whose flanks may touch.
    """

    segments: tuple[SegmentMesh, SegmentMesh]
    points: Array
    cells: Nodes
    offset: int
    pairs: tuple[int, ...]

    def fillet(self, gear: int, side: str) -> Nodes:
        """Nodes of the fillets of all teeth on one side."""
        grids = [nodes for (_, flank), nodes in self.segments[gear].fillets.items() if flank == SIDES[side]]
        return np.unique(np.concatenate([g.ravel() for g in grids])) + gear * self.offset


@dataclass(frozen=True, kw_only=True)
class LoadStep:
    """What CalculiX found and what it took.

    Attributes
    ----------
    transmission_error : float [m]
        Of the pinion, positive forward.
    root_stress : dict of str to float [Pa]
        Largest von Mises stress in the fillets by ``"gear_side"``.
    tooth_load : dict of int to float [N]
        Moment of the pair's contact forces about the pinion's axis over r_b.
    wall, cpu : float [s]
    memory : float [B]
        Largest resident set.
    increments, iterations : int
        Iterations of attempts that did not converge included.
    solver : str
        Linear solver.
    nodes : int
    threads : int
    """

    transmission_error: float
    root_stress: dict[str, float]
    tooth_load: dict[int, float]
    wall: float
    cpu: float
    memory: float
    increments: int
    iterations: int
    solver: str
    nodes: int
    threads: int


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One attempt at an increment: its iterations, and the time of the step at its end, 1 at full load."""

    converged: bool
    iterations: int
    time: float


def touching_pairs(pair: GearPair, phase: float) -> tuple[int, ...]:
    """Tooth pairs on the path of contact at a phase of the wheel; pair k comes in k pitches after pair 0."""
    first, last = pair.engagement("pinion")
    return tuple(k for k in range(-2, 3) if first <= phase - k <= last)


def starting_overlap(pair: GearPair, materials: tuple[Material, Material], phase: float, torque: float) -> float:
    """Overlap [m] along the line of action from which a step starts; part of the transmission error.

    With flanks that only just touch, the pinion would be free to turn in the first iteration. Undeformed flanks that
    overlap over the width that Hertz gives under the full load, ``b_H^2/(2 rho) = 2 q/(pi E*)`` with an equal share q
    for each pair, let CalculiX begin with about as many contact elements as it ends with, and it then needs the fewest
    iterations (3 and 4; from half of it, or two to five times as much, 5 to 8). The solution does not depend on it.
    """
    q = torque / (pair.pinion.r_b * pair.b_w * len(touching_pairs(pair, phase)))
    compliance = sum((1.0 - material.nu**2) / material.E for material in materials)
    return 2.0 * q * compliance / np.pi


def place_segments(pair: GearPair, phase: float, options: GridOptions, start: float = 0.0) -> SegmentPair:
    """Mesh both segments and put them into mesh, the wheel at a phase, the pinion `start` [m] ahead of it."""
    pairs = touching_pairs(pair, phase)
    segments, placed = [], []
    for g, (gear, d_w) in enumerate(zip(pair.gears, pair.d_w, strict=True)):
        # pair k is k teeth behind pair 0: the pinion turns by +z, the wheel by -z
        sense = 1 if g == 0 else -1
        roll_length = {k: float(pair.contact_roll_lengths(phase - k, "pinion")[g]) for k in pairs}
        contacts = {-sense * k: float(gear.tooth_profile.s_at_roll_length(xi)) for k, xi in roll_length.items()}
        segment = mesh_segment(gear, contacts, TEETH, options)
        # at phase 0 the loaded flank of tooth 0 goes through the pitch point
        angle = -gear.s_at(0.5 * d_w) / d_w + sense * phase * 2.0 * np.pi / gear.z
        angle += start / gear.r_b if g == 0 else np.pi
        c, s = np.cos(angle), np.sin(angle)
        points = segment.volume.points @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        if g == 1:
            points[:, 0] += pair.a_w
        segments.append(segment)
        placed.append(points)
    offset = len(placed[0])
    return SegmentPair(
        segments=(segments[0], segments[1]),
        points=np.concatenate(placed),
        cells=np.concatenate([segments[0].volume.cells, segments[1].volume.cells + offset]),
        offset=offset,
        pairs=pairs,
    )


# --- deck -------------------------------------------------------------------------------------------------------------


def write_deck(
    path: Path,
    pair: GearPair,
    model: SegmentPair,
    *,
    torque: float,
    material: Material,
    options: GridOptions,
    contact: ContactOptions,
) -> None:
    """Write the input deck of one load step from no load to the torque [N m] of the whole face width."""
    r_b = pair.pinion.r_b
    pilot = len(model.points) + 1
    bores = [segment.bore + g * model.offset for g, segment in enumerate(model.segments)]
    middle = np.concatenate([segment.middle + g * model.offset for g, segment in enumerate(model.segments)])
    middle = np.setdiff1d(middle, np.concatenate(bores))  # the bores are held along the axis already
    force = torque / r_b * (0.5 if options.half_face else 1.0)

    nodes = np.vstack([1e3 * model.points, np.zeros(3)])
    lines = ["*NODE, NSET=ALL"]
    lines += [f"{i},{x:.12g},{y:.12g},{z:.12g}" for i, (x, y, z) in enumerate(nodes, 1)]
    lines.append("*ELEMENT, TYPE=C3D8I, ELSET=BODY")
    lines += [f"{i},{','.join(map(str, cell))}" for i, cell in enumerate(model.cells + 1, 1)]
    for name, members in (("BORE1", bores[0]), ("BORE2", bores[1]), ("MIDDLE", middle)):
        lines += _set(name, members)
    lines += _set("ROOTS", np.unique(np.concatenate([model.fillet(g, s) for g in (0, 1) for s in SIDES])))
    lines += ["*NSET, NSET=PILOT", f"{pilot}"]
    lines += ["*MATERIAL, NAME=STEEL", "*ELASTIC", f"{1e-6 * material.E:.12g},{material.nu:.12g}"]
    lines += ["*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL"]
    lines += ["*BOUNDARY", "BORE1,3,3", "BORE2,1,3"] + (["MIDDLE,3,3"] if len(middle) else [])
    lines += ["PILOT,2,3"]
    lines += _rigid_bore(bores[0], model.points, pilot, r_b)
    lines += _contact(model, contact)
    lines += ["*STEP, INC=1000", "*CONTROLS, PARAMETERS=CONTACT", f"{contact.settled:g},0.1,100,60"]
    # all of the load in the first increment: CalculiX makes it smaller by itself if that does not converge
    lines += ["*STATIC", "1.0,1.0", "*CLOAD", f"PILOT,1,{force:.12g}"]
    lines += ["*NODE PRINT, NSET=PILOT, FREQUENCY=1000", "U"]
    for k in model.pairs:
        name = _name(k)
        lines += [f"*CONTACT PRINT, SLAVE=PINION{name}, MASTER=WHEEL{name}, FREQUENCY=1000", "CF"]
    lines += ["*EL FILE, NSET=ROOTS, FREQUENCY=1000", "S", "*END STEP", ""]
    path.write_text("\n".join(lines))


def _set(name: str, nodes: Nodes) -> list[str]:
    numbers = [str(i) for i in np.sort(nodes) + 1]
    return [f"*NSET, NSET={name}"] + [",".join(numbers[i : i + 12]) for i in range(0, len(numbers), 12)]


def _rigid_bore(bore: Nodes, points: Array, pilot: int, r_b: float) -> list[str]:
    """Equations of a turn by the small angle u/r_b: u_x = -y u/r_b, u_y = x u/r_b."""
    lines = []
    for i in bore:
        x, y, _ = points[i] / r_b
        lines += ["*EQUATION", "2", f"{i + 1},1,1.0,{pilot},1,{y:.15g}"]
        lines += ["*EQUATION", "2", f"{i + 1},2,1.0,{pilot},1,{-x:.15g}"]
    return lines


def _contact(model: SegmentPair, contact: ContactOptions) -> list[str]:
    """Surfaces of the flanks that may touch, pinion and wheel of each tooth pair."""
    element = _faces(model.cells)
    lines = ["*SURFACE INTERACTION, NAME=FLANKS", "*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR"]
    lines.append(f"{1e-9 * contact.penalty:.12g}")  # N/m^3 in N/mm^3
    for k in model.pairs:
        for g, gear in enumerate(GEARS):
            segment, tooth = model.segments[g], -k if g == 0 else k
            s, nodes = segment.arc_lengths[tooth], segment.flanks[tooth] + g * model.offset
            rows = np.flatnonzero(np.abs(0.5 * (s[1:] + s[:-1]) - _middle(s)) <= REACH)
            lines.append(f"*SURFACE, NAME={gear.upper()}{_name(k)}, TYPE=ELEMENT")
            for i in rows:
                for j in range(nodes.shape[1] - 1):
                    face = frozenset(nodes[i : i + 2, j : j + 2].ravel().tolist())
                    lines.append("{},S{}".format(*element[face]))
        lines.append("*CONTACT PAIR, INTERACTION=FLANKS, TYPE=SURFACE TO SURFACE")
        lines.append(f"PINION{_name(k)},WHEEL{_name(k)}")
    return lines


def _middle(s: Array) -> float:
    """Middle of the zone of short rows."""
    steps = np.diff(s)
    short = np.flatnonzero(steps < 1.01 * steps.min())
    return 0.5 * float(s[short[0]] + s[short[-1] + 1])


def _faces(cells: Nodes) -> dict[frozenset[int], tuple[int, int]]:
    """Element and side, counted from 1, of the outer sides parallel to the face direction (S3 ... S6)."""
    sides = {3: (0, 1, 5, 4), 4: (1, 2, 6, 5), 5: (2, 3, 7, 6), 6: (3, 0, 4, 7)}
    found: dict[frozenset[int], tuple[int, int]] = {}
    for side, corners in sides.items():
        for element, face in enumerate(cells[:, corners].tolist(), 1):
            key = frozenset(face)
            if found.pop(key, None) is None:  # a side met twice is inside
                found[key] = element, side
    return found


def _name(k: int) -> str:
    return "B" if k < 0 else "A" if k > 0 else "0"


# --- run --------------------------------------------------------------------------------------------------------------


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


def run_step(deck: Path, pair: GearPair, model: SegmentPair, *, start: float, threads: int) -> LoadStep:
    """Run a deck and read what it wrote beside it.

    Parameters
    ----------
    deck : path
        As :func:`write_deck` wrote it for `pair` and `model`.
    start : float [m]
        Overlap from which the step starts.
    threads : int
        OMP_NUM_THREADS.

    Raises
    ------
    FileNotFoundError
        If ccx is missing.
    RuntimeError
        If CalculiX stops before the full load.
    """
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    for suffix in (".dat", ".frd", ".sta", ".cvg"):
        deck.with_suffix(suffix).unlink(missing_ok=True)
    with deck.with_suffix(".log").open("w") as log:
        begun = time.perf_counter()
        process = subprocess.Popen(
            [find_solver(), deck.stem], cwd=deck.parent, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
    output = deck.with_suffix(".log").read_text()
    progress = read_progress(deck.with_suffix(".sta").read_text()) if deck.with_suffix(".sta").exists() else []
    if process.returncode or not progress or not progress[-1].converged or progress[-1].time < 1.0 - 1e-9:
        last = "\n".join(output.strip().splitlines()[-5:])
        raise RuntimeError(f"CalculiX stopped before the full load ({deck.with_suffix('.log')}):\n{last}")
    displacement, forces = read_printed(deck.with_suffix(".dat").read_text(), model.pairs)
    stress = read_stress(deck.with_suffix(".frd").read_text())
    width = 2.0 if len(model.segments[0].middle) else 1.0  # of the model's forces in those of the whole face
    return LoadStep(
        transmission_error=start + displacement,
        root_stress=largest_stress(model, stress),
        tooth_load={k: width * abs(moment) / pair.pinion.r_b for k, moment in forces.items()},
        wall=wall,
        cpu=usage.ru_utime + usage.ru_stime,
        memory=1024.0 * usage.ru_maxrss,
        increments=sum(attempt.converged for attempt in progress),
        iterations=sum(attempt.iterations for attempt in progress),
        solver=solver_name(output),
        nodes=len(model.points),
        threads=threads,
    )


def read_progress(text: str) -> list[Attempt]:
    """Rows of the .sta file; the attempts that did not converge are marked U there."""
    rows = []
    for line in text.splitlines():
        words = line.split()
        if len(words) == 7 and words[0].isdigit():
            rows.append(Attempt(converged="U" not in words[2], iterations=int(words[3]), time=float(words[5])))
    return rows


def solver_name(output: str) -> str:
    """Linear solver that CalculiX names in its output."""
    found = re.search(r"symmetric (spooles|pastix|pardiso) solver", output, re.IGNORECASE)
    return found.group(1).lower() if found else "unknown"


def read_printed(text: str, pairs: Sequence[int]) -> tuple[float, dict[int, float]]:
    """Read the .dat file: displacement of the pilot [m], contact moments of the pairs about the pinion's axis [N m]."""
    displacement = 0.0
    moments: dict[int, float] = {}
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line.lstrip().startswith("displacements"):
            displacement = 1e-3 * float(lines[i + 2].split()[1])
        elif "statistics for slave set" in line:
            slave = line.split("slave set")[1].split(",")[0].strip().upper()
            k = next(k for k in pairs if slave == f"PINION{_name(k)}")
            rest = [row for row in lines[i + 1 : i + 12] if row.strip()]
            # total force (x, y, z) and total moment about the origin (x, y, z)
            moments[k] = 1e-3 * float(rest[1].split()[5])
    return displacement, moments


def read_stress(text: str) -> Mapping[int, Array]:
    """Nodal stresses of the last increment in the .frd file [Pa]: xx, yy, zz, xy, yz, zx by node, counted from 0."""
    block = text[text.rindex(" -4  STRESS") :]
    stress: dict[int, Array] = {}
    for line in block.splitlines():
        if line.startswith(" -3"):
            break
        if line.startswith(" -1"):
            stress[int(line[3:13]) - 1] = np.array([1e6 * float(line[13 + 12 * i : 25 + 12 * i]) for i in range(6)])
    return stress


def largest_stress(model: SegmentPair, stress: Mapping[int, Array]) -> dict[str, float]:
    """Largest von Mises stress in the fillets of each gear and side [Pa]."""
    return {
        f"{gear}_{side}": float(von_mises(np.array([stress[i] for i in model.fillet(g, side).tolist()])).max())
        for g, gear in enumerate(GEARS)
        for side in SIDES
    }
