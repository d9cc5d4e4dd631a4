"""NetCDF files: what is written is what any library reads."""

from __future__ import annotations

import pickle
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray as xr

from alegear.errors import Fault
from alegear.storage.netcdf import COMPRESSED_FROM, Contents, names_in
from alegear.storage.netcdf_reading import open_netcdf

CONTENTS = Contents(
    variables={
        "load": (("time", "gear"), np.arange(6.0).reshape(3, 2), {"units": "N", "long_name": "force of a gear"}),
        "count": ("time", np.array([1, 2, 3]), {"units": "1"}),
        "spread": (("time", "corner"), np.full((3, 4), np.nan), {}),
        "mean": ((), 2.5, {"units": "N"}),
        "word": ("time", ["ü", "", "three"], {}),
        "empty": (("time", "nothing"), np.empty((3, 0)), {"units": "m"}),
    },
    coordinates={
        "time": ("time", np.array([0.0, 0.5, 1.0]), {"units": "s"}),
        "gear": ("gear", ["pinion", "wheel"], {}),
        "nothing": ("nothing", np.array([], dtype=str), {}),
        "ratio": ("gear", np.array([1.0, -2.0]), {"units": "1"}),
        "phase": ("time", np.array([0.0, 0.1, 0.2]), {"units": "1"}),
    },
    attributes={"title": "made up, with ö", "complete": 1, "ramp": 0.25, "empty": ""},
)


def written(folder: Path, contents: Contents = CONTENTS, **later: object) -> Path:
    path = folder / "result.nc"
    path.write_bytes(contents.to_bytes(**later))  # type: ignore[arg-type]
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    with open_netcdf(written(tmp_path)) as found:
        xr.testing.assert_identical(found.load(), CONTENTS.dataset())
        assert found["gear"].dtype.kind == found["word"].dtype.kind == "U"
        xr.testing.assert_identical(Contents.of(found).dataset(), found)


def test_other_readers_find_the_same(tmp_path: Path) -> None:
    with xr.open_dataset(written(tmp_path), engine="h5netcdf") as found:
        xr.testing.assert_identical(found.load(), CONTENTS.dataset())
        assert not found.encoding["unlimited_dims"]


def test_what_others_have_written_is_read(tmp_path: Path) -> None:
    CONTENTS.dataset().drop_dims("nothing").to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    with open_netcdf(tmp_path / "other.nc") as found:
        xr.testing.assert_identical(found.load(), CONTENTS.dataset().drop_dims("nothing"))


def test_values_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    with open_netcdf(written(tmp_path)) as found:
        assert not found["load"].variable._in_memory
        np.testing.assert_array_equal(found["load"][[2, 0], 1], [5.0, 1.0])
        np.testing.assert_array_equal(found["load"].sel(gear="wheel")[1:], [3.0, 5.0])
        assert list(found["word"][1:].values) == ["", "three"]
        assert not found["load"].variable._in_memory
        xr.testing.assert_identical(pickle.loads(pickle.dumps(found)), CONTENTS.dataset())


def test_values_that_come_later(tmp_path: Path) -> None:
    none = Contents(
        variables={"load": (("time", "gear"), np.empty((0, 2)), {"units": "N"})},
        coordinates={"time": ("time", np.empty(0), {"units": "s"}), "gear": CONTENTS.coordinates["gear"]},
        attributes={},
    )
    path = written(tmp_path, none, later={"load": (2, 2), "time": (2,)}, length=3)
    with h5py.File(path, "r+") as file:
        assert file["load"].chunks == (2, 2)
        file["load"][:], file["time"][:] = np.ones((3, 2)), np.arange(3.0)
    with open_netcdf(path) as found:
        assert found["load"].dims == ("time", "gear")
        assert float(found["load"].sum()) == 6.0
        assert list(found["time"].values) == [0.0, 1.0, 2.0]


def test_names_of_dimensions_and_variables(tmp_path: Path) -> None:
    dimensions, variables = names_in(written(tmp_path))
    assert dimensions == {"time", "gear", "corner", "nothing"}
    assert variables == {*CONTENTS.variables, *CONTENTS.coordinates}


def test_only_large_variables_are_compressed(tmp_path: Path) -> None:
    large = np.zeros(COMPRESSED_FROM // 8)
    contents = Contents(variables={"x": ("i", large, {}), "y": ("j", large[1:], {})}, coordinates={}, attributes={})
    path = written(tmp_path, contents)
    with h5py.File(path) as file:
        assert [file[name].compression for name in "xy"] == ["gzip", None]


def test_dimensions_without_names_are_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "result.nc", "w") as file:
        file["load"] = np.zeros(3)
    with pytest.raises(Fault, match=r"result\.nc names its dimensions"):
        open_netcdf(tmp_path / "result.nc")
