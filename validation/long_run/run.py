"""Long motions: memory and time as they grow, a kill at two thirds, a minute opened lazily.

    python validation/long_run/run.py [--quick]

Every run is a process of its own. A processor that others use, too, is slower: whether a motion takes longer the longer
it lasts is therefore asked of a short one that runs at the same time.
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
SHORT = 10.0  # s, of the motion that runs beside the last third of the longest
BLOCK = 4096  # samples that are compared together
#: Bounds of README: MB between the shortest and the longest run, time per second of motion beside that of a short one.
MOST_GROWTH_MB, MOST_DRIFT = 200.0, 0.10


# ------------------------------------------------------------------------------------------------- beside them
@dataclass(frozen=True, kw_only=True)
class Run:
    """Largest memory [MB] of a run; time of motion, processor time, memory and time of the clock on its way."""

    memory: float
    way: NDArray[np.float64]

    def cpu_per_second(self, part: tuple[float, float]) -> float:
        """Processor time by time of motion over a part of the duration."""
        t, cpu = self.way[:, 0], self.way[:, 1]
        end = t[-1]
        a, b = np.interp(np.array(part) * end, t, cpu)
        return float((b - a) / ((part[1] - part[0]) * end))

    def cpu_per_second_beside(self, other: Run) -> float:
        """Processor time by time of motion while the other run was on its way."""
        t, cpu = (np.diff(np.interp(other.way[[0, -1], 3], self.way[:, 3], self.way[:, k])) for k in (0, 1))
        return float(cpu[0] / t[0])


def process(*arguments: object) -> subprocess.Popen[bytes]:
    """Begin motion.py in a process of its own."""
    return subprocess.Popen([sys.executable, str(HERE / "motion.py"), *map(str, arguments)], stdout=subprocess.PIPE)


def said(running: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Wait for a process; returns what it printed last."""
    words, _ = running.communicate()
    if running.returncode:
        raise RuntimeError(f"exit code {running.returncode}: {running.args}")
    return json.loads(words.splitlines()[-1])


def begun(duration: float, out: Path) -> subprocess.Popen[bytes]:
    """Begin the case for a duration."""
    return process("compute", duration, out)


def ended(running: subprocess.Popen[bytes], out: Path) -> Run:
    """Wait for a run that writes to a folder."""
    memory = said(running)["memory_MB"]
    return Run(memory=memory, way=np.loadtxt(out.parent / f"{out.name}.txt", ndmin=2))


def reached(time_of_motion: float, running: subprocess.Popen[bytes], out: Path) -> float:
    """Wait until a run has come to a time of its motion; returns where it is then [s]."""
    way, at = out.parent / f"{out.name}.txt", 0.0
    while at < time_of_motion:
        time.sleep(0.2)
        if running.poll() is not None:
            raise RuntimeError(f"it ended before {time_of_motion:g} s, exit code {running.returncode}")
        lines = way.read_text().splitlines() if way.exists() else []
        at = float(lines[-1].split()[0]) if lines else 0.0
    return at


def killed(duration: float, out: Path, part: float = 2.0 / 3.0) -> tuple[float, float]:
    """Run the case, kill it at a part of the duration and go on; returns when it was killed and gone on from [s]."""
    from alegear.storage.checkpoint_folder import CheckpointFolder
    from alegear.storage.store import CHECKPOINT

    running = begun(duration, out)
    at = reached(part * duration, running, out)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    meta = CheckpointFolder(out / CHECKPOINT).meta()
    assert meta is not None
    said(process("compute", duration, out, "--resume"))
    return at, float(meta["t"])


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
        folders = {duration: folder / f"{duration:g}" for duration in DURATIONS}
        *others, longest = sorted(DURATIONS)
        said(begun(min(DURATIONS), folder / "compiled"))  # kernels and reductions are stored then
        runs = {duration: ended(begun(duration, folders[duration]), folders[duration]) for duration in others}
        last_third = begun(longest, folders[longest])
        reached(2.0 / 3.0 * longest, last_third, folders[longest])
        short = ended(begun(SHORT, folder / "short"), folder / "short")
        runs[longest] = ended(last_third, folders[longest])
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
        yield Row(
            quantity=f"processor time per second of motion, last third of {longest:g} s",
            value=runs[longest].cpu_per_second_beside(short),
            reference=short.cpu_per_second_beside(short),
            unit="s",
            bound=MOST_DRIFT,
            source=f"a motion of {SHORT:g} s at the same time",
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
