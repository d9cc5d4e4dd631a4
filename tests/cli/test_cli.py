"""The command: exit codes, one line a fault, nothing half written."""

from __future__ import annotations

import errno
import json
import os
import resource
import runpy
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import histories
import pytest

from alegear import cli
from alegear.case.case import Case
from alegear.errors import NonConvergence
from alegear.progress import Progress

MESHES = Path(__file__).parents[2] / "meshes"
SPUR = (MESHES / "spur_20_30.toml").read_text()


def study(*, stop: BaseException | None = None, early: bool = False) -> Any:
    """Return a run that stores made-up results, and breaks off where it is told to."""

    def run(case: Case, out: Path | None = None, progress: Progress | None = None, report: Any = None, **_: Any) -> Any:
        from datasets import contact_dataset

        from alegear.results.contact_result import contact_summary
        from alegear.results.result import Result
        from alegear.storage.netcdf import Contents
        from alegear.storage.store import write_files

        assert out is not None
        assert progress is not None
        progress.stage("mesh")
        progress.stage("solve")
        if stop is not None and early:
            raise stop
        history = histories.static_history(8)
        progress.advance(8, 8)
        summary = contact_summary(history, histories.FACTS) | {"complete": stop is None}
        identity = replace(histories.CASE, complete=stop is None)
        result = Result(dataset=contact_dataset(history, identity), summary=summary)
        (out / "fields").mkdir()
        (out / "fields" / "series.pvd").write_text("")
        write_files(out, Contents.of(result.dataset), result.summary)
        if stop is not None:
            raise stop
        if report is not None:
            report(result, out)
        return result

    return run


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Replace study and plots; commands run in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def put(run: Any, report: Any = None) -> None:
        module: Any = ModuleType("alegear.studies.run")
        module.run = run
        monkeypatch.setitem(sys.modules, "alegear.studies.run", module)
        view: Any = ModuleType("alegear.pictures.process")
        write = report or (lambda result, directory: (directory / "te.png").write_text("png"))
        view.DrawingProcess = lambda: nullcontext(SimpleNamespace(write=write))
        monkeypatch.setitem(sys.modules, "alegear.pictures.process", view)

    return put


def case_file(folder: Path, *, old: str = "", new: str = "", more: str = "") -> str:
    path = folder / "case.toml"
    path.write_text(SPUR.replace(old, new, 1) + more if old else SPUR + more)
    return str(path)


def names(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file() and p.name != "case.toml")


# ------------------------------------------------------------------------------------------------------------- check


def test_check_json_has_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(MESHES / "spur_13_97.toml"), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    gear = ["d_mm", "d_b_mm", "d_a_mm", "d_f_mm", "d_w_mm", "d_Ff_mm", "mass_kg", "inertia_kg_m2"]
    gear += ["beta_deg", "z_n", "s_n_mm", "s_an_mm", "bore_mm", "rim_modules"]
    gear += ["x", "d_Fa_mm", "d_Na_mm", "d_Nf_mm", "d_LPSTC_mm", "d_HPSTC_mm", "tip_clearance_mm"]
    gear += ["specific_sliding_root", "specific_sliding_tip", "k", "W_k_mm", "D_M_mm", "M_d_mm"]
    gear += ["topography_error_um", "teeth"]
    assert list(data) == ["pinion", "wheel", "pair", "deviations", "flanks", "warnings"]
    assert set(data["pinion"]) == set(data["wheel"]) == set(gear)
    assert set(data["pair"]) == {
        "m_n_mm",
        "a_w_mm",
        "alpha_t_deg",
        "alpha_wt_deg",
        "beta_b_deg",
        "p_bt_mm",
        "g_alpha_mm",
        "eps_alpha",
        "eps_alpha_usable",
        "eps_beta",
        "j_wt_mm",
        "eps_gamma",
        "m_t_mm",
        "beta_w_deg",
        "b_w_mm",
        "x_sum",
        "x_sum_without_backlash",
        "eps_alpha_form",
        "c_prime_N_per_mm_um",
        "c_gamma_alpha_N_per_mm_um",
        "j_bn_mm",
        "mesh_stiffness_estimate_N_per_um",
        "body_deflection_share",
    }
    assert list(data["flanks"]["pinion"]) == ["Ff", "Nf", "LPSTC", "C", "HPSTC", "Fa", "Na", "a"]
    # z m / 2 summed: 8 mm (13 + 97) / 2
    assert data["pair"]["a_w_mm"] == pytest.approx(440.0, rel=1e-12)
    # printed with four digits
    assert data["pair"]["eps_alpha"] == pytest.approx(1.6458, abs=5e-5)
    assert data["pair"]["eps_alpha_usable"] == pytest.approx(1.366, abs=5e-4)
    assert "undercut" in data["warnings"][0]


def test_check_prints_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(MESHES / "spur_20_30.toml")]) == 0
    out = capsys.readouterr().out
    assert "d_Ff mm" in out
    assert "eps_alpha" in out


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("face_width_mm ", "face_with_mm", "the nearest key is face_width_mm"),
        ("face_width_mm ", "face_width", "write face_width_mm (unit mm)"),
        ("= 20\n", '= "20"\n', "must be a whole number"),
        ("= 20\n", "= 4\n", "must be at least 5"),
        ("= 30.0", "= -30.0", "must be at least 0.01"),
        ("= 35.8", "= 85.8", "below the root diameter"),
        ("= 4.0", "= 4.0\ncenter_distance_mm = 140.0", "no contact is possible"),
        ("= 400.0", "= 0.0", "must not be 0 in a static analysis"),
        ("[operation]", '[contact]\nlaw = "herz"\n[operation]', "hertz"),
        (
            "[operation]",
            "[pinion.flank]\ntip_relief_um = 20\ntip_relief_start_diameter_mm = 90.0\n[operation]",
            "below the tip diameter",
        ),
        ("[operation]", "[pinion.grid]\nfile = 'none.msh'\n[operation]", "no such file"),
        ('"static"', '"dynamic"', "give the duration in s"),
    ],
)
@pytest.mark.parametrize("command", ["run", "check", "mesh"])
def test_wrong_input_is_one_line_and_exit_code_2(
    use: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, old: str, new: str, line: str
) -> None:
    use(study())
    case = case_file(tmp_path, old=old, new=new)
    assert cli.main([command, case]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert any(line in text for text in lines)
    assert all(text.startswith(f"{case}: ") and " = " in text and "; " in text for text in lines)
    assert names(tmp_path) == []


@pytest.mark.parametrize("content", ["", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n100\n1 0 0"])
def test_truncated_mesh_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tooth.msh").write_text(content)
    case = case_file(tmp_path, more="\n[pinion.grid]\nfile = 'tooth.msh'\n")
    for command in ("check", "mesh"):
        assert cli.main([command, case]) == 2
        captured = capsys.readouterr()
        assert len(captured.err.splitlines()) == 1
        assert "tooth.msh" in captured.err
    assert names(tmp_path) == ["tooth.msh"]


def test_wrong_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run"]) == 2
    assert cli.main(["runn", "case.toml"]) == 2
    assert cli.main([]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 3
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("alegear ")


# --------------------------------------------------------------------------------------------------------------- run


def test_run_writes_a_whole_result(use: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    use(study())
    assert cli.main(["run", case_file(tmp_path)]) == 0
    assert names(tmp_path) == [
        f"case_results/{name}" for name in ("about.json", "fields/series.pvd", "result.nc", "summary.json", "te.png")
    ]
    captured = capsys.readouterr()
    # not a terminal: one line a stage
    assert [line.split(" ...")[0] for line in captured.err.splitlines()] == ["mesh", "solve"]
    assert "te_mean um" in captured.out
    assert "mesh_stiffness_mean N/um" in captured.out
    summary = json.loads((tmp_path / "case_results" / "summary.json").read_text())
    assert summary["complete"] is True
    # the stages are those of the study, the total is that of the command: the made-up study says 7 s
    assert summary["seconds"]["write"] == 0.5
    assert 0.0 < summary["seconds"]["total"] != 7.0


def test_run_without_plots(use: Any, tmp_path: Path) -> None:
    use(study())
    assert cli.main(["run", case_file(tmp_path, more="\n[output]\nplots = false\n"), "--out", "here"]) == 0
    assert "here/te.png" not in names(tmp_path)


FAILURES = [
    (NonConvergence("phase 0.25", 1e-3, 1e-8, "use more elements"), "no convergence at phase 0.25"),
    (KeyboardInterrupt(), "stopped by the user"),
    (MemoryError(), "out of memory"),
    (TypeError("a bug"), "internal error: TypeError: a bug"),
]


@pytest.mark.parametrize(("error", "line"), FAILURES)
def test_a_failed_analysis_keeps_what_was_computed(
    use: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], error: BaseException, line: str
) -> None:
    use(study(stop=error))
    assert cli.main(["run", case_file(tmp_path), "--out", "out"]) == 1
    err = capsys.readouterr().err
    assert line in err
    assert "kept in out, marked incomplete" in err
    assert "Traceback" not in err
    assert names(tmp_path) == [
        f"out/{name}" for name in ("about.json", "fields/series.pvd", "result.nc", "summary.json")
    ]
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["complete"] is False


@pytest.mark.parametrize(("error", "line"), FAILURES)
def test_a_failure_before_the_first_position_writes_nothing(
    use: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], error: BaseException, line: str
) -> None:
    use(study(stop=error, early=True))
    assert cli.main(["run", case_file(tmp_path), "--out", "out"]) == 1
    assert line in capsys.readouterr().err
    assert names(tmp_path) == []
    assert [p.name for p in tmp_path.iterdir()] == ["case.toml"]


def test_a_failed_run_does_not_touch_a_complete_result(use: Any, tmp_path: Path) -> None:
    case = case_file(tmp_path)
    use(study())
    assert cli.main(["run", case, "--out", "out"]) == 0
    before = (tmp_path / "out" / "result.nc").read_bytes()
    use(study(stop=KeyboardInterrupt()))
    assert cli.main(["run", case, "--out", "out"]) == 1
    assert (tmp_path / "out" / "result.nc").read_bytes() == before
    assert json.loads((tmp_path / "out_incomplete" / "summary.json").read_text())["complete"] is False


def test_interrupted_plots_leave_the_result_marked_incomplete(use: Any, tmp_path: Path) -> None:
    def report(result: Any, directory: Path) -> None:
        raise KeyboardInterrupt

    use(study(), report)
    assert cli.main(["run", case_file(tmp_path), "--out", "out"]) == 1
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["complete"] is False


def test_full_disk(use: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def report(result: Any, directory: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    case = case_file(tmp_path)
    use(study())
    assert cli.main(["run", case, "--out", "out"]) == 0
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    capsys.readouterr()
    use(study(), report)
    assert cli.main(["run", case, "--out", "out"]) == 1
    assert "No space left on device; nothing was changed there; free some space" in capsys.readouterr().err
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before


def test_a_plot_that_fails_leaves_the_numbers_complete(
    use: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from alegear.pictures.files import PlotFailure

    def report(result: Any, directory: Path) -> None:
        raise PlotFailure({"te.png": "ValueError: no font"})

    use(study(), report)
    assert cli.main(["run", case_file(tmp_path), "--out", "out"]) == 1
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["complete"] is True
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "warning: not drawn: te.png (ValueError: no font); the numbers of the result are complete"


@pytest.mark.parametrize("request_to_end", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_request_to_end_is_that_of_ctrl_c(
    use: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str], request_to_end: int
) -> None:
    def run(case: Case, out: Path | None = None, progress: Progress | None = None, report: Any = None, **_: Any) -> Any:
        study()(case, out, progress, report)
        os.kill(os.getpid(), request_to_end)
        time.sleep(10.0)  # the signal arrives at once

    if signal.getsignal(request_to_end) is signal.SIG_IGN:  # under nohup, which the command respects
        signal.signal(request_to_end, signal.SIG_DFL)
    before = signal.getsignal(request_to_end)
    use(run)
    assert cli.main(["run", case_file(tmp_path), "--out", "out"]) == 1
    words = capfd.readouterr().err
    assert words.index("stopping ...") < words.index("stopped by the user")  # at once, not when all is written
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["complete"] is False
    assert signal.getsignal(request_to_end) is before


def test_resume_without_a_checkpoint_is_one_line_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = tmp_path / "case.toml"
    case.write_bytes((MESHES / "spur_20_30_dynamic.toml").read_bytes())
    assert cli.main(["run", str(case), "--out", str(tmp_path / "out"), "--resume"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        f"--resume = {tmp_path / 'out'}: must be a folder with a checkpoint (there is none); "
        "leave out --resume (resume=True) to begin anew"
    )
    assert [p.name for p in tmp_path.iterdir()] == ["case.toml"]


def test_an_interrupted_run_says_how_to_go_on_and_a_complete_one_leaves_no_checkpoint(
    use: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(case: Case, out: Path, *, checkpoint: Path, resume: bool, **options: Any) -> Any:
        checkpoint.mkdir(parents=True, exist_ok=True)
        (checkpoint / "state").write_bytes(b"")
        return study(stop=None if resume else KeyboardInterrupt())(case, out, **options)

    use(run)
    arguments = ["run", case_file(tmp_path), "--out", "out"]
    assert cli.main(arguments) == 1
    assert "the same command with --resume goes on from the last checkpoint" in capsys.readouterr().err
    assert (tmp_path / "out" / "checkpoint").is_dir()
    assert cli.main([*arguments, "--resume"]) == 0
    assert not (tmp_path / "out" / "checkpoint").exists()
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["complete"] is True


def test_an_interrupt_at_the_start_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    with pytest.raises(SystemExit) as end:
        runpy.run_module("alegear", run_name="__main__")
    assert end.value.code == 1
    assert capsys.readouterr().err == "stopped by the user\n"


@pytest.mark.parametrize("command", ["run", "mesh"])
def test_an_empty_output_folder_is_refused(
    use: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    use(study())
    assert cli.main([command, case_file(tmp_path), "--out", ""]) == 2
    assert "not empty" in capsys.readouterr().err
    assert names(tmp_path) == []


def test_files_of_the_user_are_found_before_anything_is_computed(
    use: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    use(study(stop=AssertionError("computed")))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "te.png").write_text("mine")
    assert cli.main(["run", case_file(tmp_path), "--out", "out"]) == 2
    err = capsys.readouterr().err
    assert "it holds te.png that alegear has not written); choose another --out" in err
    assert names(tmp_path) == ["out/te.png"]


@pytest.mark.parametrize("command", ["run", "mesh"])
def test_output_folder_that_cannot_be_written(
    use: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    use(study())
    case = case_file(tmp_path)
    # permissions do not bind the superuser; a path below a file binds everyone
    assert cli.main([command, case, "--out", f"{case}/out"]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert err.startswith(f"output folder = {case}/out: must be a folder that can be written")
    assert names(tmp_path) == []


# ------------------------------------------------------------------------------------------------------------ others


def test_mesh_writes_both_sectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    coarse = (
        "\n[grid]\nflank_elements = 3\nfillet_elements = 2\nthickness_elements = 2\n"
        "width_elements = 1\nrim_elements = 2\n"
    )
    assert cli.main(["mesh", case_file(tmp_path, more=coarse)]) == 0
    grids = [f"{gear}{end}" for gear in ("pinion", "wheel") for end in (".msh", ".vtu")]
    assert names(tmp_path) == [f"case_mesh/{name}" for name in ("about.json", *grids)]
    assert cli.main(["mesh", case_file(tmp_path, more=coarse)]) == 0  # again: they are alegear's own
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "pinion.msh").write_text("mine")
    assert cli.main(["mesh", case_file(tmp_path, more=coarse), "--out", "mine"]) == 2
    assert (tmp_path / "mine" / "pinion.msh").read_text() == "mine"
    more = "\n[pinion.grid]\nfile = 'case_mesh/pinion.msh'\n[wheel.grid]\nfile = 'case_mesh/wheel.vtu'\n"
    assert cli.main(["check", case_file(tmp_path, more=more)]) == 0
    assert cli.main(["check", case_file(tmp_path, more=coarse + more)]) == 2  # the numbers would have no effect


def test_check_of_a_machine_prints_its_parts_and_draws_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case, picture = str(MESHES / "two_stage_helical.toml"), tmp_path / "layout.png"
    assert cli.main(["check", case, "--json", "--picture", str(picture)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data) == [
        "gears",
        "meshes",
        "shafts",
        "bearings",
        "drives",
        "loads",
        "deviations",
        "flanks",
        "warnings",
    ]
    assert list(data["gears"]) == ["p1", "w1", "p2", "w2"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert cli.main(["check", case]) == 0
    told = capsys.readouterr().out
    assert all(name in told for name in ("input_ball", "transverse_force N", "tilt_stiffness Nm/rad", "phase pitches"))
    assert cli.main(["check", case, "--picture", str(tmp_path / "layout.pdf")]) == 2


def test_mesh_of_a_machine_writes_each_gear_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["mesh", str(MESHES / "idler_3_gears.toml"), "--out", "grids"]) == 0
    gears = ("idler_gear", "pinion", "wheel")
    grids = [f"{gear}{end}" for gear in gears for end in (".msh", ".vtu")]
    assert names(tmp_path) == [f"grids/{name}" for name in ("about.json", *grids)]


COARSE = (
    "\n[grid]\nflank_elements = 2\nfillet_elements = 2\nthickness_elements = 2\nwidth_elements = 1\nrim_elements = 2\n"
)


def test_a_full_disk_while_writing_grids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import meshio

    def no_space(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(meshio.vtu, "write", no_space)
    assert cli.main(["mesh", case_file(tmp_path, more=COARSE), "--out", "out"]) == 1
    assert "writing out/pinion.vtu: No space left on device; nothing was changed there" in capsys.readouterr().err
    assert names(tmp_path) == []


def test_check_compares_given_grids_with_the_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["mesh", case_file(tmp_path, more=COARSE), "--out", "grids"]) == 0
    more = "\n[pinion.grid]\nfile = 'grids/pinion.msh'\n"
    capsys.readouterr()
    case = case_file(tmp_path, old="face_width_mm    = 30.0", new="face_width_mm = 31.0", more=more)
    assert cli.main(["check", case]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert "pinion.grid.file = " in err
    assert "face width [mm]" in err
    assert "= 30 must be face_width_mm = 31, within 0.0004; correct face_width_mm" in err
    assert cli.main(["check", case_file(tmp_path, old="= 35.8", new="= 30.0", more=more)]) == 0
    assert "warning: pinion.grid.file has the bore diameter 35.8 mm" in capsys.readouterr().err


def test_a_title_with_markup_is_printed_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    title = "[/bold] $x [red]"
    (tmp_path / "case.toml").write_text(f'title = "{title}"\n' + SPUR.replace("title", "#", 1))
    assert cli.main(["check", str(tmp_path / "case.toml")]) == 0
    assert title in capsys.readouterr().out


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info"]) == 0
    out = capsys.readouterr().out
    for word in ("alegear", "numpy", "gmsh", "threads", "cache"):
        assert word in out


def test_show_without_a_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", str(tmp_path / "none")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_show_of_a_machine_without_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "meshes").mkdir()
    assert cli.main(["show", str(tmp_path), "--screenshot", str(tmp_path / "f.png")]) == 2
    assert "fields of the machine" in capsys.readouterr().err


def test_traceback_on_request(use: Any, tmp_path: Path) -> None:
    use(study(stop=TypeError("a bug"), early=True))
    with pytest.raises(TypeError, match="a bug"):
        cli.main(["run", case_file(tmp_path), "--traceback"])


def test_import_is_lazy() -> None:
    code = (
        "import alegear as ag, sys; heavy = {'numpy', 'numba', 'gmsh', 'xarray', 'pyvista', 'matplotlib'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules);"
        "assert ag.Gear.__name__ == 'Gear'; assert ag.mesh_sector; assert 'run' in dir(ag)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


@pytest.mark.parametrize("name", ["spur_13_97_dynamic", "helical_24_95"])
def test_check_does_without_what_only_a_run_needs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as it is clear that the memory will do: else the grids are made."""
    monkeypatch.setenv("ALEGEAR_MEMORY_MB", "inf")
    code = (
        "import sys; from alegear.cli import main; assert main(['check', sys.argv[1]]) == 0;"
        "heavy = {'numba', 'scipy', 'gmsh', 'xarray', 'matplotlib'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code, MESHES / f"{name}.toml"], check=True, cwd=Path(__file__).parents[2])


def test_a_reader_that_has_gone_is_no_error() -> None:
    """``alegear check case.toml | head -1``, and one that reads nothing at all."""
    command = f"{sys.executable} -m alegear check {MESHES / 'spur_20_30.toml'} | head -c 1 >/dev/null; echo $PIPESTATUS"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, check=True)
    assert done.stderr == ""
    assert done.stdout.strip() == "0"


@pytest.mark.parametrize(
    ("command", "streams", "code", "line"),
    [
        ("check", ">&- 2>&-", 0, ""),
        ("check", "2>/dev/full", 0, ""),
        (
            "check",
            ">/dev/full",
            1,
            "standard output: No space left on device; the rest of what was to be printed is lost",
        ),
        ("nothing", "<&- >&- 2>&-", 2, ""),
    ],
)
def test_streams_that_are_closed_or_full_change_nothing(command: str, streams: str, code: int, line: str) -> None:
    """Exit code 1 only where what cannot be printed is all that there is."""
    script = f"{sys.executable} -m alegear {command} {MESHES / 'spur_20_30.toml'} {streams}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr.strip()) == (code, line)


def test_a_run_is_whole_without_streams(use: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With none at all, and with a full one: the result is there, and the command is done."""
    use(study())
    for out in ("closed", "full"):
        with open("/dev/full", "w") as full, monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", full if out == "full" else None)
            patch.setattr(sys, "stderr", None)
            assert cli.main(["run", case_file(tmp_path), "--out", out]) == 0
        assert json.loads((tmp_path / out / "summary.json").read_text())["complete"] is True


def test_a_folder_that_is_gone_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = Path.cwd()
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    try:
        gone.rmdir()
        assert cli.main(["check", str(MESHES / "spur_20_30.toml")]) == 2
    finally:
        os.chdir(here)
    assert capsys.readouterr().err.startswith("working folder = No such file or directory (deleted or moved)")


@pytest.mark.parametrize(
    ("name", "value", "limit"),
    [
        ("ALEGEAR_PLAIN_NUMBA", "foo", "0, 1 or some of store, inner, passes, lean"),
        ("ALEGEAR_CACHE_DIR", "/dev/null", "the name of a folder, not of a file"),
        ("OMP_NUM_THREADS", "\u00b2", "whole numbers from 1, with commas between them"),
        ("OMP_NUM_THREADS", "9" * 5000, "whole numbers from 1"),
        ("NUMBA_NUM_THREADS", "-1", "a whole number from 1"),
        ("NUMBA_OPT", "foo", "0, 1, 2, 3 or max"),
        ("NUMBA_CPU_FEATURES", "foo", "names of features with + or - before each"),
        ("NUMBA_DISABLE_JIT", "foo", "a whole number, 0 or 1"),
    ],
)
@pytest.mark.parametrize("command", ["check", "run", "mesh", "vary"])
def test_odd_variables_of_the_environment_are_refused_by_name(
    command: str, name: str, value: str, limit: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By `check` as by a run."""
    monkeypatch.setenv(name, value)
    assert cli.main([command, str(MESHES / "spur_20_30.toml")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{name} = ")
    assert f"must be {limit}" in line
    assert len(line) < 400


def test_variables_of_others_are_no_reason_to_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Style of plots and width of the terminal."""
    for name, value in (("MPLBACKEND", "foo"), ("COLUMNS", "\u00b2"), ("OMP_NUM_THREADS", " 2 , 1")):
        monkeypatch.setenv(name, value)
    assert cli.main(["check", str(MESHES / "spur_20_30.toml")]) == 0


@pytest.mark.parametrize(("kind", "option"), [("RLIMIT_AS", "ulimit -v"), ("RLIMIT_DATA", "ulimit -d")])
@pytest.mark.parametrize("command", ["check", "run"])
def test_limits_of_memory_in_which_libraries_would_die_are_refused(
    command: str, kind: str, option: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = {getattr(resource, kind): (500_000_000, resource.RLIM_INFINITY)}
    monkeypatch.setattr(resource, "getrlimit", lambda one: limits.get(one, (resource.RLIM_INFINITY,) * 2))
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    assert cli.main([command, str(MESHES / "spur_20_30.toml")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "[MB] = 500: must be at least " in line
    assert f"or set OMP_NUM_THREADS=1 and {option} " in line


def test_what_does_not_print_stays_off_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A title with escape sequences, a file name with a line break."""
    text = SPUR.replace('title = "', 'title = "\\u001b[31m', 1)
    assert text != SPUR
    path = tmp_path / "case.toml"
    path.write_text(text)
    assert cli.main(["check", str(path)]) == 0
    assert "\x1b" not in capsys.readouterr().out
    strange = tmp_path / "a\nb.toml"
    strange.write_text(SPUR.replace("teeth = 20", "teeth = 4", 1).replace("teeth            = 20", "teeth = 4", 1))
    assert cli.main(["check", str(strange)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_byte_order_mark_and_numbers_without_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.toml"
    path.write_bytes(b"\xef\xbb\xbf" + SPUR.encode())
    assert cli.main(["check", str(path)]) == 0
    capsys.readouterr()
    for digits in ("9" * 4400, "0x" + "f" * 4400):
        path.write_text(SPUR.replace("[wheel]", f"[wheel]\nteeth_modelled = {digits}", 1))
        assert cli.main(["check", str(path)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"{path}: ")
        assert len(line) < 500


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ('"" = 1\n', "'' = 1: no such key"),
        (f"{'k' * 5000} = 1\n", "kk...: must be a key of at most 4096 letters"),
        ('output = "abc"\n', 'output = "abc": must be a table'),
        ('contact = "abc"\n', 'contact = "abc": must be a table'),
        ('pinion.flank.pitch_deviation_csv = "a\\u0000b"\n', "pitch_deviation_csv"),
        ('pinion.grid.file = "a\\u0000b"\n', "no such file"),
        ("output.points = [{zzz = 1, gear = 'pinion', fillet_share = 0.5}]\n", "output.points[0].zzz = 1: no such key"),
    ],
)
def test_strange_tables_and_keys_are_faults(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str, line: str
) -> None:
    pair = "pair = {normal_module_mm = 4.0}\noperation = {pinion_torque_Nm = 1.0}\nanalysis = {kind = 'static'}\n"
    pinion = "pinion.teeth = 20\npinion.face_width_mm = 20.0\npinion.bore_diameter_mm = 35.8\n"
    wheel = "wheel = {teeth = 30, face_width_mm = 20.0, bore_diameter_mm = 54.2}\n"
    path = tmp_path / "case.toml"
    path.write_text(more + pinion + wheel + pair)
    assert cli.main(["check", str(path)]) == 2
    words = capsys.readouterr().err
    assert line in words
    assert "internal error" not in words
    assert max(map(len, words.splitlines())) < 1000


@pytest.mark.parametrize("number", ["-1", "x"])
def test_the_number_of_a_position_counts_from_0(capsys: pytest.CaptureFixture[str], number: str) -> None:
    assert cli.main(["show", "somewhere", "--position", number]) == 2
    assert "must be a whole number from 0" in capsys.readouterr().err


def test_an_interrupt_while_the_command_is_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from alegear.__main__ import main

    class Interrupted(ModuleType):
        def __getattr__(self, name: str) -> Any:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "alegear.cli", Interrupted("alegear.cli"))
    assert main() == 1
    assert capsys.readouterr().err == "stopped by the user\n"


def test_a_machine_of_torsional_parts_is_checked_and_drawn_as_a_graph(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "graph.png"
    assert cli.main(["check", str(MESHES / "gear_shift.toml"), "--picture", str(picture)]) == 0
    out = capsys.readouterr().out
    assert "degrees of freedom: 2 with clutches, brakes and freewheels open, 0 with all of them closed" in out
    assert "sun engine" in out.replace("\n", " ")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert cli.main(["check", str(MESHES / "gear_shift.toml"), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["degrees_of_freedom"] == {"open": 2, "closed": 0}
    assert data["parts"]["set"]["ratio"] == 1.5


def test_a_machine_of_torsional_parts_runs_to_its_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert cli.main(["run", str(MESHES / "gear_shift.toml"), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "2.040816" in said  # the brake slips; Modelica Standard Library: 2.0408163
    assert "energy: input" in said
    assert "4 events" in said
    names = {path.name for path in out.iterdir()}
    pictures = {"speeds.png", "torques.png", "modes.png", "losses.png", "energy.png", "power_flow.png"}
    of_run = {"result.nc", "summary.json", "about.json", "case_as_run.toml"}
    assert names == of_run | {"events.csv", "orders.json"} | pictures
    rows = (out / "events.csv").read_text().splitlines()
    assert [row.split(",")[1:] for row in rows[1:]] == [
        ["clutch", "free", "backward"],
        ["brake", "stuck", "forward"],
        ["brake", "forward", "free"],
        ["clutch", "backward", "stuck"],
    ]
    assert cli.main(["show", str(out)]) == 2
    assert "torsional parts have no stress" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["mesh"], "torsional parts have no grids"),
        (["run", "--resume"], "takes seconds and leaves none; leave out --resume"),
    ],
)
def test_what_torsional_parts_do_not_have_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], said: str
) -> None:
    out = tmp_path / "out"
    assert cli.main([*command, str(MESHES / "gear_shift.toml"), "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not out.exists()
