"""Grid estimate of the peak-to-peak transmission error: the same positions on a second, coarser one.

Half the elements in every direction and half the slices cost about a tenth, in a thread beside the first grid, whose
positions follow from each other one by one. The mean transmission error hardly feels them; the peak-to-peak one, a
small difference of large numbers, may. Where the error falls with the square of the size, that of the first grid is a
third of the difference: the difference itself is on the safe side.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING

import numpy as np

from alegear.case.analysis import MachineStatic
from alegear.errors import AnalysisFailure, Fault
from alegear.mesh.grid_options import GridOptions
from alegear.parallel import one_by_one
from alegear.progress import Silent
from alegear.reduction.memory import counts_what_is_held
from alegear.studies.equilibria import MachinePosition, MachineSolver
from alegear.studies.preparation import prepare_meshes
from alegear.studies.reference_pitch import planned_drives, turned_drives

if TYPE_CHECKING:
    from alegear.ale import ToothWindow
    from alegear.case.machine import MachineCase

FEWEST = {
    "flank_elements": 4,
    "fillet_elements": 4,
    "thickness_elements": 4,
    "width_elements": 2,
    "rim_elements": 4,
}  # a coarser grid says nothing
NOTABLE = 0.25  # of the peak-to-peak transmission error
SMALLEST = 5e-6  # modules, 20 nm of module 4 mm; nobody hears what is below


def coarser(case: MachineCase, slices: Mapping[str, int]) -> MachineCase | None:
    """The case with half the elements and slices over a pitch; None where a grid is made elsewhere or cannot be halved.

    And None with the law penalty.

    Parameters
    ----------
    case : MachineCase
        Static.
    slices : mapping of str to int
        That the flexible meshes have, given or by default.
    """
    places = [case.layout.place(name) for name in slices]
    pairs = {place.mesh.name: (case.pair_case(place), place.mesh.gears) for place in places}
    if any(pair.law != "hertz" for pair, _ in pairs.values()):
        return None
    if any(n < 2 * FEWEST["width_elements"] for n in slices.values()):
        return None
    options = {}
    for pair, names in pairs.values():
        for gear, given in zip(names, pair.grid_options, strict=True):
            if given is None:
                return None
            half = _half(given)
            if any(half[name] < least for name, least in FEWEST.items()):
                return None
            options[gear] = replace(given, **half)
    meshes = [
        replace(mesh, law=mesh.law.with_slices(slices[mesh.name] // 2)) if mesh.name in slices else mesh
        for mesh in case.meshes
    ]
    gears = [replace(one, grid_options=options[one.name]) if one.name in options else one for one in case.gears]
    assert isinstance(case.analysis, MachineStatic)
    analysis = replace(case.analysis, pitches=1, grid_estimate=False)
    return replace(case, gears=tuple(gears), meshes=tuple(meshes), analysis=analysis, preset=None)


def _half(options: GridOptions) -> dict[str, int]:
    counts = {name: getattr(options, name) // 2 for name in FEWEST}
    return {name: count + count % options.order for name, count in counts.items()}  # order 2 takes even numbers


class SecondGrid:
    """A coarser case in a thread beside the first, meshed and reduced at once.

    The thread holds nobody up: it ends when the process does, and after :meth:`cancel` at the next position.

    Parameters
    ----------
    case : MachineCase
        :func:`coarser`.
    held : float [bytes]
        Memory of the first grid. Where ALEGEAR_MEMORY_MB sets the limit both together must keep it, else there is no
        second grid; what the machine has left is already without what the first one holds.

    Attributes
    ----------
    memory : float [bytes]
        Upper bound of what its arrays took; zero as long as it is not reduced.
    """

    def __init__(self, case: MachineCase, held: float = 0.0) -> None:
        self.memory = 0.0
        self._case, self._held = case, held
        self._windows: SimpleQueue[Mapping[str, ToothWindow] | None] = SimpleQueue()
        self._cancelled = Event()
        self._found: Future[dict[str, float]] = Future()
        Thread(target=one_by_one(self._work), name="second grid", daemon=True).start()

    def peak_to_peak(self, windows: Mapping[str, ToothWindow]) -> Future[dict[str, float]]:
        """Peak-to-peak transmission error [m] of each flexible mesh in windows; empty where it cannot be computed."""
        self._windows.put(windows)
        return self._found

    def cancel(self) -> None:
        """Give up what is not done yet; whoever waits gets nothing."""
        self._cancelled.set()
        self._windows.put(None)

    def _work(self) -> None:
        try:
            self._found.set_result(self._solve())
        except (Fault, AnalysisFailure):
            self._found.set_result({})
        except BaseException as error:
            self._found.set_exception(error)

    def _solve(self) -> dict[str, float]:
        case, held = self._case, {"the first grid": self._held} if counts_what_is_held() else {}
        prepared = prepare_meshes(case, Silent(), lambda: None, held, fields=False, root_stress=False)
        self.memory = max(one.memory for one in prepared.values()) - sum(held.values())
        windows = self._windows.get()
        if windows is None:
            return {}
        assert isinstance(case.analysis, MachineStatic)
        solver, positions = MachineSolver(case, prepared, windows), list[MachinePosition]()
        for turned in planned_drives(case, case.analysis).tolist():
            if self._cancelled.is_set():
                return {}
            drives = turned_drives(case, turned, case.analysis.mesh)
            positions.append(solver.solve(drives, positions[-1] if positions else None))
        return {name: float(np.ptp([solver.transmission_error(name, one) for one in positions])) for name in prepared}


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
