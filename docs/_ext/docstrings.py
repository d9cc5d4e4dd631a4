"""Docstrings as reStructuredText: formulas on lines of their own are drawn, parameters of base classes written out."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from itertools import takewhile
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from linear_formulas import formulas
from sphinx.application import Sphinx

from alegear.parameters import (
    ByName,
    Columns,
    CsvFile,
    Declaration,
    Grid,
    Inlined,
    Joined,
    Number,
    Numbers,
    OneOf,
    Parameter,
    SubTable,
    parameters_of,
)
from alegear.units import UNITS

LITERAL = re.compile(r"(``.*?``|`[^`]*`)")
AS_OF = re.compile(r"    As of :class:`~?([\w.]+)`\.$")
TWO_PARAMETERS = re.compile(r"([a-z]\w*(?:, \w+)* : [^:]+), ([a-z]\w*(?:, \w+)* : [^:]+)", flags=re.IGNORECASE)
CLASS = re.compile(r"<class '(\w+)'>")
#: What a Raises section means that names the error alone.
REASONS = {
    "Fault": "For a value outside its limits.",
    "AnalysisFailure": "If it cannot be finished.",
    "Fault, AnalysisFailure": "As :func:`alegear.run`.",
    "StorageFailure": "If a file cannot be written.",
    "CaseFaults": "With every fault that was found.",
    "NonConvergence": "If the equations are not solved to their tolerance.",
}


def prepare(app: Sphinx, kind: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Change the lines of a docstring in place, before its sections are read."""
    if kind in ("attribute", "data", "property"):
        # napoleon takes what stands before a colon for the type
        lines[:] = [line.replace(": ", " – ") for line in lines]
    if kind == "class":
        lines[:] = with_declared(lines, value)
    lines[:] = with_formulas(with_reasons(with_one_each(with_inherited(lines, value))))


def signature(
    app: Sphinx, kind: str, name: str, value: Any, options: Any, arguments: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Return a signature whose defaults that are made anew each time are dots, and classes are their names."""
    return (arguments and CLASS.sub(r"\1", arguments.replace("<factory>", "...")), returns)


def with_inherited(lines: list[str], value: Any) -> list[str]:
    """Return the lines with the parameters of a base class in place of ``As of ...``, which may have no page."""
    found: list[str] = []
    for line in lines:
        as_of = AS_OF.fullmatch(line)
        if as_of is None or not found:
            found.append(line)
            continue
        module, _, name = as_of[1].rpartition(".")
        base = getattr(importlib.import_module(module or value.__module__), name)
        wanted = {name.strip() for name in found.pop().split(",")}
        for head, body in _entries_of(base):
            names = [name.strip() for name in head.partition(" : ")[0].split(",")]
            shown = [name for name in names if name in wanted]
            if shown:
                found += [", ".join(shown) + head[len(head.partition(" : ")[0]) :], *body]
                wanted -= set(shown)
        if wanted:
            raise LookupError(f"parameters {sorted(wanted)} = not found: must be described in {name}")
    return found


def _entries_of(base: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield the parameters of a class or function, declared ones too, then those that its bases describe."""
    for one in inspect.getmro(base) if inspect.isclass(base) else (base,):
        own = with_declared(inspect.cleandoc(one.__doc__ or "").splitlines(), one)
        yield from entries(with_inherited(own, one))


def entries(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Return each parameter of a docstring as its head and what is indented below."""
    if "Parameters" not in lines:
        return []
    found: list[tuple[str, list[str]]] = []
    for line in lines[lines.index("Parameters") + 2 :]:
        if line and set(line) == {"-"}:
            return found[:-1]  # the heading of the next section
        if line.startswith("    "):
            found[-1][1].append(line)
        elif line:
            found.append((line, []))
    return found


def with_declared(lines: list[str], value: Any) -> list[str]:
    """Return the lines of a class with the parameters that its fields declare, before those its docstring tells of."""
    if not dataclasses.is_dataclass(value):
        return lines
    told = {name.strip() for head, _ in entries(lines) for name in head.partition(" : ")[0].split(",")}
    declared = [line for one in parameters_of(value) if one.name not in told for line in entry_of(one)]
    if not declared:
        return lines
    if "Parameters" in lines:
        at = lines.index("Parameters") + 2
        return lines[:at] + declared + lines[at:]
    sections = [i for i, line in enumerate(lines[1:]) if line and set(line) == {"-"}]
    at = sections[0] if sections else len(lines)
    return [*lines[:at], "", "Parameters", "----------", *declared, "", *lines[at:]]


def entry_of(parameter: Parameter) -> list[str]:
    """Return a declared parameter as numpydoc has it, in SI units."""
    kinds, words = zip(*forms_of(parameter, parameter.declaration), strict=True)
    kind = " or ".join(dict.fromkeys([*kinds, *(["None"] if parameter.optional else [])]))
    text = OF_FILES.sub(lambda found: f" in {SI[found[1]]}", "; ".join(dict.fromkeys(words)))
    return [f"{parameter.name} : {kind}", f"    {text[:1].upper()}{text[1:].rstrip(',')}."]


#: Units of files in words -> those of Python.
SI = {unit.words or name: unit.si for name, unit in UNITS.items() if unit.si}
OF_FILES = re.compile(rf" in ({'|'.join(map(re.escape, sorted(SI, key=len, reverse=True)))})(?![\w/])")


def forms_of(parameter: Parameter, form: Declaration) -> Iterator[tuple[str, str]]:
    """Yield kind and words of each form in which a parameter is given."""
    if isinstance(form, OneOf):
        for one in form.forms:
            if not isinstance(one, CsvFile):
                yield from forms_of(parameter, one)
    elif isinstance(form, Number):
        unit = UNITS[form.limits.unit].si or form.limits.unit
        kind = "int" if form.limits.whole else "float"
        yield f"{kind} [{unit}]" if unit else kind, form.limits.words or form.limits.quantity
    elif isinstance(form, Numbers):
        unit = UNITS[form.each.unit].si or form.each.unit
        shape = f"shape ({form.least},)" if form.least == form.most else "shape (n,)"
        yield f"{shape} [{unit}]" if unit else shape, form.words
    elif isinstance(form, Joined):
        yield f"shape ({sum(one.least for one in form.parts)},)", "; ".join(one.words for one in form.parts)
    elif isinstance(form, Inlined):
        yield form.of.__name__, (inspect.getdoc(form.of) or "").partition("\n")[0].rstrip(".")
    else:
        kinds = {Columns: "rows", Grid: "rows", SubTable: "Sine", ByName: "mapping"}
        words = "; ".join(key.words for key in form.keys(parameter))
        yield kinds.get(type(form)) or _kind(parameter.kind), words


def _kind(kind: Any) -> str:
    """Return a type in a word."""
    some = [
        one for one in (get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)) if one is not NoneType
    ]
    kind = some[0] if len(some) == 1 else kind
    if get_origin(kind) is Literal:
        return "{" + ", ".join(f'"{word}"' for word in get_args(kind)) + "}"
    if get_origin(kind) is tuple:
        return f"({', '.join(map(_kind, get_args(kind)))})"
    return "array" if get_origin(kind) is Union else getattr(kind, "__name__", "array")


def with_one_each(lines: list[str]) -> list[str]:
    """Return the lines with ``a : float [N], b : float [m]`` as two parameters; the text below is of both."""
    found: list[str] = []
    for number, line in enumerate(lines):
        head = TWO_PARAMETERS.fullmatch(line)
        below = takewhile(lambda one: one.startswith("    "), lines[number + 1 :])
        found += [head[1], *below, head[2]] if head else [line]
    return found


def with_reasons(lines: list[str]) -> list[str]:
    """Return the lines with a reason below each error that a Raises section names alone."""
    found: list[str] = []
    raises = False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if following and set(following) == {"-"}:
            raises = line == "Raises"
        found.append(line)
        if raises and line in REASONS and not following.startswith("    "):
            found.append(f"    {REASONS[line]}")
    return found


def with_formulas(lines: list[str]) -> list[str]:
    """Return the lines with each indented block of the text and of its notes as a formula; bars are escaped elsewhere.

    What is indented in a section of parameters describes one of them, and stays.
    """
    found: list[str] = []
    block: list[str] = []
    prose = True
    for number, line in enumerate([*lines, ""]):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if following and set(following) == {"-"}:
            prose = line.strip() == "Notes"
        begins = prose and line.startswith("    ") and not (found and found[-1].strip())
        if begins and any(one.strip().startswith("..") or one.strip().endswith("::") for one in found[-3:]):
            begins = False  # a directive has it
        if begins or (block and line.startswith("    ")):
            block.append(line)
            continue
        found += drawn(block)
        block = []
        found.append(escaped(line))
    return found[:-1]


def drawn(block: list[str]) -> list[str]:
    """Return a block as formulas, or as it is written where it is none."""
    if not block:
        return []
    written = formulas(block)
    if written == block:
        return [".. code-block:: text", "", *block, ""]
    return [
        line for formula in written if formula not in ("$$", "") for line in (".. math::", "", f"    {formula}", "")
    ]


def escaped(line: str) -> str:
    """Return a line whose bars are no substitutions; those in literals stay."""
    parts = LITERAL.split(line)
    return "".join(part if i % 2 else part.replace("|", "\\|") for i, part in enumerate(parts))


def setup(app: Sphinx) -> dict[str, Any]:
    """Come before napoleon, which reads the sections."""
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-process-docstring", prepare, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
