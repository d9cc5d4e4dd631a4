"""The report of a result: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from alegear._version import __version__
from alegear.errors import Fault
from alegear.limits import path_of
from alegear.pictures.files import reason_of
from alegear.pictures.of_results import pictures
from alegear.pictures.picture import Picture, labelled
from alegear.pictures.svg import svg
from alegear.pictures.titles import words
from alegear.report.blocks import Block, Figure, TableBlock, Text, cell, is_number, numeric_columns
from alegear.report.section import ReportSection
from alegear.report.sections import sections
from alegear.report.values import label_of
from alegear.results.load import load
from alegear.results.reading import lead_of
from alegear.results.result import Result
from alegear.storage.store import REPORT, damaged

if TYPE_CHECKING:
    from jinja2 import Template

#: How the name of a report ends.
ENDINGS = (".html", ".htm")
#: Sections from this position on stand behind those of the meshes, too.
LAST = 900


@dataclass(frozen=True, kw_only=True, eq=False)
class Chapter:
    """A section of a result as the template writes it.

    Parameters
    ----------
    anchor, title : str
    blocks : tuple of Block
    """

    anchor: str
    title: str
    blocks: tuple[Block, ...]


def write_report(result: Result | str | Path, out: str | Path | None = None) -> Path:
    """Write the report of a result: one HTML file, with its pictures, for the screen and for paper.

    Parameters
    ----------
    result : Result or path
        Of any kind of study, or the folder that holds it; an incomplete one is marked at its top.
    out : path, optional
        Name of the file, which ends with ``.html``. Default: ``report.html`` in the folder of the result.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    Fault
        If there is no result or it cannot be read, or the file cannot be of that name.
    StorageFailure
        If it cannot be written; an older report is then unchanged.

    Examples
    --------
    >>> import alegear as ag
    >>> ag.write_report("results")  # doctest: +SKIP
    """
    result = result if isinstance(result, Result) else load(result)
    if out is None and result.directory is None:
        raise Fault("out", None, "the name of a file: the result is in no folder", 'give out="report.html"')
    path = path_of(out, "report") if out is not None else Path(result.directory or "") / REPORT
    if path.suffix.lower() not in ENDINGS:
        raise Fault("report", path, "a file whose name ends with .html", "choose another --out")
    if path.is_dir() or not path.parent.is_dir():
        what = "a file, not a folder" if path.is_dir() else f"in an existing folder; {path.parent} does not exist"
        raise Fault("report", path, what, "choose another --out")
    result.write_beside(path, report_html(result).encode())
    return path


def report_html(result: Result) -> str:
    """Return the report of a result as HTML.

    Raises
    ------
    Fault
        If a part of the result cannot be read.
    """
    attributes = result.dataset.attrs
    return _template().render(
        title=attributes.get("title") or "alegear",
        complete=result.complete,
        chapters=list(_chapters(result)),
        version=__version__,
        digest=str(result.summary.get("case_sha256", ""))[:12],
        started=result.record.started,
        analysis=result.summary.get("analysis", ""),
        missing=list(_missing(result)),
        cell=cell,
        is_number=is_number,
        numeric_columns=numeric_columns,
    )


def _chapters(result: Result) -> Iterator[Chapter]:
    """Chapters of the result, those of its meshes behind the ones of the machine; the text of the case is the last."""
    parts = [("", result), *result.meshes().items()]
    found = [one for number, (name, part) in enumerate(parts) for one in _chapters_of(part, name, number)]
    for _, chapter in sorted(found, key=lambda one: one[0] >= LAST):
        yield chapter


def _chapters_of(part: Result, name: str, number: int) -> Iterator[tuple[int, Chapter]]:
    """Chapters of a result or of a mesh, with their places: a section, then the pictures of its title."""
    written = [one for one in sections() if (not name or (one.of_meshes and one.order < LAST)) and one.holds(part)]
    shown = labelled(part)
    drawn = [one for one in pictures() if one.holds(shown)]
    orders: dict[str, int] = {}
    for order, title in [(one.order, one.title) for one in written] + [(one.order, one.heading) for one in drawn]:
        orders[title] = min(order, orders.get(title, order))
    for title, order in sorted(orders.items(), key=lambda one: one[1]):
        blocks = [block for one in written if one.title == title for block in _read(one, part)]
        blocks += [_drawn(one, shown, f"{name}/{one.name}") for one in drawn if one.heading == title]
        if blocks:
            whole = f"Mesh {name}: {title.lower()}" if name else title
            yield order, Chapter(anchor=f"s{order}-{number}", title=whole, blocks=tuple(blocks))


def _read(section: ReportSection, part: Result) -> tuple[Block, ...]:
    """What a section shows, without tables that have no rows; its values are read only now."""
    try:
        blocks = tuple(section.blocks(part))
        return tuple(one for one in blocks if not isinstance(one, TableBlock) or len(one.rows))
    except (OSError, RuntimeError) as error:
        raise _damaged(part, error) from error


def _drawn(picture: Picture, part: Result, salt: str) -> Block:
    """A picture, or why it could not be drawn: it costs nothing else."""
    try:
        caption = picture.caption(part)
        return Figure(svg=svg(lambda: picture.draw(part), salt, caption, title=words(part.dataset)), caption=caption)
    except (OSError, RuntimeError) as error:
        raise _damaged(part, error) from error
    except Exception as error:  # whatever goes wrong in it
        return Text(text=f"The picture {picture.name} could not be drawn: {reason_of(error)}", kind="warning")


def _damaged(part: Result, error: Exception) -> Fault:
    return damaged(part.directory / part.FILE if part.directory is not None else "in memory", error)


def _missing(result: Result) -> Iterator[str]:
    """What an incomplete result lacks: how far it came, and what was not computed."""
    dataset = result.dataset
    lead = lead_of(dataset) or ("point" if "point" in dataset.dims else None)
    count = 0 if lead is None else dataset.sizes[lead]
    words = {"time": "output times", "position": "positions", "position_number": "positions", "point": "points"}
    if lead is not None:
        reached = ""
        if lead == "time" and count:
            reached = f", the last at {cell(float(dataset['time'].values[-1]))} s"
        yield f"it holds {count} {words[lead]}{reached}; what the case asks for beyond is missing"
    empty = [name for name, value in result.summary.items() if value is None]
    if empty:
        yield f"not computed, or not part of this analysis: {', '.join(map(label_of, empty))}"
    flexible = [name for name, one in result.summary.get("meshes", {}).items() if "contact_law" in one]
    absent = [name for name in flexible if name not in result.meshes()]
    if absent and result.directory is not None and count:
        yield f"no curves of meshes {', '.join(absent)}"


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("alegear.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["css_text"] = css_text
    return environment.get_template("report.html")


def css_text(text: str) -> Markup:
    """Write a text between the quotation marks of a style sheet: what is not a letter or a digit by its number."""
    return Markup("".join(c if c.isalnum() or c == " " else f"\\{ord(c):x} " for c in text))
