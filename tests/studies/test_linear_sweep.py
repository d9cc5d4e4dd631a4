"""Linearised response over the speed: as the motion where teeth stay in contact, of pairs and machines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_up_results import drawn
from matplotlib.image import imread
from small_cases import case_of, dynamic_study, static_text
from small_machines import COARSE, TORQUE, distance, flexible, gear, idler, one_stage

import alegear as ag
from alegear.case.pair_machine import MESH
from alegear.checks.machine_data import machine_warnings
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.shaft import Shaft
from alegear.progress import Silent
from alegear.results.linear_response import difference, parting
from alegear.results.run_up_rate import answer_warnings, run_up_seconds, run_up_warnings
from alegear.studies.linear_sweep import linearised_response

QUIET = ag.OutputOptions(plots=False, fields=False, checkpoint_every=None)
BEARING = (
    'kind = "bearing"\nstiffness_N_per_m = [2e8, 2e8, 2e8]\ntilt_stiffness_Nm_per_rad = [1e6, 1e6]\n'
    "damping_Ns_per_m = [5e3, 5e3, 5e3]\ntilt_damping_Nms_per_rad = [25.0, 25.0]\n"
)
ON_BEARINGS = f"[supports.pinion]\n{BEARING}[supports.wheel]\n{BEARING}"
SWEEP = (
    'response = "both"\nand_back = false\npitches_per_point = 8\noutput_every_s = 1e-5\nmesh_damping_ratio = 0.1\n'
    "linear_speeds = 9\n"
)


def text_of(
    rpm: float, *, seconds: float = 0.03, tables: str = "", more: str = "", contact: str = "", torque=200.0
) -> str:
    """A pair over a narrow range, slowly: what speeds up loads teeth too, and resonances follow late."""
    analysis = f"speed_from_rpm = {rpm}\nspeed_to_rpm = {rpm + 100.0}\nduration_s = {seconds}\n{SWEEP}{more}"
    text = static_text(torque=torque, pinion="tooth_thickness_allowance_um = 60.0", tables=tables, contact=contact)
    return (
        text.replace('kind = "static"', 'kind = "sweep"')
        .replace("positions_per_pitch = 8", analysis)
        .replace("pitches = 1\n", "")
    )


def linear_at(data, speed, name: str) -> np.ndarray:
    """Orders of the linearised response at a speed [rad/s]."""
    over_speed = data[f"linear_{name}_order"].assign_coords(speed=data["linear_speed"].to_numpy())
    return over_speed.interp(speed=float(speed)).to_numpy()


@pytest.fixture
def few_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where amplitudes need not be right to a hundredth."""
    monkeypatch.setattr("alegear.studies.linear_sweep.LEAST_POSITIONS", 48)


def case(rpm: float, **changes) -> ag.Case:
    return ag.Case.from_bytes(text_of(rpm, **changes).encode())


# second order in resonance, below the first, above it
@pytest.mark.parametrize(
    ("rpm", "tables"),
    [
        pytest.param(3300.0, "", id="hinges at 3300 rpm", marks=pytest.mark.thorough),
        pytest.param(7000.0, "", id="hinges at 7000 rpm", marks=pytest.mark.thorough),
        pytest.param(12000.0, "", id="hinges at 12000 rpm", marks=pytest.mark.thorough),
        pytest.param(3300.0, ON_BEARINGS, id="bearings at 3300 rpm"),
        pytest.param(7000.0, ON_BEARINGS, id="bearings at 7000 rpm", marks=pytest.mark.thorough),
        pytest.param(12000.0, ON_BEARINGS, id="bearings at 12000 rpm", marks=pytest.mark.thorough),
    ],
)
def test_a_pair_answers_as_its_motion_does(rpm: float, tables: str) -> None:
    result = ag.run(case(rpm, tables=tables))
    data = result.dataset
    assert float(data.contact_loss_share.max()) == 0.0
    last = data.isel(point=-1)
    linear = linear_at(data, last.pinion_speed, "transmission_error")
    full = last.transmission_error_order.sel(order=[1, 2, 3]).to_numpy()
    # vibration changes the contact a little, and in resonance a motion is late
    assert full == pytest.approx(linear, abs=0.04 * linear.max())
    forces = linear_at(data, last.pinion_speed, "bearing_force")
    assert last.bearing_force_order.sel(order=[1, 2, 3]).to_numpy() == pytest.approx(forces, abs=0.05 * forces.max())
    assert ("linear_bearing_displacement_order" in data) == bool(tables)
    if tables:
        moved = linear_at(data, last.pinion_speed, "bearing_displacement")
        found = last.bearing_displacement_order.sel(order=[1, 2, 3]).to_numpy()
        assert found == pytest.approx(moved, abs=0.05 * moved.max())
    assert result.summary["run-up"]["nonlinear_ranges"] == parting(
        data.pinion_speed.to_numpy(), data.response_difference.to_numpy(), data.contact_loss_share.to_numpy()
    )


def test_the_static_answer_and_the_mode_in_the_mesh_are_those_of_the_pair() -> None:
    study = dynamic_study(case(3000.0))
    found = linearised_response(study, Silent())
    static = ag.run(case_of(static_text(positions=320, pinion="tooth_thickness_allowance_um = 60.0", torque=200.0)))
    error = static.dataset.transmission_error.to_numpy()
    by_hand = 2.0 / 320.0 * np.abs(np.fft.fft(error))[1:4]
    # positions of the driver here, of the driven gear there: half the deflection over the pitch apart
    assert found.values["static_transmission_error_order"][0] == pytest.approx(by_hand, rel=5e-3)
    # of 16 positions of a pitch there, whose mean stiffness is known to a hundredth
    assert found.values["natural_frequency"] == pytest.approx([study.frequencies[MESH] / (2.0 * np.pi)], rel=1e-2)
    assert found.values["mode_share"] == pytest.approx(
        np.ones((1, 1)), rel=1e-9
    )  # on fixed axes all of the energy is in the mesh


@pytest.mark.usefixtures("few_positions")
def test_slowly_the_answer_is_the_static_one() -> None:
    analysis = text_of(2.0, more="orders = 3\n").replace("duration_s = 0.03", "duration_s = 1.0")
    study = dynamic_study(ag.Case.from_bytes(analysis.replace('response = "both"', 'response = "linearised"').encode()))
    found = linearised_response(study, Silent())
    static, slow = (
        found.values[name] for name in ("static_transmission_error_order", "linear_transmission_error_order")
    )
    assert slow[0, 0] == pytest.approx(static[0], rel=1e-3)  # 2 rpm: (f/f_0)^2 = 5e-6


def swept(machine: ag.MachineCase, shaft: str, *, speed: float = 600.0, torque: float | None = None, **changes):
    table = ((0.0, speed), (0.03, speed + 10.0))
    drive = Drive(name="motor", shaft=shaft, speed_table=table, torque=torque)
    analysis = ag.SweepAnalysis(
        duration=0.03,
        settling=0.015,
        pitches=8,
        output_every=1e-5,
        response="both",
        linear_speeds=9,
        mesh_damping_ratio=0.1,
    )
    return replace(machine, analysis=analysis, drives=(drive,), output=QUIET, **changes)


@pytest.mark.thorough  # of a pair it is in the short ones, of bearings over the speed in test_machine_sweep
def test_a_machine_on_shafts_and_bearings_answers_as_its_motion_does() -> None:
    machine = one_stage()
    bearings = tuple(replace(one, damping=(2e3, 2e3, 2e3)) for one in machine.bearings)
    data = ag.run(swept(machine, "in", torque=200.0, bearings=bearings)).dataset
    last = data.isel(point=-1)
    for name, limit in (("transmission_error", 0.03), ("bearing_force", 0.05), ("bearing_displacement", 0.05)):
        linear = linear_at(data, last.drive_speed, name)
        full = last[f"{name}_order"].sel(order=[1, 2, 3]).to_numpy()
        assert full == pytest.approx(linear, abs=limit * linear.max()), name
    assert data.sizes["mode"] > 10
    share = data.mode_share.to_numpy()
    assert (share >= 0.0).all()  # loads that turn with the flanks make the tangent of a mesh a little negative
    assert share.max() > 0.5


def two_stages(third: int = 19) -> ag.MachineCase:
    """Two spur stages on fixed axes whose mesh frequencies have no simple ratio."""
    teeth = (20, 31, third, 25)
    a = distance(*teeth[:2])
    positions = (np.zeros(3), np.array([a, 0.0, 0.0]), np.array([a + distance(*teeth[2:]), 0.0, 0.0]))
    fields = {
        "shafts": tuple(Shaft(name=f"s{i}", fixed_axis=True, position=at) for i, at in enumerate(positions)),
        "gears": tuple(
            ShaftGear(name=name, shaft=shaft, at=at, gear=gear(z), grid_options=COARSE)
            for name, shaft, at, z in zip("abcd", ("s0", "s1", "s1", "s2"), (0.0, 0.0, 0.1, 0.1), teeth, strict=True)
        ),
        "meshes": (flexible("first", "a", "b"), flexible("second", "c", "d")),
        "loads": (TorqueLoad(name="machine", shaft="s2", torque=TORQUE * 31 / 20 * 25 / 19),),
    }
    return replace(idler(), **fields)


@pytest.mark.usefixtures("few_positions")
@pytest.mark.parametrize(
    ("machine", "limit"), [(idler, 0.06), pytest.param(two_stages, 0.1, marks=pytest.mark.thorough)]
)
def test_several_meshes(machine, limit: float) -> None:
    """Of an idler one frequency with two meshes; of two stages two, without what both make together."""
    data = ag.run(swept(machine(), "s0")).dataset
    last = data.isel(point=-1)
    linear = linear_at(data, last.drive_speed, "transmission_error")
    full = last.transmission_error_order.sel(order=[1, 2, 3]).to_numpy()
    assert full == pytest.approx(linear, abs=limit * linear.max())
    if machine is idler:  # two modes of two meshes in series: each has one of them for itself, more or less
        share = data.mode_share.to_numpy()
        assert share.sum(axis=1) == pytest.approx(np.ones(2), rel=1e-3)
        assert share.max() < 0.95


def test_orders_of_two_meshes_that_stretches_indeterminate_apart_are_warned_of() -> None:
    """Of 31 and 30 teeth on one shaft lines are 1/30 of an order apart: 1.5 x 30 pitches."""
    close = swept(two_stages(30), "s0", speed=1500.0)
    (words,) = (one for one in machine_warnings(close) if "pitches_per_point" in one)
    assert words.startswith("pitches_per_point = 8: order 1 of second and order 1 of first are 0.033 of an order apart")
    assert words.endswith("write pitches_per_point = 45")
    told = replace(close, analysis=replace(close.analysis, pitches=45))
    alone = replace(close, analysis=replace(close.analysis, response="linearised"))
    for quiet in (told, alone, swept(idler(), "s0")):
        assert not any("pitches_per_point" in one for one in machine_warnings(quiet))


@pytest.mark.usefixtures("few_positions")
def test_the_linear_answer_alone_takes_no_motion_and_no_duration(tmp_path) -> None:
    path = tmp_path / "case.toml"
    more = "orders = 12\n"  # which the output would not resolve: nothing is put out
    text = text_of(7000.0, more=more).replace("duration_s = 0.03\n", "")
    path.write_text(text.replace('"both"', '"linearised"').replace("1e-5\n", "1e-4\n"))
    result = ag.run(ag.Case.from_toml(path), tmp_path / "out", report=lambda r, to: drawn(r.dataset, to))
    assert result.dataset.sizes["linear_order"] == 12
    assert "point" not in result.dataset.dims
    assert set(result.summary["linear"]) == {f"order_{i}" for i in range(1, 13)}
    assert "run-up" not in result.summary
    assert imread(tmp_path / "out" / "sweep.png").std() > 0.05


def test_where_nonlinear_ranges_is_told_by_ranges() -> None:
    full = np.array([[1.0, 0.5, 0.01], [1.3, 0.5, 0.05], [1.3, 0.5, 0.05], [1.0, 0.3, np.nan]])
    linear = np.ones_like(full) * [1.0, 0.5, 0.02]
    apart = difference(full, linear)
    assert apart == pytest.approx(
        np.array([[0.0, 0.0, np.nan], [0.3, 0.0, np.nan], [0.3, 0.0, np.nan], [0.0, -0.4, np.nan]]), nan_ok=True
    )
    ranges = parting(np.pi / 30.0 * np.array([100.0, 200.0, 300.0, 400.0]), apart, np.array([0.0, 0.1, 0.2, 0.0]))
    assert [(one["order"], round(one["from_rpm"]), round(one["to_rpm"])) for one in ranges] == [
        (1, 200, 300),
        (2, 400, 400),
    ]
    assert [one["contact_loss_share_max"] for one in ranges] == [0.2, 0.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (text_of(3000.0, more="orders = 0\n"), "at least 1"),
        (
            text_of(3000.0, more="orders = 60\n"),
            "analysis.orders = 60: must be at most 38, what output_every_s = 1e-05 resolves at 1033.3 Hz",
        ),
        (text_of(0.0), "greater than 0"),
        (text_of(3000.0).replace("duration_s = 0.03\n", ""), "analysis.duration_s = (missing): is needed by a motion"),
        (text_of(3000.0, torque=0.0), "needs a torque"),
        (text_of(3000.0, contact='law = "penalty"'), "needs the tangents of law"),
        (text_of(3000.0).replace('"both"', '"fast"'), "response"),
        (text_of(3000.0).replace('"both"', '"transient"'), "left out with response"),
    ],
)
def test_bad_input_gets_one_line(text: str, words: str) -> None:
    with pytest.raises(ag.CaseFaults) as caught:
        ag.Case.from_bytes(text.encode())
    assert any(words in str(fault) for fault in caught.value.faults), [str(one) for one in caught.value.faults]


@pytest.mark.usefixtures("few_positions")
def test_a_run_up_that_is_too_fast_is_warned_of_before_it_begins() -> None:
    class Listener(Silent):
        warned: list[str]
        done: int

        def warn(self, text: str) -> None:
            self.warned.append(text)
            self.done = self.parts

        def advance(self, done: int, total: int) -> None:
            self.parts = done

    progress = Listener()
    progress.warned = []
    text = text_of(9000.0, seconds=0.02).replace("= 9100.0", "= 11000.0").replace("ratio = 0.1", "ratio = 0.03")
    result = ag.run(ag.Case.from_bytes(text.encode()), progress=progress)
    assert any("too fast to be followed" in words for words in progress.warned)
    assert set(progress.warned) <= set(result.summary["warnings"])
    assert progress.done == 48 + 9  # positions and speeds of the linearised response: no step has been made


def test_a_machine_that_nothing_excites_is_refused() -> None:
    with pytest.raises(ag.Fault, match="a linearised response needs a stiffness that varies"):
        swept(
            one_stage(),
            "in",
            torque=200.0,
            meshes=tuple(replace(mesh, law=law_of("elastic", mesh.name, stiffness=4e8)) for mesh in one_stage().meshes),
        )
    resting = Drive(name="motor", shaft="s0", speed_table=((0.0, 0.0), (0.03, 100.0)))
    with pytest.raises(ag.Fault, match="no order of a mesh that stands still"):
        replace(swept(idler(), "s0"), drives=(resting,))


def test_a_motion_that_is_too_fast_for_a_mode_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the lag 3 sqrt(3)/8 n w'/sigma^2 0.1 is left with the duration that is told."""
    monkeypatch.setattr("alegear.studies.linear_sweep.LEAST_POSITIONS", 96)  # damping is right to a hundredth
    study = dynamic_study(case(9000.0))  # the first order passes the mode in the mesh, 3.18 kHz at 9530 rpm
    fast = replace(study.analysis, duration=0.004, settling=0.0, linear_speeds=200)
    found = linearised_response(study, Silent())
    speed = np.linspace(628.0, 1256.0, len(found.values["linear_speed"]))
    over = {"linear_speed": speed, "linear_mesh_frequency": speed[:, None] * 20.0 / (2.0 * np.pi)}
    wide = replace(found, values={**found.values, **over})
    speeding_up, words = run_up_warnings(wide, fast.duration, settling=1.0)
    pair = case(9000.0).pair
    wheel = study.prepared[MESH].wheels[1].inertia
    ratio = pair.pinion.z / pair.wheel.z
    added = wheel * ratio * 628.0 / 0.004 / (200.0 / ratio)
    assert f"takes {100.0 * added:.2g} % of its torque" in speeding_up
    sigma = float(found.values["damping_ratio"][0]) * 2.0 * np.pi * float(found.values["natural_frequency"][0])
    assert found.values["mode_part"][0, 0, 0] == pytest.approx(1.0)  # nothing else moves
    needed = 628.0 * 20.0 * 3.0 * np.sqrt(3.0) / (8.0 * 0.1 * sigma**2)
    assert f"take duration_s = {needed:.2g}" in words
    settling = float(found.mode_settling[0])
    assert 1.0 / sigma < settling < 10.0 / sigma
    (*_, beginning) = run_up_warnings(wide, fast.duration, settling=0.9 * settling)
    assert f"take settling_s = {settling:.2g}" in beginning
    slow = max(needed, 0.004 * added / 0.03, settling / 0.05)
    assert run_up_seconds(wide) == pytest.approx(slow, rel=1e-2)
    assert run_up_warnings(wide, 1.01 * slow) == []
    assert answer_warnings(wide) == []
    undamped = replace(wide, values={**wide.values, "damping_ratio": np.zeros(1)})
    (told,) = answer_warnings(undamped)
    assert "no damping to speak of" in told
    assert not any("passes" in words for words in run_up_warnings(undamped, fast.duration))
    sharp = replace(wide, values={**wide.values, "damping_ratio": np.array([0.001])})
    (told,) = answer_warnings(sharp)
    assert f"linear_speeds = {len(speed)} are 8.7 % apart" in told
    delta = 0.5 * np.log(2.0) / (int(told.rsplit("take ", 1)[1].split(",")[0]) - 1)
    assert 1.0 / np.hypot(1.0, delta / 0.001) == pytest.approx(0.9, rel=1e-2)  # with as many as it says
    ratio_of_damping = found.values["damping_ratio"][0]
    assert ratio_of_damping == pytest.approx(0.1, rel=1e-2)  # as the case has it, on the mean of 16 positions


@pytest.mark.usefixtures("few_positions")
def test_a_mode_with_little_energy_in_the_mesh_counts_where_it_has_all_of_an_order() -> None:
    """A pinion on soft bearings: 2 % of the energy of a mode at 815 Hz are in the mesh, and all of the order there."""
    soft = BEARING.replace("[5e3, 5e3, 5e3]", "[100.0, 100.0, 100.0]") + "added_mass_kg = 6.0\n"
    text = text_of(1500.0, tables=f"[supports.pinion]\n{soft}").replace("= 1600.0", "= 4500.0")
    result = ag.run(ag.Case.from_bytes(text.replace('"both"', '"linearised"').encode()))
    data = result.dataset
    over = data.mode_part.to_numpy()[:, 0]
    hidden = np.flatnonzero((data.mode_share.to_numpy() < 0.05) & (over > 0.9))
    assert hidden.size
    assert result.summary["run_up_needed_s"] > 10.0
    assert any("linear_speeds = 9 are" in words and "too low" in words for words in result.summary["warnings"])


@pytest.mark.thorough  # validation/noise_study
def test_a_run_up_of_the_duration_that_is_needed_follows_the_linear_answer() -> None:
    text = text_of(3000.0, tables=ON_BEARINGS).replace("= 3100.0", "= 5000.0")
    text = text.replace("linear_speeds = 9", "linear_speeds = 200").replace("point = 8", "point = 4")
    alone = ag.run(ag.Case.from_bytes(text.replace('"both"', '"linearised"').encode()))
    needed = alone.summary["run_up_needed_s"]
    assert needed == pytest.approx(0.19, rel=0.1)
    result = ag.run(ag.Case.from_bytes(text.replace("= 0.03", f"= {1.01 * needed}").encode()))
    assert np.nanmax(np.abs(result.dataset.response_difference.to_numpy())) < 0.1
    assert not any("take duration_s" in words or "settling_s" in words for words in result.summary["warnings"])
