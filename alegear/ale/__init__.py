"""The space-fixed window of tooth faces (Arbitrary-Lagrangian-Eulerian formulation) and the change of its teeth."""

from alegear.ale.tooth_change import change_teeth, shift_slots
from alegear.ale.window import ToothWindow, centred_threshold, placed_threshold

__all__ = ["ToothWindow", "centred_threshold", "change_teeth", "placed_threshold", "shift_slots"]
