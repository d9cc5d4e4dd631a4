"""Reports: self-contained, whole or not at all, with the sections that a result has."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import histories
import pytest
import small_cases
from datasets import contact_dataset

import alegear as ag
from alegear.errors import Fault
from alegear.pictures.of_results import pictures
from alegear.report import report
from alegear.report.blocks import TableBlock
from alegear.report.report import css_text, report_html, write_report
from alegear.report.section import ReportSection
from alegear.report.sections import sections
from alegear.results.contact_result import contact_summary
from alegear.results.dataset import Identity
from alegear.storage import store
from alegear.storage.whole_file import StorageFailure

#: Elements without an end.
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """Headings, texts and open elements of a page; what a page would load from elsewhere."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.titles: list[str] = []
        self.loads: list[str] = []
        self.named: list[str] = []
        self.used: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self._note(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self._note(tag, attrs)

    def _note(self, tag: str, attrs: Any) -> None:
        self.loads += [f"{tag} {key}={value}" for key, value in attrs if key in ("src", "data", "xlink:href")]
        within = ("#", "data:image/png;base64,")
        self.loads += [f"{tag} {value}" for key, value in attrs if key == "href" and not value.startswith(within)]
        self.named += [value for key, value in attrs if key == "id"]
        self.used += [name for _, value in attrs for name in re.findall(r"url\(#(.*?)\)|^#(.*)$", value or "")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open and self.open[-1] == "h2":
            self.titles.append(data)


def made_up(title: str = "made up", **changes: Any) -> ag.Result:
    history = histories.static_history(8)
    summary = contact_summary(history, histories.FACTS) | changes
    return ag.Result(dataset=contact_dataset(history, Identity(title=title)), summary=summary)


def test_a_report_holds_all_it_needs(tmp_path):
    result = small_cases.result_of(small_cases.static_text(tables=small_cases.bearings()))
    path = write_report(result, tmp_path / "F.html")
    html = path.read_text()
    page = Page(html)
    assert page.open == []
    assert page.loads == []
    assert not re.search(r"<script|@import|url\((?!#)|<img|<iframe|<link|javascript:", html)
    assert path.stat().st_size < 500_000
    for title in ("Case", "Key figures", "Geometry", "Contact pattern", "Root stress"):
        assert title in page.titles


def test_pictures_of_a_page_do_not_take_each_others_parts():
    """Names are once in a page, each that of a part that is there, and the same when it is written again."""
    result = small_cases.result_of(small_cases.static_text(tables=small_cases.bearings()))
    html = report_html(result)
    page = Page(html)
    assert html.count("<svg") >= 6
    assert len(set(page.named)) == len(page.named)
    assert {name for both in page.used for name in both if name} <= set(page.named)
    assert report_html(result) == html
    assert "phase [pitches], 0 = pair 0 touches at the pitch point" in page.text  # letters stay letters


def test_a_picture_that_fails_costs_nothing_else(monkeypatch):
    def broken(result: ag.Result) -> Any:
        raise ValueError("no\nfont")

    whole = Page(report_html(made_up())).titles
    listed = [replace(one, draw=broken) if one.name == "te" else one for one in pictures()]
    monkeypatch.setattr(report, "pictures", lambda: listed)
    html = report_html(made_up())
    assert "The picture te could not be drawn: ValueError: no font" in html
    assert Page(html).titles == whole


def test_tables_without_rows_are_left_out(monkeypatch):
    """As that of displaced gears of a machine whose only teeth are those of a planetary set."""
    empty = ReportSection(
        title="Gears", order=1, holds=lambda _: True, blocks=lambda _: iter([TableBlock(head=("gear",), rows=[])])
    )
    whole = Page(report_html(made_up())).titles
    monkeypatch.setattr(report, "sections", lambda: [empty, *sections()])
    assert Page(report_html(made_up())).titles == whole


def test_figures_of_the_summary_stand_in_the_report():
    result = small_cases.result_of(small_cases.static_text())
    text = Page(report_html(result)).text
    for key in ("te_mean_um", "te_peak_to_peak_um", "contact_pressure_max_MPa", "edge_pressure_max_MPa"):
        assert f"{result.summary[key]:.5g}".replace("-", "−") in text
    assert result.summary["case_sha256"] in text
    assert "positions_per_pitch" in text or "analysis.positions_per_pitch" in text  # the case


def test_an_incomplete_result_says_so_on_top():
    html = report_html(made_up(complete=False))
    assert html.index("Incomplete result.") < html.index("<nav>")
    assert "Incomplete result." not in report_html(made_up())


def test_a_title_is_text_and_never_markup():
    hostile = '</style><script>alert(1)</script>" & {{ 7 * 7 }}'
    html = report_html(made_up(hostile, warnings=["<b>a</b>"]))
    page = Page(html)
    assert page.open == []
    assert "<script" not in html
    assert "<b>" not in html
    assert "{{ 7 * 7 }}" in page.text
    assert css_text('a"b\\') == "a\\22 b\\5c "


def test_every_section_is_asked_for_what_it_needs():
    """A result that holds next to nothing has a report all the same."""
    dataset = made_up().dataset[["tooth_load"]]
    result = ag.Result(dataset=dataset, summary={"analysis": "static", "complete": True})
    assert Page(report_html(result)).titles == ["Case"]
    orders = [section.order for section in sections()]
    assert orders == sorted(orders)


def test_a_folder_without_a_result_is_one_line(tmp_path):
    with pytest.raises(Fault, match=r"summary\.json"):
        write_report(tmp_path)
    (tmp_path / "summary.json").write_text("{}")
    with pytest.raises(Fault, match=r"readable result\.nc"):
        write_report(tmp_path)


def test_a_damaged_result_is_one_line(tmp_path):
    result = small_cases.result_of(small_cases.static_text())
    out = result.save(tmp_path / "out")
    whole = (out / "result.nc").read_bytes()
    for content in (b"", b"no NetCDF", whole[: len(whole) // 2], whole[:-3000]):
        (out / "result.nc").write_bytes(content)
        with pytest.raises(Fault, match=r"result\.nc") as met:
            write_report(out)
        assert "\n" not in str(met.value)
    flipped = bytearray(whole)
    flipped[len(whole) // 3 : len(whole) // 3 + 4000] = bytes(4000)  # in the middle, where the values are
    (out / "result.nc").write_bytes(flipped)
    with pytest.raises(Fault, match=r"result\.nc: must be the file that alegear wrote"):
        write_report(out)
    assert not (out / "report.html").exists()


@pytest.mark.parametrize("name", ["result.nc", "report", "report.pdf"])
def test_a_report_is_called_html(tmp_path, name):
    with pytest.raises(Fault, match=r"ends with \.html"):
        write_report(made_up(), tmp_path / name)


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(Fault, match="in an existing folder"):
        write_report(made_up(), tmp_path / "nowhere" / "F.html")
    (tmp_path / "G.html").mkdir()
    with pytest.raises(Fault, match="not a folder"):
        write_report(made_up(), tmp_path / "G.html")
    with pytest.raises(Fault, match="out = not given"):
        write_report(made_up())


def test_a_full_disk_leaves_the_older_report(tmp_path, monkeypatch):
    path = tmp_path / "F.html"
    path.write_text("older")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store.os, "fsync", full)
    with pytest.raises(StorageFailure, match="No space left"):
        write_report(made_up(), path)
    assert path.read_text() == "older"
    assert [one.name for one in tmp_path.iterdir()] == ["F.html"]


def test_a_report_is_written_without_what_computed_its_result(tmp_path):
    """A page takes a second and a half; parts of machines, their compiler and SciPy would take as long to import."""
    folder = small_cases.result_of(small_cases.static_text()).save(tmp_path / "out")
    code = (
        "import sys; from alegear.cli import main; assert main(['report', sys.argv[1]]) == 0;"
        "heavy = {'numba', 'scipy', 'pydantic', 'gmsh', 'alegear.system', 'alegear.case'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True)
