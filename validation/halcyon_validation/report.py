"""The report of validation cases: a self-contained HTML file."""

from __future__ import annotations

import base64
import html
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from PIL import Image

from halcyon import __version__
from halcyon.mesh.atomic_file import write_file
from halcyon_validation.check import Check, Outcome, Table

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


def write_page(
    path: Path,
    outcomes: Mapping[str, Outcome],
    *,
    title: str,
    text: str,
    command: Callable[[str], str],
) -> None:
    """Writes the results of cases, by name, as a page in Markdown, with the figures in the folder `images`
    next to it. text: after the title. command(name): the command that draws the figures of a case.

    Raises RunError if a file cannot be written."""
    parts = [f"# {title}", text]
    for name, outcome in outcomes.items():
        parts.append(f"## {name}")
        if outcome.checks:
            rows = [
                (c.name, *map(format_number, (c.value, c.low, c.high)), c.unit, c.source)
                for c in outcome.checks
            ]
            verdicts = ["passed" if check.passed else "failed" for check in outcome.checks]
            table = Table(_TITLES, [(*row, verdict) for row, verdict in zip(rows, verdicts, strict=True)])
            parts.append(_markdown(table))
        parts += [f"{caption}:\n\n{_markdown(table)}" for caption, table in outcome.tables.items()]
        for i, (caption, draw) in enumerate(outcome.figures.items(), 1):
            image = f"images/{path.stem}_{_file_name(name)}_{i}.png"
            (path.parent / "images").mkdir(exist_ok=True)
            _draw_small(path.parent / image, draw)
            parts.append(f"![{caption}]({image})")
        if outcome.figures:
            parts.append(f"Drawn by `{command(name)}`.")
    write_file(path, lambda part: Path(part).write_text("\n\n".join(parts) + "\n", encoding="utf-8"))


def _markdown(table: Table) -> str:
    lines = [table.heads, ["---"] * len(table.heads), *table.rows]
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |") for line in lines)


def _file_name(name: str) -> str:
    return name.lower().replace(" ", "_")


def _draw_small(path: Path, draw) -> None:
    """Draws a figure as a PNG of 1000 pixels of width and 64 colours, a fifth of the size."""
    with tempfile.TemporaryDirectory() as folder:
        draw(Path(folder) / "figure.png")
        with Image.open(Path(folder) / "figure.png") as image:
            size = (1000, round(1000 * image.height / image.width))
            small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS).quantize(64)
    write_file(path, lambda part: small.save(part, format="PNG", optimize=True))


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
    checks = f"<table><tr>{heads}</tr>{rows}</table>" if rows else ""
    tables = "".join(_table(caption, table) for caption, table in outcome.tables.items())
    figures = "".join(_figure(caption, draw) for caption, draw in outcome.figures.items())
    return f"<h2>{html.escape(name)}</h2>{checks}{tables}{figures}"


def _table(caption: str, table: Table) -> str:
    heads = "".join(f"<th>{html.escape(head)}</th>" for head in table.heads)
    rows = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows
    )
    return f"<h3>{html.escape(caption)}</h3><table><tr>{heads}</tr>{rows}</table>"


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
