"""A spur pair in motion: how much do inertia and the changing mesh stiffness add to the tooth load?

python scripts/dynamic_run.py [CASE.toml] [--out DIR] [--quick]
"""

import argparse
import math
from dataclasses import replace
from pathlib import Path

import alegear as ag
from alegear.pictures.files import write_pictures

MESHES = Path(__file__).resolve().parent.parent / "meshes"

parser = argparse.ArgumentParser(description="Run a spur pair at speed.")
parser.add_argument("case", nargs="?", type=Path, default=MESHES / "spur_20_30_dynamic.toml")
parser.add_argument("--out", type=Path, default=Path("dynamic_run_results"), help="folder of the results")
parser.add_argument("--quick", action="store_true", help="coarse grid, a few teeth: for a first look")
args = parser.parse_args()

case = ag.Case.from_toml(args.case)
speed = case.operation.pinion_speed  # rad/s
mesh_frequency = speed * case.pair.pinion.z / (2.0 * math.pi)
if args.quick:
    coarse = ag.GridOptions(flank_elements=6, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4)
    # three teeth pass
    short = replace(case.analysis, duration=3.0 / mesh_frequency, output_every=0.02 / mesh_frequency)
    case = replace(case, grid_options=(coarse, coarse), analysis=short)

result = ag.run(case)

# The dataset is xarray: variables have names, units and coordinates.
data = result.dataset
carried = data["tooth_load"].sum("slot")
torque_over_r_b = case.operation.pinion_torque / case.pair.pinion.r_b
print(f"{case.title}: {mesh_frequency:.1f} teeth a second")
print(f"transmission error  {data['transmission_error'].min().item() * 1e6:.2f} um at the most")
print(f"dynamic factor      {carried.max().item() / torque_over_r_b:.3f} (greatest load over torque / r_b)")

# The energies close the balance: what the drive puts in is stored or lost.
change = {name: (data[name][-1] - data[name][0]).item() for name in data if name.startswith("energy_")}
change.pop("energy_dissipated_outside")  # a part of what is dissipated
balance = change.pop("energy_input") - sum(change.values())
print(f"energy balance      {balance:.2e} J of {data['energy_kinetic'].max().item():.3g} J kinetic energy")

# What the command `alegear run` does as well: result.nc, summary.json and the plots appear together.
place = result.save(args.out)
for file in write_pictures(result, place):
    print(f"written             {file}")
