"""Planetary sets by their teeth: planets, pins, meshes and phases follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import cos
from typing import Annotated, ClassVar

import numpy as np

from alegear.drivetrain.loss_table import LossTable
from alegear.drivetrain.place_names import shaft_of
from alegear.drivetrain.rotational.displaced_planets import DisplacedPlanets, PlanetLoads
from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh
from alegear.drivetrain.rotational.gear_losses import LOSS_FILE, LOSS_ROWS
from alegear.drivetrain.rotational.gears import add_willis
from alegear.drivetrain.rotational.pins import PinnedPlanet, Pins
from alegear.drivetrain.rotational.places import rotation_weights
from alegear.drivetrain.rotational.planet_meshes import BONDED, FREE, SEATED, PairTeeth
from alegear.drivetrain.rotational.planet_modes import LinearisedPlanets
from alegear.drivetrain.rotational.planet_pairs import (
    PlanetPair,
    gear_masses,
    pair_scales,
    pair_teeth,
    teeth_of_pairs,
    warnings_of_gears,
)
from alegear.drivetrain.rotational.planet_springs import (
    PlanetMesh,
    first_turned,
    idle_spring_scales,
    mesh_averages,
    mesh_circles,
    spring_scales,
)
from alegear.drivetrain.rotational.planetary_checks import (
    PIN_ERROR,
    PLANET_INERTIA,
    PLANET_MASS,
    PLANET_TILT,
    check_fidelity,
    check_mass,
    check_members,
    check_meshes,
    check_no_friction,
    check_pins,
    of_planets,
)
from alegear.drivetrain.rotational.planetary_members import PlanetaryMembers, each
from alegear.drivetrain.rotational.set_losses import (
    MESH_EFFICIENCY,
    STATIONARY_EFFICIENCY,
    Efficiencies,
    SetLosses,
    SetLossesLike,
    efficiencies_of,
    first_row,
)
from alegear.errors import Fault
from alegear.geometry.planetary import MOST_PLANETS
from alegear.geometry.planetary_teeth import BETWEEN_PLANETS, Branch, PlanetaryTeeth
from alegear.limits import Limits
from alegear.parameters import Inlined, Numbers, OneOf, Words
from alegear.system.bodies import Rotor1D
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import TURN, Array, Scales
from alegear.system.machine_part import MachinePart
from alegear.system.model import SystemModel
from alegear.system.rotating_frame import RotatingSubsystem

#: Round-off of the force of a mesh without load, times the module, over the torque of its set.
PULLED = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanetaryGearSet(PlanetaryMembers, SetLosses):
    """A planetary set by its teeth, between central gears and a carrier that only turn.

    ``"rigid"`` and ``"lossy"``: ``omega_A - omega_B = i_0 (omega_C - omega_B)``, B the carrier, for each of
    ``teeth.branches``, with losses over omega_A - omega_B as those of a set by its ratio,
    :class:`~alegear.drivetrain.rotational.gears.PlanetaryGear`; and the planets of a circle of pins as one body
    ``NAME planet`` that rolls, n times the inertia of one,

        omega_p - omega_B = u_p (omega_A - omega_B),    u_p = -z_A/z_p of a sun

    whose inertia acts on A. ``"elastic"``: every planet a body ``NAME planet 1`` ..., every mesh an
    :class:`~alegear.drivetrain.rotational.elastic_mesh.ElasticMesh` ``NAME sun planet 1`` ... with the carrier as what
    holds both centres. Planets of two gears that mesh are ``NAME planet_1``, ``NAME planet_2``. ``"teeth"``: the same
    with every mesh a law between two gears (:class:`~alegear.drivetrain.rotational.planet_pairs.PlanetPair`), of which
    all flanks that `torque` loads touch where nothing has turned; motions are taken in compiled steps
    (:class:`~alegear.recording.motion.MotionIntegration`), also where all members only turn.

    With ``"teeth"`` sun and ring are as heavy as their gears, besides what they sit on.

    The mass of the planets turns with the carrier, ``n m a^2`` about its axis, unless their pins have bearings: these
    planets are displaced and tilted, and so may be the central gears and the carrier. Where anything is displaced all
    meshes and pins are one element ``NAME`` (:mod:`alegear.drivetrain.rotational.displaced_planets`).

    A pin ahead of its position by e along its circle takes ``e cos alpha_wt`` from the overlap of its planet
    with a sun and adds it to that with a ring, both along the flanks with which the inner gear drives counterclockwise.

    Parameters
    ----------
    sun, ring, second_sun, second_ring : str or None
        What the central gears of `teeth` sit on; one of all may be the ground.
    teeth : PlanetaryTeeth
        Which gears it has.
    planet_inertia : float or tuple of float [kg m2]
        Of one planet about its pin; of planets that mesh of both. 0 with ``"teeth"``: that of the gear.
    planet_mass : float or tuple of float [kg]
        Of one planet with its pin. 0 with ``"teeth"``: that of the gear.
    losses : LossTable, rows or None
        Of ``"lossy"``: between both central gears over the speed of the first against the carrier; of three central
        gears, of each of both branches.
    mesh_efficiency : float, tuple of float or None
        Of ``"lossy"``: of every mesh, or of each in the order of ``teeth.meshes``. That between central gears is their
        product, of a simple set ``eta_0 = eta_sun eta_ring``. One of `losses`, `mesh_efficiency` and
        `stationary_efficiency` is given.
    meshes : mapping of str to PlanetMesh or PlanetPair, optional
        By ``teeth.meshes``: PlanetMesh of ``"elastic"``, PlanetPair of ``"teeth"``.
    torque : float or None [N m]
        Approximate torque on the first central gear, counterclockwise positive: its sign says which flanks are loaded.
        Of ``"teeth"``, where stiffness on springs is that under it, and of ``"elastic"`` with factors over the mesh
        position, where None is counterclockwise.
    pins : Pins or None
        Bearings of the planets, of ``"elastic"`` and ``"teeth"``. None: the carrier holds their centres.
    planet_tilt_inertia : float, tuple of float or None [kg m2]
        Of a planet on a bearing about a diameter. None: half of `planet_inertia`, that of a thin disc; with
        ``"teeth"`` that of the gear.

    Raises
    ------
    Fault
        Also for what has no effect with the fidelity.

    References
    ----------
    Pelchen, Schweiger, Otter (2002), section 3; van der Linden (2015). Phases and the effect of pin errors are derived
    here.
    """

    TABLE: ClassVar[str] = "planetary"

    losses: Annotated[SetLossesLike, OneOf(LOSS_ROWS, LOSS_FILE)] = None
    sun: Annotated[str | None, Words("name of the rotor or shaft that is the sun")] = None
    ring: Annotated[str | None, Words("name of the rotor or shaft that is the ring")] = None
    second_sun: Annotated[str | None, Words("name of the rotor or shaft that is the second sun")] = None
    second_ring: Annotated[str | None, Words("name of the rotor or shaft that is the second ring")] = None
    carrier: Annotated[str, Words("name of the rotor or shaft that is the carrier")]
    teeth: Annotated[PlanetaryTeeth, Inlined(PlanetaryTeeth)]
    planet_inertia: Annotated[
        float | tuple[float, ...], Numbers("inertia of one planet", PLANET_INERTIA, 1, 2, alone=True)
    ] = 0.0
    planet_mass: Annotated[
        float | tuple[float, ...], Numbers("mass of one planet with its pin", PLANET_MASS, 1, 2, alone=True)
    ] = 0.0
    mesh_efficiency: Annotated[
        Efficiencies,
        Numbers(
            "efficiency of every mesh of a lossy set, or of each: sun, ring, second sun, second ring, planets",
            MESH_EFFICIENCY,
            1,
            4,
            alone=True,
        ),
    ] = None
    stationary_efficiency: Annotated[
        float | None,
        replace(
            STATIONARY_EFFICIENCY,
            words="lossy: efficiency from sun to ring and back with the carrier held; of three central gears of each"
            " branch",
        ),
    ] = None
    fidelity: Annotated[str, Words("rigid, lossy, elastic or teeth")] = "rigid"
    torque: Annotated[
        float | None,
        Limits(
            quantity="torque on the first central gear",
            words="teeth, or elastic with a stiffness over the position: approximate torque on the sun,"
            " counterclockwise positive,",
            unit="N m",
            least=-1e12,
            most=1e12,
        ),
    ] = None
    meshes: Mapping[str, PlanetMesh] | Mapping[str, PlanetPair] | None = None
    pin_errors: Annotated[
        tuple[float, ...] | None,
        Numbers(
            "elastic, teeth: how far each pin is ahead along its circle", PIN_ERROR, 1, MOST_PLANETS, "pin_error_um"
        ),
    ] = None
    pins: Annotated[Pins | None, Inlined(Pins)] = None
    planet_tilt_inertia: Annotated[
        float | tuple[float, ...] | None,
        Numbers(
            "on bearings: inertia of one planet about a diameter (half of its inertia)", PLANET_TILT, 1, 2, alone=True
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fidelity(self)
        check_members(self)
        self._take_masses()
        for key, limits in (("planet_inertia", PLANET_INERTIA), ("planet_mass", PLANET_MASS)):
            object.__setattr__(self, key, of_planets(self, key, limits))
        check_mass(self)
        check_pins(self)
        if self.planet_tilt_inertia is not None:
            object.__setattr__(self, "planet_tilt_inertia", of_planets(self, "planet_tilt_inertia", PLANET_TILT))
        self.take_losses()
        if self.mesh_efficiency is not None:
            efficiencies = efficiencies_of(self.mesh_efficiency, self.teeth.meshes, self.name)
            object.__setattr__(self, "mesh_efficiency", tuple(efficiencies.values()))
        if self.elastic:
            check_meshes(self)
        if self.fidelity == "teeth":
            object.__setattr__(self, "teeth", teeth_of_pairs(self.teeth, self._pairs))
        if self.fidelity == "elastic":
            self.elastic_meshes()  # which refuse what they cannot be made of

    def _take_masses(self) -> None:
        """Take what is not given of the planets from their gears."""
        if self.fidelity != "teeth" or "planet" not in gear_masses(self.meshes):
            return
        own = gear_masses(self.meshes)["planet"]
        for key, value in (("planet_inertia", own.inertia), ("planet_mass", own.mass)):
            if getattr(self, key) in (0.0, (0.0,)):
                object.__setattr__(self, key, value)
        if self.pins is not None and self.planet_tilt_inertia is None:
            object.__setattr__(self, "planet_tilt_inertia", own.tilt_inertia)

    # ------------------------------------------------------------------ what it is made of
    @property
    def _springs(self) -> dict[str, PlanetMesh]:
        """Springs of its meshes, with ``"elastic"``."""
        return {mesh: one for mesh, one in (self.meshes or {}).items() if isinstance(one, PlanetMesh)}

    @property
    def _pairs(self) -> dict[str, PlanetPair]:
        """Gears of its meshes, with ``"teeth"``."""
        return {mesh: one for mesh, one in (self.meshes or {}).items() if isinstance(one, PlanetPair)}

    @property
    def uses_generalized_alpha(self) -> bool:
        """Whether motions of its machine are taken in steps, in which it is compiled, also where all only turns."""
        return self.fidelity == "teeth"

    @property
    def bodies(self) -> tuple[Rotor1D | PinnedPlanet, ...]:
        """The planets."""
        inertias = dict(zip(self.teeth.planet_bodies, self.inertias, strict=True))
        if not self.elastic:
            n = self.teeth.n_planets
            return tuple(Rotor1D(name=self._body(name), inertia=n * J) for name, J in inertias.items())
        numbers = range(self.teeth.n_planets)
        if self.pins is None:
            return tuple(Rotor1D(name=self._body(name, i), inertia=J) for i in numbers for name, J in inertias.items())
        masses, tilts = (dict(zip(self.teeth.planet_bodies, one, strict=True)) for one in (self.masses, self._tilts))
        return tuple(
            PinnedPlanet(
                name=self._body(name, i),
                carrier=self.carrier,
                radius=radius,
                angle=angle,
                inertia=inertias[name],
                mass=masses[name],
                tilt_inertia=tilts[name],
            )
            for i in numbers
            for name, (radius, angle) in self._pin(i).items()
        )

    @property
    def _tilts(self) -> tuple[float, ...]:
        """Inertia of each planet body about a diameter."""
        if self.planet_tilt_inertia is None:
            return tuple(0.5 * J for J in self.inertias)
        return each(self.planet_tilt_inertia)

    def elastic_meshes(self) -> tuple[ElasticMesh, ...]:
        """The meshes of all planets; none unless they are elastic.

        Raises
        ------
        Fault
        """
        if self.fidelity != "elastic":
            return ()
        return tuple(self._mesh(mesh, i) for i in range(self.teeth.n_planets) for mesh in self.teeth.meshes)

    def _mesh(self, mesh: str, pin: int) -> ElasticMesh:
        """Mesh of a planet, numbered from 0."""
        turned = self._springs[mesh].turned(self._first_turned.get(mesh, 0.0) - float(self.teeth.lags(mesh)[pin]))
        name, gears = self._named(mesh, pin)
        return ElasticMesh(
            name=name,
            gears=gears,
            averages=(mesh_circles if turned.friction is None else mesh_averages)(self.teeth, mesh),
            spring=turned.spring,
            friction=turned.friction,
            carrier=self.carrier,
            offset=self._offset(mesh, pin),
        )

    @cached_property
    def _first_turned(self) -> dict[str, float]:
        """How many pitches the springs of the first planet are beyond the pitch point, where it matters."""
        return first_turned(self.teeth, self._springs, backwards=self.torque is not None and self.torque < 0.0)

    def planet_teeth(self, pin: int) -> list[tuple[str, ElasticMesh | PairTeeth]]:
        """All meshes of a planet."""
        if self.fidelity == "elastic":
            return [(mesh, self._mesh(mesh, pin)) for mesh in self.teeth.meshes]
        assert self.torque is not None
        names = {mesh: self._named(mesh, pin) for mesh in self.teeth.meshes}
        error = 0.0 if self.pin_errors is None else float(self.pin_errors[pin])
        return list(pair_teeth(self.teeth, self._pairs, names, pin, self.torque, error).items())

    def _offset(self, mesh: str, pin: int) -> float:
        """What a pin that stands ahead changes of the overlap [m]."""
        if self.pin_errors is None:
            return 0.0
        sense = -1.0 if mesh.endswith("sun") else 1.0
        return sense * float(self.pin_errors[pin]) * cos(self.teeth.alpha_wt(mesh)) + 0.0

    @property
    def has_pin_errors(self) -> bool:
        """Whether pins stand off their places."""
        return self.pin_errors is not None

    def with_pin_errors(self, share: float) -> PlanetaryGearSet:
        """The set with this fraction of its pin errors."""
        errors = None if self.pin_errors is None else tuple(share * float(one) for one in self.pin_errors)
        return replace(self, pin_errors=errors)

    def scales_under(self, torques: Mapping[str, float]) -> list[Scales]:
        """What is typical of its teeth where all torque of a shaft goes through it; nothing of rigid ones.

        Those of ``"teeth"`` have a torque of their own.

        Parameters
        ----------
        torques : mapping of str to float [N m]
            By shaft or body.
        """
        mesh = self.teeth.meshes[0]
        if mesh in self._pairs and self.torque is not None:
            return [pair_scales(self._pairs[mesh], abs(self.torque) / self.teeth.n_planets)]
        if mesh not in self._springs:
            return []
        gear, carrier = (torques.get(shaft_of(place), 0.0) for place in (str(getattr(self, mesh)), self.carrier))
        return spring_scales(self.teeth, self._springs[mesh], gear, carrier)

    def idle_scales(self) -> list[Scales]:
        """What is typical of its elastic teeth where nothing is known to load them."""
        given = self._springs.get(self.teeth.meshes[0])
        return [] if given is None else [idle_spring_scales(self.teeth, given)]

    # ------------------------------------------------------------------ in a system
    def add_to(self, builder: SystemBuilder) -> None:
        """Add the mass of the planets to the carrier, and constraints or meshes."""
        if self.elastic and self._displaced(builder):
            check_no_friction(self)
            self._in_frame(FREE).add_to(builder)
            self._begin_rolling(builder)
            return
        if self.carried_inertia:
            builder.disk(builder.node(self.carrier, self.name), inertia=self.carried_inertia)
        if self.elastic:
            for mesh in self.elastic_meshes():
                mesh.add_to(builder)
            self._begin_rolling(builder)
            return
        for number, branch in enumerate(self.teeth.branches):
            link = self.name if not number else f"{self.name} second"
            a, c = (str(getattr(self, branch.members[name])) for name in (branch.gears.A, branch.gears.C))
            add_willis(builder, link, a, self.carrier, c, float(branch.gears.i0), self._losses_of(branch))
            builder.owns(self.name, link, f"{link} losses")
        for planet in self.teeth.planet_bodies:
            link = f"{self._body(planet)} rolls"
            weights = {name: -weight for name, weight in self._rolling(planet).items()}
            builder.constrain(link, rotation_weights(builder, self.name, {self._body(planet): 1.0, **weights}))
            builder.owns(self.name, link)

    def _losses_of(self, branch: Branch) -> LossTable | None:
        """Losses between both central gears of a branch."""
        efficiencies = efficiencies_of(self.mesh_efficiency, self.teeth.meshes, self.name)
        names = {branch.members[name] for name in branch.gears.central}
        names |= {BETWEEN_PLANETS} if branch.gears.meshing else set()
        return self.table_of(tuple(eta for mesh, eta in efficiencies.items() if mesh in names))

    @property
    def facts(self) -> dict[str, float | list[float]]:
        """What `alegear check` prints: of losses, efficiencies at rest between central gears with the carrier held."""
        found: dict[str, float | list[float]] = {**super().facts}
        for number, branch in enumerate(self.teeth.branches):
            key = "stationary_efficiency" if not number else "second_stationary_efficiency"
            found |= first_row(key, self._losses_of(branch))
        efficiencies = efficiencies_of(self.mesh_efficiency, self.teeth.meshes, self.name)
        return found | {f"mesh_efficiency_{mesh}": eta for mesh, eta in efficiencies.items()}

    def in_statics(self, sense: float = 1.0) -> MachinePart:
        """The set in equilibria: a planet whose elastic teeth carry nothing is seated where they touch.

        Parameters
        ----------
        sense : float
            1 where torques turn the first central gear counterclockwise, else -1: of ``"elastic"``.
        """
        return self._in_frame(SEATED, sense) if self.elastic else self

    def on_springs(self, sense: float = 1.0) -> MachinePart:
        """The set with elastic teeth that do not part, for first guesses of equilibria, and for modes without load.

        Of the flanks that carry where the first central gear drives counterclockwise, with `sense` -1 of the others;
        without factors over the mesh position.
        """
        return self._in_frame(BONDED, sense) if self.elastic else self

    def linearised(self, model: SystemModel, x: Array, *, bonded: bool = False) -> MachinePart:
        """The set as it vibrates a little about states x (m, n) of its system, over which stiffness is averaged.

        Parameters
        ----------
        model : SystemModel
            With the set in equilibria, or on springs.
        x : shape (m, n)
        bonded : bool
            Whether flanks do not part, where nothing is loaded.
        """
        if not self.elastic:
            return self
        element = self._in_system(model)
        positions = [element.view.position(one[element.coordinates]) for one in x]
        planets = self._in_frame(BONDED if bonded else FREE)
        return LinearisedPlanets(name=self.name, planets=planets, positions=positions)

    def sense_of(self, model: SystemModel, x: Array) -> float:
        """Which way torques turn the first central gear, in a state x (n,) of a system with it on springs: 1 or -1.

        Those of ``"teeth"`` say it by their torque, which tells how teeth that nothing turns stand to each other.

        Raises
        ------
        Fault
            Where the loads of a machine press the other flanks than the torque of ``"teeth"`` says.
        """
        element, at_rest = self._in_system(model), np.zeros_like(x)
        if self.fidelity == "elastic":
            loads = self.loads(model, x, at_rest).meshes
            return -1.0 if sum(loads[name] for name in self._of_first_mesh) < 0.0 else 1.0
        assert self.torque is not None
        assert self.teeth.m_n is not None
        # springs between the flanks that the torque says: they pull where loads press the others
        forces = element.part_forces(x[element.coordinates], at_rest[element.coordinates])
        pressed = sum(float(forces[name][0]) for name in self._of_first_mesh)
        if pressed * self.teeth.m_n < -PULLED * abs(self.torque):
            limit = f"{'below' if self.torque > 0.0 else 'above'} 0, as drives and loads have it"
            what = f"torque [N m] on the first central gear of {self.name}, counterclockwise about its axis"
            raise Fault(what, self.torque, limit, "change its sign")
        return 1.0

    @property
    def _of_first_mesh(self) -> list[str]:
        return [self._named(self.teeth.meshes[0], pin)[0] for pin in range(self.teeth.n_planets)]

    def _in_system(self, model: SystemModel) -> RotatingSubsystem:
        element = next(one for one in model.elements if one.name == self.name)
        assert isinstance(element, RotatingSubsystem)
        return element

    def _displaced(self, builder: SystemBuilder) -> bool:
        """Whether anything of it does more than turn."""
        places = [builder.node(str(getattr(self, name)), self.name) for name in (*self.teeth.central, "carrier")]
        return self.fidelity == "teeth" or self.pins is not None or any(place.rows[:TURN].any() for place in places)

    def _in_frame(self, contact: str, sense: float = 1.0) -> DisplacedPlanets:
        """Pins and meshes as the carrier sees them, without friction."""
        own = sense if self.fidelity == "elastic" else 1.0
        return DisplacedPlanets(name=self.name, planetary=self, contact=contact, sense=own)

    @property
    def warnings(self) -> list[str]:
        """Warnings of its gears."""
        if self.fidelity != "teeth":
            return []
        return list(warnings_of_gears(self.name, self._pairs, self.pin_errors))

    def holding(self, free: str) -> list[str]:
        """What may be given against a motion in words, "tilt x of set planet 1", of its planets; nothing of others."""
        motion, _, body = free.partition(" of ")
        if self.pins is None or body not in self.planet:
            return []
        table = f"[{self.TABLE}.{self.name}]"
        if not motion.startswith("tilt"):
            return [f"give pin_stiffness_N_per_m in {table} against it"]
        K = np.asarray(self.pins.stiffness, dtype=np.float64)
        k_r, k_t = (K if K.ndim == 1 else np.diag(K))[:2]
        widths = [one.pair.b_w for one in self._pairs.values()]
        if not widths:
            return [f"give pin_tilt_stiffness_Nm_per_rad in {table}, of a bearing of width b about k b^2/12"]
        about = ", ".join(f"{float(f'{k:.3g}'):g}" for k in Pins.tilt_stiffness(k_r, k_t, min(widths)))
        return [f"give pin_tilt_stiffness_Nm_per_rad = [{about}] in {table}, that of a bearing as wide as the gears"]

    @property
    def undamped(self) -> list[str]:
        """What may be written to damp teeth and pins that nothing damps, with a place for a retardation in us."""
        if not self.elastic or self.meshes is None:
            return []
        table, found = f"[{self.TABLE}.{self.name}]", []
        if self._pairs and not any(one.retardation for one in self._pairs.values()):
            found.append(f"damp the teeth by retardation_us = {{retardation_us}} in {table}")
        if self._springs and not any(one.spring.damping for one in self._springs.values()):
            found.append(f"damp the teeth by damping_Ns_per_m of the meshes in {table}")
        if self.pins is not None and not np.any(self.pins.damping):
            found.append(f"damp the pins by pin_damping_Ns_per_m and pin_tilt_damping_Nms_per_rad in {table}")
        return found

    @property
    def has_tooth_friction(self) -> bool:
        """Whether teeth have a friction of their own, which equilibria leave out."""
        return any(one.friction is not None for one in self._springs.values())

    def loads(self, model: SystemModel, x: Array, v: Array) -> PlanetLoads:
        """What meshes and pins carry in states x, v (..., n) of its system, where anything is displaced."""
        return PlanetLoads.of(self.name, model, x, v)

    def _begin_rolling(self, builder: SystemBuilder) -> None:
        for planet in self.teeth.planet_bodies:
            weights = rotation_weights(builder, self.name, self._rolling(planet))
            for pin in range(self.teeth.n_planets):
                rotation = builder.node(self._body(planet, pin)).rotation
                assert rotation is not None  # a rotor
                builder.begins_with(rotation, weights)

    def _rolling(self, planet: str) -> dict[str, float]:
        """Weights of the rotations of a central gear and the carrier in that of a planet."""
        branch = next(one for one in self.teeth.branches if planet in one.members.values())
        own = next(name for name, whole in branch.members.items() if whole == planet)
        u: Fraction = branch.gears.relative_speeds[own]
        return {str(getattr(self, branch.members[branch.gears.A])): float(u), self.carrier: float(1 - u)}
