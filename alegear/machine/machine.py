"""A machine as a whole: its parts by their names, the case that they make, the studies of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from alegear.case.dynamic import DynamicAnalysis
from alegear.case.machine import Analysis, MachineCase, moves_in_steps
from alegear.case.machine_analysis import MachineStatic
from alegear.case.modal import ModalAnalysis
from alegear.case.output import OutputOptions
from alegear.case.rotational import ROTATIONAL
from alegear.case.rotational_motion import RotationalMotion
from alegear.case.spatial import SPATIAL
from alegear.case.spatial_motion import Kinematics, SpatialMotion
from alegear.case.sweep import SweepAnalysis
from alegear.contact.wear import WearConditions
from alegear.errors import Fault
from alegear.machine.parameters import (
    KinematicsParameters,
    ModalParameters,
    MotionParameters,
    StaticParameters,
    SweepParameters,
)
from alegear.machine.parts import Parts
from alegear.results.result import Result
from alegear.studies.run import run
from alegear.system.machine_part import MachinePart

#: Where a result is stored; None: nowhere.
Folder = str | Path | None


class Machine(Parts):
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
        super().__init__()
        self.title, self.gravity, self.wear = title, gravity, wear or WearConditions()

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(parts)} {name}" for name, parts in self._parts.items() if parts)
        return f"<alegear.Machine {self.title!r}: {counts or 'no parts'}>"

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
