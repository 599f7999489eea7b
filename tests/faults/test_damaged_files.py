"""The files of a run, truncated at 200 positions and with 1,000 single bits flipped."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.io.damage import check_cuts, check_flips
from tests.run import case, jobs
from tests.support.ranks import MPI_ENVIRONMENT

CUTS, FLIPS = 200, 1000
ENVIRONMENT = {"ASAN_OPTIONS": "detect_leaks=0", "HALCYON_TEST_TIMEOUT": "800"}
SANITIZED = Path(__file__).parents[2] / "build/asan/tests/halcyon_tests"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An output folder with files of fields, restarts and stations."""
    path = case.write_case(tmp_path_factory.mktemp("damage"))
    found, _ = jobs.whole_run(path, *jobs.RESTARTS)
    return found


@pytest.mark.parametrize("kind", ["fields_*.nc", "restart_*.nc", "stations.nc"])
def test_damage_is_found_or_harmless(folder, tmp_path, kind):
    """All truncations and over 70 % of the flipped bits are detected; other flipped bits change no value."""
    file = sorted(folder.glob(kind))[0]
    check_cuts(file, tmp_path / "cut.nc", CUTS)
    assert check_flips(file, tmp_path / "flipped.nc", FLIPS) > 0.7 * FLIPS


@pytest.mark.timeout(900)
def test_the_reader_under_sanitizers(folder, tmp_path):
    """The C++ test of damaged files, built with sanitizers, passes on files of this run."""
    if not SANITIZED.exists():
        pytest.skip(f"{SANITIZED} is not built: `make test-faults` does")
    for kind in ("fields_*.nc", "restart_*.nc", "stations.nc"):
        shutil.copy(sorted(folder.glob(kind))[0], tmp_path)
    done = subprocess.run(
        [SANITIZED, "--test-case=damage:*"],
        capture_output=True,
        text=True,
        env=os.environ | MPI_ENVIRONMENT | ENVIRONMENT | {"HALCYON_TEST_FILES": str(tmp_path)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
