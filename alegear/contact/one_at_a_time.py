"""Threads that share a contact get their answers one after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class OneAtATime:
    """A contact whose answers use buffers of its own: its lock is of this object alone, never of its copies."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_busy", RLock())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_busy"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        OneAtATime.__post_init__(self)


def one_at_a_time(method: Callable[P, R]) -> Callable[P, R]:
    """Let other threads wait until a method of a contact has its answer: all of them work in the same buffers."""

    @wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        with args[0]._busy:  # type: ignore[attr-defined]
            return method(*args, **kwargs)

    return guarded
