"""Record of the case of a result: its text, the data of its gears, the time of the run."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from alegear.storage.store import CASE_IN_SI, CASE_TEXT, stored_files
from alegear.storage.stored_files import write_about
from alegear.storage.whole_file import write_whole


@dataclass(frozen=True, kw_only=True, eq=False)
class CaseRecord:
    """A case as it was run.

    Parameters
    ----------
    text : str
        Of the case file, or of a case made in Python its values in SI units.
    is_file : bool
        Whether `text` is that of a case file, which can be run again.
    started : str
        Date and time in UTC as ISO 8601 has them.
    data : mapping
        What ``alegear check --json`` prints of it, and ``teeth``: what the gears of each mesh are given by, and
        ``operating_point``: torque and speed in words, of meshes of a machine ``mesh_operating_points``.
    quantities : mapping of str to str
        What parts of the machine call their numbers in `data`, by keys: reports need not import the parts for it.
    """

    text: str = ""
    is_file: bool = False
    started: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    quantities: Mapping[str, str] = field(default_factory=dict)

    def _parts(self, kind: str) -> dict[str, Mapping[str, Any]]:
        """Data of the parts of a kind, by their names."""
        parts = self.data.get(kind)
        named = parts.items() if isinstance(parts, Mapping) else ()
        return {str(name): one for name, one in named if isinstance(one, Mapping)}

    def drive_speed(self) -> float | None:
        """Speed of the first drive of a machine that has one [rpm], by magnitude; None where none has any."""
        speeds = (one.get("speed_rpm") for one in self._parts("drives").values())
        return next((abs(float(rpm)) for rpm in speeds if rpm), None)

    def mesh_frequencies(self) -> dict[str, float]:
        """Frequencies of the meshes of a machine at the speed of its drive [Hz]."""
        frequencies = {name: one.get("mesh_frequency_Hz") for name, one in self._parts("meshes").items()}
        return {name: float(frequency) for name, frequency in frequencies.items() if frequency}

    def gears_of(self, mesh: str) -> tuple[str, ...]:
        """Names of both gears of a mesh of a machine; none of one that it does not have."""
        gears = self._parts("meshes").get(mesh, {}).get("gears")
        return tuple(str(gear) for gear in gears) if isinstance(gears, list) and len(gears) == 2 else ()

    def operating_point(self, mesh: str = "") -> str:
        """Torque and speed in words, of the case or of a mesh of a machine; empty where there is none."""
        of_meshes = self.data.get("mesh_operating_points")
        entry = of_meshes.get(mesh) if isinstance(of_meshes, Mapping) else None
        return str((entry if mesh else self.data.get("operating_point")) or "")

    def write(self, directory: Path) -> None:
        """Write ``case_as_run.toml`` (of a case made in Python ``case_as_run.txt``) and ``about.json``.

        Raises
        ------
        StorageFailure
        """
        write_whole(directory / (CASE_TEXT if self.is_file else CASE_IN_SI), self.text.encode())
        content = {"started": self.started, "data": _in_json(self.data), "quantities": dict(self.quantities)}
        write_about(directory, content)

    @classmethod
    def read(cls, directory: Path) -> CaseRecord:
        """Read the record of a result folder; what is missing there is empty.

        Raises
        ------
        Fault
            If a file of it is not the one that was written.
        """
        files = stored_files(directory)
        if files.within:  # the folder of a mesh, whose record is that of the machine
            return cls()
        text, is_file = "", False
        for name in (CASE_IN_SI, CASE_TEXT):
            with contextlib.suppress(OSError, UnicodeDecodeError):
                text, is_file = files.read(name).decode("utf-8-sig"), name == CASE_TEXT
        data, quantities = (files.about.get(name) for name in ("data", "quantities"))
        return cls(
            text=text,
            is_file=is_file,
            started=str(files.about.get("started", "")),
            data=data if isinstance(data, dict) else {},
            quantities=quantities if isinstance(quantities, dict) else {},
        )


def _in_json(value: Any) -> Any:
    """A value as JSON has it: what is no number is null, unknown objects are written in words."""
    if isinstance(value, Mapping):
        return {str(key): _in_json(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_in_json(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)
