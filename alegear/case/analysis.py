"""``[analysis]``: which study; positions at rest and modes are here, motions in files of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from alegear.case.dynamic import DynamicAnalysis, DynamicTable, settings_without_effect
from alegear.case.faults import Finding, Findings, shown
from alegear.case.sweep import SweepTable
from alegear.case.tables import Section, analysis_table, read_field
from alegear.contact.law import TOOTH_CHANGE
from alegear.contact.numbering import GEARS
from alegear.errors import Fault, unknown_name
from alegear.limits import Limits
from alegear.mesh.grid_options import GridOptions
from alegear.parameters import Words, check_parameters, limits_of, parameters_of, words_of
from alegear.short_repr import ShortRepr


@dataclass(frozen=True, kw_only=True)
class ModalAnalysis(ShortRepr):
    """Natural vibrations under load: of a machine, or of a pair and both of its wheels.

    Parameters
    ----------
    n_modes : int
        Modes that are listed: of the machine or the pair, and of each wheel that has some, with the bore held and free.
        Wheels of a pair have them; those of a machine where normal modes vibrate.
    normal_modes : int
        Normal modes of each gear in a flexible mesh that vibrate in its machine or pair; 0: gears without elastic
        inertia.
    phase : float or None [pitches]
        Position of the driven gear about which all is linearised, in the mesh whose teeth follow most slowly; None: the
        mean over a pitch.

    Raises
    ------
    Fault
        For a value out of its range.
    """

    kind: ClassVar[str] = "modal"
    n_modes: Annotated[
        int,
        Limits(
            quantity="number of modes",
            words="number of modes of each gear and of the machine or pair",
            least=1,
            most=200,
            whole=True,
        ),
    ] = 10
    normal_modes: Annotated[
        int,
        Limits(
            quantity="normal modes of each gear that vibrate",
            words="number of normal modes of each gear that vibrate",
            least=0,
            most=200,
            whole=True,
        ),
    ] = 0
    phase: Annotated[
        float | None,
        Limits(
            quantity="position of the driven gear in pitches",
            words="position of the driven gear in pitches (mean over a pitch)",
            least=-0.5,
            most=0.5,
        ),
    ] = None

    def __post_init__(self) -> None:
        check_parameters(self)


ModalTable = analysis_table(ModalAnalysis)


MOST_POSITIONS = 100_000
POSITIONS = Limits(
    quantity="positions in a pitch",
    words="number of positions in a pitch",
    key="positions_per_pitch",
    least=1,
    most=MOST_POSITIONS,
    whole=True,
)
PITCHES = Limits(quantity="number of pitches", key="pitches", least=1, most=10000, whole=True)


@dataclass(frozen=True, kw_only=True)
class Positions(ShortRepr):
    """Positions at rest: what those of pairs and of machines have in common.

    Parameters
    ----------
    positions_per_pitch, pitches : int

    Raises
    ------
    Fault
        For a value out of its range, and more than 100 000 positions.
    """

    kind: ClassVar[str] = "static"
    positions_per_pitch: Annotated[int, POSITIONS] = 32
    pitches: Annotated[int, PITCHES] = 1

    def __post_init__(self) -> None:
        check_parameters(self)
        number = self.positions_per_pitch * self.pitches
        if number > MOST_POSITIONS:
            limit = f"at most {MOST_POSITIONS}"
            raise Fault("positions_per_pitch x pitches", number, limit, "use fewer positions or pitches")


@dataclass(frozen=True, kw_only=True)
class StaticAnalysis(Positions):
    """Positions of the driven gear under constant torque.

    Parameters
    ----------
    positions_per_pitch, pitches : int
    tooth_change_threshold : float or None [1]
        Phase modulo 1 of the tooth-change; None: chosen from the computed loads.
    grid_estimate : bool
        Whether a second, coarser grid estimates how far the peak-to-peak transmission error depends on the grid.

    Raises
    ------
    Fault
        For a value out of its range, and more than 100 000 positions.
    """

    tooth_change_threshold: Annotated[float | None, TOOTH_CHANGE] = None
    grid_estimate: Annotated[bool, Words("whether a coarser grid estimates how far the result depends on the grid")] = (
        True
    )


StaticTable = analysis_table(StaticAnalysis)


Analysis = StaticAnalysis | DynamicAnalysis | ModalAnalysis


def _settings(analysis: Analysis) -> Findings:
    if isinstance(analysis, DynamicAnalysis):
        usual = {one.name: one.default for one in parameters_of(DynamicAnalysis)}
        values = {key: (getattr(analysis, name), usual[name]) for name, key in words_of(DynamicAnalysis).items()}
        given = {key: value for key, (value, default) in values.items() if value != default}
        yield from settings_without_effect(given, analysis.normal_modes)


def _normal_modes(analysis: Analysis, law: str) -> Findings:
    if isinstance(analysis, StaticAnalysis) or not analysis.normal_modes:
        return
    if law == "penalty":
        if isinstance(analysis, ModalAnalysis):
            limit = 'goes with law = "hertz" only, which knows the compliance of its loaded points'
            remedy = 'leave it out, or write law = "hertz" in [contact]'
            yield Finding("analysis.normal_modes", shown(analysis.normal_modes), limit, remedy)
        else:
            limit = 'is not in this version with law = "penalty"'
            yield Finding("analysis.inertia", '"full"', limit, 'write law = "hertz", or inertia = "simplified"')


def _modes_of_grid(grid_options: tuple[GridOptions | None, GridOptions | None], analysis: Analysis) -> Findings:
    """Refuse more modes than a quarter of the displacements of a sector: beyond it they say nothing."""
    if isinstance(analysis, StaticAnalysis):
        return
    keys = ("normal_modes", "n_modes") if isinstance(analysis, ModalAnalysis) else ("normal_modes",)
    for gear, options in zip(GEARS, grid_options, strict=True):
        for key in keys:
            most = 0 if options is None else 3 * (options.n_nodes - options.n_bore_nodes) // 4
            if options is not None and getattr(analysis, key) > most:
                limit = f"must be at most {most}, a quarter of the displacements of a sector of the {gear}"
                yield Finding(
                    f"analysis.{key}", shown(getattr(analysis, key)), limit, "ask for fewer, or use a finer grid"
                )


SECTION = Section(
    tables={"analysis": StaticTable},
    fields=("analysis",),
    kinds={"static": StaticTable, "dynamic": DynamicTable, "modal": ModalTable, "sweep": SweepTable},
    required=True,
    read=read_field("analysis"),
    rules=(_settings, _normal_modes, _modes_of_grid),
)


@dataclass(frozen=True, kw_only=True)
class MachineStatic(Positions):
    """Positions of a machine under constant torques.

    Parameters
    ----------
    positions_per_pitch, pitches : int
        Of the mesh. Without meshes there is one position.
    mesh : str or None
        Whose pitches are counted; None: the mesh whose teeth follow each other most slowly, so that every mesh sees a
        whole pitch.
    grid_estimate : bool
        Whether a second, coarser grid of all gears estimates how far the peak-to-peak transmission errors depend on the
        grids.

    Raises
    ------
    Fault
    """

    mesh: Annotated[str | None, Words("mesh whose pitches are counted (the slowest one)")] = None
    grid_estimate: Annotated[bool, Words("whether coarser grids estimate how far the result depends on the grids")] = (
        False
    )

    def check_counts(self) -> None:
        """Refuse numbers of positions and pitches where nothing has teeth."""
        for name, limits in limits_of(MachineStatic).items():
            if getattr(self, name) != getattr(MachineStatic, name):
                limit = "left out: without meshes there is one position"
                raise Fault(limits.name, getattr(self, name), limit, f"leave out {limits.key}")

    def check_mesh(self, meshes: Sequence[str]) -> None:
        """Refuse a mesh that the machine does not have."""
        if self.mesh is not None and self.mesh not in meshes:
            raise unknown_name("mesh of the analysis", self.mesh, meshes)


MachineStaticTable = analysis_table(MachineStatic)
