"""A machine put together from Python, part by part, and computed: what a file with ``[machine]`` says."""

from alegear.machine.machine import Machine

__all__ = ["Machine"]
