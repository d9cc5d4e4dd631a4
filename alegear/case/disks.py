"""``[disks.NAME]``: what sits on a shaft as a rigid body."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from alegear.case.part_table import PartTable
from alegear.case.schema import limited
from alegear.case.units import MM
from alegear.drivetrain.shaft import Disk

OF_DISKS = Disk.LIMITS


class DiskTable(PartTable):
    """``[disks.NAME]``: a gear, a coupling, a hub, the arms of a carrier."""

    shaft: str = Field(description="name of its shaft")
    at_mm: float = limited(OF_DISKS["at"], "position of its centre of mass along the shaft in mm (0)", default=0.0)
    mass_kg: float = limited(OF_DISKS["mass"], "mass in kg (0)", default=0.0)
    inertia_kg_m2: float = limited(OF_DISKS["inertia"], "inertia about the axis in kg m2 (0)", default=0.0)
    tilt_inertia_kg_m2: float = limited(
        OF_DISKS["tilt_inertia"], "inertia about a diameter through its centre of mass in kg m2 (0)", default=0.0
    )

    def part(self, name: str, folder: Path) -> Disk:
        """Make the disk."""
        return Disk(
            name=name,
            shaft=self.shaft,
            at=self.at_mm * MM,
            mass=self.mass_kg,
            inertia=self.inertia_kg_m2,
            tilt_inertia=self.tilt_inertia_kg_m2,
        )
