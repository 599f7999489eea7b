"""Errors of one of several ranks, raised on all of them."""

import pytest

from halcyon.base import ConfigError, InputError

pytestmark = pytest.mark.mpi


@pytest.mark.parametrize(
    ("raised", "kind", "text"),
    [
        (ConfigError("No."), ConfigError, "No."),
        (InputError("None."), InputError, "None."),
        (TypeError("what"), InputError, "TypeError: what"),
    ],
)
def test_a_mistake_of_one_is_told_by_all(comm, raised, kind, text):
    """An error on the last rank is raised on all ranks with the number of that rank; other types become
    InputError."""
    from halcyon.comm import collective_errors

    last = comm.size - 1
    with (
        pytest.raises(type(raised) if comm.size == 1 else kind) as caught,
        collective_errors(comm) as require_same,
    ):
        if comm.rank == last:
            raise raised
        require_same("fields", 3)
    assert str(caught.value) == (str(raised) if comm.size == 1 else f"Rank {last}: {text}")


def test_a_mistake_of_all_is_told_as_it_is(comm):
    """An error that all ranks raise keeps its text."""
    from halcyon.comm import collective_errors

    with pytest.raises(InputError, match=r"^Too short\.$"), collective_errors(comm):
        raise InputError("Too short.")


def test_what_differs_is_named(comm):
    """Values that differ between ranks raise a ConfigError, which names the value and both ranks."""
    from halcyon.comm import collective_errors

    with collective_errors(comm) as require_same:
        require_same("fields", 3)
    if comm.size == 1:
        return
    text = r"^Rank 1 gives fields \(5,\), but rank 0 \(4,\)\. Give the same on all ranks\.$"
    with pytest.raises(ConfigError, match=text), collective_errors(comm) as require_same:
        require_same("truncation", 21)
        require_same("fields", (4 + comm.rank,))
