"""Limits live in the objects: Python is held to the same as the case file, and in the same words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import alegear as ag
from alegear.case.analysis import ModalAnalysis, StaticAnalysis
from alegear.case.case import Case
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import CaseFaults
from alegear.case.sweep import SweepAnalysis
from alegear.errors import Fault, one_line
from alegear.limits import Limits
from alegear.system.support import Support, TorsionShaft

MESHES = Path(__file__).parents[1] / "meshes"
STATIC, DYNAMIC = "spur_20_30.toml", "spur_20_30_dynamic.toml"


@cache
def case(name: str = STATIC) -> Case:
    return Case.from_toml(MESHES / name)


def gear(**changes: Any) -> ag.Gear:
    return ag.Gear(**{"z": 20, "m_n": 4e-3, "b": 30e-3, "bore_diameter": 35.8e-3} | changes)


def support(**changes: Any) -> Support:
    return Support(**{"name": "pinion", "stiffness": 1e8 * np.eye(5)} | changes)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: gear(m_n="4"), "normal module (Gear.m_n) = '4': must be a number"),
        (lambda: gear(m_n=None), "normal module (Gear.m_n) = None: must be a number"),
        (lambda: gear(z=20.5), "teeth (Gear.z) = 20.5: must be a whole number"),
        (lambda: gear(z=10**5000), "teeth = inf: must be a finite number"),
        (lambda: gear(rack=None), "Gear.rack = None: must be a BasicRack"),
        (lambda: gear(microgeometry=5), "Gear.microgeometry = 5: must be a Microgeometry"),
        (lambda: gear().with_microgeometry(None), "microgeometry = None: must be a Microgeometry"),
        (lambda: ag.GearPair(pinion=gear(), wheel=5), "GearPair.wheel = 5: must be a Gear or InternalGear"),
        (
            lambda: ag.GearPair(pinion=gear(), wheel=gear(), a_w="0.1"),
            "distance (GearPair.a_w) = '0.1': must be",
        ),
        (lambda: ag.Microgeometry(pitch_deviation="x"), "Microgeometry.pitch_deviation = 'x': must be an array of"),
        (lambda: ag.Material(nu=0.495), "Poisson's ratio = 0.495: must be at most 0.49; correct poisson_ratio"),
        (lambda: ag.mesh_sector(gear(), 3), "options = 3: must be a GridOptions or None"),
        (lambda: ag.run("case.toml"), "case = 'case.toml': must be a Case; give ag.Case.from_toml"),
        (lambda: ag.vary("case.toml", []), "case = 'case.toml': must be a Case"),
        (lambda: ag.vary(case(), [None]), "variants[0] = None: must be a Variant"),
        (lambda: ag.vary(case(), 3), "variants = 3: must be a list of Variant"),
        (lambda: replace(case(), law="foo"), 'Case.law = \'foo\': must be "hertz" or "penalty"'),
        (lambda: replace(case(), slices=0), "number of slices = 0: must be at least 1"),
        (lambda: replace(case(), pair=None), "Case.pair = None: must be a GearPair"),
        (lambda: replace(case(), materials=(ag.Material(), None)), "Case.materials[1] = None: must be a Material"),
        (lambda: replace(case(), shafts=None), "Case.shafts = None: must be a pair (pinion, wheel)"),
        (lambda: replace(case(), teeth_modelled=(4, None)), "Case.teeth_modelled = 4: must be an odd number"),
        (lambda: replace(case(), added_inertia=(0.0, -1.0)), "further inertia about the axis [kg m2] = -1.0: must be"),
        (lambda: replace(case().operation, driver="sun"), "Operation.driver = 'sun': must be"),
        (lambda: replace(case().operation, pinion_torque=math.nan), "torque on the pinion shaft [N m] = nan"),
        (lambda: replace(case().operation, pinion_torque=1e-12), "= 1e-12: must be at least 1e-06 in magnitude"),
        (lambda: replace(case().operation, gravity=(0.0, 1.0)), "Operation.gravity = a tuple: must be three numbers"),
        (lambda: replace(case().operation, speed_table=((0.0, 1.0), (0.0, 2.0))), "must be rising from 0"),
        (lambda: StaticAnalysis(positions_per_pitch=0), "positions in a pitch = 0: must be at least 1"),
        (lambda: DynamicAnalysis(duration=0.0), "duration [s] = 0.0: must be at least 1e-12; correct duration_s"),
        (lambda: DynamicAnalysis(duration=1.0, output_every=2.0), "must be at most duration_s = 1"),
        (lambda: DynamicAnalysis(duration=1e6, output_every=1e-3), "must be at most 10000000; increase output_every_s"),
        (lambda: DynamicAnalysis(duration=1.0, method="euler"), "DynamicAnalysis.method = 'euler'"),
        (lambda: SweepAnalysis(duration=1.0, reversal_time=2.0), "time of reversal [s] = 2.0: must be below"),
        (lambda: ModalAnalysis(n_modes=0), "number of modes = 0: must be at least 1"),
        (lambda: support(unbalance=-1.0), "unbalance [g mm] = -1000000.0: must be at least 0; correct unbalance_g_mm"),
        (lambda: support(stiffness="stiff"), "Support.stiffness = 'stiff': must be an array of numbers"),
        (lambda: support(stiffness=1e16 * np.eye(5)), "must be at most 1e+15"),
        (lambda: TorsionShaft(stiffness=0.0), "torsional stiffness [N m/rad] = 0.0: must be greater than 0"),
        (lambda: ag.Friction(mu_dynamic=0.1), 'left out: it has no effect with friction = "none"'),
        (lambda: ag.PenaltyLaw(stiffness=1.0), "penalty stiffness [N/mm3] = 1e-09: must be at least 1"),
        (lambda: ag.Support(name=10**5000, stiffness=1e8 * np.eye(5)), "Support.name = a number of 16610 bits"),
        (lambda: ag.PenaltyLaw(stiffness=np.int64(5)), "penalty stiffness [N/mm3] = 5e-09: must be at least 1"),
        (lambda: ag.PenaltyLaw(stiffness=10**5000), "penalty stiffness [N/mm3] = inf: must be a finite number"),
        (lambda: ag.PenaltyLaw(stiffness=True), "penalty stiffness (PenaltyLaw.stiffness) = True: must be a number"),
        (
            lambda: ag.PenaltyLaw(stiffness=1e28),
            "penalty stiffness [N/mm3] = 1e+19: must be at most 1e+18; correct stiffness_N_per_mm3",
        ),
        (lambda: ag.GridOptions(order=3), "order = 3: must be at most 2"),
    ],
)
def test_a_wrong_value_from_python_is_a_fault_that_names_it(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(Fault) as caught:
        make()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def changed(name: str = STATIC, **changes: Any) -> Callable[[], Any]:
    return lambda: replace(case(name), **changes)


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (
            lambda: replace(case(), operation=replace(case().operation, pinion_torque=0.0)),
            "operation.pinion_torque_Nm = 0.0: must not be 0 in a static analysis",
        ),
        (changed(law="penalty", slices=8), 'contact.slices = 8: has no effect with law = "penalty"'),
        (
            changed(penalty=ag.PenaltyLaw(exponent=1.5)),
            "contact.penalty.exponent = 1.5: has no effect with",
        ),
        (
            changed(shafts=(None, TorsionShaft(stiffness=1e5, inertia=1.0))),
            "shafts.wheel = {table}: has no effect",
        ),
        (changed(added_inertia=(0.1, 0.0)), "supports.pinion.added_inertia_kg_m2 = 0.1: has no effect in a static"),
        (changed(supports=(support(unbalance=1e-5), None)), "supports.pinion.unbalance_g_mm = 10.0: has no effect"),
        (changed(supports=(support(added_mass=1.0), None)), "added_mass_kg = 1.0: has no effect in a static analysis"),
        (changed(window_pairs=21), "contact.window_pairs = 21: must be at most 20"),
        (changed(teeth_modelled=(21, None)), "pinion.teeth_modelled = 21: must be at most 20 teeth"),
        (changed(DYNAMIC, teeth_modelled=(5, None)), "a segment cannot turn in a dynamic analysis"),
        (
            lambda: replace(case(DYNAMIC), analysis=replace(case(DYNAMIC).analysis, time_step=1e-3, output_every=1e-3)),
            "analysis.time_step_s = 0.001: must be at most",
        ),
        (
            lambda: replace(case(DYNAMIC), analysis=replace(case(DYNAMIC).analysis, duration=1e6, output_every=1.0)),
            "analysis.duration_s = 1000000.0: 5e+08 pitches at this speed are too many",
        ),
        (
            lambda: replace(case(DYNAMIC), operation=replace(case(DYNAMIC).operation, pinion_speed=None)),
            "operation.pinion_speed_rpm = (missing): must be greater than 0 in a dynamic analysis",
        ),
        (changed(grid_files=(MESHES / STATIC, None)), "pinion.grid = {table}: has no effect with pinion.grid.file"),
        (changed(grid_options=(ag.GridOptions(), None)), "wheel.grid = (missing): is needed without a grid"),
        (
            changed(grid_options=(ag.GridOptions(flank_elements=400, width_elements=400, thickness_elements=400),) * 2),
            "elements is too large: at most 1000000",
        ),
    ],
)
def test_parts_that_do_not_go_together_are_refused_as_in_a_case_file(make: Callable[[], Any], line: str) -> None:
    with pytest.raises(CaseFaults) as caught:
        make()
    assert any(line in str(fault) for fault in caught.value.faults), str(caught.value)


SMALL_GRID = (
    "[grid]\nflank_elements = 2\nfillet_elements = 2\nthickness_elements = 2\nwidth_elements = 1\nrim_elements = 2"
)


@pytest.mark.parametrize(
    ("name", "changes", "line"),
    [
        (
            STATIC,
            {"[analysis]": "[shafts.wheel]\nstiffness_Nm_per_rad = 1e5\n[analysis]"},
            "shafts.wheel = {table}",
        ),
        (
            STATIC,
            {"[analysis]": "[supports.pinion]\nadded_inertia_kg_m2 = 1.0\n[analysis]"},
            "added_inertia_kg_m2 = 1.0: has no effect in a static analysis",
        ),
        (
            "helical_24_95.toml",
            {"[analysis]": "[contact]\nwindow_pairs = 2\n[analysis]"},
            "contact.window_pairs = 2: must be large enough for the contact ratio",
        ),
        (
            DYNAMIC,
            {'"dynamic"': '"dynamic"\ninertia = "full"\nnormal_modes = 400', "[analysis]": f"{SMALL_GRID}\n[analysis]"},
            "analysis.normal_modes = 400: must be at most",
        ),
        (STATIC, {"= 35.8": "= 71.5999"}, "bore_diameter_mm = 71.5999: bore diameter [mm] must be at most 71.52"),
        (
            STATIC,
            {"poisson_ratio      = 0.3": "poisson_ratio = 0.495"},
            "poisson_ratio = 0.495: must be at most 0.49",
        ),
    ],
)
def test_what_a_run_would_refuse_is_refused_when_the_case_is_read(
    name: str, changes: dict[str, str], line: str
) -> None:
    text = (MESHES / name).read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    with pytest.raises(CaseFaults) as caught:
        Case.from_bytes(text.encode())
    assert any(line in str(fault) for fault in caught.value.faults), str(caught.value)


def sweep(**keys: Any) -> bytes:
    text = (MESHES / DYNAMIC).read_text()
    start = text.index("[analysis]")
    lines = {"duration_s": 0.01, "speed_from_rpm": 1000.0, "speed_to_rpm": 2000.0, "pitches_per_point": 2} | keys
    analysis = '[analysis]\nkind = "sweep"\n' + "".join(f"{key} = {value}\n" for key, value in lines.items())
    return (text[:start].replace("pinion_speed_rpm = 1500.0", "") + analysis).encode()


def test_a_sweep_without_a_point_is_refused() -> None:
    assert Case.from_bytes(sweep()).analysis.kind == "sweep"
    with pytest.raises(CaseFaults, match="pitches_per_point = 10000: must be at most 4, the whole pitches"):
        Case.from_bytes(sweep(pitches_per_point=10000))


def test_a_number_at_its_limit_passes_conversion() -> None:
    limits = Limits(quantity="tilt", key="tilt_deg", unit="deg", least=-1.0, most=1.0)
    limits.check(math.radians(1.0) * (1.0 + 1e-12), "tilt")
    with pytest.raises(Fault, match=r"tilt \[deg\] = 1.001: must be at most 1; correct tilt_deg"):
        limits.check(math.radians(1.001), "tilt")


def test_faults_stay_on_one_line_and_survive_a_process() -> None:
    import pickle

    assert one_line("a\x1b[31m\nb") == "a\\x1b[31m\\nb"
    for fault in (Fault("file", "a\nb", "one line", "rename it"), ag.NotInThisVersion("x", 1, "leave it")):
        again = pickle.loads(pickle.dumps(fault))
        assert str(again) == str(fault)
        assert "\n" not in str(fault)


def test_a_unit_that_is_replaced_has_its_own_factor() -> None:
    speed = Limits(quantity="speed", unit="rad/s")
    assert replace(speed, unit="rpm").factor == pytest.approx(2.0 * np.pi / 60.0, rel=1e-15)
    assert replace(replace(speed, unit="mm/s"), unit="m/s").factor == 1.0
