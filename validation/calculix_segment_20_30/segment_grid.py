"""Hexahedral grid of a segment of teeth, graded towards the places where two flanks touch.

Cross-section of each tooth, in its tooth frame: a surface layer of constant depth along the whole profile on both
sides, its rows normal to the profile; the core between the layers; under it the rim down to the bore. A tooth with a
contact has short rows around it on both flanks. All teeth share the depths of the layer and of the rim, so neighbours
join node by node in the middle of the tooth spaces. The section is extruded across the face, or across half of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.geometry import Gear, ToothProfile
from alegear.mesh.volume import VolumeMesh

Array = NDArray[np.float64]
Nodes = NDArray[np.int64]

TIP_BLEND = 0.45  # upper part of the flank on which the layer's rows turn from its normal into the tip circle
SPOKE_LEAN = 0.25  # part of a rim column's angle by which it leans to the tooth's centre line
SPOKE_POWER = 3.0


@dataclass(frozen=True, kw_only=True)
class GridOptions:
    """Lengths [m] and numbers of elements.

    Parameters
    ----------
    contact_element : float
        Along the profile within ``contact_reach`` of a contact, and of the first layer of elements below the surface.
    contact_reach : float
        Half length of the fine zone.
    growth : float
        Ratio of neighbouring elements outside of the fine zone and down into the layer.
    flank_element, plain_flank_element : float
        Longest element along the flank of a tooth with a contact, and without.
    fillet_elements, plain_fillet_elements : int
        From the middle of the tooth space to the root form point, with and without a contact.
    layer_elements, core_elements, rim_elements, width_elements : int
        Through the surface layer, across the core, from the layer down to the bore, across the modelled face width.
    half_face : bool
        Model z >= 0 only; the middle of the face is then a plane of symmetry.
    """

    contact_element: float = 0.06e-3
    contact_reach: float = 0.45e-3
    growth: float = 1.4
    flank_element: float = 0.7e-3
    plain_flank_element: float = 2.5e-3
    fillet_elements: int = 18
    plain_fillet_elements: int = 8
    layer_elements: int = 5
    core_elements: int = 6
    rim_elements: int = 14
    width_elements: int = 5
    half_face: bool = True

    @property
    def layer_depths(self) -> Array:
        """Depths of the layer's nodes below the profile [m]."""
        steps = self.contact_element * self.growth ** np.arange(self.layer_elements)
        return np.concatenate([[0.0], np.cumsum(steps)])


@dataclass(frozen=True, kw_only=True, eq=False)
class SegmentMesh:
    """Segment in its own frame: the gear's axis is z, tooth 0's centre line x; tooth k lies k pitches on, about +z.

    Attributes
    ----------
    volume : VolumeMesh
    flanks : dict of int to shape (rows, cols)
        Nodes on flank a of each tooth, from the root form point to the tip, z ascending across.
    arc_lengths : dict of int to shape (rows,) [m]
        Of these rows along the profile.
    fillets : dict of (int, str) to shape (rows, cols)
        Nodes of the fillet of flank ``"a"`` and ``"b"`` of each tooth, from the middle of the tooth space.
    bore, middle : shape (n,)
        Nodes of the bore arc, and of the plane of symmetry (none without one).
    """

    volume: VolumeMesh
    flanks: Mapping[int, Nodes]
    arc_lengths: Mapping[int, Array]
    fillets: Mapping[tuple[int, str], Nodes]
    bore: Nodes
    middle: Nodes


@dataclass(frozen=True, kw_only=True, eq=False)
class _Section:
    """One tooth: nodes (n, 2), quadrilaterals (m, 4) counter-clockwise, and nodes of its lines."""

    points: Array
    quads: Nodes
    flank: Nodes
    arc_length: Array
    fillet_a: Nodes
    fillet_b: Nodes
    cut_low: Nodes
    cut_high: Nodes
    bore: Nodes


def mesh_segment(gear: Gear, contacts: Mapping[int, float], teeth: int, options: GridOptions) -> SegmentMesh:
    """Mesh a segment.

    Parameters
    ----------
    gear : Gear
        External spur gear.
    contacts : dict of int to float [m]
        Arc length of the contact on flank a, by tooth.
    teeth : int
        Odd; tooth 0 is the middle one.
    options : GridOptions
    """
    numbers = range(-(teeth // 2), teeth // 2 + 1)
    sections = {k: _section(gear, contacts.get(k), options) for k in numbers}
    points, quads, node_of = _joined(sections, gear.z)
    z = face_positions(gear.b, options)
    n = len(points)
    volume_points = np.concatenate([np.column_stack([points, np.full(n, height)]) for height in z])
    layers = n * np.arange(len(z) - 1)[:, None, None]
    cells = np.concatenate([quads + layers, quads + layers + n], axis=2).reshape(-1, 8)

    def across(nodes: Nodes) -> Nodes:
        return nodes[:, None] + n * np.arange(len(z))

    fillets = {(k, "a"): across(node_of[k][s.fillet_a]) for k, s in sections.items()}
    fillets |= {(k, "b"): across(node_of[k][s.fillet_b]) for k, s in sections.items()}
    bore = np.unique(np.concatenate([node_of[k][s.bore] for k, s in sections.items()]))
    return SegmentMesh(
        volume=VolumeMesh(points=volume_points, cells=np.ascontiguousarray(cells)),
        flanks={k: across(node_of[k][s.flank]) for k, s in sections.items()},
        arc_lengths={k: s.arc_length for k, s in sections.items()},
        fillets=fillets,
        bore=across(bore).ravel(),
        middle=np.arange(n) if options.half_face else np.empty(0, dtype=np.int64),
    )


def face_positions(width: float, options: GridOptions) -> Array:
    """Nodes across the face [m]: elements shrink to half their length towards its ends."""
    n = options.width_elements
    t = np.arange(n + 1) / n
    if options.half_face:
        return 0.5 * width * (4.0 * t - t**2) / 3.0
    t = 2.0 * t - 1.0
    return 0.5 * width * np.sign(t) * (4.0 * np.abs(t) - t**2) / 3.0


# --- one tooth --------------------------------------------------------------------------------------------------------


def _section(gear: Gear, contact: float | None, options: GridOptions) -> _Section:
    profile = gear.tooth_profile
    n_fillet = options.plain_fillet_elements if contact is None else options.fillet_elements
    lower = n_fillet - int(0.45 * n_fillet)  # rows from here on run across the tooth, those below down to the bore
    flank_s = _flank_rows(profile.s_tip, contact, options)
    s = np.concatenate([profile.s_root * np.arange(n_fillet, 0, -1) / n_fillet, flank_s])
    layer = _layer(profile, s, options.layer_depths)
    core = _core(layer[lower:, -1], options.core_elements)
    rim = _rim(layer[: lower + 1, -1], core[0], 0.5 * gear.bore_diameter, np.pi / gear.z, options)

    points, (a, b, c, r) = _numbered([layer, _mirrored(layer), core, rim])
    quads = np.concatenate([_quads(nodes) for nodes in (a, b, c, r)])
    return _Section(
        points=points,
        quads=_counter_clockwise(points, quads),
        flank=a[n_fillet:, 0],
        arc_length=flank_s,
        fillet_a=a[: n_fillet + 1, 0],
        fillet_b=b[: n_fillet + 1, 0],
        cut_low=np.concatenate([b[0], r[1:, -1]]),
        cut_high=np.concatenate([a[0], r[1:, 0]]),
        bore=r[-1],
    )


def _flank_rows(s_tip: float, contact: float | None, options: GridOptions) -> Array:
    """Arc lengths of the flank's rows: equal if there is no contact, else short around it and one of them in it."""
    if contact is None:
        n = int(np.ceil(s_tip / options.plain_flank_element))
        return s_tip * np.arange(n + 1) / n
    reach, h = options.contact_reach, options.contact_element
    low, high = max(contact - reach, 0.0), min(contact + reach, s_tip)
    below, above = (int(np.ceil(part / h - 1e-9)) for part in (contact - low, high - contact))
    rows = np.concatenate(
        [
            low + (contact - low) * np.arange(below) / max(below, 1),
            contact + (high - contact) * np.arange(above + 1) / max(above, 1),
        ]
    )
    down, up = _growing(low, h, options), _growing(s_tip - high, h, options)
    return np.concatenate([low - down[:0:-1], rows, high + up[1:]])


def _growing(length: float, first: float, options: GridOptions) -> Array:
    """Nodes 0 ... length, elements that grow from about ``first`` up to the longest allowed."""
    if length <= 0.0:
        return np.zeros(1)
    steps = [first * options.growth]
    while sum(steps) < length:
        steps.append(min(steps[-1] * options.growth, options.flank_element))
    if len(steps) > 1 and sum(steps) - length > 0.5 * steps[-1]:
        steps.pop()
    nodes = np.concatenate([[0.0], np.cumsum(steps)])
    return length * nodes / nodes[-1]


def _layer(profile: ToothProfile, s: Array, depths: Array) -> Array:
    """Nodes of the surface layer on flank a, (rows, depths, 2): parallels of the profile, at the tip its circle."""
    outer, normals = profile.points(s), profile.normals(s)
    theta = np.arctan2(outer[:, 1], outer[:, 0])
    tangential = np.column_stack([-np.sin(theta), np.cos(theta)])
    t = np.clip((s / profile.s_tip - 1.0 + TIP_BLEND) / TIP_BLEND, 0.0, 1.0)
    turned = (t**2 * (3.0 - 2.0 * t))[:, None]
    outward = (1.0 - turned) * normals + turned * tangential
    outward /= np.linalg.norm(outward, axis=1)[:, None]
    layer = outer[:, None] - outward[:, None] * depths[:, None]
    layer[-1] = _polar(profile.r_a, theta[-1] - depths / profile.r_a)
    layer[0] = _polar(np.hypot(*outer[0]) - depths, np.pi / profile.z)
    return layer


def _core(inner: Array, n: int) -> Array:
    """Nodes between the layers, (rows, n + 1, 2), from +y to -y on circles about the axis."""
    radius, theta = np.hypot(*inner.T), np.arctan2(inner[:, 1], inner[:, 0])
    core = _polar(radius[:, None], theta[:, None] * (1.0 - 2.0 * np.arange(n + 1) / n))
    core[:, 0], core[:, -1] = inner, _mirrored(inner)
    return core


def _rim(fillet: Array, waist: Array, r_bore: float, half_pitch: float, options: GridOptions) -> Array:
    """Nodes of the rim, (rows down to the bore, columns from +y to -y, 2)."""
    top = np.concatenate([fillet[:-1], waist, _mirrored(fillet[-2::-1])])
    radius, theta = np.hypot(*top.T), np.arctan2(top[:, 1], top[:, 0])
    n, lower = options.rim_elements, len(fillet) - 1
    first = 2.0 * (options.layer_depths[-1] - options.layer_depths[-2])
    fraction = _to_bore(n, (radius.min() - r_bore) / first)
    # the columns lean most where tooth and rim meet, not at all in the middle of the tooth space
    lean = np.concatenate([np.arange(lower) / lower, np.full(len(waist), 1.0), np.arange(lower)[::-1] / lower])
    swing = SPOKE_LEAN * lean * theta
    depth = fraction[:, None]
    rim = _polar(radius + (r_bore - radius) * depth, theta - swing * (1.0 - (1.0 - depth) ** SPOKE_POWER))
    rim[0] = top
    rim[:, 0] = _polar(np.hypot(*rim[:, 0].T), half_pitch)
    rim[0, 0], rim[0, -1] = top[0], top[-1]
    rim[1:, -1] = _mirrored(rim[1:, 0])
    return rim


def _to_bore(n: int, length: float) -> Array:
    """Fractions 0 ... 1 of n steps in geometric progression, the first 1/length of the whole.

    The last one is half as long as the one before: at the bore the clamped segment has its own stress concentration.
    """
    power = np.minimum(np.arange(n), n - 2)
    factor = np.where(np.arange(n) == n - 1, 0.5, 1.0)
    low, high = 1.0, 10.0
    for _ in range(60):  # bisection: the sum of the steps rises with the ratio
        ratio = 0.5 * (low + high)
        low, high = (ratio, high) if np.sum(factor * ratio**power) < length else (low, ratio)
    steps = factor * low**power
    return np.concatenate([[0.0], np.cumsum(steps) / steps.sum()])


# --- numbering --------------------------------------------------------------------------------------------------------


def _numbered(grids: list[Array]) -> tuple[Array, list[Nodes]]:
    """Number the nodes of grids (rows, cols, 2) that share nodes where they have the same coordinates."""
    flat = np.concatenate([grid.reshape(-1, 2) for grid in grids])
    points, inverse = np.unique(flat, axis=0, return_inverse=True)
    ends = np.cumsum([grid.shape[0] * grid.shape[1] for grid in grids])[:-1]
    parts = np.split(inverse.reshape(-1).astype(np.int64), ends)
    return points, [part.reshape(grid.shape[:2]) for part, grid in zip(parts, grids, strict=True)]


def _quads(nodes: Nodes) -> Nodes:
    """Quadrilaterals (m, 4) of a grid of nodes."""
    return np.stack([nodes[:-1, :-1], nodes[1:, :-1], nodes[1:, 1:], nodes[:-1, 1:]], axis=-1).reshape(-1, 4)


def _joined(sections: Mapping[int, _Section], z: int) -> tuple[Array, Nodes, dict[int, Nodes]]:
    """Nodes and quadrilaterals of neighbouring teeth, and the segment's node for each node of each tooth."""
    points: list[Array] = []
    quads, node_of = [], {}
    count, previous = 0, None
    for k, section in sections.items():
        nodes = np.full(len(section.points), -1, dtype=np.int64)
        if previous is not None:
            nodes[section.cut_low] = node_of[previous][sections[previous].cut_high]
        new = nodes < 0
        nodes[new] = count + np.arange(new.sum())
        count += int(new.sum())
        angle = 2.0 * np.pi * k / z
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        points.append(section.points[new] @ turn)
        quads.append(nodes[section.quads])
        node_of[k], previous = nodes, k
    return np.concatenate(points), np.concatenate(quads), node_of


def _counter_clockwise(points: Array, quads: Nodes) -> Nodes:
    x, y = points[quads].transpose(2, 0, 1)
    area = np.sum(x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1), axis=1)
    return np.where(area[:, None] > 0.0, quads, quads[:, ::-1])


def _polar(r: float | Array, theta: float | Array) -> Array:
    return np.stack(np.broadcast_arrays(r * np.cos(theta), r * np.sin(theta)), axis=-1)


def _mirrored(points: Array) -> Array:
    return points * np.array([1.0, -1.0])
