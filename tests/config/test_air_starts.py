"""Options of `initial` in cases of the atmosphere: of each initial state, with the defaults of the C++
core."""

import pytest

from halcyon import atmosphere
from halcyon.config.initial import STARTS as ALL

STARTS = [ALL[name] for name in atmosphere.air_start_names()]


def test_every_start_has_options():
    assert {start().type for start in STARTS} == set(atmosphere.air_start_names())


@pytest.mark.parametrize("start", STARTS)
def test_a_start_knows_the_options_of_its_case(start):
    """The options of a start and their defaults are among those of the C++ core."""
    defaults, core_options = start().options(), atmosphere.air_start_options(start().type)
    assert defaults
    assert defaults.items() <= core_options.items()
