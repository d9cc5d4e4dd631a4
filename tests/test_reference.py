"""The reference pages of the documentation say all there is: every key of a case, every public name with an example."""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from families import mostly_thorough

import alegear as ag

ROOT = Path(__file__).resolve().parent.parent
PYTHON = re.compile(r"^```python\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


def extension(name: str) -> ModuleType:
    """A module of ``docs/_ext``, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "_ext" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look for their module there
    spec.loader.exec_module(module)
    return module


CASES, NAMES = extension("case_reference"), extension("api_reference")
KEYS = [
    (page, table.heading, key)
    for page, found in CASES.tables().items()
    for heading, model in found
    for table in CASES.described(heading, model)
    for key in table.keys
]


def test_every_key_of_a_case_has_a_description() -> None:
    assert len(KEYS) > 800  # all tables were found
    assert [(page, heading, key.name) for page, heading, key in KEYS if not key.description] == []


def test_every_key_says_what_it_takes_and_what_it_is_left_out() -> None:
    """Units are those at the end of keys: a key with a unit that the reference does not know is seen here."""
    endings = re.compile(
        r"_(mm|um|us|s|kg|N|Nm|rpm|deg|rad|Hz|GPa|MPa|m|(?:[a-zA-Z]+_)?per_(?:m|um|mm3|rad|s|kg)[0-9]?|[a-z]+[23])$"
    )
    assert [key.name for *_, key in KEYS if endings.search(key.name) and not key.unit] == []
    assert [key.name for *_, key in KEYS if not key.values] == []


def test_pages_list_every_key() -> None:
    pages = CASES.pages()
    for page, heading, key in KEYS:
        written = heading if heading.startswith("[") else heading.capitalize()
        after = re.split(rf"^## `?{re.escape(written)}`?\n", pages[page], flags=re.MULTILINE)
        assert len(after) == 2, f"{page}, {heading}"  # a heading stands once
        same = re.match(r"\nAs \[`(.*)`\]\(([a-z_]*)", after[1])
        there = pages[same[2] or page].partition(f"## `{same[1]}`\n")[2] if same else after[1]
        assert f"| `{key.name}` |" in there, f"{page}, {heading}: {key.name}"
    # a key that is not there would be found nowhere
    assert "| `normal_modul_mm` |" not in pages["pair"]


def test_a_key_of_a_case_as_the_reference_has_it() -> None:
    (key,) = [
        key for page, heading, key in KEYS if (page, heading, key.name) == ("pair", "[pair]", "pressure_angle_deg")
    ]
    assert (key.unit, key.values, key.default, key.limits) == ("°", "number", "20", "5 to 40")
    assert key.description == "normal pressure angle"


def limits_of_key(page: str, heading: str, name: str) -> tuple[str, str]:
    (key,) = [key for where, table, key in KEYS if (where, table, key.name) == (page, heading, name)]
    return key.values, key.limits


def test_values_and_limits_of_lists_and_of_words() -> None:
    assert limits_of_key("pair", "[pinion]", "profile_shift") == ('number or `"from centre distance"`', "-3 to 3")
    assert limits_of_key("pair", "[pinion]", "teeth_modelled") == ('whole number or `"all"`', "")
    found = limits_of_key("machine", "[meshes.NAME]", "efficiency_m_per_s")
    assert found == ("list of lists of numbers", "1 to 10000 lists of 2 entries; each 0 to 1000000")
    assert limits_of_key("machine", "[shafts.NAME]", "sections_mm")[1] == "lists of 3 entries"


def test_a_table_is_shown_once() -> None:
    pages = CASES.pages()
    assert pages["machine"].count("## `[[bearings.NAME.defects]]`") == 1
    assert (
        "`[planetary.NAME.sun_gear.flank]`\n\nAs [`[pinion.flank]`](pair.md#pinionflank) of Keys of a pair."
        in pages["torsional_parts"]
    )


def examples_on_pages() -> dict[str, str]:
    """The Python of each page of names."""
    pages = (ROOT / "docs" / "api").glob("*.md")
    return {page.stem: "\n".join(PYTHON.findall(page.read_text(encoding="utf-8"))) for page in pages}


def docstring_examples(name: str) -> list[doctest.DocTest]:
    """The examples of a name and of its methods; those that are skipped do not count."""
    value = getattr(ag, name)
    module = sys.modules[NAMES.HOMES[name]]
    found = doctest.DocTestFinder().find(value, name, module=module, globs=dict(vars(module)))
    for test in found:
        test.examples = [one for one in test.examples if doctest.SKIP not in one.options]
    return [test for test in found if test.examples]


def test_every_public_name_has_an_example() -> None:
    pages = examples_on_pages()
    shown = [name for name in NAMES.HOMES if not docstring_examples(name)]
    without = [name for name in shown if not re.search(rf"\bag\.{name}\b", pages[NAMES.topic_of(name)])]
    assert without == []  # a page of docs/api must use them


def test_every_topic_has_a_page() -> None:
    assert set(NAMES.TOPICS) | {"index"} == set(examples_on_pages())
    assert sum(len(some) for some in NAMES.names().values()) == len(NAMES.HOMES)


def test_docstrings_as_the_reference_shows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters of a base class are written out, errors have a reason, formulas are drawn, others stay as written."""
    pytest.importorskip("sphinx", reason="sphinx comes with the extra docs")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    shown = extension("docstrings")
    base = "    As of :class:`~alegear.case.motion_in_time.MotionInTime`."
    head = ["Parameters", "----------", "duration, output_every", base]
    written = shown.with_inherited([*head, "tolerance : float [1]"], ag.RotationalMotion)
    assert written[2:] == [
        "duration : float [s]",
        "output_every : float or None [s]",
        "    None: a thousandth of the duration.",
        "tolerance : float [1]",
    ]
    with pytest.raises(LookupError, match="gain"):
        shown.with_inherited(["gain", base], ag.RotationalMotion)
    assert shown.with_one_each(["k : float [N/m], d : float [N s/m]"]) == ["k : float [N/m]", "d : float [N s/m]"]
    assert shown.with_one_each(["at : pairs of (time [s], speed), or a Signal"]) == [
        "at : pairs of (time [s], speed), or a Signal"
    ]
    assert shown.with_reasons(["Raises", "------", "Fault"])[3:] == ["    For a value outside its limits."]
    assert ".. math::" in shown.with_formulas(["Line.", "", "    F = k x", ""])
    assert ".. code-block:: text" in shown.with_formulas(["Line.", "", "    import this", ""])


@pytest.mark.parametrize(
    "name",
    mostly_thorough(
        (name for name in NAMES.HOMES if docstring_examples(name)),
        always=lambda name: name != "compare_fidelities",  # of which studies/test_fidelity has shorter ones
    ),
)
def test_examples_of_docstrings_run(name: str) -> None:
    for test in docstring_examples(name):
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
        assert result.failed == 0, test.name
