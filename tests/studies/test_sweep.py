"""Speed sweeps: the motion is that of a table of speeds, its statistics by stretches, files, faults."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from small_cases import case_of, dynamic_study, prescribed, result_of, static_text

import alegear as ag
from alegear.case.pair_machine import DRIVE, MESH
from alegear.errors import AnalysisFailure, Fault
from alegear.progress import Silent
from alegear.results import signals
from alegear.results.linear_response import LinearResponse
from alegear.studies.linear_sweep import reference_of
from alegear.studies.sweep import mesh_response, meshes_at_rest
from alegear.system.profiles import PiecewiseCubic
from alegear.system.time_integration import stop_times

SWEEP = "speed_from_rpm = 5000.0\nspeed_to_rpm = 6000.0\nduration_s = 6e-3\npitches_per_point = 2\nsettling_s = 5e-4\n"
STEP = "time_step_s = 1e-5\noutput_every_s = 2e-5\nmesh_damping_ratio = 0.1\n"
BACKLASH = "tooth_thickness_allowance_um = 60.0"


def text_of(
    analysis: str = SWEEP + STEP, kind: str = "sweep", operation: str = "", torque: float = 200.0, tables=""
) -> str:
    text = static_text(torque=torque, pinion=BACKLASH, tables=tables)
    text = text.replace('kind = "static"', f'kind = "{kind}"').replace("positions_per_pitch = 8", analysis)
    return text.replace("pitches = 1\n", "").replace("[analysis]", f"{operation}\n[analysis]")


@pytest.fixture(autouse=True, scope="module")
def few_positions() -> Iterator[None]:
    """Of linearised responses, whose amplitudes test_linear_sweep looks at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("alegear.studies.linear_sweep.LEAST_POSITIONS", 48)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a case file, and a result in "out" once `swept` is there."""
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "case.toml").write_text(text_of())
    return folder


@pytest.fixture(scope="module")
def swept(folder, few_positions):
    return ag.run(ag.Case.from_toml(folder / "case.toml"), folder / "out", report=lambda r, to: ag_plots(r, to))


@pytest.fixture(scope="module")
def led():
    """The same motion as a dynamic study."""
    table = "pinion_speed_table_s_rpm = [[0.0, 5000.0], [6e-3, 6000.0], [12e-3, 5000.0]]"
    case = case_of(text_of("duration_s = 12e-3\n" + STEP, kind="dynamic", operation=table))
    study = dynamic_study(case)
    curve = study.speeds[DRIVE]
    straight = PiecewiseCubic.table(curve.times, curve.coefficients[1:, 0], straight=True)
    object.__setattr__(prescribed(study), "speed_ramp", straight)
    study.speeds[DRIVE] = straight
    study.run(Silent())
    return study


def test_statistics_are_those_of_the_same_motion(swept, led):
    d, history = swept.dataset, led.mesh_history(MESH)
    time, phase, te = (getattr(history, name) for name in ("time", "phase", "transmission_error"))
    for sign, first, last in ((1.0, 5e-4, 6e-3), (-1.0, 6e-3, 12e-3)):
        part = d.isel(point=np.flatnonzero(d.direction.values == sign))
        begin, end = np.searchsorted(time, first), np.searchsorted(time, last)
        blocks = signals.pitch_blocks(phase[begin:end] if sign > 0 else phase[begin:], 2)
        assert part.sizes["point"] == len(blocks) >= 4
        for i, b in enumerate(blocks):
            here = slice(begin + b.start, begin + b.stop)
            # the same steps to the last bit: the drive is the same table
            assert float(part.transmission_error_rms[i]) == pytest.approx(np.std(te[here]), rel=1e-12)
            assert float(part.mesh_frequency[i]) == pytest.approx(np.ptp(phase[here]) / np.ptp(time[here]), rel=1e-12)
    assert np.all(np.diff(d.mesh_frequency.values[d.direction.values > 0]) > 0.0)
    assert np.all(np.diff(d.mesh_frequency.values[d.direction.values < 0]) < 0.0)


def test_the_speed_is_straight_in_time_there_and_back(swept):
    """8639 rpm after 5.8 ms where the line has 8337 was what a smooth curve through three points makes of it."""
    time, speed, way = (swept.dataset[name].values for name in ("time", "pinion_speed", "direction"))
    line = np.where(way > 0.0, 5000.0 + 1000.0 * time / 6e-3, 6000.0 - 1000.0 * (time - 6e-3) / 6e-3)
    # means over stretches of two pitches in time: of a line that at their middle, but for the output interval
    np.testing.assert_allclose(speed * 30.0 / np.pi, line, rtol=1e-3)
    drive = prescribed(dynamic_study(case_of(text_of())))
    assert drive.speed(4.5e-3) * 30.0 / np.pi == pytest.approx(5750.0, rel=1e-12)
    assert drive.angle(12e-3) - drive.angle(0.0) == pytest.approx(5500.0 * np.pi / 30.0 * 12e-3, rel=1e-12)
    assert drive.acceleration(3e-3) == pytest.approx(1000.0 * np.pi / 30.0 / 6e-3, rel=1e-9)


def test_factors_compare_with_the_pair_at_rest(swept, led):
    rest = meshes_at_rest(led)[MESH]
    load = led.mesh_history(MESH).tooth_load.max()
    assert float(swept.dataset.tooth_load_factor.max()) <= load / rest.tooth_load * (1.0 + 1e-9)
    assert float(swept.dataset.tooth_load_factor.min()) > 0.5
    assert rest.tooth_load > 0.9 * 200.0 / case_of(static_text()).pair.pinion.r_b  # one pair alone carries it all
    assert swept.dataset.root_stress_factor.dims == ("point", "gear")


def test_orders_of_the_mesh(swept):
    np.testing.assert_array_equal(swept.dataset.order, [0.5, 1.0, 2.0, 3.0])
    first = swept.dataset.transmission_error_order.sel(order=1.0)
    # below resonance the first order is most of the response: r.m.s. of a cosine and what the others add
    assert np.all(first.values / np.sqrt(2.0) < 1.05 * swept.dataset.transmission_error_rms.values)


def test_a_motion_has_the_static_orders_and_modes_of_the_linear_answer(swept):
    linear = result_of(text_of(SWEEP.split("duration_s")[0] + 'response = "linearised"\nmesh_damping_ratio = 0.1\n'))
    for name in ("static_transmission_error_order", "natural_frequency", "mode_share", "mode_part"):
        np.testing.assert_allclose(swept.dataset[name], linear.dataset[name], rtol=1e-9)  # the same equilibria
    assert float(swept.dataset.mesh_frequency_per_speed) == pytest.approx(
        float(swept.dataset.mesh_frequency[0] / swept.dataset.pinion_speed[0]), rel=1e-12
    )
    assert not [name for name in swept.dataset if str(name).startswith("linear_")]
    assert swept.summary["natural_frequency_Hz"] == linear.summary["natural_frequency_Hz"]


def test_summary_says_where_the_largest_responses_are(swept):
    for direction in ("run-up", "run-down"):
        largest = swept.summary[direction]
        assert largest["te_rms_max_um"] > 0.0
        assert 5000.0 < largest["at_pinion_speed_rpm"] < 6000.0
        assert set(largest["root_stress_factor_max"]) == {"pinion", "wheel"}
    assert swept.summary["complete"]


def test_a_motion_alone_is_told_what_beside_a_linear_answer_it_is_told(swept):
    """How fast it passes its modes, and how long it vibrates from its beginning on."""
    both = result_of(text_of(SWEEP + STEP + 'response = "both"\n'))
    told = [
        [w for w in one.summary["warnings"] if "take duration_s" in w or "settling_s" in w] for one in (swept, both)
    ]
    assert told[0] == told[1] != []


def test_a_sweep_one_way_of_a_pair_that_idles():
    study = dynamic_study(case_of(text_of(SWEEP + "and_back = false\n" + STEP, torque=0.0)))
    study.run(Silent())
    values = mesh_response(study, MESH, None).values
    assert np.all(values["direction"] == 1.0)
    assert np.isnan(values["tooth_load_factor"]).all()
    assert np.isnan(values["root_stress_factor"]).all()
    # to speed the wheel up takes a torque of its own, a tenth of the one of the other tests, and deflection like it
    assert values["transmission_error_rms"].max() < 2e-6


def test_a_pair_that_idles_has_no_static_orders():
    idles = result_of(text_of(SWEEP + "and_back = false\n" + STEP, torque=0.0)).dataset
    assert "static_transmission_error_order" not in idles
    assert "natural_frequency" not in idles


def test_a_linear_answer_that_fails_beside_a_motion_is_told():
    response, (told,) = reference_of(lambda: raised(AnalysisFailure("no equilibrium at phase 0.25")))
    assert response is None
    assert "no check of the rate" in told
    assert told.endswith("the linearised response fails, no equilibrium at phase 0.25")
    assert reference_of(lambda: raised(Fault("torque", 0.0, "not 0", "give one"))) == (None, [])


def raised(error: Exception) -> LinearResponse:
    raise error


def test_files_of_a_sweep(swept, folder):
    names = {p.name for p in (folder / "out").iterdir()}
    assert names == {"result.nc", "summary.json", "sweep.png", "bearing_orders.png", "about.json", "case_as_run.toml"}
    pixels = np.asarray(Image.open(folder / "out" / "sweep.png").convert("L"))
    assert 0.005 < (pixels < 128).mean() < 0.9
    assert swept.dataset.attrs["analysis"] == "sweep"


def ag_plots(result, to):
    from made_up_results import drawn

    drawn(result.dataset, to)


@pytest.mark.parametrize(
    ("analysis", "operation", "tables", "words"),
    [
        (SWEEP.replace("6000.0", "5000.0"), "", "", "must differ from speed_from_rpm"),
        (SWEEP.replace("speed_to_rpm = 6000.0\n", ""), "", "", "the key is needed"),
        (SWEEP, "pinion_speed_rpm = 100.0", "", "excludes speed_from_rpm"),
        (SWEEP, "", "[output]\nfields = true", "has no effect in a sweep"),
        (SWEEP + "ramp_s = 1e-3", "", "", "is a key of kind"),
        (SWEEP.replace("settling_s = 5e-4", "settling_s = 1.0"), "", "", "must be at most duration_s"),
        (SWEEP.replace("pitches_per_point = 2", "pitches_per_point = 1"), "", "", "at least 2"),
        (
            SWEEP,
            "",
            '[[output.points]]\ngear = "pinion"\nfillet_share = 0.5',
            "has no effect in a sweep analysis",
        ),
        (SWEEP.replace("6e-3", "90.0"), "", "", "pitches at this speed are too many"),
        (SWEEP.replace("6e-3", "600.0") + "output_every_s = 2e-5", "", "", "number of steps output_every_s in"),
    ],
)
def test_faults(analysis, operation, tables, words):
    with pytest.raises(ag.CaseFaults) as caught:
        ag.Case.from_bytes(text_of(analysis, operation=operation, tables=tables).encode())
    assert any(words in str(fault) for fault in caught.value.faults), [str(f) for f in caught.value.faults]


def test_a_key_of_another_kind_names_it():
    with pytest.raises(ag.CaseFaults, match='is a key of kind = "sweep" only'):
        ag.Case.from_bytes(static_text(analysis="speed_from_rpm = 10.0").encode())


def test_steps_follow_the_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A range of one to eight: the steps of a pitch at the speed of each stretch, and the same answer."""
    monkeypatch.setattr(stop_times, "STRETCH", 32)
    adaptive = STEP.replace("time_step_s = 1e-5", "tolerance = 1e-2")
    sweep = SWEEP.replace("5000.0", "1000.0").replace("6000.0", "8000.0", 1).replace("6e-3", "10e-3")
    case = case_of(text_of(sweep + "and_back = false\n" + adaptive))
    following, constant = dynamic_study(case), dynamic_study(case)
    following.run(Silent())
    monkeypatch.setattr(PiecewiseCubic, "largest_between", lambda speed, begin, end: speed.largest)
    constant.run(Silent())
    few, many = (study.motion.count for study in (following, constant))
    assert few.accepted < 0.75 * many.accepted
    assert few.h_longest > 2.0 * many.h_longest
    for study in (following, constant):
        study.flush()
    one, other = (study.samples.part(MESH).read("transmission_error") for study in (following, constant))
    error = np.abs(one - other).max()
    assert 0.0 < error < 0.02 * np.ptp(other)  # the tolerance is that of a single step
