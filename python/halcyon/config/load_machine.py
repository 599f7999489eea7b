"""Loads the options of a machine, given by its name or file."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from halcyon.base import ConfigError
from halcyon.choices import choice, names
from halcyon.config.error_texts import did_you_mean
from halcyon.config.load import raise_findings, validated
from halcyon.config.machine import NUMBER_NAMES, LinkSpeed, Machine
from halcyon.config.option import decimal
from halcyon.config.yaml_source import Source, read_source

PRESETS = {path.stem: path for path in sorted((Path(__file__).parent / "machines").glob("*.yaml"))}


def machine_names() -> tuple[str, ...]:
    """The names of the predefined machines: those without a network, and machine files of Halcyon."""
    return (*names("machines"), *PRESETS)


def load_machine(name: str, folder: Path = Path()) -> Machine:
    """Reads and checks a machine, given by its name or file.

    Raises ConfigError with one line per mistake, each naming file and line."""
    return Machine.model_validate(machine_data(name, folder), context={"folder": folder.absolute()})


def machine_data(name: str, folder: Path) -> dict[str, Any]:
    """The options that a machine's file gives, checked, with absolute file names. Raises ConfigError as
    `load_machine`."""
    if name in names("machines"):
        return {"name": name} | _options_of(name)
    path = PRESETS.get(name) or _machine_file(name, folder)
    source = read_source(path, str(path), "machine")
    machine = validated(Machine, path, source)
    raise_findings(_machine_findings(machine), source)
    return _with_absolute_files(source, path.absolute().parent)


def _options_of(name: str) -> dict[str, Any]:
    """The options of a predefined machine."""
    values = {each.name: each.value for each in choice("machines", name).options}
    return {name: values[name] for name in NUMBER_NAMES} | {
        "links": {name: values[f"links.{name}"] for name in LinkSpeed.model_fields}
    }


def _machine_file(name: str, folder: Path) -> Path:
    """The machine file of this name. Raises ConfigError if the file does not exist."""
    path = folder / Path(name).expanduser()
    if path.is_file():
        return path
    similar = did_you_mean(name, machine_names())
    hint = f"Did you mean '{similar}'?" if similar else f"Known machines: {', '.join(machine_names())}."
    raise ConfigError(f"the machine '{name}' is neither a file nor the name of a machine. {hint}")


def _machine_findings(machine: Machine) -> Iterator[tuple[str, str]]:
    """Yields (option, error text) for each inconsistency between options."""
    link_kinds = [speed.kind for speed in machine.links.kinds]
    for i, kind in enumerate(link_kinds):
        if kind in link_kinds[:i]:
            yield f"links.kinds.{i}", f"the kind of links '{kind}' is given twice."
    if machine.ranks_per_node < machine.nics_per_node and machine.nic_choice != "striped":
        text = f"nics_per_node = {machine.nics_per_node} is more than ranks_per_node ="
        text += f" {decimal(machine.ranks_per_node)}, so some NICs would be unused"
        yield "nics_per_node", f"{text}, except with nic_choice: striped."


def _with_absolute_files(source: Source, folder: Path) -> dict[str, Any]:
    """The options of a machine file, with absolute names of the files that it names."""
    data = copy.deepcopy(source.data)
    for name in ("topology", "placement"):
        group = data.get(name)
        if isinstance(group, dict) and isinstance(group.get("file"), str):
            group["file"] = str(folder / Path(group["file"]).expanduser())
    return data
