"""The hidden share is computed by its definition; the times are not checked."""

import json
from types import SimpleNamespace

import pytest

from halcyon.base import ConfigError
from halcyon.transform import ExchangeSettings
from halcyon_bench.overlap import Plan, mean_times, measured, on_ranks
from halcyon_bench.overlap_tables import about, report, table
from halcyon_bench.sections import FourierSection, Run, SleepSection
from tests.support.command import halcyon
from tests.transform.sets import all_sets


@pytest.mark.parametrize("way", ["analysis", "synthesis"])
def test_the_fourier_section_of_a_model(way):
    """Times of the section are positive; the upper bound of the hidden share is 0 for one group and positive
    for three."""
    plan = Plan((1, 3), ("isend_irecv",), ("poll",), trials=1)
    for sets in (None, (2, 1)):
        result = on_ranks(2, FourierSection(21, 32, 6, sets, way), plan)
        assert result["name"] == ("2x1" if sets else "1x2")
        for row in result["rows"]:
            assert row["total_s"] > 0 and row["communication_s"] > 0 and row["compute_s"] > 0
            assert row["slowdown"] > 0
            assert row["ceiling"] == pytest.approx(0, abs=1e-9) if row["groups"] == 1 else row["ceiling"] > 0


def test_every_combination_is_measured():
    """Rows have every method, number of groups and progress; shares follow from the times of the row."""
    plan = Plan((1, 2), ("ialltoallv", "isend_irecv"), ("none", "thread"), ("shared", "0"), trials=2)
    result = on_ranks(2, SleepSection(20_000, compute_s=0.004, sides=2), plan)
    assert result["ranks"] == 2 and result["name"] == "2"
    assert result["thread_level"] == "MPI_THREAD_MULTIPLE"
    progress = ["none", "thread shared", "thread 0"]
    assert list(result["progress"]) == progress
    assert result["progress"]["thread 0"].startswith("thread on core 0,")
    keys = [(row["method"], row["groups"], row["progress"]) for row in result["rows"]]
    assert keys == [(m, g, p) for m in plan.methods for g in plan.groups for p in progress]
    for row in result["rows"]:
        assert row["compute_s"] >= 0.004 and row["total_s"] >= 0.004
        pipelined, blocking = row["total_s"] - row["compute_s"], row["blocking_s"] - row["compute_s"]
        if row["hidden"] is None:
            assert blocking < max(0.03 * row["blocking_s"], row["spread_s"])
        else:
            assert row["hidden"] == pytest.approx(1 - pipelined / blocking)
        assert row["chr"] == pytest.approx(1 - row["calls_s"] / row["blocking_calls_s"])
        assert -1e-9 <= row["ceiling"] <= 1
        assert row["slowdown"] == 1
    noted = any(row["hidden"] is None for row in result["rows"])
    assert len(table(result).splitlines()) == 1 + len(keys) + noted
    assert len(about(result).splitlines()) == 3
    assert "MPI_THREAD_MULTIPLE" in about(result)


class Spending(Run):
    """A run that reports `each_s` [s] of computation, and one second in calls, without spending them."""

    def __init__(self, each_s=0.0):
        spent = {"calls_s": 0.0, "work_s": 0.0}

        def run():
            spent["calls_s"] += 1.0
            spent["work_s"] += each_s

        super().__init__(run, lambda: spent["calls_s"], lambda: spent["work_s"])


def test_runs_begin_after_a_barrier_of_the_v_set(comm):
    """Each run of each turn begins with a barrier of the V set only."""
    barriers = []
    v_set = SimpleNamespace(Barrier=lambda: barriers.append("v_set"))
    ranks = SimpleNamespace(Allreduce=comm.Allreduce, allreduce=comm.allreduce, size=1)  # without a barrier
    mean_times(ranks, {"one": Spending(), "other": Spending()}, 5, v_set)
    assert barriers == ["v_set"] * 2 * (1 + 5)


@pytest.mark.mpi
def test_v_sets_are_the_ranks_of_the_same_fields(comm):
    """The communicator of a V set has W consecutive ranks; for all-to-alls among all ranks, all of them."""
    for n_v in {n for n in range(1, comm.size + 1) if comm.size % n == 0}:
        n_w = comm.size // n_v
        result = FourierSection(sets=(n_v, n_w)).v_set(comm)
        assert (result.size, result.rank) == (n_w, comm.rank % n_w)
        assert result.allgather(comm.rank) == [comm.rank // n_w * n_w + w for w in range(n_w)]
        result.Free()
    together = SleepSection().v_set(comm)  # an all-to-all among all ranks has one V set
    assert together.size == comm.size
    together.Free()


class Disturbed:
    """A section whose work time is proportional to the number of groups."""

    algorithm = "burst"

    def __init__(self):
        self.settings = []

    def name(self, ranks):
        return "disturbed"

    def v_set(self, comm):
        return comm.Dup()

    def stages(self, communication_s, compute_s):
        return [(communication_s, compute_s)]

    def pipeline(self, comm, how, progress):
        self.settings.append(how)
        return Spending(2.0 * how.groups)

    def communication(self, comm, method):
        return Spending()

    def computation(self, comm, groups):
        return Spending(2.0)


def test_the_slowdown_is_of_the_work_itself(comm):
    """`slowdown` is the computation in the pipeline over the computation alone, whatever the time in
    calls."""
    result = measured(comm, Disturbed(), Plan((1, 3), ("isend_irecv",), ("none",), trials=3))
    assert [row["slowdown"] for row in result["rows"]] == pytest.approx([1, 3])
    assert [row["calls_s"] for row in result["rows"]] == pytest.approx([1, 1])


def test_pipelines_are_held_against_ranks_that_block(comm):
    """The reference of a pipeline is the collective, and the same method, in one group that is not
    overlapped."""
    section = Disturbed()
    measured(comm, section, Plan((3,), ("isend_irecv",), ("none",), trials=1))
    assert section.settings == [
        ExchangeSettings(1, 0, "alltoallv"),
        ExchangeSettings(1, 0),
        ExchangeSettings(3),
    ]


@pytest.mark.mpi
def test_a_section_has_no_more_groups_than_fields(comm):
    for v, w in all_sets(comm.size, 4):
        section = FourierSection(21, 32, 7, (v, w))
        section.pipeline(comm, ExchangeSettings(-(-7 // v)), None).run()
        with pytest.raises(
            ConfigError, match=f"7 fields, {-(-7 // v)} in the largest V set, cannot form 8 groups"
        ):
            section.pipeline(comm, ExchangeSettings(8), None)


def bench(*words):
    return halcyon("bench", "overlap", *words)


def test_from_the_command_line():
    few = ("-n", "2", "--bytes", "1000", "--groups", "2", "--trials", "1", "--ratio", "0.5")
    done = bench(*few, "--method", "persistent", "--progress", "poll", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    (row,), (line,) = result["jobs"][0]["rows"], result["summary"]
    assert (row["method"], row["progress"], row["groups"]) == ("persistent", "poll", 2)
    assert (line["name"], line["pipelined_s"], line["blocking_s"]) == (
        "2",
        row["total_s"],
        row["collective_s"],
    )


def test_sets_beside_each_other(tmp_path):
    """Several sets are several lines of the summary, and a figure."""
    few = ("--truncation", "10", "--fields", "4", "--groups", "2", "--trials", "1", "--method", "isend_irecv")
    picture = tmp_path / "overlap.svg"
    done = bench("--section", "fourier", "--sets", "1x2, 2x1", *few, "--progress", "none", "--plot", picture)
    assert done.returncode == 0, done.stderr
    names = [line.split()[0] for line in done.stdout.splitlines() if line.split()]
    assert [name for name in names if name in ("1x2", "2x1")][-2:] == ["1x2", "2x1"]
    assert "<svg" in picture.read_text()


def test_what_transforms_take_of_a_step_of_the_model():
    """Steps are measured with the blocking collective and the best pipeline of each method."""
    plan = Plan((1, 2), ("isend_irecv", "ialltoallv"), ("poll",), trials=1)
    result = on_ranks(2, FourierSection(10, 16, 4), plan, step=True)
    variants = [(step["method"], step["groups"], step["progress"]) for step in result["steps"]]
    assert variants == [("alltoallv", 1, "none"), ("isend_irecv", 2, "poll"), ("ialltoallv", 2, "poll")]
    for step in result["steps"]:
        assert 0 < step["calls_s"] < step["transforms_s"] < step["step_s"]
        assert step["share"] == pytest.approx(step["transforms_s"] / step["step_s"])


@pytest.mark.parametrize(
    "section", [FourierSection(10, 16, 4), SleepSection(20_000, compute_s=0.001, sides=2)]
)
def test_what_auto_chooses_is_measured_beside_the_others(section):
    """The chosen settings are among the candidates of the plan, and are reported."""
    plan = Plan((1, 2), ("isend_irecv",), ("none", "poll"), trials=1)
    result = on_ranks(2, section, plan, auto=True)
    auto = result["auto"]
    assert auto["groups"] in (1, 2) and auto["progress"] in ("none", "poll")
    assert auto["algorithm"] == "burst"  # on two ranks the other algorithms are the same
    assert auto["total_s"] > 0 and auto["tuned_s"] > 0 and auto["tried"] > 4
    (line,) = [line for line in report([result]).splitlines() if ": auto tries " in line]
    assert (
        f"{auto['tried']} settings in " in line and f", {auto['method']}, burst, {auto['progress']}: " in line
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        pytest.param(
            ("--step",),
            "--step is only for the Fourier section. Give --section fourier, too",
            id="words0---step is of the Fourier section. Give --section fourier, too",
        ),
        pytest.param(
            ("--sets", "1x2"),
            "--sets is only for the Fourier section. Give --section fourier, too",
            id="words1---sets is of the Fourier section. Give --section fourier, too",
        ),
        pytest.param(
            ("--way", "sideways"),
            "--way is only for the Fourier section. Give --section fourier, too",
            id="words2---way is of the Fourier section. Give --section fourier, too",
        ),
        (("--ratio", "1e300"), "Input should be less than or equal to 1000"),
        pytest.param(
            ("--section", "fourier", "--ratio", "2"),
            "--ratio is only for the section sleep. Give --section sleep",
            id="words4---ratio is of sleep. Give --section sleep",
        ),
        pytest.param(
            ("--progress", "poll", "--core", "0"),
            "--core is only for a progress thread. Give --progress thread, too",
            id="words5---core is of a thread. Give --progress thread, too",
        ),
        pytest.param(
            ("--section", "fourier", "--sets", "1x2,2"),
            "--sets is '1x2,2', but '2' is not V x W",
            id="words6---sets is '1x2,2', of which '2' is no V x W",
        ),
        pytest.param(
            ("--section", "fourier", "--sets", "1x1"),
            "'1x1' is not V x W with 2 ranks or more",
            id="words7-'1x1' is no V x W of 2 ranks or more",
        ),
        pytest.param(
            ("--section", "fourier", "--sets", "0x2"),
            "'0x2' is not V x W with 2 ranks or more",
            id="words8-'0x2' is no V x W of 2 ranks or more",
        ),
        pytest.param(
            ("--section", "fourier", "--sets", "1x2,2x2", "-n", "2"),
            "--sets 2x2 has 4 ranks, but -n is 2",
            id="words9---sets 2x2 is of 4 ranks, but -n is 2",
        ),
        (("--section", "spectral"), "--section is 'spectral'. Use sleep or fourier"),
        (("--plot", "/nowhere/a.png"), "there is no folder /nowhere"),
        pytest.param(
            ("--plot", "a.txt"), "a.txt: unknown picture format", id="words12-a.txt: no picture is called so"
        ),
    ],
)
def test_options_that_cannot_be(words, text):
    done = bench(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert text in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: SleepSection(0), "A rank has 0 bytes"),
        (lambda: SleepSection(8, compute_s=-1), "computes for -1 s"),
        (lambda: SleepSection(sides=3), "3 sides of a pipeline"),
        (lambda: FourierSection(way="up"), "way is 'up'"),
        (lambda: FourierSection(fields=0), "0 fields"),
        (lambda: Plan(groups=(0, 1)), "groups 0, 1"),
        (lambda: Plan(trials=0), "0 trials"),
        (lambda: Plan(naps_us=(200, -1)), "Naps of 200, -1 us"),
    ],
)
def test_what_cannot_be(make, text):
    with pytest.raises(ConfigError, match=text):
        make()


def test_naps_of_a_thread_are_rows():
    """Each sleep between polls is a row of its own."""
    plan = Plan((2,), ("isend_irecv",), ("none", "thread"), ("shared",), trials=1, naps_us=(200, 0))
    result = on_ranks(2, SleepSection(20_000), plan)
    assert [row["progress"] for row in result["rows"]] == [
        "none",
        "thread shared 200 us",
        "thread shared 0 us",
    ]
    assert result["progress"]["thread shared 0 us"].endswith("polling every 0 us")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--core", "999", "--progress", "thread"), "There is no core 999"),
        (("--progress", "bogus"), "There is no progress 'bogus'"),
        (("--method", "bogus"), "There is no exchange method 'bogus'"),
    ],
)
def test_what_the_ranks_refuse_is_said_once(options, text):
    done = bench("-n", "2", *options, "--groups", "1", "--trials", "1")
    assert (done.returncode, done.stdout) == (2, "")
    error = " ".join(done.stderr.split())
    assert error.startswith(f"error: The benchmark failed (overlap on 2 ranks): {text}")
    assert error.count(text) == 1


@pytest.mark.mpi
def test_groups_that_are_too_many_for_the_bytes(comm):
    with pytest.raises(ConfigError, match="too few for 9 groups"):
        SleepSection(8 * comm.size).pipeline(comm, ExchangeSettings(9), None)
