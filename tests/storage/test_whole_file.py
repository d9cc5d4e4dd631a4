"""Files from others: regular ones of a largest size, of which messages show numbers alone; caches of one's own."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from alegear import cli
from alegear.errors import Fault
from alegear.kernels.code_folder import Folder, _digest
from alegear.storage import cache_folder
from alegear.storage.cache_folder import who_else_writes
from alegear.storage.whole_file import TABLE_BYTES, cell_shown, read_regular

PAIR = (Path(__file__).parents[2] / "meshes" / "spur_20_30.toml").read_text()


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "large", "missing"])
def test_only_regular_files_up_to_a_size_are_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path = Path("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "large":
        with open(path, "wb") as file:
            file.truncate(TABLE_BYTES + 1)
    began = time.monotonic()
    with pytest.raises(OSError, match=r"pipe|folder|larger than 16 MB|No such file"):
        read_regular(path, TABLE_BYTES)
    assert time.monotonic() - began < 1.0


@pytest.mark.parametrize("file", ["pipe", "/dev/zero", "/etc/passwd"])
@pytest.mark.parametrize("key", ["case", "pinion.flank.topography", "pinion.grid.file"])
def test_a_case_may_name_any_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, key: str) -> None:
    os.mkfifo(tmp_path / "pipe.msh")
    (tmp_path / "pipe").symlink_to("pipe.msh")
    case = tmp_path / "case.toml"
    table = f'[{key}]\nfile = "{file}"\nsign = "metal-positive"\n'
    if key == "pinion.grid.file":
        link = tmp_path / "grid.msh"
        link.symlink_to(tmp_path / file)
        table = '[pinion.grid]\nfile = "grid.msh"\n'
    case.write_text(PAIR + "\n" + table)
    assert cli.main(["check", str(tmp_path / file if key == "case" else case)]) == 2
    told = capsys.readouterr().err
    assert key == "case" or "root:" not in told


def test_messages_show_numbers_of_files_and_no_texts() -> None:
    assert cell_shown("1,5") == "1,5"
    assert cell_shown("nan") == "nan"
    assert cell_shown("") == "nothing"
    assert cell_shown("hunter2") == "a text of 7 characters"
    assert cell_shown("1" * 50) == "a text of 50 characters"


# ---------------------------------------------------------------------------------------------------------- caches
def test_kernels_in_a_folder_of_others_are_neither_read_nor_stored(tmp_path: Path, caplog) -> None:
    home = tmp_path / "kernels"
    own = Folder(home / ("0" * 24), str(_digest()))
    own.write("x.kernel", b"key", b"code")
    assert stat.S_IMODE(home.stat().st_mode) == stat.S_IMODE(own.path.stat().st_mode) == 0o700
    assert stat.S_IMODE((own.path / "x.kernel").stat().st_mode) == 0o600
    assert own.read("x.kernel", b"key") == b"code"

    (own.path / "x.kernel").chmod(0o666)
    assert own.read("x.kernel", b"key") is None
    (own.path / "x.kernel").chmod(0o600)
    (own.path / "y.kernel").symlink_to("x.kernel")
    assert own.read("y.kernel", b"key") is None
    for place, mode in ((own.path, 0o777), (home, 0o777)):
        before = place.stat().st_mode
        place.chmod(mode)
        other = Folder(own.path, str(_digest()))
        assert other.read("x.kernel", b"key") is None
        other.write("z.kernel", b"key", b"code")
        assert not (own.path / "z.kernel").exists()
        assert caplog.text.count("neither read nor stored") == 1  # said once
        assert "others can write in" in caplog.text
        caplog.clear()
        place.chmod(before)
    home.chmod(0o1777)  # where only owners remove what is theirs
    assert who_else_writes(own.path) is None
    if os.geteuid() == 0:
        os.chown(own.path / "x.kernel", 65534, 65534)
        assert own.read("x.kernel", b"key") is None
        os.chown(own.path, 65534, 65534)
        assert who_else_writes(own.path) == f"{own.path} belongs to another user"


def test_only_folders_of_kernels_are_forgotten(tmp_path: Path) -> None:
    names = ["my_cuda_kernels", "a" * 24, "A" * 24, "b" * 23]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "gemm.cu").write_text("mine")
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / ("c" * 24)).symlink_to("my_cuda_kernels")
    Folder(tmp_path / ("d" * 24), str(_digest())).write("x.kernel", b"key", b"code")
    assert {path.name for path in tmp_path.iterdir()} == {*names, "c" * 24, "d" * 24} - {"a" * 24}


def test_where_caches_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("ALEGEAR_CACHE_DIR", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder.kernel_directory() == tmp_path / "alegear" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", "here")  # relative ones do not count
    monkeypatch.setenv("HOME", "/home/somebody")
    assert cache_folder.cache_directory() == Path("/home/somebody/.cache/alegear")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # nobody at all
    assert cache_folder.cache_directory().name == f"alegear-{os.geteuid()}"
    assert cache_folder.cache_directory().is_absolute()


def test_a_case_of_a_megabyte_is_refused_at_once(tmp_path: Path) -> None:
    from alegear.case.case import Case

    (tmp_path / "case.toml").write_text(f'title = "{"a" * 2_000_000}"\n' + PAIR)
    with pytest.raises((Fault, ValueError), match="it is larger than 1 MB"):
        Case.from_toml(tmp_path / "case.toml")
