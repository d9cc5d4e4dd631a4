"""A case built from Python objects alone is the one of the file: the same digest, defaults and checks."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import MISSING, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_cases import PAIR

import alegear as ag
from alegear.case.case import TABLES

ROOT = Path(__file__).parents[2]
MESHES = ROOT / "meshes"
sys.path.insert(0, str(ROOT / "tests" / "golden"))
from cases import TEXTS  # noqa: E402

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
RPM = 2.0 * math.pi / 60.0
MM, UM = 1e-3, 1e-6


# -------------------------------------------------------------------- as a user writes it
def spur(teeth: tuple[int, int], module: float, x: float, width: float, bores: tuple[float, float]) -> ag.GearPair:
    pinion, wheel = (
        ag.Gear(z=z, m_n=module, x=shift, b=width, bore_diameter=bore)
        for z, shift, bore in zip(teeth, (x, -x), bores, strict=True)
    )
    return ag.GearPair(pinion=pinion, wheel=wheel)


def test_helical_pair_with_microgeometry() -> None:
    beta, steel = math.radians(10.0), ag.Material(E=206e9, nu=0.3, rho=7830.0)
    pinion = ag.Gear(
        z=24,
        m_n=14 * MM,
        beta=beta,
        x=0.48,
        b=360 * MM,
        bore_diameter=180 * MM,
        tip_alteration_factor=-0.067,
        microgeometry=ag.Microgeometry(
            tip_relief=50 * UM,
            tip_relief_start_diameter=371 * MM,
            tip_relief_shape="parabolic",
            lead_crowning=15 * UM,
        ),
    )
    wheel = ag.Gear(
        z=95,
        m_n=14 * MM,
        beta=-beta,
        x=0.6691,
        b=360 * MM,
        bore_diameter=700 * MM,
        tip_alteration_factor=-0.067,
        microgeometry=ag.Microgeometry(
            tip_relief=50 * UM, tip_relief_start_diameter=1385 * MM, tip_relief_shape="parabolic"
        ),
    )
    case = ag.Case(
        pair=ag.GearPair(pinion=pinion, wheel=wheel, a_w=861 * MM),
        materials=(steel, steel),
        operation=ag.Operation(driver="wheel", pinion_torque=40e3),
        analysis=ag.StaticAnalysis(),
    )
    assert case.sha256 == ag.Case.from_toml(MESHES / "helical_24_95.toml").sha256


def test_motion() -> None:
    case = ag.Case(
        pair=spur((13, 97), 8 * MM, 0.0, 60 * MM, (42 * MM, 378 * MM)),
        operation=ag.Operation(driver="wheel", pinion_torque=1225.0, pinion_speed=373.0769 * RPM),
        analysis=ag.DynamicAnalysis(duration=0.3, ramp=0.1, output_every=2e-5),
    )
    assert case.sha256 == ag.Case.from_toml(MESHES / "spur_13_97_dynamic.toml").sha256


SWEEP = f"""{PAIR}
[contact]
friction = "coulomb"
mu_dynamic = 0.06
[operation]
pinion_torque_Nm = 200.0
[analysis]
kind = "sweep"
duration_s = 0.02
speed_from_rpm = 5000.0
speed_to_rpm = 6000.0
inertia = "full"
[supports.wheel]
added_inertia_kg_m2 = 0.01
[shafts.wheel]
stiffness_Nm_per_rad = 5e4
inertia_kg_m2 = 0.05
[output]
plots = false
"""


def test_sweep_on_a_shaft() -> None:
    slow, fast = 5000.0 * RPM, 6000.0 * RPM
    case = ag.Case(
        pair=spur((20, 30), 4 * MM, 0.2, 30 * MM, (35.8 * MM, 54.2 * MM)),
        friction=ag.Friction(kind="coulomb", mu_dynamic=0.06),
        operation=ag.Operation(pinion_torque=200.0, speed_table=((0.0, slow), (0.02, fast), (0.04, slow))),
        analysis=ag.SweepAnalysis(duration=0.04, reversal_time=0.02, normal_modes=24),
        added_inertia=(0.0, 0.01),
        shafts=(None, ag.TorsionShaft(stiffness=5e4, inertia=0.05)),
    )
    assert case.operation.pinion_speed == fast
    assert case.analysis.settling == pytest.approx(0.001)  # a twentieth of one way, as in a file
    assert ag.SweepAnalysis(duration=0.04, reversal_time=0.02, settling=0.0).settling == 0.0
    assert case.sha256 == ag.Case.from_bytes(SWEEP.encode()).sha256


def test_the_page_names_every_table() -> None:
    section = PAGE[PAGE.index("## A case without a file") :]  # its example runs in tests/test_docs.py
    for table in TABLES:
        assert f"[{table}]" in section, table
    for name in re.findall(r"ag\.(\w+)", section):
        assert hasattr(ag, name), name


# ------------------------------------------------------------------------ mechanically
def rebuilt(value: Any) -> Any:
    """The value made again by public names and nothing but what differs from their defaults."""
    if is_dataclass(value):
        kind = getattr(ag, type(value).__name__)
        assert kind is type(value)
        given = {}
        for part in fields(value):
            default = part.default_factory() if part.default_factory is not MISSING else part.default
            mine = getattr(value, part.name)
            if part.init and part.name != "path" and not (default is not MISSING and same(mine, default)):
                given[part.name] = rebuilt(mine)
        if isinstance(value, ag.GearPair):
            given["a_w"] = value.a_nominal  # what is given; the attribute has the error of the alignment in it
        return kind(**given)
    if isinstance(value, tuple):
        return tuple(rebuilt(item) for item in value)
    if isinstance(value, np.ndarray):
        return value.copy()
    assert value is None or isinstance(value, int | float | str | Path), value
    return value


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return isinstance(one, np.ndarray) and np.array_equal(one, other)
    return type(one) is type(other) and bool(one == other)


ALIGNED = SWEEP + "[alignment]\ncenter_distance_error_um = 40.0\ntilt_plane_of_action_deg = 0.01\n"
PAIRS = {
    path.name: text for path in sorted(MESHES.glob("*.toml")) if "[machine]" not in (text := path.read_text("utf-8"))
}
FILES = {"aligned": ALIGNED} | PAIRS


@pytest.mark.parametrize("name", [*FILES, *TEXTS])
def test_every_case_is_made_of_public_objects(name: str) -> None:
    case = ag.Case.from_bytes((FILES | TEXTS)[name].encode(), MESHES / "case.toml")
    assert rebuilt(case).sha256 == case.sha256


def test_grids_left_out_are_those_of_a_file_without_them() -> None:
    for name, text in PAIRS.items():
        case = ag.Case.from_bytes(text.encode())
        for changes in ({}, {"law": "penalty"}) if name.startswith("spur") else ({},):
            made = ag.Case(pair=case.pair, operation=case.operation, analysis=case.analysis, **changes)
            law = '[contact]\nlaw = "penalty"\n' if changes else ""
            assert made.grid_options == ag.Case.from_bytes((text + law).encode()).grid_options
    assert made.grid_options[0].order == 1


# ------------------------------------------------------------------------------ checks
def test_what_a_file_refuses_python_refuses_in_the_same_words() -> None:
    pair = spur((20, 30), 4 * MM, 0.2, 30 * MM, (35.8 * MM, 54.2 * MM))
    file = MESHES / "spur_20_30.toml"
    text = file.read_text().replace("= 400.0", "= 0.0") + '[contact]\nlaw = "penalty"\nslices = 6\n'
    with pytest.raises(ag.CaseFaults) as of_file:
        ag.Case.from_bytes(text.encode(), "case")
    with pytest.raises(ag.CaseFaults) as of_python:
        ag.Case(
            pair=pair,
            law="penalty",
            slices=6,
            operation=ag.Operation(pinion_torque=0.0),
            analysis=ag.StaticAnalysis(),
        )
    assert of_python.value.faults == of_file.value.faults
    assert len(of_file.value.faults) == 2


def test_a_torque_is_needed() -> None:
    with pytest.raises(ag.Fault, match="torque on the pinion shaft"):
        ag.Operation(pinion_speed=100.0)
    tables = ag.Operation(torque_table=((0.0, 0.0), (1.0, -300.0)), speed_table=((0.0, 10.0), (1.0, 20.0)))
    assert (tables.pinion_torque, tables.pinion_speed) == (-300.0, 20.0)
    with pytest.raises(ag.Fault, match=r"speed of the pinion \[rpm\] = .*: must be 190.986, the largest of the table"):
        replace(tables, pinion_speed=19.0)
    with pytest.raises(ag.Fault, match=r"torque on the pinion shaft \[N m\] = 200.0: must be -300, the largest"):
        replace(tables, pinion_torque=200.0)


def test_a_case_needs_gears_load_and_analysis() -> None:
    with pytest.raises(TypeError, match=r"'pair', 'operation', and 'analysis'"):
        ag.Case()  # type: ignore[call-arg]
    with pytest.raises(ag.Fault, match=r"Case\.pair"):
        ag.Case(pair=None, operation=None, analysis=None)  # type: ignore[arg-type]
