"""What the two windows of an idler would know of each other: displacement of one by the forces of the other.

``python validation/idler_windows/run.py`` solves ``meshes/idler_3_gears.toml`` on a coarse grid, where each mesh has a
window of its own, and brings the tooth forces of both meshes on one whole idler; it prints the table of README.md.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import alegear as ag
from alegear.case.machine import MachineCase
from alegear.contact.numbering import PINION, SPIN, flank_side
from alegear.mesh.grid_options import GridOptions
from alegear.progress import Silent
from alegear.studies.equilibria import MachinePosition
from alegear.studies.preparation import prepare_meshes
from alegear.studies.static import StaticStudy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst

CASE = Path(__file__).resolve().parents[2] / "meshes" / "idler_3_gears.toml"
GRID = GridOptions(flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4, order=1)


RECIPROCITY = 1e-3  # rolling of the flanks


def coarse(positions: int) -> MachineCase:
    """The delivered case on a coarse grid: what windows know of each other is bending of the whole wheel."""
    case = MachineCase.from_toml(CASE)
    gears = tuple(replace(gear, grid_options=GRID) for gear in case.gears)
    return replace(case, gears=gears, analysis=ag.MachineStatic(positions_per_pitch=positions))


def forces_on_idler(study: StaticStudy, position: MachinePosition, name: str) -> tuple[float, int, str, np.ndarray]:
    """Tooth of the idler in slot 0 of a window, counted about its shaft; the way to the tooth in the next slot, 1 or
    -1; loaded flank; forces (slots, n_f) [N]; all as the shaft has it.

    A mesh whose z axis stands against the shaft sees the idler turned over: its flanks a are flanks b of the shaft's,
    its teeth count the other way, and of its forces those along y and z change their sign.
    """
    layout, mesh = study.case.layout, study.solver.system.contacts[name]
    place = study.solver.layout.place(name)
    g = place.mesh.gears.index("idler_gear")
    wheel = study.prepared[name].wheels[g]
    pitch = 2.0 * math.pi / wheel.teeth
    turned = float(mesh.turned(position.x[mesh.coordinates])[g])
    first = position.first_pair[name] + (wheel.slots - 1 if g == PINION else 0)
    polar = place.pair.reference_angles(flank_side(place.flank))[g] + float(SPIN[g]) * (turned - first * pitch)
    direction = math.cos(polar) * place.axes[0] + math.sin(polar) * place.axes[1]
    axes = layout.shafts["idler"].axes
    stand = math.atan2(float(direction @ axes[1]), float(direction @ axes[0]))
    forces = position.forces[name].face_force[g].reshape(wheel.slots, -1)
    if place.axes[2] @ axes[2] > 0.0:
        return stand / pitch, 1, wheel.flank, forces
    rows, cols = wheel.sector.loaded("a").shape
    turned_over = forces.reshape(wheel.slots, rows, cols, 3)[:, :, ::-1] * np.array([1.0, -1.0, -1.0])
    return stand / pitch, -1, {"a": "b", "b": "a"}[wheel.flank], turned_over.reshape(wheel.slots, -1)


def coupling(study: StaticStudy) -> dict[str, np.ndarray]:
    """Displacement of each window along its line of action by the forces of the other, by mesh (positions,) [m].

    The change of a mesh's deflection to first order is the work of its own nodal forces on the displacement that the
    others cause, over its force along the line of action.
    """
    names = [place.mesh.name for place in study.case.layout.meshes]
    prepared = study.prepared[names[0]]
    sector, teeth = prepared.sectors[1], prepared.wheels[1].teeth
    whole = ag.reduce_wheel(sector, study.case.gears[1].material, slots=teeth, flank="both")
    found: dict[str, list[float]] = {name: [] for name in names}
    for position in study.positions:
        places = [forces_on_idler(study, position, name) for name in names]
        apart = places[1][0] - places[0][0]
        assert abs(apart - round(apart)) < 1e-2  # pitches: but for the deflection of the teeth
        both = []
        for start, (_, way, flank, forces) in zip((0, round(apart)), places, strict=True):
            on_all = np.zeros((teeth, 2, forces.shape[1]))
            for slot, force in enumerate(forces):
                on_all[(start + way * slot) % teeth, "ab".index(flank)] += force
            both.append(on_all.reshape(-1))
        u = whole.window.faces(both[0].reshape(teeth, -1, 1)).reshape(-1)
        for name in names:
            place = study.solver.layout.place(name)
            r_b, g = study.case.gears[1].gear.r_b, place.mesh.gears.index("idler_gear")
            force = abs(position.forces[name].torque[g]) / r_b
            found[name].append(float(both[1] @ u) / force)
    return {name: np.array(values) for name, values in found.items()}


def rows(quick: bool) -> Iterator[Row]:
    """What the forces of one window move in the other; in the quick form at two positions of a pitch."""
    case = coarse(2 if quick else 6)
    study = StaticStudy(case, prepare_meshes(case, Silent(), lambda: None, fields=False))
    study.run(Silent())
    errors = study.history().values["transmission_error"]
    found = coupling(study)
    yield worst(
        "displacement of a window by the forces of the other",
        [
            Row(
                quantity=f"position {i}",
                value=1e6 * float(first),
                reference=1e6 * float(second),
                unit="um",
                bound=RECIPROCITY,
                source="the same of the other window: one compliance, forces of the same size",
            )
            for i, (first, second) in enumerate(zip(*found.values(), strict=True))
        ],
    )
    for m, (name, changed) in enumerate(found.items()):
        for quantity, of in (("mean", lambda values: abs(values.mean())), ("peak to peak", np.ptp)):
            yield Row(
                quantity=f"{quantity} of the displacement by the other window, left out, of mesh {name}",
                value=float(of(changed) / of(errors[:, m])),
                kind="at most",
                source=f"part of the {quantity} of the transmission error",
            )


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
