"""Write the golden curves and states anew, or tell how far the program is from them.

    python tests/golden/regenerate.py [NAME ...]            # write, of all cases or of some
    python tests/golden/regenerate.py --compare [NAME ...]  # largest differences, nothing is written

They are no truth, only what the program gave. Write them when a change of the results is meant, and say in the commit
why and by how much: ``--compare`` before.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from cases import TEXTS
from curves import curves_of
from numpy.typing import NDArray
from states import NAMES, answers, contact_of, drawn

HERE = Path(__file__).resolve().parent
CURVES, STATES = HERE / "curves", HERE / "states"
GIVEN = "given_"  # begins the names of what a contact was asked with

Arrays = dict[str, NDArray[np.float64]]


def kept(file: Path) -> Arrays:
    """Arrays of a file."""
    with np.load(file) as arrays:
        return dict(arrays)


def states_anew(name: str) -> Arrays:
    """Draw states of a contact, and ask it."""
    contact, deflection, gives_way = contact_of(name)
    states = drawn(contact, deflection, gives_way)
    return {GIVEN + key: values for key, values in states.items()} | answers(contact, states)


def asked_again(name: str, before: Arrays) -> Arrays:
    """Ask a contact in the states of a file."""
    given = {key.removeprefix(GIVEN): values for key, values in before.items() if key.startswith(GIVEN)}
    return answers(contact_of(name)[0], given)


def difference(now: NDArray[np.float64], before: NDArray[np.float64]) -> float:
    """Largest difference over the largest value of both; infinite where shape or NaNs are others."""
    if now.shape != before.shape or not np.array_equal(np.isnan(now), np.isnan(before)):
        return np.inf
    size = max(np.nanmax(np.abs(before), initial=0.0), np.nanmax(np.abs(now), initial=0.0))
    return float(np.nanmax(np.abs(now - before), initial=0.0) / size) if size > 0.0 else 0.0


def differences(now: Arrays, before: Arrays) -> dict[str, float]:
    """Of all arrays; infinite for one that is on one side only."""
    answered = {key: values for key, values in before.items() if not key.startswith(GIVEN)}
    nothing = np.empty(0)
    return {
        key: difference(now.get(key, nothing), answered.get(key, nothing)) if key in now and key in answered else np.inf
        for key in sorted({*now, *answered})
    }


def _write(file: Path, arrays: Arrays) -> None:
    file.parent.mkdir(exist_ok=True)
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def _tell(what: str, name: str, found: dict[str, float]) -> None:
    worst = max(found, key=lambda key: found[key])
    print(f"{what:8}{name:36}{found[worst]:9.1e}  {worst}", flush=True)


def main() -> None:
    """Write or compare what the command line names."""
    parser = argparse.ArgumentParser(description="Golden curves and states.")
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--compare", action="store_true")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(TEXTS)
    if unknown:
        parser.error(f"no case is named {', '.join(sorted(unknown))}; there are {', '.join(TEXTS)}")
    for name in arguments.names or TEXTS:
        file = CURVES / f"{name}.npz"
        if arguments.compare:
            _tell("curves", name, differences(curves_of(name), kept(file)))
        else:
            _write(file, curves_of(name))
        if name in NAMES:
            file = STATES / f"{name}.npz"
            if arguments.compare:
                _tell("states", name, differences(asked_again(name, kept(file)), kept(file)))
            else:
                _write(file, states_anew(name))


if __name__ == "__main__":
    main()
