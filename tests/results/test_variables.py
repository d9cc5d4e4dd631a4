"""The table of the variables of ``result.nc``: whole, and shown as it is."""

from __future__ import annotations

from script_files import load_script

from alegear.results import variables
from alegear.results.contact_result import sample_layout
from alegear.results.variables import Variable

TABLES = [
    one
    for one in vars(variables).values()
    if isinstance(one, dict) and all(isinstance(entry, Variable) for entry in one.values())
]


def test_every_variable_has_a_unit_and_words_and_is_on_the_page_of_the_manual() -> None:
    page = load_script("docs/_ext/result_reference.py").page()
    assert len(TABLES) > 20
    for table in TABLES:
        for name, one in table.items():
            assert one.units, name
            assert one.long_name, name
            assert len({*one.dims}) == len(one.dims), name
            assert f"| `{name}` |" in page


def test_samples_have_the_shapes_of_the_table() -> None:
    layout = sample_layout(3, 7, fillet=(5, 9))
    assert layout["line_load"].shape == (3, 7)
    assert layout["root_stress_fillet"].shape == (2, 3, 2, 5, 9)
    assert layout["bearing_force"].shape == (2, 3)
    assert "tilt" not in layout
    assert sample_layout(3, 7, supports=True)["tilt"].shape == (2, 2)
