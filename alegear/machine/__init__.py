"""A machine put together from Python, part by part, and computed: what a file with ``[machine]`` says.

Methods that add parts are in a file for each kind of part; what is done with a machine as a whole is in ``machine.py``.
"""

from alegear.machine.machine import Machine

__all__ = ["Machine"]
