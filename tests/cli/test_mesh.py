"""`halcyon mesh` and `halcyon mesh info`."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import halcyon.mesh
from halcyon.base import ConfigError
from halcyon.cli.meshes.spec_options import _file_and_variable
from halcyon.launch.output_file import output_file
from tests.support import command


def halcyon_mesh(folder, *arguments):
    """Runs the command in a folder."""
    return command.halcyon("mesh", *arguments, folder=folder, HALCYON_CACHE=str(folder / "cache"))


def make_mesh(folder, *arguments):
    """Runs the command with output to mesh.nc. Returns the mesh, and what the command printed."""
    done = halcyon_mesh(folder, *arguments, "--output", "mesh.nc")
    assert done.returncode == 0, done.stderr
    return halcyon.mesh.read_mpas(str(folder / "mesh.nc")), done.stdout


def test_a_level_goes_to_a_file_of_its_name(tmp_path):
    """`halcyon mesh G2` writes g2.nc, and with --graph-info also the graph file."""
    done = halcyon_mesh(tmp_path, "G2", "--graph-info")
    assert done.returncode == 0, done.stderr
    assert "cells      162, edges 480, vertices 320" in done.stdout
    assert halcyon.mesh.read_mpas(str(tmp_path / "g2.nc")).n_cells == 162
    assert (tmp_path / "g2.graph.info").read_text().split()[:2] == ["162", "480"]


def test_netcdf4(tmp_path):
    make_mesh(tmp_path, "G1", "--format", "netcdf4")
    assert (tmp_path / "mesh.nc").read_bytes()[1:4] == b"HDF"


def test_a_zoom_by_name(tmp_path):
    """A mesh G3X2 with its centre, radius and transition has cells of different areas."""
    mesh, _ = make_mesh(tmp_path, "g3x2", "--center", "-90,30", "--radius", "3000", "--transition", "2000")
    assert mesh.n_cells == 642
    assert mesh.area_cell.max() / mesh.area_cell.min() > 2.5


def test_a_stretch_around_a_place(tmp_path):
    """The areas opposite to and at the centre of a stretch of ratio 2 differ by a factor of 4."""
    mesh, _ = make_mesh(tmp_path, "G3", "--stretch", 2, "--center", "-90,30")
    assert mesh.n_cells == 642
    area = mesh.area_cell[np.argsort(mesh.cell_points @ [0, -np.sqrt(0.75), 0.5])]
    assert area[:20].mean() / area[-20:].mean() == pytest.approx(4, rel=0.1)


def test_points_with_circles_and_boxes(tmp_path):
    """Cells in a circle are much smaller than cells far from it."""
    mesh, _ = make_mesh(
        tmp_path,
        *("--points", 700, "--spacing", 1200, "--circle", "-30,0,1000,500,3000"),
        *("--box", "150,200,-10,10,500,3000"),
    )
    assert mesh.n_cells == 700
    distance = np.arccos(mesh.cell_points @ [np.cos(np.radians(30)), -0.5, 0])
    assert mesh.area_cell[distance < 0.1].max() < 0.4 * mesh.area_cell[distance > 1.5].max()


def test_a_region_of_a_spacing(tmp_path):
    mesh, output = make_mesh(tmp_path, "--spacing", 300, "--region", "-20,40,-10,30", "--order", "bfs")
    lon, lat = (np.degrees(mesh.cell_longitude) + 180) % 360 - 180, np.degrees(mesh.cell_latitude)
    assert lon.min() > -20 and lon.max() < 40 and lat.min() > -10 and lat.max() < 30
    assert "cells are expected" in output
    assert "limited area" in output


def test_iterations_and_tolerance(tmp_path):
    """With too few iterations the command prints that points still move."""
    _, output = make_mesh(tmp_path, "--points", 100, "--iterations", 2, "--tolerance", "1e-9", "--threads", 1)
    assert "still moved in the last iteration" in output


def test_a_file_with_only_a_mesh(tmp_path):
    (tmp_path / "tiny.yaml").write_text("mesh: {points: 150, sea: false}\n")
    done = halcyon_mesh(tmp_path, "tiny.yaml", "--set", "mesh.points=160")
    assert done.returncode == 0, done.stderr
    assert halcyon.mesh.read_mpas(str(tmp_path / "tiny.nc")).n_cells == 160


@pytest.fixture(scope="module")
def g2(tmp_path_factory):
    path = tmp_path_factory.mktemp("mesh") / "g2.nc"
    halcyon.mesh.write_mpas(str(path), halcyon.mesh.uniform(2))
    return path


def test_info_and_its_picture(g2, tmp_path):
    """`halcyon mesh info` prints the figures of G2 and draws it."""
    done = halcyon_mesh(tmp_path, "info", g2, "--plot", "g2.png")
    assert done.returncode == 0, done.stderr
    assert "100 % of the globe" in done.stdout
    assert "cells by number of sides: 12 with 5, 150 with 6" in done.stdout
    assert "obtuse triangles 0" in done.stdout
    assert "wave model of 35 x 36 bins" in done.stdout and "atmosphere of 30 levels" in done.stdout
    assert (tmp_path / "g2.png").read_bytes()[:4] == b"\x89PNG"


def test_identities_of_a_limited_area_are_told(g2):
    """The discrete identities of a half sphere hold to 1e-13."""
    from halcyon.cli.meshes.info import info_text

    whole = halcyon.mesh.read_mpas(str(g2))
    part = halcyon.mesh.cut(whole, (whole.cell_latitude > 0).astype(np.uint8))
    text = info_text(part, g2)
    assert "limited area" in text and "cells by number of sides" in text
    worst = halcyon.mesh.identities(part)
    for name in ("area", "antisymmetry", "divergence", "orthogonality"):
        assert getattr(worst, name) < 1e-13, name


def test_wave_memory_is_that_of_the_model():
    from halcyon.run.model_memory import wave_memory
    from tests.support import sea_states

    mesh = sea_states.bay()
    model = sea_states.model(mesh, sea_states.spectral_grid(8, 36))
    assert wave_memory(mesh, 8, 36) == pytest.approx(model.memory_bytes, rel=0.1)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "The mesh has no size."),
        (["G11"], "Choose a level of 0..10"),
        (["G"], "'G' is neither a file nor the name of a mesh"),
        (["H7"], "'H7' is neither"),
        (["G3X0.5"], "ratio is 0.5"),
        (["G3", "--center", "0,0"], "--center goes with --stretch or a mesh such as G8X4"),
        (["G3", "--radius", "9"], "--radius goes with a mesh such as G8X4"),
        (["G3", "--stretch", "0.5"], "stretch's ratio is 0.5"),
        (["G3", "--stretch", "nan"], "stretch's ratio is nan"),
        (["G3", "--stretch", "80"], "of 642 cells grows too steeply"),
        (["G3", "--stretch", "2", "--center", "x"], "--center x: give LON,LAT"),
        pytest.param(
            ["G3", "--stretch", "2", "--center", "0,99"],
            "stretch: 0, 99 is not a valid",
            id="arguments11-stretch: 0, 99 is no place",
        ),
        (["G3", "--stretch", "2", "--transition", "9"], "--transition goes with a mesh such as G8X4"),
        (["G3X2", "--stretch", "2"], "zoom and stretch are both given. Keep one of them."),
        (["G3", "--spacing", "100"], "uniform mesh of 642 cells takes no spacing. Give the spacing alone"),
        (["--points", "700", "--spacing", "100"], "uniform mesh of 700 cells takes no spacing"),
        (["--spacing", "100", "--stretch", "2"], "stretch goes with a level or a number of points"),
        (["--stretch", "2"], "The mesh has no size."),
        (["G3X2", "--center", "0"], "--center 0: give LON,LAT"),
        pytest.param(["G3X2", "--center", "0,99"], "is not a valid position", id="arguments17-is no place"),
        (["G3X2", "--radius", "-5"], "must be above 0"),
        (["G3", "--points", "100"], "Keep one of them"),
        (["--points", "11"], "at least 12"),
        (["--spacing", "0"], "must be above 0"),
        (["--spacing", "-3"], "must be above 0"),
        (["--spacing", "inf"], "the background is inf km, but must be above 0 and finite"),
        (["--spacing", "nan"], "the background is nan km"),
        (["G3X2", "--radius", "inf"], "zoom: the radius is inf km"),
        pytest.param(["--spacing", "1"], "Its minimum is 1 km", id="arguments26-It goes down to 1 km"),
        (["--points", "10485763"], "at most 10485762"),
        (["file.nc.1"], "halcyon mesh info file.nc.1"),
        (["--circle", "0,0,1,1,1"], "no size"),
        (["--spacing", "100", "--circle", "0,0,1,1"], "--circle 0,0,1,1: give LON,LAT,RADIUS_KM"),
        (
            ["--spacing", "100", "--circle", "0,0,500,200,1000"],
            "circle 1: spacing grows from 200 km to 100 km",
        ),
        (
            ["--spacing", "100", "--circle", "0,0,500,20,100"],
            "cannot grow from 20 km to 100 km in good shape. Give at least 160 km",
        ),
        (
            ["--points", "3000", "--spacing", "100", "--circle", "0,0,500,20,200"],
            "circle 1, of 3000 points: transition is 200 km",
        ),
        (["--spacing", "100", "--circle", "0,0,500,nan,100"], "numbers with commas"),
        pytest.param(
            ["--spacing", "100", "--box", "10,0,0,10,50,500"],
            "is not a valid box",
            id="arguments35-is no box",
        ),
        (["--spacing", "100", "--coast", "20"], "--coast 20: give SPACING_KM,TRANSITION_KM"),
        (["--spacing", "100", "--coast", "20,10"], "Give at least 160 km"),
        (["--spacing", "100", "--depth", "-1"], "spacing is -1 km, but must be above 0"),
        (["--spacing", "100", "--depth", "20,-5"], "the depth is -5 m, but must be above 0"),
        (["--points", "3000", "--coast", "100,1000"], "--coast needs --spacing KM"),
        (["G3", "--circle", "0,0,100,10,1000"], "--circle needs --spacing KM"),
        (["--field", "none.nc", "--depth", "9"], "--depth needs --spacing KM"),
        (["--field", "none.nc"], "none.nc"),
        (["G2", "--region", "5,3,0,10"], "Give west < east"),
        (["G2", "--region", "0,1,0"], "--region 0,1,0: give W,E,S,N"),
        (["G2", "--region", "0,0.01,0,0.01"], "no cell centre in the region"),
        pytest.param(
            ["G2", "--polygon", "none.geojson"],
            "none.geojson cannot be read as the region file",
            id="arguments49-Cannot read the region file none.geojson",
        ),
        (["G2", "--polygon", "empty.geojson"], "has no polygon"),
        (["G2", "--polygon", "text.yaml"], "is not GeoJSON"),
        (["G2", "--depths", "5"], "--depths 5: give MIN,MAX"),
        (["G2", "--depths", "9,5"], "least < most"),
        (["G2", "--sea", "--coastline", "q"], "coast resolution is 'q'"),
        (["G2", "--sea", "--coastline", "l,x"], "give KM2"),
        (["G2", "--sea", "--coastline", "auto", "--bathymetry", "d.nc"], "d.nc does not exist"),
        (["G2", "--coastline", "l"], "--coastline goes with --sea"),
        (["G2", "--bathymetry", "d.nc"], "--bathymetry goes with"),
        (["G2", "--sea", "--bathymetry", "d.nc", "--coastline", "c"], "d.nc does not exist"),
        (["G2", "--order", "best"], "order is 'best'"),
        (["G2", "--tolerance", "0"], "tolerance is 0"),
        (["G2", "--iterations", "0"], "iterations is 0"),
        (["G2", "--threads", "0"], "threads is 0"),
        (["G2", "--format", "grib"], "give cdf5 or netcdf4"),
        (["G2", "--output", "nowhere/g2.nc"], "there is no folder nowhere"),
        (["G2", "--output", "."], ". is a folder"),
        (["G2", "--output", "new/"], "new/ is a folder"),
        pytest.param(
            ["G2", "--output", "/dev/null"],
            "/dev/null is not a regular file",
            id="arguments66-/dev/null is no regular file",
        ),
        pytest.param(
            ["G2", "--polygon", "empty.geojson", "--output", "empty.geojson"],
            "empty.geojson is also an input file",
            id="arguments67-empty.geojson is also to be",
        ),
        pytest.param(
            ["--field", "text.yaml", "--output", "./text.yaml"],
            "./text.yaml is also an input file",
            id="arguments68-./text.yaml is also to be read",
        ),
        pytest.param(
            ["G2", "--depths", "0,9", "--bathymetry", "text.yaml", "--output", "link"],
            "link is also an input file",
            id="arguments69-link is also to be",
        ),
        pytest.param(
            ["G2", "--sea", "--coastline", "text.yaml", "--output", "text.yaml"],
            "text.yaml is also an input file",
            id="arguments70-text.yaml is also to be",
        ),
        pytest.param(
            ["text.yaml", "--set", "mesh.level=2", "--output", "text.yaml"],
            "text.yaml is also an input file",
            id="arguments71-text.yaml is also to be read",
        ),
        (["G2", "--set", "mesh.level=3"], "--set replaces options of a case file"),
        (["text.yaml", "--points", "20"], "--points does not go with the file"),
        (["text.yaml", "--stretch", "2"], "--stretch does not go with the file"),
        (["text.yaml"], "mesh has no size"),
        (["missing.yaml"], "missing.yaml does not exist"),
        (["info", "missing.nc"], "missing.nc"),
        (["info", "text.yaml"], "text.yaml"),
        (["info", "missing.nc", "--plot", "nowhere/p.png"], "there is no folder nowhere"),
        pytest.param(
            ["info", "missing.nc", "--plot", "p.xyz"],
            "p.xyz: unknown picture format",
            id="arguments80-p.xyz: no picture is called so",
        ),
        pytest.param(
            ["info", "p.png", "--plot", "p.png"],
            "p.png is also an input file",
            id="arguments81-p.png is also to be read",
        ),
    ],
)
def test_a_mistake_is_one_error(tmp_path, monkeypatch, capsys, arguments, expected):
    """`main` in this process prints one text without a traceback, and exits with 2."""
    from halcyon.cli import main

    (tmp_path / "text.yaml").write_text("mesh: {sea: false}\n")
    (tmp_path / "link").symlink_to("text.yaml")
    (tmp_path / "file.nc.1").write_bytes(b"CDF\x05")
    empty = {"type": "FeatureCollection", "features": []}
    (tmp_path / "empty.geojson").write_text(json.dumps(empty))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["halcyon", "mesh", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert expected in printed.err
    assert printed.err.startswith("error: ") and "Traceback" not in printed.err
    assert not list(tmp_path.glob("*.nc"))


@pytest.mark.parametrize("name", ["field.nc", "f_00:00.nc"])
def test_names_of_files_with_colons(tmp_path, name):
    """A colon in a file name is not taken for the separator of a variable, if the file exists."""
    path = f"{tmp_path}/{name}"
    Path(path).touch()
    assert _file_and_variable(path) == (path, None)
    assert _file_and_variable(f"{path}:dx") == (path, "dx")


def test_a_folder_that_refuses():
    with pytest.raises(ConfigError, match=r"/proc/mesh\.nc: the folder /proc cannot be written to \(.+\)"):
        output_file("/proc/mesh.nc")  # not writable even for root


def test_a_link_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "mesh.nc").symlink_to("there/mesh.nc")
    make_mesh(tmp_path, "G1")
    assert (tmp_path / "mesh.nc").is_file() and not (tmp_path / "mesh.nc").is_symlink()
    assert not (tmp_path / "there/mesh.nc").exists()


def test_unknown_options_are_usage_errors(tmp_path):
    done = halcyon_mesh(tmp_path, "G2", "--colour", "red")
    assert done.returncode == 2
    assert "Usage: halcyon mesh" in done.stderr and "No such option" in done.stderr


def test_help_names_every_option(tmp_path):
    printed = halcyon_mesh(tmp_path, "make", "--help").stdout
    for option in (
        "--points",
        "--stretch",
        "--circle",
        "--box",
        "--polygon",
        "--sea",
        "--order",
        "--graph-info",
    ):
        assert option in printed
    assert "--plot" in halcyon_mesh(tmp_path, "info", "--help").stdout
