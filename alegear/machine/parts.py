"""Parts of a machine as they come in."""

from __future__ import annotations

from typing import Any

from alegear.system.machine_part import MachinePart, check_part


class Parts:
    """Parts of :class:`alegear.Machine`, in the order in which they are added."""

    def __init__(self) -> None:
        #: Parts by the heading of their tables in a file; all without one of these headings are ``parts``.
        self._parts: dict[str, list[Any]] = {
            name: [] for name in ("shafts", "gears", "meshes", "bearings", "housings", "drives", "loads", "parts")
        }

    def add(self, *parts: MachinePart) -> None:
        """Add parts that only turn or are in space, or any that are derived from :class:`alegear.system.MachinePart`.

        See :mod:`alegear.drivetrain.rotational` and :mod:`alegear.drivetrain.spatial`.

        Raises
        ------
        Fault
        """
        for one in parts:
            check_part(one, "Machine.add")
        self._parts["parts"].extend(parts)
