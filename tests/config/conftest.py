"""A valid case file, which the tests change."""

import pytest

CASE = """\
model: wave
mesh:
  region: {west: 115, east: 155, south: 10, north: 45}
  spacing: {coast: 27e3, ocean: 70000}
  spectrum:
    frequencies: 35
time:
  start: 2022-09-01T00:00
  end: 2022-09-06T06:00
  step: auto
forcing:
  wind: {track: track.csv}
output:
  interval: 3600
  stations:
    - {name: Ieodo, longitude: 125.18, latitude: 32.12}
"""


@pytest.fixture
def write(tmp_path):
    """A function that writes `case.yaml`, the valid case with the text `old` replaced by `new`, and returns
    its path."""
    (tmp_path / "track.csv").touch()

    def _write(old="", new=""):
        assert old in CASE
        path = tmp_path / "case.yaml"
        path.write_text(CASE.replace(old, new, 1) if old else CASE)
        return path

    return _write
