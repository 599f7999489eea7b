"""The report of validation cases and the command that writes it."""

import base64
import math
from unittest.mock import patch

import pytest
from typer.testing import CliRunner

from halcyon.base import ConfigError
from halcyon.cli.app import app
from halcyon_validation.check import Check, Outcome, near
from halcyon_validation.report import failed, write_report


def draw(path):
    """A figure of a case."""
    path.write_bytes(b"\x89PNG of waves")


GOOD = Outcome([near("height", 10.0, 10.5, 0.1, unit="m", source="Wave & Sea (1988)")], {"A <figure>": draw})
BAD = Outcome([Check("speed", 3.0, 1.0, 2.0, "m s-1"), Check("rate", math.nan, 0.0, 1.0)])
CASES = {"growth": lambda: GOOD, "swell over a beach": lambda: BAD}


def run(*options):
    """Runs `halcyon validate wave` with the two cases of this file."""
    with patch("halcyon_validation.cases.cases_of", lambda model, long: CASES):
        return CliRunner().invoke(app, ["validate", "wave", *options])


def test_bounds():
    """A value within its bounds passes; a value outside, or that is not a number, fails."""
    assert GOOD.checks[0].passed
    assert failed({"a": GOOD, "b": BAD}) == ["b: speed", "b: rate"]


def test_a_report_needs_no_other_file(tmp_path):
    """Figures are embedded in the report, and texts are escaped."""
    write_report(tmp_path / "report.html", {"growth": GOOD, "speeds": BAD})
    text = (tmp_path / "report.html").read_text()
    assert "1 of 3 checks passed" in text
    assert "Wave &amp; Sea (1988)" in text
    assert "A &lt;figure&gt;" in text
    image = base64.b64encode(b"\x89PNG of waves").decode()
    assert text.count("<img") == text.count(f"data:image/png;base64,{image}") == 1
    assert text.count('class="failed"') == 2
    assert 'src="http' not in text and "href" not in text


def test_the_command_fails_where_a_check_does(tmp_path):
    done = run("--output", str(tmp_path / "out"))
    assert done.exit_code == 1
    assert "passed  height: 10 (9.45 to 11.55 m)" in done.stdout
    assert "FAILED  speed: 3 (1 to 2 m s-1)" in done.stdout
    assert "failed: swell over a beach: speed; swell over a beach: rate" in done.stdout
    assert (tmp_path / "out/validation.html").exists()


def test_a_page_has_the_same_results(tmp_path):
    page = tmp_path / "page.md"
    with patch("halcyon_validation.report._draw_small", lambda path, draw: draw(path)):
        done = run("--cases", "growth", "--output", str(tmp_path / "out"), "--page", str(page))
    assert done.exit_code == 0
    text = page.read_text()
    assert "`halcyon validate wave --cases growth --page page.md`" in text
    assert "| height | 10 | 9.45 | 11.55 | m | Wave & Sea (1988) | passed |" in text
    assert "![A <figure>](images/page_growth_1.png)" in text
    assert (tmp_path / "images/page_growth_1.png").exists()
    with pytest.raises(ConfigError, match=r"there is no folder .*nowhere"):  # before the cases are run
        raise run("--output", str(tmp_path / "other"), "--page", str(tmp_path / "nowhere/x.md")).exception
    assert not (tmp_path / "other").exists()


def test_chosen_cases(tmp_path):
    done = run("--cases", "growth", "--output", str(tmp_path))
    assert (done.exit_code, "swell" in done.stdout) == (0, False)
    with pytest.raises(ConfigError, match="--cases hail: there is no such case"):
        raise run("--cases", "growth,hail").exception
    with pytest.raises(ConfigError, match="--cases : there is no such case"):
        raise run("--cases", ",").exception


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"--output .*file cannot be made: File exists. Choose another"):
        raise run("--output", str(tmp_path / "file")).exception


def test_the_cases_have_names_of_their_own():
    """The hurricane is among the cases of the wave model."""
    from halcyon_validation.cases import cases_of

    assert "moving_hurricane" in cases_of("wave")
