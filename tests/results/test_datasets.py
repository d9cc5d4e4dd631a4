"""Datasets and summaries hold what the contract of the results names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import histories
import numpy as np
import pytest
import xarray as xr
from datasets import contact_dataset

from alegear.results.contact_result import contact_summary
from alegear.results.result import Result
from alegear.storage import store

COMMON = {
    "phase": ((), "1"),
    "transmission_error": ((), "m"),
    "mesh_stiffness": ((), "N/m"),
    "tooth_load": (("pair",), "N"),
    "line_load": (("pair", "slice"), "N/m"),
    "contact_pressure": (("pair", "slice"), "Pa"),
    "edge_pressure": (("pair", "slice"), "Pa"),
    "contact_half_width": (("pair", "slice"), "m"),
    "contact_shear_stress": (("pair", "slice"), "Pa"),
    "contact_roll_length": (("pair", "slice"), "m"),
    "contact_force": (("axis",), "N"),
    "contact_moment": (("axis",), "N m"),
    "root_stress": (("gear", "pair", "side"), "Pa"),
    "root_stress_principal": (("gear", "pair", "side"), "Pa"),
}
MOTION = {
    "angle": (("gear",), "rad"),
    "speed": (("gear",), "rad/s"),
    "acceleration": (("gear",), "rad/s2"),
    "bearing_force": (("gear", "axis"), "N"),
}


def saved(tmp_path: Path, dataset: xr.Dataset, summary: dict) -> xr.Dataset:
    Result(dataset=dataset, summary=summary).save(tmp_path / "out")
    with xr.open_dataset(tmp_path / "out" / "result.nc") as opened:
        return opened.load()


def check(dataset: xr.Dataset, lead: str, expected: dict, pairs: str = "pair") -> None:
    for name, (dims, units) in expected.items():
        assert dataset[name].dims == (lead, *(pairs if dim == "pair" else dim for dim in dims)), name
        assert dataset[name].attrs["units"] == units, name
    for name in dataset.variables:
        assert dataset[name].attrs["units"], name
        assert dataset[name].attrs["long_name"], name
    assert list(dataset["gear"].values) == ["pinion", "wheel"]
    assert list(dataset["side"].values) == ["tension", "compression"]
    assert dataset.attrs["complete"] == 1
    assert dataset.attrs["case_sha256"] == "ab" * 32


def test_static_file(tmp_path: Path) -> None:
    history = histories.static_history()
    dataset = saved(tmp_path, contact_dataset(history, histories.CASE), contact_summary(history, histories.FACTS))
    check(dataset, "position", COMMON)
    assert list(dataset["pair"].values) == [-1, 0, 1]
    np.testing.assert_array_equal(dataset["tooth_load"], history.tooth_load)
    np.testing.assert_array_equal(dataset["root_stress"].sel(gear="wheel", side="tension", pair=1), 3e6)


def test_dynamic_file(tmp_path: Path) -> None:
    history = histories.dynamic_history()
    dataset = saved(tmp_path, contact_dataset(history, histories.CASE), contact_summary(history, histories.FACTS))
    check(dataset, "time", COMMON | MOTION | {"slot_pair": (("slot",), "1")}, pairs="slot")
    np.testing.assert_array_equal(dataset["slot_pair"], history.slot_pair)
    # seconds as numbers: no reader may turn them into dates
    np.testing.assert_array_equal(dataset["time"], history.time)
    assert {"energy_input", "energy_kinetic", "energy_elastic", "energy_dissipated"} <= set(dataset.data_vars)


def test_netcdf_c_library_reads_the_file(tmp_path: Path) -> None:
    netcdf = pytest.importorskip("netCDF4")
    history = histories.static_history()
    Result(dataset=contact_dataset(history, histories.CASE), summary=contact_summary(history, histories.FACTS)).save(
        tmp_path / "out"
    )
    with netcdf.Dataset(tmp_path / "out" / "result.nc") as file:
        assert file.data_model == "NETCDF4"
        assert file["tooth_load"].dimensions == ("position", "pair")


def test_static_summary() -> None:
    summary = contact_summary(histories.static_history(pitches=3), histories.FACTS)
    assert set(summary) >= {
        "te_mean_um",
        "te_peak_to_peak_um",
        "mesh_stiffness_mean_N_per_um",
        "mesh_stiffness_min_N_per_um",
        "mesh_stiffness_max_N_per_um",
        "contact_ratio_nominal",
        "contact_ratio_loaded",
        "tooth_load_max_N",
        "contact_pressure_max_MPa",
        "edge_pressure_max_MPa",
        "root_stress_max_MPa",
        "root_stress_principal_max_MPa",
        "dof_full",
        "dof_boundary",
        "seconds",
        "version",
        "case_sha256",
        "complete",
    }
    # harmonics have no mean over whole pitches: round-off of a sum of 96 terms
    assert summary["te_mean_um"] == pytest.approx(-20.0, abs=1e-12)
    assert summary["mesh_stiffness_mean_N_per_um"] == pytest.approx(400.0, rel=1e-13)
    assert summary["mesh_stiffness_max_N_per_um"] == pytest.approx(450.0, rel=1e-14)
    assert summary["mesh_stiffness_min_N_per_um"] == pytest.approx(350.0, rel=1e-14)
    assert summary["contact_ratio_nominal"] == 1.5
    assert summary["contact_ratio_loaded"] == 1.5
    assert summary["tooth_load_max_N"] == 1000.0
    assert summary["contact_ratio_total"] == 2.5
    # 2 um and 0.5 um, of the first and the third order
    assert summary["te_harmonics_um"] == pytest.approx([2.0, 0.0, 0.5, 0.0, 0.0], abs=1e-12)
    assert summary["face_load_factor"] == 1.0
    assert summary["thrust_max_N"] == 300.0
    assert summary["contact_shear_stress_max_MPa"] == pytest.approx(3.0, rel=1e-14)
    assert summary["contact_pressure_max_MPa"] == pytest.approx(10.0, rel=1e-14)
    principal = summary["root_stress_principal_max_MPa"]["pinion"]
    assert (principal["tension"], principal["compression"]) == pytest.approx((-1.0, -2.0), rel=1e-14)
    assert summary["root_stress_max_MPa"] == {
        "pinion": {"tension": 1.0, "compression": 2.0},
        "wheel": {"tension": 3.0, "compression": 4.0},
    }
    assert summary["seconds"] == {"mesh": 1.0, "reduce": 2.0, "solve": 3.0, "write": 0.5, "total": 7.0}
    assert summary["complete"] is True


def test_dynamic_summary_covers_whole_pitches_after_the_ramp() -> None:
    history = histories.dynamic_history()
    window = history.window(0.004).part
    # ten pitches in 0.02 s; the second half of the rest after the ramp begins at 0.012 s, four pitches before the end
    assert history.phase[window.stop - 1] == 10.0
    assert history.phase[window.start] == pytest.approx(6.05, abs=1e-9)
    summary = contact_summary(history, histories.FACTS, ramp=0.004)
    assert summary["te_mean_um"] == pytest.approx(-20.0, abs=1e-10)
    assert summary["contact_ratio_loaded"] == pytest.approx(1.5, abs=1e-12)


def test_what_was_not_computed_is_null_and_nan(tmp_path: Path) -> None:
    history = histories.static_history(0)
    summary = contact_summary(history, histories.FACTS)
    assert summary["te_mean_um"] is None
    assert summary["root_stress_max_MPa"]["pinion"]["tension"] is None
    saved(tmp_path, contact_dataset(history, replace(histories.CASE, complete=False)), summary)
    assert store.read_summary(tmp_path / "out")["tooth_load_max_N"] is None


def test_arrays_that_do_not_fit_are_named() -> None:
    phase = np.linspace(0.0, 1.0, 5)
    with pytest.raises(ValueError, match="line_load has shape"):
        histories.at_phases(phase, line_load=histories.common(phase)["line_load"][:, :, :2])
