"""Pages made of the README files beside the code and of ``validation/``: one source for checkout and site."""

from __future__ import annotations

import re
import shutil
from os.path import relpath
from pathlib import Path

from linear_formulas import with_formulas

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")


def page_name(readme: Path) -> str:
    """Return the name of the page of a README: ``alegear/contact/hertz/README.md`` is ``theory/contact_hertz``."""
    top, *folders = readme.relative_to(ROOT).parent.parts
    heading = {"alegear": "theory", "validation": "validation"}[top]
    return f"{heading}/{'_'.join(folders) or 'overview'}"


def readmes() -> list[Path]:
    """All README files that become pages."""
    return sorted([*(ROOT / "alegear").rglob("README.md"), *(ROOT / "validation").rglob("README.md")])


def write_pages(out: Path) -> None:
    """Write a page for each README below `out`, with the pictures that it shows."""
    for readme in readmes():
        target = out / f"{page_name(readme)}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        write_if_changed(target, page(readme, target))


def page(readme: Path, target: Path) -> str:
    """Return the text of a README with links that hold where the page stands."""

    def moved(link: re.Match[str]) -> str:
        mark, words, address, anchor = link.group(1), link.group(2), link.group(3), link.group(4) or ""
        if "://" in address:
            return link.group(0)
        aim = (readme.parent / address).resolve()
        if aim.is_dir():
            aim = aim / "README.md"
        if not aim.exists():
            raise FileNotFoundError(f"{readme.relative_to(ROOT)}: link to {address} = no such file: must exist")
        if mark:
            picture = target.parent / "pictures" / f"{readme.parent.name}_{aim.name}"
            picture.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(aim, picture)
            return f"![{words}](pictures/{picture.name})"
        if aim.name == "README.md" and aim.is_relative_to(ROOT) and aim != ROOT / "README.md":
            there = target.parents[1] / f"{page_name(aim)}.md"
            return f"[{words}]({relpath(there, target.parent)}{anchor})"
        if aim.is_relative_to(ROOT / "docs"):
            return f"[{words}]({relpath(aim, target.parent)}{anchor})"
        return f"{words} (`{aim.relative_to(ROOT)}`)"

    return with_formulas(LINK.sub(moved, readme.read_text(encoding="utf-8")))


def write_if_changed(path: Path, text: str) -> None:
    """Write a file unless it has this text already: what has not changed is not built again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
