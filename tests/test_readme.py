"""README: one page; test_docs.py follows its links and runs its case and its Python."""

import re
from pathlib import Path

from alegear.cli import main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_one_page():
    assert len(README.splitlines()) < 100  # with its picture two screens, printed one sheet


def test_every_command_it_names_exists(capsys):
    commands = set(re.findall(r"(?:`|^\$ )alegear ([a-z]+) ", README, flags=re.MULTILINE))
    assert {"run", "report"} <= commands
    for command in commands:
        assert main([command, "--help"]) == 0
        assert command in capsys.readouterr().out
