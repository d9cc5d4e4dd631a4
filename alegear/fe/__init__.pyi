"""Public names of the folder, and where each is defined."""

from .assembly import FEModel as FEModel
from .assembly import MassProperties as MassProperties
from .assembly import element_stiffness as element_stiffness
from .material import Material as Material
from .stress import impose_traction as impose_traction
from .stress import largest_principal as largest_principal
from .stress import nodal_stress as nodal_stress
from .stress import stress_operator as stress_operator
from .stress import von_mises as von_mises
