"""`halcyon simulate`: tables, results, pictures and errors."""

import json
from pathlib import Path

import pytest
import xarray as xr

ROOT = Path(__file__).parents[2]
CASE = """\
title: Small
workload: {type: transposition, grid: [96, 64, 16], algorithm: ring-1}
topology: {type: torus, sizes: [4, 4], nodes_per_switch: 4}
series:
  - {name: minimal, routing: minimal}
  - {name: Valiant, routing: valiant}
sweep: {ranks: [8, 16, 64]}
"""


@pytest.fixture
def case(tmp_path):
    (tmp_path / "case.yaml").write_text(CASE)
    return tmp_path / "case.yaml"


def test_a_sweep_prints_keeps_and_draws(halcyon, case):
    """A sweep prints a table, writes results and a picture; repeated with more ranks, known results come from
    the cache."""
    first = halcyon("simulate", case)
    assert first.returncode == 0, first.stderr
    assert first.stdout.count("of CPU time") == 6 and "(cached)" not in first.stdout
    table = [line.split() for line in first.stdout.splitlines() if line.startswith(("minimal ", "Valiant "))]
    assert [row[:2] for row in table] == [
        [name, n] for name in ("minimal", "Valiant") for n in ("8", "16", "64")
    ]
    folder = case.with_suffix(".out")
    with xr.open_dataset(folder / "results.nc") as results:
        assert list(results["ranks"].values) == [8, 16, 64] * 2
    assert (folder / "picture.png").read_bytes()[:4] == b"\x89PNG"
    again = halcyon("simulate", case, "--set", "sweep.ranks=[8, 16, 32, 64]")
    assert (again.stdout.count("(cached)"), again.stdout.count("of CPU time")) == (6, 2)


def test_progress_of_repetitions_names_their_seeds(halcyon, case):
    words = ("--set", "sweep={}", "--set", "series=[]", "--set", "ranks=8", "--set", "repetitions=3")
    done = halcyon("simulate", case, *words, "--no-picture")
    assert [f"seed {seed}: " in done.stdout for seed in (1, 2, 3, 4)] == [True, True, True, False]


def test_json_of_one_simulation(halcyon, case):
    words = ("--set", "sweep={}", "--set", "series=[]", "--set", "ranks=16", "--json", "--no-picture")
    done = halcyon("simulate", case, *words)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    (simulation,) = report["simulations"]
    assert (simulation["ranks"], len(simulation["stages"]), simulation["routing"]) == (16, 3, "minimal")
    assert simulation["time"] == pytest.approx(simulation["stages"][-1]["last"])
    assert not (case.with_suffix(".out") / "picture.png").exists()


@pytest.mark.parametrize("kind", ["delays", "pairs", "links", "pattern"])
def test_pictures(halcyon, case, kind):
    words = ["--set", f"picture.kind={kind}", "--set", "record={links: true, pairs: 4}"]
    done = halcyon("simulate", case, *words, "--set", "sweep.ranks=[16]")
    assert done.returncode == 0, done.stderr
    assert (case.with_suffix(".out") / "picture.png").read_bytes()[:4] == b"\x89PNG"


def test_a_page_of_a_network_under_load(halcyon, case):
    words = ("--set", "picture.kind=network", "--set", "record.link_bins=10", "--set", "sweep.ranks=[16]")
    done = halcyon("simulate", case, *words)
    assert done.returncode == 0, done.stderr
    page = case.with_suffix(".out") / "network.html"
    assert str(page) in done.stdout and page.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--set", "sweep.rank=[1]"], "unknown option 'rank'. Did you mean 'ranks'?"),
        (["--set", "topology=torus-X"], "torus-X"),
        (
            ["--set", "picture.kind=pairs"],
            "--set picture.kind=pairs: picture.kind = 'pairs' needs record.pairs",
        ),
        (["--set", "picture.kind=radix"], "needs a sweep of ranks and workload.radix"),
        (
            ["--set", "picture.kind=network"],
            "--set picture.kind=network: picture.kind = 'network' needs record.link_bins",
        ),
        (
            ["--set", "record.link_bins=4000", "--set", "topology=fattree-L"],
            "--set record.link_bins=4000: minimal, ranks 8: link_bins = 4000 for ",
        ),
        (
            ["--set", "picture.kind=network", "--set", "record.link_bins=9", "--set", "topology=torus-X"],
            "torus-X",
        ),
        (
            ["--set", "sweep.ranks=[8, 65]"],
            "--set sweep.ranks=[8, 65]: minimal, ranks 65: There are 65 ranks",
        ),
        (["--set", "series=[{name: a, routing: d_mod_k}]"], "a, ranks 8: Routing d_mod_k is for fat trees"),
        (["--output", "/proc/nothing"], "--output /proc/nothing"),
    ],
)
def test_mistakes_are_one_text_and_an_exit_code(halcyon, case, words, text):
    done = halcyon("simulate", case, *words)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and text in done.stderr
    assert "Traceback" not in done.stderr


def test_impossible_points_and_pictures_are_told_before_the_first_simulation(halcyon, case):
    """Simulations or pictures that cannot be made are errors before the first simulation."""
    for words in (("--set", "sweep.ranks=[8, 65]"), ("--set", "picture.kind=links")):
        assert halcyon("simulate", case, *words).stdout == ""


@pytest.mark.parametrize("name", ["results.nc", "picture.png"])
def test_results_that_could_not_be_written_are_told_before_the_first_simulation(halcyon, case, name):
    taken = case.with_suffix(".out") / name
    taken.mkdir(parents=True)
    done = halcyon("simulate", case)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {taken} is a folder. Give the name of a file in it.\n"


def test_a_cache_that_cannot_be_written_is_a_warning(halcyon, case):
    done = halcyon("simulate", case, HALCYON_CACHE="/proc/nothing")
    assert done.returncode == 0 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("warning: results cannot be cached in /proc/nothing/simulations (")


def test_a_full_disk_is_one_error(halcyon, case, monkeypatch):
    def raise_disk_full(dataset, path, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(xr.Dataset, "to_netcdf", raise_disk_full)
    done = halcyon("simulate", case)
    assert done.returncode == 3
    assert "error: Cannot write " in done.stderr and "results.nc: No space left on device." in done.stderr


def test_what_is_swept_reads_as_in_pictures(halcyon, case):
    """The table shows swept options with the names and units of the pictures."""
    words = ("--set", "series=[]", "--set", "ranks=16")
    sweep = "sweep={machine.links.bandwidth: [1e9, 1e12], workload.item_bytes: [8, 160000]}"
    done = halcyon("simulate", case, *words, "--set", sweep, "--no-picture")
    assert done.returncode == 0, done.stderr
    table = done.stdout.splitlines()[4:]
    assert table[0].startswith("bandwidth of links  workload.item_bytes  ranks  time")
    assert [row[:39].split() for row in table[1:5]] == [
        [size, "GB/s", each] for size in ("1", "1000") for each in ("8", "160,000")
    ]
    assert "1 GB/s, workload.item_bytes 8: " in done.stdout


ALONE = ("--set", "sweep={}", "--set", "series=[]", "--set", "ranks=16", "--no-picture")


def test_bounds_error_and_approximations_are_shown(halcyon, case):
    """The table shows lower bounds, the error of chunks, and why a fidelity is approximate."""
    alone = halcyon("simulate", case, *ALONE)
    titles = alone.stdout.splitlines()[-3]
    assert "injection bound" in titles and "link bound" in titles and "chunk error" in titles
    report = json.loads(halcyon("simulate", case, *ALONE, "--json").stdout)["simulations"][0]
    assert isinstance(report["chunk_error"], float) and report["approximate"] == ""
    several = halcyon("simulate", case, "--set", "engine.fidelity=reserve")
    assert several.stdout.count("lower bound ") == 6 and "approximate (1): reserve: " in several.stdout
    assert several.stdout.count("yes (1)") == 6 and "chunk error" not in several.stdout
    report = json.loads(halcyon("simulate", case, "--set", "engine.fidelity=reserve", "--json").stdout)
    assert all(simulation["chunk_error"] is None for simulation in report["simulations"])
    assert all(simulation["approximate"].startswith("reserve: ") for simulation in report["simulations"])


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples/exascale").glob("*.yaml")), ids=lambda path: path.stem
)
def test_examples_are_right(path):
    """The cases of examples/exascale can be built, and have distinct names."""
    from halcyon.config.points import load_simulation
    from halcyon.simulate.build import build_setup

    points = load_simulation(path)
    assert len({str(point) for point in points}) == len(points)
    for point in points:
        setup = build_setup(point.case)
        assert setup.schedule.n_ranks == point.case.ranks <= setup.topology.n_nodes


def test_one_rank_that_sends_nothing_is_drawn(halcyon, tmp_path):
    (tmp_path / "one.yaml").write_text(
        "workload: {type: alltoall, block_bytes: 100}\nranks: 1\ntopology: fattree-M\n"
    )
    done = halcyon("simulate", "one.yaml")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "one.out/picture.png").stat().st_size > 1000
