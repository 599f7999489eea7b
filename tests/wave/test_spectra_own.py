"""Spectra with the tail of Halcyon, and restart files of SWAN."""

import numpy as np
import pytest

from halcyon import wave
from halcyon.wave.spectra import Rebinning, open_spectra
from tests.wave.test_spectra_kinds import check_swell, difference, write_swan_text


@pytest.mark.parametrize(("n_frequencies", "last"), [(36, 1.05), (25, 0.41), (30, 0.6)])
def test_spectra_of_our_own_keep_the_direction_of_products(n_frequencies, last):
    """A sea with a last frequency of its own direction has the same height, mean direction and spreading in a
    nested run of any frequencies, since both have the tail of the last frequency."""
    outer = wave.SpectralGrid(
        frequencies=30, first_frequency=0.035, ratio=(0.6 / 0.035) ** (1 / 29), directions=36
    )
    turning = np.linspace(20, 140, 30)[:, None] - np.degrees(outer.direction)
    shape = np.exp(-np.abs(np.log(np.asarray(outer.frequency) / 0.3)))[:, None]
    density = 0.05 * shape * np.maximum(np.cos(np.radians(turning)), 0) ** 4
    of_outer = wave.products(outer, (density / np.asarray(outer.sigma)[:, None])[None].astype(np.float32))
    ratio = (last / 0.035) ** (1 / (n_frequencies - 1))
    inner = wave.SpectralGrid(frequencies=n_frequencies, first_frequency=0.035, ratio=ratio, directions=36)
    apart = []
    for own in (True, False):
        rebinning = Rebinning(outer.frequency, outer.direction, inner, tail_of_last=own)
        of_inner = wave.products(inner, rebinning.action(density[None]).astype(np.float32))
        assert of_inner["significant_height"] == pytest.approx(of_outer["significant_height"], rel=1e-4)
        apart.append(difference(of_inner["mean_direction"], of_outer["mean_direction"])[0])
    assert abs(apart[0]) < 0.1 < 3 < abs(apart[1])


def test_a_restart_file_of_swan(tmp_path):
    """Action densities E / (2 pi f), with the heading that SWAN 41 writes: a grid of points, of which one is
    on land; the exception value 0 is that of calm sea."""
    path = tmp_path / "hot"
    write_swan_text(path, place="130.0 20.0", quantity="AcDens", unit="m2s/Hz/deg                    unit")
    text = path.read_text().replace("LOCATIONS\n1\n", "TIME\n1\nLONLAT\n2 1 2\n131.0 20.0\n")
    text = text.replace("\n-99\n", "\n0.    exception value\n20220901.060000\nNODATA\n")
    path.write_text(text)
    spectra = open_spectra([str(path)])
    assert spectra.times.tolist() == np.array(["2022-09-01T06:00"], "datetime64[ms]").tolist()
    check_swell(spectra, point=1)
    values = spectra.read(0, np.array([0, 1]))
    assert np.isnan(values[0]).all() and (values[1] == 0).any()
