"""What is there of a planetary set by its teeth: names of its members and meshes, pins, speeds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import pi

from alegear.drivetrain.gear_mass import GearMass
from alegear.drivetrain.place_names import shaft_of
from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh
from alegear.drivetrain.rotational.pins import Pins
from alegear.drivetrain.rotational.planet_meshes import PairTeeth
from alegear.drivetrain.rotational.planet_pairs import PlanetPair, gear_masses
from alegear.drivetrain.rotational.planet_springs import PlanetMesh
from alegear.drivetrain.rotational.speed_relations import speed_row
from alegear.geometry.meshing_teeth import MeshingTeeth
from alegear.geometry.planetary import CENTRAL_GEARS
from alegear.geometry.planetary_teeth import BETWEEN_PLANETS, PlanetaryTeeth
from alegear.geometry.train_kinematics import SpeedRow
from alegear.system.builder import GROUND
from alegear.system.machine_part import MachinePart


def each(given: float | tuple[float, ...]) -> tuple[float, ...]:
    """Numbers of all planet bodies, of one number or of several."""
    return given if isinstance(given, tuple) else (given,)


class PlanetaryMembers(MachinePart):
    """Members of a set; a :class:`~alegear.drivetrain.rotational.planetary_set.PlanetaryGearSet` has the fields.

    Attributes
    ----------
    name, carrier, fidelity : str
    teeth : PlanetaryTeeth
    planet_inertia, planet_mass, planet_tilt_inertia, meshes, torque, pin_errors, pins
    """

    name: str
    teeth: PlanetaryTeeth
    carrier: str
    fidelity: str
    planet_inertia: float | tuple[float, ...]
    planet_mass: float | tuple[float, ...]
    planet_tilt_inertia: float | tuple[float, ...] | None
    meshes: Mapping[str, PlanetMesh] | Mapping[str, PlanetPair] | None
    torque: float | None
    pin_errors: tuple[float, ...] | None
    pins: Pins | None

    @property
    def masses(self) -> tuple[float, ...]:
        """Of the planet bodies [kg]."""
        return each(self.planet_mass)

    @property
    def inertias(self) -> tuple[float, ...]:
        """Of the planet bodies about their axes [kg m2]."""
        return each(self.planet_inertia)

    @property
    def elastic(self) -> bool:
        """Whether every planet is a body of its own, between elastic teeth."""
        return self.fidelity in ("elastic", "teeth")

    @property
    def planet(self) -> tuple[str, ...]:
        """Names of the planets' bodies."""
        return tuple(body.name for body in self.bodies)

    @property
    def places(self) -> dict[str, str]:
        """Central gears, carrier and planets."""
        return super().places | {f"planet {number}": name for number, name in enumerate(self.planet, 1)}

    @property
    def mesh_names(self) -> dict[str, list[str]]:
        """Names of the meshes of all planets by ``teeth.meshes``."""
        return {mesh: [self._named(mesh, pin)[0] for pin in range(self.teeth.n_planets)] for mesh in self.teeth.meshes}

    @property
    def members(self) -> dict[str, str]:
        """Central gears, carrier and planets by name, and what each sits on; without what is on the ground."""
        places = {f"{self.name} {one.replace('_', ' ')}": str(getattr(self, one)) for one in self.teeth.central}
        places[f"{self.name} carrier"] = self.carrier
        return {name: place for name, place in places.items() if place != GROUND} | {one: one for one in self.planet}

    @property
    def planet_rows(self) -> list[list[str]]:
        """Names of the planets of each circle of pins, one after the other around it."""
        pins = range(self.teeth.n_planets)
        return [[self._body(planet, pin) for pin in pins] for planet in self.teeth.planet_bodies]

    @property
    def outlines(self) -> dict[str, tuple[float, int]]:
        """Pitch radius [m] and teeth of each member, those of a ring negative; of the carrier the pins' radius, 0."""
        found = {"carrier": (max(self.teeth.pin_radii.values()), 0)}
        for mesh in self.teeth.meshes:
            for gear, z, r in zip(*self.teeth.gears_of(mesh), self.teeth.pitch_radii(mesh), strict=True):
                found.setdefault(gear if gear in CENTRAL_GEARS or self.teeth.meshing else "planet", (abs(r), z))
        names = {f"{self.name} {one.replace('_', ' ')}": one for one in found}
        pins = range(self.teeth.n_planets)
        names |= {self._body(planet, pin): planet for planet in self.teeth.planet_bodies for pin in pins}
        return {name: found[names[name]] for name in self.members}

    @property
    def pin_places(self) -> dict[str, tuple[float, float]]:
        """Radius [m] and angle [rad] of the pin of each planet by its name."""
        pins = [self._pin(i) for i in range(self.teeth.n_planets)]
        return {self._body(name, i): at for i, pin in enumerate(pins) for name, at in pin.items()}

    def held_at(self, planet: str) -> tuple[float, float] | None:
        """Radius [m] and angle [rad] of the pin of a planet by its name; of another member None."""
        return self.pin_places.get(planet)

    @abstractmethod
    def planet_teeth(self, pin: int) -> list[tuple[str, ElasticMesh | PairTeeth]]:
        """All meshes of the planet of a pin, each with which of ``teeth.meshes`` it is."""

    @property
    def disks(self) -> dict[str, GearMass]:
        """Gears on the places of sun and ring, with ``"teeth"``."""
        found = gear_masses(self.meshes) if self.fidelity == "teeth" else {}
        places = {str(getattr(self, name)): found[name] for name in CENTRAL_GEARS if name in found}
        return {at: mass for at, mass in places.items() if at != GROUND}

    @property
    def carried_inertia(self) -> float:
        """Of planets that the carrier holds, about its axis [kg m2]."""
        if not any(self.masses) or self.pins is not None:
            return 0.0
        radii = self.teeth.pin_radii.values()
        return self.teeth.n_planets * sum(m * a * a for m, a in zip(self.masses, radii, strict=True))

    @property
    def facts(self) -> dict[str, float | list[float]]:
        """What `alegear check` tells."""
        found: dict[str, float | list[float]] = {"planets": self.teeth.n_planets}
        for number, branch in enumerate(self.teeth.branches):
            found["stationary_ratio" if not number else "second_stationary_ratio"] = float(branch.gears.i0)
        return found

    def ratios_while(self, standing: Collection[str]) -> dict[str, float]:
        """Speeds of all that turns over that of the first, where a member is on what stands; else they are free."""
        u = self.teeth.relative_speeds
        places = {name: str(getattr(self, name)) for name in (*self.teeth.central, "carrier")}
        held = next((name for name, place in places.items() if shaft_of(place) in standing), None)
        if held is None:
            return {}
        pins = range(self.teeth.n_planets) if self.elastic else (None,)
        speeds = {place: u[name] - u[held] for name, place in places.items() if name != held}
        speeds |= {self._body(name, pin): u[name] - u[held] for name in self.teeth.planet_bodies for pin in pins}
        first = next(iter(speeds.values()))
        return {place: float(speed / first) for place, speed in speeds.items() if speed}

    @property
    def speed_rows(self) -> tuple[SpeedRow, ...]:
        """Rows over the speeds of all that turns: ``omega - omega_B = u (omega_A - omega_B)``, B the carrier."""
        u = self.teeth.relative_speeds
        first = next(name for name in self.teeth.central if u[name])
        places = {name: [str(getattr(self, name))] for name in self.teeth.central if name != first}
        pins: Sequence[int | None] = range(self.teeth.n_planets) if self.elastic else (None,)
        places |= {name: [self._body(name, pin) for pin in pins] for name in self.teeth.planet_bodies}
        found = []
        for name, bodies in places.items():
            ratio = u[name] / u[first]
            for body in bodies:
                weights = {body: Fraction(1), str(getattr(self, first)): -ratio, self.carrier: ratio - 1}
                found.append(speed_row(self.name, weights))
        return tuple(found)

    @property
    def tooth_meshes(self) -> tuple[MeshingTeeth, ...]:
        """Which teeth meet: of each kind of mesh one, that of the first planet."""
        pin = 0 if self.elastic else None
        found = []
        for mesh in self.teeth.meshes:
            (first, second), teeth = self.teeth.gears_of(mesh)
            name = f"{self.name} {'between planets' if mesh == BETWEEN_PLANETS else mesh.replace('_', ' ')}"
            shafts = (shaft_of(self._place(first, pin)), shaft_of(self._place(second, pin)))
            central = None if mesh == BETWEEN_PLANETS else shaft_of(str(getattr(self, mesh)))
            found.append(MeshingTeeth(name, shafts, teeth, shaft_of(self.carrier), self.teeth.n_planets, central))
        return tuple(found)

    def _named(self, mesh: str, pin: int) -> tuple[str, tuple[str, str]]:
        """Name of the mesh of a planet, and what its gears sit on."""
        first, second = (self._place(gear, pin) for gear in self.teeth.gears_of(mesh)[0])
        numbered = BETWEEN_PLANETS if mesh == BETWEEN_PLANETS else f"{mesh.replace('_', ' ')} planet"
        return f"{self.name} {numbered} {pin + 1}", (first, second)

    def _place(self, gear: str, pin: int | None) -> str:
        """What a gear sits on: a central gear, or a planet of a pin."""
        if gear in CENTRAL_GEARS:
            return str(getattr(self, gear))
        return self._body(gear if self.teeth.meshing else "planet", pin)

    def _body(self, planet: str, pin: int | None = None) -> str:
        return f"{self.name} {planet}" + ("" if pin is None else f" {pin + 1}")

    def _pin(self, number: int) -> dict[str, tuple[float, float]]:
        """Radius [m] and angle [rad] of each planet body of a pin."""
        turn = 2.0 * pi * float(self.teeth.branches[-1].gears.pin_turns[number])
        leads = (0.0, self.teeth.layouts[-1].pin_lead)
        radii = self.teeth.pin_radii.items()
        return {name: (radius, turn + lead) for (name, radius), lead in zip(radii, leads, strict=False)}
