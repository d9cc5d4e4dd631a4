"""What tells one case from another: hashes of all that its result depends on.

The hash of a case is one of its content in SI units, not of the text of a file: comments, order, units and defaults
written out do not count, nor do the title, the path, plots and checkpoints; the content of the files that a case names
(grids, measured flanks, pitch deviations) does. Numbers count by their first twelve digits, so that 35.8 mm of a file
and 35.8e-3 m of a program are one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

FORMAT = b"alegear-case-1"
"""Raised whenever the meaning of the hash changes."""

_NOT_PART = {"title", "path"}  # fields of a case that do not change what is computed
_DIGITS = 12


def case_digest(case: Any) -> str:
    """SHA-256 of a :class:`~alegear.case.case.Case`, hexadecimal, over the hashes of its fields."""
    digest = hashlib.sha256(FORMAT)
    for name, part in sorted(_hashed(case, _rounded).items()):
        digest.update(f"{name} {part};".encode())
    return digest.hexdigest()


def case_digests(case: Any) -> dict[str, str]:
    """Hash what a run depends on by the fields of the case, to the last bit of every number."""
    return {name: part[:16] for name, part in _hashed(case, repr).items()}


def digest_of(*values: Any) -> str:
    """Hash of values such as a case consists of."""
    digest = hashlib.sha256()
    for value in values:
        _feed(digest, value, _rounded)
    return digest.hexdigest()


def _rounded(value: float) -> str:
    return f"{value:.{_DIGITS}g}"


def _hashed(case: Any, number: Callable[[Any], str]) -> dict[str, str]:
    output = replace(case.output, plots=True, checkpoint_every=None)
    digests = {}
    for part in fields(case):
        if part.name not in _NOT_PART:
            digest = hashlib.sha256()
            _feed(digest, output if part.name == "output" else getattr(case, part.name), number)
            digests[part.name] = digest.hexdigest()
    return digests


def _feed(digest: Any, value: Any, number: Callable[[Any], str]) -> None:
    """Feed a value of a case to a hash."""
    if is_dataclass(value):
        digest.update(type(value).__name__.encode())
        for part in fields(value):
            if part.metadata.get("digest_if_given") and getattr(value, part.name) is None:
                continue
            name = part.metadata.get("digest", part.name)  # of the attribute that stands for it
            digest.update(name.encode())
            _feed(digest, getattr(value, name), number)
    elif isinstance(value, np.ndarray):
        numbers = " ".join(map(number, (value + 0.0).ravel().tolist()))
        digest.update(f"{value.shape} {numbers};".encode())
    elif isinstance(value, tuple | list):
        digest.update(f"[{len(value)}".encode())
        for item in value:
            _feed(digest, item, number)
    elif isinstance(value, Mapping):
        digest.update(f"{{{len(value)}".encode())
        for key in sorted(value, key=repr):
            digest.update(repr(key).encode())
            _feed(digest, value[key], number)
    elif isinstance(value, Path):
        digest.update(value.read_bytes())
    elif isinstance(value, bool | str | None):
        digest.update(f"{type(value).__name__} {value!r};".encode())
    elif isinstance(value, int | float | np.number):
        digest.update(f"{number(float(value) + 0.0)};".encode())  # -0.0 is 0.0
    elif callable(value):  # from Python alone: told by its text as it was compiled
        code = getattr(value, "__code__", None)
        digest.update(f"{getattr(value, '__qualname__', type(value).__qualname__)} ".encode())
        digest.update(b"" if code is None else code.co_code + repr(code.co_consts).encode())
        if is_dataclass(getattr(value, "__self__", None)):  # a method, with what it belongs to
            _feed(digest, value.__self__, number)  # type: ignore[attr-defined]
    else:
        raise TypeError(f"a {type(value).__name__} in a case: say how it differs from another")
