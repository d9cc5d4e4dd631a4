r"""Accelerations, multipliers and friction of a system with switches, consistent for all of them together.

With the constraints G, the rows W of the switches' rates and the columns F of their forces,

.. math::
    M a + G^T \mu + F \lambda = Q, \qquad G a = 0, \qquad
    (W a)_s = 0 \;\text{stuck}, \quad \lambda_s = \pm\Lambda_s(\mu) \;\text{sliding}

Motion that meets the constraints is eliminated first: :math:`a = a_p + P (Q - M a_p - F \lambda)`, where a_p meets them
by what is prescribed and P is the inverse of the mass on what they leave free. What is left is as small as the number
of switches,

.. math:: W a = r_0 - D \lambda, \qquad \mu = \mu_0 - E \lambda, \qquad D = W P F, \quad E = R F

and a mixed problem: which are stuck, and where the others slide to. A stuck one must be within its bounds, one that
leaves zero must go where its friction is against. The idea of solving for the modes and the accelerations of all
together is that of Otter, Elmqvist & Mattsson (1999); here by one change after the other, and where that comes back to
what was tried, through all combinations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import product

import numpy as np

from alegear.errors import Fault, NonConvergence
from alegear.system.coordinates import Array, Indices
from alegear.system.friction_kernels import N_KEPT, SOLVED, sliding_and_stuck
from alegear.system.model import SystemModel
from alegear.system.reduction import Reduction, reduction
from alegear.system.switches import AHEAD, BACK, LINES_SHAPE

#: A direction in which a system can move with less inertia than this part of the largest has none.
WITHOUT_INERTIA = 1e-13
#: Singular values of what holds stuck switches, below this part of the largest: they hold each other.
HOLD_EACH_OTHER = 1e-10
#: Part of the terms of a rate's acceleration, or of a bound, that is round-off.
NOTHING = 1e-10
#: Part of the terms of a sum that is lost in it.
ROUND_OFF = 1e-13
#: Most switches at rest whose combinations of modes are gone through.
MOST_AT_REST = 9


@dataclass(frozen=True, kw_only=True, eq=False)
class Reaction:
    """Accelerations and what acts between the parts.

    Attributes
    ----------
    a : shape (n,)
    mu : shape (m,)
        Multipliers of the constraints.
    lam : shape (k,)
        Friction forces of the switches, positive against a positive rate.
    rates : shape (k,)
        Accelerations of the relative rates.
    """

    a: Array
    mu: Array
    lam: Array
    rates: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """Modes of all switches.

    Attributes
    ----------
    direction : shape (k,)
        1 sliding forward, -1 backward, 0 stuck.
    line : shape (k,)
        Line of its law on which a sliding one is.
    reaction : Reaction
    """

    direction: Indices
    line: Indices
    reaction: Reaction


def room_for(k: int) -> tuple[Array, Array, Indices, Array]:
    """What `sliding_and_stuck` works in, for k switches: equations, right-hand side, what is kept, slopes."""
    return np.empty((k, k)), np.empty(k), np.full((N_KEPT, k), -1, dtype=np.int64), np.empty(k)


class ComplementaritySystem:
    """What of (M, G, W, F) is constant.

    Parameters
    ----------
    model : SystemModel
    mass : shape (n, n), optional
        Default: that of the model.

    Attributes
    ----------
    basis : Reduction
        By the constraints alone.

    Raises
    ------
    Fault
        If the system can move in a direction without inertia.
    """

    def __init__(self, model: SystemModel, mass: Array | None = None) -> None:
        self.model = model
        M = model.mass if mass is None else mass
        self.M = M
        n, k = model.n, len(model.switches)
        G = model.constraint_rows
        self.basis = basis = reduction(G, model.prescribed_indices, model.displacement_scale)
        T = basis.T
        M_T = T.T @ M @ T
        self._check_inertia(M_T)
        self.P = T @ np.linalg.solve(M_T, T.T) if basis.f else np.zeros((n, n))
        at = basis.dependent
        rows = G[list(basis.used)][:, at]
        self.R = np.zeros((len(G), n))
        if len(at):
            self.R[list(basis.used)] = np.linalg.solve(rows.T, (np.eye(n) - M @ self.P)[at])
        self.W = np.array([one.rate for one in model.switches]).reshape(k, n)
        self.F = np.array([one.push for one in model.switches]).reshape(k, n).T
        self.follows = np.array([-1 if s.follows is None else s.follows for s in model.switches], dtype=np.int64)
        self.D = np.ascontiguousarray(self.W @ self.P @ self.F)
        self.E = np.ascontiguousarray(self.R @ self.F)
        self._least = np.maximum(1e-12 * np.diag(self.D).max(initial=0.0), np.finfo(float).tiny) + np.zeros(k)
        self._room = room_for(k)
        self.combinations = lru_cache(maxsize=256)(self._combinations)

    def _check_inertia(self, M_T: Array) -> None:
        """Raise a Fault naming what moves most in a direction without inertia."""
        if not len(M_T):
            return
        scale = self.model.displacement_scale[self.basis.independent]
        sized = M_T * np.outer(scale, scale)
        values, vectors = np.linalg.eigh(sized)
        if values[0] > WITHOUT_INERTIA * values[-1]:
            return
        moved = np.abs(self.basis.T @ (vectors[:, 0] * scale)) / self.model.displacement_scale
        which = self.model.coordinates[int(np.argmax(moved))]
        remedy = "give it an inertia, or a drive that prescribes its motion"
        raise Fault(f"inertia of the {which.in_words}", 0, "positive", remedy)

    # ------------------------------------------------------------------ solve
    def lines(self, t: float, rates: Array, x: Array, v: Array, stuck: NDArrayBool | None = None) -> Array:
        """Lines of all switches, shape (k, 2, 2, 2): of sliding at their rates, of those `stuck` (k,) at rest."""
        lines = np.empty((len(rates), *LINES_SHAPE))
        for i, switch in enumerate(self.model.switches):
            if stuck is not None and stuck[i]:
                lines[i] = switch.law.lines_at_rest(t, x, v)
            else:
                lines[i] = switch.law.lines(t, abs(float(rates[i])), x, v)
        return lines

    def reaction(self, Q: Array, a_p: Array, lines: Array, direction: Indices, line: Indices) -> Reaction:
        """Solve where the directions are known; `line` is the guess, and is changed to what holds.

        Parameters
        ----------
        Q : shape (n,)
            Without constraints and switches.
        a_p : shape (n,)
            Accelerations of what is prescribed, and by the constraints of what follows it.
        lines : shape (k, 2, 2, 2)
        direction, line : shape (k,)

        Raises
        ------
        NonConvergence
            If a friction that grows with its load has no solution: a gear that locks itself.
        """
        free_force = Q - self.M @ a_p
        start = a_p + self.P @ free_force
        k, m = len(direction), len(self.R)
        lam, mu = np.zeros(k), np.empty(m)
        free, mu_0 = self.W @ start, self.R @ free_force
        U, V = self.combinations(tuple(np.flatnonzero(direction == 0).tolist()))
        code = sliding_and_stuck(
            self.D, self.E, self.follows, free, mu_0, lines, direction, U, V, line, lam, mu, *self._room
        )
        if code != SOLVED or not np.isfinite(lam).all():
            names = ", ".join(
                s.name for s, loaded in zip(self.model.switches, self.follows >= 0, strict=True) if loaded
            )
            remedy = f"{names} cannot move as their losses are: lower them, or let the gear stick"
            raise NonConvergence("friction under load", np.inf, 0.0, remedy)
        a = start - self.P @ (self.F @ lam)
        return Reaction(a=a, mu=mu, lam=lam, rates=free - self.D @ lam)

    def _combinations(self, stuck: tuple[int, ...]) -> tuple[Array, Array]:
        """Combinations of stuck switches that hold each other, (k, r) each; (k, 0) where none do."""
        k = len(self.D)
        nothing = np.zeros((k, 0))
        at = list(stuck)
        if not at:
            return nothing, nothing
        U, size, V = np.linalg.svd(self.D[np.ix_(at, at)])
        r = int((size > HOLD_EACH_OTHER * size[0]).sum()) if size[0] > 0.0 else 0
        if r == len(at):
            return nothing, nothing
        left, right = np.zeros((k, max(r, 1))), np.zeros((k, max(r, 1)))
        left[at, :r], right[at, :r] = U[:, :r], V[:r].T
        if r == 0:  # all they hold is prescribed: nothing acts. One equation, x = 0, so that the shape says "combined"
            left[at[0], 0] = 1.0
        return left, right

    def undetermined(self, direction: Indices) -> tuple[str, ...]:
        """Names of stuck switches that share a force as nothing but least norm says."""
        stuck = np.flatnonzero(direction == 0)
        if not len(stuck):
            return ()
        _, size, V = np.linalg.svd(self.D[np.ix_(stuck, stuck)])
        loose = V[size <= HOLD_EACH_OTHER * size[0]] if size[0] > 0.0 else np.eye(len(stuck))
        among = np.abs(loose).max(axis=0, initial=0.0) > 1e-6
        return tuple(self.model.switches[int(i)].name for i in stuck[among])

    # ----------------------------------------------------------------- choose
    def choose(
        self,
        t: float,
        x: Array,
        v: Array,
        Q: Array,
        a_p: Array,
        rates: Array,
        at_rest: NDArrayBool,
        guess: Indices,
        line: Indices,
    ) -> Choice:
        """Find modes of all switches that hold together.

        Parameters
        ----------
        t : float [s]
        x, v : shape (n,)
        Q, a_p : shape (n,)
            As of :meth:`reaction`.
        rates : shape (k,)
        at_rest : shape (k,) of bool
            Which rates are zero, to round-off: the others slide, where their rates say.
        guess : shape (k,)
            Directions of those at rest that are tried first.
        line : shape (k,)
            Lines that are tried first.

        Raises
        ------
        NonConvergence
            If no combination holds, with the names.
        """
        rates = np.where(at_rest, 0.0, rates)
        lines, static = self.lines(t, rates, x, v), self.lines(t, rates, x, v, at_rest)
        at_rest = at_rest & static.any(axis=(1, 2, 3))  # an open one is free, wherever it goes
        attempt = partial(self._try, Q, a_p, at_rest, lines, static)
        direction = np.where(at_rest, guess, np.where(rates >= 0.0, 1, -1)).astype(np.int64)
        tried: set[tuple[int, ...]] = set()
        one_by_one = False
        while True:
            key = tuple(direction.tolist())
            if key in tried:
                if one_by_one:
                    break
                one_by_one, tried = True, set()
            tried.add(key)
            found = attempt(direction, line)
            if found is None:
                break
            choice, wanted = found
            wrong = np.flatnonzero(wanted != direction)
            if not len(wrong):
                return choice
            direction = direction.copy()
            change = wrong[:1] if one_by_one else wrong
            direction[change] = wanted[change]
        return self._search(attempt, at_rest, direction, line, t)

    def _try(
        self, Q: Array, a_p: Array, at_rest: NDArrayBool, lines: Array, static: Array, direction: Indices, line: Indices
    ) -> tuple[Choice, Indices] | None:
        """Solve with directions; returns what was found and the directions that it asks for."""
        line = line.copy()
        try:
            reaction = self.reaction(Q, a_p, lines, direction, line)
        except NonConvergence:
            return None
        wanted = direction.copy()
        lost, lost_mu = self._round_off(Q, a_p, reaction.lam)
        allowed = lost + NOTHING * (np.abs(self.W) @ np.abs(reaction.a) + np.abs(reaction.rates))
        for i in np.flatnonzero(at_rest):
            load = reaction.mu[self.follows[i]] if self.follows[i] >= 0 else 0.0
            if direction[i] == 0 and abs(reaction.rates[i]) > allowed[i]:
                wanted[i] = 1 if reaction.rates[i] > 0.0 else -1  # prescribed: nothing can hold it
            elif direction[i] == 0:
                for side, sign in ((AHEAD, 1.0), (BACK, -1.0)):
                    limit = float(np.max(static[i, side, :, 0] + static[i, side, :, 1] * load))
                    size = abs(limit) if np.isfinite(limit) else 0.0
                    slack = NOTHING * (size + abs(reaction.lam[i])) + lost[i] / max(self.D[i, i], self._least[i])
                    if self.follows[i] >= 0:
                        slack += float(np.abs(static[i, side, :, 1]).max()) * lost_mu[self.follows[i]]
                    if sign * reaction.lam[i] > limit + slack:
                        wanted[i] = int(sign)
            elif direction[i] * reaction.rates[i] < -allowed[i]:
                wanted[i] = 0
        return Choice(direction=direction, line=line, reaction=reaction), wanted

    def _round_off(self, Q: Array, a_p: Array, lam: Array) -> tuple[Array, Array]:
        """What the sums leave of accelerations of the rates (k,) and of multipliers (m,) that are nothing."""
        size = np.abs(Q) + np.abs(self.M) @ np.abs(a_p) + self.model.force_scale  # far from all that acts Q is nothing
        rates = np.abs(self.W) @ (np.abs(a_p) + np.abs(self.P) @ size) + np.abs(self.D) @ np.abs(lam)
        return ROUND_OFF * rates, ROUND_OFF * (np.abs(self.R) @ size + np.abs(self.E) @ np.abs(lam))

    def _search(
        self,
        attempt: Callable[[Indices, Indices], tuple[Choice, Indices] | None],
        at_rest: NDArrayBool,
        near: Indices,
        line: Indices,
        t: float,
    ) -> Choice:
        """Go through all combinations of those at rest, those nearest to a guess first."""
        resting = np.flatnonzero(at_rest)
        if len(resting) <= MOST_AT_REST:
            combinations: Sequence[tuple[int, ...]] = sorted(
                product((0, 1, -1), repeat=len(resting)), key=lambda one: int((np.array(one) != near[resting]).sum())
            )
            for combination in combinations:
                direction = near.copy()
                direction[resting] = combination
                found = attempt(direction, line)
                if found is not None and (found[1] == direction).all():
                    return found[0]
        of_these = at_rest | (self.follows >= 0)
        names = ", ".join(s.name for s, tried in zip(self.model.switches, of_these, strict=True) if tried)
        remedy = (
            f"no combination of sticking and sliding holds for {names}: lower losses that grow with the load, "
            "add a little damping or inertia, or lead nothing that a freewheel locks"
        )
        raise NonConvergence(f"modes of the switches at t = {t:.6g} s", np.inf, 0.0, remedy)


NDArrayBool = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReducedSystem:
    """Which switches are stuck, and the coordinates that are left.

    Attributes
    ----------
    stuck : tuple of int
    basis : Reduction
        By the rows of stuck switches first, then by the constraints.
    rows : shape (m_s, n)
        Those rows, in this order.
    rates : shape (k, f)
        Rates of the switches by the independent velocities; zero to the last bit for stuck ones.
    prescribed : tuple of int
        Those of `stuck` whose rate is given by what is prescribed: nothing holds them, and they are watched.
    still : tuple of int
        Those not of `stuck` whose rate is zero because of others: they slide nowhere until these let go.
    """

    stuck: tuple[int, ...]
    prescribed: tuple[int, ...]
    still: tuple[int, ...]
    basis: Reduction
    rows: Array = field(repr=False)
    rates: Array = field(repr=False)


def reduced_system(model: SystemModel, stuck: tuple[int, ...]) -> ReducedSystem:
    """Take out the coordinates that constraints and stuck switches determine."""
    W = np.array([one.rate for one in model.switches]).reshape(len(model.switches), model.n)
    rows = np.concatenate([W[list(stuck)], model.constraint_rows])
    basis = reduction(rows, model.prescribed_indices, model.displacement_scale)
    rates = W @ basis.T
    rates[list(stuck)] = 0.0
    scale = np.abs(W) @ model.displacement_scale
    moved = [rates, W @ basis.by_prescribed]
    moves = np.max([np.abs(one).max(axis=1, initial=0.0) for one in moved], axis=0, initial=0.0) > NOTHING * scale
    still = tuple(i for i in range(len(W)) if i not in stuck and not moves[i])
    rates[list(still)] = 0.0
    given = np.abs(W @ basis.by_prescribed).max(axis=1, initial=0.0) > NOTHING * scale
    free = np.abs(W @ reduction(model.constraint_rows, model.prescribed_indices, model.displacement_scale).T)
    prescribed = tuple(i for i in stuck if given[i] and not free[i].max(initial=0.0) > NOTHING * scale[i])
    return ReducedSystem(stuck=stuck, prescribed=prescribed, still=still, basis=basis, rows=rows, rates=rates)
