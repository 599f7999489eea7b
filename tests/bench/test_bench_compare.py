"""tools/bench_compare: which ratios got worse, and the kind of processor whose ratios are stored."""

import importlib.machinery
import importlib.util
import json

import pytest

from tests.docs.test_docs import ROOT

XEON = (
    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Xeon\n"
    "flags\t\t: sse avx2{}\n\n"
)


@pytest.fixture(scope="module")
def tool():
    loader = importlib.machinery.SourceFileLoader("bench_compare", str(ROOT / "tools/bench_compare"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_compare", loader))
    loader.exec_module(module)
    return module


def test_kind_of_processor(tool):
    assert tool.processor(XEON.format(" avx512f")) == "genuineintel-6-143-avx512"
    assert tool.processor(XEON.format("")) == "genuineintel-6-143-avx2"


def test_ratios_that_fell_or_are_missing_are_worse(tool):
    stored = {"remap": {"a": 2.0, "b": 2.0, "c": 1.0}, "other": {"d": 1.0}}
    lines, n_worse = tool.compared(stored, {"remap": {"a": 1.85, "b": 1.79, "new": 1.0}}, 0.1)
    assert [line.split()[-2:] for line in lines[1:]] == [
        ["2.000", "1.850"],
        ["1.790", "WORSE"],
        ["missing", "WORSE"],
    ]
    assert n_worse == 2


def test_medians_of_the_runs_of_a_benchmark(tool, tmp_path, monkeypatch):
    (tmp_path / "benchmarks").mkdir()
    ratios = tmp_path / "ratios.json"
    ratios.write_text("[3.0, 1.0, 2.0]")
    (tmp_path / "benchmarks/made.py").write_text(
        "import json, pathlib, sys\n"
        f"file = pathlib.Path({str(ratios)!r})\n"
        "first, *others = json.loads(file.read_text())\n"
        "file.write_text(json.dumps(others))\n"
        "assert sys.argv[1] == '--quick'\n"
        "pathlib.Path(sys.argv[3]).write_text(json.dumps([{'claim': 'a', 'ratio': first}]))\n"
    )
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    assert tool.measured("made", 3) == {"a": 2.0}


def test_stored_ratios_are_of_benchmarks_that_exist():
    for path in (ROOT / "benchmarks/baseline").glob("*.json"):
        for name, claims in json.loads(path.read_text()).items():
            assert (ROOT / f"benchmarks/{name}.py").exists()
            assert all(ratio > 0 for ratio in claims.values())
