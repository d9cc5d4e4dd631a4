"""Graphs of torsional machines: every part is there, and no text lies on another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from families import mostly_thorough
from made_up_trains import overlapping_texts
from small_rotational import gear_shift

import alegear as ag
from alegear.pictures.graph import SYMBOLS, Node, draw_graph, nodes_of, write_graph

MOTION = ag.RotationalMotion(duration=1.0)


def names(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_bodies_and_parts_of_the_gear_shift() -> None:
    nodes = nodes_of(gear_shift().case(MOTION))
    figure = draw_graph(nodes, "Gear shift")
    shown = names(figure)
    assert {node.name for node in nodes} <= set(shown)
    assert {"10 kg m²", "no inertia", "sun", "ring", "carrier"} <= set(shown)
    assert {node.name: node.grounded for node in nodes if node.kind in ("clutch", "brake")} == {
        "clutch": False,
        "brake": True,
    }
    assert overlapping_texts(figure) == []


def test_shafts_meshes_drives_and_loads_are_there_too() -> None:
    m = ag.Machine()
    m.add("in", ag.Shaft(fixed_axis=True))
    m.add("out", ag.Shaft(fixed_axis=True, position=(0.1, 0.0, 0.0)))
    m.add("p", ag.ShaftGear(gear=ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35e-3), shaft="in", at=0.0))
    m.add("w", ag.ShaftGear(gear=ag.Gear(z=30, m_n=4e-3, b=30e-3, bore_diameter=54e-3), shaft="out", at=0.0))
    m.mesh("first", "p", "w", fidelity="rigid")
    m.add("motor", ag.Drive(shaft="in", speed=100.0))
    m.add("brake", ag.TorqueLoad(shaft="out", torque=30.0))
    m.add("flywheel", ag.Rotor1D(inertia=0.1))
    m.add("coupling", ag.Spring(between=("out", "flywheel"), stiffness=1000.0))
    nodes = {node.name: node for node in nodes_of(m.case(MOTION))}
    assert nodes["first"].places == (("A", "in"), ("B", "out"))
    assert [nodes[name].kind for name in ("in", "first", "motor", "brake", "coupling")] == [
        "body",
        "mesh",
        "drive",
        "load",
        "spring",
    ]


@pytest.mark.parametrize("seed", mostly_thorough(range(8), always=lambda seed: seed == 5))
def test_no_text_lies_on_another_in_any_machine(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 40))
    nodes = [Node(name=f"body number {i}", kind="body", note="1.23e-05 kg m²") for i in range(n)]
    kinds = sorted(SYMBOLS)
    for i in range(1, n):
        other = int(random.integers(max(0, i - 4), i))
        kind = str(random.choice(kinds))
        nodes.append(
            Node(name=f"part of number {i}", kind=kind, places=(("A", nodes[other].name), ("B", nodes[i].name)))
        )
    for i in range(int(random.integers(1, 8))):
        at = nodes[int(random.integers(n))].name
        nodes.append(Node(name=f"brake {i}", kind="brake", places=(("at", at),), grounded=True))
    figure = draw_graph(nodes, "a $long$ title " * 8)
    assert overlapping_texts(figure) == []
    assert sum(name.startswith(("part", "brake")) for name in names(figure)) == len(nodes) - n


@pytest.mark.parametrize("name", ["graph.pdf", "not_there/graph.png", "."])
def test_a_picture_is_a_png_in_a_folder_that_is_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(ag.Fault, match="picture"):
        write_graph(gear_shift().case(MOTION), tmp_path / name)
