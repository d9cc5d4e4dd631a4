"""Kills commands before each of their renamings, and flips bits of all that is stored.

    python scripts/kills.py [--flips N] [--seed S] [--folder DIR]

Kills: a command (run, vary, report, export) works on a folder with an older complete result and files of the user's; a
process is forked for each renaming and removal of a file, and killed (SIGKILL) just before it. Then the folder is
loaded: it must hold the old or the new result, with all of its files as they were written, and the user's files; and
the next command, which fails at once, must leave it so.

Flips: one bit of a stored file is flipped, and everything that alegear reads of it is read. It is the same, refused, or
(points of a study) computed again; another value is an error.

The numbers of what was tried are printed as JSON; the exit code is 1 if anything went wrong. Nothing is taken from the
folder of the compiled kernels that others may use: it is read only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import alegear as ag
from alegear import cli
from alegear.errors import Fault
from alegear.kernels.code_folder import Folder
from alegear.storage import model_store
from alegear.storage.checkpoint_folder import CheckpointFolder
from alegear.storage.exchange import JOURNAL
from alegear.storage.store import CHECKPOINT, ResultFolder, read_summary
from alegear.storage.stored_files import ABOUT, StoredFiles, files_in
from alegear.storage.study_log import NAME, StudyLog, StudyPoint
from alegear.storage.whole_file import DamagedFile

#: Two rotors and a spring; the inertia makes the difference between the older case and the newer one.
TURNING = """
analysis = {{ kind = "dynamic", duration_s = 0.1 }}
output = {{ plots = false }}
[machine]
[rotors.a]
inertia_kg_m2 = {inertia}
[rotors.b]
inertia_kg_m2 = 1.0
[springs.s]
between = ["a", "b"]
stiffness_Nm_per_rad = 1000.0
[torques.t]
at = "a"
torque_Nm = 10.0
"""
#: A pair on a coarse grid with fields; the torque makes the difference between the older case and the newer one.
PAIR = """
pair = {{ normal_module_mm = 4.0 }}
operation = {{ pinion_torque_Nm = {torque} }}
grid = {{ flank_elements = 6, fillet_elements = 6, thickness_elements = 4, width_elements = 2, rim_elements = 4 }}
analysis = {{ kind = "static", positions_per_pitch = 2, grid_estimate = false }}
output = {{ plots = false, fields = true }}
[pinion]
teeth = 20
face_width_mm = 20.0
bore_diameter_mm = 35.8
[wheel]
teeth = 30
face_width_mm = 20.0
bore_diameter_mm = 54.2
"""
STUDY = """
case = "{case}"
workers = 1
[axes]
"operation.pinion_torque_Nm" = [{torque}, 150.0]
[optimum]
quantity = "te_peak_to_peak"
"""
#: Files of the user's in the folder, where no command may touch them.
OWN = {"notes.txt": "mine", "fields/own.txt": "mine", "meshes/my_grid.msh": "mine", "tables/notes.csv": "mine"}


@dataclass(frozen=True, kw_only=True)
class State:
    """What a result folder holds: the case, and the names of the files of the result."""

    case: str
    names: frozenset[str]

    @classmethod
    def of(cls, folder: Path) -> State:
        """Load a result and compare all of its files with its list.

        Raises
        ------
        Fault, OSError
            If it is not whole.
        """
        result = ag.load(folder)
        if not result.complete:
            raise Fault("result", folder, "complete", "it is not")
        result.dataset.close()
        return cls.listed(folder)

    @classmethod
    def listed(cls, folder: Path) -> State:
        """Compare all files with the list, without opening the dataset.

        Raises
        ------
        Fault, OSError
        """
        files = StoredFiles.of(folder)
        for name in files.names():
            files.checked(name)
        return cls(case=str(read_summary(folder)["case_sha256"]), names=frozenset(files.names()))


class Killed:
    """Carries out a function in a process of its own, which is killed before one of its renamings or removals."""

    def __init__(self, do: Callable[[], object]) -> None:
        self.do = do

    def steps(self) -> int:
        """Number of renamings and removals, if nobody kills."""
        read, write = os.pipe()
        child = os.fork()
        if not child:
            os.write(write, str(self._work(None)).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as answer:
            found = answer.read()
        os.waitpid(child, 0)
        return int(found)

    def before(self, step: int) -> bool:
        """Kill before a step; whether it came to that."""
        child = os.fork()
        if not child:
            self._work(step)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        return os.WIFSIGNALED(status)

    def _work(self, kill: int | None) -> int:
        count = 0

        def counted(function: Callable[..., Any]) -> Callable[..., Any]:
            def call(path: Any, *rest: Any, **named: Any) -> Any:
                nonlocal count
                if not str(path).endswith((".part", ".kernel", ".reduction")):  # those of the caches
                    count += 1
                    if count == kill:
                        os.kill(os.getpid(), signal.SIGKILL)
                return function(path, *rest, **named)

            return call

        for name in ("rename", "replace", "unlink"):
            setattr(os, name, counted(getattr(os, name)))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        self.do()
        return count


def killed_everywhere(
    place: Path, prepare: Callable[[Path], object], do: Callable[[Path], object], *, every: int = 1
) -> Counter[str]:
    """Kill a command before each of its steps; count what is there afterwards, ``wrong: ...`` where it should not be.

    Parameters
    ----------
    place : Path
        An empty folder to work in.
    prepare : callable
        Puts an older complete result into a folder that is not there yet.
    do : callable
        The command, on that folder.
    every : int
        Of the steps every so manyth one.
    """
    older, folder = place / "older", place / "out"
    prepare(older)
    for name, content in OWN.items():
        (older / name).parent.mkdir(exist_ok=True)
        (older / name).write_text(content)
    before = State.of(older)
    shutil.copytree(older, folder)
    killed = Killed(lambda: do(folder))
    steps = killed.steps()
    after = State.of(folder)
    found: Counter[str] = Counter()
    for step in range(1, steps + 1, every):
        shutil.rmtree(folder)
        shutil.copytree(older, folder)
        if not killed.before(step):
            found["not killed"] += 1
            continue
        found[_told(folder, before, after)] += 1
    return found


def _told(folder: Path, before: State, after: State) -> str:
    """Say what a killed command has left: the old or the new result, or what is wrong with it."""
    try:
        first = State.of(folder)
        with ResultFolder(folder):  # as each run begins; this one fails at once
            pass
        second = State.listed(folder)
    except (Fault, OSError) as error:
        return f"wrong: {error}"
    if first != second or first not in (before, after):
        return f"wrong: {sorted(first.names)}, then {sorted(second.names)}"
    own = {name: (folder / name).read_text() if (folder / name).exists() else None for name in OWN}
    if own != OWN:
        return f"wrong: files of the user: {own}"
    there = {name for name in files_in(folder) if not name.startswith(f"{CHECKPOINT}/") and ".part-" not in name}
    if there != first.names | set(OWN) | {ABOUT} or JOURNAL in there:
        return f"wrong: left there: {sorted(there ^ (first.names | set(OWN) | {ABOUT}))}"
    return "new" if first == after and before != after else "old"


def kills(place: Path) -> dict[str, dict[str, int]]:
    """Kill run, vary, report and export everywhere."""
    for name, text in (
        ("turning_1.toml", TURNING.format(inertia=1.0)),
        ("turning_2.toml", TURNING.format(inertia=2.0)),
        ("pair_1.toml", PAIR.format(torque=100.0)),
        ("pair_2.toml", PAIR.format(torque=200.0)),
        ("study_1.toml", STUDY.format(case="pair_1.toml", torque=100.0)),
        ("study_2.toml", STUDY.format(case="pair_1.toml", torque=200.0)),
    ):
        (place / name).write_text(text)

    def command(*arguments: str) -> Callable[[Path], object]:
        def call(folder: Path) -> object:
            code = cli.main([one.format(folder=folder, place=place) for one in arguments])
            if code:
                raise SystemExit(f"{arguments}: exit code {code}")
            return code

        return call

    run = {name: command("run", f"{{place}}/{name}.toml", "--out", "{folder}") for name in ("turning_1", "turning_2")}
    pair = {name: command("run", f"{{place}}/{name}.toml", "--out", "{folder}") for name in ("pair_1", "pair_2")}
    vary = {name: command("vary", f"{{place}}/{name}.toml", "--out", "{folder}") for name in ("study_1", "study_2")}
    tried: Mapping[str, tuple[Callable[[Path], object], Callable[[Path], object]]] = {
        "run, a machine that turns": (run["turning_1"], run["turning_2"]),
        "run, a pair with fields": (pair["pair_1"], pair["pair_2"]),
        "run, a pair over a machine": (run["turning_1"], pair["pair_2"]),
        "vary": (vary["study_1"], vary["study_2"]),
        "report": (pair["pair_1"], command("report", "{folder}")),
        "export": (pair["pair_1"], command("export", "{folder}", "--csv")),
        "save": (run["turning_1"], lambda folder: ag.load(place / "another").save(folder)),
    }
    run["turning_2"](place / "another")
    found = {}
    for number, (name, (prepare, do)) in enumerate(tried.items()):
        home = place / f"kills_{number}"
        home.mkdir()
        found[name] = dict(killed_everywhere(home, prepare, do))
        print(name, found[name], file=sys.stderr, flush=True)
    return found


# --------------------------------------------------------------------------------------------------------------- flips
def everything(folder: Path) -> dict[str, Any]:
    """All that alegear reads of a result folder, as values that can be compared.

    Raises
    ------
    Fault, OSError
    """
    files = StoredFiles.of(folder)
    others = {name: files.read(name) for name in files.names() if not name.endswith(".nc")}
    result = ag.load(folder)
    record = result.record
    values = {name: np.asarray(one) for name, one in result.dataset.variables.items()}
    attributes = {name: dict(one.attrs) for name, one in result.dataset.variables.items()} | {"": result.dataset.attrs}
    result.dataset.close()
    return {
        "values": {name: (one.dtype.str, one.shape, one.tolist()) for name, one in values.items()},
        "attributes": {name: {key: str(value) for key, value in one.items()} for name, one in attributes.items()},
        "summary": result.summary,
        "record": (record.text, record.started, record.data),
        "files": others,
    }


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A folder that is read, its files, and how."""

    folder: Path
    names: list[str]
    read: Callable[[Path], Any]


def flipped(stored: Mapping[str, Stored], count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Flip single bits and read; count answers by what was read, and name the flips that gave another value."""
    draw, counts, wrong = random.Random(seed), Counter[str](), list[str]()
    kept = {kind: repr(one.read(one.folder)) for kind, one in stored.items()}
    for _ in range(count):
        kind = draw.choice(list(stored))
        one = stored[kind]
        path = one.folder / draw.choice(one.names)
        content = path.read_bytes()
        place, bit = draw.randrange(len(content)), draw.randrange(8)
        changed = bytearray(content)
        changed[place] ^= 1 << bit
        path.write_bytes(changed)
        try:
            answer = repr(one.read(one.folder))
            told = "same" if answer == kept[kind] else "another value"
        except (Fault, DamagedFile, OSError):
            told = "refused"
        except Exception as error:
            told = f"internal error {type(error).__name__}: {error}"
        finally:
            path.write_bytes(content)
        if told not in ("same", "refused"):
            wrong.append(f"{path}, byte {place}, bit {bit}: {told}")
            told = told.split(":")[0]
        counts[f"{kind}: {told}"] += 1
    return counts, wrong


def small_stores(place: Path) -> dict[str, Stored]:
    """A checkpoint, the points of a study, a reduction and a kernel as they are stored."""
    checkpoint = CheckpointFolder(place / "checkpoint")
    chunks = checkpoint.begin()
    for number in range(20):
        chunks.append([bytes(range(200)), b"%d" % number])
    checkpoint.save({"t": 0.5, "case": "a"}, {"state": np.linspace(0.0, 1.0, 50)})
    checkpoint.close()
    names = [path.name for path in (place / "checkpoint").iterdir() if path.stat().st_size]

    def read_checkpoint(folder: Path) -> Any:
        meta, state, chunks = CheckpointFolder(folder).read()
        samples = [chunks.read(number, part) for number in range(len(chunks)) for part in range(2)]
        return [meta, {name: one.tolist() for name, one in state.items()}, samples]

    points = {f"{number:064x}": StudyPoint({"te_peak_to_peak": 1e-6 / (number + 1)}) for number in range(40)}
    with StudyLog(place / "points", {"root_stress": True}) as study:
        for digest, point in points.items():
            study.add(digest, point)

    def read_points(folder: Path) -> Any:
        content = (folder / NAME).read_bytes()
        with StudyLog(folder, {"root_stress": True}) as again:
            found = dict(again.points)
        (folder / NAME).write_bytes(content)
        if any(points.get(digest) != point for digest, point in found.items()):
            return found
        if len(found) < len(points):
            raise Fault("points", len(found), "all", "the others are computed again")
        return "all"

    model_store.save(place / "reductions", "k" * 64, {"K": np.linspace(0.0, 1.0, 300).reshape(20, 15)})

    def read_reduction(folder: Path) -> Any:
        found = model_store.load(folder, "k" * 64)
        if found is None:
            raise Fault("reduction", folder, "sound", "it is computed again")
        return {name: one.tolist() for name, one in found.items()}

    kernels = place / "kernels"
    kernels.mkdir(mode=0o700)
    content = b"FORMAT" + bytes(range(256))
    from alegear.kernels.code_folder import _digest

    Folder(kernels, str(_digest())).write("x.kernel", b"key", content)

    def read_kernel(folder: Path) -> Any:
        found = Folder(folder, str(_digest())).read("x.kernel", b"key")
        if found is None:
            raise Fault("kernel", folder, "sound", "it is compiled again")
        return found

    (reduction,) = (path.name for path in (place / "reductions").iterdir())
    return {
        "checkpoint": Stored(folder=place / "checkpoint", names=names, read=read_checkpoint),
        "points of a study": Stored(folder=place / "points", names=[NAME], read=read_points),
        "reduction": Stored(folder=place / "reductions", names=[reduction], read=read_reduction),
        "kernel": Stored(folder=kernels, names=["x.kernel"], read=read_kernel),
    }


def stored_result(folder: Path) -> Stored:
    """A result in a folder."""
    return Stored(folder=folder, names=[ABOUT, *StoredFiles.of(folder).names()], read=everything)


def main() -> int:
    """Do all of it, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flips", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="an empty folder to work in (default: a temporary one)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = args.folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        found = kills(place)
        stores = small_stores(place) | {
            name: stored_result(place / f"kills_{number}" / "older")
            for number, name in ((0, "turning"), (1, "pair"), (3, "study"))
        }
        counts, wrong = flipped(stores, args.flips, args.seed)
    bad = [f"{name}: {told}" for name, one in found.items() for told in one if told.startswith("wrong")] + wrong
    print(json.dumps({"kills": found, "flips": dict(sorted(counts.items())), "wrong": bad}, indent=2))
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
