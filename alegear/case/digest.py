"""Digest of a case: hash of all that its result depends on.

The hash of a case is one of its content in SI units, not of the text of a file: comments, order, units and defaults
written out do not count, nor do the title, the path, plots and checkpoints; the content of the files that a case names
(grids, measured flanks, pitch deviations) does. Numbers count by their first twelve digits, so that 35.8 mm of a file
and 35.8e-3 m of a program are one; functions and objects of a program (``function_digest.py``) to the last bit.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from alegear.case.function_digest import FunctionDigest, is_of_alegear
from alegear.limits import float_of
from alegear.storage.whole_file import GRID_BYTES, read_regular

FORMAT = b"alegear-case-1"
"""Raised whenever the meaning of the hash changes."""

_NOT_PART = {"title", "path"}  # fields of a case that do not change what is computed
_DIGITS = 12
#: What stands for that which cannot be identified, case by case: the hash of a case stays the same while it lives.
_WORDS: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def case_digest(case: Any) -> str:
    """SHA-256 of a :class:`~alegear.case.case.Case`, hexadecimal, over the hashes of its fields."""
    digest = hashlib.sha256(FORMAT)
    for name, part in sorted(_hashed(case, _rounded).parts.items()):
        digest.update(f"{name} {part};".encode())
    return digest.hexdigest()


def case_digests(case: Any) -> dict[str, str]:
    """Hash what a run depends on by the fields of the case, to the last bit of every number."""
    return case_identity(case).parts


@dataclass(frozen=True, kw_only=True)
class CaseIdentity:
    """What distinguishes a case from others.

    Attributes
    ----------
    parts : dict of str to str
        Hashes of the fields of the case, to the last bit of every number.
    indeterminate : tuple of str
        What is in its functions that cannot be identified, in words: of these the hashes are random.
    has_functions : bool
        Whether functions or objects of a program are part of it.
    """

    parts: dict[str, str]
    indeterminate: tuple[str, ...]
    has_functions: bool


def case_identity(case: Any) -> CaseIdentity:
    """Hash what a run depends on, as :func:`case_digests`, with what cannot be identified."""
    found = _hashed(case, repr)
    return replace(found, parts={name: part[:16] for name, part in found.parts.items()})


def digest_of(*values: Any) -> str:
    """Hash of values such as a case consists of."""
    content = _Content(_rounded, secrets.token_hex(16))
    for value in values:
        content.feed(value)
    return content.digest.hexdigest()


def _rounded(value: float) -> str:
    return f"{value:.{_DIGITS}g}"


def _hashed(case: Any, number: Callable[[Any], str]) -> CaseIdentity:
    word = _WORDS.setdefault(case, secrets.token_hex(16))
    output = replace(case.output, plots=True, checkpoint_every=None)
    digests, indeterminate, has_functions = {}, [], False
    for part in fields(case):
        if part.name not in _NOT_PART:
            content = _Content(number, word)
            content.feed(output if part.name == "output" else getattr(case, part.name))
            digests[part.name] = content.digest.hexdigest()
            indeterminate += content.functions.indeterminate
            has_functions |= content.has_functions
    return CaseIdentity(parts=digests, indeterminate=tuple(dict.fromkeys(indeterminate)), has_functions=has_functions)


class _Content:
    """Hash of values of a case as they are fed to it.

    Parameters
    ----------
    number : callable
        Writes a number in the digits that count.
    word : str
        Stands for what cannot be identified.
    """

    def __init__(self, number: Callable[[Any], str], word: str) -> None:
        self.digest = hashlib.sha256()
        self.has_functions = False
        self._number = number
        self.functions = FunctionDigest(word, self._part)

    def _part(self, value: object) -> bytes:
        """Hash of a part of alegear that a function holds."""
        before, self.digest = self.digest, hashlib.sha256()
        self.feed(value)
        own, self.digest = self.digest, before
        return own.digest()

    def feed(self, value: Any) -> None:
        """Feed a value of a case to the hash."""
        update = self.digest.update
        if isinstance(value, bool | str | None):
            update(f"{type(value).__name__} {value!r};".encode())
        elif isinstance(value, int | float | np.number):
            update(f"{self._number(float_of(value) + 0.0)};".encode())  # -0.0 is 0.0
        elif is_of_alegear(value):
            update(type(value).__name__.encode())
            for part in fields(value):
                if part.metadata.get("digest_if_given") and getattr(value, part.name) is None:
                    continue
                name = part.metadata.get("digest", part.name)  # of the attribute that stands for it
                update(name.encode())
                self.feed(getattr(value, name))
        elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            numbers = " ".join(map(self._number, (value + 0.0).ravel().tolist()))
            update(f"{value.shape} {numbers};".encode())
        elif isinstance(value, tuple | list):
            update(f"[{len(value)}".encode())
            for item in value:
                self.feed(item)
        elif isinstance(value, Mapping):
            update(f"{{{len(value)}".encode())
            for key in sorted(value, key=repr):
                update(repr(key).encode())
                self.feed(value[key])
        elif isinstance(value, Path):
            update(read_regular(value, GRID_BYTES))
        else:  # from Python alone: functions, and objects of classes that are not of alegear
            self.has_functions = True
            update(self.functions.of(value))
