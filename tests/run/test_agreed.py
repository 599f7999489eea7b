"""Errors on one, some or all ranks, which become one equal error on all ranks."""

import pytest

from halcyon.base import ConfigError, RunError
from halcyon.launch.errors import AgreedError, all_ranks_raise, run_guarded

pytestmark = pytest.mark.mpi


def test_nothing_happens_when_all_is_well(comm):
    with all_ranks_raise(comm):
        pass


@pytest.mark.parametrize(("error", "code"), [(ConfigError, 2), (RunError, 3), (ValueError, 1)])
def test_the_lowest_failing_rank_speaks(comm, error, code):
    """If several ranks fail, all ranks raise the error and exit code of the lowest of them."""
    lowest_rank = comm.size // 2
    with pytest.raises(AgreedError) as caught, all_ranks_raise(comm):
        if comm.rank >= lowest_rank:
            raise error(f"rank {comm.rank} failed")
    assert caught.value.rank == lowest_rank
    assert caught.value.code == code
    assert caught.value.text.endswith(f"rank {lowest_rank} failed")


def test_an_inner_agreement_passes_through(comm):
    """A nested `all_ranks_raise` does not change the error."""
    with pytest.raises(AgreedError) as caught, all_ranks_raise(comm), all_ranks_raise(comm):
        if comm.rank == comm.size - 1:
            raise RunError("the disk is full")
    assert caught.value.text == "the disk is full"


def test_guarded_prints_an_agreed_error_once(comm, capfd):
    def work():
        with all_ranks_raise(comm):
            if comm.rank == comm.size - 1:
                raise ConfigError("a: b")

    assert run_guarded(comm, work, lambda: None) == 2
    assert capfd.readouterr().err == ("error: a: b\n" if comm.rank == 0 else "")


def test_guarded_prints_once_what_all_ranks_found(comm, capfd):
    """An error that all ranks raise is printed and recorded once, as rank 0 raised it."""

    def work():
        raise RunError(f"blow-up seen by rank {comm.rank}")

    records = []
    assert run_guarded(comm, work, lambda: None, lambda *record: records.append(record)) == 3
    assert records == ([("blow-up seen by rank 0", 3)] if comm.rank == 0 else [])
    assert capfd.readouterr().err == ("error: blow-up seen by rank 0\n" if comm.rank == 0 else "")


def test_guarded_keeps_the_traceback_of_a_bug(comm, capfd, tmp_path):
    """An exception that is not Halcyon's is reported as a bug, with the traceback in the log file only."""
    log = tmp_path / "log.txt"

    def work():
        raise ZeroDivisionError("in a test")

    assert run_guarded(comm, work, lambda: log) == 1
    printed = capfd.readouterr().err
    if comm.rank == 0:
        assert "this is a bug in Halcyon: ZeroDivisionError: in a test" in printed
        assert "Traceback" not in printed
        assert "Traceback" in log.read_text()


def test_guarded_returns_zero(comm):
    assert run_guarded(comm, lambda: None, lambda: None) == 0
