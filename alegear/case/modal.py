"""``[analysis]`` with ``kind = "modal"``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from alegear.case.tables import AnalysisTable, table_of
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr


@dataclass(frozen=True, kw_only=True)
class ModalAnalysis(ShortRepr):
    """Natural vibrations of both wheels and of the loaded pair.

    Parameters
    ----------
    n_modes : int
        Modes of each gear that are listed, with the bore held and free, and of the pair.
    normal_modes : int
        Normal modes of each gear that vibrate in the pair; 0: gears without elastic inertia.
    phase : float or None [pitches]
        Position of the driven gear at which the pair is linearised; None: the mean over a pitch.

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
            words="number of modes of each gear and of the pair",
            least=1,
            most=200,
            whole=True,
        ),
    ] = 10
    normal_modes: Annotated[
        int,
        Limits(
            quantity="normal modes of each gear that vibrate in the pair",
            words="number of normal modes of each gear that vibrate in the pair",
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


class ModalTable(AnalysisTable, table_of(ModalAnalysis)):  # type: ignore[misc]
    """``[analysis]`` with ``kind = "modal"``."""

    kind: Literal["modal"] = Field(description="kind of analysis")
