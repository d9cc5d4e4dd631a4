"""Long motions: memory and time as they grow, a kill at two thirds, a minute opened lazily.

    python validation/long_run/run.py [--quick]

Every run is a process of its own; times are those of its processor, in which it does not matter who else computes.
The folder of temporary files needs room for three results and a log (6 GB).
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone

HERE = Path(__file__).resolve().parent
DURATIONS, KILLED = (0.3, 30.0, 60.0), 30.0  # s; one of them is killed
BLOCK = 4096  # samples that are compared together
#: Bounds of issue and README: MB between the shortest and the longest run, time per second of motion in thirds.
MOST_GROWTH_MB, MOST_DRIFT = 200.0, 0.10


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
    """Begin motion.py in a process of its own."""
    return subprocess.Popen([sys.executable, str(HERE / "motion.py"), *map(str, arguments)], stdout=subprocess.PIPE)


def said(running: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Wait for a process; returns what it printed last."""
    words, _ = running.communicate()
    if running.returncode:
        raise RuntimeError(f"exit code {running.returncode}: {running.args}")
    return json.loads(words.splitlines()[-1])


def measured(duration: float, out: Path) -> Run:
    """Run the case for a duration."""
    facts = said(process("compute", duration, out))
    return Run(memory=facts["memory_MB"], cpu=facts["cpu_s"], way=np.loadtxt(out.parent / f"{out.name}.txt", ndmin=2))


def killed(duration: float, out: Path, part: float = 2.0 / 3.0) -> tuple[float, float]:
    """Run the case, kill it at a part of the duration and go on; returns when it was killed and gone on from [s]."""
    from alegear.storage.checkpoint_folder import CheckpointFolder
    from alegear.storage.store import CHECKPOINT

    running, way = process("compute", duration, out), out.parent / f"{out.name}.txt"
    reached = 0.0
    while reached < part * duration:
        time.sleep(0.2)
        if running.poll() is not None:
            raise RuntimeError(f"it ended before it was killed, exit code {running.returncode}")
        lines = way.read_text().splitlines() if way.exists() else []
        reached = float(lines[-1].split()[0]) if lines else 0.0
    running.send_signal(signal.SIGKILL)
    running.communicate()
    meta = CheckpointFolder(out / CHECKPOINT).meta()
    assert meta is not None
    said(process("compute", duration, out, "--resume"))
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


def rows(quick: bool) -> Iterator[Row]:
    """Memory and time over the length, a kill, a lazy look; the quick form: what a short motion allocates."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if quick:
            yield growth_of_allocations(folder)
            return
        measured(min(DURATIONS), folder / "compiled")  # kernels and reductions are stored then
        runs = {duration: measured(duration, folder / f"{duration:g}") for duration in DURATIONS}
        longest = max(runs)
        memory = [run.memory for run in runs.values()]
        yield Row(
            quantity=f"largest memory of a motion of {longest:g} s above that of {min(runs):g} s",
            value=runs[longest].memory - runs[min(runs)].memory,
            kind="at most",
            unit="MB",
            bound=MOST_GROWTH_MB,
            source="a motion is written as it goes",
        )
        yield Row(
            quantity=f"largest memory of motions of {', '.join(f'{d:g}' for d in DURATIONS)} s, apart",
            value=max(memory) - min(memory),
            kind="at most",
            unit="MB",
            bound=MOST_GROWTH_MB,
            source="one another",
        )
        first, last = (runs[longest].cpu_per_second(part) for part in ((0.0, 1.0 / 3.0), (2.0 / 3.0, 1.0)))
        yield Row(
            quantity=f"processor time per second of motion, last third of {longest:g} s",
            value=last,
            reference=first,
            unit="s",
            bound=MOST_DRIFT,
            source="its first third",
        )
        at, on = killed(KILLED, folder / "killed")
        yield Row(
            quantity=f"bytes that differ after a kill at {at:.4g} of {KILLED:g} s, gone on from {on:.4g} s",
            value=float(sum(different(folder / f"{KILLED:g}", folder / "killed").values())),
            kind="at most",
            bound=0.0,
            source="the same motion left alone",
        )
        print_table(runs, folder)
        print("\n", json.dumps(said(process("look", folder / f"{longest:g}")), indent=1))


def growth_of_allocations(folder: Path) -> Row:
    """Largest allocation of the last quarter of a motion above that of the third, when buffers are full [MB]."""
    duration = 0.4
    largest = said(process("allocated", duration, folder / "allocated"))["largest_MB"]
    return Row(
        quantity=f"largest allocation in a motion of {duration:g} s, last quarter above third quarter",
        value=largest[3] - largest[2],
        kind="at most",
        unit="MB",
        bound=0.1,  # 500 samples of 1.2 kB that were kept would be 0.6 MB
        source="a motion is written as it goes",
    )


def print_table(runs: dict[float, Run], folder: Path) -> None:
    """Print the table of README.md."""
    from alegear.storage.store import RESULT

    print(
        "| motion [s] | largest memory [MB] | result.nc [MB] | processor time per second of motion: all, thirds [s] |"
    )
    print("|---|---|---|---|")
    for duration, run in runs.items():
        size = 1e-6 * (folder / f"{duration:g}" / RESULT).stat().st_size
        parts = [(0.0, 1.0), *((k / 3.0, (k + 1) / 3.0) for k in range(3))]
        rates = ", ".join(f"{run.cpu_per_second(part):.2f}" for part in parts)
        print(f"| {duration:g} | {run.memory:.0f} | {size:.1f} | {rates} |", flush=True)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
