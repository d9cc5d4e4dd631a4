"""How fine the grid of a tooth sector is: numbers of its elements, and those across the face unless given."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Annotated

from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr

LONGEST_STEP = 1.7
"""Modules from node to node across the face, by default."""

LONGEST_STEP_HELICAL = 0.5
"""The same of a helical gear."""

MOST_STEPS, MOST_STEPS_HELICAL = 64, 32
"""Elements across the face, by default: memory and time of the reduction."""


def _elements(name: str, words: str, least: int) -> Limits:
    return Limits(quantity=name, words=f"number of {words}", key=name, least=least, most=400, whole=True)


@dataclass(frozen=True, kw_only=True)
class GridOptions(ShortRepr):
    """Numbers of elements of a sector.

    The numbers count the steps from node to node, which are elements of first order. An element of second order takes
    two steps in each direction; so both orders have the same nodes, and cost about the same.

    Parameters
    ----------
    flank_elements : int
        Along the involute from the root form circle to the tip, equal in arc length.
    fillet_elements : int
        Along the fillet from the middle of the tooth space to the root form circle, equal in arc length. The upper half
        of them (rounded down) runs across the tooth, the rest down into the rim.
    thickness_elements : int
        Across the tooth; about a quarter of them on each side are the thin surface layer.
    width_elements : int
        Across the face.
    rim_elements : int
        From the root down to the bore, the surface layer included, finer at the root.
    order : int
        1: eight nodes with incompatible modes. 2: 27 nodes; all numbers must be even.

    Raises
    ------
    Fault
        If a number is not an integer in its range, or is odd with order 2.
    """

    # along the profile the contact interpolates over four rows of nodes, one of them in the fillet
    flank_elements: Annotated[int, _elements("flank_elements", "elements along the involute", 2)] = 16
    fillet_elements: Annotated[int, _elements("fillet_elements", "elements along the fillet", 2)] = 12
    thickness_elements: Annotated[int, _elements("thickness_elements", "elements across the tooth", 2)] = 8
    width_elements: Annotated[
        int,
        _elements(
            "width_elements",
            "elements across the face width (10, and a step of at most 1.7 modules, helical 0.5)",
            1,
        ),
    ] = 10
    rim_elements: Annotated[int, _elements("rim_elements", "radial elements of the rim", 1)] = 12
    order: Annotated[
        int,
        Limits(
            quantity="order",
            words="order of the elements (2; 1 where a number of elements is odd)",
            least=1,
            most=2,
            whole=True,
        ),
    ] = 2

    def __post_init__(self) -> None:
        check_parameters(self)
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name != "order" and self.order == 2 and value % 2:
                raise Fault(
                    item.name,
                    value,
                    "even, because an element of order 2 takes two steps",
                    f"use {value + 1}, or order = 1",
                )

    @property
    def upper_fillet_elements(self) -> int:
        """Fillet elements whose rows run across the tooth."""
        return self.order * (self.fillet_elements // self.order // 2)

    @property
    def lower_fillet_elements(self) -> int:
        """Fillet elements whose columns run down to the bore."""
        return self.fillet_elements - self.upper_fillet_elements

    @property
    def layer_elements(self) -> int:
        """Elements through the surface layer; none if there are too few across the tooth or in the rim."""
        across, down = self.thickness_elements // self.order, self.rim_elements // self.order
        wanted = max(1, across // 4) if across > 2 else 0
        return self.order * min(wanted, down - 1)

    @property
    def core_elements(self) -> int:
        """Elements across the tooth between the surface layers."""
        return self.thickness_elements - 2 * self.layer_elements

    @property
    def n_cells(self) -> int:
        """Elements of a sector."""
        layer, core = self.layer_elements, self.core_elements
        section = (self.rim_elements - layer) * self._rim_columns
        section += (self.flank_elements + self.upper_fillet_elements) * core
        section += 2 * layer * (self.flank_elements + self.fillet_elements)
        return section * self.width_elements // self.order**3

    @property
    def n_nodes(self) -> int:
        """Nodes of a sector."""
        layer, core = self.layer_elements, self.core_elements
        section = (self.rim_elements - layer + 1) * (self._rim_columns + 1)
        section += (self.flank_elements + self.upper_fillet_elements) * (core + 1)
        section += 2 * layer * (self.flank_elements + self.fillet_elements + 1)
        return section * (self.width_elements + 1)

    @property
    def n_bore_nodes(self) -> int:
        """Nodes of a sector on the bore."""
        return (self._rim_columns + 1) * (self.width_elements + 1)

    @property
    def _rim_columns(self) -> int:
        return self.core_elements + 2 * self.lower_fillet_elements


def default_width_elements(width: float, *, helical: bool) -> int:
    """Number of elements across a face `width` modules wide for which the line load is converged.

    Where oblique lines of contact end on tip edges the load changes within half a module: with steps of 0.75 modules it
    is off by 5 to 12 % there and the loads of the pairs by 0.4 % of the total, with 0.47 modules by 0.15 %
    (``validation/fe_helical_20_30``). Lines of spur gears end on the ends of the face only. A face of more than 16
    modules gets longer steps: with 52 elements `helical_24_95` took 4.4 GB.

    Parameters
    ----------
    width : float
        Face width over normal module.
    helical : bool
        Whether lines of contact are oblique.
    """
    step, most = (LONGEST_STEP_HELICAL, MOST_STEPS_HELICAL) if helical else (LONGEST_STEP, MOST_STEPS)
    pairs = math.ceil(width / (2.0 * step))
    return min(max(GridOptions.width_elements, 2 * pairs), most)
