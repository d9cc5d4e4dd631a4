"""README: one page, with links that lead somewhere (its case and its Python run in test_docs.py)."""

import re
from pathlib import Path

import pytest

from alegear.cli import main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_one_page():
    assert len(README.splitlines()) < 100  # with its picture two screens, printed one sheet


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#]+)\)", README))))
def test_its_links_lead_somewhere(link):
    assert (ROOT / link).exists()


def test_every_command_it_names_exists(capsys):
    commands = set(re.findall(r"(?:`|^\$ )alegear ([a-z]+) ", README, flags=re.MULTILINE))
    assert {"run", "report"} <= commands
    for command in commands:
        assert main([command, "--help"]) == 0
        assert command in capsys.readouterr().out
