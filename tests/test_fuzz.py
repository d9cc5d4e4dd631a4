"""Short form of ``scripts/fuzz.py``: strange values are refused in a line, or taken and computed as promised."""

from __future__ import annotations

import random

import pytest
from script_files import load_script

fuzz = load_script("scripts/fuzz.py")
trains = fuzz.random_trains
surroundings = fuzz.fuzz_surroundings


def every(usual: int, thorough: int) -> pytest.MarkDecorator:
    """Every so manyth key always, and every so manyth one (1: each) in a thorough run."""
    return pytest.mark.parametrize("keys_each", [usual, pytest.param(thorough, marks=pytest.mark.thorough)])


@every(8, 1)
def test_nothing_goes_wrong_with_strange_values(keys_each: int) -> None:
    """A value of some keys in each kind of analysis, and a sample of grids and objects."""
    more = {"grids": 8 // keys_each, "objects": 200 // keys_each}
    counts, wrong = fuzz.fuzz(cases=1, runs=1, **more, seed=1, keys_each=keys_each, forms=["pair"])
    assert wrong == []
    assert counts["keys"] > 150
    assert counts["cases"]["refused"] > 300 // keys_each
    assert counts["cases"]["taken"] > 10 // keys_each
    assert sum(counts["grids"].values()) == 8 // keys_each


@every(12, 3)
def test_nothing_goes_wrong_with_strange_machines(keys_each: int) -> None:
    """A value of some keys of a machine in each kind of analysis."""
    counts, wrong = fuzz.fuzz(cases=1, runs=0, grids=0, objects=0, seed=2, keys_each=keys_each, forms=["machine"])
    assert wrong == []
    assert counts["keys"] > 120
    assert counts["cases"]["refused"] > 240 // keys_each
    assert counts["cases"]["taken"] > 0


@every(4, 1)
def test_nothing_goes_wrong_with_strange_torsional_parts(keys_each: int) -> None:
    """A value of some keys."""
    counts, wrong = fuzz.fuzz(cases=1, runs=0, grids=0, objects=0, seed=3, keys_each=keys_each, forms=["turning"])
    assert wrong == []
    assert counts["keys"] > 60
    assert counts["cases"]["refused"] > 80 // keys_each
    assert counts["cases"]["taken"] > 5 // keys_each


@every(8, 4)
def test_nothing_goes_wrong_with_strange_planetary_sets_on_teeth(keys_each: int) -> None:
    """A value of some keys in each kind of analysis, and a run of one that is taken."""
    counts, wrong = fuzz.fuzz(cases=1, runs=1, grids=0, objects=0, seed=5, keys_each=keys_each, forms=["sets"])
    assert wrong == []
    assert counts["keys"] > 80
    assert counts["cases"]["refused"] > 160 // keys_each
    assert counts["cases"]["taken"] > 20 // keys_each
    assert counts["runs"]["exit code 0"] > 0


def test_nothing_goes_wrong_with_strange_bodies_in_space() -> None:
    """A value of each key, and a run of one that is taken."""
    counts, wrong = fuzz.fuzz(cases=1, runs=1, grids=0, objects=0, seed=4, forms=["space"])
    assert wrong == []
    assert counts["keys"] > 70
    assert counts["cases"]["refused"] > 80
    assert counts["cases"]["taken"] > 2
    assert counts["runs"]["exit code 0"] > 0


@pytest.mark.parametrize("name", ["machine", "turning", "sets", "space"])
def test_sound_machines_are_taken(name: str) -> None:
    """What is changed is sound before, in every kind of analysis."""
    form = fuzz.FORMS[name]
    for kind in form.kinds:
        assert form.read(fuzz.text_of(form.base(kind)).encode()).analysis.kind == kind


def test_what_should_be_found_is_found() -> None:
    """The checks themselves: an error that is no fault, a message of two lines, a case that cannot be."""
    heard: list[str] = []
    assert fuzz.try_case("pair = 3\n", lambda kind, what: heard.append(kind), "x") is None
    assert heard == []
    found = fuzz.Case.from_bytes
    try:
        fuzz.Case.from_bytes = lambda content: 1 / 0
        fuzz.try_case("", lambda kind, what: heard.append(kind), "x")
    finally:
        fuzz.Case.from_bytes = found
    assert heard == ["case"]


@pytest.mark.parametrize("number", [60, pytest.param(200, marks=pytest.mark.thorough)])
def test_random_trains_move_and_close_their_energy(number: int) -> None:
    """Two to eight parts each; what is refused has the fault that is named, by other means."""
    heard: list[str] = []
    seed = random.Random(0)
    found = trains.fuzz_trains(number, seed, lambda kind, what: heard.append(f"{kind}: {what}"), duration=0.1)
    assert heard == []
    assert found["run"] > 0.7 * number  # one of five is refused, mostly for speeds that leave a ratio
    assert sum(found.values()) == number


@pytest.mark.parametrize(("overrunning", "right"), [("backward", False), ("forward", True)])
def test_trains_that_no_motion_can_satisfy_end_rightly(overrunning: str, right: bool) -> None:
    """A drive that turns a freewheel, by way of gears, into the sense in which it locks."""
    parts = [
        trains.Rotor1D(name="a", inertia=1.0),
        trains.Rotor1D(name="b", inertia=1.0),
        trains.RatioGear(name="g", between=("a", "b"), ratio=-2.0),
        trains.SpeedSource(name="s", at="a", speed=[(0.0, 1.0), (0.01, -1.0)]),
        trains.Freewheel(name="f", between=("a", "ground"), overrunning=overrunning),
    ]
    assert trains.drives_what_locks(parts)  # it passes zero: one sense of the two is always locked
    parts[3] = trains.SpeedSource(name="s", at="a", speed=-1.0)
    assert trains.drives_what_locks(parts) is not right
    parts[4] = trains.Freewheel(name="f", between=("b", "ground"), overrunning=overrunning)
    assert trains.drives_what_locks(parts) is right


def test_what_is_wrong_with_a_train_is_found() -> None:
    """The checks themselves: energy that is missing, a loss that gives, a slip while stuck, a fault that is none."""
    history, _ = trains.motion_of(trains.random_train(random.Random(11)), 0.05)
    sound = {name: history.values[name] for name in trains.LOOKED_AT}
    through = trains.throughput(sound) + 1.0
    for name, value, kind in (
        ("energy_missing", through, "energy"),
        ("loss", -through - abs(sound["power"]).max(), "loss"),
        ("angle", float("nan"), "not finite"),
    ):
        heard: list[str] = []
        changed = sound | {name: sound[name] + value}
        trains.look_at_train(changed, lambda kind, what, heard=heard: heard.append(kind), "x")
        assert kind in heard
    parts = [trains.Rotor1D(name="a", inertia=1.0), trains.Rotor1D(name="b", inertia=1.0)]
    gear = trains.RatioGear(name="g", between=("a", "b"), ratio=2.0)
    fault = trains.Fault("rate by which speeds at the start leave g", 1.0, "0", "x")
    assert not trains.is_right([*parts, gear], fault)
    assert not trains.is_right([*parts, gear], trains.Fault("joint g", 1.0, "0", "x"))
    moving = [trains.Rotor1D(name="a", inertia=1.0, speed=2.0), trains.Rotor1D(name="b", inertia=1.0, speed=2.0)]
    assert trains.is_right([*moving, gear], fault)
    again = trains.RatioGear(name="h", between=("a", "b"), ratio=2.0)
    assert trains.is_right([*parts, gear, again], trains.Fault("joint h", 1.0, "0", "x"))


@pytest.mark.parametrize("number", [20, pytest.param(400, marks=pytest.mark.thorough)])
def test_nothing_goes_wrong_with_strange_functions(number: int) -> None:
    """Functions over time and of state, controllers and their memories: refused, or what they give is finite."""
    heard: list[str] = []
    found = surroundings.fuzz_functions(number, random.Random(3), lambda kind, what: heard.append(f"{kind}: {what}"))
    assert heard == []
    assert found["refused"] > 0.3 * number
    assert found["run"] > 0


@pytest.mark.parametrize(("number", "runs"), [(4, 0.0), pytest.param(60, 0.2, marks=pytest.mark.thorough)])
def test_nothing_goes_wrong_in_strange_surroundings(number: int, runs: float) -> None:
    """Files that are none, closed streams, limits of memory, odd variables and folders: a line, and an end."""
    heard: list[str] = []
    text = fuzz.text_of(fuzz.base("static"))
    found = surroundings.fuzz_commands(
        number, text, random.Random(5), lambda kind, what: heard.append(f"{kind}: {what}"), runs=runs
    )
    assert heard == []
    assert sum(found.values()) >= number
    assert found["check 2"] > 0


def test_a_command_that_goes_wrong_is_found() -> None:
    """The checks themselves: a signal, a traceback, a command that says nothing or comes to no end."""
    for code, words, kind in (
        (-11, "x", "death"),
        (1, "Traceback", "internal"),
        (2, " ", "silent"),
        (-999, "", "hangs"),
    ):
        heard: list[str] = []
        surroundings.look_at_end("x", code, words, lambda kind, what, heard=heard: heard.append(kind), heard=True)
        assert heard == [kind]
