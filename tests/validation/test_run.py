"""The command that runs all folders of validation/: rows, failures, table, and that every folder is tested."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from script_files import load_script

from alegear.errors import Fault

run = load_script("validation/run.py")
checks = sys.modules["checks"]
PAGE = Path(__file__).parents[2] / "docs" / "how_to_add_a_validation.md"


def row(value: float, **given: Any) -> Any:
    return checks.Row(**{"quantity": "q", "source": "by hand", "value": value} | given)


@pytest.mark.parametrize(
    ("given", "share"),
    [
        ({"value": 1.02, "reference": 1.0, "bound": 0.04}, 0.5),
        ({"value": -1.02, "reference": -1.0, "bound": 0.01}, 2.0),
        ({"value": 12.0, "reference": 10.0, "of": 100.0, "bound": 0.01}, 2.0),
        ({"value": -3.0, "reference": 0.0, "kind": "absolute", "bound": 6.0}, 0.5),
        ({"value": 3e-9, "kind": "at most", "bound": 1e-9}, 3.0),
        ({"value": 0.0, "kind": "at most", "bound": 0.0}, 0.0),
        ({"value": 1e-300, "kind": "at most", "bound": 0.0}, math.inf),
        ({"value": 0.2, "kind": "at least", "bound": 0.1}, 0.5),
        ({"value": 0.0, "kind": "at least", "bound": 0.1}, math.inf),
        ({"value": -0.1, "kind": "at least", "bound": 0.0}, math.inf),
        ({"value": 0.1, "kind": "at least", "bound": 0.0}, 0.0),
        ({"value": math.nan, "kind": "at least", "bound": 0.1}, math.inf),
        ({"value": math.nan, "reference": 1.0, "bound": 0.1}, math.inf),
        ({"value": 2.0, "reference": 1.0}, math.nan),
        ({"value": 2.0, "missing": "file.csv", "bound": 0.1}, math.nan),
    ],
)
def test_a_row_knows_what_of_its_bound_it_uses(given: dict[str, Any], share: float) -> None:
    found = row(**given)
    assert found.share == pytest.approx(share, nan_ok=True)
    assert found.beyond == (share > 1.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "no reference"),
        ({"reference": 1.0, "kind": "at most"}, "leave them out"),
        ({"reference": 0.0}, "kind = 'absolute'"),
        ({"reference": 1.0, "bound": -1.0}, "at least 0"),
        ({"reference": 1.0, "kind": "about"}, "must be"),
        ({"reference": 1.0, "source": ""}, "name both"),
    ],
)
def test_a_row_that_says_nothing_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(Fault) as refused:
        row(1.0, **given)
    assert words in str(refused.value)


def test_the_worst_of_many_is_named() -> None:
    many = [row(1.0 + off, quantity=f"at {off:g}", reference=1.0, bound=0.1) for off in (0.05, -0.2, 0.1)]
    found = checks.worst("error", many)
    assert (found.quantity, found.value, found.beyond) == ("error, worst of 3 (at -0.2)", 0.8, True)
    with pytest.raises(Fault, match="always holds"):
        checks.worst("error", [])


def test_cells_tell_numbers_with_units_and_what_is_not_here() -> None:
    assert row(1.0005, reference=1.0, bound=0.01, unit="um").cells()[1:5] == ["1.0005 um", "1 um", "+0.05 %", "1 %"]
    assert row(3e-9, kind="at most", bound=1e-9).cells()[1:5] == ["3.0e-09", "", "", "**beyond** <= 1.0e-09"]
    assert row(9.3, reference=1.0, bound=0.01).cells()[3] == "+830 %"
    assert row(2.3016e5, reference=2.3e5, unit="N", kind="absolute").cells()[1:4] == ["230160 N", "230000 N", "+160 N"]
    assert row(2.5e9, reference=2.5e9).cells()[1] == "2.5e+09"
    missing = row(2.0, missing="file.csv", bound=0.1)
    assert missing.cells()[2] == "reference not here"


FOLDERS = {
    "crashes": ["yield Row(quantity='a', value=1.0, reference=1.0, source='s', bound=0.1)", "raise OSError('no disk')"],
    "is_beyond": ["yield Row(quantity='b|c', value=2.0, reference=1.0, source='s', bound=0.1)"],
    "is_empty": ["yield from ()"],
    "is_missing": ["yield Row(quantity='d', value=2.0, missing='x.csv', source='s', bound=0.1)"],
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Of the folder of the page on how to add one, of one that crashes, and of others."""
    root = tmp_path_factory.mktemp("validation")
    shutil.copy(Path(run.__file__).parent / "checks.py", root)
    head = "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).resolve().parents[1]))\n"
    head += "from checks import Row, alone\n\n\ndef rows(quick):\n"
    tail = "\n\n\nsys.exit(alone(rows, __doc__))\n"
    texts = {name: head + "\n".join(f"    {line}" for line in body) + tail for name, body in FOLDERS.items()}
    (texts["bar"], _) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    for name, text in texts.items():
        (root / name).mkdir()
        (root / name / "run.py").write_text(text, encoding="utf-8")
    assert run.folders(root) == sorted(texts)
    return run.run(run.folders(root), quick=True, root=root)


def test_a_folder_that_fails_keeps_its_rows_and_stops_no_other(outcomes: Any) -> None:
    bad = {name: one.bad for name, one in outcomes.items()}
    assert bad["bar"] == bad["is_missing"] == []
    assert bad["crashes"] == ["crashes failed: OSError: no disk"]
    assert len(outcomes["crashes"].rows) == 1
    assert bad["is_empty"] == ["is_empty failed: exit code 0, no row"]
    (words,) = bad["is_beyond"]
    assert words == "is_beyond: b|c: 2 (1 by s; +100 %), bound **beyond** 10 %"
    assert outcomes["is_missing"].not_compared == 1
    assert outcomes["bar"].rows[0].difference == pytest.approx(0.0, abs=1e-12)  # the rule is exact for straight lines


def test_the_tables_are_written_between_their_marks(outcomes: Any, tmp_path: Path) -> None:
    run.write(tmp_path / "results.json", outcomes)
    again = run.read(tmp_path / "results.json")
    text = f"before\n{run.BEGIN}\nold\n{run.END}\nafter\n"
    new = run.rewritten(text, again)
    assert new == run.rewritten(new, outcomes)
    assert new.startswith("before\n")
    assert new.endswith("after\n")
    assert "\nold\n" not in new
    assert "\n## [crashes](crashes/README.md)\n\n| quantity | alegear |" in new
    assert "\n| **failed** | OSError: no disk |" in new
    assert "| b\\|c | 2 | 1 | +100 % | **beyond** 10 % | s |" in new
    assert "| reference not here |" in new
    with pytest.raises(ValueError, match="once each"):
        run.rewritten("no marks", outcomes)


def test_what_is_broken_off_keeps_the_folders_before(
    outcomes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables, too; folders that are no more do not stay."""

    def computed(name: str, **_: Any) -> Any:
        return outcomes[name] if name == "bar" else pytest.fail("the power is cut")

    monkeypatch.setattr(run, "HERE", tmp_path)
    monkeypatch.setattr(run, "folders", lambda: ["bar", "crashes"])
    monkeypatch.setattr(run, "compute", computed)
    run.write(tmp_path / "results.json", {"is_gone": outcomes["is_beyond"]})
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{run.BEGIN}\nold\n{run.END}\n", encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match="the power is cut"):
        run.main(["bar", "crashes"])
    assert list(run.read(tmp_path / "results.json")) == ["bar"]
    assert "\n## [bar](bar/README.md)\n" in readme.read_text(encoding="utf-8")


def test_tables_are_written_without_computing(outcomes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "HERE", tmp_path)
    monkeypatch.setattr(run, "run", lambda *_, **__: pytest.fail("computed"))
    run.write(tmp_path / "results.json", outcomes)
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{run.BEGIN}\nold\n{run.END}\n", encoding="utf-8")
    assert run.main(["--table"]) == 0
    assert readme.read_text(encoding="utf-8") == run.rewritten(f"before\n{run.BEGIN}\n{run.END}\n", outcomes)


def test_the_slowest_comes_last() -> None:
    def taken(name: str, seconds: float) -> Any:
        return run.Outcome(name=name, rows=(), seconds=(seconds,))

    kept = {"a": taken("a", 9.0), "b": taken("b", 1.0)}
    assert run.by_cost(["a", "b", "new"], kept) == ["new", "b", "a"]


def test_names_that_are_none_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run.main(["no_such_folder"])
    assert "no folder of validation: no_such_folder" in capsys.readouterr().err


def test_the_list_names_every_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--list"]) == 0
    told = capsys.readouterr().out
    for name in run.folders():
        assert re.search(rf"^{name} .*\w{{3}}", told, flags=re.M), name


def test_what_is_kept_is_what_the_readme_shows() -> None:
    kept = run.read(run.HERE / "results.json")
    text = (run.HERE / "README.md").read_text(encoding="utf-8")
    assert run.rewritten(text, kept) == text
    assert not [line for one in kept.values() for line in one.bad]
    assert "seconds" in json.loads((run.HERE / "results.json").read_text(encoding="utf-8"))["rotor_rao_1998"]["rows"][0]


def test_every_folder_is_asked_by_a_test() -> None:
    here = Path(__file__).parent
    asked = {
        name for path in here.glob("test_*.py") for name in re.findall(r'bounds\("(\w+)"', path.read_text("utf-8"))
    }
    assert set(run.folders()) <= asked
