"""Speeds of trains of gears and planetary sets: closed forms, an automatic gearbox."""

from fractions import Fraction
from functools import cache, partial
from itertools import combinations, permutations, product

import pytest
from zf_4hp22 import HOLDING, RATIOS, SIMPSON, joined, rows_of, set_row

from alegear.errors import Fault
from alegear.geometry import SpeedRow, fixed_ratio, speeds_over
from alegear.geometry.train_kinematics import GROUND

I0 = Fraction(-73, 35)


def test_two_stages_and_a_ring() -> None:
    """17/43, then 19 inside 61: -43/17 * 61/19."""
    rows = (fixed_ratio("first", ("a", "b"), (17, 43)), fixed_ratio("second", ("b", "c"), (19, -61)))
    assert 1 / speeds_over(rows, "a")["c"] == -Fraction(43 * 61, 17 * 19)


@pytest.mark.parametrize(("gear", "published"), [("1", 2.479), ("2", 1.479), ("3", 1.000), ("4", 0.728), ("R", -2.086)])
def test_ratios_of_an_automatic_gearbox(gear: str, published: float) -> None:
    """ZF 4HP22: published ratios, Pelchen, Schweiger, Otter (2002), figure 14."""
    ratio = 1 / speeds_over(rows_of(gear), "input")["output"]
    assert ratio == RATIOS[gear]
    assert float(ratio) == pytest.approx(published, abs=5.1e-4)  # last printed digit


def test_two_couplings_that_hold_the_input_still() -> None:
    with pytest.raises(Fault, match="one that can turn"):
        speeds_over([*rows_of("3"), joined("sun", GROUND)], "input")
    assert "C6" not in HOLDING["3"]


def test_only_this_arrangement_of_two_sets_has_the_ratios() -> None:
    """All ways to join members of p1 with members of p2, and to put C4, C5, the output and two brakes on the shafts."""
    found = []
    for joined_as in joinings():
        shafts = sorted(set(joined_as.values()))
        rows = tuple(
            set_row(p, (joined_as[p, "sun"], joined_as[p, "carrier"], joined_as[p, "ring"]), SIMPSON.i0)
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
    """Speed ratio with one shaft held; None where it is not determined, or the output stands still."""
    try:
        speed = speeds_over([*rows, joined(held, GROUND)], drive).get(output)
    except Fault:
        return None
    return 1 / speed if speed else None


@pytest.mark.parametrize(
    ("coefficients", "words"),
    [
        ({"a": 1, "b": -3.5, "c": 2.5}, "coefficient of b in p = -3.5: must be a"),
        ({}, "shafts that p ties = none: must be at least"),
        ({"a": 17, "b": 0}, "shafts that p ties = a: must be at least two"),
    ],
)
def test_rows_that_cannot_be(coefficients: dict[str, float], words: str) -> None:
    with pytest.raises(Fault) as caught:
        SpeedRow(name="p", coefficients=coefficients)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_gears_without_teeth_and_one_shaft_twice() -> None:
    for shafts, teeth in ((("a", "b"), (17, 0)), (("a", "a"), (17, 43))):
        with pytest.raises(Fault, match="shafts that g ties = a: must be at least two"):
            fixed_ratio("g", shafts, teeth)


class TestSpeedsOver:
    """Of shafts that rows tie to one of them."""

    def test_those_behind_a_free_set_are_left_out(self) -> None:
        rows = [fixed_ratio("first", ("a", "b"), (17, 43)), set_row("p", ("b", "arm", "ring"), I0)]
        assert speeds_over(rows, "a") == {"a": 1, "b": Fraction(-17, 43)}

    def test_of_a_set_whose_ring_is_held(self) -> None:
        rows = [set_row("p", ("sun", "arm", GROUND), I0)]
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
