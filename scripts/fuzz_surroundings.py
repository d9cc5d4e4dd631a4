"""Throws strange surroundings at alegear: functions, files that are none, streams, memory, environment, folders.

Part of ``fuzz.py``. What it asks of each answer:

- a function or an object over time is taken or refused; what is computed with it is finite, or the analysis says that
  it is not; an error of the function itself comes through as it is;
- the command ends with 0, 1 or 2 and a line, never by a signal, with a traceback or as an internal error;
- it ends: `check` and refusals within :data:`CHECK_SECONDS` of the processor, whatever file a case names;
- exit code 0 of a run has a whole result that can be loaded, with finite key figures; `check` and `run` agree.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import traceback
import types
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import alegear as ag
from alegear.errors import AnalysisFailure, Fault
from alegear.limits import described

Say = Callable[[str, str], None]

CHECK_SECONDS = 5.0  # of the processor, on a machine that others use as well
HANGS = 240.0  # seconds after which a command does not come to its end


# ----------------------------------------------------------------------------- functions
class OverTime:
    """An object with a value over time, of no class that alegear knows."""

    def __init__(self, value: Any) -> None:
        self.given = value

    def value(self, t: float) -> Any:
        return self.given(t) if callable(self.given) else self.given


class Called(OverTime):
    def __call__(self, t: float) -> Any:
        return self.value(t)


class Empty:
    """An object that is nothing."""

    value = None


def raising(kind: type[Exception]) -> Callable[[float], float]:
    def f(t: float) -> float:
        raise kind("of the function")

    return f


def later(value: Any) -> Callable[[float], Any]:
    """1 at the start, something else afterwards."""
    return lambda t: 1.0 if t < 3e-3 else value


RETURNED: list[Any] = [
    0.0, 1, True, -1e300, 1e300, math.inf, math.nan, 10**400, "1.0", "", None, [], [1.0], (1.0, 2.0), {}, b"1", 1j,
    np.float64(2.0), np.int32(3), np.float32(1e38), np.array(1.0), np.array([1.0]), np.zeros(3), np.array("x"),
    object(),
]  # fmt: skip


def strange_functions() -> list[Any]:
    """What somebody may hand over as a function of time."""
    made: list[Any] = []
    for value in RETURNED:
        made += [lambda t, value=value: value, later(value), OverTime(value), Called(value)]
    made += [raising(kind) for kind in (ValueError, ZeroDivisionError, KeyError, RuntimeError, MemoryError)]
    made += [
        math.sin, np.sin, abs, float, str, len, print, int, lambda: 1.0, lambda t, s: t, lambda *a: 1.0, Empty(), Empty,
        lambda **k: 1.0, functools.partial(lambda k, t: k * t, 2.0), functools.partial(math.sin), OverTime, Called,
        itertools.count().__next__, iter([1.0]), (t for t in ()), np.random.default_rng(1), random.Random(1).random,
        np.frompyfunc(math.sin, 1, 1), np.vectorize(math.sin), np.poly1d([1.0, 2.0]), sys.stdin, math, type, object(),
        ag.Sine(amplitude=1.0, frequency=3.0), ag.Sine, {1.0: 2.0}, {0.0, 1.0}, "sin(t)", b"", [[0.0, 1.0], [1.0, 2.0]],
    ]  # fmt: skip
    return made


def machine_with(kind: str, function: Any) -> Any:
    """A disk on a spring that a function moves."""
    machine = ag.Machine("disk")
    machine.add("a", ag.Rotor1D(inertia=1.0))
    machine.add("b", ag.Rotor1D(inertia=1.0))
    machine.add("s", ag.Spring(between=("a", "b"), stiffness=1e4, damping=1.0))
    if kind == "torque":
        machine.add("t", ag.TorqueSource(at="a", torque=function))
    elif kind == "torque function":
        machine.add("t", ag.TorqueFunction(at=("a",), function=function))
    elif kind == "controller":
        machine.add("t", ag.TorqueSource(at="a", torque=ag.Input(name="u")))
        machine.add("c", ag.Controller(interval=1e-3, sets={"u": 0.0}, function=function))
    else:
        machine.add("t", ag.TorqueSource(at="a", torque=ag.Input(name="u")))
        machine.add(
            "c", ag.Controller(interval=1e-3, sets={"u": 0.0}, function=lambda s, m: {"u": 1.0}, memory=function)
        )
    return machine.case(ag.RotationalMotion(duration=0.01))


def fuzz_functions(n: int, random_: random.Random, say: Say) -> Counter[str]:
    """Functions over time, functions of state, controllers and their memories."""
    found: Counter[str] = Counter()
    functions = strange_functions()
    kinds = ["torque", "torque", "torque function", "controller", "memory"]
    tried = [(kind, f) for kind in dict.fromkeys(kinds) for f in functions]
    for kind, function in random_.sample(tried, min(n, len(tried))):
        made = function
        if kind == "controller" and random_.random() < 0.5 and callable(function):
            made = lambda sample, memory, f=function: {"u": f(0.004)}  # noqa: E731
        what = f"{kind} {getattr(function, '__qualname__', described(function))}"
        try:
            case = machine_with(kind, made)
            if case.sha256 != case.sha256:
                say("digest", f"{what}: changes")
            result = ag.run(case)
        except Fault as fault:
            found["refused"] += 1
            if "0x" in str(fault):
                say("message", f"{what}: {fault}"[:300])
        except AnalysisFailure as failure:
            found["ended"] += 1
            if "0x" in str(failure):
                say("message", f"{what}: {failure}"[:300])
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            of_ours = Path(last.filename).name == Path(__file__).name and last.name in ("f", "<lambda>", "value")
            # these leave no frame of their own
            if of_ours or isinstance(function, types.BuiltinFunctionType | np.vectorize):
                found["the function raised"] += 1
            else:
                say("function", f"{what}: {type(error).__name__}: {error} ({last.filename}:{last.lineno})"[:300])
        else:
            found["run"] += 1
            for name, values in result.dataset.data_vars.items():
                if values.dtype.kind == "f" and not np.isfinite(values.values).all():
                    say("not finite", f"{what}: {name}")
    return found


# ------------------------------------------------------------------------------ commands
STREAMS = [
    "",
    "",
    "",
    "2>&-",
    ">&-",
    ">&- 2>&-",
    "<&- >&- 2>&-",
    "2>/dev/full",
    ">/dev/full",
    ">/dev/full 2>&-",
    "| true",
]
ENVIRONMENT: dict[str, list[str]] = {
    "ALEGEAR_PLAIN_NUMBA": ["foo", "²", "store,,", "0", ""],
    "ALEGEAR_CACHE_DIR": ["/dev/null", "/proc/nothing", "x" * 5000, "a\nb", "~", "FILE", "FILE/below", ""],
    "ALEGEAR_MEMORY_MB": ["foo", "nan", "-1", "inf", "1e400", "²", "1"],
    "ALEGEAR_CACHE_MB": ["foo", "nan", "0", "1e400"],
    "OMP_NUM_THREADS": ["²", "foo", "0", "-1", "1,2", "9" * 5000, "1.5", " 2 ", ""],
    "NUMBA_NUM_THREADS": ["foo", "-1", "0", "1"],
    "NUMBA_OPT": ["foo", "7"],
    "NUMBA_DISABLE_JIT": ["foo", "²"],
    "NUMBA_CPU_FEATURES": ["foo", "+", "+a,b"],
    "NUMBA_CACHE_DIR": ["/dev/null", "FILE"],
    "COLUMNS": ["²", "foo", "-3", "0", "1", "99999"],
    "LINES": ["²", "0"],
    "TERM": ["foo", "dumb", ""],
    "LANG": ["xx", "C", "tr_TR.UTF-8"],
    "LC_ALL": ["zz", "C"],
    "MPLBACKEND": ["foo", "tkagg", "module://nothing", ""],
    "PYTHONIOENCODING": ["ascii", "latin-1", "utf-16"],
    "TMPDIR": ["/nonexistent", "/dev/null", "FILE"],
    "XDG_CACHE_HOME": ["relative", "/dev/null"],
    "HOME": ["", "/nonexistent", "/dev/null"],
    "NO_COLOR": ["1"],
    "FORCE_COLOR": ["1"],
    "PYTHONWARNINGS": ["default"],
    "DISPLAY": [":99", "foo"],
    "OPENBLAS_NUM_THREADS": ["foo", "0", "-1", "1"],
}
#: Limits of the address space [MB], and what is said below the least of one thread.
MEMORY = [300, 500, 800, 1000, 1199, 1300, 1500, 2000]
ODD_FILES = [
    "fifo",
    "zero",
    "random",
    "full",
    "folder",
    "loop",
    "dangling",
    "binary",
    "huge",
    "empty",
    "missing",
    "tty",
]
KEYS_OF_FILES = [
    "[pinion.flank.topography]\nfile = {}", "[pinion.grid]\nfile = {}", "[pinion]\npitch_deviation_csv = {}",
    "[wheel.flank.topography]\nfile = {}",
]  # fmt: skip
OUT = ["new", "file", "fifo", "folder of others", "dangling", "loop", "full", "null", "proc", "long", "newline", "self"]


def odd_file(kind: str, folder: Path) -> Path:
    """A file that is none, or no sound one."""
    devices = {
        "zero": "/dev/zero",
        "random": "/dev/urandom",
        "full": "/dev/full",
        "tty": "/dev/tty",
        "null": "/dev/null",
    }
    if kind in devices:
        return Path(devices[kind])
    path = folder / kind
    if os.path.lexists(path):
        return path
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind in ("loop", "dangling"):
        path.symlink_to(path if kind == "loop" else folder / "nothing")
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(1 << 40)  # takes no room
    elif kind in ("binary", "empty", "file"):
        path.write_bytes(bytes(range(256)) * 100 if kind == "binary" else b"")
    return path


def odd_out(kind: str, folder: Path) -> Path:
    """A place of results that is none, or somebody else's."""
    if kind == "folder of others":
        path = folder / kind
        (path / "fields").mkdir(parents=True, exist_ok=True)
        (path / "fields" / "mine.txt").write_text("mine")
        return path
    others = {
        "proc": Path("/proc/1/results"), "long": folder / ("x" * 300), "newline": folder / "a\nb", "self": folder / ".",
        "new": folder / "new",
    }  # fmt: skip
    return others.get(kind) or odd_file(kind, folder)


def ended(
    command: list[str], folder: Path, *, streams: str = "", environment: dict[str, str], memory: int = 0
) -> tuple[int, str, float]:
    """Run the command; returns its exit code, what it wrote on standard error, and seconds of the processor."""
    quoted = " ".join(f"'{word}'" for word in [sys.executable, "-m", "alegear", *command])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    script = f"{quoted} {streams}" + ("; exit ${PIPESTATUS[0]}" if "|" in streams else "")
    if memory:
        script = f"ulimit -v {1000 * memory}; {script}"
    root = str(Path(ag.__file__).resolve().parents[1])
    kept = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"} | {"PYTHONPATH": root}
    process = subprocess.Popen(
        ["bash", "-c", script], cwd=folder, env=kept | environment, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        _, err = process.communicate(timeout=HANGS)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        _, err = process.communicate()
        code = -999
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return code, err.decode("utf-8", "replace"), seconds


def look_at_end(what: str, code: int, words: str, say: Say, *, heard: bool) -> None:
    """One of three exit codes, and a line where it is not 0."""
    if code == -999:
        say("hangs", what)
    elif code not in (0, 1, 2):
        say("death", f"{what}: {code}: {words[-300:]}")
    for sign in ("Traceback", "internal error", "Exception ignored"):
        if sign in words:
            say("internal", f"{what}: {words[-400:]}")
            return
    if code in (1, 2) and heard and not words.strip():
        say("silent", f"{what}: {code}")


def fuzz_commands(n: int, case: str, random_: random.Random, say: Say, *, runs: float = 0.2) -> Counter[str]:
    """Commands in strange surroundings; a share of them are runs, the others `check`.

    Parameters
    ----------
    n : int
    case : str
        Text of a sound case.
    random_ : random.Random
    say : callable of (kind, what)
    runs : float
    """
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "FILE").write_text("a file")
        sound = folder / "case.toml"
        for number in range(n):
            sound.write_text(case)
            path, environment, memory, streams, out = sound, {}, 0, "", folder / "out"
            shutil.rmtree(out, ignore_errors=True)
            told = []
            kind = random_.choice(["streams", "environment", "memory", "case", "named", "out", "mixed"])
            if kind in ("streams", "mixed"):
                streams = random_.choice(STREAMS)
                told.append(streams)
            if kind in ("environment", "mixed"):
                variable = random_.choice(list(ENVIRONMENT))
                value = random_.choice(ENVIRONMENT[variable])
                environment[variable] = value.replace("FILE", str(folder / "FILE"))
                told.append(f"{variable}={value[:20]}")
            if kind == "memory" or (kind == "mixed" and random_.random() < 0.3):
                memory = random_.choice(MEMORY)
                if random_.random() < 0.5:
                    environment.setdefault("OMP_NUM_THREADS", "1")
                told.append(f"{memory} MB {environment}")
            if kind == "case":
                odd = random_.choice(ODD_FILES)
                path = odd_file(odd, folder)
                told.append(f"case is {odd}")
            elif kind == "named":
                odd, key = random_.choice(ODD_FILES), random_.choice(KEYS_OF_FILES)
                table, _, line = key.partition("\n")
                given = line.format(f'"{odd_file(odd, folder)}"')
                bare = f"{table}\n"
                sound.write_text(
                    case.replace(bare, f"{bare}{given}\n", 1) if bare in case else f"{case}\n{table}\n{given}\n"
                )
                told.append(f"{table} {line} {odd}")
            elif kind in ("out", "mixed"):
                odd = random_.choice(OUT)
                out = odd_out(odd, folder)
                told.append(f"out is {odd}")
            settings = {"streams": streams, "environment": environment, "memory": memory}
            checked, words, seconds = ended(["check", str(path), "--out", str(out)], folder, **settings)
            what = f"{number} {kind}: {', '.join(told)}"
            heard = "2>" not in streams
            look_at_end(f"check {what}", checked, words, say, heard=heard)
            found[f"check {checked}"] += 1
            if seconds > CHECK_SECONDS:
                say("takes long", f"check {what}: {seconds:.1f} s")
            if random_.random() > runs and kind != "memory":
                continue
            done, words, seconds = ended(["run", str(path), "--out", str(out)], folder, **settings)
            look_at_end(f"run {what}", done, words, say, heard=heard)
            found[f"run {done}"] += 1
            if checked == 0 and done == 2 and kind not in ("out", "mixed"):  # `check` writes nothing
                say("check and run", f"{what}: {words[-300:]}")
            if done == 0:
                look_at_result(out, say, what)
    return found


def look_at_result(out: Path, say: Say, what: str) -> None:
    """Loads whole, and its key figures are numbers."""
    try:
        result = ag.load(out)
    except Exception as error:
        say("no result", f"{what}: {type(error).__name__}: {error}"[:300])
        return
    if not result.complete:
        say("not complete", what)
    for key, value in result.summary.items():
        if isinstance(value, float) and not math.isfinite(value):
            say("not finite", f"{what}: {key} = {value}")
