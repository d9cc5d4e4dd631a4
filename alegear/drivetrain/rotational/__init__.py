"""Torsional parts: springs, gears by their ratios, planetary sets, friction, sources. One file a family.

A part is a frozen dataclass with a `name`, the places it connects and ``add_to(builder)``; ``TABLE`` is its heading in
a case file, its fields say the keys there (:mod:`alegear.parameters`).
"""
