r"""Whether the inertia of the deformation may be neglected: the wheels' own vibrations beside the mesh frequency.

A dynamic study takes the deformation of the teeth and wheels as that of the static load. A load that varies with the
frequency f deforms the wheel in a mode of the natural frequency f_1 by

.. math::
    V = \frac{1}{1 - (f/f_1)^2}

times as much. The mode counts by the part of the static deflection it takes: for a load spread evenly over the face at
the pitch circle, along the normal n of the flank, both modes of a pair together

.. math::
    k \sum_z |\bar U \cdot n|^2 / \omega^2

with the mesh stiffness k. Modes that such a load does not move (of a spur wheel those that are odd about mid-face) do
not count. A coarse grid of the gear is good enough for that: its first modes are within a per cent of those of the
default grid. Both gears together cost 0.05 s of processor time where there is nothing to warn of, 0.4 s where there is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from alegear.arrays import Array, ComplexArray, Indices
from alegear.case.dynamic import DynamicAnalysis
from alegear.mesh.grid_options import GridOptions
from alegear.mesh.sector import SectorMesh, mesh_sector
from alegear.reduction.cyclic import CyclicSector
from alegear.reduction.normal_modes import harmonic_modes

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.fe.material import Material
    from alegear.geometry.cylindrical_gear import CylindricalGear


HARMONICS = (1, 2, 3)  # of the mesh frequency
LARGEST_MAGNIFICATION = 1.05
LEAST_SHARE = 0.01  # of the static deflection, below which a mode does not count
FIRST_HARMONICS = 3  # n = 0, 1, 2: the modes that a tooth load moves most, and usually the lowest of these
MODES_OF_HARMONIC = 4  # lowest of each nodal diameter: half of them are odd about mid-face
COARSE = GridOptions(
    order=1, flank_elements=4, fillet_elements=4, thickness_elements=2, width_elements=4, rim_elements=6
)


@dataclass(frozen=True, kw_only=True)
class WheelMode:
    """A wheel's mode that a tooth load moves: frequency [Hz], nodal diameter, share of the static deflection."""

    frequency: float
    nodal_diameter: int
    share: float

    def magnification(self, frequency: float) -> float:
        """V at a frequency of the load [Hz]; infinite from the natural frequency on."""
        ratio = frequency / self.frequency
        return 1.0 / (1.0 - ratio**2) if ratio < 1.0 else math.inf


def lowest_relevant_mode(
    gear: CylindricalGear, material: Material, mesh_stiffness: float, below: float, sector: SectorMesh | None = None
) -> WheelMode | None:
    """Find the lowest mode below a frequency that a tooth load moves; None if there is none.

    Parameters
    ----------
    gear : CylindricalGear
    material : Material
    mesh_stiffness : float [N/m]
    below : float [Hz]
    sector : SectorMesh, optional
        Grid of the wheel; a coarse one is made where none is given.
    """
    cyclic = CyclicSector.of(mesh_sector(gear, COARSE) if sector is None else sector, material)
    condensed = cyclic.condensed_below((2.0 * math.pi * below) ** 2)
    lowest: WheelMode | None = None
    for n in range(cyclic.last_harmonic + 1):
        if n == FIRST_HARMONICS and lowest is not None:  # most likely it is among these; the others must be lower
            condensed = cyclic.condensed_below((2.0 * math.pi * lowest.frequency) ** 2)
        if condensed is not None and cyclic.has_none_below(n, condensed):
            continue
        squares, amplitudes = harmonic_modes(cyclic, n, MODES_OF_HARMONIC)
        shares = _shares(gear, cyclic, squares, amplitudes, mesh_stiffness)
        for square, share in zip(squares, shares, strict=True):
            frequency = math.sqrt(square) / (2.0 * math.pi)
            if frequency < (below if lowest is None else lowest.frequency) and share >= LEAST_SHARE:
                lowest = WheelMode(frequency=frequency, nodal_diameter=n, share=share)
    return lowest


def _shares(
    gear: CylindricalGear, cyclic: CyclicSector, squares: Array, amplitudes: ComplexArray, stiffness: float
) -> list[float]:
    """Part of the static deflection of each mode of a nodal diameter, cosine and sine together."""
    sector = cyclic.sector
    face = np.asarray(sector.flank_a)
    # the row of nodes that is nearest to the pitch circle
    radius = np.linalg.norm(sector.straight_points[face[:, 0], :2], axis=1)
    nodes = face[int(np.argmin(np.abs(radius - 0.5 * gear.d)))]
    normal = _normals(gear, sector, nodes)
    columns = sector.volume.points[nodes, 2]
    moved = np.einsum("mca,ca->mc", amplitudes[:, nodes], normal)
    spread = np.trapezoid(moved, columns, axis=1) / (columns[-1] - columns[0])
    shares: Array = stiffness * np.abs(spread) ** 2 / squares
    return [float(share) for share in shares]


def _normals(gear: CylindricalGear, sector: SectorMesh, nodes: Indices) -> Array:
    """Directions of the load at nodes of flank a, shape (n, 3): tangent to the base cylinder, leaning as the teeth."""
    x, y, z = sector.volume.points[nodes].T
    radius, around = np.hypot(x, y), np.arctan2(y, x)
    # out of the material, at the pressure angle to the circle: positive around on flank a
    alpha = np.arccos(np.clip(gear.r_b / radius, -1.0, 1.0))
    direction = around + 0.5 * np.pi - alpha
    cos_beta_b = math.cos(math.atan(gear.twist * gear.r_b))
    in_plane = cos_beta_b * np.column_stack([np.cos(direction), np.sin(direction)])
    return np.column_stack([in_plane, np.full(len(z), -math.sin(math.atan(gear.twist * gear.r_b)))])


def elastic_inertia_warnings(case: Case, mesh_stiffness: float, sectors: tuple[SectorMesh, SectorMesh]) -> list[str]:
    """Check a dynamic case at its largest speed.

    Parameters
    ----------
    case : Case
    mesh_stiffness : float [N/m]
    sectors : SectorMesh of both gears
        Looked at where they were made elsewhere: such a wheel may have any web.

    Returns
    -------
    list of str
        At most one sentence a gear.
    """
    speed = case.operation.pinion_speed
    assert isinstance(case.analysis, DynamicAnalysis)
    if not speed or case.analysis.normal_modes:
        return []
    mesh_frequency = case.pair.pinion.z * speed / (2.0 * math.pi)
    reach = HARMONICS[-1] * mesh_frequency / math.sqrt(1.0 - 1.0 / LARGEST_MAGNIFICATION)
    found = []
    for gear, name in enumerate(case.pair.names.gears):
        given = None if case.grid_files[gear] is None else sectors[gear]
        mode = lowest_relevant_mode(case.pair.gears[gear], case.materials[gear], mesh_stiffness, reach, given)
        if mode is not None:
            found.append(_sentence(name, mode, mesh_frequency))
    return found


def _sentence(name: str, mode: WheelMode, mesh_frequency: float) -> str:
    """Name the first harmonic that is too high, its magnification and the remedy."""
    harmonic = next(h for h in HARMONICS if mode.magnification(h * mesh_frequency) > LARGEST_MAGNIFICATION)
    factor = mode.magnification(harmonic * mesh_frequency)
    reached = f"by {factor:.3g}, limit {LARGEST_MAGNIFICATION:g}" if math.isfinite(factor) else "beyond its resonance"
    return (
        f"elastic inertia of {name} is neglected, but harmonic {harmonic} of the mesh frequency, "
        f"{harmonic * mesh_frequency:.4g} Hz at the largest speed, drives its mode at about {mode.frequency:.3g} Hz "
        f"(nodal diameter {mode.nodal_diameter}, {100.0 * mode.share:.2g} % of the static deflection) {reached}: "
        'write inertia = "full" (normal_modes), or reduce the speed'
    )
