"""What a Campbell diagram shows: natural frequencies, the orders of the meshes, and the speeds at which they meet.

Modes do not change with the speed here: of a pair they are those at rest, of a machine those at the speed of the case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from alegear.contact.numbering import GEARS
from alegear.storage import lazy_xarray as xr

#: Orders of the mesh frequency that are drawn.
MESH_ORDERS = (1, 2, 3)
#: Speed at the end of the diagram over that of the case, and over that at which the mesh frequency of a pair is its
#: natural frequency in the mesh.
BEYOND, PAST_RESONANCE = 1.5, 1.1
#: Of the energy outside the wheels' own modes; with less a mode of the pair is one of a wheel, drawn as such.
OWN_SHARE = 0.1
#: Of the energy in the mesh; modes with less are faint.
FAINT = 0.05
#: Of a frequency: lines so close are one.
SAME = 2e-3
#: Highest frequency shown over the lowest one of the wheels, where the case gives no speed, and over that of a machine.
ABOVE, ROOM = 1.25, 1.08


class ModeLine(NamedTuple):
    """A horizontal line of the diagram.

    Attributes
    ----------
    frequency : float [Hz]
    whose, detail : str
        What is written at it.
    kind : {"mesh", "faint", "pinion", "wheel"}
        With energy in the mesh, with little of it, of a wheel alone.
    met : tuple of float [rpm]
        Speeds at which orders meet it.
    """

    frequency: float
    whose: str
    detail: str
    kind: str
    met: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class CampbellDiagram:
    """Modes and orders of meshes over a speed.

    Attributes
    ----------
    speed_of : str
        Whose speed it is.
    end : float [rpm]
    top : float [Hz]
        Largest speed and frequency.
    rpm : float or None
        Speed of the case.
    orders : mapping of str to float [Hz/rpm]
        Frequency of each mesh at 1 rpm.
    modes : tuple of ModeLine
        No speed at which one is met is beyond `end`.
    kinds : mapping of str to str
        What the kinds of lines that there are stand for.
    """

    speed_of: str
    end: float
    top: float
    rpm: float | None
    orders: Mapping[str, float]
    modes: tuple[ModeLine, ...]
    kinds: Mapping[str, str]

    @property
    def of_wheels(self) -> bool:
        """Whether it shows modes of wheels, which are those in their own frame."""
        return any(kind in GEARS for kind in self.kinds)


def pair_diagram(dataset: xr.Dataset) -> CampbellDiagram:
    r"""Find the modes of pair and wheels, and where orders of the mesh meet them over the speed of the pinion.

    A wheel's mode of nodal diameter n is seen from the wheel, where it does not depend on the speed as long as Coriolis
    forces are small. There the mesh travels round: its order h comes with the frequencies :math:`(h z \pm n) f_{rot}`,
    one for the wave that runs with the wheel and one for that against it. Modes of the pair do not turn.

    Parameters
    ----------
    dataset : xarray.Dataset
        As in ``result.nc`` of a modal study of a pair.
    """
    end, top = _ranges(dataset)
    teeth = [int(z) for z in dataset.attrs["teeth"]]
    modes: list[ModeLine] = []
    for frequency, share in zip(dataset["pair_frequency"].values, dataset["pair_energy_share"].values, strict=True):
        if frequency <= top and 1.0 - share[1] - share[2] >= OWN_SHARE:  # the others are modes of the wheels
            met = [60.0 * frequency / (order * teeth[0]) for order in MESH_ORDERS]
            kind = "faint" if float(share[0]) < FAINT else "mesh"
            modes.append(ModeLine(float(frequency), "pair", percent(share[0]), kind, _within(met, end)))
    for gear, (name, z) in enumerate(zip(GEARS, teeth, strict=True)):
        modes += _modes_of_wheel(dataset, gear, name, (z, teeth[0] / z), (end, top))
    words = {
        "mesh": "mode of the pair, share of its energy in the mesh",
        "faint": f"with less than {100 * FAINT:.0f} % in the mesh",
        **{name: f"{name}, bore held, nodal diameter n" for name in GEARS},
    }
    speed = dataset.attrs.get("pinion_speed")
    return CampbellDiagram(
        speed_of="pinion",
        end=end,
        top=top,
        rpm=None if speed is None or not float(speed) > 0.0 else float(speed) * 30.0 / np.pi,
        orders={"mesh": teeth[0] / 60.0},
        modes=tuple(modes),
        kinds=_kinds(words, modes),
    )


def machine_diagram(dataset: xr.Dataset, rpm: float, meshes: Mapping[str, float]) -> CampbellDiagram:
    """Find the modes of a machine, and where orders of its meshes meet them over the speed of its drive.

    Parameters
    ----------
    dataset : xarray.Dataset
        As in ``result.nc`` of a modal study.
    rpm : float [rpm]
        Speed of the drive in the case, positive.
    meshes : mapping of str to float [Hz]
        Mesh frequencies at that speed.
    """
    turning = "turning_frequency" in dataset
    frequencies = dataset["turning_frequency" if turning else "frequency"].to_numpy()
    share = dataset["turning_energy_share" if turning else "energy_share"].to_numpy()
    in_mesh = share[:, np.isin(dataset["part"].to_numpy().astype(str), list(meshes))].sum(axis=1)
    end = BEYOND * rpm
    modes = []
    for frequency, part in zip(frequencies.tolist(), in_mesh.tolist(), strict=True):
        met = [rpm * frequency / (order * of_mesh) for of_mesh in meshes.values() for order in MESH_ORDERS]
        modes.append(ModeLine(frequency, "", percent(part), "faint" if part < FAINT else "mesh", _within(met, end)))
    words = {"mesh": "mode, share of its energy in the meshes", "faint": f"with less than {100 * FAINT:.0f} %"}
    return CampbellDiagram(
        speed_of="drive",
        end=end,
        top=ROOM * float(frequencies.max(initial=0.0)),
        rpm=rpm,
        orders={name: of_mesh / rpm for name, of_mesh in meshes.items()},
        modes=tuple(modes),
        kinds=_kinds(words, modes),
    )


def merged(modes: Sequence[ModeLine]) -> list[ModeLine]:
    """Return the modes in order of frequency; of lines of one kind that fall on each other there is one."""
    kept: list[ModeLine] = []
    for mode in sorted(modes, key=lambda one: (one.frequency, one.whose)):
        same = [k for k, one in enumerate(kept) if one.whose == mode.whose and one.kind == mode.kind]
        k = next((k for k in same if abs(kept[k].frequency - mode.frequency) <= SAME * mode.frequency), None)
        if k is None:
            kept.append(mode)
        elif mode.detail not in kept[k].detail.split(", "):
            kept[k] = kept[k]._replace(detail=f"{kept[k].detail}, {mode.detail}")
    return kept


def name_of(mode: ModeLine) -> str:
    """Write what stands at a line: its frequency, whose mode it is, what of it.

    Examples
    --------
    >>> name_of(Mode(3249.2, "pair", "52 %", "mesh"))
    '3.249 kHz pair, 52 %'
    """
    return ", ".join([f"{1e-3 * mode.frequency:.4g} kHz {mode.whose}".rstrip(), mode.detail])


def percent(share: float) -> str:
    """Write a share, a digit more of those about the one that makes modes faint.

    Examples
    --------
    >>> percent(0.4711), percent(0.0489)
    ('47 %', '4.9 %')
    """
    return f"{100.0 * share:.{0 if share >= 2.0 * FAINT else 1}f} %"


def crossings(frequency: float, nodal_diameter: int, teeth: int, order: int) -> tuple[float, ...]:
    """Speeds [1/s] of a wheel at which an order of the mesh excites its mode: f/(h z + n), f/(h z - n)."""
    return tuple(frequency / (order * teeth + n) for n in sorted({nodal_diameter, -nodal_diameter}, reverse=True))


def _modes_of_wheel(
    dataset: xr.Dataset, gear: int, name: str, own: tuple[int, float], ranges: tuple[float, float]
) -> Iterator[ModeLine]:
    """Held modes of a gear, of a pair of equal ones one; `own`: teeth, speed over that of the pinion."""
    (z, ratio), (end, top) = own, ranges
    frequencies, diameters = (dataset[f"held_{what}"].values[gear] for what in ("frequency", "nodal_diameter"))
    for frequency, n in sorted(set(zip(frequencies.tolist(), diameters.tolist(), strict=True))):
        if frequency <= top:
            met = [60.0 * s / ratio for order in MESH_ORDERS for s in crossings(frequency, n, z, order)]
            yield ModeLine(frequency, name, f"n = {n}", name, _within(met, end))


def _within(met: Sequence[float], end: float) -> tuple[float, ...]:
    return tuple(float(speed) for speed in met if speed <= end)


def _kinds(words: Mapping[str, str], modes: Sequence[ModeLine]) -> dict[str, str]:
    there = {mode.kind for mode in modes}
    return {kind: text for kind, text in words.items() if kind in there}


def _ranges(dataset: xr.Dataset) -> tuple[float, float]:
    """Largest speed of the pinion [rpm] and largest frequency [Hz] of the diagram of a pair."""
    z_1 = int(dataset.attrs["teeth"][0])
    case_speed = dataset.attrs.get("pinion_speed")
    pair = float(dataset["mesh_frequency"].values)
    if case_speed is not None:
        # at least to where the first order meets the mode in the mesh, and the orders reach so far
        speed = max(BEYOND * float(case_speed) / (2.0 * np.pi), PAST_RESONANCE * pair / z_1)
        return 60.0 * speed, MESH_ORDERS[-1] * z_1 * speed
    top = ABOVE * max(float(np.min(dataset["held_frequency"].values[:, 0])), pair)
    return 60.0 * top / z_1, top
