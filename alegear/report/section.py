"""A section of a report: what it is called, which results have it, and what it shows of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from alegear.report.blocks import Block
from alegear.results.result import Result


@dataclass(frozen=True, kw_only=True)
class ReportSection:
    """A section.

    Parameters
    ----------
    title : str
    order : int
        Sections stand in the order of these.
    holds : callable of Result
        Whether a result has what the section shows.
    blocks : callable of Result
        What it shows.
    of_meshes : bool
        Whether each flexible mesh of a machine, whose contact is that of a pair, has such a section of its own.
    """

    title: str
    order: int
    holds: Callable[[Result], bool]
    blocks: Callable[[Result], Iterator[Block]]
    of_meshes: bool = True
