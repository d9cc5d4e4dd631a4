"""Long motions: memory and time as they grow, a kill at two thirds, a minute opened lazily.

    python validation/long_run/run.py [--durations 0.3 30 60] [--killed 30] [--folder DIR]

Every run is a process of its own; times are those of its processor, in which it does not matter who else computes.
The folder needs room for three results and a log (6 GB at the default durations).
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
CASE = HERE / "case.toml"
BLOCK = 4096  # samples that are compared together
#: Bounds of issue and README: MB between the shortest and the longest run, time per second of motion in thirds.
MOST_GROWTH_MB, MOST_DRIFT = 200.0, 0.10


# ------------------------------------------------------------------------------------- in the process of a run
def memory_mb(which: str = "VmHWM") -> float:
    """Resident memory of this process [MB]: the largest so far, or ``VmRSS`` now."""
    found = re.search(rf"^{which}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.M)
    assert found is not None
    return 1024e-6 * float(found.group(1))


class Stopwatch:
    """Progress that writes time of motion [s], processor time [s] and memory [MB] to a file, twice a second."""

    def __init__(self, path: Path) -> None:
        self._file, self._last, self._t = path.open("a"), 0.0, 0.0

    def stage(self, name: str) -> None:
        """Ignore the stage."""

    def tell(self, where: str) -> None:
        """Take the time of motion from ``t = 1.234 of 30 s``."""
        found = re.match(r"t = (\S+) of", where)
        if found:
            self._t = float(found.group(1))

    def advance(self, done: int, total: int) -> None:
        """Write a line."""
        if time.monotonic() - self._last >= 0.5:
            self._last = time.monotonic()
            print(self._t, time.process_time(), memory_mb("VmRSS"), file=self._file, flush=True)


def compute(duration: float, out: Path, *, resume: bool) -> None:
    """Run the case for a duration; the last line printed is the largest memory [MB] and processor time [s]."""
    import alegear as ag

    text = CASE.read_text().replace("duration_s     = 60.0", f"duration_s = {duration!r}")
    case = ag.Case.from_bytes(text.encode())
    ag.run(case, out, Stopwatch(out.parent / f"{out.name}.txt"), resume=resume)
    print(json.dumps({"memory_MB": memory_mb(), "cpu_s": time.process_time()}))


def look(out: Path) -> None:
    """Open a result lazily; prints memory before and after each access, and seconds."""
    import alegear as ag

    ag.load(out)  # imports
    begun, found = memory_mb("VmRSS"), {}

    def note(what: str, since: float) -> None:
        found[what] = {"MB": memory_mb("VmRSS") - begun, "s": time.perf_counter() - since}

    since = time.perf_counter()
    result = ag.load(out)
    data = result.dataset
    note("opened", since)
    end, since = float(data.time[-1]), time.perf_counter()
    part = result.tooth_load(time=slice(end / 2, end / 2 + 0.1))
    note(f"tooth_load of {part.sizes['pair']} pairs in 0.1 s", since)
    since = time.perf_counter()
    pair = int(part.pair[25])
    load = result.tooth_load([pair])
    note("tooth_load of one pair, all times", since)
    assert float(load.max()) == float(part.sel(pair=pair).max())
    since = time.perf_counter()
    np.asarray(data["transmission_error"])
    note("transmission_error, all times", since)
    size = {name: float(values.nbytes) for name, values in data.items()}
    about = {"samples": data.sizes["time"], "pairs": int(np.ptp(data["slot_pair"].values)) + 1}
    print(json.dumps({"looks": found, "unpacked_MB": 1e-6 * sum(size.values()), "base_MB": begun, **about}))


# ------------------------------------------------------------------------------------------------- beside them
@dataclass(frozen=True, kw_only=True)
class Run:
    """Largest memory [MB] and processor time [s] of a run; time, processor time and memory on its way."""

    memory: float
    cpu: float
    way: NDArray[np.float64]

    def cpu_per_second(self, part: tuple[float, float]) -> float:
        """Processor time by time of motion over a part of the duration."""
        t, cpu = self.way[:, 0], self.way[:, 1]
        end = t[-1]
        a, b = np.interp(np.array(part) * end, t, cpu)
        return float((b - a) / ((part[1] - part[0]) * end))


def process(*arguments: object) -> subprocess.Popen[bytes]:
    """Begin this script in a process of its own."""
    return subprocess.Popen([sys.executable, __file__, *map(str, arguments)], stdout=subprocess.PIPE)


def said(running: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Wait for a process; returns what it printed last."""
    words, _ = running.communicate()
    if running.returncode:
        raise RuntimeError(f"exit code {running.returncode}: {running.args}")
    return json.loads(words.splitlines()[-1])


def measured(duration: float, out: Path) -> Run:
    """Run the case for a duration."""
    facts = said(process("--compute", duration, out))
    return Run(memory=facts["memory_MB"], cpu=facts["cpu_s"], way=np.loadtxt(out.parent / f"{out.name}.txt", ndmin=2))


def killed(duration: float, out: Path, part: float = 2.0 / 3.0) -> tuple[float, float]:
    """Run the case, kill it at a part of the duration and go on; returns when it was killed and gone on from [s]."""
    from alegear.results.journal import Journal
    from alegear.results.store import CHECKPOINT

    running, way = process("--compute", duration, out), out.parent / f"{out.name}.txt"
    reached = 0.0
    while reached < part * duration:
        time.sleep(0.2)
        if running.poll() is not None:
            raise RuntimeError(f"it ended before it was killed, exit code {running.returncode}")
        lines = way.read_text().splitlines() if way.exists() else []
        reached = float(lines[-1].split()[0]) if lines else 0.0
    running.send_signal(signal.SIGKILL)
    running.communicate()
    meta = Journal(out / CHECKPOINT).meta()
    assert meta is not None
    said(process("--compute", duration, out, "--resume"))
    return reached, float(meta["t"])


def different(one: Path, two: Path) -> dict[str, int]:
    """Bytes in which each variable of two results differs, block by block; the number of samples for another shape."""
    import h5py

    found: dict[str, int] = {}
    with h5py.File(one / "result.nc") as a, h5py.File(two / "result.nc") as b:
        for name in sorted({*a, *b}):
            if name not in a or name not in b or a[name].shape != b[name].shape:
                found[name] = max(len(file[name]) for file in (a, b) if name in file)
                continue
            found[name] = 0
            for begin in range(0, max(len(a[name]), 1) if a[name].shape else 1, BLOCK):
                place = slice(begin, begin + BLOCK) if a[name].shape else ()
                x, y = (np.asarray(file[name][place]) for file in (a, b))
                if not x.dtype.hasobject:  # else names
                    x, y = (np.atleast_1d(values).view(np.uint8) for values in (x, y))
                found[name] += int(np.count_nonzero(x != y))
    return found


def report(runs: dict[float, Run], folder: Path) -> bool:
    """Print memory and time of the runs; whether they keep the bounds."""
    from alegear.results.store import RESULT

    print(
        "| motion [s] | largest memory [MB] | result.nc [MB] | processor time per second of motion: all, thirds [s] |"
    )
    print("|---|---|---|---|")
    thirds = {}
    for duration, run in runs.items():
        size = 1e-6 * (folder / f"{duration:g}" / RESULT).stat().st_size
        parts = [run.cpu_per_second((k / 3.0, (k + 1) / 3.0)) for k in range(3)]
        thirds[duration] = parts[2] / parts[0] - 1.0
        rates = ", ".join(f"{rate:.2f}" for rate in (run.cpu_per_second((0.0, 1.0)), *parts))
        print(f"| {duration:g} | {run.memory:.0f} | {size:.1f} | {rates} |", flush=True)
    memory = [run.memory for run in runs.values()]
    longest = max(runs)
    print(
        f"\nmemory: {max(memory) - min(memory):.0f} MB apart; last third of {longest:g} s against the first: ", end=""
    )
    print(f"{100.0 * thirds[longest]:+.1f} % of processor time")
    return max(memory) - min(memory) < MOST_GROWTH_MB and abs(thirds[longest]) < MOST_DRIFT


def main() -> int:
    """Run everything and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--durations", type=float, nargs="+", default=[0.3, 30.0, 60.0], metavar="S")
    parser.add_argument("--killed", type=float, default=30.0, metavar="S", help="one of the durations")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--compute", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--resume", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--look", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.compute is not None:
        compute(float(given.compute[0]), Path(given.compute[1]), resume=given.resume)
        return 0
    if given.look is not None:
        look(given.look)
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        measured(min(given.durations), folder / "compiled")  # kernels and reductions are stored then
        runs = {duration: measured(duration, folder / f"{duration:g}") for duration in sorted(given.durations)}
        kept = report(runs, folder)
        at, on = killed(given.killed, folder / "killed")
        differs = different(folder / f"{given.killed:g}", folder / "killed")
        print(f"\n{given.killed:g} s killed at {at:.4g} s, gone on from {on:.4g} s: ", end="")
        print(f"{sum(n == 0 for n in differs.values())} of {len(differs)} variables the same to the last bit")
        print("\n", json.dumps(said(process("--look", folder / f"{max(runs):g}")), indent=1))
    return 0 if kept and not any(differs.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
