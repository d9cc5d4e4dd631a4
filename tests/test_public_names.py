"""The names of ``alegear``: loaded on first use, and known to type checkers, which do not run ``__getattr__``."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import alegear as ag


def typed_names() -> dict[str, str]:
    """Public name -> module, of the imports that only type checkers follow."""
    tree = ast.parse(Path(ag.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    assert len(imports) == len(block.body)
    return {alias.asname: node.module for node in imports for alias in node.names}


def test_type_checkers_see_what_is_loaded():
    assert typed_names() == ag._HOME


@pytest.mark.parametrize("name", sorted(ag._HOME))
def test_name_is_loaded_from_where_it_is_defined(name):
    value = getattr(ag, name)
    assert value is getattr(importlib.import_module(ag._HOME[name]), name)
    assert value.__module__ == ag._HOME[name]
    assert value.__doc__
    assert name in dir(ag)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="Geer"):
        ag.Geer  # noqa: B018


def test_import_loads_nothing_heavy():
    """`import alegear` costs nothing; who wants threads does not get the reduction."""
    for module, unwanted in (("alegear", "numpy"), ("alegear.parallel", "alegear.reduction")):
        program = f"import sys, {module}; sys.exit({unwanted!r} in sys.modules)"
        assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0, module
