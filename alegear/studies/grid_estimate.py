"""Grid estimate of the peak-to-peak transmission error: the same positions on a second, coarser one.

Half the elements in every direction and half the slices cost about a tenth, in a thread beside the first grid, whose
positions follow from each other one by one. The mean transmission error hardly feels them; the peak-to-peak one, a
small difference of large numbers, may. Where the error falls with the square of the size, that of the first grid is a
third of the difference: the difference itself is on the safe side.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.errors import AnalysisFailure, Fault
from alegear.mesh.sector import GridOptions
from alegear.parallel import one_by_one
from alegear.progress import Silent
from alegear.reduction.memory import counts_what_is_held
from alegear.studies.preparation import prepare
from alegear.studies.static import StaticSolver

if TYPE_CHECKING:
    from alegear.ale import ToothWindow
    from alegear.case.case import Case

FEWEST = {
    "flank_elements": 4,
    "fillet_elements": 4,
    "thickness_elements": 4,
    "width_elements": 2,
    "rim_elements": 4,
}  # a coarser grid says nothing
NOTABLE = 0.25  # of the peak-to-peak transmission error
SMALLEST = 5e-6  # modules, 20 nm of module 4 mm; nobody hears what is below


def coarser(case: Case, n_slices: int) -> Case | None:
    """The case with half the elements and slices; None for grids made elsewhere, too coarse ones, and the law penalty.

    Parameters
    ----------
    case : Case
    n_slices : int
        That the case has, given or by default.
    """
    if case.law != "hertz" or n_slices < 2 * FEWEST["width_elements"]:
        return None
    halves = []
    for options in case.grid_options:
        if options is None:
            return None
        half = _half(options)
        if any(half[name] < least for name, least in FEWEST.items()):
            return None
        halves.append(replace(options, **half))
    return replace(case, grid_options=(halves[0], halves[1]), slices=n_slices // 2)


def _half(options: GridOptions) -> dict[str, int]:
    counts = {name: getattr(options, name) // 2 for name in FEWEST}
    return {name: count + count % options.order for name, count in counts.items()}  # order 2 takes even numbers


class SecondGrid:
    """A coarser case in a thread beside the first, meshed and reduced at once.

    The thread holds nobody up: it ends when the process does, and after :meth:`cancel` at the next position.

    Parameters
    ----------
    case : Case
        :func:`coarser`.
    held : float [bytes]
        Memory of the first grid. Where ALEGEAR_MEMORY_MB sets the limit both together must keep it, else there is no
        second grid; what the machine has left is already without what the first one holds.

    Attributes
    ----------
    memory : float [bytes]
        Upper bound of what its arrays took; zero as long as it is not reduced.
    """

    def __init__(self, case: Case, held: float = 0.0) -> None:
        self.memory = 0.0
        self._case, self._held = case, held
        self._positions: SimpleQueue[tuple[ToothWindow, NDArray[np.float64]] | None] = SimpleQueue()
        self._cancelled = Event()
        self._found: Future[float | None] = Future()
        Thread(target=one_by_one(self._work), name="second grid", daemon=True).start()

    def peak_to_peak(self, window: ToothWindow, phases: NDArray[np.float64]) -> Future[float | None]:
        """Peak-to-peak transmission error at phases of the driven gear [m]; None where it cannot be computed."""
        self._positions.put((window, phases))
        return self._found

    def cancel(self) -> None:
        """Give up what is not done yet; whoever waits gets None."""
        self._cancelled.set()
        self._positions.put(None)

    def _work(self) -> None:
        try:
            self._found.set_result(self._solve())
        except (Fault, AnalysisFailure):
            self._found.set_result(None)
        except BaseException as error:
            self._found.set_exception(error)

    def _solve(self) -> float | None:
        held = {"the first grid": self._held} if counts_what_is_held() else {}
        prepared = prepare(self._case, Silent(), held, fields=False, root_stress=False)
        self.memory = prepared.memory - sum(held.values())
        given = self._positions.get()
        if given is None:
            return None
        window, phases = given
        solver, error, guess = StaticSolver.of(self._case, prepared.contact, prepared.gears), [], None
        for phase in phases:
            if self._cancelled.is_set():
                return None
            guess = solver.solve(float(phase), window.first_pair(float(phase)), guess).deflection
            error.append(guess)
        return float(np.ptp(error))


def grid_warnings(peak_to_peak: float, change: float, m_n: float) -> list[str]:
    """Warn where half the elements and slices change the peak-to-peak transmission error [m] by a notable part.

    Parameters
    ----------
    peak_to_peak, change : float [m]
    m_n : float [m]
        Normal module.
    """
    if change <= max(NOTABLE * peak_to_peak, SMALLEST * m_n):
        return []
    return [
        f"peak-to-peak transmission error {1e6 * peak_to_peak:.3g} um changes by {1e6 * change:.3g} um on a grid of "
        f"half the elements and slices, more than {100.0 * NOTABLE:.0f} %: it depends on the grid; raise "
        "width_elements, flank_elements and slices until te_peak_to_peak_grid_um is small, and do not rank designs by "
        "it before"
    ]
