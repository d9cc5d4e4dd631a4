"""What every folder of ``validation/`` hands over: rows of value, reference and bound, one a quantity.

A folder's ``run.py`` has a function ``rows(quick)`` that computes and yields :class:`Row` after row, and ends with
``sys.exit(alone(rows, __doc__))``. ``python validation/NAME/run.py [--quick] [--json F]`` prints its rows;
``python validation/run.py`` runs all folders so and gathers what they hand over. See docs/how_to_add_a_validation.md.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

from alegear.errors import Fault
from alegear.limits import Limits, check_choice, check_kind
from alegear.parameters import check_parameters

KINDS = ("relative", "absolute", "at most", "at least")
SMALL = 1e-4  # a part below it is not told in per cent
LARGE = 1e7  # a number from it on is written with a power of ten
NOT_HERE = "reference not here"
BEYOND = 3  # exit code of a folder with a row beyond its bound; 1 is that of a failure


@dataclass(frozen=True, kw_only=True, eq=False)
class Row:
    """A quantity beside its reference, and the bound of the difference.

    ``(value - reference)/|of|`` (relative), ``value - reference`` (absolute); ``value`` itself for kinds "at most" and
    "at least". What is no number is beyond every bound.

    Parameters
    ----------
    quantity : str
        In the field's words, and for what it was computed.
    value : float [unit]
        By alegear.
    reference : float or None [unit]
        None where the value is a difference, a remainder or a count, and where the reference is not here.
    bound : float or None
        Of the difference: a part (relative), in the unit (absolute); of the value ("at most", "at least"). None: told
        for the reader, nothing was agreed.
    source : str
        Of the reference: author and year, program, closed form, conservation law.
    kind : str
    unit : str
    of : float or None [unit]
        What a relative difference is a part of; None: the reference.
    missing : str
        The file that would hold the reference, where it is not here.

    Raises
    ------
    Fault
        If words are missing, numbers are out of range, or a reference does not go with the kind.
    """

    quantity: str
    value: float
    source: str
    reference: Annotated[float | None, Limits(quantity="reference", key="reference", optional=True)] = None
    bound: Annotated[float | None, Limits(quantity="bound", key="bound", least=0.0, optional=True)] = None
    kind: str = "relative"
    unit: str = ""
    of: Annotated[float | None, Limits(quantity="what the difference is a part of", key="of", optional=True)] = None
    missing: str = ""

    def __post_init__(self) -> None:
        check_parameters(self)
        check_choice(self, "kind", KINDS)
        for name in ("quantity", "source", "unit", "missing"):
            check_kind(getattr(self, name), f"Row.{name}", str)
        if not (self.quantity and self.source):
            raise Fault("row of a validation", self.quantity or self.source, "a quantity and a source", "name both")
        against = self.kind in ("relative", "absolute")
        if against and not self.missing and self.reference is None:
            raise Fault(
                self.quantity, "no reference", f"a number for the kind {self.kind}", "give it, or name `missing`"
            )
        if not against and (self.reference is not None or self.of is not None):
            raise Fault(self.quantity, self.kind, "no reference and no `of`", "leave them out: the value is compared")
        if self.kind == "relative" and not self.missing and (self.reference if self.of is None else self.of) == 0.0:
            raise Fault(self.quantity, 0.0, "another number than 0 to be a part of", "give `of`, or kind = 'absolute'")

    @property
    def difference(self) -> float | None:
        """From the reference, with its sign: a part (relative) or in the unit (absolute); None without reference."""
        if self.reference is None:
            return None
        apart = self.value - self.reference
        return apart / abs(self.reference if self.of is None else self.of) if self.kind == "relative" else apart

    @property
    def share(self) -> float:
        """What has been used up of the bound: beyond it above 1; not a number where nothing is compared."""
        if self.missing or self.bound is None:
            return math.nan
        size = abs(self.difference) if self.difference is not None else self.value
        if not math.isfinite(size):
            return math.inf
        if self.kind == "at least":
            return math.inf if size <= 0.0 < self.bound or size < 0.0 else self.bound / size if size else 0.0
        return max(size, 0.0) / self.bound if self.bound else (0.0 if size <= 0.0 else math.inf)

    @property
    def beyond(self) -> bool:
        """Whether the bound is passed."""
        return self.share > 1.0

    def cells(self) -> list[str]:
        """Quantity, value, reference, difference, bound and source as a table shows them."""
        unit = f" {self.unit}" if self.unit else ""
        reference = NOT_HERE if self.missing else "" if self.reference is None else f"{_short(self.reference)}{unit}"
        if self.difference is None:
            difference = ""
        else:
            relative = self.kind == "relative"
            difference = _part(self.difference) if relative else f"{_digits(self.difference, 2, '+')}{unit}"
        if self.bound is None:
            bound = ""
        elif self.kind == "relative":
            bound = _part(self.bound).removeprefix("+")
        else:
            bound = {"at most": "<= ", "at least": ">= "}.get(self.kind, "") + f"{_short(self.bound)}{unit}"
        if self.beyond:
            bound = f"**beyond** {bound}"
        return [self.quantity, f"{_short(self.value)}{unit}", reference, difference, bound, self.source]

    def __str__(self) -> str:
        quantity, value, reference, difference, bound, source = self.cells()
        between = "; ".join(words for words in (reference and f"{reference} by {source}", difference) if words)
        return f"{quantity}: {value}" + (f" ({between})" if between else "") + (f", bound {bound}" if bound else "")

    def to_json(self) -> dict[str, Any]:
        """All fields, without the defaults; numbers to nine digits."""
        told = {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) != one.default}
        return {name: float(f"{v:.9g}") if isinstance(v, float) else v for name, v in told.items()}


def _short(value: float) -> str:
    return _digits(value, 5) if value == 0.0 or abs(value) >= 1e-3 else f"{value:.1e}"


def _part(value: float) -> str:
    return f"{_digits(100.0 * value, 2, '+')} %" if abs(value) >= SMALL else f"{value:+.1e}" if value else "0"


def _digits(value: float, digits: int, sign: str = "") -> str:
    """Write a number to some digits, up to LARGE without a power of ten: 830 in place of 8.3e+02."""
    written = f"{value:{sign}.{digits}g}"
    return f"{float(written):{sign}.0f}" if "e+" in written and abs(value) < LARGE else written


def worst(quantity: str, rows: Iterable[Row]) -> Row:
    """Return the row that has used up most of its bound, under a name of them all.

    Raises
    ------
    Fault
        If there are none: a check of nothing always holds.
    """
    every = list(rows)
    if not every:
        raise Fault(quantity, "no rows", "at least one", "a check of nothing always holds")
    found = max(every, key=lambda row: -1.0 if math.isnan(row.share) else row.share)
    many = f", worst of {len(every)} ({found.quantity})" if len(every) > 1 else f" ({found.quantity})"
    return replace(found, quantity=quantity + many)


def processor_seconds() -> float:
    """Processor time of this process and of those that it has waited for [s]."""
    return sum(os.times()[:4])


def alone(rows: Callable[[bool], Iterable[Row]], doc: str | None, arguments: Sequence[str] | None = None) -> int:
    """Be the command line of a folder: compute, print and write its rows; return BEYOND where a bound is passed."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="coarser and shorter, with bounds of its own; no pictures")
    parser.add_argument("--json", type=Path, metavar="F", help="write the rows to a file, each as it comes")
    given = parser.parse_args(arguments)
    found, told, begun = [], [], 0.0  # the first row has the imports
    for row in rows(given.quick):
        now = processor_seconds()
        found.append(row)
        told.append(row.to_json() | {"seconds": round(now - begun, 2)})
        begun = now
        _keep(given.json, told)  # what has been found is there even if the next one crashes
    if told:  # tables and pictures come after the last row
        told[-1]["seconds"] = round(told[-1]["seconds"] + processor_seconds() - begun, 2)
        _keep(given.json, told)
    print("\n| quantity | alegear | reference | difference | bound | source |\n" + "|---" * 6 + "|")
    for row in found:
        print("| " + " | ".join(row.cells()) + " |")
    beyond = [row for row in found if row.beyond]
    for row in beyond:
        print(f"beyond its bound: {row}", file=sys.stderr)
    return BEYOND if beyond else 0


def _keep(path: Path | None, told: Sequence[dict[str, Any]]) -> None:
    if path is not None:
        path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
