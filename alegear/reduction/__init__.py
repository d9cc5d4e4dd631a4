"""Craig-Bampton reduction of a wheel to the tooth faces that can touch, sector by sector.

What needs the compiler is loaded on first use: the memory of a case is estimated without it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
