"""Teeth that press on flanks which the torque does not load: planets on their back flanks, teeth squeezed between both.

Both are what no gearbox with backlash does. It comes of meshes without backlash, whose back flanks are there as soon as
a pin stands off its place or a gear moves towards its mate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, floor, log10

import numpy as np

from alegear.arrays import Array
from alegear.drivetrain.planar.springs import MeshSpring
from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.geometry.iso_6336_stiffness import mesh_stiffness

#: Of the largest force of the mesh, from which back flanks press: far above what seats them in equilibria.
NOTABLE = 1e-3
#: Of the backlash that errors and deflections take up: with twice that no back flank is near.
AMPLE = 2.0


def rounded_up(value: float) -> float:
    """The next number of two digits that is not below."""
    if not value > 0.0:
        return 0.0
    unit = 10.0 ** (floor(log10(value)) - 1)
    return float(f"{unit * np.ceil(value / unit - 1e-9):.6g}")


def planet_warnings(one: PlanetaryGearSet, forces: Mapping[str, Array], backs: Mapping[str, Array]) -> list[str]:
    """Warn of planets that press on their back flanks for want of backlash.

    Two meshes of a planet need a backlash of the difference between the paths from sun to ring, which pin errors make
    ``(max e - min e) sum cos alpha_wt``, and of what their back flanks are pressed together. Where there is twice that
    and back flanks press nevertheless, something else presses them, as the weight of a floating sun does: that is told
    by the forces alone.

    Parameters
    ----------
    one : PlanetaryGearSet
        With ``"elastic"`` or ``"teeth"``.
    forces, backs : mapping of str to shape (m, n) [N]
        By name of a mesh of ``mesh_names`` net force, and that of the flanks which the torque does not load.

    Returns
    -------
    list of str
        At most one sentence.
    """
    largest = max((float(np.nanmax(np.abs(force), initial=0.0)) for force in forces.values()), default=0.0)
    pressed = {mesh: float(np.nanmax(back, initial=0.0)) for mesh, back in backs.items()}
    if not pressed or not max(pressed.values()) > NOTABLE * largest:
        return []
    errors = (0.0,) if one.pin_errors is None else one.pin_errors
    paths = (max(errors) - min(errors)) * sum(cos(one.teeth.alpha_wt(mesh)) for mesh in one.mesh_names)
    given = {mesh: _backlash(one, mesh) for mesh in one.mesh_names}
    needed = AMPLE * (paths + max(force / _stiffness(one, mesh) for mesh, force in pressed.items()))
    if min(given.values()) >= needed:
        return []
    of_mesh = max(pressed, key=lambda mesh: pressed[mesh])
    state, planet = np.unravel_index(int(np.nanargmax(backs[of_mesh])), backs[of_mesh].shape)
    share = float(np.mean((backs[of_mesh] > NOTABLE * largest).any(axis=1)))
    name, least = one.mesh_names[of_mesh][int(planet)], min(given.values())
    net = abs(float(forces[of_mesh][state].sum())) / backs[of_mesh].shape[1]
    return [
        f"back flanks of {name} press with up to {pressed[of_mesh]:.4g} N, while the torque asks for {net:.4g} N of the"
        f" others (in {100.0 * share:.3g} % of the results): planets of {one.name} wedge, which those of a gearbox with"
        f" backlash do not; backlash along the line of action is {1e6 * least:.3g} um: {_remedy(one, given, needed)}"
    ]


def _backlash(one: PlanetaryGearSet, mesh: str) -> float:
    """Backlash of a mesh along its line of action [m]."""
    assert one.meshes is not None
    given = one.meshes[mesh]
    if isinstance(given, PlanetPair):
        return given.pair.backlash_on_line_of_action
    return given.spring.backlash


def _stiffness(one: PlanetaryGearSet, mesh: str) -> float:
    """Stiffness of a mesh along its line of action [N/m], of gears that of ISO 6336-1."""
    assert one.meshes is not None
    given = one.meshes[mesh]
    if isinstance(given, PlanetPair):
        return mesh_stiffness(given.pair, (given.materials[0].E, given.materials[1].E))
    spring: MeshSpring = given.spring
    return spring.c


def _remedy(one: PlanetaryGearSet, given: Mapping[str, float], needed: float) -> str:
    """What to write so that each mesh has the backlash that is needed [m]."""
    assert one.meshes is not None
    number = f"{rounded_up(1e6 * needed):g}"
    if isinstance(next(iter(one.meshes.values())), PlanetPair):
        more = needed - min(given.values())
        return (
            f"raise tooth_thickness_allowance_um of planet_gear by {rounded_up(1e6 * more):g}, or reduce pin_error_um"
        )
    tables = [f"{'planet' if mesh == 'planets' else mesh}_mesh" for mesh in one.mesh_names]
    return f"give backlash_um = {number} or more in {' and '.join(tables)}"


@dataclass
class SqueezedTeeth:
    """Looks at both flanks of a mesh of two gears as a study goes on.

    Parameters
    ----------
    mesh : str
    backlash : float [m]
        Along the line of action.
    stiffness : float [N/m]
    key : str
        That gives it more backlash.
    """

    mesh: str
    backlash: float
    stiffness: float
    key: str
    #: Largest force of the flank that presses less [N], that of the other one then, and the largest of all.
    worst: Array = field(default_factory=lambda: np.zeros(3))

    def update(self, flanks: Array | None) -> None:
        """Take in forces of both flanks [N], shape (m, 2); None where the mesh does not have them."""
        if flanks is None or not len(flanks):
            return
        less, more = np.nan_to_num(flanks.min(axis=1)), np.nan_to_num(flanks.max(axis=1))
        i = int(np.argmax(less))
        if less[i] > self.worst[0]:
            self.worst[:2] = less[i], more[i]
        self.worst[2] = max(self.worst[2], float(more.max()))

    def warnings(self) -> Iterator[str]:
        """Whether teeth were squeezed."""
        less, more, largest = self.worst.tolist()
        if less > NOTABLE * largest:
            more_backlash = AMPLE * 2.0 * less / self.stiffness  # both flanks are off their mates by half of it
            yield (
                f"mesh {self.mesh}: teeth are squeezed: one flank presses with {less:.4g} N and the other with"
                f" {more:.4g} N at once; backlash along the line of action is {1e6 * self.backlash:.3g} um:"
                f" raise {self.key} by {rounded_up(1e6 * more_backlash):g}, or the distance of its shafts"
            )


def warnings_of(squeezed: Mapping[str, SqueezedTeeth]) -> list[str]:
    """Sentences of all meshes."""
    return [text for one in squeezed.values() for text in one.warnings()]


def planets_pressed(
    sets: Sequence[PlanetaryGearSet], names: Mapping[str, Sequence[str]], values: Mapping[str, Array]
) -> list[str]:
    """:func:`planet_warnings` of all sets.

    Parameters
    ----------
    sets : sequence of PlanetaryGearSet
    names : mapping of str to sequence of str
        With those of the dimension ``planet_mesh``.
    values : mapping of str to shape (m, n)
        ``planet_mesh_force`` and ``planet_back_force``.
    """
    found = []
    for one in sets:
        at = {mesh: [list(names["planet_mesh"]).index(name) for name in same] for mesh, same in one.mesh_names.items()}
        forces, backs = (
            {mesh: values[variable][:, columns] for mesh, columns in at.items()}
            for variable in ("planet_mesh_force", "planet_back_force")
        )
        found += planet_warnings(one, forces, backs)
    return found
