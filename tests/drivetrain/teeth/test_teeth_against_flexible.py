"""Teeth in line contact against the contact of flexible teeth whose bending is switched off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_machines import COARSE

import alegear as ag
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.scaled_bending import ScaledBending
from alegear.drivetrain.laws.teeth import Teeth
from alegear.progress import Silent
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.preparation import prepare_meshes
from alegear.studies.tooth_window import default_threshold

TORQUE = 300.0  # of the load [N m]
RELIEF = {"tip_relief": 15e-6, "tip_relief_start_diameter": 86e-3}


def machine(fidelity: str, micro: dict[str, Any]) -> Any:
    """20/30 on hinges, 5.3 kN along the line of action, 0.2 kN/mm."""

    def gear(z: int, **own: Any) -> ag.Gear:
        return ag.Gear(
            z=z,
            m_n=4e-3,
            b=30e-3,
            bore_diameter=0.5 * 4e-3 * (z - 2.5),
            thickness_allowance=40e-6,
            tip_rounding=0.02e-3,
            microgeometry=ag.Microgeometry(**own),
        )

    m = ag.Machine("pair")
    for name, at in (("in", 0.0), ("out", 0.1)):
        m.add(name, ag.Shaft(fixed_axis=True, position=(at, 0.0, 0.0)))
    m.add("p", ag.ShaftGear(gear=gear(20, **micro), shaft="in", at=0.0, grid_options=COARSE))
    m.add("w", ag.ShaftGear(gear=gear(30), shaft="out", at=0.0, grid_options=COARSE))
    m.mesh("mesh", "p", "w", fidelity=fidelity)
    m.add("motor", ag.Drive(shaft="in", speed=100.0))
    m.add("brake", ag.TorqueLoad(shaft="out", torque=TORQUE, inertia=5e-3))
    return m.case(ag.MachineStatic(positions_per_pitch=12), ag.OutputOptions(plots=False, fields=False))


@pytest.mark.slow
@pytest.mark.parametrize("micro", [{}, RELIEF], ids=["involutes", "relief"])
def test_load_sharing_and_transmission_error(micro: dict[str, Any]) -> None:
    case = machine("flexible", micro)
    prepared = prepare_meshes(case, Silent(), lambda: None, fields=False)["mesh"]
    assert isinstance(prepared.contact, LineContact)
    alone = case.pair_case(case.layout.meshes[0])
    window = prepared.window(default_threshold(MeshSolver.of(alone, prepared.contact, torque=200.0)))
    solver = MeshSolver.of(alone, ScaledBending.of(prepared.contact, 0.0), torque=200.0)
    (place,) = machine("teeth", micro).layout.meshes
    law, pair = place.mesh.law, place.pair
    assert isinstance(law, Teeth)
    element, checked, shared = law._alone(place), 0, 0
    low, high = pair.path_of_contact_usable
    for phase in np.linspace(-0.5, 0.5, 13):
        xi, _ = pair.contact_roll_lengths(phase - np.arange(-3, 4), "pinion")
        if np.any(np.abs(xi - low) < 1.2e-3) or np.any(np.abs(xi - high) < 1.2e-3):
            continue  # tip edges, which are sharp here and round there
        checked += 1
        first = window.first_pair(phase)
        flexible = solver.solve(phase, first)
        x = np.array([1.0, -1.0]) * phase * pair.p_bt / [gear.r_b for gear in pair.gears]
        ahead = element.ahead(x, 1.0, place.force)
        assert ahead == pytest.approx(flexible.deflection, rel=3e-3)  # the issue asks for 1 %
        x[0] += ahead / pair.pinion.r_b
        contacts = element.contacts(x, np.zeros(2))
        torque = np.abs(flexible.forces.pair_torque[:, 0]) / pair.pinion.r_b
        found = np.zeros(len(torque))
        found[contacts.pair - first] = contacts.force
        np.testing.assert_allclose(found, torque, atol=3e-3 * place.force)  # likewise
        shared += len(contacts.pair) > 1
    assert checked >= 8
    assert shared >= 2
