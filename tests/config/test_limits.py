"""Limits of case files and runs, told before they take memory or time."""

import resource

import pytest

from halcyon.base import ConfigError, InputError, read_bytes, read_text, require_memory
from halcyon.config import load_case
from halcyon.config.yaml_source import parse
from halcyon.launch.mpirun import default_ranks, is_rank
from halcyon.simulate import simulate

CASE = """model: wave
mesh: {level: 2, sea: false, depth: {}}
time: {start: 2022-09-01T00:00, end: 2022-09-01T06:00}
forcing: {wind: none}
"""
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{previous}'] * 9)}]\n"
    for previous, name in zip("abcdefghi", "bcdefghij", strict=True)
)
DEEP_ALIASES = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 200))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BOMB, "more than 300,000 values; write fewer"),
        (DEEP_ALIASES, "nested more than 50 deep"),
        ("a: " + "[" * 3000, "c.yaml:1: groups and lists are nested more than 50 deep"),
        ("a: &a\n  b: 1\n<<: *a", "c.yaml:3: the merge key '<<' of YAML 1.1 is not supported"),
        ("a: 1\n'<x>': 1", "c.yaml:2: '<x>' cannot be the name of an option"),
        ('title: "\\ud800"', "c.yaml:1: .* has half a character"),
        ('"\\udfff": 1', "c.yaml:1: .* has half a character"),
    ],
    ids=["bomb", "deep aliases", "deep lists", "merge", "tag", "surrogate", "surrogate name"],
)
def test_yaml_beyond_the_limits(text, expected):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ConfigError, match=expected):
        parse(text, "c.yaml")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["time.source_step=1e-9"], "time.source_step = 1e-09 s makes 2.16e\\+13 steps in a run of 21600 s"),
        (["time.step=1e-320"], "time.step = .* steps"),
        (["time.end=9999-12-31"], "6.993e\\+07 records"),
        (["output.interval=1e-3", "time.source_step=1e-3"], "2.16e\\+07 records"),
        (["output.segment=1e-3"], "2.16e\\+07 files"),
        (["restart.interval=1e-300"], "restart.interval = 1e-300 s .* restarts"),
    ],
)
def test_runs_that_would_not_end(tmp_path, options, expected):
    (tmp_path / "case.yaml").write_text(CASE)
    with pytest.raises(ConfigError, match=expected):
        load_case(tmp_path / "case.yaml", options)


def test_the_atmosphere_has_the_same_limits(tmp_path):
    text = CASE.replace("wave", "atmosphere").replace(", sea: false, depth: {}", "")
    text = text.replace("forcing: {wind: none}", "equations: shallow_water\ninitial: {type: solid_rotation}")
    (tmp_path / "case.yaml").write_text(text)
    load_case(tmp_path / "case.yaml")
    with pytest.raises(ConfigError, match=r"2.16e\+07 records"):
        load_case(tmp_path / "case.yaml", ["output.interval=1e-3"])


@pytest.mark.parametrize("workload", ["{type: alltoall, block_bytes: 8}", "{type: grid_halo}"])
def test_ranks_beyond_memory_are_told_first(workload):
    """Also where the grid of the workload does not permit the number of ranks."""
    case = {"workload": parse(workload, "").data, "ranks": 2 * 10**9}
    with pytest.raises(ConfigError, match=r"of memory, but this machine has|Use 414720000 ranks"):
        simulate(case | {"topology": {"type": "crossbar", "nodes": 2 * 10**9}})


def test_texts_beyond_memory_and_other_than_utf8(tmp_path):
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(10**13)
    with pytest.raises(InputError, match=r"huge.csv: to read 10.0 TB as a track takes about"):
        read_bytes(path, "a track")
    path.write_bytes(b"first\nsecond \xff\n")
    with pytest.raises(InputError, match=r"huge.csv:2: byte 13 of the file is not UTF-8"):
        read_text(path, "a track")
    with pytest.raises(InputError, match="/dev/zero cannot be read as a track: it is a pipe or a device"):
        read_text("/dev/zero", "a track")
    require_memory(0, "nothing")


@pytest.mark.parametrize(
    ("variable", "read"),
    [
        *((name, is_rank) for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")),
        ("SLURM_STEP_NUM_TASKS", is_rank),
        ("SLURM_NTASKS", default_ranks),
    ],
)
def test_variables_of_launchers(monkeypatch, variable, read):
    for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SLURM_PROCID", "0")
    monkeypatch.setenv(variable, "abc")
    with pytest.raises(ConfigError, match=f"the environment variable {variable} is 'abc'"):
        read()
