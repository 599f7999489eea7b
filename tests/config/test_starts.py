"""The reference of options lists the initial states, and for each the equation sets that accept it."""

import re

import pytest

from halcyon.base import ConfigError
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.config.load import load_case
from halcyon.config.reference import reference
from halcyon.config.spectral import SpectralCase

CASE = """\
model: {model}
mesh: {mesh}
equations: {equations}
time: {{start: 2000-01-01, end: 2000-01-02}}
initial: {{type: {start}}}
"""
SETS = {
    "spectral": ("barotropic", "shallow_water", "primitive"),
    "atmosphere": ("shallow_water", "hydrostatic", "nonhydrostatic"),
}
MESHES = {"spectral": "{truncation: 21}", "atmosphere": "{level: 3}"}


@pytest.mark.parametrize(("model", "kind"), [("spectral", SpectralCase), ("atmosphere", AtmosphereCase)])
def test_each_start_goes_with_the_equations_that_are_named(tmp_path, model, kind):
    """The sets that the text of each start lists ("For ...") are exactly those with which a case loads."""
    groups = {entry.name: entry.text for entry in reference(kind) if entry.is_group}
    described = {
        name[len("initial (") : -1]: text.rpartition(" For ")[2].rstrip(".").split(", ")
        for name, text in groups.items()
        if name.startswith("initial (") and "file" not in name
    }
    allowed = kind.model_fields["initial"].json_schema_extra["allowed"]
    assert set(described) == set(re.findall("'(.*?)'", allowed)) - {"file"}
    for start, listed in described.items():
        accepted = [
            equations_set
            for equations_set in SETS[model]
            if is_accepted(tmp_path, model, equations_set, start)
        ]
        assert accepted == [*listed], start


def is_accepted(tmp_path, model, equations, start):
    """Whether a case with this start and equation set loads; another error than the expected one fails the
    test."""
    path = tmp_path / "case.yaml"
    rests = model == "atmosphere" and start in ("mountain_waves", "supercell")
    group = f"{{set: {equations}, rotation: 0}}" if rests else equations
    path.write_text(CASE.format(model=model, mesh=MESHES[model], equations=group, start=start))
    try:
        load_case(path)
    except ConfigError as error:
        assert f"initial.type = '{start}' does not go together with equations.set = '{equations}'" in str(
            error
        )
        return False
    return True
