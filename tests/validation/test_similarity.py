"""Machines that are similar have similar results and the same messages; every key says what it measures."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest
from quick_form import assert_within_bounds
from script_files import load_script

import alegear.case
from alegear.case.rotational import ROTATIONAL
from alegear.case.spatial import SPATIAL
from alegear.case.tables import Table

SIMILARITY = Path(__file__).resolve().parents[2] / "validation" / "similarity"
scaling = load_script("validation/similarity/scaling.py")
dimension, deviates, end_of, told, Scale = (
    scaling.dimension,
    scaling.deviates,
    scaling.end_of,
    scaling.told,
    scaling.Scale,
)

#: Keys without a unit at their ends, of what has none: counts, ratios, names, tables.
PURE = set((SIMILARITY / "keys_without_unit.txt").read_text().split())


def test_quick_form() -> None:
    assert_within_bounds("similarity")


def test_units_change_no_digit_of_a_motion() -> None:
    """Rows in metres beside rows in radians, and velocities beside places, are eliminated in the order of no unit."""
    similarity = load_script("validation/similarity/run.py")
    turning = similarity.similar("gear_shift", similarity.FINE)
    in_space = similarity.similar("spur_transmission", {"analysis.duration_s": 1e-4})
    for case in (turning, in_space):
        rows = list(similarity.compared(case, (similarity.lengths(64.0), similarity.TIMES), "run"))
        assert [row.value for row in rows] == [0.0, 0.0], rows


def test_every_key_of_every_table_has_a_dimension() -> None:
    """A key that is new says its unit at its end, or is added to those that have none."""
    for module in pkgutil.iter_modules(alegear.case.__path__):
        importlib.import_module(f"alegear.case.{module.name}")
    assert all((*ROTATIONAL.values(), *SPATIAL.values()))  # they are made when they are asked for
    kinds = [Table]
    for kind in kinds:
        kinds += [one for one in kind.__subclasses__() if one not in kinds]
    keys = {key for kind in kinds for key in kind.model_fields}
    assert {key for key in keys if not end_of(key)} <= PURE
    assert not {key for key in PURE if end_of(key)} - {"losses"}
    for units in (*scaling.ENDS.values(), *scaling.WORDLESS.values()):
        for unit in units:
            dimension(unit)


def test_dimensions() -> None:
    assert dimension("W/mK") == dimension("N/s") == (2, 1, -1)
    assert dimension("kg m2") == (3, 1, 2)
    assert dimension("N s/m") == dimension("kg/s") == (1, 1, 1)
    assert dimension("N m s/rad") == (3, 1, 1)
    assert scaling.UNITS["kg"] == tuple(a - b for a, b in zip(dimension("N"), dimension("m/s2"), strict=True))
    with pytest.raises(KeyError):
        dimension("furlong")


def test_keys_are_scaled_by_their_units() -> None:
    scale = Scale(name="", length=2.0, stress=3.0, time=5.0)
    raw = {
        "analysis": {"duration_s": 1.0, "tolerance": 1e-4, "kind": "static"},
        "loads": {"a": {"torque_table_s_Nm": [[1.0, 1.0]], "at": "shaft@10mm", "balances_drive": True, "teeth": 3}},
        "material": {"density_kg_m3": 1.0, "youngs_modulus_GPa": 1.0, "specific_heat_J_per_kgK": 1.0},
        "meshes": {"b": {"losses": [[1.0, 0.9, 0.8, 1.0, 1.0]], "signal_s": [[1.0, 1.0]]}},
        "penalty": {"exponent": 3, "stiffness_N_per_mm3": 1.0},
        "axes": {"operation.pinion_torque_Nm": {"from": 1.0, "to": 2.0, "points": 5}},
    }
    assert scale.table(raw) == {
        "analysis": {"duration_s": 5.0, "tolerance": 1e-4, "kind": "static"},
        "loads": {"a": {"torque_table_s_Nm": [[5.0, 24.0]], "at": "shaft@20mm", "balances_drive": True, "teeth": 3}},
        "material": {"density_kg_m3": 18.75, "youngs_modulus_GPa": 3.0, "specific_heat_J_per_kgK": 4.0 / 25.0},
        "meshes": {"b": {"losses": [[0.2, 0.9, 0.8, 24.0, 24.0]], "signal_s": [[5.0, 1.0]]}},
        "penalty": {"exponent": 3, "stiffness_N_per_mm3": 0.375},
        "axes": {"operation.pinion_torque_Nm": {"from": 24.0, "to": 48.0, "points": 5}},
    }


def test_messages_are_compared_with_their_numbers() -> None:
    scale = Scale(name="", length=50.0)
    one = "tip_relief_um of the wheel = 20: more than 1.2 um, reduce it, or check pinion_torque_Nm = 3"
    assert (
        deviates(one, one.replace("= 20", "= 1000").replace("1.2 um", "60 um").replace("= 3", "= 3.75e+05"), scale)
        == ""
    )
    assert "1.2e-06 um" in deviates(one, one.replace("= 20", "= 1000").replace("= 3", "= 3.75e+05"), scale)
    assert deviates(one, one + " more", scale)
    assert told("5 kN").numbers == told("5000 N").numbers
