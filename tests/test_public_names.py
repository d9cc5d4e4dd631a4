"""The names of ``alegear``: loaded on first use, and known with their types to editors and type checkers."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from types import FunctionType

import pytest

import alegear as ag

ROOT = Path(ag.__file__).parents[1]


def homes() -> dict[str, str]:
    """Public name -> module, as the stub has them."""
    tree = ast.parse(Path(ag.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: f"alegear.{node.module}" for node in imports for alias in node.names if alias.name[0] != "_"}


HOMES = homes()


def test_all_is_what_the_stub_has():
    assert sorted(ag.__all__) == sorted({*HOMES, "__version__"})
    assert re.fullmatch(r"\d+\.\d+\.\d+\w*", ag.__version__)


def test_names_are_loaded_from_where_they_are_defined():
    for name, home in HOMES.items():
        value = getattr(ag, name)
        assert value is getattr(importlib.import_module(home), name), name
        assert value.__module__ == home, name
        assert value.__doc__, name
    assert set(dir(ag)) >= set(HOMES)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="Geer"):
        ag.Geer  # noqa: B018


def test_import_loads_nothing_heavy():
    """`import alegear` costs nothing; who wants threads does not get the reduction."""
    for module, unwanted in (("alegear", "numpy"), ("alegear.parallel", "alegear.reduction")):
        program = f"import sys, {module}; sys.exit({unwanted!r} in sys.modules)"
        assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0, module


# ---------------------------------------------------------------- types
def annotations_of(value: object) -> dict[str, str]:
    """Annotations that a user meets: of a function, or of fields, properties and methods of a class of ours."""
    if not inspect.isclass(value):
        return {str(key): str(text) for key, text in getattr(value, "__annotations__", {}).items()}
    found = {}
    for owner in (one for one in value.__mro__ if one.__module__.startswith("alegear")):
        given = inspect.get_annotations(owner)
        found |= {f"{owner.__name__}.{key}": str(text) for key, text in given.items() if key[0] != "_"}
        for key, one in owner.__dict__.items():
            if key[0] == "_" and key != "__init__":
                continue
            inner = one.__func__ if isinstance(one, classmethod | staticmethod) else one
            inner = inner.fget if isinstance(inner, property) else inner
            inner = inner.func if isinstance(inner, cached_property) else inner
            if isinstance(inner, FunctionType):
                found |= {f"{owner.__name__}.{key}({what})": str(t) for what, t in inner.__annotations__.items()}
    return found


def test_no_type_is_any():
    loose = {
        (name, key): text
        for name in HOMES
        for key, text in annotations_of(getattr(ag, name)).items()
        if re.search(r"\bAny\b", text)
    }
    assert not loose


ARRAYS = re.compile(r"\b(Floats|Array|ArrayLike|NDArray|Rows|Indices)\b")
SIZED = re.compile(r"shape|pairs|rows|three numbers|\((\w+, ?)+\)")


def arrays_without_shape(name: str) -> list[str]:
    """Arrays of a public name whose docstring says no shape; what is declared says its numbers itself."""
    value = getattr(ag, name)
    text, found = inspect.getdoc(value) or "", []
    for key, kind in inspect.get_annotations(value).items():
        if key[0] == "_" or "Annotated" in str(kind) or not ARRAYS.search(str(kind)):
            continue
        if key == "return":
            said = text[text.index("Returns") :]
        else:
            entry = rf"^[\w, :()\[\]/.*]*\b{key}\b[\w, ]* ?:.*(?:\n {{4,}}.*)*"
            said = " ".join(re.findall(entry, text, flags=re.MULTILINE))
        if not SIZED.search(said):
            found.append(f"{name}: {key}")
    return found


def test_arrays_have_their_shapes_in_the_docstring():
    assert [lack for name in HOMES for lack in arrays_without_shape(name)] == []


SCRIPT = '''\
"""A study of tip relief, as a user writes it."""

import alegear as ag

mm, um = 1e-3, 1e-6
relief = ag.Microgeometry(tip_relief=20 * um, tip_relief_start_diameter=86 * mm)
pinion = ag.Gear(z=20, m_n=4 * mm, b=30 * mm, bore_diameter=35 * mm, microgeometry=relief)
wheel = ag.Gear(z=30, m_n=4 * mm, b=30 * mm, bore_diameter=54 * mm)
case = ag.Case(
    pair=ag.GearPair(pinion=pinion, wheel=wheel),
    operation=ag.Operation(pinion_torque=400.0),
    analysis=ag.StaticAnalysis(positions_per_pitch=32),
)
result = ag.run(case)
error = result.dataset["transmission_error"]
print(float(error.max() - error.min()) / um, result.summary["te_mean_um"] + 1.0)
m = ag.Machine("two gears")
m.add("in", ag.Shaft(fixed_axis=True))
m.add("pinion", ag.ShaftGear(gear=pinion, shaft="in", at=0.0))
m.add("motor", ag.TorqueSource(at="in", torque=[(0.0, 0.0), (0.5, 10.0)]))
m.run("results", duration=0.5)
'''
MISTAKES = {
    "operation of the wrong type": ("operation=ag.Operation(pinion_torque=400.0)", "operation=400.0"),
    "a name that is not there": ("ag.Microgeometry", "ag.MicroGeometry"),
    "a parameter that is not there": ("tip_relief=20", "tip_releif=20"),
    "text in place of a number": ("z=20", 'z="20"'),
    "a method that is not there": ('m.add("in"', 'm.axle("in"'),
    "an analysis' parameter": ("duration=0.5", 'duration="long"'),
    "an attribute of a result": ("result.dataset", "result.data_set"),
}


@pytest.fixture(scope="module")
def found_by_mypy(tmp_path_factory) -> dict[str, str]:
    """What mypy says of the script as it is (""), and with each mistake."""
    folder = tmp_path_factory.mktemp("typed")
    files = {"": folder / "right.py"}
    files[""].write_text(SCRIPT, encoding="utf-8")
    for i, (name, (right, wrong)) in enumerate(MISTAKES.items()):
        assert right in SCRIPT
        files[name] = folder / f"wrong_{i}.py"
        files[name].write_text(SCRIPT.replace(right, wrong, 1), encoding="utf-8")
    # with the settings of scripts/check, which has left what it knows of the package
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", *map(str, files.values())],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    lines = done.stdout.splitlines()
    assert not done.stderr, done.stderr
    return {name: "\n".join(line for line in lines if path.name in line) for name, path in files.items()}


@pytest.mark.slow
def test_mypy_has_nothing_against_a_sound_script(found_by_mypy):
    assert found_by_mypy[""] == ""


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mypy_finds_a_mistake(found_by_mypy, mistake):
    assert "error:" in found_by_mypy[mistake]
