"""One gear pair at several fidelities, from rigid gears to flexible ones in contact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from alegear.case.case import Case
from alegear.contact.law import Friction
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.gear_pair import GearPair
from alegear.limits import check_kind, described
from alegear.mesh.grid_options import GridOptions
from alegear.progress import Progress, Silent
from alegear.results.contact_result import contact_contents
from alegear.results.fidelity_result import FidelityComparison, FidelityLevel
from alegear.studies.fidelity_limits import FidelityLimits
from alegear.studies.pair_on_fixed_axes import MESH, PairOnFixedAxes, tooth_loads
from alegear.studies.reference_pitch import START_PHASE

#: From the least to the most that a mesh knows of its teeth.
FIDELITIES = ("rigid", "lossy", "elastic", "teeth", "flexible")
#: Coefficient of friction of lubricated teeth where nothing is said.
FRICTION = 0.05


def compare_fidelities(
    pair: GearPair | Case,
    *,
    torque: float | None = None,
    speed: float | None = None,
    friction: float | None = None,
    fidelities: Sequence[str] = FIDELITIES,
    positions: int = 32,
    borrow: bool = True,
    limits: bool = False,
    materials: tuple[Material, Material] | None = None,
    grid_options: tuple[GridOptions | None, GridOptions | None] | None = None,
    progress: Progress | None = None,
) -> FidelityComparison:
    """Compute a gear pair with one law of its mesh after the other.

    Both gears stand on fixed axes as in a machine. At rest, without friction, over a pitch: transmission error, mesh
    stiffness, loads of the tooth pairs. In motion, with friction and without damping: what is lost in a pitch. A lossy
    mesh has the efficiency of elastic teeth with the same coefficient of friction.

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
    borrow : bool
        Whether elastic teeth take their stiffness over the position from flexible ones at rest, and Hertz's teeth of
        spur gears their bending. Without flexible ones, or False: the stiffness of ISO 6336-1, and no bending.
    limits : bool
        Whether to compute in which limits each level becomes the next, of spur gears.
    materials, grid_options : pairs, optional
        Of pinion and wheel.
    progress : Progress, optional

    Returns
    -------
    FidelityComparison
        Printing it shows its table; :func:`alegear.pictures.fidelity.draw_fidelities` draws it.

    Raises
    ------
    Fault
        Also for a case with more in it than two gears on fixed axes.
    AnalysisFailure

    Examples
    --------
    >>> import alegear as ag
    >>> pair = ag.GearPair(
    ...     pinion=ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35e-3),
    ...     wheel=ag.Gear(z=30, m_n=4e-3, b=30e-3, bore_diameter=54e-3),
    ... )
    >>> levels = ("rigid", "lossy", "elastic")
    >>> found = ag.compare_fidelities(pair, torque=200.0, speed=100.0, fidelities=levels)
    >>> found["rigid"].mesh_stiffness is None, round(found["lossy"].loss / found["elastic"].loss, 9)
    (True, 1.0)
    """
    given: dict[str, Any] = {
        "torque": torque,
        "speed": speed,
        "friction": friction,
        "materials": materials,
        "grid_options": grid_options,
    }
    setup = _setup(pair, {name: value for name, value in given.items() if value is not None}, positions)
    wanted, progress = _checked(fidelities), progress or Silent()
    for name, value in (("borrow", borrow), ("limits", limits)):
        check_kind(value, f"compare_fidelities, {name}", bool)
    between = FidelityLimits(setup, wanted) if limits else None
    ladder = Ladder(setup=setup, lenders=wanted if borrow else ())
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
        limits=() if between is None else between.all(),
    )


class Ladder:
    """Levels of a pair, each computed once, and what they take from each other.

    Parameters
    ----------
    setup : PairOnFixedAxes
    lenders : sequence of str
        Levels that others may take from.
    """

    def __init__(self, *, setup: PairOnFixedAxes, lenders: Sequence[str]) -> None:
        self.setup, self.lenders = setup, lenders
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
        given, takes = self._from_flexible("stiffness")
        sliding = {**given, "friction": "coulomb", "mu": self.setup.friction}
        return self._solved("elastic", given, sliding if self.setup.friction else None, takes)

    def _teeth(self) -> FidelityLevel:
        given, takes = self._from_flexible("bending") if not self.setup.pair.eps_beta else ({}, "")
        return self._solved("teeth", given, None, takes)

    def _from_flexible(self, what: str) -> tuple[dict[str, Any], str]:
        """The parameter of a law that takes something from the flexible pair, and what is said of it."""
        if "flexible" not in self.lenders:
            return {}, ""
        self.level("flexible")
        return {f"{what}_from": self.studied}, f"{what}: flexible"

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
            self.studied = contact_contents(contact).dataset()
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


def _setup(pair: GearPair | Case, given: dict[str, Any], positions: int) -> PairOnFixedAxes:
    """The two gears on fixed axes, of a pair or of a case, with what is given beside."""
    if isinstance(pair, Case):
        return PairOnFixedAxes(**(_of_case(pair) | given), positions=positions)
    check_kind(pair, "pair", (GearPair, Case))
    for name in ("torque", "speed"):
        if name not in given:
            raise Fault(f"{name} of the pinion", None, "given for a pair without a case", f"give {name}")
    return PairOnFixedAxes(pair=pair, **({"friction": FRICTION} | given), positions=positions)


def _of_case(case: Case) -> dict[str, Any]:
    """What a case brings; all that a pair on fixed axes does not have is refused."""
    operation, friction = case.operation, case.friction
    others = {
        "contact law": (case.law, "hertz", 'write law = "hertz"'),
        "supports": (any(case.supports), False, "leave them out: gears stand on fixed axes here"),
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
        "grid_options": case.grid_options,
        "grid_files": case.grid_files,
        "contact": {name: getattr(case, name) for name in ("slices", "window_pairs")},
    }
    return found | ({} if operation.pinion_speed is None else {"speed": operation.pinion_speed})
