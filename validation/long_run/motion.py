"""What runs in processes of their own: the motion, and the opening of its result; run.py begins them.

    python motion.py compute DURATION FOLDER [--resume]
    python motion.py allocated DURATION FOLDER
    python motion.py look FOLDER

The last line printed is what was measured, as JSON.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import alegear as ag

CASE = Path(__file__).parent / "case.toml"


def memory_mb(which: str = "VmHWM") -> float:
    """Resident memory of this process [MB]: the largest so far, or ``VmRSS`` now."""
    found = re.search(rf"^{which}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.M)
    assert found is not None
    return 1024e-6 * float(found.group(1))


class Clock:
    """Progress that knows how far the motion is [s]."""

    t = 0.0

    def stage(self, name: str) -> None:
        """Ignore the stage."""

    def report_status(self, where: str) -> None:
        """Take the time of motion from ``t = 1.234 of 30 s``."""
        found = re.match(r"t = (\S+) of", where)
        if found:
            self.t = float(found.group(1))


class Stopwatch(Clock):
    """Write time of motion [s], processor time [s], memory [MB] and the clock [s] to a file, twice a second."""

    def __init__(self, path: Path) -> None:
        self._file, self._last = path.open("a"), 0.0

    def advance(self, done: int, total: int) -> None:
        """Write a line."""
        if time.monotonic() - self._last >= 0.5:
            self._last = time.monotonic()
            print(self.t, time.process_time(), memory_mb("VmRSS"), self._last, file=self._file, flush=True)


class Allocations(Clock):
    """Take what Python and NumPy have allocated since the motion began [MB], at every hundredth of the duration [s]."""

    def __init__(self, duration: float) -> None:
        self._apart, self._next = 0.01 * duration, 0.0
        self.taken: list[tuple[float, float]] = []

    def advance(self, done: int, total: int) -> None:
        """Take it if a hundredth has passed."""
        if not tracemalloc.is_tracing():
            gc.freeze()  # what has been there before need not be searched every time
            tracemalloc.start()
        if self.t >= self._next:
            self._next = self.t + self._apart
            gc.collect()
            self.taken.append((self.t, 1e-6 * tracemalloc.get_traced_memory()[0]))


def lasting(duration: float) -> ag.Case:
    """The case with a duration [s]."""
    import alegear as ag

    text = CASE.read_text().replace("duration_s     = 60.0", f"duration_s = {duration!r}")
    return ag.Case.from_bytes(text.encode())


def compute(duration: float, out: Path, *, resume: bool) -> None:
    """Run the case for a duration; the last line printed is the largest memory [MB] and processor time [s]."""
    import alegear as ag

    ag.run(lasting(duration), out, Stopwatch(out.parent / f"{out.name}.txt"), resume=resume)
    print(json.dumps({"memory_MB": memory_mb()}))


def allocated(duration: float, out: Path) -> None:
    """Run the case for a duration; prints the largest allocation [MB] in each quarter of it."""
    import alegear as ag

    watch = Allocations(duration)
    ag.run(lasting(duration), out, watch)
    t, held = np.array(watch.taken).T
    quarter = np.minimum((4.0 * t / duration).astype(int), 3)
    print(json.dumps({"largest_MB": [held[quarter == k].max() for k in range(4)]}))


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


def main() -> None:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(dest="task", required=True)
    computing = tasks.add_parser("compute")
    computing.add_argument("duration", type=float)
    computing.add_argument("out", type=Path)
    computing.add_argument("--resume", action="store_true")
    allocating = tasks.add_parser("allocated")
    allocating.add_argument("duration", type=float)
    allocating.add_argument("out", type=Path)
    tasks.add_parser("look").add_argument("out", type=Path)
    given = parser.parse_args()
    if given.task == "compute":
        compute(given.duration, given.out, resume=given.resume)
    elif given.task == "allocated":
        allocated(given.duration, given.out)
    else:
        look(given.out)


if __name__ == "__main__":
    main()
