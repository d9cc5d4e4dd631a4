"""Variation: every variant is what a run of its own gives, and one that fails leaves the others alone."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from families import mostly_thorough
from small_cases import case_of, static_text

import alegear as ag
from alegear.progress import Silent
from alegear.results import signals
from alegear.studies import variation, varied_pairs

SAME = 1e-9  # relative; the solver stops at 1e-11 of the torque, from whatever guess


def case(**options) -> ag.Case:
    return case_of(static_text(**options))


def relief(amount: float, start: float = 85e-3) -> ag.Microgeometry:
    return ag.Microgeometry(tip_relief=amount, tip_relief_start_diameter=start)


RELIEVED = {"pinion": relief(15e-6), "wheel": relief(12e-6, 120e-3)}
TILTED = ag.Alignment(tilt_plane_of_action=3e-4)
VARIANTS = {
    "as the case": ag.Variant(),
    "relieved": ag.Variant(**RELIEVED),
    "torque": ag.Variant(pinion_torque=350.0),
    "tilted": ag.Variant(alignment=TILTED),
    "tilted back": ag.Variant(alignment=ag.Alignment(tilt_plane_of_action=-3e-4)),
    "shafts apart": ag.Variant(alignment=ag.Alignment(center_distance_error=60e-6)),
    "crowned": ag.Variant(wheel=ag.Microgeometry(lead_crowning=8e-6), pinion_torque=120.0),
    "convex": ag.Variant(pinion=ag.Microgeometry(profile_crowning=6e-6, helix_slope=4e-6)),
    "thick": ag.Variant(pinion=ag.Microgeometry(pitch_deviation=np.where(np.arange(20) == 1, 5e-6, 0.0))),
    "all": ag.Variant(**RELIEVED, alignment=TILTED, pinion_torque=300.0),
}


@cache
def varied(workers: int = 1):
    return ag.vary(case(), [replace(v, label=name) for name, v in VARIANTS.items()], root_stress=True, workers=workers)


def row(name: str):
    return varied().isel(variant=list(VARIANTS).index(name))


def alone(of: ag.Case, variant: ag.Variant) -> ag.Result:
    """The variant as a case of its own."""
    pair = of.pair if variant.alignment is None else of.pair.with_alignment(variant.alignment)
    pair = pair.with_microgeometry(variant.pinion, variant.wheel)
    torque = of.operation.pinion_torque if variant.pinion_torque is None else variant.pinion_torque
    return ag.run(replace(of, pair=pair, operation=replace(of.operation, pinion_torque=torque)))


def assert_as_alone(data, result: ag.Result) -> None:
    curves, summary = result.dataset, result.summary
    np.testing.assert_allclose(data.phase, curves.phase, atol=1e-15)
    np.testing.assert_allclose(data.transmission_error, curves.transmission_error, rtol=SAME)
    # the derivative of a load that grows from nothing feels the guess more than the load does
    np.testing.assert_allclose(data.mesh_stiffness, curves.mesh_stiffness, rtol=1e-7)
    np.testing.assert_allclose(1e6 * data.te_mean, summary["te_mean_um"], rtol=SAME)
    np.testing.assert_allclose(1e6 * data.te_peak_to_peak, summary["te_peak_to_peak_um"], rtol=1e-7)  # a difference
    np.testing.assert_allclose(data.tooth_load_max, curves.tooth_load.max(), rtol=SAME)
    np.testing.assert_allclose(data.contact_pressure_max, curves.contact_pressure.max(), rtol=SAME)
    np.testing.assert_allclose(data.edge_pressure_max, curves.edge_pressure.max(), rtol=SAME)
    np.testing.assert_allclose(data.face_load_factor, signals.face_load_factor(curves.line_load.values), rtol=SAME)
    np.testing.assert_allclose(
        data.te_harmonics, signals.mesh_harmonics(data.phase.values, curves.transmission_error.values)[1], atol=1e-14
    )
    if "root_stress_max" in data:
        np.testing.assert_allclose(data.root_stress_max, curves.root_stress.max(["position", "pair"]), rtol=SAME)


#: Each kind of change once; the last one has several.
ALWAYS = ("as the case", "shafts apart", "crowned", "thick", "all")


@pytest.mark.parametrize("name", mostly_thorough(VARIANTS, always=lambda name: name in ALWAYS))
def test_a_variant_is_what_a_run_of_its_own_gives(name):
    assert_as_alone(row(name), alone(case(), VARIANTS[name]))


@pytest.mark.parametrize(
    "options",
    [
        {"torque": -200.0},
        {"driver": "wheel"},
        {"gear": "teeth_modelled = 5"},
        {"contact": "window_pairs = 2"},
        {"analysis": "tooth_change_threshold = -0.6"},
        {"contact": 'friction = "coulomb"'},
        {"gear": "addendum_factor = 1.35\ndedendum_factor = 1.6\nroot_radius_factor = 0.2"},
    ],
    ids=["back flanks", "wheel drives", "segment", "two pairs", "threshold", "friction", "contact ratio above 2"],
)
def test_it_holds_for_every_kind_of_case(options):
    of = case(**options)
    torque = 0.6 * of.operation.pinion_torque
    variant = ag.Variant(alignment=TILTED, pinion_torque=torque)
    assert_as_alone(ag.vary(of, [variant], workers=1).isel(variant=0), alone(of, variant))


def test_it_holds_where_deflected_teeth_leave_no_single_contact():
    # the tooth-change of the unloaded teeth would drop a pair that still carries
    of, variant = case(), ag.Variant(pinion_torque=20e3)
    assert_as_alone(ag.vary(of, [variant]).isel(variant=0), alone(of, variant))


def test_the_result_does_not_depend_on_the_number_of_workers():
    one, two = varied(1), varied(2)
    assert list(one.label.values) == list(VARIANTS)
    assert one.identical(two)


def test_opposite_tilts_give_the_same_error():
    forth, back = row("tilted"), row("tilted back")
    np.testing.assert_allclose(forth.transmission_error, back.transmission_error, rtol=1e-6)  # the grid is symmetric
    assert float(forth.face_load_factor) > 1.1 > float(row("as the case").face_load_factor)


def test_more_torque_means_more_of_everything():
    data = ag.vary(case(), ag.variants_of(pinion_torque=(50.0, 150.0, 450.0)))
    for name in ("tooth_load_max", "contact_pressure_max", "mesh_stiffness_mean", "contact_ratio_loaded"):
        assert np.all(np.diff(data[name]) >= 0.0), name
    assert np.all(np.diff(data.te_mean) < 0.0)
    np.testing.assert_array_equal(data.label, ["0", "1", "2"])
    assert "root_stress_max" not in data


def test_combinations_run_through_the_last_list_fastest():
    combined = ag.variants_of(alignment=(None, TILTED), pinion_torque=(1.0, 2.0))
    assert [(v.alignment, v.pinion_torque) for v in combined] == [
        (None, 1.0),
        (None, 2.0),
        (TILTED, 1.0),
        (TILTED, 2.0),
    ]


def test_a_variant_that_fails_leaves_the_others_alone():
    names = ["as the case", "torque"]
    shaved = ag.Variant(pinion=relief(10e-6, start=70e-3))  # below the root form circle
    parted = ag.Variant(alignment=ag.Alignment(center_distance_error=20e-3))
    crushed = ag.Variant(pinion_torque=1e9)
    data = ag.vary(case(), [VARIANTS[names[0]], shaved, parted, crushed, VARIANTS[names[1]]], workers=1)
    failed = data.failure.values != ""
    np.testing.assert_array_equal(failed, [False, True, True, True, False])
    given = {"failure", "warnings", "pinion_torque", "variant_sha256"}
    assert data.pinion_torque.values[3] == 1e9
    assert all(np.isnan(data[name].values[1:4]).all() for name in data if name not in given)
    assert "relief" in data.failure.values[1]
    for i, name in zip((0, 4), names, strict=True):
        np.testing.assert_allclose(data.transmission_error[i], row(name).transmission_error, rtol=SAME)


def test_only_failures_are_a_failure():
    with pytest.raises(ag.AnalysisFailure, match=r"none of 2 .* relief"):
        ag.vary(case(), [ag.Variant(pinion=relief(1e-5, start=70e-3))] * 2)
    with pytest.raises(ag.AnalysisFailure, match="none of 1"):
        ag.vary(case(), [ag.Variant(pinion_torque=1e9)])


@pytest.mark.parametrize("torque", [-200.0, 0.0, np.nan])
def test_a_torque_that_loads_the_other_flanks_fails_alone(torque):
    data = ag.vary(case(), [ag.Variant(), ag.Variant(pinion_torque=torque)], workers=1)
    assert data.failure.values[0] == ""
    assert "pinion" in data.failure.values[1]
    assert "torque" in data.failure.values[1]
    assert np.isnan(data.transmission_error.values[1]).all()


def test_what_cannot_be_varied_is_refused():
    with pytest.raises(ag.Fault, match="number of variants"):
        ag.vary(case(), [])
    with pytest.raises(ag.Fault, match="workers"):
        ag.vary(case(), [ag.Variant()], workers=0)
    with pytest.raises(ag.Fault, match="contact law"):
        ag.vary(case(contact='law = "penalty"'), [ag.Variant()])


def test_a_worker_that_dies_is_a_failure_with_a_remedy(monkeypatch):
    monkeypatch.setattr(varied_pairs._Job, "chunk", lambda job, numbers: varied_pairs.os._exit(9))
    with pytest.raises(ag.AnalysisFailure, match="workers=1"):
        ag.vary(case(), [ag.Variant()] * (varied_pairs.CHUNK + 1), workers=2)


def test_the_result_can_be_stored(tmp_path):
    varied().to_netcdf(tmp_path / "variation.nc", engine="h5netcdf")
    assert (tmp_path / "variation.nc").stat().st_size > 0


@pytest.mark.parametrize("torque", [-5.0, 0.0, float("nan"), "x"])
def test_a_torque_that_cannot_be_is_the_failure_of_its_variant(torque: float) -> None:
    of = case_of(static_text())
    reason = variation._case_of(of, ag.Variant(pinion_torque=torque))
    assert isinstance(reason, str)
    assert "torque" in reason
    possible = variation._case_of(of, ag.Variant(pinion_torque=100.0))
    assert possible.operation.pinion_torque == 100.0
    assert possible.sha256 != of.sha256


WORKERS = """
import os, signal, sys, time, multiprocessing
from concurrent.futures import ProcessPoolExecutor
from alegear.studies import varied_pairs

pool = ProcessPoolExecutor(
    2, mp_context=multiprocessing.get_context("fork"), initializer=varied_pairs._start, initargs=(None,)
)
print(*[pool.submit(os.getpid).result() for _ in range(4)], flush=True)
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(60.0)
"""


def test_no_worker_outlives_the_process_that_asked_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", WORKERS], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == -signal.SIGTERM
    workers = {int(word) for word in done.stdout.split()}
    assert workers
    until = time.monotonic() + 60.0
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


def test_a_job_can_be_sent_to_another_process():
    """Processes that are not forked get it pickled."""
    job = varied_pairs._Job(cases=[case()], root_stress=False)
    job.prepare(Silent())
    sent = pickle.loads(pickle.dumps(job))
    (here,), (there,) = job.chunk([0]), sent.chunk([0])
    np.testing.assert_allclose(there.row["transmission_error"], here.row["transmission_error"], rtol=SAME)
