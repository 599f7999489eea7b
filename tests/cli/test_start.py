"""`halcyon new` writes cases that run, and `halcyon demo` the demo."""

import re
from pathlib import Path

import pytest
import xarray as xr
import yaml

from halcyon.cli.start.commands import KINDS
from halcyon.config import load_case

ROOT = Path(__file__).parents[2]
COARSE = {"frequencies": 10, "first_frequency": 0.06, "ratio": 1.2, "directions": 8}
BOX = {"coast": 150000, "ocean": 300000, "transition": 400000}
SHORT = {  # by kind: changes for a small run
    "storm": {
        "mesh.spacing": BOX,
        "mesh.coast.resolution": "c",
        "mesh.spectrum": COARSE,
        "time.end": "2022-09-03T01:00",
    },
    "regional": {
        "mesh.spacing": BOX,
        "mesh.coast.resolution": "c",
        "mesh.spectrum": COARSE,
        "time.end": "2022-01-10T01:00",
    },
    "global": {
        "mesh.level": 3,
        "mesh.coast.resolution": "c",
        "mesh.spectrum": COARSE,
        "time.end": "2022-01-10T03:00",
    },
    "jet": {"mesh.level": 3, "time.end": "2000-01-01T06:00"},
}


def new(halcyon, kind):
    done = halcyon("new", kind)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("kind", sorted(SHORT))
def test_a_new_case_runs_and_can_be_viewed(halcyon, tmp_path, kind):
    """The commands that `halcyon new` prints work, here with changes for a small run."""
    commands = re.findall(r"^(?:next|then): halcyon (\w+) (\S+)$", new(halcyon, kind), re.MULTILINE)
    assert [command for command, _ in commands] == ["run", "view"]
    case = load_case(tmp_path / commands[0][1])
    assert case.heading
    changes = [
        f"{name}={yaml.safe_dump(value, default_flow_style=True)}" for name, value in SHORT[kind].items()
    ]
    words = [word.removesuffix("...\n").strip() for word in changes]
    settings = [each for word in words for each in ("--set", word)]
    done = halcyon("run", commands[0][1], "-n", 1, "--set", "output.pictures=false", *settings)
    assert done.returncode == 0, done.stdout + done.stderr
    done = halcyon("view", commands[1][1], "--no-open")
    assert done.returncode == 0, done.stderr
    (page,) = done.stdout.split()
    assert 'id="block-0"' in (tmp_path / page).read_text()


def test_a_new_network_case_is_simulated(halcyon, tmp_path):
    (line,) = re.findall(r"^next: halcyon simulate (\S+)$", new(halcyon, "network"), re.MULTILINE)
    small = (
        (tmp_path / line)
        .read_text()
        .replace("ranks: 128", "ranks: 16")
        .replace("[720, 360, 32]", "[64, 32, 4]")
    )
    (tmp_path / line).write_text(small)
    done = halcyon("simulate", line)
    assert done.returncode == 0, done.stderr
    assert "<canvas" in next(tmp_path.rglob("network.html")).read_text()


def test_comments_of_new_cases_are_right(halcyon, tmp_path):
    """Options that comments of the cases name can be given."""
    new(halcyon, "regional")
    path = tmp_path / "regional" / "case.yaml"
    text = path.read_text()
    wind = re.sub(r"^    constant:.*\n", "", text, flags=re.MULTILINE)
    wind = re.sub(r"^(\s+)# (files|depth): (.*)$", r"\1\2: \3", wind, flags=re.MULTILINE)
    path.write_text(wind)
    for name in ("gebco.nc", "winds_1.nc"):
        (path.parent / name).touch()
    case = load_case(path)
    assert case.forcing.wind.files == [str(path.parent / "winds_*.nc")]
    assert case.mesh.depth.source == path.parent / "gebco.nc"


def test_mistakes(halcyon, tmp_path):
    done = halcyon("new", "strom")
    assert done.returncode == 2 and "Did you mean 'storm'? The kinds are storm, regional" in done.stderr
    new(halcyon, "jet")
    done = halcyon("new", "jet")
    assert done.returncode == 2 and "case.yaml exists already" in done.stderr
    (tmp_path / "file").write_text("")
    assert "cannot be written" in halcyon("new", "jet", "file/jet").stderr


def test_the_demo_is_that_of_the_readme(halcyon, tmp_path, monkeypatch):
    """The demo runs the case of examples/hinnamnor and makes its page; here the run is shortened."""
    from halcyon.run import launcher

    launch = launcher.launch

    def short(case, *, overrides, **options):
        changes = [
            "mesh.spacing={coast: 150000, ocean: 300000}",
            "mesh.coast.resolution=c",
            "time.end=2022-09-01T01:00",
            "output.pictures=false",
        ]
        changes.append("mesh.spectrum={frequencies: 10, first_frequency: 0.06, ratio: 1.2, directions: 8}")
        return launch(case, overrides=[*overrides, *changes], **options)

    monkeypatch.setattr(launcher, "launch", short)
    done = halcyon("demo", "--no-open", "-n", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "hinnamnor/case.out/view.html"
    for name in ("case.yaml", "track.csv"):
        assert (tmp_path / "hinnamnor" / name).read_text() == (
            ROOT / "examples" / "hinnamnor" / name
        ).read_text()
    with xr.open_dataset(next((tmp_path / "hinnamnor/case.out").glob("fields_*.nc"))) as fields:
        assert float(fields["significant_height"].max()) > 0.1


def test_every_kind_is_tested():
    assert {*KINDS} == {*SHORT, "network"}
