"""Formulas of README files, which stand in one line as code is written, as LaTeX: ``omega_A^2/2`` as $\\omega_A^2/2$.

A block that this does not understand stays as it is written.
"""

from __future__ import annotations

import re

from docutils.utils.math import MathError, latex2mathml

_SMALL = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
]
_SMALL += ["pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"]
_CAPITAL = ["Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"]
GREEK = [*_SMALL, *_CAPITAL]
LETTERS = dict(zip("αβγδεζηθικλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ", GREEK, strict=True)) | {"µ": "mu"}
del LETTERS["Σ"]  # a sum: of SIGNS
FUNCTIONS = ["cos", "sin", "tan", "exp", "ln", "min", "max"]
NAMES = ["inv", "diag", "sign", "skew", "tr", "rank", "mean", "eps"]  # upright, as functions are
SIGNS = {
    "<=": r"\le ",
    ">=": r"\ge ",
    "->": r"\to ",
    "→": r"\to ",
    "×": r"\times ",
    "·": r"\cdot ",
    "⟨": r"\langle ",
    "⟩": r"\rangle ",
    "ⅆ": r"\mathrm{d}",
    "*": r"\,",
    "∫": r"\int ",
    "Σ": r"\sum ",
    "∂": r"\partial ",
    "½": r"\tfrac{1}{2}",
    "∓": r"\mp ",
    "±": r"\pm ",
    "≥": r"\ge ",
    "≤": r"\le ",
    "²": "^{2}",
    "ᵀ": "^{T}",
    "⁻¹": "^{-1}",
    "%": r"\%",
    "#": r"\#",
    "&": r"\&",
}
PARTS = re.compile(
    r"`[^`]*`|[a-z]{3,}'s|×|sqrt\(|int(?= )|sum(?= |_)|<=|>=|->|⁻¹"
    r"|\^-?\(|\^\{[^}]*\}|\^-?[A-Za-z0-9]+|_\{[^}]*\}|_\([^)]*\)"
    r"|_-1|_[A-Za-z0-9α-ωΔ]+(?:,[a-zA-Z](?![A-Za-z]))?|[A-Za-z]+|[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?|'+|\s+|."
)
DIFFERENTIAL = re.compile(r"\bd(?=[α-ωΑ-Ω]|ln )|(?<=/)d(?=\()|\bd(?=\([^()]*\)/d)")  # dφ, dln S, d(J v)/dx
DOT = re.compile(r"(?<=') ?\. ?(?=\S)|(?<=\S) \. (?=\S)")  # of two vectors
VARIABLES = re.compile(r"(?!in)[ijklmnxyzbcdAP]{2}")  # two letters that count or name, each by itself
TWO_TEXTS = re.compile(r"(\\text\{[^{}]*)\}\\ \\text\{")
TAG = re.compile(r"\s{2,}\((\d+[a-z]?|[A-Z]\d+)\)\s*$")
WIDEST, SYMBOL = 92, 8  # characters that a page has room for; fewer before a gap are a symbol that is explained
NO_FORMULA = re.compile(
    r"^\s*(?:python|bash|alegear|\$) |def |\+= |import |self\.|return "
    r"|\.--|'--|^\s*[|/\\]|\^$| = \"|\[ *0 "
)


def with_formulas(text: str) -> str:
    """Return Markdown whose indented blocks are formulas where they can be."""
    found: list[str] = []
    block: list[str] = []
    fenced = False
    for line in [*text.splitlines(), ""]:
        if line.startswith("```"):
            fenced = not fenced
        indented = line.startswith("    ") and not fenced
        above = found[-1] if found else ""
        if indented and (block or not above.strip() or above.startswith("#")):
            if above.startswith("#") and not block:
                found.append("")
            block.append(line)
            continue
        if block:
            found += formulas(block)
            block = []
        found.append(line)
    return "\n".join(found[:-1]) + "\n"


def formulas(block: list[str]) -> list[str]:
    """Return the lines of a block as formulas, each in lines of its own; the block itself where one is none."""
    if any(NO_FORMULA.search(line) for line in block):
        return block
    lines = []
    for line in block:
        number = TAG.search(line)
        try:
            rows = [latex(row) for row in fitting(line[: number.start()] if number else line)]
            for row in rows:
                latex2mathml.tex2mathml(row, as_block=True)
        except (MathError, ValueError, IndexError, KeyError, AttributeError, TypeError):
            return block
        rows[-1] += rf" \tag{{{number.group(1)}}}" if number else ""
        for row in rows:
            lines += ["$$", row, "$$", ""]
    return lines[:-1]


def fitting(line: str) -> list[str]:
    """Return a line as lines that a page has room for, broken at its wide gaps."""
    indent = line[: len(line) - len(line.lstrip())]
    rows = [line]
    while len(rows[-1].strip()) > WIDEST:
        gaps = [one for one in re.finditer(r"\s{2,}", rows[-1].rstrip()) if one.start() > len(indent) + SYMBOL]
        fits = [one for one in gaps if one.start() - len(indent) <= WIDEST] or gaps[:1]
        if not fits:
            return rows
        gap = fits[-1]
        rows[-1:] = [rows[-1][: gap.start()], indent + rows[-1][gap.end() :]]
    return rows


def latex(line: str) -> str:
    """Return a line of plain text as LaTeX."""
    indent = r"\qquad " if line.startswith("     ") else ""
    line = DIFFERENTIAL.sub("ⅆ", re.sub(r"\bd2(?=[A-Za-z])", "ⅆ²", line))
    line = DOT.sub(" · ", line)
    line = re.sub(r"\b(d[a-z])2\b", r"\1^2", line)
    line = re.sub(r"\b([A-Z])(\d)(?:_([a-z]+))?\b", lambda one: f"{one[1]}_{{{one[2]}{one[3] or ''}}}", line)
    line = re.sub(r"(?<=[A-Za-z)\]]) x (?=[A-Za-z(])", " × ", line)
    line = re.sub(r"(?<=[A-Za-z0-9])\*(?![A-Za-z0-9(*])", "^{*}", line)  # the star of E*, which no factor follows
    columns = re.split(r"\s{2,}", line.strip())
    return indent + r" \qquad ".join(column(one) for one in columns)


def column(text: str) -> str:
    """Return what stands between wide gaps as LaTeX: words as words, the rest as mathematics."""
    out: list[str] = []
    closing: list[str] = []  # what a bracket ends with, by its depth
    parts = PARTS.findall(text)
    for place, part in enumerate(parts):
        if part.startswith("`"):
            out.append(rf"\text{{{part.strip('`').replace('_', ' ')}}}")
        elif part == "sqrt(":
            out.append(r"\sqrt{")
            closing.append("}")
        elif part in ("^(", "^-("):
            out.append("^{" + part[1:-1])
            closing.append("}")
        elif part == "(":
            out.append("(")
            closing.append(")")
        elif part == ")":
            out.append(closing.pop() if closing else ")")
        elif part[0] == "^":
            inner = part[1:].strip("{}")
            out.append("^{" + (column(inner) if inner.isalpha() else inner) + "}")
        elif part[0] == "_" and len(part) > 1:
            out.append("_{" + subscript(part[1:].strip("{}()")) + "}")
        elif part.endswith("'s"):
            out.append(rf"\text{{{part}}}")
        elif part[0] == "'":
            out.append("^{" + r"\prime" * len(part) + "}")
        elif part.isascii() and part.isalpha():
            out.append(word(part, text))
        elif part in LETTERS:
            out.append(rf"\{LETTERS[part]} ")
        elif part.isspace():
            out.append(space(out[-1] if out else "", parts[place + 1] if place + 1 < len(parts) else ""))
        else:
            out.append(SIGNS.get(part, part))
    if closing:
        raise ValueError(text)
    merged = "".join(out).replace("}^{\\prime", "}{}^{\\prime")
    while merged != (merged := TWO_TEXTS.sub(r"\1 ", merged)):
        pass
    return merged


def space(before: str, after: str) -> str:
    """Return the gap between two parts: that of a text about words, a thin one in products, none about signs."""
    if before.startswith(r"\text") or (len(after) > 1 and word(after, after).startswith(r"\text")):
        return r"\ "
    sign = before.startswith("\\") and before in SIGNS.values()
    if before[-1:] in "+-=,<>/" or after[:1] in "+-=,<>/×·" or sign:
        return " "
    return r"\,"


def subscript(text: str) -> str:
    """Return an index: Greek names as letters, also before a capital as in ``tauA``; words upright, not ``ij``."""
    parts = re.findall(r"[A-Z](?=alpha|beta)|tau(?=[A-Z])|[A-Za-z]+|[0-9]+|.", text)
    return "".join(
        rf"\{one} " if one in GREEK else rf"\{LETTERS[one]} " if one in LETTERS
        else rf"\mathrm{{{one}}}" if one.isalpha() and len(one) > 1 and not VARIABLES.fullmatch(one) else one
        for one in parts
    )  # fmt: skip


def word(part: str, text: str) -> str:
    """Return letters as a symbol, a function, a differential or as a word."""
    if not part.isalpha():
        return rf"\text{{{part}}}" if part.endswith("'s") else part
    if len(part) == 1 and part != "a":
        return part
    if part in GREEK:
        return rf"\{part} "
    if part in FUNCTIONS:
        return rf"\{part} "
    if part in NAMES:
        return rf"\operatorname{{{part}}}\,"
    if part in ("int", "sum"):
        return rf"\{part} "
    if part[0] == "d" and (part[1:] in GREEK or len(part) == 2) and part not in ("do",):
        return rf"\mathrm{{d}}{word(part[1:], text)}"
    if part == "a":
        return r"\text{a}" if re.search(r"\ba [a-z]{3}", text) else "a"
    if len(part) == 2 and part[0].isupper() and part[1].isupper():
        return " ".join(part)
    return rf"\text{{{part}}}"


__all__ = ["with_formulas"]
