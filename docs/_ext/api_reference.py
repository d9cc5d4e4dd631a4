"""The reference of Python names: every name of ``alegear`` under its topic, written from its docstring."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import alegear as ag

#: Topic, the name of a page in ``docs/api``, -> beginnings of the modules that belong to it; the longest one counts.
TOPICS: dict[str, tuple[str, ...]] = {
    "gears": ("alegear.geometry",),
    "cases": (
        "alegear.case",
        "alegear.contact",
        "alegear.fe.material",
        "alegear.system.support",
        "alegear.system.time_integration",
    ),
    "studies": (
        "alegear.studies",
        "alegear.results",
        "alegear.report",
        "alegear.pictures",
        "alegear.scene",
        "alegear.checks",
    ),
    "machines": (
        "alegear.machine",
        "alegear.case.machine",
        "alegear.case.analysis.MachineStatic",
        "alegear.drivetrain",
        "alegear.drivetrain.planar.mesh_stiffness",
        "alegear.results.roller_loads",
    ),
    "torsional_parts": (
        "alegear.drivetrain.rotational",
        "alegear.drivetrain.planar",
        "alegear.drivetrain.loss_table",
        "alegear.drivetrain.loss_identification",
        "alegear.drivetrain.overall_efficiency",
        "alegear.case.rotational",
        "alegear.case.motion_in_time.RotationalMotion",
        "alegear.system.bodies",
        "alegear.system.controllers",
        "alegear.system.inputs",
    ),
    "planetary_sets": (
        "alegear.drivetrain.rotational.pins",
        "alegear.drivetrain.rotational.planet",
        "alegear.geometry.planetary_teeth",
    ),
    "bodies_in_space": (
        "alegear.drivetrain.spatial",
        "alegear.system.spatial",
        "alegear.case.spatial",
        "alegear.case.motion_in_time",
        "alegear.reduction.inertia",
    ),
    "spectra": ("alegear.signals",),
    "finite_elements": ("alegear.mesh", "alegear.fe", "alegear.reduction"),
    "errors": ("alegear.errors", "alegear.case.faults"),
}


def homes() -> dict[str, str]:
    """Return the module that defines each public name, as ``__init__.pyi`` has them."""
    tree = ast.parse(Path(ag.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level]
    return {
        alias.name: f"alegear.{node.module}" for node in imports for alias in node.names if alias.name in ag.__all__
    }


HOMES = homes()
#: What a part of a machine does for the system that it is built into, which is no use by hand.
OF_THE_SYSTEM = frozenset([
    "add_to", "bodies", "carried", "carried_inertia", "corners", "coupled_ratio", "disks", "elastic_meshes", "element",
    "facts", "fixed_points", "has_pin_errors", "has_tooth_friction", "held_at", "holder", "in_modes", "in_motion",
    "in_statics", "joint_kind", "kinematics", "largest_force", "linearised", "longest_step", "mesh_names", "model",
    "n_teeth", "on_springs", "open_at", "outline", "outlines", "pin_places", "place", "places", "planet_rows",
    "planet_teeth", "ratios_while", "ring_motion", "roller_length", "rolls", "scales_under", "seats", "sense_of",
    "shapes", "speed_rows", "tell", "tooth_meshes", "type_name", "uses_generalized_alpha", "with_pin_errors",
])  # fmt: skip


def topic_of(name: str) -> str:
    """Return the topic of a public name, by the module that defines it, and within one by the name.

    Raises
    ------
    LookupError
        Of a module that belongs to none.
    """
    home = f"{HOMES[name]}.{name}"
    found = {len(start): topic for topic, starts in TOPICS.items() for start in starts if home.startswith(start)}
    if not found:
        raise LookupError(f"topic of ag.{name} = none: {home} must be in TOPICS of docs/_ext/api_reference.py")
    return found[max(found)]


def names() -> dict[str, list[str]]:
    """Return the public names of each topic, in the order of ``alegear``."""
    found: dict[str, list[str]] = {topic: [] for topic in TOPICS}
    for name in HOMES:
        found[topic_of(name)].append(name)
    return found


def write_pages(out: Path, write: Any) -> None:
    """Write what each page of ``docs/api`` includes: all names of its topic."""
    for topic, some in names().items():
        write(out / f"{topic}.md", "\n".join(entry(name) for name in some))


def entry(name: str) -> str:
    """Return the directive that writes a name from its docstring, with what a class can do."""
    value = getattr(ag, name)
    if inspect.isclass(value):
        lines = [
            f".. autoclass:: alegear.{name}",
            "   :members:",
            "   :inherited-members: object, BaseException, Exception, ValueError, RuntimeError",
        ]
        lines += [f"   :exclude-members: {', '.join(some)}" for some in [left_out(value)] if some]
    else:
        lines = [f".. autofunction:: alegear.{name}"]
    shown = ">>>" in (inspect.getdoc(value) or "")
    example = [] if shown else [f"Example: [at the top of the page](#{heading_of(topic_of(name))}).", ""]
    return "\n".join([f"## `ag.{name}`", "", *example, "```{eval-rst}", *lines, "```", ""])


def heading_of(topic: str) -> str:
    """Return the anchor of the heading of a page of ``docs/api``, below which its names are used."""
    page = Path(__file__).resolve().parents[1] / "api" / f"{topic}.md"
    title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    return re.sub(r"[^\w ]", "", title.lower()).replace(" ", "-")


def left_out(value: type) -> list[str]:
    """Return the members of a class that are of no use to who uses it: constants of checks, the side of the system."""
    constants = {one for one in dir(value) if len(one) > 1 and one.isupper()}
    of_the_system = OF_THE_SYSTEM & set(dir(value)) if hasattr(value, "add_to") else set()
    defaults = {one for one in dir(value) if not one.startswith("_") and isinstance(getattr(value, one), type)}
    return sorted(constants | of_the_system | defaults)
