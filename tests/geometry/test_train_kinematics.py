"""Trains of gears, planetary sets, clutches and freewheels: closed forms, least squares, an automatic gearbox."""

from fractions import Fraction
from functools import cache, partial
from itertools import combinations, permutations, product

import numpy as np
import pytest
from zf_4hp22 import GEARS, OVERDRIVE, RATIOS, SIMPSON, zf_4hp22

from alegear.errors import Fault
from alegear.geometry import ShaftCoupling, SpeedRow, TrainKinematics, fixed_ratio, planetary_row, speeds_over
from alegear.geometry.train_kinematics import GROUND

I0 = Fraction(-73, 35)


def brake(shaft: str) -> ShaftCoupling:
    return ShaftCoupling(name=f"brake {shaft}", shafts=(shaft, GROUND))


def one_set(*couplings: ShaftCoupling, **ends: str) -> TrainKinematics:
    row = planetary_row("p", A="sun", carrier="arm", C="ring", i0=I0)
    return TrainKinematics(rows=(row,), couplings=couplings, **{"input": "sun", "output": "arm"} | ends)


class TestTrains:
    def test_two_stages_and_a_ring(self) -> None:
        """17/43, then 19 inside 61: -43/17 * 61/19."""
        rows = (fixed_ratio("first", ("a", "b"), (17, 43)), fixed_ratio("second", ("b", "c"), (19, -61)))
        state = TrainKinematics(rows=rows, input="a", output="c").state(())
        assert state.ratio == -Fraction(43 * 61, 17 * 19)
        assert state.output_torque == -state.ratio

    @pytest.mark.parametrize(("drive", "driven"), list(permutations(("sun", "arm", "ring"), 2)))
    def test_one_held_of_a_planetary_set(self, drive: str, driven: str) -> None:
        (held,) = {"sun", "arm", "ring"} - {drive, driven}
        state = one_set(brake(held), input=drive, output=driven).state({f"brake {held}"})
        of_set = {"sun": "sun", "arm": "carrier", "ring": "ring"}
        assert state.ratio == SIMPSON.ratios[of_set[drive], of_set[driven]]
        assert state.torques[f"brake {held}"] == state.ratio - 1  # torques on a set add up to zero

    def test_set_with_two_members_on_one_shaft_turns_as_a_block(self) -> None:
        row = planetary_row("p", A="a", carrier="a", C="b", i0=I0)
        assert TrainKinematics(rows=(row,), input="a", output="b").state(()).ratio == 1

    def test_degrees_of_freedom(self) -> None:
        train = one_set(
            brake("ring"), ShaftCoupling(name="wheel", shafts=("sun", "arm"), one_way=True, always_closed=True)
        )
        assert train.degrees_of_freedom(()) == 2
        assert train.degrees_of_freedom({"brake ring"}) == 1
        assert train.degrees_of_freedom((), holding={"wheel"}) == 1
        assert train.degrees_of_freedom({"brake ring"}, holding={"wheel"}) == 0


class TestFreewheels:
    def test_holds_what_would_fall_behind(self) -> None:
        """The driving sun pushes the ring backwards: a freewheel to the ground holds it; turned round it does not."""
        holds = ShaftCoupling(name="wheel", shafts=("ring", GROUND), one_way=True, always_closed=True)
        state = one_set(holds).state(())
        assert (state.ratio, state.holding) == (1 - I0, ("wheel",))
        assert state.torques == {"wheel": -I0}
        overruns = ShaftCoupling(name="wheel", shafts=(GROUND, "ring"), one_way=True, always_closed=True)
        with pytest.raises(Fault, match="degrees of freedom = 2: must be 1"):
            one_set(overruns).state(())

    def test_does_not_hold_the_engine_that_is_driven(self) -> None:
        holds = ShaftCoupling(name="wheel", shafts=("ring", GROUND), one_way=True, always_closed=True)
        with pytest.raises(Fault, match="the freewheels overrun; close one beside them that holds one of arm, ring"):
            one_set(holds).state((), coasting=True)
        assert one_set(holds, brake("ring")).state({"brake ring"}, coasting=True).idle == ("wheel",)

    def test_in_series_with_a_clutch_acts_while_it_is_closed(self) -> None:
        train = one_set(ShaftCoupling(name="clutch", shafts=("ring", GROUND), one_way=True))
        assert train.state({"clutch"}).ratio == 1 - I0
        with pytest.raises(Fault, match="degrees of freedom"):
            train.state(())

    def test_turned_backwards_is_a_fault(self) -> None:
        wheel = ShaftCoupling(name="wheel", shafts=(GROUND, "sun"), one_way=True, always_closed=True)
        with pytest.raises(Fault, match="no freewheel is turned backwards"):
            one_set(wheel, brake("ring")).state({"brake ring"})


class TestAutomaticGearbox:
    """ZF 4HP22: published ratios, Pelchen, Schweiger, Otter (2002), figure 14."""

    @pytest.mark.parametrize(
        ("gear", "published"), [("1", 2.479), ("2", 1.479), ("3", 1.000), ("4", 0.728), ("R", -2.086)]
    )
    def test_ratios(self, gear: str, published: float) -> None:
        state = zf_4hp22().state(GEARS[gear])
        assert state.ratio == RATIOS[gear]
        assert float(state.ratio) == pytest.approx(published, abs=5.1e-4)  # last printed digit

    @pytest.mark.parametrize(
        ("gear", "holding", "overrunning"),
        [
            ("1", {"F15"}, set()),
            ("2", set(), {"F15"}),
            ("3", set(), {"F15", "C7"}),
            ("4", set(), {"F14", "F15", "C7"}),
            ("R", set(), set()),
        ],
    )
    def test_freewheels(self, gear: str, holding: set[str], overrunning: set[str]) -> None:
        """Those that hold under pull and those that overrun, as the power flow of the workshop manual says."""
        train = zf_4hp22()
        state = train.state(GEARS[gear])
        assert set(state.holding) == holding
        one_way = [c for c in train.couplings if c.one_way and (c.always_closed or c.name in GEARS[gear])]
        speeds = state.speeds | {GROUND: Fraction(0)}
        assert {c.name for c in one_way if speeds[c.shafts[0]] > speeds[c.shafts[1]]} == overrunning

    @pytest.mark.parametrize(("gear", "brakes"), [("1", False), ("2", True), ("3", True), ("4", True), ("R", True)])
    def test_engine_brakes(self, gear: str, brakes: bool) -> None:
        """First gear overruns when coasting; C8 beside its freewheel brakes."""
        train = zf_4hp22()
        if brakes:
            assert train.state(GEARS[gear], coasting=True).ratio == RATIOS[gear]
            return
        with pytest.raises(Fault, match="freewheels overrun"):
            train.state(GEARS[gear], coasting=True)
        assert train.state({*GEARS[gear], "C8"}, coasting=True).ratio == RATIOS[gear]

    def test_second_gear_by_its_freewheel(self) -> None:
        train = zf_4hp22()
        state = train.state({"C4", "C7", "C11"})
        assert (state.ratio, state.holding) == (RATIOS["2"], ("C7",))
        assert state.torques["C7"] == train.state(GEARS["2"]).torques["C6"]
        with pytest.raises(Fault, match="freewheels overrun"):
            train.state({"C4", "C7", "C11"}, coasting=True)

    @pytest.mark.parametrize("gear", GEARS)
    def test_torques_hold_every_shaft_in_balance(self, gear: str) -> None:
        """Shaft by shaft, with the torques of the sets in the proportion 1 : -i0 : i0 - 1 fitted by least squares."""
        train = zf_4hp22()
        state = train.state(GEARS[gear])
        sets = ("sun", "front carrier", "middle"), ("sun", "middle", "driven"), ("rear sun", "middle", "output")
        load = dict.fromkeys(train.shafts, 0.0)
        load["input"] += 1.0
        load["output"] += float(state.output_torque)
        for coupling in train.couplings:
            for shaft, sign in zip(coupling.shafts, (1, -1), strict=True):
                if shaft != GROUND:
                    load[shaft] += sign * float(state.torques.get(coupling.name, 0))
        columns = np.zeros((len(train.shafts), 3))
        for number, (members, i0) in enumerate(zip(sets, (SIMPSON.i0, SIMPSON.i0, OVERDRIVE.i0), strict=True)):
            for member, part in zip(members, (1.0, float(i0) - 1.0, -float(i0)), strict=True):
                columns[train.shafts.index(member), number] += part
        wanted = -np.array([load[shaft] for shaft in train.shafts])
        taken = np.linalg.lstsq(columns, wanted, rcond=None)[0]
        np.testing.assert_allclose(columns @ taken, wanted, atol=1e-14)  # round-off of torques near 1

    def test_speeds_by_a_least_squares_solve(self) -> None:
        """In floating point: rows of the sets, of the couplings that carry, and the input's speed."""
        train = zf_4hp22()
        for gear, closed in GEARS.items():
            state = train.state(closed)
            held = [c for c in train.couplings if c.name in {*state.torques}]
            rows = [r.coefficients for r in train.rows] + [{c.shafts[0]: 1, c.shafts[1]: -1} for c in held]
            matrix = [[float(row.get(shaft, 0)) for shaft in train.shafts] for row in [*rows, {"input": 1}]]
            speeds, _, rank, _ = np.linalg.lstsq(matrix, [0.0] * len(rows) + [1.0], rcond=None)
            assert rank == len(train.shafts), gear
            np.testing.assert_allclose(speeds, [float(state.speeds[s]) for s in train.shafts], atol=1e-13)  # round-off

    @pytest.mark.parametrize(
        ("closed", "words"),
        [
            ({"C4", "C5", "C6", "C11"}, "open one of C5, C6"),
            ({"C4", "C11", "C12"}, "open one of C11, C12"),
            ({"C4", "C6", "C8", "C11"}, "open one of C6, C8"),
            ({"C11"}, "degrees of freedom = 3"),
            ({"C13"}, "closed coupling = 'C13': must be one of C11, C12"),
            ({"F15"}, "closed coupling = 'F15'"),
        ],
    )
    def test_states_that_cannot_be(self, closed: set[str], words: str) -> None:
        with pytest.raises(Fault) as caught:
            zf_4hp22().state(closed)
        assert words in str(caught.value)


def test_only_this_arrangement_of_two_sets_has_the_ratios() -> None:
    """All ways to join members of p1 with members of p2, and to put C4, C5, the output and two brakes on the shafts."""
    found = []
    for joined in joinings():
        shafts = sorted(set(joined.values()))
        rows = tuple(
            planetary_row(p, A=joined[p, "sun"], carrier=joined[p, "carrier"], C=joined[p, "ring"], i0=SIMPSON.i0)
            for p in ("p1", "p2")
        )
        ratio_of = cache(partial(ratio, rows))  # the same drive and output come with several C5
        for by_C4, by_C5, output in permutations(shafts, 3):
            first = [s for s in shafts if ratio_of(by_C4, output, s) == RATIOS["1"]]
            reverse = [s for s in first if ratio_of(by_C5, output, s) == RATIOS["R"]]
            second = [s for s in shafts if ratio_of(by_C4, output, s) == RATIOS["2"]]
            found += [(by_C4, by_C5, output, *held) for held in product(reverse, second)]
    expected = ("p2 ring", "p1 sun = p2 sun", "p1 ring = p2 carrier", "p1 carrier", "p1 sun = p2 sun")
    other = ("p1 ring", "p1 sun = p2 sun", "p1 carrier = p2 ring", "p2 carrier", "p1 sun = p2 sun")
    assert sorted(found) == sorted([expected, other])  # the second is the first with p1 and p2 exchanged


def joinings() -> list[dict[tuple[str, str], str]]:
    """Member -> shaft, with one or two shafts that have members of both sets."""
    members = ("sun", "carrier", "ring")
    ways = []
    for count in (1, 2):
        for of_p1, of_p2 in product(combinations(members, count), permutations(members, count)):
            joined = {(p, m): f"{p} {m}" for p in ("p1", "p2") for m in members}
            for one, other in zip(of_p1, of_p2, strict=True):
                joined["p1", one] = joined["p2", other] = f"p1 {one} = p2 {other}"
            ways.append(joined)
    return ways


def ratio(rows: tuple[SpeedRow, ...], drive: str, output: str, held: str) -> Fraction | None:
    """Speed ratio with one shaft held; None where it is not determined."""
    try:
        train = TrainKinematics(rows=rows, couplings=(brake(held),), input=drive, output=output)
        return train.state({f"brake {held}"}).ratio
    except Fault:
        return None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: planetary_row("p", A="a", carrier="b", C="c", i0=1),
            "stationary ratio of p = 1: must be neither",
        ),
        (lambda: planetary_row("p", A="a", carrier="b", C="c", i0=-2.5), "stationary ratio of p = -2.5: must be a"),
        (
            lambda: planetary_row("p", A="a", carrier="a", C="a", i0=-2),
            "shafts that p ties = none: must be at least",
        ),
        (lambda: fixed_ratio("g", ("a", "b"), (17, 0)), "shafts that g ties = a: must be at least two"),
        (lambda: ShaftCoupling(name="c", shafts=("a", "a")), "shafts of c = ['a', 'a']: must be two that differ"),
        (lambda: one_set(brake("ring"), brake("ring")), "parts of one name = brake ring"),
        (lambda: one_set(input="shaft"), "input = 'shaft': must be one of sun, arm, ring"),
        (lambda: one_set(output="sun"), "output = sun: must be another shaft"),
    ],
)
def test_trains_that_cannot_be(make, words: str) -> None:
    with pytest.raises(Fault) as caught:
        make()
    assert words in str(caught.value)


class TestSpeedsOver:
    """Of shafts that rows tie to one of them."""

    def test_those_behind_a_free_set_are_left_out(self) -> None:
        rows = [fixed_ratio("first", ("a", "b"), (17, 43)), planetary_row("p", A="b", carrier="arm", C="ring", i0=I0)]
        assert speeds_over(rows, "a") == {"a": 1, "b": Fraction(-17, 43)}

    def test_of_a_set_whose_ring_is_held(self) -> None:
        rows = [planetary_row("p", A="sun", carrier="arm", C=GROUND, i0=I0)]
        assert speeds_over(rows, "arm") == {"arm": 1, "sun": 1 - I0}

    def test_a_train_beside_it_is_another(self) -> None:
        rows = [fixed_ratio("first", ("a", "b"), (1, 2)), fixed_ratio("other", ("c", "d"), (1, 3))]
        assert speeds_over(rows, "d") == {"c": -3, "d": 1}

    def test_two_ways_that_do_not_agree_hold_it(self) -> None:
        rows = [fixed_ratio("first", ("a", "b"), (1, 2)), fixed_ratio("second", ("a", "b"), (1, 3))]
        with pytest.raises(Fault, match="one that can turn"):
            speeds_over(rows, "a")

    def test_one_that_is_not_there(self) -> None:
        with pytest.raises(Fault, match="reference shaft = 'x': must be one of a, b"):
            speeds_over([fixed_ratio("first", ("a", "b"), (1, 2))], "x")
