"""What one asks of a study, of numbers that are chosen: optimum, fronts, Harris map, table."""

import numpy as np
import pytest
import xarray as xr
from made_up_study import ERROR, RELIEF, SHAPE, STRESS, TORQUE, made_up, told

import alegear as ag
from alegear.results.designs import not_beaten
from alegear.results.study_result import study_summary
from alegear.storage.study_log import StudyLog, StudyPoint


def test_the_optimum_is_that_of_the_worst_or_of_the_mean():
    worst = made_up().optimum("te_peak_to_peak", over=[TORQUE])
    assert worst.design == {RELIEF: 5.0, SHAPE: "linear"}
    np.testing.assert_allclose([worst.worst, worst.mean], [3.0, 2.0], rtol=1e-12)
    assert worst.at_end == ()
    error = ERROR.copy()
    error[1, 2] += 3.1  # its mean becomes larger than that of the first
    mean = made_up(error).optimum(over=[TORQUE], by="mean")
    assert mean.design[RELIEF] == 0.0
    assert mean.at_end == ("relief",)
    assert "a better one may lie beyond" in str(mean)
    nominal = made_up().optimum()  # without conditions torques are designs too
    assert nominal.design == {TORQUE: 40.0, RELIEF: 0.0, SHAPE: "linear"}
    assert made_up().optimum("efficiency", over=[TORQUE], largest=True).worst == pytest.approx(1.0 - 3e-3)


def test_samples_of_tolerances_are_a_condition_always():
    best = made_up(samples=3).optimum(over=[TORQUE])
    assert best.over == ("sample", TORQUE)
    np.testing.assert_allclose([best.worst, best.mean], [3.2, 2.1], rtol=1e-12)


def test_a_design_of_which_a_point_failed_does_not_count():
    error = ERROR.copy()
    error[1, 0] = np.nan
    best = made_up(error).optimum(over=[TORQUE])
    assert best.design[RELIEF] == 10.0
    assert best.left_out == 1
    assert len(made_up(error).pareto("te_peak_to_peak", "root_stress_max", over=[TORQUE]).designs) == 2
    error[:, 0] = np.nan
    with pytest.raises(ag.Fault, match="could be computed at all points of at least one design"):
        made_up(error).optimum(over=[TORQUE])


def test_a_part_of_a_quantity_is_named_in_brackets():
    study = made_up()
    of_all, of_wheel = (study.optimum(name, over=[TORQUE]) for name in ("root_stress_max", "root_stress_max[wheel]"))
    np.testing.assert_allclose([of_all.worst, of_wheel.worst], [290.0, 0.8 * 290.0], rtol=1e-12)
    one = study.optimum("root_stress_max[wheel, compression]", over=[TORQUE])
    np.testing.assert_allclose(one.worst, 0.7 * 290.0, rtol=1e-12)


def test_the_front_has_what_no_other_design_beats():
    front = made_up().pareto("te_peak_to_peak", "root_stress_max", over=[TORQUE])
    assert [one[RELIEF] for one, best in zip(front.designs, front.best, strict=True) if best] == [5.0]
    front = made_up(ERROR - [[0.0] * 3, [0.0] * 3, [2.0] * 3]).pareto(
        "te_peak_to_peak", "root_stress_max", over=[TORQUE]
    )
    assert list(front.table()[RELIEF]) == [10.0, 5.0]  # best of the first quantity first
    listed = made_up().pareto(["te_peak_to_peak", "root_stress_max[wheel, tension]"], over=[TORQUE])
    assert len(listed.quantities) == 2
    usual = made_up().pareto(over=[TORQUE])
    assert usual.quantities[1].name == "root_stress_principal_max[tension]"
    np.testing.assert_allclose(usual.quantities[1].worst, 1.1 * STRESS.max(axis=1), rtol=1e-12)


def test_a_front_of_the_pressure_of_flanks_tells_that_of_edges():
    """A design whose flanks are hardly pressed may stand on its tip edges; it is told, and does not count."""
    study = made_up()
    error = study.dataset["te_peak_to_peak"]
    pressure = {
        "contact_pressure_max": (7e-6 - error) * 2e14,  # the noisier the less
        "edge_pressure_max": xr.where(error > 3.5e-6, 4e9, 0.0),
    }
    for name, values in pressure.items():
        pressure[name] = values.assign_attrs(units="Pa", long_name=name)
    result = ag.StudyResult(summary=study.summary, dataset=study.dataset.assign(pressure))
    front = result.pareto("te_peak_to_peak", "contact_pressure_max", over=[TORQUE], by="mean")
    table = front.table()
    assert list(table.columns)[-1] == "edge_pressure_max [MPa]"
    assert front.on_edges.tolist() == (front.values_beside[:, 0] > front.values[:, 1]).tolist()
    assert 0 < front.on_edges.sum() < len(front.designs)
    counted = result.pareto("te_peak_to_peak", "contact_pressure_max", "edge_pressure_max", over=[TORQUE], by="mean")
    assert counted.beside == ()
    assert not counted.on_edges.any()


def test_quantities_know_whether_more_of_them_is_better():
    study, key = made_up(), "relief"
    best = study.optimum("efficiency", over=[TORQUE])
    assert best.place == study.optimum("te_peak_to_peak", over=[TORQUE]).place  # the efficiency falls with the error
    assert best.worst < best.mean
    assert study.optimum("efficiency", over=[TORQUE], largest=False).place[key] != best.place[key]
    front = study.pareto("te_peak_to_peak", "efficiency", over=[TORQUE])
    assert front.best.sum() == 1
    assert study.optimum("te_mean", over=[TORQUE], largest=True).place == best.place


def test_not_beaten_against_the_definition():
    values = np.random.default_rng(1).integers(0, 5, (40, 3)).astype(float)
    expected = [not any(np.all(other <= own) and np.any(other < own) for other in values) for own in values]
    np.testing.assert_array_equal(not_beaten(values), expected)


def test_the_harris_map_is_in_the_order_of_the_torques():
    harris = made_up(samples=2).harris_map()
    np.testing.assert_array_equal(harris.torques, [40.0, 100.0, 180.0])
    np.testing.assert_allclose(harris.values, ERROR + 0.1, rtol=1e-12)  # the worst of the samples
    assert harris.best == 1
    only = made_up().harris_map(at={RELIEF: 10.0})
    assert only.at[RELIEF] == 10.0
    np.testing.assert_allclose(only.values, ERROR[2:], rtol=1e-12)


def test_the_harris_map_of_an_efficiency_shows_the_smallest_of_the_conditions():
    harris = made_up(samples=2).harris_map("efficiency")
    np.testing.assert_allclose(harris.values, 1.0 - 1e-3 * (ERROR + 0.1), rtol=1e-12)
    assert harris.best == 1  # the efficiency falls with the error
    assert harris.best_words == "highest smallest value"
    assert made_up(samples=2).harris_map("efficiency", largest=False).best != 1


def test_less_stress_on_the_compression_side_is_nearer_to_zero():
    study = made_up()
    best = study.optimum("root_stress_principal_max[compression]", over=[TORQUE])
    of_each = -1.1 * 0.9 * STRESS.max(axis=1)  # of the pinion, which has more than the wheel
    assert best.place["relief"] == int(np.argmax(of_each))
    assert best.worst == pytest.approx(of_each.max(), rel=1e-12)
    front = study.pareto("te_peak_to_peak", "root_stress_principal_max[wheel, compression]", over=[TORQUE])
    np.testing.assert_allclose(front.values[:, 1], -1.1 * 0.7 * STRESS.max(axis=1), rtol=1e-12)


def test_the_sense_of_a_quantity_is_asked_for_where_it_has_none():
    study = made_up()
    with pytest.raises(ag.Fault, match="name it in largest or in smallest"):
        study.pareto("te_mean", "te_peak_to_peak")
    first, second = (
        study.pareto("te_mean", "te_peak_to_peak", **{key: ["te_mean"]}) for key in ("largest", "smallest")
    )
    # mean and peak to peak are of one magnitude: the designs with the least of both, or no design is beaten
    np.testing.assert_array_equal(first.best, first.values[:, 1] == ERROR.min())
    assert second.best.all()
    study.dataset["te_peak_to_peak"][0] *= -1.0
    with pytest.raises(ag.Fault, match=r"it has values below 0 \(down to -6e-06\)"):
        study.optimum("te_peak_to_peak")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda s: s.optimum("te_peak_to_peek"), "quantity = 'te_peak_to_peek': must be one of te_peak_to_peak"),
        (lambda s: s.optimum("face_load_factor"), "the nearest is"),
        (lambda s: s.optimum("root_stress_max[ring]"), "ring of the quantity"),
        (lambda s: s.optimum("te_mean"), "largest, of te_mean = not given: must be given"),
        (lambda s: s.optimum(over=["torque"]), "axis = 'torque'"),
        (lambda s: s.optimum(over=TORQUE), "over = "),
        (lambda s: s.optimum(by="best"), "by = 'best'"),
        (lambda s: s.pareto("te_peak_to_peak"), "at least two"),
        (lambda s: s.pareto("te_peak_to_peak", "root_stress_max", largest=["efficiency"]), "largest = 'efficiency'"),
        (lambda s: s.pareto("te_peak_to_peak", "te_peak_to_peak"), "at least two different ones"),
        (lambda s: s.pareto(["te_peak_to_peak", 5]), "must be a list of names"),
        (lambda s: s.pareto("te_peak_to_peak", "efficiency", largest="efficiency"), "largest = 'efficiency'"),
        (lambda s: s.optimum("te_peak_to_peak", largest="yes"), "largest = 'yes': must be a bool or None"),
        (lambda s: s.to_csv("x", only="te_mean"), "only = 'te_mean': must be a list of names"),
        (lambda s: ag.load(3), "result folder = 3: must be the path"),
        (lambda s: ag.Case.from_toml(None), "case file = None: must be the path"),
        (lambda s: ag.write_report(s, 3), "report = 3: must be the path"),
        (lambda s: ag.variants_of(pinion_torque=5.0), "put a single one in brackets"),
        (lambda s: s.harris_map(torque="relief", at={"relief": 0.0}), "at = relief"),
        (lambda s: s.harris_map(at={SHAPE: "cubic"}), "must be one of linear"),
        (lambda s: s.harris_map(at={RELIEF: 9.0}), "= 9.0: must be one of 0, 5, 10; choose one"),
        (lambda s: s.harris_map("te_mean"), "largest, of te_mean = not given: must be given"),
        (lambda s: s.harris_map(largest=1), "largest = 1: must be a bool or None"),
        (lambda s: s.pareto("te_peak_to_peak", "efficiency", smallest=["x"]), "smallest = 'x'"),
        (
            lambda s: s.pareto("te_mean", "efficiency", smallest=["te_mean"], largest=["te_mean"]),
            "in one of largest and",
        ),
    ],
)
def test_what_is_not_there_is_refused_in_one_line(ask, message):
    with pytest.raises(ag.Fault) as caught:
        ask(made_up())
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_table_has_a_row_a_point_with_units():
    error = ERROR.copy()
    error[2, 2] = np.nan
    rows = made_up(error, samples=2).table()
    assert len(rows) == 18
    row = rows[(rows[RELIEF] == 5.0) & (rows[TORQUE] == 180.0)].iloc[0]
    assert row["te_peak_to_peak [um]"] == pytest.approx(3.0)
    assert row["root_stress_max[wheel, tension] [MPa]"] == pytest.approx(0.8 * 290.0)
    assert list(rows[rows["failure"] != ""][RELIEF]) == [10.0, 10.0]


def test_it_is_stored_and_read_back(tmp_path):
    study = made_up(warnings="of it")
    place = study.save(tmp_path / "study")
    assert {path.name for path in place.iterdir()} == {"about.json", "study.nc", "table.csv", "summary.json"}
    again = ag.load(place)
    assert isinstance(again, ag.StudyResult)
    assert again.dataset.identical(study.dataset)
    assert again.optimum(over=[TORQUE]).design == study.optimum(over=[TORQUE]).design
    assert again.dataset[RELIEF].attrs["units"] == "um"
    assert "3 x 3" in repr(again)


def test_an_axis_that_changes_nothing_is_warned_of():
    same = np.tile(ERROR[:1], (3, 1))
    study = made_up(same)
    assert study.summary["warnings"] == []  # the stress changes
    for name in ("root_stress_max", "root_stress_principal_max"):
        root = study.dataset[name]
        root[:] = root.isel(relief=0).values[:, :, None]
    summary = study_summary(study.dataset, [told(axis) for axis in ()], seconds=1.0, complete=True)
    assert summary["warnings"] == []
    from alegear.results.study_result import axis_warnings

    assert [one.split(":")[0] for one in axis_warnings(study.dataset, tuple(study.sizes))] == ["axis relief"]


def test_points_are_kept_one_by_one(tmp_path):
    rows = [StudyPoint({"te_mean": 0.1 + 0.2, "curve": np.array([1.0, np.nan])}), StudyPoint(None, "failed", "warned")]
    with StudyLog(tmp_path / "log", {"root_stress": True}) as log:
        for name, row in zip("ab", rows, strict=True):
            log.add(name, row)
        with pytest.raises(ag.AnalysisFailure, match="another study writes there"), StudyLog(tmp_path / "log", {}):
            pass
    path = log.path
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])  # killed in the middle of a line
    with StudyLog(tmp_path / "log", {"root_stress": True}) as log:
        assert list(log.points) == ["a"]
        assert log.points["a"].row["te_mean"] == 0.1 + 0.2  # to the last bit
        assert np.isnan(log.points["a"].row["curve"][1])
        log.add("b", rows[1])
    assert path.read_bytes() == whole
    with StudyLog(tmp_path / "log", {"root_stress": False}) as log:
        assert log.points == {}


def test_axes_are_judged_by_points_that_were_computed():
    """A point that failed is not a number: nothing that is compared with it changes, or does not."""
    from alegear.results.study_result import axis_warnings

    def warned(error):
        study = made_up(error)
        for name in ("root_stress_max", "root_stress_principal_max"):
            root = study.dataset[name]
            study.dataset[name] = root.where(root.isnull(), 1.0)
        return [one.split(":")[0] for one in axis_warnings(study.dataset, tuple(study.sizes))]

    failed = ERROR.copy()
    failed[0] = np.nan  # the first value of the relief: the others are still compared
    assert warned(failed) == []
    one_left = ERROR.copy()
    one_left[1:] = np.nan  # nothing is left to compare along it
    assert warned(one_left) == []
    same = np.tile(ERROR[:1], (3, 1))
    same[0] = np.nan
    assert warned(same) == ["axis relief"]
