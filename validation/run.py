"""Run every folder of the validation, or those named, and say what is beyond its bound.

    python validation/run.py [NAME ...] [--quick] [--list] [--table] [--json F] [--jobs N]

Each folder runs in a process of its own, the one that took longest last; one that fails does not stop the others. The
full form keeps the rows in ``results.json`` and rewrites the tables of README.md from it, folder by folder, so that
what is broken off keeps them; rows of folders that were not asked for stay as they are. ``--table`` only rewrites the
tables. ``--quick`` is coarser and shorter, with bounds of its own, and keeps nothing. It ends with 1 where a row is
beyond its bound or a folder has failed; what it is stands on the last lines.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from checks import BEYOND, Row  # noqa: E402

BEGIN, END = "<!-- tables: written by run.py -->", "<!-- end of tables -->"
HEAD = ("quantity", "alegear", "reference", "difference", "bound", "source", "s")
WORDS_OF_FAILURE = 300  # characters of the last line that a folder said, at most


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """What a folder handed over.

    Attributes
    ----------
    name : str
    rows : tuple of Row
    seconds : tuple of float [s]
        Processor time of each.
    failure : str
        Why it ended before its end; empty if it did not.
    """

    name: str
    rows: tuple[Row, ...]
    seconds: tuple[float, ...]
    failure: str = ""

    @property
    def bad(self) -> list[str]:
        """Rows beyond their bounds and the failure, in words."""
        found = [f"{self.name}: {row}" for row in self.rows if row.beyond]
        return found + ([f"{self.name} failed: {self.failure}"] if self.failure else [])

    @property
    def not_compared(self) -> int:
        """Number of rows whose reference is not here."""
        return sum(bool(row.missing) for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """As it is kept."""
        rows = [row.to_json() | {"seconds": s} for row, s in zip(self.rows, self.seconds, strict=True)]
        return {"failure": self.failure, "rows": rows}

    @classmethod
    def from_json(cls, name: str, kept: Mapping[str, Any]) -> Outcome:
        """From what is kept."""
        rows = [Row(**{key: value for key, value in row.items() if key != "seconds"}) for row in kept["rows"]]
        seconds = tuple(float(row["seconds"]) for row in kept["rows"])
        return cls(name=name, rows=tuple(rows), seconds=seconds, failure=kept["failure"])


def folders(root: Path = HERE) -> list[str]:
    """Names of all folders with a ``run.py``."""
    return sorted(path.parent.name for path in root.glob("*/run.py"))


def compute(name: str, *, quick: bool, root: Path = HERE) -> Outcome:
    """Run a folder in a process of its own, from the project's root."""
    with tempfile.TemporaryDirectory() as scratch:
        told = Path(scratch) / "rows.json"
        command = [sys.executable, str(root / name / "run.py"), "--json", str(told), *["--quick"][: int(quick)]]
        done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, errors="replace")
        kept = json.loads(told.read_text(encoding="utf-8")) if told.is_file() else []
    failure = ""
    if done.returncode not in (0, BEYOND) or not kept:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}, no row"]
        failure = said[-1][:WORDS_OF_FAILURE]
    return Outcome.from_json(name, {"failure": failure, "rows": kept})


def run(
    names: Sequence[str],
    *,
    quick: bool,
    jobs: int = 1,
    root: Path = HERE,
    keep: Callable[[Outcome], None] | None = None,
) -> dict[str, Outcome]:
    """Run folders, some at a time, tell of each as it ends, and hand it to `keep`."""
    found = {}
    if jobs > 1:  # they share the cores among themselves
        os.environ.setdefault("OMP_NUM_THREADS", "1")
    with ThreadPoolExecutor(jobs) as pool:
        for outcome in pool.map(partial(compute, quick=quick, root=root), names):
            found[outcome.name] = outcome
            state = f"{len(outcome.bad)} BAD" if outcome.bad else "within"
            print(f"{outcome.name:24s} {len(outcome.rows):4d} rows {sum(outcome.seconds):8.1f} s  {state}", flush=True)
            if keep is not None:
                keep(outcome)
    return found


# -------------------------------------------------------------------------------------- what is kept
def read(path: Path) -> dict[str, Outcome]:
    """Outcomes that are kept; none without the file."""
    if not path.is_file():
        return {}
    kept = json.loads(path.read_text(encoding="utf-8"))
    return {name: Outcome.from_json(name, one) for name, one in kept.items()}


def write(path: Path, outcomes: Mapping[str, Outcome]) -> None:
    """Keep outcomes, without anything of the machine but the seconds."""
    told = {name: outcomes[name].to_json() for name in sorted(outcomes)}
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def tables(outcomes: Mapping[str, Outcome]) -> str:
    """Write outcomes as tables of Markdown, one a folder; the seconds are those of the processor."""
    return "\n\n".join(
        f"## [{name}]({name}/README.md)\n\n{table(outcomes[name])}" for name in sorted(outcomes, key=str.lower)
    )


def table(outcome: Outcome) -> str:
    """Write the rows of a folder as a table."""
    lines = ["| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|"]
    told = [[*row.cells(), f"{seconds:.1f}"] for row, seconds in zip(outcome.rows, outcome.seconds, strict=True)]
    if outcome.failure:
        told.append(["**failed**", outcome.failure, "", "", "", "", ""])
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in told]
    return "\n".join(lines)


def rewritten(text: str, outcomes: Mapping[str, Outcome]) -> str:
    """The text of README.md with other tables between its marks.

    Raises
    ------
    ValueError
        If it has not both marks once.
    """
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ValueError(f"README.md must have {BEGIN} and {END} once each; put them back")
    before, _, after = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{tables(outcomes)}\n\n{END}{after.partition(END)[2]}"


def show(outcomes: Mapping[str, Outcome]) -> None:
    """Rewrite the tables of README.md."""
    readme = HERE / "README.md"
    readme.write_text(rewritten(readme.read_text(encoding="utf-8"), outcomes), encoding="utf-8")


def by_cost(names: Iterable[str], kept: Mapping[str, Outcome]) -> list[str]:
    """Order names by the seconds that they took, the slowest last; those never run first."""
    return sorted(names, key=lambda name: sum(kept[name].seconds) if name in kept else 0.0)


def describe(name: str, kept: Mapping[str, Outcome]) -> str:
    """A line of the list: name, seconds of its last full run, and what it does."""
    doc = ast.get_docstring(ast.parse((HERE / name / "run.py").read_text(encoding="utf-8"))) or ""
    seconds = f"{sum(kept[name].seconds):8.1f} s" if name in kept else " " * 10
    return f"{name:24s}{seconds}  {doc.splitlines()[0] if doc else ''}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; 1 where something is beyond its bound or failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="folders; all without one")
    parser.add_argument("--quick", action="store_true", help="the quick form; keeps nothing but --json")
    parser.add_argument("--list", action="store_true", help="only name the folders, with seconds and what they do")
    parser.add_argument("--table", action="store_true", help="only rewrite the tables of README.md from results.json")
    parser.add_argument(
        "--json", type=Path, metavar="F", help="write the rows there; default: results.json, of full runs"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="folders at a time; default 2 with --quick, else 1")
    given = parser.parse_args(arguments)
    kept, every = read(HERE / "results.json"), folders()
    unknown = [name for name in given.names if name not in every]
    if unknown:
        parser.error(f"no folder of validation: {', '.join(unknown)}; --list names them")
    names = by_cost(dict.fromkeys(given.names or every), kept)
    if given.list:
        print("\n".join(describe(name, kept) for name in names))
        return 0
    if given.table:
        show(kept)
        return 0
    kept = {name: one for name, one in kept.items() if name in every}

    def keep(outcome: Outcome) -> None:
        """What is broken off later has not run for nothing: it takes an hour."""
        kept[outcome.name] = outcome
        write(HERE / "results.json", kept)
        show(kept)

    jobs = given.jobs or (2 if given.quick else 1)
    found = run(names, quick=given.quick, jobs=jobs, keep=None if given.quick else keep)
    if given.json is not None:
        write(given.json, found)
    bad = [line for one in found.values() for line in one.bad]
    rows, seconds = (
        sum(values) for values in zip(*((len(o.rows), sum(o.seconds)) for o in found.values()), strict=True)
    )
    print(
        f"\n{rows} rows of {len(found)} folders, {seconds:.0f} s of processor time, {len(bad)} beyond a bound or failed"
    )
    for one in found.values():
        if one.not_compared:
            print(f"reference not here: {one.not_compared} of {len(one.rows)} rows of {one.name}")
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
