"""Lines that a picture of a run-up marks: of all causes those that a user looks for first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alegear.errors import Fault
from alegear.results.orders import ExpectedOrder, write_orders
from alegear.signals.causes import CharacteristicOrders, characteristic_orders

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase

#: Harmonics of meshes.
HARMONICS = 3


def write_expected(directory: Path, case: MachineCase, places: tuple[str, ...]) -> None:
    """Write the orders of a machine over the turns of the first of its places that turns with others.

    Without any there is nothing to write: a machine whose speeds nothing ties.

    Parameters
    ----------
    directory : Path
    case : MachineCase
    places : tuple of str
        Shafts or bodies whose angles the result holds.

    Raises
    ------
    StorageFailure
    """
    for reference in (*(drive.shaft for drive in case.drives), *places):
        if reference not in places:
            continue
        try:
            found = characteristic_orders(case, reference, harmonics=HARMONICS, sidebands=0)
        except Fault:  # it stands, or nothing ties it to the others
            continue
        write_orders(directory, reference, expected(case, found))
        return


def expected(case: MachineCase, orders: CharacteristicOrders) -> list[ExpectedOrder]:
    """Return what is marked: the shaft itself, meshes with their harmonics, planets that pass, bearings with defects.

    Parameters
    ----------
    case : MachineCase
    orders : CharacteristicOrders
        Of it.
    """
    heard = {f"{defect.on} of {one.name}" for one in case.bearings for defect in one.defects}
    return [
        ExpectedOrder(name=cause.name, kind=cause.kind, order=cause.order)
        for cause in orders.causes
        if cause.kind == "mesh"
        or (cause.kind == "shaft" and cause.order == 1.0)
        or (cause.kind == "planet pass" and cause.harmonic == 1)
        or (cause.kind == "bearing" and cause.name in heard)
    ]
