"""Files of condensed matrices: text with named points, and .mtx of Abaqus and CalculiX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from alegear.errors import Fault
from alegear.storage.whole_file import TABLE_BYTES, cell_shown, read_regular, reason_of
from alegear.system.coordinates import Array

MOTIONS = ("x", "y", "z", "tilt x", "tilt y", "tilt z")
#: Of a node and its degree of freedom, 1 to 6.
Entry = tuple[int, int]
Entries = dict[tuple[Entry, Entry], float]
HEADING = "alegear-stiffness 1"
#: Where the format of a text file stands.
FORMAT = 'see "Files of housings" in docs/machines.md'


# ------------------------------------------------------------------- text file
def read_points_and_matrices(path: Path) -> dict[str, Any]:
    """Read a text file as docs/machines.md has it: a heading, ``points``, ``stiffness`` and perhaps ``mass``.

    Returns
    -------
    dict
        Of a housing: ``points`` by name (3,) [m], ``motions`` by point, ``stiffness`` and ``mass`` [N, m, rad, kg].

    Raises
    ------
    Fault
        With the line.
    """
    lines = [(number, line.split("#")[0].strip()) for number, line in enumerate(_lines(path), start=1)]
    lines = [(number, line) for number, line in lines if line]
    if not lines or lines[0][1] != HEADING:
        raise Fault(f"first line of {path.name}", lines[0][1] if lines else "empty", f'"{HEADING}"', FORMAT)
    blocks: dict[str, list[tuple[int, list[str]]]] = {}
    block: list[tuple[int, list[str]]] | None = None
    for number, line in lines[1:]:
        if line in ("points", "stiffness", "mass") and line not in blocks:
            block = blocks.setdefault(line, [])
        elif block is None:
            raise Fault(f"line {number} of {path.name}", line, "points, stiffness or mass", "begin a block")
        else:
            block.append((number, line.split()))
    for needed in ("points", "stiffness"):
        if not blocks.get(needed):
            raise Fault(f"block {needed} of {path.name}", "not there", "there", FORMAT)
    points, motions = {}, {}
    for number, words in blocks["points"]:
        where = f"line {number} of {path.name}"
        if len(words) < 4:
            raise Fault(where, cell_shown(" ".join(words)), "a name and three coordinates", FORMAT)
        points[words[0]] = np.array(_numbers(where, words[1:4]))
        motions[words[0]] = tuple(_motion(where, word) for word in words[4:]) or MOTIONS
    n = sum(len(of) for of in motions.values())
    return {
        "points": points,
        "motions": motions,
        "stiffness": _block_matrix(path, blocks["stiffness"], n),
        "mass": _block_matrix(path, blocks["mass"], n) if "mass" in blocks else None,
    }


def _motion(where: str, word: str) -> str:
    short = dict(zip(("x", "y", "z", "rx", "ry", "rz"), MOTIONS, strict=True))
    if word not in short:
        raise Fault(
            where,
            word if len(word) <= 3 else cell_shown(word),
            f"of {', '.join(short)}",
            "correct it, or leave out all six",
        )
    return short[word]


def _block_matrix(path: Path, block: list[tuple[int, list[str]]], n: int) -> Array:
    """A full matrix, or its lower triangle."""
    if len(block) != n:
        limit = f"{n}, one a motion of the points"
        raise Fault(f"rows of the matrix in line {block[0][0]} and after of {path.name}", len(block), limit, "add rows")
    lower = all(len(words) == row + 1 for row, (_, words) in enumerate(block))
    matrix = np.zeros((n, n))
    for row, (number, words) in enumerate(block):
        where = f"line {number} of {path.name}"
        if not lower and len(words) != n:
            limit = f"{n} numbers, or {row + 1} of a lower triangle"
            raise Fault(where, f"{len(words)} numbers", limit, FORMAT)
        matrix[row, : len(words)] = _numbers(where, words)
    return matrix + np.tril(matrix, -1).T if lower else matrix


# --------------------------------------------------------------------- .mtx
def read_mtx(path: Path, kind: str, *, optional: bool = False) -> Entries | None:
    """Entries of a matrix by node and degree of freedom; ``kind`` is STIFFNESS or MASS.

    Raises
    ------
    Fault
        With the line, or if the matrix is not there and not optional.
    """
    lines = _lines(path)
    if any(line.upper().replace(" ", "").startswith("*USERELEMENT") for line in lines):
        return _substructure(path, lines, kind, optional)
    if optional:  # a file of the other kind holds one matrix
        return None
    found: Entries = {}
    for number, line in enumerate(lines, start=1):
        words = line.replace(",", " ").split()
        if not words or line.startswith("*"):
            continue
        where = f"line {number} of {path.name}"
        if len(words) != 5:
            raise Fault(
                where, cell_shown(line.strip()), "node, dof, node, dof, value", "write it with FORMAT=MATRIX INPUT"
            )
        numbers = _numbers(where, words)
        one, other = (int(numbers[0]), int(numbers[1])), (int(numbers[2]), int(numbers[3]))
        _put(found, one, other, numbers[4], where)
    return found


def _substructure(path: Path, lines: Sequence[str], kind: str, optional: bool) -> Entries | None:
    """``*SUBSTRUCTURE MATRIX OUTPUT``: nodes, degrees of freedom of each, lower triangle."""
    nodes: list[int] = []
    dofs: dict[int, list[int]] = {}
    values: list[float] = []
    state, found = "", False
    for number, line in enumerate(lines, start=1):
        where = f"line {number} of {path.name}"
        key = line.upper().replace(" ", "").rstrip(",")
        if key.startswith("**"):
            if key == "**ELEMENTNODES":
                state = "nodes"
            elif state == "nodes":
                nodes += [int(n) for n in _numbers(where, line.strip("*").replace(",", " ").split())]
            continue
        if key.startswith("*"):
            state = "values" if key == f"*MATRIX,TYPE={kind}" else ""
            found = found or state == "values"
            continue
        words = line.replace(",", " ").split()
        if not words:
            continue
        if state in ("nodes", "dofs"):
            numbers = [int(n) for n in _numbers(where, words)]
            position, own = (1, numbers) if state == "nodes" else (numbers[0], numbers[1:])
            dofs[position], state = own, "dofs"
        elif state == "values":
            values += _numbers(where, words)
    if not found:
        if optional:
            return None
        raise Fault(f"matrix in {path.name}", "not there", f"*MATRIX,TYPE={kind}", f"ask for {kind}=YES")
    entries: list[Entry] = []
    of_node: list[int] = []
    for position, node in enumerate(nodes, start=1):
        of_node = dofs.get(position, of_node)  # what is not given again stays
        entries += [(node, dof) for dof in of_node]
    n = len(entries)
    if len(values) != n * (n + 1) // 2:
        limit = f"{n * (n + 1) // 2}, a lower triangle of {n}"
        raise Fault(f"numbers of the matrix in {path.name}", len(values), limit, "write the file again")
    rows, columns = np.tril_indices(n)
    pairs = zip(rows.tolist(), columns.tolist(), values, strict=True)
    return {(entries[row], entries[column]): value for row, column, value in pairs}


def _put(found: Entries, one: Entry, other: Entry, value: float, where: str) -> None:
    for pair in ((one, other), (other, one)):
        if pair in found and found[pair] != value:
            raise Fault(where, value, f"{found[pair]!r}, as given before or mirrored", "make the matrix symmetric")
    found[one, other] = value


def by_points(
    path: Path,
    entries: Entries | None,
    names: Mapping[int, str],
    order: Sequence[tuple[str, str]] | None = None,
) -> tuple[Array, list[tuple[str, str]]]:
    """Matrix (n, n) of entries, and point and motion of its rows: points as named, degrees of freedom rising.

    Raises
    ------
    Fault
        If a node of the file has no name, a name no node, or a degree of freedom is not of 1 to 6.
    """
    assert entries is not None
    used = {entry for pair in entries for entry in pair}
    for node, dof in sorted(used):
        if node not in names:
            raise Fault(f"node of {path.name}", node, f"one of {sorted(names)}", "name it, with its coordinates")
        if not 1 <= dof <= len(MOTIONS):
            raise Fault(f"degree of freedom of node {node} of {path.name}", dof, "1 to 6", "condense to displacements")
    for node, name in names.items():
        if not any(node == of for of, _ in used):
            raise Fault(f"node of point {name}", node, f"one of {path.name}", "correct its number")
    found = [(names[node], MOTIONS[dof - 1]) for node in names for dof in sorted(d for n, d in used if n == node)]
    rows = list(order or found)
    place = {row: number for number, row in enumerate(rows)}
    matrix = np.zeros((len(rows), len(rows)))
    for (one, other), value in entries.items():
        i, j = (place[names[node], MOTIONS[dof - 1]] for node, dof in (one, other))
        matrix[i, j] = matrix[j, i] = value
    return matrix, rows


def _lines(path: Path) -> list[str]:
    try:
        return read_regular(path, TABLE_BYTES).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "no text in UTF-8"
        raise Fault("matrix file", str(path), "a text file that can be read", f"correct the path ({reason})") from error


def _numbers(where: str, words: Sequence[str]) -> list[float]:
    try:
        return [float(word.replace("D", "E").replace("d", "e")) for word in words]
    except ValueError as error:
        raise Fault(where, cell_shown(" ".join(words)), "numbers", "correct it") from error
