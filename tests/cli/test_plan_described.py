"""`halcyon plan` with a step that a file describes, and rows that cannot be."""

import json
import math
from pathlib import Path

import pytest
import yaml

from halcyon.base import ConfigError
from halcyon.plan import curve
from halcyon.plan.described import DescribedModel
from halcyon.plan.formula import evaluate
from halcyon.plan.studies import MpiCosts
from halcyon.simulate import simulate

ROOT = Path(__file__).parents[2]
STEP = {
    "title": "Squares",
    "points": 1000000,
    "step": 100,
    "variables": {"levels": 10, "bytes": "8 * levels"},
    "computation": {"dynamics": "1e-6 * levels * patch", "fixed": 1e-3},
    "exchanges": {
        "halo": {
            "workload": {"type": "grid_halo", "grid": [1000, 1000, "=levels"], "width": 2},
            "times": 4,
            "hidden_by": "dynamics",
            "share": 0.5,
        },
        "sums": {"workload": {"type": "allreduce", "data_bytes": "=bytes", "radix": 4}, "times": 3},
    },
}


def plan(halcyon, tmp_path, step, *words, topology="torus-M"):
    (tmp_path / "step.yaml").write_text(yaml.safe_dump(step, sort_keys=False))
    return halcyon("plan", "--model", "step.yaml", "--topology", topology, *words)


def test_a_described_step_is_computed_and_simulated_as_described(halcyon, tmp_path):
    """The time of a step is that of the formulas and of the simulated workloads; an exchange that a part
    hides proceeds by its share, up to the time of the part."""
    done = plan(halcyon, tmp_path, STEP, "--ranks", "1,16,64", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["curve"]
    alone = rows[0]
    assert alone["computation_s"] == pytest.approx(10.0 + 1e-3) and alone["exchange_s"]["waited"] == 0
    for row in rows[1:]:
        ranks = row["ranks"]
        case = {"ranks": ranks, "topology": "torus-M"}
        halo = {"type": "grid_halo", "grid": [1000, 1000, 10], "width": 2}
        sums = {"type": "allreduce", "data_bytes": 80, "radix": 4}
        halo_s, sums_s = (simulate(case | {"workload": work})["time"].item() for work in (halo, sums))
        assert row["exchanges_s"]["waited"] == pytest.approx({"halo": 4 * halo_s, "sums": 3 * sums_s})
        assert row["dynamics_s"] == pytest.approx(10.0 / ranks)
        waited_s = 10.0 / ranks + 1e-3 + 4 * halo_s + 3 * sums_s
        assert row["ways"]["waited"]["step_s"] == pytest.approx(waited_s)
        assert row["ways"]["overlapped"]["step_s"] == pytest.approx(waited_s - 0.5 * 4 * halo_s)
        assert row["ways"]["overlapped"]["days_a_day"] == pytest.approx(
            100 / row["ways"]["overlapped"]["step_s"]
        )


def test_the_example_of_a_step_has_the_exchange_of_the_atmosphere(halcyon):
    """The described step and Halcyon's own model exchange as long; their computation differs by what the
    example leaves out, the cost of small patches."""
    folder = ROOT / "examples/grist"
    words = ("--machine", folder / "sugon.yaml", "--ranks", "300", "--json")
    own = ("--model", "atmosphere", "--mesh", "G8", "--levels", "30", "--cost", folder / "cost.json")
    ((described,), (atmosphere,)) = (
        json.loads(halcyon("plan", *options, *words).stdout)["curve"]
        for options in (("--model", folder / "step.yaml"), own)
    )
    assert described["exchange_s"]["overlapped"] == pytest.approx(atmosphere["exchange_s"]["at once"])
    assert described["computation_s"] == pytest.approx(atmosphere["computation_s"], rel=0.05)


def test_a_plan_on_a_machine_with_another_network_and_automatic_fidelity(halcyon, tmp_path):
    """The speed of global links of a preset does not break a plan on a fat tree."""
    words = ("--machine", "slingshot-11", "--fidelity", "auto", "--ranks", "8,64", "--json")
    done = plan(halcyon, tmp_path, STEP, *words, topology="fat_tree")
    assert done.returncode == 0, done.stderr
    assert [row["ranks"] for row in json.loads(done.stdout)["curve"]] == [8, 64]


def test_speed_divides_the_computation(halcyon, tmp_path):
    rows = [
        json.loads(plan(halcyon, tmp_path, STEP, "--ranks", "16", "--speed", speed, "--json").stdout)["curve"]
        for speed in ("1", "2")
    ]
    assert rows[0][0]["computation_s"] == pytest.approx(2 * rows[1][0]["computation_s"])
    assert rows[0][0]["exchange_s"] == rows[1][0]["exchange_s"]


def test_ranks_that_a_machine_does_not_have_are_refused_alone(halcyon, tmp_path):
    """The other numbers of ranks are planned; if none can be, the plan fails."""
    done = plan(halcyon, tmp_path, STEP, "--ranks", "16,1e6", "--plot", "plan.png")
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("refused"))
    assert "1,000,000 ranks" in line and "has 390625 slots" in line
    (kept, refused) = json.loads(plan(halcyon, tmp_path, STEP, "--ranks", "16,1e6", "--json").stdout)["curve"]
    assert kept["ranks"] == 16 and kept["computation_s"] > 0
    assert refused["ranks"] == 1000000 and "390625" in refused["refused"] and len(refused) == 2
    done = plan(halcyon, tmp_path, STEP, "--ranks", "1e6")
    assert done.returncode == 2 and "390625" in done.stderr


def test_an_efficiency_above_100_percent_is_explained(halcyon, tmp_path):
    """Cells that cost less on more ranks explain it; a step that scales is not flagged."""
    cached = STEP | {"computation": {"dynamics": "1e-5 * patch * max(.5, min(1, patch / 50000))"}}
    done = plan(halcyon, tmp_path, cached, "--ranks", "4,100")
    assert done.returncode == 0, done.stderr
    assert "above 100 % on 100 ranks: computation of a cell takes 50 % less" in done.stdout
    assert "above 100 %" not in plan(halcyon, tmp_path, STEP, "--ranks", "4,100").stdout


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"points": 0}, "step.yaml:2: points = 0"),
        ({"computation": {}}, "step.yaml:7: computation"),
        (
            {"computation": {"dynamics": "1e-6 * cells"}},
            "step.yaml:8: '1e-6 * cells': there is no variable 'cells'",
        ),
        ({"computation": {"dynamics": "1 / (ranks - 1000)"}}, "'1 / (ranks - 1000)' has no value"),
        (
            {"computation": {"dynamics": "-patch"}},
            "'-patch' is -1000 on 1,000 ranks. Give a formula that is 0 or",
        ),
        ({"computation": {"dynamics": "10 ** 10 ** 10"}}, "'10 ** 10 ** 10' has no value"),
        ({"computation": {"dynamics": "(-1) ** .5"}}, "Give a formula with a finite value."),
        ({"computation": {"dynamics": "__import__('os')"}}, "it has more than arithmetic"),
        ({"computation": {"dynamics": "2 *"}}, "'2 *' is not a formula (it cannot be read)"),
        ({"computation": {"dynamics": "log2(ranks - 1000)"}}, "'log2(ranks - 1000)' has no value"),
        ({"computation": {"dynamics": 0}, "exchanges": {}}, "step.yaml:7: computation takes no time"),
        ({"variables": {"huge": "1" + 400 * "0"}}, "has no value"),
        ({"variables": {"points": 3}}, "'points' cannot be the name of a variable"),
        ({"exchanges": {"a": {"workload": {"type": "gcr"}, "hidden_by": "b"}}}, "no part of computation 'b'"),
        (
            {"exchanges": {"a": {"workload": {"type": "halo"}}}},
            "step.yaml:12: workload = a group of options must be",
        ),
        (
            {"exchanges": {"a": {"workload": {"type": "gcr", "radix": 1}}}},
            "step.yaml:14: workload.radix = 1 must be an integer",
        ),
        ({"exchanges": {"a": {"workload": {"type": "alltoall", "block_bytes": "=q"}}}}, "no variable 'q'"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(next(iter(value))),
)
def test_steps_that_cannot_be(halcyon, tmp_path, changes, text):
    done = plan(halcyon, tmp_path, STEP | changes, "--ranks", "16")
    assert done.returncode == 2 and text in done.stderr and not done.stdout, done.stderr


@pytest.mark.parametrize(
    "changes",
    [
        {"computation": {"dynamics": "1 / (1001 - ranks)"}},
        {"exchanges": {"a": {"workload": {"type": "gcr"}, "times": "1500 - ranks"}}},
        {"output": {"record_bytes": "sqrt(1500 - ranks)", "every": 3600}},
    ],
    ids=lambda value: next(iter(value)),
)
def test_formulas_are_checked_on_all_ranks_before_simulations(monkeypatch, tmp_path, changes):
    path = tmp_path / "step.yaml"
    path.write_text(json.dumps(STEP | changes))
    model = DescribedModel.read(str(path), speed=1)
    case = {"machine": {"base": "reference"}, "topology": "fattree-M"}
    monkeypatch.setattr(curve, "simulate_all", lambda *_, **__: pytest.fail("simulates before it checks"))
    with pytest.raises(ConfigError, match=r"2,000 ranks|ranks = 2000"):
        curve.scaling_curve(model, model.known_cost, [16, 2000], case, MpiCosts())


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--cost", "cost.json"], "--cost cost.json: the computation is described in step.yaml"),
        (["--step", "60"], "--step 60: step.yaml has the step"),
        (["--levels", "3"], "--levels 3 is an option of --model atmosphere or spectral"),
    ],
)
def test_options_that_the_step_file_has(halcyon, tmp_path, words, text):
    done = plan(halcyon, tmp_path, STEP, "--ranks", "16", *words)
    assert done.returncode == 2 and text in done.stderr, done.stderr


def test_formulas():
    variables = {"ranks": 8, "points": 100}
    assert evaluate("ceil(points / ranks) + 2 ** 3 // 3 - -1", variables) == 13 + 2 + 1
    assert evaluate("max(log2(ranks), 1, sqrt(points)) % 4", variables) == math.sqrt(100) % 4
    assert evaluate(3, variables) == 3
    with pytest.raises(ConfigError, match="there is no variable 'cells'"):
        evaluate("cells", variables)
    with pytest.raises(ConfigError, match="more than arithmetic"):
        evaluate("ranks if points else 3", variables)
