"""What is asked of our own objects is declared: nothing is looked for by its name with a default beside it."""

import ast
from pathlib import Path

import numpy as np
import pytest

import alegear
from alegear.errors import Fault
from alegear.system import Element, MachinePart, Part, StatelessElement, SystemBuilder

#: Files that look for members of objects which are not ours, and whose these are.
FOREIGN = {
    "case/function_digest.py": "functions and objects of a user, and modules, whose digest is made",
    "case/text.py": "any value of a case, as a text",
    "drivetrain/rotational/ode_kernels.py": "annotations, as typing has them",
    "drivetrain/static_dataset.py": "a dataset of xarray, which is not imported there",
    "system/time_integration/sundials.py": "a function of scikit-sundae",
    "system/time_signal.py": "functions and objects of a user over time",
    "kernels/compiler.py": "types of Numba",
    "kernels/code_folder.py": "settings of Numba",
    "progress.py": "a receiver of progress of a user",
    "short_repr.py": "any value of a dataclass, as a text",
}


def asked_by_name(path: Path) -> list[int]:
    """Lines on which a member may be missing: ``getattr`` with a default, ``hasattr``."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    named = [(node, node.func.id) for node in calls if isinstance(node.func, ast.Name)]
    return [node.lineno for node, name in named if name == "hasattr" or (name == "getattr" and len(node.args) == 3)]


def test_no_member_of_our_own_is_asked_with_a_default():
    package = Path(alegear.__file__).parent
    found = {str(path.relative_to(package)): asked_by_name(path) for path in sorted(package.rglob("*.py"))}
    assert {path: lines for path, lines in found.items() if lines and path not in FOREIGN} == {}
    assert [path for path in FOREIGN if not found[path]] == []


class Bare:
    """Has the methods and no base."""

    name, coordinates = "bare", np.array([0])

    def add_to(self, builder):
        """Add nothing."""

    def value(self, t):
        return 1.0


def test_what_has_no_base_is_refused_with_the_base_to_derive_from():
    builder = SystemBuilder()
    builder.rotor("rotor", inertia=1.0)
    with pytest.raises(Fault, match=r"part of a system = a Bare: .* derived from alegear\.system\.builder\.Part"):
        builder.add(Bare())
    with pytest.raises(Fault, match=r"alegear\.system\.element\.Element; write class MyElement\(StatelessElement\)"):
        builder.element(Bare())
    with pytest.raises(Fault, match=r"profile of load push = a Bare: .* alegear\.system\.time_signal\.TimeSignal"):
        builder.load("push", Bare(), {0: 1.0})


@pytest.mark.parametrize("base", [Part, MachinePart, Element, StatelessElement])
def test_members_of_a_base_are_documented(base):
    own = [name for name in vars(base) if not name.startswith("_")]
    for name in own:
        member = getattr(base, name)
        documented = (member.__doc__ or "") if callable(member) or isinstance(member, property) else base.__doc__
        assert documented.strip(), name
        assert callable(member) or isinstance(member, property) or f"    {name} : " in base.__doc__, name
