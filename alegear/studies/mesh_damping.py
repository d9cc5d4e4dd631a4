"""Mean stiffness of a mesh at rest, and the damping of its contact where wheels vibrate in modes of their own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from alegear.ale import ToothWindow
from alegear.contact.forces import MeshMotion, mesh_stiffness
from alegear.contact.hertz.contact import LineContact
from alegear.drivetrain.normal_modes import face_modes, left_of_rotation
from alegear.parallel import in_parallel
from alegear.reduction.normal_modes import NormalModes, stored_normal_modes
from alegear.studies.mesh_solver import MeshSolver

if TYPE_CHECKING:
    from alegear.studies.preparation import PreparedPair


STIFFNESS_POSITIONS = 16  # per pitch, for the mean mesh stiffness
DAMPING_POSITIONS = 8  # of a pitch, over which the damping of the contact is averaged


def pitch_mean_stiffness(solver: MeshSolver, window: ToothWindow) -> float:
    """Mean mesh stiffness over a pitch [N/m]."""
    total, guess = 0.0, None
    for i in range(STIFFNESS_POSITIONS):
        phase = -0.5 + (i + 0.5) / STIFFNESS_POSITIONS
        position = solver.solve(phase, window.first_pair(phase), guess)
        guess = position.deflection
        total += position.mesh_stiffness
    return total / STIFFNESS_POSITIONS


def vibrating(prepared: PreparedPair, n: int) -> tuple[LineContact, tuple[NormalModes, NormalModes]]:
    """Contact of a motion whose wheels have n normal modes each, and these."""
    contact = prepared.contact
    assert isinstance(contact, LineContact)
    pinion, wheel = in_parallel([partial(stored_normal_modes, w.sector, w.material, n) for w in prepared.wheels])
    faces = [face_modes(m, w) for m, w in zip((pinion, wheel), prepared.wheels, strict=True)]
    left = [left_of_rotation(m, w) for m, w in zip((pinion, wheel), prepared.wheels, strict=True)]
    return contact.vibrating((faces[0], faces[1]), (left[0], left[1])), (pinion, wheel)


def damping_of_the_rest(contact: LineContact, solver: MeshSolver, window: ToothWindow) -> float:
    r"""By how much longer the retardation of the contact must be for the same damping of the mode in the mesh.

    Where modes carry a part of the compliance, a slow approach at the rate v closes the gaps at k v/k_r only, k the
    mesh stiffness and k_r that with the modes held. Retarded by beta_r they dissipate beta_r k_r (k v/k_r)^2, which
    is to be beta k v^2 in the mean over a pitch:

    .. math:: \beta_r / \beta = \langle k \rangle / \langle k^2/k_r \rangle
    """
    assert contact.modes is not None
    driving, r_b = solver.driving, np.array([gear.r_b for gear in contact.pair.gears])
    whole, rest, guess = np.empty(DAMPING_POSITIONS), np.empty(DAMPING_POSITIONS), None
    data = contact.new_data()
    for i in range(DAMPING_POSITIONS):
        phase = -0.5 + (i + 0.5) / DAMPING_POSITIONS
        first_pair = window.first_pair(phase)
        position = solver.solve(phase, first_pair, guess)
        guess = position.deflection
        phi = solver.rotations(phase - first_pair, position.deflection)
        at_rest = [
            force @ contact.on_faces(gear, first_pair) / contact.modes[gear].frequencies ** 2
            for gear, force in enumerate(position.forces.face_force)
        ]
        held = contact.evaluate(data, MeshMotion(phi=phi, first_pair=first_pair, modal=np.concatenate(at_rest)))
        assert held.torque_phi is not None
        whole[i], rest[i] = position.mesh_stiffness, mesh_stiffness(held.torque_phi, r_b, driving)
    return float(whole.mean() / (whole**2 / rest).mean())
