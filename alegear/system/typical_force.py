"""Typical force of a system, estimated before it moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from alegear.system.coordinates import Array
from alegear.system.mode_changes import changes_of
from alegear.system.model import SystemModel, mass_matrix

#: Times at which loads and friction are looked at, at most: corners of long tables say no more.
MOST_TIMES = 200


def with_typical_force(model: SystemModel) -> SystemModel:
    """A system whose coordinates have forces of the size that acts on them, in place of those of its builder.

    Parameters
    ----------
    model : SystemModel
    """
    size = typical_force(model)
    coordinates = tuple(replace(one, force_scale=one.force_scale * size) for one in model.coordinates)
    return replace(model, coordinates=coordinates)


def typical_force(model: SystemModel) -> float:
    """Largest force over the typical one of its coordinate, which the builder has given.

    That of loads, friction and elements at the start and wherever what is given has a corner; where there is none, what
    stops the inertia at its first speed within a typical displacement; else that of springs over one; else 1.
    """
    (x, v), data = model.start(), model.new_data()
    given = model.with_inputs(data.inputs)
    prescribed = [i.index for i in model.prescribed]
    times = [0.0, *changes_of(model)][:MOST_TIMES]
    forces = [given.outer_force(t) for t in times]
    for switch in given.switches:
        bounds = [np.abs(switch.law.lines_at_rest(t, x, v)[..., 0]) for t in times]
        bound = np.max([one.max(initial=0.0, where=np.isfinite(one)) for one in bounds])
        forces.append(bound * switch.push)
    whole = np.zeros(model.n)
    for element, own in zip(given.elements, data.elements, strict=True):
        at = element.coordinates
        whole[at] += np.abs(element.evaluate(0.0, x[at], v[at], own).Q)
    found = _largest(model, [*forces, whole])
    if found == 0.0:
        speeds = np.abs(v)
        speeds[prescribed] = np.max([np.abs(model.prescribed_motion(t)[1]) for t in times], axis=0)
        found = _largest(model, [np.diag(mass_matrix(model, data, x)) * speeds**2 / model.displacement_scale])
    if found == 0.0:
        found = _largest(model, [np.diag(model.stiffness) * model.displacement_scale])
    return found or 1.0


def _largest(model: SystemModel, forces: list[Array]) -> float:
    sizes = np.abs(forces) / model.force_scale
    return float(sizes.max(initial=0.0, where=np.isfinite(sizes)))
