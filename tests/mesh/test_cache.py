"""The cache of meshes."""

import os
import threading
from dataclasses import replace

import numpy as np
import pytest

import halcyon.mesh
from halcyon.base import InputError, RunError
from halcyon.mesh import Depth, MeshSpec, Region, Spacing, cache, coast


@pytest.fixture
def spec(tmp_path, monkeypatch):
    """A spec with empty input files: the fixture `made` replaces the generator."""
    shores = tmp_path / "gshhg"
    shores.mkdir()
    (shores / "binned_GSHHS_i.nc").touch()
    (tmp_path / "depth.nc").touch()
    monkeypatch.setattr(coast, "GSHHG", shores)
    monkeypatch.setenv("HALCYON_CACHE", str(tmp_path / "cache"))
    return MeshSpec(
        spacing=Spacing(background=1e4),
        region=Region(west=0, east=1, south=0, north=1),
        sea=True,
        depth=Depth(source=str(tmp_path / "depth.nc")),
    )


@pytest.fixture
def made(monkeypatch, part):
    """The specs for which a mesh was generated."""
    specs = []

    def make(spec, progress):
        specs.append(spec)
        part.bottom_depth = np.full(part.n_cells, 10.0)
        return part

    monkeypatch.setattr(cache, "make", make)
    return specs


def test_folder(monkeypatch, tmp_path):
    """The cache is in HALCYON_CACHE, else in XDG_CACHE_HOME, else in ~/.cache."""
    monkeypatch.setenv("HALCYON_CACHE", "/somewhere")
    assert str(cache.cache_folder()) == "/somewhere"
    monkeypatch.delenv("HALCYON_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / "halcyon"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / ".cache" / "halcyon"


def test_a_mesh_is_made_once(spec, made):
    path = cache.mesh_for(spec)
    assert halcyon.mesh.read_mpas(str(path)).n_cells > 0
    assert cache.mesh_for(spec) == path
    assert len(made) == 1


def test_the_key_follows_spec_and_files(spec, tmp_path):
    keys = {cache.cache_key(spec)}
    keys.add(cache.cache_key(replace(spec, depth=replace(spec.depth, minimum=6))))
    keys.add(cache.cache_key(replace(spec, region=replace(spec.region, east=2))))
    (tmp_path / "depth.nc").write_text("other")
    keys.add(cache.cache_key(spec))
    os.utime(tmp_path / "depth.nc", (1, 1))
    keys.add(cache.cache_key(spec))
    assert len(keys) == 5


def test_a_broken_file_is_made_again_and_told(spec, made):
    path = cache.mesh_for(spec)
    os.truncate(path, path.stat().st_size // 2)
    reports = []
    assert cache.mesh_for(spec, reports.append) == path
    assert len(made) == 2
    assert any("broken" in text and "cut short" in text for text in reports)
    halcyon.mesh.read_mpas(str(path))


def test_two_at_once_make_it_once(spec, made):
    """Four threads that need the same mesh generate it once."""
    paths = []
    threads = [threading.Thread(target=lambda: paths.append(cache.mesh_for(spec))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(paths)) == 1 and len(paths) == 4
    assert len(made) == 1


def test_mistakes(spec, made, tmp_path, monkeypatch):
    """A cache folder that cannot be made and a missing coastline are errors with their remedy."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("HALCYON_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(RunError, match="Set HALCYON_CACHE"):
        cache.mesh_for(spec)
    (coast.GSHHG / "binned_GSHHS_i.nc").unlink()
    with pytest.raises(InputError, match="gmt-gshhg-low"):
        cache.mesh_for(spec)
