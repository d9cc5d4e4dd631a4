"""Tables of case files in other units of length, stress and time: what a key measures stands in its name.

A machine whose lengths are L times, stresses M times and times T times those of another, with densities M T^2/L^2, is
similar to it: every quantity of a result is that of the other times L, M and T by its dimension.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Dimension = tuple[int, int, int]  # powers of length, stress, time
NONE: Dimension = (0, 0, 0)

#: Units as results and messages write them -> dimension. Temperatures and angles have none.
UNITS: dict[str, Dimension] = {
    **dict.fromkeys(("m", "km", "mm", "um", "µm", "nm"), (1, 0, 0)),
    **dict.fromkeys(("s", "ms", "us", "min", "h"), (0, 0, 1)),
    **dict.fromkeys(("N", "kN", "MN"), (2, 1, 0)),
    **dict.fromkeys(("Nm", "kNm"), (3, 1, 0)),
    **dict.fromkeys(("Nms",), (3, 1, 1)),
    **dict.fromkeys(("Nms2",), (3, 1, 2)),
    **dict.fromkeys(("Ns",), (2, 1, 1)),
    **dict.fromkeys(("kg", "g", "t"), (1, 1, 2)),
    **dict.fromkeys(("Pa", "kPa", "MPa", "GPa"), (0, 1, 0)),
    **dict.fromkeys(("J", "kJ", "MJ"), (3, 1, 0)),
    **dict.fromkeys(("W", "kW", "MW"), (3, 1, -1)),
    **dict.fromkeys(("rpm", "Hz", "kHz"), (0, 0, -1)),
    "mPas": (0, 1, 1),
    "mK": (1, 0, 0),
    "kgK": (1, 1, 2),
    **dict.fromkeys(("rad", "mrad", "urad", "µrad", "deg", "rad2", "1", "", "%", "K", "C", "dB", "MB", "x", "y"), NONE),
}

#: Ends of keys -> unit of what they hold; several where the columns of a list differ.
ENDS: dict[str, tuple[str, ...]] = {
    "mm": ("mm",),
    "um": ("um",),
    "m": ("m",),
    "m2": ("m2",),
    "s": ("s",),
    "us": ("us",),
    "ms": ("ms",),
    "rpm": ("rpm",),
    "rad_per_s": ("rad/s",),
    "deg": ("deg",),
    "Hz": ("Hz",),
    "N": ("N",),
    "Nm": ("Nm",),
    "kg": ("kg",),
    "kg_m2": ("kg m2",),
    "kg_m3": ("kg/m3",),
    "kg_per_m3": ("kg/m3",),
    "g_mm": ("g mm",),
    "m_per_s": ("m/s",),
    "mm_per_s": ("mm/s",),
    "m_s2": ("m/s2",),
    "GPa": ("GPa",),
    "MPa": ("MPa",),
    "mPas": ("mPas",),
    "N_per_m": ("N/m",),
    "N_per_um": ("N/um",),
    "N_per_mm_um": ("N/mm um",),
    "N_per_mm3": ("N/mm3",),
    "Nm_per_rad": ("Nm",),
    "Nms_per_rad": ("Nms",),
    "Nms2_per_rad2": ("Nms2",),
    "Ns_per_m": ("Ns/m",),
    "Ns_per_mm3": ("Ns/mm3",),
    "W_per_mK": ("W/mK",),
    "J_per_kgK": ("J/kgK",),
    "C": ("C",),
    "s_Nm": ("s", "Nm"),
    "s_rpm": ("s", "rpm"),
    "s_mm": ("s", "mm"),
    "s_deg": ("s", "deg"),
    "s_N": ("s", "N"),
    "rad_per_s_Nm": ("rad/s", "Nm"),
    # of results
    "per_s": ("1/s",),
    "W": ("W",),
    "J": ("J",),
    "K": ("K",),
    "urad": ("urad",),
    "MPa_m_per_s": ("MPa m/s",),
    "MB": ("MB",),
}
_PLACE = re.compile(r"@(-?[\d.]+)mm")
_LONGEST = max(end.count("_") + 1 for end in ENDS)

#: Keys whose lists hold pairs, the first of the unit that they end with, the others without one.
PAIRS = ("signal_s", "throttle_s", "ratio_s", "gradient_s", "friction_rad_per_s", "efficiency_m_per_s")
#: Keys without a unit in their names that hold what has one.
WORDLESS: dict[str, tuple[str, ...]] = {
    "losses": ("rad/s", "1", "1", "Nm", "Nm"),
    "profile_um": ("mm", "um"),
    "tolerance": ("1",),
}


def dimension(unit: str) -> Dimension:
    """Dimension of a unit: ``"N s/m"``, ``"kg m2"``, ``"W/mK"``.

    Raises
    ------
    KeyError
        For a unit that has none here.
    """
    total = [0, 0, 0]
    for number, part in enumerate(unit.split("/")):
        for word in part.replace("*", " ").split():
            found, power = UNITS.get(word), 1
            if found is None:
                match = re.fullmatch(r"(.*?[^\d^-])\^?(-?\d)", word)
                if match is None or match[1] not in UNITS:
                    raise KeyError(unit)
                found, power = UNITS[match[1]], int(match[2])
            for axis in range(3):
                total[axis] += (power if number == 0 else -power) * found[axis]
    return total[0], total[1], total[2]


def end_of(key: str) -> str:
    """The longest end of a key that is a unit; empty without one."""
    words = key.split("_")
    for count in range(min(_LONGEST, len(words) - 1), 0, -1):
        end = "_".join(words[-count:])
        if end in ENDS:
            return end
    return ""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Ratios of lengths, stresses and times of two similar machines."""

    name: str
    length: float = 1.0
    stress: float = 1.0
    time: float = 1.0

    def factor(self, unit: str) -> float:
        """By which a quantity of this unit grows."""
        return self.of_dimension(dimension(unit))

    def of_dimension(self, powers: Dimension) -> float:
        """By which a quantity of this dimension grows."""
        return self.length ** powers[0] * self.stress ** powers[1] * self.time ** powers[2]

    # ------------------------------------------------------------------------------ tables
    def table(self, raw: Mapping[str, Any], law: int = 1) -> dict[str, Any]:
        """Scale the tables of a case file, key by key."""
        law = int(raw.get("exponent", law))
        return {key: self._value(key, value, law) for key, value in raw.items()}

    def _value(self, key: str, value: Any, law: int) -> Any:
        last = key.rpartition(".")[2]
        if isinstance(value, str):  # a place on a shaft: "output@170mm"
            return _PLACE.sub(lambda found: f"@{self.length * float(found[1]):.9g}mm", value)
        if isinstance(value, bool):
            return value
        if isinstance(value, list) and value and isinstance(value[0], str):
            return [self._value(key, one, law) for one in value]
        if last == "rolling":  # with the weight, of the standard gravity that no key names
            return value * self.length / self.time**2
        if last == "sine_Nm":
            return {
                "amplitude": value["amplitude"] * self.factor("Nm"),
                **{one: self._value(one, other, law) for one, other in value.items() if one != "amplitude"},
            }
        if isinstance(value, Mapping):
            unit = end_of(last)
            if unit and not any(isinstance(inner, Mapping) for inner in value.values()):  # one a name, or a range
                return {
                    name: inner if name in ("points", "size") else self._scaled(inner, ENDS[unit], False)
                    for name, inner in value.items()
                }
            return self.table(value, law)
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            return [self.table(one, law) for one in value]
        if last == "stiffness_N_per_mm3":  # pressure over a penetration to this power
            return value * self.of_dimension((-law, 1, 0))
        if last in ("stiffness_matrix_N_m_rad", "damping_matrix_N_m_rad_s"):
            by = "N s" if last.startswith("damping") else "N"
            return [
                [entry * self.factor(by) * self.length ** ((i >= 3) + (j >= 3) - 1) for j, entry in enumerate(row)]
                for i, row in enumerate(value)
            ]
        if last == "table" and isinstance(value, list):  # converter: ratio, torque over speed squared, torque ratio
            by = (1.0, self.factor("kg m2"), 1.0)
            return [[float(x) * f for x, f in zip(row, by, strict=False)] for row in value]
        units = WORDLESS.get(last) or ENDS.get(end_of(last))
        return value if units is None else self._scaled(value, units, last in PAIRS or last in WORDLESS)

    def _scaled(self, value: Any, units: tuple[str, ...], first_only: bool) -> Any:
        if isinstance(value, str | bool) or value is None:
            return value
        if not isinstance(value, list):
            return float(value) * self.factor(units[0]) if self.factor(units[0]) != 1.0 else value
        if len(units) > 1 or first_only:
            rest = units[1:] or ("1",)
            return [
                [
                    float(x) * self.factor(units[0] if i == 0 else rest[min(i - 1, len(rest) - 1)])
                    for i, x in enumerate(row)
                ]
                for row in value
            ]
        return [self._scaled(one, units, False) for one in value]

    # --------------------------------------------------------------------------------- files
    def copy_beside(self, source: Path, target: Path) -> None:
        """Copy the files that the cases of a folder name, scaled."""
        for path in source.glob("*.csv"):
            head, *rows = path.read_text().splitlines()
            factors = [
                self.factor(ENDS[end_of(name.strip())][0]) if end_of(name.strip()) else 1.0 for name in head.split(",")
            ]
            lines = [
                ", ".join(
                    repr(float(x) * f) if f != 1.0 else x.strip() for x, f in zip(row.split(","), factors, strict=True)
                )
                for row in rows
                if row.strip()
            ]
            (target / path.name).write_text("\n".join([head, *lines]) + "\n")
        for path in source.glob("*.txt"):
            (target / path.name).write_text(self._stiffness_file(path.read_text()))

    def _stiffness_file(self, text: str) -> str:
        """A file of stiffness and mass of points on housings, in m, N/m and kg."""
        by = {"points": "m", "stiffness": "N/m", "mass": "kg"}
        lines, section = [], ""
        for line in text.splitlines():
            words = line.split()
            if len(words) == 1 and words[0] in by:
                section = words[0]
            elif words and section == "points":
                line = " ".join([words[0], *(repr(float(x) * self.length) for x in words[1:4]), *words[4:]])
            elif words and section:
                line = " ".join(repr(float(x) * self.factor(by[section])) if _number(x) else x for x in words)
            lines.append(line)
        return "\n".join(lines) + "\n"


def _number(word: str) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


# ------------------------------------------------------------------------------- messages
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")
_WORDS = sorted((re.escape(word) for word in (
    "N m s/rad", "N m/rad", "N s/m", "N/mm", "N/um", "N/m", "kg m2", "kg/m3", "m/s", "MN m", "kN m", "N m", "MPa m/s",
    "MPa", "GPa", "rad/s", "rpm", "kHz", "Hz", "mm", "um", "kN", "kg", "ms", "kW", "W", "K", "%", "urad", "N", "m", "s",
)), key=len, reverse=True)  # fmt: skip
_AFTER = re.compile(rf"\s?({'|'.join(_WORDS)})(?![\w/])")
_BEFORE = re.compile(r"([A-Za-z]\w*)(?: of [^=]*?)?(?: \[([^\]]+)\])? ?(?:=|\+-|to) $")


@dataclass(frozen=True)
class Told:
    """A message: its text without numbers, the numbers, and their units, None if none is told."""

    text: str
    numbers: tuple[float, ...]
    units: tuple[str | None, ...]


SIZES = {"MN": 1e6, "kN": 1e3, "mm": 1e-3, "um": 1e-6, "MPa": 1e6, "GPa": 1e9, "kHz": 1e3, "ms": 1e-3, "kW": 1e3}


def told(message: str) -> Told:
    """Take a message apart."""
    text, numbers, units, at = [], [], [], 0
    for match in _NUMBER.finditer(message):
        before, after = message[at : match.start()], _AFTER.match(message, match.end())
        text.append(before)
        unit: str | None = None
        end = match.end()
        value = float(match[0])
        if after:
            unit, end = after[1], after.end()
            value *= SIZES.get(unit.split()[0].split("/")[0], 1.0)
        elif (named := _BEFORE.search(message[: match.start()])) is not None:
            unit = named[2] or (ENDS[end_of(named[1])][0] if end_of(named[1]) else None)
        text.append("#" if not after else f"#[{dimension(unit.replace('%', '1'))}]" if unit else "#")
        numbers.append(value)
        units.append(unit)
        at = end
    text.append(message[at:])
    return Told("".join(text), tuple(numbers), tuple(units))


def deviates(one: str, other: str, scale: Scale) -> str:
    """Say how a message of the scaled case differs from that of the case, beyond what similarity asks; empty: not."""
    a, b = told(one), told(other)
    if a.text != b.text:
        return f"{one!r} -> {other!r}"
    factors = {1.0, *(scale.factor(unit.replace("%", "1")) for unit in a.units if unit)}
    for x, y, unit in zip(a.numbers, b.numbers, a.units, strict=True):
        allowed = factors if unit is None else {scale.factor(unit.replace("%", "1"))}
        if not any(abs(y - f * x) <= ROUNDED * max(abs(f * x), abs(y)) for f in allowed):
            return f"{x:g} {unit or ''} -> {y:g}: {one!r} -> {other!r}"
    return ""


ROUNDED = 0.06  # of a number of two digits that are rounded
