"""The benchmark measures every stage, and its reports say what it measured."""

import json
import math
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from threading import Barrier
from types import ModuleType, SimpleNamespace

import pytest
from PIL import Image

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))
bench, bench_report, bench_stages = (import_module(f"bench{part}") for part in ("", "_report", "_stages"))
sys.path.remove(str(SCRIPTS))


def run_bench(*arguments) -> str:
    """What bench.py printed."""
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "bench.py"), *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def job_of_this_process(lab, kind, *, kernels=None, plain=None, checkout=None, **options):
    """What a process of its own would answer (`bench.Lab.job`), without the two seconds that each takes to begin."""
    assert kernels is plain is None  # these are read once a process
    if kind == "case" and options["repeat"] == 0:  # asked for its peak of memory, which is this process's
        return {"peak_MB": bench_stages.peak_memory()}
    if kind == "case":  # nobody compares its times: the round that loads kernels and libraries will do
        response = json.loads(bench_stages.answered(json.dumps({"kind": kind, **options, "repeat": 0})))
        return {**response, "rounds": [response["first_round"]]}
    return json.loads(bench_stages.answered(json.dumps({"kind": kind, **options})))


def first_command(command):
    """Runs the first command that it is asked for; its answer is that to all later ones."""
    answers = []

    def once(lab, *arguments, **options):
        if not answers:
            answers.append(command(lab, *arguments, **options))
        return answers[0]

    return once


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """File of a quick run, jobs in this process, without the pictures of its cases: nobody looks at them."""
    file = tmp_path_factory.mktemp("bench") / "quick.json"
    cases = ("spur_20_30", "spur_13_97_dynamic", "fine_wheel", "scaling")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench.Lab, "job", job_of_this_process)
        patch.setattr(bench.Lab, "command", first_command(bench.Lab.command))
        patch.setattr("alegear.pictures.files.write_pictures", lambda result, directory: [])
        patch.syspath_prepend(str(SCRIPTS))
        arguments = ["run", "--quick", "--repeat", "1", "--cases", *cases, "--out", str(file)]
        given = bench.parser().parse_args(arguments)
        given.command(given)
    return file


@pytest.mark.thorough  # scripts/bench.py, which is run for every gate
@pytest.mark.slow
def test_every_stage_is_in_the_file(measured):
    data = json.loads(measured.read_text())
    stages = [set(case["stages"]) for case in data["cases"].values()]
    assert set.union(*stages) == {*bench_stages.STAGES, "rest", "in all"} == set(bench_report.ORDER)
    assert stages[0] ^ stages[1] == {"static position", "dynamic step", "mean stiffness"}
    for case in data["cases"].values():
        times = {name: stage["wall"]["median"] for name, stage in case["stages"].items()}
        in_all = times.pop("in all")
        assert 0.0 <= times["rest"] < in_all
        assert sum(times.values()) > (1.0 - 1e-9) * in_all  # more where stages run beside one another
        assert case["stages"]["root stress"]["per"] == case["facts"]["samples"] > 1
        assert case["command"]["peak_MB"] > 50.0  # an interpreter with NumPy in it
        assert case["peak_MB"] > 50.0
    assert data["fine_wheel"]["wheels"]["97"]["facts"]["dof_boundary"] > 0
    assert [point["x"] for point in data["scaling"]["teeth"]] == list(bench.AXES["teeth"][1])
    assert data["machine"]["cores"] >= 1
    assert data["machine"]["versions"]["numpy"]


@pytest.mark.thorough  # its file takes a benchmark
@pytest.mark.slow
def test_a_file_compared_with_itself_has_the_ratio_one(measured):
    lines = run_bench("compare", measured, measured).splitlines()
    ratios = {line.split()[-1] for line in lines[1:]}
    assert ratios <= {"1.00", "-"}
    assert any(line.startswith("spur_20_30: sector condensation") for line in lines)


@pytest.mark.thorough  # its file takes a benchmark
@pytest.mark.slow
def test_a_ratio_is_after_by_before(measured):
    before = json.loads(measured.read_text())
    after = json.loads(measured.read_text())
    wall = after["cases"]["spur_20_30"]["stages"]["mesh"]["wall"]
    wall["median"] *= 0.5
    del after["scaling"]["slices"]
    text = bench_report.comparison(before, after)
    (line,) = (line for line in text.splitlines() if line.startswith("spur_20_30: mesh"))
    assert line.endswith(" 0.50")
    assert "only before: slices 4: mesh" in text


@pytest.mark.thorough  # its file takes a benchmark
@pytest.mark.slow
def test_the_table_names_cases_and_stages(measured):
    text = run_bench("table", measured)
    for name in (
        "spur pair 20/30, static",
        "sector condensation",
        "static position with root stress",
        "ratio of 97 teeth to 20",
    ):
        assert f"| {name}" in text
    for block in text.strip().split("\n\n")[1:]:
        assert len({line.count("|") for line in block.splitlines()}) == 1  # as many cells in every row


@pytest.mark.thorough  # its file takes a benchmark
@pytest.mark.slow
def test_the_figure_is_drawn(measured, tmp_path):
    run_bench("plot", measured, "--out", tmp_path / "figure.png")
    assert min(Image.open(tmp_path / "figure.png").size) >= 400
    assert (tmp_path / "figure.png").stat().st_size < 150_000  # it is kept in the repository


def test_a_job_runs_in_a_process_of_its_own(tmp_path):
    """Its peak of memory is its own, not that of the one that starts it."""
    options = {"teeth": [20], "mesh": {**bench.COARSE, "order": 1}, "slots": 3, "repeat": 0}
    response = bench.Lab(tmp_path, repeat=1, quick=True).job("wheels", **options)
    assert response["20"]["facts"]["dof_boundary"] > 0
    assert {"mesh", "sector condensation", "in all"} <= set(response["20"]["rounds"][0])
    assert 50.0 < response["peak_MB"] < 1000.0
    assert {pool["internal_api"] for pool in response["blas"]}


def test_a_job_that_fails_ends_the_benchmark(tmp_path):
    with pytest.raises(SystemExit, match="the job nothing ended with code 1"):
        bench.Lab(tmp_path, repeat=1, quick=True).job("nothing")


@pytest.mark.thorough  # kinds: drivetrain/test_compiled_motion
@pytest.mark.slow
def test_the_gate_times_every_kind_of_motion(tmp_path, monkeypatch, capsys):
    """Coarse grids: no limit is judged, but every kind runs compiled."""
    file = tmp_path / "gate.json"
    monkeypatch.setattr(bench.Lab, "job", job_of_this_process)
    monkeypatch.syspath_prepend(str(SCRIPTS))
    arguments = bench.parser().parse_args(["gate", "--quick", "--repeat", "1", "--out", str(file)])
    arguments.command(arguments)
    printed = capsys.readouterr().out
    steps = json.loads(file.read_text())["steps"]
    assert list(steps) == list(bench.GATE)
    assert not [kind for kind, one in steps.items() if "refused" in one]
    for kind, one in steps.items():
        assert f"| {kind} | " in printed
        assert one["limit"] == (None if bench.GATE[kind] is None else list(bench.GATE[kind]))
        assert one["holds"] is None
        assert one["newton_iterations"] >= one["steps"] > 10
        assert one["ms"]["min"] > 0.0
    assert steps[bench.HINGES]["ratio"]["median"] == 1.0


def test_limits_of_the_gate_are_of_ratios_or_milliseconds():
    hinges, one = {"ms": [0.5, 0.4], "counts": {}}, {"ms": [0.6, 0.6], "counts": {"steps": 3}}
    judged = bench.judged(one, hinges, ("ratio", 1.3), judging=True)
    assert judged["ratio"]["median"] == pytest.approx(0.5 * (1.2 + 1.5), rel=1e-12)
    assert not judged["holds"]
    assert bench.judged(one, hinges, ("ratio", 1.4), judging=True)["holds"]
    assert bench.judged(one, hinges, ("ms", 0.6), judging=True)["holds"]
    assert not bench.judged(one, hinges, ("ms", 0.5), judging=True)["holds"]
    assert bench.judged(one, hinges, ("ms", 0.5), judging=False)["holds"] is None
    assert bench.judged(one, hinges, None, judging=True)["holds"] is None
    assert bench.judged({"refused": "why"}, hinges, ("ms", 0.5), judging=True)["holds"] is None


def test_a_gate_that_does_not_hold_ends_with_a_code(tmp_path, monkeypatch, capsys):
    slow = {"ms": [2.0], "counts": {"steps": 9, "newton_iterations": 9}}
    response = {"kinds": dict.fromkeys(bench.GATE, slow), "seconds": [1.0]}
    monkeypatch.setattr(bench.Lab, "job", lambda self, kind, **options: response)
    monkeypatch.syspath_prepend(str(SCRIPTS))
    arguments = bench.parser().parse_args(["gate", "--out", str(tmp_path / "gate.json")])
    with pytest.raises(SystemExit) as ended:
        arguments.command(arguments)
    assert ended.value.code == 1
    holds = {kind: one["holds"] for kind, one in json.loads((tmp_path / "gate.json").read_text())["steps"].items()}
    assert holds["bearings"] is holds["modes"] is False
    assert holds["shafts"] is holds["table"] is True
    assert "| bearings | 2.000 | 1.00 | 0.8 ms | NO |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "command", "reason"),
    [
        (None, "table", "No such file"),
        ("[1", "table", "give a file that `bench.py run` has written"),
        ("[]", "table", "schema = None: must be"),
        ('{"schema": 99}', "table", "schema = 99: must be"),
        (json.dumps({"schema": bench.SCHEMA}), "plot", "run with --cases scaling"),
    ],
)
def test_a_file_of_something_else_is_refused_in_one_line(tmp_path, content, command, reason):
    file = tmp_path / "other.json"
    if content is not None:
        file.write_text(content)
    arguments = bench.parser().parse_args([command, str(file)])
    with pytest.raises(SystemExit) as refused:
        arguments.command(arguments)
    assert str(refused.value).startswith(f"bench: {file}: ")
    assert reason in str(refused.value)


@pytest.mark.parametrize("option", [("--repeat", "0"), ("--repeat", "x"), ("--out", "no/folder/of/ours/bench.json")])
def test_a_long_measurement_does_not_begin_with_a_wrong_option(option, capsys):
    with pytest.raises(SystemExit):
        bench.parser().parse_args(["run", *option])
    assert f"argument {option[0]}: " in capsys.readouterr().err


def test_the_stopwatch_counts_every_moment_once(monkeypatch):
    module = ModuleType("alegear_made_up")
    user = ModuleType("alegear.made_up")
    clock = [0.0]  # a machine that is busy elsewhere would add its own time between two readings
    monkeypatch.setattr(
        bench_stages, "time", SimpleNamespace(perf_counter=lambda: clock[0], process_time=lambda: clock[0])
    )

    def inner():
        clock[0] += 0.02

    def outer():
        user.inner()
        clock[0] += 0.01

    def whole():
        user.inner()

    module.inner, module.outer, module.whole, user.inner = inner, outer, whole, inner
    monkeypatch.setitem(sys.modules, "alegear_made_up", module)
    monkeypatch.setitem(sys.modules, "alegear.made_up", user)
    monkeypatch.setattr(bench_stages, "WHOLE", {"whole"})
    watch = bench_stages.Stopwatch()
    places = {name: (f"alegear_made_up:{name}",) for name in ("inner", "outer", "whole")}
    monkeypatch.setattr(bench_stages, "Stopwatch", lambda: watch)
    with bench_stages.stopwatch(places):
        # names are replaced in modules of the package only
        assert user.inner is not inner
        watch.timed("outer", outer)()
        watch.timed("whole", whole)()
    assert user.inner is inner
    wall = {name: seconds[0] for name, seconds in watch.seconds.items()}
    assert wall == pytest.approx({"inner": 0.02, "outer": 0.01, "whole": 0.02}, rel=1e-12)
    assert watch.covered[0] == pytest.approx(0.05, rel=1e-12)  # one after the other


def test_the_stopwatch_covers_what_runs_side_by_side_once():
    watch = bench_stages.Stopwatch()
    together = Barrier(2)

    def stage():
        together.wait()
        time.sleep(0.02)
        together.wait()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda name: watch.timed(name, stage)(), ("one", "two")))
    wall = [seconds[0] for seconds in watch.seconds.values()]
    assert min(wall) >= 0.02
    assert max(wall) <= watch.covered[0] + 1e-6 <= sum(wall)


def test_case_files_are_edited_by_table_and_key():
    text = 'title = "x"\n[a]\nk = 1   # why\n[b]\nk = 2\n'
    edited = tomllib.loads(bench.edited(text, a__k=3, b__l=[1.0, 2.0], c__m=True))
    assert edited == {"title": "x", "a": {"k": 3}, "b": {"k": 2, "l": [1.0, 2.0]}, "c": {"m": True}}


def test_a_missing_stage_is_not_passed_over(monkeypatch):
    monkeypatch.setitem(bench_stages.STAGES, "mesh", ("alegear.mesh.sector:no_such_function",))
    with pytest.raises(AttributeError, match="no_such_function"), bench_stages.stopwatch():
        pass


def test_peak_memory_is_of_this_process():
    assert 20.0 < bench_stages.peak_memory() < 1e6  # [MB]


@pytest.mark.thorough  # test_scripts has the chains
def test_chains_are_moved_told_and_drawn(tmp_path, monkeypatch, capsys):
    file, figure = tmp_path / "chain.json", tmp_path / "chain.png"
    monkeypatch.setattr(bench.Lab, "job", job_of_this_process)
    monkeypatch.syspath_prepend(str(SCRIPTS))
    given = bench.parser().parse_args(["run", "--quick", "--repeat", "1", "--cases", "chain", "--out", str(file)])
    given.command(given)
    whole = json.loads(file.read_text())
    assert [point["parts"] for point in whole["chain"]["points"]] == list(bench.QUICK_PARTS)
    assert all(point["steps"] > 50 for point in whole["chain"]["points"])
    given = bench.parser().parse_args(["table", str(file)])
    given.command(given)
    printed = capsys.readouterr().out
    assert "| 10 parts |" in printed
    assert len({line.count("|") for line in printed.strip().split("\n\n")[1].splitlines()}) == 1
    assert "chain of 10 parts" in bench_report.comparison(whole, whole)
    given = bench.parser().parse_args(["plot", str(file), "--out", str(figure)])
    given.command(given)
    assert min(Image.open(figure).size) >= 300


@pytest.mark.thorough  # test_scripts has the actuator
def test_the_actuator_is_moved_and_told(tmp_path, monkeypatch, capsys):
    """A second of stick-slip at each tolerance."""
    file = tmp_path / "actuator.json"
    monkeypatch.setattr(bench.Lab, "job", job_of_this_process)
    given = bench.parser().parse_args(["run", "--quick", "--repeat", "1", "--cases", "actuator", "--out", str(file)])
    given.command(given)
    points = json.loads(file.read_text())["actuator"]["points"]
    assert [one["tolerance"] for one in points] == [1e-4, 1e-6, 2.5e-9]
    assert points[0]["steps"] < points[1]["steps"] < points[2]["steps"]
    assert points[0]["events"] == points[2]["events"] > 3
    assert points[0]["missing"] > points[1]["missing"] > points[2]["missing"]
    assert points[2]["missing"] < 1e-7  # of a tenth of the motion, in which less is put in
    given = bench.parser().parse_args(["table", str(file)])
    given.command(given)
    assert "| tolerance 1e-06 |" in capsys.readouterr().out
    whole = json.loads(file.read_text())
    assert "actuator at 1e-06" in bench_report.comparison(whole, whole)


def test_two_gears_are_moved_and_told(tmp_path, monkeypatch, capsys):
    """At both speeds, under the load by hand."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    file = tmp_path / "gears.json"
    monkeypatch.setattr(bench.Lab, "job", job_of_this_process)
    given = bench.parser().parse_args(["run", "--quick", "--repeat", "1", "--cases", "two_gears", "--out", str(file)])
    given.command(given)
    points = json.loads(file.read_text())["two_gears"]["points"]
    assert [one["rpm"] for one in points] == [60.0, 500.0]
    for one in points:
        # 300 N m over the base radius of 30 teeth of 4 mm; pitch by pitch at one phase, so not a mean over it
        assert one["force"] == pytest.approx(300.0 / (0.06 * math.cos(math.radians(20.0))), rel=5e-3)
    given = bench.parser().parse_args(["table", str(file)])
    given.command(given)
    assert "| 60 rpm |" in capsys.readouterr().out
    whole = json.loads(file.read_text())
    assert "two gears at 500 rpm" in bench_report.comparison(whole, whole)


def test_the_gearbox_is_driven_and_told(tmp_path, monkeypatch, capsys):
    """Eight seconds of driving, in this process; the table and the comparison name it."""
    file = tmp_path / "gearbox.json"
    monkeypatch.setattr(bench.Lab, "job", job_of_this_process)
    monkeypatch.syspath_prepend(str(SCRIPTS))
    given = bench.parser().parse_args(["run", "--quick", "--repeat", "1", "--cases", "gearbox", "--out", str(file)])
    given.command(given)
    data = json.loads(file.read_text())["gearbox"]
    assert data["driven"] == 8.0
    assert data["steps"] > 500
    assert data["events"] > 3
    given = bench.parser().parse_args(["table", str(file)])
    given.command(given)
    assert "| 8 s of driving |" in capsys.readouterr().out
    whole = json.loads(file.read_text())
    assert "gearbox, 8 s of driving" in bench_report.comparison(whole, whole)
