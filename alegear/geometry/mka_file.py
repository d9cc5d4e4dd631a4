"""Curves of Klingelnberg gear measuring machines, files ``.mka``, as points of a flank.

The layout is not published; it was established from public programs that read such files (2025, 2026), among them one
that reproduces the slope deviations which the machine prints. What it relies on:

- numbered header lines ``code : label ....: values``; 21 to 24 are module, teeth, helix angle and pressure angle, 26
  the face width; labels that end in ``da``, ``de`` and ``ba``, ``be`` give first and last diameter of the profiles, and
  first and last position of the leads, for left and right flanks;
- heads of curves, ``Profil: Zahn-Nr.: 1 links / 480 Werte / z= 7.5`` and ``Flankenlinie: ... / d= 47.82`` or ``x=`` (a
  roll length), in one line or the name in a line before, ``TOPOGRAFIE: Zahn-Nr.: 26 /Profil:1 rechts / ...`` too;
- then that many values in micrometres; ``-2147483.648`` is a point that was not measured;
- points of a profile are equally spaced in roll length, those of a lead along the axis.

The sign of the curves is that of the probe, and may differ between left and right flanks: it has to be said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import degrees
from pathlib import Path
from typing import Literal

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.short_repr import ShortRepr
from alegear.storage.whole_file import TABLE_BYTES, read_regular, reason_of

Side = Literal["left", "right"]

WORDS: dict[str, Side] = {"links": "left", "rechts": "right"}
UNDEFINED = -2147483.0
"""Values below mark points that were not measured."""

ROUNDED = 1.5e-3  # numbers of the header have three digits behind the point
MOST_POINTS = 41
"""Points along a profile and across the face of a flank that is the sum of both."""

_HEAD = re.compile(
    r"^(?:(?P<name>[^\W\d]+):\s*)?Zahn-Nr\.:\s*(?P<tooth>\d+)(?P<tag>[a-z]?)\s*(?:/\s*(?P<kind>[^\W\d]+):\s*\d+\s*)?"
    r"(?P<side>links|rechts)\s*/\s*(?P<count>\d+)\s*Werte\s*/?\s*(?P<axis>[dxz])\s*=\s*(?P<at>[-+.\d]+)\s*$",
    re.IGNORECASE,
)
_TITLE = re.compile(r"^(?P<name>[^\W\d]+):$")
_HEADER = re.compile(r"^\s*(?P<code>\d{1,3})\s*:(?P<label>[^:]*):(?P<values>.*)$")
_RANGE = re.compile(r"\b(da|de|ba|be)\s*(?:\[mm\])?[.\s]*$")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
PROFILE, LEAD = "Profil", "Flankenlinie"


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """One trace.

    Parameters
    ----------
    kind : str
        ``"Profil"`` or ``"Flankenlinie"``.
    tooth : int
    side : {"left", "right"}
    axis : {"z", "d", "x"}
        What `at` is: the position of a profile, the diameter or the roll length of a lead.
    at : float [mm]
    values : shape (n,) [um]
        NaN where nothing was measured.
    """

    kind: str
    tooth: int
    side: Side
    axis: str
    at: float
    values: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class MkaFile(ShortRepr):
    """Header and curves of a file.

    Parameters
    ----------
    name : str
    header : dict
        Code -> numbers of its line, as they are printed.
    ends : dict
        ``da``, ``de``, ``ba``, ``be`` -> of left and right flanks [mm].
    curves : list of Curve
    """

    name: str
    header: dict[int, list[float]]
    ends: dict[str, list[float]]
    curves: list[Curve]

    @classmethod
    def read(cls, path: str | Path) -> MkaFile:
        """Read a file.

        Raises
        ------
        Fault
            For one that cannot be read, has no curves, or whose curves have other numbers of values than they say.
        """
        path = Path(path)
        header: dict[int, list[float]] = {}
        ends: dict[str, list[float]] = {}
        curves: list[Curve] = []
        lines = _text(path).splitlines()
        title, row = "", 0
        while row < len(lines):
            line = lines[row].strip()
            row += 1
            if (head := _HEAD.match(line)) is not None:
                values, row = _values(lines, row, int(head["count"]), f"{path.name}, line {row}")
                kind = head["kind"] or head["name"] or title
                if kind in (PROFILE, LEAD) and not (head["name"] or "").startswith("Versch"):
                    curves.append(
                        Curve(
                            kind=kind,
                            tooth=int(head["tooth"]),
                            side=WORDS[head["side"].lower()],
                            axis=head["axis"].lower(),
                            at=float(head["at"]),
                            values=values,
                        )
                    )
            elif (name := _TITLE.match(line)) is not None:
                title = name["name"]
            elif not curves and (entry := _HEADER.match(line)) is not None:
                numbers = [float(one) for one in _NUMBER.findall(entry["values"])]
                header.setdefault(int(entry["code"]), numbers)
                if numbers and (which := _RANGE.search(entry["label"])) is not None:
                    ends.setdefault(which[1], numbers)
        if not curves:
            remedy = "export the curves of the measurement (.mka), with profiles and leads"
            raise Fault(f"{path.name}: curves of profiles and leads", 0, "at least 1", remedy)
        return cls(name=path.name, header=header, ends=ends, curves=curves)

    def points(self, gear: CylindricalGear, *, tooth: int, flank: Side) -> tuple[Array, Array, Array]:
        """Return roll lengths, positions from mid-face and deviations of a flank, each shape (n,) [m], as measured.

        Two profiles or more are the flank. One profile and a lead are added: of what neither of them saw, the twist,
        nothing is known. Points beyond the involute of the gear are left out.

        Parameters
        ----------
        gear : CylindricalGear
            That was measured.
        tooth : int
            As the file counts it.
        flank : {"left", "right"}
            As the file calls it.

        Raises
        ------
        Fault
            For another gear than that of the file, and a tooth without curves of this flank, or with too few.
        """
        self._check_gear(gear)
        own = [one for one in self.curves if one.tooth == tooth and one.side == flank]
        profiles = [one for one in own if one.kind == PROFILE]
        leads = [one for one in own if one.kind == LEAD]
        if len({one.at for one in profiles}) < 2 and not (profiles and leads):
            raise Fault(
                f"{self.name}: curves of the {flank} flank of tooth {tooth}",
                f"{len(profiles)} profiles, {len(leads)} leads",
                "two profiles, or a profile and a lead",
                f"choose one of the teeth {', '.join(map(str, self.teeth(flank)))}",
            )
        if len({one.at for one in profiles}) >= 2:
            parts = [self._profile(gear, one) for one in profiles]
            found = [np.concatenate([part[i] for part in parts]) for i in range(3)]
        else:
            found = self._sum(gear, profiles[0], leads[len(leads) // 2])
        roll, z, deviation = found
        ends = gear.tooth_profile.roll_length_form, gear.tooth_profile.roll_length_tip
        inside = (roll >= ends[0]) & (roll <= ends[1]) & (np.abs(z) <= 0.5 * gear.b)
        return roll[inside], z[inside], deviation[inside]

    def teeth(self, flank: Side) -> tuple[int, ...]:
        """Return the numbers of the teeth of which a flank was measured, rising, as the file counts them."""
        return tuple(sorted({one.tooth for one in self.curves if one.side == flank}))

    def _check_gear(self, gear: CylindricalGear) -> None:
        expected = {
            22: ("teeth", abs(gear.z), "teeth"),
            21: ("normal module [mm]", 1e3 * gear.m_n, "normal_module_mm"),
            24: ("pressure angle [deg]", degrees(gear.alpha_n), "pressure_angle_deg"),
            23: ("helix angle [deg]", abs(degrees(gear.beta)), "helix_angle_deg"),
            26: ("face width [mm]", 1e3 * gear.b, "face_width_mm"),
        }
        for code, (quantity, value, key) in expected.items():
            given = self.header.get(code)
            if given and abs(abs(given[0]) - value) > ROUNDED:
                limit = f"that of the gear, {value:.6g}"
                remedy = f"give the file of this gear, or correct {key}"
                raise Fault(f"{self.name}: {quantity}", given[0], limit, remedy)

    def _end(self, key: str, side: Side, otherwise: float | None = None) -> float:
        given = self.ends.get(key)
        if given is not None:
            return given[0 if side == "left" else -1]
        if otherwise is None:
            remedy = "export the whole header of the measurement"
            raise Fault(f"{self.name}: {key} [mm]", "missing", "given in the header", remedy)
        return otherwise

    def _profile(self, gear: CylindricalGear, curve: Curve) -> tuple[Array, Array, Array]:
        """Points of a profile that were measured."""
        low, high = (float(gear.roll_length(0.5e-3 * self._end(key, curve.side))) for key in ("da", "de"))
        at = np.isfinite(curve.values)
        roll = np.linspace(low, high, len(curve.values))[at]
        return roll, np.full(len(roll), 1e-3 * curve.at - 0.5 * gear.b), 1e-6 * curve.values[at]

    def _sum(self, gear: CylindricalGear, profile: Curve, lead: Curve) -> list[Array]:
        """A profile and a lead that cross, as a grid; the lead counts from where they cross."""
        roll, z, along = self._profile(gear, profile)
        low, high = (1e-3 * self._end(key, lead.side, end) for key, end in (("ba", 0.0), ("be", 1e3 * gear.b)))
        at = np.isfinite(lead.values)
        across = np.linspace(low, high, len(lead.values))[at] - 0.5 * gear.b
        values = 1e-6 * lead.values[at]
        rows, columns = (np.linspace(one[0], one[-1], MOST_POINTS) for one in (roll, across))
        deviation = np.interp(rows, roll, along)[:, None] + np.interp(columns, across, values)
        deviation -= np.interp(z[0], across, values)
        grid = np.meshgrid(rows, columns, indexing="ij")
        return [grid[0].ravel(), grid[1].ravel(), deviation.ravel()]


def _text(path: Path) -> str:
    try:
        content = read_regular(path, TABLE_BYTES)
    except OSError as error:
        raise Fault(f"{path.name} ({reason_of(error)})", str(path), "a readable file", "check its path") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")  # of earlier versions of the machines; every byte is a letter of it


def _values(lines: list[str], row: int, count: int, where: str) -> tuple[Array, int]:
    """Values of a curve from a row on, and the row behind them."""
    found: list[float] = []
    while row < len(lines) and len(found) < count:
        words = lines[row].split()
        if not all(_NUMBER.fullmatch(word) for word in words):
            break
        found += map(float, words)
        row += 1
    if len(found) != count:
        raise Fault(f"{where}: values of the curve", len(found), f"{count}, as its head says", "export the file again")
    values = np.array(found)
    values[values < UNDEFINED] = np.nan
    if np.isfinite(values).sum() < 2:
        raise Fault(f"{where}: points of the curve that were measured", 0, "at least 2", "measure it again")
    return values, row
