"""Layered drawings: what is drawn stays apart, edges go to the right, and few cross."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from families import mostly_thorough
from scipy.optimize import isotonic_regression

from alegear.pictures.layered import Edge, layered, rising

GAP = 0.1


def plan_of(n: int, edges: list[tuple[int, int]], half: float = 0.5):
    return layered([(half, half)] * n, [Edge(a, b, 0.2) for a, b in edges], GAP)


def test_a_chain_is_a_straight_line() -> None:
    plan = plan_of(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert [node.layer for node in plan.nodes] == [0, 1, 2, 3, 4]
    assert np.ptp([node.y for node in plan.nodes]) == pytest.approx(0.0, abs=1e-12)  # round-off of means


def test_an_edge_past_a_layer_has_a_place_in_it() -> None:
    plan = plan_of(3, [(0, 1), (1, 2), (0, 2)])
    route = plan.routes[2]
    assert [point.layer for point in route] == [0, 1, 2]
    # beside the node between: half of its height, the gap, half of the edge
    assert abs(route[1].y - plan.nodes[1].y) >= 0.5 + GAP + 0.1 - 1e-12


def test_the_thinnest_edge_of_a_circle_goes_back() -> None:
    edges = [Edge(0, 1, 3.0), Edge(1, 2, 3.0), Edge(2, 0, 0.5)]
    plan = layered([(0.5, 0.5)] * 3, edges, GAP)
    assert plan.backward == (False, False, True)
    assert [point.layer for point in plan.routes[2]] == [0, 1, 2]  # drawn from left to right all the same


def test_what_need_not_cross_does_not() -> None:
    """Three chains given in another order in each layer."""
    edges = [(0, 5), (1, 3), (2, 4), (5, 7), (3, 8), (4, 6), (9, 0), (9, 1), (9, 2)]
    plan = plan_of(10, edges)
    columns = [[plan.nodes[i].y for i in column] for column in ((0, 1, 2), (5, 3, 4), (7, 8, 6))]
    for column in columns[1:]:
        assert np.argsort(column).tolist() == np.argsort(columns[0]).tolist()


def test_what_comes_from_nothing_stands_next_to_where_it_goes() -> None:
    plan = plan_of(5, [(0, 1), (1, 2), (2, 3), (4, 3)])
    assert plan.nodes[4].layer == plan.nodes[2].layer == 2


def test_parts_that_are_not_connected_stand_one_below_the_other() -> None:
    plan = plan_of(5, [(0, 1), (1, 2), (3, 4)])
    assert max(plan.nodes[i].y for i in (3, 4)) + 1.0 + GAP <= min(plan.nodes[i].y for i in (0, 1, 2)) + 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_values_that_do_not_fall_are_those_of_scipy(seed: int) -> None:
    random = np.random.default_rng(seed)
    values, weights = random.normal(size=40) + np.linspace(0.0, seed, 40), random.uniform(0.1, 3.0, 40)
    np.testing.assert_allclose(rising(values, weights), isotonic_regression(values, weights=weights).x, atol=1e-13)


def test_nothing_has_no_layers() -> None:
    assert layered([], [], GAP).n_layers == 0


@pytest.mark.parametrize("seed", mostly_thorough(range(20), always=lambda seed: seed < 8))
def test_nothing_touches_in_any_graph(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 60))
    extents = [(float(up), float(down)) for up, down in random.uniform(0.1, 1.0, (n, 2))]
    pairs = {(int(a), int(b)) for a, b in random.integers(0, n, (int(1.3 * n), 2)) if a != b}
    edges = [Edge(a, b, float(random.uniform(0.01, 0.5))) for a, b in sorted(pairs)]
    plan = layered(extents, edges, GAP)
    spans: dict[int, list[tuple[float, float]]] = {}
    for node, (up, down) in zip(plan.nodes, extents, strict=True):
        spans.setdefault(node.layer, []).append((node.y - down, node.y + up))
    for route, edge, backward in zip(plan.routes, edges, plan.backward, strict=True):
        ends = (edge.head, edge.tail) if backward else (edge.tail, edge.head)
        assert (route[0], route[-1]) == (plan.nodes[ends[0]], plan.nodes[ends[1]])
        assert all(b.layer == a.layer + 1 for a, b in pairwise(route))
        for point in route[1:-1]:
            spans.setdefault(point.layer, []).append((point.y - 0.5 * edge.width, point.y + 0.5 * edge.width))
    for column in spans.values():
        for (_, top), (bottom, _) in pairwise(sorted(column)):
            assert bottom - top >= GAP - 1e-9  # round-off of sums of heights
