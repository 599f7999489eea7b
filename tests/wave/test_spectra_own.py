"""Spectra with the tail of Halcyon, restart files of SWAN, and members of ensembles."""

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon import wave
from halcyon.base import ChoiceError, InputError
from halcyon.wave.spectra import Rebinning, open_spectra
from halcyon.wave.summary import summary_of
from tests.wave.test_spectra_kinds import (
    check_swell,
    difference,
    write_grib2,
    write_layout,
    write_swan_text,
)
from tests.wave.test_spectra_source import swell


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


def test_a_member_of_netcdf(tmp_path):
    """One of several members, in one file or one file per member."""
    path = write_layout(tmp_path / "s.nc", [("number", 3), ("time", 2), ("site", 4)])
    with Dataset(path, "a") as file:
        file.createVariable("number", "i4", ("number",))[:] = [0, 7, 9]
        file["efth"][1] = 4 * file["efth"][1]
    with pytest.raises(ChoiceError, match=r"Give one of them, select: {number: 0}, or positions on number"):
        open_spectra([path])
    for number, height in ((0, 2.0), (7, 4.0)):
        check_swell(open_spectra([path], select={"number": number}), height, point=2)
    (part,) = summary_of(path).parts
    assert part.lines.startswith("boundary:\n  files: s.nc\n  select: {number: 0}\n")
    with pytest.raises(InputError, match=r"number 5 of 'select' does not exist. Give one of 0, 7, 9"):
        open_spectra([path], select={"number": 5})
    for number in (7, 9):
        one = write_layout(tmp_path / f"m{number}.nc", [("number", 1), ("time", 2), ("site", 4)])
        with Dataset(one, "a") as file:
            file.createVariable("number", "i4", ("number",))[:] = number
    check_swell(open_spectra([str(tmp_path / "m*.nc")], select={"number": 9}), point=3)


def test_a_member_of_grib(tmp_path):
    frequency, direction = 0.06 * 1.2 ** np.arange(4), np.arange(30.0, 360, 60)
    density = swell(frequency, direction)
    path = write_grib2(tmp_path / "s.grib2", frequency, direction, density, members=(1, 2))
    with pytest.raises(ChoiceError, match=r"given twice, .* Choose one: select: {number: 1}"):
        open_spectra([path])
    one, two = (open_spectra([path], select={"number": n}).read(0, np.array([0]))[0] for n in (1, 2))
    assert one == pytest.approx(density, rel=0.02, abs=2e-5)
    assert two == pytest.approx(2 * one, rel=0.03, abs=5e-5)
