"""Flexible gears in contact, in three dimensions.

The layers are importable on their own; the names an analysis needs are also found here, and are loaded on first
use so that ``import alegear`` costs nothing.

Examples
--------
>>> import alegear as ag
>>> case = ag.Case.from_toml("meshes/spur_20_30.toml")  # doctest: +SKIP
>>> result = ag.run(case)  # doctest: +SKIP
>>> result.summary["te_mean_um"]  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from alegear._version import __version__

if TYPE_CHECKING:  # for editors and type checkers, which do not run __getattr__
    from alegear.case.case import Case as Case
    from alegear.case.dynamic import DynamicAnalysis as DynamicAnalysis
    from alegear.case.faults import CaseFaults as CaseFaults
    from alegear.case.from_file import case_from_file as case_from_file
    from alegear.case.machine import MachineCase as MachineCase
    from alegear.case.machine_analysis import MachineStatic as MachineStatic
    from alegear.case.modal import ModalAnalysis as ModalAnalysis
    from alegear.case.operation import Operation as Operation
    from alegear.case.output import OutputOptions as OutputOptions
    from alegear.case.output import OutputPoint as OutputPoint
    from alegear.case.rotational_motion import RotationalMotion as RotationalMotion
    from alegear.case.spatial_motion import Kinematics as Kinematics
    from alegear.case.spatial_motion import SpatialMotion as SpatialMotion
    from alegear.case.static import StaticAnalysis as StaticAnalysis
    from alegear.case.sweep import SweepAnalysis as SweepAnalysis
    from alegear.contact.law import Friction as Friction
    from alegear.contact.law import PenaltyLaw as PenaltyLaw
    from alegear.drivetrain.displaced_planets import Pins as Pins
    from alegear.drivetrain.loss_identification import IdentifiedLosses as IdentifiedLosses
    from alegear.drivetrain.loss_identification import MeasuredTorques as MeasuredTorques
    from alegear.drivetrain.loss_identification import identify_losses as identify_losses
    from alegear.drivetrain.loss_table import LossMap as LossMap
    from alegear.drivetrain.loss_table import LossTable as LossTable
    from alegear.drivetrain.loss_table import PositionFactor as PositionFactor
    from alegear.drivetrain.overall_efficiency import overall_efficiency as overall_efficiency
    from alegear.drivetrain.planar.mesh_stiffness import MeshStiffness as MeshStiffness
    from alegear.drivetrain.rolling.bearings import BallBearing as BallBearing
    from alegear.drivetrain.rolling.bearings import RollerBearing as RollerBearing
    from alegear.drivetrain.rolling.defect import BearingDefect as BearingDefect
    from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh as ElasticMesh
    from alegear.drivetrain.rotational.friction import BearingFriction as BearingFriction
    from alegear.drivetrain.rotational.friction import Brake as Brake
    from alegear.drivetrain.rotational.friction import Clutch as Clutch
    from alegear.drivetrain.rotational.friction import Freewheel as Freewheel
    from alegear.drivetrain.rotational.gears import PlanetaryGear as PlanetaryGear
    from alegear.drivetrain.rotational.gears import RatioGear as RatioGear
    from alegear.drivetrain.rotational.governor import SpeedGovernor as SpeedGovernor
    from alegear.drivetrain.rotational.planet_pairs import PlanetPair as PlanetPair
    from alegear.drivetrain.rotational.planet_springs import PlanetMesh as PlanetMesh
    from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet as PlanetaryGearSet
    from alegear.drivetrain.rotational.profiles import Sine as Sine
    from alegear.drivetrain.rotational.sources import Resistance as Resistance
    from alegear.drivetrain.rotational.sources import SpeedSource as SpeedSource
    from alegear.drivetrain.rotational.sources import TorqueFunction as TorqueFunction
    from alegear.drivetrain.rotational.sources import TorqueSource as TorqueSource
    from alegear.drivetrain.rotational.springs import Spring as Spring
    from alegear.drivetrain.rotational.varying_ratio import VaryingRatio as VaryingRatio
    from alegear.drivetrain.rotational.vehicle import RoadLoad as RoadLoad
    from alegear.drivetrain.rotational.vehicle import TorqueConverter as TorqueConverter
    from alegear.drivetrain.rotational.vehicle import TorqueMap as TorqueMap
    from alegear.drivetrain.spatial.gear_joint import SpatialMesh as SpatialMesh
    from alegear.drivetrain.spatial.placed import PlacedBushing as PlacedBushing
    from alegear.drivetrain.spatial.placed import PlacedJoint as PlacedJoint
    from alegear.drivetrain.spatial.placed import PlacedLoad as PlacedLoad
    from alegear.drivetrain.spatial.placed import PlacedPointSpring as PlacedPointSpring
    from alegear.drivetrain.spatial.placed import PlacedTorque as PlacedTorque
    from alegear.drivetrain.spatial.toothed import SpatialGear as SpatialGear
    from alegear.drivetrain.spatial.toothed import SpatialRack as SpatialRack
    from alegear.drivetrain.teeth.hertz_line import HertzLine as HertzLine
    from alegear.drivetrain.teeth.tooth_damage import ToothDamage as ToothDamage
    from alegear.dynamics.joints import TorsionShaft as TorsionShaft
    from alegear.dynamics.support import Support as Support
    from alegear.errors import AnalysisFailure as AnalysisFailure
    from alegear.errors import Fault as Fault
    from alegear.errors import NonConvergence as NonConvergence
    from alegear.errors import NotInThisVersion as NotInThisVersion
    from alegear.fe.assembly import FEModel as FEModel
    from alegear.fe.material import Material as Material
    from alegear.fe.stress import largest_principal as largest_principal
    from alegear.fe.stress import nodal_stress as nodal_stress
    from alegear.fe.stress import von_mises as von_mises
    from alegear.geometry.alignment import Alignment as Alignment
    from alegear.geometry.basic_rack import BasicRack as BasicRack
    from alegear.geometry.gear import Gear as Gear
    from alegear.geometry.gear_pair import GearPair as GearPair
    from alegear.geometry.internal_gear import InternalGear as InternalGear
    from alegear.geometry.measured_flank import Topography as Topography
    from alegear.geometry.measured_flank import read_pitch_deviation as read_pitch_deviation
    from alegear.geometry.microgeometry import Microgeometry as Microgeometry
    from alegear.geometry.pinion_cutter import PinionCutter as PinionCutter
    from alegear.geometry.planetary_teeth import PlanetaryTeeth as PlanetaryTeeth
    from alegear.geometry.tooth_profile import ToothProfile as ToothProfile
    from alegear.machine.machine import Machine as Machine
    from alegear.mesh.exchange import read_sector as read_sector
    from alegear.mesh.exchange import write_mesh as write_mesh
    from alegear.mesh.sector import MeshOptions as MeshOptions
    from alegear.mesh.sector import SectorMesh as SectorMesh
    from alegear.mesh.sector import mesh_sector as mesh_sector
    from alegear.mesh.volume import VolumeMesh as VolumeMesh
    from alegear.mesh.wheel import WheelMesh as WheelMesh
    from alegear.reduction.constraint_modes import constraint_modes as constraint_modes
    from alegear.reduction.normal_modes import find_free_modes as find_free_modes
    from alegear.reduction.normal_modes import find_normal_modes as find_normal_modes
    from alegear.reduction.root_stress import root_stress as root_stress
    from alegear.reduction.superelement import Superelement as Superelement
    from alegear.reduction.superelement import reduce_wheel as reduce_wheel
    from alegear.results.by_pair import by_pair as by_pair
    from alegear.results.dynamic_result import DynamicHistory as DynamicHistory
    from alegear.results.result import Result as Result
    from alegear.results.result import load as load
    from alegear.results.roller_loads import roller_loads as roller_loads
    from alegear.results.static_result import StaticHistory as StaticHistory
    from alegear.signals.angle import resample_by_angle as resample_by_angle
    from alegear.signals.bearing import RollerSet as RollerSet
    from alegear.signals.causes import SeatedBearing as SeatedBearing
    from alegear.signals.causes import characteristic_orders as characteristic_orders
    from alegear.signals.envelope import envelope_spectrum as envelope_spectrum
    from alegear.signals.marks import mark as mark
    from alegear.signals.recorded import recorded_angle as recorded_angle
    from alegear.signals.recorded import recorded_signal as recorded_signal
    from alegear.signals.recorded import recorded_speeds as recorded_speeds
    from alegear.signals.signal import Signal as Signal
    from alegear.signals.spectrogram import order_map as order_map
    from alegear.signals.spectrogram import spectrogram as spectrogram
    from alegear.signals.spectrum import order_spectrum as order_spectrum
    from alegear.signals.spectrum import spectrum as spectrum
    from alegear.studies.fidelity import compare_fidelities as compare_fidelities
    from alegear.studies.run import run as run
    from alegear.studies.variation import Variant as Variant
    from alegear.studies.variation import variants_of as variants_of
    from alegear.studies.variation import vary as vary
    from alegear.system.bodies import Rotor1D as Rotor1D
    from alegear.system.controllers import Controller as Controller
    from alegear.system.controllers import Ramp as Ramp
    from alegear.system.inputs import Input as Input
    from alegear.system.spatial.floating_body import FloatingBody as FloatingBody

#: Public name -> module that defines it.
_HOME = {
    "Fault": "alegear.errors",
    "NotInThisVersion": "alegear.errors",
    "AnalysisFailure": "alegear.errors",
    "NonConvergence": "alegear.errors",
    "BasicRack": "alegear.geometry.basic_rack",
    "Gear": "alegear.geometry.gear",
    "GearPair": "alegear.geometry.gear_pair",
    "InternalGear": "alegear.geometry.internal_gear",
    "Microgeometry": "alegear.geometry.microgeometry",
    "PinionCutter": "alegear.geometry.pinion_cutter",
    "Topography": "alegear.geometry.measured_flank",
    "read_pitch_deviation": "alegear.geometry.measured_flank",
    "Alignment": "alegear.geometry.alignment",
    "ToothProfile": "alegear.geometry.tooth_profile",
    "MeshOptions": "alegear.mesh.sector",
    "SectorMesh": "alegear.mesh.sector",
    "mesh_sector": "alegear.mesh.sector",
    "read_sector": "alegear.mesh.exchange",
    "VolumeMesh": "alegear.mesh.volume",
    "write_mesh": "alegear.mesh.exchange",
    "WheelMesh": "alegear.mesh.wheel",
    "Material": "alegear.fe.material",
    "FEModel": "alegear.fe.assembly",
    "nodal_stress": "alegear.fe.stress",
    "von_mises": "alegear.fe.stress",
    "largest_principal": "alegear.fe.stress",
    "constraint_modes": "alegear.reduction.constraint_modes",
    "reduce_wheel": "alegear.reduction.superelement",
    "Superelement": "alegear.reduction.superelement",
    "root_stress": "alegear.reduction.root_stress",
    "find_normal_modes": "alegear.reduction.normal_modes",
    "find_free_modes": "alegear.reduction.normal_modes",
    "PenaltyLaw": "alegear.contact.law",
    "Friction": "alegear.contact.law",
    "StaticHistory": "alegear.results.static_result",
    "DynamicHistory": "alegear.results.dynamic_result",
    "Result": "alegear.results.result",
    "by_pair": "alegear.results.by_pair",
    "Case": "alegear.case.case",
    "CaseFaults": "alegear.case.faults",
    "Machine": "alegear.machine.machine",
    "MachineCase": "alegear.case.machine",
    "MachineStatic": "alegear.case.machine_analysis",
    "case_from_file": "alegear.case.from_file",
    "Operation": "alegear.case.operation",
    "StaticAnalysis": "alegear.case.static",
    "DynamicAnalysis": "alegear.case.dynamic",
    "ModalAnalysis": "alegear.case.modal",
    "SweepAnalysis": "alegear.case.sweep",
    "OutputOptions": "alegear.case.output",
    "OutputPoint": "alegear.case.output",
    "Support": "alegear.dynamics.support",
    "TorsionShaft": "alegear.dynamics.joints",
    "LossTable": "alegear.drivetrain.loss_table",
    "LossMap": "alegear.drivetrain.loss_table",
    "PositionFactor": "alegear.drivetrain.loss_table",
    "overall_efficiency": "alegear.drivetrain.overall_efficiency",
    "MeasuredTorques": "alegear.drivetrain.loss_identification",
    "IdentifiedLosses": "alegear.drivetrain.loss_identification",
    "identify_losses": "alegear.drivetrain.loss_identification",
    "Rotor1D": "alegear.system.bodies",
    "Spring": "alegear.drivetrain.rotational.springs",
    "RatioGear": "alegear.drivetrain.rotational.gears",
    "VaryingRatio": "alegear.drivetrain.rotational.varying_ratio",
    "PlanetaryGear": "alegear.drivetrain.rotational.gears",
    "ElasticMesh": "alegear.drivetrain.rotational.elastic_mesh",
    "HertzLine": "alegear.drivetrain.teeth.hertz_line",
    "ToothDamage": "alegear.drivetrain.teeth.tooth_damage",
    "MeshStiffness": "alegear.drivetrain.planar.mesh_stiffness",
    "PlanetaryGearSet": "alegear.drivetrain.rotational.planetary_set",
    "Pins": "alegear.drivetrain.displaced_planets",
    "PlanetMesh": "alegear.drivetrain.rotational.planet_springs",
    "PlanetPair": "alegear.drivetrain.rotational.planet_pairs",
    "PlanetaryTeeth": "alegear.geometry.planetary_teeth",
    "RollerBearing": "alegear.drivetrain.rolling.bearings",
    "BallBearing": "alegear.drivetrain.rolling.bearings",
    "BearingDefect": "alegear.drivetrain.rolling.defect",
    "BearingFriction": "alegear.drivetrain.rotational.friction",
    "Clutch": "alegear.drivetrain.rotational.friction",
    "Brake": "alegear.drivetrain.rotational.friction",
    "Freewheel": "alegear.drivetrain.rotational.friction",
    "SpeedGovernor": "alegear.drivetrain.rotational.governor",
    "TorqueSource": "alegear.drivetrain.rotational.sources",
    "SpeedSource": "alegear.drivetrain.rotational.sources",
    "Resistance": "alegear.drivetrain.rotational.sources",
    "TorqueFunction": "alegear.drivetrain.rotational.sources",
    "TorqueMap": "alegear.drivetrain.rotational.vehicle",
    "TorqueConverter": "alegear.drivetrain.rotational.vehicle",
    "RoadLoad": "alegear.drivetrain.rotational.vehicle",
    "Controller": "alegear.system.controllers",
    "Ramp": "alegear.system.controllers",
    "Input": "alegear.system.inputs",
    "Sine": "alegear.drivetrain.rotational.profiles",
    "RotationalMotion": "alegear.case.rotational_motion",
    "FloatingBody": "alegear.system.spatial.floating_body",
    "PlacedJoint": "alegear.drivetrain.spatial.placed",
    "PlacedBushing": "alegear.drivetrain.spatial.placed",
    "PlacedPointSpring": "alegear.drivetrain.spatial.placed",
    "PlacedLoad": "alegear.drivetrain.spatial.placed",
    "PlacedTorque": "alegear.drivetrain.spatial.placed",
    "SpatialGear": "alegear.drivetrain.spatial.toothed",
    "SpatialRack": "alegear.drivetrain.spatial.toothed",
    "SpatialMesh": "alegear.drivetrain.spatial.gear_joint",
    "SpatialMotion": "alegear.case.spatial_motion",
    "Kinematics": "alegear.case.spatial_motion",
    "load": "alegear.results.result",
    "Signal": "alegear.signals.signal",
    "resample_by_angle": "alegear.signals.angle",
    "spectrum": "alegear.signals.spectrum",
    "order_spectrum": "alegear.signals.spectrum",
    "envelope_spectrum": "alegear.signals.envelope",
    "spectrogram": "alegear.signals.spectrogram",
    "order_map": "alegear.signals.spectrogram",
    "recorded_signal": "alegear.signals.recorded",
    "recorded_angle": "alegear.signals.recorded",
    "recorded_speeds": "alegear.signals.recorded",
    "characteristic_orders": "alegear.signals.causes",
    "SeatedBearing": "alegear.signals.causes",
    "RollerSet": "alegear.signals.bearing",
    "mark": "alegear.signals.marks",
    "roller_loads": "alegear.results.roller_loads",
    "compare_fidelities": "alegear.studies.fidelity",
    "run": "alegear.studies.run",
    "vary": "alegear.studies.variation",
    "Variant": "alegear.studies.variation",
    "variants_of": "alegear.studies.variation",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _HOME:
        raise AttributeError(f"module 'alegear' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
