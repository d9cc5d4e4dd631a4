"""The store of reductions: a hit is bit-identical, everything else is a miss and never an error."""

import logging
import os
from dataclasses import replace

import numpy as np
import pytest
from block_sector import block_sector

from alegear.fe import Material
from alegear.mesh.volume import FreeSurface
from alegear.reduction import reduce_wheel, superelement
from alegear.storage import cache_folder, model_store

ARRAYS = ("C_ff", "root_of_cuts", "root_of_face", "cut_response", "compliance_rows", "K_r")


@pytest.fixture
def sector():
    return block_sector(7)


@pytest.fixture
def count(monkeypatch):
    """Count how often a reduction is really done."""
    calls = []
    original = superelement._reduce
    monkeypatch.setattr(superelement, "_reduce", lambda *arguments: calls.append(1) or original(*arguments))
    return calls


def reduce(sector, folder, **options):
    return reduce_wheel(
        sector, options.pop("material", Material()), **{"slots": 2, "flank": "a", **options}, cache_dir=folder
    )


def test_a_hit_is_bit_identical(sector, tmp_path, count):
    first, second = reduce(sector, tmp_path), reduce(sector, tmp_path)
    assert len(count) == 1
    for name in ARRAYS:
        assert np.array_equal(getattr(first, name), getattr(second, name)), name
    assert np.array_equal(first.cut_response, second.cut_response)
    assert (first.mass, first.inertia) == (second.mass, second.inertia)
    f = np.random.default_rng(6).normal(size=first.dof_boundary)
    assert np.array_equal(first.expand(f), second.expand(f))
    segments = [reduce(sector, tmp_path, teeth_modelled=5) for _ in range(2)]
    assert len(count) == 2
    assert np.array_equal(segments[0].expand(f), segments[1].expand(f))
    assert not list(tmp_path.glob("*.part"))


def test_arrays_are_writable_float64_in_c_order(sector, tmp_path):
    """A read-only or Fortran-ordered array is another type to a compiled kernel: both ways must give the same."""
    for superelement_ in (reduce(sector, tmp_path), reduce(sector, tmp_path)):
        arrays = {name: getattr(superelement_, name) for name in ARRAYS if name != "cut_response"}  # of a wheel a view
        arrays |= {"cut_rows": superelement_.window.cut_rows, "ahead": superelement_.window.compliance.ahead}
        for name, array in arrays.items():
            assert array.dtype == np.float64, name
            assert array.flags.c_contiguous, name
            assert array.flags.writeable, name


def test_everything_that_matters_makes_another_key(sector, tmp_path, count):
    moved = np.array(sector.volume.points)
    moved[sector.tip[0]] += 1e-9
    variants = [
        {},
        {"slots": 3},
        {"flank": "b"},
        {"flank": "both"},
        {"teeth_modelled": 5},
        {"material": Material(E=70e9)},
        {"material": Material(nu=0.29)},
        {"material": Material(rho=1000.0)},
    ]
    for variant in variants:
        reduce(sector, tmp_path, **variant)
    reduce(replace(sector, volume=replace(sector.volume, points=moved)), tmp_path)
    nodes = sector.flank_a[0]
    for normal in ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]):
        free = FreeSurface(nodes=nodes, normals=np.tile(normal, (nodes.size, 1)))
        reduce(replace(sector, volume=replace(sector.volume, free_surface=free)), tmp_path)
    assert len(count) == len(variants) + 3
    reduce(sector, tmp_path, teeth_modelled=7)  # all seven teeth are the closed wheel
    assert len(count) == len(variants) + 3


def test_no_flipped_bit_of_a_model_is_read(tmp_path):
    """Names and shapes have the checksum of the arrays: one letter differs from another by a bit."""
    model_store.save(tmp_path, "k", {"K": np.linspace(0.0, 1.0, 6).reshape(3, 2), "Psi": np.arange(2.0)})
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    for byte, bit in np.ndindex(len(content), 8):
        path.write_bytes(content[:byte] + bytes([content[byte] ^ 1 << bit]) + content[byte + 1 :])
        assert model_store.load(tmp_path, "k") is None, (byte, bit)


@pytest.mark.parametrize("spoil", ["cut short", "longer", "one byte", "empty", "foreign", "other key", "folder"])
def test_a_file_that_is_not_sound_is_computed_again(sector, tmp_path, count, caplog, spoil):
    good = reduce(sector, tmp_path)
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    middle = len(content) // 2
    spoilt = {
        "cut short": content[:middle],
        "longer": content + b"0",
        "one byte": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "empty": b"",
        "foreign": b"\x89HDF\r\n\x1a\n" + bytes(1000),
        "other key": content.replace(path.stem.encode(), b"0" * 64),
        "folder": None,
    }[spoil]
    path.unlink()
    if spoilt is None:
        path.mkdir()
    else:
        path.write_bytes(spoilt)
    with caplog.at_level(logging.INFO):
        again = reduce(sector, tmp_path)
    assert "reducing again" in caplog.text
    assert len(count) == 2
    assert np.array_equal(again.C_ff, good.C_ff)
    if spoilt is not None:
        assert path.read_bytes() == content  # repaired


def test_a_folder_that_cannot_be_written_costs_only_the_store(sector, tmp_path, caplog):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with caplog.at_level(logging.WARNING):
        wheel = reduce(sector, blocked)
    assert "ALEGEAR_CACHE_DIR" in caplog.text
    assert wheel.C_ff.shape == (wheel.dof_boundary, wheel.dof_boundary)


def test_a_full_disk_leaves_nothing_behind(sector, tmp_path, monkeypatch, caplog):
    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    reduce(sector, tmp_path)
    assert "No space left" in caplog.text
    assert not list(tmp_path.iterdir())


def test_the_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("ALEGEAR_CACHE_DIR", str(tmp_path))
    assert cache_folder.cache_directory() == tmp_path
    monkeypatch.delenv("ALEGEAR_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder.cache_directory() == tmp_path / "alegear"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder.cache_directory().parts[-2:] == (".cache", "alegear")


def test_the_store_forgets_what_was_used_longest_ago(sector, tmp_path, monkeypatch, count):
    reduce(sector, tmp_path)
    size = sum(path.stat().st_size for path in tmp_path.glob("*.reduction"))
    monkeypatch.setenv("ALEGEAR_CACHE_MB", str(2.5e-6 * size))  # room for two
    reduce(sector, tmp_path, flank="b")
    for age, path in enumerate(sorted(tmp_path.glob("*.reduction"), key=lambda p: p.stat().st_mtime_ns)):
        os.utime(path, (age, age))
    reduce(sector, tmp_path)  # a hit: the first model is now the last used
    reduce(sector, tmp_path, material=Material(E=70e9))
    assert len(list(tmp_path.glob("*.reduction"))) == 2
    reductions = len(count)
    reduce(sector, tmp_path)
    assert len(count) == reductions  # still there
    reduce(sector, tmp_path, flank="b")
    assert len(count) == reductions + 1  # forgotten


def test_arrays_without_elements_are_kept(tmp_path):
    """A segment has no cuts: what is stored of its factors has empty arrays among others."""
    arrays = {"cuts": np.empty((0, 3)), "factor": np.arange(6.0).reshape(2, 3), "none": np.empty(0)}
    model_store.save(tmp_path, "key", arrays)
    found = model_store.load(tmp_path, "key")
    assert found is not None
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].shape == array.shape
