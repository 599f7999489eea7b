"""The test harness: unmarked tests run serially; tests marked `mpi` run under mpirun, on all ranks.

A test that fails on one rank fails on all ranks; the report names the test, the rank and the error. Failures
are printed as they happen; if the run is ended (SIGTERM, SIGINT, the limit of a test, a crash), the failed
and the running tests are named.
"""

import io
import os
import signal
import sys
from pathlib import Path

import pyproj  # noqa: F401  # before ecCodes, whose wheel has another PROJ: Halcyon never has both in a process
import pytest
from _pytest.runner import runtestprotocol

from tests.support.journal import Journal, one_line
from tests.support.ranks import MPI_ENVIRONMENT, Ranks, Watchdog, launched_by_mpi

LIMIT_S = 600  # default limit of a test: it ends only tests that hang, also on a busy machine
JOURNAL = pytest.StashKey[Journal]()
RANKS = pytest.StashKey[Ranks | None]()
STDERR_FD = pytest.StashKey[int]()
HIDDEN_OUTPUT = pytest.StashKey[io.StringIO]()
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def comm(request):
    """The ranks of this launch, an mpi4py communicator; one rank without mpirun."""
    stash = request.config.stash
    if stash[RANKS] is None:
        stash[RANKS] = Ranks()
    return stash[RANKS].comm


@pytest.fixture(scope="module")
def common_folder(comm, tmp_path_factory, request) -> Path:
    """A new folder for the files of a test module, the same on all ranks."""
    name = request.module.__name__.rpartition(".")[2]
    return comm.bcast(tmp_path_factory.mktemp(name) if comm.rank == 0 else None, root=0)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data: HALCYON_SHARED, or `shared` next to the checkout."""
    folder = Path(os.environ.get("HALCYON_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no reference data: {folder} is not there")
    return folder


def pytest_configure(config):
    # Background processes ignore SIGINT; programs that the tests interrupt would inherit this.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ |= MPI_ENVIRONMENT | os.environ
    config.addinivalue_line("markers", "mpi: runs under mpirun on all ranks; takes the fixture comm")
    config.addinivalue_line("markers", "ranks(n, ...): under mpirun, runs only on these numbers of ranks")
    config.addinivalue_line("markers", "timeout(seconds): the watchdog's limit for this test")
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        config.stash[STDERR_FD] = os.dup(2)
    config.stash[RANKS] = Ranks() if launched_by_mpi() else None
    if not hasattr(config, "workerinput"):  # the process that reports, not a worker of xdist
        config.pluginmanager.register(Progress(config))
        signal.signal(signal.SIGTERM, end_by_sigterm)


def end_by_sigterm(*_):
    """Ends the session with its report, which a second signal does not interrupt."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pytest.exit("ended by SIGTERM")


class Progress:
    """Prints failures as they happen, and the running tests when the session is interrupted."""

    def __init__(self, config):
        self._config, self._running = config, []

    def pytest_runtest_logstart(self, nodeid):
        self._running.append(nodeid)

    def pytest_runtest_logfinish(self, nodeid):
        self._running = [name for name in self._running if name != nodeid]

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report):
        if report.failed and not launched_by_mpi():  # ranks report before they agree on the outcome
            report_failure(self._config, report)

    @pytest.hookimpl(trylast=True)
    def pytest_keyboard_interrupt(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for name in self._running:
            write_error(self._config, f"{name}{on_rank(self._config)} was running")


def pytest_ignore_collect(collection_path, config):
    """Under mpirun, only files with tests marked `mpi` are imported: each rank imports them."""
    is_test = collection_path.suffix == ".py" and collection_path.name.startswith("test_")
    if is_test and launched_by_mpi() and config.option.markexpr == "mpi":
        return "mark.mpi" not in collection_path.read_text() or None
    return None


def pytest_collection_modifyitems(config, items):
    """Under mpirun, leaves out the tests whose marker `ranks` has other numbers of ranks, unless
    HALCYON_TEST_EVERY_RANK is set."""
    ranks = config.stash[RANKS]
    if ranks is None or os.environ.get("HALCYON_TEST_EVERY_RANK"):
        return
    markers = [(item, item.get_closest_marker("ranks")) for item in items]
    left_out = [item for item, marker in markers if marker is not None and ranks.comm.size not in marker.args]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_sessionstart(session):
    ranks = session.config.stash[RANKS]
    if ranks is not None and ranks.rank != 0:
        hidden_output = session.config.stash[HIDDEN_OUTPUT] = io.StringIO()
        session.config.pluginmanager.getplugin("terminalreporter")._tw._file = hidden_output


def pytest_collection_finish(session):
    """Checks that all ranks have collected the same tests in the same order."""
    ranks = session.config.stash[RANKS]
    if ranks is None:
        return
    collected = [item.nodeid for item in session.items]
    with watchdog(session.config, "collection"):
        collections = ranks.gather((session.testsfailed, collected))
    for rank, collection in enumerate(collections):
        if collection != collections[0]:
            text = f"rank {rank} collected other tests than rank 0: {difference(collection, collections[0])}"
            pytest.exit(text, returncode=pytest.ExitCode.USAGE_ERROR)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Runs one test; under mpirun the ranks agree on its outcome before it is reported."""
    ranks, journal = item.config.stash[RANKS], journal_of(item.config)
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    journal.write("start", item.nodeid)
    with watchdog(item.config, item.nodeid, item.get_closest_marker("timeout")) as active_watchdog:
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if launched_by_mpi():
            for report in reports:
                if report.failed:
                    report_failure(item.config, report)
            active_watchdog.failure = failure_text(reports)
            agree(item, ranks.gather((outcome(reports), active_watchdog.failure)), reports)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    journal.write("end", item.nodeid)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    """Only rank 0 prints, except for internal and usage errors: then each rank prints its output."""
    yield
    hidden = session.config.stash.get(HIDDEN_OUTPUT, None)
    if hidden is not None and exitstatus in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
        text = f"\n{session.config.stash[RANKS]}:\n{hidden.getvalue()}"
        os.write(session.config.stash[STDERR_FD], text.encode())


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """Keeps all ranks alive until rank 0 has reported: mpirun ends all ranks when one rank fails."""
    ranks = config.stash.get(RANKS, None)
    if launched_by_mpi() and ranks is not None:
        sys.stdout.flush()
        with watchdog(config, "the end of the session"):
            ranks.barrier()


def watchdog(config, name, marker=None) -> Watchdog:
    limit_s = float(os.environ.get("HALCYON_TEST_TIMEOUT", LIMIT_S))
    if marker is not None:
        limit_s = float(marker.args[0])
    return Watchdog(name, process_name(config), limit_s, config.stash[STDERR_FD])


def process_name(config) -> str:
    """The rank, the worker of xdist, or `one process`."""
    if launched_by_mpi():
        return str(config.stash[RANKS])
    return os.environ.get("PYTEST_XDIST_WORKER", "one process")


def on_rank(config) -> str:
    return f" on {process_name(config)}" if launched_by_mpi() else ""


def journal_of(config) -> Journal:
    """The journal of this process, which begins with its first test or report: workers of xdist inherit the
    environment of the process that reports."""
    if JOURNAL not in config.stash:
        config.stash[JOURNAL] = Journal(process_name(config))
    return config.stash[JOURNAL]


def write_error(config, text) -> None:
    os.write(config.stash[STDERR_FD], f"\n{text}\n".encode(errors="replace"))


def report_failure(config, report, reason="") -> None:
    """Prints the name of a failed test and the reason, by default the first line of the error, and writes
    them to the journal."""
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = (crash.message if crash else report.longreprtext).strip().splitlines() or [""]
    reason = reason or one_line(lines[0] if crash else lines[-1])
    phase = f" in its {report.when}" if report.when in ("setup", "teardown") else ""
    write_error(config, f"FAILED {report.nodeid}{phase}{on_rank(config)} - {reason}")
    journal_of(config).write("failed", report.nodeid, reason)


def outcome(reports) -> str:
    """The outcome of a test whose phases (setup, call, teardown) have these reports: failed if any phase
    failed, else skipped if any was skipped, else passed."""
    outcomes = {report.outcome for report in reports}
    return next(name for name in ("failed", "skipped", "passed") if name in outcomes)


def failure_text(reports) -> str:
    return "\n".join(
        "\n".join([report.longreprtext, *(f"--- {title}\n{text}" for title, text in report.sections)])
        for report in reports
        if report.failed
    )


def agree(item, outcomes_and_texts, reports):
    """Makes the test fail on this rank if its outcome differs between ranks, or if it failed on any rank.
    `outcomes_and_texts` has the outcome and the failure text of each rank."""
    outcomes = [outcome for outcome, _ in outcomes_and_texts]
    if "failed" not in outcomes and len(set(outcomes)) == 1:
        return
    failures = [
        f"{item.nodeid} {outcome} on rank {rank} of {len(outcomes)}\n{text}"
        for rank, (outcome, text) in enumerate(outcomes_and_texts)
        if outcome != "passed"
    ]
    report = next((phase for phase in reports if phase.failed), reports[min(1, len(reports) - 1)])
    report.outcome = "failed"
    report.longrepr = "\n".join(failures)
    report.sections = []
    if "failed" not in outcomes and item.config.stash[RANKS].rank == 0:
        report_failure(item.config, report, ", ".join(line.splitlines()[0] for line in failures))


def difference(collection, reference) -> str:
    """The tests that only one of two collections has; a collection is (number of errors, test ids)."""
    (_, ids), (_, reference_ids) = collection, reference
    names = sorted(set(ids) ^ set(reference_ids))
    return ", ".join(names[:5]) or "the same names, in another order or with errors"
