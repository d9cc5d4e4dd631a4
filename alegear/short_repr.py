"""One-line representation of objects: values other than the defaults, arrays by their shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path

LONGEST = 50  # characters of a text or of a list that are shown
DEEPEST = 2  # objects in objects


class ShortRepr:
    """Base of dataclasses that show themselves by the fields that differ from their defaults.

    Arrays are shown by their shapes, long lists by their lengths, objects in objects without their fields; it is for
    reading, not for ``eval``.

    Examples
    --------
    >>> from alegear.geometry.alignment import Alignment
    >>> Alignment(tilt_normal=1e-4)
    Alignment(tilt_normal=0.0001)
    """

    def __init_subclass__(cls, **parameters: object) -> None:
        super().__init_subclass__(**parameters)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = _shown  # type: ignore[method-assign]  # there, so that `dataclass` makes none


def _shown(self: object) -> str:
    return _object(self, 0)


def _object(one: object, depth: int) -> str:
    name = type(one).__name__
    if depth == DEEPEST:
        own = getattr(one, "name", None)
        return f"{name}({own!r})" if isinstance(own, str) else f"{name}(...)"
    shown = []
    for field in fields(one):  # type: ignore[arg-type]
        value = getattr(one, field.name, MISSING)
        if field.repr and field.init and value is not MISSING and not _is_default(field, value):
            shown.append(f"{field.name}={_value(value, depth + 1)}")
    return f"{name}({', '.join(shown)})"


def _is_default(field: Field[object], value: object) -> bool:
    default = field.default
    if default is MISSING:
        default = field.default_factory() if field.default_factory is not MISSING else MISSING
    # of a parameter that may be left out, the object that then stands there
    return _same(value, default) or (default is None and _is_plain(value))


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return bool(value) and all(map(_is_plain, value))
    return (
        is_dataclass(value)
        and not isinstance(value, type)
        and all(_is_default(one, getattr(value, one.name)) for one in fields(value) if one.init)
    )


def _same(one: object, other: object) -> bool:
    if one is other:
        return True
    if is_dataclass(one) and type(one) is type(other):
        return all(_same(getattr(one, own.name, None), getattr(other, own.name, None)) for own in fields(one))
    try:
        return bool(one == other)
    except ValueError:  # arrays
        return False


def _value(value: object, depth: int) -> str:
    if is_dataclass(value) and not isinstance(value, type):
        return _object(value, depth)
    if isinstance(value, float):
        return f"{value:.6g}"
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"array of shape {shape}"
    if isinstance(value, Path):
        return repr(str(value))
    if isinstance(value, str):
        return repr(value) if len(value) <= LONGEST else repr(value[: LONGEST - 3] + "...")
    if isinstance(value, Mapping):
        return "{" + ", ".join(map(repr, value)) + "}" if len(value) <= 4 else f"{len(value)} entries"
    if isinstance(value, tuple | list):
        text = "(" + ", ".join(_value(one, DEEPEST) for one in value) + (",)" if len(value) == 1 else ")")
        return text if len(text) <= 2 * LONGEST else f"{len(value)} items"
    text = repr(value)
    return text if len(text) <= 2 * LONGEST else f"<{type(value).__name__}>"
