"""`halcyon calibrate`, `halcyon predict` and `halcyon plan`."""

import json
from pathlib import Path

import pytest
import yaml

from halcyon.base import ConfigError
from halcyon.calibrate.suite import require_ranks
from halcyon.cli.plans.command import rank_numbers
from halcyon.config.load_machine import load_machine
from halcyon.plan.probes.atmosphere_cost import AtmosphereSetup
from halcyon.simulate import simulate
from halcyon.simulate.mesh_volumes import halo_cells

ROOT = Path(__file__).parents[2]


def test_calibrate_and_predict_on_two_ranks(halcyon, tmp_path):
    """Calibration writes a plausible machine file, and prediction compares simulated and measured times with
    it."""
    done = halcyon("calibrate", "-n", 2, "--budget", 0.01, "--busy")
    assert done.returncode == 0, done.stderr
    machine = load_machine(str(tmp_path / "machine.yaml"))
    assert machine.ranks_per_node == 2 and machine.topology.nodes == 1
    assert machine.memory_latency > 0 and machine.memory_bandwidth > 0 and machine.send_overhead > 0
    assert machine.eager_bytes >= 1
    rows = machine.measured["probes"]
    assert len(rows) > 15 and all(row["quartiles"][0] <= row["median"] <= row["quartiles"][1] for row in rows)
    done = halcyon("predict", "-n", 2, "--budget", 0.01, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {row["schedule"].split()[0] for row in report["schedules"]} == {"halo", "all-to-all", "allreduce"}
    assert all(row["measured"] > 0 and row["simulated"] > 0 for row in report["schedules"])
    assert report["error"]["all"]["median"] >= 0


def test_one_rank_cannot_be_calibrated(halcyon):
    done = halcyon("calibrate", "-n", 1)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: -n 1: at least 2 ranks are needed, one to send and one to receive.\n"


def test_calibrate_under_mpirun_needs_two_ranks():
    class Alone:
        size = 1

    with pytest.raises(ConfigError, match="calibrate needs at least 2 ranks, one to send and one to receive"):
        require_ranks(Alone())


def test_predict_refuses_a_machine_with_too_few_places(halcyon, tmp_path):
    machine = {"name": "small", "topology": {"type": "crossbar", "nodes": 1}, "ranks_per_node": 1}
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump(machine))
    done = halcyon("predict", "-n", 2, "--budget", 0.001)
    assert done.returncode == 2
    assert "2 ranks run on a node, but the machine small has ranks_per_node = 1" in done.stderr


def test_a_plan(halcyon, tmp_path):
    """The rows of a wave plan follow from the given costs: computation, simulated exchange, days per day and
    energy."""
    cost = {"cells": [10, 10000], "transport": [1e-8, 1e-8], "sources": [2e-8, 2e-8]}
    (tmp_path / "cost.json").write_text(json.dumps(cost))
    machine = {"name": "ours", "power": {"node": 500}, "topology": "fattree-M", "ranks_per_node": 4}
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump(machine))
    words = ("--mesh", "G7", "--ranks", "10..1e3", "--cost", "cost.json", "--machine", "machine.yaml")
    done = halcyon("plan", *words, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["curve"]
    assert [row["ranks"] for row in rows] == [10, 20, 50, 100, 200, 500, 1000]
    first = rows[0]["ways"]["at once"]
    compute = 1.03 * 163842 / 10 * 1260 * (1e-8 + 2e-8 * 60 / 1200)
    assert rows[0]["transport_s"] + rows[0]["sources_s"] == pytest.approx(compute)
    assert first["step_s"] == pytest.approx(compute + rows[0]["exchange_s"]["at once"])
    assert first["days_a_day"] == pytest.approx(60 / first["step_s"])
    assert first["kilowatt_hours_a_day"] == pytest.approx(first["node_hours_a_day"] * 0.5)
    for row in rows:
        assert row["ways"]["overlapped"]["step_s"] <= row["ways"]["at once"]["step_s"]
        assert row["ways"][row["best"]]["step_s"] == min(
            variant["step_s"] for variant in row["ways"].values()
        )
    plotted = halcyon("plan", *words, "--plot", "plan.png")
    assert plotted.returncode == 0, plotted.stderr
    assert "kWh per day" in plotted.stdout and (tmp_path / "plan.png").read_bytes()[:4] == b"\x89PNG"


def atmosphere_plan(halcyon, tmp_path, *words, cost=1e-7):
    """Returns the rows of a plan of the atmosphere, and its model."""
    (tmp_path / "cost.json").write_text(json.dumps({"cells": [10, 10000], "sweeps": [cost, cost]}))
    options = ("--model", "atmosphere", "--cost", "cost.json", "--topology", "torus-M")
    done = halcyon("plan", *options, *words, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    return report["curve"], report["model"]


def test_a_plan_of_the_atmosphere(halcyon, tmp_path):
    """The rows of an atmosphere plan follow from the given costs, including cells computed in the halo."""
    words = ("--mesh", "G7", "--levels", "30", "--ranks", "64,512")
    rows, model = atmosphere_plan(halcyon, tmp_path, *words, cost=1e-6)
    assert model["step_s"] == 70  # 0.9 * 10000 / 2^7 in whole seconds
    for row in rows:
        cells = 1.03 * 163842 / row["ranks"]
        assert row["computation_s"] == pytest.approx(30 * 1e-6 * (cells + 0.75 * halo_cells(cells, 1)))
        waited, overlapped = row["ways"]["at once"], row["ways"]["overlapped"]
        assert waited["step_s"] == pytest.approx(row["computation_s"] + row["exchange_s"]["at once"])
        assert waited["days_a_day"] == pytest.approx(70 / waited["step_s"])
        assert row["best"] == "overlapped" and overlapped["step_s"] == pytest.approx(row["computation_s"])


def test_a_stage_of_the_atmosphere_exchanges_all_of_its_state_once(halcyon, tmp_path):
    """The exchange of a step takes three times the simulated exchange of all variables."""
    case = {"type": "mesh_halo", "mesh": "G6", "cut": "estimate", "bytes_per_value": 8, "layers": 2}
    cells = {"shallow_water": 1, "hydrostatic": 11, "nonhydrostatic": 33}  # of cells, with 10 levels
    for equations, bins in cells.items():
        levels = 1 if equations == "shallow_water" else 10
        words = ("--mesh", "G6", "--ranks", "40", "--equations", equations, "--levels", str(levels))
        ((row,), _) = atmosphere_plan(halcyon, tmp_path, *words)
        work = case | {"bins": bins, "edge_bins": levels}
        once = simulate({"workload": work, "ranks": 40, "topology": "torus-M"})["time"].item()
        assert row["exchange_s"]["at once"] == pytest.approx(3 * once)


def test_a_plan_of_the_atmosphere_in_half_the_bits_sends_half_as_much(halcyon, tmp_path):
    """The exchange in 32 bits takes half of the time."""
    words = ("--mesh", "G8", "--ranks", "40", "--levels", "100")
    sent = [
        atmosphere_plan(halcyon, tmp_path, *words, "--bits", bits)[0][0]["exchange_s"]["at once"]
        for bits in ("64", "32")
    ]
    assert sent[1] == pytest.approx(sent[0] / 2, rel=0.05)


def test_overlap_hides_no_more_than_inner_cells_take(halcyon, tmp_path):
    """Without inner cells nothing is overlapped."""
    words = ("--mesh", "G6", "--ranks", "4000")  # ten cells per rank, all with a halo
    ((row,), _) = atmosphere_plan(halcyon, tmp_path, *words)
    assert row["ways"]["overlapped"]["step_s"] == pytest.approx(row["ways"]["collective"]["step_s"])


def test_a_plan_of_a_mesh_that_is_cut(halcyon, tmp_path):
    """Halos of a METIS partition and estimated halos give exchange times within a factor of 1.5."""
    words = ("--mesh", "G4", "--levels", "5", "--cut", "metis", "--ranks", "2,16")
    (two, sixteen), model = atmosphere_plan(halcyon, tmp_path, *words)
    assert model["cut"] == "metis" and two["approximate"] == ""
    ((guessed,), _) = atmosphere_plan(halcyon, tmp_path, *words[:-3], "estimate", "--ranks", "16")
    assert sixteen["exchange_s"]["at once"] == pytest.approx(guessed["exchange_s"]["at once"], rel=0.5)


def test_what_the_atmosphere_costs_is_measured(halcyon, tmp_path, monkeypatch):
    """The cost is measured once per precision, and cached."""
    calls = []

    def cost(ranks, air, *, mesh_level, repetitions, independent_ranks):
        calls.append((air, mesh_level, independent_ranks))
        return {"step": 0.2}

    monkeypatch.setattr("halcyon.plan.atmosphere.measure_on_ranks", cost)
    words = ("plan", "--model", "atmosphere", "--mesh", "G5", "--ranks", "10", "--topology", "fattree-M")
    for bits in ("64", "32"):
        done = halcyon(*words, "--levels", "7", "--bits", bits)
        assert done.returncode == 0, done.stderr
        assert f"cells of 7 levels (hydrostatic, {bits} bits), 2 halo layers" in done.stdout
    assert [each[0] for each in calls] == [AtmosphereSetup("hydrostatic", 64, 7)] * 5 + [
        AtmosphereSetup("hydrostatic", 32, 7)
    ] * 5
    (cache_file,) = (tmp_path / "cache").glob("atmosphere_cost_hydrostatic_7_64_*.json")
    assert json.loads(cache_file.read_text())["sweeps"] == [pytest.approx(2e-7)] * 5


def test_the_example_of_grist(halcyon):
    folder = ROOT / "examples/grist"
    files = ("--machine", folder / "sugon.yaml", "--cost", folder / "cost.json")
    words = ("--mesh", "G8", "--levels", "30", "--step", "40", "--ranks", "300")
    done = halcyon("plan", "--model", "atmosphere", *words, *files, "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["curve"]
    assert row["nodes"] == 5 and row["best"] == "overlapped"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--scheme", "upwind"], "--scheme upwind is an option of --model wave, but the model is atmosphere"),
        (["--source-step", "600"], "--source-step 600.0 is an option of --model wave"),
        (["--equations", "primitive"], "--equations primitive: there is no such set"),
        (["--bits", "16"], "--bits 16: there is no such precision. There are: 32, 64."),
        (["--levels", "0"], "--levels 0: Give 1 to 1,000."),
        (["--equations", "shallow_water", "--levels", "2"], "--levels 2: Shallow water has 1."),
        pytest.param(
            ["--mesh", "G8X4"],
            "--mesh G8X4: the stable time step is known only for uniform meshes, such as G10. Give --step",
            id="words6---mesh G8X4: the step is known for even meshes, such as G10. Give --step",
        ),
        (["--step", "-1"], "--step -1: give a number above 0."),
        pytest.param(
            ["--cut", "scissors"],
            "--cut scissors: there is no such way to obtain volumes. There are: estimate, metis.",
            id="words8---cut scissors: there is no such way to cut. There are: estimate, metis.",
        ),
        pytest.param(
            ["--cut", "metis", "--cells", "100"],
            "--cells 100: METIS partitions the mesh of --mesh",
            id="words9---cells 100: a mesh that METIS cuts has the cells",
        ),
        (
            ["--model", "wave", "--bits", "32"],
            "--bits 32 is an option of --model atmosphere or spectral, but",
        ),
    ],
)
def test_plans_of_the_atmosphere_that_cannot_be(halcyon, tmp_path, words, text):
    (tmp_path / "cost.json").write_text('{"cells": [10], "sweeps": [1e-8], "transport": [1], "sources": [1]}')
    options = ("--ranks", "10", "--cost", "cost.json", "--topology", "fattree-M")
    done = halcyon("plan", "--model", "atmosphere", *options, *words)
    assert done.returncode == 2 and text in done.stderr, done.stderr


def test_a_plan_with_a_slow_software_path(halcyon, tmp_path):
    """The given overhead per message is added once per neighbour, except for the collective."""
    cost = {"cells": [10, 10000], "transport": [1e-8, 1e-8], "sources": [2e-8, 2e-8]}
    (tmp_path / "cost.json").write_text(json.dumps(cost))
    words = [
        "plan",
        "--mesh",
        "G6",
        "--ranks",
        "50",
        "--cost",
        "cost.json",
        "--topology",
        "torus-M",
        "--json",
    ]
    (plain,) = json.loads(halcyon(*words).stdout)["curve"]
    assert plain["exchange_s"]["collective"] == plain["exchange_s"]["at once"]
    done = halcyon(*words, "--overhead", "1e-3", "--unwaited")
    assert done.returncode == 0, done.stderr
    (slow,) = json.loads(done.stdout)["curve"]
    assert slow["exchange_s"]["collective"] == plain["exchange_s"]["collective"]
    for variant in ("in order", "at once"):  # six messages, one per neighbour
        assert 6e-3 <= slow["exchange_s"][variant] <= 6e-3 + 1.001 * plain["exchange_s"][variant]
    assert 6e-3 <= slow["exchange_s"]["unwaited"] <= slow["exchange_s"]["in order"]


def test_sends_that_nobody_waits_for_wait_for_who_computes(halcyon, tmp_path):
    """Long messages without waiting progress always, or only in calls of a rank that computes, by the
    machine's `progress`."""
    cost = {"cells": [10, 10000], "transport": [1e-8, 1e-8], "sources": [2e-8, 2e-8]}
    (tmp_path / "cost.json").write_text(json.dumps(cost))
    shares = {}
    for progress in ("always", "in_calls"):
        machine = {"topology": "torus-M", "eager_bytes": 1000, "progress": progress}
        (tmp_path / "machine.yaml").write_text(yaml.safe_dump(machine))
        words = ("--mesh", "G6", "--ranks", "50", "--cost", "cost.json", "--machine", "machine.yaml")
        done = halcyon("plan", *words, "--unwaited", "--json")
        assert done.returncode == 0, done.stderr
        (row,) = json.loads(done.stdout)["curve"]
        shares[progress] = row["exchange_s"]["unwaited"] / (row["computation_s"])
    assert shares["always"] < 0.05 and 0.5 < shares["in_calls"] < 3


def test_the_example_of_fvwam(halcyon):
    folder = ROOT / "examples/fvwam"
    files = ("--machine", folder / "jinan.yaml", "--cost", folder / "cost.json")
    done = halcyon("plan", "--cells", "6160386", "--scheme", "upwind", *files, "--ranks", "512", "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["curve"]
    assert row["ranks"] == 512 and row["exchange_s"]["collective"] > 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--model", "ocean"], "--model ocean: there is no such model"),
        (["--ranks", "1e3..1e2"], "--ranks 1e3..1e2: give a range"),
        (["--ranks", "1.5"], "--ranks 1.5: give a range"),
        (["--speed", "0"], "--speed 0: give a number above 0."),
        (["--overhead", "-1"], "--overhead -1: give 0 to 10 s."),
        (["--mesh", "sea.nc"], "such as G10"),
        (["--machine", "reference"], "topology is missing"),
        (["--cost", "none.json"], "none.json cannot be read as costs of computation"),
        (["--speed", "inf"], "--speed inf: give a number above 0."),
        (["--ranks", "1e400"], "--ranks 1e400: give a range"),
        (["--ranks", "nan"], "--ranks nan: give a range"),
        pytest.param(
            ["--ranks", "6", "--topology", "torus-M"],
            "--ranks: in order, ranks 6: ranks = 6: halos can be estimated for 7 ranks or more",
            id="words10---ranks 6: the halos of a plan are estimated, for 7 ranks or more",
        ),
        (["--mesh", "G11"], "--mesh G11: there is no mesh G11"),
        (["--mesh", "G99", "--cells", "1000"], "--mesh G99: there is no mesh G99"),
        (["--mesh", "sea.nc", "--cells", "1000"], "--mesh sea.nc: sea.nc is neither a mesh file nor"),
        ([], "--topology is missing: the machine 'reference' has no network. Give one, such as --topology"),
        pytest.param(
            ["--topology", "torus-X"],
            "--topology torus-X: there is no such network. There are: fat_tree, dragonfly, hyperx, torus,",
            id="words16---topology: in order, ranks 10: There is no network 'torus-X'",
        ),
        (["--topology", "torus-M", "--routing", "d_mod_k"], "--routing: in order, ranks 10: Routing d_mod_k"),
        (["--fidelity", "exact"], "--fidelity: engine.fidelity = 'exact' must be 'packet'"),
        (["--machine", "none.yaml"], "--machine: the machine 'none.yaml' is neither a file"),
        (["--ranks", "1e6", "--topology", "torus-M"], "--ranks: in order, ranks 1000000: There are 1000000"),
    ],
)
def test_plans_that_cannot_be(halcyon, tmp_path, words, text):
    cost = {"cells": [10, 100], "transport": [1e-8, 1e-8], "sources": [2e-8, 2e-8]}
    (tmp_path / "cost.json").write_text(json.dumps(cost))
    done = halcyon("plan", "--ranks", "10", "--cost", "cost.json", *words)
    assert done.returncode == 2 and text in done.stderr, done.stderr


def test_a_plan_says_what_cannot_be_before_it_measures(halcyon, monkeypatch):
    monkeypatch.setattr("halcyon.plan.wave.measure_on_ranks", None)
    done = halcyon("plan", "--ranks", "10", "--topology", "torus-X")
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "has no costs of computation, but list."),
        ("{", "has no costs of computation (Expecting"),
        pytest.param(
            '{"cells": [1], "transport": [1]}',
            "sources is None, which is not a list.",
            id='{"cells": [1], "transport": [1]}-sources is None, which is no list.',
        ),
        pytest.param(
            '{"cells": 1, "transport": [1], "sources": [1]}',
            "cells is 1, which is not a list.",
            id=('{"cells": 1, "transport": [1], "sources": [1]}-cells is 1, which is no list.'),
        ),
        (
            '{"cells": [1], "transport": [-1e-8], "sources": [1]}',
            "transport has -1e-08. Give numbers",
        ),
        ('{"cells": [1], "transport": ["1"], "sources": [1]}', "transport has '1'."),
        ('{"cells": [1], "transport": [true], "sources": [1]}', "transport has True."),
        ('{"cells": [1], "transport": [NaN], "sources": [1]}', "transport has nan."),
        ('{"cells": [1, 1], "transport": [1, 1], "sources": [1, 1]}', "must ascend from 1"),
        ('{"cells": [0.5], "transport": [1], "sources": [1]}', "must ascend from 1"),
        ('{"cells": [], "transport": [], "sources": []}', "have 0, 0 and 0 entries"),
        ('{"cells": [1], "transport": [1, 2], "sources": [1]}', "have 1, 2 and 1 entries"),
        ('{"cells": [1], "transport": [1], "sources": [1], "ranks_at_once": 0}', "ranks_at_once is 0."),
    ],
)
def test_costs_that_are_none(halcyon, tmp_path, text, message):
    """An invalid file of costs prints one line with the file and the reason."""
    (tmp_path / "cost.json").write_text(text)
    done = halcyon("plan", "--ranks", "10", "--topology", "fattree-M", "--cost", "cost.json")
    assert done.returncode == 2 and done.stderr.startswith("error: cost.json"), done.stderr
    assert message in done.stderr and done.stderr.count("\n") == 1


def test_costs_are_measured_once_for_a_processor_and_a_library(halcyon, tmp_path, monkeypatch):
    """Costs are cached by processor and number of simultaneous ranks; a damaged cache file is measured
    again."""
    calls = []

    def cost(ranks, sea, *, mesh_level, repetitions, independent_ranks):
        calls.append((ranks, independent_ranks))
        return {"transport": 10.0, "sources": 20.0}

    monkeypatch.setattr("halcyon.plan.wave.measure_on_ranks", cost)
    words = ("plan", "--mesh", "G5", "--ranks", "10", "--topology", "fattree-M")
    first = halcyon(*words, "--at-once", "3")
    assert first.returncode == 0, first.stderr
    assert calls == [(3, True)] * 5
    assert "computation measured on this machine, 3 simultaneous ranks per node" in first.stdout
    assert "approximate halo volumes estimated for compact patches" in first.stdout
    report = json.loads(halcyon(*words, "--at-once", "3", "--json").stdout)
    assert report["computation"]["ranks_at_once"] == 3 and len(calls) == 5
    assert report["curve"][0]["approximate"] == "halo volumes estimated for compact patches"
    (cache_file,) = (tmp_path / "cache").glob("wave_cost_*.json")
    cache_file.write_text('{"cells": [')
    again = halcyon(*words, "--at-once", "3")
    assert again.returncode == 0 and len(calls) == 10 and "measuring again: " in again.stdout
    assert halcyon(*words, "--at-once", "1").returncode == 0 and len(calls) == 15
    monkeypatch.setattr("halcyon.plan.computation._processor", lambda: "another one")
    assert halcyon(*words, "--at-once", "1").returncode == 0 and len(calls) == 20
    assert not list((tmp_path / "cache").glob("*.part"))


def test_numbers_of_ranks_ascend_so_that_efficiency_is_over_the_fewest():
    assert rank_numbers("1024,64,64") == [64, 1024]
    assert rank_numbers("64..200") == [64, 100, 200]
