"""A dynamic run that was stopped and goes on gives the same to the last bit; what cannot serve is refused."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import mostly_thorough
from small_cases import COARSE, case_of, dynamic_study, static_text

import alegear as ag
from alegear.case.case import Case
from alegear.case.digest import case_digests
from alegear.case.faults import CaseFaults
from alegear.case.pair_machine import MESH
from alegear.drivetrain import compiled_motion
from alegear.errors import Fault
from alegear.progress import Silent
from alegear.recording import checkpoint as module
from alegear.recording import recorder
from alegear.recording.checkpoint import Checkpoint
from alegear.recording.motion_memory import of_prefix
from alegear.storage.checkpoint_folder import STATE, CheckpointFolder
from alegear.storage.recorded_samples import RecordedSamples
from alegear.studies import motion_record
from alegear.studies.dynamic import DynamicStudy
from alegear.system.time_integration import stop_times
from alegear.system.time_integration.vector_step_kernels import T

FRAMES = (0.0, 0.4e-3, 1.1e-3, 1.6e-3)
SHAFTS = """
[shafts.pinion]
stiffness_Nm_per_rad = 3000.0
damping_Nms_per_rad = 0.5
[shafts.wheel]
stiffness_Nm_per_rad = 3000.0
inertia_kg_m2 = 0.05
"""
BEARINGS = """
[supports.pinion]
kind = "bearing"
stiffness_N_per_m = [3e8, 3e8, 2e8]
tilt_stiffness_Nm_per_rad = [2e5, 2e5]
damping_Ns_per_m = [2e3, 2e3, 2e3]
unbalance_g_mm = 20.0
"""
TABLE = "pinion_speed_table_s_rpm = [[0.0, 0.0], [1e-3, 1500.0], [2e-3, 1200.0]]"
VELOCITY = 'friction = "velocity"\n'
PENALTY = 'law = "penalty"\nfriction = "velocity"\n[contact.penalty]\ndamping_Ns_per_mm3 = 1.0\n'


def text(
    *,
    operation: str = "pinion_speed_rpm = 1500.0",
    analysis: str = "",
    contact: str = "",
    tables: str = "",
    output: str = "checkpoint_every_s = 1e-9",
    torque: float = 400.0,
) -> str:
    """Case file of a coarse pair over 1.6 ms: most of a pitch, a tooth-change in it, a checkpoint whenever possible."""
    still = static_text(torque=torque, contact=contact, mesh=COARSE)
    head, _ = still.split("[operation]")
    return f"""{head}[operation]
pinion_torque_Nm = {torque}
{operation}
[analysis]
kind = "dynamic"
duration_s = 1.6e-3
output_every_s = 2e-5
{analysis}
{tables}
[output]
plots = false
{output}
"""


POINTS = """
[[output.points]]
gear = "pinion"
fillet_share = 0.5
[[output.points]]
gear = "wheel"
flank = "back"
fillet_share = 0.0
teeth = [0, 1, 29]
"""
#: What goes through compiled code, and what step by step through Python.
COMPILED = {
    "constant speed": text(),
    "run-up, friction": text(analysis="ramp_s = 1e-3", contact=VELOCITY),
    "fixed step": text(analysis="time_step_s = 1.5e-5"),
    "points of the teeth": text(output=f"checkpoint_every_s = 1e-9\n{POINTS}"),
    "shafts": text(tables=SHAFTS),
    "table of speeds, friction": text(operation=TABLE, contact=VELOCITY),
    "bearings, unbalance, gravity": text(
        operation="pinion_speed_rpm = 1500.0\ngravity_m_s2 = [0.0, -9.81, 0.0]", tables=BEARINGS, contact=VELOCITY
    ),
    "full inertia": text(analysis='inertia = "full"\nnormal_modes = 4'),
}
STEPWISE = {
    "penalty, damped, friction": text(contact=PENALTY, analysis="tolerance = 1e-2").replace("= 2e-5", "= 4e-5"),
    "fixed step, backward Euler": text(contact=PENALTY, analysis='time_step_s = 3e-5\nmethod = "backward-euler"'),
}


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls the plug here, and a checkpoint at every step would wait for the disk most of the time."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(autouse=True)
def _short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of compiled code: one sample each, so that a run can be stopped after any of them."""
    monkeypatch.setattr(compiled_motion, "SAMPLES", 1)


class Stopped(Exception):
    """Stands for the kill."""


class StopAfter(Silent):
    """Ends a run when it has shown its progress so often."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def advance(self, done: int, total: int) -> None:
        self.left -= 1
        if self.left < 0:
            raise Stopped


def run_in_pieces(case: Case, folder: Path, pieces: int) -> tuple[DynamicStudy, list[float]]:
    """Run a study, stopped so many times and each time gone on with by a new one; with the times it went on from."""
    reached: list[float] = []
    for piece in range(pieces + 1):
        with Checkpoint(folder, case, resume=piece > 0) as kept:
            if kept.reached is not None:
                reached.append(kept.reached)
            study = dynamic_study(case, FRAMES)
            try:
                study.run(StopAfter(7 * piece + 9) if piece < pieces else Silent(), kept)
            except Stopped:
                continue
    return study, reached


def assert_equal(one: Any, two: Any, name: str = "") -> None:
    """Compare to the last bit, dataclasses field by field."""
    if one is None or two is None:
        assert one is two, name
    elif isinstance(one, RecordedSamples):
        assert one.layout == two.layout
        for variable in one.layout:
            np.testing.assert_array_equal(one.read(variable), two.read(variable), err_msg=variable)
    elif is_dataclass(one):
        for part in fields(one):
            assert_equal(getattr(one, part.name), getattr(two, part.name), f"{name}.{part.name}")
    elif isinstance(one, list | tuple):
        assert len(one) == len(two), name
        for k, (a, b) in enumerate(zip(one, two, strict=True)):
            assert_equal(a, b, f"{name}[{k}]")
    else:
        np.testing.assert_array_equal(one, two, err_msg=name)


def assert_goes_on(case: Case, folder: Path, pieces: int) -> None:
    whole = dynamic_study(case, FRAMES)
    whole.run(Silent())
    study, reached = run_in_pieces(case, folder, pieces)
    assert len(reached) == pieces
    assert all(later > earlier for earlier, later in pairwise(reached))
    assert 0.0 < reached[0] <= reached[-1] < case.analysis.duration
    if case.analysis.sweeps:
        assert_equal(study.samples, whole.samples)
    else:
        assert_equal(study.mesh_history(MESH), whole.mesh_history(MESH))
    assert_equal(study.frames(MESH), whole.frames(MESH))
    assert_equal(study.motion.count, whole.motion.count)
    assert_equal(study.energy, whole.energy)
    assert study.all_warnings() == whole.all_warnings()


POINTS = """checkpoint_every_s = 1e-9
[[output.points]]
gear = "pinion"
fillet_share = 0.5
teeth = [0, 1]
[[output.points]]
gear = "wheel"
diameter_mm = 118.0
"""


# room for all is what test_a_run_in_compiled_code_goes_on has
@pytest.mark.parametrize("room", mostly_thorough([20e6, 1e5], always=lambda room: room < 1e6))
def test_stress_and_its_range_at_each_point_go_on(room: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With blocks of stress and chunks of samples shorter than the pieces; points of the root are kept or not."""
    case = case_of(text(tables=SHAFTS, output=POINTS))
    monkeypatch.setattr(recorder, "BLOCK", 8)
    monkeypatch.setattr(recorder, "FILLET_BYTES", room)
    monkeypatch.setattr(motion_record, "RecordedSamples", partial(RecordedSamples, chunk=10))
    assert_goes_on(case, tmp_path / "checkpoint", 2)
    _, memory, chunks = CheckpointFolder(tmp_path / "checkpoint").read()
    assert len(chunks) > 3
    assert (f"samples/{MESH}/root_stress_fillet" in memory) == (room > 1e6)
    with Checkpoint(tmp_path / "checkpoint", case, resume=True) as kept:
        study = dynamic_study(case, FRAMES)
        study.recorders[MESH].recall(of_prefix(f"record of {MESH}", kept.left.memory))
    for name, values in study.recorders[MESH].memory().items():
        np.testing.assert_array_equal(values, memory[f"record of {MESH}/{name}"], err_msg=name)
    assert np.isfinite(memory[f"record of {MESH}/highest_0"]).any()


def test_all_that_grows_in_a_study_is_kept() -> None:
    """What another list is added to has to be added to the memory of a study."""
    study = dynamic_study(case_of(COMPILED["shafts"]))
    growing = {name for name, value in vars(study).items() if isinstance(value, list)}
    assert growing == {"shown", "warnings"}


# a constant speed goes on in test_a_run_that_compiled_code_has_left_goes_on_in_python, shafts in test_run_and_resume
@pytest.mark.parametrize(
    "name", mostly_thorough(COMPILED, always=lambda name: name not in ("constant speed", "shafts"))
)
def test_a_run_in_compiled_code_goes_on(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_motion, "SAMPLES", 5)  # blocks shorter than the run
    assert_goes_on(case_of(COMPILED[name]), tmp_path / "checkpoint", 1)


@pytest.mark.parametrize("stretch", mostly_thorough([3, 16], always=lambda stretch: stretch == 3))
def test_a_sweep_whose_longest_step_changes_goes_on(
    stretch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a stretch of the stops the longest step is that of its largest speed, wherever the run was left."""
    monkeypatch.setattr(compiled_motion, "SAMPLES", 5)
    monkeypatch.setattr(stop_times, "STRETCH", stretch)
    speeds = "speed_from_rpm = 3000.0\nspeed_to_rpm = 600.0\nand_back = false\npitches_per_point = 2\ntolerance = 0.1"
    sweep = text(operation="").replace('kind = "dynamic"', f'kind = "sweep"\n{speeds}')
    sweep = sweep.replace("duration_s = 1.6e-3", "duration_s = 6e-3")
    assert_goes_on(case_of(sweep), tmp_path / "checkpoint", 2)


def test_a_run_that_compiled_code_has_left_goes_on_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that fails in compiled code is taken up step by step; that too is kept."""
    case = case_of(text())
    monkeypatch.setattr(compiled_motion, "SAMPLES", 5)
    advance = compiled_motion.kernels.advance

    def fail_at_half(*arguments: Any) -> int:
        motion = arguments[-2]
        if motion.state.clock[T] > 0.5 * case.analysis.duration:
            return int(compiled_motion.kernels.STEP_FAILED)
        return int(advance(*arguments))

    monkeypatch.setattr(compiled_motion.kernels, "advance", fail_at_half)
    assert_goes_on(case, tmp_path / "checkpoint", 2)


# fixed steps: test_a_run_in_compiled_code_goes_on
@pytest.mark.parametrize("name", mostly_thorough(STEPWISE, always=lambda name: "fixed step" not in name))
@pytest.mark.slow
def test_a_run_in_python_goes_on(name: str, tmp_path: Path) -> None:
    assert_goes_on(case_of(STEPWISE[name]), tmp_path / "checkpoint", 2)


def test_samples_that_wait_for_their_stress_are_kept(tmp_path: Path) -> None:
    """Fewer than a block: the stress of none is computed when the run stops."""
    case = case_of(COMPILED["shafts"])
    with Checkpoint(tmp_path / "checkpoint", case, resume=False) as kept, pytest.raises(Stopped):
        dynamic_study(case, FRAMES).run(StopAfter(20), kept)
    _, memory, chunks = CheckpointFolder(tmp_path / "checkpoint").read()
    recorded = of_prefix(f"record of {MESH}", memory)
    assert len(recorded["waiting_0"]) == len(recorded["known/time"]) == 20
    assert recorded["waiting_0"].shape[1] < 0.5 * dynamic_study(case).recorders[MESH].wheels[0].dof_boundary
    assert len(chunks) == 0
    assert len(memory[f"samples/{MESH}/time"]) == 0


def test_a_checkpoint_does_not_grow_with_what_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case, sizes = case_of(COMPILED["shafts"]), []
    monkeypatch.setattr(recorder, "BLOCK", 8)
    monkeypatch.setattr(recorder, "FILLET_BYTES", 0.0)
    monkeypatch.setattr(motion_record, "RecordedSamples", partial(RecordedSamples, chunk=8))
    for calls in (24, 72):
        folder = tmp_path / str(calls)
        with Checkpoint(folder, case, resume=False) as kept, pytest.raises(Stopped):
            dynamic_study(case, FRAMES).run(StopAfter(calls), kept)
        sizes.append(((folder / STATE).stat().st_size, CheckpointFolder(folder).read()[2].size))
    assert sizes[1][1] > 2.5 * sizes[0][1]
    # frames and kept products come in on the way
    assert sizes[1][0] < 1.5 * sizes[0][0]


# ------------------------------------------------------------------------- the command's side
class StopIn(StopAfter):
    """Ends a run in a stage."""

    def __init__(self, stage: str, calls: int = 0) -> None:
        super().__init__(calls)
        self.name, self.now = stage, ""

    def stage(self, name: str) -> None:
        self.now = name

    def advance(self, done: int, total: int) -> None:
        if self.now == self.name:
            super().advance(done, total)


@pytest.mark.slow
def test_run_and_resume(tmp_path: Path) -> None:
    """A run in the place of a complete one, which stays until the new one, stopped and resumed, is whole."""
    case, whole_out, out = case_of(COMPILED["shafts"]), tmp_path / "whole", tmp_path / "out"
    whole = ag.run(case, whole_out)
    assert not (whole_out / "checkpoint").exists()
    shutil.copytree(whole_out, out)
    with pytest.raises(Stopped):
        ag.run(case, out, StopIn("solve", 30))
    assert (out / "checkpoint" / STATE).is_file()
    assert (out / "result.nc").read_bytes() == (whole_out / "result.nc").read_bytes()
    result = ag.run(case, out, resume=True)
    names = ["about.json", "case_as_run.txt", "fields", "result.nc", "summary.json"]
    assert sorted(p.name for p in out.iterdir()) == names
    assert result.summary["resumed_at_s"] > 0.0
    assert "resumed_at_s" in (out / "summary.json").read_text()  # the new one, not what was there
    assert "resumed_at_s" not in whole.summary
    for name in whole.dataset:
        assert_equal(result.dataset[name].values, whole.dataset[name].values, f".{name}")
    for path in (whole_out / "fields").iterdir():
        assert (out / "fields" / path.name).read_bytes() == path.read_bytes()
    with pytest.raises(Fault, match=r"unfinished run \(this one is complete\)"):
        ag.run(case, out, resume=True)


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Checkpoint of a run that was stopped."""
    folder = tmp_path_factory.mktemp("left") / "checkpoint"
    case = case_of(COMPILED["shafts"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_motion, "SAMPLES", 1)  # as all others here
        with Checkpoint(folder, case, resume=False) as kept, pytest.raises(Stopped):
            dynamic_study(case, FRAMES).run(StopAfter(20), kept)
    return folder


def test_what_does_not_change_the_result_may_change(left: Path, tmp_path: Path) -> None:
    lines = COMPILED["shafts"].replace("plots = false", "plots = true").replace("1e-9", "5.0") + "# a remark\n"
    case = Case.from_bytes(lines.encode(), tmp_path / "elsewhere.toml")
    with Checkpoint(left, case, resume=True) as kept:
        assert kept.reached is not None


CHANGES: dict[str, Callable[[Case], Case]] = {
    "operation": lambda case: replace(case, operation=replace(case.operation, pinion_torque=401.0)),
    "analysis": lambda case: replace(case, analysis=replace(case.analysis, duration=2e-3)),
    "shafts": lambda case: replace(case, shafts=(None, case.shafts[1])),
    "pair": lambda case: replace(
        case,
        pair=replace(case.pair, wheel=replace(case.pair.wheel, microgeometry=ag.Microgeometry(lead_crowning=1e-6))),
    ),
}


@pytest.mark.parametrize("part", CHANGES)
def test_the_checkpoint_of_another_case_is_refused_by_what_differs(part: str, left: Path) -> None:
    with pytest.raises(Fault, match=rf"must be of this case \(changed since: {part}\); restore the case file"):
        Checkpoint(left, CHANGES[part](case_of(COMPILED["shafts"])), resume=True)


def test_a_measured_flank_counts_by_its_numbers() -> None:
    case = case_of(COMPILED["shafts"])

    def with_topography(height: float) -> Case:
        roll_length, z = np.array([10e-3, 25e-3]), np.array([-10e-3, 10e-3])
        grid = ag.Topography(roll_length=roll_length, z=z, removal=np.full((2, 2), height))
        wheel = replace(case.pair.wheel, microgeometry=ag.Microgeometry(topography=grid))
        return replace(case, pair=replace(case.pair, wheel=wheel))

    one, same, other = (case_digests(with_topography(height))["pair"] for height in (1e-6, 1e-6, 1.1e-6))
    assert one == same != other


def test_another_version_is_refused(left: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of(COMPILED["shafts"])
    with monkeypatch.context() as patch:
        patch.setattr(module, "program_digest", lambda: "other")
        with pytest.raises(Fault, match=r"of this version, alegear .* with other program text\); go on with that"):
            Checkpoint(left, case, resume=True)
    monkeypatch.setattr(module, "__version__", "99.0")
    with pytest.raises(Fault, match=r"of this version, alegear 99.0 \(it is of alegear "):
        Checkpoint(left, case, resume=True)


def test_a_damaged_checkpoint_is_refused(left: Path, tmp_path: Path) -> None:
    case, folder = case_of(COMPILED["shafts"]), tmp_path / "checkpoint"
    folder.mkdir()
    for path in left.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    state = bytearray((folder / STATE).read_bytes())
    state[len(state) // 2] ^= 1
    (folder / STATE).write_bytes(state)
    with pytest.raises(Fault, match=r"checkpoint = .*state: must be sound \(wrong checksum"):
        Checkpoint(folder, case, resume=True)
    Checkpoint(folder, case, resume=False)  # a run from the beginning does not care


def test_nothing_to_resume_is_a_fault_and_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="a folder with a checkpoint"):
        ag.run(case_of(COMPILED["shafts"]), tmp_path / "out", resume=True)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Fault, match="must be the folder of the run to be resumed"):
        ag.run(case_of(COMPILED["shafts"]), resume=True)
    with pytest.raises(Fault, match=r'analysis\.kind = "static"'):
        ag.run(case_of(static_text()), tmp_path / "out", resume=True)


def test_another_run_at_the_same_place_is_refused(left: Path) -> None:
    case = case_of(COMPILED["shafts"])
    with Checkpoint(left, case, resume=True):
        for resume in (True, False):
            with pytest.raises(Fault, match="another one writes there"):
                Checkpoint(left, case, resume=resume)


def test_a_run_from_the_beginning_says_what_it_will_replace(left: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    case = case_of(COMPILED["shafts"])
    with Checkpoint(left, CHANGES["operation"](case), resume=False):
        assert caplog.text == ""  # of no use for another case
    with Checkpoint(left, case, resume=False):
        assert "from which --resume goes on; this run begins anew" in caplog.text


def test_a_disk_without_room_costs_the_checkpoint_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    case = case_of(COMPILED["shafts"])
    (tmp_path / "file").write_text("")
    with Checkpoint(tmp_path / "file" / "checkpoint", case, resume=False) as kept:
        study = dynamic_study(case)
        study.run(Silent(), kept)
    assert len(study) == 81
    assert caplog.text.count("the run goes on") == 1


def test_without_checkpoints_none_is_made(tmp_path: Path) -> None:
    case = case_of(text(tables=SHAFTS, output="checkpoint_every_s = 0.0\nfields = false"))
    assert case.output.checkpoint_every is None
    with pytest.raises(Stopped):
        ag.run(case, tmp_path / "out", StopIn("solve", 30))
    assert not (tmp_path / "out" / "checkpoint").exists()


def test_the_key_is_one_of_dynamic_studies() -> None:
    assert case_of(text(output="")).output.checkpoint_every == 60.0
    with pytest.raises(CaseFaults, match=r'output\.checkpoint_every_s = 5\.0: is a key of kind = "dynamic" only'):
        case_of(static_text(tables="[output]\ncheckpoint_every_s = 5.0"))


# ------------------------------------------------------------------------------ functions
def case_with_torque(torque: Callable[[float], float]) -> ag.MachineCase:
    """A machine on teeth with a torque as a program gives it."""
    machine = ag.Machine("two shafts")
    machine.add("in", ag.Shaft(fixed_axis=True))
    machine.add("out", ag.Shaft(fixed_axis=True, position=(0.1, 0.0, 0.0)))
    machine.add("p", ag.ShaftGear(gear=ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35e-3), shaft="in", at=0.0))
    machine.add("w", ag.ShaftGear(gear=ag.Gear(z=30, m_n=4e-3, b=30e-3, bore_diameter=54e-3), shaft="out", at=0.0))
    machine.mesh("first", "p", "w", fidelity="teeth", slices=1)
    machine.add("motor", ag.Drive(shaft="in", speed=100.0))
    machine.add("brake", ag.TorqueLoad(shaft="out", torque=300.0))
    machine.add("extra", ag.TorqueSource(at="out", torque=torque))
    return machine.case(ag.DynamicAnalysis(duration=0.02), ag.OutputOptions(plots=False, checkpoint_every=0.1))


def begun(folder: Path, case: ag.MachineCase) -> None:
    """Leave a checkpoint at t = 0."""
    with Checkpoint(folder, case, resume=False) as kept:
        kept.chunks()
        kept.save(0.0, {}, [])


def scaled(k: float) -> Callable[[float], float]:
    return lambda t: k * t


def test_a_run_is_not_resumed_with_another_function(tmp_path: Path) -> None:
    """The same function, made anew, goes on."""
    folder = tmp_path / "checkpoint"
    begun(folder, case_with_torque(scaled(1e4)))
    with pytest.raises(Fault, match=r"of this case \(changed since: parts\)"):
        Checkpoint(folder, case_with_torque(scaled(5e4)), resume=True)
    with Checkpoint(folder, case_with_torque(scaled(1e4)), resume=True) as kept:
        assert kept.reached == 0.0


def test_a_function_that_cannot_be_told_is_not_resumed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """And that is said when the run begins."""
    rng = np.random.default_rng(1)
    case, folder = case_with_torque(lambda t: rng.normal()), tmp_path / "checkpoint"
    with Checkpoint(folder, case, resume=False) as kept:
        kept.chunks()
    assert not folder.exists()
    assert "no checkpoints: a numpy.random._generator.Generator of function" in caplog.text
    with pytest.raises(Fault, match=r"--resume = .*Generator of function .* draws random numbers: must be .*array"):
        Checkpoint(folder, case, resume=True)


def test_a_function_with_a_memory_leaves_no_more_checkpoints(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What it keeps from call to call would be lost; the checkpoint from before its first change stays."""
    calls: list[float] = []

    def torque(t: float) -> float:
        calls.append(t)
        return float(len(calls))

    case, folder = case_with_torque(torque), tmp_path / "checkpoint"
    begun(folder, case)
    with Checkpoint(folder, case, resume=False) as kept:
        kept.chunks()
        torque(0.0)
        kept.save(1e-3, {}, [])
        assert not kept.is_due
    assert "a function keeps values from call to call" in caplog.text
