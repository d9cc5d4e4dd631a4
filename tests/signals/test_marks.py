"""Lines and their causes."""

from pathlib import Path

import numpy as np
import pytest
from tones import angle_of, made, run_up, times

import alegear as ag
from alegear.errors import Fault
from alegear.signals.causes import Cause
from alegear.signals.marks import mark
from alegear.signals.spectrum import order_spectrum, spectrum

MESHES = Path(__file__).resolve().parents[2] / "meshes"
T = times(4.0)
PHI = run_up(T, 10.0, 5.0)
CAUSES = (
    Cause(name="rotation", kind="shaft", order=1.0),
    Cause(name="mesh", kind="mesh", order=23.0),
    Cause(name="mesh, -1 rotation", kind="sideband", order=22.0, sideband=-1),
    Cause(name="mesh, +1 rotation", kind="sideband", order=24.0, sideband=1),
    Cause(name="rotation x24", kind="shaft", order=24.0, harmonic=24),
    Cause(name="bearing", kind="bearing", order=7.305),
)
SIGNAL = (1.0 + 0.5 * np.cos(PHI)) * np.cos(23.0 * PHI) + 0.3 * np.cos(7.3 * PHI) + 0.1 * np.cos(11.5 * PHI)


def labels(lines):
    return {round(line.x, 2): line.label for line in lines}


def test_a_modulated_mesh_at_a_speed_that_changes() -> None:
    found = mark(order_spectrum(made(SIGNAL), angle_of(PHI)), CAUSES)
    assert labels(found) == {
        23.0: "mesh",
        7.3: "bearing",  # 0.005 away: half of the resolution of 80 turns is 0.009
        22.0: "mesh, -1 rotation",
        24.0: "mesh, +1 rotation or rotation x24",
        11.5: "unknown",
    }
    by_order = {round(line.x): line for line in found}
    assert [line.amplitude for line in found] == sorted((line.amplitude for line in found), reverse=True)
    assert by_order[24].ambiguous
    assert not by_order[23].ambiguous
    # neighbours of a Hann window 80 bins away
    assert [by_order[n].amplitude for n in (22, 23, 24)] == pytest.approx([0.25, 1.0, 0.25], rel=1e-4)


def test_the_nearest_to_the_bare_frequency_is_named_first() -> None:
    found = mark(order_spectrum(made(SIGNAL), angle_of(PHI)), reversed(CAUSES))
    (line,) = (line for line in found if line.ambiguous)
    assert [cause.remoteness for cause in line.causes] == [2, 23]


def test_tolerance_is_half_of_the_resolution_unless_it_is_given() -> None:
    short = order_spectrum(made(SIGNAL), angle_of(PHI), segment=40.0)
    assert 0.5 * short.resolution > 0.005
    assert labels(mark(short, CAUSES))[7.3] == "bearing"
    assert labels(mark(short, CAUSES, tolerance=0.003))[7.3] == "unknown"


def test_frequencies_at_a_constant_speed() -> None:
    phi = 2.0 * np.pi * 25.0 * T
    signal = np.cos(23.0 * phi) + 0.5 * np.cos(phi)
    found = mark(spectrum(made(signal)), CAUSES, speed=2.0 * np.pi * 25.0)
    assert labels(found) == {575.0: "mesh", 25.0: "rotation"}


def test_largest_ones_alone() -> None:
    assert len(mark(order_spectrum(made(SIGNAL), angle_of(PHI)), CAUSES, most=2)) == 2
    assert {round(line.x) for line in mark(order_spectrum(made(SIGNAL), angle_of(PHI)), CAUSES, least=0.5)} == {23}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "given, and not 0"),
        ({"speed": 0.0}, "given, and not 0"),
        ({"speed": 1.0, "tolerance": 0.0}, "tolerance .Hz."),
    ],
)
def test_refused_of_frequencies(given, message) -> None:
    with pytest.raises(Fault, match=message):
        mark(spectrum(made(SIGNAL)), CAUSES, **given)


def test_a_speed_for_orders_is_refused() -> None:
    with pytest.raises(Fault, match="left out: the spectrum is one of orders"):
        mark(order_spectrum(made(SIGNAL), angle_of(PHI)), CAUSES, speed=1.0)


def test_planets_that_pass_a_sensor_on_the_ring() -> None:
    """19/17/56 teeth, three planets: 56 is no multiple of 3, so that a point of the ring does not hear the mesh itself.

    Of its sidebands by the carrier it hears multiples of 3 only, 57 = 56 + 1 above all (McFadden, Smith 1985).
    """
    case = ag.case_from_file(MESHES / "planetary_nrel_5mw.toml")
    t = times(4.0, 5000.0)
    phi = run_up(t, 5.0, 2.0)  # of the carrier
    heard = np.zeros(len(t))
    for place in 2.0 * np.pi * np.arange(3) / 3.0:
        near = 1.0 + np.cos(phi - place)  # a planet is loudest where it passes
        heard += near * np.cos(56.0 * (phi - place))
    found = order_spectrum(made(heard, rate=5000.0), angle_of(phi, rate=5000.0))
    (line,) = mark(found, ag.characteristic_orders(case, "carrier"))
    # 3/2: of each planet the upper sideband alone, which all have in phase
    assert (line.x, line.amplitude) == pytest.approx((57.0, 1.5), rel=1e-4)
    assert {"mesh st1 ring, +1 carrier", "mesh st1 sun, +1 carrier"} <= {cause.name for cause in line.causes}
    assert line.causes[0].name == "mesh st1 ring, +1 carrier"
