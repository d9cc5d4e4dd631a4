"""Energy balance of the parts of a system over many instants: torques, powers, losses, stored energy."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from alegear.system.coordinates import ROTATION, Array, Indices
from alegear.system.instants import Instants
from alegear.system.model import SystemModel


@dataclass(frozen=True, kw_only=True, eq=False)
class Flange:
    """Where a part acts on a body with a torque about its axis.

    Attributes
    ----------
    part : str
    body : str
    coordinate : int
        The rotation.
    """

    part: str
    body: str
    coordinate: int


class EnergyBalance:
    """Bookkeeping of the parts of a system: torques at their flanges, powers, losses, energies.

    Parameters
    ----------
    model : SystemModel
    only : collection of str, optional
        Parts whose flanges are told; default: all.

    Attributes
    ----------
    parts : tuple of str
        All that act: links under the names of the parts that they belong to, drives and loads.
    flanges : tuple of Flange
    """

    def __init__(self, model: SystemModel, only: Collection[str] | None = None) -> None:
        self.model = model
        owner = model.owner
        links: list[tuple[str, Indices]] = [(owner(p.name), p.coordinates) for p in model.parts]
        links += [(owner(e.name), e.coordinates) for e in model.elements]
        links += [(owner(c.name), np.flatnonzero(c.row)) for c in model.constraints]
        links += [(owner(s.name), np.flatnonzero(s.push)) for s in model.switches]
        links += [(owner(load.name), np.flatnonzero(load.direction)) for load in model.loads]
        links += [(owner(one.name), np.array([one.index])) for one in model.prescribed]
        self.parts = tuple(dict.fromkeys(name for name, _ in links))
        self._number = {name: i for i, name in enumerate(self.parts)}
        turns = {i for i, one in enumerate(model.coordinates) if one.direction == ROTATION}
        pairs = dict.fromkeys(
            (name, int(i)) for name, at in links for i in at if int(i) in turns and (only is None or name in only)
        )
        self.flanges = tuple(
            Flange(part=name, body=model.coordinates[i].body, coordinate=i)
            for name, i in sorted(pairs, key=lambda one: (self._number[one[0]], one[1]))
        )
        self._flange = {(f.part, f.coordinate): j for j, f in enumerate(self.flanges)}
        #: By kind and number of a link: columns of its force, and the flanges that they belong to.
        self._columns: dict[tuple[str, int], tuple[list[int], list[int]]] = {}

    # ---------------------------------------------------------------- torques
    def torques(self, now: Instants) -> Array:
        """Torques (m, n_flanges) with which bodies act on parts, positive about the axis of the body [N m]."""
        model, found = self.model, np.zeros((len(now), len(self.flanges)))

        def add(kind: str, number: int, link: str, at: Iterable[int], force: Array) -> None:
            key = kind, number
            if key not in self._columns:
                flanges = [(column, self._flange.get((model.owner(link), int(i)))) for column, i in enumerate(at)]
                own = [(column, j) for column, j in flanges if j is not None]
                self._columns[key] = [column for column, _ in own], [j for _, j in own]
            columns, of_flanges = self._columns[key]
            if columns:  # a link has each coordinate once
                found[:, of_flanges] -= force[:, columns]

        for number, part in enumerate(model.parts):
            add("part", number, part.name, part.coordinates, -part.force(now.x, now.v) @ part.rows)
        for number, (element, of_element) in enumerate(zip(model.elements, now.element_forces, strict=True)):
            add("element", number, element.name, element.coordinates, of_element)
        for number, constraint in enumerate(model.constraints):
            at = np.flatnonzero(constraint.row)
            add("constraint", number, constraint.name, at, -now.mu[:, [number]] * constraint.row[at])
        for number, switch in enumerate(model.switches):
            at = np.flatnonzero(switch.push)
            add("switch", number, switch.name, at, -now.lam[:, [number]] * switch.push[at])
        for number, load in enumerate(model.loads):
            at = np.flatnonzero(load.direction)
            add("load", number, load.name, at, now.loads[:, [number]] * load.direction[at])
        for number, one in enumerate(model.prescribed):
            add("prescribed", number, one.name, [one.index], now.prescribed[:, [number]])
        return found

    def powers(self, now: Instants, torques: Array) -> Array:
        """Powers (m, n_flanges) that go from the bodies into the parts [W]."""
        at = np.array([f.coordinate for f in self.flanges], dtype=np.int64)
        powers: Array = torques * now.v[:, at]
        return powers

    # ----------------------------------------------------------------- energy
    def losses(self, now: Instants) -> Array:
        """Power lost in each part, shape (m, n_parts) [W]."""
        model, lost = self.model, np.zeros((len(now), len(self.parts)))
        for part in model.parts:
            if part.damping.any():
                rate = now.v[:, part.coordinates] @ part.rows.T
                lost[:, self._of(part.name)] += np.einsum("mi,ij,mj->m", rate, part.damping, rate)
        for number, element in enumerate(model.elements):
            lost[:, self._of(element.name)] += now.damped[:, number]
        for number, switch in enumerate(model.switches):
            along = now.v @ switch.push if self._acts_elsewhere[number] else now.rates[:, number]
            lost[:, self._of(switch.name)] += now.lam[:, number] * along
        return lost

    @cached_property
    def _acts_elsewhere(self) -> list[bool]:
        """Whether the force of a switch is not along its rate, nor is so by a constraint."""
        rows = self.model.constraint_rows
        found = []
        for switch in self.model.switches:
            between = switch.rate - switch.push
            if len(rows):
                between = between - rows.T @ np.linalg.lstsq(rows.T, between, rcond=None)[0]
            found.append(bool(np.abs(between).max(initial=0.0) > 1e-9 * np.abs(switch.rate).max()))
        return found

    def supplied(self, now: Instants) -> Array:
        """Power put in by each part from outside: drives, loads, functions; shape (m, n_parts) [W]."""
        model, given = self.model, np.zeros((len(now), len(self.parts)))
        for number, load in enumerate(model.loads):
            given[:, self._of(load.name)] += now.loads[:, number] * (now.v @ load.direction)
        for number, one in enumerate(model.prescribed):
            given[:, self._of(one.name)] += now.prescribed[:, number] * now.v[:, one.index]
        for number, element in enumerate(model.elements):
            given[:, self._of(element.name)] += now.supplied[:, number]
        return given

    def stored(self, now: Instants) -> Array:
        """Energy stored in each part, shape (m, n_parts) [J]."""
        model, stored = self.model, np.zeros((len(now), len(self.parts)))
        for part in model.parts:
            y = now.x[:, part.coordinates] @ part.rows.T
            stored[:, self._of(part.name)] += 0.5 * np.einsum("mi,ij,mj->m", y, part.stiffness, y)
        for number, element in enumerate(model.elements):
            stored[:, self._of(element.name)] += now.stored[:, number]
        return stored

    def kinetic(self, now: Instants) -> Array:
        """Kinetic energy, shape (m,) [J]."""
        energy: Array = 0.5 * np.einsum("mi,ij,mj->m", now.v, self.model.mass, now.v)
        return energy

    def constant_power(self, now: Instants) -> Array:
        """Power of constant forces, weight, shape (m,) [W]."""
        power: Array = now.v @ self.model.constant_force
        return power

    def _of(self, link: str) -> int:
        return self._number[self.model.owner(link)]
