"""Transport steps of a wave case, from the CFL limit of each frequency."""

from datetime import datetime

import pytest

from halcyon.base import ConfigError
from halcyon.config import load_case
from halcyon.run.steps import Steps, check_currents, wave_steps
from tests.run import case

LIMITS_S = [500.0, 700.0, 1500.0, 3000.0]  # longest stable step by frequency


@pytest.fixture
def path(tmp_path):
    return case.write_case(tmp_path)


def test_each_band_has_the_steps_that_it_needs(path):
    """The substeps of each band are within the limits of its frequencies."""
    steps = wave_steps(load_case(path), LIMITS_S)
    assert steps.transport_steps == 1
    first = 0
    for n, n_steps in steps.bands:
        assert steps.step_s / n_steps <= min(LIMITS_S[first : first + n])
        first += n
    assert first == len(LIMITS_S)
    assert steps.shortest_step_s <= 500


@pytest.mark.parametrize("n_steps", [7, 9])
def test_records_are_counted(n_steps):
    """A record after every third step and after the last."""
    steps = Steps(datetime(2000, 1, 1), step_s=100, steps_per_record=3, n_steps=n_steps)
    for number in range(n_steps + 1):
        assert steps.records_until(number) == sum(map(steps.record_is_due, range(1, number + 1)))


def test_a_current_that_is_too_strong_names_the_option(path):
    loaded = load_case(path)
    steps = wave_steps(loaded, LIMITS_S)
    check_currents(loaded, steps, LIMITS_S)
    with pytest.raises(ConfigError, match=r"Raise time\.strongest_current = 0 m s-1 to"):
        check_currents(loaded, steps, [limit / 10 for limit in LIMITS_S])
