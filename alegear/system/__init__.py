"""A mechanical system of any size: bodies, joints, linear parts, profiles, nonlinear elements; without contact.

Its names are loaded on first use: parameters of parts that are declared here cost no more than they take.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
