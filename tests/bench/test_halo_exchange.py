"""Halo exchanges are measured with every method; the times are not checked."""

import pytest

from halcyon.base import ConfigError
from halcyon.halo import METHODS
from halcyon_bench.halo_exchange import COPY, SINGLY, Case, on_ranks, table


def test_every_method_is_measured():
    """The result has each method, with fields together and singly, and the copy, which is the reference of
    the table."""
    case = Case(level=3, layers=2, numbers=3, dtype="float32", fields=2, ranks=2)
    found = on_ranks(case, METHODS, repetitions=3)
    assert set(found) == {*METHODS, *(SINGLY + method for method in METHODS), COPY}
    for us in found.values():
        assert 0 < us["best"] <= us["max"]
        assert us["mean"] <= us["max"]
    lines = table(found).splitlines()
    assert len(lines) == 1 + len(found)
    assert lines[-1].split()[-1] == "1.00"
    assert str(case) == "G3, 2 layers, 2 fields of 3 float32, 2 ranks"


def test_a_method_that_is_none():
    with pytest.raises(ConfigError, match=r"(?s)failed \(G3, .*There is no exchange method 'post'"):
        on_ranks(Case(level=3), ["post"], repetitions=1)


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ({"layers": 0}, "layers is 0, but must be at least 1"),
        ({"dtype": "int8"}, "dtype is 'int8', but must be float64 or float32"),
    ],
)
def test_cases_that_cannot_be(case, text):
    with pytest.raises(ConfigError, match=text):
        Case(**case)
