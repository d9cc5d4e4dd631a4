"""Formulas of README files as LaTeX on the pages of the documentation."""

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

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
        ("pi E*/4 = E* b", r"\pi \,E^{*}/4 = E^{*}\,b"),
        ("a*b + a * (b - c)", r"a\,b + a\,\, (b - c)"),
        ("k |a| |b| = |c|", r"k\,|a|\,|b| = |c|"),
        ("psi_ij + C_kl + g_xc", r"\psi _{ij} + C_{kl} + g_{xc}"),
        ("p_max + tau_bf1 + u_in", r"p_{\mathrm{max}} + \tau _{\mathrm{bf}1} + u_{\mathrm{in}}"),
        (
            "n . (c_A - c_B) = s'.w' + d'. R",
            r"n \cdot  (c_{A} - c_{B}) = s^{\prime} \cdot  w^{\prime} + d^{\prime} \cdot  R",
        ),
        ("sum_k ⟨|y|⟩", r"\sum _{k}\,\langle |y|\rangle "),
        ("Σ w dφ", r"\sum  w\,\mathrm{d}\phi "),
        ("dE/dln S", r"\mathrm{d}E/\mathrm{d}\ln \,S"),
        ("d(J v)/dx + d2U/dx2", r"\mathrm{d}(J\,v)/\mathrm{d}x + \mathrm{d}^{2}U/\mathrm{d}x^{2}"),
        ("d(xi) = d_0", r"d(\xi ) = d_{0}"),
    ],
)
def test_a_line(plain: str, latex: str) -> None:
    assert FORMULAS.latex(f"    {plain}") == latex


def test_number_goes_to_the_margin_and_code_stays() -> None:
    text = "Words\n\n    M a = Q      (3)\n\n    def f(x):\n        return x\n\nmore\n"
    assert FORMULAS.with_formulas(text) == (
        "Words\n\n$$\nM\\,a = Q \\tag{3}\n$$\n\n    def f(x):\n        return x\n\nmore\n"
    )


def test_a_formula_right_below_a_heading_is_one() -> None:
    assert FORMULAS.with_formulas("# Mass\n    M a = Q\n\nmore\n") == "# Mass\n\n$$\nM\\,a = Q\n$$\n\nmore\n"
    assert FORMULAS.with_formulas("words\n    M a = Q\n") == "words\n    M a = Q\n"  # a paragraph goes on


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


def test_primes_stand_beside_their_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx", reason="sphinx comes with the extra docs")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    mathml = importlib.import_module("mathml")
    prime = '<molspace="0"rspace="0">′</mo>'
    for text in ("q''", r"q^{\prime\prime}"):
        assert f"<mi>q</mi>{prime}{prime}" in "".join(mathml.formula(text, block=False).split())
    written = "".join(mathml.formula(r"Q^{\prime}_{k} \sin x", block=False).split())
    assert f"<mrow><msub><mi>Q</mi><mi>k</mi></msub>{prime}</mrow>" in written
    assert "\u2061" in written  # the sign after a function, whose name XML does not know


def test_bars_open_and_close(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx", reason="sphinx comes with the extra docs")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    mathml = importlib.import_module("mathml")

    def sides(text: str) -> list[str | None]:
        tree = ElementTree.fromstring(mathml.formula(text, block=False))
        return [sign.get("form") for sign in tree.iter() if sign.tag.endswith("}mo") and sign.text == "|"]

    assert sides(r"\lvert v_1 - v_2 \rvert + |a|^2") == ["prefix", "postfix"] * 2
    assert sides(r"\lvert a \lvert b \rvert \rvert") == ["prefix", "prefix", "postfix", "postfix"]
    assert sides("P(a | b)") == [None]
