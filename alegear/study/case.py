"""A case: what is to be computed, in SI units."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from alegear.contact.law import Friction, PenaltyLaw
from alegear.fe.material import Material
from alegear.geometry.gear_pair import GearPair
from alegear.mesh.sector import MeshOptions
from alegear.study.case_faults import CaseFault, CaseFaults

__all__ = [
    "Case",
    "CaseFault",
    "CaseFaults",
    "DynamicAnalysis",
    "Operation",
    "OutputOptions",
    "StaticAnalysis",
]


@dataclass(frozen=True, kw_only=True)
class Operation:
    """Drive and load.

    Parameters
    ----------
    driver : {"pinion", "wheel"}
    pinion_torque : float [N m]
        Magnitude on the pinion shaft; loads the front flanks.
    pinion_speed : float or None [rad/s]
        Speed of the pinion, positive; None where none is given (static studies).
    """

    driver: Literal["pinion", "wheel"] = "pinion"
    pinion_torque: float
    pinion_speed: float | None = None


@dataclass(frozen=True, kw_only=True)
class StaticAnalysis:
    """Positions of the driven gear under constant torque.

    Parameters
    ----------
    positions_per_pitch, pitches : int
    tooth_change_threshold : float or None [1]
        Phase modulo 1 of the tooth-change; None: chosen from the computed loads.
    """

    positions_per_pitch: int = 32
    pitches: int = 1
    tooth_change_threshold: float | None = None


@dataclass(frozen=True, kw_only=True)
class DynamicAnalysis:
    """Motion in time: the driver's speed is prescribed, the driven gear carries the torque.

    Parameters
    ----------
    duration, ramp : float [s]
        A ramp of 0 starts at speed under the static load.
    tolerance : float [1]
        Relative error of a step; without effect with a fixed step.
    time_step : float or None [s]
        Fixed step; None: chosen from the tolerance.
    method : {"generalized-alpha"}
    rho_inf : float [1]
        Spectral radius at infinite frequency.
    mesh_damping_ratio : float [1]
        Damping ratio of the pair's first mode.
    output_every : float [s]
    tooth_change_threshold : float or None [1]
    """

    duration: float
    ramp: float = 0.0
    tolerance: float = 1e-4
    time_step: float | None = None
    method: Literal["generalized-alpha"] = "generalized-alpha"
    rho_inf: float = 0.8
    mesh_damping_ratio: float = 0.02
    output_every: float = 2e-5
    tooth_change_threshold: float | None = None


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """What is written beside the curves.

    Parameters
    ----------
    fields, plots : bool
    field_times : tuple of float or None [s]
        Times of the fields of a dynamic study; None: twenty, evenly spread.
    """

    fields: bool = True
    field_times: tuple[float, ...] | None = None
    plots: bool = True


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
    penalty : PenaltyLaw
    friction : Friction
    window_pairs : int or None
        Number of tooth pairs forced on the window; None: from the contact ratio.
    operation : Operation
    analysis : StaticAnalysis or DynamicAnalysis
    added_inertia : (float, float) [kg m2]
        Inertia about the axis besides the gear's own.
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
    penalty: PenaltyLaw
    friction: Friction
    window_pairs: int | None
    operation: Operation
    analysis: StaticAnalysis | DynamicAnalysis
    added_inertia: tuple[float, float]
    output: OutputOptions

    @classmethod
    def from_toml(cls, path: str | Path) -> Case:
        """Read and check a case file.

        Raises
        ------
        CaseFaults
            With every fault that was found, one line each.
        """
        from alegear.study.case_reader import read_case

        return read_case(Path(path))

    @classmethod
    def from_bytes(cls, content: bytes, path: str | Path = "case.toml") -> Case:
        """Check the content of a case file; `path` names it in messages and anchors the paths it holds.

        Raises
        ------
        CaseFaults
        """
        from alegear.study.case_reader import parse_case

        return parse_case(content, Path(path))
