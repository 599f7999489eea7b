"""Warnings of errors of forecasts in another basin."""

import pytest

from halcyon.config import load_case
from halcyon.run.input.storms import basin_warnings
from tests.run import case

MEMBER = "forcing.wind.perturbation.member=2"
DECK = """AL, 09, 2011082600,   , BEST,   0, 257N,  770W,  90,  946, HU
AL, 09, 2011082706,   , BEST,   0, 310N,  777W,  85,  950, HU
"""


@pytest.mark.parametrize("errors", [None, "atlantic", "central_pacific"])
def test_the_western_pacific_has_no_errors_of_its_own(tmp_path, errors):
    """The default errors are those of the Atlantic; errors that the case names are not warned of."""
    path = case.write_case(tmp_path)
    assert basin_warnings(load_case(path, [])) == []
    given = [] if errors is None else [f"forcing.wind.perturbation.errors={errors}"]
    texts = basin_warnings(load_case(path, [MEMBER, *given]))
    assert len(texts) == (errors is None)
    for text in texts:
        assert "case.yaml:" in text and "E " in text and "errors are those of NHC's forecasts in the" in text


def test_the_atlantic_has(tmp_path):
    path = case.write_case(tmp_path)
    (tmp_path / "bal092011.dat").write_text(DECK)
    changes = [
        "forcing.wind={track: bal092011.dat}",
        "time.start=2011-08-26T00:00",
        "time.end=2011-08-27T00:00",
    ]
    assert basin_warnings(load_case(path, [*changes, MEMBER])) == []
