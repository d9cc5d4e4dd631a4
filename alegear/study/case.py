"""A case: what is to be computed, in SI units."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from alegear.contact.law import Friction, PenaltyLaw
from alegear.dynamics.joints import TorsionShaft
from alegear.dynamics.support import Support
from alegear.fe.material import Material
from alegear.geometry.gear_pair import GearPair
from alegear.mesh.sector import MeshOptions
from alegear.study.case_faults import CaseFault, CaseFaults
from alegear.study.case_reader import parse_case, read_case
from alegear.study.settings import DynamicAnalysis, ModalAnalysis, Operation, OutputOptions, StaticAnalysis

__all__ = [
    "Case",
    "CaseFault",
    "CaseFaults",
    "DynamicAnalysis",
    "ModalAnalysis",
    "Operation",
    "OutputOptions",
    "StaticAnalysis",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A complete and consistent case in SI units; pairs of values are (pinion, wheel).

    Parameters
    ----------
    title : str
    path : Path
        The file it was read from.
    sha256 : str
        Hash of that file.
    pair : GearPair
    materials : (Material, Material)
    mesh_options : (MeshOptions, MeshOptions)
    mesh_files : (Path or None, Path or None)
        Sector meshes made elsewhere.
    teeth_modelled : (int or None, int or None)
        Teeth of a segment with free cut sides; None: the whole wheel.
    law : {"hertz", "penalty"}
        Law of contact.
    slices : int or None
        Slices of the common face of the law "hertz"; None: chosen from the grid.
    penalty : PenaltyLaw
        Constants of the law "penalty".
    friction : Friction
    window_pairs : int or None
        Number of tooth pairs forced on the window; None: from the contact ratio.
    operation : Operation
    analysis : StaticAnalysis, DynamicAnalysis or ModalAnalysis
    added_inertia : (float, float) [kg m2]
        Inertia about the axis besides the gear's own.
    supports : (Support or None, Support or None)
        Bearings that give way; None: a hinge.
    shafts : (TorsionShaft or None, TorsionShaft or None)
        Between pinion and wheel and their drive or load; None: rigid.
    output : OutputOptions
    """

    title: str
    path: Path
    sha256: str
    pair: GearPair
    materials: tuple[Material, Material]
    mesh_options: tuple[MeshOptions, MeshOptions]
    mesh_files: tuple[Path | None, Path | None]
    teeth_modelled: tuple[int | None, int | None]
    law: Literal["hertz", "penalty"]
    slices: int | None
    penalty: PenaltyLaw
    friction: Friction
    window_pairs: int | None
    operation: Operation
    analysis: StaticAnalysis | DynamicAnalysis | ModalAnalysis
    added_inertia: tuple[float, float]
    supports: tuple[Support | None, Support | None]
    shafts: tuple[TorsionShaft | None, TorsionShaft | None]
    output: OutputOptions

    @classmethod
    def from_toml(cls, path: str | Path) -> Case:
        """Read and check a case file.

        Raises
        ------
        CaseFaults
            With every fault that was found, one line each.
        """
        return cls(**read_case(Path(path)))

    @classmethod
    def from_bytes(cls, content: bytes, path: str | Path = "case.toml") -> Case:
        """Check the content of a case file; `path` names it in messages and anchors the paths it holds.

        Raises
        ------
        CaseFaults
        """
        return cls(**parse_case(content, Path(path)))
