"""Orders of machines against those counted by hand."""

from pathlib import Path

import numpy as np
import pytest
from planetary_sets import machine

import alegear as ag
from alegear.drivetrain.planar import PeriodicFactor
from alegear.errors import Fault
from alegear.geometry import MeshingTeeth
from alegear.signals.causes import SeatedBearing, characteristic_orders, tooth_meshes
from alegear.signals.spectrum import spectrum

MESHES = Path(__file__).resolve().parents[2] / "meshes"
BALLS = ag.RollerSet(rollers=9, roller_diameter=7.94e-3, pitch_diameter=39.04e-3)


def orders(found, *kinds):
    return {cause.name: cause.order for cause in (found.of_kind(*kinds) if kinds else found.causes)}


@pytest.fixture(scope="module")
def two_stages():
    return ag.case_from_file(MESHES / "two_stage_helical.toml")


@pytest.fixture(scope="module")
def planetary():
    return ag.case_from_file(MESHES / "planetary_nrel_5mw.toml")


@pytest.fixture(scope="module")
def floating():
    values = tuple((1.0 - 0.1 * np.cos(2.0 * np.pi * np.arange(16) / 16)).tolist())
    return machine(4, factor=PeriodicFactor(period=np.pi * 2e-3, values=values))


class TestTwoStages:
    """27/51 and 23/34 teeth."""

    def test_shafts(self, two_stages) -> None:
        found = orders(characteristic_orders(two_stages, "input", harmonics=1), "shaft")
        assert found == pytest.approx(
            {
                "rotation of input": 1.0,
                "rotation of middle": 27.0 / 51.0,
                "rotation of output": 27.0 / 51.0 * 23.0 / 34.0,
            },
            rel=1e-14,
        )

    def test_more_harmonics_of_one_shaft(self, two_stages) -> None:
        found = characteristic_orders(two_stages, "input", harmonics=1, shaft_harmonics={"middle": 40})
        names = [cause.name for cause in found.of_kind("shaft")]
        assert len(names) == 42
        assert orders(found)["rotation of middle x40"] == pytest.approx(40.0 * 27.0 / 51.0, rel=1e-14)

    def test_over_another_shaft(self, two_stages) -> None:
        found = orders(characteristic_orders(two_stages, "output", harmonics=1), "mesh")
        assert found == pytest.approx({"mesh first": 27.0 * 51.0 / 27.0 * 34.0 / 23.0, "mesh second": 34.0}, rel=1e-14)

    def test_meshes_with_harmonics_and_sidebands(self, two_stages) -> None:
        found = orders(characteristic_orders(two_stages, "input", harmonics=2, sidebands=2))
        assert found["mesh first x2"] == pytest.approx(54.0, rel=1e-14)
        assert found["mesh first, -1 input"] == pytest.approx(26.0, rel=1e-14)
        assert found["mesh first x2, +2 middle"] == pytest.approx(54.0 + 2.0 * 27.0 / 51.0, rel=1e-14)
        assert found["mesh second, +1 output"] == pytest.approx(27.0 / 51.0 * (23.0 + 23.0 / 34.0), rel=1e-14)

    def test_same_teeth_meet(self, two_stages) -> None:
        """27 and 51 have the divisor 3: in 17 turns of the pinion; 23 and 34 have none: in 34 of the second."""
        found = orders(characteristic_orders(two_stages, "input"), "hunting tooth")
        assert found["same teeth in first"] == pytest.approx(1.0 / 17.0, rel=1e-14)
        assert found["same teeth in second"] == pytest.approx(27.0 / 51.0 / 34.0, rel=1e-14)

    def test_bearing_between_two_shafts(self, two_stages) -> None:
        """Its inner ring on the output, its outer one in the middle shaft, which turns the other way."""
        bearing = SeatedBearing(name="b", rollers=BALLS, inner="output", outer="middle")
        found = orders(characteristic_orders(two_stages, "input", bearings=[bearing], harmonics=1), "bearing")
        g, middle, output = 7.94 / 39.04, -27.0 / 51.0, 27.0 / 51.0 * 23.0 / 34.0
        assert found["outer ring of b"] == pytest.approx(4.5 * (output - middle) * (1.0 - g), rel=1e-12)
        assert found["inner ring of b"] == pytest.approx(4.5 * (output - middle) * (1.0 + g), rel=1e-12)
        assert found["cage of b"] == pytest.approx(abs(0.5 * (output * (1.0 - g) + middle * (1.0 + g))), rel=1e-12)

    def test_an_inner_ring_under_a_load_that_stands_has_sidebands_an_outer_one_that_stands_none(
        self, two_stages
    ) -> None:
        bearing = SeatedBearing(name="b", rollers=BALLS, inner="input")
        found = orders(characteristic_orders(two_stages, "input", bearings=[bearing]), "sideband")
        assert found["inner ring of b, -1 input"] == pytest.approx(5.41517 - 1.0, rel=1e-4)
        assert "roller of b, +1 cage" in found
        assert not any(name.startswith("outer ring") for name in found)

    def test_bearings_of_the_machine_that_roll(self, two_stages) -> None:
        """One against the ground, one between two shafts."""
        from dataclasses import replace

        size = {"count": 9, "diameter": 10e-3, "pitch_diameter": 60e-3}
        first, second, *others = two_stages.bearings
        assert (first.to, second.to) == ("ground", "output")
        rolling = [
            ag.BallBearing(name=one.name, shaft=one.shaft, at=one.at, to=one.to, to_at=one.to_at, **size)
            for one in (first, second)
        ]
        case = replace(two_stages, bearings=(*rolling, *others))
        found = orders(characteristic_orders(case, "input", harmonics=1), "bearing")
        output = 27.0 / 51.0 * 23.0 / 34.0
        assert found[f"outer ring of {first.name}"] == pytest.approx(4.5 * 5.0 / 6.0, rel=1e-12)
        assert found[f"inner ring of {second.name}"] == pytest.approx(4.5 * (1.0 - output) * 7.0 / 6.0, rel=1e-12)
        assert len(found) == 8

    @pytest.mark.parametrize("direction", [1.0, -1.0])
    def test_rings_turn_in_space_whatever_directions_shafts_have(self, direction) -> None:
        """Two gears in mesh, 20/30: a bearing between their shafts sees 1 + 2/3 turns."""
        m = ag.Machine("two gears")
        m.add("in", ag.Shaft(fixed_axis=True))
        m.add("out", ag.Shaft(fixed_axis=True, position=(0.1, 0.0, 0.0), direction=(0.0, 0.0, direction)))
        m.add("pinion", ag.ShaftGear(gear=ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35e-3), shaft="in", at=0.0))
        m.add("wheel", ag.ShaftGear(gear=ag.Gear(z=30, m_n=4e-3, b=30e-3, bore_diameter=54e-3), shaft="out", at=0.0))
        m.mesh("first", "pinion", "wheel", fidelity="rigid")
        m.add("motor", ag.Drive(shaft="in", speed=100.0))
        m.add("brake", ag.TorqueLoad(shaft="out", torque=300.0))
        bearing = SeatedBearing(name="b", rollers=BALLS, inner="in", outer="out")
        found = orders(characteristic_orders(m.case(), "in", bearings=[bearing]))
        assert found["outer ring of b"] == pytest.approx(4.5 * (5.0 / 3.0) * (1.0 - 7.94 / 39.04), rel=1e-12)

    def test_every_order_is_positive_and_they_rise(self, two_stages) -> None:
        found = [cause.order for cause in characteristic_orders(two_stages, "input", sidebands=30).causes]
        assert found == sorted(found)
        assert found[0] > 0.0


class TestPlanetary:
    """19/17/56 teeth, three planets, ring held; in turns of the carrier."""

    def test_speeds(self, planetary) -> None:
        found = characteristic_orders(planetary, "carrier").speeds
        assert found["sun"] == pytest.approx(1.0 + 56.0 / 19.0, rel=1e-14)
        assert found["st1 planet 2"] == pytest.approx(1.0 - 56.0 / 17.0, rel=1e-14)

    def test_meshes_of_sun_and_ring_are_one(self, planetary) -> None:
        found = orders(characteristic_orders(planetary, "carrier", harmonics=1), "mesh")
        assert found == pytest.approx({"mesh st1 sun": 56.0, "mesh st1 ring": 56.0}, rel=1e-14)

    def test_planets_pass_and_the_carrier_modulates(self, planetary) -> None:
        found = orders(characteristic_orders(planetary, "carrier"))
        assert found["planets on carrier pass"] == pytest.approx(3.0, rel=1e-14)
        assert found["mesh st1 ring, +1 carrier"] == pytest.approx(57.0, rel=1e-14)
        assert found["mesh st1 ring, -2 planets on carrier pass"] == pytest.approx(50.0, rel=1e-14)

    def test_damaged_teeth(self, planetary) -> None:
        """Of the sun: 3 (n_s - n_c); of the ring: 3 n_c; of a planet, with each gear: n_c - n_p."""
        found = orders(characteristic_orders(planetary, "carrier", harmonics=1), "tooth")
        assert found["a tooth of sun in st1 sun"] == pytest.approx(3.0 * 56.0 / 19.0, rel=1e-14)
        assert found["a tooth of the ring in st1 ring"] == pytest.approx(3.0, rel=1e-14)
        assert found["a tooth of st1 planet 1 in st1 sun"] == pytest.approx(56.0 / 17.0, rel=1e-14)
        assert found["a tooth of st1 planet 1 in st1 ring"] == pytest.approx(56.0 / 17.0, rel=1e-14)

    def test_over_the_sun(self, planetary) -> None:
        found = orders(characteristic_orders(planetary, "sun", harmonics=1), "mesh")
        assert found["mesh st1 sun"] == pytest.approx(56.0 / (1.0 + 56.0 / 19.0), rel=1e-14)


class TestParts:
    def machine(self):
        m = ag.Machine("a chain")
        m.add("motor", ag.Rotor1D(inertia=1.0))
        m.add("middle", ag.Rotor1D(inertia=1.0))
        m.add("drum", ag.Rotor1D(inertia=1.0))
        m.add("loose", ag.Rotor1D(inertia=1.0))
        m.add("coupling", ag.Spring(between=("motor", "middle"), stiffness=1e3))
        m.add("gear", ag.RatioGear(between=("middle", "drum"), ratio=-2.5))
        m.add("damper", ag.Spring(between=("drum", "loose"), damping=1.0))
        return m

    def test_springs_hold_and_dampers_do_not(self) -> None:
        case = self.machine().case(ag.RotationalMotion(duration=1.0))
        found = characteristic_orders(case, "motor", meshes=[MeshingTeeth("gear", ("middle", "drum"), (20, 50))])
        assert found.speeds == pytest.approx({"motor": 1.0, "middle": 1.0, "drum": -0.4}, rel=1e-14)
        assert orders(found)["mesh gear"] == pytest.approx(20.0, rel=1e-14)
        assert orders(found)["rotation of middle, motor"] == 1.0

    def test_an_open_clutch_does_not_hold_and_measured_speeds_tell(self) -> None:
        m = self.machine()
        m.add("behind", ag.Rotor1D(inertia=1.0))
        m.add("clutch", ag.Clutch(between=("drum", "behind"), normal_force=10.0, signal=0.0))
        case = m.case(ag.RotationalMotion(duration=1.0))
        assert "behind" not in characteristic_orders(case, "motor").speeds
        told = characteristic_orders(case, "motor", speeds={"motor": 50.0, "behind": -7.0})
        assert told.speeds == {"motor": 1.0, "behind": -0.14}

    def test_an_elastic_mesh_rolls(self) -> None:
        from alegear.drivetrain.planar import LinearSpring, MeshAverages

        m = ag.Machine("two gears")
        m.add("A", ag.Rotor1D(inertia=1.0))
        m.add("B", ag.Rotor1D(inertia=1.0))
        averages = MeshAverages.from_radii(r_A=10e-3, r_B=30e-3, r_aA=11e-3, r_aB=31e-3, alpha=0.35)
        m.add("teeth", ag.ElasticMesh(gears=("A", "B"), averages=averages, spring=LinearSpring(c=2e8)))
        found = characteristic_orders(m.case(ag.RotationalMotion(duration=1.0)), "A")
        assert found.speeds == pytest.approx({"A": 1.0, "B": -1.0 / 3.0}, rel=1e-14)
        assert found.of_kind("mesh") == ()
        with pytest.raises(Fault, match=r"ratio of the teeth of mesh ElasticMesh = 2.5: must be 3, that of"):
            m.add("toothed", ag.ElasticMesh(gears=("A", "B"), averages=averages, teeth=(20, 50)))
        with pytest.raises(Fault, match="teeth of mesh ElasticMesh"):
            m.add("toothed", ag.ElasticMesh(gears=("A", "B"), averages=averages, teeth=(20, 60.0)))

    def test_an_elastic_mesh_with_teeth_is_heard(self) -> None:
        """A file gives them in place of radii; 20 in 60 with a ring, and on a carrier that turns with it."""
        from alegear.drivetrain.planar import MeshAverages
        from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh

        averages = MeshAverages.from_radii(r_A=10e-3, r_B=-30e-3, r_aA=11e-3, r_aB=-29.5e-3, alpha=0.35)
        mesh = ElasticMesh(name="ring", gears=("A", "B"), averages=averages, carrier="arm", teeth=(20, -60))
        (row,), (teeth,) = mesh.speed_rows, mesh.tooth_meshes
        # omega_A - omega_arm = 3 (omega_B - omega_arm)
        assert dict(row.coefficients) == {"A": 1, "arm": 2, "B": -3}
        assert teeth.frequency({"A": 4.0, "B": 2.0, "arm": 1.0}) == 60.0

    def test_a_ravigneaux_set(self) -> None:
        """Suns 30 and 36, planets 16 and 17, ring 70, carrier held: second sun 36 and ring 70 of the second planet."""
        m = ag.Machine("Ravigneaux")
        for name in ("s1", "s2", "r"):
            m.add(name, ag.Rotor1D(inertia=1.0))
        teeth = ag.PlanetaryTeeth(sun=30, second_sun=36, planets=(16, 17), ring=70, n_planets=2)
        m.add(
            "set",
            ag.PlanetaryGearSet(
                teeth=teeth, carrier="ground", sun="s1", second_sun="s2", ring="r", planet_inertia=(0.1, 0.1)
            ),
        )
        case = m.case(ag.RotationalMotion(duration=1.0))
        found = characteristic_orders(case, "r", harmonics=1)
        assert found.speeds == pytest.approx(
            {
                "r": 1.0,
                "s2": -70.0 / 36.0,
                "set planet_2": 70.0 / 17.0,
                "set planet_1": -70.0 / 16.0,
                "s1": 70.0 / 30.0,
            },
            rel=1e-14,
        )
        assert orders(found, "mesh") == pytest.approx(dict.fromkeys((
            "mesh set sun", "mesh set second sun", "mesh set ring", "mesh set between planets"), 70.0), rel=1e-14
        )  # fmt: skip
        assert {mesh.name: abs(mesh.teeth[0] * mesh.teeth[1]) for mesh in tooth_meshes(case)} == {
            "set sun": 30 * 16, "set second sun": 36 * 17, "set ring": 70 * 17, "set between planets": 16 * 17
        }  # fmt: skip


class TestRefused:
    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"reference": "nobody"}, "reference shaft = .nobody.: must be one of input, middle, output"),
            ({"harmonics": 0}, "harmonics = 0: must be a whole number from 1 to 1000"),
            ({"sidebands": -1}, "sidebands"),
            ({"shaft_harmonics": {"input": 0}}, "shaft_harmonics of input = 0"),
            ({"shaft_harmonics": {"axle": 5}}, "shaft of shaft_harmonics = 'axle'"),
            ({"speeds": {"input": 0.0}}, "other than 0"),
            ({"speeds": {"other": 1.0}}, "must be one of other"),
            ({"bearings": [SeatedBearing(name="b", rollers=BALLS, inner="axle")]}, "inner ring of bearing b = 'axle'"),
        ],
    )
    def test_by_name(self, two_stages, given, message) -> None:
        with pytest.raises(Fault, match=message):
            characteristic_orders(two_stages, **{"reference": "input", **given})

    def test_bearing_on_one_shaft(self) -> None:
        with pytest.raises(Fault, match="both on input"):
            SeatedBearing(name="b", rollers=BALLS, inner="input", outer="input")

    def test_a_shaft_that_is_held(self) -> None:
        m = ag.Machine("held")
        m.add("a", ag.Rotor1D(inertia=1.0))
        m.add("b", ag.Rotor1D(inertia=1.0))
        m.add("mount", ag.Spring(between=("a", "ground"), stiffness=1.0))
        m.add("gear", ag.RatioGear(between=("a", "b"), ratio=2.0))
        with pytest.raises(Fault, match="one that can turn"):
            characteristic_orders(m.case(ag.RotationalMotion(duration=1.0)), "b")


class TestPlanetsOnPins:
    """27/35/97 teeth, four planets on pins, the ring on a torque arm: 27 (1 - 27/124) teeth a turn of the sun."""

    CARRIER = 27.0 / 124.0

    def test_orders(self, floating) -> None:
        found = characteristic_orders(floating.case(), "sun", harmonics=1, sidebands=1)
        mesh = 27.0 * (1.0 - self.CARRIER)
        assert orders(found, "mesh") == pytest.approx({"mesh set sun": mesh, "mesh set ring": mesh}, rel=1e-12)
        assert orders(found, "planet pass") == pytest.approx({"planets on carrier pass": 4.0 * self.CARRIER}, rel=1e-12)
        assert orders(found, "shaft")["rotation of carrier"] == pytest.approx(self.CARRIER, rel=1e-12)
        told = orders(found, "tooth", "sideband")
        assert told["a tooth of ring in set ring"] == pytest.approx(4.0 * self.CARRIER, rel=1e-12)
        assert told["mesh set ring, +1 carrier"] == pytest.approx(mesh + self.CARRIER, rel=1e-12)

    @pytest.mark.thorough  # orders and sidebands: above
    def test_a_bearing_hears_sidebands_by_the_carrier_a_planet_the_mesh(self, floating) -> None:
        """Equilibria over a turn of the carrier: 97 teeth are one more than a multiple of 4.

        With equal planets a point that stands hears orders of the carrier that are multiples of 4: 96 = 97 - 1.
        """
        data = floating.static(positions_per_pitch=4, pitches=97).dataset
        turns = data["drive_angle"].to_numpy() / (2.0 * np.pi)
        causes = characteristic_orders(floating.case(), "sun", harmonics=1, sidebands=1)

        def heard(values):
            signal = ag.Signal(name="f", units="N", values=values, step=float(turns[1] - turns[0]), over="turns")
            found = spectrum(signal, window="boxcar")
            return ag.mark(found, causes, tolerance=0.25 * self.CARRIER, most=1)[0]

        on_ring = heard(data["bearing_force"].sel(bearing="ring bearing", axis="x").to_numpy())
        assert on_ring.x == pytest.approx(96.0 * self.CARRIER, rel=1e-6)
        assert {cause.name for cause in on_ring.causes} >= {"mesh set ring, -1 carrier", "mesh set sun, -1 carrier"}
        of_planet = heard(data["planet_mesh_force"][:, 0].to_numpy())
        assert of_planet.x == pytest.approx(97.0 * self.CARRIER, rel=1e-6)
        assert {cause.name for cause in of_planet.causes} == {"mesh set sun", "mesh set ring"}
