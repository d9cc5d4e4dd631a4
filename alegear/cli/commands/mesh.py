"""``alegear mesh``: write the sector grids of all gears."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from alegear.cli.arguments import Commands, folder_name
from alegear.cli.printing import print_line, relative
from alegear.errors import Fault, one_line

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.machine import MachineCase
    from alegear.mesh.sector import SectorMesh


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to those of the program."""
    parser = commands.add_parser("mesh", help="write the grids of one tooth sector of each gear (.msh and .vtu)")
    parser.add_argument("case", type=Path, metavar="CASE.toml")
    out_help = "folder of the grids (default: <case>_mesh, here)"
    parser.add_argument("--out", type=folder_name, metavar="DIR", help=out_help)
    parser.set_defaults(command=_mesh)
    return parser


def _mesh(args: argparse.Namespace) -> None:
    """Write the sector grids of all gears."""
    from alegear.case.from_file import case_from_file
    from alegear.checks.environment import check_environment
    from alegear.mesh.exchange import write_mesh
    from alegear.storage.store import ResultFolder

    check_environment()
    case = case_from_file(args.case)
    out = args.out or Path(f"{args.case.stem}_mesh")
    pairs = _pairs(case)
    gears = dict.fromkeys(name for _, names in pairs for name in names)
    parts = tuple(f"{name}{ending}" for name in gears for ending in (".msh", ".vtu"))
    with ResultFolder(out, parts=parts, adds=True) as folder:
        for name, sector in _sectors(pairs):
            for ending in (".msh", ".vtu"):
                write_mesh(folder.path / f"{name}{ending}", sector)
            volume = sector.volume
            print_line(one_line(f"{name}: sector of {len(volume.points)} nodes, {len(volume.cells)} elements"))
        place = folder.commit()
    print_line(one_line(f"written to {relative(place)}"))


def _pairs(case: Case | MachineCase) -> list[tuple[Case, tuple[str, str]]]:
    """Pairs of gears of a case with their names, of a machine those in flexible meshes: only these have grids."""
    from alegear.case.case import Case

    if isinstance(case, Case):
        return [(case, ("pinion", "wheel"))]
    if case.is_torsional or case.in_space:
        limit = "one with gears in flexible meshes: rigid bodies and torsional parts have no grids"
        raise Fault("machine", case.title, limit, "alegear check prints its parts, alegear run computes it")
    flexible = [place for place in case.layout.meshes if place.mesh.law.needs_contact]
    if not flexible:
        raise Fault("flexible meshes", 0, "at least 1: only their gears have grids", 'write fidelity = "flexible"')
    return [(case.pair_case(place), place.mesh.gears) for place in flexible]


def _sectors(pairs: list[tuple[Case, tuple[str, str]]]) -> Iterator[tuple[str, SectorMesh]]:
    """Names and grids of the gears of pairs."""
    from alegear.checks.before_run import given_sectors
    from alegear.mesh.sector import mesh_sector

    given = [given_sectors(pair) for pair, _ in pairs]
    done: set[str] = set()
    for (pair, names), sectors in zip(pairs, given, strict=True):
        for name, gear, options, made in zip(names, pair.pair.gears, pair.grid_options, sectors, strict=True):
            if name not in done:
                done.add(name)
                yield name, mesh_sector(gear, options) if made is None else made
