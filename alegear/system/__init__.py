"""A mechanical system of any size: bodies, joints, linear parts, profiles, nonlinear elements; without contact."""

from alegear.system.bodies import Rotor, Rotor1D
from alegear.system.builder import GROUND, Part, SystemBuilder
from alegear.system.campbell import CampbellMap, campbell_map
from alegear.system.coordinates import Coordinate, Place, Scales, axes_along
from alegear.system.element import Element, ElementEnergy, ElementForces, StatelessElement
from alegear.system.energy import SystemEnergy
from alegear.system.equilibrium import Equilibrium, solve_equilibrium
from alegear.system.joints import FixedRatio, LedRotation, RigidMesh, Torque
from alegear.system.linear_elements import BearingLink, LineSpring, RowSpring, TorsionSpring
from alegear.system.linearised import Linearised
from alegear.system.machine_part import MachinePart
from alegear.system.model import LinearPart, SystemData, SystemForces, SystemModel, evaluate, mass_matrix, mass_tangent
from alegear.system.modes import SystemModes, complex_modes, real_modes
from alegear.system.motion import SystemMotion, SystemState
from alegear.system.profiles import PiecewiseCubic
from alegear.system.rotating_frame import RotatingFrame, RotatingSubsystem
from alegear.system.unbalance import Unbalance

__all__ = [
    "GROUND",
    "BearingLink",
    "CampbellMap",
    "Coordinate",
    "Element",
    "ElementEnergy",
    "ElementForces",
    "Equilibrium",
    "FixedRatio",
    "LedRotation",
    "LineSpring",
    "LinearPart",
    "Linearised",
    "MachinePart",
    "Part",
    "PiecewiseCubic",
    "Place",
    "RigidMesh",
    "RotatingFrame",
    "RotatingSubsystem",
    "Rotor",
    "Rotor1D",
    "RowSpring",
    "Scales",
    "StatelessElement",
    "SystemBuilder",
    "SystemData",
    "SystemEnergy",
    "SystemForces",
    "SystemModel",
    "SystemModes",
    "SystemMotion",
    "SystemState",
    "Torque",
    "TorsionSpring",
    "Unbalance",
    "axes_along",
    "campbell_map",
    "complex_modes",
    "evaluate",
    "mass_matrix",
    "mass_tangent",
    "real_modes",
    "solve_equilibrium",
]
