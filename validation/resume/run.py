"""Dynamic runs killed at random times and resumed, beside the same run left alone: every variable, every stress field.

    python validation/resume/run.py [--quick]

Each attempt is the command in a process of its own, which gets SIGKILL after a random time: between the end of its
start (imports, grid, reduction) and an eighth of the time integration. After the last kill an attempt runs to its end.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from alegear import cli
from alegear.storage.checkpoint_folder import CheckpointFolder
from alegear.storage.store import CHECKPOINT, RESULT, open_dataset, read_summary

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst

HERE = Path(__file__).parent
CASES = ("compiled", "stepwise", "machine", "spatial")
KILLS, SEED = 10, 1
QUICK_DURATION = 0.02  # s
TOLERANCE = 0.0  # of the largest value of a variable: all agree to the last bit


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """A run that was killed, beside the one that was not.

    Attributes
    ----------
    reached : list of float or None [s]
        Time that each attempt after a kill went on from; None: it began anew, as there was no checkpoint yet.
    differences : dict of str to float
        Largest difference of each variable over its largest value.
    files : (int, int)
        Stress fields that are the same byte by byte, and all.
    whole : xarray.Dataset
        Result of the run left alone.
    """

    reached: list[float | None]
    differences: dict[str, float]
    files: tuple[int, int]
    whole: xr.Dataset

    @property
    def largest(self) -> float:
        """Largest difference of all variables."""
        return max(self.differences.values())


def command(case: Path, out: Path, *, resume: bool = False) -> subprocess.Popen[bytes]:
    """Begin a run in a process of its own."""
    arguments = [sys.executable, "-m", "alegear", "run", str(case), "--out", str(out), *["--resume"][: int(resume)]]
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes]) -> None:
    """Wait for a run to end well."""
    _, said = process.communicate()
    if process.returncode != 0:
        raise RuntimeError(said.decode())


def reached_in(out: Path) -> float | None:
    """Time of the checkpoint in a result folder [s]; None where there is none."""
    meta = CheckpointFolder(out / CHECKPOINT).meta()
    return None if meta is None else float(meta["t"])


def kill_and_resume(
    case: Path, out: Path, kills: int, patience: tuple[float, float], rng: random.Random
) -> list[float | None]:
    """Run a case, killed so many times; returns the time [s] that each attempt after the first one went on from.

    Parameters
    ----------
    patience : (float, float) [s]
        Wall time between which each kill comes.
    """
    begun_at: list[float | None] = []
    while True:
        begun_at.append(reached_in(out))
        process = command(case, out, resume=begun_at[-1] is not None)
        if len(begun_at) <= kills:
            try:
                process.wait(rng.uniform(*patience))
            except subprocess.TimeoutExpired:
                process.kill()  # SIGKILL: nothing can be tidied up
                process.communicate()
                continue
        finish(process)
        return begun_at[1:]


def compare(whole: Path, killed: Path) -> tuple[dict[str, float], tuple[int, int]]:
    """Largest difference of each variable over its largest value; stress fields that are the same, and all.

    Those of the meshes of a machine, too: their variables are named ``mesh/variable``.
    """
    differences, same, n_fields = {}, 0, 0
    for folder in (whole, *sorted(whole.glob("meshes/*"))):
        other = killed / folder.relative_to(whole)
        one, two = open_dataset(folder), open_dataset(other)
        if set(one.variables) != set(two.variables):
            raise RuntimeError("the results have different variables")
        start = "" if folder == whole else f"{folder.name}/"
        differences |= {start + str(name): _difference(one[name].values, two[name].values) for name in one.variables}
        fields = sorted((folder / "fields").iterdir()) if (folder / "fields").is_dir() else []
        same += sum((other / "fields" / path.name).read_bytes() == path.read_bytes() for path in fields)
        n_fields += len(fields)
    return differences, (same, n_fields)


def _difference(one: NDArray[np.generic], two: NDArray[np.generic]) -> float:
    """Infinite for other shapes or other gaps."""
    if one.shape != two.shape or one.dtype.kind not in "fiu":
        return 0.0 if one.shape == two.shape and bool((one == two).all()) else np.inf
    a, b = one.astype(np.float64), two.astype(np.float64)
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return np.inf
    there = ~np.isnan(a)
    change = np.abs(a - b)[there].max(initial=0.0)
    return float(change / np.abs(a)[there].max()) if change else 0.0


def outcome_of(whole: Path, killed: Path, reached: list[float | None]) -> Outcome:
    """Compare a run that was killed and has ended with the one left alone."""
    if reached_in(killed) is not None or not (killed / RESULT).is_file():
        raise RuntimeError("the checkpoint has stayed, or the result is not there")
    differences, files = compare(whole, killed)
    return Outcome(reached=reached, differences=differences, files=files, whole=open_dataset(whole))


def study(case: Path, folder: Path, kills: int, rng: random.Random) -> Outcome:
    """Run a case alone and killed."""
    whole, killed = folder / "whole", folder / "killed"
    finish(command(case, folder / "first"))  # compiles, and stores the reduction
    begun = time.perf_counter()
    finish(command(case, whole))
    total, seconds = time.perf_counter() - begun, read_summary(whole)["seconds"]
    begin = total - seconds["solve"] - seconds.get("write", 0.0)  # rigid bodies are written at once
    reached = kill_and_resume(case, killed, kills, (0.9 * begin, begin + 0.12 * seconds["solve"]), rng)
    return outcome_of(whole, killed, reached)


def killed_once(case: Path, folder: Path) -> Outcome:
    """Run a short case alone, in this process, and in one that is killed as soon as it has a checkpoint."""
    whole, killed = folder / "whole", folder / "killed"
    if cli.main(["run", str(case), "--out", str(whole)]) != 0:
        raise RuntimeError("the run left alone has failed")
    process = command(case, killed)
    while (reached := reached_in(killed)) is None:
        if process.poll() is not None:
            raise RuntimeError("it ended before it was killed")
        time.sleep(0.01)
    process.kill()
    process.communicate()
    finish(command(case, killed, resume=True))
    return outcome_of(whole, killed, [reached])


def draw(outcomes: dict[str, Outcome], path: Path) -> None:
    """Transmission error of the runs left alone, in space the speeds of bodies, and where the killed ones went on."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(len(outcomes), 1, figsize=(9.0, 2.8 * len(outcomes)), squeeze=False)
    for plot, (name, outcome) in zip(axes[:, 0], outcomes.items(), strict=True):
        if "transmission_error" in outcome.whole:
            te = outcome.whole["transmission_error"]  # of a machine one a mesh
            plot.plot(te["time"], 1e6 * te, lw=0.6)
            plot.set_ylabel("transmission error [µm]")
        else:
            speed = outcome.whole["angular_velocity"]
            plot.plot(speed["time"], np.linalg.norm(speed, axis=-1), lw=0.6)
            plot.set_ylabel("speeds of bodies [rad/s]")
        for t in filter(None, outcome.reached):
            plot.axvline(t, color="C3", lw=1.0, ls="--")
        plot.set_title(f"{name}: killed {len(outcome.reached)} times, largest difference {outcome.largest:.1e}")
        plot.grid(alpha=0.3)
    axes[-1][0].set_xlabel("time [s]")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def shortened(case: Path, folder: Path, duration: float) -> Path:
    """The case in a moment [s], with checkpoints as often, in a folder."""
    given = {key: f"{key} = {duration}" for key in ("duration_s", "ramp_s")}
    short = [given.get(line.split(" ")[0], line) for line in case.read_text().splitlines()]
    path = folder / case.name
    path.write_text("\n".join(short).replace("checkpoint_every_s = 0.2", "checkpoint_every_s = 0.05"))
    return path


def rows(quick: bool) -> Iterator[Row]:
    """Differences of killed runs from runs left alone; the quick form kills one of them, which is short, once."""
    rng, outcomes = random.Random(SEED), {}
    for name in CASES[:1] if quick else CASES:
        case = HERE / f"{name}.toml"
        with tempfile.TemporaryDirectory() as folder:
            if quick:
                outcome = killed_once(shortened(case, Path(folder), QUICK_DURATION), Path(folder))
            else:
                outcome = study(case, Path(folder), KILLS, rng)
            outcomes[name] = outcome
        yield worst(
            f"run killed {len(outcome.reached)} times and resumed ({name}), difference over the largest value",
            [
                Row(quantity=variable, value=off, kind="at most", bound=TOLERANCE, source="the same run left alone")
                for variable, off in outcome.differences.items()
            ],
        )
        yield Row(
            quantity=f"run killed {len(outcome.reached)} times and resumed ({name}), stress fields that differ",
            value=float(outcome.files[1] - outcome.files[0]),
            kind="at most",
            bound=0.0,
            source="the same run left alone, byte by byte",
        )
        times = ", ".join("0 (anew)" if t is None else f"{t:.3g}" for t in outcome.reached)
        print(f"| {name} | {len(outcome.reached)} | {times} | {outcome.largest:.1e} |", flush=True)
    if not quick:
        draw(outcomes, HERE / "resume.png")


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
