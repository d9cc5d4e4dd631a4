"""Motion in time: systems of second order, the generalized-alpha method, Newton's iteration, step control.

Its names are loaded on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
