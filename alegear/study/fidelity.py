"""One gear pair at several fidelities: a machine of two gears on hinges each, at rest over a pitch and in motion."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from alegear.case.case import Case
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.machine import Analysis, MachineCase
from alegear.case.machine_analysis import MachineStatic
from alegear.case.output import OutputOptions
from alegear.contact.law import Friction
from alegear.drivetrain.gear_mesh import GearMesh, MeshLaw
from alegear.drivetrain.laws import law_of, parameters_of
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.shaft import Shaft
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.alignment import Alignment
from alegear.geometry.gear_pair import GearPair
from alegear.limits import Limits, check_kind, check_numbers, check_pair, described
from alegear.mesh.sector import MeshOptions
from alegear.progress import Progress, Silent
from alegear.results.fidelity_result import FidelityComparison, FidelityLevel
from alegear.results.machine_result import MachineHistory
from alegear.results.static_result import StaticHistory, static_dataset
from alegear.study.machine.dynamic import MachineDynamicStudy
from alegear.study.machine.run import prepare_meshes
from alegear.study.machine.static import START_PHASE, MachineStaticStudy
from alegear.study.preparation import PreparedPair

Array = NDArray[np.float64]

#: From the least to the most that a mesh knows of its teeth.
FIDELITIES = ("rigid", "lossy", "elastic", "teeth", "flexible")
#: Coefficient of friction of lubricated teeth where nothing is said.
FRICTION = 0.05
#: Pitches of a motion; losses are those of the last one, after what the start has left.
PITCHES = 2
#: Samples of a pitch of motion.
SAMPLES = 32
#: Of each run, of which the faster one counts: the first compiles, or reads what is compiled.
RUNS = 2
GEARS, MESH, DRIVE, LOAD = ("pinion", "wheel"), "mesh", "drive", "load"
Study = TypeVar("Study", MachineStaticStudy, MachineDynamicStudy)
_QUIET = OutputOptions(plots=False, fields=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class PairOnHinges:
    """Two gears on hinges, the pinion driven at a speed, the wheel loaded: the smallest machine.

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
    mesh_options : (MeshOptions or None, MeshOptions or None)
    mesh_files : pair of paths or None
    contact : mapping
        Slices and window of a flexible mesh where they are given.

    Raises
    ------
    Fault
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "torque": Limits(quantity="torque on the pinion shaft", key="torque", unit="N m", least=1e-6, most=1e12),
        "speed": Limits(quantity="speed of the pinion", key="speed", unit="rad/s", least=1e-3, most=1e5),
        "friction": Limits(quantity="coefficient of friction", key="friction", least=0.0, most=1.0, below=True),
        "positions": Limits(quantity="positions in a pitch", key="positions", least=3, most=10_000, whole=True),
    }

    pair: GearPair
    torque: float
    speed: float
    friction: float
    positions: int
    materials: tuple[Material, Material] = field(default_factory=lambda: (Material(), Material()))
    mesh_options: tuple[MeshOptions | None, MeshOptions | None] = (None, None)
    mesh_files: tuple[Any, Any] = (None, None)
    contact: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_numbers(self)
        check_pair(self, "materials", Material)
        check_pair(self, "mesh_options", MeshOptions, optional=True)

    @property
    def period(self) -> float:
        """Time of a pitch [s]."""
        return 2.0 * math.pi / self.pair.pinion.z / self.speed

    @property
    def load(self) -> float:
        """Torque of the wheel without losses [N m]."""
        return self.torque * self.pair.wheel.z / self.pair.pinion.z

    @cached_property
    def tilts(self) -> Alignment:
        """The alignment without what is in the positions of both shafts."""
        return replace(self.pair.alignment, axial_offset=0.0, center_distance_error=0.0)

    def law(self, fidelity: str, **given: Any) -> MeshLaw:
        """The law of the mesh, with the tilts of the shafts if it knows them."""
        own = parameters_of(type(law_of(fidelity, MESH, **given)))
        return law_of(fidelity, MESH, **({"alignment": self.tilts} if "alignment" in own else {}), **given)

    def case(self, law: MeshLaw, analysis: Analysis) -> MachineCase:
        """The machine with a law of its mesh."""
        pair = self.pair
        positions = ((0.0, 0.0, 0.0), (pair.a_w, 0.0, -pair.alignment.axial_offset))
        gears = zip(GEARS, pair.gears, self.materials, self.mesh_options, self.mesh_files, strict=True)
        return MachineCase(
            title="a gear pair",
            shafts=tuple(
                Shaft(name=f"{gear} shaft", hinge=True, position=at) for gear, at in zip(GEARS, positions, strict=True)
            ),
            gears=tuple(
                ShaftGear(
                    name=name,
                    shaft=f"{name} shaft",
                    at=0.0,
                    gear=gear,
                    material=material,
                    mesh_options=options,
                    mesh_file=file,
                )
                for name, gear, material, options, file in gears
            ),
            meshes=(GearMesh(name=MESH, gears=GEARS, law=law),),
            drives=(Drive(name=DRIVE, shaft=f"{GEARS[0]} shaft", speed=self.speed),),
            loads=(
                TorqueLoad(name=LOAD, shaft=f"{GEARS[1]} shaft", torque=self.torque * pair.wheel.z / pair.pinion.z),
            ),
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

    def at_rest(self, law: MeshLaw, prepared: Mapping[str, PreparedPair]) -> tuple[MachineStaticStudy, float]:
        """Equilibria over a pitch, and the processor time of one [s]."""
        case = self.case(law, MachineStatic(positions_per_pitch=self.positions))
        study, seconds = _faster(lambda: MachineStaticStudy(case, prepared))
        return study, seconds / self.positions

    def in_motion(self, law: MeshLaw, prepared: Mapping[str, PreparedPair]) -> tuple[MachineDynamicStudy, float]:
        """A motion over some pitches without damping of the mesh, and the processor time of a second of it [1].

        What is lost is lost by sliding then.
        """
        analysis = DynamicAnalysis(
            duration=PITCHES * self.period, output_every=self.period / SAMPLES, mesh_damping_ratio=0.0
        )
        case = self.case(law, analysis)
        study, seconds = _faster(lambda: MachineDynamicStudy(case, prepared))
        return study, seconds / analysis.duration

    def lost(self, study: MachineDynamicStudy) -> float:
        """Part of the power put in that was lost in the last pitch of a motion."""
        lost = study.history().values["energy_dissipated"]
        angle = study.history().values["drive_angle"]
        taken = self.torque * (angle[-1] - angle[-1 - SAMPLES])
        own = lost[-1] - lost[-1 - SAMPLES]
        return float(own / (own + taken))


def _faster(make: Callable[[], Study]) -> tuple[Study, float]:
    """A study that has run, and the least processor time of some runs [s]."""
    least = math.inf
    with threadpool_limits(limits=1, user_api="blas"):
        for _ in range(RUNS):
            study = make()
            begun = time.process_time()
            study.run(Silent())
            least = min(least, time.process_time() - begun)
    return study, least


def compare_fidelities(
    pair: GearPair | Case,
    *,
    torque: float | None = None,
    speed: float | None = None,
    friction: float | None = None,
    fidelities: Sequence[str] = FIDELITIES,
    positions: int = 32,
    materials: tuple[Material, Material] | None = None,
    mesh_options: tuple[MeshOptions | None, MeshOptions | None] | None = None,
    progress: Progress | None = None,
) -> FidelityComparison:
    """Compute a gear pair with one law of its mesh after the other.

    Both gears stand on hinges as in a machine. At rest, without friction, over a pitch: transmission error, mesh
    stiffness, loads of the tooth pairs. In motion, with friction and without damping: what is lost in a pitch. A level
    takes what it does not know from another one: elastic teeth their stiffness over the position from flexible ones
    (without these that of ISO 6336-1), a lossy mesh its efficiency from elastic teeth with the same coefficient.

    Parameters
    ----------
    pair : GearPair or Case
        A case brings torque, speed, friction, materials and grids.
    torque : float [N m], speed : float [rad/s]
        Of the pinion, which drives. Of a pair without a case they must be given.
    friction : float
        Coefficient of friction of the teeth; 0: none. Default: that of the case, of a pair without one 0.05.
    fidelities : sequence of str
        Any of ``"rigid"``, ``"lossy"``, ``"elastic"``, ``"teeth"``, ``"flexible"``.
    positions : int
        In a pitch.
    materials, mesh_options : pairs, optional
        Of pinion and wheel.
    progress : Progress, optional

    Returns
    -------
    FidelityComparison
        Printed it is its table; :func:`alegear.view.fidelity.draw_fidelities` draws it.

    Raises
    ------
    Fault
        Also for a case with more in it than two gears on hinges.
    AnalysisFailure

    Examples
    --------
    >>> import alegear as ag
    >>> pair = ag.GearPair(
    ...     pinion=ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35e-3),
    ...     wheel=ag.Gear(z=30, m_n=4e-3, b=30e-3, bore_diameter=54e-3),
    ... )
    >>> found = ag.compare_fidelities(pair, torque=200.0, speed=100.0, fidelities=("rigid", "lossy", "elastic"))
    >>> found["rigid"].mesh_stiffness is None, found["lossy"].loss == found["elastic"].loss
    (True, True)
    """
    given: dict[str, Any] = {
        "torque": torque,
        "speed": speed,
        "friction": friction,
        "materials": materials,
        "mesh_options": mesh_options,
    }
    setup = _setup(pair, {name: value for name, value in given.items() if value is not None}, positions)
    wanted, progress = _checked(fidelities), progress or Silent()
    ladder = Ladder(setup=setup, wanted=wanted)
    progress.stage("solve")
    for number, fidelity in enumerate(reversed(wanted)):
        ladder.level(fidelity)
        progress.advance(number + 1, len(wanted))
    z_1, z_2 = (gear.z for gear in setup.pair.gears)
    return FidelityComparison(
        title=f"Gear pair {z_1}/{z_2}, {setup.torque:g} N m at {setup.speed:g} rad/s, friction {setup.friction:g}",
        phase=START_PHASE + np.arange(positions) / positions,
        torque=setup.torque,
        speed=setup.speed,
        friction=setup.friction,
        levels=tuple(ladder.level(fidelity) for fidelity in wanted),
    )


class Ladder:
    """Levels of a pair, each computed once, and what they take from each other.

    Parameters
    ----------
    setup : PairOnHinges
    wanted : sequence of str
        Levels that others may take from.
    """

    def __init__(self, *, setup: PairOnHinges, wanted: Sequence[str]) -> None:
        self.setup, self.wanted = setup, wanted
        self._levels: dict[str, FidelityLevel] = {}
        #: Results of the flexible pair at rest.
        self.studied: Any = None

    def level(self, fidelity: str) -> FidelityLevel:
        """A level."""
        if fidelity not in self._levels:
            self._levels[fidelity] = getattr(self, f"_{fidelity}")()
        return self._levels[fidelity]

    def _rigid(self) -> FidelityLevel:
        return self._solved("rigid", {}, None)

    def _lossy(self) -> FidelityLevel:
        loss = self.level("elastic").loss or 0.0
        given = {"mesh_efficiency": 1.0 - loss}
        return self._solved("lossy", given, given, "efficiency: elastic")

    def _elastic(self) -> FidelityLevel:
        mu, given, takes = self.setup.friction, {}, ""
        if "flexible" in self.wanted:
            self.level("flexible")
            given, takes = {"stiffness_from": self.studied}, "stiffness: flexible"
        return self._solved("elastic", given, {**given, "friction": "coulomb", "mu": mu} if mu else None, takes)

    def _teeth(self) -> FidelityLevel:
        return self._solved("teeth", {}, None)

    def _flexible(self) -> FidelityLevel:
        mu, given = self.setup.friction, self.setup.contact
        friction = Friction(kind="coulomb", mu_dynamic=mu)
        return self._solved("flexible", given, {**given, "friction": friction} if mu else None)

    def _solved(
        self, fidelity: str, at_rest: Mapping[str, Any], sliding: Mapping[str, Any] | None, takes: str = ""
    ) -> FidelityLevel:
        """A level by the parameters of its law at rest and in motion, None: it has no losses."""
        setup, law = self.setup, self.setup.law(fidelity, **at_rest)
        prepared, preparation = setup.prepared(law)
        study, per_position = setup.at_rest(law, prepared)
        moving = law if sliding is None else setup.law(fidelity, **sliding)
        if sliding is not None and prepared:
            prepared, _ = setup.prepared(moving)
        motion, per_motion = setup.in_motion(moving, prepared)
        history = study.history()
        contact = study.mesh_history(MESH) if MESH in study.recorders else None
        if contact is not None:
            self.studied = static_dataset(contact)
        stiffness = history.values["mesh_stiffness"][:, 0]
        pairs, load = tooth_loads(history, contact)
        force = history.values["mesh_force"][:, 0]
        return FidelityLevel(
            fidelity=fidelity,
            takes=takes,
            transmission_error=history.values["transmission_error"][:, 0],
            mesh_stiffness=None if np.isnan(stiffness).all() else stiffness,
            force=np.hypot(force[:, 0], force[:, 1]),
            tooth_load=load,
            pairs=pairs,
            loss=None if sliding is None else setup.lost(motion),
            preparation=preparation,
            per_position=per_position,
            per_motion=per_motion,
        )


def tooth_loads(
    history: MachineHistory, contact: StaticHistory | None
) -> tuple[NDArray[np.int64] | None, Array | None]:
    """Numbers of the tooth pairs, and their loads (n, n_pairs) [N]; None where single pairs are not known."""
    if contact is not None:
        return contact.pairs, contact.tooth_load
    if "tooth_contact" not in history.names:
        return None, None
    number, force = history.values["tooth_pair"], history.values["tooth_force"]
    there = np.isfinite(number)
    pairs = np.unique(number[there]).astype(np.int64)
    load = np.zeros((len(number), len(pairs)))
    for column, pair in enumerate(pairs):
        load[:, column] = np.where(number == pair, force, 0.0).sum(axis=1)
    return pairs, load


# --------------------------------------------------------------------- input
def _checked(fidelities: Sequence[str]) -> tuple[str, ...]:
    """The levels that are wanted, in their order."""
    if isinstance(fidelities, str) or not isinstance(fidelities, Sequence) or not fidelities:
        limit = "one or more of " + ", ".join(f'"{one}"' for one in FIDELITIES)
        raise Fault("fidelities", described(fidelities), limit, 'give them in a tuple, ("elastic", "flexible")')
    for one in fidelities:
        if one not in FIDELITIES:
            limit = "one of " + ", ".join(f'"{known}"' for known in FIDELITIES)
            raise Fault("fidelities", described(one), limit, "correct it")
        if list(fidelities).count(one) > 1:
            raise Fault("fidelities", f'"{one}" twice', "each once", "leave one out")
    return tuple(one for one in FIDELITIES if one in fidelities)


def _setup(pair: GearPair | Case, given: dict[str, Any], positions: int) -> PairOnHinges:
    """The two gears on hinges, of a pair or of a case, with what is given beside."""
    if isinstance(pair, Case):
        return PairOnHinges(**(_of_case(pair) | given), positions=positions)
    check_kind(pair, "pair", (GearPair, Case))
    for name in ("torque", "speed"):
        if name not in given:
            raise Fault(f"{name} of the pinion", None, "given for a pair without a case", f"give {name}")
    return PairOnHinges(pair=pair, **({"friction": FRICTION} | given), positions=positions)


def _of_case(case: Case) -> dict[str, Any]:
    """What a case brings; all that a pair on hinges does not have is refused."""
    operation, friction = case.operation, case.friction
    others = {
        "contact law": (case.law, "hertz", 'write law = "hertz"'),
        "supports": (any(case.supports), False, "leave them out: gears stand on hinges here"),
        "shafts": (any(case.shafts), False, "leave them out: shafts are rigid here"),
        "teeth_modelled": (any(case.teeth_modelled), False, "leave them out: whole wheels are compared"),
        "added_inertia": (any(case.added_inertia), False, "leave it out: losses do not depend on it"),
        "tables over time": (bool(operation.speed_table or operation.torque_table), False, "give constant ones"),
        "driver": (operation.driver, "pinion", 'write driver = "pinion"'),
        "friction": (friction.kind == "velocity", False, 'write friction = "coulomb"'),
    }
    for what, (value, expected, remedy) in others.items():
        if value != expected:
            limit = f'"{expected}"' if isinstance(expected, str) else "left out"
            raise Fault(f"{what} of the case", f'"{value}"' if isinstance(value, str) else "given", limit, remedy)
    found = {
        "pair": case.pair,
        "torque": operation.pinion_torque,
        "friction": friction.mu_dynamic if friction.kind == "coulomb" else 0.0,
        "materials": case.materials,
        "mesh_options": case.mesh_options,
        "mesh_files": case.mesh_files,
        "contact": {name: getattr(case, name) for name in ("slices", "window_pairs")},
    }
    return found | ({} if operation.pinion_speed is None else {"speed": operation.pinion_speed})
