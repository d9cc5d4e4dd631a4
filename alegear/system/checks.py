"""What a system must satisfy before anything is computed."""

from __future__ import annotations

import numpy as np

from alegear.errors import Fault
from alegear.system.coordinates import ANGLES, ROTATION
from alegear.system.inputs import names_of_inputs
from alegear.system.model import SystemModel
from alegear.system.reduction import reduction

#: Constraints that say the same twice leave singular values below this part of the largest, to round-off.
DEPENDENT = 1e-10


def check_rotation_vectors(model: SystemModel) -> None:
    """Refuse what takes rotation vectors for sums, and friction that locks beside joints in space."""
    if model.joints and model.switches:
        joints, switches = (", ".join(one.name for one in several) for several in (model.joints, model.switches))
        remedy = "take friction that is regularised, or bodies on fixed axes"
        raise Fault(f"friction that locks, of {switches},", f"beside joints in space, {joints}", "one of both", remedy)
    vectors = {i for k in model.rotation_vectors for i in range(k, k + 3)}
    linear = [(one.name, np.flatnonzero(one.row)) for one in model.constraints]
    linear += [(one.name, np.array([one.index])) for one in model.prescribed]
    linear += [(one.name, np.flatnonzero(one.rate)) for one in model.switches]
    linear += [(one.name, one.coordinates) for one in model.parts]
    for name, at in linear:
        for index in at:
            if int(index) in vectors:
                what, limit = f"{model.coordinates[index].in_words} in {name}", "left to joints, bushings and meshes"
                raise Fault(what, "a rotation in space", limit, "rotations in space are no sums")


def check_inertia(model: SystemModel) -> None:
    """Refuse free coordinates without inertia.

    Raises
    ------
    Fault
        With the first of them.
    """
    mass = np.diag(model.mass).copy()
    for element in model.elements:
        if element.adds_mass:  # on its coordinates it may be all there is
            mass[element.coordinates] = np.maximum(mass[element.coordinates], np.finfo(float).tiny)
            mass[list(element.massless)] = 0.0
    for joint in model.joints:
        mass[list(joint.without_inertia)] = 1.0
    for index in model.free:
        if not mass[index] > 0.0:
            what = f"inertia of the {model.coordinates[index].in_words}"
            direction = model.coordinates[index].direction
            kind = "an inertia" if direction in ANGLES else "a mass"
            remedy = f"give it {kind}, or a drive that prescribes its motion"
            if direction.startswith("mode"):  # a simplified inertia leaves theirs out
                remedy = 'give its body a full inertia, inertia = "full"'
            raise Fault(what, 0, "positive", remedy)


def check_constraints(model: SystemModel) -> None:
    """Refuse constraints that say the same twice, or that drives leave nothing of.

    Raises
    ------
    Fault
        With the constraint that comes last of those that depend on each other.
    """
    W = model.constraint_rows[:, model.free] * model.displacement_scale[model.free]
    for i, one in enumerate(model.constraints):
        size = np.abs(model.constraint_rows[i] * model.displacement_scale).max(initial=0.0)
        if not np.abs(W[i]).max(initial=0.0) > DEPENDENT * size:
            drives = ", ".join(
                prescribed.name for prescribed in model.prescribed if model.constraint_rows[i, prescribed.index]
            )
            remedy = f"leave it out, or one of {drives}" if "," in drives else "leave it out"
            raise Fault(
                f"joint {one.name}", "all bodies that it connects are prescribed", "connected to a free body", remedy
            )
        W[i] /= np.abs(W[i]).max()
        values = np.linalg.svd(W[: i + 1], compute_uv=False)
        if i + 1 > W.shape[1] or values[-1] < DEPENDENT * values[0]:
            others = ", ".join(other.name for other in model.constraints[:i])
            raise Fault(f"joint {one.name}", f"given by {others} already", "independent of the others", "leave one out")


def check_motion(model: SystemModel) -> None:
    """Refuse rotations that constraints hold at rest, as two gears of different ratio between the same shafts do.

    Raises
    ------
    Fault
        With the constraints that do it, for the rotation with the fewest.
    """
    basis = reduction(model.constraint_rows, model.prescribed_indices, model.displacement_scale)
    held = {}
    for p in basis.dependent:
        joints = [model.constraints[i] for i in np.flatnonzero(basis.by_row[p])]
        moves = basis.T[p].any() or basis.by_prescribed[p].any()
        if model.coordinates[p].direction == ROTATION and not moves:
            held[p] = joints
    if not held:
        return
    at = min(held, key=lambda p: len(held[p]))  # what hangs on it is held by more
    names = " and ".join(one.name for one in held[at])
    limit = "free to turn: no speed but 0 is allowed by all of them"
    remedy = "leave one of them out, or correct a ratio" if len(held[at]) > 1 else "leave it out"
    raise Fault(f"{model.coordinates[at].in_words} between {names}", "held at rest", limit, remedy)


def check_inputs(model: SystemModel) -> None:
    """Refuse inputs that parts take and no controller sets."""
    taken = [(load.name, names_of_inputs(load.profile)) for load in model.loads]
    taken += [(one.name, one.law.inputs) for one in model.switches]
    taken += [(one.name, one.inputs) for one in model.elements]
    for part, names in taken:
        for name in names:
            if name not in model.inputs:
                known = ", ".join(model.inputs) or "none yet"
                remedy = f"add a controller that does, or name one that is set: {known}"
                raise Fault(f"input of {model.owner(part)}", f'"{name}"', "set by a controller", remedy)
