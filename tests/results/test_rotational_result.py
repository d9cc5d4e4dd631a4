"""Results of torsional machines: the contract of the file, events, what is read back."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import alegear as ag
from alegear.results.result import Result
from alegear.results.switch_events import Event, events, write_events
from alegear.results.variables import ROTATIONAL
from alegear.storage.store import EVENTS_FILE, PARTS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "view"))
from made_up_trains import train

SUMMARY = {"analysis": "dynamic", "rotational": True, "case_sha256": "0" * 64, "complete": True}


def test_every_variable_has_its_dimensions_unit_and_name() -> None:
    dataset = train(4)
    for name, variable in ROTATIONAL.items():
        assert dataset[name].dims == ("time", *variable.dims)
        assert dataset[name].attrs["units"] == variable.units
        assert len(dataset[name].attrs["long_name"]) > 3
    for name in dataset.coords:
        assert dataset[name].attrs["units"] in ("s", "1")
        assert dataset[name].attrs["long_name"]
    assert {name: dataset.sizes[name] for name in ("body", "part", "flange", "switch", "event")} == {
        "body": 4,
        "part": 5,
        "flange": 8,
        "switch": 3,
        "event": 3,
    }


def test_events_are_a_table() -> None:
    assert events(train(3)) == [Event(0.25, "gear 0", 0, 1), Event(0.5, "gear 1", 0, 1)]
    assert events(train(3, switches=False)) == []


def test_the_table_of_events_keeps_every_digit(tmp_path: Path) -> None:
    found = [Event(1.0 / 3.0, 'a "quoted", name', -1, 0), Event(2.0, "b", 0, 2)]
    write_events(tmp_path, found)
    with open(tmp_path / EVENTS_FILE, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["time_s"]) for row in rows] == [event.time for event in found]
    assert [(row["switch"], row["before"], row["after"]) for row in rows] == [
        ('a "quoted", name', "backward", "stuck"),
        ("b", "stuck", "free"),
    ]


@pytest.mark.parametrize("switches", [True, False])
def test_a_result_is_read_back_as_it_was_saved(tmp_path: Path, switches: bool) -> None:
    dataset = train(3, switches=switches)
    Result(dataset=dataset, summary=SUMMARY).save(tmp_path / "one")
    ag.load(tmp_path / "one").save(tmp_path / "two")
    for name in ("one", "two"):
        back = ag.load(tmp_path / name).dataset
        assert back.identical(dataset)
        assert events(back) == events(dataset)
        assert (tmp_path / name / EVENTS_FILE).read_text().count("\n") == 1 + len(events(dataset))
    assert EVENTS_FILE in PARTS  # replaced by the next result


def test_a_machine_without_switches_runs(tmp_path: Path) -> None:
    """A constant torque on one body, in closed form: omega = t, E = t^2/2."""
    m = ag.Machine("one body")
    m.add("wheel", ag.Rotor1D(inertia=1.0))
    m.add("drive", ag.TorqueSource(at="wheel", torque=1.0))
    result = m.run(tmp_path / "out", duration=1.0)
    assert (result.dataset.sizes["switch"], result.dataset.sizes["event"]) == (0, 0)
    time = result.dataset["time"].to_numpy()
    np.testing.assert_allclose(result.dataset["speed"].sel(body="wheel"), time, atol=1e-9)  # tolerance of the steps
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["energy"]["kinetic_J"] == pytest.approx(0.5)
    assert set(summary["seconds"]) == {"solve", "write", "total"}  # nothing is meshed or reduced
    assert "memory_estimate_MB" not in summary
    assert events(ag.load(tmp_path / "out").dataset) == []
    assert (tmp_path / "out" / EVENTS_FILE).read_text() == "time_s,switch,before,after\n"


def test_a_run_of_seconds_has_nothing_to_be_resumed(tmp_path: Path) -> None:
    m = ag.Machine("one body")
    m.add("wheel", ag.Rotor1D(inertia=1.0))
    case = m.case(ag.RotationalMotion(duration=1.0))
    with pytest.raises(ag.Fault, match="takes seconds and leaves none"):
        ag.run(case, tmp_path / "out", resume=True)
    assert not (tmp_path / "out").exists()
