"""Pinion and wheel exchanged: one physics for both gears.

The pair is turned by half a turn about an axis square to both shafts, so that what was the wheel stands where the
pinion was. The driver stays the driver, hands of helix and slopes turn with the frame, and the torque is the one that
the other gear had: with modified flanks and on tip edges the two are not in the ratio of the base radii, but for up to
1e-3 that come from the change of the error with the rotation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from families import mostly_thorough
from small_cases import at_phase, case_of, equilibria_of

import alegear as ag
from alegear.case.pair_machine import MESH
from alegear.contact.forces import N_SHIFTS, N_TURNS, MeshForces
from alegear.contact.numbering import PINION, WHEEL
from alegear.progress import Silent
from alegear.studies.equilibria import MachineSolver
from alegear.studies.preparation import PreparedPair, prepare

SAME = 1e-9  # of the deflection; seen 3e-11, 1e-12 on fixed axes: round-off of positions over it
STIFF = 1e-6  # of the largest stiffness of a tangent
PHASES = (-0.45, -0.2, 0.05, 0.3)
HALF_TURN = np.array([-1.0, 1.0, -1.0, -1.0, 1.0])  # of displacements and forces, about y

TEETH = {20: (0.2, 35.8), 30: (-0.2, 54.2)}  # profile shift and bore


def wrench(position) -> np.ndarray:
    """Contact forces and moments on both displaced gears, shape (2, 5) [N, N m]."""
    return position.forces.force[N_TURNS : N_TURNS + 2 * N_SHIFTS].reshape(2, N_SHIFTS)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A pair 20/30 of module 4 mm, 30 mm wide; flanks and further lines of both gears, in the order of the gears."""

    helix: float = 0.0
    torque: float = 200.0
    flanks: tuple[dict[str, float], dict[str, float]] = ({}, {})
    deviation: float = 0.0  # of teeth out of their places, largest [m]
    alignment: dict[str, float] = field(default_factory=dict)
    contact: str = ""
    springs: tuple[float | None, float | None] = (None, None)  # what couples displacement and tilt [N]; None: hinges

    def text(self, driver: str = "pinion", teeth: tuple[int, int] = (20, 30)) -> str:
        tables = [f"[pair]\nnormal_module_mm = 4.0\nhelix_angle_deg = {self.helix}"]
        tables += [f'[operation]\ndriver = "{driver}"\npinion_torque_Nm = {self.torque}', '[analysis]\nkind = "static"']
        tables += ["[grid]\nflank_elements = 8\nfillet_elements = 4\nthickness_elements = 4"]
        tables += ["width_elements = 4\nrim_elements = 4", f"[contact]\n{self.contact}"]
        tables += ["[alignment]", *(f"{key} = {value}" for key, value in self.alignment.items())]
        for gear, z, flank, springs in zip(("pinion", "wheel"), teeth, self.flanks, self.springs, strict=True):
            shift, bore = TEETH[z]
            tables += [f"[{gear}]\nteeth = {z}\nprofile_shift = {shift}\nbore_diameter_mm = {bore}"]
            tables += ["face_width_mm = 30.0", f"[{gear}.flank]"]
            tables += [f"{key} = {value}" for key, value in flank.items()]
            if springs is not None:
                K = np.diag([3e8, 3e8, 2e8, 3e5, 2e5, 0.0])
                K[[0, 4], [4, 0]], K[[1, 3], [3, 1]] = -springs, springs
                tables += [f'[supports.{gear}]\nkind = "bearing"\nstiffness_matrix_N_m_rad = {K.tolist()}']
        return "\n".join(tables) + "\n"

    def exchanged(self) -> str:
        """The text of the same pair from its other side."""
        turned = tuple({k: -v if k == "helix_slope_um" else v for k, v in flank.items()} for flank in self.flanks)
        other = replace(
            self,
            helix=-self.helix,
            torque=self.torque * 30 / 20,  # near to that of each position: law "penalty" takes its stiffness from it
            flanks=(turned[1], turned[0]),
            alignment={key: -value if "tilt" in key else value for key, value in self.alignment.items()},
            springs=tuple(None if of is None else -of for of in self.springs[::-1]),
        )
        return other.text("wheel", (30, 20))

    def case(self, text: str, driver: str) -> ag.Case:
        """The case of a text; deviations add material to the flanks that carry: left ones, or right ones."""
        case: ag.Case = case_of(text)
        if not self.deviation:
            return case
        gears = [case.pair.pinion, case.pair.wheel] if driver == "pinion" else [case.pair.wheel, case.pair.pinion]
        sign = 1.0 if driver == "pinion" else -1.0
        places = [sign * self.deviation * np.sin(k * np.arange(gear.z) ** 2) for k, gear in enumerate(gears, start=1)]
        gears = [
            gear.with_microgeometry(replace(gear.microgeometry, pitch_deviation=of_gear))
            for gear, of_gear in zip(gears, places, strict=True)
        ]
        pinion, wheel = gears if driver == "pinion" else gears[::-1]
        return replace(case, pair=replace(case.pair, pinion=pinion, wheel=wheel))

    @property
    def ahead(self) -> float:
        """Part of a pitch by which pairs touch earlier in mid-face of an offset wheel than in that of the pinion."""
        offset = 1e-3 * self.alignment.get("axial_offset_mm", 0.0)
        return -offset * math.sin(math.radians(self.helix)) / (math.pi * 4e-3)


RELIEF = (
    {"tip_relief_um": 15.0, "tip_relief_start_diameter_mm": 85.0},
    {"tip_relief_um": 10.0, "tip_relief_start_diameter_mm": 121.0}
    | {"root_relief_um": 4.0, "root_relief_start_diameter_mm": 114.5},
)
CROWNED = ({"lead_crowning_um": 5.0, "helix_slope_um": 6.0}, {"profile_crowning_um": 4.0, "lead_crowning_um": 3.0})
TILTS = {"tilt_plane_of_action_deg": 0.02, "tilt_normal_deg": -0.1, "center_distance_error_um": 12.0}

PAIRS = {
    "spur": Pair(),
    "spur with reliefs": Pair(flanks=RELIEF),
    "spur crowned": Pair(flanks=CROWNED),
    "spur tilted": Pair(alignment=TILTS, flanks=CROWNED),
    "helical": Pair(helix=15.0),
    "helical modified": Pair(helix=-20.0, flanks=CROWNED),
    "helical back flanks": Pair(helix=15.0, torque=-200.0, flanks=CROWNED),
    "helical tilted": Pair(helix=15.0, alignment=TILTS),
    "helical tilted, modified": Pair(helix=-28.0, alignment=TILTS, flanks=CROWNED),
    "helical offset": Pair(helix=15.0, alignment={"axial_offset_mm": 0.4}),
    "friction": Pair(helix=15.0, contact='friction = "coulomb"\nmu_dynamic = 0.06'),
    "pitch deviations": Pair(deviation=3e-6, flanks=CROWNED),
    "law penalty": Pair(contact='law = "penalty"', flanks=RELIEF),
    "on bearings": Pair(springs=(0.0, 0.0), flanks=CROWNED),
    "helical on bearings": Pair(helix=15.0, springs=(0.0, 0.0)),
    "helical overhung, much load": Pair(helix=15.0, torque=1000.0, springs=(6e6, -2e6), flanks=CROWNED),
    "helical overhung, tilted": Pair(helix=-28.0, alignment=TILTS, springs=(6e6, 0.0), flanks=CROWNED),
    "helical back flanks on a bearing": Pair(helix=15.0, torque=-200.0, springs=(None, 6e6)),
    "friction on bearings": Pair(
        helix=15.0,
        alignment={"axial_offset_mm": 0.4},
        springs=(6e6, 0.0),
        contact='friction = "coulomb"\nmu_dynamic = 0.06',
    ),
}
ALWAYS = ("spur with reliefs", "helical on bearings")


def off(there: np.ndarray, here: np.ndarray) -> float:
    """Largest difference over the largest value."""
    return float(np.abs(there - here).max() / max(np.abs(here).max(), 1e-30))


@dataclass(frozen=True, kw_only=True)
class Position:
    """Equilibrium of a pair at a phase of its driven gear."""

    deflection: float
    forces: MeshForces
    displacement: np.ndarray

    @classmethod
    def of(cls, solver: MachineSolver, phase: float) -> Position:
        found, mesh = at_phase(solver, phase), solver.system.contacts[MESH]
        return cls(
            deflection=-solver.transmission_error(MESH, found),
            forces=found.forces[MESH],
            displacement=mesh.displacements(found.x[mesh.coordinates]),
        )

    @property
    def wrench(self) -> np.ndarray:
        """Forces and moments on both displaced gears, shape (2, 5)."""
        return self.forces.force[N_TURNS : N_TURNS + 2 * N_SHIFTS].reshape(2, N_SHIFTS)


def under_torque(case: ag.Case, prepared: PreparedPair, phase: float, wanted: float) -> Position:
    """Position in which the pinion carries a torque [N m]."""
    operation, torque = case.operation, math.copysign(wanted, case.operation.pinion_torque)
    for _ in range(4):
        solver = equilibria_of(replace(case, operation=replace(operation, pinion_torque=torque)), prepared)
        found = Position.of(solver, phase)
        carried = abs(float(found.forces.torque[PINION]))
        if carried == pytest.approx(abs(wanted), rel=1e-12):
            break
        torque *= abs(wanted) / carried
    return found


@pytest.mark.parametrize("name", mostly_thorough(PAIRS, always=lambda name: name in ALWAYS))
def test_exchanged_gears_give_the_same(name):
    pair = PAIRS[name]
    sides = ((pair.text(), "pinion"), (pair.exchanged(), "wheel"))
    case, other = (pair.case(text, driver) for text, driver in sides)
    one, prepared = equilibria_of(case, prepare(case, Silent())), prepare(other, Silent())
    for phase in PHASES:
        here = Position.of(one, phase)
        there = under_torque(other, prepared, phase + pair.ahead, float(here.forces.torque[WHEEL]))
        assert there.deflection == pytest.approx(here.deflection, rel=SAME)
        assert abs(there.forces.torque[WHEEL]) == pytest.approx(abs(here.forces.torque[PINION]), rel=SAME)
        tangents = [position.forces.torque_phi for position in (here, there)]
        assert off(tangents[1][::-1, ::-1], tangents[0]) < STIFF
        for kind in (slice(0, 3), slice(3, 5)):
            turned = there.displacement[::-1] * HALF_TURN
            assert off(turned[:, kind], here.displacement[:, kind]) < SAME
            if here.displacement.any():
                assert off((wrench(there)[::-1] * HALF_TURN)[:, kind], wrench(here)[:, kind]) < SAME
        if not pair.contact.startswith("law"):
            assert off(-there.forces.force_on_pinion * HALF_TURN[:3], here.forces.force_on_pinion) < SAME
