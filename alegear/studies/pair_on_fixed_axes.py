"""Two gears on fixed axes with any law of their mesh, at rest over a pitch and in motion: the smallest machine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from alegear.arrays import Array, Indices
from alegear.case.analysis import MachineStatic
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.machine import Analysis, MachineCase
from alegear.case.output import OutputOptions
from alegear.drivetrain.gear_mesh import GearMesh, MeshLaw
from alegear.drivetrain.laws import law_of, names_of
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.shaft import Shaft
from alegear.fe.material import Material
from alegear.geometry.alignment import Alignment
from alegear.geometry.gear_pair import GearPair
from alegear.limits import Limits, check_pair
from alegear.mesh.grid_options import GridOptions
from alegear.parameters import check_parameters
from alegear.progress import Silent
from alegear.results.contact_result import ContactHistory
from alegear.results.machine_result import MachineHistory
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.preparation import PreparedPair, prepare_meshes
from alegear.studies.static import StaticStudy

#: Pitches of a motion; losses are those of the last one, after what the start has left.
PITCHES = 2
#: Samples of a pitch of motion.
SAMPLES = 32
#: Of each study that is timed, the faster one counts: the first compiles, or reads what is compiled.
RUNS = 2
GEARS, MESH = ("pinion", "wheel"), "mesh"
SHAFTS = ("pinion shaft", "wheel shaft")
Study = TypeVar("Study", StaticStudy, DynamicStudy)
_QUIET = OutputOptions(plots=False, fields=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class PairOnFixedAxes:
    """Two gears on fixed axes, the pinion driven at a speed, the wheel loaded: the smallest machine.

    Parameters
    ----------
    pair : GearPair
    torque : float [N m], speed : float [rad/s]
        Of the pinion.
    friction : float
        Coefficient of friction.
    positions : int
        In a pitch.
    materials : (Material, Material)
    grid_options : (GridOptions or None, GridOptions or None)
    grid_files : pair of paths or None
    contact : mapping
        Slices and window of a flexible mesh where they are given.

    Raises
    ------
    Fault
    """

    pair: GearPair
    torque: Annotated[
        float, Limits(quantity="torque on the pinion shaft", key="torque", unit="N m", least=1e-6, most=1e12)
    ]
    speed: Annotated[float, Limits(quantity="speed of the pinion", key="speed", unit="rad/s", least=1e-3, most=1e5)]
    friction: Annotated[
        float, Limits(quantity="coefficient of friction", key="friction", least=0.0, most=1.0, below=True)
    ]
    positions: Annotated[
        int, Limits(quantity="positions in a pitch", key="positions", least=3, most=10_000, whole=True)
    ]
    materials: tuple[Material, Material] = field(default_factory=lambda: (Material(), Material()))
    grid_options: tuple[GridOptions | None, GridOptions | None] = (None, None)
    grid_files: tuple[Any, Any] = (None, None)
    contact: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_parameters(self)
        check_pair(self, "materials", Material)
        check_pair(self, "grid_options", GridOptions, optional=True)

    @property
    def period(self) -> float:
        """Time of a pitch [s]."""
        return 2.0 * math.pi / abs(self.pair.pinion.z) / self.speed

    @property
    def load(self) -> float:
        """Torque of the wheel without losses [N m]."""
        return self.torque * abs(self.pair.wheel.z / self.pair.pinion.z)

    @cached_property
    def tilts(self) -> Alignment:
        """The alignment without what is in the positions of both shafts."""
        return replace(self.pair.alignment, axial_offset=0.0, center_distance_error=0.0)

    def law(self, fidelity: str, **given: Any) -> MeshLaw:
        """The law of the mesh, with the tilts of the shafts if it knows them."""
        own = names_of(type(law_of(fidelity, MESH, **given)))
        return law_of(fidelity, MESH, **({"alignment": self.tilts} if "alignment" in own else {}), **given)

    def case(self, law: MeshLaw, analysis: Analysis) -> MachineCase:
        """The machine with a law of its mesh."""
        pair = self.pair
        positions = ((0.0, 0.0, 0.0), (abs(pair.a_w), 0.0, -pair.alignment.axial_offset))
        gears = zip(GEARS, SHAFTS, pair.gears, self.materials, self.grid_options, self.grid_files, strict=True)
        return MachineCase(
            title="a gear pair",
            shafts=tuple(
                Shaft(name=name, fixed_axis=True, position=at) for name, at in zip(SHAFTS, positions, strict=True)
            ),
            gears=tuple(
                ShaftGear(
                    name=name, shaft=shaft, at=0.0, gear=gear, material=material, grid_options=options, mesh_file=file
                )
                for name, shaft, gear, material, options, file in gears
            ),
            meshes=(GearMesh(name=MESH, gears=GEARS, law=law),),
            drives=(Drive(name="drive", shaft=SHAFTS[0], speed=self.speed),),
            loads=(TorqueLoad(name="load", shaft=SHAFTS[1], torque=self.load),),
            analysis=analysis,
            output=_QUIET,
        )

    # ---------------------------------------------------------------- studies
    def prepared(self, law: MeshLaw) -> tuple[dict[str, PreparedPair], float]:
        """Grids and their reduction where the law needs them, and the processor time that they took [s]."""
        begun = time.process_time()
        case = self.case(law, MachineStatic(positions_per_pitch=self.positions))
        found = prepare_meshes(case, Silent(), lambda: None, fields=False)
        return found, time.process_time() - begun if found else 0.0

    def at_rest(
        self, law: MeshLaw, prepared: Mapping[str, PreparedPair], *, runs: int = RUNS
    ) -> tuple[StaticStudy, float]:
        """Equilibria over a pitch, and the processor time of one [s]."""
        case = self.case(law, MachineStatic(positions_per_pitch=self.positions))
        study, seconds = _fastest(lambda: StaticStudy(case, prepared), runs)
        return study, seconds / self.positions

    def in_motion(
        self,
        law: MeshLaw,
        prepared: Mapping[str, PreparedPair],
        *,
        runs: int = RUNS,
        tolerance: float = DynamicAnalysis.tolerance,
    ) -> tuple[DynamicStudy, float]:
        """A motion over some pitches without damping of the mesh, and the processor time of a second of it [1].

        What is lost is lost by sliding then.
        """
        analysis = DynamicAnalysis(
            duration=PITCHES * self.period,
            output_every=self.period / SAMPLES,
            mesh_damping_ratio=0.0,
            tolerance=tolerance,
        )
        case = self.case(law, analysis)
        study, seconds = _fastest(lambda: DynamicStudy(case, prepared), runs)
        return study, seconds / analysis.duration

    def lost(self, study: DynamicStudy) -> float:
        """Part of the power put in that was lost in the last pitch of a motion."""
        lost, angle = (study.history().samples.read(name) for name in ("energy_dissipated", "drive_angle"))
        taken = self.torque * (angle[-1] - angle[-1 - SAMPLES])
        own = lost[-1] - lost[-1 - SAMPLES]
        return float(own / (own + taken))


def _fastest(make: Callable[[], Study], runs: int) -> tuple[Study, float]:
    """A study that has run, and the least processor time of some runs [s]."""
    least = math.inf
    with threadpool_limits(limits=1, user_api="blas"):
        for _ in range(runs):
            study = make()
            begun = time.process_time()
            study.run(Silent())
            least = min(least, time.process_time() - begun)
    return study, least


def tooth_loads(history: MachineHistory, contact: ContactHistory | None) -> tuple[Indices | None, Array | None]:
    """Numbers of the tooth pairs, and their loads (n, n_pairs) [N]; None where single pairs are not known."""
    if contact is not None:
        return contact.pairs, contact.tooth_load
    if "tooth_contact" not in history.names:
        return None, None
    number, force = (history.samples.read(name) for name in ("tooth_pair", "tooth_force"))
    there = np.isfinite(number)
    pairs = np.unique(number[there]).astype(np.int64)
    load = np.zeros((len(number), len(pairs)))
    for column, pair in enumerate(pairs):
        load[:, column] = np.where(number == pair, force, 0.0).sum(axis=1)
    return pairs, load
