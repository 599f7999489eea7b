"""Simulations of invalid cases: the error names the place, the value and the remedy."""

import pytest

from halcyon.base import ConfigError, InputError
from halcyon.simulate import simulate, sweep

LINES = """\
workload: {type: alltoall, block_bytes: 1000}
ranks: 8
machine: reference
topology: {type: torus, sizes: [4, 2]}
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "text"),
    [
        ("1000", "8, algorithm: ring-0", 1, "ring-0"),
        ("ranks: 8", "ranks: 9", 2, "There are 9 ranks, but torus 4 x 2"),
        ("ranks: 8\n", "", 1, "ranks is missing"),
        ("[4, 2]", "[4, 0]", 4, "topology.sizes[1] = 0 must be an integer from 1 to 2147483647."),
        ("[4, 2]", "[4, 1e11]", 4, "topology.sizes[1] = 100000000000.0 must be an integer from 1"),
        ("[4, 2]", "[4, 99999999999]", 4, "topology.sizes[1] = 99999999999 must be an integer from 1"),
        (
            "{type: alltoall, block_bytes: 1000}",
            "{type: grid_halo, grid: [1000000000, 1000000000, 1000000000]}",
            1,
            "the grid has 8e+27 bytes, more than 4.6e18.",
        ),
        ("{type: torus, sizes: [4, 2]}", "torus-X", 4, "torus-X"),
        ("machine:", "routing: d_mod_k\nmachine:", 3, "Routing d_mod_k is for fat trees"),
        ("reference\n", "{links: {kinds: [{kind: global}]}}\n", 3, "has no kind of links 'global'"),
        (
            "machine:",
            "placement: {file: nodes.txt}\nmachine:",
            3,
            "nodes.txt places 2 ranks, but there are 8",
        ),
        pytest.param(
            "machine:",
            "placement: {file: none.txt}\nmachine:",
            3,
            "none.txt cannot be read as the node of each rank",
            id="machine:-placement: {file: none.txt}\nmachine:-3-none.txt gives no placement",
        ),
        pytest.param(
            "machine:",
            "placement: {file: words.txt}\nmachine:",
            3,
            "words.txt:2: 'one' is not a node",
            id="machine:-placement: {file: words.txt}\nmachine:-3-words.txt:2: 'one' is no node",
        ),
        ("{type: alltoall, block_bytes: 1000}", "{type: mesh_halo, mesh: none.nc}", 1, "none.nc is neither"),
        ("{type: alltoall, block_bytes: 1000}", "{type: mesh_halo, mesh: G11}", 1, "there is no mesh G11"),
        (
            "{type: alltoall, block_bytes: 1000}",
            "{type: replay, file: none.txt}",
            1,
            "none.txt cannot be read",
        ),
        pytest.param(
            "{type: alltoall, block_bytes: 1000}",
            "{type: replay, file: run.txt}",
            2,
            "is a record of 2",
            id="{type: alltoall, block_bytes: 1000}-{type: replay, file: run.txt}-2-has a run of 2",
        ),
        pytest.param(
            "{type: torus, sizes: [4, 2]}",
            "{type: graph, file: net.txt}",
            4,
            "net.txt:2: unknown line 'cabel'",
            id="{type: torus, sizes: [4, 2]}-{type: graph, file: net.txt}-4-net.txt:2: cannot read 'cabel'",
        ),
        ("reference\n", "{links: {bandwidth: 1e5}}\n", 1, "Make chunks or packets smaller"),
        (
            "{type: alltoall, block_bytes: 1000}",
            "{type: transposition, grid: [64, 64, 64], ranks: [2, 2]}",
            1,
            r"workload.ranks = [2, 2] makes 4 ranks, but ranks = 8.",
        ),
    ],
)
def test_mistakes_found_while_building_name_file_and_line(tmp_path, old, new, line, text):
    (tmp_path / "nodes.txt").write_text("0\n1\n")
    (tmp_path / "words.txt").write_text("0\none\n")
    (tmp_path / "net.txt").write_text("switches 2\ncabel 0 1\n")
    (tmp_path / "run.txt").write_text("halcyon schedule 1\nranks 2\nrank\nrank\n")
    assert old in LINES
    path = tmp_path / "case.yaml"
    path.write_text(LINES.replace(old, new))
    with pytest.raises((ConfigError, InputError)) as failed:
        simulate(path)
    assert str(failed.value).startswith(f"{path}:{line}: ") and text in str(failed.value)


def test_a_swept_mistake_names_its_line_or_its_override(tmp_path):
    """An invalid value of a sweep is reported with its line in the file, or with its --set option."""
    path = tmp_path / "case.yaml"
    path.write_text(LINES + "sweep:\n  ranks: [4, 9]\n")
    with pytest.raises(ConfigError, match=r"case.yaml:6: ranks 9: There are 9 ranks"):
        sweep(path)
    with pytest.raises(ConfigError, match=r"^--set sweep.ranks=\[10\]: ranks 10: There are 10 ranks"):
        sweep(path, ["sweep.ranks=[10]"])
