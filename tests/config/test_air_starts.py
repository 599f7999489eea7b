"""Options of `initial` of the atmosphere: those of each initial state, with their defaults."""

import pytest

from halcyon import atmosphere
from halcyon.config.initial import STARTS as ALL

STARTS = [ALL[name] for name in atmosphere.air_start_names()]


def test_every_start_has_options():
    assert {start().type for start in STARTS} == set(atmosphere.air_start_names())


@pytest.mark.parametrize("start", STARTS)
def test_a_start_knows_the_options_of_its_case(start):
    given, taken = start().options(), atmosphere.air_start_options(start().type)
    assert given
    assert given.items() <= taken.items()
