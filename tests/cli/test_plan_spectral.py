"""`halcyon plan` of the spectral model, of semi-implicit shallow water, and comparisons."""

import json
import math

import pytest
from mpi4py import MPI

from halcyon import schedule, spectral
from halcyon.atmosphere.levels import interfaces
from halcyon.cli.plans.comparison import print_comparison
from halcyon.plan.probes.spectral_cost import SpectralSetup, spectral_cost
from halcyon.plan.spectral import GcrSpectralModel
from halcyon.run.start.on_grid import state_of_start
from halcyon.simulate import simulate
from halcyon.simulate.mesh_volumes import halo_cells
from halcyon.simulate.spectral_exchanges import gaussian_grid, sphere_sets

SPECTRAL_COST = {
    "cells": [10, 10000],
    "legendre": [1e-9, 1e-9],
    "fourier": [1e-8, 1e-8],
    "columns": [1e-6] * 2,
}
TORUS = ("--topology", "torus-M")


def planned(halcyon, tmp_path, *words, cost=SPECTRAL_COST):
    """Returns the rows of a plan, and its model."""
    (tmp_path / "cost.json").write_text(json.dumps(cost))
    done = halcyon("plan", *words, "--cost", "cost.json", *TORUS, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    return report["curve"], report["model"]


def test_a_plan_of_the_spectral_model(halcyon, tmp_path):
    """The rows follow from the given costs, the largest shares of the sets, and the simulated exchanges."""
    words = ("--model", "spectral", "--truncation", "21", "--levels", "6", "--ranks", "1,12")
    (one, twelve), model = planned(halcyon, tmp_path, *words)
    points, rows = model["cells"], 44  # octahedral, 2 T + 2 rows
    assert points == 4 * 22 * (22 + 9) and model["step_s"] == math.floor(0.9 * 2 / (1e-4 + 2 * 7.292e-5))
    assert one["legendre_s"] == pytest.approx(6 * 1e-9 * 22 * 23 / 2 * rows)
    assert one["columns_s"] == pytest.approx(6 * 1e-6 * points)
    assert one["exchange_s"] == {"in order": 0, "at once": 0, "overlapped": 0}
    v, w = twelve["sets"]
    sets = sphere_sets(21, "octahedral", (v, w))
    assert v * w == 12 and twelve["columns_s"] == pytest.approx(6 * 1e-6 * sets.max_points)
    assert twelve["legendre_s"] == pytest.approx(math.ceil(6 / v) * 1e-9 * sets.coefficients.max() * rows)
    work = {"type": "spectral", "truncation": 21, "fields": 6, "sets": [v, w]}
    seconds = {
        name: simulate({"workload": work | {"exchange": name}, "ranks": 12, "topology": "torus-M"})["time"]
        for name in ("transform", "part", "modes")
    }
    parts = twelve["exchanges_s"]["at once"]
    assert parts["transform"] == pytest.approx(6 * seconds["transform"].item())  # 3 to the grid, 3 back
    assert parts["part"] == pytest.approx(4 * seconds["part"].item())  # wind and gradient
    assert parts["modes"] == pytest.approx(2 * seconds["modes"].item())
    at_once, overlapped = twelve["ways"]["at once"], twelve["ways"]["overlapped"]
    assert at_once["step_s"] == pytest.approx(twelve["computation_s"] + sum(parts.values()))
    hidden_s = at_once["step_s"] - overlapped["step_s"]
    assert 0 <= hidden_s <= twelve["legendre_s"] + twelve["fourier_s"]


def test_eulerian_steps_have_more_transforms_and_no_halo(halcyon, tmp_path):
    words = ("--model", "spectral", "--truncation", "21", "--levels", "6", "--ranks", "12")
    ((lagrangian,), _) = planned(halcyon, tmp_path, *words)
    ((eulerian,), model) = planned(halcyon, tmp_path, *words, "--advection", "eulerian")
    assert model["step_s"] < 2500 and model["setup"]["scheme"] == "semi_implicit"
    parts, others = eulerian["exchanges_s"]["at once"], lagrangian["exchanges_s"]["at once"]
    assert {*others} - {*parts} == {"halo", "modes", "surface"}
    assert parts["transform"] == pytest.approx(7 / 6 * others["transform"])


def test_half_the_bits_of_the_spectral_model_send_half_as_much(halcyon, tmp_path):
    words = ("--model", "spectral", "--truncation", "127", "--levels", "60", "--ranks", "12", "--bits")
    sent = [planned(halcyon, tmp_path, *words, bits)[0][0]["exchanges_s"]["at once"] for bits in ("64", "32")]
    for part in ("transform", "part", "modes", "halo"):
        assert sent[1][part] == pytest.approx(sent[0][part] / 2, rel=0.05), part


def test_gcr_adds_transforms_sums_and_iterations(halcyon, tmp_path):
    """Steps of 7324 s take 13 iterations, by the fall of the residual."""
    words = ("--model", "spectral", "--truncation", "21", "--levels", "6", "--ranks", "12")
    ((direct,), _) = planned(halcyon, tmp_path, *words)
    cost = SPECTRAL_COST | {"iteration": [1e-8, 1e-8]}
    ((gcr,), model) = planned(halcyon, tmp_path, *words, "--solver", "gcr", cost=cost)
    assert model["setup"]["solver"] == "gcr" and gcr["sets"] == direct["sets"]
    n = 13
    assert gcr["legendre_s"] == pytest.approx(direct["legendre_s"] * (10 + 4 * n + 12) / 10)
    assert gcr["iteration_s"] == pytest.approx(n * direct["columns_s"] / 100)
    assert gcr["columns_s"] == direct["columns_s"]
    parts, others = gcr["exchanges_s"]["at once"], direct["exchanges_s"]["at once"]
    assert {*parts} ^ {*others} == {"sums", "modes"}
    assert parts["transform"] == pytest.approx((6 + 4 * n + 12) / 6 * others["transform"])
    work = {"type": "allreduce", "data_bytes": 5 * 552, "radix": 32}
    sums = simulate({"workload": work, "ranks": 12, "topology": "torus-M"})["time"].item()
    assert parts["sums"] == pytest.approx((n + 2) * sums)


def test_the_planned_iterations_and_costs_of_gcr_are_those_of_the_model():
    """Estimated iterations are within one of those of steps, and an iteration costs less than the columns."""
    setup, truncation = SpectralSetup(3, "semi_lagrangian", "gcr"), 21
    cost = spectral_cost(MPI.COMM_SELF, setup, truncation=truncation, repetitions=2)
    assert set(cost) == {*GcrSpectralModel.PARTS} and 0 < cost["iteration"] < cost["columns"]
    grid = gaussian_grid(truncation, "octahedral")
    for step_s in (900.0, 3600.0):
        given = {"mesh": "", "cells": 1, "step_s": step_s, "setup": setup, "truncation": truncation}
        model = spectral.Model(
            "primitive", truncation, grid, scheme=setup.scheme, levels=interfaces(3), solver="gcr"
        )
        model.set(**state_of_start(model, "baroclinic_wave"))
        model.step(step_s)
        assert abs(model.solver_costs.n_iterations - GcrSpectralModel(**given).iterations) <= 1


def test_the_truncation_has_the_points_of_the_mesh(halcyon, tmp_path):
    _, model = planned(
        halcyon, tmp_path, "--model", "spectral", "--mesh", "G4", "--levels", "2", "--ranks", "1"
    )
    assert model["cells"] == pytest.approx(2562, rel=0.05) and model["truncation"] == 20
    _, full = planned(
        halcyon,
        tmp_path,
        "--model",
        "spectral",
        "--mesh",
        "G4",
        "--grid",
        "full",
        "--levels",
        "2",
        "--ranks",
        "1",
    )
    assert full["cells"] == 36 * 72 and full["truncation"] == 23


def test_best_sets_divide_levels_and_rows_evenly(halcyon, tmp_path):
    """4 ranks with 4 levels on 6 stripes: 4 V sets share them equally, 4 W sets cannot share the stripes."""
    words = ("--model", "spectral", "--truncation", "21", "--levels", "4", "--ranks", "4")
    ((row,), _) = planned(halcyon, tmp_path, *words)
    assert row["sets"] == [4, 1]


@pytest.mark.mpi
@pytest.mark.ranks(2, 3, 4)
@pytest.mark.parametrize("w", [1, 2])
def test_the_planned_transform_is_the_schedule_of_the_transform(comm, w):
    """The schedule of ranks that need not exist sends the messages of the transform of these ranks."""
    from halcyon.transform import Transform

    if comm.size % w:
        pytest.skip("W sets must divide the ranks")
    sets = comm.size // w, w
    transform = Transform(gaussian_grid(21, "octahedral"), 21, comm=comm, sets=sets)
    planned_schedule = sphere_sets(21, "octahedral", sets).schedule("synthesis", 5, False, "burst")
    real = transform.schedule("synthesis", 5)
    for rank in range(comm.size):
        assert schedule.counts(planned_schedule, [rank]) == schedule.counts(real, [rank])


def test_a_plan_of_semi_implicit_shallow_water(halcyon, tmp_path):
    """A step has three exchanges of state and wind; halos and reductions of the given iterations, and of the
    three first residuals and results."""
    cost = {"cells": [10, 10000], "sweeps": [1e-6, 1e-6], "iterations": [12, 12]}
    words = ("--model", "atmosphere", "--equations", "shallow_water", "--time-scheme", "semi_implicit")
    words += ("--mesh", "G6", "--step", "900", "--ranks", "40")
    ((row,), _) = planned(halcyon, tmp_path, *words, cost=cost)
    ((more,), _) = planned(halcyon, tmp_path, *words, "--iterations", "30", cost=cost)
    cells = 1.03 * 40962 / 40
    assert row["computation_s"] == pytest.approx(1e-6 * (cells + 0.75 * halo_cells(cells, 1)), rel=0.05)
    work = {
        "type": "mesh_halo",
        "mesh": "G6",
        "cut": "estimate",
        "bytes_per_value": 8,
        "layers": 1,
        "bins": 1,
    }
    surface = simulate({"workload": work, "ranks": 40, "topology": "torus-M"})["time"].item()
    work = {"type": "allreduce", "data_bytes": 6 * 552, "radix": 32}
    reduction = simulate({"workload": work, "ranks": 40, "topology": "torus-M"})["time"].item()
    for each, iterations in ((row, 12), (more, 30)):
        parts = each["exchanges_s"]["at once"]
        assert parts["surface"] == pytest.approx((iterations + 6) * surface)
        assert parts["reduction"] == pytest.approx((iterations + 8) * reduction)
    assert more["exchanges_s"]["at once"]["wind"] == row["exchanges_s"]["at once"]["wind"] > 0


def test_spectral_and_grid_point_side_by_side(halcyon, monkeypatch):
    """Two models on one machine: wall times of a day, and the fastest."""
    units = {"legendre": 1e-9, "fourier": 1e-8, "columns": 1e-6}
    monkeypatch.setattr("halcyon.plan.spectral.measure_on_ranks", lambda *_, **__: units)
    monkeypatch.setattr("halcyon.plan.atmosphere.measure_on_ranks", lambda *_, **__: {"step": 0.2})
    words = (
        "plan",
        "--model",
        "spectral,atmosphere",
        "--mesh",
        "G4",
        "--levels",
        "3",
        "--ranks",
        "1,12",
        *TORUS,
    )
    done = halcyon(*words, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    first, _ = report["comparison"]
    spectral, atmosphere = (plan["curve"][0]["ways"]["at once"] for plan in report["plans"])
    assert first["day_s"]["the spectral model"] == pytest.approx(86400 / spectral["days_a_day"])
    assert first["day_s"]["the atmosphere"] == pytest.approx(86400 / atmosphere["days_a_day"])
    assert first["fastest"] == min(first["day_s"], key=first["day_s"].get)
    text = halcyon(*words).stdout
    assert "Wall time of a simulated day" in text and "crossing   " in text


def test_a_crossing_is_told_with_its_ranks(capsys):
    rows = [
        {"ranks": n, "day_s": {"a": a, "b": 1.0}, "communication_part": {"a": 0, "b": 0}, "fastest": fastest}
        for n, a, fastest in ((10, 0.5, "a"), (100, 2.0, "b"))
    ]
    print_comparison([], rows)
    assert "between 10 and 100 ranks: from there b is faster" in capsys.readouterr().out


SPECTRAL, ATMOSPHERE = ("--model", "spectral", "--truncation", "21"), ("--model", "atmosphere")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            (*SPECTRAL, "--ranks", "1009"),
            "--ranks 1009: no V x W sets of T21 have 1009 ranks. W is at most 6",
        ),
        ((*SPECTRAL, "--grid", "square"), "--grid square: there is no such grid."),
        (
            (*SPECTRAL, "--advection", "none"),
            "--advection none: there is no such advection. There are: euler",
        ),
        ((*SPECTRAL, "--solver", "lu"), "--solver lu: there is no such solver. There are: direct, gcr."),
        ((*SPECTRAL, "--solver", "gcr", "--advection", "eulerian"), "it is for semi-Lagrangian steps"),
        ((*SPECTRAL, "--levels", "1"), "--levels 1: Give 2 to 1,000."),
        ((*SPECTRAL, "--truncation", "9999"), "--truncation 9999: Give 1 to 8,000."),
        ((*SPECTRAL, "--unwaited"), "--unwaited: it is not a strategy of the spectral model."),
        (("--model", "wave", "--truncation", "21"), "--truncation 21 is an option of --model spectral, but"),
        (("--model", "spectral,spectral"), "--model spectral,spectral: give each model once."),
        (("--model", "spectral,atmosphere", "--step", "9"), "--step 9: models have steps of their own."),
        (("--model", "spectral,atmosphere", "--plot", "a.png"), "--plot a.png: it is for a single model"),
        (
            (*ATMOSPHERE, "--time-scheme", "semi_implicit"),
            "semi_implicit is for shallow_water, but --equations",
        ),
        ((*ATMOSPHERE, "--iterations", "9"), "--iterations 9: they are of --time-scheme semi_implicit."),
        (
            (*ATMOSPHERE, "--equations", "shallow_water", "--time-scheme", "semi_implicit"),
            "--step is missing: the longest semi-implicit step depends on the wind.",
        ),
    ],
)
def test_spectral_plans_that_cannot_be(halcyon, words, text):
    done = halcyon("plan", "--ranks", "12", *TORUS, *words)
    assert done.returncode == 2 and text in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"sets": [2, 2]}, r"workload.sets = \[2, 2\] makes 4 ranks, but ranks = 6"),
        ({"sets": [1, 6], "width": 99, "exchange": "halo"}, "workload.width is 99. Give 3 to the 44 rows"),
        ({"sets": [6, 1], "truncation": 0}, "workload.truncation"),
    ],
)
def test_spectral_workloads_that_cannot_be(changes, text):
    from halcyon.base import ConfigError

    work = {"type": "spectral", "truncation": 21, "fields": 6} | changes
    with pytest.raises(ConfigError, match=text):
        simulate({"workload": work, "ranks": 6, "topology": "torus-M"})
