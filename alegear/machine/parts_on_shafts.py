"""Shafts and what sits on them, put together from Python: what ``[shafts.NAME]``, ``[gears.NAME]`` ... say."""

from __future__ import annotations

from pathlib import Path

from numpy.typing import ArrayLike

from alegear.drivetrain.gear_mesh import GearMesh
from alegear.drivetrain.housing import Housing, read_housing
from alegear.drivetrain.laws import DEFAULT, law_of
from alegear.drivetrain.parts import ShaftGear
from alegear.drivetrain.shaft import HIGHEST_MODE, Shaft
from alegear.fe.material import Material
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.limits import check_kind
from alegear.machine.parts import Parts
from alegear.mesh.sector import GridOptions


class PartsOnShafts(Parts):
    """Methods of :class:`alegear.Machine` that add shafts and what sits on them; all in SI units."""

    def shaft(
        self,
        name: str,
        sections: ArrayLike = Shaft.sections,
        *,
        position: ArrayLike = Shaft.position,
        direction: ArrayLike = Shaft.direction,
        material: Material | None = None,
        rigid: bool = Shaft.rigid,
        fixed_axis: bool = Shaft.fixed_axis,
        longest_element: float | None = None,
        highest_mode: float | None = HIGHEST_MODE,
    ) -> None:
        """Add a shaft; sections (n, 3) [m] are length, outer and inner diameter.

        Parameters
        ----------
        name, sections, position, direction, material, rigid, fixed_axis, longest_element, highest_mode
            As of :class:`alegear.drivetrain.shaft.Shaft`.

        Raises
        ------
        Fault
        """
        self._parts["shafts"].append(
            Shaft(
                name=name,
                sections=sections,
                position=position,
                direction=direction,
                material=material or Material(),
                rigid=rigid,
                fixed_axis=fixed_axis,
                longest_element=longest_element,
                highest_mode=highest_mode,
            )
        )

    def gear(
        self,
        name: str,
        gear: CylindricalGear,
        *,
        shaft: str,
        at: float,
        material: Material | None = None,
        grid_options: GridOptions | None = None,
        mesh_file: str | Path | None = None,
        tooth_angle: float = ShaftGear.tooth_angle,
    ) -> None:
        """Add a gear, its mid-face at a position [m] along a shaft.

        Parameters
        ----------
        name, gear, shaft, at, material, grid_options, mesh_file, tooth_angle
            As of :class:`alegear.drivetrain.parts.ShaftGear`.

        Raises
        ------
        Fault
        """
        self._parts["gears"].append(
            ShaftGear(
                name=name,
                shaft=shaft,
                at=at,
                gear=gear,
                material=material or Material(),
                grid_options=grid_options,
                mesh_file=None if mesh_file is None else Path(mesh_file),
                tooth_angle=tooth_angle,
            )
        )

    def mesh(
        self,
        name: str,
        first: str,
        second: str,
        *,
        fidelity: str = DEFAULT,
        driver: str | None = None,
        **parameters: object,
    ) -> None:
        """Add a mesh of two gears, by their names.

        Parameters
        ----------
        name, first, second : str
        fidelity : str
            Law of the mesh: ``"flexible"``, ``"teeth"``, ``"elastic"``, ``"lossy"``, ``"rigid"``.
        driver : str, optional
            Of a flexible mesh: the gear against which the transmission error is counted; default: the one that power
            comes from.
        **parameters
            Of the law: of a flexible mesh ``alignment``, ``law``, ``penalty``, ``friction``, ``slices``,
            ``window_pairs``, ``tooth_change_threshold``; of others the keys of ``[meshes.NAME]`` without their units,
            in SI units: ``stiffness`` [N/m] for ``stiffness_N_per_m``.
            ``help(alegear.drivetrain.laws.elastic.Elastic)``, ``teeth.Teeth`` and ``lossy.Lossy`` describe them.

        Raises
        ------
        Fault
            Also for a parameter that the law does not have.
        """
        law = law_of(fidelity, name, **parameters)
        self._parts["meshes"].append(GearMesh(name=name, gears=(first, second), law=law, driver=driver))

    def housing(self, housing: Housing | str | Path, *, name: str = "housing", fixed: tuple[str, ...] = ()) -> None:
        """Add a housing: made with `alegear.drivetrain.Housing`, or the path of its matrices at named points.

        Raises
        ------
        Fault
        """
        check_kind(housing, "housing", (Housing, str, Path))
        made = housing if isinstance(housing, Housing) else read_housing(name, Path(housing), fixed=fixed)
        self._parts["housings"].append(made)
