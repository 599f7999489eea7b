"""The files of a run, each cut at 200 places and with 1,000 bits turned over, one at a time."""

import pytest

import case
import jobs
from damage import check_cuts, check_flips

CUTS, FLIPS = 200, 1000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Results in which the files of a run are of every kind."""
    path = case.write_case(tmp_path_factory.mktemp("damage"))
    found, _ = jobs.whole_run(path, *jobs.RESTARTS)
    return found


@pytest.mark.timeout(200)
@pytest.mark.parametrize("kind", ["fields_*.nc", "restart_*.nc", "stations.nc"])
def test_damage_is_found_or_harmless(folder, tmp_path, kind):
    file = sorted(folder.glob(kind))[0]
    check_cuts(file, tmp_path / "cut.nc", CUTS)
    assert check_flips(file, tmp_path / "flipped.nc", FLIPS) > 0.7 * FLIPS
