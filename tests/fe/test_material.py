import math
from dataclasses import replace

import pytest

from alegear.errors import Fault
from alegear.fe import Material
from alegear.parameters import limits_of


def test_lame_constants_give_back_youngs_modulus_and_poissons_ratio():
    material = Material(E=206e9, nu=0.28)
    lam, mu = material.lame_lambda, material.mu
    # algebraic identities, so only round-off
    assert mu * (3 * lam + 2 * mu) / (lam + mu) == pytest.approx(206e9, rel=1e-14)
    assert lam / (2 * (lam + mu)) == pytest.approx(0.28, rel=1e-14)


IMPOSSIBLE = {"E": [0.0, -1.0, math.nan, math.inf], "nu": [0.491, -0.1, 0.7, math.nan], "rho": [0.0, -7860.0, math.nan]}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in IMPOSSIBLE for value in IMPOSSIBLE[name]])
def test_impossible_value_is_a_fault_with_a_remedy(name, value):
    with pytest.raises(Fault) as caught:
        Material(**{name: value})
    assert caught.value.remedy
    assert caught.value.quantity == limits_of(Material)[name].name


def test_one_limit_of_poissons_ratio_for_elements_contact_layer_and_case_file():
    assert Material(nu=0.49).nu == 0.49
    with pytest.raises(Fault, match=r"Poisson's ratio = 0.495: must be at most 0.49; correct poisson_ratio"):
        Material(nu=0.495)


FURTHER = ("yield_strength", "conductivity", "specific_heat", "contact_strength", "root_strength")


def test_strengths_and_thermal_constants_belong_to_the_material():
    """What is not given is that of steel where modulus and density are, 2 % either way, and else it is not known."""
    for like in (Material(), Material(E=206e9, rho=7830.0), Material(E=206e9, rho=8000.0)):
        assert like.is_steel
        assert like.diffusivity == pytest.approx(50.0 / (480.0 * like.rho), rel=1e-15)
        assert all(like.known(name) is not None for name in FURTHER)
    for other in (Material(E=3e9, rho=1415.0), Material(rho=1415.0), replace(Material(), E=110e9)):
        assert [other.known(name) for name in FURTHER] == [None] * len(FURTHER)
        assert other.thermal_contact is None
        assert other.diffusivity is None
        assert other.missing_for_heat == ("thermal_conductivity_W_per_mK", "specific_heat_J_per_kgK")
        given = replace(other, **dict.fromkeys(FURTHER, 5e3))
        assert [given.known(name) for name in FURTHER] == [5e3] * len(FURTHER)
