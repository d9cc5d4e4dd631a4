"""Parts of a machine as they come in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from alegear.case.spatial import TOOTHED
from alegear.drivetrain.gear_mesh import GearMesh
from alegear.drivetrain.laws import DEFAULT, law_of
from alegear.drivetrain.spatial.gear_joint import SpatialMesh
from alegear.errors import Fault
from alegear.limits import check_kind
from alegear.parameters import NamedPart
from alegear.system.machine_part import check_named, check_part


class Parts:
    """Parts of :class:`alegear.Machine`, in the order in which they are added."""

    def __init__(self) -> None:
        #: Parts by the heading of their tables in a file; all without one of these headings are ``parts``.
        self._parts: dict[str, list[Any]] = {
            name: [] for name in ("shafts", "gears", "meshes", "bearings", "housings", "drives", "loads", "parts")
        }
        #: Gears and racks of bodies in space, of which :meth:`spatial_mesh` makes meshes.
        self._toothed: dict[str, Any] = {}

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
