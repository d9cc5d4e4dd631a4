"""``[analysis]`` with ``kind = "modal"``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field

from alegear.case.case_file import CaseFile
from alegear.case.schema import Table, limited
from alegear.limits import Limits, check_numbers
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

    LIMITS: ClassVar[dict[str, Limits]] = {
        "n_modes": Limits(quantity="number of modes", key="n_modes", least=1, most=200, whole=True),
        "normal_modes": Limits(
            quantity="normal modes of each gear that vibrate in the pair",
            key="normal_modes",
            least=0,
            most=200,
            whole=True,
        ),
        "phase": Limits(
            quantity="position of the driven gear in pitches", key="phase", least=-0.5, most=0.5, optional=True
        ),
    }
    kind: ClassVar[str] = "modal"
    n_modes: int = 10
    normal_modes: int = 0
    phase: float | None = None

    def __post_init__(self) -> None:
        check_numbers(self)


class ModalTable(Table):
    """``[analysis]`` with ``kind = "modal"``."""

    kind: Literal["modal"] = Field(description="kind of analysis")
    n_modes: int = limited(
        ModalAnalysis.LIMITS["n_modes"], "number of modes of each gear and of the pair (10)", default=10
    )
    normal_modes: int = limited(
        ModalAnalysis.LIMITS["normal_modes"],
        "number of normal modes of each gear that vibrate in the pair (0)",
        default=0,
    )
    phase: float | None = limited(
        ModalAnalysis.LIMITS["phase"], "position of the driven gear in pitches (mean over a pitch)", default=None
    )

    def analysis(self, file: CaseFile) -> ModalAnalysis:
        """Return the analysis in SI units."""
        return ModalAnalysis(**self.model_dump(exclude={"kind"}))
