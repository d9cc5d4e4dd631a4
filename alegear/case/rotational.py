"""``[rotors.NAME]``, ``[springs.NAME]``, ``[clutches.NAME]`` ...: torsional parts, by their headings."""

from __future__ import annotations

from alegear.case.elastic_mesh import ElasticMeshTable
from alegear.case.planetary import PlanetaryTable
from alegear.case.tables import LazyTables
from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh
from alegear.drivetrain.rotational.friction import BearingFriction, Brake, Clutch, Freewheel
from alegear.drivetrain.rotational.gears import PlanetaryGear, RatioGear
from alegear.drivetrain.rotational.governor import SpeedGovernor
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.drivetrain.rotational.sources import Resistance, SpeedSource, TorqueSource
from alegear.drivetrain.rotational.springs import Spring
from alegear.drivetrain.rotational.varying_ratio import VaryingRatio
from alegear.drivetrain.rotational.vehicle import RoadLoad, TorqueConverter, TorqueMap
from alegear.drivetrain.shaft import Disk
from alegear.system.bodies import Rotor1D

#: Heading -> keys of each of its tables.
ROTATIONAL = LazyTables.of_parts(Rotor1D, Spring, RatioGear, VaryingRatio, PlanetaryGear)
ROTATIONAL |= LazyTables.of({PlanetaryGearSet.TABLE: PlanetaryTable, ElasticMesh.TABLE: ElasticMeshTable})
ROTATIONAL |= LazyTables.of_parts(
    BearingFriction,
    Clutch,
    Brake,
    Freewheel,
    TorqueMap,
    TorqueConverter,
    RoadLoad,
    TorqueSource,
    SpeedSource,
    Resistance,
    SpeedGovernor,
    Disk,
)
