"""The pair of the first page of the documentation, as a pair and as a machine of two shafts on hinges.

Coarser, and with a tip relief: a pair is to be the same as its machine, to round-off.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import alegear as ag

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from small_cases import COARSE

_PINION = """
teeth = 20
profile_shift = 0.2
face_width_mm = 30.0
bore_diameter_mm = 35.8
flank = { tip_relief_um = 20.0, tip_relief_start_diameter_mm = 84.0 }
"""
_WHEEL = """
teeth = 30
profile_shift = -0.2
face_width_mm = 30.0
bore_diameter_mm = 54.2
"""
_REST = f"""
[grid]
{COARSE}
[output]
fields = false
plots = false
[analysis]
kind = "static"
positions_per_pitch = 8
"""
PAIR = f"""
[pair]
normal_module_mm = 4.0
[pinion]
{_PINION}
[wheel]
{_WHEEL}
[operation]
pinion_torque_Nm = 400.0
{_REST}
grid_estimate = false
"""
MACHINE = f"""
[machine]
[shafts.in]
fixed_axis = true
[shafts.out]
fixed_axis = true
position_mm = [100.0, 0.0, 0.0]
[gears.pinion]
shaft = "in"
at_mm = 0.0
{_PINION}
[gears.wheel]
shaft = "out"
at_mm = 0.0
{_WHEEL}
[meshes.mesh]
gears = ["pinion", "wheel"]
normal_module_mm = 4.0
[drives.motor]
shaft = "in"
torque_Nm = 400.0
[loads.brake]
shaft = "out"
balances_drive = true
{_REST}
"""


def variables_of_both() -> tuple[dict[str, NDArray[np.float64]], dict[str, NDArray[np.float64]]]:
    """Variables of the pair, and of the mesh of the machine, numbers only."""
    pair = ag.run(ag.Case.from_bytes(PAIR.encode()))
    machine = ag.run(ag.MachineCase.from_tables(tomllib.loads(MACHINE), Path("machine.toml")))
    both = (pair.dataset.load(), machine.meshes()["mesh"].dataset.load())
    first, second = (
        {str(key): np.asarray(one, dtype=np.float64) for key, one in data.variables.items() if one.dtype.kind in "fi"}
        for data in both
    )
    return first, second
