"""Formulas of README files as LaTeX on the pages of the documentation."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("docutils", reason="docutils comes with the extra docs")
ROOT = Path(__file__).resolve().parent.parent
SPEC = importlib.util.spec_from_file_location("linear_formulas", ROOT / "docs" / "_ext" / "linear_formulas.py")
FORMULAS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FORMULAS)


@pytest.mark.parametrize(
    ("plain", "latex"),
    [
        ("omega_A - omega_B", r"\omega _{A} - \omega _{B}"),
        ("q''", r"q^{\prime\prime}"),
        ("dtheta/dt", r"\mathrm{d}\theta /\mathrm{d}t"),
        ("i_0 from whole numbers", r"i_{0}\ \text{from whole numbers}"),
        ("K^-1 sqrt(x)", r"K^{-1}\,\sqrt{x}"),
        ("w x (w x X)", r"w \times  (w \times  X)"),
        ("2 x tan alpha_n", r"2\,x\,\tan \,\alpha _{n}"),
    ],
)
def test_a_line(plain: str, latex: str) -> None:
    assert FORMULAS.latex(f"    {plain}") == latex


def test_number_goes_to_the_margin_and_code_stays() -> None:
    text = "Words\n\n    M a = Q      (3)\n\n    def f(x):\n        return x\n\nmore\n"
    assert FORMULAS.with_formulas(text) == (
        "Words\n\n$$\nM\\,a = Q \\tag{3}\n$$\n\n    def f(x):\n        return x\n\nmore\n"
    )


def test_most_formulas_of_the_theory_are_read() -> None:
    """What is not read stays as written: matrices in brackets, letters with dots or hats."""
    read = 0
    for readme in (ROOT / "alegear").rglob("README.md"):
        read += FORMULAS.with_formulas(readme.read_text(encoding="utf-8")).count("\n$$\n") // 2
    assert read >= 130


def test_a_line_that_is_too_wide_is_broken_at_its_gaps() -> None:
    long = "    " + "   ".join(["a_n = b_n + c_n + d_n + e_n + f_n"] * 4)
    rows = FORMULAS.fitting(long)
    assert len(rows) == 2
    assert max(len(row.strip()) for row in rows) <= FORMULAS.WIDEST
    assert "   ".join(row.strip() for row in rows) == long.strip()  # nothing is lost
    symbol = "    e   " + "a word " * 20
    assert FORMULAS.fitting(symbol) == [symbol]  # a symbol stays with its explanation


def test_a_command_is_no_formula() -> None:
    assert FORMULAS.formulas(["    python validation/run.py"]) == ["    python validation/run.py"]


def test_dots_stand_above_the_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx", reason="sphinx comes with the extra docs")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    mathml = importlib.import_module("mathml")
    written = "".join(mathml.formula(r"\ddot{x} + \dot{x} + \bar{x}", block=False).split())
    assert "<mover><mi>x</mi><mtext>¨</mtext></mover>" in written
    assert "<mover><mi>x</mi><mtext>˙</mtext></mover>" in written
    assert 'accent="true"' in written  # the bar
