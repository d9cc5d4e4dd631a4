"""Case files of machines: what is taken, and how each fault is refused."""

from __future__ import annotations

import contextlib
import copy
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_machines import flexible, gear, idler, one_stage

from alegear import cli
from alegear.case.faults import CaseFaults
from alegear.case.from_file import case_from_file
from alegear.case.machine import MachineCase
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.laws.flexible import Flexible
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.shaft import Shaft
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.system.beam import Beam, HollowCircle

MESHES = Path(__file__).resolve().parents[2] / "meshes"
IDLER, STAGES = (MESHES / name for name in ("idler_3_gears.toml", "two_stage_helical.toml"))
LEAVE_OUT = object()


def edited(path: Path, **changes) -> dict:
    """The tables of a file with other values; a key is its way through the tables, with double underscores."""
    tables = copy.deepcopy(tomllib.loads(path.read_text(encoding="utf-8")))
    for way, value in changes.items():
        *above, key = way.split("__")
        table = tables
        for name in above:
            table = table.setdefault(name, {})
        if value is LEAVE_OUT:
            del table[key]
        else:
            table[key] = value
    return tables


def messages(path: Path, **changes) -> list[str]:
    with pytest.raises(CaseFaults) as refused:
        MachineCase.from_tables(edited(path, **changes), path)
    return str(refused.value).splitlines()


@pytest.mark.parametrize("path", [IDLER, STAGES])
def test_delivered_cases_are_taken(path):
    case = case_from_file(path)
    assert isinstance(case, MachineCase)
    assert len(case.layout.phases) == 2


def test_two_stages_are_those_of_the_drawing():
    case = case_from_file(STAGES)
    assert case.layout.ratio == pytest.approx({"input": 1.0, "middle": -27 / 51, "output": 27 / 51 * 23 / 34})
    assert [place.pair.a_w for place in case.layout.meshes] == pytest.approx([190e-3, 190e-3])
    assert case.layout.torque["machine"] == pytest.approx(400.0 * 51 / 27 * 34 / 23)


def test_a_file_and_python_say_the_same():
    case = case_from_file(IDLER)
    again = MachineCase(
        title=case.title,
        shafts=case.shafts,
        gears=case.gears,
        meshes=case.meshes,
        drives=case.drives,
        loads=case.loads,
        analysis=case.analysis,
    )
    assert again.sha256 == case.sha256


#: What is changed -> words of the one line that refuses it: names, value, limit, remedy.
REFUSED = {
    "no hinge": (
        IDLER,
        {"shafts__idler__fixed_axis": False, "shafts__idler__sections_mm": [[30.0, 20.0, 0.0]]},
        "what holds shaft idler = nothing: must be bearings or a fixed axis; add bearings, or write fixed_axis = true",
    ),
    "faces apart": (IDLER, {"gears__idler_gear__at_mm": 40.0}, "mesh first: common face width [mm] = -10.0"),
    "axes": (
        STAGES,
        {"shafts__middle__direction": [1.0, 0.01, 0.0]},
        "angle [deg] between shafts input and middle of mesh first = 0.572939: must be 0: parallel axes",
    ),
    "unknown fidelity": (IDLER, {"machine__fidelity": "foo"}, 'machine.fidelity = "foo": must be one of "elastic"'),
    "no loads": (IDLER, {"loads": LEAVE_OUT}, "loads of the machine = 0: must be at least 1; add [loads.name]"),
    "torque twice": (
        IDLER,
        {"drives__motor__torque_Nm": 400.0},
        "torque [N m] of drive motor = 400.0: must be left out: the loads make it",
    ),
    "torque nowhere": (
        STAGES,
        {"drives__motor__torque_Nm": LEAVE_OUT},
        "torque [N m] of drive motor = not given: must be given where a load balances the drive; give torque_Nm of",
    ),
    "two drives": (
        IDLER,
        {"drives__other": {"shaft": "output"}},
        'drives of one train = "motor" and "other": must be one; remove drive "other", or make it a load',
    ),
    "two names": (
        IDLER,
        {"shafts__wheel": {"fixed_axis": True, "position_mm": [500.0, 0.0, 0.0]}},
        'name of a gear = "wheel": must be one that nothing else has (the shaft has it); rename it',
    ),
    "bearing on itself": (STAGES, {"bearings__pilot__to": "input"}, 'bearings.pilot.to = "input"', "two parts"),
    "mesh with itself": (IDLER, {"meshes__first__gears": ["pinion", "pinion"]}, '"pinion" twice must be two gears'),
    "gear in no mesh": (IDLER, {"meshes__second": LEAVE_OUT}, "[gears.wheel] = in no mesh"),
    "unknown shaft": (
        IDLER,
        {"gears__wheel__shaft": "outputt"},
        'shaft of gear wheel = "outputt": must be one that there is; name one of "input", "idler", "output"',
    ),
    "module": (
        IDLER,
        {"meshes__second__normal_module_mm": 4.5},
        "meshes.second.normal_module_mm = 4.5: must be that of mesh first, which has gear idler_gear too; correct",
    ),
    "hand": (
        IDLER,
        {"meshes__first__helix_angle_deg": 10.0, "meshes__second__helix_angle_deg": 10.0},
        "meshes.second.helix_angle_deg = 10.0",
        "of the other sign",
    ),
    "centre distance": (
        IDLER,
        {"shafts__idler__position_mm": [90.0, 0.0, 0.0]},
        "mesh first: centre distance [mm] = 90.0: must be above 93.9693",
        "correct the distance of the shafts (position_mm)",
    ),
    "locked": (
        IDLER,
        {"meshes__third": {"gears": ["pinion", "wheel"], "normal_module_mm": 4.0}},
        "locks the train",
    ),
    "same gears": (
        IDLER,
        {"meshes__third": {"gears": ["idler_gear", "pinion"], "normal_module_mm": 4.0}},
        "gears of mesh third = those of mesh first: must be one mesh for two gears",
    ),
    "bearing beyond": (STAGES, {"bearings__pilot__at_mm": 500.0}, "shaft input [mm] = 500.0: must be from 0 to 190"),
    "load beyond": (STAGES, {"loads__machine__at_mm": 1700.0}, "shaft output [mm] = 1700.0: must be from 0 to 223"),
    "bearing apart": (STAGES, {"bearings__pilot__to_at_mm": 20.0}, "bearing pilot, input@175mm and output@20mm"),
    "held by nothing": (
        STAGES,
        {f"bearings__middle_{side}__stiffness_N_per_m": [8e8, 8e8, 0] for side in ("left", "right")},
        "what holds the z of middle@0mm = nothing: must be bearings; add a bearing, or give one stiffness against it",
    ),
    "fine shaft": (
        STAGES,
        {"shafts__input__longest_element_mm": 0.001},
        "nodes of shaft input = 190001: must be at most 500; raise longest_element_mm",
    ),
    "element": (STAGES, {"shafts__input__longest_element_mm": 1e-9}, "longest_element_mm = 1e-09: must be at least"),
    "element of a hinge": (
        IDLER,
        {"shafts__input__longest_element_mm": 5.0},
        "shafts.input.longest_element_mm = 5.0: must be left out with fixed_axis = true; leave it out, or "
        "fixed_axis = true",
    ),
    "modes of a rigid shaft": (
        STAGES,
        {"shafts__input__rigid": True, "shafts__input__highest_mode_Hz": 100.0},
        "shafts.input.highest_mode_Hz = 100.0: must be left out with rigid = true; leave it out, or rigid = true",
    ),
    "far direction": (IDLER, {"shafts__input__direction": [0, 0, 1e300]}, "must be from 1e-09 to 1e+09; give x, y, z"),
    "speeds of both signs": (
        IDLER,
        {"drives__motor": {"shaft": "input", "speed_table_s_rpm": [[0.0, -100.0], [1.0, 100.0]]}},
        "speeds [rpm] of drive motor = -100 to 100 must be of one sign, not all 0",
    ),
    "speed twice": (
        IDLER,
        {"drives__motor__speed_table_s_rpm": [[0.0, 50.0], [1.0, 100.0]]},
        "drives.motor.speed_rpm = 1500.0: must be left out with a table of speeds",
    ),
    "times": (
        IDLER,
        {"loads__machine": {"shaft": "output", "torque_table_s_Nm": [[0.0, 5.0], [2.0, 5.0], [1.0, 5.0]]}},
        "time [s] of torque_table_s_Nm of machine after 2 = 1.0 must be later; put the points in order",
    ),
    "long number": (IDLER, {"meshes__first__window_pairs": 10**5000}, "window_pairs = a number of 16610 bits"),
    "key of a listed table": (
        IDLER,
        {"meshes__first__damaged_teeth": [{"gear": "wheel"}]},
        "meshes.first.damaged_teeth[0].tooth = (missing): the key is needed; give the number of the tooth",
    ),
    "no points": (
        IDLER,
        {"machine__fidelity": "rigid", "output": {"points": [{"gear": "wheel", "fillet_share": 0.5}]}},
        'output.points[0].gear = "wheel": must be a gear in a flexible mesh; there is none: leave out the point',
    ),
    "soft the wrong way": (STAGES, {"bearings__pilot__stiffness_N_per_m": [-1.0, 1.0, 1.0]}, "of bearing pilot"),
    "key of a gear": (IDLER, {"shafts__input__teeth": 20}, "shafts.input.teeth = 20", "teeth belongs to [gears.name]"),
    "key of a mesh": (IDLER, {"gears__wheel__normal_module_mm": 4.0}, "normal_module_mm belongs to [meshes.name]"),
    "key of a drive": (IDLER, {"loads__machine__speed_rpm": 4.0}, "speed_rpm belongs to [drives.name]"),
    "key of a bearing": (
        IDLER,
        {"shafts__input__tilt_stiffness_Nm_per_rad": [1, 2]},
        "belongs to [bearings.name]",
    ),
    "key of several": (
        IDLER,
        {"shafts__input__stiffness_N_per_m": [1, 2, 3]},
        "belongs to [meshes.name] or [bearings.name]",
    ),
    "pair": (IDLER, {"pair": {"normal_module_mm": 4.0}}, "[pair] = {table}: is of a case of", "[meshes.name]"),
    "heading": (IDLER, {"bearing": {"a": {}}}, "bearing = {table}: no such key; the nearest key is bearings"),
    "gears without names": (IDLER, {"gears": {"shaft": "input"}}, "[gears] = {table}: must be", "[gears.name]"),
    "kind": (IDLER, {"analysis__kind": "swept"}, '= "swept": must be "static" or "dynamic" or "sweep" or "modal"'),
    "no torque": (IDLER, {"loads__machine__torque_Nm": 0.0}, "that mesh first carries = 0.0: must be not 0"),
    "no effect": (
        IDLER,
        {"meshes__first__fidelity": "rigid", "meshes__first__slices": 4},
        'it has no effect with fidelity = "rigid"',
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_each_fault_is_one_line_with_names_value_limit_remedy(what):
    path, changes, *words = REFUSED[what]
    line, *others = messages(path, **changes)
    assert bool(others) == (what == "no torque")  # no mesh carries any
    for word in words:
        assert word in line
    assert line.startswith(f"{path}: ")
    assert ";" in line  # a remedy follows


def test_faults_of_several_parts_are_told_together():
    lines = messages(IDLER, shafts__input__fixed_axis=3, loads__machine__torque_Nm="much", gears__wheel__teeth=2)
    assert len(lines) == 3


def test_a_gear_that_no_table_defines_is_named():
    lines = messages(IDLER, meshes__second__gears=["idler_gear", "weel"])
    assert any('meshes.second.gears = "weel": no such gear; name two of "pinion"' in line for line in lines)


def test_a_matrix_in_the_wrong_unit_is_refused(tmp_path):
    """Displacements in millimetres beside turns in radians: a rigid motion gives forces."""
    case, K = tmp_path / "case.toml", np.zeros((12, 12))
    # a bar of two points 1 m apart that knows rigid motions in metres
    for a in range(3):
        K[a, a] = K[6 + a, 6 + a] = 1e8
        K[a, 6 + a] = K[6 + a, a] = -1e8
    text = ["[points]", "left 0 0 0", "right 1000 0 0", "[stiffness]"]
    (tmp_path / "housing.txt").write_text("\n".join([*text, *(" ".join(map(str, row)) for row in K)]), encoding="utf-8")
    tables = edited(STAGES, housings__house={"file": "housing.txt", "fixed": ["left"]})
    with pytest.raises(CaseFaults) as refused:
        MachineCase.from_tables(tables, case)
    (line,) = str(refused.value).splitlines()
    assert "housings.house" in line


NODES = {"left": {"node": 100, "position_mm": [10, 0, 0]}, "right": {"node": 101, "position_mm": [10, 0, 400]}}


def housing_tables(folder, in_mm: bool = True, **changes) -> dict:
    """Two points on a wall: a beam between them, and nothing else; written in N, mm, t or N, m, kg."""
    bar = Beam.of(0.4, HollowCircle(outer=0.08, inner=0.0), Material())
    K, M = bar.rows.T @ bar.stiffness @ bar.rows, bar.mass
    factor = np.tile(np.repeat([1.0, 1e3], 3), 2) if in_mm else np.ones(12)  # turns of K in N mm
    scale = np.outer(factor, factor) * (1e-3 if in_mm else 1.0)
    for name, matrix in (("stiff", K * scale), ("mass", M * scale)):
        entries = [
            f"{100 + i // 6},{i % 6 + 1},{100 + j // 6},{j % 6 + 1},{matrix[i, j]:.15e}"
            for i in range(12)
            for j in range(i + 1)
        ]
        (folder / f"{name}.mtx").write_text("\n".join(entries), encoding="utf-8")
    house = {"file": "stiff.mtx", "mass_file": "mass.mtx", "units": "N mm t", "nodes": NODES, "fixed": ["left"]}
    house |= changes
    return edited(STAGES, housings__house={key: value for key, value in house.items() if value is not LEAVE_OUT})


def test_an_mtx_in_millimetres_is_the_same_housing_in_metres(tmp_path):
    in_mm, in_m = tmp_path / "mm", tmp_path / "m"
    in_mm.mkdir()
    in_m.mkdir()
    of_mm = MachineCase.from_tables(housing_tables(in_mm), in_mm / "case.toml").housings[0]
    of_m = MachineCase.from_tables(housing_tables(in_m, in_mm=False, units="N m kg"), in_m / "case.toml").housings[0]
    assert of_mm.stiffness == pytest.approx(of_m.stiffness, rel=1e-9, abs=1e-9 * of_m.stiffness.max())
    assert of_mm.mass == pytest.approx(of_m.mass, rel=1e-12, abs=1e-12 * of_m.mass.max())
    # a bar of steel along z: E A / L, and its mass
    area = np.pi / 4.0 * 0.08**2
    assert of_mm.stiffness[2, 2] == pytest.approx(Material().E * area / 0.4, rel=1e-9)
    assert of_mm.rigid_motions()[:, 0] @ of_mm.mass @ of_mm.rigid_motions()[:, 0] == pytest.approx(
        Material().rho * area * 0.4, rel=1e-9
    )
    assert of_mm.points["right"] == pytest.approx([0.01, 0.0, 0.4])
    assert of_mm.fixed == ("left",)


@pytest.mark.parametrize(
    ("in_mm", "changes", "message"),
    [
        (False, {}, 'give units "N m kg"'),
        (True, {"units": "N m kg"}, 'give units "N mm t"'),
        (True, {"units": LEAVE_OUT}, "housings.house.units = (missing): is needed: an .mtx does not say"),
        (True, {"units": "N mm kg"}, "housings.house.units"),
        (True, {"nodes": LEAVE_OUT}, "add [housings.house.nodes.POINT]"),
        (True, {"nodes": {"left": {"node": 100}}}, "housings.house.nodes.left.position_mm"),
        (True, {"nodes": {"left": NODES["left"]}}, "node of stiff.mtx = 101"),
        (True, {"file": "house.txt"}, "housings.house.nodes = given: is a key of an .mtx"),
        (True, {"mass_file": "none.mtx"}, "none.mtx"),
    ],
)
def test_an_mtx_that_says_too_little_or_the_wrong_is_refused(tmp_path, in_mm, changes, message):
    with pytest.raises(CaseFaults) as refused:
        MachineCase.from_tables(housing_tables(tmp_path, in_mm, **changes), tmp_path / "case.toml")
    (line,) = str(refused.value).splitlines()
    assert message in line
    assert "house" in line


def test_the_command_refuses_with_exit_code_2_and_writes_nothing(tmp_path, capsys):
    text = IDLER.read_text(encoding="utf-8").replace('shaft     = "output"\ntorque', 'shaft     = "outpt"\ntorque')
    case, out = tmp_path / "case.toml", tmp_path / "out"
    case.write_text(text, encoding="utf-8")
    assert cli.main(["run", str(case), "--out", str(out)]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1
    assert 'shaft of load machine = "outpt"' in said[0]
    assert not out.exists()


# ------------------------------------------------------------------------- from Python
FROM_PYTHON = {
    "what holds shaft s1": lambda: idler(shafts=(*idler().shafts[::2], Shaft(name="s1", sections=[[0.1, 0.02, 0.0]]))),
    "name of a gear": lambda: idler(shafts=(*idler().shafts, Shaft(name="g0", fixed_axis=True))),
    "what bearing b connects": lambda: Bearing(name="b", shaft="in", at=0.0, to="in", to_at=0.1, stiffness=(1e8,) * 3),
    "position along the shaft (Bearing.at)": lambda: Bearing(name="b", shaft="in", at="x", stiffness=(1e8,) * 3),
    "Bearing.to": lambda: Bearing(name="b", shaft="in", at=0.0, to=3, stiffness=(1e8,) * 3),
    "MachineCase.gravity": lambda: idler(gravity=None),
    "gears of mesh m": lambda: flexible("m", "g0", "g0"),
    "fidelity of mesh m": lambda: law_of("foo", "m"),
    "drives of one train": lambda: idler(drives=(*idler().drives, Drive(name="other", shaft="s2"))),
    "loads of the machine": lambda: idler(loads=()),
    "torque of load m": lambda: TorqueLoad(name="m", shaft="s2", torque=1.0, balances_drive=True),
    "shaft of gear g9": lambda: idler(gears=(*idler().gears, ShaftGear(name="g9", shaft="x", at=0.0, gear=gear(20)))),
    "meshes of gear g9": lambda: idler(gears=(*idler().gears, ShaftGear(name="g9", shaft="s0", at=0.1, gear=gear(20)))),
    "position on shaft in": lambda: one_stage(drives=(Drive(name="motor", shaft="in", at=0.5, torque=200.0),)),
    "mesh mesh: ": lambda: one_stage(
        gears=(*one_stage().gears[:1], ShaftGear(name="w", shaft="out", at=50e-3, gear=gear(30, beta=0.2)))
    ),
}


@pytest.mark.parametrize("quantity", FROM_PYTHON)
def test_the_same_faults_from_python(quantity):
    with pytest.raises(Fault) as refused:
        FROM_PYTHON[quantity]()
    assert refused.value.quantity.startswith(quantity)
    assert refused.value.remedy


# --------------------------------------------------------------------------------- fuzz
NASTY = [
    0, -1, 3, 10**400, True, 0.0, -0.0, 1e-300, 1e300, float("inf"), float("nan"), "", "abc", "a@b", "ground", "input",
    "line\nbreak", [], [0.0], [1.0, 2.0, 3.0], [[0.0, 1.0], [1.0, 2.0]], ["a"], {}, {"a": 1}, {"a": {}}, [{}],
]  # fmt: skip


def places(tables: dict, above: tuple = ()):
    for key, value in tables.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from places(value, (*above, key))


@pytest.mark.parametrize(
    ("path", "values"), [(IDLER, 2), (STAGES, 1), pytest.param(STAGES, 2, marks=pytest.mark.thorough)]
)
def test_any_value_anywhere_is_taken_or_refused(path, values):
    """No other exception, whatever stands in place of a table or a key; drawn from a seed."""
    ways = sorted(places(edited(path)))
    draw = np.random.default_rng(14)
    for number, way in enumerate(ways):
        for value in [NASTY[(number + i) % len(NASTY)] for i in draw.choice(len(NASTY), values, replace=False)]:
            tables = edited(path, **{"__".join(way): value})
            with contextlib.suppress(CaseFaults):
                MachineCase.from_tables(tables, path)


# --------------------------------------------------------------- names in messages of pairs
def named_idler(first: str, second: str, third: str, **changes) -> MachineCase:
    """The idler train with other names of its gears."""
    case = idler()
    gears = tuple(replace(one, name=name) for one, name in zip(case.gears, (first, second, third), strict=True))
    return idler(gears=gears, meshes=(flexible("first", first, second), flexible("second", second, third)), **changes)


def test_checks_of_a_pair_call_gears_by_their_names():
    """Also where a gear has the name that a pair gives the other one."""
    shafts = [replace(one, position=0.93 * np.asarray(one.position)) for one in idler().shafts]
    with pytest.raises(Fault) as refused:
        named_idler("wheel", "pinion", "g2", shafts=tuple(shafts))
    assert refused.value.quantity == "mesh first: centre distance [mm]"
    assert "the distance of the shafts (position_mm)" in refused.value.remedy
    apart = replace(idler().gears[0], name="wheel", at=1.0)
    with pytest.raises(Fault) as refused:
        idler(gears=(apart, *idler().gears[1:]), meshes=(flexible("first", "wheel", "g1"), flexible("b", "g1", "g2")))
    assert refused.value.remedy.startswith("bring the axial offset of gear wheel against gear g1 (at_mm) to between")
    other = replace(idler().gears[1], name="pinion", gear=gear(30, beta=0.2))
    with pytest.raises(Fault) as refused:
        idler(
            gears=(idler().gears[0], other, idler().gears[2]),
            meshes=(flexible("first", "g0", "pinion"), flexible("second", "pinion", "g2")),
        )
    assert refused.value.quantity == "mesh first: helix angle of gear pinion [deg]"
    assert refused.value.limit.startswith("opposite to that of gear g0")


def test_faults_of_the_pair_of_a_mesh_are_told_with_its_name():
    case = idler()
    wide = replace(case.meshes[0], law=Flexible(window_pairs=1000))
    with pytest.raises(CaseFaults) as refused:
        replace(case, meshes=(wide, case.meshes[1]))
    (fault,) = refused.value.faults
    assert fault.key == "mesh first: contact.window_pairs"
    assert repr(refused.value).count("must be") == 1
