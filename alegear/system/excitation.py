r"""Periodic systems from a system whose elements excite it: one for each of them, the others at their means.

An element (a gear mesh) has a phase of its own and repeats with it; several may share one (an idler's). At J phases the
system rests at y, counted from the motion of perfect gears, where the element exerts Q and has the tangents
:math:`K_e = -\partial Q/\partial x` and :math:`C_e = -\partial Q/\partial v`. What else varies is taken at its mean,
and what that does to y is taken back along the tangent. The equilibria by this element alone are those under its forces
at the mean displacement,

.. math:: (\bar K - \bar K_e + K_e)\, s = Q + K_e (y - \bar y) - \bar Q,

which are :math:`y - \bar y` where it is the only one that varies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alegear.errors import Fault
from alegear.system.coordinates import Array
from alegear.system.linearised import independent_columns
from alegear.system.model import SystemData, SystemModel, begin_step, evaluate, mass_matrix
from alegear.system.periodic import PeriodicSystem


@dataclass(frozen=True, kw_only=True, eq=False)
class ElementPhases:
    """States of a system at equally spaced phases of one of its elements, or of several that have one phase.

    Parameters
    ----------
    elements : sequence of int
        Their numbers in the model.
    states : shape (J, n)
        Coordinates in equilibrium.
    deviations : shape (J, n)
        From the motion of perfect gears.
    """

    elements: Sequence[int]
    states: Array
    deviations: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class ExcitingElement:
    """Forces and tangents of an element at its phases, of several their sums, in all coordinates.

    Attributes
    ----------
    force : shape (J, n)
    stiffness, damping : shape (J, n, n)
    deviations : shape (J, n)
    mean_stiffness : shape (e, n, n)
        Means over the phases, of each of the e elements that have this phase.
    """

    force: Array
    stiffness: Array
    damping: Array
    deviations: Array
    mean_stiffness: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class ExcitedSystem:
    """A system about its equilibria, and the elements that excite it.

    Attributes
    ----------
    model : SystemModel
    basis : shape (n, r)
        All coordinates by r independent ones.
    mass : shape (n, n)
    stiffness, damping : shape (n, n)
        Means, at rest.
    gyroscopic : shape (n, n)
        What is added to the damping by a unit of the speed of the drive [rad/s].
    elements : sequence of ExcitingElement
    """

    model: SystemModel
    basis: Array
    mass: Array
    stiffness: Array
    damping: Array
    gyroscopic: Array
    elements: Sequence[ExcitingElement]

    @classmethod
    def of(
        cls,
        model: SystemModel,
        data: SystemData,
        exciting: Sequence[ElementPhases],
        motions: Sequence[tuple[float, Array, float]],
    ) -> ExcitedSystem:
        """Evaluate a system at the phases of the elements that excite it.

        Parameters
        ----------
        model : SystemModel
        data : SystemData
        exciting : sequence of ElementPhases
        motions : two of (float [s], shape (n,), float [rad/s])
            A time, the velocities of perfect gears then, and the speed of the drive: at two speeds. Tangents are those
            at the first; what changes to the second is taken as gyroscopic.

        Raises
        ------
        Fault
            If the system cannot be evaluated at a phase.
        """
        numbers = [number for one in exciting for number in one.elements]
        found, bases, rest = [], [], []
        for one in exciting:
            force, stiffness, damping = [], [], []
            each = np.zeros((len(one.elements), model.n, model.n))
            for x in one.states:
                Q, K, C, others, C_linear = _tangents(model, data, motions[0], x, one.elements, numbers)
                force.append(Q)
                stiffness.append(K.sum(axis=0))
                each += K / len(one.states)
                damping.append(C)
                rest.append(others)
                bases.append(C_linear)
            found.append(
                ExcitingElement(
                    force=np.array(force),
                    stiffness=np.array(stiffness),
                    damping=np.array(damping),
                    deviations=one.deviations,
                    mean_stiffness=each,
                )
            )
        (_, _, slow), (_, _, fast) = motions
        first = exciting[0]
        faster = _tangents(model, data, motions[1], first.states[0], first.elements, numbers)[4]
        gyroscopic = (faster - bases[0]) / (fast - slow)
        K_rest, C_rest = np.mean([one[0] for one in rest], axis=0), np.mean([one[1] for one in rest], axis=0)
        return cls(
            model=model,
            basis=independent_columns(model),
            mass=mass_matrix(model, data, first.states[0]),
            stiffness=model.stiffness + K_rest + sum(one.stiffness.mean(axis=0) for one in found),
            damping=bases[0] - slow * gyroscopic + C_rest + sum(one.damping.mean(axis=0) for one in found),
            gyroscopic=gyroscopic,
            elements=tuple(found),
        )

    def reduced(self, matrix: Array) -> Array:
        """A matrix (..., n, n) between the independent coordinates, (..., r, r)."""
        between: Array = self.basis.T @ matrix @ self.basis
        return between

    def periodic(self, number: int, speed_ratio: float, most_harmonics: int | None = None) -> PeriodicSystem:
        """The system as one of its elements excites it, by its number in `elements`.

        Parameters
        ----------
        number : int
        speed_ratio : float
            Rate of its phase [rad/s] over the speed of the drive.
        most_harmonics : int, optional
            As of :class:`PeriodicSystem`.

        Raises
        ------
        Fault
            If nothing holds the system in a direction.
        """
        one = self.elements[number]
        about = one.deviations - one.deviations.mean(axis=0)
        unbalanced = one.force + np.einsum("jkl,jl->jk", one.stiffness, about) - one.force.mean(axis=0)
        stiffness = self.reduced(self.stiffness + one.stiffness - one.stiffness.mean(axis=0))
        damping = self.reduced(self.damping + one.damping - one.damping.mean(axis=0))
        try:
            equilibrium = np.linalg.solve(stiffness, (unbalanced @ self.basis)[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError as error:
            limit, remedy = "held in all directions", "lead its drive, and add the bearings that are missing"
            raise Fault("machine about its equilibria", "free to move", limit, remedy) from error
        return PeriodicSystem(
            mass=self.reduced(self.mass),
            stiffness=stiffness,
            damping=damping,
            equilibrium=equilibrium,
            gyroscopic=self.reduced(self.gyroscopic) / speed_ratio,
            most_harmonics=most_harmonics,
        )


def _tangents(
    model: SystemModel,
    data: SystemData,
    motion: tuple[float, Array, float],
    x: Array,
    exciting: Sequence[int],
    all_exciting: Sequence[int],
) -> tuple[Array, Array, Array, tuple[Array, Array], Array]:
    """Force, stiffness (e, n, n) and damping of the elements that excite, tangents of others, linear damping."""
    t, v, _ = motion
    begin_step(model, data, t, x, v, 0.0)
    forces = evaluate(model, data, t, x, v)
    if forces.failure is not None:
        raise Fault("state to linearise about", "not to be evaluated", "an equilibrium", forces.failure)
    n = model.n
    Q, K, C = np.zeros(n), np.zeros((len(exciting), n, n)), np.zeros((n, n))
    K_rest, C_rest, C_linear = np.zeros((n, n)), np.zeros((n, n)), -forces.by_v
    for number, (element, response) in enumerate(zip(model.elements, forces.elements, strict=True)):
        at = element.coordinates
        both = np.ix_(at, at)
        C_linear[both] += response.by_v
        if number in exciting:
            Q[at] += response.Q
            K[exciting.index(number)][both] -= response.by_x
            C[both] -= response.by_v
        elif number not in all_exciting:
            K_rest[both] -= response.by_x
            C_rest[both] -= response.by_v
    return Q, K, C, (K_rest, C_rest), C_linear
