"""A machine put together from Python: its parts by their names, the case that they make, the studies of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from alegear.case.analysis import MachineStatic, ModalAnalysis
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.machine import Analysis, MachineCase, moves_in_steps
from alegear.case.motion_in_time import Kinematics, RotationalMotion, SpatialMotion
from alegear.case.output import OutputOptions
from alegear.case.rotational import ROTATIONAL
from alegear.case.spatial import SPATIAL, TOOTHED
from alegear.case.sweep import SweepAnalysis
from alegear.contact.wear import WearConditions
from alegear.drivetrain.gear_mesh import GearMesh
from alegear.drivetrain.laws import DEFAULT, law_of
from alegear.drivetrain.spatial.gear_joint import SpatialMesh
from alegear.errors import Fault
from alegear.limits import check_kind
from alegear.machine.parameters import (
    KinematicsParameters,
    ModalParameters,
    MotionParameters,
    StaticParameters,
    SweepParameters,
)
from alegear.parameters import NamedPart
from alegear.results.result import Result
from alegear.studies.run import run
from alegear.system.machine_part import MachinePart, check_named, check_part

#: Where a result is stored; None: nowhere.
Folder = str | Path | None


class Machine:
    """Shafts, gears, bearings, meshes, torsional parts, bodies in space, by their names; all in SI units.

    Parts are checked as they are added, the machine as a whole when it is computed.

    Parameters
    ----------
    title : str
    gravity : (float, float, float) [m/s2]
    wear : WearConditions, optional
        Of the flash temperature in flexible meshes.

    Examples
    --------
    >>> import alegear as ag
    >>> m = ag.Machine("two gears")
    >>> m.add("in", ag.Shaft(fixed_axis=True))
    >>> m.add("out", ag.Shaft(fixed_axis=True, position=(0.1, 0.0, 0.0)))
    >>> m.add("pinion", ag.ShaftGear(gear=ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35e-3), shaft="in", at=0.0))
    >>> m.add("wheel", ag.ShaftGear(gear=ag.Gear(z=30, m_n=4e-3, b=30e-3, bore_diameter=54e-3), shaft="out", at=0.0))
    >>> m.mesh("first", "pinion", "wheel")
    >>> m.add("motor", ag.Drive(shaft="in", speed=100.0))
    >>> m.add("brake", ag.TorqueLoad(shaft="out", torque=300.0))
    >>> m.case().layout.ratio["out"]
    -0.6666666666666666
    >>> result = m.static()  # doctest: +SKIP
    """

    def __init__(
        self,
        title: str = "machine",
        *,
        gravity: tuple[float, float, float] = (0.0, 0.0, 0.0),
        wear: WearConditions | None = None,
    ) -> None:
        self.title, self.gravity, self.wear = title, gravity, wear or WearConditions()
        #: Parts by the heading of their tables in a file; all without one of these headings are ``parts``.
        self._parts: dict[str, list[Any]] = {
            name: [] for name in ("shafts", "gears", "meshes", "bearings", "housings", "drives", "loads", "parts")
        }
        #: Gears and racks of bodies in space, of which :meth:`spatial_mesh` makes meshes.
        self._toothed: dict[str, Any] = {}

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(parts)} {name}" for name, parts in self._parts.items() if parts)
        return f"<alegear.Machine {self.title!r}: {counts or 'no parts'}>"

    def add(self, name: str, part: NamedPart) -> None:
        """Add a part under a name, by which other parts, messages and results call it.

        Parameters
        ----------
        name : str
        part : NamedPart
            ``ag.Shaft``, ``ag.ShaftGear``, ``ag.Bearing``, ``ag.Drive``, ``ag.Rotor1D``, ``ag.Clutch``,
            ``ag.SpatialJoint`` ..., or of a class of your own that is derived from :class:`alegear.system.MachinePart`.

        Raises
        ------
        Fault

        Examples
        --------
        >>> import alegear as ag
        >>> m = ag.Machine()
        >>> m.add("motor", ag.Rotor1D(inertia=0.1))
        >>> m.add("fan", ag.Rotor1D(inertia=0.3))
        >>> m.add("coupling", ag.Clutch(between=("motor", "fan"), normal_force=500.0, effective_radius=0.1))
        """
        check_kind(name, "name of a part", str)
        check_part(part, f'Machine.add("{name}", ...)', NamedPart)
        named = part if part.name == name else replace(part, name=name)
        check_named(named, "Machine.add")
        if named.TABLE not in TOOTHED:
            heading = named.TABLE if named.TABLE in self._parts else "parts"
            if heading == "parts":
                check_part(named, f'Machine.add("{name}", ...)')
            self._parts[heading].append(named)
            return
        if name in self._toothed:
            raise Fault("name of a gear in space", f'"{name}"', "one that no other has", "rename it")
        self._toothed[name] = named

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
        self.add(name, GearMesh(gears=(first, second), law=law, driver=driver))

    def spatial_mesh(
        self,
        name: str,
        first: str,
        second: str,
        *,
        friction: float = SpatialMesh.friction,
        least_sliding: float | None = None,
    ) -> None:
        """Add a mesh of two gears in space, or a gear and a rack, by their names.

        See :class:`alegear.SpatialMesh`.

        Raises
        ------
        Fault
        """
        for one in (first, second):
            if one not in self._toothed:
                known = ", ".join(f'"{other}"' for other in self._toothed)
                remedy = f"name one of {known}" if known else 'add it: m.add("...", ag.SpatialGear(...))'
                raise Fault(f"gears of {name}", f'"{one}"', "gears of the machine", remedy)
        gears = (self._toothed[first], self._toothed[second])
        self.add(name, SpatialMesh(name=name, gears=gears, friction=friction, least_sliding=least_sliding))

    def case(self, analysis: Analysis | None = None, output: OutputOptions | None = None) -> MachineCase:
        """Return the case of the machine as it is now; a static one unless an analysis is given.

        Raises
        ------
        Fault
            For parts that do not fit each other, with their names.
        """
        parts: dict[str, Any] = {name: tuple(parts) for name, parts in self._parts.items()}
        parts["parts"] = tuple(sorted(parts["parts"], key=_place_in_files))
        meshed = {gear for part in parts["parts"] for gear in part.gears_in_space}
        for gear in self._toothed.values():
            if gear not in meshed:
                raise Fault(f"meshes of {gear.name}", 0, "at least 1", "add a spatial_mesh, or leave the gear out")
        return MachineCase(
            title=self.title,
            gravity=self.gravity,
            wear=self.wear,
            analysis=analysis or MachineStatic(),
            output=output or OutputOptions(),
            **parts,
        )

    def static(
        self,
        out: str | Path | None = None,
        *,
        output: OutputOptions | None = None,
        **analysis: Unpack[StaticParameters],
    ) -> Result:
        """Compute positions under constant torques; `analysis` are the parameters of `alegear.MachineStatic`.

        Raises
        ------
        Fault, AnalysisFailure
        """
        return run(self.case(MachineStatic(**analysis), output), out)

    def modes(
        self, out: Folder = None, *, output: OutputOptions | None = None, **analysis: Unpack[ModalParameters]
    ) -> Result:
        """Compute natural vibrations; `analysis` are the parameters of `alegear.ModalAnalysis`.

        Raises
        ------
        Fault, AnalysisFailure
        """
        return run(self.case(ModalAnalysis(**analysis), output), out)

    def sweep(
        self, out: Folder = None, *, output: OutputOptions | None = None, **analysis: Unpack[SweepParameters]
    ) -> Result:
        """Compute the response over the speed of the drive, which has a `speed_table` of straight lines.

        `analysis` are the parameters of `alegear.SweepAnalysis`.

        Raises
        ------
        Fault, AnalysisFailure
        """
        return run(self.case(SweepAnalysis(**analysis), output), out)

    def run(
        self,
        out: str | Path | None = None,
        *,
        output: OutputOptions | None = None,
        **analysis: Unpack[MotionParameters],
    ) -> Result:
        """Compute a motion; `analysis` are the parameters of `alegear.DynamicAnalysis`.

        Of a torsional machine they are those of `alegear.RotationalMotion`, unless it has Hertz teeth, of
        one with bodies in space those of `alegear.SpatialMotion`.

        Raises
        ------
        Fault, AnalysisFailure
        """
        kind: Any = RotationalMotion if self._is_torsional else DynamicAnalysis
        if self._in_space:
            kind = SpatialMotion
        return run(self.case(kind(**analysis), output), out)

    def kinematics(
        self,
        out: str | Path | None = None,
        *,
        output: OutputOptions | None = None,
        **analysis: Unpack[KinematicsParameters],
    ) -> Result:
        """Compute positions of a mechanism of bodies in space; `analysis` are the parameters of `alegear.Kinematics`.

        Raises
        ------
        Fault, AnalysisFailure
        """
        return run(self.case(Kinematics(**analysis), output), out)

    @property
    def _in_space(self) -> bool:
        return any(part.in_space for part in self._parts["parts"])

    @property
    def _is_torsional(self) -> bool:
        shafts, meshes = self._parts["shafts"], self._parts["meshes"]
        held = all(shaft.fixed_axis for shaft in shafts) and not self._parts["housings"]
        steps = any(mesh.law.needs_contact for mesh in meshes) or moves_in_steps(meshes, self._parts["parts"])
        return bool(self._parts["parts"]) and held and not steps


def _place_in_files(part: MachinePart) -> int:
    """Number of the heading of a part among those of files, which the parts of a case go by; others come last."""
    headings = [*ROTATIONAL, *SPATIAL]
    return headings.index(part.TABLE) if part.TABLE in headings else len(headings)
