"""`--help` of all commands, and `halcyon describe` of single options and groups."""

import re

import pytest
from typer.main import get_command

from halcyon.cli.app import app

GROUPS = ("describe", "bench", "mesh", "plot", "validate")


def commands(group):
    """All commands below a group, by their names."""
    return dict(group.commands)


@pytest.mark.parametrize("group", ["", *GROUPS])
def test_the_line_of_each_command_is_whole(halcyon, group):
    """Help lists each command with a sentence that fits into 80 columns."""
    done = halcyon(*filter(None, [group]), "--help", COLUMNS="80")
    assert done.returncode == 0
    command = get_command(app)
    names = commands(command.commands[group] if group else command)
    listed = done.stdout.partition("Commands:\n")[2]
    lines = dict(re.findall(r"^  ([\w-]+) +(\S.*)$", listed, re.MULTILINE))
    assert set(lines) == set(names)
    for name, line in lines.items():
        assert re.fullmatch(r"[A-Z].{5,60}\.", line) and not line.endswith("..."), f"{name}: {line}"


def every_option(command, path=()):
    """The path and each parameter of all commands."""
    for name, subcommand in getattr(command, "commands", {}).items():
        yield from every_option(subcommand, (*path, name))
    if not hasattr(command, "commands"):
        for parameter in command.params:
            yield " ".join([*path, parameter.name]), parameter


def test_the_help_of_each_option_is_a_sentence():
    for name, parameter in every_option(get_command(app)):
        text = parameter.help or ""
        assert text.endswith(".") and not text.startswith(("Of ", "By ", "Such ")), f"{name}: {text}"


def test_a_default_sub_command_may_be_left_out_and_has_its_own_help(halcyon):
    """`halcyon mesh G2` is `halcyon mesh make G2`; the default subcommands have help."""
    assert "Usage: halcyon mesh [OPTIONS] COMMAND" in halcyon("mesh", "-h").stdout
    assert "--spacing KM" in halcyon("mesh", "make", "--help").stdout
    assert "--spacing KM" in halcyon("mesh", "G2", "--help").stdout
    assert "RUN_DIR" in halcyon("plot", "run", "--help").stdout


def test_one_group_is_described_alone(halcyon):
    """`halcyon describe case GROUP` lists the group and the options below it only."""
    printed = halcyon("describe", "case", "forcing.wind").stdout
    names = re.findall(r"^(?:  )?(\w[\w.\[\]]*)(?: \(\w+\))?: ", printed, re.MULTILINE)
    assert {"forcing.wind", "forcing.wind.track", "forcing.wind.variables.eastward"} <= set(names)
    assert all(name.startswith("forcing.wind") for name in names)
    assert printed.startswith("  forcing.wind: ") and "forcing.wind (constant): " in printed
    assert halcyon("describe", "case", "time").stdout.startswith("time: ")


@pytest.mark.parametrize("part", ["output.stations.name", "output.stations[].name", "output.stations.0.name"])
def test_items_of_lists_need_no_index(halcyon, part):
    printed = halcyon("describe", "case", part).stdout
    assert printed.splitlines()[0].startswith("  output.stations[].name: ") and len(printed.splitlines()) == 2


def test_one_option_is_described_alone(halcyon):
    assert len(halcyon("describe", "case", "physics.lambda").stdout.splitlines()) == 2
    printed = halcyon("describe", "case", "physics.whitecapping").stdout
    assert [printed.count(f"physics ({name}): ") for name in ("wam3", "wam4", "ard", "fvwam")] == [1, 1, 1, 1]
    printed = halcyon("describe", "case", "levels.count", "--model", "atmosphere").stdout
    assert printed.startswith("  levels.count: an integer from 2 to 1000")
    assert halcyon("describe", "simulation", "engine").stdout.startswith("engine: ")
    assert "  links.kinds[].kind: " in halcyon("describe", "machine", "links").stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["case", "forcing.wnd"], "Did you mean 'forcing.wind'?"),
        (["case", "dt"], "Did you mean 'time.step'?"),
        (["case", "step"], "Did you mean 'time.step'?"),
        (["case", "time.dt"], "Did you mean 'time.step'?"),
        (["case", "ntheta"], "Did you mean 'mesh.spectrum.directions'?"),
        (["case", "zzz", "--model", "spectral"], "Give one of model, title, mesh, "),
        (["simulation", "workload.rnks"], "Did you mean 'workload.ranks'?"),
        (["case", "hs"], "significant_height (hs) is a variable of the wave model. `halcyon describe wave`"),
        (["case", "peak_period"], "peak_period is a variable of the wave model. `halcyon describe wave`"),
        (["case", "vorticity", "--model", "spectral"], "a variable of the spectral model"),
        (["case", "precipitation_rate"], "precipitation_rate is a variable of the atmosphere model."),
        (["machine", "bandwidth"], "Did you mean '"),
        (["case", "time", "--model", "wav"], "there is no such model. Did you mean wave?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_unknown_part_is_one_error(halcyon, arguments, expected):
    """An unknown part prints one line with a hint."""
    done = halcyon("describe", *arguments)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert expected in done.stderr
