"""The report of validation cases: a self-contained HTML file."""

from __future__ import annotations

import base64
import html
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from halcyon import __version__
from halcyon.mesh.atomic_file import write_file
from halcyon_validation.check import Check, Outcome

_STYLE = """
body { font: 15px/1.45 "DejaVu Sans", Verdana, sans-serif; color: #22262b; max-width: 62em; margin: 2em auto;
       padding: 0 1em; }
table { border-collapse: collapse; width: 100%; margin: .6em 0 1.4em; }
th, td { text-align: left; padding: .25em .7em; border-bottom: 1px solid #d9dce1; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.passed { color: #1d7a4f; } td.failed { color: #b3261e; font-weight: bold; }
figure { margin: 1em 0 2em; } img { max-width: 100%; } figcaption { color: #6b7280; }
"""
_TITLES = ("check", "value", "at least", "at most", "unit", "source", "")


def write_report(
    path: Path, outcomes: Mapping[str, Outcome], *, title: str = "Validation of the wave model"
) -> None:
    """Writes the results of cases, by name, as a self-contained HTML file.

    Raises RunError if the file cannot be written."""
    text = _page(outcomes, title)
    write_file(path, lambda part: Path(part).write_text(text, encoding="utf-8"))


def failed(outcomes: Mapping[str, Outcome]) -> list[str]:
    """Returns `case: check` for all failed checks."""
    return [f"{name}: {c.name}" for name, outcome in outcomes.items() for c in outcome.checks if not c.passed]


def format_number(value: float) -> str:
    """Formats a number with four significant digits."""
    return f"{value:.4g}"


def _page(outcomes: Mapping[str, Outcome], title: str) -> str:
    checks = [check for outcome in outcomes.values() for check in outcome.checks]
    passed = sum(check.passed for check in checks)
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        f"<p>Halcyon {__version__}, {when}: {passed} of {len(checks)} checks passed.</p>",
        *(_case(name, outcome) for name, outcome in outcomes.items()),
    ]
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def _case(name: str, outcome: Outcome) -> str:
    heads = "".join(f"<th>{title}</th>" for title in _TITLES)
    rows = "".join(_row(check) for check in outcome.checks)
    figures = "".join(_figure(caption, draw) for caption, draw in outcome.figures.items())
    return f"<h2>{html.escape(name)}</h2><table><tr>{heads}</tr>{rows}</table>{figures}"


def _row(check: Check) -> str:
    numbers = "".join(
        f'<td class="number">{format_number(v)}</td>' for v in (check.value, check.low, check.high)
    )
    verdict = "passed" if check.passed else "failed"
    texts = f"<td>{html.escape(check.unit)}</td><td>{html.escape(check.source)}</td>"
    return f'<tr><td>{html.escape(check.name)}</td>{numbers}{texts}<td class="{verdict}">{verdict}</td></tr>'


def _figure(caption: str, draw) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.png"
        draw(path)
        image = base64.b64encode(path.read_bytes()).decode()
    text = html.escape(caption)
    tag = f'<img alt="{text}" src="data:image/png;base64,{image}">'
    return f"<figure>{tag}<figcaption>{text}</figcaption></figure>"
