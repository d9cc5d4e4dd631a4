"""A system at one time and at many: what results and balances of energy read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from alegear.system.complementarity import Reaction
from alegear.system.coordinates import Array, Indices
from alegear.system.holonomic import JointForces
from alegear.system.model import SystemData, SystemForces, SystemModel, mass_matrix


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemState:
    """All coordinates of a system at one instant, prescribed ones included.

    Parameters
    ----------
    t : float [s]
    x, v, a : shape (n,)
    forces : SystemForces
    multipliers : shape (n_constraints,)
    friction, rates : shape (k,)
        Friction forces and relative rates of the switches.
    modes : shape (k,)
    joint_multipliers : shape (n_equations,)
    joints : JointForces or None
        What joints exert on all coordinates; None without any.
    """

    t: float
    x: Array
    v: Array
    a: Array
    forces: SystemForces
    multipliers: Array
    friction: Array = field(default_factory=lambda: np.empty(0))
    rates: Array = field(default_factory=lambda: np.empty(0))
    modes: Indices = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    joint_multipliers: Array = field(default_factory=lambda: np.empty(0))
    joints: JointForces | None = None

    def held_back(self, model: SystemModel, M: Array) -> Array:
        """Inertia less all forces, shape (n,): on prescribed coordinates that of their drives, on others zero."""
        held = M @ self.a - self.forces.Q + model.constraint_rows.T @ self.multipliers
        if self.joints is not None:
            held = held - self.joints.Q
        for switch, force in zip(model.switches, self.friction, strict=True):
            held = held + force * switch.push
        return held


@dataclass(frozen=True, kw_only=True, eq=False)
class Evaluation:
    """What was found at one instant of a motion, by whatever integrates it.

    Attributes
    ----------
    t : float [s]
    x, v : shape (n,)
    forces : SystemForces
    reaction : Reaction
        Empty where there is neither friction nor a linear constraint, and with joints in space.
    lines : shape (k, 2, 2, 2)
        Bounds of the switches in their modes.
    """

    t: float
    x: Array
    v: Array
    forces: SystemForces
    reaction: Reaction
    lines: Array

    def state(self, a: Array, rates: Array, modes: Indices) -> SystemState:
        """The same with accelerations (n,), and rates and modes of the switches (k,)."""
        return SystemState(
            t=self.t,
            x=self.x,
            v=self.v,
            a=a,
            forces=self.forces,
            multipliers=self.reaction.mu,
            friction=self.reaction.lam,
            rates=rates,
            modes=modes,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Instants:
    """A system at m times.

    Attributes
    ----------
    t : shape (m,) [s]
    x, v, a : shape (m, n)
    mu : shape (m, n_constraints)
        Multipliers of the constraints.
    lam, rates : shape (m, k)
        Friction forces and relative rates of the switches.
    modes : shape (m, k)
    loads : shape (m, n_loads)
        Values of the loads.
    prescribed : shape (m, n_prescribed)
        Forces with which prescribed coordinates are prescribed.
    element_forces : tuple of shape (m, n_e)
        One array for each element.
    stored, damped, supplied : shape (m, n_elements) [J, W, W]
        Energy of elements, power of their losses, power they are supplied with.
    """

    t: Array
    x: Array
    v: Array
    a: Array
    mu: Array
    lam: Array
    rates: Array
    modes: Indices
    loads: Array
    prescribed: Array
    element_forces: tuple[Array, ...]
    stored: Array
    damped: Array
    supplied: Array

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, which: slice | Indices) -> Instants:
        """Some of them."""
        return self._each([self], lambda arrays: arrays[0][which])

    @classmethod
    def of(cls, model: SystemModel, data: SystemData, states: Sequence[SystemState]) -> Instants:
        """Those of states, one at least, with the forces that were found there."""
        elements = list(zip(model.elements, data.elements, strict=True))
        energies = np.zeros((len(states), len(elements), 3))
        for row, now in zip(energies, states, strict=True):
            for own, (element, of_element), forces in zip(row, elements, now.forces.elements, strict=True):
                x, v = now.x[element.coordinates], now.v[element.coordinates]
                energy = element.energy(now.t, x, v, forces, of_element)
                own[0], own[1], own[2] = energy.stored, energy.damping_power, energy.supplied_power
                own[1] += energy.friction @ v if len(energy.friction) else 0.0
                own[2] += energy.supplied @ v if len(energy.supplied) else 0.0
        held = np.array([now.held_back(model, mass_matrix(model, data, now.x)) for now in states])
        names = ("t", "x", "v", "a", "rates", "modes")
        by_name: dict[str, Any] = {name: np.array([getattr(now, name) for now in states]) for name in names}
        return cls(
            **by_name,
            mu=np.array([now.multipliers for now in states]),
            lam=np.array([now.friction for now in states]),
            loads=model.load_values(by_name["t"]),
            prescribed=held[:, model.prescribed_indices],
            element_forces=tuple(np.array([now.forces.elements[i].Q for now in states]) for i in range(len(elements))),
            stored=energies[:, :, 0],
            damped=energies[:, :, 1],
            supplied=energies[:, :, 2],
        )

    @classmethod
    def of_samples(
        cls,
        model: SystemModel,
        data: SystemData,
        t: Array,
        x: Array,
        v: Array,
        a: Array,
        Q: Array,
        element_forces: tuple[Array, ...],
    ) -> Instants:
        """A motion without switches and constraints at m times; energies and powers of elements are NaN.

        Parameters
        ----------
        model : SystemModel
        data : SystemData
        t : shape (m,) [s]
        x, v, a : shape (m, n)
        Q : shape (m, n)
            All forces.
        element_forces : tuple of shape (m, n_e)
        """
        inertia = np.array([mass_matrix(model, data, one) @ own for one, own in zip(x, a, strict=True)])
        none, unknown = np.zeros((len(t), 0)), np.full((len(t), len(model.elements)), np.nan)
        return cls(
            t=t,
            x=x,
            v=v,
            a=a,
            mu=none,
            lam=none,
            rates=none,
            modes=none.astype(np.int64),
            loads=model.load_values(t),
            prescribed=(inertia.reshape(Q.shape) - Q)[:, model.prescribed_indices],
            element_forces=element_forces,
            stored=unknown,
            damped=unknown,
            supplied=unknown,
        )

    @classmethod
    def joined(cls, several: Iterable[Instants]) -> Instants:
        """One after the other."""
        return cls._each(list(several), np.concatenate)

    @classmethod
    def _each(cls, several: list[Instants], make: Callable[[Sequence[Any]], Any]) -> Instants:
        """Make every array of those that some have under its name."""
        parts: dict[str, Any] = {}
        for one in fields(cls):
            values = [getattr(block, one.name) for block in several]
            of_elements = isinstance(values[0], tuple)
            parts[one.name] = tuple(map(make, zip(*values, strict=True))) if of_elements else make(values)
        return cls(**parts)
