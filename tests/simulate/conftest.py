"""Simulations of tests find no results of earlier ones."""

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """The folder of cached results, empty for each test."""
    monkeypatch.setenv("HALCYON_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache/simulations"
