"""The cases of `examples`: a few steps of each on a coarse mesh with few spectral bins."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
import yaml
from mpi4py import MPI

from halcyon.config import load_case
from tests.run import runs

EXAMPLES = Path(__file__).parents[2] / "examples"
COARSE = (
    "mesh.spectrum={frequencies: 12, first_frequency: 0.06, ratio: 1.15, directions: 12}",
    "mesh.tolerance=0.05",
    "output.pictures=false",
)
BOX = "mesh.spacing.boxes.0.spacing"
# Wave cases: start and end of a short run, and options of a coarse mesh.
SHORT = {
    "hinnamnor/case": (
        "2022-09-03T00:00",
        "2022-09-03T02:00",
        ("mesh.spacing.coast=150000", "mesh.spacing.ocean=300000"),
    ),
    "ensemble/case": (
        "2022-09-05T00:00",
        "2022-09-05T02:00",
        ("mesh.spacing={coast: 200000, ocean: 300000}", "mesh.coast.resolution=c"),
    ),
    "irene/case": (
        "2011-08-27T00:00",
        "2011-08-27T03:00",
        ("mesh.spacing={coast: 100000, ocean: 150000}", "mesh.coast.resolution=c"),
    ),
    "irene/forecast": (
        "2011-08-25T04:00",
        "2011-08-25T08:00",
        ("mesh.spacing={coast: 100000, ocean: 150000}", "mesh.coast.resolution=c"),
    ),
    "regional/case": (
        "2022-09-03T00:00",
        "2022-09-03T03:00",
        ("mesh.spacing={coast: 200000, ocean: 400000, transition: 500000}",),
    ),
    "fvwam/full": (
        "2022-09-03T00:00",
        "2022-09-03T03:00",
        ("mesh.spacing={coast: 200000, ocean: 400000, transition: 500000}",),
    ),
    "global/case": ("2022-01-10T00:00", "2022-01-10T06:00", ("mesh.level=3", "mesh.coast.resolution=c")),
    "coast/case": (
        "2022-09-05T12:00",
        "2022-09-05T14:00",
        ("mesh.spacing={ocean: 200000, coast: 90000}", "mesh.coast.resolution=c"),
    ),
    "idealised/growth": ("2000-01-01T00:00", "2000-01-01T03:00", (f"{BOX}=90000",)),
    "idealised/swell": ("2000-06-01T00:00", "2000-06-01T06:00", ("mesh.level=3",)),
    "idealised/shoaling": ("2000-01-01T00:00", "2000-01-01T02:00", (f"{BOX}=40000",)),
    "idealised/hurricane": ("2000-09-01T00:00", "2000-09-01T03:00", (f"{BOX}=90000",)),
}

# Atmosphere cases: changes for a short run, a variable, and the range of its values.
ATMOSPHERE = {
    "barotropic_jet/case": (("time.end=2000-01-02T00:00",), "height", 8000, 11000),
    "baroclinic_wave/case": (
        ("levels.count=8", "time.end=2000-01-02T00:00"),
        "surface_pressure",
        9.9e4,
        1.01e5,
    ),
    "held_suarez/case": (
        ("levels.count=8", "time.end=2000-01-02T00:00", "output.interval=43200"),
        "temperature",
        280,
        320,
    ),
    "gravity_wave/case": (("time.end=2000-01-01T00:20",), "potential_temperature", 310, 330),
    "dcmip2016/moist_baroclinic_wave": (
        ("levels.count=8", "time.end=2000-01-02T00:00"),
        "surface_pressure",
        9.95e4,
        1.005e5,
    ),
    "dcmip2016/tropical_cyclone": (
        ("levels.count=8", "mesh.stretch.ratio=4", "time.end=2000-01-01T12:00"),
        "surface_pressure",
        1e5,
        1.02e5,
    ),
    "dcmip2016/supercell": (("levels.count=10", "time.end=2000-01-01T00:20"), "rain_water", -1e-9, 0.02),
}

# Cases of the spectral model: changes for a short run, a variable, and the range of its values.
SPECTRAL = {
    "rossby_haurwitz/case": (("time.end=2000-01-02T00:00",), "vorticity", -1e-4, 1e-4),
    "spectral_jet/case": (("time.end=2000-01-01T12:00", "time.step=600"), "height", 8000, 11000),
    "spectral_baroclinic_wave/case": (
        ("levels.count=8", "time.end=2000-01-02T00:00"),
        "surface_pressure",
        9.9e4,
        1.01e5,
    ),
    "spectral_baroclinic_wave/semi_lagrangian": (
        ("levels.count=8", "time.end=2000-01-02T00:00"),
        "surface_pressure",
        9.9e4,
        1.01e5,
    ),
    "spectral_baroclinic_wave/moist": (
        ("levels.count=8", "time.end=2000-01-02T00:00"),
        "surface_pressure",
        9.95e4,
        1.005e5,
    ),
}


def test_every_case_is_tested():
    """Every case file of `examples` is run by this file or tested elsewhere."""
    cases = {str(path.relative_to(EXAMPLES).with_suffix("")) for path in EXAMPLES.rglob("*.yaml")}
    cases -= ATMOSPHERE.keys() | SPECTRAL.keys()
    # tested in tests/config, tests/cli, tests/validate, tests/run/test_physics_run.py
    elsewhere = ("meshes/", "exascale/", "fvwam/", "grist/", "networks/", "physics/", "storms/")
    assert SHORT.keys() <= cases
    assert all(case.startswith(elsewhere) for case in cases - SHORT.keys())


@pytest.mark.parametrize("name", sorted(SHORT.keys() | ATMOSPHERE.keys() | SPECTRAL.keys()))
def test_a_case_as_it_stands_is_right(name):
    load_case(EXAMPLES / f"{name}.yaml")


@pytest.mark.parametrize("name", sorted(SHORT))
def test_some_steps_of_a_case(name, tmp_path):
    """A short run on a coarse mesh writes the requested variables, with plausible wave heights."""
    path = EXAMPLES / f"{name}.yaml"
    start, end, coarse = SHORT[name]
    changes = (f"time.start={start}", f"time.end={end}", "output.interval=3600", "time.source_step=1800")
    assert runs.run(MPI.COMM_SELF, path, tmp_path / "out", *COARSE, *coarse, *changes)
    (fields,) = (tmp_path / "out").glob("fields_*.nc")
    requested = yaml.safe_load(path.read_text()).get("output", {}).get("variables", ["significant_height"])
    with xr.open_dataset(fields, decode_timedelta=False) as fields_dataset:
        assert set(requested) <= set(fields_dataset.variables)
        heights = fields_dataset["significant_height"].values
        assert np.isfinite(heights).all()
        assert 0.1 < heights[-1].max() < 20


@pytest.mark.parametrize("name", sorted(ATMOSPHERE | SPECTRAL))
def test_a_short_run_of_the_atmosphere(name, tmp_path):
    """A short run on a coarse mesh writes the requested variables, with values in the given range, and
    pictures."""
    changes, variable, low, high = (ATMOSPHERE | SPECTRAL)[name]
    coarse = ("mesh.level=3", "mesh.tolerance=0.05") if name in ATMOSPHERE else ("mesh.truncation=21",)
    path = EXAMPLES / f"{name}.yaml"
    assert runs.run(MPI.COMM_SELF, path, tmp_path / "out", *coarse, *changes)
    requested = yaml.safe_load(path.read_text())["output"]["variables"]
    (fields,) = (tmp_path / "out").glob("fields_*.nc")
    with xr.open_dataset(fields, decode_timedelta=False) as fields_dataset:
        assert set(requested) <= set(fields_dataset.variables)
        assert np.isfinite(fields_dataset["eastward_wind"].values).all()
        assert low < fields_dataset[variable].values.min() < fields_dataset[variable].values.max() < high
    assert {"maps.png", "integrals.png"} <= {path.name for path in (tmp_path / "out").glob("*.png")}
