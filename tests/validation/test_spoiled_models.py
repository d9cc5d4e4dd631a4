"""Models that are spoiled on purpose break the validation: what a quick form must notice, it notices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from script_files import load_script

from alegear.fe import Material
from alegear.geometry import Microgeometry
from alegear.studies import tooth_window


def beyond(name: str) -> Iterator[str]:
    """Quantities beyond their bounds in the quick form of a folder; its script, which makes materials, runs anew."""
    rows = load_script.__wrapped__(f"validation/{name}/run.py").rows(quick=True)
    return (row.quantity for row in rows if row.beyond)


@pytest.fixture
def softer_across(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every material has Poisson's ratio 0.2, whatever its case says."""
    check = Material.__post_init__

    def spoil(material: Material) -> None:
        check(material)
        object.__setattr__(material, "nu", 0.2)

    monkeypatch.setattr(Material, "__post_init__", spoil)


@pytest.mark.slow
@pytest.mark.usefixtures("softer_across")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        # calculix_segment_20_30 notices it on the same segment
        pytest.param("fe_segment_20_30", "transmission error, five-tooth segments", marks=pytest.mark.thorough),
        ("calculix_segment_20_30", "transmission error, five-tooth segments"),
        ("calculix_modes", "natural frequencies, disc"),
    ],
)
def test_poissons_ratio_of_a_fifth_is_noticed(name: str, words: str) -> None:
    assert any(quantity.startswith(words) for quantity in beyond(name))


def test_a_threshold_outside_single_contact_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default changes teeth a tenth of a pitch before the leaving pair has left."""
    monkeypatch.setattr(tooth_window, "centred_threshold", lambda phase_in, phase_out, n_pairs: phase_out - 1.1)
    found = list(beyond("tooth_change"))
    assert len(found) == 2
    assert all("threshold inside single contact" in quantity for quantity in found)
    assert all("(the default)" in quantity for quantity in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [("fzg_loss", "loss factor H_VL"), ("tip_edges", "separation of an unloaded spur pair, law hertz")],
)
def test_relief_that_is_not_applied_is_noticed(name: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    removal = Microgeometry.profile_removal

    def without_relief(flank: Microgeometry, *places: Any, **given: Any) -> Any:
        return removal(replace(flank, tip_relief=0.0, root_relief=0.0), *places, **given)

    monkeypatch.setattr(Microgeometry, "profile_removal", without_relief)
    assert any(quantity.startswith(words) for quantity in beyond(name))
