"""Where a system rests while some of its coordinates are held: one Newton iteration on all that is free."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import block_diag
from scipy.linalg.lapack import dgecon, dgetrf

from alegear.errors import Fault, NonConvergence
from alegear.system.coordinates import Array, Indices
from alegear.system.holonomic import JointForces
from alegear.system.model import SystemData, SystemForces, SystemModel, begin_step, evaluate
from alegear.system.overdamped_relaxation import AFRESH, ROUNDS, overdamped_relaxation, unstable_direction
from alegear.system.rotation import composed, displacement_tangent
from alegear.system.time_integration.newton import NewtonParameters, NewtonResult, NewtonVerdict, solve_newton
from alegear.system.time_integration.second_order_system import check_independent, powers_of_two

#: Reciprocal condition, with ones on the diagonal, below which a direction is free to round-off.
SINGULAR = 1e-15
#: Displacements are equal to this part of the larger one: how well a free direction is known.
SAME = 1e-3
#: A residual below this part of the terms of which it is the difference is none.
ROUND_OFF = 4 * float(np.finfo(np.float64).eps)
#: Motions of a mechanism that matter while it comes to rest, over the typical displacements of its coordinates.
FAR = 1e4
PARAMETERS = NewtonParameters(tolerance=1e-12, max_iterations=50, max_halvings=12)


@dataclass(frozen=True, kw_only=True, eq=False)
class Equilibrium:
    """A system at rest.

    Attributes
    ----------
    x : shape (n,) [m, rad]
    forces : SystemForces
        At x.
    reactions : mapping of str to float [N m, N]
        By drive, or by the name of a reacting coordinate: what closes its balance.
    part_forces : mapping of str to array
        Of the linear parts, against their deformation; for a bearing the force and moment (5,) on what holds it.
    multipliers : shape (n_constraints,)
    joint_multipliers : shape (n_equations,)
        Of the joints in space.
    iterations : int
    unstable : str or None
        Of bodies in space: the coordinate that moves most, in words, where the least push makes all move away.
    """

    x: Array
    forces: SystemForces
    reactions: Mapping[str, float]
    part_forces: Mapping[str, Array]
    multipliers: Array
    joint_multipliers: Array
    iterations: int
    unstable: str | None = None


def solve_equilibrium(
    model: SystemModel,
    data: SystemData | None = None,
    *,
    t: float = 0.0,
    held: Mapping[int, float] | None = None,
    reacting: Iterable[int] | None = None,
    applied: Mapping[int, float] | None = None,
    x: Array | None = None,
    rates: Array | None = None,
    parameters: NewtonParameters = PARAMETERS,
) -> Equilibrium:
    """Find the coordinates at which all forces balance, Q(t, x) = W^T lambda.

    Parameters
    ----------
    model : SystemModel
    data : SystemData, optional
        Default: new.
    t : float [s]
        Of loads and drives. Led coordinates are where their drives have them, unless they are held elsewhere.
    held : mapping of int to float
        Coordinates to be held, and where.
    reacting : iterable of int
        Coordinates whose forces need not balance, because a reaction closes them; as many as are held, and those by
        default. Others, where the torque on what is held is known and that somewhere else is not.
    applied : mapping of int to float [N, N m]
        Forces on coordinates besides those of the model.
    x : shape (n,)
        First guess; default: where bodies in space start, all others zero.
    rates : shape (n,)
        Velocities that the elements see (direction of sliding); dampers and gyroscopic moments stay at rest.

    Raises
    ------
    NonConvergence
        If a coordinate is held by nothing, which it names, or the iteration does not end.
    """
    data = data or model.new_data()
    start = model.resting() if x is None else np.array(x, dtype=np.float64)
    start[model.prescribed_indices] = model.prescribed_motion(t)[0]
    for index, value in (held or {}).items():
        start[index] = value
    fixed = np.union1d(model.prescribed_indices, np.array(list(held or {}), dtype=np.int64))
    for k in model.rotation_vectors:
        some = np.intersect1d(fixed, np.arange(k, k + 3))
        if len(some):
            what, limit = f"held {model.coordinates[some[0]].in_words}", "left to joints"
            raise Fault(what, "a rotation in space", limit, "fix the body, or lead it by a hinge")
    open_rows = fixed
    if reacting is not None:
        open_rows = np.union1d(model.prescribed_indices, np.array(list(reacting), dtype=np.int64))
        if len(open_rows) != len(fixed):
            raise Fault(
                "reacting coordinates", len(open_rows), f"as many as are held, {len(fixed)}", "correct the list"
            )
    problem = _Problem(model, data, t, start, np.zeros(model.n) if rates is None else rates, fixed, open_rows)
    for index, force in (applied or {}).items():
        problem.applied[index] += force
    if not len(problem.unknown):
        raise Fault("free coordinates", 0, "at least 1", "hold fewer of them")
    begin_step(model, data, t, start, problem.rates, 0.0)
    newton = problem.solve(problem.first_guess(), parameters)
    if model.joints or model.rotation_vectors:
        newton = problem.relaxed(newton, parameters)
    if problem.evaluated is not newton.x:
        problem.residual(newton.x)
    if not newton.converged:
        raise problem.failure(newton.verdict, newton.residual_norm, parameters.tolerance, newton.worst)
    return problem.response(newton.x, newton.iterations)


def check_joints(model: SystemModel) -> None:
    """Refuse joints of which some say what others say already, where all bodies stand: a rest cannot be found there."""
    if model.joints:
        free = np.setdiff1d(np.arange(model.n), model.prescribed_indices)
        check_independent(model.joint_rows.misfit(0.0, model.resting())[1][:, free], model.joint_rows.name_of)


def not_held(model: SystemModel, held: Iterable[int]) -> str | None:
    """The coordinate that moves most in a direction without stiffness, in words; None if all is held.

    Parameters
    ----------
    model : SystemModel
        At rest where all coordinates are zero.
    held : iterable of int
        Coordinates to be held, besides those that are prescribed.
    """
    fixed = np.union1d(model.prescribed_indices, np.array(list(held), dtype=np.int64))
    problem = _Problem(model, model.new_data(), 0.0, model.resting(), np.zeros(model.n), fixed, fixed)
    nothing = problem.first_guess()
    if not len(problem.unknown) or problem.residual(nothing) is None:
        return None
    problem.matrix(nothing)
    return problem.free_direction


class _Problem:
    """Residual and tangent in the unknowns: coordinates that are neither prescribed nor held, then the multipliers.

    Of rotation vectors the unknowns are the turns from where they were at the start. Multipliers are those of linear
    constraints on what is unknown, then those of joints.
    """

    def __init__(
        self,
        model: SystemModel,
        data: SystemData,
        t: float,
        start: Array,
        rates: Array,
        fixed: Indices,
        reacting: Indices,
    ) -> None:
        self.model, self.data, self.t, self.rates = model, data, t, rates
        self.x, self.reacting, self.applied = start, reacting, np.zeros(model.n)
        self.unknown = np.setdiff1d(np.arange(model.n), fixed)
        self.balanced = np.setdiff1d(np.arange(model.n), reacting)
        rows = model.constraint_rows
        self.active = np.flatnonzero(np.abs(rows[:, self.unknown]).max(axis=1, initial=0.0) > 0.0)
        self.W, self.push = rows[self.active][:, self.unknown], rows[self.active][:, self.balanced].T
        misfit_scale = np.abs(rows[self.active]) @ model.displacement_scale
        self.residual_scale = np.concatenate([model.force_scale[self.balanced], misfit_scale, model.joint_rows.scale])
        self.began, self.G = start, np.zeros((0, model.n))
        self.joints: JointForces | None = None
        self.n_joint = model.joint_rows.n_equations
        self.forces: SystemForces | None = None
        self.evaluated: Array | None = None  # the unknowns to which they belong
        self.free_direction: str | None = None
        self.refused: str | None = None
        self._resolution = np.zeros(model.n)
        for element in model.elements:
            at = element.coordinates
            self._resolution[at] = np.maximum(self._resolution[at], element.resolution)
        self._strain_sizes = np.abs(model.strain_rows)
        self._stiffness_sizes = np.abs(block_diag(np.empty((0, 0)), *(part.stiffness for part in model.parts)))

    def _take(self, z: Array) -> Array:
        self.x = self.x.copy()
        self.x[self.unknown] = z[: len(self.unknown)]
        for k in self.model.rotation_vectors:
            self.x[k : k + 3] = composed(self.began[k : k + 3], self.x[k : k + 3])
        return z[len(self.unknown) :]

    def first_guess(self) -> Array:
        """Initial guess with joint reactions that balance gravity in the least-squares sense."""
        z, model = self.began.copy(), self.model
        for k in model.rotation_vectors:
            z[k : k + 3] = 0.0
        multipliers: Array = np.zeros(self.n_joint)
        if self.n_joint:
            forces = evaluate(model, self.data, self.t, self.began, self.rates, rates=False)
            if forces.failure is None:
                rows = powers_of_two(model.force_scale[self.balanced])
                pulled = model.joint_rows.forces(self.t, self.began, self.rates, multipliers).by_multipliers
                pulled, missing = pulled[self.balanced] / rows[:, None], (forces.Q + self.applied)[self.balanced] / rows
                size = powers_of_two(np.abs(pulled).max(axis=0, initial=0.0))
                multipliers = np.asarray(np.linalg.lstsq(pulled / size, -missing, rcond=None)[0]) / size
        return np.concatenate([z[self.unknown], np.zeros(len(self.W)), multipliers])

    @property
    def unknown_scale(self) -> Array:
        """Typical sizes of the unknowns: a mechanism comes to rest far from where it began."""
        forces = np.full(len(self.W) + self.n_joint, float(self.model.force_scale.max()))
        return np.concatenate([FAR * self.model.displacement_scale[self.unknown], forces])

    def residual(self, z: Array) -> Array | None:
        multipliers, self.evaluated = self._take(z), z
        self.forces = evaluate(self.model, self.data, self.t, self.x, self.rates, rates=False)
        if self.forces.failure is not None:
            self.refused = self.forces.failure
            return None
        misfit = self.model.constraint_rows @ self.x
        Q = self.forces.Q + self.applied
        linear, of_joints = multipliers[: len(self.W)], multipliers[len(self.W) :]
        g = np.empty(0)
        if self.n_joint:
            g, self.G = self.model.joint_rows.misfit(self.t, self.x)
            self.joints = self.model.joint_rows.forces(self.t, self.x, self.rates, of_joints)
            Q = Q + self.joints.Q
        r = np.concatenate([self.push @ linear - Q[self.balanced], misfit[self.active], g])
        return np.where(np.abs(r) <= ROUND_OFF * self._terms(multipliers), 0.0, r)

    def _terms(self, multipliers: Array) -> Array:
        """Sum of the magnitudes of which the residual is the difference, but for those of elements."""
        model, size = self.model, np.abs(self.x)
        strains = self._strain_sizes @ size
        forces = self._strain_sizes.T @ (self._stiffness_sizes @ strains) + np.abs(model.outer_force(self.t))
        rows = np.abs(model.constraint_rows[self.active]) @ size
        multipliers = np.abs(multipliers)
        held = np.abs(self.push) @ multipliers[: len(self.W)]
        if self.joints is not None:
            held = held + np.abs(self.joints.by_multipliers[self.balanced]) @ multipliers[len(self.W) :]
        return np.concatenate([forces[self.balanced] + held, rows, np.abs(self.G) @ size])

    def solve(self, z: Array, parameters: NewtonParameters) -> NewtonResult:
        """Newton's iteration from z."""
        model = self.model
        return solve_newton(
            self.residual,
            self.matrix,
            z,
            residual_scale=self.residual_scale,
            parameters=parameters,
            round_off=self.round_off,
            unknown_scale=self.unknown_scale if model.joints or model.rotation_vectors else None,
        )

    # ----------------------------------------------------------------- joints
    def relaxed(self, newton: NewtonResult, parameters: NewtonParameters) -> NewtonResult:
        """Where a mechanism comes to rest downhill, if the iteration has not ended or has climbed; else `newton`.

        Raises
        ------
        Fault
            If equations of joints depend on each other: what each of them carries is not determined.
        """
        if self.n_joint and not newton.iterations and newton.converged:  # the iteration has not looked
            check_independent(self.G[:, self.unknown], self.model.joint_rows.name_of)
            return newton
        at_rest, free_direction = newton.converged and self.unstable(newton.x) is None, self.free_direction
        if at_rest or not np.array_equal(self.unknown, self.balanced):
            return newton
        turning = np.concatenate(
            [np.empty(0, dtype=np.int64), *(np.arange(k, k + 3) for k in self.model.rotation_vectors)]
        )
        rotations = np.flatnonzero(np.isin(self.unknown, turning))
        began, z = self.began, self.first_guess()
        for _ in range(ROUNDS):
            z = overdamped_relaxation(self.residual, self._tangent, z, drag=self._drag, rotations=rotations)
            if self.residual(z) is None or np.abs(z[rotations]).max(initial=0.0) <= AFRESH:
                break
            self.began, z[rotations] = self.x, 0.0
        found = self.solve(z, parameters)
        if not found.converged:
            self.began, self.free_direction, found = began, free_direction, newton
        return replace(found, iterations=newton.iterations + found.iterations)

    @property
    def _drag(self) -> Array:
        return (self.model.force_scale / self.model.displacement_scale)[self.unknown]

    def unstable(self, z: Array) -> str | None:
        """The coordinate that moves most where the least push makes a mechanism at rest move away."""
        if not (self.n_joint or self.model.rotation_vectors) or self.residual(z) is None:
            return None
        n = len(self.unknown)
        J = self._tangent(z)
        away = unstable_direction(J[:n, :n], J[n:, :n], J[:n, n:], self._drag)
        if away is None:
            return None
        most = int(np.argmax(np.abs(away / self.model.displacement_scale[self.unknown])))
        return self.model.coordinates[self.unknown[most]].in_words

    def matrix(self, z: Array) -> Array:
        """dr/dz; zero where a direction is free, so that no correction is tried."""
        J = self._tangent(z)
        self.free_direction = self._free_direction(J)
        return np.zeros_like(J) if self.free_direction is not None else J

    def _tangent(self, z: Array) -> Array:
        assert self.forces is not None
        n, m = len(self.unknown), len(self.W)
        by_x, G = self.forces.by_x, self.G
        J = np.zeros((n + m + self.n_joint, n + m + self.n_joint))
        J[:n, n : n + m], J[n : n + m, :n] = self.push, self.W
        if self.joints is not None:
            by_x = by_x + self.joints.by_x
            J[:n, n + m :] = -self.joints.by_multipliers[self.balanced]
        if self.model.rotation_vectors:
            turned = np.zeros(self.model.n)
            turned[self.unknown] = z[:n]
            T = displacement_tangent(turned, self.model.rotation_vectors)
            by_x, G = by_x @ T, G @ T
        J[n + m :, :n] = G[:, self.unknown]
        J[:n, :n] = -by_x[np.ix_(self.balanced, self.unknown)]
        return J

    def round_off(self, z: Array) -> Array:
        size = self.model.displacement_scale
        # the digits that the largest coordinate loses, an angle, are lost in all that it moves, normal modes too
        lost = 1e-14 * (1.0 + float(np.abs(self.x / size).max())) * size[self.unknown]
        unlimited = np.full(len(self.W) + self.n_joint, np.inf)
        return np.concatenate([np.maximum(lost, self._resolution[self.unknown]), unlimited])

    def _free_direction(self, J: Array) -> str | None:
        """The first coordinate of those that move most in a direction without stiffness; None if all are held."""
        assert self.forces is not None
        n = len(self.unknown)
        diagonal = np.abs(np.diag(self.forces.by_x))
        energy = diagonal * self.model.displacement_scale**2
        stiff = energy > ROUND_OFF * energy.max(initial=0.0)  # what round-off leaves of no stiffness is no scale
        own = np.sqrt(np.where(stiff, diagonal, self.model.force_scale / self.model.displacement_scale))
        # where a reaction closes another balance than that of what is held, rows and columns are of other coordinates
        row_size, size = np.ones(len(J)), np.ones(len(J))
        row_size[:n], size[:n] = own[self.balanced], own[self.unknown]
        size[n:] = row_size[n:] = np.abs(J[n:, :n] / size[:n]).max(axis=1, initial=0.0)
        scaled = J / np.outer(row_size, size)
        lu, _, info = dgetrf(scaled)
        condition = 0.0 if info > 0 else float(dgecon(lu, np.abs(scaled).sum(axis=0).max())[0])
        if condition > SINGULAR:
            return None
        if self.n_joint:
            check_independent(J[len(J) - self.n_joint :, :n], self.model.joint_rows.name_of)
        direction = np.linalg.svd(scaled)[2][-1][:n] / size[:n]
        moved = np.abs(direction / self.model.displacement_scale[self.unknown])
        first = np.flatnonzero(moved > (1.0 - SAME) * moved.max())[0]  # all of a shaft, if it slides along its axis
        return self.model.coordinates[self.unknown[first]].in_words

    def failure(self, verdict: NewtonVerdict, norm: float, tolerance: float, worst: int | None) -> NonConvergence:
        where = f"equilibrium at t = {self.t:.6g} s"
        if self.free_direction is not None:
            remedy = f"nothing holds the {self.free_direction}: hold it, or add a bearing or a spring"
            return NonConvergence(where, norm, tolerance, remedy)
        if worst is not None and worst < len(self.unknown):
            where += f", {self.model.coordinates[self.balanced[worst]].in_words}"
        # where no part of a correction leads to forces that are known, the last evaluation is of the place before it
        reason = self.refused if verdict is NewtonVerdict.NOT_EVALUATED else None
        return NonConvergence(where, norm, tolerance, reason or verdict.value.replace("shorten time_step_s or ", ""))

    def response(self, z: Array, iterations: int) -> Equilibrium:
        assert self.forces is not None
        model, multipliers = self.model, np.zeros(len(self.model.constraints))
        n, m = len(self.unknown), len(self.W)
        multipliers[self.active] = z[n : n + m]
        missing = model.constraint_rows.T @ multipliers - self.forces.Q - self.applied
        if self.joints is not None:
            missing = missing - self.joints.Q
        names = {one.index: one.name for one in model.prescribed}
        still = np.zeros(model.n)
        return Equilibrium(
            x=self.x,
            forces=self.forces,
            reactions={names.get(int(i), model.names[i]): float(missing[i]) for i in self.reacting},
            part_forces={part.name: part.force(self.x, still) for part in model.parts},
            multipliers=multipliers,
            joint_multipliers=z[n + m :],
            iterations=iterations,
            unstable=self.unstable(z),
        )
