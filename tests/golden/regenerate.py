"""Write the golden curves, numbers and states anew, or tell how far the program is from them.

    python tests/golden/regenerate.py [NAME ...]            # write, of all cases or of some
    python tests/golden/regenerate.py --compare [NAME ...]  # largest differences, nothing is written

NAME is that of a pair (cases.py) or of a machine (golden_machines.py). ``--most N`` shows the N largest differences of
each (default 1). Names that were changed on purpose stand in renamed.py.

They are no truth, only what the program gave. Write them when a change of the results is meant, and say in the commit
why and by how much: ``--compare`` before.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import golden_machines
import numpy as np
import renamed
from cases import SUMMED_UP, TEXTS
from curves import SUMMARY, curves_of, numbers_of, unit_of
from numpy.typing import NDArray
from states import NAMES, answers, contact_of, drawn

HERE = Path(__file__).resolve().parent
CURVES, STATES, NUMBERS = HERE / "curves", HERE / "states", HERE / "numbers"
GIVEN = "given_"  # begins the names of what a contact was asked with
#: In a file of numbers: names and values of those that are numbers alone.
ALONE, VALUES = "alone", "values"

#: What statics and motions are held to, of the largest value of each number.
OF_STATICS, OF_MOTIONS = 1e-9, 1e-8
#: What may be noise about zero, of the largest value that a study has in the same unit: what cancels leaves round-off
#: in statics, and in motions what the iterations of Newton and the error of a step leave open.
NOISE_OF_STATICS, NOISE_OF_MOTIONS = 1e-12, 1e-10

Arrays = dict[str, NDArray[Any]]


def kept(file: Path) -> Arrays:
    """Arrays of a file, by the names that they have now."""
    with np.load(file) as arrays:
        found = dict(arrays)
    alone, values = found.pop(ALONE, np.empty(0)), found.pop(VALUES, np.empty(0))
    found |= {str(name): np.array(value) for name, value in zip(alone, values, strict=True)}
    return {_name_now(name): _labels_now(values) for name, values in found.items()}


def _name_now(name: str) -> str:
    """Return the name of today; of a summary each part between dots may have a new one."""
    if name.startswith(GIVEN):
        return name
    part, told, key = name.rpartition(": ")
    begin, summary, key = key.rpartition(SUMMARY)
    if summary:
        return part + told + begin + summary + ".".join(renamed.NAMES.get(word, word) for word in key.split("."))
    found = re.fullmatch(r"(.*?)( \[(.*)\])?", key)
    assert found is not None
    unit = "" if found[2] is None else f" [{renamed.UNITS.get(found[3], found[3])}]"
    return part + told + renamed.NAMES.get(found[1], found[1]) + unit


def _labels_now(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind != "U" or not renamed.LABELS:
        return values
    return np.array([renamed.LABELS.get(str(one), str(one)) for one in values.ravel()]).reshape(values.shape)


def states_anew(name: str) -> Arrays:
    """Draw states of a contact, and ask it."""
    contact, deflection, gives_way = contact_of(name)
    states = drawn(contact, deflection, gives_way)
    return {GIVEN + key: values for key, values in states.items()} | answers(contact, states)


def asked_again(name: str, before: Arrays) -> Arrays:
    """Ask a contact in the states of a file."""
    given = {key.removeprefix(GIVEN): values for key, values in before.items() if key.startswith(GIVEN)}
    return answers(contact_of(name)[0], given)


def difference(now: NDArray[Any], before: NDArray[Any], floor: float = 0.0) -> float:
    """Largest difference over the largest value of both or `floor`; infinite where shape, NaNs or text differ."""
    if now.shape == before.shape and not now.size:
        return 0.0  # no labels are no numbers either
    if now.shape != before.shape or (now.dtype.kind == "U") != (before.dtype.kind == "U"):
        return np.inf
    if now.dtype.kind == "U":
        return 0.0 if np.array_equal(now, before) else np.inf
    if not np.array_equal(np.isnan(now), np.isnan(before)):
        return np.inf
    size = max(largest(before), largest(now), floor)
    away = np.abs(now - before)
    return float(np.nanmax(away, initial=0.0) / size) if size > 0.0 and not np.isnan(away).all() else 0.0


def largest(values: NDArray[Any]) -> float:
    """Return the largest magnitude; 0 of text, of nothing and of what is not known."""
    if values.dtype.kind == "U" or np.isnan(values).all():
        return 0.0
    return float(np.nanmax(np.abs(values), initial=0.0))


def differences(now: Arrays, before: Arrays, floors: Mapping[str, float] | None = None) -> dict[str, float]:
    """Of all arrays; infinite for one that is on one side only."""
    answered = {key: values for key, values in before.items() if not key.startswith(GIVEN)}
    floors = floors or {}
    return {
        key: difference(now[key], answered[key], floors.get(key, 0.0)) if key in now and key in answered else np.inf
        for key in sorted({*now, *answered})
    }


def of_numbers(name: str, now: Arrays, before: Arrays) -> dict[str, float]:
    """Differences of the numbers of a machine, over what they are held to: 1 is the limit."""
    limit, noise = (OF_MOTIONS, NOISE_OF_MOTIONS) if is_motion(name) else (OF_STATICS, NOISE_OF_STATICS)
    sizes: dict[str, float] = {}
    for key, values in before.items():
        sizes[unit_of(key)] = max(sizes.get(unit_of(key), 0.0), largest(values))
    # what has no unit has nothing in common: numbers of modes, ratios, shares
    floors = {key: noise / limit * sizes[unit_of(key)] for key in before if unit_of(key) not in ("", "1")}
    return {key: value / limit for key, value in differences(now, before, floors).items()}


def is_motion(name: str) -> bool:
    """Return whether a machine or a pair moves in time."""
    return name.endswith(("_motion", "_sweep")) or name.startswith(("motion", "sweep"))


def write(file: Path, arrays: Arrays) -> None:
    """Write a file of arrays, single numbers together: each array takes a quarter of a kB beside its values."""
    alone = {key: values for key, values in arrays.items() if values.shape == () and SUMMARY in key}
    rest = {key: values for key, values in arrays.items() if key not in alone}
    together = {ALONE: np.array([*alone]), VALUES: np.array([*alone.values()])} if alone else {}
    file.parent.mkdir(exist_ok=True)
    np.savez_compressed(file, **rest, **together)  # type: ignore[arg-type]


def _tell(what: str, name: str, found: dict[str, float], most: int) -> None:
    for worst in sorted(found, key=lambda key: -found[key])[:most]:
        print(f"{what:8}{name:36}{found[worst]:9.1e}  {worst}", flush=True)


def main() -> None:
    """Write or compare what the command line names."""
    parser = argparse.ArgumentParser(description="Golden curves, numbers and states.")
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--most", type=int, default=1, metavar="N", help="differences that are shown of each (1)")
    arguments = parser.parse_args()
    there = (*TEXTS, *golden_machines.TEXTS)
    unknown = set(arguments.names) - set(there)
    if unknown:
        parser.error(f"no case is named {', '.join(sorted(unknown))}; there are {', '.join(there)}")
    for name in arguments.names or there:
        if name in golden_machines.TEXTS or name in SUMMED_UP:
            file = NUMBERS / f"{name}.npz"
            if arguments.compare:  # over the limits
                _tell("numbers", name, of_numbers(name, numbers_of(name), kept(file)), arguments.most)
            else:
                write(file, numbers_of(name))
        if name in golden_machines.TEXTS:
            continue
        file = CURVES / f"{name}.npz"
        if arguments.compare:
            _tell("curves", name, differences(curves_of(name), kept(file)), arguments.most)
        else:
            write(file, curves_of(name))
        if name in NAMES:
            file = STATES / f"{name}.npz"
            if arguments.compare:
                _tell("states", name, differences(asked_again(name, kept(file)), kept(file)), arguments.most)
            else:
                write(file, states_anew(name))


if __name__ == "__main__":
    main()
