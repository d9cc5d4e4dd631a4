"""Linear elasticity on hexahedra: stiffness, mass, stress.

What needs the compiler is loaded on first use: a case is read, and its material made, without it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
