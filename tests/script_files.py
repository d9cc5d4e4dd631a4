"""Scripts of the project as modules: what validation/ and scripts/ run is what the tests ask."""

from __future__ import annotations

import sys
from functools import cache
from importlib import util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent


@cache
def load_script(path: str) -> ModuleType:
    """Return the script at a path from the project's root, run once, as a module."""
    spec = util.spec_from_file_location(path.removesuffix(".py").replace("/", "_"), ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
