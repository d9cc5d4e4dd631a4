"""Flow of the power through a machine of torsional parts: from body to part to body, what is lost and stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from alegear.storage import lazy_xarray as xr

Kind = Literal["body", "part", "source", "load", "loss"]
Aside = Literal["lost", "stored", "supplied"]

#: What is less than this part of the largest power has its name only, no number.
SMALL = 0.005


class PowerBand(NamedTuple):
    """Power from a node to another, by their numbers [W]."""

    tail: int
    head: int
    power: float


@dataclass(frozen=True, kw_only=True, eq=False)
class PowerNode:
    """A body or a part.

    Attributes
    ----------
    name : str
    kind : str
    power : float [W]
        The larger of what comes in and what goes out.
    aside : tuple of (str, float [W])
        What is lost (positive), stored (positive) or taken from what is stored, supplied or taken from outside.
    """

    name: str
    kind: Kind
    power: float
    aside: tuple[tuple[Aside, float], ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class PowerFlow:
    """Powers between bodies and parts.

    Attributes
    ----------
    nodes : tuple of PowerNode
    bands : tuple of PowerBand
        From node to node.
    left_out : tuple of str
        Parts that carry next to nothing, the largest first.
    small : float [W]
        What that is.
    when : str
    """

    nodes: tuple[PowerNode, ...]
    bands: tuple[PowerBand, ...]
    left_out: tuple[str, ...]
    small: float
    when: str


def power_flow(dataset: xr.Dataset, at: float | None = None) -> PowerFlow:
    """Find the power flow of a motion: its mean, or that at a time [s].

    Parameters
    ----------
    dataset : xarray.Dataset
        As in ``result.nc`` of a torsional machine.
    at : float, optional
        The sample next to it. Default: mean over all samples, straight lines between them.
    """
    time = dataset["time"].to_numpy()
    power = dataset["power"].to_numpy()
    bodies = [str(name) for name in dataset["body"].to_numpy()]
    parts = [str(name) for name in dataset["part"].to_numpy()]
    if at is None and len(time) > 1:
        length = time[-1] - time[0]
        power = np.trapezoid(power, time, axis=0) / length
        energies = (dataset[f"energy_{name}"].to_numpy() for name in ("lost", "supplied", "stored"))
        lost, supplied, stored = ((energy[-1] - energy[0]) / length for energy in energies)
        when = f"mean from {time[0]:g} to {time[-1]:g} s"
    else:
        k = int(np.abs(time - (time[0] if at is None else at)).argmin())
        power, lost = power[k], dataset["loss"].to_numpy()[k]
        supplied, stored = np.zeros(len(parts)), None
        when = f"at {time[k]:g} s"
    ends = [
        (str(part), str(body))
        for part, body in zip(dataset["flange_part"].to_numpy(), dataset["flange_body"].to_numpy(), strict=True)
    ]
    at_part = {name: [j for j, (part, _) in enumerate(ends) if part == name] for name in parts}
    into = np.array([power[of_part].sum() for of_part in at_part.values()])
    if stored is None:  # of an instant the rest of the balance of a part is not split
        stored = np.where(np.abs(into - lost) > 1e-6 * np.abs(power).max(initial=0.0), into - lost, 0.0)
    largest = float(np.abs(power).max(initial=0.0))
    small = SMALL * largest
    carried = {name: float(np.abs(power[of_part]).max(initial=0.0)) for name, of_part in at_part.items()}
    drawn = [name for name in parts if carried[name] > small]
    balances = zip(parts, into, lost, supplied, stored, strict=True)
    nodes = [_part(name, len(at_part[name]), small, *of_part) for name, *of_part in balances if name in drawn]
    drawn_names = set(drawn)
    met = {body for j, (part, body) in enumerate(ends) if part in drawn_names and abs(power[j]) > small}
    shown = [body for body in bodies if body in met]
    number = {("part", name): i for i, name in enumerate(drawn)}
    number |= {("body", name): len(drawn) + i for i, name in enumerate(shown)}
    bands = []
    for j, (part, body) in enumerate(ends):
        if part in drawn_names and abs(power[j]) > 1e-3 * small and body in met:
            ends_of = number["body", body], number["part", part]
            tail, head = ends_of if power[j] > 0.0 else ends_of[::-1]
            bands.append(PowerBand(tail, head, abs(float(power[j]))))
    nodes += [PowerNode(name=body, kind="body", power=0.0) for body in shown]
    for i, node in enumerate(nodes):
        come, go = (sum(b.power for b in bands if end(b) == i) for end in (lambda b: b.head, lambda b: b.tail))
        aside = node.aside
        if node.kind == "body" and abs(come - go) > small:
            aside = (("stored", come - go),)
        nodes[i] = PowerNode(name=node.name, kind=node.kind, power=max(come, go), aside=aside)
    others = sorted((name for name in parts if name not in set(drawn)), key=carried.__getitem__, reverse=True)
    return PowerFlow(nodes=tuple(nodes), bands=tuple(bands), left_out=tuple(others), small=small, when=when)


def _part(name: str, flanges: int, small: float, into: float, lost: float, supplied: float, stored: float) -> PowerNode:
    """A part: one that acts on a single body is a source, a load or a loss, of others what they lose goes aside."""
    if flanges == 1:
        kind: Kind = "source" if into < 0.0 else "loss" if lost > 0.5 * into else "load"
        return PowerNode(name=name, kind=kind, power=0.0)
    given: tuple[tuple[Aside, float], ...] = (("lost", lost), ("stored", stored), ("supplied", -supplied))
    aside = tuple((what, float(value)) for what, value in given if abs(value) > 0.2 * small)
    return PowerNode(name=name, kind="part", power=0.0, aside=aside)
