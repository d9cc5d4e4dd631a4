"""Laws of meshes, one file each: a file of this folder is a law by being there.

Such a file defines one :class:`~alegear.drivetrain.gear_mesh.MeshLaw` and names it ``LAW``. Nothing else names it: the
folder is looked through when a law is asked for. Folders elsewhere can be appended to ``__path__`` of this package.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import MISSING, fields
from typing import Any

from alegear.drivetrain.gear_mesh import MeshLaw
from alegear.errors import Fault, unknown_name
from alegear.parameters import Key, parameters_of, words_of

#: The law of meshes where nothing is said.
DEFAULT = "flexible"


def mesh_laws() -> dict[str, type[MeshLaw]]:
    """All laws by their fidelity.

    Raises
    ------
    Fault
        If two have the same.
    """
    found: dict[str, type[MeshLaw]] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda one: one.name):
        law: type[MeshLaw] = importlib.import_module(f"{__name__}.{module.name}").LAW
        if found.setdefault(law.fidelity, law) is not law:
            files = f"{found[law.fidelity].__module__} and {law.__module__}"
            raise Fault(f'files of mesh law "{law.fidelity}"', files, "one", "remove one")
    return found


def law_named(fidelity: str, mesh: str) -> type[MeshLaw]:
    """The law of a mesh by its fidelity.

    Raises
    ------
    Fault
        If there is none.
    """
    laws = mesh_laws()
    if fidelity in laws:
        return laws[fidelity]
    raise unknown_name(f"fidelity of mesh {mesh}", fidelity, laws)


def law_of(fidelity: str, mesh: str, **given: Any) -> MeshLaw:
    """Make the law of a mesh from its fidelity and parameters.

    Raises
    ------
    Fault
        Also for a parameter that this law does not have, and for one that is missing.
    """
    law = law_named(fidelity, mesh)
    own = fields(law)  # type: ignore[arg-type]
    for name in given:
        if name not in names_of(law):
            raise Fault(f"{name} of mesh {mesh}", "given", *without_effect(fidelity, name))
    for one in own:
        if one.name not in given and one.default is MISSING and one.default_factory is MISSING:
            limit = f'given with fidelity = "{fidelity}"'
            raise Fault(f"{one.name} of mesh {mesh}", None, limit, f"give {words_of(law).get(one.name, one.name)}")
    return law(**given)


def names_of(law: type[MeshLaw]) -> tuple[str, ...]:
    """Names of the parameters of a law."""
    return tuple(one.name for one in fields(law))  # type: ignore[arg-type]


def keys_of(law: type[MeshLaw]) -> list[Key]:
    """Keys of a mesh that a law takes."""
    return [key for parameter in parameters_of(law) for key in parameter.keys]


def without_effect(fidelity: str, name: str, *, of_case: bool = False) -> tuple[str, str]:
    """Limit and remedy of a parameter that a law does not have, or of a key of a case."""
    taken = {
        word: [key.name for key in keys_of(law)] if of_case else names_of(law) for word, law in mesh_laws().items()
    }
    instead = "".join(
        f', or write fidelity = "{word}"' for word, own in taken.items() if word != fidelity and name in own
    )
    return f'left out: it has no effect with fidelity = "{fidelity}"', f"leave it out{instead}"
