"""Teeth of a planetary set with two or three central gears: what meshes with what, ratios, places, phases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import copysign, radians
from typing import Annotated, NamedTuple

from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import MODULE, PROFILE_SHIFT
from alegear.geometry.gear_pair import CENTRE_DISTANCE
from alegear.geometry.planetary import (
    CENTRAL_GEARS,
    MOST_PLANETS,
    PIN_ANGLE,
    PLANETS,
    RING,
    SECOND_RING,
    SECOND_SUN,
    SUN,
    TEETH,
    PlanetarySet,
    in_words,
)
from alegear.geometry.planetary_layout import (
    HELIX_ANGLE,
    PRESSURE_ANGLE,
    SECOND_MODULE,
    TIP_DIAMETER,
    PlanetaryLayout,
)
from alegear.geometry.planetary_shifts import MeshNumbers, PlanetaryShifts
from alegear.limits import check_type, described
from alegear.parameters import ByName, Numbers, Words, check_parameters
from alegear.short_repr import ShortRepr

#: The mesh of planet gears that have a pin each.
BETWEEN_PLANETS = "planets"
#: Part of a tip diameter by which it may pass a bound, and to which messages round: what drawings print.
TIP_ROUND_OFF = 1e-6
ALPHA_N = radians(20.0)
OF_GEARS = {
    "sun": "of the sun",
    "second_sun": "of the second sun",
    "planet": "of the planets",
    "planet_1": "of two planet gears, of the first",
    "planet_2": "of two planet gears, of the second",
    "ring": "of the ring",
    "second_ring": "of the second ring",
}


class Branch(NamedTuple):
    """Two of the central gears with the planets between them.

    Attributes
    ----------
    gears : PlanetarySet
    members : mapping of str to str
        What it calls its members -> what the whole calls them.
    planets : tuple of int
        Numbers of its planet gears.
    """

    gears: PlanetarySet
    members: Mapping[str, str]
    planets: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanetaryTeeth(ShortRepr):
    """Say which gears a planetary set has.

    Of two central gears the first meshes with the first planet gear and the second with the last, as in
    :class:`~alegear.geometry.planetary.PlanetarySet`. Three are two such sets that have pins, carrier and a planet in
    common:

    - sun, second sun and ring: the sun meshes with the first planet gear, second sun and ring with the second one; of
      planets that mesh this is a Ravigneaux set;
    - sun, ring and second ring about stepped planets: sun and ring mesh with the first step, the second ring with the
      second one (Wolfrom).

    Parameters
    ----------
    stepped : bool
        Two planet gears turn as one, with a module the steps of all planets alike. False: they have a pin each and mesh
        with each other.
    m_n : float or None [m]
        Normal module. None: only the tooth numbers are known; the geometry of the set is not checked then.
    tip_diameters : mapping of str to float, optional [m]
        By gear: ``"sun"``, ``"planet"`` (of two ``"planet_1"``, ``"planet_2"``), ``"ring"`` ...; what is not given is
        :attr:`tips`.
    profile_shifts : mapping of str to float, optional
        Profile shift factors by gear, negative outwards of a ring. Those that are not given, and `a_w`, follow from the
        others (:class:`~alegear.geometry.planetary_shifts.PlanetaryShifts`). The phase between the meshes of a planet
        depends on that of the planet.

    Raises
    ------
    Fault
        For all that :class:`PlanetarySet` and :class:`~alegear.geometry.planetary_layout.PlanetaryLayout` refuse.

    Examples
    --------
    >>> teeth = PlanetaryTeeth(sun=30, second_sun=36, planets=(16, 17), ring=70, n_planets=2)
    >>> [str(branch.gears.i0) for branch in teeth.branches]
    ['-35/18', '7/3']
    """

    sun: Annotated[int | None, SUN] = None
    ring: Annotated[int | None, replace(RING, words="teeth of the ring, positive")] = None
    second_sun: Annotated[int | None, SECOND_SUN] = None
    second_ring: Annotated[int | None, SECOND_RING] = None
    planets: Annotated[
        tuple[int, ...],
        Numbers("teeth of the planets; two of stepped planets and of pairs", TEETH, 1, 2, "planet_teeth", alone=True),
    ]
    stepped: Annotated[bool, Words("whether two planet gears turn as one; else they mesh")] = False
    n_planets: Annotated[int, PLANETS]
    pin_angles: Annotated[
        tuple[float, ...] | None,
        Numbers(
            "angles of the pins from the first one (equally spaced)", PIN_ANGLE, 1, MOST_PLANETS, "pin_positions_deg"
        ),
    ] = None
    m_n: Annotated[
        float | None,
        replace(MODULE, words="normal module (none: only the tooth numbers are known)"),
    ] = None
    second_m_n: Annotated[
        float | None,
        replace(SECOND_MODULE, words="normal module of the second step of stepped planets (normal_module_mm)"),
    ] = None
    beta: Annotated[float, HELIX_ANGLE] = 0.0
    alpha_n: Annotated[float, PRESSURE_ANGLE] = ALPHA_N
    a_w: Annotated[
        tuple[float, ...] | None,
        Numbers(
            "working centre distance, of planets that mesh three: first pins, between, second pins (that of the profile"
            " shifts)",
            CENTRE_DISTANCE,
            1,
            3,
            "center_distance_mm",
            alone=True,
        ),
    ] = None
    tip_diameters: Annotated[Mapping[str, float] | None, ByName("tip diameters, by gear,", TIP_DIAMETER, OF_GEARS)] = (
        None
    )
    profile_shifts: Annotated[
        Mapping[str, float] | None,
        ByName(
            "profile shift coefficients, by gear; the others and the centre distance follow from them",
            PROFILE_SHIFT,
            OF_GEARS | {"ring": "of the ring, negative away from its axis"},
        ),
    ] = None

    def __post_init__(self) -> None:
        check_parameters(self)
        if not isinstance(self.planets, tuple) or len(self.planets) not in (1, 2):
            value = len(self.planets) if isinstance(self.planets, tuple | list) else described(self.planets)
            raise Fault("planet gears", value, "a tuple of one or two tooth numbers", "correct planets")
        check_type(self, "stepped", bool)
        self._check_by_gear()
        if self.m_n is None:
            self._check_without_module()
        else:
            self._check_distances()
        self.branches  # noqa: B018  (makes and checks them)
        self.layouts  # noqa: B018
        if self.m_n is not None:
            self._check_reach()

    # ------------------------------------------------------------------ what there is
    @cached_property
    def central(self) -> tuple[str, ...]:
        """Names of the central gears."""
        return tuple(name for name in CENTRAL_GEARS if getattr(self, name) is not None)

    @property
    def meshing(self) -> bool:
        """Whether planet gears mesh with each other."""
        return len(self.planets) == 2 and not self.stepped

    @property
    def planet_gears(self) -> tuple[str, ...]:
        """``("planet",)``, or ``("planet_1", "planet_2")``."""
        return ("planet",) if len(self.planets) == 1 else ("planet_1", "planet_2")

    @property
    def planet_bodies(self) -> tuple[str, ...]:
        """What of the planets turns by itself, and has a pin: the steps of a planet are one."""
        return ("planet_1", "planet_2") if self.meshing else ("planet",)

    @property
    def members(self) -> tuple[str, ...]:
        """Names of all that turns."""
        return (*self.central, "carrier", *self.planet_bodies)

    @property
    def meshes(self) -> tuple[str, ...]:
        """Names of the meshes: of the central gears, and ``"planets"`` where these mesh."""
        return (*self.central, BETWEEN_PLANETS) if self.meshing else self.central

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        """One set, or the two that three central gears make: the one with a single planet gear first."""
        if len(self.central) == 3 and len(self.planets) == 2:
            two_suns, two_rings = self.second_sun is not None, self.second_ring is not None
            if two_suns and self.sun is not None and self.ring is not None:
                return self._branch("second_sun", "ring", planets=(1,)), self._branch("sun", "ring", planets=(0, 1))
            if two_rings and self.sun is not None and self.ring is not None and self.stepped:
                return self._branch("sun", "ring", planets=(0,)), self._branch("ring", "second_ring", planets=(0, 1))
        if len(self.central) > 2:
            raise Fault(
                "central gears",
                ", ".join(self.central),
                "two; or sun, second_sun and ring, or with stepped planets sun, ring and second_ring, of two planet "
                "gears",
                "leave one out, or write two sets",
            )
        return (self._branch(*self.central, planets=tuple(range(len(self.planets)))),)

    def _branch(self, *central: str, planets: tuple[int, ...]) -> Branch:
        single = len(planets) == 1 and len(self.central) == 3
        # with one planet gear there are a sun and a ring
        own = dict(zip(("sun", "ring"), central, strict=True)) if single else {name: name for name in central}
        gears = PlanetarySet(
            **{name: getattr(self, whole) for name, whole in own.items()},
            planets=tuple(self.planets[i] for i in planets),
            stepped=self.stepped and not single,
            n_planets=self.n_planets,
            pin_angles=self.pin_angles,
            steps_alike=self.m_n is not None,
            names={name: f"the {whole.replace('_', ' ')}" for name, whole in own.items()},
        )
        bodies = self.planet_bodies
        turning = [bodies[i] for i in planets] if self.meshing else [bodies[0]]
        members = {**own, "carrier": "carrier", **dict(zip(gears.planet_names, turning, strict=True))}
        return Branch(gears=gears, members=members, planets=planets)

    # ------------------------------------------------------------------ speeds
    @cached_property
    def relative_speeds(self) -> dict[str, Fraction]:
        """Member -> its speed against the carrier, over that of central gear A of the first branch."""
        found: dict[str, Fraction] = {}
        for branch in self.branches:
            own = {branch.members[name]: u for name, u in branch.gears.relative_speeds.items()}
            shared = next((name for name in own if name in found and own[name]), None)
            scale = Fraction(1) if shared is None else found[shared] / own[shared]
            found |= {name: scale * u for name, u in own.items() if name not in found}
        return {name: found[name] for name in self.members}

    # ------------------------------------------------------------------ places
    @cached_property
    def layouts(self) -> tuple[PlanetaryLayout, ...]:
        """The layout of each branch; none without a module.

        Raises
        ------
        Fault
        """
        return () if self.m_n is None else tuple(self._layout(branch) for branch in self.branches)

    def _layout(self, branch: Branch) -> PlanetaryLayout:
        m_n, second = self.m_n, None
        if len(branch.planets) == 2:
            second = self.second_m_n
        elif branch.planets == (1,) and self.second_m_n is not None:
            m_n = self.second_m_n
        assert m_n is not None
        distances = self.shifts.distances
        meshes = [branch.members[name] for name in branch.gears.central]
        if branch.gears.meshing:
            meshes.insert(1, BETWEEN_PLANETS)
        tips = [self.tip(self.planet_gears[i]) for i in branch.planets]
        known = [2.0 * tip for tip in tips if tip is not None]
        return PlanetaryLayout(
            gears=branch.gears,
            m_n=m_n,
            second_m_n=second,
            beta=self.beta,
            alpha_n=self.alpha_n,
            a_w=tuple(distances[mesh] for mesh in meshes) if self.shifts.shifted else None,
            tip_diameters=tuple(known) if len(known) == len(tips) else None,
        )

    @cached_property
    def shifts(self) -> PlanetaryShifts:
        """Profile shifts and centre distances, given or not, of a set with a module.

        Raises
        ------
        Fault
        """
        assert self.m_n is not None
        return PlanetaryShifts(
            meshes={mesh: self._numbers(mesh) for mesh in self.meshes},
            alpha_n=self.alpha_n,
            beta=self.beta,
            a_w=self.a_w,
            given=self.profile_shifts or {},
        )

    def _numbers(self, mesh: str) -> MeshNumbers:
        gears, teeth = self.gears_of(mesh)
        second_step = self.stepped and "planet_2" in gears and self.second_m_n is not None
        m_n = self.second_m_n if second_step else self.m_n
        assert m_n is not None
        distance = 0
        if self.meshing:
            distance = 1 if mesh == BETWEEN_PLANETS else 0 if "planet_1" in gears else 2
        return MeshNumbers(gears=gears, teeth=teeth, m_n=m_n, distance=distance)

    @property
    def pin_radii(self) -> dict[str, float]:
        """Radius of the circle of pins of each of :attr:`planet_bodies` [m]."""
        layout = self.layouts[-1]  # has all planet gears
        return dict(zip(self.planet_bodies, layout.pin_radii, strict=True))

    def gears_of(self, mesh: str) -> tuple[tuple[str, str], tuple[int, int]]:
        """Return both gears of one of :attr:`meshes` and their teeth, the inner one first, those of a ring negative."""
        if mesh == BETWEEN_PLANETS:
            return (self.planet_gears[0], self.planet_gears[1]), (self.planets[0], self.planets[1])
        branch = self.branches[self._branch_of(mesh)]
        own = next(name for name, whole in branch.members.items() if whole == mesh)
        end = branch.gears.central.index(own)
        sign, z = branch.gears.signed_teeth(end)
        planet = branch.planets[-end]
        central, other = (mesh, sign * z), (self.planet_gears[planet], self.planets[planet])
        first, second = (central, other) if sign > 0 else (other, central)
        return (first[0], second[0]), (first[1], second[1])

    def _branch_of(self, mesh: str) -> int:
        """Number of the branch that a mesh belongs to."""
        return next(
            number
            for number, branch in enumerate(self.branches)
            if mesh in branch.members.values() or (mesh == BETWEEN_PLANETS and branch.gears.meshing)
        )

    def pitch_radii(self, mesh: str) -> tuple[float, float]:
        """Return the working pitch radii of both gears of one of :attr:`meshes` [m], inner first, rings negative."""
        _, (first, second) = self.gears_of(mesh)
        per_tooth = self.shifts.distances[mesh] / abs(first + second)
        return first * per_tooth, second * per_tooth

    def alpha_wt(self, mesh: str) -> float:
        """Return the working transverse pressure angle of one of :attr:`meshes` [rad]."""
        return self.shifts.alpha_wt(mesh)

    def tip(self, gear: str) -> float | None:
        """Return the tip radius of a gear [m], that of a ring negative; None if its profile shift is not known.

        That given; else by an addendum of a module that keeps the clearance of the rack
        (:meth:`~alegear.geometry.planetary_shifts.PlanetaryShifts.tip_radius`).
        """
        given = (self.tip_diameters or {}).get(gear)
        if given is not None:
            return -0.5 * given if gear.endswith("ring") else 0.5 * given
        return self.shifts.tip_radius(gear)

    def tips(self, mesh: str) -> tuple[float, float]:
        """Return the tip radii of both gears of one of :attr:`meshes` [m], inner first, those of a ring negative.

        Raises
        ------
        Fault
            For a given centre distance of gears whose profile shifts are not known, and tips beyond involutes.
        """
        gears, _ = self.gears_of(mesh)
        known = {gear: self.tip(gear) for gear in gears}
        if None in known.values():
            unknown = [gear for gear in (*self.central, *self.planet_gears) if self.tip(gear) is None]
            # of planets without profile shift, as good as any
            known_shifts = {**dict.fromkeys(self.planet_gears, 0.0), **self.shifts.given}
            example = replace(self.shifts, given=known_shifts)
            radii = {gear: example.tip_radius(gear) for gear in unknown}
            shown = {**(self.tip_diameters or {}), **{gear: 2.0 * abs(r or 0.0) for gear, r in radii.items()}}
            raise Fault(
                f"tip diameters of {' and '.join(f'the {in_words(gear)}' for gear in unknown)}",
                "not given",
                "given for the friction of the teeth, or their profile shifts: a_w gives their sums only",
                f"give tip_diameters = {{ {', '.join(f'{gear} = {_mm(d)}' for gear, d in shown.items())} }} in mm,"
                " or profile_shifts of the planets",
            )
        first, second = (self._within_involutes(gear, tip) for gear, tip in known.items() if tip is not None)
        return first, second

    def _check_reach(self) -> None:
        """Refuse given tips between which no flanks meet."""
        for mesh, own in self.shifts.meshes.items():
            radii = [self.tip(gear) for gear in own.gears]
            if not any(gear in (self.tip_diameters or {}) for gear in own.gears) or None in radii:
                continue
            a_w = copysign(self.shifts.distances[mesh], sum(own.teeth))
            if sum(r or 0.0 for r in radii) <= a_w:
                names = " and ".join(f"the {in_words(gear)}" for gear in own.gears)
                raise Fault(
                    f"tip diameters of {names} [mm]",
                    " and ".join(str(_mm(2.0 * abs(r or 0.0))) for r in radii),
                    f"so large that flanks meet at the centre distance {_mm(abs(a_w))}",
                    "correct tip_diameters",
                )

    def _within_involutes(self, gear: str, tip: float) -> float:
        """The tip, less by round-off of a bound; refuse one that meets a mate where that has no involute."""
        for bound in self.shifts.tip_bounds(gear):
            if tip > bound + TIP_ROUND_OFF * abs(bound):
                ring = tip < 0.0
                # rounded to the side that is allowed
                shown = _mm(2.0 * abs(bound) * (1.0 + (2.0 if ring else -2.0) * TIP_ROUND_OFF))
                raise Fault(
                    f"tip diameter of the {in_words(gear)} [mm]",
                    round(2e3 * abs(tip), 6),
                    f"{'at least' if ring else 'at most'} {shown}, where the involute of its mate ends",
                    f"give tip_diameter of the {in_words(gear)} = {shown}",
                )
        return min([tip, *self.shifts.tip_bounds(gear)])

    # ------------------------------------------------------------------ phases
    def lags(self, mesh: str) -> tuple[Fraction, ...]:
        """Return by how much each planet's mesh is behind the first planet's, in pitches of the mesh position.

        From 0 to below 1. The mesh position counts the turning of the inner gear, counterclockwise, against the
        carrier. The mesh at psi sees a central gear as the first one does where that has turned by psi less:
        ``z psi/(2 pi)`` pitches of a sun, and of a ring, with which its planet turns. Planets that mesh with each other
        are mounted at an angle chi against their own radius: ``-z chi/(2 pi)`` of the first.
        """
        if mesh == BETWEEN_PLANETS:
            gears = self.branches[-1].gears
            return tuple((-self.planets[0] * turns[0]) % 1 for turns in gears.planet_turns)
        return tuple((getattr(self, mesh) * turn) % 1 for turn in self.branches[-1].gears.pin_turns)

    # ------------------------------------------------------------------ checks
    def _check_without_module(self) -> None:
        given = [
            name for name in ("second_m_n", "a_w", "tip_diameters", "profile_shifts") if getattr(self, name) is not None
        ]
        given += [name for name, default in (("beta", 0.0), ("alpha_n", ALPHA_N)) if getattr(self, name) != default]
        if given:
            raise Fault(" and ".join(given), "given", "left out without m_n", "give m_n, the normal module")

    def _check_distances(self) -> None:
        if self.a_w is None:
            return
        count = 3 if self.meshing else 1
        if not isinstance(self.a_w, tuple) or len(self.a_w) != count:
            value = len(self.a_w) if isinstance(self.a_w, tuple | list) else described(self.a_w)
            limit = "three: first pins, between the planets, second pins" if count == 3 else "one: there is one circle"
            raise Fault("number of centre distances a_w", value, limit, "correct a_w")

    def _check_by_gear(self) -> None:
        """Refuse numbers of gears that are not there, or beyond their range."""
        there = (*self.central, *self.planet_gears)
        for key, limits in (("tip_diameters", TIP_DIAMETER), ("profile_shifts", PROFILE_SHIFT)):
            given = getattr(self, key)
            if given is not None:
                check_type(self, key, Mapping)
            for name, value in (given or {}).items():
                if name not in there:
                    raise Fault(f"gear in {key}", described(name), f"one of {', '.join(there)}", f"correct {key}")
                limits.check(value, f"PlanetaryTeeth.{key}, {name}")
        planets = [name for name in self.planet_gears if name in (self.tip_diameters or {})]
        if len(planets) not in (0, len(self.planet_gears)):
            raise Fault(
                "planet gears in tip_diameters", planets[0], "both of them or none", "give tip_diameters of both"
            )


def _mm(length: float) -> float:
    """A length [m] in millimetres as messages show it."""
    return float(f"{1e3 * length:.7g}")
