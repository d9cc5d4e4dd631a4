"""Limits in which one fidelity of a gear pair becomes the next: computed on both sides of each step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from alegear.arrays import Array, Mask
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.scaled_bending import ScaledBending
from alegear.drivetrain.gear_mesh import MeshLaw
from alegear.drivetrain.planar.factor import PeriodicFactor
from alegear.drivetrain.planar.mesh_stiffness import MeshStiffness
from alegear.errors import Fault
from alegear.results.contact_result import contact_contents
from alegear.results.fidelity_result import FidelityLimit
from alegear.studies.pair_on_fixed_axes import MESH, PairOnFixedAxes, tooth_loads
from alegear.studies.preparation import PreparedPair
from alegear.studies.reference_pitch import START_PHASE

#: Contacts nearer to a tip edge [base pitches] are left out: edges are sharp in one level and round in another.
EDGE = 0.1
#: Efficiencies on the way to a mesh without losses, and one at which two laws of friction are compared.
EFFICIENCIES, EFFICIENCY = (0.99, 0.999, 0.9999), 0.99
#: Factors of stiffnesses and moduli on the way to rigid teeth.
STIFFER = (1.0, 10.0, 100.0)
#: By which the load rises, on the way to small changes.
RISES = (0.4, 0.2, 0.1)
#: Exponent of the load with which a mesh stiffness grows, at most: by Hertz 1/(ln(S/s) - 1), below 1/8 for steel.
GROWTH = 0.2
#: Parts of the bending on the way to teeth that do not bend.
SHARES = (0.1, 0.01, 0.001)
#: What the contact of `teeth` and that of flexible flanks without bending may be apart, away from tip edges.
APART = 1e-2
#: Positions of the study from which bending is taken, and how exact it is then.
STUDIED, OF_BENDING = (16, 32, 64), 5e-3
#: Of a step of the motions whose losses are compared: not theirs are to be seen.
TOLERANCE = 1e-6
#: Of numbers that are the same.
ROUND_OFF = 1e-6
#: Tooth pairs beside the one at the pitch point that are looked at.
BESIDE = 4


class _Rest(NamedTuple):
    """Equilibria over a pitch."""

    error: Array
    stiffness: Array
    shares: Array


class FidelityLimits:
    """Limits of a spur pair, from one level to the next.

    Parameters
    ----------
    setup : PairOnFixedAxes
    wanted : sequence of str
        Levels; limits are those between two that are wanted.

    Raises
    ------
    Fault
        For helical teeth, and for too few positions away from tip edges.
    """

    def __init__(self, setup: PairOnFixedAxes, wanted: Sequence[str]) -> None:
        self.setup, self.wanted = setup, wanted
        if setup.pair.eps_beta > 0.0:
            raise Fault(
                "limits", True, "left out with helical teeth, which pass tip edges all the time", "leave it out"
            )
        if not self.away.any():
            limit = "some with all contacts away from tip edges"
            raise Fault("positions in a pitch", setup.positions, limit, "raise positions")

    @cached_property
    def away(self) -> Mask:
        """Positions with all contacts away from tip edges."""
        pair, n = self.setup.pair, self.setup.positions
        ends, near = pair.path_of_contact_usable, EDGE * pair.p_bt
        phase = START_PHASE + np.arange(n) / n
        roll = [pair.contact_roll_lengths(at - np.arange(-BESIDE, BESIDE + 1), "pinion")[0] for at in phase]
        gaps = np.abs(np.array(roll)[:, :, None] - np.array(ends))
        return np.asarray(np.all(gaps > near, axis=(1, 2)))

    def all(self) -> tuple[FidelityLimit, ...]:
        """Of all levels that are wanted."""
        steps = {
            ("lossy", "rigid"): self._lossy,
            ("elastic", "lossy"): self._elastic,
            ("teeth", "rigid"): self._stiff_teeth,
            ("teeth", "elastic"): self._teeth,
            ("flexible", "teeth"): self._flexible,
            ("flexible", "elastic"): self._small_changes_of_flexible,
        }
        found = [step() for pair, step in steps.items() if set(pair) <= set(self.wanted)]
        return tuple(limit for limits in found for limit in limits)

    # ---------------------------------------------------------------- solved
    def _at_rest(
        self, setup: PairOnFixedAxes, law: MeshLaw, prepared: Mapping[str, PreparedPair] | None = None
    ) -> _Rest:
        study, _ = setup.at_rest(law, prepared or {}, runs=1)
        history = study.history()
        pairs, loads = tooth_loads(history, study.mesh_history(MESH) if MESH in study.recorders else None)
        shares = np.zeros((setup.positions, 2 * BESIDE + 1))
        if pairs is not None and loads is not None:
            shares[:, pairs + BESIDE] = loads / (setup.torque / setup.pair.pinion.r_b)
        values = history.values
        return _Rest(values["transmission_error"][:, 0], values["mesh_stiffness"][:, 0], shares)

    def _lost(self, fidelity: str, **given: Any) -> float:
        study, _ = self.setup.in_motion(self.setup.law(fidelity, **given), {}, runs=1, tolerance=TOLERANCE)
        return self.setup.lost(study)

    @cached_property
    def _teeth_at_rest(self) -> _Rest:
        return self._at_rest(self.setup, self.setup.law("teeth"))

    @cached_property
    def _prepared(self) -> dict[str, PreparedPair]:
        return self.setup.prepared(self._flexible_law)[0]

    @cached_property
    def _flexible_law(self) -> MeshLaw:
        return self.setup.law("flexible", **self.setup.contact)

    @cached_property
    def _flexible_at_rest(self) -> _Rest:
        return self._at_rest(self.setup, self._flexible_law, self._prepared)

    def _largest(self, differences: Array) -> float:
        return float(np.abs(differences[self.away]).max())

    # ---------------------------------------------------------------- steps
    def _lossy(self) -> list[FidelityLimit]:
        found = [self._lost("lossy", mesh_efficiency=eta) for eta in EFFICIENCIES]
        return [
            FidelityLimit(
                level="lossy",
                becomes="rigid",
                quantity="power put in",
                parameter="efficiency",
                values=EFFICIENCIES,
                differences=found,
                bounds=[(1.0 + ROUND_OFF) * (1.0 - eta) for eta in EFFICIENCIES],
                reason="the loss is all that is left out",
            )
        ]

    def _elastic(self) -> list[FidelityLimit]:
        """Without friction as without losses; with a table of efficiencies as with a table of losses."""
        setup, pair = self.setup, self.setup.pair
        soft = float(self._at_rest(setup, setup.law("elastic")).stiffness.mean())
        force = setup.torque / pair.pinion.r_b
        rigid = self._at_rest(setup, setup.law("lossy", mesh_efficiency=1.0)).error
        errors = [
            self._at_rest(setup, setup.law("elastic", stiffness=factor * soft)).error - rigid for factor in STIFFER
        ]
        speeds = [(0.0, EFFICIENCY), (100.0, EFFICIENCY)]
        losses = [
            self._lost("elastic", stiffness=factor * soft, friction="efficiency", efficiency=speeds)
            for factor in STIFFER
        ]
        lost = self._lost("lossy", mesh_efficiency=EFFICIENCY)
        stored = force / soft / (2.0 * pair.p_bt * (1.0 - EFFICIENCY))
        common: dict[str, Any] = {"level": "elastic", "parameter": "factor of the stiffness", "values": STIFFER}
        return [
            FidelityLimit(
                becomes="lossy without losses, rigid",
                quantity="transmission error, over that of factor 1",
                differences=[float(np.abs(error).max()) / (force / soft) for error in errors],
                bounds=[(1.0 + ROUND_OFF) / factor for factor in STIFFER],
                reason="a spring deflects by F/c",
                **common,
            ),
            FidelityLimit(
                becomes="lossy",
                quantity=f"lost in a pitch, efficiency {EFFICIENCY:g}",
                differences=[abs(one / lost - 1.0) for one in losses],
                bounds=[stored / factor for factor in STIFFER],
                reason="what vibrates is at most what the springs hold, F^2/(2 c), beside the loss",
                **common,
            ),
        ]

    def _stiff_teeth(self) -> list[FidelityLimit]:
        first = float(np.abs(self._teeth_at_rest.error).max())
        found = []
        for factor in STIFFER:
            materials = [replace(one, E=factor * one.E) for one in self.setup.materials]
            stiff = replace(self.setup, materials=(materials[0], materials[1]))
            found.append(float(np.abs(self._at_rest(stiff, stiff.law("teeth")).error).max()) / first)
        return [
            FidelityLimit(
                level="teeth",
                becomes="rigid",
                quantity="transmission error, over that of factor 1",
                parameter="factor of the moduli",
                values=STIFFER,
                differences=found,
                bounds=[(1.0 + ROUND_OFF) * (1.0 + math.log(factor)) / factor for factor in STIFFER],
                reason="Hertz: s ln(S/s), s over the modulus, ln(S/s) above 1",
            )
        ]

    def _teeth(self) -> list[FidelityLimit]:
        return [self._small_changes("teeth", self.setup.law("teeth"), {}, self._teeth_at_rest)]

    def _small_changes_of_flexible(self) -> list[FidelityLimit]:
        return [self._small_changes("flexible", self._flexible_law, self._prepared, self._flexible_at_rest)]

    def _small_changes(
        self, level: str, law: MeshLaw, prepared: Mapping[str, PreparedPair], here: _Rest
    ) -> FidelityLimit:
        """Elastic teeth with the tangents of a level give way by a little more load as that level does."""
        setup, mean = self.setup, float(here.stiffness.mean())
        factor = PeriodicFactor(period=1.0, values=here.stiffness / mean, start=START_PHASE)
        elastic = setup.law("elastic", stiffness_from=MeshStiffness(mean=mean, factor=factor))
        from_here = self._at_rest(setup, elastic).error
        found = []
        for rise in RISES:
            more = replace(setup, torque=(1.0 + rise) * setup.torque)
            own = self._at_rest(more, law, prepared).error - here.error
            found.append(self._largest(own / (self._at_rest(more, elastic).error - from_here) - 1.0))
        return FidelityLimit(
            level=level,
            becomes="elastic with its stiffness",
            quantity="change of the transmission error under more load",
            parameter="rise of the load",
            values=RISES,
            differences=found,
            bounds=[0.5 * GROWTH * rise for rise in RISES],
            reason=f"stiffness grows with the load to the power of {GROWTH:g} at most, half of that in the mean",
        )

    def _flexible(self) -> list[FidelityLimit]:
        """Without bending as Hertz's teeth; these with its bending as the flexible pair."""
        setup, teeth, flexible = self.setup, self._teeth_at_rest, self._flexible_at_rest
        prepared = self._prepared[MESH]
        assert isinstance(prepared.contact, LineContact)
        errors, shares = [], []
        for share in SHARES:
            scaled = {MESH: replace(prepared, contact=ScaledBending.of(prepared.contact, share))}
            found = self._at_rest(setup, self._flexible_law, scaled)
            errors.append(self._largest(found.error / teeth.error - 1.0))
            shares.append(self._largest(np.abs(found.shares - teeth.shares).max(axis=1)))
        whole = self._largest(flexible.error / teeth.error - 1.0)
        common: dict[str, Any] = {
            "level": "flexible",
            "becomes": "teeth",
            "parameter": "share of bending",
            "values": SHARES,
        }
        limits = [
            FidelityLimit(
                quantity="transmission error",
                differences=errors,
                bounds=[share * whole + APART for share in SHARES],
                reason=f"bending, {whole:.2g} times the indentation, is linear in its share; {APART:g} is left for the"
                " roundness of the flanks",
                **common,
            ),
            FidelityLimit(
                quantity="share of the load of a pair",
                differences=shares,
                bounds=[share * whole + APART for share in SHARES],
                reason="the same: loads follow deflections",
                **common,
            ),
        ]
        errors, shares = [], []
        for positions in STUDIED:
            studied, _ = replace(setup, positions=positions).at_rest(self._flexible_law, self._prepared, runs=1)
            law = setup.law("teeth", bending_from=contact_contents(studied.mesh_history(MESH)).dataset())
            found = self._at_rest(setup, law)
            errors.append(self._largest(found.error / flexible.error - 1.0))
            shares.append(self._largest(np.abs(found.shares - flexible.shares).max(axis=1)))
        common = {"level": "teeth with its bending", "becomes": "flexible", "parameter": "positions of the study"}
        common |= {"values": STUDIED, "bounds": [OF_BENDING] * len(STUDIED)}
        reason = "bending is taken at positions that differ by the deflection"
        limits.append(FidelityLimit(quantity="transmission error", differences=errors, reason=reason, **common))
        limits.append(
            FidelityLimit(quantity="share of the load of a pair", differences=shares, reason=reason, **common)
        )
        return limits
