"""Law x supports x modes x shafts x tables x friction x kind of study: each works and balances, or says why not."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from families import mostly_thorough
from small_cases import DAMPING, bearings, case_of, dynamic_study, shafts, static_text

import alegear as ag
from alegear.case.case import Case
from alegear.case.pair_machine import MESH
from alegear.progress import Silent

LAWS = {"hertz": "", "penalty": 'law = "penalty"\n'}
FRICTION = 'friction = "velocity"\n'
TORQUE, SPEED = 200.0, 1500.0  # N m, rpm
STEP, DURATION, SWEPT = 1e-5, 3e-4, 8e-4  # s; a sweep goes there and back
# Of what passes through, of the trapezoidal rule: 6e-6 seen. A sweep is six times as fast with the same step: 2e-4 seen
# with shafts, 2e-5 without; a quarter of the step leaves a tenth of it.
MISSING = {"dynamic": 2e-5, "sweep": 4e-4}
KINDS = ("static", "modal", "dynamic", "sweep")


@dataclass(frozen=True)
class Combination:
    """What a case asks for."""

    kind: str
    law: str
    bearings: bool
    modes: bool
    shafts: bool
    tables: bool
    friction: bool

    @property
    def options(self) -> list[str]:
        """Those that it has."""
        return [name for name in ("bearings", "modes", "shafts", "tables", "friction") if getattr(self, name)]

    @property
    def moves(self) -> bool:
        return self.kind in ("dynamic", "sweep")

    @property
    def name(self) -> str:
        """Such as "dynamic hertz bearings friction"."""
        return " ".join([self.kind, self.law, *self.options])

    @property
    def text(self) -> str:
        """As a case file."""
        tables = bearings(DAMPING * self.moves) * self.bearings
        text = static_text(
            torque=TORQUE,
            pinion="tooth_thickness_allowance_um = 60.0",
            contact=LAWS[self.law] + FRICTION * self.friction,
            tables=tables + shafts() * self.shafts,
        )
        if self.tables:
            text = text.replace(f"pinion_torque_Nm = {TORQUE!r}\n", "")
        before, after = text.split("[analysis]")
        rest = after[after.index("\n[") :] if "\n[" in after else ""
        return f'{before}{self._operation}\n[analysis]\nkind = "{self.kind}"\n{self._analysis}{rest}'

    @property
    def _operation(self) -> str:
        if not self.tables:
            given = self.kind == "dynamic" or (self.friction and self.kind != "sweep")
            return f"pinion_speed_rpm = {SPEED!r}" if given else ""
        return (
            f"pinion_speed_table_s_rpm = [[0.0, {SPEED!r}], [1e-3, {1.1 * SPEED!r}]]\n"
            f"pinion_torque_table_s_Nm = [[0.0, {TORQUE!r}], [1e-3, {1.1 * TORQUE!r}]]"
        )

    @property
    def _analysis(self) -> str:
        modes = "normal_modes = 4\n" * self.modes
        if self.kind == "static":
            return "positions_per_pitch = 2\npitches = 1\n" + modes
        if self.kind == "modal":
            return "phase = 0.0\nn_modes = 3\n" + modes
        step = f"time_step_s = {STEP!r}\noutput_every_s = {5.0 * STEP!r}\n"
        if self.kind == "dynamic":
            return f"duration_s = {DURATION!r}\n" + step + modes
        # fast, as a point of a sweep is two pitches at least
        speeds = "speed_from_rpm = 9000.0\nspeed_to_rpm = 9900.0\npitches_per_point = 2\nsettling_s = 0.0\n"
        return f"duration_s = {SWEPT!r}\n" + step + speeds + modes


ALL = [Combination(*one) for one in itertools.product(KINDS, LAWS, *[(False, True)] * 5)]

# What is refused: which combinations, the keys that are named, and the reason.
REFUSED: list[tuple[Callable[[Combination], bool], tuple[str, ...], str]] = [
    (
        lambda c: c.law == "penalty" and c.bearings,
        ("supports.pinion.kind", "supports.wheel.kind"),
        'is not in this version with law = "penalty"',
    ),
    (lambda c: c.kind == "static" and c.modes, ("analysis.normal_modes",), 'is a key of kind = "dynamic" only'),
    (
        lambda c: c.kind == "modal" and c.modes and c.law == "penalty",
        ("analysis.normal_modes",),
        'goes with law = "hertz" only',
    ),
    (
        lambda c: c.moves and c.modes and c.law == "penalty",
        ("analysis.inertia",),
        'is not in this version with law = "penalty"',
    ),
    (
        # a key that the analysis does not have leaves the rules that ask it open
        lambda c: c.kind == "static" and not c.modes and c.shafts,
        ("shafts.pinion", "shafts.wheel"),
        "has no effect in a static analysis",
    ),
    (
        lambda c: (c.kind == "modal" or (c.kind == "static" and not c.modes)) and c.tables,
        ("operation.pinion_speed_table_s_rpm", "operation.pinion_torque_table_s_Nm"),
        "has no effect in a",
    ),
    (lambda c: c.kind == "sweep" and c.tables, ("operation.pinion_speed_table_s_rpm",), "excludes speed_from_rpm"),
    (lambda c: c.kind == "sweep" and c.tables, ("operation.pinion_torque_table_s_Nm",), "has no effect in a sweep"),
]


def reasons(combination: Combination) -> set[tuple[str, str]]:
    """Keys that are to be named, each with its reason."""
    return {(key, why) for asked, keys, why in REFUSED if asked(combination) for key in keys}


#: Long ones: steps in Python, over a range of speeds. With shafts and friction it runs always.
LONG = ("sweep penalty",)


def runs_always(combination: Combination) -> bool:
    """What is refused, and of the others those without options, at rest with all pairs of options, and all at once.

    A pair has each of its options; where all pairs are refused, as with static penalty, one option alone runs.
    """
    shown = (0, 1, 2) if combination.kind == "static" else (0,)
    few = len(combination.options) in shown and combination.name not in LONG
    return bool(reasons(combination)) or few or len(combination.options) == 5


@pytest.mark.parametrize("combination", mostly_thorough(ALL, runs_always), ids=lambda c: c.name)
def test_it_works_and_balances_or_says_why_not(combination: Combination) -> None:
    expected = reasons(combination)
    if expected:
        with pytest.raises(ag.CaseFaults) as caught:
            ag.Case.from_bytes(combination.text.encode())
        told = {(fault.key, fault.limit) for fault in caught.value.faults}
        for key, why in expected:
            assert any(key == named and why in limit for named, limit in told), (key, why)
        assert {key for key, _ in told} == {key for key, _ in expected}
        assert all(fault.remedy for fault in caught.value.faults)
        return
    case = case_of(combination.text)
    {"static": check_static, "modal": check_modal}.get(combination.kind, check_motion)(case)


def check_static(case: Case) -> None:
    """The teeth carry the torque; what a gear stands on carries the force of the teeth."""
    d = ag.run(case).dataset
    np.testing.assert_allclose(d.tooth_load.sum("pair"), TORQUE / case.pair.pinion.r_b, rtol=1e-8)
    assert (d.transmission_error < 0.0).all()
    if "bearing_force" in d:
        size = float(np.abs(d.contact_force).max())
        np.testing.assert_allclose(d.bearing_force.sel(gear="pinion"), d.contact_force, atol=1e-8 * size)


def check_modal(case: Case) -> None:
    """All of the energy of deformation of a mode is somewhere."""
    d = ag.run(case).dataset
    assert (d.pair_frequency > 0.0).all()
    np.testing.assert_allclose(d.pair_energy_share.sum("part"), 1.0, atol=1e-9)


def check_motion(case: Case) -> None:
    """What drive and load put in is stored or lost."""
    study = dynamic_study(case)
    study.run(Silent())
    study.flush()
    turned = np.ptp(study.samples.part(MESH).read("phase")) * 2.0 * np.pi / case.pair.pinion.z
    transmitted = TORQUE * turned
    assert transmitted > 0.0
    kind = "sweep" if isinstance(case.analysis, ag.SweepAnalysis) else "dynamic"
    assert abs(study.energy.missing) < MISSING[kind] * transmitted
    assert study.energy.dissipated > 0.0
