"""Cases of `halcyon simulate`, and machine files: options, and errors with one line per mistake."""

import pytest

from halcyon import network
from halcyon.base import ConfigError
from halcyon.config.load_machine import load_machine
from halcyon.config.machine import NUMBER_NAMES, Machine
from halcyon.config.points import load_simulation
from halcyon.config.reference import reference
from halcyon.config.simulation import Simulation

CASE = """\
workload: {type: transposition, grid: [1440, 720, 256]}
machine: reference
topology: fattree-M
series:
  - {name: ring, workload.algorithm: ring-1}
  - {name: bruck, workload.algorithm: bruck}
sweep:
  ranks: [100, 1000]
  machine.links.bandwidth: [1e9, 1e10]
"""
MACHINE = """\
name: ours
topology: {type: torus, sizes: [4, 4], nodes_per_switch: 2}
links:
  bandwidth: 5e9
  latency: 2e-7
injection_bandwidth: 6e9
eager_bytes: 4096
ranks_per_node: 4
"""
MISTAKES = [
    pytest.param(
        "reference",
        "refrence",
        "2: the machine 'refrence' is neither a file nor the name of a machine. Did you mean",
        id=(
            "reference-refrence-2: the machine 'refrence' is neither a file nor the name of one. Did you mean"
        ),
    ),
    ("grid:", "gird:", "1: unknown option 'workload.gird'. Did you mean 'workload.grid'?"),
    (
        "transposition",
        "transpose",
        "1: workload = a group of options must be a group with type: transposition,",
    ),
    (
        "topology: fattree-M",
        "topology: {type: torus, size: [3]}",
        "3: unknown option 'topology.size'. Did you mean 'topology.sizes'?",
    ),
    (
        "topology: fattree-M",
        "topology: {type: tors}",
        "3: topology = a group of options must be a name such as",
    ),
    ("[100, 1000]", "[100, -3]", "8: ranks = -3 must be an integer from 1 to 2147483647."),
    ("[100, 1000]", "[99999999999999999999]", "8: ranks = 1e+20 must be an integer from 1 to 2147483647."),
    ("[100, 1000]", "[]", "8: sweep.ranks is empty. Give it one value or more."),
    ("[100, 1000]", "100", "8: sweep.ranks = 100 must be a list."),
    (CASE[CASE.index("  ranks") :], "  - ranks", "7: sweep = a list must be a group of lists such as"),
    (
        "machine.links.bandwidth",
        "machine.links.bandwith",
        "9: unknown option 'machine.links.bandwith'. Did you mean 'machine.links.bandwidth'?",
    ),
    ("machine.links.bandwidth", "machine..links", "9: machine..links: 'machine..links' has an empty name"),
    pytest.param(
        "machine.links.bandwidth",
        "title",
        "9: title is an option of the whole case and cannot vary.",
        id=("machine.links.bandwidth-title-9: title is of the case as a whole and cannot vary."),
    ),
    (
        "machine.links.bandwidth",
        "workload.algorithm",
        "5: workload.algorithm is both swept and changed by the series 'ring'.",
    ),
    (
        "machine: reference",
        "machine: {base: reference, packet_byte: 3}",
        "2: unknown option 'machine.packet_byte'. Did you mean 'machine.packet_bytes'?",
    ),
    (
        "{type: transposition, grid: [1440, 720, 256]}",
        "{type: gcr, grid: [1440, 720, 256]}",
        "1: unknown option 'workload.grid' of type 'gcr'. Allowed here: type,",
    ),
    ("sweep:", "swep:", "7: unknown option 'swep'. Did you mean 'sweep'?"),
    ("name: bruck,", "", "6: a series needs a name"),
    pytest.param(
        "name: bruck",
        "name: ring",
        "6: two series have the name 'ring'. Give another name.",
        id=("name: bruck-name: ring-6: the series 'ring' is named twice; names are unique."),
    ),
]


def write_file(folder, text, name="case.yaml"):
    (folder / name).write_text(text)
    return folder / name


def test_series_and_sweeps_make_all_combinations(tmp_path):
    """Two series and two sweeps of two values make eight simulations, the last sweep varying fastest."""
    points = load_simulation(write_file(tmp_path, CASE))
    assert [point.series for point in points] == ["ring"] * 4 + ["bruck"] * 4
    assert [point.case.ranks for point in points] == [100, 100, 1000, 1000] * 2
    assert [point.case.machine.links.bandwidth for point in points] == [1e9, 1e10] * 4
    assert {point.case.machine.links.latency for point in points} == {100e-9}
    assert points[4].case.workload.algorithm == "bruck"
    assert str(points[1]) == "ring, ranks 100, machine.links.bandwidth 10000000000.0"


def test_a_case_without_sweeps_is_one_simulation(tmp_path):
    (point,) = load_simulation(write_file(tmp_path, CASE[: CASE.index("series")]), ["ranks=8"])
    assert (point.series, dict(point.swept), point.case.ranks) == ("", {}, 8)


def test_a_mistake_about_a_group_names_what_was_set_of_it(tmp_path):
    """An error about a group names the line of the file and the override that changed the group."""
    torus = CASE[: CASE.index("series")].replace("fattree-M", "{type: torus, sizes: [4, 4]}")
    path, word = write_file(tmp_path, torus), "topology.sizes=[4000,4000,4000]"
    (point,) = load_simulation(path, ["ranks=8", word])
    error = ConfigError("Too large.")
    error.location = ("topology",)
    assert str(point.locate_error(error)) == f"{path}:3 with --set {word}: Too large."


@pytest.mark.parametrize(("old", "new", "expected"), MISTAKES)
def test_mistakes(tmp_path, old, new, expected):
    """A mistake in the case gives an error line with path, line number and the expected text."""
    assert old in CASE
    path = write_file(tmp_path, CASE.replace(old, new))
    with pytest.raises(ConfigError) as caught:
        load_simulation(path)
    lines = str(caught.value).splitlines()
    assert any(line.startswith(f"{path}:{expected}") for line in lines), lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "",
            " is empty. `halcyon describe simulation` shows its options.",
            id="- is empty. `halcyon describe simulation` shows what it may hold.",
        ),
        pytest.param(
            "- 1\n",
            ":1: a simulation file holds options (`workload: {type: gcr}` and so on), not [1].",
            id=("- 1\n-:1: a simulation is a group of options (`workload: {type: gcr}` and so on), not [1]."),
        ),
    ],
)
def test_what_is_no_case_is_told_what_a_simulation_has(tmp_path, text, message):
    """A file that is empty or holds a list is refused with a text that shows what a simulation file holds."""
    path = write_file(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_simulation(path)
    assert str(caught.value) == f"{path}{message}"


def test_a_machine_file_that_is_empty_is_told_what_a_machine_has(tmp_path):
    write_file(tmp_path, "", "ours.yaml")
    with pytest.raises(ConfigError, match=r"ours\.yaml is empty\. `halcyon describe machine` shows"):
        load_machine("ours.yaml", tmp_path)


def test_what_may_be_a_name_or_a_group_is_listed_as_both():
    """The reference lists options that may be a name or a group under both forms."""
    entries = {entry.name: entry for entry in reference(Simulation)}
    assert entries["placement"].allowed == "'linear', 'random', 'mapped', or a group with file"
    assert {"machine.placement", "placement (file)", "topology", "machine"} <= entries.keys()
    assert (entries["machine.placement"].default, entries["machine"].default) == ("linear", "")


def test_a_machine_file_gives_what_the_case_does_not(tmp_path):
    """Values come from the sweep, else from the case, else from the machine file."""
    write_file(tmp_path, MACHINE, "ours.yaml")
    text = CASE.replace("machine: reference", "machine: {base: ours.yaml, injection_bandwidth: 7e9}")
    machine = load_simulation(write_file(tmp_path, text))[1].case.machine
    assert (machine.name, machine.injection_bandwidth, machine.ranks_per_node) == ("ours", 7e9, 4)
    assert (machine.links.bandwidth, machine.links.latency) == (1e10, 2e-7)
    speeds = machine.network_machine(network.named_network("fattree-M"))
    assert (speeds.eager_bytes, speeds.links[0].latency) == (4096, 2e-7)


def test_a_mistake_in_the_machine_file_is_told_with_both_places(tmp_path):
    """The error names the line of the case and the line of the machine file."""
    machine = write_file(tmp_path, MACHINE.replace("6e9", "-1"), "ours.yaml")
    case = write_file(tmp_path, CASE.replace("reference", "ours.yaml"))
    with pytest.raises(ConfigError) as caught:
        load_simulation(case)
    assert f"{case}:2: the machine ours.yaml: {machine}:6: injection_bandwidth = -1 must be" in str(
        caught.value
    )


def test_a_machine_may_have_kinds_of_links(tmp_path):
    """A kind of links has its own bandwidth on a topology with that kind, and is an error on others."""
    text = MACHINE.replace("  latency: 2e-7", "  kinds: [{kind: global, bandwidth: 1e9}]")
    machine = load_machine("ours.yaml", write_file(tmp_path, text, "ours.yaml").parent)
    fly = network.Dragonfly(group=[4], n_groups=5, global_links=1)
    assert [link.bandwidth for link in machine.network_machine(fly).links] == [5e9, 1e9]
    with pytest.raises(ConfigError, match="no kind of links 'global'"):
        machine.network_machine(network.Torus([4], 1))


def test_options_left_out_are_those_of_the_reference_machine():
    """Defaults of a machine equal the reference machine of the C++ library."""
    library, model = network.named_machine("reference"), Machine()
    assert {name: getattr(model, name) for name in NUMBER_NAMES} == {
        name: getattr(library, name) for name in NUMBER_NAMES
    }
    (links,) = library.links
    assert (model.links.bandwidth, model.links.latency) == (links.bandwidth, links.latency)
    assert load_machine("zheng2018").crossbar_factor == network.named_machine("zheng2018").crossbar_factor
