"""Equilibrium of one mesh whose gears stay where they are: the rotation of the driver that carries the torque."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from alegear.arrays import Array
from alegear.contact.forces import N_SHIFTS, N_TURNS, FlexibleContact, MeshForces, MeshMotion, mesh_stiffness
from alegear.contact.numbering import GEARS, PINION, WHEEL, flank_side
from alegear.errors import NonConvergence
from alegear.geometry.iso_6336_stiffness import usual_stiffness

if TYPE_CHECKING:
    from alegear.case.case import Case


TORQUE_TOLERANCE = 1e-11  # of the torque
ROUGHLY = 1e-7  # of the torque, where only the question is whether a pair carries: 0.1 nm of tooth deflection and less
GAP_REACH = 0.1  # modules; no relief opens the flanks further, however small the torque
ITERATIONS = 60
FURTHER = 4  # evaluations that close gaps below the round-off of positions; one or two are usual
SMALL_BORE = 0.05  # of the root diameter: no shaft of that size carries a torque that bends teeth
#: Of the wanted torque, and power with which torque grows over the deflection below: with these the random states of
#: validation/robustness take the fewest evaluations of those tried (0.1 and 0.25, power 3).
FAR_BELOW, GROWTH = 0.25, 3.0
DEEPEST = 0.2  # modules; a deflection beyond it is no longer one of teeth


@dataclass(frozen=True, kw_only=True, eq=False)
class StaticPosition:
    """Equilibrium at one position.

    Attributes
    ----------
    deflection : float [m]
        By how much the driver turns ahead, along the line of action; minus the transmission error.
    mesh_stiffness : float [N/m]
        Of teeth and wheels, their axes held: :func:`alegear.contact.forces.mesh_stiffness`.
    forces : MeshForces
    off : float [N m]
        By how much their torque on the pinion misses the given one at positions known to round-off: single loads are
        not known better.
    displacement : shape (2, 5) [m, rad]
        Of pinion and wheel, in space; zero on fixed axes.
    """

    deflection: float
    mesh_stiffness: float
    forces: MeshForces
    off: float = 0.0
    displacement: Array = field(default_factory=lambda: np.zeros((2, N_SHIFTS)))


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshSolver:
    """Equilibria of a flexible mesh under a torque on the pinion.

    Parameters
    ----------
    contact : FlexibleContact
    driver : {"pinion", "wheel"}
    torque : float [N m]
        On the pinion; negative brakes the driver, so that the back flanks carry.
    omega : shape (2,) [rad/s]
        Nominal speeds; only friction reads them.
    moduli : (float, float) [Pa]
        Young's moduli of both gears, for a first guess.
    displacement : shape (2, 5) [m, rad]
        Of both gears in the frame of the mesh, where they stay.
    displaces : bool
        Whether :meth:`turned` is given displacements, of gears that stand on something else.
    data : object, optional
        What the contact works in, for its warm start to be that of who goes on from the position; default: its own.
    """

    contact: FlexibleContact
    driver: Literal["pinion", "wheel"]
    torque: float
    omega: Array
    moduli: tuple[float, float]
    displacement: Array = field(default_factory=lambda: np.zeros((2, N_SHIFTS)))
    displaces: bool = False
    data: Any = None

    @classmethod
    def of(
        cls,
        case: Case,
        contact: FlexibleContact,
        *,
        torque: float | None = None,
    ) -> MeshSolver:
        """Return the solver of a case.

        Parameters
        ----------
        case : Case
        contact : FlexibleContact
        torque : float, optional [N m]
            On the pinion; that of the case if not given, that which sets the scales if the pair idles.
        """
        operation = case.operation
        if torque is None:
            torque = math.copysign(case.nominal_torque, operation.pinion_torque)
        omega = nominal_speeds(contact, operation.pinion_speed)
        moduli = (case.materials[0].E, case.materials[1].E)
        return cls(contact=contact, driver=operation.driver, torque=torque, omega=omega, moduli=moduli)

    @property
    def driving(self) -> int:
        """The driver: 0 pinion, 1 wheel."""
        return PINION if self.driver == "pinion" else WHEEL

    def rotations(self, phase: float, deflection: float) -> Array:
        """Rotations (2,) of a position [rad]: phase of the driven gear [pitches], deflection of the driver [m]."""
        phi: Array = phase * np.asarray(self.contact.pitch_angle)
        phi[self.driving] += deflection / self.contact.pair.gears[self.driving].r_b
        return phi

    @cached_property
    def _data(self) -> Any:
        """Room for the search of the driver's rotation, and its warm start."""
        return self.new_data() if self.data is None else self.data

    def new_data(self) -> Any:
        """Room for evaluations of the contact of gears that are displaced as here."""
        return self.contact.new_data(displaced=self.displaces or bool(self.displacement.any()))

    @property
    def _first_deflection(self) -> float:
        """Deflection expected along the line of action [m]."""
        face = self.contact.slices()[-1] - self.contact.slices()[0]
        return abs(self.torque) / self.contact.pair.pinion.r_b / (usual_stiffness(self.moduli) * float(face))

    def forget(self) -> None:
        """Drop the warm start; answers do not depend on it."""
        self.contact.forget(self._data)

    def solve(
        self, phase: float, first_pair: int, guess: float | None = None, *, tolerance: float = TORQUE_TOLERANCE
    ) -> StaticPosition:
        """Solve one position: the driver's rotation.

        Parameters
        ----------
        phase : float [pitches]
            Position of the driven gear.
        first_pair : int
            Tooth pair in slot 0 of the window.
        guess : float, optional [m]
            Deflection to start from.
        tolerance : float
            Of the torque, over it.

        Raises
        ------
        NonConvergence
            With the phase, the residual torque and what to try.
        """
        return self.turned(phase, first_pair, guess, tolerance, self.displacement)

    def turned(
        self, phase: float, first_pair: int, guess: float | None, tolerance: float, displacement: Array
    ) -> StaticPosition:
        """Newton on the driver's rotation at constant displacements (2, 5), kept inside a bracket; else as `solve`."""
        contact, driving = self.contact, self.driving
        # the contact brakes a pinion that carries on flanks a, and the flanks close where it turns ahead
        sign = -flank_side(contact.flank)
        ahead = -sign if driving == PINION else sign
        torque = abs(self.torque)
        r_b = (contact.pair.pinion.r_b, contact.pair.wheel.r_b)
        phi = (phase - first_pair) * contact.pitch_angle
        expected = self._first_deflection
        x = abs(guess) if guess is not None else expected
        low, high = -math.inf, math.inf  # deflections with too little and too much torque
        before: tuple[float, float, float] | None = None  # deflection, torque and slope of the evaluation before
        residual = math.inf
        for _ in range(ITERATIONS):
            turned = phi.copy()
            turned[driving] += ahead * x / r_b[driving]
            motion = MeshMotion(phi=turned, omega=self.omega, first_pair=first_pair, displacement=displacement)
            forces = contact.evaluate(self._data, motion)
            residual = sign * float(forces.torque[PINION]) - torque
            assert forces.torque_phi is not None
            slope = sign * ahead * float(forces.torque_phi[PINION, driving]) / r_b[driving]  # N m per m of deflection
            # positions are known to a few eps of the centre distance: no torque can be met better than that
            round_off = 4.0 * np.finfo(float).eps * contact.pair.a_w * abs(slope)
            if abs(residual) <= tolerance * torque:
                return self._position(x, forces, abs(residual), displacement)
            if abs(residual) <= round_off:
                forces = self._closed_further(motion, forces, tolerance)
                return self._position(x, forces, abs(residual), displacement)
            if residual < 0.0:
                low = x
            else:
                high = x
            here = (x, residual + torque, slope)
            x_new = _next_deflection(here, before, torque) if slope > 0.0 else math.nan
            before = here if slope > 0.0 else None
            # the next contact: beyond the gap that is left, by the deflection expected
            touching = math.nan
            if residual < -torque or (residual < 0.0 and not low < x_new < high):
                reach = max(1e3 * expected, GAP_REACH * contact.pair.pinion.m_n)
                gap = contact.closest_gap(self._data, motion, reach)
                touching = x + max(gap, 0.0) / math.cos(contact.pair.beta_b) + expected
                if residual < -torque and 0.0 < gap < math.inf and x_new < touching < high:
                    x_new = touching  # the back flanks press: a step with their stiffness ends between both
            if not low < x_new < high:
                if math.isfinite(low) and math.isfinite(high):
                    x_new = 0.5 * (low + high)
                else:  # no contact yet, or beyond all sense
                    x_new = touching if residual < 0.0 else x - expected
            x = x_new
        raise self._failure(phase, x, abs(residual), tolerance)

    def _closed_further(self, motion: MeshMotion, forces: MeshForces, tolerance: float) -> MeshForces:
        """Meet a torque whose deflection is below the resolution of positions: gaps closed at these positions.

        As far as the law resolves them.
        """
        ahead, wanted = np.zeros(N_TURNS), -flank_side(self.contact.flank) * abs(self.torque)
        for _ in range(FURTHER):
            missed = wanted - float(forces.torque[PINION])
            if abs(missed) <= tolerance * abs(wanted):
                break
            assert forces.by_gap_offset is not None
            ahead[self.driving] += missed / float(forces.by_gap_offset[PINION, self.driving])
            nearer = self.contact.evaluate(self._data, replace(motion, gap_offset=ahead), again=True)
            if not abs(wanted - float(nearer.torque[PINION])) < abs(missed):
                break
            forces = nearer
        return forces

    def _position(self, x: float, forces: MeshForces, off: float, displacement: Array) -> StaticPosition:
        assert forces.torque_phi is not None
        r_b = np.array([gear.r_b for gear in self.contact.pair.gears])
        return StaticPosition(
            deflection=x if self.torque >= 0.0 else -x,
            mesh_stiffness=mesh_stiffness(forces.torque_phi, r_b, self.driving),
            forces=forces,
            off=off,
            displacement=displacement,
        )

    def _failure(self, phase: float, x: float, residual: float, tolerance: float) -> NonConvergence:
        """What went wrong, and what to try."""
        contact, torque = self.contact, abs(self.torque)
        remedy = 'use a finer grid, or with law = "penalty" a softer stiffness_N_per_mm3 or more Gauss points'
        if any(gear.microgeometry.tip_relief or gear.microgeometry.root_relief for gear in contact.pair.gears):
            remedy = "check tip_relief_um and root_relief_um, which leave little of the flanks; else " + remedy
        if not abs(x) < DEEPEST * contact.pair.pinion.m_n:
            deepest = 1e3 * DEEPEST * contact.pair.pinion.m_n
            remedy = (
                f"the teeth do not carry it at a deflection of {deepest:.3g} mm, {DEEPEST:g} modules: reduce "
                'pinion_torque_Nm, or check youngs_modulus_GPa and, with law = "penalty", stiffness_N_per_mm3'
            )
            gears = zip(GEARS, contact.pair.gears, strict=True)
            small = [name for name, gear in gears if gear.d_rim < SMALL_BORE * gear.d_f]
            if small:
                remedy = f"enlarge bore_diameter_mm of {' and '.join(small)}: the bore alone turns away; else {remedy}"
        if self.displacement.any() or self.displaces:
            remedy += "; raise the stiffness of the supports"
        return NonConvergence(f"phase {phase:.6g} (torque in N m)", residual, tolerance * torque, remedy)


def _next_deflection(
    here: tuple[float, float, float], before: tuple[float, float, float] | None, wanted: float
) -> float:
    """Deflection [m] at which a torque [N m] is expected, from deflection, torque and slope here and before.

    Between a torque that is too small and one that is too large, by the cubic of the deflection over the torque through
    both with their slopes. Far below the wanted torque by the step of a torque that grows with the power p of the
    deflection, p T/T' ((T0/T)^(1/p) - 1): where few slices touch as yet, as of crowned and skewed flanks, Newton's own
    goes beyond the wanted torque by hundreds of times, and takes as many steps back. Else Newton's.
    """
    x, now, slope = here
    if 0.0 < now < FAR_BELOW * wanted:
        return x + GROWTH * now / slope * ((wanted / now) ** (1.0 / GROWTH) - 1.0)
    if before is not None and (before[1] - wanted) * (now - wanted) < 0.0 and before[1] > FAR_BELOW * wanted:
        x_0, then, slope_0 = before
        width = now - then
        t = (wanted - then) / width
        return (1.0 - t) ** 2 * ((1.0 + 2.0 * t) * x_0 + t * width / slope_0) + t * t * (
            (3.0 - 2.0 * t) * x - (1.0 - t) * width / slope
        )
    return x + (wanted - now) / slope


def nominal_speeds(contact: FlexibleContact, pinion_speed: float | None) -> Array:
    """Speeds of both gears, shape (2,) [rad/s]; 100 rad/s on the pinion where the case gives none.

    Without a speed only the direction of sliding matters (Coulomb friction of a static study).
    """
    omega = 100.0 if pinion_speed is None else pinion_speed
    return np.array([omega, omega * contact.pair.pinion.z / contact.pair.wheel.z])
