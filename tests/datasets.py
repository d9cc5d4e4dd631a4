"""Datasets of histories, as results hold them in memory."""

from __future__ import annotations

from typing import Any

import xarray as xr

from alegear.results.contact_result import contact_contents
from alegear.results.machine_result import machine_contents


def contact_dataset(*args: Any, **options: Any) -> xr.Dataset:
    """Dataset of the contact of a pair; arguments are those of its contents."""
    return contact_contents(*args, **options).dataset()


def machine_dataset(*args: Any) -> xr.Dataset:
    """Dataset of a machine."""
    return machine_contents(*args).dataset()
