"""Exports: every value once, under its labels and units; whole or not at all."""

from __future__ import annotations

import csv
import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import histories
import numpy as np
import openpyxl
import pytest
from datasets import contact_dataset
from made_up_study import ERROR, made_up

import alegear as ag
from alegear import cli
from alegear.errors import Fault
from alegear.results import export
from alegear.results.contact_result import contact_summary
from alegear.storage.whole_file import StorageFailure


def result(*, complete: bool = True, **changes: Any) -> ag.Result:
    history = histories.static_history(4)
    dataset = contact_dataset(history, replace(histories.CASE, complete=complete))
    return ag.Result(
        dataset=dataset, summary=contact_summary(history, histories.FACTS) | {"complete": complete} | changes
    )


def read(path: Path) -> list[list[str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_every_value_stands_in_its_row(tmp_path):
    one = result()
    folder = one.to_csv(tmp_path / "out")
    head, *rows = read(folder / "position_pair_slice.csv")
    column = head.index("contact_pressure [Pa]")
    assert head[:3] == ["position", "pair", "slice [m]"]
    pressure = one.dataset["contact_pressure"]
    assert len(rows) == pressure.size
    for row in rows:
        chosen = pressure.sel(position=int(row[0]), pair=int(row[1]), slice=float(row[2]))
        assert float(row[column]) == float(chosen)  # to the last digit


def test_all_variables_are_there_once(tmp_path):
    one = result()
    folder = one.to_csv(tmp_path / "out", fields=True)
    told = [name for row in read(folder / "contents.csv")[1:] for name in row[2].split(", ")]
    assert sorted(told) == sorted(str(name) for name in one.dataset.data_vars)
    for file, rows, _ in read(folder / "contents.csv")[1:]:
        assert len(read(folder / file)) == int(rows) + 1
    summary = dict(read(folder / "summary.csv"))
    assert float(summary["te_mean_um"]) == one.summary["te_mean_um"]
    assert summary["seconds.mesh"] == "1.0"


def test_fields_are_left_out_and_named_unless_asked_for(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fields = ["root_stress_fillet", "root_stress_fillet_principal"]
    n = result().dataset.sizes["position"]
    over_points = {name: (("position", "fillet", "face"), np.ones((n, 3, 2))) for name in fields}
    map_of_points = {"root_stress_range": (("fillet", "face"), np.ones((3, 2)))}
    one = ag.Result(dataset=result().dataset.assign(over_points | map_of_points), summary=result().summary)
    one.save("out")
    assert one.fields_left_out() == fields
    written = {}
    for name, options in (("short", []), ("all", ["--all"]), ("field", ["--only", fields[0]])):
        assert cli.main(["export", "out", "--csv", "--out", name, *options]) == 0
        written[name] = {word for row in read(Path(name) / "contents.csv")[1:] for word in row[2].split(", ")}
        assert (f"left out: {', '.join(fields)}" in capsys.readouterr().err) == (name == "short")
    assert written["all"] - written["short"] == set(fields)
    assert "root_stress_range" in written["short"]  # over the points, but of no position: a map
    assert written["field"] == {fields[0]}
    assert one.fields_left_out(without=fields[:1]) == fields[1:]


def test_what_was_not_computed_is_empty(tmp_path):
    head, *rows = read(result().to_csv(tmp_path / "out") / "position_gear_pair_side.csv")
    stress = head.index("root_stress [Pa]")
    empty = {row[head.index("pair")] for row in rows if row[stress] == ""}
    assert empty == {"-1"}  # NaN in the history


def test_labels_that_go_over_several_dimensions_are_columns_too():
    dataset = result().dataset.assign_coords(depth=(("gear", "limit"), np.arange(4.0).reshape(2, 2), {"units": "mm"}))
    (table,) = export.tables_of({"": dataset}, only=["flank_limit"])
    assert table.head == ["gear", "limit", "depth [mm]", "flank_limit [m]"]
    rows = list(table.rows())
    assert [row[2] for row in rows] == [0.0, 1.0, 2.0, 3.0]
    swapped = dataset.assign_coords(depth=(("limit", "gear"), np.arange(4.0).reshape(2, 2), {"units": "mm"}))
    (table,) = export.tables_of({"": swapped}, only=["flank_limit"])
    assert [row[2] for row in table.rows()] == [0.0, 2.0, 1.0, 3.0]


@pytest.mark.parametrize("block", [1, 7, 100_000])
def test_blocks_do_not_matter(monkeypatch, block):
    tables = export.tables_of({"": result().dataset})
    whole = [list(table.rows()) for table in tables]
    monkeypatch.setattr(export, "BLOCK", block)
    assert [list(table.rows()) for table in tables] == whole
    assert [len(rows) for rows in whole] == [table.n_rows for table in tables]


def test_a_workbook_holds_the_same(tmp_path):
    one = result()
    book = openpyxl.load_workbook(one.to_excel(tmp_path / "F.xlsx"))
    rows = list(book["position_pair"].iter_rows(values_only=True))
    assert rows[0] == ("position", "pair", "tooth_load [N]")
    assert [row[2] for row in rows[1:]] == one.dataset["tooth_load"].values.ravel().tolist()
    assert dict(book["summary"].iter_rows(values_only=True))["te_mean_um"] == one.summary["te_mean_um"]
    sheets = [row[0] for row in book["contents"].iter_rows(min_row=4, values_only=True)]
    assert sheets == [name for name in book.sheetnames if name not in ("contents", "summary")]


def test_long_tables_go_on_in_further_sheets(tmp_path, monkeypatch):
    monkeypatch.setattr(export, "SHEET_ROWS", 6)  # head and five
    one = result()
    book = openpyxl.load_workbook(one.to_excel(tmp_path / "F.xlsx", only=["tooth_load"]))
    names = ["position_pair", "position_pair_2", "position_pair_3"]
    assert book.sheetnames == ["contents", "summary", *names]
    load = [row[2] for name in names for row in book[name].iter_rows(min_row=2, values_only=True)]
    assert load == one.dataset["tooth_load"].values.ravel().tolist()
    assert book["contents"]["B5"].value == "position_pair, part 2 of 3"


def test_too_many_rows_are_refused_with_what_to_leave_out(tmp_path, monkeypatch):
    monkeypatch.setattr(export, "WORKBOOK_ROWS", 500)
    with pytest.raises(Fault, match=r"rows of the workbook = [\d,]+: must be at most 500.*--without"):
        result().to_excel(tmp_path / "F.xlsx")
    assert not list(tmp_path.iterdir())
    result().to_csv(tmp_path / "out")  # has no limit


def test_an_incomplete_result_says_so_on_top(tmp_path):
    one = result(complete=False)
    folder = one.to_csv(tmp_path / "out")
    for file in folder.glob("*.csv"):
        assert file.read_text().startswith("# incomplete result")
    book = openpyxl.load_workbook(one.to_excel(tmp_path / "F.xlsx"))
    for sheet in ("contents", "summary"):
        assert str(book[sheet]["A1"].value).startswith("incomplete result")
    assert "incomplete" not in (result().to_csv(tmp_path / "whole") / "contents.csv").read_text()


def test_names_that_look_like_formulas_stay_names(tmp_path):
    dataset = result().dataset.assign_coords(gear=["=1+1", "wheel\n\x1b[31m"])
    one = ag.Result(dataset=dataset, summary={"complete": True, "case_sha256": ""})
    book = openpyxl.load_workbook(one.to_excel(tmp_path / "F.xlsx", only=["flank_limit"]))
    cell = book["gear_limit"]["A2"]
    assert (cell.value, cell.data_type) == ("=1+1", "s")
    assert book["gear_limit"]["A4"].value == r"wheel\n\x1b[31m"


def test_sheets_have_names_that_excel_takes():
    names = ["a" * 40, "A" * 40, "x/y:z", "contents", ""]
    found = list(export._distinct(names, letters=31, taken=("contents",)))
    assert len({name.lower() for name in found}) == len(names)
    assert all(0 < len(name) <= 31 and not set(name) & set("[]:*?/\\") for name in found)


def test_another_export_takes_the_place_of_the_older_one_and_of_nothing_else(tmp_path):
    folder = result().to_csv(tmp_path / "out")
    (folder / "notes.txt").write_text("mine")
    result().to_csv(folder, only=["tooth_load"])
    assert sorted(file.name for file in folder.iterdir()) == [
        "about.json", "contents.csv", "notes.txt", "position_pair.csv", "summary.csv", "summary.json",
    ]  # fmt: skip


def test_files_of_the_user_are_not_replaced(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "summary.csv").write_text("mine")
    with pytest.raises(Fault, match=r"summary\.csv that alegear has not written"):
        result().to_csv(folder)
    assert (folder / "summary.csv").read_text() == "mine"


@pytest.mark.parametrize("name", ["F.xls", "F", "result.nc"])
def test_a_workbook_is_called_xlsx(tmp_path, name):
    with pytest.raises(Fault, match=r"ends with \.xlsx"):
        result().to_excel(tmp_path / name)


def test_variables_that_there_are_not(tmp_path):
    with pytest.raises(Fault, match='variable = "tooth_lod"'):
        result().to_csv(tmp_path / "out", without=["tooth_lod"])
    with pytest.raises(Fault, match="at least one"):
        result().to_csv(tmp_path / "out", only=["tooth_load"], without=["tooth_load"])
    assert not list(tmp_path.iterdir())


def no_space(*_: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    one = result()
    folder, book = one.to_csv(tmp_path / "out"), one.to_excel(tmp_path / "F.xlsx")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with monkeypatch.context() as full:
        full.setattr(export, "_plain", no_space)  # in the middle of the rows
        with pytest.raises(StorageFailure, match="No space left"):
            one.to_csv(folder)
        with pytest.raises(StorageFailure, match="No space left"):
            one.to_excel(book)
    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(StorageFailure, match="No space left"):
        one.to_excel(book)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result().save("out")
    assert cli.main(["export", "out", "--csv"]) == 0
    assert (tmp_path / "out" / "tables" / "position.csv").exists()
    assert cli.main(["export", "out", "--xlsx", "--only", "tooth_load", "--out", "F.xlsx"]) == 0
    assert (tmp_path / "F.xlsx").exists()
    capsys.readouterr()
    for wrong in (["export", "out"], ["export", "out", "--csv", "--xlsx"], ["export", "nowhere", "--csv"]):
        assert cli.main(wrong) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_tables_of_studies_are_named_after_their_points():
    dataset = result().dataset
    study = dataset.assign_attrs(axes='{"position": ["position"], "pair": ["pair"]}')
    names = {table.name for table in export.tables_of({"": study}, only=["tooth_load", "line_load", "flank_limit"])}
    assert names == {"points", "points_slice", "gear_limit"}


def test_a_damaged_file_is_a_fault_of_the_result_and_not_of_the_writing(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result().save("out")
    (tmp_path / "out" / "about.json").unlink()  # else the checksum tells of it, before anything is read
    file = tmp_path / "out" / "result.nc"
    packed = {"line_load": {"zlib": True}, "transmission_error": {"zlib": True}}
    result().dataset.to_netcdf(file, engine="h5netcdf", encoding=packed)  # small ones are stored as they are
    content = bytearray(file.read_bytes())
    with h5py.File(file) as opened:  # the first block of a variable is overwritten where it stands
        block = opened["line_load"].id.get_chunk_info(0)
    content[block.byte_offset : block.byte_offset + block.size] = b"\xff" * block.size
    file.write_bytes(content)
    for kind in ("--csv", "--xlsx"):
        assert cli.main(["export", "out", kind]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "result.nc: must be a file whose values can be read" in line
        assert "it is damaged: run the case again" in line
    assert not {"tables", "result.xlsx"} & {path.name for path in (tmp_path / "out").iterdir()}
    assert cli.main(["export", "out", "--csv", "--only", "transmission_error"]) == 0  # what can be read, is written


def test_failed_points_of_a_study_are_empty_cells_and_told(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = ERROR.copy()
    error[1, 0] = np.nan
    made_up(error).save("out")
    assert cli.main(["export", "out", "--csv"]) == 0
    assert "warning: 1 of 9 points could not be computed" in capsys.readouterr().err
    head, *rows = read(tmp_path / "out" / "tables" / "points.csv")
    (failed,) = [row for row in rows if row[head.index("failure")]]
    assert failed[head.index("te_peak_to_peak [m]")] == ""
    assert all(row[head.index("te_peak_to_peak [m]")] for row in rows if row is not failed)


def test_a_result_that_is_not_there_is_told_without_the_words_of_the_system(tmp_path):
    with pytest.raises(Fault) as caught:
        ag.load(tmp_path / "nowhere")
    assert "readable summary.json (No such file or directory); run the case first" in str(caught.value)
