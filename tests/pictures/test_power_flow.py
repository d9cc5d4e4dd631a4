"""Power flow: what comes in goes out, small parts are named, and no text lies on another."""

from __future__ import annotations

import numpy as np
import pytest
from families import mostly_thorough
from made_up_trains import overlapping_texts, train

from alegear.pictures.of_results.power_flow import _Picture, draw_power_flow
from alegear.pictures.scales import in_units
from alegear.pictures.titles import shortened
from alegear.results.power_flow import SMALL, PowerBand, PowerFlow, PowerNode, power_flow


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


@pytest.mark.parametrize("at", [None, 0.5])
def test_what_comes_in_goes_out(at: float | None) -> None:
    """At every body and every part, with what goes aside."""
    flow = power_flow(train(4), at)
    mean = 1.0 if at is None else at  # of a power that grows as t from 0 to 2 s
    for i, node in enumerate(flow.nodes):
        come = sum(band.power for band in flow.bands if band.head == i)
        go = sum(band.power for band in flow.bands if band.tail == i)
        if node.kind in ("body", "part"):
            aside = sum(power for _, power in node.aside)
            assert come == pytest.approx(go + aside, rel=1e-12), node.name
        assert node.power == max(come, go)
    of = {node.name: node for node in flow.nodes}
    assert of["drive"].kind == "source"
    assert of["drive"].power == pytest.approx(100.0 * mean, rel=1e-12)
    assert of["load"].kind == "load"
    assert of["body 0"].aside == (("stored", pytest.approx(10.0 * mean, rel=1e-12)),)
    assert of["gear 0"].aside == (("lost", pytest.approx(0.02 * 90.0 * mean, rel=1e-12)),)


def test_power_that_turns_round_goes_back() -> None:
    dataset = train(3)
    dataset["power"] = -dataset["power"]
    flow = power_flow(dataset)
    of = {node.name: node.kind for node in flow.nodes}
    assert of["load"] == "source"
    assert of["drive"] == "load"


def test_what_is_small_is_named_and_not_drawn() -> None:
    flow = power_flow(train(3, efficiency=0.004))
    assert flow.small == pytest.approx(SMALL * 100.0, rel=1e-12)
    assert flow.left_out == ("gear 1", "load")  # 0.36 W
    assert {node.name for node in flow.nodes} == {"drive", "body 0", "gear 0"}
    assert "less than 500 mW: gear 1, load" in texts(draw_power_flow(train(3, efficiency=0.004)))


def test_a_long_list_of_what_is_small_ends_with_a_number() -> None:
    nodes = (PowerNode(name="a", kind="source", power=1.0), PowerNode(name="b", kind="body", power=1.0))
    flow = PowerFlow(
        nodes=nodes,
        bands=(PowerBand(0, 1, 1.0),),
        left_out=tuple(f"part {i}" for i in range(30)),
        small=0.005,
        when="now",
    )
    figure = _Picture(flow, "").figure
    (line,) = [text for text in texts(figure) if text.startswith("less than 5 mW")]
    shown, others = line.count("part"), int(line.split()[-2])
    assert shown + others == 30
    assert overlapping_texts(figure) == []


def test_a_machine_that_stands_still_has_no_power() -> None:
    dataset = train(2)
    for name in ("power", "loss", "energy_lost", "energy_supplied"):
        dataset[name] = 0.0 * dataset[name]
    assert "no power flows" in texts(draw_power_flow(dataset))


def test_one_sample_is_its_own_mean() -> None:
    flow = power_flow(train(2).isel(time=[10]))
    assert flow.when == "at 1 s"
    assert flow.nodes[0].power == pytest.approx(100.0, rel=1e-12)


@pytest.mark.parametrize("bodies", mostly_thorough([2, 3, 8, 31], always=lambda bodies: bodies in {3, 31}))
def test_no_text_lies_on_another(bodies: int) -> None:
    figure = draw_power_flow(train(bodies))
    assert overlapping_texts(figure) == []
    shown = texts(figure)
    for name in ("drive", "load", *(f"gear {i}" for i in range(bodies - 1)), *(f"body {i}" for i in range(bodies))):
        assert name in shown


@pytest.mark.parametrize("seed", mostly_thorough(range(12), always=lambda seed: seed == 7))
def test_no_text_lies_on_another_in_any_machine(seed: int) -> None:
    """Trees of up to 60 parts with circles, losses and stored energy on them."""
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 60))
    bands, kinds = [], ["source"]
    for i in range(1, n):
        before = int(random.integers(max(0, i - 6), i))
        bands.append(PowerBand(before, i, float(random.uniform(0.5, 100.0))))
        kinds.append("part" if kinds[before] == "body" else "body")
    bands += [PowerBand(int(a), int(b), 5.0) for a, b in random.integers(0, n, (3, 2)) if a != b]
    nodes = []
    for i, kind in enumerate(kinds):
        power = max(sum(b.power for b in bands if b.head == i), sum(b.power for b in bands if b.tail == i))
        choice = random.integers(4)
        aside = {0: (), 1: (("lost", 0.2 * power),), 2: (("stored", 0.3 * power),), 3: (("stored", -0.1 * power),)}
        nodes.append(PowerNode(name=f"a part of number {i}", kind=kind, power=power, aside=aside[int(choice)]))
    flow = PowerFlow(nodes=tuple(nodes), bands=tuple(bands), left_out=(), small=0.1, when="now")
    assert overlapping_texts(_Picture(flow, "a long title " * 10).figure) == []


def test_numbers_have_the_prefix_of_their_unit() -> None:
    values = [0.0, 1.2345e-3, 0.9996, 12.345, 999.9, 2.5e4, 3.0e6]
    assert [in_units(value, "W") for value in values] == ["0 W", "1.23 mW", "1 W", "12.3 W", "1 kW", "25 kW", "3 MW"]


def test_long_names_lose_their_middle() -> None:
    assert shortened("short") == "short"
    assert shortened("output_shaft_seal_and_bearings", 16) == "output_…bearings"
    assert len(shortened("x" * 100, 16)) == 16
