"""Results as tables for other programs: CSV files, or the sheets of a workbook of Excel.

Tables are tidy: a row for each combination of the labels of their dimensions, a column for each dimension and variable,
with the unit in its head. Variables of the same dimensions share a table; numbers are SI, as in ``result.nc``.
"""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alegear.errors import Fault, one_line
from alegear.limits import check_kind, check_names
from alegear.storage import lazy_xarray as xr
from alegear.storage.column_file import as_cells
from alegear.storage.store import RESULT, STUDY, SUMMARY, ResultFolder, damaged, stored_files, write_summary
from alegear.storage.stored_files import ABOUT
from alegear.storage.whole_file import StorageFailure, reason_of, write_whole

#: Rows of a sheet of Excel, its head included (Microsoft, "Excel specifications and limits").
SHEET_ROWS = 1_048_576
#: Rows of a workbook: some minutes of writing, and more than Excel opens with ease.
WORKBOOK_ROWS = 4 * SHEET_ROWS
#: Letters of the name of a sheet.
SHEET_NAME = 31
#: Rows in memory at a time.
BLOCK = 100_000
#: List of the tables, in the folder of CSV files and in a workbook.
CONTENTS = "contents"
INCOMPLETE = "incomplete result: the analysis did not come to its end; what it had computed by then"
#: Dimensions of the points of a root fillet: what goes over them and over positions or times is a field.
POINTS_OF_FILLET = ("fillet", "face")
#: What a table without dimensions is called.
SINGLE = "values"


@dataclass(frozen=True, kw_only=True, eq=False)
class ExportTable:
    """Variables of the same dimensions.

    Parameters
    ----------
    name : str
        Of the dimensions, of a mesh of a machine with its name before.
    dataset : xarray.Dataset
    dims : tuple of str
    variables : sequence of str
    """

    name: str
    dataset: xr.Dataset
    dims: tuple[str, ...]
    variables: Sequence[str]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return math.prod(self.dataset.sizes[dim] for dim in self.dims)

    @property
    def labels(self) -> list[str]:
        """Coordinates that are columns: those of the dimensions, and all others that go over them alone."""
        others = [
            str(name)
            for name, one in self.dataset.coords.items()
            if name not in self.dims and one.dims and set(one.dims) <= set(self.dims)
        ]
        return [*self.dims, *others]

    @property
    def head(self) -> list[str]:
        """Names of the columns with their units."""
        return [self._named(name) for name in (*self.labels, *self.variables)]

    def _named(self, name: str) -> str:
        unit = self.dataset[name].attrs.get("units", "1") if name in self.dataset.variables else "1"
        return name if unit == "1" else f"{name} [{unit}]"

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Go through the rows; no more than a block of them is in memory."""
        if not self.dims:
            yield tuple(_plain(_values(self.dataset[name])[()]) for name in self.variables)
            return
        sample_dim, rest = self.dims[0], math.prod(self.dataset.sizes[dim] for dim in self.dims[1:])
        step = max(1, BLOCK // max(rest, 1))
        for begin in range(0, self.dataset.sizes[sample_dim], step):
            part = slice(begin, min(begin + step, self.dataset.sizes[sample_dim]))
            columns = [self._column(name, part) for name in (*self.labels, *self.variables)]
            yield from zip(*columns, strict=True)

    def _column(self, name: str, part: slice) -> list[Any]:
        """Values of a column for a part of the first dimension, in the order of the rows."""
        shape = [part.stop - part.start, *(self.dataset.sizes[dim] for dim in self.dims[1:])]
        if name not in self.dataset.variables:  # a dimension without labels counts from 0
            values, dims = np.arange(self.dataset.sizes[name]), [name]
            values = values[part] if name == self.dims[0] else values
        else:
            one = self.dataset[name]
            one = one.isel({self.dims[0]: part}) if self.dims[0] in one.dims else one
            values, dims = _values(one), [str(dim) for dim in one.dims]
        values = np.transpose(values, sorted(range(len(dims)), key=lambda k: self.dims.index(dims[k])))
        across = [shape[k] if dim in dims else 1 for k, dim in enumerate(self.dims)]
        return [_plain(one) for one in np.broadcast_to(values.reshape(across), shape).ravel().tolist()]


def _values(variable: xr.DataArray) -> Any:
    """Read the values of a variable.

    Raises
    ------
    Fault
        If the file of the result is damaged.
    """
    try:
        return variable.values
    except (OSError, RuntimeError) as error:  # what HDF5 says of a broken filter or block
        raise damaged(variable.encoding.get("source", "in memory"), error) from error


def fields_of(dataset: xr.Dataset) -> list[str]:
    """Return the variables that are fields: over the points of root fillets, at each position or time.

    They are nearly all of the numbers of a result, and of no use as a table.
    """
    leads = {"position", "time"}
    return [
        str(name)
        for name, one in dataset.data_vars.items()
        if set(POINTS_OF_FILLET) & set(one.dims) and leads & set(one.dims)
    ]


def tables_of(
    parts: Mapping[str, xr.Dataset], *, only: Sequence[str] = (), without: Sequence[str] = (), fields: bool = False
) -> list[ExportTable]:
    """Put the variables of datasets into tables.

    Parameters
    ----------
    parts : mapping of str to xarray.Dataset
        The result as a whole, with an empty name, and meshes of a machine.
    only, without : sequence of str
        Variables to write, by default all but fields, and variables to leave out.
    fields : bool
        Whether fields (:func:`fields_of`) are written, too.

    Raises
    ------
    Fault
        For an unknown variable.
    """
    check_kind(fields, "fields", bool)
    check_names(only, "only")
    check_names(without, "without")
    known = dict.fromkeys(str(name) for dataset in parts.values() for name in dataset.data_vars)
    for name in (*only, *without):
        if name not in known:
            raise Fault("variable", f'"{name}"', f"one of the result: {', '.join(known)}", "choose one of them")
    found = []
    for part, dataset in parts.items():
        axes = json.loads(str(dataset.attrs.get("axes", "{}")))
        groups: dict[tuple[str, ...], list[str]] = {}
        left_out = [*without, *([] if only or fields else fields_of(dataset))]
        for variable, values in dataset.data_vars.items():
            if (not only or variable in only) and variable not in left_out:
                groups.setdefault(tuple(str(dim) for dim in values.dims), []).append(str(variable))
        for dims, variables in groups.items():
            name = _name_of(dims, axes)
            table = ExportTable(
                name=f"{part}_{name}" if part else name, dataset=dataset, dims=dims, variables=variables
            )
            found.append(table)
    if not found:
        raise Fault("variables", "none", "at least one", "leave out fewer")
    return found


def _name_of(dims: tuple[str, ...], axes: Iterable[str]) -> str:
    """Name of a table: of its dimensions, of a study those of its points in one word."""
    points = [dim for dim in dims if dim in axes]
    return "_".join(["points"] * bool(points) + [dim for dim in dims if dim not in points]) or SINGLE


def write_csv(
    folder: Path, tables: Sequence[ExportTable], summary: Mapping[str, Any], *, title: str = "", complete: bool = True
) -> Path:
    """Write tables as CSV files into a folder, all of them or none: ``contents.csv``, ``summary.csv``, one a table.

    Files of an earlier export there go; others stay, and are never replaced. In a result folder the tables belong to
    the result, and go with it. Numbers have all digits in which they differ; what was not computed is empty. The files
    of an incomplete result begin with a line that says so, after a ``#``.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    Fault
        If nothing can be written there, or files of these names are there that no export wrote.
    StorageFailure
        If the disk is full: nothing was changed.
    """
    contents, of_summary = f"{CONTENTS}.csv", "summary.csv"
    names = _distinct([table.name for table in tables], letters=100, taken=(CONTENTS, "summary"))
    files = {f"{name}.csv": table for name, table in zip(names, tables, strict=True)}
    home = folder.parent if (folder.parent / ABOUT).exists() else folder
    before = "" if home == folder else f"{folder.name}/"
    listed = stored_files(home).listed
    if home == folder and {RESULT, STUDY} & set(listed):
        raise Fault(
            "folder of the tables", folder, "another one than that of the result", "leave it out, or name another"
        )
    earlier = tuple(name for name in listed if name.startswith(before) and "/" not in name.removeprefix(before))
    parts = tuple(before + name for name in (SUMMARY, contents, of_summary, *files))
    with ResultFolder(home, parts=parts, adds=True, gone=earlier) as work:
        place = work.path / before
        place.mkdir(exist_ok=True)
        rows = [(name, table.n_rows, ", ".join(table.variables)) for name, table in files.items()]
        _write_table(place / contents, ("file", "rows", "variables"), rows, complete=complete)
        _write_table(place / of_summary, ("key", "value"), flat(summary), complete=complete)
        for name, table in files.items():
            _write_table(place / name, table.head, table.rows(), complete=complete)
        write_summary(place, {**summary, "title": title} if title else dict(summary))
        work.commit()
    return folder


def write_excel(
    path: Path,
    tables: Sequence[ExportTable],
    summary: Mapping[str, Any],
    *,
    title: str = "",
    complete: bool = True,
    write: Callable[[Path, memoryview], None] = write_whole,
) -> Path:
    """Write tables as the sheets of a workbook of Excel: contents, summary, one a table.

    A table that is longer than a sheet goes on in others, as the contents tell. An incomplete result says so on top.

    Raises
    ------
    Fault
        If the name does not end with ``.xlsx``, its folder is not there, or the tables have too many rows.
    StorageFailure
        If it cannot be written: an older file is then unchanged.
    """
    _check_workbook(path, tables)
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    contents, of_summary = book.create_sheet(CONTENTS), book.create_sheet("summary")
    rows: list[tuple[Any, ...]] = []
    pieces = [(table, number) for table in tables for number in range(_sheets(table))]
    names = _distinct([table.name for table, _ in pieces], letters=SHEET_NAME, taken=(CONTENTS, "summary"))
    try:
        remaining: Iterator[tuple[Any, ...]] = iter(())
        for (table, number), name in zip(pieces, names, strict=True):
            remaining = remaining if number else table.rows()
            sheet = book.create_sheet(name)
            sheet.freeze_panes = "A2"
            _append(sheet, table.head, bold=True)
            for row in itertools.islice(remaining, SHEET_ROWS - 1):
                _append(sheet, row)
            words = f"{table.name}, part {number + 1} of {_sheets(table)}" if _sheets(table) > 1 else table.name
            rows.append((name, words, table.n_rows, ", ".join(table.variables)))
        if not complete:
            _append(contents, [INCOMPLETE], bold=True, red=True)
        _append(contents, [title or "result"], bold=True)
        _append(contents, ["case", summary.get("case_sha256", "")])
        _append(contents, ["sheet", "table", "rows", "variables"], bold=True)
        for row in rows:
            _append(contents, row)
        if not complete:
            _append(of_summary, [INCOMPLETE], bold=True, red=True)
        _append(of_summary, ["key", "value"], bold=True)
        for row in flat(summary):
            _append(of_summary, row)
        content = io.BytesIO()
        book.save(content)
    except (OSError, Fault) as error:  # sheets wait in the folder for temporary files
        for sheet in book.worksheets:
            with contextlib.suppress(Exception):  # else each complains when it goes
                sheet.close()
        if isinstance(error, Fault):
            raise
        raise StorageFailure(path, reason_of(error)) from error
    write(path, content.getbuffer())
    return path


def flat(summary: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Go through a summary entry by entry; those of tables and lists have keys like ``seconds.mesh``, ``te.1``.

    Examples
    --------
    >>> dict(flat({"a": 1, "b": {"c": 2.5, "d": [3, None]}}))
    {'a': 1, 'b.c': 2.5, 'b.d.1': 3, 'b.d.2': None}
    """
    for key, value in summary.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping):
            yield from flat(value, f"{name}.")
        elif isinstance(value, list | tuple):
            yield from flat({str(number): one for number, one in enumerate(value, start=1)}, f"{name}.")
        else:
            yield name, value


def _check_workbook(path: Path, tables: Sequence[ExportTable]) -> None:
    if path.suffix.lower() != ".xlsx":
        raise Fault("workbook", path, "a file whose name ends with .xlsx", "choose another --out")
    if path.is_dir() or not path.parent.is_dir():
        limit = "a file, not a folder" if path.is_dir() else f"in an existing folder; {path.parent} does not exist"
        raise Fault("workbook", path, limit, "choose another --out")
    total = sum(table.n_rows for table in tables)
    if total > WORKBOOK_ROWS:
        largest = max(tables, key=lambda table: table.n_rows)
        raise Fault(
            "rows of the workbook",
            f"{total:,}",
            f"at most {WORKBOOK_ROWS:,} ({largest.name} has {largest.n_rows:,})",
            f"leave out {', '.join(largest.variables)} (--without), or write --csv, which has no limit",
        )


def _write_table(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]], *, complete: bool) -> None:
    """Write a CSV file row by row."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        if not complete:
            file.write(f"# {INCOMPLETE}\n")
        table = csv.writer(file, lineterminator="\n")
        table.writerow(as_cells(head))
        table.writerows(map(as_cells, rows))


def _sheets(table: ExportTable) -> int:
    """Number of sheets that a table takes, heads counted."""
    return max(1, -(-table.n_rows // (SHEET_ROWS - 1)))


def _distinct(names: Sequence[str], *, letters: int, taken: Sequence[str]) -> Iterator[str]:
    """Shorten names, without what no disk takes, and number those that would be alike, capital letters or not."""
    known = {name.lower() for name in taken}
    for name in names:
        plain = "".join(c if c.isalnum() or c in "_-. " else "_" for c in one_line(name)).strip(". ") or "table"
        for number in itertools.count(1):
            end = "" if number == 1 else f"_{number}"
            found = plain[: letters - len(end)] + end
            if found.lower() not in known:
                known.add(found.lower())
                yield found
                break


def _plain(value: Any) -> Any:
    """A value as tables hold it: what is no number is empty."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _append(sheet: Any, row: Sequence[Any], *, bold: bool = False, red: bool = False) -> None:
    """Append a row to a sheet; texts stay texts, also those that begin as formulas do."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    cells = []
    for value in row:
        if isinstance(value, str):
            cell = WriteOnlyCell(sheet, value=one_line(value))
            cell.data_type = "s"
            if bold:
                cell.font = Font(bold=True, color="FFB00020" if red else None)
            cells.append(cell)
        else:
            cells.append(value)
    sheet.append(cells)
