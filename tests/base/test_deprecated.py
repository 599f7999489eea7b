"""Names of the previous version: each works, and warns once in one line."""

import importlib
import importlib.util
import os
import subprocess
import sys
import types

import pytest

from halcyon import deprecated
from halcyon.config.load import load_case
from halcyon.config.yaml_source import apply_override, read_source


@pytest.fixture
def table(monkeypatch):
    """Returns a function that replaces a table of deprecated names for one test."""

    def replace(name, entries):
        monkeypatch.setattr(deprecated, name, entries)

    return replace


def read(tmp_path, text, kind="case"):
    """Reads a YAML text as a file of a kind: case, machine or simulation."""
    file = tmp_path / "case.yaml"
    file.write_text(text)
    return read_source(file, "case.yaml", kind)


def test_an_old_option_is_read_under_its_new_name(table, tmp_path):
    """The value moves to the new option, keeps its line number, and one warning names both options."""
    table("OPTIONS", {"time.dt": "time.step"})
    with pytest.warns(deprecated.DeprecatedNameWarning) as found:
        source = read(tmp_path, "model: wave\ntime:\n  dt: 600\n")
    assert source.data == {"model": "wave", "time": {"step": 600}}
    assert source.position(("time", "step")) == "case.yaml:3"
    (warning,) = found
    assert "case.yaml:3: 'time.dt' is now called 'time.step'" in str(warning.message)
    assert "\n" not in str(warning.message)


def test_a_renamed_group_keeps_what_is_in_it(table, tmp_path):
    table("OPTIONS", {"mesh.spacing.rings": "mesh.spacing.circles"})
    with pytest.warns(deprecated.DeprecatedNameWarning):
        source = read(tmp_path, "mesh:\n  spacing:\n    rings:\n    - radius: 5\n")
    assert source.data == {"mesh": {"spacing": {"circles": [{"radius": 5}]}}}
    assert source.position(("mesh", "spacing", "circles", 0, "radius")) == "case.yaml:4"


def test_an_old_option_of_list_items(table, tmp_path):
    table("OPTIONS", {"mesh.spacing.circles[].r": "mesh.spacing.circles[].radius"})
    with pytest.warns(deprecated.DeprecatedNameWarning) as found:
        source = read(tmp_path, "mesh: {spacing: {circles: [{r: 5}, {radius: 6}, {r: 7}]}}\n")
    assert source.data["mesh"]["spacing"]["circles"] == [{"radius": 5}, {"radius": 6}, {"radius": 7}]
    assert len(found) == 2


def test_old_options_of_machine_files_and_machines_in_cases(table, tmp_path):
    table("OPTIONS", {"machine.hop": "machine.switch_latency"})
    with pytest.warns(deprecated.DeprecatedNameWarning):
        assert read(tmp_path, "hop: 1.0e-7\n", "machine").data == {"switch_latency": 1e-7}
    with pytest.warns(deprecated.DeprecatedNameWarning):
        case = read(tmp_path, "machine: {hop: 1.0e-7}\n", "simulation")
    assert case.data == {"machine": {"switch_latency": 1e-7}}


def test_both_names_at_once_are_a_mistake(table, tmp_path):
    table("OPTIONS", {"time.dt": "time.step"})
    with pytest.raises(
        Exception, match=r"case.yaml:1: time.dt is the old name of time.step, which is given too"
    ):
        read(tmp_path, "time: {dt: 600, step: 300}\n")


def test_an_override_by_its_old_name(table, tmp_path):
    table("OPTIONS", {"time.dt": "time.step"})
    source = read(tmp_path, "time: {step: 300}\n")
    with pytest.warns(deprecated.DeprecatedNameWarning, match="--set time.dt=600"):
        apply_override(source, "time.dt=600")
    assert source.data == {"time": {"step": 600}}


def test_a_command_line_with_an_old_option(table):
    table("COMMANDS", {"plan --per-day": "plan --budget", "mesh info --all": "mesh info --verbose"})
    with pytest.warns(
        deprecated.DeprecatedNameWarning, match="'plan --per-day' is now called 'plan --budget'"
    ):
        assert deprecated.current_arguments(["plan", "--per-day=3", "x"]) == ["plan", "--budget=3", "x"]
    with pytest.warns(deprecated.DeprecatedNameWarning):
        assert deprecated.current_arguments(["mesh", "info", "--all"]) == ["mesh", "info", "--verbose"]
    assert deprecated.current_arguments(["mesh", "--all"]) == ["mesh", "--all"]


def test_python_names_members_and_keywords(table, monkeypatch):
    """Old names of classes, members and keyword arguments work and warn; new names do not warn."""

    class Thing:
        size = 3

        def __init__(self, colour="red"):
            self.colour = colour

        def grow(self, factor):
            return self.size * factor

    package = types.ModuleType("a_package")
    package.Thing, package.double = Thing, lambda value: 2 * value
    monkeypatch.setitem(sys.modules, "a_package", package)
    table(
        "NAMES",
        {
            "a_package.Item": "Thing",
            "a_package.Thing(hue)": "colour",
            "a_package.Thing.extent": "size",
            "a_package.Thing.grow(by)": "factor",
            "a_package.double(number)": "value",
        },
    )
    deprecated.provide("a_package")
    with pytest.warns(deprecated.DeprecatedNameWarning) as found:
        assert package.Item is Thing
        assert Thing().extent == 3
        assert Thing(hue="blue").colour == "blue"
        assert Thing().grow(by=2) == 6
        assert package.double(number=4) == 8
    assert len(found) == 5
    assert all(warning.filename == __file__ for warning in found)
    assert Thing().grow(2) == 6
    assert package.double(value=4) == 8
    with pytest.raises(AttributeError, match="module 'a_package' has no attribute 'Nothing'"):
        package.Nothing  # noqa: B018


def is_module(parts):
    """Whether a dotted name, given as its parts, is a module."""
    try:
        return importlib.util.find_spec(".".join(parts)) is not None
    except ModuleNotFoundError:
        return False


def test_every_name_of_the_table_works():
    """Every deprecated Python name gives the object of its new name, with a warning."""
    for old, new in deprecated.NAMES.items():
        path, _, keyword = old.partition("(")
        parts = path.split(".")
        n_package = next(n for n in (2, 3) if not is_module(parts[: n + 1]))
        found = importlib.import_module(".".join(parts[:n_package]))
        *holders, name = parts[n_package:]
        for holder in holders:
            found = getattr(found, holder)
        if keyword:
            called = getattr(found, name)
            called = called.__init__ if isinstance(called, type) else called
            assert hasattr(called, "__wrapped__"), old
        elif holders:
            with pytest.warns(deprecated.DeprecatedNameWarning):
                assert getattr(found, name) == getattr(found, new), old
        else:
            with pytest.warns(deprecated.DeprecatedNameWarning):
                assert getattr(found, name) is getattr(found, new), old


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_command_shows_one_line(tmp_path, ranks):
    """A command whose case has an old option prints one warning, whatever the number of ranks."""
    code = "import halcyon.deprecated as names; names.OPTIONS['time.until'] = 'time.end'\n"
    code += "import halcyon.cli; halcyon.cli.main()"
    case = tmp_path / "case.yaml"
    case.write_text("model: atmosphere\nmesh: G2\ntime: {start: 2000-01-01T00:00, until: 1999-01-01T00:00}\n")
    command = [sys.executable, "-c", code, "run", str(case), "-n", str(ranks)]
    done = subprocess.run(  # without the variables that MPI has added to the C environment
        command, capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert done.returncode == 2, done.stderr
    lines = [line for line in done.stderr.splitlines() if "warning" in line]
    assert done.stderr.count("warning") == 1, done.stderr
    assert lines == [
        f"warning: {case}:3: 'time.until' is now called 'time.end'; "
        "the old name will stop working in the next version."
    ]


def test_current_cases_warn_of_nothing(recwarn):
    load_case("examples/hinnamnor/case.yaml")
    assert not [
        warning for warning in recwarn if issubclass(warning.category, deprecated.DeprecatedNameWarning)
    ]
