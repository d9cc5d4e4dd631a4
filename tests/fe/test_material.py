import math

import pytest

from alegear.errors import Fault
from alegear.fe import Material


def test_lame_constants_give_back_youngs_modulus_and_poissons_ratio():
    material = Material(E=206e9, nu=0.28)
    lam, mu = material.lame_lambda, material.mu
    # algebraic identities, so only round-off
    assert mu * (3 * lam + 2 * mu) / (lam + mu) == pytest.approx(206e9, rel=1e-14)
    assert lam / (2 * (lam + mu)) == pytest.approx(0.28, rel=1e-14)


IMPOSSIBLE = {"E": [0.0, -1.0, math.nan, math.inf], "nu": [0.5, -1.0, 0.7, math.nan], "rho": [0.0, -7860.0, math.nan]}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in IMPOSSIBLE for value in IMPOSSIBLE[name]])
def test_impossible_value_is_a_fault_with_a_remedy(name, value):
    with pytest.raises(Fault) as caught:
        Material(**{name: value})
    assert caught.value.remedy
    assert str(value) in str(caught.value)


def test_nearly_incompressible_material_is_allowed_and_warned_of():
    assert Material(nu=0.49).warnings == ()
    (warning,) = Material(nu=0.495).warnings
    assert "0.495" in warning
    assert "0.49" in warning
