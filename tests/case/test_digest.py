"""What tells cases apart: functions and objects by all that what they return depends on."""

from __future__ import annotations

import functools
import itertools
import math
import os
import random
import re
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

import numba
import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import alegear as ag
from alegear.case.digest import case_identity
from alegear.drivetrain.spatial.trajectories import PiecewiseTrajectory
from alegear.system.profiles import PiecewiseCubic


def case_with(torque: Any) -> ag.MachineCase:
    """A disk under a torque."""
    machine = ag.Machine("d")
    machine.add("a", ag.Rotor1D(inertia=1.0))
    machine.add("t", ag.TorqueSource(at="a", torque=torque))
    return machine.case(ag.RotationalMotion(duration=0.1))


def scaled(c: Any) -> Callable[[float], float]:
    return lambda t: c * t


def nested(c: float) -> Callable[[float], float]:
    def outer(t: float) -> float:
        return sum((lambda s: c * s)(t) for _ in range(2))

    return outer


class Ramp:
    def __init__(self, k: float) -> None:
        self.k = k

    def __call__(self, t: float) -> float:
        return self.k * t


class Steeper(Ramp):
    def __call__(self, t: float) -> float:
        return 2.0 * self.k * t


class Slotted:
    __slots__ = ("k",)

    def __init__(self, k: float) -> None:
        self.k = k

    def value(self, t: float) -> float:
        return self.k * t


@dataclass
class Own:
    k: float

    def value(self, t: float) -> float:
        return self.k * t


@dataclass
class OwnTwice(Own):
    def value(self, t: float) -> float:
        return 2.0 * self.k * t


class WithState(Ramp):
    def __getstate__(self) -> dict[str, float]:
        return {"k": self.k}


def catches(kind: type[Exception]) -> Callable[[float], float]:
    def f(t: float) -> float:
        try:
            return 1.0 / (t - 1.0)
        except kind:
            return 0.0

    return f


FACTOR = 1.0


def of_global(t: float) -> float:
    return FACTOR * t


def through_another(t: float) -> float:
    return of_global(t)


def with_attribute(k: float) -> Callable[[float], float]:
    def f(t: float) -> float:
        return f.k * t  # type: ignore[attr-defined]

    f.k = k  # type: ignore[attr-defined]
    return f


def module(**values: float) -> types.ModuleType:
    """A module of the user, without a file."""
    made = types.ModuleType("parameters")
    vars(made).update(values)
    return made


def reads(params: types.ModuleType) -> Callable[[float], float]:
    return lambda t: params.k * t


def compiled(k: float) -> Any:
    @numba.njit
    def f(t: float) -> float:
        return k * t

    return f


def polynomial(**terms: float) -> Callable[[float], float]:
    return lambda t: float(np.polyval(list(terms.values()), t))


@functools.lru_cache
def remembered(t: float) -> float:
    return t


@functools.lru_cache
def remembered_otherwise(t: float) -> float:
    return 2.0 * t


DIFFERENT: dict[str, tuple[Any, Any]] = {
    "closure": (scaled(1.0), scaled(2.0)),
    "closure of an array": (scaled(np.array([1.0, 2.0])), scaled(np.array([1.0, 3.0]))),
    "last digit": (scaled(1.0), scaled(math.nextafter(1.0, 2.0))),
    "whole number and float": (scaled(1), scaled(1.0)),
    "closure two deep": (nested(1.0), nested(2.0)),
    "names": (lambda t: 5.0 * math.sin(t), lambda t: 5.0 * math.cos(t)),
    "default": (lambda t, k=1.0: k * t, lambda t, k=9.0: k * t),
    "keyword default": (lambda t, *, k=1.0: k * t, lambda t, *, k=9.0: k * t),
    "partial": (functools.partial(lambda k, t: k * t, 1.0), functools.partial(lambda k, t: k * t, 7.0)),
    "object": (Ramp(1.0), Ramp(2.0)),
    "class of the object": (Ramp(1.0), Steeper(1.0)),
    "bound method": (Ramp(1.0).__call__, Ramp(2.0).__call__),
    "slots": (Slotted(1.0), Slotted(2.0)),
    "dataclass": (Own(1.0), Own(2.0)),
    "code of a dataclass": (Own(1.0), OwnTwice(1.0)),
    "__getstate__": (WithState(1.0), WithState(2.0)),
    "exception that is caught": (catches(ZeroDivisionError), catches(KeyError)),
    "attribute of the function": (with_attribute(1.0), with_attribute(2.0)),
    "value in a module": (reads(module(k=1.0)), reads(module(k=2.0))),
    "Numba": (compiled(1.0), compiled(2.0)),
    "function of NumPy": (np.sin, np.cos),
    "function of Python": (math.sin, math.cos),
    "spline": (CubicSpline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]), CubicSpline([0.0, 1.0, 2.0], [0.0, 2.0, 0.0])),
    "vectorize": (np.vectorize(scaled(1.0)), np.vectorize(scaled(2.0))),
    "order of a mapping": (polynomial(a=1.0, b=2.0), polynomial(b=2.0, a=1.0)),
    "behind a cache": (remembered, remembered_otherwise),
    "part of alegear": (
        PiecewiseTrajectory.through(PiecewiseCubic.table([0.0, 1.0], [0.0, 1.0])),
        PiecewiseTrajectory.through(PiecewiseCubic.table([0.0, 1.0], [0.0, 2.0])),
    ),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_cases_that_differ_by_a_function_differ(name: str) -> None:
    """And a case stays itself; nothing here is unknown."""
    one, other = (case_with(f) for f in DIFFERENT[name])
    assert one.sha256 != other.sha256
    assert one.sha256 == case_with(DIFFERENT[name][0]).sha256
    assert case_identity(one).indeterminate == ()


@pytest.mark.parametrize("function", [of_global, through_another])
def test_a_global_that_is_changed_is_another_case(
    function: Callable[[float], float], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = case_with(function).sha256
    monkeypatch.setitem(globals(), "FACTOR", 2.0)
    assert case_with(function).sha256 != before


def test_what_holds_itself_is_told() -> None:
    """A function that calls itself, a list in itself, a deep one."""

    def faculty(n: float) -> float:
        return 1.0 if n < 1.0 else n * faculty(n - 1.0)

    ring: list[Any] = [1.0]
    ring.append(ring)
    for one in (faculty, scaled(ring)):
        assert case_with(one).sha256 == case_with(one).sha256
        assert case_identity(case_with(one)).indeterminate == ()
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert "too deeply" in case_identity(case_with(scaled(deep))).indeterminate[0]


def values_of(rng: Any) -> Callable[[float], float]:
    return lambda t: rng.normal()


UNTOLD: dict[str, tuple[Any, str]] = {
    "generator of NumPy": (values_of(np.random.default_rng(1)), r"numpy\.random\S*Generator of function values_of"),
    "state of NumPy": (lambda t: np.random.rand(), r"RandomState of function <lambda> .*draws random numbers"),  # noqa: NPY002
    "generator of Python": (values_of(random.Random(1)), r"random\.Random of function"),
    "module random": (lambda t: random.random(), r"random\.Random of function <lambda> \(test_digest.py, line \d+\)"),
    "clock": (lambda t: time.time(), "function time of function .*when and where it is called"),
    "date": (lambda t: datetime.now().timestamp(), "now .*when and where"),
    "file": (lambda t: open("x").read(), "function open .*reaches"),  # noqa: SIM115
    "eval": (lambda t: eval("t"), "function eval .*reaches"),
    "iterator": (scaled(itertools.count()), "count .*goes on from call to call"),
    "lock": (scaled(threading.Lock()), "lock .*does not say what it holds"),
    "function of C": (np.frompyfunc(lambda t: t, 1, 1), "ufunc .*does not say"),
}


@pytest.mark.parametrize("name", UNTOLD)
def test_what_cannot_be_told_is_random_and_named(name: str) -> None:
    """Two cases of one function are two, a case is itself."""
    function, words = UNTOLD[name]
    one, other = case_with(function), case_with(function)
    assert one.sha256 == one.sha256 != other.sha256
    text = "\n".join(case_identity(one).indeterminate)
    assert re.search(words, text), text
    assert "0x" not in text


def stable() -> list[str]:
    """Digests of cases with all that was tried above, and with sets."""
    names = frozenset("abcdefgh")

    class Own:
        kinds: ClassVar = {"x", "y", "z"}

        def value(self, t: float) -> float:
            return t if "x" in self.kinds | names else 0.0

    def f(t: float, k: frozenset[str] = names) -> float:
        return math.sin(t) if t in {1.0, 2.0, 3.0} else len(k) * FACTOR

    of_sets = [f, Own(), functools.partial(f, k=names)]
    return [case_with(one).sha256 for one in [*of_sets, *(pair[0] for pair in DIFFERENT.values())]]


def test_digests_are_the_same_in_another_process() -> None:
    """Whatever the order of sets and the addresses there, and in a program as in a module: runs are resumed there."""
    script = f"import runpy; print(*runpy.run_path({__file__!r}, run_name='__main__')['stable']())"
    environment = os.environ | {"PYTHONHASHSEED": "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"}
    told = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert told.stdout.split() == stable()


def test_an_object_with_a_value_over_time_is_a_signal() -> None:
    """Of any class: it moves what it is given to as a function does, and its text names the class alone."""
    result = ag.run(case_with(Slotted(2.0)))
    same = ag.run(case_with(scaled(2.0)))
    assert np.array_equal(result.dataset["speed"], same.dataset["speed"])
    assert "0x" not in result.record.text
