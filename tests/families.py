"""Families of tests, of which a few run always and the others with ``bash scripts/test --thorough`` only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def mostly_thorough(members: Iterable[Any], always: Callable[[Any], bool]) -> list[Any]:
    """Members of a parametrised family as they are where they run always, marked ``thorough`` where not."""
    return [one if always(one) else _marked(one) for one in members]


def _marked(member: Any) -> Any:
    values = member if isinstance(member, tuple) else (member,)
    return pytest.param(*values, marks=pytest.mark.thorough)
