"""Two gears by themselves in a modal study: modes of the loaded pair by its parts, and the one in the mesh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.case.pair_machine import MESH
from alegear.checks.design_warnings import beside_iso
from alegear.checks.gear_data import case_warnings
from alegear.contact.numbering import PINION, WHEEL
from alegear.drivetrain.pair_modes import PARTS, PairModes
from alegear.results.dataset import ResultArrays
from alegear.results.modal_result import modal_summary
from alegear.results.variables import MODES_OF_WHEELS, PAIR_MODES
from alegear.studies.meshes import modes_on_fixed_axes

if TYPE_CHECKING:
    from alegear.studies.modal import ModalStudy


class ModalPair:
    """What a modal study of two gears tells of them as a pair.

    Parameters
    ----------
    study : ModalStudy
        That has run, of a pair.
    """

    def __init__(self, study: ModalStudy) -> None:
        assert study.case.preset is not None
        assert study.static is not None
        self.study, self.preset, self.analysis = study, study.case.preset, study.analysis
        self.mesh, self._ready = study.meshes[MESH], study.static.solver.ready[MESH]
        self.mesh_stiffness = self.mesh.mesh_stiffness
        self.r_b = np.array([gear.r_b for gear in self.preset.pair.gears])

    @cached_property
    def rigid(self) -> PairModes:
        """Modes of rigid gears whose axes are held, on the mean mesh stiffness."""
        place = self.mesh.place
        spring = place.mesh.law.on_springs(replace(self._ready, stiffness=self.mesh_stiffness))
        parts = self.study.machine
        standing = parts.build({MESH: spring}, speeds=self.study.still)
        return PairModes.of(modes_on_fixed_axes(standing.model), place, np.ones(1))

    @cached_property
    def pair(self) -> PairModes:
        """Modes of the loaded pair: means of those about each position.

        On fixed axes and rigid wheels the mean stiffness says it all, with any law.
        """
        found = [PairModes.of(modes, self.mesh.place, teeth[MESH].spread) for modes, teeth in self.study.about]
        return PairModes.mean(found, self._lengths(found[0].coordinates)) if found else self.rigid

    def _lengths(self, coordinates: tuple[str, ...]) -> Array:
        """What makes ways of the coordinates: r_b of rotations and tilts, that of the driven gear for the load [m]."""
        of = {"pinion": self.r_b[PINION], "wheel": self.r_b[WHEEL], "load": self.r_b[1 - self.mesh.place.driving]}
        turns = [" " not in name or "tilt" in name for name in coordinates]
        return np.array([of[n.split()[0]] if turn else 1.0 for n, turn in zip(coordinates, turns, strict=True)])

    # ------------------------------------------------------------------ result
    def warnings(self) -> list[str]:
        """What the results are to be read with caution for."""
        return case_warnings(self.preset, self.mesh.prepared.sectors, self.mesh_stiffness)

    def summary(self, history: ResultArrays, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Summary, with the facts of the run."""
        own = self.mesh.prepared
        sizes = {name: sum(getattr(one, name) for one in own.wheels) for name in ("dof_full", "dof_boundary")}
        iso = beside_iso(self.preset, own.sectors, self.mesh_stiffness).summary()
        of_pair = {"contact_law": self.preset.law, "memory_estimate_MB": 1e-6 * own.memory}
        return modal_summary(history, {**sizes, **facts, **iso, **of_pair})

    def history(self) -> ResultArrays:
        """What was found: variables of :data:`PAIR_MODES` and :data:`MODES_OF_WHEELS`.

        Facts: the position, and natural frequencies in the mesh with both gears free to turn,
        ``sqrt(k (r_b1^2/J_1 + r_b2^2/J_2))``, and with the normal modes of the wheels where there are such.
        """
        n = self.analysis.n_modes
        pair = self.pair.listed(n)
        shapes = pair.shapes * self._lengths(pair.coordinates)[:, None]
        largest = np.take_along_axis(shapes, np.abs(shapes).argmax(axis=0)[None], axis=0)[0]  # with its sign
        r_b, J = self.r_b, np.array([one.inertia for one in self.mesh.prepared.wheels]) + self.preset.added_inertia
        labels = {
            **self.study.labels_of_wheels,
            "pair_mode": np.arange(1, len(pair.frequencies) + 1),
            "part": PARTS,
            "coordinate": pair.coordinates,
        }
        values: dict[str, Any] = {
            **self.study.values_of_wheels(),
            "pair_frequency": pair.frequencies / (2.0 * np.pi),
            "pair_energy_share": pair.shares,
            "pair_shape": (shapes / np.where(largest != 0.0, largest, 1.0)).T,
            "mesh_stiffness": self.mesh_stiffness,
            "mesh_frequency": pair.in_mesh / (2.0 * np.pi),
            "fixed_axis_mesh_frequency": self.rigid.in_mesh / (2.0 * np.pi),
        }
        phase, speed = self.analysis.phase, self.preset.operation.pinion_speed
        facts = {
            "phase": phase,
            "mesh_natural_frequency_free_Hz": float(np.sqrt(self.mesh_stiffness * np.sum(r_b**2 / J))) / (2.0 * np.pi),
        }
        if self.analysis.normal_modes:
            facts["mesh_natural_frequency_flexible_Hz"] = pair.in_mesh / (2.0 * np.pi)
        return ResultArrays(
            analysis="modal",
            variables=MODES_OF_WHEELS | PAIR_MODES,
            values=values,
            labels=labels,
            words={"part": "where the energy is"},
            attributes={
                "position": "mean over a pitch" if phase is None else f"phase {phase:g}",
                "teeth": np.array([self.preset.pair.pinion.z, self.preset.pair.wheel.z]),
                **({} if speed is None else {"pinion_speed": speed}),  # [rad/s]
            },
            facts=facts,
        )
