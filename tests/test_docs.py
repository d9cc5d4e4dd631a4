"""Every block of code of the documentation runs, and prints what its page shows.

A page is read from the top, in a scratch folder with ``meshes/`` in it:

```` ```python ````
    runs in one namespace a page; with a first line ``# file: NAME.py`` it is written there instead.
```` ```toml ````
    with a first line ``# file: NAME.toml`` is written there; every other one must be TOML.
```` ```console ````
    lines ``$ alegear ...`` and ``$ python NAME.py`` are run. What stands below such a line must be what it prints,
    ``...`` for what is left out or differs from run to run; a last line ``[exit code 2]`` says how it ends, else it
    must succeed.
```` ```text ````
    below ``<!-- output -->`` is what the python block before it prints.

``<!-- not run: REASON -->`` before a block leaves it out.
"""

from __future__ import annotations

import ast
import contextlib
import io
import posixpath
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from families import mostly_thorough

from alegear.cli import main

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if not {"_build", "generated"} & set(path.relative_to(DOCS).parts))
PAGES.append(ROOT / "README.md")
READMES = [path for folder in ("alegear", "validation") for path in (ROOT / folder).rglob("README.md")]
BLOCK = re.compile(
    r"(?:^<!-- (?P<note>not run: [^\n]+|output) -->\n+)?"
    r"^(?P<fence>`{3,}|~{3,})(?P<language>\w+)\n(?P<body>.*?)^(?P=fence)[ ]*$",
    flags=re.DOTALL | re.MULTILINE,
)
#: Tutorials of a minute together; what they compute, test_scripts does in short.
LONG = {"noise_study", "bearings_and_overhung_shafts", "run_up", "dynamic_run", "stress_picture"}
FILE = re.compile(r"# file: (\S+)\n")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(?:#[^)]*)?\)")
#: A file or a folder in a sentence; capitals stand for any name.
PLACE = re.compile(r"`((?:[a-z_0-9.]+/)*(?:[a-z_0-9]+\.(?:py|toml|sh)|[a-z_0-9]+/))(?:: [^`]*)?`")
EXIT = re.compile(r"\[exit code (\d)\]\n?\Z")


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """A block of code: where it stands, in which language, and whether it runs."""

    line: int
    language: str
    body: str
    note: str | None


def blocks(text: str) -> list[Block]:
    """All blocks of a page, from its top."""
    return [
        Block(
            line=text.count("\n", 0, found.start("fence")) + 1,
            language=found["language"],
            body=found["body"],
            note=found["note"],
        )
        for found in BLOCK.finditer(text)
    ]


class Page:
    """A page that runs, block by block."""

    def __init__(self, name: str) -> None:
        self.names: dict[str, Any] = {"__name__": name}
        self.printed = ""

    def python(self, block: Block) -> None:
        """Run Python; what it prints is kept for the block of output after it."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(
                compile("\n" * block.line + block.body, str(self.names["__name__"]), "exec", dont_inherit=True),
                self.names,
            )
        self.printed = printed.getvalue()

    def toml(self, block: Block) -> None:
        """A file of a case is read where it is used; others must be tables."""
        tomllib.loads(block.body)

    def text(self, block: Block) -> None:
        """What the Python before it printed."""
        if block.note == "output":
            assert_shown(block.body, self.printed)

    def console(self, block: Block) -> None:
        """Run the commands of a terminal."""
        lines = block.body.splitlines(keepends=True)
        starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
        assert starts, "console = no command: must have a line that begins with $"
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            shown = "".join(lines[start + 1 : end])
            ends = EXIT.search(shown)
            code, printed = run(lines[start][2:].strip())
            assert code == (int(ends.group(1)) if ends else 0), f"{lines[start]}{printed}"
            shown = EXIT.sub("", shown)
            if shown.strip():
                assert_shown(shown, printed)


def run_page(page: Path) -> dict[str, Any]:
    """Run the blocks of a page in the working folder, from its top, and return the names of its Python."""
    state = Page(str(page.relative_to(ROOT)))
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.note and block.note.startswith("not run"):
            continue
        try:
            if named := FILE.match(block.body):
                Path(named.group(1)).write_text(block.body, encoding="utf-8")
            elif action := getattr(state, block.language, None):
                action(block)
        except BaseException as error:
            error.add_note(f"{page.relative_to(ROOT)}, line {block.line}: {block.language}")
            raise
    return state.names


def run(command: str) -> tuple[int, str]:
    """Run a command, and return its exit code with what it prints on either channel."""
    program, *arguments = shlex.split(command, comments=True)
    if program == "alegear":
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = main(arguments)
        return int(code or 0), printed.getvalue()
    assert program == "python", f"command = {program}: must be alegear or python"
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def assert_shown(shown: str, printed: str) -> None:
    """Every piece between two ``...`` is printed, one after the other; blanks count as one."""
    pieces = [re.escape(" ".join(piece.split())) for piece in shown.split("...")]
    assert re.fullmatch(" ?.*? ?".join(pieces), " ".join(printed.split())), f"printed:\n{printed}\nshown:\n{shown}"


@pytest.mark.slow  # some of them; together a minute or two, so that their file is among the first
@pytest.mark.parametrize(
    "page",
    mostly_thorough(PAGES, always=lambda page: page.stem not in LONG),
    ids=lambda page: str(page.relative_to(ROOT).with_suffix("")),
)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "meshes").symlink_to(ROOT / "meshes")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    run_page(page)


def dead_links(page: Path, text: str) -> list[str]:
    """Links of a page to what a checkout does not hold, before the site is built, and pictures without words."""
    found = []
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)
    for mark, words, address in LINK.findall(prose):
        aim = (page.parent / address).resolve()
        if "://" not in address and (not aim.exists() or aim.is_relative_to(DOCS / "generated")):
            found.append(address)
        if mark and not words:
            found.append(f"picture {address} without words")
    return found


def test_links_lead_somewhere_in_a_checkout() -> None:
    """On the site Sphinx sees to it."""
    pages = [*PAGES, *READMES, ROOT / "CHANGELOG.md"]
    assert {page: found for page in pages if (found := dead_links(page, page.read_text(encoding="utf-8")))} == {}


def not_there(page: Path, text: str, files: Sequence[str]) -> list[str]:
    """Files and folders that a page names: from its folder, the package or the checkout on, or by the end of a path."""
    here = page.parent.relative_to(ROOT).as_posix()
    known = {*files, *(f"{one}/" for file in files for one in map(str, Path(file).parents))}

    def there(place: str) -> bool:
        from_here = posixpath.normpath(f"{here}/{place}") + "/" * place.endswith("/")
        return from_here in known or any(one == place or one.endswith(f"/{place}") for one in known)

    return [place for place in PLACE.findall(text) if not there(place)]


def test_files_and_folders_that_pages_name_exist() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    files = listed.stdout.splitlines() or [str(one.relative_to(ROOT)) for one in ROOT.rglob("*") if one.is_file()]
    own = [page for page in READMES if page.is_relative_to(ROOT / "alegear")]
    pages = [DOCS / "architecture.md", DOCS / "development.md", *DOCS.glob("how_to_add_*.md"), *own]
    assert {page: found for page in pages if (found := not_there(page, page.read_text(encoding="utf-8"), files))} == {}
    text = "`fe/` `fe/no.py` `system/time_integration/` `../README.md` `../setup.py` `a.py: b`"
    assert not_there(DOCS / "page.md", text, files) == ["fe/no.py", "../setup.py", "a.py"]


def test_names_of_the_architecture_exist() -> None:
    """Names after the file that they are in."""
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_0-9]+/[a-z_0-9/]+\.py)`, `((?!\w+\.py)[A-Za-z_.]+)`", text)
    assert len(named) > 8
    for file, name in named:
        tree = ast.parse((ROOT / "alegear" / file).read_text(encoding="utf-8"))
        for part in name.split("."):
            tree = next((one for one in tree.body if getattr(one, "name", "") == part), None)
            assert tree is not None, f"{file}: {name}"


def tags(text: str) -> list[str]:
    """What Markdown would leave out as a tag, as ``<g>``; formulas that stand by themselves and code may have it."""
    prose = re.sub(r"^```.*?^```|^    .*?$|`[^`\n]*`|<!--.*?-->", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"</?[a-zA-Z][^>\n]*>", prose)


def test_no_symbol_is_taken_for_a_tag() -> None:
    assert tags("F <g> `<a>`\n\n    <b>\n") == ["<g>"]
    assert {page: found for page in [*PAGES, *READMES] if (found := tags(page.read_text(encoding="utf-8")))} == {}


def test_dead_links_are_found() -> None:
    page = DOCS / "index.md"
    assert dead_links(page, "[a](limits.md#b) [c](https://d.e) `[f](g)`") == []
    assert dead_links(page, "[a](no_such.md) ![](pictures/own_grid.png) [b](generated/case/pair.md)") == [
        "no_such.md",
        "picture pictures/own_grid.png without words",
        "generated/case/pair.md",
    ]


def test_a_page_that_is_wrong_fails(tmp_path: Path) -> None:
    """What the test of a page looks for is found."""
    with pytest.raises(AssertionError, match="printed"):
        assert_shown("1.5 um ... 2.5\n", "1.5 um\nand\n2.6\n")
    assert_shown("1.5 um\n...\n2.5\n", "1.5 um\nand\n  2.5\n")
    found = blocks("<!-- not run: takes an hour -->\n```python\n1 / 0\n```\n\n<!-- output -->\n```text\n3\n```\n")
    assert [(block.language, block.note) for block in found] == [
        ("python", "not run: takes an hour"),
        ("text", "output"),
    ]
    page = Page("page")
    page.python(Block(line=1, language="python", body="print(3)\n", note=None))
    page.text(found[1])
    with pytest.raises(AssertionError, match="alegear frobnicate"):
        page.console(Block(line=1, language="console", body="$ alegear frobnicate\n", note=None))
    with pytest.raises(tomllib.TOMLDecodeError):
        page.toml(Block(line=1, language="toml", body="a = \n", note=None))
