"""Places of the nodes and edges of a graph in columns, edges from left to right with few crossings.

In the four steps of Sugiyama, Tagawa and Toda (1981): edges that close a circle are turned round (greedily, Eades, Lin
and Smyth 1993), nodes are put into layers by the longest path, each layer is put in order by means of neighbours, and
then every node is moved towards its neighbours as far as the order leaves room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from alegear.arrays import Array
from alegear.pictures.labels import spread

#: Times that the order, and the places, go through all layers.
ORDER_SWEEPS, PLACE_SWEEPS = 24, 40
#: How much more than an edge between nodes one that passes layers draws: it is to be straight.
STRAIGHT = 4.0


class Edge(NamedTuple):
    """An edge between nodes by their numbers, and how wide it is drawn."""

    tail: int
    head: int
    width: float


class Point(NamedTuple):
    """A place in a layer; y grows upwards."""

    layer: int
    y: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Layered:
    """Where a graph is drawn.

    Attributes
    ----------
    nodes : tuple of Point
        Middles.
    routes : tuple of tuple of Point
        Of each edge, from left to right: the node at the left, places in the layers that it passes, the one at the
        right.
    backward : tuple of bool
        Whether an edge goes from right to left, since it closes a circle.
    """

    nodes: tuple[Point, ...]
    routes: tuple[tuple[Point, ...], ...]
    backward: tuple[bool, ...]

    @property
    def n_layers(self) -> int:
        """Number of layers."""
        return 1 + max((node.layer for node in self.nodes), default=-1)


def layered(extents: Sequence[tuple[float, float]], edges: Sequence[Edge], gap: float) -> Layered:
    """Lay out a graph; parts of it that are not connected stand one below the other.

    Parameters
    ----------
    extents : sequence of (float, float)
        Of the nodes from their middles up and down, with the room for what is written at them.
    edges : sequence of Edge
        None from a node to itself.
    gap : float
        Between what is one above the other.
    """
    nodes: list[Point] = [Point(0, 0.0)] * len(extents)
    routes: list[tuple[Point, ...]] = [()] * len(edges)
    backward = [False] * len(edges)
    top = 0.0
    for members in _connected(len(extents), edges):
        number = {node: i for i, node in enumerate(members)}
        own = [k for k, edge in enumerate(edges) if edge.tail in number]
        part = _Part(
            [extents[node] for node in members],
            [Edge(number[edges[k].tail], number[edges[k].head], edges[k].width) for k in own],
            gap,
        )
        shift = top - part.highest
        for node, i in number.items():
            nodes[node] = Point(part.layer[i], float(part.y[i]) + shift)
        for k, route, turned in zip(own, part.routes, part.turned, strict=True):
            routes[k] = tuple(Point(part.layer[i], float(part.y[i]) + shift) for i in route)
            backward[k] = turned
        top = part.lowest + shift - gap
    return Layered(nodes=tuple(nodes), routes=tuple(routes), backward=tuple(backward))


def _connected(n: int, edges: Sequence[Edge]) -> list[list[int]]:
    """Nodes of the connected parts, the largest first."""
    group = list(range(n))

    def root(node: int) -> int:
        while group[node] != node:
            node = group[node]
        return node

    for edge in edges:
        first, second = sorted((root(edge.tail), root(edge.head)))
        group[second] = first
    parts: dict[int, list[int]] = {}
    for node in range(n):
        parts.setdefault(root(node), []).append(node)
    return sorted(parts.values(), key=len, reverse=True)


class Rows:
    """Rows of layers, one below the other.

    Parameters
    ----------
    plan : Layered
    layers : int
        Of a row, at most.
    extents : sequence of (float, float)
        Of the nodes from their middles up and down.
    halves : sequence of float
        Half the width of each edge.
    gap : float
        Between rows.

    Attributes
    ----------
    number, layers : int
        Of rows, and of layers in each of them.
    height : float
        Of all rows together.
    shift : shape (number,)
        From y of the plan to the height below the top of the first row, which is 0.
    """

    def __init__(
        self, plan: Layered, layers: int, extents: Sequence[tuple[float, float]], halves: Sequence[float], gap: float
    ) -> None:
        self.number = max(1, -(-plan.n_layers // layers))
        self.layers = max(1, -(-plan.n_layers // self.number))
        top, bottom = np.full(self.number, -np.inf), np.full(self.number, np.inf)
        points = list(zip(plan.nodes, extents, strict=True))
        for route, half in zip(plan.routes, halves, strict=True):
            points += [(point, (half, half)) for point in route[1:-1]]
        for point, (up, down) in points:
            row = point.layer // self.layers
            top[row], bottom[row] = max(top[row], point.y + up), min(bottom[row], point.y - down)
        heights = np.where(np.isfinite(top), top - bottom, 0.0)
        self.height = float(heights.sum()) + gap * (self.number - 1)
        self.shift = -np.concatenate([[0.0], np.cumsum(heights[:-1] + gap)]) - np.where(np.isfinite(top), top, 0.0)

    def at(self, point: Point) -> tuple[int, float, int]:
        """Column and height of a point, and its row."""
        row, column = divmod(point.layer, self.layers)
        return column, point.y + float(self.shift[row]), row


class Cuts:
    """Lines that are cut where a row of layers ends: numbers at both ends, with room for each.

    Parameters
    ----------
    stops : sequence of sequence of (float, float, int)
        Of each line: x, y and row of the places it goes through.
    room : float
        For a number.

    Attributes
    ----------
    number : dict of (int, int) to int
        By line and row that it leaves, from above.
    before, after : dict of (int, int) to float
        y at the cut in the row that it leaves, and in the next one.
    """

    def __init__(self, stops: Sequence[Sequence[tuple[float, float, int]]], room: float) -> None:
        self.number: dict[tuple[int, int], int] = {}
        self.before: dict[tuple[int, int], float] = {}
        self.after: dict[tuple[int, int], float] = {}
        ends: dict[int, list[tuple[int, float, float]]] = {}
        for line, places in enumerate(stops):
            for (_, y_0, row_0), (_, y_1, row_1) in pairwise(places):
                if row_0 != row_1:
                    ends.setdefault(row_0, []).append((line, y_0, y_1))
        for row in sorted(ends):
            lines = sorted(ends[row], key=lambda end: (-end[1], -end[2]))
            # from above: of lines that come in at one height the first stays the highest
            before, after = ((-spread(-np.array([end[side] for end in lines]), room)).tolist() for side in (1, 2))
            for (line, *_), y_0, y_1 in zip(lines, before, after, strict=True):
                self.number[line, row] = len(self.number) + 1
                self.before[line, row], self.after[line, row] = y_0, y_1


class _Part:
    """A connected graph; places of edges in the layers that they pass follow those of the nodes."""

    def __init__(self, extents: list[tuple[float, float]], edges: list[Edge], gap: float) -> None:
        self.gap = gap
        rank = _order_against_circles(len(extents), edges)
        self.turned = [rank[edge.tail] > rank[edge.head] for edge in edges]
        ends = [(e.head, e.tail) if turned else (e.tail, e.head) for e, turned in zip(edges, self.turned, strict=True)]
        self.layer = _longest_path(len(extents), ends, sorted(range(len(extents)), key=rank.__getitem__))
        self.extents = list(extents)
        self.routes: list[list[int]] = []
        self.left: list[list[tuple[int, float]]] = [[] for _ in extents]
        self.right: list[list[tuple[int, float]]] = [[] for _ in extents]
        for (first, last), edge in zip(ends, edges, strict=True):
            self._add_route(first, last, edge.width)
        self.rows: list[list[int]] = [[] for _ in range(1 + max(self.layer))]
        for node, layer in enumerate(self.layer):
            self.rows[layer].append(node)
        self._put_in_order()
        self._place()

    def _add_route(self, first: int, last: int, width: float) -> None:
        route = [first]
        for layer in range(self.layer[first] + 1, self.layer[last]):
            self.layer.append(layer)
            self.extents.append((0.5 * width, 0.5 * width))
            self.left.append([])
            self.right.append([])
            route.append(len(self.layer) - 1)
        route.append(last)
        pull = STRAIGHT if len(route) > 2 else 1.0
        for a, b in pairwise(route):
            self.right[a].append((b, pull * (width + self.gap)))
            self.left[b].append((a, pull * (width + self.gap)))
        self.routes.append(route)

    # ------------------------------------------------------------------ order
    def _put_in_order(self) -> None:
        """Order each layer by the mean places of neighbours, there and back; the order of fewest crossings stays."""
        best, fewest = [list(row) for row in self.rows], self._crossings()
        for sweep in range(ORDER_SWEEPS):
            forwards = sweep % 2 == 0
            neighbours = self.left if forwards else self.right
            for row in self.rows[1:] if forwards else self.rows[-2::-1]:
                place = self._numbers()
                mean = {
                    node: np.mean([place[other] for other, _ in neighbours[node]]) if neighbours[node] else place[node]
                    for node in row
                }
                row.sort(key=mean.__getitem__)
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = [list(row) for row in self.rows], crossings
        self.rows = best

    def _numbers(self) -> dict[int, float]:
        """Place of each node in its layer, 0 to 1."""
        return {node: (i + 0.5) / len(row) for row in self.rows for i, node in enumerate(row)}

    def _crossings(self) -> int:
        place, count = self._numbers(), 0
        for row in self.rows[:-1]:
            ends = [(place[node], place[other]) for node in row for other, _ in self.right[node]]
            a, b = np.array([end[0] for end in ends]), np.array([end[1] for end in ends])
            if len(ends):
                count += int(np.sum((a[:, None] < a[None, :]) & (b[:, None] > b[None, :])))
        return count

    # ----------------------------------------------------------------- places
    def _place(self) -> None:
        """Move each node towards the weighted mean of its neighbours, in its order and without touching others."""
        self.y = np.zeros(len(self.layer))
        up, down = np.array(self.extents).T
        rooms = []
        for row in self.rows:
            row.reverse()  # upwards, as y
            rooms.append(np.concatenate([[0.0], np.cumsum(up[row][:-1] + down[row][1:] + self.gap)]))
            self.y[row] = rooms[-1] - 0.5 * rooms[-1][-1]
        layers = list(zip(self.rows, rooms, strict=True))
        for sweep in range(PLACE_SWEEPS):
            for row, room in layers if sweep % 2 == 0 else layers[::-1]:
                wanted, weights = np.empty(len(row)), np.empty(len(row))
                for i, node in enumerate(row):
                    near = self.left[node] + self.right[node]
                    pulls = np.array([pull for _, pull in near] or [1.0])
                    at = np.array([self.y[other] for other, _ in near] or [self.y[node]])
                    wanted[i], weights[i] = pulls @ at / pulls.sum(), pulls.sum()
                # y_i+1 - y_i >= room: y less the room below it is not to fall
                self.y[row] = rising(wanted - room, weights) + room
        self.highest, self.lowest = float((self.y + up).max()), float((self.y - down).min())


def rising(values: Array, weights: Array) -> Array:
    """Return the values that do not fall and are nearest to the given ones: least squares with these weights.

    Pools of neighbours that would fall have their weighted mean; importing ``scipy.optimize.isotonic_regression`` for
    them takes longer than the whole drawing.

    Examples
    --------
    >>> import numpy as np
    >>> from alegear.pictures.layered import rising
    >>> rising(np.array([1.0, 4.0, 2.0, 3.0]), np.ones(4)).tolist()
    [1.0, 3.0, 3.0, 3.0]
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight, number of values
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        mean, whole, count = value, weight, 1
        while pools and pools[-1][0] > mean:
            before, other, more = pools.pop()
            mean = (other * before + whole * mean) / (other + whole)
            whole, count = whole + other, count + more
        pools.append((mean, whole, count))
    means, _, counts = zip(*pools, strict=True)
    return np.repeat(np.array(means), counts)


def _order_against_circles(n: int, edges: Sequence[Edge]) -> list[int]:
    """Rank of each node in an order in which little goes backwards, measured by the widths of edges."""
    rank, first, last = [0] * n, 0, n - 1
    left = set(range(n))
    while left:
        out, into = dict.fromkeys(left, 0.0), dict.fromkeys(left, 0.0)
        for edge in edges:
            if edge.tail in left and edge.head in left:
                out[edge.tail] += edge.width
                into[edge.head] += edge.width
        ends = [node for node in sorted(left) if out[node] == 0.0 and into[node] > 0.0]
        if ends:
            rank[ends[-1]] = last
            last -= 1
            left.remove(ends[-1])
            continue
        node = max(sorted(left), key=lambda one: (into[one] == 0.0, out[one] - into[one]))
        rank[node] = first
        first += 1
        left.remove(node)
    return rank


def _longest_path(n: int, ends: Sequence[tuple[int, int]], order: Sequence[int]) -> list[int]:
    """Layer of each node: right of all that it comes from; what comes from nothing stands next to where it goes."""
    layer = [0] * n
    for node in order:
        layer[node] = 1 + max((layer[first] for first, last in ends if last == node), default=-1)
    for node in range(n):
        after = [layer[last] for first, last in ends if first == node]
        if after and not any(last == node for _, last in ends):
            layer[node] = min(after) - 1
    return layer
