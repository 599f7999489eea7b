"""Objects of the compiled module are freed when Python ends; nanobind reports no leaks unless asked."""

import subprocess
import sys

import pytest

MODEL = """
import threading
from halcyon import _core
from tests.support import sea_states

def hold(model):
    threading.Thread(target=lambda: (threading.Event().wait(), model), daemon=True).start()

_core.set_leak_warnings({is_reported})
model = sea_states.model(sea_states.sphere(1), sea_states.spectral_grid(8, 8))
model.set_calm()
{end}
"""


def ended(end, is_reported):
    """The errors of a program that makes a wave model and ends in this way."""
    program = MODEL.format(end=end, is_reported=is_reported)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stderr


@pytest.mark.parametrize("end", ["", "raise SystemExit(1)", "raise ValueError('of the user')"])
def test_nothing_leaks_however_a_program_ends(end):
    assert "nanobind" not in ended(end, True)


def test_threads_at_the_end_are_no_leaks():
    """A thread that runs when Python ends keeps its model: the check reports it, and is off by default."""
    assert "nanobind: leaked" in ended("hold(model)", True)
    program = MODEL.replace("_core.set_leak_warnings({is_reported})\n", "").format(end="hold(model)")
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stderr == ""
