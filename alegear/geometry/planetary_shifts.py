"""Profile shifts, centre distances and tips of a planetary set: what is given of them, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import acos, copysign, cos, floor, hypot, sin
from typing import NamedTuple

from alegear.errors import Fault
from alegear.geometry.gear_pair import BACKLASH_ROUND_OFF
from alegear.geometry.involute import backlash_at, base_distance, profile_shift_sum, working_distance
from alegear.geometry.planetary import in_words


class MeshNumbers(NamedTuple):
    """Two gears that mesh, the first of which is the inner one.

    Attributes
    ----------
    gears : (str, str)
    teeth : (int, int)
        Those of a ring negative.
    m_n : float [m]
    distance : int
        Which of the centre distances of the set is theirs: meshes on one circle of pins have one.
    """

    gears: tuple[str, str]
    teeth: tuple[int, int]
    m_n: float
    distance: int


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanetaryShifts:
    """Find the centre distances of a set and the profile shift of each gear from those that are given.

    A centre distance is the given one; else that without backlash of the meshes at it of which both profile shifts are
    given, which must agree as profile shifts are rounded; else that without profile shift. The profile shift that is
    not given of a gear is that without backlash against a gear whose shift is known. Without given shifts those of a
    given centre distance are known as sums only.

    Parameters
    ----------
    meshes : mapping of str to MeshNumbers
    alpha_n, beta : float [rad]
    a_w : tuple of float or None [m]
    given : mapping of str to float
        Profile shifts by gear; those of a ring are negative outwards.

    Raises
    ------
    Fault
        For meshes on one circle of pins whose profile shifts lead to different centre distances.
    """

    meshes: Mapping[str, MeshNumbers]
    alpha_n: float
    beta: float
    a_w: tuple[float, ...] | None
    given: Mapping[str, float]

    # ------------------------------------------------------------------ what follows
    @cached_property
    def _found(self) -> tuple[dict[int, float], dict[str, float], bool]:
        """Centre distances, profile shifts, and whether any distance is other than for want of a given one."""
        x, solved = dict(self.given), False
        a = {} if self.a_w is None else dict(enumerate(self.a_w))
        numbers = sorted({mesh.distance for mesh in self.meshes.values()})
        by_default: set[int] = set()
        while True:
            for number in numbers:
                known = [m for m in self._at(number) if all(gear in x for gear in m.gears)]
                if number not in a and known:
                    a[number], solved = self._common(known, x), True
            derived = self._one_more(a, x)
            if derived is not None:
                x[derived[0]] = derived[1]
                continue
            left = [number for number in numbers if number not in a]
            if not left:
                break
            by_default.add(left[0])
            a[left[0]] = _reference(self._at(left[0])[0], self.beta)
        for number in by_default:  # nothing is shifted there
            x |= {gear: 0.0 for mesh in self._at(number) for gear in mesh.gears if gear not in x}
        return a, x, solved or self.a_w is not None

    @property
    def distances(self) -> dict[str, float]:
        """Working centre distance of each mesh [m]."""
        return {name: self._found[0][mesh.distance] for name, mesh in self.meshes.items()}

    @property
    def x(self) -> dict[str, float]:
        """Profile shift of each gear; those that are not known are left out."""
        return self._found[1]

    @property
    def shifted(self) -> bool:
        """Whether centre distances are given, or follow from profile shifts."""
        return self._found[2]

    def check_backlash(self, thinner: Mapping[str, float] | None = None) -> None:
        """Refuse a centre distance at which the profile shifts leave no room.

        Parameters
        ----------
        thinner : mapping of str to float, optional
            By how much allowances reduce the generating profile shift, x - x_E, of gears.

        Raises
        ------
        Fault
        """
        less = thinner or {}
        x = {gear: value - less.get(gear, 0.0) for gear, value in self.x.items()}
        for name, mesh in self.meshes.items():
            if any(gear not in x for gear in mesh.gears):
                continue
            a_w = self.distances[name]
            backlash = self._backlash(mesh, a_w, x)
            if backlash >= -BACKLASH_ROUND_OFF * mesh.m_n:
                continue
            given = [gear for gear in mesh.gears if gear in self.given]
            last = next((gear for gear in given if not gear.startswith("planet")), given[-1])
            mate = mesh.gears[1 - mesh.gears.index(last)]
            total = profile_shift_sum(z=mesh.teeth, m_n=mesh.m_n, a_w=a_w, alpha_n=self.alpha_n, beta=self.beta)
            fitting = floor(1e4 * (total - x[mate] + less.get(last, 0.0))) / 1e4
            raise Fault(
                f"backlash of {_called(mesh)} [mm]",
                round(1e3 * backlash, 6),
                f"0 or more at the centre distance {1e3 * a_w:.7g}",
                f"give profile_shift of the {in_words(last)} = {fitting:.4f}, or correct a_w",
            )

    def tip_alteration_factor(self, gear: str) -> float:
        """Return k with which a tip keeps the clearance of its rack in each mesh of which the shifts are known.

        ``k = (a_w - a_d)/m_n - (x_1 + x_2)``, with signs, where it is negative, else 0: what DIN 3960 and ISO 21771
        have for external gears, and for a ring that only shortens.
        """
        found = [0.0]
        for name, mesh in self.meshes.items():
            if gear in mesh.gears and all(one in self.x for one in mesh.gears):
                sign = copysign(1.0, sum(mesh.teeth))
                way = sign * (self.distances[name] - _reference(mesh, self.beta)) / mesh.m_n
                found.append(way - sum(self.x[one] for one in mesh.gears))
        return min(found)

    def tip_radius(self, gear: str) -> float | None:
        """Return the tip radius of a gear with an addendum of a module [m], that of a ring negative.

        ``r + (x + 1 + k) m_n``, k by :meth:`tip_alteration_factor`; never so long that it would meet its mate below the
        base circle of that. None if its profile shift is not known.
        """
        if gear not in self.x:
            return None
        mesh, place = next((m, m.gears.index(gear)) for m in self.meshes.values() if gear in m.gears)
        r = 0.5 * mesh.teeth[place] * mesh.m_n / cos(self.beta)
        tip = r + (self.x[gear] + 1.0 + self.tip_alteration_factor(gear)) * mesh.m_n
        return min([tip, *self.tip_bounds(gear)])

    def tip_bounds(self, gear: str) -> list[float]:
        """Return the largest tip radii, those of rings negative, that its external mates' involutes leave a gear [m].

        ``r_a^2 = r_b^2 + (a_w sin alpha_wt)^2``: contact where the line of action touches the base circle of the mate.
        """
        found = []
        for name, mesh in self.meshes.items():
            if gear not in mesh.gears or mesh.teeth[1 - mesh.gears.index(gear)] < 0:
                continue
            z, alpha_wt = mesh.teeth[mesh.gears.index(gear)], self.alpha_wt(name)
            a_w = self.distances[name]
            r_b = z / abs(sum(mesh.teeth)) * a_w * cos(alpha_wt)
            found.append(copysign(hypot(r_b, a_w * sin(alpha_wt)), z))
        return found

    def alpha_wt(self, mesh: str) -> float:
        """Return the working transverse pressure angle of a mesh [rad]."""
        own = self.meshes[mesh]
        base = base_distance(z=own.teeth, m_n=own.m_n, alpha_n=self.alpha_n, beta=self.beta)
        return acos(min(1.0, base / self.distances[mesh]))

    # ------------------------------------------------------------------ how it is found
    def _at(self, number: int) -> list[MeshNumbers]:
        return [mesh for mesh in self.meshes.values() if mesh.distance == number]

    def _one_more(self, a: Mapping[int, float], x: Mapping[str, float]) -> tuple[str, float] | None:
        """A gear whose profile shift follows from that of its mate at a known distance."""
        for mesh in self.meshes.values():
            unknown = [gear for gear in mesh.gears if gear not in x]
            if mesh.distance in a and len(unknown) == 1:
                total = profile_shift_sum(
                    z=mesh.teeth, m_n=mesh.m_n, a_w=a[mesh.distance], alpha_n=self.alpha_n, beta=self.beta
                )
                return unknown[0], total - sum(x[gear] for gear in mesh.gears if gear in x)
        return None

    def _common(self, known: Sequence[MeshNumbers], x: Mapping[str, float]) -> float:
        """The centre distance of meshes at one circle of pins, by their profile shifts [m]."""
        found = [self._free(mesh, x) for mesh in known]
        middle = 0.5 * (min(found) + max(found))
        for mesh, own in zip(known, found, strict=True):
            if abs(self._backlash(mesh, middle, x)) > BACKLASH_ROUND_OFF * mesh.m_n:
                raise self._disagreement(known[0], found[0], *self._other(known, found, mesh, own), x)
        return middle

    @staticmethod
    def _other(
        known: Sequence[MeshNumbers], found: Sequence[float], mesh: MeshNumbers, own: float
    ) -> tuple[MeshNumbers, float]:
        """The mesh to compare with the first one: the one that differs, of two the second."""
        if mesh is not known[0]:
            return mesh, own
        farthest = max(range(1, len(known)), key=lambda i: abs(found[i] - found[0]))
        return known[farthest], found[farthest]

    def _disagreement(
        self, first: MeshNumbers, a_1: float, other: MeshNumbers, a_2: float, x: Mapping[str, float]
    ) -> Fault:
        central = next((gear for gear in other.gears if not gear.startswith("planet")), other.gears[0])
        mate = other.gears[1 - other.gears.index(central)]
        fitting = profile_shift_sum(z=other.teeth, m_n=other.m_n, a_w=a_1, alpha_n=self.alpha_n, beta=self.beta)
        remedy = f"give profile_shift of the {in_words(central)} = {fitting - x[mate]:.4f}"
        if abs(fitting - x[mate] + x[central]) < 5e-3 and abs(x[central]) > 0.0:
            remedy += " (a shift of a ring away from its axis is negative)"
        squeezed = [self._backlash(mesh, 0.5 * (a_1 + a_2), x) < 0.0 for mesh in (first, other)]
        if not any(squeezed):
            remedy += f", or with backlash a_w = {round(0.5e3 * (a_1 + a_2), 4)}"
        return Fault(
            f"centre distance of {_called(other)} by their profile shifts [mm]",
            round(1e3 * a_2, 4),
            f"that of {_called(first)}, {1e3 * a_1:.7g}",
            remedy,
        )

    def _free(self, mesh: MeshNumbers, x: Mapping[str, float]) -> float:
        """Centre distance without backlash [m]."""
        total = sum(x[gear] for gear in mesh.gears)
        try:
            return working_distance(z=mesh.teeth, m_n=mesh.m_n, x=total, alpha_n=self.alpha_n, beta=self.beta)
        except Fault as fault:
            remedy = f"correct profile_shift of the {in_words(mesh.gears[0])} or profile_shift of the " + in_words(
                mesh.gears[1]
            )
            raise Fault(f"{fault.quantity} of {_called(mesh)}", fault.value, fault.limit, remedy) from fault

    def _backlash(self, mesh: MeshNumbers, a_w: float, x: Mapping[str, float]) -> float:
        total = sum(x[gear] for gear in mesh.gears)
        return backlash_at(a_w, z=mesh.teeth, m_n=mesh.m_n, x=total, alpha_n=self.alpha_n, beta=self.beta)


def _reference(mesh: MeshNumbers, beta: float) -> float:
    """Centre distance without profile shift by magnitude [m]."""
    return 0.5 * abs(sum(mesh.teeth)) * mesh.m_n / cos(beta)


def _called(mesh: MeshNumbers) -> str:
    return f"the {in_words(mesh.gears[0])} and the {in_words(mesh.gears[1])}"
